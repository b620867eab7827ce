"""Rule documents decide as the cases under `tests/cases/rules` say."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any, cast

import pytest

from interpreter.codes.rule import CODES
from interpreter.documents.public_suffixes import registrable_domain
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from rules.cell_words import suggested_value
from rules.cells import Cell, cell_matches
from rules.columns import Column, Kind, find_key, read_column
from rules.documents import Decision, RuleDocument, decide, load_rules, names_of
from rules.findings import Finding
from rules.values import ABSENT, CannotEvaluate, loads, same
from rules.written_cells import Scope, read_cell
from tests.unit.rule_cases import CASES, assert_has, read_case

DOCUMENTS = sorted(path.parent.name for path in CASES.glob("*/rules.yaml"))
CELLS = [(group, *case) for group, cases in read_case("cells.yaml").items() for case in cases]
MISTAKES = read_case("mistakes.yaml")


def load(name: str) -> RuleDocument:
    document, findings = load_rules(read_case(name, "rules.yaml"), name, registrable_domain)
    assert findings == []
    assert document is not None
    return document


def given(value: Any) -> Any:
    return ABSENT if value == "ABSENT" else value


# --- cells


@pytest.mark.parametrize(("group", "column", "cell", "fact", "expected"), CELLS)
def test_cell_matches_what_it_says(group: str, column: Any, cell: Any, fact: Any, expected: Any) -> None:
    findings: list[Finding] = []
    read = read_column("fact", column, (), findings)
    parsed = read_cell(cell, read, Scope("here", [read], {}), (), findings)
    assert findings == []
    assert parsed is not None
    result = outcome(lambda: matches(parsed, read, given(fact)))
    if isinstance(result, CannotEvaluate):
        assert result.facts["name"] == "fact"
        result = result.code
    assert result == expected
    for plainly in (False, True):
        decided = outcome(partial(in_a_table, column, cell, given(fact), plainly))
        assert (decided.code if isinstance(decided, CannotEvaluate) else decided) == expected


def in_a_table(column: Any, cell: Any, fact: Any, plainly: bool) -> Any:
    """Return what a table with that one cell says: compiled, or plainly."""
    rows = [{"when": {"fact": cell}, "then": {"holds": True}}]
    outputs = {"holds": {"type": "boolean"}}
    table = {"inputs": {"fact": column}, "outputs": outputs, "rows": rows, "otherwise": {"holds": False}}
    document, _ = load_rules({"tables": {"t": table}}, "here")
    assert document is not None
    return decide(document, "t", {"fact": fact}, plainly=plainly).answer["holds"]


def matches(cell: Cell, column: Column, fact: Any) -> bool:
    key = column.take(fact)
    return cell_matches(cell, column.name, key, [key], [])


def outcome(decided: Callable[[], Any]) -> Any:
    """Return what comes of a decision, its failure in place of an answer."""
    try:
        return decided()
    except CannotEvaluate as failure:
        return failure


# --- decisions


def decisions() -> list[Any]:
    return [
        pytest.param(name, case, id=f"{name}: {case['why']}")
        for name in DOCUMENTS
        for case in read_case(name, "cases.yaml")
    ]


@pytest.mark.parametrize("plainly", [False, True], ids=["compiled", "plain"])
@pytest.mark.parametrize(("name", "case"), decisions())
def test_table_gives_the_expected_answer(name: str, case: dict[str, Any], plainly: bool) -> None:
    document, findings = load(name).with_overrides(case.get("overrides", {}))
    assert findings == []
    table, facts, names = case["table"], case["facts"], case.get("names")
    decision = outcome(lambda: decide(document, table, facts, names, plainly=plainly))
    if "failure" in case:
        assert decision.code == case["failure"]
        assert case["about"].items() <= decision.facts.items()
        return
    assert isinstance(decision, Decision), decision
    if "has" in case:
        assert_has(decision.answer, case["has"])
    else:
        expected = given(case["answer"])
        assert decision.answer is expected or same(decision.answer, expected)
    assert decision.row == case["row"]
    if "ids" in case:
        assert list(decision.ids) == case["ids"]


def test_decision_keeps_what_an_explanation_needs() -> None:
    document = load("recall")
    decision = decide(document, "channel", {"title_marked": True, "comments_only": ABSENT})
    assert decision.rows == (1,)
    assert decision.because == ({"zh": "标题里有", "en": "in the title"},)
    assert decision.facts == {"title_marked": True}
    assert (decision.document, decision.table, decision.digest) == ("recall", "channel", document.digest)


def test_decision_keeps_the_thresholds_of_other_documents_that_it_read() -> None:
    names = {"limits": {"freshness_days": 7, "grace": "2h", "unread": 1}}
    decision = decide(load("outside"), "fresh", {"age_days": 9}, names)
    assert decision.outside == {"limits.freshness_days": 7, "limits.grace": "2h"}


def test_unknown_table_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        decide(load("recall"), "chanel", {})


# --- documents


def test_values_are_thresholds_and_lists() -> None:
    values = load("recall").values
    assert values["pages_per_batch"] == 5
    assert values["poll_every"] == "2s"
    assert values["words"] == ["latest", "today"]


def test_names_tell_what_each_part_is() -> None:
    names = names_of(load("recall"))
    assert names["pages_per_batch"] == "threshold"
    assert names["words"] == "list"
    assert names["channel"] == "table"


def test_names_include_parts_that_cannot_be_read() -> None:
    document, _ = load_rules({"tables": {"broken": {"rows": []}}}, "x")
    assert document is not None
    assert names_of(document) == {"broken": "table"}
    assert document.tables == {}


@pytest.mark.parametrize(
    ("overrides", "code"),
    [
        ({"pages_per_batch": 6}, "rule/threshold-outside-range"),
        ({"pages_per_batch": "5"}, "rule/threshold-kind"),
        ({"pages_per_batch": True}, "rule/threshold-kind"),
        ({"poll_every": "6m"}, "rule/threshold-outside-range"),
        ({"poll_every": 6}, "rule/threshold-kind"),
        ({"pages": 3}, "rule/unknown-threshold"),
    ],
)
def test_override_that_does_not_hold_is_found_and_changes_nothing(overrides: Any, code: str) -> None:
    document = load("recall")
    other, findings = document.with_overrides(overrides)
    assert [finding.code for finding in findings] == [code]
    assert other.values == document.values
    assert other.digest == document.digest


def test_override_changes_value_and_digest() -> None:
    document = load("recall")
    other, findings = document.with_overrides({"poll_every": "5m"})
    assert findings == []
    assert other.values["poll_every"] == "5m"
    assert document.values["poll_every"] == "2s"
    assert other.digest != document.digest


def test_document_that_is_no_mapping_is_found() -> None:
    document, findings = load_rules(["a"], "x")
    assert document is None
    assert [finding.code for finding in findings] == ["rule/wrong-shape"]


# --- findings


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_found_at_its_place(name: str) -> None:
    _, findings = load_rules(MISTAKES[name]["body"], "here", registrable_domain)
    expected = MISTAKES[name]["findings"]
    assert [(found.code, list(found.path)) for found in findings] == [
        (f"rule/{code}", path) for code, path, _ in expected
    ]
    for found, (_, _, facts) in zip(findings, expected, strict=True):
        assert facts.items() <= found.facts.items()


@pytest.mark.parametrize("name", MISTAKES)
def test_facts_of_a_finding_fill_its_texts(name: str) -> None:
    _, findings = load_rules(MISTAKES[name]["body"], "here", registrable_domain)
    for found in findings:
        code = CODES[found.code]
        for words in (code.message, code.hint):
            for text in words or ():
                holes = set(re.findall(r"\{(\w+)\}", text))
                assert holes <= found.facts.keys(), (found.code, text)


# --- gates

GATES = {
    "gates": {
        "complete": [
            {"that": "queries | any(status='complete')", "message": {"zh": "没有完成", "en": "none is complete"}},
            {"that": "limits.pages > 3"},
            {"confirmed": "plan"},
            {"redo": "SEARCH.run"},
            {"waivable": True},
        ]
    }
}


def test_gate_keeps_its_conditions_in_order() -> None:
    document, findings = load_rules(GATES, "here")
    assert findings == []
    assert document is not None
    gate = document.gates["complete"]
    assert [condition.confirmed for condition in gate.conditions] == [None, None, "plan"]
    assert gate.conditions[0].message == {"zh": "没有完成", "en": "none is complete"}
    assert gate.conditions[1].path == ("gates", "complete", 1)
    assert (gate.redo, gate.waivable) == ("SEARCH.run", True)


@pytest.mark.parametrize(
    ("entries", "code", "path"),
    [
        ([], "rule/empty-gate", ("gates", "g")),
        ([{"redo": "A.b"}], "rule/empty-gate", ("gates", "g")),
        ([{"message": "x"}], "rule/gate-without-condition", ("gates", "g", 0)),
        ({"that": "true"}, "rule/wrong-shape", ("gates", "g")),
    ],
)
def test_gate_that_cannot_be_read_is_found(entries: Any, code: str, path: tuple[object, ...]) -> None:
    document, findings = load_rules({"gates": {"g": entries}}, "here")
    assert document is not None
    assert document.gates == {}
    assert (findings[0].code, findings[0].path) == (code, path)


def test_expression_of_a_gate_that_does_not_parse_is_found_at_its_characters() -> None:
    _, findings = load_rules({"gates": {"g": [{"that": "pages >"}]}}, "here")
    assert findings[0].code.startswith("expression/")
    assert findings[0].path == ("gates", "g", 0, "that")
    assert findings[0].start is not None


# --- scorecards, tiers, sources


def test_decision_of_a_card_keeps_what_an_explanation_needs() -> None:
    document = load("card")
    facts = {"sources": 4, "age": 7, "conflict": "none", "authority": ABSENT}
    decision = decide(document, "card", facts, {"limits": {"freshness_days": 7}})
    assert (decision.kind, decision.document, decision.table) == ("scorecard", "card", "card")
    assert decision.digest == document.digest
    assert decision.facts == {"sources": 4, "age": 7, "conflict": "none"}
    assert decision.outside == {"limits.freshness_days": 7}
    assert decision.rows == (1, 1, 1)
    assert decision.because == (
        {"zh": "三个以上", "en": "three or more"},
        {"zh": "时效", "en": "freshness"},
        "agreement",
    )


def test_decisions_that_are_alike_share_one_answer() -> None:
    document = load("card")
    names = {"limits": {"freshness_days": 7}}
    one, other = (decide(document, "card", {"sources": 4, "age": age}, names) for age in (1, 2))
    assert one.answer is other.answer


def test_numbers_of_a_card_are_exact_and_without_trailing_zeros() -> None:
    answer = decide(load("card"), "card", {"sources": 3}, {"limits": {"freshness_days": 7}}).answer
    assert (str(answer["score"]), str(answer["parts"][2]["points"])) == ("72.5", "5")


@pytest.mark.parametrize(
    ("overrides", "code"),
    [({"strength_weight": 61}, "rule/weights-do-not-sum"), ({"high_from": 60}, "rule/levels-overlap")],
)
def test_override_that_breaks_a_card_is_found_and_changes_nothing(overrides: Any, code: str) -> None:
    document = load("card")
    other, findings = document.with_overrides(overrides)
    assert [finding.code for finding in findings] == [code]
    assert other is document


def test_tiers_answer_nothing_by_domain_where_nobody_knows_domains() -> None:
    document, findings = load_rules(read_case("sources", "rules.yaml"), "sources")
    assert findings == []
    assert document is not None
    assert decide(document, "tier", {"url": "https://www.gov.cn/"}).answer["rule"] == "government"
    for rule, facts in (("tier", {"url": "https://a.example/"}), ("count", {"pages": [{"url": "https://a.example/"}]})):
        failure = outcome(partial(decide, document, rule, facts))
        assert failure.code == "no-public-suffixes"


def test_more_sources_than_can_be_compared_are_refused() -> None:
    failure = outcome(lambda: decide(load("sources"), "count", {"pages": [{}] * 1001}))
    assert (failure.code, failure.facts) == ("too-many-items", {"name": "pages", "number": 1001, "at_most": 1000})


def test_sum_of_what_is_no_number_gives_no_answer() -> None:
    table = {
        "hit": "collect",
        "collect": "sum",
        "inputs": {"n": {"type": "number"}},
        "outputs": {"x": {"type": "any"}},
        "rows": [{"when": {"n": "any"}, "then": {"x": "a"}}],
    }
    document, _ = load_rules({"tables": {"t": table}}, "here")
    assert document is not None
    for plainly in (False, True):
        failure = outcome(partial(decide, document, "t", {"n": 1}, plainly=plainly))
        assert failure.code == "not-a-number"


@pytest.mark.parametrize(
    ("collect", "format_", "values", "best"),
    [
        ("min", "date", ["2024-03-01", "2023-12-31", "2024-01-01"], "2023-12-31"),
        ("max", "time", ["09:00:00+01:00", "08:00:00Z", "07:59:59"], "09:00:00+01:00"),
        ("max", "date-time", ["2024-01-01T01:00:00+02:00", "2023-12-31T23:30:00Z"], "2023-12-31T23:30:00Z"),
        ("min", "duration", ["90m", "1h", "3600s"], "1h"),
        ("max", "date", ["2024-03-01", None], "different-kinds"),
    ],
)
def test_the_least_and_the_most_of_dates_and_times(collect: str, format_: str, values: list[Any], best: str) -> None:
    table = {
        "hit": "collect",
        "collect": collect,
        "inputs": {},
        "outputs": {"x": {"type": ["string", "null"], "format": format_}},
        "rows": [{"when": "any", "then": {"x": value}} for value in values],
    }
    document, findings = load_rules({"tables": {"t": table}}, "here")
    assert findings == []
    assert document is not None
    for plainly in (False, True):
        found = outcome(partial(decide, document, "t", {}, plainly=plainly))
        assert (found.code if isinstance(found, CannotEvaluate) else found.answer["x"]) == best


def test_otherwise_hands_out_a_fact() -> None:
    table = {
        "hit": "first",
        "inputs": {"n": {"type": "number"}, "m": {"type": "number"}},
        "outputs": {"x": {"type": "number"}},
        "rows": [{"when": {"n": 1}, "then": {"x": 0}}],
        "otherwise": {"x": {"value_of": "m"}},
    }
    document, findings = load_rules({"tables": {"t": table}}, "here")
    assert findings == []
    assert document is not None
    for plainly in (False, True):
        assert decide(document, "t", {"n": 2, "m": 7}, plainly=plainly).answer == {"x": 7}


def test_every_cell_is_listed_with_its_value_and_whether_it_holds() -> None:
    document = load("card")
    functions = document.compiled_card("strict")
    keys = document.scorecards["strict"].keys({"a": 1, "b": None})
    listed = [(row, name, value, cell.text, holds) for row, name, value, cell, holds in functions.listed(keys, ())]
    assert listed == [
        (("one", 1), "a", 1, "at least 1", True),
        (("two", 1), "b", None, "x, null", True),
        (("two", 2), "b", None, "y", False),
    ]


def test_cell_that_could_not_be_evaluated_is_listed_as_such() -> None:
    document = load("loan")
    keys = document.tables["shares"].keys({"paid": 5})
    listed = document.compiled_table("shares").listed(keys, ())
    assert [(row, holds) for row, _, _, _, holds in listed] == [(1, None), (2, None), (3, True)]


def test_properties_are_read_over_facts_and_answer() -> None:
    body = {
        **read_case("loan", "rules.yaml"),
        "properties": [{"of": "one", "never": {"age": "under 18", "status": "yes"}}],
    }
    document, findings = load_rules(body, "loan")
    assert findings == []
    assert document is not None
    [one] = document.properties
    assert (one.kind, one.of, [column.name for column in one.columns]) == ("never", "one", ["age", "risk", "status"])
    assert [cell.text for cell in one.when] == ["under 18", "any", "yes"]


CELL_WORDS = [
    pytest.param(kind, written, cell, id=f"{kind}: {written}")
    for kind, words in read_case("cell_words.yaml").items()
    for written, cell in words.items()
]
_KINDS_OF_COLUMN: dict[str, Any] = {
    "date": {"format": "date"},
    "duration": {"format": "duration"},
    "enum": {"enum": ["High", "Medium", "Low"]},
    "any": {},
}
_LIMITS = {"small": {"value": 50}, "large": {"value": 500}}


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [(kind, *words) for kind, listed in read_case("value_words.yaml").items() for words in listed.items()],
)
def test_what_people_write_for_a_value_leads_to_it(kind: str, written: str, value: str | None) -> None:
    assert suggested_value(written, kind) == value
    if value is not None:
        assert find_key(cast(Kind, kind), loads(value) if kind in ("number", "boolean") else value) is not None


@pytest.mark.parametrize(("kind", "written", "cell"), CELL_WORDS)
def test_words_that_no_cell_says_are_refused_with_the_cell_that_says_it(kind: str, written: str, cell: str) -> None:
    column = _KINDS_OF_COLUMN.get(kind, {"type": kind})

    def found(written: object) -> list[str]:
        table = {"inputs": {"c": column}, "outputs": {"a": {}}, "rows": [{"when": {"c": written}, "then": {"a": 1}}]}
        _, findings = load_rules({"thresholds": _LIMITS, "tables": {"t": table}}, "here")
        assert [one.facts["cell"] for one in findings if one.code == "rule/other-words"] in ([], [cell])
        return [one.code for one in findings if one.code != "rule/unread-input"]

    assert found(written) == ["rule/other-words"]
    for one in re.split(r" ?/ |（.*?）", cell):  # what the hint says is taken
        node, _ = read_tree(Source("cell", one))
        assert node is None or found(to_value(node)) in ([], ["rule/wrong-kind"] if kind == "string" else [])


@pytest.mark.parametrize(
    "text", ["5-9", "18-24", "over the moon", "more than enough", "up to date", "5 points", "yes", "-", "none", "all"]
)
def test_in_a_column_of_texts_a_text_stays_a_text(text: str) -> None:
    rows = [{"when": {"c": text}, "then": {"a": 1}}]
    document, findings = load_rules(
        {"tables": {"t": {"inputs": {"c": {"type": "string"}}, "outputs": {"a": {}}, "rows": rows}}}, "here"
    )
    assert findings == []
    assert document is not None
    assert decide(document, "t", {"c": text}).answer == {"a": 1}


def test_every_code_is_shown_by_a_case() -> None:
    """What no case shows, a test shows: gates and overrides here, what is wrong between documents in the linter's."""
    shown = {f"rule/{code}" for mistake in MISTAKES.values() for code, _, _ in mistake["findings"]}
    for name in DOCUMENTS:
        shown |= {f"rule/{case['failure']}" for case in read_case(name, "cases.yaml") if "failure" in case}
    by_tests = {"empty-gate", "gate-without-condition", "threshold-kind", "unknown-threshold"}
    by_tests |= {"no-public-suffixes", "not-a-number", "too-many-items"}
    assert set(CODES) - shown == {f"rule/{code}" for code in by_tests}


def test_factor_and_table_of_many_rows_answer_as_the_plain_evaluator_does() -> None:
    numbers = range(1500)
    rows = [{"when": {"n": number}, "gives": Decimal(number) / 1500} for number in numbers if number % 3 == 0]
    factors = {"f": {"weight": 100, "rows": [*rows, {"when": {"n": "above 1400"}, "gives": 1}]}}
    card = {"inputs": {"n": {"type": "integer"}}, "factors": factors, "levels": [{"level": "x", "from": 0}]}
    table = {
        "inputs": {"n": {"type": "integer"}},
        "outputs": {"o": {"type": "integer"}},
        "rows": [{"when": {"n": number}, "then": {"o": number}} for number in numbers],
    }
    document, findings = load_rules({"scorecards": {"c": card}, "tables": {"t": table}}, "here")
    assert findings == []
    assert document is not None
    for rule, number in itertools.product(("c", "t"), (0, 1, 3, 1400, 1401, 1402, 1500)):
        compiled, plain = (outcome(partial(decide, document, rule, {"n": number}, plainly=p)) for p in (False, True))
        if isinstance(plain, CannotEvaluate):
            assert compiled.code == plain.code
        else:
            assert (compiled.answer, compiled.row) == (plain.answer, plain.row)
