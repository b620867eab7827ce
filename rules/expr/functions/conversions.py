"""Functions between values and JSON."""

from __future__ import annotations

from typing import Final

from rules.expr.operations import bounded_text
from rules.expr.signatures import Function, describe
from rules.json_problems import json_problem
from rules.json_texts import strict_json
from rules.values import CannotEvaluate, Value, canonical_text, dumps


def from_json(text: str) -> Value:
    try:
        return strict_json(text)
    except ValueError as error:
        zh, en = json_problem(error)
        raise CannotEvaluate("not-json", {"problem": en, "problem_zh": zh}) from None


def to_json(value: Value) -> str:
    return bounded_text(dumps(value))


def leaves(value: Value) -> list[dict[str, str]]:
    """Return every text, number and boolean of a value with the path that leads to it."""
    result: list[dict[str, str]] = []
    _collect_leaves(value, "", result)
    return result


def _collect_leaves(value: Value, path: str, result: list[dict[str, str]]) -> None:
    if type(value) is dict:
        for key, item in value.items():
            _collect_leaves(item, f"{path}.{key}" if path else key, result)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _collect_leaves(item, f"{path}[{index}]", result)
    elif value is not None:
        result.append({"path": path, "text": canonical_text(value)})


CONVERSIONS: Final[tuple[Function, ...]] = (
    describe(
        "text | from_json -> any",
        from_json,
        "JSON 表示的值，数字不丢失任何一位",
        "the value that JSON says, every digit of a number kept",
        "'[1.50]' | from_json -> [1.50]",
    ),
    describe(
        "any | to_json -> text",
        to_json,
        "值的 JSON，键的顺序不变",
        "the JSON of a value, keys in their order",
        "{'a': 1} | to_json -> '{\"a\":1}'",
    ),
    describe(
        "any | leaves -> records",
        leaves,
        "其中每个文本、数字和真假值及其路径",
        "every text, number and boolean in it with its path",
        "{'a': {'b': ['x']}} | leaves -> [{'path': 'a.b[0]', 'text': 'x'}]",
    ),
)
