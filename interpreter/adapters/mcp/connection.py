"""One session with a server, held by a task of its own: who opens a session must be the one who closes it.

Before anything is called, the tools that the server lists are compared with what the profile asks for and with what a
person has pinned; the same again when the server says that its list has changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

import mcp_types as types
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from interpreter import __version__
from interpreter.adapters.command.settings import no_program
from interpreter.adapters.mapping import failure, said
from interpreter.adapters.mcp.pins import UnreadablePins, digest_of, pin_command, read_pins
from interpreter.adapters.mcp.planning import McpCall, misfit
from interpreter.adapters.mcp.settings import Given, McpSettings
from interpreter.adapters.mcp.stdio import Heard, started
from interpreter.adapters.mcp.wording import (
    ENDED_AT_ONCE,
    ENDLESS,
    IN_A_CIRCLE,
    NO_FIRST_ANSWER,
    TWICE_OR_ENDLESS,
    broken,
    protocol_error,
)
from interpreter.adapters.reasons import system_reason
from interpreter.diagnostics import Words, nearest
from interpreter.ports import Holds, ToolFailure

_MOST_PAGES = 50
_MOST_TOOLS = 2_000

# What the SDK would say on standard error is said by failures here.
logging.getLogger("mcp").addHandler(logging.NullHandler())


class Connection:
    """An open session. Shapes: `problems` says of tools why they may not be called."""

    def __init__(
        self, settings: McpSettings, given: Given, calls: Iterable[McpCall], holds: Holds | None = None
    ) -> None:
        self._holds = holds
        self._settings = settings
        self._given = given
        self._calls = tuple(calls)
        self._closing = asyncio.Event()
        self._listing = asyncio.Lock()
        self._is_listed = False
        self._task: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self.heard = Heard()
        self.problems: dict[str, ToolFailure] = {}
        self.tools: dict[str, dict[str, Any]] = {}

    @property
    def is_open(self) -> bool:
        is_held = self._task is not None and not self._task.done() and not self._closing.is_set()
        return is_held and not self.heard.has_ended and self.heard.problem is None

    @property
    def name(self) -> str:
        """Return what the server calls itself, with its version."""
        info = self._client.server_info if self._client is not None else None
        return said(f"{info.name} {info.version}", self._given.secrets) if info is not None else ""

    async def open(self) -> None:
        """Start or contact the server and shake hands.

        Errors: ToolFailure.
        """
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold(ready))
        try:
            async with asyncio.timeout(self._settings.start_seconds):
                await asyncio.shield(ready)
        except TimeoutError:
            await self._give_up(ready)
            raise self._unreachable(NO_FIRST_ANSWER) from None
        except asyncio.CancelledError:
            await self._give_up(ready)
            raise

    async def session(self) -> Any:
        """Return the session, its tools looked at.

        Errors: ToolFailure, MCPError.
        """
        assert self._client is not None
        if not self._is_listed:
            async with self._listing:
                if not self._is_listed:
                    self._is_listed = True
                    try:
                        await self._list()
                    except BaseException:
                        self._is_listed = False
                        raise
        return self._client.session

    async def close(self) -> None:
        self._closing.set()
        if self._task is not None:
            with suppress(Exception):
                await self._task

    async def _give_up(self, ready: asyncio.Future[None]) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if ready.done() and not ready.cancelled():
            ready.exception()

    async def _hold(self, ready: asyncio.Future[None]) -> None:
        try:
            async with self._transport() as transport:
                mode = "legacy" if self._settings.protocol == "handshake" else "auto"
                info = types.Implementation(name="workflow-interpreter", version=__version__)
                client = Client(
                    _Opened(transport), mode=mode, client_info=info, message_handler=self._notice, cache=None
                )
                async with client:
                    self._client = client
                    ready.set_result(None)
                    await self._closing.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(self._failed(error))
                ready.exception()
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self._closing.set()

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[Any]:
        settings = self._settings
        if settings.address is None:
            words = [settings.program or "", *settings.argv]
            environment, folder = self._given.environment, settings.folder
            held = self._holds.take("") if self._holds is not None else None
            async with started(words, environment, folder, settings.largest_answer, self.heard, held) as streams:
                yield streams
            return
        from mcp.client.streamable_http import streamable_http_client

        from interpreter.adapters.mcp.http import Watched, bounded_client

        async with (
            bounded_client(settings, self._given.headers, self.heard) as client,
            streamable_http_client(settings.address, http_client=client) as streams,
        ):
            arrived, send = streams
            yield arrived, Watched(send)

    async def call(self, name: str, arguments: dict[str, Any], meta: Any) -> Any:
        """Send a call and return its result.

        Errors: MCPError; ToolFailure where the answer to this very call refuses it.
        """
        from interpreter.adapters.mcp.http import SENT

        assert self._client is not None
        numbers: list[object] = []
        mark = SENT.set(numbers)
        try:
            return await self._client.session.call_tool(
                name, arguments, meta=meta, allow_input_required=True, allow_claimed=True
            )
        except MCPError:
            refusal = next((self.heard.refused[one] for one in numbers if one in self.heard.refused), None)
            if refusal is None:
                raise
            # Somebody who passed it on may have acted before.
            raise self._refused(refusal.status, is_unsure=not refusal.is_first) from None
        finally:
            SENT.reset(mark)
            for one in numbers:
                self.heard.refused.pop(one, None)

    async def _notice(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._is_listed = False

    # --- the tools ---

    async def _list(self) -> None:
        self.tools = {}
        cursor: str | None = None
        seen: set[str] = set()
        assert self._client is not None
        for _ in range(_MOST_PAGES):
            page = await self._client.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            for tool in page.tools:
                if tool.name in self.tools or len(self.tools) >= _MOST_TOOLS:
                    raise failure("server_broken", reason=TWICE_OR_ENDLESS)
                self.tools[tool.name] = tool.model_dump(by_alias=True, mode="json", exclude_none=True)
            cursor = page.next_cursor
            if cursor is None:
                break
            if cursor in seen:
                raise failure("server_broken", reason=IN_A_CIRCLE)
            seen.add(cursor)
        else:
            raise failure("server_broken", reason=ENDLESS)
        self._look()

    def _look(self) -> None:
        """Compare the tools with what the profile asks for and with what is pinned."""
        lock = self._settings.lock
        try:
            pins = read_pins(lock, self._settings.server)
        except UnreadablePins:
            raise failure("pins_unreadable", file=lock, command=pin_command(lock)) from None
        self.problems = {}
        for call in self._calls:
            problem = self._problem(call, pins.get(call.name))
            if problem is not None:
                self.problems[call.name] = problem

    def _problem(self, call: McpCall, pinned: str | None) -> ToolFailure | None:
        tool = self.tools.get(call.name)
        if tool is None:
            near = nearest(call.name, self.tools)
            zh, en = (f"；是不是想写 {near}？", f"; did you mean {near}?") if near is not None else ("", "")
            return failure("tool_missing", name=call.name, near_zh=zh, near_en=en)
        command = pin_command(self._settings.lock)
        if pinned is None:
            return failure("tool_not_pinned", name=call.name, command=command)
        if pinned != digest_of(tool):
            return failure("tool_changed", name=call.name, command=command)
        reason = misfit(call, tool["inputSchema"])
        if reason is not None:
            return failure("tool_unfit", name=call.name, reason_zh=reason[0], reason_en=reason[1])
        return None

    # --- what went wrong ---

    def _failed(self, error: BaseException) -> ToolFailure:
        """Return why a session could not be opened."""
        if isinstance(error, BaseExceptionGroup):
            inner = error.exceptions[0]
            return self._failed(inner)
        if isinstance(error, ToolFailure):
            return error
        known = self.known_problem(is_before=True)
        if known is not None and known.code != "server_stopped":
            return known
        if isinstance(error, PermissionError | IsADirectoryError):
            program = self._settings.program or "-"
            return failure("program_not_executable", program=program, reason=system_reason(error))
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return no_program(self._settings.program or "-")
        # What a server answers counts, although it has ended by now: leaving the session ends it.
        if isinstance(error, MCPError) and not _is_of_the_end(error):
            told = protocol_error(error.code, error.message)
            return self._unreachable(Words(*(said(text, self._given.secrets) for text in told)))
        if isinstance(error, ValidationError | RuntimeError):
            return failure("server_broken", reason=broken(error, self._given.secrets))
        if self.heard.has_ended:
            last = self.last_words()
            return self._unreachable(Words(last, last) if last else ENDED_AT_ONCE)
        return self._unreachable(system_reason(error))

    def _unreachable(self, reason: Words) -> ToolFailure:
        return failure("unreachable", address=said(self._settings.server, self._given.secrets), reason=reason)

    def _refused(self, status: int, *, is_unsure: bool = False) -> ToolFailure:
        named = "access_denied" if status == 403 else "key_refused"
        variables = ", ".join(self._settings.secret_variables) or "-"
        failed = failure(named, details={"status": status}, status=status, variable=variables)
        failed.is_unsure = is_unsure
        return failed

    def known_problem(self, *, is_before: bool = False) -> ToolFailure | None:
        """Return what was noticed on the way: a message too large, noise without end, a server that is gone.

        Shapes: `is_before` says that no call is on its way, so that nothing can have happened.
        """
        if is_before and self.heard.before is not None:
            return self._refused(self.heard.before)
        if self.heard.problem is not None:
            code, facts = self.heard.problem
            return failure(code, **facts)
        if self.heard.has_ended:
            last = self.last_words()
            return failure("server_stopped", details={"server_says": last} if last else {}, told=last)
        return None

    def lost_session(self, message: str) -> ToolFailure | None:
        """Return that the server has forgotten the session, so that the next attempt begins one; None for other errors.

        Shapes: `message` is what the server says.
        """
        status = self.heard.session_refused
        if status is None or (status != 404 and "session" not in message.lower()):
            return None
        self.heard.has_ended = True
        told = said(message, self._given.secrets)
        return failure("server_stopped", details={"server_says": told} if told else {}, told=told)

    def last_words(self) -> str:
        """Return the end of what a server wrote beside its messages."""
        text = self.heard.errors.decode("utf-8", "replace").strip()
        return said(text[-300:], self._given.secrets)


def _is_of_the_end(error: MCPError) -> bool:
    """Say whether the SDK speaks itself of a closed connection; many servers use the same number for any failure."""
    return error.code == types.CONNECTION_CLOSED and error.message == "Connection closed"


class _Opened:
    """Streams that are open already, as the SDK takes a transport; whoever opened them closes them."""

    def __init__(self, streams: Any) -> None:
        self._streams = streams

    async def __aenter__(self) -> Any:
        return self._streams

    async def __aexit__(self, *unused: object) -> None:
        return None
