"""The table of functions: table, implementation, texts of codes and the reference page say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interpreter.codes.expression import CODES
from rules.expr import FUNCTIONS, Function, parse_expression
from rules.expr.functions import GROUPS
from rules.expr.mistakes import FROM_TEXT, METHODS, SYNONYMS, WITHOUT_ONE
from rules.expr.parse import WARNINGS
from rules.expr.reference import functions_table
from rules.values import same

ROOT = Path(__file__).parents[2]
WITH_EXAMPLE = [row for row in FUNCTIONS if row.example]


@pytest.mark.parametrize("row", WITH_EXAMPLE, ids=lambda row: f"{row.kind}-{row.name}")
def test_the_example_of_a_function_is_true(row: Function) -> None:
    written, _, expected = row.example.rpartition(" -> ")
    expression, findings = parse_expression(written)
    assert expression is not None, findings
    result, _ = parse_expression(expected)
    assert result is not None
    assert same(expression.evaluate({}), result.evaluate({}))


def test_a_name_stands_once_for_each_kind() -> None:
    names = [(row.kind, row.name) for row in FUNCTIONS]
    assert len(names) == len(set(names))


def test_words_of_other_languages_lead_to_functions_that_exist() -> None:
    names = {row.name for row in FUNCTIONS} | {"absent", "null"}
    assert set(SYNONYMS.values()) <= names
    written = " ".join(METHODS.values())
    assert set(re.findall(r"\| (\w+)", written)) <= names


@pytest.mark.parametrize("word", sorted({*FROM_TEXT, *SYNONYMS, "to_numbr", "as_numbers", "nummber", "booolean"}))
def test_a_hint_never_leads_back_to_the_word_that_it_is_for(word: str) -> None:
    said = {word}
    while True:
        _, findings = parse_expression(f"'1' | {word}")
        near = next((one.facts["near"] for one in findings if one.code == "expression/misspelled-function"), None)
        if near is None:
            break
        assert near not in said
        said.add(word := str(near))
    assert not FROM_TEXT & said or "from_json" in said


@pytest.mark.parametrize("word", sorted(WITHOUT_ONE))
@pytest.mark.parametrize("form", ["a | {}", "a is {}", "{}(a)"])
def test_no_function_that_is_only_spelled_alike_is_named_for_a_word_of_another_language(form: str, word: str) -> None:
    _, findings = parse_expression(form.format(word))
    if (form, word) == ("a is {}", "list"):  # which is a test of ours
        assert not findings
        return
    assert [finding.code for finding in findings] == ["expression/foreign-function"]
    assert not {"near", "instead"} & findings[0].facts.keys()


def test_every_function_is_described_in_both_languages() -> None:
    for row in FUNCTIONS:
        assert row.en, row.name
        assert re.search(r"[\u4e00-\u9fff]", row.zh), row.name


def test_the_reference_page_holds_the_table() -> None:
    page = (ROOT / "docs" / "language" / "functions.md").read_text(encoding="utf-8")
    for group in GROUPS:
        assert functions_table(group) in page, (
            f"write rules.expr.reference.functions_table({group!r}) into docs/language/functions.md"
        )


def written_codes() -> set[str]:
    """Return every code that the package names in its source."""
    found: set[str] = set()
    for file in (ROOT / "rules" / "expr").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        found.update(re.findall(r'(?:Mistake|CannotEvaluate|report|expression_finding)\(\s*"([a-z-]+)"', text))
        found.update(re.findall(r'code = "([a-z-]+)"', text))
        found.update(
            word for line in re.findall(r"code = .*", text) for word in re.findall(r'"([a-z]+-[a-z-]+)"', line)
        )
    for name in ("values.py", "ready.py"):
        text = (ROOT / "rules" / name).read_text(encoding="utf-8")
        found.update(re.findall(r'CannotEvaluate\(\s*"([a-z-]+)"', text))
    return found


def test_every_code_has_words_and_is_used() -> None:
    declared = {code.removeprefix("expression/") for code in CODES}
    written = written_codes()
    assert written - declared == set()
    assert declared - written <= {"absent-name", "absent-field"}


def test_warnings_are_warnings_in_both_places() -> None:
    assert {code for code, row in CODES.items() if row.severity == "warning"} == set(WARNINGS)
