"""Calls in flight: somebody looks round now and then while they are, and they can be ended before they answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from interpreter.adapters.reasons import failure_in_words
from interpreter.diagnostics import Words

if TYPE_CHECKING:
    from asyncio import Timeout

#: So often somebody looks round. Units: seconds.
LOOK_EVERY = 0.25
_CANCELLED = Words("运行被取消时调用还没有回答", "cancelled while it was in flight")


class Flights:
    """The calls of a run that have been made and not answered yet.

    Shapes: `must_end` looks round, and tells whether all of them have to end at once; nothing of the core is at work
    then.
    """

    def __init__(self, must_end: Callable[[], bool]) -> None:
        self._must_end = must_end
        self._has_ended: dict[Timeout, bool] = {}
        self._is_watched = False

    def __len__(self) -> int:
        return len(self._has_ended)

    async def answer_of(self, answer: Awaitable[Any], seconds: float | None) -> Any:
        """Return an answer that comes within its time.

        Errors: TimeoutError where it does not; ToolFailure `cancelled` where all calls had to end; those of the answer.
        """
        import asyncio

        try:
            async with asyncio.timeout(seconds) as limit:
                self._has_ended[limit] = False
                return await answer
        except TimeoutError:
            if self._has_ended[limit]:
                raise failure_in_words("cancelled", _CANCELLED) from None
            raise
        finally:
            del self._has_ended[limit]

    def watch(self) -> None:
        """See to it that somebody looks round from now on, as long as calls are in flight."""
        if not self._is_watched:
            from asyncio import get_running_loop

            self._is_watched = True
            get_running_loop().call_later(LOOK_EVERY, self._look)

    def _look(self) -> None:
        self._is_watched = False
        if not self._has_ended:
            return
        try:
            must_end = self._must_end()
        except Exception:
            must_end = True  # what went wrong here stands in the way of the next entry too, and is told there
        if must_end:
            self._end()
        self.watch()

    def _end(self) -> None:
        from asyncio import get_running_loop

        now = get_running_loop().time()
        for limit in self._has_ended:
            self._has_ended[limit] = True
            if not limit.expired():
                limit.reschedule(now)
