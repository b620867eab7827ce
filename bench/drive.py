"""What a drive of 10,000 documents of 4 KB costs, with and without a wiki beside it: to index it, to turn a page.

Run: python bench/drive.py [DOCUMENTS]. Exit 1 when a ratio is missed. Targets are 500 documents a second and 50 ms
for a page, written as multiples of bare Python of the same run. The first page of a search also looks at every file
whether it changed; it has no target.
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
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


def main() -> int:
    from interpreter.adapters.drive import DriveAdapter

    count = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    table = kit.Table()
    with tempfile.TemporaryDirectory() as folder:
        root, wiki = Path(folder) / "drive", Path(folder) / "wiki"
        root.mkdir()
        size = write_documents(root, count)
        write_nodes(wiki, NODES)
        print(f"{count} documents of {size // count} bytes")
        bare = statistics.median(kit.child([sys.executable, "-c", "pass"]) for _ in range(ROUNDS))
        scale = 1 / kit.BARE_SECONDS
        table.head()

        def add(name: str, cost: float, at_most: float | None) -> None:
            limit = at_most * scale if at_most is not None else None
            table.add(name, cost * 1e3, "bare Python", bare * 1e3, "ms", limit)

        for name, settings in (("drive", {}), ("drive and wiki", {"wiki": str(wiki)})):
            state = Path(folder) / f"index of {name}"
            adapter = DriveAdapter({"root": str(root), "state": str(state), "account": "0", **settings})

            def search(arguments: dict[str, object], adapter: DriveAdapter = adapter) -> dict[str, object]:
                return adapter.invoke("drive.search", {"page_size": 20, **arguments})

            cost = kit.cpu(lambda search=search: search({"query": "数据"}))  # type: ignore[misc]
            add(f"{name}: index all, first page", cost, PER_DOCUMENT_SECONDS * count)
            print(f"{'':4}{count / cost:.0f} documents a second")
            first = search({"query": "数据"})
            token = str(first["page_token"])
            add(
                f"{name}: a further page",
                typical(lambda search=search, token=token: search({"query": "数据", "page_token": token})),  # type: ignore[misc]
                PAGE_SECONDS,
            )
            for what, arguments in SEARCHES:
                cost = typical(lambda search=search, arguments=arguments: search(arguments))  # type: ignore[misc]
                add(f"{name}: {what}", cost, None)
            for changed in sorted(root.rglob("*.md"))[:10]:
                os.utime(changed)
            add(f"{name}: after ten changes", kit.cpu(lambda search=search: search({"query": "数据"})), None)  # type: ignore[misc]
            adapter.close()
            again = DriveAdapter({"root": str(root), "state": str(state), "account": "0", **settings})
            cost = kit.cpu(lambda again=again: again.invoke("drive.search", {"query": "数据"}))  # type: ignore[misc]
            add(f"{name}: open a kept index, look, search", cost, None)
            again.close()
    print(f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB of memory")
    return table.exit_status()


if __name__ == "__main__":
    start = time.monotonic()
    status = main()
    print(f"{time.monotonic() - start:.0f} s")
    sys.exit(status)
