"""States, gates, transitions and endings: the one loop of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.engine.core import Core, RunFailed
from interpreter.engine.data import Names
from interpreter.engine.frame import Frame
from interpreter.engine.program import (
    END,
    NOTE_OF_END,
    ConditionPlan,
    GatePlan,
    StatePlan,
    TransitionPlan,
    Where,
    note_of_gate,
    note_of_way,
)
from interpreter.engine.steps import ItemFailed, Leave, MoveOn, Sequence, Step
from interpreter.ports import Cancelled, JsonObject
from rules.records import NamedTuple
from rules.values import CannotEvaluate

_NOT_HELD: JsonObject = {"held": False}


class Ended(NamedTuple):
    """How a run ended: completed (perhaps in part), failed or cancelled."""

    status: str
    partial: Any = None
    finding: JsonObject | None = None


async def walk(core: Core, begin_at: str | None = None) -> Ended:
    """Walk a run from its first state, or from one that a snapshot names, to an ending.

    `Stop` passes through to whoever drives the run.
    """
    core.check_begun()
    program = core.program
    target: str = begin_at or program.first_state
    cancels = 0
    while True:
        try:
            visitor = _Visitor(core)
            if cancels:
                await visitor.flee(program.states[target])
            ended = await visitor.visit_from(target)
        except RunFailed as failure:
            if core.caller is not None:
                raise
            return Ended("failed", finding=failure.finding)
        except ItemFailed as failure:
            finding = core.finding("run/failed", failure.where, {"error": failure.error})
            return Ended("failed", finding=finding | ({"entries": list(failure.entries)} if failure.entries else {}))
        except Cancelled:
            cancels += 1
            refuge = core.state.when_cancelled if core.state is not None else None
            if core.caller is not None:
                raise
            if cancels > 1 or refuge is None:
                return Ended("cancelled")
            core.run.note({"note": "cancelled", "to": refuge})
            target = refuge
            continue
        if ended.status == "completed":
            broken = core.monitor.end()
            if broken is not None:
                finding = core.finding("run/guarantee-violated", broken.where, {"guarantee": broken.id, "event": END})
                if core.caller is not None:
                    raise RunFailed(finding)
                return Ended("failed", finding=finding)
            if cancels:
                # It wound up as its author wanted, but it is not what was asked for.
                return Ended("cancelled", partial=ended.partial)
            core.check_outputs()
        return ended


#: After so many times a transition without `at_most` stops the run, whatever was to end the circle; it can go on.
TAKEN_UNASKED = 10_000

_Closed = tuple[GatePlan, list[JsonObject]]
"""A gate that does not hold, with what was found of it."""


class _Visitor:
    """Entering and leaving states.

    Shapes: `frame` is that of the present visit, `state` the state, `prefix` what the keys of its visits begin with;
    `note` is what the trace says of where the run goes next, and how; `tells_of_gates` and `tells_of_states` say
    whether any guarantee asks about them; with `looks_at_each` gates are never looked at all at once, since somebody
    takes note of each look.
    """

    def __init__(self, core: Core) -> None:
        self.core = core
        self.frame = core.root.inner(core.prefix)
        self.state: StatePlan | None = None
        self.prefix = ""
        self.note: JsonObject = {}
        self.tells_of_gates = "gate" in core.monitor.kinds
        self.tells_of_states = "state" in core.monitor.kinds
        self.looks_at_each = self.tells_of_gates or bool(core.root.at_once)

    async def visit_from(self, target: str) -> Ended:
        """Visit one state after another until a transition leads to the end."""
        core, frame, run, note = self.core, self.frame, self.core.run, self.core.run.note
        states, names, visits, taken = core.program.states, core.names, core.visits, core.taken
        keeps_entry, tells_of_states, looks_at_each = core.keeps_entry, self.tells_of_states, self.looks_at_each
        while True:
            state = states[target]
            if keeps_entry:
                core.mark_entry(target)
            if core.state is None:
                await self.begin(state)
            if tells_of_states:
                core.tell("state", target, target, names)
            if state.resets or state.questions:
                core.clear_for(state)
            if frame.places:
                frame.places.clear()
            if state is not self.state:
                self._go_to(state)
            visit = visits[target] = visits[target] + 1
            frame.key = f"{self.prefix}{visit}"
            note({**self.note, "visit": visit})
            steps = state.steps
            makes_calls = steps.effectful
            signal = await steps.perform(frame) if makes_calls else steps.execute(frame)
            if core.changed:
                core.check_data(names)
            # A cancel that came during the last call of the state takes effect before it is left.
            others = run.turn(makes_calls)
            if others is not None:
                await others
            if signal is not None:
                if type(signal) is Leave:
                    target = signal.to
                    await self._leave_to(target, state)
                    if target == END:
                        return self._end()
                    continue
                if type(signal) is MoveOn:
                    note({"note": "move-on", "state": state.name, "reason": signal.reason})
            transition = self._choose(state, names)
            if transition is None:
                if not state.next:
                    return Ended("completed")
                transition = await self._stop_without(state)
            self.note = transition.note
            if looks_at_each or not transition.all_hold(names):
                key = f"{frame.key}/next{transition.number}"
                held = await self._pass(transition.gates, frame, key, transition.where)
                self._goes_to(transition.to, state.name, held)
            taken[transition.place] += 1
            if transition.at_most is None:
                await self._look_at_circle(transition)
            target = transition.to
            if target == END:
                return self._end(self._partial(state, transition))

    async def begin(self, state: StatePlan) -> None:
        """Pass the gates of the state that a run begins with; those of any other are passed where one is left."""
        core = self.core
        held = await self._pass(state.enter, core.root, f"{core.prefix}{state.name}#1/enter", state.where)
        self.note = {**state.note, **note_of_way("", held)} if held else state.note

    def _go_to(self, state: StatePlan) -> None:
        """Take note of a state that is not the one that was visited last."""
        core, name = self.core, state.name
        self.state = state
        self.prefix = f"{core.prefix}{name}#"
        self.frame.state = name
        core.go_to(state)
        if core.caller is None:
            core.run.progress(name, self._progress(state), state.first, state.every)

    async def flee(self, state: StatePlan) -> None:
        """Pass the gates of the state that a cancel leads to; they protect it whichever way it is reached."""
        core = self.core
        left = core.state
        assert left is not None
        frame = core.root.inner(f"{core.prefix}{left.name}#{core.visits[left.name]}")
        frame.state = left.name
        held = await self._pass(state.enter, frame, f"{frame.key}/cancelled", state.where)
        self._goes_to(state.name, left.name, held)

    def _progress(self, state: StatePlan) -> Any:
        """Return what says how far a state is, in its own words or by its title; None where it has neither."""
        text, title = state.progress, {"text": state.title} if state.title else {}
        if text is None and not title:
            return None

        def render() -> JsonObject:
            try:
                return title if text is None else {"text": text(self.core.names)}
            except CannotEvaluate:
                return title

        return render

    async def _leave_to(self, to: str, state: StatePlan) -> None:
        """Pass the gates on the way to where the choice of a person leads."""
        frame = self.frame
        gates = self.core.program.states[to].enter if to != END else ()
        self._goes_to(to, state.name, await self._pass(gates, frame, f"{frame.key}/to", state.where))

    async def _pass(self, gates: tuple[GatePlan, ...], frame: Frame, key: str, where: Where) -> tuple[GatePlan, ...]:
        """Look at gates one by one, and stop where one does not hold; returns them where all held at the first look."""
        closed = self._closed(gates, frame)
        if not closed:
            return gates
        await self._stop_at(closed, gates, frame, key, where)
        return ()

    async def _stop_without(self, state: StatePlan) -> TransitionPlan:
        """Stop where no transition can be taken; go on when one can."""
        core, frame = self.core, self.frame
        stops = 0
        while True:
            stops += 1
            finding = core.finding("run/no-transition", state.where, {"state": state.name})
            await core.stop_at(f"{frame.key}/next/stop{stops}", finding)
            if (transition := self._choose(state, frame.names)) is not None:
                return transition

    async def _look_at_circle(self, transition: TransitionPlan) -> None:
        """Stop now and then where nobody said how often a transition may be taken."""
        core = self.core
        count = core.taken[transition.place]
        if not count % TAKEN_UNASKED:
            finding = core.finding("run/circle-goes-on", transition.where, {"to": transition.to, "count": count})
            await core.stop_at(f"{self.frame.key}/next{transition.number}/circle", finding)

    def _goes_to(self, to: str, left: str, held: tuple[GatePlan, ...]) -> None:
        """Take note of where the run goes next, and of the gates on the way where all held at the first look."""
        self.note = {**(self.core.program.states[to].note if to != END else NOTE_OF_END), **note_of_way(left, held)}

    def _end(self, partial: Any = None) -> Ended:
        self.core.run.note(self.note)
        return Ended("completed", partial=partial)

    def _partial(self, state: StatePlan, transition: TransitionPlan) -> Any:
        if transition.partial is None:
            return None
        try:
            return transition.partial(self.core.names)
        except CannotEvaluate as error:
            raise self.core.located(error, _place(state.name, transition.where)) from None

    def _choose(self, state: StatePlan, names: Names) -> TransitionPlan | None:
        """Return the first transition that may be taken once more and whose condition holds."""
        taken = self.core.taken
        for transition in state.next:
            at_most, when = transition.at_most, transition.when
            try:
                if (at_most is None or taken[transition.place] < at_most(names)) and (when is None or when(names)):
                    return transition
            except CannotEvaluate as error:
                raise self.core.located(error, _place(state.name, transition.where)) from None
        return None

    async def _stop_at(
        self, closed: list[_Closed], gates: tuple[GatePlan, ...], frame: Frame, key: str, where: Where
    ) -> None:
        """Stop the run where it stands; go on only when every gate is held or was waived."""
        core = self.core
        waived: dict[str, str] = {}
        stops = 0
        while closed:
            stops += 1
            facts = {
                "gates": [gate.name for gate, _ in closed],
                "conditions": [finding for _, findings in closed for finding in findings],
                "waivable": [gate.name for gate, _ in closed if gate.waivable],
                "again": _looks_again([gate.redo for gate, _ in closed if gate.redo is not None]),
            }
            decision = await core.stop_at(f"{key}/gate{stops}", core.finding("run/gate-closed", where, facts))
            for name, reason in decision.get("waive", {}).items():
                if any(gate.name == name and gate.waivable for gate, _ in closed):
                    waived[name] = reason
            for gate, _ in closed:
                if gate.redo is not None and gate.name not in waived:
                    await self._redo(gate.redo, frame, f"{key}/redo{stops}")
            closed = self._closed(gates, frame, waived)

    async def _redo(self, redo: tuple[str, str], frame: Frame, key: str) -> None:
        state, name = redo
        step = next(step for step in self.core.program.states[state].steps.steps if step.name == name)
        inner = frame.inner(key)
        inner.state = state
        await Sequence((step,), ()).perform(inner)

    def _closed(
        self, gates: tuple[GatePlan, ...], frame: Frame, waived: Mapping[str, str] | None = None
    ) -> list[_Closed]:
        """Look at gates; returns those that stop the run, with their findings.

        Shapes: `waived` are those that a person let pass, with the reasons; None at the first look. Where all hold at
        that, the transition names them; otherwise what each of them said is recorded for itself.
        """
        not_held: list[_Closed] = []
        for gate in gates:
            findings = self._findings(gate, frame)
            if findings:
                not_held.append((gate, findings))
            elif self.tells_of_gates:
                self.core.tell("gate", gate.name, frame.state, frame.names)
        if waived is None:
            if not not_held:
                return not_held
            waived = {}
        said = {gate.name: findings for gate, findings in not_held}
        for gate in gates:
            self.core.run.note(note_of_gate(gate.name, said.get(gate.name, []), is_waived=gate.name in waived))
        return [one for one in not_held if one[0].name not in waived]

    def _findings(self, gate: GatePlan, frame: Frame) -> list[JsonObject]:
        """Return why conditions of a gate do not hold; nothing where each of them does."""
        findings: list[JsonObject] = []
        for condition in gate.conditions:
            that = condition.that
            result: JsonObject = _NOT_HELD
            try:
                if that(frame.names) if that is not None else self._is_confirmed(condition, frame):
                    continue
            except CannotEvaluate as error:
                result = {"held": "could not be evaluated", "reason": error.code}
            findings.append(_finding(condition, frame, result))
        return findings

    def _is_confirmed(self, condition: ConditionPlan, frame: Frame) -> bool:
        assert condition.confirmed is not None
        return self.core.is_confirmed(condition.confirmed, frame)


def _finding(condition: ConditionPlan, frame: Frame, result: JsonObject) -> JsonObject:
    finding: JsonObject = {"condition": condition.text, "where": condition.where.as_json(), **result}
    if condition.message is not None:
        try:
            finding["message"] = condition.message(frame.names)
        except CannotEvaluate:
            finding["message"] = condition.text
    return finding


def _place(name: str, where: Where) -> Step:
    return Step(name, None, where)


def _looks_again(redone: list[tuple[str, str]]) -> JsonObject:
    """Return what becomes of a closed gate: without `redo` nothing is read again, whatever is supplied meanwhile."""
    if redone:
        steps = ", ".join(".".join(one) for one in redone)
        return {
            "zh": f"补齐缺少的内容后 resume：会重做 {steps} 再检查",
            "en": f"supply what is missing; resume does {steps} again and looks once more",
        }
    return {
        "zh": "这个门禁没有写 redo，resume 不会重新读取：补齐后开始新的运行，或给它写上 redo: 状态.步骤",
        "en": "this gate has no redo, so resume reads nothing again: supply what is missing and begin a new run, "
        "or write redo: STATE.step for it",
    }
