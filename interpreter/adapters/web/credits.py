"""Whom a text names as its origin: labels (来源：…), credit lines (据…报道), an agency's mark at the head of the text.

Patterns are plain words with parts: {name} is a name, {place} a short text, {date} a day without a year. What stands
in < > is the origin; without them {name} is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from interpreter.adapters.web.wording import Wording, label_of

_MARKS = r"\s，。、；：！？,;:!?()（）《》〈〉“”\"'|/<>{}\[\]【】·"
_NAME = rf"[^{_MARKS}]{{2,20}}?"
#: In Latin letters a name may be several words, each but the small ones with a capital.
_LATIN_NAME = r"[A-Z][\w.&’'-]{1,30}(?: (?:[A-Z&][\w.&’'-]{0,30}|of|the|and|for)){0,5}"
_PARTS = {
    "{name}": rf"(?:{_LATIN_NAME}|{_NAME})",
    "{place}": r"[^\s，。；,;()（）]{0,12}?",
    "{date}": r"\d{1,2}月\d{1,2}日",
    "<": "(",
    ">": ")",
}
_PIECES = re.compile(r"(\{name\}|\{place\}|\{date\}|[<>])")
_LABELLED = re.compile(rf"({_LATIN_NAME}|[^{_MARKS}]{{2,30}})")
_DAY = re.compile(r"\d月")
_END = r"(?=[\s，。、；：！？,;:.!?)）]|$)"


def credits_of(lines: Iterable[str], text: str, wording: Wording) -> list[str]:
    """Return the names in the order in which they are met, each once. Shapes: `lines` stand before the text itself."""
    numbers = wording["numbers"]
    own = {name.lower() for name in wording["own_origin"]}
    found = [
        *_labelled(lines, tuple(wording["labels"]["origin"])),
        *_matching(text[: numbers["head_characters"]], wording["credit_patterns"]["head"]),
        *_matching("\n".join([*lines, text]), wording["credit_patterns"]["anywhere"]),
    ]
    return [name for name in dict.fromkeys(found) if name.lower() not in own and _DAY.search(name) is None]


def _labelled(lines: Iterable[str], labels: tuple[str, ...]) -> Iterator[str]:
    for line in lines:
        for label in label_of(labels).finditer(line):
            name = _LABELLED.match(line, label.end())
            if name is not None:
                yield name[1].strip(" .")


def _matching(text: str, patterns: Iterable[str]) -> Iterator[str]:
    for pattern in patterns:
        for found in _compiled(pattern).finditer(text):
            yield found[1].strip(" .")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    is_marked = "<" in pattern
    made = ""
    for piece in _PIECES.split(pattern):
        part = _PARTS.get(piece)
        if part is None:
            made += r"\s+".join(re.escape(word) for word in piece.split(" "))
        else:
            made += f"({part})" if piece == "{name}" and not is_marked else part
    is_open = pattern.endswith(("{name}", "{name}>"))
    return re.compile(made + (_END if is_open else ""))
