"""A finished run as a case: what came in, what tools and people answered, how it went.

Texts that were really read, and what is marked private or sensitive, stay out of it unless somebody wants them: each
becomes a placeholder of the same length, so that no document and no secret ends up in a repository by accident. What
the case expects is then what it comes to itself, with the placeholders in it; where that is another way than the run
took, the document says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from interpreter.diagnostics import Diagnostic, finding
from interpreter.engine.program import Program
from interpreter.ports import Journal, JsonObject, Row
from interpreter.safety.masking import texts_in
from interpreter.source import Source, Span
from interpreter.testing.cases import Case, DeclaredAnswer, Expectation
from interpreter.testing.running import Happened, Walked, Workbench, happened, run_case
from rules.expr import parse_expression
from rules.patterns import regex
from rules.records import NamedTuple, replace
from rules.values import ABSENT, dumps, same

_NOWHERE = Span(Source("", ""), 0, 0)
_LONGEST_LITERAL = 80
_FILLING = "x"
#: Marks of numbers, days and addresses.
_FORM = "-.:/@"
_DAY = 10
#: A day, or an instant with or without its zone.
_TIME = regex(r"\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?")


class Entry(NamedTuple):
    """What one tool answered, and at which instant. Shapes: `when` is '' for an answer to any call."""

    tool: str
    when: str
    answer: Any
    error: JsonObject | None
    at: str
    breaks_contract: bool = False


class Recording(NamedTuple):
    """A run as it was recorded.

    Shapes: `sets` are thresholds alone; `ended` and `cancelled` say whether it was; `named` are the answers with the
    names of those who gave them, `answered_at` their instants by question and visit; `edited` are the states that began
    anew with an edit, and what they had done before is left out.
    """

    start: JsonObject
    sets: Mapping[str, str]
    ended: bool
    cancelled: bool
    visits: tuple[str, ...]
    entries: tuple[Entry, ...]
    answers: Mapping[str, Any]
    named: Mapping[str, Any]
    answered_at: Mapping[str, str]
    events: tuple[Happened, ...]
    edited: tuple[str, ...]
    has_placeholders: bool


def read_recording(start: JsonObject, journal: Journal, program: Program, *, with_content: bool) -> Recording:
    """Return what a journal holds of a run, what was read and what is marked as placeholders unless `with_content`."""
    rows, edited = _that_count(journal)
    visit_of = _visits_of_questions(rows)
    told = _Told(start["language"], visit_of)
    for row in rows:
        told.take(row)
    events = tuple(
        one._replace(name=_renumbered(one.name, visit_of)) if one.kind == "answer" else one for one in happened(rows)
    )
    answers = {name: _one_or_all(given) for name, given in told.answers.items()}
    named = {name: _one_or_all(told.named(name)) for name in told.answers}
    called = told.called
    fixed = _fixed_times(start, told, rows)
    if not with_content:
        marked = set(_marked_texts(start["inputs"], program, told.answers, told.asked))
        start = {**start, "inputs": _without_marked(start["inputs"], marked)}
        answers, named = _without_marked(answers, marked), _without_marked(named, marked)
        called = [(_without_marked(sent, marked), _without_marked(outcome, marked)) for sent, outcome in called]
    return Recording(
        start=start,
        sets={name: text for name, text in start["sets"].items() if not name.startswith("settings.")},
        ended=told.ended,
        cancelled=told.cancelled,
        visits=tuple(told.visits),
        entries=tuple(
            _entry(sent["tool"], sent["sent"], outcome, program, fixed, with_content) for sent, outcome in called
        ),
        answers=answers,
        named=named,
        answered_at=told.answered_at,
        events=events,
        edited=edited,
        has_placeholders=not with_content,
    )


class _Told:
    """What the rows of a run tell, one after another.

    Shapes: `called` are pairs of what was sent and what came of it; `answers` are those of each question by its name,
    in the order of asking, `people` those who gave them, '' where nobody did; `answered_at` are the instants of
    answers, `asked` the questions, by name and visit.
    """

    def __init__(self, language: str, visit_of: Mapping[str, int]) -> None:
        self.ended = False
        self.cancelled = False
        self.visits: list[str] = []
        self.called: list[tuple[JsonObject, JsonObject]] = []
        self.answers: dict[str, list[Any]] = {}
        self.people: dict[str, list[str]] = {}
        self.answered_at: dict[str, str] = {}
        self.asked: dict[str, JsonObject] = {}
        self._intended: dict[str, JsonObject] = {}
        self._language = language
        self._visit_of = visit_of

    def take(self, row: Row) -> None:
        match row.kind:
            case "trace" if row.body["note"] == "state":
                self.visits.append(row.body["state"])
            case "end":
                self.ended = True
            case "cancel":
                self.cancelled = True
            case "intention":
                self._intended[row.key] = row.body
            case "outcome":
                self.called.append((self._intended.pop(row.key, row.body), row.body))
            case "question":
                self.asked[row.body["question"]] = row.body
            case "answer":
                self._take_answer(row.body)

    def _take_answer(self, body: JsonObject) -> None:
        question = body["question"]
        name = question.rpartition("#")[0]
        given, people = self.answers.setdefault(name, []), self.people.setdefault(name, [])
        passed_over = self._visit_of[question] - 1 - len(given)
        given.extend([{"ending": "abandoned"}] * passed_over)
        people.extend([""] * passed_over)
        given.append(_answer(body, self.asked.get(question, {}), self._language))
        people.append(str(body["who"]))
        self.answered_at[_renumbered(question, self._visit_of)] = str(body["at"])

    def named(self, question: str) -> list[Any]:
        """Return the answers to a question, each with the name of whoever gave it."""
        pairs = zip(self.answers[question], self.people[question], strict=True)
        return [{"who": who, "then": answer} if who else answer for answer, who in pairs]


def _one_or_all(answers: list[Any]) -> Any:
    """Return the answers to one question as a case writes them."""
    return answers[0] if len(answers) == 1 else answers


def _marked_texts(
    inputs: JsonObject, program: Program, answers: Mapping[str, list[Any]], asked: Mapping[str, JsonObject]
) -> Iterator[str]:
    """Yield the texts and numbers of inputs and of fields of forms that are private or sensitive."""
    for name, value in inputs.items():
        declaration = program.data.get(name)
        if declaration is not None and (declaration.private or declaration.sensitive):
            yield from texts_in(value)
    masked = {
        (question.rpartition("#")[0], field["name"])
        for question, body in asked.items()
        for field in body.get("form") or ()
        if field.get("masked")
    }
    for question, name in masked:
        yield from texts_in([given.get(name, "") for given in answers.get(question, ()) if isinstance(given, dict)])


def _without_marked(value: Any, marked: set[str]) -> Any:
    """Return a value in which what is marked is a placeholder of the same form, also inside of other texts."""
    if isinstance(value, list):
        return [_without_marked(entry, marked) for entry in value]
    if isinstance(value, dict):
        return {name: _without_marked(entry, marked) for name, entry in value.items()}
    if isinstance(value, str):
        for text in sorted(marked, key=len, reverse=True):
            value = value.replace(text, _placeholder(text))
        return value
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return type(value)(_placeholder(str(value))) if is_number and str(value) in marked else value


def _placeholder(text: str) -> str:
    """Return what has the form of a text, so that numbers stay numbers and days stay days."""
    return "".join(mark if mark in _FORM else "1" if mark.isdecimal() else _FILLING for mark in text)


def _that_count(journal: Journal) -> tuple[list[Row], tuple[str, ...]]:
    """Return the rows of a run without what an edit made void, and the states that began anew.

    A state that begins anew is entered once more: what its former visit, and later ones, asked and read is as if it had
    not been.
    """
    kept: list[Row] = []
    anew: list[str] = []
    for row in journal.rows():
        if row.kind == "edited":
            state = row.body["snapshot"]["state"]
            anew.append(state)
            entered = [at for at, one in enumerate(kept) if _enters(one, state)]
            del kept[entered[-1] if entered else 1 :]
        kept.append(row)
    return kept, tuple(anew)


def _enters(row: Row, state: str) -> bool:
    return row.kind == "trace" and row.body["note"] == "state" and row.body["state"] == state


def _visits_of_questions(rows: list[Row]) -> dict[str, int]:
    """Return at which asking of a question each one stands, by the name that it was recorded under."""
    keys: dict[str, list[int]] = {}
    for row in rows:
        if row.kind == "question":
            name, _, visit = row.body["question"].rpartition("#")
            keys.setdefault(name, []).append(int(visit))
    return {
        f"{name}#{visit}": number for name, visits in keys.items() for number, visit in enumerate(sorted(visits), 1)
    }


def _renumbered(question: str, visit_of: Mapping[str, int]) -> str:
    return f"{question.rpartition('#')[0]}#{visit_of[question]}"


def _fixed_times(start: JsonObject, told: _Told, rows: list[Row]) -> frozenset[str]:
    """Return the days and instants that a case has as well: the beginning, and what inputs and answers name.

    Any other one comes from the clock, as it was or computed from it; so may one at which something happened.
    """
    values = [outcome.get("value") for _, outcome in told.called]
    given = texts_in([start["inputs"], *told.answers.values(), *values])
    times = (time for text in given for time in _TIME.findall(text))
    happened_at = {str(row.body["at"]) for row in rows if "at" in row.body}
    moments = happened_at | {one[:_DAY] for one in happened_at}
    return frozenset(times) - moments | {start["started_at"], start["started_at"][:_DAY]}


def _entry(
    tool: str, sent: JsonObject, outcome: JsonObject, program: Program, fixed: frozenset[str], with_content: bool
) -> Entry:
    when = " and ".join(
        f"sent.{name} == {literal(value)}"
        for name, value in sent.items()
        if name.isidentifier() and _is_plain(value) and not _is_of_the_clock(value, fixed)
    )
    at = str(outcome["at"])
    if not outcome["ok"]:
        error = outcome["error"]
        if error["code"] == "invalid_answer" and "answer" in outcome:
            return Entry(tool, when, outcome["answer"], None, at, breaks_contract=True)
        told = {name: error[name] for name in ("code", "kind") if name in error}
        return Entry(tool, when, ABSENT, told, at)
    answer = outcome["value"]
    contract = program.contracts.get(tool)
    if not with_content and contract is not None and contract.bodies is not None:
        answer = without_content(answer, {text for _, text in contract.bodies(answer)})
    return Entry(tool, when, answer, None, at)


def without_content(value: Any, texts: set[str]) -> Any:
    """Return a value in which each of these texts is a placeholder of the same length; line breaks stay."""
    if isinstance(value, str):
        return "".join("\n" if mark == "\n" else _FILLING for mark in value) if value in texts else value
    if isinstance(value, list):
        return [without_content(entry, texts) for entry in value]
    if isinstance(value, dict):
        return {name: without_content(entry, texts) for name, entry in value.items()}
    return value


def _answer(body: JsonObject, question: JsonObject, language: str) -> Any:
    """Return what a person said: a choice with a phrase is taken by its phrase alone."""
    if body["ending"] != "answered":
        return {"ending": body["ending"]}
    value = body["value"]
    if set(value) != {"choice"}:
        return value
    chosen: JsonObject = next((choice for choice in question.get("choices", ()) if choice["id"] == value["choice"]), {})
    phrase = chosen.get("phrase")
    if phrase is None:
        return value["choice"]
    return phrase[language] if isinstance(phrase, dict) else phrase


def _is_plain(value: Any) -> bool:
    return (isinstance(value, str) and len(value) <= _LONGEST_LITERAL) or isinstance(value, bool | int)


def _is_of_the_clock(value: Any, fixed: frozenset[str]) -> bool:
    """Say whether a text holds a day or an instant that a case would have otherwise."""
    return isinstance(value, str) and not fixed.issuperset(_TIME.findall(value))


def literal(value: Any) -> str:
    """Return a plain value as an expression writes it."""
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"
    return dumps(value)


# --- the case ---------------------------------------------------------------------------------------------------------


def case_of(name: str, recording: Recording) -> Case:
    """Return a recording as a case that expects nothing yet."""
    tools: dict[str, list[DeclaredAnswer]] = {}
    for entry in recording.entries:
        when = parse_expression(entry.when)[0] if entry.when else None
        answer = DeclaredAnswer(when, entry.answer, entry.error, entry.breaks_contract, _NOWHERE)
        tools.setdefault(entry.tool, []).append(answer)
    return Case(
        id=name,
        inputs={name: value for name, value in recording.start["inputs"].items() if not _is_a_run(value)},
        sets=recording.sets,
        tools={tool: tuple(answers) for tool, answers in tools.items()},
        answers=recording.answers,
        now=recording.start["started_at"],
        language=recording.start["language"],
        expect=Expectation(),
        span=_NOWHERE,
        run_id=str(recording.start["run"]),
    )


def replay_of(recording: Recording) -> Case:
    """Return a recording as a case in which whoever answered answers, and everything when it came."""
    case = case_of("replay", recording._replace(answers=recording.named))
    given: dict[str, list[str]] = {}
    for entry in recording.entries:
        given.setdefault(entry.tool, []).append(entry.at)
    tools = {
        tool: tuple(replace(answer, at=at) for answer, at in zip(answers, given[tool], strict=True))
        for tool, answers in case.tools.items()
    }
    return replace(case, tools=tools, answered_at=recording.answered_at)


def _is_a_run(value: Any) -> bool:
    """Say whether an input read an ended run, which a case cannot give."""
    return isinstance(value, dict) and {"run_id", "status", "outputs"} <= set(value)


def document_of(
    name: str, case_id: str, recording: Recording, workbench: Workbench, program: Program, *, ends: bool = True
) -> tuple[str | None, list[Diagnostic]]:
    """Return a tests document of a recording; None with what is wrong where a case cannot give its inputs.

    Shapes: with `ends` the case has to come to an end. Who answered stands in it only where the run goes another way
    without.
    """
    if recording.cancelled:
        return None, [finding("command/recording-cancelled", None, run=recording.start["run"])]
    walked, found = run_case(workbench, program, case_of(case_id, recording))
    if walked is not None and (not _has_ended(walked) or walked.visits != recording.visits):
        named = recording._replace(answers=recording.named)
        with_people, _ = run_case(workbench, program, case_of(case_id, named))
        if with_people is not None and _has_ended(with_people) and with_people.visits == recording.visits:
            recording, walked = named, with_people
    if walked is None:
        return None, found
    if ends and not _has_ended(walked):
        return None, [_not_repeated(recording, walked)]
    return "\n".join(_lines(name, case_id, recording, program, walked)) + "\n", found


def _has_ended(walked: Walked) -> bool:
    return not walked.undeclared and walked.status in ("completed", "failed", "cancelled")


def _not_repeated(recording: Recording, walked: Walked) -> Diagnostic:
    """Return why a recording does not come to an end when it is walked again."""
    facts = {"run": recording.start["run"], "stopped": _stopped(walked)}
    if recording.edited:
        return finding("command/recording-took-up-edits", None, states=", ".join(recording.edited), **facts)
    if recording.has_placeholders:
        return finding("command/recording-needs-content", None, **facts)
    return finding("command/recording-not-repeated", None, **facts)


def _stopped(walked: Walked) -> str:
    """Return where a case stopped and at what: a state, and a call, a question or a code."""
    calls = [call.tool for call in walked.undeclared]
    return ", ".join(
        [walked.state, *dict.fromkeys(calls), *walked.unanswered, *([walked.error] if walked.error else [])]
    )


def first_difference(recording: Recording, walked: Walked) -> tuple[int, Happened | None, Happened | None] | None:
    """Return where a replayed run begins to differ: how much went as recorded, what came then, and what now."""
    pairs = zip_longest(recording.events, walked.events)
    for number, (then, now) in enumerate(pairs):
        if then is None or now is None or then[:2] != now[:2] or not same(then.detail, now.detail):
            return number, then, now
    return None


def _lines(name: str, case_id: str, recording: Recording, program: Program, walked: Walked) -> Iterator[str]:
    start = recording.start
    if recording.edited:
        yield f"# The run took up edits in {', '.join(recording.edited)}; what these had done before is left out."
    if walked.visits != recording.visits:
        why = "Without the texts of the documents" if recording.has_placeholders else "With what a case can give"
        yield f"# {why} the run goes another way than it went: the recorded one was"
        yield f"# {' → '.join(recording.visits)}"
    yield f"tests: {name}"
    yield f"workflow: {start['workflow']}"
    yield "cases:"
    yield f"  - id: {case_id}"
    inputs = {given: value for given, value in start["inputs"].items() if not _is_a_run(value)}
    if inputs:
        yield f"    inputs: {_json(inputs)}"
    if recording.sets:
        yield f"    set: {_json(dict(recording.sets))}"
    tools = sorted({entry.tool for entry in recording.entries})
    if tools:
        yield "    tools:"
    for tool in tools:
        yield f"      {tool}:"
        yield from (f"        - {_written(entry)}" for entry in recording.entries if entry.tool == tool)
    if recording.answers:
        yield "    answers:"
        yield from (f"      {question}: {_json(answer)}" for question, answer in recording.answers.items())
    yield f"    run_id: {_json(start['run'])}"
    yield f"    now: {_json(start['started_at'])}"
    yield f"    language: {start['language']}"
    yield "    expect:"
    yield f"      status: {walked.status}"
    if walked.partial:
        yield "      partial: true"
    if walked.error:
        yield f"      error: {_json(walked.own_error) if walked.own_error else walked.error}"
    yield f"      visits: [{', '.join(walked.visits)}]"
    writes = [call for call in walked.called if program.contracts[call.tool].effect != "read"]
    reads = [call.tool for call in walked.called if program.contracts[call.tool].effect == "read"]
    if walked.called:
        yield "      calls:"
    yield from (f"        - {{tool: {call.tool}, with: {_json(call.sent)}}}" for call in writes)
    yield from (f"        - {{tool: {tool}, times: {reads.count(tool)}}}" for tool in sorted(set(reads)))
    if walked.outputs:
        yield "      outputs:"
    yield from (f"        {output}: {_json(value)}" for output, value in walked.outputs.items())


def _written(entry: Entry) -> str:
    parts = [f"when: {_json(entry.when)}"] if entry.when else []
    if entry.error is not None:
        parts.append(f"error: {_json(entry.error)}")
    else:
        parts.append(f"answer: {_json(entry.answer)}")
    if entry.breaks_contract:
        parts.append("breaks_contract: true")
    return "{" + ", ".join(parts) + "}"


def _json(value: Any) -> str:
    """Return a value as JSON that every reader of YAML takes: what cannot be seen is written as an escape."""
    return "".join(mark if mark == " " or mark.isprintable() else _escaped(ord(mark)) for mark in dumps(value))


def _escaped(number: int) -> str:
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
