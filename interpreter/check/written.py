"""Values that see a fixed set of names: prompts of contracts, answers of `compute`, conditions over an answer.

A workflow's values are checked with everything that `resolve` knows; here the names are given outright.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interpreter.check.fields import missing_field, named_fields
from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.inference import loop_bindings, readings, seen_in, shape_of_node
from interpreter.model import ChooseOf, EachOf, ListOf, MappingOf, Text, Value, Written
from interpreter.scopes import Binding, Scope
from interpreter.source import Place
from interpreter.static import Missing, Shape
from rules.expr import Expression, tree
from rules.records import NamedTuple


class PlacedExpression(NamedTuple):
    """One expression with its place and the names that it sees. `is_hole`: its value enters a text as it is."""

    expression: Expression
    place: Place
    scope: Scope
    is_hole: bool


def check_value(value: Value | None, scope: Scope, *, is_open: bool = False) -> Iterator[Diagnostic]:
    """Yield names and fields that do not exist. `is_open`: further names may be there.

    Errors: name/unknown, type/unknown-field, type/perhaps-misspelled.
    """
    for seen in expressions_in(value, scope):
        if not is_open:
            yield from _names(seen)
        yield from _fields(seen)


def expressions_in(value: Value | None, scope: Scope) -> Iterator[PlacedExpression]:
    """Yield every expression of a value with the names that it sees, those of loops around it included."""
    match value:
        case Written():
            yield _written(value, scope)
        case Text(place=place):
            for seen in seen_in(value, scope):
                yield PlacedExpression(seen.expression, place, seen.scope, seen.role == "value")
        case ListOf(items=items):
            for item in items:
                yield from expressions_in(item, scope)
        case MappingOf(entries=entries):
            for _, part, _ in entries:
                yield from expressions_in(part, scope)
        case EachOf():
            yield _written(value.rows, scope)
            inner = scope.extended(*loop_bindings(value.name, value.rows, value.index, value, scope))
            if value.where is not None:
                yield _written(value.where, inner)
            yield from expressions_in(value.give, inner)
        case ChooseOf(branches=branches):
            for branch in branches:
                if branch.when is not None:
                    yield _written(branch.when, scope)
                yield from expressions_in(branch.give, scope)


def _written(written: Written, scope: Scope) -> PlacedExpression:
    return PlacedExpression(written.expression, written.place, scope, False)


def scope_of(shape: Shape | None, names: Sequence[str] = ()) -> Scope:
    """Return a scope of the fields that a shape names, and of further names of which nothing is known."""
    found: dict[str, Binding] = {name: Binding(name, "local", None) for name in names}
    for branch in shape.branches() if shape is not None else ():
        properties = branch.schema.get("properties")
        for name in properties if isinstance(properties, dict) else ():
            field = branch.field(name)
            found[name] = Binding(name, "input", None, field if isinstance(field, Shape) else None)
    return Scope(found)


def _names(seen: PlacedExpression) -> Iterator[Diagnostic]:
    for name, start, end in seen.expression.names:
        if name not in seen.scope.names:
            yield finding("name/unknown", seen.place.part(start, end), hint=did_you_mean(name, seen.scope), name=name)


def _fields(seen: PlacedExpression) -> Iterator[Diagnostic]:
    for reading in readings(seen.expression, seen.scope):
        if isinstance(reading.found, Missing):
            yield from missing_field(reading.name, reading.found, seen.place.part(reading.start, reading.end))
    for inner in seen.expression.nodes_of(tree.Apply):
        if inner.subject is None:
            continue
        shape = shape_of_node(inner.subject, seen.scope)
        item = shape.item() if shape is not None and shape.is_list() else None
        for name, start, end in named_fields(inner, seen.expression.text) if item is not None else ():
            found = item.field(name) if item is not None else None
            if isinstance(found, Missing):
                yield from missing_field(name, found, seen.place.part(start, end))
