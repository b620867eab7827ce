"""What a folder of 10,000 notes costs: to index it, to look for something, to look whether it changed.

Run: python bench/notes.py [NOTES]. Exit 1 when a ratio is missed. Targets are 1,000 notes a second and 30 ms for a
search, written as multiples of bare Python of the same run.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import kit

ROOT = Path(__file__).parents[1]

NOTES = 10_000
PER_NOTE_SECONDS, SEARCH_SECONDS = 0.001, 0.030
ROUNDS = 15
SEARCHES: tuple[tuple[str, dict[str, object]], ...] = (
    ("a word that every note has", {"keyword": "预算"}),
    ("two words", {"keyword": "星河 企业版"}),
    ("three words", {"keyword": "模型成本 降低 缓存"}),
    ("an English word", {"keyword": "lighthouse"}),
    ("other signs: C++", {"keyword": "C++"}),
    ("no letter at all: *", {"keyword": "*"}),
    ("nothing there", {"keyword": "没有这个词语"}),
    ("tags, time and order", {"tags": ["项目"], "since": "2026-05-01", "sort": "create_time", "limit": 100}),
)


def write_notes(folder: Path, count: int) -> int:
    """Write so many notes made of the sample notes, and return how many characters they have."""
    dice = random.Random(1)
    texts = [path.read_text("utf-8") for path in sorted((ROOT / "specs" / "samples" / "notes").rglob("*.md"))]
    bodies = [text.rpartition("\n---\n")[2] for text in texts]
    size = 0
    for number in range(count):
        place = folder / f"{number % 100:02}"
        place.mkdir(exist_ok=True)
        head = f"id: n{number}\ntitle: 笔记 {number} 预算\ntags: [项目/{number % 50}, 预算]\n"
        head += f"created: 2026-01-01\nupdated: 2026-0{1 + number % 9}-1{number % 10}T08:00:00+08:00\n"
        text = f"---\n{head}---\n" + "\n\n".join(dice.sample(bodies, 6))
        (place / f"笔记 {number}.md").write_text(text, "utf-8")
        size += len(text)
    return size


def bare() -> float:
    return kit.child([sys.executable, "-c", "pass"])


def once(work: Callable[[], object]) -> list[float]:
    """Return the cost of something long, and bare Python before and after: the machine may change meanwhile."""
    floors = [bare() for _ in range(ROUNDS)]
    cost = kit.cpu(work)
    return [cost, statistics.median([*floors, *(bare() for _ in range(ROUNDS))])]


def typical(work: Callable[[], object]) -> list[float]:
    return kit.alternately(lambda: kit.cpu(work), bare, rounds=ROUNDS)


def main() -> int:
    from interpreter.adapters.notes import NotesAdapter

    count = int(sys.argv[1]) if len(sys.argv) > 1 else NOTES
    table = kit.Table()

    def add(name: str, measured: list[float], seconds: float | None = None) -> None:
        at_most = None if seconds is None else seconds / kit.BARE_SECONDS
        table.add(name, measured[0] * 1e3, "bare Python", measured[1] * 1e3, "ms", at_most)

    with tempfile.TemporaryDirectory() as folder:
        vault, kept = Path(folder) / "vault", str(Path(folder) / "index")
        vault.mkdir()
        size = write_notes(vault, count)
        print(f"{count} notes of {size // count} characters")
        table.head()
        for name, index in (("index, not kept", ""), ("index, kept in a file", kept)):
            adapter = NotesAdapter({"vault": str(vault), "index": index})
            costs = once(partial(adapter.invoke, "notes.search_notes", {"limit": 1}))
            add(f"{name}: all notes", costs, PER_NOTE_SECONDS * count)
            print(f"{'':4}{count / costs[0]:.0f} notes a second")
        for name, tool, arguments in (
            *((f"search: {name}", "notes.search_notes", arguments) for name, arguments in SEARCHES),
            ("find_tags: a near name", "notes.find_tags", {"keyword": "预蒜"}),
            ("search_note_content", "notes.search_note_content", {"note_id": "n77", "query": "缓存 命中率"}),
        ):
            add(name, typical(partial(adapter.invoke, tool, arguments)), SEARCH_SECONDS)
        adapter.close()

        def again() -> None:
            other = NotesAdapter({"vault": str(vault), "index": kept})
            other.invoke("notes.search_notes", {"keyword": "预算"})
            other.close()

        add("open a kept index, look, search", once(again))
    print(f"at most {kit.peak_megabytes()} MB of memory")
    return table.exit_status()


if __name__ == "__main__":
    sys.exit(main())
