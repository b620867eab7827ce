"""`rules check | test | explain | why-not | what-if | diff | boundaries | table`: rule documents alone.

Nothing that a document names is started or contacted. Every answer begins with one sentence; `--json` gives the same
as one object.
"""

from __future__ import annotations

from collections.abc import Callable

from interpreter.cli.context import Context, Refused
from interpreter.report import diagnostics as findings_report


def run(context: Context) -> int:
    """Answer one question about rules; exit 0 nothing to mend, 1 something found, 2 the question cannot be answered."""
    try:
        return _answerer(context.arguments.question)(context)
    except Refused as refused:
        if context.wants_json:
            context.print_json(findings_report.as_json(refused.found, context.language))
        else:
            context.terminal.diagnostics(refused.found)
        return 2


def _answerer(question: str) -> Callable[[Context], int]:
    """Return what answers a question; each needs modules of its own."""
    if question in ("check", "test"):
        from interpreter.cli.rules import checking

        return {"check": checking.check, "test": checking.test}[question]
    if question == "diff":
        from interpreter.cli.rules.comparing import diff

        return diff
    if question in ("boundaries", "table"):
        from interpreter.cli.rules import tables

        return {"boundaries": tables.boundaries, "table": tables.table}[question]
    from interpreter.cli.rules import explaining

    return {"explain": explaining.explain, "why-not": explaining.why_not, "what-if": explaining.what_if}[question]
