"""The graph of states: what is reached, what comes to an end, and which states go round."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from interpreter.flow.graph import Graph, Road, cycles, leading_to_ends, reachable
from interpreter.source import Source, Span

NAMES = ("A", "B", "C", "D", "E", "F")
NOWHERE = Span(Source("x.yaml", ""), 0, 0)
roads = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from((*NAMES, "end"))), max_size=12, unique=True)


def _graph(drawn: list[tuple[str, str]]) -> Graph:
    made = [Road(origin, to, NOWHERE, False, False) for origin, to in drawn]
    ends = frozenset(road.origin for road in made if road.to == "end")
    return Graph("A", {name: tuple(road for road in made if road.origin == name) for name in NAMES}, ends)


def _behind(graph: Graph, start: str) -> set[str]:
    """Return what can be reached by one road or more, looked for as plainly as can be."""
    found: set[str] = set()
    for _ in NAMES:
        found |= {road.to for name in (start, *found) for road in graph.roads.get(name, ())}
    return found - {"end"}


@given(roads)
def test_what_is_reached_and_what_ends_is_what_plain_search_finds(drawn: list[tuple[str, str]]) -> None:
    graph = _graph(drawn)
    assert reachable(graph, "A") == {"A"} | _behind(graph, "A")
    assert leading_to_ends(graph) == {name for name in NAMES if ({name} | _behind(graph, name)) & graph.ends}


@given(roads)
def test_every_state_that_goes_round_stands_in_a_cycle_that_is_one(drawn: list[tuple[str, str]]) -> None:
    graph = _graph(drawn)
    found = list(cycles(graph.all_roads()))
    for way in found:
        assert [road.to for road in way] == [road.origin for road in (*way[1:], way[0])]
        assert len({road.origin for road in way}) == len(way)
    standing = {road.origin for way in found for road in way}
    assert standing == {name for name in NAMES if name in _behind(graph, name)}
