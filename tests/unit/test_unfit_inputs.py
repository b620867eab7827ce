"""What is said of a value that an input, or a place of data, does not take."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import cast

import pytest

from interpreter.diagnostics import Words
from interpreter.documents.loading import Documents
from interpreter.engine.data import Unfit, stored
from interpreter.plan.shapes import describe, shape_of
from interpreter.session.arguments import broken_json, value_of
from interpreter.session.planned import DeclaredInput, unfit_input
from interpreter.session.preparing import overridden
from rules.documents import load_rules


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


# the schema ; what is typed ; how it is written
MEANT: list[tuple[dict[str, object], str, str | None]] = [
    ({"type": "boolean"}, "Yes", "write true"),
    ({"type": "boolean"}, "否", "write false"),
    ({"type": ["integer", "null"]}, "None", "write null"),
    ({"type": "integer"}, "012", "write 12"),
    ({"type": "number"}, ".5", "write 0.5"),
    ({"type": "number"}, "1e3", "write 1000"),
    ({"type": "number"}, "1e40", "wanted: number"),
    ({"type": "integer"}, "7" * 35, "wanted: integer"),
    ({"type": "array"}, "tea, ink", 'write ["tea","ink"]'),
    ({"type": "array", "items": {"type": "string"}}, "茶、墨", 'write ["茶","墨"]'),
    ({"type": "array", "items": {"type": "integer"}}, "1,2", "wanted: array"),
    ({"type": "array"}, "[a", "wanted: array"),
    ({"type": "object"}, "a", "wanted: object"),
]


@pytest.mark.parametrize(("schema", "text", "hint"), MEANT, ids=[f"{row[1]} {row[0]['type']}" for row in MEANT])
def test_a_value_of_another_kind_is_told_as_it_is_written_unless_it_is_hidden(
    schema: dict[str, object], text: str, hint: str | None
) -> None:
    declared = DeclaredInput("colour", schema, None, False, lambda value: None, describe(schema))
    found = unfit_input(declared, Words("不行", "no"), None, text)
    hidden = unfit_input(declared._replace(hides=True), Words("不行", "no"), None, text)
    assert found.hint is not None
    assert found.hint.en == hint
    assert hidden.hint is not None
    assert hidden.hint.en == f"wanted: {describe(schema)}"


# what is typed ; the value, or why it is none
TYPED: list[tuple[str, object, str | None]] = [
    ('{"a": 1}', {"a": 1}, None),
    ('["a"]', ["a"], None),
    ("tea", "tea", None),
    ("{a: 1}", "{a: 1}", "this is no JSON: Expecting property name enclosed in double quotes (character 2)"),
    ('{"a": 1', '{"a": 1', "this is no JSON: it ends in the middle"),
    ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}', "this is no JSON: a field stands twice in one object"),
    ("[NaN]", "[NaN]", "this is no JSON: NaN and Infinity are no numbers of JSON"),
    ("7" * 35, "7" * 35, "this is no JSON: a number of too many digits"),
]


@pytest.mark.parametrize(("text", "value", "why"), TYPED, ids=[row[0] for row in TYPED])
def test_a_list_or_a_mapping_that_is_typed_is_json_in_which_no_field_stands_twice(
    text: str, value: object, why: str | None
) -> None:
    assert value_of(text) == value
    broken = broken_json(value_of(text))
    assert (broken.en if broken is not None else None) == why


THRESHOLDS = {"thresholds": {"most": {"value": 5, "range": "1..50"}, "share": {"value": Decimal("0.5")},
    "from": {"value": "2026-01-01"}, "code": {"value": "a"}}}  # fmt: skip
# what is set ; the value that counts, or what the refusal proposes
SET: list[tuple[str, str, object, str | None]] = [
    ("most", "7", 7, None),
    ("most", "07", 5, "did you mean 7?"),
    ("most", "１２", 5, "did you mean 12?"),
    ("most", "seven", 5, None),
    ("most", "7.5", 5, None),
    ("share", ".25", Decimal("0.5"), "did you mean 0.25?"),
    ("from", "2026/2/1", "2026-01-01", "did you mean 2026-02-01?"),
    ("from", "2026-02-30", "2026-01-01", None),
    ("code", "007", "007", None),
    ("code", "true", "true", None),
]


@pytest.mark.parametrize(("name", "text", "value", "hint"), SET, ids=[f"{row[0]}={row[1]}" for row in SET])
def test_a_threshold_is_set_in_its_own_kind(name: str, text: str, value: object, hint: str | None) -> None:
    rules, _ = load_rules(THRESHOLDS, "limits")
    changed, found = overridden(cast(Documents, SimpleNamespace(rules={"limits": rules})), {f"limits.{name}": text})
    assert changed["limits"].thresholds[name].value == value
    hints = [one.hint.en for one in found if one.hint is not None and one.hint.en.startswith("did you mean")]
    assert hints == ([hint] if hint is not None else [])


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
