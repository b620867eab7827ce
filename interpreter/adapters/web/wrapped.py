"""Lines that were broken to fit a width, put together again: a sentence goes on where its line was full.

A heading, a row of a table and an item of a list keep their line, and so does whatever ends a sentence: to leave two
lines apart costs a sentence, to join two rows would make one up.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from interpreter.adapters.web.tree import plain
from rules.patterns import regex

__all__ = ["unwrapped"]

_ENDS = regex("[。！？!?.:：;；…][”’」』\"')）]*$")
#: An item: `•`, `3.`, `a)`, `（三）`, `三、`.
_ITEM = regex(r"[•·▪◦●○■□◆*–—-]\s|[(（]?[0-9a-zA-Z]{1,3}[.)）](?![0-9a-zA-Z])|[(（]?[一二三四五六七八九十]{1,3}[)）、]")
_WORD_ENDS = regex("[a-zß-ÿ,]$")
_WORD_GOES_ON = regex("[a-zß-ÿ]")
_BROKEN_WORD = regex("[a-zß-ÿ]-$")
#: Of a hundred lines so many are no wider than what counts as the width of the text.
_USUAL: Final = 90


def unwrapped(raws: Sequence[str], full_share: float, narrowest: int) -> list[str]:
    """Return the lines of a text with those that were broken joined; blank ones are left out.

    Shapes: a line is full from `full_share` of the width of the text on; a text that is narrower than `narrowest` (a
    list, a form) is left as it is.
    Units: widths in columns, two for a Chinese character.
    """
    lines = [(plain(raw), len(raw) - len(raw.lstrip())) for raw in raws]
    widths = sorted(_width(line) for line, _ in lines if line)
    usual = widths[len(widths) * _USUAL // 100] if widths else 0
    paragraphs: list[list[str]] = []
    before, indent = "", 0
    for line, its_indent in lines:
        is_full = usual >= narrowest and _width(before) >= full_share * usual
        if line and before and is_full and its_indent <= indent and _goes_on(before, line):
            paragraphs[-1][-1:] = _beside(before, line)
        elif line:
            paragraphs.append([line])
        before, indent = line, its_indent
    return ["".join(pieces) for pieces in paragraphs]


def _goes_on(before: str, line: str) -> bool:
    """Tell whether a sentence goes on in the next line."""
    if _ENDS.search(before) or _ITEM.match(line):
        return False
    if _is_wide(before[-1]) or _is_wide(line[0]):
        return before.count(" ") < 2 and line.count(" ") < 2  # what stands apart in them are cells of a table
    return bool(_WORD_ENDS.search(before) or _WORD_GOES_ON.match(line))


def _beside(before: str, line: str) -> list[str]:
    """Return two lines as they stand beside each other."""
    if _BROKEN_WORD.search(before) and _WORD_GOES_ON.match(line):
        return [before[:-1], line]
    return [before if _is_wide(before[-1]) or _is_wide(line[0]) else f"{before} ", line]


def _width(line: str) -> int:
    return sum(2 if _is_wide(one) else 1 for one in line)


def _is_wide(one: str) -> bool:
    return unicodedata.east_asian_width(one) in "WF"
