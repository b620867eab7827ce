"""What is wrong with a journal, as a finding."""

from __future__ import annotations

from interpreter.codes.journal import told_of_journal_error
from interpreter.diagnostics import Diagnostic
from interpreter.ports import JournalError


def journal_finding(run_id: str, error: JournalError) -> Diagnostic:
    """Return what is wrong with the journal of a run, its reason in words."""
    told = told_of_journal_error(error.code, {"run": run_id, **error.facts})
    return Diagnostic(error.code, told.severity, told.message, None, told.hint, command=told.command)
