"""Start the stand-in model server, say what it answers, and read what it saw."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.logs import logged

PROGRAM = Path(__file__).with_name("model_server.py")
PATIENCE = 60.0


class ModelServer:
    """A running server. Shapes: `address` is the base URL; `log` and `script` are files."""

    def __init__(self, process: subprocess.Popen[str], port: int, folder: Path) -> None:
        self.process = process
        self.port = port
        self.address = f"http://127.0.0.1:{port}/v1"
        self.log = folder / "log.jsonl"
        self._script = folder / "script.json"

    def answers(self, *rules: dict[str, Any], otherwise: dict[str, Any] | None = None) -> None:
        """Say what is answered from now on; what was used up before counts anew."""
        write_script(self._script, list(rules), otherwise)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return logged(self.log)

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Return the requests in the order in which they came: `body`, `headers`, `path`, `in_flight`, `at`."""
        return [line for line in self.lines if line["kind"] == "begin"]

    @property
    def most_in_flight(self) -> int:
        return max((line["in_flight"] for line in self.lines), default=0)

    def prompts(self) -> list[str]:
        """Return the user's text of every request."""
        return [request["body"]["messages"][-1]["content"] for request in self.requests]

    def wait_for(self, requests: int, ended: int = 0) -> None:
        """Return when so many requests have come and so many have ended."""
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            kinds = [line["kind"] for line in self.lines]
            if kinds.count("begin") >= requests and kinds.count("end") >= ended:
                return
            time.sleep(0.005)
        raise AssertionError(f"{requests} requests never came: {self.lines}")


def write_script(path: Path, rules: list[dict[str, Any]], otherwise: dict[str, Any] | None) -> None:
    fresh = path.with_suffix(".fresh")
    fresh.write_text(json.dumps({"rules": rules, "otherwise": otherwise or {"json": {}}}), "utf-8")
    fresh.replace(path)


@contextmanager
def model_server_in(folder: Path, port: int = 0) -> Iterator[ModelServer]:
    """Start a server with its script and log in a folder; it listens when this returns."""
    folder.mkdir(parents=True, exist_ok=True)
    write_script(folder / "script.json", [], None)
    (folder / "log.jsonl").touch()
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), str(folder / "script.json"), str(folder / "log.jsonl"), str(port)],
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    with process:
        try:
            assert process.stdout is not None
            word, _, listening = process.stdout.readline().strip().partition(" ")
            assert word == "ready", "the server did not start"
            yield ModelServer(process, int(listening), folder)
        finally:
            process.kill()
