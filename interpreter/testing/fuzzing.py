"""Runs that nobody would think of: answers drawn from the contracts, people who say anything, processes that die.

Whatever tools answer within their contracts, and whatever people say, a workflow keeps its guarantees, comes to an end
or stands where it can go on, and no write that is known to have been made is made again.
What breaks that is made as small as it gets and handed out as a recording, which `recording` turns into a case to keep.

Answers that are drawn seldom lead far: a record needs its right hash, a page the words that were asked for. So a run
may be like one of the cases that the author keeps, and most of its answers are theirs.

Hypothesis draws and shrinks; it is imported here and nowhere else, and belongs to the extra `fuzz`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from secrets import randbelow
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from interpreter.adapters.clock import ManualClock
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.engine.program import ContractPlan, Program
from interpreter.model import Contract
from interpreter.pointers import model_schema
from interpreter.ports import Answer, Check, Holds, JsonObject, Question, Request, ToolFailure, taken_by
from interpreter.session.beginnings import Beginning
from interpreter.session.planned import Planned, ProfileFacts
from interpreter.session.prepared import Prepared
from interpreter.session.sessions import Result, Session
from interpreter.testing.cases import STARTED, Case
from interpreter.testing.drawing import values_of
from interpreter.testing.recording import Recording, read_recording
from interpreter.testing.running import Workbench
from interpreter.testing.stand_ins import Computing, fits
from rules.records import NamedTuple
from rules.values import ABSENT, canonical_json

#: After so many calls a run gets nothing but failures, and one that then makes as many again does not end.
MOST_CALLS = 150
RUN = "fuzz"
NOWHERE = PurePath()
_BROKEN = frozenset({"run/guarantee-violated", "run/too-many-steps", "run/tool-not-allowed"})
#: One of so many calls fails; of a run that is like a case, one of so many answers is drawn all the same.
_FAILS_ONE_IN = 6
_DRAWN_ONE_IN = 6
#: Who may answer: two, so that a workflow that wants another person is walked both ways.
_PEOPLE = ("drawn", "another")


class Fault(Exception):
    """A run did what no run may do. Shapes: `finding` says what, as a run records it; `recording` is the run."""

    def __init__(self, finding: JsonObject, recording: Recording) -> None:
        self.finding = finding
        self.recording = recording
        super().__init__(str(finding["code"]))


class Fuzzed(NamedTuple):
    """What came of it: how many runs, how they ended, and the smallest fault, None where there was none.

    Shapes: `stops` are the findings of expressions that could not be evaluated, each place once: no run may go wrong by
    them, yet its author may not have thought of what was drawn. `unreached` are the states that no run came to: of them
    nothing is known. `seed` draws the same runs again; `reasons` are the codes that runs failed or stopped with.
    """

    runs: int
    endings: Mapping[str, int]
    fault: Fault | None
    seed: int
    reasons: Mapping[str, int] = {}
    stops: tuple[JsonObject, ...] = ()
    unreached: tuple[str, ...] = ()


def fuzz(workbench: Workbench, program: Program, runs: int, number: int | None, cases: tuple[Case, ...] = ()) -> Fuzzed:
    """Draw runs of a workflow until one breaks something; the one that is handed out is the smallest.

    Shapes: `number` makes the draws the same ones again, None draws that too; a run may be like one of `cases`.
    """
    number = randbelow(1_000_000) if number is None else number
    drawn = _DrawnRuns(workbench, program, cases)

    def test(data: st.DataObject) -> None:
        drawn.add(data)

    repeated = settings(
        max_examples=runs,
        deadline=None,
        database=None,
        derandomize=False,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )(given(st.data())(test))
    fault = None
    try:
        seed(number)(repeated)()
    except Fault as found:
        fault = found
    except Unsatisfiable:
        pass
    return Fuzzed(
        runs=sum(drawn.endings.values()),
        endings=dict(drawn.endings),
        fault=fault,
        seed=number,
        reasons=dict(drawn.reasons),
        stops=tuple(drawn.stops.values()),
        unreached=tuple(name for name in program.states if name not in drawn.reached),
    )


class _DrawnRuns:
    """Runs that are drawn one after another, and what became of them, as `Fuzzed` hands it out."""

    def __init__(self, workbench: Workbench, program: Program, cases: tuple[Case, ...]) -> None:
        self.endings: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.stops: dict[str, JsonObject] = {}
        self.reached: set[str] = set()
        self._workbench = workbench
        self._program = program
        self._inputs = _inputs(workbench)
        self._cases = [case for case in cases if not (case.sets or case.injected or case.without)]

    def add(self, data: st.DataObject) -> None:
        """Draw one more run and walk it.

        Errors: Fault.
        """
        case = data.draw(st.sampled_from([None, *self._cases]), label="like the case")
        inputs = dict(case.inputs) if case is not None else data.draw(self._inputs)
        world = _World(self._program, self._workbench.documents.tools, case, self._workbench.computing, data)
        journal = MemoryJournal()
        result = self._walk(world, inputs, journal)
        self.endings[result.status] += 1
        reason = _reason(_finding_of(result))
        if reason:
            self.reasons[reason] += 1
        self.reached.update(_visited(journal))

    def _walk(self, world: _World, inputs: dict[str, Any], journal: MemoryJournal) -> Result:
        """Walk a run through all its processes; returns how the last one left it."""
        program, clock = self._program, ManualClock(STARTED)
        start: JsonObject = {
            "run": RUN,
            "workflow": program.name,
            "sets": {},
            "started_at": STARTED,
            "timezone": "UTC",
            "language": "en",
            "inputs": inputs,
        }
        facts = ProfileFacts("drawn", False, ())
        planned = Planned({}, {}, (), self._workbench.inputs, facts, {}, (), program, {})
        prepared = Prepared(NOWHERE, planned, NOWHERE, world, program, inputs, {})

        def fault(finding: JsonObject) -> Fault:
            return Fault(finding, read_recording(start, journal, program, with_content=True))

        decision: JsonObject | None = None
        while True:
            world.new_process()
            session = Session(RUN, prepared, journal, Beginning(start), world, clock, decision=decision)
            world.stop = session.interrupt
            try:
                result = session.walk()
            except Exception as error:
                raise fault(_broken_by("fuzz/broke", f"{type(error).__name__}: {error}")) from error
            finding = _finding_of(result)
            if finding.get("code") == "run/could-not-be-evaluated":
                self.stops.setdefault(canonical_json(finding.get("where")), finding)
            wrong = finding if finding.get("code") in _BROKEN else world.wrong()
            if wrong is not None:
                raise fault(wrong)
            if not world.goes_on(result):
                return result
            decision = {"id": f"resume{world.processes}"} if result.status == "blocked" else decision


def _finding_of(result: Result) -> JsonObject:
    return result.error or result.blocked or {}


def _broken_by(code: str, detail: object) -> JsonObject:
    return {"code": code, "facts": {"detail": str(detail)}}


def _reason(finding: Mapping[str, Any]) -> str:
    """Return the code of a finding, with the one of its author or of a tool behind it."""
    code, facts = str(finding.get("code", "")), finding.get("facts") or {}
    named = facts.get("error_code")
    return f"{code} ({named})" if code and named else code


def _visited(journal: MemoryJournal) -> Iterator[str]:
    for row in journal.rows():
        if row.kind == "trace" and row.body["note"] == "state":
            yield row.body["state"]


def _inputs(workbench: Workbench) -> st.SearchStrategy[dict[str, Any]]:
    required: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for one in workbench.inputs:
        if one.run_of is None:
            (optional if one.is_optional else required)[one.name] = values_of(one.schema)
    return st.fixed_dictionaries(required, optional=optional)


class _World:
    """Tools and people of one run, in all its processes. Shapes: `_made` counts the writes that the tool answered."""

    needs_loop = False

    def __init__(
        self,
        program: Program,
        contracts: Mapping[str, Contract],
        case: Case | None,
        computing: Computing | None,
        data: st.DataObject,
    ) -> None:
        self._calls = 0
        self._made: Counter[tuple[str, str]] = Counter()
        self.stop: Callable[[], None] = lambda: None
        self._program = program
        self._case = case
        self._computing = computing
        self._data = data
        self._answers = {name: values_of(model_schema(contract.output)) for name, contract in contracts.items()}
        self.processes = 0
        self._left = 0
        self._asked = 0

    def new_process(self) -> None:
        self.processes += 1
        dies = self.processes <= 3 and self._data.draw(st.booleans(), label="this process dies")
        self._left = self._data.draw(st.integers(1, 12), label="after so many calls") if dies else MOST_CALLS * 10

    def goes_on(self, result: Result) -> bool:
        """Say whether another process takes the run up: after a death, and now and then where it stands."""
        if result.status == "interrupted":
            return True
        if result.status in ("completed", "failed", "cancelled") or self.processes > 8:
            return False
        return self._data.draw(st.integers(0, 3), label="nobody goes on if 0") > 0

    def wrong(self) -> JsonObject | None:
        """Return what no run may do and this one did: a write made twice, calls without end."""
        twice = next((tool for (tool, _), times in self._made.items() if times > 1), None)
        if twice is not None:
            return _broken_by("fuzz/written-twice", twice)
        return _broken_by("fuzz/does-not-end", self._calls) if self._calls > 2 * MOST_CALLS else None

    # --- tools ---

    def names(self) -> frozenset[str]:
        return self._program.available_tools

    def has(self, tool: str) -> bool:
        return tool in self._program.available_tools

    def identities(self) -> Mapping[str, str]:
        return {}

    def hold_programs(self, holds: Holds) -> None:
        """Nothing is started."""

    async def close(self) -> None:
        """Nothing is open."""

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        self._calls += 1
        self._left -= 1
        contract = self._program.contracts[request.tool]
        if self._calls > MOST_CALLS:
            raise ToolFailure("unavailable", "no more answers")
        fails = self._data.draw(st.integers(0, _FAILS_ONE_IN - 1), label=f"{request.tool} fails if 0") == 0
        if self._left <= 0:
            self.stop()
        if fails:
            raise ToolFailure(self._data.draw(st.sampled_from(_codes(contract)), label="with"), "drawn")
        answer = self._like_the_case(request, contract, cancelled)
        if answer is ABSENT:
            answer = self._data.draw(self._answers[request.tool], label=f"{request.tool} answers")
        is_plain = contract.failed is None and contract.pending is None  # else an answer may mean that it was not done
        if contract.effect != "read" and not contract.idempotent and is_plain:
            self._made[request.tool, request.identity] += 1
        return answer

    def _like_the_case(self, request: Request, contract: ContractPlan, cancelled: Callable[[], bool]) -> Any:
        """Return what the case answers, ABSENT where it says nothing and where an answer is drawn all the same."""
        if self._case is None or self._data.draw(st.integers(0, _DRAWN_ONE_IN - 1), label="drawn if 0") == 0:
            return ABSENT
        declared = [
            answer
            for answer in self._case.tools.get(request.tool, ())
            if answer.error is None and not answer.breaks_contract and fits(answer, request.arguments)
        ]
        if declared:
            return self._data.draw(st.sampled_from(declared), label=f"{request.tool} answers").value(contract.example)
        if self._computing is not None and self._computing.has(request.tool):
            return self._computing.invoke(request, cancelled)
        return ABSENT

    # --- people ---

    def ask(self, question: Question, check: Callable[[Any, str], Check]) -> Answer | None:
        self._asked += 1
        if self._asked > MOST_CALLS:
            return None
        ending = self._data.draw(
            st.sampled_from(("answered", "answered", "answered", "refused", "nobody")), label="ends"
        )
        if ending == "nobody":
            return Answer("abandoned", {}, "", "", "terminal") if question.may_be_unanswered else None
        who = self._data.draw(st.sampled_from(_PEOPLE), label="who answers")
        if ending == "refused":
            return Answer("refused", {}, who, "", "terminal")
        body = self._data.draw(_said(question), label=f"answer to {question.name}")
        checked = check(body, "en")
        return Answer("answered", checked.value, who, "", "terminal") if checked.value is not None else None

    def show(self, message: JsonObject) -> None:
        """Nobody reads it."""

    def show_progress(self, state: str, text: JsonObject) -> None:
        """Nobody reads it."""

    def show_live(self, state: str, render: Any) -> None:
        """Nobody reads it."""


def _codes(contract: ContractPlan) -> list[str]:
    return [*sorted(contract.errors), "unavailable", "timed_out"]


def _said(question: Question) -> st.SearchStrategy[Any]:
    if question.kind != "ask":
        return st.sampled_from([taken_by(choice) for choice in question.choices])
    return st.fixed_dictionaries(
        {field["name"]: _filled(field) for field in question.form if not field["optional"]},
        optional={field["name"]: _filled(field) for field in question.form if field["optional"]},
    )


def _filled(field: JsonObject) -> st.SearchStrategy[Any]:
    if field.get("choices"):
        one = st.sampled_from([choice["value"] for choice in field["choices"]])
        return st.lists(one, unique_by=canonical_json) if field["many"] else one
    if "choices" in field:
        return st.just([] if field["many"] else None)
    return values_of(field["schema"])
