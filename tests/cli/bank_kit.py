"""The command in a folder of its own, with tools that a program answers, for what users of other tools met.

The cases of this bank stand outside of the project. Each has a test whose name begins with the number of the case; what
a test needs of the world is a program, a model or a page of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interpreter.cli.main import run_command
from tests.cli.kit import PATIENCE, Ended
from tests.logs import logged

ROOT = Path(__file__).parents[2]
BANK = Path(__file__).parents[3] / "shared" / "cases" / "bank.jsonl"
CASES = {case["id"]: case for case in map(json.loads, BANK.read_text("utf-8").splitlines())} if BANK.exists() else {}
SECRET = "sk-never-to-be-seen-4711"

#: A program that answers what its script says, in order, the last one again, and writes down what it was sent. `dies`
#: kills whoever started it: before anything is written down, or behind.
CLERK = """#!{python} -S
import json, os, sys
here, tool, sent = {here!r}, sys.argv[1], json.load(sys.stdin)
log = here + "/log.jsonl"
dies = json.load(open(here + "/dies.json")).get(tool)
if dies == "before": sys.exit(os.kill(os.getppid(), 9))
with open(log, "a") as lines: lines.write(json.dumps({{"tool": tool, "sent": sent}}) + "\\n")
if dies == "behind": os.kill(os.getppid(), 9)
number = sum(json.loads(line)["tool"] == tool for line in open(log))
script = json.load(open(here + "/script.json"))[tool]
rule = script[min(number, len(script)) - 1]
sys.stdout.write(rule["raw"] if "raw" in rule else json.dumps({{"ok": True, "data": rule["give"]}}))
sys.exit(rule.get("exit", 0))
"""
FIELDS = ("id", "q", "page_token", "title", "text", "list")
_TEXTS = ", ".join(f"{name}: {{type: string}}" for name in FIELDS if name not in ("title", "list"))
ANY = f"{{type: object, properties: {{title: {{}}, list: {{type: array}}, {_TEXTS}}}}}"


class Desk:
    """The command in a folder of documents, in this process, which saves starting one for each call."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, printed: pytest.CaptureFixture[str]) -> None:
        self.folder = folder / "specs"
        self.folder.mkdir()
        self._printed = printed
        self.patch = patch
        self.home = folder
        patch.setenv("INTERPRETER_HOME", str(folder / "home"))
        patch.setenv("HOME", str(folder))
        patch.setenv("TZ", "UTC")
        patch.setenv("API_TOKEN", SECRET)
        patch.chdir(self.folder)
        program = folder / "clerk"
        program.write_text(CLERK.format(python=sys.executable, here=str(folder)), "utf-8")
        program.chmod(0o755)
        self.clerk_dies()

    def write(self, place: str, text: str) -> Path:
        path = self.folder / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def workflow(self, body: str, head: str = "") -> None:
        text = f"workflow: it\nversion: 1.0.0\ntitle: It\nquestions: {{wait: 1d}}\n{head}\nstates:\n{body}"
        self.write("it.yaml", text)

    def tools(self, contracts: Mapping[str, str], **script: list[dict[str, Any]]) -> None:
        """Declare tools and let the clerk answer them; a contract is what it says beside any input and output."""
        text = "tools: desk\n"
        for name, more in contracts.items():
            effect = "" if "effect:" in more else "  effect: read\n"
            shape = "" if "output:" in more else "  output: {type: object}\n  example: {}\n"
            text += f"desk.{name}:\n{effect}  input: {ANY}\n{shape}{more}"
        self.write("tools/desk.yaml", text)
        given = ", ".join(f'{name}: "{{{{ {name} | default(absent) }}}}"' for name in FIELDS)
        self.write(
            "profiles/local.yaml",
            "profile: local\ntools:"
            + ("\n" if contracts else " {}\n")
            + "".join(
                f"  desk.{name}:\n    adapter: command\n    settings: {{program: {self.home}/clerk}}\n"
                f"    request: {{argv: [{name}], stdin: {{{given}}}}}\n"
                '    success: exit == 0 and answer.ok == true\n    value: "{{ answer.data }}"\n'
                for name in contracts
            ),
        )
        (self.home / "script.json").write_text(json.dumps(script), "utf-8")

    def clerk_dies(self, **when: str) -> None:
        (self.home / "dies.json").write_text(json.dumps(when), "utf-8")

    def forget(self) -> None:
        (self.home / "log.jsonl").unlink(missing_ok=True)

    @property
    def sent(self) -> list[tuple[str, dict[str, Any]]]:
        """Return what the clerk was sent: tool and arguments."""
        lines = logged(self.home / "log.jsonl")
        return [(line["tool"], line["sent"]) for line in lines]

    def __call__(self, *arguments: str, language: str = "en") -> Ended:
        self.patch.setenv("LANG", "zh_CN.UTF-8" if language == "zh" else "en_US.UTF-8")
        walks = ["--trust-profile"] if arguments[0] in ("run", "resume", "answer", "cancel") else []
        self._printed.readouterr()
        status = run_command([*arguments, *walks])
        out, err = self._printed.readouterr()
        return Ended(status, out, err)

    def run(self, *more: str) -> Ended:
        return self("run", "it.yaml", "--json", *more)

    def outputs(self, *more: str) -> dict[str, Any]:
        ended = self.run(*more)
        assert ended.status != 2, ended.err
        outputs: dict[str, Any] = ended.json["outputs"]
        return outputs

    def lint(self, text: str | None = None, language: str = "en") -> Ended:
        if text is not None:
            self.write("it.yaml", text)
        return self("lint", "it.yaml", language=language)

    def elsewhere(self, *arguments: str) -> int:
        """Run the command as a process of its own, for what would kill this one."""
        words = [sys.executable, "-m", "interpreter", *arguments, "--trust-profile", "--quiet"]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
        return done.returncode

    def everything_kept(self) -> str:
        """Return all bytes of the runs that are kept."""
        files = [path for path in (self.home / "home").rglob("*") if path.is_file()]
        return "".join(path.read_bytes().decode("utf-8", "replace") for path in files)


def places(ended: Ended) -> list[str]:
    """Return line and code of every finding, in order."""
    found = " ".join(ended.err.split()) if ended.err else " ".join(ended.out.split())
    parts = found.split("it.yaml:")[1:]
    return [f"{part.split(':')[0]} {part.split('[', 1)[1].split(']')[0]}" for part in parts if ": error:" in part]


def listed(use: str = "desk", /, **data: list[Any]) -> str:
    """Return the head of a workflow with lists as data, each of which is an output too."""
    written = ", ".join(f"{name}: {{type: array, default: {json.dumps(value)}}}" for name, value in data.items())
    handed = ", ".join(f"{name}: {{type: array, value: '{{{{ {name} }}}}'}}" for name in data)
    return f"uses: {{tools: [{use}]}}\ndata: {{{written}}}\noutputs: {{{handed}}}\n"
