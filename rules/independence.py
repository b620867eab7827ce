"""Independence: how many sources really stand behind a list of pages, and which of them are one and the same.

What makes two items one source is said in the document, by rules of three kinds, and nothing else joins them:

    fields, as      items that share a value: a name (apart from blanks and size of letters; names of one family are
                    one), an address, or the registrable domain of an address
    credits         names that a text credits (`据{name}报道`, an agency in its first lines) count as values of the rule
    near            texts that share at least this part of the shorter one's pieces, so a copy with another title or
                    with a tenth rewritten is still a copy

Joined is joined: if A and B are one and B and C are one, A and C are one. The answer says what joined them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal, cast, get_args

from rules.addresses import RegistrableDomain, read_address
from rules.columns import find_key
from rules.folding import UNSEEN, folded
from rules.parts import Part
from rules.reading import Path, found, is_sound, read_list, read_mapping, shown, unknown
from rules.records import NamedTuple, record
from rules.tiers import plain_name
from rules.values import ABSENT, Value, cannot

Form = Literal["name", "address", "domain"]
FORMS: tuple[str, ...] = get_args(Form)
MOST_ITEMS = 1000
PIECE_CHARACTERS = 5
"""So many characters a piece of a text has where the document says nothing else."""
SHORT_TEXT = 4
"""A text of fewer pieces than this, laid end to end, stands in many others by chance: it is a copy only as a whole."""
BEGINNING = 200
"""So many characters count as the first lines of a text where the document says nothing else."""


@record
class Credits:
    """Who a text says it comes from. Shapes: `names` are looked for in the first `within` characters of a field."""

    fields: tuple[str, ...]
    patterns: tuple[str, ...]
    names: tuple[str, ...]
    within: int


@record
class Sameness:
    """One rule that joins items.

    Shapes: `near` is None where values are shared, else the part of pieces from which two texts are one; `family`
    maps a plain name to the first name of its family.
    """

    id: str
    fields: tuple[str, ...]
    form: Form
    family: Mapping[str, str]
    credits: Credits | None
    near: Value | None
    characters: int
    title: Any


@record
class Independence:
    """One way to count sources. `list` is the fact that holds the items, `item_id` the field that names one."""

    name: str
    list: str
    item_id: str
    best: str | None
    rules: tuple[Sameness, ...]
    title: Any = None


class Link(NamedTuple):
    rule: str
    first: int
    second: int
    value: str


class _Groups:
    """Items that were joined, by the place of their first one."""

    def __init__(self, count: int) -> None:
        self.parent = list(range(count))
        self.links: list[Link] = []

    def root(self, place: int) -> int:
        while self.parent[place] != place:
            self.parent[place] = self.parent[self.parent[place]]
            place = self.parent[place]
        return place

    def join(self, link: Link) -> None:
        one, other = sorted((self.root(link.first), self.root(link.second)))
        if one != other:
            self.parent[other] = one
            self.links.append(link)


def count_sources(
    independence: Independence, facts: Mapping[str, Value], registrable_domain: RegistrableDomain | None
) -> dict[str, Value]:
    """Return `{count, groups: [{members, best, links: [{by, first, second, value}]}]}`, groups and members in order.

    Errors: CannotEvaluate `unknown-fact`, `absent-name`, `different-kinds`, `no-public-suffixes`, `too-many-items`.
    """
    items = _items(independence, facts)
    groups = _Groups(len(items))
    for rule in independence.rules:
        links = _near(rule, items) if rule.near is not None else _shared(rule, items, independence, registrable_domain)
        for link in links:
            groups.join(link)
    members: dict[int, list[int]] = {}
    for place in range(len(items)):
        members.setdefault(groups.root(place), []).append(place)
    names = [item.get(independence.item_id, place + 1) for place, item in enumerate(items)]
    return {
        "count": len(members),
        "groups": [
            {
                "members": [names[place] for place in places],
                "best": _best(independence, [items[place] for place in places]),
                "links": [
                    {"by": link.rule, "first": names[link.first], "second": names[link.second], "value": link.value}
                    for link in groups.links
                    if groups.root(link.first) == first
                ],
            }
            for first, places in members.items()
        ],
    }


def _items(independence: Independence, facts: Mapping[str, Value]) -> list[Mapping[str, Value]]:
    for name in facts:
        if name != independence.list:
            raise cannot("unknown-fact", name=name, table=independence.name, allowed=independence.list)
    items = facts.get(independence.list, ABSENT)
    if items is ABSENT or items is None:
        raise cannot("absent-name", name=independence.list)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise cannot("different-kinds", name=independence.list, expected="array", value=shown(items)[:60])
    if len(items) > MOST_ITEMS:
        raise cannot("too-many-items", name=independence.list, number=len(items), at_most=MOST_ITEMS)
    return items


def _best(independence: Independence, items: Iterable[Mapping[str, Value]]) -> Value:
    if independence.best is None:
        return None
    numbers = [find_key("number", item.get(independence.best)) for item in items]
    return min((number for number in numbers if number is not None), default=None)


# --- shared values ----------------------------------------------------------------------------------------------------


def _shared(
    rule: Sameness,
    items: Sequence[Mapping[str, Value]],
    independence: Independence,
    registrable_domain: RegistrableDomain | None,
) -> Iterator[Link]:
    if rule.form == "domain" and registrable_domain is None:
        raise cannot("no-public-suffixes", name=independence.name)
    holders: dict[str, int] = {}
    for place, item in enumerate(items):
        for value in _values(rule, item, registrable_domain):
            first = holders.setdefault(value, place)
            if first != place:
                yield Link(rule.id, first, place, value)


def _values(rule: Sameness, item: Mapping[str, Value], registrable_domain: RegistrableDomain | None) -> Iterator[str]:
    """Yield what an item has of a rule; an empty text, null, or an address in doubt is no value."""
    names = [text for name in rule.fields for text in _texts(item.get(name))]
    if rule.form == "name":
        names += _credited(rule.credits, item) if rule.credits is not None else ()
        plain = (plain_name(name) for name in names)
        yield from (rule.family.get(name, name) for name in plain if name)
        return
    for text in names:
        address = read_address(text)
        if address is None:
            continue
        if rule.form == "address":
            yield address.host + address.path + _query(text)
        elif registrable_domain is not None and not address.is_number:
            domain = registrable_domain(address.host)
            yield rule.family.get(domain or address.host, domain or address.host)


def _query(text: str) -> str:
    """Return the query of an address as far as it says which page is meant."""
    if "?" not in text:
        return ""
    from rules.expr.functions.addresses import page_address

    return "".join(page_address(text if "://" in text else f"https://{text}").partition("?")[1:])


def _texts(value: Value) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str) and text.strip()]


def _credited(credits: Credits, item: Mapping[str, Value]) -> Iterator[str]:
    from rules.expr.functions.search import contains, extract  # the words of expressions; most documents need none

    for name in credits.fields:
        for text in (UNSEEN.sub("", text) for text in _texts(item.get(name))):
            for holes in extract(text, list(credits.patterns)):
                yield from holes.values()
            yield from (name for name in credits.names if contains(text[: credits.within], name))


# --- near copies ------------------------------------------------------------------------------------------------------


def _near(rule: Sameness, items: Sequence[Mapping[str, Value]]) -> Iterator[Link]:
    texts = [_letters(rule, item) for item in items]
    pieces = [_pieces(text, rule.characters) for text in texts]
    at_least = Decimal(cast(Any, rule.near))
    for second, mine in enumerate(pieces):
        for first, theirs in enumerate(pieces[:second]):
            shorter = min(len(mine), len(theirs))
            if min(len(texts[first]), len(texts[second])) < SHORT_TEXT * rule.characters:
                if texts[first] and texts[first] == texts[second]:
                    yield Link(rule.id, first, second, texts[first])
                continue
            common = len(mine & theirs)
            if common >= at_least * shorter:
                yield Link(rule.id, first, second, f"{common}/{shorter}")


def _letters(rule: Sameness, item: Mapping[str, Value]) -> str:
    """Return the letters and digits of an item's texts, apart from blanks, marks, width and size."""
    texts = (folded(text) for name in rule.fields for text in _texts(item.get(name)))
    return "".join(letter for text in texts for letter in text if letter.isalnum())


def _pieces(text: str, characters: int) -> frozenset[str]:
    return frozenset(text[at : at + characters] for at in range(len(text) - characters + 1))


# --- reading ----------------------------------------------------------------------------------------------------------


def load_independence(part: Part) -> Independence | None:
    """Return one way to count sources, or None when something in it cannot be read."""
    body, findings = part.body, part.findings
    before = len(findings)
    reader = _Reader(part)
    written = read_list(body.get("same", []), (*part.path, "same"), findings)
    if not written:
        findings.append(found("no-sameness", part.path, name=part.name))
    rules = tuple(reader.rule(entry, (*part.path, "same", at)) for at, entry in enumerate(written))
    best = body.get("best")
    read = Independence(
        name=part.name,
        list=shown(body.get("list", "items")),
        item_id=shown(body.get("id", "id")),
        best=None if best is None else shown(best),
        rules=rules,
        title=body.get("title"),
    )
    return read if is_sound(findings[before:]) else None


class _Reader:
    def __init__(self, part: Part) -> None:
        self.document = part.document
        self.thresholds = part.thresholds
        self.lists = part.lists
        self.findings = part.findings

    def rule(self, written: object, path: Path) -> Sameness:
        entry = read_mapping(written, path, self.findings)
        form = entry.get("as", "name")
        if form not in FORMS:
            self.findings.append(unknown("unknown-policy", (*path, "as"), form, FORMS))
            form = "name"
        fields = self._fields(entry, path)
        if entry and not fields and "credits" not in entry:
            self.findings.append(found("sameness-without-fields", path))
        near = self._number(entry["near"], (*path, "near")) if "near" in entry else None
        if near is not None and not 0 < near <= 1:
            self.findings.append(found("share-outside", (*path, "near"), value=shown(near)))
        characters = self._number(entry.get("characters", PIECE_CHARACTERS), (*path, "characters"))
        return Sameness(
            id=shown(entry.get("id", path[-1])),
            fields=fields,
            form=cast(Form, form),
            family=self._family(entry["families"], (*path, "families")) if "families" in entry else {},
            credits=self._credits(entry["credits"], (*path, "credits")) if "credits" in entry else None,
            near=near,
            characters=max(1, int(characters or PIECE_CHARACTERS)),
            title=entry.get("title"),
        )

    def _credits(self, written: object, path: Path) -> Credits:
        entry = read_mapping(written, path, self.findings)
        patterns = self._list(entry["patterns"], (*path, "patterns")) if "patterns" in entry else []
        names = self._list(entry["names"], (*path, "names")) if "names" in entry else []
        within = self._number(entry.get("within", BEGINNING), (*path, "within"))
        fields = self._fields(entry, path)
        if not fields or not (patterns or names):
            self.findings.append(found("sameness-without-fields", path))
        for pattern in patterns:
            if not isinstance(pattern, str) or not _is_pattern(pattern):
                facts = {"value": shown(pattern), "example": "据{name}报道"}
                self.findings.append(found("not-a-pattern", (*path, "patterns"), **facts))
        texts = tuple(text for text in patterns if isinstance(text, str))
        return Credits(fields, texts, tuple(_names_in(names)), int(within or BEGINNING))

    def _fields(self, entry: Mapping[str, Any], path: Path) -> tuple[str, ...]:
        return tuple(map(shown, read_list(entry.get("fields", []), (*path, "fields"), self.findings)))

    def _family(self, written: object, path: Path) -> dict[str, str]:
        """Return the first name of the family for each name in it."""
        family: dict[str, str] = {}
        for names in self._list(written, path):
            plain = [plain_name(name) for name in _names_in([names])]
            for name in plain:
                if family.setdefault(name, plain[0]) != plain[0]:
                    self.findings.append(found("two-families", path, name=name))
        return family

    def _list(self, written: object, path: Path) -> list[Any]:
        if not isinstance(written, str):
            return read_list(written, path, self.findings)
        name = written.removeprefix(f"{self.document}.")
        value = self.lists.get(name)
        if isinstance(value, list):
            return value
        self.findings.append(unknown("unknown-list", path, written, self.lists))
        return []

    def _number(self, written: object, path: Path) -> Value | None:
        key = find_key("number", written)
        if key is not None:
            return key
        name = written.removeprefix(f"{self.document}.") if isinstance(written, str) else ""
        if name in self.thresholds and find_key("number", self.thresholds[name].value) is not None:
            return self.thresholds[name].value
        names = ", ".join(sorted(self.thresholds)) or "-"
        self.findings.append(found("needs-number", path, value=shown(written), key=path[-1], thresholds=names))
        return None


def _is_pattern(text: str) -> bool:
    beginning, hole, rest = text.partition("{")
    return beginning != "" and hole != "" and "}" in rest


def _names_in(entries: Iterable[Any]) -> Iterator[str]:
    """Yield the names of a list, also of families inside it: a list of names, or a mapping with `names`."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, list):
            yield from _names_in(entry)
        elif isinstance(entry, dict):
            yield from _names_in(entry.get("names", []))
