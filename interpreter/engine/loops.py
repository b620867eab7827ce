"""The loops: `each` over a list, in order or at once, and `repeat` in rounds."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

from interpreter.engine.data import At, Names, read_path
from interpreter.engine.frame import Condition, Evaluate, Frame, StandsAt, Target
from interpreter.engine.made import UnknownWrites
from interpreter.engine.program import Where
from interpreter.engine.steps import Given, ItemFailed, Leave, MoveOn, Sequence, Signal, Step, bind
from interpreter.ports import Blocked, Cancelled, JsonObject
from rules.records import NamedTuple
from rules.values import ABSENT, CannotEvaluate


class ItemsPlan(NamedTuple):
    """Which items a loop takes up, and under which names.

    Shapes: `place` is where the list stands, None where its items are never changed in it; `index_variable` names the
    number of the item, from 1.
    """

    variable: str
    index_variable: str | None
    rows: Evaluate
    place: Target | None
    where_each: Condition | None


class PacePlan(NamedTuple):
    """How many items are worked on: at once, until something holds, with so many failures."""

    at_once: Evaluate | None
    until: Condition | None
    failures_at_most: Evaluate | None


class GatherPlan(NamedTuple):
    """What a loop keeps: `binds` names what the items gave, `outcomes` how each one ended, `item_key` which it was."""

    give: Evaluate | None
    binds: str | None
    outcomes: str | None
    item_key: Evaluate | None


class Each(Step):
    """Over a list, in order or at once; results always in list order."""

    __slots__ = (
        "at_once", "binds", "failures_at_most", "give", "index", "is_silent", "item_key", "keeps_failures", "outcomes",
        "place", "rows", "steps", "until", "variable", "where_each",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        *,
        items: ItemsPlan,
        pace: PacePlan,
        steps: Sequence,
        gather: GatherPlan,
    ):
        super().__init__(name, when, where)
        self.variable, self.index, self.rows, self.place, self.where_each = items
        self.at_once, self.until, self.failures_at_most = pace
        self.steps = steps
        self.give, self.binds, self.outcomes, self.item_key = gather
        self.keeps_failures = self.outcomes is not None or self.failures_at_most is not None
        self.is_silent = self.give is None and self.binds is None and self.outcomes is None
        self.effectful = steps.effectful or self.failures_at_most is not None

    def inside(self) -> tuple[Sequence, ...]:
        return (self.steps,)

    # In order. The pure form and the one with effects share everything but the word `await`.

    def execute(self, frame: Frame) -> Signal:
        loop = _Loop(self, frame)
        for position in loop.positions():
            if not loop.begins(position):
                continue
            try:
                signal = self.steps.execute(loop.frame)
            except ItemFailed as failure:
                loop.failed(failure, position)
                continue
            except Blocked as stop:
                raise self._stopped_in(stop, position) from None
            if signal is None and self.is_silent:
                continue
            left = loop.ended(signal)
            if left is not None:
                return left
        loop.finish()
        return None

    async def perform(self, frame: Frame) -> Signal:
        if self.at_once is not None:
            return await self._perform_at_once(frame)
        loop = _Loop(self, frame)
        prefix = f"{loop.key}["
        for position in loop.positions():
            if not loop.begins(position):
                continue
            loop.frame.key = f"{prefix}{position}]"
            try:
                signal = await self.steps.perform(loop.frame)
            except ItemFailed as failure:
                if loop.failed(failure, position):
                    await frame.core.too_many_failures(frame, self, loop.failures)
                continue
            except Blocked as stop:
                raise self._stopped_in(stop, position) from None
            if signal is None and self.is_silent:
                continue
            left = loop.ended(signal)
            if left is not None:
                return left
        loop.finish()
        return None

    async def _perform_at_once(self, frame: Frame) -> Signal:
        loop = _Loop(self, frame)
        at_once = self.at_once(frame.names) if self.at_once is not None else 1
        limit = 0 if at_once == "all" else at_once
        positions = loop.wanted_positions()
        work = partial(self._work_on, loop)
        bodies = [partial(work, position) for position in positions]
        try:
            results = await frame.core.run.map(loop.key, bodies, limit)
        except Cancelled:
            loop.keep_what_was_done()
            raise
        finally:
            frame.unknown_writes.take_over(loop.unknown_writes[position] for position in sorted(loop.unknown_writes))
        for position, result in zip(positions, results, strict=True):
            loop.came_back(position, result)
        if loop.over_limit():
            await frame.core.too_many_failures(frame, self, loop.failures)
        loop.finish()
        return loop.left

    def _stopped_in(self, stop: Blocked, position: int) -> Blocked:
        """Return a stop whose finding says in which entry it came."""
        stop.finding["entries"] = [self.entry(position), *stop.finding.get("entries", ())]
        return stop

    def entry(self, position: int) -> JsonObject:
        """Return how the finding of a run names an entry. Shapes: numbers from 1, as `index` counts them."""
        return {"name": self.variable, "number": position + 1}

    async def _work_on(self, loop: _Loop, position: int) -> Any:
        """Work on one item with others at once.

        Shapes: NOT_STARTED, or the value that it gave where that is all, otherwise what `Came` of it.
        """
        frame = loop.apart(position)
        names = frame.names
        run = names["run"]
        failed: ItemFailed | None = None
        left: MoveOn | Leave | None = None
        value: Any = ABSENT
        try:
            # What it sees of budgets depends on timing, so that the decision is recorded.
            if self.until is not None and frame.core.run.record(f"{frame.key}/until", self.until(loop.outer.names)):
                return NOT_STARTED
            signal = await self.steps.perform(frame)
            if signal is None or isinstance(signal, Given):
                value = _given(signal, self.give, frame)
            else:
                left = signal
        except ItemFailed as failure:
            failed = failure
        except CannotEvaluate as problem:
            raise self._stopped_in(frame.core.located(problem, self), position) from None
        except Blocked as stop:
            raise self._stopped_in(stop, position) from None
        finally:
            frame.let_go()
            if frame.unknown_writes.changed:
                loop.unknown_writes[position] = frame.unknown_writes
        if failed is None and left is None and names["run"] is run and frame.evidence is None and not loop.root:
            return value
        kept = frame.failures[len(run["failures"]) :]
        came = loop.done[position] = Came(failed, value, names.get(self.variable), kept, left, frame.evidence)
        return came


NOT_STARTED = object()
#: Where an item stands that is worked on at once with others.
_BY_ITSELF = StandsAt("", ())


class Came(NamedTuple):
    """What one item that was worked on at once gave back.

    Shapes: `item` is it as it stands now; `failures` are those that it kept as data itself; `left` says that it leaves
    the state; `evidence` is what it read and admitted, None where the run admits nothing.
    """

    failed: ItemFailed | None
    value: Any
    item: Any
    failures: list[JsonObject]
    left: MoveOn | Leave | None
    evidence: Any


class _Loop:
    """The bookkeeping of one `each`: where items stand, what they gave, what failed."""

    __slots__ = (
        "done", "each", "failures", "frame", "is_bare", "kept", "key", "left", "outer", "over", "root", "rows",
        "segments", "unknown_writes", "values",
    )  # fmt: skip

    def __init__(self, each: Each, frame: Frame) -> None:
        self.each = each
        self.outer = frame
        self.key = f"{frame.key}/{each.name}"
        rows = each.rows(frame.names)
        self.rows = list(rows) if frame.at_once else rows
        self.root: str = ""
        self.segments: tuple[Any, ...] = ()
        if each.place is not None and frame.stands(each.place.root):
            self.root, self.segments = frame.resolve(each.place)
        self.frame = frame.inner(frame.key)
        self.frame.catching = frame.catching or each.keeps_failures
        self.values: list[Any] = []
        self.kept: list[JsonObject] = []
        self.failures: list[JsonObject] = []
        self.done: dict[int, Came] = {}
        self.left: MoveOn | Leave | None = None
        self.unknown_writes: dict[int, UnknownWrites] = {}
        self.over = False
        self.is_bare = not self.root and each.until is None and each.index is None and each.where_each is None

    def positions(self) -> range:
        return range(len(self.rows))

    def enter(self, names: Names, position: int) -> None:
        """Name an item, for what looks at it alone."""
        each = self.each
        names[each.variable] = self.rows[position]
        if each.index is not None:
            names[each.index] = position + 1

    def apart(self, position: int) -> Frame:
        """Return a frame in which an item is worked on at once with others."""
        frame = self.frame.apart(f"{self.key}[{position}]", self.key)
        self.enter(frame.names, position)
        frame.places[self.each.variable] = _BY_ITSELF
        return frame

    def begins(self, position: int) -> bool:
        """Take up one item in order; False when it is not wanted or no further one may start."""
        each, frame = self.each, self.frame
        if self.is_bare:
            frame.names[each.variable] = self.rows[position]
            return True
        if self.over or (each.until is not None and each.until(frame.names)):
            self.over = True
            return False
        if self.root:
            rows: Any = frame.names.get(self.root, ABSENT)
            if self.segments:
                rows = read_path(rows, self.segments)
            if not isinstance(rows, list) or position >= len(rows):
                return False
            frame.names[each.variable] = rows[position]
            frame.places[each.variable] = StandsAt(self.root, (*self.segments, At(position)))
        else:
            frame.names[each.variable] = self.rows[position]
        if each.index is not None:
            frame.names[each.index] = position + 1
        return each.where_each is None or each.where_each(frame.names)

    def wanted_positions(self) -> list[int] | range:
        """Return the positions of the items that are worked on, all of them looked at before anything begins."""
        where_each = self.each.where_each
        if where_each is None:
            return self.positions()
        wanted = []
        for position in self.positions():
            self.enter(self.frame.names, position)
            if where_each(self.frame.names):
                wanted.append(position)
        self.frame.names.pop(self.each.variable, None)
        return wanted

    def ended(self, signal: Signal) -> Signal:
        """Keep what an item gave; returns a signal that ends the loop."""
        if signal is not None and not isinstance(signal, Given):
            self._forget()
            return signal
        self._keep(self.frame.names, None, _given(signal, self.each.give, self.frame))
        return None

    def failed(self, failure: ItemFailed, position: int) -> bool:
        """Keep a failure as data, or let it go on to whoever keeps it; True when too many have failed."""
        if not self.each.keeps_failures:
            self._forget()
            self._let_on(failure, position)
        self._keep(self.frame.names, failure, ABSENT)
        return self.over_limit()

    def _let_on(self, failure: ItemFailed, position: int) -> NoReturn:
        failure.entries = (self.each.entry(position), *failure.entries)
        raise failure

    def over_limit(self) -> bool:
        if self.each.failures_at_most is None:
            return False
        limit = self.each.failures_at_most(self.outer.names)
        if isinstance(limit, dict):
            limit = limit["share"] * len(self.rows)
        return bool(len(self.failures) > limit)

    def came_back(self, position: int, came: Any) -> None:
        if came is NOT_STARTED:
            return
        failed, value = None, came
        if type(came) is Came:
            failed, value = came.failed, came.value
            self._put_back(position, came)
            if failed is not None and not self.each.keeps_failures:
                self._let_on(failed, position)
            self.left = self.left or came.left
        if self.each.item_key is not None:
            self.enter(self.frame.names, position)
        self._keep(self.frame.names, failed, value)

    def _put_back(self, position: int, came: Came) -> None:
        """Put a changed item back in its place, and what it failed at in the list of failures."""
        if came.failures:
            self.outer.add_failures(came.failures)
        if came.evidence is not None:
            self.outer.evidence.take_over(came.evidence)
        if self.root and came.item is not self.rows[position]:
            self.outer.store(self.root, (*self.segments, At(position)), came.item, self.each.variable)

    def keep_what_was_done(self) -> None:
        """Put back the items that were finished before a cancel."""
        for position in sorted(self.done):
            self._put_back(position, self.done[position])

    def finish(self) -> None:
        names, each = self.outer.names, self.each
        self._forget()
        if each.outcomes is not None:
            names[each.outcomes] = self.kept
        if each.binds is not None:
            names[each.binds] = self.values

    def _forget(self) -> None:
        self.outer.names.pop(self.each.variable, None)
        self.outer.places.pop(self.each.variable, None)
        if self.each.index is not None:
            self.outer.names.pop(self.each.index, None)

    def _keep(self, names: dict[str, Any], failed: ItemFailed | None, value: Any) -> None:
        if failed is not None:
            self.failures.append(failed.error)
            self.outer.add_failures([failed.failure])
        elif value is not ABSENT and self.each.binds is not None:
            self.values.append(value)
        if self.each.outcomes is not None:
            self._keep_outcome(names, failed, value)

    def _keep_outcome(self, names: dict[str, Any], failed: ItemFailed | None, value: Any) -> None:
        kept: JsonObject = {"ok": failed is None, "status": "success" if failed is None else "failed"}
        if self.each.item_key is not None:
            kept["key"] = self.each.item_key(names)
        if failed is not None:
            kept["error"] = failed.error
        elif value is not ABSENT:
            kept["value"] = value
        self.kept.append(kept)


class RoundsPlan(NamedTuple):
    """How many rounds there are. Shapes: `variable` names the number of the round, from 1; `every` is in seconds."""

    variable: str
    until: Condition | None
    at_most: Evaluate
    every: Evaluate | None
    on_end: str


class Repeat(Step):
    """Rounds: `until` is looked at after each, `at_most` always bounds them."""

    __slots__ = ("at_most", "binds", "every", "give", "on_end", "steps", "until", "variable")

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        *,
        rounds: RoundsPlan,
        steps: Sequence,
        give: Evaluate | None,
        binds: str | None,
    ):
        super().__init__(name, when, where)
        self.variable, self.until, self.at_most, self.every, self.on_end = rounds
        self.steps = steps
        self.give = give
        self.binds = binds
        self.effectful = True

    def inside(self) -> tuple[Sequence, ...]:
        return (self.steps,)

    async def perform(self, frame: Frame) -> Signal:
        allowed = self.at_most(frame.names)
        value: Any = ABSENT
        round_number = 0
        stops = 0
        inner = frame.inner(frame.key)
        while True:
            if round_number >= allowed:
                if self.on_end == "go_on":
                    break
                stops += 1
                key = f"{frame.key}/{self.name}/stop{stops}"
                await frame.core.block_at(key, self, "run/rounds-used-up", at_most=allowed)
                allowed += self.at_most(frame.names)
            round_number += 1
            frame.names[self.variable] = round_number
            inner.key = f"{frame.key}/{self.name}[{round_number}]"
            if round_number > 1 and self.every is not None:
                await frame.core.run.sleep(f"{inner.key}/pause", self.every(frame.names))
            signal = await self.steps.perform(inner)
            if isinstance(signal, (MoveOn, Leave)):
                return signal
            value = _given(signal, self.give, inner)
            if self.until is not None and self.until(frame.names):
                break
        frame.names.pop(self.variable, None)
        if self.binds is not None:
            bind(frame.names, self.binds, value)
        return None


def _given(signal: Signal, give: Evaluate | None, frame: Frame) -> Any:
    if isinstance(signal, Given):
        return signal.value
    return give(frame.names) if give is not None else ABSENT
