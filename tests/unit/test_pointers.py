"""Where pointers, citations and bodies stand in a data shape, and what becomes of it."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from interpreter.pointers import (
    CITATION,
    bodies_in,
    bound_schema,
    citations_in,
    model_schema,
    pointers_in,
    sides_of,
)

ID = {"pointer": "policy", "forms": ["id"]}
ANY = {"pointer": "policy"}
PERHAPS = {"pointer": "subject", "forms": ["id", "object"], "or_null": True, "becomes": "fact"}
ANSWER = {
    "type": "object",
    "title": {"zh": "回答", "en": "Answer"},
    "required": ["cited", "basis"],
    "properties": {
        "cited": {"type": "array", "items": ANY, "default": []},
        "basis": PERHAPS,
        "note": {"type": "string", "evidence": "lead"},
        "tree": {"$ref": "#/$defs/t.Tree"},
        "plain": {"$ref": "#/$defs/t.Plain"},
    },
    "$defs": {
        "t.Tree": {
            "type": "object",
            "properties": {"at": ID, "below": {"type": "array", "items": {"$ref": "#/$defs/t.Tree"}}},
            "additionalProperties": ID,
        },
        "t.Plain": {"type": "object", "properties": {"again": {"$ref": "#/$defs/t.Plain"}}},
    },
}


def places_of(schema: dict[str, Any], value: Any) -> list[str]:
    found: list[str] = []
    places = pointers_in(schema)
    assert places is not None
    places.walk(value, lambda _, pointer, at: found.append(f"{at} {pointer.side}"))
    return found


def test_pointers_are_found_wherever_a_shape_may_hold_them() -> None:
    value = {
        "cited": ["a", None],
        "basis": None,
        "note": "n",
        "tree": {"at": 1, "below": [{"at": 2, "below": [{"at": 3}]}], "further": "x"},
        "plain": {"again": {"again": {}}},
    }
    assert places_of(ANSWER, value) == [
        "cited[0] policy",
        "cited[1] policy",
        "basis subject",
        "tree.at policy",
        "tree.below[0].at policy",
        "tree.below[0].below[0].at policy",
        "tree.further policy",
    ]


@pytest.mark.parametrize("value", [None, "x", 3, [], {"cited": "x", "tree": []}, {"cited": {"0": "a"}}])
def test_a_value_of_another_form_is_left_as_it_is(value: Any) -> None:
    assert places_of(ANSWER, value) == []


def test_a_bound_field_has_its_new_name() -> None:
    places = pointers_in(ANSWER)
    assert places is not None
    assert places.walk({"basis": "s", "note": "n"}, lambda *_: "C") == {"fact": "C", "note": "n"}


def test_a_shape_without_pointers_has_none() -> None:
    assert pointers_in({"type": "object", "properties": {"pointer": {"type": "string"}}}) is None
    assert pointers_in({"$ref": "#/$defs/t.Plain", "$defs": ANSWER["$defs"]}) is None
    assert pointers_in({}) is None


def test_the_sides_of_a_shape_are_each_named_once() -> None:
    places = pointers_in(ANSWER)
    assert places is not None
    assert sides_of(places) == ("policy", "subject")


def test_the_sides_of_a_shape_stand_in_the_order_in_which_it_names_them() -> None:
    sides = tuple(f"side{number}" for number in range(12))
    places = pointers_in(
        {"$defs": {f"t.{side}": {"items": {"pointer": side}} for side in sides}, "$ref": "#/$defs/t.side0"}
    )
    assert places is not None
    assert sides_of(places) == sides


def test_the_bound_shape_holds_citations_under_new_names() -> None:
    bound = bound_schema(ANSWER)
    citation = {"$ref": f"#/$defs/{CITATION}"}
    assert bound["required"] == ["cited", "fact"]
    assert bound["properties"]["cited"]["items"] == citation
    assert bound["properties"]["fact"] == {"anyOf": [citation, {"type": "null"}]}
    assert bound["$defs"]["t.Tree"]["additionalProperties"] == citation
    assert CITATION in bound["$defs"]
    assert pointers_in(bound) is None
    places = citations_in(bound)
    assert places is not None
    found: list[str] = []
    places.walk({"cited": [{}], "fact": {}, "tree": {"at": {}}}, lambda value, leaf, at: found.append(at))
    assert found == ["cited[0]", "tree.at"]


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"cited": ["p-1", {"evidence_id": "p-1"}, {"path": "a", "quote": "b"}], "basis": None}, True),
        ({"cited": [], "basis": {"evidence_id": "s-1"}, "tree": {"at": "p", "below": [{"at": "q"}]}}, True),
        ({"cited": [3], "basis": None}, False),
        ({"cited": [], "basis": {"path": "a", "quote": "b"}}, False),
        ({"cited": [None], "basis": None}, False),
        ({"cited": [{"path": "a", "quote": ""}], "basis": None}, False),
        ({"cited": []}, False),
    ],
)
def test_what_a_model_is_told_says_what_may_stand_in_place_of_a_pointer(value: Any, fits: bool) -> None:
    schema = model_schema(ANSWER)
    Draft202012Validator.check_schema(schema)
    assert Draft202012Validator(schema).is_valid(value) is fits
    assert "pointer" not in str(schema)
    assert "evidence'" not in str(schema)
    assert "default" not in str(schema)


# --- bodies -----------------------------------------------------------------------------------------------------------


def bodies(schema: dict[str, Any], value: Any) -> list[tuple[str, str]]:
    found = bodies_in(schema)
    assert found is not None
    return [(".".join(map(str, road)), text) for road, text in found(value)]


BODY = {"type": "string", "evidence": "body"}
LEAD = {"type": "string", "evidence": "lead"}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (BODY, "a", [("", "a")]),
        ({"properties": {"t": BODY, "s": LEAD, "n": {}}}, {"t": "a", "s": "b", "n": "c", "o": "d"}, [("t", "a")]),
        ({"items": {"properties": {"t": BODY}}}, [{"t": "a"}, {"t": 3}, {}], [("0.t", "a")]),
        (
            {"evidence": "body", "properties": {"s": LEAD}},
            {"a": ["x", {"b": "y"}], "s": "z"},
            [("a.0", "x"), ("a.1.b", "y")],
        ),
        ({"additionalProperties": BODY}, {"a": "x", "b": ["y"]}, [("a", "x"), ("b.0", "y")]),
        (
            {"$ref": "#/$defs/T", "$defs": {"T": {"properties": {"t": BODY, "of": {"items": {"$ref": "#/$defs/T"}}}}}},
            {"t": "a", "of": [{"t": "b", "of": []}]},
            [("t", "a"), ("of.0.t", "b")],
        ),
        (
            {"$ref": "#/$defs/T", "evidence": "body", "$defs": {"T": {"properties": {"t": {}}}}},
            {"t": "a"},
            [("t", "a")],
        ),
    ],
)
def test_bodies_are_the_texts_that_a_contract_marks(schema: Any, value: Any, expected: list[tuple[str, str]]) -> None:
    assert bodies(schema, value) == expected


def test_a_shape_that_marks_no_body_has_none() -> None:
    assert bodies_in({"properties": {"s": LEAD, "evidence": {"type": "string"}}}) is None
    assert bodies_in({}) is None
