"""What both benches share: CPU time, rounds that alternate, a table of ratios.

A figure is only compared with another one of the same run: machines differ, and this one may be busy. Targets in
seconds are written as multiples of bare Python, targets in microseconds as multiples of one stock sandboxed Jinja2
render, both as they were measured when the targets were set.
"""

from __future__ import annotations

import gc
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

BARE_SECONDS = 0.0105
"""CPU of `python -c pass` on the machine on which the targets in seconds were set."""
RENDER_MICROSECONDS = 6.9
"""One sandboxed render of `{{ n + 1 }}` on the same machine."""
ROUNDS = 7


class Row(NamedTuple):
    """One line. Shapes: `at_most` is the largest ratio that passes; None where the line only informs."""

    name: str
    ours: float
    floor_name: str
    floor: float
    unit: str
    at_most: float | None

    @property
    def ratio(self) -> float:
        return self.ours / self.floor

    @property
    def is_missed(self) -> bool:
        return self.at_most is not None and self.ratio > self.at_most


class Table:
    def __init__(self) -> None:
        self.rows: list[Row] = []

    def add(self, name: str, ours: float, floor_name: str, floor: float, unit: str, at_most: float | None) -> None:
        row = Row(name, ours, floor_name, floor, unit, at_most)
        self.rows.append(row)
        limit = "" if at_most is None else f"{at_most:9.2f}  {'MISSED' if row.is_missed else 'ok'}"
        shown = f"{name:48} {_number(ours)} {unit:4} {floor_name:26} {_number(row.floor)} {row.ratio:7.2f}{limit}"
        print(shown.rstrip(), flush=True)

    def skip(self, name: str, reason: str) -> None:
        print(f"{name:48} skipped: {reason}", flush=True)

    def head(self) -> None:
        print(f"{'what':48} {'ours':>8} {'unit':4} {'beside':26} {'its':>8} {'ratio':>7} {'at most':>8}")

    def exit_status(self) -> int:
        """Return 1 when a ratio is missed, and list those."""
        missed = [row for row in self.rows if row.is_missed]
        for row in missed:
            print(f"missed: {row.name}: {row.ratio:.2f} × {row.floor_name}, at most {row.at_most:.2f}")
        return 1 if missed else 0


def _number(value: float) -> str:
    return f"{value:8.3f}" if value < 100 else f"{value:8.1f}"


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds of one call, without a collection that earlier work owes."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def alternately(*works: Callable[[], float], rounds: int = ROUNDS) -> list[float]:
    """Return the median of each measurement; they take turns, so that a busy machine slows all of them."""
    found: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for place, work in zip(found, works, strict=True):
            place.append(work())
    return [statistics.median(values) for values in found]


def child(command: Sequence[str | Path], cwd: Path | None = None, *, expect: int = 0, **environment: str) -> float:
    """Return the CPU seconds of one process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env={**os.environ, **environment}, capture_output=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != expect:
        shown = " ".join(map(str, command))
        sys.exit(f"{shown}: exit {done.returncode}\n{done.stdout.decode()}\n{done.stderr.decode()}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peak_megabytes() -> int:
    """Return how much memory this process has held at once."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def render_cost(times: int = 2000) -> float:
    """Return the CPU microseconds of one stock sandboxed render of an expression."""
    from jinja2.sandbox import SandboxedEnvironment

    template = SandboxedEnvironment().from_string("{{ n + 1 }}")

    def work() -> None:
        for number in range(times):
            template.render(n=number)

    return cpu(work) / times * 1e6
