"""Findings as values: what is wrong, where, and what to write instead.

Every code is declared once, in a table under `interpreter/codes/`, with its texts in both languages. A finding is
built complete by `finding(...)` and never patched afterwards. Two words that are used everywhere: a *code* says the
pattern (`name/unknown-state`), *facts* are the values that fill the holes of its texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from interpreter import codes
from interpreter.codes.declared import Code, Severity
from interpreter.source import Span
from interpreter.words import MOST_LISTED, Words, apart, at_home, did_you_mean, filled, holes_of, nearest
from rules.records import NamedTuple, record, replace

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

    Shapes: `span` is None where a finding has no place in a document (a missing file, a wrong option); `command` does
    what the hint says, empty where there is none.
    """

    code: str
    severity: Severity
    message: Words
    span: Span | None
    hint: Words | None = None
    related: tuple[Related, ...] = ()
    edit: Edit | None = None
    command: str = ""

    @property
    def advice(self) -> Words | None:
        """The hint with its command behind it."""
        return self.hint.with_command(self.command) if self.hint is not None else None

    def of_home(self, home: str) -> Diagnostic:
        """Return the finding with its command as it is typed for the runs of a home."""
        return replace(self, command=at_home(self.command, home))

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
    """Return the finding of a declared code, its texts filled with the facts, without secrets.

    Errors: KeyError for a code that no table declares; that is a bug.
    """
    declared = codes.CODES[code]
    related = tuple(related)
    masked = _masking([one for one in (span, *(other.span for other in related)) if one is not None])
    words, command = (_masked(hint, masked), "") if hint is not None else (declared.hint, declared.command)
    facts = {name: masked(str(value)) for name, value in facts.items()}
    return Diagnostic(
        code=code,
        severity=declared.severity,
        message=declared.message.filled(facts),
        span=span,
        hint=words.filled(facts) if words is not None else None,
        related=tuple(Related(one.span, _masked(one.message, masked)) for one in related),
        edit=edit,
        command=filled(command, facts),
    )


def _masking(spans: Iterable[Span]) -> Callable[[str], str]:
    """Return what masks secrets in the words of a finding: those of the documents of its places, and others."""
    from interpreter.safety.written_secrets import masked_text, secrets_in  # where nothing is found nobody looks

    sources = {id(one.source): one.source for one in spans}.values()
    written = [secret for source in sources for secret in secrets_in(source)]
    if not written:
        return masked_text
    from interpreter.safety.secrets import Secrets

    hidden = Secrets(written)
    return lambda text: masked_text(hidden.masked(text))


def _masked(words: Words, masked: Callable[[str], str]) -> Words:
    return Words(masked(words.zh), masked(words.en))


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
