"""The person at a host program: messages are told as progress, questions put before them as forms where that can be."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

from interpreter.adapters.people import Checks, Render
from interpreter.cli.context import Context
from interpreter.cli.people import check_text
from interpreter.ports import Answer, JsonObject, Question
from interpreter.report.terminal import Terminal
from interpreter.report.words import safe, shown
from interpreter.safety.masking import masked_question

#: A person is asked this often about one question before it is left open.
_MOST_TRIES = 3

Ask = Callable[[str, JsonObject], JsonObject | None]
Tell = Callable[[str], None]


def needs_a_person(question: Mapping[str, Any]) -> bool:
    """Say whether a question permits writes, or settles what became of one."""
    is_permitting = bool(question.get("writes")) or bool(question.get("permits"))
    return is_permitting or question.get("kind") == "unknown_write"


class HostPeople:
    """Whoever sits at the host. Shapes: `through` are the roads on which a confirmation of writes may come."""

    def __init__(self, context: Context, ask: Ask | None, tell: Tell, through: frozenset[str]) -> None:
        self._context = context
        self._ask = ask
        self._tell = tell
        self._may_confirm = "host" in through
        self.who = context.who[0]

    def ask(self, question: Question, check: Checks) -> Answer | None:
        recorded = question.as_json()
        if self._ask is None or (needs_a_person(recorded) and not self._may_confirm):
            return None
        problem = ""
        for _ in range(_MOST_TRIES):
            body = self._form(question, check, problem) if question.kind == "ask" else self._choice(question, problem)
            if body is None:
                return None
            checked = check(body, self._context.language)
            if checked.value is not None:
                return Answer("answered", checked.value, self.who, "", "host", claimed=True)
            problem = check_text(checked, self._context.language)
        return None

    def show(self, message: JsonObject) -> None:
        text = shown(message.get("done"), self._context.language)
        if text:
            self._tell(text)

    def show_progress(self, state: str, text: JsonObject) -> None:
        self._tell(shown(text.get("text"), self._context.language) or safe(state))

    def show_live(self, state: str, render: Render) -> None:
        return None

    def _message(self, question: Question, problem: str) -> str:
        """Return the question as a terminal shows it, masked and escaped."""
        out = io.StringIO()
        Terminal(self._context.language, stream=out).question(question.as_json(), with_fields=False)
        text = out.getvalue().strip()
        return f"{safe(problem)}\n\n{text}" if problem else text

    def _choice(self, question: Question, problem: str) -> Any:
        assert self._ask is not None
        choices = masked_question(question.as_json())["choices"]
        has_phrase = any(choice.get("phrase") is not None for choice in choices)
        schema: JsonObject = {"type": "string"}
        if not has_phrase:
            schema["enum"] = [choice["id"] for choice in choices]
        form = {"type": "object", "properties": {"choice": schema}, "required": ["choice"]}
        filled = self._ask(self._message(question, problem), form)
        return filled.get("choice") if filled is not None else None

    def _form(self, question: Question, check: Checks, problem: str) -> JsonObject | None:
        """Ask for all visible fields at once; fields that their answers bring up are asked for next."""
        assert self._ask is not None
        visible: Callable[[JsonObject], list[JsonObject]] | None = getattr(check, "fields", None)
        filled: JsonObject = {}
        asked: set[str] = set()
        while True:
            fields = visible(filled) if visible is not None else list(question.form)
            left = [field for field in fields if field["name"] not in asked]
            if not left:
                return filled
            schema = form_schema(left, self._context.language)
            if schema is None:
                return None
            given = self._ask(self._message(question, problem), schema)
            if given is None:
                return None
            names = {field["name"] for field in left}
            filled.update({name: value for name, value in given.items() if name in names and value is not None})
            asked |= names


def form_schema(fields: list[JsonObject], language: str) -> JsonObject | None:
    """Return a form as hosts show one: flat, with texts, numbers, booleans and choices; None where it cannot be."""
    properties: JsonObject = {}
    for field in fields:
        schema = _field_schema(field, language)
        if schema is None:
            return None
        title = shown(field.get("title", ""), language)
        properties[field["name"]] = {**({"title": title} if title else {}), **schema}
    required = [field["name"] for field in fields if not field["optional"]]
    return {"type": "object", "properties": properties, "required": required}


def _field_schema(field: JsonObject, language: str) -> JsonObject | None:
    if field.get("masked"):
        return None  # what must not be shown is not put before a host
    schema = field["schema"]
    choices = field.get("choices") or [{"value": value, "label": value} for value in schema.get("enum", ())]
    if choices:
        if not all(isinstance(choice["value"], str) for choice in choices):
            return None
        options = [
            {"const": choice["value"], "title": shown(choice.get("label", choice["value"]), language)}
            for choice in choices
        ]
        if field["many"]:
            return {"type": "array", "items": {"anyOf": options}}
        return {"type": "string", "oneOf": options}
    kind = schema.get("type")
    if kind not in ("string", "number", "integer", "boolean") or field["many"]:
        return None
    limits = ("minLength", "maxLength", "minimum", "maximum", "format")
    made = {"type": kind, **{name: schema[name] for name in limits if name in schema}}
    start = field.get("start")
    if isinstance(start, str | bool) and start != "":
        made["default"] = start
    return made
