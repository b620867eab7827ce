"""`use`: blocks and workflows that exist, what they take, what they give; results that nothing is named by."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.model import AnyStep, CallStep, ChooseStep, Declared, EachStep, GiveStep, RepeatStep, UseStep
from interpreter.resolve import Resolved
from interpreter.steps import steps_inside


def check_blocks(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield uses of blocks that do not exist, or with other inputs than they take.

    Errors: name/unknown-block, type/unknown-argument, type/missing-argument.
    """
    for visit in resolved.visits:
        if isinstance(visit.step, UseStep):
            yield from _use(resolved, visit.step)


def _use(resolved: Resolved, step: UseStep) -> Iterator[Diagnostic]:
    blocks = {block.name: block.takes for block in resolved.workflow.blocks}
    used = {name for name, _ in resolved.workflow.uses.workflows}
    if step.block in blocks:
        yield from _arguments(resolved, step, blocks[step.block])
    elif step.block in used:
        workflow = resolved.documents.workflows.get(step.block)
        if workflow is not None:
            yield from _arguments(resolved, step, workflow.inputs)
    elif step.block not in resolved.loaded.doubtful:
        hint = did_you_mean(step.block, [*blocks, *used])
        yield finding("name/unknown-block", step.block_span, hint=hint, name=step.block)


def _arguments(resolved: Resolved, step: UseStep, takes: tuple[Declared, ...]) -> Iterator[Diagnostic]:
    names = [declared.name for declared in takes]
    given = {name for name, _, _ in step.arguments}
    for name, _, span in step.arguments:
        if name not in names and name not in resolved.loaded.doubtful:
            yield finding("type/unknown-argument", span, hint=did_you_mean(name, names), tool=step.block, name=name)
    for declared in takes:
        if declared.name not in given and declared.default is None and declared.run_of is None:
            yield finding("type/missing-argument", step.block_span, tool=step.block, name=declared.name)


def check_given(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield results that are named although nothing is given. Errors: type/nothing-to-name."""
    for visit in resolved.visits:
        step = visit.step
        name = getattr(step, "bind_as", None)
        if name is not None and not _gives(resolved, step):
            yield finding("type/nothing-to-name", resolved.loaded.places.value(step.span, "as"), name=name)


def _gives(resolved: Resolved, step: AnyStep) -> bool:
    match step:
        case EachStep() | RepeatStep():
            return step.give is not None or _has_give(step.steps)
        case ChooseStep():
            return any(branch.give is not None or _has_give(branch.steps) for branch in step.branches)
        case CallStep() if step.pages is not None:
            return step.pages.give is not None or _has_give(step.pages.steps)
        case UseStep():
            block = next((block for block in resolved.workflow.blocks if block.name == step.block), None)
            return block is None or block.give is not None or _has_give(block.steps)
    return True


def _has_give(steps: tuple[AnyStep, ...]) -> bool:
    return any(isinstance(step, GiveStep) for step in steps_inside(steps))
