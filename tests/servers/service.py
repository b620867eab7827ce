"""Ask the tools of a profile of `specs` directly, and read what the contracts make of the answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from interpreter.adapters.opening import open_planned
from interpreter.adapters.planning import AdapterPlan, plan_adapters
from interpreter.adapters.toolbox import Toolbox
from interpreter.documents.loading import Loader
from interpreter.documents.profiles import load_profile
from interpreter.documents.reading import Disk
from interpreter.engine.program import ContractPlan
from interpreter.plan.contracts import contract_of
from interpreter.ports import Answered, Request, ToolFailure

SPECS = Path(__file__).parents[2] / "specs"


@lru_cache
def _planned(
    profile: str, documents: tuple[str, ...], settings: tuple[tuple[str, Any], ...]
) -> tuple[tuple[AdapterPlan, ...], Mapping[str, ContractPlan]]:
    loader = Loader(SPECS, Disk())
    found, problems = load_profile(SPECS / "profiles" / f"{profile}.yaml")
    assert found is not None, problems
    contracts = loader.contracts_for(found) or {}
    wanted = {name: one for name, one in contracts.items() if not documents or name.partition(".")[0] in documents}
    plans, problems = plan_adapters(found, wanted, dict(settings), SPECS / "profiles")
    assert problems == [], [one.message.en for one in problems]
    return plans, {name: contract_of(one) for name, one in wanted.items()}


class Service:
    """The tools of a profile. Shapes: `documents` are the tools documents to open, all of them when empty."""

    def __init__(self, profile: str, documents: tuple[str, ...] = (), **settings: Any) -> None:
        plans, self.contracts = _planned(profile, documents, tuple(settings.items()))
        toolbox, problems = open_planned(plans)
        assert toolbox is not None, [one.message.en for one in problems]
        self.toolbox: Toolbox = toolbox

    def outcome(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return what is recorded of one attempt."""
        contract = self.contracts[tool]
        problem = contract.check_input(arguments)
        assert problem is None, problem
        request = Request(tool, arguments, contract.effect, "key-1")
        try:
            answer = asyncio.run(self._answer(request))
        except ToolFailure as failed:
            error = contract.error(failed.code, failed.message, retry_after=failed.retry_after, details=failed.details)
            if failed.is_unsure and contract.effect != "read":
                error["happened"] = "perhaps"
            return {"ok": False, "error": error}
        return contract.interpret(request, answer)

    def value(self, tool: str, **arguments: Any) -> Any:
        outcome = self.outcome(tool, **arguments)
        assert outcome["ok"], outcome
        return outcome["value"]

    def code(self, tool: str, **arguments: Any) -> str:
        outcome = self.outcome(tool, **arguments)
        assert not outcome["ok"], outcome
        return str(outcome["error"]["code"])

    def stands(self, tool: str, **arguments: Any) -> str:
        """Return what an answer means for a write: success, failed or pending."""
        outcome = self.outcome(tool, **arguments)
        if not outcome["ok"]:
            return "failed"
        contract = self.contracts[tool]
        names = {"answer": outcome["value"], "sent": arguments}
        if contract.failed is not None and contract.failed(names):
            return "failed"
        return "pending" if contract.pending is not None and contract.pending(names) else "success"

    async def _answer(self, request: Request) -> Any:
        answer = self.toolbox.invoke(request, lambda: False)
        if hasattr(answer, "__await__"):
            answer = await answer
        await self.toolbox.close()
        return answer.value if isinstance(answer, Answered) else answer
