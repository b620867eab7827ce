"""The verbs that change data, branch and repeat; one class each.

A step knows whether effects lie beneath it. Pure steps are plain methods (`execute`), the others `async` (`perform`);
one sequence runner serves both. A list of steps hands out a signal: nothing, `Given` (a value, from `give`), `MoveOn`
(leave the state for its `next`), or `Leave` (a choice that leads to a state).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from interpreter.engine.frame import Condition, Evaluate, Frame, Target
from interpreter.engine.program import Where
from interpreter.ports import JsonObject
from rules.records import NamedTuple
from rules.values import ABSENT, CannotEvaluate


class Given(NamedTuple):
    value: Any


class MoveOn(NamedTuple):
    reason: Any


class Leave(NamedTuple):
    to: str


Signal = Given | MoveOn | Leave | None


class ItemFailed(Exception):
    """A `fail`, or a call that failed where failures are kept as data; caught by whoever keeps them.

    Shapes: `failure` is what `run.failures` says of it once it is kept; `entries` are the entries of the loops that it
    went out of, the outermost first, as in the finding of a run.
    """

    def __init__(self, error: JsonObject, where: Where | None, failure: JsonObject) -> None:
        self.entries: tuple[JsonObject, ...] = ()
        self.error = error
        self.where = where
        self.failure = failure
        super().__init__(str(error.get("code")))


def failure_of(frame: Frame, step: Step, error: JsonObject, tool: str = "") -> JsonObject:
    """Return what `run.failures` says of a failure that is kept as data."""
    return {
        "state": frame.state,
        "step": step.name,
        "tool": tool,
        "code": error["code"],
        "kind": error["kind"],
        "message": error.get("message", ""),
    }


class Step:
    """One step.

    Shapes: `name` is its part of a key; `binds` the name that it gives to a value, if any; `hides` says that it works
    on values that no finding may carry.
    """

    __slots__ = ("effectful", "guaranteed", "hides", "name", "when", "where")

    binds: str | None = None

    def __init__(self, name: str, when: Condition | None, where: Where) -> None:
        self.name = name
        self.when = when
        self.where = where
        self.effectful = False
        self.hides = False
        self.guaranteed: str | None = None

    def execute(self, frame: Frame) -> Signal:
        raise NotImplementedError

    async def perform(self, frame: Frame) -> Signal:
        return self.execute(frame)

    def skip(self, frame: Frame) -> None:
        """What happens when `when` does not hold."""

    def inside(self) -> tuple[Sequence, ...]:
        """Return the lists of steps that stand in this one."""
        return ()


class Sequence:
    """A list of steps with the names that live in it."""

    __slots__ = ("effectful", "local_names", "steps")

    def __init__(self, steps: tuple[Step, ...], local_names: tuple[str, ...]) -> None:
        self.steps = steps
        self.local_names = local_names
        self.effectful = any(step.effectful for step in steps)

    def all_steps(self) -> Iterator[Step]:
        """Yield every step of this list and of the lists inside it; those of a block once, however often it is used."""
        seen = {self}
        below = [iter(self.steps)]
        while below:
            step = next(below[-1], None)
            if step is None:
                below.pop()
                continue
            yield step
            for inner in reversed(step.inside()):
                if inner not in seen:
                    seen.add(inner)
                    below.append(iter(inner.steps))

    def execute(self, frame: Frame) -> Signal:
        """Run pure steps; the same loop as `perform`, without a place to stop at."""
        names, core = frame.names, frame.core
        for name in self.local_names:
            names.pop(name, None)
        for step in self.steps:
            left = core.steps_left = core.steps_left - 1
            if left < 0:
                core.out_of_steps(step)
            try:
                if step.when is not None and not step.when(names):
                    step.skip(frame)
                    continue
                signal = step.execute(frame)
            except CannotEvaluate as error:
                raise core.located(error, step) from None
            if step.guaranteed is not None:
                core.step_done(step.guaranteed)
            if signal is not None:
                return signal
        return None

    async def perform(self, frame: Frame) -> Signal:
        names, core = frame.names, frame.core
        for name in self.local_names:
            names.pop(name, None)
        for step in self.steps:
            left = core.steps_left = core.steps_left - 1
            if left < 0:
                core.out_of_steps(step)
            try:
                if step.when is not None and not step.when(names):
                    step.skip(frame)
                    continue
                signal = await step.perform(frame) if step.effectful else step.execute(frame)
            except CannotEvaluate as error:
                raise core.located(error, step) from None
            if step.guaranteed is not None:
                core.step_done(step.guaranteed)
            if signal is not None:
                return signal
        return None


class Set(Step):
    __slots__ = ("_only", "assignments")

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        assignments: tuple[tuple[Target, Evaluate], ...],
    ):
        super().__init__(name, when, where)
        self.assignments = assignments
        self._only = assignments[0] if len(assignments) == 1 else None

    def execute(self, frame: Frame) -> Signal:
        names = frame.names
        if self._only is not None:
            target, value = self._only
            frame.assign(target, value(names))
            return None
        for target, value in [(target, value(names)) for target, value in self.assignments]:
            frame.assign(target, value)
        return None


class Let(Step):
    __slots__ = ("values",)

    def __init__(self, name: str, when: Condition | None, where: Where, values: tuple[tuple[str, Evaluate], ...]):
        super().__init__(name, when, where)
        self.values = values

    def execute(self, frame: Frame) -> Signal:
        names = frame.names
        for name, value in self.values:
            found = value(names)
            if found is ABSENT:
                names.pop(name, None)
            else:
                names[name] = found
        return None


class Give(Step):
    __slots__ = ("value",)

    def __init__(self, name: str, when: Condition | None, where: Where, value: Evaluate):
        super().__init__(name, when, where)
        self.value = value

    def execute(self, frame: Frame) -> Signal:
        return Given(self.value(frame.names))


class LeaveState(Step):
    __slots__ = ("reason",)

    def __init__(self, name: str, when: Condition | None, where: Where, reason: Evaluate | None):
        super().__init__(name, when, where)
        self.reason = reason

    def execute(self, frame: Frame) -> Signal:
        return MoveOn(self.reason(frame.names) if self.reason is not None else None)


class Fail(Step):
    __slots__ = ("code", "message")

    def __init__(self, name: str, when: Condition | None, where: Where, code: Evaluate, message: Evaluate | None):
        super().__init__(name, when, where)
        self.code = code
        self.message = message

    def execute(self, frame: Frame) -> Signal:
        message = self.message(frame.names) if self.message is not None else ""
        error = {"code": self.code(frame.names), "kind": "permanent", "message": message}
        raise ItemFailed(error, self.where, failure_of(frame, self, error))


class Choose(Step):
    """The first branch whose condition holds gives its value, or runs its steps."""

    __slots__ = ("binds", "branches")

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        branches: tuple[tuple[Condition | None, Sequence, Evaluate | None], ...],
        binds: str | None,
    ):
        super().__init__(name, when, where)
        self.branches = branches
        self.binds = binds
        self.effectful = any(steps.effectful for _, steps, _ in branches)

    def inside(self) -> tuple[Sequence, ...]:
        return tuple(steps for _, steps, _ in self.branches)

    def execute(self, frame: Frame) -> Signal:
        for number, (condition, steps, give) in enumerate(self.branches):
            if condition is None or condition(frame.names):
                signal = steps.execute(frame.inner(f"{frame.key}/{self.name}[{number}]"))
                return self._end(frame, signal, give)
        return None

    async def perform(self, frame: Frame) -> Signal:
        for number, (condition, steps, give) in enumerate(self.branches):
            if condition is None or condition(frame.names):
                signal = await steps.perform(frame.inner(f"{frame.key}/{self.name}[{number}]"))
                return self._end(frame, signal, give)
        return None

    def _end(self, frame: Frame, signal: Signal, give: Evaluate | None) -> Signal:
        if isinstance(signal, (MoveOn, Leave)):
            return signal
        value = signal.value if signal is not None else give(frame.names) if give is not None else ABSENT
        if self.binds is not None:
            bind(frame.names, self.binds, value)
            return None
        return signal


class Collect(Step):
    __slots__ = ("binds", "item", "merge", "target")

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        target: Target,
        item: Evaluate,
        merge: dict[str, str],
        binds: str | None,
    ):
        super().__init__(name, when, where)
        self.target = target
        self.item = item
        self.merge = merge
        self.binds = binds

    def execute(self, frame: Frame) -> Signal:
        added, entry = frame.collect(self.target, self.item(frame.names), self.merge)
        if self.binds is not None:
            frame.names[self.binds] = {"added": added, "item": entry}
        return None


class Decide(Step):
    """Evaluate a rule; the answer is bound, the facts and the row go to the trace."""

    __slots__ = ("answered", "binds", "document", "facts", "full_name", "rule")

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        document: str,
        rule: str,
        facts: tuple[tuple[str, Evaluate], ...],
        binds: str | None,
    ):
        from rules.documents import answered  # not needed by every workflow

        super().__init__(name, when, where)
        self.answered = answered
        self.document = document
        self.rule = rule
        self.full_name = f"{document}.{rule}"
        self.facts = facts
        self.binds = binds

    def execute(self, frame: Frame) -> Signal:
        core, names = frame.core, frame.names
        facts = {}
        for name, value in self.facts:
            fact = value(names)
            if fact is not ABSENT:
                facts[name] = fact
        rules = core.program.rules[self.document]
        answer, row = self.answered(rules, self.rule, facts, core.program.rule_values)
        core.run.note(
            {
                "note": "decision",
                "rule": self.full_name,
                "step": f"{frame.key}/{self.name}",
                "facts": facts,
                "row": row,
            }
        )
        if self.binds is not None:
            bind(names, self.binds, answer)
        return None


class Say(Step):
    __slots__ = ("message",)

    def __init__(self, name: str, when: Condition | None, where: Where, message: Callable[[Frame], JsonObject]):
        super().__init__(name, when, where)
        self.message = message
        self.effectful = True  # a message is recorded under a key of its own, in loops too

    def execute(self, frame: Frame) -> Signal:
        frame.core.run.message(f"{frame.key}/{self.name}", self.message(frame))
        return None


def bind(names: dict[str, Any], name: str, value: Any) -> None:
    """Give a name to a value; an absent value leaves the name absent."""
    if value is ABSENT:
        names.pop(name, None)
    else:
        names[name] = value
