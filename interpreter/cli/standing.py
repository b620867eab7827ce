"""How a run stands: its result, as a person and as `--json` see it, and what became of permitted calls."""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.adapters.runs import open_questions
from interpreter.adapters.sqlite_journal import SqliteJournal
from interpreter.cli.commands import commands_of
from interpreter.cli.context import Context
from interpreter.ports import JsonObject, recorded_key
from interpreter.safety.masking import masked_question
from interpreter.session import sessions
from interpreter.session.beginnings import ON_THE_WAY, beginning_of
from interpreter.session.sessions import Result


def standing(context: Context, run_id: str, journal: SqliteJournal) -> Result:
    """Return how a run stands, as far as its journal tells."""
    ended = ended_result(run_id, journal)
    if ended is not None:
        return ended
    summary = context.store.summary(run_id)
    status, details = summary.status, summary.details
    waiting = tuple(one.body for one in open_questions(journal)) if status == "waiting" else ()
    nobody_is_asked = status == "waiting" and not waiting
    if not summary.is_walked and (status not in sessions.STATUS_EXITS or nobody_is_asked):
        status = "interrupted"
    return Result(
        run_id,
        status,
        state=str(details.get("state", "")),
        waiting=waiting,
        blocked=details.get("finding") if status == "blocked" else None,
        asking=summary.asking,
    )


def ended_result(run_id: str, journal: SqliteJournal) -> Result | None:
    """Return the result of an ended run from its last row; None while it has not ended."""
    end = None
    for row in journal.rows(ON_THE_WAY):
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


def permitted_calls(journal: SqliteJournal, *, is_walked: bool = False) -> list[JsonObject]:
    """Return the calls that were permitted in a run and what became of them; `computed` stands where expressions of the
    profile answered, so that nothing outside was written.

    Shapes: with `is_walked` a process is at work on it, so that a call without an outcome is under way.
    """
    if not any(body.get("permits") for _, body in journal.newest("question")):
        return []
    from interpreter.adapters.compute import COMPUTED
    from interpreter.cli.written import writes_of

    identities = beginning_of(journal).start["identities"]
    computed = {tool for tool, identity in identities.items() if identity == COMPUTED}
    writes = writes_of(journal.rows(), is_walked=is_walked)
    return [{**one, "computed": True} if one["tool"] in computed else one for one in writes]


# --- shown ------------------------------------------------------------------------------------------------------------


def finish(context: Context, result: Result, writes: list[JsonObject]) -> int:
    """Say how a run stands and how it goes on; return the exit status that says the same.

    Shapes: `writes` are the `permitted_calls`.
    """
    if not result.dry_run:
        context.terminal.about(result.run_id)
    context.terminal.ending(result, commands_of(context, result), writes)
    if context.wants_json:
        context.print_json(result_object(context, result))
    return result.exit_status


def result_object(context: Context, result: Result) -> JsonObject:
    """Return how a run stands as `--json` prints it."""
    commands = commands_of(context, result)
    return result.as_json() | {"waiting": [_waiting_entry(question, commands) for question in result.waiting]}


def _waiting_entry(question: JsonObject, commands: Mapping[str, str]) -> JsonObject:
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
