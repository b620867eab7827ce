"""Command lines that a person can copy as they stand: how a run goes on, how its questions are answered."""

from __future__ import annotations

import shlex
import sys

from interpreter.adapters.clock import has_passed
from interpreter.cli.context import Context
from interpreter.engine.questions import example_value, looks_like_fields
from interpreter.ports import SEEN_DIGITS, JsonObject, recorded_key, taken_by
from interpreter.session.questions import PLACEHOLDER
from interpreter.session.sessions import Result
from interpreter.words import at_home


def command_line(context: Context, *words: str) -> str:
    """Return a command of this home as it is typed."""
    return at_home(shlex.join(["interpreter", *words]), context.home_option)


def commands_of(context: Context, result: Result) -> dict[str, str]:
    """Return the exact command lines with which a run goes on.

    Shapes: `resume`, `follow`, and for each open question one under its name, and one under its name and ` fields`
    where the first leaves out every field. Nothing is kept of a dry run: it has `again` alone.
    """
    if result.dry_run:
        return {"again": shlex.join(["interpreter", *sys.argv[1:]])}
    commands = {"resume": command_line(context, "resume", result.run_id, *_budget_words(result))}
    if result.status == "running":
        commands["follow"] = command_line(context, "show", result.run_id, "--follow")
    for question in result.waiting:
        name = recorded_key(question)
        if has_passed(question.get("deadline")):
            commands[name] = commands["resume"]  # an answer would be refused
            continue
        seen = ["--seen", question["digest"][:SEEN_DIGITS]] if question.get("writes") else []
        value = _example_answer(question, context.language)
        commands[name] = command_line(context, "answer", result.run_id, f"{question['name']}={value}", *seen)
        if value == "{}" and question.get("form"):
            value = _example_of_fields(question)
            more = command_line(context, "answer", result.run_id, f"{question['name']}={value}", *seen)
            commands[f"{name} fields"] = more
    return commands


def _budget_words(result: Result) -> list[str]:
    budget = (result.blocked or {}).get("facts", {}).get("budget")
    return ["--budget", f"{budget}=+100"] if budget else []


def _example_answer(question: JsonObject, language: str) -> str:
    if question["kind"] == "unknown_write":
        return PLACEHOLDER  # what is true of the world nobody can propose
    choices = question.get("choices") or []
    if choices:
        return taken_by(choices[0], language)
    form = question.get("form") or []
    fields = [field for field in form if field.get("in_example", True) and not field["optional"]]
    if len(form) == len(fields) == 1:
        value = example_value(form[0])
        if isinstance(value, str) and not looks_like_fields(value):
            return value
    return _written({field["name"]: example_value(field) for field in fields})


def _example_of_fields(question: JsonObject) -> str:
    """Return an answer that gives the first field, whose value is to be filled in."""
    field = question["form"][0]
    has_several = field["many"] or field["schema"].get("type") == "array"
    return _written({field["name"]: [PLACEHOLDER] if has_several else PLACEHOLDER})


def _written(value: JsonObject) -> str:
    from rules.values import dumps

    return dumps(value)
