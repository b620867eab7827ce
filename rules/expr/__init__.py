"""The expression language: Jinja2's surface, our list of nodes, our functions, our back end.

`parse_expression` and `parse_template` return what can be evaluated, and findings; Jinja2 is imported only when
something is parsed.
"""

from __future__ import annotations

from rules.expr.expression import (
    NOT_CONSTANT,
    Expression,
    FunctionUse,
    NameUse,
    NotConstant,
    PathUse,
    Template,
    condition,
)
from rules.expr.functions import FUNCTIONS
from rules.expr.signatures import Function, Parameter
from rules.findings import Finding

__all__ = [
    "FUNCTIONS",
    "NOT_CONSTANT",
    "Expression",
    "Function",
    "FunctionUse",
    "NameUse",
    "NotConstant",
    "Parameter",
    "PathUse",
    "Template",
    "condition",
    "parse_expression",
    "parse_template",
]


def parse_expression(text: str) -> tuple[Expression | None, list[Finding]]:
    """Return a bare expression, None where a finding is an error; findings in the order of their places."""
    from rules.expr.parse import read_expression

    node, findings = read_expression(text)
    return (Expression(text, node) if node is not None else None), findings


def parse_template(text: str) -> tuple[Template | None, list[Finding]]:
    """Return a text with holes, None where a finding is an error; findings in the order of their places."""
    if "{{" not in text and "{%" not in text and "{#" not in text:
        from rules.expr.tree import Words

        return Template(text, (Words(text),)), []
    from rules.expr.parse import read_text

    parts, findings = read_text(text)
    return (Template(text, parts) if parts is not None else None), findings
