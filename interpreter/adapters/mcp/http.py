"""The connection to a server at an address: credentials for its origin alone, answers bounded, no proxies unasked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2

from interpreter.adapters.mcp.settings import McpSettings
from interpreter.adapters.mcp.stdio import Heard

#: Units: seconds.
CONNECT_WITHIN = 10.0


def bounded_client(settings: McpSettings, signed: tuple[tuple[str, str], ...], heard: Heard) -> httpx2.AsyncClient:
    """Return a client whose answers end at the bound of the profile. The SDK follows redirects to this origin only."""
    return httpx2.AsyncClient(
        headers=[*settings.headers.items(), *signed, ("accept-encoding", "identity")],
        timeout=httpx2.Timeout(None, connect=CONNECT_WITHIN),
        trust_env=settings.environment_proxies,
        event_hooks={"response": [_bounding(settings.largest_answer, heard)]},
    )


def _bounding(most: int, heard: Heard) -> Any:
    async def bound(response: httpx2.Response) -> None:
        if response.status_code in (401, 403, 407):
            heard.status = response.status_code
        stream = response.stream
        if isinstance(stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(stream, most, heard)

    return bound


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
