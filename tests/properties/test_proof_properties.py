"""What the linter proves holds in every run: random small workflows, random answers, the run-time watch as the judge.

The proof and the watch share nothing but the model: one looks at every way before anything runs, the other at the
events of one run. Where the watch stops a run, the proof has to have shown a way that breaks the same guarantee.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.adapters.clock import ManualClock
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.check.proofs import prove
from interpreter.diagnostics import has_errors
from interpreter.documents.loading import Documents, load_workflow
from interpreter.documents.reading import Recorded
from interpreter.engine.core import Core
from interpreter.engine.machine import Ended, walk
from interpreter.plan import plan_workflow
from interpreter.ports import Answer, JsonObject, Request, Stop, ToolFailure
from interpreter.resolve import resolve
from tests.draws import draws
from tests.unit.run_kit import SHARED

TOOL_DOCUMENT = (SHARED / "tools" / "box.yaml").read_text(encoding="utf-8")
STATES = ("ONE", "TWO", "THREE")
WORDS = {"done": "done", "next": "on", "writes": False}


def _step(kind: str, number: int, inner: list[JsonObject]) -> JsonObject:
    match kind:
        case "look":
            return {"call": "box.look", "with": {"id": "a"}, "otherwise": {}, "as": f"x{number}"}
        case "list":
            return {"call": "box.list", "with": {"query": "a"}, "otherwise": {}, "as": f"x{number}"}
        case "go" | "sure":
            choices = [{"id": "agree", "confirms": True}, {"id": "leave"}, {"id": "away", "to": "THREE"}]
            return {"confirm": kind, "shows": "n" if kind == "go" else "rows", "text": WORDS, "choices": choices}
        case "count":
            return {"set": {"n": "{{ n + 1 }}"}}
        case "mark":
            return {"id": f"mark{number}", "set": {"rows": "{{ rows + [n] }}"}}
        case "flag":
            return {"set": {"flag": "{{ n > 1 }}"}}
        case "empty":
            return {"set": {"rows": []}}
        case "each":
            return {"each": f"r{number}", "in": "[1, 2]", "do": inner}
        case "kept":
            fails = {"fail": {"code": "odd", "message": "odd"}, "when": f"r{number} == 1"}
            return {"each": f"r{number}", "in": "[1, 2]", "do": [fails, *inner], "outcomes": f"o{number}"}
        case "repeat":
            rounds = 2 if number % 20 else "{{ n % 3 }}"
            return {"repeat": f"r{number}", "at_most": rounds, "until": "n > 2", "otherwise": "go_on", "do": inner}
        case "choose":
            return {"choose": [{"when": "n % 2 == 0", "do": inner}, {"do": [{"set": {"n": "{{ n + 1 }}"}}]}]}
        case "agreed":
            return {"choose": [{"when": "go.choice | default('') == 'agree'", "do": inner}]}
    raise AssertionError(kind)


SIMPLE = ("look", "list", "go", "sure", "count", "mark", "flag", "empty")
NESTED = ("each", "kept", "repeat", "choose", "agreed")
CONDITIONS = (
    None,
    "n % 2 == 0",
    "n > 1",
    "rows != [] and not flag",
    "go.choice | default('') == 'agree'",
    "sure.ending | default('') == 'refused'",
)

HELD = (
    "n > 1",
    "rows == []",
    "n == 0",
    "not flag",
    "flag and rows == []",
    "(rows | count) > 1 and n > 1",
    "not (n <= 1 or rows != [])",
    "n in [1, 2] or flag",
)

steps = st.lists(
    st.tuples(
        st.sampled_from(SIMPLE + NESTED),
        st.lists(st.sampled_from(("look", "list", "count", "mark", "flag", "empty")), min_size=1, max_size=2),
        st.sampled_from(CONDITIONS),
    ),
    max_size=3,
)
roads = st.lists(
    st.tuples(
        st.sampled_from((*STATES, "end")), st.sampled_from(CONDITIONS), st.sampled_from((None, "agreed", "some", "few"))
    ),
    max_size=2,
)
selectors = st.sampled_from(
    [
        *({"state": name} for name in STATES),
        {"call": "box.look"},
        {"call": "box.list", "in": "TWO"},
        {"call": {"effect": ["read"]}},
        {"gate": "some"},
        {"gate": "agreed"},
    ]
)
others = st.one_of(selectors, st.sampled_from([{"confirm": "go"}, {"confirm": "sure"}]))
guarantees = st.one_of(
    st.builds(lambda x, y: {"every": x, "comes_after": y}, selectors, others),
    st.builds(lambda x, y, z: {"every": x, "comes_after": y, "since": z}, selectors, others, selectors),
    st.builds(lambda x, y: {"never": x, "directly_after": y}, selectors, selectors),
    st.builds(lambda x, y: {"every": x, "is_followed_by": y}, selectors, selectors),
    st.builds(lambda x, s: {"every": x, "only_in": s}, selectors, st.lists(st.sampled_from(STATES), min_size=1)),
    st.builds(lambda x, c: {"never": x, "while": c}, selectors, st.sampled_from(HELD)),
)


def _document(drawn: list[Any], promised: list[JsonObject]) -> str:
    number = 0
    states: JsonObject = {}
    is_asked = any(kind == "go" for body, _, _ in drawn for kind, _, _ in body)
    for name, (body, onward, enter) in zip(STATES, drawn, strict=True):
        listed = []
        for kind, inner, when in body:
            number += 10
            inside = [_step(one, number + place, []) for place, one in enumerate(inner, start=1)]
            step = _step(kind, number, inside)
            listed.append(step | ({"when": when} if when else {}))
        following = [
            {"to": to, "at_most": 2}
            | ({"when": when} if when else {})
            | ({"gates": [_gate(gate, is_asked)]} if gate else {})
            for to, when, gate in onward
        ]
        states[name] = {"tools": ["box.look", "box.list"], "steps": listed, "next": [*following, {"to": "end"}]}
        if enter:
            states[name]["enter"] = [_gate(enter, is_asked)]
    text = {
        "workflow": "random",
        "version": "1.0.0",
        "title": "Random",
        "effect": "read",
        "uses": {"tools": ["box"]},
        "questions": {"wait": "7d", "abandoned": "go_on", "timed_out": {"to": "TWO"}},
        "data": {
            "n": {"type": "integer", "default": 0},
            "rows": {"type": "array", "default": []},
            "flag": {"type": "boolean", "default": False},
        },
        "gates": {
            **({"agreed": [{"confirmed": "go", "message": "not confirmed"}]} if is_asked else {}),
            "few": [{"that": "not (flag and rows == []) and (n <= 1 or rows != [])", "message": "many"}],
            "some": [{"that": "n >= 0", "message": "few"}, {"waivable": True}],
        },
        "guarantees": [{"id": f"g{place}", **one} for place, one in enumerate(promised)],
        "states": states,
    }
    return "\n".join(f"{name}: {json.dumps(value)}" for name, value in text.items())


def _gate(name: str, is_asked: bool) -> str:
    """A gate can ask only for a confirmation that there is."""
    return name if is_asked or name == "few" else "some"


def _loaded(document: str) -> Documents:
    texts = {"random.yaml": document, "tools/box.yaml": TOOL_DOCUMENT}
    documents, findings = load_workflow("random.yaml", Recorded(texts))
    assert documents is not None
    assert not has_errors(findings), [one.message.en for one in findings]
    return documents


class Answering:
    """People and tools that follow a list of drawn numbers, and then always the same."""

    def __init__(self, drawn: list[int]) -> None:
        self._drawn = iter(drawn)

    def ask(self, question: Any, check: Any) -> Answer | None:
        number = next(self._drawn, 0) % 5
        at = {"at": "2024-01-01T00:00:00.000Z", "who": "me", "through": "terminal"}
        if number >= 3:
            return Answer(("refused", "abandoned")[number - 3], {}, **at)  # type: ignore[arg-type]
        return Answer("answered", {"choice": ("agree", "leave", "away")[number]}, **at)

    def show(self, message: Any) -> None: ...

    def show_progress(self, state: str, text: Any) -> None: ...

    def show_live(self, state: str, render: Any) -> None: ...

    def has(self, tool: str) -> bool:
        return True

    def identities(self) -> dict[str, str]:
        return {}

    def invoke(self, request: Request, cancelled: Any) -> Any:
        if next(self._drawn, 0) % 4 == 3:
            raise ToolFailure("forbidden", "")
        return {"items": [], "more": False} if request.tool == "box.list" else {"id": "a", "title": "t"}


def _walked(documents: Documents, drawn: list[int]) -> Ended | None:
    both = Answering(drawn)
    run = EmbeddedRun(MemoryJournal(), both, both, ManualClock("2024-01-01T00:00:00.000Z"))
    core = Core(
        plan_workflow(documents),
        run,
        run_id="r",
        started_at="2024-01-01T00:00:00.000Z",
        timezone="UTC",
        language="en",
        inputs={},
    )
    try:
        ended: Ended = drive(walk(core))
    except Stop:
        return None
    return ended


@settings(max_examples=draws(180), deadline=None)
@given(
    st.tuples(*(st.tuples(steps, roads, st.sampled_from((None, None, "agreed", "some", "few"))) for _ in STATES)),
    st.lists(guarantees, min_size=1, max_size=3),
    st.lists(st.lists(st.integers(0, 59), max_size=12), min_size=1, max_size=6),
)
def test_a_run_never_breaks_what_was_proved(drawn: Any, promised: list[JsonObject], answers: list[list[int]]) -> None:
    documents = _loaded(_document(list(drawn), promised))
    verdicts = {proof.id: proof.verdict for proof in prove(resolve(documents))}
    for one in answers:
        ended = _walked(documents, one)
        if ended is not None and ended.finding is not None and ended.finding["code"] == "run/guarantee-violated":
            assert verdicts[ended.finding["facts"]["guarantee"]] in ("broken", "watched")
