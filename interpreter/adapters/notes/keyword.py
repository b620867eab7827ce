"""What somebody looks for: words and characters, parted by blanks. Nothing in it means anything else.

A term of letters and digits alone is looked for as words. What is written in Chinese without blanks may be several of
them: where no text holds all of it, its pairs of characters count. Where a term holds other signs (`C++`, `50%`,
`@张三`, `GPT-4`) a text has to hold it letter for letter; only where none does, its words count alone. Quotes and
dashes of all kinds are the same here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from interpreter.adapters.search.words import composed, fold, phrase, translated
from rules.records import NamedTuple
from rules.words import LETTER, RUN, terms_of

_ALIKE = {sign: one for signs, one in (("‘’‛′", "'"), ("“”„″", '"'), ("‐‑‒–—−", "-")) for sign in signs}
#: What no database takes.
_NO_CHARACTERS = range(0xD800, 0xE000)
#: Units: terms; characters. More than so many, or longer ones, are compared letter for letter only.
MOST_TERMS, _LONGEST_PHRASE = 48, 48
_SHORTEST_OPEN = 3


class _Comparing(dict[int, str]):
    """Each character as it is compared, made when first asked for."""

    def __missing__(self, code: int) -> str:
        found = "".join(_ALIKE.get(one, one) for one in fold(chr(code)))
        self[code] = "\ufffd" if code in _NO_CHARACTERS else found
        return self[code]


_COMPARING = _Comparing()


def compared(text: str) -> str:
    """Return a text as it is compared with what somebody looks for."""
    return text.lower() if text.isascii() else translated(composed(text), _COMPARING)


class Term(NamedTuple):
    """Shapes: `text` is folded; `phrase` is that of the full text search, None where the term has no word."""

    text: str
    phrase: str | None
    is_literal: bool

    @property
    def pairs(self) -> list[str]:
        """Return the pairs of a term that is one run of characters without marks between its words, else nothing."""
        runs = RUN.findall(self.text)
        return list(terms_of(self.text)) if len(runs) == 1 and len(runs[0][0]) == len(self.text) > 1 else []


class Keyword:
    """What somebody looks for, as the terms that a text has to hold."""

    def __init__(self, text: str) -> None:
        self.terms: Sequence[Term] = [_term(part) for part in dict.fromkeys(compared(text).split())]

    @cached_property
    def patterns(self) -> list[re.Pattern[str]]:
        """What finds each term in a compared text."""
        terms = self.terms[:MOST_TERMS]
        return [re.compile(_pattern(term.text) if term.is_literal else _words(term.text)) for term in terms]

    @cached_property
    def loose_patterns(self) -> list[re.Pattern[str]]:
        """What finds the words of each term, its other signs left out of account."""
        return [re.compile(_words(term.text)) for term in self.terms[:MOST_TERMS] if term.phrase is not None]

    @cached_property
    def pieces(self) -> list[str]:
        """The words and pairs of characters of all terms."""
        return list(dict.fromkeys(piece for term in self.terms for piece in terms_of(term.text)))


def _term(text: str) -> Term:
    runs = RUN.findall(text)
    is_long = len(text) > _LONGEST_PHRASE
    is_literal = is_long or sum(len(paired) + len(word) for paired, word in runs) != len(text)
    found = phrase(text[:_LONGEST_PHRASE])
    if found is not None and (is_long or _is_open(runs)) and not found.endswith("*"):
        found += "*"
    return Term(text, found, is_literal)


def _is_open(runs: Sequence[tuple[str, str]]) -> bool:
    """Return whether a word may go on (`price` finds `prices`): one of letters, at the end."""
    last = runs[-1][1] if runs else ""
    return len(last) >= _SHORTEST_OPEN and last.isalpha()


def _words(text: str) -> str:
    """Return the expression of the words of a text, whatever other signs stand between them."""
    return r"[\W_]*".join(_pattern(paired or word) for paired, word in RUN.findall(text))


def _pattern(text: str) -> str:
    """Return the expression of a text: a word begins where it begins, and ends where it ends unless it is open."""
    runs = RUN.findall(text)
    begins = bool(runs and runs[0][1] and text.startswith(runs[0][1]))
    ends = bool(runs and runs[-1][1] and text.endswith(runs[-1][1]) and not _is_open(runs))
    return (f"(?<!{LETTER})" if begins else "") + re.escape(text) + (f"(?!{LETTER})" if ends else "")
