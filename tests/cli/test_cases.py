"""`test`: cases of tests documents, what differs, and what they come by."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from interpreter.codes import test as codes
from interpreter.ports import Row
from interpreter.testing.recording import literal, read_recording
from tests.cli.kit import Command

FILLED = "{answer: {filled: true}}"


def document(
    *,
    inputs: str = "{owner: ann, number: 2}",
    tools: str = FILLED,
    answers: str = "{go: 确认装箱}",
    expect: str,
    more: str = "",
) -> str:
    """Return a tests document of `boxes` with one case."""
    return f"""\
tests: one
workflow: boxes
cases:
  - id: one
    inputs: {inputs}
    tools:
      box.fill:
        - {tools}
    answers: {answers}
    expect: {expect}
{more}"""


def written(command: Command, text: str) -> str:
    folder = command.folder / "tests"
    folder.mkdir(exist_ok=True)
    (folder / "one.yaml").write_text(text, "utf-8")
    return "tests/one.yaml"


def codes_of(command: Command, text: str, *more: str) -> list[str]:
    told = command("test", written(command, text), "--json", *more).json["tests"][0]
    return [one["code"] for case in told["cases"] for one in case["diagnostics"]]


EXPECTED = [
    ("{status: completed, visits: [PREPARE, FILL], state: FILL, partial: false}", []),
    ("{calls: [{tool: box.fill, times: 2}, {tool: box.fill, with: {id: ann-0}}], outputs: {filled: 2}}", []),
    ("{that: [filled == 2, \"boxes[0].id == 'ann-0'\"], messages: [Filled]}", ["test/message-missing"]),
    ("{status: failed}", ["test/different"]),
    ("{visits: [PREPARE]}", ["test/different"]),
    ("{outputs: {filled: 3}}", ["test/different"]),
    ("{outputs: {filed: 2}}", ["test/no-output"]),
    ("{calls: [{tool: box.fill, with: {id: ann-9}}]}", ["test/calls-differ"]),
    ("{calls: [{tool: box.fill, times: 1}]}", ["test/calls-differ"]),
    ("{that: [filled > 5]}", ["test/condition-failed"]),
    ("{that: [nowhere > 5]}", ["name/unknown"]),
    ("{error: run/call-failed}", ["test/different"]),
]


@pytest.mark.parametrize(("expect", "wanted"), EXPECTED, ids=[expect for expect, _ in EXPECTED])
def test_a_difference_is_a_finding_at_what_was_expected(command: Command, expect: str, wanted: list[str]) -> None:
    assert codes_of(command, document(expect=expect)) == wanted


def test_a_condition_that_cannot_be_evaluated_says_why_in_words(command: Command) -> None:
    told = command("test", written(command, document(expect='{that: ["boxes[9].id == 1"]}')), "--json", "--lang", "zh")
    (found,) = told.json["tests"][0]["cases"][0]["diagnostics"]
    assert found["message"] == "boxes[9].id == 1 不成立（无法求值：列表没有位置 9，共有 2 项）"


WORLDS = [
    ({"tools": "{when: sent.id == 'ann-0', answer: {filled: true}}"}, ["test/undeclared-call"]),
    ({"tools": "{answer: {note: one}}"}, ["test/answer-breaks-contract"]),
    ({"answers": "{go: no such choice}"}, ["test/no-such-choice"]),
    ({"answers": "{go: 3}"}, ["test/answer-unfit"]),
    ({"answers": "{}"}, ["test/unanswered"]),
    ({"answers": "{go: {wrong: [确认装箱]}}"}, ["test/not-refused"]),
    ({"answers": "{go: {wrong: [yes, 确认装], then: 确认装箱}}"}, []),
    ({"answers": "{go: {wrong: [yes], then: 3}}"}, ["test/answer-unfit"]),
    ({"answers": "{go: {wrong: [yes]}}"}, ["test/unanswered"]),
    ({"answers": "{go: {who: ann, then: 确认装箱}}"}, []),
    ({"answers": "{go: {who: ann, then: no such choice}}"}, ["test/no-such-choice"]),
    ({"answers": "{go: {who: ann, then: 3}}"}, ["test/answer-unfit"]),
    ({"answers": "{go: {who: ann, wrong: [yes], then: 确认装箱}}"}, []),
    ({"inputs": "{owner: ann}"}, ["test/inputs-missing"]),
]


@pytest.mark.parametrize(("world", "wanted"), WORLDS, ids=[str(world) for world, _ in WORLDS])
def test_a_world_that_says_too_little_or_wrong_is_told_so(
    command: Command, world: dict[str, str], wanted: list[str]
) -> None:
    found = codes_of(command, document(expect="{status: completed}", **world))
    assert [code for code in found if code != "test/different"] == wanted


def test_every_code_is_shown_by_a_case(command: Command) -> None:
    twice = document(expect="{status: completed}", more="  - {id: one, expect: {status: completed}}\n")
    told = command("test", written(command, twice), "--json")
    assert [one["code"] for one in told.json["tests"][0]["diagnostics"]] == ["test/id-twice"]
    shown = {code for _, wanted in (*EXPECTED, *WORLDS) for code in wanted} | {"test/id-twice"}
    named = {"test/no-such-case", "test/injected-unfit", "test/no-such-field", "test/no-road"}  # in tests/cases/lint
    elsewhere = {"test/rule-differs", "test/does-not-end"}  # in tests of rules, and of two people
    assert {code for code in shown if code.startswith("test/")} | named | elsewhere == set(codes.CODES)


def test_an_undeclared_call_prints_the_answer_to_declare(command: Command) -> None:
    world = document(tools="{when: sent.id == 'ann-0', answer: {filled: true}}", expect="{status: completed}")
    ended = command("test", written(command, world))
    assert ended.status == 1
    text = " ".join(ended.out.split())
    assert "no answer of box.fill is declared for" in text
    declared = """- {when: "sent.id == 'ann-1' and sent.color == 'red'", answer: {"filled":true}}"""
    assert declared in text
    mended = world.replace("    answers:", f"        {declared}\n    answers:")
    assert command("test", written(command, mended)).status == 0


def test_errors_come_from_the_contract_and_answers_in_turn(command: Command) -> None:
    text = document(
        tools="{error: {code: busy, kind: transient}}\n        - {answer: {filled: true}}",
        expect="{status: waiting, calls: [{tool: box.fill, times: 1}]}",
    )
    assert codes_of(command, text) == []


def test_a_run_that_asks_nobody_waits_and_that_can_be_expected(command: Command) -> None:
    assert codes_of(command, document(answers="{}", expect="{status: waiting, state: FILL}")) == []


def test_a_question_may_end_without_an_answer(command: Command) -> None:
    expect = "{status: completed, calls: [{tool: box.fill, times: 0}]}"
    text = document(answers="{go: {ending: refused}}", expect=expect)
    assert codes_of(command, text) == []


def test_time_stands_where_the_case_puts_it(command: Command) -> None:
    text = document(expect="{that: [\"run.started_at == '2026-10-20T08:00:00Z'\"]}").replace(
        "    expect:", "    now: 2026-10-20T08:00:00Z\n    expect:"
    )
    assert codes_of(command, text) == []


def test_coverage_names_what_no_case_comes_by_and_may_be_asked_for(command: Command) -> None:
    path = written(command, document(expect="{status: completed}"))
    ended = command("test", path, "--coverage")
    assert ended.status == 0
    assert ended.out.splitlines()[0] == "tests/one.yaml: 1 of 1 case passes"
    assert "  states: 2/2 (100%)" in ended.out
    assert "gate few_enough closed" in ended.out
    assert "loop FILL.each b with none" in ended.out
    short = command("test", path, "--min-coverage", "99", language="zh")
    assert short.status == 1
    assert short.out.splitlines()[-1] == "boxes.yaml：覆盖不到 99.0%"
    assert command("test", path, "--min-coverage", "50").status == 0


def passing(command: Command, text: str) -> None:
    ended = command("test", written(command, text))
    assert ended.status == 0, ended.out


SHARED = """\
tests: one
workflow: boxes
shared:
  inputs: {owner: ann, number: 1}
  tools: {box.fill: [{example: {filled: true}}]}
  answers: {go: 确认装箱}
cases:
  - {id: as-shared, expect: {status: completed, that: [number == 1, "owner == 'ann'"]}}
  - {id: a-name-of-its-own, inputs: {number: 2}, expect: {calls: [{tool: box.fill, times: 2}]}}
  - id: like-it
    like: a-name-of-its-own
    answers: {go: leave}
    expect: {that: [number == 2], calls: [{tool: box.fill, times: 0}]}
  - {id: not-like-it, expect: {that: [number == 1]}}
"""


def test_a_case_begins_with_what_is_shared_or_like_the_one_it_names_and_says_the_rest(command: Command) -> None:
    passing(command, SHARED)


def test_data_that_a_faulty_step_might_leave_are_put_in_place_behind_it(command: Command) -> None:
    expect = "{status: blocked, state: PREPARE, error: run/gate-closed, that: [number == 9, (boxes | count) == 2]}"
    inject = "    inject: {PREPARE: {number: 9}}\n    expect:"
    found = codes_of(command, document(expect=expect).replace("    expect:", inject))
    assert found == ["name/unknown-data"]  # an input is nothing that a step could set
    inject = "    inject: {PREPARE: {boxes: [{id: spare, note: x}]}}\n    expect:"
    expect = "{status: completed, calls: [{tool: box.fill, with: {id: spare}, times: 1}]}"
    passing(command, document(expect=expect).replace("    expect:", inject))


def test_somebody_may_cancel_while_a_call_is_made(command: Command) -> None:
    expect = "{status: cancelled, calls: [{tool: box.fill, times: 1}]}"
    passing(command, document(tools="{answer: {filled: true}, cancels: true}", expect=expect))


def test_cases_of_rules_run_beside_those_of_workflows_and_what_nobody_notices_counts(command: Command) -> None:
    (command.folder / "rules" / "sizes.yaml").write_text(
        "rules: sizes\ntables:\n  size:\n    hit: first\n    inputs: {number: {type: integer, range: 0..9}}\n"
        "    outputs: {size: {enum: [small, big]}}\n    rows: [{when: {number: at least 5}, then: {size: big}}]\n"
        "    otherwise: {size: small}\n",
        "utf-8",
    )
    written(command, document(expect="{status: completed}"))
    cases = command.folder / "tests" / "sizes.yaml"
    head = "tests: sizes\nrules: sizes\ncases:\n"
    cases.write_text(head + "  - {id: five, rule: size, facts: {number: 5}, expect: {size: big}}\n", "utf-8")
    ended = command("test", "tests/one.yaml", "tests/sizes.yaml")
    assert ended.status == 0
    assert ended.out.splitlines() == [
        "tests/one.yaml: 1 of 1 case passes",
        "tests/sizes.yaml: 1 of 1 case passes",
        "2 tests documents: 2 of 2 cases pass",
    ]
    short = command("test", "tests/sizes.yaml", "--min-coverage", "95")
    assert short.status == 1
    assert "one-step changes of limits noticed: 2/3" in short.out
    assert "no case would notice" in short.out
    more = "  - {id: four, rule: size, facts: {number: 4}, expect: {size: small}}\n"
    cases.write_text(cases.read_text("utf-8") + more, "utf-8")
    assert command("test", "tests/sizes.yaml", "--min-coverage", "100").status == 0
    told = command("test", "tests/sizes.yaml", "--json").json
    assert told["coverage"]["rules/sizes.yaml"]["share"] == 1
    cases.write_text(head + "  - {id: five, rule: size, facts: {number: 5}, expect: {size: small}}\n", "utf-8")
    wrong = command("test", "tests/sizes.yaml", "--json").json["tests"][0]["cases"][0]
    assert [one["code"] for one in wrong["diagnostics"]] == ["test/rule-differs"]


def test_thresholds_are_set_and_a_folder_stands_for_its_tests(command: Command) -> None:
    text = document(expect="{status: blocked, error: run/gate-closed}").replace(
        "    tools:", "    set: {limits.most: 1}\n    tools:"
    )
    written(command, text)
    assert command("test", ".", "--case", "one").status == 0


def test_a_case_that_is_not_there_is_no_success(command: Command) -> None:
    ended = command("test", written(command, document(expect="{status: completed}")), "--case", "oen")
    assert (ended.status, ended.code) == (2, "command/no-such-case")
    assert "did you mean one?" in ended.err
    assert ":one" not in command("test", ".", "--case", "zzz").err
    assert ":one" in command("test", ".", "--case", "zzz:zzz").err


def test_nothing_to_run_is_said(command: Command) -> None:
    assert command("test", "boxes.yaml").status == 2
    assert command("test", "nowhere.yaml").status == 2
    (command.folder / "boxes.yaml").write_text("workflow: boxes\n", "utf-8")
    assert command("test", written(command, document(expect="{status: completed}"))).status == 2


# --- runs as cases ----------------------------------------------------------------------------------------------------

RUN = ("run", "boxes.yaml", "--input", "owner=ann", "--input", "number=2", "--run-id", "first")


def _ended_run(command: Command) -> None:
    command(*RUN)
    assert command("answer", "first", "go=fill them, all").status == 0


def test_an_ended_run_becomes_a_case_that_passes(command: Command) -> None:
    _ended_run(command)
    out = "tests/recorded.yaml"
    assert command("record", "first", "--name", "recorded", "--out", out).status == 0
    text = (command.folder / out).read_text("utf-8")
    assert 'go: "fill them, all"' in text
    assert command("lint", out).status == 0
    ended = command("test", out)
    assert (ended.status, ended.out) == (0, "tests/recorded.yaml: 1 of 1 case passes\n")
    again = command("record", "first", "--name", "recorded", "--out", out)
    assert (again.status, again.code) == (2, "command/file-exists")


WATCH = """\
workflow: boxes
version: 1.0.0
title: Watch
effect: read
uses: {tools: [box]}
questions: {wait: 7d}
data: {topic: {type: string, default: ink}}
states:
  LOOK:
    title: Look
    tools: [box.look]
    steps:
      - confirm: go
        shows: topic
        refused: {to: end}
        text: {done: Here, next: It is looked at, writes: false}
        choices: [{id: look, confirms: true, phrase: look}, {id: leave, label: Leave, to: end}]
      - {call: box.look, with: {at: "{{ go.at }}", read_at: "since {{ '7d' | absolute_time(go.at) }}", what: one}}
    next: [{to: end}]
"""
LOOK = """\
box.look:
  title: Look
  effect: read
  input: {type: object, additionalProperties: false, properties: {at: {}, read_at: {}, what: {}}}
  output: {type: object}
  example: {}
"""


def test_a_run_that_sends_its_own_instants_becomes_a_case_that_passes(command: Command) -> None:
    (command.folder / "boxes.yaml").write_text(WATCH, "utf-8")
    for file, more in (
        ("tools/box.yaml", LOOK),
        ("profiles/local.yaml", "  box.look: {adapter: compute, answer: {}}\n"),
    ):
        with (command.folder / file).open("a", encoding="utf-8") as document:
            document.write(more)
    asked = command("run", "boxes.yaml", "--run-id", "first")
    assert asked.status == 3, asked.err
    assert command("answer", "first", "go=look").status == 0
    assert command("record", "first", "--name", "moments", "--out", "tests/moments.yaml").status == 0
    assert command("test", "tests/moments.yaml").out == "tests/moments.yaml: 1 of 1 case passes\n"


@pytest.mark.parametrize(
    ("value", "is_fixed"),
    [
        ("2026-12-02T09:00:00.125Z", False),
        ("from 2026-12-02T09:00:00.125Z to 2026-12-09T09:00:00.125Z", False),
        ("on 2026-12-02", False),
        ("2026-12-01", True),
        ("2026-12-02T10:00:00.125Z", False),  # an hour later than what happened
        ("2026-11-25T00:00:00.000Z", False),  # the beginning of a week
        ("2026-12-02T17:00:00", False),  # on a clock elsewhere
        ("2026-12-09", False),
        ("2026-11-01", True),  # as an input names it
        ("since 2026-10-20T08:00:00Z", True),  # as an answer names it
        ("2026-12-01T23:00:00.000Z", True),
        ("2026-12", True),
        (20261202, True),
    ],
)
def test_a_recorded_answer_is_given_whatever_moments_of_the_run_are_sent(value: Any, is_fixed: bool) -> None:
    outcome = {
        "ok": True,
        "value": {"due": "by 2026-10-20T08:00:00Z"},
        "at": "2026-12-02T09:00:00.125Z",
        "sent": {"value": value},
        "tool": "a.b",
    }
    rows = [Row(1, "a", "outcome", outcome)]
    start = {"started_at": "2026-12-01T23:00:00.000Z", "language": "en", "inputs": {"day": "2026-11-01"}, "sets": {}}
    journal: Any = SimpleNamespace(rows=lambda: rows)
    program: Any = SimpleNamespace(data={}, contracts={})
    recording = read_recording(start, journal, program, with_content=True)
    assert [entry.when for entry in recording.entries] == [f"sent.value == {literal(value)}" if is_fixed else ""]


@pytest.mark.long
def test_what_cannot_be_seen_is_recorded_as_an_escape(command: Command) -> None:
    owner = "a\x7f\x85\ufeff\u2028\u202e\U000e0041“”"
    command("run", "boxes.yaml", "--input", f"owner={owner}", "--input", "number=1", "--run-id", "first")
    assert command("answer", "first", "go=fill them, all").status == 0
    assert command("record", "first", "--name", "odd", "--out", "tests/odd.yaml").status == 0
    assert command("lint", "tests/odd.yaml").out == "nothing found\n"
    assert command("test", "tests/odd.yaml").status == 0


def test_a_run_that_has_not_ended_is_no_case_yet(command: Command) -> None:
    command(*RUN)
    ended = command("record", "first")
    assert (ended.status, ended.code) == (2, "command/run-not-ended")
    assert command("record", "nobody").status == 2


def test_a_cancelled_run_is_no_case(command: Command) -> None:
    command(*RUN)
    assert command("cancel", "first").status == 6
    ended = command("record", "first")
    assert (ended.status, ended.code) == (2, "command/recording-cancelled")


def test_a_replay_shows_where_an_edited_workflow_first_goes_another_way(command: Command) -> None:
    _ended_run(command)
    assert command("test", "--replay", "first").out == "first: all 5 steps as recorded\n"
    spec = command.folder / "boxes.yaml"
    spec.write_text(spec.read_text("utf-8").replace('"{{ owner }}-{{ turn }}"', '"{{ turn }}-{{ owner }}"'), "utf-8")
    ended = command("test", "--replay", "first")
    assert ended.status == 1
    lines = ended.out.splitlines()
    assert lines[0] == "first: 3 steps as recorded, then"
    assert lines[1].startswith('  then: call box.fill {"id":"ann-0"')
    assert lines[2].startswith('  now: call box.fill {"id":"0-ann"')
    told = command("test", "--replay", "first", "--json").json["replays"][0]
    assert (told["after"], told["then"]["detail"]["id"]) == (3, "ann-0")


def test_what_an_earlier_run_left_is_written_down_in_the_case(command: Command) -> None:
    earlier = "{owner: ann, number: 2, earlier: {outputs: {filled: 5}}}"
    assert codes_of(command, document(inputs=earlier, expect="{outputs: {before: 5}}")) == []
    assert codes_of(command, document(expect="{outputs: {before: 0}}")) == []


def test_messages_are_looked_for_in_questions_too(command: Command) -> None:
    assert codes_of(command, document(answers="{}", expect="{status: waiting, messages: [They are filled]}")) == []


def test_an_answer_that_does_not_fit_names_the_choices_and_nothing_that_follows(command: Command) -> None:
    expect = "{status: completed, outputs: {filled: 2}, calls: [{tool: box.fill}]}"
    text = document(answers="{go: 3}", expect=expect)
    ended = command("test", written(command, text))
    said = " ".join(ended.err.split() + ended.out.split())
    assert "the answer to go does not fit: “3” is no choice; choose one of: fill them, all" in said
    assert codes_of(command, text) == ["test/answer-unfit"]
    one = command("test", "tests/one.yaml", "--json").json["tests"][0]["cases"][0]["diagnostics"][0]
    assert (one["line"], one["column"]) == (9, 15)


def test_nobody_answering_is_said_without_what_follows(command: Command) -> None:
    text = document(answers="{}", expect="{status: completed, calls: [{tool: box.fill}]}")
    assert codes_of(command, text) == ["test/unanswered"]


def test_a_case_is_named_with_its_document_where_two_have_its_id(command: Command) -> None:
    written(command, document(expect="{status: completed}"))
    other = document(expect="{status: failed}").replace("tests: one", "tests: two")
    (command.folder / "tests" / "two.yaml").write_text(other, "utf-8")
    assert command("test", "tests/one.yaml", "tests/two.yaml", "--case", "one").status == 1
    told = command("test", "tests/one.yaml", "tests/two.yaml", "--case", "one:one", "--json")
    assert told.status == 0
    assert [[case["id"] for case in one["cases"]] for one in told.json["tests"]] == [["one"], []]


def test_one_case_and_one_call_are_not_told_as_many(command: Command) -> None:
    text = document(expect="{calls: [{tool: box.fill, times: 1}]}")
    told = command("test", written(command, text))
    assert "box.fill is called 2 times like this, expected once" in " ".join((told.out + told.err).split())
    other = document(expect="{status: failed}").replace("tests: one", "tests: two")
    (command.folder / "tests" / "two.yaml").write_text(other, "utf-8")
    ended = command("test", "tests/one.yaml", "tests/two.yaml", "--case", "two:one")
    assert ended.out.splitlines()[-1] == "2 tests documents: 0 of 1 case passes"


JUDGED = """\
workflow: judged
version: 1.0.0
title: Judged
effect: read
uses: {tools: [box]}
data: {found: {type: array, default: []}}
states:
  ONLY:
    tools: [box.weigh]
    steps:
      - each: n
        in: "[1]"
        do:
          - call: box.weigh
            with: {note: "{{ absent }}"}
            accept: [{rule: heavy, that: answer.weight > 5, message: Too light}]
            repair: {errors: [invalid], at_most: 2, add: {note: "{{ findings }}"}}
            as: weighed
          - {collect: found, item: "{{ weighed.weight }}"}
"""
WEIGH = """\
box.weigh:
  effect: read
  input: {type: object, properties: {note: {type: array}}}
  output: {type: object, required: [weight], properties: {weight: {type: integer}}}
  example: {weight: 9}
"""
ATTEMPTS = {
    "accepted at once": ("[{answer: {weight: 9}}]", "completed", "failures handled: 0/1"),
    "repaired": ("[{when: absent(sent.note), answer: {weight: 1}}, {answer: {weight: 9}}]", "completed", "1/1"),
    "refused to the end": ("[{answer: {weight: 1}}]", "blocked", "1/1"),
    "failed": ("[{error: {code: timed_out}}]", "blocked", "1/1"),
}


@pytest.mark.parametrize(("answers", "status", "covered"), ATTEMPTS.values(), ids=list(ATTEMPTS))
def test_a_failure_of_a_call_counts_as_come_by_whatever_came_of_it(
    command: Command, answers: str, status: str, covered: str
) -> None:
    (command.folder / "judged.yaml").write_text(JUDGED, "utf-8")
    with (command.folder / "tools" / "box.yaml").open("a", encoding="utf-8") as file:
        file.write(WEIGH)
    answers = answers.replace("absent(sent.note)", "sent.note is absent")
    text = (
        "tests: one\nworkflow: judged\ncases:\n  - id: one\n"
        f"    tools: {{box.weigh: {answers}}}\n    expect: {{status: {status}}}\n"
    )
    told = command("test", written(command, text), "--coverage")
    assert told.status == 0, told
    (line,) = [line for line in told.out.splitlines() if "failures handled" in line]
    assert covered in line
