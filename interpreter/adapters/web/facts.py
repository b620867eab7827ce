"""What a page says of itself: title, publisher, author, days, its own address, its origin, its kind.

What is written for machines (JSON-LD, `meta`) is asked first, then labels that people read (发布时间：…), then a day in
the address, then days in the short lines before the text. Footers, side columns and navigation are never asked, and a
day after the reading of the page is nobody's day of publication.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from functools import cached_property
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from interpreter.adapters.web.addresses import Refused, read_address
from interpreter.adapters.web.credits import credits_of
from interpreter.adapters.web.dates import day_of, days, first_day, path_day
from interpreter.adapters.web.sites import is_same_site
from interpreter.adapters.web.tree import Element, class_parts, lines_of, links, metas, plain, text_of
from interpreter.adapters.web.wording import Wording, found_words, label_of
from rules.patterns import regex
from rules.records import NamedTuple

_DEEPEST = 12
_MOST_NODES = 2000
_MOST_TIMES = 200
_LONGEST_NAME = 80
_LONG_LINE = 90
#: A line that says something is no byline, and a day in it is about something else.
_SENTENCE = regex(r"[。！？；，]|[.!?]$")
#: Names of people: Latin words with capitals, or one run of other letters that Latin words may follow.
_NAMES = regex(r"[^\s|·，,;；/()（）]+(?: (?!on\b|in\b|at\b)(?:[A-Z][\w.’'-]*|and|de|van|von|&))*")
_PARTS_OF_TITLE = regex(r"\s[-–—|·]\s|[_｜|]|(?<=\S)-(?=\S)")
_SEPARATORS = (" - ", " – ", " — ", " | ", "_", " _ ", "-", "｜", " · ", "|", "—")


class Published(NamedTuple):
    day: str | None
    source: str


class Facts:
    """Shapes: `linked` are the JSON-LD texts of the page; `is_aside` tells footers, side columns and navigation."""

    def __init__(
        self,
        tree: Element,
        linked: Iterable[str],
        is_aside: Callable[[Element], bool],
        address: str,
        read_at: str,
        wording: Wording,
    ) -> None:
        self._tree = tree
        self._is_aside = is_aside
        self._lines = lines_of(tree, is_aside)
        self._address = address
        self._wording = wording
        self._nodes = self._own_first(_nodes(linked, frozenset(wording["linked_elsewhere"])))
        self._metas = metas(tree)
        self._latest = day_of(read_at)

    def _own_first(self, nodes: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the nodes with those that are pages before sites, lists of crumbs and the like."""
        pages = {name for names in self._wording["kinds"]["types"].values() for name in names}
        return sorted(nodes, key=lambda node: not pages & {str(one).lower() for one in _listed(node.get("@type"))})

    # --- names ---

    @cached_property
    def title(self) -> str:
        for text in (*self._of_nodes("headline"), *self._of_metas("title"), *self._headings):
            if text:
                return self._without_site(text)
        return self._without_site(self.window_title)

    @cached_property
    def window_title(self) -> str:
        return text_of(next(iter(self._tree.iter("title")), None))

    @cached_property
    def _headings(self) -> list[str]:
        found = [text for element in self._tree.iter("h1") if (text := text_of(element))]
        return found if len(found) == 1 else []

    def _without_site(self, title: str) -> str:
        """Return a title without the name of the site behind it."""
        names = [name for name in (self._said_publisher,) if name]
        for separator in _SEPARATORS:
            before, mark, after = title.rpartition(separator)
            if mark and before.strip() and any(name in after or after.strip() in name for name in names):
                return before.strip()
        heads = self._headings
        if heads and title != heads[0] and title.startswith(heads[0]):
            return heads[0]
        return title

    @cached_property
    def publisher(self) -> str | None:
        return self._said_publisher or self._labelled_name("publisher") or self._name_in_title()

    @cached_property
    def _said_publisher(self) -> str | None:
        return _name([*self._of_nodes("publisher"), *self._of_metas("publisher")])

    def _name_in_title(self) -> str | None:
        """Return what stands behind the heading in the title of the window."""
        for heading in self._headings:
            rest = self.window_title.removeprefix(heading)
            if rest and rest != self.window_title:
                return _name([_PARTS_OF_TITLE.split(rest)[-1].strip(" -–—|_｜·")])
        return None

    @cached_property
    def author(self) -> str | None:
        said = [name for name in (*self._of_nodes("author"), *self._of_metas("author")) if "://" not in name]
        return _name(said) or self._labelled_name("author")

    def _labelled_name(self, kind: str) -> str | None:
        for line in self._head_lines:
            label = label_of(tuple(self._wording["labels"][kind])).search(line)
            if label is not None:
                words = _NAMES.match(line, label.end())
                name = _name([words[0]]) if words is not None else None
                if name is not None and first_day(name) is None:
                    return name
        return None

    # --- days ---

    @cached_property
    def published(self) -> Published:
        for source, found in (
            ("json-ld", self._of_nodes("datePublished", "dateCreated")),
            ("meta", self._of_metas("published")),
            ("label", self._labelled_days("published")),
            ("time", self._times()),
            ("url", [path_day(urlsplit(self._address).path) or ""]),
            ("text", (*self._head_days(), *self._named_days())),
        ):
            day = next(self._possible(found), None)
            if day is not None:
                return Published(day, source)
        return Published(None, "unknown")

    @cached_property
    def modified(self) -> str | None:
        found = (*self._of_nodes("dateModified"), *self._of_metas("modified"), *self._labelled_days("modified"))
        return next(self._possible(found), None)

    def _possible(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield the days of some texts that may be true; a day may be one ahead of the clock where it was read."""
        oldest = self._wording["numbers"]["oldest_year"]
        for text in texts:
            found = first_day(text)
            day = day_of(found[1]) if found is not None else None
            if found is None or day is None or day.year < oldest:
                continue
            if self._latest is None or day <= self._latest + timedelta(days=1):
                yield found[1]

    def _labelled_days(self, kind: str) -> Iterator[str]:
        """Yield days behind labels, the better labels first."""
        distance = self._wording["numbers"]["label_distance"]
        words = self._wording["labels"][kind]
        anywhere = label_of(tuple(words))
        lines = [line for line in self._lines_with_next if anywhere.search(line) is not None]
        for word in words:
            for line in lines:
                if word.lower() not in line.lower():
                    continue  # its pattern need not be made
                for label in label_of((word,)).finditer(line):
                    rest = line[label.end() : label.end() + 60]
                    found = first_day(rest)
                    if found is not None and found[0] <= distance:
                        yield rest[found[0] :] if rest.isascii() else rest

    @cached_property
    def _lines_with_next(self) -> list[str]:
        """Return the lines, a short one together with the next: label and day may stand in cells of their own."""
        most = self._wording["numbers"]["label_distance"]
        read = self._wording["numbers"]["lines_read"]
        lines = self._lines if len(self._lines) <= read else [*self._lines[:read], *self._lines[-read // 10 :]]
        following = [*lines[1:], ""][: len(lines)]
        return [
            f"{line} {after[:40]}" if len(line) <= most else line[: _LONG_LINE * 4]
            for line, after in zip(lines, following, strict=True)
        ]

    def _times(self) -> Iterator[str]:
        for element in self._tree.iterfind(".//*[@itemprop='datePublished']"):
            yield element.get("content") or element.get("datetime") or text_of(element)
        for element in self._tree.iter("time"):
            said = (element.get("itemprop") or "") + " " + (element.get("class") or "")
            if element.get("datetime") and ("publi" in said.lower() or element.get("pubdate") is not None):
                yield element.get("datetime")
        times = islice(self._tree.iter("time"), _MOST_TIMES)
        alone = [element.get("datetime") or text_of(element) for element in times if self._is_own(element)]
        if len(set(self._possible(alone))) == 1:
            yield from alone

    def _is_own(self, element: Element) -> bool:
        return not any(self._is_aside(one) for one in (element, *element.iterancestors()))

    def _head_days(self) -> Iterator[str]:
        modified = label_of(tuple(self._wording["labels"]["modified"]))
        below, above = self._around_heading
        for line in (*below, *above):
            if modified.search(line) is None and _SENTENCE.search(line) is None:
                for place, day in days(line):
                    # Above a heading many sites show today's date.
                    is_todays = line in above and day_of(day) == self._latest
                    if not is_todays and not line[:place].rstrip().endswith((":", "：")):
                        yield day

    def _named_days(self) -> Iterator[str]:
        """Yield the day of the elements that are called a date, where all of them say the same."""
        names = frozenset(self._wording["day_names"])
        called = (element for element in self._tree.iterfind(".//*[@class]") if names & class_parts(element))
        texts = (text_of(element) for element in islice(called, _MOST_TIMES) if self._is_own(element))
        found = [text for text in texts if len(text) <= _LONG_LINE]
        if len(set(self._possible(found))) == 1:
            yield from found

    @property
    def _head_lines(self) -> list[str]:
        below, above = self._around_heading
        return [*above, *below]

    @cached_property
    def _around_heading(self) -> tuple[list[str], list[str]]:
        """Return the short lines below the heading, as far as the first paragraph, with the last ones of the page,
        and those just above it.
        """
        lines = self._lines
        heads = [place for place, line in enumerate(lines) if line == self.title or line in self._headings]
        start = heads[0] if heads else 0
        end = next((place for place in range(start, len(lines)) if len(lines[place]) > _LONG_LINE), len(lines))
        last = [line for line in lines[-3:] if len(line) <= _LONG_LINE] if end < len(lines) else []
        return [*lines[start : min(end, start + 12)], *last], lines[max(0, start - 3) : start]

    # --- addresses and origin ---

    @cached_property
    def canonical(self) -> str | None:
        """Return the page's own address for itself, where it is of the same site and no mere home page."""
        for found in self._own_addresses():
            if is_same_site(urlsplit(found).hostname or "", self._host) and not self._is_home(found):
                return found
        return None

    @cached_property
    def source_url(self) -> str | None:
        """Return where the page says that its text comes from."""
        said = [*self._of_metas("origin_link"), *self._of_nodes("isBasedOn"), *self._linked_origin()]
        elsewhere = (
            found for found in self._own_addresses() if not is_same_site(urlsplit(found).hostname or "", self._host)
        )
        addresses = (self._address_of(text) for text in said)
        return next((found for found in addresses if found and found != self._address), next(elsewhere, None))

    def _own_addresses(self) -> Iterator[str]:
        for text in (*links(self._tree, "canonical"), *self._metas.get("og:url", ())):
            found = self._address_of(text)
            if found is not None:
                yield found

    @property
    def _host(self) -> str:
        return urlsplit(self._address).hostname or ""

    def _is_home(self, address: str) -> bool:
        return urlsplit(address).path in ("", "/") and urlsplit(self._address).path not in ("", "/")

    def _address_of(self, text: str) -> str | None:
        try:
            return read_address(urljoin(self._address, text.strip())).url
        except (Refused, ValueError):
            return None

    def _linked_origin(self) -> Iterator[str]:
        words = tuple(self._wording["labels"]["origin_link"])
        for element in self._tree.iter("a"):
            if element.get("href") and found_words(words, text_of(element)):
                yield element.get("href")
        for line in self._lines:
            label = label_of(words).search(line)
            if label is not None and line[label.end() :].startswith(("http://", "https://")):
                yield line[label.end() :].split()[0]

    def credits(self, text: str) -> list[str]:
        said = [name for name in self._of_metas("origin") if len(name) <= _LONGEST_NAME and "://" not in name]
        own = {name.lower() for name in self._wording["own_origin"]}
        agencies = {name.lower() for name in self._wording["agencies"]}
        said += [name for name in (self.author,) if name is not None and name.lower() in agencies]
        found = credits_of(self._head_lines, text, self._wording)
        return list(dict.fromkeys([*(name for name in said if name.lower() not in own), *found]))

    # --- kind and the rest ---

    def kind(self, text: str) -> str:
        kinds = self._wording["kinds"]
        types = {str(one).lower() for node in self._nodes for one in _listed(node.get("@type"))}
        types |= {one.lower() for one in self._metas.get("og:type", ())}
        declared = [name for name, own in kinds["types"].items() if types & set(own)]
        if declared and declared[0] != "article":
            return str(declared[0])
        likely = ("press_release",) if declared else tuple(kinds["marks"])
        visible = "\n".join([self.title, *self._lines, text])
        for name, marks in kinds["marks"].items():
            if name in likely and len(found_words(marks["words"], visible)) >= int(marks["at_least"]):
                return str(name)
        return str(declared[0]) if declared else "unknown"

    @cached_property
    def language(self) -> str | None:
        said = (self._tree.getroottree().getroot().get("lang") or "").strip()
        said = said or next(iter(self._metas.get("og:locale", ())), "")
        name = said.replace("_", "-").split("-")[0].lower()
        return name if name.isascii() and name.isalpha() and len(name) in (2, 3) else None

    @cached_property
    def description(self) -> str:
        return next(iter(self._of_metas("description")), "")

    @cached_property
    def is_for_payers(self) -> bool:
        """Whether the page itself says so (`isAccessibleForFree`)."""
        said = [node.get("isAccessibleForFree") for node in self._nodes]
        return any(value is False or str(value).lower() == "false" for value in said)

    # --- where things are written ---

    def _of_nodes(self, *keys: str) -> list[str]:
        """Return what JSON-LD says under some keys, the first key first; of a node with a name, the name."""
        found = [_written(part) for key in keys for node in self._nodes for part in _listed(node.get(key))]
        return [plain(text) for text in found if text.strip()]

    def _of_metas(self, kind: str) -> list[str]:
        names: list[str] = self._wording["metas"].get(kind, [])
        return [content for name in names for content in self._metas.get(name.lower(), ())]


def _nodes(linked: Iterable[str], elsewhere: frozenset[str]) -> Iterator[Mapping[str, Any]]:
    """Yield the nodes of JSON-LD from the outside in; what cannot be read is passed over, and so is what stands under
    keys that lead to other things.
    """
    waiting: list[tuple[Any, int]] = []
    for text in linked:
        try:
            waiting.append((json.loads(text.strip().rstrip(";"), strict=False), 0))
        except (ValueError, RecursionError):
            continue
    for count, (value, depth) in enumerate(waiting):  # grows while it is walked
        if count > _MOST_NODES:
            return
        if isinstance(value, dict):
            yield value
        inner = [part for key, part in value.items() if key not in elsewhere] if isinstance(value, dict) else value
        if depth < _DEEPEST:
            waiting += [(part, depth + 1) for part in inner if isinstance(part, dict | list)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _written(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("name") or value.get("url") or value.get("@id") or ""
    return value if isinstance(value, str) else ""


def _name(texts: Iterable[str]) -> str | None:
    return next((text for text in map(plain, texts) if 1 < len(text) <= _LONGEST_NAME), None)
