"""Expressions that do not say what they seem to say."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic, finding
from interpreter.model import Gate, Written
from interpreter.resolve import Resolved
from rules.expr import tree


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
