"""How fast a compiled rule decides, beside a plain Python function of the same rule and beside other libraries.

    python bench/decisions.py

Two rule sets: the confidence card (five factors, a condition, a veto) and the table of eight rows that sorts a
resource. All figures are CPU time of this process, from one run, in turns, medians. Only ratios can fail. The other
libraries (extra `peers`) answer the level or the outcome alone, no row and no points; they are skipped with a reason
where they are not installed.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import kit

from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from rules.analysis.classes import pieces_of
from rules.analysis.gaps import find_gaps
from rules.analysis.overlaps import find_overlaps
from rules.analysis.subjects import TableSubject
from rules.documents import RuleDocument, decide, load_rules
from rules.plain import decide_table, score

ROUNDS = 9
MANY = 4000
Facts = Mapping[str, Any]
Decider = Callable[[Facts], Any]

SPREAD: dict[str, list[Any]] = {
    "parts": [0, 1, 2, 3, 3],
    "groups": [0, 1, 2, 3, 5],
    "tier1": [0, 0, 1],
    "tier2": [0, 1, 2, 3],
    "score": [5, 20, 59, 60, 90],
    "relevance": [],
}
"""Facts that have no common value, and what they may be."""

CARD = """
scorecards:
  card:
    inputs:
      parts: {type: integer, range: 0..3}
      groups: {type: integer, range: 0..}
      tier1: {type: integer, range: 0..}
      tier2: {type: integer, range: 0..}
      time: {enum: [in_scope, unknown, out_of_scope]}
      conflict: {enum: [none, minor, serious]}
      authority: {type: boolean}
    factors:
      intent:
        weight: 30
        rows:
          - {when: {parts: 3}, gives: 1}
          - {when: {parts: 2}, gives: 0.6}
          - {when: {parts: 1}, gives: 0.3}
          - {when: any, gives: 0}
      strength:
        weight: 25
        rows:
          - {when: {groups: at least 3}, gives: 1}
          - {when: {groups: 2}, gives: 0.8}
          - {when: {groups: 1}, gives: 0.5}
          - {when: any, gives: 0}
      source:
        weight: 20
        rows:
          - {when: {tier1: at least 1}, gives: 1}
          - {when: {tier2: at least 2}, gives: 0.8}
          - {when: {tier2: 1}, gives: 0.5}
          - {when: any, gives: 0}
      time:
        weight: 15
        rows:
          - {when: {time: in_scope}, gives: 1}
          - {when: {time: unknown}, gives: 0.4}
          - {when: any, gives: 0}
      agreement:
        weight: 10
        rows:
          - {when: {conflict: serious}, gives: 0}
          - {when: {conflict: minor}, gives: 0.5}
          - {when: any, gives: 1}
    levels:
      - {level: High, from: 80, needs: {authority: true}, otherwise: Medium}
      - {level: Medium, from: 60}
      - {level: Low, from: 0}
    vetoes: [{when: {conflict: serious}, level: Low}]
"""
TABLE = """
tables:
  resource:
    hit: first
    inputs:
      supported: {type: boolean}
      read: {enum: [readable, denied, unknown]}
      move: {enum: [movable, denied, unknown]}
      relevance: {enum: [high, medium, low]}
      score: {type: integer, range: 0..100}
    outputs: {group: {type: string}}
    rows:
      - {when: {supported: false}, then: {group: unsupported_move_target}}
      - {when: {read: denied}, then: {group: permission_denied}}
      - {when: {move: denied}, then: {group: no_move_permission}}
      - {when: {move: unknown}, then: {group: move_permission_unknown}}
      - {when: {read: unknown}, then: {group: unverifiable}}
      - {when: {relevance: high, score: at least 60}, then: {group: high}}
      - {when: {relevance: [high, medium], score: 20 to 100}, then: {group: medium}}
      - {when: any, then: {group: low}}
"""


def plain_card(facts: Facts) -> tuple[str, int]:
    """The card as somebody would write it by hand, in tenths of points so that it is exact."""
    parts = facts["parts"]
    points = 300 if parts == 3 else 180 if parts == 2 else 90 if parts == 1 else 0
    groups = facts["groups"]
    points += 250 if groups >= 3 else 200 if groups == 2 else 125 if groups == 1 else 0
    tier2 = facts["tier2"]
    points += 200 if facts["tier1"] >= 1 else 160 if tier2 >= 2 else 100 if tier2 == 1 else 0
    time = facts["time"]
    points += 150 if time == "in_scope" else 60 if time == "unknown" else 0
    conflict = facts["conflict"]
    points += 0 if conflict == "serious" else 50 if conflict == "minor" else 100
    if conflict == "serious":
        return "Low", points
    if points >= 800:
        return ("High" if facts["authority"] else "Medium"), points
    return ("Medium" if points >= 600 else "Low"), points


def plain_table(facts: Facts) -> tuple[str, int]:
    if not facts["supported"]:
        return "unsupported_move_target", 1
    if facts["read"] == "denied":
        return "permission_denied", 2
    if facts["move"] == "denied":
        return "no_move_permission", 3
    if facts["move"] == "unknown":
        return "move_permission_unknown", 4
    if facts["read"] == "unknown":
        return "unverifiable", 5
    if facts["relevance"] == "high" and facts["score"] >= 60:
        return "high", 6
    if facts["relevance"] in ("high", "medium") and 20 <= facts["score"] <= 100:
        return "medium", 7
    return "low", 8


# --- the same rules as one expression, for other libraries ------------------------------------------------------------

CARD_POINTS = (
    "(parts == 3 ? 300 : (parts == 2 ? 180 : (parts == 1 ? 90 : 0)))"
    " + (groups >= 3 ? 250 : (groups == 2 ? 200 : (groups == 1 ? 125 : 0)))"
    " + (tier1 >= 1 ? 200 : (tier2 >= 2 ? 160 : (tier2 == 1 ? 100 : 0)))"
    " + (time == 'in_scope' ? 150 : (time == 'unknown' ? 60 : 0))"
    " + (conflict == 'serious' ? 0 : (conflict == 'minor' ? 50 : 100))"
)
CARD_LEVEL = (
    f"conflict == 'serious' ? 'Low' : (({CARD_POINTS}) >= 800 ? (authority ? 'High' : 'Medium')"
    f" : (({CARD_POINTS}) >= 600 ? 'Medium' : 'Low'))"
)
TABLE_TESTS = [
    ("supported == false", "unsupported_move_target"),
    ("read == 'denied'", "permission_denied"),
    ("move == 'denied'", "no_move_permission"),
    ("move == 'unknown'", "move_permission_unknown"),
    ("read == 'unknown'", "unverifiable"),
    ("relevance == 'high' {and} score >= 60", "high"),
    ("(relevance == 'high' {or} relevance == 'medium') {and} score >= 20 {and} score <= 100", "medium"),
]


def table_level(and_: str, or_: str) -> str:
    parts = [f"({test.format(**{'and': and_, 'or': or_})}) ? '{name}' : (" for test, name in TABLE_TESTS]
    return "".join(parts) + "'low'" + ")" * len(parts)


def zen_engine(expression: str, _: Facts) -> Decider:
    import zen

    compiled = zen.compile_expression(expression)
    return lambda facts: compiled.evaluate(facts)


def cel_expr(expression: str, example: Facts) -> Decider:
    from cel_expr_python import cel

    kinds = {bool: cel.Type.BOOL, int: cel.Type.INT, str: cel.Type.STRING}
    environment = cel.NewEnv(variables={name: kinds[type(value)] for name, value in example.items()})
    compiled = environment.compile(expression)
    return lambda facts: compiled.eval(data=facts).value()


def common_expression(expression: str, _: Facts) -> Decider:
    import cel

    compiled = cel.compile(expression)
    return lambda facts: compiled.execute(facts)


def rule_engine(expression: str, _: Facts) -> Decider:
    import rule_engine as engine

    compiled = engine.Rule(expression)
    return lambda facts: compiled.evaluate(facts)


def stock_jinja(kind: str) -> Decider:
    """One stock expression a row, as templates are used for rules; a card is a row for each level."""
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment()
    if kind == "table":
        rows = [(test.format(**{"and": "and", "or": "or"}), name) for test, name in TABLE_TESTS]
        last = "low"
    else:
        points = (
            "(300 if parts == 3 else 180 if parts == 2 else 90 if parts == 1 else 0)"
            " + (250 if groups >= 3 else 200 if groups == 2 else 125 if groups == 1 else 0)"
            " + (200 if tier1 >= 1 else 160 if tier2 >= 2 else 100 if tier2 == 1 else 0)"
            " + (150 if time == 'in_scope' else 60 if time == 'unknown' else 0)"
            " + (0 if conflict == 'serious' else 50 if conflict == 'minor' else 100)"
        )
        rows = [
            ("conflict == 'serious'", "Low"),
            (f"({points}) >= 800 and authority", "High"),
            (f"({points}) >= 600", "Medium"),
        ]
        last = "Low"
    compiled = [(environment.compile_expression(test), name) for test, name in rows]

    def answer(facts: Facts) -> str:
        return next((name for test, name in compiled if test(facts)), last)

    return answer


# --- measuring --------------------------------------------------------------------------------------------------------


def facts_of(document: RuleDocument, name: str) -> list[dict[str, Any]]:
    """Return facts in an order of their own that is the same in every run.

    Nine of ten values of a fact are the common one (the first of an enum, true, a middle number), as it is with
    resources and claims: a rule mostly looks at what is in order and answers far down.
    """
    rule = document.decidable[name]
    chance = random.Random(7)
    many = []
    for _ in range(MANY):
        facts = {}
        for column in rule.columns:
            odd = chance.random() < 0.1
            if column.kind == "boolean":
                facts[column.name] = not odd
            elif column.enum and column.name not in SPREAD:
                facts[column.name] = chance.choice(column.enum) if odd else column.enum[0]
            elif column.enum:
                facts[column.name] = chance.choice(column.enum)
            else:
                facts[column.name] = chance.choice(SPREAD[column.name])
        many.append(facts)
    return many


def each(function: Callable[..., Any], many: Sequence[tuple[Any, ...]]) -> Callable[[], float]:
    """Return a measurement: CPU nanoseconds a call."""

    def work() -> None:
        for one in many:
            function(*one)

    return lambda: kit.cpu(work) / len(many) * 1e9


def measure(report: kit.Table, kind: str, document: RuleDocument, name: str, plain: Decider) -> None:
    many = facts_of(document, name)
    rule = document.decidable[name]
    functions: Any = document.compiled_table(name) if kind == "table" else document.compiled_card(name)
    keys = [rule.keys(facts) for facts in many]  # type: ignore[attr-defined]
    checked = [answer_of(document, name, facts) for facts in many]
    assert checked == [plain(facts)[0] for facts in many]

    untyped = [(facts, ()) for facts in many]
    typed = [(one, {}, ()) if kind == "table" else (one, ()) for one in keys]
    listed = [
        (rule, facts, one, ()) if kind == "table" else (rule, one, ()) for facts, one in zip(many, keys, strict=True)
    ]
    explain = decide_table if kind == "table" else score
    plainly, by_keys, by_facts, every_cell, border, plain_rule, whole = kit.alternately(
        each(plain, [(facts,) for facts in many]),
        each(functions.whole, typed),
        each(functions.enter, untyped),
        each(functions.listed, [(one, ()) for one in keys]),
        each(rule.keys, [(facts,) for facts in many]),  # type: ignore[attr-defined]
        each(explain, listed[:400]),
        each(lambda facts: decide(document, name, facts), [(facts,) for facts in many[:800]]),
        rounds=ROUNDS,
    )
    report.add(f"{kind}: typed facts, answer and row", by_keys, "plain Python", plainly, "ns", 1 / 0.7)
    report.add(f"{kind}: untyped facts, kinds tested", by_facts, "plain Python", plainly, "ns", 1 / 0.55)
    report.add(f"{kind}: every cell with value and limit", every_cell, "plain Python", plainly, "ns", 1 / 0.15)
    report.add(f"{kind}: the border alone, one call a fact", border, "plain Python", plainly, "ns", None)
    report.add(f"{kind}: plain evaluator, cell by cell", plain_rule, "plain Python", plainly, "ns", None)
    report.add(f"{kind}: decision with its record", whole, "plain Python", plainly, "ns", None)
    expression = CARD_LEVEL if kind == "card" else table_level("&&", "||")
    peers = {
        "zen-engine": lambda: zen_engine(expression.replace("&&", "and").replace("||", "or"), many[0]),
        "cel-expr-python": lambda: cel_expr(expression, many[0]),
        "common-expression-language": lambda: common_expression(expression, many[0]),
        "rule-engine": lambda: rule_engine(expression.replace("&&", "and").replace("||", "or"), many[0]),
        "stock Jinja2": lambda: stock_jinja(kind),
    }
    for peer, make in peers.items():
        try:
            decider = make()
            answers = [decider(facts) for facts in many[:200]]
        except ImportError as error:
            report.skip(f"{kind}: {peer}", f"{error}; pip install .[peers]")
            continue
        assert answers == checked[:200], peer
        ours, entering, theirs = kit.alternately(
            each(functions.whole, typed), each(functions.enter, untyped), each(decider, [(one,) for one in many[:400]])
        )
        report.add(f"{kind}: typed, beside {peer}", ours, peer, theirs, "ns", 1 / 5)
        report.add(f"{kind}: untyped, beside {peer}", entering, peer, theirs, "ns", None)


def answer_of(document: RuleDocument, name: str, facts: Facts) -> Any:
    answer = decide(document, name, facts).answer
    return answer["level"] if "level" in answer else answer["group"]


def many_rows(count: int, hit: str) -> dict[str, Any]:
    """Return a table over three columns of numbers whose every row has limits of its own in each."""
    rows = [
        {
            "when": {
                "a": f"{at * 10} to under {at * 10 + 10}",
                "b": f"{at} to under {2 * count - at}",
                "c": f"at least {at * 3 + 1}",
            },
            "then": {"x": str(at)},
        }
        for at in range(count)
    ]
    inputs = {name: {"type": "number", "range": f"0..{count * 10}"} for name in ("a", "b", "c")}
    return {"tables": {"t": {"hit": hit, "inputs": inputs, "outputs": {"x": {"type": "string"}}, "rows": rows}}}


def analysed(body: dict[str, Any]) -> tuple[Callable[[], None], int]:
    """Return what looks for gaps and overlaps of a table, and of how many cells its classes make."""
    document, _ = load_rules(body, "bench")
    assert document is not None

    def look() -> None:
        subject = TableSubject(document.tables["t"], document.thresholds)
        for _ in (*find_gaps(subject, 5), *find_overlaps(subject, 5)):
            pass

    cells = 1
    table = document.tables["t"]
    for place, column in enumerate(table.columns):
        cells *= len(pieces_of(column, [row.cells[place] for row in table.rows]).pieces)
    look()
    return look, cells


def main() -> int:
    report = kit.Table()
    report.head()
    for kind, text, name, plain in (("card", CARD, "card", plain_card), ("table", TABLE, "resource", plain_table)):
        node, _ = read_tree(Source("bench", text))
        assert node is not None
        document, findings = load_rules(to_value(node), "bench")
        assert findings == []
        assert document is not None
        measure(report, kind, document, name, plain)
    body = many_rows(20, "first")

    def compile_them() -> None:
        document, _ = load_rules(body, "bench")
        assert document is not None
        document.compiled_table("t").enter({"a": 5, "b": 1, "c": 1}, ())

    compile_them()
    [seconds, render] = kit.alternately(lambda: kit.cpu(compile_them), kit.render_cost)
    floor = kit.RENDER_MICROSECONDS
    report.add("read and compile 20 rows", seconds * 1e3, "5 ms, as this machine is", 5 * render / floor, "ms", 1)
    for count, hit, at_most in ((20, "unique", 50), (45, "first", 500)):
        look, cells = analysed(many_rows(count, hit))
        [seconds, render] = kit.alternately(lambda look=look: kit.cpu(look), kit.render_cost, rounds=5)  # type: ignore[misc]
        what = f"gaps and overlaps of {count} rows, {cells:,} cells"
        report.add(what, seconds * 1e3, f"{at_most} ms, as this machine is", at_most * render / floor, "ms", 1)
    return report.exit_status()


if __name__ == "__main__":
    sys.exit(main())
