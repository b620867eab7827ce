"""One-step mutants of every limit, and which of them an author's cases notice.

A mutant is the rule with one limit moved by the step it is written in, with an edge that was in left out or the other
way round, with another listed text, or with the opposite boolean. One that answers everything as before is not live
and does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy

from rules.analysis.classes import fits, moved, step_of, value_of_key
from rules.analysis.grid import Test
from rules.analysis.subjects import Asked, Outcome, ScorecardSubject, Subject, as_test
from rules.analysis.wording import example_in, facts_of
from rules.cells import Cell, Constant, Operator
from rules.columns import ORDERED, Column, Kind
from rules.records import record, replace
from rules.said import Said, both, joined, name_of, value_words
from rules.values import ABSENT, CannotEvaluate, Value, kind_of

_OTHER_EDGE: dict[Operator, Operator] = {
    "at_least": "above",
    "above": "at_least",
    "at_most": "under",
    "under": "at_most",
}
_WORDS: dict[Operator, tuple[str, str]] = {
    "at_least": ("至少", "at least"),
    "above": ("高于", "above"),
    "at_most": ("至多", "at most"),
    "under": ("低于", "under"),
    "equals": ("", ""),
    "contains": ("包含", "contains"),
    "starts_with": ("开头是", "starts with"),
}


@record
class Mutant:
    """One changed limit.

    Shapes: `test` is the row of cells that it changes, `bit` its own test in the grid, None for a level's edge;
    `witness` are facts that the mutant answers differently, None where it is not live.
    """

    label: Said
    column: Column | None
    before: Said
    after: Said
    test: int
    bit: int | None
    edge: int | None = None
    witness: dict[str, Value] | None = None

    @property
    def words(self) -> Said:
        """What was changed: `row 2, score: at least 80 → at least 81`."""
        where = self.label if self.column is None else joined([self.label, name_of(self.column)], "，", ", ")
        return Said(
            f"{where.zh}：{self.before.zh} → {self.after.zh}", f"{where.en}: {self.before.en} → {self.after.en}"
        )


@record
class Mutants:
    """All live mutants of a rule, on a grid that knows them."""

    subject: Subject
    mutants: tuple[Mutant, ...]

    def noticed(self, cases: Sequence[Mapping[str, Value]]) -> list[bool]:
        """Return for each mutant whether some facts are answered differently by it."""
        found = [False] * len(self.mutants)
        for facts in cases:
            mask = self._mask(facts)
            if mask is None:
                continue
            outcome = self.subject.outcome(mask)
            for place, mutant in enumerate(self.mutants):
                if not found[place]:
                    found[place] = _mutated(self.subject, mutant, mask).label != outcome.label
        return found

    def _mask(self, facts: Mapping[str, Value]) -> int | None:
        try:
            keys = [column.take(facts.get(column.name, ABSENT)) for column in self.subject.grid.columns]
        except CannotEvaluate:
            return None
        return self.subject.grid.mask_of_keys(keys)


def live_mutants(subject: Subject) -> Mutants:
    """Return every one-step mutant that answers something differently, with facts that show it. Errors: TooLarge."""
    drafts = list(_drafts(subject))
    more = [as_test(cells) for _, _, _, _, cells in drafts]
    wide = _widened(subject, more)
    found = []
    for number, (test, place, before, after, _) in enumerate(drafts):
        column = wide.grid.columns[place]
        mutant = Mutant(wide.asked[test].label, column, before, after, test, wide.more + number)
        witness = _witness(wide, mutant, place)
        if witness is not None:
            found.append(replace(mutant, witness=witness))
    if isinstance(wide, ScorecardSubject):
        found += list(_edges(wide))
    return Mutants(wide, tuple(found))


def _widened(subject: Subject, more: Sequence[Test]) -> Subject:
    """Return a subject of the same rule on a grid with further tests."""
    wide = copy(subject)
    own = subject.grid.tests[: subject.more]
    wide.grid = subject._build(own, more)
    wide._cells = wide._reachable = None
    return wide


def _mutated(subject: Subject, mutant: Mutant, mask: int) -> Outcome:
    """Return what a mutant answers where facts pass some tests."""
    if mutant.bit is None:
        assert isinstance(subject, ScorecardSubject)
        assert mutant.edge is not None
        return subject.with_edge(mutant.test, mutant.edge).outcome(mask)
    own = 1 << mutant.test
    return subject.outcome(mask | own if mask >> mutant.bit & 1 else mask & ~own)


def _witness(subject: Subject, mutant: Mutant, place: int) -> dict[str, Value] | None:
    """Return facts on which a mutant differs: its row holds in all other columns, and here before or after only."""
    assert mutant.bit is not None
    grid = subject.grid.projected(subject.own_bits | 1 << mutant.bit)
    own, other = 1 << mutant.test, 1 << mutant.bit
    box: list[int] = []
    for dimension in grid.dimensions:
        classes = 0
        for at, mask in enumerate(dimension.masks):
            changed = bool(mask & own) != bool(mask & other)
            if changed if place in dimension.columns else mask & own:
                classes |= 1 << at
        box.append(classes)
    if not all(box):
        return None
    for mask, point in grid.reachable(tuple(box)).items():
        outcome = subject.outcome(mask | own)
        if "impossible" in (outcome.kind, subject.outcome(mask & ~own).kind):
            continue
        if outcome.label != subject.outcome(mask & ~own).label:
            return facts_of(example_in(grid, tuple(1 << each for each in point)))
    return None


def _edges(subject: ScorecardSubject) -> Iterator[Mutant]:
    """Yield the edges of levels, one point up and down."""
    for place, level in enumerate(subject.card.levels[:-1]):
        for edge in (level.edge - 1, level.edge + 1):
            before, after = value_words(level.edge), value_words(edge)
            label = Said(f"等级 {level.name} 的下限", f"edge of {level.name}")
            mutant = Mutant(label, None, before, after, place, None, subject.card.scaled(edge))
            for mask, point, outcome in subject.cells():
                if _mutated(subject, mutant, mask).label != outcome.label:
                    facts = facts_of(example_in(subject.grid, tuple(1 << each for each in point)))
                    yield replace(mutant, witness=facts)
                    break


# --- changing one limit -----------------------------------------------------------------------------------------------

Draft = tuple[int, int, Said, Said, tuple[Cell, ...]]
"""Test, column, what stood there, what stands there now, the cells of the row."""


def _drafts(subject: Subject) -> Iterator[Draft]:
    for test, asked in enumerate(subject.asked):
        for place, cell in enumerate(asked.cells):
            column = subject.inner.columns[place]
            for before, after, changed in variants(cell, column):
                yield test, place, before, after, _with(asked, place, changed)


def _with(asked: Asked, place: int, cell: Cell) -> tuple[Cell, ...]:
    return (*asked.cells[:place], cell, *asked.cells[place + 1 :])


def variants(cell: Cell, column: Column) -> Iterator[tuple[Said, Said, Cell]]:
    """Yield each one-step change of a cell: what stood there, what stands there now, the cell with it."""
    if cell.parts:
        for number, part in enumerate(cell.parts):
            for before, after, changed in variants(part, column):
                yield before, after, replace(cell, parts=(*cell.parts[:number], changed, *cell.parts[number + 1 :]))
        return
    for changed in _one_step(cell, column):
        yield _cell_words(cell), _cell_words(changed), changed


def _one_step(cell: Cell, column: Column) -> Iterator[Cell]:
    if cell.operator in _OTHER_EDGE:
        yield replace(cell, operator=_OTHER_EDGE[cell.operator])
    limit = cell.limit
    if not isinstance(limit, Constant):
        return
    if isinstance(limit.key, bool):
        yield replace(cell, limit=Constant(not limit.key, "boolean", not limit.key))
    elif isinstance(limit.key, str):
        if cell.operator == "equals":
            others = [key for key in column.enum if key != limit.key] or [f"{limit.key} …"]
            yield replace(cell, limit=Constant(others[0], "text", others[0]))
    elif column.kind in ORDERED | {"any"} and not isinstance(limit.key, list | dict):
        kind: Kind = column.kind if column.kind in ORDERED else "number"
        for times in (-1, 1):
            key = moved(kind, limit.key, step_of(kind, limit.key), times)
            if key is not None and fits(column, key):
                value = value_of_key(kind, key)
                yield replace(cell, limit=Constant(key, kind_of(value), value))


def _cell_words(cell: Cell) -> Said:
    limit = cell.limit
    value = value_words(limit.value) if isinstance(limit, Constant) else both(limit.name if limit else "")
    zh, en = _WORDS.get(cell.operator, ("", ""))
    return Said(f"{zh} {value.zh}".strip(), f"{en} {value.en}".strip())
