"""The small record that says how a run stands, for whoever lists runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from interpreter.ports import Journal, JsonObject

#: It is written at most this often while a run is at work. Units: seconds.
STATUS_EVERY = 1.0


class StatusRecord:
    """Written now and then while a run is at work, and at every stop.

    Shapes: `instant` tells the time as the run records it; nothing has to be written before `due`.
    Units: `due` in seconds of the monotonic clock.
    """

    def __init__(self, journal: Journal, instant: Callable[[], str]) -> None:
        self._journal = journal
        self._instant = instant
        self._fields: JsonObject = {}
        self.due = 0.0

    def describe(self, **fields: object) -> None:
        """Change fields, which the next writing shows."""
        self._fields.update(fields)

    def write(self, status: str, **fields: object) -> None:
        self._fields = {**self._fields, "status": status, **fields, "at": self._instant()}
        self._journal.set_status(self._fields)

    def write_at_work(self, now: float) -> None:
        """Write that the run is at work. Units: seconds of the monotonic clock."""
        self.due = now + STATUS_EVERY
        self.write("running")

    @contextmanager
    def asking(self, question: str) -> Iterator[None]:
        """Tell for a while which process asks which question."""
        before = self._fields
        self.write("waiting", questions=[question], asking=os.getpid())
        try:
            yield
        finally:
            self._fields = before
            self.due = 0.0
