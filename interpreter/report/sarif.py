"""Findings as SARIF 2.1.0, which code hosts read, and as the lines by which GitHub Actions marks a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from interpreter.codes import CODES
from interpreter.diagnostics import Diagnostic, in_order
from interpreter.pages import without_holes
from interpreter.report.explained import help_text
from interpreter.report.words import pick, safe
from interpreter.source import Span

_LEVELS = {"error": "error", "warning": "warning", "note": "note"}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(diagnostics: Iterable[Diagnostic], language: str, version: str) -> dict[str, Any]:
    """Return one SARIF log. Columns count code points, from 1."""
    known = in_order(diagnostics)
    codes = sorted({one.code for one in known})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "interpreter",
                        "version": version,
                        "rules": [_rule(code, language) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(one, codes.index(one.code), language) for one in known],
            }
        ],
    }


def _rule(name: str, language: str) -> dict[str, Any]:
    code = CODES[name]
    rule: dict[str, Any] = {
        "id": name,
        "shortDescription": {"text": without_holes(code.message[language])},
        "help": {"text": help_text(name, language)},
        "defaultConfiguration": {"level": _LEVELS[code.severity]},
    }
    return rule


def _result(one: Diagnostic, index: int, language: str) -> dict[str, Any]:
    hint = f"\n{pick(one.advice, language)}" if one.advice is not None else ""
    result: dict[str, Any] = {
        "ruleId": one.code,
        "ruleIndex": index,
        "level": _LEVELS[one.severity],
        "message": {"text": pick(one.message, language) + hint},
    }
    if one.span is not None:
        result["locations"] = [{"physicalLocation": _place(one.span)}]
    related = [
        {"id": number, "message": {"text": pick(other.message, language)}, "physicalLocation": _place(other.span)}
        for number, other in enumerate(one.related)
    ]
    if related:
        result["relatedLocations"] = related
    return result


def _place(span: Span) -> dict[str, Any]:
    begins, ends = span.begins, span.ends
    return {
        "artifactLocation": {"uri": _uri(span.source.name)},
        "region": {
            "startLine": begins.line,
            "startColumn": begins.column,
            "endLine": ends.line,
            "endColumn": ends.column,
        },
    }


def _uri(name: str) -> str:
    path = PurePath(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def as_github(diagnostics: Iterable[Diagnostic], language: str) -> Iterator[str]:
    """Yield a command of GitHub Actions for each finding, so that it stands at its line in a change."""
    for one in in_order(diagnostics):
        level = "notice" if one.severity == "note" else one.severity
        facts = {"title": one.code}
        if one.span is not None:
            begins, ends = one.span.begins, one.span.ends
            facts = {
                "file": one.span.source.name,
                "line": str(begins.line),
                "endLine": str(ends.line),
                "col": str(begins.column),
                "endColumn": str(ends.column),
                **facts,
            }
        hint = f"\n{pick(one.advice, language)}" if one.advice is not None else ""
        told = ",".join(f"{name}={_property(value)}" for name, value in facts.items())
        yield f"::{level} {told}::{_message(pick(one.message, language) + hint)}"


def _message(text: str) -> str:
    return safe(text, line_breaks=True).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
