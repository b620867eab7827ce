"""One run from outside: prepare its documents, start it, go on with it, and say how it stands.

The command, tests and other hosts all come through here. Nothing is printed and nothing is asked here: people and
messages are behind `ports.People`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from interpreter import __version__
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.adapters.people import Rehearsal
from interpreter.adapters.rehearsal import RehearsalTools
from interpreter.adapters.runs import RunStore
from interpreter.adapters.toolbox import Toolbox, open_toolbox
from interpreter.check import check_documents
from interpreter.diagnostics import Diagnostic, did_you_mean, finding, has_errors, in_order
from interpreter.documents import Documents, load_profile, load_workflow
from interpreter.engine.core import Core
from interpreter.engine.machine import Ended, walk
from interpreter.engine.program import CALLING_SEQUENCE, Program
from interpreter.model import Declared, Profile
from interpreter.plan import plan_workflow
from interpreter.plan.program import CONFIRM_THROUGH
from interpreter.plan.shapes import declaration_of, describe, problem_of
from interpreter.ports import (
    Blocked,
    Clock,
    Interrupted,
    Journal,
    JournalError,
    JsonObject,
    Outcome,
    People,
    Question,
    Request,
    ToolFailure,
    Waiting,
)
from interpreter.reading import Disk, Reader, Recorded
from rules.documents import RuleDocument
from rules.values import ABSENT, digest, loads

STATUS_EXITS = {
    "completed": 0,
    "failed": 1,
    "waiting": 3,
    "blocked": 4,
    "partial": 5,
    "cancelled": 6,
    "interrupted": 130,
}


@dataclass(frozen=True)
class Options:
    """What a person says when starting a run.

    Shapes: `inputs` are texts as typed, by name; `values` come from a file; `sets` are `<document>.<threshold>` and
    `settings.<name>`, as texts.
    """

    profile: Path | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)
    language: str = "en"
    timezone: str = "UTC"


@dataclass(frozen=True)
class Prepared:
    """A workflow that can be walked: documents, profile, tools, program, values of inputs."""

    spec: PurePath
    documents: Documents
    profile: Profile
    profile_path: PurePath
    profile_text: str
    toolbox: Toolbox
    program: Program
    inputs: Mapping[str, Any]
    sets: Mapping[str, str]
    warnings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Result:
    """How a run stands.

    Shapes: `waiting` lists open questions, `blocked` and `error` are findings; `only_examples` are the states that a
    dry run reached on examples alone.
    """

    run_id: str
    status: str
    partial: Any = None
    dry_run: bool = False
    state: str = ""
    outputs: JsonObject = field(default_factory=dict)
    waiting: tuple[JsonObject, ...] = ()
    blocked: JsonObject | None = None
    error: JsonObject | None = None
    only_examples: tuple[str, ...] = ()
    failures: tuple[JsonObject, ...] = ()

    @property
    def exit_status(self) -> int:
        if self.status == "completed" and self.partial is not None:
            return STATUS_EXITS["partial"]
        return STATUS_EXITS[self.status]

    def as_json(self) -> JsonObject:
        return {
            "run_id": self.run_id,
            "status": self.status,
            "partial": self.partial,
            "dry_run": self.dry_run,
            "state": self.state,
            "outputs": self.outputs,
            "waiting": list(self.waiting),
            "blocked": self.blocked,
            "error": self.error,
        }


# --- preparing --------------------------------------------------------------------------------------------------------


def prepare(spec: PurePath, options: Options, store: RunStore | None) -> tuple[Prepared | None, list[Diagnostic]]:
    """Return a workflow ready to start, or why it is not; warnings come along either way.

    Shapes: `store` gives ended runs to inputs that read one.
    """
    documents, found = load_workflow(spec)
    if documents is None or has_errors(found):
        return None, found
    found = in_order([*found, *check_documents(documents)])
    if has_errors(found):
        return None, found
    profile_path = options.profile or spec.parent / "profiles" / "local.yaml"
    profile, of_profile = load_profile(profile_path)
    found = [*found, *of_profile]
    if profile is None or has_errors(of_profile):
        return None, found
    rules, of_sets = overridden(documents, options.sets)
    settings, of_settings = _settings(profile, options.sets)
    inputs, of_inputs = read_inputs(documents, options, store)
    found = [*found, *of_sets, *of_settings, *of_inputs]
    if has_errors(found):
        return None, found
    text = Disk().read(profile_path)
    prepared, of_tools = _assemble(
        spec, documents, profile, profile_path, text if isinstance(text, str) else "", rules, settings
    )
    found = [*found, *of_tools]
    if prepared is None:
        return None, found
    return replace(prepared, inputs=inputs, sets=dict(options.sets), warnings=tuple(found)), found


def _assemble(
    spec: PurePath,
    documents: Documents,
    profile: Profile,
    profile_path: PurePath,
    profile_text: str,
    rules: Mapping[str, RuleDocument],
    settings: Mapping[str, Any],
) -> tuple[Prepared | None, list[Diagnostic]]:
    toolbox, found = open_toolbox(profile, frozenset(documents.tools), settings, profile_path.parent)
    if toolbox is None:
        return None, found
    through = set(CONFIRM_THROUGH)
    if profile.unattended_confirm:
        through.add("prepared")
    if "elicitation" in profile.confirm_through:
        through.add("host")
    program = plan_workflow(documents, rules=rules, available_tools=toolbox.names(), confirm_through=frozenset(through))
    prepared = Prepared(spec, documents, profile, profile_path, profile_text, toolbox, program, {}, {})
    return prepared, found


def overridden(documents: Documents, sets: Mapping[str, str]) -> tuple[Mapping[str, RuleDocument], list[Diagnostic]]:
    """Return the rule documents with the thresholds that a person set."""
    rules = dict(documents.rules)
    found: list[Diagnostic] = []
    wanted: dict[str, dict[str, Any]] = {}
    for name, text in sets.items():
        document, _, threshold = name.partition(".")
        if document == "settings":
            continue
        if document not in rules or threshold not in rules[document].thresholds:
            known = [f"{one.name}.{inner}" for one in rules.values() for inner in one.thresholds]
            found.append(finding("command/unknown-threshold", None, hint=did_you_mean(name, known), name=name))
            continue
        wanted.setdefault(document, {})[threshold] = value_of(text)
    for document, values in wanted.items():
        changed, problems = rules[document].with_overrides(values)
        for problem in problems:
            facts = {**problem.facts, "document": document}
            found.append(
                finding("command/threshold-refused", None, name=document, problem=problem.code, **_texts(facts))
            )
        rules[document] = changed
    return rules, found


def _texts(facts: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in facts.items() if name not in ("name", "problem", "code")}


def _settings(profile: Profile, sets: Mapping[str, str]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return the settings that a person gave, with their declared kinds."""
    declared = {one.name: one for one in profile.settings}
    values: dict[str, Any] = {}
    for name, text in sets.items():
        document, _, setting = name.partition(".")
        if document == "settings":
            values[setting] = typed(text, declared[setting]) if setting in declared else text
    return values, []


def read_inputs(
    documents: Documents, options: Options, store: RunStore | None
) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return the values of all given inputs; every missing or unfit one is a finding."""
    declared = {one.name: one for one in documents.workflow.inputs}
    found: list[Diagnostic] = []
    given: dict[str, Any] = dict(options.values)
    for name, text in options.inputs.items():
        given[name] = typed(text, declared[name]) if name in declared else text
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in declared:
            found.append(finding("command/unknown-input", None, hint=did_you_mean(name, declared), name=name))
        elif declared[name].run_of is not None:
            read, problem = read_run(str(value), str(declared[name].run_of), store)
            found += [problem] if problem is not None else []
            values[name] = read
        else:
            problem_text = problem_of(declared[name].schema)(value)
            if problem_text is not None:
                wanted = describe(declared[name].schema)
                found.append(finding("command/input-unfit", None, name=name, problem=problem_text, wanted=wanted))
            values[name] = value
    missing = [
        one.name
        for one in declared.values()
        if one.name not in given and one.run_of is None and declaration_of(one).default is ABSENT
    ]
    if missing:
        command = " ".join(f"--input {name}=…" for name in missing)
        found.append(finding("command/inputs-missing", None, names=", ".join(missing), command=command))
    return values, found


def read_run(run_id: str, workflow: str, store: RunStore | None) -> tuple[Any, Diagnostic | None]:
    """Return what an ended run of a workflow left: `{run_id, status, outputs, identities}`."""
    if store is None or not store.exists(run_id):
        return None, finding("command/run-unknown", None, run=run_id)
    journal = store.open(run_id, lock=False)
    try:
        start: JsonObject = {}
        end: JsonObject | None = None
        for row in journal.rows():
            if row.kind == "start":
                start = row.body
            elif row.kind == "end":
                end = row.body
    finally:
        journal.close()
    if start.get("workflow") != workflow:
        return None, finding("command/run-of-another-workflow", None, run=run_id, workflow=workflow)
    if end is None:
        return None, finding("command/run-not-ended", None, run=run_id)
    return {
        "run_id": run_id,
        "status": end["status"],
        "outputs": end.get("outputs", {}),
        "identities": start.get("identities", {}),
    }, None


def typed(text: str, declared: Declared) -> Any:
    """Return the value of `name=text`: text where the declared type is text, else JSON, else the text."""
    kind = _resolved_type(declared.schema)
    if kind == "string" or declared.run_of is not None:
        return text
    enum = declared.schema.get("enum")
    if isinstance(enum, (list, tuple)) and text in enum:
        return text
    return value_of(text)


def value_of(text: str) -> Any:
    """Return JSON as a value, anything else as text."""
    try:
        return loads(text)
    except ValueError:
        return text


def _resolved_type(schema: Mapping[str, Any]) -> Any:
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = schema.get("$defs", {}).get(reference.removeprefix("#/$defs/"), {})
        return target.get("type")
    return schema.get("type")


# --- starting and going on --------------------------------------------------------------------------------------------


def start_body(prepared: Prepared, options: Options, started_at: str) -> JsonObject:
    """Return the first row of a run: everything that decides how it goes, secrets by name only."""
    documents = prepared.documents
    return {
        "workflow": prepared.program.name,
        "version": prepared.program.version,
        "engine": {"version": __version__, "sequence": CALLING_SEQUENCE},
        "spec": str(prepared.spec),
        "documents": {place: source.text for place, source in documents.sources.items()},
        "digests": dict(documents.digests),
        "profile": {
            "path": str(prepared.profile_path),
            "name": prepared.profile.name,
            "text": prepared.profile_text,
        },
        "sets": dict(prepared.sets),
        "inputs": dict(prepared.inputs),
        "identities": dict(prepared.toolbox.identities()),
        "started_at": started_at,
        "timezone": options.timezone,
        "language": options.language,
    }


def same_run(start: JsonObject, prepared: Prepared) -> bool:
    """Say whether a recorded start is the same run: the same documents, profile, settings and inputs."""
    return (
        start["digests"] == dict(prepared.documents.digests)
        and digest(start["inputs"]) == digest(dict(prepared.inputs))
        and start["sets"] == dict(prepared.sets)
        and start["profile"]["name"] == prepared.profile.name
    )


def check_identities(prepared: Prepared) -> list[Diagnostic]:
    """An ended run is read only where the adapters still work on the same places."""
    now = prepared.toolbox.identities()
    found = []
    for name, value in prepared.inputs.items():
        recorded = value.get("identities") if isinstance(value, dict) else None
        if not isinstance(recorded, dict):
            continue
        differing = sorted({tool for tool, identity in recorded.items() if now.get(tool, identity) != identity})
        if differing:
            found.append(finding("command/run-of-another-place", None, name=name, tools=", ".join(differing[:3])))
    return found


def reopen(start: JsonObject) -> tuple[Prepared | None, list[Diagnostic]]:
    """Return the workflow of a run as it was recorded."""
    spec = PurePath(start["spec"])
    documents, found = load_workflow(spec.name, _reader(start))
    if documents is None or has_errors(found):
        return None, found
    profile_path = PurePath(start["profile"]["path"])
    profile, of_profile = load_profile(profile_path, _OneText(start["profile"]["text"]))
    if profile is None:
        return None, of_profile
    rules, of_sets = overridden(documents, start["sets"])
    settings, _ = _settings(profile, start["sets"])
    prepared, of_tools = _assemble(spec, documents, profile, profile_path, start["profile"]["text"], rules, settings)
    found = [*of_profile, *of_sets, *of_tools]
    if prepared is None:
        return None, found
    now = prepared.toolbox.identities()
    changed = sorted(tool for tool, identity in start["identities"].items() if now.get(tool) != identity)
    if changed:
        found.append(finding("command/place-changed", None, tools=", ".join(changed[:3])))
        return None, found
    return replace(prepared, inputs=start["inputs"], sets=start["sets"]), found


def changed_documents(start: JsonObject) -> list[str]:
    """Return the documents that no longer say what the run recorded; comments and layout do not count."""
    spec = Path(start["spec"])
    documents, _ = load_workflow(spec)
    now: Mapping[str, str] = documents.digests if documents is not None else {}
    recorded: Mapping[str, str] = start["digests"]
    return sorted(name for name in {*now, *recorded} if now.get(name) != recorded.get(name))


def _reader(start: JsonObject) -> Reader:
    return Recorded(start["documents"])


class _OneText:
    def __init__(self, text: str) -> None:
        self._text = text

    def read(self, path: PurePath) -> str | Diagnostic:
        return self._text


# --- walking ----------------------------------------------------------------------------------------------------------


class Session:
    """One walk of a run by this process. `interrupt` and `cancel` may be called by a signal handler."""

    def __init__(
        self,
        run_id: str,
        prepared: Prepared,
        journal: Journal,
        start: JsonObject,
        people: People,
        clock: Clock,
        *,
        decision: JsonObject | None = None,
        dry_run: bool = False,
        on_rehearsal: Callable[[Question], None] = lambda question: None,
    ) -> None:
        self._run_id = run_id
        self._journal = journal
        self._dry_run = dry_run
        program = prepared.program
        tools: Any = prepared.toolbox
        if dry_run:
            tools = RehearsalTools(tools, program.contracts)
            people = Rehearsal(people, on_rehearsal)
        self._program = program
        self._run = EmbeddedRun(
            journal,
            tools,
            people,
            clock,
            settle_answer=self._settle_answer,
            settle_failure=self._settle_failure,
            decision=decision,
        )
        self._core = Core(
            program,
            self._run,
            run_id=run_id,
            started_at=start["started_at"],
            timezone=start["timezone"],
            language=start["language"],
            inputs=start["inputs"],
        )
        self._run.describe(
            run_id=run_id, workflow=program.name, started_at=start["started_at"], language=start["language"]
        )

    def interrupt(self) -> None:
        self._core.steps_left = 0
        self._run.interrupt()

    def cancel(self) -> None:
        self._core.steps_left = 0
        self._run.request_cancel()

    def walk(self) -> Result:
        """Walk the run until it ends or stops.

        Errors: JournalError where the journal cannot be trusted or written.
        """
        try:
            ended = drive(walk(self._core))
        except Waiting as stop:
            waiting = tuple(open_questions(self._journal))
            result = self._result("waiting", waiting=waiting)
            self._run.stop("waiting", questions=list(stop.keys))
            return result
        except Blocked as stop:
            self._run.stop("blocked", finding=stop.finding)
            return self._result("blocked", blocked=stop.finding)
        except Interrupted:
            self._run.stop("interrupted")
            return self._result("interrupted")
        return self._end(ended)

    def _end(self, ended: Ended) -> Result:
        result = self._result(ended.status, partial=ended.partial, error=ended.finding)
        body = {
            "partial": ended.partial,
            "outputs": result.outputs,
            "error": ended.finding,
            "state": result.state,
            "failures": list(result.failures),
        }
        if not self._dry_run:
            self._run.end(ended.status, body, partial=ended.partial is not None)
        return result

    def _result(self, status: str, **parts: Any) -> Result:
        core = self._core
        return Result(
            run_id=self._run_id,
            status=status,
            dry_run=self._dry_run,
            state=core.state.name if core.state is not None else "",
            outputs=core.outputs(),
            failures=tuple(core.failures),
            only_examples=self._only_examples() if self._dry_run else (),
            **parts,
        )

    def _only_examples(self) -> tuple[str, ...]:
        simulated = False
        states: dict[str, None] = {}
        for row in self._journal.rows():
            if row.kind == "intention":
                simulated = True
            elif simulated and row.kind == "trace" and row.body.get("note") == "state":
                states[row.body["state"]] = None
        return tuple(states)

    def _settle_answer(self, request: Request, answer: Any) -> Outcome:
        return self._program.contracts[request.tool].interpret(request, answer)

    def _settle_failure(self, request: Request, failure: ToolFailure) -> Outcome:
        error = self._program.contracts[request.tool].error(failure.code, failure.message)
        if failure.details:
            error["details"] = failure.details
        if failure.retry_after is not None:
            error["retry_after"] = failure.retry_after
        return {"ok": False, "error": error}


def open_questions(journal: Journal) -> list[JsonObject]:
    """Return the questions that are published and not answered, as they were shown."""
    asked: dict[str, JsonObject] = {}
    for row in journal.rows():
        if row.kind == "question":
            asked[row.key] = row.body
        elif row.kind in ("answer", "cancel"):
            asked.pop(row.key, None)
    return list(asked.values())


def rehearse(
    prepared: Prepared,
    options: Options,
    people: People,
    clock: Clock,
    on_rehearsal: Callable[[Question], None],
) -> Result:
    """Make a dry run: nothing is recorded, nothing is written."""
    start = start_body(prepared, options, clock.now())
    session = Session(
        "dry-run", prepared, MemoryJournal(), start, people, clock, dry_run=True, on_rehearsal=on_rehearsal
    )
    return session.walk()


__all__ = ["JournalError", "Options", "Prepared", "Result", "Session", "prepare", "rehearse"]
