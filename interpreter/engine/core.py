"""What one run of a program holds, and what every step may ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from interpreter.engine.budgets import Budgets
from interpreter.engine.data import Names
from interpreter.engine.frame import Frame
from interpreter.engine.monitor import Event, Monitor
from interpreter.engine.permissions import Permissions
from interpreter.engine.program import ContractPlan, GuaranteePlan, Program, StatePlan, Where
from interpreter.engine.questions import AnswerCheck, QuestionStep, check_choice
from interpreter.engine.steps import Step
from interpreter.ports import Answer, Blocked, JsonObject, Question, Run
from rules.values import ABSENT, CannotEvaluate

#: Steps between two looks at whether somebody wants to stop; a stretch of pure steps takes some milliseconds.
STEPS_BETWEEN_LOOKS = 20_000
#: Steps of one run in all. A workflow that needs more does not end.
STEPS_IN_ALL = 50_000_000


class RunFailed(Exception):
    """A guarantee was violated, or the workflow said `fail`. Shapes: `finding` as in `Blocked`."""

    def __init__(self, finding: JsonObject) -> None:
        self.finding = finding
        super().__init__(str(finding.get("code")))


class Core:
    """The state of a run that is not data: counts, permissions, failures, the present state.

    Shapes: `names` are the names at the top; `prefix` stands before every key (a workflow used by another has one).
    """

    def __init__(
        self,
        program: Program,
        run: Run,
        *,
        run_id: str,
        started_at: str,
        timezone: str,
        language: str,
        inputs: Mapping[str, Any],
        prefix: str = "",
        parent: Core | None = None,
    ) -> None:
        self.program = program
        self.run = run
        self.run_id = run_id
        self.prefix = prefix
        self.parent = parent
        self.question_prefix = f"{prefix.strip('/').rpartition('/')[2]}." if parent is not None else ""
        self.budgets = Budgets(program.budgets)
        self.permissions = Permissions()
        self.failures: list[JsonObject] = []
        self.once: dict[tuple[str, str], JsonObject] = {}
        self.visits: dict[str, int] = {}
        self.taken: dict[tuple[str, int], int] = {}
        self.question_visits: dict[str, int] = {}
        self.state: StatePlan | None = None
        self.steps_left = STEPS_BETWEEN_LOOKS
        self.looks_left = STEPS_IN_ALL // STEPS_BETWEEN_LOOKS
        self.names: Names = dict(program.rule_values)
        for name, declaration in program.data.items():
            value = inputs.get(name, declaration.default)
            if value is not ABSENT:
                self.names[name] = _initial(value, declaration)
        self.names["run"] = {
            "id": run_id,
            "state": "",
            "workflow": program.name,
            "started_at": started_at,
            "timezone": timezone,
            "language": language,
            "failures": [],
        }
        self.root = Frame(self, self.names, prefix, "")
        self.monitor = Monitor(program.guarantees, lambda question: self.is_confirmed(question, self.root))
        self.watches_data = self.monitor.watches_data
        self._data_changed = False
        self._shared = (*program.rule_values, *program.data, *program.questions, "run")

    def shared_names(self) -> tuple[str, ...]:
        """Return the names that a block sees beside what it takes."""
        return self._shared

    # --- bounds -------------------------------------------------------------------------------------------------------

    def out_of_steps(self, step: Step) -> None:
        """Look up from a long stretch of pure steps; end a run that does not end."""
        self.steps_left = STEPS_BETWEEN_LOOKS
        self.looks_left -= 1
        self.run.look_up(f"{self.prefix}{step.name}")
        if self.looks_left < 0:
            raise RunFailed(self.finding("run/too-many-steps", step.where, {"at_most": STEPS_IN_ALL}))

    # --- findings -----------------------------------------------------------------------------------------------------

    def finding(self, code: str, where: Where | None, facts: Mapping[str, Any]) -> JsonObject:
        """Return a finding as it is recorded: a code, facts, a place; words are made when it is shown."""
        finding: JsonObject = {
            "code": code,
            "facts": dict(facts),
            "state": self.state.name if self.state else "",
        }
        if where is not None:
            finding["where"] = where.as_json()
        return finding

    def located(self, error: CannotEvaluate, step: Step) -> Blocked:
        """Turn an expression that could not be evaluated into a stop with its place."""
        where = getattr(error, "where", None) or step.where
        facts = {"reason": error.code, "step": step.name, **_shown_facts(error.facts)}
        expression = getattr(error, "expression", None)
        if expression is not None:
            facts["expression"] = expression
        return Blocked("", self.finding("run/could-not-be-evaluated", where, facts))

    async def block_at(self, frame: Frame, key: str, step: Step, code: str, **facts: Any) -> JsonObject:
        """Stop as blocked at a key, or go on with what was decided there."""
        decision = await self.run.block(key, self.finding(code, step.where, {"step": step.name, **facts}))
        self.budgets.add(decision.get("budgets", {}))
        return decision

    def violated(self, code: str, step: Step, facts: Mapping[str, Any]) -> NoReturn:
        raise RunFailed(self.finding(code, step.where, facts))

    def failed(self, frame: Frame, step: Step, error: JsonObject, tool: str = "") -> None:
        """Keep a failure that the workflow keeps as data in `run.failures`."""
        failure: JsonObject = {
            "state": frame.state,
            "step": step.name,
            "tool": tool,
            "code": error["code"],
            "kind": error["kind"],
            "message": error.get("message", ""),
        }
        self.failures.append(failure)
        frame.names["run"] = {**frame.names["run"], "failures": list(self.failures)}
        if frame.names is not self.names:
            self.names["run"] = {**self.names["run"], "failures": list(self.failures)}

    async def too_many_failures(self, frame: Frame, step: Step, failures: list[JsonObject]) -> None:
        """An `each` that kept more failures than it may stops the run; a resume goes on all the same."""
        key = f"{frame.key}/{step.name}/failures{len(failures)}"
        await self.block_at(frame, key, step, "run/too-many-failures", count=len(failures))

    # --- calls --------------------------------------------------------------------------------------------------------

    def check_allowed(self, frame: Frame, step: Step, tool: str) -> None:
        state = self.program.states.get(frame.state)
        if state is not None and tool not in state.tools:
            self.violated("run/tool-not-allowed", step, {"tool": tool, "state": frame.state})
        if self.parent is not None and self.parent.state is not None:
            self.parent.check_allowed(self.parent.root_of_state(), step, tool)

    def root_of_state(self) -> Frame:
        frame = self.root.inner(self.root.key)
        frame.state = self.state.name if self.state is not None else ""
        return frame

    def about_to_call(self, frame: Frame, contract: ContractPlan) -> None:
        """Tell the monitor of a call before it is made."""
        self.tell(Event("call", contract.name, frame.state), frame.names)
        if contract.effect != "read" and self.watches_data:
            self.check_data(frame.names)

    def pool_size(self, pool: str | None, frame: Frame) -> int | None:
        return int(self.program.pools[pool](frame.names)) if pool is not None else None

    # --- questions ----------------------------------------------------------------------------------------------------

    def next_visit(self, question: str) -> int:
        self.question_visits[question] = self.question_visits.get(question, 0) + 1
        return self.question_visits[question]

    def shown_now(self, question: str, frame: Frame) -> Any:
        step: QuestionStep = self.program.questions[question]
        return step.shows(frame.names) if step.shows is not None else None

    def is_confirmed(self, question: str, frame: Frame) -> bool:
        try:
            return self.permissions.is_valid(question, self.shown_now(question, frame))
        except CannotEvaluate:
            return False

    def confirmed(self, question: str, frame: Frame) -> None:
        self.tell(Event("confirm", question, frame.state), frame.names)

    def check_through(self, step: Step, question: Question, answer: Answer) -> None:
        """A confirmation that permits writes takes only the ways of answering that the profile allows."""
        if question.writes and answer.through not in self.program.confirm_through and not answer.saw_digest:
            self.violated(
                "run/answered-through", step, {"question": question.name, "through": answer.through}
            )

    def plain_choice(self, question: Question) -> AnswerCheck:
        return AnswerCheck(lambda body, language: check_choice(question.choices, body), lambda partial: [])

    # --- the monitor --------------------------------------------------------------------------------------------------

    def tell(self, event: Event, names: Names) -> None:
        broken = self.monitor.event(event, names)
        if broken is not None:
            raise RunFailed(self._broken(broken, event.name))
        if self.parent is not None and self.parent.state is not None and event.kind == "call":
            self.parent.tell(Event("call", event.name, self.parent.state.name), self.parent.names)

    def step_done(self, name: str) -> None:
        state = self.state.name if self.state is not None else ""
        self.tell(Event("step", name, state), self.names)

    def data_changed(self, frame: Frame) -> None:
        self._data_changed = True

    def check_data(self, names: Names) -> None:
        """Look at the conditions over data, if any data changed since the last look."""
        if self._data_changed:
            self._data_changed = False
            broken = self.monitor.data(names)
            if broken is not None:
                raise RunFailed(self._broken(broken, ""))

    def _broken(self, guarantee: GuaranteePlan, event: str) -> JsonObject:
        return self.finding(
            "run/guarantee-violated", guarantee.where, {"guarantee": guarantee.id, "event": event}
        )

    # --- the present state --------------------------------------------------------------------------------------------

    def enter(self, state: StatePlan) -> int:
        """Take note of a state that is entered; returns which visit it is."""
        self.state = state
        self.visits[state.name] = self.visits.get(state.name, 0) + 1
        self.names["run"] = {**self.names["run"], "state": state.name}
        return self.visits[state.name]

    def forget_answers(self, state: StatePlan) -> None:
        for question in state.questions:
            self.names.pop(question, None)
            self.permissions.ask(question)

    def reset(self, names: tuple[str, ...]) -> None:
        for name in names:
            declaration = self.program.data[name]
            self.root.owned.discard(name)
            if declaration.default is ABSENT:
                self.names.pop(name, None)
            else:
                self.names[name] = _initial(declaration.default, declaration)
        if names and self.watches_data:
            self.data_changed(self.root)

    def outputs(self) -> JsonObject:
        """Return the outputs as they stand now; one that cannot be evaluated has its default, else null."""
        result: JsonObject = {}
        for output in self.program.outputs:
            try:
                value = output.value(self.names)
            except CannotEvaluate:
                value = output.default
            result[output.name] = None if value is ABSENT else value
        return result


def _initial(value: Any, declaration: Any) -> Any:
    from interpreter.engine.data import keyed, stored

    return keyed(stored(value, declaration.shape, declaration.name), declaration.key, declaration.name)


def _shown_facts(facts: Mapping[str, Any]) -> JsonObject:
    """Return facts fit for a record: values shortened, so that no large or private value lands in a finding."""
    from rules.values import canonical_text

    result: JsonObject = {}
    for name, value in facts.items():
        if isinstance(value, (str, int, bool)) or value is None:
            text = value if not isinstance(value, str) or len(value) <= 80 else value[:79] + "…"
        else:
            try:
                text = canonical_text(value)[:80]
            except Exception:
                text = type(value).__name__
        result[name] = text
    return result
