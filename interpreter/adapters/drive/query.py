"""The query language: words, `"phrases"`, `-word`, `intitle:word`, `OR`; it becomes one of the index's."""

from __future__ import annotations

import re

from interpreter.adapters.search.words import phrase
from rules.patterns import regex
from rules.records import NamedTuple

LONGEST = 30
_OPENING = {'"': '"', "“": "”", "「": "」", "＂": "＂", "”": "”"}
_IN_TITLE = regex(r"intitle[:：]", re.IGNORECASE)


class Term(NamedTuple):
    text: str
    in_title: bool
    excluded: bool


class Query(NamedTuple):
    """Groups are joined by AND, the terms of a group by OR; excluded terms stand apart."""

    groups: tuple[tuple[Term, ...], ...]
    excluded: tuple[Term, ...]

    @property
    def words(self) -> list[str]:
        """Return the texts that a hit holds, for marking."""
        return [term.text for group in self.groups for term in group]


def parse_query(text: str) -> Query:
    """Return what a query asks for; never fails: an unclosed quote ends at the end, an `OR` at an edge is
    dropped.
    """
    groups: list[tuple[Term, ...]] = []
    excluded: list[Term] = []
    joins = False
    for term in _terms(text):
        if term is None:
            joins = bool(groups)
        elif phrase(term.text) is None:
            continue  # punctuation alone
        elif term.excluded:
            excluded.append(term)
            joins = False
        elif joins:
            groups[-1] = (*groups[-1], term)
            joins = False
        else:
            groups.append((term,))
    return Query(tuple(groups), tuple(excluded))


def _terms(text: str) -> list[Term | None]:
    """Cut a query into terms; None stands for an `OR`."""
    found: list[Term | None] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        excluded = text[place] in "-－" and place + 1 < len(text) and not text[place + 1].isspace()
        place += excluded
        prefix = _IN_TITLE.match(text, place)
        place = prefix.end() if prefix else place
        plain, quoted, place = _word(text, place)
        if plain == "OR" and not quoted and not excluded and not prefix:
            found.append(None)
        else:
            found.append(Term(plain, prefix is not None, excluded))
    return found


def _word(text: str, place: int) -> tuple[str, bool, int]:
    """Return the word or the quoted text at a place, whether it was quoted, and where the rest begins."""
    if place < len(text) and text[place] in _OPENING:
        closing = {_OPENING[text[place]], '"'} if text[place] == "“" else {_OPENING[text[place]]}
        end = place + 1
        while end < len(text) and text[end] not in closing:
            end += 1
        return text[place + 1 : end], True, end + 1
    end = place
    while end < len(text) and not text[end].isspace() and text[end] not in _OPENING:
        end += 1
    return text[place:end], False, end


def index_query(query: Query, columns: str) -> str | None:
    """Return the query for the index, its plain words looked for in `columns`; None when it asks for no word.

    A query of excluded words alone gives what they exclude; the caller takes it away from everything.
    """
    groups = [" OR ".join(_index_term(term, columns) for term in group) for group in query.groups]
    excluded = " OR ".join(_index_term(term, columns) for term in query.excluded)
    if not groups:
        return excluded or None
    wanted = " AND ".join(f"({group})" for group in groups)
    return f"({wanted}) NOT ({excluded})" if excluded else wanted


def _index_term(term: Term, columns: str) -> str:
    return f"{{{'title' if term.in_title else columns}}} : {phrase(term.text)}"
