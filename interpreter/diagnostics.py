"""Findings as values: what is wrong, where, and what to write instead.

Every code is declared once, in a table under `interpreter/codes/`, with its texts in both languages. A finding is
built complete by `finding(...)` and never patched afterwards. Two words that are used everywhere: a *code* says the
pattern (`name/unknown-state`), *facts* are the values that fill the holes of its texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from interpreter.source import Span
from rules.patterns import regex
from rules.records import NamedTuple, record

Severity = Literal["error", "warning", "note"]
#: Between a Chinese character and a Latin letter or digit.
_BESIDE = regex(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u4e00-\u9fff])")
_HOLE = regex(r"\{(\w+)\}")


class Words(NamedTuple):
    """One text in both languages."""

    zh: str
    en: str

    def __getitem__(self, language: object) -> str:  # type: ignore[override]
        return self.zh if language in ("zh", 0) else self.en

    def filled(self, facts: Mapping[str, object]) -> Words:
        """Return both texts with each `{fact}` replaced by its value; an unknown hole stays as it is."""
        return Words(_fill(self.zh, facts), _fill(self.en, facts))


class Code(NamedTuple):
    """What every finding of one code has in common.

    Shapes: `message` is one line without a full stop; `hint` says what to write instead; both may hold `{fact}`.
    """

    severity: Severity
    message: Words
    hint: Words | None = None


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
    """Return the finding of a declared code, its texts filled with the facts.

    Errors: KeyError for a code that no table declares; that is a bug.
    """
    from interpreter.codes import CODES

    declared = CODES[code]
    words = hint if hint is not None else declared.hint
    return Diagnostic(
        code=code,
        severity=declared.severity,
        message=declared.message.filled(facts),
        span=span,
        hint=words.filled(facts) if words is not None else None,
        related=tuple(related),
        edit=edit,
    )


def apart(text: str) -> str:
    """Return a Chinese text with a blank wherever a Latin word or number stands beside a Chinese character."""
    return _BESIDE.sub(" ", text)


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


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that somebody most likely meant, or None when none is near."""
    words = list(candidates)
    if not words:
        return None
    from difflib import get_close_matches

    found = get_close_matches(word, words, n=1, cutoff=0.6)
    return found[0] if found else None


#: So many names that are allowed are listed at most.
MOST_LISTED = 12


def did_you_mean(word: str, candidates: Iterable[str]) -> Words:
    """Return a hint: the nearest spelling where there is one, else the short list of what is allowed."""
    names = sorted(set(candidates))
    near = nearest(word, names)
    if near is not None:
        return Words(f"是不是想写 {near}？", f"did you mean {near}?")
    if not names:
        return Words("这里没有可用的名称", "there is no name that may stand here")
    shown = ", ".join(names[:MOST_LISTED]) + (", …" if len(names) > MOST_LISTED else "")
    return Words(f"可用的有：{shown}", f"allowed: {shown}")


def holes_of(words: Words) -> set[str]:
    """Return the names of all holes."""
    return set(_HOLE.findall(words.zh + words.en))


def _fill(text: str, facts: Mapping[str, object]) -> str:
    return _HOLE.sub(lambda hole: str(facts.get(hole[1], hole[0])), text)
