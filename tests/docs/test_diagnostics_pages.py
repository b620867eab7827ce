"""The pages about diagnostics: a section for each code, what the table says, examples that are what they say.

`UPDATE_README=1` renews the lines that come from the table of codes.
"""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from interpreter import pages
from interpreter.codes import CODES, PHASES
from interpreter.pages import Page, pages_of, read_pages, renewed, stated
from interpreter.report.columns import width_of
from interpreter.report.explained import examples_of, explained, help_text
from tests.docs.guide_kit import ROOT
from tests.docs.page_kit import found_in, marks_of, write_world

FOLDER = ROOT / "docs" / "diagnostics"
PAGES = {name: page for phase in PHASES for name, page in pages_of(phase).items()}
SHOWN = [page for page in PAGES.values() if page.wrong is not None]
#: Found by looking at documents, and not to be shown: files, bytes, and what takes thousands of lines.
WITHOUT_EXAMPLE = {
    "yaml/control-character", "yaml/encoding", "yaml/file-is-device", "yaml/file-is-folder", "yaml/file-missing",
    "yaml/file-unreadable", "yaml/look-alike", "yaml/markdown-fence", "yaml/not-utf-8", "yaml/too-deeply-nested",
    "yaml/too-large", "yaml/too-many-aliases", "flow/guarantee-too-large",
    "name/document-name-differs", "name/wrong-kind-of-document",
    "expression/bad-name", "expression/too-deep", "expression/too-deep-a-value", "expression/too-long",
    "evidence/source-lacks-field",
}  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    write_world(folder)
    return folder


def test_every_code_has_a_section_and_no_section_is_left_over() -> None:
    assert sorted(PAGES) == sorted(CODES)


def test_every_code_that_the_program_names_is_in_the_table_and_none_of_the_table_is_named_by_nobody() -> None:
    """A code may be put together of a beginning (`f"rule/{…}"`) and a word that stands elsewhere."""
    words: set[str] = set()
    beginnings: set[str] = set()
    for path in (path for package in ("interpreter", "rules") for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))) if "codes" not in path.parts else ():
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                beginnings.add(str(node.values[0].value))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                words.add(node.value)
    whole = re.compile(rf"(?:{'|'.join(PHASES)})/[a-z0-9-]*[a-z0-9]")
    named = {word for word in words if whole.fullmatch(word)}
    assert named - CODES.keys() == set()
    made = {
        code
        for code in CODES
        for start in beginnings
        if start and code.startswith(start) and code[len(start) :] in words
    }
    assert CODES.keys() - named - made == set()


@pytest.mark.parametrize("phase", PHASES)
def test_a_page_says_what_the_table_of_codes_says(phase: str) -> None:
    path = FOLDER / f"{phase}.md"
    text = path.read_text("utf-8")
    if os.environ.get("UPDATE_README"):
        path.write_text(renewed(text, phase), "utf-8")
        return
    assert text == renewed(text, phase)
    assert list(read_pages(text)) == sorted(read_pages(text))


def test_a_command_about_runs_is_no_part_of_a_hint_so_that_it_gets_its_home() -> None:
    for name, code in CODES.items():
        for text in (*code.message, *(code.hint or ())):
            assert not re.search(r"interpreter (answer|cancel|resume|runs|show)\b", text), name
        assert not code.command or (code.hint is not None and code.command.startswith("interpreter ")), name


def test_every_section_says_why_in_both_languages() -> None:
    for page in PAGES.values():
        assert re.match(r"[“`A-Z{+*%/]", page.why.en), page.name
        assert page.why.en.endswith("."), page.name
        assert re.search(r"[\u4e00-\u9fff]", page.why.zh), page.name
        assert page.why.zh.endswith("。"), page.name


def test_codes_that_documents_can_show_are_shown() -> None:
    """What only a run, a command, a case or an adapter gives is said in words."""
    phases = {"yaml", "shape", "expression", "name", "type", "flow", "evidence"}
    bare = {page.name for page in PAGES.values() if page.wrong is None and page.name.partition("/")[0] in phases}
    assert bare == WITHOUT_EXAMPLE


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.name)
def test_the_wrong_example_has_this_finding_there_and_no_other(page: Page, world: Path) -> None:
    assert page.wrong is not None
    marks = marks_of(page.wrong.text)
    assert {code for _, code in marks} == {page.name}
    assert found_in(page.wrong, page.name, world) == marks


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.name)
def test_the_right_example_has_no_finding(page: Page, world: Path) -> None:
    assert page.right is not None
    assert marks_of(page.right.text) == Counter()
    assert found_in(page.right, page.name, world) == Counter()


def test_marked_lines_are_those_that_are_found() -> None:
    for page in SHOWN:
        assert page.wrong is not None
        assert page.right is not None
        assert any(line.is_marked for line in page.wrong.lines), page.name
        assert not any(line.is_marked for line in page.right.lines), page.name
        assert not any("[" + page.name + "]" in line.text for line in page.wrong.lines)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_explanation_fits_into_80_columns(language: str) -> None:
    for name in CODES:
        lines = [*explained(name, language, 80), *examples_of(name, language)]
        assert max(map(width_of, lines)) <= 80, name
        assert all(line.isprintable() for line in lines if "\t" not in line), name


def test_an_explanation_holds_message_reason_and_both_examples() -> None:
    lines = [*explained("name/unknown-data", "en", 80), *examples_of("name/unknown-data", "en")]
    assert lines[0].startswith("name/unknown-data: error")
    assert "  > - set: {topc: ink}" in lines
    assert "    - set: {topic: ink}" in lines
    assert help_text("name/unknown-data", "en").startswith("A value can only be stored")


def test_an_installed_package_reads_the_pages_inside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "name.md").write_text(
        f"# name\n\n### name/unknown\n\n{stated('name/unknown')}\n\nWhy.\n\n为何。\n", encoding="utf-8"
    )
    monkeypatch.setattr(pages, "__file__", str(tmp_path / "pages.py"))
    pages_of.cache_clear()
    try:
        found = pages.page_of("name/unknown")
    finally:
        pages_of.cache_clear()
    assert found is not None
    assert found.why.en == "Why."


def test_hosts_of_examples_exist() -> None:
    hosts = {path.stem for path in (Path(__file__).parent / "page_hosts").glob("*.yaml")} | {"plain", "values", ""}
    for page in SHOWN:
        for example in (page.wrong, page.right):
            assert example is not None
            assert example.host in hosts, page.name
