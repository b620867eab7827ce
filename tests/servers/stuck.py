"""What never comes to an end, as drivers, disks and name servers sometimes do not: for a command that is started.

The adapter `stuck` of another distribution, which answers at once and does not, has one setting: `begun`, a file that
it makes when it is stuck.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from interpreter.adapters.python_settings import ENTRY_POINTS

#: Units: seconds.
_LOOK_EVERY = 0.05


def install(folder: Path) -> None:
    """Write what an installed distribution is known by; the folder has to be on the path of the process."""
    about = folder / "stuck-1.0.dist-info"
    about.mkdir(parents=True)
    about.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: stuck\nVersion: 1.0\n", "utf-8")
    about.joinpath("entry_points.txt").write_text(f"[{ENTRY_POINTS}]\nstuck = {__name__}:Stuck\n", "utf-8")


def hang_lookups(folder: Path, begun: Path) -> None:
    """Let no look-up of a name come to an end in processes that have the folder on their path."""
    lines = [
        "import pathlib, socket, threading",
        "def look_up(*given, **named):",
        f"    pathlib.Path({str(begun)!r}).touch()",
        "    threading.Event().wait()",
        "socket.getaddrinfo = look_up",
    ]
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("sitecustomize.py").write_text("\n".join(lines), "utf-8")


class Stuck:
    """Never answers, and lets nothing else of its process be at work."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._begun = Path(settings["begun"])

    def resolved_identity(self) -> str:
        return "stuck"

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str) -> Any:
        self._begun.touch()
        never = threading.Event()
        while not never.wait(_LOOK_EVERY):
            pass
