"""A text with changes made to it, and the way back to the places of the text as it was."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from interpreter.diagnostics import Edit
from interpreter.source import Source, Span
from interpreter.yaml_tree.full_width import HALF

Change = tuple[int, int, str]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits made; of two that overlap the first is made, the other left for the next time."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted({(edit.span.start, edit.span.end, edit.text) for edit in edits}):
        if start >= at and not (start == end == at and parts):
            parts += [text[at:start], new]
            at = end
    return "".join(parts) + text[at:]


class Reading:
    """A text as it is parsed: the source's text with changes made, and the way back to the source's places."""

    def __init__(self, source: Source, text: str, changes: Iterable[Change] = ()) -> None:
        self.source = source
        self.changes = without_overlaps(changes)
        self._starts: list[int] = [0]
        self._backs: list[tuple[int, list[int] | None]] = [(0, None)]
        self.text = self._changed(text) if self.changes else text

    def _changed(self, text: str) -> str:
        parts: list[str] = []
        at = length = 0
        for start, end, new in self.changes:
            parts += [text[at:start], new]
            length += start - at
            self._starts.append(length)
            self._backs.append((start, _alignment(text[start:end], new)))
            length += len(new)
            self._starts.append(length)
            self._backs.append((end, None))
            at = end
        return "".join(parts) + text[at:]

    def place(self, offset: int) -> int:
        """Return the source's offset of an offset in `text`."""
        index = bisect_right(self._starts, offset) - 1
        start, columns = self._backs[index]
        distance = offset - self._starts[index]
        return start + (distance if columns is None else columns[min(distance, len(columns) - 1)])

    def span(self, start: int, end: int) -> Span:
        if not self.changes:
            return Span(self.source, start, end)
        first = self.place(start)
        return Span(self.source, first, max(first, self.place(end - 1) + 1 if end > start else first))


def without_overlaps(changes: Iterable[Change]) -> list[Change]:
    kept: list[Change] = []
    for change in sorted(set(changes)):
        if not kept or change[0] > kept[-1][1] or (change[0] == kept[-1][1] and change[0] > kept[-1][0]):
            kept.append(change)
    return kept


def _alignment(old: str, new: str) -> list[int]:
    """Return for each character of a replacement the character of the old text that it stands for."""
    if len(old) == len(new):
        return list(range(len(new)))
    columns = []
    at = 0
    for mark in new:
        columns.append(min(at, max(len(old) - 1, 0)))
        if at < len(old) and (old[at] == mark or HALF.get(old[at]) == mark):
            at += 1
    return columns
