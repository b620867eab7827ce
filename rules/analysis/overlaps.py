"""Rows that hold together where they may not: any two under `unique`, two that disagree under `any`."""

from __future__ import annotations

from collections.abc import Iterator

from rules.analysis.gaps import more_of, place_facts, row_answer
from rules.analysis.grid import MOST_OF_ONE_CODE, Box, bits, common, without
from rules.analysis.subjects import TableSubject
from rules.findings import Finding
from rules.reading import found
from rules.said import answer_words
from rules.tables import Row, ValueOf
from rules.values import Value, same

HITS_WITHOUT_OVERLAPS = ("unique", "any")


def find_overlaps(subject: TableSubject, most: int = MOST_OF_ONE_CODE) -> Iterator[Finding]:
    """Yield a finding for each two rows; what they have in common is one box, less what is impossible or fails.

    Errors: TooLarge.
    """
    table = subject.table
    if table.hit not in HITS_WITHOUT_OVERLAPS:
        return
    grid = subject.grid
    boxes = [grid.box_of(row) for row in range(len(table.rows))]
    answers = [_answer(row) for row in table.rows]
    counts = {"rows-agree": 0, "rows-clash": 0}
    never = [grid.box_of(bit) for bit in bits(subject.impossible_bits | subject.failing_bits)]
    for second in range(len(table.rows)):
        for first in bits(grid.touching(boxes[second]) & ((1 << second) - 1)):
            grid.work.spend(len(grid.dimensions))
            agree = same(answers[first], answers[second])
            if agree and table.hit == "any":
                continue
            shared = common(boxes[first], boxes[second])
            left = _possible(shared, never) if shared is not None else None
            if left is None:
                continue
            code = "rows-agree" if agree else "rows-clash"
            counts[code] += 1
            if counts[code] <= most:
                yield _overlap(subject, code, first, second, left)
    for code, count in counts.items():
        yield from more_of(code, subject, count - most)


def _possible(box: Box, never: list[Box]) -> Box | None:
    """Return the largest part of a box that may occur, None where none may."""
    left = [box]
    for each in never:
        left = without(left, each)
    return max(left, key=lambda part: sum(each.bit_count() for each in part), default=None)


def _overlap(subject: TableSubject, code: str, first: int, second: int, box: Box) -> Finding:
    rows = subject.table.rows
    return found(
        code,
        ("tables", subject.name, "rows", second, "when"),
        table=subject.name,
        first=subject.table.row_label(first + 1),
        second=subject.table.row_label(second + 1),
        hit=subject.table.hit,
        **answer_words(row_answer(_answer(rows[first])), subject.table.outputs).facts("answer"),
        **answer_words(row_answer(_answer(rows[second])), subject.table.outputs).facts("other"),
        **place_facts(subject.grid, box),
    )


def _answer(row: Row) -> dict[str, Value]:
    return {name: {"value_of": value.name} if isinstance(value, ValueOf) else value for name, value in row.then.items()}
