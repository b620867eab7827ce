"""A stand-in for a server of tools (Model Context Protocol), written without the SDK so that it can lie.

    python mcp_server.py FOLDER          over standard input and output
    python mcp_server.py FOLDER --http   over HTTP on loopback, at /mcp; prints `ready PORT`

It offers the reading tools of the note service in its envelope (`{ok, code, message, retryable, data, hints}`) over
FOLDER/notes, a folder of Markdown, and `echo`, which answers its arguments. `script.json` changes that, read anew
whenever it changes:

    start     `die` (before a word), `silent` (never answers the first message), `noise` (lines before it)
    shakes    what answers the first message, over the usual: `{error: …}`, or `{protocolVersion: …}`
    tools     by name: fields of the tool's description put over the usual ones; null takes the tool away
    list      `circle` (the same cursor for ever), `twice` (one tool twice)
    shape     `array`: answers that the sources describe both ways come as bare lists
    rules     `[{when: {tool, call}, times, once, give, hold}]`, the first that fits answers; `once` counts over
              processes too
    give      `text`, `json` (as text), `structured`, `parts` (content as it stands), `is_error`; or `error` (of the
              protocol), `line` (put out as it is), `flood` (megabytes of one line), `exit` (a status), `result` (as it
              stands), `child` (starts a process that outlives it and writes its number to `child.txt`), `list_changed`
    hold      `ms`, or `forever`

    http      over HTTP: `side` is the status of every GET (a session is kept then, so that the stream of events is
              asked for); `call` what a call gets after it was carried out: `drop` (the connection is closed),
              a status, `pass_on` (a redirect to a place that answers 401), or `astray` (to a name that none can read);
              `session` is `{name, status, says}`: what comes within another session is answered so

`log.jsonl` gets one line for each message that comes. Where `token.txt` is there, HTTP wants it as bearer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}
_WORDS = {"type": "array", "items": {"type": "string"}}
#: Arguments of the note tools, as its documentation lists them; * marks what must be given.
NOTE_TOOLS: dict[str, dict[str, Any]] = {
    "search_notes": {
        "keyword": _TEXT, "tags": _WORDS, "since": _TEXT, "before": _TEXT, "sort": _TEXT, "direction": _TEXT,
        "limit": _NUMBER, "starred": {"type": "boolean"},
    },
    "find_tags": {"keyword": _TEXT},
    "search_note_content": {"note_id*": _TEXT, "query*": _TEXT, "max_results": _NUMBER},
    "get_note_info": {"note_id": _TEXT, "note_ids": _WORDS, "limit": _NUMBER, "page": _NUMBER, "page_size": _NUMBER},
    "get_note_outline": {
        "note_id*": _TEXT, "max_depth": _NUMBER, "include_preview": {"type": "boolean"}, "preview_length": _NUMBER,
        "offset": _NUMBER, "block_limit": _NUMBER,
    },
    "read_section": {
        "note_id*": _TEXT, "heading_block_id*": _TEXT, "max_blocks": _NUMBER,
        "include_subsections": {"type": "boolean"}, "block_offset": _NUMBER,
    },
    "read_blocks": {
        "note_id*": _TEXT, "block_ids": _WORDS, "block_id": _TEXT, "before": _NUMBER, "after": _NUMBER,
        "include_anchor": {"type": "boolean"},
    },
    "read_note": {"note_id*": _TEXT, "max_length": _NUMBER, "offset": _NUMBER, "block_limit": _NUMBER},
}  # fmt: skip
_RETRYABLE = ("EDITOR_NOT_READY", "FRONTEND_TIMEOUT", "RATE_LIMITED", "WEBSOCKET_NOT_CONNECTED", "INTERNAL_ERROR")


def usual_tools() -> dict[str, dict[str, Any]]:
    tools = {
        "echo": {
            "name": "echo",
            "description": "Answers its arguments.",
            "inputSchema": {"type": "object", "properties": {}},
        },
        "delete_note": {
            "name": "delete_note",
            "description": "Deletes.",
            "inputSchema": {"type": "object", "properties": {}},
        },
    }
    for name, fields in NOTE_TOOLS.items():
        schema = {
            "type": "object",
            "properties": {field.rstrip("*"): shape for field, shape in fields.items()},
            "required": [field.rstrip("*") for field in fields if field.endswith("*")],
        }
        tools[name] = {"name": name, "description": f"Notes: {name}.", "inputSchema": schema}
    return tools


class Server:
    """What is answered, whichever way a message came."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mark = 0
        self._script: dict[str, Any] = {}
        self._used: dict[int, int] = {}
        self._calls = 0
        self._notes: Any = None
        self._log = (folder / "log.jsonl").open("a", encoding="utf-8")

    def script(self) -> dict[str, Any]:
        place = self.folder / "script.json"
        mark = place.stat().st_mtime_ns if place.exists() else 0
        if mark != self._mark:
            self._script, self._mark, self._used, self._calls = json.loads(place.read_text("utf-8")), mark, {}, 0
        return self._script

    def answers(self, message: dict[str, Any]) -> list[dict[str, Any] | str]:
        """Return the messages that answer one; a text is put out as it is."""
        self._log.write(json.dumps(message, ensure_ascii=False) + "\n")
        self._log.flush()
        method, number = message.get("method"), message.get("id")
        if number is None or method is None:
            return []
        made: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
        match method:
            case "initialize":
                wanted = message["params"]["protocolVersion"]
                info = {"name": "stand-in", "version": "1"}
                shakes = self.script().get("shakes") or {}
                made["result"] = {
                    "protocolVersion": wanted,
                    "capabilities": {"tools": {"listChanged": True}},
                    "serverInfo": info,
                    **shakes,
                }
                if "error" in shakes:
                    made = {"jsonrpc": "2.0", "id": number, "error": shakes["error"]}
            case "ping":
                made["result"] = {}
            case "tools/list":
                made["result"] = self._list(message.get("params") or {})
            case "tools/call":
                return self._call(message["params"], made)
            case _:
                made["error"] = {"code": -32601, "message": "no such method"}
        return [made]

    def _list(self, params: dict[str, Any]) -> dict[str, Any]:
        script = self.script()
        tools = usual_tools()
        for name, put in script.get("tools", {}).items():
            if put is None:
                tools.pop(name, None)
            else:
                tools[name] = {"name": name, "inputSchema": {"type": "object"}, **tools.get(name, {}), **put}
        listed = list(tools.values())
        if script.get("list") == "twice":
            listed.append(listed[0])
        if script.get("list") == "circle":
            return {"tools": [], "nextCursor": "again"}
        half = len(listed) // 2
        if params.get("cursor") == "2":
            return {"tools": listed[half:]}
        return {"tools": listed[:half], "nextCursor": "2"}

    def _call(self, params: dict[str, Any], made: dict[str, Any]) -> list[dict[str, Any] | str]:
        script = self.script()
        self._calls += 1
        name, arguments = params["name"], params.get("arguments") or {}
        for place, rule in enumerate(script.get("rules", [])):
            when = rule.get("when", {})
            fits = when.get("tool", name) == name and when.get("call", self._calls) == self._calls
            spent = self.folder / f"once-{self._mark}-{place}"
            if rule.get("once") and fits and not spent.exists():
                spent.touch()
            elif rule.get("once"):
                continue
            if fits and self._used.get(place, 0) < rule.get("times", sys.maxsize):
                self._used[place] = self._used.get(place, 0) + 1
                hold = rule.get("hold", {})
                time.sleep(600 if hold.get("forever") else hold.get("ms", 0) / 1000)
                if "give" in rule:
                    return self._given(rule["give"], made)
        if name == "echo":
            made["result"] = {"content": [{"type": "text", "text": json.dumps(arguments)}]}
        elif name in NOTE_TOOLS:
            envelope = self._note(name, arguments)
            text = json.dumps(envelope, ensure_ascii=False)
            made["result"] = {"content": [{"type": "text", "text": text}], "isError": not envelope["ok"]}
        else:
            made["error"] = {"code": -32602, "message": f"Unknown tool: {name}"}
        return [made]

    def _given(self, give: dict[str, Any], made: dict[str, Any]) -> list[dict[str, Any] | str]:
        if "exit" in give:
            sys.stderr.write(give.get("last_words", ""))
            sys.stderr.flush()
            sys.stdout.flush()
            import os

            os._exit(give["exit"])
        if "child" in give:
            child = subprocess.Popen(["sleep", "600"])
            (self.folder / "child.txt").write_text(str(child.pid), "utf-8")
        before: list[dict[str, Any] | str] = []
        if give.get("list_changed"):
            before.append({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        if "line" in give:
            before.append(give["line"])
        if "flood" in give:
            before.append('{"jsonrpc": "2.0", "id": 1, "result": "' + "x" * (give["flood"] << 20) + '"}')
        if "error" in give:
            return [*before, {**made, "error": give["error"]}]
        if "result" in give:
            return [*before, {**made, "result": give["result"]}]
        text = json.dumps(give["json"], ensure_ascii=False) if "json" in give else give.get("text")
        result: dict[str, Any] = {
            "content": give.get("parts", [] if text is None else [{"type": "text", "text": text}])
        }
        if "structured" in give:
            result["structuredContent"] = give["structured"]
        if give.get("is_error"):
            result["isError"] = True
        return [*before, {**made, "result": result}]

    # --- notes ---

    def _note(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        from interpreter.adapters.notes.adapter import NotesAdapter
        from interpreter.ports import ToolFailure

        if self._notes is None:
            self._notes = NotesAdapter({"vault": str(self.folder / "notes")})
        try:
            answer = self._notes.invoke(f"notes.{name}", arguments)
        except ToolFailure as failed:
            retryable = failed.code in _RETRYABLE
            hints = [{"tool": "search_notes", "reason": "find the id again"}]
            return {
                "ok": False,
                "code": failed.code,
                "message": failed.message,
                "retryable": retryable,
                "data": None,
                "hints": hints,
            }
        data = self._as_the_service(name, json.loads(json.dumps(answer)))
        return {"ok": True, "code": "OK", "message": "", "retryable": False, "data": data, "hints": []}

    def _as_the_service(self, name: str, answer: dict[str, Any]) -> Any:
        for block in answer.get("blocks", []):
            block.pop("text", None)
        for note in answer.get("notes", []):
            for field in ("path", "problem", "links"):
                note.pop(field, None)
        bare = self.script().get("shape") == "array"
        match name:
            case "search_notes":
                return answer["notes"] if bare else {"notes": answer["notes"], "meta": answer["meta"]}
            case "find_tags":
                return [{"id": tag["id"], "name": tag["name"]} for tag in answer["tags"]]
            case "search_note_content":
                return [{name: hit[name] for name in ("block_id", "type", "preview")} for hit in answer["hits"]]
            case "get_note_outline":
                return {name: value for name, value in answer.items() if name not in ("has_more", "next_offset")}
            case "read_blocks":
                return answer["blocks"]
            case "read_note":
                left_out = ("blocks", "has_more", "next_offset")
                return {name: value for name, value in answer.items() if name not in left_out}
        return answer


def over_stdio(server: Server) -> None:
    start = server.script().get("start")
    if start == "die":
        sys.stderr.write("cannot open the note database\n")
        sys.exit(3)
    if start == "noise":
        print("Starting the note service ...\n{not json}\n[1, 2]\n", flush=True)
    for line in sys.stdin:
        if start == "silent":
            time.sleep(600)
        for answer in server.answers(json.loads(line)):
            print(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False), flush=True)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    tools: Server

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        token = self.tools.folder / "token.txt"
        if token.exists() and self.headers.get("authorization") != f"Bearer {token.read_text('utf-8')}":
            self._send(401, b'{"error": "unauthorized"}')
            return
        message = json.loads(data)
        if self.path == "/elsewhere":
            self._send(401, b"")
            return
        session = self.tools.script().get("http", {}).get("session")
        if (
            session is not None
            and message["method"] != "initialize"
            and self.headers["mcp-session-id"] != session["name"]
        ):
            self._send(session["status"], json.dumps(session.get("says")).encode())
            return
        answers = self.tools.answers(message)
        way = self.tools.script().get("http", {})
        if message.get("method") == "tools/call" and "call" in way:
            self._refuse(way["call"])
            return
        if not answers:
            self._send(202, b"")
            return
        last = answers[-1]
        self._send(200, last.encode() if isinstance(last, str) else json.dumps(last, ensure_ascii=False).encode())

    def _refuse(self, how: Any) -> None:
        if how == "drop":
            self.close_connection = True
            self.connection.close()
        elif how == "pass_on":
            self._send(307, b"", location="/elsewhere")
        elif how == "astray":
            self._send(307, b"", location="http://xn--127.0.0.1/")
        else:
            self._send(how, b"")

    def do_GET(self) -> None:
        self._send(self.tools.script().get("http", {}).get("side", 405), b"")

    do_DELETE = do_GET

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        way = self.tools.script().get("http", {})
        if "side" in way or "session" in way:
            headers["mcp-session-id"] = way.get("session", {}).get("name", "one")
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """The log is a file of its own."""


def main() -> None:
    server = Server(Path(sys.argv[1]))
    if "--http" not in sys.argv:
        over_stdio(server)
        return
    Handler.tools = server
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    print(f"ready {listening.server_address[1]}", flush=True)
    listening.serve_forever()


if __name__ == "__main__":
    main()
