"""Bodies: documents, pages, tables, previews."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.adapters.drive.bodies import decoded, html_text, rows
from interpreter.adapters.drive.kinds import kind_of, plain_title
from interpreter.adapters.drive.paths import Entry
from tests.unit.drive_folder import Caller, close_adapters, write_all

__all__ = ["close_adapters"]

DOCUMENT = """# 年度方案

引言一段。

## 数据治理

治理的第一段。

治理的第二段，提到 Budget。

## 其他

无关的一段。

结尾再说数据治理。
"""


@pytest.fixture
def drive(tmp_path: Path) -> Caller:
    return Caller(
        write_all(
            tmp_path,
            {
                "方案.md": DOCUMENT,
                "表.csv": 'item,金额\n"数据, 治理",100\nBudget,200\n',
                "国标.txt": "中文旧编码".encode("gb18030"),
                "日志.json": '{"主题": "数据治理"}',
                "图.png": b"\x89PNG\0\0",
            },
        )
    )


def fetch(drive: Caller, scope: str, **more: object) -> str:
    content: str = drive("reading.doc_fetch", doc=drive.token("方案.md"), scope=scope, **more)["document"]["content"]
    return content


def test_a_whole_document_is_given_as_it_is(drive: Caller) -> None:
    assert fetch(drive, "full") == DOCUMENT


def test_passages_around_keywords_are_joined_in_their_order(drive: Caller) -> None:
    assert fetch(drive, "keyword", keyword="ＢＵＤＧＥＴ|没有") == "治理的第二段，提到 Budget。"
    assert fetch(drive, "keyword", keyword="引言|结尾") == "引言一段。\n\n…\n\n结尾再说数据治理。\n"
    assert fetch(drive, "keyword", keyword="引言", context_before=1, context_after=1) == (
        "# 年度方案\n\n引言一段。\n\n## 数据治理"
    )
    assert fetch(drive, "keyword", keyword="不在其中") == ""
    assert fetch(drive, "keyword", keyword="！？") == ""


def test_outline_and_section(drive: Caller) -> None:
    assert fetch(drive, "outline") == "# 年度方案\n## 数据治理\n## 其他"
    assert fetch(drive, "section", keyword="数据治理").splitlines()[0] == "## 数据治理"
    assert "无关" not in fetch(drive, "section", keyword="数据治理")
    assert "无关" in fetch(drive, "section", keyword="年度方案")


def test_what_cannot_be_asked_is_refused(drive: Caller) -> None:
    token = drive.token("方案.md")
    drive.fails("invalid_arguments", "reading.doc_fetch", doc=token, scope="range")
    drive.fails("invalid_arguments", "reading.doc_fetch", doc=token, scope="keyword", keyword=" | ")
    drive.fails("not_found", "reading.doc_fetch", doc="doxnothing", scope="full")
    drive.fails("unsupported", "reading.doc_fetch", doc=drive.token("表.csv"), scope="full")
    drive.fails("unsupported", "reading.sheet_read", spreadsheet_token=token)


def test_more_than_the_limit_is_not_read(drive: Caller) -> None:
    small = Caller(drive.root, body_limit=20)
    small.fails("too_large", "reading.doc_fetch", doc=small.token("方案.md"), scope="keyword", keyword="引言")
    assert small("reading.doc_fetch", doc=small.token("国标.txt"), scope="full")["document"]["content"] == "中文旧编码"


def test_cells_are_found_and_read_with_their_addresses(drive: Caller) -> None:
    token = drive.token("表.csv")
    sheet = {"spreadsheet_token": token, "sheet_id": "0"}
    assert drive("reading.sheet_find", **sheet, find="治理")["matches"] == [{"address": "A2", "value": "数据, 治理"}]
    assert drive("reading.sheet_find", **sheet, find="budget")["total"] == 0
    found = drive("reading.sheet_find", **sheet, find="budget", ignore_case=True, range="Sheet!A3:B9")
    assert found == {"matches": [{"address": "A3", "value": "Budget"}], "total": 1}
    assert drive("reading.sheet_read", **sheet, range="B1:B2") == {"range": "B1:B2", "values": [["金额"], ["100"]]}
    assert drive("reading.sheet_read", spreadsheet_token=token)["range"] == "A1:B3"
    assert drive("reading.sheet_read", **sheet, range="ZZ900:ZZ999") == {"range": "", "values": []}
    drive.fails("invalid_arguments", "reading.sheet_read", **sheet, range="第一行")
    drive.fails("not_found", "reading.sheet_find", spreadsheet_token=token, sheet_id="9", find="x")


def test_a_preview_is_text_only_where_there_is_text(drive: Caller) -> None:
    assert drive("drive.preview", file_token=drive.token("日志.json"), list_only=True)["text"] == '{"主题": "数据治理"}'
    assert drive("drive.preview", file_token=drive.token("图.png")) == {"previews": []}


def test_a_page_gives_its_visible_text_only() -> None:
    page = (
        "<html><head><title>标题</title><style>p{}</style><script>var 隐藏 = '<p>';</script></head>"
        "<body><h2>小标题</h2><p>第一&nbsp;段<br>续行</p><ul><li>一<li>二</ul>"
        "<table><tr><td>甲</td><td>乙</td></tr></table><noscript>无脚本</noscript>尾</body></html>"
    )
    assert html_text(page).splitlines() == ["标题", "## 小标题", "第一 段", "续行", "一", "二", "甲 乙", "尾"]


@given(st.text())
def test_any_text_is_a_page_and_a_table(text: str) -> None:
    html_text(text)
    rows("x.csv", text.encode("utf-8", "surrogatepass"))


@given(st.binary())
def test_any_bytes_become_text(content: bytes) -> None:
    decoded(content).encode("utf-8", "strict") if content.isascii() else decoded(content)


@pytest.mark.parametrize(
    ("name", "mode", "kind", "title"),
    [
        ("a.md", 0o100644, "docx", "a"),
        ("a.HTML", 0o100644, "docx", "a"),
        ("a.csv", 0o100644, "sheet", "a"),
        ("a.tar.gz", 0o100644, "file", "a.tar.gz"),
        (".md", 0o100644, "file", ".md"),
        ("a.link", 0o100644, "shortcut", "a"),
        ("a.md", 0o120777, "shortcut", "a"),
        ("a.md", 0o040755, "folder", "a"),
        ("a.md", 0o010644, "unsupported", "a"),
        ("\udcff.md", 0o100644, "unsupported", "\udcff"),
    ],
)
def test_kinds_follow_the_thing_and_its_extension(name: str, mode: int, kind: str, title: str) -> None:
    assert kind_of(Entry(name, mode, 0, 0, 0, 0, 0, 0)) == kind
    assert plain_title(name) == title
