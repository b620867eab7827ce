"""How often a run may call: counted by value, over rounds, states and retries."""

from __future__ import annotations

from typing import Any

from interpreter.engine.data import Names
from interpreter.engine.program import BudgetPlan
from interpreter.ports import JsonObject
from rules.keyed import cannot
from rules.values import canonical_json


class Budgets:
    def __init__(self, plans: tuple[BudgetPlan, ...]) -> None:
        self._plans = {plan.name: plan for plan in plans}
        self._used: dict[tuple[str, str], int] = {}
        self._added: dict[str, int] = {}

    def spent(self, tool: str, names: Names) -> BudgetPlan | None:
        """Return the first budget that refuses one more call of a tool, or None after a place was taken in each."""
        counting = [plan for plan in self._plans.values() if plan.counts(tool)]
        places = []
        for plan in counting:
            place = self._place(plan, names)
            if self._used.get(place, 0) >= self._limit(plan, names):
                return plan
            places.append(place)
        for place in places:
            self._used[place] = self._used.get(place, 0) + 1
        return None

    def limits(self, tool: str) -> bool:
        """Say whether any budget counts a tool."""
        return any(plan.counts(tool) for plan in self._plans.values())

    def left(self, name: str, names: Names) -> int:
        plan = self._plan(name)
        return max(0, self._limit(plan, names) - self._used.get(self._place(plan, names), 0))

    def used(self, name: str, names: Names) -> int:
        plan = self._plan(name)
        return self._used.get(self._place(plan, names), 0)

    def add(self, amounts: JsonObject) -> None:
        for name, amount in amounts.items():
            if name in self._plans:
                self._added[name] = self._added.get(name, 0) + amount

    def names(self) -> tuple[str, ...]:
        return tuple(self._plans)

    def as_json(self) -> JsonObject:
        return {
            "used": [[list(place), count] for place, count in self._used.items()],
            "added": dict(self._added),
        }

    def restore(self, kept: JsonObject) -> None:
        self._used = {(place[0], place[1]): count for place, count in kept["used"]}
        self._added = dict(kept["added"])

    def _plan(self, name: str) -> BudgetPlan:
        plan = self._plans.get(name)
        if plan is None:
            raise cannot("unknown-budget", name=name)
        return plan

    def _limit(self, plan: BudgetPlan, names: Names) -> int:
        limit: Any = plan.at_most(names)
        return int(limit) + self._added.get(plan.name, 0)

    def _place(self, plan: BudgetPlan, names: Names) -> tuple[str, str]:
        return plan.name, canonical_json(plan.per(names)) if plan.per is not None else ""
