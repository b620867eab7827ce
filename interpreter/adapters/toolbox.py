"""The adapters of one profile behind the names of its tools: calls go to what answers each, and in the end all close.

Opening an adapter starts and contacts nothing; the first call does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from interpreter.adapters.holds import hand_down
from interpreter.adapters.reasons import failure_in_words
from interpreter.diagnostics import Words
from interpreter.ports import Holds, Request

#: A server that is started gets three times a second to end by itself. Units: seconds.
CLOSE_WITHIN = 5.0


class Adapter(Protocol):
    """What answers tools at once. `invoke` raises `ToolFailure`; it may be named by an entry point."""

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str) -> Any | Awaitable[Any]: ...

    def resolved_identity(self) -> str:
        """Return what the adapter works on: a root folder, an address, an account."""


class LaterAdapter(Protocol):
    """What answers tools later, so that calls overlap: it has `is_asynchronous = True`, and the run gets a loop."""

    @property
    def is_asynchronous(self) -> bool: ...

    async def call(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        """Make one attempt. Errors: ToolFailure, TimeoutError."""

    async def close(self) -> None:
        """Close what is open; called inside the loop, when the walk ends. A further call opens it again."""

    def resolved_identity(self) -> str:
        """Return what the adapter works on: a root folder, an address, an account."""


class Toolbox:
    """`ports.Tools` over the adapters of one profile; tools with the same adapter and settings share one."""

    def __init__(self, by_tool: Mapping[str, Any]) -> None:
        self._by_tool = by_tool
        self._later = {tool for tool, adapter in by_tool.items() if getattr(adapter, "is_asynchronous", False)}

    @property
    def needs_loop(self) -> bool:
        """Whether some adapter answers later; else a run is driven without an event loop."""
        return bool(self._later)

    def names(self) -> frozenset[str]:
        return frozenset(self._by_tool)

    def has(self, tool: str) -> bool:
        return tool in self._by_tool

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any | Awaitable[Any]:
        adapter = self._by_tool.get(request.tool)
        if adapter is None:
            tool = request.tool
            words = Words(f"profile 没有回答 {tool} 的适配器", f"the profile has no adapter for {tool}")
            raise failure_in_words("not_in_profile", words)
        if request.tool in self._later:
            return adapter.call(request, cancelled)
        return adapter.invoke(request.tool, request.arguments, request.identity)

    def hold_programs(self, holds: Holds) -> None:
        """Let adapters that start programs hand down what tells how long these are at work."""
        hand_down({id(one): one for one in self._by_tool.values()}.values(), holds)

    def adapter_of(self, tool: str) -> Any:
        """Return what answers a tool, None where nothing does."""
        return self._by_tool.get(tool)

    async def close(self) -> None:
        """Close the connections that calls have opened, side by side; none of them holds up the others or the end."""
        from asyncio import gather

        await gather(*map(_closed, {id(one): one for one in (self._by_tool[tool] for tool in self._later)}.values()))

    def identities(self) -> Mapping[str, str]:
        return {tool: adapter.resolved_identity() for tool, adapter in sorted(self._by_tool.items())}


async def _closed(adapter: LaterAdapter) -> None:
    """Close an adapter; one that fails in this, or does not come to an end, says nothing of the run."""
    from asyncio import timeout

    with suppress(Exception):
        async with timeout(CLOSE_WITHIN):
            await adapter.close()
