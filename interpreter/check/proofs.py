"""Guarantees over every way through a workflow, each proved or refuted by the shortest way that breaks it.

A guarantee is a small machine that follows the events: was Y seen since Z, does its answer still stand, is a follower
owed. All points of the workflow are visited together with all states of that machine, nearest first; the first road
that breaks it ends the search, and the roads that led there are the proof to show. What data hold is unknown, so a
`when` may go either way, except where the guarantee is itself about data: what conditions, written values and forms
on the way tell of its condition counts until the data in it change.

Nothing is said of `always`, nor of a `while` where what the way tells cannot be compared with it: whether data hold to
it is for the run-time watch, which looks at every guarantee.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, cast

from interpreter.check.truths import Standing as Known
from interpreter.check.truths import Truths, names_of
from interpreter.diagnostics import Words
from interpreter.flow.roads import Event, Flow, Guard, Road, TooLarge, defaults_of, flow_of
from interpreter.model import ConfirmStep, Contract, Guarantee, Selector, Value, Workflow, Written
from interpreter.resolve import Resolved
from interpreter.selecting import selected_tools
from interpreter.source import Span
from interpreter.static.giving import counts_of
from interpreter.static.inference import names_in
from interpreter.steps import all_questions
from rules.expr import tree
from rules.expr.compile import evaluator_of
from rules.records import NamedTuple, record
from rules.values import CannotEvaluate

Verdict = Literal["proved", "broken", "fails-when-refused", "watched", "too-large"]

_SAME_ENTRIES = frozenset({"where", "where_not", "where_missing", "take", "skip", "sort", "unique"})


class Stop(NamedTuple):
    """One thing that happens on the way.

    Shapes: `kind` and `name` as in `flow.Road.told`, or `void` with the data whose change makes an answer void; `span`
    is None where it stands nowhere.
    """

    kind: str
    name: str
    span: Span | None

    @property
    def words(self) -> Words:
        zh, en = _WORDS[self.kind]
        return Words(zh.format(self.name), en.format(self.name))


_WORDS = {
    "state": ("状态 {}", "state {}"),
    "to": ("→ {}", "→ {}"),
    "call": ("调用 {}", "call {}"),
    "answer": ("回答 {}", "answer {}"),
    "step": ("步骤 {}", "step {}"),
    "void": ("改动 {}，回答作废", "{} changes, the answer is void"),
    "gate-waived": ("放行门禁 {}", "gate {} waived"),
    "cancelled": ("取消", "cancelled"),
    "end": ("结束", "end"),
}


@record
class Proof:
    """What is known of one guarantee.

    Shapes: `way` is the shortest way that breaks it, () where there is none; `happens` says whether what it is about
    can happen at all; `question` is set for the guarantee that every workflow has: writes that name a confirmation
    come after it. Such a write is refused at run time, and the run fails; `fails-when-refused` says that this is the
    only thing that a refusal of the question leads to.
    """

    id: str
    verdict: Verdict
    guarantee: Guarantee | None
    way: tuple[Stop, ...]
    happens: bool
    question: str = ""


def prove(resolved: Resolved) -> tuple[Proof, ...]:
    """Return what can be said of each guarantee of a workflow, its own and those that every workflow has."""
    workflow, documents = resolved.workflow, resolved.documents
    gates = {f"{name}.{gate}": part for name, rules in documents.rules.items() for gate, part in rules.gates.items()}
    try:
        flow = flow_of(workflow, documents.workflows, gates, counts_of(documents.rules))
    except TooLarge:
        return tuple(Proof(one.id, "too-large", one, (), True) for one in workflow.guarantees)
    shown = {question: tuple(_shown(steps)) for question, steps in _confirmations(resolved).items()}
    asked = _Asked(shown, {}, {})
    data = _data_of(workflow)
    proofs = [_proved(one, flow, documents.tools, asked, data) for one in workflow.guarantees]
    return (*proofs, *_of_permissions(flow, asked))


class _Data(NamedTuple):
    """The names of data and inputs, those that hold true or false, and the data that begin with a written value."""

    names: frozenset[str]
    booleans: frozenset[str]
    defaults: Mapping[str, object]


def _data_of(workflow: Workflow) -> _Data:
    declared = (*workflow.inputs, *workflow.data)
    booleans = frozenset(one.name for one in declared if one.schema.get("type") == "boolean")
    return _Data(frozenset(one.name for one in declared), booleans, defaults_of(workflow))


def _proved(
    guarantee: Guarantee,
    flow: Flow,
    contracts: Mapping[str, Contract],
    asked: _Asked,
    data: _Data,
) -> Proof:
    if guarantee.kind == "always" or guarantee.subject is None:
        return Proof(guarantee.id, "watched", guarantee, (), True)
    subject = _matcher(guarantee.subject, contracts)
    machine = _machine(guarantee, flow, subject, contracts, asked, data)
    way = _search(flow, machine)
    happens = any(road.event is not None and subject(road.event) for roads in flow.roads for road in roads)
    is_open = way is None and isinstance(machine, _While) and machine.is_open
    verdict: Verdict = "broken" if way is not None else "watched" if is_open else "proved"
    return Proof(guarantee.id, verdict, guarantee, way or (), happens)


def _of_permissions(flow: Flow, asked: _Asked) -> Iterator[Proof]:
    questions = sorted({road.permitted_by for roads in flow.roads for road in roads if road.permitted_by})
    for question in questions:
        answers = _Questions([question], asked)
        way = _search(flow, _Permitted(question, answers, refusals=False))
        verdict: Verdict = "broken"
        if way is None:
            way = _search(flow, _Permitted(question, answers, refusals=True))
            verdict = "proved" if way is None else "fails-when-refused"
        yield Proof(f"needs: {question}", verdict, None, way or (), True, question)


# --- the search -------------------------------------------------------------------------------------------------------


class Broken:
    """What a machine answers where a road breaks its guarantee."""


BROKEN = Broken()

Standing = tuple[object, ...]


class Machine:
    """Follows the events of one guarantee."""

    first: Standing = ()

    def take(self, standing: Standing, road: Road) -> Standing | Broken | None:
        """Return how things stand behind a road; None where it cannot be taken."""
        raise NotImplementedError

    def ends(self, standing: Standing) -> bool:
        """Say whether a run may be completed like this."""
        return True

    def voided(self, before: Standing, behind: Standing) -> bool:
        """Say whether an answer that stood before a road no longer does behind it."""
        return False


def _search(flow: Flow, machine: Machine) -> tuple[Stop, ...] | None:
    """Return the shortest way that breaks a guarantee, None where no way does.

    Points at which nothing can happen are passed as long as it is only asked whether there is a way.
    """
    if _broken_way(flow, machine, flow.ahead) is None:
        return None
    return _broken_way(flow, machine, range(len(flow.roads)))


def _broken_way(flow: Flow, machine: Machine, ahead: Sequence[int]) -> tuple[Stop, ...] | None:
    """Return a way that breaks a guarantee. Shapes: `ahead` is the point from which it goes on, by that of a road."""
    first = (flow.start, machine.first)
    came_by: dict[tuple[int, Standing], tuple[tuple[int, Standing], Road] | None] = {first: None}
    waiting = deque([first])
    while waiting:
        here = waiting.popleft()
        point, standing = here
        if point == flow.end and not machine.ends(standing):
            return _way(machine, came_by, here, None)
        for road, is_quiet in zip(flow.roads[point], flow.quiet[point], strict=True):
            behind = standing if is_quiet else machine.take(standing, road)
            if isinstance(behind, Broken):
                return _way(machine, came_by, here, road)
            if behind is None:
                continue
            there, by = (ahead[road.to], behind), (here, road)
            if came_by.setdefault(there, by) is by:
                waiting.append(there)
    return None


def _way(
    machine: Machine,
    came_by: Mapping[tuple[int, Standing], tuple[tuple[int, Standing], Road] | None],
    here: tuple[int, Standing],
    last: Road | None,
) -> tuple[Stop, ...]:
    stops: list[Stop] = [*_told_of(last)] if last is not None else []
    while (step := came_by[here]) is not None:
        behind, (here, road) = here, step
        if road.changes and machine.voided(here[1], behind[1]):
            stops.append(Stop("void", ", ".join(dict.fromkeys(path[0] for path in road.changes)), road.span))
        stops.extend(_told_of(road))
    return tuple(reversed(stops))


def _told_of(road: Road) -> Iterator[Stop]:
    if road.told is not None:
        yield Stop(road.told[0], road.told[1], road.span)


# --- machines ---------------------------------------------------------------------------------------------------------

Matcher = Callable[[Event], bool]


def _machine(
    guarantee: Guarantee,
    flow: Flow,
    subject: Matcher,
    contracts: Mapping[str, Contract],
    asked: _Asked,
    data: _Data,
) -> Machine:
    other = _matcher(guarantee.other, contracts) if guarantee.other is not None else _nothing
    match guarantee.kind:
        case "comes_after":
            since = _matcher(guarantee.since, contracts) if guarantee.since is not None else _nothing
            questions = guarantee.other.confirms if guarantee.other is not None else ()
            return _ComesAfter(subject, other, since, _Questions(questions, asked))
        case "directly_after":
            return _DirectlyAfter(subject, other, _kind_of(guarantee.other))
        case "is_followed_by":
            return _IsFollowedBy(subject, other)
        case "only_in":
            return _OnlyIn(subject, frozenset(guarantee.only_in))
    condition = guarantee.condition.expression.tree if guarantee.condition is not None else tree.Constant(True, 0, 0)
    roads = (road for point in flow.roads for road in point)
    return _While(subject, Truths(condition, roads, data.names, data.booleans, data.defaults))


class Answered(NamedTuple):
    """How a question ended. Shapes: `choice` is '' for none; `stands` says that it confirms, and still does."""

    choice: str
    ending: str
    stands: bool


Answers = tuple[Answered | None, ...]


class _Asked(NamedTuple):
    """What all proofs of a workflow share.

    Shapes: `shown` are the data that each question shows; `evaluators` are conditions over answers, compiled when one
    is first met, by the id of the node; `names` are those that a condition reads. The node is kept so that its id stays
    its own.
    """

    shown: Mapping[str, tuple[Shown, ...]]
    evaluators: dict[int, tuple[tree.Node, Callable[[dict[str, object]], object]]]
    names: dict[int, tuple[tree.Node, frozenset[str]]]

    def names_read(self, node: tree.Node) -> frozenset[str]:
        known = self.names.get(id(node))
        if known is None:
            known = self.names[id(node)] = (node, names_of(node))
        return known[1]


class _Questions:
    """What is known of the answers to some questions on the way; one that is asked anew or shows other data is void.

    Conditions that ask for nothing but these answers come out as they would in a run.
    """

    def __init__(self, questions: Iterable[str], asked: _Asked) -> None:
        self.names = tuple(sorted(questions))
        self._shown = [asked.shown.get(question, ()) for question in self.names]
        self._asked = asked
        self._evaluators = asked.evaluators
        self.first: Answers = (None,) * len(self.names)
        self._told: dict[int, tuple[tree.Node, bool]] = {}
        self._relevant: dict[int, tuple[Road, tuple[Guard, ...]]] = {}

    def __bool__(self) -> bool:
        return bool(self.names)

    def stands(self, answers: Answers) -> bool:
        return any(answer is not None and answer.stands for answer in answers)

    def behind(self, answers: Answers, road: Road) -> Answers | None:
        """Return what is known behind a road, None where it cannot be taken."""
        if not self.names or not (road.needs or road.guards or road.answer or road.asks or road.changes):
            return answers
        for question, answer in zip(self.names, answers, strict=True):
            if question in road.needs and (answer is None or not answer.stands):
                return None
        guards = self._guards_of(road)
        if guards and not self._may_pass(answers, guards):
            return None
        if road.answer is None and not road.asks and not road.changes:
            return answers
        return tuple(
            self._one(question, shown, answer, road)
            for question, shown, answer in zip(self.names, self._shown, answers, strict=True)
        )

    def _one(self, question: str, shown: tuple[Shown, ...], answer: Answered | None, road: Road) -> Answered | None:
        if road.answer is not None and road.answer[0] == question:
            answer = Answered(*road.answer[1:], stands=road.event is not None)
        if question in road.asks:
            return None
        if answer is not None and any(part.is_changed_by(path) for part in shown for path in road.changes):
            return answer._replace(stands=False)
        return answer

    def _guards_of(self, road: Road) -> tuple[Guard, ...]:
        """Return the guards that ask about these questions; all others may come out either way."""
        if not road.guards:
            return ()
        known = self._relevant.get(id(road))
        if known is None:
            read = self._asked.names_read
            asked = (guard for guard in road.guards if not read(guard.node).isdisjoint(self.names))
            known = self._relevant[id(road)] = (road, tuple(asked))
        return known[1]

    def _may_pass(self, answers: Answers, guards: tuple[Guard, ...]) -> bool:
        names: dict[str, object] = {
            question: {"ending": answer.ending, **({"choice": answer.choice} if answer.choice else {})}
            for question, answer in zip(self.names, answers, strict=True)
            if answer is not None
        }
        try:
            return all(self._truth(guard.node, names) in (None, guard.holds) for guard in guards)
        except (CannotEvaluate, KeyError, TypeError):
            return False  # a run stops here

    def _truth(self, node: tree.Node, names: dict[str, object]) -> bool | None:
        """Return how a condition comes out, None where it asks for more than the answers."""
        match node:
            case tree.Not(value=value):
                truth = self._truth(value, names)
                return None if truth is None else not truth
            case tree.Logic(operator=operator, parts=parts):
                truths = {self._truth(part, names) for part in parts}
                decides = operator == "or"
                return decides if decides in truths else None if None in truths else not decides
        known = self._told.get(id(node))
        if known is None:
            known = self._told[id(node)] = (node, self._is_told(node))
        if not known[1]:
            return None
        compiled = self._evaluators.get(id(node))
        if compiled is None:
            compiled = self._evaluators[id(node)] = (node, evaluator_of(node))
        return bool(compiled[1](names))

    def _is_told(self, node: tree.Node) -> bool:
        """Say whether a node reads nothing but how these questions ended."""
        inner = list(tree.walk(node))
        read = [part for part in inner if isinstance(part, tree.Field) and isinstance(part.base, tree.Name)]
        known = [part for part in read if part.base.name in self.names and part.name in ("choice", "ending")]  # type: ignore[union-attr]
        return bool(known) and len(known) == sum(isinstance(part, tree.Name) for part in inner)


class _ComesAfter(Machine):
    """Every X comes after Y since Z. An answer has to stand still when X happens."""

    def __init__(self, subject: Matcher, other: Matcher, since: Matcher, questions: _Questions) -> None:
        self._subject, self._other, self._since = subject, other, since
        self._questions = questions
        self.first = (False, questions.first)

    def take(self, standing: Standing, road: Road) -> Standing | Broken | None:
        seen, answers = cast("tuple[bool, Answers]", standing)
        behind = self._questions.behind(answers, road)
        if behind is None:
            return None
        event = road.event
        if event is not None:
            holds = seen and (not self._questions or self._questions.stands(answers))
            if self._subject(event) and not holds:
                # A write that names this very confirmation is refused before it is made; that is said on its own.
                return None if road.permitted_by in self._questions.names else BROKEN
            seen = (seen and not self._since(event)) or self._other(event)
        return (seen, behind)

    def voided(self, before: Standing, behind: Standing) -> bool:
        return self._questions.stands(cast("Answers", before[1])) and not self._questions.stands(
            cast("Answers", behind[1])
        )


class _Permitted(Machine):
    """Every write that names a confirmation comes after it, while the answer stands.

    Shapes: `refusals` says whether a question may also end without an answer.
    """

    def __init__(self, question: str, questions: _Questions, *, refusals: bool) -> None:
        self._question = question
        self._questions = questions
        self._refusals = refusals
        self.first = questions.first

    def take(self, standing: Standing, road: Road) -> Standing | Broken | None:
        answers = cast("Answers", standing)
        if not self._refusals and road.answer is not None and road.answer[2] != "answered":
            return None
        behind = self._questions.behind(answers, road)
        if behind is not None and road.permitted_by == self._question and not self._questions.stands(answers):
            return BROKEN
        return behind

    def voided(self, before: Standing, behind: Standing) -> bool:
        return self._questions.stands(cast("Answers", before)) and not self._questions.stands(cast("Answers", behind))


class _DirectlyAfter(Machine):
    """Never X directly after Y: nothing of Y's kind lies between them."""

    def __init__(self, subject: Matcher, other: Matcher, kind: str) -> None:
        self._subject, self._other, self._kind = subject, other, kind
        self.first = (False,)

    def take(self, standing: Standing, road: Road) -> Standing | Broken | None:
        event = road.event
        if event is None:
            return standing
        if standing[0] and self._subject(event):
            return BROKEN
        return (self._other(event),) if event.kind == self._kind else standing


class _IsFollowedBy(Machine):
    """Every X is followed by Y before the run is completed."""

    def __init__(self, subject: Matcher, other: Matcher) -> None:
        self._subject, self._other = subject, other
        self.first = (False,)

    def take(self, standing: Standing, road: Road) -> Standing | Broken | None:
        event = road.event
        if event is None:
            return standing
        return (self._subject(event) or (bool(standing[0]) and not self._other(event)),)

    def ends(self, standing: Standing) -> bool:
        return not standing[0]


class _OnlyIn(Machine):
    def __init__(self, subject: Matcher, states: frozenset[str]) -> None:
        self._subject, self._states = subject, states

    def take(self, standing: Standing, road: Road) -> Standing | Broken | None:
        event = road.event
        is_elsewhere = event is not None and self._subject(event) and event.state not in self._states
        return BROKEN if is_elsewhere else standing


class _While(Machine):
    """Never X while C: on every way to X it is known that C does not hold.

    Where something is known of the data in C that cannot be compared with C, it stays open whether a way breaks it.
    """

    def __init__(self, subject: Matcher, truths: Truths) -> None:
        self._subject, self._truths = subject, truths
        self.first = truths.first
        self.is_open = False

    def take(self, standing: Standing, road: Road) -> Standing | Broken | None:
        known = self._truths.before(cast("Known", standing), road)
        if known is None:
            return None
        if road.event is not None and self._subject(road.event) and self._truths.may_hold(known):
            if self._truths.is_clear(known):
                return BROKEN
            self.is_open = True
        return self._truths.after(known, road)


def _matcher(selector: Selector, contracts: Mapping[str, Contract]) -> Matcher:
    kind = _kind_of(selector)
    named = {"state": selector.states, "confirm": selector.confirms, "step": selector.steps, "gate": selector.gates}
    names = frozenset(named[kind]) if kind in named else selected_tools(selector, contracts)
    states = frozenset(selector.in_states)

    def matches(event: Event) -> bool:
        return event.kind == kind and event.name in names and (not states or event.state in states)

    return matches


def _kind_of(selector: Selector | None) -> str:
    if selector is None:
        return ""
    words = (("state", selector.states), ("confirm", selector.confirms), ("step", selector.steps))
    found = next((kind for kind, names in words if names), None)
    return found or ("gate" if selector.gates else "call")


def _nothing(event: Event) -> bool:
    return False


# --- what a question shows --------------------------------------------------------------------------------------------


class Shown(NamedTuple):
    """Data that a question shows. Shapes: `fields` of its entries are left out; with `only` nothing else is shown."""

    root: str
    fields: frozenset[str] = frozenset()
    only: bool = False

    def is_changed_by(self, path: tuple[str, ...]) -> bool:
        if path[0] != self.root:
            return False
        if not self.fields or len(path) < 2 or path[-1] == "*":
            return True
        return (path[-1] in self.fields) == self.only


def _confirmations(resolved: Resolved) -> dict[str, list[ConfirmStep]]:
    found: dict[str, list[ConfirmStep]] = {}
    for step in all_questions(resolved.workflow):
        if isinstance(step, ConfirmStep):
            found.setdefault(step.name, []).append(step)
    return found


def _shown(steps: Iterable[ConfirmStep]) -> Iterator[Shown]:
    for step in steps:
        yield from _shown_in(step.shows)


def _shown_in(value: Value | None) -> Iterator[Shown]:
    if isinstance(value, Written):
        yield from _shown_by(value.expression.tree)
    elif value is not None:
        yield from (Shown(name) for name in names_in(value))  # composed of whatever is named in it


def _shown_by(node: tree.Node) -> Iterator[Shown]:
    fields: frozenset[str] = frozenset()
    only = False
    inner = node
    while isinstance(inner, tree.Apply) and inner.subject is not None:
        name = inner.function.name
        if name in ("without", "pick") and not fields and not inner.keywords:
            words = [part.value for part in inner.positional if isinstance(part, tree.Constant)]
            fields, only = frozenset(str(word) for word in words), name == "pick"
        elif name not in _SAME_ENTRIES or inner.positional or inner.keywords:
            break
        inner = inner.subject
    if isinstance(inner, tree.Name):
        yield Shown(inner.name, fields, only)
        return
    for part in tree.walk(node):
        if isinstance(part, tree.Name):
            yield Shown(part.name)
