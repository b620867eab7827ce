"""One run from outside: prepare its documents, start it, go on with it, and say how it stands.

The command, tests and other hosts all come through here. Nothing is printed and nothing is asked here: people and
messages are behind `ports.People`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, Protocol

from interpreter import __version__
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.opening import open_planned
from interpreter.adapters.people import Rehearsal
from interpreter.adapters.plan_cache import PlanCache
from interpreter.adapters.rehearsal import RehearsalTools
from interpreter.adapters.runs import RunStore, unsettled_questions
from interpreter.arguments import broken_json, typed
from interpreter.codes.journal import journal_finding
from interpreter.diagnostics import Diagnostic, did_you_mean, finding, has_errors
from interpreter.engine.core import Core
from interpreter.engine.entering import NotAValue, entering
from interpreter.engine.machine import Ended, walk
from interpreter.engine.program import CALLING_SEQUENCE, Program
from interpreter.masking import mask_fields, masked_by, masked_question
from interpreter.planned import DeclaredInput, Planned, unfit_input
from interpreter.ports import (
    Blocked,
    Clock,
    Holds,
    Interrupted,
    Journal,
    JournalError,
    JsonObject,
    Outcome,
    People,
    Question,
    Request,
    ToolFailure,
    Tools,
    Waiting,
)
from rules.records import field, record
from rules.values import digest, dumps

#: The kinds of most rows of a long run; whoever asks how it began or ended does not need them.
ON_THE_WAY = frozenset({"trace", "intention", "outcome", "decided", "message", "turn", "now"})

#: What `run.id` is in a dry run, of which nothing is kept: where an id stands in its messages, that of a real run will.
REHEARSED = "RUN"

#: Units: characters.
_LONGEST_PLACE = 120
#: What the details of an error hold in the words of whoever made it.
_WORDS_OF_OTHERS = ("message", "service_says", "server_says", "program_says")

STATUS_EXITS = {
    "completed": 0,
    "failed": 1,
    "waiting": 3,
    "blocked": 4,
    "partial": 5,
    "cancelled": 6,
    "interrupted": 130,
}


@record
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


class OpenTools(Tools, Protocol):
    """Tools that a run is walked with; closed when it stops."""

    @property
    def needs_loop(self) -> bool:
        """Whether a tool answers later, so that the run needs an event loop."""

    def hold_programs(self, holds: Holds) -> None:
        """Let the programs that are started tell how long they are at work."""

    async def close(self) -> None: ...


@record
class Prepared:
    """A workflow that can be walked: documents, profile, tools, program, values of inputs.

    Shapes: `keep` saves the program for the next process, where that can be done.
    """

    spec: PurePath
    planned: Planned
    profile_path: PurePath
    toolbox: OpenTools
    program: Program
    inputs: Mapping[str, Any]
    sets: Mapping[str, str]
    warnings: tuple[Diagnostic, ...] = ()
    keep: Callable[[], None] = field(default=lambda: None, compare=False)


@record
class Result:
    """How a run stands.

    Shapes: `waiting` lists open questions, `blocked` and `error` are findings; `only_examples` are the states that a
    dry run reached on examples alone; `masked` says, by output, what of it is masked where it is shown; `asking` is the
    number of the process that asks what is open, where one does.
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
    masked: JsonObject = field(default_factory=dict)
    asking: int | None = None

    @property
    def exit_status(self) -> int:
        if self.status == "completed" and self.partial is not None:
            return STATUS_EXITS["partial"]
        # While a process is at work on it, it can only be said that it has not come to its end.
        return STATUS_EXITS.get(self.status, STATUS_EXITS["interrupted"])

    def as_json(self) -> JsonObject:
        return {
            "run_id": self.run_id,
            "status": self.status,
            "partial": self.partial,
            "dry_run": self.dry_run,
            "state": self.state,
            "outputs": mask_fields(self.outputs, self.masked),
            "waiting": [masked_question(question) for question in self.waiting],
            "blocked": self.blocked,
            "error": self.error,
        }


# --- preparing --------------------------------------------------------------------------------------------------------


def prepare(
    spec: PurePath, options: Options, store: RunStore | None, cache: PlanCache | None = None
) -> tuple[Prepared | None, list[Diagnostic]]:
    """Return a workflow ready to start, or why it is not; warnings come along either way.

    Shapes: `store` gives ended runs to inputs that read one; `cache` may know the program already.
    """
    profile_path = options.profile or spec.parent / "profiles" / "local.yaml"
    planned, found, keep = _planned(spec, profile_path, options.sets, cache)
    if planned is None:
        return None, found
    inputs, of_inputs = read_inputs(planned.inputs, options, store)
    found = [*found, *of_inputs]
    if has_errors(found) or planned.program is None:
        return None, found
    toolbox, of_tools = open_planned(planned.adapters)
    found = [*found, *of_tools]
    if toolbox is None:
        return None, found
    prepared = Prepared(
        spec, planned, profile_path, toolbox, planned.program, inputs, dict(planned.sets), tuple(found), keep
    )
    elsewhere = check_identities(prepared)
    return (None if elsewhere else prepared), [*found, *elsewhere]


def _planned(
    spec: PurePath, profile_path: PurePath, sets: Mapping[str, str], cache: PlanCache | None
) -> tuple[Planned | None, list[Diagnostic], Callable[[], None]]:
    """Return what was planned, from the cache or the long way, and what keeps it for the next process."""
    parts = _parts(spec, profile_path, sets)
    known = cache.read(parts) if cache is not None else None
    if isinstance(known, Planned):
        return known, list(known.warnings), _nothing
    from interpreter.preparing import plan_from_disk

    planned, found = plan_from_disk(spec, profile_path, sets)
    if cache is None or planned is None or planned.program is None or has_errors(found):
        return planned, found, _nothing
    digests = _digests_of(planned, spec, profile_path)
    if digests is None:
        return planned, found, _nothing

    def keep() -> None:
        for one in dict.fromkeys((parts, _parts(spec, profile_path, planned.sets))):  # a resume asks with whole paths
            cache.write(one, digests, planned)

    return planned, found, keep


def _parts(spec: PurePath, profile_path: PurePath, sets: Mapping[str, str]) -> tuple[str, ...]:
    paths = (str(spec), os.path.abspath(spec), str(profile_path), os.path.abspath(profile_path))
    return ("run", *paths, os.getcwd() if sets else "", dumps(dict(sets)))


def _digests_of(planned: Planned, spec: PurePath, profile_path: PurePath) -> dict[str, bytes] | None:
    """Return the digests of the files that were read, None where one no longer says what was read."""
    read = {str(spec.parent / place): text for place, text in planned.texts.items()}
    found: dict[str, bytes] = {}
    for path, text in {**read, str(profile_path): planned.profile_text}.items():
        try:
            data = Path(path).read_bytes()
            if data.decode("utf-8-sig") != text:
                return None
        except (OSError, ValueError):
            return None
        found[path] = hashlib.sha256(data).digest()
    return found


def _nothing() -> None:
    """What keeps a program that is kept already, or cannot be."""


def read_inputs(
    inputs: tuple[DeclaredInput, ...], options: Options, store: RunStore | None
) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return the values of all given inputs; every missing or unfit one is a finding."""
    declared = {one.name: one for one in inputs}
    found: list[Diagnostic] = []
    given: dict[str, Any] = dict(options.values)
    for name, text in options.inputs.items():
        given[name] = typed(text, declared[name]) if name in declared else text
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in declared:
            found.append(finding("command/unknown-input", None, hint=did_you_mean(name, declared), name=name))
            continue
        one = declared[name]
        try:
            value = entering(value)
        except NotAValue as reason:
            found.append(unfit_input(one, reason.words, None))
            continue
        if one.run_of is not None:
            read, refused = read_run(str(value), one.run_of, store)
            found += [refused] if refused is not None else []
            values[name] = read
            continue
        problem = one.problem(value)
        if problem is not None:
            found.append(unfit_input(one, broken_json(value) or problem, None))
        values[name] = value
    missing = [one.name for one in inputs if one.name not in given and one.run_of is None and not one.is_optional]
    if missing:
        command = " ".join(f"--input {name}=…" for name in missing)
        found.append(finding("command/inputs-missing", None, names=", ".join(missing), command=command))
    return values, found


def read_run(run_id: str, workflow: str, store: RunStore | None) -> tuple[Any, Diagnostic | None]:
    """Return what an ended run of a workflow left: `{run_id, status, outputs, identities}`."""
    try:
        if store is None or not store.exists(run_id):
            return None, finding("command/run-unknown", None, run=run_id)
        journal = store.open(run_id, lock=False)
    except JournalError as error:
        return None, journal_finding(run_id, error)
    try:
        start = beginning_of(journal).start
        end = next((row.body for row in journal.of_kinds("end")), None)
    except JournalError as error:
        return None, journal_finding(run_id, error)
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


# --- starting and going on --------------------------------------------------------------------------------------------


def start_body(prepared: Prepared, options: Options, started_at: str) -> JsonObject:
    """Return the first row of a run: everything that decides how it goes, secrets by name only."""
    planned = prepared.planned
    return {
        "workflow": prepared.program.name,
        "version": prepared.program.version,
        "engine": {"version": __version__, "sequence": CALLING_SEQUENCE},
        "spec": str(prepared.spec),
        "folder": os.getcwd(),
        "documents": dict(planned.texts),
        "digests": dict(planned.digests),
        "profile": {
            "path": str(prepared.profile_path),
            "name": planned.profile.name,
            "text": planned.profile_text,
        },
        "sets": dict(prepared.sets),
        "inputs": dict(prepared.inputs),
        "identities": dict(prepared.toolbox.identities()),
        "started_at": started_at,
        "timezone": options.timezone,
        "language": options.language,
    }


def place_of(start: JsonObject, recorded: str) -> Path:
    """Return where a file is that a run recorded by a path from the folder that it was begun in."""
    path, folder = Path(recorded), start.get("folder", "")
    return path if path.is_absolute() or folder in ("", os.getcwd()) else Path(folder) / path


def same_run(start: JsonObject, prepared: Prepared) -> bool:
    """Say whether a recorded start is the same run: the same documents, profile, settings and inputs."""
    return (
        start["digests"] == dict(prepared.planned.digests)
        and digest(start["inputs"]) == digest(dict(prepared.inputs))
        and start["sets"] == dict(prepared.sets)
        and start["profile"]["name"] == prepared.planned.profile.name
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


#: What of a start is another one after an edit.
_TAKEN_UP = ("documents", "digests", "profile", "identities")


@record
class Beginning:
    """Where the walk of a run begins.

    Shapes: `start` is the first row, with the documents and the profile of the latest edit that was taken up;
    `snapshot` is where the walk begins then, and `after` the last row that it no longer looks at.
    """

    start: JsonObject
    snapshot: JsonObject | None = None
    after: int = 0


def beginning_of(journal: Journal) -> Beginning:
    """Return how a run began, and where an edit made it begin anew."""
    start: JsonObject = {}
    snapshot: JsonObject | None = None
    after = 0
    for row in journal.rows(ON_THE_WAY):
        if row.kind == "start":
            start = dict(row.body)
        elif row.kind == "edited":
            start |= {name: row.body[name] for name in _TAKEN_UP if name in row.body}
            snapshot, after = row.body["snapshot"], row.sequence
    return Beginning(start, snapshot, after)


class NoTools:
    """What a run is given up with where its own tools cannot be opened: every call fails, and reaches nobody."""

    needs_loop = False

    def has(self, tool: str) -> bool:
        return True

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        raise ToolFailure("unreachable", "the tools of this run cannot be opened")

    def hold_programs(self, holds: Holds) -> None:
        """Nothing is started."""

    def identities(self) -> Mapping[str, str]:
        return {}

    async def close(self) -> None:
        return None


def reopen(
    start: JsonObject, cache: PlanCache | None = None, tools: OpenTools | None = None
) -> tuple[Prepared | None, list[Diagnostic]]:
    """Return the workflow of a run as it was recorded; its own tools are opened where none are given."""
    spec = place_of(start, start["spec"])
    profile_path, sets = place_of(start, start["profile"]["path"]), start["sets"]
    planned, found = _reopened(spec, profile_path, start, cache)
    if planned is None or planned.program is None:
        return None, found
    if tools is None:
        toolbox, of_tools = open_planned(planned.adapters)
        found = [*found, *of_tools]
        if toolbox is None:
            return None, found
        tools = toolbox
    prepared = Prepared(spec, planned, profile_path, tools, planned.program, start["inputs"], sets)
    apart = places_apart(start, prepared) if not isinstance(tools, NoTools) else []
    if apart:
        found.append(finding("command/place-changed", None, tools="; ".join(apart)))
        return None, found
    return prepared, found


def places_apart(start: JsonObject, prepared: Prepared, among: Collection[str] | None = None) -> list[str]:
    """Return where tools work on another place than a run recorded: their names and both places.

    Shapes: `among` are the tools that are looked at, all of them where it is None.
    """
    now = prepared.toolbox.identities()
    apart: dict[tuple[str, str], list[str]] = {}
    for tool, before in sorted(start["identities"].items()):
        if now.get(tool) != before and (among is None or tool in among):
            apart.setdefault((before, now.get(tool, "-")), []).append(tool)
    return [f"{', '.join(tools)}: {_short(before)} → {_short(after)}" for (before, after), tools in apart.items()]


def _short(place: str) -> str:
    return place if len(place) <= _LONGEST_PLACE else f"{place[: _LONGEST_PLACE - 1]}…"


def _reopened(
    spec: PurePath, profile_path: PurePath, start: JsonObject, cache: PlanCache | None
) -> tuple[Planned | None, list[Diagnostic]]:
    """Return what the recorded texts come to; the cache knows it where the files still say the same."""
    known = cache.read(_parts(spec, profile_path, start["sets"])) if cache is not None else None
    if (
        isinstance(known, Planned)
        and known.texts == start["documents"]
        and known.profile_text == start["profile"]["text"]
    ):
        return known, list(known.warnings)
    from interpreter.preparing import plan_from_texts

    return plan_from_texts(spec.name, start["documents"], profile_path, start["profile"]["text"], start["sets"])


def _text_of(message: object) -> str:
    """Return what an adapter says of a failure, as a text that can be written down."""
    return str(message).encode("utf-8", "replace").decode()


# --- walking ----------------------------------------------------------------------------------------------------------


class Session:
    """One walk of a run by this process. `interrupt` and `cancel` may be called by a signal handler."""

    def __init__(
        self,
        run_id: str,
        prepared: Prepared,
        journal: Journal,
        begun: Beginning,
        people: People,
        clock: Clock,
        *,
        decision: JsonObject | None = None,
        dry_run: bool = False,
        only_replay: bool = False,
        on_rehearsal: Callable[[Question], None] = lambda question: None,
    ) -> None:
        self._run_id = run_id
        self._journal = journal
        self._toolbox = prepared.toolbox
        self._needs_loop = prepared.toolbox.needs_loop
        prepared.toolbox.hold_programs(journal.holds)
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
            after=begun.after,
            only_replay=only_replay,
            titles={name: state.title for name, state in program.states.items() if state.title},
        )
        start = begun.start
        self._snapshot = begun.snapshot
        self._core = Core(
            program,
            self._run,
            run_id=run_id,
            started_at=start["started_at"],
            timezone=start["timezone"],
            language=start["language"],
            inputs=start["inputs"],
        )
        if self._snapshot is not None:
            self._core.restore(self._snapshot)
        self._run.describe(
            run_id=run_id, workflow=program.name, started_at=start["started_at"], language=start["language"]
        )

    def interrupt(self) -> None:
        self._core.steps_left = 0
        self._run.interrupt()

    @property
    def core(self) -> Core:
        """Return what the run holds as it stands."""
        return self._core

    @property
    def in_flight(self) -> int:
        """Return how many calls have been made and not answered yet."""
        return self._run.in_flight

    def cancel(self) -> None:
        self._core.steps_left = 0
        self._run.request_cancel()

    def walk(self) -> Result:
        """Walk the run until it ends or stops.

        Errors: JournalError where the journal cannot be trusted or written.
        """
        try:
            ended = drive(self._walk_and_close(), loop=self._needs_loop)
        except Waiting as stop:
            waiting = tuple(unsettled_questions(self._journal))
            result = self._result("waiting", waiting=waiting)
            deadlines = [question["deadline"] for question in waiting if question.get("deadline")]
            self._run.stop("waiting", questions=list(stop.keys), deadline=min(deadlines, default=None))
            return result
        except Blocked as stop:
            self._run.stop("blocked", finding=stop.finding)
            return self._result("blocked", blocked=stop.finding)
        except Interrupted:
            self._run.stop("interrupted")
            return self._result("interrupted")
        return self._end(ended)

    def stand(self) -> tuple[JsonObject, bool]:
        """Walk what is recorded and nothing further; return the snapshot of the present state, and whether it wrote."""
        with suppress(Waiting, Blocked, Interrupted):
            drive(self._walk())
        return self._core.snapshot(), self._core.wrote_since_entry

    async def _walk_and_close(self) -> Ended:
        try:
            return await self._walk()
        finally:
            if self._needs_loop:
                await self._toolbox.close()

    def _walk(self) -> Coroutine[Any, Any, Ended]:
        return walk(self._core, self._snapshot["state"] if self._snapshot is not None else None)

    def _end(self, ended: Ended) -> Result:
        result = self._result(ended.status, partial=ended.partial, error=ended.finding)
        body = {
            "partial": ended.partial,
            "outputs": result.outputs,
            "error": ended.finding,
            "state": result.state,
            "failures": list(result.failures),
        }
        if result.masked:
            body["masked"] = result.masked
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
            masked=masked_by(**{output.name: output.marks for output in core.program.outputs}),
            only_examples=self._only_examples() if self._dry_run else (),
            **parts,
        )

    def _only_examples(self) -> tuple[str, ...]:
        simulated = False
        states: dict[str, None] = {}
        for row in self._journal.of_kinds("intention", "trace"):
            if row.kind == "intention":
                simulated = True
            elif simulated and row.kind == "trace" and row.body.get("note") == "state":
                states[row.body["state"]] = None
        return tuple(states)

    def _settle_answer(self, request: Request, answer: Any) -> Outcome:
        return self._without_hidden(self._program.contracts[request.tool].interpret(request, answer))

    def _settle_failure(self, request: Request, failure: ToolFailure) -> Outcome:
        error = self._program.contracts[request.tool].error(str(failure.code), _text_of(failure.message))
        if failure.is_unsure and request.effect != "read":
            error["happened"] = "perhaps"
        with suppress(NotAValue):
            if failure.details:
                error["details"] = entering(failure.details)
        with suppress(NotAValue):
            after = failure.retry_after
            if isinstance(after, (int, float)) and not isinstance(after, bool) and after >= 0:
                error["retry_after"] = entering(after)
        return self._without_hidden({"ok": False, "error": error})

    def _without_hidden(self, outcome: Outcome) -> Outcome:
        """Return an outcome whose error does not repeat what must not be shown; workflows show such messages."""
        if outcome["ok"]:
            return outcome
        error = outcome["error"]
        shown = {**error, "message": self._core.without_hidden(error["message"])}
        details = error.get("details")
        if isinstance(details, dict):
            told = {name: details[name] for name in _WORDS_OF_OTHERS if name in details}
            shown["details"] = {**details, **self._core.without_hidden(told)}
        return {**outcome, "error": shown}
