"""Which tools a guarantee's selector means."""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.model import Contract, Selector


def selected_tools(selector: Selector, contracts: Mapping[str, Contract]) -> frozenset[str]:
    """Return the tools whose calls a selector means."""
    found = set()
    for name, contract in contracts.items():
        named = not selector.calls or any(covers(pattern, name) for pattern in selector.calls)
        if named and (not selector.effects or contract.effect in selector.effects):
            found.add(name)
    return frozenset(found)


def covers(pattern: str, tool: str) -> bool:
    """Say whether `drive.move`, `drive.*` or `*` means a tool."""
    return pattern in ("*", tool) or (pattern.endswith(".*") and tool.startswith(pattern[:-1]))
