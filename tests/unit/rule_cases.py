"""Case files of the rules, read as the documents themselves are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from rules.values import ABSENT, same

CASES = Path(__file__).parents[1] / "cases" / "rules"


def read_case(*parts: str) -> Any:
    """Return the plain data of one file; a word that looks like a date is meant as text here."""
    text = CASES.joinpath(*parts).read_text(encoding="utf-8")
    node, problems = read_tree(Source("/".join(parts), text))
    assert node is not None
    assert [problem for problem in problems if problem.severity == "error"] == []
    return to_value(node)


def assert_has(answer: Any, wanted: Any, where: str = "answer") -> None:
    """Assert that an answer has these fields and entries, whatever else a mapping holds."""
    if isinstance(wanted, dict) and isinstance(answer, dict):
        for name, part in wanted.items():
            assert_has(answer.get(name, ABSENT), part, f"{where}.{name}")
    elif isinstance(wanted, list) and isinstance(answer, list):
        assert len(answer) == len(wanted), where
        for place, (one, part) in enumerate(zip(answer, wanted, strict=True)):
            assert_has(one, part, f"{where}[{place}]")
    else:
        assert same(answer, wanted), (where, answer)
