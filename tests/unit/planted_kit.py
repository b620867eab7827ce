"""Mistakes planted into copies of the shipped documents, and what is found then."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NamedTuple

from interpreter.diagnostics import Diagnostic
from interpreter.lint import lint_paths
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from tests.docs.readme_kit import blocks_of, write_files

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).parents[1] / "cases" / "planted.yaml"


class Planted(NamedTuple):
    """One changed document: its text, and where the finding has to begin. Units: line and column, from 1."""

    path: Path
    text: str
    line: int
    column: int


def rows() -> list[dict[str, Any]]:
    """Return the mistakes as the table says them."""
    node, found = read_tree(Source("planted.yaml", CASES.read_text(encoding="utf-8")))
    assert node is not None
    assert found == []
    table = to_value(node)
    assert isinstance(table, list)
    return table  # type: ignore[return-value]


def copied(folder: Path) -> Path:
    """Copy the shipped documents, without samples, and those that the README shows; returns where they stand."""
    shutil.copytree(ROOT / "specs", folder / "specs", ignore=shutil.ignore_patterns("samples"))
    write_files(blocks_of((ROOT / "README.md").read_text(encoding="utf-8")), folder)
    return folder / "specs"


def plant(row: dict[str, Any], specs: Path) -> Planted:
    """Return a document with its mistake."""
    path = specs / row["in"]
    text = path.read_text(encoding="utf-8")
    begin = text.index(row["after"]) if "after" in row else 0
    start = text.index(row["was"], begin)
    planted = text[:start] + row["put"] + text[start + len(row["was"]) :]
    place = _place(row, planted, start)
    line = planted.count("\n", 0, place) + 1
    return Planted(path, planted, line, place - planted.rfind("\n", 0, place))


def _place(row: dict[str, Any], text: str, start: int) -> int:
    """Return where `at` stands: in the line that the row names, else in what was planted, else next before it."""
    if "line" in row:
        return text.index(row["at"], text.index(row["line"]))
    if row["at"] in row["put"]:
        return start + row["put"].index(row["at"])
    return text.rindex(row["at"], 0, start)


def found_with(planted: Planted) -> list[Diagnostic]:
    """Return what is found in the changed document; the folder is as before afterwards."""
    before = planted.path.read_bytes()
    planted.path.write_text(planted.text, encoding="utf-8", newline="")
    try:
        return lint_paths([planted.path])
    finally:
        planted.path.write_bytes(before)
