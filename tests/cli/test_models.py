"""Runs that ask a model through the real command: overlap, stopping, trust, and the key that nobody sees."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters import toolbox
from tests.cli.kit import PATIENCE, Command, Ended, wait_for_file, wait_for_line
from tests.servers.kit import ModelServer
from tests.servers.stuck import hang_lookups, install

KEY = "sk-never-to-be-seen-4711"
TOPICS = [f"topic-{number}" for number in range(12)]
SPECS = Path(__file__).parents[2] / "specs"


class Thinking:
    """The workflow `thinking` with a server that thinks for it."""

    def __init__(self, command: Command, server: ModelServer) -> None:
        self.command = command
        self.server = server
        command._environment["THINKER_KEY"] = KEY

    def words(self, *more: str, topics: list[str] = TOPICS, run_id: str = "one", trust: bool = True) -> list[str]:
        settings = ["--profile", "profiles/thinking.yaml", "--set", f"settings.address={self.server.address}"]
        given = ["--input", f"topics={json.dumps(topics)}", "--run-id", run_id]
        return ["run", "thinking.yaml", *settings, *given, *(["--trust-profile"] if trust else []), *more]

    def run(self, *more: str, **given: Any) -> Ended:
        return self.command(*self.words("--json", *more, **given))

    def asked_for(self) -> list[str]:
        """Return the topic of every request, in the order in which they came."""
        return [prompt.split("\n")[1] for prompt in self.server.prompts()]

    def asked_in_order(self, topics: list[str]) -> bool:
        """Say whether every topic was asked for once, in the order of the list.

        Calls that begin together arrive in any order: none comes earlier or later by as many places as the pool has.
        """
        asked = self.asked_for()
        near = all(abs(number - topics.index(topic)) < 4 for number, topic in enumerate(asked))
        return sorted(asked) == sorted(topics) and near


@pytest.fixture
def thinking(command: Command, model_server: ModelServer) -> Thinking:
    return Thinking(command, model_server)


def sum_up(topic: str, **more: Any) -> dict[str, Any]:
    return {"when": {"contains": f"\n{topic}\n"}, "give": {"json": {"words": f"about {topic}"}}, **more}


def about(topics: list[str]) -> list[str]:
    return [f"about {topic}" for topic in topics]


# --- side by side -----------------------------------------------------------------------------------------------------


def test_calls_overlap_as_far_as_the_pool_goes_and_results_keep_their_order(thinking: Thinking) -> None:
    # Each of the first four is answered only when all four have come.
    holds = [{"requests": 4} if number < 4 else {} for number in range(12)]
    rules = [sum_up(topic, hold=hold) for topic, hold in zip(TOPICS, holds, strict=True)]
    thinking.server.answers(*rules)
    ended = thinking.run()
    assert (ended.status, ended.json["outputs"]["said"]) == (0, about(TOPICS)), ended.err
    assert thinking.server.most_in_flight == 4
    assert thinking.asked_in_order(TOPICS)


def test_a_place_that_becomes_free_goes_to_the_next_item_in_the_list(thinking: Thinking, tmp_path: Path) -> None:
    # One call takes until all the others have been made: the three other places do all the rest.
    slow = sum_up(TOPICS[0], hold={"requests": 12})
    first = [sum_up(topic, hold={"requests": 4}) for topic in TOPICS[1:4]]
    thinking.server.answers(slow, *first, *map(sum_up, TOPICS[4:]))
    assert thinking.run().json["outputs"]["said"] == about(TOPICS)
    assert thinking.asked_in_order(TOPICS)
    assert thinking.server.most_in_flight == 4


def test_a_budget_is_never_overspent_by_calls_that_begin_together(thinking: Thinking) -> None:
    thinking.command.folder.joinpath("thinking.yaml").write_text(
        thinking.command.folder.joinpath("thinking.yaml").read_text("utf-8").replace("at_most: 100", "at_most: 1"),
        "utf-8",
    )
    thinking.server.answers(*map(sum_up, TOPICS))
    outputs = thinking.run(topics=TOPICS[:8]).json["outputs"]
    assert outputs == {"said": about(TOPICS[:1]), "left_out": ["budget_spent"] * 7}
    assert thinking.asked_for() == TOPICS[:1]


def test_a_dry_run_reads_with_the_same_overlap(thinking: Thinking) -> None:
    thinking.server.answers(*(sum_up(topic, hold={"requests": 4}) for topic in TOPICS))
    assert thinking.run("--dry-run").json["outputs"]["said"] == about(TOPICS)
    assert thinking.server.most_in_flight == 4


# --- stopping ---------------------------------------------------------------------------------------------------------


def test_ctrl_c_lets_calls_in_flight_end_and_a_resume_asks_only_for_the_rest(
    thinking: Thinking, tmp_path: Path
) -> None:
    release = tmp_path / "release"
    thinking.server.answers(*(sum_up(topic, hold={"file": str(release)}) for topic in TOPICS))
    with thinking.command.start(*thinking.words()) as process:
        thinking.server.wait_for(4)
        process.send_signal(signal.SIGINT)
        wait_for_line(process, "press Ctrl-C again")
        release.touch()
        assert process.wait(PATIENCE) == 130
    assert thinking.asked_in_order(TOPICS[:4])
    ended = thinking.command("resume", "one", "--json")
    assert (ended.status, ended.json["outputs"]["said"]) == (0, about(TOPICS)), ended.err
    assert sorted(thinking.asked_for()) == sorted(TOPICS)


def test_a_second_ctrl_c_does_not_wait_and_what_was_in_flight_is_asked_again(thinking: Thinking) -> None:
    thinking.server.answers({"hold": {"forever": True}})
    with thinking.command.start(*thinking.words()) as process:
        thinking.server.wait_for(4)
        interrupt_for_good(process)
    thinking.server.wait_for(4, ended=4)
    assert {line["outcome"] for line in thinking.server.lines if line["kind"] == "end"} == {"gone"}
    thinking.server.answers(*map(sum_up, TOPICS))
    assert thinking.command("resume", "one", "--json").json["outputs"]["said"] == about(TOPICS)
    assert sorted(thinking.asked_for()[4:]) == sorted(TOPICS)


def test_a_cancel_lets_calls_in_flight_end_and_starts_no_other(thinking: Thinking, tmp_path: Path) -> None:
    release = tmp_path / "release"
    thinking.server.answers(*(sum_up(topic, hold={"file": str(release)}) for topic in TOPICS))
    with thinking.command.start(*thinking.words()) as process:
        thinking.server.wait_for(4)
        assert thinking.command("cancel", "one").status == 0
        release.touch()
        assert process.wait(PATIENCE) == 6
    assert thinking.asked_in_order(TOPICS[:4])
    recorded = [attempt for attempt in outcomes(thinking) if attempt["ok"]]
    assert len(recorded) == 4


def test_a_second_cancel_ends_calls_in_flight_and_records_them_as_cancelled(thinking: Thinking) -> None:
    thinking.server.answers({"hold": {"forever": True}})
    with thinking.command.start(*thinking.words()) as process:
        thinking.server.wait_for(4)
        for _ in range(2):
            assert thinking.command("cancel", "one").status == 0
        assert process.wait(PATIENCE) == 6
    assert [one["error"]["code"] for one in outcomes(thinking)] == ["cancelled"] * 4
    assert thinking.asked_in_order(TOPICS[:4])


def test_a_run_that_was_killed_asks_again_only_for_what_was_in_flight(thinking: Thinking) -> None:
    rules = [sum_up(topic, hold={"forever": True} if number >= 5 else {}) for number, topic in enumerate(TOPICS)]
    thinking.server.answers(*rules)
    with thinking.command.start(*thinking.words()) as process:
        thinking.server.wait_for(9)
        process.kill()
    thinking.server.answers(*map(sum_up, TOPICS))
    ended = thinking.command("resume", "one", "--json")
    assert (ended.status, ended.json["outputs"]["said"]) == (0, about(TOPICS)), ended.err
    assert sorted(thinking.asked_for()[9:]) == sorted(TOPICS[5:])


@pytest.mark.parametrize(
    ("number", "at_first"),
    [
        (signal.SIGINT, signal.SIG_DFL),
        (signal.SIGTERM, signal.SIG_DFL),
        (signal.SIGHUP, signal.SIG_DFL),
        (signal.SIGINT, signal.SIG_IGN),
        pytest.param(signal.SIGTERM, signal.SIG_IGN, marks=pytest.mark.long),
    ],
    ids=["ctrl-c", "term", "hangup", "ctrl-c-started-with-&", "term-started-with-&"],
)
def test_ctrl_c_ends_a_dry_run_at_once(thinking: Thinking, number: signal.Signals, at_first: signal.Handlers) -> None:
    thinking.server.answers({"hold": {"forever": True}})
    with handed_down(number, at_first), thinking.command.start(*thinking.words("--dry-run")) as process:
        thinking.server.wait_for(4)
        process.send_signal(number)
        assert_stopped(process)
    thinking.server.wait_for(4, ended=4)
    assert {line["outcome"] for line in thinking.server.lines if line["kind"] == "end"} == {"gone"}


def test_ctrl_c_ends_a_run_whose_shell_let_it_ignore_that(thinking: Thinking) -> None:
    thinking.server.answers({"hold": {"forever": True}})
    with handed_down(signal.SIGINT, signal.SIG_IGN), thinking.command.start(*thinking.words()) as process:
        thinking.server.wait_for(4)
        interrupt_for_good(process)


def test_a_run_started_with_nohup_outlives_its_terminal(thinking: Thinking, tmp_path: Path) -> None:
    go = tmp_path / "go"
    thinking.server.answers(*(sum_up(topic, hold={"file": str(go)}) for topic in TOPICS))
    with handed_down(signal.SIGHUP, signal.SIG_IGN), thinking.command.start(*thinking.words("--json")) as process:
        thinking.server.wait_for(4)
        process.send_signal(signal.SIGHUP)
        go.touch()
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, json.loads(out)["outputs"]["said"]) == (0, about(TOPICS)), err


def test_ctrl_c_at_a_question_ends_a_dry_run(thinking: Thinking) -> None:
    steps = """    steps:
      - ask: opinion
        text:
          done: {zh: 还没有, en: Nothing yet}
          next: {zh: 填写, en: Fill it in}
          writes: false
        form: {why: {type: string, title: {zh: 为什么, en: Why}}}
"""
    change(
        thinking.command.folder / "thinking.yaml",
        ("    steps:\n", steps),
        ("states:", "questions: {wait: 7d}\nstates:"),
    )
    with thinking.command.terminal(*thinking.words("--dry-run")) as person:
        person.wait_for("> ")
        person.interrupt()
        status, text = person.ended()
    assert status == 130
    assert "The rehearsal has stopped" in text
    assert thinking.server.requests == []


@pytest.mark.parametrize("more", [("--dry-run",), ()], ids=["dry-run", "run"])
def test_a_call_that_answers_at_once_and_does_not_holds_up_no_ctrl_c(
    thinking: Thinking, tmp_path: Path, more: tuple[str, ...]
) -> None:
    begun = stuck(thinking, tmp_path)
    with thinking.command.start(*thinking.words(*more)) as process:
        wait_for_file(begun, process)
        if more:
            process.send_signal(signal.SIGINT)
            assert_stopped(process)
        else:
            interrupt_for_good(process)
    if not more:
        assert thinking.command("show", "one", "--json").json["status"] == "interrupted"


@pytest.mark.parametrize("more", [("--dry-run",), ()], ids=["dry-run", "run"])
def test_the_look_up_of_a_name_holds_up_no_ctrl_c(thinking: Thinking, tmp_path: Path, more: tuple[str, ...]) -> None:
    begun = tmp_path / "begun"
    on_its_path(thinking, tmp_path / "path")
    hang_lookups(tmp_path / "path", begun)
    words = [word.replace(thinking.server.address, "https://nobody.example/v1") for word in thinking.words(*more)]
    with thinking.command.start(*words) as process:
        wait_for_file(begun, process)
        if more:
            process.send_signal(signal.SIGINT)
            assert_stopped(process)
        else:
            interrupt_for_good(process)


class Closing:
    """An adapter that is asked to close. Shapes: `how` closes it."""

    is_asynchronous = True

    def __init__(self, how: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.close = how


def test_an_adapter_that_fails_to_close_or_never_does_holds_up_neither_the_others_nor_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(toolbox, "CLOSE_WITHIN", 0.01)
    closed = []

    async def never() -> None:
        await asyncio.Event().wait()

    async def fails() -> None:
        raise ConnectionError

    async def closes() -> None:
        closed.append(True)

    adapters = {how.__name__: Closing(how) for how in (never, fails, closes)}
    asyncio.run(toolbox.Toolbox(adapters).close())
    assert closed == [True]


def stuck(thinking: Thinking, folder: Path) -> Path:
    """Let the workflow call an adapter that is stuck before it asks the model; return what is there once it is."""
    on_its_path(thinking, folder / "path")
    install(folder / "path")
    begun = folder / "begun"
    specs = thinking.command.folder
    look = """thinker.look:
  effect: read
  input: {type: object, additionalProperties: false, properties: {}}
  output: {type: object, properties: {words: {type: string}}}
  example: {words: example}

thinker.sum_up:"""
    call = "    steps:\n      - {call: thinker.look, as: looked}\n"
    tool = f"  thinker.look: {{adapter: python, use: stuck, settings: {{begun: {begun}}}}}\n  thinker.sum_up:"
    change(specs / "tools" / "thinker.yaml", ("thinker.sum_up:", look))
    both = ("tools: [thinker.sum_up]", "tools: [thinker.sum_up, thinker.look]")
    change(specs / "thinking.yaml", both, ("    steps:\n", call))
    change(specs / "profiles" / "thinking.yaml", ("  thinker.*:", tool))
    return begun


def on_its_path(thinking: Thinking, folder: Path) -> None:
    thinking.command._environment["PYTHONPATH"] = os.pathsep.join([str(folder), str(SPECS.parent)])


def change(file: Path, *changes: tuple[str, str]) -> None:
    text = file.read_text("utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    file.write_text(text, "utf-8")


@contextmanager
def handed_down(number: signal.Signals, what: signal.Handlers) -> Iterator[None]:
    """Let processes that are started in here begin with this for a signal."""
    before = signal.signal(number, what)
    try:
        yield
    finally:
        signal.signal(number, before)


def interrupt_for_good(process: subprocess.Popen[str]) -> None:
    """Send a Ctrl-C, and another when the first one is said to wait for what is in flight."""
    process.send_signal(signal.SIGINT)
    wait_for_line(process, "press Ctrl-C again")
    process.send_signal(signal.SIGINT)
    assert_stopped(process)


def assert_stopped(process: subprocess.Popen[str]) -> None:
    assert process.wait(PATIENCE) == 130
    assert process.stderr is not None
    text = process.stderr.read()
    assert not any(word in text for word in ("Traceback", "Exception ignored", "never")), text


def outcomes(thinking: Thinking) -> list[dict[str, Any]]:
    from interpreter.adapters.runs import RunStore

    journal = RunStore(thinking.command.home, release="", sequence=0).open("one", lock=False)
    try:
        return [row.body for row in journal.rows() if row.kind == "outcome"]
    finally:
        journal.close()


# --- repeating --------------------------------------------------------------------------------------------------------


def test_a_server_that_asks_to_wait_is_asked_again_only_where_the_wait_is_sensible(thinking: Thinking) -> None:
    slow = {
        "when": {"contains": "topic-0"},
        "times": 1,
        "give": {"status": 429, "raw": "", "headers": {"retry-after": "0.05"}},
    }
    long = {"when": {"contains": "topic-1"}, "give": {"status": 429, "raw": "", "headers": {"retry-after": "900"}}}
    quota = {
        "when": {"contains": "topic-2"},
        "give": {"status": 429, "body": {"error": {"code": "insufficient_quota"}}},
    }
    thinking.server.answers(slow, long, quota, *map(sum_up, TOPICS))
    outputs = thinking.run(topics=TOPICS[:3]).json["outputs"]
    assert outputs == {"said": ["about topic-0"], "left_out": ["rate_limited", "quota_exhausted"]}
    assert sorted(thinking.asked_for()) == ["topic-0", "topic-0", "topic-1", "topic-2"]


def test_a_run_that_stops_because_of_a_long_wait_says_until_when(thinking: Thinking) -> None:
    spec = thinking.command.folder / "thinking.yaml"
    spec.write_text(spec.read_text("utf-8").replace("outcomes: results", "as: results").replace(" | where('ok')", ""))
    spec.write_text(spec.read_text("utf-8").partition("      - set:")[0], "utf-8")
    thinking.server.answers({"give": {"status": 429, "raw": "", "headers": {"retry-after": "900"}}})
    stopped = thinking.run(topics=TOPICS[:1])
    assert stopped.status == 4
    assert "it may be asked again in 900 s, at 20" in " ".join(stopped.err.split())
    assert "thinking.yaml:" in stopped.err
    thinking.server.answers(*map(sum_up, TOPICS))
    assert thinking.command("resume", "one").status == 0


def test_an_answer_that_is_none_is_repaired_and_a_cut_one_is_not(thinking: Thinking) -> None:
    prose = {"when": {"contains": "topic-0", "lacks": "feedback"}, "give": {"text": "SECRET THOUGHT"}}
    wrong = {"when": {"contains": "topic-1", "lacks": "feedback"}, "give": {"json": {"wrong": 1}}}
    cut = {"when": {"contains": "topic-2"}, "give": {"json": {"words": "half"}, "finish": "length"}}
    thinking.server.answers(prose, wrong, cut, *map(sum_up, TOPICS))
    outputs = thinking.run(topics=TOPICS[:3]).json["outputs"]
    assert outputs == {"said": about(TOPICS[:2]), "left_out": ["output_cut"]}
    assert sorted(thinking.asked_for()) == ["topic-0", "topic-0", "topic-1", "topic-1", "topic-2"]
    fed = [prompt for prompt in thinking.server.prompts() if "feedback" in prompt]
    assert "answer_not_json" in fed[0] + fed[1]
    assert "SECRET THOUGHT" not in fed[0] + fed[1]


# --- trust and the key ------------------------------------------------------------------------------------------------


def test_a_profile_that_contacts_somebody_is_trusted_once_for_this_address(thinking: Thinking) -> None:
    thinking.server.answers(*map(sum_up, TOPICS))
    refused = thinking.run(trust=False)
    assert (refused.status, refused.code) == (2, "command/profile-not-trusted")
    assert (
        f"{thinking.server.address}/chat/completions (model small, key from the environment variable THINKER_KEY)"
        in (" ".join(refused.err.split()))
    )
    assert "--trust-profile" in refused.err
    assert thinking.server.requests == []
    assert thinking.run(topics=TOPICS[:1]).status == 0
    assert thinking.run(topics=TOPICS[:1], trust=False, run_id="two").status == 0
    elsewhere = [word.replace("127.0.0.1", "localhost") for word in thinking.words(trust=False, run_id="three")]
    assert thinking.command(*elsewhere).code == "command/profile-not-trusted"


@pytest.mark.parametrize(("typed", "status"), [("y", 0), ("", 2), ("no", 2)])
def test_whoever_sits_at_a_terminal_is_asked(thinking: Thinking, typed: str, status: int) -> None:
    thinking.server.answers(*map(sum_up, TOPICS))
    with thinking.command.terminal(*thinking.words(topics=TOPICS[:1], trust=False)) as typist:
        assert "/chat/completions" in typist.wait_for("trust it? [y/N] ")
        typist.type(typed)
        assert typist.ended()[0] == status
    assert len(thinking.server.requests) == (1 if status == 0 else 0)


def test_a_resume_contacts_nobody_who_is_not_trusted(thinking: Thinking) -> None:
    thinking.server.answers({"give": {"status": 401, "raw": ""}})
    assert thinking.run(topics=TOPICS[:1]).status == 0
    thinking.server.answers({"hold": {"forever": True}})
    with thinking.command.start(*thinking.words(run_id="two")) as process:
        thinking.server.wait_for(5)
        process.kill()
    for file in (thinking.command.home / "trusted").iterdir():
        file.unlink()
    seen = len(thinking.server.requests)
    assert thinking.command("resume", "two").code == "command/profile-not-trusted"
    assert len(thinking.server.requests) == seen


def test_without_the_variable_of_the_key_nothing_begins(thinking: Thinking) -> None:
    del thinking.command._environment["THINKER_KEY"]
    ended = thinking.run()
    assert (ended.status, ended.code) == (2, "tool/key-missing")
    assert "export THINKER_KEY=" in ended.err


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_key_stands_in_no_file_and_in_nothing_that_is_shown(thinking: Thinking, language: str) -> None:
    echo = {
        "status": 401,
        "body": {"error": {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}},
    }
    thinking.server.answers({"times": 1, "give": echo}, *map(sum_up, TOPICS))
    ended = thinking.command(*thinking.words(topics=TOPICS[:2]), language=language)
    shown = [ended.out, ended.err]
    shown += [thinking.command("show", "one", language=language).out, thinking.command("show", "one", "--json").out]
    assert thinking.server.requests[0]["headers"]["authorization"] == f"Bearer {KEY}"
    assert not any(KEY[:12] in text for text in shown)
    files = [file for file in thinking.command.home.parent.rglob("*") if file.is_file()]
    holding = [str(file) for file in files if KEY[:12].encode() in file.read_bytes() and "model" not in file.parts]
    assert [name for name in holding if "/model/" not in name] == []


# --- the profile of a model -----------------------------------------------------------------------------------------


def test_the_deep_search_asks_the_model_of_the_profile_and_quotes_the_passage_to_which_it_points(
    command: Command, model_server: ModelServer
) -> None:
    claim = {
        "id": "c1",
        "text": "星河智能公布新的企业版定价",
        "subject": "星河智能",
        "predicate": "公布新的企业版定价",
        "time_scope": None,
    }
    splits = {
        "when": {"contains": "Split a question"},
        "give": {"json": {"task_type": "fact_check", "claims": [claim]}},
    }
    words = [
        *("run", str(SPECS / "wps_deep_search.yaml"), "--json", "--trust-profile"),
        *("--profile", str(SPECS / "profiles" / "model.yaml")),
        *("--set", f"settings.model_address={model_server.address}", "--set", "settings.model=small"),
        *("--input", "query=星河智能最近公布新的企业版定价了吗？", "--input", "source_mode=notes_only"),
        *("--input", "now=2026-10-20T09:00:00Z"),
    ]
    model_server.answers(splits, otherwise={"json": {"findings": []}})
    first = command(*words, "--run-id", "one")
    assert [claim["verdict"] for claim in first.json["outputs"]["claims"]] == ["insufficient_evidence"]
    quote = "新的企业版定价昨天公布"
    found = (re.search(rf"(s-[0-9a-f]{{10}})[^\n]*\n[^\n]*{quote}", prompt) for prompt in model_server.prompts())
    evidence_id = next(match[1] for match in found if match)
    points = {"evidence_id": evidence_id, "stance": "supports", "covers": ["subject", "predicate"]}
    model_server.answers(
        splits,
        {"when": {"contains": evidence_id}, "give": {"json": {"findings": [points]}}},
        otherwise={"json": {"findings": []}},
    )
    second = command(*words, "--run-id", "two").json["outputs"]
    assert [found["claim"] for found in second["claims"]] == [claim["text"]]
    (entry,) = second["evidence"]["notes"]
    assert (entry["evidence_id"], quote in entry["quote"]) == (evidence_id, True)
