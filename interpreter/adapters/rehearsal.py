"""Tools of a dry run: real until the first write, from then on the examples of the contracts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from interpreter.engine.program import ContractPlan
from interpreter.ports import Request, Tools


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
            return deepcopy(self._contracts[request.tool].example)
        return self._inner.invoke(request, cancelled)

    def identities(self) -> Mapping[str, str]:
        return self._inner.identities()
