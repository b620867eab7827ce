"""Functions over lists of anything, and over lists of numbers or texts."""

from __future__ import annotations

from typing import Final

from rules.expr.functions.records import field_of
from rules.expr.operations import add, bounded_list, bounded_text, is_in, too_large, within_limit
from rules.expr.signatures import Function, describe
from rules.values import ABSENT, CannotEvaluate, Value, canonical_text, identity, kind_facts, kind_of

MAX_RANGE: Final = 10_000


def count(value: Value) -> int:
    return len(value)


def total(items: list[Value], field: Value) -> Value:
    result: Value = 0
    numbers = items if field is ABSENT else [field_of(item, field) for item in items]
    if all(type(number) is int for number in numbers):
        return within_limit(sum(numbers), "sum")
    for number in numbers:
        if kind_of(number) != "number":
            raise CannotEvaluate("not-a-number", {"operator": "sum", **kind_facts(found=kind_of(number))})
        result = add(result, number)
    return result


def least(items: list[Value], default: Value) -> Value:
    return _outermost("min", items, default)


def greatest(items: list[Value], default: Value) -> Value:
    return _outermost("max", items, default)


def _outermost(name: str, items: list[Value], default: Value) -> Value:
    if not items:
        if default is ABSENT:
            raise CannotEvaluate("empty-list", {"function": name})
        return default
    kinds = {kind_of(item) for item in items}
    odd = kinds - {"number", "text"}
    if odd:
        raise CannotEvaluate("not-ordered", {"operator": name, **kind_facts(found=min(odd))})
    if len(kinds) > 1:
        raise CannotEvaluate("different-kinds", kind_facts(left=min(kinds), right=max(kinds)))
    return min(items) if name == "min" else max(items)


def first(items: list[Value], default: Value) -> Value:
    return items[0] if items else default


def last(items: list[Value], default: Value) -> Value:
    return items[-1] if items else default


def take(items: list[Value], number: int) -> list[Value]:
    return items[: _not_negative("take", number)]


def skip(items: list[Value], number: int) -> list[Value]:
    return items[_not_negative("skip", number) :]


def chunks(items: list[Value], number: int) -> list[list[Value]]:
    if number < 1:
        raise CannotEvaluate("too-small", {"function": "chunks", "number": number, "at_least": 1})
    return [items[start : start + number] for start in range(0, len(items), number)]


def _not_negative(function: str, number: int) -> int:
    if number < 0:
        raise CannotEvaluate("too-small", {"function": function, "number": number, "at_least": 0})
    return number


def flatten(items: list[Value]) -> list[Value]:
    """Return the entries of the lists in a list; what is no list stays."""
    result: list[Value] = []
    for item in items:
        if isinstance(item, list):
            result.extend(item)
            bounded_list(result)
        else:
            result.append(item)
    return result


def join(texts: list[Value], separator: Value) -> str:
    mark = "" if separator is ABSENT else separator
    if len(mark) * len(texts) > 5_000_000:
        too_large(5_000_000)
    return bounded_text(mark.join([canonical_text(text) for text in texts]))


def texts(items: list[Value]) -> list[str]:
    """Return the text of every item; null and what is nothing is left out."""
    return [canonical_text(item) for item in items if item is not None]


def all_in(items: list[Value], others: list[Value]) -> bool:
    return False not in [is_in(item, others) for item in items]


def not_in(items: list[Value], others: list[Value]) -> list[Value]:
    known = {identity(other) for other in others} if items else set()
    return [item for item in items if identity(item) not in known]


def pack(items: list[str], characters: int, separator: Value) -> list[str]:
    """Return texts joined until they are as long as they may be, order kept.

    Errors: CannotEvaluate(`too-small`) where one text alone is longer.
    """
    mark = " " if separator is ABSENT else separator
    result: list[str] = []
    for item in items:
        if len(item) > characters:
            raise CannotEvaluate("item-too-long", {"function": "pack", "at_most": characters, "length": len(item)})
        if result and len(result[-1]) + len(mark) + len(item) <= characters:
            result[-1] += mark + item
        else:
            result.append(item)
    return result


def batches(items: list[Value], limit: int, field: Value) -> list[list[Value]]:
    """Return runs of entries that fit together; an entry that alone is too large stands alone.

    Units: `limit` in bytes of UTF-8, counted over the texts of the entries or of a field of each.
    """
    if limit < 1:
        raise CannotEvaluate("too-small", {"function": "batches", "number": limit, "at_least": 1})
    result: list[list[Value]] = []
    room = 0
    for item in items:
        size = len(canonical_text(item if field is ABSENT else field_of(item, field)).encode("utf-8", "surrogatepass"))
        if not result or size > room:
            result.append([])
            room = limit
        result[-1].append(item)
        room -= size
    return result


def numbers_to(number: int) -> list[int]:
    if number > MAX_RANGE:
        too_large(MAX_RANGE)
    return list(range(_not_negative("range", number)))


LISTS: Final[tuple[Function, ...]] = (
    describe("list or mapping | count -> whole", count, "有几项", "how many entries", "[7, 8] | count -> 2"),
    describe(
        "list | sum(field?: text) -> number",
        total,
        "数字之和，或每个对象该字段之和；空列表为 0",
        "the sum of the numbers, or of a field of each record; 0 for an empty list",
        "[{'n': 1}, {'n': 2.5}] | sum('n') -> 3.5",
    ),
    describe(
        "list | min(default?: any) -> any",
        least,
        "最小的一个；列表为空时用 default，没有 default 则无法求值",
        "the smallest; of an empty list the default, without one it cannot be evaluated",
        "[3, 1, 2] | min -> 1",
        passes=True,
    ),
    describe(
        "list | max(default?: any) -> any",
        greatest,
        "最大的一个；列表为空时用 default，没有 default 则无法求值",
        "the greatest; of an empty list the default, without one it cannot be evaluated",
        "[3, 1, 2] | max -> 3",
        passes=True,
    ),
    describe(
        "list | first(default?: any) -> any",
        first,
        "第一项；列表为空时用 default，没有 default 则不存在",
        "the first entry; of an empty list the default, without one absent",
        "[] | first('none') -> 'none'",
        passes=True,
    ),
    describe(
        "list | last(default?: any) -> any",
        last,
        "最后一项；列表为空时用 default，没有 default 则不存在",
        "the last entry; of an empty list the default, without one absent",
        "[1, 2] | last -> 2",
        passes=True,
    ),
    describe(
        "list | take(number: whole) -> list",
        take,
        "前 number 项",
        "the first entries",
        "[1, 2, 3] | take(2) -> [1, 2]",
    ),
    describe(
        "list | skip(number: whole) -> list",
        skip,
        "去掉前 number 项",
        "what comes after the first entries",
        "[1, 2, 3] | skip(2) -> [3]",
    ),
    describe(
        "list | chunks(number: whole) -> list",
        chunks,
        "每 number 项一组",
        "lists of at most so many entries each",
        "[1, 2, 3] | chunks(2) -> [[1, 2], [3]]",
    ),
    describe(
        "list | flatten -> list",
        flatten,
        "把列表中的列表展开一层",
        "the entries of the lists in a list, one level",
        "[[1], [2, 3], 4] | flatten -> [1, 2, 3, 4]",
    ),
    describe(
        "list | join(separator?: text) -> text",
        join,
        "连接各项的文本",
        "the texts of the entries joined",
        "['a', 1] | join(', ') -> 'a, 1'",
    ),
    describe(
        "list | texts -> texts",
        texts,
        "每一项的文本，null 略去",
        "the text of every entry; null is left out",
        "[1, null, 'a'] | texts -> ['1', 'a']",
    ),
    describe(
        "list | all_in(others: list) -> boolean",
        all_in,
        "每一项都在另一个列表中",
        "whether every entry is in the other list",
        "['a'] | all_in(['a', 'b']) -> true",
    ),
    describe(
        "list | not_in(others: list) -> list",
        not_in,
        "不在另一个列表中的项",
        "the entries that are not in the other list",
        "['a', 'b'] | not_in(['a']) -> ['b']",
    ),
    describe(
        "texts | pack(characters: whole, separator?: text) -> texts",
        pack,
        "把文本按顺序连接成尽量少的几段，每段不超过 characters 个字符；默认以空格连接",
        "joined in order into as few texts as fit, none longer than so many characters; joined by a blank by default",
        "['a', 'b', 'c'] | pack(3, ' ') -> ['a b', 'c']",
    ),
    describe(
        "list | batches(bytes: whole, field?: text) -> list",
        batches,
        "按顺序分组，每组的文本（或每项该字段的文本）合计不超过 bytes 字节；单独就超过的一项自成一组",
        "runs of entries, the texts of which (or of a field of each) have at most so many bytes together; an entry "
        "that alone has more stands alone",
        "['ab', '资', 'c'] | batches(5) -> [['ab', '资'], ['c']]",
    ),
    describe(
        "range(number: whole) -> numbers",
        numbers_to,
        "0 到 number - 1，至多 10000 个",
        "the numbers from 0 up to below number, at most 10,000 of them",
        "range(3) -> [0, 1, 2]",
    ),
)
