"""Names that stand where a text does, and texts that stand where a name does: quotes or braces were forgotten."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Words, nearest
from interpreter.resolve import Use
from interpreter.static.inference import field_of, kinds_of_node, shape_of_node
from interpreter.static.scopes import Scope
from interpreter.static.values import Missing
from rules.expr import tree
from rules.expr.mistakes import CONSTANTS

_LOCAL = frozenset({"local", "loop", "row", "page"})
_TRUE, _FALSE = frozenset({"yes", "on", "y", "True", "TRUE"}), frozenset({"no", "off", "n", "False", "FALSE"})


def text_meant(use: Use, start: int, end: int) -> Words | None:
    """Return what to write where the name between two places was meant as a text; None where it was not."""
    for expression, scope, _ in use.seen:
        for node, others in _beside(expression.tree):
            if isinstance(node, tree.Name) and (node.start, node.end) == (start, end):
                return _hint(node.name, others, scope)
    return None


def _hint(name: str, others: tuple[tree.Node, ...], scope: Scope) -> Words | None:
    kinds = [known for other in others if (known := kinds_of_node(other, scope)) is not None]
    if any("boolean" in one for one in kinds) and name in _TRUE | _FALSE:
        word = "true" if name in _TRUE else "false"
        return Words(f"写 {word}", f"write {word}")
    if kinds and not any("text" in one for one in kinds):
        return None
    near = CONSTANTS.get(name) or nearest(name, scope)
    zh, en = f"文本要加引号：'{name}'", f"a text stands in quotes: '{name}'"
    return Words(zh, en) if near is None else Words(f"{zh}；或者是想写 {near}？", f"{en}; or did you mean {near}?")


def _beside(node: tree.Node) -> Iterator[tuple[tree.Node, tuple[tree.Node, ...]]]:
    """Yield what is compared, or handed to a function by name or as its only argument, with what it is compared to."""
    for inner in tree.walk(node):
        if isinstance(inner, tree.Comparison):
            left = inner.first
            for operator, right in inner.steps:
                if operator in ("==", "!="):
                    yield left, (right,)
                    yield right, (left,)
                elif operator in ("in", "not in") and isinstance(right, tree.ListOf):
                    yield from ((item, (left,)) for item in right.items)
                left = right
        elif isinstance(inner, tree.Apply):
            yield from ((value, ()) for _, value in inner.keywords)
            yield from ((value, ()) for value in inner.positional if inner.function.name in _TAKE_NAMES)


#: Functions whose first argument is the name of a field, or a text between others.
_TAKE_NAMES = frozenset({"pluck", "join", "sort", "unique", "index_by", "max", "min", "sum", "without", "contains"})


def as_value(way: object) -> Words:
    """Return how a name, or the way to a field, is written where its value is meant."""
    written = f'"{{{{ {way} }}}}"'
    return Words(f"要用它的值就写 {written}", f"write {written} for its value")


def leads_somewhere(text: str, scope: Scope) -> bool:
    """Say whether a text is a name in scope, or a name with fields that it has; a local name may have any."""
    name, *fields = text.split(".")
    binding = scope.get(name)
    if binding is None or not all(one.isidentifier() for one in fields):
        return False
    node: tree.Node = tree.Name(name, 0, 0)
    for one in fields:
        if isinstance(field_of(shape_of_node(node, scope), one), Missing):
            return False
        node = tree.Field(node, one, 0, 0)
    return not fields or shape_of_node(node, scope) is not None or binding.kind in _LOCAL
