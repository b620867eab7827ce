"""Tiers: ordered classes of sources, and the rules that lead to them.

The classes are asked from the top, their rules in order, and the first rule that holds decides; within a rule all
that is written must hold:

    suffix            the host is one of these entries or stands below it, whole labels
    domain            the registrable domain of the host is one of these
    domain_of_owner   the host's registrable domain belongs to whom this fact names, by the list of owners
    path, not_path    the path begins, or does not begin, like one of these: several owners may share a host
    publisher, kind   the fact of that name is one of these, apart from blanks and size of letters
    has               these facts are there: neither absent, nor null, nor an empty text
    when              cells over any facts
    any               holds always

An address that `addresses.read_address` refuses matches no rule that asks for a host. What the public suffix list
says is handed in: `rules` reads no files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rules.addresses import Address, RegistrableDomain, ascii_host, is_below, read_address
from rules.cells import ANY, Cell, OutsideReference, cell_matches
from rules.columns import Column, Key
from rules.facts import Names, keys_of, outside_keys
from rules.folding import folded
from rules.parts import Part, PartReader
from rules.reading import Path, found, is_sound, read_list, read_mapping, shown, unknown
from rules.records import NamedTuple, record
from rules.values import ABSENT, Value, cannot
from rules.written_cells import check_unread, read_cells

ADDRESS = "url"
"""The input that holds the address where the document names no other."""
OWNERS = "owners"
"""The list of owners where the document names no other."""
_CONDITIONS = ("suffix", "domain", "domain_of_owner", "path", "not_path", "publisher", "kind", "has", "when", "any")


@record
class Entry:
    """One entry of `suffix` or `domain`: as written, and as it stands in the name system."""

    text: str
    host: str


@record
class Owner:
    """Whom a source may belong to. Shapes: `names` as `plain_name` gives them."""

    names: frozenset[str]
    domains: tuple[Entry, ...]


@record
class TierRule:
    """One rule. What it does not ask is empty; `owner` and the pairs of `among` are places of columns."""

    id: str
    suffix: tuple[Entry, ...]
    domain: tuple[Entry, ...]
    owner: int | None
    path: tuple[str, ...]
    not_path: tuple[str, ...]
    among: tuple[tuple[int, tuple[str, ...]], ...]
    has: tuple[int, ...]
    cells: tuple[Cell, ...]
    because: Any

    @property
    def asks_host(self) -> bool:
        return bool(self.suffix or self.domain or self.path or self.not_path) or self.owner is not None

    @property
    def asks_domain(self) -> bool:
        return bool(self.domain) or self.owner is not None


@record
class TierClass:
    tier: Value
    title: Any
    rules: tuple[TierRule, ...]


class Placed(NamedTuple):
    """Where a source belongs. Shapes: `number` counts the rules through all classes, from 1."""

    place: int
    rule: TierRule
    number: int
    matched: str


@record
class Tiers:
    """Ordered classes. `address` is the place of the column that holds the address, None where no rule asks for it."""

    name: str
    columns: tuple[Column, ...]
    fact_names: frozenset[str]
    classes: tuple[TierClass, ...]
    address: int | None
    owners: tuple[Owner, ...]
    outside: tuple[OutsideReference, ...]
    title: Any = None

    def keys(self, facts: Mapping[str, Value]) -> tuple[Key, ...]:
        """Return the facts in the form that cells compare. Errors: those of `facts.keys_of`."""
        return keys_of(self, facts)

    def outside_keys(self, documents: Names) -> tuple[Key, ...]:
        return outside_keys(self, documents)

    def answer(self, placed: Placed | None) -> Value:
        """Return the answer in the words of the document: tier, title, rule, matched; ABSENT where no rule holds."""
        if placed is None:
            return ABSENT
        tier_class = self.classes[placed.place]
        return {
            "tier": tier_class.tier,
            "title": tier_class.title,
            "rule": placed.rule.id,
            "matched": placed.matched,
        }


def place(
    tiers: Tiers, keys: Sequence[Key], outside: Sequence[Key], registrable_domain: RegistrableDomain | None
) -> Placed | None:
    """Return where a source belongs, or None when no rule holds.

    Errors: CannotEvaluate `no-public-suffixes` where a rule asks for a domain and nobody knows domains; those of
    `cell_matches`.
    """
    return _Placing(tiers, keys, outside, registrable_domain).place()


class _Placing:
    def __init__(
        self, tiers: Tiers, keys: Sequence[Key], outside: Sequence[Key], registrable_domain: RegistrableDomain | None
    ) -> None:
        self.tiers = tiers
        self.keys = keys
        self.outside = outside
        self.registrable_domain = registrable_domain
        self.address = None if tiers.address is None else read_address(keys[tiers.address])

    def place(self) -> Placed | None:
        number = 0
        for at, tier_class in enumerate(self.tiers.classes):
            for rule in tier_class.rules:
                number += 1
                matched = self._matched(rule)
                if matched is not None:
                    return Placed(at, rule, number, ", ".join(matched) or "any")
        return None

    def _matched(self, rule: TierRule) -> list[str] | None:
        """Return the entries by which a rule holds, and its cells; None when it does not hold."""
        matched: list[str] = []
        if rule.asks_host:
            if self.address is None or self.address.is_number:
                return None
            entry = self._entry(rule, self.address)
            if entry is None:
                return None
            matched += entry
        for place, words in rule.among:
            word = _listed(self.keys[place], words)
            if word is None:
                return None
            matched.append(word)
        if not all(_is_there(self.keys[place]) for place in rule.has):
            return None
        for cell, column, key in zip(rule.cells, self.tiers.columns, self.keys, strict=True):
            if not cell_matches(cell, column.name, key, self.keys, self.outside):
                return None
        if not matched:
            matched = [self.tiers.columns[column].name for column in rule.has]
        # of true and false alone nobody sees what they are about
        matched += [
            f"{column.name}: {cell.text}" if column.kind == "boolean" else cell.text
            for cell, column in zip(rule.cells, self.tiers.columns, strict=True)
            if cell.operator != "any"
        ]
        return matched

    def _entry(self, rule: TierRule, address: Address) -> list[str] | None:
        matched = []
        if rule.suffix:
            suffix = next((entry for entry in rule.suffix if is_below(address.host, entry.host)), None)
            if suffix is None:
                return None
            matched.append(suffix.text)
        if rule.asks_domain:
            domain = self._domain(address)
            entries = [*rule.domain, *([] if rule.owner is None else self._domains_of(self.keys[rule.owner]))]
            known = next((entry for entry in entries if entry.host == domain), None)
            if known is None:
                return None
            matched.append(known.text)
        if rule.path:
            path = _beginning(address.path, rule.path)
            if path is None:
                return None
            matched.append(path)
        return None if _beginning(address.path, rule.not_path) is not None else matched

    def _domain(self, address: Address) -> str | None:
        if self.registrable_domain is None:
            raise cannot("no-public-suffixes", name=self.tiers.name)
        return self.registrable_domain(address.host)

    def _domains_of(self, owner: Key) -> list[Entry]:
        names = owner if isinstance(owner, list) else [owner]
        wanted = {plain_name(name) for name in names if isinstance(name, str)}
        return [entry for one in self.tiers.owners if one.names & wanted for entry in one.domains]


def plain_name(name: str) -> str:
    """Return a name as names are compared: one form of every letter, small, single blanks."""
    return " ".join(folded(name).split())


def _listed(fact: Key, words: Iterable[str]) -> str | None:
    if not isinstance(fact, str):
        return None
    wanted = plain_name(fact)
    return next((word for word in words if plain_name(word) == wanted), None)


def _is_there(fact: Key) -> bool:
    if isinstance(fact, str):
        return fact.strip() != ""
    return fact is not ABSENT and fact is not None and fact != []


def _beginning(path: str, beginnings: Iterable[str]) -> str | None:
    return next((beginning for beginning in beginnings if path.startswith(beginning)), None)


# --- reading ----------------------------------------------------------------------------------------------------------


def load_tiers(part: Part) -> Tiers | None:
    """Return tiers, or None when something in them cannot be read; every finding is in the list."""
    before = len(part.findings)
    tiers = _TiersReader(part).read()
    return tiers if is_sound(part.findings[before:]) else None


class _TiersReader(PartReader):
    def __init__(self, part: Part) -> None:
        super().__init__(part)
        self.names = [column.name for column in self.columns]

    def read(self) -> Tiers:
        before = len(self.findings)
        written = read_list(self.body.get("classes", []), (*self.path, "classes"), self.findings)
        if not written:
            self.findings.append(found("no-classes", self.path, name=self.name))
        classes = tuple(self._class(entry, (*self.path, "classes", at)) for at, entry in enumerate(written))
        self._check_twice(classes)
        rules = [rule for one in classes for rule in one.rules]
        address = self._address() if any(rule.asks_host for rule in rules) or "address" in self.body else None
        owners = self._owners() if any(rule.owner is not None for rule in rules) else ()
        if is_sound(self.findings[before:]):
            self._check_inputs(rules, address)
        return Tiers(
            name=self.name,
            columns=self.columns,
            fact_names=frozenset(self.names),
            classes=classes,
            address=address,
            owners=owners,
            outside=tuple(self.scope.outside),
            title=self.body.get("title"),
        )

    def _class(self, written: object, path: Path) -> TierClass:
        entry = read_mapping(written, path, self.findings)
        rules = read_list(entry.get("rules", []), (*path, "rules"), self.findings)
        if entry and not rules:
            self.findings.append(found("class-without-rules", path, tier=shown(entry.get("tier"))))
        title = entry.get("title")
        return TierClass(
            entry.get("tier"),
            shown(entry.get("tier")) if title is None else title,
            tuple(
                self._rule(one, f"{shown(entry.get('tier'))}.{at + 1}", (*path, "rules", at))
                for at, one in enumerate(rules)
            ),
        )

    def _rule(self, written: object, id_: str, path: Path) -> TierRule:
        entry = read_mapping(written, path, self.findings)
        if entry and not any(key in entry for key in _CONDITIONS):
            self.findings.append(found("rule-without-condition", path, allowed=", ".join(_CONDITIONS)))
        among = []
        for key in ("publisher", "kind"):
            column = self._column(key, (*path, key)) if key in entry else None
            if column is not None:
                among.append((column, tuple(self._texts(entry[key], (*path, key)))))
        has = [self._column(name, (*path, "has")) for name in self._texts(entry.get("has", []), (*path, "has"))]
        cells = tuple(ANY for _ in self.columns)
        if "when" in entry:
            cells = read_cells(entry["when"], self.name, self.scope, (*path, "when"), self.findings)
        return TierRule(
            id=shown(entry.get("id", id_)),
            suffix=tuple(self._entries(entry.get("suffix", []), (*path, "suffix"))),
            domain=tuple(self._domains(entry.get("domain", []), (*path, "domain"))),
            owner=self._owner(entry, path),
            path=self._paths(entry.get("path", []), (*path, "path")),
            not_path=self._paths(entry.get("not_path", []), (*path, "not_path")),
            among=tuple(among),
            has=tuple(column for column in has if column is not None),
            cells=cells,
            because=entry.get("because"),
        )

    # --- parts of a rule

    def _owner(self, entry: Mapping[str, Any], path: Path) -> int | None:
        if "domain_of_owner" not in entry:
            return None
        return self._column(shown(entry["domain_of_owner"]), (*path, "domain_of_owner"))

    def _column(self, name: str, path: Path) -> int | None:
        if name in self.names:
            return self.names.index(name)
        self.findings.append(unknown("unknown-column", path, name, self.names, table=self.name))
        return None

    def _texts(self, written: object, path: Path) -> list[str]:
        """Return the texts of a list that stands there, or that the document names."""
        if isinstance(written, str):
            name = written.removeprefix(f"{self.part.document}.")
            if not isinstance(self.part.lists.get(name), list):
                lists = [one for one, value in self.part.lists.items() if isinstance(value, list)]
                self.findings.append(unknown("unknown-list", path, written, lists))
                return []
            written = self.part.lists[name]
        texts = []
        for at, text in enumerate(read_list(written, path, self.findings)):
            if isinstance(text, str) and text.strip():
                texts.append(text)
            else:
                self.findings.append(found("wrong-shape", (*path, at), value=shown(text), expected="text"))
        return texts

    def _entries(self, written: object, path: Path) -> Iterable[Entry]:
        for at, text in enumerate(self._texts(written, path)):
            host = ascii_host(text)
            if host is None:
                self.findings.append(found("not-a-domain", (*path, at), value=text))
            else:
                yield Entry(text, host)

    def _domains(self, written: object, path: Path) -> Iterable[Entry]:
        """Yield the entries that are registrable domains; a public suffix would let everybody in."""
        at_list = self.path if isinstance(written, str) else path
        for entry in self._entries(written, path):
            if self.part.registrable_domain is not None:
                domain = self.part.registrable_domain(entry.host)
                if domain is None:
                    self.findings.append(found("public-suffix", at_list, value=entry.text))
                elif domain != entry.host:
                    self.findings.append(found("not-registrable", at_list, value=entry.text, domain=domain))
            yield entry

    def _paths(self, written: object, path: Path) -> tuple[str, ...]:
        paths = tuple(self._texts(written, path))
        for one in paths:
            if not one.startswith("/"):
                self.findings.append(found("path-without-slash", path, value=one))
        return paths

    # --- parts of the whole

    def _address(self) -> int | None:
        return self._column(shown(self.body.get("address", ADDRESS)), (*self.path, "address"))

    def _owners(self) -> tuple[Owner, ...]:
        path: Path = (*self.path, "owners")
        written = self.body.get("owners", OWNERS)
        name = shown(written).removeprefix(f"{self.part.document}.")
        if not isinstance(self.part.lists.get(name), list):
            self.findings.append(unknown("unknown-list", path, written, self.part.lists))
            return ()
        owners = []
        for at, entry in enumerate(self.part.lists[name]):
            place: Path = ("lists", name, at)
            body = read_mapping(entry, place, self.findings)
            names = self._texts(body.get("names", []), (*place, "names"))
            domains = tuple(self._domains(body.get("domains", []), (*place, "domains")))
            if not names or not domains:
                self.findings.append(found("owner-without-domains", place))
            owners.append(Owner(frozenset(map(plain_name, names)), domains))
        return tuple(owners)

    def _check_twice(self, classes: Sequence[TierClass]) -> None:
        tiers: dict[str, int] = {}
        ids: dict[str, int] = {}
        number = 0
        for at, one in enumerate(classes):
            path = (*self.path, "classes", at)
            if tiers.setdefault(shown(one.tier), at) != at:
                self.findings.append(found("duplicate-tier", (*path, "tier"), tier=shown(one.tier)))
            for rule_at, rule in enumerate(one.rules):
                number += 1
                if ids.setdefault(rule.id, number) != number:
                    place = (*path, "rules", rule_at)
                    facts = {"id": rule.id, "row": number, "first": ids[rule.id]}
                    self.findings.append(found("duplicate-id", place, **facts))

    def _check_inputs(self, rules: Sequence[TierRule], address: int | None) -> None:
        read = [place for rule in rules for place in rule.has]
        read += [place for rule in rules for place, _ in rule.among]
        read += [rule.owner for rule in rules if rule.owner is not None]
        read += [] if address is None else [address]
        check_unread(self.name, self.columns, [rule.cells for rule in rules], self.path, self.findings, read)
