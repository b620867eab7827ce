"""Processes that are killed in the middle, for real and in place of a function; the log must tell of each move once."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Killed(BaseException):
    """Stands for the end of the process: nothing after it runs."""


def kill(*_: object, **__: object) -> None:
    """Stand where the process ends."""
    raise Killed


def fill_disk(*_: object, **__: object) -> None:
    """Stand where the disk fills up."""
    raise OSError(errno.ENOSPC, "disk full")


def run_until_killed(worker: str, number: int, moves: int, *arguments: str) -> int:
    """Let a worker go on from a move, kill it during the next one, and return what it acknowledged last.

    Shapes: `worker` is Python that is given the number of its first move and `arguments`, makes moves with the keys
    `move-<number>` for ever, and prints the number of the next one behind each.
    """
    with subprocess.Popen(
        [sys.executable, "-c", worker, str(number), *arguments],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        text=True,
    ) as process:
        assert process.stdout is not None
        for _ in range(moves):
            line = process.stdout.readline()
            assert line, "the worker stopped by itself"
            number = int(line)
        process.send_signal(signal.SIGKILL)
        for line in process.stdout:
            number = int(line)
    return number


def check_log(lines: Sequence[dict[str, Any]], number: int) -> None:
    """Check that a log tells of every move once and in order, and of none but the one that was cut off besides."""
    assert len({line["id"] for line in lines}) == len(lines)
    assert [line["key"] for line in lines] == [f"move-{place}" for place in range(len(lines))]
    assert number <= len(lines) <= number + 1
