"""The walker and the reference implementation of JSON Schema accept the same documents."""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator

from interpreter.shape.checking import check_shape, kind_of_document, schema_for
from interpreter.source import Source
from interpreter.yaml_tree import Node, read_tree, to_value
from tests.draws import draws

VALID = sorted((Path(__file__).parents[1] / "cases" / "shape" / "valid").glob("*.yaml"))
#: What is put in place of something else: one of each kind, and what the schemas look at.
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2.5, "", "x", "a b", "1x", "drive.move", "{{ x }}", "30s", "block", "all", "yes"),
    *([], ["x"], [1], [{}], {}, {"x": 1}, {"zh": "一"}, {"zh": "一", "en": "one"}, {"x-note": 1}, {"to": "A"}),
    *({"each": "x", "in": "y", "give": 1}, {"each": "x"}, {"choose": [{"give": 1}]}, {"choose": 1}, {"share": 0.5}),
    *({"state": "A"}, {"call": "*"}, {"by": "x", "among": {"a": "b.c"}}, {"is": "any"}, {"set": {"a": 1}, "say": {}}),
    *({"that": "x"}, {"give": 1}, [{"give": 1}], [{"id": "a", "tool": "b"}], {"type": "string"}, {"required": ["a"]}),
]


@cache
def validator(kind: str) -> Validator:
    return Draft202012Validator(schema_for(kind))


@cache
def words(kind: str) -> list[str]:
    """Return every key that the schema of a kind knows anywhere, and some that it does not."""
    found = {"", "x-note", "strange", "1x", "a-b"}

    def look(schema: Any) -> None:
        if isinstance(schema, dict):
            found.update(schema.get("properties", {}))
            for below in schema.values():
                look(below)
        elif isinstance(schema, list):
            for below in schema:
                look(below)

    look(schema_for(kind))
    return sorted(found)


def read(text: str) -> Node:
    node, found = read_tree(Source("demo.yaml", text))
    assert node is not None
    assert found == []
    return node


@cache
def document(path: Path) -> tuple[str, Any]:
    node = read(path.read_text(encoding="utf-8"))
    kind, _ = kind_of_document(node)
    assert kind is not None
    return kind, to_value(node)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything inside a document."""
    found = []
    for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        found += [(*path, key), *places(data[key], (*path, key))]
    return found


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, Any]:
    """Draw a valid document with one to three changes, which may or may not leave it valid."""
    kind, data = document(draw(st.sampled_from(VALID)))
    data = copy.deepcopy(data)
    for _ in range(draw(st.integers(1, 3))):
        all_places = places(data)
        if not all_places:
            break
        *around, last = draw(st.sampled_from(all_places))
        parent = data
        for key in around:
            parent = parent[key]
        change(draw, kind, data, parent, last)
    return kind, data


def change(draw: st.DrawFn, kind: str, data: Any, parent: Any, key: Any) -> None:
    how = draw(st.sampled_from(["replace", "delete", "rename", "add", "copy"]))
    if how == "replace":
        parent[key] = copy.deepcopy(draw(st.sampled_from(VALUES)))
    elif how == "delete":
        del parent[key]
    elif how == "copy":
        other = data
        for part in draw(st.sampled_from(places(data))):
            other = other[part]
        parent[key] = copy.deepcopy(other)
    elif isinstance(parent, dict):
        word = draw(st.sampled_from(words(kind)))
        value = parent.pop(key) if how == "rename" else copy.deepcopy(draw(st.sampled_from(VALUES)))
        parent[word] = value


def as_text(data: Any) -> str:
    """Return data as JSON, which is YAML whose texts are all in quotes."""
    return json.dumps(data, ensure_ascii=False, indent=1, default=lambda number: float(Decimal(number)))


@settings(max_examples=draws(300), deadline=None)
@given(mutated())
def test_walker_and_reference_accept_the_same_documents(drawn: tuple[str, Any]) -> None:
    kind, data = drawn
    # A first key that is misspelled is taken as the right one; `kind_of_document` reports it.
    assume(kind in data)
    node = read(as_text(data))
    findings = check_shape(node, kind)
    assert (findings == []) == validator(kind).is_valid(to_value(node)), [found.message.en for found in findings]


@settings(max_examples=draws(200), deadline=None)
@given(mutated())
def test_findings_have_places_and_stand_in_order(drawn: tuple[str, Any]) -> None:
    kind, data = drawn
    findings = check_shape(read(as_text(data)), kind)
    assert all(found.span is not None for found in findings)
    assert findings == sorted(findings, key=lambda found: found.sort_key())
