"""Explanations: which row decided, what kept the nearest ones from it, what cost points; always the same bytes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from rules.documents import RuleDocument, decide, load_rules
from rules.explanations import explain
from rules.values import canonical_json

TABLE = {
    "hit": "first",
    "title": {"zh": "等级", "en": "grade"},
    "inputs": {
        "score": {"type": "number", "unit": "points", "title": {"zh": "分数", "en": "score"}},
        "least": {"type": "number"},
        "kind": {"type": "string"},
    },
    "outputs": {"level": {"enum": ["High", "Medium", "Low"]}},
    "rows": [
        {"id": "top", "when": {"score": "高于 95"}, "then": {"level": "High"}},
        {"when": {"score": "at least good", "kind": ["law", "starts with stat"]}, "then": {"level": "High"}},
        {"when": {"score": "60 到不足 80", "kind": "not rumour"}, "then": {"level": "Medium"}, "because": "so so"},
        {"when": {"score": "under least"}, "then": {"level": "Low"}},
    ],
    "otherwise": {"level": "Low"},
}
CARD = {
    "inputs": {"sources": {"type": "integer"}, "sure": {"type": "boolean"}, "denied": {"type": "boolean"}},
    "factors": {
        "support": {
            "weight": 70,
            "title": {"zh": "证据", "en": "support"},
            "rows": [
                {"when": {"sources": "at least 2"}, "gives": 1, "because": {"zh": "两个以上", "en": "two or more"}},
                {"when": "any", "gives": Decimal("0.5"), "because": {"zh": "太少", "en": "too few"}},
            ],
        },
        "certainty": {
            "weight": 30,
            "rows": [{"when": {"sure": True}, "gives": 1}, {"when": "any", "gives": 0, "because": "unsure"}],
        },
    },
    "levels": [{"level": "High", "from": 70, "needs": {"sure": True}}, {"level": "Low", "from": 0}],
    "vetoes": [
        {"id": "denied", "when": {"denied": True}, "level": "Low", "because": {"zh": "被否认", "en": "it was denied"}}
    ],
}
BODY = {"thresholds": {"good": {"value": 80}}, "tables": {"grade": TABLE}, "scorecards": {"card": CARD}}


@pytest.fixture(scope="module")
def document() -> RuleDocument:
    document, findings = load_rules(BODY, "here")
    assert document is not None
    assert findings == []
    return document


EXPLAINED: list[tuple[str, dict[str, Any], list[tuple[str, str]]]] = [
    (
        "grade",
        {"score": Decimal("79.5"), "least": 10, "kind": "news"},
        [
            ("“等级”的回答是 Medium，由第 3 行给出：so so", "grade is Medium, by row 3: so so"),
            (
                "第 3 行成立：分数 79.5 points（要求 60 到不足 80），kind news（要求 不是 rumour）",
                "row 3 holds: score 79.5 points (asked: 60 to under 80), kind news (asked: not rumour)",
            ),
            (
                "第 4 行（Low）不成立：分数 是 79.5 points，要求 低于 least（10）",
                "row 4 (Low) does not hold: score is 79.5 points, under least (10) is asked",
            ),
            (
                "第 1 (top) 行（High）不成立：分数 是 79.5 points，要求 高于 95",
                "row 1 (top) (High) does not hold: score is 79.5 points, above 95 is asked",
            ),
            (
                "第 2 行（High）不成立：分数 是 79.5 points，要求 至少 80（good）；kind 是 news，要求 law或开头是 stat",
                "row 2 (High) does not hold: score is 79.5 points, at least 80 (good) is asked; "
                "kind is news, law or starts with stat is asked",
            ),
        ],
    ),
    (
        "grade",
        {"score": 50, "kind": "law", "least": 40},
        [("“等级”的回答是 Low：没有一行成立，用 otherwise", "grade is Low: no row holds, so otherwise answers")],
    ),
    (
        "card",
        {"sources": 2, "sure": False, "denied": True},
        [
            (
                "“card”是 Low：70 分（High 从 70 起，Low 从 0 起）",
                "card is Low: 70 points (High from 70, Low from 0)",
            ),
            ("否决 denied 使它至多为 Low：被否认", "the veto denied allows Low at most: it was denied"),
            (
                "分数够 High，但条件不足：sure 是 false，要求 true",
                "the score is enough for High, but not its needs: sure is false, true is asked",
            ),
            ("certainty：30 分里少了 30 分，unsure", "certainty lost 30 of 30 points: unsure"),
            ("证据：满 70 分，两个以上", "support has all 70 points: two or more"),
        ],
    ),
]


@pytest.mark.parametrize(("rule", "facts", "lines"), EXPLAINED)
def test_a_decision_is_explained_in_both_languages(
    document: RuleDocument, rule: str, facts: dict[str, Any], lines: list[tuple[str, str]]
) -> None:
    explanation = explain(document, decide(document, rule, facts))
    assert [tuple(line) for line in explanation.lines[: len(lines)]] == lines


@pytest.mark.parametrize(("rule", "facts", "lines"), EXPLAINED)
def test_the_same_record_gives_the_same_bytes(
    document: RuleDocument, rule: str, facts: dict[str, Any], lines: list[tuple[str, str]]
) -> None:
    turned = dict(reversed(facts.items()))
    first = canonical_json(explain(document, decide(document, rule, facts)).plain)
    assert canonical_json(explain(document, decide(document, rule, turned)).plain) == first


def test_a_cell_that_could_not_be_compared_is_said_so(document: RuleDocument) -> None:
    explanation = explain(document, decide(document, "grade", {"score": 97}))
    row = next(row for row in explanation.nearest if row.number == 4)
    assert [cell.verdict for cell in row.cells] == ["could_not_be_compared"]
    assert row.failed[0].value == 97


def test_thresholds_of_other_documents_are_those_of_the_record() -> None:
    table = {
        "hit": "first",
        "inputs": {"days": {"type": "number"}},
        "outputs": {"fresh": {"type": "boolean"}},
        "rows": [{"when": {"days": "at most limits.fresh"}, "then": {"fresh": True}}],
        "otherwise": {"fresh": False},
    }
    document, _ = load_rules({"tables": {"t": table}}, "here")
    assert document is not None
    explanation = explain(document, decide(document, "t", {"days": 9}, {"limits": {"fresh": 7}}))
    assert explanation.lines[1].en == "row 1 (true) does not hold: days is 9, at most limits.fresh (7) is asked"


def test_outputs_are_called_by_their_titles() -> None:
    body = {
        "inputs": {"n": {"type": "integer"}},
        "outputs": {
            "result": {"type": "string", "title": {"zh": "结论", "en": "the result"}},
            "fee": {"type": "integer"},
        },
        "rows": [{"when": {"n": "at least 5"}, "then": {"result": "yes", "fee": 1}}],
        "otherwise": {"result": "no", "fee": 0},
    }
    document, _ = load_rules({"tables": {"offer": body}}, "here")
    assert document is not None
    lines = explain(document, decide(document, "offer", {"n": 4})).lines
    assert lines[0] == (
        "“offer”的回答是 结论 no，fee 0：没有一行成立，用 otherwise",
        "offer is the result no, fee 0: no row holds, so otherwise answers",
    )
    assert lines[1].zh.startswith("第 1 行（结论 yes，fee 1）不成立")
