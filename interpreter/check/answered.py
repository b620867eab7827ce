"""The values that a profile makes of answers: of the kind that the contract wants, and no path that is only a text."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.check.kinds import NO_VALUE, missing_fields, wrong_kind
from interpreter.check.placeholders import way_meant
from interpreter.check.unquoted import as_value, leads_somewhere
from interpreter.diagnostics import Diagnostic, did_you_mean, finding, nearest
from interpreter.model import ChooseOf, Constant, Contract, EachOf, ListOf, MappingOf, Value, span_of
from interpreter.static.inference import kinds_of_shape, shape_of_value
from interpreter.static.scopes import Scope
from interpreter.static.values import Shape, shape_of


def check_answered(value: Value | None, scope: Scope, contract: Contract | None) -> Iterator[Diagnostic]:
    """Yield what cannot be an answer of the contract, and texts in it that are written like the way to a value.

    Errors: type/wrong-kind, type/missing-field, type/unknown-field, name/text-like-a-name.
    """
    if value is not None:
        yield from _looked_at(value, scope, shape_of(contract.output) if contract is not None else None)


def _looked_at(value: Value, scope: Scope, expected: Shape | None) -> Iterator[Diagnostic]:
    match value:
        case ChooseOf(branches=branches):
            for branch in branches:
                yield from _looked_at(branch.give, scope, expected)
            return
        case EachOf(give=give):
            yield from _texts(give, scope)
        case MappingOf(entries=entries):
            for name, part, _ in entries:
                field = expected.field(name) if expected is not None else None
                yield from _looked_at(part, scope, field if isinstance(field, Shape) else None)
            if expected is not None and expected.kinds() == frozenset({"object"}):
                yield from _left_out(value, expected)
        case ListOf(items=items):
            for item in items:
                yield from _looked_at(item, scope, expected.item() if expected is not None else None)
    wanted = kinds_of_shape(expected)
    found = kinds_of_shape(shape_of_value(value, scope))
    if wanted is not None and found is not None and not found <= NO_VALUE and not (found - NO_VALUE) & wanted:
        way = way_meant(value.value, scope) if isinstance(value, Constant) else None
        hint = as_value(way) if way is not None else None
        yield wrong_kind("type/wrong-kind", span_of(value), wanted - {"null"} or wanted, found - NO_VALUE, hint=hint)
    else:
        yield from _texts(value, scope)


def _left_out(value: MappingOf, expected: Shape) -> Iterator[Diagnostic]:
    """Yield the fields that the contract asks for, each at the one that is misspelt where there is such."""
    given = {name: span for name, _, span in value.entries}
    lacking = list(missing_fields(expected, set(given)))
    for name, span in given.items():
        near = nearest(name, lacking) if not isinstance(expected.field(name), Shape) else None
        if near is not None:
            lacking.remove(near)
            yield finding("type/unknown-field", span, hint=did_you_mean(name, [near]), name=name)
    for name in lacking:
        yield finding("type/missing-field", value.span, name=name)


def _texts(value: Value, scope: Scope) -> Iterator[Diagnostic]:
    if isinstance(value, Constant) and _is_a_way(value, scope):
        yield finding("name/text-like-a-name", span_of(value), name=value.value, text=value.value)


def _is_a_way(value: Constant, scope: Scope) -> bool:
    return isinstance(value.value, str) and "." in value.value and leads_somewhere(value.value, scope)
