"""Functions over lists of records: which of them, which fields, counted and grouped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from rules.expr.operations import SCALARS
from rules.expr.signatures import Function, describe
from rules.values import ABSENT, CannotEvaluate, Value, equal, identity, kind_facts, kind_of, same

Record = Mapping[str, Value]


def field_of(record: Value, path: str) -> Value:
    """Return what stands at `a.b` in a record.

    Errors: CannotEvaluate where a part of the path is not there, or is null.
    """
    value = record
    for name in path.split("."):
        if type(value) is not dict:
            code = "field-of-null" if value is None else "no-fields"
            raise CannotEvaluate(code, {"field": path, **kind_facts(found=kind_of(value))})
        if name not in value:
            raise CannotEvaluate("absent-field", {"field": path, "name": name})
        value = value[name]
    return value


def soft_field_of(record: Value, path: str) -> Value:
    """Return what stands at `a.b` in a record, ABSENT where nothing does."""
    value = record
    for name in path.split("."):
        if type(value) is not dict:
            return ABSENT
        value = value.get(name, ABSENT)
    return value


# --- which records ----------------------------------------------------------------------------------------------------


def _agrees(value: Value, wanted: Value) -> bool:
    """Return whether a field has the wanted value, or one of a list of them."""
    if not isinstance(wanted, list):
        return equal(value, wanted)
    if any(same(value, one) for one in wanted):
        return True
    kinds = {kind_of(one) for one in wanted}
    kind = kind_of(value)
    if kinds and kind not in kinds:
        raise CannotEvaluate("different-kinds", kind_facts(left=kind, right=min(kinds)))
    return False


def _test(path: Value, value: Value, fields: Mapping[str, Value]) -> Callable[[Value], bool]:
    """Return what tells whether one record has all the wanted values."""
    wanted = list(fields.items())
    if path is not ABSENT:
        wanted.insert(0, (path, True if value is ABSENT else value))
    if len(wanted) == 1 and "." not in wanted[0][0] and type(wanted[0][1]) in SCALARS:
        return _one_test(*wanted[0])
    return lambda record: False not in [_agrees(field_of(record, name), one) for name, one in wanted]


def _one_test(name: str, wanted: Value) -> Callable[[Value], bool]:
    """Return the test for the commonest case, one field against one plain value."""
    kind = type(wanted)

    def test(record: Value) -> bool:
        value = record.get(name, ABSENT)
        if type(value) is kind:
            return bool(value == wanted)
        return _agrees(field_of(record, name), wanted)

    return test


def where(records: list[Record], path: Value, value: Value, fields: Mapping[str, Value]) -> list[Record]:
    test = _test(path, value, fields)
    return [record for record in records if test(record)]


def where_not(records: list[Record], path: Value, value: Value, fields: Mapping[str, Value]) -> list[Record]:
    test = _test(path, value, fields)
    return [record for record in records if not test(record)]


def where_missing(records: list[Record], fields: list[str]) -> list[Record]:
    return [record for record in records if any(_is_missing(record, name) for name in fields)]


def _is_missing(record: Record, path: str) -> bool:
    value = soft_field_of(record, path)
    return value is ABSENT or value is None or value == "" or value == [] or value == {}


def find(records: list[Record], path: Value, value: Value, fields: Mapping[str, Value]) -> Value:
    test = _test(path, value, fields)
    return next((record for record in records if test(record)), ABSENT)


# `any`, `all` and `none` look at every record, so that whether they can be evaluated never depends on the order.


def any_of(records: list[Record], path: Value, value: Value, fields: Mapping[str, Value]) -> bool:
    test = _test(path, value, fields)
    return True in [test(record) for record in records]


def all_of(records: list[Record], path: Value, value: Value, fields: Mapping[str, Value]) -> bool:
    test = _test(path, value, fields)
    return False not in [test(record) for record in records]


def none_of(records: list[Record], path: Value, value: Value, fields: Mapping[str, Value]) -> bool:
    return not any_of(records, path, value, fields)


# --- fields -----------------------------------------------------------------------------------------------------------


def pluck(records: list[Record], field: str) -> list[Value]:
    if "." in field:
        return [field_of(record, field) for record in records]
    try:
        return [record[field] for record in records]
    except KeyError:
        raise CannotEvaluate("absent-field", {"field": field, "name": field}) from None


def pick(value: Value, fields: list[str]) -> Value:
    """Return records, or one, with the named fields only; one that is absent stays absent."""
    names = frozenset(fields)
    if type(value) is dict:
        return {key: item for key, item in value.items() if key in names}
    return [{key: item for key, item in record.items() if key in names} for record in value]


def without(value: Value, fields: list[str]) -> Value:
    names = frozenset(fields)
    if type(value) is dict:
        return {key: item for key, item in value.items() if key not in names}
    return [{key: item for key, item in record.items() if key not in names} for record in value]


def changed(records: list[Record], before: str, after: str) -> list[Record]:
    return [record for record in records if not _same_fields(record, before, after)]


def _same_fields(record: Record, before: str, after: str) -> bool:
    one, other = soft_field_of(record, before), soft_field_of(record, after)
    if one is ABSENT or other is ABSENT:
        return one is other
    return same(one, other)


def merge(mapping: dict[str, Value], other: dict[str, Value]) -> dict[str, Value]:
    return {**mapping, **other}


# --- grouped and ordered ----------------------------------------------------------------------------------------------


def _identities(items: Sequence[Value], fields: Sequence[str]) -> Iterator[object]:
    if not fields:
        return map(identity, items)
    if len(fields) == 1:
        return (identity(field_of(item, fields[0])) for item in items)
    return (tuple(identity(field_of(item, name)) for name in fields) for item in items)


def unique(items: list[Value], fields: list[str]) -> list[Value]:
    first: dict[object, Value] = {}
    for key, item in zip(_identities(items, fields), items, strict=True):
        first.setdefault(key, item)
    return list(first.values())


def last_of_each(records: list[Record], field: str) -> list[Record]:
    last: dict[object, int] = {}
    for index, key in enumerate(_identities(records, [field])):
        last[key] = index
    return [records[index] for index in sorted(last.values())]


def index_by(records: list[Record], field: str) -> dict[str, Record]:
    """Return the records by the text of a field; the first of equal ones stays."""
    result: dict[str, Record] = {}
    for record in records:
        key = field_of(record, field)
        if type(key) is not str:
            raise CannotEvaluate("not-a-key", {"field": field, **kind_facts(found=kind_of(key))})
        result.setdefault(key, record)
    return result


def count_by(records: list[Record], field: str) -> list[Record]:
    counts: dict[object, dict[str, Value]] = {}
    for key, record in zip(_identities(records, [field]), records, strict=True):
        entry = counts.setdefault(key, {"value": field_of(record, field), "count": 0})
        entry["count"] += 1
    return list(counts.values())


def sort(items: list[Value], fields: list[str]) -> list[Value]:
    """Return the items in order; equal ones keep theirs. Null and absent fields come last, also when falling."""
    result = list(items)
    for field in reversed(fields or [""]):
        falling = field.startswith("-")
        name = field.removeprefix("-")
        keys = [soft_field_of(item, name) if name else item for item in result]
        _refuse_mixed(keys)
        placed = [(key, item) for key, item in zip(keys, result, strict=True) if key is not None and key is not ABSENT]
        missing = [item for key, item in zip(keys, result, strict=True) if key is None or key is ABSENT]
        placed.sort(key=lambda pair: pair[0], reverse=falling)
        result = [item for _, item in placed] + missing
    return result


def _refuse_mixed(keys: list[Value]) -> None:
    kinds = {kind_of(key) for key in keys if key is not None and key is not ABSENT}
    odd = kinds - {"number", "text"}
    if odd:
        raise CannotEvaluate("not-ordered", {"operator": "sort", **kind_facts(found=min(odd))})
    if len(kinds) > 1:
        raise CannotEvaluate("different-kinds", kind_facts(left=min(kinds), right=max(kinds)))


# --- mappings ---------------------------------------------------------------------------------------------------------


def values(mapping: dict[str, Value]) -> list[Value]:
    return list(mapping.values())


def entries(mapping: dict[str, Value]) -> list[Record]:
    return [{"key": key, "value": value} for key, value in mapping.items()]


def as_mapping(records: list[Record], key: str, value: str) -> dict[str, Value]:
    return {name: field_of(record, value) for name, record in index_by(records, key).items()}


def replace_values(value: Value, mapping: dict[str, Value]) -> Value:
    """Return a mapping or list in which every text that is a key of the mapping stands replaced, however deep."""
    if type(value) is str:
        return mapping.get(value, value)
    if isinstance(value, list):
        return [replace_values(item, mapping) for item in value]
    if type(value) is dict:
        return {key: replace_values(item, mapping) for key, item in value.items()}
    return value


#: Two names that no field has: every other keyword is a field, `path` and `value` too.
_CONDITIONS: Final = "field_name?: text, field_value?: any, **fields: any"

RECORDS: Final[tuple[Function, ...]] = (
    describe(
        f"records | where({_CONDITIONS}) -> records",
        where,
        "字段等于给定值（或给定列表中任意一个值）的对象；多个条件须同时满足；where('a.b', v) 比较内层字段",
        "the records whose fields have the values, or one of a list of them; where('a.b', v) compares an inner field",
        "[{'s': 'x'}, {'s': 'y'}] | where(s='x') -> [{'s': 'x'}]",
    ),
    describe(
        f"records | where_not({_CONDITIONS}) -> records",
        where_not,
        "不满足这些条件的对象",
        "the records that do not agree with the conditions",
        "[{'s': 'x'}, {'s': 'y'}] | where_not(s='x') -> [{'s': 'y'}]",
    ),
    describe(
        "records | where_missing(*fields: text) -> records",
        where_missing,
        "至少缺少其中一个字段的对象：不存在、为 null 或为空",
        "the records in which one of the fields is absent, null or empty",
        "[{'s': ''}, {'s': 'y'}] | where_missing('s') -> [{'s': ''}]",
    ),
    describe(
        f"records | find({_CONDITIONS}) -> any",
        find,
        "第一个满足条件的对象；没有时不存在",
        "the first record that agrees with the conditions; absent where none does",
        "[{'s': 'x'}, {'s': 'y'}] | find(s='y') -> {'s': 'y'}",
    ),
    describe(
        f"records | any({_CONDITIONS}) -> boolean",
        any_of,
        "至少有一个对象满足条件",
        "whether at least one record agrees",
        "[{'s': 'x'}] | any(s=['x', 'y']) -> true",
    ),
    describe(
        f"records | all({_CONDITIONS}) -> boolean",
        all_of,
        "所有对象都满足条件；空列表为 true，因此请同时检查数量",
        "whether all records agree; true of an empty list, so ask for a count beside it",
        "[{'s': 'x'}, {'s': 'y'}] | all(s='x') -> false",
    ),
    describe(
        f"records | none({_CONDITIONS}) -> boolean",
        none_of,
        "没有对象满足条件",
        "whether no record agrees",
        "[{'s': 'x'}] | none(s='y') -> true",
    ),
    describe(
        f"records is any({_CONDITIONS}) -> boolean",
        any_of,
        "同 | any(…)",
        "the same as | any(…)",
        "[{'s': 'x'}] is any(s='x') -> true",
    ),
    describe(
        f"records is all({_CONDITIONS}) -> boolean",
        all_of,
        "同 | all(…)",
        "the same as | all(…)",
        "[{'s': 'x'}] is all(s='x') -> true",
    ),
    describe(
        f"records is none({_CONDITIONS}) -> boolean",
        none_of,
        "同 | none(…)",
        "the same as | none(…)",
        "[{'s': 'x'}] is none(s='x') -> false",
    ),
    describe(
        "records | pluck(field: text) -> list",
        pluck,
        "每个对象的这个字段；可写 'a.b'",
        "this field of every record; 'a.b' reaches an inner one",
        "[{'s': 1}, {'s': 2}] | pluck('s') -> [1, 2]",
    ),
    describe(
        "records or mapping | pick(*fields: text) -> records or mapping",
        pick,
        "只保留这些字段",
        "with these fields only",
        "{'a': 1, 'b': 2} | pick('a') -> {'a': 1}",
    ),
    describe(
        "records or mapping | without(*fields: text) -> records or mapping",
        without,
        "去掉这些字段",
        "without these fields",
        "{'a': 1, 'b': 2} | without('a') -> {'b': 2}",
    ),
    describe(
        "mapping | merge(other: mapping) -> mapping",
        merge,
        "两个对象合成一个；同名字段以 other 为准",
        "both mappings in one; where both have a field, the other's counts",
        "{'a': 1} | merge({'b': 2}) -> {'a': 1, 'b': 2}",
        passes=True,
    ),
    describe(
        "records | changed(before: text, after: text) -> records",
        changed,
        "这两个字段不同的对象",
        "the records in which the two fields differ",
        "[{'was': 1, 'now': 1}, {'was': 1, 'now': 2}] | changed('was', 'now') -> [{'was': 1, 'now': 2}]",
    ),
    describe(
        "list | unique(*fields: text) -> list",
        unique,
        "去掉重复项，保留第一个；给出字段时按这些字段比较",
        "the first of equal items, order kept; with fields, items are equal when these are",
        "[2, 1, 2] | unique -> [2, 1]",
    ),
    describe(
        "records | last_of_each(field: text) -> records",
        last_of_each,
        "该字段每个取值的最后一个对象，按位置排列",
        "for each value of the field the last record that has it, in order",
        "[{'s': 1, 'n': 1}, {'s': 1, 'n': 2}] | last_of_each('s') -> [{'s': 1, 'n': 2}]",
    ),
    describe(
        "records | index_by(field: text) -> mapping",
        index_by,
        "以该字段的文本为键；重复时保留第一个",
        "the records by the text of a field; the first of equal ones stays",
        "[{'s': 'x'}] | index_by('s') -> {'x': {'s': 'x'}}",
    ),
    describe(
        "records | count_by(field: text) -> records",
        count_by,
        "该字段的每个取值出现几次",
        "how often each value of the field occurs",
        "[{'s': 'x'}, {'s': 'x'}] | count_by('s') -> [{'value': 'x', 'count': 2}]",
    ),
    describe(
        "list | sort(*fields: text) -> list",
        sort,
        "从小到大；'-f' 从大到小；没有该字段或为 null 的排在最后",
        "in rising order; '-f' for falling; null and absent come last",
        "[{'n': 1}, {'n': 3}] | sort('-n') -> [{'n': 3}, {'n': 1}]",
    ),
    describe(
        "mapping | values -> list",
        values,
        "对象的所有值",
        "the values of a mapping",
        "{'a': 1} | values -> [1]",
    ),
    describe(
        "mapping | entries -> records",
        entries,
        "对象的键和值",
        "the keys and values of a mapping",
        "{'a': 1} | entries -> [{'key': 'a', 'value': 1}]",
    ),
    describe(
        "records | as_mapping(key: text, value: text) -> mapping",
        as_mapping,
        "由两个字段组成对象",
        "a mapping made of two fields",
        "[{'k': 'a', 'v': 1}] | as_mapping('k', 'v') -> {'a': 1}",
    ),
    describe(
        "mapping or list or text | replace_values(mapping: mapping) -> any",
        replace_values,
        "把完整等于某个键的文本换成对应的值，任意深度",
        "every text that is a key of the mapping replaced by its value, however deep; whole texts only",
        "{'to': 'new:1'} | replace_values({'new:1': 'T9'}) -> {'to': 'T9'}",
        passes=True,
    ),
)
