"""Mistakes planted into the shipped documents: each is found, at its place, in words that help, and once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from interpreter.diagnostics import Diagnostic
from interpreter.lint import lint_paths
from tests.unit.planted_kit import copied, found_with, plant, rows

ROWS = rows()
#: The ten mistakes, and what else authors do.
KINDS = {
    "jump to nowhere", "misspelled key", "misspelled field", "used before it is set", "loop without a bound",
    "does not parse", "eaten by YAML", "wrong type", "unreachable", "unguarded write", "duplicate key",
    "twice", "full width", "surprises", "layout", "one language", "not there", "unused", "cannot hold", "leads nowhere",
    "not read", "words of others", "opened and not closed", "only shown", "a list is no number", "without braces",
    "without quotes", "single braces", "another form", "key of another language", "key in another place",
    "nothing fits", "keys run together", "a loop in an expression", "may be left out", "values of other languages",
    "misspelt is not missing", "one cause",
}  # fmt: skip


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("planted"))


def test_every_kind_is_planted_several_times() -> None:
    planted = Counter(row["kind"] for row in ROWS)
    assert set(planted) == KINDS
    assert min(planted.values()) >= 2


def _each_row() -> list[Any]:
    """Return every mistake as a case; one of each kind is enough for every day."""
    seen: Counter[str] = Counter()
    cases = []
    for row in ROWS:
        seen[row["kind"]] += 1
        marks = [] if seen[row["kind"]] == 1 else [pytest.mark.long]
        cases.append(pytest.param(row, id=f"{row['kind']}: {row['code']} {row['put'][:30]}", marks=marks))
    return cases


@pytest.mark.parametrize("row", _each_row())
def test_a_planted_mistake_is_found_once_where_it_stands(row: dict[str, Any], specs: Path) -> None:
    planted = plant(row, specs)
    found = found_with(planted)
    told = [_told(one) for one in found]
    assert Counter(one.code for one in found) == Counter([row["code"], *row.get("also", [])]), told
    main = next(one for one in found if one.code == row["code"])
    assert main.span is not None
    assert main.span.begins == (planted.line, planted.column), told
    assert row["says"] in main.message.en, told
    assert row["hint"] == "" or (main.hint is not None and row["hint"] in main.hint.en), told


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030", "utf-8-sig"])
def test_another_encoding_is_said_and_a_byte_order_mark_is_not(encoding: str, specs: Path) -> None:
    path = specs / "f077_analysis.yaml"
    before = path.read_bytes()
    path.write_bytes(before.decode("utf-8").encode(encoding))
    try:
        found = lint_paths([path])
    finally:
        path.write_bytes(before)
    wanted = {"utf-16": ["yaml/encoding"], "gb18030": ["yaml/encoding"], "utf-8-sig": []}[encoding]
    assert [one.code for one in found] == wanted


def test_lines_that_end_as_on_windows_are_read_alike(specs: Path) -> None:
    path = specs / "f077_analysis.yaml"
    before = path.read_bytes()
    path.write_bytes(before.replace(b"\n", b"\r\n").replace(b"to: RERANK}", b"to: RERNK}", 1))
    try:
        found = lint_paths([path])
    finally:
        path.write_bytes(before)
    assert [one.code for one in found] == ["name/unknown-state"]


def _told(one: Diagnostic) -> str:
    place = tuple(one.span.begins) if one.span is not None else ()
    return f"{place} {one.code}: {one.message.en} | {one.hint.en if one.hint is not None else ''}"
