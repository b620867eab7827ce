"""The candidate analysis as a run: one pool, kills, cancels, and how many calls there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.f077_kit import SYNTHESIS, Analysis, Done, Json, answer, fields, first_of, screening, synthesis
from tests.cli.kit import PATIENCE, Command
from tests.servers.kit import ModelServer

SMALL = ("--set", "f077_limits.chunk_bytes=500")
#: Chunks of each of twelve records: 37 in all.
CHUNKS = (1, 9, 2, 3, 1, 4, 2, 5, 1, 6, 1, 2)
LONG = "长" * 130


@pytest.fixture
def analysis(command: Command, model_server: ModelServer, tmp_path: Path) -> Analysis:
    return Analysis(command, model_server, tmp_path / "records")


def records(analysis: Analysis, chunks: tuple[int, ...], **head: str) -> list[str]:
    """Write records of so many chunks each."""
    for number, many in enumerate(chunks):
        texts = {"支持标准": f"每户 5000 元。{LONG}", **{f"第 {part} 节": LONG for part in range(1, many)}}
        analysis.write(f"r{number:02}", f"办法 {number}", fields(**texts), **head)
    return [f"r{number:02}" for number in range(len(chunks))]


def relevant(analysis: Analysis, number: int) -> Json:
    """Return a rule for the first chunk of a record, which holds."""
    title = f"办法 {number}"
    standard = analysis.ids.policy(title, "支持标准")
    card = {"support_standard": {"text": "STANDARD", "citations": [standard]}}
    said = answer(relevant=True, explanation="GOOD", citations=[standard], card=card)
    return {"when": {"contains": [f'"title"\n{title}\n', "Part 1 of "]}, "give": {"json": said}}


def chunk_of(request: Json) -> tuple[str, int]:
    """Return title and number of the chunk that was asked about."""
    prompt = request["body"]["messages"][-1]["content"]
    found = re.search(r'Part (\d+) of \d+ of the record with the title\n<<<[0-9a-f]+ "title"\n([^\n]*)\n', prompt)
    assert found is not None, prompt
    return found[2], int(found[1]) - 1


def in_order(chunks: tuple[int, ...]) -> list[tuple[str, int]]:
    return [(f"办法 {number}", part) for number, many in enumerate(chunks) for part in range(many)]


def test_37_chunks_of_12_records_are_39_calls_and_never_more_than_4_at_once(analysis: Analysis) -> None:
    ids = records(analysis, CHUNKS, summary="S")
    # Screening is the first request. The next four wait for each other: four are in flight once, and no fifth ever is.
    first = [{**relevant(analysis, number), "times": 1, "hold": {"requests": 5}} for number in range(2)]
    first += [
        {"when": {"contains": ['"title"\n办法 1\n', f"Part {part} of "]}, "times": 1, "hold": {"requests": 5}}
        for part in (2, 3)
    ]
    first = [{"give": {"json": answer()}, **rule} for rule in first]
    rules = [*first, *(relevant(analysis, number) for number in range(2, 12))]
    analysis.server.answers(
        screening(**dict.fromkeys(ids, "related")),
        synthesis([1]),
        *rules,
        otherwise={"json": answer()},
    )
    done = analysis.run(*SMALL, inputs={"record_ids": ids})
    assert done.status == 0, done.ended.err
    assert len(analysis.server.requests) == 39
    assert analysis.server.most_in_flight == 4
    asked = [chunk_of(request) for request in analysis.server.requests[1:-1]]
    assert sorted(asked) == sorted(in_order(CHUNKS))
    assert [one["chunk_count"] for one in done.recommendation["candidate_diagnostics"]] == list(CHUNKS)
    for one in done.recommendation["candidate_diagnostics"]:
        assert [analysis["chunk_index"] for analysis in one["analyses"]] == list(range(one["chunk_count"]))
    assert done.used() == ids


@pytest.mark.long
def test_no_place_is_free_while_a_chunk_waits(analysis: Analysis) -> None:
    """The first chunk takes until all the others were asked for: three places do the rest of all candidates.

    Where places were a candidate's own, or did not become free for others, the first would never be answered.
    """
    chunks = (3, 3, 3)
    ids = records(analysis, chunks)
    slow = {"when": {"contains": ['"title"\n办法 0\n', "Part 1 of "]}, "hold": {"requests": 9}}
    analysis.server.answers({**slow, "give": {"json": answer()}}, otherwise={"json": answer()})
    done = analysis.run(*SMALL, inputs={"record_ids": ids, "rerank": False})
    assert done.status == 0
    assert len(analysis.server.requests) == 9


@pytest.mark.long
def test_a_run_that_was_killed_repeats_no_call_that_was_completed(analysis: Analysis, tmp_path: Path) -> None:
    ids = records(analysis, (4, 4))
    listed = in_order((4, 4))
    held = [
        {"when": {"contains": [f'"title"\n{title}\n', f"Part {part + 1} of "]}, "hold": {"forever": True}}
        for title, part in listed[3:]
    ]
    analysis.server.answers(*held, relevant(analysis, 0), otherwise={"json": answer()})
    with analysis.command.start(*analysis.words(*SMALL, inputs={"record_ids": ids, "rerank": False})) as process:
        analysis.server.wait_for(7, ended=3)
        process.kill()
    before = len(analysis.server.requests)
    analysis.server.answers(relevant(analysis, 0), relevant(analysis, 1), synthesis([1]), otherwise={"json": answer()})
    done = Done(analysis.command("resume", "one", "--json"))
    assert done.status == 0, done.ended.err
    again = [chunk_of(one) for one in analysis.server.requests[before:-1]]
    assert sorted(again) == sorted(listed[3:])
    assert done.used() == ids
    assert done.summary["synthesised"] is True


def test_a_cancel_starts_no_queued_chunk_and_what_is_in_flight_may_end(analysis: Analysis, tmp_path: Path) -> None:
    release = tmp_path / "release"
    ids = records(analysis, (2, 4))
    hold = {"hold": {"file": str(release)}}
    analysis.server.answers({**relevant(analysis, 0), **hold}, {"give": {"json": answer()}, **hold})
    words = analysis.words(*SMALL, "--json", inputs={"record_ids": ids, "rerank": False})
    with analysis.command.start(*words) as process:
        analysis.server.wait_for(4)
        assert analysis.command("cancel", "one").status == 0
        release.touch()
        assert process.wait(PATIENCE) == 6
    assert len(analysis.server.requests) == 4, "queued chunks start no call, and nothing is put together"
    done = Done(analysis.command("show", "one", "--json"))
    first, second = (done.candidate(record) for record in ids)
    assert (first["status"], first["failed_chunks"]) == ("complete", [])
    assert second["status"] == "partial"
    assert second["failed_chunks"] == [{"chunk_index": index, "code": "cancelled"} for index in (2, 3)]
    assert done.recommendation["complete"] is False
    assert done.summary["synthesised"] is False
    assert "follow_up_questions" not in done.summary
    assert not [one for one in analysis.server.requests if SYNTHESIS in one["body"]["messages"][0]["content"]]


@pytest.mark.long
def test_a_cancel_in_the_middle_of_the_synthesis_leaves_no_part_as_the_whole(
    analysis: Analysis, tmp_path: Path
) -> None:
    release = tmp_path / "release"
    ids = ["r00", "r01"]
    for number, record in enumerate(ids):
        analysis.write(record, f"办法 {number}", fields(支持标准=f"每户 5000 元。{LONG * 4}"))
    rules = [relevant(analysis, number) for number in range(2)]
    analysis.server.answers(*rules, synthesis([1], times=1, hold={"file": str(release)}), synthesis([3]))
    batches = ("--set", "f077_limits.synthesis_batch_bytes=2000")
    long = {"need": "QUESTION", "record_ids": ids, "rerank": False}
    with analysis.command.start(*analysis.words(*batches, "--json", inputs=long)) as process:
        analysis.server.wait_for(3)
        assert analysis.command("cancel", "one").status == 0
        release.touch()
        assert process.wait(PATIENCE) == 6
    done = Done(analysis.command("show", "one", "--json"))
    assert len(analysis.server.requests) == 3
    assert (done.summary["synthesised"], done.summary["statements"]) == (False, [])
    assert "follow_up_questions" not in done.summary
    assert done.used() == ids


@pytest.mark.parametrize("failing", first_of(range(3), "012"))
def test_a_chunk_that_the_network_loses_leaves_the_rest_going_on(analysis: Analysis, failing: int) -> None:
    ids = records(analysis, (3, 1))
    lost = {"when": {"contains": ['"title"\n办法 0\n', f"Part {failing + 1} of "]}, "give": {"close": True}}
    analysis.server.answers(lost, relevant(analysis, 1), synthesis([1]), otherwise={"json": answer()})
    done = analysis.run(*SMALL, inputs={"record_ids": ids, "rerank": False})
    assert done.candidate("r00")["failed_chunks"] == [{"chunk_index": failing, "code": "connection_lost"}]
    assert len(done.candidate("r00")["analyses"]) == 2
    assert done.used() == ["r01"]
    assert len(analysis.server.requests) == 4 + 1


@pytest.mark.long
def test_an_answer_that_takes_too_long_is_given_up_and_not_asked_for_again(analysis: Analysis) -> None:
    ids = records(analysis, (1,))
    analysis.server.answers({"hold": {"forever": True}})
    done = analysis.run("--set", "f077_limits.call_wait=4s", inputs={"record_ids": ids, "rerank": False})
    assert done.candidate("r00")["failed_chunks"] == [{"chunk_index": 0, "code": "timed_out"}]
    assert len(analysis.server.requests) == 1
