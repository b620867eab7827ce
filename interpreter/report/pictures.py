"""The states of a workflow as a picture: what Mermaid and SVG both draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from interpreter.model import AnyStep, AskStep, CallStep, ConfirmStep, Contract, State, Transition, Workflow
from interpreter.plan.values import constant_of
from interpreter.report.words import shown
from interpreter.steps import steps_with_blocks
from rules.records import NamedTuple

END = "end"


class Box(NamedTuple):
    """One state. Shapes: `asks` and `writes` say so, `gates` protect it, `visits` are those of a run."""

    name: str
    title: str
    asks: bool
    writes: bool
    gates: tuple[str, ...]
    visits: int


class Arrow(NamedTuple):
    """One way from a state to another, or to `end`. Shapes: `is_taken` by the run that is shown."""

    start: str
    end: str
    label: str
    is_taken: bool


class Picture(NamedTuple):
    """Shapes: `reason` is why writes go without confirmation, '' where they do not."""

    name: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    reason: str


def picture_of(
    workflow: Workflow, contracts: Mapping[str, Contract], language: str, visits: tuple[str, ...] | None = None
) -> Picture:
    """Return the picture of a workflow; with `visits` that of a run, in the order in which it came by its states."""
    walked = set(pairwise(visits)) if visits else set()
    if visits:
        walked.add((visits[-1], END))
    blocks = {block.name: block for block in workflow.blocks}
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    for state in workflow.states:
        steps = list(steps_with_blocks(state.steps, blocks))
        tools = {tool for step in steps if isinstance(step, CallStep) for _, tool, _ in step.tool.among}
        boxes.append(
            Box(
                name=state.name,
                title=shown(constant_of(state.title, None), language) if state.title is not None else "",
                asks=any(isinstance(step, ConfirmStep | AskStep) for step in steps),
                writes=any(tool in contracts and contracts[tool].effect != "read" for tool in tools),
                gates=tuple(gate.name for gate in state.enter),
                visits=visits.count(state.name) if visits else 0,
            )
        )
        arrows.extend(
            Arrow(state.name, to, label, (state.name, to) in walked) for to, label in _ways(state, steps, language)
        )
    reasons = [
        (f"{one.tool}: " if one.tool else "") + shown(constant_of(one.reason, ""), language)
        for one in workflow.writes_without_confirmation
    ]
    return Picture(
        name=workflow.name,
        boxes=tuple(boxes),
        arrows=tuple(arrows),
        reason="; ".join(reasons),
    )


def _ways(state: State, steps: Iterable[AnyStep], language: str) -> Iterator[tuple[str, str]]:
    for transition in state.next:
        yield transition.to, _label(transition)
    for step in steps:
        for choice in step.choices if isinstance(step, ConfirmStep) else ():
            if choice.to is not None:
                yield choice.to, shown(constant_of(choice.label, choice.id), language)
    if not state.next:
        yield END, ""
    if state.when_cancelled is not None:
        yield state.when_cancelled[0], "取消" if language == "zh" else "cancel"


def _label(transition: Transition) -> str:
    parts = [transition.when.expression.text] if transition.when is not None else []
    parts += [f"[{gate.name}]" for gate in transition.gates]
    return " ".join(parts)
