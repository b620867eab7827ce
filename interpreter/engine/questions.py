"""What people are asked: confirmations that permit exact calls, and forms.

A question is fixed when it is shown: the value that it is about, the calls that it permits, the choices that hold. An
answer that fits no choice leaves it open and says why; it is never an error of the run and never a yes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from interpreter.diagnostics import Words
from interpreter.engine.data import Names
from interpreter.engine.entering import NotAValue, entering
from interpreter.engine.frame import Condition, Evaluate, Frame, Target
from interpreter.engine.program import Where
from interpreter.engine.settling import with_every_call, without_references
from interpreter.engine.steps import Leave, Signal, Step
from interpreter.ports import Answer, Check, JsonObject, Question
from interpreter.safety.masking import MASK, Marks, masked_by
from rules.look_alikes import alphabets_of
from rules.records import NamedTuple, replace
from rules.values import ABSENT, CannotEvaluate, cannot, canonical_json, canonical_text, digest, of_wrong_kind


class ChoicePlan(NamedTuple):
    id: str
    confirms: bool
    when: Condition | None
    phrase: Evaluate | None
    label: Evaluate | None
    to: str | None


class EndingsPlan(NamedTuple):
    """What refused, timed_out and abandoned do: `block`, `go_on`, or the name of a state."""

    actions: Mapping[str, str]
    wait: Evaluate | None


class PermitsPlan(NamedTuple):
    """`among` maps the values by which an entry may choose its tool."""

    value: Evaluate
    among: Mapping[str, str]


class FieldPlan(NamedTuple):
    """One field of a form.

    Shapes: `problem` says why a value does not fit, or None; `fills` is the data that it fills; with `hides` neither
    what stands in it nor what is typed is shown.
    """

    name: str
    title: Evaluate | None
    when: Condition | None
    optional: bool
    many: bool
    start: Evaluate | None
    choices: Callable[[Names], list[JsonObject]] | None
    schema: JsonObject
    problem: Callable[[Any], Words | None]
    fills: Target | None
    hides: bool = False


class QuestionStep(Step):
    """What confirmations and forms have in common: asking, endings, asking anew after a block."""

    __slots__ = ("endings", "message", "question", "shows", "shows_names")

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        *,
        question: str,
        shows: Evaluate | None,
        shows_names: tuple[str, ...],
        message: Callable[[Frame], JsonObject],
        endings: EndingsPlan,
    ):
        super().__init__(name, when, where)
        self.question = question
        self.shows = shows
        self.shows_names = shows_names
        self.message = message
        self.endings = endings
        self.effectful = True

    async def perform(self, frame: Frame) -> Signal:
        core = frame.core
        name = f"{core.question_prefix}{self.question}"
        stops = 0
        while True:
            question, check = self.prepare(frame, core.next_visit(name))
            core.permissions.ask(self.question)
            key = f"{frame.key}/{self.name}/{self.question}#{question.visit}"
            answer = await core.run.wait(key, replace(question, name=name), check)
            signal: Signal = self.ended(frame, question, answer)
            if signal is not BLOCK:
                return signal
            stops += 1
            where = f"{frame.key}/{self.name}/stop{stops}"
            await core.block_at(where, self, "run/question-ended", question=name, ending=answer.ending)

    def prepare(self, frame: Frame, visit: int) -> tuple[Question, AnswerCheck]:
        raise NotImplementedError

    def ended(self, frame: Frame, question: Question, answer: Answer) -> Any:
        raise NotImplementedError

    def seen_digest(self, frame: Frame, visit: int, **shown: Any) -> str:
        """Return what stands for everything that a person saw, in this run and at this asking alone."""
        facts = frame.names["run"]
        asked = [facts["id"], facts["started_at"], self.question, visit]
        parts = {name: list(part) if isinstance(part, tuple) else part for name, part in shown.items()}
        return digest({"asked": asked, **parts})

    def waits(self, frame: Frame) -> str | None:
        """Return how long an answer is waited for, None for as long as it takes."""
        return self.endings.wait(frame.names) if self.endings.wait is not None else None

    def without_answer(self, ending: str) -> Any:
        action = self.endings.actions[ending]
        if action == "block":
            return BLOCK
        return None if action == "go_on" else Leave(action)


BLOCK: Any = object()


class AnswerCheck:
    """Decides whether a body answers a question; also tells a terminal which fields to ask next."""

    def __init__(self, decide: Callable[[Any, str], Check], fields: Callable[[JsonObject], list[JsonObject]]) -> None:
        self._decide = decide
        self.fields = fields

    def __call__(self, body: Any, language: str) -> Check:
        try:
            body = entering(body)
        except NotAValue as reason:
            return Check(None, "run/answer-no-value", {"problem": reason.words._asdict()})
        return self._decide(body, language)


class Confirm(QuestionStep):
    """A person decides; a confirming choice permits exactly the calls that were fixed when it was shown.

    Where the author names nothing to be shown, these calls are.
    """

    __slots__ = ("choices", "permits", "permits_marks", "shows_marks")

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        *,
        shows_marks: Marks,
        permits_marks: Marks,
        permits: PermitsPlan | None,
        choices: tuple[ChoicePlan, ...],
        **common: Any,
    ):
        super().__init__(name, when, where, **common)
        self.shows_marks = shows_marks
        self.permits_marks = permits_marks
        self.permits = permits
        self.choices = choices

    def prepare(self, frame: Frame, visit: int) -> tuple[Question, AnswerCheck]:
        names = frame.names
        permits = tuple(self._entries(frame))
        shown = self.shows(names) if self.shows is not None else list(permits) or None
        choices = tuple(_choice(choice, names) for choice in self.choices if choice.when is None or choice.when(names))
        _check_phrases(choices)
        text = self.message(frame)
        if permits:
            text["writes"] = True
        question = Question(
            name=self.question,
            visit=visit,
            kind="confirm",
            text=text,
            shown=shown,
            digest=self.seen_digest(frame, visit, shown=shown, permits=permits, text=text, choices=choices),
            choices=choices,
            permits=permits,
            wait=self.waits(frame),
            writes=bool(permits),
            masked=masked_by(
                shown=self.shows_marks if self.shows is not None else self.permits_marks, permits=self.permits_marks
            ),
        )
        return question, AnswerCheck(lambda body, language: check_choice(choices, body), lambda partial: [])

    def ended(self, frame: Frame, question: Question, answer: Answer) -> Any:
        core = frame.core
        if answer.ending != "answered":
            frame.names[self.question] = {"ending": answer.ending}
            return self.without_answer(answer.ending)
        core.check_through(self, question, answer)
        chosen = answer.value["choice"]
        choice = next(choice for choice in self.choices if choice.id == chosen)
        frame.names[self.question] = {
            "choice": chosen,
            "shown": question.shown,
            "ending": "answered",
            "at": answer.at,
            "who": answer.who,
        }
        if choice.confirms:
            stands = digest(question.shown if self.shows is not None else None)
            core.permissions.accept(self.question, question.visit, stands, list(question.permits))
            core.confirmed(self.question, frame)
        return Leave(choice.to) if choice.to is not None else None

    def _entries(self, frame: Frame) -> list[JsonObject]:
        if self.permits is None:
            return []
        core = frame.core
        result = []
        for entry in _each_entry(self.permits.value(frame.names)):
            if not isinstance(entry, dict) or not {"id", "tool", "with"} <= set(entry):
                raise cannot("permit-incomplete", found=entry)
            tool = entry["tool"]
            if isinstance(tool, dict):
                tool = tool["among"].get(tool["by"], "")
            tool = self.permits.among.get(tool, tool)
            contract = core.program.contracts.get(tool)
            if contract is None:
                raise cannot("no-tool-for-value", found=tool)
            arguments = with_every_call(frame, contract, entry["with"])
            problem = contract.check_input(without_references(arguments))
            if problem is not None:
                raise cannot("permit-unfit", tool=tool, entry=entry["id"], problem=problem.en)
            result.append({"id": entry["id"], "tool": tool, "with": arguments})
        return result


def _each_entry(permitted: Any) -> Iterator[Any]:
    """Yield the entries of what is permitted: one call, a list of calls, or a list of such lists."""
    if isinstance(permitted, dict):
        permitted = [permitted]
    if not isinstance(permitted, list):
        raise of_wrong_kind("list-wanted", permitted)
    for entry in permitted:
        if isinstance(entry, list):
            yield from _each_entry(entry)
        else:
            yield entry


class Ask(QuestionStep):
    """A person fills a form; a field named like data fills that data."""

    __slots__ = ("fields", "otherwise")

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        *,
        fields: tuple[FieldPlan, ...],
        otherwise: Evaluate | None,
        **common: Any,
    ):
        super().__init__(name, when, where, **common)
        self.fields = fields
        self.otherwise = otherwise

    def prepare(self, frame: Frame, visit: int) -> tuple[Question, AnswerCheck]:
        names = dict(frame.names)
        described = tuple(_field(field, names) for field in self.fields)
        text = self.message(frame)
        question = Question(
            name=self.question,
            visit=visit,
            kind="ask",
            text=text,
            shown=None,
            digest=self.seen_digest(frame, visit, form=described, text=text),
            form=_with_example(self.fields, described, names),
            wait=self.waits(frame),
            may_be_unanswered=self.otherwise is not None,
        )

        def decide(body: Any, language: str) -> Check:
            return _check_form(self.fields, described, names, body)

        def visible(partial: JsonObject) -> list[JsonObject]:
            return _visible(self.fields, described, names, partial)

        return question, AnswerCheck(decide, visible)

    def ended(self, frame: Frame, question: Question, answer: Answer) -> Any:
        value = answer.value
        if answer.ending != "answered":
            # `otherwise` stands for an answer that nobody gave; somebody who refuses has answered.
            if self.otherwise is None or answer.ending == "refused":
                frame.names[self.question] = {"ending": answer.ending}
                return self.without_answer(answer.ending)
            value = self.otherwise(frame.names)
        frame.names[self.question] = {**value, "ending": answer.ending}
        for field in self.fields:
            if field.fills is not None and field.name in value:
                frame.assign(field.fills, value[field.name])
        return None


def _choice(choice: ChoicePlan, names: Names) -> JsonObject:
    result: JsonObject = {"id": choice.id, "confirms": choice.confirms}
    if choice.phrase is not None:
        result["phrase"] = _typed_phrase(choice.phrase(names))
    if choice.label is not None:
        result["label"] = choice.label(names)
    if choice.to is not None:
        result["to"] = choice.to
    return result


def _typed_phrase(value: Any) -> Any:
    """Return what is to be typed, as a text in each language; nothing to type is an empty one."""
    if isinstance(value, dict):
        return {language: _typed_phrase(one) for language, one in value.items()}
    return "" if value is None or value is ABSENT else canonical_text(value)


def _check_phrases(choices: tuple[JsonObject, ...]) -> None:
    """Refuse phrases that data have left empty, or made the same as another choice or its number.

    Errors: CannotEvaluate.
    """
    numbers = {str(number) for number, _ in enumerate((one for one in choices if not _phrases(one)), start=1)}
    for choice in choices:
        others = {text for other in choices if other is not choice for text in _phrases(other) or (other["id"],)}
        for phrase in _phrases(choice):
            if not phrase:
                raise CannotEvaluate("phrase-empty", {"choice": choice["id"]})
            if phrase in numbers | others:
                raise CannotEvaluate("phrase-of-another", {"choice": choice["id"], "phrase": phrase})


def check_choice(choices: tuple[JsonObject, ...], body: Any) -> Check:
    """Find the choice that a body takes: by its phrase where it has one, else by its id or the label that is shown.

    A near miss of a phrase (other case or width, a slip of one or two characters) names the first that differs.
    """
    if isinstance(body, dict):
        body = body.get("choice", "")
    typed = (body if isinstance(body, str) else canonical_json(body)).strip()
    near: tuple[int, tuple[str, str]] | None = None
    for choice in choices:
        phrases = _phrases(choice)
        if not phrases:
            if typed == choice["id"]:
                return Check({"choice": choice["id"]})
            continue
        for phrase in phrases:
            if typed == phrase:
                return Check({"choice": choice["id"]})
            slips = _slips(_folded(typed), _folded(phrase))
            if slips is not None and (near is None or slips < near[0]):
                near = (slips, _first_difference(typed, phrase))
    labelled = _labelled(choices, typed)
    if labelled is not None:
        return Check({"choice": labelled["id"]})
    if near is not None:
        mine, theirs = near[1]
        code = f"run/answer-near-miss{'' if mine and theirs else '-extra' if mine else '-short'}"
        return Check(None, code, {"typed": _told(mine, theirs), "wanted": _told(theirs, mine)})
    allowed = {
        "zh": "；".join(_offered(one, "zh") for one in choices),
        "en": "; ".join(_offered(one, "en") for one in choices),
    }
    return Check(None, "run/answer-no-such-choice", {"typed": typed, "allowed": allowed})


def _told(marks: str, others: str) -> str:
    """Return characters so that a reader can tell them from others: by their numbers where nobody sees a difference."""
    looks_alike = len(alphabets_of(marks + others)) > 1
    told = (mark if mark.isprintable() else f"U+{ord(mark):04X}" for mark in marks)
    return f"{marks} (U+{ord(marks):04X})" if looks_alike and len(marks) == 1 else "".join(told)


def _labelled(choices: tuple[JsonObject, ...], typed: str) -> JsonObject | None:
    """Return the choice whose label was typed; None where several have it, or where a phrase is to be typed."""
    wanted = _folded(typed)
    found = [choice for choice in choices if wanted and wanted in map(_folded, labels_of(choice))]
    return found[0] if len(found) == 1 and not _phrases(found[0]) and MASK not in typed else None


def labels_of(choice: JsonObject) -> tuple[str, ...]:
    """Return the label with which a choice is shown, in each language that it has."""
    label = choice.get("label", "")
    return tuple(map(canonical_text, label.values() if isinstance(label, dict) else (label,)))


def _phrases(choice: JsonObject) -> tuple[str, ...]:
    phrase = choice.get("phrase")
    if phrase is None:
        return ()
    texts = phrase.values() if isinstance(phrase, dict) else (phrase,)
    return tuple(dict.fromkeys(str(text).strip() for text in texts))  # blanks around it do not matter


def _phrase_in(choice: JsonObject, language: str) -> str:
    phrase = choice.get("phrase", "")
    return str(phrase[language] if isinstance(phrase, dict) else phrase)


def _offered(choice: JsonObject, language: str) -> str:
    """Return what is typed to take a choice, with the label that a person sees beside it."""
    return _with_label(str(_phrase_in(choice, language) or choice["id"]), choice, language)


def _with_label(typed: str, choice: JsonObject, language: str) -> str:
    label = choice.get("label")
    said = canonical_text(label.get(language, "") if isinstance(label, dict) else label or "")
    if not said or said == typed:
        return typed
    return f"{typed}（{said}）" if language == "zh" else f"{typed} ({said})"


def _slips(typed: str, phrase: str) -> int | None:
    """Return how many characters a text is from a phrase; None where it is too far to be meant."""
    if typed == phrase:
        return 0
    most = min(2, len(phrase) // 4)
    if abs(len(typed) - len(phrase)) > most:
        return None
    slips = sum(max(i2 - i1, j2 - j1) for what, i1, i2, j1, j2 in _changes(typed, phrase) if what != "equal")
    return slips if slips <= most else None


def _changes(typed: str, phrase: str) -> Sequence[tuple[str, int, int, int, int]]:
    from difflib import SequenceMatcher  # only a wrong answer needs it

    return SequenceMatcher(None, typed, phrase, autojunk=False).get_opcodes()


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(mark for mark in plain if not mark.isspace() and mark not in ",，、.。!！")


def _first_difference(typed: str, wanted: str) -> tuple[str, str]:
    """Return what stands at the first place that differs: a character of each, or what is too much, or missing."""
    for what, i1, i2, j1, j2 in _changes(typed, wanted):
        if what == "replace":
            return typed[i1], wanted[j1]
        if what != "equal":
            return typed[i1:i2], wanted[j1:j2]
    return "", ""


def _field(field: FieldPlan, names: Names) -> JsonObject:
    described: JsonObject = {
        "name": field.name,
        "schema": field.schema,
        "optional": field.optional,
        "many": field.many,
    }
    if field.title is not None:
        described["title"] = field.title(names)
    if field.start is not None:
        start = field.start(names)
        if start is not ABSENT:
            described["start"] = start
    if field.choices is not None:
        described["choices"] = field.choices(names)
    if field.when is not None:
        described["conditional"] = True
    if field.hides:
        described["masked"] = True
    return described


def _with_example(
    fields: tuple[FieldPlan, ...], described: tuple[JsonObject, ...], names: Names
) -> tuple[JsonObject, ...]:
    """Return fields of which those with a condition say, by `in_example`, whether an example of an answer has them."""
    filled: JsonObject = {}
    result = []
    for field, part in zip(fields, described, strict=True):
        is_asked = bool(_visible((field,), (part,), names, filled))
        if is_asked and not field.optional:
            filled[field.name] = example_value(part)
        result.append({**part, "in_example": is_asked} if field.when is not None else part)
    return tuple(result)


def example_value(field: JsonObject) -> Any:
    """Return what an example of an answer holds in a field; `…` where something has to be filled in."""
    if field.get("masked"):
        return "…"
    if field.get("choices"):
        value = field["choices"][0]["value"]
        return [value] if field["many"] else value
    if "start" in field and field["start"] not in ("", None):
        return field["start"]
    schema = field["schema"]
    if "enum" in schema:
        return schema["enum"][0]
    if field["many"] or schema.get("type") == "array":
        return []
    if schema.get("type") in ("integer", "number"):
        return schema.get("minimum", 0)
    return False if schema.get("type") == "boolean" else "…"


#: So many choices of a field are named where another value is refused.
_MOST_OFFERED = 12
_OPENING, _CLOSING = ("{", "[", "｛"), ("}", "]", "｝")
_NO_OBJECT = Words("有括号，却不是由字段组成的对象", "it has brackets and is no object of fields")


def _visible(
    fields: tuple[FieldPlan, ...], described: tuple[JsonObject, ...], names: Names, partial: JsonObject
) -> list[JsonObject]:
    """Return the fields that are asked for, given what has been filled in so far."""
    known = {**names, **partial}
    result = []
    for field, part in zip(fields, described, strict=True):
        try:
            if field.when is None or field.when(known):
                result.append(part)
        except CannotEvaluate:
            continue
    return result


def looks_like_fields(text: str) -> bool:
    """Say whether a text was meant to name fields, or to list values; such a one is never the value of one field."""
    text = text.strip()
    return text[:1] in _OPENING or text[-1:] in _CLOSING


def not_fields(problem: Words = _NO_OBJECT) -> Check:
    return Check(None, "run/answer-not-fields", {"problem": problem._asdict()})


def _check_form(fields: tuple[FieldPlan, ...], described: tuple[JsonObject, ...], names: Names, body: Any) -> Check:
    if not isinstance(body, dict):
        required = [field for field in fields if field.when is None and not field.optional]
        if len(required) != 1:
            return Check(None, "run/answer-not-a-form", {"fields": ", ".join(field.name for field in fields)})
        if isinstance(body, str) and looks_like_fields(body):
            return not_fields()
        body = {required[0].name: body}
    allowed = [field.name for field in fields]
    unknown = [name for name in body if name not in allowed]
    faults: list[tuple[str, Check]] = []
    filled: JsonObject = {}
    known = dict(names)
    for field, part in zip(fields, described, strict=True):
        known.pop(field.name, None) if field.fills is None else None
        try:
            asked = field.when is None or field.when({**known, **filled})
        except CannotEvaluate:
            asked = False
        value = body.get(field.name, ABSENT)
        if not asked or (value is ABSENT and field.optional):
            continue
        chosen, fault = _filled(field, part, value)
        if fault is None:
            filled[field.name] = chosen
        else:
            faults.append((field.name, fault))
            known.pop(field.name, None)  # conditions of later fields do not see what does not fit
    if not unknown and not faults:
        return Check(filled)
    from interpreter.codes.answers import form_faults  # most answers fit

    return form_faults(unknown, allowed, faults)


def _filled(field: FieldPlan, part: JsonObject, value: Any) -> tuple[Any, Check | None]:
    """Return the value that a field gets, and what is wrong with it."""
    if value is ABSENT:
        return ABSENT, Check(None, "run/answer-field-missing", {"field": field.name})
    chosen = _chosen(value, part, field.many)
    if chosen is ABSENT:
        return ABSENT, not_offered(part, value)
    problem = field.problem(chosen)
    if problem is not None:
        return ABSENT, Check(None, "run/answer-wrong-form", {"field": field.name, "problem": problem._asdict()})
    return chosen, None


def not_offered(part: JsonObject, value: Any) -> Check:
    """Say that a field does not offer a value, and what it offers: nothing of either where its values are hidden."""
    facts: dict[str, object] = {"field": part["name"], "typed": MASK, "allowed": MASK}
    if not part.get("masked"):
        offered = part["choices"][:_MOST_OFFERED]
        typed = [canonical_text(choice["value"]) for choice in offered]
        facts["typed"] = canonical_text(value)
        facts["allowed"] = {
            language: mark.join(_with_label(*one, language) for one in zip(typed, offered, strict=True))
            for language, mark in (("zh", "；"), ("en", "; "))
        }
    return Check(None, "run/answer-field-no-such-choice", facts)


def _chosen(value: Any, part: JsonObject, many: bool) -> Any:
    """Return the value(s) of the choices that were named, each once; ABSENT when one is none of them."""
    choices = part.get("choices")
    if choices is None:
        return value
    values = {canonical_json(choice["value"]): choice["value"] for choice in choices}
    wanted = [canonical_json(entry) for entry in (value if many and isinstance(value, list) else [value])]
    if not all(entry in values for entry in wanted):
        return ABSENT
    return [values[entry] for entry in dict.fromkeys(wanted)] if many else values[wanted[0]]
