"""Bodies that are driven in one task: who goes on when, who shares a commit, who learns of what went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from inspect import CORO_CLOSED, getcoroutinestate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.adapters.side_by_side import (
    IN_TURN,
    WRITTEN,
    Places,
    SeveralPlaces,
    SideBySide,
)
from interpreter.engine.permissions import OTHERS_GO_ON
from tests.draws import draws

Step = str | list[Any]
"""What a body does: `write`, `turn`, `others`, `tool`, `place`, or a list of bodies that it drives inside itself."""


class World:
    """Bodies that do what is drawn, and a journal that only counts."""

    def __init__(self, places: int = 2) -> None:
        self.bodies = SideBySide(self.commit)
        self.kinds = [Places(places), Places(places + 1)]
        self.places = SeveralPlaces(self.kinds)
        self.riding: list[object] = []
        self.written: list[object] = []
        self.commits: list[int] = []
        self.inside = self.most_inside = 0
        self.fails_at = -1
        self.fails_with: type[BaseException] = OSError
        self.calls: list[Coroutine[Any, Any, str]] = []
        self.done: list[str] = []
        self.went_wrong: list[BaseException] = []

    def commit(self) -> None:
        if len(self.commits) == self.fails_at:
            raise self.fails_with("the disk is full")
        self.commits.append(len(self.riding))
        self.written += self.riding
        self.riding = []

    async def work(self, name: str, steps: list[Step]) -> None:
        try:
            for number, step in enumerate(steps):
                await self._do(f"{name}.{number}", step)
            self.done.append(name)
        except BaseException as error:
            self.went_wrong.append(error)

    async def _do(self, name: str, step: Step) -> None:
        if step == "write":
            self.riding.append(name)
            await WRITTEN
            assert name in self.written
        elif step == "turn":
            await IN_TURN
        elif step == "others":
            await OTHERS_GO_ON
        elif step == "tool":
            self.calls.append(call := answered_later(name))
            assert await self.bodies.result_of(what_comes_of(call), call) == name
        elif step == "place":
            if not self.places.take_at_once():
                await self.places.take()
            self.inside += 1
            self.most_inside = max(self.most_inside, self.inside)
            try:
                await self._do(name, "tool")
            finally:
                self.inside -= 1
                self.places.give_back()
        else:
            await self.bodies.drive([self.work(f"{name}.{number}", steps) for number, steps in enumerate(step)])

    def run(self, bodies: list[list[Step]]) -> None:
        asyncio.run(self.bodies.drive([self.work(str(number), steps) for number, steps in enumerate(bodies)]))


async def answered_later(value: str) -> str:
    await asyncio.sleep(0)
    return value


async def what_comes_of(call: Coroutine[Any, Any, str]) -> str:
    return await call


def names_of(bodies: list[list[Step]], before: str = "") -> set[str]:
    found = set()
    for number, steps in enumerate(bodies):
        found.add(f"{before}{number}")
        for at, step in enumerate(steps):
            if isinstance(step, list):
                found |= names_of(step, f"{before}{number}.{at}.")
    return found


def count_of(bodies: list[list[Step]], wanted: str) -> int:
    steps = [step for steps in bodies for step in steps]
    return sum(count_of(step, wanted) if isinstance(step, list) else step == wanted for step in steps)


STEPS = st.sampled_from(["write", "turn", "tool", "place"])
BODIES = st.recursive(
    st.lists(st.lists(STEPS, max_size=5), max_size=5),
    lambda inner: st.lists(st.lists(STEPS | inner, max_size=4), max_size=4),
    max_leaves=12,
)


@settings(max_examples=draws(200))
@given(BODIES, st.integers(1, 3))
def test_all_come_to_their_end_however_they_wait_and_places_are_never_too_few(bodies: Any, size: int) -> None:
    world = World(size)
    world.run(bodies)
    assert world.went_wrong == []
    assert set(world.done) == names_of(bodies)
    assert len(world.written) == count_of(bodies, "write")
    assert world.most_inside <= size
    assert [places.free for places in world.kinds] == [size, size + 1]
    assert world.bodies.count == 0


@settings(max_examples=draws(200))
@given(BODIES, st.integers(0, 5))
def test_nobody_goes_on_who_waits_for_what_could_not_be_written(bodies: Any, commits: int) -> None:
    world = World()
    world.fails_at = commits
    world.run(bodies)
    if world.riding:  # there were more commits than that
        assert world.went_wrong
        assert {type(error) for error in world.went_wrong} == {OSError}
    assert set(world.riding).isdisjoint(world.written)
    assert world.bodies.count == 0


@settings(max_examples=draws(200))
@given(BODIES, st.integers(1, 12))
def test_all_are_stopped_where_whoever_drives_them_is_stopped(bodies: Any, turns: int) -> None:
    world = World()

    async def stopped() -> None:
        task = asyncio.ensure_future(
            world.bodies.drive([world.work(str(number), steps) for number, steps in enumerate(bodies)])
        )
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(stopped())
    assert all(getcoroutinestate(call) == CORO_CLOSED for call in world.calls)
    assert {type(error) for error in world.went_wrong} <= {asyncio.CancelledError}
    assert len(world.done) + len(world.went_wrong) <= len(names_of(bodies))
    assert world.bodies.count == 0
    assert [places.free for places in world.kinds] == [2, 3]


@settings(max_examples=draws(200))
@given(BODIES, st.integers(0, 5))
def test_no_call_is_left_open_where_a_process_dies_in_the_middle_of_a_commit(bodies: Any, commits: int) -> None:
    world = World()
    world.fails_at, world.fails_with = commits, KeyboardInterrupt
    with suppress(KeyboardInterrupt):
        world.run(bodies)
    assert all(getcoroutinestate(call) == CORO_CLOSED for call in world.calls)
    assert world.bodies.count == 0


def test_all_that_can_go_on_do_before_one_commit_takes_what_they_wrote() -> None:
    world = World()
    inside: list[Step] = [[["write"], ["write", "write"]]]
    world.run([["write"], ["others", "write"], inside, ["write", "write"]])
    assert world.commits == [4, 3]


def test_whoever_waits_for_an_answer_is_not_kept_waiting_by_others_that_write_on_and_on() -> None:
    world = World()
    world.run([["tool", "write"], ["write"] * 50])
    assert world.done == ["0", "1"]


@pytest.mark.parametrize("is_inside", [False, True])
def test_whoever_only_lets_others_go_on_does_not_wait_for_an_answer(is_inside: bool) -> None:
    world = World()
    answered = asyncio.Event()

    async def waits() -> None:
        await world.bodies.result_of(answered.wait())

    async def goes_on() -> None:
        await IN_TURN
        await IN_TURN
        answered.set()

    async def around() -> None:
        await world.bodies.drive([goes_on()])

    asyncio.run(world.bodies.drive([waits(), around() if is_inside else goes_on()]))
    assert answered.is_set()


def test_equal_calls_wait_for_each_other_across_groups_without_turning_in_a_circle() -> None:
    world = World()
    finished = False

    async def makes() -> None:
        nonlocal finished
        await world.bodies.result_of(answered_later(""))
        finished = True

    looks: list[bool] = []

    async def waits() -> None:
        while not finished:
            looks.append(finished)
            await OTHERS_GO_ON

    async def inside() -> None:
        await world.bodies.drive([waits(), waits()])

    asyncio.run(world.bodies.drive([inside(), makes(), waits()]))
    assert finished
    assert len(looks) < 12


def test_places_are_handed_over_in_the_order_of_asking() -> None:
    order: list[int] = []
    places = Places(1)
    world = World()

    async def body(number: int) -> None:
        await SeveralPlaces([places]).take()
        order.append(number)
        await world.bodies.result_of(answered_later(""))
        places.give_back()

    asyncio.run(world.bodies.drive([body(number) for number in range(6)]))
    assert order == list(range(6))
    assert places.free == 1


@pytest.mark.parametrize("gives_back_first", [True, False])
def test_a_place_is_not_lost_with_somebody_who_stops_waiting_for_it(gives_back_first: bool) -> None:
    places = Places(1)
    assert places.take_at_once()
    waits = [places.take(), places.take()]
    for wait in waits:
        wait.send(None)
    if gives_back_first:
        places.give_back()
    with pytest.raises(KeyboardInterrupt):
        waits[0].throw(KeyboardInterrupt())
    if not gives_back_first:
        places.give_back()
    with pytest.raises(StopIteration):
        waits[1].send(None)
    assert not places.take_at_once()
    places.give_back()
    assert places.take_at_once()


def test_what_a_tool_raises_reaches_its_body_and_no_other() -> None:
    world = World()
    caught: list[str] = []

    async def fails() -> None:
        await asyncio.sleep(0)
        raise ValueError("no")

    async def body(work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        try:
            await world.bodies.result_of(work())
        except ValueError as error:
            caught.append(str(error))

    asyncio.run(world.bodies.drive([body(fails), body(lambda: answered_later(""))]))
    assert caught == ["no"]
