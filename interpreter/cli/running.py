"""`run`, `resume`, `answer`, `cancel`: everything that walks a run."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from interpreter import edits
from interpreter import session as sessions
from interpreter.adapters.clock import SystemClock
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.adapters.people import Prepared as PreparedAnswers
from interpreter.adapters.runs import ENDED, OpenQuestion, read_start
from interpreter.adapters.sqlite_journal import SqliteJournal
from interpreter.cli.changes import refuse_changed, say_places
from interpreter.cli.commands import SEEN_DIGITS, command_line, commands_of
from interpreter.cli.context import Context, UsageError, empty_result, pairs
from interpreter.cli.people import ShownAnswers, TerminalPeople, check_text
from interpreter.cli.trust import untrusted
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding
from interpreter.masking import masked_question
from interpreter.ports import Check, JournalError, JsonObject, People, Question, Row, recorded_key
from interpreter.questions_of import as_meant, as_recorded, as_typed, by_number, check_recorded, without_placeholders
from interpreter.report.terminal import Terminal
from interpreter.report.words import in_language, instant, safe, shown
from interpreter.session import Options, Prepared, Result, Session
from rules.records import record


def run(context: Context) -> int:
    """Start a run, or say how the run of that id stands."""
    arguments = context.arguments
    options = _options(context)
    if isinstance(options, int):
        return options
    prepared, found = sessions.prepare(arguments.spec, options, context.store, context.plans(arguments.spec))
    if prepared is None:
        return context.refuse([one for one in found if one.severity == "error"])
    distrust = untrusted(context, prepared)
    if distrust is not None:
        return context.refuse([distrust])
    people = _people(context, prepared)
    if isinstance(people, int):
        return people
    if arguments.dry_run:
        return _rehearse(context, prepared, options, people)
    run_id = arguments.run_id or context.store.new_id()
    try:
        if context.store.exists(run_id):
            return _existing(context, run_id, prepared)
        start = sessions.start_body(prepared, options, SystemClock().now())
        journal = context.store.create(run_id, start)
    except JournalError as error:
        return _journal_error(context, run_id, error)
    context.terminal.line(context.say(f"运行 {run_id}", f"Run {run_id}"), "dim")
    return _walk(context, run_id, prepared, journal, sessions.Recorded(start), people, None)


def resume(context: Context) -> int:
    """Go on with a run: what blocked is tried anew, everything before it comes from the journal."""
    arguments = context.arguments
    decision = _decision(context)
    return _go_on(context, arguments.run, decision)


def answer(context: Context) -> int:
    """Record an answer and go on with the run where nobody else does."""
    arguments = context.arguments
    run_id = arguments.run
    name, equals, text = arguments.answer.partition("=")
    who, claimed = context.who
    try:
        store = context.store
        if not equals and not arguments.abandon:
            return _say_how_to_answer(context, run_id, name)
        changed = _changed_since(context, run_id)
        if changed is not None:
            return changed
        open_questions = store.questions(run_id)
        question = _full_name(open_questions, name)
        asked = next((one.body for one in open_questions if one.key == question), None)
        value = as_typed(text, asked)
        if isinstance(value, Check):
            return _not_fields(context, run_id, asked, value)
        value = without_placeholders(value)
        value = value if asked is None else by_number(asked, as_meant(asked, value), has_seen=bool(arguments.seen))
        result = store.answer(
            run_id,
            question,
            value,
            who=who,
            through="answer-command",
            claimed=claimed,
            ending="abandoned" if arguments.abandon else "answered",
            language=context.language,
            seen=_full_digest(open_questions, question, arguments.seen),
            check=_check_recorded,
        )
    except JournalError as error:
        return _journal_error(context, run_id, error)
    problem = _answer_problem(context, run_id, question, result, value)
    if problem is not None:
        return problem
    context.terminal.line(context.say(f"已记下对 {question} 的回答", f"The answer to {question} is recorded"), "green")
    if _is_walked(context, run_id):
        return 0
    return _go_on(context, run_id, None)


def cancel(context: Context) -> int:
    """Ask a run to cancel; where no process walks it, walk it to its end."""
    run_id = context.arguments.run
    try:
        summary = context.store.cancel(run_id)
    except JournalError as error:
        return _journal_error(context, run_id, error)
    if summary.status in ENDED:
        return context.refuse_with("command/run-ended", run=run_id, status=context.terminal.word(summary.status))
    if summary.is_walked:
        context.terminal.line(
            context.say("已请求取消，正在运行的进程会收尾", "Asked to cancel; the process that runs it winds up")
        )
        return 0
    # What is given up is given up as it was begun: no edit since then keeps it alive.
    context.arguments.as_recorded = True
    return _go_on(context, run_id, None, gives_up=True)


# --- going on ---------------------------------------------------------------------------------------------------------


def _go_on(context: Context, run_id: str, decision: JsonObject | None, *, gives_up: bool = False) -> int:
    """Walk a run that nobody walks; one that is given up comes to its end also where its tools cannot be opened."""
    arguments = context.arguments
    try:
        journal = context.store.open(run_id)
    except JournalError as error:
        return _journal_error(context, run_id, error)
    try:
        known = sessions.recorded(journal)
        ended = ended_result(run_id, known.start, journal)
        if ended is not None:
            writes = permitted_calls(journal)
            journal.close()
            return _finish(context, ended, known.start, writes)
        if not getattr(arguments, "as_recorded", False) and (changed := edits.changed_documents(known.start)):
            if not getattr(arguments, "with_edits", False):
                journal.close()
                return refuse_changed(context, run_id, known.start, changed)
            taken_up = _take_up(context, run_id, journal, known)
            if taken_up is None:
                journal.close()
                return 2
            known = taken_up
        prepared, found = sessions.reopen(
            known.start, context.plans(sessions.place_of(known.start, known.start["spec"]))
        )
        errors = [one for one in found if one.severity == "error"]
        if prepared is None and gives_up:
            prepared, _ = sessions.reopen(known.start, tools=sessions.NoTools())
            if prepared is not None:
                context.terminal.diagnostics(errors)
        if prepared is None:
            journal.close()
            return context.refuse(errors, run_id=run_id)
        distrust = untrusted(context, prepared)
        if distrust is not None:
            journal.close()
            return context.refuse([distrust], run_id=run_id)
        problem = _decision_problem(context, prepared, decision, journal)
        people = _people(context, prepared)
        if problem is not None or isinstance(people, int):
            journal.close()
            return problem if problem is not None else int(people)  # type: ignore[arg-type]
    except JournalError as error:
        journal.close()
        return _journal_error(context, run_id, error)
    return _walk(context, run_id, prepared, journal, known, people, decision)


def _take_up(
    context: Context, run_id: str, journal: SqliteJournal, known: sessions.Recorded
) -> sessions.Recorded | None:
    """Let a run begin anew under its documents and profile as they are now; say why not where it may not."""
    now, found = edits.edited(known.start)
    taken_up = None
    if now is not None:
        distrust = untrusted(context, now)
        apart = sessions.places_apart(known.start, now)
        if distrust is not None:
            found = [distrust]
        else:
            taken_up, found = edits.take_up(run_id, journal, known, now, SystemClock(), context.who[0])
    if taken_up is None or taken_up.snapshot is None:
        context.refuse([one for one in found if one.severity == "error"], run_id=run_id)
        return None
    say_places(context, apart)
    state = safe(str(taken_up.snapshot["state"]))
    told = context.say(
        f"改动已采用，从状态 {state} 重新开始；还没有用掉的许可作废",
        f"The edits are taken up: {state} begins anew, and what was permitted and not made yet is void",
    )
    context.terminal.words(told, "yellow")
    return taken_up


def _decision(context: Context) -> JsonObject:
    arguments = context.arguments
    budgets: JsonObject = {}
    for name, amount in pairs(arguments.budget, "--budget").items():
        if not amount.lstrip("+").isdecimal():
            from interpreter.cli.usage import of_budget

            raise UsageError(of_budget(name, amount))
        budgets[name] = int(amount.lstrip("+"))
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


def _decision_problem(
    context: Context, prepared: Prepared, decision: JsonObject | None, journal: SqliteJournal
) -> int | None:
    if decision is None:
        return None
    known = {budget.name for budget in prepared.program.budgets}
    for name in decision["budgets"]:
        if name not in known:
            hint = did_you_mean(name, known)
            return context.refuse([finding("command/no-such-budget", None, hint=hint, name=name)])
    stop = _last_stop(journal) if decision["waive"] else None
    allowed = stop.body["facts"].get("waivable", []) if stop is not None else []
    for name in decision["waive"]:
        if name not in allowed:
            return context.refuse_with("command/no-such-gate", name=name, allowed=", ".join(allowed) or "-")
    return None


def about_run(context: Context, terminal: Terminal, run_id: str) -> None:
    """Let a terminal write the commands of this run out, so that they can be copied."""
    terminal.run = run_id
    terminal.plan_command = command_line(context, "show", run_id, "--plan")


def _walk(
    context: Context,
    run_id: str,
    prepared: Prepared,
    journal: SqliteJournal,
    known: sessions.Recorded,
    people: _Asked,
    decision: JsonObject | None,
) -> int:
    about_run(context, context.terminal, run_id)
    _say_that_nobody_is_asked(context, prepared)
    _collect_from_here()
    try:
        before = _last_stop(journal) if decision is not None else None
        session = Session(
            run_id, prepared, journal, known.start, people.people, SystemClock(), known=known, decision=decision
        )
        people.terminal.watch(journal)
        signals = _Signals(context, session, people.terminal)
        with signals:
            result = session.walk()
        prepared.keep()  # now that nobody waits for the first step
        _tell_void_answers(context, journal, result)
        writes = permitted_calls(journal)
        has_moved = before is not None and _has_done_more(journal, before.sequence)
    except JournalError as error:
        return _journal_error(context, run_id, error)
    finally:
        journal.close()
    if before is not None and result.blocked == _finding_of(before) and not has_moved:
        context.terminal.line(
            context.say("没有任何变化，仍停在原处", "Nothing has changed; it stopped at the same place"), "yellow"
        )
    for name, check in people.refused():
        context.terminal.words(f"{name}: {check_text(check, context.language)}", "yellow")
    status = _finish(context, result, known.start, writes)
    interrupted = signals.arrived and result.status == "waiting"
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


def _finding_of(stop: Row) -> JsonObject:
    return {name: value for name, value in stop.body.items() if name != "at"}


def _has_done_more(journal: SqliteJournal, after: int) -> bool:
    """Say whether calls have succeeded since a row, also where the run stopped for the same reason again."""
    return any(row.sequence > after and row.body.get("ok") for row in journal.of_kinds("outcome"))


def _finish(context: Context, result: Result, start: JsonObject, writes: list[JsonObject]) -> int:
    if not result.dry_run:
        about_run(context, context.terminal, result.run_id)
    context.terminal.ending(result, commands_of(context, result), writes)
    if context.wants_json:
        context.print_json(result_object(context, result, start))
    return result.exit_status


def result_object(context: Context, result: Result, start: JsonObject) -> JsonObject:
    """Return how a run stands as `--json` prints it."""
    commands = commands_of(context, result)
    return result.as_json() | {"waiting": [waiting_entry(question, commands) for question in result.waiting]}


def permitted_calls(journal: SqliteJournal, *, is_walked: bool = False) -> list[JsonObject]:
    """Return the calls that were permitted in a run and what became of them; `computed` stands where expressions of the
    profile answered, so that nothing outside was written.

    Shapes: with `is_walked` a process is at work on it, so that a call without an outcome is under way.
    """
    if not any(body.get("permits") for _, body in journal.newest("question")):
        return []
    from interpreter.adapters.compute import COMPUTED
    from interpreter.cli.written import writes_of

    identities = sessions.recorded(journal).start["identities"]
    computed = {tool for tool, identity in identities.items() if identity == COMPUTED}
    writes = writes_of(journal.rows(), is_walked=is_walked)
    return [{**one, "computed": True} if one["tool"] in computed else one for one in writes]


def waiting_entry(question: JsonObject, commands: Mapping[str, str]) -> JsonObject:
    """Return an open question as `--json` prints it."""
    question = masked_question(question)
    name = recorded_key(question)
    entry = {
        "question": question["name"],
        "visit": question["visit"],
        "kind": question["kind"],
        "text": question.get("text"),
        "shown": question.get("shown"),
        "digest": question["digest"],
        "deadline": question.get("deadline"),
        "command": commands.get(name, ""),
    }
    if question["kind"] == "ask":
        entry["schema"] = list(question.get("form") or [])
    else:
        entry["choices"] = list(question.get("choices") or [])
    return entry


# --- starting ---------------------------------------------------------------------------------------------------------


def _options(context: Context) -> Options | int:
    arguments = context.arguments
    profile = context.profile(arguments.profile, arguments.spec)
    if isinstance(profile, list):
        return context.refuse(profile)
    values: Mapping[str, Any] = {}
    if arguments.inputs is not None:
        read = read_mapping_file(context, arguments.inputs)
        if isinstance(read, int):
            return read
        values = read
    return Options(
        profile=profile,
        inputs=pairs(arguments.input, "--input"),
        values=values,
        sets=pairs(arguments.set, "--set"),
        language=context.language,
        timezone=_timezone(),
    )


def read_mapping_file(context: Context, path: Path) -> dict[str, Any] | int:
    """Read `--inputs` or `--answers` with the same strict loader as documents."""
    from interpreter.reading import Disk
    from interpreter.source import Source
    from interpreter.yaml_tree import Mapping as MappingNode
    from interpreter.yaml_tree import read_tree, to_value

    text = Disk().read(path)
    if isinstance(text, Diagnostic):
        return context.refuse([text])
    node, found = read_tree(Source(str(path), text))
    errors = [one for one in found if one.severity == "error"]
    if errors:
        return context.refuse(errors)
    if not isinstance(node, MappingNode):
        return context.refuse([finding("command/inputs-not-a-mapping", None, file=path)])
    value = to_value(node)
    assert isinstance(value, dict)
    return value


@record(frozen=False)
class _Asked:
    """Who can be asked, and what of the prepared answers did not fit."""

    people: People
    terminal: TerminalPeople
    prepared: PreparedAnswers | None

    def refused(self) -> list[tuple[str, Check]]:
        return self.prepared.refused if self.prepared is not None else []


def _people(context: Context, prepared: Prepared) -> _Asked | int:
    arguments = context.arguments
    who, claimed = context.who
    terminal = TerminalPeople(context.terminal, context.is_interactive, who, claimed)
    if getattr(arguments, "answers", None) is None:
        return _Asked(terminal, terminal, None)
    answers = read_mapping_file(context, arguments.answers)
    if isinstance(answers, int):
        return answers
    known = list(prepared.kept.questions)
    for name in answers:
        if name not in known and not any(mark in name for mark in ".#/"):
            hint = did_you_mean(name, known)
            context.terminal.diagnostics([finding("command/unknown-question", None, hint=hint, name=name)])
    unattended = prepared.kept.profile.unattended_confirm
    from_file = PreparedAnswers(answers, unattended, terminal, who, context.language)
    not_taken = frozenset() if unattended else frozenset(answers)
    return _Asked(ShownAnswers(from_file, context.terminal, not_taken, prepared.kept.profile.name), terminal, from_file)


def _existing(context: Context, run_id: str, prepared: Prepared) -> int:
    """An id that exists: print how that run stands where it is the same run, else refuse."""
    journal = context.store.open(run_id, lock=False)
    try:
        start = read_start(journal)
        if not sessions.same_run(start, prepared):
            return context.refuse_with("command/run-exists", run=run_id)
        result = standing(context, run_id, start, journal)
        writes = permitted_calls(journal, is_walked=context.store.summary(run_id).is_walked)
    finally:
        journal.close()
    return _finish(context, result, start, writes)


def standing(context: Context, run_id: str, start: JsonObject, journal: SqliteJournal) -> Result:
    """Return how a run stands, as far as its journal tells."""
    ended = ended_result(run_id, start, journal)
    if ended is not None:
        return ended
    summary = context.store.summary(run_id)
    status, details = summary.status, summary.details
    answered = journal.answers()
    asked = sessions.open_questions(journal) if status == "waiting" else []
    waiting = tuple(question for question in asked if recorded_key(question) not in answered)
    if not summary.is_walked and (status not in sessions.STATUS_EXITS or (asked and not waiting)):
        status = "interrupted"  # also where what it waited for was answered and it has not gone on
    return Result(
        run_id,
        status,
        state=str(details.get("state", "")),
        waiting=waiting,
        blocked=details.get("finding") if status == "blocked" else None,
        asking=summary.asking,
    )


def ended_result(run_id: str, start: JsonObject, journal: SqliteJournal) -> Result | None:
    """Return the result of an ended run from its last row; None while it has not ended."""
    end = None
    for row in journal.rows(sessions.ON_THE_WAY):
        if row.kind == "end":
            end = row.body
    if end is None:
        return None
    return Result(
        run_id,
        end["status"],
        partial=end.get("partial"),
        state=end.get("state", ""),
        outputs=end.get("outputs", {}),
        error=end.get("error"),
        failures=tuple(end.get("failures", ())),
        masked=end.get("masked", {}),
    )


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


def _rehearse(context: Context, prepared: Prepared, options: Options, people: _Asked) -> int:
    def on_rehearsal(question: Question) -> None:
        context.terminal.line(
            context.say("【演练】以下确认只是预演", "[rehearsal] the question below is a rehearsal"), "yellow"
        )
        context.terminal.question(as_recorded(question))

    context.terminal.plan_command = ""  # nothing is kept that could be shown
    _say_that_nobody_is_asked(context, prepared)
    _collect_from_here()
    clock = SystemClock()
    start = sessions.start_body(prepared, options, clock.now())
    session = Session(
        *("dry-run", prepared, MemoryJournal(), start, people.people, clock), dry_run=True, on_rehearsal=on_rehearsal
    )
    signals = _Signals(context, session, people.terminal, waits=False)
    with signals:
        result = session.walk()
    if signals.arrived and result.status in ("interrupted", "waiting"):
        context.terminal.line(
            context.say("演练已中止，什么也没有写入", "The rehearsal has stopped; nothing was written"), "yellow"
        )
        if context.wants_json:
            context.print_json(result_object(context, result, start))
        return sessions.STATUS_EXITS["interrupted"]
    prepared.keep()
    return _finish(context, result, {}, [])


# --- answers ----------------------------------------------------------------------------------------------------------


def _say_how_to_answer(context: Context, run_id: str, typed: str) -> int:
    """Say how an answer is written that names no question: what is open, and what may be chosen there."""
    context.terminal.line(f"interpreter: {context.say('应为 问题=回答', 'expected QUESTION=VALUE')}")
    for question in (one.body for one in context.store.questions(run_id)):
        checked = check_recorded(question, typed)
        if question.get("choices") and checked.value is None:
            context.terminal.words(f"{question['name']}: {check_text(checked, context.language)}", "yellow")
        commands = commands_of(context, Result(run_id, "waiting", waiting=(question,)))
        context.terminal.line(f"    {commands[recorded_key(question)]}", "cyan")
    return 2


def _full_name(open_questions: Any, name: str) -> str:
    if "#" in name:
        return name
    return next((one.key for one in open_questions if one.key.rpartition("#")[0] == name), f"{name}#1")


def _full_digest(open_questions: Any, question: str, seen: str | None) -> str | None:
    """Return the digest that the beginning of one stands for, so that a command line stays short."""
    if seen is None or len(seen) < SEEN_DIGITS:
        return seen
    digests = [str(one.body["digest"]) for one in open_questions if one.key == question]
    return next((digest for digest in digests if digest.startswith(seen)), seen)


def _not_fields(context: Context, run_id: str, asked: JsonObject | None, check: Check) -> int:
    status = context.refuse_with(check.code, **in_language(dict(check.facts), context.language))
    _show_example(context, run_id, asked)
    return status


def _show_example(context: Context, run_id: str, asked: JsonObject | None) -> None:
    """Show how a form is answered, as a line to copy."""
    if asked is not None and asked["kind"] == "ask":
        waiting = Result(run_id, "waiting", waiting=(asked,))
        command = commands_of(context, waiting)[recorded_key(asked)]
        context.terminal.line(f"    {context.say('例如：', 'for example: ')}{command}", "cyan")


def _check_recorded(question: JsonObject, value: Any, language: str) -> Check:
    return check_recorded(question, value)


def _is_walked(context: Context, run_id: str) -> bool:
    return context.store.summary(run_id).is_walked


def _changed_since(context: Context, run_id: str) -> int | None:
    """Refuse an answer that a run under changed documents could not take; a process that walks it has read its own."""
    if context.arguments.as_recorded or _is_walked(context, run_id):
        return None
    journal = context.store.open(run_id, lock=False)
    try:
        start = sessions.recorded(journal).start
        changed = [] if ended_result(run_id, start, journal) else edits.changed_documents(start)
    finally:
        journal.close()
    if not changed:
        return None
    return refuse_changed(context, run_id, start, changed)


def _ended_as(context: Context, run_id: str) -> str | None:
    """Return how a run ended, in words; None while it has not."""
    journal = context.store.open(run_id, lock=False)
    try:
        ended = ended_result(run_id, {}, journal)
    finally:
        journal.close()
    if ended is None:
        return None
    is_partial = ended.status == "completed" and ended.partial is not None
    return context.terminal.word("partial" if is_partial else ended.status)


#: Faults of an answer that a line to copy mends.
_OF_FIELDS = ("run/answer-field-missing", "run/answer-unknown-field")


def answer_that_stands(value: Any) -> Words:
    """Return the choice that was made already, as part of a sentence; nothing of a form, which may hold secrets."""
    choice = value.get("choice") if isinstance(value, dict) else value
    return Words(f"（{choice}）", f" with {choice}") if isinstance(choice, str) else Words("", "")


def _answer_problem(context: Context, run_id: str, question: str, result: Any, value: Any) -> int | None:
    current = ", ".join(one.key for one in result.current) or "-"
    if result.status == "accepted":
        return None
    ended = _ended_as(context, run_id)
    if ended is not None and result.status != "already_answered":
        return context.refuse_with("command/run-ended", run=run_id, status=ended)
    if result.status == "already_answered":
        has_ended = Words(f"运行已结束：{ended}", f"the run has ended: {ended}") if ended is not None else None
        hint = has_ended or _what_is_asked(context, run_id, result.current) or _how_to_go_on(context, run_id)
        facts = {"question": question, "who": result.who, "at": instant(result.at)}
        facts["answer"] = answer_that_stands(result.value)[context.language]
        return context.refuse([finding("run/answer-already", None, hint=hint, **facts)])
    if result.status == "late":
        problem = finding("run/answer-late", None, question=question, at=instant(result.at), run=run_id)
        return context.refuse([problem])
    if result.status == "changed":
        return context.refuse_with("run/answer-changed", run=run_id)
    if result.status == "invalid":
        status = context.refuse_with(result.check.code, **in_language(dict(result.check.facts), context.language))
        if not isinstance(value, dict) or result.check.code in _OF_FIELDS:
            _show_example(context, run_id, next((one.body for one in result.current if one.key == question), None))
        return status
    hint = None if result.current else _how_to_go_on(context, run_id)
    return context.refuse([finding("run/answer-unknown-question", None, hint=hint, question=question, current=current)])


def _what_is_asked(context: Context, run_id: str, current: tuple[OpenQuestion, ...]) -> Words | None:
    """Return what a run asks now and how that is answered; None where it asks nothing."""
    if not current:
        return None
    asked = current[0]
    command = commands_of(context, Result(run_id, "waiting", waiting=(asked.body,)))[asked.key]
    return Words(f"现在待回答的是 {asked.key}：{command}", f"open now is {asked.key}: {command}")


def _how_to_go_on(context: Context, run_id: str) -> Words | None:
    """Return what to do with a run that asks nothing at the moment, None where a process walks it."""
    if _is_walked(context, run_id):
        return Words(
            f"有进程正在运行它；用 interpreter show {run_id} --follow 查看",
            f"a process is at work on it; interpreter show {run_id} --follow shows how it goes on",
        )
    return Words(
        f"运行停在那里，没有在等回答；用 interpreter resume {run_id} 继续，它会问现在该问的",
        f"the run stands still and asks nothing; interpreter resume {run_id} goes on and asks what is to be asked now",
    )


# --- signals, errors --------------------------------------------------------------------------------------------------


class _Signals:
    """Ctrl-C, SIGTERM and a closed terminal leave the run resumable: what is in flight ends, nothing new starts.

    A second one does not wait for what is in flight, nor does the first one with `waits` False: a dry run keeps
    nothing of it. The first two are taken also where whoever started the process had it ignore them, as a shell does
    with `&`; a closed terminal is not where `nohup` asked for that.
    """

    def __init__(self, context: Context, session: Session, terminal: TerminalPeople, *, waits: bool = True) -> None:
        self._context = context
        self._session = session
        self._terminal = terminal
        self._waits = waits
        self._before: dict[int, Any] = {}
        self.arrived = False

    def __enter__(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._stop)

    def __exit__(self, *unused: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        is_first, self.arrived = not self.arrived, True  # another one may come while this one is taken
        if is_first and self._waits and self._session.in_flight:
            self._say_what_goes_on()
        self._session.interrupt()
        if not self._waits:
            self._session.interrupt()
        if self._terminal.is_asking:
            raise KeyboardInterrupt

    def _say_what_goes_on(self) -> None:
        """Say why nothing seems to happen; written past the buffers, which a signal may have come in the middle of."""
        calls = self._session.in_flight
        counted = "1 call" if calls == 1 else f"{calls} calls"
        text = self._context.say(
            f"还有 {calls} 个调用在进行，结束后就停下；再按一次 Ctrl-C 立即停下",
            f"waiting for {counted} in flight; press Ctrl-C again to stop at once",
        )
        with suppress(OSError):
            os.write(2, f"\n{text}\n".encode())


def _journal_error(context: Context, run_id: str, error: JournalError) -> int:
    problem = sessions.journal_finding(run_id, error)
    context.terminal.diagnostics([problem])
    if context.wants_json:
        message = {"code": problem.code, "message": problem.message[context.language]}
        context.print_json(empty_result(run_id, "failed", message))
    return 2


def _timezone() -> str:
    return os.environ.get("TZ") or time.tzname[0] or "UTC"
