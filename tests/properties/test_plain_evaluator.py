"""What is compiled answers as the plain evaluator does, on every class and on random facts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from interpreter.documents.public_suffixes import registrable_domain
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from rules.cells import Cell, Constant
from rules.columns import Column
from rules.documents import RuleDocument, decide, load_rules
from rules.scorecards import Scorecard
from rules.tables import Table
from rules.tiers import Tiers
from rules.values import ABSENT, CannotEvaluate, same
from tests.draws import draws
from tests.properties.rule_strategies import INPUTS, KIND, NUMBERS, cells, facts

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("specs/rules/*.yaml"), *ROOT.glob("tests/cases/rules/*/rules.yaml")])
COMBINATIONS = draws(150)
"""So many combinations of classes are tried of each rule, chosen by a fixed chance."""
LIMITS = {
    "limits": {"freshness_days": 7, "grace": "2h", "unread": 1, "most": 2},
    "search_limits": {"freshness_days": 7},
}


def outcome(document: RuleDocument, rule: str, given_facts: dict[str, Any], names: Any, plainly: bool) -> Any:
    try:
        decision = decide(document, rule, given_facts, names, plainly=plainly)
    except CannotEvaluate as failure:
        return failure.code, failure.facts
    return decision.answer, (decision.row, decision.ids)


def assert_agree(document: RuleDocument, rule: str, given_facts: dict[str, Any], names: Any = LIMITS) -> None:
    compiled = outcome(document, rule, given_facts, names, plainly=False)
    plain = outcome(document, rule, given_facts, names, plainly=True)
    assert compiled[0] is plain[0] or same(compiled[0], plain[0]), given_facts
    assert compiled[1] == plain[1], given_facts


# --- every class of the documents that exist


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: "/".join(path.parts[-2:]))
def test_compiled_rules_agree_on_representatives_of_every_class(path: Path) -> None:
    node, _ = read_tree(Source(path.name, path.read_text(encoding="utf-8")))
    assert node is not None
    document, _ = load_rules(to_value(node), path.stem, registrable_domain)
    assert document is not None
    chance = random.Random(11)
    for name, rule in document.decidable.items():
        values = [representatives(column, cells) for column, cells in columns_with_cells(rule)]
        for _ in range(COMBINATIONS):
            chosen = [chance.choice(listed) for listed in values]
            assert_agree(document, name, dict(zip([column.name for column in rule.columns], chosen, strict=True)))


def columns_with_cells(rule: Any) -> Iterator[tuple[Column, list[Cell]]]:
    rows = list(rows_of(rule))
    for place, column in enumerate(rule.columns):
        yield column, [row[place] for row in rows]


def rows_of(rule: Any) -> Iterator[tuple[Cell, ...]]:
    if isinstance(rule, Table):
        yield from (row.cells for row in rule.rows)
    elif isinstance(rule, Scorecard):
        yield from (row.cells for factor in rule.factors for row in factor.rows)
        yield from (level.needs for level in rule.levels)
        yield from (veto.cells for veto in rule.vetoes)
    else:
        assert isinstance(rule, Tiers)
        yield from (one.cells for tier_class in rule.classes for one in tier_class.rules)


def representatives(column: Column, cells: list[Cell]) -> list[Any]:
    """Return a value of every class that the cells make, each limit with both its sides, and both kinds of nothing."""
    found: list[Any] = [None, ABSENT, *column.enum, *EXAMPLES.get(column.name, ())]
    limits = [limit for cell in cells for limit in limits_of(cell)]
    if column.range is not None:
        limits += [end for end in (column.range.low, column.range.high) if end is not None]
    for limit in limits:
        found += around(limit)
    return found + DEFAULTS.get(column.kind, [])


def limits_of(cell: Cell) -> Iterator[Any]:
    if isinstance(cell.limit, Constant):
        yield cell.limit.value
    for part in cell.parts:
        yield from limits_of(part)


def around(limit: Any) -> list[Any]:
    if isinstance(limit, bool) or limit is None:
        return [limit]
    if isinstance(limit, int | Decimal):
        return [limit, limit + 1, limit - 1, limit + Decimal("0.5")]
    if isinstance(limit, date):
        return [(limit + timedelta(days=days)).isoformat() for days in (-1, 0, 1)]
    return [limit, f"{limit}x"] if isinstance(limit, str) else [limit]


DEFAULTS: dict[str, list[Any]] = {
    "boolean": [True, False],
    "integer": [1],
    "number": [2],
    "string": ["", "a"],
    "date": ["2024-05-05"],
    "duration": ["3h"],
    "array": [[], ["a"]],
    "any": [5, "a", True],
}
EXAMPLES: dict[str, list[Any]] = {
    "url": ["https://www.gov.cn/", "https://reuters.com/x", "https://galaxy-ai.example/", "https://site.edu/~a", "?"],
    "about": ["Galaxy AI", ["北辰云"], []],
    "kind": ["forum"],
    "publisher": ["north research"],
}


# --- random cards

BOOLEAN = st.booleans().map(lambda value: {"boolean_a": value})
SHARES = st.sampled_from([0, Decimal("0.1"), Decimal("0.45"), 1])
MISSING = st.one_of(st.just("refuse"), SHARES, SHARES.map(lambda share: {"gives": share, "because": "x"}))


@st.composite
def whens(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(sorted(INPUTS)), max_size=3, unique=True))
    return {name: draw(cells(KIND[name])) for name in names}


@st.composite
def factors(draw: st.DrawFn) -> dict[str, Any]:
    rows = draw(st.lists(st.builds(lambda when, gives: {"when": when, "gives": gives}, whens(), SHARES), max_size=3))
    last = draw(st.sampled_from([[{"when": "any", "gives": 0}], []]))
    return {"missing": draw(MISSING), "rows": [*rows, *last] or [{"when": "any", "gives": 1}]}


@st.composite
def cards(draw: st.DrawFn) -> RuleDocument:
    weights = draw(st.sampled_from([[100], [60, 40], [Decimal("33.5"), 50, Decimal("16.5")]]))
    edges = draw(st.sampled_from([[0], [50, 0], [80, Decimal("60.5"), 0], [30, 20, 10, 0]]))
    levels: list[dict[str, Any]] = [{"level": f"l{edge}", "from": edge} for edge in edges]
    for place, level in enumerate(levels[:-1]):
        if draw(st.booleans()):
            level["needs"] = draw(st.one_of(whens(), BOOLEAN))
            if draw(st.booleans()):
                level["otherwise"] = levels[draw(st.integers(place + 1, len(levels) - 1))]["level"]
    vetoes = [
        {"when": draw(st.one_of(whens(), BOOLEAN)), "level": draw(st.sampled_from(levels))["level"]}
        for _ in range(draw(st.integers(0, 3)))
    ]
    card = {
        "inputs": INPUTS,
        "factors": {f"f{at}": {**draw(factors()), "weight": weight} for at, weight in enumerate(weights)},
        "levels": levels,
        "vetoes": vetoes,
    }
    document, _ = load_rules({"scorecards": {"c": card}}, "here")
    assert document is not None
    assume("c" in document.scorecards)
    return document


@settings(deadline=None)
@given(cards(), st.lists(facts(), min_size=1, max_size=5), NUMBERS)
def test_compiled_cards_agree_with_the_plain_evaluator(
    document: RuleDocument, many: list[dict[str, Any]], most: Any
) -> None:
    for given_facts in many:
        assert_agree(document, "c", given_facts, {"limits": {"most": most}})


@settings(max_examples=40, deadline=None)
@given(cards(), facts(), NUMBERS)
def test_a_score_stays_in_its_range_and_its_parts_sum_to_it(
    document: RuleDocument, given_facts: dict[str, Any], most: Any
) -> None:
    try:
        answer = decide(document, "c", given_facts, {"limits": {"most": most}}).answer
    except CannotEvaluate:
        return
    assert 0 <= answer["score"] <= 100
    assert sum(part["points"] for part in answer["parts"]) == answer["score"]
    assert [reason["lost"] for reason in answer["reasons"]] == sorted(
        (part["of"] - part["points"] for part in answer["parts"] if part["of"] != part["points"]), reverse=True
    )


# --- random tiers

ENTRIES = ["gov.cn", "example.com", "a.example.com", "edu", "b.cn", "x.y.b.cn"]
HOSTS = st.one_of(
    st.sampled_from([*ENTRIES, *(f"www.{entry}" for entry in ENTRIES), "notgov.cn", "gov.cn.evil.com", "1.2.3.4"]),
    st.lists(st.sampled_from(["gov", "cn", "com", "example", "a", "b", "edu", "www"]), min_size=1, max_size=4).map(
        ".".join
    ),
)
ADDRESSES = st.builds(
    lambda before, host, after: f"{before}{host}{after}",
    st.sampled_from(["https://", "http://", "", "HTTP://x@", "ftp://"]),
    HOSTS,
    st.sampled_from(["", "/", ":80/a", "./~b", "/a/../b?c", "@evil.com", "\\x", "%2e"]),
)


@st.composite
def tier_rules(draw: st.DrawFn) -> dict[str, Any]:
    rule: dict[str, Any] = {}
    for key, values in (
        ("suffix", ENTRIES),
        ("domain", ["example.com", "b.cn"]),
        ("path", ["/a", "/b"]),
        ("not_path", ["/~"]),
        ("publisher", ["A B", "c"]),
        ("has", ["publisher", "about"]),
    ):
        if draw(st.integers(0, 3)) == 0:
            rule[key] = draw(st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True))
    if draw(st.integers(0, 3)) == 0:
        rule["domain_of_owner"] = "about"
    if draw(st.integers(0, 3)) == 0:
        rule["when"] = {"age": draw(st.sampled_from(["at least 2", [1, None], "absent", {"under": 2}]))}
    return rule or {"any": True}


@st.composite
def tiers_documents(draw: st.DrawFn) -> RuleDocument:
    classes = [
        {"tier": at + 1, "rules": draw(st.lists(tier_rules(), min_size=1, max_size=3))}
        for at in range(draw(st.integers(1, 3)))
    ]
    inputs = {"url": {}, "publisher": {}, "about": {}, "age": {"type": "number"}}
    owners = [{"names": ["A b", "Z"], "domains": ["b.cn"]}, {"names": ["z"], "domains": ["example.com", "b.cn"]}]
    body = {"tiers": {"t": {"inputs": inputs, "classes": classes}}, "lists": {"owners": owners}}
    document, _ = load_rules(body, "here", registrable_domain)
    assert document is not None
    assume("t" in document.tiers)
    return document


SOURCES = st.fixed_dictionaries(
    {},
    optional={
        "url": st.one_of(ADDRESSES, st.none()),
        "publisher": st.sampled_from(["a b", "ａ  B", "C", "", None, 5]),
        "about": st.sampled_from(["A B", ["q", "z"], None, "nobody", []]),
        "age": st.sampled_from([1, 2, None]),
    },
)


@settings(deadline=None)
@given(tiers_documents(), st.lists(SOURCES, min_size=1, max_size=6))
def test_tiers_agree_with_the_plain_evaluator(document: RuleDocument, many: list[dict[str, Any]]) -> None:
    for given_facts in many:
        assert_agree(document, "t", given_facts, {})


@settings(deadline=None)
@given(st.text(max_size=40))
def test_reading_an_address_never_fails_and_never_finds_what_is_not_in_the_host(text: str) -> None:
    from rules.addresses import read_address

    address = read_address(text)
    if address is not None:
        assert address.host == address.host.lower()
        assert address.host.isascii()
        assert not set(address.host) & set("@/\\?# ")
        assert address.path.startswith("/")
