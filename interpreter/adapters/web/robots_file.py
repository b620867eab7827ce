"""What a robots.txt says of an address, read in the child: its patterns become regular expressions."""

from __future__ import annotations

from typing import Any

from protego import Protego

__all__ = ["read"]


def read(parameters: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Return whether each of the addresses may be read by the agent."""
    rules = Protego.parse(body.decode("utf-8", "replace").removeprefix("\ufeff"))
    return {"allowed": rules.can_fetch(parameters["address"], parameters["agent"])}
