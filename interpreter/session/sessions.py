"""One run from outside: walk it, stop it, and say how it stands.

The command, tests and other hosts all come through here. Nothing is printed and nothing is asked here: people and
messages are behind `ports.People`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.people import Rehearsal
from interpreter.adapters.rehearsal import RehearsalTools
from interpreter.adapters.runs import unsettled_questions
from interpreter.engine.core import Core
from interpreter.engine.entering import NotAValue, entering
from interpreter.engine.machine import Ended, walk
from interpreter.ports import (
    Blocked,
    Clock,
    Interrupted,
    Journal,
    JsonObject,
    Outcome,
    People,
    Question,
    Request,
    ToolFailure,
    Waiting,
)
from interpreter.safety.masking import mask_fields, masked_by, masked_question
from interpreter.session.beginnings import Beginning
from interpreter.session.prepared import Prepared
from interpreter.session.writes import has_written_in
from rules.records import field, record

#: What `run.id` is in a dry run, of which nothing is kept: where an id stands in its messages, that of a real run will.
REHEARSED = "RUN"

#: Whoever goes on lets a walk begin again whose place is lost. Journals of before do not say so and are walked as they
#: were.
RESTARTS: JsonObject = {"restarts": True}

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


class Session:
    """One walk of a run by this process. `interrupt` and `cancel` may be called by a signal handler.

    Shapes: with `on_rehearsal`, which is told of each question, it is a dry run; with `only_replay` nothing happens
    that is not recorded; `decision` is what a person decided about the place where the run stopped.
    """

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
        only_replay: bool = False,
        on_rehearsal: Callable[[Question], None] | None = None,
    ) -> None:
        self._run_id = run_id
        self._journal = journal
        self._toolbox = prepared.toolbox
        self._needs_loop = prepared.toolbox.needs_loop
        prepared.toolbox.hold_programs(journal.holds)
        self._dry_run = on_rehearsal is not None
        program = prepared.program
        tools: Any = prepared.toolbox
        if on_rehearsal is not None:
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
            decision=None if decision is None else decision | RESTARTS,
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
            keeps_entry=only_replay,
        )
        if self._snapshot is not None:
            self._core.restore(self._snapshot)
            self._core.add_budgets({"budgets": begun.budgets})
        self._run.describe(
            run_id=run_id, workflow=program.name, started_at=start["started_at"], language=start["language"]
        )

    @property
    def core(self) -> Core:
        """Return what the run holds as it stands."""
        return self._core

    @property
    def in_flight(self) -> int:
        """Return how many calls have been made and not answered yet."""
        return self._run.in_flight

    def interrupt(self) -> None:
        """Stop before the next step; the run can be gone on with."""
        self._core.steps_left = 0
        self._run.interrupt()

    def cancel(self) -> None:
        """Begin nothing new and end the run as cancelled."""
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
            finding = self._with_what_edits_meet(stop.finding)
            self._run.stop("blocked", finding=finding)
            return self._result("blocked", blocked=finding)
        except Interrupted:
            self._run.stop("interrupted")
            return self._result("interrupted")
        return self._end(ended)

    def _with_what_edits_meet(self, finding: JsonObject) -> JsonObject:
        """Return a finding that also says where the visit has begun a write, so that no edit can be taken up."""
        state = self._core.state
        if state is None or not has_written_in(self._journal, state.name, self._core.visits[state.name]):
            return finding
        return {**finding, "write_begun": True}

    def stand(self) -> JsonObject:
        """Walk what is recorded and nothing further; return the snapshot of the present state."""
        with suppress(Waiting, Blocked, Interrupted):
            drive(self._walk())
        return self._core.snapshot()

    async def _walk_and_close(self) -> Ended:
        try:
            return await self._walk()
        finally:
            if self._needs_loop:
                await self._toolbox.close()

    def _walk(self) -> Coroutine[Any, Any, Ended]:
        return walk(self._core, self._snapshot["state"] if self._snapshot is not None else None)

    def _end(self, ended: Ended) -> Result:
        # After a rehearsed write examples answer, and those say nothing of what would be left undone.
        is_judged_by_examples = self._dry_run and any(self._journal.of_kinds("intention"))
        partial = None if is_judged_by_examples else ended.partial
        result = self._result(ended.status, partial=partial, error=ended.finding)
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


def _text_of(message: object) -> str:
    """Return what an adapter says of a failure, as a text that can be written down."""
    return str(message).encode("utf-8", "replace").decode()
