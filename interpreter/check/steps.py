"""Steps: ids, steps that are never reached, what may not stand where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interpreter.check.paths import runs_at_once
from interpreter.diagnostics import Diagnostic, Related, Words, finding
from interpreter.model import (
    AnyStep,
    AskStep,
    Block,
    Choice,
    ChooseStep,
    ConfirmStep,
    Constant,
    EachStep,
    FailStep,
    GiveStep,
    MappingOf,
    MoveOnStep,
    UseStep,
    Value,
)
from interpreter.resolve import Resolved
from interpreter.source import Span
from interpreter.steps import all_steps, steps_inside, steps_with_blocks


def check_step_ids(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield ids that stand twice in a state or block. Errors: name/step-id-twice."""
    for state in resolved.workflow.states:
        yield from _ids(resolved, state.steps)
    for block in resolved.workflow.blocks:
        yield from _ids(resolved, block.steps)


def _ids(resolved: Resolved, steps: tuple[AnyStep, ...]) -> Iterator[Diagnostic]:
    seen: dict[str, Span] = {}
    for step in steps_inside(steps):
        if step.id is None:
            continue
        span = resolved.loaded.places.value(step.span, "id")
        if step.id in seen:
            related = [Related(seen[step.id], Words("第一次在这里", "first here"))]
            yield finding("name/step-id-twice", span, related=related, name=step.id)
        seen.setdefault(step.id, span)


def check_choices(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield choices that an answer cannot tell apart: one id, value or phrase of two that may both be offered.

    Errors: name/choice-twice, name/phrase-untypable.
    """
    for step in (visit.step for visit in resolved.visits):
        if isinstance(step, ConfirmStep):
            yield from _choices(step.choices)
            yield from _phrases(step.choices)
        elif isinstance(step, AskStep):
            for field in step.form:
                yield from _choices(field.choices)


def _choices(choices: tuple[Choice, ...]) -> Iterator[Diagnostic]:
    seen: dict[str, Choice] = {}
    for choice in choices:
        for text in filter(None, (choice.id, *sorted(_texts_of(choice.phrase)))):
            first = seen.setdefault(text, choice)
            if first is not choice and (first.when is None or choice.when is None):
                related = [Related(first.span, Words("第一次在这里", "first here"))]
                yield finding("name/choice-twice", choice.span, related=related, name=text)
                break


def _phrases(choices: tuple[Choice, ...]) -> Iterator[Diagnostic]:
    """Yield phrases that hold nothing to type, or are the number that another choice is shown with."""
    numbers = {str(number) for number, _ in enumerate((one for one in choices if one.phrase is None), start=1)}
    for choice in choices:
        for text in sorted(_texts_of(choice.phrase)):
            if not text.strip() or text.strip() in numbers:
                yield finding("name/phrase-untypable", choice.span, name=text)


def _texts_of(value: Value | None) -> set[str]:
    """Return what a written text says, in both languages where there are two; nothing of one with holes."""
    if isinstance(value, Constant):
        return {value.value} if isinstance(value.value, str) else set()
    entries = value.entries if isinstance(value, MappingOf) else ()
    return {text for _, inner, _ in entries for text in _texts_of(inner)}


def check_reached(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield steps and branches that come after an unconditional leave.

    Errors: flow/never-reached, flow/branch-never-taken.
    """
    for visit in resolved.visits:
        index = next(number for number, step in enumerate(visit.siblings) if step is visit.step)
        above = visit.siblings[index - 1] if index else None
        if above is not None and above.when is None and isinstance(above, GiveStep | MoveOnStep | FailStep):
            yield finding("flow/never-reached", visit.step.span, verb=_verb(above))
        if isinstance(visit.step, ChooseStep):
            yield from _branches(visit.step)


def _verb(step: AnyStep) -> str:
    return "give" if isinstance(step, GiveStep) else "move_on" if isinstance(step, MoveOnStep) else "fail"


def _branches(step: ChooseStep) -> Iterator[Diagnostic]:
    for above, branch in zip(step.branches, step.branches[1:], strict=False):
        if above.when is None:
            yield finding("flow/branch-never-taken", branch.span)
            return


def check_places_of_steps(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield questions in loops that run at once, those of what is used there too, and `move_on` in blocks.

    Errors: flow/question-at-once, flow/move-on-in-block.
    """
    for visit in resolved.visits:
        at_once = any(isinstance(step, EachStep) and runs_at_once(step) for step in visit.around)
        if at_once and _asks(resolved, visit.step):
            yield finding("flow/question-at-once", visit.step.verb_span)
        if isinstance(visit.owner, Block) and isinstance(visit.step, MoveOnStep):
            yield finding("flow/move-on-in-block", visit.step.verb_span)


def _asks(resolved: Resolved, step: AnyStep) -> bool:
    """Say whether a step is a question, or uses a block or workflow that asks one, however far inside."""
    if not isinstance(step, ConfirmStep | AskStep | UseStep):
        return False
    blocks = {block.name: block for block in resolved.workflow.blocks}
    waiting: list[Iterable[AnyStep]] = [steps_with_blocks((step,), blocks)]
    seen: set[str] = set()
    while waiting:
        for inner in waiting.pop():
            if isinstance(inner, ConfirmStep | AskStep):
                return True
            workflow = resolved.documents.workflows.get(inner.block) if isinstance(inner, UseStep) else None
            if workflow is not None and workflow.name not in seen:
                seen.add(workflow.name)
                waiting.append(all_steps(workflow))
    return False
