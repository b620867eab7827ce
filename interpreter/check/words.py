"""Words in expressions, against the closed lists that the other side can hold; labels of types."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.model import CallStep
from interpreter.resolve import Resolved, Use
from interpreter.static.inference import shape_of_node
from interpreter.static.scopes import Binding, Scope
from rules.expr import tree
from rules.expr.inspect import COMPARING_FIELDS


def check_words(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield comparisons with a word that the other side never holds. Errors: type/never-equal."""
    for use in resolved.uses:
        for expression, scope, _ in use.seen:
            for node in expression.nodes_of(tree.Comparison, tree.Apply):
                if isinstance(node, tree.Comparison):
                    yield from _comparison(use, node, scope)
                elif isinstance(node, tree.Apply) and node.function.name in COMPARING_FIELDS:
                    yield from _fields(use, node, scope)


def _comparison(use: Use, node: tree.Comparison, scope: Scope) -> Iterator[Diagnostic]:
    left = node.first
    for operator, right in node.steps:
        if operator in ("==", "!=", "in", "not in"):
            yield from _words(use, shape_of_words(left, scope), right)
        if operator in ("==", "!="):
            yield from _words(use, shape_of_words(right, scope), left)
        left = right


def shape_of_words(node: tree.Node, scope: Scope) -> frozenset[object] | None:
    """Return the closed list of texts that a node can be, None where it may be anything."""
    shape = shape_of_node(node, scope)
    words = shape.words() if shape is not None else None
    return words if words is not None and all(isinstance(word, str) for word in words) else None


def _words(use: Use, words: frozenset[object] | None, node: tree.Node) -> Iterator[Diagnostic]:
    if words is None:
        return
    parts = node.items if isinstance(node, tree.ListOf) else (node,)
    for part in parts:
        if isinstance(part, tree.Constant) and isinstance(part.value, str) and part.value not in words:
            hint = did_you_mean(part.value, map(str, words))
            span = use.part(part.start, part.end)
            yield finding("type/never-equal", span, hint=hint, value=repr(part.value))


def _fields(use: Use, node: tree.Apply, scope: Scope) -> Iterator[Diagnostic]:
    shape = shape_of_node(node.subject, scope) if node.subject is not None else None
    item = shape.item() if shape is not None and shape.is_list() else None
    if item is None:
        return
    inner = Scope({"item": Binding("item", "row", None, item)})
    for name, value in node.keywords:
        field = tree.Field(tree.Name("item", 0, 0), name, 0, 0)
        yield from _words(use, shape_of_words(field, inner), value)


def check_labels(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield `label(value, 'document#Type')` of types without labels. Errors: type/unknown-labels."""
    types = resolved.documents.types
    known = [f"{name}#{each}" for name, document in types.items() for each in document.labels]
    for use in resolved.uses:
        for expression in use.expressions:
            for node in expression.nodes_of(tree.Apply):
                if node.function.name == "label" and len(node.positional) > 1:
                    named = node.positional[1]
                    if isinstance(named, tree.Constant) and named.value not in known and resolved.is_whole:
                        hint = did_you_mean(str(named.value), known)
                        span = use.part(named.start, named.end)
                        yield finding("type/unknown-labels", span, hint=hint, type=named.value)


def check_chosen_tools(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield texts of a closed list of tools that its value never is. Errors: type/never-equal."""
    for visit in resolved.visits:
        if not isinstance(visit.step, CallStep) or visit.step.tool.by is None:
            continue
        words = shape_of_words(visit.step.tool.by.expression.tree, visit.scope)
        for text, _, _ in visit.step.tool.among if words is not None else ():
            if words is not None and text not in words:
                among = resolved.loaded.places.value(visit.step.tool.span, "among")
                span = resolved.loaded.places.key(among, text)
                yield finding("type/never-equal", span, hint=did_you_mean(text, map(str, words)), value=text)
