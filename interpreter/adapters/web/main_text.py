"""The text of a page that is its own: what trafilatura chooses, written down letter for letter.

trafilatura is asked without its second opinions (readability, justext): they decide by comparing lengths, cost the
square of the number of paragraphs, and make the result hard to foresee. Its own removal of duplicates remembers earlier
pages and is off. It drops the words of elements that it does not know and turns tables that only place things into one
line, so both are made plain first; it takes paragraphs anywhere and bare text only in some places, so what stands bare
in a block or an item of a list is put into paragraphs, and lines of a text set as it was typed that were broken to fit
a width are put together; it fills tables up to their widest row, so wide ones with few cells become lines; and its
text output escapes and adds marks, so its tree is written down here.
Where it finds nothing, all blocks outside navigation are taken, at last those too whose names say that they only stand
beside the text.
"""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

from lxml import etree  # type: ignore[import-untyped]
from trafilatura import bare_extraction
from trafilatura.settings import use_config

from interpreter.adapters.web.tree import Element, asides, lines_of, one_blank, plain, text_of
from interpreter.adapters.web.wording import Wording, found_words
from interpreter.adapters.web.wrapped import unwrapped

_ASIDE = frozenset({"nav", "footer", "aside", "header", "form", "button", "select"})
_INLINE = (
    "time", "abbr", "acronym", "data", "output", "mark", "ins", "u", "small", "label", "font", "var", "samp", "kbd",
    "dfn", "cite", "bdi", "bdo", "big", "tt", "ruby", "rb", "wbr", "nobr", "center",
)  # fmt: skip
#: Blocks and items in which text stands bare on many pages.
_HOLDERS = frozenset({"li", "dd", "dt", "div", "section", "article", "main", "body", "blockquote"})
#: Characters; a longer line says something of its own.
_LONGEST_BESIDE = 60
_IN_A_LINE = frozenset({"a", "b", "br", "code", "del", "em", "i", "img", "q", "s", "span", "strong", "sub", "sup"})
#: A table that holds one of these places things on the page.
_PLACED = ("p", "div", "h1", "h2", "h3", "table", "ul", "ol", "form", "article", "section")
_BETWEEN = " | "
_CELL_END = "\x1f"
#: A table that has more cells when its rows are filled up is written down row by row.
_MOST_CELLS = 2000
_TABLE_PARTS = ("table", "tbody", "thead", "tfoot", "tr", "td", "th")
#: Blocks of the tree that trafilatura makes.
_BLOCKS = frozenset({"p", "head", "item", "list", "row", "table", "quote", "code", "lb", "div", "ab", "fw", "body"})


def main_text(tree: Element, wording: Wording, *, is_forum: bool) -> str:
    """Return the main text, one paragraph a line, the cells of a row with ` | ` between them. The tree stays."""
    shortest = wording["numbers"]["shortest_text"]
    beside = _Beside(wording)
    whole = _plain_tree(tree, beside, wording)
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
        blocks = _plain_tree(tree, beside, wording)
        lines = lines_of(blocks, lambda one: one.tag in _ASIDE or beside.is_element(one))
        lines = lines or lines_of(blocks, lambda one: one.tag in _ASIDE)
    return "\n".join(lines)


class _Beside:
    """Tells what stands around the text of a page: menus, banners, requests for consent, lines about rights."""

    def __init__(self, wording: Wording) -> None:
        names = [*wording["aside_names"], *wording["beside_names"]]
        self._words = wording["walls"]["beside"]
        self.is_element = asides(wording["aside"], names, wording["beside_roles"])

    def is_line(self, line: str) -> bool:
        return len(line) <= _LONGEST_BESIDE and bool(found_words(self._words, line))


@cache
def _config(shortest: int) -> Any:
    """Return the library's settings, with its idea of enough text (250 characters) made ours: Chinese says more with
    fewer, and below it the library takes everything on the page.
    """
    config = use_config()
    config.set("DEFAULT", "MIN_EXTRACTED_SIZE", str(shortest))
    config.set("DEFAULT", "MIN_OUTPUT_SIZE", "1")
    return config


def _plain_tree(whole: Element, beside: _Beside, wording: Wording) -> Element:
    """Return a tree of a page's own to be taken apart by whoever gets it."""
    tree = deepcopy(whole)
    for element in tree.iterfind(".//*[@style]"):
        del element.attrib["style"]  # what is hidden is out already; the library would look by itself, and see less
    for element in list(tree.iter("noscript")):
        element.drop_tree()  # its readers have scripts
    for element in tree.iter(*_INLINE):
        element.tag = "span"
    for element in [one for one in tree.iter() if "-" in one.tag]:  # of a page's own making
        element.tag = "div" if next(element.iterdescendants(*_PLACED), None) is not None else "span"
    for table in list(tree.iter("table")):
        if next(table.iterdescendants(*_PLACED), None) is not None:
            for part in list(table.iter(*_TABLE_PARTS)):
                part.tag = "div"
        else:
            _make_narrow(table)
    for element in tree.iter("pre"):
        _unwrap(element, wording)
    for element in _holders(tree, beside):
        _make_paragraphs(element, beside)
    return tree


def _holders(tree: Element, beside: _Beside) -> list[Element]:
    """Return the blocks and items that belong to the text."""
    found: list[Element] = []
    left_out = 0  # how deep inside what stands beside the text
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        if event == "end":
            left_out -= bool(left_out)
        elif left_out or beside.is_element(element):
            left_out += 1
        elif element.tag in _HOLDERS:
            found.append(element)
    return found


def _make_paragraphs(element: Element, beside: _Beside) -> None:
    """Put what stands bare in an element, before, between and behind the blocks in it, into paragraphs."""
    run: list[Element] = []
    for child in reversed(element):
        if child.tag in _IN_A_LINE:
            run.append(child)
            continue
        if _says_something(child.tail, run, beside):
            child.addnext(_paragraph(element, child.tail, run))
            child.tail = None
        run = []
    if _says_something(element.text, run, beside):
        element.insert(0, _paragraph(element, element.text, run))
        element.text = None


def _paragraph(around: Element, text: str | None, run: list[Element]) -> Element:
    """Return a paragraph of a text and of what follows it in the line. Shapes: the last one stands first in `run`."""
    paragraph = around.makeelement("p")
    paragraph.text = one_blank(text or "")
    paragraph.extend(reversed(run))
    return paragraph


def _says_something(text: str | None, run: list[Element], beside: _Beside) -> bool:
    """Whether not most of it is links: menus and lists of what else there is to read are made of these."""
    whole = plain("".join([text or "", *(text_of(child) + (child.tail or "") for child in reversed(run))]))
    linked = sum(len(text_of(link)) for child in run for link in child.iter("a"))
    return whole != "" and 3 * linked <= len(whole) and not beside.is_line(whole)


def _unwrap(typed: Element, wording: Wording) -> None:
    """Put lines together that were broken to fit a width, in an element that shows its text as it was typed."""
    if any(one.tag not in _IN_A_LINE for one in typed.iterdescendants()):
        return
    for line_break in typed.iter("br"):
        line_break.tail = f"\n{line_break.tail or ''}"
    lines, numbers = "".join(typed.itertext()).splitlines(), wording["numbers"]
    typed.clear(keep_tail=True)
    typed.text = "\n".join(unwrapped(lines, numbers["full_line"], numbers["wrapped_width"]))


def _make_narrow(table: Element) -> None:
    """Take out of a table what makes empty cells, and write its rows down where filling them up would make many."""
    rows = list(table.iter("tr"))
    widths = [sum(1 for _ in row.iterchildren("td", "th")) for row in rows]
    for cell in table.iter("td", "th"):
        for name in ("colspan", "rowspan"):
            cell.attrib.pop(name, None)
    filled = len(rows) * max(widths, default=0)
    if filled <= _MOST_CELLS or filled <= 2 * sum(widths):
        return
    for row in rows:
        text = _BETWEEN.join(filter(None, (text_of(cell) for cell in row.iterchildren("td", "th"))))
        tail = row.tail
        row.clear()
        row.tag, row.text, row.tail = "p", text, tail
    for part in list(table.iter("table", "tbody", "thead", "tfoot")):
        part.tag = "div"


def _lines(body: Element) -> list[str]:
    pieces: list[str] = []
    for event, element in etree.iterwalk(body, events=("start", "end")):
        if element.tag in _BLOCKS:
            pieces.append("\n")
        if event == "start":
            pieces.append(element.text or "")
            continue
        if element.tag == "cell" and element.getnext() is not None:
            pieces.append(_CELL_END)
        if element is not body:
            pieces.append(element.tail or "")
    rows = (raw.rstrip(_CELL_END + " ").replace(_CELL_END, _BETWEEN) for raw in "".join(pieces).split("\n"))
    return [line for row in rows if (line := plain(row))]
