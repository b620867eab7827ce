"""A call walked over all its pages, with checkpoints and guards.

The cursor is the engine's own: pages are numbered, the token comes from the recorded answer of the page before. A token
that was seen in this walk, a missing token, or `EMPTY_PAGES` pages in a row that bring no new item and say more are
errors, which `retry` may name. An expired token (`restart_on`) starts once from page 1, and once more where somebody
goes on from a stop: no token comes back to life, so that the walk could never go on from there.

A page whose successor cannot be read was read itself: where its walk ends as a failure that is kept as data, the items
that it brings are taken first. A walk that blocks reads that page again when it is resumed.
"""

from __future__ import annotations

from typing import Any, NoReturn

from interpreter.engine.calls import Call, block_on_error
from interpreter.engine.frame import Evaluate, Frame, Target
from interpreter.engine.problems import CALL_WORDS, PAGE_LIMIT, READ_BEFORE, told_of_failure
from interpreter.engine.program import ContractPlan
from interpreter.engine.steps import Given, ItemFailed, Leave, MoveOn, Sequence, Signal, bind, failure_of
from interpreter.ports import JsonObject
from rules.records import NamedTuple
from rules.values import ABSENT, identity, same

#: So many pages in a row without an item that is new in this walk, each saying that there is more, are an error.
EMPTY_PAGES = 3


class Walk:
    """`pages:` of a call."""

    __slots__ = ("at_most", "batch", "checkpoint", "give", "page", "restart_on", "steps", "walk")

    def __init__(
        self,
        *,
        page: str,
        walk: str | None,
        batch: Evaluate | None,
        at_most: Evaluate | None,
        restart_on: frozenset[str],
        checkpoint: tuple[tuple[Target, Evaluate], ...],
        steps: Sequence,
        give: Evaluate | None,
    ) -> None:
        self.page = page
        self.walk = walk
        self.batch = batch
        self.at_most = at_most
        self.restart_on = restart_on
        self.checkpoint = checkpoint
        self.steps = steps
        self.give = give

    async def perform(self, step: Call, frame: Frame) -> Signal:
        contract = step.contract(frame)
        return await _Walker(self, step, frame, contract).perform()


class _Read(NamedTuple):
    """What one reading brought: a page, a failure that is kept as data, both, or neither (the walk starts anew)."""

    page: JsonObject | None = None
    failed: JsonObject | None = None


class _Walker:
    """One walk under way. Shapes: `last` is a page that was read in vain, since no other can follow it."""

    def __init__(self, plan: Walk, step: Call, frame: Frame, contract: ContractPlan) -> None:
        assert contract.paging is not None
        self.plan = plan
        self.step = step
        self.frame = frame
        self.contract = contract
        self.paging = contract.paging
        self.arguments = step.full_arguments(frame, contract)
        self.base = f"{frame.key}/{step.name}"
        self.token: Any = ABSENT
        self.seen: set[object] = set()
        self.known: set[int] = set()
        self.empty = 0
        self.restarts = 0
        self.last: JsonObject | None = None
        self.record: JsonObject = {
            "page": 0,
            "pages": 0,
            "batches": 0,
            "more": True,
            "status": "running",
            "token": "",
            "blocker": "",
        }
        self.given: list[Any] = []
        self.limit = plan.at_most(frame.names) if plan.at_most is not None else None

    async def perform(self) -> Signal:
        plan, frame = self.plan, self.frame
        inner = frame.inner(self.base)
        if not self.record["pages"]:
            await self._mind_limit(self.base)
        while True:
            number = self.record["page"] + 1
            prefix = f"{self.base}/r{self.restarts}" if self.restarts else self.base
            inner.key = f"{prefix}/p{number}"
            read = await self._read(inner.key, number)
            if read.page is not None:
                left = await self._take(read.page, inner)
                if left is not None:
                    return left
            if read.failed is not None:
                self._failed(read.failed)
                return None
            if read.page is None:
                continue
            if not self.record["more"]:
                self._change(status="complete")
            self._save()
            if not self.record["more"]:
                break
            await self._mind_limit(inner.key)
        frame.names.pop(plan.page, None)
        if self.step.binds is not None:
            bind(frame.names, self.step.binds, self.given)
        if self.step.outcome is not None:
            frame.names[self.step.outcome] = {"ok": True, "status": "success", "value": self.given}
        return None

    async def _take(self, page: JsonObject, inner: Frame) -> MoveOn | Leave | None:
        """Run the steps of a page; what they give is kept. Returns a signal that leaves the walk."""
        plan, names = self.plan, self.frame.names
        names[plan.page] = page
        signal = await plan.steps.perform(inner)
        if isinstance(signal, (MoveOn, Leave)):
            return signal
        if isinstance(signal, Given):
            self.given.append(signal.value)
        elif plan.give is not None:
            self.given.append(plan.give(names))
        return None

    def _failed(self, outcome: JsonObject) -> None:
        """Keep as data that the walk failed."""
        frame, step, error = self.frame, self.step, outcome["error"]
        self._change(status="blocked", blocker=error["code"])
        self._save()
        failure = failure_of(frame, step, error, self.contract.name)
        if step.outcome is None and step.otherwise is None:
            raise ItemFailed(error, step.where, failure)
        frame.add_failures([failure])
        if step.outcome is None:
            step.skip(frame)
            return
        frame.names[step.outcome] = {**outcome, "value": self.given}
        if step.binds is not None:
            bind(frame.names, step.binds, self.given)

    def _last_page(self) -> JsonObject | None:
        """Return the page that no other can follow where it brings something; it counts as read."""
        page, self.last = self.last, None
        if page is None or self._items(page) <= self.known:
            return None
        self._change(pages=self.record["pages"] + 1)
        return page

    async def _read(self, key: str, number: int) -> _Read:
        """Read the next page; blocks where a failure is not kept as data."""
        frame, step = self.frame, self.step
        self.last = None
        arguments = self.arguments
        if self.token is not ABSENT:
            arguments = {**arguments, self.paging.token_in: self.token}
        stops = 0
        decision: JsonObject = {}
        outcome: JsonObject | None = None
        while True:
            outcome = await step.made(
                frame, self.contract, key, arguments, before=outcome, stops=stops, judge=self._judge
            )
            if outcome["ok"]:
                self._turn_page(outcome["value"], number)
                return _Read(page=outcome["value"])
            error = outcome["error"]
            if self._may_restart(error, is_granted=bool(decision.get("restarts"))):
                self._restart()
                return _Read()
            if step.outcome is not None or step.otherwise is not None or frame.catching:
                return _Read(self._last_page(), outcome)
            self._change(status="blocked", blocker=error["code"])
            self._save()
            stops += 1
            told = self._with_what_was_read(error)
            decision = await block_on_error(step, frame, f"{key}/stop{stops}", self.contract, told)
            self._change(status="running", blocker="")

    def _with_what_was_read(self, error: JsonObject) -> JsonObject:
        """Return an error whose words also say how much the walk brought before it."""
        pages = self.record["pages"]
        if not pages:
            return error
        told = told_of_failure(error)
        zh, en = (told["zh"], told["en"]) if isinstance(told, dict) else (told, told)
        kept = READ_BEFORE.filled({"pages": pages, "items": len(self.known)})
        words = {"zh": f"{zh}；{kept.zh}", "en": f"{en}; {kept.en}"}
        return {**error, "details": {**(error.get("details") or {}), "message": words}}

    def _judge(self, answer: Any) -> JsonObject | None:
        """Say what is wrong with a page as a step of the walk."""
        code = self._breaks_off(answer)
        self.last = answer if code is not None else None
        return self.contract.error(code, CALL_WORDS[code], "invalid", happened="never") if code is not None else None

    def _breaks_off(self, answer: JsonObject) -> str | None:
        """Return why no page can follow one that says that more follows."""
        if not self._has_more(answer):
            return None
        token = answer.get(self.paging.token_out, ABSENT)
        if token is ABSENT or token is None or token == "":
            return "missing_page_token"
        if identity(token) in self.seen or (self.token is not ABSENT and same(token, self.token)):
            return "repeated_page_token"
        if self.empty + 1 >= EMPTY_PAGES and self._items(answer) <= self.known:
            return "empty_page"
        return None

    def _has_more(self, answer: JsonObject) -> bool:
        """Say whether another page follows; one that only names its successor has one."""
        more = answer.get(self.paging.more)
        return bool(more) if more is not None else answer.get(self.paging.token_out) not in (None, "")

    def _turn_page(self, answer: JsonObject, number: int) -> None:
        paging = self.paging
        more = self._has_more(answer)
        if more:
            items = self._items(answer)
            self.empty = self.empty + 1 if items <= self.known else 0
            self.known |= items
        if self.token is not ABSENT:
            self.seen.add(identity(self.token))
        self.token = answer.get(paging.token_out, ABSENT) if more else ABSENT
        pages = self.record["pages"] + 1
        self._change(page=number, pages=pages, more=more, token=self.token if self.token is not ABSENT else "")
        batch = self.plan.batch(self.frame.names) if self.plan.batch is not None else None
        if batch is None:
            self._change(batches=1)
        elif (pages - 1) % batch == 0:
            self._change(batches=self.record["batches"] + 1)
            body = {"note": "batch", "step": self.base, "batch": self.record["batches"], "page": number}
            self.frame.core.run.note(body)

    def _items(self, answer: JsonObject) -> set[int]:
        """Return the items of a page as what tells them apart; only the exact same item counts as the same."""
        return {hash(repr(item)) for item in answer.get(self.paging.items) or ()}

    def _may_restart(self, error: JsonObject, *, is_granted: bool) -> bool:
        """Say whether the walk begins again at page 1; `is_granted` by who went on from a stop at this page."""
        has_one_left = self.restarts == 0 or is_granted
        return error["code"] in self.plan.restart_on and has_one_left and self.token is not ABSENT

    def _restart(self) -> None:
        self.restarts += 1
        self.token = ABSENT
        self.seen.clear()
        self.known.clear()
        self.given.clear()
        self.empty = 0
        self._change(page=0, token="", more=True)

    async def _mind_limit(self, key: str) -> None:
        """Stop where no page more may be read; who goes on gives as many pages again."""
        plan, frame = self.plan, self.frame
        stops = 0
        while plan.at_most is not None and self.limit is not None and self.record["pages"] >= self.limit:
            if frame.catching and self.step.outcome is None and self.step.otherwise is None:
                self._fail_at_limit()
            stops += 1
            await self._stop("run/page-limit", f"{key}/limit{stops if stops > 1 else ''}", at_most=self.limit)
            self.limit += plan.at_most(frame.names)

    def _fail_at_limit(self) -> NoReturn:
        """Whoever keeps failures as data keeps this one too: one long walk does not stop what else there is to do."""
        words = PAGE_LIMIT.filled({"limit": self.limit})
        error = self.contract.error("page_limit", words, "budget", happened="never")
        self._change(status="blocked", blocker="page_limit")
        self._save()
        raise ItemFailed(error, self.step.where, failure_of(self.frame, self.step, error, self.contract.name))

    async def _stop(self, code: str, key: str, **facts: Any) -> None:
        self._change(status="blocked", blocker=code.partition("/")[2].replace("-", "_"))
        self._save()
        await self.frame.core.block_at(key, self.step, code, **facts)
        self._change(status="running", blocker="")

    def _change(self, **fields: Any) -> None:
        self.record = {**self.record, **fields}
        if self.plan.walk is not None:
            self.frame.names[self.plan.walk] = self.record

    def _save(self) -> None:
        """Write the checkpoint: all values first, then all places."""
        names = self.frame.names
        for target, value in [(target, value(names)) for target, value in self.plan.checkpoint]:
            self.frame.assign(target, value)
