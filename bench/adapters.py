"""What adapters of services cost above what they wrap: `command` beside the bare process.

Run: python bench/adapters.py. Exit 1 when a call of `command` takes 3 ms more than its process alone, written as a
multiple of bare Python. Both take turns, so that a busy machine slows both.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import kit

sys.path.insert(0, str(Path(__file__).parents[1]))

from interpreter.adapters.opening import open_planned
from interpreter.adapters.planning import plan_adapters
from interpreter.adapters.toolbox import Toolbox
from interpreter.documents.loading import Loader
from interpreter.documents.profiles import load_profile
from interpreter.documents.reading import Disk
from interpreter.ports import Request

CALLS = 60
MILLISECONDS = 3.0
TOOLS = """\
tools: desk
desk.read:
  effect: read
  input: {type: object, additionalProperties: false, properties: {id: {type: string}}}
  output: {type: object, properties: {id: {type: string}}}
  example: {id: a}
"""
PROFILE = """\
profile: bench
tools:
  desk.read:
    adapter: command
    settings: {program: /bin/echo, environment: [HOME]}
    request: {argv: [-n, '{"ok": true, "data": {"id": "a"}}']}
    success: exit == 0 and answer.ok == true
    value: "{{ answer.data }}"
    errors:
      - {code: busy, when: "(report.error.code | default(0)) in [1, 2, 3]", message: "{{ report.error.message }}"}
      - {code: gone, when: "(report.error.type | default('')) == 'gone'", message: "{{ report.error.message }}"}
"""
WORDS = ["/bin/echo", "-n", '{"ok": true, "data": {"id": "a"}}']


def opened(folder: Path) -> Toolbox:
    for name, text in (("tools/desk.yaml", TOOLS), ("profiles/bench.yaml", PROFILE)):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    loader = Loader(folder, Disk())
    profile, found = load_profile(folder / "profiles" / "bench.yaml")
    assert profile is not None, found
    plans, found = plan_adapters(profile, loader.contracts_for(profile) or {}, {}, folder)
    toolbox, found = open_planned(plans)
    assert toolbox is not None, found
    return toolbox


async def ours(toolbox: Toolbox) -> float:
    request = Request("desk.read", {"id": "a"}, "read", "key", timeout=30.0)
    taken = []
    for _ in range(CALLS):
        start = time.perf_counter()
        await toolbox.invoke(request, lambda: False)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def process_alone() -> float:
    taken = []
    for _ in range(CALLS):
        start = time.perf_counter()
        subprocess.run(WORDS, capture_output=True, stdin=subprocess.DEVNULL, start_new_session=True, check=True)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> int:
    table = kit.Table()
    table.head()
    with tempfile.TemporaryDirectory() as place:
        toolbox = opened(Path(place))
        asyncio.run(ours(toolbox))
        called, alone = kit.alternately(lambda: asyncio.run(ours(toolbox)), process_alone)
    bare = kit.child([sys.executable, "-c", "pass"])
    table.add("command, one call", called * 1000, "its process alone", alone * 1000, "ms", None)
    limit = MILLISECONDS / 1000 / kit.BARE_SECONDS
    table.add("command, above its process", max(0.0, called - alone) * 1000, "bare Python", bare * 1000, "ms", limit)
    return table.exit_status()


if __name__ == "__main__":
    sys.exit(main())
