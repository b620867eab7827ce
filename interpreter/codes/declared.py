"""What a table declares of a code."""

from __future__ import annotations

from typing import Literal

from interpreter.words import Words
from rules.records import NamedTuple

Severity = Literal["error", "warning", "note"]


class Code(NamedTuple):
    """What every finding of one code has in common.

    Shapes: `message` is one line without a full stop; `hint` says what to write instead; both may hold `{fact}`.
    """

    severity: Severity
    message: Words
    hint: Words | None = None
