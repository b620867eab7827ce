"""Documents with marks: what is found is exactly what the marks say.

A case is a workflow under `tests/cases/lint/` with the documents that it uses beside it. A line that is wrong carries
`# error: [code]` (or `warning`, `note`); anything found without a mark fails, and so does a mark without a finding.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from interpreter.codes import evidence, flow, name, tool, type_
from interpreter.diagnostics import Diagnostic
from interpreter.lint import lint_paths
from interpreter.testing.checking import check_tests

CASES = Path(__file__).parent.parent / "cases" / "lint"
_MARK = re.compile(r"(error|warning|note): \[([\w/-]+)\]")
_UNFILLED = re.compile(r"(?<!\{)\{[a-z_]+\}(?!\})")

Place = tuple[int, str, str]


def marks_of(text: str) -> Counter[Place]:
    """Return the findings that a text says it has: line, severity, code."""
    found: Counter[Place] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        _, _, comment = line.partition(" # ")
        found.update((number, severity, code) for severity, code in _MARK.findall(comment))
    return found


def place_of(diagnostic: Diagnostic) -> Place:
    line = diagnostic.span.begins.line if diagnostic.span is not None else 0
    return line, diagnostic.severity, diagnostic.code


def cases() -> list[Path]:
    return [*sorted(CASES.glob("*.yaml")), *sorted(CASES.glob("alone/*/*.yaml")), *sorted(CASES.glob("tests/*.yaml"))]


#: What is told of a workflow that is right: its reader has to know it.
ONLY_TOLD = frozenset({"tool/writes-asking-nobody"})


def is_elsewhere(found: Diagnostic, case: Path) -> bool:
    return found.span is not None and Path(found.span.source.name).name != case.name


@pytest.mark.parametrize("case", cases(), ids=lambda path: path.stem)
def test_findings_are_exactly_those_that_are_marked(case: Path) -> None:
    found = lint_paths([case], check_tests=check_tests)
    here = [one for one in found if one.span is not None and not (one.code in ONLY_TOLD and is_elsewhere(one, case))]
    assert Counter(map(place_of, here)) == marks_of(case.read_text(encoding="utf-8")), "\n".join(
        f"{diagnostic.span.begins if diagnostic.span else ''} {diagnostic.code}: {diagnostic.message.en}"
        for diagnostic in found
    )


def test_every_code_of_these_phases_is_shown_by_a_case() -> None:
    """What no case shows, a test beside this one does."""
    elsewhere = {"name/wrong-kind-of-document", "name/document-name-differs"}
    shown = {code for case in cases() for _, _, code in marks_of(case.read_text(encoding="utf-8"))}
    assert {*name.CODES, *type_.CODES, *flow.CODES, *tool.CODES, *evidence.CODES} - shown == elsewhere


def test_documents_that_the_cases_use_are_clean() -> None:
    assert lint_paths([CASES / folder for folder in ("types", "tools", "rules")]) == []


VALID = sorted((CASES / "valid").glob("*.yaml"))


def test_there_are_twenty_valid_variants() -> None:
    assert len(VALID) >= 20


@pytest.mark.parametrize("variant", VALID, ids=lambda path: path.stem)
def test_nothing_is_wrong_with_a_valid_workflow(variant: Path) -> None:
    found = [one for one in lint_paths([variant]) if one.code not in ONLY_TOLD]
    assert [f"{place_of(one)}: {one.message.en}" for one in found] == []


def test_every_finding_says_in_both_languages_what_to_do() -> None:
    for case in cases():
        for diagnostic in lint_paths([case]):
            assert diagnostic.message.zh, diagnostic
            assert diagnostic.message.en, diagnostic
            for words in (diagnostic.message, diagnostic.hint):
                assert words is None or not _UNFILLED.search(words.en), diagnostic
