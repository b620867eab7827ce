"""Names and what they stand for at one place of a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from interpreter.source import Span
from interpreter.static.values import Shape
from rules.expr import tree
from rules.records import record

BindingKind = Literal[
    "input",
    "data",
    "rules",
    "question",
    "taken",
    "local",
    "answer",
    "outcome",
    "loop",
    "index",
    "counter",
    "page",
    "walk",
    "row",
    "reserved",
]

RESERVED = frozenset({"run", "error", "budgets", "end"})


@record(eq=False)
class Binding:
    """One declared name.

    Shapes: `shape` is None where nothing is known of the value; `fades` marks a name that may be given again in the
    same list of steps; `over_data` marks the loop name of a list that stands in data, so that its fields may be set;
    `only_when` is the condition, as written, without which the name holds nothing: '' for a name that always does.
    """

    name: str
    kind: BindingKind
    span: Span | None
    shape: Shape | None = None
    fades: bool = False
    over_data: bool = False
    only_when: str = ""


class Scope:
    """What is visible at one place. Never changed: a longer scope is a new one."""

    __slots__ = ("names", "shapes")

    def __init__(self, names: Mapping[str, Binding] | None = None) -> None:
        self.names: Mapping[str, Binding] = names if names is not None else {}
        self.shapes: dict[int, tuple[tree.Node, Shape | None]] = {}
        """What was found out of nodes that stand here, by their id; the node is kept so that its id stays its own."""

    def get(self, name: str) -> Binding | None:
        return self.names.get(name)

    def extended(self, *bindings: Binding) -> Scope:
        """Return the scope with more names; a later one hides an earlier one of the same name."""
        return Scope({**self.names, **{binding.name: binding for binding in bindings if binding.name}})

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)
