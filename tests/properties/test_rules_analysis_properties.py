"""What analysis says of a table is what the table does: on its examples, on random facts, on every class."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, cast

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from rules.analysis.boundaries import boundary_cases
from rules.analysis.changes import smallest_change
from rules.analysis.check import check_subject
from rules.analysis.differences import compare_rules
from rules.analysis.grid import TooLarge
from rules.analysis.mutants import live_mutants
from rules.analysis.subjects import Outcome, ScorecardSubject, TableSubject
from rules.documents import RuleDocument, decide, load_rules
from rules.values import ABSENT, CannotEvaluate, same
from tests.draws import draws
from tests.properties.rule_strategies import INPUTS, KIND, NUMBERS, ORDERS, documents, facts

FAILURES = {"overlap": "rows-overlap", "disagreement": "rows-disagree"}


def decided(document: RuleDocument, given_facts: dict[str, Any], names: Any = None) -> Any:
    """Return the answer, or the code of the failure in brackets."""
    try:
        return decide(document, "t", given_facts, names).answer
    except CannotEvaluate as failure:
        return f"[{failure.code}]"


def agrees(outcome: Outcome, answer: Any) -> bool:
    """Tell whether analysis says what was decided; of an answer that names another fact, that there is one."""
    if outcome.kind in FAILURES:
        return bool(answer == f"[{FAILURES[outcome.kind]}]")
    if outcome.kind == "failure":
        return isinstance(answer, str) and answer.startswith("[")
    if outcome.kind == "nothing":
        return answer is ABSENT or answer == []
    if isinstance(answer, str) and answer.startswith("["):
        return answer == "[absent-name]" and "<" in str(outcome.value)
    return "<" in str(outcome.value) or (answer is not ABSENT and same(answer, outcome.value))


@given(documents(), st.lists(facts(), min_size=1, max_size=5), NUMBERS)
def test_an_outcome_is_what_is_decided(document: RuleDocument, many: list[dict[str, Any]], most: Any) -> None:
    names = {"limits": {"most": most}}
    try:
        subject = TableSubject(document.tables["t"], {}, names)
    except TooLarge:
        return
    for given_facts in many:
        keys = document.tables["t"].keys({name: fact for name, fact in given_facts.items() if fact is not ABSENT})
        keys = (*keys, *[None] * (len(subject.grid.columns) - len(keys)))
        if len(subject.grid.columns) > len(document.tables["t"].columns):
            return  # the threshold is of another kind than the column; then nothing can be decided either
        outcome = subject.outcome(subject.grid.mask_of_keys(keys))
        answer = decided(document, given_facts, names)
        if _is_unforeseen(subject, given_facts) and isinstance(answer, str) and answer.startswith("["):
            continue
        assert agrees(outcome, answer), (outcome, answer)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("limit", [0, "a", "2024-01-01", True, []], ids=str)
@pytest.mark.parametrize("name", ["number_a", "date_a", "any_a"])
def test_a_comparison_with_a_fact_of_any_kind_fails_in_the_analysis_where_it_does(
    name: str, limit: Any, order: str
) -> None:
    rows = [{"when": {name: f"{order} any_b"}, "then": {"answer": "x"}}]
    table = {"hit": "first", "inputs": INPUTS, "outputs": {"answer": {"type": "string"}}, "rows": rows}
    document, _ = load_rules({"tables": {"t": table}}, "here")
    assert document is not None
    subject = TableSubject(document.tables["t"], {}, {})
    usual = {"number": 0, "string": "a", "date": "2024-01-01", "boolean": False, "array": [], "any": 0}
    given_facts = {one: usual[kind] for one, kind in KIND.items()} | {"any_b": limit}
    outcome = subject.outcome(subject.grid.mask_of_keys(document.tables["t"].keys(given_facts)))
    assert agrees(outcome, decided(document, given_facts)), outcome


def _is_unforeseen(subject: TableSubject, given_facts: dict[str, Any]) -> bool:
    """Tell whether a fact is null or absent where neither is declared and no row asks for it."""
    for dimension in subject.grid.dimensions:
        for at, place in enumerate(dimension.columns):
            forms = {member[at].form for member in dimension.members}
            fact = given_facts.get(subject.grid.columns[place].name, ABSENT)
            if (fact is None and "null" not in forms) or (fact is ABSENT and "absent" not in forms):
                return True
    return False


# --- small tables, in which everything can be gone through ------------------------------------------------------------

SMALL = {
    "n": {"type": "integer", "range": "0..5"},
    "x": {"type": "number", "range": "0..3"},
    "b": {"type": "boolean"},
    "w": {"enum": ["red", "green", "blue"]},
}
HALVES = [number / 2 for number in range(7)]
EVERY = [
    {"n": n, "x": int(x) if x == int(x) else Decimal(str(x)), "b": b, "w": w}
    for n in range(6)
    for x in HALVES
    for b in (True, False)
    for w in ("red", "green", "blue")
]
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "n": st.one_of(
        st.integers(0, 5),
        st.builds(
            lambda word, limit: f"{word} {limit}",
            st.sampled_from(["at least", "above", "at most", "under"]),
            st.integers(0, 5),
        ),
        st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda ends: "{} to {}".format(*sorted(ends))),
    ),
    "x": st.one_of(
        st.builds(
            lambda word, limit: f"{word} {limit}",
            st.sampled_from(["at least", "above", "at most", "under"]),
            st.integers(0, 3),
        ),
        st.sampled_from(["above n", "same as n", "at most n"]),
    ),
    "b": st.booleans(),
    "w": st.one_of(st.sampled_from(["red", "not green", "blue"]), st.just(["red", "blue"])),
}


@st.composite
def small_rows(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(sorted(SMALL)), max_size=3, unique=True))
    return {"when": {name: draw(CELLS[name]) for name in names}, "then": {"a": draw(st.sampled_from(["p", "q", "r"]))}}


@st.composite
def small(draw: st.DrawFn, hits: tuple[str, ...] = ("first", "unique", "any", "priority")) -> RuleDocument:
    table: dict[str, Any] = {
        "hit": draw(st.sampled_from(hits)),
        "inputs": SMALL,
        "outputs": {"a": {"type": "string", "priority": ["p", "q", "r"]}},
        "rows": draw(st.lists(small_rows(), min_size=1, max_size=5)),
    }
    if draw(st.booleans()):
        table["otherwise"] = {"a": "p"}
    if draw(st.booleans()):
        table["impossible"] = [{"b": True, "w": "blue"}]
    document, _ = load_rules({"tables": {"t": table}}, "here")
    assert document is not None
    assume("t" in document.tables)
    return document


def possible(document: RuleDocument, one: dict[str, Any]) -> bool:
    return not document.tables["t"].impossible or not (one["b"] and one["w"] == "blue")


@settings(max_examples=draws(80))
@given(small())
def test_findings_are_right_and_none_is_missing(document: RuleDocument) -> None:
    table = document.tables["t"]
    found = list(check_subject(TableSubject(table)))
    answers = [(one, decided(document, one)) for one in EVERY if possible(document, one)]
    by_code: dict[str, list[Any]] = {}
    for finding in found:
        by_code.setdefault(finding.code.removeprefix("rule/"), []).append(finding)
    for finding in by_code.get("gap", []):
        assert decided(document, finding.facts["example"]) is ABSENT
    for code in ("rows-clash", "rows-agree"):
        for finding in by_code.get(code, []):
            assert str(decided(document, finding.facts["example"])).startswith("[rows-")
    assert bool(by_code.get("gap")) == any(answer is ABSENT for _, answer in answers)
    clashes = any(str(answer).startswith("[rows-") for _, answer in answers)
    assert bool(by_code.get("rows-clash") or by_code.get("rows-agree")) == clashes
    dead = {
        finding.facts["row"] for code in ("row-never-answers", "row-without-facts") for finding in by_code.get(code, [])
    }
    if table.hit in ("first", "priority"):
        used = {row for one, _ in answers for row in decide(document, "t", one).rows}
        assert dead == set(range(1, len(table.rows) + 1)) - used


@settings(max_examples=draws(80))
@given(small(("first", "priority")), st.sampled_from(EVERY), st.sampled_from(["p", "q", "r"]))
def test_no_smaller_change_leads_there(document: RuleDocument, one: dict[str, Any], wanted: str) -> None:
    flip = smallest_change(TableSubject(document.tables["t"]), one, lambda outcome: outcome.value == {"a": wanted})
    reached = [other for other in EVERY if possible(document, other) and decided(document, other) == {"a": wanted}]
    distances = [sum(other[name] != one[name] for name in one) for other in reached]
    if flip is None:
        assert distances == []
        return
    assert decided(document, flip.facts) == {"a": wanted}
    assert len(flip.changes) == min(distances)


@settings(max_examples=draws(80))
@given(small(("first", "unique", "any")), small(("first",)))
def test_differences_are_where_answers_differ(old: RuleDocument, new: RuleDocument) -> None:
    compared = compare_rules(old, new, "t")
    both = [one for one in EVERY if possible(old, one) and possible(new, one)]
    differ = [one for one in both if not _alike(decided(old, one), decided(new, one))]
    assert bool(compared.differences) == bool(differ)
    for difference in compared.differences:
        assert not _alike(decided(old, difference.example), decided(new, difference.example))


def _alike(first: Any, second: Any) -> bool:
    if first is ABSENT or second is ABSENT:
        return first is second
    return same(first, second)


@settings(max_examples=draws(80))
@given(small())
def test_boundary_cases_notice_every_live_mutant_and_say_what_is_decided(document: RuleDocument) -> None:
    subject = TableSubject(document.tables["t"])
    cases = boundary_cases(subject)
    assert all(live_mutants(subject).noticed([case.facts for case in cases]))
    for case in cases:
        assert agrees(case.outcome, decided(document, case.facts))


# --- what a hole is told to be, put into the table --------------------------------------------------------------------

ASKED: dict[str, list[Any]] = {
    "s": [
        "contains tea",
        "starts with a",
        "tea",
        {"at_most": "a"},
        {"at_least": "ab", "under": "b"},
        "absent",
        "not tea",
    ],
    "l": ["contains x", "contains y", {"not": "contains x"}, {"is": ["x"]}, None],
    "n": ["at most 5", "at least m", "same as m", "2 to 6", "above 5"],
    "m": ["at least 5", "under n", "3 to 6", "absent"],
    "w": ["red", "not green"],
}
ASKED_OF = {
    "s": {"type": "string"},
    "l": {"type": "array"},
    "n": {"type": "integer"},
    "m": {"type": "integer", "range": "0..100"},
    "w": SMALL["w"],
}
MOST_ROUNDS = 20


@st.composite
def with_holes(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(sorted(ASKED)), min_size=1, max_size=3, unique=True))
    cells = st.fixed_dictionaries({}, optional={name: st.sampled_from(ASKED[name]) for name in names})
    rows = draw(st.lists(cells, min_size=1, max_size=3))
    return {
        "hit": "unique",
        "inputs": ASKED_OF,
        "outputs": {"a": {"type": "string"}},
        "rows": [{"when": when, "then": {"a": "p"}} for when in rows],
    }


@settings(max_examples=draws(60), deadline=None)
@given(with_holes())
def test_rows_that_are_told_close_every_hole_and_clash_with_nothing(table: dict[str, Any]) -> None:
    clashes: list[int] = []
    for _ in range(MOST_ROUNDS):
        document, _ = load_rules({"tables": {"t": table}}, "here")
        assert document is not None
        assume("t" in document.tables)
        found = list(check_subject(TableSubject(document.tables["t"])))
        assume("rule/not-every-combination" not in {one.code for one in found})
        clashes.append(sum(one.code == "rule/rows-agree" or one.code == "rule/rows-clash" for one in found))
        told = [loads_row(one.facts["row"]) for one in found if one.code == "rule/gap"]
        if not told:
            break
        table = {**table, "rows": [*table["rows"], *told]}
    else:
        raise AssertionError(table)
    assert clashes[-1] == clashes[0]


def loads_row(text: Any) -> Any:
    """Return a row as it would be read where somebody pastes it."""
    node, _ = read_tree(Source("row", text))
    assert node is not None
    [row] = cast(list[Any], to_value(node))
    return row


def test_two_compared_facts_change_together_where_neither_is_enough() -> None:
    row = {"when": {"n": "above 1", "x": "above n"}, "then": {"a": "p"}}
    inputs = {"n": {"type": "integer", "range": "0..5"}, "x": {"type": "number", "range": "0..3"}}
    table = {"hit": "first", "inputs": inputs, "outputs": {"a": {"type": "string"}}, "rows": [row]}
    document, _ = load_rules({"tables": {"t": table}}, "here")
    facts = {"n": 5, "x": 0}
    flip = smallest_change(TableSubject(document.tables["t"]), facts, lambda outcome: outcome.value == {"a": "p"})
    assert flip is not None
    assert decided(document, flip.facts) == {"a": "p"}
    assert [change.column.name for change in flip.changes] == ["n", "x"]


@st.composite
def scorecards(draw: st.DrawFn) -> RuleDocument:
    """Draw a scorecard whose factors ask about one fact or two, so that rows come too late in some classes only."""
    cells = st.sampled_from(["at least 2", "at least 5", "under 3", "4 to 7", 3, 6])
    whens = st.dictionaries(st.sampled_from(["n", "m"]), cells, min_size=1)
    shares = st.sampled_from([0, Decimal("0.5"), 1])
    because = {"zh": "因为", "en": "so it is"}
    factors = {}
    for name in ("first", "second"):
        rows = [
            {"when": when, "gives": share, "because": because}
            for when, share in draw(st.lists(st.tuples(whens, shares), max_size=4))
        ]
        factors[name] = {"weight": 50, "rows": [*rows, {"when": "any", "gives": 0, "because": because}]}
    needs = {"needs": draw(whens), "otherwise": "mid", "because": because}
    card = {
        "range": "0..100",
        "inputs": {name: {"type": "integer", "range": "0..9"} for name in ("n", "m")},
        "factors": factors,
        "levels": [{"level": "high", "from": 75, **needs}, {"level": "mid", "from": 25}, {"level": "low", "from": 0}],
        "vetoes": [{"id": "never", "when": draw(whens), "level": "low", "because": because}],
    }
    document, found = load_rules({"scorecards": {"t": card}}, "here")
    assert document is not None
    assert {one.code for one in found} <= {"rule/unread-input"}
    return document


@given(scorecards())
def test_cells_of_a_scorecard_have_every_outcome_and_its_first_cell(document: RuleDocument) -> None:
    subject = ScorecardSubject(document.scorecards["t"])
    first: dict[int, tuple[int, ...]] = {}
    for mask, point in subject.grid.reachable().items():
        first.setdefault(id(subject.outcome(mask)), point)
    seen: dict[int, tuple[int, ...]] = {}
    for _, point, outcome in subject.cells():
        seen.setdefault(id(outcome), point)
    assert list(seen.items()) == list(first.items())
