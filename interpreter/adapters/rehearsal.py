"""Tools of a dry run: real until the first write, from then on the examples of the contracts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from interpreter.adapters.reasons import failure_in_words
from interpreter.diagnostics import Words
from interpreter.engine.program import ContractPlan
from interpreter.ports import Request, ToolFailure, Tools


class RehearsalTools:
    """Shapes: `simulated` is True once the first write was asked for; nothing real is called after that."""

    def __init__(self, inner: Tools, contracts: Mapping[str, ContractPlan]) -> None:
        self._inner = inner
        self._contracts = contracts
        self.simulated = False

    def has(self, tool: str) -> bool:
        return self._inner.has(tool)

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        self.simulated = self.simulated or request.effect != "read"
        if self.simulated:
            example = self._contracts[request.tool].example
            if example is None:
                raise _no_example(request.tool)
            return deepcopy(example)
        return self._inner.invoke(request, cancelled)

    def identities(self) -> Mapping[str, str]:
        return self._inner.identities()


def _no_example(tool: str) -> ToolFailure:
    words = Words(
        f"{tool} 的契约没有 example，演练不知道它会回答什么；请在契约里写一个",
        f"the contract of {tool} has no example, so a rehearsal does not know what it answers: write one there",
    )
    return failure_in_words("no_example", words)
