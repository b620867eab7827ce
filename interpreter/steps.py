"""The steps of a workflow, wherever they stand: inside other steps, in blocks, in states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from interpreter.model import (
    AnyStep,
    AskStep,
    Block,
    CallStep,
    ChooseStep,
    ConfirmStep,
    EachStep,
    RepeatStep,
    UseStep,
    Workflow,
)


def steps_inside(steps: Iterable[AnyStep]) -> Iterator[AnyStep]:
    """Yield every step of a list, and those inside it, in the order in which they are written."""
    for step in steps:
        yield step
        match step:
            case EachStep() | RepeatStep():
                yield from steps_inside(step.steps)
            case ChooseStep():
                for branch in step.branches:
                    yield from steps_inside(branch.steps)
            case CallStep() if step.pages is not None:
                yield from steps_inside(step.pages.steps)


def steps_with_blocks(steps: Iterable[AnyStep], blocks: Mapping[str, Block]) -> Iterator[AnyStep]:
    """Yield every step of a list, and those of the blocks that it uses, each block once however often it is used."""
    waiting = [tuple(steps)]
    seen: set[str] = set()
    while waiting:
        for step in steps_inside(waiting.pop()):
            yield step
            if isinstance(step, UseStep) and step.block in blocks and step.block not in seen:
                seen.add(step.block)
                waiting.append(blocks[step.block].steps)


def all_steps(workflow: Workflow) -> Iterator[AnyStep]:
    for block in workflow.blocks:
        yield from steps_inside(block.steps)
    for state in workflow.states:
        yield from steps_inside(state.steps)


def all_questions(workflow: Workflow) -> Iterator[ConfirmStep | AskStep]:
    return (step for step in all_steps(workflow) if isinstance(step, ConfirmStep | AskStep))
