"""What is wrong with a journal, as a finding."""

from __future__ import annotations

from interpreter.codes.journal import describe_journal_error
from interpreter.diagnostics import Diagnostic
from interpreter.ports import JournalError


def journal_finding(run_id: str, error: JournalError) -> Diagnostic:
    """Return what is wrong with the journal of a run, its reason in words."""
    message, hint = describe_journal_error(error.code, {"run": run_id, **error.facts})
    return Diagnostic(error.code, "error", message, None, hint)
