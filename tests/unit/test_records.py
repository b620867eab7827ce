"""The record store over a folder: what is answered, in which order, and what is said of what cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.records.__main__ import main
from interpreter.adapters.records.adapter import PAGE, RecordsAdapter
from interpreter.adapters.records.store import seal
from interpreter.ports import ERROR_KINDS, ToolFailure
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from tests.cli.f077_kit import write_record
from tests.unit.checked_calls import validator

CONTRACT = Path(__file__).parents[2] / "specs" / "tools" / "records.yaml"


def contract() -> dict[str, Any]:
    node, _ = read_tree(Source(str(CONTRACT), CONTRACT.read_text("utf-8")))
    assert node is not None
    value = to_value(node)
    assert isinstance(value, dict)
    return value


_opened: list[RecordsAdapter] = []


@pytest.fixture(autouse=True)
def close_adapters() -> Iterator[None]:
    yield
    while _opened:
        _opened.pop().close()


def adapter(folder: Path) -> RecordsAdapter:
    _opened.append(RecordsAdapter({"root": str(folder)}))
    return _opened[-1]


def search(found: RecordsAdapter, query: str, limit: int = 100) -> list[tuple[str, int | None]]:
    answer = found.invoke("records.search", {"query": query, "limit": limit})
    validator("records.search", "output").validate(_plain(answer))
    return [(hit["record_id"], hit.get("segment")) for hit in answer["hits"]]


def segments(found: RecordsAdapter, record: str, token: str | None = None) -> dict[str, Any]:
    arguments = {"record_id": record, **({"page_token": token} if token else {})}
    answer = found.invoke("records.segments", arguments)
    validator("records.segments", "output").validate(answer)
    return answer


def refused(work: Callable[[], object]) -> str:
    with pytest.raises(ToolFailure) as caught:
        work()
    assert set(caught.value.details["message"]) == {"zh", "en"}
    assert caught.value.details["message"]["en"] == caught.value.message
    return caught.value.code


def _plain(answer: dict[str, Any]) -> dict[str, Any]:
    return {"hits": [{**hit, "score": float(hit["score"])} for hit in answer["hits"]]}


def test_every_code_of_the_adapter_stands_in_the_contract_with_a_kind() -> None:
    document = contract()
    errors = {**document["errors"], **document["records.segments"]["errors"]}
    for error in errors.values():
        assert error["kind"] in ERROR_KINDS
        assert error["happened"] == "never"
        assert set(error["title"]) == {"zh", "en"}
    source = "".join(
        path.read_text("utf-8") for path in (CONTRACT.parents[2] / "interpreter" / "adapters" / "records").glob("*.py")
    )
    for code in set(errors) - {"store_busy"}:
        assert f'"{code}"' in source, code


# --- segments ---------------------------------------------------------------------------------------------------------


def test_segments_come_in_order_page_by_page_with_what_the_record_says_of_itself(tmp_path: Path) -> None:
    texts = [f"第{number}段" for number in range(1, 2 * PAGE + 2)]
    write_record(tmp_path, "many", "办法", *texts, summary="摘要", protected=True)
    store = adapter(tmp_path)
    pages = [segments(store, "many")]
    while pages[-1]["has_more"]:
        pages.append(segments(store, "many", pages[-1]["page_token"]))
    assert [one["text"] for page in pages for one in page["segments"]] == texts
    assert [one["index"] for page in pages for one in page["segments"]] == list(range(len(texts)))
    assert {page["sha256"] for page in pages} == {seal("办法", "".join(texts))}
    first = pages[0]
    assert (first["title"], first["summary"], first["protected"], first["segment_count"]) == (
        "办法",
        "摘要",
        True,
        len(texts),
    )


def test_a_missing_segment_is_not_among_the_answers_and_a_wrong_hash_is_handed_on(tmp_path: Path) -> None:
    write_record(tmp_path, "torn", "办法", "一", "二", "三", sha256="0" * 64)
    (tmp_path / "torn" / "2.md").unlink()
    answer = segments(adapter(tmp_path), "torn")
    assert [one["index"] for one in answer["segments"]] == [0, 2]
    assert (answer["segment_count"], answer["sha256"]) == (3, "0" * 64)


def test_missing_segments_make_no_empty_pages(tmp_path: Path) -> None:
    write_record(tmp_path, "torn", "办法", *["段"] * (5 * PAGE))
    for number in range(PAGE, 4 * PAGE):
        (tmp_path / "torn" / f"{number}.md").unlink()
    store = adapter(tmp_path)
    first = segments(store, "torn")
    second = segments(store, "torn", first["page_token"])
    assert [one["index"] + 1 for one in first["segments"]] == [1, 2, 3, 4 * PAGE]
    assert [one["index"] + 1 for one in second["segments"]] == list(range(4 * PAGE + 1, 5 * PAGE + 1))
    assert not second["has_more"]


@pytest.mark.parametrize("text", ["", "\ufeff# 甲\r\n乙\r\n", "行末没有换行", "a\u2028b\x0bc"])
def test_the_text_of_a_segment_is_given_letter_for_letter(tmp_path: Path, text: str) -> None:
    write_record(tmp_path, "odd", "办法", "x")
    (tmp_path / "odd" / "1.md").write_bytes(text.encode())
    assert segments(adapter(tmp_path), "odd")["segments"] == [{"index": 0, "text": text}]


HEAD = "record: odd\ntitle: 办法\nsegments: 1\n"
HEADS = {
    "no YAML": "title: [",
    "no mapping": "- 1\n",
    "no title": "record: odd\nsegments: 1\n",
    "another name": HEAD.replace("odd", "even"),
    "an unknown key": HEAD + "summry: x\n",
    "a number for a title": HEAD.replace("办法", "7"),
    "yes for true": HEAD + "protected: yes\n",
    "no segments": HEAD.replace("segments: 1", "segments: 0"),
    "too large": HEAD + f"summary: {'x' * 70_000}\n",
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_a_head_that_cannot_be_used_says_what_is_wrong_with_it(tmp_path: Path, head: str) -> None:
    write_record(tmp_path, "odd", "办法", "一")
    (tmp_path / "odd" / "record.yaml").write_text(head, "utf-8")
    assert refused(lambda: segments(adapter(tmp_path), "odd")) == "record_unreadable"


@pytest.mark.parametrize("name", ["record.yaml", "1.md"])
def test_a_file_that_is_no_utf_8_has_a_code_of_its_own(tmp_path: Path, name: str) -> None:
    write_record(tmp_path, "odd", "办法", "一")
    (tmp_path / "odd" / name).write_bytes("标题".encode("gb18030"))
    assert refused(lambda: segments(adapter(tmp_path), "odd")) == "record_encoding"


@pytest.mark.parametrize("name", ["record.yaml", "1.md"])
def test_links_are_not_followed_and_folders_are_not_files(tmp_path: Path, name: str) -> None:
    for record, replace in {
        "linked": lambda path: path.symlink_to(tmp_path / "elsewhere"),
        "folder": lambda path: path.mkdir(),
    }.items():
        write_record(tmp_path / "records", record, "办法", "一")
        place = tmp_path / "records" / record / name
        place.unlink()
        replace(place)
        store = adapter(tmp_path / "records")
        assert refused(lambda: segments(store, record)) == "record_unreadable"  # noqa: B023
    (tmp_path / "elsewhere").write_text("secret", "utf-8")


@pytest.mark.parametrize("record", ["nobody", "../outside", "a/b", "", ".", "x\0y"])
def test_a_record_that_is_not_there_is_not_found(tmp_path: Path, record: str) -> None:
    write_record(tmp_path, "outside", "办法", "一")
    (tmp_path / "records").mkdir()
    store = adapter(tmp_path / "records")
    assert refused(lambda: store.invoke("records.segments", {"record_id": record})) == "record_not_found"


@pytest.mark.parametrize("token", ["x", "many:0", "many:99", "many:-1", "other:5", "many:²", "many:"])
def test_a_page_token_of_something_else_is_refused(tmp_path: Path, token: str) -> None:
    write_record(tmp_path, "many", "办法", *["一"] * (PAGE + 1))
    assert refused(lambda: segments(adapter(tmp_path), "many", token)) == "invalid_page_token"


@pytest.mark.parametrize("root", ["", "nowhere"])
def test_a_folder_that_is_not_there_is_told_at_once(tmp_path: Path, root: str) -> None:
    assert refused(lambda: RecordsAdapter({"root": str(tmp_path / root) if root else ""})) == "store_unavailable"


def test_a_folder_that_vanishes_is_told(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    store = adapter(tmp_path / "records")
    (tmp_path / "records").rmdir()
    assert refused(lambda: search(store, "租金")) == "store_unavailable"


# --- search -----------------------------------------------------------------------------------------------------------


def test_a_sentence_finds_what_holds_some_of_its_words_the_best_first(tmp_path: Path) -> None:
    write_record(tmp_path, "rent", "租金补贴办法", "早餐店的租金按比例补贴。", "申报条件。")
    write_record(tmp_path, "loan", "贷款贴息办法", "早餐店可以申请贷款。")
    write_record(tmp_path, "road", "道路施工公告", "夜间施工。")
    found = search(adapter(tmp_path), "我想开早餐店，租金有什么补贴？")
    assert found[0] == ("rent", 0)
    assert {record for record, _ in found} == {"rent", "loan"}


def test_title_and_summary_count_as_one_part_without_a_segment(tmp_path: Path) -> None:
    write_record(tmp_path, "rent", "租金办法", "正文", summary="写字楼")
    assert search(adapter(tmp_path), "租金") == [("rent", None)]
    assert search(adapter(tmp_path), "写字楼") == [("rent", None)]


def test_only_so_many_hits_are_given(tmp_path: Path) -> None:
    write_record(tmp_path, "many", "办法", *["租金"] * 9)
    assert len(search(adapter(tmp_path), "租金", limit=4)) == 4


@pytest.mark.parametrize("query", ["", "？！", '"', "OR", '租金" OR "x', "租*"])
def test_a_query_is_words_and_nothing_else(tmp_path: Path, query: str) -> None:
    write_record(tmp_path, "one", "办法", "正文")
    assert search(adapter(tmp_path), query) == []


def test_width_and_case_do_not_count(tmp_path: Path) -> None:
    write_record(tmp_path, "one", "办法", "ＡＩ 算力")
    assert search(adapter(tmp_path), "ai") == [("one", 0)]


def test_what_changes_is_found_anew_and_what_is_gone_no_more(tmp_path: Path) -> None:
    write_record(tmp_path, "one", "办法", "租金")
    store = adapter(tmp_path)
    assert search(store, "租金") == [("one", 0)]
    write_record(tmp_path, "one", "办法", "贷款", "租金更多")
    write_record(tmp_path, "two", "办法", "租金")
    assert set(search(store, "租金")) == {("one", 1), ("two", 0)}
    for path in (tmp_path / "two").iterdir():
        path.unlink()
    (tmp_path / "two").rmdir()
    assert search(store, "租金") == [("one", 1)]


def test_a_record_that_cannot_be_read_spoils_no_search_and_is_found_by_the_rest_of_it(tmp_path: Path) -> None:
    write_record(tmp_path, "bad", "办法", "租金", "贷款")
    (tmp_path / "bad" / "record.yaml").write_text("title: [", "utf-8")
    (tmp_path / "bad" / "2.md").write_bytes(b"\xff\xfe")
    write_record(tmp_path, "good", "办法", "租金")
    assert set(search(adapter(tmp_path), "租金")) == {("bad", 0), ("good", 0)}


def test_a_hit_tells_whether_its_record_is_protected(tmp_path: Path) -> None:
    write_record(tmp_path, "one", "办法", "租金", protected=True)
    (hit,) = adapter(tmp_path).invoke("records.search", {"query": "租金", "limit": 9})["hits"]
    assert hit["protected"] is True


# --- hashes -----------------------------------------------------------------------------------------------------------


def test_the_command_tells_which_hashes_are_wrong_and_writes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_record(tmp_path, "good", "办法", "一")
    write_record(tmp_path, "wrong", "办法", "一", sha256="0" * 64)
    write_record(tmp_path, "torn", "办法", "一", "二")
    (tmp_path / "torn" / "2.md").unlink()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "record.yaml").write_text("record: new\ntitle: 新办法 # 说明\nsegments: 1", "utf-8")
    (tmp_path / "new" / "1.md").write_text("一", "utf-8")
    assert main([str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "good: ok" in told
    assert f"wrong: sha256 is {'0' * 64}, should be {seal('办法', '一')}" in told
    assert "torn: missing 2.md" in told
    assert f"new: sha256 is missing, should be {seal('新办法', '一')}" in told
    assert main([str(tmp_path), "--write", "wrong", "new"]) == 0
    assert main([str(tmp_path), "good", "wrong", "new"]) == 0
    assert "# 说明" in (tmp_path / "new" / "record.yaml").read_text("utf-8")
    assert main([str(tmp_path / "nowhere")]) == 1
