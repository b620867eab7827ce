"""What is said of a value that an input does not take."""

from __future__ import annotations

import pytest

from interpreter.arguments import broken_json, value_of
from interpreter.diagnostics import Words
from interpreter.plan.shapes import describe
from interpreter.planned import DeclaredInput, unfit_input


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
