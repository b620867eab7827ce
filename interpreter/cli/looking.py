"""`runs` and `show`: how runs stand, without touching them."""

from __future__ import annotations

import csv
import io
import sys
import time
from typing import Any

from interpreter.adapters.clock import has_passed
from interpreter.adapters.runs import ENDED, RunSummary, answers_not_taken_up, read_start
from interpreter.adapters.sqlite_journal import SqliteJournal
from interpreter.cli.commands import command_line, commands_of
from interpreter.cli.context import Context, Refused, UsageError
from interpreter.cli.people import how_given
from interpreter.cli.standing import permitted_calls, result_object, standing
from interpreter.cli.written import latest_plan
from interpreter.plan.values import seconds_of
from interpreter.ports import JsonObject
from interpreter.report.columns import one_line_each, shortened, width_for
from interpreter.report.confirmed import PlannedCall, has_lines, plan_blocks
from interpreter.report.terminal import Terminal, word
from interpreter.report.words import COMMAND_BEGINS, in_language, instant, safe, shown
from interpreter.safety.masking import masked_question
from interpreter.session.questions import check_recorded
from rules.values import CannotEvaluate, canonical_text


def runs(context: Context) -> int:
    """List the runs of this home, the one that something happened to last first."""
    arguments = context.arguments
    if arguments.prune is not None:
        return _prune(context, arguments.prune)
    newest_first = sorted(context.store.summaries(), key=lambda one: (one.at, one.run_id), reverse=True)
    known = [_looked_at(context, one) for one in newest_first]
    summaries = [one for one in known if not arguments.waiting or one.status == "waiting"]
    if arguments.json:
        context.print_json(
            [{"run_id": one.run_id, "status": one.status, "at": one.at, **_known(one.details)} for one in summaries]
        )
        return 0
    if not summaries:
        print(context.say("没有运行", "no runs"))
        return 0
    language = context.language
    headings = [
        context.say(zh, en)
        for zh, en in (("运行", "run"), ("状况", "status"), ("流程", "workflow"), ("位置", "state"), ("时间", "time"))
    ]
    rows = [
        [
            shortened(one.run_id, _LONGEST_ID),
            _status(one, language),
            safe(str(one.details.get("workflow", ""))),
            _state_with_title(str(one.details.get("state", "")), one.details.get("state_title"), language),
            instant(one.at),
        ]
        for one in summaries
    ]
    for line in one_line_each(headings, rows, width_for(sys.stdout), whole=frozenset({0, 1, 4})):
        print(line)
    return 0


def _state_with_title(state: str, title: Any, language: str) -> str:
    """Return the id of a state with its title in the language of the reader beside it."""
    words = shown(title, language)
    return f"{safe(state)}  {words}" if words and words != state else safe(state)


_KNOWN_STATUS = {"waiting", "blocked", "completed", "failed", "cancelled", "interrupted", "running", "damaged"}
#: Ids that the interpreter makes are shown whole, so that they can be copied. Units: columns.
_LONGEST_ID = 26


def _looked_at(context: Context, summary: RunSummary) -> RunSummary:
    """Return how a run stands, `damaged` where it says that it may go on and its journal cannot be opened.

    Of one that said nothing, as it was killed before, or whose record of it is gone, the journal tells.
    """
    may_go_on = summary.status not in ENDED and not summary.is_walked
    if may_go_on and context.store.is_damaged(summary.run_id):
        return summary._replace(status="damaged")
    return _told_by_journal(context, summary) if summary.status == "unknown" else summary


def _told_by_journal(context: Context, summary: RunSummary) -> RunSummary:
    run_id = summary.run_id
    try:
        with context.open_run(run_id, lock=False) as journal:
            start, result = read_start(journal), standing(context, run_id, journal)
    except Refused:
        return summary._replace(status="damaged")
    partial = result.partial is not None
    details = {**summary.details, "workflow": start["workflow"], "state": result.state, "partial": partial}
    return summary._replace(status=result.status, at=str(start["at"]), details=details)


def _status(summary: RunSummary, language: str) -> str:
    if summary.status == "waiting" and has_passed(_deadline(summary)):
        return word("short-overdue", language)
    if summary.status == "completed" and summary.details.get("partial") is True:
        return word("short-partial", language)
    return word(f"short-{summary.status}", language) if summary.status in _KNOWN_STATUS else summary.status


def _deadline(summary: RunSummary) -> str | None:
    deadline = summary.details.get("deadline")
    return deadline if isinstance(deadline, str) else None


def _known(details: JsonObject) -> JsonObject:
    return {
        name: details[name] for name in ("workflow", "state", "partial", "questions", "deadline") if name in details
    }


def _prune(context: Context, age: str) -> int:
    try:
        seconds = seconds_of(age)
    except CannotEvaluate:
        example = "--prune 30d"
        text = context.say(
            f"--prune {safe(age)} 不是时长，例如 {example}", f"--prune {safe(age)}: no age; write {example}"
        )
        raise UsageError(text) from None
    removed = context.store.prune(seconds)
    if context.wants_json:
        context.print_json({"removed": list(removed)})
        return 0
    print(context.say(f"删除了 {len(removed)} 个运行", f"removed {len(removed)} runs"))
    return 0


def show(context: Context) -> int:
    """Show one run: how it stands, what it said, what it asks."""
    arguments = context.arguments
    if arguments.format is not None and not arguments.plan:
        command = command_line(context, "show", arguments.run, "--plan", "--format", arguments.format)
        raise UsageError(context.say(f"--format 只和 --plan 一起用：{command}", f"--format is for --plan: {command}"))
    if arguments.quoted and arguments.evidence is None:
        command = command_line(context, "show", arguments.run, "--evidence", "--quoted")
        raise UsageError(
            context.say(f"--quoted 只和 --evidence 一起用：{command}", f"--quoted is for --evidence: {command}")
        )
    if arguments.format is not None and arguments.json:
        raise UsageError(context.say("--format 和 --json 不能同时用", "--format and --json exclude each other"))
    with context.open_run(arguments.run, lock=False) as journal:
        if arguments.plan:
            return _plan(context, journal)
        if arguments.evidence is not None:
            from interpreter.cli.evidence import evidence  # few ask for it

            return evidence(context, journal)
        return _show(context, journal)


def _show(context: Context, journal: SqliteJournal) -> int:
    """What is shown is what was asked for, so that it stands on standard output; what keeps it from being shown not."""
    arguments = context.arguments
    start = read_start(journal)
    result = standing(context, arguments.run, journal)
    if arguments.json:
        writes = permitted_calls(journal, is_walked=context.store.summary(arguments.run).is_walked)
        context.print_json(result_object(context, result) | {"writes": writes})
        return 0
    terminal = context.output
    terminal.about(arguments.run)
    name = safe(f"{start['workflow']} {start['version']}")
    terminal.line(f"{name}  {instant(start['started_at'])}  profile {safe(start['profile']['name'])}", "bold")
    seen = _messages(context, journal, 0)
    while arguments.follow and context.store.summary(arguments.run).is_walked:
        time.sleep(0.5)
        seen = _messages(context, journal, seen)
    result = standing(context, arguments.run, journal)
    for question in result.waiting:
        terminal.question(question)
    writes = permitted_calls(journal, is_walked=context.store.summary(arguments.run).is_walked)
    if writes and result.status == "completed":
        terminal.line()
        terminal.writes(writes)
    if result.status == "interrupted":
        _answers_not_taken_up(context, journal)
    terminal.ending(result, commands_of(context, result), writes)
    return 0


def _answers_not_taken_up(context: Context, journal: SqliteJournal) -> None:
    """Show what was answered without the run having gone on since: whoever answered was stopped in the middle of it."""
    for question, given in answers_not_taken_up(journal):
        value = check_recorded(question, given["value"]).value if given["ending"] == "answered" else {}
        _answer(context.output, question, {**given, "value": value})
        text = context.say("已记下这个回答，运行还没有据此继续", "this answer is recorded; the run has not gone on yet")
        context.output.words(f"    {text}", "yellow")


def _messages(context: Context, journal: SqliteJournal, after: int) -> int:
    """Show what a run has said, been asked and been told after a row; returns the last row."""
    terminal = context.output
    asked: dict[str, JsonObject] = {}
    for row in journal.rows():
        if row.kind == "question":
            asked[row.key] = row.body
        if row.sequence <= after:
            continue
        after = row.sequence
        if row.kind == "message":
            terminal.message(row.body.get("message", row.body))
        elif row.kind == "answer" and row.key in asked:
            _answer(terminal, asked[row.key], row.body)
        elif row.kind == "resume":
            _waivers(context, row.body["decision"])
        elif row.kind == "trace" and row.body.get("note") == "state":
            state = _state_with_title(row.body["state"], row.body.get("title"), terminal.language)
            terminal.line(f"— {state}", "dim")
    return after


def _answer(terminal: Terminal, question: JsonObject, answer: JsonObject) -> None:
    """Show a question as it was shown then, and who ended it how and when."""
    terminal.answered(question, answer, how_given(terminal, answer))


def _waivers(context: Context, decision: JsonObject) -> None:
    for gate, reason in decision.get("waive", {}).items():
        who, gate, reason = safe(str(decision.get("who", ""))), safe(gate), safe(reason)
        told = context.say(f"门禁 {gate} 由 {who} 放行：{reason}", f"gate {gate} was waived by {who}: {reason}")
        context.output.line(told, "yellow")


def _plan(context: Context, journal: SqliteJournal) -> int:
    """Print the exact calls of the latest confirmation: for a person at a terminal, else for other programs to read."""
    is_walked = context.store.summary(context.arguments.run).is_walked
    latest, entries = latest_plan(journal.rows(), is_walked=is_walked)
    question: JsonObject = masked_question(latest) if latest is not None else {}
    permits: list[JsonObject] = list(question.get("permits", ()))
    beside = question.get("shown") if question.get("shown") != permits else None
    if context.wants_json:
        plan = [{**entry, **permit} for permit, entry in zip(permits, entries, strict=True)]
        context.print_json({"run_id": context.arguments.run, "shown": beside, "plan": plan})
        return 0
    terminal = context.output
    if latest is None and context.arguments.format is None:
        none = context.say("这个运行还没有请人许可任何调用", "this run has not yet asked anybody to permit a call")
        terminal.line(none)
        return 0
    if context.arguments.format is None and terminal.is_live:
        results = [terminal.write_result(entry) for entry in entries]
        pairs = zip(permits, results, strict=True)
        terminal.plan([PlannedCall(one["id"], one["tool"], result, one["with"]) for one, result in pairs], beside)
        return 0
    fields = sorted({name for permit in permits for name in permit["with"]})
    headings = ["entry", "tool", "state", *fields]
    rows = [
        [permit["id"], permit["tool"], _in_words(entry), *(_cell(permit["with"].get(name)) for name in fields)]
        for permit, entry in zip(permits, entries, strict=True)
    ]
    if context.arguments.format == "csv":
        sys.stdout.write(as_csv(headings, rows))
    else:
        cells = [["(below)" if has_lines(cell) else cell for cell in row] for row in rows]
        sys.stdout.write(as_markdown(headings, cells))
        sys.stdout.writelines(plan_blocks([(permit["id"], permit["with"]) for permit in permits], beside))
    return 0


def _in_words(entry: JsonObject) -> str:
    return f"{entry['result']}: {entry['error']}" if entry.get("error") else str(entry["result"])


def _cell(value: Any) -> str:
    return "" if value is None else canonical_text(in_language(value, "en"))


#: How a cell begins that a spreadsheet takes for a formula, also with signs of full width, and a line for a command.
_IN_DANGER = (*"=+-@\t\r＝＋－＠", *COMMAND_BEGINS)


def as_csv(headings: list[str], rows: list[list[str]]) -> str:
    """Return a table for spreadsheets: what one would take for a formula, or a terminal for a command, is harmless."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in (headings, *rows):
        writer.writerow([f"'{safe(cell)}" if cell.startswith(_IN_DANGER) else safe(cell) for cell in row])
    return out.getvalue()


#: Marks that would begin a link, an image, code, HTML or another cell.
_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in "\\|`[]<>"})


def as_markdown(headings: list[str], rows: list[list[str]]) -> str:
    def line(cells: list[str]) -> str:
        return "| " + " | ".join(safe(cell).translate(_MARKDOWN) for cell in cells) + " |\n"

    return line(headings) + "|" + " --- |" * len(headings) + "\n" + "".join(line(row) for row in rows)
