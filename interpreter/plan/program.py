"""The whole program of a workflow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from interpreter import model
from interpreter.diagnostics import Words
from interpreter.documents.loading import Documents
from interpreter.engine.data import Names
from interpreter.engine.frame import Condition
from interpreter.engine.program import (
    END,
    NOTE_OF_END,
    BudgetPlan,
    ConditionPlan,
    EvidencePlan,
    GatePlan,
    GuaranteePlan,
    OutputPlan,
    Program,
    SelectorPlan,
    StatePlan,
    TransitionPlan,
    note_of_way,
    place_of,
)
from interpreter.flow.marks import marked_in, outputs_marked
from interpreter.plan.contracts import contract_of
from interpreter.plan.shapes import declaration_of, plain, problem_of, shape_of
from interpreter.plan.steps import Hidden, StepPlanner
from interpreter.plan.values import constant_of, seconds_of, where_of
from interpreter.pointers import bodies_in, citations_in
from interpreter.ports import JsonObject
from interpreter.safety.masking import NOTHING, WHOLE
from interpreter.selecting import selected_tools
from interpreter.steps import all_steps
from rules.ready import EVALUATION_ERRORS, Evaluable
from rules.records import NamedTuple
from rules.values import digest

if TYPE_CHECKING:
    from rules.documents import RuleDocument

#: Ways of answering that may permit a write; a profile may add more.
CONFIRM_THROUGH = frozenset({"terminal", "answer-command"})
PROGRESS_FIRST = 60.0
PROGRESS_EVERY = 60.0


def plan_workflow(
    documents: Documents,
    *,
    rules: Mapping[str, RuleDocument] | None = None,
    available_tools: frozenset[str] | None = None,
    confirm_through: frozenset[str] = CONFIRM_THROUGH,
) -> Program:
    """Return the program of a workflow without errors.

    Shapes: `rules` replaces the rule documents where thresholds were overridden; `available_tools` are the tools that
    the profile answers.
    Errors: none for documents that the checks accept; anything raised is a bug.
    """
    planner = _Planner(documents, rules or documents.rules, available_tools, confirm_through)
    return planner.program(documents.workflow)


class _Planner:
    def __init__(
        self,
        documents: Documents,
        rules: Mapping[str, RuleDocument],
        available_tools: frozenset[str] | None,
        confirm_through: frozenset[str],
    ) -> None:
        self._documents = documents
        self._rules = rules
        self._available = available_tools
        self._confirm_through = confirm_through
        self._programs: dict[str, Program] = {}

    def program(self, workflow: model.Workflow) -> Program:
        for name, _ in workflow.uses.workflows:
            if name not in self._programs and name in self._documents.workflows:
                self._programs[name] = self.program(self._documents.workflows[name])
        return _WorkflowPlanner(
            workflow, self._documents, self._rules, self._programs, self._available, self._confirm_through
        ).program()


class _WorkflowPlanner:
    def __init__(
        self,
        workflow: model.Workflow,
        documents: Documents,
        rules: Mapping[str, RuleDocument],
        programs: Mapping[str, Program],
        available_tools: frozenset[str] | None,
        confirm_through: frozenset[str],
    ) -> None:
        self._workflow = workflow
        self._documents = documents
        used = {name for name, _ in workflow.uses.rules}
        self._rules = {name: document for name, document in rules.items() if name in used}
        self._programs = programs
        self._available = available_tools
        self._confirm_through = confirm_through
        declared = (*workflow.inputs, *workflow.data)
        self._data = {one.name: declaration_of(one) for one in declared}
        self._schemas: dict[str, Mapping[str, Any]] = {one.name: one.schema for one in declared}
        guaranteed = frozenset(
            name
            for guarantee in workflow.guarantees
            for selector in (guarantee.subject, guarantee.other, guarantee.since)
            if selector is not None
            for name in selector.steps
        )
        self._sensitive = marked_in(documents, workflow, "sensitive")
        private = marked_in(documents, workflow, "private")
        self._steps = StepPlanner(
            workflow, self._data, self._schemas, programs, guaranteed, Hidden(self._sensitive, private)
        )
        self._compiler = self._steps.compiler
        self._admits = any(_admits(one) for one in (documents.workflow, workflow, *documents.workflows.values()))
        self._compiler.tells_joins = self._admits
        self._outputs = outputs_marked(workflow, self._sensitive.at(None), "sensitive")
        self._steps.enter(None)
        self._gates = {gate.name: self._gate(gate) for gate in workflow.gates}
        self._enter = {state.name: state.enter for state in workflow.states}
        self._notes = {END: NOTE_OF_END} | {state.name: _note_of_state(state) for state in workflow.states}

    def program(self) -> Program:
        workflow, documents = self._workflow, self._documents
        states = {state.name: self._state(state) for state in workflow.states}
        self._steps.enter(None)
        contracts = {name: contract_of(contract) for name, contract in documents.tools.items()}
        compiler = self._compiler
        return Program(
            name=workflow.name,
            version=workflow.version,
            title=constant_of(workflow.title, None),
            effect=workflow.effect,  # type: ignore[arg-type]
            first_state=workflow.states[0].name,
            states=states,
            inputs=tuple(self._data[one.name] for one in workflow.inputs),
            data=self._data,
            outputs=tuple(self._output(one) for one in workflow.outputs),
            rules=self._rules,
            rule_values={name: document.values for name, document in self._rules.items()},
            contracts=contracts,
            available_tools=self._available if self._available is not None else frozenset(contracts),
            every_call=compiler.named(workflow.every_call),
            budgets=tuple(self._budget(budget) for budget in workflow.budgets),
            pools={name: compiler.whole(size, 1) for name, size, _ in workflow.pools},
            guarantees=tuple(self._guarantee(guarantee) for guarantee in workflow.guarantees),
            labels=_labels(documents.types),
            writes_without_confirmation={
                one.tool: constant_of(one.reason) for one in workflow.writes_without_confirmation
            },
            confirm_through=self._confirm_through,
            digest=digest(dict(documents.digests)),
            workflows=dict(self._programs),
            questions=self._steps.questions,
            hidden=compiler.hidden & frozenset(self._data),
            evidence=self._evidence() if self._admits else None,
        )

    def _evidence(self) -> EvidencePlan:
        """Return how the workflow cites, and which of its inputs hold text that was read."""
        marked = {one.name: bodies_in(one.schema) for one in self._workflow.inputs}
        fields = self._workflow.citation
        citation = self._compiler.value(model.MappingOf(fields, self._workflow.span)) if fields else _path_and_quote
        names = frozenset(name for name, _, _ in fields) or frozenset({"path", "quote"})
        bodies = {name: found for name, found in marked.items() if found is not None}
        typed = {name: citations_in(schema) for name, schema in self._schemas.items()}
        return EvidencePlan(
            citation, names, bodies, {name: found for name, found in typed.items() if found is not None}
        )

    def _state(self, state: model.State) -> StatePlan:
        sequence, questions = self._steps.state(state)
        progress = state.progress
        common = self._workflow.progress
        first = (progress and progress.first) or (common and common.first)
        every = (progress and progress.every) or (common and common.every)
        words = [one.text for one in (progress, common) if one is not None and one.text is not None]
        return StatePlan(
            name=state.name,
            note=self._notes[state.name],
            title=constant_of(state.title, None),
            tools=frozenset(tool for tool, _ in state.tools or ()),
            enter=self._gates_before(state.name),
            resets=tuple(name for name, _ in state.resets),
            questions=questions,
            progress=self._compiler.optional_shown(words[0]) if words else None,
            first=seconds_of(first) if first else PROGRESS_FIRST,
            every=seconds_of(every) if every else PROGRESS_EVERY,
            when_cancelled=state.when_cancelled[0] if state.when_cancelled is not None else None,
            steps=sequence,
            next=tuple(self._transition(state.name, number, one) for number, one in enumerate(state.next, start=1)),
            where=where_of(state.name_span),
        )

    def _transition(self, state: str, number: int, transition: model.Transition) -> TransitionPlan:
        compiler = self._compiler
        gates = tuple(self._named_gate(gate) for gate in transition.gates) + self._gates_before(transition.to)
        return TransitionPlan(
            number=number,
            place=place_of(state, number),
            note={**self._notes[transition.to], **note_of_way(state, gates)},
            to=transition.to,
            when=compiler.optional_condition(transition.when),
            gates=gates,
            all_hold=_all_hold(gates),
            at_most=compiler.optional_whole(transition.at_most, 0),
            partial=compiler.optional_shown(transition.partial),
            where=where_of(transition.span),
        )

    def _gates_before(self, name: str) -> tuple[GatePlan, ...]:
        """Return the gates that protect a state, none for the end."""
        return tuple(self._named_gate(gate) for gate in self._enter.get(name, ()))

    def _named_gate(self, named: model.NamedGate) -> GatePlan:
        if named.name in self._gates:
            return self._gates[named.name]
        document, _, name = named.name.partition(".")
        gate = self._gate_of_rules(self._rules[document], name, named)
        self._gates[named.name] = gate
        return gate

    def _gate_of_rules(self, document: RuleDocument, name: str, named: model.NamedGate) -> GatePlan:
        from interpreter.plan.rule_gates import gate_of_rules

        with self._steps.within(None):  # a gate sees the names that are known everywhere
            return gate_of_rules(self._documents, document, name, named, self._compiler)

    def _gate(self, gate: model.Gate) -> GatePlan:
        conditions = tuple(self._condition(condition) for condition in gate.conditions)
        return GatePlan(gate.name, conditions, gate.redo, gate.waivable)

    def _condition(self, condition: model.Condition) -> ConditionPlan:
        that = condition.that
        return ConditionPlan(
            that=self._compiler.optional_condition(that),
            confirmed=condition.confirmed,
            message=self._compiler.optional_shown(condition.message),
            text=that.expression.text if that is not None else f"confirmed: {condition.confirmed}",
            where=where_of(condition.span),
            expression=that.expression if that is not None else None,
        )

    def _output(self, output: model.Declared) -> OutputPlan:
        value = (
            self._compiler.value(output.value)
            if output.value is not None
            else (lambda names: constant_of(output.default))
        )
        marks = self._outputs.get(output.name, NOTHING)
        if output.private:
            marks = WHOLE
        default = constant_of(output.default)
        citations = citations_in(output.schema)
        accepts = shape_of(output.schema).accepts
        problem = problem_of(output.schema, output.private)

        def problem_of_any(found: Any) -> Words | None:
            return problem(plain(found))

        return OutputPlan(
            name=output.name,
            value=value,
            default=default,
            accepts=accepts,
            problem=problem_of_any,
            where=where_of(output.span),
            private=output.private,
            sensitive=output.sensitive,
            marks=marks,
            citations=citations,
        )

    def _budget(self, budget: model.Budget) -> BudgetPlan:
        per = self._compiler.expression(budget.per) if budget.per is not None else None
        at_most = self._compiler.optional_whole(budget.at_most, 0) or (lambda names: 2**62)
        return BudgetPlan(budget.name, budget.calls, per, at_most, budget.when_spent)

    def _guarantee(self, guarantee: model.Guarantee) -> GuaranteePlan:
        condition = guarantee.condition
        return GuaranteePlan(
            id=guarantee.id,
            kind=guarantee.kind,
            subject=self._selector(guarantee.subject),
            other=self._selector(guarantee.other),
            since=self._selector(guarantee.since),
            only_in=frozenset(guarantee.only_in),
            condition=self._compiler.optional_condition(condition),
            condition_names=frozenset(use.name for use in condition.expression.names)
            if condition is not None
            else frozenset(),
            message=constant_of(guarantee.message, None),
            where=where_of(guarantee.span),
        )

    def _selector(self, selector: model.Selector | None) -> SelectorPlan | None:
        if selector is None:
            return None
        states = frozenset(selector.in_states)
        if selector.states:
            return SelectorPlan("state", frozenset(selector.states), states)
        if selector.confirms:
            return SelectorPlan("confirm", frozenset(selector.confirms), states)
        if selector.steps:
            return SelectorPlan("step", frozenset(selector.steps), states)
        if selector.gates:
            return SelectorPlan("gate", frozenset(selector.gates), states)
        return SelectorPlan("call", selected_tools(selector, self._documents.tools), states)


def _admits(workflow: model.Workflow) -> bool:
    """Whether a workflow admits evidence, or binds what points at some."""
    return any(
        isinstance(step, model.AdmitStep) or (isinstance(step, model.CallStep) and step.bind is not None)
        for step in all_steps(workflow)
    )


def _path_and_quote(names: Names) -> JsonObject:
    """Return how a unit is cited where the workflow does not say it."""
    return {"path": names["unit"]["path"], "quote": names["unit"]["text"]}


def _note_of_state(state: model.State) -> JsonObject:
    note = {"note": "state", "state": state.name}
    title = constant_of(state.title, None)
    return {**note, "title": title} if title else note


def _all_hold(gates: tuple[GatePlan, ...]) -> Condition:
    """Return what says at once whether all gates hold; never, where one of them asks for a confirmation."""
    asked: list[Evaluable | _Asked] = []
    for condition in (condition for gate in gates for condition in gate.conditions):
        if condition.that is None:
            return lambda names: False
        asked.append(condition.expression or _Asked(condition.that))

    def all_hold(names: Names) -> bool:
        try:
            for expression in asked:
                if expression.run(names) is not True:
                    return False
        except EVALUATION_ERRORS:
            return False
        return True

    return all_hold


class _Asked(NamedTuple):
    """A condition that sees more names than those of its workflow, asked like an expression."""

    run: Condition


def _labels(types: Mapping[str, model.TypeDocument]) -> dict[str, Mapping[str, Any]]:
    return {f"{document.name}#{name}": words for document in types.values() for name, words in document.labels.items()}
