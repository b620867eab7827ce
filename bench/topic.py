"""What topic_move_collector costs at size: the shipped workflow from its start to the question about its plan.

Run: python bench/topic.py [CANDIDATES] [DOCUMENTS]. Exit 1 when a ratio is missed. Each run has a process of its own,
so that its memory can be told:

- A drive that stands in this file: 100,000 candidates on 5,000 pages; the time of its answers is taken off. Beside it
  what SPEED asks of the last pages, and of a resume.
- A folder of 10,000 documents of 4 KB behind the embedded drive, by the command itself.
"""

from __future__ import annotations

import gc
import hashlib
import itertools
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import drive
import kit

ROOT = Path(__file__).parents[1]
COMMAND = Path(sys.executable).parent / "interpreter"
SPEC = ROOT / "specs" / "topic_move_collector.yaml"
PROFILE = ROOT / "specs" / "profiles" / "demo.yaml"
CANDIDATES, DOCUMENTS = 100_000, 10_000
PAGE_SIZE = 20
MEGABYTES = 300
SETS = {"limits.pages_per_query": "5000", "limits.tool_calls": "1000000"}
INPUTS = {"subject": "数据", "target_text": "/", "new_target_name": "数据资料"}
ANSWERS = {"context": "start"}
#: By the tool that is asked first: what the stage is called, and the tools whose answers are taken off.
STAGES = {
    "drive.search": ("searching", ["drive.search"]),
    "evidence.whoami": (
        "resolving",
        ["drive.inspect", "drive.metas", "evidence.location", "evidence.move_rights"],
    ),
    "reading.doc_fetch": ("reading to the plan", ["reading.doc_fetch"]),
}


# --- a drive that stands in memory ------------------------------------------------------------------------------------


class StandIn:
    """Answers every tool that the workflow asks up to its plan.

    Shapes: `marks` holds what had been used when the first call of each tool came, `pages` when each page was asked
    for.
    Units: CPU seconds, with those of the answers; `answering()` tells how many those were, for a look at the clock may
    cost more than an answer.
    """

    is_asynchronous = False

    def __init__(self, candidates: int) -> None:
        self.marks: dict[str, float] = {}
        self.pages: list[float] = []
        self._candidates = candidates
        self.calls: dict[str, int] = {}
        self._last: dict[str, Mapping[str, Any]] = {}
        self._tools: dict[str, Callable[[Mapping[str, Any]], Any]] = {
            "drive.search": self._search,
            "drive.inspect": self._inspect,
            "drive.metas": self._metas,
            "evidence.whoami": lambda asked: {"open_id": "me"},
            "evidence.location": lambda asked: {"parent_kind": "drive_folder", "parent_token": "fld0", "path": "/资料"},
            "evidence.move_rights": lambda asked: {"source": "confirmed", "source_parent": "confirmed"},
            "evidence.target_rights": lambda asked: {"write": "confirmed"},
            "reading.doc_fetch": lambda asked: {"document": {"content": "这里说到数据治理的办法。"}},
        }

    def resolved_identity(self) -> str:
        return "stand-in"

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str = "") -> Any:
        if tool not in self.marks:
            self.marks[tool] = time.process_time()
        if tool == "drive.search":
            self.pages.append(time.process_time())
        self.calls[tool] = self.calls.get(tool, 0) + 1
        self._last[tool] = arguments
        return self._tools[tool](arguments)

    def answering(self, tool: str) -> float:
        """Return the CPU seconds that all answers of a tool took."""
        count = min(self.calls[tool], 1000)
        answer, asked = self._tools[tool], self._last[tool]
        return kit.cpu(lambda: [answer(asked) for _ in range(count)]) * self.calls[tool] / count

    def _search(self, asked: Mapping[str, Any]) -> Any:
        """The topic finds all; any other query finds the first page again, so that no further one is started."""
        first = int(asked.get("page_token", "0"))
        last = min(first + PAGE_SIZE, self._candidates)
        more = asked["query"] == INPUTS["subject"] and last < self._candidates
        answer = {"has_more": more, "results": [_hit(number) for number in range(first, last)]}
        return {**answer, "page_token": str(last)} if more else answer

    def _inspect(self, asked: Mapping[str, Any]) -> Any:
        if asked["url"] == INPUTS["target_text"]:
            return {"type": "folder", "title": "/", "token": ""}
        token = asked["url"].rpartition("/")[2]
        return {"type": "docx", "title": f"文档 {token[3:]}", "token": token, "url": asked["url"]}

    def _metas(self, asked: Mapping[str, Any]) -> Any:
        tokens = [one["doc_token"] for one in asked["request_docs"]]
        return {"metas": [{"doc_token": token, "owner_id": "me"} for token in tokens], "failed_list": []}


def _hit(number: int) -> dict[str, Any]:
    return {
        "entity_type": "DOC",
        "title_highlighted": f"<h>数据</h>治理 文档 {number}",
        "summary_highlighted": f"第 {number} 份：<h>数据</h>治理的办法、字典和检查。",
        "result_meta": {"doc_types": "DOCX", "token": f"doc{number}", "url": f"drive://stand-in/docx/doc{number}"},
    }


def walk_in_memory(home: Path, candidates: int) -> dict[str, Any]:
    """Walk the workflow to its plan, then again from its journal as a resume does."""
    from interpreter.adapters.clock import SystemClock
    from interpreter.adapters.people import Nobody, PreparedAnswers
    from interpreter.adapters.runs import RunStore
    from interpreter.adapters.toolbox import Toolbox
    from interpreter.session import sessions
    from interpreter.session.beginnings import Beginning
    from interpreter.session.prepared import Options, prepare, start_body
    from rules.records import replace

    store = RunStore(home)
    options = Options(profile=PROFILE, inputs=INPUTS, sets={**SETS, "settings.root": str(home)})
    found, diagnostics = prepare(SPEC, options, store)
    if found is None:
        sys.exit("\n".join(one.message.en for one in diagnostics))
    tools = StandIn(candidates)
    prepared = replace(found, toolbox=Toolbox(dict.fromkeys(found.program.contracts, tools)))
    # As the command does before it walks a run.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    start = start_body(prepared, options, SystemClock().now())
    store.create("bench", start).close()
    before = _megabytes()

    def walk() -> tuple[float, float, float, str]:
        """Return when it began and ended, the megabytes, and a digest of everything that came of it."""
        journal = store.open("bench")
        people = PreparedAnswers(ANSWERS, True, Nobody(), "bench", "en")
        begun = time.process_time()
        result = sessions.Session("bench", prepared, journal, Beginning(start), people, SystemClock()).walk()
        ended, memory = time.process_time(), _megabytes()
        journal.close()
        names = [question["name"] for question in result.waiting]
        if names != ["plan_choice"]:
            sys.exit(f"the run stands at {result.status} {names} {result.blocked or result.error}")
        shown = json.dumps([result.outputs, result.waiting], ensure_ascii=False, sort_keys=True, default=str)
        return begun, ended, memory, hashlib.sha256(shown.encode()).hexdigest()

    begun, ended, memory, outcome = walk()
    calls = dict(tools.calls)
    resumed_at, resumed_to, _, again = walk()
    if again != outcome or tools.calls != calls:
        sys.exit("the resumed run is another one")
    answers = {tool: tools.answering(tool) for tool in calls}
    marks = [*(tools.marks[tool] for tool in STAGES), ended]
    page = answers["drive.search"] / calls["drive.search"]
    pages = [later - earlier - page for earlier, later in itertools.pairwise(tools.pages[1:-1])]
    tenth = max(1, len(pages) // 10)
    return {
        "seconds": ended - begun - sum(answers.values()),
        "stages": [
            later - earlier - sum(answers[tool] for tool in of_stage)
            for (earlier, later), (_, of_stage) in zip(itertools.pairwise(marks), STAGES.values(), strict=True)
        ],
        "page": sum(pages) / len(pages),
        "first": statistics.median(pages[:tenth]),
        "last": statistics.median(pages[-tenth:]),
        "resumed": resumed_to - resumed_at,
        "before": before,
        "peak": memory,
        "journal": sum(path.stat().st_size for path in home.rglob("*") if path.is_file()) / 2**20,
    }


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_memory(table: kit.Table, candidates: int) -> float:
    """Return the milliseconds of one candidate."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [sys.executable, __file__, "--walk", home, str(candidates)], stdout=subprocess.PIPE, check=False
        )
    if done.returncode:
        sys.exit(done.returncode)
    found = json.loads(done.stdout)
    bare = kit.child([sys.executable, "-c", "pass"])
    each = candidates / 1e3
    grows = 1.2 if candidates // PAGE_SIZE >= 1000 else None  # a few pages are no measure
    print(f"{candidates} candidates on {candidates // PAGE_SIZE} pages, in memory")
    print(f"{'':4}SPEED: 400 µs for a page that is only collected; here each hit is judged by two tables as well")
    table.add("the whole run, a candidate", found["seconds"] / each, "bare Python", bare * 1e3, "ms", None)
    for (name, _), seconds in zip(STAGES.values(), found["stages"], strict=True):
        table.add(f"of it {name}", seconds / each, "bare Python", bare * 1e3, "ms", None)
    table.add("the run once more from its journal", found["resumed"] / each, "bare Python", bare * 1e3, "ms", None)
    table.add("a page of 20", found["page"] * 1e6, "bare Python", bare * 1e6, "µs", None)
    table.add("the last tenth of the pages", found["last"] * 1e6, "the first tenth", found["first"] * 1e6, "µs", grows)
    print(f"{'':4}{found['peak']:.0f} MB, {found['before']:.0f} before the first step")
    print(f"{'':4}{found['journal']:.0f} MB of journal")
    return float(found["seconds"] / each)


# --- a folder ---------------------------------------------------------------------------------------------------------


def in_a_folder(table: kit.Table, count: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "drive").mkdir()
        drive.write_documents(folder / "drive", count)
        (folder / "answers.json").write_text(json.dumps(ANSWERS), "utf-8")
        sets = {**SETS, "settings.root": folder / "drive"}
        command: list[str | Path] = [
            COMMAND, "run", SPEC, "--profile", PROFILE, "--trust-profile", "--quiet", "--json",
            "--home", folder / "home", "--answers", folder / "answers.json", "--run-id", "bench",
            *(f"--set={name}={value}" for name, value in sets.items()),
            *(f"--input={name}={value}" for name, value in INPUTS.items()),
        ]  # fmt: skip
        print(f"{count} documents in a folder, by the command")
        bare = kit.child([sys.executable, "-c", "pass"])
        kit.child([COMMAND, "--version"])
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        seconds = kit.child(command, expect=3, HOME=place, XDG_CACHE_HOME=str(folder / "cache"))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        assert peak > before, "another child was larger"
        table.add("the first run, with the index", seconds, "bare Python", bare, "s", None)
        table.add("its memory", peak / 1024, "the target", MEGABYTES, "MB", 1.0)


def main() -> int:
    if "--walk" in sys.argv:
        home, size = sys.argv[2:4]
        print(json.dumps(walk_in_memory(Path(home), int(size))))
        return 0
    counts = [int(word) for word in sys.argv[1:]]
    candidates, documents = (*counts, *(CANDIDATES, DOCUMENTS)[len(counts) :])
    table = kit.Table()
    table.head()
    # The folder first: the memory of the largest child of a process is all that the system tells.
    in_a_folder(table, documents)
    few = in_memory(table, candidates // 10)
    many = in_memory(table, candidates)
    table.add("a candidate of many", many, f"of {candidates // 10}", few, "ms", 1.3)
    return table.exit_status()


if __name__ == "__main__":
    sys.exit(main())
