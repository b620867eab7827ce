"""What became of the calls that were permitted: told where a run stops, shown later, read by other programs."""

from __future__ import annotations

from typing import Any

import pytest

from interpreter.cli.written import writes_of
from interpreter.ports import Row
from tests.cli.kit import Command, Ended

CONFIRMED = "go=fill them, all"
REFUSED = "{{ id != 'a-1' }}"
UNCLEAR = "{{ 'who knows' if id == 'a-1' else true }}"


def confirmed(command: Command, answer: str, *more: str, language: str = "en", number: int = 3) -> Ended:
    """Confirm some calls, three where nothing is said, of which one goes wrong."""
    profile = command.folder / "profiles" / "local.yaml"
    profile.write_text(profile.read_text("utf-8").replace("{filled: true}", f'{{filled: "{answer}"}}'), "utf-8")
    tools = command.folder / "tools" / "box.yaml"
    failed = "  failed: answer.filled == false\n  example:"
    tools.write_text(tools.read_text("utf-8").replace("  example:", failed), "utf-8")
    started = command(
        "run",
        "boxes.yaml",
        "--input",
        "owner=a",
        "--input",
        f"number={number}",
        "--run-id",
        "one",
        "--set",
        "limits.most=50",
    )
    assert "permitted calls" not in started.err
    return command("answer", "one", CONFIRMED, *more, language=language)


def results(command: Command) -> dict[str, str]:
    return {one["id"]: one["result"] for one in command("show", "one", "--json").json["writes"]}


def table(ended: Ended) -> list[list[str]]:
    lines = (ended.err + ended.out).splitlines()
    first = next(number for number, line in enumerate(lines) if line.strip().startswith("───"))
    rows = [line.split("  ") for line in lines[first + 1 :]]
    return [[cell.strip() for cell in row if cell.strip()] for row in rows if "box.fill" in str(row)]


@pytest.mark.parametrize(
    ("language", "line", "rows"),
    [
        ("en", "1 of 3 permitted calls done", ["done", "failed (reported_failure)", "not done"]),
        ("zh", "许可的 3 次调用已完成 1 次", ["已完成", "失败 (reported_failure)", "未做"]),
    ],
)
def test_a_run_that_stops_among_its_writes_says_what_is_done(
    command: Command, language: str, line: str, rows: list[str]
) -> None:
    blocked = confirmed(command, REFUSED, language=language)
    assert blocked.status == 4
    shown = command("show", "one", language=language)
    for ended in (blocked, shown):
        assert line in ended.err + ended.out
        assert [row[-1] for row in table(ended)][-3:] == rows
        assert [row[0] for row in table(ended)][-3:] == ["a-0", "a-1", "a-2"]


def test_other_programs_read_what_became_of_each_permitted_call(command: Command) -> None:
    confirmed(command, REFUSED)
    common = {"question": "go", "tool": "box.fill", "computed": True}
    assert command("show", "one", "--json").json["writes"] == [
        {**common, "id": "a-0", "result": "done"},
        {**common, "id": "a-1", "result": "failed", "error": "reported_failure"},
        {**common, "id": "a-2", "result": "not_done"},
    ]
    plan = command("show", "one", "--plan", "--format", "csv").out.splitlines()
    assert [line.split(",")[2] for line in plan] == ["state", "done", "failed: reported_failure", "not_done"]


@pytest.mark.parametrize(("told", "result"), [("happened", "done"), ("did_not", "failed")])
def test_a_write_that_nobody_knows_about_is_unknown_until_somebody_tells(
    command: Command, told: str, result: str
) -> None:
    waiting = confirmed(command, UNCLEAR, "--json")
    assert waiting.status == 3
    assert results(command) == {"a-0": "done", "a-1": "unknown", "a-2": "not_done"}
    command("answer", "one", f"unknown_write={told}")
    assert results(command)["a-1"] == result


def test_a_cancelled_run_says_what_was_done(command: Command) -> None:
    confirmed(command, UNCLEAR)
    cancelled = command("cancel", "one")
    assert cancelled.status == 6
    assert "1 of 3 permitted calls done" in cancelled.err
    assert [row[-1] for row in table(cancelled)] == ["done", "unknown", "not done"]


def test_a_run_that_is_done_lists_its_writes_when_it_is_looked_at(command: Command) -> None:
    done = confirmed(command, "{{ true }}")
    assert done.status == 0
    assert "permitted calls" not in done.err
    assert "3 of 3 permitted calls done" in command("show", "one").out
    assert results(command) == dict.fromkeys(("a-0", "a-1", "a-2"), "done")


@pytest.mark.parametrize(("refused", "listed"), [("a-20", ["a-20", "a-21"]), ("a-1", [f"a-{n}" for n in range(1, 21)])])
def test_of_very_many_calls_those_that_are_not_done_are_listed(
    command: Command, refused: str, listed: list[str]
) -> None:
    stopped = confirmed(command, REFUSED.replace("a-1", refused), number=22)
    assert [row[0] for row in table(stopped)] == listed
    assert f"{22 - len(listed)} more: interpreter show one --plan" in stopped.err


def test_what_was_not_confirmed_permits_nothing(command: Command) -> None:
    command("run", "boxes.yaml", "--input", "owner=a", "--input", "number=3", "--run-id", "one")
    assert command("show", "one", "--json").json["writes"] == []
    command("answer", "one", "go=leave")
    assert command("show", "one", "--json").json["writes"] == []
    assert "permitted calls" not in command("show", "one").out


# --- journals, row by row ---------------------------------------------------------------------------------------------

MAKE = {"id": "make", "tool": "d.make", "with": {"name": "x"}}
FILL = {"id": "fill", "tool": "d.fill", "with": {"into": {"made_by": "make", "field": "token"}, "n": 1}}
SAME = {"id": "again", "tool": "d.make", "with": {"name": "x"}}
ASKED = ("q", "question", {"name": "go", "permits": [MAKE, FILL], "choices": [{"id": "yes", "confirms": True}]})
TWICE = ("q", "question", {**ASKED[2], "permits": [MAKE, SAME]})
YES = ("q", "answer", {"question": "go#1", "ending": "answered", "value": {"choice": "yes"}})
MADE = ("m/a1", "intention", {"tool": "d.make", "sent": {"name": "x"}})
FILLED = ("f/a1", "intention", {"tool": "d.fill", "sent": {"into": "t", "n": 1}})
OTHER = ("o/a1", "intention", {"tool": "d.fill", "sent": {"into": "t", "n": 2}})
OK = {"ok": True}
PERHAPS = {"ok": False, "error": {"code": "network", "happened": "perhaps"}}
NEVER = {"ok": False, "error": {"code": "busy", "happened": "never"}}
NOTE = {"note": "write", "question": "go", "entry": "make"}
PENDING = ("", "trace", {**NOTE, "status": "pending"})
FAILED = [ASKED, YES, MADE, ("m/a1", "outcome", NEVER)]
EDITED = ("", "edited", {"at": "now"})


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ([ASKED], []),
        ([ASKED, ("q", "answer", {"ending": "abandoned", "value": {}})], []),
        ([ASKED, YES], ["not_done", "not_done"]),
        ([ASKED, YES, MADE], ["unknown", "not_done"]),
        ([ASKED, YES, MADE, ("m/a1", "outcome", OK)], ["done", "not_done"]),
        ([ASKED, YES, MADE, ("m/a1", "outcome", PERHAPS)], ["unknown", "not_done"]),
        (FAILED, ["failed", "not_done"]),
        ([*FAILED, ("m/a2", *MADE[1:]), ("m/a2", "outcome", OK)], ["done", "not_done"]),
        ([ASKED, YES, MADE, ("m/a1", "outcome", OK), PENDING], ["pending", "not_done"]),
        ([ASKED, YES, MADE, ("", "trace", {**NOTE, "status": "success"})], ["done", "not_done"]),
        ([ASKED, YES, FILLED, ("f/a1", "outcome", OK)], ["not_done", "done"]),
        ([ASKED, YES, OTHER], ["not_done", "not_done"]),
        ([ASKED, YES, FILLED, ("f/a1", "outcome", OK), EDITED], ["done"]),
        ([ASKED, YES, FILLED, ("f/a1", "outcome", OK), ("r", *ASKED[1:])], ["done"]),
        ([TWICE, YES, MADE, ("m/a1", "outcome", OK)], ["done", "done"]),
    ],
    ids=[
        "asked", "given up", "confirmed", "begun", "answered", "no connection", "refused", "tried again",
        "not ended", "found out", "filled in later", "another call", "edited since", "asked anew", "one call twice",
    ],
)  # fmt: skip
def test_the_rows_of_a_journal_tell_what_became_of_a_call(rows: list[tuple[str, str, Any]], wanted: list[str]) -> None:
    journal = [Row(number, *row) for number, row in enumerate(rows, start=1)]
    assert [one["result"] for one in writes_of(journal)] == wanted


def test_writes_that_expressions_answer_are_told_as_computed(command: Command) -> None:
    ended = confirmed(command, "{{ true }}")
    told = "box.fill: expressions of the profile answered; nothing was really written"
    assert ended.err.count(told) == 1
    assert command("show", "one").out.count(told) == 1
    assert {one.get("computed") for one in command("show", "one", "--json").json["writes"]} == {True}
    assert "没有真的写入任何东西" in command("show", "one", language="zh").out


TRUTHS = {
    "en": ["counts as done  (happened)", "may send it again (did_not)", "it is looked up again (stop)"],
    "zh": ["算作完成  (happened)", "可能再发送一次  (did_not)", "再查一次  (stop)"],
}


@pytest.mark.parametrize("language", TRUTHS)
def test_what_may_be_said_of_an_unknown_write_says_what_it_leads_to_and_none_is_proposed(
    command: Command, language: str
) -> None:
    asked = confirmed(command, UNCLEAR, language=language)
    assert asked.status == 3
    choices = " ".join(asked.err.split()).split("» ")[1:4]
    for choice, wanted in zip(choices, TRUTHS[language], strict=True):
        assert " ".join(wanted.split()) in choice, choices
    assert "who knows" in asked.err.partition("» ")[0]  # and so does what the tool said
    assert "stop" in asked.err.partition("» ")[0]  # the message says that it can be looked up again
    line = next(line for line in asked.err.splitlines() if "interpreter answer" in line)
    told = line[line.index("interpreter ") :]
    assert "'unknown_write=…'" in told
    refused = command.paste(told, language=language)
    assert (refused.status, refused.code) == (2, "run/answer-no-such-choice")
    assert command.paste(told.replace("…", "did_not"), language=language).status == 4
