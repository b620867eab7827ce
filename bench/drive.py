"""What a drive of 10,000 documents of 4 KB costs, with and without a wiki beside it: to index it, to turn a page.

Run: python bench/drive.py [DOCUMENTS]. Exit 1 when a ratio is missed. Targets are 500 documents a second and 50 ms
for a page, written as multiples of bare Python of the same run. The first page of a search also looks at every file
whether it changed; it has no target.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import kit

ROOT = Path(__file__).parents[1]

DOCUMENTS, BYTES, NODES = 10_000, 4_096, 1_000
PER_DOCUMENT_SECONDS, PAGE_SECONDS = 1 / 500, 0.050
ROUNDS = 9
SEARCHES: tuple[tuple[str, dict[str, object]], ...] = (
    ("a word that every document has", {"query": "数据"}),
    ("a phrase", {"query": '"数据治理"'}),
    ("words and OR", {"query": "数据字典 OR 元数据"}),
    ("mine, by type, edited lately", {"query": "质量", "mine": True, "doc_types": ["docx"], "edited_since": "7d"}),
    ("nothing there", {"query": "没有这个词语"}),
    ("no word at all", {"query": ""}),
)


def write_documents(folder: Path, count: int) -> int:
    """Write so many documents made of the sample documents, and return how many bytes they have."""
    dice = random.Random(1)
    texts = [path.read_text("utf-8") for path in sorted((ROOT / "specs" / "samples" / "drive").rglob("*.md"))]
    size = 0
    for number in range(count):
        place = folder / f"部门{number % 10}" / f"项目{number % 100:02}"
        place.mkdir(parents=True, exist_ok=True)
        text = f"文档 {number}\n\n数据质量\n\n"
        while len(text.encode()) < BYTES:
            text += dice.choice(texts) + "\n\n"
        body = text.encode()[:BYTES].decode("utf-8", "ignore").encode()
        (place / f"文档 {number}.md").write_bytes(body)
        size += len(body)
    return size


def write_nodes(folder: Path, count: int) -> None:
    (folder / "空间").mkdir(parents=True)
    (folder / "空间" / "space.yaml").write_text("name: 空间\n", "utf-8")
    for number in range(count):
        place = folder / "空间" / f"页{number}"
        place.mkdir()
        (place / "node.yaml").write_text(f"title: 页面 {number}\nbody: 正文.md\nowner: me\n", "utf-8")
        (place / "正文.md").write_text(f"页面 {number}\n\n数据治理\n", "utf-8")


def typical(work: Callable[[], object]) -> float:
    return statistics.median(kit.cpu(work) for _ in range(ROUNDS))


class Costs:
    """A table of CPU times beside bare Python of the same run."""

    def __init__(self) -> None:
        self.table = kit.Table()
        self._bare = statistics.median(kit.child([sys.executable, "-c", "pass"]) for _ in range(ROUNDS))
        self.table.head()

    def add(self, name: str, seconds: float, at_most: float | None = None) -> None:
        ratio = at_most / kit.BARE_SECONDS if at_most is not None else None
        self.table.add(name, seconds * 1e3, "bare Python", self._bare * 1e3, "ms", ratio)


def measure(costs: Costs, name: str, root: Path, count: int, settings: Mapping[str, str]) -> None:
    """Add what searches of one drive cost: the first one, which makes the index, further ones, and after changes."""
    from interpreter.adapters.drive import DriveAdapter

    whole = {"root": str(root), "account": "0", **settings}
    adapter = DriveAdapter(whole)

    def search(arguments: Mapping[str, object]) -> dict[str, object]:
        return adapter.invoke("drive.search", {"page_size": 20, **arguments})

    every = {"query": "数据"}
    cost = kit.cpu(lambda: search(every))
    costs.add(f"{name}: index all, first page", cost, PER_DOCUMENT_SECONDS * count)
    print(f"{'':4}{count / cost:.0f} documents a second")
    further = {**every, "page_token": str(search(every)["page_token"])}
    costs.add(f"{name}: a further page", typical(lambda: search(further)), PAGE_SECONDS)
    for what, arguments in SEARCHES:
        costs.add(f"{name}: {what}", typical(partial(search, arguments)))
    for changed in sorted(root.rglob("*.md"))[:10]:
        os.utime(changed)
    costs.add(f"{name}: after ten changes", kit.cpu(lambda: search(every)))
    adapter.close()
    again = DriveAdapter(whole)
    costs.add(f"{name}: open a kept index, look, search", kit.cpu(lambda: again.invoke("drive.search", every)))
    again.close()


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    with tempfile.TemporaryDirectory() as folder:
        root, wiki = Path(folder) / "drive", Path(folder) / "wiki"
        root.mkdir()
        size = write_documents(root, count)
        write_nodes(wiki, NODES)
        print(f"{count} documents of {size // count} bytes")
        costs = Costs()
        for name, beside in (("drive", {}), ("drive and wiki", {"wiki": str(wiki)})):
            measure(costs, name, root, count, {"state": str(Path(folder) / f"index of {name}"), **beside})
    print(f"at most {kit.peak_megabytes()} MB of memory")
    return costs.table.exit_status()


if __name__ == "__main__":
    sys.exit(main())
