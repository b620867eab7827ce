"""Saved pages as the web, and searching them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.web import WebAdapter
from interpreter.ports import ToolFailure
from tests.unit.web_kit import LONG, Web, close_web, page, saved

__all__ = ["close_web"]

A = "https://a.example"


def article(title: str, text: str, head: str = "") -> str:
    body = f"<article><h1>{title}</h1><p>{text}</p></article>"
    return f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


DAY = '<meta name="PubDate" content="2026-05-01">'
SAID = '<meta name="description" content="缓存完全免费的说明">'
LEAD = '<meta name="description" content="利润率升到六成">'
PAGES: dict[str, dict[str, Any]] = {
    "plain": {
        "url": f"{A}/plain",
        "body": article("数据治理指南", "数据治理工作分为三个阶段，第一阶段是盘点数据资产。", DAY),
    },
    "english": {
        "url": f"{A}/english",
        "body": article("Cutting model cost", "A prompt cache lowers the cost of input tokens by about forty percent."),
    },
    "odd-words": {
        "url": f"{A}/odd",
        "body": article("GPT-4 与 C++ 对比", "价格降了50%，他说 don't worry，联系人是张三。"),
    },
    "moved": {"url": f"{A}/moved", "status": 301, "headers": {"location": "/plain"}},
    "inside": {"url": f"{A}/inside", "status": 302, "headers": {"location": "http://169.254.169.254/"}},
    "gone": {"url": f"{A}/gone", "status": 404, "body": "gone"},
    "soft": {"url": f"{A}/soft", "body": article("页面不存在", "抱歉，您访问的页面不存在。", SAID)},
    "down": {
        "url": f"{A}/down",
        "fails": "page_unreachable",
        "search": '{title: 独家预算, snippet: 预算是四十二万元, published: "2026-06-01"}',
    },
    "late": {"url": f"{A}/late", "fails": "timed_out"},
    "gbk": {
        "url": f"{A}/gbk",
        "headers": {"content-type": "text/html"},
        "body": article(
            "会议纪要", "朱镕基与堃先生的会议纪要，预算还没有定下来，等待下一次会议。", "<meta charset=gb2312>"
        ).encode("gb18030"),
    },
    "robots": {
        "url": "https://b.example/robots.txt",
        "headers": {"content-type": "text/plain"},
        "body": "User-agent: *\nDisallow: /closed\n",
    },
    "closed": {
        "url": "https://b.example/closed/1",
        "body": article("不许读", "这一页按照网站的规定不能自动读取，所以读不到它。", LEAD),
    },
    "old": {
        "url": "https://b.example/old",
        "body": article(
            "数据治理旧闻", "数据治理工作在去年开始，当时还没有统一的做法可以参考。", DAY.replace("2026", "2025")
        ),
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("pages"), PAGES)


@pytest.fixture(scope="module")
def web(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    web = Web(pages=str(folder), state=str(tmp_path_factory.mktemp("state"))).lasting()
    yield web
    web.adapter.close()


def test_a_saved_page_is_read_as_it_was_read_then(web: Web) -> None:
    answer = web.fetch(f"{A}/plain#part")
    assert answer["fetched_at"] == "2026-09-21T00:00:00Z"
    assert answer["url"] == f"{A}/plain#part"
    assert (answer["title"], answer["published"]) == ("数据治理指南", "2026-05-01")
    assert "第一阶段是盘点数据资产" in answer["text"]


def test_saved_bytes_are_read_in_their_own_characters(web: Web) -> None:
    answer = web.fetch(f"{A}/gbk")
    assert (answer["encoding"], answer["encoding_from"]) == ("gb18030", "page")
    assert "朱镕基与堃先生" in answer["text"]


def test_a_saved_redirect_is_followed(web: Web) -> None:
    answer = web.fetch(f"{A}/moved")
    assert (answer["final_url"], answer["redirects"]) == (f"{A}/plain", [f"{A}/moved"])


FAILURES = [
    (f"{A}/inside", "address_refused", "link_local"),
    (f"{A}/gone", "not_found", None),
    (f"{A}/soft", "soft_not_found", "soft_not_found"),
    (f"{A}/down", "page_unreachable", "saved"),
    (f"{A}/late", "timed_out", "saved"),
    (f"{A}/never", "page_unreachable", "not_saved"),
    ("https://b.example/closed/1", "robots_disallow", "robots"),
    ("http://127.0.0.1/", "address_refused", "loopback"),
    ("file:///etc/passwd", "address_refused", "scheme"),
]


@pytest.mark.parametrize(("url", "code", "reason"), FAILURES, ids=[row[0] for row in FAILURES])
def test_saved_pages_fail_like_those_of_the_web(web: Web, url: str, code: str, reason: str | None) -> None:
    assert web.fails(code, url).details.get("reason") == reason


def test_a_page_is_the_same_before_and_after_it_was_indexed(folder: Path, tmp_path: Path) -> None:
    web = Web(pages=str(folder), state=str(tmp_path))
    first = web.fetch(f"{A}/plain")
    web("web_search", query="数据治理")
    assert web.fetch(f"{A}/plain") == first


# --- searching -----------------------------------------------------------------------------------------------------

SEARCHES = [
    ("数据治理", [f"{A}/plain", "https://b.example/old"]),
    ("治理 指南", [f"{A}/plain"]),
    ("GPT-4", [f"{A}/odd"]),
    ("C++", [f"{A}/odd"]),
    ("don't", [f"{A}/odd"]),
    ("50%", [f"{A}/odd"]),
    ("@张三", [f"{A}/odd"]),
    ("PROMPT cache", [f"{A}/english"]),
    ("ｐｒｏｍｐｔ　ｃａｃｈｅ", [f"{A}/english"]),
    ("会议纪要", [f"{A}/gbk"]),
    ("缓存完全免费", [f"{A}/soft"]),
    ("利润率升到六成", ["https://b.example/closed/1"]),
    ("规定不能自动读取", []),
    ("独家预算", [f"{A}/down"]),
    ("月背采矿机器人", []),
    ("a OR", [f"{A}/english"]),
    ("NEAR(", []),
    ("t:x", [f"{A}/odd"]),
    ("*", []),
    ("“未闭合", []),
    ("'' \" -- ; drop table pages", []),
    ("\0", []),
    ("无关" * 5000, []),
]


@pytest.mark.parametrize(("query", "urls"), SEARCHES, ids=[repr(row[0])[:30] for row in SEARCHES])
def test_a_query_is_data_and_finds_what_holds_it(web: Web, query: str, urls: list[str]) -> None:
    found = web.urls(query)
    assert found[: len(urls)] == urls
    assert bool(found) == bool(urls)


def test_hits_are_ranked_and_are_leads(web: Web) -> None:
    hits = web("web_search", query="数据治理")["hits"]
    assert [hit["rank"] for hit in hits] == [1, 2]
    assert hits[0]["title"] == "数据治理指南"
    assert "数据治理" in hits[0]["snippet"]
    assert hits[0]["published"] == "2026-05-01"


def test_a_snippet_may_say_what_the_page_does_not(web: Web) -> None:
    hit = web("web_search", query="独家预算")["hits"][0]
    assert (hit["title"], hit["snippet"], hit["published"]) == ("独家预算", "预算是四十二万元", "2026-06-01")
    web.fails("page_unreachable", hit["url"])


WINDOWS = [
    ({"since": "2026-01-01"}, [f"{A}/plain"]),
    ({"until": "2025-12-31"}, ["https://b.example/old"]),
    ({"since": "2026-05-01", "until": "2026-05-01"}, [f"{A}/plain"]),
    ({"since": "2026-05-01T00:00:00+08:00"}, [f"{A}/plain"]),
    ({"since": "2026-05-02"}, []),
    ({"max_results": 1}, [f"{A}/plain"]),
]


@pytest.mark.parametrize(("arguments", "urls"), WINDOWS)
def test_a_window_keeps_what_is_known_to_lie_in_it(web: Web, arguments: dict[str, Any], urls: list[str]) -> None:
    assert web.urls("数据治理", **arguments) == urls


def test_a_page_without_a_day_is_in_no_window(web: Web) -> None:
    assert web.urls("prompt cache", since="1990-01-01") == []


def test_a_window_that_is_no_day_is_refused(web: Web) -> None:
    with pytest.raises(ToolFailure) as caught:
        web("web_search", query="数据", since="上周")
    assert caught.value.code == "invalid_arguments"


def test_several_queries_are_answered_in_their_order(web: Web) -> None:
    answers = web("batch_web_search", queries=["数据治理", "月背采矿", "C++"], max_results=1)["answers"]
    assert [answer["query"] for answer in answers] == ["数据治理", "月背采矿", "C++"]
    assert [len(answer["hits"]) for answer in answers] == [1, 0, 1]
    assert all(answer["error"] is None for answer in answers)


def test_a_query_that_fails_leaves_the_others_and_only_all_of_them_are_a_failure(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    from interpreter.adapters.web.failures import failure

    real = web.adapter._search

    def search(query: str, *rest: Any) -> Any:
        if query == "坏":
            raise failure("service_failed", "坏了", "broken")
        return real(query, *rest)

    monkeypatch.setattr(web.adapter, "_search", search)
    answers = web("batch_web_search", queries=["坏", "数据治理"])["answers"]
    assert answers[0]["error"] == {"code": "service_failed", "message": {"zh": "坏了", "en": "broken"}}
    assert answers[1]["hits"]
    with pytest.raises(ToolFailure) as caught:
        web("batch_web_search", queries=["坏", "坏"])
    assert caught.value.code == "service_failed"


def test_an_index_that_cannot_be_used_is_a_failure_and_no_empty_answer(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    def broken(*arguments: Any) -> Any:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(web.adapter._index, "_refresh", broken)
    with pytest.raises(ToolFailure) as caught:
        web("web_search", query="数据治理")
    assert caught.value.code == "service_failed"


# --- the index follows the folder ----------------------------------------------------------------------------------


def test_the_index_follows_new_changed_and_removed_pages(tmp_path: Path) -> None:
    pages, state = tmp_path / "pages", str(tmp_path / "state")
    saved(pages, {"one": PAGES["plain"], "two": PAGES["english"]})
    assert Web(pages=str(pages), state=state).urls("数据治理") == [f"{A}/plain"]
    saved(
        pages, {"one": {**PAGES["plain"], "body": article("别的题目", "这一页后来改成了别的内容，与从前的完全不同。")}}
    )
    saved(pages, {"three": PAGES["odd-words"]})
    (pages / "two.yaml").unlink()
    web = Web(pages=str(pages), state=state)
    assert [web.urls(query) for query in ("数据治理", "别的题目", "C++", "prompt cache")] == [
        [],
        [f"{A}/plain"],
        [f"{A}/odd"],
        [],
    ]


def test_other_words_of_reading_make_the_index_anew(tmp_path: Path) -> None:
    pages, state = saved(tmp_path / "pages", {"one": PAGES["plain"]}), str(tmp_path / "state")
    assert Web(pages=str(pages), state=state).urls("盘点数据") == [f"{A}/plain"]
    own = tmp_path / "own.yaml"
    own.write_text("walls:\n  not_found: [数据治理指南]\n", "utf-8")
    web = Web(pages=str(pages), state=state, page_reading=str(own))
    assert web.urls("盘点数据") == []
    web.fails("soft_not_found", f"{A}/plain")


def test_a_page_is_read_anew_when_what_its_site_allows_has_changed(tmp_path: Path) -> None:
    pages, state = tmp_path / "pages", str(tmp_path / "state")
    saved(pages, {"old": PAGES["old"]})
    web = Web(pages=str(pages), state=state)
    assert web.urls("数据治理旧闻")
    saved(pages, {"robots": {**PAGES["robots"], "body": "User-agent: *\nDisallow: /\n"}})
    Web(pages=str(pages), state=state).fails("robots_disallow", "https://b.example/old")


@pytest.mark.parametrize("damage", [b"", b"no database at all", b"SQLite format 3\0" + bytes(200)])
def test_a_damaged_index_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    pages, state = saved(tmp_path / "pages", {"one": PAGES["plain"]}), tmp_path / "state"
    Web(pages=str(pages), state=str(state)).adapter.invoke("web.web_search", {"query": "数据"})
    (file,) = state.glob("*.sqlite3")
    file.write_bytes(damage)
    assert Web(pages=str(pages), state=str(state)).urls("数据治理") == [f"{A}/plain"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_without_a_place_for_the_index_it_is_kept_in_memory(tmp_path: Path) -> None:
    pages, state = saved(tmp_path / "pages", {"one": PAGES["plain"]}), tmp_path / "state"
    state.mkdir(mode=0o500)
    assert Web(pages=str(pages), state=str(state)).urls("数据治理") == [f"{A}/plain"]


# --- settings and sidecars that are wrong --------------------------------------------------------------------------

WRONG_FILES = [
    ("url: https://a.example/\nstatuss: 200\n", "statuss"),
    ("url: nonsense\n", "url"),
    ("url: https://a.example/\nstatus: many\n", "status"),
    ("url: https://a.example/\nbody: ../../etc/passwd\n", "passwd"),
    ("url: https://a.example/\nbody: missing.html\n", "missing.html"),
    ("url: https://a.example/\nheaders: [a]\n", "headers"),
    ("url: https://a.example/\nfails: perhaps\n", "fails"),
    ("- one\n", "names with values"),
    ("url: 'unclosed\n", "one.yaml"),
    ("", "one.yaml"),
]


@pytest.mark.parametrize(("text", "named"), WRONG_FILES, ids=[row[1] for row in WRONG_FILES])
def test_a_wrong_file_beside_a_page_is_named(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "one.yaml").write_text(text, "utf-8")
    failure = Web(pages=str(tmp_path)).fails("unavailable", "https://a.example/")
    assert "one.yaml" in failure.message
    assert named in failure.message


def test_the_same_address_twice_is_said(tmp_path: Path) -> None:
    pages = saved(tmp_path, {"one": PAGES["plain"], "two": PAGES["plain"]})
    assert "one.yaml" in Web(pages=str(pages)).fails("unavailable", f"{A}/plain").message


WRONG_SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"pages": "/no/such/folder"}, "/no/such/folder"),
    ({"page": "x"}, "page"),
    ({"own_addresses": ["http://a"]}, "own_addresses"),
    ({"own_addresses": 7}, "own_addresses"),
    ({"robots": "maybe"}, "robots"),
    ({"page_seconds": 0}, "page_seconds"),
    ({"memory_mb": "much"}, "memory_mb"),
    ({"user_agent": "读者"}, "user_agent"),
    ({"page_reading": "/no/such/file.yaml"}, "page_reading"),
]


@pytest.mark.parametrize(("settings", "named"), WRONG_SETTINGS, ids=[str(row[0]) for row in WRONG_SETTINGS])
def test_a_setting_that_cannot_be_used_is_named_when_the_profile_is_opened(
    settings: dict[str, Any], named: str
) -> None:
    with pytest.raises(ToolFailure) as caught:
        WebAdapter(settings)
    assert caught.value.code == "unavailable"
    assert named in caught.value.message
    assert set(caught.value.details["message"]) == {"zh", "en"}


OWN_WORDS = [
    ("walls:\n  no_such: [a]\n", "walls.no_such"),
    ("walls:\n  pay: 订阅\n", "walls.pay"),
    ("walls:\n  pay: [404]\n", "404"),
    ("numbers:\n  short_text: many\n", "numbers.short_text"),
    ("[a]\n", "own.yaml"),
]


@pytest.mark.parametrize(("text", "named"), OWN_WORDS, ids=[row[1] for row in OWN_WORDS])
def test_own_words_of_another_shape_are_named(tmp_path: Path, text: str, named: str) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(text, "utf-8")
    with pytest.raises(ToolFailure) as caught:
        WebAdapter({"page_reading": str(own)})
    assert named in caught.value.message


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from interpreter.adapters.web import adapter

    real = adapter.find_spec
    monkeypatch.setattr(adapter, "find_spec", lambda name: None if name == "trafilatura" else real(name))
    with pytest.raises(ToolFailure) as caught:
        WebAdapter({})
    assert "trafilatura" in caught.value.message
    assert "workflow-interpreter[web]" in caught.value.details["message"]["zh"]


def test_the_record_of_a_run_says_what_was_read_from(web: Web, folder: Path) -> None:
    assert web.adapter.resolved_identity() == f"saved pages in {folder}"
    assert WebAdapter({}).resolved_identity() == "the web"


def test_opening_an_adapter_starts_nothing() -> None:
    adapter = WebAdapter({})
    assert adapter._children._process is None


def test_a_page_of_long_text_is_the_same_each_time(tmp_path: Path) -> None:
    pages = saved(tmp_path, {"one": {"url": f"{A}/1", "body": page(LONG)}})
    web = Web(pages=str(pages))
    assert web.adapter._pages.read(f"{A}/1") == web.adapter._pages.read(f"{A}/1")
