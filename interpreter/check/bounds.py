"""Nothing runs for ever: cycles of states, recursion of blocks, waits for a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from interpreter.diagnostics import Diagnostic, Related, Words, finding
from interpreter.flow.graph import Road, cycles, graph_of
from interpreter.model import AskStep, ConfirmStep, Constant, MappingOf, Transition, UseStep
from interpreter.resolve import Resolved
from interpreter.source import Span
from interpreter.steps import steps_inside, steps_with_blocks
from rules.expr import Expression
from rules.values import CannotEvaluate


def check_cycles(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield cycles of states that neither pass a question nor carry a bound. Errors: flow/cycle-without-bound."""
    graph = graph_of(resolved.workflow, resolved.loaded.places)
    free = [road for road in graph.all_roads() if not road.asks and not road.bounded]
    for way in cycles(free):
        yield finding("flow/cycle-without-bound", way[-1].span, road=_road(way))


def check_unattended_cycles(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield cycles on which every question has an `otherwise`: where nobody is there, none of them is a bound.

    Errors: flow/cycle-where-nobody-answers; none where what is answered otherwise leads out.
    """
    graph = graph_of(resolved.workflow, resolved.loaded.places)
    blocks = {block.name: block for block in resolved.workflow.blocks}
    free: list[Road] = []
    for state in resolved.workflow.states:
        steps = steps_with_blocks(state.steps, blocks)
        questions = [step for step in steps if isinstance(step, ConfirmStep | AskStep)]
        left_open = [one for one in questions if isinstance(one, AskStep) and one.otherwise is not None]
        if len(left_open) == len(questions):
            taken = {transition.to_span for transition in _taken_where(_known_of(left_open), state.next)}
            free += [road for road in graph.roads[state.name] if not road.bounded and road.span in taken]
    for way in cycles(free):
        if any(road.asks for road in way):
            yield finding("flow/cycle-where-nobody-answers", way[-1].span, road=_road(way))


def _known_of(questions: Iterable[AskStep]) -> dict[str, object]:
    """Return what can be read after questions that were answered otherwise, as far as it is written down."""
    known: dict[str, object] = {}
    for step in questions:
        if isinstance(step.otherwise, MappingOf):
            values = {name: value.value for name, value, _ in step.otherwise.entries if isinstance(value, Constant)}
            if len(values) == len(step.otherwise.entries):
                known |= {**values, step.name: {**values, "ending": "abandoned"}}
    return known


def _taken_where(known: Mapping[str, object], transitions: Iterable[Transition]) -> Iterator[Transition]:
    """Yield the transitions that may be taken where some names have these values."""
    for transition in transitions:
        holds = _holds(transition.when.expression, known) if transition.when is not None else True
        if holds is not False:
            yield transition
        if holds is True:
            return


def _holds(condition: Expression, known: Mapping[str, object]) -> bool | None:
    """Return what a condition comes to; None where it reads something else as well."""
    if any(use.name not in known for use in condition.names):
        return None
    try:
        return condition.evaluate(dict(known)) is True
    except CannotEvaluate:
        return None


def _road(way: Sequence[Road]) -> str:
    return " → ".join([*(each.origin for each in way), way[-1].to])


def check_waits(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield the first question that may wait for ever, with the others: one line at the head bounds them all.

    Errors: flow/wait-without-bound.
    """
    doubtful = resolved.loaded.doubtful
    if resolved.workflow.questions.wait is not None or "questions" in doubtful or "wait" in doubtful:
        return
    unbounded = [step for step in resolved.questions() if step.endings.wait is None]
    if unbounded:
        first, *others = unbounded
        related = [Related(step.name_span, Words(f"问题 {step.name} 也是", f"so does {step.name}")) for step in others]
        yield finding("flow/wait-without-bound", first.name_span, related=related, name=first.name)


def check_recursion(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield blocks and workflows that use themselves, also through others. Errors: flow/recursion."""
    uses = {block.name: list(_used(block.steps)) for block in resolved.workflow.blocks}
    for name in uses:
        way = _way_back(uses, name)
        # Reported once, at the block that stands first in the document.
        if way and name == min(way, key=list(uses).index):
            span = next(span for used, span in uses[name] if used == way[1])
            yield finding("flow/recursion", span, road=" → ".join(way))
    yield from _workflows(resolved)


def _used(steps: object) -> Iterator[tuple[str, Span]]:
    for step in steps_inside(steps):  # type: ignore[arg-type]
        if isinstance(step, UseStep):
            yield step.block, step.block_span


def _way_back(uses: dict[str, list[tuple[str, Span]]], start: str) -> list[str]:
    waiting = [[start]]
    seen: set[str] = set()
    while waiting:
        way = waiting.pop(0)
        for name, _ in uses.get(way[-1], ()):
            if name == start:
                return [*way, name]
            if name not in seen:
                seen.add(name)
                waiting.append([*way, name])
    return []


def _workflows(resolved: Resolved) -> Iterator[Diagnostic]:
    main = resolved.workflow
    uses = {name: [each for each, _ in flow.uses.workflows] for name, flow in resolved.documents.workflows.items()}
    for name, span in main.uses.workflows:
        waiting, seen = [name], {name}
        while waiting:
            current = waiting.pop()
            if current == main.name:
                yield finding("flow/recursion", span, road=f"{main.name} → {name}")
                break
            fresh = [each for each in uses.get(current, []) if each not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
