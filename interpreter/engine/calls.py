"""The tool call: permission, budget, attempts, judges, and what an unknown write turns out to be.

The road of one call: arguments are evaluated once; a write finds its permission; then attempts follow one another until
one is accepted or nothing may be repeated. `retry` and `repair` are the only repeaters. An attempt of a write whose
outcome is unknown is never sent again: `verify_with` decides, and where it cannot, a person.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from interpreter.engine.data import Names
from interpreter.engine.frame import Condition, Evaluate, Frame
from interpreter.engine.permissions import Entry, Refused
from interpreter.engine.program import ContractPlan, Where
from interpreter.engine.steps import ItemFailed, Signal, Step, bind
from interpreter.ports import JsonObject, Outcome, Question, Request
from rules.keyed import cannot
from rules.values import ABSENT, CannotEvaluate, canonical_json, digest

if TYPE_CHECKING:
    from interpreter.engine.walks import Walk

#: How long a followed task is waited for when its contract does not say.
FOLLOW_EVERY = 2.0
FOLLOW_AT_MOST = 30


class RetryPlan(NamedTuple):
    errors: frozenset[str]
    at_most: Evaluate
    wait: Evaluate | None
    factor: Evaluate | None


class JudgePlan(NamedTuple):
    rule: str
    that: Condition
    variable: str | None
    rows: Evaluate | None
    at: Evaluate | None
    message: Evaluate | None
    details: Evaluate | None


class RepairPlan(NamedTuple):
    errors: frozenset[str]
    at_most: Evaluate
    add: tuple[tuple[str, Evaluate], ...]


class Call(Step):
    """One tool call, or a walk over all pages."""

    __slots__ = (
        "accept", "arguments", "binds", "by", "needs", "once_per_run", "otherwise", "outcome", "pool", "repair",
        "retry", "timeout", "tools", "walk",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        *,
        by: Evaluate | None,
        tools: dict[str, str],
        arguments: Evaluate,
        binds: str | None,
        outcome: str | None,
        otherwise: Evaluate | None,
        needs: str | None,
        retry: RetryPlan | None,
        accept: tuple[JudgePlan, ...],
        repair: RepairPlan | None,
        pool: str | None,
        once_per_run: bool,
        timeout: Evaluate | None,
        walk: Walk | None,
    ):
        super().__init__(name, when, where)
        self.by = by
        self.tools = tools
        self.arguments = arguments
        self.binds = binds
        self.outcome = outcome
        self.otherwise = otherwise
        self.needs = needs
        self.retry = retry
        self.accept = accept
        self.repair = repair
        self.pool = pool
        self.once_per_run = once_per_run
        self.timeout = timeout
        self.walk = walk
        self.effectful = True

    def skip(self, frame: Frame) -> None:
        self._name_otherwise(frame)

    def _name_otherwise(self, frame: Frame) -> None:
        if self.otherwise is not None and self.binds is not None:
            bind(frame.names, self.binds, self.otherwise(frame.names))

    async def perform(self, frame: Frame) -> Signal:
        if self.walk is not None:
            return await self.walk.perform(self, frame)
        contract = self.contract(frame)
        key = f"{frame.key}/{self.name}"
        arguments = self.full_arguments(frame, contract)
        stops = 0
        taken = 0
        while True:
            outcome = await make(self, frame, contract, key, arguments, taken=taken)
            taken += len(outcome["attempts"])
            if self.outcome is not None:
                if not outcome["ok"]:
                    frame.core.failed(frame, self, outcome["error"], contract.name)
                frame.names[self.outcome] = outcome
                return None
            if outcome["status"] == "success":
                if self.binds is not None:
                    frame.names[self.binds] = outcome["value"]
                return None
            error = outcome.get("error") or {"code": "still_pending", "kind": "timed_out", "message": ""}
            if self.otherwise is not None or frame.catching:
                frame.core.failed(frame, self, error, contract.name)
                if self.otherwise is None:
                    raise ItemFailed(error, self.where)
                self._name_otherwise(frame)
                return None
            stops += 1
            await block_on_error(self, frame, f"{key}/stop{stops}", contract, error)

    def contract(self, frame: Frame) -> ContractPlan:
        program = frame.core.program
        if self.by is None:
            name = next(iter(self.tools.values()))
        else:
            chosen = self.by(frame.names)
            found = self.tools.get(chosen) if isinstance(chosen, str) else None
            if found is None:
                raise cannot("no-tool-for-value", found=chosen)
            name = found
        frame.core.check_allowed(frame, self, name)
        return program.contracts[name]

    def full_arguments(self, frame: Frame, contract: ContractPlan) -> JsonObject:
        arguments = self.arguments(frame.names)
        if not isinstance(arguments, dict):
            raise cannot("arguments-not-a-mapping", found=arguments)
        return with_every_call(frame, contract, arguments)


def with_every_call(frame: Frame, contract: ContractPlan, arguments: JsonObject) -> JsonObject:
    """Return arguments with those that `every_call` adds where the tool takes them."""
    program = frame.core.program
    added = {}
    for name, value in program.every_call:
        if name not in arguments and (contract.takes is None or name in contract.takes):
            found = value(frame.names)
            if found is not ABSENT:
                added[name] = found
    return {**arguments, **added} if added else arguments


async def make(
    step: Call,
    frame: Frame,
    contract: ContractPlan,
    key: str,
    arguments: JsonObject,
    *,
    taken: int = 0,
    judge: Callable[[Any], JsonObject | None] | None = None,
) -> JsonObject:
    """Make one call with all its attempts and return its outcome as data.

    Shapes: `{ok, status, value?, error?, attempts, at, sent}`; absent parts are left out. `taken` is how many attempts
    the same call has made before it was resumed.
    """
    core = frame.core
    problem = contract.check_input(_without_references(arguments))
    if problem is not None:
        error = contract.error("invalid_arguments", problem, "invalid", happened="never")
        return _ended([], {"ok": False, "error": error, "sent": arguments})
    entry: Entry | None = None
    send = arguments
    if contract.effect != "read":
        entry, send = permitted(step, frame, contract, arguments)
        if entry is not None and entry.spent and taken == 0:
            while entry.outcome is None:
                await core.run.turn()
            return entry.outcome
        if send is ABSENT:
            error = contract.error(
                "not_sent", "what this call refers to was not made", "refused", happened="never"
            )
            return _ended([], {"ok": False, "error": error, "sent": arguments})
    if step.once_per_run:
        known = core.once.get((contract.name, canonical_json(send)))
        if known is not None:
            return known
    if entry is not None:
        entry.spent = True
    outcome = await _attempts(step, frame, contract, key, send, taken, judge)
    if entry is not None:
        entry.outcome = outcome
    if step.once_per_run and outcome["ok"]:
        core.once[(contract.name, canonical_json(send))] = outcome
    return outcome


def permitted(
    step: Call, frame: Frame, contract: ContractPlan, arguments: JsonObject
) -> tuple[Entry | None, Any]:
    """Return the entry that permits a write and the arguments to send; a write without one is a violated guarantee."""
    core = frame.core
    if step.needs is None:
        if core.program.writes_without_confirmation is None:
            core.violated("run/write-without-confirmation", step, {"tool": contract.name})
        return None, arguments
    shown = core.shown_now(step.needs, frame)
    found = core.permissions.find(step.needs, contract.name, arguments, shown)
    if isinstance(found, Refused):
        core.violated(found.code, step, found.facts)
        raise AssertionError
    return found, core.permissions.filled_in(step.needs, arguments)


async def _attempts(
    step: Call,
    frame: Frame,
    contract: ContractPlan,
    key: str,
    arguments: JsonObject,
    taken: int,
    judge: Callable[[Any], JsonObject | None] | None,
) -> JsonObject:
    core = frame.core
    identity = hashlib.sha256(f"{core.run_id}\0{key}".encode()).hexdigest()
    attempts: list[JsonObject] = []
    retries = repairs = 1
    send = arguments
    first_failure: JsonObject | None = None
    while True:
        number = taken + len(attempts) + 1
        attempt_key = f"{key}/a{number}"
        refused = await _reserve(step, frame, contract, attempt_key)
        if refused is not None:
            outcome: Outcome = {"ok": False, "error": refused, "sent": send}
            if first_failure is not None:
                return _ended(attempts, first_failure)
            attempts.append(_attempt_record(number, outcome))
            return _ended(attempts, outcome)
        outcome = await _one(step, frame, contract, attempt_key, identity, send)
        outcome = _judged(step, frame, contract, outcome, judge)
        attempts.append(_attempt_record(number, outcome))
        if outcome["ok"]:
            if outcome.get("status") == "pending" and contract.follow is not None and step.outcome is None:
                outcome = await _follow(frame, contract, key, outcome)
            return _ended(attempts, outcome)
        error = outcome["error"]
        if contract.effect != "read" and error.get("happened") == "perhaps" and not contract.idempotent:
            return _ended(attempts, outcome)
        if _repeats(step.repair, error) and repairs < step.repair.at_most(frame.names):  # type: ignore[union-attr]
            repairs += 1
            first_failure = outcome
            send = {**arguments, **_feedback(step, frame, error)}
            attempts[-1]["added"] = {name: send[name] for name, _ in step.repair.add if name in send}  # type: ignore[union-attr]
            continue
        if _repeats(step.retry, error) and retries < step.retry.at_most(frame.names):  # type: ignore[union-attr]
            pause = _pause(step, frame, retries, error)
            if pause is not None:
                retries += 1
                if pause > 0:
                    await core.run.sleep(f"{attempt_key}/pause", pause)
                continue
        return _ended(attempts, outcome)


async def _one(
    step: Call, frame: Frame, contract: ContractPlan, key: str, identity: str, arguments: JsonObject
) -> Outcome:
    """Make one attempt; an unknown outcome of a write is settled before anybody sees it."""
    core = frame.core
    core.about_to_call(frame, contract)
    timeout = step.timeout(frame.names) if step.timeout is not None else contract.timeout
    request = Request(
        tool=contract.name,
        arguments=arguments,
        effect=contract.effect,
        identity=identity,
        idempotent=contract.idempotent,
        timeout=timeout,
        pool=step.pool,
        pool_size=core.pool_size(step.pool, frame),
        exclusive=contract.one_at_a_time,
        digest=digest(arguments),
    )
    outcome = await core.run.step(key, request)
    outcome = {**outcome, "sent": arguments}
    if not outcome["ok"]:
        error = outcome["error"]
        if contract.effect != "read" and error.get("happened") == "perhaps" and not contract.idempotent:
            outcome = await _settled(step, frame, contract, key, arguments, outcome)
    return outcome


async def _settled(
    step: Call, frame: Frame, contract: ContractPlan, key: str, sent: JsonObject, outcome: Outcome
) -> Outcome:
    """Find out whether an unknown write happened: by a look-up, else by asking a person; until somebody knows."""
    rounds = 0
    while True:
        rounds += 1
        verdict = await _look_up(frame, contract, f"{key}/verify{rounds}", sent)
        if verdict == "cannot_tell":
            verdict = await _ask_whether(frame, contract, f"{key}/verify{rounds}", sent, outcome)
        if verdict == "happened":
            return {"ok": True, "value": {}, "at": outcome.get("at"), "sent": sent, "found_out": True}
        if verdict == "did_not":
            return {**outcome, "error": {**outcome["error"], "happened": "never"}}
        await frame.core.block_at(
            frame, f"{key}/unknown{rounds}", step, "run/write-unknown", tool=contract.name
        )


async def _look_up(frame: Frame, contract: ContractPlan, key: str, sent: JsonObject) -> str:
    plan = contract.lookup
    if plan is None:
        return "cannot_tell"
    core = frame.core
    reader = core.program.contracts[plan.tool]
    names: Names = {"sent": sent, "": frame.names[""]}
    arguments = with_every_call(frame, reader, plan.arguments(names))
    items: list[Any] = []
    token: Any = ABSENT
    for page in range(1, 1001):
        send = arguments if token is ABSENT else {**arguments, reader.paging.token_in: token}  # type: ignore[union-attr]
        request = Request(
            tool=reader.name,
            arguments=send,
            effect="read",
            identity="",
            timeout=reader.timeout,
            digest=digest(send),
        )
        outcome = await core.run.step(f"{key}/p{page}", request)
        if not outcome["ok"]:
            names["found"] = {"error": outcome["error"]}
            break
        names["found"] = outcome["value"]
        if reader.paging is None:
            break
        items += outcome["value"].get(reader.paging.items, [])
        token = outcome["value"].get(reader.paging.token_out, ABSENT)
        if not outcome["value"].get(reader.paging.more, False) or token in (ABSENT, "", None):
            break
    names["items"] = items
    for verdict, condition in (("happened", plan.happened), ("did_not", plan.did_not)):
        try:
            if condition is not None and condition(names):
                return verdict
        except CannotEvaluate:
            continue
    return "cannot_tell"


async def _ask_whether(
    frame: Frame, contract: ContractPlan, key: str, sent: JsonObject, outcome: Outcome
) -> str:
    core = frame.core
    number = core.next_visit("unknown_write")
    question = Question(
        name="unknown_write",
        visit=number,
        kind="unknown_write",
        text={
            "code": "run/ask-unknown-write",
            "facts": {"tool": contract.name, "error": outcome["error"]["code"]},
        },
        shown=sent,
        digest=digest(sent),
        choices=tuple({"id": name, "confirms": False} for name in ("happened", "did_not", "stop")),
    )
    answer = await core.run.wait(f"{key}/unknown_write#{number}", question, core.plain_choice(question))
    return str(answer.value.get("choice", "stop"))


def _judged(
    step: Call,
    frame: Frame,
    contract: ContractPlan,
    outcome: Outcome,
    judge: Callable[[Any], JsonObject | None] | None,
) -> Outcome:
    """Say what an answer means: done, not done, not done yet, or not acceptable."""
    if not outcome["ok"]:
        return {**outcome, "status": "failed"}
    value = outcome["value"]
    names: Names = {"answer": value, "sent": outcome["sent"], "": frame.names[""]}
    if not outcome.get("found_out"):
        if contract.failed is not None and contract.failed(names):
            error = contract.error("reported_failure", "the tool says that it was not done", happened="never")
            return {**outcome, "ok": False, "status": "failed", "error": error}
        if contract.pending is not None and contract.pending(names):
            return {**outcome, "status": "pending"}
        error_of_page = judge(value) if judge is not None else None
        if error_of_page is not None:
            return {**outcome, "ok": False, "status": "failed", "error": error_of_page}
        findings = _findings(step, frame, value)
        if findings:
            error = contract.error(
                findings[0]["rule"], "the answer was not accepted", "invalid", happened="never"
            )
            return {**outcome, "ok": False, "status": "failed", "error": {**error, "findings": findings}}
    return {**outcome, "status": "success"}


def _findings(step: Call, frame: Frame, value: Any) -> list[JsonObject]:
    findings: list[JsonObject] = []
    if not step.accept:
        return findings
    names = {**frame.names, "answer": value}
    if step.binds is not None:
        names[step.binds] = value
    for judge in step.accept:
        rows = judge.rows(names) if judge.rows is not None else [ABSENT]
        for row in rows:
            if judge.variable is not None:
                names[judge.variable] = row
            if judge.that(names):
                continue
            finding: JsonObject = {"rule": judge.rule}
            for name, part in (("at", judge.at), ("message", judge.message), ("details", judge.details)):
                if part is not None:
                    finding[name] = part(names)
            findings.append(finding)
        if judge.variable is not None:
            names.pop(judge.variable, None)
    return findings


def _feedback(step: Call, frame: Frame, error: JsonObject) -> JsonObject:
    names = {**frame.names, "findings": error.get("findings", [_as_finding(error)]), "error": error}
    assert step.repair is not None
    return {name: value for name, part in step.repair.add if (value := part(names)) is not ABSENT}


def _as_finding(error: JsonObject) -> JsonObject:
    return {"rule": error["code"], "at": "", "message": error["message"]}


async def _reserve(step: Call, frame: Frame, contract: ContractPlan, key: str) -> JsonObject | None:
    """Take a place in every budget that counts this call; returns the error of a spent one.

    At once with others, which item meets the end of a budget may depend on timing, so the decision is recorded there.
    """
    core = frame.core
    stops = 0
    while core.budgets.limits(contract.name):
        spent = core.budgets.spent(contract.name, frame.names)
        if frame.at_once:
            name = core.run.record(f"{key}/budget", spent.name if spent is not None else "")
            spent = next((plan for plan in core.program.budgets if plan.name == name), None)
        if spent is None:
            break
        if spent.when_spent == "fail":
            return contract.error("budget_spent", spent.name, "budget", happened="never", kind_of="budget")
        stops += 1
        await core.block_at(frame, f"{key}/budget{stops}", step, "run/budget-spent", budget=spent.name)
    return None


def _repeats(plan: RetryPlan | RepairPlan | None, error: JsonObject) -> bool:
    return plan is not None and (error["kind"] in plan.errors or error["code"] in plan.errors)


def _pause(step: Call, frame: Frame, retries: int, error: JsonObject) -> float | None:
    """Return how long to wait before the next attempt, in seconds; None when it would be longer than is sensible."""
    assert step.retry is not None
    wait = step.retry.wait(frame.names) if step.retry.wait is not None else 0.0
    factor = step.retry.factor(frame.names) if step.retry.factor is not None else 1
    pause = float(wait) * float(factor) ** (retries - 1)
    asked = error.get("retry_after")
    if asked is None:
        return pause
    if float(asked) > max(60.0, pause):
        return None
    return max(pause, float(asked))


async def _follow(frame: Frame, contract: ContractPlan, key: str, outcome: Outcome) -> Outcome:
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
        request = Request(
            tool=reader.name,
            arguments=arguments,
            effect="read",
            identity="",
            timeout=reader.timeout,
            digest=digest(arguments),
        )
        seen = await core.run.step(f"{key}/f{number}", request)
        if not seen["ok"]:
            continue
        value = {**outcome["value"], **seen["value"]}
        asked: Names = {"answer": value, "sent": outcome["sent"], "": frame.names[""]}
        if reader.failed is not None and reader.failed({**asked, "answer": seen["value"]}):
            error = contract.error("reported_failure", "the task failed", happened="never")
            return {**outcome, "ok": False, "status": "failed", "error": error, "value": value}
        if reader.pending is not None and reader.pending({**asked, "answer": seen["value"]}):
            continue
        return {**outcome, "status": "success", "value": value}
    return outcome


async def block_on_error(
    step: Step, frame: Frame, key: str, contract: ContractPlan, error: JsonObject
) -> JsonObject:
    return await frame.core.block_at(
        frame,
        key,
        step,
        "run/call-failed",
        tool=contract.name,
        error_code=error["code"],
        error_kind=error["kind"],
        error_message=error.get("message", ""),
    )


def _attempt_record(number: int, outcome: Outcome) -> JsonObject:
    kept: JsonObject = {"number": number, "sent": outcome["sent"]}
    for name in ("value", "error", "at"):
        if name in outcome:
            kept["answer" if name == "value" else name] = outcome[name]
    findings = outcome.get("error", {}).get("findings") if not outcome["ok"] else None
    if findings:
        kept["findings"] = findings
    return kept


def _ended(attempts: list[JsonObject], outcome: Outcome) -> JsonObject:
    ok = bool(outcome["ok"])
    result: JsonObject = {
        "ok": ok,
        "status": outcome.get("status", "success" if ok else "failed"),
        "attempts": attempts,
        "sent": outcome["sent"],
    }
    for name in ("value", "error", "at"):
        if outcome.get(name) is not None:
            result[name] = outcome[name]
    if ok and "error" in result:
        del result["error"]
    return result


def _without_references(value: Any) -> Any:
    """Return arguments in which what is filled in later looks like a text, so that the rest can be checked."""
    if isinstance(value, dict):
        if set(value) == {"made_by", "field"}:
            return "-"
        return {name: _without_references(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without_references(inner) for inner in value]
    return value


__all__ = ["Call", "JudgePlan", "RepairPlan", "RetryPlan", "make"]
