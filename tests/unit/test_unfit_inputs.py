"""What is said of a value that an input, or a place of data, does not take."""

from __future__ import annotations

import pytest

from interpreter.diagnostics import Words
from interpreter.engine.data import Unfit, stored
from interpreter.plan.shapes import describe, shape_of
from interpreter.session.arguments import broken_json, value_of
from interpreter.session.planned import DeclaredInput, unfit_input


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"type": "integer", "minimum": 1}, "wanted: integer 1.."),
        ({"enum": ["red", "blue"]}, "wanted: red | blue"),
        ({"type": "string", "format": "date"}, "wanted: string, format: date"),
        (
            {"type": ["string", "null"], "minLength": 1, "maxLength": 5},
            "wanted: string | null, minLength: 1, maxLength: 5",
        ),
        ({"type": "array", "maxItems": 3, "uniqueItems": True}, "wanted: array, maxItems: 3, uniqueItems: true"),
        ({"type": "string", "format": "email"}, "wanted: string"),
        ({}, None),
    ],
)
def test_what_an_input_takes_is_said_where_it_takes_something_in_particular(
    schema: dict[str, object], hint: str | None
) -> None:
    declared = DeclaredInput("colour", schema, None, False, lambda value: None, describe(schema))
    found = unfit_input(declared, Words("不行", "no"), None)
    assert found.code == "command/input-unfit"
    assert (found.hint.en if found.hint is not None else None) == hint


# what is typed ; the value, or why it is none
TYPED: list[tuple[str, object, str | None]] = [
    ('{"a": 1}', {"a": 1}, None),
    ('["a"]', ["a"], None),
    ("tea", "tea", None),
    ("{a: 1}", "{a: 1}", "this is no JSON: Expecting property name enclosed in double quotes (character 2)"),
    ('{"a": 1', '{"a": 1', "this is no JSON: it ends in the middle"),
    ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}', "this is no JSON: a field stands twice in one object"),
    ("[NaN]", "[NaN]", "this is no JSON: NaN and Infinity are no numbers of JSON"),
]


@pytest.mark.parametrize(("text", "value", "why"), TYPED, ids=[row[0] for row in TYPED])
def test_a_list_or_a_mapping_that_is_typed_is_json_in_which_no_field_stands_twice(
    text: str, value: object, why: str | None
) -> None:
    assert value_of(text) == value
    broken = broken_json(value_of(text))
    assert (broken.en if broken is not None else None) == why


ROW = {
    "type": "object",
    "required": ["name", "price"],
    "properties": {"name": {"type": "string"}, "price": {"$ref": "#/$defs/Price"}},
    "$defs": {"Price": {"type": "number"}},
}
# the value ; what it must be ; why it cannot be kept ; the same where no value may be repeated
NOT_KEPT: list[tuple[object, dict[str, object], str, str]] = [
    ({"name": "a", "price": "18.00"}, ROW, "price: “18.00” is not a number", "price: ••• is not a number"),
    ({"name": "a"}, ROW, "price is missing", "price is missing"),
    ([{"name": "a", "price": None}], {"type": "array", "items": ROW, "$defs": ROW["$defs"]},
     "0.price: null is not a number", "0.price: ••• is not a number"),
    ("no", {"type": "boolean"}, "“no” is not true or false", "••• is not true or false"),
    ("red", {"enum": ["blue", "green"]}, "“red” is none of “blue”, “green”", "••• is none of “blue”, “green”"),
    ("abc", {"type": "string", "maxLength": 2}, "“abc” is longer than 2 characters", "••• is longer than 2 characters"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "schema", "why", "masked"), NOT_KEPT, ids=[row[2] for row in NOT_KEPT])
def test_a_value_that_its_place_does_not_accept_is_told_with_the_field_at_fault(
    value: object, schema: dict[str, object], why: str, masked: str
) -> None:
    with pytest.raises(Unfit) as raised:
        stored(value, shape_of(schema), "rows")
    assert raised.value.facts == {"path": "rows"}
    assert [raised.value.told(hides=hides)["problem"] for hides in (False, True)] == [why, masked]
