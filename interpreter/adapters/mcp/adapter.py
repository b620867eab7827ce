"""The adapter `mcp`: one call of a server's tool for one attempt, in a session that is kept.

It repeats nothing. A server that has stopped is started or contacted anew by the next attempt, whoever makes it
(`retry` of the call, a resume, the next call), never within one: what a write came to is then looked up, not done
again. After an attempt that was given up (a time-out) a server may be stuck, so the next attempt starts it anew too,
where no other call is in flight.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from interpreter.adapters.mapping import failure, said, value_of
from interpreter.adapters.mcp.planning import McpCall, arguments_of
from interpreter.adapters.mcp.settings import Given, McpSettings
from interpreter.adapters.own_words import own_words
from interpreter.adapters.reasons import reason_of
from interpreter.ports import Answered, Holds, JsonObject, Request, ToolFailure
from interpreter.safety.secrets import Secrets
from rules.json_texts import strict_json
from rules.values import NUMBER_LIMIT, CannotEvaluate

if TYPE_CHECKING:
    from interpreter.adapters.mcp.connection import Connection

#: Under which a call carries the key by which a server may know it again.
IDEMPOTENCY_META = "workflow-interpreter/idempotency-key"


class McpAdapter:
    """`toolbox.LaterAdapter` over one server. Shapes: `calls` by tool; `known` are the settings of the profile."""

    is_asynchronous = True

    def __init__(
        self, settings: McpSettings, given: Given, calls: Mapping[str, McpCall], known: Mapping[str, Any]
    ) -> None:
        self._settings = settings
        self._given = given
        self._calls = calls
        self._known = dict(known)
        self._connection: Connection | None = None
        self._loop: Any = None
        self._turn: asyncio.Lock | None = None
        self._in_flight = 0
        self._is_doubtful = False
        self._holds: Holds | None = None

    def hold_programs(self, holds: Holds) -> None:
        self._holds = holds

    @property
    def secrets(self) -> Secrets:
        """Return what finds the secrets of the server in the words of others; a recorder takes them out."""
        return self._given.secrets

    def resolved_identity(self) -> str:
        return self._settings.server

    async def call(self, request: Request, cancelled: Callable[[], bool]) -> Answered:
        """Make one attempt.

        Errors: ToolFailure with a code of the contract or of `codes.service`; TimeoutError.
        """
        call = self._calls[request.tool]
        try:
            arguments = arguments_of(call, {**request.arguments, "settings": self._known}, request.arguments)
        except CannotEvaluate as error:
            reason = reason_of(error)
            raise failure("request_not_made", reason_zh=reason.zh, reason_en=reason.en) from None
        self._in_flight += 1
        try:
            async with asyncio.timeout(request.timeout if request.timeout is not None else self._settings.seconds):
                result = await self._result(call, arguments, request)
        except (TimeoutError, asyncio.CancelledError):
            self._is_doubtful = True
            raise
        finally:
            self._in_flight -= 1
        return Answered(self._value(call, result, request), {})

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and self._loop is asyncio.get_running_loop():
            await connection.close()

    # --- for whoever looks at it before ---

    @property
    def lock(self) -> str:
        """Return the file in which descriptions are pinned."""
        return self._settings.lock

    @property
    def used(self) -> tuple[str, ...]:
        """Return the names of the tools that the profile uses, as the server calls them."""
        return tuple(sorted({call.name for call in self._calls.values()}))

    async def tools(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the tools that the server lists, by name, as the protocol writes them.

        Errors: ToolFailure.
        """
        connection = await self._opened()
        try:
            await self._listed(connection)
            return connection.tools
        finally:
            await self.close()

    async def installed(self) -> str:
        """Return what the server calls itself, after looking whether its tools are those that were pinned.

        Errors: ToolFailure, that of the first tool that may not be called.
        """
        connection = await self._opened()
        await self._listed(connection)
        for name in self.used:
            if name in connection.problems:
                raise connection.problems[name]
        return connection.name

    async def _listed(self, connection: Connection) -> None:
        from mcp.shared.exceptions import MCPError
        from pydantic import ValidationError

        try:
            await connection.session()
        except MCPError as error:
            raise await self._refused(connection, error, is_before=True) from None
        except (ValidationError, RuntimeError) as error:
            raise self._broken(connection, error, is_before=True) from None

    # --- the session ---

    async def _opened(self) -> Connection:
        """Return an open session; one that is no longer of use is closed first.

        Errors: ToolFailure.
        """
        from interpreter.adapters.mcp.connection import Connection

        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._connection, self._loop, self._turn = None, loop, asyncio.Lock()
        assert self._turn is not None
        connection = self._connection
        is_alone = self._is_doubtful and self._in_flight == 1
        if connection is not None and connection.is_open and not is_alone:
            return connection
        async with self._turn:
            if self._connection is not None and (is_alone or not self._connection.is_open):
                before, self._connection = self._connection, None
                await before.close()
            self._is_doubtful = False
            if self._connection is None:
                fresh = Connection(self._settings, self._given, self._calls.values(), self._holds)
                await fresh.open()
                self._connection = fresh
            return self._connection

    async def _result(self, call: McpCall, arguments: dict[str, Any], request: Request) -> Any:
        from mcp.shared.exceptions import MCPError
        from pydantic import ValidationError

        connection = await self._opened()
        try:
            await self._listed(connection)
            problem = connection.problems.get(call.name)
            if problem is not None:
                raise problem
            meta = {IDEMPOTENCY_META: request.identity} if request.effect != "read" else None
            return await connection.call(call.name, arguments, meta)
        except MCPError as error:
            raise await self._refused(connection, error) from None
        except (ValidationError, RuntimeError) as error:
            raise self._broken(connection, error) from None

    async def _refused(self, connection: Connection, error: Any, *, is_before: bool = False) -> ToolFailure:
        """Return what an error of the protocol means."""
        from mcp_types import CONNECTION_CLOSED

        if error.code == CONNECTION_CLOSED:
            await asyncio.sleep(0)  # let the reading side notice why
        known = connection.known_problem(is_before=is_before) or connection.lost_session(error.message)
        if known is not None:
            return known
        number: JsonObject = {"protocol_code": error.code} if abs(error.code) < NUMBER_LIMIT else {}
        told = f"{error.message} ({error.code})" if number else error.message
        more = own_words(error.data)
        if more and more not in told:
            told = f"{told}: {more}"
        return _failed("tool_error", said(told, self._given.secrets), number)

    def _broken(self, connection: Connection, error: Any, *, is_before: bool = False) -> ToolFailure:
        """Return what an answer means that does not keep to the protocol, or to the schema that the tool declares."""
        from interpreter.adapters.mcp.wording import broken

        known = connection.known_problem(is_before=is_before)
        return known or failure("server_broken", reason=broken(error, self._given.secrets))

    # --- the answer ---

    def _value(self, call: McpCall, result: Any, request: Request) -> Any:
        if getattr(result, "result_type", "complete") == "input_required" or not hasattr(result, "content"):
            raise failure("input_asked_for")
        parts = [_part(one) for one in result.content]
        text = "\n".join(part["text"] for part in parts if "text" in part)
        answer, is_json = self._answer(result, parts, text)
        secrets = self._given.secrets
        names = {
            "answer": secrets.cleared(answer),
            "text": secrets.without(text),
            "parts": secrets.cleared(parts),
            "is_error": result.is_error,
            "sent": request.arguments,
            "settings": self._known,
        }
        otherwise = None
        if result.is_error:
            otherwise = _failed("tool_error", said(text or own_words(answer), secrets), {})
        elif not is_json and self._settings.answers == "json":
            kinds = ", ".join(dict.fromkeys(part["type"] for part in parts))
            otherwise = _failed("no_data", said(text, secrets), {}, what=kinds or "-")
        return value_of(call.meaning, names, secrets, otherwise)

    def _answer(self, result: Any, parts: list[JsonObject], text: str) -> tuple[Any, bool]:
        """Return the answer, and whether it is JSON; None where nothing came."""
        if "structured_content" in result.model_fields_set and result.structured_content is not None:
            return result.structured_content, True
        if self._settings.answers == "text":
            return text, True
        if len(parts) == 1 and "text" in parts[0]:
            try:
                return strict_json(text), True
            except ValueError:
                return text, False
        return None, False


def _failed(code: str, told: str, details: JsonObject, **facts: Any) -> ToolFailure:
    """Return a failure with the server's own words, where it has any."""
    zh, en = (f"：{told}", f": {told}") if told else ("", "")
    says: JsonObject = {"server_says": told} if told else {}
    return failure(code, details={**details, **says}, said_zh=zh, said_en=en, **facts)


def _part(content: Any) -> JsonObject:
    """Return a part of an answer without the bytes of images, sounds and files."""
    part: JsonObject = {"type": str(getattr(content, "type", "unknown"))}
    inside = getattr(content, "resource", content)  # a file that is handed over whole
    for name in ("text", "uri", "name"):
        value = getattr(inside, name, None)
        if value is not None:
            part[name] = str(value)
    return part
