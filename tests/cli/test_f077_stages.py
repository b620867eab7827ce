"""The stages of the candidate analysis with a scripted model, one after another."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.records.store import seal
from rules.values import dumps
from tests.cli.f077_kit import (
    FIRST,
    SPEC,
    SYNTHESIS,
    UNIT,
    Analysis,
    Done,
    Ids,
    Json,
    answer,
    blocks_of,
    fields,
    first_of,
    of_chunk,
    screening,
    synthesis,
    write_record,
)
from tests.cli.kit import Command
from tests.servers.kit import ModelServer

SMALL = ("--set", "f077_limits.chunk_bytes=500")
#: So much text that two such fields do not fit in one chunk of 500 bytes.
LONG = "长" * 130
PARTS = {"主管部门": f"市商务局。{LONG}", "支持标准": f"每户 5000 元。{LONG}", "申报条件": f"登记满一年。{LONG}"}
#: How one more try is told to change nothing else.
QUIET = {"rerank": False}


@pytest.fixture
def analysis(command: Command, shared_model_server: ModelServer, tmp_path: Path) -> Analysis:
    shared_model_server.log.write_text("", "utf-8")
    shared_model_server.answers()
    return Analysis(command, shared_model_server, tmp_path / "records")


def relevant(ids: Ids, title: str, path: str, **parts: Any) -> Json:
    return answer(**{"relevant": True, "explanation": f"ABOUT {path}", "citations": [ids.policy(title, path)], **parts})


def whole(ids: Ids, title: str) -> Json:
    """Return a rule for a record of one chunk whose analysis holds."""
    card = {"support_standard": {"text": "STANDARD", "citations": [ids.policy(title, "支持标准")]}}
    return {"when": of_chunk(title), "give": {"json": relevant(ids, title, "支持标准", card=card)}}


def single(analysis: Analysis, *records: str, **head: Any) -> None:
    for record in records:
        analysis.write(record, f"办法 {record}", fields(主管部门="市商务局。", 支持标准="每户 5000 元。"), **head)


# --- loading ----------------------------------------------------------------------------------------------------------

BROKEN: dict[str, Callable[[Path], object]] = {
    "record_hash_mismatch": lambda folder: (folder / "1.md").write_text("# 支持标准\n每户 6000 元。\n", "utf-8"),
    "record_segments_incomplete": lambda folder: (folder / "1.md").unlink(),
    "record_encoding": lambda folder: (folder / "1.md").write_bytes("# 支持标准\n每户".encode("gb18030")),
    "record_unreadable": lambda folder: (folder / "record.yaml").write_text("title: [", "utf-8"),
}


@pytest.mark.parametrize("code", first_of(BROKEN, BROKEN, 2))
def test_a_record_that_does_not_add_up_fails_with_its_own_code_and_the_rest_goes_on(
    analysis: Analysis, code: str
) -> None:
    single(analysis, "good", "bad")
    ids = analysis.ids
    BROKEN[code](analysis.records / "bad")
    analysis.server.answers(whole(ids, "办法 good"), synthesis([1]))
    done = analysis.run(inputs={**QUIET, "record_ids": ["bad", "good", "nowhere"]})
    bad = done.candidate("bad")
    assert (bad["status"], bad["analysis_errors"], bad["chunk_count"]) == ("failed", [code], None)
    assert done.candidate("nowhere")["analysis_errors"] == ["record_not_found"]
    assert done.used() == ["good"]
    assert done.status == 5
    assert ["完整读取一部分记录" in notice["zh"] for notice in done.summary["notices"]] == [True]
    assert not [prompt for prompt in analysis.server.prompts() if '"title"\n办法 bad\n' in prompt]


ODD: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "a segment too few": ("record_segments_incomplete", ("一",), {"segments": 20_000}),
    "a segment too many is never read": ("", ("# 支持标准\n一", "二"), {"segments": 1, "sha256": "FIRST"}),
    "an empty segment": ("", ("# 支持标准\n一", "", "二"), {}),
    "no text": ("record_empty", ("\ufeff \n\n",), {}),
    "no title": ("record_title_unfit", ("一",), {"title": " "}),
    "a title longer than a field": ("record_title_unfit", ("一",), {"title": "长" * 1001}),
    "too long": ("record_too_large", ("长" * 1001,), {}),
}


@pytest.mark.parametrize(("code", "segments", "head"), first_of(ODD.values(), ODD))
def test_an_odd_record_spoils_nothing_for_the_others(
    analysis: Analysis, code: str, segments: tuple[str, ...], head: dict[str, Any]
) -> None:
    single(analysis, "good")
    analysis.server.answers(whole(analysis.ids, "办法 good"), synthesis([1]), otherwise={"json": answer()})
    title = head.get("title", "怪办法")
    if head.get("sha256") == "FIRST":
        head = {**head, "sha256": seal(title, segments[0])}
    write_record(
        analysis.records, "odd", title, *segments, **{key: value for key, value in head.items() if key != "title"}
    )
    small = ("--set", "f077_limits.record_characters=1000")
    done = analysis.run(*small, inputs={**QUIET, "record_ids": ["odd", "good"]})
    assert done.used() == ["good"]
    assert done.candidate("odd")["analysis_errors"] == ([code] if code else [])


def test_a_changed_title_is_a_wrong_hash_too(analysis: Analysis) -> None:
    single(analysis, "bad")
    head = analysis.records / "bad" / "record.yaml"
    head.write_text(head.read_text("utf-8").replace("办法 bad", "办法 good"), "utf-8")
    done = analysis.run(inputs={**QUIET, "record_ids": ["bad"]})
    assert done.candidate("bad")["analysis_errors"] == ["record_hash_mismatch"]


def test_candidates_are_counted_by_whole_record_and_at_most_twelve(analysis: Analysis) -> None:
    for number in range(14):
        analysis.write(f"r{number:02}", f"办法 {number}", *[fields(支持标准="QUESTION 词")] * 3)
    analysis.server.answers(otherwise={"json": answer()})
    done = analysis.run(inputs=QUIET)
    found = [one["record_id"] for one in done.recommendation["candidate_diagnostics"]]
    assert len(found) == len(set(found)) == 12
    assert len(analysis.server.requests) == 12


def test_segments_are_read_to_the_last_page_and_put_together_in_order(analysis: Analysis) -> None:
    pieces = [f"第{number}段，" for number in range(11)]
    analysis.write("many", "分段的办法", "# 支持标准\n", *pieces)
    analysis.server.answers(otherwise={"json": answer()})
    done = analysis.run(inputs={**QUIET, "record_ids": ["many"]})
    assert done.status == 0
    assert "".join(pieces) in analysis.server.prompts()[0]


@pytest.mark.long
def test_a_folder_that_is_none_is_told_before_anything_runs(analysis: Analysis) -> None:
    analysis.records.rmdir()
    analysis.records.write_text("", "utf-8")
    refused = analysis.command(*analysis.words("--json"))
    assert (refused.status, refused.code) == (2, "tool/adapter-refused")


def test_a_search_that_fails_is_not_the_lack_of_a_policy(analysis: Analysis, tmp_path: Path) -> None:
    profile = tmp_path / "broken.yaml"
    answers = "{records.*: {adapter: compute, answer: {hits: 7}}, analyst.*: {adapter: compute, answer: {}}}"
    profile.write_text(f"profile: broken\ntools: {answers}\n", "utf-8")
    told = ("--input", "need=QUESTION", "--run-id", "one", "--json")
    done = Done(analysis.command("run", str(SPEC), "--profile", str(profile), *told))
    assert done.recommendation["query_failed"] is True
    assert "Not completed: the search." in done.summary["text"]
    assert "does not mean that there is no such policy" in done.summary["text"]
    assert (done.summary["kind"], done.status) == ("nothing_usable", 5)


# --- screening --------------------------------------------------------------------------------------------------------


def test_a_weak_or_irrelevant_candidate_is_dropped_and_the_rest_goes_on_with_level_and_reason(
    analysis: Analysis,
) -> None:
    levels = {"strong": "strong", "related": "related", "weak": "weak", "irrelevant": "irrelevant"}
    for level in levels:
        single(analysis, level, summary="S")
    single(analysis, "guarded", summary="S", protected=True)
    single(analysis, "plain")
    single(analysis, "silent", summary="S")
    analysis.server.answers(screening(**levels, guarded="irrelevant", plain="irrelevant"), otherwise={"json": answer()})
    done = analysis.run(inputs={"record_ids": [*levels, "guarded", "plain", "silent"]})
    found = {one["record_id"]: one["screening"] for one in done.recommendation["candidate_diagnostics"]}
    assert {record: (one["keep"], one["reason"], one.get("level")) for record, one in found.items()} == {
        "strong": (True, "level", "strong"),
        "related": (True, "level", "related"),
        "weak": (False, "level", "weak"),
        "irrelevant": (False, "level", "irrelevant"),
        "guarded": (True, "protected", None),
        "plain": (True, "no_summary", None),
        "silent": (True, "screening_failed", None),
    }
    assert found["weak"]["said"] == "because"
    shown = {words[0]: " ".join(words[1:]) for words in map(str.split, done.ended.err.splitlines()) if words}
    assert shown["weak"] == "screened out no - weakly related"
    assert shown["strong"] == "complete no 1 unrelated to the question"
    asked = analysis.server.requests[0]["body"]["messages"][-1]["content"]
    assert '"strong"' in asked
    assert '"guarded"' not in asked
    assert '"plain"' not in asked


@pytest.mark.parametrize(
    "give",
    first_of(
        [
            {"status": 500, "raw": "no", "type": "text/plain"},
            {"text": "prose"},
            {"json": {"levels": [{"level": "weak"}]}},
        ],
        ["no answer", "prose", "another form"],
    ),
)
def test_a_screening_that_fails_drops_nobody_and_is_not_repeated(analysis: Analysis, give: Json) -> None:
    single(analysis, "one", summary="S")
    analysis.server.answers({"when": {"system_contains": "You screen"}, "give": give}, otherwise={"json": answer()})
    done = analysis.run(inputs={"record_ids": ["one"]})
    assert done.candidate("one")["screening"]["reason"] == "screening_failed"
    assert done.candidate("one")["status"] == "complete"
    assert len(analysis.server.requests) == 2


@pytest.mark.long
def test_two_levels_for_one_record_are_none(analysis: Analysis) -> None:
    single(analysis, "one", summary="S")
    levels = [{"record_id": "one", "level": level, "reason": "r"} for level in ("strong", "irrelevant")]
    rule = {"when": {"system_contains": "You screen"}, "give": {"json": {"levels": levels}}}
    analysis.server.answers(rule, otherwise={"json": answer()})
    assert analysis.run(inputs={"record_ids": ["one"]}).candidate("one")["screening"]["reason"] == "screening_failed"


def test_screening_can_be_switched_off(analysis: Analysis) -> None:
    single(analysis, "one", summary="S")
    analysis.server.answers(otherwise={"json": answer()})
    done = analysis.run(inputs={**QUIET, "record_ids": ["one"]})
    assert done.candidate("one")["screening"]["reason"] == "screening_off"
    assert len(analysis.server.requests) == 1


# --- chunks -----------------------------------------------------------------------------------------------------------


def test_a_long_field_is_cut_and_chunks_hold_at_most_so_many_bytes(analysis: Analysis) -> None:
    analysis.write("one", "长办法", fields(支持标准="句子有十个字呢好。" * 250))
    analysis.server.answers(otherwise={"json": answer()})
    done = analysis.run(inputs={**QUIET, "record_ids": ["one"]})
    chunks = [[unit["text"] for unit in UNIT.finditer(prompt)] for prompt in analysis.server.prompts()]
    assert max(len(text) for texts in chunks for text in texts) <= 1000
    assert all(sum(len(text.encode()) for text in texts) <= 4000 for texts in chunks)
    assert done.candidate("one")["chunk_count"] == len(chunks) == 2


def test_a_record_with_more_chunks_than_the_caller_allows_is_refused_with_its_real_count(analysis: Analysis) -> None:
    analysis.write("big", "大办法", fields(**PARTS))
    single(analysis, "good")
    ids = analysis.ids
    analysis.server.answers(whole(ids, "办法 good"), synthesis([1]))
    done = analysis.run(*SMALL, inputs={**QUIET, "record_ids": ["big", "good"], "max_chunks": 2})
    big = done.candidate("big")
    assert (big["status"], big["chunk_count"], big["analysis_errors"]) == ("failed", 3, ["too_many_chunks"])
    assert not [prompt for prompt in analysis.server.prompts() if "大办法" in prompt]
    assert done.used() == ["good"]
    assert done.status == 5


@pytest.mark.parametrize(
    ("title", "paragraphs"),
    first_of(
        [("小微企业办法", ["行"] * 800), ("长" * 300, ["补助一百元。"] * 150), ("办法", ["| 一 | 2 |\n"] * 900)],
        ["words", "a long title", "rows"],
    ),
)
def test_however_short_its_passages_are_a_chunk_fits_in_a_call_and_in_a_repeated_one(
    analysis: Analysis, title: str, paragraphs: list[str]
) -> None:
    analysis.write("one", title, "# 支持标准\n" + "\n\n".join(f"{nth}{text}" for nth, text in enumerate(paragraphs)))
    analysis.server.answers({"when": FIRST, "give": {"json": answer(citations=["p-0"])}}, otherwise={"json": answer()})
    done = analysis.run(inputs={**QUIET, "record_ids": ["one"]})
    found = done.candidate("one")
    assert (found["status"], found["analysis_errors"]) == ("complete", [])
    assert len(analysis.server.requests) == 2 * found["chunk_count"]
    read = {unit["text"] for prompt in analysis.server.prompts() for unit in UNIT.finditer(prompt)}
    assert len(read) == 1 + len(paragraphs)


def test_every_unit_stands_at_its_place_in_its_own_record(analysis: Analysis) -> None:
    """Other records hold the same texts elsewhere, or are one of them; one repeats its title."""
    texts = {
        "line": "每户 5000 元。",
        "twice": "# 支持标准\n每户 5000 元。\n\n# 例外\n每户 5000 元。\n",
        "titled": "# 目的\n按照办法 titled 办理。\n\n# 支持标准\n每户 5000 元。\n",
        "longer": "前言。\n\n# 支持标准\n每户 5000 元。\n\n# 例外\n每户 5000 元。\n\n按照办法 titled 办理。\n",
    }
    for record, text in texts.items():
        analysis.write(record, f"办法 {record}", text)
    analysis.server.answers(otherwise={"json": answer()})
    inputs = {**QUIET, "record_ids": list(texts), "subject": [{"path": "x", "text": "每户 5000 元。"}]}
    analysis.run(inputs=inputs)
    found = json.loads(analysis.command("show", "one", "--evidence", "--json").out)["evidence"]
    policy = [unit for unit in found if unit["side"] == "policy"]
    assert len(policy) == 4 + 1 + 2 + 2 + 4
    for unit in policy:
        record = unit["source"]["id"]
        whole = f"办法 {record}" if unit["path"] == "title" else texts[record]
        assert whole[unit["offset"] : unit["offset"] + len(unit["text"])] == unit["text"]
    assert len({(unit["source"]["id"], unit["path"] == "title", unit["offset"]) for unit in policy}) == len(policy)


@pytest.mark.long
def test_without_a_limit_of_the_caller_there_is_none(analysis: Analysis) -> None:
    text = "".join(f"# 第 {number} 节\n{LONG}\n\n" for number in range(40))
    analysis.write("big", "大办法", text)
    analysis.server.answers(otherwise={"json": answer()})
    done = analysis.run(*SMALL, inputs={**QUIET, "record_ids": ["big"]})
    assert done.candidate("big")["chunk_count"] == 40
    assert [one["chunk_index"] for one in done.candidate("big")["analyses"]] == list(range(40))


def test_an_input_over_the_budget_of_one_call_is_not_sent(analysis: Analysis) -> None:
    single(analysis, "one")
    done = analysis.run(
        *("--set", "f077_limits.chunk_input_bytes=4000"),
        inputs={**QUIET, "record_ids": ["one"], "need": "问" * 3000},
    )
    assert analysis.server.requests == []
    assert done.candidate("one")["failed_chunks"] == [{"chunk_index": 0, "code": "input_over_budget"}]


@pytest.mark.long
def test_a_repeated_call_that_would_break_the_budget_is_not_made(analysis: Analysis) -> None:
    single(analysis, "one")
    analysis.server.answers(otherwise={"json": answer(citations=["p-0000000000"])})
    done = analysis.run(*("--set", "f077_limits.chunk_input_bytes=6000"), inputs={**QUIET, "record_ids": ["one"]})
    assert len(analysis.server.requests) == 1
    assert done.candidate("one")["failed_chunks"] == [{"chunk_index": 0, "code": "invalid_evidence_id"}]


# --- merging ----------------------------------------------------------------------------------------------------------


def of_parts(analysis: Analysis, *answers: Callable[[Ids], Json]) -> Done:
    """Return what came of a record of three chunks that are answered so."""
    analysis.write("three", "三块办法", fields(**PARTS))
    ids = analysis.ids
    rules = [
        {"when": of_chunk("三块办法", part), "give": {"json": says(ids)}} for part, says in enumerate(answers, start=1)
    ]
    analysis.server.answers(*rules, synthesis([1]))
    return analysis.run(*SMALL, inputs={**QUIET, "record_ids": ["three"]})


def part(path: str, field: str | None, text: str = "TEXT", **parts: Any) -> Callable[[Ids], Json]:
    def says(ids: Ids) -> Json:
        one = ids.policy("三块办法", path)
        card = {field: {"text": text, "citations": [one]}} if field is not None else None
        return relevant(ids, "三块办法", path, **{"card": card, **parts})

    return says


def test_fields_of_one_name_are_merged_without_a_further_call(analysis: Analysis) -> None:
    done = of_parts(
        analysis,
        part("主管部门", "department", "DEPARTMENT"),
        part("支持标准", "support_standard", "FIRST"),
        part("申报条件", "support_standard", "SECOND"),
    )
    (item,) = done.recommendation["items"]
    card = item["card"]
    assert card["name"]["text"] == "三块办法"
    assert card["department"]["text"] == "DEPARTMENT"
    assert card["support_standard"]["text"] == "FIRST\nSECOND"
    assert [one["path"] for one in card["support_standard"]["citations"]] == ["支持标准", "申报条件"]
    assert card["conditions"] is None
    assert len(analysis.server.requests) == 3 + 1


def test_the_merged_card_stands_on_the_first_relevant_analysis_and_fragments_are_kept(analysis: Analysis) -> None:
    done = of_parts(
        analysis,
        part("主管部门", "department", relevant=False, citations=[]),
        part("支持标准", "support_standard"),
        part("申报条件", None),
    )
    analyses = done.candidate("three")["analyses"]
    assert [one["card"] is not None for one in analyses] == [False, True, False]
    assert [sorted(one["card_evidence"] or {}) for one in analyses] == [["department"], ["support_standard"], []]
    assert [one["chunk_index"] for one in analyses] == [0, 1, 2]


@pytest.mark.long
def test_fragments_without_standard_and_conditions_make_no_card(analysis: Analysis) -> None:
    done = of_parts(analysis, part("主管部门", "department"), part("支持标准", "audience"), part("申报条件", None))
    assert done.candidate("three")["status"] == "complete"
    assert done.recommendation["items"][0]["card"] is None


def named(path: str, quote: str) -> Callable[[Ids], Json]:
    def says(ids: Ids) -> Json:
        one = ids.policy("三块办法", path)
        name = {"text": quote, "citations": [{"path": path, "quote": quote}]}
        return relevant(
            ids, "三块办法", path, card={"name": name, "support_standard": {"text": "T", "citations": [one]}}
        )

    return says


def test_names_in_conflict_are_never_merged_into_one(analysis: Analysis) -> None:
    done = of_parts(analysis, named("主管部门", "市商务局"), named("支持标准", "每户"), part("申报条件", "conditions"))
    found = done.candidate("three")
    assert (found["status"], found["failed_chunks"]) == ("partial", [])
    assert found["analysis_errors"] == ["card_name_conflict"]
    assert done.used() == []
    (partial,) = done.recommendation["partial_answers"]
    assert len(partial["citations"]) == 3
    assert all(one["card"] is None for one in found["analyses"])


@pytest.mark.parametrize("failing", first_of([0, 2], ["early", "late"]))
def test_a_failed_chunk_bars_the_candidate_and_the_other_chunks_go_on(analysis: Analysis, failing: int) -> None:
    wrong: Callable[[Ids], Json] = lambda ids: answer(citations=["p-0000000000"])  # noqa: E731
    parts = [part("主管部门", "department"), part("支持标准", "support_standard"), part("申报条件", "conditions")]
    parts[failing] = wrong
    done = of_parts(analysis, *parts)
    found = done.candidate("three")
    assert found["status"] == "partial"
    assert found["failed_chunks"] == [{"chunk_index": failing, "code": "invalid_evidence_id"}]
    assert [one["chunk_index"] for one in found["analyses"]] == [one for one in range(3) if one != failing]
    assert done.summary["synthesised"] is False
    assert not [one for one in analysis.server.requests if SYNTHESIS in one["body"]["messages"][0]["content"]]
    (partial,) = done.recommendation["partial_answers"]
    assert (partial["record_id"], partial["status"]) == ("three", "partial_evidence_only")


# --- putting together -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    first_of(
        [
            {"made_by": "MODEL SAYS A PERSON CHECKED ALL OF IT"},
            {"statements": [{"text": " ", "sources": [1]}]},
            {"statements": [{"text": "\u3000\u200b。", "sources": [1]}]},
            {"statements": [{"text": "SYNTHESIS", "sources": [1]}, {"text": "…", "sources": [1]}]},
            {"highlights": [{"text": "——", "sources": [1]}]},
        ],
        ["who made it", "blanks", "what is not seen", "one of two", "a highlight"],
    ),
)
def test_a_model_says_neither_nothing_nor_how_the_text_was_made(analysis: Analysis, change: dict[str, Any]) -> None:
    single(analysis, "good")
    rule = synthesis([1])
    rule["give"]["json"].update(change)
    analysis.server.answers(whole(analysis.ids, "办法 good"), rule)
    done = analysis.run(inputs={**QUIET, "record_ids": ["good"]})
    assert done.summary["synthesised"] is False
    assert done.summary["made_by"] == []
    assert "MODEL SAYS" not in json.dumps(done.summary, ensure_ascii=False)


def test_what_is_said_twice_is_told_once(analysis: Analysis) -> None:
    single(analysis, "good")
    rule = synthesis([1])
    said = rule["give"]["json"]
    said.update({name: [*said[name], *said[name]] for name in said})
    analysis.server.answers(whole(analysis.ids, "办法 good"), rule)
    done = analysis.run(inputs={**QUIET, "record_ids": ["good"]})
    told = {name: len(done.summary[name]) for name in said}
    assert told == dict.fromkeys(said, 1)
    assert done.summary["text"] == "SYNTHESIS"


def syntheses(analysis: Analysis) -> list[Json]:
    return [one for one in analysis.server.requests if SYNTHESIS in one["body"]["messages"][0]["content"]]


def two_batches(
    analysis: Analysis, *rules: Json, more: tuple[str, ...] = (), need: str = "QUESTION", run_id: str = "one"
) -> Done:
    """Return what came of two records that are put together in batches of one each."""
    for record in ("one", "two"):
        texts = fields(主管部门="市商务局。", 支持标准=f"每户 5000 元。{LONG * 4}")
        analysis.write(record, f"办法 {record}", texts)
    ids = analysis.ids
    analysis.server.answers(whole(ids, "办法 one"), whole(ids, "办法 two"), *rules)
    small = ("--set", "f077_limits.synthesis_batch_bytes=2000")
    return analysis.run(*small, *more, inputs={**QUIET, "record_ids": ["one", "two"], "need": need}, run_id=run_id)


OF_ONE, OF_TWO = {"contains": '"办法 one"'}, {"contains": '"办法 two"'}


def test_one_text_where_it_fits_and_batches_where_it_does_not(analysis: Analysis) -> None:
    done = two_batches(analysis, synthesis([1], when=OF_ONE), synthesis([3], when=OF_TWO))
    assert [list(blocks_of(one)) for one in syntheses(analysis)] == [["办法 one"], ["办法 two"]]
    assert [one["sources"] for one in done.summary["statements"]] == [[1], [3]]
    assert done.summary["diagnostics"] == {"source_repair_attempts": 0, "batches": 2, "codes": []}
    assert done.summary["next_actions"] == ["ACT"]
    assert done.status == 0
    assert [one["number"] for one in done.summary["sources"]] == [1, 2, 3, 4]


@pytest.mark.parametrize("wrong", first_of([[3], [], [1, 99]], ["of another batch", "none", "one too many"]))
def test_a_batch_with_sources_it_may_not_use_is_made_once_more_and_alone(analysis: Analysis, wrong: list[int]) -> None:
    done = two_batches(
        analysis, synthesis(wrong, times=1, when=OF_ONE), synthesis([1], when=OF_ONE), synthesis([3], when=OF_TWO)
    )
    first, again, other = syntheses(analysis)
    assert list(blocks_of(again)) == ["办法 one"], "the failed batch only"
    whole_input, _, correction = again["body"]["messages"][-1]["content"].partition("Your last answer was refused")
    assert (
        whole_input == first["body"]["messages"][-1]["content"].rstrip("\n") + "\n"
        or first["body"]["messages"][-1]["content"].strip() == whole_input.strip()
    ), "with its whole input"
    assert "1, 2" in correction, "with the numbers that it may use"
    assert list(blocks_of(other)) == ["办法 two"]
    assert done.summary["synthesised"] is True
    assert done.summary["diagnostics"]["source_repair_attempts"] == 1
    assert done.status == 0


def kept_as_fallback(done: Done) -> None:
    """The cards and the sources are there, nobody is asked anything, and one notice says what is missing."""
    assert done.summary["synthesised"] is False
    assert "办法 one" in done.summary["text"]
    assert "STANDARD" in done.summary["text"]
    assert done.summary["sources"]
    assert "next_actions" not in done.summary
    assert "follow_up_questions" not in done.summary
    assert done.summary["statements"] == done.summary["highlights"] == []
    (notice,) = done.summary["notices"]
    assert "the summary" in notice["en"]
    assert done.used() == ["one", "two"]
    assert done.recommendation["complete"] is False
    assert done.status == 5


@pytest.mark.long
def test_sources_that_stay_wrong_leave_the_fallback_and_nobody_is_asked(analysis: Analysis) -> None:
    done = two_batches(analysis, synthesis([99], when=OF_ONE), synthesis([3], when=OF_TWO))
    kept_as_fallback(done)
    assert done.summary["diagnostics"] == {
        "source_repair_attempts": 1,
        "batches": 2,
        "codes": ["summary_invalid_sources"],
    }


@pytest.mark.parametrize(
    ("give", "code"),
    first_of(
        [
            ({"close": True}, "connection_lost"),
            ({"text": "prose"}, "answer_not_json"),
            ({"json": {"statements": []}}, "invalid_answer"),
        ],
        ["network", "prose", "another form"],
    ),
)
def test_nothing_but_wrong_sources_is_a_reason_to_put_together_again(analysis: Analysis, give: Json, code: str) -> None:
    rule = {"when": {"system_contains": SYNTHESIS, **OF_ONE}, "give": give}
    done = two_batches(analysis, rule, synthesis([3], when=OF_TWO))
    assert len(syntheses(analysis)) == 2
    assert done.summary["diagnostics"] == {"source_repair_attempts": 0, "batches": 2, "codes": [code]}
    kept_as_fallback(done)


def test_a_budget_that_ends_in_the_middle_leaves_what_is_true(analysis: Analysis) -> None:
    more = ("--set", "f077_limits.synthesis_calls=1")
    done = two_batches(analysis, synthesis([1], when=OF_ONE), synthesis([3], when=OF_TWO), more=more)
    assert len(syntheses(analysis)) == 1
    assert done.summary["diagnostics"] == {"source_repair_attempts": 0, "batches": 2, "codes": ["budget_spent"]}
    kept_as_fallback(done)


def test_a_repair_that_the_budget_refuses_leaves_the_first_failure(analysis: Analysis) -> None:
    more = ("--set", "f077_limits.synthesis_calls=2")
    done = two_batches(analysis, synthesis([1], when=OF_ONE), synthesis([99], when=OF_TWO), more=more)
    assert len(syntheses(analysis)) == 2
    assert done.summary["diagnostics"]["codes"] == ["summary_invalid_sources"]
    assert done.summary["diagnostics"]["source_repair_attempts"] == 0
    kept_as_fallback(done)


@pytest.mark.long
def test_a_repair_that_would_break_the_input_budget_is_not_made(analysis: Analysis) -> None:
    """The question is made as long as lets the batch pass, and leaves no room for its correction."""
    rules = (synthesis([99], when=OF_ONE), synthesis([3], when=OF_TWO))
    two_batches(analysis, *rules, need="q")
    first = next(sent for sent in analysis.sent("one") if "allowed_sources" in sent)
    room = 4000 - len(dumps(first).encode())
    before = len(syntheses(analysis))
    done = two_batches(
        analysis,
        *rules,
        more=("--set", "f077_limits.synthesis_input_bytes=4000"),
        need="q" * (1 + room),
        run_id="full",
    )
    assert len(syntheses(analysis)) == before + 2
    assert done.summary["diagnostics"]["codes"] == ["summary_invalid_sources"]
    assert done.summary["diagnostics"]["source_repair_attempts"] == 0
    kept_as_fallback(done)


def test_only_complete_candidates_are_put_together(analysis: Analysis) -> None:
    analysis.write("three", "三块办法", fields(**PARTS))
    single(analysis, "good")
    ids = analysis.ids
    analysis.server.answers(
        {"when": of_chunk("三块办法", 3), "give": {"json": answer(citations=["p-0000000000"])}},
        {"when": of_chunk("三块办法", 2), "give": {"json": relevant(ids, "三块办法", "支持标准")}},
        {"when": of_chunk("三块办法", 1), "give": {"json": answer()}},
        whole(ids, "办法 good"),
        synthesis([1]),
    )
    done = analysis.run(*SMALL, inputs={**QUIET, "record_ids": ["three", "good"]})
    (request,) = syntheses(analysis)
    assert list(blocks_of(request)) == ["办法 good"]
    assert {source["record_id"] for source in done.summary["sources"]} == {"good"}
    assert [one["record_id"] for one in done.recommendation["partial_answers"]] == ["three"]


# --- notices ----------------------------------------------------------------------------------------------------------


def test_a_failed_attachment_has_its_own_notice_and_is_no_failed_analysis(analysis: Analysis) -> None:
    single(analysis, "good")
    ids = analysis.ids
    analysis.server.answers(whole(ids, "办法 good"), synthesis([1]))
    attachments = [{"name": "合同.pdf", "status": "failed"}, {"name": "照片", "status": "read"}]
    done = analysis.run(inputs={**QUIET, "record_ids": ["good"], "attachments": attachments})
    assert [notice["zh"] for notice in done.summary["notices"]] == ["附件“合同.pdf”没有读出来"]
    assert done.recommendation["complete"] is True
    assert done.status == 0


def test_where_nothing_is_usable_a_failed_service_is_not_the_lack_of_a_policy(analysis: Analysis) -> None:
    single(analysis, "one")
    analysis.server.answers(otherwise={"status": 500, "raw": "no", "type": "text/plain"})
    done = analysis.run(inputs={**QUIET, "record_ids": ["one"]})
    assert "No reliable answer can be given" in done.summary["text"]
    assert "does not mean that there is no such policy" in done.summary["text"]
    assert done.summary["notices"] == [], "the text says it already"
    assert done.candidate("one")["failed_chunks"] == [{"chunk_index": 0, "code": "server_error"}]
    assert (done.status, done.recommendation["complete"]) == (5, False)


def test_where_nothing_bears_on_the_question_all_is_complete_and_says_so(analysis: Analysis) -> None:
    single(analysis, "one")
    analysis.server.answers(otherwise={"json": answer()})
    done = analysis.run(inputs={**QUIET, "record_ids": ["one"]})
    assert "None of the records" in done.summary["text"]
    assert (done.status, done.recommendation["complete"]) == (0, True)


def test_the_reader_is_shown_a_notice_once(analysis: Analysis) -> None:
    single(analysis, "good", "bad")
    ids = analysis.ids
    BROKEN["record_hash_mismatch"](analysis.records / "bad")
    analysis.server.answers(whole(ids, "办法 good"), synthesis([1]))
    done = analysis.run(inputs={**QUIET, "record_ids": ["bad", "good"]})
    shown = " ".join(done.ended.err.split())
    assert shown.count("Not completed:") == 1
    assert "Not completed" not in done.summary["text"]


@pytest.mark.long
def test_results_survive_being_kept(analysis: Analysis) -> None:
    single(analysis, "good")
    ids = analysis.ids
    analysis.server.answers(whole(ids, "办法 good"), synthesis([1]))
    done = analysis.run(inputs={**QUIET, "record_ids": ["good"]})
    shown = analysis.command("show", "one", "--json")
    assert json.loads(shown.out)["outputs"] == done.ended.json["outputs"]
