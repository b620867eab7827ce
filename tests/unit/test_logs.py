"""What a test reads of a log that another process is writing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.logs import logged


@given(st.lists(st.text()), st.data())
def test_a_log_cut_anywhere_is_read_up_to_its_last_whole_line(
    tmp_path_factory: pytest.TempPathFactory, said: list[str], data: st.DataObject
) -> None:
    lines = [json.dumps(word, ensure_ascii=False).encode() + b"\n" for word in said]
    cut = data.draw(st.integers(0, sum(map(len, lines))))
    log = tmp_path_factory.mktemp("log") / "log.jsonl"
    log.write_bytes(b"".join(lines)[:cut])
    assert logged(log) == said[: b"".join(lines)[:cut].count(b"\n")]


def test_a_log_that_was_never_made_is_empty(tmp_path: Path) -> None:
    assert logged(tmp_path / "log.jsonl") == []
