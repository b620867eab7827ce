"""The page on the topic collector: each place and test that it names exists, and no rule of the facts is left out."""

from __future__ import annotations

import itertools
import re
from typing import Any, NamedTuple

import pytest

from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from tests.docs.readme_kit import ROOT, in_code_span

PAGES = {
    "en": (ROOT / "docs" / "topic_move.md", "## Requirements"),
    "zh": (ROOT / "docs" / "topic_move.zh.md", "## 要求"),
}
FACTS = ROOT.parent / "shared" / "workflows" / "topic_move_collector.md"
STATES = [
    "PARSE_INPUT", "RESOLVE_TARGET", "CONFIRM_CONTEXT", "SEARCH_RECALL", "RECALL_ENHANCE", "RESOURCE_RESOLVE",
    "CONTENT_VERIFY", "RELEVANCE_CLASSIFY", "PLAN_MOVE", "CONFIRM_EXECUTION", "EXECUTE", "VERIFY", "RESTORE", "DONE",
]  # fmt: skip
_ROW = re.compile(
    r"^\| (?P<section>\d+(\.\d+)?)-(?P<rule>\w+) \| .+ \| `(?P<file>[^`]+)`: (?P<text>.+)"
    r" \| `(?P<tests>[^`]+)`: `(?P<test>[\w-]+)` \|$"
)
_INDEX = re.compile(r"^\| (?P<section>\d+(\.\d+)?) \| [^|]+ \| (?P<count>\d+) \|$", re.MULTILINE)


class Row(NamedTuple):
    section: str
    rule: str
    file: str
    text: str
    tests: str
    test: str


def rows(language: str = "en") -> list[Row]:
    page, heading = PAGES[language]
    lines = page.read_text("utf-8").split(heading)[1].splitlines()
    found = [_ROW.match(line) for line in lines if re.match(r"\| \d", line)]
    assert None not in found, "every row has a fact, a place and a test"
    names = ("section", "rule", "file", "text", "tests", "test")
    return [Row(*(in_code_span(row[name]) if name == "text" else row[name] for name in names)) for row in found if row]


def index(language: str = "en") -> dict[str, int]:
    page, _ = PAGES[language]
    return {found["section"]: int(found["count"]) for found in _INDEX.finditer(page.read_text("utf-8"))}


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.section}-{row.rule}")
def test_a_rule_stands_where_the_page_says_and_its_test_exists(row: Row) -> None:
    assert row.text in (ROOT / row.file).read_text("utf-8"), row
    head = f"  - id: {row.test}\n" if row.tests.endswith(".yaml") else f"\ndef {row.test}("
    assert head in (ROOT / row.tests).read_text("utf-8"), row


def test_every_rule_of_the_index_has_one_row_in_order() -> None:
    wanted = [
        (section, rule)
        for section, count in index().items()
        for rule in (STATES if section == "1" else map(str, range(1, count + 1)))
    ]
    assert [(row.section, row.rule) for row in rows()] == wanted
    assert index()["1"] == len(STATES)


def test_both_languages_name_the_same_places_and_tests() -> None:
    assert rows("zh") == rows("en")
    assert index("zh") == index("en")


def test_every_gap_is_decided_in_both_languages() -> None:
    for page, _ in PAGES.values():
        decided = re.findall(r"^- 7\.(\d+) ", page.read_text("utf-8"), re.MULTILINE)
        assert decided == [str(number) for number in range(1, index()["7"] + 1)]


def test_the_index_names_every_section_of_the_facts_and_their_numbers() -> None:
    if not FACTS.exists():
        pytest.skip("the list of facts is not part of this project")
    text = FACTS.read_text("utf-8")
    parents = {"2", "3", "5"}  # sections that only hold others
    assert set(re.findall(r"^#{2,3} (\d+(?:\.\d+)?)\b", text, re.MULTILINE)) - parents == set(index())
    gaps = text.split("\n## 7. ")[1]
    assert len(re.findall(r"^\d+\. ", gaps, re.MULTILINE)) == index()["7"]
    hard = text.split("### 1.1 ")[1].split("Further back-edges")[0]
    assert len(re.findall(r"^\d+\. ", hard, re.MULTILINE)) == 9


#: The shapes of the facts, by the section that lists their fields.
SHAPES = {
    "2.1": "TargetLocation",
    "2.2": "QueryRecallState",
    "2.3": "CandidateItem",
    "2.4": "ResourceItem",
    "2.6": "MovePlanItem",
    "2.8": "JournalEntry",
}


@pytest.mark.parametrize("section", SHAPES)
def test_every_field_and_every_value_of_the_facts_is_in_its_shape(section: str) -> None:
    if not FACTS.exists():
        pytest.skip("the list of facts is not part of this project")
    shapes = types()
    properties = shapes[SHAPES[section]]["properties"]
    lines = FACTS.read_text("utf-8").split(f"\n### {section} ")[1].split("\n### ")[0].splitlines()
    fields = itertools.takewhile(lambda line: not line.startswith("`command_args` by family"), lines)
    rows_of_fields = [line.replace("\\|", "¦").split("|") for line in fields if line.startswith("| `")]
    assert rows_of_fields
    for cells in rows_of_fields:
        for name in re.findall(r"`(\w+)`", cells[1]):
            assert name in properties, (section, name)
            values = re.findall(r"`([^`]+)`", cells[2].replace("¦", " ")) if "¦" in cells[2] else []
            assert set(values) <= set(map(str, enum_of(properties[name], shapes))), (section, name)


def enum_of(shape: dict[str, Any], shapes: dict[str, Any]) -> list[Any]:
    if "$ref" in shape:
        return enum_of(shapes[shape["$ref"].lstrip("#")], shapes)
    if shape.get("type") == "array":
        return enum_of(shape["items"], shapes)
    found = shape.get("enum", [])
    assert isinstance(found, list)
    return found


def types() -> dict[str, Any]:
    path = ROOT / "specs" / "types" / "topic_move.yaml"
    node, found = read_tree(Source(path.name, path.read_text("utf-8")))
    assert node is not None, found
    plain: Any = to_value(node)
    shapes: dict[str, Any] = plain["$defs"]
    return shapes
