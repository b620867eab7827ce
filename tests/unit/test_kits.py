"""What several files of tests use stands in a kit beside them."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_no_file_of_tests_imports_from_another_one() -> None:
    imported = re.compile(r"^from tests\.[\w.]*\btest_\w+ import", re.MULTILINE)
    named = {path.name: imported.findall(path.read_text("utf-8")) for path in TESTS.rglob("*.py")}
    assert {name: lines for name, lines in named.items() if lines} == {}
