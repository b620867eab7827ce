"""Sensitive and private data: the run works on the real values, and nothing that is printed holds one."""

from __future__ import annotations

import json
import sqlite3

import pytest

from tests.cli.kit import Command, Ended

PASSWORD, HINT, CODE = "correct horse", "battery", "staple-99"
PEOPLE = ["Ada Marlow", "Ben Okafor"]
SECRETS = (PASSWORD, "horse", HINT, CODE, *PEOPLE, "Marlow")
RUN = ("run", "secrets.yaml", "--profile", "profiles/vault.yaml", "--run-id", "one")
INPUTS = ("--input", f"password={PASSWORD}", "--input", f"people={json.dumps(PEOPLE)}")
DETAILS = {"hint": HINT, "people": PEOPLE, "code": CODE}


def kept_quiet(ended: Ended) -> Ended:
    for secret in SECRETS:
        assert secret not in ended.out, ended.out
        assert secret not in ended.err, ended.err
    return ended


def all_views(command: Command) -> list[Ended]:
    plans = [command("show", "one", "--plan", "--format", form) for form in ("csv", "markdown")]
    shown = [
        command("show", "one", *more, language=language) for more in ((), ("--json",)) for language in ("en", "zh")
    ]
    return [kept_quiet(view) for view in (*plans, *shown, command("runs"), command("runs", "--json"))]


def started(command: Command, *more: str) -> Ended:
    return kept_quiet(command(*RUN, *INPUTS, *more))


def test_nothing_that_is_printed_holds_a_marked_value_and_the_tools_receive_it(command: Command) -> None:
    begun = started(command)
    assert begun.status == 3
    assert "Opened with •••, 2 people" in begun.err
    assert "<•••><•••>14" in begun.err
    assert "with •••" in begun.err.splitlines()[1], "progress"
    all_views(command)

    asked = kept_quiet(command("answer", "one", f"details={json.dumps(DETAILS)}", "--json"))
    (question,) = asked.json["waiting"]
    assert question["shown"] == [{"id": "one", "password": "•••"}]
    assert question["text"]["done"] == "••• 1"
    all_views(command)
    plan = command("show", "one", "--plan", "--format", "csv").out
    assert "one" in plan
    assert "•••" in plan

    ended = kept_quiet(command.paste(question["command"] + " --json"))
    assert ended.status == 5
    assert ended.json["outputs"] == {
        "is_open": True,
        "kept": True,
        "knows": True,
        "known": 2,
        "plan": [{"id": "one", "password": "•••"}],
        "people": ["•••", "•••"],
        "greeting": "•••",
    }
    assert ended.json["partial"] == "••• •••"
    views = all_views(command)
    assert any("Hint: •••" in view.out for view in views)

    kept_quiet(command("record", "one", "--out", "tests/secrets.yaml"))
    recorded = (command.folder / "tests" / "secrets.yaml").read_text("utf-8")
    assert not [secret for secret in SECRETS if secret in recorded]
    assert command("test", "tests/secrets.yaml").status == 0


def test_the_question_of_a_form_shows_no_marked_value_that_stands_there(command: Command) -> None:
    (question,) = started(command, "--json").json["waiting"]
    fields = {field["name"]: field for field in question["schema"]}
    assert fields["hint"]["start"] == "•••"
    assert fields["people"]["start"] == ["•••", "•••"]
    assert "•••" not in question["command"], "a mask must not be given as an answer"


@pytest.mark.parametrize(
    "details",
    [{**DETAILS, "code": CODE * 3}, {**DETAILS, "people": PEOPLE[0]}, {**DETAILS, "hint": [HINT]}],
    ids=["too long", "no list", "no text"],
)
def test_an_answer_that_does_not_fit_is_not_repeated(command: Command, details: object) -> None:
    started(command)
    refused = kept_quiet(command("answer", "one", f"details={json.dumps(details)}"))
    assert refused.status == 2
    assert refused.code == "run/answer-wrong-form"


@pytest.mark.parametrize("place", ["kinds", "number", "call", "gate"])
@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.long)])
def test_a_run_that_blocks_names_the_place_and_no_marked_value(command: Command, place: str, language: str) -> None:
    blocked = command(*RUN, *INPUTS, "--input", f"break_at={place}", "--json", language=language)
    assert kept_quiet(blocked).status == 4
    assert blocked.json["blocked"]["where"]["file"] == "secrets.yaml"
    all_views(command)


def test_an_input_that_does_not_fit_is_not_repeated(command: Command) -> None:
    refused = command("run", "secrets.yaml", "--profile", "profiles/vault.yaml", "--input", "password=hors")
    assert refused.status == 2
    assert refused.code == "command/input-unfit"
    assert "hors" not in refused.err


def test_a_terminal_hints_at_what_stands_in_a_field_without_showing_it(command: Command) -> None:
    with command.terminal(*RUN, *INPUTS) as typist:
        typist.wait_for("Hint (a text, up to 20 characters) [•••] > ")
        typist.type("")
        typist.wait_for("People (a list, with commas) [•••] > ")
        typist.type("")
        typist.wait_for("Code (a text, up to 20 characters) > ")
        typist.end_of_input()
        typist.ended()
        assert not [secret for secret in SECRETS if secret in typist.text]


def test_a_rehearsal_shows_no_marked_value(command: Command) -> None:
    assert kept_quiet(command(*RUN, *INPUTS, "--dry-run")).status == 0


def test_the_journal_keeps_real_values_for_a_resume(command: Command) -> None:
    started(command)
    with sqlite3.connect(command.home / "runs" / "one" / "journal.sqlite3") as connection:
        text = "\n".join(connection.iterdump())
    assert PASSWORD in text
    assert HINT in text
