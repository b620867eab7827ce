"""What the machine walks: an immutable program in which no name is left to look up.

`interpreter.plan` makes it from checked documents; the engine knows neither YAML nor the records of `model`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from interpreter.diagnostics import Words
from interpreter.engine.data import Declaration, Names
from interpreter.engine.entering import NotAValue, entering
from interpreter.engine.frame import Condition, Evaluate
from interpreter.pointers import Bodies, Places
from interpreter.ports import Effect, JsonObject, Request
from interpreter.safety.masking import NOTHING, Marks
from rules.ready import Evaluable
from rules.records import NamedTuple, field, record
from rules.values import CannotEvaluate, dumps

if TYPE_CHECKING:
    from interpreter.engine.steps import Sequence

#: An answer that does not fit its contract is kept up to this size. Units: characters of JSON.
MOST_OF_A_REFUSED_ANSWER = 1_000_000
#: The version of the calling sequence: the keys and the order in which the machine makes effects. It changes when a
#: journal written before could no longer be walked again; `resume` then names the release that can.
CALLING_SEQUENCE = 2


#: Where a transition leads that ends the run, and what the trace says of it.
END = "end"
NOTE_OF_END: JsonObject = {"note": "end"}
#: What a guarantee can talk about.
EventKind = Literal["state", "call", "confirm", "step", "gate"]


class Where(NamedTuple):
    """A place in a document, for findings that people read. Units: line and column from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def as_json(self) -> JsonObject:
        return dict(zip(self._fields, self, strict=True))


class LocatedFailure(CannotEvaluate):
    """What has no value, with its place in a document.

    Shapes: `expression` is the text that was evaluated; `hides` says that it reads values that no finding may carry.
    """

    def __init__(self, failure: CannotEvaluate, where: Where, expression: str, *, hides: bool) -> None:
        super().__init__(failure.code, failure.facts, failure.start, failure.end)
        self.where = where
        self.expression = expression
        self.hides = hides


class ErrorMeaning(NamedTuple):
    """What a contract says of one error code."""

    kind: str
    happened: Literal["never", "perhaps"]
    title: Any = None


@record
class LookupPlan:
    """How an unknown write is looked up. `arguments`, `happened`, `did_not`, `give` see `sent`, `found`, `items`."""

    tool: str
    arguments: Evaluate
    happened: Condition | None
    did_not: Condition | None
    give: Evaluate | None = None


@record
class FollowPlan:
    tool: str
    arguments: Evaluate


@record
class PagingPlan:
    token_in: str
    token_out: str
    more: str
    items: str


@record
class ContractPlan:
    """One tool, ready to be called.

    Shapes: `check_input` and `check_answer` return why a value does not fit, or None, `problems` everything that is
    wrong with an answer as (place, message); `prune` drops fields that the contract does not name; `pointers` is where
    an answer points at evidence, `bodies` where it holds text that was really read.
    """

    name: str
    effect: Effect
    idempotent: bool
    check_input: Callable[[Any], Words | None]
    check_answer: Callable[[Any], Words | None]
    prune: Callable[[Any], Any]
    takes: frozenset[str] | None
    example: Any
    failed: Condition | None
    pending: Condition | None
    follow: FollowPlan | None
    errors: Mapping[str, ErrorMeaning]
    lookup: LookupPlan | None
    paging: PagingPlan | None
    one_at_a_time: str | None
    timeout: float | None
    problems: Callable[..., list[tuple[str, Words]]] = lambda value, without=None: []
    pointers: Places | None = None
    bodies: Bodies | None = None

    def interpret(self, request: Request, answer: Any) -> JsonObject:
        """Return the outcome that an answer means: a value that fits the contract, or an error."""
        try:
            value = entering(answer)
            problem = self.check_answer(value)
        except NotAValue as reason:
            value, problem = None, reason.words
        if problem is not None:
            refused = {"ok": False, "error": self.error("invalid_answer", problem, "invalid")}
            # What a read answered stays with its attempt, so that everything wrong with it can be said at once.
            is_kept = value is not None and self.effect == "read" and len(dumps(value)) <= MOST_OF_A_REFUSED_ANSWER
            return {**refused, "answer": value} if is_kept else refused
        return {"ok": True, "value": self.prune(value)}

    def error(self, code: str, message: str | Words, kind: str | None = None, **more: Any) -> JsonObject:
        """Return an error in the contract's words; an undeclared code of a write may have happened.

        Shapes: a message in both languages is kept in `details`, as adapters do it; `message` itself is one text.
        """
        meaning = self.errors.get(code)
        if meaning is None:
            perhaps = self.effect != "read" and code != "not_sent"
            meaning = ErrorMeaning(kind or "permanent", "perhaps" if perhaps else "never")
        result: JsonObject = {"code": code, "kind": meaning.kind, "happened": meaning.happened, "message": message}
        if isinstance(message, Words):
            result |= {"message": message.en, "details": {"message": message._asdict()}}
        result.update(more)
        return result


@record
class BudgetPlan:
    """`tools` empty: every call counts. `per` None: one count for the run."""

    name: str
    tools: tuple[str, ...]
    per: Evaluate | None
    at_most: Evaluate
    when_spent: Literal["block", "fail"]

    def counts(self, tool: str) -> bool:
        return not self.tools or any(
            tool == wanted or (wanted.endswith(".*") and tool.startswith(wanted[:-1])) for wanted in self.tools
        )


@record
class ConditionPlan:
    """One condition of a gate.

    Shapes: `confirmed` names a question whose confirming answer must still be valid; `expression` is what `that`
    evaluates, where it sees the names as they are.
    """

    that: Condition | None
    confirmed: str | None
    message: Evaluate | None
    text: str
    where: Where
    expression: Evaluable | None = None


def note_of_gate(gate: str, findings: list[JsonObject], *, is_waived: bool) -> JsonObject:
    """Return what the trace says of one gate among several, some of which did not hold."""
    held = not findings or ("waived" if is_waived else False)
    return {"note": "gate", "gate": gate, "held": held, "findings": findings}


@record
class GatePlan:
    name: str
    conditions: tuple[ConditionPlan, ...]
    redo: tuple[str, str] | None
    waivable: bool


def note_of_way(state: str, held: Iterable[GatePlan] = ()) -> JsonObject:
    """Return what the trace says of the way from a state to the next one, or to the end.

    Shapes: `held` are the gates on it where each of them held at the first look.
    """
    return {"from": state, "gates": [gate.name for gate in held]}


def place_of(state: str, number: int) -> str:
    """Return what the uses of a transition are counted by: one text, since it is looked up at every visit."""
    return f"{state}/{number}"


def at_place(place: str) -> tuple[str, int]:
    """Return the state and the number of the transition that a place stands for."""
    state, _, number = place.rpartition("/")
    return state, int(number)


@record
class TransitionPlan:
    """Shapes: `place` is what its uses are counted by; `gates` are its own, and those that protect where it leads;
    `all_hold` asks them all at once, without saying why one does not; `note` is what the trace says of where it leads,
    and how, where they hold, which is nearly always.
    """

    number: int
    place: str
    note: JsonObject
    to: str
    when: Condition | None
    gates: tuple[GatePlan, ...]
    all_hold: Condition
    at_most: Evaluate | None
    partial: Evaluate | None
    where: Where


@record
class StatePlan:
    """Shapes: `note` is what the trace says of every visit of it, however it is come to."""

    name: str
    note: JsonObject
    title: Any
    tools: frozenset[str]
    enter: tuple[GatePlan, ...]
    resets: tuple[str, ...]
    questions: tuple[str, ...]
    progress: Evaluate | None
    first: float
    every: float
    when_cancelled: str | None
    steps: Sequence
    next: tuple[TransitionPlan, ...]
    where: Where


@record
class OutputPlan:
    """`marks` say what of it is masked wherever it is shown; `citations` where its type says that citations stand.

    Shapes: `accepts` is None where any value will do; `problem` says in words why one will not.
    """

    name: str
    value: Evaluate
    default: Any
    accepts: Callable[[Any], bool] | None
    problem: Callable[[Any], Words | None]
    where: Where
    private: bool
    sensitive: bool
    marks: Marks = NOTHING
    citations: Places | None = None


@record
class EvidencePlan:
    """`citation` sees `unit`; `fields` are the fields of every citation.

    Shapes: `inputs` say where bodies stand, by input; `data` where citations stand, by name.
    """

    citation: Evaluate
    fields: frozenset[str]
    inputs: Mapping[str, Bodies]
    data: Mapping[str, Places]


@record
class SelectorPlan:
    """What a guarantee talks about, by exact names. `states` narrows calls and steps."""

    kind: EventKind
    names: frozenset[str]
    states: frozenset[str] = frozenset()


@record
class GuaranteePlan:
    id: str
    kind: str
    subject: SelectorPlan | None
    other: SelectorPlan | None
    since: SelectorPlan | None
    only_in: frozenset[str]
    condition: Condition | None
    condition_names: frozenset[str]
    message: Any
    where: Where


@record
class Program:
    """A workflow, ready to be walked. `digest` stands for all its documents.

    Shapes: `hidden` are the data that are private or sensitive, or made of such; `evidence` says how citations look and
    which inputs hold text that was read, None where nothing is ever admitted.
    """

    name: str
    version: str
    title: Any
    effect: Effect
    first_state: str
    states: Mapping[str, StatePlan]
    inputs: tuple[Declaration, ...]
    data: Mapping[str, Declaration]
    outputs: tuple[OutputPlan, ...]
    rules: Mapping[str, Any]
    rule_values: Names
    contracts: Mapping[str, ContractPlan]
    available_tools: frozenset[str]
    every_call: tuple[tuple[str, Evaluate], ...]
    budgets: tuple[BudgetPlan, ...]
    pools: Mapping[str, Evaluate]
    guarantees: tuple[GuaranteePlan, ...]
    labels: Mapping[str, Mapping[str, Any]]
    writes_without_confirmation: Mapping[str, Any]
    confirm_through: frozenset[str]
    digest: str
    workflows: Mapping[str, Program] = field(default_factory=dict)
    questions: Mapping[str, Any] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    evidence: EvidencePlan | None = None
