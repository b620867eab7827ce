"""A stand-in for a chat endpoint: a process of its own on loopback that answers what a script says.

    python model_server.py SCRIPT LOG [PORT]

It prints `ready PORT` when it listens. SCRIPT is JSON: `{"rules": [rule, …], "otherwise": give}`, read anew whenever it
changes. The first rule that fits and is not used up answers:

    when    all must hold: `contains`, `lacks` (texts in the messages), `system_contains`, `call` (number of the
            request, from 1), `model`, `max_tokens`
    times   how often this rule answers; left out: always
    give    what is sent, see below
    hold    until then nothing is sent: `in_flight` (so many requests at once), `requests` (so many in all), `file` (it
            exists), `forever`, or `ms`

`give` is one of: `json` (a value, as the model's text), `text`, `message` with `finish` (the choice as it stands),
`body` (a whole JSON body), `raw` (text) or `hex` (bytes) with `type`; beside them `status`, `headers`, `finish`,
`usage`, `stream` (pieces sent as events; `cut_after`: so many of them, then the connection is closed; `done` false: no
`[DONE]`), `cut` (a number of bytes of the body, then the connection is closed), `close` (closed at once).

LOG gets one line of JSON for each request when it comes and one when it is over: number, time, how many are in flight,
and what was asked.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PATIENCE = 60.0
"""Seconds after which a request is no longer held back."""
_LOOK_EVERY = 0.002


class Script:
    """The rules, and how often each has answered."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mark = 0
        self._rules: list[dict[str, Any]] = []
        self._otherwise: dict[str, Any] = {}
        self._used: dict[int, int] = {}

    def rule_for(self, body: dict[str, Any], number: int) -> dict[str, Any]:
        self._read()
        for place, rule in enumerate(self._rules):
            if self._used.get(place, 0) < rule.get("times", sys.maxsize) and _fits(rule.get("when", {}), body, number):
                self._used[place] = self._used.get(place, 0) + 1
                return rule
        return {"give": self._otherwise}

    def _read(self) -> None:
        mark = self._path.stat().st_mtime_ns
        if mark != self._mark:
            script = json.loads(self._path.read_text("utf-8"))
            self._rules, self._otherwise = script.get("rules", []), script.get("otherwise", {"json": {}})
            self._mark, self._used = mark, {}


def _fits(when: dict[str, Any], body: dict[str, Any], number: int) -> bool:
    said = [message.get("content") or "" for message in body.get("messages", [])]
    whole = "\n".join(said)
    system = said[0] if said else ""
    return (
        all(text in whole for text in _several(when.get("contains", [])))
        and not any(text in whole for text in _several(when.get("lacks", [])))
        and all(text in system for text in _several(when.get("system_contains", [])))
        and when.get("call", number) == number
        and when.get("model", body.get("model")) == body.get("model")
        and when.get("max_tokens", body.get("max_tokens")) == body.get("max_tokens")
    )


def _several(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


class State:
    """What all requests share."""

    def __init__(self, script: Path, log: Path) -> None:
        self.script = Script(script)
        self.lock = threading.Lock()
        self.in_flight = 0
        self.requests = 0
        self._log = log.open("a", encoding="utf-8")

    def begin(self, body: dict[str, Any], headers: dict[str, str], path: str) -> tuple[int, dict[str, Any]]:
        with self.lock:
            self.in_flight += 1
            self.requests += 1
            number = self.requests
            rule = self.script.rule_for(body, number)
            self._write("begin", number, path=path, body=body, headers=headers)
            return number, rule

    def end(self, number: int, outcome: str) -> None:
        with self.lock:
            self.in_flight -= 1
            self._write("end", number, outcome=outcome)

    def _write(self, kind: str, number: int, **more: Any) -> None:
        line = {"kind": kind, "number": number, "at": time.monotonic(), "in_flight": self.in_flight, **more}
        self._log.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._log.flush()


class Gone(Exception):
    """Whoever asked is no longer there."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            body = json.loads(data)
        except ValueError:
            body = {}
        headers = {name.lower(): value for name, value in self.headers.items()}
        number, rule = self.server.state.begin(body, headers, self.path)
        outcome = "sent"
        try:
            self._hold(rule.get("hold", {}))
            self._give(rule.get("give", {}), body)
        except (Gone, OSError):
            outcome = "gone"
            self.close_connection = True
        finally:
            self.server.state.end(number, outcome)

    def log_message(self, *_: Any) -> None:
        """The log is a file of its own."""

    # --- before anything is sent ---

    def _hold(self, hold: dict[str, Any]) -> None:
        state = self.server.state
        if "ms" in hold:
            self._until(lambda: False, hold["ms"] / 1000)
        if "in_flight" in hold:
            self._until(lambda: state.in_flight >= hold["in_flight"])
        if "requests" in hold:
            self._until(lambda: state.requests >= hold["requests"])
        if "file" in hold:
            self._until(Path(hold["file"]).exists)
        if hold.get("forever"):
            self._until(lambda: False)

    def _until(self, holds: Any, seconds: float = PATIENCE) -> None:
        ends = time.monotonic() + seconds
        while not holds() and (left := ends - time.monotonic()) > 0:
            time.sleep(min(_LOOK_EVERY, left))
            self._still_there()

    def _still_there(self) -> None:
        """Notice a client that has closed its side: only then is there something to read, of no bytes."""
        self.connection.setblocking(False)
        try:
            if self.connection.recv(1, socket.MSG_PEEK) == b"":
                raise Gone
        except BlockingIOError:
            pass
        finally:
            self.connection.setblocking(True)

    # --- what is sent ---

    def _give(self, give: dict[str, Any], asked: dict[str, Any]) -> None:
        if give.get("close"):
            self._reset()
        elif "stream" in give:
            self._events(give)
        else:
            self._whole(give, asked)

    def _whole(self, give: dict[str, Any], asked: dict[str, Any]) -> None:
        if "hex" in give:
            data = bytes.fromhex(give["hex"])
        elif "raw" in give:
            data = give["raw"].encode()
        else:
            data = json.dumps(give["body"] if "body" in give else _completion(give, asked), ensure_ascii=False).encode()
        self.send_response(give.get("status", 200))
        headers = {"content-type": give.get("type", "application/json"), **give.get("headers", {})}
        for name, value in {**headers, "content-length": str(len(data))}.items():
            if value is not None:
                self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data[: give.get("cut", len(data))])
        if "cut" in give:
            self._reset()

    def _events(self, give: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for number, piece in enumerate(give["stream"]):
            if number == give.get("cut_after"):
                return self._reset()
            self._hold(piece.pop("hold", {}) if isinstance(piece, dict) else {})
            self._event(piece if isinstance(piece, dict) else {"choices": [{"index": 0, "delta": {"content": piece}}]})
        if give.get("cut_after") == len(give["stream"]):
            return self._reset()
        finish = give.get("finish", "stop")
        if finish is not None:
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": give.get("usage")})
        if give.get("done", True):
            self.wfile.write(b"data: [DONE]\n\n")
        return None

    def _event(self, event: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode())
        self.wfile.flush()

    def _reset(self) -> None:
        """Close the connection in the middle, so that the other side sees it as reset."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


def _completion(give: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    text = give["text"] if "text" in give else json.dumps(give.get("json"), ensure_ascii=False)
    message = give.get("message", {"role": "assistant", "content": text})
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": asked.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": give.get("finish", "stop")}],
    }
    return body | ({"usage": give["usage"]} if "usage" in give else {})


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, state: State, port: int) -> None:
        self.state = state
        super().__init__(("127.0.0.1", port), Handler)

    def handle_error(self, *_: Any) -> None:
        """A client that goes away in the middle is part of the play."""


def main(script: str, log: str, port: str = "0") -> None:
    server = Server(State(Path(script), Path(log)), int(port))
    print(f"ready {server.server_address[1]}", flush=True)
    server.serve_forever(poll_interval=0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
