"""`answer`: an answer is recorded, or refused with what would be taken, and the run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interpreter.adapters.runs import Answerer, AnswerResult, OpenQuestion
from interpreter.cli.changes import refuse_changed
from interpreter.cli.commands import command_line, commands_of
from interpreter.cli.context import Context, refused_by_journal
from interpreter.cli.people import check_text
from interpreter.cli.running import go_on
from interpreter.cli.standing import ended_result
from interpreter.diagnostics import Diagnostic, Words, finding
from interpreter.ports import Check, JsonObject, is_digest, recorded_key
from interpreter.report.words import in_language, instant
from interpreter.session import edits
from interpreter.session.beginnings import beginning_of
from interpreter.session.questions import as_meant, as_typed, by_number, check_recorded, without_placeholders
from interpreter.session.sessions import Result

#: Faults of an answer that a line to copy mends.
_OF_FIELDS = ("run/answer-field-missing", "run/answer-unknown-field", "run/answer-faults")


def answer(context: Context) -> int:
    """Record an answer and go on with the run where nobody else does."""
    run_id = context.arguments.run
    with refused_by_journal(run_id):
        status = _record_answer(context, run_id)
        if status is not None or _is_walked(context, run_id):
            return status or 0
    return go_on(context, run_id, None)


def _record_answer(context: Context, run_id: str) -> int | None:
    """Record the answer that was given; return the exit status where it is refused."""
    arguments, store = context.arguments, context.store
    name, equals, text = arguments.answer.partition("=")
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
    who, claimed = context.who
    result = store.answer(
        run_id,
        question,
        value,
        by=Answerer(who, "answer-command", claimed),
        ending="abandoned" if arguments.abandon else "answered",
        language=context.language,
        seen=_full_digest(open_questions, question, arguments.seen),
        check=check_recorded,
    )
    if result.status != "accepted":
        return _refuse_answer(context, run_id, question, result, value)
    context.terminal.line(context.say(f"已记下对 {question} 的回答", f"The answer to {question} is recorded"), "green")
    return None


def _full_name(open_questions: Sequence[OpenQuestion], name: str) -> str:
    if "#" in name:
        return name
    return next((one.key for one in open_questions if one.key.rpartition("#")[0] == name), f"{name}#1")


def _full_digest(open_questions: Sequence[OpenQuestion], question: str, seen: str | None) -> str | None:
    """Return the digest that the beginning of one stands for, so that a command line stays short."""
    digests = [str(one.body["digest"]) for one in open_questions if one.key == question]
    return next((digest for digest in digests if is_digest(seen, digest)), seen)


# --- refused ----------------------------------------------------------------------------------------------------------


def _changed_since(context: Context, run_id: str) -> int | None:
    """Refuse an answer that a run under changed documents could not take; a process that walks it has read its own."""
    if context.arguments.as_recorded or _is_walked(context, run_id):
        return None
    with context.open_run(run_id, lock=False) as journal:
        start = beginning_of(journal).start
        changed = [] if ended_result(run_id, journal) else edits.changed_documents(start)
    return refuse_changed(context, run_id, start, changed) if changed else None


def _refuse_answer(context: Context, run_id: str, question: str, result: AnswerResult, value: Any) -> int:
    """Say why an answer was not taken, and what would be."""
    ended = _ended_as(context, run_id)
    if ended is not None and result.status != "already_answered":
        return context.refuse_with("command/run-ended", run=run_id, status=ended)
    match result.status:
        case "already_answered":
            return context.refuse([_answered_already(context, run_id, question, result, ended)])
        case "late":
            return context.refuse_with("run/answer-late", question=question, at=instant(result.at), run=run_id)
        case "changed":
            return context.refuse_with("run/answer-changed", run=run_id)
        case "invalid":
            assert result.check is not None
            unseen = _number_unseen(context, run_id, question, result, value)
            if unseen is not None:
                return context.refuse([unseen])
            status = _refuse_check(context, result.check)
            if not isinstance(value, dict) or result.check.code in _OF_FIELDS:
                asked = next((one.body for one in result.current if one.key == question), None)
                _show_example(context, run_id, asked)
            return status
    current = ", ".join(one.key for one in result.current) or "-"
    way = None if result.current else _how_to_go_on(context, run_id)
    return context.refuse([finding("run/answer-unknown-question", None, hint=way, question=question, current=current)])


def _number_unseen(context: Context, run_id: str, question: str, result: AnswerResult, value: Any) -> Diagnostic | None:
    """Return what to write where a number would permit writes and nobody says what was seen; None for other answers."""
    asked = next((one.body for one in result.current if one.key == question), None)
    if asked is None or by_number(asked, value, has_seen=True) == value:
        return None
    command = _command_for(context, run_id, asked)
    hint = Words(
        f"写选项本身，或用 --seen 说明看到的是什么：{command}",
        f"write the choice, or with --seen what you saw: {command}",
    )
    return finding("run/answer-number-unseen", None, hint=hint, typed=value)


def _answered_already(
    context: Context, run_id: str, question: str, result: AnswerResult, ended: str | None
) -> Diagnostic:
    """Return whose answer stands, and what can be done now."""
    has_ended = Words(f"运行已结束：{ended}", f"the run has ended: {ended}") if ended is not None else None
    hint = has_ended or _what_is_asked(context, run_id, result.current) or _how_to_go_on(context, run_id)
    stands = answer_that_stands(result)[context.language]
    at, who = instant(result.at), result.who or context.say("无人", "nobody")
    return finding("run/answer-already", None, hint=hint, question=question, who=who, at=at, answer=stands)


def _not_fields(context: Context, run_id: str, asked: JsonObject | None, check: Check) -> int:
    status = _refuse_check(context, check)
    _show_example(context, run_id, asked)
    return status


def _refuse_check(context: Context, check: Check) -> int:
    return context.refuse_with(check.code, **in_language(dict(check.facts), context.language))


def answer_that_stands(given: AnswerResult) -> Words:
    """Return the choice that was made already, as part of a sentence.

    A question that went on without anybody was not given up by somebody.
    """
    if given.ending == "abandoned" and given.who:
        return Words("（放弃）", " (given up)")
    return Words(f"（{given.choice}）", f" with {given.choice}") if given.choice else Words("", "")


def _ended_as(context: Context, run_id: str) -> str | None:
    """Return how a run ended, in words; None while it has not."""
    with context.open_run(run_id, lock=False) as journal:
        ended = ended_result(run_id, journal)
    if ended is None:
        return None
    is_partial = ended.status == "completed" and ended.partial is not None
    return context.terminal.word("partial" if is_partial else ended.status)


# --- what would be taken ----------------------------------------------------------------------------------------------


def _say_how_to_answer(context: Context, run_id: str, typed: str) -> int:
    """Say how an answer is written that names no question: what is open, and what may be chosen there."""
    context.terminal.line(f"interpreter: {context.say('应为 问题=回答', 'expected QUESTION=VALUE')}")
    for question in (one.body for one in context.store.questions(run_id)):
        checked = check_recorded(question, typed)
        if question.get("choices") and checked.value is None:
            context.terminal.words(f"{question['name']}: {check_text(checked, context.language)}", "yellow")
        context.terminal.line(f"    {_command_for(context, run_id, question)}", "cyan")
    return 2


def _show_example(context: Context, run_id: str, asked: JsonObject | None) -> None:
    """Show how a form is answered, as a line to copy."""
    if asked is not None and asked["kind"] == "ask":
        command = _command_for(context, run_id, asked)
        context.terminal.line(f"    {context.say('例如：', 'for example: ')}{command}", "cyan")


def _command_for(context: Context, run_id: str, question: JsonObject) -> str:
    """Return the command with which a question is answered."""
    return commands_of(context, Result(run_id, "waiting", waiting=(question,)))[recorded_key(question)]


def _what_is_asked(context: Context, run_id: str, current: Sequence[OpenQuestion]) -> Words | None:
    """Return what a run asks now and how that is answered; None where it asks nothing."""
    if not current:
        return None
    asked = current[0]
    command = _command_for(context, run_id, asked.body)
    return Words(f"现在待回答的是 {asked.key}：{command}", f"open now is {asked.key}: {command}")


def _how_to_go_on(context: Context, run_id: str) -> Words:
    """Return what to do with a run that asks nothing at the moment."""
    if _is_walked(context, run_id):
        follow = command_line(context, "show", run_id, "--follow")
        return Words(
            f"有进程正在运行它；用 {follow} 查看", f"a process is at work on it; {follow} shows how it goes on"
        )
    resume = command_line(context, "resume", run_id)
    return Words(
        f"运行停在那里，没有在等回答；用 {resume} 继续，它会问现在该问的",
        f"the run stands still and asks nothing; {resume} goes on and asks what is to be asked now",
    )


def _is_walked(context: Context, run_id: str) -> bool:
    return context.store.summary(run_id).is_walked
