"""Clocks: the machine's, and one that a test turns by hand."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

#: What an instant beyond the calendar becomes.
LAST_INSTANT = "9999-12-31T23:59:59.999Z"


def instant_of(seconds: float) -> str:
    """Return seconds since 1970 as ISO 8601 in UTC with milliseconds; texts of this form sort by time."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def later(instant: str, seconds: float) -> str:
    """Return the instant that many seconds after another."""
    try:
        moment = datetime.fromisoformat(instant) + timedelta(seconds=seconds)
    except OverflowError:
        return LAST_INSTANT
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def seconds_between(start: str, end: str) -> float:
    """Return the seconds from one instant to another; negative when the end comes first."""
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def has_passed(instant: str | None) -> bool:
    """Say whether an instant lies behind us by the machine's clock; none never does."""
    return instant is not None and instant <= instant_of(time.time())


class SystemClock:
    """The machine's clock."""

    def __init__(self) -> None:
        self._millisecond = self._second = -1
        self._text = self._instant = ""

    def now(self) -> str:
        millisecond = time.time_ns() // 1_000_000
        if millisecond != self._millisecond:
            # The clock is read for every entry; writing out a date costs ten times as much as the rest.
            self._millisecond = millisecond
            second, rest = divmod(millisecond, 1000)
            if second != self._second:
                self._second, self._text = second, instant_of(second)[:-4]
            self._instant = f"{self._text}{rest:03d}Z"
        return self._instant

    monotonic = staticmethod(time.monotonic)

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    async def rest(self, seconds: float) -> None:
        """Pause inside an event loop, so that others go on."""
        import asyncio

        await asyncio.sleep(seconds)


class ManualClock:
    """A clock that stands still until somebody turns it; a pause turns it and returns at once.

    Shapes: `pauses` are the pauses asked for, in seconds.
    """

    def __init__(self, start: str = "2024-01-01T00:00:00.000Z") -> None:
        self._start = start
        self._started = self._passed = 0.0
        self.pauses: list[float] = []

    def now(self) -> str:
        return later(self._start, self._passed - self._started)

    def monotonic(self) -> float:
        return self._passed

    def turn(self, seconds: float) -> None:
        """Let time go by."""
        self._passed += seconds

    def turn_to(self, instant: str) -> None:
        """Let it be another instant; no time goes by."""
        self._start, self._started = instant, self._passed

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.turn(seconds)

    async def rest(self, seconds: float) -> None:
        import asyncio

        self.pause(seconds)
        await asyncio.sleep(0)
