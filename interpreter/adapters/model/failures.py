"""A failure of a model call, in the words of the table of codes."""

from __future__ import annotations

from interpreter.adapters.reasons import filled
from interpreter.codes.model import MODEL_ERRORS
from interpreter.ports import JsonObject, ToolFailure


def failure(
    code: str, *, retry_after: float | None = None, details: JsonObject | None = None, told: str = "", **facts: object
) -> ToolFailure:
    """Return the failure of a declared code, its words filled with the facts.

    Shapes: `details` are recorded with it; the words come to them as `message` in both languages. `told` is what the
    server says of it itself, safe to record.
    """
    words = filled(MODEL_ERRORS[code].words, facts, told)
    message = {"zh": words.zh, "en": words.en}
    return ToolFailure(code, words.en, {**(details or {}), "message": message}, retry_after)
