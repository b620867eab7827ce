"""Test cases of a rule document, made at every boundary of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.report import rules as report
from rules.analysis.boundaries import boundary_cases
from rules.analysis.differences import subject_of
from rules.analysis.grid import MOST_WORK, TooLarge, Work
from rules.analysis.wording import flow
from rules.documents import RuleDocument, decide
from rules.facts import Names
from rules.records import NamedTuple
from rules.values import ABSENT, CannotEvaluate, Value


class Made(NamedTuple):
    """A tests document, as text and as plain data."""

    text: str
    plain: dict[str, Any]


def boundary_document(document: RuleDocument, names: Names, rule: str | None, language: str) -> Made:
    """Return a tests document with cases at every boundary of one rule, or of all."""
    head = f"tests: {document.name}\nrules: {document.name}\ncases:\n"
    lines: list[str] = []
    plain: list[dict[str, Any]] = []
    for name in [rule] if rule is not None else [*document.tables, *document.scorecards]:
        try:
            cases = boundary_cases(subject_of(document, name, names, work=Work(MOST_WORK)))
        except TooLarge:
            said = "组合太多，没有写出用例" if language == "zh" else "too many combinations, no cases were written"
            lines.append(f"  # {name}: {said}\n")
            continue
        own = {column.name for column in document.decidable[name].columns}
        for case in cases:
            facts = {key: value for key, value in case.facts.items() if key in own}
            entry: dict[str, Any] = {"id": case.id, "rule": name, "facts": facts}
            decided = _decided(document, names, name, facts)
            entry |= decided
            lines.append(f"  # {report.said(case.why, language)}\n  - {flow(entry)}\n")
            plain.append(entry)
    return Made(head + "".join(lines), {"tests": document.name, "rules": document.name, "cases": plain})


def _decided(document: RuleDocument, names: Names, rule: str, facts: Mapping[str, Value]) -> dict[str, Any]:
    """Return what a case expects: the answer as the rule gives it now."""
    try:
        answer = decide(document, rule, facts, names).answer
    except CannotEvaluate as failure:
        return {"fails": failure.code}
    if rule in document.scorecards and isinstance(answer, dict):
        return {"expect": {"level": answer["level"], "score": answer["score"]}}
    return {"expect": None if answer is ABSENT else answer}
