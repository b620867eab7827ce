"""What a table declares of a code."""

from __future__ import annotations

from typing import Literal

from interpreter.words import Words
from rules.records import NamedTuple

Severity = Literal["error", "warning", "note"]


class Code(NamedTuple):
    """What every finding of one code has in common.

    Shapes: `message` is one line without a full stop; `hint` says what to write or do instead; `command` does it, and
    is about one run or the runs of a home; `after_write` takes the place of both where the run can take up no edit, as
    it has begun a write; all of them may hold `{fact}`.
    """

    severity: Severity
    message: Words
    hint: Words | None = None
    command: str = ""
    after_write: Words | None = None

    @property
    def advice(self) -> Words | None:
        """The hint with its command behind it."""
        return self.hint.with_command(self.command) if self.hint is not None else None
