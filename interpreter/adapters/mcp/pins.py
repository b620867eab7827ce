"""Which descriptions of tools a person has looked at: one file beside the profile, digests by server and tool.

What a tool says of itself reaches no model here, but it says what a name stands for. A server that changes it, or the
arguments that it takes, may mean another thing from then on; so a change is shown, and a person takes it up.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from interpreter.adapters.mcp.settings import profile_of

_DESCRIBED = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


class UnreadablePins(Exception):
    """The file is there and cannot be read."""


def digest_of(tool: Mapping[str, Any]) -> str:
    """Return the digest of what a tool says of itself, as the protocol writes it."""
    said = {name: tool[name] for name in _DESCRIBED if tool.get(name) is not None}
    text = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def read_pins(lock: str, server: str) -> dict[str, str]:
    """Return the pinned digests of one server by tool; nothing where no file is there.

    Errors: UnreadablePins.
    """
    found = _read(lock).get(server, {})
    if not isinstance(found, dict):
        raise UnreadablePins(lock)
    return {name: digest for name, digest in found.items() if isinstance(digest, str)}


def write_pins(lock: str, server: str, pins: Mapping[str, str]) -> None:
    """Pin the tools of one server; those of others stay.

    Errors: UnreadablePins, OSError.
    """
    servers = {**_read(lock), server: dict(sorted(pins.items()))}
    text = json.dumps({"servers": dict(sorted(servers.items()))}, ensure_ascii=False, indent=2)
    path = Path(lock)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(f"{text}\n", "utf-8")
    fresh.replace(path)


def _read(lock: str) -> dict[str, Any]:
    try:
        text = Path(lock).read_text("utf-8") if lock else ""
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeError):
        raise UnreadablePins(lock) from None
    try:
        servers = json.loads(text)["servers"] if text else {}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UnreadablePins(lock) from None
    if not isinstance(servers, dict):
        raise UnreadablePins(lock)
    return servers


def pin_command(lock: str) -> str:
    """Return the command with which a person looks at the tools of a profile and pins them."""
    import shlex

    return shlex.join(["interpreter", "tools", "pin", "--profile", profile_of(lock)])
