"""Questions as they were recorded, looked at again without their run."""

from __future__ import annotations

from typing import Any

from interpreter.engine.questions import check_choice
from interpreter.ports import Check, JsonObject, Question

_FIELDS = ("name", "visit", "kind", "text", "shown", "digest", "wait", "writes")


def as_recorded(question: Question) -> JsonObject:
    """Return a question in the form in which it is recorded."""
    result = {name: getattr(question, name) for name in _FIELDS}
    return result | {name: list(getattr(question, name)) for name in ("choices", "form", "permits")}


def check_recorded(question: JsonObject, value: Any) -> Check:
    """Say whether an answer can fit a recorded question; the run itself checks its conditions again."""
    if question["kind"] != "ask":
        return check_choice(tuple(question.get("choices") or ()), value)
    fields = {field["name"]: field for field in question.get("form") or ()}
    if not isinstance(value, dict):
        required = [name for name, field in fields.items() if not field.get("conditional") and not field["optional"]]
        if len(required) != 1:
            return Check(None, "run/answer-not-a-form", {"fields": ", ".join(fields)})
        value = {required[0]: value}
    for name in value:
        if name not in fields:
            return Check(None, "run/answer-unknown-field", {"field": name, "allowed": ", ".join(fields)})
    return Check(value)
