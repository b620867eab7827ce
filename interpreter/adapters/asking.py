"""How a question gets its answer: whoever answers, and through what, the answer that came first is the one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interpreter.adapters.record import Record
from interpreter.adapters.status import StatusRecord
from interpreter.ports import Answer, Check, Journal, JsonObject, People, Question

CheckAnswer = Callable[[Any, str], Check]


class Asking:
    """Asks people, and looks into the inbox that every answer passes."""

    def __init__(
        self, journal: Journal, people: People, record: Record, status: StatusRecord, instant: Callable[[], str]
    ) -> None:
        self._journal = journal
        self._people = people
        self._record = record
        self._status = status
        self._instant = instant

    def answer_now(self, name: str, question: Question, deadline: str | None, check: CheckAnswer) -> Answer | None:
        """Return the answer to an open question; None where nobody has given one yet."""
        while True:
            given = self._journal.answers().get(name)
            if given is None:
                offered = self._offer(question, deadline, check)
                # Whoever is asked stops asking where somebody else has answered in the meantime.
                given = self._journal.offer_answer(name, offered) if offered else self._journal.answers().get(name)
            if given is None:
                return None
            answer = self._fitting(name, given, check)
            if answer is not None:
                return answer

    def _offer(self, question: Question, deadline: str | None, check: CheckAnswer) -> JsonObject | None:
        if deadline is None or self._instant() < deadline:
            with self._status.asking(question.key):
                answer = self._people.ask(question, check)
            if answer is None and question.may_be_unanswered:
                answer = Answer("abandoned", {}, through="nobody")
            at = self._instant()
            if answer is not None and (deadline is None or at < deadline):
                return {**body_of_answer(answer), "at": at, "checked": True}
        if deadline is not None and self._instant() >= deadline:
            return {"ending": "timed_out", "value": {}, "at": deadline, "checked": True}
        return None

    def _fitting(self, name: str, given: JsonObject, check: CheckAnswer) -> Answer | None:
        """Return a given answer with its value as the core keeps it; one that does not fit is void."""
        if given["ending"] != "answered" or given.get("checked"):
            return answer_from(given)
        checked = check(given["value"], given.get("language", "en"))
        if checked.value is not None:
            return answer_from({**given, "value": checked.value})
        reason = {"code": checked.code, "facts": dict(checked.facts)}
        self._journal.refuse_answer(name, reason)
        self._record.ride(name, "trace", {"note": "answer-refused", "question": name, **reason})
        return None


def body_of_answer(answer: Answer) -> JsonObject:
    """Return an answer as it is recorded."""
    return {
        "ending": answer.ending,
        "value": answer.value,
        "who": answer.who,
        "at": answer.at,
        "through": answer.through,
        "claimed": answer.claimed,
        "saw_digest": answer.saw_digest,
    }


def answer_from(body: JsonObject) -> Answer:
    """Return an answer that was recorded."""
    return Answer(
        ending=body["ending"],
        value=body.get("value") or {},
        who=body.get("who", ""),
        at=body.get("at", ""),
        through=body.get("through", ""),
        claimed=body.get("claimed", False),
        saw_digest=body.get("saw_digest", False),
    )
