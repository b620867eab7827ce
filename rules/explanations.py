"""Why a rule answered as it did, from the record of a decision; made when somebody asks, alike for the same record.

    explanation = explain(document, decision)
    explanation.lines          # sentences in both languages, the first one says it all
    explanation.plain          # the same as plain data, for machines

Of a table: the row that decided with each of its cells, and the nearest rows that did not hold with the cells that
kept them from it. Of a scorecard: every factor with its points, what cost the most first, what a level lacked, which
veto spoke. Of tiers: the rule that matched, and what it matched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from rules.cells import Cell, Constant, FactReference, Operator, OutsideReference, cell_matches
from rules.columns import Key
from rules.documents import Decision, RuleDocument
from rules.facts import Decidable, Names
from rules.records import record
from rules.said import Said, answer_words, both, joined, listed, name_of, of_text, pair, value_words
from rules.scorecards import Scorecard
from rules.tables import Row, Table, ValueOf
from rules.values import ABSENT, CannotEvaluate, Value, canonical_text

Verdict = Literal["held", "not_held", "could_not_be_compared"]
MOST_ROWS = 3
"""So many rows that did not hold are told, the nearest first."""

_OPERATORS: dict[Operator, Said] = {
    "at_least": Said("至少", "at least"),
    "above": Said("高于", "above"),
    "at_most": Said("至多", "at most"),
    "under": Said("低于", "under"),
    "equals": both(""),
    "contains": Said("包含", "contains"),
    "starts_with": Said("开头是", "starts with"),
    "any": Said("任意", "any"),
    "null": Said("空值", "null"),
    "absent": Said("缺失", "absent"),
    "not": Said("不是", "not"),
    "one_of": both(""),
    "between": both(""),
}


@record
class AskedCell:
    """One cell of a row on these facts.

    Shapes: `value` is the fact, ABSENT where it was not given; `asked` the cell in words, its references with their
    values.
    """

    name: str
    title: Said
    value: Value
    shown: Said
    operator: Operator
    asked: Said
    verdict: Verdict


@record
class AskedRow:
    """One row on these facts: its number from 1, its answer, and the cells that ask for something."""

    number: int
    id: str | None
    because: Any
    answer: Value
    cells: tuple[AskedCell, ...]

    @property
    def failed(self) -> tuple[AskedCell, ...]:
        return tuple(cell for cell in self.cells if cell.verdict != "held")

    @property
    def label(self) -> Said:
        name = str(self.number) if self.id is None else f"{self.number} ({self.id})"
        return Said(f"第 {name} 行", f"row {name}")


@record
class Explanation:
    """Why. Shapes: `rows` gave the answer, `nearest` are others, those with the fewest failed cells first."""

    rule: str
    kind: str
    answer: Value
    rows: tuple[AskedRow, ...]
    nearest: tuple[AskedRow, ...]
    lines: tuple[Said, ...]

    @property
    def plain(self) -> dict[str, Value]:
        """Return everything as plain data, in an order of its own, so that it has one canonical text."""
        return {
            "rule": self.rule,
            "kind": self.kind,
            "answer": None if self.answer is ABSENT else self.answer,
            "answered": self.answer is not ABSENT,
            "rows": [_plain_row(row) for row in self.rows],
            "nearest": [_plain_row(row) for row in self.nearest],
            "zh": [line.zh for line in self.lines],
            "en": [line.en for line in self.lines],
        }


def explain(document: RuleDocument, decision: Decision) -> Explanation:
    """Return why a decision came out as it did. The document is the one whose digest the decision holds."""
    rule = f"{document.name}.{decision.table}"
    if decision.kind == "table":
        return _of_table(document.tables[decision.table], decision, rule)
    if decision.kind == "scorecard":
        card = document.scorecards[decision.table]
        return Explanation(rule, "scorecard", decision.answer, (), (), tuple(_card_lines(card, decision)))
    return Explanation(rule, decision.kind, decision.answer, (), (), tuple(_plain_lines(decision)))


# --- tables -----------------------------------------------------------------------------------------------------------


def asked_rows(table: Table, facts: Mapping[str, Value], names: Names) -> list[AskedRow]:
    """Return every row of a table on facts, each cell with its verdict.

    Errors: those of `Table.keys` and `Table.outside_keys`.
    """
    keys = table.keys(facts)
    outside = table.outside_keys(names) if table.outside else ()
    return [_asked_row(table, number, facts, keys, outside, names) for number in range(1, len(table.rows) + 1)]


def _of_table(table: Table, decision: Decision, rule: str) -> Explanation:
    rows = asked_rows(table, decision.facts, names_of_record(decision))
    taken = decision.rows
    deciding = tuple(rows[number - 1] for number in taken)
    others = [row for row in rows if row.number not in taken and row.failed]
    place = taken[0] if taken else 0
    nearest = tuple(sorted(others, key=lambda row: (len(row.failed), abs(row.number - place)))[:MOST_ROWS])
    lines = [_first_line(table, decision, deciding), *_row_lines(deciding)]
    lines += [_miss_line(table, row) for row in nearest]
    return Explanation(rule, "table", decision.answer, deciding, nearest, tuple(lines))


def names_of_record(decision: Decision) -> dict[str, dict[str, Value]]:
    """Return the thresholds of other documents that a decision read, as they are handed in."""
    names: dict[str, dict[str, Value]] = {}
    for full_name, value in decision.outside.items():
        document, _, name = full_name.partition(".")
        names.setdefault(document, {})[name] = value
    return names


def _first_line(table: Table, decision: Decision, rows: Sequence[AskedRow]) -> Said:
    title, answer = of_text(table.title, table.name), answer_words(decision.answer, table.outputs)
    if decision.answer is ABSENT:
        return Said(
            f"“{title.zh}”没有回答：没有一行成立，也没有写 otherwise",
            f"{title.en} has no answer: no row holds, and nothing is said otherwise",
        )
    if not rows:
        return Said(
            f"“{title.zh}”的回答是 {answer.zh}：没有一行成立，用 otherwise",
            f"{title.en} is {answer.en}: no row holds, so otherwise answers",
        )
    by = listed([row.label for row in rows])
    said = Said(f"“{title.zh}”的回答是 {answer.zh}，由{by.zh}给出", f"{title.en} is {answer.en}, by {by.en}")
    reasons = [of_text(row.because, "") for row in rows if row.because is not None]
    if reasons:
        words = joined(reasons, "；", "; ")
        said = Said(f"{said.zh}：{words.zh}", f"{said.en}: {words.en}")
    return said


def _row_lines(rows: Iterable[AskedRow]) -> Iterable[Said]:
    for row in rows:
        if row.cells:
            held = joined([_held_words(cell) for cell in row.cells])
            yield Said(f"{row.label.zh}成立：{held.zh}", f"{row.label.en} holds: {held.en}")
        else:
            yield Said(f"{row.label.zh}总是成立", f"{row.label.en} always holds")


def _miss_line(table: Table, row: AskedRow) -> Said:
    answer = answer_words(row.answer, table.outputs)
    missed = joined([missed_words(cell) for cell in row.failed], "；", "; ")
    return Said(
        f"{row.label.zh}（{answer.zh}）不成立：{missed.zh}", f"{row.label.en} ({answer.en}) does not hold: {missed.en}"
    )


def _held_words(cell: AskedCell) -> Said:
    value = pair(cell.title, cell.shown)
    if cell.asked == cell.shown:
        return value
    return Said(f"{value.zh}（要求 {cell.asked.zh}）", f"{value.en} (asked: {cell.asked.en})")


def missed_words(cell: AskedCell) -> Said:
    """Return why one cell does not hold: `score is 79.5, at least 80 is asked`."""
    title, value, asked = cell.title, cell.shown, cell.asked
    if cell.value is ABSENT:
        return Said(f"{title.zh} 缺失，要求 {asked.zh}", f"{title.en} is absent, {asked.en} is asked")
    if cell.verdict == "could_not_be_compared":
        return Said(
            f"{title.zh} 是 {value.zh}，无法与 {asked.zh} 比较",
            f"{title.en} is {value.en}, not comparable to {asked.en}",
        )
    return Said(f"{title.zh} 是 {value.zh}，要求 {asked.zh}", f"{title.en} is {value.en}, {asked.en} is asked")


def _asked_row(
    table: Table, number: int, facts: Mapping[str, Value], keys: Sequence[Key], outside: Sequence[Key], names: Names
) -> AskedRow:
    row = table.rows[number - 1]
    cells = asked_cells(table, row.cells, facts, keys, outside, names)
    return AskedRow(number, row.id, row.because, _row_answer(row), cells)


def asked_cells(
    rule: Decidable,
    cells: Sequence[Cell],
    facts: Mapping[str, Value],
    keys: Sequence[Key],
    outside: Sequence[Key],
    names: Names,
) -> tuple[AskedCell, ...]:
    """Return the cells of a row that ask for something, with what the facts make of each."""
    found = []
    for place, cell in enumerate(cells):
        if cell.operator == "any":
            continue
        column = rule.columns[place]
        try:
            matched = cell_matches(cell, column.name, keys[place], keys, outside)
            verdict: Verdict = "held" if matched else "not_held"
        except CannotEvaluate:
            verdict = "could_not_be_compared"
        value = facts.get(column.name, ABSENT)
        asked = cell_words(cell, rule, facts, names)
        shown = value_words(value, column.unit)
        found.append(AskedCell(column.name, name_of(column), value, shown, cell.operator, asked, verdict))
    return tuple(found)


def _row_answer(row: Row) -> dict[str, Value]:
    return {name: f"<{value.name}>" if isinstance(value, ValueOf) else value for name, value in row.then.items()}


def cell_words(cell: Cell, rule: Decidable, facts: Mapping[str, Value], names: Names) -> Said:
    """Return what a cell asks, in both languages, whatever language it was written in."""
    if cell.operator == "one_of":
        return listed([cell_words(part, rule, facts, names) for part in cell.parts], last_zh="或", last_en=" or ")
    if cell.operator == "not":
        return pair(_OPERATORS["not"], cell_words(cell.parts[0], rule, facts, names))
    if cell.operator == "between":
        low, high = (_limit_words(part, rule, facts, names) for part in cell.parts)
        above = cell.parts[0].operator == "above"
        under = cell.parts[1].operator == "under"
        zh = f"{'高于 ' if above else ''}{low.zh} {'到不足' if under else '到'} {high.zh}"
        en = f"{'above ' if above else ''}{low.en} {'to under' if under else 'to'} {high.en}"
        return Said(zh, en)
    word = _OPERATORS[cell.operator]
    if cell.limit is None:
        return word
    limit = _limit_words(cell, rule, facts, names)
    return pair(word, limit) if word.en else limit


def _limit_words(cell: Cell, rule: Decidable, facts: Mapping[str, Value], names: Names) -> Said:
    limit = cell.limit
    if isinstance(limit, Constant):
        value = value_words(limit.value)
        return (
            value
            if limit.threshold is None
            else Said(f"{value.zh}（{limit.threshold}）", f"{value.en} ({limit.threshold})")
        )
    if isinstance(limit, FactReference):
        other = rule.columns[limit.column]
        title, value = name_of(other), value_words(facts.get(other.name, ABSENT))
        return Said(f"{title.zh}（{value.zh}）", f"{title.en} ({value.en})")
    assert isinstance(limit, OutsideReference)
    document, _, name = limit.name.partition(".")
    known = names.get(document, {}).get(name, ABSENT)
    if known is ABSENT:
        return both(limit.name)
    return Said(f"{limit.name}（{value_words(known).zh}）", f"{limit.name} ({value_words(known).en})")


# --- scorecards, tiers ------------------------------------------------------------------------------------------------


def _card_lines(card: Scorecard, decision: Decision) -> Iterable[Said]:
    answer = decision.answer
    score = value_words(answer["score"])
    title = of_text(card.title, card.name)
    edges = joined([_edge_words(level.name, level.edge, level.title) for level in card.levels])
    level = next(one for one in card.levels if one.name == answer["level"])
    name = of_text(level.title, level.name)
    yield Said(
        f"“{title.zh}”是 {name.zh}：{score.zh} 分（{edges.zh}）",
        f"{title.en} is {name.en}: {score.en} points ({edges.en})",
    )
    if answer["veto"] is not None:
        veto = answer["veto"]
        because = of_text(veto["because"], veto["id"])
        yield Said(
            f"否决 {veto['id']} 使它至多为 {veto['level']}：{because.zh}",
            f"the veto {veto['id']} allows {veto['level']} at most: {because.en}",
        )
    if answer["capped_by"] is not None:
        yield _cap_words(card, decision)
    for reason in answer["reasons"]:
        factor = of_text(reason["title"], reason["factor"])
        because, lost = of_text(reason["because"], ""), value_words(reason["lost"])
        weight = next(value_words(part["of"]) for part in answer["parts"] if part["factor"] == reason["factor"])
        yield Said(
            f"{factor.zh}：{weight.zh} 分里少了 {lost.zh} 分，{because.zh}",
            f"{factor.en} lost {lost.en} of {weight.en} points: {because.en}",
        )
    for part in answer["parts"]:
        if part["points"] == part["of"]:
            factor, because = of_text(part["title"], part["factor"]), of_text(part["because"], "")
            points = value_words(part["of"])
            yield Said(
                f"{factor.zh}：满 {points.zh} 分，{because.zh}", f"{factor.en} has all {points.en} points: {because.en}"
            )


def _edge_words(name: str, edge: Value, title: Any) -> Said:
    said, value = of_text(title, name), value_words(edge)
    return Said(f"{said.zh} 从 {value.zh} 起", f"{said.en} from {value.en}")


def _cap_words(card: Scorecard, decision: Decision) -> Said:
    capped = decision.answer["capped_by"]
    place = next(number for number, level in enumerate(card.levels) if level.name == capped["level"])
    names = names_of_record(decision)
    outside = card.outside_keys(names) if card.outside else ()
    cells = asked_cells(card, card.levels[place].needs, decision.facts, card.keys(decision.facts), outside, names)
    missed = joined([missed_words(cell) for cell in cells if cell.verdict != "held"], "；", "; ")
    return Said(
        f"分数够 {capped['level']}，但条件不足：{missed.zh}",
        f"the score is enough for {capped['level']}, but not its needs: {missed.en}",
    )


def _plain_lines(decision: Decision) -> Iterable[Said]:
    if decision.answer is ABSENT:
        yield Said(f"“{decision.table}”没有回答：没有规则符合", f"{decision.table} has no answer: no rule matches")
        return
    answer = decision.answer
    if decision.kind == "tiers":
        title = of_text(answer["title"], canonical_text(answer["tier"]))
        tier, rule, matched = value_words(answer["tier"]), answer["rule"], answer["matched"]
        yield Said(
            f"“{decision.table}”是 {tier.zh}（{title.zh}）：规则 {rule} 符合（{matched}）",
            f"{decision.table} is {tier.en} ({title.en}): the rule {rule} matches ({matched})",
        )
        return
    words = answer_words(answer)
    yield Said(f"“{decision.table}”：{words.zh}", f"{decision.table}: {words.en}")


# --- plain data -------------------------------------------------------------------------------------------------------


def _plain_row(row: AskedRow) -> dict[str, Value]:
    return {
        "row": row.number,
        "id": row.id,
        "because": row.because,
        "answer": row.answer,
        "cells": [
            {
                "name": cell.name,
                "value": None if cell.value is ABSENT else cell.value,
                "given": cell.value is not ABSENT,
                "operator": cell.operator,
                "asked": cell.asked.en,
                "verdict": cell.verdict,
            }
            for cell in row.cells
        ],
    }
