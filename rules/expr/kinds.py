"""What kinds of values an expression can have, as far as it tells before it runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

from rules.expr import tree
from rules.values import ABSENT, kind_of

VALUE_KINDS: Final = {
    "text": "text", "whole": "number", "number": "number", "boolean": "boolean", "list": "list",
    "mapping": "mapping", "records": "list", "texts": "list", "numbers": "list",
}  # fmt: skip
"""Words of a signature as kinds of values; `any` has none."""

LIST: Final = frozenset({"list"})
_NUMBER: Final = frozenset({"number"})
_BOOLEAN: Final = frozenset({"boolean"})
_ALWAYS: Final[dict[type, frozenset[str]]] = {
    tree.ListOf: LIST,
    tree.MappingOf: frozenset({"mapping"}),
    tree.Negative: _NUMBER,
    tree.Join: frozenset({"text"}),
    tree.Comparison: _BOOLEAN,
    tree.Logic: _BOOLEAN,
    tree.Not: _BOOLEAN,
}
"""What the value of a node is, whatever stands in it."""

Known: TypeAlias = Callable[[tree.Node], frozenset[str] | None]
"""What somebody who knows declarations says of the kinds that a node can have; None for nothing."""


def nothing_known(node: tree.Node) -> None:
    """Say what an expression on its own tells of a name: nothing."""


def kinds_of(node: tree.Node, known: Known = nothing_known) -> frozenset[str] | None:
    """Return the kinds that the value of a node can have, None where that is not known."""
    always = _ALWAYS.get(type(node))
    if always is not None:
        return always
    match node:
        case tree.Constant(value=value):
            return frozenset({"absent" if value is ABSENT else kind_of(value)})
        case tree.Arithmetic(operator=operator, left=left, right=right):
            return _kinds_of_sum(left, right, known) if operator == "+" else _NUMBER
        case tree.Choice(then=then, otherwise=otherwise):
            first, second = kinds_of(then, known), kinds_of(otherwise, known)
            return None if first is None or second is None else first | second
        case tree.Apply(function=function):
            result = _kinds_of_result(function.result)
            return result if result is not None else known(node)
    return known(node)


@cache
def _kinds_of_result(words: tuple[str, ...]) -> frozenset[str] | None:
    kinds = [VALUE_KINDS.get(word) for word in words]
    return None if None in kinds else frozenset(kind for kind in kinds if kind)


def _kinds_of_sum(left: tree.Node, right: tree.Node, known: Known) -> frozenset[str] | None:
    for side in (left, right):
        kinds = kinds_of(side, known)
        if kinds is not None and len(kinds) == 1 and kinds <= {"number", "list"}:
            return kinds
    return None
