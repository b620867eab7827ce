"""A stand-in for JSON services: a process of its own on loopback that answers what a script says.

    python http_server.py FOLDER [PORT]

It prints `ready PORT` when it listens. FOLDER holds `script.json`: `{"rules": [rule, …]}`, read anew whenever it
changes. The first rule that fits and is not used up answers:

    when    all must hold: `path` (whole, without the query), `method`, `query` (names and values), `call` (number of
            the request, from 1), `header` (names and values)
    times   how often this rule answers; left out: always
    give    `json`, `raw` (text) or `hex` (bytes) with `type`; beside them `status`, `headers`, `gzip` (packed),
            `cut` (so many bytes of the body, then the connection is closed), `close` (closed at once), `behind` (text
            that follows the answer), `flood` (megabytes of blanks in front), `bomb` (megabytes of packed blanks),
            `echo` (the request as JSON)
    hold    until then nothing is sent: `file` (it exists), `forever`, or `ms`

What no rule answers is answered over `pages.json` (`[{url, title, text, published}]`), if there is one, by services
that speak as the real ones do: `/search?q=…&format=json` as SearXNG, `/res/v1/web/search?q=…` as a search that wants
a key in `X-Subscription-Token` (any that is not `wrong`), `/items?page_token=…` as a list in pages of two.

`log.jsonl` gets one line for each request: method, path, query, headers, body.
"""

from __future__ import annotations

import gzip
import json
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

PATIENCE = 60.0
"""Seconds after which a request is no longer held back."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def _any(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        parts = urlsplit(self.path)
        asked = {
            "method": self.command,
            "path": parts.path,
            "query": {name: values if len(values) > 1 else values[0] for name, values in parse_qs(parts.query).items()},
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": data.decode("utf-8", "replace"),
        }
        rule = self.server.begin(asked)
        try:
            self._hold(rule.get("hold", {}))
            self._give(rule.get("give") or self._service(asked), asked)
        except OSError:
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _any

    def log_message(self, *_: Any) -> None:
        """The log is a file of its own."""

    def _hold(self, hold: dict[str, Any]) -> None:
        seconds = hold["ms"] / 1000 if "ms" in hold else PATIENCE
        ends = time.monotonic() + seconds
        waits = bool(hold)
        while waits and time.monotonic() < ends:
            if "file" in hold and Path(hold["file"]).exists():
                return
            time.sleep(0.002)

    # --- what is sent ---

    def _give(self, give: dict[str, Any], asked: dict[str, Any]) -> None:
        if give.get("close"):
            self._reset()
            return
        kind = give.get("type", "application/json")
        if give.get("echo"):
            body = json.dumps(asked).encode()
        elif "json" in give:
            body = json.dumps(give["json"], ensure_ascii=give.get("ascii", False)).encode()
        elif "hex" in give:
            body = bytes.fromhex(give["hex"])
        else:
            body = give.get("raw", "").encode()
        headers = dict(give.get("headers", {}))
        if "flood" in give:
            body = b" " * (give["flood"] << 20) + body
        if "bomb" in give:
            body = gzip.compress(b" " * (give["bomb"] << 20))
            headers["content-encoding"] = "gzip"
        elif give.get("gzip"):
            body = gzip.compress(body)
            headers["content-encoding"] = "gzip"
        self.send_response(give.get("status", 200))
        if kind:
            self.send_header("content-type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        if give.get("status", 200) != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        cut = give.get("cut")
        self.wfile.write(body + give.get("behind", "").encode() if cut is None else body[:cut])
        if cut is not None:
            self._reset()

    def _reset(self) -> None:
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    # --- services over pages.json ---

    def _service(self, asked: dict[str, Any]) -> dict[str, Any]:
        path, query = asked["path"], asked["query"]
        if path == "/search":
            return self._searxng(query)
        if path == "/res/v1/web/search":
            return self._keyed(query, asked["headers"].get("x-subscription-token", ""))
        if path == "/items":
            return self._items(query)
        return {"status": 404, "json": {"error": "no such path"}}

    def _found(self, words: str) -> list[dict[str, Any]]:
        wanted = words.lower().split()
        pages = self.server.pages()
        scored = [
            (sum(word in json.dumps(page, ensure_ascii=False).lower() for word in wanted), page) for page in pages
        ]
        return [page for score, page in sorted(scored, key=lambda one: -one[0]) if score]

    def _searxng(self, query: dict[str, Any]) -> dict[str, Any]:
        if query.get("format") != "json":
            return {"status": 403, "raw": "<h1>Forbidden</h1>", "type": "text/html"}
        results = [
            {
                "url": page["url"], "title": page["title"], "content": page["text"][:100], "engine": "stand-in",
                "engines": ["stand-in"], "score": 1.0, "category": "general", "template": "default.html",
                "publishedDate": page.get("published"), "parsed_url": ["https", "", "", "", "", ""], "positions": [1],
            }
            for page in self._found(query.get("q", ""))
        ]  # fmt: skip
        return {
            "json": {
                "query": query.get("q", ""), "number_of_results": 0, "results": results, "answers": [],
                "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": [],
            }
        }  # fmt: skip

    def _keyed(self, query: dict[str, Any], key: str) -> dict[str, Any]:
        if not key or key == "wrong":
            error = {
                "code": "SUBSCRIPTION_TOKEN_INVALID",
                "detail": f"The provided token {key} is invalid.",
                "status": 422,
            }
            return {"status": 422, "json": {"type": "ErrorResponse", "error": error}}
        results = [
            {
                "title": page["title"],
                "url": page["url"],
                "description": page["text"][:100],
                "page_age": page.get("published"),
            }
            for page in self._found(query.get("q", ""))[: int(query.get("count", 20))]
        ]
        found = {"web": {"type": "search", "results": results}} if results else {}
        return {"json": {"type": "search", "query": {"original": query.get("q", "")}, **found}}

    def _items(self, query: dict[str, Any]) -> dict[str, Any]:
        items = [{"id": number} for number in range(1, 6)]
        start = int(query.get("page_token", "0") or 0)
        more = start + 2 < len(items)
        return {
            "json": {"items": items[start : start + 2], "has_more": more, **({"next": str(start + 2)} if more else {})}
        }


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, folder: Path, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self._folder = folder
        self._log = (folder / "log.jsonl").open("a", encoding="utf-8")
        self._turn = threading.Lock()
        self._mark = 0
        self._rules: list[dict[str, Any]] = []
        self._used: dict[int, int] = {}
        self._number = 0

    def begin(self, asked: dict[str, Any]) -> dict[str, Any]:
        with self._turn:
            self._number += 1
            self._log.write(json.dumps(asked, ensure_ascii=False) + "\n")
            self._log.flush()
            self._read()
            for place, rule in enumerate(self._rules):
                if self._used.get(place, 0) < rule.get("times", sys.maxsize) and self._fits(
                    rule.get("when", {}), asked
                ):
                    self._used[place] = self._used.get(place, 0) + 1
                    return rule
        return {}

    def pages(self) -> list[dict[str, Any]]:
        place = self._folder / "pages.json"
        return list(json.loads(place.read_text("utf-8"))) if place.exists() else []

    def _fits(self, when: dict[str, Any], asked: dict[str, Any]) -> bool:
        return (
            when.get("path", asked["path"]) == asked["path"]
            and when.get("method", asked["method"]) == asked["method"]
            and when.get("call", self._number) == self._number
            and when.get("query", {}).items() <= asked["query"].items()
            and when.get("header", {}).items() <= asked["headers"].items()
        )

    def _read(self) -> None:
        script = self._folder / "script.json"
        mark = script.stat().st_mtime_ns if script.exists() else 0
        if mark != self._mark:
            self._rules = json.loads(script.read_text("utf-8"))["rules"]
            self._mark, self._used, self._number = mark, {}, 1

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: who reads no further is right to hang up."""


def main() -> None:
    folder = Path(sys.argv[1])
    server = Server(folder, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(f"ready {server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
