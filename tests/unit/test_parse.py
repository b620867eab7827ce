"""From located YAML to records: what each construct becomes, with its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from interpreter.model import (
    Constant,
    EachOf,
    MappingOf,
    Path,
    Text,
    Workflow,
    Written,
)
from interpreter.parse import Parsed, parse_document
from interpreter.source import Source
from interpreter.yaml_tree import read_tree

HEAD = "workflow: w\nversion: 1.0.0\nstates:\n  S:\n    steps:\n"


def parsed(text: str) -> Parsed:
    source = Source("w.yaml", text)
    node, problems = read_tree(source)
    assert problems == []
    return parse_document(node, source)


def workflow(text: str) -> Workflow:
    found = parsed(text).document
    assert isinstance(found, Workflow)
    return found


def step(text: str) -> Any:
    """Return the first step of a list that is written at its margin."""
    indented = "".join(f"      {line}\n" for line in text.splitlines())
    return workflow(HEAD + indented).states[0].steps[0]


@pytest.mark.parametrize(
    ("text", "read", "expected"),
    [
        ("- set: {a: 1}", lambda s: s.key, "set#1"),
        ("- id: x\n  set: {a: 1}", lambda s: s.key, "x"),
        ("- set: {a: 007}", lambda s: s.assignments[0].value.value, "007"),
        ("- set: {a: null}", lambda s: s.assignments[0].value.value, None),
        (
            "- set: {'a.b[c.d].e': 1}",
            lambda s: [type(part) for part in s.assignments[0].path.segments],
            [str, Written, str],
        ),
        (
            "- let: {a: b, c: [d], e: 5}",
            lambda s: [type(value).__name__ for _, value, _ in s.values],
            ["Written", "ListOf", "Constant"],
        ),
        ("- each: t\n  in: a\n  at_once: all\n  do: []", lambda s: s.at_once.value, 0),
        ("- each: t\n  in: a\n  at_once: 4\n  do: []", lambda s: s.at_once.value, 4),
        ("- call: box.put", lambda s: [tool for _, tool, _ in s.tool.among], ["box.put"]),
        (
            "- call: {by: a, among: {x: box.put, y: box.look}}",
            lambda s: [row[:2] for row in s.tool.among],
            [("x", "box.put"), ("y", "box.look")],
        ),
        (
            "- call: box.list\n  pages: p\n  do: []\n  give: 1\n  as: all_of_it",
            lambda s: (s.pages.page, s.bind_as),
            ("p", "all_of_it"),
        ),
        ("- call: box.put\n  retry: {errors: transient, at_most: 2}", lambda s: s.retry.errors, ("transient",)),
        (
            "- decide: limits.sort\n  with: {a: b}",
            lambda s: (s.document, s.rule, type(s.facts[0][1])),
            ("limits", "sort", Written),
        ),
        ("- repeat: n\n  at_most: 2\n  do: []", lambda s: s.otherwise, "block"),
        ("- repeat: n\n  at_most: 2\n  otherwise: go_on\n  do: []", lambda s: s.otherwise, "go_on"),
        (
            "- confirm: go\n  refused: {to: S}\n  timed_out: block",
            lambda s: (s.endings.refused, s.endings.timed_out, s.endings.abandoned),
            ("S", "block", None),
        ),
        ("- confirm: go\n  shows: a | count", lambda s: type(s.shows), Written),
        (
            "- confirm: go\n  permits: {each: t, in: a, give: {id: x, tool: {by: t.k, among: {k: box.put}}}}",
            lambda s: s.permits.among[0][:2],
            ("k", "box.put"),
        ),
        (
            "- confirm: go\n  permits: {each: t, in: a, give: {id: x, tool: box.put}}",
            lambda s: type(s.permits.value),
            EachOf,
        ),
        (
            "- ask: q\n  form: {f: {title: T, type: string, minLength: 2}}",
            lambda s: s.form[0].schema,
            {"type": "string", "minLength": 2},
        ),
        (
            "- ask: q\n  form: {f: {choices: [a, {value: b, label: B}]}}",
            lambda s: [each.id for each in s.form[0].choices],
            ["a", "b"],
        ),
        (
            "- ask: q\n  form: {f: {many: true, choices: {rows: a, row: r, value: '{{ r.id }}'}}}",
            lambda s: (s.form[0].row, type(s.form[0].row_value)),
            ("r", Text),
        ),
        (
            "- say: {done: D, tables: [{rows: a, row: r, columns: {x: '{{ r.x }}', y: 1}, headings: {x: X}}]}",
            lambda s: [each.heading and each.heading.value for each in s.message.tables[0].columns],
            ["X", None],
        ),
        (
            "- choose: [{when: a, give: 1}, {give: {zh: 甲, en: A}}]",
            lambda s: [type(each.give) for each in s.branches],
            [Constant, MappingOf],
        ),
        ("- fail: {code: bad}", lambda s: s.code.value, "bad"),
        (
            "- use: b\n  with: {x: a}",
            lambda s: (s.block, s.arguments[0][0], type(s.arguments[0][1])),
            ("b", "x", Constant),
        ),
        (
            "- collect: a.b\n  item: {x: '{{ y }}'}\n  merge: {x: union}",
            lambda s: (s.target.root, s.target.segments, s.merge),
            ("a", ("b",), {"x": "union"}),
        ),
    ],
)
def test_a_step_becomes_its_record(text: str, read: Callable[[Any], object], expected: object) -> None:
    assert read(step(text)) == expected


def test_expressions_and_path_parts_know_their_place() -> None:
    text = HEAD + '      - set: {"a[b.c].d": 1}\n        when: x == missing_one\n'
    found = workflow(text).states[0].steps[0]
    assert found.when is not None
    name = found.when.expression.names[-1]
    span = found.when.place.part(name.start, name.end)
    assert text[span.start : span.end] == "missing_one"
    path = found.assignments[0].path  # type: ignore[union-attr]
    assert isinstance(path, Path)
    inside = path.segments[0]
    assert isinstance(inside, Written)
    span = inside.place.part(0, 3)
    assert text[span.start : span.end] == "b.c"


@pytest.mark.parametrize("path", ["", ".a", "a.", "a[", "a[]", "a b", "1a", "a[b]]", "a..b"])
def test_what_is_no_path_is_a_finding_and_left_out(path: str) -> None:
    found = parsed(HEAD + f"      - set: {{{path!r}: 1, good: 2}}\n")
    assert [each.code for each in found.diagnostics] == ["type/bad-path"]
    assert isinstance(found.document, Workflow)
    assert len(found.document.states[0].steps[0].assignments) == 1  # type: ignore[union-attr]


def test_a_part_that_cannot_be_read_is_left_out_and_its_words_are_remembered() -> None:
    found = parsed(HEAD + "      - {cal: box.put, as: answer}\n      - just a text\n      - set: {a: 1}\n")
    assert isinstance(found.document, Workflow)
    assert [each.key for each in found.document.states[0].steps] == ["set#1"]
    assert {"cal", "answer", "just a text"} <= found.doubtful


def test_a_broken_expression_leaves_the_step_and_its_names_in_place() -> None:
    found = parsed(HEAD + "      - let: {a: b ==, c: d}\n")
    assert isinstance(found.document, Workflow)
    assert [name for name, _, _ in found.document.states[0].steps[0].values] == ["a", "c"]  # type: ignore[union-attr]
    assert len(found.diagnostics) == 1


def test_gates_hold_their_conditions_apart_from_redo_and_waivable() -> None:
    text = "workflow: w\ngates:\n  g:\n    - that: a\n    - confirmed: q\n    - redo: S.x\n    - waivable: true\n"
    gate = workflow(text).gates[0]
    assert [(each.that is not None, each.confirmed) for each in gate.conditions] == [(True, None), (False, "q")]
    assert (gate.redo, gate.waivable) == (("S", "x"), True)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{every: {state: A}, comes_after: {state: [B, C]}, since: {state: D}}", "comes_after"),
        ("{never: {state: A}, directly_after: {step: B.x}}", "directly_after"),
        ("{never: {call: '*'}, while: a == 1}", "while"),
        ("{every: {state: A}, is_followed_by: {gate: g}}", "is_followed_by"),
        ("{every: {call: {effect: [write]}, in: A}, only_in: [A]}", "only_in"),
        ("{always: a == 1}", "always"),
    ],
)
def test_guarantees_of_every_kind(text: str, kind: str) -> None:
    guarantee = workflow(f"workflow: w\nguarantees:\n  - {text}\n").guarantees[0]
    assert guarantee.kind == kind
    assert (guarantee.condition is not None) == (kind in ("while", "always"))
