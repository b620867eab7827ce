"""JSON Schema where a plain test does not do: a compiled validator, made when the first value comes by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.masking import MASK


class Validator:
    """Checks values against one schema; numbers stay exact on the way through it.

    Shapes: with `hides`, no problem that it tells repeats a value.
    """

    __slots__ = ("_made", "hides", "schema")

    def __init__(self, schema: Mapping[str, Any], hides: bool = False) -> None:
        self.schema = schema
        self.hides = hides
        self._made: Any = None

    def __reduce__(self) -> Any:
        return Validator, (self.schema, self.hides)

    def is_valid(self, value: Any) -> bool:
        return bool((self._made or self._make()).is_valid(value))

    def problem(self, value: Any) -> str | None:
        """Say in one line why a value does not fit, or return None."""
        validator = self._made or self._make()
        try:
            if validator.is_valid(value):
                return None
        except (ValueError, RecursionError):
            return "not JSON"
        error = next(iter(validator.iter_errors(value)))
        place = ".".join(str(part) for part in error.instance_path)
        return f"{place}: {error.message}" if place else str(error.message)

    def _make(self) -> Any:
        import jsonschema_rs

        self._made = jsonschema_rs.Draft202012Validator(
            _without_extra_words(self.schema), mask=MASK if self.hides else None
        )
        return self._made


def _without_extra_words(schema: Any) -> Any:
    """Return a schema as JSON Schema knows it: our own words and titles in two languages left out."""
    if isinstance(schema, Mapping):
        result: dict[str, Any] = {}
        for name, value in schema.items():
            if name in ("title", "description", "default", "private", "sensitive", "evidence", "key"):
                continue
            if name in ("properties", "$defs", "patternProperties") and isinstance(value, Mapping):
                result[name] = {inner: _without_extra_words(part) for inner, part in value.items()}
            elif name in ("enum", "const", "required", "examples"):
                result[name] = value
            else:
                result[name] = _without_extra_words(value)
        return result
    if isinstance(schema, (list, tuple)):
        return [_without_extra_words(part) for part in schema]
    return schema
