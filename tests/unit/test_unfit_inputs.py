"""What is said of a value that an input does not take."""

from __future__ import annotations

import pytest

from interpreter.diagnostics import Words
from interpreter.kept import DeclaredInput, unfit_input
from interpreter.plan.shapes import describe


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
