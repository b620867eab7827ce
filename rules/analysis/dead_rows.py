"""Rows that can never answer: no facts fit them, or other rows take every case of theirs."""

from __future__ import annotations

from collections.abc import Iterator

from rules.analysis.gaps import more_of
from rules.analysis.grid import MOST_OF_ONE_CODE, Box, Grid, bits, without
from rules.analysis.subjects import TableSubject
from rules.analysis.wording import example_in, example_words, facts_of
from rules.findings import Finding
from rules.reading import found
from rules.said import Said, both, listed

MOST_ROWS_TO_SPARE = 12
"""Of so many rows that take all cases of another one it is tried which of them are not needed for that."""
MOST_ROWS_NAMED = 6
MOST_ROWS_FOR_ONE = 4
"""A dead row is told in two lines and mended by itself, so more of them are told than of other findings."""


def find_dead_rows(subject: TableSubject, most: int = MOST_OF_ONE_CODE) -> Iterator[Finding]:
    """Yield a finding for each row that never answers. Errors: TooLarge."""
    table = subject.table
    grid = subject.grid
    boxes = [grid.box_of(row) for row in range(len(table.rows))]
    never = [grid.box_of(bit) for bit in bits(subject.impossible_bits)]
    before = _Before(subject, boxes)
    told = 0
    for row, box in enumerate(boxes):
        path = ("tables", table.name, "rows", row, "when")
        possible = _less([box], never) if all(box) else []
        if not possible:
            yield found(
                "row-without-facts", path, table=table.name, row=row + 1, **subject.asked[row].label.facts("label")
            )
            continue
        taking = before.rows(row)
        used: set[int] = set()
        if taking and _is_taken(grid, possible, taking, used):
            told += 1
            if told <= most * MOST_ROWS_FOR_ONE:
                yield _shadowed(subject, row, box, possible, [each for each in taking if each[0] in used])
    yield from more_of("row-never-answers", subject, told - most * MOST_ROWS_FOR_ONE)


class _Before:
    """What answers in place of a row wherever it holds too."""

    def __init__(self, subject: TableSubject, boxes: list[Box]) -> None:
        self.subject = subject
        self.boxes = boxes
        table = subject.table
        self.ranks: list[tuple[tuple[int, ...], int]] | None = None
        if table.hit == "priority" and not any(each.answer is None for each in table.rows):
            self.ranks = [(table.rank(each.answer or {}), place) for place, each in enumerate(table.rows)]

    def rows(self, row: int) -> list[tuple[int, Box]]:
        """Return other rows, or their failure, that meet a row and go before it: number and box."""
        grid, hit = self.subject.grid, self.subject.table.hit
        if hit != "first" and self.ranks is None:
            return []
        meeting = grid.touching(self.boxes[row])
        if self.ranks is not None:
            mine = self.ranks[row]
            others = [other for other in bits(meeting & self.subject.row_bits) if self.ranks[other] < mine]
            return [(other, self.boxes[other]) for other in others]
        rows = [(other, self.boxes[other]) for other in bits(meeting & ((1 << row) - 1))]
        failing = [(bit, other - 1) for bit, other in self.subject.failing if other - 1 < row and meeting >> bit & 1]
        return [*rows, *((other, grid.box_of(bit)) for bit, other in failing)]


def _is_taken(grid: Grid, boxes: list[Box], taking: list[tuple[int, Box]], used: set[int] | None = None) -> bool:
    """Tell whether other boxes take all of some boxes; `used` collects the numbers of some that suffice."""
    return not any(next(grid.uncovered(box, taking, used), None) for box in boxes)


def _less(boxes: list[Box], taken: list[Box]) -> list[Box]:
    for each in taken:
        boxes = without(boxes, each)
    return boxes


def _shadowed(subject: TableSubject, row: int, box: Box, possible: list[Box], taking: list[tuple[int, Box]]) -> Finding:
    table = subject.table
    needed = list(taking)
    for each in reversed(taking) if len(taking) <= MOST_ROWS_TO_SPARE else ():  # what is left are the upper rows
        rest = [other for other in needed if other is not each]
        if rest and _is_taken(subject.grid, possible, rest):
            needed = rest
    example = facts_of(example_in(subject.grid, possible[0]))
    rows = sorted({other for other, _ in needed})
    return found(
        "row-never-answers",
        ("tables", table.name, "rows", row, "when"),
        table=table.name,
        row=row + 1,
        **subject.asked[row].label.facts("label"),
        example=example,
        winner=_winner(subject, possible[0], rows) + 1,
        **example_words(subject.grid, box, example).facts("example"),
        **_rows_words(rows).facts("rows"),
    )


def _winner(subject: TableSubject, box: Box, taking: list[int]) -> int:
    """Return which row answers the example of a box, or fails on it."""
    keys = {name: piece.key for name, piece in example_in(subject.grid, box).items()}
    mask = subject.grid.mask_of_keys([keys[column.name] for column in subject.grid.columns])
    outcome = subject.outcome(mask)
    return outcome.rows[0] - 1 if outcome.rows else taking[0]


def _rows_words(rows: list[int]) -> Said:
    told = [both(str(row + 1)) for row in rows[:MOST_ROWS_NAMED]]
    more = len(rows) - len(told)
    if more > 0:
        told.append(Said(f"另外 {more} 行", f"{more} others"))
        numbers = listed(told)
        return Said(f"第 {numbers.zh}", f"rows {numbers.en}")
    numbers = listed(told)
    if len(rows) == 1:
        return Said(f"第 {numbers.zh} 行", f"row {numbers.en}")
    return Said(f"第 {numbers.zh} 行", f"rows {numbers.en}")
