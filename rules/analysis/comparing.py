"""What a region asks of columns that are compared with one another: what each may be, and how they stand to each other.

One row can ask that much and no more. A region that is not of that form (the first above the second, or the second at
least 7) is told as far as it is, around its example; whoever closes that is told the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rules.analysis.classes import Piece, plain_parts
from rules.analysis.grid import Dimension, Test
from rules.cells import ORDER_OPERATORS, Cell, FactReference
from rules.records import NamedTuple
from rules.said import Said

Member = tuple[Piece, ...]
Pair = tuple[int, int]
"""Two places of a dimension."""
Span = object
"""What all representatives of one interval have in common."""

ORDER_WORDS: Mapping[frozenset[int], Said] = {
    frozenset({-1}): Said("低于", "under"),
    frozenset({0}): Said("等同", "same as"),
    frozenset({1}): Said("高于", "above"),
    frozenset({-1, 0}): Said("至多", "at most"),
    frozenset({0, 1}): Said("至少", "at least"),
    frozenset({-1, 1}): Said("不等同", "not same as"),
}


class Hull(NamedTuple):
    """The least that one row can ask for so that it holds for some members.

    Shapes: `spans` are those of each column, `orders` how two of them stand to one another, where that can be said and
    the spans do not say it.
    """

    spans: tuple[frozenset[Span], ...]
    orders: dict[Pair, frozenset[int]]

    def holds(self, member: Member) -> bool:
        return _is_within(member, self.spans) and all(
            _order(member, pair) in orders for pair, orders in self.orders.items()
        )


def hull_around(dimension: Dimension, tests: Sequence[Test], chosen: Sequence[Member], example: Member) -> Hull:
    """Return a hull that holds for chosen members only: for all of them, or for those that are most like an example."""
    pairs = list(dict.fromkeys(_compared(dimension, tests)))
    is_chosen = {id(member) for member in chosen}
    left = list(chosen)
    for place in range(-1, len(dimension.columns)):
        hull = _hull(left, pairs, dimension)
        if all(id(member) in is_chosen for member in dimension.members if hull.holds(member)):
            break
        if place < 0:
            left = [member for member in left if _standing(member, pairs) == _standing(example, pairs)]
        else:
            left = [member for member in left if span_of(member[place]) == span_of(example[place])]
    return hull


def span_of(piece: Piece) -> Span:
    return (piece.form, piece.low, piece.high) if piece.form in ("between", "other") else id(piece)


def _hull(members: Sequence[Member], pairs: Sequence[Pair], dimension: Dimension) -> Hull:
    spans = tuple(frozenset(map(span_of, column)) for column in zip(*members, strict=True))
    within = [member for member in dimension.members if _is_within(member, spans)]
    orders: dict[Pair, frozenset[int]] = {}
    for pair in pairs:
        found = frozenset(_order(member, pair) for member in members)
        if found in ORDER_WORDS and any(_order(member, pair) not in found for member in within):
            orders[pair] = found
    return Hull(spans, orders)


def _is_within(member: Member, spans: Sequence[frozenset[Span]]) -> bool:
    return all(span_of(piece) in allowed for piece, allowed in zip(member, spans, strict=True))


def _standing(member: Member, pairs: Sequence[Pair]) -> object:
    return [piece.form if not piece.is_given else "" for piece in member], [_order(member, pair) for pair in pairs]


def _order(member: Member, pair: Pair) -> int:
    first, second = (member[place].key for place in pair)
    try:
        return int(first > second) - int(first < second)
    except TypeError:
        return 0 if first == second else 2


def _compared(dimension: Dimension, tests: Sequence[Test]) -> Iterator[Pair]:
    """Yield the places that some cell compares, the lower one of each two first."""
    for test in tests:
        for place, index in enumerate(dimension.columns):
            cell = test[index]
            for part in plain_parts(cell) if isinstance(cell, Cell) else ():
                if isinstance(part.limit, FactReference) and part.operator in (*ORDER_OPERATORS, "equals"):
                    other = dimension.columns.index(part.limit.column)
                    if other != place:
                        yield min(place, other), max(place, other)
