"""What became of a write that nobody knows about, and of one that is still under way.

An unknown write is never sent again before it is known that it did not happen: `verify_with` decides, and where it
cannot, a person. A task that was begun is asked after until it ended.
"""

from __future__ import annotations

from typing import Any

from interpreter.engine.data import Names
from interpreter.engine.frame import Condition, Frame
from interpreter.engine.problems import TASK_FAILED, told_of_failure
from interpreter.engine.program import ContractPlan, LookupPlan
from interpreter.engine.steps import Step
from interpreter.ports import Cancelled, JsonObject, Outcome, Question, Request
from interpreter.safety.masking import Marks, masked_by
from rules.values import ABSENT, CannotEvaluate, digest

#: How long a followed task is waited for. Units: seconds between two looks.
FOLLOW_EVERY = 2.0
FOLLOW_AT_MOST = 30
#: A look-up reads so many pages and no more.
LOOK_UP_PAGES = 1000
#: What a person may say of a write that nobody knows about, and what it leads to.
_TRUTHS = {
    "happened": {
        "zh": "已经写入：不再发送，算作完成",
        "en": "the write is there: it is not sent again and counts as done",
    },
    "did_not": {
        "zh": "没有写入：算作失败，流程可能再发送一次",
        "en": "it is not there: it counts as failed, and the workflow may send it again",
    },
    "stop": {
        "zh": "还不清楚：先停下，继续运行时再查一次",
        "en": "nobody knows yet: stop here; when the run is resumed it is looked up again",
    },
}


def with_every_call(frame: Frame, contract: ContractPlan, arguments: JsonObject) -> JsonObject:
    """Return arguments with those that `every_call` adds where the tool takes them."""
    every_call = frame.core.program.every_call
    if not every_call:
        return arguments
    added = {}
    for name, value in every_call:
        if name not in arguments and (contract.takes is None or name in contract.takes):
            found = value(frame.names)
            if found is not ABSENT:
                added[name] = found
    return {**arguments, **added} if added else arguments


async def settled(
    step: Step, frame: Frame, contract: ContractPlan, key: str, outcome: Outcome, sent_marks: Marks
) -> Outcome:
    """Find out whether an unknown write happened; goes on until somebody knows.

    A cancel does not stop this: what was begun is looked up first, and the cancel takes effect after the workflow has
    noted what came of it. Nobody is asked any more then; where the look-up cannot tell, it notes that nobody knows.
    """
    sent = outcome["sent"]
    # What is not there yet may still come, where the program that was started is known to be at work.
    may_come = bool(outcome["error"].get("details", {}).get("still_at_work"))
    stopped: Cancelled | None = None
    rounds = 0
    while True:
        rounds += 1
        names: Names = {"sent": sent, "": frame.names[""]}
        try:
            verdict = await _look_up(frame, contract, f"{key}/verify{rounds}", names)
            if verdict == "did_not" and may_come:
                verdict = "cannot_tell"
            if verdict == "cannot_tell" and stopped is None:
                asked = f"{key}/verify{rounds}"
                verdict = await _ask_whether(step, frame, contract, asked, outcome, sent_marks, _unread(names))
        except Cancelled as stop:
            if stopped is not None:
                raise
            stopped = stop
            continue
        if stopped is not None:
            frame.core.run.put_off(stopped)
        if verdict == "happened":
            value = _given(contract, names)
            return {"ok": True, "value": value, "at": outcome.get("at"), "sent": sent, "found_out": True}
        if verdict == "did_not":
            return {**outcome, "error": {**outcome["error"], "happened": "never"}}
        if stopped is not None:
            return outcome
        await frame.core.block_at(f"{key}/unknown{rounds}", step, "run/write-unknown", tool=contract.name)


async def _look_up(frame: Frame, contract: ContractPlan, key: str, names: Names) -> str:
    plan = contract.lookup
    if plan is None:
        return "cannot_tell"
    is_whole = await _read_all(frame, plan, key, names)
    if _holds(plan.happened, names):
        return "happened"
    if not is_whole:
        # What was not read may be there: only what the last answer itself says counts now.
        names.pop("items", None)
    return "did_not" if _holds(plan.did_not, names) else "cannot_tell"


def _given(contract: ContractPlan, names: Names) -> JsonObject:
    """Return the answer that the look-up stands for; empty where the contract names none, or none that fits."""
    give = contract.lookup.give if contract.lookup is not None else None
    if give is None:
        return {}
    try:
        value = give(names)
    except CannotEvaluate:
        return {}
    return contract.prune(value) if isinstance(value, dict) and contract.check_answer(value) is None else {}


async def _read_all(frame: Frame, plan: LookupPlan, key: str, names: Names) -> bool:
    """Read all pages of a look-up into `found` (the last answer) and `items`; returns whether that was all there is."""
    reader = frame.core.program.contracts[plan.tool]
    arguments = with_every_call(frame, reader, plan.arguments(names))
    items: list[Any] = []
    names["items"] = items
    send = arguments
    seen: list[Any] = []
    for page in range(1, LOOK_UP_PAGES + 1):
        outcome = await frame.core.run.step(f"{key}/p{page}", _read(reader, send))
        if not outcome["ok"]:
            names["found"] = {"error": outcome["error"]}
            return False
        answer = names["found"] = outcome["value"]
        if reader.paging is None:
            return True
        items += answer.get(reader.paging.items, [])
        if not answer.get(reader.paging.more, False):
            return True
        token = answer.get(reader.paging.token_out)
        if token in (None, "") or token in seen:
            return False
        seen.append(token)
        send = {**arguments, reader.paging.token_in: token}
    return False


def _holds(condition: Condition | None, names: Names) -> bool:
    """Say whether a condition holds; one that could not be evaluated tells nothing."""
    try:
        return condition is not None and condition(names)
    except CannotEvaluate:
        return False


def _read(reader: ContractPlan, arguments: JsonObject) -> Request:
    return Request(
        tool=reader.name,
        arguments=arguments,
        effect="read",
        identity="",
        timeout=reader.timeout,
        digest=digest(arguments),
    )


def _unread(names: Names) -> JsonObject | None:
    """Return the error of a look-up that failed itself."""
    found = names.get("found")
    error = found.get("error") if isinstance(found, dict) and set(found) == {"error"} else None
    return error if isinstance(error, dict) and "happened" in error else None


async def _ask_whether(
    step: Step,
    frame: Frame,
    contract: ContractPlan,
    key: str,
    outcome: Outcome,
    sent_marks: Marks,
    unread: JsonObject | None,
) -> str:
    core, sent = frame.core, outcome["sent"]
    # At once with others, which of them asks first depends on timing; each has a question of its own.
    name = f"unknown_write.{digest(key)[:8]}" if frame.at_once else "unknown_write"
    visit = core.next_visit(name)
    question = Question(
        name=name,
        visit=visit,
        kind="unknown_write",
        text=_text_of(contract, outcome["error"], unread),
        shown=sent,
        digest=digest({"asked": [core.run_id, name, visit], "sent": sent}),
        choices=tuple({"id": choice, "label": label, "confirms": False} for choice, label in _TRUTHS.items()),
        writes=True,  # what is said here decides whether the write is made
        masked=masked_by(shown=sent_marks),
    )
    answer = await core.run.wait(f"{key}/{name}#{visit}", question, core.plain_choice(question))
    core.check_through(step, question, answer)
    return str(answer.value.get("choice", "stop"))


def _text_of(contract: ContractPlan, error: JsonObject, unread: JsonObject | None) -> JsonObject:
    facts: JsonObject = {"tool": contract.name, "error": error["code"], "told": told_of_failure(error)}
    if error.get("details", {}).get("still_at_work"):
        return {"code": "run/ask-write-at-work", "facts": facts}
    if unread is None or contract.lookup is None:
        return {"code": "run/ask-unknown-write", "facts": facts}
    looked = {"reader": contract.lookup.tool, "reader_error": unread["code"], "reader_told": told_of_failure(unread)}
    return {"code": "run/ask-write-not-looked-up", "facts": {**facts, **looked}}


async def followed(frame: Frame, contract: ContractPlan, key: str, outcome: Outcome) -> Outcome:
    """Ask again and again how a task that was started ends."""
    core = frame.core
    follow = contract.follow
    assert follow is not None
    reader = core.program.contracts[follow.tool]
    names: Names = {"answer": outcome["value"], "sent": outcome["sent"], "": frame.names[""]}
    arguments = with_every_call(frame, reader, follow.arguments(names))
    for number in range(1, FOLLOW_AT_MOST + 1):
        if number > 1:
            await core.run.sleep(f"{key}/f{number}/pause", FOLLOW_EVERY)
        seen = await core.run.step(f"{key}/f{number}", _read(reader, arguments))
        if not seen["ok"]:
            continue
        take_note_of(frame, reader, f"{key}/f{number}", seen, seen["value"])
        value = {**outcome["value"], **seen["value"]}
        asked: Names = {"answer": seen["value"], "sent": outcome["sent"], "": frame.names[""]}
        if reader.failed is not None and reader.failed(asked):
            error = contract.error("reported_failure", TASK_FAILED, happened="never")
            return {**outcome, "ok": False, "status": "failed", "error": error, "value": value}
        if reader.pending is not None and reader.pending(asked):
            continue
        return {**outcome, "status": "success", "value": value}
    return outcome


def take_note_of(frame: Frame, contract: ContractPlan, key: str, outcome: JsonObject, answer: Any) -> None:
    """Keep in mind what an answer holds of text that was really read, where the run admits evidence."""
    if frame.evidence is not None and contract.bodies is not None:
        frame.evidence.read(key, outcome.get("at") or "", answer, contract.bodies)


def without_references(value: Any) -> Any:
    """Return arguments in which what is filled in later looks like a text, so that the rest can be checked."""
    if isinstance(value, dict):
        if set(value) == {"made_by", "field"}:
            return "-"
        return {name: without_references(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [without_references(inner) for inner in value]
    return value
