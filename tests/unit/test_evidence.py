"""The catalogue of evidence: bodies, places, ids, and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from interpreter.adapters.kept_evidence import kept_evidence
from interpreter.evidence import Body, Evidence, NotRead, may_cut, pieces_of, text_leaves
from interpreter.ports import JsonObject, Row
from rules.expr.functions.conversions import leaves

AT = "2024-01-01T00:00:00.000Z"


def whole(value: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    yield ("text",), value["text"]


def read(*texts: str) -> Evidence:
    evidence = Evidence()
    for number, text in enumerate(texts):
        evidence.read(f"S#1/call{number}/a1", AT, {"text": text}, whole)
    return evidence


def units(evidence: Evidence, *texts: tuple[str, str], side: str = "policy", **source: Any) -> list[JsonObject]:
    return [one.unit for one in evidence.admit(side, source or {"id": "r"}, texts, None)]


@pytest.mark.parametrize(
    ("text", "longest", "pieces"),
    [
        ("one two", 20, ["one two"]),
        ("One. Two. Three.", 10, ["One. Two. ", "Three."]),
        ("他说：“好。”然后走了。", 9, ["他说：“好。”", "然后走了。"]),
        ("one two three", 9, ["one two ", "three"]),
        ("第一条。第二条。第三条", 8, ["第一条。第二条。", "第三条"]),
        ("first\nsecond. third", 12, ["first\n", "second. ", "third"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("\r\n\r\n", 1, ["\r\n", "\r\n"]),
        ("e\u0301e\u0301", 3, ["e\u0301", "e\u0301"]),
        ("👨\u200d👩\u200d👧x", 2, ["👨\u200d👩\u200d👧", "x"]),
        ("🇨🇳🇩🇪", 3, ["🇨🇳", "🇩🇪"]),
        ("👍🏽👍🏽", 1, ["👍🏽", "👍🏽"]),
        ("\u1112\u1161\u11ab", 2, ["\u1112\u1161\u11ab"]),
        ("", 3, [""]),
        ("abc", 0, ["abc"]),
    ],
)
def test_a_text_is_cut_where_a_reader_would_cut_it(text: str, longest: int, pieces: list[str]) -> None:
    assert list(pieces_of(text, longest)) == pieces


def test_the_ends_of_a_text_are_places_to_cut() -> None:
    assert may_cut("e\u0301", 0)
    assert may_cut("e\u0301", 2)
    assert not may_cut("e\u0301", 1)


def test_paths_of_texts_are_those_that_the_language_gives() -> None:
    value = {"a": {"b": ["x", {"c": "y"}], "n": 5}, "d": [["z"]], "e": ""}
    given = [(leaf["path"], leaf["text"]) for leaf in leaves(value) if leaf["text"] not in ("5", "")]
    assert list(text_leaves(value)) == given


def test_the_same_text_of_the_same_source_is_the_same_unit() -> None:
    evidence = read("A line.", "A line.")
    assert units(evidence, ("text", "A line."), id="r", read_at="2024") == units(evidence, ("text", "A line."), id="r")


@pytest.mark.parametrize(
    ("side", "source", "path", "text"),
    [
        ("policy", {"id": "s"}, "text", "A line."),
        ("subject", {"id": "r"}, "text", "A line."),
        ("policy", {"id": "r"}, "other", "A line."),
        ("policy", {"id": "r"}, "text", "line"),
        ("policy", {"id": "r", "title": "T"}, "text", "A line."),
    ],
)
def test_another_side_source_path_or_part_is_another_unit(side: str, source: Any, path: str, text: str) -> None:
    evidence = read("A line.")
    (first,) = units(evidence, ("text", "A line."))
    (second,) = units(evidence, (path, text), side=side, **source)
    assert first["evidence_id"] != second["evidence_id"]


def test_ids_that_would_be_the_same_get_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interpreter.evidence.DIGITS_OF_ID", 1)
    evidence = read(*(f"line {number}" for number in range(40)))
    ids = {units(evidence, ("text", f"line {number}"))[0]["evidence_id"] for number in range(40)}
    assert len(ids) == 40


def test_what_was_not_read_is_refused_with_its_path() -> None:
    evidence = read("A line.", '{"text": "5 euro"}')
    for text in ("a line.", "A line. ", "A  line.", "\u0410 line."):
        with pytest.raises(NotRead) as refused:
            units(evidence, ("text", "A line."), ("here", text))
        assert (refused.value.path, refused.value.text) == ("here", text)


def test_texts_of_one_list_come_from_the_body_that_holds_most_of_them() -> None:
    record = '{{"name": "Office", "place": "{}", "text": "The same words stand in both."}}'
    evidence = read(record.format("North"), record.format("South"), "Office")
    fields = [("name", "Office"), ("place", "North"), ("text", "The same words stand in both.")]
    admitted = evidence.admit("policy", {"id": 1}, fields, None)
    assert {one.position.body.key for one in admitted} == {"S#1/call0/a1"}
    assert [one.position.leaf for one in admitted] == ["name", "place", "text"]


def test_equal_parts_of_a_body_are_found_one_after_the_other() -> None:
    evidence = read("again\nagain\nagain")
    assert [one["offset"] for one in units(evidence, ("1", "again"), ("2", "again"), ("3", "again"))] == [0, 6, 12]


def test_joined_texts_are_a_body_only_where_each_of_them_is_one() -> None:
    evidence = read("First", "second")
    evidence.joined(["First", "other"], "")
    evidence.joined(["First", "second"], ", ")
    evidence.joined(["First", 5], "")
    with pytest.raises(NotRead):
        units(evidence, ("text", "Firstsecond"))
    evidence.joined(["First", "second"], "\n")
    assert units(evidence, ("text", "t\nsec"))[0]["offset"] == 4


@pytest.mark.parametrize(
    "change", [{"text": "Another line."}, {"offset": 1}, {"path": "p"}, {"side": "s"}, {"more": 1}, {"source": {}}]
)
def test_a_unit_that_was_changed_is_none(change: JsonObject) -> None:
    evidence = read("A line.")
    (unit,) = units(evidence, ("text", "A line."))
    assert evidence.known(dict(unit)) is not None
    assert evidence.known({**unit, **change}) is None
    assert evidence.known({**unit, "evidence_id": "p-0"}) is None
    assert evidence.known(unit["evidence_id"]) is None


def test_a_citation_counts_as_long_as_its_text_stands() -> None:
    evidence = read("A line.")
    (admitted,) = evidence.admit("policy", {}, [("text", "A line.")], None)
    evidence.cite({"quote": "A line."}, admitted)
    assert evidence.is_evidence({"quote": "A line."})
    assert not evidence.is_evidence({"quote": "A line"})
    assert not evidence.is_evidence({"quote": object()})
    admitted.position.body.text = "B line."
    assert not evidence.is_evidence({"quote": "A line."})


def test_items_at_once_do_not_see_each_other_until_all_have_ended() -> None:
    evidence = read("Before.")
    one, other = evidence.apart(), evidence.apart()
    one.read("S#1/one/a1", AT, {"text": "One."}, whole)
    (unit,) = units(one, ("text", "One."))
    assert units(one, ("text", "Before."))
    assert other.unit(unit["evidence_id"]) is None
    with pytest.raises(NotRead):
        units(other, ("text", "One."))
    evidence.take_over(other)
    evidence.take_over(one)
    assert evidence.known(unit) is not None
    assert units(evidence, ("text", "One."))


def test_what_is_kept_comes_back_whole() -> None:
    evidence = read('{"a": "Some', ' text."}')
    evidence.joined(['{"a": "Some', ' text."}'], "")
    (admitted,) = evidence.admit("policy", {"id": 1}, [("a", "Some text.")], None)
    evidence.cite({"quote": "Some text."}, admitted)
    again = Evidence()
    again.restore(evidence.as_json())
    assert again.known(admitted.unit) is not None
    assert again.is_evidence({"quote": "Some text."})
    assert again.as_json() == evidence.as_json()


# --- what a journal says ----------------------------------------------------------------------------------------------


def rows(text: str, body: JsonObject, leaf: str | None = None, hidden: bool = False) -> list[Row]:
    unit = {"evidence_id": "p-1", "side": "policy", "source": {"id": "r"}, "path": "text", "offset": 2, "text": "line"}
    units = [{"unit": {**unit, "read_at": AT}, "leaf": leaf, "body": body}]
    return [
        Row(1, "", "start", {"inputs": {"own": [{"text": text}]}}),
        Row(2, "S#1/call/a1", "outcome", {"ok": True, "value": {"text": text}}),
        Row(3, "S#1/admit", "decided", {"at": AT, "value": {"evidence": units, "hidden": hidden}}),
        Row(4, "S#1/look", "decided", {"at": AT, "value": True}),
    ]


CALL = {"key": "S#1/call/a1", "place": ["text"]}


@pytest.mark.parametrize(
    ("text", "body", "leaf", "stands"),
    [
        ("A line.", CALL, None, True),
        ("A  line.", CALL, None, False),
        ("A lin", CALL, None, False),
        ('{"a": "A line."}', CALL, "a", True),
        ('{"a": "A line."}', CALL, "b", False),
        ("A line.", {"key": "", "place": ["own", 0, "text"], "text": "A line."}, None, True),
        ("A  line.", {"key": "", "place": ["own", 0, "text"], "text": "A line."}, None, False),
        ("", {"key": "", "place": ["left_out"], "text": "A line."}, None, True),
        ("A line.", {"key": "S#1/other/a1", "place": ["text"]}, None, False),
        ("A l", {"parts": [CALL, {"key": "", "place": ["x"], "text": "ine"}], "separator": ""}, None, True),
        ("A l", {"parts": [CALL, {"key": "S#2", "place": ["x"]}], "separator": ""}, None, False),
    ],
)
def test_a_unit_stands_where_its_text_is_found_again(
    text: str, body: JsonObject, leaf: str | None, stands: bool
) -> None:
    journal = rows(text, body, leaf)
    (found,) = kept_evidence(journal, journal)
    assert found["stands"] is stands


def test_a_unit_of_private_data_is_shown_masked() -> None:
    journal = rows("A line.", CALL, hidden=True)
    (found,) = kept_evidence(journal, journal)
    assert (found["text"], found["path"], found["source"]) == ("•••", "•••", {"id": "•••"})
    assert found["stands"]


def test_a_body_that_is_no_json_holds_no_texts() -> None:
    for text in ("{not json", "[1, 2", "plain", ""):
        assert Body(text, AT).leaves == {}
