"""The contract's `output` as the JSON Schema that a model is given.

`pointers.model_schema` leaves the language's own words out and puts ids in place of pointers. Names of definitions lose
their dots here: servers that make a grammar of a schema take letters, digits and underscores only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.pointers import model_schema

_DEFINITIONS = "#/$defs/"


def schema_for_model(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema as plain JSON Schema; one that says nothing asks for an object."""
    made = _renamed(model_schema(schema), is_schema=True)
    assert isinstance(made, dict)
    return made or {"type": "object"}


def _renamed(part: Any, *, is_schema: bool) -> Any:
    """Return a part of a schema; below `properties` the keys are fields, which keep their names."""
    if isinstance(part, list):
        return [_renamed(entry, is_schema=True) for entry in part]
    if not isinstance(part, Mapping):
        return part
    if not is_schema:
        return {name: _renamed(inner, is_schema=True) for name, inner in part.items()}
    result: dict[str, Any] = {}
    for word, value in part.items():
        if word == "$ref" and isinstance(value, str):
            result[word] = _DEFINITIONS + _name(value.removeprefix(_DEFINITIONS))
        elif word == "$defs" and isinstance(value, Mapping):
            result[word] = {_name(name): _renamed(inner, is_schema=True) for name, inner in value.items()}
        elif word in ("enum", "const"):
            result[word] = value
        else:
            result[word] = _renamed(value, is_schema=word != "properties")
    return result


def _name(name: str) -> str:
    return name.replace(".", "_")
