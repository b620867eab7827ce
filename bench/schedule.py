"""The candidate analysis: how close its schedule comes to the best one in list order, what a call costs, and memory.

Run: python bench/schedule.py. Exit 1 when a target is missed. The workflow is the real one with its rules, contracts
and records on disk; only the analyst is played: it answers after a pause that is drawn beforehand (`schedule`), or at
once. Beside the measured time stands an event simulation of list scheduling in item order with the same durations, and
the scheme before it, in which every candidate had a pool of its own and candidates came one after another.
"""

from __future__ import annotations

import asyncio
import gc
import heapq
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import kit

from interpreter.adapters.clock import SystemClock
from interpreter.adapters.people import Nobody
from interpreter.adapters.records.adapter import RecordsAdapter
from interpreter.adapters.records.store import seal
from interpreter.adapters.runs import RunStore
from interpreter.adapters.toolbox import Toolbox
from interpreter.diagnostics import has_errors
from interpreter.engine.program import CALLING_SEQUENCE
from interpreter.ports import Request
from interpreter.session import sessions
from interpreter.session.beginnings import Beginning
from interpreter.session.prepared import Options, prepare, start_body
from rules.records import replace

SPEC = Path(__file__).parent.parent / "specs" / "f077_analysis.yaml"
PROFILE = SPEC.parent / "profiles" / "local.yaml"
#: Chunks of each of twelve records: 37 in all.
CHUNKS = (1, 9, 2, 3, 1, 4, 2, 5, 1, 6, 1, 2)
PLACES = 4
#: Units: seconds. Long enough that the late turns of a busy machine stay below the two in a hundred that are asked for.
MEDIAN, SPREAD = 0.3, 0.5
ROUNDS = 3
MOST_MEGABYTES = 300
MOST_MILLISECONDS = 1.0


class Analyst:
    """Answers for the analyst. Shapes: `durations` are the pauses of the chunks in list order, none: at once."""

    is_asynchronous = True

    def __init__(self, durations: Sequence[float] = ()) -> None:
        self._durations = list(durations)
        self.in_flight = self.most_in_flight = self.calls = 0
        self.began: list[float] = []
        self.ended: list[float] = []
        self.cpu: list[float] = []

    async def call(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        self.calls += 1
        if request.tool == "analyst.screen":
            return {"levels": []}
        if request.tool == "analyst.synthesise":
            said = {"text": "T", "sources": request.arguments["allowed_sources"][:1]}
            return {"statements": [said], "highlights": [], "next_actions": [], "follow_up_questions": []}
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self.began.append(time.perf_counter())
        self.cpu.append(time.process_time())
        if self._durations:
            await asyncio.sleep(self._durations[len(self.began) - 1])
        self.ended.append(time.perf_counter())
        self.in_flight -= 1
        return _analysis(request.arguments)

    async def close(self) -> None:
        """Nothing is open."""

    def resolved_identity(self) -> str:
        return "bench"


def _analysis(arguments: Any) -> Any:
    """The first chunk of each record is the relevant one; every chunk cites what it holds."""
    first = arguments["policy_units"][0]["evidence_id"]
    is_first = arguments["record"]["chunk_index"] == 0
    card = {"support_standard": {"text": "STANDARD", "citations": [first]}}
    return {
        "relevant": is_first,
        "explanation": "E",
        "citations": [first],
        "conditions": [],
        "match_basis": [],
        "card": card if is_first else None,
    }


def write_records(folder: Path, chunks: Sequence[int], characters: int) -> list[str]:
    """Write records whose chunks hold one passage of so many characters each."""
    for number, many in enumerate(chunks):
        place = folder / f"r{number:02}"
        place.mkdir(parents=True)
        passages = [f"# 第 {part} 节\n{number:02}-{part:03} " + "政策条文" * (characters // 4) for part in range(many)]
        text, title = "\n\n".join(passages), f"办法 {number}"
        (place / "1.md").write_text(text, "utf-8")
        head = f'record: r{number:02}\ntitle: {title}\nsummary: S\nsegments: 1\nsha256: "{seal(title, text)}"\n'
        (place / "record.yaml").write_text(head, "utf-8")
    return [f"r{number:02}" for number in range(len(chunks))]


def analysed(folder: Path, records: list[str], analyst: Analyst) -> Any:
    """Walk the real workflow over records, with a journal on disk, and return how it ended."""
    options = Options(profile=PROFILE, values={"need": "Q", "record_ids": records})
    prepared, found = prepare(SPEC, options, None)
    if prepared is None or has_errors(found):
        sys.exit("\n".join(f"{one.code} {one.message.en}" for one in found))
    store = RecordsAdapter({"root": str(folder / "records")})
    tools = dict.fromkeys(("records.search", "records.segments"), store)
    asked = dict.fromkeys(("analyst.screen", "analyst.analyse_chunk", "analyst.synthesise"), analyst)
    prepared = replace(prepared, toolbox=Toolbox({**tools, **asked}))
    start = start_body(prepared, options, SystemClock().now())
    home = Path(tempfile.mkdtemp(dir=folder))
    journal = RunStore(home, release="bench", sequence=CALLING_SEQUENCE).create("bench", start)
    try:
        result = sessions.Session("bench", prepared, journal, Beginning(start), Nobody(), SystemClock()).walk()
    finally:
        journal.close()
        store.close()
    if result.status != "completed" or result.outputs["data"]["recommendation"]["candidate_diagnostics"] == []:
        sys.exit(f"the run ended as {result.status}: {result.blocked or result.error}")
    return result


# --- the schedule -----------------------------------------------------------------------------------------------------


def in_list_order(durations: Sequence[float], places: int) -> float:
    """Return when the last item ends if each begins in the place that is free first."""
    free = [0.0] * places
    for duration in durations:
        heapq.heapreplace(free, free[0] + duration)
    return max(free)


def pool_per_candidate(durations: Sequence[float], chunks: Sequence[int], places: int) -> float:
    """Return the same where a candidate begins only when the one before it has ended."""
    total = 0.0
    start = 0
    for many in chunks:
        total += in_list_order(durations[start : start + many], places)
        start += many
    return total


def schedule(table: kit.Table, folder: Path) -> None:
    records = write_records(folder / "records", CHUNKS, 900)
    ratios = []
    for seed in range(ROUNDS):
        draw = random.Random(seed)
        durations = [draw.lognormvariate(0, SPREAD) * MEDIAN for _ in range(sum(CHUNKS))]
        analyst = Analyst(durations)
        analysed(folder, records, analyst)
        ours = max(analyst.ended) - min(analyst.began)
        best = in_list_order(durations, PLACES)
        ratios.append((ours / best, ours, best, pool_per_candidate(durations, CHUNKS, PLACES), analyst))
    _, ours, best, old, analyst = sorted(ratios, key=lambda one: one[0])[len(ratios) // 2]
    table.add("37 chunks of 12 records, one pool of 4", ours, "list schedule, simulated", best, "s", 1.02)
    table.add("a pool for each candidate, simulated", old, "one pool of 4, measured", ours, "s", None)
    table.add("calls", analyst.calls, "37 + screening + synthesis", 39, "", 1.0)
    table.add("most in flight", analyst.most_in_flight, "places", PLACES, "", 1.0)


# --- what a call costs ------------------------------------------------------------------------------------------------


def overhead(table: kit.Table, folder: Path) -> None:
    """From one chunk to the next: arguments, contract, journal, answer, binding, rules, storing."""
    records = write_records(folder / "records", [40] * 12, 900)
    costs = []
    for _ in range(ROUNDS):
        analyst = Analyst()
        analysed(folder, records, analyst)
        costs.append((analyst.cpu[-1] - analyst.cpu[0]) / (len(analyst.cpu) - 1) * 1e3)
    table.add("engine, one chunk of 480", sorted(costs)[ROUNDS // 2], "asked for", MOST_MILLISECONDS, "ms", 1.0)


# --- memory -----------------------------------------------------------------------------------------------------------


def memory(table: kit.Table) -> None:
    """In a process of its own: 12 records of 200 chunks of nearly 4,000 bytes."""
    done = subprocess.run(
        [sys.executable, __file__, "--large"], capture_output=True, encoding="utf-8", env=os.environ, check=False
    )
    if done.returncode:
        sys.exit(done.stderr)
    megabytes, seconds = done.stdout.split()
    table.add("12 records of 200 chunks, peak", float(megabytes), "asked for", MOST_MEGABYTES, "MB", 1.0)
    table.add("the same, CPU", float(seconds), "2,400 chunks at 1 ms", 2.4, "s", None)


def large(folder: Path) -> None:
    records = write_records(folder / "records", [200] * 12, 960)
    _as_the_command_does()
    start = time.process_time()
    result = analysed(folder, records, Analyst())
    counts = [one["chunk_count"] for one in result.outputs["data"]["recommendation"]["candidate_diagnostics"]]
    if counts != [200] * 12:
        sys.exit(f"not 200 chunks each: {counts}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)
    print(f"{peak:.1f} {time.process_time() - start:.3f}")


def _as_the_command_does() -> None:
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="bench-schedule-"))
    try:
        if "--large" in sys.argv:
            large(folder)
            return 0
        _as_the_command_does()
        table = kit.Table()
        table.head()
        for part in (schedule, overhead):
            inner = folder / part.__name__
            inner.mkdir()
            part(table, inner)
        memory(table)
        return table.exit_status()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
