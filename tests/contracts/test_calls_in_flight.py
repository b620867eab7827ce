"""Calls that have been made and not answered yet: what stops them, what is recorded of them, who is told meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters import embedded
from interpreter.ports import Answered, Cancelled, Interrupted, JournalError, Request, ToolFailure
from tests.contracts.durable_kit import read, write
from tests.contracts.world_kit import FileStore, MemoryStore, Scripted, World


@pytest.fixture(params=["memory", "sqlite"])
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(embedded, "SLICE", 0.001)
    store: Any = MemoryStore() if request.param == "memory" else FileStore(tmp_path)
    yield World(store, loop=True)
    if request.param == "sqlite":
        store.close()


class Hanging:
    """Calls that are never answered. `begun` is called with the number of calls each time that one begins."""

    def __init__(self, begun: Callable[[int], None]) -> None:
        self._begun = begun
        self.calls = 0

    def __call__(self, request: Request) -> Any:
        self.calls += 1
        return self._hang(self.calls)

    async def _hang(self, number: int) -> Any:
        self._begun(number)
        await asyncio.Event().wait()


async def four(run: Any, request: Callable[[str], Request] = read) -> Any:
    """Make four calls in two rounds at once, each in a body of its own."""

    async def one(number: int) -> Any:
        return await run.step(f"A#1/each[{number}]/a1", request(str(number)))

    return await run.map("A#1/each", [partial(one, number) for number in range(4)], 2)


def outcomes(world: World) -> list[Any]:
    return [row.body for row in world.open().rows() if row.kind == "outcome"]


def test_what_an_answer_brings_beside_its_value_is_recorded_and_handed_to_nobody(world: World) -> None:
    async def later() -> Any:
        return Answered({"a": 1}, {"tokens": 7})

    world.tools = Scripted(lambda request: later())

    async def body(run: Any) -> Any:
        return await run.step("A#1/a1", read("a"))

    for _ in range(2):
        assert world.walk(body)["value"] == {"a": 1}
    assert [row["details"] for row in outcomes(world)] == [{"tokens": 7}]
    assert len(world.tools.calls) == 1


@pytest.mark.parametrize(
    "details",
    [{"tokens": 10**34}, {"text": "\ud800"}, {"share": float("nan")}, {"made_by": 1, "field": 2}, {"odd": object()}],
)
def test_what_no_journal_holds_is_left_out_of_it_and_the_run_is_read_again(world: World, details: Any) -> None:
    async def later() -> Any:
        return Answered({"a": 1}, details)

    world.tools = Scripted(lambda request: later())

    async def body(run: Any) -> Any:
        return await run.step("A#1/a1", read("a"))

    for _ in range(2):
        assert world.walk(body)["value"] == {"a": 1}
    assert ["details" in row for row in outcomes(world)] == [False]


def test_a_call_ends_at_its_time_out_and_the_others_go_on(world: World) -> None:
    world.tools = Scripted(Hanging(lambda number: None))

    async def body(run: Any) -> Any:
        return await four(run, lambda name: Request("log.read", {"name": name}, "read", name, timeout=0.002))

    assert [outcome["error"]["code"] for outcome in world.walk(body)] == ["timed_out"] * 4
    assert len(world.tools.calls) == 4


def test_a_first_interrupt_lets_calls_end_and_records_them(world: World) -> None:
    async def ends(request: Request) -> Any:
        world.run.interrupt()
        await asyncio.sleep(0)
        return {"name": request.arguments["name"]}

    world.tools = Scripted(ends)  # type: ignore[arg-type]
    assert isinstance(world.walk(four), Interrupted)
    assert len(outcomes(world)) == len(world.tools.calls) <= 2
    made = len(world.tools.calls)
    world.tools = Scripted()
    assert len(world.walk(four)) == 4
    assert len(world.tools.calls) == 4 - made


def test_a_second_interrupt_leaves_reads_unmade_and_writes_unknown(world: World) -> None:
    def twice(number: int) -> None:
        if number == 2:
            world.run.interrupt()
            world.run.interrupt()

    world.tools = Scripted(Hanging(twice))
    assert isinstance(world.walk(four), Interrupted)
    assert outcomes(world) == []
    world.tools = Scripted()
    assert [outcome["value"]["name"] for outcome in world.walk(four)] == ["0", "1", "2", "3"]


def test_a_write_in_flight_at_a_second_interrupt_is_unknown_afterwards(world: World) -> None:
    def twice(number: int) -> None:
        if number == 2:
            world.run.interrupt()
            world.run.interrupt()

    async def body(run: Any) -> Any:
        return await four(run, lambda name: Request("log.write", {"name": name}, "write", name))

    world.tools = Scripted(Hanging(twice))
    assert isinstance(world.walk(body), Interrupted)
    world.tools = Scripted()
    found = world.walk(body)
    assert [outcome["ok"] for outcome in found] == [False, False, True, True]
    assert [outcome["error"]["code"] for outcome in found[:2]] == ["unknown_outcome"] * 2
    assert len(world.tools.calls) == 2


@pytest.mark.parametrize("request_of", [read, write])
def test_a_second_cancel_ends_calls_and_records_them_as_cancelled(
    world: World, request_of: Callable[[str], Request]
) -> None:
    def twice(number: int) -> None:
        if number == 2:
            world.run.request_cancel()
            world.run.request_cancel()

    world.tools = Scripted(Hanging(twice))
    assert isinstance(world.walk(partial(four, request=request_of)), Cancelled)
    assert [row["error"]["code"] for row in outcomes(world)] == ["cancelled"] * 2
    for _ in range(2):
        world.loop = not world.loop
        assert isinstance(world.walk(partial(four, request=request_of)), Cancelled)
    assert len(world.tools.calls) == 2


def test_a_tool_that_stops_by_itself_at_an_interrupt_is_asked_again(world: World) -> None:
    async def stops() -> Any:
        world.run.interrupt()
        raise ToolFailure("cancelled", "")

    async def body(run: Any) -> Any:
        return await run.step("A#1/a1", read("a"))

    world.tools = Scripted(lambda request: stops())
    assert isinstance(world.walk(body), Interrupted)
    assert outcomes(world) == []
    world.tools = Scripted()
    assert world.walk(body)["ok"]


def test_progress_is_shown_while_nothing_but_calls_in_flight_is_at_work(world: World) -> None:
    shown: list[str] = []

    async def until_shown() -> Any:
        while not shown:
            world.clock.turn(61)
            await asyncio.sleep(0.001)
        return {}

    world.people.show_progress = lambda state, text: shown.append(state)  # type: ignore[method-assign, assignment]
    world.tools = Scripted(lambda request: until_shown())

    async def body(run: Any) -> Any:
        run.progress("ASK", None, 60, 60)
        return await run.step("A#1/a1", read("a"))

    assert world.walk(body)["ok"]
    assert shown[0] == "ASK"


def test_a_walk_of_the_record_alone_comes_as_far_in_every_body_as_the_record_does(world: World) -> None:
    """The first body may stand behind the second: an edit must not be taken up where the second has begun a write."""

    async def answered(request: Request) -> Any:
        if request.arguments["name"] == "0":
            await asyncio.Event().wait()
        world.run.interrupt()
        world.run.interrupt()
        return {}

    world.tools = Scripted(answered)  # type: ignore[arg-type]
    assert isinstance(world.walk(partial(four, request=write)), Interrupted)
    assert [row.body["sent"]["name"] for row in world.open().rows() if row.kind == "intention"] == ["0", "1"]
    reached: list[str] = []

    async def watching(run: Any) -> Any:
        async def one(number: int) -> Any:
            outcome = await run.step(f"A#1/each[{number}]/a1", write(str(number)))
            reached.append(f"{number} {outcome['ok']}")

        return await run.map("A#1/each", [partial(one, number) for number in range(4)], 2)

    world.loop = False
    world.tools = Scripted()
    assert isinstance(world.walk(watching, only_replay=True), Interrupted)
    assert reached == ["0 False", "1 True"]
    assert world.tools.calls == []


def test_a_journal_that_breaks_ends_calls_in_flight_and_the_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*unused: object) -> int:
        raise JournalError("run/journal-damaged", reason="no-head")

    world.tools = Scripted(Hanging(lambda number: monkeypatch.setattr(world.run._journal, "cancels", broken)))
    with pytest.raises(JournalError):
        world.walk(four)
