"""Whatever texts are read and whatever is answered: nothing is cited that does not stand in what was offered."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.check import check_documents
from interpreter.diagnostics import has_errors
from interpreter.documents.loading import load_workflow
from interpreter.documents.reading import Recorded
from interpreter.engine.program import Program
from interpreter.evidence import Evidence, pieces_of
from interpreter.plan import plan_workflow
from interpreter.ports import JsonObject
from rules.expr.functions.conversions import leaves
from rules.values import canonical_json, dumps
from tests.unit.run_kit import SHARED, case_of, run_case

AT = "2024-01-01T00:00:00.000Z"
CHARACTERS = st.sampled_from(
    [*"ab .!?\n\r\t，。；“”1", "资", "\u0301", "\u200d", "👩", "👧", "🏽", "🇨", "🇳", "\u1112", "\u1161"]
)
TEXTS = st.text(CHARACTERS, max_size=60) | st.text(max_size=40)


def whole(value: Any) -> Any:
    yield (), value


@given(TEXTS, st.integers(1, 20))
def test_the_pieces_of_a_text_joined_are_the_text(text: str, longest: int) -> None:
    pieces = list(pieces_of(text, longest))
    assert "".join(pieces) == text
    for piece in pieces[1:]:
        assert unicodedata.category(piece[0]) not in ("Mn", "Me", "Mc")
    plain = all(mark.isascii() for mark in text) and "\r\n" not in text
    assert not plain or all(len(piece) <= longest for piece in pieces)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.data(), st.integers(1, 30))
def test_every_unit_stands_at_its_place(bodies: list[str], data: st.DataObject, longest: int) -> None:
    evidence = Evidence()
    for number, body in enumerate(bodies):
        evidence.read(f"S#1/c{number}/a1", AT, body, whole)
    body = data.draw(st.sampled_from(bodies))
    start = data.draw(st.integers(0, len(body)))
    part = body[start : data.draw(st.integers(start, len(body)))]
    admitted = evidence.admit("side", {"id": 1}, [("part", part), ("whole", body)], longest)
    assert len({one.unit["evidence_id"] for one in admitted}) == len({canonical_json(one.unit) for one in admitted})
    for one in admitted:
        assert one.stands()
        kept, offset = one.position.body.text, one.unit["offset"]
        assert kept[offset : offset + len(one.unit["text"])] == one.unit["text"]


PARAGRAPHS = st.lists(st.sampled_from(["one", "two", "one two", "Longer than one."]), min_size=1, max_size=5)


@given(st.lists(PARAGRAPHS, min_size=1, max_size=4), st.data())
def test_texts_of_one_body_stand_there_in_their_order_whatever_else_was_read(
    read: list[list[str]], data: st.DataObject
) -> None:
    """Other bodies hold some of the texts too, all of them in another order, or are one of them as a whole."""
    evidence = Evidence()
    for number, texts in enumerate(read):
        evidence.read(f"S#1/c{number}/a1", AT, "\n\n".join(texts), whole)
    texts = data.draw(st.sampled_from(read))
    admitted = evidence.admit("side", {"id": 1}, [(f"p{nth}", text) for nth, text in enumerate(texts)], None)
    assert len({one.position.body.text for one in admitted}) == 1
    ends = [0, *(one.unit["offset"] + len(one.unit["text"]) for one in admitted)]
    assert all(end <= one.unit["offset"] for end, one in zip(ends, admitted, strict=False))


@given(st.recursive(TEXTS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)))
def test_every_text_inside_json_that_was_read_can_be_admitted(value: Any) -> None:
    evidence = Evidence()
    cut = len(dumps(value)) // 2
    first, second = dumps(value)[:cut], dumps(value)[cut:]
    for number, part in enumerate((first, second)):
        evidence.read(f"S#1/c{number}/a1", AT, part, whole)
    evidence.joined([first, second], "")
    texts = [(leaf["path"], leaf["text"]) for leaf in leaves(value)]
    if isinstance(value, list | dict) and first and second:
        admitted = evidence.admit("side", {"id": 1}, texts, None)
        assert [one.unit["text"] for one in admitted] == [text for _, text in texts if text.strip()]
        assert all(one.stands() for one in admitted)


@given(st.lists(TEXTS | st.just(""), min_size=2, max_size=5), st.sampled_from(["", "\n"]))
def test_texts_read_apart_and_joined_are_a_text_that_was_read(pieces: list[str], separator: str) -> None:
    evidence = Evidence()
    for number, piece in enumerate(pieces):
        evidence.read(f"S#1/c{number}/a1", AT, piece, whole)
    evidence.joined(pieces, separator)
    later = Evidence()
    later.restore(evidence.as_json())
    text = separator.join(pieces)
    for one in (evidence, later):
        assert [admitted.unit["text"] for admitted in one.admit("side", {"id": 1}, [("all", text)], None)] == (
            [text] if text.strip() else []
        )


# --- whole runs -------------------------------------------------------------------------------------------------------

PAGES = {"p1": "First line.\nSecond line. And more.", "p2": "First line.\nOther words."}
SPEC = """workflow: spec
version: 1.0.0
title: T
uses: {tools: [library], types: [library]}
data:
  got: {type: array, default: []}
  offered: {type: array, default: []}
  facts_of: {type: array, default: []}
outputs: {got: {value: "{{ got }}"}}
citation: {id: "{{ unit.evidence_id }}", at: "{{ unit.offset }}", quote: "{{ unit.text }}"}
states:
  ONLY:
    tools: [library.read, library.point]
    steps:
      - {call: library.read, with: {id: p1}, as: one}
      - {call: library.read, with: {id: p2}, as: two}
      - {admit: units, side: policy, source: {id: p1}, from: one.text, split: {longer_than: 14}}
      - {admit: facts, side: subject, source: {id: p2}, from: two.text, split: {longer_than: 14}}
      - set: {offered: "{{ units | take(2) }}", facts_of: "{{ facts | take(1) }}"}
      - call: library.point
        with: {units: "{{ offered }}"}
        accept:
          - {bind: answer, among: {policy: offered, subject: facts_of}}
          - {rule: some, that: "answer.citations | count > 0", at: citations}
          - {rule: quoted, each: c, in: answer.citations, that: "(c.quote | remaining([])) != []", at: citations}
          - {rule: worded, each: c, in: "answer.conditions | default([])", that: "c.text != ''", at: conditions}
          - rule: backed
            each: f
            in: answer.card | default({}) | entries | where_not(key='amount')
            that: f.value is null or (f.value.citations | default([]) | pluck('quote') | join(' ')) != 'x'
            at: "card.{{ f.key }}"
            details: {text: "{{ f.value.text | default('') | lower }}"}
          - {rule: short, that: "answer.note is absent or (answer.note | lower) != 'text'", at: note}
        repair: {errors: [invalid], at_most: 3, add: {feedback: "{{ findings | pluck('at') | join(' ') }}"}}
        outcome: answered
      - let: {attempts: {each: a, in: answered.attempts, give: "{{ a.answer | default(null) }}"}}
      - set: {got: ["{{ answered.value | default(null) }}", "{{ attempts }}"]}
"""


def program() -> Program:
    texts = {"spec.yaml": SPEC}
    for place in ("tools/library.yaml", "types/library.yaml"):
        texts[place] = (SHARED / place).read_text(encoding="utf-8")
    documents, findings = load_workflow("spec.yaml", Recorded(texts))
    assert documents is not None
    assert not has_errors([*findings, *check_documents(documents)])
    return plan_workflow(documents)


PROGRAM = program()


def ids() -> dict[str, list[JsonObject]]:
    evidence = Evidence()
    found = {}
    for side, page in (("policy", "p1"), ("subject", "p2")):
        evidence.read(page, AT, PAGES[page], whole)
        found[side] = [one.unit for one in evidence.admit(side, {"id": page}, [("text", PAGES[page])], 14)]
    return found


UNITS = ids()
OFFERED = {one["evidence_id"]: one for one in (*UNITS["policy"][:2], *UNITS["subject"][:1])}
NAMES = st.sampled_from([one["evidence_id"] for units in UNITS.values() for one in units] + ["", "p-0", "P1", " x"])
QUOTES = st.builds(
    lambda text, start, length: {"path": "text", "quote": text[start : start + length]},
    st.sampled_from(list(PAGES.values())),
    st.integers(0, 20),
    st.integers(0, 14),
)
POINTERS = (
    NAMES
    | st.fixed_dictionaries({"evidence_id": NAMES | st.none()}, optional={"quote": st.just("First line.\n")})
    | QUOTES
    | st.none()
    | st.integers(-9, 9)
    | st.lists(NAMES, max_size=2)
)
ANSWERS = st.fixed_dictionaries(
    {"citations": st.lists(POINTERS, max_size=3) | POINTERS},
    optional={
        "conditions": st.lists(
            st.fixed_dictionaries(
                {"text": st.just("t")}, optional={"evidence_id": POINTERS, "subject_evidence_id": POINTERS}
            ),
            max_size=2,
        ),
        "card": st.none()
        | st.fixed_dictionaries({"name": st.fixed_dictionaries({"citations": st.lists(POINTERS, max_size=2)})}),
    },
)


def pointed(answers: list[Any]) -> Any:
    """Return what came of a run in which a model points with these answers, one after another; it is completed."""
    script = {
        "library.read": [{"with": {"id": page}, "give": {"text": text}} for page, text in PAGES.items()],
        "library.point": [{"give": answer} for answer in answers],
    }
    case = case_of("spec", PROGRAM, {"answers": json.loads(json.dumps(script))})
    told = run_case(case, MemoryJournal())
    assert told.status == "completed", told.finding
    return told


@settings(max_examples=150)
@given(st.lists(ANSWERS, min_size=3, max_size=3))
def test_no_answers_lead_to_a_citation_of_what_was_not_offered(answers: list[JsonObject]) -> None:
    told = pointed(answers)
    value, attempts = told.outputs["got"]
    assert [json.loads(dumps(one)) for one in attempts] == answers[: len(attempts)]
    for citation in citations_of(value):
        unit = OFFERED[citation["id"]]
        start = citation["at"] - unit["offset"]
        assert unit["text"][start : start + len(citation["quote"])] == citation["quote"]
        assert citation["quote"]
    if value is not None:
        accepted = answers[len(attempts) - 1]
        assert len(value["citations"]) == len(accepted["citations"])
        assert all(OFFERED[one["id"]]["side"] == "policy" for one in value["citations"])


#: What a quotation that stands letter for letter becomes where somebody mends, tidies or translates its marks.
CHANGED: dict[str, Callable[[str], str]] = {
    "another blank": lambda text: text.replace(" ", "  "),
    "a line for a blank": lambda text: text.replace(" ", "\n"),
    "a blank that does not break": lambda text: text.replace(" ", "\u00a0"),
    "a full-width mark": lambda text: text.replace(".", "\uff0e"),
    "a Chinese mark": lambda text: text.replace(".", "。"),
    "full-width letters": lambda text: text.replace("i", "\uff49"),
    "small letters": lambda text: text.lower(),
    "quotation marks around it": lambda text: f"“{text}”",
    "a mark that it goes on": lambda text: f"{text[:8]}…",
    "an unseen sign inside": lambda text: f"{text[:3]}\u200b{text[3:]}",
    "words of two passages": lambda text: f"{text}Second line. And more.",
    "a look-alike letter": lambda text: text.replace("e", "\u0435"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_quotation_that_was_changed_in_any_way_is_none(name: str) -> None:
    right = UNITS["policy"][0]["text"].strip()
    wrong = {"citations": [{"path": "text", "quote": CHANGED[name](right)}]}
    told = pointed([wrong, wrong, {"citations": [{"path": "text", "quote": right}]}])
    value, attempts = told.outputs["got"]
    assert len(attempts) == 3
    assert [one["quote"] for one in value["citations"]] == [right]


def test_quotations_may_overlap_repeat_and_stand_twice_and_each_stays_as_it_was_given() -> None:
    quotes = ["First line", "irst line.", "First line", "i"]
    told = pointed([{"citations": [{"path": "text", "quote": quote} for quote in quotes]}])
    value, attempts = told.outputs["got"]
    assert len(attempts) == 1
    assert [(one["quote"], one["at"]) for one in value["citations"]] == [
        (quote, PAGES["p1"].index(quote)) for quote in quotes
    ]


WORDS = st.sampled_from(["", " ", "a", "text", *(one["evidence_id"] for one in UNITS["policy"])])
FIELDS = st.sampled_from(["citations", "conditions", "card", "note", "name", "text", "evidence_id", "path", "quote"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=80)
@given(st.lists(ANYTHING | st.dictionaries(FIELDS, ANYTHING, max_size=4), min_size=3, max_size=3))
def test_an_answer_of_any_shape_is_judged_and_stops_no_run(answers: list[Any]) -> None:
    pointed(answers)


def citations_of(value: Any) -> list[JsonObject]:
    if isinstance(value, dict):
        own = [value] if {"id", "at", "quote", "form"} == set(value) else []
        return own + [one for inner in value.values() for one in citations_of(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in citations_of(inner)]
    return []
