"""A small core, its tools and its killer, for tests of the durable side.

The core reads, writes, asks, sleeps, maps and cleans up after a cancel. Its write tool appends one line to a log file
each time that it is really called, so that the log says what a person would find: a write done once, or twice.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from interpreter.adapters import runs
from interpreter.adapters.clock import ManualClock
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.head import HeadFile
from interpreter.adapters.sqlite_journal import SqliteJournal
from interpreter.ports import Answer, Cancelled, Check, Question, Request, Row, Stop
from tests.logs import whole_lines

RUN = "a-run"
ITEMS = 4
WRITES = ["one", *(f"item-{number}" for number in range(ITEMS)), "last"]
QUESTION = Question("permit", 1, "confirm", {"done": "", "next": ""}, {"rows": [1]}, "digest-1", wait="7d")
EXPECTED = {
    "read": {"value": "a"},
    "one": True,
    "answer": {"choice": "plain"},
    "items": [[{"value": f"item-{number}"}, True] for number in range(ITEMS)],
    "last": True,
}


def check(body: Any, language: str) -> Check:
    return Check({"choice": "plain"}) if body == "plain" else Check(None, "person/no-choice", {"given": body})


def read(name: str) -> Request:
    return Request("log.read", {"name": name}, "read", name)


def look(name: str) -> Request:
    return Request("log.look", {"name": name}, "read", name)


def write(name: str) -> Request:
    return Request("log.write", {"name": name}, "write", name, pool="log", pool_size=2)


async def turn(run: Any, after_calls: bool = True) -> None:
    """Let others go on, as the engine does between two states."""
    others = run.turn(after_calls)
    if others is not None:
        await others


async def write_once(run: Any, key: str, name: str) -> bool:
    """Write; where nobody knows whether it happened, look, and write again only if it did not."""
    for attempt in range(1, 10):
        outcome = await run.step(f"{key}/a{attempt}", write(name))
        if not outcome["ok"] and outcome["error"]["code"] == "unknown_outcome":
            found = await run.step(f"{key}/a{attempt}/look", look(name))
            settled = {"ok": bool(found["value"]["there"]), "value": {}}
            outcome = await run.settle(f"{key}/a{attempt}", settled)
        if outcome["ok"]:
            return True
    raise AssertionError(f"{name} was never written")


async def item(run: Any, number: int) -> list[Any]:
    key = f"C#1/each[{number}]"
    found = await run.step(f"{key}/read", read(f"item-{number}"))
    return [found["value"], await write_once(run, f"{key}/write", f"item-{number}")]


async def core(run: Any) -> dict[str, Any]:
    found = await run.step("A#1/read", read("a"))
    run.note({"note": "gate", "held": True})
    run.message("A#1/say", {"done": "read", "next": "write"})
    one = await write_once(run, "A#1/write", "one")
    await run.now("A#1/now")
    run.note({"note": "move", "to": "B"})
    answer = await run.wait("B#1/ask", QUESTION, check)
    run.message("B#1/say", {"done": "asked", "next": "rest"})
    await run.sleep("B#1/sleep", 1)
    await turn(run)
    items = await run.map("C#1/each", [partial(item, run, number) for number in range(ITEMS)], 3)
    last = await write_once(run, "D#1/write", "last")
    return {"read": found["value"], "one": one, "answer": answer.value, "items": items, "last": last}


async def core_with_cleanup(run: Any) -> dict[str, Any]:
    try:
        return await core(run)
    except Cancelled as stop:
        if stop.count > 1:
            raise
        return {"cleaned": await write_once(run, "X#1/write", "cleanup")}


class LogTools:
    """Tools over one log file."""

    def __init__(self, log: Path, hit: Callable[[str], None] = lambda point: None) -> None:
        self.log = log
        self._hit = hit

    def has(self, tool: str) -> bool:
        return tool.startswith("log.")

    def identities(self) -> dict[str, str]:
        return {"log": str(self.log)}

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        self._hit("before-effect")
        answer = self._answer(request.tool, request.arguments["name"])
        self._hit("after-effect")
        return answer

    def _answer(self, tool: str, name: str) -> Any:
        if tool == "log.write":
            with self.log.open("a") as file:
                file.write(f"{name}\n")
            return {}
        if tool == "log.look":
            return {"there": name in self.lines()}
        return {"value": name}

    def lines(self) -> list[str]:
        return whole_lines(self.log)


class Nobody:
    """Nobody can be asked; what is shown is kept."""

    def __init__(self, answer: Answer | None = None) -> None:
        self.shown: list[Any] = []
        self.progress: list[Any] = []
        self.asked = 0
        self._answer = answer

    def ask(self, question: Question, check: Callable[[Any, str], Check]) -> Answer | None:
        self.asked += 1
        return self._answer

    def show(self, message: Any) -> None:
        self.shown.append(message)

    def show_progress(self, state: str, text: Any) -> None:
        self.progress.append((state, text))

    def show_live(self, state: str, render: object) -> None:
        return None


# --- kills ---


class Killer:
    """Kills this very process when a point is reached for the n-th time. Shapes: `hits` counts every point."""

    def __init__(self, point: str = "", at: int = 0) -> None:
        self.hits: Counter[str] = Counter()
        self._point = point
        self._at = at

    def hit(self, point: str) -> None:
        self.hits[point] += 1
        if point == self._point and self.hits[point] == self._at:
            os.kill(os.getpid(), signal.SIGKILL)


def killable_journal(killer: Killer) -> type[SqliteJournal]:
    """Return the journal with points before and after everything that it does to the disk."""

    class KillableHead(HeadFile):
        def write(self, head: Any) -> None:
            killer.hit("before-head")
            super().write(head)
            killer.hit("after-head")

    class KillableJournal(SqliteJournal):
        def append(self, rows: Any, *, sync: bool) -> None:
            killer.hit("before-commit")
            super().append(rows, sync=sync)
            killer.hit("after-commit")

        def rows(self, without: frozenset[str] = frozenset()) -> Iterator[Row]:
            for row in super().rows(without):
                killer.hit("in-replay")
                yield row

        def offer_answer(self, question: str, body: Any) -> Any:
            killer.hit("before-answer")
            won = super().offer_answer(question, body)
            killer.hit("after-answer")
            return won

        def request_cancel(self) -> None:
            killer.hit("before-cancel")
            super().request_cancel()
            killer.hit("after-cancel")

        def set_status(self, status: Any) -> None:
            killer.hit("before-status")
            super().set_status(status)

        def _connect(self, mode: str) -> Any:
            file = super()._connect(mode)
            file.connection.set_trace_callback(lambda statement: killer.hit("statement"))
            return file

        def _head_file(self, name: str) -> HeadFile:
            if name not in self._heads:
                self._heads[name] = KillableHead(self._folder / name)
            return self._heads[name]

    return KillableJournal


def act(home: Path, action: str, killer: Killer, *, loop: bool = False) -> str:
    """Do in this process what a command does: `walk`, `answer` or `cancel`; return how it ended."""
    runs.SqliteJournal = killable_journal(killer)  # type: ignore[misc]
    store = runs.RunStore(home, clock=ManualClock())
    if action == "answer":
        return store.answer(RUN, "permit#1", "plain", by=runs.Answerer("ann", "answer-command")).status
    if action == "cancel":
        return store.cancel(RUN).status
    journal = store.open(RUN) if store.exists(RUN) else store.create(RUN, {"inputs": {}})
    run = EmbeddedRun(journal, LogTools(home / "log", killer.hit), Nobody(), ManualClock())
    try:
        result = drive(core_with_cleanup(run), loop=loop)
        run.end("cancelled" if "cleaned" in result else "completed", {})
    except Stop as stop:
        run.stop(type(stop).__name__.lower())
        return type(stop).__name__
    finally:
        killer.hit("before-close")
        journal.close()
    assert result in (EXPECTED, {"cleaned": True}), result
    return "cleaned" if "cleaned" in result else "completed"


def act_in_process(
    home: Path, action: str, point: str = "", at: int = 0, *, loop: bool = False
) -> tuple[str, dict[str, int]]:
    """Do it in a process of its own; return how it ended (`killed`, or an exception's name) and the points passed."""
    answer, question = os.pipe()
    child = os.fork()
    if child == 0:
        killer = Killer(point, at)
        try:
            ended = act(home, action, killer, loop=loop)
        except BaseException as error:
            ended = f"{type(error).__name__} {error}"
        os.write(question, f"{ended}\n{dict(killer.hits)}".encode())
        os._exit(0)
    os.close(question)
    with os.fdopen(answer, "rb") as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return "killed", {}
    ended, hits = said.split("\n", 1)
    return ended, dict(eval(hits))
