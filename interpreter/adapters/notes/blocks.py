"""Markdown to blocks: what stands at the top of a note, one after another, and what containers hold.

One pass over the lines; nothing in a note is an error. A list item is a block of its own, as in the note services, so
that every item can be read and cited alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from interpreter.adapters.notes.inline import Resolve, attribute, escaped, plain, xml
from rules.patterns import regex
from rules.records import NamedTuple

_FENCE = regex(r"[ \t]*(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_ITEM = regex(r"([ \t]*)([-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_BOX = regex(r"\[([ xX])\](?:[ \t]+|$)")
_BARE_BOX = regex(r"[ \t]*\[([ xX])\][ \t]+\S")
_CALLOUT = regex(r"\[!([\w-]{1,40})\][+-]?[ \t]*(.*)$")
_ALONE = regex(r"!\[(?P<alt>[^\[\]\n]{0,300})\]\((?P<source>[^()\s]{1,2000})(?:\s[^()\n]{0,200})?\)$")
_EMBED_ALONE = regex(r"!\[\[([^\[\]\n]{1,300})\]\]$")
_DELIMITER = regex(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELL_END = regex(r"(?<!\\)\|")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_ID_LENGTH = 10
#: Units: characters. A line without an end is no list, table or fence.
_LONGEST_HEAD = 1000


class Block(NamedTuple):
    """Shapes: `raw` is Markdown, or the text itself in a code block; `rows` the cells of a table; `children` what a
    container holds. `id` is '' until `identified` gave it.
    """

    kind: str
    raw: str
    attrs: Mapping[str, Any] = {}
    children: tuple[Block, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    id: str = ""

    @property
    def text(self) -> str:
        """What a reader sees: the cells of a row with ` | ` between them, the paragraphs of a quotation as lines."""
        if self.kind == "code_block":
            return self.raw
        if self.kind == "table":
            return "\n".join(" | ".join(map(plain, row)) for row in self.rows)
        if self.children:
            return "\n".join(child.text for child in self.children)
        return plain(self.raw) if self.kind not in ("horizontal_rule", "embed") else ""


# --- reading lines ----------------------------------------------------------------------------------------------------


def read_blocks(text: str) -> list[Block]:
    """Return the blocks of a note, in order."""
    return _Reader(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")).read()


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._place = 0
        self._found: list[Block] = []
        self._paragraph: list[str] = []
        self._indents: list[int] = []

    def read(self) -> list[Block]:
        while self._place < len(self._lines):
            line = self._lines[self._place]
            stripped = line.strip()
            if not stripped:
                self._end_paragraph()
                self._place += 1
            elif not self._special(line, stripped):
                self._paragraph.append(stripped)
                self._place += 1
        self._end_paragraph()
        return self._found

    def _special(self, line: str, stripped: str) -> bool:
        """Read what begins with this line when it is more than a line of a paragraph."""
        first = stripped[0]
        if first in "`~" and self._fence(line):
            return True
        if first == "#" and self._heading(stripped):
            return True
        if first in "-=*_" and self._rule_or_underline(stripped):
            return True
        if (first in "-*+" or first.isdigit()) and self._item(line):
            return True
        if first == "[" and self._bare_box(line):
            return True
        if first == ">":
            self._quotation()
            return True
        if first == "!" and not self._paragraph and self._alone(stripped):
            return True
        return "|" in line and self._table(line)

    def _add(self, block: Block) -> None:
        self._end_paragraph()
        if block.kind != "list":
            self._indents.clear()
        self._found.append(block)

    def _end_paragraph(self) -> None:
        if not self._paragraph:
            return
        text = "\n".join(self._paragraph)
        self._paragraph.clear()
        self._indents.clear()
        self._found.append(Block("paragraph", text))

    def _fence(self, line: str) -> bool:
        opening = _FENCE.match(line) if len(line) < _LONGEST_HEAD else None
        if opening is None:
            return False
        mark = opening.group(1)
        inner: list[str] = []
        self._place += 1
        while self._place < len(self._lines):
            closing = self._lines[self._place].strip()
            self._place += 1
            if len(closing) >= len(mark) and closing == mark[0] * len(closing):
                break
            inner.append(self._lines[self._place - 1])
        language = opening.group(2).split()
        self._add(Block("code_block", "\n".join(inner), {"lang": language[0]} if language else {}))
        return True

    def _heading(self, stripped: str) -> bool:
        level = len(stripped) - len(stripped.lstrip("#"))
        rest = stripped[level:]
        if level > 6 or (rest and rest[0] not in " \t"):
            return False
        text = rest.strip()
        shorter = text.rstrip("#")
        if shorter != text and (not shorter or shorter[-1] in " \t"):
            text = shorter.rstrip()
        self._place += 1
        self._add(Block("heading", text, {"level": level}))
        return True

    def _rule_or_underline(self, stripped: str) -> bool:
        marks = stripped.replace(" ", "").replace("\t", "")
        if marks != marks[0] * len(marks):
            return False
        if self._paragraph and marks == stripped and len(marks) > 1 and marks[0] in "=-":
            text = "\n".join(self._paragraph)
            self._paragraph.clear()
            self._place += 1
            self._add(Block("heading", text, {"level": 1 if marks[0] == "=" else 2}))
            return True
        if len(marks) < 3 or marks[0] == "=":
            return False
        self._place += 1
        self._add(Block("horizontal_rule", ""))
        return True

    def _item(self, line: str) -> bool:
        head = _ITEM.match(line)
        if head is None:
            return False
        text = line[head.end() :].strip()
        mark = head.group(2)
        if not text or (self._paragraph and mark[0].isdigit() and mark[:-1] != "1"):
            return False  # an empty item, or a number that happens to begin a line of a paragraph
        attrs: dict[str, Any] = {"listType": "bullet", "listLevel": self._level(_width(head.group(1)))}
        if mark[0].isdigit():
            attrs |= {"listType": "ordered", "number": int(mark[:-1])}
        box = _BOX.match(text)
        if box is not None:
            attrs |= {"listType": "todo", "checked": box.group(1) != " "}
            text = text[box.end() :]
        self._add_item(text, attrs)
        return True

    def _bare_box(self, line: str) -> bool:
        box = _BARE_BOX.match(line)
        if box is None:
            return False
        level = self._level(_width(line[: len(line) - len(line.lstrip())]))
        attrs = {"listType": "todo", "listLevel": level, "checked": box.group(1) != " "}
        self._add_item(line[box.end() - 1 :].strip(), attrs)
        return True

    def _level(self, indent: int) -> int:
        self._end_paragraph()
        while self._indents and self._indents[-1] >= indent:
            self._indents.pop()
        self._indents.append(indent)
        return len(self._indents) - 1

    def _add_item(self, text: str, attrs: Mapping[str, Any]) -> None:
        """Add an item with the lines that go on with it."""
        lines = [text]
        self._place += 1
        while self._place < len(self._lines):
            line = self._lines[self._place]
            stripped = line.strip()
            if not stripped or self._begins_something(line, stripped):
                break
            lines.append(stripped)
            self._place += 1
        self._add(Block("list", "\n".join(lines), attrs))

    def _begins_something(self, line: str, stripped: str) -> bool:
        first = stripped[0]
        if first == "#":
            marks = len(stripped) - len(stripped.lstrip("#"))
            return marks <= 6 and stripped[marks : marks + 1] in ("", " ", "\t")
        if first in "`~":
            return stripped.startswith(("```", "~~~"))
        if first in "-*+_" or first.isdigit() or first == "[":
            bare = stripped.replace(" ", "")
            is_rule = len(bare) >= 3 and bare == bare[0] * len(bare)
            return is_rule or _ITEM.match(line) is not None or _BARE_BOX.match(line) is not None
        return first == ">" or first == "|"

    def _quotation(self) -> None:
        inner: list[str] = []
        while self._place < len(self._lines) and self._lines[self._place].lstrip().startswith(">"):
            inner.append(self._lines[self._place].strip().lstrip("> \t"))
            self._place += 1
        callout = _CALLOUT.match(inner[0]) if inner and len(inner[0]) < _LONGEST_HEAD else None
        if callout is not None:
            inner[0] = callout.group(2)
        children = _Reader(inner).read()
        kind = "blockquote" if callout is None else "highlight_block"
        self._add(Block(kind, "", {}, tuple(child for child in children if child.kind != "horizontal_rule")))

    def _alone(self, stripped: str) -> bool:
        following = self._lines[self._place + 1].strip() if self._place + 1 < len(self._lines) else ""
        image = _ALONE.match(stripped) if not following and len(stripped) < 2 * _LONGEST_HEAD else None
        embed = _EMBED_ALONE.match(stripped) if not following else None
        if image is None and embed is None:
            return False
        self._place += 1
        if image is not None:
            self._add(Block("image", image.group("alt"), {"src": image.group("source")}))
        elif embed is not None:
            self._add(Block("embed", "", {"name": embed.group(1)}))
        return True

    def _table(self, line: str) -> bool:
        if self._paragraph or self._place + 1 >= len(self._lines):
            return False
        below = self._lines[self._place + 1]
        if "-" not in below or len(below) > 4 * _LONGEST_HEAD or _DELIMITER.match(below) is None:
            return False
        rows = [_cells(line)]
        if len(rows[0]) != len(_cells(below)):
            return False
        self._place += 2
        while self._place < len(self._lines) and "|" in self._lines[self._place]:
            rows.append(_cells(self._lines[self._place]))
            self._place += 1
        self._add(Block("table", "", {}, (), tuple(rows)))
        return True


def _width(indent: str) -> int:
    return len(indent.expandtabs(4))


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return tuple(cell.strip() for cell in _CELL_END.split(inner))


# --- ids --------------------------------------------------------------------------------------------------------------


def short_id(*parts: str) -> str:
    """Return ten letters and digits that stand for the parts."""
    number = int.from_bytes(hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()[:8], "big")
    found = ""
    for _ in range(_ID_LENGTH):
        number, digit = divmod(number, 36)
        found += _DIGITS[digit]
    return found


def identified(note_id: str, blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks with their ids, made of the text alone: what is edited elsewhere changes no id.

    Of blocks with the same text the first, the second and so on have an id each. Ticking a to-do changes none.
    """
    seen: dict[str, int] = {}
    return [_identified(note_id, block, seen) for block in blocks]


def _identified(owner: str, block: Block, seen: dict[str, int]) -> Block:
    rows = "\n".join("|".join(row) for row in block.rows)
    inner = "\n".join(child.kind + child.raw for child in block.children)
    what = "\0".join((block.kind, block.raw, rows, inner, str(block.attrs.get("level", ""))))
    count = seen.get(what, 0)
    seen[what] = count + 1
    block_id = short_id(owner, what, str(count))
    children: dict[str, int] = {}
    return block._replace(
        id=block_id, children=tuple(_identified(block_id, child, children) for child in block.children)
    )


# --- showing ----------------------------------------------------------------------------------------------------------


def as_xml(block: Block, resolve: Resolve) -> str:
    """Return a block as the XML of the note services."""
    own = attribute("id", block.id)
    if block.kind == "heading":
        name = f"h{block.attrs['level']}"
        return f"<{name}{own}>{xml(block.raw, resolve)}</{name}>"
    if block.kind == "code_block":
        language = attribute("lang", block.attrs["lang"]) if "lang" in block.attrs else ""
        return f"<codeblock{own}{language}>{escaped(block.raw)}</codeblock>"
    if block.kind == "table":
        rows = "".join(f"<tr>{''.join(f'<td>{xml(cell, resolve)}</td>' for cell in row)}</tr>" for row in block.rows)
        return f"<table{own}>{rows}</table>"
    if block.kind in ("blockquote", "highlight_block"):
        name = "blockquote" if block.kind == "blockquote" else "highlightBlock"
        return f"<{name}{own}>{''.join(as_xml(child, resolve) for child in block.children)}</{name}>"
    if block.kind == "horizontal_rule":
        return f"<hr{own}/>"
    if block.kind == "image":
        return f"<img{own}{attribute('src', block.attrs['src'])}{attribute('alt', block.raw)}/>"
    if block.kind == "embed":
        return f'<embed{own} type="note"{attribute("name", block.attrs["name"])}/>'
    shown = ("listType", "listLevel", "checked")
    listed = "".join(attribute(name, block.attrs[name]) for name in shown if name in block.attrs)
    return f"<p{own}{listed}>{xml(block.raw, resolve)}</p>"


def all_of(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks and what they hold, in order."""
    for block in blocks:
        yield block
        yield from all_of(block.children)
