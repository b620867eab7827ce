"""Any program of effects, killed anywhere and walked anew with or without an event loop, comes to the same end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.adapters.clock import ManualClock
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.ports import Request
from tests.contracts.durable_kit import Nobody, look, read, turn, write_once

Program = list[Any]
VERBS = ("read", "write", "now", "sleep", "message", "note", "turn", "fail")
programs = st.recursive(
    st.lists(st.sampled_from(VERBS), max_size=4),
    lambda inner: st.lists(
        st.sampled_from(VERBS[:-1]) | st.tuples(st.lists(inner, max_size=5), st.integers(0, 3)), max_size=4
    ),
    max_leaves=12,
)


class Failed(Exception):
    pass


class Log:
    """Tools over a list. Shapes: `written` names each write as often as it was made."""

    def __init__(self, written: list[str]) -> None:
        self.written = written

    def has(self, tool: str) -> bool:
        return True

    def identities(self) -> dict[str, str]:
        return {}

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        name = request.arguments["name"]
        if request.tool == "log.write":
            self.written.append(name)
        return self._suspended({"there": name in self.written})

    def _suspended(self, answer: Any) -> Any:
        return answer


class SlowLog(Log):
    """The same, each answer some turns of the event loop later, so that bodies overlap."""

    async def _suspended(self, answer: Any) -> Any:
        import asyncio

        for _ in range(len(self.written) % 3):
            await asyncio.sleep(0)
        return answer


async def perform(run: Any, program: Program, key: str) -> list[Any]:
    results: list[Any] = []
    for number, node in enumerate(program):
        here = f"{key}/{number}"
        if isinstance(node, tuple):
            bodies = [partial(perform, run, inner, f"{here}[{place}]") for place, inner in enumerate(node[0])]
            try:
                results.append(await run.map(here, bodies, node[1]))
            except Failed as failed:
                results.append(str(failed))
        elif node == "fail":
            raise Failed(here)
        else:
            results.append(await perform_verb(run, node, here))
    return results


async def perform_verb(run: Any, verb: str, key: str) -> Any:
    if verb == "read":
        return (await run.step(key, read(key)))["ok"]
    if verb == "write":
        return await write_once(run, key, key)
    if verb == "now":
        return len(await run.now(key))
    if verb == "sleep":
        return await run.sleep(key, 1)
    if verb == "turn":
        return await turn(run)
    if verb == "message":
        return run.message(key, {"done": key})
    return run.note({"note": "trace", "at_key": key})


def walk(journal: MemoryJournal, tools: Any, program: Program, loop: bool) -> Any:
    run = EmbeddedRun(journal, tools, Nobody(), ManualClock())
    try:
        result: Any = drive(perform(run, program, "A#1"), loop=loop)
    except Failed as failed:
        result = str(failed)
    run.end("completed", {})
    return result


def killed(
    journal: MemoryJournal, kept: int, before: list[str], data: st.DataObject
) -> tuple[MemoryJournal, list[str]]:
    """Return a journal cut behind the last kill, and what is written then: the open writes happened or not."""
    length = data.draw(st.integers(kept, len(journal)), label="rows written before the kill")
    prefix = journal.prefix(length)
    happened = data.draw(st.booleans(), label="open writes happened")
    rows = list(prefix.rows())
    outcomes = {row.key: bool(row.body["ok"]) for row in rows if row.kind == "outcome"}
    begun = {row.key: row.body["sent"]["name"] for row in rows if row.kind == "intention"}
    written = [name for key, name in begun.items() if outcomes.get(key, happened)]
    return prefix, list(dict.fromkeys([*before, *written]))


NESTED = [["turn", "fail"], ["message"], ["message", "now", "fail"], ["note", ([["fail", "message"]], 3), "turn"]]
FAILED_MAPS: list[Program] = [
    [([[([["read"], ["turn", "fail"], ["read"]], 2)]], 0)],
    ["read", ([*NESTED, [([*NESTED, ["write", "fail"]], 2), "message"]], 0), "read"],
]


@pytest.mark.parametrize("program", FAILED_MAPS)
def test_a_failed_map_begins_no_other_body_when_it_is_walked_anew(program: Program) -> None:
    journal = MemoryJournal([("", "start", "{}")])
    expected = walk(journal, SlowLog([]), program, loop=True)
    for length in range(1, len(journal)):
        prefix = journal.prefix(length)
        for loop in (True, False, True):
            assert walk(prefix, SlowLog([]), program, loop) == expected


@settings(max_examples=150, deadline=None)
@given(programs, st.data())
def test_every_program_killed_again_and_again_comes_to_the_same_end(program: Program, data: st.DataObject) -> None:
    journal = MemoryJournal([("", "start", "{}")])
    whole = SlowLog([])
    expected = walk(journal, whole, program, loop=True)
    assert max(Counter(whole.written).values(), default=1) == 1
    kept, written = 1, list[str]()
    for _ in range(data.draw(st.integers(1, 3), label="kills")):
        journal, written = killed(journal, kept, written, data)
        kept = len(journal)
        loop = data.draw(st.booleans(), label="event loop")
        tools = SlowLog(list(written)) if loop else Log(list(written))
        assert walk(journal, tools, program, loop) == expected
        assert max(Counter(tools.written).values(), default=1) == 1
        begun = {row.body["sent"]["name"] for row in journal.rows() if row.kind == "intention"}
        assert begun <= set(tools.written)
    calls = Log([])
    assert walk(journal, calls, program, loop=False) == expected
    assert calls.written == []


def test_the_kit_looks_by_name() -> None:
    assert Log(["x"]).invoke(look("x"), lambda: False) == {"there": True}
