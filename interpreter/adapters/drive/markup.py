"""The visible text of an HTML page, read in one pass.

Every search begins where the last one ended, and what has no end goes to the end of the page, as browsers take it: so
the work grows with the length of a page and with nothing else, whatever is written in it.
"""

from __future__ import annotations

import re
from collections import Counter

from rules.patterns import regex

_S = r"\t\n\f\r "
#: A tag with its name (and its end, where no quote stands before it), a comment, or another declaration.
_TOKEN = regex(rf"<(?:(/?)([a-zA-Z][^{_S}/>]*+)([^>\"']*+>)?|(!--)|[!?/])")
#: Attributes of a tag. Nothing follows that could fail, so none is ever read again; the number keeps the memory small.
_ATTRIBUTES = regex(
    rf"(?:[{_S}/]+|[^{_S}/>][^{_S}/>=]*(?:[{_S}]*=[{_S}]*"
    rf"(?:\"[^\"]*\"?|'[^']*'?|[^{_S}>\"'][^{_S}>]*)?)?){{0,64}}"
)
_DECLARATION_END = regex(r">")
_COMMENT_END = regex(r"--!?>")
_EMPTY_COMMENT = regex(r"-?>")
#: What these hold is no markup.
_RAW_END = {
    name: regex(rf"</{name}(?=[{_S}/>])", re.IGNORECASE | re.ASCII)
    for name in ("script", "style", "iframe", "noembed", "noframes", "title", "textarea")
}
_REFERENCE = regex(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[a-zA-Z][a-zA-Z0-9]{1,31};?)")
_DIGITS = 7

_SILENT = frozenset(
    {"script", "style", "template", "noscript", "svg", "math", "object", "iframe", "noembed", "noframes"}
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BLOCK_NAMES = (
    "address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form head "
    "header hr html li main nav ol option p pre section summary table tbody tfoot thead title tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
#: A page with more tags than this is no page that somebody reads; of the rest only the text between tags is taken.
_CLOSELY_READ = 250_000
_ANY_TAG = regex(r"<[^<>]*+>")
#: Stands where a tag leaves no trace: it keeps a reference from being read across the tag, and is taken out again.
_NOTHING = "\0"
_OPENING = {
    **dict.fromkeys(_BLOCKS, "\n"),
    **{name: "\n" + marks for name, marks in _HEADINGS.items()},
    **dict.fromkeys(("td", "th"), " "),
}
_CLOSING = dict.fromkeys((*_BLOCKS, *_HEADINGS), "\n")

_BLANKS = regex(r"[ \t\f\v\u00a0]+")
_BREAKS = regex(r" ?\n[ \n]*")


def html_text(text: str) -> str:
    """Return the visible text of a page, one line for each block, headings marked as in Markdown."""
    joined = _with_characters("".join(_parts(text))).replace(_NOTHING, "").replace("\r", "\n")
    return _BREAKS.sub("\n", _BLANKS.sub(" ", joined)).strip()


def _parts(text: str) -> list[str]:
    parts: list[str] = []
    silent = _Silent()
    place = tags = 0
    while token := _TOKEN.search(text, place):
        if not silent.open:
            parts.append(text[place : token.start()])
        if tags == _CLOSELY_READ:
            return [*parts, _ANY_TAG.sub("\n", text[token.start() :])]
        tags += 1
        name = token[2]
        if name is None:
            place = _after_comment(text, token.end()) if token[4] else _after(_DECLARATION_END, text, token.end())
            continue
        place = token.end() if token[3] else _after_attributes(text, token.end())
        parts.append(_trace(name.lower(), bool(token[1]), text[place - 2] == "/", silent))
        if name.lower() in _RAW_END and not token[1] and text[place - 2] != "/":
            end = _RAW_END[name.lower()].search(text, place)
            content, place = place, end.start() if end else len(text)
            if not silent.open:
                parts.append(text[content:place])
    if not silent.open:
        parts.append(text[place:])
    return parts


def _trace(name: str, closes: bool, is_whole: bool, silent: _Silent) -> str:
    """Return what a tag leaves in the text; `is_whole` says that it is closed in itself."""
    if closes:
        return _NOTHING if silent.close(name) or silent.open else _CLOSING.get(name, _NOTHING)
    if name in _SILENT:
        if not is_whole:
            silent.add(name)
        return _NOTHING
    if silent.open or (is_whole and name not in _BLOCKS):
        return _NOTHING
    return _OPENING.get(name, _NOTHING)


class _Silent:
    """The open elements whose content is not shown. Each is added and taken once, however they are nested."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self._count: Counter[str] = Counter()

    def add(self, name: str) -> None:
        self.open.append(name)
        self._count[name] += 1

    def close(self, name: str) -> bool:
        """Close an element with everything inside it; False where none of that name is open."""
        if not self._count[name]:
            return False
        taken = ""
        while taken != name:
            taken = self.open.pop()
            self._count[taken] -= 1
        return True


def _after(wanted: re.Pattern[str], text: str, place: int) -> int:
    found = wanted.search(text, place)
    return found.end() if found else len(text)


def _after_comment(text: str, place: int) -> int:
    empty = _EMPTY_COMMENT.match(text, place)
    return empty.end() if empty else _after(_COMMENT_END, text, place)


def _after_attributes(text: str, place: int) -> int:
    """Return where a tag ends whose name ends at a place; a `>` in quotes is none."""
    while place < len(text) and text[place] != ">":
        found = _ATTRIBUTES.match(text, place)
        assert found is not None  # it also matches nothing
        place = found.end()
    return min(place + 1, len(text))


def _with_characters(text: str) -> str:
    """Return a text with its references as the characters they stand for."""
    if "&" not in text:
        return text
    import html

    known: dict[str, str] = {}

    def character(reference: re.Match[str]) -> str:
        written = reference[0]
        found = known.get(written)
        if found is None:
            found = known[written] = html.unescape(_short(written))
        return found

    return _REFERENCE.sub(character, text)


def _short(reference: str) -> str:
    """Return a reference without leading zeros; a number that is no character stands as the mark for that."""
    if not reference.startswith("&#"):
        return reference
    start = "&#x" if reference[2] in "xX" else "&#"
    digits = reference[len(start) :].rstrip(";").lstrip("0") or "0"
    return f"{start}{digits};" if len(digits) <= _DIGITS else "\ufffd"
