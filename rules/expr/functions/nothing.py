"""Functions that look at what is absent, null or empty."""

from __future__ import annotations

from typing import Final

from rules.expr.operations import is_nothing
from rules.expr.signatures import Function, describe
from rules.keyed import KeyedList
from rules.values import ABSENT, Value


def default(value: Value, other: Value) -> Value:
    return other if value is ABSENT or value is None else value


def or_else(value: Value, other: Value) -> Value:
    return other if is_nothing(value) else value


def or_absent(value: Value) -> Value:
    return ABSENT if value is False or is_nothing(value) else value


def is_absent(value: Value) -> bool:
    return value is ABSENT


def is_present(value: Value) -> bool:
    return value is not ABSENT


def is_null(value: Value) -> bool:
    return value is None


def is_empty(value: Value) -> bool:
    return not value


def is_text(value: Value) -> bool:
    return type(value) is str


def is_number(value: Value) -> bool:
    return type(value) is not bool and type(value) not in (str, list, KeyedList, dict, type(None))


def is_boolean(value: Value) -> bool:
    return type(value) is bool


def is_list(value: Value) -> bool:
    return isinstance(value, list)


def is_mapping(value: Value) -> bool:
    return type(value) is dict


NOTHING: Final[tuple[Function, ...]] = (
    describe(
        "any | default(other: any) -> any",
        default,
        "值不存在、为 null 或路径中途断开时，改用 other",
        "the other value where this one is absent or null, or where the path to it breaks half-way",
        "a.b | default('none') -> 'none'",
        soft=True,
        passes=True,
    ),
    describe(
        "any | or_else(other: any) -> any",
        or_else,
        "同 default，但空文本、空列表和空对象也改用 other",
        "like default, and also for an empty text, list or mapping",
        "'' | or_else('none') -> 'none'",
        soft=True,
        passes=True,
    ),
    describe(
        "any | or_absent -> any",
        or_absent,
        "值不存在、为 null、为空或为 false 时省略所在的字段或参数",
        "absent where the value is absent, null, empty or false: the field or argument is left out",
        "{'a': '' | or_absent} -> {}",
        soft=True,
        passes=True,
    ),
    describe(
        "any is absent -> boolean",
        is_absent,
        "不存在",
        "there is no such name or field",
        "a.b is absent -> true",
        soft=True,
    ),
    describe(
        "any is present -> boolean",
        is_present,
        "存在，null 也算存在",
        "there is one, and be it null",
        "a.b is present -> false",
        soft=True,
    ),
    describe(
        "any is null -> boolean",
        is_null,
        "存在且为 null",
        "there is one, and it is null",
        "null is null -> true",
        soft=True,
    ),
    describe(
        "text or list or mapping is empty -> boolean",
        is_empty,
        "文本、列表或对象里什么都没有",
        "a text, list or mapping with nothing in it",
        "[] is empty -> true",
    ),
    describe("any is text -> boolean", is_text, "是文本", "is a text", "'7' is text -> true"),
    describe("any is number -> boolean", is_number, "是数字", "is a number", "7 is number -> true"),
    describe(
        "any is boolean -> boolean",
        is_boolean,
        "是 true 或 false",
        "is true or false",
        "true is boolean -> true",
    ),
    describe("any is list -> boolean", is_list, "是列表", "is a list", "[] is list -> true"),
    describe("any is mapping -> boolean", is_mapping, "是对象", "is a mapping", "{} is mapping -> true"),
)
