"""What of a page is read at all: scripts, styles and comments are left out first, so that the limit counts markup.
Style sheets are kept aside: they say what a reader does not see.

One pass; every search begins where the last one ended, so the work grows with the length of a page and nothing else.
"""

from __future__ import annotations

import re
from itertools import islice

from rules.patterns import regex
from rules.records import NamedTuple

_LEFT_OUT = regex(r"<(?:(script|style|svg|template)(?=[\s/>])|!--)", re.IGNORECASE)
_COMMENT_END = regex(r"--!?>")
_TAG_END = regex(r">")
_ELEMENT = regex(r"<[a-zA-Z]")
_ENDS = {name: regex(rf"</{name}(?=[\s/>])[^>]*>?", re.IGNORECASE) for name in ("script", "style", "svg", "template")}
_JSON_LD = regex(r"application/ld\+json", re.IGNORECASE)


class Markup(NamedTuple):
    """Shapes: `linked` are the JSON-LD texts of a page, `styles` its style sheets."""

    text: str
    linked: tuple[str, ...]
    scripts: int
    is_cut: bool
    styles: tuple[str, ...] = ()


def plain_markup(text: str, at_most: int, elements: int) -> Markup:
    """Return the markup of a page without what is never shown, cut at a number of characters and of elements."""
    parts: list[str] = []
    linked: list[str] = []
    styles: list[str] = []
    size = place = scripts = 0
    endless: set[str] = set()  # names that are not closed any more: none of them is looked for again
    while place < len(text):
        found = _LEFT_OUT.search(text, place)
        until = found.start() if found is not None else len(text)
        parts.append(text[place:until])
        size += until - place
        if found is None or size > at_most:
            break
        name = (found[1] or "").lower()
        content, place = _left_out(text, found.end(), name, endless)
        opening, _, inside = content.partition(">")
        if name == "style":
            styles.append(inside)
        if name == "script":
            if _JSON_LD.search(opening) is not None:
                linked.append(inside)
            else:
                scripts += 1
    joined = "".join(parts)
    first_beyond = next(islice(_ELEMENT.finditer(joined, 0, at_most), elements, None), None)
    read = joined[: first_beyond.start() if first_beyond is not None else at_most]
    return Markup(read, tuple(linked), scripts, len(read) < len(joined), tuple(styles))


def _left_out(text: str, start: int, name: str, endless: set[str]) -> tuple[str, int]:
    """Return what is left out, from behind its name on, and where the rest begins."""
    if name not in endless:
        end = _COMMENT_END.search(text, start) if not name else _ENDS[name].search(text, start)
        if end is not None:
            return text[start : end.start()], end.end()
        endless.add(name)
    if name in ("script", "style"):
        return text[start:], len(text)  # browsers take all of the rest for a script, too
    tag = _TAG_END.search(text, start)
    return "", tag.end() if tag is not None else len(text)
