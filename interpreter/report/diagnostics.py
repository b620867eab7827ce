"""Findings as text with the line they speak of, or as JSON for editors and CI."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from interpreter.diagnostics import Diagnostic, in_order
from interpreter.report.columns import WIDTH, hanging, width_of
from interpreter.report.words import COMMAND_BEGINS, pick, safe
from interpreter.safety.written_secrets import masked_line
from interpreter.source import Span

SEVERITIES = {
    "zh": {"error": "错误", "warning": "警告", "note": "提示"},
    "en": {"error": "error", "warning": "warning", "note": "note"},
}
_CUT = "…"


def as_text(diagnostics: Iterable[Diagnostic], language: str, width: int = WIDTH) -> Iterator[tuple[str, str]]:
    """Yield (kind, line) pairs; kinds are heading, code, mark, hint and related, so that a terminal may colour them.

    Shapes: words are wrapped to the width, an excerpt is cut to it around its place.
    """
    for kind, line in _as_text(diagnostics, language, width):
        indent = 4 if kind in SEVERITIES["en"] else 6
        for part in [line] if kind in ("code", "mark") else hanging(line, width, indent):
            yield kind, part


def _as_text(diagnostics: Iterable[Diagnostic], language: str, width: int) -> Iterator[tuple[str, str]]:
    for diagnostic in in_order(diagnostics):
        severity = SEVERITIES[language][diagnostic.severity]
        place = _place(diagnostic)
        yield diagnostic.severity, f"{place}{severity}: {safe(pick(diagnostic.message, language))} [{diagnostic.code}]"
        if diagnostic.span is not None:
            yield from _excerpt(diagnostic, width)
        if diagnostic.advice is not None:
            label = "改法" if language == "zh" else "hint"
            yield "hint", f"    {label}: {safe(pick(diagnostic.advice, language), line_breaks=False)}"
        for related in diagnostic.related:
            begins = related.span.begins
            where = f"{_named(related.span)}:{begins.line}:{begins.column}"
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
        "hint": pick(diagnostic.advice, language) if diagnostic.advice is not None else None,
    }


def _place(diagnostic: Diagnostic) -> str:
    if diagnostic.span is None:
        return ""
    begins = diagnostic.span.begins
    return f"{_named(diagnostic.span)}:{begins.line}:{begins.column}: "


def _named(span: Span) -> str:
    """Return the name of a document as a line may begin with it."""
    name = safe(span.source.name)
    return f"./{name}" if name.startswith(COMMAND_BEGINS) else name


def _excerpt(diagnostic: Diagnostic, width: int) -> Iterator[tuple[str, str]]:
    """Yield the line of a finding and the marks below its place, cut to the width where the line is longer."""
    span = diagnostic.span
    assert span is not None
    begins, ends = span.begins, span.ends
    line = masked_line(span.source, begins.line)
    if not line.strip():
        return
    start = min(begins.column - 1, len(line))
    end = max(start + 1, ends.column - 1 if ends.line == begins.line else len(line))
    number = f"{begins.line:>5} | "
    first, last = _shown(line, start, end, width - len(number))
    before, behind = _CUT if first > 0 else "", _CUT if last < len(line) else ""
    yield "code", number + before + safe(line[first:last]) + behind
    indent = width_of(before) + width_of(safe(line[first:start]))
    marked = width_of(safe(line[start : min(end, last)]))
    yield "mark", " " * (len(number) - 2) + "| " + " " * indent + "^" * max(1, marked)


def _shown(line: str, start: int, end: int, room: int) -> tuple[int, int]:
    """Return the part of a line to show, with the place from `start` to `end` in it. Units: columns for `room`."""
    if len(line) <= room and width_of(safe(line)) <= room:
        return 0, len(line)
    room -= 2 * width_of(_CUT)
    marked, used = _fitting(line[start : min(end, start + room)], room)
    room -= used
    before, used = _fitting(line[max(0, start - room) : start][::-1], room // 2)
    room -= used
    last = start + marked
    behind, used = _fitting(line[last : last + room], room)
    room -= used
    first = start - before
    further, _ = _fitting(line[max(0, first - room) : first][::-1], room)
    return first - further, last + behind


def _fitting(text: str, room: int) -> tuple[int, int]:
    """Return how many characters of a text fit, and how many columns they take."""
    taken = 0
    for place, mark in enumerate(text):
        columns = width_of(safe(mark))
        if taken + columns > room:
            return place, taken
        taken += columns
    return len(text), taken
