"""Documents with marks: what is found is exactly what the marks say.

A case is a workflow under `tests/cases/lint/` with the documents that it uses beside it. A line that is wrong carries
`# error: [code]` (or `warning`, `note`); anything found without a mark fails, and so does a mark without a finding.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from interpreter.adapters.written_settings import check_written_settings
from interpreter.codes import evidence, flow, name, tool, type_
from interpreter.diagnostics import Diagnostic
from interpreter.lint import lint_paths
from interpreter.session.preparing import checked, plan_from_disk
from interpreter.testing.cases import Suite
from interpreter.testing.checking import check_tests
from interpreter.testing.running import open_workbench

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


@cache
def findings_of(case: Path) -> tuple[Diagnostic, ...]:
    """Return what is found in a case; it is looked at in several ways."""
    return tuple(lint_paths([case], check_tests=check_tests, check_settings=check_written_settings))


@pytest.mark.parametrize("case", cases(), ids=lambda path: path.stem)
def test_findings_are_exactly_those_that_are_marked(case: Path) -> None:
    found = findings_of(case)
    here = [one for one in found if one.span is not None and not (one.code in ONLY_TOLD and is_elsewhere(one, case))]
    assert Counter(map(place_of, here)) == marks_of(case.read_text(encoding="utf-8")), "\n".join(
        f"{diagnostic.span.begins if diagnostic.span else ''} {diagnostic.code}: {diagnostic.message.en}"
        for diagnostic in found
    )


_TOOL = re.compile(r"(  \S+:)(?: (\{.*\})(.*)| *(#.*)?)")
_RECORDED = "adapter: recorder", "settings: {file: recorded.jsonl, mode: replay}"


def in_recorders(profile: str) -> str:
    """Return a profile with each of its adapters in a recorder; marks stay on their lines."""
    before, tools, entries = profile.partition("\ntools:\n")
    lines: list[str] = []
    is_wrapped = False
    for line in entries.splitlines():
        begins, is_tool = _TOOL.fullmatch(line), re.match(r"  ?[^ #]", line)
        if is_tool or (line and line[0] not in " #"):
            is_wrapped = False
        if begins is None or "adapter: recorder" in line:
            lines.append(f"  {line}" if is_wrapped else line)
        elif begins[2] is not None:
            lines.append(f"{begins[1]} {{{', '.join(_RECORDED)}, of: {begins[2]}}}{begins[3]}")
        else:
            is_wrapped = True
            lines += [line, *(f"    {part}" for part in _RECORDED), "    of:"]
    return before + tools + "\n".join(lines) + "\n"


@pytest.mark.parametrize("case", sorted(CASES.glob("alone/profiles/*.yaml")), ids=lambda path: path.stem)
def test_an_adapter_in_a_recorder_is_checked_as_it_is_alone(case: Path, tmp_path: Path) -> None:
    shutil.copytree(CASES / "alone", tmp_path / "alone")
    wrapped = tmp_path / "alone" / "profiles" / case.name
    wrapped.write_text(in_recorders(case.read_text("utf-8")), "utf-8")
    found = lint_paths([wrapped], check_tests=check_tests, check_settings=check_written_settings)
    assert Counter(map(place_of, found)) == marks_of(wrapped.read_text("utf-8")), wrapped.read_text("utf-8")


@pytest.mark.parametrize("case", sorted(CASES.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_run_is_refused_for_every_error_that_is_found(case: Path) -> None:
    """And for no other reason; what is no error is left to `lint`, where looking for it takes long."""
    found = {(one.span, one.code) for one in findings_of(case) if one.severity == "error"}
    documents, told = checked(case)
    refused = {(one.span, one.code) for one in told if one.severity == "error"}
    assert (documents is None) == bool(refused) == bool(found)
    assert refused <= found  # where a document could not be read whole, nothing further is looked for


#: A folder in which nothing is wrong, and one thing after another that is: file, what stood there, what stands there.
SOUND = {
    "main.yaml": (
        "workflow: main\nversion: 1.0.0\ntitle: {zh: 例子, en: Example}\neffect: read\n"
        "uses: {types: [things], tools: [box], rules: [grade], workflows: [inner]}\n"
        "outputs: {rows: {type: array, value: '{{ rows }}'}, level: {type: string, value: '{{ level }}'}}\n"
        "data: {rows: {type: array, default: []}, level: {type: string, default: ''}, of: {$ref: things#Thing, "
        "default: {name: a}}}\n"
        "states:\n  ONLY:\n    tools: [box.look]\n    steps:\n      - {call: box.look, as: got}\n"
        "      - {decide: grade.grade, with: {score: 1}, as: level_now}\n"
        "      - {use: inner, as: inside}\n"
        "      - {set: {rows: '{{ got.rows }}', level: '{{ level_now ~ of.name ~ inside.told }}'}}\n"
    ),
    "inner.yaml": (
        "workflow: inner\nversion: 1.0.0\ntitle: {zh: 里面, en: Inside}\neffect: read\n"
        "data: {told: {type: string, default: a}}\noutputs: {told: {type: string, value: '{{ told }}'}}\n"
        "states: {ONLY: {steps: [{set: {told: b}}]}}\n"
    ),
    "types/things.yaml": (
        "types: things\n$defs:\n  Thing:\n    type: object\n    additionalProperties: false\n"
        "    properties: {name: {type: string, default: none}}\n"
    ),
    "tools/box.yaml": (
        "tools: box\nbox.look:\n  title: {zh: 看, en: Look}\n  effect: read\n  input: {type: object, "
        "additionalProperties: false, properties: {}}\n"
        "  output: {type: object, additionalProperties: false, required: [rows], properties: {rows: {type: array}}}\n"
        "  example: {rows: []}\n"
    ),
    "rules/grade.yaml": (
        "rules: grade\ntables:\n  grade:\n    hit: unique\n    inputs: {score: {type: integer, range: 0..100}}\n"
        "    outputs: {level: {enum: [Low, High]}}\n    rows:\n      - {when: {score: under 50}, then: {level: Low}}\n"
        "      - {when: {score: at least 50}, then: {level: High}}\n"
        "properties:\n  - {id: p, of: grade, never: {score: at least 60, level: Low}, message: {zh: 不, en: 'no'}}\n"
    ),
    "profiles/local.yaml": (
        "profile: local\nsettings: {rows: {type: array, default: []}}\n"
        "tools:\n  box.look: {adapter: compute, answer: {rows: '{{ settings.rows }}'}}\n"
        "  other.look: {adapter: compute, answer: {rows: '{{ settings.rows }}'}}\n"
    ),
}
WRONG = [
    ("main.yaml", "default: ''", "default: 1", "type/wrong-kind"),
    ("inner.yaml", "default: a", "default: 1", "type/wrong-kind"),
    ("types/things.yaml", "default: none", "default: 1", "type/wrong-kind"),
    ("tools/box.yaml", "example: {rows: []}", "example: {rows: nothing}", "type/wrong-kind-inside"),
    ("rules/grade.yaml", "under 50", "under 60", "rule/rows-clash"),
    ("rules/grade.yaml", "under 50}, then: {level: Low}", "under 60}, then: {level: High}", "rule/rows-agree"),
    ("rules/grade.yaml", "at least 60, level", "at least 40, level", "rule/property-broken"),
    ("profiles/local.yaml", "settings.rows", "settings.row", "type/unknown-field"),
    ("profiles/local.yaml", "type: array, default: []", "type: array, default: a", "type/wrong-kind"),
    ("profiles/local.yaml", "box.look:", "box.lok:", "tool/unknown"),
    (
        "profiles/local.yaml",
        "answer: {rows: '{{ settings.rows }}'}}\n  other",
        "value: 1}\n  other",
        "tool/answer-missing",
    ),
]


@pytest.mark.parametrize(("file", "was", "put", "code"), [("", "", "", ""), *WRONG])
def test_a_run_and_a_case_stand_on_no_document_in_which_something_is_wrong(
    tmp_path: Path, file: str, was: str, put: str, code: str
) -> None:
    for document, text in SOUND.items():
        place = tmp_path / document
        place.parent.mkdir(exist_ok=True)
        assert document != file or was in text
        place.write_text(text.replace(was, put, 1) if document == file else text, "utf-8")
    workflow, profile = tmp_path / "main.yaml", tmp_path / "profiles" / "local.yaml"
    kept, found = plan_from_disk(workflow, profile, {})
    refused = [one for one in found if one.severity == "error"]
    # What it says of tools of documents that the workflow does not use is looked at without their contracts.
    told = [one for one in lint_paths([tmp_path / "main.yaml", tmp_path / "profiles"]) if one.severity == "error"]
    assert {(one.span, one.code) for one in told} <= {(one.span, one.code) for one in refused}
    assert [one.code for one in refused][:1] == ([code] if code else [])
    assert (kept is None) == bool(code)
    workbench, of_case = open_workbench(Suite(tmp_path / "tests" / "main.yaml", workflow, profile, ()))
    assert (workbench is None) == bool(code)
    assert of_case == refused


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
        for diagnostic in findings_of(case):
            assert diagnostic.message.zh, diagnostic
            assert diagnostic.message.en, diagnostic
            for words in (diagnostic.message, diagnostic.hint):
                assert words is None or not _UNFILLED.search(words.en), diagnostic
