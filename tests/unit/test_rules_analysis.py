"""What analysis finds in rules: holes, clashes, rows out of reach, broken properties; mutants and changes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interpreter.codes.analysis import CODES
from interpreter.diagnostics import finding
from rules.analysis import check, grid
from rules.analysis.boundaries import boundary_cases
from rules.analysis.changes import flip_words, smallest_change
from rules.analysis.check import check_rules
from rules.analysis.differences import compare_decisions, compare_rules
from rules.analysis.mutants import live_mutants
from rules.analysis.properties import check_properties
from rules.analysis.subjects import Outcome, TableSubject
from rules.documents import RuleDocument, decide, load_rules
from rules.said import Said
from rules.values import CannotEvaluate, same
from tests.unit import dmn_kit
from tests.unit.rule_cases import read_case

CASES: dict[str, Any] = read_case("analysis.yaml")
KIT = Path(__file__).parents[2].parent / "shared" / "cases" / "dmn"
FILES = sorted(KIT.glob("*.json"))


def document_of(body: Any) -> RuleDocument:
    document, findings = load_rules(body, "here")
    assert document is not None
    assert [one for one in findings if one.code != "rule/unread-input"] == []
    return document


@pytest.mark.parametrize("name", [name for name in CASES if "findings" in CASES[name]])
def test_analysis_finds_just_this(name: str) -> None:
    case = CASES[name]
    found = check_rules(document_of(case["body"]))
    told = [(one.code.removeprefix("rule/"), list(one.path)) for one in found]
    assert told == [(code, path) for code, path, _ in case["findings"]]
    for one, (_, _, facts) in zip(found, case["findings"], strict=True):
        for fact, value in facts.items():
            assert same(one.facts[fact], value), (fact, one.facts[fact])


@pytest.mark.parametrize("name", [name for name in CASES if "properties" in CASES[name]["body"]])
def test_properties_are_told_the_same_whether_or_not_the_rules_were_looked_at_before(name: str) -> None:
    document = document_of(CASES[name]["body"])
    alone, told = list(check_properties(document)), check_rules(document)
    assert told[len(told) - len(alone) :] == alone


@pytest.mark.parametrize("name", [name for name in CASES if "count" in CASES[name]])
def test_findings_of_one_code_are_told_up_to_a_number(name: str) -> None:
    found = check_rules(document_of(CASES[name]["body"]))
    assert Counter(one.code.removeprefix("rule/") for one in found) == CASES[name]["count"]


def test_every_code_of_analysis_is_shown_by_a_case_and_its_texts_are_filled() -> None:
    shown = set()
    for case in CASES.values():
        for one in check_rules(document_of(case["body"])):
            shown.add(one.code)
            words = finding(one.code, None, **{**one.facts, "hint": None})  # type: ignore[arg-type]
            for text in (*words.message, *(words.hint or ())):
                assert "_zh}" not in text
                assert "_en}" not in text
    assert set(CODES) - shown == {"rule/too-large", "rule/not-looked-at", "rule/looked-at-in-passing"}


def test_what_is_too_large_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "MOST_STEPS", 10)
    name = "the first wording of the confidence rule has two holes and two clashes"
    found = check_rules(document_of(CASES[name]["body"]))
    assert Counter(one.code for one in found)["rule/too-large"] == 1
    assert Counter(one.code for one in found)["rule/gap"] == 2  # found by boxes


def drawn(rows: int, hit: str, columns: int = 3) -> RuleDocument:
    """Return a table of intervals that overlap and leave holes."""
    draw = Random(1)
    names = [f"n{number}" for number in range(columns)]
    written = []
    for row in range(rows):
        ends = [sorted(draw.sample(range(1, 1000), 2)) for _ in names]
        when = {name: f"{low} to {high}" for name, (low, high) in zip(names, ends, strict=True)}
        written.append({"when": when, "then": {"a": f"a{row % 4}"}})
    inputs = {name: {"type": "number", "range": "0..1000"} for name in names}
    return document_of(
        {"tables": {"t": {"hit": hit, "inputs": inputs, "outputs": {"a": {"type": "string"}}, "rows": written}}}
    )


@pytest.mark.long
@pytest.mark.parametrize(("rows", "hit", "columns"), [(150, "first", 3), (150, "unique", 8), (60, "any", 20)])
def test_of_a_large_table_what_was_found_is_told_and_what_was_not_looked_at_is_named(
    rows: int, hit: str, columns: int
) -> None:
    document = drawn(rows, hit, columns)
    found = check_rules(document)
    counts = Counter(one.code for one in found)
    assert counts["rule/gap"] == 8
    assert found == check_rules(document)  # bounded by counting, not by a clock
    for one in found:
        if one.code == "rule/row-never-answers":
            decided = decide(document, "t", one.facts["example"])  # type: ignore[arg-type]
            assert decided.rows == (one.facts["winner"],)
        if one.code == "rule/gap":
            assert decide(document, "t", one.facts["example"]).rows == ()  # type: ignore[arg-type]
        if one.code == "rule/rows-clash":
            with pytest.raises(CannotEvaluate):
                decide(document, "t", one.facts["example"])  # type: ignore[arg-type]


def test_lint_looks_at_tables_of_many_rows_too() -> None:
    rows = [{"when": {"n": f"{9 * at} to {9 * at + 10}"}, "then": {"a": f"a{at % 3}"}} for at in range(101)]
    table = {"inputs": {"n": {"type": "integer"}}, "outputs": {"a": {"type": "string"}}, "rows": rows}
    document = document_of({"tables": {"t": table}})
    whole = check_rules(document)
    assert Counter(one.code for one in whole)["rule/rows-clash"] == 8
    assert check_rules(document, in_passing=True) == whole


@pytest.mark.parametrize(("in_passing", "code"), [(False, "rule/too-large"), (True, "rule/looked-at-in-passing")])
def test_what_takes_too_much_work_is_named_by_a_note(
    monkeypatch: pytest.MonkeyPatch, in_passing: bool, code: str
) -> None:
    monkeypatch.setattr(check, "MOST_WORK", 40_000)
    monkeypatch.setattr(check, "MOST_WORK_IN_PASSING", 40_000)
    found = check_rules(drawn(40, "first"), in_passing=in_passing)
    assert [one.code for one in found if one.code not in ("rule/gap", "rule/row-never-answers")] == [code]


@pytest.mark.parametrize("in_passing", [False, True])
def test_a_rule_for_which_no_work_is_left_is_named_by_a_note(monkeypatch: pytest.MonkeyPatch, in_passing: bool) -> None:
    monkeypatch.setattr(check, "MOST_WORK", 10)
    monkeypatch.setattr(check, "MOST_WORK_IN_PASSING", 10)
    [one] = check_rules(drawn(40, "first"), in_passing=in_passing)
    assert one.code == ("rule/looked-at-in-passing" if in_passing else "rule/not-looked-at")
    assert one.facts["rule"] == "t"


# --- changes, differences, boundaries ---------------------------------------------------------------------------------


def grades(**changed: Any) -> RuleDocument:
    sources = {"type": "integer", "title": {"zh": "独立二级来源", "en": "independent Tier 2 sources"}}
    table = {
        "hit": "first",
        "inputs": {"score": {"type": "number", "range": "0..100"}, "sources": sources},
        "outputs": {"level": {"enum": ["High", "Low"]}},
        "rows": [{"when": {"score": "at least from", "sources": "at least 2"}, "then": {"level": "High"}}],
        "otherwise": {"level": "Low"},
    }
    return document_of({"thresholds": {"from": {"value": 80}}, "tables": {"t": {**table, **changed}}})


def is_high(outcome: Outcome) -> bool:
    return bool(outcome.value == {"level": "High"})


@pytest.mark.parametrize(
    ("facts", "zh", "en"),
    [
        (
            {"score": 90, "sources": 1},
            "要得到 High，需要独立二级来源再多 1（2，现在是 1）",
            "High needs one more independent Tier 2 source (2 instead of 1)",
        ),
        (
            {"score": 77, "sources": 0},
            "要得到 High，需要score再多 3（80，现在是 77）和独立二级来源再多 2（2，现在是 0）",
            "High needs three more score (80 instead of 77) and two more independent Tier 2 sources (2 instead of 0)",
        ),
        ({"score": 80, "sources": 2}, "回答已经是 High", "the answer is High already"),
    ],
)
def test_the_smallest_change_is_said_in_a_sentence(facts: Any, zh: str, en: str) -> None:
    flip = smallest_change(TableSubject(grades().tables["t"]), facts, is_high)
    assert flip is not None
    assert flip_words(flip, Said("High", "High")) == (zh, en)


def test_facts_that_may_not_change_stay() -> None:
    subject = TableSubject(grades().tables["t"])
    assert smallest_change(subject, {"score": 90, "sources": 1}, is_high, frozenset({"sources"})) is None


def test_a_difference_has_an_example_and_a_region() -> None:
    rows = [{"when": {"score": "at least 85", "sources": "at least 2"}, "then": {"level": "High"}}]
    old, new = grades(), grades(rows=rows)
    [difference] = compare_rules(old, new, "t").differences
    assert [(asked.column.name, asked.cell) for asked in difference.region] == [
        ("score", "80 to under 85"),
        ("sources", "at least 2"),
    ]
    assert decide(old, "t", difference.example).answer == {"level": "High"}
    assert decide(new, "t", difference.example).answer == {"level": "Low"}


def test_a_narrower_input_is_a_difference() -> None:
    narrower = grades(
        inputs={"score": {"type": "number", "range": "0..90"}, "sources": {"type": "integer"}},
    )
    [difference, *_] = compare_rules(grades(), narrower, "t").differences
    assert difference.after.value == "refused"
    assert difference.example["score"] > 90


def test_an_input_of_another_kind_is_said() -> None:
    other = grades(
        inputs={"score": {"type": "number"}, "sources": {"type": "string"}}, rows=[{"then": {"level": "Low"}}]
    )
    assert compare_rules(grades(), other, "t").other_kinds == ("sources",)


def test_the_share_of_recorded_decisions_that_change() -> None:
    rows = [{"when": {"score": "at least 85", "sources": "at least 2"}, "then": {"level": "High"}}]
    recorded = [{"score": score, "sources": 2} for score in (79, 80, 84, 85)]
    assert compare_decisions(grades(), grades(rows=rows), "t", recorded) == (4, [1, 2])


def test_boundary_cases_stand_on_both_sides_of_each_edge() -> None:
    cases = boundary_cases(TableSubject(grades().tables["t"]))
    stands = {(str(case.facts["score"]), case.facts["sources"], case.outcome.value["level"]) for case in cases}
    assert {("79.9", 3, "Low"), ("80", 3, "High"), ("80.1", 3, "High")} <= stands
    assert {(1, "Low"), (2, "High"), (3, "High")} <= {(sources, level) for _, sources, level in stands}


def test_a_mutant_that_no_case_notices_is_named_with_facts_that_would() -> None:
    mutants = live_mutants(TableSubject(grades().tables["t"]))
    noticed = mutants.noticed([{"score": 80, "sources": 3}, {"score": 80, "sources": 1}])
    left = [mutant for mutant, seen in zip(mutants.mutants, noticed, strict=True) if not seen]
    assert [mutant.words.en for mutant in left] == [
        "row 1, score: at least 80 → at least 79",
        "row 1, independent Tier 2 sources: at least 2 → above 2",
        "row 1, independent Tier 2 sources: at least 2 → at least 3",
    ]
    assert all(mutants.noticed([mutant.witness or {} for mutant in mutants.mutants]))


@pytest.mark.skipif(not FILES, reason="the conformance cases in ../shared/cases/dmn are not here")
def test_boundary_cases_notice_every_mutant_of_tables_by_other_people() -> None:
    live = by_kit = by_us = 0
    for path in FILES:
        case = dmn_kit.Case(path.read_text(encoding="utf-8"))
        for name, table in case.document.tables.items():
            subject = TableSubject(table)
            mutants = live_mutants(subject)
            vectors = [case.translations[name].facts(vector["facts"]) for vector in case.kit["tests"]]
            live += len(mutants.mutants)
            by_kit += sum(mutants.noticed(vectors))
            by_us += sum(mutants.noticed([one.facts for one in boundary_cases(subject)]))
    assert by_us == live
    assert by_kit < live
