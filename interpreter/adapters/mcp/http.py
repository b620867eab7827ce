"""The connection to a server at an address: credentials for its origin alone, answers bounded, no proxies unasked.

Which message an HTTP answer belongs to is read from the request that it answers. A call is refused by the answer to its
own POST and by nothing else: the SDK asks other things beside it, such as the stream of events, and a server that
refuses those may well have done what it was called for.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Any

import httpx2
import mcp_types as types

from interpreter.adapters.mcp.settings import McpSettings
from interpreter.adapters.mcp.stdio import Heard, Refusal
from interpreter.adapters.origins import REDIRECTS, led_to

#: Units: seconds.
CONNECT_WITHIN = 10.0
_REFUSES = frozenset({401, 403, 407})
#: With 404 a server says that it does not know the session (any more); many say so with 400.
_NO_SUCH_SESSION = frozenset({400, 404})
_SESSION = "mcp-session-id"
_CALL = "tools/call"
#: The numbers of the messages that carry the call of this task.
SENT: ContextVar[list[object] | None] = ContextVar("sent", default=None)


def bounded_client(settings: McpSettings, signed: tuple[tuple[str, str], ...], heard: Heard) -> httpx2.AsyncClient:
    """Return a client whose answers end at the bound of the profile. The SDK follows redirects to this origin only."""
    return httpx2.AsyncClient(
        headers=[*settings.headers.items(), *signed, ("accept-encoding", "identity")],
        timeout=httpx2.Timeout(None, connect=CONNECT_WITHIN),
        trust_env=settings.environment_proxies,
        event_hooks={"response": [_bounding(settings.largest_answer, heard)]},
    )


def _bounding(most: int, heard: Heard) -> Any:
    passed_on: set[object] = set()

    async def bound(response: httpx2.Response) -> None:
        if "location" in response.headers and led_to(str(response.request.url), response.headers["location"]) is None:
            del response.headers["location"]  # nobody goes there, and the SDK might not be able to read it
        _take_note(response, heard, passed_on)
        stream = response.stream
        if isinstance(stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(stream, most, heard)

    return bound


def _take_note(response: httpx2.Response, heard: Heard, passed_on: set[object]) -> None:
    """Keep in mind that a status refuses the message which it answers."""
    message = _message_in(response.request)
    if message is None:
        return
    status, number = response.status_code, message.get("id")
    is_in_session = _SESSION in response.request.headers
    heard.session_refused = status if is_in_session and status in _NO_SUCH_SESSION else None
    if message.get("method") != _CALL:
        heard.before = status if status in _REFUSES else None
    elif isinstance(number, int | str):
        if status in _REFUSES:
            heard.refused[number] = Refusal(status, number not in passed_on)
        if status in REDIRECTS and "location" in response.headers:
            passed_on.add(number)
        else:
            passed_on.discard(number)


def _message_in(request: httpx2.Request) -> dict[str, Any] | None:
    """Return the message that a request carries, None where it is another one."""
    if request.method != "POST" or not isinstance(request.stream, httpx2.SyncByteStream):
        return None
    try:
        message = json.loads(request.read())  # a request that a redirect made has not been read yet
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


class Watched:
    """The sending side of a session; tells the task that makes a call by which message it went."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def send(self, item: Any) -> None:
        sent = SENT.get()
        message = item.message
        if sent is not None and isinstance(message, types.JSONRPCRequest) and message.method == _CALL:
            sent.append(message.id)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Watched:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *reason: Any) -> None:
        await self._inner.__aexit__(*reason)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, most: int, heard: Heard) -> None:
        self._inner = inner
        self._most = most
        self._heard = heard

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._inner:
            size += len(piece)
            if size > self._most:
                self._heard.problem = ("answer_too_large", {"at_most": self._most})
                raise httpx2.ReadError("the answer is too large")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
