"""A named text and character spans in it; the only place that knows lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from rules.records import NamedTuple, field, record


class Position(NamedTuple):
    """Units: line and column count from 1; a column is one code point."""

    line: int
    column: int


@record
class Source:
    """One text with the name under which people know it.

    Shapes: `name` is the path as it was given, or a word such as `<inputs>`; `text` has its byte order mark removed.
    """

    name: str
    text: str
    _starts: list[int] = field(default_factory=list, repr=False, compare=False)

    def position(self, offset: int) -> Position:
        """Return the line and column of a character offset; offsets past the end give the end."""
        starts = self._line_starts()
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(starts, offset)
        return Position(line, offset - starts[line - 1] + 1)

    def line_text(self, line: int) -> str:
        """Return one line without its line break; '' for a line that is not there."""
        starts = self._line_starts()
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r\n")

    def lines(self) -> Iterator[str]:
        """Yield the text of each line, without its line break."""
        return map(self.line_text, range(1, len(self._line_starts()) + 1))

    def offset(self, line: int, column: int) -> int:
        """Return the character offset of a position, both counted from 1."""
        starts = self._line_starts()
        line = max(1, min(line, len(starts)))
        return min(starts[line - 1] + column - 1, len(self.text))

    def _line_starts(self) -> list[int]:
        if not self._starts:
            text = self.text
            breaks = list(_positions(text, "\n"))
            if "\r" in text:
                breaks += [at for at in _positions(text, "\r") if not text.startswith("\n", at + 1)]
                breaks.sort()
            self._starts.extend((0, *(at + 1 for at in breaks)))
        return self._starts


class Span(NamedTuple):
    """A half-open range of characters, `start <= offset < end`."""

    source: Source
    start: int
    end: int

    @property
    def begins(self) -> Position:
        return self.source.position(self.start)

    @property
    def ends(self) -> Position:
        return self.source.position(self.end)

    def inside(self, start: int, end: int) -> Span:
        """Return the part of this span between two offsets that count from its own start."""
        return Span(self.source, self.start + start, min(self.start + end, self.end))


@record
class Place:
    """Where the characters of one scalar stand: `offsets[i]` is the document offset of character i of its value.

    `offsets` is empty for scalars whose characters cannot be told apart in the document (folded, escaped): every
    character then stands at the start of the scalar.
    """

    span: Span
    offsets: Sequence[int] = ()

    def part(self, start: int, end: int) -> Span:
        """Return the span of characters start to end of the scalar's value."""
        if not self.offsets or start >= len(self.offsets):
            return self.span
        last = self.offsets[min(end, len(self.offsets)) - 1] + 1 if end > start else self.offsets[start]
        return Span(self.span.source, self.offsets[start], last)


def _positions(text: str, mark: str) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)
