"""What is known of the value of an expression, from the shapes of the names in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache
from typing import Literal

from interpreter.model import (
    ChooseOf,
    Constant,
    EachOf,
    ListOf,
    MappingOf,
    Path,
    Text,
    Value,
    Written,
)
from interpreter.static.scopes import Binding, Scope
from interpreter.static.values import (
    BOOLEAN,
    LIST,
    MAPPING,
    NOTHING,
    NUMBER,
    TEXT,
    WHOLE,
    Missing,
    Shape,
    either,
    list_of,
    record,
)
from rules.expr import Expression, tree
from rules.ready import For, If, Part
from rules.records import NamedTuple
from rules.values import ABSENT

# Filters whose answer holds the same items as the list on their left.
_SAME_LIST = frozenset(
    {"where", "where_not", "where_missing", "take", "skip", "unique", "sort", "changed", "last_of_each", "not_in"}
)
_ONE_ITEM = frozenset({"first", "last", "min", "max"})
#: Filters of whose answer more is known than its kind, where it is known what the list holds.
_OVER_LISTS = _SAME_LIST | _ONE_ITEM | {"find", "pluck", "flatten", "chunks", "as_mapping", "index_by", "count_by"}
_BY_WORD = {
    "boolean": BOOLEAN,
    "number": NUMBER,
    "whole": WHOLE,
    "text": TEXT,
    "list": LIST,
    "mapping": MAPPING,
    "records": list_of(MAPPING),
    "texts": list_of(TEXT),
    "numbers": list_of(NUMBER),
}
_KINDS = {
    "string": "text",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "array": "list",
    "object": "mapping",
    "null": "null",
}


class Reading(NamedTuple):
    """One field read somewhere: what it was read of, and what that says about it."""

    name: str
    found: Shape | Missing | None
    start: int
    end: int


class Seen(NamedTuple):
    """One expression with the names that are visible to it. `role` says what it stands for in its text."""

    expression: Expression
    scope: Scope
    role: Literal["value", "condition", "rows"]


def seen_in(value: Written | Text, scope: Scope) -> Iterator[Seen]:
    """Yield the expression, or every expression of a text, with what its loops name."""
    if isinstance(value, Written):
        yield Seen(value.expression, scope, "value")
    else:
        yield from _seen(value.template.parts, scope)


def _seen(parts: Iterable[Part], scope: Scope) -> Iterator[Seen]:
    for part in parts:
        match part:
            case Expression():
                yield Seen(part, scope, "value")
            case If(branches=branches, otherwise=otherwise):
                for test, body in branches:
                    yield Seen(test, scope, "condition")
                    yield from _seen(body, scope)
                yield from _seen(otherwise, scope)
            case For(name=name, rows=rows, body=body):
                yield Seen(rows, scope, "rows")
                shape = shape_of_node(rows.tree, scope)
                made = Binding(name.name, "loop", None, shape.item() if shape is not None else None)
                yield from _seen(body, scope.extended(made))


def shape_of_node(node: tree.Node, scope: Scope) -> Shape | None:
    """Return what is known of a node's value, None for nothing."""
    match node:
        case tree.Name(name=name):
            binding = scope.get(name)
            return binding.shape if binding is not None else None
        case tree.Field() | tree.Apply():
            # One check after the other asks of the same nodes.
            known = scope.shapes.get(id(node))
            if known is None:
                known = scope.shapes[id(node)] = (node, _shape_inside(node, scope))
            return known[1]
        case tree.Item(base=base):
            return _entry(shape_of_node(base, scope))
        case tree.MappingOf(entries=entries):
            return record({name: shape_of_node(value, scope) for name, value in entries})
        case tree.ListOf(items=items):
            return list_of(either([shape_of_node(item, scope) for item in items]))
        case tree.Constant(value=value):
            return _shape_of_constant(value)
        case tree.Comparison() | tree.Not() | tree.Logic():
            return BOOLEAN
        case tree.Arithmetic(operator="+", left=left, right=right):
            return _sum(shape_of_node(left, scope), shape_of_node(right, scope))
        case tree.Arithmetic() | tree.Negative():
            return NUMBER
        case tree.Join():
            return TEXT
        case tree.Choice(then=then, otherwise=otherwise):
            branches = [branch for branch in (then, otherwise) if not _is_absent(branch)]
            return either([shape_of_node(branch, scope) for branch in branches])


def _shape_inside(node: tree.Field | tree.Apply, scope: Scope) -> Shape | None:
    if isinstance(node, tree.Field):
        return _known(field_of(shape_of_node(node.base, scope), node.name))
    return _shape_of_apply(node, scope)


def kinds_of_node(node: tree.Node, scope: Scope) -> frozenset[str] | None:
    """Return the kinds, in the words of the expression language, that a node can have; None where that is not known."""
    return kinds_of_shape(shape_of_node(node, scope))


def kinds_of_shape(shape: Shape | None) -> frozenset[str] | None:
    kinds = shape.kinds() if shape is not None else None
    return _in_words(kinds) if kinds is not None else None


@cache
def _in_words(kinds: frozenset[str]) -> frozenset[str]:
    return frozenset(_KINDS.get(kind, kind) for kind in kinds)


def _is_absent(node: tree.Node) -> bool:
    return isinstance(node, tree.Constant) and node.value is ABSENT


def _sum(left: Shape | None, right: Shape | None) -> Shape | None:
    """Return the shape of numbers added, or of two lists one after the other."""
    for shape in (left, right):
        if shape is not None and shape.is_list():
            return list_of(either([side.item() if side is not None else None for side in (left, right)]))
    kinds = {kinds_of_shape(shape) for shape in (left, right)}
    return NUMBER if frozenset({"number"}) in kinds else None


def _entry(shape: Shape | None) -> Shape | None:
    """Return the shape of `x[…]`: an item of a list, or a value of a mapping with free keys."""
    if shape is None:
        return None
    return shape.item() if shape.is_list() else _value_of(shape)


def _value_of(shape: Shape) -> Shape | None:
    """Return the shape of the values of a mapping whose keys are free."""
    found = [branch.schema.get("additionalProperties") for branch in shape.branches()]
    if len(found) == 1 and isinstance(found[0], dict) and found[0]:
        return Shape(found[0], shape.definitions)
    return None


def field_of(shape: Shape | None, name: str) -> Shape | Missing | None:
    return shape.field(name) if shape is not None else None


def _known(found: Shape | Missing | None) -> Shape | None:
    return None if isinstance(found, Missing) else found


def _shape_of_apply(node: tree.Apply, scope: Scope) -> Shape | None:
    name = node.function.name
    shape = shape_of_node(node.subject, scope) if node.subject is not None else None
    if name in ("default", "or_else"):
        return _with_default(shape, node, scope)
    is_list = shape is not None and shape.is_list()
    if shape is not None and is_list and name in _OVER_LISTS:
        return _shape_from_list(shape, node, scope)
    if name in ("values", "entries") and shape is not None:
        value = _value_of(shape)
        return list_of(value if name == "values" else record({"key": TEXT, "value": value}))
    if name in ("pick", "without") and shape is not None:
        return list_of(_chosen(shape.item(), node)) if is_list else _chosen(shape, node)
    if name == "merge" and node.positional:
        return _merged(shape, shape_of_node(node.positional[0], scope))
    return _by_signature(node.function.result)


def _shape_from_list(shape: Shape, node: tree.Apply, scope: Scope) -> Shape | None:
    """Return what is known of what a function makes of a list."""
    item = shape.item()
    match node.function.name:
        case "find":
            return item
        case "pluck":
            return list_of(_known(field_of(item, _word(node, 0))))
        case "flatten":
            if item is None:
                return _by_signature(node.function.result)
            return item if item.is_list() else None if item.kinds() is None else LIST
        case "chunks":
            return list_of(shape)
        case "as_mapping":
            return _mapping_to(_known(field_of(item, _word(node, 1))))
        case "index_by":
            return _mapping_to(item)
        case "count_by":
            return list_of(record({"value": _known(field_of(item, _word(node, 0))), "count": WHOLE}))
        case name if name in _ONE_ITEM:
            return either([item, *(shape_of_node(other, scope) for other in node.positional)])
    return shape


def _word(node: tree.Apply, position: int) -> str:
    """Return the text that is written as an argument, '' where it is computed."""
    value = node.positional[position] if position < len(node.positional) else None
    return value.value if isinstance(value, tree.Constant) and isinstance(value.value, str) else ""


def _mapping_to(value: Shape | None) -> Shape:
    if value is None:
        return MAPPING
    return Shape({"type": "object", "additionalProperties": value.schema}, value.definitions)


def _chosen(shape: Shape | None, node: tree.Apply) -> Shape | None:
    """Return the shape of a mapping with some of its fields, or without them; MAPPING where they cannot be told."""
    names = [_word(node, position) for position in range(len(node.positional))]
    fields = _fields_of(shape)
    if fields is None or "" in names or any("." in name for name in names):
        return MAPPING
    is_pick = node.function.name == "pick"
    return record({name: part for name, part in fields.items() if (name in names) == is_pick})


def _merged(left: Shape | None, right: Shape | None) -> Shape:
    first, second = _fields_of(left), _fields_of(right)
    return MAPPING if first is None or second is None else record({**first, **second})


def _fields_of(shape: Shape | None) -> dict[str, Shape | None] | None:
    """Return the fields of a mapping whose schema names them all; None for any other shape."""
    branches = list(shape.branches()) if shape is not None else []
    if len(branches) != 1 or branches[0].schema.get("additionalProperties") is not False:
        return None
    properties = branches[0].schema.get("properties")
    if not isinstance(properties, dict):
        return None
    return {name: _known(branches[0].field(name)) for name in properties}


def _with_default(shape: Shape | None, node: tree.Apply, scope: Scope) -> Shape | None:
    other = node.positional[0] if len(node.positional) == 1 else None
    if other is None or _is_absent(other):
        return shape
    return either([shape, shape_of_node(other, scope)])


def _by_signature(result: tuple[str, ...]) -> Shape | None:
    return either([_BY_WORD.get(word) for word in result])


def _shape_of_constant(value: object) -> Shape | None:
    match value:
        case bool():
            return BOOLEAN
        case str():
            return Shape({"enum": [value]}, {})
        case int():
            return WHOLE
        case None:
            return NOTHING
        case list():
            return list_of(either([_shape_of_constant(entry) for entry in value]))
        case dict():
            return record({name: _shape_of_constant(entry) for name, entry in value.items()})
        case Decimal():
            return NUMBER
    return None


def shape_of_kind(value: object) -> Shape | None:
    """Return the shape of values like this one: what a threshold or a list of a rule document may be changed to."""
    match value:
        case bool():
            return BOOLEAN
        case str():
            return TEXT
        case int() | Decimal():
            return NUMBER
        case list():
            return list_of(either([shape_of_kind(entry) for entry in value]))
        case dict():
            return record({name: shape_of_kind(entry) for name, entry in value.items()})
    return None


def shape_of_value(value: Value | None, scope: Scope) -> Shape | None:
    """Return what is known of a written value."""
    match value:
        case Written(expression=expression):
            return shape_of_node(expression.tree, scope)
        case Text(template=template):
            return shape_of_node(template.single.tree, scope) if template.single is not None else TEXT
        case MappingOf(entries=entries):
            return record({name: shape_of_value(part, scope) for name, part, _ in entries})
        case ListOf(items=items):
            return list_of(either([shape_of_value(item, scope) for item in items]))
        case ChooseOf(branches=branches):
            return either([shape_of_value(branch.give, scope) for branch in branches])
        case EachOf(name=name, rows=rows, index=index, give=give, flat=flat):
            inner = scope.extended(*loop_bindings(name, rows, index, value, scope))
            given = shape_of_value(give, inner)
            return list_of(given) if not flat else given if given is not None and given.is_list() else LIST
        case Constant(value=constant):
            return _shape_of_constant(constant)
    return None


def names_in(value: Value) -> tuple[str, ...]:
    """Return the names that a value is made from, its conditions included, sorted."""
    return tuple(sorted(set(_names_in(value))))


def _names_in(value: Value) -> Iterator[str]:
    match value:
        case Written(expression=expression):
            yield from (use.name for use in expression.names)
        case Text(template=template):
            yield from (use.name for use in template.names)
        case ListOf(items=items):
            for item in items:
                yield from _names_in(item)
        case MappingOf(entries=entries):
            for _, inner, _ in entries:
                yield from _names_in(inner)
        case EachOf(rows=rows, where=where, give=give):
            for part in (rows, where, give):
                yield from _names_in(part) if part is not None else ()
        case ChooseOf(branches=branches):
            for branch in branches:
                for part in (branch.when, branch.give):
                    yield from _names_in(part) if part is not None else ()


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
        found = shape.field(segment) if isinstance(segment, str) else _entry(shape)
        yield number, found
        shape = _known(found)


def shape_of_path(path: Path, scope: Scope) -> Shape | None:
    """Return what is known of the value that a path leads to."""
    last: Shape | Missing | None = None
    reached = -2
    for number, found in walk_path(path, scope):
        last, reached = found, number
    return last if reached == len(path.segments) - 1 and isinstance(last, Shape) else None


def readings(expression: Expression, scope: Scope) -> Iterator[Reading]:
    """Yield every field that an expression reads, with what is known of it."""
    for inner in expression.nodes_of(tree.Field):
        shape = shape_of_node(inner.base, scope)
        if shape is not None:
            yield Reading(inner.name, shape.field(inner.name), inner.end - len(inner.name), inner.end)
