"""The search of the folder that is a drive: words, filters, rights, pages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interpreter.adapters.drive.query import Term, parse_query
from interpreter.adapters.search.words import fold, index_tokens, marked, pattern, phrase, spans
from tests.unit.checked_calls import close_adapters
from tests.unit.drive_folder import STRANGER, Caller, write_all

__all__ = ["close_adapters"]

FILES: dict[str, str | bytes | None] = {
    "项目/数据治理方案.md": "# 数据治理\n\n本年度的数据治理方案，负责人王敏。\n",
    "项目/周报 Weekly.md": "Data governance weekly: the AI项目 is on track, annual report due.",
    "项目/噪声.txt": "治理数据不是一回事。",
    "财务/预算.csv": "项目,金额\n数据治理,100\n",
    "网页/指南.html": (
        "<html><head><title>指南</title><script>数据治理</script></head><body><p>页面正文</p></body></html>"
    ),
    "图片.png": b"\x89PNG\r\n",
}


@pytest.fixture
def drive(tmp_path: Path) -> Caller:
    return Caller(write_all(tmp_path, FILES))


# query ; titles found
QUERIES = [
    ("数据治理", ["数据治理方案.md", "预算.csv"]),
    ("治理数据", ["噪声.txt"]),
    ("敏", ["数据治理方案.md"]),
    ("页面", ["指南.html"]),
    ("周报", ["周报 Weekly.md"]),
    ("WEEKLY", ["周报 Weekly.md"]),
    ("ｗｅｅｋｌｙ", ["周报 Weekly.md"]),
    ("week", []),
    ('"annual report"', ["周报 Weekly.md"]),
    ('"report annual"', []),
    ("“annual report”", ["周报 Weekly.md"]),
    ("report annual", ["周报 Weekly.md"]),
    ("AI项", ["周报 Weekly.md"]),
    ("ai项目", ["周报 Weekly.md"]),
    ("数据治理 -预算", ["数据治理方案.md"]),
    ("数据治理 -金额", ["数据治理方案.md"]),
    ('-"数据治理" 治理', ["噪声.txt"]),
    ("intitle:治理", ["数据治理方案.md"]),
    ("intitle:治理 王敏", ["数据治理方案.md"]),
    ("intitle：预算", ["预算.csv"]),
    ("周报 OR 预算", ["周报 Weekly.md", "预算.csv"]),
    ("数据治理 周报 OR 预算", ["预算.csv"]),
    ("md", []),
    ("没有的词", []),
    (
        "…… ！",
        ["图片.png", "网页", "指南.html", "财务", "预算.csv", "项目", "周报 Weekly.md", "噪声.txt", "数据治理方案.md"],
    ),
]


@pytest.mark.parametrize(("query", "titles"), QUERIES)
def test_a_query_finds_exactly_what_it_says(drive: Caller, query: str, titles: list[str]) -> None:
    assert sorted(drive.titles(query)) == sorted(titles)


def test_hits_are_marked_in_title_and_summary(drive: Caller) -> None:
    hit = drive("drive.search", query="数据治理")["results"][0]
    assert hit["title_highlighted"] == "<h>数据治理</h>方案.md"
    assert hit["summary_highlighted"].count("<h>数据治理</h>") == 2
    assert hit["result_meta"]["doc_types"] == "DOCX"


def test_a_hit_in_the_title_alone_leaves_the_summary_unmarked(drive: Caller) -> None:
    hit = drive("drive.search", query="指南", only_title=True)["results"][0]
    assert hit["title_highlighted"] == "<h>指南</h>.html"
    assert "<h>" not in hit["summary_highlighted"]


def test_titles_with_markup_and_control_characters_come_back_as_they_are(tmp_path: Path) -> None:
    name = "<b>危险</b>\u202e\x1b[31m.md"
    drive = Caller(write_all(tmp_path, {name.replace("/", "∕"): "x"}))
    assert drive.titles("危险") == [name.replace("/", "∕")]


def test_only_title_and_kinds_and_owner_and_folder_narrow_a_search(drive: Caller) -> None:
    assert drive.titles("治理", only_title=True) == ["数据治理方案.md"]
    assert drive.titles("数据治理", doc_types=["sheet"]) == ["预算.csv"]
    assert drive.titles("", doc_types=["folder"]) == ["网页", "财务", "项目"]
    assert drive.titles("数据治理", folder_tokens=[drive.token("财务")]) == ["预算.csv"]
    assert drive.titles("数据治理", space_ids=["1"]) == []
    assert len(drive.titles("数据治理", mine=True)) == 2
    assert drive.titles("数据治理", creator_ids=["somebody-else"]) == []


def test_comments_are_searched_only_when_asked_for(drive: Caller) -> None:
    token = drive.token("财务/预算.csv")
    write_all(drive.root, {".drive/comments.yaml": f"{token}:\n- {{author: 李雷, text: 请补充季度评审结论}}\n"})
    assert drive.titles("评审") == []
    hit = drive("drive.search", query="评审", only_comment=True)["results"][0]
    assert hit["summary_highlighted"] == "请补充季度<h>评审</h>结论"
    assert hit["title_highlighted"] == "预算.csv"
    drive.fails("invalid_arguments", "drive.search", query="评审", only_comment=True, only_title=True)


def test_times_of_comments_narrow_a_search(drive: Caller) -> None:
    comments = "项目/噪声.txt:\n- {at: 2026-03-01, text: 好}\n财务/预算.csv:\n- {at: 不知何时, text: 好}\n- 没有时间\n"
    write_all(drive.root, {".drive/comments.yaml": comments})
    assert drive.titles("", commented_since="2026-02-01") == ["噪声.txt"]
    assert drive.titles("", commented_until="2026-02-01") == []
    assert drive.titles("时间", only_comment=True) == ["预算.csv"]


def test_times_narrow_a_search(tmp_path: Path) -> None:
    write_all(tmp_path, {"旧.md": "词语", "新.md": "词语"})
    os.utime(tmp_path / "旧.md", (1_600_000_000, 1_600_000_000))
    os.utime(tmp_path / "新.md", (1_700_000_000, 1_700_000_000))
    drive = Caller(tmp_path, now=lambda: 1_700_086_400.0)
    assert drive.titles("词语", edited_since="7d") == ["新.md"]
    assert drive.titles("词语", edited_until="2020-09-13") == ["旧.md"]
    assert drive.titles("词语", edited_since="1600000000", edited_until="2021-01-01T00:00:00Z") == ["旧.md"]
    assert drive.titles("词语", sort="edit_time") == ["新.md", "旧.md"]
    assert drive.titles("词语", sort="edit_time_asc") == ["旧.md", "新.md"]
    drive.fails("invalid_arguments", "drive.search", query="词语", edited_since="上周")


def test_a_filter_that_the_folder_cannot_know_is_named_in_a_notice(drive: Caller) -> None:
    assert "opened_since" in drive("drive.search", query="数据治理", opened_since="7d")["notice"]


def test_a_long_query_is_refused_with_the_number_of_the_service(drive: Caller) -> None:
    assert len(drive.titles("长" * 30)) == 0
    failure = drive.fails("invalid_arguments", "drive.search", query="长" * 31)
    assert failure.details["code"] == 99992402


def test_a_body_that_the_account_may_not_read_is_not_searched(tmp_path: Path) -> None:
    write_all(tmp_path, {"秘密治理.md": "机密词语", "公开.md": "机密词语"})
    tmp_path.chmod(0o755)
    (tmp_path / "秘密治理.md").chmod(0o600)
    drive = Caller(tmp_path, account=STRANGER)
    assert drive.titles("机密词语") == ["公开.md"]
    assert drive.titles("治理") == ["秘密治理.md"]
    assert drive("drive.search", query="治理")["results"][0]["summary_highlighted"] == ""


def test_what_lies_in_a_folder_that_cannot_be_listed_is_not_shown(tmp_path: Path) -> None:
    write_all(tmp_path, {"内部/纪要.md": "词语", "内部/深/记录.md": "词语", "公开.md": "词语"})
    tmp_path.chmod(0o755)
    (tmp_path / "内部").chmod(0o700)
    (tmp_path / "内部" / "深").chmod(0o755)
    stranger = Caller(tmp_path, account=STRANGER)
    assert stranger.titles("词语") == ["公开.md"]
    assert stranger.titles("纪要 OR 记录 OR 深") == []
    assert Caller(tmp_path).titles("词语") == ["公开.md", "记录.md", "纪要.md"]


# --- changes ----------------------------------------------------------------------------------------------------------


def test_the_index_follows_changes_of_files(drive: Caller) -> None:
    assert drive.titles("新词") == []
    path = drive.root / "项目" / "噪声.txt"
    path.write_text("这里有新词", "utf-8")
    assert drive.titles("新词") == ["噪声.txt"]
    path.rename(drive.root / "改名.txt")
    assert drive.titles("新词") == ["改名.txt"]
    (drive.root / "改名.txt").unlink()
    assert drive.titles("新词") == []


def test_a_damaged_index_is_made_anew(drive: Caller) -> None:
    found = drive.titles("数据治理")
    drive.adapter.close()
    (drive.root / ".drive" / "search.sqlite3").write_bytes(b"not a database, not at all" * 100)
    assert Caller(drive.root).titles("数据治理") == found


def test_the_index_lives_where_the_setting_says(tmp_path: Path) -> None:
    root = write_all(tmp_path / "drive", FILES)
    assert Caller(root, state=str(tmp_path / "state")).titles("王敏") == ["数据治理方案.md"]
    assert not (root / ".drive" / "search.sqlite3").exists()
    assert list((tmp_path / "state").iterdir())


# --- pages ------------------------------------------------------------------------------------------------------------


def many(tmp_path: Path) -> Path:
    return write_all(tmp_path, {f"文档{number:02}.md": "共同词语" for number in range(45)})


def pages(drive: Caller, **arguments: str) -> list[list[str]]:
    found = []
    more = {}
    while True:
        answer = drive("drive.search", query="共同", page_size=20, **arguments, **more)
        found.append([hit["title_highlighted"] for hit in answer["results"]])
        if not answer["has_more"]:
            return found
        more = {"page_token": answer["page_token"]}


def test_pages_hold_everything_once_in_one_order(tmp_path: Path) -> None:
    found = pages(Caller(many(tmp_path)))
    assert [len(page) for page in found] == [20, 20, 5]
    assert [title for page in found for title in page] == [f"文档{number:02}.md" for number in range(45)]


def test_a_page_token_survives_the_process_and_changes_of_the_folder(tmp_path: Path) -> None:
    drive = Caller(many(tmp_path))
    token = drive("drive.search", query="共同", page_size=20)["page_token"]
    drive.adapter.close()
    write_all(tmp_path, {"文档00a.md": "共同词语，新写的"})
    (tmp_path / "文档25.md").unlink()
    page = Caller(tmp_path)("drive.search", query="共同", page_size=20, page_token=token)
    titles = [hit["title_highlighted"] for hit in page["results"]]
    assert titles == [f"文档{number:02}.md" for number in range(20, 41) if number != 25]


def test_a_page_token_is_bound_to_its_query_and_filters(tmp_path: Path) -> None:
    drive = Caller(many(tmp_path))
    token = drive("drive.search", query="共同", page_size=20)["page_token"]
    drive("drive.search", query="共同", page_size=5, page_token=token)
    for other in ({"query": "词语"}, {"query": "共同", "mine": True}, {"query": "共同", "doc_types": ["docx"]}):
        drive.fails("invalid_page_token", "drive.search", page_token=token, **other)
    for broken in (token[:-1], token + "0", "x", token[::-1]):
        drive.fails("invalid_page_token", "drive.search", query="共同", page_token=broken)


def test_a_page_token_expires(tmp_path: Path) -> None:
    now = [1_700_000_000.0]
    drive = Caller(many(tmp_path), now=lambda: now[0], page_token_seconds=60)
    token = drive("drive.search", query="共同", page_size=20)["page_token"]
    now[0] += 59
    assert drive("drive.search", query="共同", page_size=20, page_token=token)["results"]
    now[0] += 2
    drive.fails("invalid_page_token", "drive.search", query="共同", page_size=20, page_token=token)


# --- words ------------------------------------------------------------------------------------------------------------


def test_chinese_is_cut_into_pairs_and_its_last_character() -> None:
    assert index_tokens("数据治理，AI项目 Ｏｎｅ_two") == "数据 据治 治理 理 ai 项目 目 one two"
    assert phrase("治") == '"治"*'
    assert phrase("项目AI治") == '"项目 目 ai 治"*'
    assert phrase("！？") is None


def test_marks_stand_on_the_text_as_written_even_where_folding_changes_its_length() -> None:
    wanted = pattern(["straße"])
    assert wanted is not None
    text = "ﬃ Die STRASSE und die Straße"
    assert marked(text, spans(text, wanted)) == "ﬃ Die <h>STRASSE</h> und die <h>Straße</h>"
    assert fold("Ｔｅｓｔ") == "test"


def test_a_query_is_read_without_ever_failing() -> None:
    query = parse_query('OR "未闭合 -排除 OR')
    assert query.words == ["未闭合 -排除 OR"]
    assert parse_query("a OR b OR c d").groups == (
        (Term("a", False, False), Term("b", False, False), Term("c", False, False)),
        (Term("d", False, False),),
    )


@given(st.text(max_size=40))
def test_any_text_is_a_query(text: str) -> None:
    parse_query(text)


CHINESE = st.text(st.sampled_from("数据治理项目方案周报预算王敏，。 aB1\n"), min_size=1, max_size=60)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CHINESE, min_size=1, max_size=4))
def test_every_chinese_word_of_two_characters_is_found_wherever_it_stands(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[str]
) -> None:
    root = tmp_path_factory.mktemp("drive")
    drive = Caller(write_all(root, {f"{number}.md": body for number, body in enumerate(bodies)}))
    chinese = "数据治理项目方案周报预算王敏"
    words = {body[i : i + 2] for body in bodies for i in range(len(body) - 1)}
    for word in sorted(word for word in words if set(word) <= set(chinese)):
        expected = [f"{number}.md" for number, body in enumerate(bodies) if word in body]
        assert drive.titles(word) == expected
    for character in sorted({character for body in bodies for character in body} & set(chinese)):
        assert drive.titles(character) == [f"{n}.md" for n, body in enumerate(bodies) if character in body]
    drive.adapter.close()
