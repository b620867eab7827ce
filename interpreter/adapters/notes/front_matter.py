"""The front matter of a note: what it says of itself, read as far as it can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from interpreter.diagnostics import Words, errors_of
from rules.patterns import regex
from rules.records import NamedTuple

#: Units: characters. A longer one is taken for text.
LONGEST = 16 << 10
_CLOSING = regex(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_NAMED = regex(r"[\w-]{1,40}:(?:\s|$)")
_NO_END = Words("没有以 --- 结束", "it has no --- at its end")
#: Front matter as most notes have it: a name with a plain text, a day, or a list of these in a line or as lines below.
_TEXT = r"[A-Za-z\u4e00-\u9fff][\w\u4e00-\u9fff/.-]*(?: [A-Za-z0-9\u4e00-\u9fff][\w\u4e00-\u9fff/.-]*)*"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?"
_ONE = rf"(?:{_TEXT}|{_DAY})"
_PLAIN_ENTRY = regex(
    rf"([A-Za-z][\w-]{{0,40}}):(?: ({_ONE})| \[({_ONE}(?:, {_ONE})*)\]|((?:\n  - {_ONE})+))\n", re.ASCII
)
_SEPARATORS = regex(r"[,，;；\s]+")
_SLASHED = regex(r"\d{4}/\d{1,2}/\d{1,2}")
_LONGEST_ID = 100


class FrontMatter(NamedTuple):
    """Shapes: `values` by name in lower case; `body` is where the text of the note begins; `problem` says what could
    not be read.
    """

    values: Mapping[str, Any]
    body: int
    problem: Words | None


def read_front_matter(text: str) -> FrontMatter:
    """Return the front matter of a text that begins with `---`; without one the whole text is the note."""
    if not text.startswith("---") or text[3:].partition("\n")[0].strip():
        return FrontMatter({}, 0, None)
    start = text.find("\n") + 1
    closing = _CLOSING.search(text, start, start + LONGEST) if start else None
    if closing is None:
        return FrontMatter({}, 0, _NO_END if _NAMED.match(text, start) else None)
    body = closing.end() + 1
    inside = text[start : closing.start()]
    plain = _plain_values(inside) if inside.strip() else {}
    values, problem = (plain, None) if plain is not None else _values(inside)
    return FrontMatter({str(name).lower(): value for name, value in values.items()}, body, problem)


def _plain_values(text: str) -> Mapping[str, Any] | None:
    """Return what reading as YAML would give, where everything is of the plainest kind; that spares a fifth of an
    index. None where anything is not, or stands twice, or is a word that means something in YAML.
    """
    from interpreter.yaml_tree.scalars import WORDS

    values: dict[str, Any] = {}
    place = 0
    while place < len(text):
        entry = _PLAIN_ENTRY.match(text, place)
        if entry is None or entry[1] in values or entry[1] in WORDS:
            return None
        name, one, listed, below = entry.groups()
        items = [one] if one else listed.split(", ") if listed else below.removeprefix("\n  - ").split("\n  - ")
        if any(item in WORDS for item in items):
            return None
        values[name] = one or items
        place = entry.end()
    return values


def _values(text: str) -> tuple[Mapping[str, Any], Words | None]:
    from interpreter.source import Source
    from interpreter.yaml_tree import read_tree, to_value

    node, found = read_tree(Source("front matter", text))
    problem = None
    for one in errors_of(found):
        line = one.span.source.position(one.span.start).line + 1 if one.span else 1
        problem = Words(f"第 {line} 行：{one.message.zh}", f"line {line}: {one.message.en}")
        break
    value = to_value(node) if node is not None else {}
    if value is None:
        return {}, problem
    if not isinstance(value, dict):
        return {}, problem or Words("应为“名称: 值”的各行", "it should hold lines of name: value")
    return value, problem


def text_of(value: Any) -> str:
    """Return a plain value as text, '' for anything else."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | Decimal):
        return str(value).strip()
    return ""


def id_of(value: Any) -> str:
    """Return an id that can be sent to and fro, else ''."""
    text = text_of(value)
    return text if len(text) <= _LONGEST_ID and text.isprintable() else ""


def names_of(value: Any) -> Iterator[str]:
    """Yield the tags that a value lists: a list, or a text with commas or blanks between them."""
    if isinstance(value, list):
        for item in value:
            yield text_of(item)
    else:
        yield from _SEPARATORS.split(text_of(value))


def is_true(value: Any) -> bool:
    return value is True or text_of(value).lower() in ("true", "yes", "on", "1", "是")


def instant_of(text: str) -> datetime | None:
    """Return a day or an instant; without a zone it is in UTC. None where the text is neither."""
    text = text.strip()
    slashed = _SLASHED.match(text)
    if slashed:
        year, month, day = slashed.group().split("/")
        text = f"{year}-{int(month):02}-{int(day):02}{text[slashed.end() :]}"
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def written(instant: datetime) -> str:
    return instant.replace(microsecond=0, tzinfo=None).isoformat() + "Z"
