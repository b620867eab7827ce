"""What a document is made of: scalars, sequences and mappings, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Literal, TypeAlias

from interpreter.source import Span

Style: TypeAlias = Literal["plain", "quoted", "block"]
Single: TypeAlias = bool | int | Decimal | str | None
Plain: TypeAlias = "Single | list[Plain] | dict[str, Plain]"
Path: TypeAlias = "tuple[str | int, ...]"
Offsets: TypeAlias = tuple[int, ...] | range


class Scalar:
    """One value without parts.

    Shapes: `value` is what it means (None, bool, int, Decimal or str), `text` its characters; `surprise` names the
    YAML 1.1 form that it would have elsewhere (`boolean-word`, `octal`, `date`, …); `broken` says that the place
    already has a finding and the value stands for nothing.
    """

    __slots__ = ("_offsets", "broken", "span", "style", "surprise", "text", "value")

    def __init__(
        self,
        value: Single,
        text: str,
        style: Style,
        span: Span,
        surprise: str | None = None,
        *,
        broken: bool = False,
        offsets: Offsets | None = None,
    ) -> None:
        self.value = value
        self.text = text
        self.style = style
        self.span = span
        self.surprise = surprise
        self.broken = broken
        self._offsets = offsets

    @property
    def offsets(self) -> Offsets:
        """Return the document offset of every character of `text`, or () where they cannot be told apart."""
        if self._offsets is None:
            raw = self.span.source.text[self.span.start : self.span.end]
            self._offsets = character_offsets(raw, self.span.start, self.text, self.style)
        return self._offsets

    def __repr__(self) -> str:
        return f"Scalar({self.value!r})"


class Sequence:
    __slots__ = ("items", "span")

    def __init__(self, items: tuple[Node, ...], span: Span) -> None:
        self.items = items
        self.span = span

    def __repr__(self) -> str:
        return f"Sequence({self.items!r})"


class Mapping:
    """Entries in the order of the document; every key is text and stands once."""

    __slots__ = ("_places", "entries", "span")

    def __init__(self, entries: tuple[tuple[Scalar, Node], ...], span: Span) -> None:
        self.entries = entries
        self.span = span
        self._places: dict[str, tuple[Scalar, Node]] | None = None

    def get(self, name: str) -> Node | None:
        """Return the value under a key, or None where there is no such key."""
        found = self._entry(name)
        return found[1] if found else None

    def key(self, name: str) -> Scalar | None:
        """Return the key itself, with its place, or None."""
        found = self._entry(name)
        return found[0] if found else None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._entry(name) is not None

    def _entry(self, name: str) -> tuple[Scalar, Node] | None:
        if self._places is None:
            self._places = {entry[0].text: entry for entry in self.entries}
        return self._places.get(name)

    def __repr__(self) -> str:
        return f"Mapping({self.entries!r})"


Node: TypeAlias = Scalar | Sequence | Mapping


def to_value(node: Node) -> Plain:
    """Return plain data: dict, list, str, int, Decimal, bool, None."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [to_value(item) for item in node.items]
    return {key.text: to_value(value) for key, value in node.entries}


def places(node: Node) -> dict[Path, Span]:
    """Return the span of every node by its path of keys and positions; the root's path is ()."""
    return {path: one.span for path, one in walk(node, ())}


def walk(node: Node, path: Path) -> Iterator[tuple[Path, Node]]:
    yield path, node
    if isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            yield from walk(item, (*path, index))
    elif isinstance(node, Mapping):
        for key, value in node.entries:
            yield from walk(value, (*path, key.text))


def scalars(node: Node) -> list[Scalar]:
    """Return every value without parts, keys included, in the order of the document."""
    found: list[Scalar] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Scalar):
            found.append(one)
        elif isinstance(one, Sequence):
            waiting.extend(reversed(one.items))
        else:
            for key, value in reversed(one.entries):
                waiting += (value, key)
    return found


_SIMPLE_ESCAPES = {
    "0": 1, "a": 1, "b": 1, "t": 1, "n": 1, "v": 1, "f": 1, "r": 1, "e": 1, " ": 1, '"': 1, "/": 1, "\\": 1,
    "N": 1, "_": 1, "L": 1, "P": 1, "x": 3, "u": 5, "U": 9, "\t": 1,
}  # fmt: skip


def character_offsets(raw: str, start: int, text: str, style: Style) -> Offsets:
    """Return the offset of each character of `text`, which is written as `raw` at `start`; () where it is unclear."""
    if style == "block":
        found = _block_offsets(raw, start, text)
    elif "\n" in raw or "\r" in raw:
        return ()
    elif style == "plain":
        return range(start, start + len(text)) if raw == text else ()
    elif raw[1:-1] == text:
        return range(start + 1, start + 1 + len(text))
    elif raw[:1] == "'":
        found = _single_quoted_offsets(raw, start)
    else:
        found = _double_quoted_offsets(raw, start)
    return tuple(found) if len(found) == len(text) else ()


def _single_quoted_offsets(raw: str, start: int) -> list[int]:
    found = []
    at = 1
    while at < len(raw) - 1:
        found.append(start + at)
        at += 2 if raw[at] == "'" else 1
    return found


def _double_quoted_offsets(raw: str, start: int) -> list[int]:
    found = []
    at = 1
    while at < len(raw) - 1:
        found.append(start + at)
        at += 1 + _SIMPLE_ESCAPES.get(raw[at + 1], 1) if raw[at] == "\\" else 1
    return found


def _block_offsets(raw: str, start: int, text: str) -> list[int]:
    """Return the offsets for a literal block, line by line; a folded one has no clear ones.

    Its trailing line breaks may lie behind the scalar's end; they stand at that end.
    """
    if raw[:1] != "|" or not text:
        return []
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", raw)
    at = start + len(lines[0])
    body = lines[1:]
    wanted = text.split("\n")
    first = next((index for index, line in enumerate(wanted) if line), None)
    if first is None or first >= len(body):
        return []
    indentation = len(body[first].rstrip("\r\n")) - len(wanted[first])
    found: list[int] = []
    for index, line in enumerate(wanted):
        written = body[index].rstrip("\r\n") if index < len(body) else ""
        inner = at + min(indentation, len(written))
        if index < len(body) and written[indentation:] != line:
            return []
        found += range(inner, inner + len(line))
        at += len(body[index]) if index < len(body) else 0
        found.append(inner + len(line) if index < len(body) else start + len(raw))
    return found[: len(text)]
