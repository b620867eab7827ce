"""The text of a page that is its own: what trafilatura chooses, written down letter for letter.

trafilatura is asked without its second opinions (readability, justext): they decide by comparing lengths, cost the
square of the number of paragraphs, and make the result hard to foresee. Its own removal of duplicates remembers earlier
pages and is off. It drops the words of elements that it does not know and turns tables that only place things into one
line, so both are made plain first; and its text output escapes and adds marks, so its tree is written down here.
Where it finds nothing, all blocks outside navigation are taken.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from lxml import etree  # type: ignore[import-untyped]
from trafilatura import bare_extraction
from trafilatura.settings import use_config

from interpreter.adapters.web.tree import Element, lines_of, parse, plain

_ASIDE = frozenset({"nav", "footer", "aside", "header", "form", "button", "select"})
_INLINE = (
    "time", "abbr", "acronym", "data", "output", "mark", "ins", "u", "small", "label", "font", "var", "samp", "kbd",
    "dfn", "cite", "bdi", "bdo", "big", "tt", "ruby", "rb", "wbr", "nobr", "center",
)  # fmt: skip
#: A table that holds one of these places things on the page.
_PLACED = ("p", "div", "h1", "h2", "h3", "table", "ul", "ol", "form", "article", "section")
_TABLE_PARTS = ("table", "tbody", "thead", "tfoot", "tr", "td", "th")
#: Blocks of the tree that trafilatura makes.
_BLOCKS = frozenset({"p", "head", "item", "list", "row", "table", "quote", "code", "lb", "div", "ab", "fw", "body"})


def main_text(markup: str, shortest: int, *, is_forum: bool) -> str:
    """Return the main text, one paragraph a line, the cells of a row with ` | ` between them."""
    whole = _plain_tree(markup)
    found: Any = bare_extraction(
        whole,
        config=_config(shortest),
        fast=True,
        include_comments=is_forum,
        include_tables=True,
        deduplicate=False,
        with_metadata=False,
    )
    bodies = [] if found is None else [found.body, found.commentsbody if is_forum else None]
    lines = [line for body in bodies if body is not None for line in _lines(body)]
    if sum(map(len, lines)) < shortest:
        lines = lines_of(_plain_tree(markup), lambda element: element.tag in _ASIDE)
    return "\n".join(lines)


@cache
def _config(shortest: int) -> Any:
    """Return the library's settings, with its idea of enough text (250 characters) made ours: Chinese says more with
    fewer, and below it the library takes everything on the page.
    """
    config = use_config()
    config.set("DEFAULT", "MIN_EXTRACTED_SIZE", str(shortest))
    config.set("DEFAULT", "MIN_OUTPUT_SIZE", "1")
    return config


def _plain_tree(markup: str) -> Element:
    """Return the tree of a page that can be parsed; it is taken apart by whoever gets it."""
    found = parse(markup)
    assert found is not None
    tree = found.root
    for element in tree.iter(*_INLINE):
        element.tag = "span"
    for table in list(tree.iter("table")):
        if next(table.iterdescendants(*_PLACED), None) is not None:
            for part in list(table.iter(*_TABLE_PARTS)):
                part.tag = "div"
    return tree


def _lines(body: Element) -> list[str]:
    pieces: list[str] = []
    for event, element in etree.iterwalk(body, events=("start", "end")):
        if element.tag in _BLOCKS:
            pieces.append("\n")
        if event == "start":
            pieces.append(element.text or "")
            continue
        if element.tag == "cell" and element.getnext() is not None:
            pieces.append(" | ")
        if element is not body:
            pieces.append(element.tail or "")
    return [line for raw in "".join(pieces).split("\n") if (line := plain(raw))]
