"""How long a service asks to wait, by headers or a value of its answer; total: nothing makes it fail or wait too short.

`Retry-After` counts seconds or names an instant. Servers that leave it out say when their limits are counted anew, in
forms of their own (`x-ratelimit-reset-requests: 2m59s`). What cannot be read says nothing; nothing is guessed. What is
too large to be meant stands for the longest time there is, so that nobody is asked again early because of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime, parsedate_tz

from interpreter.durations import SECONDS
from rules.patterns import regex

#: Units: seconds. Whoever says more than thirty years says: not in this run.
LONGEST = 999_999_999.0
_SECONDS = regex(r"\d{1,9}(\.\d{1,6})?")
_PARTS = regex(r"(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)")
_RESETS = ("x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "x-ratelimit-reset", "ratelimit-reset")
#: A number that is larger says an instant, in seconds since 1970, or in milliseconds.
_AN_INSTANT = 1_000_000_000
_IN_MILLISECONDS = 100_000_000_000
#: Headers are short; what is longer is looked at no further. Units: characters.
_LONGEST_TEXT = 2_000
_LAST_YEAR = 9999


def seconds_to_wait(headers: Mapping[str, str], now: Callable[[], datetime]) -> float | None:
    """Return how long the server asks to wait, None where it does not say, or says it in no form that is known.

    Units: seconds, from 0 to `LONGEST`.
    """
    asked = _after(_header(headers, "retry-after"), _header(headers, "date"), now)
    if asked is None:
        milliseconds = _count(_header(headers, "retry-after-ms"))
        asked = milliseconds / 1000 if milliseconds is not None else None
    if asked is None:
        resets = [_reset(_header(headers, name), now) for name in _RESETS]
        asked = max((one for one in resets if one is not None), default=None)
    return min(max(asked, 0.0), LONGEST) if asked is not None else None


def seconds_in(value: object) -> float | None:
    """Return what a value of an answer says of waiting: a number of seconds, as a text too, or one like `2m59s`.

    Units: seconds, from 0 to `LONGEST`; None for what is no such number, and for one below 0.
    """
    if isinstance(value, str):
        text = value.strip() if len(value) <= _LONGEST_TEXT else ""
        value = _count(text)
        value = _in_parts(text) if value is None else value
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        return None
    if isinstance(value, Decimal) and value.is_nan():
        return None
    return float(min(value, LONGEST)) if value >= 0 else None


def wait_words(wait: float | None, now: Callable[[], datetime]) -> tuple[str, str]:
    """Return how long a service asks to wait, in both languages; nothing where it does not say."""
    if wait is None:
        return "", ""
    seconds = f"{wait:.3f}".rstrip("0").rstrip(".")
    try:
        instant = f"{now() + timedelta(seconds=wait):%Y-%m-%dT%H:%M:%SZ}"
    except OverflowError:
        instant = "-"
    return f"；{seconds} 秒后（{instant}）可以再试", f"; it may be asked again in {seconds} s, at {instant}"


def _header(headers: Mapping[str, str], name: str) -> str:
    text = headers.get(name, "").strip()
    return text if len(text) <= _LONGEST_TEXT else ""


def _count(text: str) -> float | None:
    """Return a number without a sign, of any length; one that is too long is infinite."""
    if _SECONDS.fullmatch(text) or (text.isascii() and text.isdigit()):
        return float(text)
    return None


def _after(text: str, date: str, now: Callable[[], datetime]) -> float | None:
    seconds = _count(text)
    if seconds is not None:
        return seconds
    until = _instant(text)
    if until is None:
        return LONGEST if _lies_beyond_time(text) else None
    # The server's own clock, where it tells it: ours may go wrong.
    try:
        return (until - (_instant(date) or now())).total_seconds()
    except OverflowError:
        return None


def _instant(text: str) -> datetime | None:
    if not text[:1].isalpha():
        return None
    try:
        found = parsedate_to_datetime(text)
        return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def _lies_beyond_time(text: str) -> bool:
    """Say whether a text is a date in a year that no clock has."""
    if not text[:1].isalpha():
        return False
    try:
        found = parsedate_tz(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return False
    return found is not None and found[0] > _LAST_YEAR


def _reset(text: str, now: Callable[[], datetime]) -> float | None:
    number = _count(text)
    if number is not None:
        if number < _AN_INSTANT:
            return number
        seconds = number / 1000 if number >= _IN_MILLISECONDS else number
        return max(0.0, seconds - now().timestamp())
    return _in_parts(text)


def _in_parts(text: str) -> float | None:
    """Return what a text like `2m59s` says."""
    parts = list(_PARTS.finditer(text))
    if not parts or "".join(part[0] for part in parts) != text:
        return None
    return sum(float(part[1]) * SECONDS[part[2]] for part in parts)
