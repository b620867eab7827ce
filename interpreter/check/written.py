"""Values that see a fixed set of names: prompts of contracts, answers of `compute`, conditions over an answer.

A workflow's values are checked with everything that `resolve` knows; here the names are given outright.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from interpreter.check.fields import missing_field, named_fields
from interpreter.check.placeholders import placeholders_in
from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.model import ChooseOf, Contract, EachOf, ListOf, MappingOf, Text, Value, Written
from interpreter.source import Place
from interpreter.static.inference import loop_bindings, readings, seen_in, shape_of_node
from interpreter.static.scopes import Binding, Scope
from interpreter.static.values import Missing, Shape
from rules.expr import Expression, PathUse, tree
from rules.records import NamedTuple


class PlacedExpression(NamedTuple):
    """One expression with its place and the names that it sees.

    Shapes: `is_hole` says that its value enters a text as it is; `nothing` is what stands there for no value at all.
    """

    expression: Expression
    place: Place
    scope: Scope
    is_hole: bool
    nothing: str


def check_value(value: Value | None, scope: Scope, *, is_open: bool = False) -> Iterator[Diagnostic]:
    """Yield names and fields that do not exist, and names that are only characters. `is_open`: there may be others.

    Errors: name/unknown, type/unknown-field, type/perhaps-misspelled, name/single-braces, name/text-like-a-name.
    """
    yield from placeholders_in(value, scope)
    for seen in expressions_in(value, scope):
        if not is_open:
            yield from _names(seen)
        yield from _fields(seen)


def expressions_in(value: Value | None, scope: Scope) -> Iterator[PlacedExpression]:
    """Yield every expression of a value with the names that it sees, those of loops around it included."""
    match value:
        case Written():
            yield _written(value, scope, "absent")
        case Text(template=template, place=place):
            nothing = "absent" if template.single is not None else "''"
            for seen in seen_in(value, scope):
                yield PlacedExpression(seen.expression, place, seen.scope, seen.role == "value", nothing)
        case ListOf(items=items):
            for item in items:
                yield from expressions_in(item, scope)
        case MappingOf(entries=entries):
            for _, part, _ in entries:
                yield from expressions_in(part, scope)
        case EachOf():
            yield _written(value.rows, scope, "[]")
            inner = scope.extended(*loop_bindings(value.name, value.rows, value.index, value, scope))
            if value.where is not None:
                yield _written(value.where, inner, "false")
            yield from expressions_in(value.give, inner)
        case ChooseOf(branches=branches):
            for branch in branches:
                if branch.when is not None:
                    yield _written(branch.when, scope, "false")
                yield from expressions_in(branch.give, scope)


def _written(written: Written, scope: Scope, nothing: str) -> PlacedExpression:
    return PlacedExpression(written.expression, written.place, scope, False, nothing)


def surely_read(expression: Expression) -> Iterator[PathUse]:
    """Yield the paths without which an expression has no value, whatever else holds.

    What follows an `and` or an `if` is none of them, nor is what the expression itself looks for with `default`,
    `is present` and the like: it was asked about.
    """
    asked = [(part.start, part.end) for part in _asked_before(expression)]
    looked_for = [use for use in expression.uses if use.soft]
    for use in expression.uses:
        is_sure = not use.soft and not any(start <= use.start < end for start, end in asked)
        if is_sure and not any(_is_on_the_way(one, use) for one in looked_for):
            yield use


def _asked_before(expression: Expression) -> Iterator[tree.Node]:
    for node in expression.nodes_of(tree.Logic):
        yield from node.parts[1:] if node.operator == "and" else ()
    for choice in expression.nodes_of(tree.Choice):
        yield from (choice.then, choice.otherwise)


def _is_on_the_way(looked_for: PathUse, use: PathUse) -> bool:
    return looked_for.root == use.root and use.fields[: len(looked_for.fields)] == looked_for.fields


def check_left_out(values: Iterable[Value], contract: Contract | None, scope: Scope) -> Iterator[Diagnostic]:
    """Yield arguments that a call may leave out and without which no request can be made.

    Shapes: `values` are all that is sent; what one of them looks for with `default` and the like was asked about.
    Errors: tool/argument-perhaps-left-out.
    """
    if contract is None:
        return
    declared: Any = contract.input
    properties = declared.get("properties", {})
    optional = {name for name in properties.keys() - declared.get("required", ()) if "default" not in properties[name]}
    seen = [one for value in values for one in expressions_in(value, scope)]
    left = optional - {use.root for one in seen for use in one.expression.uses if use.soft}
    for one in seen:
        for use in surely_read(one.expression):
            if use.root in left and one.scope.get(use.root) is scope.get(use.root):
                left.discard(use.root)
                span = one.place.part(use.start, use.end)
                yield finding("tool/argument-perhaps-left-out", span, name=use.root, instead=_or_absent(one, use))


def _or_absent(seen: PlacedExpression, use: PathUse) -> str:
    """Return an expression as it is written where the argument may be left out: no function takes what is absent."""
    written, read = seen.expression.source.strip(), seen.expression.text[use.start : use.end]
    if written == read:
        return f"{read} | default({seen.nothing})"
    return f"({written}) if {use.root} is present else {seen.nothing}"


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
