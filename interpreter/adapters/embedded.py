"""The embedded run: recorded effects are returned, new ones are made and recorded.

How a write stays single: its intention is on the disk before the call, its outcome after. A walk that finds the first
without the second has no right to call again; it hands out `unknown_outcome`, and the core looks up what became of it,
once no program that the other process started for it is at work any more.

How a replay stays on the road: every call of the core has a key. What is recorded under it is compared in kind and in
the digest of its arguments before it is believed. Where the record ends, the walk goes on for real.

How a `map` that failed is walked anew: which later bodies had begun depends on time alone, so it is recorded
(`stopped`). Where a kill came before that row, the later bodies are tried: one without a recorded entry has not begun.

What becomes of calls in flight: the first cancel or Ctrl-C starts nothing new and lets them end, within their
time-outs. A second cancel makes them outcomes, `cancelled`, at once. A second Ctrl-C leaves them without one: a read is
made again by a resume, a write is unknown and looked up.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any

from interpreter.adapters.asking import Asking, answer_from, body_of_answer
from interpreter.adapters.clock import later, seconds_between
from interpreter.adapters.flights import Flights
from interpreter.adapters.progress import Progress
from interpreter.adapters.record import Record
from interpreter.adapters.side_by_side import (
    IN_TURN,
    NOTHING,
    WRITTEN,
    Places,
    SeveralPlaces,
    SharedPlaces,
    SideBySide,
    let_go,
)
from interpreter.adapters.status import StatusRecord
from interpreter.diagnostics import Words
from interpreter.durations import seconds_of_duration
from interpreter.engine.entering import NotAValue, entering
from interpreter.engine.problems import ADAPTER_FAILED, CALL_WORDS
from interpreter.ports import (
    Answer,
    Answered,
    Blocked,
    Cancelled,
    Check,
    Clock,
    Interrupted,
    Journal,
    JournalError,
    JsonObject,
    Outcome,
    People,
    Question,
    Request,
    Row,
    Stop,
    ToolFailure,
    Tools,
    Waiting,
)
from rules.values import digest

#: A pause is cut into slices, so that a cancel is seen soon. Units: seconds.
SLICE = 0.25
#: Where no calls were made, so many turns pass between two looks at whether somebody wants to stop.
TURNS_BETWEEN_LOOKS = 16
#: So long a program is waited for that outlived its process, where its call says nothing else. Units: seconds.
OUTLAST_AT_MOST = 300.0
OUTLASTED: JsonObject = {
    "zh": "上一个进程启动的程序还在工作：等它结束之后再去查（按 Ctrl-C 不再等）",
    "en": "a program that the ended process started is still at work: it is looked up once that has ended "
    "(Ctrl-C stops the waiting)",
}

SettleAnswer = Callable[[Request, Any], Outcome]
SettleFailure = Callable[[Request, ToolFailure], Outcome]


def drive(main: Coroutine[Any, Any, Any], *, loop: bool = False) -> Any:
    """Run the core to its end: by hand, or with an event loop where bodies shall overlap or a tool suspends."""
    if loop:
        from asyncio import Runner

        from interpreter.adapters.aside import Aside

        with Runner() as runner:
            runner.get_loop().set_default_executor(Aside())
            return runner.run(main)
    try:
        main.send(None)
    except StopIteration as end:
        return end.value
    main.close()
    raise RuntimeError("something waits for an event loop, but the run is driven without one")


class _NotBegun(BaseException):
    """A body that is only tried has no recorded entry."""


class EmbeddedRun:
    """`ports.Run` made of a journal, tools, people and a clock.

    Shapes: `settle_answer` turns a tool's answer into the outcome that is recorded (validated, without `at` and
    `sent`), `settle_failure` does so for a `ToolFailure`; both pure. `decision` is what a person decided when resuming
    (waivers, budgets); every block that an earlier process recorded goes on with it. None: a block blocks again.
    `after` is the last row that this walk does not look at; with `only_replay` it stops where the record ends. `titles`
    are the words for states, which stand in the status record beside them.
    """

    def __init__(
        self,
        journal: Journal,
        tools: Tools,
        people: People,
        clock: Clock,
        *,
        settle_answer: SettleAnswer | None = None,
        settle_failure: SettleFailure | None = None,
        decision: JsonObject | None = None,
        after: int = 0,
        only_replay: bool = False,
        titles: Mapping[str, Any] | None = None,
    ) -> None:
        self._titles = titles or {}
        self._journal = journal
        self._tools = tools
        self._people = people
        self._clock = clock
        self._settle_answer = settle_answer or _plain_answer
        self._settle_failure = settle_failure or _plain_failure
        self._decision = decision
        self._record = Record(journal, after)
        self.note = _forgotten if only_replay else self._record.trace
        self._bodies = SideBySide(self._record.write)
        self._only_replay = only_replay
        self._depth = 0
        self._trying = False
        self._turns = 0
        self._blocks: dict[str, int] = {}
        self._interrupted = 0
        self._cancels_flagged = 0
        self._cancels_taken = 0
        self._put_off: Cancelled | None = None
        self._places = SharedPlaces()
        self._flights = Flights(self._must_flights_end)
        self._is_calling = False
        self._progress = Progress(clock, people)
        self._status = StatusRecord(journal, self._instant)
        self._asking = Asking(journal, people, self._record, self._status, self._instant)

    # --- for whoever drives the run ---

    def interrupt(self) -> None:
        """Stop at the next call of the core, the second time in the middle of one; a signal handler may call this.

        Errors: KeyboardInterrupt the second time, where a tool that answers at once has not answered yet: nothing else
        comes to its end. It is meant for the thread that walks, and is caught where the call was made.
        """
        self._interrupted += 1
        if self._interrupted > 1 and self._is_calling:
            raise KeyboardInterrupt

    def request_cancel(self) -> None:
        """Cancel at the next call of the core; may be called by a signal handler."""
        self._cancels_flagged += 1

    @property
    def in_flight(self) -> int:
        """Return how many calls have been made and not answered yet; a signal handler may ask."""
        return len(self._flights) + self._is_calling

    def is_replaying(self) -> bool:
        """Tell whether recorded entries are left that the walk has not come to yet."""
        return self._record.is_replaying()

    def describe(self, **fields: object) -> None:
        """Change the small status record; it is written now and then, and at every stop."""
        self._status.describe(**fields)

    def stop(self, status: str, **fields: object) -> None:
        """Write what is on its way, and the status; the run may be resumed."""
        self._record.write()
        self._status.write(status, **fields)

    def end(self, status: str, body: JsonObject, **fields: object) -> None:
        """Record the end of the run, once.

        Errors: JournalError(`run/journal-mismatch`) when recorded entries are left that nobody asked for.
        """
        self._record.check_used_up("end")
        if not self._record.has_ended:
            self._record.ride("", "end", {"status": status, "at": self._instant(), **body})
            self._record.write(sync=True)
        self._status.write(status, **fields)

    # --- effects ---

    async def step(self, key: str, request: Request) -> Outcome:
        row = self._find_effect(key)
        if row is not None:
            return await self._recorded_outcome(row, request)
        self._stop_if_asked(key)
        # Nothing overlaps outside a `map` at work.
        places = self._places.wanted_by(request) if self._bodies.count else None
        if places is not None and not places.take_at_once():
            await self._queue_for(places, key)
        try:
            outcome = await self._made(key, request)
        finally:
            if places is not None:
                places.give_back()
        at = self._instant()
        if request.effect == "read":
            body = {"tool": request.tool, "digest": _digest_of(request), **outcome, "at": at, "sent": request.arguments}
        else:
            body = {**outcome, "at": at}  # what was sent stands in the intention
        await self._commit(key, "outcome", body)
        if request.effect != "read":
            self._journal.holds.let_go(request.identity)
        self._look_round()
        return {**outcome, "at": at, "sent": request.arguments}

    async def _queue_for(self, places: Places | SeveralPlaces, key: str) -> None:
        """Wait for a place; what waited does not start after a cancel."""
        await places.take()
        try:
            self._stop_if_asked(key)
        except BaseException:
            places.give_back()
            raise

    async def settle(self, key: str, outcome: Outcome) -> Outcome:
        row = self._find_effect(key)
        if row is not None:
            return self._expected(row, "settled")
        if self._only_replay:
            raise Interrupted
        settled = {**outcome, "at": self._instant()}
        await self._commit(key, "settled", settled)
        return settled

    async def _recorded_outcome(self, row: Row, request: Request) -> Outcome:
        if row.kind == "outcome" and request.effect == "read":
            outcome = self._same_arguments(row, request)
            del outcome["tool"], outcome["digest"]
            return outcome
        self._expected(row, "intention")
        self._same_arguments(row, request)
        done = self._record.take(row.key, in_order=self._depth == 0)
        outcome = self._expected(done, "outcome") if done is not None else await self._unknown(row, request)
        return {**outcome, "sent": request.arguments}

    async def _unknown(self, intention: Row, request: Request) -> Outcome:
        outcome = _failed(request, "unknown_outcome", "timed_out", CALL_WORDS["unknown_outcome"])
        if await self._outlasts(intention.key, request):
            outcome["error"]["details"]["still_at_work"] = True
        outcome["at"] = self._instant()
        self._record.ride(intention.key, "outcome", outcome)
        return outcome

    async def _outlasts(self, key: str, request: Request) -> bool:
        """Wait for the program that a process which is gone started for a write: nobody can look it up before it ended.

        Returns whether it is still at work when a call of its kind would have been given up.
        """
        holds = self._journal.holds
        if self._only_replay or not holds.is_at_work(request.identity):
            return False
        self._people.show_progress("", {"text": OUTLASTED})
        ends = self._clock.monotonic() + (request.timeout if request.timeout is not None else OUTLAST_AT_MOST)
        while holds.is_at_work(request.identity):
            self.look_up(key)
            if self._clock.monotonic() >= ends:
                return True
            await self._rest(SLICE)
        return False

    def _intention(self, request: Request) -> JsonObject:
        return {
            "tool": request.tool,
            "digest": _digest_of(request),
            "identity": request.identity,
            "at": self._instant(),
            "sent": request.arguments,
        }

    async def _made(self, key: str, request: Request) -> Outcome:
        """Make an attempt now; that of a write is on record before it begins."""
        if request.effect != "read":
            await self._commit(key, "intention", self._intention(request), sync=True)
        try:
            self._is_calling = True
            try:
                answer = self._tools.invoke(request, self._is_asked_to_stop)
            finally:
                self._is_calling = False
            if hasattr(answer, "__await__"):
                answer = await self._within(answer, request.timeout)
        except ToolFailure as failure:
            if failure.code == "cancelled" and self._interrupted:
                raise Interrupted from None  # it stopped because the process ends; a resume makes it again
            return self._settle_failure(request, failure)
        except JournalError:
            raise
        except KeyboardInterrupt:
            raise Interrupted from None
        except (Stop, SystemExit, GeneratorExit) as error:
            # What stops a run is for the run to say, never for a tool.
            return _failed(request, "adapter_failed", "permanent", _thrown(error))
        except TimeoutError:
            return _failed(request, "timed_out", "timed_out", CALL_WORDS["timed_out"])
        except Exception as error:
            # Whatever an adapter throws is an outcome; its text may hold a secret, its kind does not.
            return _failed(request, "adapter_failed", "permanent", _thrown(error))
        if type(answer) is Answered:
            with suppress(NotAValue):
                return {**self._settle_answer(request, answer.value), "details": entering(answer.details)}
            return self._settle_answer(request, answer.value)
        return self._settle_answer(request, answer)

    def _at_hand(self, call: Callable[[], Any]) -> Any:
        """Make a call for which everything else waits, the event loop too."""
        self._is_calling = True
        try:
            return call()
        finally:
            self._is_calling = False

    async def _within(self, answer: Awaitable[Any], seconds: float | None) -> Any:
        if not _loop_is_running():
            try:
                return self._at_hand(lambda: drive(_awaited(answer, seconds), loop=True))
            finally:
                let_go(answer)
        self._flights.watch()
        return await self._bodies.result_of(self._flights.answer_of(answer, seconds), answer)

    def _must_flights_end(self) -> bool:
        self._look_round()
        return self._interrupted > 1 or self._cancels_left() > 1

    # --- bodies side by side ---

    async def map(self, key: str, bodies: Sequence[Callable[[], Awaitable[Any]]], limit: int) -> list[Any]:
        workers = min(limit or len(bodies), len(bodies))
        results: list[Any] = [None] * len(bodies)
        self._depth += 1
        try:
            if workers > 1 and _loop_is_running() and not self._trying:
                failures, begun = await self._at_once(bodies, workers, results)
            else:
                failures, begun = await self._in_order(bodies, results)
            if failures:
                await self._walk_begun(key, bodies, begun, _first(failures))
        finally:
            self._depth -= 1
        if failures:
            raise self._taken(_first(failures))
        return results

    async def _in_order(self, bodies: Sequence[Callable[[], Awaitable[Any]]], results: list[Any]) -> _Failures:
        not_begun = []
        unfinished: dict[int, BaseException] = {}
        for position, body in enumerate(bodies):
            try:
                results[position] = await body()
            except _NotBegun:
                not_begun.append(position)
            except Interrupted as stop:
                if not self._only_replay:
                    return {position: stop}, set(range(position + 1))
                unfinished[position] = stop  # later bodies may have come further than this one
            except BaseException as error:
                return {position: error}, set(range(position + 1))
        if unfinished:
            return unfinished, set(range(len(bodies)))
        if len(not_begun) == len(bodies) and bodies:
            raise _NotBegun
        for position in not_begun:
            results[position] = await bodies[position]()
        return {}, set()

    async def _at_once(
        self, bodies: Sequence[Callable[[], Awaitable[Any]]], workers: int, results: list[Any]
    ) -> _Failures:
        """Let workers take bodies from one iterator: no task for each body, and they begin in list order."""
        upcoming = iter(enumerate(bodies))
        failures: dict[int, BaseException] = {}
        begun: set[int] = set()

        async def work() -> None:
            for position, body in upcoming:
                if failures:
                    return
                begun.add(position)
                try:
                    results[position] = await body()
                except BaseException as error:
                    failures[position] = error

        await self._bodies.drive([work() for _ in range(workers)])
        return failures, begun

    async def _walk_begun(
        self,
        key: str,
        bodies: Sequence[Callable[[], Awaitable[Any]]],
        begun: set[int],
        failure: BaseException,
    ) -> None:
        """After a failure, walk the later bodies that had begun in an earlier process, and no other."""
        if isinstance(failure, JournalError) or not isinstance(failure, (Exception, Cancelled)):
            return  # the walk ends here; the next one comes by again
        row = self._record.take(key, in_order=False)
        if row is not None:
            self._trying = False
            for position in self._expected(row, "stopped")["begun"]:
                if position not in begun:
                    await self._ended(bodies[position], trying=False)
            return
        if self._record.is_replaying():
            for position in range(len(bodies)):
                if position not in begun and await self._ended(bodies[position], trying=True):
                    begun.add(position)
                    self._trying = False
        if self._trying:
            raise _NotBegun
        self._record.ride(key, "stopped", {"at": self._instant(), "begun": sorted(begun)})

    async def _ended(self, body: Callable[[], Awaitable[Any]], *, trying: bool) -> bool:
        """Run a body whose result nobody needs any more; tell whether it had begun, which its record shows."""
        outer, self._trying = self._trying, trying
        try:
            await body()
        except (JournalError, Interrupted):
            raise
        except (Exception, Stop, _NotBegun):
            pass
        finally:
            has_begun, self._trying = not self._trying, outer
        return has_begun

    def _taken(self, failure: BaseException) -> BaseException:
        if isinstance(failure, Cancelled) and self._depth == 0:
            self._cancels_taken = max(self._cancels_taken, failure.count)
            if self._put_off is not None and self._put_off.count <= self._cancels_taken:
                self._put_off = None
        return failure

    # --- people ---

    async def wait(self, key: str, question: Question, check: Callable[[Any, str], Check]) -> Answer:
        name = question.key
        row = self._find_effect(key)
        if row is None:
            self._stop_if_asked(key)
            published = await self._publish(key, name, question)
        else:
            published = self._expected(row, "question")
            if published["digest"] != question.digest:
                raise self._record.mismatch(key, "arguments")
            answered = self._record.take(key, in_order=self._depth == 0)
            if answered is not None:
                return answer_from(self._expected(answered, "answer"))
        self._stop_if_asked(key)
        answer = self._asking.answer_now(name, question, published.get("deadline"), check)
        if answer is None:
            self._stop_if_cancelled(key)
            self._record.write()
            raise Waiting([name])
        await self._commit(key, "answer", {"question": name, **body_of_answer(answer)}, sync=True)
        self._status.write("running")
        return answer

    async def _publish(self, key: str, name: str, question: Question) -> JsonObject:
        at = self._instant()
        body: JsonObject = {"question": name, "asked_at": at, "at": at}
        if question.wait is not None:
            body["deadline"] = later(at, seconds_of_duration(question.wait))
        body |= question.as_json()
        await self._commit(key, "question", body, sync=True)
        return body

    async def block(self, key: str, finding: JsonObject) -> JsonObject:
        count = self._blocks[key] = self._blocks.get(key, 0) + 1
        numbered = f"{key}~{count}"
        row = self._find_effect(numbered)
        if row is None:
            self._stop_if_asked(numbered)
            await self._commit(numbered, "block", {"at": self._instant(), **finding}, sync=True)
            raise Blocked(key, finding)
        self._expected(row, "block")
        resumed = self._record.take(numbered, in_order=self._depth == 0)
        if resumed is not None:
            return dict(self._expected(resumed, "resume")["decision"])
        self._stop_if_cancelled(numbered)
        if self._decision is None:
            raise Blocked(key, finding)
        body = {"at": self._instant(), "decision": self._decision}
        await self._commit(numbered, "resume", body, sync=True)
        self._status.write("running")
        return self._decision

    # --- time ---

    async def now(self, key: str) -> str:
        row = self._find_effect(key)
        if row is not None:
            return str(self._expected(row, "now")["at"])
        self._stop_if_asked(key)
        at = self._instant()
        await self._commit(key, "now", {"at": at})
        return at

    async def sleep(self, key: str, seconds: float) -> None:
        row = self._find_effect(key)
        if row is None:
            self._stop_if_asked(key)
            at = self._instant()
            until = later(at, seconds)
            await self._commit(key, "sleep", {"at": at, "until": until})
        else:
            until = str(self._expected(row, "sleep")["until"])
            woken = self._record.take(key, in_order=self._depth == 0)
            if woken is not None:
                self._expected(woken, "now")
                return
        await self._pause(key, min(seconds, seconds_between(self._instant(), until)))
        self._record.ride(key, "now", {"at": self._instant()})

    async def _pause(self, key: str, seconds: float) -> None:
        end = self._clock.monotonic() + seconds
        while (left := end - self._clock.monotonic()) > 0:
            self._stop_if_asked(key)
            await self._rest(min(left, SLICE))
            self._look_round()

    async def _rest(self, seconds: float) -> None:
        rest = getattr(self._clock, "rest", None)
        if rest is not None and _loop_is_running():
            await self._bodies.result_of(rest(seconds))
        else:
            self._clock.pause(seconds)

    def _instant(self) -> str:
        """Return the instant, never earlier than the latest one recorded."""
        record = self._record
        at = self._clock.now()
        if at < record.last_instant:
            return record.last_instant
        record.last_instant = at
        return at

    # --- what a person sees on the way ---

    def message(self, key: str, message: JsonObject) -> None:
        row = self._find(key)
        if row is not None:
            self._expected(row, "message")
            return
        self._people.show(message)
        self._progress.message_shown()
        self._record.ride(key, "message", {"at": self._instant(), "message": message})

    def record(self, key: str, value: Any) -> Any:
        row = self._find(key)
        if row is not None:
            return self._expected(row, "decided")["value"]
        self._record.ride(key, "decided", {"at": self._instant(), "value": value})
        return value

    def put_off(self, stop: Cancelled) -> None:
        self._put_off = stop

    def look_up(self, key: str) -> None:
        if self._interrupted:
            self._record.write()
            raise Interrupted
        if not self._only_replay and not self._record.is_replaying():
            self._look_round()

    def progress(self, state: str, render: Callable[[], JsonObject] | None, first: float, every: float) -> None:
        self._progress.describe(state, render, first, every)
        self._status.describe(state=state, state_title=self._titles.get(state))

    def turn(self, after_calls: bool = True) -> Awaitable[None] | None:
        if self._depth > 0:
            # A replay never suspends: bodies then begin one by one, as far as the record of a failed `map` says.
            return IN_TURN if self._bodies.count > 1 and not self._record.is_replaying() else None
        turns = self._turns = self._turns + 1
        if self._put_off is not None:
            self._stop_if_put_off()
        if not self._record.is_used_up and self._record.is_replaying():
            row = self._record.find_next(f"turn/{turns}")
            if row is not None:
                self._expected(row, "turn")
        elif (after_calls or not turns % TURNS_BETWEEN_LOOKS) and not self._only_replay:
            if self._is_asked_to_stop():
                self._stop_if_asked(f"turn/{turns}")
            self._look_round()
        return None

    def _look_round(self) -> None:
        """Show progress and write the status record where either is due."""
        now = self._clock.monotonic()
        if now >= self._progress.due:
            self._progress.show_what_is_due(now)
        if now >= self._status.due:
            self._status.write_at_work(now)

    # --- stopping ---

    def _is_asked_to_stop(self) -> bool:
        return self._interrupted > 0 or self._cancels_left() > 0

    def _cancels_left(self) -> int:
        """Return how many of the cancels that were asked for have not taken effect."""
        return self._journal.cancels() + self._cancels_flagged - self._cancels_taken

    def _stop_if_asked(self, key: str) -> None:
        if self._only_replay:
            raise Interrupted
        if self._interrupted:
            self._record.write()
            raise Interrupted
        self._stop_if_cancelled(key)

    def _stop_if_cancelled(self, key: str) -> None:
        if self._only_replay:
            return
        while self._cancels_flagged:
            self._cancels_flagged -= 1
            self._journal.request_cancel()
        count = self._journal.cancels()
        if count > self._cancels_taken:
            self._record.ride(key, "cancel", {"at": self._instant(), "count": count})
            self._record.write(sync=True)
            raise self._taken(Cancelled(key, count))

    def _stop_if_put_off(self) -> None:
        # Of several bodies, which comes to its next effect first depends on time: each learns of a cancel by itself.
        if self._put_off is not None and self._depth == 0:
            raise self._taken(self._put_off)

    # --- the record ---

    def _commit(self, key: str, kind: str, body: JsonObject, *, sync: bool = False) -> Awaitable[None]:
        """Add a row; what is returned suspends until it is written. Bodies at work together share a commit."""
        self._record.ride(key, kind, body, sync=sync)
        if self._bodies.count > 1:
            return WRITTEN
        self._record.write()
        return NOTHING

    def _find_effect(self, key: str) -> Row | None:
        """Return the recorded entry of an effect, or None; a cancel that was put off takes effect here instead."""
        if self._put_off is not None:
            self._stop_if_put_off()
        return self._find(key)

    def _find(self, key: str) -> Row | None:
        """Return the recorded entry of a call, or None where it has to be made."""
        row = self._record.take(key, in_order=self._depth == 0)
        if row is not None:
            self._trying = False
        elif self._trying:
            raise _NotBegun
        return row

    def _expected(self, row: Row, kind: str) -> JsonObject:
        """Return the body of an entry of the kind asked for; a recorded cancel takes effect again.

        Errors: JournalError(`run/journal-mismatch`) for an entry of any other kind.
        """
        if row.kind == kind:
            return row.body
        if row.kind == "cancel":
            raise self._taken(Cancelled(row.key, int(row.body["count"])))
        raise self._record.mismatch(row.key, "kind", recorded=row.kind, asked=kind)

    def _same_arguments(self, row: Row, request: Request) -> JsonObject:
        if row.body.get("digest") != _digest_of(request) or row.body.get("tool") != request.tool:
            raise self._record.mismatch(row.key, "arguments")
        return row.body


def _forgotten(body: JsonObject) -> None:
    """What a walk that only replays notes is on record already."""


_Failures = tuple[dict[int, BaseException], set[int]]


def _first(failures: dict[int, BaseException]) -> BaseException:
    """Return the failure that is first in list order; open questions are told together.

    Where a body was cut off in the middle, nothing else counts: only a later walk can say how it goes on.
    """
    stops = [failures[position] for position in sorted(failures)]
    for stop in stops:
        if isinstance(stop, (JournalError, Interrupted)):
            return stop
    if isinstance(stops[0], Waiting) and len(stops) > 1:
        return Waiting(list(dict.fromkeys(key for stop in stops if isinstance(stop, Waiting) for key in stop.keys)))
    return stops[0]


def _digest_of(request: Request) -> str:
    return request.digest or digest(request.arguments)


def _failed(request: Request, code: str, kind: str, message: str | Words) -> Outcome:
    """Return a failure; words are kept in both languages beside the one text, as adapters keep theirs."""
    happened = "never" if request.effect == "read" else "perhaps"
    error: JsonObject = {"code": code, "kind": kind, "message": message, "happened": happened}
    if isinstance(message, Words):
        error |= {"message": message.en, "details": {"message": message._asdict()}}
    return {"ok": False, "error": error}


def _thrown(error: BaseException) -> Words:
    return ADAPTER_FAILED.filled({"error": type(error).__name__})


async def _awaited(answer: Awaitable[Any], seconds: float | None) -> Any:
    from asyncio import timeout

    async with timeout(seconds):
        return await answer


def _plain_answer(request: Request, answer: Any) -> Outcome:
    return {"ok": True, "value": answer}


def _plain_failure(request: Request, failure: ToolFailure) -> Outcome:
    outcome = _failed(request, failure.code, "permanent", failure.message)
    if failure.details:
        outcome["error"]["details"] = failure.details
    if failure.retry_after is not None:
        outcome["error"]["retry_after"] = failure.retry_after
    return outcome


def _loop_is_running() -> bool:
    """Tell whether an event loop drives this call, without importing one."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None
