"""Functions that only the one who evaluates can answer; they stand in the table so that the linter knows them."""

from __future__ import annotations

from typing import Final

from rules.expr.signatures import Function, describe
from rules.values import CannotEvaluate, Value


def _not_here(*_: Value) -> Value:
    raise CannotEvaluate("not-here", {"function": "…"})


HOST: Final[tuple[Function, ...]] = (
    describe("left(budget: text) -> number", _not_here, "该预算还剩多少", "what is left of a budget", host=True),
    describe("used(budget: text) -> number", _not_here, "该预算已用多少", "what is used of a budget", host=True),
    describe(
        "has_tool(tool: text) -> boolean",
        _not_here,
        "当前 profile 是否提供该工具",
        "whether the profile answers this tool",
        host=True,
    ),
    describe(
        "unreachable(tools: text) -> boolean",
        _not_here,
        "该组工具在本次运行中是否曾无法连接",
        "whether a tool of this document could not be reached in this run",
        host=True,
    ),
    describe(
        "cite(unit: mapping) -> mapping",
        _not_here,
        "引用一个证据单元的全文，按流程开头 citation 的写法；不是本次运行的单元则无法求值",
        "a citation of a whole unit of evidence, as the head of the workflow says; what is no unit of a run has none",
        host=True,
    ),
    describe(
        "label(value: text, type: text) -> any",
        _not_here,
        "枚举值给人看的名称，如 label(level, 'drive#Level')",
        "the words for people of an enum's value, as in label(level, 'drive#Level')",
        host=True,
    ),
)
