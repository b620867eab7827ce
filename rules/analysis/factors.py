"""Inputs that never change the answer, and declared answers that no facts lead to."""

from __future__ import annotations

from collections.abc import Iterator

from rules.analysis.grid import MOST_OF_ONE_CODE, TooLarge, first_point
from rules.analysis.subjects import TableSubject
from rules.cells import references_of
from rules.findings import Finding
from rules.reading import found
from rules.said import listed, name_of, value_words
from rules.values import Value, same


def find_idle_inputs(subject: TableSubject, most: int = MOST_OF_ONE_CODE) -> Iterator[Finding]:
    """Yield inputs whose value never changes the answer. Errors: TooLarge."""
    table = subject.table
    if len(table.columns) < 2 or any(row.answer is None for row in table.rows):
        return
    read = _read_columns(subject)  # reading the table finds the others
    matters = _matters(subject)
    for dimension, matter in zip(subject.grid.dimensions, matters, strict=True):
        for place in dimension.columns if not matter else ():
            if place < len(table.columns) and place in read:
                column = table.columns[place]
                path = subject.path("inputs", column.name)
                yield found("input-never-matters", path, table=table.name, **name_of(column).facts("title"))


def _matters(subject: TableSubject) -> list[bool]:
    """Tell for each dimension whether it ever changes the answer. Errors: TooLarge where that stays unknown."""
    grid = subject.grid
    if not subject.is_too_large:
        try:
            return grid.matters(lambda mask: subject.outcome(mask).label)
        except TooLarge:
            pass
    found = [False] * len(grid.dimensions)
    for row in range(len(subject.rows)):  # one case of each row, with one fact changed
        box = grid.box_of(row)
        if not all(box):
            continue
        point = first_point(box)
        now = subject.outcome(grid.mask_at(point)).label
        for place, dimension in enumerate(grid.dimensions):
            if not found[place]:
                grid.work.spend(len(dimension.masks) * grid.weight)
                others = ((*point[:place], other, *point[place + 1 :]) for other in range(len(dimension.masks)))
                found[place] = any(subject.outcome(grid.mask_at(other)).label != now for other in others)
        if all(found):
            return found
    raise TooLarge


def _read_columns(subject: TableSubject) -> set[int]:
    """Return the columns that some row asks about or compares with."""
    read = {place for row in subject.rows for place, cell in enumerate(row) if cell.operator != "any"}
    for cells in subject.rows:
        read.update(references_of(cells))
    return read


def find_unreached_answers(subject: TableSubject, most: int = MOST_OF_ONE_CODE) -> Iterator[Finding]:
    """Yield values that an output lists and no facts lead to. Errors: TooLarge."""
    table = subject.table
    if table.hit == "collect" and table.collect != "list":
        return
    outcomes = subject.outcomes()
    answers = [answer for outcome in outcomes if outcome.kind == "answer" for answer in _answers(outcome.value)]
    overlapping = [row for outcome in outcomes if outcome.kind != "answer" for row in outcome.rows]
    answers += [dict(table.rows[row - 1].then) for row in overlapping]
    for output in table.outputs:
        given = [answer.get(output.name) for answer in answers]
        if not output.enum or any(row.answer is None for row in table.rows):
            continue
        missing = [value for value in output.enum if not any(same(value, each) for each in given)]
        if missing:
            path = ("tables", table.name, "outputs", output.name, "enum")
            words = listed([value_words(value) for value in missing])
            yield found("answer-never-given", path, table=table.name, name=output.name, **words.facts("values"))


def _answers(value: Value) -> list[dict[str, Value]]:
    listed_answers = value if isinstance(value, list) else [value]
    return [answer for answer in listed_answers if isinstance(answer, dict)]
