"""Every page exists in both languages, each leads to the other, and what one tells the other tells as well."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.readme_kit import ROOT

_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?P<path>[\w./-]+\.(?:md|yaml))(?:#[^)]*)?\)")
#: How a block begins, or a whole block of code, whose words may differ.
_BLOCK = re.compile(r"^(?:```.*?^```$|#+ |\| |- )", re.DOTALL | re.MULTILINE)
#: What follows in the page of functions is one table for both.
_FOR_BOTH = "\n## Nothing and kinds"
PAGES = sorted(page for folder in (ROOT, ROOT / "docs", ROOT / "docs" / "language") for page in folder.glob("*.md"))


def _in_the_other_language(page: Path) -> Path:
    name = page.name.removesuffix(".zh.md") + ".md" if page.name.endswith(".zh.md") else f"{page.stem}.zh.md"
    return page.with_name(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_leads_to_itself_in_the_other_language_at_its_top(page: Path) -> None:
    other = _in_the_other_language(page)
    assert other.is_file()
    label = "English" if page.name.endswith(".zh.md") else "中文"
    assert page.read_text("utf-8").splitlines()[2] == f"[{label}]({other.name})"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_that_is_linked_exists(page: Path) -> None:
    linked = [found["path"] for found in _LINK.finditer(_CODE.sub("", page.read_text("utf-8")))]
    assert [path for path in linked if not (page.parent / path).is_file()] == []


@pytest.mark.parametrize(
    "page", [page for page in PAGES if not page.name.endswith(".zh.md")], ids=lambda page: page.name
)
def test_both_languages_have_the_same_headings_rows_items_and_blocks_of_code(page: Path) -> None:
    assert _blocks(page) == _blocks(_in_the_other_language(page))


def _blocks(page: Path) -> list[str]:
    text = page.read_text("utf-8").partition(_FOR_BOTH)[0]
    return [found[0][:3].strip() for found in _BLOCK.finditer(text)]
