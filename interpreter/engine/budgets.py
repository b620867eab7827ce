"""How often a run may call: counted by value, over rounds, states and retries.

A call counts in the budgets of its workflow and of every workflow that uses it. At once with others, who comes first
depends on timing: decisions are then entries of a list, and whoever comes next takes up the entries that are on record
already before making one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interpreter.engine.data import Names
from interpreter.engine.program import BudgetPlan
from interpreter.ports import JsonObject
from rules.values import cannot, canonical_json

if TYPE_CHECKING:
    from interpreter.engine.core import Core
    from interpreter.engine.frame import Frame


class Budgets:
    def __init__(self, plans: tuple[BudgetPlan, ...]) -> None:
        self._plans = {plan.name: plan for plan in plans}
        self._counting: dict[str, tuple[BudgetPlan, ...]] = {}
        self._used: dict[tuple[str, str], int] = {}
        self._added: dict[str, int] = {}

    def spent(self, tool: str, names: Names) -> BudgetPlan | None:
        """Return the first budget that has no place left for one more call of a tool."""
        for plan in self.counting(tool):
            if self._used.get(self._place(plan, names), 0) >= self._limit(plan, names):
                return plan
        return None

    def places(self, tool: str, names: Names) -> list[tuple[str, str]]:
        """Return the places that one call of a tool takes."""
        return [self._place(plan, names) for plan in self.counting(tool)]

    def take(self, place: tuple[str, str]) -> None:
        self._used[place] = self._used.get(place, 0) + 1

    def counting(self, tool: str) -> tuple[BudgetPlan, ...]:
        """Return the budgets that count a tool."""
        found = self._counting.get(tool)
        if found is None:
            found = self._counting[tool] = tuple(plan for plan in self._plans.values() if plan.counts(tool))
        return found

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
        """Return what was used and added so far, for a run that goes on under edited documents."""
        return {"used": [[list(place), count] for place, count in self._used.items()], "added": self._added.copy()}

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


class Ledger:
    """The decisions on budgets of one loop whose items are worked on at once.

    Shapes: `read` is how many entries were taken up; `decided` what those say that their owner has not asked for yet.
    """

    def __init__(self) -> None:
        self.read = 0
        self.decided: dict[str, list[str]] = {}


_Level = tuple["Core", "Frame"]


def is_limited(core: Core, tool: str) -> bool:
    """Say whether any budget counts a tool."""
    return bool(core.budgets.counting(tool)) or (core.caller is not None and is_limited(core.caller.core, tool))


def reserve(core: Core, frame: Frame, tool: str, key: str) -> list[str]:
    """Take a place in every budget that counts a call; returns (name, when_spent) of a spent one, else nothing."""
    levels = _levels(core, frame)
    shared = max((number for number, (_, around) in enumerate(levels) if around.at_once), default=None)
    if shared is None:
        return _refusal(levels, tool) or _taken(levels, tool)
    own = levels[:shared]
    return _refusal(own, tool) or _decided(levels[shared:], tool, key) or _taken(own, tool)


def _levels(core: Core, frame: Frame) -> list[_Level]:
    """Return this workflow and those that use it, from the inside out, each with the frame that the call is made in."""
    levels = [(core, frame)]
    while (caller := levels[-1][0].caller) is not None:
        levels.append((caller.core, caller))
    return levels


def _refusal(levels: list[_Level], tool: str) -> list[str]:
    for core, frame in levels:
        spent = core.budgets.spent(tool, frame.names)
        if spent is not None:
            return [spent.name, spent.when_spent]
    return []


def _taken(levels: list[_Level], tool: str) -> list[str]:
    for core, frame in levels:
        for place in core.budgets.places(tool, frame.names):
            core.budgets.take(place)
    return []


def _decided(levels: list[_Level], tool: str, key: str) -> list[str]:
    """Return the decision for a call, from the list where it is on record, else made now."""
    core, frame = levels[0]
    ledger = core.ledgers.setdefault(frame.at_once, Ledger())
    while key not in ledger.decided:
        ledger.read += 1
        entry = core.run.record(f"{frame.at_once}/budget{ledger.read}", _entry(levels, tool, key))
        ledger.decided[entry["for"]] = entry["refused"]
        if not entry["refused"]:
            for level, name, value in entry["places"]:
                levels[level][0].budgets.take((name, value))
    return ledger.decided.pop(key)


def _entry(levels: list[_Level], tool: str, key: str) -> JsonObject:
    places = [
        [number, *place]
        for number, (core, frame) in enumerate(levels)
        for place in core.budgets.places(tool, frame.names)
    ]
    return {"for": key, "refused": _refusal(levels, tool), "places": places}
