"""The command without its start: one process has imported everything and run a few, and each command is a fork of it.

A fork has its own memory, files, environment and exit status, as a process of its own has, and pays neither for imports
nor for what is made at the first use: patterns, constructors of records, the parser of expressions. What looks at the
start, at kills, at signals or at terminals starts a process.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases" / "cli"
PATIENCE = 60.0
"""Seconds after which a command that has not ended has failed the test."""
_LIBRARIES = ("anyio._backends._asyncio", "asyncio", "getpass", "httpcore", "httpx")
"""What the program imports when it first asks a server or a person."""
_FIRST = (
    ("lint", "."),
    ("rules", "check", "rules/grade.yaml"),
    ("test", "tests"),
    ("run", "boxes.yaml", "--input", "owner=a", "--input", "number=2", "--run-id", "first"),
    ("answer", "first", "go=确认装箱"),
    ("show", "first"),
)
"""Commands that use most of the program once."""


class Forks:
    """A process that forks for each command; it ends with the tests.

    Shapes: `imports_all` says that it begins with all modules of the program; else with what its first command needs.
    """

    def __init__(self, environment: Mapping[str, str], *, imports_all: bool) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.place = Path(self._folder.name)
        words = ["all"] if imports_all else []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.forks", *words],
            cwd=ROOT, env=environment, encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        atexit.register(self._close)

    def __call__(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        text: str = "",
        *,
        forked: bool = True,
    ) -> tuple[int, str, str]:
        """Run one command in a folder; return its exit status and what it printed. `text` is its standard input."""
        (self.place / "in").write_text(text, "utf-8")
        told = {
            "arguments": list(arguments), "cwd": str(folder), "place": str(self.place), "forked": forked,
            "environment": dict(environment),
        }  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], PATIENCE)[0]:
            self._process.kill()
            raise AssertionError(f"{arguments} never ended")
        status = int(self._process.stdout.readline())
        return status, (self.place / "out").read_text("utf-8"), (self.place / "err").read_text("utf-8")

    def _close(self) -> None:
        self._process.communicate()
        self._folder.cleanup()


@cache
def ready() -> Forks:
    """Return the process from which any command may be forked; its environment says how Python itself behaves."""
    environment = {"PATH": os.defpath, "PYTHONWARNINGS": "error", "LANG": "en_US.UTF-8"}
    forks = Forks(environment, imports_all=True)
    place = str(forks.place / "first")
    for arguments in _FIRST:
        forks(arguments, CASES, {**environment, "HOME": place, "INTERPRETER_HOME": place}, forked=False)
    return forks


def _serve() -> None:
    """Run a command for each line of standard input, each in a fork where it is not said otherwise."""
    if sys.argv[1:] == ["all"]:
        _import_all()
    for name in _LIBRARIES:
        importlib.import_module(name)
    gc.freeze()
    with os.fdopen(os.dup(0), encoding="utf-8") as lines, os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        for line in lines:
            told = json.loads(line)
            if told["forked"]:
                child = os.fork()
                if child == 0:
                    os._exit(_run(told))
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            else:
                status = _run(told)
            print(status, file=answers, flush=True)


def _import_all() -> None:
    program = importlib.import_module("interpreter")
    for module in pkgutil.walk_packages(program.__path__, "interpreter."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _run(told: Mapping[str, Any]) -> int:
    files = (
        ("in", os.O_RDONLY),
        ("out", os.O_RDWR | os.O_CREAT | os.O_TRUNC),
        ("err", os.O_RDWR | os.O_CREAT | os.O_TRUNC),
    )
    for number, (name, how) in enumerate(files):
        file = os.open(f"{told['place']}/{name}", how, 0o600)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(told["environment"])
    time.tzset()
    os.chdir(told["cwd"])
    sys.argv = ["interpreter", *told["arguments"]]
    gc.disable()
    try:
        return int(importlib.import_module("interpreter.cli.entry").main())
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    _serve()
