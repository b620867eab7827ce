"""Texts as they are compared: full width, capitals and characters that nobody sees do not count.

Nobody sees a zero-width blank, a soft hyphen, a mark of direction or a variant selector. A page, an office file or a
chat leaves them inside words, where they would keep a word from being found that everybody reads there.
"""

from __future__ import annotations

import unicodedata
from typing import Final, Literal

from rules.patterns import regex

#: What Unicode calls default ignorable: characters that are shown as nothing, and have no meaning of their own.
UNSEEN: Final = regex(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
#: Characters that fold by themselves, one to one: most of any text.
_ALIKE: Final = regex(r"[\x00-\x7f、。一-\u9fff]+")
_MANY: Final = 32
_MANY_MARKS: Final = regex(rf"([^\w\s\x00-\x7f]{{{_MANY}}})")


def folded(text: str) -> str:
    """Return a text as it is compared: full-width as half-width, capitals as small letters, nothing unseen."""
    if text.isascii():
        return text.lower()
    return normalized("NFKC", normalized("NFKC", UNSEEN.sub("", text)).casefold())


def normalized(form: Literal["NFC", "NFKC"], text: str) -> str:
    """Return the text in a form of Unicode. The standard library's work grows with the square of a run of combining
    marks, so a run that no script has is composed piece by piece. Every such run holds one of the characters that are
    looked at.
    """
    if not any(map(unicodedata.combining, text[_MANY - 1 :: _MANY])):
        return unicodedata.normalize(form, text)
    return "".join(unicodedata.normalize(form, piece) for piece in _MANY_MARKS.split(text))


def folded_with_origins(text: str) -> tuple[str, list[int]]:
    """Return the folded text, and for each of its characters the place of the one that it came from."""
    if text.isascii():
        return text.lower(), list(range(len(text)))
    if UNSEEN.search(text) is not None:
        places = [place for place, mark in enumerate(text) if UNSEEN.match(mark) is None]
        whole, origins = folded_with_origins("".join(text[place] for place in places))
        return whole, [places[origin] for origin in origins]
    pieces: list[str] = []
    origins = []
    start = 0
    while start < len(text):
        run = _ALIKE.match(text, start)
        if run is not None:
            end = run.end()
            if end < len(text) and _JOINS[text[end]]:
                end -= 1  # the last one belongs to the mark behind it
            pieces.append(text[start:end].lower())
            origins.extend(range(start, end))
            start = end
            if start == run.end():
                continue
        end = start + 1
        while end < len(text) and _JOINS[text[end]]:
            end += 1
        piece = folded(text[start:end])
        pieces.append(piece)
        origins.extend([start] * len(piece))
        start = end
    return "".join(pieces), origins


class _Joins(dict[str, bool]):
    """Whether a character is one with what stands before it: a mark, or the later part of a syllable of Hangul."""

    def __missing__(self, mark: str) -> bool:
        first = unicodedata.normalize("NFKC", mark)[:1]
        joins = unicodedata.category(first).startswith("M") or "\u1160" <= first <= "\u11ff"
        self[mark] = joins
        return joins


_JOINS: Final = _Joins()
