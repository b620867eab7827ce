"""Bounds that a shape sets beside the kind of a value: least and greatest, length, number of entries, form."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from interpreter.diagnostics import Words
from interpreter.static import Shape
from rules.patterns import regex

_FORMATS = {
    "date": (regex(r"\d{4}-\d\d-\d\d"), Words("日期，例如 2026-08-01", "a date such as 2026-08-01")),
    "time": (regex(r"\d\d:\d\d(:\d\d.*)?"), Words("时间，例如 08:30:00", "a time such as 08:30:00")),
    "date-time": (
        regex(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d.*"),
        Words("时刻，例如 2026-08-01T08:00:00Z", "an instant such as 2026-08-01T08:00:00Z"),
    ),
}

_LIMITS: dict[str, tuple[Callable[[object], object], bool, str, str]] = {
    "minimum": (lambda value: value, True, "不小于 {}", "at least {}"),
    "maximum": (lambda value: value, False, "不大于 {}", "at most {}"),
    "minLength": (len, True, "至少 {} 个字符", "at least {} characters"),  # type: ignore[dict-item]
    "maxLength": (len, False, "至多 {} 个字符", "at most {} characters"),  # type: ignore[dict-item]
    "minItems": (len, True, "至少 {} 项", "at least {} entries"),  # type: ignore[dict-item]
    "maxItems": (len, False, "至多 {} 项", "at most {} entries"),  # type: ignore[dict-item]
}
_FOR = {"minimum": (int, Decimal), "maximum": (int, Decimal), "minLength": (str,), "maxLength": (str,)}


def broken_limit(value: object, expected: Shape) -> Words | None:
    """Return the first bound that a value does not keep; None where it keeps all, or where several shapes may be meant.

    An empty text keeps every form: it stands for a value that is not there yet.
    """
    branches = list(expected.branches())
    if len(branches) != 1 or isinstance(value, bool):
        return None
    schema = branches[0].schema
    for word, (measure, is_least, zh, en) in _LIMITS.items():
        limit = schema.get(word)
        if not isinstance(limit, int | Decimal) or not isinstance(value, _FOR.get(word, (list,))):
            continue
        size = measure(value)
        if size < limit if is_least else size > limit:  # type: ignore[operator]
            noun = en.replace("entries", "entry").replace("characters", "character") if limit == 1 else en
            return Words(zh.format(limit), noun.format(limit))
    if schema.get("uniqueItems") is True and isinstance(value, list):
        texts = [repr(entry) for entry in value]
        if len(set(texts)) < len(texts):
            return Words("没有重复的项", "each entry once")
    pattern, words = _FORMATS.get(str(schema.get("format")), (None, None))
    if pattern is not None and isinstance(value, str) and value != "" and pattern.fullmatch(value) is None:
        return words
    return None
