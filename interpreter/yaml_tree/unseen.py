"""Characters that YAML takes and nobody sees. Documents may not hold them as they are; data that are read may."""

from __future__ import annotations

from interpreter.diagnostics import Diagnostic, finding
from interpreter.source import Source, Span
from rules.patterns import regex

#: Soft hyphens, zero-width blanks, joiners of words, marks that turn the direction of what follows, and letters without
#: a shape. What joins letters of other scripts, and emoji, is no such character.
_UNSEEN = regex("[\u00ad\u200b\u202a-\u202e\u2060-\u206f\U000e0000-\U000e007f]")


def unseen(source: Source) -> list[Diagnostic]:
    """Return a finding for each such character of a document, where it stands first.

    Errors: yaml/control-character.
    """
    if source.text.isascii() or is_printable(source.text):
        return []
    marks: dict[str, list[int]] = {}
    for match in _UNSEEN.finditer(source.text):
        marks.setdefault(match[0], []).append(match.start())
    return [unseen_mark(source, mark, offsets) for mark, offsets in marks.items()]


def is_printable(text: str) -> bool:
    """Say whether every line is made of what can be seen, blanks included; most texts are, and it is quick to tell."""
    return all(map(str.isprintable, text.split("\n")))


def unseen_mark(source: Source, mark: str, offsets: list[int]) -> Diagnostic:
    """Return the finding of one such character with the places where it stands."""
    place = Span(source, offsets[0], offsets[0] + 1)
    return finding("yaml/control-character", place, mark=f"U+{ord(mark):04X}", count=len(offsets))
