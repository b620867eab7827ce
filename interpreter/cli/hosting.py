"""Runs for another program: start one, answer a question, go on, say how it stands.

The program that asks is trusted with no more than a person's keyboard would be: it gives inputs and answers. It never
writes a journal, chooses no state, waives no gate and raises no budget. What permits a write is answered here only
where the profile says that the host's own dialogue with a person may (`confirm_through: elicitation`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from interpreter.adapters.clock import SystemClock
from interpreter.adapters.runs import Answerer
from interpreter.adapters.sqlite_journal import SqliteJournal
from interpreter.cli.answering import answer_that_stands
from interpreter.cli.changes import findings_of
from interpreter.cli.context import Context, Refused, empty_result, refused_by_journal
from interpreter.cli.host_people import Ask, HostPeople, Tell, needs_a_person
from interpreter.cli.standing import ended_result, result_object, standing
from interpreter.cli.trust import check_trust
from interpreter.diagnostics import errors_of, finding
from interpreter.ports import JsonObject
from interpreter.report.words import in_language, safe
from interpreter.session.beginnings import Beginning, beginning_of, profile_texts
from interpreter.session.edits import changed_documents
from interpreter.session.prepared import Options, Prepared, prepare, reopen, start_body
from interpreter.session.questions import check_recorded, without_placeholders
from interpreter.session.sessions import Session

#: So many findings are told of what is refused.
_MOST_FINDINGS = 5


class Runs:
    """Runs of one workflow under one profile, started and gone on with for a host.

    Shapes: `ask` puts a form before the person at the host and returns what was filled in, None where that cannot be
    done or was not; `tell` shows how far a run is. Both are called from the thread that walks the run.
    """

    def __init__(
        self, context: Context, spec: Path, options: Options, workflow: str, profile_texts: Mapping[str, str]
    ) -> None:
        self._context = context
        self._spec = spec
        self._options = options
        self._workflow = workflow
        self._profile_texts = dict(profile_texts)
        self._turn = threading.Lock()
        self._walking: set[Session] = set()

    def start(
        self, inputs: Mapping[str, Any], ask: Ask | None, tell: Tell, on_begin: Callable[[Session], None]
    ) -> JsonObject:
        """Start a run and walk it as far as it goes; return how it stands then.

        Errors: Refused.
        """
        context, options = self._context, self._options
        given = Options(options.profile, {}, dict(inputs), options.sets, options.language, options.timezone)
        prepared, found = prepare(self._spec, given, context.store, context.plans(self._spec))
        if prepared is None:
            raise Refused(*errors_of(found))
        check_trust(context, prepared)
        run_id = context.store.new_id()
        start = start_body(prepared, given, SystemClock().now())
        with refused_by_journal(run_id):
            journal = context.store.create(run_id, start)
            try:
                return self._walk(prepared, journal, Beginning(start), self._people(prepared, ask, tell), on_begin)
            finally:
                journal.close()

    def answer(
        self,
        run_id: str,
        question: str,
        value: Any,
        ask: Ask | None,
        tell: Tell,
        on_begin: Callable[[Session], None],
    ) -> JsonObject:
        """Answer an open question that permits nothing, and go on.

        Errors: Refused, also for every question whose answer permits writes or settles one.
        """
        self._own(run_id)
        with refused_by_journal(run_id):
            self._record_answer(run_id, question, value)
        return self.go_on(run_id, ask, tell, on_begin)

    def go_on(self, run_id: str, ask: Ask | None, tell: Tell, on_begin: Callable[[Session], None]) -> JsonObject:
        """Go on with a run that stopped: what blocked is tried anew, nothing is waived and no budget raised.

        Errors: Refused.
        """
        self._own(run_id)
        with self._context.open_run(run_id) as journal:
            begun = beginning_of(journal)
            ended = ended_result(run_id, journal)
            if ended is not None:
                return result_object(self._context, ended)
            changed = changed_documents(begun.start)
            if changed:
                raise Refused(*findings_of(changed), run_id=run_id)
            prepared, found = reopen(begun.start, self._context.plans(self._spec))
            if prepared is None:
                raise Refused(*errors_of(found), run_id=run_id)
            check_trust(self._context, prepared)
            people = self._people(prepared, ask, tell)
            decision = {"id": os.urandom(8).hex(), "budgets": {}, "waive": {}, "who": people.who, "claimed": True}
            return self._walk(prepared, journal, begun, people, on_begin, decision)

    def result(self, run_id: str) -> JsonObject:
        """Return how a run stands; nothing is walked.

        Errors: Refused.
        """
        self._own(run_id)
        with self._context.open_run(run_id, lock=False) as journal:
            return result_object(self._context, standing(self._context, run_id, journal))

    def interrupt(self) -> None:
        """Stop every run that is being walked; each can be gone on with."""
        with self._turn:
            for session in self._walking:
                session.interrupt()

    # --- the parts ---

    def _own(self, run_id: str) -> None:
        """A run of another workflow, or under another profile than the one that was trusted here, is not touched."""
        with refused_by_journal(run_id):
            if not self._context.store.exists(run_id):
                raise Refused(finding("command/run-unknown", None, run=run_id), run_id=run_id)
        with self._context.open_run(run_id, lock=False) as journal:
            start = beginning_of(journal).start
        is_own = start.get("workflow") == self._workflow and profile_texts(start) == self._profile_texts
        if not is_own or start.get("sets") != dict(self._options.sets):
            found = finding("command/run-of-another-workflow", None, run=run_id, workflow=self._workflow)
            raise Refused(found, run_id=run_id)

    def _record_answer(self, run_id: str, question: str, value: Any) -> None:
        store, language = self._context.store, self._context.language
        asked = next((one for one in store.questions(run_id) if question in (one.key, one.body["name"])), None)
        if asked is None:
            current = ", ".join(one.key for one in store.questions(run_id)) or "-"
            found = finding("run/answer-unknown-question", None, question=question, current=current)
            raise Refused(found, run_id=run_id)
        if needs_a_person(asked.body):
            raise Refused(finding("command/not-through-host", None, name=asked.key), run_id=run_id)
        given = store.answer(
            run_id,
            asked.key,
            without_placeholders(value),
            by=Answerer(self._context.who[0], "host", claimed=True),
            language=language,
            check=check_recorded,
        )
        if given.status == "accepted":
            return
        if given.check is not None:
            facts = in_language(dict(given.check.facts), language)
            raise Refused(finding(given.check.code, None, **facts), run_id=run_id)
        codes = {"late": "run/answer-late", "already_answered": "run/answer-already"}
        code = codes.get(given.status, "run/answer-unknown-question")
        facts = {"question": asked.key, "who": given.who, "at": given.at, "current": "-", "run": run_id}
        facts["answer"] = answer_that_stands(given)[language]
        raise Refused(finding(code, None, **facts), run_id=run_id)

    def _people(self, prepared: Prepared, ask: Ask | None, tell: Tell) -> HostPeople:
        return HostPeople(self._context, ask, tell, prepared.program.confirm_through)

    def _walk(
        self,
        prepared: Prepared,
        journal: SqliteJournal,
        begun: Beginning,
        people: HostPeople,
        on_begin: Callable[[Session], None],
        decision: JsonObject | None = None,
    ) -> JsonObject:
        session = Session(journal.run_id, prepared, journal, begun, people, SystemClock(), decision=decision)
        with self._turn:
            self._walking.add(session)
        try:
            on_begin(session)
            result = session.walk()
        finally:
            with self._turn:
                self._walking.discard(session)
        prepared.keep()
        return result_object(self._context, result)


def refused_result(context: Context, refused: Refused) -> JsonObject:
    """Return what the host is told where what it asked for is not done: the first findings, as one error."""
    told = [found.of_home(context.home_option) for found in refused.found[:_MOST_FINDINGS]]
    language = context.language
    text = "; ".join(
        one.message[language] + (f" ({one.advice[language]})" if one.advice is not None else "") for one in told
    )
    return empty_result(refused.run_id, "failed", {"code": told[0].code, "message": safe(text)})
