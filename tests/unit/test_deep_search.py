"""The deep search without a service: what a question is read as, and what a reader may answer, case by case."""

from __future__ import annotations

from typing import Any

import pytest

from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.lint import lint_paths
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from tests.unit.checked_calls import document, error_codes
from tests.unit.deep_search_kit import BLOCK, CLAIM, HIT, NOTE, NOW, ONE_NOTE, PAGE, SILENT, SPEC, Answers, ask, program
from tests.unit.run_kit import case_of, prefixes, run_case


def test_the_documents_are_clean() -> None:
    assert lint_paths([SPEC, SPEC.parent / "profiles" / "local.yaml"]) == []


def test_nothing_is_done_at_once() -> None:
    """Serial by contract: `batch_web_search` may be parallel inside, the workflow is not."""
    text = SPEC.read_text("utf-8")
    assert "at_once" not in text
    assert "pools:" not in text


def test_every_reason_why_something_was_not_done_is_told_in_words() -> None:
    node, _ = read_tree(Source("claim_verdicts", (SPEC.parent / "rules" / "claim_verdicts.yaml").read_text("utf-8")))
    assert node is not None
    rules: Any = to_value(node)
    words = rules["lists"]
    codes = {code for tool in words["undone"] for code in error_codes(tool)}
    access = document("web")["web.web_fetch"]["output"]["properties"]["access"]["enum"]
    assert sorted({*codes, *access, "not_searched"} ^ set(words["why_undone"])) == []


# --- times ------------------------------------------------------------------------------------------------------------

TIMES = [
    ("最近三天星河智能的价格", "2026-10-17", "2026-10-20"),
    ("最近3天星河智能的价格", "2026-10-17", "2026-10-20"),
    ("近两周星河智能的价格", "2026-10-06", "2026-10-20"),
    ("今天星河智能的价格", "2026-10-20", "2026-10-20"),
    ("昨天星河智能的价格", "2026-10-19", "2026-10-20"),
    ("本周星河智能的价格", "2026-10-19", "2026-10-20"),
    ("上周星河智能的价格", "2026-10-12", "2026-10-19"),
    ("上上周星河智能的价格", "2026-10-05", "2026-10-12"),
    ("本月星河智能的价格", "2026-10-01", "2026-10-20"),
    ("上个月星河智能的价格", "2026-09-01", "2026-10-01"),
    ("上季度星河智能的价格", "2026-07-01", "2026-10-01"),
    ("今年星河智能的价格", "2026-01-01", "2026-10-20"),
    ("去年星河智能的价格", "2025-01-01", "2026-01-01"),
    ("近期星河智能的价格", "2026-10-13", "2026-10-20"),
    ("最近星河智能的价格", "2026-10-13", "2026-10-20"),
    ("近半年星河智能的价格", "2026-04-20", "2026-10-20"),
    ("Q3 星河智能的价格", "2026-07-01", "2026-10-01"),
    ("2026年第三季度星河智能的价格", "2026-07-01", "2026-10-01"),
    ("2026年9月星河智能的价格", "2026-09-01", "2026-10-01"),
    ("2026 年 9 月 18 日星河智能的价格", "2026-09-18", "2026-09-19"),
    ("9月18日星河智能的价格", "2026-09-18", "2026-09-19"),
    ("2025年星河智能的价格", "2025-01-01", "2026-01-01"),
    ("12月星河智能的价格", "2026-12-01", "2027-01-01"),
    ("Galaxy AI prices in the last three days", "2026-10-17", "2026-10-20"),
    ("Galaxy AI prices last week", "2026-10-12", "2026-10-19"),
    ("Galaxy AI prices this month", "2026-10-01", "2026-10-20"),
    ("Galaxy AI prices recently", "2026-10-13", "2026-10-20"),
    ("Galaxy AI prices in September 2026", "2026-09-01", "2026-10-01"),
    ("Galaxy AI prices on 18 September 2026", "2026-09-18", "2026-09-19"),
    ("Galaxy AI prices in 2025", "2025-01-01", "2026-01-01"),
    ("2026年上半年星河智能的价格", "2026-01-01", "2026-07-01"),
    ("去年下半年星河智能的价格", "2025-07-01", "2026-01-01"),
    ("Galaxy AI prices in the third quarter of 2026", "2026-07-01", "2026-10-01"),
    ("Galaxy AI prices in the first half of 2026", "2026-01-01", "2026-07-01"),
]


@pytest.mark.parametrize(("query", "start", "end"), TIMES, ids=[row[0] for row in TIMES])
def test_words_for_times_become_absolute_windows(query: str, start: str, end: str) -> None:
    told = ask(query)
    assert [(one["start"][:10], one["end"][:10]) for one in told.data["windows"]] == [(start, end)], told.finding


def test_the_last_three_days_are_exactly_three_days() -> None:
    window = ask("最近三天星河智能的价格").data["windows"][0]
    assert (window["start"], window["end"]) == ("2026-10-17T09:00:00.000Z", "2026-10-20T09:00:00.000Z")


@pytest.mark.parametrize("query", ["星河智能的基本周期", "星河智能的价格", "Galaxy AI prices today2"])
def test_what_only_looks_like_a_time_is_none(query: str) -> None:
    assert ask(query).data["windows"] == []


def test_today_begins_at_the_midnight_of_the_person() -> None:
    told = ask("今天星河智能的价格", now="2026-10-20T18:30:00Z")
    assert told.data["windows"][0]["start"][:10] == "2026-10-20"


# --- what is wanted ---------------------------------------------------------------------------------------------------

MODES = [
    ("星河智能的价格", "hybrid", "hybrid", False),
    ("只看我的笔记：星河智能的价格", "hybrid", "notes_only", False),
    ("Galaxy AI prices, only in my notes", "hybrid", "notes_only", False),
    ("不看笔记，星河智能的价格", "hybrid", "web_only", False),
    ("星河智能的最新价格", "hybrid", "hybrid", True),
    ("the latest Galaxy AI prices", "web_only", "web_only", True),
    ("星河智能的最新价格", "notes_only", "notes_only", False),
    ("只看我的笔记：星河智能今日价格", "hybrid", "notes_only", False),
]


@pytest.mark.parametrize(("query", "given", "mode", "fresh"), MODES)
def test_the_question_narrows_the_sources_and_asks_for_freshness(
    query: str, given: str, mode: str, fresh: bool
) -> None:
    told = ask(query, source_mode=given)
    assert (told.data["mode"], told.data["check_freshness"]) == (mode, fresh)
    called = {call.tool.partition(".")[0] for call in told.calls}
    assert ("web" in called) == (mode != "notes_only")
    assert ("notes" in called) == (mode != "web_only")


def test_notes_only_with_a_question_for_the_latest_says_that_freshness_was_not_checked() -> None:
    told = ask("星河智能的最新价格", source_mode="notes_only")
    assert "没有核对时效" in told.data["mode_text"]["zh"]
    assert "freshness was not checked" in told.data["mode_text"]["en"]


TASKS = [
    ("星河智能发布了新价格吗", "fact_check"),
    ("把和星河智能相关的笔记串一串", "association"),
    ("深度搜索：张总", "association"),
    ("近半年模型价格的趋势", "trend"),
    ("我们要不要提前续约星河智能", "decision_advice"),
    ("What is the trend of model prices?", "trend"),
    ("张总", "association"),  # a name alone states nothing
    ("《深海来信》", "association"),
    ("8月份和蓝鲸的沟通", "association"),
    ("产品周会的纪要", "association"),
    ("明天要见李总，帮我准备一下", "association"),
    ("I'm meeting Dr Lane tomorrow, help me prepare", "association"),
    ("李慕白是谁？", "association"),
    ("Who is Sophie Lane?", "association"),
    ("最近三天有什么新笔记？", "association"),
    ("上周定了什么？", "association"),
    ("Summarise my notes from last week", "association"),
    ("星河智能融资3亿元", "fact_check"),
    ("星河智能企业版定价多少", "fact_check"),
]


@pytest.mark.parametrize(("query", "task"), TASKS)
def test_the_question_tells_the_kind_of_task(query: str, task: str) -> None:
    assert ask(query).data["task"] == task


READINGS = [
    ("星河智能最近是否发布了新的企业版定价？", "星河智能", "发布 企业版 定价"),
    ("帮我深挖张总相关的所有信息", "张总", "张总"),
    ("《人工智能服务明码标价规定》从什么时候起施行？", "人工智能服务明码标价规定", "施行"),
    ("Did Galaxy AI recently publish new enterprise pricing?", "Galaxy AI", "publish enterprise pricing"),
    ("星河智能将投资12亿元建设算力中心吗？", "星河智能", "投资 建设 算力中心 12亿元"),
    ("深挖 #工作 标签下的文档", "工作", "文档"),
    ("AI", "AI", "AI"),
    ("bring together everything about Dr. Lane", "Lane", "Lane"),
    ("Tell me everything about Mr Zhang", "Zhang", "Zhang"),
    ("Tell me everything about Lin Xiaoman", "Lin Xiaoman", "Lin Xiaoman"),
    ("Did Lin Xiaoman sign the contract?", "Lin Xiaoman", "sign contract"),
    ("Did the Bank of Harrow raise interest rates to 4.5%?", "Bank of Harrow", "raise interest rates 4.5%"),
    ("Did 3/4 of Harrow Cloud staff sign the letter?", "Harrow Cloud", "staff sign letter 3/4 of"),
    ("Did Northern Motors cut 1,200 jobs?", "Northern Motors", "cut jobs 1,200"),
    ("Did Larkwood Acquire Brightwater?", "Larkwood", "acquire Brightwater"),
    ("临江电气中标海上风电项目了吗？", "临江电气", "中标 海上风电"),
    ("微光科技成立于2015年吗？", "微光科技", "成立于"),
    ("星野公园闭园了吗？", "星野公园", "闭园"),
    ("星河智能融资3亿美元了吗？", "星河智能", "融资 3亿美元"),
    ("最近3个月星河智能开了7个机房吗？", "星河智能", "机房 7个"),
    ("李总喜欢什么？", "李总", "喜欢"),
    ("明天要见李总，帮我准备一下", "李总", "李总"),
    ("What is Dr Lane's phone?", "Lane", "phone"),
    ("星河智能有多少名员工？", "星河智能", "员工"),
    ("《数据中心能效办法》自2026年12月1日起施行吗？", "数据中心能效办法", "起施行 2026年12月1日"),
]


@pytest.mark.parametrize(("query", "subject", "predicate"), READINGS)
def test_without_a_model_the_question_is_one_claim_and_that_is_said(query: str, subject: str, predicate: str) -> None:
    told = ask(query)
    assert [(one["subject"], one["predicate"]) for one in told.data["subclaims"]] == [(subject, predicate)]
    assert "没有由语言模型拆分" in told.data["assumptions"][0]["zh"]


def test_a_trend_without_a_direction_is_asked_both_ways() -> None:
    claims = ask("近半年大模型接口价格的趋势如何？").data["subclaims"]
    assert [one["predicate"].split()[-1] for one in claims] == ["下降", "上升"]


def test_a_trend_asks_each_of_its_windows_the_same() -> None:
    lead = {"url": "https://site.example/a", "title": "大模型接口价格", "snippet": "", "published": None, "rank": 1}
    answers: Answers = {
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": [lead], "error": None}]}}],
        "web.web_fetch": [{"fail": "blocked"}],
    }
    told = ask("近半年大模型接口价格下降的趋势如何？", answers, source_mode="web_only")
    asked = [call.arguments for call in told.calls if call.tool == "web.batch_web_search"]
    assert len({tuple(one["queries"]) for one in asked}) == 1
    assert len({(one["since"], one["until"]) for one in asked}) == len(asked) > 1


def test_a_day_that_is_asked_about_is_no_time_to_search_in() -> None:
    told = ask("《数据中心能效办法》自2026年12月1日起施行吗？")
    assert told.data["subclaims"][0]["time_scope"] is None
    assert [day[:10] for day in told.data["plans"][0]["days"]] == ["2026-12-01"]
    assert ask("2026年12月1日星河智能的价格高吗？").data["subclaims"][0]["time_scope"] is not None


def test_a_word_with_two_meanings_is_asked_about_once() -> None:
    told = ask("苹果的价格")
    assert [(one.name, one.visit) for one in told.asked] == [("which_meaning", 1)]
    assert told.data["subclaims"][0]["subject"] == "苹果（水果）"


def test_a_word_with_two_meanings_is_not_asked_about_where_the_question_tells() -> None:
    assert ask("苹果手机的价格").asked == []


def test_the_conversation_so_far_is_not_used_without_a_model_and_that_is_said() -> None:
    told = ask("星河智能的价格", context=[{"role": "user", "text": "上次说到星河"}])
    assert any("之前的对话" in one["zh"] for one in told.data["assumptions"])


# --- a reader that is a language model --------------------------------------------------------------------------------


def test_a_model_splits_the_question_and_what_it_assumed_is_said() -> None:
    answer = {"task_type": "fact_check", "claims": [CLAIM], "assumptions": ["按标价"]}
    told = ask("星河智能降价了吗", {"reader.decompose": [{"give": answer}]})
    assert told.data["subclaims"] == [CLAIM]
    assert [one["zh"] for one in told.data["assumptions"]] == ["按标价"]


def test_claims_of_a_model_about_another_time_are_refused_and_asked_for_again() -> None:
    wrong = {**CLAIM, "time_scope": {"start": "2024-01-01T00:00:00Z", "end": "2024-02-01T00:00:00Z"}}
    told = ask(
        "上周星河智能降价了吗",
        {
            "reader.decompose": [
                {"give": {"task_type": "fact_check", "claims": [wrong]}},
                {"give": {"task_type": "fact_check", "claims": [CLAIM]}},
            ]
        },
    )
    asked = [call for call in told.calls if call.tool == "reader.decompose"]
    assert "another_time" in asked[1].arguments["feedback"]
    assert told.data["subclaims"] == [CLAIM]


def test_a_reader_that_is_down_leaves_its_claims_without_a_verdict_and_says_so() -> None:
    told = ask("星河智能降价了吗", {**ONE_NOTE, "reader.judge": [{"fail": "unavailable"}]}, claims=[CLAIM])
    assert told.partial is not None
    assert any(one["tool"] == "reader.judge" for one in told.outputs["not_done"])
    assert told.outputs["claims"][0]["verdict"] == "insufficient_evidence"


@pytest.mark.parametrize("named", ["s-0000000000", "", " ", "b1", "S-1", None, ["s-1"], {"evidence_id": "s-1"}])
def test_a_passage_that_the_reader_was_not_given_is_refused(named: object) -> None:
    finding = {"evidence_id": named, "stance": "supports", "covers": ["subject", "predicate"]}
    answers: Answers = {**ONE_NOTE, "reader.judge": [{"give": {"findings": [finding]}}]}
    told = ask("星河智能降价了吗", answers, claims=[CLAIM], source_mode="notes_only")
    judged = [call for call in told.calls if call.tool == "reader.judge"]
    assert len(judged) == 2
    assert "findings[0].evidence_id" in judged[1].arguments["feedback"]
    assert told.outputs["evidence"] == {"notes": [], "web": []}
    assert told.outputs["claims"][0]["verdict"] == "insufficient_evidence"


def test_a_passage_of_the_reader_becomes_a_citation_of_what_was_read() -> None:
    told = ask("星河智能降价了吗", {**ONE_NOTE, "reader.judge": [{"give": {"findings": []}}]}, claims=[CLAIM])
    unit = next(call for call in told.calls if call.tool == "reader.judge").arguments["units"][0]
    finding = {"evidence_id": unit["evidence_id"], "stance": "supports", "covers": ["subject", "predicate"]}
    told = ask("星河智能降价了吗", {**ONE_NOTE, "reader.judge": [{"give": {"findings": [finding]}}]}, claims=[CLAIM])
    (entry,) = told.outputs["evidence"]["notes"]
    assert (entry["note_id"], entry["quote"], entry["path"], entry["offset"]) == ("n1", "星河智能降价了。", "b1", 0)
    assert told.outputs["claims"][0]["verdict"] == "partially_supported"


# --- services that answer oddly ---------------------------------------------------------------------------------------


def test_a_search_engine_that_fails_leaves_a_partial_result() -> None:
    told = ask("星河智能降价了吗", {"web.batch_web_search": [{"fail": "service_answer"}]})
    assert told.status == "completed"
    assert told.partial is not None
    assert any(
        one["tool"] == "web.batch_web_search" and one["code"] == "service_answer" for one in told.outputs["not_done"]
    )


def test_a_query_that_fails_inside_a_good_answer_is_listed() -> None:
    answer = {
        "answers": [{"query": "q", "hits": [], "error": {"code": "rate_limited", "message": {"zh": "x", "en": "x"}}}]
    }
    told = ask("星河智能降价了吗", {"web.batch_web_search": [{"give": answer}]})
    assert told.partial is not None
    assert any(one["code"] == "rate_limited" for one in told.outputs["not_done"])


def test_a_note_service_that_answers_an_error_leaves_a_partial_result() -> None:
    told = ask("星河智能降价了吗", {"notes.search_notes": [{"fail": "INTERNAL_ERROR"}]})
    assert told.partial is not None
    assert any(one["code"] == "INTERNAL_ERROR" for one in told.outputs["not_done"])
    assert told.outputs["claims"][0]["verdict"] == "insufficient_evidence"


def test_a_note_service_that_is_down_is_asked_once_and_named() -> None:
    told = ask("星河智能降价了吗", {"notes.find_tags": [{"fail": "WEBSOCKET_NOT_CONNECTED"}]})
    assert [call.tool for call in told.calls if call.tool.startswith("notes.")] == ["notes.find_tags"]
    assert any(
        one["tool"] == "notes.search_notes" and one["code"] == "not_searched" for one in told.outputs["not_done"]
    )


def test_nothing_found_is_relaxed_exactly_once() -> None:
    told = ask("月背采矿机器人的保险费率")
    assert told.path.count("RELAX") == 1
    assert [call.tool for call in told.calls].count("web.batch_web_search") == 2
    assert told.outputs["relaxed"]["what"] == "terms"
    assert told.outputs["claims"][0]["verdict"] == "insufficient_evidence"


RELAXED = [
    ({}, "上周月背采矿机器人的保险费率", "time_window"),
    ({"tags": ["x"]}, "月背采矿机器人的保险费率", "tags"),
    ({"project": "x"}, "月背采矿机器人的保险费率", "project"),
    ({"prefer": ["x.example"]}, "月背采矿机器人的保险费率", "source_preference"),
]


@pytest.mark.parametrize(("filters", "query", "what"), RELAXED)
def test_one_constraint_is_relaxed_and_named(filters: dict[str, Any], query: str, what: str) -> None:
    told = ask(query, filters=filters)
    assert told.outputs["relaxed"]["what"] == what
    assert told.outputs["relaxed"]["text"]["zh"] in told.outputs["summary"]["zh"]


def test_a_tag_may_be_written_with_its_mark() -> None:
    told = ask("深挖 #工作 标签下的文档", filters={"tags": ["#项目/北极星"]})
    search = next(call for call in told.calls if call.tool == "notes.search_notes")
    assert search.arguments["tags"] == ["项目/北极星", "工作"]


# --- the contract of the answer ---------------------------------------------------------------------------------------

ALWAYS = ("results", "search_dimensions", "evidence", "confidence", "conflicts")


@pytest.mark.parametrize("query", ["a", "", "  ", "星河智能降价了吗"])
def test_the_answer_always_has_its_five_parts(query: str) -> None:
    told = ask(query)
    assert told.status == "completed"
    assert set(ALWAYS) <= set(told.outputs)
    assert all(told.outputs[name] is not None for name in ALWAYS)


@pytest.mark.parametrize("query", ["a", " 张 ", ""])
def test_a_query_that_is_too_short_gets_advice(query: str) -> None:
    told = ask(query)
    assert told.calls == []
    assert "至少写 2 个字" in told.outputs["advice"][0]["zh"]


@pytest.mark.parametrize("query", ["AI", "张总", " AI "])
def test_two_characters_are_enough(query: str) -> None:
    assert ask(query).outputs["advice"] == []


def test_every_failure_and_page_of_a_claim_counts_in_its_budget() -> None:
    hits = [
        {
            "url": f"https://site{number}.example/a",
            "title": "星河智能",
            "snippet": "星河智能降价了。",
            "published": None,
            "rank": number,
        }
        for number in range(1, 13)
    ]
    answers: Answers = {
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": hits, "error": None}]}}],
        "web.web_fetch": [{"fail": "page_unreachable"}],
        "reader.widen": [{"give": {"queries": []}}],
    }
    for depth, pages in (("quick", 3), ("standard", 6), ("deep", 10)):
        told = ask("星河智能降价了吗", answers, search_depth=depth, claims=[CLAIM])
        fetched = [call for call in told.calls if call.tool == "web.web_fetch"]
        assert len(fetched) == pages, depth
        assert told.partial is None
        assert told.outputs["claims"][0]["verdict"] == "insufficient_evidence"
        assert len(told.outputs["leads"]) == 12


def test_a_page_that_two_claims_need_is_fetched_once_and_costs_once() -> None:
    answers: Answers = {
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": [HIT], "error": None}]}}],
        "web.web_fetch": [{"give": PAGE}],
        "reader.judge": [{"give": {"findings": []}}],
    }
    told = ask("星河智能降价了吗", answers, claims=[CLAIM, {**CLAIM, "id": "b", "predicate": "涨价"}])
    assert len([call for call in told.calls if call.tool == "web.web_fetch"]) == 1
    assert sorted(one["pages"] for one in told.outputs["searches"]) == [0, 1]


@pytest.mark.parametrize("change", [{"access": "teaser"}, {"access": "blocked"}, {"text": "  "}])
def test_a_page_without_its_text_is_no_evidence(change: dict[str, Any]) -> None:
    hit = {**HIT, "snippet": "星河智能降价了。"}
    answers: Answers = {
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": [hit], "error": None}]}}],
        "web.web_fetch": [{"give": {**PAGE, **change}}],
        "reader.widen": [{"give": {"queries": []}}],
    }
    told = ask("星河智能降价了吗", answers, claims=[CLAIM])
    assert not any(call.tool == "reader.judge" for call in told.calls)
    assert told.outputs["claims"][0]["verdict"] == "insufficient_evidence"
    assert [one["url"] for one in told.outputs["leads"]] == [HIT["url"]]


FINAL = [
    ("https://www.galaxy-ai.example/out", "https://anyone.example/landing", 3),
    ("https://anyone.example/go", "https://www.galaxy-ai.example/landing", 1),
    ("https://stat.gov.example.anyone.example/a", "https://stat.gov.example/a", 1),
]


@pytest.mark.parametrize(("asked", "final", "tier"), FINAL)
def test_the_tier_is_that_of_the_final_address(asked: str, final: str, tier: int) -> None:
    """A link of the company leads to somebody else, and a link of somebody else to the company."""
    page = {**PAGE, "url": asked, "final_url": final}
    answers: Answers = {
        "web.batch_web_search": [
            {"give": {"answers": [{"query": "q", "hits": [{**HIT, "url": asked}], "error": None}]}}
        ],
        "web.web_fetch": [{"give": page}],
        "reader.judge": [{"give": {"findings": []}}],
        "reader.widen": [{"give": {"queries": []}}],
    }
    told = ask("星河智能降价了吗", answers, claims=[CLAIM], source_mode="web_only")
    assert [(one["url"], one["tier"]) for one in told.data["sources"]] == [(final, tier)]
    unit = next(call for call in told.calls if call.tool == "reader.judge").arguments["units"][0]
    finding = {"evidence_id": unit["evidence_id"], "stance": "supports", "covers": ["subject", "predicate"]}
    answers["reader.judge"] = [{"give": {"findings": [finding]}}]
    told = ask("星河智能降价了吗", answers, claims=[CLAIM], source_mode="web_only")
    assert [(one["url"], one["tier"]) for one in told.outputs["evidence"]["web"]] == [(final, tier)]
    assert (told.outputs["claims"][0]["verdict"] == "supported") == (tier == 1)


def test_a_subject_here_and_a_statement_there_do_not_cover_both() -> None:
    """Each passage is looked at alone: one names the subject, another says the statement of somebody else."""
    answers: Answers = {
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": [HIT], "error": None}]}}],
        "web.web_fetch": [{"give": {**PAGE, "text": "星河智能开会了。\n降价了。"}}],
        "reader.judge": [{"give": {"findings": []}}],
        "reader.widen": [{"give": {"queries": []}}],
    }
    told = ask("星河智能降价了吗", answers, claims=[CLAIM], source_mode="web_only")
    units = next(call for call in told.calls if call.tool == "reader.judge").arguments["units"]
    covers = (["subject"], ["predicate", "subject"])
    for second, points in ((["subject"], 18), (covers[1], 30)):
        findings = [
            {"evidence_id": one["evidence_id"], "stance": "supports", "covers": parts}
            for one, parts in zip(units, (["subject"], second), strict=True)
        ]
        answers["reader.judge"] = [{"give": {"findings": findings}}]
        told = ask("星河智能降价了吗", answers, claims=[CLAIM], source_mode="web_only")
        (verdict,) = told.outputs["claims"]
        assert verdict["reasons"][0]["points"] == points


def test_a_reader_that_judges_may_be_high_and_a_comparison_of_words_may_not() -> None:
    page = {**PAGE, "final_url": "https://stat.gov.example/a", "url": "https://stat.gov.example/a"}
    note = ONE_NOTE["notes.search_notes"]
    answers: Answers = {
        **ONE_NOTE,
        "notes.search_notes": note,
        "web.batch_web_search": [
            {"give": {"answers": [{"query": "q", "hits": [{**HIT, "url": page["url"]}], "error": None}]}}
        ],
        "web.web_fetch": [{"give": page}],
        "reader.judge": [{"give": {"findings": []}}],
        "reader.widen": [{"give": {"queries": []}}],
    }
    first = ask("星河智能降价了吗", answers, claims=[CLAIM])
    judged = [call.arguments["units"] for call in first.calls if call.tool == "reader.judge"]
    for made_by, level in ((None, "High"), ("compared_words", "Medium")):
        answers["reader.judge"] = [
            {
                "give": {
                    "findings": [
                        {"evidence_id": one["evidence_id"], "stance": "supports", "covers": ["subject", "predicate"]}
                        for one in units
                    ],
                    **({"made_by": made_by} if made_by else {}),
                }
            }
            for units in judged
        ]
        told = ask("星河智能降价了吗", answers, claims=[CLAIM])
        assert told.outputs["claims"][0]["confidence"] == level


@pytest.mark.parametrize("bound", ["since", "before"])
@pytest.mark.parametrize("value", ["soon", "2026-1-1", "2026-13-01", "2026-10-40T00:00:00Z", "昨天"])
def test_a_bound_that_is_no_time_gets_advice_and_nothing_is_searched(bound: str, value: str) -> None:
    told = ask("星河智能降价了吗", filters={bound: value})
    assert told.calls == []
    assert any(f"filters.{bound}" in one["zh"] for one in told.outputs["advice"])


@pytest.mark.parametrize("value", ["2026-10-01", "2026-10-01T00:00:00Z", "2026-10-01T09:00:00+08:00"])
def test_a_bound_is_a_day_or_an_instant(value: str) -> None:
    assert ask("星河智能降价了吗", filters={"since": value}).outputs["advice"] == []


ODD_TIMES = ["2026-99-99", "soon", "7d", " 7d        ", "", "昨天", "0001-01-01T00:00:00+14:00", "9999-12-31T23:30:00Z"]


@pytest.mark.parametrize("value", [one for one in ODD_TIMES if one])
def test_a_now_that_is_no_time_gets_one_advice_and_nothing_is_searched(value: str) -> None:
    told = ask("最近三天星河智能降价了吗", now=value)
    assert told.calls == []
    (advice,) = told.outputs["advice"]
    for words in (advice["zh"], advice["en"]):
        assert "now" in words
        assert "2026-10-20T09:00:00Z" in words
    assert value not in told.outputs["searched_at"]


def test_a_now_may_be_a_day() -> None:
    window = ask("最近三天星河智能的价格", now="2026-10-20").data["windows"][0]
    assert (window["start"][:10], window["end"][:10]) == ("2026-10-17", "2026-10-20")


@pytest.mark.parametrize("value", ODD_TIMES)
@pytest.mark.parametrize("edge", ["start", "end"])
def test_a_claim_with_a_time_that_is_none_gets_advice_and_nothing_is_searched(edge: str, value: str) -> None:
    scope = {"start": "2026-10-01", "end": "2026-10-20", edge: value}
    told = ask("星河智能降价了吗", claims=[{**CLAIM, "time_scope": scope}])
    assert told.calls == []
    assert f"claims[0].time_scope.{edge}" in told.outputs["advice"][0]["zh"]


@pytest.mark.parametrize("inputs", [
    {"filters": {"since": "2026-10-20", "before": "2026-10-01"}},
    {"claims": [{**CLAIM, "time_scope": {"start": "2026-10-20", "end": "2026-10-01"}}]},
])  # fmt: skip
def test_a_time_that_ends_before_it_begins_gets_advice(inputs: dict[str, Any]) -> None:
    told = ask("近半年星河智能价格的趋势", **inputs)
    assert told.calls == []
    assert "早于开始" in told.outputs["advice"][0]["zh"]


@pytest.mark.parametrize("query", ["星河智能降价了吗", "上周星河智能降价了吗", "近半年星河智能价格的趋势"])
@pytest.mark.parametrize("value", ODD_TIMES)
def test_a_time_of_a_model_that_cannot_be_read_is_unknown_and_that_is_said(query: str, value: str) -> None:
    scope = {"start": value, "end": "2026-10-20T00:00:00Z"}
    answer = {"task_type": "trend", "claims": [{**CLAIM, "time_scope": scope}]}
    told = ask(query, {"reader.decompose": [{"give": answer}]})
    assert told.status == "completed", told.finding
    for claim in told.data["subclaims"]:
        scope = claim["time_scope"] or {}
        window = told.data["windows"][0] if told.data["windows"] else {}
        assert (scope.get("start"), scope.get("end")) == (window.get("start"), window.get("end"))
    assert any("读不懂" in one["zh"] or "没有由语言模型拆分" in one["zh"] for one in told.data["assumptions"])


@pytest.mark.parametrize("value", ODD_TIMES)
@pytest.mark.parametrize("query", ["最新的星河智能价格", "上周星河智能降价了吗", "近半年星河智能价格的趋势"])
def test_a_source_with_a_time_that_is_none_has_an_unknown_time(query: str, value: str) -> None:
    note = {**NOTE, "update_time": value}
    answers: Answers = {
        **ONE_NOTE,
        "notes.search_notes": [{"give": {"notes": [note], "meta": {"total": 1, "has_more": False}}}],
        "notes.get_note_outline": [{"fail": "NOTE_NOT_FOUND"}],
        "web.batch_web_search": [
            {"give": {"answers": [{"query": "q", "hits": [{**HIT, "published": value}], "error": None}]}}
        ],
        "web.web_fetch": [{"give": {**PAGE, "published": value}}],
        "reader.judge": [{"give": {"findings": []}}],
    }
    told = ask(query, answers, claims=[CLAIM])
    assert told.status == "completed", told.finding
    assert [one["published"] for one in told.data["sources"]] == ["", ""]


# --- facets -----------------------------------------------------------------------------------------------------------

PERSON = ["contact_data", "recent_contact", "projects", "team", "preferences"]
PROJECT = ["goal", "milestones", "resources", "dependencies", "owner", "risks", "weekly_reports"]
TOPIC = ["approach", "work_record", "test_data", "meetings", "best_practice", "tools"]
FACETS = [
    ("深度搜索：张总", PERSON),
    ("帮我深挖李经理相关的所有信息", PERSON),
    ("bring together everything about Dr. Lane", PERSON),
    ("关联查询 ABC项目", PROJECT),
    ("我要写北极星这季度复盘，帮我串一串", PROJECT),
    ("全面梳理前端性能优化相关的内容", TOPIC),
    ("深挖一下张总的前端项目", PERSON),
    ("深挖一下旅行的所有信息", []),
    ("汇总", []),
    ("张总是总经理吗", []),
    ("帮我把所有笔记里没做完的待办汇总一下", []),
]


@pytest.mark.parametrize(("query", "facets"), FACETS, ids=[row[0] for row in FACETS])
def test_each_facet_of_what_is_asked_about_is_searched_on_its_own(query: str, facets: list[str]) -> None:
    told = ask(query, source_mode="notes_only")
    assert [one["facet"] for one in told.outputs["facets"]] == facets
    searched = {call.arguments.get("keyword") for call in told.calls if call.tool == "notes.search_notes"}
    for facet in told.outputs["facets"]:
        assert facet["searched"]
        assert set(facet["searched"]) <= searched
        assert facet["found"] == []
    assert told.outputs["search_dimensions"][-len(facets) :] == facets if facets else True


ALIASES = [
    ("张总（张敬之）", "张敬之"),
    ("张敬之(张总)", "张敬之"),
    ("张总（张敬之，总经理）", "张敬之"),
    ("张总（草稿）", None),
    ("张总（总经理）", None),
    ("张总 - 纪要", None),
    ("预算（张敬之）", None),
    ("张总（一段很长很长很长很长很长很长很长很长很长的备注）", None),
]


@pytest.mark.parametrize(("title", "alias"), ALIASES)
def test_another_name_in_the_title_of_a_note_is_followed(title: str, alias: str | None) -> None:
    found = {"notes": [{**NOTE, "title": title}], "meta": {"total": 1, "has_more": False}}
    answers: Answers = {"notes.search_notes": [{"give": found}], "notes.search_note_content": [{"give": {"hits": []}}]}
    answers["notes.get_note_outline"] = [{"fail": "NOTE_NOT_FOUND"}]
    told = ask("深度搜索：张总", answers, source_mode="notes_only")
    searched = {str(call.arguments.get("keyword")) for call in told.calls if call.tool == "notes.search_notes"}
    assert told.data["plans"][0]["names"] == (["张总", alias] if alias else ["张总"])
    assert {one.split()[0] for one in searched} == ({"张总", alias} if alias else {"张总"})
    assert any("也叫" in one["zh"] for one in told.data["assumptions"]) == bool(alias)


def test_a_block_that_is_gone_meanwhile_leads_to_the_whole_note() -> None:
    whole = {
        "title": "星河智能",
        "word_count": 8,
        "content": "",
        "blocks": [BLOCK],
        "truncated": False,
        "has_more": False,
    }
    outline = {
        "title": "x",
        "word_count": 8,
        "block_count": 1,
        "size_category": "small",
        "blocks": [],
        "has_more": False,
    }
    answers: Answers = {
        **ONE_NOTE,
        "notes.read_blocks": [{"fail": "BLOCK_NOT_FOUND"}],
        "notes.get_note_outline": [{"give": outline}],
        "notes.read_note": [{"give": whole}],
        "reader.judge": [{"give": {"findings": []}}],
    }
    told = ask("星河智能降价了吗", answers, claims=[CLAIM], source_mode="notes_only")
    assert [call.arguments["units"][0]["text"] for call in told.calls if call.tool == "reader.judge"] == [BLOCK["text"]]


def test_what_may_be_repeated_is_tried_three_times() -> None:
    failing = [{"fail": "EDITOR_NOT_READY"}, {"fail": "EDITOR_NOT_READY"}, ONE_NOTE["notes.search_notes"][0]]
    answers: Answers = {**ONE_NOTE, "notes.search_notes": failing, "reader.judge": [{"give": {"findings": []}}]}
    told = ask("星河智能降价了吗", answers, claims=[CLAIM], source_mode="notes_only")
    assert told.outputs["not_done"] == []
    assert sum(told.pauses) == 1.0 + 2.0


WEEK_9, LAST_WEEK = ("2024-02-26", "2024-03-04"), ("2026-10-12", "2026-10-19")
YEAR_2025, YEAR_2026 = ("2025-01-01", "2026-01-01"), ("2026-01-01", "2027-01-01")
#: A title, when the note was changed or the page published, what it says, the time that is asked for, and what it is.
TIMES_TOLD = [
    ("note", "采购", "2024-03-08T16:00:00Z", "上周星河智能降价了。", WEEK_9, "inside"),
    ("note", "采购", "2024-03-08T16:00:00Z", "上周星河智能降价了。", LAST_WEEK, "outside"),
    ("note", "周会 2026-10-12", "2026-10-12T16:00:00Z", "上周星河智能降价了。", LAST_WEEK, "outside"),
    ("note", "周会 2024-03-08", "2026-10-12T16:00:00Z", "上周星河智能降价了。", WEEK_9, "inside"),
    ("note", "2025年采购", "2026-10-12T16:00:00Z", "星河智能降价了。", YEAR_2025, "inside"),
    ("page", "2025年价格", "2026-01-20", "星河智能降价了。", YEAR_2026, "outside"),
    ("page", "2025年价格", "2026-01-20", "星河智能降价了。", YEAR_2025, "inside"),
    ("page", "2025年价格", "2026-01-20", "2026年1月星河智能降价了。", YEAR_2025, "outside"),
    ("page", "价格", "2026-10-16", "星河智能降价了，比2025年低一成。", YEAR_2026, "inside"),
    ("page", "价格", "2026-10-16", "星河智能降价了，比2025年低一成。", YEAR_2025, "outside"),
    ("page", "价格", "2026-10-16", "2025年星河智能降价了。", YEAR_2026, "outside"),
]


@pytest.mark.parametrize(("kind", "title", "at", "text", "scope", "in_time"), TIMES_TOLD)
def test_a_relative_word_in_a_note_counts_from_the_time_of_the_note(
    kind: str, title: str, at: str, text: str, scope: tuple[str, str], in_time: str
) -> None:
    """What is told has the time that it names, else that of its title; 上周 in a note of March 2024 is of that time."""
    note, page = {**NOTE, "title": title, "update_time": at}, {**PAGE, "title": title, "published": at, "text": text}
    answers: Answers = {
        **ONE_NOTE,
        "notes.search_notes": [{"give": {"notes": [note], "meta": {"total": 1, "has_more": False}}}],
        "notes.read_blocks": [{"give": {"blocks": [{**BLOCK, "text": text}]}}],
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": [HIT], "error": None}]}}],
        "web.web_fetch": [{"give": page}],
        "reader.judge": [{"give": {"findings": []}}],
    }
    claims = [{**CLAIM, "time_scope": {"start": scope[0], "end": scope[1]}}]
    mode = "notes_only" if kind == "note" else "web_only"
    first = ask("星河智能降价了吗", answers, claims=claims, source_mode=mode)
    unit = next(call for call in first.calls if call.tool == "reader.judge").arguments["units"][0]
    finding = {"evidence_id": unit["evidence_id"], "stance": "supports", "covers": ["subject", "predicate"]}
    answers["reader.judge"] = [{"give": {"findings": [finding]}}]
    told = ask("星河智能降价了吗", answers, claims=claims, source_mode=mode)
    assert [one["in_time"] for one in told.data["evidence"]] == [in_time]


def test_a_claim_that_names_its_time_is_about_that_time() -> None:
    quarter = {**CLAIM, "predicate": "2026年第三季度降价"}
    effect = {**CLAIM, "predicate": "新价自2026年12月1日起生效"}
    told = ask("星河智能降价了吗", {**SILENT}, claims=[quarter, effect], source_mode="notes_only")
    third, begins = (one["time_scope"] for one in told.outputs["claims"])
    assert (third["start"][:10], third["end"][:10]) == ("2026-07-01", "2026-10-01")
    assert begins is None


def test_wherever_a_search_is_killed_it_goes_on_and_ends_alike() -> None:
    answers: Answers = {
        **SILENT,
        **ONE_NOTE,
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": [HIT], "error": None}]}}],
        "web.web_fetch": [{"give": PAGE}],
        "reader.judge": [{"give": {"findings": []}}],
        "reader.widen": [{"give": {"queries": []}}],
    }
    body = {
        "inputs": {"query": "星河智能降价了吗", "now": NOW, "claims": [CLAIM]},
        "answers": answers,
        "language": "zh",
    }
    case = case_of("deep", program(), body)
    journal = MemoryJournal()
    whole = run_case(case, journal)
    assert whole.status == "completed"
    for number, (cut, _) in enumerate(prefixes(case, journal)):
        if number % 4 == 0:
            again = run_case(case, cut)
            assert again.end() == whole.end(), number
            assert len(again.calls) <= len(whole.calls)
