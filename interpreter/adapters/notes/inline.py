"""Markdown inside a line: emphasis, code, links. From one reading come the plain text, the XML, the links and tags.

What looks like markup between digits or Latin letters is not taken for it (`2*3*4`, `snake_case`): a number that loses
a sign is worse than an asterisk too many. Every pattern ends at a bounded distance, so the work grows with the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from xml.sax.saxutils import quoteattr

from rules.patterns import regex
from rules.records import NamedTuple

#: A text without any of these is plain as it stands.
_SPECIAL = regex(r"[\\`*_~=\[<]")
_MARKUP = regex(
    r"""
    \\(?P<escaped>[!-/:-@\[-`{-~])
  | (?P<ticks>`{1,3})(?P<code>[^`\n]{1,2000})(?P=ticks)(?!`)
  | !\[\[(?P<embed>[^\[\]\n]{1,300})\]\]
  | \[\[(?P<note>[^\[\]\n|]{1,300})(?:\|(?P<alias>[^\[\]\n]{1,300}))?\]\]
  | !\[(?P<alt>[^\[\]\n]{0,300})\]\((?P<source>[^()\s]{1,2000})(?:\s[^()\n]{0,200})?\)
  | \[(?P<label>[^\[\]\n]{1,1000})\]\((?P<address>[^()\s]{1,2000})(?:\s[^()\n]{0,200})?\)
  | <(?P<plain_address>https?://[^<>\s]{1,2000})>
  | (?<![0-9A-Za-z*])\*\*(?=[^\s*])(?P<strong>(?:[^*\n]|\*(?!\*)){1,1000})(?<=[^\s*])\*\*(?![0-9A-Za-z*])
  | (?<![0-9A-Za-z*])\*(?=[^\s*])(?P<em>[^*\n]{1,1000})(?<=\S)\*(?![0-9A-Za-z*])
  | (?<!\w)_(?=[^\s_])(?P<under>[^_\n]{1,1000})(?<=\S)_(?!\w)
  | ~~(?=\S)(?P<s>[^~\n]{1,1000})(?<=\S)~~
  | ==(?=\S)(?P<mark>[^=\n]{1,1000})(?<=\S)==
  | (?P<br><br\s?/?>)
  | (?P<tag></?(?:u|b|i|s|em|strong|sub|sup|mark|kbd|span|font)(?:\s[^<>\n]{0,200})?>)
    """,
    re.VERBOSE,
)
_CODE = regex(r"(`{1,3})[^`\n]{1,2000}\1(?!`)")
_TAG = regex(r"(?<![\w#/&])#([\w\-/]{1,220})")
_NO_XML = regex("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NESTED = 4
_ELEMENTS = {"strong": "strong", "em": "em", "under": "em", "s": "s", "mark": "span"}

Resolve = Callable[[str], str | None]


class Piece(NamedTuple):
    """A part of a line. Shapes: `mark` is '' for plain text; `target` the address or name that a link leads to."""

    mark: str
    text: str
    target: str = ""
    parts: tuple[Piece, ...] = ()


def pieces(raw: str, depth: int = 0) -> list[Piece]:
    """Return the parts of a text in order."""
    found: list[Piece] = []
    place = 0
    for match in _MARKUP.finditer(raw):
        if match.start() > place:
            found.append(Piece("", raw[place : match.start()]))
        place = match.end()
        found.append(_piece(match.lastgroup or "", match.groupdict(), depth))
    if place < len(raw):
        found.append(Piece("", raw[place:]))
    return found


def _piece(group: str, parts: dict[str, str | None], depth: int) -> Piece:
    if parts["escaped"] is not None:
        return Piece("", parts["escaped"])
    if parts["code"] is not None:
        return Piece("code", parts["code"])
    if parts["embed"] is not None:
        return Piece("embed", "", parts["embed"])
    if parts["note"] is not None:
        return Piece("note", parts["alias"] or parts["note"], parts["note"])
    if parts["source"] is not None:
        return Piece("image", parts["alt"] or "", parts["source"])
    if parts["address"] is not None:
        return _styled("a", parts["label"] or "", depth, parts["address"])
    if parts["plain_address"] is not None:
        return Piece("a", parts["plain_address"], parts["plain_address"])
    for name in _ELEMENTS:
        inner = parts[name]
        if inner is not None:
            return _styled(name, inner, depth)
    return Piece("br", "\n") if group == "br" else Piece("tag", "")


def _styled(mark: str, raw: str, depth: int, target: str = "") -> Piece:
    if depth < _NESTED and _SPECIAL.search(raw):
        inner = tuple(pieces(raw, depth + 1))
        return Piece(mark, "".join(piece.text for piece in inner), target, inner)
    return Piece(mark, raw, target)


def plain(raw: str) -> str:
    """Return what a reader sees."""
    if not _SPECIAL.search(raw):
        return raw
    return "".join(piece.text for piece in pieces(raw))


def tags_in(raw: str) -> Iterator[str]:
    """Yield the `#tags` of a text, without the sign; digits alone are none."""
    if "#" not in raw:
        return
    for match in _TAG.finditer(_CODE.sub("", raw)):
        name = match.group(1).strip("/-")
        if name and not name.isdigit():
            yield name


def links_in(raw: str) -> Iterator[str]:
    """Yield the names of notes that a text links to."""
    if "[[" in raw or "](" in raw:
        yield from _links(pieces(raw))


def _links(parts: Iterable[Piece]) -> Iterator[str]:
    for piece in parts:
        if piece.mark in ("note", "embed") or (piece.mark == "a" and _is_note(piece.target)):
            yield piece.target
        yield from _links(piece.parts)


def _is_note(address: str) -> bool:
    return "://" not in address and address.lower().partition("#")[0].endswith(".md")


def escaped(text: str) -> str:
    """Return a text as XML holds it; what XML cannot hold becomes the replacement character."""
    return _NO_XML.sub("\ufffd", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def attribute(name: str, value: object) -> str:
    text = value if isinstance(value, str) else str(value).lower()
    return f" {name}={quoteattr(_NO_XML.sub(chr(0xFFFD), text))}"


def xml(raw: str, resolve: Resolve) -> str:
    """Return a text as the XML of the note services; `resolve` finds the note of a name."""
    return "".join(_element(piece, resolve) for piece in pieces(raw))


def _element(piece: Piece, resolve: Resolve) -> str:
    inner = "".join(_element(part, resolve) for part in piece.parts) if piece.parts else escaped(piece.text)
    if piece.mark == "":
        return inner.replace("\n", "<br/>")
    if piece.mark == "br":
        return "<br/>"
    if piece.mark == "code":
        return f'<span code="true">{inner}</span>'
    if piece.mark == "a":
        return f"<a{attribute('href', piece.target)}>{inner}</a>"
    if piece.mark == "note":
        return f"<a{attribute('href', 'note:' + (resolve(piece.target) or ''))}>{inner}</a>"
    if piece.mark == "image":
        return f"<img{attribute('src', piece.target)}{attribute('alt', piece.text)}/>"
    if piece.mark == "embed":
        return f'<embed type="note"{attribute("name", piece.target)}/>'
    if piece.mark == "tag":
        return ""
    name = _ELEMENTS[piece.mark]
    style = ' highlight="true"' if piece.mark == "mark" else ""
    return f"<{name}{style}>{inner}</{name}>"
