"""Runs that admit, bind and cite: what they refuse, and that a kept plan does the same."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import Any

import pytest

from interpreter.adapters.frozen import freeze, thaw
from interpreter.adapters.kept_evidence import kept_evidence
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.check import check_documents
from interpreter.codes.reasons import reason_words
from interpreter.diagnostics import has_errors
from interpreter.documents.loading import load_workflow
from interpreter.documents.reading import Recorded
from interpreter.engine.program import Program
from interpreter.plan import plan_workflow
from interpreter.ports import JsonObject
from tests.unit.run_kit import CASES as RUNS
from tests.unit.run_kit import SHARED, Told, case_names, case_of, load_case, prefixes, run_case

HEAD = """workflow: spec
version: 1.0.0
title: T
uses: {tools: [library], types: [library]}
"""
BODY = """
states:
  ONLY:
    tools: [library.read, library.point]
    steps:
      - {call: library.read, with: {id: p1}, as: page}
"""
ANSWERS = {"library.read": [{"give": {"title": "T", "text": "One line.", "blocks": []}}]}
LIBRARY = {
    place: (SHARED / place).read_text(encoding="utf-8") for place in ("tools/library.yaml", "types/library.yaml")
}
CITING = [name for name in case_names() if "admit:" in (RUNS / name / "spec.yaml").read_text(encoding="utf-8")]


def program_of(steps: str, head: str = "") -> Program:
    text = HEAD + textwrap.dedent(head) + BODY + textwrap.indent(textwrap.dedent(steps), "      ")
    documents, findings = load_workflow("spec.yaml", Recorded({"spec.yaml": text, **LIBRARY}))
    assert documents is not None, findings
    findings += check_documents(documents)
    assert not has_errors(findings), [one.message.en for one in findings]
    return plan_workflow(documents)


def told_of(steps: str, head: str = "", **answers: Any) -> Told:
    case = case_of("spec", program_of(steps, head), {"answers": {**ANSWERS, **answers}})
    return run_case(case, MemoryJournal())


@pytest.mark.parametrize(
    ("steps", "reason", "facts"),
    [
        ("- {admit: u, side: s, from: page.title ~ '!'}", "evidence-not-read", {"path": "title", "text": "T!"}),
        ("- {admit: u, side: s, from: page.blocks | count}", "evidence-no-text", {"found": 0}),
        ("- {admit: u, side: s, from: page | pick('title')}", "evidence-no-body", {}),
        ("- {admit: u, side: s, from: 3}", "evidence-no-text", {"found": 3}),
        ("- {admit: u, side: s, from: [{path: a, text: 3}]}", "evidence-no-text", {}),
        ("- {admit: u, side: s, from: null}", "evidence-no-text", {}),
        ("- {admit: u, side: s, from: page.text, source: '{{ page.title }}'}", "evidence-source", {"found": "T"}),
        ("- {let: {u: \"cite({'evidence_id': 'p-1'})\"}}", "evidence-not-a-unit", {"side": "cite"}),
    ],
)
def test_what_cannot_be_admitted_blocks_the_run_with_its_reason(steps: str, reason: str, facts: JsonObject) -> None:
    told = told_of(steps + "\n- {let: {v: u}}\n- {admit: w, side: s, from: page.text}")
    assert told.status == "blocked"
    assert told.finding is not None
    assert told.finding["facts"] | facts | {"reason": reason} == told.finding["facts"]
    assert reason_words(reason, told.finding["facts"]).en != reason


def test_a_single_text_is_called_by_its_field() -> None:
    told = told_of(
        """
        - {admit: u, side: s, from: page.text}
        - {admit: v, side: s, from: "page['text'] | trim"}
        - {admit: w, side: s, from: {path: own, text: '{{ page.text }}'}}
        - {admit: x, side: s, from: [One, null, '{{ page.text }}']}
        - set: {paths: "{{ (u + v + w + x) | pluck('path') }}"}
        """,
        head="data: {paths: {type: array, default: []}}",
    )
    assert told.data["paths"] == ["text", "text", "own", "[0]", "[2]"]


@pytest.mark.parametrize("name", CITING)
def test_a_plan_that_was_kept_cites_the_same(name: str) -> None:
    case = load_case(name)
    whole = run_case(case, MemoryJournal())
    again = run_case(replace(case, program=thaw(freeze(case.program))), MemoryJournal())
    assert again.end() == whole.end()


@pytest.mark.parametrize("name", CITING)
def test_whatever_cuts_a_run_off_its_evidence_is_kept_and_stands(name: str) -> None:
    case = load_case(name)
    journal = MemoryJournal()
    run_case(case, journal)
    whole = kept_evidence(journal.rows(), journal.rows())
    assert [one for one in whole if not one["stands"]] == []
    for cut, _ in prefixes(case, journal):
        run_case(case, cut)
        again = kept_evidence(cut.rows(), cut.rows())
        assert {one["evidence_id"] for one in again} == {one["evidence_id"] for one in whole}
        assert [one for one in again if not one["stands"]] == []


def test_a_used_workflow_cites_in_its_own_form() -> None:
    texts = {
        "spec.yaml": HEAD.replace("types: [library]", "types: [library], workflows: [inner]")
        + "outputs: {got: {type: array, items: {$ref: evidence#Citation}, value: '{{ got }}'}}\n"
        + "data: {got: {type: array, default: []}}\n"
        + BODY
        + "      - {use: inner, with: {texts: ['{{ page.text }}']}, as: given}\n"
        + "      - set: {got: ['{{ given.cited }}', {page: made, quote: up, form: id}]}\n",
        "inner.yaml": HEAD.replace("spec", "inner").replace("uses: {tools: [library], types: [library]}\n", "")
        + "inputs: {texts: {type: array, items: {type: string}}}\n"
        + "data: {cited: {default: null}}\n"
        + "outputs: {cited: {value: '{{ cited }}'}}\n"
        + "citation: {page: '{{ unit.path }}', quote: '{{ unit.text }}'}\n"
        + "states:\n  ONLY:\n    steps:\n"
        + "      - {admit: units, side: policy, from: texts}\n"
        + "      - set: {cited: '{{ cite(units | first) }}'}\n",
        **LIBRARY,
    }
    documents, findings = load_workflow("spec.yaml", Recorded(texts))
    assert documents is not None
    assert not has_errors([*findings, *check_documents(documents)])
    told = run_case(case_of("spec", plan_workflow(documents), {"answers": ANSWERS}), MemoryJournal())
    first, second = told.outputs["got"]
    assert first == {"page": "[0]", "quote": "One line."}
    assert second["error"]["code"] == "quotation_not_found"


def test_a_run_that_admits_nothing_keeps_no_evidence() -> None:
    program = program_of("- {let: {text: page.text}}")
    assert program.evidence is None
