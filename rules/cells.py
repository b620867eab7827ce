"""Cells: what one row asks of one column; `cell_matches` says what they mean.

Null and absent match `any`, `null` and `absent` and nothing else: every other cell, negations included, asks for a
value first. How people write cells is said where they are read, in `written_cells`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal

from rules.columns import Key, Kind, value_kind
from rules.reading import shown
from rules.records import field, record
from rules.values import ABSENT, Value, cannot, same

Operator = Literal[
    "any",
    "absent",
    "null",
    "equals",
    "at_least",
    "above",
    "at_most",
    "under",
    "between",
    "one_of",
    "not",
    "contains",
    "starts_with",
]


#: A key of a number is one of these.
NUMBER_TYPES = (int, Decimal)
ORDER_OPERATORS = frozenset({"at_least", "above", "at_most", "under"})


@record
class Constant:
    """A limit that the document writes out.

    Shapes: `kind` is that of the value as written, so that `true` and 1 are two limits; `threshold` names where the
    limit came from, None for a literal.
    """

    key: Key
    kind: str
    value: Value = field(compare=False)
    threshold: str | None = field(default=None, compare=False)


@record
class FactReference:
    """Another fact of the same decision; `column` is its place among the inputs."""

    name: str
    column: int


@record
class OutsideReference:
    """A threshold of another document, read as a value of this kind; `slot` is its place among the outside values."""

    name: str
    kind: Kind
    slot: int


Limit = Constant | FactReference | OutsideReference


@record
class Cell:
    """One cell.

    Shapes: `limit` is set for comparisons; `parts` are the lower and the upper side of `between`, the cells of
    `one_of`, the one cell that `not` denies; `text` is what the document says, and does not count in comparisons.
    """

    operator: Operator
    limit: Limit | None = None
    parts: tuple[Cell, ...] = ()
    text: str = field(default="any", compare=False)


ANY = Cell("any")


def cell_matches(cell: Cell, name: str, fact: Key, keys: Sequence[Key], outside: Sequence[Key]) -> bool:
    """Tell whether a fact matches; the plain evaluator that compiled tables must agree with.

    Shapes: `name` is the fact's own; `fact` and `keys` as `Column.take` gives them, `outside` one key for each slot
            of the table.
    Errors: CannotEvaluate `absent-name` or `null-limit` where the other fact of a comparison is not there,
            `different-kinds` where an untyped fact is compared by order with something else.
    """
    match cell.operator:
        case "any":
            return True
        case "null":
            return fact is None
        case "absent":
            return fact is ABSENT
        case "one_of":
            return any(cell_matches(part, name, fact, keys, outside) for part in cell.parts)
    if fact is None or fact is ABSENT:
        return False
    match cell.operator:
        case "not":
            return not cell_matches(cell.parts[0], name, fact, keys, outside)
        case "between":
            return all(cell_matches(part, name, fact, keys, outside) for part in cell.parts)
    assert cell.limit is not None
    limit = limit_key(cell.limit, keys, outside)
    if cell.operator in ORDER_OPERATORS and not have_order(fact, limit):
        raise cannot("different-kinds", name=name, expected=value_word(limit), value=shown(fact))
    return compare(cell.operator, fact, limit)


def limit_key(limit: Limit, keys: Sequence[Key], outside: Sequence[Key]) -> Key:
    """Return what a fact is compared with."""
    if isinstance(limit, Constant):
        return limit.key
    if isinstance(limit, OutsideReference):
        return outside[limit.slot]
    return needed(keys[limit.column], limit.name)


def needed(key: Key, name: str) -> Key:
    """Return a key that stands as a limit. Errors: CannotEvaluate when it is absent or null."""
    if key is ABSENT:
        raise cannot("absent-name", name=name)
    if key is None:
        raise cannot("null-limit", name=name)
    return key


def compare(operator: Operator, fact: Key, limit: Key) -> bool:
    """Compare two keys; keys of different kinds are never equal."""
    match operator:
        case "equals":
            return same(fact, limit)
        case "contains":
            return _contains(fact, limit)
        case "starts_with":
            return isinstance(fact, str) and fact.startswith(limit)
        case "at_least":
            return bool(fact >= limit)
        case "above":
            return bool(fact > limit)
        case "at_most":
            return bool(fact <= limit)
    return bool(fact < limit)


def have_order(fact: Key, limit: Key) -> bool:
    """Tell whether one of two keys can be above the other; only untyped facts can bring keys that have no order."""
    if type(fact) in NUMBER_TYPES or type(limit) in NUMBER_TYPES:
        return type(fact) in NUMBER_TYPES and type(limit) in NUMBER_TYPES
    return type(fact) is type(limit) and not isinstance(fact, bool | list | dict)


def value_word(key: Key) -> str:
    """Return the type word of a key, for the facts of a failure."""
    if isinstance(key, datetime):
        return "date-time"
    return type(key).__name__ if isinstance(key, date | time) else value_kind(key)


def _contains(fact: Key, limit: Key) -> bool:
    if isinstance(fact, list):
        return any(same(item, limit) for item in fact)
    return isinstance(fact, str) and isinstance(limit, str) and limit in fact


def asks_for(cell: Cell, nothing: Key) -> bool:
    """Tell whether a cell asks for null, or for absent, itself or as one of its list."""
    if cell.operator == "one_of":
        return any(asks_for(part, nothing) for part in cell.parts)
    return cell.operator == ("null" if nothing is None else "absent")


def references_of(cells: Iterable[Cell]) -> Iterator[int]:
    """Yield the places of the columns that cells compare others with."""
    for cell in cells:
        if isinstance(cell.limit, FactReference):
            yield cell.limit.column
        yield from references_of(cell.parts)
