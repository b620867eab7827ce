"""A page as a tree, and the few things that are asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from lxml import etree, html  # type: ignore[import-untyped]

from interpreter.adapters.web.styles import Sheet
from interpreter.adapters.web.unseen import remove_unseen
from rules.patterns import regex
from rules.records import NamedTuple

Element = Any

_BLANKS = regex(r"[ \t\r\n\f\v\u00a0\u3000]+")
_UNSEEN = regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff]")
_PARTS = regex(r"[-_]+")
_ELSEWHERE = frozenset({"with", "has", "no", "without"})
_BLOCK_NAMES = (
    "address article aside blockquote br button caption dd details div dl dt fieldset figcaption figure footer form h1 "
    "h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody tfoot thead tr ul body"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_CELLS = frozenset({"td", "th"})
_SILENT = frozenset({"script", "style", "template", "noscript", "svg", "iframe", "object", "head", "title", "option"})


class Tree(NamedTuple):
    """Shapes: `is_cut` where the page is nested deeper than the parser goes (256)."""

    root: Element
    is_cut: bool


def parse(markup: str, styles: Iterable[str] = (), hidden_names: Iterable[str] = ()) -> Tree | None:
    """Return the tree of a page without what its reader does not see, None where there is nothing in it.

    Shapes: `styles` are its style sheets, `hidden_names` classes that everywhere mean hidden.
    """
    # A text that names its own encoding is refused as text; as bytes it is read under ours.
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, recover=True, huge_tree=False, encoding="utf-8")
    try:
        root = html.document_fromstring(markup.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
    remove_unseen(root, Sheet(styles), hidden_names)
    return Tree(root, any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log))


def one_blank(text: str) -> str:
    """Return a text with one blank for any run of them, without what is not seen: any tree takes it."""
    return _UNSEEN.sub("", _BLANKS.sub(" ", text))


def plain(text: str) -> str:
    """Return a text on one line, without what is not seen."""
    return one_blank(text).strip()


def cut_text(text: str, at_most: int) -> str:
    """Return a text cut at the end of a line, at most so many characters long."""
    if len(text) <= at_most:
        return text
    whole = text.rfind("\n", 0, at_most + 1)
    return text[: whole if whole > at_most // 2 else at_most]


def text_of(element: Element) -> str:
    return plain(" ".join(element.itertext(tag=None))) if element is not None else ""


def lines_of(root: Element, is_left_out: Callable[[Element], bool]) -> list[str]:
    """Return the visible text, one line for each block, the cells of a row with ` | ` between them."""
    pieces: list[str] = []
    left_out = 0  # how deep inside what is left out
    for event, element in etree.iterwalk(root, events=("start", "end")):
        name = element.tag
        if event == "start":
            if left_out or name in _SILENT or is_left_out(element):
                left_out += 1
                continue
            pieces.append(_before(element))
            pieces.append((element.text or "").replace("\n", " "))
            continue
        left_out -= bool(left_out)
        if not left_out:
            pieces.append("\n" if name in _BLOCKS else "")
            pieces.append((element.tail or "").replace("\n", " "))
    return [line for raw in "".join(pieces).split("\n") if (line := plain(raw))]


def _before(element: Element) -> str:
    if element.tag in _BLOCKS:
        return "\n"
    return " | " if element.tag in _CELLS and element.getprevious() is not None else ""


def class_parts(element: Element) -> frozenset[str]:
    """Return the parts of the classes and the id of an element, in small letters; `with-sidebar` tells of a sidebar
    elsewhere, and has none.
    """
    own = f"{element.get('class') or ''} {element.get('id') or ''}".lower()
    parts: set[str] = set()
    for word in own.split():
        found = set(_PARTS.split(word))
        if not found & _ELSEWHERE:
            parts |= found
    return frozenset(parts)


def asides(tags: Iterable[str], names: Iterable[str], roles: Iterable[str] = ()) -> Callable[[Element], bool]:
    """Return what tells footers, side columns and navigation, by element, by parts of class and id, by role; what holds
    the title of a page is none.
    """
    own_tags, own_roles = frozenset(tags), frozenset(roles)
    own_names = frozenset(name.lower() for name in names)

    def is_aside(element: Element) -> bool:
        if element.tag == "body":
            return False
        is_named = element.tag in own_tags or element.get("role") in own_roles
        return (is_named or bool(own_names & class_parts(element))) and next(element.iter("h1"), None) is None

    return is_aside


def metas(tree: Element) -> Mapping[str, list[str]]:
    """Return the `meta` texts by name, in small letters."""
    found: dict[str, list[str]] = {}
    for element in tree.iter("meta"):
        name = element.get("name") or element.get("property") or element.get("itemprop") or ""
        content = plain(element.get("content") or "")
        if name and content:
            found.setdefault(name.strip().lower(), []).append(content)
    return found


def links(tree: Element, relation: str) -> Iterator[str]:
    for element in tree.iter("link"):
        if relation in (element.get("rel") or "").lower().split() and element.get("href"):
            yield element.get("href").strip()
