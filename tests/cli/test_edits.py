"""Documents and profiles that change while a run stands: what is named, what is taken up, what a yes is still worth."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from interpreter.session.edits import Edit, changed_lines
from tests.cli.kit import Command, Ended
from tests.logs import logged

#: Writes down what it was sent, and answers.
CLERK = """#!{python} -S
import json, sys
open({log!r}, "a").write(json.dumps([sys.argv[0].rpartition("/")[2], *sys.argv[1:]]) + "\\n")
print(json.dumps({{"ok": True, "data": {{"words": "tea"}}}}))
"""
TOOLS = """\
tools: desk
desk.read:
  effect: read
  input: {type: object, properties: {id: {type: string}}}
  output: {type: object, required: [words], properties: {words: {type: string}}}
  example: {words: tea}
desk.file:
  effect: write
  input: {type: object, properties: {id: {type: string}}}
  output: {type: object}
  example: {}
"""
PROFILE = """\
profile: desk
tools:
  desk.read: &clerk
    adapter: command
    settings: {program: ../clerk}
    request: {argv: [read, "{{ id }}"]}
    success: exit == 0 and answer.ok == true
    value: "{{ answer.data }}"
  desk.file: {<<: *clerk, request: {argv: [file, "{{ id }}"]}, value: "{{ answer.data }}"}
"""
HEAD = """\
workflow: it
version: 1.0.0
title: It
effect: write
uses: {tools: [desk]}
questions: {wait: 7d}
states:
"""
READS = """\
  READ:
    tools: [desk.read]
    steps:
      - {call: desk.read, with: {id: a}, as: paper}
"""
ASKS = """\
  PLAN:
    tools: [desk.file]
    steps:
      - confirm: go
        permits: [{id: f, tool: desk.file, with: {id: a}}]
        text: {done: d, next: n, writes: true}
        choices: [{id: file_it, confirms: true}, {id: leave, to: end}]
        refused: block
"""
FILES = "      - {call: desk.file, needs: go, with: {id: a}}\n"
IN_THE_SAME_STATE = ASKS + FILES
IN_ANOTHER_STATE = f"{ASKS}    next: [{{to: FILE}}]\n  FILE:\n    tools: [desk.file]\n    steps:\n{FILES}"
BETWEEN = (
    f"{ASKS}    next: [{{to: READ}}]\n{READS}    next: [{{to: FILE}}]\n"
    f"  FILE:\n    tools: [desk.file]\n    steps:\n{FILES}"
)
READS_AFTER = f"{IN_THE_SAME_STATE}    next: [{{to: READ}}]\n{READS}"


class Desk:
    """A workflow on a program, whose profile is written and mended."""

    def __init__(self, command: Command, states: str) -> None:
        self.command = command
        self._log = command.folder / "log.jsonl"
        for name in ("clerk", "other"):
            program = command.folder / name
            program.write_text(CLERK.format(python=sys.executable, log=str(self._log)), "utf-8")
            program.chmod(0o755)
        (command.folder / "it.yaml").write_text(HEAD + states, "utf-8")
        (command.folder / "tools" / "desk.yaml").write_text(TOOLS, "utf-8")

    def profile(self, text: str = PROFILE) -> None:
        (self.command.folder / "profiles" / "desk.yaml").write_text(text, "utf-8")

    def run(self) -> Ended:
        return self.command("run", "it.yaml", "--profile", "desk", "--trust-profile", "--run-id", "one")

    def __call__(self, *words: str) -> Ended:
        return self.command(*words, "--trust-profile")

    @property
    def sent(self) -> list[list[str]]:
        return logged(self._log)


ELSEWHERE = PROFILE.replace("../clerk", "../other")
NOT_THERE = PROFILE.replace("../clerk", "../clark")
WRONG = {
    "program": NOT_THERE,
    "success": PROFILE.replace("exit == 0", "exit == 3"),
    "value": PROFILE.replace("answer.data", "answer.date", 1),
    "adapter": "profile: desk\n"
    'tools: {desk.read: &no {adapter: compute, answer: {words: "{{ [] | first }}"}}, desk.file: *no}\n',
}


def test_lines_that_changed_are_shown_without_secrets_that_somebody_wrote_into_them(tmp_path: Path) -> None:
    path = tmp_path / "desk.yaml"
    path.write_text("settings:\n  bearer_from: sk-two\n", "utf-8")
    shown = list(changed_lines([Edit("desk.yaml", path, "settings:\n  bearer_from: sk-first\n")]))
    assert shown == [(" ", "desk.yaml"), ("-", "2:   bearer_from: ••••••••"), ("+", "2:   bearer_from: ••••••")]


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_run_goes_on_after_its_profile_was_mended(command: Command, wrong: str) -> None:
    desk = Desk(command, READS)
    desk.profile(wrong)
    assert desk.run().status == 4
    assert desk("resume", "one").status == 4
    desk.profile()
    named = desk("resume", "one")
    assert (named.status, named.code) == (2, "command/documents-changed")
    assert "profiles/desk.yaml" in named.err
    assert [line[:6] for line in named.err.splitlines() if line.startswith(("    - ", "    + "))]
    assert ("another place: desk.file, desk.read: " in " ".join(named.err.split())) == (
        wrong in (NOT_THERE, WRONG["adapter"])
    )
    assert desk("resume", "one", "--as-recorded").status == 4
    assert command("resume", "one", "--with-edits").code == "command/profile-not-trusted"
    assert desk("resume", "one").code == "command/documents-changed"
    before = len(desk.sent)
    assert desk("resume", "one", "--with-edits").status == 0
    assert desk.sent[before:] == [["clerk", "read", "a"]]


def test_a_profile_that_the_own_one_stands_on_is_trusted_and_taken_up_like_it(command: Command) -> None:
    desk = Desk(command, READS)
    desk.profile("profile: desk\nextends: [clerks]\ntools: {}\n")
    below = command.folder / "profiles" / "clerks.yaml"
    below.write_text(NOT_THERE.replace("profile: desk", "profile: clerks"), "utf-8")
    assert desk.run().status == 4
    below.write_text(PROFILE.replace("profile: desk", "profile: clerks"), "utf-8")
    named = desk("resume", "one")
    assert (named.status, named.code) == (2, "command/documents-changed")
    assert "profiles/clerks.yaml" in named.err
    assert "profiles/desk.yaml" not in named.err
    untrusted = command("resume", "one", "--with-edits")
    assert untrusted.code == "command/profile-not-trusted"
    assert "the text of clerks" in " ".join(untrusted.err.split())
    assert desk("resume", "one", "--with-edits").status == 0
    assert desk.sent == [["clerk", "read", "a"]]
    again = ("run", "it.yaml", "--profile", "desk", "--run-id")
    assert command(*again, "two").status == 0
    below.write_text(ELSEWHERE.replace("profile: desk", "profile: clerks"), "utf-8")
    assert command(*again, "three").code == "command/profile-not-trusted"
    assert command(*again, "four", "--trust-profile").status == 0
    assert [words[0] for words in desk.sent] == ["clerk", "clerk", "other"]


@pytest.mark.parametrize(
    "states", [IN_THE_SAME_STATE, IN_ANOTHER_STATE, BETWEEN], ids=["same state", "another state", "a state between"]
)
def test_what_was_permitted_at_one_place_is_asked_anew_at_another(command: Command, states: str) -> None:
    desk = Desk(command, states)
    desk.profile(NOT_THERE)
    desk.run()
    assert desk("answer", "one", "go=file_it").status == 4
    desk.profile()
    again = desk("resume", "one", "--with-edits", "--json")
    assert again.status == 3, again
    assert "PLAN begins anew" in again.err
    assert desk.sent == []
    (question,) = again.json["waiting"]
    assert (question["question"], question["visit"]) == ("go", 2)
    assert desk("answer", "one", "go#1=file_it").status == 2
    assert desk("answer", "one", "go=file_it").status == 0
    assert [words for words in desk.sent if words[1] == "file"] == [["clerk", "file", "a"]]


def test_a_profile_that_changes_while_a_question_waits_is_named(command: Command) -> None:
    desk = Desk(command, IN_THE_SAME_STATE)
    desk.profile()
    desk.run()
    desk.profile(ELSEWHERE)
    for words in (("resume", "one"), ("answer", "one", "go=file_it")):
        refused = desk(*words)
        assert (refused.status, refused.code) == (2, "command/documents-changed")
        assert "/clerk → " in refused.err.replace("\n   ", "")
    assert desk("answer", "one", "go=file_it", "--as-recorded").status == 0
    assert desk.sent == [["clerk", "file", "a"]]


@pytest.mark.parametrize(
    ("mended", "code"),
    [(PROFILE, None), (ELSEWHERE, "command/written-elsewhere")],
    ids=["at the same place", "at another place"],
)
def test_a_run_that_has_written_goes_on_only_at_the_place_where_it_wrote(
    command: Command, mended: str, code: str | None
) -> None:
    desk = Desk(command, READS_AFTER)
    desk.profile(WRONG["value"])
    desk.run()
    assert desk("answer", "one", "go=file_it").status == 4
    desk.profile(mended)
    ended = desk("resume", "one", "--with-edits")
    assert ended.status == (2 if code else 0), ended
    assert code is None or ended.code == code
    assert [words[1] for words in desk.sent].count("file") == 1


@pytest.mark.parametrize("fresh", ["# a remark\n" + PROFILE, PROFILE.replace("../clerk", '"../clerk"')])
def test_remarks_and_layout_of_a_profile_are_no_edit(command: Command, fresh: str) -> None:
    desk = Desk(command, IN_THE_SAME_STATE)
    desk.profile()
    desk.run()
    desk.profile(fresh)
    assert desk("answer", "one", "go=file_it").status == 0


GONE = {
    "workflow": ("it.yaml", "answer"),
    "contract": ("tools/desk.yaml", "resume"),
    "profile": ("profiles/desk.yaml", "resume"),
}


@pytest.mark.parametrize(("name", "verb"), GONE.values(), ids=list(GONE))
def test_a_document_that_is_gone_is_named_alone_and_the_run_can_go_on_as_recorded(
    command: Command, name: str, verb: str
) -> None:
    desk = Desk(command, IN_THE_SAME_STATE)
    desk.profile()
    desk.run()
    (command.folder / name).unlink()
    words = ("answer", "one", "go=file_it") if verb == "answer" else ("resume", "one")
    refused = desk(*words)
    assert (refused.status, refused.code) == (2, "command/documents-gone")
    named = " ".join(refused.err.split()).partition("[command/")[0]
    assert [one for one, _ in GONE.values() if one in named] == [name]
    assert not [line for line in refused.err.splitlines() if line.strip()[:2] in ("- ", "+ ")], refused
    assert "--with-edits" not in refused.err
    assert desk("resume", "one", "--with-edits").status == 2
    line = next(line.strip() for line in refused.err.splitlines() if "interpreter " in line)
    again = command.paste(line[line.index("interpreter ") :] + " --trust-profile")
    assert again.status == (0 if verb == "answer" else 3), again


def test_a_document_that_cannot_be_read_any_more_is_named_alone(command: Command) -> None:
    desk = Desk(command, IN_THE_SAME_STATE)
    desk.profile()
    desk.run()
    (command.folder / "it.yaml").write_text("workflow: [", "utf-8")
    refused = desk("resume", "one")
    assert refused.code == "command/documents-changed"
    assert "tools/desk.yaml" not in refused.err
    assert "it.yaml" in refused.err


def test_the_ways_to_go_on_after_an_edit_are_whole_commands(command: Command) -> None:
    desk = Desk(command, IN_THE_SAME_STATE)
    desk.profile()
    desk.run()
    desk.profile(ELSEWHERE)
    for words in (("answer", "one", "go=file_it"), ("resume", "one")):
        refused = desk(*words)
        lines = [line.partition("interpreter ")[2] for line in refused.err.splitlines() if "interpreter " in line]
        assert lines == [f"{' '.join(words)} --as-recorded", "resume one --with-edits"]


@pytest.mark.parametrize("states", [IN_THE_SAME_STATE, IN_ANOTHER_STATE, BETWEEN], ids=["same", "another", "between"])
def test_a_run_that_took_up_an_edit_is_recorded_as_it_counted_in_the_end(command: Command, states: str) -> None:
    desk = Desk(command, states)
    desk.profile()
    desk.run()
    desk.profile(ELSEWHERE)
    assert desk("resume", "one", "--with-edits").status == 3
    assert desk("answer", "one", "go=file_it").status == 0
    assert command("record", "one", "--with-content", "--out", "tests/recorded.yaml").status == 0
    text = (command.folder / "tests" / "recorded.yaml").read_text("utf-8")
    assert "took up edits in PLAN" in text
    assert "goes another way" not in text
    assert "abandoned" not in text
    assert command("test", "tests/recorded.yaml").status == 0
    assert "as recorded" in command("test", "--replay", "one").out


def test_a_run_whose_edit_changed_what_came_before_says_why_it_is_no_case(command: Command) -> None:
    desk = Desk(command, f"{READS}    next: [{{to: PLAN}}]\n{ASKS}{FILES}")
    desk.profile()
    desk.run()
    spec = command.folder / "it.yaml"
    before = "{call: desk.read, with: {id: b}, as: other}"
    spec.write_text(spec.read_text("utf-8").replace("as: paper}\n", f"as: paper}}\n      - {before}\n"), "utf-8")
    assert desk("resume", "one", "--with-edits").status == 3
    assert desk("answer", "one", "go=file_it").status == 0
    refused = command("record", "one", "--with-content")
    assert (refused.status, refused.code) == (2, "command/recording-took-up-edits")
    assert "READ, desk.read" in " ".join(refused.err.split())


def test_no_edit_is_taken_up_by_a_visit_that_has_written(command: Command) -> None:
    desk = Desk(command, IN_THE_SAME_STATE + READS.partition("steps:\n")[2])
    spec = command.folder / "it.yaml"
    spec.write_text(spec.read_text("utf-8").replace("tools: [desk.file]", "tools: [desk.file, desk.read]"), "utf-8")
    desk.profile(WRONG["value"])
    desk.run()
    stopped = desk("answer", "one", "go=file_it")
    assert stopped.status == 4
    for told in (stopped, command("show", "one")):  # nothing is proposed that would be refused
        assert "--with-edits" not in told.err + told.out
        assert "no edit can be taken up" in " ".join((told.err + told.out).split())
    desk.profile()
    assert desk("resume", "one", "--with-edits").code == "command/write-begun"


TWICE = "      - {call: desk.read, with: {id: b}, as: other}\n"


def test_more_calls_may_be_allowed_while_an_edit_is_taken_up(command: Command) -> None:
    desk = Desk(command, READS + TWICE)
    spec = command.folder / "it.yaml"
    spec.write_text(spec.read_text("utf-8").replace("states:\n", "budgets: {looks: {at_most: 1}}\nstates:\n"), "utf-8")
    desk.profile()
    assert "the budget looks is spent" in desk.run().err
    desk.profile(ELSEWHERE)
    assert desk("resume", "one", "--with-edits", "--budget", "other=+9").code == "command/no-such-budget"
    assert desk("resume", "one", "--with-edits", "--budget", "looks=+1").status == 0
    assert [words[-1] for words in desk.sent] == ["a", "a", "b"]


def test_no_more_calls_are_granted_to_a_workflow_that_begins_anew_itself(command: Command) -> None:
    desk = Desk(command, "  ONLY:\n    tools: [desk.read]\n    steps:\n      - {use: part}\n")
    spec = command.folder / "it.yaml"
    part = spec.read_text("utf-8").partition("states:")[0].replace("workflow: it", "workflow: part")
    (command.folder / "part.yaml").write_text(
        f"{part}budgets: {{looks: {{at_most: 1}}}}\nstates:\n{READS}{TWICE}", "utf-8"
    )
    spec.write_text(spec.read_text("utf-8").replace("tools: [desk]", "tools: [desk], workflows: [part]"), "utf-8")
    desk.profile()
    assert "the budget looks is spent" in desk.run().err
    desk.profile(ELSEWHERE)
    assert desk("resume", "one", "--with-edits", "--budget", "looks=+1").code == "command/no-such-budget"
    assert "the budget looks is spent" in desk("resume", "one", "--with-edits").err
    assert desk("resume", "one", "--budget", "looks=+1").status == 0


def test_no_gate_is_waived_that_does_not_stop_the_run_now(command: Command) -> None:
    waive = ("--waive", "few_enough", "--reason", "a big van")
    command("run", "boxes.yaml", "--input", "owner=a", "--input", "number=9", "--run-id", "one")
    spec = command.folder / "boxes.yaml"
    was = spec.read_text("utf-8")
    spec.write_text(was.replace("个太多了", "个太多"), "utf-8")
    assert command("resume", "one", "--with-edits", *waive).code == "command/no-such-gate"
    spec.write_text(was, "utf-8")
    assert command("resume", "one", *waive).status == 3
    assert command("resume", "one", *waive).code == "command/no-such-gate"
