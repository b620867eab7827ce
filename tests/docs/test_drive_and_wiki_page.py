"""The pages about drive and wiki name every code, setting and field, and their examples are what is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interpreter.adapters.drive.evidence_file import FIELDS
from interpreter.adapters.drive.kinds import BY_EXTENSION
from interpreter.adapters.drive.tasks import _WORDS
from interpreter.adapters.office.reader import _WORDS as REASONS
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from tests.unit.checked_calls import close_adapters, document
from tests.unit.drive_folder import write_all
from tests.unit.wiki_folder import Pair

__all__ = ["close_adapters"]

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {"en": DOCS / "drive_and_wiki.md", "zh": DOCS / "drive_and_wiki.zh.md"}
LIMITS = ("cpu_seconds", "wall_seconds", "memory_mb", "unpacked_mb", "ratio", "document_limit", "body_limit")


@pytest.mark.parametrize("language", PAGES)
def test_a_page_names_everything_that_can_be_set_stated_or_answered(language: str) -> None:
    text = PAGES[language].read_text("utf-8")
    named = set(re.findall(r"`([\w.]+)`", text))
    codes = {code for code, _, _ in REASONS.values()}
    assert {*codes, *LIMITS, *FIELDS, *_WORDS} <= named
    assert {ending for ending in BY_EXTENSION if not ending.endswith("m") or ending == "htm"} <= named
    assert {tool for tool in document("wiki") if tool.startswith("wiki.move")} <= named
    assert codes <= {*document("reading")["errors"]}


@pytest.mark.parametrize("language", PAGES)
def test_the_examples_of_a_page_make_a_wiki(language: str, tmp_path: Path) -> None:
    text = PAGES[language].read_text("utf-8")
    space, node, shortcut, evidence = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    for example in (space, node, shortcut, evidence):
        tree, findings = read_tree(Source("example", example))
        assert findings == []
        assert tree is not None
        assert isinstance(to_value(tree), dict)
    body = re.search(r"^body: (\S+)", node, re.MULTILINE)
    assert body is not None
    pair = Pair(
        write_all(
            tmp_path,
            {
                "wiki/数据平台/space.yaml": space,
                "wiki/数据平台/规范/node.yaml": node,
                f"wiki/数据平台/规范/{body[1]}": "正文",
                "wiki/供应链/space.yaml": "name: 供应链\n",
                "wiki/供应链/规范/node.yaml": shortcut,
                "wiki/人事/space.yaml": "name: 人事\n",
                "wiki/.wiki/evidence.yaml": evidence,
            },
        )
    )
    assert len(pair("wiki.space_list")["spaces"]) == 2
    first, second = pair.found("正文", doc_types=["wiki"])
    assert {first.removeprefix("WIKI "), second.removeprefix("WIKI ")} & {"规范", "Standards"}
    assert pair.found("正文", creator_ids=["lin.xiaoman"]) != []
