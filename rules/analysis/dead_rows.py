"""Rows that can never answer: no facts fit them, or other rows take every case of theirs."""

from __future__ import annotations

from collections.abc import Iterator

from rules.analysis.grid import MOST_OF_ONE_CODE, Box, bits, common, without
from rules.analysis.subjects import TableSubject
from rules.analysis.wording import example_in, example_words, facts_of
from rules.findings import Finding
from rules.reading import found
from rules.said import Said, both, listed


def find_dead_rows(subject: TableSubject, most: int = MOST_OF_ONE_CODE) -> Iterator[Finding]:
    """Yield a finding for each row that never answers. Errors: TooLarge."""
    table = subject.table
    boxes = [subject.grid.box_of(row) for row in range(len(table.rows))]
    never = [subject.grid.box_of(bit) for bit in bits(subject.impossible_bits)]
    for row, box in enumerate(boxes):  # as many as there are rows at most, so all are told
        path = ("tables", table.name, "rows", row, "when")
        possible = _less([box], never) if all(box) else []
        if not possible:
            yield found(
                "row-without-facts", path, table=table.name, row=row + 1, **subject.asked[row].label.facts("label")
            )
            continue
        taking = [(other, taken) for other, taken in _before(subject, row, boxes) if common(taken, box)]
        if taking and not _less(possible, [taken for _, taken in taking]):
            yield _shadowed(subject, row, box, possible, taking)


def _before(subject: TableSubject, row: int, boxes: list[Box]) -> list[tuple[int, Box]]:
    """Return what answers in place of a row wherever it holds too, each with its row: other rows, or their failure."""
    table = subject.table
    if table.hit == "first":
        failing = [(other - 1, subject.grid.box_of(bit)) for bit, other in subject.failing if other - 1 < row]
        return [*((other, boxes[other]) for other in range(row)), *failing]
    if table.hit != "priority" or any(each.answer is None for each in table.rows):
        return []
    ranks = [(table.rank(each.answer or {}), place) for place, each in enumerate(table.rows)]
    return [(place, boxes[place]) for place in range(len(table.rows)) if ranks[place] < ranks[row]]


def _less(boxes: list[Box], taken: list[Box]) -> list[Box]:
    for each in taken:
        boxes = without(boxes, each)
    return boxes


def _shadowed(subject: TableSubject, row: int, box: Box, possible: list[Box], taking: list[tuple[int, Box]]) -> Finding:
    table = subject.table
    needed = list(taking)
    for each in reversed(taking):  # what is left are the upper rows
        rest = [other for other in needed if other is not each]
        if rest and not _less(possible, [taken for _, taken in rest]):
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
    numbers = listed([both(str(row + 1)) for row in rows])
    if len(rows) == 1:
        return Said(f"第 {numbers.zh} 行", f"row {numbers.en}")
    return Said(f"第 {numbers.zh} 行", f"rows {numbers.en}")
