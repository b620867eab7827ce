"""Text in columns and lines of a terminal: wide characters count as two.

A line is broken at blanks and between wide characters. A command that is meant to be copied is never broken.
"""

from __future__ import annotations

import os
import sys
from typing import IO

from rules.patterns import regex

#: Without a terminal. Units: columns.
WIDTH = 80
#: Marks that never begin a line, and marks that never end one.
_CLOSING = frozenset("，。；：！？、）」』”’》】〉…%％,.;:!?)]}")
_OPENING = frozenset("（「『“‘《【〈([{")
#: A command, or options of one, to the last word that belongs to it.
_COMMAND = regex(r"(?:interpreter [a-z]+(?: [^\s；，。]+)*|--[\w-]+(?: \S*=\S*)?(?: --[\w-]+(?: \S*=\S*)?)*)")


def width_for(stream: IO[str]) -> int:
    """Return how many columns there are to write in."""
    return max(40, min(terminal_width(), 120)) if stream.isatty() else WIDTH


def terminal_width() -> int:
    """Return how wide the terminal is: as COLUMNS says, else as it says itself; `shutil` takes 2 ms to say the same."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or WIDTH  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):  # no terminal, or none any more
        return WIDTH


def aligned(headings: list[str], rows: list[list[str]], width: int) -> list[str]:
    """Return a table as lines: columns aligned, long cells wrapped, those of several lines with their lines."""
    widths = _column_widths([headings, *rows], width)
    lines = [*_wrapped_row(headings, widths), _rule(widths, width)]
    for row in rows:
        lines += _wrapped_row(row, widths)
    return [line.rstrip() for line in lines]


def _wrapped_row(row: list[str], widths: list[int]) -> list[str]:
    cells = [wrapped(cell, widths[place]) or [""] for place, cell in enumerate(row)]
    return [
        _row([cell[number] if number < len(cell) else "" for cell in cells], widths)
        for number in range(max(len(cell) for cell in cells))
    ]


def one_line_each(headings: list[str], rows: list[list[str]], width: int, whole: frozenset[int]) -> list[str]:
    """Return a table whose rows are one line each: what is too long ends in `…`.

    Shapes: `whole` are the places of columns that get their width before the others share what is left.
    """
    wanted = [max(width_of(row[place]) for row in (headings, *rows)) for place in range(len(headings))]
    others = [place for place in range(len(headings)) if place not in whole]
    room = width - 2 * (len(headings) - 1) - sum(wanted[place] for place in whole)
    widths = list(wanted)
    for left, place in zip(range(len(others), 0, -1), sorted(others, key=lambda one: wanted[one]), strict=True):
        widths[place] = min(wanted[place], max(4, room // left))
        room -= widths[place]
    lines = _heading(headings, widths, width)
    lines += [_row([shortened(cell, widths[place]) for place, cell in enumerate(row)], widths) for row in rows]
    return [line.rstrip() for line in lines]


def _heading(headings: list[str], widths: list[int], width: int) -> list[str]:
    return [_row(headings, widths), _rule(widths, width)]


def _rule(widths: list[int], width: int) -> str:
    return "─" * min(width, sum(widths) + 2 * (len(widths) - 1))


def _column_widths(rows: list[list[str]], width: int) -> list[int]:
    """Share the width: narrow columns get what they need, the wide ones what is left, in equal parts."""
    count = len(rows[0])
    wanted = [max(width_of(line) for row in rows for line in row[place].split("\n")) for place in range(count)]
    room = width - 2 * (count - 1)
    result = [0] * count
    open_columns = set(range(count))
    while open_columns:
        share = max(4, room // len(open_columns))
        narrow = {place for place in open_columns if wanted[place] <= share}
        if not narrow:
            for place in open_columns:
                result[place] = share
            break
        for place in narrow:
            result[place] = wanted[place]
            room -= wanted[place]
        open_columns -= narrow
    return result


def _row(cells: list[str], widths: list[int]) -> str:
    return "  ".join(cell + " " * max(0, widths[place] - width_of(cell)) for place, cell in enumerate(cells))


def hanging(text: str, width: int, indent: int) -> list[str]:
    """Return a text as lines no wider than the width, all but the first indented; commands stay in one piece."""
    begins = len(text) - len(text.lstrip(" "))
    pieces = _pieces_with_commands(text.lstrip(" "))
    first, *rest = _filled(pieces, width - indent, width - begins, may_cut=False)
    return [" " * begins + first, *(" " * indent + line for line in rest)]


def wrapped(text: str, width: int) -> list[str]:
    """Return a text as lines no wider than the width, broken at blanks where there are any near."""
    return [line for paragraph in text.split("\n") for line in _filled(_pieces(paragraph), width, width)]


def _filled(pieces: list[str], width: int, first: int, *, may_cut: bool = True) -> list[str]:
    lines: list[str] = []
    line = ""
    for piece in pieces:
        room = width if lines else first
        if width_of(line) + width_of(piece.rstrip()) <= room:
            line += piece
            continue
        if line.strip():
            lines.append(line.rstrip())
        line = piece.lstrip(" ")
        while may_cut and width_of(line.rstrip()) > width:
            head = cut(line, width)
            lines.append(head)
            line = line[len(head) :]
    lines.append(line.rstrip())
    return lines


def _pieces_with_commands(text: str) -> list[str]:
    pieces: list[str] = []
    end = 0
    for found in _COMMAND.finditer(text):
        pieces += [*_pieces(text[end : found.start()]), found[0]]
        end = found.end()
    return pieces + _pieces(text[end:])


def _pieces(text: str) -> list[str]:
    """Return a text cut where a line may end: after blanks, and beside wide characters.

    A mark that closes stays with what stands before it, a mark that opens with what follows.
    """
    pieces: list[str] = []
    current = ""
    for mark in text:
        if current and _may_break(current[-1], mark):
            pieces.append(current)
            current = ""
        current += mark
    return [*pieces, current] if current else pieces


def _may_break(before: str, mark: str) -> bool:
    if before == " ":
        return mark != " "
    if mark == " " or mark in _CLOSING or before in _OPENING:
        return False
    return width_of(before) == 2 or width_of(mark) == 2 or (before in _CLOSING and not before.isascii())


def shortened(text: str, width: int) -> str:
    """Return a text no wider than the width; where something was left out it ends in `…`."""
    return text if width_of(text) <= width else cut(text, width - 1) + "…"


def cut(text: str, width: int) -> str:
    used = 0
    for place, mark in enumerate(text):
        used += width_of(mark)
        if used > width:
            return text[:place]
    return text


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(mark) else 2 if east_asian_width(mark) in "WF" else 1 for mark in text)
