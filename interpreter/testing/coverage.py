"""What of a workflow its cases have come by: states, transitions, gates both ways, rows of rules, failures, loops.

Loops and calls say nothing of themselves to the trace of a run, so while cases run their steps are of classes that
take note. A program is planned for its cases alone; nobody else walks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from interpreter.engine.calls import Call
from interpreter.engine.frame import Evaluate, Frame
from interpreter.engine.loops import Each
from interpreter.engine.program import Program, Where, at_place
from interpreter.engine.steps import Decide, ItemFailed, Signal, Step
from interpreter.ports import JsonObject
from interpreter.testing.running import Walked
from rules.records import NamedTuple
from rules.values import ABSENT

KINDS = ("state", "transition", "gate", "row", "failure", "loop")


class Item(NamedTuple):
    """Something that a case can come by.

    Shapes: `name` says which: a state; STATE and the number of a transition; a gate and `held` or `closed`; a rule and
    its row; a step and `failed`; a loop and `none`, `one` or `many`. `where` is None for rows of rules.
    """

    kind: str
    name: tuple[str, ...]
    where: Where | None


class Coverage:
    """What there is to come by in one workflow, and what was."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, tuple[str, ...]], Item] = {}
        self._met: set[tuple[str, tuple[str, ...]]] = set()
        self._watched: dict[int, Step] = {}

    def watch(self, program: Program) -> None:
        """Make a program take note of its loops and calls; what there is to come by is the same for every case."""
        for item in _items_of(program):
            self._items.setdefault((item.kind, item.name), item)
        for name, step in _steps_of(program):
            if id(step) in self._watched:
                continue
            self._watched[id(step)] = step
            if isinstance(step, Each):
                step.rows = self._counting(name, step.rows)
            elif isinstance(step, Call) and _handles_failure(step):
                step.__class__ = _watched(self, name)

    def add(self, walked: Walked) -> None:
        """Take note of what one run came by."""
        for state in walked.visits:
            self.meet("state", state)
        for place, count in walked.taken.items():
            if count:
                state, number = at_place(place)
                self.meet("transition", state, str(number))
        for body in walked.notes:
            for gate in body.get("gates", ()):
                self.meet("gate", gate, "held")
            if body["note"] == "gate":
                self.meet("gate", body["gate"], "held" if body["held"] is True else "closed")
            elif body["note"] == "decision":
                for row in _rows_in(body["row"]):
                    self.meet("row", body["rule"], row)

    def meet(self, kind: str, *name: str) -> None:
        self._met.add((kind, name))

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return for each kind how many were come by, of how many."""
        found = {}
        for kind in KINDS:
            known = [key for key in self._items if key[0] == kind]
            if known:
                found[kind] = (sum(key in self._met for key in known), len(known))
        return found

    def missing(self) -> list[Item]:
        return [item for key, item in self._items.items() if key not in self._met]

    def _counting(self, name: str, rows: Evaluate) -> Evaluate:
        def counted(names: dict[str, Any]) -> Any:
            found = rows(names)
            if isinstance(found, list):
                self.meet("loop", name, ("none", "one", "many")[min(len(found), 2)])
            return found

        return counted


def share(counts: Mapping[str, tuple[int, int]]) -> float:
    """Return which part of everything was come by, from 0 to 1."""
    total = sum(known for _, known in counts.values())
    return sum(met for met, _ in counts.values()) / total if total else 1.0


# --- what there is ----------------------------------------------------------------------------------------------------


def _items_of(program: Program) -> Iterator[Item]:
    gates = {}
    for state in program.states.values():
        yield Item("state", (state.name,), state.where)
        for transition in state.next:
            yield Item("transition", (state.name, str(transition.number)), transition.where)
            gates.update({gate.name: transition.where for gate in transition.gates})
    for state in program.states.values():
        gates.update({gate.name: state.where for gate in state.enter})
    for gate, where in gates.items():
        yield from (Item("gate", (gate, way), where) for way in ("held", "closed"))
    for rule in sorted({f"{step.document}.{step.rule}" for _, step in _steps_of(program) if isinstance(step, Decide)}):
        yield from (Item("row", (rule, row), None) for row in _rows_of(program, rule))
    for name, step in _steps_of(program):
        if isinstance(step, Call) and _handles_failure(step):
            yield Item("failure", (name, "failed"), step.where)
        elif isinstance(step, Each):
            yield from (Item("loop", (name, count), step.where) for count in ("none", "one", "many"))


def _rows_of(program: Program, rule: str) -> Iterator[str]:
    document, _, name = rule.partition(".")
    table = program.rules[document].tables.get(name)
    if table is not None:
        yield from (str(number) for number in range(1, len(table.rows) + 1))
        if table.otherwise is not ABSENT:
            yield "otherwise"


def _rows_in(row: Any) -> Iterator[str]:
    if isinstance(row, list):
        yield from map(str, row)
    else:
        yield "otherwise" if row is None else str(row)


def _steps_of(program: Program) -> Iterator[tuple[str, Step]]:
    """Yield every step once, with a name that tells it from all others: its state or block, and its own."""
    seen: set[int] = set()
    for state in program.states.values():
        for step in state.steps.all_steps():
            if id(step) not in seen:
                seen.add(id(step))
                where = step.where
                place = f":{where.line}" if where is not None else ""
                yield f"{state.name}.{_named(step)}{place}", step


def _named(step: Step) -> str:
    """Return the id of a step; of a loop without one, what its author calls an entry."""
    return f"each {step.variable}" if isinstance(step, Each) and step.name.startswith("each#") else step.name


def _handles_failure(step: Call) -> bool:
    return step.outcome is not None or step.otherwise is not None or step.retry is not None or step.repair is not None


def _watched(coverage: Coverage, name: str) -> type[Call]:
    """Return the class of a call that takes note of whether an attempt of it failed, also one that was repaired."""

    class Watched(Call):
        __slots__ = ()

        async def made(self, *args: Any, **options: Any) -> JsonObject:
            outcome = await super().made(*args, **options)
            if not outcome["ok"] or any("error" in attempt for attempt in outcome["attempts"]):
                coverage.meet("failure", name, "failed")
            return outcome

        async def perform(self, frame: Frame) -> Signal:
            try:
                return await super().perform(frame)
            except ItemFailed:
                coverage.meet("failure", name, "failed")
                raise

    return Watched
