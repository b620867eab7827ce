"""A walk over pages that only collects: what 100,000 candidates on 5,000 pages cost the engine and the journal.

Run: python bench/walk.py [PAGES]. Exit 1 when a ratio of SPEED 1 is missed. The time of the tool is taken off: it gives
prepared pages. `topic.py` measures the same size with everything that the real workflow does to each candidate.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import journal
import kit

from interpreter.adapters.clock import SystemClock
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.runs import RunStore
from interpreter.diagnostics import has_errors
from interpreter.documents.loading import load_workflow
from interpreter.engine.core import Core
from interpreter.engine.machine import walk
from interpreter.engine.program import Program
from interpreter.plan import plan_workflow
from rules.values import digest

PAGES, PAGE_SIZE = 5000, 20
#: Pages between two calls of `gc.freeze()`, as the command has them.
FREEZE_EVERY = 250
WORKFLOW = """\
workflow: gather
version: 0.1.0
title: {zh: 收集, en: Gather}
effect: read
uses: {tools: [box]}
data:
  found: {type: array, key: token, items: {type: object}, default: []}
states:
  ONLY:
    title: {zh: 一, en: One}
    tools: [box.list]
    steps:
      - call: box.list
        with: {query: x}
        pages: page
        at_most: 100000
        do:
          - each: hit
            in: page.items
            do:
              - collect: found
                item:
                  token: "{{ hit.token }}"
                  title: "{{ hit.title }}"
                  url: "{{ hit.url }}"
                  owner: "{{ hit.owner }}"
                  found_by: ["{{ hit.by }}"]
                merge: {found_by: union}
    next: [{to: end}]
"""
TOOLS = """\
tools: box
title: {zh: 盒子, en: Box}
box.list:
  title: {zh: 列出, en: List}
  effect: read
  input: {type: object, properties: {query: {type: string}, page_token: {type: string}}, required: [query]}
  output:
    type: object
    required: [items, more, next]
    properties:
      more: {type: boolean}
      next: {type: string}
      items:
        type: array
        items:
          type: object
          required: [token, title, url, owner, by]
          properties:
            token: {type: string}
            title: {type: string}
            url: {type: string}
            owner: {type: string}
            by: {type: string}
  pages: {token_in: page_token, token_out: next, more: more, items: items}
  example: {items: [], more: false, next: ""}
"""


class Shelf(journal.Instant):
    """A tool that gives page after page. Shapes: `begun` holds the CPU seconds used when each page was asked for."""

    def __init__(self, pages: int) -> None:
        super().__init__(None)
        self._pages = pages
        self.begun: list[float] = []
        self.taken = 0.0

    def invoke(self, request: Any, cancelled: Any) -> Any:
        start = time.process_time()
        self.begun.append(start - self.taken)
        number = int(request.arguments.get("page_token", "0"))
        items = [_item(number * PAGE_SIZE + place) for place in range(PAGE_SIZE)]
        answer = json.loads(json.dumps({"items": items, "more": number + 1 < self._pages, "next": str(number + 1)}))
        if number % FREEZE_EVERY == 0:
            gc.freeze()
        self.taken += time.process_time() - start
        return answer


def _item(number: int) -> dict[str, str]:
    return {
        "token": f"docx{number:09d}",
        "title": f"数据治理周报 {number}",
        "url": f"https://example.org/docx/{number:09d}",
        "owner": f"ou_{number % 50:06d}",
        "by": f"query-{number % 5}",
    }


def program(folder: Path) -> Program:
    (folder / "tools").mkdir()
    (folder / "tools" / "box.yaml").write_text(TOOLS, encoding="utf-8")
    path = folder / "gather.yaml"
    path.write_text(WORKFLOW, encoding="utf-8")
    documents, found = load_workflow(path)
    if documents is None or has_errors(found):
        sys.exit("\n".join(f"{one.code} {one.message.en}" for one in found))
    return plan_workflow(documents)


def gathered(planned: Program, home: Path, tool: Shelf, *, again: bool) -> tuple[float, Core]:
    """Return the CPU seconds of a run, or of one that walks again what is on record, without those of the tool."""
    store = RunStore(home)
    kept = store.open("one") if again else store.create("one", {})
    run = EmbeddedRun(kept, tool, journal.Nobody(), SystemClock())
    started = time.process_time()
    core = Core(
        planned, run, run_id="one", started_at="2024-01-01T00:00:00.000Z", timezone="UTC", language="en", inputs={}
    )
    ended = drive(walk(core))
    if ended.status != "completed":
        sys.exit(f"the run ended as {ended}")
    taken = time.process_time() - started - tool.taken
    run.stop("waiting")
    kept.close()
    return taken, core


def _measured(home: Path, pages: int) -> dict[str, Any]:
    """One run and one resume, each in a process of its own."""
    tool = Shelf(pages)
    again = (home / "runs").exists()
    with tempfile.TemporaryDirectory() as documents:
        planned = program(Path(documents))
    before = _memory()
    taken, core = gathered(planned, home, tool, again=again)
    found = core.names["found"]
    above = _memory() - before
    tenth = max(pages // 10, 1)
    first = tool.begun[tenth] - tool.begun[0] if len(tool.begun) > tenth else 0.0
    last = tool.begun[-1] - tool.begun[-1 - tenth] if len(tool.begun) > tenth else 0.0
    return {
        "seconds": taken,
        "whole": time.process_time(),
        "first": first / tenth,
        "last": last / tenth,
        "memory": above,
        "data": _size_of(found),
        "count": len(found),
        "digest": digest(found),
    }


def _memory() -> int:
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def _size_of(found: Any) -> int:
    """Return the bytes of the list with all that is in it, each object once."""
    seen: set[int] = set()
    open_: list[Any] = [found]
    size = 0
    while open_:
        one = open_.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        size += sys.getsizeof(one)
        if isinstance(one, dict):
            open_ += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            open_ += one
    return size


def main() -> int:
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    with tempfile.TemporaryDirectory() as folder:
        run, resumed = (
            json.loads(
                subprocess.run(
                    [sys.executable, __file__, str(pages), folder], capture_output=True, check=True, encoding="utf-8"
                ).stdout
            )
            for _ in range(2)
        )
    if (run["count"], run["digest"]) != (pages * PAGE_SIZE, resumed["digest"]):
        sys.exit("what was collected is not what is there")
    count = run["count"]
    page, once_more = run["seconds"] / pages * 1e6, resumed["whole"] / count * 1e6
    above = (run["memory"] - run["data"]) / count
    floor = ("sandboxed render", kit.render_cost(), "µs")

    def most(ratio: float) -> float | None:
        return ratio if pages == PAGES else None  # with fewer pages the start of the process weighs too much

    table = kit.Table()
    table.head()
    table.add("a page of 20 that is only collected", page, *floor, most(400 / kit.RENDER_MICROSECONDS))
    table.add("the last tenth of the pages", run["last"] * 1e6, "the first", run["first"] * 1e6, "µs", most(1.2))
    table.add("the run once more, a candidate", once_more, *floor, most(15 / kit.RENDER_MICROSECONDS))
    table.add("memory above the data, a candidate", above, "the target", 400.0, "B", most(1.0))
    print(f"    {count} candidates: {run['seconds']:.2f} s, {resumed['whole']:.2f} s once more")
    return table.exit_status()


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(_measured(Path(sys.argv[2]), int(sys.argv[1]))))
    else:
        sys.exit(main())
