"""Runs from outside: their ids, how they stop, how they go on, and what other programs read of them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from interpreter.adapters.sqlite_journal import SqliteJournal
from interpreter.cli.main import run_command
from interpreter.cli.streams import outliving
from interpreter.engine import machine
from interpreter.ports import JsonObject
from interpreter.report.columns import width_of
from tests.cli.bank_kit import Desk
from tests.cli.kit import Command, Ended
from tests.unit.kills_kit import Killed

KEYS = ["run_id", "status", "partial", "dry_run", "state", "outputs", "waiting", "blocked", "error"]
WAITING = ["question", "visit", "kind", "text", "shown", "digest", "deadline", "command"]
BOXES = ("run", "boxes.yaml", "--input", "owner=a", "--input")


def boxes(command: Command, number: int, *more: str) -> Ended:
    return command(*BOXES, f"number={number}", *more)


# --- for other programs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "more", "status", "stands"),
    [
        (2, (), 3, "waiting"),
        (9, (), 4, "blocked"),
        (2, ("--dry-run",), 0, "completed"),
        (0, (), 2, "failed"),
    ],
)
def test_json_is_one_object_with_the_same_keys_however_it_ends(
    command: Command, number: int, more: tuple[str, ...], status: int, stands: str
) -> None:
    ended = boxes(command, number, "--json", *more)
    assert ended.status == status
    assert list(ended.json) == KEYS
    assert ended.json["status"] == stands
    assert ended.json["dry_run"] is bool(more)


def test_a_waiting_question_holds_all_that_an_answer_needs(command: Command) -> None:
    (question,) = boxes(command, 2, "--json", "--run-id", "one").json["waiting"]
    assert list(question) == [*WAITING, "choices"]
    assert [choice["id"] for choice in question["choices"]] == ["fill", "leave"]
    assert question["shown"] == [{"id": "a-0", "note": ""}, {"id": "a-1", "note": ""}]
    assert command.paste(question["command"]).status == 0

    (form,) = command("run", "survey.yaml", "--json").json["waiting"]
    assert list(form) == [*WAITING, "schema"]
    assert [field["name"] for field in form["schema"]] == ["mark", "why", "often", "again"]


def test_what_a_run_shows_as_json_is_what_it_ended_with(command: Command) -> None:
    boxes(command, 2, "--run-id", "one")
    ended = command("answer", "one", "go=fill them, all", "--json").json
    shown = command("show", "one", "--json").json
    assert [one["result"] for one in shown.pop("writes")] == ["done", "done"]
    assert shown == ended
    assert ended["outputs"] == {"filled": 2, "before": 0}


def test_an_ended_run_can_be_read_by_a_later_one(command: Command) -> None:
    boxes(command, 2, "--run-id", "one")
    early = boxes(command, 1, "--input", "earlier=one")
    assert (early.status, early.code) == (2, "command/run-not-ended")
    command("answer", "one", "go=leave")
    waiting = boxes(command, 1, "--input", "earlier=one", "--run-id", "two")
    assert waiting.status == 3
    assert command("answer", "two", "go=leave", "--json").json["outputs"]["before"] == 2


@pytest.mark.long
def test_quiet_leaves_the_messages_out_and_keeps_the_question(command: Command) -> None:
    loud = command("run", "pause.yaml", "--dry-run")
    quiet = command("run", "pause.yaml", "--dry-run", "--quiet")
    assert "The pause begins" in loud.err
    assert "The pause begins" not in quiet.err
    assert "2 boxes" in boxes(command, 2, "--quiet").err


def test_nothing_is_coloured_where_nobody_sees_it(command: Command) -> None:
    ended = boxes(command, 2)
    assert "\x1b" not in ended.err
    assert ended.out == ""


# --- ids --------------------------------------------------------------------------------------------------------------


def test_a_run_id_that_exists_says_how_that_run_stands(command: Command) -> None:
    first = boxes(command, 2, "--run-id", "one", "--json")
    again = boxes(command, 2, "--run-id", "one", "--json")
    assert again.status == 3
    assert again.json["waiting"] == first.json["waiting"]
    assert command("runs", "--json").out.count('"one"') == 1


@pytest.mark.parametrize("change", [("--input", "note=x"), ("--set", "limits.most=3")])
def test_a_run_id_that_exists_is_refused_for_another_run(command: Command, change: tuple[str, str]) -> None:
    boxes(command, 2, "--run-id", "one")
    refused = boxes(command, 2, "--run-id", "one", *change)
    assert (refused.status, refused.code) == (2, "command/run-exists")


# --- stopping and going on --------------------------------------------------------------------------------------------


def test_nothing_changed_is_said(command: Command) -> None:
    boxes(command, 9, "--run-id", "one")
    again = command("resume", "one")
    assert again.status == 4
    assert "Nothing has changed" in again.err


@pytest.mark.parametrize(("granted", "status"), [(1, 4), (3, 0)])
def test_a_budget_that_led_to_more_calls_has_changed_something(command: Command, granted: int, status: int) -> None:
    spec = command.folder / "boxes.yaml"
    text = spec.read_text("utf-8").replace(
        "questions: {wait: 7d}", "questions: {wait: 7d}\nbudgets: {calls: {at_most: 1}}"
    )
    spec.write_text(text, "utf-8")
    boxes(command, 4, "--run-id", "one")
    assert command("answer", "one", "go=fill them, all").status == 4
    ended = command("resume", "one", "--budget", f"calls=+{granted}")
    assert ended.status == status, ended
    assert "Nothing has changed" not in ended.err


#: Where a run stops, by the steps and the road that lead to it, and how many calls it may make before it is let go on.
STOPS = {
    "a question": ("{ask: wish, form: {words: {type: string}}}", "to: B", 9),
    "a budget": ("{call: desk.look, with: {id: b}}", "to: B", 1),
    "a gate": ("{say: {done: d, next: n}}", "to: B, gates: [open]", 1),
    "a circle": ("{ask: wish, form: {words: {type: string}}, when: round == 9}", "when: round < 4, to: A}, {to: B", 3),
}
HEAD = """\
uses: {tools: [desk]}
data: {round: {type: integer, default: 0}}
gates: {open: [{that: "round == 9", message: no}, {waivable: true}]}
"""
LET_GO_ON = [
    ("a question", "answer", ["--answers", "answers.yaml"]),
    ("a question", "edited", ["--with-edits"]),
    ("a budget", "resume", ["--budget", "looks=+2"]),
    ("a budget", "edited", ["--with-edits", "--budget", "looks=+9"]),
    ("a gate", "resume", ["--budget", "looks=+1", "--waive", "open", "--reason", "r"]),
    ("a gate", "edited", ["--with-edits"]),
    ("a circle", "resume", ["--budget", "looks=+2"]),
]


def stopped(desk: Desk, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Let the run `one` stop there."""
    monkeypatch.setattr(machine, "TAKEN_UNASKED", 3)
    step, road, calls = STOPS[at]
    look = "{call: desk.look, with: {id: a}}"
    state = "tools: [desk.look]\n    steps:\n"
    desk.tools({"look": ""}, look=[{"give": {}}])
    desk.write("answers.yaml", "wish: {words: tea}\n")
    desk.workflow(
        f"  A:\n    {state}      - set: {{round: '{{{{ round + 1 }}}}'}}\n      - {look}\n      - {step}\n"
        f"    next: [{{{road}}}]\n  B:\n    {state}      - {look}\n",
        f"{HEAD}budgets: {{looks: {{at_most: {calls}}}}}",
    )
    assert desk.run("--run-id", "one").status == (3 if at == "a question" else 4)


@pytest.mark.parametrize(("at", "row", "words"), LET_GO_ON)
def test_a_run_that_was_let_go_on_no_longer_stands_at_that_stop(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, at: str, row: str, words: list[str]
) -> None:
    """Also where the process ends before anything else is on record."""
    stopped(desk, monkeypatch, at)
    if row == "edited":
        desk.write("it.yaml", (desk.folder / "it.yaml").read_text("utf-8").replace("title: It", "title: That"))
    append, last = SqliteJournal.append, [""]

    def killed_after(journal: SqliteJournal, rows: Iterable[tuple[str, str, JsonObject]], *, sync: bool) -> None:
        if last[0] == row:
            raise Killed
        *_, (_, last[0], _) = rows = list(rows)
        append(journal, rows, sync=sync)

    with monkeypatch.context() as patch:
        patch.setattr(SqliteJournal, "append", killed_after)
        with pytest.raises(Killed):
            desk("resume", "one", *words)
    shown = desk("show", "one", "--json").json
    assert (shown["status"], shown["waiting"], shown["blocked"]) == ("interrupted", [], None)
    assert [one["status"] for one in json.loads(desk("runs", "--json").out)] == ["interrupted"]
    assert "interpreter resume one" in desk("show", "one").out
    again = desk("resume", "one", "--budget", "looks=+9")
    assert (again.status, again.code) == (2, "command/no-stop-to-grant-at"), "what was granted is granted once"


@pytest.mark.parametrize(
    ("at", "row", "words"), [one for one in LET_GO_ON if "--budget" in one[2] and one[1] != "edited"]
)
def test_calls_that_are_granted_count_wherever_the_run_stopped(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, at: str, row: str, words: list[str]
) -> None:
    stopped(desk, monkeypatch, at)
    assert desk("resume", "one", *words).status == 0


def test_calls_are_not_granted_where_nothing_would_take_them_up(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(desk, monkeypatch, "a question")
    refused = desk("resume", "one", "--budget", "looks=+5")
    assert (refused.status, refused.code) == (2, "command/no-stop-to-grant-at")
    assert "interpreter resume one" in refused.err


USES_BOXES = """\
workflow: uses_boxes
version: 1.0.0
title: {zh: 用装箱, en: Use boxes}
effect: write
uses: {tools: [box], workflows: [boxes]}
questions: {wait: 7d}
states:
  ONLY:
    tools: [box.fill]
    steps:
      - {use: boxes, id: inside, with: {owner: a, number: 3}, outcome: kept}
"""


@pytest.mark.parametrize("when_spent", ["block", "fail"])
def test_a_budget_of_a_workflow_that_is_used_is_raised_like_one_of_its_user(command: Command, when_spent: str) -> None:
    spec = command.folder / "boxes.yaml"
    budgets = f"budgets: {{fills: {{at_most: 1, when_spent: {when_spent}}}}}"
    spec.write_text(spec.read_text("utf-8").replace("questions:", f"{budgets}\nquestions:"), "utf-8")
    (command.folder / "uses_boxes.yaml").write_text(USES_BOXES, "utf-8")
    assert command("run", "uses_boxes.yaml", "--run-id", "one").status == 3
    blocked = command("answer", "one", "inside.go=fill them, all")
    assert blocked.status == 4
    assert "budget fills is spent" in " ".join(blocked.err.split())
    assert "interpreter resume one --budget fills=+100" in blocked.err
    refused = command("resume", "one", "--budget", "fill=+2")
    assert (refused.status, refused.code) == (2, "command/no-such-budget")
    assert "did you mean fills?" in refused.err
    assert command("resume", "one", "--budget", "fills=+2").status == 0


@pytest.mark.parametrize(
    ("language", "listed", "says"),
    [("en", "overdue", "no answer is taken any more"), ("zh", "已过截止", "不再接受回答")],
)
def test_a_question_whose_time_has_passed_says_so_and_what_goes_on(
    command: Command, language: str, listed: str, says: str
) -> None:
    spec = command.folder / "boxes.yaml"
    spec.write_text(spec.read_text("utf-8").replace("{wait: 7d}", "{wait: 1ms}"), "utf-8")
    words = [*BOXES, "number=2", "--run-id", "one"]
    started = command(*words, language=language)
    if started.status == 4:
        return  # the time had passed before anybody could have been asked
    assert listed in command("runs", language=language).out
    (listed_too,) = json.loads(command("runs", "--json").out)
    assert listed_too["status"] == "waiting"
    assert listed_too["deadline"] < "9"
    shown = command("show", "one", language=language)
    assert says in shown.out
    assert "interpreter answer" not in shown.out
    (question,) = command("show", "one", "--json").json["waiting"]
    assert question["command"] == "interpreter resume one"
    assert command.paste(question["command"]).status == 4


@pytest.mark.parametrize("file", ["head", "journal.sqlite3", "inbox-head"])
def test_a_damaged_run_is_listed_as_damaged_and_waits_for_nobody(command: Command, file: str) -> None:
    boxes(command, 2, "--run-id", "one")
    boxes(command, 2, "--run-id", "two")
    (command.home / "runs" / "one" / file).write_bytes(b"")
    listed = {one["run_id"]: one["status"] for one in json.loads(command("runs", "--json").out)}
    assert listed == {"one": "damaged", "two": "waiting"}
    assert "damaged" in command("runs").out
    assert "已损坏" in command("runs", language="zh").out
    assert "one" not in command("runs", "--waiting").out


@pytest.mark.parametrize(
    "record", [None, "", "[]", '{"status": "well"}'], ids=["none", "empty", "no record", "no status"]
)
def test_of_a_run_whose_record_of_how_it_stands_is_gone_the_journal_tells(command: Command, record: str | None) -> None:
    """As of one that was killed before it had said anything."""
    for name in ("done", "open"):
        boxes(command, 2, "--run-id", name)
    command("answer", "done", "go=fill them, all")
    for name in ("done", "open"):
        told = command.home / "runs" / name / "status.json"
        told.unlink() if record is None else told.write_text(record, "utf-8")
    listed = json.loads(command("runs", "--json").out)
    assert {one["run_id"]: one["status"] for one in listed} == {"done": "completed", "open": "interrupted"}
    assert all(one["workflow"] == "boxes" and one["at"] for one in listed)


def test_a_closed_gate_is_waived_by_name_with_a_reason(command: Command) -> None:
    blocked = boxes(command, 9, "--run-id", "one")
    assert "9 are too many  (boxes.yaml:" in blocked.err
    other = command("resume", "one", "--waive", "few", "--reason", "a big van")
    assert (other.status, other.code) == (2, "command/no-such-gate")
    assert "may be waived: few_enough" in other.err
    assert command("show", "one", "--plan").out == "this run has not yet asked anybody to permit a call\n"
    assert command("resume", "one", "--waive", "few_enough", "--reason", "a big van").status == 3
    assert "few_enough was waived by" in command("show", "one").out
    command("run", "survey.yaml", "--run-id", "two")
    assert "says waivable: true" in command("resume", "two", "--waive", "few_enough", "--reason", "none").err
    assert "a big van" in command("show", "one").out


def test_resume_after_an_edit_names_what_changed_and_stops(command: Command) -> None:
    boxes(command, 9, "--run-id", "one")
    rules = command.folder / "rules" / "limits.yaml"
    rules.write_text(rules.read_text("utf-8").replace("value: 5", "value: 10"), "utf-8")
    stopped = command("resume", "one")
    assert (stopped.status, stopped.code) == (2, "command/documents-changed")
    assert "limits" in stopped.err
    assert "boxes.yaml" not in stopped.err
    changed = [line.strip() for line in stopped.err.splitlines() if line.startswith(("    - ", "    + "))]
    assert [line[0] for line in changed] == ["-", "+"]
    assert ("value: 5" in changed[0], "value: 10" in changed[1]) == (True, True)
    assert command("resume", "one", "--as-recorded").status == 4
    assert command("resume", "one", "--with-edits").status == 3


def test_comments_and_layout_are_no_edit(command: Command) -> None:
    boxes(command, 9, "--run-id", "one")
    rules = command.folder / "rules" / "limits.yaml"
    rules.write_text("# a remark\n" + rules.read_text("utf-8").replace("  most:", "\n  most:"), "utf-8")
    assert command("resume", "one").status == 4


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_run_goes_on_where_nobody_reads_what_it_says(command: Command, more: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = ["interpreter", "run", "boxes.yaml", "--input", "owner=a", "--input", "number=2", "--run-id", "one", *more]
    with os.fdopen(writing, "w") as nobody:
        done = subprocess.run(words, cwd=command.folder, env=command.environment("en"), stdout=nobody, stderr=nobody)
    assert done.returncode == 3
    assert command("show", "one", "--json").json["status"] == "waiting"
    assert command("answer", "one", "go=fill them, all").status == 0


def test_a_cancelled_run_stays_cancelled(command: Command) -> None:
    boxes(command, 2, "--run-id", "one")
    assert command("cancel", "one").status == 6
    assert command("cancel", "one").status == 2
    assert command("answer", "one", "go=fill them, all").status == 2
    assert command("resume", "one").status == 6


def test_a_run_is_cancelled_whatever_became_of_its_documents(command: Command) -> None:
    boxes(command, 2, "--run-id", "edited")
    spec = command.folder / "boxes.yaml"
    spec.write_text(spec.read_text("utf-8").replace("en: Prepare", "en: Prepare them"), "utf-8")
    assert command("resume", "edited").status == 2
    assert command("cancel", "edited").status == 6
    boxes(command, 2, "--run-id", "gone")
    spec.unlink()
    assert command("cancel", "gone").status == 6


WINDS_UP = """
  CLEAN:
    steps:
      - say:
          done: {zh: 收拾好了, en: Everything is tidy}
          next: {zh: 结束, en: It ends}
          writes: false
    next: [{to: end}]
"""


@pytest.mark.parametrize("stopped", ["blocked", "waiting", "interrupted"])
@pytest.mark.parametrize("changed", [False, True], ids=["as it was", "documents changed"])
def test_a_cancel_of_a_run_that_nobody_walks_is_carried_out_at_once(
    command: Command, stopped: str, changed: bool
) -> None:
    name = "pause.yaml" if stopped == "interrupted" else "boxes.yaml"
    spec = command.folder / name
    text = spec.read_text("utf-8")
    text = re.sub(r"(^  [A-Z]+:\n)", r"\1    when_cancelled: CLEAN\n", text, flags=re.MULTILINE) + WINDS_UP
    spec.write_text(text, "utf-8")
    if stopped == "interrupted":
        with command.start("run", name, "--run-id", "one") as process:
            assert process.stderr is not None
            next(line for line in process.stderr if "The pause begins" in line)
            process.kill()
    else:
        boxes(command, 9 if stopped == "blocked" else 2, "--run-id", "one")
    assert command("show", "one", "--json").json["status"] == stopped
    if changed:
        spec.write_text(text.replace("questions: {wait: 7d}", "questions: {wait: 8d}").replace("2s", "3s"), "utf-8")
    cancelled = command("cancel", "one")
    assert (cancelled.status, "Cancelled: Run one" in cancelled.err) == (6, True), cancelled
    assert "Everything is tidy" in cancelled.err
    assert command("runs").out.splitlines()[2].split()[:2] == ["one", "cancelled"]
    assert command("show", "one", "--json").json["status"] == "cancelled"


def test_a_run_whose_question_stands_at_a_terminal_is_said_to_wait(command: Command) -> None:
    with command.terminal(*BOXES, "number=2", "--run-id", "one", NO_COLOR="1") as person:
        person.wait_for("> ")
        shown = command("show", "one")
        assert "Waiting for an answer: Run one" in shown.out
        assert re.search(r"process \d+ is asking this now", shown.out)
        assert "Interrupted" not in shown.out
        assert command("show", "one", "--json").json["status"] == "waiting"
        assert command("runs", "--waiting").out.splitlines()[2].split()[:2] == ["one", "waiting"]
        person.type("leave")
        assert person.ended()[0] == 0
    assert command("runs", "--waiting").out == "no runs\n"


def test_a_run_that_a_process_is_at_work_on_is_said_to_run(command: Command) -> None:
    with command.start("run", "pause.yaml", "--run-id", "one") as process:
        assert process.stderr is not None
        next(line for line in process.stderr if "The pause begins" in line)
        shown = command("show", "one")
    assert "Running: Run one" in shown.out
    assert "interpreter show one --follow" in shown.out


def test_a_cancel_ends_a_question_that_stands_at_a_terminal(command: Command) -> None:
    with command.terminal(*BOXES, "number=2", "--run-id", "one", NO_COLOR="1") as person:
        person.wait_for("> ")
        assert command("cancel", "one").status == 0
        status, text = person.ended()
    assert (status, "Cancelled: Run one" in text) == (6, True)


def test_an_ended_run_is_said_to_have_ended(command: Command) -> None:
    boxes(command, 2, "--run-id", "one")
    command("answer", "one", "go=leave")
    assert command("resume", "one").status == 0
    refused = command("cancel", "one")
    assert (refused.status, refused.code) == (2, "command/run-ended")


def test_runs_lists_the_newest_first_and_those_that_wait(command: Command) -> None:
    boxes(command, 2, "--run-id", "one")
    boxes(command, 9, "--run-id", "two")
    lines = command("runs").out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["two", "one"]
    assert [line.split()[0] for line in command("runs", "--waiting").out.splitlines()[2:]] == ["one"]
    assert "等待回答" in command("runs", language="zh").out


def test_a_run_that_is_done_in_part_is_listed_as_such(command: Command) -> None:
    text = (
        "workflow: part\nversion: 1.0.0\neffect: read\nstates:\n  A: {next: [{to: end, partial: one was left out}]}\n"
    )
    (command.folder / "part.yaml").write_text(text, "utf-8")
    assert command("run", "part.yaml").status == 5
    assert "  in part  " in command("runs").out
    assert "  部分完成  " in command("runs", language="zh").out
    (listed,) = json.loads(command("runs", "--json").out)
    assert (listed["status"], listed["partial"]) == ("completed", True)
    assert "has ended (Completed in part)" in command("cancel", listed["run_id"]).err


def test_every_run_is_one_line_of_80_columns_with_its_time_in_utc(command: Command) -> None:
    boxes(command, 2, "--run-id", "a_long_name_that_somebody_gave_to_a_run_of_boxes_and_survey")
    command("run", "survey.yaml")
    spec = command.folder / "boxes.yaml"
    text = spec.read_text("utf-8").replace("workflow: boxes", "workflow: boxes_of_all_sizes_and_colours")
    (command.folder / "boxes_of_all_sizes_and_colours.yaml").write_text(text.replace("{run: boxes,", "{run: survey,"))
    command("run", "boxes_of_all_sizes_and_colours.yaml", "--input", "owner=a", "--input", "number=9")
    for language in ("en", "zh"):
        lines = command("runs", language=language).out.splitlines()
        assert len(lines) == 5
        assert all(width_of(line) <= 80 for line in lines)
        assert all(re.search(r" \d{4}-\d\d-\d\d \d\d:\d\d UTC$", line) for line in lines[2:])
    assert re.search(r"^\d{8}-\d{6}-[0-9a-f]{8}  stopped", lines[2]) or "已停下" in lines[2]
    assert "PREPARE" in lines[2]
    assert lines[2].count("…") <= 2, "the name of the workflow, and the title of the state"
    assert lines[4].startswith("a_long_name_that")


def test_the_run_that_something_happened_to_last_is_listed_first(command: Command) -> None:
    boxes(command, 2, "--run-id", "one")
    boxes(command, 2, "--run-id", "two")
    command("answer", "one", "go=leave")
    assert [line.split()[0] for line in command("runs").out.splitlines()[2:]] == ["one", "two"]


def test_a_deadline_is_told_in_utc_and_kept_as_iso(command: Command) -> None:
    waiting = boxes(command, 2, "--run-id", "one")
    assert re.search(r"^  Until: \d{4}-\d\d-\d\d \d\d:\d\d UTC$", waiting.err, re.MULTILINE)
    deadline = command("show", "one", "--json").json["waiting"][0]["deadline"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", deadline)


@pytest.mark.long
def test_prune_removes_what_ended_and_nothing_else(command: Command) -> None:
    boxes(command, 2, "--run-id", "waits")
    boxes(command, 2, "--run-id", "ended")
    command("answer", "ended", "go=leave")
    assert command("runs", "--prune", "30d").out == "removed 0 runs\n"
    assert command("runs", "--prune", "0s").out == "removed 1 runs\n"
    assert '"waits"' in command("runs", "--json").out


def test_ctrl_c_leaves_the_run_resumable_and_says_how(command: Command) -> None:
    with command.start("run", "pause.yaml", "--run-id", "one") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "The pause begins" in line:
                break
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait() == 130
    assert "Interrupted; it can go on: Run one" in rest
    assert "Go on with: interpreter resume one" in rest
    assert command("show", "one", "--json").json["status"] == "interrupted"
    ended = command("resume", "one", "--json")
    assert ended.status == 0
    assert ended.json["outputs"] == {"rounds": 2}
    assert "The pause begins" not in ended.err


def test_two_processes_never_walk_one_run(command: Command) -> None:
    with command.terminal(*BOXES, "number=2", "--run-id", "one") as person:
        person.wait_for("> ")
        second = command("resume", "one")
        assert (second.status, second.code) == (2, "run/in-use")
        assert command("show", "one").status == 3 or command("show", "one").status == 0
        person.type("leave")
        assert person.ended()[0] == 0


def test_a_closed_standard_input_is_nobody(command: Command) -> None:
    done = subprocess.run(
        ["sh", "-c", "interpreter run boxes.yaml --input owner=a --input number=2 --json <&-"],
        cwd=command.folder,
        env=command.environment("en"),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert Ended(done.returncode, done.stdout, done.stderr).json["status"] == "waiting"


def _many_findings(command: Command) -> Path:
    """Return a document with more findings than a pipe holds."""
    spec = command.folder / "many.yaml"
    spec.write_text("workflow: many\n" + "".join(f"statess{number}: {{}}\n" for number in range(500)), "utf-8")
    return spec


@pytest.mark.parametrize(
    "line", ["{ interpreter lint many.yaml; echo $? >&2; } | head -n 1", "interpreter lint many.yaml >&-; echo $? >&2"]
)
def test_a_reader_that_is_not_there_changes_nothing_of_how_a_command_ends(command: Command, line: str) -> None:
    _many_findings(command)
    assert command.paste(line).err == "1\n"


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_a_reader_that_goes_away_changes_nothing_in_any_form(
    command: Command, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", outliving(pipe))
        assert run_command(["lint", str(_many_findings(command)), "--no-cache", "--format", form]) == 1


# --- titles of strangers ----------------------------------------------------------------------------------------------

HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202eevil\u2066\r[bold red]x[/]\x9b31m"


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_control_characters_of_a_title_never_reach_the_terminal(command: Command, more: tuple[str, ...]) -> None:
    words = ("--input", f"note={HOSTILE}", "--run-id", "one", *more)
    waiting = boxes(command, 1, *words)
    assert waiting.status == 3
    shown = command("show", "one")
    table = command("show", "one", "--plan")
    for text in (waiting.err, waiting.out, shown.out, table.out):
        assert not set(text) & set("\x1b\x07\r\x9b\u202e\u2066"), text
    assert "\\x1b[2J" in waiting.err
    assert "[bold red]x[/]" in waiting.err


def test_changed_documents_are_named_by_the_paths_that_can_be_typed(command: Command) -> None:
    boxes(command, 9, "--run-id", "one")
    rules = command.folder / "rules" / "limits.yaml"
    rules.write_text(rules.read_text("utf-8").replace("value: 5", "value: 10"), "utf-8")
    assert "documents changed since the run began: rules/limits.yaml\n" in command("resume", "one").err
    above = command.paste("cd .. && interpreter resume one")
    assert "documents changed since the run began: specs/rules/limits.yaml\n" in above.err


def test_a_run_goes_on_in_another_folder_than_it_was_begun_in(command: Command) -> None:
    boxes(command, 9, "--run-id", "one")
    waived = command.paste("cd rules && interpreter resume one --waive few_enough --reason enough")
    assert waived.status == 3


CIRCLE = """\
workflow: circle
version: 1.0.0
title: Circle
effect: read
questions: {wait: 7d}
data: {rounds: {type: integer, default: 0}}
states:
  ONLY:
    steps:
      - set: {rounds: "{{ rounds + 1 }}"}
      - ask: more
        when: rounds < 1
        form: {word: {type: string}}
        text: {done: d, next: n, writes: false}
        refused: block
    next:
      - {when: rounds > 0, to: ONLY}
      - {to: end}
"""


def test_a_circle_whose_question_is_passed_by_stops_and_can_go_on(command: Command) -> None:
    (command.folder / "circle.yaml").write_text(CIRCLE, "utf-8")
    stopped = command("run", "circle.yaml", "--run-id", "one")
    assert stopped.status == 4
    assert "the run went from here to ONLY 10000 times" in stopped.err
    assert "circle.yaml:17:9" in stopped.err
    assert "to ONLY 20000 times" in command("resume", "one").err
