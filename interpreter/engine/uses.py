"""`use`: a block of this workflow, or another workflow with data of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.engine.core import Core
from interpreter.engine.frame import Condition, Evaluate, Frame
from interpreter.engine.machine import walk
from interpreter.engine.program import Program, Where
from interpreter.engine.steps import Given, ItemFailed, Leave, MoveOn, Sequence, Signal, Step, bind, failure_of
from interpreter.ports import JsonObject
from rules.values import ABSENT


class UseBlock(Step):
    """A block sees data and what it takes; what it changes in data stays changed."""

    __slots__ = ("arguments", "binds", "defaults", "give", "outcome", "steps")

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        *,
        steps: Sequence,
        give: Evaluate | None,
        arguments: tuple[tuple[str, Evaluate], ...],
        defaults: Mapping[str, Any],
        binds: str | None,
        outcome: str | None,
    ):
        super().__init__(name, when, where)
        self.steps = steps
        self.give = give
        self.arguments = arguments
        self.defaults = defaults
        self.binds = binds
        self.outcome = outcome
        self.effectful = steps.effectful

    def inside(self) -> tuple[Sequence, ...]:
        return (self.steps,)

    def execute(self, frame: Frame) -> Signal:
        inner = self._enter(frame)
        try:
            signal = self.steps.execute(inner)
        except ItemFailed as failure:
            return self._failed(frame, inner, failure)
        except BaseException:
            frame.take_over(inner)
            raise
        return self._end(frame, inner, signal)

    async def perform(self, frame: Frame) -> Signal:
        inner = self._enter(frame)
        try:
            signal = await self.steps.perform(inner)
        except ItemFailed as failure:
            return self._failed(frame, inner, failure)
        except BaseException:
            # Where the run stops or is cancelled, what the block has changed so far stays changed.
            frame.take_over(inner)
            raise
        return self._end(frame, inner, signal)

    def _enter(self, frame: Frame) -> Frame:
        core = frame.core
        names = {name: frame.names[name] for name in core.shared_names() if name in frame.names}
        names.update(self.defaults)
        names.update((name, value) for name, part in self.arguments if (value := part(frame.names)) is not ABSENT)
        inner = Frame(core, names, f"{frame.key}/{self.name}", frame.state)
        inner.owned = frame.owned
        inner.at_once = frame.at_once
        inner.evidence, inner.unknown_writes = frame.evidence, frame.unknown_writes
        inner.catching = frame.catching or self.outcome is not None
        return inner

    def _end(self, frame: Frame, inner: Frame, signal: Signal) -> Signal:
        value: Any = ABSENT
        if isinstance(signal, Given):
            value = signal.value
        elif self.give is not None and not isinstance(signal, (MoveOn, Leave)):
            value = self.give(inner.names)
        frame.take_over(inner)
        if isinstance(signal, (MoveOn, Leave)):
            return signal
        if self.outcome is not None:
            kept: JsonObject = {"ok": True, "status": "success"}
            if value is not ABSENT:
                kept["value"] = value
            frame.names[self.outcome] = kept
        if self.binds is not None:
            bind(frame.names, self.binds, value)
        return None

    def _failed(self, frame: Frame, inner: Frame, failure: ItemFailed) -> Signal:
        frame.take_over(inner)
        if self.outcome is None:
            raise failure
        frame.add_failures([failure.failure])
        frame.names[self.outcome] = {"ok": False, "status": "failed", "error": failure.error}
        return None


class UseWorkflow(Step):
    """Another workflow runs inside this one; its outputs are the value."""

    __slots__ = ("arguments", "binds", "outcome", "program")

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        *,
        program: Program,
        arguments: tuple[tuple[str, Evaluate], ...],
        binds: str | None,
        outcome: str | None,
    ):
        super().__init__(name, when, where)
        self.program = program
        self.arguments = arguments
        self.binds = binds
        self.outcome = outcome
        self.effectful = True

    async def perform(self, frame: Frame) -> Signal:
        core = frame.core
        facts = frame.names["run"]
        inputs = {name: value for name, part in self.arguments if (value := part(frame.names)) is not ABSENT}
        inner = Core(
            self.program,
            core.run,
            run_id=core.run_id,
            started_at=facts["started_at"],
            timezone=facts["timezone"],
            language=facts["language"],
            inputs=inputs,
            prefix=f"{frame.key}/{self.name}/",
            caller=frame,
        )
        ended = await walk(inner)
        if ended.status == "completed":
            if self.outcome is not None:
                frame.names[self.outcome] = {"ok": True, "status": "success", "value": inner.outputs()}
            if self.binds is not None:
                frame.names[self.binds] = inner.outputs()
            return None
        finding = ended.finding or {}
        error = {"code": str(finding.get("code", ended.status)), "kind": "permanent", "message": ended.status}
        failure = failure_of(frame, self, error)
        if self.outcome is None:
            raise ItemFailed(error, self.where, failure)
        frame.add_failures([failure])
        frame.names[self.outcome] = {"ok": False, "status": "failed", "error": error}
        return None
