"""The working copy of drive and wiki that demo and documentation use: every trap in it does what it is there for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interpreter.ports import ToolFailure
from specs.samples import lay
from tests.unit.drive_folder import plain
from tests.unit.wiki_folder import Pair

for library in ("docx", "openpyxl", "pptx", "pypdf"):
    pytest.importorskip(library)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """One copy for all tests: none of them changes anything."""
    folder = tmp_path_factory.mktemp("laid")
    lay.lay(folder, "me")
    one = Pair(folder, account="me", reading_limits={"cpu_seconds": 1, "wall_seconds": 10}, is_shared=True)
    yield one
    one.close()


def found(pair: Pair, query: str, **arguments: Any) -> list[str]:
    page = pair("drive.search", query=query, page_size=20, **arguments)
    hits = list(page["results"])
    while page["has_more"]:
        page = pair("drive.search", query=query, page_size=20, page_token=page["page_token"], **arguments)
        hits += page["results"]
    return [f"{hit['entity_type']} {plain(hit['title_highlighted'])}" for hit in hits]


def test_one_search_meets_both_containers_every_format_and_every_trap(pair: Pair) -> None:
    hits = found(pair, "数据治理")
    assert {f"DOC {Path(path).name}" for path in lay.TRAPS if "数据治理" in path} <= set(hits)
    assert {"WIKI 数据治理制度", "WIKI 数据治理制度（引用）", "WIKI 数据治理周记"} <= set(hits)
    assert {"DOC 数据治理实施方案.docx", "DOC 数据质量月报.xlsx", "DOC 数据治理汇报.pptx"} <= set(hits)
    assert hits.count("DOC 数据治理规范.md") == 2
    assert "WIKI 薪酬数据治理" not in hits
    assert "DOC Data governance handbook.pdf" in found(pair, "quality rule")
    assert "DOC 数据治理外链" in hits


# file ; the code of its refusal
CODES = {
    "meetings/Data governance budget (locked).pdf": "encrypted",
    "部门共享/供应链/数据治理附件.docx": "unpacked_too_large",
    "部门共享/供应链/数据治理图册.pdf": "took_too_long",
    "部门共享/供应链/数据治理宏.docm": "has_macros",
    "个人笔记/数据治理加密稿.docx": "encrypted",
    "个人笔记/数据治理残稿.docx": "damaged",
    "个人笔记/数据治理底稿.md": "permission_denied",
    "个人笔记/数据治理外链": "unsupported",
}


def test_every_trap_is_refused_with_its_reason(pair: Pair) -> None:
    assert set(lay.TRAPS) < set(CODES)
    for path, code in CODES.items():
        with pytest.raises(ToolFailure) as caught:
            pair("reading.doc_fetch", doc=path, scope="full")
        assert caught.value.code == code, path


def test_rights_are_what_was_laid(pair: Pair) -> None:
    def source(method: str, token: str) -> str:
        return str(pair("evidence.move_rights", move_method=method, token=token, node_token=token)["source"])

    def write(kind: str, token: str, space: str) -> str:
        return str(pair("evidence.target_rights", target_type=kind, token=token, space_id=space)["write"])

    platform, supply = pair.space("数据平台知识库"), pair.space("供应链知识库")
    assert write("wiki_space", "", platform) == "confirmed"
    assert write("wiki_space", "", supply) == "denied"
    assert source("wiki_move_node", pair.node("数据平台知识库/数据治理/数据治理制度")) == "confirmed"
    assert source("wiki_move_node", pair.node("供应链知识库/供应商主数据治理")) == "unknown"
    assert source("wiki_move_docs_to_wiki", pair.token("部门共享/数据平台/数据治理规范.md")) == "confirmed"
    assert source("wiki_move_docs_to_wiki", pair.token("项目归档/2025/复盘.html")) == "unknown"
    assert "人事知识库" not in [space["name"] for space in pair("wiki.space_list")["spaces"]]
    only_read = pair.token("只读/数据治理存档.md")
    parent = pair("evidence.move_rights", move_method="drive_move", token=only_read)["source_parent"]
    assert parent in ("denied", "unknown")


def test_a_name_is_taken_at_the_target_of_the_demo(pair: Pair) -> None:
    token = pair.token("部门共享/数据平台/数据治理规范.md")
    with pytest.raises(ToolFailure) as caught:
        pair("drive.move", file_token=token, type="docx", folder_token=pair.token("数据治理资料"))
    assert caught.value.code in ("name_in_use", "permission_denied")
