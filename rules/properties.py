"""Properties: what must be true of a rule whatever the facts, read and checked for sense; analysis evaluates them.

Their cells are asked of facts and of the answer alike, so that `never: {authority: false, level: High}` says what it
means. The answer's columns are the outputs of a table, `score` and `level` of a scorecard, `tier` and `rule` of tiers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, cast, get_args

from rules.cells import Cell
from rules.columns import Column, Kind, Range, read_range, value_kind
from rules.findings import Finding
from rules.parts import Part
from rules.reading import Path, found, is_note, read_list, read_mapping, shown, unknown
from rules.records import record, replace
from rules.scorecards import Scorecard
from rules.tables import Table
from rules.tiers import Tiers
from rules.written_cells import Scope, read_cells

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
    id: str
    message: Any
    path: Path
    when: tuple[Cell, ...] = ()
    then: tuple[Cell, ...] = ()
    fact: int | None = None
    goes: str | None = None
    range: Range | None = None


def load_properties(whole: Part, rules: Mapping[str, Rule | None]) -> tuple[Property, ...]:
    """Return the properties of a document; one that makes no sense is found and left out.

    Shapes: `whole` is a document that has some; `rules` are those that they may be of, None for one that could not be
            read.
    """
    findings = whole.findings
    properties = []
    for at, written in enumerate(read_list(whole.body["properties"], ("properties",), findings)):
        entry = read_mapping(written, ("properties", at), findings)
        if entry:
            before = len(findings)
            one = _read(entry, at, whole, rules)
            if one is not None and len(findings) == before:
                properties.append(one)
    return tuple(properties)


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


def _read(entry: Mapping[str, Any], at: int, whole: Part, rules: Mapping[str, Rule | None]) -> Property | None:
    path: Path = ("properties", at)
    kinds = [key for key in entry if key in KINDS]
    if len(kinds) != 1:
        others = [key for key in entry if key not in ("id", "of", "message") and not is_note(key)]
        whole.findings.append(unknown("unknown-property", path, ", ".join(kinds or others) or "-", KINDS))
        return None
    kind = cast(PropertyKind, kinds[0])
    rule = _rule(entry, path, rules, whole.findings)
    if rule is None:
        return None
    id_ = shown(entry.get("id", str(at + 1)))
    columns = columns_of(rule)
    about = _About(rule, Scope(whole.document, columns, whole.thresholds), (*path, kind), whole.findings)
    return _READERS[kind](entry[kind], Property(kind, rule.name, columns, id_, entry.get("message"), path), about)


def _rule(
    entry: Mapping[str, Any], path: Path, rules: Mapping[str, Rule | None], findings: list[Finding]
) -> Rule | None:
    """Return the rule that a property is about: the one that it names, or the only one of the document."""
    if "of" not in entry:
        if len(rules) == 1:
            return next(iter(rules.values()))
        findings.append(found("property-of-which", path, names=", ".join(rules) or "-"))
        return None
    name = shown(entry["of"])
    if name not in rules:
        findings.append(unknown("unknown-rule", (*path, "of"), name, rules))
    return rules.get(name)


@record
class _About:
    """What the body of a property is about: its rule, what its cells may refer to, and where it stands."""

    rule: Rule
    scope: Scope
    path: Path
    findings: list[Finding]

    def cells(self, written: object, *inside: str) -> tuple[Cell, ...]:
        return read_cells(written, self.rule.name, self.scope, (*self.path, *inside), self.findings)


def _read_never(body: Any, bare: Property, about: _About) -> Property:
    return replace(bare, when=about.cells(body))


def _read_always(body: Any, bare: Property, about: _About) -> Property:
    parts = read_mapping(body, about.path, about.findings)
    return replace(
        bare, when=about.cells(parts.get("when", {}), "when"), then=about.cells(parts.get("then", {}), "then")
    )


def _read_monotone(body: Any, bare: Property, about: _About) -> Property:
    parts = read_mapping(body, about.path, about.findings)
    name, goes = parts.get("in"), shown(parts.get("goes"))
    names = [column.name for column in about.rule.columns]
    if name not in names:
        about.findings.append(unknown("unknown-column", (*about.path, "in"), name, names, table=about.rule.name))
    if goes not in ("up", "down"):
        about.findings.append(unknown("unknown-policy", (*about.path, "goes"), goes, ("up", "down")))
    return replace(bare, fact=names.index(name) if name in names else None, goes=goes)


def _read_within(body: Any, bare: Property, about: _About) -> Property:
    return replace(bare, range=read_range(body, "number", about.path, about.findings))


def _read_every_level_reachable(body: Any, bare: Property, about: _About) -> Property:
    if not isinstance(about.rule, Scorecard):
        about.findings.append(found("property-needs-scorecard", about.path, name=about.rule.name))
    return bare


_READERS: dict[PropertyKind, Callable[[Any, Property, _About], Property]] = {
    "never": _read_never,
    "always": _read_always,
    "monotone": _read_monotone,
    "within": _read_within,
    "every_level_reachable": _read_every_level_reachable,
}
