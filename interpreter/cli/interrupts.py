"""Signals while a run is walked."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType
from typing import Any

from interpreter.cli.context import Context
from interpreter.cli.people import TerminalPeople
from interpreter.session.sessions import Session


class Interrupts:
    """Ctrl-C, SIGTERM and a closed terminal leave the run resumable: what is in flight ends, nothing new starts.

    A second one does not wait for what is in flight, nor does the first one with `waits` False: a dry run keeps
    nothing of it. The first two are taken also where whoever started the process had it ignore them, as a shell does
    with `&`; a closed terminal is not where `nohup` asked for that.
    """

    def __init__(self, context: Context, session: Session, terminal: TerminalPeople, *, waits: bool = True) -> None:
        self._context = context
        self._session = session
        self._terminal = terminal
        self._waits = waits
        self._before: dict[int, Any] = {}
        self.arrived = False

    def __enter__(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._stop)

    def __exit__(self, *unused: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        is_first, self.arrived = not self.arrived, True  # another one may come while this one is taken
        if is_first and self._waits and self._session.in_flight:
            self._say_what_goes_on()
        self._session.interrupt()
        if not self._waits:
            self._session.interrupt()
        if self._terminal.is_asking:
            raise KeyboardInterrupt

    def _say_what_goes_on(self) -> None:
        """Say why nothing seems to happen; written past the buffers, which a signal may have come in the middle of."""
        calls = self._session.in_flight
        counted = "1 call" if calls == 1 else f"{calls} calls"
        text = self._context.say(
            f"还有 {calls} 个调用在进行，结束后就停下；再按一次 Ctrl-C 立即停下",
            f"waiting for {counted} in flight; press Ctrl-C again to stop at once",
        )
        with suppress(OSError):
            os.write(2, f"\n{text}\n".encode())
