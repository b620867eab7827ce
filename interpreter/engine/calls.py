"""The tool call: permission, budget, attempts, and what an unknown write turns out to be.

The road of one call: arguments are evaluated once; a write finds its permission; then attempts follow one another until
one is accepted or nothing may be repeated. `retry` and `repair` are the only repeaters. A write whose outcome is
unknown is never sent again before it is known that it did not happen, neither by this call nor by an equal one
elsewhere in the run: `verify_with` decides, and where it cannot, a person. An attempt that the end of a process cut off
before it did anything is made anew: it was no failure.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from interpreter.diagnostics import Words
from interpreter.engine.budgets import is_limited, reserve
from interpreter.engine.frame import Condition, Evaluate, Frame
from interpreter.engine.judging import JudgePlan, judged, judgement, told_of
from interpreter.engine.made import Made, identity_of
from interpreter.engine.permissions import OTHERS_GO_ON, Entry, Refused
from interpreter.engine.problems import BUDGET_SPENT, CALL_WORDS, told_of_failure
from interpreter.engine.program import ContractPlan, Where
from interpreter.engine.settling import followed, settled, take_note_of, with_every_call, without_references
from interpreter.engine.steps import ItemFailed, Sequence, Signal, Step, bind, failure_of
from interpreter.ports import Cancelled, JsonObject, Outcome, Request
from interpreter.safety.masking import Marks
from rules.records import NamedTuple
from rules.values import ABSENT, cannot, digest

if TYPE_CHECKING:
    from interpreter.engine.walks import Walk

#: What a pending outcome becomes where a failure is wanted.
STILL_PENDING: JsonObject = {
    "code": "still_pending",
    "kind": "timed_out",
    "message": CALL_WORDS["still_pending"].en,
    "details": {"message": CALL_WORDS["still_pending"]._asdict()},
}


_NOT_MADE = Words("它所指的那次调用没有执行", "what this call refers to was not made")


class RetryPlan(NamedTuple):
    errors: frozenset[str]
    at_most: Evaluate
    wait: Evaluate | None
    factor: Evaluate | None


class RepairPlan(NamedTuple):
    errors: frozenset[str]
    at_most: Evaluate
    add: tuple[tuple[str, Evaluate], ...]


class SendPlan(NamedTuple):
    """What is sent, to which tool, and on what terms.

    Shapes: `by` chooses a tool by value, None where `tools` has only one; `needs` is the question that permits a write;
    `pool` bounds how many are under way; `marks` say what of the arguments is masked where it is shown.
    """

    by: Evaluate | None
    tools: dict[str, str]
    arguments: Evaluate
    needs: str | None
    pool: str | None
    timeout: Evaluate | None
    marks: Marks


class RepeatPlan(NamedTuple):
    """How often a call is made: anew after a failure, once for an equal input, once a page."""

    retry: RetryPlan | None
    repair: RepairPlan | None
    once_per_run: bool
    walk: Walk | None


class ResultPlan(NamedTuple):
    """Which answers are accepted, and what is kept of them.

    Shapes: `among` are the units that an answer may point at, by side; `binds` names the value, `outcome` the whole
    outcome, failures included; `otherwise` stands in for a value that is not there.
    """

    accept: tuple[JudgePlan, ...]
    among: tuple[tuple[str, Evaluate], ...] | None
    binds: str | None
    outcome: str | None
    otherwise: Evaluate | None


class Call(Step):
    """One tool call, or a walk over all pages."""

    __slots__ = (
        "accept", "among", "arguments", "binds", "by", "needs", "once_per_run", "only_tool", "otherwise", "outcome",
        "pool", "repair", "retry", "sent_marks", "timeout", "tools", "walk",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        *,
        send: SendPlan,
        repeat: RepeatPlan,
        result: ResultPlan,
    ):
        super().__init__(name, when, where)
        self.by, self.tools, self.arguments, self.needs, self.pool, self.timeout, self.sent_marks = send
        self.only_tool = next(iter(self.tools.values())) if self.by is None else ""
        self.retry, self.repair, self.once_per_run, self.walk = repeat
        self.accept, self.among, self.binds, self.outcome, self.otherwise = result
        self.effectful = True

    def inside(self) -> tuple[Sequence, ...]:
        return (self.walk.steps,) if self.walk is not None else ()

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
        outcome: JsonObject | None = None
        while True:
            outcome = await self.made(frame, contract, key, arguments, before=outcome, stops=stops)
            if self.outcome is not None:
                if not outcome["ok"]:
                    frame.add_failures([failure_of(frame, self, outcome["error"], contract.name)])
                frame.names[self.outcome] = outcome
                return None
            if outcome["status"] == "success":
                if self.binds is not None:
                    frame.names[self.binds] = outcome["value"]
                return None
            error = outcome.get("error") or STILL_PENDING
            if self.otherwise is not None or frame.catching:
                failure = failure_of(frame, self, error, contract.name)
                if self.otherwise is None:
                    raise ItemFailed(error, self.where, failure)
                frame.add_failures([failure])
                self._name_otherwise(frame)
                return None
            stops += 1
            await block_on_error(self, frame, f"{key}/stop{stops}", contract, error)

    def made(
        self,
        frame: Frame,
        contract: ContractPlan,
        key: str,
        arguments: JsonObject,
        *,
        before: JsonObject | None,
        stops: int,
        judge: Callable[[Any], JsonObject | None] | None = None,
    ) -> Awaitable[JsonObject]:
        """Return what came of the call, or of a page of it, with all attempts; whoever watches a call notes it here."""
        return make(self, frame, contract, key, arguments, before=before, stops=stops, judge=judge)

    def contract(self, frame: Frame) -> ContractPlan:
        program = frame.core.program
        name = self.only_tool
        if self.by is not None:
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


async def make(
    step: Call,
    frame: Frame,
    contract: ContractPlan,
    key: str,
    arguments: JsonObject,
    *,
    before: JsonObject | None = None,
    stops: int = 0,
    judge: Callable[[Any], JsonObject | None] | None = None,
) -> JsonObject:
    """Make one call with all its attempts and return its outcome as data.

    Shapes: `{ok, status, value?, error?, attempts, at, sent}`; absent parts are left out. `before` is how the same call
    ended before it was resumed, `stops` how often it was.
    """
    is_write = contract.effect != "read"
    is_permitted = is_write and step.needs is not None
    problem = contract.check_input(without_references(arguments) if is_permitted else arguments)
    if problem is not None:
        return _not_sent(contract, arguments, "invalid_arguments", _without_hidden(frame, problem), "invalid")
    entry, send = permitted(step, frame, contract, arguments) if is_write else (None, arguments)
    trail = _Trail(step, frame, contract, key, before, stops, judge)
    if entry is None and not step.once_per_run:
        if is_write:
            return await _made_by(trail, Made(is_write=True), send)
        return _read(frame, contract, trail.key, await trail.go(send))
    name = contract.name if step.among is None else f"{contract.name} {_offered(step, frame)}"
    made = entry.made if entry is not None else frame.core.made_once(name, send, is_write=is_write)
    if frame.at_once:
        found = await _found_here(trail, made, send)
        if found is not None:
            return found
        # Which of several equal calls comes first depends on timing; whoever it is, it is the same effect.
        identity = entry.identity if entry is not None else identity_of(name, send)
        trail.key = f"{frame.at_once}/once/{identity[:16]}"
        trail.unknown_writes = frame.unknown_writes.before_loop
    while made.in_flight:
        await OTHERS_GO_ON
    stop = made.stops(trail.key)
    if stop is not None:
        raise stop
    known = made.outcome
    if known is not None and _is_answered(known, made.key == trail.key, before, is_entry=entry is not None):
        _cite_again(step, frame, contract, known)
        if is_write and made.key == trail.key:
            frame.unknown_writes.note(contract.name, send, made, trail.unknown_writes.find(contract.name, send))
        return _read(frame, contract, made.key, known)
    problem = contract.check_input(send) if send is not ABSENT else _NOT_MADE
    if problem is not None:
        return _not_sent(contract, arguments, "not_sent", problem, "refused")
    outcome = await _made_by(trail, made, send)
    if entry is not None:
        _tell_of_write(frame, f"{frame.core.question_prefix}{step.needs}", entry, outcome)
    return _read(frame, contract, trail.key, outcome)


def _offered(step: Call, frame: Frame) -> str:
    """Return what stands for the units that an answer may point at: others make another call of the same input."""
    assert step.among is not None
    return digest({side: units(frame.names) for side, units in step.among})


def _cite_again(step: Call, frame: Frame, contract: ContractPlan, outcome: JsonObject) -> None:
    """Take note of the citations of an answer that an equal call got; that one may have been made at the same time."""
    if outcome["ok"] and step.among is not None and outcome["attempts"]:
        found = judgement(step, frame, contract, outcome["attempts"][-1].get("answer"), [])
        for citation, admitted in found.cited:
            frame.evidence.cite(citation, admitted)


def _read(frame: Frame, contract: ContractPlan, key: str, outcome: JsonObject) -> JsonObject:
    """Return an outcome; what was really read in it may become evidence where it was accepted."""
    if outcome["ok"] and contract.bodies is not None and contract.effect == "read" and outcome["attempts"]:
        last = outcome["attempts"][-1]
        take_note_of(frame, contract, f"{key}/a{last['number']}", outcome, last.get("answer"))
    return outcome


def _is_answered(known: JsonObject, is_own: bool, before: JsonObject | None, *, is_entry: bool) -> bool:
    """Say whether what is known of a call answers an equal one.

    Only the call that made it may go on with it when it is resumed, and only from where it stands. An entry is spent
    whatever came of it; a call that is made once for the same input is made again after a failure elsewhere.
    """
    if is_own:
        return before is None or len(known["attempts"]) > len(before["attempts"])
    return is_entry or bool(known["ok"])


def _tell_of_write(frame: Frame, question: str, entry: Entry, outcome: JsonObject) -> None:
    """Note what came of a permitted call, for people who ask later: what was answered is not the whole of it."""
    body: JsonObject = {"note": "write", "question": question, "entry": entry.id, "status": outcome["status"]}
    error = outcome.get("error")
    if error is not None:
        body |= {"error": error["code"], "happened": error.get("happened", "never")}
    frame.core.run.note(body)


async def _made_by(trail: _Trail, made: Made, send: JsonObject) -> JsonObject:
    """Make a call that is not made blindly again; what became of it is kept also where it is cancelled in the middle.

    It goes on from the same write where that was left unknown, whoever made it.
    """
    tool, is_write = trail.contract.name, made.is_write
    earlier = trail.unknown_writes.find(tool, send) if is_write else None
    if earlier is None and made.is_unknown:
        earlier = made
    if earlier is not None:
        trail.go_on_from(earlier, send)
    before, made.key, made.in_flight, made.stopped = made.key, trail.key, True, None
    trail.first_key = made.first_key = trail.first_key or made.first_key or trail.key
    outcome: JsonObject | None = None
    try:
        outcome = made.outcome = await trail.go(send)
    except BaseException as stop:
        made.stopped = stop
        if isinstance(stop, Cancelled):
            if trail.last is not None:
                outcome = made.outcome = trail.so_far(trail.last)
            elif made.outcome is None:
                made.key = before
        raise
    finally:
        made.in_flight = False
        if is_write and outcome is not None:
            trail.frame.unknown_writes.note(tool, send, made, earlier)
    return outcome


async def _found_here(trail: _Trail, made: Made, send: Any) -> JsonObject | None:
    """Look up what a body left unknown itself before it takes part in a call that is made once for several at once.

    Returns what came of it, None where it may be sent.
    """
    writes, tool = trail.frame.unknown_writes, trail.contract.name
    left = writes.find(tool, send) if made.is_write and send is not ABSENT else None
    if left is None or left.outcome is None or left is made or left is writes.before_loop.find(tool, send):
        return None
    found = await trail.settled(f"{trail.key}/left{trail.stops}", left.outcome)
    outcome = _ended(left.outcome["attempts"], found)
    writes.note(tool, send, Made(is_write=True, first_key=left.first_key, outcome=outcome), left)
    return outcome if outcome["ok"] else None


def _not_sent(contract: ContractPlan, arguments: JsonObject, code: str, problem: Words, kind: str) -> JsonObject:
    error = contract.error(code, problem, kind, happened="never")
    return _ended([], {"ok": False, "error": error, "sent": arguments})


def permitted(step: Call, frame: Frame, contract: ContractPlan, arguments: JsonObject) -> tuple[Entry | None, Any]:
    """Return the entry that permits a write and the arguments to send; a write without one is a violated guarantee."""
    core = frame.core
    if step.needs is None:
        if not core.asks_nobody(contract.name):
            core.violated("run/write-without-confirmation", step, {"tool": contract.name})
        return None, arguments
    shown = core.shown_digest(step.needs, frame)
    found = core.permissions.find(step.needs, contract.name, arguments, shown)
    if isinstance(found, Refused):
        core.violated(found.code, step, found.facts)
        raise AssertionError
    return found, core.permissions.filled_in(step.needs, arguments)


class _Trail:
    """The attempts of one call, one after another.

    Shapes: `last` is the outcome of the last one, None before there was any; `known` is how many were looked up and
    did not happen; `unknown_writes` are those that this call must not repeat.
    """

    def __init__(
        self,
        step: Call,
        frame: Frame,
        contract: ContractPlan,
        key: str,
        before: JsonObject | None,
        stops: int,
        judge: Callable[[Any], JsonObject | None] | None,
    ) -> None:
        self.step = step
        self.frame = frame
        self.contract = contract
        self.key = key
        self.first_key = ""
        self.unknown_writes = frame.unknown_writes
        self.before = before
        self.stops = stops
        self.judge = judge
        self.attempts: list[JsonObject] = list(before["attempts"]) if before is not None else []
        self.known = 0
        self.last: Outcome | None = None

    def go_on_from(self, made: Made, send: JsonObject) -> None:
        """Begin with what an equal call came to of which nobody knows whether it happened.

        Sent as it was it goes by the same identity; a write that was repaired has to be looked up as it was sent.
        """
        assert made.outcome is not None
        is_as_sent = made.outcome["sent"] == send
        if is_as_sent:
            self.first_key = made.first_key
        if self.before is None and (is_as_sent or made.is_write):
            self.before, self.attempts = made.outcome, list(made.outcome["attempts"])

    def so_far(self, last: Outcome) -> JsonObject:
        """Return what is known of a call that is cancelled in the middle."""
        if last.get("status") == "pending" and self.step.outcome is None:
            last = self._given_up(last)
        return _ended(self.attempts, self._perhaps(last))

    async def go(self, arguments: JsonObject) -> JsonObject:
        """Make attempts until one is accepted or nothing may be repeated."""
        if self.before is not None and self.contract.effect != "read":
            found = await self._found_out(self.before, arguments)
            if found is not None:
                return _ended(self.attempts, found)
        step, names = self.step, self.frame.names
        repair, retry = step.repair, step.retry
        retries = repairs = 1
        send = arguments
        is_paid = False
        while True:
            key = f"{self.key}/a{len(self.attempts) + 1}"
            is_free = is_paid or not is_limited(self.frame.core, self.contract.name)
            refused = None if is_free else await _reserve(step, self.frame, self.contract, key)
            if refused is not None:
                return await self._refused(key, refused, send, is_repair=repairs > 1)
            outcome = await self._one(key, send)
            is_paid = _is_cut_off(outcome, self.contract)
            if is_paid:
                continue
            if outcome["ok"] or _is_unknown(outcome, self.contract):
                return _ended(self.attempts, outcome)
            error = outcome["error"]
            if repair and _repeats(repair, error) and self._may_change() and repairs < repair.at_most(names):
                repaired = {**arguments, **_feedback(repair, self.frame, error)}
                if self.unknown_writes.find(self.contract.name, repaired) is None:
                    repairs += 1
                    send = repaired
                    self.attempts[-1]["added"] = {name: send[name] for name, _ in repair.add if name in send}
                    continue
            if retry and _repeats(retry, error) and retries < retry.at_most(names):
                pause = _pause(retry, self.frame, retries, error)
                if pause is not None:
                    retries += 1
                    if pause > 0:
                        await self.frame.core.run.sleep(f"{key}/pause", pause)
                    continue
            return _ended(self.attempts, await self._looked_up(key, outcome))

    async def _found_out(self, before: JsonObject, send: JsonObject) -> Outcome | None:
        """Return what became of a write that is resumed, or made again; None where it may be attempted again."""
        if before["status"] == "pending":
            return await self._followed({**before, "ok": True})
        is_perhaps = not before["ok"] and before["error"].get("happened") == "perhaps"
        if is_perhaps and not (self.contract.idempotent and before["sent"] == send):
            found = await self.settled(f"{self.key}/resumed{self.stops}", before)
            if found["ok"]:
                return found
            self.known = len(self.attempts)
        return None

    @property
    def _is_perhaps(self) -> bool:
        """Say whether any attempt of a write may have happened: what the last one says says nothing of those before."""
        return self.contract.effect != "read" and any(
            attempt.get("error", {}).get("happened") == "perhaps" for attempt in self.attempts[self.known :]
        )

    def _perhaps(self, outcome: Outcome) -> Outcome:
        """Return the failure of an idempotent write as what it is: one that may have happened in an earlier attempt."""
        if outcome["ok"] or not self.contract.idempotent or not self._is_perhaps:
            return outcome
        return {**outcome, "error": {**outcome["error"], "happened": "perhaps"}}

    def _may_change(self) -> bool:
        """A write is sent with the arguments that were permitted, and with no other ones where it may have happened."""
        return self.contract.effect == "read" or (self.step.needs is None and not self._is_perhaps)

    async def _refused(self, key: str, error: JsonObject, send: JsonObject, *, is_repair: bool) -> JsonObject:
        """A spent budget ends the attempts; the failure that a further one was to repair says more than the budget."""
        if is_repair and self.last is not None:
            self.attempts[-1].pop("added", None)  # nobody received it
            return _ended(self.attempts, await self._looked_up(key, self.last))
        outcome: Outcome = {"ok": False, "error": error, "sent": send}
        self._note(outcome)
        return _ended(self.attempts, await self._looked_up(key, outcome))

    async def _one(self, key: str, arguments: JsonObject) -> Outcome:
        """Make one attempt; what an unknown write turns out to be is found out before anybody sees it."""
        outcome = await self.frame.core.run.step(key, self._request(arguments))
        if outcome.get("sent") is not arguments:
            outcome = {**outcome, "sent": arguments}  # those that were recorded are the same, and would be kept beside
        if not outcome["ok"] and _is_unknown(outcome, self.contract):
            self.last = outcome
            outcome = await self.settled(key, outcome)
        outcome = judged(self.step, self.frame, self.contract, outcome, self.judge)
        self._note(outcome)
        if outcome["status"] == "pending" and self.step.outcome is None:
            return await self._followed(outcome)
        return outcome

    def _note(self, outcome: Outcome) -> None:
        self.last = outcome
        self.attempts.append(_attempt_record(len(self.attempts) + 1, outcome))

    def _request(self, arguments: JsonObject) -> Request:
        step, contract, core = self.step, self.contract, self.frame.core
        core.about_to_call(self.frame, contract)
        return Request(
            tool=contract.name,
            arguments=arguments,
            effect=contract.effect,
            identity=hashlib.sha256(f"{core.run_id}\0{self.first_key or self.key}".encode()).hexdigest(),
            idempotent=contract.idempotent,
            timeout=step.timeout(self.frame.names) if step.timeout is not None else contract.timeout,
            pool=step.pool,
            pool_size=core.pool_size(step.pool, self.frame),
            exclusive=contract.one_at_a_time,
            digest=digest(arguments),
        )

    async def settled(self, key: str, outcome: Outcome) -> Outcome:
        return await settled(self.step, self.frame, self.contract, key, outcome, self.step.sent_marks)

    async def _looked_up(self, key: str, outcome: Outcome) -> Outcome:
        """An idempotent write that is not sent again, and may have happened, is looked up where that can be done."""
        unknown = self._perhaps(outcome)
        if unknown is outcome or self.contract.lookup is None:
            return unknown
        found = await self.settled(key, unknown)
        return judged(self.step, self.frame, self.contract, found, self.judge)

    async def _followed(self, outcome: Outcome) -> Outcome:
        """Ask how something that was begun ends; a write that nobody can ask about is looked up."""
        key = f"{self.key}/resumed{self.stops}" if self.stops else self.key
        if self.contract.follow is not None:
            outcome = await followed(self.frame, self.contract, key, outcome)
        if outcome["status"] != "pending" or self.contract.effect == "read":
            return outcome
        if self.stops and self.contract.follow is None:
            return await self.settled(key, self._given_up(outcome))
        is_kept = self.step.otherwise is not None or self.frame.catching
        return self._given_up(outcome) if is_kept else outcome

    def _given_up(self, outcome: Outcome) -> Outcome:
        """Return what was begun as a failure: nobody looks after it any more, or knows what became of it."""
        error = self.contract.error("still_pending", CALL_WORDS["still_pending"], "timed_out", happened="perhaps")
        self.attempts[-1] = {**self.attempts[-1], "error": error}
        return {**outcome, "ok": False, "status": "failed", "error": error}


def _is_unknown(outcome: JsonObject, contract: ContractPlan) -> bool:
    """Say whether nobody knows if a write happened that must not be sent twice."""
    perhaps = not outcome["ok"] and outcome.get("error", {}).get("happened") == "perhaps"
    return perhaps and contract.effect != "read" and not contract.idempotent


def _is_cut_off(outcome: JsonObject, contract: ContractPlan) -> bool:
    """Say whether the process ended during this attempt, and the call may be made under the same key once more."""
    if outcome["ok"] or outcome["error"]["code"] != "unknown_outcome":
        return False
    return outcome["error"].get("happened") == "never" or contract.idempotent


def _without_hidden(frame: Frame, words: Words) -> Words:
    return Words(*frame.core.without_hidden([words.zh, words.en]))


def _feedback(repair: RepairPlan, frame: Frame, error: JsonObject) -> JsonObject:
    names = {**frame.names, "findings": error.get("findings", [_as_finding(error)]), "error": error}
    return {name: value for name, part in repair.add if (value := part(names)) is not ABSENT}


def _as_finding(error: JsonObject) -> JsonObject:
    return {"rule": error["code"], "at": "", "message": told_of_failure(error)}


async def _reserve(step: Call, frame: Frame, contract: ContractPlan, key: str) -> JsonObject | None:
    """Take a place in every budget that counts this call; returns the error of a spent one."""
    core = frame.core
    stops = 0
    while refusal := reserve(core, frame, contract.name, f"{key}/budget{stops}"):
        name, when_spent = refusal
        if when_spent == "fail":
            return contract.error(BUDGET_SPENT, name, "budget", happened="never")
        stops += 1
        await core.block_at(f"{key}/budget{stops}", step, "run/budget-spent", budget=name)
    return None


def _repeats(plan: RetryPlan | RepairPlan, error: JsonObject) -> bool:
    return error["kind"] in plan.errors or error["code"] in plan.errors


def _pause(retry: RetryPlan, frame: Frame, retries: int, error: JsonObject) -> float | None:
    """Return how long to wait before the next attempt, in seconds; None when it would be longer than is sensible."""
    wait = retry.wait(frame.names) if retry.wait is not None else 0.0
    factor = retry.factor(frame.names) if retry.factor is not None else 1
    pause = float(wait) * float(factor) ** (retries - 1)
    asked = error.get("retry_after")
    if asked is None:
        return pause
    if float(asked) > max(60.0, pause):
        return None
    return max(pause, float(asked))


async def block_on_error(step: Step, frame: Frame, key: str, contract: ContractPlan, error: JsonObject) -> JsonObject:
    is_declared = contract.effect != "read" and error["code"] in contract.errors
    is_refused = is_declared and error["kind"] == "refused" and error["happened"] == "never"
    findings = told_of(step, frame, error.get("findings", []))
    return await frame.core.block_at(
        key,
        step,
        "run/call-refused" if is_refused else "run/call-failed",
        tool=contract.name,
        error_code=error["code"],
        error_kind=error["kind"],
        error_message=told_of_failure(error),
        **({"budget": error["message"]} if (error["code"], error["kind"]) == (BUDGET_SPENT, "budget") else {}),
        **({"findings": findings} if findings else {}),
    )


def _attempt_record(number: int, outcome: Outcome) -> JsonObject:
    kept: JsonObject = {"number": number, "sent": outcome["sent"]}
    answer = outcome.get("answer", outcome.get("value", ABSENT))
    if answer is not ABSENT:
        kept["answer"] = answer
    for name in ("error", "at"):
        if name in outcome:
            kept[name] = outcome[name]
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
