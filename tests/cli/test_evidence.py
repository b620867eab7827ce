"""Evidence through the command: what a run cites can be looked up where it was read."""

from __future__ import annotations

import json

import pytest

from tests.cli.kit import Command


def run(command: Command, run_id: str = "one") -> None:
    ended = command("run", "cited.yaml", "--profile", "profiles/library.yaml", "--run-id", run_id, "--json")
    assert ended.status == 0, ended
    assert ended.json["outputs"] == {"citations": [{"page": "Page a", "quote": "The fee is 5.\n"}]}


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
    assert ended.json["outputs"] == {"quoted": [{"path": "text", "quote": quote}]}
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


REFUSED = {
    "a wrong quotation": (
        '{path: text, quote: "The fee is 6."}',
        "citations[0].quote",
        {"en": "does not stand letter for letter", "zh": "不是逐字相同"},
        "The fee is 6.",
    ),
    "an unknown id": ("nonsense", "citations[0]", {"en": "no evidence_id “nonsense”", "zh": "没有“nonsense”"}, None),
    "a rule of the author": (
        '"{{ units[0].evidence_id }}"',
        "citations",
        {"en": "two of them at least", "zh": "至少两处"},
        None,
    ),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("pointer", "place", "says", "quote"), REFUSED.values(), ids=REFUSED)
def test_an_answer_that_is_refused_says_where_why_and_by_which_rule(
    command: Command, language: str, pointer: str, place: str, says: dict[str, str], quote: str | None
) -> None:
    profile = command.folder / "profiles" / "library.yaml"
    text = profile.read_text(encoding="utf-8")
    profile.write_text(text.replace('"{{ units[0].evidence_id }}"', pointer), encoding="utf-8")
    spec = command.folder / "cited.yaml"
    message = "{zh: 至少两处, en: two of them at least}"
    rule = f"{{rule: two, that: (answer.citations | count) > 1, at: citations, message: {message}}}"
    judged = spec.read_text(encoding="utf-8").replace("{page: units}}]", f"{{page: units}}}}, {rule}]")
    spec.write_text(judged, encoding="utf-8")
    words = ("run", "cited.yaml", "--profile", "profiles/library.yaml", "--run-id", "one")
    ended = command(*words, language=language)
    assert ended.status == 4, ended
    for told in (ended.err, command("show", "one", language=language).out):
        line = " ".join("".join(told.split("\n   ")).split()) if language == "zh" else " ".join(told.split())
        assert f"✗ {place}{'：' if language == 'zh' else ': '}" in line
        assert says[language] in line
        assert quote is None or f"“{quote}”" in line
        assert ("was not accepted" in line) == (language == "en")
    shown = command("show", "one", "--evidence", language=language)
    refused = command("show", "one", "--evidence", "--json").json["refused_in_answers"]
    if place == "citations":
        assert refused == []
        return
    assert [(one["tool"], one["at"], one["rule"]) for one in refused] == [
        ("library.point", place, "invalid_evidence_id")
    ]
    assert place in shown.out
    assert says[language] in shown.out


def test_a_refused_answer_about_private_data_is_told_without_its_words(command: Command) -> None:
    profile = command.folder / "profiles" / "library.yaml"
    text = profile.read_text(encoding="utf-8")
    profile.write_text(text.replace('"{{ units[0].evidence_id }}"', '{path: secret, quote: "said nothing"}'), "utf-8")
    spec = command.folder / "cited.yaml"
    whole = spec.read_text(encoding="utf-8").replace('{units: "{{ units }}"}', '{units: "{{ units + _own }}"}')
    whole = whole.replace("{page: units}", "{page: units + _own}").replace(
        "{type: array", "{private: true, type: array"
    )
    spec.write_text(whole, encoding="utf-8")
    ended = command("run", "cited.yaml", "--profile", "profiles/library.yaml", "--run-id", "one")
    assert ended.status == 4, ended
    assert "✗ citations[0].path: invalid_evidence_id" in ended.err
    assert "said nothing" not in ended.err + command("show", "one", "--evidence").out
