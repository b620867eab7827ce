"""What the adapters `http` and `mcp` add to a call, beside the library alone on the same stand-in server.

    python bench/adapters_http.py

Targets: less than 1 ms above httpx, less than 2 ms above the SDK, for one call after another on a kept connection.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.servers.mcp_server import usual_tools
from tests.servers.services import MCP_PROGRAM, http_server_in
from tests.unit.services_kit import find, opened

CALLS = 200
ROUNDS = 7
HTTP_AT_MOST = 1.0
MCP_AT_MOST = 2.0

HTTP = """\
  desk.find:
    adapter: http
    settings: {address: "%s"}
    request: {path: [things, "{{ query }}"]}
    errors:
      - {when: "status == 404", code: GONE}
    success: answer.items is present
    value: {items: "{{ answer.items }}", more: false}
"""
MCP = """\
  desk.find:
    adapter: mcp
    settings: {program: "%s", argv: ["%s", "%s"]}
    request: {tool: echo, arguments: {query: "{{ query }}"}}
    success: answer.query is present
    value: {items: [], next: "{{ answer.query }}"}
"""


async def per_call(one: Callable[[], Awaitable[object]]) -> float:
    """Return milliseconds for one call, of several in a row."""
    began = time.perf_counter()
    for _ in range(CALLS):
        await one()
    return (time.perf_counter() - began) / CALLS * 1000


async def compared(
    ours: Callable[[], Awaitable[object]], floor: Callable[[], Awaitable[object]]
) -> tuple[float, float]:
    """Return the best of several rounds that alternate, ours and the library's."""
    for one in (ours, floor):
        await per_call(one)
    pairs = [(await per_call(ours), await per_call(floor)) for _ in range(ROUNDS)]
    return min(first for first, _ in pairs), min(second for _, second in pairs)


async def http(folder: Path) -> tuple[float, float]:
    import json

    import httpx

    with http_server_in(folder / "server") as server:
        server.gives(json={"items": [{"id": number} for number in range(20)]})
        toolbox, found = opened(folder, HTTP % server.address)
        assert toolbox is not None, found
        request = find(query="tea")
        async with httpx.AsyncClient(trust_env=False) as client:

            async def alone() -> object:
                return json.loads((await client.get(f"{server.address}/things/tea")).content)

            async def ours() -> object:
                return await toolbox.invoke(request, lambda: False)  # type: ignore[misc]

            figures = await compared(ours, alone)
        await toolbox.close()
        return figures


async def mcp(folder: Path) -> tuple[float, float]:
    import json

    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    from interpreter.adapters.mcp.pins import digest_of, write_pins

    server = folder / "tools_server"
    server.mkdir()
    toolbox, found = opened(folder, MCP % (sys.executable, MCP_PROGRAM, server))
    assert toolbox is not None, found
    adapter = toolbox.adapter_of("desk.find")
    pins = {name: digest_of(tool) for name, tool in usual_tools().items()}
    write_pins(adapter.lock, adapter.resolved_identity(), pins)
    request = find(query="tea")
    started = StdioServerParameters(command=sys.executable, args=[str(MCP_PROGRAM), str(server)])
    async with Client(started, mode="legacy", cache=None) as client:
        await client.list_tools()

        async def alone() -> object:
            result = await client.call_tool("echo", {"query": "tea"})
            return json.loads(result.content[0].text)  # type: ignore[union-attr]

        async def ours() -> object:
            return await toolbox.invoke(request, lambda: False)  # type: ignore[misc]

        figures = await compared(ours, alone)
    await toolbox.close()
    return figures


def main() -> int:
    missed = False
    for name, measure, at_most in (("http above httpx", http, HTTP_AT_MOST), ("mcp above the SDK", mcp, MCP_AT_MOST)):
        with tempfile.TemporaryDirectory() as folder:
            ours, floor = asyncio.run(measure(Path(folder)))
        above = ours - floor
        missed = missed or above > at_most
        verdict = "MISSED" if above > at_most else "ok"
        print(f"{name:20} {ours:7.3f} ms, alone {floor:7.3f} ms, above {above:7.3f} ms, at most {at_most} {verdict}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
