"""One case, run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from interpreter.adapters.clock import ManualClock
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.adapters.opening import open_planned
from interpreter.adapters.planning import plan_adapters, settings_of
from interpreter.diagnostics import Diagnostic, errors_of, has_errors
from interpreter.documents.loading import Documents
from interpreter.documents.reading import Disk
from interpreter.engine.data import Declaration, keyed, stored
from interpreter.engine.entering import entering
from interpreter.engine.frame import Frame
from interpreter.engine.program import Program, Where
from interpreter.engine.steps import Sequence, Signal, Step
from interpreter.plan import plan_workflow
from interpreter.ports import Check, JsonObject, Row
from interpreter.session.beginnings import Beginning
from interpreter.session.planned import DeclaredInput, Planned, ProfileFacts
from interpreter.session.prepared import Options, Prepared, read_inputs
from interpreter.session.preparing import checked, checked_profile, overridden
from interpreter.session.sessions import Session
from interpreter.testing.cases import Case, Suite
from interpreter.testing.checking import Known, known_of
from interpreter.testing.stand_ins import Called, Computing, DeclaredPeople, DeclaredTools
from rules.records import NamedTuple, field, record, replace
from rules.values import canonical_json, dumps

NOWHERE = PurePath()


class Happened(NamedTuple):
    """One thing that a journal tells of a run.

    Shapes: `kind` is state, call or answer; `name` the state, the tool or the question; `detail` what was sent or said.
    """

    kind: str
    name: str
    detail: Any = None


def happened(rows: Iterable[Row]) -> Iterator[Happened]:
    """Yield what a journal tells of a run, in its order; calls where they were made."""
    for row in rows:
        if row.kind == "trace" and row.body["note"] == "state":
            yield Happened("state", row.body["state"])
        elif row.kind == "intention" or (row.kind == "outcome" and "tool" in row.body):
            yield Happened("call", row.body["tool"], row.body["sent"])
        elif row.kind == "answer":
            value = row.body["value"] if row.body["ending"] == "answered" else row.body["ending"]
            yield Happened("answer", row.body["question"], value)


class Walked(NamedTuple):
    """What came of a case.

    Shapes: `visits` are the states in order; `names` what can be read at the end, data, rule documents and outputs;
    `error` is the code of what stopped or failed the run, '' for none, and `own_error` that of the step that failed it;
    `shown` is what people were told and asked, and at last the words of what stopped or failed the run; `not_refused`
    are answers that should have been; `endless` is the question at which the case was given up, '' for none; `taken`
    counts transitions by state and number, `notes` are the trace of gates and decisions.
    """

    status: str
    partial: bool
    state: str
    visits: tuple[str, ...]
    outputs: JsonObject
    names: Mapping[str, Any]
    error: str
    own_error: str
    called: tuple[Called, ...]
    undeclared: tuple[Called, ...]
    shown: tuple[JsonObject, ...]
    unfit: tuple[tuple[str, Check], ...]
    not_refused: tuple[tuple[str, Any], ...]
    unanswered: tuple[str, ...]
    endless: str
    taken: Mapping[str, int]
    notes: tuple[JsonObject, ...]
    events: tuple[Happened, ...]


@record
class Workbench:
    """A workflow under test: its documents, what answers by computation, and its programs by the thresholds set."""

    documents: Documents
    known: Known
    computing: Computing | None
    programs: dict[str, Program] = field(default_factory=dict)

    @property
    def inputs(self) -> tuple[DeclaredInput, ...]:
        return self.known.inputs


def open_workbench(suite: Suite) -> tuple[Workbench | None, list[Diagnostic]]:
    """Return the workflow of a suite ready to be run, or what is wrong with it."""
    documents, found = checked(suite.workflow)
    if documents is None:
        return None, errors_of(found)
    computing = None
    if suite.profile is not None:
        computing, found = _computing(suite.profile, documents)
        if has_errors(found):
            return None, found
    return Workbench(documents, known_of(documents), computing), []


def _computing(profile_path: PurePath, documents: Documents) -> tuple[Computing | None, list[Diagnostic]]:
    """Return what a profile answers by computation alone; its other adapters are never opened."""
    whole, found = checked_profile(profile_path, Disk(), documents.tools)
    profile = whole.profile
    if profile is None or has_errors(found):
        return None, errors_of(found)
    _, of_settings = settings_of(profile, {}, profile_path.parent)
    if of_settings:
        return None, of_settings
    plans, found = plan_adapters(profile, documents.tools, {}, profile_path.parent)
    if has_errors(found):
        return None, found
    return open_planned(tuple(plan for plan in plans if plan.adapter == "compute"))


def plan_for(workbench: Workbench, case: Case) -> tuple[Program | None, list[Diagnostic]]:
    """Return the program of a case, with the thresholds that it sets, the data that it injects, the tools it lacks."""
    sets = {name: value if isinstance(value, str) else dumps(value) for name, value in case.sets.items()}
    key = canonical_json(sets)
    if key not in workbench.programs:
        rules, found = overridden(workbench.documents, sets)
        if has_errors(found):
            return None, found
        workbench.programs[key] = plan_workflow(workbench.documents, rules=rules)
    return _changed(workbench.programs[key], case), []


def _changed(program: Program, case: Case) -> Program:
    if case.without:
        program = replace(program, available_tools=program.available_tools - set(case.without))
    if not case.injected:
        return program
    states = dict(program.states)
    for name, data in case.injected.items():
        state = states[name]
        last = Inject(state.where, {one: (value, program.data[one]) for one, value in data.items()})
        steps = Sequence((*state.steps.steps, last), state.steps.local_names)
        states[name] = replace(state, steps=steps)
    return replace(program, states=states)


class Inject(Step):
    """Puts data in place as a faulty step might leave them, behind the last step of a state."""

    __slots__ = ("data",)

    def __init__(self, where: Where, data: Mapping[str, tuple[Any, Declaration]]) -> None:
        super().__init__("inject", None, where)
        self.data = data

    def execute(self, frame: Frame) -> Signal:
        core = frame.core
        for name, (value, declaration) in self.data.items():
            core.root.owned.discard(name)
            core.names[name] = keyed(stored(entering(value), declaration.shape, name), declaration.key, name)
            core.data_changed(name)
        return None


def _earlier_runs(declared: tuple[DeclaredInput, ...], given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what a case says an earlier run left, for the inputs that take one."""
    for one in declared:
        left = given.get(one.name)
        if one.run_of is not None and isinstance(left, Mapping):
            nothing = {"run_id": "earlier", "status": "completed", "outputs": {}, "identities": {}}
            yield one.name, entering({**nothing, **left})


def run_case(workbench: Workbench, program: Program, case: Case) -> tuple[Walked | None, list[Diagnostic]]:
    """Walk a case to its end, or to where nobody goes on; None where its inputs do not fit."""
    earlier = dict(_earlier_runs(workbench.inputs, case.inputs))
    given = {name: value for name, value in case.inputs.items() if name not in earlier}
    inputs, found = read_inputs(workbench.inputs, Options(values=given, language=case.language), None)
    if has_errors(found):
        return None, found
    inputs |= earlier
    examples = {name: contract.example for name, contract in program.contracts.items()}
    clock = ManualClock(case.now)
    tools = DeclaredTools(case, program.available_tools, examples, workbench.computing, clock)
    people = DeclaredPeople(case, clock)
    journal = MemoryJournal()
    start = {"started_at": case.now, "timezone": "UTC", "language": case.language, "inputs": inputs}
    profile = ProfileFacts("declared", False, ())
    planned = Planned({}, {}, (), workbench.inputs, profile, {}, (), program, {})
    prepared = Prepared(NOWHERE, planned, NOWHERE, tools, program, inputs, {})
    session = Session(case.run_id, prepared, journal, Beginning(start), people, clock)
    tools.stop, tools.cancel = session.interrupt, session.cancel
    result = session.walk()
    core = session.core
    stopped = result.blocked or result.error
    failure = _failure_in(stopped)
    traced = tuple(row.body for row in journal.rows() if row.kind == "trace")
    walked = Walked(
        status=result.status,
        partial=result.partial is not None,
        state=result.state,
        visits=tuple(body["state"] for body in traced if body["note"] == "state"),
        outputs=result.outputs,
        names={**core.names, **{name: value for name, value in result.outputs.items() if name not in core.names}},
        error=str(stopped["code"]) if stopped is not None else "",
        own_error=str(failure.get("code", "")) if stopped == result.error else "",
        called=tuple(tools.called),
        undeclared=tuple(tools.undeclared),
        shown=(*people.shown, *_told_of(stopped, failure)),
        unfit=tuple(people.unfit),
        not_refused=tuple(people.taken),
        unanswered=tuple(people.unanswered),
        endless=people.endless,
        taken=dict(core.taken),
        notes=traced,
        events=tuple(happened(journal.rows())),
    )
    return walked, found


def _failure_in(stopped: JsonObject | None) -> JsonObject:
    """Return the error that failed a run: code, kind, message; nothing where something else stopped it."""
    failure = (stopped or {}).get("facts", {}).get("error")
    return failure if isinstance(failure, dict) else {}


def _told_of(stopped: JsonObject | None, failure: JsonObject) -> Iterator[JsonObject]:
    """Yield the words with which a run tells what stopped or failed it, those that its author wrote."""
    if failure.get("message"):
        yield {"message": failure["message"]}
    for condition in (stopped or {}).get("facts", {}).get("conditions", ()):
        if condition.get("message"):
            yield {"message": condition["message"]}
