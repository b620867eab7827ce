"""Evidence through the command: what a run cites can be looked up where it was read."""

from __future__ import annotations

import json

from tests.cli.kit import Command


def run(command: Command, run_id: str = "one") -> None:
    ended = command("run", "cited.yaml", "--profile", "profiles/library.yaml", "--run-id", run_id, "--json")
    assert ended.status == 0, ended
    assert ended.json["outputs"] == {"citations": [{"page": "Page a", "quote": "The fee is 5.\n", "form": "id"}]}


def test_a_run_from_a_kept_plan_cites_the_same(command: Command) -> None:
    run(command)
    run(command, "two")
    first, second = (command("show", name, "--evidence", "--json").json["evidence"] for name in ("one", "two"))
    assert [one["evidence_id"] for one in first] == [one["evidence_id"] for one in second]


def test_the_evidence_of_a_run_is_shown_with_its_place(command: Command) -> None:
    run(command)
    shown = command("show", "one", "--evidence", "--json")
    assert shown.status == 0
    first, second, own = shown.json["evidence"]
    assert first["text"] + second["text"] == "The fee is 5.\nIt is paid once.\n"
    assert [one["offset"] for one in (first, second)] == [0, 14]
    assert [one["stands"] for one in (first, second, own)] == [True, True, True]
    assert first["source"] == {"id": "a", "title": "Page a"}
    assert first["body"]["place"] == ["text"]
    assert "nothing said" not in json.dumps(own)

    text = command("show", "one", "--evidence")
    assert f"{first['evidence_id']}  page  Page a" in text.out
    assert "nothing said" not in text.out
    one = command("show", "one", "--evidence", second["evidence_id"], language="zh")
    assert "It is paid once." in one.out
    assert "与原文逐字相同" in one.out
    assert first["evidence_id"] not in one.out


def test_what_the_outputs_quote_is_marked_and_can_be_shown_alone(command: Command) -> None:
    run(command)
    units = command("show", "one", "--evidence", "--json").json["evidence"]
    assert [one["quoted"] for one in units] == [True, False, False]
    alone = command("show", "one", "--evidence", "--quoted", "--json").json["evidence"]
    assert [one["evidence_id"] for one in alone] == [units[0]["evidence_id"]]
    for language, mark in (("en", "[quoted]"), ("zh", "[结果中引用]")):
        lines = command("show", "one", "--evidence", language=language).out.splitlines()
        assert [line.partition(" ")[0] for line in lines if line.endswith(mark)] == [units[0]["evidence_id"]]
    refused = command("show", "one", "--quoted")
    assert refused.status == 2
    assert "--evidence --quoted" in refused.err


def test_evidence_that_there_is_not_is_said(command: Command) -> None:
    run(command)
    missing = command("show", "one", "--evidence", "p-0")
    assert missing.status == 2
    assert "p-0" in missing.err


def test_a_run_without_evidence_says_so(command: Command) -> None:
    command("run", "survey.yaml", "--run-id", "one")
    assert command("show", "one", "--evidence").out == "no evidence\n"


EDITED = """workflow: later
version: 1.0.0
title: {zh: 以后, en: Later}
uses: {tools: [library]}
questions: {wait: 7d}
data:
  kept: {type: array, items: {$ref: evidence#Unit}, default: []}
outputs: {quoted: {value: "{{ [cite(kept | first)] if word is present else [] }}"}}
states:
  READ:
    tools: [library.read]
    steps:
      - {call: library.read, with: {id: a}, as: page}
      - {admit: units, side: page, source: {id: a, title: "{{ page.title }}"}, from: page.text}
      - set: {kept: "{{ units }}"}
    next: [{to: ASK}]
  ASK:
    steps:
      - ask: word
        form: {word: {type: string}}
        text: {done: {zh: 已读, en: It was read}, next: {zh: 结束, en: The end}, writes: false}
      - {admit: again, side: page, source: {id: b}, from: kept}
      - say: {done: "{{ again | count }}", next: {zh: 结束, en: The end}, writes: false}
"""


def test_evidence_outlives_an_edit_of_the_documents(command: Command) -> None:
    (command.folder / "later.yaml").write_text(EDITED, encoding="utf-8")
    waiting = command("run", "later.yaml", "--profile", "profiles/library.yaml", "--run-id", "one", "--json")
    assert waiting.status == 3, waiting
    (command.folder / "later.yaml").write_text(EDITED.replace("It was read", "All was read"), encoding="utf-8")
    assert command("resume", "one", "--with-edits").status == 3
    assert command("answer", "one", "word=done").status == 0
    ended = command("resume", "one", "--json")
    assert ended.status == 0, ended
    quote = "The fee is 5.\nIt is paid once.\n"
    assert ended.json["outputs"] == {"quoted": [{"path": "text", "quote": quote, "form": "id"}]}
    assert [one["stands"] for one in command("show", "one", "--evidence", "--json").json["evidence"]] == [True, True]


def test_a_quotation_that_was_made_up_is_said(command: Command) -> None:
    text = (command.folder / "cited.yaml").read_text(encoding="utf-8")
    made = text.replace('answer: "{{ pointed.citations }}"', "answer: [{page: Page a, quote: The fee is 6., form: id}]")
    (command.folder / "cited.yaml").write_text(made, encoding="utf-8")
    ended = command("run", "cited.yaml", "--profile", "profiles/library.yaml", "--run-id", "one", "--json")
    assert ended.json["outputs"]["citations"][0]["error"]["code"] == "quotation_not_found"
    shown = command("show", "one", "--evidence", "--json")
    assert shown.status == 1
    assert shown.json["refused"] == ["citations[0]", "answer[0]"]
    assert "✗ citations[0]" in command("show", "one", "--evidence").out


def test_a_dry_run_binds_what_it_reads(command: Command) -> None:
    ended = command("run", "cited.yaml", "--profile", "profiles/library.yaml", "--dry-run", "--json")
    assert ended.status == 0, ended
    assert ended.json["outputs"]["citations"][0]["quote"] == "The fee is 5.\n"
