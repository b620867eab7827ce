"""Every code of the project, written out by phase; nothing is found by import."""

from __future__ import annotations

from interpreter.codes import adapter, command, expression, flow, journal, name, rule, run, shape, tool, type_, yaml
from interpreter.diagnostics import Code

CODES: dict[str, Code] = {
    **yaml.CODES,
    **shape.CODES,
    **expression.CODES,
    **name.CODES,
    **type_.CODES,
    **flow.CODES,
    **rule.CODES,
    **tool.CODES,
    **adapter.CODES,
    **run.CODES,
    **journal.JOURNAL_CODES,
    **command.CODES,
}
