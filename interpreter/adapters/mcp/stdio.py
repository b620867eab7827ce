"""A server that is started: lines of JSON over its standard input and output, bounded, in a process group of its own.

The SDK's own transport holds a line of any length, reports every line that is no message, and leaves children of a
server that ended by itself; so only its messages are used here. What else stands on standard output is passed over.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from interpreter.adapters.groups import signal_group
from interpreter.diagnostics import Words
from rules.records import NamedTuple

#: Units: seconds.
GRACE = 1.0
_CHUNK = 65_536
#: So much of standard output may be no message before the server counts as broken. Units: bytes.
_MOST_NOISE = 10_000_000
_MOST_OF_ERRORS = 4_000
_HALF_AN_ANSWER = Words("它的一条回答不合协议的格式", "one of its answers has not the form of the protocol")


class Refusal(NamedTuple):
    """An HTTP status that refuses. Shapes: `is_first` where nobody had passed the message on before."""

    status: int
    is_first: bool


class Heard:
    """What was noticed beside the messages.

    Shapes: `problem` is a code of `codes.service` with its facts; `before` is the HTTP status that refused what was
    sent last before any call (the handshake, the list of tools), `refused` that which refused a call, by the number of
    the message that carried it. What refuses anything else, such as the stream of events, is in neither.
    `session_refused` is the status, 400 or 404, of what was sent last within a session.
    """

    def __init__(self) -> None:
        self.problem: tuple[str, dict[str, Any]] | None = None
        self.has_ended = False
        self.noise = 0
        self.errors = b""
        self.before: int | None = None
        self.refused: dict[object, Refusal] = {}
        self.session_refused: int | None = None


@asynccontextmanager
async def started(
    words: list[str],
    environment: Mapping[str, str],
    folder: str | None,
    most: int,
    heard: Heard,
    held: int | None = None,
) -> AsyncIterator[Any]:
    """Start a server and give the two streams of its messages; its process group has ended when this is left.

    Shapes: `held` is a descriptor that the server inherits.
    Units: `most` bytes of one message.
    Errors: OSError.
    """
    process = await asyncio.create_subprocess_exec(
        *words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environment),
        cwd=folder,
        start_new_session=True,
        pass_fds=(held,) if held is not None else (),
        limit=_CHUNK,
    )
    arrive, arrived = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    send, sent = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = [
        asyncio.ensure_future(_read(process, arrive, most, heard)),
        asyncio.ensure_future(_write(process, sent)),
        asyncio.ensure_future(_listen(process, heard)),
    ]
    try:
        yield arrived, send
    finally:
        await asyncio.shield(_end(process, tasks))
        for stream in (arrive, arrived, send, sent):
            stream.close()


async def _read(process: asyncio.subprocess.Process, arrive: Any, most: int, heard: Heard) -> None:
    assert process.stdout is not None
    rest = bytearray()
    try:
        async with arrive:
            while chunk := await process.stdout.read(_CHUNK):
                begins = 0
                while (ends := chunk.find(b"\n", begins)) >= 0:
                    line = bytes(rest) + chunk[begins:ends] if rest else chunk[begins:ends]
                    rest.clear()
                    begins = ends + 1
                    await _take(line, arrive, heard)
                rest += chunk[begins:]
                if len(rest) > most:
                    heard.problem = ("answer_too_large", {"at_most": most})
                    return
                if heard.problem is not None:
                    return
            heard.has_ended = True
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
        heard.has_ended = True


async def _take(line: bytes, arrive: Any, heard: Heard) -> None:
    if line.strip()[:1] == b"{":
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            if _is_half_an_answer(line):
                # Whoever waits for it would wait for as long as a call may take.
                heard.problem = ("server_broken", {"reason": _HALF_AN_ANSWER})
                return
        else:
            await arrive.send(SessionMessage(message))
            return
    heard.noise += len(line)
    if heard.noise > _MOST_NOISE:
        heard.problem = (
            "server_broken",
            {"reason": Words("标准输出上有太多不是消息的内容", "noise on standard output")},
        )


def _is_half_an_answer(line: bytes) -> bool:
    """Say whether a line that is no message of the protocol was meant to be an answer."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and {"jsonrpc", "id"} <= set(found) and bool({"result", "error"} & set(found))


async def _write(process: asyncio.subprocess.Process, sent: Any) -> None:
    assert process.stdin is not None
    try:
        async with sent:
            async for one in sent:
                process.stdin.write(one.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                await process.stdin.drain()
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        pass  # the reading side sees the end


async def _listen(process: asyncio.subprocess.Process, heard: Heard) -> None:
    """Keep the end of what a server writes beside its messages, for the one who asks why it ended."""
    assert process.stderr is not None
    while chunk := await process.stderr.read(_CHUNK):
        heard.errors = (heard.errors + chunk)[-_MOST_OF_ERRORS:]


async def _end(process: asyncio.subprocess.Process, tasks: Sequence[asyncio.Future[None]]) -> None:
    """Close standard input, which asks a server to end; then end its group, with the children in it."""
    assert process.stdin is not None
    with suppress(OSError, RuntimeError):
        process.stdin.close()
    await _until(lambda: process.returncode is not None)
    if signal_group(process.pid, signal.SIGTERM):
        await _until(lambda: not signal_group(process.pid, 0))
        signal_group(process.pid, signal.SIGKILL)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await _until(lambda: process.returncode is not None)
    transport = getattr(process, "_transport", None)  # else it warns where a child still holds a pipe
    if transport is not None:
        transport.close()


async def _until(is_so: Callable[[], bool]) -> None:
    """Wait a little for something; `process.wait()` would also wait for whoever else holds the pipes."""
    ends = asyncio.get_running_loop().time() + GRACE
    while not is_so() and asyncio.get_running_loop().time() < ends:
        await asyncio.sleep(0.005)
