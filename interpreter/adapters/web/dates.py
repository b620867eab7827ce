"""Days in texts: what a written day means, as `2026-01-15`, or with time where the text says the zone, too.

A time without a zone is left out: which day it is was said, which instant it is was not. Days written with numbers
alone and day and month in doubt (`03/04/2026`) are not read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

from rules.patterns import regex

_MONTH_NAMES = (
    "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|"
    "november nov|december dec"
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES.split("|"), start=1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_CHINESE_DIGITS = {character: str(value) for value, character in enumerate("〇一二三四五六七八九")} | {
    "零": "0",
    "○": "0",
}
_TIME = (
    r"(?:[T\s,]{{1,3}}(?:at\s)?(?P<h{0}>\d{{1,2}}):(?P<m{0}>\d\d)(?::(?P<s{0}>\d\d)(?:\.\d{{1,9}})?)?"
    r"\s?(?P<z{0}>Z|[+-]\d\d:?\d\d|UTC|GMT)?(?!\d))?"
)
_DAY = regex(
    r"(?<![\d.])(?:"
    r"(?P<y1>\d{4})\s?年\s?(?P<mo1>\d{1,2})\s?月\s?(?P<d1>\d{1,2})\s?[日号]?" + _TIME.format(1) + "|"
    r"(?P<y2>\d{4})(?P<sep>[-/.])(?P<mo2>\d{1,2})(?P=sep)(?P<d2>\d{1,2})(?![\d.])" + _TIME.format(2) + "|"
    rf"(?P<mo3>{_MONTH})\.?\s(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<y3>\d{{4}})(?!\d)" + _TIME.format(3) + "|"
    rf"(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<mo4>{_MONTH})\.?,?\s(?P<y4>\d{{4}})(?!\d)"
    + _TIME.format(4)
    + "|"
    r"(?P<y5>(?:19|20)\d\d)(?P<mo5>\d\d)(?P<d5>\d\d)(?!\d)"
    r")",
    re.IGNORECASE,
)
_CHINESE = regex(r"([〇○零一二三四五六七八九]{4})年([一二三四五六七八九十]{1,3})月([一二三四五六七八九十]{1,3})日")
_IN_PATH = regex(r"[/_-]t?((?:19|20)\d\d)([-/_]?)(\d\d)\2(\d\d)(?!\d)")


def first_day(text: str) -> tuple[int, str] | None:
    """Return where the first day in a text stands, and the day."""
    return next(days(text), None)


def days(text: str) -> Iterator[tuple[int, str]]:
    """Yield the days in a text with their places; what is no day of the calendar is passed over."""
    plain = unicodedata.normalize("NFKC", text) if not text.isascii() else text
    plain = _CHINESE.sub(_in_digits, plain)
    for found in _DAY.finditer(plain):
        day = _day(found)
        if day is not None:
            yield found.start(), day


def path_day(path: str) -> str | None:
    """Return the day that an address holds: `/2024/07/12/`, `/20240712/`, `/t20240712_1.html`."""
    for found in _IN_PATH.finditer(path):
        day = _calendar_day(int(found[1]), int(found[3]), int(found[4]))
        if day is not None:
            return day.isoformat()
    return None


def day_of(text: str) -> date | None:
    """Return the calendar day of what `days` gave, or of an instant."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _in_digits(found: re.Match[str]) -> str:
    year = "".join(_CHINESE_DIGITS[character] for character in found[1])
    return f"{year}年{_small_number(found[2])}月{_small_number(found[3])}日"


def _small_number(text: str) -> int:
    tens, mark, ones = text.partition("十")
    if not mark:
        return int("".join(_CHINESE_DIGITS[character] for character in text))
    return 10 * int(_CHINESE_DIGITS.get(tens, "1")) + int(_CHINESE_DIGITS.get(ones, "0"))


def _day(found: re.Match[str]) -> str | None:
    form = next(number for number in "12345" if found[f"y{number}"])
    month = found[f"mo{form}"].lower()
    number = _MONTHS[month] if month in _MONTHS else int(month)
    day = _calendar_day(int(found[f"y{form}"]), number, int(found[f"d{form}"]))
    if day is None:
        return None
    zone = found[f"z{form}"] if form != "5" else None
    return _instant(day, found, form, zone) or day.isoformat() if zone else day.isoformat()


def _instant(day: date, found: re.Match[str], form: str, zone: str) -> str | None:
    hour, minute, second = (int(found[f"{name}{form}"] or 0) for name in "hms")
    try:
        moment = datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=_zone(zone))
    except ValueError:
        return None
    return moment.isoformat().replace("+00:00", "Z")


def _zone(text: str) -> tzinfo:
    if text.upper() in ("Z", "UTC", "GMT"):
        return UTC
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[-2:])))


def _calendar_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
