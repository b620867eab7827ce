"""Compiled tables answer as the plain evaluator does, and loading never fails on anything."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rules.columns import FORMATS, TYPES
from rules.documents import RuleDocument, decide, load_rules
from rules.values import ABSENT, CannotEvaluate, same

NUMBERS = st.one_of(
    st.integers(-3, 3), st.decimals(-3, 3, places=1, allow_nan=False).map(lambda number: Decimal(str(number)))
)
TEXTS = st.sampled_from(["a", "ab", "b", "any", "not a", "75", ""])
DATES = st.sampled_from(["2024-01-01", "2024-02-29", "2025-01-01"])
BOOLEANS = st.booleans()
ANYTHING = st.one_of(NUMBERS, TEXTS, BOOLEANS, st.lists(st.one_of(NUMBERS, TEXTS, BOOLEANS), max_size=2))
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "number": NUMBERS,
    "string": TEXTS,
    "date": DATES,
    "boolean": BOOLEANS,
    "array": st.lists(ANYTHING, max_size=3),
    "any": ANYTHING,
}
KIND = {f"{kind}_{letter}": kind for kind in VALUES for letter in "ab"}
INPUTS = {name: {"format" if kind == "date" else "type": kind} for name, kind in KIND.items()}
ORDERS = ["at least", "above", "at most", "under", "至少", "高于", "至多", "低于"]
POLICIES = ["first", "unique", "any", "rule_order", "collect", "priority", "output_order"]


def ordered_cells(kind: str, limits: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from([f"{kind}_a", f"{kind}_b", "any_b", "limits.most"])
    written = st.one_of(limits.map(str), names)
    comparisons = st.builds(lambda order, limit: f"{order} {limit}", st.sampled_from(ORDERS), written)
    ranges = st.builds(
        lambda form, ends: form.format(*sorted(ends)),
        st.sampled_from(["{} to {}", "{} 到 {}", "[{}..{}]", "{}..{}", "({}..{}]", "[{}..{})", "above {} to under {}"]),
        st.tuples(limits, limits),
    )
    return st.one_of(comparisons, ranges)


def cells(kind: str) -> st.SearchStrategy[Any]:
    simple = [
        st.sampled_from(["any", "absent", None, "not null", f"same as {kind}_b", "same as any_a"]),
        VALUES[kind].map(lambda value: {"is": value}),
    ]
    if kind in ("number", "any"):
        simple.append(ordered_cells("number", NUMBERS))
    if kind == "date":
        simple.append(ordered_cells("date", DATES))
    if kind in ("string", "any", "array"):
        simple.append(TEXTS.map(lambda text: f"contains {text or 'c'}"))
    if kind in ("string", "any"):
        simple.append(TEXTS.map(lambda text: f"starts with {text or 'c'}"))
    one = st.one_of(simple)
    denied = one.map(lambda cell: {"not": cell})
    listed = st.lists(st.one_of(one, denied), min_size=1, max_size=3)
    return st.one_of(one, denied, listed, listed.map(lambda cell: {"not": cell}))


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(sorted(INPUTS)), max_size=3, unique=True))
    when = {name: draw(cells(KIND[name])) for name in names}
    return {"when": when, "then": {"answer": draw(st.sampled_from(["x", "y", {"value_of": "string_a"}]))}}


@st.composite
def documents(draw: st.DrawFn) -> RuleDocument:
    table = {
        "hit": draw(st.sampled_from(POLICIES)),
        "inputs": INPUTS,
        "outputs": {"answer": {"type": "string", "priority": ["y", "x"]}},
        "rows": draw(st.lists(rows(), min_size=1, max_size=4)),
    }
    document, _ = load_rules({"tables": {"t": table}}, "here")
    assert document is not None
    assume("t" in document.tables)
    return document


@st.composite
def facts(draw: st.DrawFn) -> dict[str, Any]:
    nothing = st.sampled_from([None, ABSENT])
    return {name: draw(st.one_of(VALUES[kind], VALUES[kind], nothing)) for name, kind in KIND.items()}


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
