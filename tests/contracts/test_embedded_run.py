"""What `ports.Run` promises, for the embedded run over each journal, driven by hand and by an event loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.clock import ManualClock
from interpreter.adapters.embedded import TURNS_BETWEEN_LOOKS, EmbeddedRun, drive
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.adapters.record import AT_MOST_RIDING
from interpreter.ports import (
    Answer,
    Blocked,
    Cancelled,
    Interrupted,
    JournalError,
    Request,
    ToolFailure,
    Waiting,
)
from tests.contracts.durable_kit import (
    EXPECTED,
    ITEMS,
    QUESTION,
    WRITES,
    LogTools,
    Nobody,
    check,
    core,
    look,
    read,
    turn,
    write,
)
from tests.contracts.world_kit import FileStore, MemoryStore, Scripted, World

SAID_BY_ANN = Answer("answered", {"choice": "plain"}, "ann", "2024-01-01T00:00:00.000Z", "terminal")


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    store: Any = MemoryStore() if request.param == "memory" else FileStore(tmp_path)
    yield store
    if request.param == "sqlite":
        store.close()


@pytest.fixture(params=[False, True], ids=["by hand", "event loop"])
def world(store: Any, request: pytest.FixtureRequest) -> World:
    return World(store, request.param)


# --- steps ---


class Killed(BaseException):
    """Stands for a process that ends between an effect and its outcome."""


def test_a_recorded_outcome_is_returned_without_a_call(world: World) -> None:
    async def body(run: Any) -> Any:
        return [await run.step("A#1/r", read("a")), await run.step("A#1/w", write("b"))]

    first = world.walk(body)
    assert first[0] == {"ok": True, "value": {"name": "a"}, "at": first[0]["at"], "sent": {"name": "a"}}
    assert world.walk(body) == first
    assert len(world.tools.calls) == 2
    assert world.kinds() == ["outcome", "intention", "outcome"]


def test_the_same_key_with_other_arguments_is_an_error_and_no_call(world: World) -> None:
    for make in (read, write):

        async def body(run: Any, name: str, make: Any = make) -> Any:
            return await run.step(f"A#1/{make.__name__}", make(name))

        async def both(run: Any, name: str, body: Any = body) -> None:
            if body.__defaults__[0] is write:
                await run.step("A#1/read", read("a"))
            await body(run, name)

        world.walk(partial(both, name="a"))
        calls = len(world.tools.calls)
        with pytest.raises(JournalError, match="journal-mismatch"):
            world.walk(partial(both, name="other"))
        assert len(world.tools.calls) == calls


@pytest.mark.parametrize("kind", ["other key", "other verb", "left over"])
def test_a_walk_along_another_road_is_an_error_and_no_call(world: World, kind: str) -> None:
    async def recorded(run: Any) -> None:
        await run.step("A#1/r", read("a"))
        await run.now("A#1/n")

    async def other(run: Any) -> None:
        if kind == "other key":
            await run.step("A#1/s", read("a"))
        elif kind == "other verb":
            await run.sleep("A#1/r", 1)
        else:
            await run.step("A#1/r", read("a"))
            run.end("completed", {})

    world.walk(recorded)
    with pytest.raises(JournalError, match="journal-mismatch"):
        world.walk(other)
    assert len(world.tools.calls) == 1
    assert world.kinds() == ["outcome", "now"]


def test_a_write_begun_and_not_ended_is_unknown_and_is_not_repeated(world: World) -> None:
    async def body(run: Any) -> Any:
        outcome = await run.step("A#1/w", write("b"))
        found = await run.step("A#1/w/look", look("b"))
        return outcome, await run.settle("A#1/w", {"ok": True, "value": found["value"]})

    def killed(request: Request) -> Any:
        raise Killed

    world.tools = Scripted(killed)
    with pytest.raises(Killed):
        world.walk(body)
    world.tools = Scripted()
    unknown, settled = world.walk(body)
    assert unknown["error"] == {
        "code": "unknown_outcome",
        "kind": "timed_out",
        "happened": "perhaps",
        "message": "nobody knows whether it happened",
        "details": {"message": {"zh": "不知道有没有发生", "en": "nobody knows whether it happened"}},
    }
    assert settled["value"] == {"name": "b"}
    assert [request.tool for request in world.tools.calls] == ["log.look"]
    world.tools = Scripted()
    assert world.walk(body) == (unknown, settled)
    assert world.tools.calls == []


FAILURES = [
    (ToolFailure("quota", "full", {"left": 0}, 2.5), "quota", "permanent"),
    (TimeoutError(), "timed_out", "timed_out"),
    (ValueError("secret=1"), "adapter_failed", "permanent"),
]


@pytest.mark.parametrize(("failure", "code", "kind"), FAILURES)
@pytest.mark.parametrize(("make", "happened"), [(read, "never"), (write, "perhaps")])
def test_what_an_adapter_throws_is_an_outcome(
    world: World, failure: Exception, code: str, kind: str, make: Any, happened: str
) -> None:
    def fail(request: Request) -> Any:
        raise failure

    world.tools = Scripted(fail)

    async def body(run: Any) -> Any:
        return await run.step("A#1/x", make("a"))

    outcome = world.walk(body)
    error = outcome["error"]
    assert (outcome["ok"], error["code"], error["kind"], error["happened"]) == (False, code, kind, happened)
    assert error["message"]
    if not isinstance(failure, ToolFailure):  # no adapter gave it words
        assert error["message"] == error["details"]["message"]["en"]
    assert "secret" not in str(outcome)
    assert world.walk(body) == outcome


def test_the_outcome_is_recorded_as_the_engine_settles_it(world: World) -> None:
    async def body(run: Any) -> Any:
        return await run.step("A#1/r", read("a"))

    outcome = world.walk(body, settle_answer=lambda request, answer: {"ok": False, "error": {"code": "shape"}})
    assert outcome["error"] == {"code": "shape"}
    assert world.walk(body) == outcome


def test_a_tool_may_suspend_inside_an_event_loop(store: Any) -> None:
    world = World(store, loop=True)

    async def later() -> Any:
        import asyncio

        await asyncio.sleep(0)
        return 7

    world.tools = Scripted(lambda request: later())

    async def body(run: Any) -> Any:
        return await run.step("A#1/r", read("a"))

    assert world.walk(body)["value"] == 7


# --- map ---


def test_results_stand_in_list_order_and_each_is_recorded(world: World) -> None:
    async def one(run: Any, number: int) -> Any:
        outcome = await run.step(f"A#1/each[{number}]/w", write(str(number)))
        return outcome["value"]["name"]

    async def body(run: Any) -> Any:
        inner = [partial(one, run, number) for number in range(20)]
        return await run.map("A#1/each", inner, 4), await run.map("A#1/none", [], 0)

    expected = ([str(number) for number in range(20)], [])
    for _ in range(3):
        assert world.walk(body) == expected
        world.loop = not world.loop
    assert len(world.tools.calls) == 20


def test_a_pool_is_never_fuller_than_its_size(store: Any) -> None:
    world = World(store, loop=True)
    now: list[str] = []
    peaks: list[int] = []

    async def work(request: Request) -> Any:
        import asyncio

        now.append(request.exclusive or "")
        peaks.append(len(now))
        assert request.exclusive is None or now.count(request.exclusive) == 1
        await asyncio.sleep(0)
        now.pop()
        return {}

    world.tools = Scripted(work)  # type: ignore[arg-type]

    async def one(run: Any, number: int) -> Any:
        exclusive = "drive" if number % 3 == 0 else None
        return await run.step(
            f"A#1/each[{number}]",
            Request("t", {"n": number}, "read", "", pool="p", pool_size=3, exclusive=exclusive),
        )

    async def body(run: Any) -> Any:
        return await run.map("A#1/each", [partial(one, run, number) for number in range(12)], 0)

    outcomes = world.walk(body)
    assert [outcome["sent"]["n"] for outcome in outcomes] == list(range(12))
    assert max(peaks) == 3


@pytest.mark.parametrize("suspends", [(), (2,), (0, 1, 2, 3)], ids=str)
def test_bodies_at_once_share_commits_and_go_on_when_their_row_is_written(
    store: Any, suspends: tuple[int, ...]
) -> None:
    world = World(store, loop=True)
    commits: list[int] = []
    gone_on: list[bool] = []

    async def later(request: Request) -> Any:
        import asyncio

        await asyncio.sleep(0)
        return request.arguments

    def answer(request: Request) -> Any:
        return later(request) if int(request.arguments["name"]) % 4 in suspends else request.arguments

    world.tools = Scripted(answer)

    async def one(run: Any, number: int) -> None:
        await run.step(f"A#1/each[{number}]", read(str(number)))
        gone_on.append(number in written)

    async def body(run: Any) -> None:
        await run.map("A#1/each", [partial(one, run, number) for number in range(16)], 4)

    journal = store.open()
    append = journal.append
    written: set[int] = set()

    def counted(rows: Any, *, sync: bool) -> None:
        append(rows, sync=sync)
        commits.append(len(rows))
        written.update(int(key.rpartition("[")[2][:-1]) for key, _, _ in rows)

    journal.append = counted
    world.open = lambda: journal
    world.walk(body)
    assert gone_on == [True] * 16
    assert sum(commits) == 16
    assert len(commits) <= 8


class ItemFailed(Exception):
    pass


async def one_that_may_fail(run: Any, number: int, fails: int) -> Any:
    outcome = await run.step(f"A#1/each[{number}]/w", write(str(number)))
    if number == fails:
        raise ItemFailed(number)
    return outcome.get("value")


@pytest.mark.parametrize("fails", [0, 2, 7])
def test_a_failed_map_is_walked_anew_to_the_same_failure(world: World, fails: int) -> None:
    async def body(run: Any) -> Any:
        try:
            await run.map("A#1/each", [partial(one_that_may_fail, run, n, fails) for n in range(8)], 3)
        except ItemFailed as failed:
            return failed.args[0], await run.now("A#1/after")

    first = world.walk(body)
    assert first[0] == fails
    calls = len(world.tools.calls)
    for _ in range(2):
        world.loop = not world.loop
        assert world.walk(body) == first
        world.run.end("failed", {})
    assert len(world.tools.calls) == calls


def test_every_prefix_of_a_failed_map_is_walked_to_its_end() -> None:
    async def body(run: Any) -> Any:
        try:
            await run.map("A#1/each", [partial(one_that_may_fail, run, n, 1) for n in range(8)], 4)
        except ItemFailed as failed:
            return failed.args[0], (await run.step("A#1/after", read("x")))["value"]

    journal = MemoryJournal([("", "start", "{}")])
    whole = EmbeddedRun(journal, Scripted(), Nobody(), ManualClock())
    expected = drive(body(whole), loop=True)
    for length in range(1, len(journal) + 1):
        for loop in (False, True):
            again = EmbeddedRun(journal.prefix(length), Scripted(), Nobody(), ManualClock())
            assert drive(body(again), loop=loop) == expected, (length, loop)
            again.end("failed", {})


# --- people ---


async def asking(run: Any) -> Any:
    return await run.wait("A#1/ask", QUESTION, check)


def test_without_anybody_the_run_waits_and_asks_once(world: World) -> None:
    for _ in range(2):
        stop = world.walk(asking)
        assert isinstance(stop, Waiting)
        assert stop.keys == ("permit#1",)
    assert world.kinds() == ["question"]


def test_somebody_there_answers_at_once_and_the_answer_is_kept(world: World) -> None:
    world.people = Nobody(SAID_BY_ANN)
    answer = world.walk(asking)
    assert answer == SAID_BY_ANN
    world.people = Nobody()
    assert world.walk(asking) == answer
    assert world.people.asked == 0


def test_an_answer_given_elsewhere_is_checked_and_taken(world: World) -> None:
    world.walk(asking)
    journal = world.open()
    journal.offer_answer("permit#1", {"ending": "answered", "value": "maybe", "who": "bob"})
    assert isinstance(world.walk(asking), Waiting)
    given = {"ending": "answered", "value": "plain", "who": "ann", "at": "2024-01-01T00:00:01.000Z"}
    world.open().offer_answer("permit#1", given)
    answer = world.walk(asking)
    assert (answer.value, answer.who) == ({"choice": "plain"}, "ann")


def test_an_answer_given_elsewhere_while_somebody_types_wins(world: World) -> None:
    class Slow(Nobody):
        def ask(self, question: Any, check: Any) -> Answer | None:
            world.run._journal.offer_answer("permit#1", {"ending": "abandoned", "who": "bob"})
            return SAID_BY_ANN

    world.people = Slow()
    answer = world.walk(asking)
    assert (answer.ending, answer.who) == ("abandoned", "bob")


@pytest.mark.parametrize(("passed", "ending"), [(7 * 86400 - 1, None), (7 * 86400, "timed_out")])
def test_the_deadline_decides_whoever_comes(world: World, passed: float, ending: str | None) -> None:
    world.walk(asking)
    world.clock.turn(passed)
    world.people = Nobody(SAID_BY_ANN) if ending else Nobody()
    answer = world.walk(asking)
    assert (None if isinstance(answer, Waiting) else answer.ending) == ending


def test_an_answer_in_time_counts_even_when_it_is_seen_late(world: World) -> None:
    world.walk(asking)
    given = {"ending": "answered", "value": "plain", "who": "ann", "at": "2024-01-02T00:00:00.000Z"}
    world.open().offer_answer("permit#1", given)
    world.clock.turn(30 * 86400)
    assert world.walk(asking).ending == "answered"


def test_a_block_goes_on_with_the_decision_of_a_resume_and_no_other(world: World) -> None:
    async def body(run: Any) -> Any:
        first = await run.block("A#1/gate", {"code": "gate/not-held"})
        return first, await run.block("A#1/gate", {"code": "gate/not-held"})

    for decision, rows in ((None, 1), (None, 1), ({"waive": "g"}, 3), (None, 3)):
        stop = world.walk(body, decision=decision)
        assert isinstance(stop, Blocked)
        assert len(world.kinds()) == rows
    assert world.walk(body, decision={"budget": 1}) == ({"waive": "g"}, {"budget": 1})
    assert world.walk(body) == ({"waive": "g"}, {"budget": 1})


# --- time ---


def test_now_is_recorded_and_never_goes_back(world: World) -> None:
    async def body(run: Any) -> Any:
        return [await run.now("A#1/first"), await run.now("A#1/second")]

    async def longer(run: Any) -> Any:
        return [*await body(run), await run.now("A#1/third")]

    world.clock.turn(100)
    first = world.walk(body)
    world.clock.turn(-50)
    assert world.walk(longer) == [*first, first[-1]]


def test_a_resumed_pause_lasts_only_the_rest(world: World) -> None:
    async def body(run: Any) -> None:
        await run.sleep("A#1/sleep", 10)

    class Interrupting(ManualClock):
        def pause(clock, seconds: float) -> None:
            super().pause(seconds)
            if clock.monotonic() >= 4:
                world.run.interrupt()

    world.clock = Interrupting()
    assert isinstance(world.walk(body), Interrupted)
    slept = world.clock.monotonic()
    resumed = ManualClock()
    resumed.turn(slept + 1)
    world.clock = resumed
    world.walk(body)
    assert sum(resumed.pauses) == pytest.approx(10 - slept - 1)
    world.clock = ManualClock()
    world.walk(body)
    assert sum(world.clock.pauses) == 10


@pytest.mark.parametrize(("first", "every"), [(60, 30), (30, 60), (1 / 8, 1 / 16), (1 / 16, 60)])
def test_progress_is_shown_after_a_while_without_a_message_and_then_again(
    world: World, first: float, every: float
) -> None:
    shown_after = []

    async def body(run: Any) -> None:
        run.progress("A", lambda: {"zh": "进行", "en": "going"}, first, every)
        for number, passed in enumerate((first / 2, first / 2, every / 2, every / 2, every)):
            world.clock.turn(passed)
            await run.step(f"A#1/r{number}", read("a"))
            shown_after.append(len(world.people.progress))
        run.message("A#1/say", {"done": ""})
        for number, passed in enumerate((first / 2, first / 2)):
            world.clock.turn(passed)
            await run.step(f"A#1/s{number}", read("a"))
            shown_after.append(len(world.people.progress))
        run.progress("B", lambda: {"zh": "进行", "en": "going"}, first, 1 / 32)
        world.clock.turn(1 / 32)
        await run.step("B#1/r", read("a"))

    world.walk(body)
    assert shown_after == [0, 1, 1, 2, 3, 3, 4]
    assert world.people.progress == [(state, {"zh": "进行", "en": "going"}) for state in "AAAAB"]


def test_a_message_is_shown_once_however_often_the_run_is_walked(world: World) -> None:
    async def body(run: Any) -> None:
        run.message("A#1/say", {"done": "x"})
        run.note({"note": "gate", "held": True})
        await run.step("A#1/r", read("a"))
        run.message("B#1/say", {"done": "y"})

    for _ in range(3):
        world.walk(body)
        world.run.stop("waiting")
    assert world.people.shown == [{"done": "x"}, {"done": "y"}]
    assert world.kinds() == ["message", "trace", "outcome", "message"]


# --- notes ---

NOTES = 3 * AT_MOST_RIDING + 7


@pytest.mark.parametrize("ends", ["killed", "interrupted"])
@pytest.mark.parametrize("at", [0, AT_MOST_RIDING - 1, AT_MOST_RIDING, 2 * AT_MOST_RIDING + 1, NOTES - 1])
def test_a_long_stretch_is_noted_once_however_often_it_is_walked(world: World, at: int, ends: str) -> None:
    async def body(run: Any, until: int) -> None:
        await run.step("A#1/r", read("a"))
        for number in range(NOTES):
            run.note({"note": "decision", "n": number})
            if number == until and ends == "killed":
                raise Killed
            if number == until:
                run.interrupt()
                run.look_up("A#1/look")
        await run.step("A#1/s", read("b"))

    def noted() -> list[int]:
        return [row.body["n"] for row in world.open().rows() if row.kind == "trace"]

    for until in (at, min(at + 5, NOTES - 1), at):
        with suppress(Killed):
            world.walk(partial(body, until=until))
        kept = noted()
        assert kept == list(range(len(kept)))
        assert len(kept) > until - AT_MOST_RIDING  # few of them are still on their way
    world.walk(partial(body, until=NOTES))
    assert noted() == list(range(NOTES))


def test_what_is_noted_behind_the_record_is_not_written_by_a_walk_that_only_looks(world: World) -> None:
    async def body(run: Any, notes: int) -> None:
        await run.step("A#1/r", read("a"))
        for number in range(notes):
            run.note({"note": "decision", "n": number})
        await run.step("A#1/s", read("b"))

    with suppress(Killed):
        world.walk(partial(_killed_behind, key="A#1/r"))
    assert isinstance(world.walk(partial(body, notes=NOTES), only_replay=True), Interrupted)
    assert world.kinds() == ["outcome"]


async def _killed_behind(run: Any, key: str) -> None:
    await run.step(key, read("a"))
    raise Killed


# --- stopping ---


def test_a_cancel_takes_effect_at_the_next_call_and_again_when_walked_anew(world: World) -> None:
    async def body(run: Any) -> Any:
        seen = []
        for number in range(4):
            try:
                await run.step(f"A#1/r{number}", read(str(number)))
            except Cancelled as stop:
                seen.append((stop.key, stop.count))
            if number in (0, 2) and not run.is_replaying():
                run.request_cancel()
        return seen

    expected = [("A#1/r1", 1), ("A#1/r3", 2)]
    for _ in range(3):
        assert world.walk(body) == expected
    assert [request.arguments["name"] for request in world.tools.calls] == ["0", "2"]


def test_a_cancel_from_another_process_is_seen_in_a_long_pure_stretch(world: World) -> None:
    async def body(run: Any) -> Any:
        await run.step("A#1/r", read("a"))
        for number in range(10):
            if number == 3 and not run.is_replaying():
                world.run._journal.request_cancel()
            try:
                await turn(run)
            except Cancelled:
                return number, await run.now("X#1/now")
        raise AssertionError("nobody saw the cancel")

    first = world.walk(body)
    assert first[0] == 3
    assert world.walk(body) == first


def test_without_calls_a_cancel_is_seen_at_one_of_the_next_turns(world: World) -> None:
    async def body(run: Any) -> Any:
        await run.step("A#1/r", read("a"))
        for number in range(3 * TURNS_BETWEEN_LOOKS):
            if number == TURNS_BETWEEN_LOOKS and not run.is_replaying():
                world.run._journal.request_cancel()
            try:
                await turn(run, False)
            except Cancelled:
                return number, await run.now("X#1/now")
        raise AssertionError("nobody saw the cancel")

    first = world.walk(body)
    assert TURNS_BETWEEN_LOOKS <= first[0] < 2 * TURNS_BETWEEN_LOOKS
    assert world.walk(body) == first


def test_a_long_stretch_without_calls_tells_how_far_it_is(world: World) -> None:
    async def body(run: Any) -> None:
        run.progress("A", lambda: {"text": "at work"}, 1.0, 1.0)
        for number in range(4):
            world.clock.turn(2)
            run.look_up(f"A#1/look{number}")

    world.walk(body)
    assert world.people.progress == [("A", {"text": "at work"})] * 4


def test_a_cancel_during_a_pause_takes_effect_there_when_walked_anew(world: World) -> None:
    class Cancelling(ManualClock):
        def pause(clock, seconds: float) -> None:
            super().pause(seconds)
            world.run.request_cancel()

    async def body(run: Any) -> Any:
        try:
            await run.sleep("A#1/sleep", 10)
        except Cancelled as stop:
            return stop.key, await run.now("X#1/now")

    world.clock = Cancelling()
    first = world.walk(body)
    assert first[0] == "A#1/sleep"
    world.clock = ManualClock()
    assert world.walk(body) == first
    assert world.clock.pauses == []


@pytest.mark.parametrize("decision", [None, {"waive": "g"}], ids=["given up", "resumed"])
def test_a_cancel_of_a_run_that_a_block_has_stopped_takes_effect_there(world: World, decision: Any) -> None:
    async def body(run: Any) -> Any:
        try:
            return await run.block("A#1/gate", {"code": "gate/not-held"})
        except Cancelled as stop:
            return stop.key, await run.now("X#1/now")

    assert isinstance(world.walk(body), Blocked)
    world.run._journal.request_cancel()
    first = world.walk(body, decision=decision)
    assert first[0] == "A#1/gate~1"
    assert world.kinds() == ["block", "cancel", "now"]
    assert world.walk(body, decision=decision) == first


def test_a_cancel_inside_a_map_ends_what_is_in_flight_and_starts_nothing(world: World) -> None:
    async def one(run: Any, number: int) -> Any:
        await run.step(f"A#1/each[{number}]/r", read(str(number)))
        if number == 1 and not run.is_replaying():
            run.request_cancel()
        return await run.step(f"A#1/each[{number}]/w", write(str(number)))

    async def body(run: Any) -> Any:
        try:
            await run.map("A#1/each", [partial(one, run, number) for number in range(9)], 2)
        except Cancelled as stop:
            return stop.count, await run.now("X#1/now")

    first = world.walk(body)
    calls = len(world.tools.calls)
    assert first[0] == 1
    assert calls < 9
    for _ in range(2):
        world.loop = not world.loop
        assert world.walk(body) == first
        world.run.end("cancelled", {})
    assert len(world.tools.calls) == calls


def test_an_interrupted_run_goes_on_where_it_was(world: World) -> None:
    async def body(run: Any) -> Any:
        await run.step("A#1/r", read("a"))
        if not world.people.shown:
            run.message("A#1/say", {"done": "x"})
            run.interrupt()
        else:
            run.message("A#1/say", {"done": "x"})
        return await run.step("A#1/s", read("b"))

    assert isinstance(world.walk(body), Interrupted)
    assert world.walk(body)["ok"]
    assert len(world.tools.calls) == 2
    assert len(world.people.shown) == 1


def test_control_c_inside_a_write_leaves_it_unknown(world: World) -> None:
    def press(request: Request) -> Any:
        raise KeyboardInterrupt

    async def body(run: Any) -> Any:
        return await run.step("A#1/w", write("a"))

    world.tools = Scripted(press)
    assert isinstance(world.walk(body), Interrupted)
    assert world.walk(body)["error"]["code"] == "unknown_outcome"


# --- whole runs ---


@pytest.mark.parametrize("happened", [True, False], ids=["the open write happened", "it did not"])
@pytest.mark.parametrize("loop", [True, False], ids=["event loop", "by hand"])
def test_every_prefix_of_a_journal_resumes_to_the_same_end(tmp_path: Path, happened: bool, loop: bool) -> None:
    journal = MemoryJournal([("", "start", "{}")])
    whole = EmbeddedRun(journal, LogTools(tmp_path / "whole"), Nobody(SAID_BY_ANN), ManualClock())
    assert drive(core(whole), loop=True) == EXPECTED
    for length in range(1, len(journal) + 1):
        prefix = journal.prefix(length)
        tools = LogTools(tmp_path / f"log-{length}")
        begun = {row.key: row.body["sent"]["name"] for row in prefix.rows() if row.kind == "intention"}
        ended = {row.key for row in prefix.rows() if row.kind == "outcome"}
        tools.log.write_text("".join(f"{name}\n" for key, name in begun.items() if happened or key in ended))
        run = EmbeddedRun(prefix, tools, Nobody(SAID_BY_ANN), ManualClock())
        assert drive(core(run), loop=loop) == EXPECTED
        run.end("completed", {})
        assert sorted(tools.lines()) == sorted(WRITES), length
    assert len(WRITES) == ITEMS + 2
