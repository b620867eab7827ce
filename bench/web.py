"""Reading pages: what the adapter takes beyond the library, the way through the child process, the index.

Run: python bench/web.py. Exit 1 when a ratio is missed. The pages are the samples. `beyond the library` is everything
that is ours on a page: characters, days, names, access, written down in lines; it must stay under 30 ms a page on the
machine on which the target was set.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kit import BARE_SECONDS, Table, alternately, child, cpu

ROOT = Path(__file__).resolve().parents[1]

SAMPLES = ROOT / "specs" / "samples" / "web"
BEYOND_SECONDS = 0.030
SEARCH_SECONDS = 0.030


def main() -> int:
    table = Table()
    table.head()
    bodies = [path.read_bytes() for path in sorted(SAMPLES.glob("*.html"))]
    bare = alternately(lambda: child([sys.executable, "-c", "pass"]))[0]
    pages(table, bodies, bare)
    ways(table, bodies, bare)
    index(table, bare)
    return table.exit_status()


def parameters() -> dict[str, Any]:
    from interpreter.adapters.web.wording import plain_wording, read_wording

    return {
        "address": "https://www.example.com/1",
        "content_type": "text/html",
        "kind": "text/html",
        "read_at": "2026-10-20T01:00:00Z",
        "markup_characters": 1 << 20,
        "markup_elements": 50_000,
        "text_characters": 200_000,
        "wording": plain_wording(read_wording("")),
    }


def pages(table: Table, bodies: list[bytes], bare: float) -> None:
    from trafilatura import bare_extraction

    from interpreter.adapters.web import page
    from interpreter.adapters.web.tree import parse

    given = parameters()
    page.prepare(given)
    texts = [body.decode("gb18030" if b"gb" in body[:400] else "utf-8", "replace") for body in bodies]

    def library() -> None:
        for text in texts:
            found = parse(text)
            assert found is not None
            bare_extraction(found.root, fast=True, include_comments=False, with_metadata=False)

    ours, theirs = alternately(lambda: cpu(each(page.read, given, bodies)), lambda: cpu(library))
    count = len(bodies)
    table.add("one page, all of it", ours / count * 1e3, "library alone", theirs / count * 1e3, "ms", None)
    beyond = max(0.0, ours - theirs) / count
    table.add(
        "one page, beyond the library", beyond * 1e3, "bare Python", bare * 1e3, "ms", BEYOND_SECONDS / BARE_SECONDS
    )


def each(
    read: Callable[[dict[str, Any], bytes], Any], given: dict[str, Any], bodies: list[bytes]
) -> Callable[[], None]:
    from interpreter.adapters.children import Unreadable

    def work() -> None:
        for body in bodies:
            try:
                read(given, body)
            except Unreadable:
                continue

    return work


def ways(table: Table, bodies: list[bytes], bare: float) -> None:
    """Wall time, since the work is another process's."""
    from interpreter.adapters.children import ChildFailure, Children

    children, given = Children(), parameters()

    def work() -> float:
        start = time.perf_counter()
        for body in bodies:
            try:
                children.read("web.page", given, body)
            except ChildFailure:
                continue
        return (time.perf_counter() - start) / len(bodies)

    start = time.perf_counter()
    children.read("web.page", given, bodies[0] * 2)
    table.add(
        "first page in the child, with its start",
        (time.perf_counter() - start) * 1e3,
        "bare Python",
        bare * 1e3,
        "ms",
        None,
    )
    took = alternately(work, rounds=3)[0]
    table.add("one page through the child (wall)", took * 1e3, "bare Python", bare * 1e3, "ms", None)
    children.close()


def index(table: Table, bare: float) -> None:
    from interpreter.adapters.web import WebAdapter

    with tempfile.TemporaryDirectory() as folder:
        web = WebAdapter({"pages": str(SAMPLES), "state": folder})
        start = time.perf_counter()
        web.invoke("web.web_search", {"query": "数据治理"})
        took = time.perf_counter() - start
        table.add("index of the sample pages (wall)", took * 1e3, "bare Python", bare * 1e3, "ms", None)
        queries = ("企业版定价", "model cost", "人工智能服务明码标价规定 施行", "算力中心 投资")

        def search() -> float:
            return cpu(lambda: [web.invoke("web.web_search", {"query": query}) for query in queries]) / len(queries)

        found = alternately(search)[0]
        table.add("one search", found * 1e3, "bare Python", bare * 1e3, "ms", SEARCH_SECONDS / BARE_SECONDS)
        web.close()


if __name__ == "__main__":
    sys.exit(main())
