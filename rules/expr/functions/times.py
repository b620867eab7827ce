"""Functions over instants and dates, which are texts in the form of ISO 8601; nothing here knows what time it is.

A window is a mapping with `start` and `end`, the end not included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rules.expr.signatures import Function, describe
from rules.patterns import regex
from rules.values import CannotEvaluate, Value

if TYPE_CHECKING:
    from datetime import datetime

_AGO = regex(r"([0-9]{1,5})([hdwmy])\Z")
_HOURS: Final = {"h": 1, "d": 24, "w": 168}


def absolute_time(text: str, now: str) -> str:
    """Return the instant that `7d`, `1m`, `1y` before now or a date means, in UTC."""
    from datetime import timedelta

    ago = _AGO.match(text.strip())
    if ago is None:
        return _written(instant(text))
    count, unit = int(ago[1]), ago[2]
    start = instant(now)
    try:
        if unit in _HOURS:
            return _written(start - timedelta(hours=count * _HOURS[unit]))
        return _written(_months_before(start, count * (12 if unit == "y" else 1)))
    except (ValueError, OverflowError):
        raise CannotEvaluate("not-a-time", {"text": text[:60]}) from None


def days_between(start: str, end: str) -> int:
    return (instant(end).date() - instant(start).date()).days


def within(time: str, window: dict[str, Value]) -> bool:
    start, end = _edges(window)
    return start <= instant(time) < end


def overlaps(window: dict[str, Value], other: dict[str, Value]) -> bool:
    start, end = _edges(window)
    other_start, other_end = _edges(other)
    return start < other_end and other_start < end


def window_before(window: dict[str, Value]) -> dict[str, Value]:
    start, end = _edges(window)
    try:
        return {"start": _written(start - (end - start)), "end": _written(start)}
    except OverflowError:
        raise CannotEvaluate("not-a-time", {"text": str(window.get("start"))[:60]}) from None


def instant(text: str) -> datetime:
    """Return a date or an instant; without a zone it is UTC.

    Errors: CannotEvaluate(`not-a-time`).
    """
    from datetime import UTC, datetime

    try:
        read = datetime.fromisoformat(text.strip())
        return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError):
        raise CannotEvaluate("not-a-time", {"text": text[:60]}) from None


def _edges(window: dict[str, Value]) -> tuple[datetime, datetime]:
    for name in ("start", "end"):
        if type(window.get(name)) is not str:
            raise CannotEvaluate("not-a-window", {"field": name})
    return instant(window["start"]), instant(window["end"])


def _months_before(start: datetime, months: int) -> datetime:
    """Return the same day months earlier, or the last day of a month that is shorter."""
    from calendar import monthrange

    place = start.year * 12 + start.month - 1 - months
    year, month = place // 12, place % 12 + 1
    if year < 1:
        raise ValueError(year)
    return start.replace(year=year, month=month, day=min(start.day, monthrange(year, month)[1]))


def _written(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


TIMES: Final[tuple[Function, ...]] = (
    describe(
        "text | absolute_time(now: text) -> text",
        absolute_time,
        "7d、2w、1m、1y（now 之前）或日期对应的时刻，UTC",
        "the instant that 7d, 2w, 1m, 1y (before now) or a date means, in UTC",
        "'7d' | absolute_time('2024-07-12T08:00:00Z') -> '2024-07-05T08:00:00.000Z'",
    ),
    describe(
        "days_between(start: text, end: text) -> whole",
        days_between,
        "两个日期相差几天",
        "how many days lie between two dates",
        "days_between('2024-02-28', '2024-03-01') -> 2",
    ),
    describe(
        "text | within(window: mapping) -> boolean",
        within,
        "时刻是否在 {start, end} 之内，不含 end",
        "whether an instant lies in a window {start, end}, its end not included",
        "'2024-05-02' | within({'start': '2024-05-01', 'end': '2024-06-01'}) -> true",
    ),
    describe(
        "mapping | overlaps(other: mapping) -> boolean",
        overlaps,
        "两个时间段是否有重叠",
        "whether two windows have a time in common",
        "{'start': '2024-05-01', 'end': '2024-05-09'} | overlaps({'start': '2024-05-08', 'end': '2024-07-01'}) -> true",
    ),
    describe(
        "mapping | window_before -> mapping",
        window_before,
        "紧接在前的等长时间段",
        "the window of the same length that ends where this one starts",
    ),
)
