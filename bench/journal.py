"""What the durable side costs, beside the floor: the same bytes put into SQLite at the same durability, nothing else.

Run: python bench/journal.py [HOME]. Prints CPU microseconds for one effect, medians of interleaved runs.
"""

from __future__ import annotations

import itertools
import shutil
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kit import cpu

from interpreter.adapters.clock import SystemClock
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.people import Nobody
from interpreter.adapters.runs import RunStore
from interpreter.ports import Effect, Request
from rules.values import digest, dumps

ARGUMENTS = {"query": "x", "page": 1}
DIGEST = digest(ARGUMENTS)
SMALL = {"token": "abc123", "title": "x" * 150, "n": 3}
PAGE = {
    "items": [{"token": f"t{n}", "title": "标题" * 20, "url": "https://example.org/" + "a" * 300} for n in range(20)],
    "more": True,
}
ROUNDS = 7


class Instant:
    """Tools that answer at once, and keep nothing of it: that would be measured."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def has(self, tool: str) -> bool:
        return True

    def identities(self) -> dict[str, str]:
        return {}

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        return self._answer


def step(run: EmbeddedRun, effect: Effect, key: str) -> Any:
    return run.step(key, Request("drive.x", ARGUMENTS, effect, "identity", digest=DIGEST))


async def one_after_another(run: EmbeddedRun, effect: Effect, count: int) -> None:
    for number in range(count):
        await step(run, effect, f"A#1/step[{number}]/call/a1")


async def side_by_side(run: EmbeddedRun, effect: Effect, count: int) -> None:
    for start in range(0, count, 16):
        await run.map(f"A#1/{start}", [partial(step, run, effect, f"A#1/{start}[{n}]") for n in range(16)], 16)


class Bench:
    def __init__(self, home: Path) -> None:
        self._home = home
        self._store = RunStore(home)
        self._ids = map("run-{}".format, itertools.count(1))

    def ours(self, body: Any, effect: Effect, answer: Any, count: int, *, loop: bool = False) -> tuple[float, str]:
        run_id = next(self._ids)
        journal = self._store.create(run_id, {})
        run = EmbeddedRun(journal, Instant(answer), Nobody(), SystemClock())
        taken = cpu(lambda: drive(body(run, effect, count), loop=loop))
        run.stop("waiting")
        journal.close()
        return taken / count * 1e6, run_id

    def rows_alone(self, bodies: Sequence[tuple[Any, bool]], count: int) -> float:
        """Return the cost of the same rows in a journal that nobody walks: JSON, checksums, commits, the head."""
        journal = self._store.create(next(self._ids), {})

        def append() -> None:
            for number in range(count):
                for body, sync in bodies:
                    journal.append([(f"A#1/step[{number}]/call/a1", "outcome", body)], sync=sync)

        taken = cpu(append)
        journal.close()
        return taken / count * 1e6

    def floor(self, bodies: Sequence[tuple[Any, bool]], count: int, *, encode: bool) -> float:
        connection = sqlite3.connect(self._home / next(self._ids), isolation_level=None)
        connection.execute("pragma journal_mode = wal")
        connection.execute("create table log(seq integer primary key, key text, kind text, body text)")
        texts = [(dumps(body), body, "full" if sync else "normal") for body, sync in bodies]
        level = ""

        def insert() -> None:
            nonlocal level
            for number in range(count):
                for text, body, wanted in texts:
                    if wanted != level:
                        connection.execute(f"pragma synchronous = {wanted}")
                        level = wanted
                    shown = dumps(body) if encode else text
                    row = (f"A#1/step[{number}]/call/a1", "outcome", shown)
                    connection.execute("insert into log(key, kind, body) values (?, ?, ?)", row)

        taken = cpu(insert)
        connection.close()
        return taken / count * 1e6

    def compare(self, name: str, effect: Effect, answer: Any, count: int, *, encode: bool = False) -> None:
        ours, floors = [], []
        for _ in range(ROUNDS):
            taken, run_id = self.ours(one_after_another, effect, answer, count)
            ours.append(taken)
            floors.append(self.floor(self.bodies(run_id, effect), count, encode=encode))
        mine, least = statistics.median(ours), statistics.median(floors)
        print(f"{name:34} {mine:8.1f} µs   floor {least:8.1f} µs   ratio {mine / least:5.2f}")

    def bodies(self, run_id: str, effect: Effect) -> list[tuple[Any, bool]]:
        """Return what one effect of a run wrote: each body, and whether it had to survive a power cut."""
        journal = self._store.open(run_id)
        rows = itertools.islice(journal.rows(), 1, 2 + (effect != "read"))
        bodies = [(row.body, row.kind == "intention") for row in rows]
        journal.close()
        return bodies

    def replayed(self, run_id: str, count: int) -> float:
        """Return the CPU microseconds of one effect that is walked again."""
        journal = self._store.open(run_id)
        run = EmbeddedRun(journal, Instant(SMALL), Nobody(), SystemClock())
        taken = cpu(lambda: drive(one_after_another(run, "read", count))) / count * 1e6
        journal.close()
        return taken

    def at_once(self) -> None:
        alone = statistics.median(self.ours(one_after_another, "write", SMALL, 320)[0] for _ in range(ROUNDS))
        together = statistics.median(self.ours(side_by_side, "write", SMALL, 320, loop=True)[0] for _ in range(ROUNDS))
        print(f"{'write, 16 at once':34} {together:8.1f} µs   alone {alone:8.1f} µs   ratio {together / alone:5.2f}")

    def replay(self, count: int) -> None:
        _, run_id = self.ours(one_after_another, "read", SMALL, count)
        taken = [self.replayed(run_id, count) for _ in range(ROUNDS)]
        print(f"{f'replay of {count}':34} {statistics.median(taken):8.1f} µs")


def main() -> None:
    home = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="bench-journal-"))
    bench = Bench(home)
    try:
        bench.compare("read, small answer", "read", SMALL, 2000)
        bench.compare("read, page of 20 (floor encodes)", "read", PAGE, 500, encode=True)
        bench.compare("write, small answer", "write", SMALL, 200)
        bench.at_once()
        bench.replay(2000)
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
