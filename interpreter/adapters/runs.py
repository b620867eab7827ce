"""The runs under one home: made, opened, listed, answered, cancelled, cleared away, beside running processes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from interpreter.adapters.clock import SystemClock, instant_of, later
from interpreter.adapters.sqlite_journal import STATUS, SqliteJournal, is_locked
from interpreter.engine.program import CALLING_SEQUENCE
from interpreter.ports import Check, Clock, Journal, JournalError, JsonObject
from rules.patterns import regex
from rules.records import NamedTuple, record
from rules.values import loads

ENDED = frozenset({"completed", "failed", "cancelled"})
STATUSES = ENDED | {"running", "waiting", "blocked", "interrupted", "unknown"}
#: What a status record says of where the run stopped alone.
_OF_A_STOP = frozenset({"questions", "deadline", "finding", "state_title"})
#: How old a half-made or half-removed folder must be before it is swept away. Units: seconds.
_LEFT_BEHIND = 3600.0
_RUN_ID = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class RunSummary(NamedTuple):
    """One line of `runs`.

    Shapes: `status` is what the run said last, `interrupted` when it says running and nobody runs it, `unknown` when
    its status file cannot be read; `details` is the whole status record. `is_walked`: a process is at work on it, which
    waits for a line typed at its terminal where `asking` is its number.
    """

    run_id: str
    status: str
    at: str
    details: JsonObject
    is_walked: bool = False
    asking: int | None = None


class OpenQuestion(NamedTuple):
    """A published question nobody has answered. Shapes: `key` is `name#visit`; `body` as recorded."""

    key: str
    body: JsonObject


class Answerer(NamedTuple):
    """Who gives an answer. Shapes: `through` as in `ports.Answer`; `claimed` where nothing but the person says who."""

    who: str
    through: str
    claimed: bool = False


@record
class AnswerResult:
    """What became of an answer.

    Shapes: `who` and `at` say whose answer stands already, `choice` which one, '' for a form, `ending` how the question
    ended; `current` are the questions open now; `check` says why an answer does not fit. `late`: the
    deadline `at` has passed; `changed`: the digest seen is not the one shown now.
    """

    status: Literal["accepted", "already_answered", "late", "unknown_question", "changed", "invalid"]
    who: str = ""
    at: str = ""
    through: str = ""
    choice: str = ""
    ending: str = "answered"
    current: tuple[OpenQuestion, ...] = ()
    check: Check | None = None


class RunStore:
    """Every run under `<home>/runs`.

    Shapes: `release` is this program's version, recorded in each start, so that an older run can name it.
    Errors: JournalError, from every method that takes a run id.
    """

    def __init__(
        self,
        home: Path,
        *,
        clock: Clock | None = None,
        release: str = "",
        sequence: int = CALLING_SEQUENCE,
    ) -> None:
        self._runs = home / "runs"
        self._clock = clock or SystemClock()
        self._release = release
        self._sequence = sequence

    def new_id(self) -> str:
        """Return an id that sorts by time and that nobody else has."""
        digits = re.sub(r"\D", "", self._clock.now())
        return f"{digits[:8]}-{digits[8:14]}-{os.urandom(4).hex()}"

    def folder(self, run_id: str) -> Path:
        if _RUN_ID.fullmatch(run_id) is None:
            raise JournalError("run/bad-id", run=run_id)
        return self._runs / run_id

    def exists(self, run_id: str) -> bool:
        return self.folder(run_id).is_dir()

    def create(self, run_id: str, start: JsonObject) -> SqliteJournal:
        """Record the start of a new run, synced, and return its journal, locked.

        Errors: JournalError(`run/exists`) when the id is taken, also by a process that was quicker;
        JournalError(`run/not-begun`) when the disk refuses.
        """
        folder = self.folder(run_id)
        if folder.exists():
            raise JournalError("run/exists", run=run_id)
        try:
            self._runs.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise JournalError("run/not-begun", run=run_id, reason="disk", detail=error) from error
        recorded = {
            "at": self._clock.now(),
            "sequence": self._sequence,
            "release": self._release,
            "run": run_id,
            **start,
        }
        try:
            return SqliteJournal.create(folder, run_id, recorded)
        except JournalError as error:
            if error.code != "run/journal-not-written":
                raise
            raise JournalError("run/not-begun", **error.facts) from error

    def open(self, run_id: str, *, lock: bool = True) -> SqliteJournal:
        """Return the journal of a run; with `lock` to walk it, without to look at it beside its process.

        Errors: JournalError(`run/unknown`, `run/in-use`, `run/journal-…`), never a fresh start.
        """
        folder = self.folder(run_id)
        if not folder.is_dir():
            raise JournalError("run/unknown", run=run_id)
        journal = SqliteJournal(folder, run_id, lock=lock)
        try:
            start = read_start(journal)
            if start.get("run", run_id) != run_id:
                raise JournalError("run/journal-damaged", run=run_id, reason="copied", original=start["run"])
            if lock and start.get("sequence") != self._sequence:
                raise JournalError(
                    "run/journal-of-another-sequence",
                    run=run_id,
                    release=start.get("release") or "?",
                    recorded=start.get("sequence"),
                    own=self._sequence,
                )
        except BaseException:
            journal.close()
            raise
        return journal

    def summaries(self) -> list[RunSummary]:
        """Return every run, in the order of their ids; none of them is opened."""
        if not self._runs.is_dir():
            return []
        names = sorted(entry.name for entry in os.scandir(self._runs) if entry.is_dir())
        return [self.summary(name) for name in names if _RUN_ID.fullmatch(name)]

    def is_damaged(self, run_id: str) -> bool:
        """Say whether the journal of a run cannot be opened; that its inner rows are whole, only reading them tells."""
        try:
            self.open(run_id, lock=False).close()
        except JournalError as error:
            return error.code.startswith("run/journal-")
        return False

    def summary(self, run_id: str) -> RunSummary:
        """Return how one run stands by what it said last; it is not opened."""
        folder = self.folder(run_id)
        is_running = is_locked(folder)
        details = _read_status(folder)
        status = details.get("status", "running" if is_running else "unknown")
        if status not in STATUSES:
            status = "unknown"
        asking = details.get("asking") if is_running and status == "waiting" else None
        asking = asking if isinstance(asking, int) else None
        if is_running and asking is None:
            status = "running"
        elif not is_running and status == "running":
            status = "interrupted"
        at = details.get("at")
        if not (isinstance(at, str) and at.isascii() and at.isprintable()):
            at = ""
        return RunSummary(run_id, status, at, details, is_running, asking)

    def questions(self, run_id: str) -> tuple[OpenQuestion, ...]:
        """Return the questions that are open now, the oldest first."""
        journal = self.open(run_id, lock=False)
        try:
            return tuple(open_questions(journal))
        finally:
            journal.close()

    def answer(
        self,
        run_id: str,
        question: str,
        value: Any,
        *,
        by: Answerer,
        ending: Literal["answered", "abandoned"] = "answered",
        language: str = "en",
        seen: str | None = None,
        check: Callable[[JsonObject, Any], Check] | None = None,
    ) -> AnswerResult:
        """Give an answer to an open question (`name#visit`); the first one wins.

        Shapes: `check` looks at the recorded question and the value, so that an answer that does not fit is refused
        here and now; the run itself checks again.
        """
        journal = self.open(run_id, lock=False)
        try:
            current = tuple(open_questions(journal))
            standing = _standing_answer(journal, question)
            if standing is not None:
                return _already(journal, standing, question, current)
            asked = next((found.body for found in current if found.key == question), None)
            if asked is None:
                return AnswerResult("unknown_question", current=current)
            at = max(self._clock.now(), str(asked.get("asked_at", "")))
            if (deadline := asked.get("deadline")) is not None and at >= deadline:
                return AnswerResult("late", at=deadline, current=current)
            if seen is not None and seen != asked["digest"]:
                return AnswerResult("changed", current=current)
            if check is not None and ending == "answered":
                checked = check(asked, value)
                if checked.value is None:
                    return AnswerResult("invalid", current=current, check=checked)
            body = {
                "ending": ending,
                "value": value,
                "who": by.who,
                "at": at,
                "through": by.through,
                "claimed": by.claimed,
                "language": language,
                "nonce": os.urandom(8).hex(),
            }
            won = journal.offer_answer(question, body)
            if won.get("nonce") != body["nonce"]:
                return _already(journal, won, question, current)
            self._tell_of_answer(journal, question)
            return AnswerResult("accepted", who=by.who, at=at, through=by.through)
        finally:
            journal.close()

    def _tell_of_answer(self, journal: SqliteJournal, question: str) -> None:
        """Let a run that nobody walks no longer seem to wait for what was answered, should it not go on now."""
        summary = self.summary(journal.run_id)
        if summary.is_walked or summary.status != "waiting":
            return
        left = [one for one in summary.details.get("questions", ()) if one != question]
        journal.set_status({**summary.details, "status": "waiting" if left else "interrupted", "questions": left})

    def tell_of_edits(self, journal: SqliteJournal, state: str) -> None:
        """Let a run whose state begins anew no longer seem to wait or to be stopped, should it not go on now."""
        details = self.summary(journal.run_id).details
        kept = {name: value for name, value in details.items() if name not in _OF_A_STOP}
        journal.set_status({**kept, "status": "interrupted", "state": state})

    def cancel(self, run_id: str) -> RunSummary:
        """Ask a run to cancel; return how it stood. A run that nobody runs cancels when it is resumed."""
        journal = self.open(run_id, lock=False)
        try:
            summary = self.summary(run_id)
            if summary.status not in ENDED:
                journal.request_cancel()
            return summary
        finally:
            journal.close()

    def prune(self, seconds: float) -> list[str]:
        """Remove runs that ended longer ago than that; return their ids. Runs that may go on are never removed."""
        limit = later(self._clock.now(), -seconds)
        self._sweep(later(self._clock.now(), -_LEFT_BEHIND))
        return [
            summary.run_id
            for summary in self.summaries()
            if summary.status in ENDED and summary.at < limit and self._remove(summary.run_id)
        ]

    def _sweep(self, limit: str) -> None:
        """Remove what a process left behind that was killed while it made or removed a run."""
        from shutil import rmtree

        for entry in os.scandir(self._runs) if self._runs.is_dir() else ():
            if entry.name.startswith((".new-", ".old-")) and instant_of(entry.stat().st_mtime) < limit:
                rmtree(entry.path, ignore_errors=True)

    def _remove(self, run_id: str) -> bool:
        from shutil import rmtree

        folder = self._runs / run_id
        gone = self._runs / f".old-{run_id}"
        try:
            os.rename(folder, gone)
        except OSError:
            return False
        rmtree(gone, ignore_errors=True)
        return True


def read_start(journal: SqliteJournal) -> JsonObject:
    """Return the body of a journal's first row.

    Errors: JournalError(`run/journal-damaged`) when that is no start; a run without one does not exist.
    """
    first = next(journal.rows(), None)
    if first is None or first.kind != "start":
        raise JournalError("run/journal-damaged", run=journal.run_id, reason="start")
    return first.body


def open_questions(journal: Journal) -> list[OpenQuestion]:
    """Return the questions that nobody has answered, the oldest first."""
    answered = journal.answers()
    asked = (OpenQuestion(str(body["question"]), body) for body in unsettled_questions(journal))
    return [one for one in asked if one.key not in answered]


def answers_not_taken_up(journal: Journal) -> list[tuple[JsonObject, JsonObject]]:
    """Return the questions that were answered without the run having gone on since, each with its answer."""
    answered = journal.answers()
    return [(body, answered[body["question"]]) for body in unsettled_questions(journal) if body["question"] in answered]


def unsettled_questions(journal: Journal) -> list[JsonObject]:
    """Return the published questions, the oldest first, that the run has neither taken an answer to nor given up.

    An answer that was given and that the run has not taken up yet stands in the inbox alone. Of what was asked before
    an edit nothing is left.
    """
    asked: dict[str, JsonObject] = {}
    for row in journal.of_kinds("edited", "question", "answer", "cancel"):
        if row.kind == "edited":
            asked.clear()
        elif row.kind == "question":
            asked[row.key] = row.body
        else:
            asked.pop(row.key, None)
    return list(asked.values())


def _standing_answer(journal: SqliteJournal, question: str) -> JsonObject | None:
    given = journal.answers().get(question)
    if given is not None:
        return given
    return next((body for _, body in journal.newest("answer") if body.get("question") == question), None)


def _already(
    journal: SqliteJournal, standing: JsonObject, question: str, current: tuple[OpenQuestion, ...]
) -> AnswerResult:
    """Return whose answer stands. Shapes: `current` may have been read before that one was given."""
    current = tuple(one for one in current if one.key != question)
    if standing.get("ending") == "timed_out":
        return AnswerResult("late", at=str(standing.get("at", "")), current=current)
    return AnswerResult(
        "already_answered",
        who=str(standing.get("who", "")),
        at=str(standing.get("at", "")),
        through=str(standing.get("through", "")),
        choice=_choice_of(journal, question, standing.get("value")),
        ending=str(standing.get("ending", "answered")),
        current=current,
    )


def _choice_of(journal: SqliteJournal, question: str, value: Any) -> str:
    """Return the choice that an answer made; nothing of a form, which may hold secrets, also where it is one text."""
    asked = next((body for _, body in journal.newest("question") if body.get("question") == question), None)
    choice = value.get("choice") if isinstance(value, dict) else value
    return choice if isinstance(choice, str) and asked is not None and asked["kind"] != "ask" else ""


def _read_status(folder: Path) -> JsonObject:
    try:
        status = loads((folder / STATUS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(status, dict):
        return {}
    # The record is only for looking at, and anybody may have changed it: what has the wrong shape is left out.
    found = status.get("finding")
    if found is not None and not (isinstance(found, dict) and isinstance(found.get("facts"), dict)):
        del status["finding"]
    return status
