"""Analysis of rules: what it costs to find what a table forgets, beside bare Python.

    python bench/rules_analysis.py

The tables are drawn with a fixed seed: rows of three intervals each, which overlap and leave holes. Exit 1 where a
target is missed.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from kit import BARE_SECONDS, Table, alternately, child, cpu

from rules.analysis.boundaries import boundary_cases
from rules.analysis.check import check_rules
from rules.analysis.differences import compare_rules
from rules.analysis.subjects import TableSubject
from rules.documents import RuleDocument, load_rules


def drawn(rows: int, columns: int, *, hit: str, otherwise: bool, seed: int = 1) -> RuleDocument:
    """Return a table of intervals over numeric columns."""
    draw = random.Random(seed)
    names = [f"n{number}" for number in range(columns)]
    written = []
    for row in range(rows):
        ends = {name: sorted(draw.sample(range(1, 1000), 2)) for name in names}
        when = {name: f"{low} to {high}" for name, (low, high) in ends.items()}
        written.append({"when": when, "then": {"answer": f"a{row % 4}"}})
    table: dict[str, Any] = {
        "hit": hit,
        "inputs": {name: {"type": "number", "range": "0..1000"} for name in names},
        "outputs": {"answer": {"type": "string"}},
        "rows": written,
    }
    if otherwise:
        table["otherwise"] = {"answer": "rest"}
    document, findings = load_rules({"tables": {"t": table}}, "bench")
    assert document is not None
    assert not findings
    return document


def main() -> int:
    table = Table()
    table.head()
    small = drawn(20, 3, hit="first", otherwise=False)
    clashing = drawn(20, 3, hit="unique", otherwise=False)
    large = drawn(23, 3, hit="unique", otherwise=False)
    cells = TableSubject(large.tables["t"]).grid.size
    assert cells > 760_000
    bare = alternately(lambda: child([sys.executable, "-c", "pass"]), rounds=5)[0]
    # targets in seconds are multiples of bare Python, as everywhere in the benches
    rows = [
        ("gaps and dead rows, 20 rows, 3 numbers", small, 0.050),
        ("gaps and overlaps, 20 rows, 3 numbers", clashing, 0.050),
        (f"gaps and overlaps, {cells:,} cells", large, 0.5),
    ]
    for name, document, target in rows:
        [ours] = alternately(lambda document=document: cpu(lambda: check_rules(document)))
        table.add(name, ours * 1000, "bare Python", bare * 1000, "ms", target / BARE_SECONDS)
    tables = drawn(8, 3, hit="first", otherwise=True)
    [ours] = alternately(lambda: cpu(lambda: boundary_cases(TableSubject(tables.tables["t"]))), rounds=3)
    table.add("boundary cases, 8 rows, 3 numbers", ours * 1000, "bare Python", bare * 1000, "ms", None)
    near = drawn(8, 3, hit="first", otherwise=True, seed=3)
    [ours] = alternately(lambda: cpu(lambda: compare_rules(tables, near, "t")), rounds=3)
    table.add("difference of two versions, 8 rows", ours * 1000, "bare Python", bare * 1000, "ms", None)
    return table.exit_status()


if __name__ == "__main__":
    sys.exit(main())
