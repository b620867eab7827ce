"""What is known of the value of an expression, from the shapes of the names in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from interpreter.model import (
    Constant,
    EachOf,
    ListOf,
    MappingOf,
    Path,
    Text,
    Value,
    Written,
)
from interpreter.scopes import Binding, Scope
from interpreter.static import BOOLEAN, NUMBER, TEXT, Missing, Shape, list_of, record
from rules.expr import tree

# Filters whose answer holds the same items as the list on their left.
_SAME_LIST = frozenset(
    {"where", "where_not", "where_missing", "take", "skip", "unique", "sort", "changed", "last_of_each"}
)
_ONE_ITEM = frozenset({"first", "last", "only", "find"})


class Reading(NamedTuple):
    """One field read somewhere: what it was read of, and what that says about it."""

    name: str
    found: Shape | Missing | None
    start: int
    end: int


def shape_of_node(node: tree.Node, scope: Scope) -> Shape | None:
    """Return what is known of a node's value, None for nothing."""
    match node:
        case tree.Name(name=name):
            binding = scope.get(name)
            return binding.shape if binding is not None else None
        case tree.Field(base=base, name=name):
            return _known(field_of(shape_of_node(base, scope), name))
        case tree.Item(base=base):
            shape = shape_of_node(base, scope)
            return shape.item() if shape is not None and shape.is_list() else None
        case tree.Apply():
            return _shape_of_apply(node, scope)
        case tree.MappingOf(entries=entries):
            return record({name: shape_of_node(value, scope) for name, value in entries})
        case tree.Constant(value=value):
            return _shape_of_constant(value)
        case tree.Comparison() | tree.Not():
            return BOOLEAN
        case tree.Arithmetic(operator=operator) if operator != "+":
            return NUMBER
        case tree.Join():
            return TEXT
    return None


def field_of(shape: Shape | None, name: str) -> Shape | Missing | None:
    return shape.field(name) if shape is not None else None


def _known(found: Shape | Missing | None) -> Shape | None:
    return None if isinstance(found, Missing) else found


def _shape_of_apply(node: tree.Apply, scope: Scope) -> Shape | None:
    function = node.function
    shape = shape_of_node(node.subject, scope) if node.subject is not None else None
    if function.name in _SAME_LIST and shape is not None and shape.is_list():
        return shape
    if function.name in _ONE_ITEM and shape is not None and shape.is_list() and not node.positional:
        return shape.item()
    if function.name in ("default", "or_else"):
        return _with_default(shape, node)
    return _by_signature(function.result)


def _with_default(shape: Shape | None, node: tree.Apply) -> Shape | None:
    """Return a closed list of words with the word that stands in for nothing; anything else is not known."""
    words = shape.words() if shape is not None else None
    other = node.positional[0] if len(node.positional) == 1 else None
    if words is None or not isinstance(other, tree.Constant) or not isinstance(other.value, str):
        return None
    return Shape({"enum": [*words, other.value]}, {})


def _by_signature(result: tuple[str, ...]) -> Shape | None:
    match result:
        case ("boolean",):
            return BOOLEAN
        case ("number",) | ("whole",):
            return NUMBER
        case ("text",):
            return TEXT
    return None


def _shape_of_constant(value: object) -> Shape | None:
    match value:
        case bool():
            return BOOLEAN
        case str():
            return TEXT
        case None | list() | dict():
            return None
    return NUMBER


def shape_of_value(value: Value | None, scope: Scope) -> Shape | None:
    """Return what is known of a written value."""
    match value:
        case Written(expression=expression):
            return shape_of_node(expression.tree, scope)
        case Text(template=template):
            return shape_of_node(template.single.tree, scope) if template.single is not None else TEXT
        case MappingOf(entries=entries):
            return record({name: shape_of_value(part, scope) for name, part, _ in entries})
        case ListOf():
            return list_of(None)
        case EachOf(name=name, rows=rows, index=index, give=give, flat=flat):
            inner = scope.extended(*loop_bindings(name, rows, index, value, scope))
            return list_of(None if flat else shape_of_value(give, inner))
        case Constant(value=constant):
            return _shape_of_constant(constant)
    return None


def loop_bindings(name: str, rows: Written, index: str | None, place: EachOf, scope: Scope) -> Iterator[Binding]:
    shape = shape_of_node(rows.expression.tree, scope)
    yield Binding(name, "loop", place.name_span, shape.item() if shape is not None else None)
    if index:
        yield Binding(index, "index", place.name_span, NUMBER)


def walk_path(path: Path, scope: Scope) -> Iterator[tuple[int, Shape | Missing | None]]:
    """Yield, for the root and each segment of a path, what is known of the value there.

    Shapes: the number of the segment, -1 for the root; stops where nothing more is known.
    """
    binding = scope.get(path.root)
    shape = binding.shape if binding is not None else None
    yield -1, shape
    for number, segment in enumerate(path.segments):
        if shape is None:
            return
        found = shape.field(segment) if isinstance(segment, str) else _entry_of(shape)
        yield number, found
        shape = _known(found)


def _entry_of(shape: Shape) -> Shape | None:
    """Return the shape of `x[…]`: an item of a list, or a value of a mapping with free keys."""
    if shape.is_list():
        return shape.item()
    found = [branch.schema.get("additionalProperties") for branch in shape.branches()]
    if len(found) == 1 and isinstance(found[0], dict) and found[0]:
        return Shape(found[0], shape.definitions)
    return None


def shape_of_path(path: Path, scope: Scope) -> Shape | None:
    """Return what is known of the value that a path leads to."""
    last: Shape | Missing | None = None
    reached = -2
    for number, found in walk_path(path, scope):
        last, reached = found, number
    return last if reached == len(path.segments) - 1 and isinstance(last, Shape) else None


def readings(node: tree.Node, scope: Scope) -> Iterator[Reading]:
    """Yield every field that an expression reads, with what is known of it."""
    for inner in tree.walk(node):
        if isinstance(inner, tree.Field):
            shape = shape_of_node(inner.base, scope)
            if shape is not None:
                yield Reading(inner.name, shape.field(inner.name), inner.end - len(inner.name), inner.end)
