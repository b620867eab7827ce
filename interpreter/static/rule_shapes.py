"""The shape of what `decide` answers: outputs of a table, score and level of a card, tier of a source, its groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from interpreter.static.values import BOOLEAN, NUMBER, TEXT, WHOLE, Shape, list_of, record
from rules.columns import NUMBERS, Column
from rules.values import ABSENT

if TYPE_CHECKING:
    from rules.cells import Cell
    from rules.documents import RuleDocument
    from rules.scorecards import Scorecard
    from rules.tables import Output, Table
    from rules.tiers import Tiers

_KINDS = {"boolean": BOOLEAN, "integer": WHOLE, "number": NUMBER}
_JSON_TYPES = {"date": "string", "time": "string", "date-time": "string", "duration": "string"}
_SOURCES = record(
    {
        "count": WHOLE,
        "groups": list_of(
            record(
                {
                    "members": list_of(None),
                    "best": None,
                    "links": list_of(record({"by": TEXT, "first": None, "second": None, "value": TEXT})),
                }
            )
        ),
    }
)


def shape_of_decision(document: RuleDocument, rule: str) -> Shape | None:
    """Return the shape of a rule's answer, None where it is not known."""
    if rule in document.tables:
        return _table(document.tables[rule])
    if rule in document.scorecards:
        return _scorecard(document.scorecards[rule])
    if rule in document.tiers:
        return _tiers(document.tiers[rule])
    return _SOURCES if rule in document.independence else None


def facts_of(document: RuleDocument, rule: str) -> dict[str, tuple[object, ...]] | None:
    """Return the facts that a rule takes, each with the values that its enum lists; None for an unknown rule."""
    if rule in document.independence:
        return {document.independence[rule].list: ()}
    decidable = document.decidable.get(rule)
    return None if decidable is None else {column.name: column.enum for column in decidable.columns}


def _table(table: Table) -> Shape:
    if table.hit == "collect" and table.collect == "count":
        return record({table.outputs[0].name: WHOLE})
    answer = record({output.name: _output(output) for output in table.outputs})
    return list_of(answer) if table.gives_list else answer


def _output(output: Output) -> Shape | None:
    if output.or_null:
        return None
    if output.enum and all(isinstance(word, str) for word in output.enum):
        return Shape({"enum": list(output.enum)}, {})
    return _KINDS.get(output.kind)


def _scorecard(card: Scorecard) -> Shape:
    level = Shape({"enum": [level.name for level in card.levels]}, {})
    part = record({"factor": TEXT, "title": None, "points": NUMBER, "of": NUMBER, "because": None})
    reason = record({"factor": TEXT, "title": None, "lost": NUMBER, "because": None})
    return record(
        {
            "score": NUMBER,
            "level": level,
            "parts": list_of(part),
            "reasons": list_of(reason),
            "capped_by": None,
            "veto": None,
        }
    )


def _tiers(tiers: Tiers) -> Shape:
    names = [one.tier for one in tiers.classes]
    is_words = all(isinstance(name, str) for name in names)
    tier = Shape({"enum": names}, {}) if is_words else WHOLE if all(type(name) is int for name in names) else None
    return record({"tier": tier, "title": None, "rule": TEXT, "matched": TEXT})


def shapes_of_facts(document: RuleDocument, rule: str) -> dict[str, Shape]:
    """Return what may stand for each fact of a rule; null may stand for every one."""
    if rule in document.independence:
        return {document.independence[rule].list: Shape({"type": ["array", "null"]}, {})}
    decidable = document.decidable.get(rule)
    if decidable is None:
        return {}
    return {column.name: _of_column(column) for column in decidable.columns if column.kind != "any"}


def needed_facts(document: RuleDocument, rule: str) -> tuple[str, ...]:
    """Return the facts without which some row of a rule can never hold, in their order."""
    if rule in document.independence:
        return (document.independence[rule].list,)
    if rule in document.tables:
        table = document.tables[rule]
        return _needed(table.columns, [row.cells for row in table.rows])
    if rule in document.scorecards:
        card = document.scorecards[rule]
        rows = [row.cells for factor in card.factors if factor.missing is None for row in factor.rows]
        return _needed(card.columns, rows)
    tiers = document.tiers.get(rule)
    return () if tiers is None or tiers.address is None else (tiers.columns[tiers.address].name,)


def range_of(shape: Shape | None) -> tuple[object, object] | None:
    """Return the least and the greatest number that a shape allows, where it says both."""
    ranges = [(one.schema.get("minimum"), one.schema.get("maximum")) for one in shape.branches()] if shape else []
    return ranges[0] if len(ranges) == 1 and None not in ranges[0] else None


def _of_column(column: Column) -> Shape:
    schema: dict[str, object] = {"type": [_JSON_TYPES.get(column.kind, column.kind), "null"]}
    if column.kind in NUMBERS and column.range is not None:
        schema |= {"minimum": column.range.low, "maximum": column.range.high}
    return Shape(schema, {})


def _needed(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> tuple[str, ...]:
    from rules.cells import asks_for  # not every workflow decides

    asked = [[row[place] for row in rows if row[place].operator != "any"] for place in range(len(columns))]
    return tuple(
        column.name
        for column, cells in zip(columns, asked, strict=True)
        if cells and not any(asks_for(cell, ABSENT) for cell in cells)
    )
