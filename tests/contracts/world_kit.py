"""One run and the world around it: a journal, tools that answer what a test says, processes one after another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from interpreter.adapters.clock import ManualClock
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.adapters.runs import RunStore
from interpreter.ports import Journal, Request, Stop
from tests.contracts.durable_kit import Nobody


class Scripted:
    """Tools that answer what a test says. Shapes: `calls` are the requests made."""

    def __init__(self, answer: Callable[[Request], Any] = lambda request: request.arguments) -> None:
        self.calls: list[Request] = []
        self._answer = answer

    def has(self, tool: str) -> bool:
        return True

    def identities(self) -> dict[str, str]:
        return {}

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        self.calls.append(request)
        return self._answer(request)


class World:
    """One run and what is around it; `walk` is one process."""

    def __init__(self, store: Any, loop: bool) -> None:
        self.open = store.open
        self.loop = loop
        self.clock = ManualClock()
        self.people = Nobody()
        self.tools: Any = Scripted()
        self.run: Any = None

    def walk(self, body: Callable[[Any], Any], **options: Any) -> Any:
        self.run = EmbeddedRun(self.open(), self.tools, self.people, self.clock, **options)
        try:
            return drive(body(self.run), loop=self.loop)
        except Stop as stop:
            self.run.stop("stopped")
            return stop

    def kinds(self) -> list[str]:
        return [row.kind for row in self.open().rows()][1:]


class MemoryStore:
    def __init__(self) -> None:
        self._journal = MemoryJournal()
        self._journal.append([("", "start", {})], sync=True)

    def open(self) -> Journal:
        return self._journal


class FileStore:
    def __init__(self, home: Path) -> None:
        self._store = RunStore(home, clock=ManualClock())
        self._store.create("a-run", {}).close()
        self._open: list[Any] = []

    def open(self) -> Journal:
        self.close()
        self._open.append(self._store.open("a-run"))
        return self._open[-1]

    def close(self) -> None:
        while self._open:
            self._open.pop().close()
