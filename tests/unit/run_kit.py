"""Whole runs from case files: scripted tools and people, a clock turned by hand, a journal in memory.

A case is a folder: `spec.yaml`, what the language finds beside it (else in `shared/`), and `case.yaml`. A run begun
again from any prefix of its journal gets the answers that the first walk would have got from there on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from interpreter.adapters.clock import ManualClock
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.check import check_documents
from interpreter.diagnostics import Diagnostic
from interpreter.documents.loading import load_workflow
from interpreter.documents.reading import Disk
from interpreter.engine.core import Core
from interpreter.engine.machine import Ended, walk
from interpreter.engine.program import Program
from interpreter.plan import plan_workflow
from interpreter.ports import Answer, Blocked, Check, JsonObject, Outcome, Question, Request, ToolFailure, Waiting
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from rules.values import canonical_json

CASES = Path(__file__).parents[1] / "cases" / "run"
SHARED = CASES / "shared"
#: A run that stops so often is not going to end.
WALKS = 40


# --- cases ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """One case file.

    Shapes: `answers` maps a tool to its rules, in order: `{with?: part of the arguments, give | fail | raise: …,
    cancel?, turns?}`; `people` maps a question to what happens each time that it is asked (by visit, then in order): an
    answer, null (nobody is there), `{seconds: n}` (time goes by), `{cancel: true}`, `{through: …, value: …}`;
    `resumes` are the decisions that follow each block; `ends_differ` says that a kill may change the end, because what
    is in flight then is done later or not; `script` takes the place of `answers`.
    """

    name: str
    program: Program
    findings: tuple[Diagnostic, ...]
    inputs: Mapping[str, Any]
    answers: Mapping[str, list[JsonObject]]
    people: Mapping[str, list[list[Any]]]
    resumes: list[JsonObject]
    expect: JsonObject
    at_once: bool = False
    ends_differ: bool = False
    language: str = "en"
    script: Callable[[], Script] | None = None


class Beside:
    """Reads a document of a case, else the shared one of the same place."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, path: PurePath) -> str | Diagnostic:
        own = Path(path)
        shared = SHARED / own.relative_to(self._folder)
        return Disk().read(own if own.exists() or not shared.exists() else shared)

    def names(self, folder: PurePath) -> Iterable[str]:
        return Disk().names(folder)


def case_names() -> list[str]:
    return sorted(path.parent.name for path in CASES.glob("*/case.yaml"))


#: What the linter proves is watched in a run all the same; cases may break it to see the watch at work.
PROVED = frozenset({"flow/guarantee-broken", "flow/write-not-confirmed"})


def is_at_once(name: str) -> bool:
    return bool(read_plain(CASES / name / "case.yaml").get("at_once", False))


def load_case(name: str) -> Case:
    folder = CASES / name
    body = read_plain(folder / "case.yaml")
    documents, findings = load_workflow(folder / "spec.yaml", Beside(folder))
    assert documents is not None, [one.message.en for one in findings]
    findings = [*findings, *check_documents(documents)]
    if not body.get("unchecked", False):
        assert [one for one in findings if one.severity == "error" and one.code not in PROVED] == [], _told(findings)
    return case_of(name, plan_workflow(documents), body, tuple(findings))


def case_of(name: str, program: Program, body: JsonObject, findings: tuple[Diagnostic, ...] = ()) -> Case:
    return Case(
        name=name,
        program=program,
        findings=findings,
        inputs=body.get("inputs", {}),
        answers=body.get("answers", {}),
        people={question: [_as_list(visit) for visit in visits] for question, visits in body.get("people", {}).items()},
        resumes=body.get("resumes", []),
        expect=body.get("expect", {}),
        at_once=body.get("at_once", False),
        ends_differ=body.get("ends_differ", False),
        language=body.get("language", "en"),
    )


def read_plain(path: Path) -> Any:
    node, problems = read_tree(Source(path.name, path.read_text(encoding="utf-8")))
    assert node is not None
    assert [one for one in problems if one.severity == "error"] == [], (str(path), _told(problems))
    return to_value(node)


def _as_list(visit: Any) -> list[Any]:
    return visit if isinstance(visit, list) else [visit]


def _told(findings: Any) -> list[str]:
    return [
        f"{one.span.begins.line if one.span else ''}: {one.code} {one.message.en}"
        for one in findings
        if one.severity == "error"
    ]


# --- the world --------------------------------------------------------------------------------------------------------


def call_of(tool: str, arguments: Any) -> tuple[str, str]:
    """Return a tool and its arguments as canonical JSON."""
    return tool, canonical_json(arguments)


class Script:
    """The answers of tools, taken in order by all calls that the same rules fit; the last one repeats itself."""

    def __init__(self, answers: Mapping[str, list[JsonObject]]) -> None:
        self._answers = answers
        self._taken: Counter[tuple[str, tuple[int, ...]]] = Counter()

    def next(self, tool: str, arguments: JsonObject) -> JsonObject:
        rules = self._answers.get(tool, [])
        fitting = [number for number, rule in enumerate(rules) if _fits(rule, arguments)]
        assert fitting, f"nothing is said about {tool} {arguments}"
        narrow = max(len(rules[number].get("with", {})) for number in fitting)
        fitting = [number for number in fitting if len(rules[number].get("with", {})) == narrow]
        taken = self._taken[tool, tuple(fitting)]
        self._taken[tool, tuple(fitting)] += 1
        return rules[fitting[min(taken, len(fitting) - 1)]]


def _fits(rule: JsonObject, arguments: JsonObject) -> bool:
    return all(
        name in arguments and canonical_json(arguments[name]) == canonical_json(value)
        for name, value in rule.get("with", {}).items()
    )


class ScriptedTools:
    """Tools that answer what a case says. Shapes: `calls` are the requests made in this process."""

    def __init__(self, case: Case, journal: MemoryJournal) -> None:
        self.calls: list[Request] = []
        self._journal = journal
        self._at_once = case.at_once
        self._script, _ = played(case, journal)

    def has(self, tool: str) -> bool:
        return True

    def identities(self) -> dict[str, str]:
        return {}

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        self.calls.append(request)
        rule = self._script.next(request.tool, request.arguments)
        if rule.get("cancel"):
            self._journal.request_cancel()
        return self._slowly(rule) if self._at_once else _answered(rule)

    async def _slowly(self, rule: JsonObject) -> Any:
        from asyncio import sleep

        for _ in range(rule.get("turns", 0)):
            await sleep(0)
        return _answered(rule)


def _answered(rule: JsonObject) -> Any:
    if "fail" in rule:
        raise ToolFailure(rule["fail"], rule.get("message", ""), retry_after=rule.get("retry_after"))
    if "raise" in rule:
        raise RuntimeError(rule["raise"])
    return rule["give"]


class ScriptedPeople:
    """People who answer what a case says. Shapes: `asked` are the questions, `refused` the codes of unfit answers."""

    def __init__(self, case: Case, journal: MemoryJournal, clock: ManualClock) -> None:
        self.asked: list[Question] = []
        self.refused: list[tuple[str, str, dict[str, object]]] = []
        self.messages: list[JsonObject] = []
        self.progress: list[tuple[str, JsonObject]] = []
        self.left: dict[str, list[Any]] = {}
        self._case = case
        self._journal = journal
        self._clock = clock

    def has_more_for(self, keys: tuple[str, ...]) -> bool:
        return any(self.left.get(key) for key in keys)

    def ask(self, question: Question, check: Callable[[Any, str], Check]) -> Answer | None:
        key = f"{question.name}#{question.visit}"
        is_unknown = question.kind == "unknown_write"
        if key not in self.left:
            visits = self._case.people.get(question.name.partition(".")[0] if is_unknown else question.name, [])
            self.left[key] = list(visits[question.visit - 1]) if question.visit <= len(visits) else []
            self.asked.append(question)
        while self.left[key]:
            said = self.left[key].pop(0)
            if said is None:
                return None
            if isinstance(said, dict) and "seconds" in said:
                self._clock.turn(float(said["seconds"]))
                return None
            if isinstance(said, dict) and said.get("cancel"):
                self._journal.request_cancel()
                return None
            if isinstance(said, dict) and "ending" in said:
                return Answer(said["ending"], {}, "ann", "", "terminal")
            through = "terminal"
            if isinstance(said, dict) and "through" in said:
                through, said = said["through"], said["value"]
            checked = check(said, "en")
            if checked.value is not None:
                return Answer("answered", checked.value, "ann", "", through)
            self.refused.append((key, checked.code, dict(checked.facts)))
        if question.may_be_unanswered:
            return Answer("abandoned", {}, "", "", "terminal")
        return None

    def show(self, message: JsonObject) -> None:
        self.messages.append(message)

    def show_progress(self, state: str, text: JsonObject) -> None:
        self.progress.append((state, text))

    def show_live(self, *args: Any) -> None:
        """Nobody watches."""


class Visits(defaultdict[str, int]):
    """How often each state was entered. Shapes: `path` lists them as they were entered."""

    def __init__(self) -> None:
        super().__init__(int)
        self.path: list[str] = []

    def __setitem__(self, state: str, visit: int) -> None:
        if visit:
            self.path.append(state)
        super().__setitem__(state, visit)


# --- runs -------------------------------------------------------------------------------------------------------------


@dataclass
class Told:
    """How a run ended, or stands, and all that came out of it."""

    status: str
    path: list[str]
    outputs: JsonObject
    data: JsonObject
    partial: Any = None
    finding: JsonObject | None = None
    failures: list[JsonObject] = field(default_factory=list)
    calls: list[Request] = field(default_factory=list)
    messages: list[JsonObject] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    refused: list[tuple[str, str, dict[str, object]]] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    gates: list[tuple[str, bool | str]] = field(default_factory=list)
    walks: int = 0

    def end(self) -> JsonObject:
        """Return what every walk of the same run has to agree on."""
        finding = self.finding or {}
        return {
            "status": self.status,
            "path": self.path,
            "outputs": self.outputs,
            "data": self.data,
            "partial": self.partial,
            "finding": {name: finding.get(name) for name in ("code", "where", "facts", "state", "entries")},
            "failures": self.failures,
            "waiting": self.waiting,
        }


def run_case(case: Case, journal: MemoryJournal, *, at_most_walks: int = WALKS) -> Told:
    """Walk a case until it ends, or stands still with nothing left in the script."""
    clock = ManualClock()
    people = ScriptedPeople(case, journal, clock)
    tools = ScriptedTools(case, journal)
    told, goes_on = _walk_once(case, journal, tools, people, clock)
    walks = 1
    while goes_on and walks < at_most_walks:
        told, goes_on = _walk_once(case, journal, tools, people, clock)
        walks += 1
    told.calls, told.messages = tools.calls, people.messages
    told.asked, told.refused = people.asked, people.refused
    told.gates = list(_gates(journal))
    told.walks = walks
    told.pauses = clock.pauses
    return told


def _walk_once(
    case: Case, journal: MemoryJournal, tools: ScriptedTools, people: ScriptedPeople, clock: ManualClock
) -> tuple[Told, bool]:
    decided = sum(row.kind == "resume" for row in journal.rows())
    decision = case.resumes[decided] if decided < len(case.resumes) else None
    run = EmbeddedRun(
        journal,
        tools,
        people,
        clock,
        settle_answer=lambda request, answer: case.program.contracts[request.tool].interpret(request, answer),
        settle_failure=lambda request, failure: _failure(case.program, request, failure),
        decision=decision if journal_is_blocked(journal) else None,
    )
    core = Core(
        case.program,
        run,
        run_id="a-run",
        started_at="2024-01-01T00:00:00.000Z",
        timezone="UTC",
        language=case.language,
        inputs=case.inputs,
    )
    core.visits = visits = Visits()
    status, ended, waiting, goes_on = "", None, [], False
    try:
        ended = drive(walk(core), loop=case.at_once)
        status = ended.status
        run.end(status, {}, partial=ended.partial is not None)
    except Waiting as stop:
        status, waiting = "waiting", list(stop.keys)
        run.stop("waiting")
        goes_on = people.has_more_for(stop.keys) or journal.cancels() > _kinds(journal, "cancel")
        goes_on = goes_on or _deadline_passed(journal, clock)
    except Blocked as stop:
        status = "blocked"
        run.stop("blocked")
        ended = Ended("blocked", finding=stop.finding)
        goes_on = stop.key != "" and _kinds(journal, "resume") < len(case.resumes)
    told = Told(
        status=status,
        path=visits.path,
        outputs=core.outputs(),
        data={name: core.names[name] for name in case.program.data if name in core.names},
        partial=ended.partial if ended is not None else None,
        finding=ended.finding if ended is not None else None,
        failures=list(core.failures),
        waiting=waiting,
    )
    return told, goes_on


def _gates(journal: MemoryJournal) -> Iterator[tuple[str, bool | str]]:
    """Yield what the record says of each look at a gate: its name, and whether it held."""
    for row in journal.rows():
        if row.kind == "trace" and row.body["note"] == "gate":
            yield row.body["gate"], row.body["held"]
        elif row.kind == "trace":
            yield from ((gate, True) for gate in row.body.get("gates", ()))


def journal_is_blocked(journal: MemoryJournal) -> bool:
    """A decision belongs to a block that an earlier process recorded."""
    return _kinds(journal, "block") > _kinds(journal, "resume")


def _failure(program: Program, request: Request, failure: ToolFailure) -> Outcome:
    error = program.contracts[request.tool].error(failure.code, failure.message)
    if failure.retry_after is not None:
        error["retry_after"] = failure.retry_after
    return {"ok": False, "error": error}


def _kinds(journal: MemoryJournal, kind: str) -> int:
    return sum(row.kind == kind for row in journal.rows())


def _deadline_passed(journal: MemoryJournal, clock: ManualClock) -> bool:
    rows = list(journal.rows())
    answered = {row.key for row in rows if row.kind == "answer"}
    return any(
        row.kind == "question" and row.key not in answered and row.body.get("deadline", "9999") <= clock.now()
        for row in rows
    )


def calls_in(journal: MemoryJournal) -> Iterator[JsonObject]:
    """Return the calls that a journal knows of: reads by their outcome, writes by their intention."""
    for row in journal.rows():
        if row.kind == "intention" or (row.kind == "outcome" and "tool" in row.body):
            yield row.body


def played(case: Case, journal: MemoryJournal) -> tuple[Script, int]:
    """Return the script as far as a journal has it behind itself, and how many cancels the calls in it asked for."""
    script = case.script() if case.script is not None else Script(case.answers)
    cancels = sum(bool(script.next(body["tool"], body["sent"]).get("cancel")) for body in calls_in(journal))
    return script, cancels


def completed_writes(journal: MemoryJournal) -> Counter[tuple[str, str]]:
    """Count the writes that a journal knows to have happened."""
    sent: dict[str, tuple[str, str]] = {}
    found: Counter[tuple[str, str]] = Counter()
    for row in journal.rows():
        if row.kind == "intention":
            sent[row.key] = call_of(row.body["tool"], row.body["sent"])
        elif row.kind == "outcome" and row.key in sent and row.body["ok"]:
            found[sent[row.key]] += 1
    return found


def prefixes(case: Case, journal: MemoryJournal) -> Iterator[tuple[MemoryJournal, str]]:
    """Yield the run as killed after every row, and the key of a write cut in flight ('' for none)."""
    for length in range(len(journal)):
        yield prefix_of(case, journal, length)


def prefix_of(case: Case, journal: MemoryJournal, length: int) -> tuple[MemoryJournal, str]:
    """Return the run as killed after so many rows, and the key of a write cut in flight ('' for none)."""
    cut = journal.prefix(length)
    rows = list(cut.rows())
    cut._answers = {name: body for name, body in cut._answers.items() if _is_given(rows, name)}
    cut._cancels = max(_kinds(cut, "cancel"), played(case, cut)[1])
    return cut, rows[-1].key if rows and rows[-1].kind == "intention" else ""


def _is_given(rows: list[Any], name: str) -> bool:
    return any(row.kind == "answer" and row.body.get("question") == name for row in rows)
