"""Rule documents and facts, drawn."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from rules.documents import RuleDocument, load_rules
from rules.values import ABSENT

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
