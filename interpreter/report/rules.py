"""What a person reads of rules: a sentence first, then tables, regions and cases, in the width of the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from interpreter.diagnostics import Words
from interpreter.report.columns import aligned, hanging, width_of
from interpreter.report.words import safe
from rules.explanations import AskedRow, cell_words
from rules.said import Said, answer_words, name_of, of_text, value_words
from rules.tables import Row, Table, ValueOf
from rules.values import ABSENT, CannotEvaluate, Value

#: A table with more columns is shown as one line a row, for its cells would be too narrow to read.
MOST_COLUMNS = 7
_MARKS = {"held": "✓", "not_held": "✗", "could_not_be_compared": "?"}
_TAKEN = "▶"


def said(words: Said, language: str) -> str:
    """Return a text in one language, harmless for a terminal."""
    return safe(words.zh if language == "zh" else words.en)


def failure_words(failure: CannotEvaluate) -> Words:
    """Return why a rule has no answer on some facts."""
    from interpreter.codes.reasons import reason_words

    return reason_words(failure.code, failure.facts, of_rules=True)


def sentence_lines(texts: Iterable[str], width: int, indent: int = 2) -> Iterator[str]:
    """Yield sentences, each wrapped with a hanging indent."""
    for text in texts:
        yield from hanging(text, width, indent)


def table_lines(
    table: Table, language: str, width: int, asked: Sequence[AskedRow] = (), taken: Sequence[int] = ()
) -> list[str]:
    """Return a decision table as lines; with `asked`, what the facts make of each cell is marked."""
    places = [place for place in range(len(table.columns)) if any(_asks(row, place) for row in table.rows)]
    rows = [_row_cells(table, number, places, language, asked, taken) for number in range(1, len(table.rows) + 1)]
    if table.otherwise is not ABSENT:
        rows.append(_otherwise(table, len(places), language))
    headings = ["", *(said(name_of(table.columns[place]), language) for place in places)]
    headings += [f"→ {said(of_text(output.title, output.name), language)}" for output in table.outputs]
    if len(headings) - 1 <= MOST_COLUMNS and _fits(headings, rows, width):
        return aligned(headings, rows, width)
    return list(_one_line_each(headings, rows, width))


def _fits(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> bool:
    """Tell whether no word of a cell has to be cut to show all columns beside one another."""
    narrow = 0
    for place, heading in enumerate(headings):
        texts = [heading, *(row[place] for row in rows)]
        narrow += max((width_of(word) for text in texts for word in text.split(" ")), default=0) + 2
    return narrow <= width


def _one_line_each(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    for label, *cells in rows:
        asked = [f"{name} {cell}" for name, cell in zip(headings[1:], cells, strict=True) if cell]
        inputs = [part for part in asked if not part.startswith("→")]
        outputs = [part.removeprefix("→ ") for part in asked if part.startswith("→")]
        text = f"{label}  {'; '.join(inputs) or '*'}  → {', '.join(outputs)}"
        yield from hanging(text, width, 6)


def _row_cells(
    table: Table, number: int, places: Sequence[int], language: str, asked: Sequence[AskedRow], taken: Sequence[int]
) -> list[str]:
    row = table.rows[number - 1]
    marks = {cell.name: _MARKS[cell.verdict] for cell in asked[number - 1].cells} if asked else {}
    label = str(number) if row.id is None else f"{number} {safe(row.id)}"
    if asked:
        label = f"{_TAKEN if number in taken else ' '} {label}"
    cells = [label]
    for place in places:
        column, cell = table.columns[place], row.cells[place]
        text = "" if cell.operator == "any" else said(cell_words(cell, table, {}, {}), language)
        mark = marks.get(column.name)
        cells.append(f"{mark} {text}" if mark and text else text)
    return [*cells, *(_given(row.then[output.name], language) for output in table.outputs)]


def _given(value: Value | ValueOf, language: str) -> str:
    return f"<{safe(value.name)}>" if isinstance(value, ValueOf) else said(value_words(value), language)


def _otherwise(table: Table, count: int, language: str) -> list[str]:
    label = "否则" if language == "zh" else "otherwise"
    if isinstance(table.otherwise, Mapping):
        return [label, *[""] * count, *(_given(table.otherwise.get(one.name), language) for one in table.outputs)]
    return [label, *[""] * count, said(answer_words(table.otherwise), language), *[""] * (len(table.outputs) - 1)]


def _asks(row: Row, place: int) -> bool:
    return row.cells[place].operator != "any"


def counted(count: int, zh: str, one: str, many: str, language: str) -> str:
    """Return a number with what it counts, such as `2 holes`."""
    if language == "zh":
        return zh.format(count)
    return f"{count} {one if count == 1 else many}"


def plain(value: Any) -> Any:
    """Return a value that JSON can say."""
    return None if value is ABSENT else value
