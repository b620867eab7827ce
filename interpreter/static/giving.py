"""Whether a step surely gives a value to the name behind its `as`, and what that depends on where it does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from interpreter.model import (
    AnyStep,
    CallStep,
    ChooseStep,
    Constant,
    FailStep,
    GiveStep,
    MoveOnStep,
    RepeatStep,
    Text,
    Value,
    Written,
)
from rules.expr import tree

if TYPE_CHECKING:
    from rules.documents import RuleDocument


def counts_of(rules: Mapping[str, RuleDocument]) -> frozenset[str]:
    """Return the thresholds, as `<document>.<name>`, that no setting brings below one."""
    return frozenset(
        f"{document}.{name}"
        for document, body in rules.items()
        for name, span in body.threshold_ranges.items()
        if isinstance(span.low, int | Decimal) and span.low >= 1
    )


def is_count(value: Value | None, counts: frozenset[str]) -> bool:
    """Say whether a number of rounds is known to be one or more. Shapes: None is what is not written, one round."""
    match value:
        case None:
            return True
        case Constant(value=int(number)):
            return number >= 1
        case Written(expression=expression):
            return _is_count(expression.tree, counts)
        case Text(template=template) if template.single is not None:
            return _is_count(template.single.tree, counts)
    return False


def _is_count(node: tree.Node, counts: frozenset[str]) -> bool:
    match node:
        case tree.Constant(value=int(number)):
            return number >= 1
        case tree.Choice(then=then, otherwise=otherwise):
            return _is_count(then, counts) and otherwise is not None and _is_count(otherwise, counts)
    return tree.path_text(node) in counts


def given_only_when(step: AnyStep, inside: tuple[Iterable[AnyStep], Value | None], counts: frozenset[str]) -> str:
    """Return the condition, as written, without which a step gives no value; '' where it always does.

    Shapes: `inside` are the steps of the block that a `use` runs, and what the block gives.
    """
    own = "" if isinstance(step, CallStep) and step.otherwise is not None else _when(step)
    found: str | None = ""
    match step:
        case ChooseStep():
            found = _of_branches(step)
        case RepeatStep():
            found = "" if is_count(step.at_most, counts) else _rounds(step.at_most)
        case _:
            steps, give = inside
            found = _of_steps(steps, give) if steps else ""
    return _both(own, found or "")


def _rounds(at_most: Value | None) -> str:
    written = at_most.expression if isinstance(at_most, Written) else None
    if isinstance(at_most, Text) and at_most.template.single is not None:
        written = at_most.template.single
    return f"({written.source.strip()}) > 0" if written is not None else ""


def _of_steps(steps: Iterable[AnyStep], give: Value | None) -> str | None:
    """Return when steps give a value or do not come to their end: '' always, None never."""
    if give is not None:
        return ""
    found: list[str] = []
    for step in steps:
        inner = _of_step(step)
        if inner is None:
            continue
        condition = _both(_when(step), inner)
        if not condition:
            return ""
        found.append(condition)
    return _any(found)


def _of_step(step: AnyStep) -> str | None:
    if isinstance(step, GiveStep | MoveOnStep | FailStep):
        return ""
    return _of_branches(step) if isinstance(step, ChooseStep) and step.bind_as is None else None


def _of_branches(step: ChooseStep) -> str | None:
    found: list[str] = []
    before: list[str] = []
    is_sure = bool(step.branches) and step.branches[-1].when is None
    for branch in step.branches:
        own = _source(branch.when) if branch.when is not None else _not(before)
        before.append(own)
        inner = _of_steps(branch.steps, branch.give)
        is_sure = is_sure and inner == ""
        if inner is not None:
            found.append(_both(own, inner))
    return "" if is_sure else _any(found)


def _when(step: AnyStep) -> str:
    return _source(step.when) if step.when is not None else ""


def _source(condition: Written) -> str:
    """Return a condition as written; '' for one that reads nothing, as one does that could not be parsed."""
    return condition.expression.source.strip() if condition.expression.uses else ""


def _both(one: str, other: str) -> str:
    return f"({one}) and ({other})" if one and other else one or other


def _any(found: list[str]) -> str | None:
    if len(found) < 2:
        return found[0] if found else None
    return " or ".join(f"({one})" for one in found)


def _not(before: list[str]) -> str:
    return f"not ({_any(before)})" if before else ""
