"""The tables under `tests/cases/expr`: what expressions give, why they cannot be evaluated, what reading finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.expr import Expression, parse_expression, parse_template
from rules.values import CannotEvaluate, dumps, loads, same

CASES = Path(__file__).parents[1] / "cases" / "expr"


def rows(name: str) -> Iterator[tuple[str, str, str]]:
    for line in (CASES / f"{name}.csv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("# "):
            written, middle, last = (part.strip() for part in f"{line} ".split(" ; "))
            yield written, middle, last


def evaluations() -> Iterator[tuple[str, str, str]]:
    for name in ("reading", "nothing", "operators", "functions"):
        yield from rows(name)


@pytest.mark.parametrize(("written", "names", "expected"), list(evaluations()))
def test_an_expression_gives_what_the_table_says(written: str, names: str, expected: str) -> None:
    expression, findings = parse_expression(written)
    if expression is None:
        assert [finding.code for finding in findings] == [f"expression/{expected}"]
        return
    if not expected[0].isalpha() or expected in ("true", "false", "null"):
        assert same(expression.evaluate(loads(names)), loads(expected)), dumps(expression.evaluate(loads(names)))
        return
    with pytest.raises(CannotEvaluate) as failure:
        expression.evaluate(loads(names))
    assert failure.value.code == expected
    assert_place_inside(failure.value, expression)


def assert_place_inside(failure: CannotEvaluate, expression: Expression) -> None:
    assert failure.start is not None
    assert failure.end is not None
    assert 0 <= failure.start < failure.end <= len(expression.text)


@pytest.mark.parametrize(("written", "form", "expected"), list(rows("findings")))
def test_reading_finds_what_the_table_says(written: str, form: str, expected: str) -> None:
    read = parse_expression if form == "expression" else parse_template
    _, findings = read(written)
    found = [f"{finding.code.removeprefix('expression/')} {finding.start}-{finding.end}" for finding in findings]
    assert sorted(found) == sorted(expected.split(", ") if expected else [])
