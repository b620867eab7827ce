"""Why a value does not fit: what a person reads, in both languages, with the place and without what is hidden."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from interpreter.engine.problems import CALL_WORDS, told_of_failure, wanted_by
from interpreter.engine.validation import Validator
from interpreter.report.findings import finding_lines
from interpreter.safety.masking import taking_out

# schema ; value ; en ; zh
TOLD: list[tuple[dict[str, Any], Any, str, str]] = [
    ({"type": "integer"}, "x", "“x” is not a whole number", "“x”不是整数"),
    ({"type": ["integer", "null"]}, True, "true is not a whole number or null", "true 不是整数或 null"),
    ({"type": "object", "required": ["a"]}, {}, "a is missing", "缺少 a"),
    ({"type": "object", "required": ["a", "b", "c"]}, {"b": 1}, "a and c are missing", "缺少 a、c"),
    ({"type": "object", "required": ["a", "b", "c"]}, {}, "a, b and c are missing", "缺少 a、b、c"),
    ({"items": {"required": ["a", "b"]}}, [{}, {}], "0: a and b are missing", "0：缺少 a、b"),
    (
        {"anyOf": [{"type": "null"}, {"type": "object", "required": ["a", "b"]}]},
        {},
        "a and b are missing",
        "缺少 a、b",
    ),
    (
        {"properties": {"a": {}}, "additionalProperties": False},
        {"b": 1},
        "b is not a declared field",
        "b 不是声明过的字段",
    ),
    (
        {"properties": {"a": {}}, "additionalProperties": False},
        {"b": 1, "c": 2},
        "b, c are no declared fields",
        "b、c 不是声明过的字段",
    ),
    ({"additionalProperties": False}, {"b": 1}, "nothing may stand here", "这里什么也不能写"),
    ({"enum": ["a", 2]}, "c", "“c” is none of “a”, 2", "“c”不在可选的值里：“a”、2"),
    ({"const": None}, 1, "1 is not null", "1 不是 null"),
    ({"minimum": 3}, 2, "2 is less than 3", "2 小于 3"),
    ({"maximum": 3}, 4, "4 is more than 3", "4 大于 3"),
    ({"exclusiveMinimum": 3}, 3, "3 has to be more than 3", "3 要大于 3"),
    ({"minLength": 2}, "x", "“x” is shorter than 2 characters", "“x”不足 2 个字符"),
    ({"minLength": 1}, "", "it may not be empty", "不能为空"),
    ({"maxLength": 1}, "xy", "“xy” is longer than 1 character", "“xy”超过 1 个字符"),
    ({"maxItems": 1}, [1, 2], "at most 1 entry may be there", "超过 1 项"),
    ({"minItems": 2}, [1], "at least 2 entries must be there", "不足 2 项"),
    ({"minProperties": 1}, {}, "at least 1 field must be there", "至少要有 1 项"),
    ({"type": "boolean"}, "yes", "“yes” is not true or false", "“yes”不是 true 或 false"),
    ({"uniqueItems": True}, [1, 1], "an entry is there twice", "有重复的项"),
    ({"format": "date"}, "soon", "“soon” is not a date such as 2026-08-01", "“soon”不是日期（如 2026-08-01）"),
    (
        {"format": "date-time"},
        "2026-02-03",
        "“2026-02-03” is not an instant such as 2026-08-01T09:00:00Z",
        "“2026-02-03”不是时刻（如 2026-08-01T09:00:00Z）",
    ),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, "1 is not a text", "1 不是文本"),
    (
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        [],
        "[] is not what may stand here",
        "[] 不是这里可以写的值",
    ),
    ({"not": {"type": "string"}}, "x", "“x” is not what may stand here", "“x”不是这里可以写的值"),
    ({"properties": {"a": {"items": {"type": "string"}}}}, {"a": ["x", 1]}, "a.1: 1 is not a text", "a.1：1 不是文本"),
    ({"type": "integer"}, "y" * 99, f"“{'y' * 60}…” is not a whole number", f"“{'y' * 60}…”不是整数"),
]


@pytest.mark.parametrize(("schema", "value", "en", "zh"), TOLD, ids=[en for _, _, en, _ in TOLD])
def test_what_does_not_fit_is_told_in_both_languages(schema: dict[str, Any], value: Any, en: str, zh: str) -> None:
    told = Validator(schema).problem(value)
    assert told is not None
    assert (told.en, told.zh) == (en, zh)


def test_everything_that_does_not_fit_is_told_in_one_line() -> None:
    shape = {"type": "object", "required": ["a", "b"], "additionalProperties": False, "properties": {
        "a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "integer", "minimum": 3}}}  # fmt: skip
    told = Validator(shape).all_of_it({"c": 1, "x": 2})
    assert told is not None
    assert set(told.en.split("; ")) == {"c: 1 is less than 3", "x is not a declared field", "a and b are missing"}
    assert set(told.zh.split("；")) == {"c：1 小于 3", "x 不是声明过的字段", "缺少 a、b"}
    assert Validator(shape).all_of_it({"a": "", "b": 1}) is None
    hidden = Validator(shape, hides=True).all_of_it({"a": 4711, "b": "secret", "c": 1})
    assert hidden is not None
    assert "4711" not in hidden.en
    assert "secret" not in hidden.en


@pytest.mark.parametrize(
    ("schema", "value"), [(schema, value) for schema, value, _, _ in TOLD if isinstance(value, str)]
)
def test_what_is_hidden_is_not_repeated(schema: dict[str, Any], value: str) -> None:
    told = Validator(schema, hides=True).problem(value)
    assert told is not None
    assert f"“{value}" not in told.en + told.zh


@pytest.mark.parametrize(("schema", "value"), [(schema, value) for schema, value, _, _ in TOLD])
def test_there_is_nothing_to_tell_of_a_value_that_fits(schema: dict[str, Any], value: Any) -> None:
    assert Validator({"anyOf": [schema, True]}).problem(value) is None


# Everything that is wrong with a value, by its place; the first of each is what one line says.
EACH: list[tuple[dict[str, Any], Any, list[tuple[str, str, str]]]] = [
    (
        {
            "type": "object",
            "required": ["a", "b"],
            "properties": {"c": {"type": "string"}},
            "additionalProperties": False,
        },
        {"c": 1, "d": 2},
        [
            ("", "d is not a declared field", "d 不是声明过的字段"),
            ("c", "1 is not a text", "1 不是文本"),
            ("a", "a is missing", "缺少 a"),
            ("b", "b is missing", "缺少 b"),
        ],
    ),
    (
        {"properties": {"rows": {"items": {"required": ["text"], "properties": {"at": {"type": "integer"}}}}}},
        {"rows": [{}, {"text": "x", "at": "y"}]},
        [("rows[0].text", "text is missing", "缺少 text"), ("rows[1].at", "“y” is not a whole number", "“y”不是整数")],
    ),
    (
        {"anyOf": [{"type": "object", "required": ["a"]}, {"type": "null"}]},
        {},
        [("a", "a is missing", "缺少 a")],
    ),
]


@pytest.mark.parametrize(("schema", "value", "told"), EACH)
def test_everything_that_does_not_fit_is_told_with_its_place(
    schema: dict[str, Any], value: Any, told: list[tuple[str, str, str]]
) -> None:
    found = [(place, words.en, words.zh) for place, words in Validator(schema).problems(value)]
    assert sorted(found) == sorted(told)
    hidden = Validator(schema, hides=True).problems(value)
    assert "“y”" not in "".join(words.en + words.zh for _, words in hidden)


#: What is hidden, a schema, a value, and what is told of it: only what is repeated of the value is hidden.
HIDDEN: list[tuple[list[str], dict[str, Any], Any, str]] = [
    (["met", "none"], {"enum": ["met", "not_met"]}, "met it", "“••• it” is none of “met”, “not_met”"),
    (["number", "whole"], {"type": "integer"}, "number", "“•••” is not a whole number"),
    (["note", "missing"], {"required": ["note"]}, {}, "note is missing"),
    (["note"], {"properties": {}, "additionalProperties": False}, {"note": 1}, "••• is not a declared field"),
    (["100"], {"maximum": 100}, 1001, "•••1 is more than 100"),
    (["1001"], {"maximum": 100}, 1001, "••• is more than 100"),
    (["secret"], {"type": "string"}, {"secret": ["secret"]}, '{"•••": ["•••"]} is not a text'),
    (["s" * 90], {"maxLength": 5}, "s" * 90, "“•••” is longer than 5 characters"),
]


@pytest.mark.parametrize(("hidden", "schema", "value", "told"), HIDDEN)
def test_the_words_of_a_schema_are_told_where_private_data_holds_the_same(
    hidden: list[str], schema: dict[str, Any], value: Any, told: str
) -> None:
    ((_, words),) = Validator(schema).problems(value, taking_out(hidden))
    assert words.en == told


FAILURES: list[tuple[dict[str, Any], Any]] = [
    ({"code": "x", "message": "plain"}, "plain"),
    ({"code": "x", "message": "en", "details": {"message": {"zh": "中", "en": "en"}}}, {"zh": "中", "en": "en"}),
    ({"code": "x", "message": "en", "details": {"message": "other"}}, "en"),
    # journals of before hold what the engine itself says in English
    ({"code": "empty_page", "message": "old words"}, CALL_WORDS["empty_page"]._asdict()),
]


@pytest.mark.parametrize(("error", "told"), FAILURES)
def test_a_failure_is_told_in_both_languages_where_there_are_two(error: dict[str, Any], told: Any) -> None:
    assert told_of_failure(error) == told


FAILED: list[tuple[dict[str, Any], str]] = [
    ({"code": "timed_out", "kind": "permanent", "message": "the workflow's own"}, "timed_out: the workflow's own"),
    ({"code": "timed_out", "kind": "timed_out", "happened": "never", "message": ""}, "timed_out: 没有在时限内回答"),
    (
        {"code": "x", "happened": "never", "message": "en", "details": {"message": {"zh": "中", "en": "en"}}},
        "x: 中",
    ),
    ({"code": "two", "happened": "never", "message": "en", "findings": [{"rule": "two"}]}, "two: 回答没有被接受"),
]


@pytest.mark.parametrize(("error", "told"), FAILED)
def test_a_run_that_failed_tells_its_error_in_the_language_of_its_reader(error: dict[str, Any], told: str) -> None:
    lines = finding_lines({"code": "run/failed", "facts": {"error": error}, "state": "A"}, "zh")
    assert told in lines[0][1]


WANTED: list[tuple[dict[str, Any], str | None, str | None]] = [
    ({"type": "string"}, None, None),
    ({"type": "string", "format": "date"}, "a date such as 2026-08-01", "日期，如 2026-08-01"),
    ({"type": "string", "format": "email"}, None, None),
    ({"type": "integer", "minimum": 0, "maximum": 5}, "a whole number, 0 to 5", "整数，0 到 5"),
    ({"type": "integer", "minimum": 0}, "a whole number, 0 or more", "整数，不小于 0"),
    ({"type": "number", "maximum": 1}, "a number, 1 or less", "数，不大于 1"),
    (
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": Decimal("2.5")},
        "a number, more than 0, less than 2.5",
        "数，大于 0，小于 2.5",
    ),
    (
        {"type": "integer", "minimum": 5, "multipleOf": 5},
        "a whole number, 5 or more, a multiple of 5",
        "整数，不小于 5，5 的倍数",
    ),
    ({"type": "string", "minLength": 1}, None, None),
    ({"type": "string", "minLength": 1, "maxLength": 9}, "a text, up to 9 characters", "文本，最多 9 个字符"),
    ({"type": "string", "minLength": 2, "maxLength": 9}, "a text, 2 to 9 characters", "文本，2 到 9 个字符"),
    ({"type": "string", "minLength": 2}, "a text, 2 or more characters", "文本，至少 2 个字符"),
    ({"type": "array", "minItems": 1}, "a list, 1 or more entries", "列表，至少 1 项"),
    ({"type": "array", "maxItems": 3}, "a list, up to 3 entries", "列表，最多 3 项"),
    ({"type": "array", "minItems": 1, "maxItems": 3}, "a list, 1 to 3 entries", "列表，1 到 3 项"),
    ({"type": "boolean"}, "true or false", "true 或 false"),
    ({"type": "array"}, "a list", "列表"),
    ({"type": ["string", "null"]}, None, None),
    ({"enum": ["a"]}, None, None),
]


@pytest.mark.parametrize(("schema", "en", "zh"), WANTED)
def test_what_a_field_takes_is_said_where_it_is_no_plain_text(
    schema: dict[str, Any], en: str | None, zh: str | None
) -> None:
    wanted = wanted_by(schema)
    assert (wanted and wanted.en, wanted and wanted.zh) == (en, zh)
