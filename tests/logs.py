"""Read a log of JSON lines that another process may be writing at the same moment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def whole_lines(log: Path) -> list[str]:
    """Return the lines of a log; a line that has no end yet is not there yet, and no file is no line."""
    text = log.read_bytes() if log.exists() else b""
    return [line.decode() for line in text.split(b"\n")[:-1]]


def logged(log: Path) -> list[Any]:
    """Return what the whole lines of a log say."""
    return [json.loads(line) for line in whole_lines(log)]
