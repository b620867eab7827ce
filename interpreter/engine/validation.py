"""JSON Schema where a plain test does not do: a compiled validator, made when the first value comes by."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from interpreter.diagnostics import Words
from interpreter.engine.problems import Without, as_it_is, words_of, words_of_each
from interpreter.safety.masking import MASK

#: The formats that are looked at; others are only told to people.
FORMATS = frozenset({"date", "date-time"})
#: So many problems of one value are told.
_MOST_PROBLEMS = 100
NOT_JSON = Words("不是 JSON 能写下的值", "it is nothing that JSON can say")


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

    def problem(self, value: Any) -> Words | None:
        """Say in one line why a value does not fit, or return None."""
        validator = self._made or self._make()
        try:
            if validator.is_valid(value):
                return None
        except (ValueError, RecursionError):
            return NOT_JSON
        return words_of(islice(validator.iter_errors(value), _MOST_PROBLEMS), hides=self.hides)

    def all_of_it(self, value: Any) -> Words | None:
        """Say in one line everything because of which a value does not fit, or return None."""
        validator = self._made or self._make()
        groups: dict[Any, list[Any]] = {}
        try:
            for error in islice(validator.iter_errors(value), _MOST_PROBLEMS):
                is_missing = error.kind.name == "required"  # what is missing at one place is told at once
                groups.setdefault(tuple(error.instance_path) if is_missing else id(error), []).append(error)
        except (ValueError, RecursionError):
            return NOT_JSON
        told = [words_of(errors, hides=self.hides) for errors in groups.values()]
        return Words("；".join(one.zh for one in told), "; ".join(one.en for one in told)) if told else None

    def problems(self, value: Any, without: Without = as_it_is) -> list[tuple[str, Words]]:
        """Return everything that does not fit, as (place, what is wrong).

        Shapes: places as in `conditions[2].text`; what is missing has the place where it should stand. `without` takes
        out of what is repeated of the value what must not be shown.
        """
        validator = self._made or self._make()
        try:
            return words_of_each(
                islice(validator.iter_errors(value), _MOST_PROBLEMS), hides=self.hides, without=without
            )
        except (ValueError, RecursionError):
            return [("", NOT_JSON)]

    def _make(self) -> Any:
        import jsonschema_rs

        self._made = jsonschema_rs.Draft202012Validator(
            _without_extra_words(self.schema), mask=MASK if self.hides else None, validate_formats=True
        )
        return self._made


def _without_extra_words(schema: Any) -> Any:
    """Return a schema as JSON Schema knows it: our own words and titles in two languages left out.

    A pointer takes any value: what is wrong with it is for `bind` to say.
    """
    if isinstance(schema, Mapping):
        if "pointer" in schema:
            return {}
        result: dict[str, Any] = {}
        for name, value in schema.items():
            if name in ("title", "description", "default", "private", "sensitive", "evidence", "key"):
                continue
            if name == "format" and value not in FORMATS:
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
