"""Bodies that are worked on side by side, all of them in one task.

A body goes on until it has to wait; then the next one does. It says what it waits for by what it awaits: `WRITTEN`, a
`Wait` that somebody ends, `IN_TURN` where it only lets the others go on too, or that one of them comes further. When
none can go on any more, all that they wrote is written in one commit. Only what waits for the event loop, such as the
answer of a tool far away, has a task of its own.

With a task for each body a commit that they share would take a future, a handle for each of them and a turn of the
event loop, which together cost as much as the commit saves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from interpreter.engine.permissions import OTHERS_GO_ON
from interpreter.ports import Request

if TYPE_CHECKING:
    from asyncio import Future

T = TypeVar("T")
Body = Coroutine[Any, Any, None]


class _Said:
    """What a body awaits to say that it waits, or that it need not. Shapes: `says` what reaches whoever drives it."""

    __slots__ = ("_says",)

    def __init__(self, *, waits: bool) -> None:
        self._says = (self,) if waits else ()

    def __await__(self) -> Generator[_Said, None, None]:
        return iter(self._says)  # type: ignore[return-value]  # any iterator will do, and a generator costs more


#: Suspends a body until all that was written so far is on the disk.
WRITTEN = _Said(waits=True)
#: Suspends a body until the others that can go on have done so, however long the rest of them wait.
IN_TURN = _Said(waits=True)
#: Suspends nobody.
NOTHING = _Said(waits=False)


class Wait:
    """Suspends a body until somebody ends the waiting."""

    __slots__ = ("_go_on", "is_over")

    def __init__(self) -> None:
        self.is_over = False
        self._go_on: Callable[[], None] | None = None

    def end(self) -> None:
        if not self.is_over:
            self.is_over = True
            if self._go_on is not None:
                self._go_on()

    def when_over(self, go_on: Callable[[], None]) -> None:
        self._go_on = go_on

    def __await__(self) -> Generator[Wait, None, None]:
        if not self.is_over:
            yield self


class Places:
    """So many at once; whoever waits is let in in the order of asking. Shapes: `free` is 0 while anybody waits."""

    __slots__ = ("_queue", "free")

    def __init__(self, size: int) -> None:
        self.free = size
        self._queue: deque[Wait] = deque()

    def take_at_once(self) -> bool:
        """Take a place if one is free; tell whether it was."""
        if not self.free:
            return False
        self.free -= 1
        return True

    async def take(self) -> None:
        """Take a place, as soon as there is one."""
        if self.take_at_once():
            return
        handed_over = Wait()
        self._queue.append(handed_over)
        try:
            await handed_over
        except BaseException:
            if handed_over.is_over:
                self.give_back()
            else:
                self._queue.remove(handed_over)
            raise

    def give_back(self) -> None:
        """Hand a place over to whoever has waited longest, or leave it free."""
        if self._queue:
            self._queue.popleft().end()
        else:
            self.free += 1


class SeveralPlaces:
    """One place of each, all of them at the same time or none; the same calls as those of one kind of place."""

    __slots__ = ("_each",)

    def __init__(self, each: Sequence[Places]) -> None:
        self._each = each

    def take_at_once(self) -> bool:
        """Take a place of each where all of them have a free one; tell whether they had."""
        if not all(places.free for places in self._each):
            return False
        for places in self._each:
            places.free -= 1
        return True

    async def take(self) -> None:
        """Take a place of each, waiting for one after another."""
        taken: list[Places] = []
        try:
            for places in self._each:
                await places.take()
                taken.append(places)
        except BaseException:
            SeveralPlaces(taken).give_back()
            raise

    def give_back(self) -> None:
        for places in self._each:
            places.give_back()


class SharedPlaces:
    """The places that the calls of one run share: one for what is exclusive, so many for a pool."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], Places] = {}
        self._wanted: dict[tuple[str | None, str | None], Places | SeveralPlaces] = {}

    def wanted_by(self, request: Request) -> Places | SeveralPlaces:
        """Return where an attempt needs a place."""
        wanted = self._wanted.get((request.exclusive, request.pool))
        if wanted is None:
            each = []
            if request.exclusive is not None:
                each.append(self._named("exclusive", request.exclusive, 1))
            if request.pool is not None:
                each.append(self._named("pool", request.pool, request.pool_size or 1))
            wanted = each[0] if len(each) == 1 else SeveralPlaces(each)
            self._wanted[request.exclusive, request.pool] = wanted
        return wanted

    def _named(self, kind: str, name: str, size: int) -> Places:
        places = self._places.get((kind, name))
        if places is None:
            places = self._places[kind, name] = Places(size)
        return places


class SideBySide:
    """Whoever drives the bodies of a run; one of them may have further ones driven inside itself.

    Shapes: `write` commits what is on its way; `count` is how many bodies are at work right now.
    """

    def __init__(self, write: Callable[[], None]) -> None:
        self.count = 0
        self._write = write
        self._is_driving = False
        self._outside = 0  # how many wait for the event loop

    async def drive(self, bodies: Iterable[Body]) -> None:
        """Let bodies go on until all have ended. They keep to themselves what goes wrong in them."""
        group = _Group(bodies)
        self.count += len(group.ready)
        is_inside, self._is_driving = self._is_driving, True
        try:
            while True:
                self.count -= group.go_on()
                if not group.is_at_work():
                    return
                if group.unwritten:
                    group.written(await self._commit(is_inside))
                    if self._outside and not is_inside:
                        await _turn_of_the_loop()
                elif group.in_turn:
                    await (IN_TURN if is_inside else _turn_of_the_loop())
                elif group.waiting:
                    await self._idle(group, is_inside)
                else:
                    await (OTHERS_GO_ON if is_inside else _turn_of_the_loop())
        except BaseException as error:
            # Whoever drives this was stopped in the middle, and so are they.
            self.count -= group.stop(error)
            raise
        finally:
            self._is_driving = is_inside

    async def result_of(self, work: Coroutine[Any, Any, T], of: object = None) -> T:
        """Return what comes of something that waits for the event loop: beside bodies in a task of its own.

        Shapes: `of` is what the work waits for; it is let go where the work is stopped before it began.
        """
        if not self._is_driving:
            return await work
        from asyncio import create_task

        task = create_task(work)
        wait = Wait()
        task.add_done_callback(partial(_is_over, wait, of))
        self._outside += 1
        try:
            await wait
        except BaseException:
            task.cancel()
            raise
        finally:
            self._outside -= 1
        return task.result()

    # --- what the driver does when no body can go on ---

    async def _commit(self, is_inside: bool) -> Exception | None:
        """Have written what is on its way; returns why it could not be, for every body that waits for it."""
        try:
            if is_inside:
                await WRITTEN
            else:
                self._write()
        except Exception as error:
            return error
        return None

    async def _idle(self, group: _Group, is_inside: bool) -> None:
        """Wait until one of the bodies need not wait any longer."""
        if is_inside:
            wait = Wait()
            group.when_ready = wait.end
            await wait
        else:
            from asyncio import get_running_loop

            future = get_running_loop().create_future()
            group.when_ready = partial(_set, future)
            await future
        group.when_ready = None


class _Group:
    """The bodies that are driven together, by what they wait for.

    Shapes: `ready` are those that can go on; `errors` what some of them learn of when they do.
    """

    def __init__(self, bodies: Iterable[Body]) -> None:
        self.ready = deque(bodies)
        self.errors: dict[Body, Exception] = {}
        self.unwritten: list[Body] = []
        self.in_turn: list[Body] = []
        self.waiting: set[Body] = set()
        self.when_ready: Callable[[], object] | None = None
        self._behind: list[Body] = []

    def is_at_work(self) -> bool:
        return bool(self.ready or self.unwritten or self.in_turn or self.waiting or self._behind)

    def go_on(self) -> int:
        """Let every body go on that can; returns how many came to their end."""
        ended = 0
        self._let_go_on(self.in_turn)
        self._let_go_on(self._behind)
        ready, unwritten = self.ready, self.unwritten
        while ready:
            body = ready.popleft()
            try:
                awaited = body.send(None) if not self.errors else self._told(body)
            except StopIteration:
                ended += 1
                continue
            if awaited is WRITTEN:
                unwritten.append(body)
            elif awaited is IN_TURN:
                self.in_turn.append(body)
            elif awaited is None:
                self._behind.append(body)
            else:
                self.waiting.add(body)
                awaited.when_over(partial(self._need_not_wait, body))
        return ended

    def _told(self, body: Body) -> Any:
        """Let a body go on where some have to learn of an error."""
        error = self.errors.pop(body, None)
        return body.send(None) if error is None else body.throw(error)

    def written(self, error: Exception | None) -> None:
        if error is not None:
            self.errors.update(dict.fromkeys(self.unwritten, error))
        self._let_go_on(self.unwritten)

    def stop(self, error: BaseException) -> int:
        """Stop every body where it stands; returns how many."""
        bodies = [*self.ready, *self.unwritten, *self.in_turn, *self._behind, *self.waiting]
        for body in bodies:
            with suppress(BaseException):
                body.throw(error)
            body.close()
        return len(bodies)

    def _let_go_on(self, bodies: list[Body]) -> None:
        self.ready.extend(bodies)
        bodies.clear()

    def _need_not_wait(self, body: Body) -> None:
        self.waiting.discard(body)
        self.ready.append(body)
        if self.when_ready is not None:
            self.when_ready()


def let_go(answer: object) -> None:
    """Close a call that nobody waits for any more: one that never began would be told of as a fault of the program."""
    if isinstance(answer, Coroutine):
        answer.close()


def _is_over(wait: Wait, of: object, _: object) -> None:
    let_go(of)
    wait.end()


def _set(future: Future[None]) -> None:
    if not future.done():
        future.set_result(None)


async def _turn_of_the_loop() -> None:
    from asyncio import sleep

    await sleep(0)
