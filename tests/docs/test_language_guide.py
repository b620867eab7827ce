"""The language guide: every block is checked, every key is explained, both languages say the same."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from interpreter.documents.loading import Loader
from interpreter.documents.reading import Disk
from interpreter.engine.settling import FOLLOW_AT_MOST, FOLLOW_EVERY
from interpreter.engine.walks import EMPTY_PAGES
from interpreter.lint import lint_paths
from interpreter.session.sessions import STATUS_EXITS
from interpreter.source import Source
from interpreter.testing.cases import read_suite
from interpreter.testing.checking import check_tests
from interpreter.testing.expectations import compare
from interpreter.testing.running import open_workbench, plan_for, run_case
from interpreter.yaml_tree import read_tree
from rules.documents import decide, load_rules
from rules.values import ABSENT
from tests.docs import readme_kit
from tests.docs.guide_kit import (
    DOCS,
    ENDINGS,
    PAGES,
    ROOT,
    Block,
    blocks_of,
    contents_of,
    guide_of,
    index_of,
    navigation_of,
    page_of,
    write_documents,
    write_fragment,
)

BLOCKS = blocks_of("en")
FRAGMENTS = [block for block in BLOCKS if block.host and block.host != "plain"]
#: A fragment declares more than it uses.
OF_A_FRAGMENT = "name/unused-"


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guide")
    write_documents([block for block in BLOCKS if block.is_document], folder)
    return folder


def test_whole_documents_have_no_findings(documents: Path) -> None:
    assert [str(one) for one in lint_paths([documents], check_tests=check_tests)] == []


def test_the_cases_of_the_guide_pass(documents: Path) -> None:
    suite, found = read_suite(documents / "tests" / "file_papers.yaml", Loader(documents, Disk()))
    assert suite is not None, found
    workbench, found = open_workbench(suite)
    assert workbench is not None, found
    for case in suite.cases:
        program, _ = plan_for(workbench, case)
        assert program is not None
        walked, _ = run_case(workbench, program, case)
        assert walked is not None
        assert [str(one.message) for one in compare(case, walked, program)] == []


@pytest.mark.parametrize("block", FRAGMENTS, ids=lambda block: block.place)
def test_a_fragment_has_no_findings_in_its_host(block: Block, documents: Path) -> None:
    path, lines = write_fragment(block, documents)
    found = lint_paths([path])
    path.unlink()
    told = [
        (one.code, one.message["en"], one.span.begins.line if one.span else 0)
        for one in found
        if one.severity == "error" or (one.span and one.span.begins.line in lines and not _is_allowed(one.code))
    ]
    assert told == []


def _is_allowed(code: str) -> bool:
    return code.startswith(OF_A_FRAGMENT)


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.host == "plain"], ids=lambda block: block.place)
def test_plain_yaml_reads_without_findings(block: Block) -> None:
    _, findings = read_tree(Source("plain.yaml", block.text))
    assert [one.code for one in findings] == []


def test_every_yaml_block_is_checked_somehow() -> None:
    unchecked = [
        block.place
        for block in BLOCKS
        if block.language == "yaml" and not (block.is_document or block.host or block.file)
    ]
    assert unchecked == []


@pytest.mark.long  # both READMEs are typed every day
@pytest.mark.parametrize("language", ENDINGS)
def test_what_is_typed_shows_what_stands_there(language: str, tmp_path: Path) -> None:
    blocks = blocks_of(language)
    write_documents(blocks, tmp_path)
    reader = readme_kit.Reader(f"README{ENDINGS[language]}", tmp_path)
    typed = [block for block in blocks if block.language == "console"]
    assert typed
    for block in typed:
        shown = reader.follow(readme_kit.Block(block.language, block.text, (0, 0)))
        if os.environ.get("UPDATE_README"):
            _renew(block.page, block.text, shown)
        else:
            assert shown == block.text


def _renew(page: Path, before: str, after: str) -> None:
    page.write_text(page.read_text("utf-8").replace(before, after, 1), "utf-8")


def test_every_page_has_its_place_in_the_order_of_reading() -> None:
    names = {page_of(name, language).name for name in PAGES for language in ENDINGS}
    assert {page.name for page in (DOCS / "language").iterdir()} == names


@pytest.mark.parametrize("language", ENDINGS)
def test_the_contents_lead_to_every_page_and_section(language: str) -> None:
    index = index_of(language)
    contents = index.read_text("utf-8").split("\n\n## ")[1].partition("\n\n")[2]
    if os.environ.get("UPDATE_README"):
        _renew(index, contents, contents_of(language))
        return
    assert contents == contents_of(language)


@pytest.mark.parametrize("language", ENDINGS)
@pytest.mark.parametrize("name", PAGES)
def test_the_top_of_a_page_leads_to_the_contents_the_next_page_and_its_sections(name: str, language: str) -> None:
    page = page_of(name, language)
    _, _, below = page.read_text("utf-8").split("\n\n", 2)  # the title and the way to the other language
    navigation = navigation_of(name, language)
    if os.environ.get("UPDATE_README"):
        _renew(page, re.match(r".+(?:\n\n(?:On this page: |本页：).+)?", below)[0], navigation)  # type: ignore[index]
        return
    assert below.startswith(f"{navigation}\n\n")


def test_both_languages_have_the_same_blocks() -> None:
    other = blocks_of("zh")
    assert [_comparable(block) for block in other] == [_comparable(block) for block in BLOCKS]


def _comparable(block: Block) -> tuple[str, str, str, list[str]]:
    """What is typed is the same in both languages, what it shows is not."""
    lines = block.text.splitlines()
    if block.language == "console":
        lines = [line for line in lines if line.startswith("$ ")]
    return block.language, block.host, block.file, lines


@pytest.mark.parametrize("language", ENDINGS)
@pytest.mark.parametrize("kind", ["workflow", "rules", "tools", "types", "profile", "tests"])
def test_every_key_of_the_schemas_is_explained(kind: str, language: str) -> None:
    schema = json.loads((ROOT / "schemas" / f"{kind}.schema.json").read_text("utf-8"))
    guide = guide_of(language)
    code = "\n".join([*(block.text for block in blocks_of(language)), *re.findall(r"`([^`\n]+)`", guide)])
    words = set(re.findall(r"[\w$]+", code))
    assert sorted(set(_keys(schema)) - words) == []


def _keys(schema: Any) -> Iterator[str]:
    """Yield the keys that documents may hold; one that may not stand where it is named is left out."""
    for definition in (schema, *schema["$defs"].values()):
        for name, part in definition.get("properties", {}).items():
            if "not" not in part:
                yield name


def test_the_chinese_guide_refers_to_the_table_of_functions() -> None:
    assert "](functions.md)" in page_of("functions", "zh").read_text("utf-8")


# --- facts that the guide states in words -----------------------------------------------------------------------------


@pytest.mark.parametrize("language", ENDINGS)
def test_the_exit_statuses_are_those_of_the_program(language: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| (\d)(?:[^|]*?(\d) )?[^|]*\|$", guide_of(language), re.MULTILINE)
    stated = {status: int(number) for status, number, _ in rows if status in STATUS_EXITS}
    assert stated == {status: STATUS_EXITS[status] for status in stated}
    assert {"completed", "failed", "waiting", "blocked", "cancelled"} <= set(stated)


def test_the_numbers_in_the_guide_are_those_of_the_program() -> None:
    guide = " ".join(guide_of("en").split())
    assert (EMPTY_PAGES, "the third page in a row that is empty" in guide) == (3, True)
    assert (FOLLOW_AT_MOST, FOLLOW_EVERY, "up to 30 times, every 2 seconds" in guide) == (30, 2, True)


@pytest.mark.parametrize("language", ENDINGS)
def test_the_guide_names_every_kind_of_error(language: str) -> None:
    kinds = json.loads((ROOT / "schemas" / "tools.schema.json").read_text("utf-8"))["$defs"]["error_kind"]["enum"]
    assert [kind for kind in kinds if f"`{kind}`" not in guide_of(language)] == []


def _cell_rows() -> list[list[str]]:
    """Return the forms of each cell in the table that has a column for English, Chinese and symbols."""
    rows = re.findall(r"^\| `([^`|]+)` \| `([^`|]+)` \| (?:`\"([^`|]+)\"` )?\|", guide_of("en"), re.MULTILINE)
    return [[form for form in row if form] for row in rows]


def test_the_table_of_cells_is_read() -> None:
    assert len(_cell_rows()) == 12


@pytest.mark.parametrize("forms", _cell_rows(), ids=lambda forms: forms[0])
def test_all_forms_of_a_cell_ask_the_same(forms: list[str]) -> None:
    facts: list[Any] = [0, 59.5, 60, 70, 79, 79.5, 80, 81]
    if forms[0].partition(" ")[0] in ("not", "contains", "starts"):
        facts = ["High", "tea", "black tea", "Low", ""]
    kind = "string" if isinstance(facts[0], str) else "number"
    answers = [[_holds(form, kind, fact) for fact in [*facts, None, ABSENT]] for form in forms]
    assert answers == [answers[0]] * len(forms)
    assert len(set(answers[0])) == (1 if forms[0] == "any" else 2)


def _holds(cell: str, kind: str, fact: Any) -> bool:
    table = {
        "hit": "first",
        "inputs": {"fact": {"type": kind}},
        "outputs": {"holds": {"type": "boolean"}},
        "rows": [{"when": {"fact": None if cell == "null" else cell}, "then": {"holds": True}}],
        "otherwise": {"holds": False},
    }
    document, findings = load_rules({"rules": "cells", "tables": {"one": table}}, "cells")
    assert document is not None
    assert [finding for finding in findings if finding.code != "rule/unread-input"] == []
    value = Decimal(str(fact)) if isinstance(fact, float) else fact
    answer = decide(document, "one", {} if value is ABSENT else {"fact": value}).answer
    assert isinstance(answer, dict)
    return bool(answer["holds"])
