"""Whatever bytes stand in an office file or PDF: it is read, or refused with a code of the contract; the next one is
read all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interpreter.adapters.office.reader import Readers
from interpreter.ports import ToolFailure
from specs.samples import office_files as made
from tests.draws import draws
from tests.unit.checked_calls import document

for library in ("docx", "openpyxl", "pptx", "pypdf"):
    pytest.importorskip(library)

ENDINGS = ("docx", "xlsx", "pptx", "pdf")


@cache
def good(ending: str) -> bytes:
    if ending == "docx":
        return made.word(["# 标题", "正文", ["甲", "乙"]])
    if ending == "xlsx":
        return made.workbook({"表": [["甲", 1], ["乙", 2]]})
    return made.deck([("标题", ["要点"])]) if ending == "pptx" else made.pdf(["one", "two"])


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    one = Readers({"cpu_seconds": 2, "wall_seconds": 10})
    yield one
    one.close()


#: Where a file is changed (in thousandths of its length), what is put there, and how much of it stays.
CHANGES = st.lists(st.tuples(st.integers(0, 999), st.binary(min_size=1, max_size=8)), max_size=4)


@settings(max_examples=draws(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(ENDINGS), st.sampled_from(ENDINGS), CHANGES, st.integers(1, 1000))
def test_any_bytes_are_read_or_refused_with_a_code(
    readers: Readers, named: str, of: str, changes: list[tuple[int, bytes]], kept: int
) -> None:
    body = bytearray(good(of))
    for place, content in changes:
        start = place * len(body) // 1000
        body[start : start + len(content)] = content
    try:
        code = type(readers.text(named, bytes(body[: kept * len(body) // 1000]), 10_000)[0]).__name__
    except ToolFailure as failure:
        code = failure.code
    assert code == "str" or code in document("reading")["errors"]
    assert readers.text("docx", good("docx"), 10_000)[0].startswith("# 标题")
