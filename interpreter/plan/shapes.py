"""Declared schemas as fast checks.

Plain kinds and enumerations are tested directly; everything else by a compiled JSON Schema validator, made when it is
first needed. Numbers stay exact on the way through it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from interpreter.addressing import problem_of_key
from interpreter.diagnostics import Words
from interpreter.engine.data import ANYTHING, SCALARS, Accepts, Declaration, Problem, Shape
from interpreter.engine.validation import FORMATS, Validator
from interpreter.model import Declared
from interpreter.plan.values import Compiler, constant_of
from rules.values import ABSENT, as_integer

_DEEPEST = 12
_PLAIN: dict[str, Accepts] = {
    "string": lambda value: type(value) is str,
    "boolean": lambda value: type(value) is bool,
    "integer": lambda value: type(value) is int or as_integer(value) is not None,
    "number": lambda value: type(value) is int or type(value) is Decimal,
    "null": lambda value: value is None,
    "object": lambda value: type(value) is dict,
    "array": lambda value: isinstance(value, list),
}
_SCALARS: dict[str, frozenset[type]] = {
    "string": frozenset({str}),
    "boolean": frozenset({bool}),
    "integer": frozenset({int}),
    "number": frozenset({int, Decimal}),
}
_BOUNDS = ("minLength", "maxLength", "minItems", "maxItems")
_NOTHING_FURTHER = {"title", "description", "default", "private", "sensitive", "evidence", "$defs"}


def declaration_of(declared: Declared) -> Declaration:
    shape = shape_of(declared.schema)
    default = constant_of(declared.default)
    computed = None
    if default is ABSENT and declared.default is not None:
        computed = Compiler(frozenset()).value(declared.default)
    return Declaration(declared.name, shape, declared.key, default, declared.private, declared.sensitive, computed)


def shape_of(schema: Mapping[str, Any]) -> Shape:
    """Return what a place of declared data accepts and what it fills in."""
    return _shape(schema, schema.get("$defs", {}), 0)


def _shape(schema: Any, definitions: Mapping[str, Any], depth: int) -> Shape:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return ANYTHING
    resolved = _resolved(schema, definitions)
    fields = {name: _shape(inner, definitions, depth + 1) for name, inner in resolved.get("properties", {}).items()}
    defaults = {
        name: inner["default"]
        for name, inner in resolved.get("properties", {}).items()
        if isinstance(inner, Mapping) and "default" in inner
    }
    item = _shape(resolved["items"], definitions, depth + 1) if isinstance(resolved.get("items"), Mapping) else None
    rest = resolved.get("additionalProperties")
    rest_shape = _shape(rest, definitions, depth + 1) if isinstance(rest, Mapping) else None
    nested = any(inner.defaults or inner.nested_defaults for inner in fields.values())
    return Shape(
        accepts=_accepts(resolved, definitions),
        problem=_problem(resolved, definitions),
        defaults=defaults,
        item=item,
        fields=fields,
        rest=rest_shape,
        nested_defaults=nested or (item is not None and bool(item.defaults or item.nested_defaults)),
        scalars=_scalars(resolved),
    )


def _scalars(schema: Mapping[str, Any]) -> frozenset[type]:
    """Return the kinds of scalars of which a schema accepts any value."""
    words = set(schema) - _NOTHING_FURTHER
    if not words:
        return SCALARS
    return _SCALARS.get(str(schema["type"]), frozenset()) if words == {"type"} else frozenset()


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    seen = 0
    while isinstance(schema.get("$ref"), str) and seen < _DEEPEST:
        target = definitions.get(str(schema["$ref"]).removeprefix("#/$defs/"))
        if not isinstance(target, Mapping):
            return {}
        schema = {**target, **{name: value for name, value in schema.items() if name != "$ref"}}
        seen += 1
    return schema


def _problem(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Problem:
    return lambda value, hides: Validator(_with_definitions(schema, definitions), hides).problem(plain(value))


def _with_definitions(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    return {**schema, "$defs": dict(definitions)} if definitions else dict(schema)


def _accepts(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Accepts | None:
    if not set(schema) - _NOTHING_FURTHER:
        return None
    test = _plain_test(schema)
    if test is not None:
        return test
    validator = Validator(_with_definitions(schema, definitions))

    def accepts(value: Any) -> bool:
        try:
            return validator.is_valid(value)
        except ValueError:  # some versions of the validator know no list but a plain one
            return validator.is_valid(plain(value))

    return accepts


def _plain_test(schema: Mapping[str, Any]) -> Accepts | None:
    """Return a test of a plain kind or of an enumeration of texts, which needs no validator."""
    words = set(schema) - _NOTHING_FURTHER
    if words == {"enum"} and all(type(value) is str for value in schema["enum"]):
        allowed = frozenset(schema["enum"])
        return lambda value: type(value) is str and value in allowed
    if words == {"type"} and isinstance(schema["type"], str):
        return _PLAIN.get(schema["type"])
    return None


def problem_of(schema: Mapping[str, Any], hides: bool = False) -> Callable[[Any], Words | None]:
    """Return a check that says in one line why a value does not fit a schema, or None.

    Shapes: with `hides` the line does not repeat the value.
    """
    return _asked_after(_plain_test(schema), Validator(schema, hides).problem)


def _asked_after(test: Accepts | None, problem: Callable[[Any], Words | None]) -> Callable[[Any], Words | None]:
    """Return a check that is not made where a test says already that a value fits."""
    return problem if test is None else lambda value: None if test(value) else problem(value)


def problem_of_declared(declared: Declared) -> Callable[[Any], Words | None]:
    """Return a check that says why a value cannot be one of inputs or data: its shape, and the key of its entries.

    Everything is said at once: whoever gives a value mends it at one go.
    """
    hides = declared.private or declared.sensitive
    problem = _asked_after(_plain_test(declared.schema), Validator(declared.schema, hides).all_of_it)
    if not declared.key:
        return problem
    key, name = declared.key, declared.name

    def problem_of_keyed(value: Any) -> Words | None:
        return problem(value) or problem_of_key(value, key, name, hides=hides)

    return problem_of_keyed


def plain(value: Any) -> Any:
    """Return a value in which lists that are addressed by a key are plain lists."""
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    if type(value) is dict:
        return {name: plain(entry) for name, entry in value.items()}
    return value


def pruned(schema: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Return a function that drops the fields that a contract does not name."""
    return _pruner(schema, schema.get("$defs", {}), 0) or (lambda value: value)


def _pruner(schema: Any, definitions: Mapping[str, Any], depth: int) -> Callable[[Any], Any] | None:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return None
    schema = _resolved(schema, definitions)
    if isinstance(schema.get("items"), Mapping):
        inner = _pruner(schema["items"], definitions, depth + 1)
        if inner is None:
            return None
        return lambda value: [inner(entry) for entry in value] if isinstance(value, list) else value
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return None
    rest = schema.get("additionalProperties")
    if isinstance(rest, Mapping) or rest is True:
        return None
    pruners = {name: _pruner(inner, definitions, depth + 1) for name, inner in properties.items()}

    def prune(value: Any) -> Any:
        if type(value) is not dict:
            return value
        return {
            name: (pruners[name](entry) if pruners[name] is not None else entry)  # type: ignore[misc]
            for name, entry in value.items()
            if name in pruners
        }

    return prune


def describe(schema: Mapping[str, Any]) -> str:
    """Return what a schema wants, in a few words that need no translation; '' where it wants nothing in particular."""
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    kind = schema.get("type", "")
    words = " | ".join(kind) if isinstance(kind, list) else str(kind)
    least, greatest = schema.get("minimum", ""), schema.get("maximum", "")
    if not least == greatest == "":
        words = f"{words} {least}..{greatest}"
    # What else would refuse a value stands here as the declaration writes it: `string, format: date`.
    others = [f"{name}: {schema[name]}" for name in _BOUNDS if name in schema]
    if schema.get("format") in FORMATS:
        others.append(f"format: {schema['format']}")
    if schema.get("uniqueItems") is True:
        others.append("uniqueItems: true")
    return ", ".join([word for word in (words, *others) if word])
