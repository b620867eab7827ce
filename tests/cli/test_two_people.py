"""`test`, `record` and `test --replay` of a workflow in which it matters who answers, and when."""

from __future__ import annotations

import pytest

from tests.cli.kit import Command

WORKFLOW = """\
workflow: pair
version: 1.0.0
effect: write
uses: {tools: [till]}
questions: {wait: 7d, refused: block}
states:
  APPROVE:
    steps:
      - confirm: first
        permits: [{id: pay, tool: till.pay, with: {order: a1}}]
        text: {done: One order, next: It is paid, writes: true}
        choices: [{id: agree, confirms: true}, {id: stop, to: end}]
      - confirm: second
        text: {done: Somebody agreed, next: Somebody else has to, writes: false}
        choices: [{id: agree, confirms: true}, {id: stop, to: end}]
    next:
      - {when: first.who == second.who, to: APPROVE}
      - {to: PAY}
  PAY:
    tools: [till.pay, till.note]
    steps:
      - {call: till.pay, needs: first, with: {order: a1}, outcome: paid}
      - {call: till.note, with: {who: "{{ second.who }}", times: ["{{ first.at }}", "{{ paid.at }}"]}}
"""
TOOLS = """\
tools: till
till.pay:
  effect: write
  input: {type: object, properties: {order: {type: string}}}
  output: {type: object, required: [paid], properties: {paid: {type: boolean}}}
  example: {paid: true}
till.note:
  effect: read
  input: {type: object, properties: {who: {type: string}, times: {type: array}}}
  output: {type: object, properties: {}}
  example: {}
"""
CASE = """\
tests: pair
workflow: pair
cases:
  - id: one
    tools: {{till.pay: [{{example: {{}}}}], till.note: [{{example: {{}}}}]}}
    answers: {answers}
    expect: {{status: completed, visits: [APPROVE, PAY]}}
"""
PROFILE = """\
profile: till
tools:
  till.pay: {adapter: compute, answer: {paid: true}}
  till.note: {adapter: compute, answer: {}}
"""


@pytest.fixture
def pair(command: Command) -> Command:
    for name, text in (("pair", WORKFLOW), ("tools/till", TOOLS), ("profiles/till", PROFILE)):
        (command.folder / f"{name}.yaml").write_text(text, "utf-8")
    return command


def _codes(pair: Command, answers: str) -> list[str]:
    (pair.folder / "tests").mkdir(exist_ok=True)
    (pair.folder / "tests" / "pair.yaml").write_text(CASE.format(answers=answers), "utf-8")
    told = pair("test", "tests/pair.yaml", "--json").json["tests"][0]
    return [one["code"] for case in told["cases"] for one in case["diagnostics"]]


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        ("{first: {who: ann, then: agree}, second: {who: ann, then: agree}}", ["test/does-not-end"]),
        ("{first: {who: ann, then: agree}, second: {who: bob, then: agree}}", []),
        ("{first: {who: ann, then: agree}, second: agree}", []),
        ("{first: {who: ann, wrong: [yes], then: agree}, second: agree}", []),
        ("{first: {who: ann, then: {ending: refused}}, second: agree}", ["test/different", "test/different"]),
        ("{first: [{who: ann, then: agree}], second: [{who: ann, then: agree}]}", ["test/unanswered"]),
    ],
)
def test_who_answers_is_said_in_a_case_and_one_that_does_not_end_is_given_up(
    pair: Command, answers: str, wanted: list[str]
) -> None:
    assert _codes(pair, answers) == wanted


@pytest.mark.parametrize("second", ["bob", "ann"])
def test_a_recorded_run_is_replayed_by_whoever_answered_and_when(pair: Command, second: str) -> None:
    pair("run", "pair.yaml", "--profile", "profiles/till.yaml", "--run-id", "first")
    for who in dict.fromkeys((second, "bob")):
        assert pair("answer", "first", "first=agree", "--as", "ann").status == 3
        pair("answer", "first", "second=agree", "--as", who)
    assert "as recorded" in pair("test", "--replay", "first").out.splitlines()[-1]
    assert pair("record", "first", "--name", "recorded", "--out", "tests/recorded.yaml").status == 0
    text = (pair.folder / "tests" / "recorded.yaml").read_text("utf-8")
    assert '"who":"bob"' in text
    assert pair("test", "tests/recorded.yaml").out == "tests/recorded.yaml: 1 of 1 case passes\n"
