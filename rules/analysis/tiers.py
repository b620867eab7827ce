"""Rules of tiers that can never answer, since a rule above holds wherever they do; two versions on the same sources.

A rule is compared with one rule above it at a time: each thing that the upper one asks must follow from what the lower
one asks. What only several rules above take together is not found, so nothing is said that is not so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from rules.addresses import is_below
from rules.analysis.classes import pieces_of
from rules.cells import Cell, Constant, cell_matches
from rules.columns import Column, Key
from rules.documents import RuleDocument, decide
from rules.facts import Names
from rules.findings import Finding
from rules.reading import found
from rules.records import NamedTuple, replace
from rules.tiers import Entry, TierRule, Tiers, plain_name
from rules.values import ABSENT, CannotEvaluate, Value

MOST_SOURCES = 2_000
"""So many made-up sources are given to two versions."""


class _Placed(NamedTuple):
    """A rule with the place of its class, its own place there, and the name of the tier."""

    at: int
    rule_at: int
    tier: Value
    rule: TierRule


def find_dead_tier_rules(tiers: Tiers) -> Iterator[Finding]:
    """Yield a finding for each rule, and each entry of a rule, before which another rule always answers."""
    rules = [
        _Placed(at, rule_at, one.tier, rule)
        for at, one in enumerate(tiers.classes)
        for rule_at, rule in enumerate(one.rules)
    ]
    for number, lower in enumerate(rules):
        path = ("tiers", tiers.name, "classes", lower.at, "rules", lower.rule_at)
        taker = next((upper for upper in rules[:number] if _follows(tiers, upper.rule, lower.rule)), None)
        facts = {"rule": tiers.name, "id": lower.rule.id, "tier": lower.tier}
        if taker is not None:
            yield found("tier-rule-never-answers", path, **facts, winner=taker.rule.id, other=taker.tier)
            continue
        for key, one, entry in _with_one_entry(lower.rule):
            taker = next((upper for upper in rules[:number] if _follows(tiers, upper.rule, one)), None)
            if taker is not None:
                more = {"entry": entry, "winner": taker.rule.id, "other": taker.tier}
                yield found("tier-entry-never-counts", (*path, key), **facts, **more)
    if not any(_asks_nothing(each.rule) for each in rules):
        yield found("tiers-may-not-answer", ("tiers", tiers.name), rule=tiers.name)


def _with_one_entry(rule: TierRule) -> Iterator[tuple[str, TierRule, str]]:
    """Yield a rule as if it had one entry of a list only: key, rule, entry."""
    if len(rule.suffix) > 1:
        yield from (("suffix", replace(rule, suffix=(entry,)), entry.text) for entry in rule.suffix)
    if len(rule.domain) > 1 and rule.owner is None:
        yield from (("domain", replace(rule, domain=(entry,)), entry.text) for entry in rule.domain)
    if len(rule.path) > 1:
        yield from (("path", replace(rule, path=(path,)), path) for path in rule.path)


def _asks_nothing(rule: TierRule) -> bool:
    return not (rule.asks_host or rule.among or rule.has or any(cell.operator != "any" for cell in rule.cells))


def _follows(tiers: Tiers, upper: TierRule, lower: TierRule) -> bool:
    """Tell whether a rule holds wherever another one does; False where that is not certain."""
    return (
        _host_follows(upper, lower)
        and all(any(at == place and _within(words, mine) for at, words in lower.among) for place, mine in upper.among)
        and all(_is_there(tiers, lower, place) for place in upper.has)
        and all(
            _cell_follows(column, above, below)
            for column, above, below in zip(tiers.columns, upper.cells, lower.cells, strict=True)
        )
    )


def _host_follows(upper: TierRule, lower: TierRule) -> bool:
    if not upper.asks_host:
        return True
    if not lower.asks_host:
        return False
    if upper.suffix and not _below(lower, upper.suffix):
        return False
    if upper.asks_domain:
        if not lower.asks_domain or lower.owner not in (None, upper.owner):
            return False
        if not {entry.host for entry in lower.domain} <= {entry.host for entry in upper.domain}:
            return False
    if upper.path and not (lower.path and all(one.startswith(upper.path) for one in lower.path)):
        return False
    return all(_never_begins(lower, beginning) for beginning in upper.not_path)


def _below(lower: TierRule, entries: Sequence[Entry]) -> bool:
    """Tell whether every host of a rule stands below one of some entries."""
    asked = lower.suffix if lower.suffix else lower.domain if lower.owner is None else ()
    return bool(asked) and all(any(is_below(one.host, entry.host) for entry in entries) for one in asked)


def _never_begins(rule: TierRule, beginning: str) -> bool:
    """Tell whether no path of a rule begins like this."""
    if any(beginning.startswith(each) for each in rule.not_path):
        return True
    return bool(rule.path) and not any(each.startswith(beginning) or beginning.startswith(each) for each in rule.path)


def _within(words: Sequence[str], wider: Sequence[str]) -> bool:
    return {plain_name(word) for word in words} <= {plain_name(word) for word in wider}


def _is_there(tiers: Tiers, rule: TierRule, place: int) -> bool:
    """Tell whether a fact is there wherever a rule holds."""
    if place in rule.has or (rule.asks_host and place == tiers.address):
        return True
    return any(at == place and all(word.strip() for word in words) for at, words in rule.among)


def _cell_follows(column: Column, upper: Cell, lower: Cell) -> bool:
    """Tell whether one cell holds for every fact for which another one does."""
    if upper.operator == "any" or upper == lower:
        return True
    if not (_is_plain(upper) and _is_plain(lower)):
        return False
    pieces, exact = pieces_of(column, [upper, lower, Cell("absent")])
    try:
        return exact and not any(
            _holds(lower, column, piece.key) and not _holds(upper, column, piece.key) for piece in pieces
        )
    except CannotEvaluate:
        return False


def _holds(cell: Cell, column: Column, key: Key) -> bool:
    return cell_matches(cell, column.name, key, (), ())


def _is_plain(cell: Cell) -> bool:
    return all(map(_is_plain, cell.parts)) and (cell.limit is None or isinstance(cell.limit, Constant))


# --- two versions -----------------------------------------------------------------------------------------------------


class TierDifference(NamedTuple):
    """One source of which two versions make something else. Shapes: the answers as `decide` gives them, or ABSENT."""

    facts: dict[str, Value]
    before: Value
    after: Value


class TiersCompared(NamedTuple):
    """What two versions make of `tried` made-up sources. Shapes: of each two answers the first source."""

    name: str
    columns: tuple[Column, ...]
    differences: list[TierDifference]
    tried: int


def compare_tiers(old: RuleDocument, new: RuleDocument, name: str, names: Names | None = None) -> TiersCompared | None:
    """Return where two versions place sources that their own rules describe; None where the tiers are the same."""
    first, second = old.tiers[name], new.tiers[name]
    if first == second:
        return None
    told: dict[tuple[str, str], TierDifference] = {}
    count = 0
    for facts in _sources(first, second):
        count += 1
        before, after = _answer(old, name, facts, names), _answer(new, name, facts, names)
        if _said(before) != _said(after):
            told.setdefault((_said(before), _said(after)), TierDifference(facts, before, after))
    columns = {column.name: column for column in (*first.columns, *second.columns)}
    return TiersCompared(name, tuple(columns.values()), list(told.values()), count)


def _answer(document: RuleDocument, name: str, facts: Mapping[str, Value], names: Names | None) -> Value:
    known = {column.name for column in document.tiers[name].columns}
    try:
        return decide(document, name, {key: fact for key, fact in facts.items() if key in known}, names).answer
    except CannotEvaluate as failure:
        return {"tier": f"<{failure.code}>", "rule": "-"}


def _said(answer: Value) -> str:
    return "" if answer is ABSENT else f"{answer['tier']} {answer['rule']}"


def _sources(first: Tiers, second: Tiers) -> Iterator[dict[str, Value]]:
    """Yield the sources that the rules of both describe, each as bare as it may be and with all facts given."""
    seen: set[str] = set()
    for tiers in (first, second):
        for one in tiers.classes:
            for rule in one.rules:
                for facts in _of_rule(tiers, rule):
                    if repr(facts) not in seen and len(seen) < MOST_SOURCES:
                        seen.add(repr(facts))
                        yield facts


def _of_rule(tiers: Tiers, rule: TierRule) -> Iterator[dict[str, Value]]:
    names = [column.name for column in tiers.columns]
    hosts = [entry.host for entry in (*rule.suffix, *rule.domain)]
    owned: list[tuple[str, Value]] = []
    if rule.owner is not None:
        owned = [
            (entry.host, owner) for one in tiers.owners for entry in one.domains for owner in sorted(one.names)[:1]
        ]
    paths = rule.path or ("/", *rule.not_path)
    given: dict[str, Value] = {}
    for place, column in enumerate(tiers.columns):
        value = _fitting(column, rule.cells[place])
        if value is not ABSENT:
            given[column.name] = value
    given |= {names[place]: given.get(names[place], "x") for place in rule.has}
    listed = [[(names[place], word) for word in words] for place, words in rule.among]
    rest = {column.name: "x" for column in tiers.columns if column.kind == "string" and not column.enum}
    for words in product(*listed):
        facts = {**given, **dict(words)}
        yield facts
        yield {**rest, **facts}
        if tiers.address is not None:
            address = names[tiers.address]
            for host, path in product([*hosts, *(host for host, _ in owned)], paths):
                mine = {} if rule.owner is None else {names[rule.owner]: dict(owned).get(host, "x")}
                for name in (host, f"www.{host}"):
                    placed = {**facts, **mine, address: f"https://{name}{path}"}
                    yield placed
                    yield {**rest, **placed}


def _fitting(column: Column, cell: Cell) -> Value:
    """Return a value for which a cell holds, ABSENT where none has to be there or none was found."""
    if cell.operator == "any" or not _is_plain(cell):
        return ABSENT
    for piece in pieces_of(column, [cell]).pieces:
        try:
            if _holds(cell, column, piece.key):
                return piece.value
        except CannotEvaluate:
            continue
    return ABSENT
