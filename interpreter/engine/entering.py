"""What may enter a run from outside: answers of tools and people, inputs.

Values of the language and nothing else: exact numbers of at most 34 digits, texts that can be written down, lists and
mappings of bounded depth. One shape is the language's own: `{made_by, field}` in arguments stands for what another call
will give. It is written by authors only, so a value from outside that looks like it is refused.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from interpreter.diagnostics import Words
from rules.values import NUMBER_LIMIT, number

MAX_DEPTH: Final = 100
#: The fields of a reference to what another permitted call gives.
REFERENCE: Final = frozenset({"made_by", "field"})


class NotAValue(Exception):
    """Something from outside that is no value. Shapes: `words` say what it holds, never the value itself."""

    def __init__(self, zh: str, en: str) -> None:
        self.words = Words(zh, en)
        super().__init__(en)


def entering(value: Any) -> Any:
    """Return a value from outside as the language knows it.

    Errors: NotAValue.
    """
    return _entering(value, 0)


def is_writable(text: str) -> bool:
    """Say whether a text can be written down: half a character (a lone surrogate) cannot."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _entering(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind is str:
        if not (value.isascii() or is_writable(value)):
            raise NotAValue("有半个字符的文本", "a text with half a character")
        return value
    if value is None or kind is bool:
        return value
    if kind is int:
        if -NUMBER_LIMIT < value < NUMBER_LIMIT:
            return value
        raise NotAValue("超过 34 位的数", "a number of more than 34 digits")
    if kind is float or kind is Decimal:
        return _number(value)
    if depth >= MAX_DEPTH:
        raise NotAValue("一层套一层、没有尽头的列表或对象", "lists and mappings inside each other without end")
    if isinstance(value, (list, tuple)):
        return [_entering(entry, depth + 1) for entry in value]
    if isinstance(value, dict):
        return _mapping(value, depth)
    raise NotAValue("JSON 写不下的东西", "something that is not JSON")


def _mapping(value: dict[Any, Any], depth: int) -> dict[str, Any]:
    if len(value) == len(REFERENCE) and set(value) == REFERENCE:
        raise NotAValue(
            "只有流程才能写的 made_by 和 field", "a mapping of made_by and field, which only a workflow may write"
        )
    for name in value:
        if type(name) is not str or not (name.isascii() or is_writable(name)):
            raise NotAValue("名称不是文本的对象", "a mapping with a name that is no text")
    # Most of what enters is plain text.
    return {
        name: entry if type(entry) is str and entry.isascii() else _entering(entry, depth + 1)
        for name, entry in value.items()
    }


def _number(value: float | Decimal) -> int | Decimal:
    try:
        return number(format(Decimal(repr(value)) if type(value) is float else value, "f"))
    except ValueError:
        raise NotAValue(
            "无穷、不是数、或超过 34 位的数", "a number that is infinite, none at all, or of more than 34 digits"
        ) from None
