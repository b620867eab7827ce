"""A named text and character spans in it; the only place that knows lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple


class Position(NamedTuple):
    """Units: line and column count from 1; a column is one code point."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
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

    def offset(self, line: int, column: int) -> int:
        """Return the character offset of a position, both counted from 1."""
        starts = self._line_starts()
        line = max(1, min(line, len(starts)))
        return min(starts[line - 1] + column - 1, len(self.text))

    def _line_starts(self) -> list[int]:
        if not self._starts:
            self._starts.append(0)
            text = self.text
            at = 0
            while at < len(text):
                mark = text[at]
                at += 1
                if mark == "\n" or (mark == "\r" and not text.startswith("\n", at)):
                    self._starts.append(at)
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
