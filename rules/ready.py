"""What evaluating and rendering need, without trees, functions and the parser.

`Ready` stands for an expression that was compiled by an earlier process; a template's parts are rendered here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from rules.failures import located
from rules.records import NamedTuple
from rules.values import ABSENT, MAX_TEXT, CannotEvaluate, Value, canonical_text, kind_facts, kind_of

Evaluator = Callable[[Mapping[str, Value]], Value]
EVALUATION_ERRORS = (KeyError, TypeError, CannotEvaluate, RecursionError)
"""What a compiled expression raises where it has no value."""


class Range(NamedTuple):
    start: int
    end: int


class Ready:
    """Stands for an `Expression` where it is evaluated. Shapes: `tree` is no more than its range of characters."""

    __slots__ = ("run", "text", "tree")

    def __init__(self, text: str, start: int, end: int, run: Evaluator) -> None:
        self.text = text
        self.tree = Range(start, end)
        self.run = run

    def compiled(self) -> Evaluator:
        return self.run

    def evaluate(self, names: Mapping[str, Value]) -> Value:
        """Return the value for these names; the same as `Expression.evaluate`."""
        try:
            return self.run(names)
        except EVALUATION_ERRORS as error:
            failure = self.failed(error)
        raise failure

    def failed(self, error: Exception) -> CannotEvaluate:
        return located(error, self.text)


# --- texts with holes -------------------------------------------------------------------------------------------------


class Evaluable(Protocol):
    """An expression, read just now or compiled before."""

    run: Callable[[Any], Any]

    @property
    def tree(self) -> Any: ...

    def evaluate(self, names: Mapping[str, Value]) -> Value: ...


class If(NamedTuple):
    branches: tuple[tuple[Any, tuple[Part, ...]], ...]
    otherwise: tuple[Part, ...]


class For(NamedTuple):
    name: Any
    rows: Any
    body: tuple[Part, ...]


Part = Any
"""Words (str), an expression, If or For."""


def rendered(parts: Sequence[Part], names: Mapping[str, Value]) -> str:
    """Return the text with every hole filled.

    Errors: CannotEvaluate, also for null, an absent value, and more characters than a text may have.
    """
    pieces: list[str] = []
    _render(parts, names, _Out(pieces))
    return "".join(pieces)


def condition(expression: Evaluable, names: Mapping[str, Value]) -> bool:
    """Return whether a condition holds.

    Errors: CannotEvaluate, also (`not-boolean`) for a value that is neither true nor false.
    """
    value = expression.evaluate(names)
    if value is True or value is False:
        return bool(value)
    node = expression.tree
    if value is ABSENT:
        raise CannotEvaluate("absent-value", {}, node.start, node.end)
    raise CannotEvaluate("not-boolean", kind_facts(found=kind_of(value)), node.start, node.end)


class _Out:
    """The pieces of a text in the making, and how many characters they have."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self.length = 0

    def add(self, piece: str) -> None:
        self.length += len(piece)
        if self.length > MAX_TEXT:
            raise CannotEvaluate("too-large", {"at_most": MAX_TEXT})
        self.pieces.append(piece)


def _render(parts: Sequence[Part], names: Mapping[str, Value], out: _Out) -> None:
    for part in parts:
        if isinstance(part, str):
            out.add(part)
        elif isinstance(part, If):
            body = next((body for test, body in part.branches if condition(test, names)), part.otherwise)
            _render(body, names, out)
        elif isinstance(part, For):
            for row in _rows(part, names):
                _render(part.body, {**names, part.name.name: row}, out)
        else:
            out.add(_text_of(part, names))


def _text_of(expression: Evaluable, names: Mapping[str, Value]) -> str:
    value = expression.evaluate(names)
    if type(value) is str:
        return value
    node = expression.tree
    try:
        return canonical_text(value)
    except CannotEvaluate as error:
        raise error.at(node.start, node.end) from None
    except RecursionError:
        raise CannotEvaluate("too-deep-a-value", {}, node.start, node.end) from None


def _rows(part: For, names: Mapping[str, Value]) -> list[Value]:
    rows = part.rows.evaluate(names)
    if isinstance(rows, list):
        return rows
    node = part.rows.tree
    kind = "absent" if rows is ABSENT else kind_of(rows)
    raise CannotEvaluate("not-a-list", kind_facts(found=kind), node.start, node.end)
