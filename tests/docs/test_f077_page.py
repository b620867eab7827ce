"""The page on candidate analysis: every place and every test that it names exists, and no section is left out."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from tests.docs.readme_kit import ROOT, in_code_span

PAGES = {language: ROOT / "docs" / name for language, name in {"en": "f077.md", "zh": "f077.zh.md"}.items()}
SECTIONS = {str(number) for number in range(1, 11)}
_ROW = re.compile(
    r"^\| (?P<fact>\d+\.\d+) \| .+ \| `(?P<file>[^`]+)`: (?P<text>.+) \| `(?P<tests>[^`]+)`: `(?P<test>\w+)` \|$"
)


class Row(NamedTuple):
    fact: str
    file: str
    text: str
    tests: str
    test: str


def rows_of(language: str) -> list[Row]:
    lines = PAGES[language].read_text("utf-8").splitlines()
    found = [_ROW.match(line) for line in lines if re.match(r"\| \d", line)]
    assert None not in found, "every row has a fact, a place and a test"
    return [
        Row(row["fact"], row["file"], in_code_span(row["text"]), row["tests"], row["test"])
        for row in found
        if row is not None
    ]


@pytest.mark.parametrize("row", rows_of("en"), ids=lambda row: row.fact)
def test_a_requirement_stands_where_the_page_says_and_its_test_exists(row: Row) -> None:
    assert row.text in (ROOT / row.file).read_text("utf-8"), row
    assert f"\ndef {row.test}(" in (ROOT / row.tests).read_text("utf-8"), row


def test_every_section_of_the_facts_is_covered_in_order_and_nothing_twice() -> None:
    facts = [tuple(map(int, row.fact.split("."))) for row in rows_of("en")]
    assert facts == sorted(set(facts))
    assert {str(section) for section, _ in facts} == SECTIONS


def test_every_test_of_the_analysis_with_a_model_is_a_test_of_some_requirement_or_of_its_kind() -> None:
    """No file of tests is forgotten on the page."""
    named = {row.tests for row in rows_of("en")}
    assert {f"tests/cli/{path.name}" for path in (ROOT / "tests" / "cli").glob("test_f077*.py")} <= named


def test_both_languages_name_the_same_places_and_tests() -> None:
    assert rows_of("en") == rows_of("zh")
    headings = {
        language: len(re.findall(r"^#+ ", path.read_text("utf-8"), re.MULTILINE)) for language, path in PAGES.items()
    }
    assert headings["en"] == headings["zh"]
