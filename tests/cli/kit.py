"""The command as a process, or as a fork of one: run it, paste what it prints, talk to it through a terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.forks import PATIENCE, ready

CASES = Path(__file__).parent.parent / "cases" / "cli"
LOCALES = {"en": "en_US.UTF-8", "zh": "zh_CN.UTF-8"}


@dataclass(frozen=True)
class Ended:
    """How a process ended and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Return standard output, which must be exactly one JSON object on one line."""
        assert self.out.endswith("\n"), self
        assert self.out.count("\n") == 1, self
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    @property
    def code(self) -> str:
        """Return the one code in brackets that standard error names."""
        codes = re.findall(r"\[([a-z]+/[a-z-]+)\]$", self.err, re.MULTILINE)
        assert len(codes) == 1, self
        return str(codes[0])


class Command:
    """The command in a folder of its own, with a home of its own and the documents of `tests/cases/cli`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "specs"
        self.home = folder / "home"
        self._environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}",
            "HOME": str(folder),
            "INTERPRETER_HOME": str(self.home),
            "PYTHONWARNINGS": "error",
            "TERM": "xterm",
            "TZ": "UTC",
        }
        shutil.copytree(CASES, self.folder)

    def __call__(
        self, *arguments: str, language: str = "en", text: str = "", folder: Path | None = None, **variables: str
    ) -> Ended:
        """Run the command with arguments, begun where all is imported.

        Shapes: `text` is its standard input; `folder` is where it is typed, that of its documents where none is named.
        """
        return Ended(*ready()(arguments, folder or self.folder, self.environment(language, variables), text))

    def paste(self, line: str, language: str = "en") -> Ended:
        """Run a command line as a person would paste it into a shell, in processes of its own."""
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self.folder,
            env=self.environment(language),
            input="",
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def environment(self, language: str, variables: Mapping[str, str] = {}) -> dict[str, str]:
        return {**self._environment, "LANG": LOCALES[language], **variables}

    @contextmanager
    def start(self, *arguments: str, language: str = "en") -> Iterator[subprocess.Popen[str]]:
        """Start the command with standard error to read from, without waiting for it."""
        process = subprocess.Popen(
            ["interpreter", *arguments],
            cwd=self.folder,
            env=self.environment(language),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        with process:
            try:
                yield process
            finally:
                process.kill()

    @contextmanager
    def terminal(self, *arguments: str, language: str = "en", **variables: str) -> Iterator[Typist]:
        """Start the command on a terminal of 80 columns, with somebody to type."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = subprocess.Popen(
            ["interpreter", *arguments],
            cwd=self.folder,
            env=self.environment(language, variables),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            yield Typist(process, ours)
        finally:
            process.kill()
            process.wait(PATIENCE)
            os.close(ours)


class Typist:
    """Reads what stands on a terminal and types."""

    def __init__(self, process: subprocess.Popen[bytes], place: int) -> None:
        self._process = process
        self._place = place
        self._bytes = b""
        self._read = 0

    @property
    def text(self) -> str:
        return self._bytes.decode("utf-8", errors="replace")

    def wait_for(self, wanted: str) -> str:
        """Return what has come since the last time, up to a text; it must come."""
        ends = time.monotonic() + PATIENCE
        while (found := self.text.find(wanted, self._read)) < 0:
            assert self._more(ends), f"{wanted!r} never came; the terminal shows:\n{self.text}"
        begins, self._read = self._read, found + len(wanted)
        return self.text[begins : self._read]

    def type(self, line: str) -> None:
        os.write(self._place, f"{line}\n".encode())

    def end_of_input(self) -> None:
        os.write(self._place, b"\x04")

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def ended(self) -> tuple[int, str]:
        """Return the exit status and all that came since the last time."""
        ends = time.monotonic() + PATIENCE
        while self._more(ends):
            pass
        return self._process.wait(PATIENCE), self.text[self._read :]

    def _more(self, ends: float) -> bool:
        ready, _, _ = select.select([self._place], [], [], max(0.0, ends - time.monotonic()))
        if not ready:
            return False
        try:
            part = os.read(self._place, 65536)
        except OSError:  # Linux: the other side of the terminal is closed
            return False
        self._bytes += part
        return bool(part)


def wait_for_file(file: Path, process: subprocess.Popen[str]) -> None:
    """Return when a process has made a file; what it says is read where it ends before."""
    ends = time.monotonic() + PATIENCE
    while not file.exists():
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < ends, f"{file.name} was never made"
        time.sleep(0.005)


def wait_for_line(process: subprocess.Popen[str], words: str) -> None:
    """Return when a process has said something on standard error; one that never says it is ended."""
    assert process.stderr is not None
    patience = threading.Timer(PATIENCE, process.kill)
    patience.start()
    try:
        said = next((line for line in process.stderr if words in line), None)
    finally:
        patience.cancel()
    assert said is not None, f"{words!r} was never said"
