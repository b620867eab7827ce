"""One process: started as a group of its own, read to its end, and ended as a group where it does not end itself.

Standard output and error are read side by side. Output has a bound; of standard error the end is kept, and however
much there is of it, the program goes on. A time-out or a cancel comes as the cancellation of the task: the group is
asked to end, and made to end. What a program leaves behind after a good end is its own affair. But while something that
it started still holds standard output open, more of the answer may come: that is waited for, unless what is there is
whole by its form.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from interpreter.adapters.groups import signal_group
from rules.records import NamedTuple

#: How long a group may take to end by itself. Units: seconds.
GRACE = 1.0
#: How long what a program wrote is still read after it has ended, where it is whole already. Units: seconds.
REST = 0.5


class Ended(NamedTuple):
    """Shapes: `status` is negative where a signal ended it; `errors` is the end of standard error."""

    status: int
    output: bytes
    errors: bytes
    is_too_large: bool = False


class _Reading(asyncio.SubprocessProtocol):
    def __init__(self, most_output: int, most_errors: int) -> None:
        loop = asyncio.get_running_loop()
        self.has_ended = loop.create_future()
        self.output_is_read = loop.create_future()
        self.is_read = loop.create_future()
        self.is_too_large = False
        self.pieces: list[bytes] = []
        self.errors = bytearray()
        self._size = 0
        self._most_output = most_output
        self._most_errors = most_errors
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if self.is_too_large:
            return
        if fd == 2:
            self.errors += data
            if len(self.errors) > 2 * self._most_errors:
                del self.errors[: -self._most_errors]
            return
        self.pieces.append(data)
        self._size += len(data)
        if self._size > self._most_output:
            self.is_too_large = True
            for future in (self.has_ended, self.output_is_read):
                _resolve(future)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if fd == 1:
            _resolve(self.output_is_read)
        if not self._open:
            _resolve(self.is_read)

    def process_exited(self) -> None:
        _resolve(self.has_ended)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


async def run(
    words: Sequence[str],
    *,
    text: bytes | None,
    environment: Mapping[str, str],
    folder: str,
    most_output: int,
    most_errors: int,
    is_whole: Callable[[bytes], bool] = lambda output: False,
    held: int | None = None,
) -> Ended:
    """Run a program to its end.

    Shapes: `is_whole` says of output to which more may come that it is the answer by its form; `held` is a descriptor
    that the program inherits.
    Units: bytes.
    Errors: OSError where it cannot be started; CancelledError after its group has ended.
    """
    starting = asyncio.ensure_future(
        asyncio.get_running_loop().subprocess_exec(
            lambda: _Reading(most_output, most_errors),
            *words,
            stdin=asyncio.subprocess.PIPE if text is not None else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
            pass_fds=(held,) if held is not None else (),
        )
    )
    transport, protocol = await _started(starting)
    try:
        if text is not None:
            _give(transport, text)
        await protocol.has_ended
        if not protocol.is_too_large:
            await asyncio.wait([protocol.is_read], timeout=REST)
            if not protocol.output_is_read.done() and not is_whole(b"".join(protocol.pieces)):
                await protocol.output_is_read
        if protocol.is_too_large:
            await _end(transport)
    except BaseException:
        await _end(transport)
        raise
    finally:
        transport.close()
    status = transport.get_returncode()
    return Ended(
        status if status is not None else -signal.SIGKILL,
        b"".join(protocol.pieces),
        bytes(protocol.errors[-most_errors:]),
        protocol.is_too_large,
    )


async def _started(
    starting: asyncio.Future[tuple[asyncio.SubprocessTransport, _Reading]],
) -> tuple[asyncio.SubprocessTransport, _Reading]:
    """Wait for the start, which nothing may cut short: half started, only the program itself would be ended."""
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        try:
            await asyncio.wait([starting])
        except asyncio.CancelledError:
            starting.add_done_callback(_end_at_once)
            raise
        if starting.exception() is None:
            transport, _ = starting.result()
            try:
                await _end(transport)
            finally:
                transport.close()
        raise


def _end_at_once(started: asyncio.Future[tuple[asyncio.SubprocessTransport, _Reading]]) -> None:
    if not started.cancelled() and started.exception() is None:
        transport, _ = started.result()
        signal_group(transport.get_pid(), signal.SIGKILL)
        transport.close()


def _give(transport: asyncio.SubprocessTransport, text: bytes) -> None:
    pipe = transport.get_pipe_transport(0)
    assert isinstance(pipe, asyncio.WriteTransport)
    pipe.write(text)
    pipe.close()  # after what is still to be written


async def _end(transport: asyncio.SubprocessTransport) -> None:
    """Ask the group to end, and make it end; children that the program started are in it."""
    group = transport.get_pid()
    try:
        if signal_group(group, signal.SIGTERM):
            ends = asyncio.get_running_loop().time() + GRACE
            while signal_group(group, 0) and asyncio.get_running_loop().time() < ends:
                await asyncio.sleep(0.01)
    finally:
        signal_group(group, signal.SIGKILL)
    with suppress(asyncio.TimeoutError):
        # The loop learns of the end a little later; without this the transport would kill what is already gone.
        await asyncio.wait_for(_ended(transport), GRACE)


async def _ended(transport: asyncio.SubprocessTransport) -> None:
    while transport.get_returncode() is None:
        await asyncio.sleep(0.005)
