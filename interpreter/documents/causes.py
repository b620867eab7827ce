"""One cause, one finding: what only follows from another finding in the same document is left out.

A check stays quiet where it can see that something is broken; here is what no single check can see, since the cause
was found by another part.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from interpreter.diagnostics import Diagnostic, errors_of
from interpreter.source import Span

#: Where one of these was found, the document was not read as it stands: whatever else is found in it follows.
_NOT_READ = frozenset({"yaml/control-character", "yaml/too-deeply-nested", "yaml/too-many-aliases", "yaml/too-large"})


def without_consequences(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings without those that follow from another one of them, by document and place."""
    ordered = sorted(diagnostics, key=lambda one: one.span.source.name if one.span is not None else "")
    kept: list[Diagnostic] = []
    for name, group in groupby(ordered, key=lambda one: one.span.source.name if one.span is not None else ""):
        found = list(group)
        kept.extend(_of_one_document(found) if name else found)
    return kept


def _of_one_document(found: list[Diagnostic]) -> list[Diagnostic]:
    if any(one.code == "yaml/second-document" for one in found):
        return [one for one in found if one.code.startswith("yaml/")]  # nothing behind it was read
    unread_for = [one for one in found if one.code in _NOT_READ]
    if unread_for:
        return unread_for
    indented_by_tab = [one for one in found if one.code == "yaml/tab" and _begins_line(one.span)]
    if indented_by_tab:
        first = min(one.span.start for one in indented_by_tab if one.span is not None)
        # How deep a line stands is not known, and so neither what belongs to the lines above it.
        read = [one for one in found if one.code.startswith("yaml/") and one.span is not None]
        found = [one for one in read if one.code == "yaml/tab" or (one.span is not None and one.span.start < first)]
    errors = errors_of(found)
    unread = [one.span for one in errors if one.code.startswith("yaml/")]
    wrong = {(one.span.start, one.span.end) for one in errors if one.span is not None}
    misshapen = {one.span for one in errors if one.code.startswith("shape/")}
    full_width = {one.span.start for one in found if one.code == "yaml/full-width" and one.span is not None}
    return [one for one in found if not _follows(one, unread, wrong) and not _repeats(one, misshapen, full_width)]


def _repeats(one: Diagnostic, misshapen: set[Span | None], full_width: set[int]) -> bool:
    """Say whether a finding is about what has no right form, or quotes a text whose marks are full-width, once more."""
    if not one.code.startswith(("shape/", "yaml/")):
        return one.span in misshapen
    return one.code == "yaml/value-needs-quotes" and one.span is not None and one.span.start in full_width


def _follows(one: Diagnostic, unread: list[Span | None], wrong: set[tuple[int, int]]) -> bool:
    """Say whether a finding is about a text that YAML did not read as it stands, or says less about a wrong value."""
    span = one.span
    if span is None:
        return False
    if one.code == "yaml/surprise":
        return (span.start, span.end) in wrong
    if not one.code.startswith(("expression/", "type/not-boolean", "type/not-a-list")):
        return False
    return any(other is not None and other.start < span.end and span.start < other.end for other in unread)


def _begins_line(span: Span | None) -> bool:
    if span is None:
        return False
    text = span.source.text
    return not text[text.rfind("\n", 0, span.start) + 1 : span.start].strip()
