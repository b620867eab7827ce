"""A web server of this machine for tests: a process that answers as its script says and tells what it was asked.

Run as `python -m tests.servers.web_server PORT`: the script comes as one line of JSON on standard input, the port goes
out as the first line. It ends when standard input ends. A script maps `HOST PATH` or `PATH` to an answer:

    {"status": 200, "headers": {…}, "body": "text"}     or "base64" instead of "body"
    {"kind": "bomb", "megabytes": 1024}                 packed zeros, gzip
    {"kind": "big", "megabytes": 50, "line": "<p>…</p>"}
    {"kind": "endless"}                                 a body that never ends, as fast as it is read
    {"kind": "drip"}                                    a body that never ends, a little at a time
    {"kind": "silent"}                                  no answer at all
    {"kind": "short"}                                   a body that breaks off
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

_CONTROL = "/__requests"
_HTML = "text/html; charset=utf-8"
_PARAGRAPH = "<p>这一段会一直重复下去，读的人决定在哪里停。</p>\n"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, script: Mapping[str, Any], port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.turn = Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: who reads no further is right to hang up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == _CONTROL:
            self._send(200, {}, json.dumps(self.server.requests).encode())
            return
        host = (self.headers["Host"] or "").partition(":")[0]
        with self.server.turn:
            self.server.requests.append({"host": host, "path": self.path, "headers": dict(self.headers.items())})
        script = self.server.script
        answer = script.get(f"{host} {self.path}") or script.get(self.path) or {"status": 404, "body": "nothing here"}
        getattr(self, f"_{answer.get('kind', 'plain')}")(answer)

    do_POST = do_HEAD = do_GET

    def _plain(self, answer: Mapping[str, Any]) -> None:
        body = base64.b64decode(answer["base64"]) if "base64" in answer else str(answer.get("body", "")).encode()
        self._send(answer.get("status", 200), {"Content-Type": _HTML, **answer.get("headers", {})}, body)

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in {**headers, "Content-Length": str(len(body)), "Connection": "close"}.items():
            self.send_header(name, value.encode().decode("latin-1"))
        self.end_headers()
        self.wfile.write(body)

    def _begin(self, **headers: str) -> None:
        self.send_response_only(200)
        for name, value in {"Content-Type": _HTML, "Connection": "close", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def _bomb(self, answer: Mapping[str, Any]) -> None:
        self._begin(Content_Encoding="gzip")
        packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
        for _ in range(answer["megabytes"]):
            self.wfile.write(packer.compress(bytes(1 << 20)))
        self.wfile.write(packer.flush())

    def _big(self, answer: Mapping[str, Any]) -> None:
        self._begin()
        line = answer.get("line", _PARAGRAPH).encode()
        block = line * ((1 << 20) // len(line))
        self.wfile.write(b"<html><body>")
        for _ in range(answer["megabytes"]):
            self.wfile.write(block)

    def _endless(self, answer: Mapping[str, Any]) -> None:
        self._begin()
        self.wfile.write(b"<html><body>")
        while True:
            self.wfile.write(_PARAGRAPH.encode() * 1000)

    def _drip(self, answer: Mapping[str, Any]) -> None:
        self._begin()
        self.wfile.write(b"<html><body>" + _PARAGRAPH.encode() * 10)
        while True:
            self.wfile.write(b"<p>.</p>")
            time.sleep(0.02)

    def _silent(self, answer: Mapping[str, Any]) -> None:
        self.rfile.read(1)  # ends when the other side hangs up

    def _short(self, answer: Mapping[str, Any]) -> None:
        self._begin(Content_Length="1000000")
        self.wfile.write(b"<html><body>" + _PARAGRAPH.encode() * 10)


class WebServer:
    """The process of a server. `requests` are those that it got, in order."""

    def __init__(self, port: int) -> None:
        self.port = port

    @property
    def requests(self) -> list[dict[str, Any]]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", _CONTROL)
            found: list[dict[str, Any]] = json.loads(connection.getresponse().read())
            return found
        finally:
            connection.close()

    @property
    def paths(self) -> list[str]:
        return [f"{request['host']}{request['path']}" for request in self.requests]


@contextmanager
def web_server(script: Mapping[str, Any], port: int = 0) -> Iterator[WebServer]:
    """Start a server of its own process, and end it."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.servers.web_server", str(port)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(script) + "\n")
            process.stdin.flush()
            yield WebServer(int(process.stdout.readline()))
        finally:
            process.kill()


def main() -> None:
    server = _Server(json.loads(sys.stdin.readline()), int(sys.argv[1]))
    Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
