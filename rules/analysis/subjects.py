"""What is analysed: anything that decides by tests, seen as tests and what becomes of those that pass.

A table asks one test a row, a scorecard one for each row of a factor, for what a level needs and for each veto. Where
a cell may meet an absent or null limit a further test says that comparing fails there, so that "could not be
evaluated" is a region like any other. A threshold of another document whose value is not known is one more column:
what holds must hold for all its values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from functools import reduce
from operator import and_
from typing import Literal, TypeAlias

from rules.analysis.grid import Ask, Fails, Grid, Point, Test, TooLarge, Within, Work, build_grid
from rules.cells import ANY, ORDER_OPERATORS, Cell, Constant, FactReference, Limit, OutsideReference
from rules.columns import Column, Key, find_key
from rules.facts import Names
from rules.findings import Finding
from rules.reading import Path
from rules.records import record, replace
from rules.said import Said, of_text
from rules.scorecards import Factor, Scorecard
from rules.tables import Table
from rules.thresholds import Threshold
from rules.values import ABSENT, CannotEvaluate, Value, identity, kind_of
from rules.written_cells import Scope, read_cells

OutcomeKind = Literal["answer", "nothing", "overlap", "disagreement", "failure", "impossible"]


@record
class Outcome:
    """What becomes of facts that pass some tests.

    Shapes: `rows` are the numbers of the rows that gave it, from 1; `value` is the answer, or the code of a failure;
    of a scorecard the answer is its level, and `score` the points; `label` is equal for outcomes that people would
    call the same.
    """

    kind: OutcomeKind
    value: Value
    rows: tuple[int, ...]
    label: Hashable
    score: Value = None


Outcomes: TypeAlias = dict[int, Outcome]
"""Outcomes by the mask of the tests that decide."""


def outcome_of(kind: OutcomeKind, value: Value, rows: tuple[int, ...], score: Value = None) -> Outcome:
    return Outcome(kind, value, rows, (kind, identity(value) if value is not ABSENT else None), score)


IMPOSSIBLE = outcome_of("impossible", ABSENT, ())


@record
class Asked:
    """One row of cells as the document has it: how people call it, where it stands, its cells."""

    label: Said
    path: Path
    cells: tuple[Cell, ...]


class Subject:
    """One thing that decides: `asked` are its own rows of cells, each the test of the same number.

    Shapes: `known_columns` of the columns are its inputs, the rest thresholds of other documents; `more` is the number
    of the first test that was added to its own.
    """

    section: str
    name: str
    columns: tuple[Column, ...]
    own_bits: int
    rivals: Sequence[range] = ()
    """Tests of which only the first that passes decides, where it pays to know them before classes are combined."""

    def __init__(self, rule: Table | Scorecard, asked: Sequence[Asked], names: Names | None, work: Work | None) -> None:
        self.name = rule.name
        self.work = work
        self.columns = rule.columns
        self.known_columns = len(rule.columns)
        self.inner = Inner(rule.columns, rule.outside, names or {})
        self.asked = tuple(replace(one, cells=self.inner.cells(one.cells)) for one in asked)
        self.failing: list[tuple[int, int]] = []
        self.impossible_bits = 0
        self.more = 0
        self.known_outcomes: Outcomes = {}
        """By what the tests of the rule itself say, so that they hold whatever else is asked."""
        self._cells: list[tuple[int, Point, Outcome]] | None = None
        self._reachable: dict[int, Point] | None = None
        self.is_too_large = False
        """Whether the masks that occur are known to be more than can be gone through."""

    def reachable(self) -> dict[int, Point]:
        """Return every mask that some cell of the grid has, with that cell; of those that rivals set apart, one.

        Errors: TooLarge.
        """
        if self.is_too_large:
            raise TooLarge
        if self._reachable is None:
            try:
                self._reachable = self.grid.combined(self.told_apart(self.grid))
            except TooLarge:
                self.is_too_large = True
                raise
        return self._reachable

    def outcomes(self) -> list[Outcome]:
        """Return every outcome that may occur, each once. Errors: TooLarge."""
        return list({id(outcome): outcome for _, _, outcome in self.cells()}.values())

    def cells(self) -> list[tuple[int, Point, Outcome]]:
        """Return every mask that may occur, with one cell of the grid and the outcome. Errors: TooLarge."""
        if self._cells is None:
            found = ((mask, point, self.outcome(mask)) for mask, point in self.reachable().items())
            self._cells = [each for each in found if each[2] is not IMPOSSIBLE]
        return self._cells

    def told_apart(self, grid: Grid) -> list[list[tuple[int, int]]]:
        """Return the classes of each dimension as (place, mask), one of those that only rows set apart which come late.

        Where an earlier rival passes whatever the other columns say, whether a later one passes decides nothing.
        """
        passed = [grid.all_tests] * len(grid.dimensions)
        for place, dimension in enumerate(grid.dimensions):
            always = reduce(and_, dimension.masks, grid.all_tests)
            passed = [each if at == place else each & always for at, each in enumerate(passed)]
        found: list[list[tuple[int, int]]] = []
        for dimension, certain in zip(grid.dimensions, passed, strict=True):
            first: dict[int, int] = {}
            for place, mask in enumerate(dimension.masks):
                first.setdefault(self._without_late(mask, certain), place)
            found.append([(place, mask) for mask, place in first.items()])
        return found

    def _without_late(self, mask: int, certain: int) -> int:
        for rows in self.rivals:
            passing = mask & certain & ((1 << rows.stop) - (1 << rows.start))
            if passing:
                earliest = passing & -passing
                mask &= ~((1 << rows.stop) - (earliest << 1))
        return mask

    def _build(self, own: Sequence[Test], more: Sequence[Test]) -> Grid:
        self.more = len(own)
        self.own_bits = (1 << self.more) - 1
        return build_grid(self.inner.columns, [*own, *more], self.work)

    grid: Grid

    def outcome(self, mask: int) -> Outcome:
        """Return what facts that pass some tests are answered."""
        mask = self._decisive(mask & self.own_bits)
        known = self.known_outcomes.get(mask)
        if known is None:
            known = self.known_outcomes[mask] = self._outcome(mask)
        return known

    def _decisive(self, mask: int) -> int:
        """Return a mask with the same outcome, the same one for as many masks as is cheap to tell."""
        return mask

    def _outcome(self, mask: int) -> Outcome:
        raise NotImplementedError

    def path(self, *parts: str | int) -> Path:
        return (self.section, self.name, *parts)


class TableSubject(Subject):
    """A decision table."""

    section = "tables"

    def __init__(
        self,
        table: Table,
        thresholds: Mapping[str, Threshold] | None = None,
        names: Names | None = None,
        more: Sequence[Test] = (),
        work: Work | None = None,
    ) -> None:
        """Shapes: `thresholds` are those of the document, which `impossible` may name; `names` values of other
        documents; `more` further tests to ask beside the rows, their bits follow those of the table.
        Errors: TooLarge where `work` does not suffice.
        """
        self.table = table
        super().__init__(table, [_row_asked(table, place) for place in range(len(table.rows))], names, work)
        self.rows = [one.cells for one in self.asked]
        impossible = [self.inner.cells(cells) for cells in _impossible(table, thresholds or {})]
        failing = list(_failing(self.inner.columns, self.rows, [*self.rows, *impossible]))
        own = [*map(as_test, self.rows), *(test for _, test in failing), *map(as_test, impossible)]
        self.row_bits = (1 << len(self.rows)) - 1
        self.failing = [(len(self.rows) + index, row) for index, (row, _) in enumerate(failing)]
        self.failing_bits = sum(1 << bit for bit, _ in self.failing)
        self.impossible_bits = ((1 << len(impossible)) - 1) << len(self.rows) + len(failing)
        self.grid = self._build(own, more)

    def is_hole(self, mask: int) -> bool:
        """Tell whether no row holds, or fails to be compared, on facts that may occur."""
        return not mask & (self.row_bits | self.failing_bits | self.impossible_bits)

    def rows_of(self, mask: int) -> tuple[int, ...]:
        """Return the numbers of the rows that match, from 1."""
        return tuple(number + 1 for number in range(len(self.rows)) if mask >> number & 1)

    def _decisive(self, mask: int) -> int:
        if mask & self.impossible_bits:
            return self.impossible_bits
        if self.table.hit == "first" and not mask & self.failing_bits:
            mask &= self.row_bits
            return mask & -mask  # the first row decides; nothing else of the mask matters
        return mask

    def _outcome(self, mask: int) -> Outcome:
        if mask & self.impossible_bits:
            return IMPOSSIBLE
        rows = self.rows_of(mask)
        fails = [row for bit, row in self.failing if mask >> bit & 1]
        if self.table.hit == "first":
            fails = [row for row in fails if not rows or row < rows[0]]
            rows = rows[:1]
        if fails:
            return outcome_of("failure", "absent-name", tuple(fails[:1]))
        if not rows:
            value = self.table.answer((), {}, ()).value
            return outcome_of("nothing" if value is ABSENT else "answer", value, ())
        return self._answered(rows)

    def _answered(self, rows: tuple[int, ...]) -> Outcome:
        facts = {column.name: f"<{column.name}>" for column in self.table.columns}
        outside = [f"<{reference.name}>" for reference in self.table.outside]
        if self._sums_references(rows):
            return outcome_of("answer", {"rows": list(rows)}, rows)
        try:
            answer = self.table.answer(rows, facts, outside)
        except CannotEvaluate as failure:
            kind: dict[str, OutcomeKind] = {"rows-overlap": "overlap", "rows-disagree": "disagreement"}
            return outcome_of(kind.get(failure.code, "failure"), failure.code, rows)
        taken = (answer.row,) if isinstance(answer.row, int) else tuple(answer.row or ())
        return outcome_of("answer", answer.value, taken)

    def _sums_references(self, rows: tuple[int, ...]) -> bool:
        """Tell whether numbers would be added up that only the facts know."""
        table = self.table
        adds = table.hit == "collect" and table.collect in ("sum", "min", "max")
        return adds and any(table.rows[row - 1].answer is None for row in rows)


class ScorecardSubject(Subject):
    """A scorecard; its answer is the level."""

    section = "scorecards"

    def __init__(
        self, card: Scorecard, names: Names | None = None, more: Sequence[Test] = (), work: Work | None = None
    ) -> None:
        """Errors: TooLarge where `work` does not suffice."""
        self.card = card
        asked = list(_card_asked(card))
        super().__init__(card, asked, names, work)
        own: list[Test] = [as_test(one.cells) for one in self.asked]
        self.factor_rows: list[range] = []
        self.present: list[int] = []
        first = 0
        for factor in card.factors:
            self.factor_rows.append(range(first, first + len(factor.rows)))
            first += len(factor.rows)
        self.rivals = self.factor_rows
        self.needs = {}
        for place, level in enumerate(card.levels):
            if level.has_needs:
                self.needs[place] = first
                first += 1
        self.vetoes = range(first, first + len(card.vetoes))
        for factor in card.factors:
            self.present.append(len(own))
            own.append(self._present(factor))
        self._rows_below = [(rows.start, (1 << len(rows)) - 1) for rows in self.factor_rows]
        self._beside_rows = ~sum(1 << bit for rows in self.factor_rows for bit in rows)
        self._points = [
            [card.scaled(row.points) if row is not None else 0 for row in (factor.missing, *factor.rows)]
            for factor in card.factors
        ]
        self._edges = [card.scaled(level.edge) for level in card.levels]
        self._with_edges: dict[tuple[int, int], ScorecardSubject] = {}
        self._lowest = card.scaled(card.range.low or 0)
        self.grid = self._build(own, more)

    def rows_of(self, mask: int) -> list[int | None]:
        """Return for each factor the number of its row, 0 for what stands in, None where no row gives points."""
        found: list[int | None] = []
        for factor, (start, all_rows), present in zip(self.card.factors, self._rows_below, self.present, strict=True):
            if not mask >> present & 1:
                found.append(0 if factor.missing is not None else None)
            else:
                rows = mask >> start & all_rows
                found.append((rows & -rows).bit_length() or None)
        return found

    def level_of(self, rows: Sequence[int], mask: int) -> tuple[int, int]:
        """Return the place of the level that rows of factors give, and the score, scaled."""
        score = self._lowest
        for points, number in zip(self._points, rows, strict=True):
            score += points[number]
        level = 0
        while score < self._edges[level]:
            level += 1
        while level in self.needs and not mask >> self.needs[level] & 1:
            level = self.card.levels[level].otherwise
        for bit, veto in zip(self.vetoes, self.card.vetoes, strict=True):
            if mask >> bit & 1 and veto.level > level:
                level = veto.level
        return level, score

    def with_edge(self, place: int, edge: int) -> ScorecardSubject:
        """Return the same card with another edge of a level, scaled."""
        other = self._with_edges.get((place, edge))
        if other is None:
            other = self._with_edges[place, edge] = copy(self)
            other._edges = [*self._edges[:place], edge, *self._edges[place + 1 :]]
            other.known_outcomes, other._cells = {}, None
        return other

    def _decisive(self, mask: int) -> int:
        """Of each factor the first row decides."""
        kept = mask & self._beside_rows
        for start, all_rows in self._rows_below:
            rows = mask >> start & all_rows
            kept |= (rows & -rows) << start
        return kept

    def _outcome(self, mask: int) -> Outcome:
        rows = self.rows_of(mask)
        for place, row in enumerate(rows):
            if row is None:
                code = "no-points" if mask >> self.present[place] & 1 else "missing-facts"
                return outcome_of("nothing" if code == "no-points" else "failure", code, (place,))
        numbers = [row or 0 for row in rows]
        level, score = self.level_of(numbers, mask)
        return outcome_of("answer", self.card.levels[level].name, tuple(numbers), self.card.unscaled(score))

    def _present(self, factor: Factor) -> Test:
        """Return the test that the facts of a factor are there; null and absent are looked at where they may occur."""
        asks: list[Ask | None] = [None] * len(self.inner.columns)
        for place in factor.reads:
            if factor.missing is not None:
                asks[place] = _there(factor, place)
            else:
                asks[place] = Within(_is_there(factor, place))
        return tuple(asks)


def _there(factor: Factor, place: int) -> Cell:
    """Return the cell that holds where a fact counts as there; it names absent, so that absent becomes a class."""
    parts = [Cell("not", parts=(Cell("absent"),))]
    if factor.asks_for(place, None):
        parts.append(Cell("null"))
    if factor.asks_for(place, ABSENT):
        parts.append(Cell("absent"))
    return Cell("one_of", parts=tuple(parts))


def _is_there(factor: Factor, place: int) -> Callable[[Key], bool]:
    def holds(key: Key) -> bool:
        return (key is not None and key is not ABSENT) or factor.asks_for(place, key)

    return holds


def _row_asked(table: Table, place: int) -> Asked:
    label = table.row_label(place + 1)
    return Asked(
        Said(f"第 {label} 行", f"row {label}"), ("tables", table.name, "rows", place, "when"), table.rows[place].cells
    )


def _card_asked(card: Scorecard) -> Iterator[Asked]:
    """Yield the rows of factors, then what levels need, then the vetoes."""
    base: Path = ("scorecards", card.name)
    for factor in card.factors:
        name = of_text(factor.title, factor.name)
        for place, row in enumerate(factor.rows):
            label = Said(f"{name.zh}第 {place + 1} 行", f"row {place + 1} of {name.en}")
            yield Asked(label, (*base, "factors", factor.name, "rows", place, "when"), row.cells)
    for place, level in enumerate(card.levels):
        if level.has_needs:
            label = Said(f"{level.name} 的附加条件", f"needs of {level.name}")
            yield Asked(label, (*base, "levels", place, "needs"), level.needs)
    for place, veto in enumerate(card.vetoes):
        label = Said(f"否决 {veto.id}", f"veto {veto.id}")
        yield Asked(label, (*base, "vetoes", place, "when"), veto.cells)


# --- columns and cells ------------------------------------------------------------------------------------------------


class Inner:
    """The columns of a rule with the thresholds of other documents beside them, and its cells rewritten for that."""

    def __init__(self, columns: Sequence[Column], outside: Sequence[OutsideReference], names: Names) -> None:
        self._limits: dict[int, Limit] = {}
        extra: list[Column] = []
        for reference in outside:
            document, _, name = reference.name.partition(".")
            value = names.get(document, {}).get(name, ABSENT)
            key = None if value is ABSENT or value is None else find_key(reference.kind, value)
            if key is not None:
                self._limits[reference.slot] = Constant(key, kind_of(value), value, reference.name)
            else:
                self._limits[reference.slot] = FactReference(reference.name, len(columns) + len(extra))
                extra.append(Column(reference.name, reference.kind))
        self.columns = (*columns, *extra)

    def cells(self, cells: Sequence[Cell]) -> tuple[Cell, ...]:
        padding = len(self.columns) - len(cells)
        return (*(self._cell(cell) for cell in cells), *[ANY] * padding)

    def _cell(self, cell: Cell) -> Cell:
        if not self._limits:
            return cell
        if cell.parts:
            return replace(cell, parts=tuple(self._cell(part) for part in cell.parts))
        if isinstance(cell.limit, OutsideReference):
            return replace(cell, limit=self._limits[cell.limit.slot])
        return cell


def as_test(cells: Sequence[Cell]) -> Test:
    return tuple(_or_none(cell) for cell in cells)


def _or_none(cell: Cell) -> Cell | None:
    return None if cell.operator == "any" else cell


def _impossible(table: Table, thresholds: Mapping[str, Threshold]) -> list[tuple[Cell, ...]]:
    """Return the facts that cannot occur together; an entry that cannot be read is left out."""
    return [cells for cells, found in impossible_of(table, thresholds) if not found]


def impossible_of(
    table: Table, thresholds: Mapping[str, Threshold]
) -> Iterator[tuple[tuple[Cell, ...], list[Finding]]]:
    """Yield each entry of `impossible` as cells, with what is wrong in it."""
    scope = Scope("", table.columns, thresholds)
    for index, written in enumerate(table.impossible):
        found: list[Finding] = []
        cells = read_cells(written, table.name, scope, ("tables", table.name, "impossible", index), found)
        yield cells, found


def _failing(
    columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]], asked: Sequence[tuple[Cell, ...]]
) -> Iterator[tuple[int, Test]]:
    """Yield a row and where it fails: all cells before one hold, and that one cannot compare."""
    reach_nothing = [
        column.or_null or any(_names_nothing(cells[place]) for cells in asked) for place, column in enumerate(columns)
    ]
    for number, cells in enumerate(rows, start=1):
        for place, cell in enumerate(cells):
            if _may_fail(cell, place, columns, reach_nothing):
                before: list[Ask | None] = [_or_none(each) for each in cells[:place]]
                yield number, (*before, Fails(cell), *[None] * (len(cells) - place - 1))


def _names_nothing(cell: Cell) -> bool:
    return cell.operator in ("null", "absent") or any(_names_nothing(part) for part in cell.parts)


def _may_fail(cell: Cell, place: int, columns: Sequence[Column], reach_nothing: Sequence[bool]) -> bool:
    if cell.parts:
        return any(_may_fail(part, place, columns, reach_nothing) for part in cell.parts)
    compared = [place]
    if isinstance(cell.limit, FactReference):
        if reach_nothing[cell.limit.column]:
            return True
        compared.append(cell.limit.column)
    return cell.operator in ORDER_OPERATORS and any(columns[each].kind == "any" for each in compared)
