"""Reading notes: information, outline, sections, blocks, whole notes; pages; ids; what is no error and what is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interpreter.ports import ToolFailure
from tests.unit.checked_calls import close_adapters
from tests.unit.notes_folder import SAMPLES, Caller, write_notes

__all__ = ["close_adapters"]


def lines(count: int) -> str:
    return "---\nid: n\n---\n" + "\n\n".join(f"第 {number} 段" for number in range(count))


@pytest.fixture
def samples() -> Caller:
    return Caller(SAMPLES)


def code_of(call: Any, **arguments: Any) -> str:
    with pytest.raises(ToolFailure) as failed:
        call(**arguments)
    return str(failed.value.code)


# --- information ------------------------------------------------------------------------------------------------------


def test_a_note_says_what_its_front_matter_says(samples: Caller) -> None:
    (note,) = samples("get_note_info", note_id="lighthouse-q2-review")["notes"]
    assert (note["title"], note["starred"], note["create_time"]) == (
        "灯塔项目 2026Q2 复盘",
        True,
        "2026-07-08T02:00:00Z",
    )
    assert [tag["name"] for tag in note["tags"]] == ["项目/灯塔", "复盘", "模型成本"]
    assert note["links"] == [
        {"name": "压缩提示试验", "note_id": "prompt-compression"},
        {"name": "星河企业版合同要点", "note_id": "galaxy-contract"},
    ]


def test_a_note_without_front_matter_is_known_by_its_place(tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"夹/笔记.md": "# 抬头 **一**\n\n文 [[没有]]", "夹/无题.md": "文"}))
    one, two = (caller("get_note_info", limit=2)["notes"][number] for number in (0, 1))
    by_title = {note["title"]: note for note in (one, two)}
    assert set(by_title) == {"抬头 一", "无题"}
    assert by_title["抬头 一"]["links"] == [{"name": "没有"}]
    assert by_title["抬头 一"]["update_time"].endswith("Z")
    again = Caller(tmp_path)("get_note_info", note_ids=[one["note_id"], two["note_id"]])["notes"]
    assert again == [one, two]


def test_pages_of_information_hold_every_note_once(samples: Caller) -> None:
    seen: list[str] = []
    page = 1
    while True:
        answer = samples("get_note_info", page=page, page_size=10)
        seen += [note["note_id"] for note in answer["notes"]]
        if not answer["meta"]["has_more"]:
            break
        page += 1
    assert len(seen) == len(set(seen)) == answer["meta"]["total"] == len(samples.found())
    assert samples("get_note_info", page=100)["notes"] == []
    assert len(samples("get_note_info")["notes"]) == 20


def test_the_earlier_argument_counts(samples: Caller) -> None:
    ids = ["fitness", "renting"]
    given: dict[str, Any] = {"note_id": "recipe-beef", "note_ids": ids, "limit": 3, "page": 1, "page_size": 4}
    counts = []
    for name in ("note_id", "note_ids", "limit"):
        counts.append(len(samples("get_note_info", **given)["notes"]))
        del given[name]
    assert [*counts, len(samples("get_note_info", **given)["notes"])] == [1, 2, 3, 4]
    assert samples("get_note_info", limit=3)["meta"]["requested_limit"] == 3


def test_ids_that_are_not_there_are_named(samples: Caller) -> None:
    answer = samples("get_note_info", note_ids=["fitness", "nope", "fitness"])
    assert ([note["note_id"] for note in answer["notes"]], answer["meta"]["missing"]) == (["fitness"], ["nope"])
    assert code_of(lambda: samples("get_note_info", note_ids=["nope", "../fitness"])) == "NOTE_NOT_FOUND"
    assert code_of(lambda: samples("get_note_info", note_id="")) == "NOTE_NOT_FOUND"


# --- pages of blocks --------------------------------------------------------------------------------------------------

# blocks in the note ; on the first page ; pages
PAGES = [(0, 0, 1), (1, 1, 1), (200, 200, 1), (201, 100, 3), (300, 100, 3)]


@pytest.mark.parametrize(("count", "first", "pages"), PAGES)
@pytest.mark.parametrize("tool", ["read_note", "get_note_outline"])
def test_a_long_note_comes_in_pages(tool: str, count: int, first: int, pages: int, tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"n.md": lines(count)}))
    answer = caller(tool, note_id="n")
    read = [answer]
    while answer["has_more"]:
        assert answer["pagination"]["next_offset"] == answer["next_offset"]
        answer = caller(tool, note_id="n", offset=answer["next_offset"])
        read.append(answer)
    assert len(read[0]["blocks"]) == first
    assert len(read) == pages
    shown = [block.get("text", block.get("preview")) for answer in read for block in answer["blocks"]]
    assert shown == [f"第 {number} 段" for number in range(count)]
    assert "next_offset" not in read[-1]


@pytest.mark.parametrize("tool", ["read_note", "get_note_outline"])
def test_an_offset_past_the_end_is_no_error(tool: str, tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"n.md": lines(3)}))
    answer = caller(tool, note_id="n", offset=99)
    assert answer["blocks"] == []
    assert answer["pagination"] == {
        "offset": 99,
        "limit": 3,
        "total_blocks": 3,
        "returned_blocks": 0,
        "has_more": False,
    }


def test_pages_may_be_smaller_and_end_at_a_length(tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"n.md": lines(10)}))
    assert len(caller("read_note", note_id="n", block_limit=4)["blocks"]) == 4
    answer = caller("read_note", note_id="n", max_length=70)
    assert answer["truncated"] is True
    assert 1 <= len(answer["blocks"]) < 10
    assert len(answer["content"]) <= 70
    assert answer["next_offset"] == len(answer["blocks"])
    first = caller("read_note", note_id="n", max_length=1)
    assert (len(first["blocks"]), first["has_more"]) == (1, True)


@pytest.mark.parametrize(
    ("count", "size"), [(4_000, "small"), (6_000, "medium"), (30_000, "large"), (90_000, "very_large")]
)
def test_the_size_of_a_note_is_said(count: int, size: str, tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"n.md": "---\nid: n\n---\n" + "字" * (count - 10) + " word" * 10}))
    answer = caller("get_note_outline", note_id="n")
    assert (answer["word_count"], answer["size_category"]) == (count, size)


def test_an_outline_shows_as_much_as_is_asked(tmp_path: Path) -> None:
    text = "---\nid: n\n---\n# 抬头\n\n> 一\n>\n> 二\n\n" + "长" * 80
    caller = Caller(write_notes(tmp_path, {"n.md": text}))
    blocks = caller("get_note_outline", note_id="n")["blocks"]
    assert [(block["type"], block["depth"], block["children_count"]) for block in blocks] == [
        ("heading", 1, 0),
        ("blockquote", 1, 2),
        ("paragraph", 1, 0),
    ]
    assert blocks[2]["preview"] == "长" * 50 + "…"
    deeper = caller("get_note_outline", note_id="n", max_depth=2, preview_length=3)["blocks"]
    assert [block["depth"] for block in deeper] == [1, 1, 2, 2, 1]
    assert deeper[-1]["preview"] == "长长长…"
    assert all("preview" not in b for b in caller("get_note_outline", note_id="n", include_preview=False)["blocks"])


# --- sections ---------------------------------------------------------------------------------------------------------

SECTIONS = (
    "---\nid: n\n---\n前\n\n# 一\n\n甲\n\n## 一之一\n\n乙\n\n### 深\n\n丙\n\n## 一之二\n\n丁\n\n# 二\n\n# 三\n\n戊"
)


def section(caller: Caller, heading: str, **more: Any) -> dict[str, Any]:
    outline = caller("get_note_outline", note_id="n")["blocks"]
    (found,) = [block["id"] for block in outline if block["type"] == "heading" and block["preview"] == heading]
    return caller("read_section", note_id="n", heading_block_id=found, **more)


# heading ; more arguments ; the texts ; is there more
READ = [
    ("一", {}, ["甲", "一之一", "乙", "深", "丙", "一之二", "丁"], False),
    ("一", {"include_subsections": False}, ["甲"], False),
    ("一之一", {}, ["乙", "深", "丙"], False),
    ("一之一", {"include_subsections": False}, ["乙"], False),
    ("二", {}, [], False),
    ("三", {}, ["戊"], False),
    ("一", {"max_blocks": 3}, ["甲", "一之一", "乙"], True),
    ("一", {"max_blocks": 3, "block_offset": 3}, ["深", "丙", "一之二"], True),
    ("一", {"max_blocks": 3, "block_offset": 6}, ["丁"], False),
    ("一", {"block_offset": 99}, [], False),
]


@pytest.mark.parametrize(("heading", "more", "texts", "truncated"), READ)
def test_a_section_ends_where_the_next_of_its_kind_begins(
    heading: str, more: dict[str, Any], texts: list[str], truncated: bool, tmp_path: Path
) -> None:
    answer = section(Caller(write_notes(tmp_path, {"n.md": SECTIONS})), heading, **more)
    assert [block["text"] for block in answer["blocks"]] == texts
    assert answer["truncated"] is truncated
    assert ("next_block_offset" in answer) is truncated
    assert answer["heading"] == heading


def test_a_section_stops_at_fifty_blocks(tmp_path: Path) -> None:
    text = "---\nid: n\n---\n# 抬头\n\n" + "\n\n".join(f"{number}" for number in range(60))
    answer = section(Caller(write_notes(tmp_path, {"n.md": text})), "抬头")
    assert (len(answer["blocks"]), answer["next_block_offset"]) == (50, 50)


def test_only_a_heading_has_a_section(tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"n.md": SECTIONS + "\n\n> 引\n"}))
    outline = caller("get_note_outline", note_id="n", max_depth=2)["blocks"]
    for block in (outline[0], outline[-1], outline[-2]):
        call = {"note_id": "n", "heading_block_id": block["id"]}
        assert code_of(lambda call=call: caller("read_section", **call)) == "INVALID_BLOCK_TYPE"
    assert code_of(lambda: caller("read_section", note_id="n", heading_block_id="nope000000")) == "BLOCK_NOT_FOUND"
    assert code_of(lambda: caller("read_section", note_id="m", heading_block_id="nope000000")) == "NOTE_NOT_FOUND"


# --- blocks -----------------------------------------------------------------------------------------------------------

# before, after, include_anchor ; the texts around 第 5 段 of ten
AROUND = [
    ({}, [5]),
    ({"before": 2}, [3, 4, 5]),
    ({"after": 1}, [5, 6]),
    ({"before": 1, "after": 1, "include_anchor": False}, [4, 6]),
    ({"before": 99, "after": 99}, list(range(10))),
    ({"include_anchor": False}, []),
]


@pytest.mark.parametrize(("more", "numbers"), AROUND)
def test_blocks_around_a_block(more: dict[str, Any], numbers: list[int], tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"n.md": lines(10)}))
    anchor = caller.blocks("n")[5]["id"]
    found = caller("read_blocks", note_id="n", block_id=anchor, **more)["blocks"]
    assert [block["text"] for block in found] == [f"第 {number} 段" for number in numbers]


def test_blocks_come_in_the_order_asked_also_from_inside_containers(tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"n.md": "---\nid: n\n---\n> 一\n>\n> 二\n\n三"}))
    quotation, one, two, three = caller("get_note_outline", note_id="n", max_depth=2)["blocks"]
    asked = [three["id"], two["id"], quotation["id"], two["id"]]
    found = caller("read_blocks", note_id="n", block_ids=asked)["blocks"]
    assert [block["text"] for block in found] == ["三", "二", "一\n二", "二"]
    assert [block["text"] for block in caller("read_blocks", note_id="n", block_id=one["id"], after=5)["blocks"]] == [
        "一",
        "二",
    ]


def test_blocks_that_are_not_there_and_calls_that_are_unclear(samples: Caller) -> None:
    known = samples.blocks("fitness")[0]["id"]
    assert code_of(lambda: samples("read_blocks", note_id="fitness", block_ids=[known, "nope"])) == "BLOCK_NOT_FOUND"
    assert code_of(lambda: samples("read_blocks", note_id="fitness", block_id="nope")) == "BLOCK_NOT_FOUND"
    assert code_of(lambda: samples("read_blocks", note_id="renting", block_id=known)) == "BLOCK_NOT_FOUND"
    assert code_of(lambda: samples("read_blocks", note_id="fitness")) == "INVALID_PARAMS"
    both = {"block_id": known, "block_ids": [known]}
    assert code_of(lambda: samples("read_blocks", note_id="fitness", **both)) == "INVALID_PARAMS"


def test_an_edit_keeps_the_ids_of_all_other_blocks(tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"n.md": lines(10)}))
    before = {block["text"]: block["id"] for block in caller.blocks("n")}
    write_notes(tmp_path, {"n.md": lines(10).replace("第 5 段", "第五段改写了")})
    after = {block["text"]: block["id"] for block in caller.blocks("n")}
    assert {text: after.get(text) for text in before if text != "第 5 段"} == {
        text: block_id for text, block_id in before.items() if text != "第 5 段"
    }
    assert code_of(lambda: caller("read_blocks", note_id="n", block_id=before["第 5 段"])) == "BLOCK_NOT_FOUND"


def test_text_and_markup_of_a_note_with_everything(tmp_path: Path) -> None:
    text = """---
id: n
title: 全部
---
# 抬头

普通 **重点** [[别的|见此]]

- [x] 做完

| 甲 | 乙 |
|---|---|
| 1 | `2` |

```py
a < b
```

> 引用

---

![图](a.png)
"""
    caller = Caller(write_notes(tmp_path, {"n.md": text, "别的.md": "---\nid: other\n---\n"}))
    answer = caller("read_note", note_id="n")
    assert [(block["type"], block["text"]) for block in answer["blocks"]] == [
        ("heading", "抬头"),
        ("paragraph", "普通 重点 见此"),
        ("list", "做完"),
        ("table", "甲 | 乙\n1 | 2"),
        ("code_block", "a < b"),
        ("blockquote", "引用"),
        ("horizontal_rule", ""),
        ("image", "图"),
    ]
    ids = [block["id"] for block in answer["blocks"]]
    content = answer["content"]
    for number, block_id in enumerate(ids):
        content = content.replace(block_id, str(number))
    inner = caller("get_note_outline", note_id="n", max_depth=2)["blocks"][6]["id"]
    assert content.replace(inner, "inner") == (
        '<h1 id="0">抬头</h1>'
        '<p id="1">普通 <strong>重点</strong> <a href="note:other">见此</a></p>'
        '<p id="2" listType="todo" listLevel="0" checked="true">做完</p>'
        '<table id="3"><tr><td>甲</td><td>乙</td></tr><tr><td>1</td><td><span code="true">2</span></td></tr></table>'
        '<codeblock id="4" lang="py">a &lt; b</codeblock>'
        '<blockquote id="5"><p id="inner">引用</p></blockquote>'
        '<hr id="6"/>'
        '<img id="7" src="a.png" alt="图"/>'
    )
