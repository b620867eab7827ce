"""The expression language: Jinja2's surface, our list of nodes, our functions, our back end.

`parse_expression` and `parse_template` return what can be evaluated, and findings; Jinja2 is imported only when
something is parsed.
"""

from __future__ import annotations

from typing import Any

from rules.expr.expression import (
    NOT_CONSTANT,
    Expression,
    NameUse,
    PathUse,
    Template,
)
from rules.expr.functions import FUNCTIONS
from rules.expr.jinja import load_parser
from rules.expr.signatures import Function
from rules.findings import Finding
from rules.ready import condition

__all__ = [
    "FUNCTIONS",
    "NOT_CONSTANT",
    "Expression",
    "Function",
    "NameUse",
    "PathUse",
    "Template",
    "condition",
    "parse_expression",
    "parse_template",
]


_MOST_TEXTS = 4_096
_expressions: dict[str, tuple[Expression | None, tuple[Finding, ...]]] = {}
_templates: dict[str, tuple[Template | None, tuple[Finding, ...]]] = {}
"""What was parsed before: in a workflow four of five expressions stand there more than once."""


def parse_expression(text: str) -> tuple[Expression | None, list[Finding]]:
    """Return a bare expression, None where a finding is an error; findings in the order of their places.

    Equal texts give the same object.
    """
    known = _expressions.get(text)
    if known is None:
        load_parser()
        from rules.expr.parse import read_expression

        node, findings = read_expression(text)
        known = (Expression(text, node) if node is not None else None), tuple(findings)
        _remember(_expressions, text, known)
    return known[0], list(known[1])


def parse_template(text: str) -> tuple[Template | None, list[Finding]]:
    """Return a text with holes, None where a finding is an error; findings in the order of their places."""
    if "{{" not in text and "{%" not in text and "{#" not in text:
        from rules.expr.tree import Words

        return Template(text, (Words(text),)), []
    known = _templates.get(text)
    if known is None:
        load_parser()
        from rules.expr.parse import read_text

        parts, findings = read_text(text)
        known = (Template(text, parts) if parts is not None else None), tuple(findings)
        _remember(_templates, text, known)
    return known[0], list(known[1])


def _remember(known: dict[str, Any], text: str, parsed: object) -> None:
    if len(known) >= _MOST_TEXTS:
        known.clear()
    known[text] = parsed
