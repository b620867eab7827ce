"""Answers given with the command, one process after another."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

import pytest

from interpreter.adapters.people import Nobody, PreparedAnswers
from interpreter.adapters.runs import Answerer, RunStore
from interpreter.engine.questions import check_choice
from interpreter.ports import Check, Question
from interpreter.session.questions import as_meant
from tests.cli.kit import Command, Ended

PHRASE = "fill them, all"


def ask(command: Command, run: str = "one", language: str = "en", *more: str) -> Ended:
    """Start a run that waits at its confirmation."""
    words = ["--input", "owner=a", "--input", "number=2", "--run-id", run, *more]
    ended = command("run", "boxes.yaml", *words, language=language)
    assert ended.status == 3, ended
    return ended


def pasted(text: str) -> str:
    """Return the command line that a waiting run prints."""
    found = re.search(r"^  (?:To answer: |回答：)(.*)$", text, re.MULTILINE)
    assert found is not None, text
    return found[1]


@pytest.mark.parametrize(("language", "ending"), [("en", "Completed: Run one"), ("zh", "完成：运行 one")])
def test_the_printed_command_confirms_when_it_is_pasted(command: Command, language: str, ending: str) -> None:
    waiting = ask(command, "one", language)
    ended = command.paste(pasted(waiting.err), language)
    assert ended.status == 0, ended
    assert ending in ended.err


def test_the_printed_command_holds_with_blanks_and_quotes_in_the_home(command: Command) -> None:
    home = command.folder / "it's a home"
    waiting = ask(command, "one", "en", "--home", str(home))
    assert command.paste(pasted(waiting.err)).status == 0
    assert command("runs", "--home", str(home)).out.count("completed") == 1


def test_the_printed_command_fills_the_shortest_form_that_fits(command: Command) -> None:
    waiting = command("run", "survey.yaml", "--run-id", "one")
    ended = command.paste(pasted(waiting.err) + " --json")
    assert ended.json["outputs"]["answers"] == [{"mark": "good", "often": 0, "again": False, "ending": "answered"}]


PICKING = """
workflow: picking
version: 1.0.0
title: {zh: 挑, en: Pick}
questions: {wait: 7d}
data: {rows: {type: array, items: {type: object}, default: [{id: a, t: A}, {id: b, t: B}]}}
outputs: {wish: {type: object, value: "{{ wish }}", default: {}}}
states:
  ASK:
    steps:
      - ask: wish
        text: {done: {zh: 好, en: Well}, next: {zh: 挑, en: Pick}, writes: false}
        form:
          act: {choices: [{value: FIRST, label: {zh: 一, en: One}}, {value: other, label: {zh: 二, en: Two}}]}
          picks:
            when: act == 'pick'
            many: true
            choices: {rows: rows, row: p, value: "{{ p.id }}", label: "{{ p.t }}"}
          why: {type: string, when: act == 'say', optional: true}
          number: {type: integer, minimum: 2, when: act == 'pick' and 'a' in picks}
          sure: {type: boolean}
"""


@pytest.fixture(params=[("pick", ["act", "picks", "number", "sure"]), ("say", ["act", "sure"])])
def picking(command: Command, request: pytest.FixtureRequest) -> tuple[str, list[str]]:
    """Start a run that asks for fields that depend on others; return the printed command and its fields."""
    first, fields = request.param
    (command.folder / "picking.yaml").write_text(PICKING.replace("FIRST", first), "utf-8")
    return pasted(command("run", "picking.yaml", "--run-id", "one").err), fields


def test_the_printed_command_holds_every_field_that_its_own_values_ask_for(
    command: Command, picking: tuple[str, list[str]]
) -> None:
    printed, fields = picking
    ended = command.paste(f"{printed} --json")
    assert ended.status == 0, ended
    assert list(ended.json["outputs"]["wish"]) == [*fields, "ending"]


def test_what_is_picked_twice_is_kept_once(command: Command) -> None:
    command("run", "picks.yaml", "--run-id", "one")
    ended = command("answer", "one", 'picks={"taken": ["fall", "call", "fall"]}', "--json")
    assert ended.json["outputs"]["taken"] == ["fall", "call"]


CHOICES = "[{id: fill, confirms: true}, {id: leave, to: end}, {id: later, phrase: {zh: 以后, en: not now}, to: end}]"

LEAVE_IT = CHOICES.replace("leave,", "leave, label: {zh: 不写, en: Leave it},")


def labelled(**labels: str) -> str:
    choices = CHOICES
    for name, label in labels.items():
        choices = choices.replace(f"id: {name},", f"id: {name}, label: {label},")
    return choices


@pytest.mark.parametrize(
    ("choices", "typed", "seen", "taken"),
    [
        (CHOICES, "2", False, "leave"),
        (CHOICES, "1", False, None),
        (CHOICES, "1", True, "fill"),
        (CHOICES, "3", True, None),
        (CHOICES, "0", True, None),
        (CHOICES.replace("id: fill,", "id: fill, phrase: {zh: 好的, en: do it},"), "1", True, "leave"),
        (LEAVE_IT, "leave it", False, "leave"),
        (LEAVE_IT, "不写", False, "leave"),
        (LEAVE_IT, "leave", False, "leave"),
        (labelled(leave="fill", fill="x"), "x", False, "fill"),
        (labelled(leave="fill"), "fill", False, "fill"),
        (labelled(leave="Go", fill="go"), "go", True, None),
        (labelled(leave="not now"), "not now", False, "not now"),
        (labelled(later="Put off"), "put off", True, None),
    ],
    ids=[
        "one that writes nothing",
        "a yes that nobody is known to have seen",
        "a yes that was seen",
        "a phrase has none",
        "no number",
        "numbers as they are shown",
        "the label that is shown",
        "the label in the other language",
        "the id beside a label",
        "the label of a yes",
        "an id that is the label of another one",
        "a label of two",
        "a phrase that is the label of another one",
        "the label beside a phrase",
    ],
)
def test_a_choice_is_taken_by_its_number_or_label_where_no_other_is_meant(
    command: Command, choices: str, typed: str, seen: bool, taken: str | None
) -> None:
    spec = command.folder / "boxes.yaml"
    before, _, rest = spec.read_text("utf-8").partition("        choices:\n")
    after = rest[rest.index("        text:") :]
    spec.write_text(f"{before}        choices: {choices}\n{after}", "utf-8")
    words = ("--input", "owner=a", "--input", "number=2", "--run-id", "one", "--json")
    (question,) = command("run", "boxes.yaml", *words).json["waiting"]
    ended = command("answer", "one", f"go={typed}", *(("--seen", question["digest"]) if seen else ()))
    assert ended.status == (0 if taken else 2), ended
    if taken is None:
        assert ended.code == ("run/answer-no-such-choice" if seen else "run/answer-number-unseen")
        assert seen or f"interpreter answer one go=fill --seen {question['digest'][:12]}" in " ".join(ended.err.split())
    else:
        assert f"✎ {taken}" in command("show", "one").out


@pytest.mark.parametrize(
    ("answer", "code", "says"),
    [
        ("go=yes", "run/answer-no-such-choice", "“yes” is no choice"),
        ("go=fill", "run/answer-no-such-choice", "“fill” is no choice"),
        ("go=fill them， all", "run/answer-near-miss", "you typed “，” where “,” is needed"),
        ("go=fill them, al", "run/answer-near-miss-short", "almost: “l” is missing"),
        ("go=fil them, all", "run/answer-near-miss-short", "almost: “l” is missing"),
        ("go=fill thems, all", "run/answer-near-miss-extra", "almost: “s” is too much"),
        ("go=fill there, all", "run/answer-near-miss", "you typed “r” where “m” is needed"),
        ("go=fill\u00a0them, all", "run/answer-near-miss", "you typed “U+00A0” where “ ” is needed"),
        ("go=fill them,\u200b all", "run/answer-near-miss-extra", "“U+200B” is too much"),
        ("go=fill thеm, all", "run/answer-near-miss", "you typed “е (U+0435)” where “e (U+0065)” is needed"),
        ("go=fill", "run/answer-no-such-choice", "leave (Leave"),
        ("go=yes", "run/answer-no-such-choice", "choose one of: fill them, all; leave"),
        ("og=fill them, all", "run/answer-unknown-question", "open now: go#1"),
        ("go#2=fill them, all", "run/answer-unknown-question", "open now: go#1"),
    ],
    ids=[
        "another word",
        "the id beside a phrase",
        "another comma",
        "cut off",
        "a letter left out",
        "a letter too many",
        "two letters off",
        "a blank that does not break",
        "a sign that nobody sees",
        "a letter of another alphabet",
        "labels beside ids",
        "one language",
        "another question",
        "another visit",
    ],
)
def test_an_answer_that_is_no_choice_leaves_the_question_open(
    command: Command, answer: str, code: str, says: str
) -> None:
    ask(command)
    refused = command("answer", "one", answer)
    assert refused.status == 2
    assert refused.code == code
    assert says in refused.err
    assert command("answer", "one", f"go={PHRASE}").status == 0


def test_a_phrase_of_either_language_counts(command: Command) -> None:
    ask(command, "one", "en")
    assert command("answer", "one", "go= 确认装箱 ").status == 0


def test_the_first_answer_wins_and_the_second_is_told_so(command: Command) -> None:
    ask(command)
    assert command("answer", "one", f"go={PHRASE}", "--as", "Ann").status == 0
    second = command("answer", "one", "go=leave")
    assert second.status == 2
    assert second.code == "run/answer-already"
    assert f"already with {PHRASE}, by Ann" in " ".join(second.err.split())
    assert re.search(r"by Ann at \d{4}-\d\d-\d\d \d\d:\d\d UTC", " ".join(second.err.split()))
    assert "the run has ended: Completed" in second.err


def test_an_answer_that_stands_names_what_is_asked_by_now(command: Command) -> None:
    command("run", "survey.yaml", "--run-id", "one")
    again = 'opinion#1={"mark": "good", "often": 1, "again": true}'
    assert command("answer", "one", again).status == 3
    refused = command("answer", "one", again)
    assert refused.code == "run/answer-already"
    assert "open now is opinion#2: interpreter answer one" in " ".join(refused.err.split())


def test_a_question_that_nobody_answered_in_time_says_so_to_who_comes_later(command: Command) -> None:
    spec = command.folder / "survey.yaml"
    text = spec.read_text("utf-8")
    spec.write_text(
        text.replace(
            "      - ask: opinion\n", "      - ask: opinion\n        otherwise: {mark: good, often: 1, again: false}\n"
        )
    )
    assert command("run", "survey.yaml", "--run-id", "one").status == 0
    refused = command("answer", "one", 'opinion={"mark": "good"}')
    assert refused.code == "run/answer-already"
    assert "was answered already, by nobody at" in " ".join(refused.err.split())


def given_by_a_process_that_was_killed(command: Command) -> None:
    """Record an answer as `answer` does, and go no further."""
    given = RunStore(command.home).answer("one", "go#1", PHRASE, by=Answerer("Ann", "answer-command"))
    assert given.status == "accepted"


def test_an_answer_that_a_run_has_not_taken_up_yet_is_shown_and_resume_goes_on(command: Command) -> None:
    ask(command)
    given_by_a_process_that_was_killed(command)
    assert command("runs", "--waiting").out == "no runs\n"
    shown = command("show", "one")
    assert re.search(r"✎ fill them, all {2}\(Ann, with the answer command, ", shown.out)
    assert "this answer is recorded; the run has not gone on yet" in shown.out
    assert "To answer:" not in shown.out
    assert "Go on with: interpreter resume one" in shown.out
    refused = command("answer", "one", "go=leave")
    assert refused.code == "run/answer-already"
    assert "interpreter resume one goes on" in " ".join(refused.err.split())
    assert command("resume", "one").status == 0


@pytest.mark.parametrize("answer", ["go=fill them, all", "go"], ids=["answered", "given up"])
def test_an_answer_from_elsewhere_ends_the_question_at_a_terminal(command: Command, answer: str) -> None:
    words = ("--input", "owner=a", "--input", "number=2", "--run-id", "one")
    with command.terminal("run", "boxes.yaml", *words, NO_COLOR="1") as person:
        person.wait_for("> ")
        more = () if "=" in answer else ("--abandon",)
        assert command("answer", "one", answer, "--as", "Ann", *more).status == 0
        status, text = person.ended()
    assert "Answered elsewhere before; that stands:" in text
    assert "Ann (claimed), with the answer command" in text
    assert (status, "Completed" in text) == ((0, True) if more == () else (4, False))


NAMED = """\
workflow: named
version: 1.0.0
title: {zh: 名字, en: Name}
effect: read
data: {manager: {type: string, default: ""}}
outputs: {manager: {type: string, value: "{{ manager }}"}}
questions: {wait: 7d}
states:
  ASK:
    steps:
      - ask: who
        text:
          done: {zh: 缺名字, en: A name is missing}
          next: {zh: 结束, en: It ends}
          writes: false
        form:
          manager: {type: string, minLength: 1, title: {zh: 姓名, en: Name}}
      - set: {manager: "{{ who.manager }}"}
    next: [{to: end}]
"""


@pytest.fixture
def named(command: Command) -> Command:
    """Start a run that asks for one text."""
    (command.folder / "named.yaml").write_text(NAMED, "utf-8")
    assert pasted(command("run", "named.yaml", "--run-id", "one").err) == "interpreter answer one 'who=…'"
    return command


@pytest.mark.parametrize("answer", ["who#1=Ann Lee", 'who#1={"manager": "Ann Lee"}', "who#1=manager: Ann Lee"])
def test_what_stands_in_a_form_is_told_to_nobody_who_answers_it_again(named: Command, answer: str) -> None:
    assert named("answer", "one", answer).status == 0
    refused = named("answer", "one", "who#1=Bob")
    assert refused.code == "run/answer-already"
    assert "Ann Lee" not in refused.err


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ('{"manager":"Ann"', "run/answer-not-fields"),
        ("{manager:Ann}", "run/answer-not-fields"),
        ('{"manager":"Ann","manager":"Bob"}', "run/answer-not-fields"),
        ("{“manager”:“Ann”}", "run/answer-not-fields"),
        ("{manager：Ann}", "run/answer-not-fields"),
        ('"manager": "Ann"}', "run/answer-not-fields"),
        ("[Ann", "run/answer-not-fields"),
        ("Ann]", "run/answer-not-fields"),
        ('["Ann"]', "run/answer-wrong-form"),
        ("{mngr: Ann}", "run/answer-unknown-field"),
        ("…", "run/answer-field-missing"),
    ],
)
def test_fields_that_are_nearly_right_are_never_taken_for_the_value(named: Command, typed: str, code: str) -> None:
    refused = named("answer", "one", f"who={typed}")
    assert (refused.status, refused.code) == (2, code)
    assert "who=…" in refused.err or code == "run/answer-wrong-form"
    assert named("show", "one", "--json").json["status"] == "waiting"


@pytest.mark.parametrize(
    "typed",
    ["Ann", '{"manager":"Ann"}', "{manager: Ann}", "{'manager':'Ann'}", '{"manager": "Ann", }', "Ann (it's me)"],
)
def test_a_form_with_one_field_takes_its_value_or_its_fields(named: Command, typed: str) -> None:
    taken = named("answer", "one", f"who={typed}", "--json")
    assert taken.status == 0, taken
    assert named("show", "one").out.count(f"✎ Name: {'Ann' if typed[0] == '{' else typed}\n") == 1


def test_a_late_answer_is_refused(command: Command) -> None:
    spec = command.folder / "boxes.yaml"
    spec.write_text(spec.read_text("utf-8").replace("{wait: 7d}", "{wait: 1ms}"), encoding="utf-8")
    started = command("run", "boxes.yaml", "--input", "owner=a", "--input", "number=2", "--run-id", "one")
    late = command("answer", "one", f"go={PHRASE}")
    assert (started.status, late.status) in ((3, 2), (4, 2))
    assert late.code == "run/answer-late"
    assert "interpreter resume one" in " ".join(late.err.split())


def test_an_answer_to_something_else_than_was_seen_is_refused(command: Command) -> None:
    ask(command)
    refused = command("answer", "one", f"go={PHRASE}", "--seen", "0123456789ab")
    assert refused.status == 2
    assert refused.code == "run/answer-changed"
    assert "show one" in refused.err


def test_giving_up_a_question_stops_the_run_and_resume_asks_again(command: Command) -> None:
    ask(command)
    assert command("answer", "one", "go", "--abandon", "--as", "Ann").status == 4
    assert "go#1 was answered already (given up), by Ann at" in " ".join(
        command("answer", "one", f"go={PHRASE}").err.split()
    )
    again = command("resume", "one")
    assert again.status == 3
    assert "go#2" in pasted(again.err) or "go=" in pasted(again.err)


@pytest.mark.parametrize("typed", ["good", "Good", "好", " GOOD "])
def test_a_field_takes_a_choice_by_its_value_or_its_label(command: Command, typed: str) -> None:
    command("run", "survey.yaml", "--run-id", "one")
    ended = command("answer", "one", f'opinion={{"mark": "{typed}", "often": 1, "again": false}}', "--json")
    assert ended.json["outputs"]["answers"][0]["mark"] == "good"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ('{"mark": "gud", "often": 1, "again": false}', "run/answer-field-no-such-choice"),
        ('{"mark": "good", "often": "x", "again": false}', "run/answer-wrong-form"),
        ('{"mark": "good", "often": -1, "again": false}', "run/answer-wrong-form"),
        ('{"mark": "good", "oftn": 1, "again": false}', "run/answer-unknown-field"),
        ('{"mark": "good", "often": 1}', "run/answer-field-missing"),
        ("good", "run/answer-not-a-form"),
        ('{"mark": "good", "often": 1, "again": "…"}', "run/answer-field-missing"),
    ],
)
def test_a_form_that_does_not_fit_is_refused_before_it_is_recorded(command: Command, fields: str, code: str) -> None:
    command("run", "survey.yaml", "--run-id", "one")
    refused = command("answer", "one", f"opinion={fields}")
    assert refused.status == 2
    assert refused.code == code
    assert command("runs", "--waiting", "--json").out.count("opinion") == 1


#: What is wrong in an answer ; what is said of it, all in one message.
FAULTS = [
    ('{"mark": "good"}', ("2 things", "often is missing", "again is missing")),
    ('{"mark": "gud", "often": -1, "agan": true}', ("3 things", "no field agan", "mark: “gud” is no choice", "often ")),
    ('{"mrk": "good", "oftn": 1, "again": "…"}', ("2 things", "no field mrk, oftn;", "again is missing")),
    ('{"mark": "gud", "often": "x", "again": "perhaps"}', ("3 things", "mark: ", "often does", "again does not fit")),
]


@pytest.mark.parametrize(("fields", "told"), FAULTS)
def test_all_faults_of_a_form_are_told_at_once(command: Command, fields: str, told: tuple[str, ...]) -> None:
    command("run", "survey.yaml", "--run-id", "one")
    refused = command("answer", "one", f"opinion={fields}")
    assert (refused.status, refused.code) == (2, "run/answer-faults")
    said = " ".join(refused.err.split())
    assert [part for part in told if part not in said] == [], said
    assert "interpreter answer one" in said
    assert "2 处要改" in command("answer", "one", 'opinion={"mark": "good"}', language="zh").err


#: A value that a field does not take ; what is said of it, by the name of the field as it stands in the answer.
OF_FIELDS = [
    ('{"mark": "gud", "often": 1, "again": false}', "mark: “gud” is no choice; choose one of: good (Good); bad (Bad)"),
    ('{"mark": "好好", "often": 1, "again": false}', "mark 没有“好好”这个选项；可选：good（好）；bad（差）"),
    ('{"mark": "good", "often": -1, "again": false}', "often does not fit: -1 is less than 0"),
]


@pytest.mark.parametrize(("fields", "told"), OF_FIELDS)
def test_what_a_field_does_not_take_is_said_with_its_name(command: Command, fields: str, told: str) -> None:
    command("run", "survey.yaml", "--run-id", "one")
    refused = command("answer", "one", f"opinion={fields}", language="en" if " is " in told else "zh")
    assert told in " ".join(refused.err.split())


@pytest.mark.parametrize("again", ["no", "否", "false", "N"])
def test_a_yes_or_no_and_a_number_are_read_as_people_type_them(command: Command, again: str) -> None:
    command("run", "survey.yaml", "--run-id", "one")
    taken = command("answer", "one", f'opinion={{"mark": "good", "often": "2", "again": "{again}"}}')
    assert taken.status == 0, taken


@pytest.mark.parametrize(("language", "says"), [("en", "is not true or false"), ("zh", "不是 true 或 false")])
def test_what_is_no_yes_or_no_is_said(command: Command, language: str, says: str) -> None:
    command("run", "survey.yaml", "--run-id", "one")
    refused = command("answer", "one", 'opinion={"mark": "good", "often": 1, "again": "perhaps"}', language=language)
    assert (refused.status, refused.code) == (2, "run/answer-wrong-form")
    assert says in refused.err


@pytest.mark.parametrize(("language", "phrase"), [("en", PHRASE), ("zh", "确认装箱")])
def test_an_answer_that_names_no_question_is_told_what_is_open_and_what_may_be_chosen(
    command: Command, language: str, phrase: str
) -> None:
    ask(command)
    refused = command("answer", "one", "approve", language=language)
    assert refused.status == 2
    for part in (phrase, "approve", "interpreter answer one"):
        assert part in refused.err


def test_a_form_given_as_plain_text_shows_a_line_that_can_be_pasted(command: Command) -> None:
    asked = command("run", "survey.yaml", "--run-id", "one")
    assert "often: How often (a whole number, 0 or more)\n  again: Again (true or false)\n" in asked.err
    refused = command("answer", "one", "opinion=good")
    assert refused.code == "run/answer-not-a-form"
    example = re.search(r"^    for example: (.*)$", refused.err, re.MULTILINE)
    assert example is not None
    assert command.paste(example[1]).status == 0


def test_an_answer_is_not_recorded_while_the_documents_have_changed(command: Command) -> None:
    ask(command)
    spec = command.folder / "boxes.yaml"
    text = spec.read_text("utf-8")
    spec.write_text(text.replace("en: Fill boxes", "en: Fill the boxes"), "utf-8")
    refused = command("answer", "one", f"go={PHRASE}")
    assert (refused.status, refused.code) == (2, "command/documents-changed")
    assert f"interpreter answer one 'go={PHRASE}' --as-recorded\n" in refused.err
    assert command("show", "one", "--json").json["status"] == "waiting"
    assert "go" in str(command("show", "one", "--json").json["waiting"])
    assert command("answer", "one", f"go={PHRASE}", "--as-recorded").status == 0


def test_a_process_that_walks_the_run_takes_an_answer_whatever_has_changed(command: Command) -> None:
    words = ("--input", "owner=a", "--input", "number=2", "--run-id", "one")
    with command.terminal("run", "boxes.yaml", *words, NO_COLOR="1") as person:
        person.wait_for("> ")
        spec = command.folder / "boxes.yaml"
        spec.write_text(spec.read_text("utf-8").replace("en: Fill boxes", "en: Fill the boxes"), "utf-8")
        assert command("answer", "one", f"go={PHRASE}").status == 0
        person.type("leave")
        assert person.ended()[0] == 0
    assert len(command("show", "one", "--json").json["writes"]) == 2


@pytest.mark.parametrize(("language", "ending"), [("en", "run one has ended (Cancelled)"), ("zh", "已结束（已取消）")])
def test_an_answer_to_an_ended_run_says_how_it_ended(command: Command, language: str, ending: str) -> None:
    ask(command)
    command("cancel", "one")
    late = command("answer", "one", f"go={PHRASE}", language=language)
    assert (late.status, late.code) == (2, "command/run-ended")
    assert ending in late.err


def test_a_field_that_other_fields_call_for_is_asked_for(command: Command) -> None:
    command("run", "survey.yaml", "--run-id", "one")
    again = command("answer", "one", 'opinion={"mark": "bad", "often": 1, "again": false}')
    assert again.status == 3
    assert "opinion#1: why is missing" in again.err
    answered = command("answer", "one", 'opinion={"mark": "bad", "why": "wet", "often": 1, "again": false}', "--json")
    assert answered.json["outputs"]["answers"][0]["why"] == "wet"


def test_prepared_answers_are_taken_visit_by_visit(command: Command) -> None:
    (command.folder / "answers.yaml").write_text(
        "opinion:\n  - {mark: good, often: 1, again: true}\n  - {mark: good, often: 2, again: false}\n", "utf-8"
    )
    ended = command("run", "survey.yaml", "--answers", "answers.yaml", "--json")
    assert [answer["often"] for answer in ended.json["outputs"]["answers"]] == [1, 2]
    assert "How often: 1" in ended.err


def test_a_prepared_answer_permits_writes_only_where_the_profile_says_so(command: Command) -> None:
    (command.folder / "answers.yaml").write_text("go: 确认装箱\n", "utf-8")
    refused = ask(command, "one", "en", "--answers", "answers.yaml")
    assert "[command/not-unattended]" in refused.err
    words = ("--profile", "profiles/unattended.yaml", "--answers", "answers.yaml", "--run-id", "two")
    taken = command("run", "boxes.yaml", "--input", "owner=a", "--input", "number=2", *words)
    assert taken.status == 0
    assert "✎ fill them, all  (from the file)" in taken.err


def test_a_prepared_answer_that_names_what_was_seen_permits_writes(command: Command) -> None:
    digest = ask(command, "one", "en", "--json").json["waiting"][0]["digest"]
    (command.folder / "answers.yaml").write_text(f"go: {{choice: 确认装箱, seen: '{digest}'}}\n", "utf-8")
    assert command("resume", "one", "--answers", "answers.yaml").status == 0


#: What a file says of the fields of a form ; what the run takes, None where the question stays open.
PREPARED_FIELDS = [
    ("{mark: good, often: 1, again: false}", ("good", 1, False)),
    ("{mark: Good, often: 1, again: false}", ("good", 1, False)),
    ("{mark: 差, why: wet, often: 1, again: false}", ("bad", 1, False)),
    ("{mark: BAD, why: wet, often: '2', again: 否}", ("bad", 2, False)),
    ("{mark: gud, often: 1, again: false}", None),
    ("{mark: good, often: 1, again: perhaps}", None),
]


@pytest.mark.parametrize(("fields", "taken"), PREPARED_FIELDS)
def test_a_file_fills_a_form_with_the_words_that_are_typed(
    command: Command, fields: str, taken: tuple[Any, ...] | None
) -> None:
    (command.folder / "answers.yaml").write_text(f"opinion: {fields}\n", "utf-8")
    ended = command("run", "survey.yaml", "--answers", "answers.yaml", "--json")
    assert ended.status == (3 if taken is None else 0)
    if taken is not None:
        (answer,) = ended.json["outputs"]["answers"]
        assert (answer["mark"], answer["often"], answer["again"]) == taken


DIGEST = "0123456789abcdef"

# what the file says ; whether it counts, by whether the profile takes prepared answers to writes
PREPARED: list[tuple[dict[str, Any], bool, bool]] = [
    ({"go": "all"}, False, True),
    ({"go#1": "all"}, False, True),
    ({"go": ["all"]}, False, True),
    ({"go#2": "all"}, False, False),
    ({"go": {"choice": "all"}}, False, True),
    ({"go": {"choice": "all", "seen": DIGEST}}, True, True),
    ({"go": {"choice": "all", "seen": DIGEST[:12]}}, True, True),
    ({"go#1": {"choice": "all", "seen": DIGEST}}, True, True),
    ({"go": {"choice": "all", "seen": DIGEST[:6]}}, False, False),
    ({"go": {"choice": "all", "seen": "another digest"}}, False, False),
    ({"go": {"choice": "all", "seen": DIGEST.upper()}}, False, False),
    ({"go": {"choice": "all", "seen": 123456789012}}, False, False),
    ({"go": {"choice": "all", "seen": ""}}, False, False),
]


@pytest.mark.parametrize(("answers", "attended", "unattended"), PREPARED)
def test_a_prepared_answer_to_something_else_counts_nowhere(
    answers: dict[str, Any], attended: bool, unattended: bool
) -> None:
    choices: tuple[dict[str, Any], ...] = ({"id": "all", "confirms": True},)
    question = Question("go", 1, "confirm", {}, None, DIGEST, choices=choices, writes=True)
    for is_unattended, counts in ((False, attended), (True, unattended)):
        people = PreparedAnswers(answers, is_unattended, Nobody(), "ann", "en", as_meant)
        answer = people.ask(question, lambda body, language: check_choice(choices, body))
        assert (answer is not None) == counts
        is_stale = not counts and "seen" in str(answers)
        assert [check.code for _, check in people.refused] == (["run/answer-saw-another"] if is_stale else [])


def test_a_form_may_have_a_field_that_is_called_seen() -> None:
    question = Question("wish", 1, "ask", {}, None, DIGEST)
    people = PreparedAnswers({"wish": {"seen": "no"}}, False, Nobody(), "ann", "en", as_meant)
    answer = people.ask(question, lambda body, language: Check(body))
    assert answer is not None
    assert answer.value == {"seen": "no"}


def test_a_prepared_answer_to_something_else_is_said_and_leaves_the_question_open(command: Command) -> None:
    (command.folder / "answers.yaml").write_text(
        "go: {choice: 确认装箱, seen: another digest}\ngo#7: x\nog#1: x\n", "utf-8"
    )
    more = ("--profile", "profiles/unattended.yaml", "--answers", "answers.yaml")
    waiting = ask(command, "one", "en", *more)
    assert "go#1: the answer in the file was given to something other than what is asked now" in " ".join(
        waiting.err.split()
    )
    assert "there is no question og#1; its answer is not used" in waiting.err
    assert "go#7" not in waiting.err


def test_who_answered_and_through_what_is_shown(command: Command) -> None:
    ask(command)
    command("answer", "one", f"go={PHRASE}", "--as", "Ann")
    shown = command("show", "one").out
    assert re.search(r"✎ fill them, all {2}\(Ann \(claimed\), with the answer command, \d{4}-", shown)


def test_what_a_confirmation_permits_is_a_table_for_other_programs(command: Command) -> None:
    ask(command)
    assert command("show", "one", "--plan", "--format", "csv").out.splitlines() == [
        "entry,tool,state,color,id",
        "a-0,box.fill,not_confirmed,red,a-0",
        "a-1,box.fill,not_confirmed,red,a-1",
    ]
    assert command("show", "one", "--plan").out.startswith("| entry | tool | state | color | id |\n| --- |")
    command("answer", "one", f"go={PHRASE}")
    assert command("show", "one", "--plan", "--format", "csv").out.count(",done,") == 2


def test_a_journal_that_is_damaged_is_named_and_never_begun_anew(command: Command) -> None:
    ask(command)
    journal = next((command.home / "runs" / "one").glob("*.sqlite*"))
    with sqlite3.connect(journal) as connection:
        tables = [name for (name,) in connection.execute("select name from sqlite_master where type='table'")]
        for table in tables:
            connection.execute(f'delete from "{table}" where rowid > 1')
    connection.close()
    broken = command("answer", "one", f"go={PHRASE}", "--json")
    assert broken.status == 2
    assert broken.json["error"]["code"].startswith("run/")


def test_the_digest_of_one_asking_opens_no_other_one(command: Command) -> None:
    digest = ask(command, "one").err and command("show", "one", "--json").json["waiting"][0]["digest"]
    answers = command.folder / "answers.yaml"
    answers.write_text(f"go: {{choice: '{PHRASE}', seen: {digest}}}\n", encoding="utf-8")
    other = ask(command, "two", "en", "--answers", str(answers))
    assert command("show", "two", "--json").json["waiting"][0]["digest"] != digest
    assert "two" in other.err
    again = command("resume", "one", "--answers", str(answers))
    assert again.status == 0, again


@pytest.mark.parametrize("text", ["\ud800", '{"choice": "\\ud800"}'])
def test_an_answer_with_half_a_character_leaves_the_question_open(command: Command, text: str) -> None:
    ask(command)
    typed = text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    ended = command("answer", "one", f"go={typed}")
    assert ended.status == 2, ended
    assert "Traceback" not in ended.err
    assert command("show", "one", "--json").json["status"] == "waiting"


def test_an_answer_that_nobody_waits_for_says_how_the_run_goes_on(command: Command) -> None:
    command("run", "boxes.yaml", "--input", "owner=a", "--input", "number=9", "--run-id", "one")
    refused = command("answer", "one", f"go={PHRASE}")
    assert (refused.status, refused.code) == (2, "run/answer-unknown-question")
    assert "interpreter resume one goes on and asks what is to be asked now" in " ".join(refused.err.split())
