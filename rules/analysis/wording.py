"""Regions, examples and answers in words, in both languages, and as the YAML that somebody would paste.

A region is said in the forms of cells: what the words say can be typed into a row. Titles of columns stand for their
names where the document gives them; in YAML the names stand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from rules.analysis.asking import answers_of, both_cells, cells_for, is_plain, literal
from rules.analysis.classes import Piece, value_of_key
from rules.analysis.comparing import ORDER_WORDS, hull_around, span_of
from rules.analysis.grid import Box, Dimension, Grid, bits
from rules.cells import Cell
from rules.columns import Column, Key, Kind
from rules.reading import shown
from rules.records import NamedTuple
from rules.said import Said, facts_words, joined, listed, name_of, pair, value_words
from rules.values import ABSENT, Value

# --- examples ---------------------------------------------------------------------------------------------------------


def example_in(grid: Grid, box: Box) -> dict[str, Piece]:
    """Return one natural class for each column, out of a box; absent ones included."""
    found: dict[str, Piece] = {}
    for dimension, classes in zip(grid.dimensions, box, strict=True):
        member = dimension.members[_example(dimension, dimension.members_of(classes))]
        for place, piece in zip(dimension.columns, member, strict=True):
            found[grid.columns[place].name] = piece
    return found


def _example(dimension: Dimension, members: int) -> int:
    return max(bits(members), key=lambda each: (*_natural(dimension, each), -each))


def facts_of(example: Mapping[str, Piece]) -> dict[str, Value]:
    """Return an example as facts: what is absent is not there."""
    return {name: piece.value for name, piece in example.items() if piece.value is not ABSENT}


def example_words(grid: Grid, box: Box, facts: Mapping[str, Value], *, always: Iterable[str] = ()) -> Said:
    """Return the facts that matter for a box, as `score 79.5, authority false`; all of them where none does."""
    kept = set(always)
    for dimension, classes in zip(grid.dimensions, box, strict=True):
        if classes != dimension.whole:
            kept.update(grid.columns[place].name for place in dimension.columns)
    columns = [column for column in grid.columns if column.name in kept] or list(grid.columns)
    return facts_words(columns, facts)


def _natural(dimension: Dimension, member: int) -> tuple[int, float]:
    """Rank a member: a bounded interval reads best, the widest first; then values, other texts, and nothing last."""
    kinds = {"between": 3, "value": 3, "other": 2, "null": 1, "absent": 0}
    pieces = dimension.members[member]
    width = 0.0
    for piece in pieces:
        if piece.form == "between":
            width += 1.0 if piece.low is None or piece.high is None else 1.0 + _width(piece)
    return min(kinds[piece.form] for piece in pieces), width


def _width(piece: Piece) -> float:
    try:
        distance: Any = piece.high - piece.low  # type: ignore[operator]
        return float(distance.total_seconds() if hasattr(distance, "total_seconds") else distance)
    except TypeError:  # times of day have no difference
        return 1.0


# --- regions ----------------------------------------------------------------------------------------------------------


class Asked(NamedTuple):
    """One column of a region: `cell` is what a row would write, `words` the same for people."""

    column: Column
    cell: Any
    words: Said


def region_of(grid: Grid, box: Box) -> list[Asked]:
    """Return what a box asks of each column that it restricts."""
    found: list[Asked] = []
    for dimension, classes in zip(grid.dimensions, box, strict=True):
        if classes != dimension.whole:
            found.extend(_asked(grid, dimension, dimension.members_of(classes)))
    return found


def region_words(region: Sequence[Asked]) -> Said:
    """Return a region as a sentence part: `score above 79 to under 80 and conflict false`."""
    if not region:
        return Said("所有情况", "every case")
    parts = [pair(name_of(asked.column), asked.words) for asked in region]
    return joined(parts, " 且 ", " and ")


def row_text(region: Sequence[Asked], then: Mapping[str, Value] | None) -> str:
    """Return a row that takes a region, as YAML in one line."""
    return "- " + flow({"when": cells_of(region) or "any", "then": dict(then or {})})


def cells_of(region: Sequence[Asked]) -> dict[str, Any]:
    """Return a region as the cells of a row; a column of which two things are asked has one cell for both."""
    when: dict[str, Any] = {}
    for asked in region:
        name, cell = asked.column.name, asked.cell
        when[name] = both_cells(when[name], cell) if name in when else cell
    return when


def _asked(grid: Grid, dimension: Dimension, members: int) -> list[Asked]:
    if len(dimension.columns) > 1:
        return _group_asked(grid, dimension, members)
    chosen = [dimension.members[member][0] for member in bits(members)]
    return [_column_asked(grid, dimension.columns[0], [member[0] for member in dimension.members], chosen)]


def _group_asked(grid: Grid, dimension: Dimension, members: int) -> list[Asked]:
    """Return what some tuples have in common: what each column may be, and how they stand to one another."""
    chosen = [dimension.members[member] for member in bits(members)]
    hull = hull_around(dimension, grid.tests, chosen, dimension.members[_example(dimension, members)])
    ordered = {place for places in hull.orders for place in places}
    found: list[Asked] = []
    for place, index in enumerate(dimension.columns):
        everything = _distinct(member[place] for member in dimension.members)
        possible = [piece for piece in everything if piece.is_given or place not in ordered]
        mine = [piece for piece in possible if span_of(piece) in hull.spans[place]]
        if len(mine) < len(possible):
            found.append(_column_asked(grid, index, everything, mine))
    for places, orders in hull.orders.items():
        column, other = (grid.columns[dimension.columns[place]] for place in places)
        words, name = ORDER_WORDS[orders], name_of(other)
        found.append(Asked(column, f"{words.en} {other.name}", Said(f"{words.zh} {name.zh}", f"{words.en} {name.en}")))
    return found


def _distinct(pieces: Iterable[Piece]) -> list[Piece]:
    found: dict[int, Piece] = {}
    for piece in pieces:
        found.setdefault(id(piece), piece)
    return list(found.values())


def _column_asked(grid: Grid, index: int, everything: Sequence[Piece], chosen: Sequence[Piece]) -> Asked:
    column = grid.columns[index]
    given = [piece for piece in everything if piece.is_given]
    mine = [piece for piece in chosen if piece.is_given]
    nothing = [piece for piece in chosen if not piece.is_given]
    parts: list[tuple[Any, Said]] = []
    if given and len(mine) == len(given):
        forms = {piece.form for piece in everything}
        parts.append(("not null" if "null" in forms else "not absent", Said("有值", "given")))
    elif mine:
        in_words = _in_questions(grid, index, given, mine)
        parts += in_words or (_runs(column, given, mine) if _is_ordered(given) else _values(given, mine))
    parts += [_nothing(piece) for piece in nothing]
    cell = parts[0][0] if len(parts) == 1 else [part for part, _ in parts]
    return Asked(column, cell, listed([words for _, words in parts], last_zh="或", last_en=" or "))


def _in_questions(
    grid: Grid, index: int, given: Sequence[Piece], mine: Sequence[Piece]
) -> list[tuple[Any, Said]] | None:
    """Return some classes of texts or lists in the questions of their column, None where that cannot be or need not."""
    column = grid.columns[index]
    if column.kind not in ("string", "array") or column.enum:
        return None
    cells = [test[index] for test in grid.tests]
    answers = answers_of([cell for cell in cells if isinstance(cell, Cell)], column.name, given)
    return cells_for(answers, sum(1 << _place(given, piece) for piece in mine))


def _nothing(piece: Piece) -> tuple[Any, Said]:
    return (None, Said("空值", "null")) if piece.form == "null" else ("absent", Said("缺失", "absent"))


def _is_ordered(pieces: Sequence[Piece]) -> bool:
    return any(piece.form == "between" for piece in pieces)


def _values(given: Sequence[Piece], mine: Sequence[Piece]) -> list[tuple[Any, Said]]:
    others = [piece for piece in given if not any(piece is each for each in mine)]
    if any(piece.form == "other" for piece in mine):
        denied = [literal(piece.value) for piece in others if piece.form == "value"]
        words = listed([value_words(piece.value) for piece in others], last_zh="或", last_en=" or ")
        return [({"not": denied if len(denied) > 1 else denied[0]}, Said(f"不是 {words.zh}", f"not {words.en}"))]
    return [(literal(piece.value), value_words(piece.value)) for piece in mine]


def _runs(column: Column, given: Sequence[Piece], mine: Sequence[Piece]) -> list[tuple[Any, Said]]:
    """Return one form for each run of neighbours."""
    places = sorted(_place(given, piece) for piece in mine)
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return [_run(column.kind, given, first, last) for first, last in runs]


def _place(pieces: Sequence[Piece], wanted: Piece) -> int:
    return next(place for place, piece in enumerate(pieces) if piece is wanted)


def _run(kind: Kind, given: Sequence[Piece], first: int, last: int) -> tuple[Any, Said]:
    low, above = _end(kind, given[first], lower=True)
    high, under = _end(kind, given[last], lower=False)
    begins, ends = first == 0, last == len(given) - 1
    if low is not None and high is not None and low == high and not (above or under):
        value = _value_at(kind, given[first], low)
        return value, value_words(value)
    low_text = None if begins or low is None else shown(_value_at(kind, given[first], low))
    high_text = None if ends or high is None else shown(_value_at(kind, given[last], high))
    said = range_words(low_text, above, high_text, under)
    return said.en, said


def _value_at(kind: Kind, piece: Piece, key: Key) -> Value:
    return piece.value if piece.form == "value" and piece.key == key else value_of_key(kind, key)


def _end(kind: Kind, piece: Piece, *, lower: bool) -> tuple[Key | None, bool]:
    """Return where a run ends and whether the end itself is left out; whole numbers end at the last one inside."""
    if piece.form == "value":
        return piece.key, False
    end = piece.low if lower else piece.high
    if end is None or kind != "integer":
        return end, end is not None
    whole = int(end // 1)
    if lower:
        return whole + 1, False
    return (whole - 1 if whole == end else whole), False


def range_words(low: str | None, above: bool, high: str | None, under: bool) -> Said:
    """Return a range as a cell in both languages; an end that is None is open."""
    if low is None and high is None:
        return Said("有值", "given")
    if high is None:
        return Said(f"{'高于' if above else '至少'} {low}", f"{'above' if above else 'at least'} {low}")
    if low is None:
        return Said(f"{'低于' if under else '至多'} {high}", f"{'under' if under else 'at most'} {high}")
    zh, en = ("到不足", "to under") if under else ("到", "to")
    first_zh, first_en = (f"高于 {low}", f"above {low}") if above else (low, low)
    return Said(f"{first_zh} {zh} {high}", f"{first_en} {en} {high}")


# --- YAML -------------------------------------------------------------------------------------------------------------


def flow(value: Any) -> str:
    """Return a value as YAML in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)}: {flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, str):
        plain = is_plain(value) and value.lower() not in _YAML_WORDS
        return value if plain else json.dumps(value, ensure_ascii=False)
    if value is True or value is False:
        return "true" if value else "false"
    return format(value, "f") if isinstance(value, Decimal) else shown(value)


def _key(key: object) -> str:
    """Return a key; what YAML would take for true or false elsewhere is a name here."""
    return key if isinstance(key, str) and is_plain(key) else flow(key)


_YAML_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))
