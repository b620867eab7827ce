"""Findings as values: what is wrong, where, and what to write instead.

Every code is declared once, in a table under `interpreter/codes/`, with its texts in both languages. A finding is
built complete by `finding(...)` and never patched afterwards. Two words that are used everywhere: a *code* says the
pattern (`name/unknown-state`), *facts* are the values that fill the holes of its texts.
"""

from __future__ import annotations

from collections.abc import Iterable

from interpreter import codes
from interpreter.codes.declared import Code, Severity
from interpreter.safety.masking import texts_in, without
from interpreter.source import Span
from interpreter.words import MOST_LISTED, Words, apart, did_you_mean, holes_of, nearest
from rules.records import NamedTuple, record

#: Whoever makes findings also writes their words.
__all__ = [
    "MOST_LISTED",
    "Code",
    "Diagnostic",
    "Edit",
    "Related",
    "Severity",
    "Words",
    "apart",
    "did_you_mean",
    "errors_of",
    "finding",
    "has_errors",
    "holes_of",
    "in_order",
    "nearest",
]


class Related(NamedTuple):
    span: Span
    message: Words


class Edit(NamedTuple):
    """A replacement that `lint --fix` may make; it never changes the meaning that the author had in mind."""

    span: Span
    text: str


@record
class Diagnostic:
    """One finding.

    Shapes: `span` is None where a finding has no place in a document (a missing file, a wrong option).
    """

    code: str
    severity: Severity
    message: Words
    span: Span | None
    hint: Words | None = None
    related: tuple[Related, ...] = ()
    edit: Edit | None = None

    def sort_key(self) -> tuple[str, int, int, str]:
        if self.span is None:
            return ("", 0, 0, self.code)
        return (self.span.source.name, self.span.start, self.span.end, self.code)


def finding(
    code: str,
    span: Span | None,
    *,
    related: Iterable[Related] = (),
    edit: Edit | None = None,
    hint: Words | None = None,
    **facts: object,
) -> Diagnostic:
    """Return the finding of a declared code, its texts filled with the facts, without secrets of its line.

    Errors: KeyError for a code that no table declares; that is a bug.
    """
    declared = codes.CODES[code]
    words = hint if hint is not None else declared.hint
    hidden = _secrets_beside(span) if span is not None else []
    return Diagnostic(
        code=code,
        severity=declared.severity,
        message=_without(declared.message.filled(facts), hidden),
        span=span,
        hint=_without(words.filled(facts), hidden) if words is not None else None,
        related=tuple(related),
        edit=edit,
    )


def _secrets_beside(span: Span) -> list[str]:
    """Return the secrets that somebody wrote into the line of a place."""
    from interpreter.safety.written_secrets import secrets_of  # where nothing is found nobody looks for them

    number = span.begins.line
    line = span.source.line_text(number)
    return list(texts_in([line[start:end] for start, end in secrets_of(span.source, number)]))


def _without(words: Words, hidden: list[str]) -> Words:
    return Words(without(words.zh, hidden), without(words.en, hidden)) if hidden else words


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings sorted by document and place, duplicates dropped, so that output never depends on timing."""
    seen: set[tuple[object, ...]] = set()
    result = []
    for diagnostic in sorted(diagnostics, key=Diagnostic.sort_key):
        key = (*diagnostic.sort_key(), diagnostic.message.en)
        if key not in seen:
            seen.add(key)
            result.append(diagnostic)
    return result


def errors_of(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings that keep a document from running."""
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)
