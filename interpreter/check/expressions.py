"""Expressions that do not say what they seem to say."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.check.fields import named_fields
from interpreter.diagnostics import Diagnostic, Words, finding
from interpreter.model import Gate, Written
from interpreter.resolve import Resolved
from interpreter.static.inference import shape_of_node
from interpreter.static.scopes import Scope
from interpreter.static.values import Missing, Shape
from rules.expr import Expression, tree

_ORDERS = frozenset({"<", "<=", ">", ">="})
_BY_ORDER = frozenset({"sort", "min", "max"})


def check_all_of_nothing(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield gates that pass over an empty list because nothing beside `all` counts it. Errors: type/all-of-nothing."""
    for gate in resolved.workflow.gates:
        yield from _gate(gate)


def _gate(gate: Gate) -> Iterator[Diagnostic]:
    conditions = [condition.that for condition in gate.conditions if condition.that is not None]
    counted = {name for written in conditions for name in _counted(written.expression.tree)}
    for written in conditions:
        yield from _uncounted(written, counted)


def _uncounted(written: Written, counted: set[str]) -> Iterator[Diagnostic]:
    for node in written.expression.nodes_of(tree.Apply):
        if node.function.name == "all" and node.subject is not None:
            root = _root(node.subject)
            if root is not None and root not in counted:
                span = written.place.part(node.start, node.end)
                yield finding("type/all-of-nothing", span, list=root)


def check_times(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield where instants are put in order as texts: of two zones, the later one may come first.

    Errors: type/times-by-characters.
    """
    for use in resolved.uses:
        for expression, scope, _ in use.seen:
            for node, hint in _ordered_instants(expression, scope):
                yield finding("type/times-by-characters", use.part(node.start, node.end), hint=hint)


def _ordered_instants(expression: Expression, scope: Scope) -> Iterator[tuple[tree.Node, Words | None]]:
    for node in expression.nodes_of(tree.Comparison):
        compared = [node.first, *(right for operator, right in node.steps if operator in _ORDERS)]
        instant = next((side for side in compared if _is_instant(shape_of_node(side, scope))), None)
        if instant is not None and len(compared) > 1:
            way = expression.text[instant.start : instant.end]
            written = f"({way} | absolute_time({way}))"
            yield node, Words(f"先统一成 UTC：{written}", f"make it UTC first: {written}")
    for applied in expression.nodes_of(tree.Apply):
        shape = shape_of_node(applied.subject, scope) if applied.subject is not None else None
        item = shape.item() if shape is not None and applied.function.name in _BY_ORDER and shape.is_list() else None
        if item is not None:
            names = [name for name, _, _ in named_fields(applied, expression.text)] if applied.positional else []
            fields = [item.field(name) for name in names] if applied.function.name == "sort" and names else [item]
            if any(_is_instant(field) for field in fields):
                yield applied, None


def _is_instant(shape: Shape | Missing | None) -> bool:
    return isinstance(shape, Shape) and any(one.schema.get("format") == "date-time" for one in shape.branches())


def _counted(node: tree.Node) -> Iterator[str]:
    for inner in tree.walk(node):
        if isinstance(inner, tree.Apply) and inner.subject is not None and inner.function.name in ("any", "count"):
            root = _root(inner.subject)
            if root is not None:
                yield root
        elif isinstance(inner, tree.Comparison):
            yield from (side.name for side in (inner.first,) if isinstance(side, tree.Name))


def _root(node: tree.Node | None) -> str | None:
    while node is not None:
        match node:
            case tree.Name(name=name):
                return name
            case tree.Field(base=base) | tree.Item(base=base):
                node = base
            case tree.Apply(subject=subject):
                node = subject
            case _:
                return None
    return None
