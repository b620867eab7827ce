"""The graph of a workflow: which state may follow which, and by what."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from interpreter.model import AnyStep, AskStep, ConfirmStep, Endings, FailStep, State, Workflow
from interpreter.parse import Places
from interpreter.source import Span
from interpreter.steps import steps_with_blocks
from rules.records import record

END = "end"


@record
class Road:
    """One way from a state to another, or to `end`.

    Shapes: `asks` says that a person was asked on the way; `bounded` that it may be taken so many times only.
    """

    origin: str
    to: str
    span: Span
    asks: bool
    bounded: bool


@record
class Graph:
    """`first` is None for a workflow without states; `ends` are the states in which a run may end."""

    first: str | None
    roads: Mapping[str, tuple[Road, ...]]
    ends: frozenset[str]

    def all_roads(self) -> Iterator[Road]:
        for roads in self.roads.values():
            yield from roads


def graph_of(workflow: Workflow, places: Places) -> Graph:
    """Return the graph: transitions, choices and endings of questions, `when_cancelled`; blocks looked into."""
    blocks = {block.name: block for block in workflow.blocks}
    roads: dict[str, tuple[Road, ...]] = {}
    ends = set()
    for state in workflow.states:
        steps = list(steps_with_blocks(state.steps, blocks))
        roads[state.name] = tuple(_roads(workflow, state, steps, places))
        may_fail = any(isinstance(step, FailStep) for step in steps)
        if not state.next or may_fail or any(road.to == END for road in roads[state.name]):
            ends.add(state.name)
    first = workflow.states[0].name if workflow.states else None
    return Graph(first, roads, frozenset(ends))


def _roads(workflow: Workflow, state: State, steps: list[AnyStep], places: Places) -> Iterator[Road]:
    questions = [step for step in steps if isinstance(step, ConfirmStep | AskStep)]
    asks = bool(questions)
    for transition in state.next:
        bounded = transition.at_most is not None
        yield Road(state.name, transition.to, transition.to_span, asks, bounded)
    for question in questions:
        for to, span in _targets_of(question, workflow.questions, places):
            yield Road(state.name, to, span, True, False)
    if state.when_cancelled is not None:
        yield Road(state.name, state.when_cancelled[0], state.when_cancelled[1], True, True)


def _targets_of(question: ConfirmStep | AskStep, defaults: Endings, places: Places) -> Iterator[tuple[str, Span]]:
    if isinstance(question, ConfirmStep):
        for choice in question.choices:
            if choice.to is not None:
                yield choice.to, places.value(choice.span, "to")
    for word in ("refused", "timed_out", "abandoned"):
        own: str | None = getattr(question.endings, word)
        to = own if own is not None else getattr(defaults, word)
        if to is not None and to not in ("block", "go_on"):
            yield to, places.value(question.span, word, "to") if own is not None else question.name_span


def reachable(graph: Graph, start: str) -> set[str]:
    """Return the states that can be reached from one, itself included."""
    onward = {name: [road.to for road in roads] for name, roads in graph.roads.items()}
    return _spread(onward, [start])


def leading_to_ends(graph: Graph) -> set[str]:
    """Return the states from which a run can come to an end."""
    back: dict[str, list[str]] = {name: [] for name in graph.roads}
    for road in graph.all_roads():
        if road.to in back:
            back[road.to].append(road.origin)
    return _spread(back, graph.ends)


def _spread(onward: Mapping[str, Iterable[str]], starts: Iterable[str]) -> set[str]:
    waiting = list(starts)
    found = set(waiting)
    while waiting:
        for name in onward[waiting.pop()]:
            if name in onward and name not in found:
                found.add(name)
                waiting.append(name)
    return found


def cycles(roads: Iterable[Road]) -> Iterator[tuple[Road, ...]]:
    """Yield shortest cycles of these roads, until every state that stands in one has been in one of them."""
    by_origin = _on_cycles(roads)
    covered: set[str] = set()
    for origin in by_origin:
        if origin in covered:
            continue
        found = _shortest_back(by_origin, origin)
        if found:
            covered.update(road.origin for road in found)
            yield found


def _on_cycles(roads: Iterable[Road]) -> dict[str, list[Road]]:
    """Return the roads by their origin, without those that lead nowhere in the end: no cycle takes them."""
    by_origin: dict[str, list[Road]] = {}
    into: dict[str, list[str]] = {}
    for road in roads:
        by_origin.setdefault(road.origin, []).append(road)
        into.setdefault(road.to, []).append(road.origin)
    left = {origin: len(found) for origin, found in by_origin.items()}
    waiting = [name for name in into if name not in left]
    while waiting:
        for origin in into.get(waiting.pop(), ()):
            left[origin] -= 1
            if not left[origin]:
                waiting.append(origin)
    return {origin: found for origin, found in by_origin.items() if left[origin]}


def _shortest_back(by_origin: Mapping[str, list[Road]], start: str) -> tuple[Road, ...]:
    """Return the shortest way from a state back to itself, () where there is none."""
    taken: dict[str, Road] = {}
    waiting = deque([start])
    while waiting and start not in taken:
        for road in by_origin.get(waiting.popleft(), ()):
            if road.to not in taken:
                taken[road.to] = road
                waiting.append(road.to)
    way = [taken[start]] if start in taken else []
    while way and way[-1].origin != start:
        way.append(taken[way[-1].origin])
    return tuple(reversed(way))
