"""Threads for what cannot be cut short, such as the system's look-up of a name: nobody waits for them at the end."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import Any


class Aside(ThreadPoolExecutor):
    """The default executor of an event loop, with a thread of its own for each piece of work.

    The threads of the one that asyncio makes are joined when the loop closes and again when the process ends: a name
    server that does not answer would keep a run that was interrupted, or has ended, for as long as it likes.
    """

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()

        def make() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = work(*arguments, **named)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        Thread(target=make, daemon=True).start()
        return future
