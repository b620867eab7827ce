"""Facts that a table has no answer for: no row holds and nothing is said otherwise, or a comparison cannot be made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from rules.analysis.grid import MOST_OF_ONE_CODE, Box, Grid, TooLarge, bits, joined_boxes
from rules.analysis.subjects import Subject, TableSubject
from rules.analysis.wording import cells_of, example_in, example_words, facts_of, region_of, region_words, row_text
from rules.cells import Cell, FactReference
from rules.findings import Finding
from rules.reading import found
from rules.said import Said, answer_words, name_of, value_words
from rules.tables import ValueOf
from rules.values import ABSENT, Value, canonical_json

MOST_HOLES = 300
"""So many holes are looked for where not all combinations can be gone through."""


MOST_ROWS_COMPARED = 50


def find_gaps(subject: TableSubject, most: int = MOST_OF_ONE_CODE) -> Iterator[Finding]:
    """Yield a finding for each hole, neighbouring classes joined; how many more than `most` there are is one finding.

    Errors: TooLarge where the holes are too many to be found all; those that were found are told before.
    """
    if subject.table.otherwise is not ABSENT or not _has_hole(subject):
        return
    holes, is_all = _holes(subject)
    for box in holes[:most]:
        yield _gap(subject, box)
    if not is_all:
        raise TooLarge
    yield from more_of("gap", subject, len(holes) - most)


def more_of(code: str, subject: Subject, count: int) -> Iterator[Finding]:
    """Yield the finding that says how many more of one code there are, nothing where there are none."""
    if count > 0:
        yield found("more-of-the-same", subject.path(), rule=subject.name, other=f"rule/{code}", count=count)


def find_failures(subject: TableSubject, most: int = MOST_OF_ONE_CODE) -> Iterator[Finding]:
    """Yield where a row would compare with a fact that is not there. Errors: TooLarge."""
    if not subject.failing:
        return

    def failing(mask: int) -> int | None:
        outcome = subject.outcome(mask)
        return outcome.rows[0] if outcome.kind == "failure" else None

    boxes = subject.grid.boxes(failing)
    yield from more_of("cannot-compare", subject, len(boxes) - most)
    for box, row in boxes[:most]:
        assert isinstance(row, int)
        limit = _first_reference(subject.rows[row - 1])
        name = name_of(subject.grid.columns[limit.column]) if limit is not None else Said("", "")
        path = ("tables", subject.name, "rows", row - 1, "when")
        yield found("cannot-compare", path, row=row, **name.facts("name"), **place_facts(subject.grid, box))


def _has_hole(subject: TableSubject) -> bool:
    """Tell whether there is a hole at all, which is cheaper than finding all of them; True where that is too much."""
    try:
        return any(map(subject.is_hole, subject.reachable()))
    except TooLarge:
        return True


def _holes(subject: TableSubject) -> tuple[list[Box], bool]:
    """Return the holes that were found, and whether these are all."""
    grid = subject.grid
    if not subject.is_too_large:
        try:
            return [box for box, _ in grid.boxes(lambda mask: subject.is_hole(mask) or None)], True
        except TooLarge:
            pass
    taken = [(bit, grid.box_of(bit)) for bit in bits(grid.all_tests & (subject.row_bits | subject.impossible_bits))]
    found: list[Box] = []
    try:
        for box in islice(grid.uncovered(grid.whole, taken), MOST_HOLES):
            found.append(box)
    except TooLarge:
        return found, False
    if len(found) == MOST_HOLES:
        return found, False
    return joined_boxes(found), True


def _gap(subject: TableSubject, box: Box) -> Finding:
    table = subject.table
    region = region_of(subject.grid, box)
    nearest = _nearest_row(subject, box)
    then = {
        name: {"value_of": value.name} if isinstance(value, ValueOf) else value
        for name, value in table.rows[nearest].then.items()
    }
    answers = sorted({canonical_json(row.answer) for row in table.rows if row.answer is not None})
    return found(
        "gap",
        ("tables", table.name, "rows", nearest),
        table=table.name,
        row=row_text(region, then),
        nearest=nearest + 1,
        answers=len(answers),
        **answer_words(row_answer(then), table.outputs).facts("answer"),
        **place_facts(subject.grid, box),
    )


def row_answer(then: Mapping[str, Value]) -> Value:
    """Return an answer with names in place of what it looks up."""
    return {
        name: f"<{value['value_of']}>" if isinstance(value, dict) and value.keys() == {"value_of"} else value
        for name, value in then.items()
    }


def place_facts(grid: Grid, box: Box) -> dict[str, object]:
    """Return the facts of a finding that say where: an example, and the region that it stands for."""
    example = facts_of(example_in(grid, box))
    said = example_words(grid, box, example)
    region = region_of(grid, box)
    words = region_words(region)
    more = {"more_zh": "", "more_en": ""}
    values = [value_words(example.get(asked.column.name, ABSENT)) for asked in region]
    if [asked.words for asked in region] != values:
        more = {"more_zh": f"（{words.zh}）", "more_en": f" ({words.en})"}
    return {
        "example": example,
        "region": cells_of(region),
        **said.facts("example"),
        **words.facts("region"),
        **more,
    }


def _nearest_row(subject: TableSubject, box: Box) -> int:
    """Return the place of the row that differs from a region in the fewest columns and by the fewest classes.

    Of rows that are equally near the last one: rows mostly stand from the best answer down. Another value of a column
    without an order is as far as three classes.
    """
    rows = [subject.grid.box_of(row) for row in range(len(subject.rows))]
    columns = [sum(not mine & other for mine, other in zip(row, box, strict=True)) for row in rows]
    fewest = min(columns, default=0)
    nearest = [row for row, count in enumerate(columns) if count == fewest][-MOST_ROWS_COMPARED:]
    return min(reversed(nearest), key=lambda row: _steps(subject, rows[row], box), default=0)


def _steps(subject: TableSubject, row: Box, box: Box) -> int:
    steps = 0
    for dimension, mine, other in zip(subject.grid.dimensions, row, box, strict=True):
        if mine & other:
            continue
        if any(piece.form == "between" for member in dimension.members for piece in member):
            steps += _apart(dimension.members_of(mine), dimension.members_of(other), len(dimension.members))
        else:
            steps += 3
    return steps


def _apart(first: int, second: int, most: int = MOST_OF_ONE_CODE) -> int:
    """Return how many places the nearest bits of two sets are apart."""
    for steps in range(most):
        if (first << steps | first >> steps) & second:
            return steps
    return most


def _first_reference(cells: tuple[Cell, ...]) -> FactReference | None:
    for cell in cells:
        for part in (cell, *cell.parts):
            if isinstance(part.limit, FactReference):
                return part.limit
    return None
