"""Bodies: documents, pages, tables, previews."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.adapters.drive import markup
from interpreter.adapters.drive.bodies import decoded, rows
from interpreter.adapters.drive.kinds import kind_of, plain_title
from interpreter.adapters.drive.markup import html_text
from interpreter.adapters.drive.reading import _passages
from interpreter.adapters.folders.paths import Entry
from interpreter.adapters.search.words import composed
from rules.folding import _MANY_MARKS
from tests.unit.checked_calls import close_adapters
from tests.unit.drive_folder import Caller, write_all

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


def test_an_outline_lists_headings_and_a_section_ends_at_the_next_of_its_level(drive: Caller) -> None:
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


# page ; its visible text
MARKUP = [
    ("a<!-- b --><!-->c<!--->d<!-- e --!>f", "acdf"),
    ("a<!-- never closed <p>b", "a"),
    ("a<![CDATA[ b ]]>c<!doctype x>d<?php e ?>f</>g</ h>i", "acdfgi"),
    ("a <b < 1 and 2> 1", "a 1"),
    ('a<b title="1 > 2" x=\'">\'>c</b>d', "acd"),
    ('a<b "c>d', "ad"),
    ('a<b x="never closed>c</b>', "a"),
    ("1 < 2 & 3 << 4 <5", "1 < 2 & 3 << 4 <5"),
    ("a<script>b</scrip></SCRIPT >c<style>d", "ac"),
    ("<title>a<b>&amp;</title>c", "a<b>&\nc"),
    ("<svg><title>a</title><svg/><p>b</svg>c</math>d<svg/>e", "cde"),
    (
        "&lt;p&gt; &#x4e2d;&#0020013; &copy &am<i></i>p; &#0;&#x110000;&unknown;",
        "<p> 中中 © &amp; \ufffd\ufffd&unknown;",
    ),
    (f"&#{'9' * 5000};&#x{'f' * 5000};&#{'0' * 5000}65;", "\ufffd\ufffdA"),
    ("x\0y<H2 CLASS=a/>z<br/>w", "xyz\nw"),
]


@pytest.mark.parametrize(("page", "visible"), MARKUP)
def test_broken_markup_is_read_as_browsers_read_it(page: str, visible: str) -> None:
    assert html_text(page) == visible


def test_a_page_of_tags_alone_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "_CLOSELY_READ", 3)
    assert html_text("<p>甲<p>乙<p>丙<p>丁<i class=x>戊</i><己") == "甲\n乙\n丙\n丁\n戊\n<己"


class Counting:
    """A pattern that counts the characters it looks at."""

    def __init__(self, pattern: re.Pattern[str], steps: list[int]) -> None:
        self._pattern = pattern
        self._steps = steps

    def search(self, text: str, place: int) -> re.Match[str] | None:
        found = self._pattern.search(text, place)
        return self._counted(found, found.end() if found else len(text), place)

    def match(self, text: str, place: int) -> re.Match[str] | None:
        found = self._pattern.match(text, place)
        # A pattern that is tried in one place only fails within its first characters.
        return self._counted(found, found.end() if found else place + 1, place)

    def _counted(self, found: re.Match[str] | None, end: int, place: int) -> re.Match[str] | None:
        self._steps.append(end - place + 1)
        return found


def steps_of(page: str) -> int:
    """Return how many characters are looked at, each as often as it is."""
    steps: list[int] = []

    with pytest.MonkeyPatch.context() as patch:
        for name in ("_TOKEN", "_ATTRIBUTES", "_DECLARATION_END", "_COMMENT_END", "_EMPTY_COMMENT"):
            patch.setattr(markup, name, Counting(getattr(markup, name), steps))
        patch.setattr(markup, "_RAW_END", {name: Counting(pattern, steps) for name, pattern in markup._RAW_END.items()})
        html_text(page)
    return sum(steps)


PIECES = st.sampled_from(
    ["<!--", "-->", "--", "<![CDATA[", "<!", "<?", "</", "<", ">", "<a", "</a", "<a b", "='", '="', '"', "'", "/>", "=",
     " ", "<script", "<script>", "</script>", "<svg>", "</svg>", "</math>", "<title>", "&", "&#", "&am", "9", "\n", "x"]
)  # fmt: skip


@given(st.lists(PIECES, min_size=1, max_size=6), st.lists(PIECES, max_size=3), st.lists(PIECES, max_size=3))
def test_the_work_grows_with_the_length_of_a_page_alone(unit: list[str], before: list[str], after: list[str]) -> None:
    page = "".join([*before, *unit * 150, *after])
    assert steps_of(page) <= 5 * len(page) + 5


@pytest.mark.parametrize("unit", ["<!--", "<![CDATA[", "<!", "<?", "</", "<a", "<a ", '<a b="> "', "<svg>", "&#1"])
def test_a_large_page_that_never_closes_what_it_opens_is_read_in_as_many_steps(unit: str) -> None:
    page = unit * (100_000 // len(unit))
    assert steps_of(page) <= 5 * len(page)


def test_a_text_of_combining_marks_is_composed_piece_by_piece() -> None:
    assert composed("e\u0301 Ｘ é") == "é Ｘ é"
    hostile = "a" + "\u0301\u0316" * 40_000
    lengths = [len(piece) for piece in _MANY_MARKS.split(hostile)]
    assert max(lengths) <= 32
    assert composed(hostile).startswith("a")


def test_passages_with_wide_context_are_collected_once() -> None:
    text = "\n\n".join(["甲"] * 3000)
    assert _passages(text, {"keyword": "甲", "context_before": 3000, "context_after": 3000}) == text


@given(st.text())
def test_any_text_is_a_page_and_a_table(text: str) -> None:
    html_text(text)
    rows("x.csv", text.encode("utf-8", "surrogatepass"))


@given(st.binary())
def test_any_bytes_become_a_text_that_can_be_written_down(content: bytes) -> None:
    decoded(content).encode("utf-8")


#: A text that begins with one of these reads as a mark, or as the rest of one.
NO_BEGINNING = ("\ufeff", "\0")


@given(
    st.text().filter(lambda text: not text.startswith(NO_BEGINNING)),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
def test_a_text_with_a_mark_or_in_utf_8_is_read_to_the_letter(text: str, encoding: str) -> None:
    assert decoded(text.encode(encoding)) == text


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
