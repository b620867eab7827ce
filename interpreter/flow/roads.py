"""Every way that a run of a workflow can take through its states and steps, as points and roads between them.

The events on the roads are those that the run-time watch is told of, in the same order: a state before its steps, a
call before it is made, a confirming answer, a step that is done, a gate that held. What data hold is not known here; a
`when` may go either way, and a loop may have any number of rounds. A road carries what the way over it tells all the
same: the condition that opened it, the confirmation that a gate asked for, the data that were changed.

A block stands in the graph once for each place that uses it. Where that grows beyond MOST_POINTS, nothing can be said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from interpreter.model import (
    AnyStep,
    AskStep,
    Block,
    CallStep,
    ChooseStep,
    CollectStep,
    ConfirmStep,
    Constant,
    EachStep,
    FailStep,
    Field,
    Gate,
    GiveStep,
    ListOf,
    MappingOf,
    MoveOnStep,
    NamedGate,
    Path,
    RepeatStep,
    SetStep,
    State,
    Text,
    UseStep,
    Value,
    Workflow,
    Written,
)
from interpreter.source import Span
from interpreter.static.giving import is_count
from interpreter.steps import steps_with_blocks
from rules.expr import tree
from rules.records import NamedTuple

if TYPE_CHECKING:
    from rules.gates import Gate as RuleGate

END = "end"
MOST_POINTS = 200_000


class Event(NamedTuple):
    """Something that a guarantee may talk about. `state` is where it happens."""

    kind: str
    name: str
    state: str


class Guard(NamedTuple):
    """A condition that came out so or so on the way."""

    node: tree.Node
    holds: bool


class Road(NamedTuple):
    """One way from a point to the next.

    Shapes: `event` happens on it; `guards` came out as they say; `needs` are questions whose confirmation still stands;
    `changes` are paths of data that are changed, `asks` questions that are put anew, both of which may void an answer,
    after the event; `sets` are names that are given a written value by that, `becomes` those that are given the value
    of an expression, and `behind` is what holds of the data when they are changed. `answer` is how a question ended:
    its name, the choice ('' for none) and the ending. `permitted_by` is the confirmation that a write names. `told`
    and `span` are what a person is told of the road, None for nothing: state, to, call, answer, step, gate-waived,
    cancelled or end, and a name.
    """

    to: int
    event: Event | None = None
    guards: tuple[Guard, ...] = ()
    needs: tuple[str, ...] = ()
    changes: tuple[tuple[str, ...], ...] = ()
    sets: tuple[tuple[str, object], ...] = ()
    becomes: tuple[tuple[str, tree.Node], ...] = ()
    behind: tuple[Guard, ...] = ()
    asks: tuple[str, ...] = ()
    answer: tuple[str, str, str] | None = None
    permitted_by: str = ""
    told: tuple[str, str] | None = None
    span: Span | None = None

    @property
    def is_quiet(self) -> bool:
        """Whether nothing happens on it, and nothing is told by it, that anybody could remember."""
        return not (
            self.event
            or self.guards
            or self.needs
            or self.changes
            or self.behind
            or self.asks
            or self.answer
            or self.permitted_by
        )


class Flow(NamedTuple):
    """Shapes: `roads` by point, `quiet` which of them are; `start` is where a run begins; at `end` it is completed.

    `ahead` is for each point the next one at which anything can happen or be chosen: two of three points are passed.
    """

    roads: list[list[Road]]
    quiet: list[list[bool]]
    ahead: list[int]
    start: int
    end: int


class TooLarge(Exception):
    """The blocks of a workflow, each where it is used, have more points than anybody wants to look at."""


def flow_of(
    workflow: Workflow,
    workflows: Mapping[str, Workflow],
    rule_gates: Mapping[str, RuleGate],
    counts: frozenset[str],
) -> Flow:
    """Return the ways through a workflow.

    Shapes: `rule_gates` are the gates of rule documents by `<document>.<gate>`; `counts` are the thresholds, written
    likewise, that are never below one.
    Errors: TooLarge.
    """
    return _Builder(workflow, workflows, rule_gates, counts).build()


class _Place(NamedTuple):
    """Where steps stand: the state, and the points to which its steps may jump.

    Shapes: `leave` is where the state's `next` begins; `given` where a handed out value leads; `caught` where a failure
    is kept, None where it is not; `loops` are the loop names over data with the path that they stand for.
    """

    state: State
    leave: int
    given: int
    caught: int | None
    loops: Mapping[str, tuple[str, ...]]


class _Builder:
    def __init__(
        self,
        workflow: Workflow,
        workflows: Mapping[str, Workflow],
        rule_gates: Mapping[str, RuleGate],
        counts: frozenset[str],
    ) -> None:
        self._workflow = workflow
        self._counts = counts
        self._workflows = workflows
        self._blocks: dict[str, Block] = {block.name: block for block in workflow.blocks}
        self._gates: dict[str, Gate] = {gate.name: gate for gate in workflow.gates}
        self._rule_gates = rule_gates
        self._states = {state.name: state for state in workflow.states}
        self._defaults = defaults_of(workflow)
        self._schemas = {declared.name: declared.schema for declared in workflow.data}
        self._named = {
            name
            for guarantee in workflow.guarantees
            for selector in (guarantee.subject, guarantee.other, guarantee.since)
            if selector is not None
            for name in selector.steps
        }
        self._roads: list[list[Road]] = []
        self._entries: dict[str, int] = {}
        self._end = self._point()

    def build(self) -> Flow:
        start = self._point()
        for state in self._workflow.states:
            self._entries[state.name] = self._point()
        for state in self._workflow.states:
            self._state(state)
        if self._workflow.states:
            first = self._workflow.states[0]
            entered = self._through(first.enter, start, "")
            self._roads[entered].append(Road(self._entries[first.name]))
        quiet = [[road.is_quiet for road in roads] for roads in self._roads]
        return Flow(self._roads, quiet, self._ahead(quiet), start, self._end)

    def _ahead(self, quiet: list[list[bool]]) -> list[int]:
        """Return for each point where the quiet roads lead that are the only ones; in a circle any of its points."""
        ahead = list(range(len(self._roads)))
        for point in range(len(ahead)):
            passed: set[int] = set()
            onward = point
            while quiet[onward] == [True] and onward not in passed:
                passed.add(onward)
                onward = ahead[self._roads[onward][0].to]
            for one in passed:
                ahead[one] = onward
        return ahead

    # --- points and roads ---------------------------------------------------------------------------------------------

    def _point(self) -> int:
        if len(self._roads) >= MOST_POINTS:
            raise TooLarge
        self._roads.append([])
        return len(self._roads) - 1

    def _road(self, origin: int, road: Road) -> None:
        self._roads[origin].append(road)

    def _onward(self, origin: int, told: tuple[str, str] | None = None, span: Span | None = None) -> int:
        """Add a road to a new point, and return the point."""
        to = self._point()
        self._road(origin, Road(to, told=told, span=span))
        return to

    # --- states -------------------------------------------------------------------------------------------------------

    def _state(self, state: State) -> None:
        steps = steps_with_blocks(state.steps, self._blocks)
        questions = tuple(step.name for step in steps if isinstance(step, ConfirmStep | AskStep))
        begin, leave = self._point(), self._point()
        names = [name for name, _ in state.resets]
        event = Event("state", state.name, state.name)
        entered = Road(begin, event, asks=questions, told=("state", state.name), span=state.name_span)
        resets = tuple((name, self._defaults[name]) for name in names if name in self._defaults)
        self._road(self._entries[state.name], entered._replace(changes=tuple((name,) for name in names), sets=resets))
        first = len(self._roads)
        end = self._sequence(state.steps, begin, _Place(state, leave, leave, None, {}))
        self._road(end, Road(leave))
        if state.when_cancelled is not None and state.when_cancelled[0] in self._states:
            refuge = self._states[state.when_cancelled[0]]
            inside = [begin, *range(first, len(self._roads))]
            jump = self._onward(begin)
            for point in inside:
                self._road(point, Road(jump, told=("cancelled", ""), span=state.when_cancelled[1]))
            self._enter(refuge.name, jump, state, state.when_cancelled[1])
        self._next(state, leave)

    def _next(self, state: State, leave: int) -> None:
        if not state.next:
            self._road(leave, Road(self._end, told=("end", ""), span=state.name_span))
        failed: tuple[Guard, ...] = ()
        for transition in state.next:
            guard = _guards(transition.when, holds=True)
            taken = self._point()
            self._road(leave, Road(taken, guards=(*failed, *guard)))
            passed = self._through(transition.gates, taken, state.name)
            self._enter(transition.to, passed, state, transition.to_span)
            if transition.when is None and transition.at_most is None:
                break
            if transition.at_most is None:
                failed = (*failed, *_guards(transition.when, holds=False))

    def _enter(self, name: str, origin: int, left: State, span: Span) -> None:
        """Lead from a point into a state, through its gates."""
        if name == END:
            self._road(origin, Road(self._end, told=("end", ""), span=span))
        elif name in self._states:
            passed = self._through(self._states[name].enter, origin, left.name)
            self._road(passed, Road(self._entries[name], told=("to", name), span=span))

    def _through(self, gates: Iterable[NamedGate], origin: int, state: str) -> int:
        """Lead through gates, which are passed in the state that is left; '' before the first one."""
        for gate in gates:
            origin = self._gate(gate, origin, state)
        return origin

    def _gate(self, named: NamedGate, origin: int, state: str) -> int:
        """Lead through one gate: held, or waived where it may be; before it is looked at again a step may be redone."""
        passed = self._point()
        own, of_rules = self._gates.get(named.name), self._rule_gates.get(named.name)
        guards: list[Guard] = []
        needs: list[str] = []
        for condition in own.conditions if own is not None else ():
            guards.extend(_guards(condition.that, holds=True))
            needs.extend([condition.confirmed] if condition.confirmed is not None else [])
        for rule in of_rules.conditions if of_rules is not None else ():
            guards.extend([Guard(rule.that.tree, True)] if rule.that is not None else [])
            needs.extend([rule.confirmed] if rule.confirmed is not None else [])
        event = Event("gate", named.name, state)
        self._road(origin, Road(passed, event, tuple(guards), tuple(needs)))
        gate = own if own is not None else of_rules
        if gate is not None and gate.waivable:
            self._road(origin, Road(passed, told=("gate-waived", named.name), span=named.span))
        redo = self._redone(own.redo) if own is not None and own.redo is not None else None
        if redo is not None:
            inside, step = redo
            place = _Place(inside, passed, passed, None, {})
            end = self._sequence((step,), self._onward(origin), place)
            self._road(end, Road(origin))
        return passed

    def _redone(self, redo: tuple[str, str]) -> tuple[State, AnyStep] | None:
        state = self._states.get(redo[0])
        steps = state.steps if state is not None else ()
        step = next((step for step in steps if redo[1] in (step.id, step.key)), None)
        return (state, step) if state is not None and step is not None else None

    # --- steps --------------------------------------------------------------------------------------------------------

    def _sequence(self, steps: Iterable[AnyStep], origin: int, place: _Place) -> int:
        for step in steps:
            end = self._point()
            begin = origin
            if step.when is not None:
                begin = self._point()
                self._road(origin, Road(begin, guards=_guards(step.when, holds=True)))
                self._road(origin, Road(end, guards=_guards(step.when, holds=False)))
            done = self._step(step, begin, place)
            if done is not None:
                name = f"{place.state.name}.{step.id}"
                event = Event("step", name, place.state.name) if step.id and name in self._named else None
                self._road(done, Road(end, event, told=("step", step.id or "") if event else None, span=step.span))
            origin = end
        return origin

    def _step(self, step: AnyStep, origin: int, place: _Place) -> int | None:
        """Add one step; return the point behind it, None where nothing comes behind."""
        match step:
            case SetStep():
                paths = tuple(_changed(assignment.path, place) for assignment in step.assignments)
                to = self._point()
                sets, becomes = tuple(_written_values(step)), tuple(_expressions(step))
                self._road(origin, Road(to, changes=paths, sets=sets, becomes=becomes, span=step.span))
                return to
            case CollectStep():
                return self._changing(origin, (_changed(step.target, place),), step.span)
            case CallStep():
                return self._call(step, origin, place)
            case EachStep() | RepeatStep():
                return self._loop(step, origin, place)
            case ChooseStep():
                return self._choose(step, origin, place)
            case ConfirmStep() | AskStep():
                return self._question(step, origin, place)
            case UseStep():
                return self._use(step, origin, place)
            case GiveStep():
                self._road(origin, Road(place.given))
                return None
            case MoveOnStep():
                self._road(origin, Road(place.leave))
                return None
            case FailStep():
                if place.caught is not None:
                    self._road(origin, Road(place.caught))
                return None
        return origin

    def _changing(self, origin: int, paths: tuple[tuple[str, ...], ...], span: Span) -> int:
        to = self._point()
        self._road(origin, Road(to, changes=paths, span=span))
        return to

    def _call(self, step: CallStep, origin: int, place: _Place) -> int:
        made = self._point()
        for _, tool, _ in step.tool.among:
            event = Event("call", tool, place.state.name)
            self._road(origin, Road(made, event, permitted_by=step.needs or "", told=("call", tool), span=step.span))
        if place.caught is not None:
            self._road(made, Road(place.caught))
        if step.pages is None:
            return made
        # A page, its steps, what is kept of it, and perhaps another page.
        end = self._point()
        behind = self._sequence(step.pages.steps, made, place._replace(given=end))
        paths = tuple(_changed(assignment.path, place) for assignment in step.pages.checkpoint)
        self._road(behind, Road(end, changes=paths, span=step.span))
        self._road(end, Road(origin))
        return end

    def _loop(self, step: EachStep | RepeatStep, origin: int, place: _Place) -> int:
        head, end = self._point(), self._point()
        loops = dict(place.loops)
        caught = place.caught
        if isinstance(step, EachStep):
            path = _path_of(step.rows.expression.tree, place.loops)
            loops.pop(step.name, None)
            if path is not None:
                loops[step.name] = path
            if step.outcomes is not None or step.failures_at_most is not None:
                caught = head
            self._road(origin, Road(head))
            self._road(head, Road(end))
            begin = self._point()
            guards = (*_not_empty(step.rows.expression.tree), *_guards(step.where, holds=True))
            self._road(head, Road(begin, guards=guards))
            behind = self._sequence(step.steps, begin, place._replace(given=head, caught=caught, loops=loops))
            self._road(behind, Road(head))
        else:
            self._road(origin, Road(head))
            behind = self._sequence(step.steps, head, place._replace(given=end))
            self._road(behind, Road(end))
            self._road(end, Road(head))
            if step.otherwise == "go_on" and not is_count(step.at_most, self._counts):
                self._road(origin, Road(end))
        out = self._point()
        self._road(end, Road(out))
        return out

    def _choose(self, step: ChooseStep, origin: int, place: _Place) -> int:
        end = self._point()
        failed: tuple[Guard, ...] = ()
        for branch in step.branches:
            begin = self._point()
            self._road(origin, Road(begin, guards=(*failed, *_guards(branch.when, holds=True))))
            given = end if step.bind_as is not None else place.given
            behind = self._sequence(branch.steps, begin, place._replace(given=given))
            self._road(behind, Road(end))
            if branch.when is None:
                return end
            failed = (*failed, *_guards(branch.when, holds=False))
        self._road(origin, Road(end, guards=failed))
        return end

    def _use(self, step: UseStep, origin: int, place: _Place) -> int:
        end = self._point()
        block = self._blocks.get(step.block)
        if block is not None:
            # The names of the caller's loops are not known in a block.
            inside = place._replace(given=end, loops={})
            self._road(self._sequence(block.steps, origin, inside), Road(end))
            return end
        workflow = self._workflows.get(step.block)
        for state in workflow.states if workflow is not None else ():
            for tool, _ in state.tools or ():
                event = Event("call", tool, place.state.name)
                self._road(origin, Road(origin, event, told=("call", tool), span=step.span))
        if place.caught is not None and step.outcome is None:
            self._road(origin, Road(place.caught))
        self._road(origin, Road(end))
        return end

    # --- people -------------------------------------------------------------------------------------------------------

    def _question(self, step: ConfirmStep | AskStep, origin: int, place: _Place) -> int:
        asked, end = self._point(), self._point()
        self._road(origin, Road(asked, asks=(step.name,)))
        if isinstance(step, ConfirmStep):
            for choice in step.choices:
                event = Event("confirm", step.name, place.state.name) if choice.confirms else None
                answer = (step.name, choice.id, "answered")
                self._answered(asked, Road(end, event, answer=answer, span=choice.span), choice.to, place.state)
        else:
            fills = tuple((field.name,) for field in step.form)
            answer = (step.name, "", "answered")
            filled = Road(end, changes=fills, answer=answer, told=_told_of(answer), span=step.name_span)
            # What stands for an answer that nobody gave was not looked at as an answer is.
            fits = step.form if step.otherwise is None else ()
            self._road(asked, filled._replace(behind=tuple(_fitting(fits, self._schemas))))
        for ending in ("refused", "timed_out", "abandoned"):
            own: str | None = getattr(step.endings, ending)
            default: str | None = getattr(self._workflow.questions, ending)
            action = own or default or ("go_on" if ending == "refused" else "block")
            if action != "block":
                road = Road(end, answer=(step.name, "", ending), span=step.name_span)
                self._answered(asked, road, action if action != "go_on" else None, place.state)
        return end

    def _answered(self, asked: int, road: Road, to: str | None, state: State) -> None:
        """Lead on from a question by one of its answers: to the steps behind it, or into another state."""
        assert road.answer is not None
        assert road.span is not None
        span = road.span
        road = road._replace(told=_told_of(road.answer))
        if to is None:
            self._road(asked, road)
            return
        left = self._point()
        self._road(asked, road._replace(to=left))
        self._enter(to, left, state, span)


def _told_of(answer: tuple[str, str, str]) -> tuple[str, str]:
    question, choice, ending = answer
    return "answer", f"{question}: {choice or ending}"


def _guards(when: Written | None, *, holds: bool) -> tuple[Guard, ...]:
    return (Guard(when.expression.tree, holds),) if when is not None else ()


def _not_empty(rows: tree.Node) -> tuple[Guard, ...]:
    """Return what an item of a list tells of the list: it holds something."""
    if not isinstance(rows, tree.Name | tree.Field):
        return ()
    return (Guard(tree.Comparison(rows, (("==", tree.ListOf((), 0, 0)),), 0, 0), False),)


def _whole(step: SetStep) -> Iterator[tuple[str, Value]]:
    """Yield the names that are set as a whole, and to what."""
    for assignment in step.assignments:
        others = [one for one in step.assignments if one.path.root == assignment.path.root]
        if not assignment.path.segments and len(others) == 1 and assignment.value is not None:
            yield assignment.path.root, assignment.value


def _written_values(step: SetStep) -> Iterator[tuple[str, object]]:
    """Yield the names that are set as a whole to what is written there, and the value."""
    for name, value in _whole(step):
        written = _written_value(value)
        if written is not None:
            yield name, written[0]


def _expressions(step: SetStep) -> Iterator[tuple[str, tree.Node]]:
    """Yield the names that are set as a whole to what an expression gives, and the expression."""
    for name, value in _whole(step):
        if isinstance(value, Written):
            yield name, value.expression.tree
        elif isinstance(value, Text) and value.template.single is not None:
            yield name, value.template.single.tree


def defaults_of(workflow: Workflow) -> dict[str, object]:
    """Return the data that begin with a value that is written there."""
    values = ((declared.name, _written_value(declared.default)) for declared in workflow.data)
    return {name: value[0] for name, value in values if value is not None}


def _written_value(value: Value | None) -> tuple[object] | None:
    """Return the value that stands in a document as it is: a single one, or an empty list or mapping."""
    if isinstance(value, ListOf) and not value.items:
        return ([],)
    if isinstance(value, MappingOf) and not value.entries:
        return ({},)
    return (value.value,) if isinstance(value, Constant) else None


def _fitting(fields: Iterable[Field], schemas: Mapping[str, Mapping[str, object]]) -> Iterator[Guard]:
    """Yield what the answers to a form are known to hold to: fields that are always asked, and never left empty."""
    for field in fields:
        if field.when is not None or field.optional:
            continue
        schema = {**schemas.get(field.name, {}), **field.schema}
        name = tree.Name(field.name, 0, 0)
        least = schema.get("minItems" if field.many else "minLength", schema.get("minItems", 0))
        if isinstance(least, int) and least > 0:
            yield Guard(tree.Comparison(name, (("==", tree.ListOf((), 0, 0)),), 0, 0), False)
        allowed = schema.get("enum")
        if isinstance(allowed, list) and not field.many and all(isinstance(one, str | bool | int) for one in allowed):
            choices = tuple(tree.Constant(one, 0, 0) for one in allowed)
            yield Guard(tree.Comparison(name, (("in", tree.ListOf(choices, 0, 0)),), 0, 0), True)


def _changed(path: Path, place: _Place) -> tuple[str, ...]:
    """Return the path of data that is changed: its fields in order, `*` for an entry of a list."""
    root = place.loops.get(path.root, (path.root,))
    return (*root, *(segment if isinstance(segment, str) else "*" for segment in path.segments))


def _path_of(node: tree.Node, loops: Mapping[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the path of data that a loop over an expression stands for, None where it is over something else."""
    match node:
        case tree.Name(name=name):
            return (*loops.get(name, (name,)), "*")
        case tree.Field(base=base, name=name):
            inner = _path_of(base, loops)
            return (*inner[:-1], name, "*") if inner is not None else None
        case tree.Item(base=base):
            inner = _path_of(base, loops)
            return (*inner, "*") if inner is not None else None
    return None
