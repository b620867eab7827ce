"""Texts of a document that look the same and are not: one letter with its accent as one character, and as two."""

from __future__ import annotations

from unicodedata import normalize

from interpreter.diagnostics import Diagnostic, Related, Words, finding
from interpreter.yaml_tree.nodes import Node, Scalar, scalars

#: Longer texts are for reading, and name nothing. Units: characters.
_LONGEST = 200


def look_alikes(root: Node) -> list[Diagnostic]:
    """Return a finding for each text that looks like an earlier one, where it stands first.

    Shapes: keys, names and values alike, as a name may stand anywhere; one that is written with escapes is seen to be
    another one. Errors: yaml/look-alike.
    """
    if root.span.source.text.isascii():
        return []
    found = []
    first: dict[str, Scalar] = {}
    known: set[str] = set()
    for scalar in scalars(root):
        text = scalar.text
        if text in known or text.isascii() or len(text) > _LONGEST or _raw(scalar).isascii():
            continue
        known.add(text)
        before = first.setdefault(normalize("NFC", text), scalar)
        if before is not scalar:
            found.append(_look_alike(scalar, before))
    return found


def _look_alike(scalar: Scalar, before: Scalar) -> Diagnostic:
    here, there = next(pair for pair in zip(scalar.text, before.text, strict=False) if pair[0] != pair[1])
    return finding(
        "yaml/look-alike",
        scalar.span,
        related=[Related(before.span, Words("第一次在这里", "first here"))],
        text=scalar.text,
        line=before.span.begins.line,
        here=f"U+{ord(here):04X}",
        there=f"U+{ord(there):04X}",
    )


def _raw(scalar: Scalar) -> str:
    return scalar.span.source.text[scalar.span.start : scalar.span.end]
