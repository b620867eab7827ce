"""Findings as text with the line they speak of, or as JSON for editors and CI."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from interpreter.diagnostics import Diagnostic, in_order
from interpreter.report.columns import WIDTH, hanging, width_of
from interpreter.report.words import pick, safe

SEVERITIES = {
    "zh": {"error": "错误", "warning": "警告", "note": "提示"},
    "en": {"error": "error", "warning": "warning", "note": "note"},
}
_LONGEST_LINE = 100


def as_text(diagnostics: Iterable[Diagnostic], language: str, width: int = WIDTH) -> Iterator[tuple[str, str]]:
    """Yield (kind, line) pairs; kinds are heading, code, mark, hint and related, so that a terminal may colour them.

    Shapes: words are wrapped to the width, an excerpt never is.
    """
    for kind, line in _as_text(diagnostics, language):
        indent = 4 if kind in SEVERITIES["en"] else 6
        for part in [line] if kind in ("code", "mark") else hanging(line, width, indent):
            yield kind, part


def _as_text(diagnostics: Iterable[Diagnostic], language: str) -> Iterator[tuple[str, str]]:
    for diagnostic in in_order(diagnostics):
        severity = SEVERITIES[language][diagnostic.severity]
        place = _place(diagnostic)
        yield diagnostic.severity, f"{place}{severity}: {safe(pick(diagnostic.message, language))} [{diagnostic.code}]"
        if diagnostic.span is not None:
            yield from _excerpt(diagnostic)
        if diagnostic.hint is not None:
            label = "改法" if language == "zh" else "hint"
            yield "hint", f"    {label}: {safe(pick(diagnostic.hint, language), line_breaks=False)}"
        for related in diagnostic.related:
            begins = related.span.begins
            where = f"{safe(related.span.source.name)}:{begins.line}:{begins.column}"
            yield "related", f"    {where}: {safe(pick(related.message, language))}"


def summary(diagnostics: Iterable[Diagnostic], language: str) -> str:
    """Return one line that counts the findings."""
    counts: dict[str, int] = {}
    for diagnostic in in_order(diagnostics):
        counts[diagnostic.severity] = counts.get(diagnostic.severity, 0) + 1
    if not counts:
        return "没有发现问题" if language == "zh" else "nothing found"
    if language == "zh":
        return "，".join(f"{counts[name]} 个{SEVERITIES['zh'][name]}" for name in SEVERITIES["zh"] if name in counts)
    return ", ".join(
        f"{counts[name]} {name}{'s' if counts[name] != 1 else ''}" for name in SEVERITIES["en"] if name in counts
    )


def as_json(diagnostics: Iterable[Diagnostic], language: str) -> dict[str, Any]:
    return {"diagnostics": [_one(diagnostic, language) for diagnostic in in_order(diagnostics)]}


def _one(diagnostic: Diagnostic, language: str) -> dict[str, Any]:
    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "file": span.source.name if span is not None else None,
        "line": span.begins.line if span is not None else None,
        "column": span.begins.column if span is not None else None,
        "end_line": span.ends.line if span is not None else None,
        "end_column": span.ends.column if span is not None else None,
        "message": pick(diagnostic.message, language),
        "hint": pick(diagnostic.hint, language) if diagnostic.hint is not None else None,
    }


def _place(diagnostic: Diagnostic) -> str:
    if diagnostic.span is None:
        return ""
    begins = diagnostic.span.begins
    return f"{safe(diagnostic.span.source.name)}:{begins.line}:{begins.column}: "


def _excerpt(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    span = diagnostic.span
    assert span is not None
    begins, ends = span.begins, span.ends
    line = span.source.line_text(begins.line)
    if not line.strip():
        return
    first = max(0, begins.column - 1 - _LONGEST_LINE // 2) if len(line) > _LONGEST_LINE else 0
    part = line[first : first + _LONGEST_LINE]
    number = f"{begins.line:>5} | "
    yield "code", number + safe(part)
    last = ends.column - 1 if ends.line == begins.line else len(line)
    before = safe(line[first : begins.column - 1])
    marked = safe(line[begins.column - 1 : min(max(last, begins.column), first + _LONGEST_LINE)])
    yield "mark", " " * 6 + "| " + " " * width_of(before) + "^" * max(1, width_of(marked))
