"""Case files of the rules, read as the documents themselves are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value

CASES = Path(__file__).parents[1] / "cases" / "rules"


def read_case(*parts: str) -> Any:
    """Return the plain data of one file; a word that looks like a date is meant as text here."""
    text = CASES.joinpath(*parts).read_text(encoding="utf-8")
    node, problems = read_tree(Source("/".join(parts), text))
    assert node is not None
    assert [problem for problem in problems if problem.severity == "error"] == []
    return to_value(node)
