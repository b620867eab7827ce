"""What a run holds beside its data: marks that stay as they were taken, and nothing that waits to be collected."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

from interpreter.adapters.clock import ManualClock
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.diagnostics import has_errors
from interpreter.documents.loading import load_workflow
from interpreter.documents.reading import Recorded
from interpreter.engine.budgets import Budgets
from interpreter.engine.core import Core
from interpreter.engine.data import Names
from interpreter.engine.machine import walk
from interpreter.engine.made import Made, UnknownWrites
from interpreter.engine.monitor import Monitor
from interpreter.engine.program import BudgetPlan, GuaranteePlan, Program, SelectorPlan, Where
from interpreter.plan import plan_workflow
from interpreter.ports import Blocked, JsonObject, Request, ToolFailure
from rules.records import replace
from rules.values import dumps, loads
from tests.contracts.durable_kit import Nobody
from tests.contracts.world_kit import Scripted
from tests.unit.run_kit import SHARED

ITEM = '{call: box.look, with: {id: "{{ row }}"}, as: found, otherwise: none}'
HEAD = """\
workflow: many
version: 1.0.0
title: Many
effect: read
uses: {tools: [box]}
inputs: {rows: {type: array, items: {type: string}}}
"""
LOOPS = {
    "at once": f"{{each: row, in: rows, at_once: 4, do: [{ITEM}]}}",
    "at once in a block": "{each: row, in: rows, at_once: all, do: [{use: inner, with: {row: '{{ row }}'}}]}",
    "in order in a block": "{each: row, in: rows, do: [{use: inner, with: {row: '{{ row }}'}}]}",
}


def program_of(loop: str, outputs: str = "") -> Program:
    block = f"blocks: {{inner: {{takes: {{row: {{type: string}}}}, steps: [{ITEM}]}}}}\n" if "use:" in loop else ""
    states = f"states: {{A: {{title: A, tools: [box.look], steps: [{loop}], next: [{{to: end}}]}}}}\n"
    return planned(HEAD + outputs + block + states)


def planned(text: str) -> Program:
    tools = (SHARED / "tools" / "box.yaml").read_text(encoding="utf-8")
    documents, findings = load_workflow("many.yaml", Recorded({"many.yaml": text, "tools/box.yaml": tools}))
    assert documents is not None
    assert not has_errors(findings), [one.message.en for one in findings]
    return plan_workflow(documents)


def core_of(program: Program, items: int) -> Core:
    run = EmbeddedRun(MemoryJournal(), Scripted(lambda request: {"title": "x"}), Nobody(), ManualClock())
    inputs = {"rows": [str(number) for number in range(items)]}
    return Core(program, run, run_id="r", started_at="", timezone="UTC", language="en", inputs=inputs)


def left_over(program: Program, items: int) -> int:
    """Return how many objects of a run are left that hold each other, once it has ended."""
    core = core_of(program, items)
    gc.collect()
    gc.disable()
    try:
        assert drive(walk(core)).status == "completed"
        return gc.collect()
    finally:
        gc.enable()


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_an_item_that_ended_leaves_nothing_for_the_garbage_collector(loop: str) -> None:
    program = program_of(loop)
    left_over(program, 1)  # what is made when a step is walked for the first time
    assert left_over(program, 50) == left_over(program, 5)


def test_an_output_is_computed_once_at_the_end() -> None:
    asked: list[str] = []

    def say(names: Names) -> str:
        asked.append("said")
        return "x"

    program = program_of(LOOPS["at once"], "outputs: {said: {type: string, value: x}}\n")
    program = replace(program, outputs=tuple(replace(one, value=say) for one in program.outputs))
    core = core_of(program, 1)
    assert drive(walk(core)).status == "completed"
    assert core.outputs() == {"said": "x"}
    assert asked == ["said"]


CIRCLE = """\
workflow: many
version: 1.0.0
title: Many
effect: read
uses: {tools: [box]}
data: {titles: {type: array, items: {type: string}, default: []}}
states:
  A:
    title: A
    tools: [box.look]
    steps:
      - {call: box.look, with: {id: "n{{ titles | count }}"}, as: found}
      - {collect: titles, item: "{{ found.title }}"}
    next:
      - {when: titles | count < 5, to: A, at_most: 10}
      - {to: end}
"""


def test_a_list_that_grows_from_visit_to_visit_is_not_copied_for_each() -> None:
    lists: list[object] = []

    def look(request: Request) -> JsonObject:
        lists.append(core.names["titles"])
        return {"title": request.arguments["id"]}

    core, _ = begun(planned(CIRCLE), look, keeps_entry=False)
    assert drive(walk(core)).status == "completed"
    assert core.names["titles"] == ["n0", "n1", "n2", "n3", "n4"]
    assert {id(one) for one in lists[1:]} == {id(core.names["titles"])}


# --- marks ------------------------------------------------------------------------------------------------------------


def test_what_budgets_say_of_themselves_stays_as_it_was_said() -> None:
    budgets = Budgets((BudgetPlan("calls", ("box.*",), None, lambda names: 3, "block"),))
    begun = budgets.as_json()
    for place in budgets.places("box.look", {}):
        budgets.take(place)
    called = budgets.as_json()
    budgets.add({"calls": 2})
    granted = budgets.as_json()
    assert [len(one["used"]) for one in (begun, called, granted)] == [0, 1, 1]
    assert [one["added"] for one in (begun, called, granted)] == [{}, {}, {"calls": 2}]
    assert budgets.left("calls", {}) == 4
    budgets.restore(begun)
    assert budgets.as_json() == begun


def guarantee(kind: str, subject: SelectorPlan, other: SelectorPlan) -> GuaranteePlan:
    return GuaranteePlan("g", kind, subject, other, None, frozenset(), None, frozenset(), None, Where("", 1, 1, 1, 1))


def test_what_a_monitor_says_of_itself_stays_as_it_was_said() -> None:
    look, send = (SelectorPlan("call", frozenset({name})) for name in ("box.look", "box.send"))
    monitor = Monitor((guarantee("comes_after", send, look),), lambda question: True)
    begun = monitor.as_json()
    assert monitor.event("call", "box.task", "A", {}) is None  # nobody speaks of it
    assert monitor.event("call", "box.send", "A", {}) is not None  # nobody has looked
    assert monitor.event("call", "box.look", "A", {}) is None
    looked = monitor.as_json()
    assert monitor.event("call", "box.send", "A", {}) is None
    assert (begun["seen"], looked["seen"]) == ([], ["g"])
    monitor.restore(begun)
    assert monitor.event("call", "box.send", "A", {}) is not None
    monitor.restore(looked)
    assert monitor.event("call", "box.send", "A", {}) is None


# --- going on under edited documents ----------------------------------------------------------------------------------

WRITES = """\
      - each: id
        in: "['done', 'lost', 'refused']"
        do:
          - call: box.send
            with: {id: "{{ id }}"}
            once_per_run: true
            accept: [{rule: has_place, that: answer.place is present}]
        outcomes: results
"""
EDITED = f"""\
workflow: many
version: 1.0.0
title: Many
effect: write
uses: {{tools: [box]}}
writes_without_confirmation: test
states:
  FIRST:
    tools: [box.send]
    steps:
{WRITES}
    next: [{{to: LATER}}]
  LATER:
    tools: [box.look, box.send]
    steps:
      - {{call: box.look, with: {{id: a}}, as: seen}}
{WRITES}
"""


def begun(
    program: Program, answer: Callable[[Request], JsonObject], *, keeps_entry: bool = True
) -> tuple[Core, Scripted]:
    """Return a run at its beginning, and its tools."""
    tools = Scripted(answer)
    run = EmbeddedRun(
        MemoryJournal(),
        tools,
        Nobody(),
        ManualClock(),
        settle_answer=lambda request, found: program.contracts[request.tool].interpret(request, found),
        settle_failure=lambda request, failed: {
            "ok": False,
            "error": program.contracts[request.tool].error(failed.code, failed.message),
        },
    )
    core = Core(
        program, run, run_id="r", started_at="", timezone="UTC", language="en", inputs={}, keeps_entry=keeps_entry
    )
    return core, tools


def test_writes_that_are_made_once_are_still_known_when_a_run_goes_on_under_an_edit() -> None:
    program = planned(EDITED)
    is_mended = False

    def answer(request: Request) -> JsonObject:
        if not is_mended and request.arguments["id"] in ("a", "refused"):
            raise ToolFailure("forbidden", "")
        if request.tool == "box.list":
            return {"items": [], "more": False}
        return {"id": "a"} if not is_mended and request.arguments["id"] == "lost" else {"id": "a", "place": "here"}

    core, _ = begun(program, answer)
    with pytest.raises(Blocked):
        drive(walk(core))
    snapshot = loads(dumps(core.snapshot()))
    is_mended = True
    core, tools = begun(program, answer)
    core.restore(snapshot)
    drive(walk(core, snapshot["state"]))
    assert [(one.tool, *one.arguments.values()) for one in tools.calls] == [
        ("box.look", "a"),
        ("box.list", "lost"),
        ("box.send", "lost"),
        ("box.send", "refused"),
    ]


LOOKED_UP = """\
workflow: many
version: 1.0.0
title: Many
effect: write
uses: {tools: [box]}
writes_without_confirmation: test
states:
  FIRST:
    tools: [box.send]
    steps:
      - {call: box.send, with: {id: there}, outcome: one, accept: [{rule: has_place, that: answer.place is present}]}
      - {call: box.send, with: {id: gone}, outcome: two, accept: [{rule: has_place, that: answer.place is present}]}
    next: [{to: LATER}]
  LATER:
    tools: [box.look, box.send]
    steps:
      - {call: box.send, with: {id: there}, as: one}
      - {call: box.look, with: {id: a}, as: seen}
      - {call: box.send, with: {id: gone}, as: two}
"""


def test_what_a_look_up_told_is_asked_anew_when_the_run_goes_on_under_an_edit() -> None:
    program = planned(LOOKED_UP)
    is_mended = False

    def answer(request: Request) -> JsonObject:
        if request.tool == "box.list":
            found = [{"id": "there"}] if request.arguments["query"] == "there" else []
            return {"items": found, "more": False}
        if request.tool == "box.look" and not is_mended:
            raise ToolFailure("forbidden", "")
        return {"id": "a"}

    core, _ = begun(program, answer)
    with pytest.raises(Blocked):
        drive(walk(core))
    snapshot = loads(dumps(core.snapshot()))
    is_mended = True
    core, tools = begun(program, answer)
    core.restore(snapshot)
    assert drive(walk(core, snapshot["state"])).status == "completed"
    assert [(one.tool, *one.arguments.values()) for one in tools.calls] == [
        ("box.list", "there"),
        ("box.look", "a"),
        ("box.list", "gone"),
        ("box.send", "gone"),
    ]


def left_unknown(name: str, *, happened: str = "perhaps") -> Made:
    error = {"code": "lost", "kind": "timed_out", "happened": happened}
    outcome = {"ok": False, "status": "failed", "error": error, "attempts": [], "sent": {"id": name}}
    return Made(is_write=True, first_key=name, outcome=outcome)


def test_unknown_writes_are_kept_by_what_was_asked_for_and_what_was_sent_until_somebody_knows() -> None:
    writes = UnknownWrites()
    made = left_unknown("mended")
    writes.note("box.send", {"id": "asked"}, made, None)
    writes.note("box.send", {"id": "refused"}, left_unknown("refused", happened="never"), None)
    again = UnknownWrites()
    again.restore(loads(dumps(writes.as_json())))
    for one in (writes, again):
        found = {id: one.find("box.send", {"id": id}) for id in ("asked", "mended", "refused")}
        assert {id: left.first_key for id, left in found.items() if left} == {"asked": "mended", "mended": "mended"}
        assert one.find("box.put", {"id": "asked"}) is None
    writes.note("box.send", {"id": "asked"}, left_unknown("asked", happened="never"), made)
    assert writes.as_json() == []


def test_what_bodies_at_once_leave_unknown_is_unknown_whoever_else_knows_of_it() -> None:
    writes = UnknownWrites()
    before = left_unknown("before")
    writes.note("box.send", {"id": "before"}, before, None)
    bodies = [writes.apart(), writes.apart(), writes.apart().apart()]
    again = left_unknown("before")
    bodies[0].note("box.send", {"id": "before"}, again, before)
    bodies[1].note("box.send", {"id": "before"}, left_unknown("before", happened="never"), before)
    bodies[2].note("box.send", {"id": "later"}, left_unknown("later"), None)
    assert [body.find("box.send", {"id": "before"}) for body in bodies] == [again, None, before]
    assert all(body.before_loop is writes for body in bodies)
    writes.take_over(bodies)
    assert writes.find("box.send", {"id": "before"}) is again
    assert writes.find("box.send", {"id": "later"}) is not None


@pytest.mark.parametrize("state", ["A", "B"])
def test_a_guarantee_over_a_state_hears_of_that_state_alone(state: str) -> None:
    look = SelectorPlan("call", frozenset({"box.look"}), frozenset({"A"}))
    send = SelectorPlan("call", frozenset({"box.send"}))
    monitor = Monitor((guarantee("comes_after", send, look),), lambda question: True)
    assert monitor.event("call", "box.look", state, {}) is None
    assert (monitor.event("call", "box.send", state, {}) is None) == (state == "A")
