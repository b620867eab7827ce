"""What cases name exists and fits: questions, tools, answers, inputs, thresholds, states, rules and their facts.

A case is looked at with the documents alone, so that `lint` says the same of it as `test`, and says it without a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from interpreter.diagnostics import Diagnostic, Words, did_you_mean, errors_of, finding
from interpreter.documents.loading import Documents, Loaded, Loader, name_below, node_at
from interpreter.engine.entering import NotAValue, entering
from interpreter.engine.program import ContractPlan
from interpreter.flow.graph import END, Graph, graph_of
from interpreter.model import AskStep, ConfirmStep
from interpreter.plan.contracts import contract_of
from interpreter.plan.shapes import problem_of_declared
from interpreter.plan.values import constant_of
from interpreter.session.planned import DeclaredInput, not_misspelt, unfit_input
from interpreter.session.preparing import declared_inputs, overridden
from interpreter.source import Span
from interpreter.steps import all_questions
from interpreter.testing.cases import Case, DeclaredAnswer, Expectation, Suite, suite_of, tries_of
from interpreter.testing.rule_cases import check_rule_case, open_rules, rule_suite_of
from interpreter.yaml_tree import Node
from rules.expr import Expression
from rules.records import NamedTuple, replace
from rules.values import ABSENT, dumps

#: The one name in `when` of an answer.
_SENT = "sent"


class Known(NamedTuple):
    """What cases of one workflow may name.

    Shapes: `asked` are the questions of the workflow itself, `asked_inside` those of the workflows that it uses;
    `contracts` are planned when a case first names them.
    """

    documents: Documents
    inputs: tuple[DeclaredInput, ...]
    asked: tuple[ConfirmStep | AskStep, ...]
    asked_inside: tuple[ConfirmStep | AskStep, ...]
    graph: Graph
    contracts: dict[str, ContractPlan]

    def contract(self, tool: str) -> ContractPlan | None:
        if tool not in self.contracts and tool in self.documents.tools:
            self.contracts[tool] = contract_of(self.documents.tools[tool])
        return self.contracts.get(tool)


def known_of(documents: Documents) -> Known:
    asked = tuple(all_questions(documents.workflow))
    asked_inside = tuple(step for one in documents.workflows.values() for step in all_questions(one))
    graph = graph_of(documents.workflow, documents.main.places)
    return Known(documents, declared_inputs(documents), asked, asked_inside, graph, {})


# --- documents --------------------------------------------------------------------------------------------------------


def check_tests(loader: Loader, loaded: Loaded) -> Iterator[Diagnostic]:
    """Yield what is wrong in a tests document whose shape is right.

    Errors: those of `check_case` and `check_rule_case`, test/id-twice, test/no-such-case, name/unknown-document, and
    the errors of what it is about, where that cannot be read.
    """
    assert loaded.node is not None
    path = loader.folder / loaded.name
    suite, found = suite_of(path, loaded.node)
    yield from found
    if suite is not None:
        yield from _check_suite(loader, loaded.node, suite)
        return
    rules, found = rule_suite_of(path, loaded.node)
    yield from found
    if rules is not None:
        document, _, found = open_rules(rules, loader)
        yield from found
        if document is not None:
            for case in rules.cases:
                yield from check_rule_case(document, case)


def _check_suite(loader: Loader, node: Node, suite: Suite) -> Iterator[Diagnostic]:
    if suite.profile is not None:
        yield from _there(loader, name_below(suite.profile, loader.folder), "profile", node_at(node, ("profile",)))
    place = name_below(suite.workflow, loader.folder)
    if loader.load(place, "workflow").source is None:
        yield from _there(loader, place, "workflow", node_at(node, ("workflow",)))
        return
    documents = loader.documents(loader.load(place, "workflow"))
    errors = errors_of(loader.all_diagnostics(place))
    yield from errors
    if documents is not None and not errors:
        known = known_of(documents)
        for case in suite.cases:
            yield from check_case(known, case)


def _there(loader: Loader, place: str, kind: str, node: Node) -> Iterator[Diagnostic]:
    if loader.load(place, kind).source is None:
        yield loader.missing(kind, PurePath(place).stem, node.span)


# --- cases ------------------------------------------------------------------------------------------------------------


def check_case(known: Known, case: Case) -> Iterator[Diagnostic]:
    """Yield what a case names that is not there, and what does not fit.

    Errors: command/unknown-input, command/input-unfit, test/inputs-missing, command/unknown-threshold, tool/unknown,
    tool/unknown-error, type/unknown-argument, test/answer-breaks-contract, name/unknown-question, test/no-such-choice,
    test/not-refused, test/no-such-field, test/no-road, name/unknown-state, name/unknown-data, name/unknown,
    test/no-output, test/injected-unfit, rule/… for a threshold out of its range.
    """
    yield from _inputs(known, case)
    yield from _thresholds(known, case)
    for tool, answers in case.tools.items():
        contract = known.contract(tool)
        if contract is None:
            yield _no_tool(known, tool, case.place("tools", tool))
            continue
        for answer in answers:
            yield from _answer(contract, answer)
    for tool in case.without:
        if tool not in known.documents.tools:
            yield _no_tool(known, tool, case.place("without"))
    yield from _questions(known, case)
    yield from _injected(known, case)
    yield from _expected(known, case)


def _no_tool(known: Known, tool: str, span: Span) -> Diagnostic:
    return finding("tool/unknown", span, hint=did_you_mean(tool, known.documents.tools), tool=tool)


def _inputs(known: Known, case: Case) -> Iterator[Diagnostic]:
    declared = {one.name: one for one in known.inputs}
    for name, value in case.inputs.items():
        span, one = case.place("inputs", name), declared.get(name)
        if one is None:
            yield finding("command/unknown-input", span, hint=did_you_mean(name, declared), name=name)
        elif one.run_of is None or not isinstance(value, Mapping):
            problem = _problem(one, value)
            if problem is not None:
                yield unfit_input(one, problem, span)
    missing = [one.name for one in known.inputs if one.name not in case.inputs]
    missing = [name for name in missing if not declared[name].is_optional and declared[name].run_of is None]
    missing = not_misspelt(missing, case.inputs.keys() - declared.keys())
    if missing:
        yield finding("test/inputs-missing", case.span, case=case.id, names=", ".join(missing))


def _problem(one: DeclaredInput, value: Any) -> Words | None:
    try:
        return one.problem(entering(value))
    except NotAValue as reason:
        return reason.words


def _thresholds(known: Known, case: Case) -> Iterator[Diagnostic]:
    for name, value in case.sets.items():
        text = value if isinstance(value, str) else dumps(value)
        for one in overridden(known.documents, {name: text})[1]:
            yield replace(one, span=case.place("set", name))


def _answer(contract: ContractPlan, answer: DeclaredAnswer) -> Iterator[Diagnostic]:
    if answer.when is not None:
        yield from _sent(answer.when, answer)
    if answer.error is not None:
        code = str(answer.error["code"])
        if code not in contract.errors and "kind" not in answer.error:  # recorded ones, of an adapter, say their kind
            hint = did_you_mean(code, contract.errors)
            yield finding("tool/unknown-error", answer.span, hint=hint, tool=contract.name, error=code)
    elif not answer.breaks_contract:
        problem = contract.check_answer(answer.value(contract.example))
        if problem is not None:
            yield finding(
                "test/answer-breaks-contract",
                answer.span,
                tool=contract.name,
                problem_zh=problem.zh,
                problem_en=problem.en,
            )


def _sent(when: Expression, answer: DeclaredAnswer) -> Iterator[Diagnostic]:
    """Yield names in a condition over what is sent that no call can have."""
    for use in when.names:
        if use.name != _SENT:
            yield finding("name/unknown", answer.span, hint=did_you_mean(use.name, [_SENT]), name=use.name)


def _questions(known: Known, case: Case) -> Iterator[Diagnostic]:
    asked = (*known.asked, *known.asked_inside)
    names = [step.name for step in asked]
    for question, answers in case.answers.items():
        name, span = question.rpartition(".")[2], case.place("answers", question)
        if name not in names:
            yield finding("name/unknown-question", span, hint=did_you_mean(question, names), name=question)
        meant = [step for step in asked if step.name == name]
        for answer in answers if isinstance(answers, list) else [answers]:
            wrong, said, _ = tries_of(answer)
            for one in wrong:
                yield from _not_refused(meant, one, span)
            yield from _answered(meant, said, span)


def _answered(meant: list[ConfirmStep | AskStep], answer: Any, span: Span) -> Iterator[Diagnostic]:
    """Yield an answer that none of the questions of a name takes: a choice or a field that it does not have."""
    if not meant or answer is ABSENT or (isinstance(answer, Mapping) and "ending" in answer):
        return
    if isinstance(meant[0], ConfirmStep):
        typed = answer.get("choice") if isinstance(answer, Mapping) else answer
        offered = [_offered(step) for step in meant if isinstance(step, ConfirmStep)]
        if isinstance(typed, str) and all(words is not None and typed not in words for words in offered):
            words = [word for one in offered for word in one or ()]
            hint = did_you_mean(typed, words)
            yield finding("test/no-such-choice", span, hint=hint, question=meant[0].name, choice=typed)
    elif isinstance(answer, Mapping):
        fields = [field.name for step in meant if isinstance(step, AskStep) for field in step.form]
        for name in answer:
            if name not in fields:
                hint = did_you_mean(name, fields)
                yield finding("test/no-such-field", span, hint=hint, question=meant[0].name, field=name)


def _not_refused(meant: list[ConfirmStep | AskStep], answer: Any, span: Span) -> Iterator[Diagnostic]:
    """Yield an answer that a case says is wrong, and that every confirmation of a name takes."""
    offered = [_offered(step) for step in meant if isinstance(step, ConfirmStep)]
    if offered and all(words is not None and str(answer).strip() in words for words in offered):
        yield finding("test/not-refused", span, question=meant[0].name, answer=str(answer))


def _offered(step: ConfirmStep) -> list[str] | None:
    """Return what may be typed to take a choice; None where a phrase is computed."""
    words: list[str] = []
    for choice in step.choices:
        phrase = constant_of(choice.phrase, None)
        if choice.phrase is not None and phrase is None:
            return None
        words += [choice.id] if phrase is None else phrase.values() if isinstance(phrase, Mapping) else [str(phrase)]
    return words


def _injected(known: Known, case: Case) -> Iterator[Diagnostic]:
    data = {one.name: one for one in known.documents.workflow.data}
    for state, values in case.injected.items():
        span = case.place("inject", state)
        yield from _state(known, state, span)
        for name, value in values.items():
            if name not in data:
                yield finding("name/unknown-data", span, hint=did_you_mean(name, data), name=name)
                continue
            problem = problem_of_declared(data[name])(value)
            if problem is not None:
                yield finding("test/injected-unfit", span, name=name, problem_zh=problem.zh, problem_en=problem.en)


def _state(known: Known, name: str, span: Span) -> Iterator[Diagnostic]:
    states = [state.name for state in known.documents.workflow.states]
    if name not in states:
        yield finding("name/unknown-state", span, hint=did_you_mean(name, states), name=name)


def _roads(known: Known, expect: Expectation) -> Iterator[Diagnostic]:
    """Yield the first pair of visited states between which no road leads, and an end that its state does not have."""
    graph = known.graph
    leads = {name: sorted({road.to for road in roads}) for name, roads in graph.roads.items()}
    visits = expect.visits or ()
    for one, other in pairwise(visits):
        if one in leads and other in leads and other not in leads[one]:
            yield _no_road(one, other, leads[one], expect.spans["visits"])
            return
    last = expect.state or (visits[-1] if visits else None)
    if expect.status == "completed" and last is not None and last in graph.roads and last not in graph.ends:
        yield _no_road(last, END, leads[last], expect.spans["state" if expect.state else "visits"])


def _no_road(one: str, other: str, leads: list[str], span: Span) -> Diagnostic:
    hint = Words(f"从 {one} 可以到：{'、'.join(leads)}", f"from {one} a run can come to: {', '.join(leads)}")
    return finding("test/no-road", span, hint=hint if leads else None, origin=one, to=other)


def _expected(known: Known, case: Case) -> Iterator[Diagnostic]:
    expect, workflow = case.expect, known.documents.workflow
    if expect.state:
        yield from _state(known, expect.state, expect.spans["state"])
    for state in expect.visits or ():
        yield from _state(known, state, expect.spans["visits"])
    yield from _roads(known, expect)
    for call in expect.calls:
        contract = known.contract(call.tool)
        if contract is None:
            yield _no_tool(known, call.tool, call.span)
            continue
        for name in call.arguments:
            if contract.takes is not None and name not in contract.takes:
                hint = did_you_mean(name, contract.takes)
                yield finding("type/unknown-argument", call.span, hint=hint, tool=call.tool, name=name)
    outputs = [one.name for one in workflow.outputs]
    for name in expect.outputs:
        if name not in outputs:
            yield finding("test/no-output", expect.spans["outputs"], hint=did_you_mean(name, outputs), name=name)
    names = {
        "run",
        *outputs,
        *(one.name for one in (*workflow.inputs, *workflow.data)),
        *known.documents.rules,
        *(step.name for step in known.asked),
    }
    for condition in expect.that:
        for use in condition.expression.names:
            if use.name not in names:
                yield finding("name/unknown", condition.span, hint=did_you_mean(use.name, names), name=use.name)
