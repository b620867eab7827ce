"""Cases of a rule document: read, checked, run, and weighed by the one-step changes that they notice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from interpreter.diagnostics import Diagnostic, did_you_mean, errors_of, finding, has_errors, in_order
from interpreter.documents.loading import Loader, folder_of, name_below, node_at, place_below
from interpreter.source import Span
from interpreter.yaml_tree import Node, to_value
from rules.analysis.differences import subject_of
from rules.analysis.grid import MOST_WORK, TooLarge, Work
from rules.analysis.mutants import Mutant, live_mutants
from rules.documents import RuleDocument, decide
from rules.facts import Names
from rules.findings import Finding
from rules.records import NamedTuple, field, record
from rules.said import Said, facts_words
from rules.values import ABSENT, CannotEvaluate, Value, canonical_text, same


@record
class RuleCase:
    """One case. Shapes: `expect` is ABSENT where the case expects that the rule fails, with the code in `fails`."""

    id: str
    rule: str
    facts: Mapping[str, Value]
    sets: Mapping[str, Value]
    expect: Value
    fails: str | None
    span: Span
    places: Mapping[tuple[str, ...], Span] = field(default_factory=dict)

    def place(self, *path: str) -> Span:
        """Return where a part of the case stands; where the case begins if nowhere."""
        return self.places.get(path, self.span)


@record
class RuleSuite:
    """A tests document of one rule document. Shapes: `rules` is the name of that, `place` where it stands."""

    path: PurePath
    rules: str
    place: PurePath
    span: Span
    cases: tuple[RuleCase, ...]


class Verdict(NamedTuple):
    """What became of one case. Shapes: `answer` is ABSENT for no answer; `failure` says why there is none."""

    case: RuleCase
    passed: bool
    answer: Value
    failure: CannotEvaluate | None


class Weighed(NamedTuple):
    """One rule: how many live one-step changes there are, and those that no case notices."""

    rule: str
    cases: int
    changes: int
    survivors: list[tuple[Mutant, Said]]


@record
class Result:
    """What became of all cases. Shapes: `untested` are rules without a case, `open` those too large to be changed."""

    name: str
    verdicts: tuple[Verdict, ...]
    weighed: tuple[Weighed, ...]
    untested: tuple[str, ...]
    open: tuple[str, ...] = ()

    @property
    def failed(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if not verdict.passed]

    @property
    def changes(self) -> int:
        return sum(one.changes for one in self.weighed)

    @property
    def noticed(self) -> int:
        return self.changes - sum(len(one.survivors) for one in self.weighed)

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return how many rules have a case, and how many one-step changes are noticed, each of how many."""
        rules = {verdict.case.rule for verdict in self.verdicts} | set(self.untested)
        found = {"rule": (len(rules) - len(self.untested), len(rules))}
        return {**found, "change": (self.noticed, self.changes)} if self.changes else found


# --- reading ----------------------------------------------------------------------------------------------------------


def rule_suite_of(path: PurePath, node: Node) -> tuple[RuleSuite | None, list[Diagnostic]]:
    """Return the cases of a tests document whose shape is right; None for one that tests a workflow.

    Errors: test/id-twice.
    """
    body: Any = to_value(node)
    if "rules" not in body:
        return None, []
    cases = tuple(_case(entry, node_at(node, ("cases", number))) for number, entry in enumerate(body["cases"]))
    name = str(body["rules"])
    place = folder_of(path, "tests") / place_below("rules", name)
    suite = RuleSuite(path, name, place, node_at(node, ("rules",)).span, cases)
    seen: set[str] = set()
    found = []
    for case in cases:
        if case.id in seen:
            found.append(finding("test/id-twice", case.span, id=case.id))
        seen.add(case.id)
    return suite, found


def _case(entry: dict[str, Any], node: Node) -> RuleCase:
    paths: list[tuple[str, ...]] = [(part,) for part in entry]
    paths += [(part, name) for part in ("facts", "set") for name in entry.get(part, {})]
    return RuleCase(
        id=str(entry["id"]),
        rule=str(entry.get("rule", "")),
        facts=entry.get("facts", {}),
        sets=entry.get("set", {}),
        expect=entry.get("expect", ABSENT),
        fails=entry.get("fails"),
        span=node_at(node, ("id",)).span,
        places={path: node_at(node, path).span for path in paths},
    )


def read_rule_suite(path: PurePath, loader: Loader) -> tuple[RuleSuite | None, list[Diagnostic]]:
    """Return the cases of a tests document, and the errors that keep it from being used.

    Errors: what reading finds, and command/cases-of-another for cases of a workflow.
    """
    loaded = loader.load(name_below(path, loader.folder), "tests")
    found = in_order(loader.all_diagnostics(loaded.name))
    if has_errors(found) or loaded.node is None:
        return None, errors_of(found)
    suite, found = rule_suite_of(path, loaded.node)
    if suite is None:
        other: Any = to_value(loaded.node)
        return None, [finding("command/cases-of-another", None, file=path, name=other.get("workflow", ""))]
    return suite, found


def values_read_by(document: RuleDocument, loader: Loader) -> Names:
    """Return the values of the rule documents that one reads thresholds of."""
    names: dict[str, Mapping[str, Value]] = {}
    for references in document.outside.values():
        for reference in references:
            other = reference.name.partition(".")[0]
            read = loader.load(place_below("rules", other), "rules").rules
            if read is not None:
                names[other] = read.values
    return names


def open_rules(suite: RuleSuite, loader: Loader) -> tuple[RuleDocument | None, Names, list[Diagnostic]]:
    """Return the rule document of a suite with the values that it reads, or what is wrong with it.

    Errors: name/unknown-document, and what reading it finds.
    """
    place = place_below("rules", suite.rules)
    loaded = loader.load(place, "rules")
    if loaded.source is None:
        return None, {}, [loader.missing("rules", suite.rules, suite.span)]
    errors = errors_of(loader.all_diagnostics(loaded.name))
    if errors or loaded.rules is None:
        return None, {}, in_order(errors)
    return loaded.rules, values_read_by(loaded.rules, loader), []


# --- checking ---------------------------------------------------------------------------------------------------------


def check_rule_case(document: RuleDocument, case: RuleCase) -> Iterator[Diagnostic]:
    """Yield what a case names that its rule document does not have, and facts that do not fit.

    Errors: name/unknown-rule, rule/unknown-fact, command/unknown-threshold, rule/… for what does not fit.
    """
    known = [*document.decidable, *document.independence]
    if case.rule not in known:
        yield finding("name/unknown-rule", case.place("rule"), hint=did_you_mean(case.rule, known), name=case.rule)
        return
    yield from _thresholds(document, case)
    rule = document.decidable.get(case.rule)
    if case.fails is not None or rule is None:
        return  # a fact that does not fit may be what the case is about; a count of sources takes any list
    columns = {column.name: column for column in rule.columns}
    for name, value in case.facts.items():
        column, place = columns.get(name), case.place("facts", name)
        if column is None:
            yield finding("rule/unknown-fact", place, hint=did_you_mean(name, columns), name=name, table=case.rule)
            continue
        try:
            column.take(value)
        except CannotEvaluate as failure:
            near = None
            if failure.code == "outside-enum":
                near = did_you_mean(canonical_text(value), map(canonical_text, column.enum))
            facts: dict[str, Any] = failure.facts
            yield finding(f"rule/{failure.code}", place, hint=near, **facts)


def _thresholds(document: RuleDocument, case: RuleCase) -> Iterator[Diagnostic]:
    for name, value in _own(case.sets, document.name).items():
        written = name if name in case.sets else f"{document.name}.{name}"
        place = case.place("set", written)
        if name not in document.thresholds:
            known = document.thresholds
            yield finding("command/unknown-threshold", place, hint=did_you_mean(name, known), name=name)
            continue
        for problem in document.with_overrides({name: value})[1]:
            facts: dict[str, Any] = {**problem.facts, "name": name}
            yield finding(problem.code, place, **facts)


def _own(sets: Mapping[str, Value], name: str) -> dict[str, Value]:
    return {key.removeprefix(f"{name}."): value for key, value in sets.items()}


# --- running ----------------------------------------------------------------------------------------------------------


def run_cases(document: RuleDocument, names: Names, cases: tuple[RuleCase, ...]) -> Result:
    """Run all cases, and find the one-step changes that none of those without overrides notices."""
    return weigh(document, names, verdicts_of(document, names, cases))


def verdicts_of(document: RuleDocument, names: Names, cases: tuple[RuleCase, ...]) -> tuple[Verdict, ...]:
    return tuple(_run(document, names, case) for case in cases)


def weigh(document: RuleDocument, names: Names, verdicts: tuple[Verdict, ...]) -> Result:
    """Return what became of all cases, and the one-step changes that none of those without overrides notices."""
    cases = [verdict.case for verdict in verdicts]
    weighed, untested, left_open = [], [], []
    for name in [*document.tables, *document.scorecards]:
        mine = [case for case in cases if case.rule == name and not case.sets]
        if not mine:
            untested.append(name)
            continue
        try:
            subject = subject_of(document, name, names, work=Work(MOST_WORK))
            mutants = live_mutants(subject)
            noticed = mutants.noticed([case.facts for case in mine])
        except TooLarge:
            left_open.append(name)
            continue
        survivors = [
            (mutant, facts_words(subject.grid.columns, mutant.witness or {}))
            for mutant, seen in zip(mutants.mutants, noticed, strict=True)
            if not seen
        ]
        weighed.append(Weighed(name, len(mine), len(mutants.mutants), survivors))
    return Result(document.name, verdicts, tuple(weighed), tuple(untested), tuple(left_open))


def _run(document: RuleDocument, names: Names, case: RuleCase) -> Verdict:
    changed, problems = document.with_overrides(_own(case.sets, document.name))
    if problems:
        return Verdict(case, False, ABSENT, _refused(problems))
    if case.rule not in document.decidable and case.rule not in document.independence:
        return Verdict(case, False, ABSENT, CannotEvaluate("unknown-rule", {"name": case.rule}))
    try:
        decision = decide(changed, case.rule, case.facts, names)
    except CannotEvaluate as failure:
        return Verdict(case, case.fails == failure.code, ABSENT, failure)
    return Verdict(case, _holds(case, decision.answer), decision.answer, None)


def _refused(problems: list[Finding]) -> CannotEvaluate:
    first = problems[0]
    return CannotEvaluate(first.code.removeprefix("rule/"), dict(first.facts))


def _holds(case: RuleCase, answer: Value) -> bool:
    """Tell whether an answer is the expected one: of a mapping all that is written must hold."""
    if case.fails is not None:
        return False
    if answer is ABSENT:
        return case.expect is None
    if isinstance(case.expect, Mapping) and isinstance(answer, Mapping):
        return all(name in answer and same(value, answer[name]) for name, value in case.expect.items())
    return same(case.expect, answer)
