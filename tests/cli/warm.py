"""The command without its start: one process has run a command already, and each further command is a fork of it.

For tests that look at what a run answers: a fork has its own memory, files, environment and exit status, as a process
of its own has, and pays neither for imports nor for what they fill. What looks at the start, at kills, at signals or
at terminals starts a process.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.cli.kit import Command, Ended

ROOT = Path(__file__).parents[2]


@cache
def _standing() -> Path:
    place = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return Path(place)


def standing(name: str, folder: Path) -> Path:
    """Return a place that stands for this folder until the next is named: a plan holds the places in its settings."""
    place = _standing() / name
    place.unlink(missing_ok=True)
    place.symlink_to(folder, target_is_directory=True)
    return place


@cache
def warmed(*first: str) -> Warm:
    """Return the process that has run a command with these arguments; there is one for each of them."""
    return Warm(first)


class Warm:
    """A process that forks for each command; it ends with the tests."""

    def __init__(self, first: tuple[str, ...]) -> None:
        self._folder = tempfile.TemporaryDirectory()
        command = Command(Path(self._folder.name))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.warm"],
            cwd=ROOT, env=command.environment("en"), encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        atexit.register(self._close)
        self.first = self(command, first, forked=False)

    def __call__(
        self, command: Command, arguments: tuple[str, ...] | list[str], language: str = "en", *, forked: bool = True
    ) -> Ended:
        """Run one command as `command` would."""
        place = Path(self._folder.name)
        told = {
            "arguments": list(arguments), "cwd": str(command.folder), "place": str(place), "forked": forked,
            # plans are kept once for all
            "environment": command.environment(language, {"XDG_CACHE_HOME": str(place / "cache")}),
        }  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        status = int(self._process.stdout.readline())
        return Ended(status, (place / "out").read_text("utf-8"), (place / "err").read_text("utf-8"))

    def _close(self) -> None:
        self._process.communicate()
        self._folder.cleanup()


def _serve() -> None:
    """Run a command for each line of standard input; the first one here, the others each in a fork."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    for line in os.fdopen(os.dup(0), encoding="utf-8"):
        told = json.loads(line)
        if told["forked"]:
            child = os.fork()
            if child == 0:
                os._exit(_run(told))
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        else:
            status = _run(told)
        print(status, file=answers, flush=True)


def _run(told: Mapping[str, Any]) -> int:
    for number, name in enumerate((os.devnull, f"{told['place']}/out", f"{told['place']}/err")):
        file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
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
