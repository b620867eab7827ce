"""What one run of a program holds, and what every step may ask of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from interpreter.engine.budgets import Budgets, Ledger
from interpreter.engine.data import Declaration, Names, Unfit, keyed, stored, with_defaults
from interpreter.engine.frame import Frame
from interpreter.engine.made import Made, UnknownWrites, identity_of, write_from
from interpreter.engine.monitor import Monitor
from interpreter.engine.permissions import Permissions
from interpreter.engine.program import (
    ContractPlan,
    EventKind,
    GuaranteePlan,
    LocatedFailure,
    OutputPlan,
    Program,
    StatePlan,
    Where,
    at_place,
    place_of,
)
from interpreter.engine.questions import AnswerCheck, QuestionStep, check_choice
from interpreter.engine.steps import Step
from interpreter.ports import Answer, Blocked, JsonObject, Question, Run
from interpreter.safety.masking import MASK, taking_out, texts_in
from rules.values import ABSENT, CannotEvaluate, digest

#: Steps between two looks at whether somebody wants to stop; a stretch of pure steps takes some milliseconds.
STEPS_BETWEEN_LOOKS = 20_000
#: Steps of one run in all. A workflow that needs more does not end.
STEPS_IN_ALL = 50_000_000
#: Facts of findings whose words come from a tool or a validator, so that they may repeat what was sent.
_WORDS_OF_OTHERS = frozenset({"error", "error_message", "problem", "problem_zh"})


class RunFailed(Exception):
    """A guarantee was violated, or the workflow said `fail`. Shapes: `finding` as in `Blocked`."""

    def __init__(self, finding: JsonObject) -> None:
        self.finding = finding
        super().__init__(str(finding.get("code")))


class Core:
    """The state of a run that is not data: counts, permissions, failures, the present state.

    Shapes: `names` are the names at the top; `prefix` stands before every key (a workflow used by another has one);
    `caller` is the frame that uses this workflow, None for the outermost; `once` are the calls that are made once, by
    tool and input; `noticed` are the data of which somebody takes note when they change, `changed` those under a
    guarantee that did since they were looked at.
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
        caller: Frame | None = None,
        keeps_entry: bool = False,
    ) -> None:
        self.program = program
        self.run = run
        self.run_id = run_id
        self.prefix = prefix
        self.caller = caller
        self.keeps_entry = keeps_entry
        self.outermost: Core = caller.core.outermost if caller is not None else self
        self.question_prefix: str = (
            f"{caller.core.question_prefix}{prefix.strip('/').rpartition('/')[2]}." if caller is not None else ""
        )
        self.budgets = Budgets(program.budgets)
        self.permissions = Permissions()
        self.unknown_writes: UnknownWrites = caller.unknown_writes if caller is not None else UnknownWrites()
        self.once: dict[str, Made] = {}
        self.ledgers: dict[str, Ledger] = {}
        self.visits: defaultdict[str, int] = defaultdict(int)
        self.taken: defaultdict[str, int] = defaultdict(int)
        self.question_visits: dict[str, int] = {}
        self.state: StatePlan | None = None
        self.evidence = _evidence_of(program, caller)
        self._pool_sizes: dict[str, int] = {}
        self.steps_left = STEPS_BETWEEN_LOOKS
        self.looks_left = STEPS_IN_ALL // STEPS_BETWEEN_LOOKS
        self._computed: Names = {}
        self._not_begun: CannotEvaluate | None = None
        run_values = {
            "id": run_id,
            "state": "",
            "workflow": program.name,
            "started_at": started_at,
            "timezone": timezone,
            "language": language,
            "failures": [],
        }
        self.names: Names = self._first_names(inputs, run_values)
        self._take_inputs_as_evidence(started_at)
        self.root = Frame(self, self.names, prefix, "")
        if caller is not None and caller.at_once:
            self.root.at_once = prefix
        self.monitor = Monitor(program.guarantees, lambda question: self.is_confirmed(question, self.root))
        self._watched = frozenset(
            name for one in program.guarantees if one.kind == "always" for name in one.condition_names
        )
        self.noticed = self._watched.union(*(question.shows_names for question in program.questions.values()))
        self.changed: set[str] = set(self._watched)  # what the run begins with is looked at too
        self._taken_up: set[str] = set()
        self._versions: dict[str, int] = {}
        self._shown: dict[str, tuple[tuple[int, ...], str]] = {}
        self._entry: JsonObject = {}
        self._at_end: JsonObject | None = None  # what the outputs said when the run came to its end
        self._shared = (*program.rule_values, *program.data, *program.questions, "run")

    def _first_names(self, inputs: Mapping[str, Any], run_values: JsonObject) -> Names:
        """Return the names that a run begins with: those of rules, inputs, data with a default, `run`.

        The first computed default that has no value keeps the run from beginning.
        """
        names: Names = dict(self.program.rule_values)
        known = {"run": run_values}
        for name, declaration in self.program.data.items():
            if name in inputs:
                names[name] = _initial(inputs[name], declaration)
            elif declaration.default is not ABSENT:
                names[name] = _by_default(declaration)
            elif declaration.computed is not None:
                try:
                    self._computed[name] = _initial(declaration.computed(known), declaration)
                except CannotEvaluate as error:
                    self._not_begun = self._not_begun or error
        return {**names, **known, **self._computed}

    def _take_inputs_as_evidence(self, started_at: str) -> None:
        """Let passages be quoted from inputs that the workflow names as evidence."""
        if self.evidence is None or self.program.evidence is None or self.caller is not None:
            return
        for name, bodies in self.program.evidence.inputs.items():
            if name in self.names:
                self.evidence.take_input(name, started_at, self.names[name], bodies)

    def check_begun(self) -> None:
        """Raise what kept a default from being computed. Errors: Blocked."""
        error = self._not_begun
        if error is not None:
            where = self.program.states[self.program.first_state].where
            raise self._not_evaluated(error, where, {"reason": error.code, **_shown_facts(error.facts)})

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
            "facts": {
                name: self.without_hidden(value) if name in _WORDS_OF_OTHERS else value for name, value in facts.items()
            },
            "state": self.state.name if self.state else "",
        }
        if where is not None:
            finding["where"] = where.as_json()
        return finding

    def without_hidden(self, words: Any) -> Any:
        """Return words that a tool or a validator made without the values of private and sensitive data."""
        return self.taking_out_hidden()(words)

    def taking_out_hidden(self) -> Callable[[Any], Any]:
        """Return what takes the values that private and sensitive data have now out of words and values."""
        core: Core | None = self
        hidden: set[str] = set()
        while core is not None:
            for name in core.program.hidden:
                hidden.update(texts_in(core.names.get(name)))
            core = core.caller.core if core.caller is not None else None
        return taking_out(hidden)

    def located(self, error: CannotEvaluate, step: Step) -> Blocked:
        """Turn an expression that could not be evaluated into a stop with its place."""
        root = str(error.facts.get("path", "")).partition(".")[0].partition("[")[0]
        hides = step.hides or root in self.program.hidden
        expression = None
        if isinstance(error, LocatedFailure):
            hides, expression = hides or error.hides, error.expression
        shown = _masked_facts(error.facts, expression) if hides else _shown_facts(error.facts)
        if isinstance(error, Unfit):
            shown |= error.told(hides=hides)
        return self._not_evaluated(error, step.where, {"reason": error.code, "step": step.name, **shown})

    def _not_evaluated(self, error: CannotEvaluate, where: Where, facts: JsonObject) -> Blocked:
        """Return the stop of something without a value. Shapes: `where` is its place where it knows none itself."""
        if isinstance(error, LocatedFailure):
            where, facts = error.where, {**facts, "expression": error.expression}
        return Blocked("", self.finding("run/could-not-be-evaluated", where, facts))

    async def block_at(self, key: str, step: Step, code: str, **facts: Any) -> JsonObject:
        """Stop as blocked at a key, or go on with what was decided there."""
        return await self.stop_at(key, self.finding(code, step.where, {"step": step.name, **facts}))

    async def stop_at(self, key: str, finding: JsonObject) -> JsonObject:
        """Stop as blocked at a key, or go on with what was decided there; budgets are granted at any stop."""
        decision = await self.run.block(key, finding)
        self.add_budgets(decision)
        return decision

    def violated(self, code: str, step: Step, facts: Mapping[str, Any]) -> NoReturn:
        raise RunFailed(self.finding(code, step.where, facts))

    @property
    def failures(self) -> list[JsonObject]:
        """Return the failures that the workflow kept as data."""
        return self.root.failures

    async def too_many_failures(self, frame: Frame, step: Step, failures: list[JsonObject]) -> None:
        """An `each` that kept more failures than it may stops the run; a resume goes on all the same."""
        key = f"{frame.key}/{step.name}/failures{len(failures)}"
        await self.block_at(key, step, "run/too-many-failures", count=len(failures))

    # --- calls --------------------------------------------------------------------------------------------------------

    def check_allowed(self, frame: Frame, step: Step, tool: str) -> None:
        state = self.program.states.get(frame.state)
        if state is not None and tool not in state.tools:
            self.violated("run/tool-not-allowed", step, {"tool": tool, "state": frame.state})
        if self.caller is not None:
            self.caller.core.check_allowed(self.caller, step, tool)

    def add_budgets(self, decision: JsonObject) -> None:
        """Add what a person granted when resuming."""
        name = str(decision.get("id", ""))
        if name and name in self._taken_up:
            return
        self._taken_up.add(name)
        self.budgets.add(decision.get("budgets", {}))
        if self.caller is not None:
            self.caller.core.add_budgets(decision)

    def about_to_call(self, frame: Frame, contract: ContractPlan) -> None:
        """Tell the monitor of a call before it is made."""
        self.tell("call", contract.name, frame.state, frame.names)
        if contract.effect != "read" and self.changed:
            self.check_data(frame.names)

    def made_once(self, tool: str, arguments: JsonObject, *, is_write: bool) -> Made:
        """Return what is known of a call that is made once for the same tool and input."""
        return self.once.setdefault(identity_of(tool, arguments), Made(is_write=is_write))

    def pool_size(self, pool: str | None, frame: Frame) -> int | None:
        """Return how many calls a pool takes at once, as it was when it was first asked for."""
        if pool is None:
            return None
        size = self._pool_sizes.get(pool)
        if size is None:
            size = self._pool_sizes[pool] = int(self.program.pools[pool](frame.names))
        return size

    # --- questions ----------------------------------------------------------------------------------------------------

    def next_visit(self, question: str) -> int:
        """Count the askings of a question in the whole run, by the name that people see."""
        visits = self.outermost.question_visits
        visits[question] = visits.get(question, 0) + 1
        return visits[question]

    def shown_digest(self, question: str, frame: Frame) -> str:
        """Return the digest of what a question would show now; it is computed anew only when data under it changed.

        A plan of thousands of entries is looked at before each of its writes.
        """
        step: QuestionStep = self.program.questions[question]
        versions = tuple(self._versions.get(name, 0) for name in step.shows_names)
        known = self._shown.get(question)
        if known is not None and known[0] == versions:
            return known[1]
        shown = digest(step.shows(frame.names) if step.shows is not None else None)
        self._shown[question] = (versions, shown)
        return shown

    def asks_nobody(self, tool: str) -> bool:
        """Say whether a tool writes without a confirmation here; whoever uses this workflow has to allow it as well."""
        lifted = self.program.writes_without_confirmation
        return ("" in lifted or tool in lifted) and (self.caller is None or self.caller.core.asks_nobody(tool))

    def is_confirmed(self, question: str, frame: Frame) -> bool:
        try:
            return self.permissions.is_valid(question, self.shown_digest(question, frame))
        except CannotEvaluate:
            return False

    def confirmed(self, question: str, frame: Frame) -> None:
        self.tell("confirm", question, frame.state, frame.names)

    def check_through(self, step: Step, question: Question, answer: Answer) -> None:
        """A confirmation that permits writes takes only the ways of answering that the profile allows."""
        if question.writes and answer.through not in self.program.confirm_through and not answer.saw_digest:
            self.violated("run/answered-through", step, {"question": question.name, "through": answer.through})

    def plain_choice(self, question: Question) -> AnswerCheck:
        return AnswerCheck(lambda body, language: check_choice(question.choices, body), lambda partial: [])

    # --- the monitor --------------------------------------------------------------------------------------------------

    def tell(self, kind: EventKind, name: str, state: str, names: Names) -> None:
        """Tell the monitor what is about to happen in a state; whoever uses this workflow learns of calls too."""
        if kind in self.monitor.kinds:
            broken = self.monitor.event(kind, name, state, names)
            if broken is not None:
                raise RunFailed(self._broken(broken, name))
        if kind == "call" and self.caller is not None:
            self.caller.core.tell(kind, name, self.caller.state, self.caller.names)

    def step_done(self, name: str) -> None:
        state = self.state.name if self.state is not None else ""
        self.tell("step", name, state, self.names)

    def data_changed(self, root: str) -> None:
        """Take note that a name of declared data stands for another value now."""
        if root not in self.noticed:
            return
        self._versions[root] = self._versions.get(root, 0) + 1
        if root in self._watched:
            self.changed.add(root)

    def check_data(self, names: Names) -> None:
        """Look at the conditions over data that changed since the last look."""
        changed, self.changed = self.changed, set()
        broken = self.monitor.data(names, changed)
        if broken is not None:
            raise RunFailed(self._broken(broken, ""))

    def _broken(self, guarantee: GuaranteePlan, event: str) -> JsonObject:
        return self.finding("run/guarantee-violated", guarantee.where, {"guarantee": guarantee.id, "event": event})

    # --- going on under edited documents ------------------------------------------------------------------------------

    def mark_entry(self, target: str) -> None:
        """Keep how things stood before a state is entered; lists are let go, so that nobody changes them in place."""
        self.root.owned.clear()
        kept = (*self.program.data, *self.program.questions)
        self._entry = {
            "state": target,
            "names": {name: self.names[name] for name in kept if name in self.names},
            "taken": [[*at_place(place), count] for place, count in self.taken.items() if count],
            "budgets": self.budgets.as_json(),
            "failures": list(self.names["run"]["failures"]),
            "monitor": self.monitor.as_json(),
            "unknown": self.unknown_writes.as_json(),  # what this visit finds out has to be found out anew
        }

    def snapshot(self) -> JsonObject:
        """Return how things stood when the present state was entered.

        Visits and questions count on: no key is made twice, and no question asked.
        """
        return {
            **self._entry,
            "visits": dict(self.visits),
            "question_visits": dict(self.question_visits),
            "once": [
                made.as_json(one) for one, made in self.once.items() if made.is_write and made.outcome is not None
            ],
            **({"evidence": self.evidence.as_json()} if self.evidence is not None else {}),
        }

    def restore(self, snapshot: JsonObject) -> None:
        """Take up a snapshot that an earlier program made; data that are no longer declared are left out.

        Errors: CannotEvaluate where a value does not fit what is declared now.
        """
        for name, value in snapshot["names"].items():
            declaration = self.program.data.get(name)
            if declaration is not None:
                self.names[name] = _initial(value, declaration)
            elif name in self.program.questions:
                self.names[name] = value
        self.visits.update(snapshot["visits"])
        self.taken.clear()
        self.taken.update({place_of(state, number): count for state, number, count in snapshot["taken"]})
        self.question_visits = dict(snapshot["question_visits"])
        self.budgets.restore(snapshot["budgets"])
        self.monitor.restore(snapshot["monitor"])
        self.unknown_writes.restore(snapshot.get("unknown", []))
        self.once = {one["identity"]: write_from(one) for one in snapshot.get("once", [])}
        self.root.add_failures(snapshot["failures"])
        if self.evidence is not None:
            self.evidence.restore(snapshot.get("evidence", {}))

    # --- the present state --------------------------------------------------------------------------------------------

    def go_to(self, state: StatePlan) -> None:
        """Take note of another state that is entered."""
        self.state = state
        self.names["run"] = {**self.names["run"], "state": state.name}

    def clear_for(self, state: StatePlan) -> None:
        """Let data begin anew, and forget answers to questions, as a state that is entered says."""
        for name in state.resets:
            declaration = self.program.data[name]
            self.root.owned.discard(name)
            if name in self._computed:
                self.names[name] = self._computed[name]
            elif declaration.default is ABSENT:
                self.names.pop(name, None)
            else:
                self.names[name] = _by_default(declaration)
            self.data_changed(name)
        for question in state.questions:
            self.names.pop(question, None)
            self.permissions.ask(question)

    def check_outputs(self) -> None:
        """Look at the outputs of a run that comes to its end; from here on they stay as they are.

        Errors: Blocked(`run/output-unfit`) where one is not what the workflow declares; null is the lack of one.
        """
        values: JsonObject = {}
        for output in self.program.outputs:
            value = values[output.name] = self._output(output)
            if value is not None and not self._fits(output, value):
                problem = output.problem(value)
                facts = {
                    "output": output.name,
                    "problem": self.without_hidden(problem._asdict() if problem is not None else {}),
                }
                raise Blocked("", self.finding("run/output-unfit", output.where, facts))
        self._at_end = values

    def outputs(self) -> JsonObject:
        """Return the outputs as they stand now; one that cannot be evaluated, is absent, or is not what the workflow
        declares has its default, else null.

        Every quotation in them is looked up once more where it was read; one that does not stand there is none.
        """
        result: JsonObject = {}
        for output in self.program.outputs:
            value = self._at_end[output.name] if self._at_end is not None else self._fitting(output)
            if value is None:
                value = output.default
            result[output.name] = None if value is ABSENT else value
        if self.evidence is not None or any(output.citations is not None for output in self.program.outputs):
            from interpreter.engine.quoting import checked_quotations

            return checked_quotations(self, result)
        return result

    def _fitting(self, output: OutputPlan) -> Any:
        """Return what an output says, None where that is not what the workflow declares."""
        value = self._output(output)
        return value if value is None or self._fits(output, value) else None

    def _fits(self, output: OutputPlan, value: Any) -> bool:
        """Say whether a value is what the workflow declares; what is shown as no evidence is not looked at further."""
        if output.accepts is None or output.accepts(value):
            return True
        if output.citations is None:
            return False
        from interpreter.engine.quoting import is_refused

        return is_refused(self, output, value)

    def _output(self, output: OutputPlan) -> Any:
        """Return what an output says; None where nothing can be said."""
        try:
            value = output.value(self.names)
        except CannotEvaluate:
            return None
        return None if value is ABSENT else value


def _evidence_of(program: Program, caller: Frame | None) -> Any:
    """Return the evidence of a run; a workflow that is used shares that of its caller."""
    if caller is not None:
        return caller.evidence
    if program.evidence is None:
        return None
    from interpreter.evidence import Evidence  # not needed by every workflow

    return Evidence()


def _initial(value: Any, declaration: Declaration) -> Any:
    return keyed(stored(value, declaration.shape, declaration.name), declaration.key, declaration.name)


def _by_default(declaration: Declaration) -> Any:
    """Return what declared data begin with; a default stands as it is, also one that is there to be asked for."""
    value = with_defaults(declaration.default, declaration.shape)
    return keyed(value, declaration.key, declaration.name)


def _masked_facts(facts: Mapping[str, Any], expression: str | None) -> JsonObject:
    """Return facts without values: kinds stay, and what the author wrote."""
    known = {"path", "wanted", "at_most"} if expression is not None else {"path", "wanted", "at_most", "field"}
    return {
        name: value
        if name in known
        or name.endswith("_zh")
        or f"{name}_zh" in facts
        or (isinstance(value, str) and expression is not None and value in expression)
        else MASK
        for name, value in facts.items()
    }


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
