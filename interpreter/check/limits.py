"""Bounds that a shape sets beside the kind of a value: least and greatest, length, number of entries, form."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from interpreter.diagnostics import Words
from interpreter.static.values import Shape
from rules.patterns import regex

_DATE = regex(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_INSTANT = regex(r"(.{10})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))")
_TIME = regex(r"\d\d:\d\d(:\d\d.*)?")
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MINUTES_OF_DAY = 24 * 60


def is_date(text: str) -> bool:
    """Tell whether a text is a day of the calendar. Source: RFC 3339, full-date."""
    found = _DATE.fullmatch(text)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= (29 if month == 2 and is_leap else _DAYS[month - 1])


def is_instant(text: str) -> bool:
    """Tell whether a text is an instant with its zone; a leap second ends a day of UTC.

    Source: RFC 3339, date-time.
    """
    found = _INSTANT.fullmatch(text)
    if found is None or not is_date(found[1]):
        return False
    hour, minute, second = int(found[2]), int(found[3]), int(found[4])
    ahead, behind = int(found[6] or 0), int(found[7] or 0)
    if hour > 23 or minute > 59 or ahead > 23 or behind > 59:
        return False
    offset = (ahead * 60 + behind) * (-1 if found[5] == "-" else 1)
    ends_day = (hour * 60 + minute - offset) % _MINUTES_OF_DAY == _MINUTES_OF_DAY - 1
    return second <= 59 or (second == 60 and ends_day)


_FORMATS: dict[str, tuple[Callable[[str], object], Words]] = {
    "date": (is_date, Words("日期，例如 2026-08-01", "a date such as 2026-08-01")),
    "time": (_TIME.fullmatch, Words("时间，例如 08:30:00", "a time such as 08:30:00")),
    "date-time": (
        is_instant,
        Words("带时区的时刻，例如 2026-08-01T08:00:00Z", "an instant with its zone such as 2026-08-01T08:00:00Z"),
    ),
}

_LIMITS: dict[str, tuple[Callable[[Any], Any], bool, str, str]] = {
    "minimum": (lambda value: value, True, "不小于 {}", "at least {}"),
    "maximum": (lambda value: value, False, "不大于 {}", "at most {}"),
    "minLength": (len, True, "至少 {} 个字符", "at least {} characters"),
    "maxLength": (len, False, "至多 {} 个字符", "at most {} characters"),
    "minItems": (len, True, "至少 {} 项", "at least {} entries"),
    "maxItems": (len, False, "至多 {} 项", "at most {} entries"),
}
_FOR = {"minimum": (int, Decimal), "maximum": (int, Decimal), "minLength": (str,), "maxLength": (str,)}


def broken_limit(value: object, expected: Shape, *, may_lack: bool = False) -> Words | None:
    """Return the first bound that a value does not keep; None where it keeps all, or where several shapes may be meant.

    Shapes: with `may_lack` an empty text keeps every form, since it stands for a value that is not there yet.
    """
    branches = list(expected.branches())
    if len(branches) != 1 or isinstance(value, bool):
        return None
    schema = branches[0].schema
    for word, (measure, is_least, zh, en) in _LIMITS.items():
        limit = schema.get(word)
        if not isinstance(limit, int | Decimal) or not isinstance(value, _FOR.get(word, (list,))):
            continue
        size = measure(value)
        if size < limit if is_least else size > limit:
            noun = en.replace("entries", "entry").replace("characters", "character") if limit == 1 else en
            return Words(zh.format(limit), noun.format(limit))
    if schema.get("uniqueItems") is True and isinstance(value, list):
        texts = [repr(entry) for entry in value]
        if len(set(texts)) < len(texts):
            return Words("没有重复的项", "each entry once")
    keeps, words = _FORMATS.get(str(schema.get("format")), (None, None))
    if keeps is not None and isinstance(value, str) and not (may_lack and value == "") and not keeps(value):
        return words
    return None
