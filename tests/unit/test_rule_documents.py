"""The rule documents under `specs/rules` decide as the fact sheets of their workflows ask."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from interpreter.documents.public_suffixes import registrable_domain
from interpreter.lint import lint_paths
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from rules.documents import RuleDocument, decide, load_rules
from tests.unit.rule_cases import assert_has, read_case

RULES = Path(__file__).parents[2] / "specs" / "rules"
CASES = [
    pytest.param(document, rule, case, id=f"{document}.{rule}: {case['why']}")
    for document, rules in read_case("documents.yaml").items()
    for rule, cases in rules.items()
    for case in cases
]


@cache
def load(name: str) -> RuleDocument:
    node, _ = read_tree(Source(name, (RULES / f"{name}.yaml").read_text(encoding="utf-8")))
    assert node is not None
    document, findings = load_rules(to_value(node), name, registrable_domain)
    assert findings == []
    assert document is not None
    return document


@pytest.mark.parametrize(("document", "rule", "case"), CASES)
def test_document_decides_as_the_fact_sheet_asks(document: str, rule: str, case: dict[str, Any]) -> None:
    names = {"search_limits": load("search_limits").values}
    decision = decide(load(document), rule, case["facts"], names)
    assert_has(decision.answer, case["has"])


@pytest.mark.parametrize("path", sorted(RULES.glob("*.yaml")), ids=lambda path: path.stem)
def test_no_rule_document_has_a_finding(path: Path) -> None:
    assert lint_paths([path]) == []
