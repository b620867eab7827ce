"""Properties: what must be true of a rule whatever the facts, read and checked for sense; analysis evaluates them.

Their cells are asked of facts and of the answer alike, so that `never: {authority: false, level: High}` says what it
means. The answer's columns are the outputs of a table, `score` and `level` of a scorecard, `tier` and `rule` of tiers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from rules.cells import Cell, Scope, read_cells
from rules.columns import Column, Kind, Range, read_range, value_kind
from rules.findings import Finding
from rules.reading import Path, found, is_note, read_list, read_mapping, shown, unknown
from rules.records import record
from rules.scorecards import Scorecard
from rules.tables import Table
from rules.tiers import Tiers

if TYPE_CHECKING:
    from rules.documents import RuleDocument

PropertyKind = Literal["never", "always", "monotone", "within", "every_level_reachable"]
KINDS: tuple[str, ...] = get_args(PropertyKind)
Rule = Table | Scorecard | Tiers


@record
class Property:
    """One property.

    Shapes: `columns` are those of the facts and then those of the answer, and `when` and `then` hold a cell for each
    of them. `never`: `when` never holds. `always`: wherever `when` holds, `then` does. `monotone`: `fact` is the place
    of the column that grows, `goes` up or down. `within`: the one number of the answer lies in `range`.
    """

    kind: PropertyKind
    of: str
    columns: tuple[Column, ...]
    when: tuple[Cell, ...]
    then: tuple[Cell, ...]
    fact: int | None
    goes: str | None
    range: Range | None
    id: str
    message: Any
    path: Path


def load_properties(document: RuleDocument, findings: list[Finding]) -> tuple[Property, ...]:
    """Return the properties of a document; one that makes no sense is found and left out."""
    if "properties" not in document.body:
        return ()
    read = []
    for at, written in enumerate(read_list(document.body["properties"], ("properties",), findings)):
        entry = read_mapping(written, ("properties", at), findings)
        if entry:
            before = len(findings)
            one = _read(entry, at, document, findings)
            if one is not None and len(findings) == before:
                read.append(one)
    return tuple(read)


def columns_of(rule: Rule) -> tuple[Column, ...]:
    """Return the columns that a property of a rule may ask about: its facts and then its answer."""
    return (*rule.columns, *answer_columns(rule))


def answer_columns(rule: Rule) -> tuple[Column, ...]:
    """Return what an answer can be asked about, as columns."""
    if isinstance(rule, Table):
        return tuple(Column(one.name, one.kind, one.enum, or_null=one.or_null) for one in rule.outputs)
    if isinstance(rule, Scorecard):
        levels = tuple(level.name for level in rule.levels)
        return (Column("score", "number", range=rule.range), Column("level", "string", levels))
    tiers = [one.tier for one in rule.classes]
    kinds: set[Kind] = {value_kind(tier) for tier in tiers}
    names = tuple(one.id for tier_class in rule.classes for one in tier_class.rules)
    return (Column("tier", kinds.pop() if len(kinds) == 1 else "any", tuple(tiers)), Column("rule", "string", names))


def _read(entry: Mapping[str, Any], at: int, document: RuleDocument, findings: list[Finding]) -> Property | None:
    path: Path = ("properties", at)
    kinds = [key for key in entry if key in KINDS]
    if len(kinds) != 1:
        others = [key for key in entry if key not in ("id", "of", "message") and not is_note(key)]
        findings.append(unknown("unknown-property", path, ", ".join(kinds or others) or "-", KINDS))
        return None
    kind = cast(PropertyKind, kinds[0])
    rule = _rule(entry, document, path, findings)
    if rule is None:
        return None
    columns = columns_of(rule)
    scope = Scope(document.name, columns, document.thresholds)
    body, here = entry[kind], (*path, kind)
    when, then = cast("tuple[Cell, ...]", ()), cast("tuple[Cell, ...]", ())
    fact: int | None = None
    goes: str | None = None
    range_: Range | None = None
    if kind == "never":
        when = read_cells(body, rule.name, scope, here, findings)
    elif kind == "always":
        parts = read_mapping(body, here, findings)
        when = read_cells(parts.get("when", {}), rule.name, scope, (*here, "when"), findings)
        then = read_cells(parts.get("then", {}), rule.name, scope, (*here, "then"), findings)
    elif kind == "monotone":
        parts = read_mapping(body, here, findings)
        goes = shown(parts.get("goes"))
        names = [column.name for column in rule.columns]
        if parts.get("in") in names:
            fact = names.index(parts["in"])
        else:
            findings.append(unknown("unknown-column", (*here, "in"), parts.get("in"), names, table=rule.name))
        if goes not in ("up", "down"):
            findings.append(unknown("unknown-policy", (*here, "goes"), goes, ("up", "down")))
    elif kind == "within":
        range_ = read_range(body, "number", here, findings)
    elif not isinstance(rule, Scorecard):
        findings.append(found("property-needs-scorecard", here, name=rule.name))
    id_ = shown(entry.get("id", str(at + 1)))
    return Property(kind, rule.name, columns, when, then, fact, goes, range_, id_, entry.get("message"), path)


def _rule(entry: Mapping[str, Any], document: RuleDocument, path: Path, findings: list[Finding]) -> Rule | None:
    """Return the rule that a property is about: the one that it names, or the only one of the document."""
    rules: dict[str, Rule] = {**document.tables, **document.scorecards, **document.tiers}
    names = [name for name, kind in document.names.items() if kind in ("table", "scorecard", "tiers")]
    if "of" not in entry:
        if len(names) == 1:
            return rules.get(names[0])
        findings.append(found("property-of-which", path, names=", ".join(names) or "-"))
        return None
    name = shown(entry["of"])
    if name not in names:
        findings.append(unknown("unknown-rule", (*path, "of"), name, names))
    return rules.get(name)
