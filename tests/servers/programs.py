"""Put stand-in programs where a search path finds them, with a state to begin with."""

from __future__ import annotations

import atexit
import json
import marshal
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.logs import logged

SERVERS = Path(__file__).parent
_KINDS = {".csv": "sheet", ".pdf": "file"}


def install(folder: Path, name: str, source: str, *, bare: bool = True) -> Path:
    """Return the folder in which a program of that name stands, which runs a file of this one.

    Shapes: a bare program finds no installed packages, and starts sooner.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    kept = f"open({str(_compiled(source))!r}, 'rb').read()"
    code = f"#!{sys.executable}{' -S' if bare else ''}\nimport marshal\nexec(marshal.loads({kept}))\n"
    program.write_text(code, "utf-8")
    program.chmod(0o755)
    return folder


@cache
def _compiled(source: str) -> Path:
    """Return a file with the code of a program: it is started hundreds of times, and compiled once."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    kept = Path(folder, source).with_suffix(".code")
    kept.write_bytes(marshal.dumps(compile((SERVERS / source).read_text("utf-8"), source, "exec")))
    return kept


def lark_state(drive: Path, **more: Any) -> dict[str, Any]:
    """Return a state of the stand-in lark-cli that holds what a folder holds."""
    items: dict[str, dict[str, Any]] = {}
    tokens = {drive: ""}
    for number, path in enumerate(sorted(drive.rglob("*")), start=1):
        if path.name.startswith("."):
            continue
        kind = "folder" if path.is_dir() else _KINDS.get(path.suffix, "docx")
        token = f"{kind[:3]}{number:04}"
        tokens[path] = token
        items[token] = {"name": path.name, "type": kind, "parent": tokens[path.parent], "owner": "ou_me"}
        if kind == "sheet":
            items[token]["rows"] = [line.split(",") for line in path.read_text("utf-8").splitlines()]
        elif kind != "folder":
            text = path.read_text("utf-8")
            items[token]["text"] = re.sub(r"<[^<>]*>", "\n", text) if path.suffix == ".html" else text
    account = {"openId": "ou_me", "name": "我"}
    return {"account": account, "root": "fldroot", "items": items, "spaces": {}, "tasks": {}, "variants": {}, **more}


class Lark:
    """A stand-in lark-cli in a home of its own. Shapes: `path` is the search path that finds it."""

    def __init__(self, folder: Path, state: Mapping[str, Any]) -> None:
        self.home = folder / "lark-home"
        self.path = install(folder / "bin", "lark-cli", "lark_cli.py")
        install(self.path, "lark-evidence", "lark_cli.py")
        (self.home / ".lark-cli").mkdir(parents=True)
        self._file = self.home / ".lark-cli" / "state.json"
        self.state = dict(state)

    @property
    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(self._file.read_text("utf-8"))
        return state

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._file.write_text(json.dumps(state, ensure_ascii=False), "utf-8")

    def vary(self, **variants: Any) -> None:
        state = self.state
        state["variants"].update(variants)
        self.state = state

    def fault(self, command: str, **answer: Any) -> None:
        """Let a command answer something else, once or as many `times`."""
        state = self.state
        state.setdefault("faults", []).append({"command": command, **answer})
        self.state = state

    @property
    def calls(self) -> list[list[str]]:
        return [call["argv"] for call in logged(self.home / ".lark-cli" / "calls.jsonl")]

    @property
    def environments(self) -> list[list[str]]:
        return [call["environment"] for call in logged(self.home / ".lark-cli" / "calls.jsonl")]

    def tree(self) -> list[str]:
        """Return the paths of everything that is there."""
        items = self.state["items"]

        def path(token: str) -> str:
            item = items[token]
            return f"{path(item['parent'])}/{item['name']}" if item["parent"] else item["name"]

        return sorted(path(token) for token, item in items.items() if not item.get("deleted") and not item.get("node"))


EVIDENCE = """\
  evidence.location:
    adapter: command
    settings: &evidence {program: lark-evidence, environment: [HOME]}
    request: {argv: [location], stdin: {source_kind: "{{ source_kind }}", token: "{{ token }}"}}
    success: exit == 0
  evidence.move_rights:
    adapter: command
    settings: *evidence
    request: {argv: [move_rights], stdin: {token: "{{ token }}"}}
    success: exit == 0
  evidence.target_rights:
    adapter: command
    settings: *evidence
    request: {argv: [target_rights], stdin: {token: "{{ token | default('') }}"}}
    success: exit == 0
"""


def lark_profile_with_evidence(text: str) -> str:
    """Return the profile with a program of the host in place of the entries that answer unknown."""
    kept = [
        line
        for line in text.splitlines(keepends=True)
        if not re.match(r"  evidence\.(location|move_rights|target_rights):", line)
    ]
    assert len(kept) == len(text.splitlines()) - 3
    return "".join(kept) + EVIDENCE


class Wps:
    """A stand-in wpsnote-cli over a folder of notes, in a home of its own."""

    def __init__(self, folder: Path, vault: Path, **variants: Any) -> None:
        self.home = folder / "wps-home"
        self.path = install(folder / "bin", "wpsnote-cli", "wpsnote_cli.py", bare=False)
        (self.home / ".wpsnote-cli").mkdir(parents=True)
        self._file = self.home / ".wpsnote-cli" / "state.json"
        self._state: dict[str, Any] = {"vault": str(vault), "variants": variants, "faults": []}
        self._write()

    def fault(self, command: str, **answer: Any) -> None:
        self._state["faults"].append({"command": command, **answer})
        self._write()

    def _write(self) -> None:
        self._file.write_text(json.dumps(self._state, ensure_ascii=False), "utf-8")

    @property
    def calls(self) -> list[list[str]]:
        return logged(self.home / ".wpsnote-cli" / "calls.jsonl")
