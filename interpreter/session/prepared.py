"""A workflow that can be walked: read, checked and planned, its tools opened, with the values of its inputs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path, PurePath
from typing import Any, Protocol

from interpreter import __version__
from interpreter.adapters.opening import open_planned
from interpreter.adapters.plan_cache import PlanCache
from interpreter.adapters.reasons import failure_in_words
from interpreter.adapters.runs import RunStore
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding, has_errors
from interpreter.engine.entering import NotAValue, entering
from interpreter.engine.program import CALLING_SEQUENCE, Program
from interpreter.journal_errors import journal_finding
from interpreter.ports import Holds, JournalError, JsonObject, Request, Tools
from interpreter.session.arguments import broken_json, typed
from interpreter.session.beginnings import beginning_of, place_of, profile_texts
from interpreter.session.planned import DeclaredInput, Planned, not_misspelt, unfit_input
from interpreter.source import Span
from rules.records import field, record
from rules.values import digest, dumps

#: Units: characters.
_LONGEST_PLACE = 120


@record
class Options:
    """What a person says when starting a run.

    Shapes: `inputs` are texts as typed, by name; `values` come from a file, where they have their `places`; `sets` are
    `<document>.<threshold>` and `settings.<name>`, as texts.
    """

    profile: Path | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)
    language: str = "en"
    timezone: str = "UTC"
    places: Mapping[str, Span] = field(default_factory=dict)


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
    from interpreter.session.preparing import plan_from_disk

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
    profiles = {str(profile_path.with_name(f"{name}.yaml")): text for name, text in planned.profile_texts.items()}
    for path, text in {**read, **profiles}.items():
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
    # A finding shows its line, and a hidden value may stand in it too.
    places = {} if any(one.hides for one in inputs) else options.places
    for name, value in given.items():
        span = places.get(name) if name not in options.inputs else None
        if name not in declared:
            found.append(finding("command/unknown-input", span, hint=did_you_mean(name, declared), name=name))
            continue
        one = declared[name]
        try:
            value = entering(value)
        except NotAValue as reason:
            found.append(unfit_input(one, reason.words, span))
            continue
        if one.run_of is not None:
            read, refused = read_run(str(value), one.run_of, store)
            found += [refused] if refused is not None else []
            values[name] = read
            continue
        problem = one.problem(value)
        if problem is not None:
            found.append(unfit_input(one, broken_json(value) or problem, span, value))
        values[name] = value
    missing = [one.name for one in inputs if one.name not in given and one.run_of is None and not one.is_optional]
    missing = not_misspelt(missing, given.keys() - declared.keys())
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
        "profile": planned.recorded_profile(str(prepared.profile_path)),
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


class NoTools:
    """What a run is given up with where its own tools cannot be opened: every call fails, and reaches nobody."""

    needs_loop = False

    def has(self, tool: str) -> bool:
        return True

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        words = Words("这个运行的工具打不开", "the tools of this run cannot be opened")
        raise failure_in_words("unreachable", words)

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
        and dict(known.profile_texts) == profile_texts(start)
    ):
        return known, list(known.warnings)
    from interpreter.session.preparing import plan_from_texts

    return plan_from_texts(spec.name, start["documents"], profile_path, profile_texts(start), start["sets"])
