"""The page of the deep search is complete: every requirement has a line that holds it and a test that shows it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {
    "en": (ROOT / "docs" / "deep_search.md", "## Requirements"),
    "zh": (ROOT / "docs" / "deep_search.zh.md", "## 要求"),
}
FACTS = ROOT.parent / "shared" / "workflows" / "wps_deep_search.md"


class Row(NamedTuple):
    number: str
    requirement: str
    file: str
    text: str
    tests: tuple[str, ...]


def tables(language: str) -> list[list[list[str]]]:
    """Return the cells of every row of every table of a page, the heads of the tables left out."""
    text = PAGES[language][0].read_text("utf-8")
    found = re.findall(r"^\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[cells_of(line) for line in table.splitlines()] for table in found]


def cells_of(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def rows(language: str = "en") -> list[Row]:
    page, heading = PAGES[language]
    table = page.read_text("utf-8").split(heading)[1].split("\n## ")[0]
    found = []
    for line in table.splitlines():
        cells = cells_of(line)
        if len(cells) == 4 and cells[0][:1].isdigit():
            file, _, text = cells[2].partition("`: `")
            tests = tuple(re.findall(r"`(\w+)`", cells[3]))
            found.append(Row(cells[0], cells[1], file.strip("`"), text.removesuffix("`").replace("\\`", "`"), tests))
    return found


@cache
def known_tests() -> set[str]:
    return {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.number} {row.requirement[:30]}")
def test_a_requirement_has_its_line_and_its_test(row: Row) -> None:
    lines = (ROOT / "specs" / row.file).read_text("utf-8").splitlines()
    assert any(row.text in line for line in lines), f"{row.file} has no line with {row.text!r}"
    assert row.tests
    assert set(row.tests) <= known_tests()


@pytest.mark.skipif(not FACTS.exists(), reason="the fact sheet stands in ../shared, which is not here")
def test_every_numbered_rule_of_the_fact_sheet_has_a_row() -> None:
    wanted: set[str] = set()
    section = ""
    for line in FACTS.read_text("utf-8").splitlines():
        heading = re.match(r"#{2,3} (\d+(?:\.\d+)?)\.? ", line)
        if heading is not None:
            section = heading[1]
            wanted.add(section)
        elif section in ("4", "9.5", "13") and (item := re.match(r"(\d+)\. ", line)):
            wanted.add(f"{section}({item[1]})")
    # 0 says where facts come from, 9 is the head of its parts, 4 and 13 are their numbered rules
    wanted -= {"0", "4", "9", "9.5", "13"}
    assert wanted - {row.number for row in rows()} == set()


def test_both_languages_name_the_same_places_and_tests() -> None:
    places = {language: [(row.number, row.file, row.text, row.tests) for row in rows(language)] for language in PAGES}
    assert places["zh"] == places["en"]


def test_both_languages_have_the_same_tables_and_as_many_rows_in_each() -> None:
    sizes = {language: [[len(cells) for cells in table] for table in tables(language)] for language in PAGES}
    assert sizes["zh"] == sizes["en"]
