"""The table of all functions, filters and tests; nothing outside it can be called."""

from __future__ import annotations

from typing import Final, Literal

from rules.expr.functions.addresses import ADDRESSES
from rules.expr.functions.conversions import CONVERSIONS
from rules.expr.functions.host import HOST
from rules.expr.functions.lists import LISTS
from rules.expr.functions.nothing import NOTHING
from rules.expr.functions.numbers import NUMBERS
from rules.expr.functions.phrases import PHRASES
from rules.expr.functions.prompts import PROMPTS
from rules.expr.functions.records import RECORDS
from rules.expr.functions.search import SEARCH
from rules.expr.functions.texts import TEXTS
from rules.expr.functions.times import TIMES
from rules.expr.mistakes import FROM_TEXT, SYNONYMS, WITHOUT_ONE
from rules.expr.signatures import Function

GROUPS: Final[dict[str, tuple[Function, ...]]] = {
    "nothing": NOTHING,
    "records": RECORDS,
    "lists": LISTS,
    "numbers": NUMBERS,
    "texts": TEXTS,
    "search": SEARCH,
    "phrases": PHRASES,
    "addresses": ADDRESSES,
    "times": TIMES,
    "conversions": CONVERSIONS,
    "prompts": PROMPTS,
    "host": HOST,
}
"""The table by subject, in the order of the reference page."""

FUNCTIONS: Final[tuple[Function, ...]] = tuple(row for group in GROUPS.values() for row in group)

_BY_NAME: Final = {("function" if row.kind == "host" else row.kind, row.name): row for row in FUNCTIONS}


def find_function(kind: Literal["filter", "test", "function"], name: str) -> Function | None:
    return _BY_NAME.get((kind, name))


def near_function(kind: Literal["filter", "test", "function"], name: str) -> str | None:
    """Return the name that somebody most likely meant: the word of another language, or the nearest spelling."""
    from difflib import get_close_matches

    meant = meant_function(kind, name)
    if meant is not None:
        return meant
    if name.lower() in WITHOUT_ONE:
        return None
    names = sorted({row.name for row in FUNCTIONS if (kind, row.name) in _BY_NAME})
    others = sorted({row.name for row in FUNCTIONS if kind == "test" or row.kind != "test"})
    found = get_close_matches(name, names, n=1, cutoff=0.6) or get_close_matches(name, others, n=1, cutoff=0.6)
    return found[0] if found else None


def meant_function(kind: Literal["filter", "test", "function"], name: str) -> str | None:
    """Return what a word of another language is called here, None for a word that is none."""
    if kind != "test" and name.lower() in FROM_TEXT:
        return "from_json"
    meant = SYNONYMS.get(name) or SYNONYMS.get(name.lower())
    return meant if kind != "test" or (kind, meant) in _BY_NAME else None
