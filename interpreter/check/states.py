"""States and transitions: targets that exist, states that are reached and can end, roads that can be taken."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.flow.graph import END, graph_of, leading_to_ends, reachable
from interpreter.model import State, Transition
from interpreter.resolve import Resolved
from interpreter.source import Span


def check_state_names(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield states that no road can lead to, because their name means the end of the run. Errors: name/reserved."""
    for state in resolved.workflow.states:
        if state.name == END:
            yield finding("name/reserved", state.name_span, name=state.name)


def check_state_targets(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield states that are named and do not exist. Errors: name/unknown-state."""
    graph = graph_of(resolved.workflow, resolved.loaded.places)
    seen: set[tuple[str, Span]] = set()
    for road in graph.all_roads():
        if road.to not in graph.roads and road.to != END and (road.to, road.span) not in seen:
            seen.add((road.to, road.span))
            yield from unknown_state(resolved, road.to, road.span)


def unknown_state(resolved: Resolved, name: str, span: Span) -> Iterator[Diagnostic]:
    names = [state.name for state in resolved.workflow.states]
    if name and name not in names and name not in resolved.loaded.doubtful:
        yield finding("name/unknown-state", span, hint=did_you_mean(name, [*names, END]), name=name)


def check_reachable(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield states that no road leads to, or from which no road leads to an end.

    Errors: flow/unreachable-state, flow/no-way-to-end; none where a road leads to an unknown state.
    """
    graph = graph_of(resolved.workflow, resolved.loaded.places)
    known = {*graph.roads, END}
    if graph.first is None or not resolved.is_whole or any(road.to not in known for road in graph.all_roads()):
        return
    reached, ending = reachable(graph, graph.first), leading_to_ends(graph)
    for state in resolved.workflow.states:
        if state.name not in reached:
            yield finding("flow/unreachable-state", state.name_span, name=state.name)
        elif state.name not in ending:
            yield finding("flow/no-way-to-end", state.name_span, name=state.name)


def check_transitions(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield transitions that are never taken, and states that may have none to take.

    Errors: flow/never-taken, flow/never-holds, flow/no-transition-may-hold.
    """
    for state in resolved.workflow.states:
        yield from _after_unconditional(state)
        yield from _never_holding(state)
        yield from _all_conditional(state)


def _after_unconditional(state: State) -> Iterator[Diagnostic]:
    for above, road in zip(state.next, state.next[1:], strict=False):
        if _always(above):
            yield finding("flow/never-taken", road.span)
            return


def _never_holding(state: State) -> Iterator[Diagnostic]:
    for road in state.next:
        if road.when is not None and road.when.expression.constant is False:
            yield finding("flow/never-holds", road.when.place.span)


def _all_conditional(state: State) -> Iterator[Diagnostic]:
    if not state.next or any(_holds(road) for road in state.next):
        return
    if len(state.next) > 1 and _opposite(state.next[-2], state.next[-1]):
        return
    yield finding("flow/no-transition-may-hold", state.next[-1].span)


def _always(road: Transition) -> bool:
    return road.at_most is None and _holds(road)


def _holds(road: Transition) -> bool:
    return road.when is None or road.when.expression.constant is True


def _opposite(first: Transition, second: Transition) -> bool:
    """Whether two conditions are each other's `not`, as far as their text tells."""
    if first.when is None or second.when is None:
        return False
    one, other = first.when.expression.text.strip(), second.when.expression.text.strip()
    return other in (f"not {one}", f"not ({one})") or one in (f"not {other}", f"not ({other})")
