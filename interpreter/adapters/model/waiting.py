"""How long a server asks to wait, from the headers of its answer.

`Retry-After` counts seconds or names an instant. Servers that leave it out say when their limits are counted anew, in
forms of their own (`x-ratelimit-reset-requests: 2m59s`). What cannot be read says nothing; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from rules.patterns import regex

_SECONDS = regex(r"\d{1,9}(\.\d{1,6})?")
_PARTS = regex(r"(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_RESETS = ("x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "x-ratelimit-reset", "ratelimit-reset")
#: A number that is larger says an instant, in seconds since 1970, or in milliseconds.
_AN_INSTANT = 1_000_000_000
_IN_MILLISECONDS = 100_000_000_000


def seconds_to_wait(headers: Mapping[str, str], now: Callable[[], datetime]) -> float | None:
    """Return how long the server asks to wait, None where it does not say, or says it in no form that is known."""
    asked = _after(headers.get("retry-after", "").strip(), headers.get("date", ""), now)
    if asked is None and _SECONDS.fullmatch(headers.get("retry-after-ms", "").strip()):
        asked = float(headers["retry-after-ms"]) / 1000
    if asked is not None:
        return asked
    resets = [_reset(headers[name].strip(), now) for name in _RESETS if name in headers]
    return max((one for one in resets if one is not None), default=None)


def _after(text: str, date: str, now: Callable[[], datetime]) -> float | None:
    if _SECONDS.fullmatch(text):
        return float(text)
    until = _instant(text)
    if until is None:
        return None
    # The server's own clock, where it tells it: ours may go wrong.
    return max(0.0, (until - (_instant(date) or now())).total_seconds())


def _instant(text: str) -> datetime | None:
    if not text[:1].isalpha():
        return None
    try:
        found = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _reset(text: str, now: Callable[[], datetime]) -> float | None:
    if _SECONDS.fullmatch(text) or text.isdecimal():
        number = float(text)
        if number < _AN_INSTANT:
            return number
        seconds = number / 1000 if number >= _IN_MILLISECONDS else number
        return max(0.0, seconds - now().timestamp())
    parts = list(_PARTS.finditer(text))
    if not parts or "".join(part[0] for part in parts) != text:
        return None
    return sum(float(part[1]) * _UNITS[part[2]] for part in parts)
