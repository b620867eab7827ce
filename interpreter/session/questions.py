"""Questions as they were recorded, looked at again without their run."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from interpreter.engine.entering import NotAValue, entering
from interpreter.engine.questions import check_choice, labels_of, looks_like_fields, not_fields, not_offered
from interpreter.ports import Check, JsonObject
from interpreter.safety.masking import MASK
from interpreter.session.arguments import value_of
from rules.values import canonical_text, loads

#: What people type for a yes or a no.
YES_OR_NO = {
    **dict.fromkeys(("true", "yes", "y", "是", "对", "真"), True),
    **dict.fromkeys(("false", "no", "n", "否", "不", "不是", "假"), False),
}
#: What an example shows where something has to be filled in; it never counts as an answer.
PLACEHOLDER = "…"


def as_typed(text: str, question: JsonObject | None) -> Any:
    """Return what was typed on a command line as an answer: an object or a list where it is one, else the text.

    Shapes: a `Check` with what is wrong where the fields of a form were meant and cannot be read. Fields are JSON, or
    written as in a document.
    """
    value = value_of(text) if text[:1] in ("{", "[") else text
    if not isinstance(value, str) or question is None or question["kind"] != "ask" or not looks_like_fields(value):
        return value
    if not value.lstrip().startswith("{") or any(field.get("masked") for field in question.get("form") or ()):
        return not_fields()
    # Reading documents is a long way, and few answers are written so.
    from interpreter.diagnostics import errors_of
    from interpreter.source import Source
    from interpreter.yaml_tree import Mapping, read_tree, to_value

    node, found = read_tree(Source("", value))
    wrong = next(iter(errors_of(found)), None)
    if wrong is not None:
        return not_fields(wrong.message)
    return to_value(node) if isinstance(node, Mapping) else not_fields()


def without_placeholders(value: Any) -> Any:
    """Return an answer without the fields in which the placeholder of the example was left."""
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if inner not in (PLACEHOLDER, [PLACEHOLDER])}
    return value


def as_meant(question: JsonObject, value: Any) -> Any:
    """Return an answer as it was typed, with the texts in fields that take a yes or no, or a number, as such."""
    fields = question.get("form") or ()
    if question["kind"] != "ask" or not fields:
        return value
    if isinstance(value, dict):
        by_name = {field["name"]: field for field in fields}
        return {name: _meant(by_name[name], one) if name in by_name else one for name, one in value.items()}
    required = [field for field in fields if not field.get("conditional") and not field["optional"]]
    return _meant(required[0], value) if len(required) == 1 else value


def numbered(choices: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the choices that are shown with a number, in its order: a phrase is there to be typed, and has none."""
    return [choice for choice in choices if choice.get("phrase") is None]


def by_number(question: JsonObject, value: Any, *, has_seen: bool) -> Any:
    """Return the id of the choice that stands at a number, and any other answer as it is.

    Shapes: where a yes permits writes its number counts only with `has_seen`: at the next asking another choice may
    stand there.
    """
    choices = question.get("choices") or ()
    typed = value.strip() if isinstance(value, str) else ""
    if not typed.isdecimal() or any(choice["id"] == typed for choice in choices):
        return value
    at = numbered(choices)[int(typed) - 1 : int(typed)] if int(typed) else []
    if not at or (question.get("writes") and at[0].get("confirms") and not has_seen):
        return value
    return at[0]["id"]


def _meant(field: JsonObject, value: Any) -> Any:
    if isinstance(value, list) and field.get("many"):
        return [_meant({**field, "many": False}, entry) for entry in value]
    if not isinstance(value, str):
        return value
    if field.get("choices"):
        return _chosen(field, value)
    kind = field["schema"].get("type")
    if kind == "boolean":
        return YES_OR_NO.get(value.strip().casefold(), value)
    return _number(value) if kind in ("integer", "number") else value


def _chosen(field: JsonObject, typed: str) -> Any:
    """Return the offered value that is written so, or has this label; what was typed where none or several have it."""
    choices = field["choices"]
    if any(choice["value"] == typed for choice in choices):
        return typed
    wanted = typed.strip().casefold()
    found = [
        choice["value"]
        for choice in choices
        if wanted == canonical_text(choice["value"]).casefold()
        or (wanted in [label.strip().casefold() for label in labels_of(choice)] and MASK not in wanted)
    ]
    return found[0] if len(found) == 1 else typed


def _number(text: str) -> Any:
    try:
        read = loads(text.strip())
    except ValueError:
        return text
    return read if isinstance(read, int | Decimal) and not isinstance(read, bool) else text


def check_recorded(question: JsonObject, value: Any) -> Check:
    """Say whether an answer can fit a recorded question; the run itself checks its conditions again."""
    try:
        value = entering(value)
    except NotAValue as reason:
        return Check(None, "run/answer-no-value", {"problem": reason.words._asdict()})
    if question["kind"] != "ask":
        return check_choice(tuple(question.get("choices") or ()), value)
    fields = {field["name"]: field for field in question.get("form") or ()}
    sure = [field for field in fields.values() if not field.get("conditional")]
    if not isinstance(value, dict):
        required = [field["name"] for field in sure if not field["optional"]]
        if len(required) != 1:
            return Check(None, "run/answer-not-a-form", {"fields": ", ".join(fields)})
        if isinstance(value, str) and looks_like_fields(value):
            return not_fields()
        value = {required[0]: value} if value != PLACEHOLDER else {}
    unknown = [name for name in value if name not in fields]
    faults = [(field["name"], fault) for field in sure if (fault := field_problem(field, value)) is not None]
    if not unknown and not faults:
        return Check(value)
    from interpreter.codes.answers import form_faults  # most answers fit

    return form_faults(unknown, list(fields), faults)


def field_problem(field: JsonObject, answer: JsonObject) -> Check | None:
    """Say what is wrong in one field of an answer, None where nothing is."""
    name = field["name"]
    if name not in answer:
        return None if field["optional"] else Check(None, "run/answer-field-missing", {"field": name})
    value = answer[name]
    if "choices" in field:
        allowed = [choice["value"] for choice in field["choices"]]
        for entry in value if field["many"] and isinstance(value, list) else [value]:
            if entry not in allowed:
                return not_offered(field, entry)
        return None
    from interpreter.plan.shapes import problem_of  # the planner is a long way for a choice among two

    problem = problem_of(field["schema"], bool(field.get("masked")))(value)
    return (
        None if problem is None else Check(None, "run/answer-wrong-form", {"field": name, "problem": problem._asdict()})
    )
