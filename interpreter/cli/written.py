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
    asked: dict[str, _Permission] = {}
    confirmed: list[_Permission] = []
    by_key: dict[str, _Call] = {}
    for row in rows:
        if row.kind in ("question", "edited"):
            _void(asked.values(), row)
        if row.kind == "question" and row.body.get("permits"):
            asked[row.key] = _Permission(row.body, _calls(row.body["permits"]))
        elif row.kind == "answer" and row.key in asked and _confirms(asked[row.key].question, row.body):
            asked[row.key].is_confirmed = True
            confirmed.append(asked[row.key])
        elif row.kind == "intention":
            call = _begun(confirmed, row)
            if call is not None:
                call.key, call.result, call.error = row.key, "under_way" if is_walked else "unknown", ""
                by_key[row.key] = call
        elif row.kind == "outcome" and row.key in by_key:
            _take(by_key[row.key], "success" if row.body["ok"] else "failed", row.body.get("error") or {})
        elif row.kind == "answer" and row.body.get("question", "").startswith("unknown_write"):
            _take_told(by_key, row)
        elif row.kind == "trace" and row.body.get("note") == "write":
            call = _noted(confirmed, row.body)
            if call is not None:
                happened = {"code": row.body.get("error", ""), "happened": row.body.get("happened", "never")}
                _take(call, row.body["status"], happened)
    return list(asked.values())


def _void(asked: Iterable[_Permission], row: Row) -> None:
    for one in asked:
        if row.kind == "edited" or one.question["name"] == row.body["name"]:
            one.is_void = True


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


def _take(call: _Call, status: str, error: JsonObject) -> None:
    if status in ("success", "pending"):
        call.result, call.error = "done" if status == "success" else "pending", ""
    else:
        call.result = "unknown" if error.get("happened") == "perhaps" else "failed"
        call.error = str(error.get("code", "")) if call.result == "failed" else ""


def _take_told(by_key: dict[str, _Call], row: Row) -> None:
    """A person said whether a write happened that nobody knew about."""
    chosen = (row.body.get("value") or {}).get("choice")
    call = next((call for key, call in by_key.items() if row.key.startswith(f"{key}/verify")), None)
    if call is not None and chosen in ("happened", "did_not"):
        call.result, call.error = ("done", "") if chosen == "happened" else ("failed", "did_not")


def _begun(confirmed: list[_Permission], row: Row) -> _Call | None:
    tool, sent = row.body["tool"], row.body["sent"]
    for one in reversed(confirmed):
        fitting = [call for call in one.calls if call.tool == tool and _fits(call.arguments, sent)]
        # What is filled in later may make entries look alike: another attempt goes on with its own.
        same = next((call for call in fitting if call.key.rpartition("/")[0] == row.key.rpartition("/")[0]), None)
        if fitting:
            return same or next((call for call in fitting if not call.key), fitting[0])
    return None


def _noted(confirmed: list[_Permission], note: JsonObject) -> _Call | None:
    latest = next((one for one in reversed(confirmed) if one.question["name"] == note["question"]), None)
    calls = latest.calls if latest is not None else []
    return next((call for call in calls if note["entry"] in call.ids), None)


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
