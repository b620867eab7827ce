"""Functions over instants and dates, which are texts in the form of ISO 8601; nothing here knows what time it is.

A window is a mapping with `start` and `end`, the end not included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rules.expr.signatures import Function, describe
from rules.patterns import regex
from rules.values import ABSENT, CannotEvaluate, Value

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

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
        raise _outside(f"{text.strip()[:60]} ({now[:60]})") from None


def is_time(text: str) -> bool:
    """Say whether `absolute_time` understands a text, whenever it is asked."""
    try:
        absolute_time(text, "2024-07-12T08:00:00Z")
    except CannotEvaluate:
        return False
    return True


def start_of(text: str, unit: str, number: Value) -> str:
    """Return the beginning of the calendar unit that an instant is in, or of the one so many later, as UTC.

    Days begin at midnight of the offset that the instant is written with, weeks on Monday.
    """
    from datetime import timedelta

    if unit not in ("day", "week", "month", "quarter", "year"):
        raise CannotEvaluate("not-a-unit", {"unit": unit[:60]})
    steps = 0 if number is ABSENT else number
    day = _local(text).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        if unit == "day":
            return _written(_in_utc(day + timedelta(days=steps)))
        if unit == "week":
            return _written(_in_utc(day + timedelta(days=7 * steps - day.weekday())))
        months = {"month": 1, "quarter": 3, "year": 12}[unit]
        return _written(_in_utc(_months_before(day.replace(day=1), (day.month - 1) % months - months * steps)))
    except (ValueError, OverflowError):
        raise _outside(f"{text[:60]} {steps:+} {unit}") from None


def clock_time(text: str, hours: int | Decimal) -> str:
    """Return what a clock so many hours ahead of UTC shows at an instant; what names no zone stays as it is."""
    from datetime import timedelta

    read = _local(text)
    try:
        shift = timedelta(minutes=int(hours * 60)) if _has_zone(text) else timedelta()
        return (_in_utc(read) + shift).replace(tzinfo=None).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        raise _outside(f"{text[:60]} {hours:+} h") from None


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
        raise _outside(f"{window['start'][:60]} - {end - start}") from None


def instant(text: str) -> datetime:
    """Return a date or an instant; without a zone it is UTC.

    Errors: CannotEvaluate(`not-a-time`, `outside-the-calendar`).
    """
    try:
        return _in_utc(_local(text))
    except OverflowError:
        raise _outside(text[:60]) from None


def _local(text: str) -> datetime:
    """Return an instant with the offset that it is written with; without one it is UTC.

    Errors: CannotEvaluate(`not-a-time`).
    """
    from datetime import UTC, datetime

    try:
        read = datetime.fromisoformat(text.strip())
    except ValueError:
        raise CannotEvaluate("not-a-time", {"text": text[:60]}) from None
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read


def _outside(text: str) -> CannotEvaluate:
    """Return what is said of a time that no calendar has, though it was asked for in good form."""
    return CannotEvaluate("outside-the-calendar", {"text": text})


def _has_zone(text: str) -> bool:
    from datetime import datetime

    return datetime.fromisoformat(text.strip()).tzinfo is not None


def _in_utc(time: datetime) -> datetime:
    from datetime import UTC

    return time.astimezone(UTC)


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
    if not 1 <= year <= 9999:
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
        "text | is_time -> boolean",
        is_time,
        "是否是 absolute_time 能识别的时间",
        "whether it is a time that absolute_time understands",
        "'last week' | is_time -> false",
    ),
    describe(
        "text | start_of(unit: text, number?: whole) -> text",
        start_of,
        "所在的日、周（周一起）、月、季度或年的开始，或往后 number 个的开始；day、week、month、quarter、year",
        "the beginning of the day, week (from Monday), month, quarter or year that an instant is in, or of the one so "
        "many later",
        "'2026-10-20' | start_of('quarter', -1) -> '2026-07-01T00:00:00.000Z'",
    ),
    describe(
        "text | clock_time(hours: number) -> text",
        clock_time,
        "比 UTC 早这么多小时的钟在该时刻显示的时间，不带时区；本来没有时区的只补全写法",
        "what a clock so many hours ahead of UTC shows at an instant, without a zone; a text without one is only "
        "completed",
        "'2026-10-20T20:00:00Z' | clock_time(8) -> '2026-10-21T04:00:00.000'",
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
