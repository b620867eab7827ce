"""Who can be asked: answers prepared in a file, a rehearsal, or nobody; a terminal is the command's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from interpreter.ports import Answer, Check, JsonObject, People, Question, is_digest, taken_by

Checks = Callable[[Any, str], Check]
Meant = Callable[[JsonObject, Any], Any]
Render = Callable[[], JsonObject] | None


class Nobody:
    """Nobody is there; messages go to a function."""

    def __init__(self, show: Callable[[JsonObject], None] = lambda message: None) -> None:
        self._show = show

    def ask(self, question: Question, check: Checks) -> Answer | None:
        return None

    def show(self, message: JsonObject) -> None:
        self._show(message)

    def show_progress(self, state: str, text: JsonObject) -> None:
        return None

    def show_live(self, state: str, render: Render) -> None:
        return None


class AskedFirst:
    """Whoever is asked before somebody else, to whom what is shown goes on."""

    def __init__(self, inner: People) -> None:
        self._inner = inner

    def show(self, message: JsonObject) -> None:
        self._inner.show(message)

    def show_progress(self, state: str, text: JsonObject) -> None:
        self._inner.show_progress(state, text)

    def show_live(self, state: str, render: Render) -> None:
        self._inner.show_live(state, render)


class PreparedAnswers(AskedFirst):
    """Answers from a file, else whoever is there.

    Shapes: `answers` maps a question to its answer, or to a list of answers for its successive visits; one visit alone
    (`plan#2`) to the answer to that one. A confirmation that permits writes is answered so only where the
    profile allows it (`unattended`), or where the answer names the digest that is shown: `{choice: …, seen: digest}`.
    One that names another digest was given to something else, and is never taken. `meant` gives what a question is
    answered with for what the file says, as for an answer that is typed.
    """

    def __init__(
        self, answers: Mapping[str, Any], unattended: bool, inner: People, who: str, language: str, meant: Meant
    ) -> None:
        super().__init__(inner)
        self._answers = answers
        self._meant = meant
        self._unattended = unattended
        self._who = who
        self._language = language
        self.refused: list[tuple[str, Check]] = []

    def ask(self, question: Question, check: Checks) -> Answer | None:
        body = self._body(question)
        if body is None:
            return self._inner.ask(question, check)
        seen = body.get("seen") if isinstance(body, dict) and question.kind != "ask" else None
        saw_digest = seen is not None and is_digest(seen, question.digest)
        if seen is not None and not saw_digest:
            self.refused.append((question.key, Check(None, "run/answer-saw-another")))
            return self._inner.ask(question, check)
        if question.writes and not self._unattended and not saw_digest:
            return self._inner.ask(question, check)
        checked = check(self._meant(question.as_json(), body), self._language)
        if checked.value is None:
            self.refused.append((question.key, checked))
            return self._inner.ask(question, check)
        return Answer("answered", checked.value, self._who, "", "prepared", saw_digest=saw_digest)

    def _body(self, question: Question) -> Any:
        if question.key in self._answers:
            return self._answers[question.key]
        answers = self._answers.get(question.name)
        if isinstance(answers, list):
            return answers[question.visit - 1] if question.visit <= len(answers) else None
        return answers


class Rehearsal(AskedFirst):
    """A dry run: confirmations are shown and taken as given, forms are filled in the shortest way that fits.

    A form that comes again just as it was gets the next of its choices: with the same one it would come for ever.
    """

    def __init__(self, inner: People, shown: Callable[[Question], None]) -> None:
        super().__init__(inner)
        self._shown = shown
        self._times: Counter[str] = Counter()

    def ask(self, question: Question, check: Checks) -> Answer | None:
        if question.kind == "ask":
            answer = self._inner.ask(question, check)
            if answer is not None:
                return answer
        self._shown(question)
        for body in _shortest(question, check, self._times_before(question)):
            checked = check(body, "en")
            if checked.value is not None:
                return Answer("answered", checked.value, "rehearsal", "", "terminal")
        return None

    def _times_before(self, question: Question) -> int:
        same = repr((question.name, question.text, question.form))
        self._times[same] += 1
        return self._times[same] - 1


def _shortest(question: Question, check: Checks, turn: int) -> list[Any]:
    """Return what may be said in a dry run, the best first. Shapes: `turn` is how often the same was asked before."""
    if question.kind != "ask":
        confirming = sorted(question.choices, key=lambda choice: not choice.get("confirms"))
        return [taken_by(choice) for choice in confirming]
    filled: JsonObject = {}
    visible: Callable[[JsonObject], list[JsonObject]] | None = getattr(check, "fields", None)
    for _ in range(len(question.form)):
        fields = visible(filled) if visible is not None else list(question.form)
        missing = next((field for field in fields if field["name"] not in filled and not field["optional"]), None)
        if missing is None:
            break
        filled[missing["name"]] = _value(missing, turn)
        if missing.get("choices"):
            turn = 0  # only the first choice decides where it goes from here
    return [filled]


def _value(field: JsonObject, turn: int) -> Any:
    choices = field.get("choices")
    if choices and (turn > 0 or "start" not in field):
        chosen = choices[turn % len(choices)]["value"]
        return [chosen] if field["many"] else chosen
    if "start" in field:
        return field["start"]
    schema = field["schema"]
    if "enum" in schema:
        return schema["enum"][0]
    return {"string": "example", "boolean": False, "integer": 0, "number": 0, "array": [], "object": {}}.get(
        schema.get("type", "string"), "example"
    )
