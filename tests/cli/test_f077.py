"""Candidate analysis on the samples, without a model: three questions, both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interpreter.documents.loading import load_workflow
from interpreter.engine.binding import RULE
from interpreter.plan import plan_workflow
from tests.cli.f077_kit import SAMPLES, SPEC, Done, inputs_of
from tests.cli.kit import Command


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Done]:
    """Return what came of each question in each language."""
    command = Command(tmp_path_factory.mktemp("asked"))
    return {
        (question, language): Done(
            command(
                *("run", str(SPEC), "--inputs", str(inputs_of(question))),
                *("--run-id", f"{question}-{language}", "--json"),
                language=language,
            )
        )
        for question in ("shop", "science", "explain")
        for language in ("zh", "en")
    }


USED = {
    "shop": {"breakfast-shops", "shop-rent"},
    "science": {"tech-startup-rd", "robot-pilot"},
    "explain": {"graduate-startup-2023", "graduate-startup-2026"},
}
BOTH = pytest.mark.parametrize("language", ["zh", "en"])
QUESTIONS = pytest.mark.parametrize("question", list(USED))


@BOTH
@QUESTIONS
def test_a_question_is_answered_from_the_policies_that_are_meant(
    asked: dict[tuple[str, str], Done], question: str, language: str
) -> None:
    done = asked[question, language]
    assert set(done.used()) == USED[question]
    assert done.summary["synthesised"]
    assert done.summary["text"]
    for item in done.recommendation["items"]:
        assert item["title"] in done.summary["text"]


@BOTH
@QUESTIONS
def test_the_answer_says_that_no_language_model_made_it(
    asked: dict[tuple[str, str], Done], question: str, language: str
) -> None:
    done = asked[question, language]
    (made_by,) = done.summary["made_by"]
    assert ("不是语言模型" if language == "zh" else "no language model") in made_by
    assert "".join(made_by.split()) in "".join(done.ended.err.split())


def test_a_record_with_a_wrong_hash_or_a_missing_segment_is_never_analysed_in_part(
    asked: dict[tuple[str, str], Done],
) -> None:
    done = asked["shop", "zh"]
    for record, code in {"food-hygiene": "record_hash_mismatch", "night-market": "record_segments_incomplete"}.items():
        found = done.candidate(record)
        assert (found["status"], found["analysis_errors"]) == ("failed", [code])
        assert (found["chunk_count"], found["analyses"]) == (None, [])
    assert done.status == 5
    assert done.recommendation["complete"] is False
    (notice,) = done.summary["notices"]
    assert "完整读取" in notice["zh"]


def test_sharing_words_is_no_reason_to_recommend_a_programme_of_science(asked: dict[tuple[str, str], Done]) -> None:
    done = asked["shop", "zh"]
    for record in ("road-works", "tech-startup-rd"):
        assert done.candidate(record)["status"] == "screened_out"
    assert not done.candidate("incubator-guide")["used"]


def test_what_is_not_known_of_a_start_up_stays_to_be_confirmed(asked: dict[tuple[str, str], Done]) -> None:
    done = asked["science", "zh"]
    conditions = [
        condition
        for item in done.recommendation["items"]
        for analysis in item["analyses"]
        for condition in analysis["conditions"]
    ]
    assert conditions
    assert {condition["status"] for condition in conditions} == {"to_be_confirmed"}
    facts = [one["subject_citation"] for one in conditions if one["subject_citation"] is not None]
    assert any("发明专利" in fact["quote"] for fact in facts)


def test_two_records_of_one_name_stay_two(asked: dict[tuple[str, str], Done]) -> None:
    items = asked["explain", "zh"].recommendation["items"]
    assert len({item["title"] for item in items}) == 1
    assert len({item["card"]["support_standard"]["text"] for item in items}) == 2
    assert all(f"（{item['record_id']}）" in asked["explain", "zh"].summary["text"] for item in items)


def test_a_record_that_gives_orders_is_data(asked: dict[tuple[str, str], Done]) -> None:
    found = asked["science", "zh"].candidate("craft-shops")
    assert (found["status"], found["used"]) == ("complete", False)


def test_a_protected_record_and_one_without_a_summary_are_kept(asked: dict[tuple[str, str], Done]) -> None:
    done = asked["science", "zh"]
    reasons = {record: done.candidate(record)["screening"]["reason"] for record in ("energy-saving", "craft-shops")}
    assert reasons == {"energy-saving": "protected", "craft-shops": "no_summary"}


@QUESTIONS
def test_every_quote_stands_letter_for_letter_in_its_record(asked: dict[tuple[str, str], Done], question: str) -> None:
    done = asked[question, "zh"]
    assert done.summary["sources"]
    for source in done.summary["sources"]:
        folder = SAMPLES / "records" / source["record_id"]
        text = "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.md")))
        assert source["quote"] in text or (source["path"], source["quote"]) == ("title", source["title"])


@pytest.mark.long
def test_the_samples_have_records_of_one_to_nine_chunks(tmp_path: Path, looking: Command) -> None:
    given = ('record_ids=["breakfast-shops","tech-startup-rd","incubator-guide"]', "need=x", "rerank=false")
    inputs = [word for one in given for word in ("--input", one)]
    done = Done(looking("run", str(SPEC), *inputs, "--run-id", "chunks", "--json"))
    assert {one["record_id"]: one["chunk_count"] for one in done.recommendation["candidate_diagnostics"]} == {
        "breakfast-shops": 1,
        "tech-startup-rd": 2,
        "incubator-guide": 9,
    }


#: Codes that stand in the workflow: where a record fails, where an answer is judged, and where a chunk is not analysed.
NAMED = re.compile(r"(?:fail: \{code: |- rule: |give: \[|chunk\.code: |default\(')(\w+_\w+|cancelled)\b")


def test_every_reason_that_may_end_a_candidate_has_words_for_people() -> None:
    documents, _ = load_workflow(SPEC)
    assert documents is not None
    program = plan_workflow(documents)
    of_a_call = {code for contract in program.contracts.values() for code in contract.errors}
    of_a_walk = {"page_limit", "budget_spent", "missing_page_token", "repeated_page_token", "empty_page"}
    named = set(NAMED.findall(SPEC.read_text("utf-8")))
    assert {"record_empty", "missing_citation", "too_many_chunks", "input_over_budget", "cancelled"} <= named
    of_the_text = {code for code in named if code.startswith("summary_")}
    assert of_a_call | of_a_walk | {RULE} | named - of_the_text <= program.labels["f077#Reason"].keys()


def test_the_cases_that_anybody_can_read_pass(looking: Command) -> None:
    done = looking("test", str(SPEC.parent / "tests" / "f077_analysis.yaml"))
    assert done.status == 0, done
