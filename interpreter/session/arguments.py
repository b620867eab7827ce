"""Values as people type them on a command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from interpreter.diagnostics import Words
from rules.columns import is_too_long
from rules.json_problems import json_problem
from rules.json_texts import strict_json


class Typed(Protocol):
    """A declared input or setting."""

    @property
    def schema(self) -> Mapping[str, Any]: ...

    @property
    def run_of(self) -> Any: ...


def typed(text: str, declared: Typed) -> Any:
    """Return the value of `name=text`: text where the declared type is text, else JSON, else the text."""
    kind = _resolved_type(declared.schema)
    if kind == "string" or declared.run_of is not None:
        return text
    enum = declared.schema.get("enum")
    if isinstance(enum, (list, tuple)) and text in enum:
        return text
    return value_of(text)


def value_of(text: str) -> Any:
    """Return JSON as a value, anything else as text."""
    try:
        return strict_json(text)
    except ValueError:
        return text


def broken_json(value: Any) -> Words | None:
    """Return why a text that begins as a list or a mapping, or is a number too long, is no JSON; None for others."""
    if isinstance(value, str) and (value.lstrip()[:1] in ("{", "[") or is_too_long(value.strip())):
        try:
            strict_json(value)
        except ValueError as error:
            zh, en = json_problem(error)
            return Words(f"这不是 JSON：{zh}", f"this is no JSON: {en}")
    return None


def _resolved_type(schema: Mapping[str, Any]) -> Any:
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = schema.get("$defs", {}).get(reference.removeprefix("#/$defs/"), {})
        return target.get("type")
    return schema.get("type")
