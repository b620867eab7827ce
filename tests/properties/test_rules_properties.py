"""Compiled tables answer as the plain evaluator does, and loading never fails on anything."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.columns import FORMATS, TYPES
from rules.documents import RuleDocument, decide, load_rules
from rules.values import CannotEvaluate, same
from tests.properties.rule_strategies import BOOLEANS, DATES, NUMBERS, TEXTS, documents, facts


def outcome(document: RuleDocument, given_facts: dict[str, Any], most: Any, plainly: bool) -> Any:
    try:
        decision = decide(document, "t", given_facts, {"limits": {"most": most}}, plainly=plainly)
    except CannotEvaluate as failure:
        return failure.code, failure.facts
    return decision.answer, decision.row


@settings(deadline=None)
@given(documents(), st.lists(facts(), min_size=1, max_size=5), st.one_of(NUMBERS, DATES))
def test_compiled_rows_agree_with_the_plain_evaluator(
    document: RuleDocument, many: list[dict[str, Any]], most: Any
) -> None:
    for given_facts in many:
        compiled = outcome(document, given_facts, most, plainly=False)
        plain = outcome(document, given_facts, most, plainly=True)
        assert compiled[0] is plain[0] or same(compiled[0], plain[0])
        assert compiled[1] == plain[1]


JSON = st.recursive(
    st.one_of(st.none(), BOOLEANS, NUMBERS, st.text(max_size=8), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=8,
)


@settings(deadline=None)
@given(JSON, JSON, JSON, JSON)
def test_loading_never_fails_on_any_data(cell: Any, column: Any, row: Any, section: Any) -> None:
    table = {
        "hit": section,
        "inputs": {"a": column, "b": {"type": "number", "range": section}, "c": {"type": "string"}},
        "outputs": {"o": column},
        "rows": [row, {"when": {"a": cell, "b": cell, "c": cell}, "then": {"o": cell}}, {"when": row, "then": row}],
        "otherwise": row,
        "impossible": section,
    }
    factor = {"weight": cell, "missing": row, "rows": [row, {"when": {"a": cell}, "gives": cell}]}
    card = {
        "range": section,
        "inputs": {"a": column},
        "factors": {"f": factor, "g": section},
        "levels": [row, {"level": cell, "from": cell, "needs": row, "otherwise": section}, section],
        "vetoes": [row, {"when": {"a": cell}, "level": cell}],
    }
    rule = {"suffix": cell, "domain": section, "domain_of_owner": cell, "has": row, "when": row, "publisher": section}
    classes = [row, {"tier": cell, "rules": [rule]}]
    tiers = {"inputs": {"url": column}, "address": cell, "owners": section, "classes": classes}
    same = [row, {"fields": cell, "as": section, "families": row, "near": cell, "credits": row}, section]
    parts = {
        "scorecards": {"c": card, "d": section},
        "tiers": {"t": tiers, "u": row},
        "independence": {"i": {"same": same, "list": cell}, "j": section},
        "lists": {"owners": section, "l": row},
    }
    properties = [row, {"of": section, "never": row}, {"never": {"a": cell}}, {"of": "c", "monotone": row}, section]
    for body in (
        parts,
        {"scorecards": {"c": card}, "properties": properties},
        {"tables": {"t": table}, "properties": properties},
        {"properties": section, "scorecards": section, "tiers": section, "independence": section},
        section,
        {"tables": {"t": table}, "thresholds": {"x": column, "y": {"value": cell, "range": row}}, "gates": section},
        {"tables": section, "thresholds": section, "lists": section, "gates": {"g": section}},
    ):
        load_rules(body, "here")


@settings(deadline=None)
@given(st.text(max_size=30))
def test_reading_never_fails_on_any_text_of_a_cell(text: str) -> None:
    names = (*TYPES, *FORMATS)
    inputs = {name: {"format" if name in FORMATS else "type": name} for name in names}
    body = {"inputs": inputs, "outputs": {}, "rows": [{"when": dict.fromkeys(names, text), "then": {}}]}
    load_rules({"tables": {"t": body}}, "here")
