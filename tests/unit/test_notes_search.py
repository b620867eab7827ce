"""Looking for notes, tags and blocks: every sign is plain text, and nothing found is no failure."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.adapters.search.words import fold
from interpreter.ports import ToolFailure
from tests.unit.checked_calls import close_adapters
from tests.unit.notes_folder import SAMPLES, Caller, write_notes

__all__ = ["close_adapters"]

NOTES: dict[str, str | bytes] = {
    "versions.md": "---\nid: versions\n---\nGPT-4 对比：第四版更稳。GPT 4 turbo.\n",
    "four.md": "---\nid: four\n---\nA gpt and 4 others\n",
    "cpp.md": "---\nid: cpp\ntitle: C++ 笔记\n---\n指针\n",
    "c.md": "---\nid: c\n---\nC 语言笔记\n",
    "dont.md": "---\nid: dont\n---\nYou don’t own it. 折扣 50%。\n",
    "people.md": "---\nid: people\n---\n问 @张三 要数据；t:x 不是命令。\n",
    "zhang.md": "---\nid: zhang\n---\n张三丰\n",
    "or.md": "---\nid: or\n---\nnear a OR b, and NOT c\n",
    "price.md": "---\nid: price\n---\nPrices fell. 数据治理。５０元 ＡＢＣ\n",
    "unseen.md": "---\nid: unseen\n---\n夏\u200b令\u2060营 sum\u00admer\n",
    "code.md": "---\nid: code\n---\n```sql\nselect * from t where a = 'x'\n```\n",
}

# what somebody types ; the notes that are found
TYPED = [
    ("GPT-4", ["versions"]),
    ("gpt", ["four", "versions"]),
    ("C++", ["cpp"]),
    ("C++ 笔记", ["cpp"]),
    ("c", ["c", "cpp", "or"]),
    ("don't", ["dont"]),
    ("don’t", ["dont"]),
    ("50%", ["dont"]),
    ("50", ["dont", "price"]),
    ("50元", ["price"]),
    ("abc", ["price"]),
    ("夏令营", ["unseen"]),
    ("夏令\u200b营", ["unseen"]),
    ("summer", ["unseen"]),
    ("summer\ufeff", ["unseen"]),
    ("@张三", ["people"]),
    ("张三", ["people", "zhang"]),
    ("@zhang", ["zhang"]),
    ("a OR", ["or"]),
    ("NEAR(", ["or"]),
    ("NOT c", ["or"]),
    ("t:x", ["people"]),
    ("*", ["code"]),
    ("''", []),
    ('"未闭合', []),
    ('"数据治理', ["price"]),
    ("“数据治理”", ["price"]),
    ("数据", ["people", "price"]),
    ("治理", ["price"]),
    ("治理数据", ["price"]),  # words without blanks may stand apart, where no note has all of it
    ("数据折扣", []),
    ("治理数据法", []),
    ("语言笔记", ["c"]),
    ("理", ["price"]),
    ("price", ["price"]),
    ("pri", ["price"]),
    ("ric", []),
    ("50 or", []),
    ("'; drop table notes; --", []),
    ("{{ 7 * 7 }}", []),
    ("title:指针", []),
    ("-指针", ["cpp"]),
    ("^指针$", ["cpp"]),
    ("\x00", []),
    ("\ud800", []),
    (" \t　", sorted(str(path)[:-3] for path in NOTES)),
]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_notes(tmp_path_factory.mktemp("notes"), NOTES)


@pytest.mark.parametrize(("typed", "expected"), TYPED)
def test_what_is_typed_is_plain_text(typed: str, expected: list[str], many: Path) -> None:
    assert sorted(Caller(many).found(typed)) == expected


#: Terms of signs alone, which no word leads to; with words in front they are asked of few notes and of many.
SIGNS = ["*", "**", "_", "->", "=>", "§", "·", "，", "……", "*_", "_*", "¥", "−", "c *", "c ** ->", "rare §", "rare *"]


def test_a_term_of_signs_finds_exactly_the_notes_that_hold_it(tmp_path: Path) -> None:
    bodies = [
        "c *",
        "c **",
        "c * *",
        "a_b c",
        "c -> ** §",
        "c => *",
        "rare §",
        "rare c·*",
        "c ，",
        "c ……",
        "c *_",
        "¥ - c",
    ]
    names = {f"n{number:02}": body for number, body in enumerate(bodies)}
    folder = write_notes(tmp_path, {f"{name}.md": f"---\nid: {name}\n---\n`{body}`\n" for name, body in names.items()})
    caller = Caller(folder)
    for typed in SIGNS:
        parts = typed.replace("−", "-").split()
        expected = [name for name, body in names.items() if all(fold(part) in fold(body) for part in parts)]
        assert sorted(caller.found(typed)) == expected, typed


@pytest.mark.parametrize("typed", ["词" * 10_000, "word " * 2_000, "w" * 10_000, '"' * 10_000, "a-b " * 3_000])
def test_ten_thousand_characters_are_a_search_like_any_other(typed: str, many: Path) -> None:
    assert Caller(many).found(typed) == []


def test_no_text_makes_a_search_fail() -> None:
    caller = Caller(SAMPLES)

    @given(typed=st.text(max_size=40))
    @settings(max_examples=150, deadline=None)
    def search(typed: str) -> None:
        caller.found(typed)
        caller("search_note_content", note_id="cpp-notes", query=typed)
        caller("find_tags", keyword=typed)

    search()


def test_whatever_stands_in_a_note_between_blanks_finds_the_note_and_the_block() -> None:
    caller = Caller(SAMPLES)
    places = [(note_id, block) for note_id in caller.found() for block in caller.blocks(note_id) if block["text"]]

    @given(place=st.sampled_from(places), number=st.integers(0, 1000))
    @settings(max_examples=150, deadline=None)
    def search(place: tuple[str, dict[str, Any]], number: int) -> None:
        note_id, block = place
        words = block["text"].split()
        word = words[number % len(words)]
        assert note_id in caller.found(word)
        hits = caller("search_note_content", note_id=note_id, query=word, max_results=200)["hits"]
        assert block["id"] in [hit["block_id"] for hit in hits]

    search()


@pytest.mark.parametrize("word", ["w" * 60, "词" * 60, "w" * 47 + "词" * 20, "a1" * 30, "a-" * 30 + "b"])
def test_a_long_word_is_found_whole(word: str, tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"a.md": f"---\nid: a\n---\n前 {word}，后", "b.md": f"{word[:-1]}"}))
    assert caller.found(word) == ["a"]


def test_nothing_found_is_an_empty_list_and_a_broken_index_a_failure(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = Caller(many)
    answer = caller("search_notes", keyword="没有这个词")
    assert (answer["notes"], answer["meta"]) == ([], {"total": 0, "has_more": False})

    def broken(*_: Any) -> set[int]:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("interpreter.adapters.notes.index.Index.matching", broken)
    with pytest.raises(ToolFailure) as failed:
        caller("search_notes", keyword="数据")
    assert failed.value.code == "INTERNAL_ERROR"
    assert failed.value.details["retryable"] is True


def test_all_words_have_to_be_there_and_advice_says_so(many: Path) -> None:
    caller = Caller(many)
    assert caller.found("数据 治理") == ["price"]
    answer = caller("search_notes", keyword="数据 指针")
    assert answer["notes"] == []
    assert [hint["tool"] for hint in answer["hints"]] == ["search_notes"]


# --- filters ----------------------------------------------------------------------------------------------------------

DATED: dict[str, str | bytes] = {
    f"{name}.md": f"---\nid: {name}\ncreated: {created}\nupdated: {updated}\nstarred: {starred}\n"
    f"tags: {tags}\n---\n预算\n"
    for name, created, updated, starred, tags in (
        ("a", "2026-01-01", "2026-09-08T15:30:00+08:00", "true", "[项目/灯塔, 预算]"),
        ("b", "2026-03-01", "2026-09-08T07:29:59Z", "false", '["#项目/麦田"]'),
        ("c", "2026-02-01", "2026/10/01 08:00", "false", "项目，预算"),
        ("d", "2026-04-01", "2026-10-02", "true", "[北方/项目, Budget]"),
    )
}

# filters ; the notes, in order
FILTERED: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["d", "c", "a", "b"]),
    ({"direction": "asc"}, ["b", "a", "c", "d"]),
    ({"sort": "create_time"}, ["d", "b", "c", "a"]),
    ({"sort": "create_time", "direction": "asc"}, ["a", "c", "b", "d"]),
    ({"since": "2026-09-08T15:30:00+08:00"}, ["d", "c", "a"]),
    ({"since": "2026-10-01"}, ["d", "c"]),
    ({"before": "2026-10-01"}, ["a", "b"]),
    ({"since": "2026-09-08", "before": "2026-10-01T08:00:01Z"}, ["c", "a", "b"]),
    ({"sort": "create_time", "since": "2026-02-01", "before": "2026-04-01"}, ["b", "c"]),
    ({"starred": True}, ["d", "a"]),
    ({"starred": False}, ["c", "b"]),
    ({"limit": 1}, ["d"]),
    ({"tags": ["项目"]}, ["c", "a", "b"]),
    ({"tags": ["#项目/灯塔"]}, ["a"]),
    ({"tags": ["灯塔"]}, ["a"]),
    ({"tags": ["项目", "预算"]}, ["c", "a"]),
    ({"tags": ["budget"]}, ["d"]),
    ({"tags": ["＃项目/ 麦田 "]}, ["b"]),
    ({"tags": ["项"]}, []),
    ({"tags": ["项目", "没有"]}, []),
    ({"tags": ["", "#"]}, ["d", "c", "a", "b"]),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERED)
def test_every_filter_holds_for_each_note_found_and_the_latest_comes_first(
    filters: dict[str, Any], expected: list[str], tmp_path: Path
) -> None:
    caller = Caller(write_notes(tmp_path, DATED))
    assert caller.found("预算", **filters) == expected
    assert caller.found(**filters) == expected


@pytest.mark.parametrize(
    "times",
    [{"since": "上周"}, {"before": "上周"}, {"since": "2026-08-01", "before": "2026-07-01"}],
    ids=["since", "before", "the wrong way round"],
)
def test_a_time_that_is_none_and_a_window_that_nothing_lies_in_are_refused(
    times: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(ToolFailure) as failed:
        Caller(write_notes(tmp_path, DATED)).found(**times)
    assert failed.value.code == "INVALID_PARAMS"


def test_the_limit_is_said_to_have_cut(tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, DATED))
    assert caller("search_notes", limit=3)["meta"] == {"total": 4, "has_more": True}
    assert caller("search_notes", limit=4)["meta"] == {"total": 4, "has_more": False}


def test_tags_are_known_by_their_ids_too(tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, DATED))
    tag = caller("find_tags", keyword="麦田")["tags"][0]
    assert caller.found(tags=[tag["id"]]) == ["b"]


# what somebody types ; the tags, each with how it matches
TAGS = [
    ("#预算", [("预算", "same")]),
    ("budget", [("Budget", "same")]),
    ("预蒜", [("预算", "near")]),
    ("灯塔", [("项目/灯塔", "holds")]),
    ("灯培", [("项目/灯塔", "near")]),
    ("budgets", [("Budget", "near")]),
    ("xyz", []),
    ("项目", [("项目", "same"), ("北方/项目", "holds"), ("项目/灯塔", "holds"), ("项目/麦田", "holds")]),
]


@pytest.mark.parametrize(("typed", "expected"), TAGS)
def test_tags_by_name_and_by_near_name(typed: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    found = Caller(write_notes(tmp_path, DATED))("find_tags", keyword=typed)["tags"]
    assert [(tag["name"], tag["match"]) for tag in found] == expected


def test_an_unknown_tag_finds_nothing_and_names_the_near_ones(tmp_path: Path) -> None:
    answer = Caller(write_notes(tmp_path, DATED))("search_notes", tags=["灯培"])
    assert answer["notes"] == []
    assert "项目/灯塔" in answer["hints"][0]["reason"]["zh"]


def test_tags_in_the_text_count_and_those_in_code_do_not(tmp_path: Path) -> None:
    text = "买猫粮 #生活/猫，`#不是` #2026 a#b https://x.example/#frag\n\n```\n#也不是\n```\n\n# 标题\n"
    caller = Caller(write_notes(tmp_path, {"a.md": text}))
    assert [tag["name"] for tag in caller("find_tags")["tags"]] == ["生活/猫"]


# --- inside a note ----------------------------------------------------------------------------------------------------

INSIDE = "# 缓存\n\n命中率掉到 47%。\n\n缓存命中率稳定在 62%。\n\n## 别的\n\n- 缓存 30 分钟\n- 路由\n"

# what somebody types ; the texts of the blocks that are found, in order
BLOCKS = [
    ("缓存命中率", ["缓存命中率稳定在 62%。"]),
    ("命中率", ["命中率掉到 47%。", "缓存命中率稳定在 62%。"]),
    ("缓存 62%", ["缓存命中率稳定在 62%。", "缓存", "缓存 30 分钟"]),
    ("30分钟", ["缓存 30 分钟"]),
    ("缓存命中率是多少", ["缓存命中率稳定在 62%。"]),
    ("租房", []),
    ("!", []),
]


@pytest.mark.parametrize(("typed", "expected"), BLOCKS)
def test_blocks_with_most_of_the_words_come_first(typed: str, expected: list[str], tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"a.md": "---\nid: a\n---\n" + INSIDE}))
    hits = caller("search_note_content", note_id="a", query=typed)["hits"]
    assert [hit["preview"] for hit in hits] == expected
    for hit in hits:
        assert caller("read_blocks", note_id="a", block_ids=[hit["block_id"]])["blocks"][0]["text"] == hit["preview"]


def test_a_hit_says_under_which_headings_it_stands(tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"a.md": "---\nid: a\n---\n" + INSIDE}))
    (hit,) = caller("search_note_content", note_id="a", query="路由")["hits"]
    assert hit["heading"] == "缓存 > 别的"
    section = caller("read_section", note_id="a", heading_block_id=hit["heading_block_id"])
    assert (section["heading"], [block["text"] for block in section["blocks"]]) == ("别的", ["缓存 30 分钟", "路由"])


def test_a_preview_shows_the_passage_and_is_cut(tmp_path: Path) -> None:
    text = "前" * 500 + "关键词" + "后" * 500
    caller = Caller(write_notes(tmp_path, {"a.md": f"---\nid: a\n---\n{text}\n"}))
    (hit,) = caller("search_note_content", note_id="a", query="关键词")["hits"]
    assert "关键词" in hit["preview"]
    assert len(hit["preview"]) < 200


# --- what changes -----------------------------------------------------------------------------------------------------


def test_a_note_that_is_changed_added_removed_or_renamed_is_found_as_it_is_now(tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {"a.md": "---\nid: a\n---\n甲乙"}))
    assert caller.found("甲乙") == ["a"]
    write_notes(tmp_path, {"a.md": "---\nid: a\n---\n丙丁", "b.md": "---\nid: b\n---\n甲乙"})
    assert (caller.found("甲乙"), caller.found("丙丁")) == (["b"], ["a"])
    (tmp_path / "b.md").unlink()
    assert caller.found("甲乙") == []
    (tmp_path / "a.md").rename(tmp_path / "c.md")
    assert caller.found("丙丁") == ["a"]


def test_a_large_folder_is_not_looked_at_for_every_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interpreter.adapters.notes.vault._SMALL", 0)
    monkeypatch.setattr("interpreter.adapters.notes.vault._REST", 5.0)
    time = [0.0]
    caller = Caller(write_notes(tmp_path, {"a.md": "---\nid: a\n---\n甲乙"}), now=lambda: time[0])
    assert caller.found("甲乙") == ["a"]
    write_notes(tmp_path, {"a.md": "---\nid: a\n---\n丙丁戊"})
    time[0] = 4.9
    assert caller.found("丙丁") == []
    assert caller.blocks("a")[0]["text"] == "丙丁戊"  # what is read is read as it is
    time[0] = 5.0
    assert caller.found("丙丁") == ["a"]


def test_an_index_that_is_kept_is_used_again_and_follows_what_happened_meanwhile(tmp_path: Path) -> None:
    vault, index = write_notes(tmp_path / "v", {"a.md": "---\nid: a\n---\n甲乙", "b.md": "甲"}), tmp_path / "index"
    first = Caller(vault, index=str(index))
    assert first.found("甲乙") == ["a"]
    write_notes(vault, {"a.md": "---\nid: a\n---\n丙丁"})
    (vault / "b.md").unlink()
    second = Caller(vault, index=str(index))
    assert (second.found("甲乙"), second.found("丙丁"), second.found()) == ([], ["a"], ["a"])
    assert first.found("丙丁") == ["a"]
    assert sorted(path.name for path in vault.iterdir()) == ["a.md"]


def test_a_damaged_index_is_made_anew(tmp_path: Path) -> None:
    vault, index = write_notes(tmp_path / "v", {"a.md": "---\nid: a\n---\n甲乙"}), tmp_path / "index"
    Caller(vault, index=str(index)).found()
    (file,) = index.glob("*.sqlite3")
    file.write_bytes(b"no database at all" * 100)
    assert Caller(vault, index=str(index)).found("甲乙") == ["a"]


@pytest.mark.parametrize("place", ["inside", "file/below"])
def test_an_index_that_cannot_be_kept_there_is_said_and_nothing_is_written_into_the_notes(
    place: str, tmp_path: Path
) -> None:
    vault = write_notes(tmp_path / "v", {"a.md": "甲"})
    write_notes(tmp_path, {"file": "x"})
    with pytest.raises(ToolFailure) as failed:
        Caller(vault, index=str(vault / "own" if place == "inside" else tmp_path / place)).found()
    assert "settings.notes_index" in failed.value.message
    assert [path.name for path in vault.iterdir()] == ["a.md"]


def test_an_index_that_is_worn_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interpreter.adapters.notes.index._SPARE", 2)
    caller = Caller(write_notes(tmp_path, {"a.md": "---\nid: a\n---\n甲乙", "b.md": "---\nid: b\n---\n甲乙"}))
    for number in range(20):
        write_notes(tmp_path, {"a.md": f"---\nid: a\n---\n丙丁{'戊' * number}"})
        assert (caller.found("甲乙"), caller.found("丙丁")) == (["b"], ["a"])
