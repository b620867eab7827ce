"""Start the stand-ins for services: a JSON API, and a server of tools; say what they answer, read what they saw."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.logs import whole_lines

HTTP_PROGRAM = Path(__file__).with_name("http_server.py")
MCP_PROGRAM = Path(__file__).with_name("mcp_server.py")


class HttpServer:
    """A running JSON service. Shapes: `address` has no slash at its end."""

    def __init__(self, process: subprocess.Popen[str], port: int, folder: Path) -> None:
        self.process = process
        self.port = port
        self.address = f"http://127.0.0.1:{port}"
        self.folder = folder

    def answers(self, *rules: dict[str, Any]) -> None:
        """Say what is answered from now on; what was used up before counts anew, and so do the requests."""
        write(self.folder / "script.json", {"rules": list(rules)})
        self._begins = len(self._lines())

    def gives(self, **give: Any) -> None:
        self.answers({"give": give})

    _begins = 0

    def _lines(self) -> list[str]:
        return whole_lines(self.folder / "log.jsonl")

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Return the requests since it was last said what is answered."""
        return [json.loads(line) for line in self._lines()[self._begins :]]


def write(path: Path, value: Any) -> None:
    fresh = path.with_suffix(".fresh")
    fresh.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    fresh.replace(path)


@contextmanager
def http_server_in(folder: Path, pages: list[dict[str, Any]] | None = None) -> Iterator[HttpServer]:
    """Start a JSON service with its state in a folder; it listens when this returns."""
    folder.mkdir(parents=True, exist_ok=True)
    if pages is not None:
        write(folder / "pages.json", pages)
    with started(HTTP_PROGRAM, str(folder)) as (process, port):
        yield HttpServer(process, port, folder)


@contextmanager
def started(program: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start a program that prints `ready PORT`; it has ended when this is left."""
    process = subprocess.Popen([sys.executable, str(program), *arguments], stdout=subprocess.PIPE, encoding="utf-8")
    with process:
        try:
            assert process.stdout is not None
            word, _, listening = process.stdout.readline().strip().partition(" ")
            assert word == "ready", "the server did not start"
            yield process, int(listening)
        finally:
            process.kill()
