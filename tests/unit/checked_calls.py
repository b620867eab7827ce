"""Calls of adapters in tests, each held against the contracts.

Every argument, answer and error of every test is compared with `specs/tools/`, so that no answer of an adapter can
drift from what a workflow is promised.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from interpreter.ports import ToolFailure
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from rules.expr import parse_expression

TOOLS = Path(__file__).parents[2] / "specs" / "tools"


@cache
def document(name: str) -> dict[str, Any]:
    node, findings = read_tree(Source(name, (TOOLS / f"{name}.yaml").read_text("utf-8")))
    assert node is not None
    assert findings == []
    value = to_value(node)
    assert isinstance(value, dict)
    return value


@cache
def validator(tool: str, side: str) -> Any:
    return jsonschema_rs.validator_for(document(tool.partition(".")[0])[tool][side])


def evaluate(text: str, **names: Any) -> Any:
    """Return the value of an expression of a contract."""
    expression, findings = parse_expression(text)
    assert findings == []
    assert expression is not None
    return expression.evaluate(names)


def error_codes(tool: str) -> set[str]:
    contracts = document(tool.partition(".")[0])
    return {*contracts["errors"], *contracts[tool].get("errors", {})}


def check_failure(tool: str, failure: ToolFailure) -> None:
    assert failure.code in error_codes(tool), failure
    assert set(failure.details["message"]) == {"zh", "en"}


_opened: list[CheckedCalls] = []


@pytest.fixture(autouse=True)
def close_adapters() -> Iterator[None]:
    """Close what a test opened, so that no database is left to the collector."""
    yield
    while _opened:
        _opened.pop().close()


class CheckedCalls:
    """Calls of the tools of an adapter. Shapes: `prefix` is what a test leaves out of the names of tools."""

    prefix = ""

    def __init__(self, adapter: Any, *, is_shared: bool = False) -> None:
        self.adapter = adapter
        if not is_shared:
            _opened.append(self)

    def close(self) -> None:
        self.adapter.close()

    def adapter_of(self, tool: str) -> Any:
        """Return who answers a tool."""
        return self.adapter

    def __call__(self, tool: str, key: str = "", **arguments: Any) -> dict[str, Any]:
        name = self.prefix + tool
        validator(name, "input").validate(arguments)
        try:
            answer: dict[str, Any] = self.adapter_of(name).invoke(name, arguments, key)
        except ToolFailure as failure:
            check_failure(name, failure)
            raise
        validator(name, "output").validate(answer)
        return answer

    def fails(self, code: str, tool: str, key: str = "", **arguments: Any) -> ToolFailure:
        with pytest.raises(ToolFailure) as caught:
            self(tool, key, **arguments)
        assert caught.value.code == code, caught.value
        return caught.value
