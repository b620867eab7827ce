"""A failure of a model call, in the words of the table of codes."""

from __future__ import annotations

from interpreter.adapters.reasons import failure_in_words, filled
from interpreter.codes.model import MODEL_ERRORS
from interpreter.ports import JsonObject, ToolFailure


def failure(
    code: str, *, retry_after: float | None = None, details: JsonObject | None = None, told: str = "", **facts: object
) -> ToolFailure:
    """Return the failure of a declared code, its words filled with the facts.

    Shapes: `details` are recorded with it; the words come to them as `message` in both languages. `told` is what the
    server says of it itself, safe to record.
    """
    return failure_in_words(code, filled(MODEL_ERRORS[code].words, facts, told), details, retry_after)
