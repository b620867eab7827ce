"""Values that a JSON Schema takes, as strategies of Hypothesis.

The library for this no longer works with the Hypothesis of today, and the schemas of contracts use a small part of the
language: that part is drawn directly, and what is left of it is seen to by the validator.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from interpreter.engine.validation import Validator

_DEEPEST = 4
_MOST_ENTRIES = 4
_LEAF = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=8))
_MARKS = st.characters(exclude_categories=["Cs"])
_FORMATS = {
    "date-time": st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(
        lambda moment: moment.replace(tzinfo=UTC, microsecond=0).isoformat().replace("+00:00", "Z")
    ),
    "date": st.dates().map(str),
    "uri": st.integers(0, 99).map(lambda number: f"https://site{number}.example/page"),
}


def values_of(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return what draws values that a schema takes."""
    validator = Validator(schema)
    return _drawn(schema, schema.get("$defs", {}), 0).filter(validator.is_valid)


def _drawn(schema: Any, definitions: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    if not isinstance(schema, Mapping):
        return _LEAF
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = definitions.get(reference.removeprefix("#/$defs/"), {})
        return st.deferred(lambda: _drawn(target, definitions, depth + 1))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return st.one_of([_drawn({**_without_choices(schema), **choice}, definitions, depth) for choice in choices])
    kinds = schema.get("type", _likely_kinds(schema))
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    return st.one_of([_of_kind(kind, schema, definitions, depth) for kind in kinds]) if kinds else _LEAF


def _without_choices(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in schema.items() if name not in ("anyOf", "oneOf")}


def _likely_kinds(schema: Mapping[str, Any]) -> list[str]:
    if "properties" in schema:
        return ["object"]
    return ["array"] if "items" in schema else []


def _of_kind(
    kind: str, schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int
) -> st.SearchStrategy[Any]:
    match kind:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(*_bounds(schema))
        case "number":
            low, high = _bounds(schema)
            whole = st.integers(low, high)
            return st.one_of(whole, whole.map(lambda number: Decimal(number) / 4)) if low is None else whole
        case "string":
            return _text(schema)
        case "array":
            return _list(schema, definitions, depth)
    return _mapping(schema, definitions, depth)


def _bounds(schema: Mapping[str, Any]) -> tuple[int | None, int | None]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if "exclusiveMinimum" in schema:
        low = schema["exclusiveMinimum"] + 1
    if "exclusiveMaximum" in schema:
        high = schema["exclusiveMaximum"] - 1
    return (int(low) if low is not None else None), (int(high) if high is not None else None)


def _text(schema: Mapping[str, Any]) -> st.SearchStrategy[str]:
    if "pattern" in schema:
        return st.from_regex(schema["pattern"])
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    least = int(schema.get("minLength", 0))
    most = min(int(schema.get("maxLength", least + 20)), least + 20)
    return st.text(_MARKS, min_size=least, max_size=most)


def _list(schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int) -> st.SearchStrategy[list[Any]]:
    least = int(schema.get("minItems", 0))
    most = min(int(schema.get("maxItems", least + _MOST_ENTRIES)), least + _MOST_ENTRIES)
    if depth >= _DEEPEST:
        most = least
    return st.lists(_drawn(schema.get("items", {}), definitions, depth + 1), min_size=least, max_size=most)


def _mapping(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int
) -> st.SearchStrategy[dict[str, Any]]:
    fields = {name: _drawn(part, definitions, depth + 1) for name, part in schema.get("properties", {}).items()}
    needed = set(schema.get("required", ()))
    optional = {name: part for name, part in fields.items() if name not in needed} if depth < _DEEPEST else {}
    named = st.fixed_dictionaries({name: fields.get(name, _LEAF) for name in sorted(needed)}, optional=optional)
    rest = schema.get("additionalProperties")
    if not isinstance(rest, Mapping) or depth >= _DEEPEST:
        return named
    words = st.text("abcdefgh", min_size=1, max_size=3)
    more = st.dictionaries(words, _drawn(rest, definitions, depth + 1), max_size=2)
    return st.tuples(more, named).map(lambda both: {**both[0], **both[1]})
