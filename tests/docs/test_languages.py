"""Every page exists in both languages, and each leads to the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.readme_kit import ROOT

_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?P<path>[\w./-]+\.(?:md|yaml))\)")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


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
