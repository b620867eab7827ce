"""When a person is told how far a run is."""

from __future__ import annotations

from collections.abc import Callable

from interpreter.ports import Clock, JsonObject, People

#: A line that shows how far a state is changes this often. Units: seconds.
LIVE_EVERY = 0.2


class Progress:
    """When to say how far a state is: some time without a message, then every so often.

    Shapes: nothing has to be shown before `due`.
    """

    def __init__(self, clock: Clock, people: People) -> None:
        self._clock = clock
        self._people = people
        self._state = ""
        self._render: Callable[[], JsonObject] | None = None
        self._first = self._every = float("inf")
        self._shown_at = clock.monotonic()
        self._is_first = True
        self.due = self._live_due = self._shown_at + LIVE_EVERY

    def describe(self, state: str, render: Callable[[], JsonObject] | None, first: float, every: float) -> None:
        self._state, self._render, self._first, self._every = state, render, first, every
        self._look_ahead()

    def message_shown(self) -> None:
        self._shown_at = self._clock.monotonic()
        self._is_first = True
        self._look_ahead()

    def show_what_is_due(self, now: float) -> None:
        if now >= self._live_due:
            self._live_due = now + LIVE_EVERY
            self._people.show_live(self._state, self._render)
        if now >= self._next():
            self._shown_at = now
            self._is_first = False
            self._people.show_progress(self._state, self._render() if self._render is not None else {})
        self._look_ahead()

    def _look_ahead(self) -> None:
        self.due = min(self._live_due, self._next())

    def _next(self) -> float:
        return self._shown_at + (self._first if self._is_first else self._every)
