"""Shapes of what the language itself makes: answers of people, outcomes of calls, outputs, and records of a run."""

from __future__ import annotations

from interpreter.model import AskStep, ConfirmStep, Field, Workflow
from interpreter.pointers import BUILT_IN
from interpreter.pointers import UNIT as UNIT_TYPE
from interpreter.static.inference import shape_of_value
from interpreter.static.scopes import Scope
from interpreter.static.values import BOOLEAN, LIST, TEXT, Shape, list_of, record, shape_of

_ANSWER_FIELDS = ("choice", "shown", "ending", "who", "at")
UNIT = Shape(BUILT_IN[UNIT_TYPE], {})
ERROR = record({"code": TEXT, "kind": TEXT, "happened": TEXT, "message": TEXT, "details": None, "findings": None})
RUN = record(
    {**dict.fromkeys(("id", "state", "workflow", "started_at", "timezone", "language"), TEXT), "failures": LIST}
)
WALK = record(dict.fromkeys(("page", "pages", "batches", "token", "more", "blocker", "status")))


def outcome_of(value: Shape | None) -> Shape:
    """Return the shape of an outcome kept as data."""
    return record(
        {
            "ok": BOOLEAN,
            "status": TEXT,
            "value": value,
            "error": ERROR,
            "attempts": None,
            "at": TEXT,
            "sent": None,
            "key": None,
        }
    )


def outputs_of(workflow: Workflow) -> Shape:
    """Return the shape of what a run of a workflow ends with."""
    return record({declared.name: shape_of(declared.schema) for declared in workflow.outputs})


def shape_of_question(step: ConfirmStep | AskStep, scope: Scope, *, is_asked_once: bool) -> Shape:
    """Return what is known of the answer to a question; of one that stands at several places less is known."""
    fields: dict[str, Shape | None] = dict.fromkeys(_ANSWER_FIELDS)
    if isinstance(step, ConfirmStep) and step.choices and is_asked_once:
        fields["shown"] = shape_of_value(step.shows, scope)
        fields["choice"] = Shape({"enum": [choice.id for choice in step.choices]}, {})
    if isinstance(step, AskStep):
        fields = {"ending": None, **{each.name: _shape_of_field(each) for each in step.form}}
    return record(fields)


def shape_of_answer(step: AskStep) -> Shape:
    """Return what answers a form: the fields that are always asked have to be there."""
    shape = record({each.name: _shape_of_choice(each) or _shape_of_field(each) for each in step.form})
    required = [each.name for each in step.form if not each.optional and each.when is None]
    return Shape({**shape.schema, "required": required}, shape.definitions)


def _shape_of_field(each: Field) -> Shape | None:
    """Return what is known of an answer in a form; what is chosen from a list may be anything."""
    if each.choices or each.row_value is not None:
        return LIST if each.many else None
    shape = shape_of(each.schema)
    return list_of(shape) if each.many else shape


def _shape_of_choice(each: Field) -> Shape | None:
    """Return what may be chosen in a field whose choices are written down, None for any other field."""
    values = [choice.value for choice in each.choices]
    shape = Shape({"enum": values}, {}) if values else None
    return list_of(shape) if shape is not None and each.many else shape
