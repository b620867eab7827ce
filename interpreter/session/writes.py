"""Which writes a run has begun, as its journal tells."""

from __future__ import annotations

from interpreter.ports import Journal, Row


def begun_writes(journal: Journal) -> list[Row]:
    """Return the intentions of writes; without those that are known not to have happened."""
    begun = list(journal.of_kinds("intention"))
    if not begun:
        return begun
    never = {
        row.key
        for row in journal.of_kinds("outcome")
        if not row.body["ok"] and row.body["error"].get("happened") == "never"
    }
    return [row for row in begun if row.key not in never]


def has_written_in(journal: Journal, state: str, visit: int) -> bool:
    """Say whether this visit of a state has begun a write, so that it cannot begin anew."""
    return any(row.key.startswith(f"{state}#{visit}/") for row in begun_writes(journal))
