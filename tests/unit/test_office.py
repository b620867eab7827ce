"""Bodies of office files and PDF: what is read of them, and what a bad one costs (a refusal, with its reason)."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.drive import DriveAdapter
from interpreter.adapters.folders.paths import Tree
from interpreter.ports import ToolFailure
from specs.samples import office_files as made
from tests.unit.checked_calls import close_adapters
from tests.unit.drive_folder import Caller, write_all
from tests.unit.wiki_folder import Pair, card

__all__ = ["close_adapters"]

for library in ("docx", "openpyxl", "pptx", "pypdf"):
    pytest.importorskip(library)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One drive for all files that are only read, so that its child is started once."""
    root = write_all(tmp_path_factory.mktemp("office"), {name: make() for name, make in {**GOOD, **BAD_FILES}.items()})
    adapter = DriveAdapter({"root": str(root), "reading_limits": {"cpu_seconds": 1, "wall_seconds": 15}})
    yield adapter
    adapter.close()


@pytest.fixture
def drive(shared: DriveAdapter) -> Caller:
    """Calls that are checked against the contracts, on the shared adapter."""
    caller = Caller.__new__(Caller)
    caller.root, caller.adapter = Path(shared._drive.tree.root), shared
    return caller


GOOD: dict[str, Callable[[], bytes]] = {
    "方案.docx": lambda: made.word(["# 数据治理方案", "第一段正文", ["角色", "职责"], ["负责人", "质量"]]),
    "台账.xlsx": lambda: made.workbook(
        {"一月": [["名称", "数量"], ["数据", 3], ["比例", 0.5]], "二月": [["空"], [True]]}
    ),
    "汇报.pptx": lambda: made.deck([("数据治理", ["三个要点", "下一步"]), ("附录", ["谢谢"])]),
    "说明.pdf": lambda: made.pdf(["Data governance handbook", "Second page"]),
    "空.docx": lambda: made.word([]),
    "空.xlsx": lambda: made.workbook({"表": []}),
    "只读密码.pdf": lambda: made.pdf(["owner only"], owner="secret"),
}
# file ; what is in its text
TEXTS = [
    ("方案.docx", "# 数据治理方案\n\n第一段正文\n\n角色\t职责\n\n负责人\t质量"),
    ("汇报.pptx", "## 数据治理\n\n三个要点\n下一步\n\n## 附录\n\n谢谢"),
    ("说明.pdf", "Data governance handbook\n\nSecond page"),
    ("空.docx", ""),
    ("只读密码.pdf", "owner only"),
]


@pytest.mark.parametrize(("name", "text"), TEXTS)
def test_the_text_of_a_file_is_read_as_its_author_wrote_it(drive: Caller, name: str, text: str) -> None:
    assert drive("reading.doc_fetch", doc=name, scope="full")["document"]["content"] == text


def test_parts_of_an_office_document_are_read_as_of_any_other(drive: Caller) -> None:
    def content(**asked: Any) -> str:
        return str(drive("reading.doc_fetch", doc="方案.docx", **asked)["document"]["content"])

    assert content(scope="outline") == "# 数据治理方案"
    assert content(scope="keyword", keyword="职责") == "角色\t职责"


def test_sheets_of_a_workbook_are_named_by_their_place_or_their_name(drive: Caller) -> None:
    token = drive.token("台账.xlsx")
    first = [["名称", "数量"], ["数据", "3"], ["比例", "0.5"]]
    assert drive("reading.sheet_read", spreadsheet_token=token) == {"range": "A1:B3", "values": first}
    assert drive("reading.sheet_read", spreadsheet_token=token, sheet_id="二月")["values"] == [["空"], ["TRUE"]]
    assert drive("reading.sheet_read", spreadsheet_token=token, sheet_id="1", range="A2")["values"] == [["TRUE"]]
    found = drive("reading.sheet_find", spreadsheet_token=token, sheet_id="0", find="数据")
    assert found == {"matches": [{"address": "A2", "value": "数据"}], "total": 1}
    drive.fails("not_found", "reading.sheet_read", spreadsheet_token=token, sheet_id="三月")
    assert drive("reading.sheet_read", spreadsheet_token=drive.token("空.xlsx"))["values"] == []


def test_a_preview_of_a_file_shows_its_text(drive: Caller) -> None:
    assert drive("drive.preview", file_token=drive.token("说明.pdf"))["text"].startswith("Data governance")
    assert drive("drive.preview", file_token=drive.token("汇报.pptx"))["text"].startswith("## 数据治理")
    assert drive("drive.preview", file_token=drive.token("空.docx")) == {"previews": []}


def test_the_search_finds_what_stands_in_office_files(drive: Caller) -> None:
    assert drive.titles("第一段正文") == ["方案.docx"]
    assert drive.titles("三个要点") == ["汇报.pptx"]
    assert drive.titles("比例") == ["台账.xlsx"]
    assert drive.titles("handbook") == ["说明.pdf"]


@pytest.mark.parametrize(
    ("name", "kind"), [("方案.docx", "docx"), ("台账.xlsx", "sheet"), ("汇报.pptx", "slides"), ("说明.pdf", "file")]
)
def test_each_file_has_the_type_of_its_kind(drive: Caller, name: str, kind: str) -> None:
    assert drive("drive.inspect", url=name)["type"] == kind


# --- bad files ---------------------------------------------------------------------------------------------------

BAD_FILES: dict[str, Callable[[], bytes]] = {
    "加密.pdf": lambda: made.pdf(["secret"], user="secret"),
    "无尽.pdf": made.endless_pdf,
    "断.pdf": lambda: made.pdf(["x"])[:200],
    "不是.pdf": lambda: b"not a pdf at all",
    "循环.pdf": made.circular_pdf,
    "炸弹.docx": made.bomb,
    "炸弹.xlsx": made.bomb,
    "炸弹.pptx": made.bomb,
    "断.docx": lambda: made.word(["正文"])[:-200],
    "断.xlsx": lambda: made.workbook({"表": [["x"]]})[:300],
    "断.pptx": lambda: b"PK\x03\x04" + b"\0" * 100,
    "空文件.docx": lambda: b"",
    "不是.xlsx": lambda: "名称,数量".encode(),
    "缺部件.docx": lambda: made.archive({"hello.txt": b"hello"}),
    "坏内容.docx": lambda: made.replaced(made.word(["x"]), "word/document.xml", b"<w:document"),
    "宏.docm": lambda: made.archive({"[Content_Types].xml": b"<Types/>", "word/vbaProject.bin": b"x"}),
    "宏.xlsm": lambda: made.archive({"xl/vbaProject.bin": b"x"}),
    "藏着的宏.docx": lambda: made.archive({"word/VBAPROJECT.BIN": b"x"}),
    "密码.docx": made.locked,
    "密码.xlsx": made.locked,
    "旧版.docx": lambda: made.CONTAINER + b"\0" * 600,
    "实体.docx": lambda: made.replaced(made.word(["x"]), "word/document.xml", made.LAUGHS),
    "实体.xlsx": lambda: made.replaced(made.workbook({"表": [["x"]]}), "xl/workbook.xml", made.LAUGHS),
    "谎报大小.docx": made.lying,
}
# file ; the code
BAD = [
    ("加密.pdf", "encrypted"),
    ("无尽.pdf", "took_too_long"),
    ("断.pdf", "damaged"),
    ("不是.pdf", "damaged"),
    ("炸弹.docx", "unpacked_too_large"),
    ("炸弹.xlsx", "unpacked_too_large"),
    ("炸弹.pptx", "unpacked_too_large"),
    ("断.docx", "damaged"),
    ("断.xlsx", "damaged"),
    ("断.pptx", "damaged"),
    ("空文件.docx", "damaged"),
    ("不是.xlsx", "damaged"),
    ("缺部件.docx", "damaged"),
    ("坏内容.docx", "damaged"),
    ("宏.docm", "has_macros"),
    ("宏.xlsm", "has_macros"),
    ("藏着的宏.docx", "has_macros"),
    ("密码.docx", "encrypted"),
    ("密码.xlsx", "encrypted"),
    ("旧版.docx", "unsupported"),
    ("实体.docx", "damaged"),
    ("实体.xlsx", "damaged"),
    ("谎报大小.docx", "damaged"),
]


def read(drive: Caller, name: str) -> dict[str, Any]:
    if name.endswith(("xlsx", "xlsm")):
        return drive("reading.sheet_read", spreadsheet_token=drive.token(name))
    return drive("reading.doc_fetch", doc=name, scope="full")


@pytest.mark.parametrize(("name", "code"), BAD)
def test_a_bad_file_is_refused_with_its_reason_and_the_next_one_is_read(drive: Caller, name: str, code: str) -> None:
    with pytest.raises(ToolFailure) as caught:
        read(drive, name)
    assert caught.value.code == code, caught.value
    assert set(caught.value.details["message"]) == {"zh", "en"}
    assert read(drive, "方案.docx")["document"]["content"].startswith("# 数据治理方案")


def test_a_pdf_whose_pages_go_in_a_circle_ends(drive: Caller) -> None:
    try:
        code = "" if read(drive, "循环.pdf") else "empty"
    except ToolFailure as failure:
        code = failure.code
    assert code in ("", "damaged", "took_too_long", "out_of_memory")


@pytest.mark.parametrize("name", sorted(BAD_FILES))
def test_a_bad_file_is_still_found_by_its_title(drive: Caller, name: str) -> None:
    assert name in drive.titles(name.rpartition(".")[0])


# --- limits ------------------------------------------------------------------------------------------------------


def test_a_text_beyond_the_limit_is_refused_not_cut(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = {
        "长.docx": made.word(["字" * 3000]),
        "长.xlsx": made.workbook({"表": [["字" * 3000]]}),
    }
    drive = Caller(write_all(tmp_path, files), body_limit=2000)
    drive.fails("too_large", "reading.doc_fetch", doc="长.docx", scope="full")
    drive.fails("too_large", "reading.sheet_read", spreadsheet_token=drive.token("长.xlsx"))


def test_a_file_beyond_its_limit_is_not_even_opened(tmp_path: Path) -> None:
    drive = Caller(write_all(tmp_path, {"大.pdf": made.pdf(["x" * 500])}), document_limit=300)
    drive.fails("too_large", "reading.doc_fetch", doc="大.pdf", scope="full")
    drive.fails("too_large", "drive.preview", file_token=drive.token("大.pdf"))


def test_what_may_be_unpacked_is_a_setting(tmp_path: Path) -> None:
    drive = Caller(write_all(tmp_path, {"实.docx": made.many_paragraphs(30_000)}), reading_limits={"unpacked_mb": 1})
    drive.fails("unpacked_too_large", "reading.doc_fetch", doc="实.docx", scope="full")


@pytest.mark.parametrize(
    ("limits", "code"),
    [({"cpu_seconds": 1}, "took_too_long"), ({"memory_mb": 200}, "out_of_memory")],
)
def test_time_and_memory_are_settings(tmp_path: Path, limits: dict[str, int], code: str) -> None:
    files: dict[str, str | bytes | None] = {"大.docx": made.many_paragraphs(400_000)}
    drive = Caller(write_all(tmp_path, files), reading_limits={"ratio": 1000, **limits})
    drive.fails(code, "reading.doc_fetch", doc="大.docx", scope="full")


@pytest.mark.parametrize("value", [0, -1, "viel", True, 1.5])
def test_a_limit_that_is_no_number_is_refused_at_once(tmp_path: Path, value: object) -> None:
    with pytest.raises(ToolFailure, match="reading_limits"):
        DriveAdapter({"root": str(tmp_path), "reading_limits": {"cpu_seconds": value}})


def test_a_missing_library_is_said_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from interpreter.adapters.office import reader

    monkeypatch.setitem(reader.TASKS, reader.PDF, "interpreter.adapters.office.no_such_module")
    drive = Caller(write_all(tmp_path, {"说明.pdf": made.pdf(["x"])}))
    failure = drive.fails("unavailable", "reading.doc_fetch", doc="说明.pdf", scope="full")
    assert "workflow-interpreter[documents]" in failure.message


def test_a_reader_that_cannot_be_started_is_no_right_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/")
    drive = Caller(write_all(tmp_path, {"说明.pdf": made.pdf(["x"])}))
    drive.fails("unavailable", "reading.doc_fetch", doc="说明.pdf", scope="full")
    drive.fails("unavailable", "drive.preview", file_token=drive.token("说明.pdf"))


def test_what_could_not_be_read_once_is_found_when_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rights that come later, and a reader that is installed later, change neither size nor time of a file."""
    files: dict[str, str | bytes | None] = {"说明.md": "新词", "说明.pdf": made.pdf(["loanword"])}
    root = write_all(tmp_path, files)
    with monkeypatch.context() as today:
        today.setattr(Tree, "read", refusing(Tree.read))
        assert Caller(root).titles("新词 OR loanword") == []
    with monkeypatch.context() as today:
        today.setattr(sys, "executable", "/")
        assert Caller(root).titles("新词 OR loanword") == ["说明.md"]
    assert Caller(root).titles("新词 OR loanword") == ["说明.md", "说明.pdf"]


def refusing(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a reading of files that the system refuses outside of the drive's own folder."""

    def read(tree: Tree, path: str, limit: int) -> Any:
        if not path.startswith("."):
            raise PermissionError(errno.EACCES, "not today")
        return real(tree, path, limit)

    return read


def test_bodies_in_the_wiki_are_read_in_the_same_way(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = {
        "wiki/空间/space.yaml": card(name="空间"),
        "wiki/空间/甲/node.yaml": card(title="甲", body="甲.docx"),
        "wiki/空间/甲/甲.docx": made.word(["知识库里的正文"]),
        "wiki/空间/乙/node.yaml": card(title="乙", body="乙.pdf"),
        "wiki/空间/乙/乙.pdf": made.pdf(["locked"], user="secret"),
    }
    pair = Pair(tmp_path, files)
    assert pair.found("知识库里的正文") == ["WIKI 甲"]
    document = pair("reading.doc_fetch", doc=pair.seen("空间/甲")["obj_token"], scope="full")["document"]
    assert document["content"] == "知识库里的正文"
    pair.fails("encrypted", "reading.doc_fetch", doc=pair.seen("空间/乙")["node_token"], scope="full")
