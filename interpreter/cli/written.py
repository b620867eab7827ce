"""What became of the calls that a person permitted, as the journal tells it.

A question fixes the calls, its answer permits them, an intention begins one, an outcome or a note says how it ended. A
note is the engine's own verdict and comes last; where a process ended before it was written, the rows speak for
themselves. A question that is asked again voids what was not begun, and so does an edit of the documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from interpreter.ports import JsonObject, Row
from interpreter.safety.masking import masked_question
from rules.records import field, record
from rules.values import canonical_json


@record(frozen=False)
class _Call:
    """One permitted call. Shapes: `ids` of all entries that are this call; `key` of its latest attempt."""

    ids: list[str]
    tool: str
    arguments: Any
    result: str = "not_done"
    error: str = ""
    key: str = ""


@record(frozen=False)
class _Permission:
    """A question that permits calls, and what became of each of them."""

    question: JsonObject
    calls: list[_Call] = field(default_factory=list)
    is_confirmed: bool = False
    is_void: bool = False


def writes_of(rows: Iterable[Row], *, is_walked: bool = False) -> list[JsonObject]:
    """Return every permitted call of a run: `{question, id, tool, result, error?}`, in the order of their permits.

    Shapes: `result` is done, failed, pending, unknown, not_done, or under_way: begun and not ended, where a process
    still walks the run (`is_walked`).
    """
    return [
        entry
        for one in _permissions(rows, is_walked)
        if one.is_confirmed
        for entry in _entries(one)
        if entry["result"] != "not_done" or not one.is_void
    ]


def latest_plan(rows: Iterable[Row], *, is_walked: bool = False) -> tuple[JsonObject | None, list[JsonObject]]:
    """Return the latest question that permits calls, and what became of each of its entries, as `writes_of` does."""
    latest = next(reversed(_permissions(rows, is_walked)), None)
    if latest is None:
        return None, []
    entries = list(_entries(latest))
    if not latest.is_confirmed:
        entries = [{**entry, "result": "not_confirmed"} for entry in entries]
    return latest.question, entries


def _entries(permission: _Permission) -> Iterator[JsonObject]:
    by_id = {id: call for call in permission.calls for id in call.ids}
    # An id may be private; what is shown of it is what the question shows.
    shown = masked_question(permission.question)["permits"]
    for permit, visible in zip(permission.question["permits"], shown, strict=True):
        call = by_id[permit["id"]]
        entry = {"question": permission.question["name"], "id": visible["id"], "tool": call.tool, "result": call.result}
        yield entry | ({"error": call.error} if call.error else {})


def _permissions(rows: Iterable[Row], is_walked: bool) -> list[_Permission]:
    told = _Told(is_walked)
    for row in rows:
        told.take(row)
    return list(told.asked.values())


class _Told:
    """What the rows told so far, one after the other."""

    def __init__(self, is_walked: bool) -> None:
        self.asked: dict[str, _Permission] = {}
        self._confirmed: list[_Permission] = []
        self._begun: dict[str, _Call] = {}
        self._result_of_begun = "under_way" if is_walked else "unknown"

    def take(self, row: Row) -> None:
        match row.kind:
            case "question":
                self._asked(row)
            case "edited":
                for one in self.asked.values():
                    one.is_void = True
            case "answer":
                self._answered(row)
            case "intention":
                self._intended(row)
            case "outcome" if row.key in self._begun:
                status = "success" if row.body["ok"] else "failed"
                _end(self._begun[row.key], status, row.body.get("error") or {})
            case "trace" if row.body.get("note") == "write":
                self._noted(row.body)

    def _asked(self, row: Row) -> None:
        for one in self.asked.values():
            if one.question["name"] == row.body["name"]:
                one.is_void = True
        if row.body.get("permits"):
            self.asked[row.key] = _Permission(row.body, _calls(row.body["permits"]))

    def _answered(self, row: Row) -> None:
        permission = self.asked.get(row.key)
        if permission is not None and _confirms(permission.question, row.body):
            permission.is_confirmed = True
            self._confirmed.append(permission)
        elif row.body.get("question", "").startswith("unknown_write"):
            self._told_by_a_person(row)

    def _told_by_a_person(self, row: Row) -> None:
        """Take what a person said of a write of which nobody knew whether it happened."""
        chosen = (row.body.get("value") or {}).get("choice")
        call = next((call for key, call in self._begun.items() if row.key.startswith(f"{key}/verify")), None)
        if call is not None and chosen in ("happened", "did_not"):
            call.result, call.error = ("done", "") if chosen == "happened" else ("failed", "did_not")

    def _intended(self, row: Row) -> None:
        call = self._permitted(row)
        if call is not None:
            call.key, call.result, call.error = row.key, self._result_of_begun, ""
            self._begun[row.key] = call

    def _permitted(self, row: Row) -> _Call | None:
        """Return the call that an intention is about, of the latest answer that permits it."""
        tool, sent = row.body["tool"], row.body["sent"]
        for one in reversed(self._confirmed):
            fitting = [call for call in one.calls if call.tool == tool and _fits(call.arguments, sent)]
            # What is filled in later may make entries look alike: another attempt goes on with its own.
            same = next((call for call in fitting if call.key.rpartition("/")[0] == row.key.rpartition("/")[0]), None)
            if fitting:
                return same or next((call for call in fitting if not call.key), fitting[0])
        return None

    def _noted(self, note: JsonObject) -> None:
        latest = next((one for one in reversed(self._confirmed) if one.question["name"] == note["question"]), None)
        calls = latest.calls if latest is not None else []
        call = next((call for call in calls if note["entry"] in call.ids), None)
        if call is not None:
            _end(call, note["status"], {"code": note.get("error", ""), "happened": note.get("happened", "never")})


def _calls(permits: list[JsonObject]) -> list[_Call]:
    calls: dict[str, _Call] = {}
    for permit in permits:
        identity = canonical_json([permit["tool"], permit["with"]])
        calls.setdefault(identity, _Call([], permit["tool"], permit["with"])).ids.append(permit["id"])
    return list(calls.values())


def _confirms(question: JsonObject, answer: JsonObject) -> bool:
    chosen = (answer.get("value") or {}).get("choice")
    return answer.get("ending") == "answered" and any(
        choice["id"] == chosen and choice.get("confirms") for choice in question.get("choices") or ()
    )


def _end(call: _Call, status: str, error: JsonObject) -> None:
    if status in ("success", "pending"):
        call.result, call.error = "done" if status == "success" else "pending", ""
    else:
        call.result = "unknown" if error.get("happened") == "perhaps" else "failed"
        call.error = str(error.get("code", "")) if call.result == "failed" else ""


def _fits(permitted: Any, sent: Any) -> bool:
    """Say whether arguments were permitted: equal, but for what is filled in from another call."""
    if isinstance(permitted, dict):
        if set(permitted) == {"made_by", "field"}:
            return True
        same = isinstance(sent, dict) and set(permitted) == set(sent)
        return same and all(_fits(inner, sent[name]) for name, inner in permitted.items())
    if isinstance(permitted, list):
        same = isinstance(sent, list) and len(permitted) == len(sent)
        return same and all(_fits(inner, other) for inner, other in zip(permitted, sent, strict=True))
    return canonical_json(permitted) == canonical_json(sent)
