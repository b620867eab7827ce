"""A person at a terminal: prompts, near misses, tables, the end of input."""

from __future__ import annotations

import re
from unicodedata import east_asian_width

import pytest

from interpreter.cli.people import TerminalPeople, _IsOver
from tests.cli.kit import Command

BOXES = ("run", "boxes.yaml", "--run-id", "one", "--input", "number=2", "--input")


def test_a_confirmation_is_typed_and_a_near_miss_is_explained(command: Command) -> None:
    with command.terminal(*BOXES, "owner=a", NO_COLOR="1") as person:
        assert "type “fill them, all”" in person.wait_for("> ")
        person.type("fill them， all")
        assert "you typed “，” where “,” is needed" in person.wait_for("> ")
        person.type("2")
        assert "no choice" in person.wait_for("> ")
        person.type("fill them, all")
        status, text = person.ended()
    assert status == 0
    assert "Completed: Run one" in text
    assert "at the terminal" in command("show", "one").out


def test_a_choice_without_phrase_is_taken_by_number(command: Command) -> None:
    with command.terminal(*BOXES, "owner=a") as person:
        person.wait_for("> ")
        person.type("1")
        assert person.ended()[0] == 0


@pytest.mark.parametrize("leave", ["end of input", "ctrl-c"])
def test_a_person_who_leaves_finds_the_question_open(command: Command, leave: str) -> None:
    with command.terminal(*BOXES, "owner=a", NO_COLOR="1") as person:
        person.wait_for("> ")
        if leave == "ctrl-c":
            person.interrupt()
        else:
            person.end_of_input()
        status, text = person.ended()
    assert status == (130 if leave == "ctrl-c" else 3)
    assert "interpreter answer one" in text or "interpreter resume one" in text
    assert command("answer", "one", "go=fill them, all").status == 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_form_is_filled_field_by_field(command: Command, language: str) -> None:
    with command.terminal("run", "survey.yaml", "--run-id", "one", language=language, NO_COLOR="1") as person:
        person.wait_for("> ")
        person.type("2")
        person.wait_for({"en": "Why", "zh": "为什么"}[language])
        person.wait_for("> ")
        person.type("wet")
        person.wait_for({"en": "How often", "zh": "几次"}[language])
        person.wait_for("> ")
        person.type("3")
        person.wait_for({"en": "Again", "zh": "再来一次"}[language])
        person.wait_for("> ")
        person.type({"en": "no", "zh": "否"}[language])
        assert person.ended()[0] == 0
    answers = command("show", "one", "--json").json["outputs"]["answers"]
    assert answers == [{"mark": "bad", "why": "wet", "often": 3, "again": False, "ending": "answered"}]


def test_a_wrong_field_is_asked_for_again(command: Command) -> None:
    with command.terminal("run", "survey.yaml", "--run-id", "one", NO_COLOR="1") as person:
        person.wait_for("> ")
        person.type("goo")
        assert "a whole name of these" in person.wait_for("> ")
        person.type("Good")
        person.wait_for("How often")
        person.wait_for("> ")
        for typed in ("-3", "some"):
            person.type(typed)
            assert "How often does not fit" in person.wait_for("> ")
        person.type("3")
        person.wait_for("Again")
        person.wait_for("> ")
        person.type("no")
        assert person.ended()[0] == 0
    assert command("show", "one", "--json").json["outputs"]["answers"][0]["often"] == 3


#: How a field is declared ; how it is asked for, and what is said of a value that does not fit.
FIELDS = [
    (
        "en",
        "type: integer, minimum: 1, maximum: 4",
        "Size (a whole number, 1 to 4) > ",
        "5",
        "Size does not fit: 5 is more",
    ),
    ("zh", "type: integer, minimum: 1, maximum: 4", "大小（整数，1 到 4） > ", "5", "大小 不合要求：5 大于 4"),
    ("en", "type: integer, start: 3", "Size (a whole number) [3] > ", "x", "Size does not fit"),
    ("en", "type: string, maxLength: 2", "Size (a text, up to 2 characters) > ", "abc", "Size does not fit"),
    ("zh", "type: string, format: date", "大小（日期，如 2026-08-01） > ", "abc", "大小 不合要求"),
    (
        "en",
        "type: array, items: {type: string}, maxItems: 1",
        "Size (a list, up to 1 entries, with commas) > ",
        "a, b",
        "Size ",
    ),
]


@pytest.mark.parametrize(("language", "declared", "prompt", "typed", "told"), FIELDS)
def test_a_field_says_what_it_takes_and_is_named_by_its_title(
    command: Command, language: str, declared: str, prompt: str, typed: str, told: str
) -> None:
    spec = command.folder / "survey.yaml"
    field = "often: {type: integer, minimum: 0, title: {zh: 几次, en: How often}}"
    mine = f"often: {{{declared}, title: {{zh: 大小, en: Size}}}}"
    spec.write_text(spec.read_text("utf-8").replace(field, mine), "utf-8")
    with command.terminal("run", "survey.yaml", "--run-id", "one", language=language, NO_COLOR="1") as person:
        person.wait_for("> ")
        person.type("1")
        assert prompt in person.wait_for(prompt)
        person.type(typed)
        assert told in person.wait_for("> ")


BLIND = """\
workflow: blind
version: 1.0.0
title: {zh: 盲, en: Blind}
effect: write
uses: {tools: [box]}
inputs: {number: {type: integer}}
questions: {wait: 7d}
states:
  ASK:
    tools: [box.fill]
    steps:
      - confirm: go
        permits:
          each: n
          in: range(number)
          give: {id: "{{ n }}", tool: box.fill, with: {id: "box {{ n }}", color: red}}
        choices: [{id: fill, confirms: true}, {id: leave, to: end}]
        text: {done: {zh: 好了, en: All is well}, next: {zh: 装, en: Fill}, writes: true}
      - {each: n, in: range(number), do: [{call: box.fill, needs: go, with: {id: "box {{ n }}", color: red}}]}
"""


def test_a_confirmation_shows_the_calls_that_it_permits_whatever_its_author_shows(command: Command) -> None:
    (command.folder / "blind.yaml").write_text(BLIND, "utf-8")
    few = command("run", "blind.yaml", "--input", "number=2", "--run-id", "few", "--json")
    assert "box.fill  id: box 0, color: red" in few.err or "box.fill  color: red, id: box 0" in few.err
    assert "a yes permits (2):" in few.err
    assert [one["with"]["id"] for one in few.json["waiting"][0]["shown"]] == ["box 0", "box 1"]
    many = command("run", "blind.yaml", "--input", "number=9", "--run-id", "many", language="zh")
    assert "同意后允许 9 次调用：box.fill × 9" in many.err
    assert command("answer", "few", "go=fill").status == 0
    done = [one["result"] for one in command("show", "few", "--json").json["writes"]]
    assert done == ["done", "done"]


SHOWING = """\
workflow: blind
version: 1.0.0
title: {zh: 盲, en: Blind}
effect: write
uses: {tools: [box]}
data:
  text: {type: string, default: ""}
  rows: {type: array, items: {type: object}, default: []}
questions: {wait: 7d}
states:
  ASK:
    tools: [box.fill]
    steps:
     - set:
         text: "{% for n in range(30) %}line {{ n }}\\n{% endfor %}"
         rows: {each: n, in: range(25), give: {n: "{{ n }}", twice: "{{ n * 2 }}"}}
     - confirm: go
       shows: SHOWS
       permits:
         - {id: w, tool: box.fill, with: {id: a, color: COLOR}}
       choices: [{id: fill, confirms: true}, {id: leave, to: end}]
       text: {done: {zh: 好了, en: All is well}, next: {zh: 装, en: Fill}, writes: true TABLES}
     - {call: box.fill, needs: go, with: {id: a, color: COLOR}}
"""
LONG = "'" + " ".join(f"word{n}" for n in range(300)) + "'"
IN_FULL = "interpreter show one --plan"
TABLES = ", tables: [{title: {zh: 表, en: Table}, rows: rows, row: r, columns: {n: '{{ r.n }}'}}]"


@pytest.mark.parametrize(
    ("shows", "color", "tables", "seen", "not_seen"),
    [
        (
            "text",
            '"{{ text }}"',
            "",
            ["    line 0\n", "    line 19\n", f"10 more: {IN_FULL}", "(as above)"],
            ["line 20"],
        ),
        ("rows", "red", "", ["    n   twice\n", "    0   0\n", "    19  38\n", f"5 more: {IN_FULL}"], ["20  40"]),
        ('{words: "{{ text }}", count: 3}', "red", "", ["    words:\n      line 0\n", "    count: 3\n"], ["line 12"]),
        ("{count: 3}", '"{{ text }}"', "", ["count: 3", "      color:\n        line 0\n", f"18 more: {IN_FULL}"], []),
        ("{count: 3}", LONG, "", ["word0 word1", "word60", "more: " + IN_FULL], ["word299"]),
        ("rows", LONG, TABLES, ["Table (25)", "…\n", f"    in full: {IN_FULL}\n"], ["word60", "twice"]),
        ("rows", "red", TABLES, ["Table (25)", "box.fill"], ["in full", "twice"]),
    ],
)
def test_nothing_is_asked_for_that_is_not_shown(
    command: Command, shows: str, color: str, tables: str, seen: list[str], not_seen: list[str]
) -> None:
    spec = SHOWING.replace("SHOWS", shows).replace("COLOR", color).replace(" TABLES", tables)
    (command.folder / "blind.yaml").write_text(spec, "utf-8")
    asked = command("run", "blind.yaml", "--run-id", "one", "--json").err
    assert [words for words in seen if words not in asked] == [], asked
    assert [words for words in not_seen if words in asked] == [], asked
    plan = command("show", "one", "--plan").out
    if "text" in color:
        assert "\nw, color:\n\n    line 0\n    line 1\n" in plan
        assert "    line 29\n" in plan
    assert "\\n" not in plan


def test_a_workflow_that_asks_nobody_says_so_and_why(command: Command) -> None:
    spec = (
        BLIND.partition("questions:")[0]
        + """\
writes_without_confirmation: {zh: 每晚自动装, en: a nightly job}
states:
  ONLY:
    tools: [box.fill]
    steps:
      - {each: n, in: range(number), do: [{call: box.fill, with: {id: "box {{ n }}", color: red}}]}
"""
    )
    (command.folder / "blind.yaml").write_text(spec, "utf-8")
    ended = command("run", "blind.yaml", "--input", "number=1")
    assert (ended.status, "without asking anybody: a nightly job" in ended.err) == (0, True)
    assert "不问任何人：每晚自动装" in command("run", "blind.yaml", "--input", "number=1", language="zh").err
    assert "[tool/writes-asking-nobody]" in command("lint", "blind.yaml").out


#: What is typed where several may be taken of call, fall and Alarm; what is then given, or that it is asked again.
PICKED: list[tuple[str, list[str] | None]] = [
    ("all", ["call", "fall", "alarm"]),
    ("ALL", ["call", "fall", "alarm"]),
    ("全部", ["call", "fall", "alarm"]),
    ("none", []),
    ("1, 3", ["call", "alarm"]),
    ("alarm", ["alarm"]),
    ("FALL,Alarm", ["fall", "alarm"]),
    ("al", None),
    ("ll", None),
    ("arm", None),
    ("x", None),
]


@pytest.mark.parametrize(("typed", "given"), PICKED, ids=[typed for typed, _ in PICKED])
def test_several_are_taken_by_number_by_name_all_or_none_and_never_by_a_part(
    command: Command, typed: str, given: list[str] | None
) -> None:
    with command.terminal("run", "picks.yaml", "--run-id", "one", NO_COLOR="1") as person:
        assert "all, none" in person.wait_for("> ")
        person.type(typed)
        if given is None:
            person.wait_for("> ")
            person.type("none")
        assert person.ended()[0] == 0
    assert command("show", "one", "--json").json["outputs"]["taken"] == (given or [])


@pytest.mark.parametrize(
    ("language", "empty", "unknown"),
    [
        ("en", "cannot be left empty", "there is no “7”; type a number or a name from the list"),
        ("zh", "不能留空", "没有“7”；请输入上面的编号或名称"),
    ],
)
def test_what_is_no_answer_says_why_it_is_asked_again(
    command: Command, language: str, empty: str, unknown: str
) -> None:
    with command.terminal("run", "survey.yaml", "--run-id", "one", language=language, NO_COLOR="1") as person:
        person.wait_for("> ")
        for typed, says in (("", empty), ("7", unknown)):
            person.type(typed)
            assert says in person.wait_for("> ")


def test_a_line_is_edited_with_the_keys_of_a_terminal(command: Command) -> None:
    with command.terminal(*BOXES, "owner=a", NO_COLOR="1") as person:
        person.wait_for("> ")
        person.type("ill them, all\x1b[Hf")
        status, text = person.ended()
    assert status == 0, text
    with command.terminal(*BOXES[:2], "--input", "number=2", "--input", "owner=b", NO_COLOR="1") as person:
        person.wait_for("> ")
        person.type("x")
        person.wait_for("> ")
        person.type("\x1b[A")
        assert "cannot be left empty" in person.wait_for("> ")


def test_tables_of_wide_characters_align_within_80_columns(command: Command) -> None:
    note = "数据治理" * 20
    with command.terminal(*BOXES, "owner=所有者", "--input", f"note={note}", NO_COLOR="1") as person:
        text = person.wait_for("> ")
    lines = text.replace("\r", "").split("\n")
    assert all(_cells(line) <= 80 for line in lines)
    starts = [_cells(re.split("[数据治理]", line)[0]) for line in lines if "数据治理" in line]
    assert len(starts) > 4
    assert len(set(starts)) == 1


def test_colours_are_shown_on_a_terminal_and_not_with_no_color(command: Command) -> None:
    with command.terminal(*BOXES, "owner=a") as person:
        assert "\x1b[1m" in person.wait_for("> ")
    with command.terminal("resume", "one", NO_COLOR="1") as person:
        assert "\x1b[3" not in person.wait_for("> ")


def test_control_characters_of_a_title_are_shown_as_escapes(command: Command) -> None:
    with command.terminal(*BOXES, "owner=a", "--input", "note=\x1b[2J\x07\u202ex", NO_COLOR="1", TERM="dumb") as person:
        text = person.wait_for("> ")
    assert not set(text) & set("\x1b\x07\u202e")
    assert "\\x1b[2J\\x07\\u202ex" in text


def _cells(text: str) -> int:
    return sum(2 if east_asian_width(mark) in "WF" else 1 for mark in text)


@pytest.mark.parametrize("first", [KeyboardInterrupt, _IsOver])
def test_of_two_signals_at_once_the_first_counts(first: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    def both(self: TerminalPeople, prompt: str) -> str:
        raise SystemError("returned a result with an exception set") from first()

    def another(self: TerminalPeople, prompt: str) -> str:
        raise SystemError("another one")

    monkeypatch.setattr(TerminalPeople, "_typed_line", both)
    people = object.__new__(TerminalPeople)
    with pytest.raises(first):
        people._line("> ")
    monkeypatch.setattr(TerminalPeople, "_typed_line", another)
    with pytest.raises(SystemError, match="another one"):
        people._line("> ")
