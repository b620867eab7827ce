"""Functions that are there, called as other languages call theirs, and the call that does it here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rules.expr import tree
from rules.patterns import regex

_FALLING: Final = frozenset({"desc", "descending", "falling", "降序", "倒序"})
_RISING: Final = frozenset({"asc", "ascending", "rising", "升序", "正序"})
_ORDERED = regex(r"(?P<field>\S+?)(?:\s*:\s*|\s+)(?P<order>[a-z]+|[降倒升正]序)")
_ATTRIBUTES: Final = ("attribute", "by", "key")
#: Filters that take a field, and those that a field is taken out for first.
_WITH_FIELD: Final = frozenset({"sum", "unique"})
_OF_VALUES: Final = frozenset({"join", "min", "max", "first", "last"})


def meant_call(node: tree.Apply, text: str) -> str | None:
    """Return the call to write in place of one, without its subject; None for one that is ours, or cannot be told."""
    if not node.positional and not node.keywords:
        return None
    if any(name in _ATTRIBUTES for name, _ in node.keywords) and node.function.name in _WITH_FIELD | _OF_VALUES:
        return _of_a_field(node, text)
    told = _CALLS.get(node.function.name)
    return told(node, text) if told is not None else None


def _default(node: tree.Apply, text: str) -> str | None:
    if not node.positional or (len(node.positional) < 2 and "boolean" not in dict(node.keywords)):
        return None
    other = node.positional[0]
    return f"or_else({text[other.start : other.end]})"


def _range(node: tree.Apply, text: str) -> str | None:
    if len(node.positional) != 2:
        return None
    first, end = (text[one.start : one.end] for one in node.positional)
    return f"range({end}) | skip({first})"


def _of_a_field(node: tree.Apply, text: str) -> str | None:
    keywords = dict(node.keywords)
    field = next(text[value.start : value.end] for name, value in keywords.items() if name in _ATTRIBUTES)
    if node.function.name in _WITH_FIELD:
        return f"{node.function.name}({field})"
    others = ", ".join(text[one.start : one.end] for one in node.positional)
    return f"pluck({field}) | {node.function.name}" + (f"({others})" if others else "")


def _sort(node: tree.Apply, text: str) -> str | None:
    """Return a sort whose order stands in a word or a keyword as one whose fields begin with `-` where it falls."""
    keywords = dict(node.keywords)
    named = [value for name, value in node.keywords if name in _ATTRIBUTES]
    given = [one.value if isinstance(one, tree.Constant) else None for one in (*node.positional, *named)]
    fields = [field for one in given if isinstance(one, str) for field in one.split(",")]
    if len(given) != sum(isinstance(one, str) for one in given):
        return None
    meant = [_ordered(field.strip()) for field in fields]
    reverse = keywords.get("reverse")
    if isinstance(reverse, tree.Constant) and reverse.value is True:
        meant = ["-" + field.removeprefix("-") for field in meant or [""]]
    elif not named and reverse is None and meant == [one for one in given if isinstance(one, str)]:
        return None
    return f"sort({', '.join(repr(field) for field in meant)})" if meant else "sort"


def _ordered(field: str) -> str:
    ordered = _ORDERED.fullmatch(field.casefold())
    if ordered is None or ordered["order"] not in _FALLING | _RISING:
        return field
    name = field[: ordered.end("field")]
    return "-" + name if ordered["order"] in _FALLING else name


_CALLS: Final[dict[str, Callable[[tree.Apply, str], str | None]]] = {
    "default": _default,
    "range": _range,
    "sort": _sort,
}
