"""What the engine costs by itself, and the durable side beside its floor.

Run: python bench/engine.py [--no-peers]. Exit 1 when a ratio of SPEED 1 is missed.
"""

from __future__ import annotations

import gc
import shutil
import statistics
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import journal
import kit
import peers

from interpreter.adapters.clock import SystemClock
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.diagnostics import has_errors
from interpreter.documents.loading import load_workflow
from interpreter.engine.core import Core
from interpreter.engine.machine import walk
from interpreter.engine.program import Program
from interpreter.plan import plan_workflow

STEPS = 200
VISITS = 50

_HEAD = """\
workflow: bench
version: 0.1.0
title: {zh: 测量, en: Bench}
effect: read
uses: {tools: [box]}
pools: {small: 4}
inputs: {rows: {type: array, items: {type: integer}, default: []}}
data:
  number: {type: integer, default: 0}
  box: {type: object, properties: {count: {type: integer}}, default: {count: 0}}
states:
"""
_LINE = "    steps:\n" + '      - set: {box.count: "{{ number + 1 }}"}\n' * STEPS
PURE = f"""{_HEAD}
  ONLY:
    title: {{zh: 一, en: One}}
{_LINE}      - set: {{number: "{{{{ number + 1 }}}}"}}
    next:
      - {{when: number < {VISITS}, to: ONLY, at_most: 1000000}}
      - {{to: end}}
"""
VISIT = f"""{_HEAD.replace("states:", "gates:")}  low: [{{that: number < 1000000, message: {{zh: 太多, en: Too many}}}}]
  sane: [{{that: number >= 0, message: {{zh: 太少, en: Too few}}}}]
states:
  ONLY:
    title: {{zh: 一, en: One}}
    enter: [low]
    steps:
      - set: {{number: "{{{{ number + 1 }}}}"}}
    next:
      - {{when: number < 2000, to: ONLY, gates: [sane], at_most: 1000000}}
      - {{to: end}}
"""
EACH = f"""{_HEAD}
  ONLY:
    title: {{zh: 一, en: One}}
    steps:
      - each: row
        in: rows
        do:
          - set: {{number: "{{{{ row + 1 }}}}"}}
    next: [{{to: end}}]
"""
AT_ONCE = f"""{_HEAD}
  ONLY:
    title: {{zh: 一, en: One}}
    tools: [box.look]
    steps:
      - each: row
        in: rows
        at_once: 4
        do:
          - {{call: box.look, with: {{number: "{{{{ row }}}}"}}, pool: small, as: found}}
        give: "{{{{ found.number }}}}"
        as: values
    next: [{{to: end}}]
"""
TOOLS = """\
tools: box
title: {zh: 盒子, en: Box}
box.look:
  title: {zh: 看, en: Look}
  effect: read
  input: {type: object, properties: {number: {type: integer}}, required: [number]}
  output: {type: object, properties: {number: {type: integer}}, required: [number]}
  example: {number: 1}
"""


class Workflows:
    """Programs of workflows that stand in this file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "tools").mkdir()
        (folder / "tools" / "box.yaml").write_text(TOOLS, encoding="utf-8")

    def program(self, text: str) -> Program:
        path = self._folder / "bench.yaml"
        path.write_text(text, encoding="utf-8")
        documents, found = load_workflow(path)
        if documents is None or has_errors(found):
            sys.exit("\n".join(f"{one.code} {one.message.en}" for one in found))
        return plan_workflow(documents)


class Nothing(MemoryJournal):
    """A journal that forgets, so that only the engine is measured."""

    def append(self, rows: Any, *, sync: bool) -> None:
        for _ in rows:
            pass


def walked(program: Program, rows: int = 0, *, loop: bool = False) -> float:
    """Return the CPU seconds of one run that is recorded nowhere."""
    run = EmbeddedRun(Nothing(), journal.Instant({"number": 1}), journal.Nobody(), SystemClock())
    core = Core(
        program,
        run,
        run_id="bench",
        started_at="2024-01-01T00:00:00.000Z",
        timezone="UTC",
        language="en",
        inputs={"rows": list(range(rows))},
    )
    ended: list[Any] = []
    taken = kit.cpu(lambda: ended.append(drive(walk(core), loop=loop)))
    if ended[0].status != "completed":
        sys.exit(f"the run ended as {ended[0]}")
    return taken


def micro(program: Program, count: int, rows: int = 0, *, loop: bool = False) -> Callable[[], float]:
    return lambda: walked(program, rows, loop=loop) / count * 1e6


# --- the engine by itself ---------------------------------------------------------------------------------------------


def pure(table: kit.Table, workflows: Workflows) -> None:
    line = workflows.program(PURE)
    visit = workflows.program(VISIT)
    each = workflows.program(EACH)
    walked(line), walked(visit), walked(each, 1000)
    step, visited, few, many, render = kit.alternately(
        micro(line, STEPS * VISITS),
        micro(visit, 2000),
        lambda: sum(walked(each, 1000) for _ in range(10)) / 10_000 * 1e6,
        micro(each, 100_000, 100_000),
        kit.render_cost,
    )
    floor = ("sandboxed render", render, "µs")
    table.add("pure step with one expression", step, *floor, 0.15)
    table.add("visit: two gates, one step, one condition", visited, *floor, 2.5 / kit.RENDER_MICROSECONDS)
    table.add("each, one pure step, an item of 1,000", few, *floor, 1 / kit.RENDER_MICROSECONDS)
    table.add("the same of 100,000", many, "of 1,000", few, "µs", 1.3)


def at_once(table: kit.Table, workflows: Workflows) -> None:
    """The engine's part: what an item costs beside what its call alone costs in a plain loop of the same run."""
    program = workflows.program(AT_ONCE)
    ordered = workflows.program(AT_ONCE.replace("        at_once: 4\n", "").replace("pool: small, ", ""))
    walked(program, 100, loop=True), walked(ordered, 100)
    together, in_order, render = kit.alternately(
        micro(program, 2000, 2000, loop=True), micro(ordered, 2000, 2000), kit.render_cost, rounds=3 * kit.ROUNDS
    )
    table.add("each at_once in a pool, an item with its call", together, "the same in order", in_order, "µs", None)
    more = max(together - in_order, 0.01)
    table.add("of it for being at once", more, "sandboxed render", render, "µs", 5 / kit.RENDER_MICROSECONDS)


# --- the durable side -------------------------------------------------------------------------------------------------


def durable(table: kit.Table, home: Path) -> None:
    bench = journal.Bench(home)
    for name, effect, answer, count, encode, floor in (
        ("durable read, small answer", "read", journal.SMALL, 1000, False, "NORMAL commit"),
        ("durable page of 20 items, 8 KB", "read", journal.PAGE, 300, True, "encoding + NORMAL"),
        ("durable write", "write", journal.SMALL, 150, False, "FULL + NORMAL commit"),
    ):
        ours, alone, least = _beside_floor(bench, effect, answer, count, encode=encode)
        table.add(name, ours, floor, least, "µs", 1.5)
        table.add("  of it the rows alone", alone, floor, least, "µs", None)
    together, alone = kit.alternately(
        lambda: bench.ours(journal.side_by_side, "write", journal.SMALL, 320, loop=True)[0],
        lambda: bench.ours(journal.one_after_another, "write", journal.SMALL, 320)[0],
    )
    table.add("16 writes at once", together, "one after another", alone, "µs", 0.4)


def _beside_floor(bench: Any, effect: Any, answer: Any, count: int, *, encode: bool) -> tuple[float, float, float]:
    """Return our cost, that of our rows without an engine, and that of putting the same bytes into SQLite."""
    ours, alone, floors = [], [], []
    for _ in range(2 * kit.ROUNDS):  # what a sync costs changes most of all from one moment to the next
        taken, run_id = bench.ours(journal.one_after_another, effect, answer, count)
        bodies = bench.bodies(run_id, effect)
        ours.append(taken)
        alone.append(bench.rows_alone(bodies, count))
        floors.append(bench.floor(bodies, count, encode=encode))
    return statistics.median(ours), statistics.median(alone), statistics.median(floors)


def replay(table: kit.Table, home: Path) -> None:
    bench = journal.Bench(home)
    runs = {count: bench.ours(journal.one_after_another, "read", journal.SMALL, count)[1] for count in (2000, 20_000)}
    short, long, render = kit.alternately(
        lambda: bench.replayed(runs[2000], 2000), lambda: bench.replayed(runs[20_000], 20_000), kit.render_cost
    )
    table.add("replay of 2,000, an effect", short, "sandboxed render", render, "µs", 10 / kit.RENDER_MICROSECONDS)
    table.add("replay of 20,000, an effect", long, "of 2,000", short, "µs", 1.3)
    first = _peak(lambda: bench.replayed(runs[2000], 2000))
    second = _peak(lambda: bench.replayed(runs[20_000], 20_000))
    table.add("memory of a replay of 20,000", second, "of 2,000", first, "KB", 1.2)


def _peak(work: Callable[[], object]) -> float:
    """Return the peak of what Python holds during a call, in KB."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1024


def main() -> int:
    # As the command does before it walks a run.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    table = kit.Table()
    folder = Path(tempfile.mkdtemp(prefix="bench-engine-"))
    try:
        table.head()
        workflows = Workflows(folder)
        pure(table, workflows)
        at_once(table, workflows)
        for name, part in (("durable", durable), ("replay", replay)):
            (folder / name).mkdir()
            part(table, folder / name)
        if "--no-peers" not in sys.argv:
            peers.steps(table, micro(workflows.program(PURE), STEPS * VISITS))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return table.exit_status()


if __name__ == "__main__":
    sys.exit(main())
