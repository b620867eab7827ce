"""`run`, `resume`, `cancel`: a run is started, gone on with, or walked to its end."""

from __future__ import annotations

import gc
import os
import re

from interpreter.adapters.clock import SystemClock
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.adapters.people import PreparedAnswers
from interpreter.adapters.runs import ENDED, read_start
from interpreter.adapters.sqlite_journal import SqliteJournal
from interpreter.cli.changes import refuse_changed, say_places
from interpreter.cli.context import Context, Refused, UsageError, refused_by_journal
from interpreter.cli.given import mapping_in, pairs, placed_mapping_in
from interpreter.cli.interrupts import Interrupts
from interpreter.cli.people import ShownAnswers, TerminalPeople, check_text
from interpreter.cli.standing import ended_result, finish, permitted_calls, result_object, standing
from interpreter.cli.trust import check_trust
from interpreter.diagnostics import Words, did_you_mean, errors_of, finding
from interpreter.engine.program import Program
from interpreter.ports import Check, JsonObject, People, Question, Row, recorded_key
from interpreter.report.words import safe, shown
from interpreter.session import edits, sessions
from interpreter.session.beginnings import Beginning, beginning_of, place_of
from interpreter.session.prepared import NoTools, Options, Prepared, places_apart, prepare, reopen, same_run, start_body
from interpreter.session.questions import as_meant
from interpreter.session.sessions import Result, Session
from rules.records import record

#: How many calls a budget is given more. Without the `+` it could as well be what the budget is set to.
_MORE = re.compile(r"\+[0-9]{1,12}")


def run(context: Context) -> int:
    """Start a run, or say how the run of that id stands."""
    arguments = context.arguments
    options = _options(context)
    prepared, found = prepare(arguments.spec, options, context.store, context.plans(arguments.spec))
    if prepared is None:
        raise Refused(*errors_of(found))
    check_trust(context, prepared)
    people = _people(context, prepared)
    if arguments.dry_run:
        return _rehearse(context, prepared, options, people)
    run_id = context.store.new_id() if arguments.run_id is None else arguments.run_id
    with refused_by_journal(run_id):
        if context.store.exists(run_id):
            return _existing(context, run_id, prepared)
        start = start_body(prepared, options, SystemClock().now())
        journal = context.store.create(run_id, start)
        try:
            context.terminal.line(context.say(f"运行 {run_id}", f"Run {run_id}"), "dim")
            return _walk(context, prepared, journal, Beginning(start), people, None)
        finally:
            journal.close()


def resume(context: Context) -> int:
    """Go on with a run: what blocked is tried anew, everything before it comes from the journal."""
    return go_on(context, context.arguments.run, _decision(context))


def cancel(context: Context) -> int:
    """Ask a run to cancel; where no process walks it, walk it to its end."""
    run_id = context.arguments.run
    with refused_by_journal(run_id):
        summary = context.store.cancel(run_id)
    if summary.status in ENDED:
        is_partial = summary.status == "completed" and summary.details.get("partial") is True
        ended = context.terminal.word("partial" if is_partial else summary.status)
        return context.refuse_with("command/run-ended", run=run_id, status=ended)
    if summary.is_walked:
        context.terminal.line(
            context.say("已请求取消，正在运行的进程会收尾", "Asked to cancel; the process that runs it winds up")
        )
        return 0
    # What is given up is given up as it was begun: no edit since then keeps it alive.
    context.arguments.as_recorded = True
    return go_on(context, run_id, None, gives_up=True)


# --- going on ---------------------------------------------------------------------------------------------------------


def go_on(context: Context, run_id: str, decision: JsonObject | None, *, gives_up: bool = False) -> int:
    """Walk a run that nobody walks; one that is given up comes to its end also where its tools cannot be opened."""
    with context.open_run(run_id) as journal:
        begun = beginning_of(journal)
        ended = ended_result(run_id, journal)
        if ended is not None:
            return finish(context, ended, permitted_calls(journal))
        changed = [] if getattr(context.arguments, "as_recorded", False) else edits.changed_documents(begun.start)
        if changed and not getattr(context.arguments, "with_edits", False):
            return refuse_changed(context, run_id, begun.start, changed)
        if changed:
            begun = _take_up(context, run_id, journal, begun, decision)
        prepared = _reopened(context, run_id, begun, gives_up=gives_up)
        check_trust(context, prepared, run_id)
        if not changed:
            stops = _standing_stops(journal, begun.after)
            _check_decision(decision, _with_those_used(prepared.program), stops)
            _check_that_it_stopped(run_id, decision, stops)
        return _walk(context, prepared, journal, begun, _people(context, prepared), decision)


def _take_up(
    context: Context, run_id: str, journal: SqliteJournal, begun: Beginning, decision: JsonObject | None
) -> Beginning:
    """Let a run begin anew under its documents and profile as they are now, with what was decided about budgets.

    Errors: Refused where it may not, also where a gate is waived: it is passed anew, and may hold.
    """
    now, found = edits.edited(begun.start)
    if now is None:
        raise Refused(*errors_of(found), run_id=run_id)
    apart = places_apart(begun.start, now)
    check_trust(context, now, run_id)
    _check_decision(decision, [now.program], [])
    budgets = decision["budgets"] if decision is not None else {}
    taken_up, found = edits.take_up(run_id, journal, begun, now, SystemClock(), context.who[0], budgets)
    if taken_up is None or taken_up.snapshot is None:
        raise Refused(*errors_of(found), run_id=run_id)
    context.store.tell_of_edits(journal, taken_up.snapshot["state"])
    say_places(context, apart)
    state = safe(str(taken_up.snapshot["state"]))
    told = context.say(
        f"改动已采用，从状态 {state} 重新开始；还没有用掉的许可作废",
        f"The edits are taken up: {state} begins anew, and what was permitted and not made yet is void",
    )
    context.terminal.words(told, "yellow")
    return taken_up


def _reopened(context: Context, run_id: str, begun: Beginning, *, gives_up: bool) -> Prepared:
    """Return the workflow of a run as it was recorded. Errors: Refused."""
    spec = place_of(begun.start, begun.start["spec"])
    prepared, found = reopen(begun.start, context.plans(spec))
    if prepared is None and gives_up:
        prepared, _ = reopen(begun.start, tools=NoTools())
        if prepared is not None:
            context.terminal.diagnostics(errors_of(found))
    if prepared is None:
        raise Refused(*errors_of(found), run_id=run_id)
    return prepared


def _decision(context: Context) -> JsonObject:
    arguments = context.arguments
    budgets: JsonObject = {}
    for name, amount in pairs(arguments.budget, "--budget").items():
        if _MORE.fullmatch(amount) is None:
            from interpreter.cli.wrong_pairs import of_budget

            raise UsageError(of_budget(name, amount))
        budgets[name] = int(amount)
    if arguments.waive and not arguments.reason.strip():
        raise UsageError(context.say("放行门禁要写明 --reason", "--waive needs a --reason"))
    who, claimed = context.who
    return {
        "id": os.urandom(8).hex(),
        "budgets": budgets,
        "waive": dict.fromkeys(arguments.waive, arguments.reason),
        "who": who,
        "claimed": claimed,
    }


def _check_decision(decision: JsonObject | None, programs: list[Program], stops: list[Row]) -> None:
    """Refuse a budget that none of these programs has, and a gate that does not stop the run or may not be waived.

    Shapes: where a state begins anew, so does every workflow that is used in it, and nothing has stopped the run yet.
    """
    if decision is None:
        return
    known = {budget.name for program in programs for budget in program.budgets}
    for name in decision["budgets"]:
        if name not in known:
            raise Refused(finding("command/no-such-budget", None, hint=did_you_mean(name, known), name=name))
    allowed = [gate for stop in stops for gate in stop.body["facts"].get("waivable", [])]
    for name in decision["waive"]:
        if name not in allowed:
            listed = ", ".join(allowed)
            hint = Words(f"可放行：{listed}", f"may be waived: {listed}") if allowed else None
            raise Refused(finding("command/no-such-gate", None, hint=hint, name=name))


def _check_that_it_stopped(run_id: str, decision: JsonObject | None, stops: list[Row]) -> None:
    """Refuse more calls where the run stands at no stop that would take them up: they would be granted to nothing."""
    if decision is not None and decision["budgets"] and not stops:
        name = next(iter(decision["budgets"]))
        raise Refused(finding("command/no-stop-to-grant-at", None, name=name, run=run_id), run_id=run_id)


def _with_those_used(program: Program) -> list[Program]:
    """Return a program and every one that is used inside it, each once: a run may have stopped in any of them."""
    found = [program]
    for one in found:
        found += [used for used in one.workflows.values() if not any(used is other for other in found)]
    return found


# --- walking ----------------------------------------------------------------------------------------------------------


def _walk(
    context: Context,
    prepared: Prepared,
    journal: SqliteJournal,
    begun: Beginning,
    people: _Asked,
    decision: JsonObject | None,
) -> int:
    run_id = journal.run_id
    context.terminal.about(run_id)
    _say_that_nobody_is_asked(context, prepared)
    _collect_from_here()
    before = _last_stop(journal) if decision is not None else None
    session = Session(run_id, prepared, journal, begun, people.people, SystemClock(), decision=decision)
    people.terminal.watch(journal)
    interrupts = Interrupts(context, session, people.terminal)
    with interrupts:
        result = session.walk()
    prepared.keep()  # now that nobody waits for the first step
    _tell_void_answers(context, journal, result)
    writes = permitted_calls(journal)
    has_moved = before is not None and _has_done_more(journal, before.sequence)
    journal.close()  # its lock is let go before the command is shown that goes on
    if before is not None and _is_stopped_by(result, before) and not has_moved:
        context.terminal.line(
            context.say("没有任何变化，仍停在原处", "Nothing has changed; it stopped at the same place"), "yellow"
        )
    for name, check in people.refused():
        context.terminal.words(f"{name}: {check_text(check, context.language)}", "yellow")
    status = finish(context, result, writes)
    interrupted = interrupts.arrived and result.status == "waiting"
    return sessions.STATUS_EXITS["interrupted"] if interrupted else status


def _tell_void_answers(context: Context, journal: SqliteJournal, result: Result) -> None:
    """Say why a recorded answer did not count, where its question is open again."""
    still_open = {recorded_key(question) for question in result.waiting}
    if not still_open:
        return
    notes = (body for _, body in journal.newest("trace", mentions='"answer-refused"'))
    refused = (body for body in notes if body.get("note") == "answer-refused" and body["question"] in still_open)
    last: JsonObject | None = next(refused, None)
    if last is not None:
        text = check_text(Check(None, last["code"], last["facts"]), context.language)
        context.terminal.words(f"{last['question']}: {text}", "yellow")


def _last_stop(journal: SqliteJournal) -> Row | None:
    """Return the row that last stopped the run, None where nothing has."""
    return max(journal.of_kinds("block"), key=lambda row: row.sequence, default=None)


def _standing_stops(journal: SqliteJournal, after: int) -> list[Row]:
    """Return the rows at which the run stands still, as each of several bodies at once may, and was not let go on from.

    Shapes: `after` is the last row that the walk no longer looks at.
    """
    rows = [row for row in journal.of_kinds("block", "resume", "cancel") if row.sequence > after]
    left: dict[str, Row] = {}
    for row in rows:
        if row.kind == "block":
            left[row.key] = row
        elif row.kind == "resume":
            left.pop(row.key, None)
        else:
            left.clear()
    return list(left.values())


def _is_stopped_by(result: Result, stop: Row) -> bool:
    """Say whether a run stands where a row stopped it, for the same reason."""
    finding = {name: value for name, value in stop.body.items() if name != "at"}
    return result.blocked is not None and finding.items() <= result.blocked.items()


def _has_done_more(journal: SqliteJournal, after: int) -> bool:
    """Say whether calls have succeeded since a row, also where the run stopped for the same reason again."""
    return any(row.sequence > after and row.body.get("ok") for row in journal.of_kinds("outcome"))


# --- starting ---------------------------------------------------------------------------------------------------------


def _options(context: Context) -> Options:
    arguments = context.arguments
    values, places = placed_mapping_in(arguments.inputs) if arguments.inputs is not None else ({}, {})
    return Options(
        profile=context.profile(arguments.profile, arguments.spec),
        inputs=pairs(arguments.input, "--input"),
        values=values,
        sets=pairs(arguments.set, "--set"),
        language=context.language,
        timezone=context.timezone,
        places=places,
    )


@record(frozen=False)
class _Asked:
    """Who can be asked, and what of the prepared answers did not fit."""

    people: People
    terminal: TerminalPeople
    prepared: PreparedAnswers | None

    def refused(self) -> list[tuple[str, Check]]:
        return self.prepared.refused if self.prepared is not None else []


def _people(context: Context, prepared: Prepared) -> _Asked:
    arguments = context.arguments
    who, claimed = context.who
    terminal = TerminalPeople(context.terminal, context.is_interactive, who, claimed)
    if getattr(arguments, "answers", None) is None:
        return _Asked(terminal, terminal, None)
    answers = mapping_in(arguments.answers)
    known = list(prepared.planned.questions)
    for name in answers:
        asked = name.partition("#")[0]
        if asked not in known and not any(mark in asked for mark in "./"):
            hint = did_you_mean(asked, known)
            context.terminal.diagnostics([finding("command/unknown-question", None, hint=hint, name=name)])
    unattended = prepared.planned.profile.unattended_confirm
    from_file = PreparedAnswers(answers, unattended, terminal, who, context.language, as_meant)
    not_taken = frozenset() if unattended else frozenset(answers)
    return _Asked(
        ShownAnswers(from_file, context.terminal, not_taken, prepared.planned.profile.name), terminal, from_file
    )


def _existing(context: Context, run_id: str, prepared: Prepared) -> int:
    """An id that exists: print how that run stands where it is the same run, else refuse."""
    with context.open_run(run_id, lock=False) as journal:
        start = read_start(journal)
        if not same_run(start, prepared):
            return context.refuse_with("command/run-exists", run=run_id)
        result = standing(context, run_id, journal)
        writes = permitted_calls(journal, is_walked=context.store.summary(run_id).is_walked)
    return finish(context, result, writes)


def _say_that_nobody_is_asked(context: Context, prepared: Prepared) -> None:
    """Say what a workflow writes without a confirmation, and its author's reason."""
    for tool, reason in prepared.program.writes_without_confirmation.items():
        text = shown(reason, context.language)
        if tool:
            told = context.say(f"{tool} 写入前不问任何人：{text}", f"{tool} writes without asking anybody: {text}")
        else:
            told = context.say(
                f"这个流程写入前不问任何人：{text}", f"This workflow writes without asking anybody: {text}"
            )
        context.terminal.words(told, "yellow")


def _collect_from_here() -> None:
    """Turn the collector on: documents and program live as long as the process, and it need not look at them again."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 100)


def _writes_without_example(program: Program) -> list[str]:
    """Return the tools with which the workflow may write, and of which nobody says what they answer in a rehearsal."""
    allowed = {tool for state in program.states.values() for tool in state.tools}
    contracts = [contract for name, contract in program.contracts.items() if name in allowed]
    return sorted(one.name for one in contracts if one.effect != "read" and one.example is None)


def _rehearse(context: Context, prepared: Prepared, options: Options, people: _Asked) -> int:
    def on_rehearsal(question: Question) -> None:
        context.terminal.line(
            context.say("【演练】以下确认只是预演", "[rehearsal] the question below is a rehearsal"), "yellow"
        )
        context.terminal.question(question.as_json())

    without = _writes_without_example(prepared.program)
    if without:
        return context.refuse_with("command/no-example", tools=", ".join(without))
    context.terminal.about_rehearsal()
    _say_that_nobody_is_asked(context, prepared)
    _collect_from_here()
    clock = SystemClock()
    begun = Beginning(start_body(prepared, options, clock.now()))
    session = Session(
        *(sessions.REHEARSED, prepared, MemoryJournal(), begun, people.people, clock),
        on_rehearsal=on_rehearsal,
    )
    interrupts = Interrupts(context, session, people.terminal, waits=False)
    with interrupts:
        result = session.walk()
    if interrupts.arrived and result.status in ("interrupted", "waiting"):
        context.terminal.line(
            context.say("演练已中止，什么也没有写入", "The rehearsal has stopped; nothing was written"), "yellow"
        )
        if context.wants_json:
            context.print_json(result_object(context, result))
        return sessions.STATUS_EXITS["interrupted"]
    prepared.keep()
    return finish(context, result, [])
