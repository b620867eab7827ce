"""A stand-in for wpsnote-cli: its commands, flags and output, over a folder of Markdown notes.

What it prints has the form of the real program: no envelope around success, `{ok: false, code, message, retryable}` and
status 1 for an error, blocks as XML without plain text, lists where the real one has lists.
`$HOME/.wpsnote-cli/state.json` names the folder and may hold `variants` and `faults`; `calls.jsonl` beside it
is every call.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from interpreter.adapters.notes.adapter import NotesAdapter
from interpreter.ports import ToolFailure

HOME = Path(os.environ.get("HOME", "/")) / ".wpsnote-cli"
COMMANDS = {
    "find": "search_notes",
    "tags": "find_tags",
    "search": "search_note_content",
    "info": "get_note_info",
    "outline": "get_note_outline",
    "section": "read_section",
    "read-blocks": "read_blocks",
    "read": "read_note",
    "read-note-content": "read_note",
}
WRITES = {
    "create",
    "edit",
    "batch-edit",
    "insert-image",
    "gen-image",
    "import-web",
    "manage-tags",
    "sync",
    "delete",
    "replace-block",
    "insert-block",
    "delete-blocks",
    "update-block-attrs",
}
#: Parameters that are shared by the interface and by the folder of notes.
NUMBERS = {
    "limit",
    "offset",
    "block_limit",
    "block_offset",
    "max_blocks",
    "max_results",
    "max_length",
    "max_depth",
    "preview_length",
    "before",
    "after",
    "page",
    "page_size",
}
RETRYABLE = {
    "EDITOR_NOT_READY",
    "NO_ACTIVE_EDITOR_WINDOW",
    "FRONTEND_TIMEOUT",
    "RATE_LIMITED",
    "WEBSOCKET_NOT_CONNECTED",
    "INTERNAL_ERROR",
}


def main(words: list[str]) -> int:
    if words in (["--version"], ["-V"]):
        print("wpsnote-cli 1.4.2")
        return 0
    state = json.loads((HOME / "state.json").read_text("utf-8"))
    with open(HOME / "calls.jsonl", "a", encoding="utf-8") as log:
        log.write(json.dumps(words, ensure_ascii=False) + "\n")
    command = words[0] if words else ""
    for fault in state.get("faults", []):
        if fault["command"] == command and fault.get("times", 1) > 0:
            fault["times"] = fault.get("times", 1) - 1
            (HOME / "state.json").write_text(json.dumps(state, ensure_ascii=False), "utf-8")
            sys.stdout.write(fault.get("stdout", ""))
            sys.stderr.write(fault.get("stderr", ""))
            return int(fault.get("exit", 0))
    if command in WRITES or command not in COMMANDS:
        print(f"error: unknown command {command!r}", file=sys.stderr)
        return 1
    try:
        parameters, as_json = _parameters(words[1:])
        tool = COMMANDS[command]
        answer = NotesAdapter({"vault": state["vault"]}).invoke(f"notes.{tool}", parameters)
    except ToolFailure as failed:
        return _fail(failed.code, failed.message)
    except ValueError as error:
        return _fail("INVALID_PARAMS", str(error))
    if not as_json:
        print("title: for people\nblocks: [45 items]")
        return 0
    print(
        json.dumps(
            _as_printed(tool, json.loads(json.dumps(answer, default=str)), state.get("variants", {})),
            ensure_ascii=False,
        )
    )
    return 0


def _fail(code: str, message: str) -> int:
    print(
        json.dumps({"ok": False, "code": code, "message": message, "retryable": code in RETRYABLE}, ensure_ascii=False)
    )
    return 1


def _parameters(words: list[str]) -> tuple[dict[str, Any], bool]:
    """Return parameters by precedence: a file, then --json-args, then single flags."""
    from_file: dict[str, Any] = {}
    from_json: dict[str, Any] = {}
    single: dict[str, Any] = {}
    as_json = False
    at = 0
    while at < len(words):
        name, equals, value = words[at].partition("=")
        at += 1
        if name == "--json":
            as_json = True
            continue
        if not name.startswith("--"):
            raise ValueError(f"unexpected argument {name}")
        if not equals:
            value = words[at] if at < len(words) else ""
            at += 1
        if name == "--json-args":
            from_json = json.loads(value)
        elif name == "--args-file":
            from_file = json.loads(Path(value).read_text("utf-8"))
        else:
            single[name[2:]] = json.loads(value) if value[:1] in "[{" or name[2:] in NUMBERS else value
    parameters = {**from_file, **from_json, **single}
    for name in parameters:
        if name.endswith("_file"):
            raise ValueError(f"a local file would be read: {name}")
    return parameters, as_json


def _as_printed(tool: str, answer: dict[str, Any], variants: dict[str, Any]) -> Any:
    if tool == "search_notes":
        notes = [_without(note, "path", "problem") for note in answer["notes"]]
        return notes if variants.get("notes_as_list") else {"notes": notes, "meta": answer["meta"]}
    if tool == "find_tags":
        return [{"id": tag["id"], "name": tag["name"]} for tag in answer["tags"]]
    if tool == "search_note_content":
        return [_without(hit, "heading", "heading_block_id") for hit in answer["hits"]]
    if tool == "get_note_info":
        return {
            "notes": [_without(note, "path", "links", "problem") for note in answer["notes"]],
            "meta": answer["meta"],
        }
    if tool == "read_blocks":
        return [_without(block, "text") for block in answer["blocks"]]
    if tool == "read_section":
        blocks = [_without(block, "text") for block in answer["blocks"]]
        if variants.get("section_as_content"):
            return {**_without(answer, "blocks"), "content": "".join(block["content"] for block in blocks)}
        return {**answer, "blocks": blocks}
    if tool == "read_note":
        return _without(answer, "blocks", "has_more", "next_offset")
    return _without(answer, "has_more", "next_offset")


def _without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: part for name, part in value.items() if name not in names}


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
