"""What a region asks of a column of texts or lists, in the questions that rows ask of it.

The classes of such a column are made up: `… tea` stands for every text with tea in it. So a region is not the list of
its classes. Each class answers every question of the column with yes or no, and the region is a list of cells, each
made of few questions, that hold for classes of the region alone and together for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import combinations
from operator import and_
from typing import Any

from rules.analysis.classes import Piece, plain_parts
from rules.cells import ORDER_OPERATORS, Cell, Constant, Operator, cell_matches
from rules.patterns import regex
from rules.records import NamedTuple
from rules.said import Said, joined, value_words
from rules.values import Value, identity

MOST_PAIRED = 40
"""Of so many answers to questions every two are tried together."""
_PLAIN = regex(r"[A-Za-z_\u4e00-\u9fff][\w\u4e00-\u9fff./-]*(?: [\w\u4e00-\u9fff./-]+)*")
#: First words of forms of cells.
_FORM_WORDS = frozenset(("any", "absent", "not", "contains", "starts", "above", "under", "at", "same", "true", "false"))
_FORM_WORDS_ZH = frozenset(
    ("任意", "缺失", "空值", "不是", "包含", "不包含", "开头是", "等同", "至少", "高于", "至多", "低于")
)
_PARTS: dict[Operator, tuple[str, Said, Said]] = {
    "contains": ("contains", Said("包含", "contains"), Said("不包含", "not contains")),
    "starts_with": ("starts with", Said("开头是", "starts with"), Said("开头不是", "not starts with")),
}
_ORDER: dict[Operator, tuple[Said, Operator]] = {
    "at_least": (Said("至少", "at least"), "under"),
    "above": (Said("高于", "above"), "at_most"),
    "at_most": (Said("至多", "at most"), "above"),
    "under": (Said("低于", "under"), "at_least"),
}


class Answer(NamedTuple):
    """One question of a column, answered with yes or no.

    Shapes: `cell` is what a row would write; `denied` is the cell inside a `not`, None where it is none; `holds` are
    the classes with this answer, one bit each.
    """

    cell: Any
    words: Said
    denied: Any
    holds: int


def answers_of(cells: Iterable[Cell], name: str, pieces: Sequence[Piece]) -> list[Answer]:
    """Return what can be said of the classes of a column with its own cells; nothing where values alone will do."""
    asked: dict[tuple[Operator, object], Cell] = {}
    for cell in cells:
        for part in plain_parts(cell):
            if isinstance(part.limit, Constant):
                asked.setdefault((part.operator, identity(part.limit.key)), part)
    if all(part.operator == "equals" for part in asked.values()):
        return []
    of_value: dict[object, int] = {}
    for at, piece in enumerate(pieces):
        of_value[identity(piece.key)] = of_value.get(identity(piece.key), 0) | 1 << at
    yes, no = [], []
    for (operator, value), part in asked.items():
        if operator == "equals":
            holds = of_value.get(value, 0)
        else:
            holds = sum(1 << at for at, piece in enumerate(pieces) if cell_matches(part, name, piece.key, (), ()))
        others = (1 << len(pieces)) - 1 & ~holds
        assert isinstance(part.limit, Constant)
        said, denied = _both_ways(part.operator, part.limit.value)
        yes.append(said._replace(holds=holds))
        no.append(denied._replace(holds=others))
    return [*yes, *no]


def cells_for(answers: Sequence[Answer], wanted: int) -> list[tuple[Any, Said]] | None:
    """Return cells that hold for just these classes, as rows write them and in words; None where none can be made.

    One answer or two that only wanted classes give come first, those that say most, then what is left class by class.
    """
    counts = (1, 2) if len(answers) <= MOST_PAIRED else (1,)
    fitting = [each for count in counts for each in combinations(answers, count) if not _holds(each) & ~wanted]
    left, found = wanted, []
    for together in sorted(fitting, key=lambda each: -_holds(each).bit_count()):
        if _holds(together) & left:
            left &= ~_holds(together)
            found.append(together)
    while left:
        narrow = _narrow(answers, wanted, left & -left)
        if narrow is None:
            return None
        left &= ~_holds(narrow)
        found.append(narrow)
    return [_cell(together) for together in found]


def literal(value: Value) -> Any:
    """Return a value as a cell writes it: a text that looks like a form is said to be itself."""
    if isinstance(value, str) and (value.split(" ")[0] in _FORM_WORDS | _FORM_WORDS_ZH or not is_plain(value)):
        return {"is": value}
    return {"is": value} if isinstance(value, list | dict) else value


def is_plain(text: str) -> bool:
    """Tell whether a text needs no quotes."""
    return bool(_PLAIN.fullmatch(text))


def both_cells(first: Any, second: Any) -> Any:
    """Return the cell that holds where two cells hold."""
    return {"not": [{"not": first}, {"not": second}]}


def _both_ways(operator: Operator, value: Value) -> tuple[Answer, Answer]:
    """Return the two answers to a question, before it is known for which classes they hold."""
    said = value_words(value)
    if operator in ORDER_OPERATORS:
        words, other = _ORDER[operator]
        return (
            Answer({operator: value}, _before(words, said), None, 0),
            Answer({other: value}, _before(_ORDER[other][0], said), None, 0),
        )
    if operator in _PARTS:
        form, words, not_words = _PARTS[operator]
        cell = f"{form} {value}"
        return Answer(cell, _before(words, said), None, 0), Answer({"not": cell}, _before(not_words, said), cell, 0)
    cell = literal(value)
    return Answer(cell, said, None, 0), Answer({"not": cell}, _before(Said("不是", "not"), said), cell, 0)


def _before(word: Said, value: Said) -> Said:
    return Said(f"{word.zh} {value.zh}", f"{word.en} {value.en}")


def _holds(together: Iterable[Answer]) -> int:
    return reduce(and_, (answer.holds for answer in together), -1)


def _narrow(answers: Sequence[Answer], wanted: int, one: int) -> tuple[Answer, ...] | None:
    """Return answers of one class that only wanted classes give together, none of them needless."""
    kept = [answer for answer in answers if answer.holds & one]
    if _holds(kept) & ~wanted:
        return None
    for answer in list(kept):
        fewer = [each for each in kept if each is not answer]
        if not _holds(fewer) & ~wanted:
            kept = fewer
    return tuple(kept)


def _cell(together: tuple[Answer, ...]) -> tuple[Any, Said]:
    """Return the cell of answers that all have to be given."""
    words = joined([answer.words for answer in together], " 且 ", " and ")
    if len(together) == 1:
        return together[0].cell, words
    ends: dict[str, Any] = {}
    for answer in together:
        ends |= answer.cell if isinstance(answer.cell, dict) and answer.cell.keys() <= _ORDER.keys() else {}
    if len(ends) == len(together):
        return ends, words
    return {"not": [{"not": each.cell} if each.denied is None else each.denied for each in together]}, words
