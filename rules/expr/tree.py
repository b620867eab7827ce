"""The nodes of an expression and of a text: what is allowed at all, each with its range of characters.

This list is the sandbox: what has no node here cannot be written. `start` and `end` count characters of the text that
was parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from rules.expr.signatures import Function
from rules.records import NamedTuple
from rules.values import Value


class Constant(NamedTuple):
    value: Value
    start: int
    end: int


class Name(NamedTuple):
    name: str
    start: int
    end: int


class Field(NamedTuple):
    """`base.name`, or with brackets `base['name']`, which also finds an entry of a list by its declared key."""

    base: Node
    name: str
    start: int
    end: int
    brackets: bool = False


class Item(NamedTuple):
    """`base[key]` with a computed key: a place in a list, or an entry of a mapping."""

    base: Node
    key: Node
    start: int
    end: int


class ListOf(NamedTuple):
    items: tuple[Node, ...]
    start: int
    end: int


class MappingOf(NamedTuple):
    entries: tuple[tuple[str, Node], ...]
    start: int
    end: int


class Negative(NamedTuple):
    value: Node
    start: int
    end: int


class Arithmetic(NamedTuple):
    operator: Literal["+", "-", "*", "//", "%"]
    left: Node
    right: Node
    start: int
    end: int


class Join(NamedTuple):
    """`a ~ b ~ c`."""

    parts: tuple[Node, ...]
    start: int
    end: int


class Comparison(NamedTuple):
    """`first < second <= third`; all but the orderings have exactly one step."""

    first: Node
    steps: tuple[tuple[str, Node], ...]
    start: int
    end: int


class Logic(NamedTuple):
    operator: Literal["and", "or"]
    parts: tuple[Node, ...]
    start: int
    end: int


class Not(NamedTuple):
    value: Node
    start: int
    end: int


class Choice(NamedTuple):
    """`then if when else otherwise`."""

    when: Node
    then: Node
    otherwise: Node
    start: int
    end: int


class Apply(NamedTuple):
    """A filter, a test or a function. `subject` is None for a function; `fields` are free keyword arguments."""

    function: Function
    subject: Node | None
    positional: tuple[Node, ...]
    keywords: tuple[tuple[str, Node], ...]
    start: int
    end: int


Node: TypeAlias = (
    Constant
    | Name
    | Field
    | Item
    | ListOf
    | MappingOf
    | Negative
    | Arithmetic
    | Join
    | Comparison
    | Logic
    | Not
    | Choice
    | Apply
)


class Words(NamedTuple):
    """Literal characters of a text."""

    text: str


class Hole(NamedTuple):
    node: Node


class If(NamedTuple):
    """`branches` are tried in order; `otherwise` is what stands after `else`."""

    branches: tuple[tuple[Node, tuple[Part, ...]], ...]
    otherwise: tuple[Part, ...]


class For(NamedTuple):
    name: str
    start: int
    end: int
    rows: Node
    body: tuple[Part, ...]


Part: TypeAlias = Words | Hole | If | For


def children(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly inside a node, in the order in which they are written."""
    return _BELOW[type(node)](node)


def _below_apply(node: Apply) -> tuple[Node, ...]:
    first = (node.subject,) if node.subject is not None else ()
    return (*first, *node.positional, *(value for _, value in node.keywords))


def _no_nodes(node: Name | Constant) -> tuple[Node, ...]:
    return ()


_BELOW: Mapping[type, Callable[[Any], tuple[Node, ...]]] = {
    Name: _no_nodes,
    Constant: _no_nodes,
    Field: lambda node: (node.base,),
    Apply: _below_apply,
    Item: lambda node: (node.base, node.key),
    ListOf: lambda node: node.items,
    MappingOf: lambda node: tuple(value for _, value in node.entries),
    Negative: lambda node: (node.value,),
    Not: lambda node: (node.value,),
    Arithmetic: lambda node: (node.left, node.right),
    Join: lambda node: node.parts,
    Logic: lambda node: node.parts,
    Comparison: lambda node: (node.first, *(operand for _, operand in node.steps)),
    Choice: lambda node: (node.then, node.when, node.otherwise),
}


def walk(node: Node) -> Sequence[Node]:
    """Return a node and everything inside it, outside first."""
    found: list[Node] = []
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        found.append(inner)
        below = _BELOW[type(inner)](inner)
        if below:
            waiting.extend(reversed(below))
    return found


def path_text(node: Node) -> str:
    """Return `name` or `name.field.field` for a node that is such a path, '' for any other."""
    match node:
        case Name(name=name):
            return name
        case Field(base=base, name=name):
            inner = path_text(base)
            return f"{inner}.{name}" if inner else ""
    return ""
