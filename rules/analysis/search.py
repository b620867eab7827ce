"""Facts that break a property, where the classes are too many to go through: drawn and shrunk by Hypothesis.

The only module of `rules` that knows Hypothesis, which is there for development alone; without it nothing is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rules.analysis.classes import Piece, pieces_of
from rules.cells import Cell
from rules.columns import Column
from rules.values import ABSENT, Value

MOST_EXAMPLES = 3_000


class Unsearchable(Exception):
    """Nothing that could search is installed."""


def find_facts(
    columns: Sequence[Column],
    cells: Sequence[Sequence[Cell]],
    more: Mapping[str, Sequence[Value]],
    violates: Callable[[Mapping[str, Value]], bool],
) -> dict[str, Value] | None:
    """Return the simplest facts for which something holds that was found, None where none was.

    Shapes: `cells` are those of each column; facts are drawn from the classes that they make, and from `more`.
    Errors: Unsearchable.
    """
    try:
        from hypothesis import HealthCheck, find, settings
        from hypothesis import strategies as st
        from hypothesis.errors import NoSuchExample
    except ImportError:
        raise Unsearchable from None

    drawn: dict[str, Any] = {}
    for column, asked in zip(columns, cells, strict=True):
        pieces = pieces_of(column, asked, spare=3).pieces
        values = [piece.value for piece in sorted(pieces, key=_plainness)]
        drawn[column.name] = st.sampled_from([*more.get(column.name, ()), *values])
    how = settings(max_examples=MOST_EXAMPLES, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    try:
        found = find(st.fixed_dictionaries(drawn), lambda facts: violates(_given(facts)), settings=how)
    except NoSuchExample:
        return None
    return _given(found)


def _given(facts: Mapping[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in facts.items() if value is not ABSENT}


def _plainness(piece: Piece) -> int:
    """Shrinking goes towards what stands first: a value somebody wrote."""
    return ("value", "between", "other", "null", "absent").index(piece.form)
