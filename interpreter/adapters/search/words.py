"""Words of a text: how titles and bodies are cut for the index, and how a query's words are found again for
marking.

Texts are folded character by character (width, compatibility forms, case; what is unseen is left out). A run of letters
and digits is one word. A run of Chinese, Japanese or Korean characters is cut into overlapping pairs and its last
character: `数据治理` becomes `数据 据治 治理 理`. So a word of any length inside a run is a phrase of
adjacent pairs, and a single character is the beginning of a pair or that last character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import pairwise

from rules.folding import UNSEEN, normalized
from rules.patterns import regex
from rules.words import LETTER, PAIRED, RUN

#: Matches a word, or one character of a run; group 1 is the word, or that character with the next one of its run.
_TOKEN = regex(rf"(?=([{PAIRED}]{{1,2}}|{LETTER}+))(?:[{PAIRED}]|{LETTER}+)")
_GAP = r"[\W_]*"
#: Units: characters. A piece goes on into the next one by more than any query is long.
_PIECE, _OVERLAP = 4096, 128
_SPACE = re.compile(r"\s+")
#: All but small letters, ASCII signs and ideographs.
_CHANGING = regex(r"[^\x00-@\[-\x7f、。一-\u9fff]+")


class _Folding(dict[int, str]):
    """Each character's folded form, made when first asked for."""

    def __missing__(self, code: int) -> str:
        mark = chr(code)
        folded = "" if UNSEEN.match(mark) is not None else unicodedata.normalize("NFKC", mark).casefold()
        self[code] = folded
        return folded


_FOLDING = _Folding()


def fold(text: str) -> str:
    """Return the text as it is compared: full width, compatibility forms, case and what is unseen do not count."""
    return text.lower() if text.isascii() else translated(text, _FOLDING)


def translated(text: str, table: Mapping[int, str]) -> str:
    """Return the text with its characters replaced by those of a table that leaves small letters and ideographs alone:
    most of a text is never looked up.
    """
    return _CHANGING.sub(lambda found: found[0].translate(table), text)


def one_line(text: str) -> str:
    """Return the text in composed form with every run of white space as one space."""
    return _SPACE.sub(" ", composed(text)).strip()


def composed(text: str) -> str:
    """Return the text in composed form, however many marks follow each other in it."""
    return normalized("NFC", text)


def index_tokens(text: str) -> str:
    """Return the text as the index stores it: words and pairs, separated by spaces."""
    return folded_tokens(fold(text))


def folded_tokens(folded: str) -> str:
    """Return a text that is folded already as the index stores it."""
    return " ".join(_TOKEN.findall(folded))


def phrase(text: str) -> str | None:
    """Return the index's phrase for the words of a text, or None when it has no letter, digit or character.

    Shapes: the phrase is written for SQLite's full text search; tokens hold letters and digits only, so
    quoting is safe.
    """
    runs = RUN.findall(fold(text))
    tokens: list[str] = []
    for number, (paired, word) in enumerate(runs):
        if word:
            tokens.append(word)
            continue
        tokens.extend(map("".join, pairwise(paired)))
        if number < len(runs) - 1 or len(paired) == 1:
            tokens.append(paired[-1])
    if not tokens:
        return None
    # A single character at the end may be the first of a pair.
    open_end = "*" if runs[-1][0] and len(runs[-1][0]) == 1 else ""
    return f'"{" ".join(tokens)}"{open_end}'


def pattern(texts: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds the words of any of the texts in a folded text, or None when none of them has a
    word.
    """
    found = [_expression(text) for text in texts]
    alternatives = [expression for expression in found if expression]
    return re.compile("|".join(alternatives)) if alternatives else None


def _expression(text: str) -> str:
    runs = RUN.findall(fold(text))
    parts = [paired or rf"(?<!{LETTER}){re.escape(word)}(?!{LETTER})" for paired, word in runs]
    return _GAP.join(parts)


def spans(text: str, wanted: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return where the pattern's words stand in a text, as character ranges of the text as it was given."""
    folded = fold(text)
    found = [match.span() for match in wanted.finditer(folded)]
    if not found or (len(folded) == len(text) and UNSEEN.search(text) is None):
        return found
    starts: list[int] = []  # for each folded character, which character it came from
    for place, character in enumerate(text):
        starts.extend([place] * len(fold(character)))
    starts.append(len(text))
    return [(starts[start], starts[end - 1] + 1) for start, end in found]


def first_span(text: str, wanted: re.Pattern[str]) -> tuple[int, int] | None:
    """Return where the pattern's first words stand; a long text is folded piece by piece."""
    for start in range(0, len(text), _PIECE):
        found = spans(text[start : start + _PIECE + _OVERLAP], wanted)
        if found:
            return (start + found[0][0], start + found[0][1])
    return None


def marked(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """Return the text with `<h>` and `</h>` around the ranges; nothing else is changed."""
    parts = []
    place = 0
    for start, end in ranges:
        parts += [text[place:start], "<h>", text[start:end], "</h>"]
        place = end
    return "".join([*parts, text[place:]])
