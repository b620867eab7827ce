"""What commands show: where it is printed, in whose words, and the commands in it that can be copied."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest

from interpreter.cli.looking import as_csv
from tests.cli.kit import Command

BOXES = ("run", "boxes.yaml", "--input", "owner=a", "--input", "number=2", "--run-id", "one")
#: What a text does to a terminal that takes it for commands, or turns around.
HOSTILE = "\x1b[2J\u202e\x07\x9b"

SAYS = """\
workflow: says
version: 1.0.0
title: Says
effect: read
data:
  rows: {type: array, items: {type: object}, default: ROWS}
states:
  ONLY:
    title: TITLE
    steps:
      - say:
          done: Done
          next: The end
          writes: false
          tables: [{rows: rows, row: r, columns: {name: "{{ r.name }}", text: "{{ r.text }}"}}]
"""
CHOOSES = """\
workflow: says
version: 1.0.0
title: Says
effect: read
questions: {wait: 7d}
states:
  ONLY:
    steps:
      - confirm: go
        text: {done: Done, next: It goes on, writes: false}
        choices: [{id: go, label: Go on, confirms: true}, {id: stop, label: Stop}]
"""
FORM = """\
workflow: form
version: 1.0.0
title: Form
effect: read
questions: {wait: 7d}
states:
  ONLY:
    steps:
      - ask: choice
        text: {done: Some, next: Those that you name, writes: false}
        form: FORM
"""


def says(command: Command, rows: str, title: str = "Only") -> str:
    text = SAYS.replace("ROWS", rows).replace("TITLE", title)
    (command.folder / "says.yaml").write_text(text, "utf-8")
    ended = command("run", "says.yaml", "--run-id", "said")
    assert ended.status == 0, ended
    return ended.err


@pytest.mark.parametrize("begins", [*"=+-@\t\r＝＋－＠", "::", "##["])
def test_no_cell_of_a_plan_is_a_formula_and_no_line_a_command(begins: str) -> None:
    heading, line = as_csv([f"{begins}a"], [[f"{begins}b"]]).splitlines()
    assert heading[0] == line[0] == "'"


SHOWN = [
    ("show", "one"),
    ("show", "one", "--plan"),
    ("show", "one", "--plan", "--format", "csv"),
    ("show", "one", "--evidence"),
    ("show", "one", "--json"),
    ("runs",),
    ("explain", "run/gate-closed"),
    ("doctor",),
    ("graph", "boxes.yaml"),
    ("schema", "workflow"),
    ("lint", "boxes.yaml"),
    ("prove", "boxes.yaml"),
    ("test", "tests/boxes.yaml"),
    ("tools", "check", "--profile", "local"),
]


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_what_a_command_is_asked_to_show_is_on_standard_output(command: Command, words: tuple[str, ...]) -> None:
    command(*BOXES)
    ended = command(*words)
    assert ended.out != ""
    assert ended.err == ""


READ_BY_PROGRAMS = [
    ("show", "one", "--json"),
    ("show", "one", "--plan", "--json"),
    ("show", "one", "--evidence", "--json"),
    ("show", "none", "--plan", "--json"),
    ("runs", "--json"),
    ("runs", "--prune", "0d", "--json"),
    ("lint", "boxes.yaml", "--format", "json"),
    ("lint", "none.yaml", "--format", "json"),
    ("lint", "none.yaml", "--format", "sarif"),
    ("prove", "none.yaml", "--json"),
    ("test", "none.yaml", "--json"),
    ("rules", "check", "none.yaml", "--json"),
    ("answer", "one", "go=no", "--json"),
    ("cancel", "none", "--json"),
]


@pytest.mark.parametrize("words", READ_BY_PROGRAMS, ids=" ".join)
def test_what_programs_read_is_one_json_value_and_nothing_else(command: Command, words: tuple[str, ...]) -> None:
    command(*BOXES)
    ended = command(*words)
    assert isinstance(json.loads(ended.out), dict | list), ended


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device here is always full")
@pytest.mark.parametrize(
    "words",
    [
        ("show", "one"),
        ("runs",),
        ("schema", "workflow"),
        ("--help",),
        ("run", "--help"),
        ("help", "lint"),
        ("--version",),
    ],
    ids=" ".join,
)
def test_what_cannot_be_written_where_it_was_asked_for_is_no_success(command: Command, words: tuple[str, ...]) -> None:
    command(*BOXES)
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            ["interpreter", *words],
            cwd=command.folder,
            env=command.environment("en"),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (ended.returncode, "No space left" in ended.stderr) == (2, True)


@pytest.mark.parametrize(
    "words", [("show", "none"), ("show", "none", "--plan"), ("explain", "no/code"), ("graph", "x")]
)
def test_what_keeps_it_from_being_shown_is_on_standard_error(command: Command, words: tuple[str, ...]) -> None:
    ended = command(*words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err != ""


@pytest.mark.parametrize(("language", "titles"), [("en", ("Prepare", "Fill")), ("zh", ("准备", "装箱"))])
def test_a_state_is_shown_with_its_title_in_the_language_of_the_reader(
    command: Command, language: str, titles: tuple[str, str]
) -> None:
    command(*BOXES)
    shown = command("show", "one", language=language).out
    assert [line[2:] for line in shown.splitlines() if line.startswith("— ")] == [
        f"PREPARE  {titles[0]}",
        f"FILL  {titles[1]}",
    ]
    (line,) = command("runs", language=language).out.splitlines()[2:]
    assert f"FILL  {titles[1]}" in line


def test_a_title_does_nothing_to_a_terminal(command: Command) -> None:
    says(command, "[]", title='"' + "".join(f"\\u{ord(mark):04x}" for mark in HOSTILE) + '"')
    for shown in (command("show", "said").out, command("runs").out):
        assert not set(HOSTILE.replace("[2J", "")) & set(shown)
        assert "\\u202e" in shown


# --- cells of several lines -------------------------------------------------------------------------------------------


def test_the_lines_of_a_cell_stand_below_each_other(command: Command) -> None:
    rows = '[{name: a, text: "one\\ntwo\\r\\nthree\\n"}, {name: b, text: four}]'
    told = says(command, rows)
    assert "\n  a     one\n        two\n        three\n  b     four\n" in told
    assert "\\n" not in told
    assert "\n  a     one\n        two\n" in command("show", "said").out


def test_a_line_in_the_first_column_is_no_row_of_its_own(command: Command) -> None:
    told = says(command, '[{name: "a\\nb  yes", text: one}]')
    assert "\n  a⏎      one\n  b  yes\n" in told


def test_long_lines_of_a_cell_keep_to_the_width(command: Command) -> None:
    rows = f'[{{name: a, text: "{" ".join(["word"] * 40)}\\nlast"}}]'
    told = says(command, rows)
    assert max(map(len, told.splitlines())) <= 80
    assert "\n        last\n" in told


def test_a_cell_does_nothing_else_to_a_terminal(command: Command) -> None:
    escaped = "".join(f"\\u{ord(mark):04x}" for mark in HOSTILE)
    told = says(command, f'[{{name: "{escaped}", text: "a\\n{escaped}\\rb\\n» 1. yes"}}]')
    assert not set(HOSTILE.replace("[2J", "") + "\r") & set(told)
    assert not re.search("^ {0,1}»", told, re.MULTILINE)


# --- commands to copy -------------------------------------------------------------------------------------------------

FORMS = {
    "all optional": (
        "{drop: {type: array, items: {type: string}, optional: true}, note: {type: string, optional: true}}",
        ["choice={}", 'choice={"drop":["…"]}'],
    ),
    "one text": ("{note: {type: string, optional: true}}", ["choice={}", 'choice={"note":"…"}']),
    "one needed": ("{count: {type: integer}, note: {type: string, optional: true}}", ['choice={"count":0}']),
}


@pytest.mark.parametrize(("form", "answers"), FORMS.values(), ids=list(FORMS))
def test_how_a_field_is_given_is_shown_where_none_has_to_be(command: Command, form: str, answers: list[str]) -> None:
    (command.folder / "form.yaml").write_text(FORM.replace("FORM", form), "utf-8")
    asked = command("run", "form.yaml", "--run-id", "one")
    lines = re.findall(r"interpreter answer one '(.*)'$", asked.err, re.MULTILINE)
    assert lines == answers
    ended = command.paste(f"interpreter answer one '{lines[-1]}'")
    assert ended.status == 0, ended


@pytest.mark.parametrize("home", [(), ("--home", "elsewhere")], ids=["the usual home", "another home"])
def test_what_is_cut_names_the_whole_command_that_prints_it(command: Command, home: tuple[str, ...]) -> None:
    asked = command(*BOXES[:2], "--input", "owner=" + "a" * 80, "--input", "number=4", "--run-id", "one", *home)
    line = next(line for line in asked.err.splitlines() if "--plan" in line)
    shown = command.paste(line[line.index("interpreter ") :])
    assert (shown.status, shown.out.count("box.fill")) == (0, 4)


#: A run that stops for each of these reasons says what goes on with it in a hint as well.
STOPS = {
    "an expression": (
        "effect: read\ndata: {rows: {type: array, default: []}}\n"
        "states: {ONLY: {steps: [{let: {first: 'rows[0]'}}, {say: {done: '{{ first }}', next: End, writes: false}}]}}\n"
    ),
    "a budget": (
        "effect: write\nuses: {tools: [box]}\nwrites_without_confirmation: a box\nbudgets: {few: {at_most: 0}}\n"
        "states: {ONLY: {tools: [box.fill], steps: [{call: box.fill, with: {id: a, color: red}}]}}\n"
    ),
}


@pytest.mark.parametrize("home", [(), ("--home", "else where")], ids=["the usual home", "another home"])
@pytest.mark.parametrize("rest", STOPS.values(), ids=list(STOPS))
def test_every_command_that_a_stop_names_is_one_of_its_home(command: Command, rest: str, home: tuple[str, ...]) -> None:
    command.folder.joinpath("stops.yaml").write_text(f"workflow: stops\nversion: 1.0.0\ntitle: Stops\n{rest}", "utf-8")
    stopped = command("run", "stops.yaml", "--run-id", "one", *home)
    assert stopped.status == 4, stopped
    told = re.findall(r"interpreter \w+ one.*", " ".join(stopped.err.split()).replace("interpreter", "\ninterpreter"))
    assert len(told) > 1
    assert all(("--home 'else where'" in line) == bool(home) for line in told), stopped


#: What is asked of a run that has ended, or of one that waits, and is refused with a hint that names a command.
REFUSED = {
    "a run that is not there": (SAYS, ("show", "none")),
    "an answer to what has ended": (SAYS, ("answer", "one", "x=1")),
    "a cancel of what has ended": (SAYS, ("cancel", "one")),
    "a choice as a number unseen": (CHOOSES, ("answer", "one", "1")),
}


@pytest.mark.parametrize("home", [(), ("--home", "else where")], ids=["the usual home", "another home"])
@pytest.mark.parametrize(("text", "asked"), REFUSED.values(), ids=list(REFUSED))
def test_every_command_that_a_refusal_names_is_one_of_its_home(
    command: Command, text: str, asked: tuple[str, ...], home: tuple[str, ...]
) -> None:
    command.folder.joinpath("says.yaml").write_text(text.replace("ROWS", "[]").replace("TITLE", "Only"), "utf-8")
    command("run", "says.yaml", "--run-id", "one", *home)
    refused = command(*asked, *home)
    assert refused.status == 2, refused
    commands = " ".join(refused.err.split()).replace("interpreter", "\ninterpreter")
    told = re.findall(r"interpreter (?:\w+ one|runs).*", commands)
    assert told, refused
    assert [line.count("--home 'else where'") for line in told] == [int(bool(home))] * len(told), refused


def test_a_dry_run_names_no_command_that_needs_a_run(command: Command) -> None:
    ended = command(*BOXES[:-2], "--dry-run")
    assert (ended.status, "interpreter " in ended.err) == (0, False), ended
    command.folder.joinpath("look.yaml").write_text(LOOK, "utf-8")
    stopped = command("run", "look.yaml", "--dry-run", "--json")
    lines = [line.strip() for line in stopped.err.splitlines() if "interpreter " in line or "resume" in line]
    assert lines == ["Rehearse again with: interpreter run look.yaml --dry-run --json"], stopped
    assert stopped.json["status"] == "blocked"


def test_a_dry_run_begins_only_where_it_is_known_what_its_writes_answer(command: Command) -> None:
    contract = command.folder / "tools" / "box.yaml"
    contract.write_text(contract.read_text("utf-8").replace("  example: {filled: true}\n", ""), "utf-8")
    ended = command(*BOXES[:-2], "--dry-run")
    assert (ended.status, ended.code) == (2, "command/no-example")
    assert "rehearsed: box.fill" in ended.err


@pytest.mark.parametrize(("language", "ended", "stopped"), [("en", "completed", "stopped"), ("zh", "完成", "已停下")])
def test_a_dry_run_says_nothing_that_holds_for_a_run_alone(
    command: Command, language: str, ended: str, stopped: str
) -> None:
    command.folder.joinpath("look.yaml").write_text(LOOK, "utf-8")
    for few, says in (("1", ended), ("3", stopped)):
        told = command(
            "run", "look.yaml", "--input", f"few={few}", "--dry-run", "--run-id", "one", language=language
        ).err
        assert "restore_of=RUN" in told  # no id: nobody can name a run that is not kept
        heading = {"en": f"Rehearsal: {says}", "zh": f"演练：{says}"}[language]
        assert heading in told.splitlines(), told


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("{what: {title: What, choices: [{value: again}, {value: other}, {value: leave}]}}", 3),
        ("{why: {type: string}, what: {title: What, start: again, choices: [{value: again}, {value: leave}]}}", 2),
        ("{what: {title: What, choices: [{value: leave}, {value: again}]}}", 1),
    ],
    ids=["choices", "after a text", "the first one ends it"],
)
def test_a_form_that_comes_again_as_it_was_is_rehearsed_with_its_next_choice(
    command: Command, form: str, shown: int
) -> None:
    circle = "    next: [{when: choice.what == 'leave', to: LAST}, {to: ONLY}]\n  LAST: {}\n"
    command.folder.joinpath("form.yaml").write_text(FORM.replace("form: FORM", f"form: {form}") + circle, "utf-8")
    ended = command("run", "form.yaml", "--dry-run")
    assert (ended.status, ended.err.count("[rehearsal]")) == (0, shown), ended


@pytest.mark.parametrize(("to", "status"), [("FILL", 0), ("end", 5)], ids=["after a write", "before any"])
def test_a_rehearsal_is_in_part_only_before_the_first_write(command: Command, to: str, status: int) -> None:
    document = command.folder / "boxes.yaml"
    head, last = (
        document.read_text("utf-8")
        .replace("to: FILL", f"to: {to}{', partial: Some' * (to == 'end')}")
        .rsplit("{to: end}", 1)
    )
    document.write_text(f"{head}{{to: end, partial: Some}}{last}", "utf-8")
    ended = command(*BOXES[:-2], "--dry-run", "--json")
    assert (ended.status, ended.json["status"]) == (status, "completed"), ended


LOOK = """\
workflow: look
version: 1.0.0
title: Look
effect: read
inputs: {few: {type: integer, default: 3}}
gates:
  one: [{that: few < 2, message: Too many}]
states:
  ONLY:
    steps: [{say: {done: Looked, next: "Put back with restore_of={{ run.id }}", writes: false}}]
    next: [{to: LAST, gates: [one]}]
  LAST: {}
"""


# --- plans ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "heading", "result"), [("en", "entry", "not confirmed"), ("zh", "条目", "未确认")], ids=["en", "zh"]
)
def test_a_plan_on_a_terminal_is_a_table_in_the_language_of_the_reader(
    command: Command, language: str, heading: str, result: str
) -> None:
    command(*BOXES)
    with command.terminal("show", "one", "--plan", language=language) as person:
        status, told = person.ended()
    assert status == 0
    assert "| ---" not in told
    assert re.search(rf"{heading} .*color +id", told)
    assert re.search(rf"a-1 +box\.fill +{result} +red +a-1", told)


def test_a_plan_that_is_too_wide_for_a_terminal_is_shown_whole_one_below_the_other(command: Command) -> None:
    command(*BOXES[:2], "--input", "owner=" + " ".join(["word"] * 30), "--input", "number=2", "--run-id", "one")
    with command.terminal("show", "one", "--plan") as person:
        _, told = person.ended()
    lines = told.replace("\r", "").splitlines()
    assert max(map(len, lines)) <= 80
    assert "  color: red" in lines
    assert " ".join(told.split()).count("word " * 29) >= 4


# --- under way --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "says"), [("en", "under way"), ("zh", "进行中")])
def test_a_call_is_under_way_while_its_process_lives_and_unknown_after_that(
    command: Command, language: str, says: str
) -> None:
    begun, ends = command.folder / "begun", command.folder / "ends"
    os.mkfifo(begun)
    os.mkfifo(ends)
    program = command.folder / "worker"
    program.write_text(f"#!/bin/sh\necho > {begun}\ncat {ends}\n", "utf-8")
    program.chmod(0o755)
    profile = (
        "profile: slow\ntools:\n  box.fill:\n    adapter: command\n    settings: {program: ../worker}\n"
        "    request: {argv: []}\n    success: exit == 0\n    value: {filled: true}\n"
    )
    (command.folder / "profiles" / "slow.yaml").write_text(profile, "utf-8")
    command(*BOXES, "--profile", "slow", "--trust-profile")
    with command.start("answer", "one", "go=fill them, all", "--trust-profile") as process:
        begun.read_text("utf-8")  # waits until the program has begun
        shown = command("show", "one", language=language)
        assert re.search(rf"a-0 +box\.fill +{says}", shown.out), shown
        assert command("show", "one", "--json").json["writes"][0]["result"] == "under_way"
        assert ",under_way," in command("show", "one", "--plan", "--format", "csv").out
        process.kill()
        process.wait()
    assert command("show", "one", "--json").json["writes"][0]["result"] == "unknown"
    ends.write_text("{}", "utf-8")


#: The keys of the workflow and of its state, and what is told while the state is at work.
AT_WORK = [
    ("words of the state", "", "title: {zh: 说, en: Talk}, progress: {text: {zh: 在说, en: talking}}", "talking"),
    ("words of the workflow", "text: {zh: 在做, en: busy}, ", "title: {zh: 说, en: Talk}", "busy"),
    ("both", "text: {zh: 在做, en: busy}, ", "progress: {text: {zh: 在说, en: talking}}", "talking"),
    ("words that cannot be made", "", "title: Talk, progress: {text: '{{ said }}'}", "Talk"),
    ("a title alone", "", "title: {zh: 说, en: Talk}", "Talk"),
    ("nothing", "", "", "TALK"),
]


@pytest.mark.parametrize(("common", "own", "words"), [case[1:] for case in AT_WORK], ids=[case[0] for case in AT_WORK])
def test_a_state_at_work_is_told_in_words_by_its_title_or_by_its_name(
    command: Command, common: str, own: str, words: str
) -> None:
    (command.folder / "talk.yaml").write_text(
        f"""\
workflow: talk
version: 1.0.0
effect: read
progress: {{{common}first: 0s, every: 0s}}
data: {{said: {{type: string}}}}
states:
  TALK: {{{own + ", " if own else ""}steps: [{{say: {{done: one, next: two, writes: false}}}}], next: [{{to: end}}]}}
""",
        "utf-8",
    )
    assert f"… {words}\n" in command("run", "talk.yaml").err
