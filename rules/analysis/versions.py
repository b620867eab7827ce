"""Two versions of a rule document: where each of its rules answers differently, and what else changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rules.analysis.differences import Compared, Recorded, compare_decisions, compare_rules
from rules.analysis.grid import TooLarge
from rules.analysis.tiers import TiersCompared, compare_tiers
from rules.documents import RuleDocument
from rules.facts import Names
from rules.records import record
from rules.values import Value, same

RecordedFacts = Mapping[str, Sequence[Mapping[str, Value]]]
"""Facts on which decisions were made, by the name of the rule."""


@record
class Versions:
    """Both versions compared.

    Shapes: `added` and `removed` are rules of one version alone; `thresholds` those whose value changed; `too_large`
    rules that were too large to be compared; `tiers` those whose rules changed; `others` lists, gates and counts of
    sources that changed, as (section, name); `recorded` is None where no decisions were given.
    """

    name: str
    compared: tuple[Compared, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    thresholds: tuple[tuple[str, Value, Value], ...]
    too_large: tuple[str, ...]
    tiers: tuple[TiersCompared, ...]
    others: tuple[tuple[str, str], ...]
    recorded: tuple[tuple[str, Recorded], ...] | None

    @property
    def differs(self) -> bool:
        regions = any(one.differences or one.other_kinds for one in self.compared)
        return bool(regions or self.added or self.removed or self.too_large or self.tiers or self.others)


def compare_versions(old: RuleDocument, new: RuleDocument, names: Names, recorded: RecordedFacts | None) -> Versions:
    """Return where two versions of a document differ."""
    first, second = _analysed(old), _analysed(new)
    compared, too_large, shares = [], [], []
    for name in [one for one in first if one in second]:
        if _is_same(old, new, name):
            continue
        try:
            compared.append(compare_rules(old, new, name, names))
        except TooLarge:
            too_large.append(name)
    both = [name for name in old.decidable if name in new.decidable]
    for name in both:
        if recorded is not None and name in recorded:
            shares.append((name, compare_decisions(old, new, name, recorded[name], names)))
    tiers = [compare_tiers(old, new, name, names) for name in old.tiers if name in new.tiers]
    thresholds = [
        (name, one.value, new.thresholds[name].value)
        for name, one in old.thresholds.items()
        if name in new.thresholds and new.thresholds[name].value != one.value
    ]
    return Versions(
        name=new.name,
        compared=tuple(compared),
        added=tuple(name for name in _names(new) if name not in _names(old)),
        removed=tuple(name for name in _names(old) if name not in _names(new)),
        thresholds=tuple(thresholds),
        too_large=tuple(too_large),
        tiers=tuple(one for one in tiers if one is not None),
        others=tuple(_others(old, new)),
        recorded=None if recorded is None else tuple(shares),
    )


def _analysed(document: RuleDocument) -> list[str]:
    return [*document.tables, *document.scorecards]


#: Sections in which it is only seen that something is written differently.
_OTHER_SECTIONS = ("lists", "gates", "independence")


def _is_same(old: RuleDocument, new: RuleDocument, name: str) -> bool:
    """Tell whether a rule is written alike in both versions and reads the same thresholds."""
    section = "tables" if name in old.tables else "scorecards"
    before, after = old.body.get(section) or {}, new.body.get(section) or {}
    values = [{key: one.value for key, one in each.thresholds.items()} for each in (old, new)]
    return name in after and same(before[name], after[name]) and same(*values)


def _names(document: RuleDocument) -> list[str]:
    return [*document.decidable, *document.independence, *document.gates]


def _others(old: RuleDocument, new: RuleDocument) -> Iterator[tuple[str, str]]:
    """Yield what both versions have and nothing here can compare, where it is written differently."""
    for section in _OTHER_SECTIONS:
        before, after = old.body.get(section) or {}, new.body.get(section) or {}
        yield from ((section, name) for name in before if name in after and not same(before[name], after[name]))
