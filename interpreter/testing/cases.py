"""A tests document as records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from interpreter.diagnostics import Diagnostic, did_you_mean, finding, has_errors, in_order
from interpreter.documents.loading import Loader, folder_of, name_below, node_at
from interpreter.parse.context import key_of
from interpreter.parse.values import located, place_of
from interpreter.source import Span
from interpreter.yaml_tree import Mapping as MappingNode
from interpreter.yaml_tree import Node, Scalar, to_value
from rules.expr import Expression, parse_expression
from rules.records import NamedTuple, field, record
from rules.values import ABSENT

#: When a case begins that does not say so itself.
STARTED = "2024-01-01T00:00:00.000Z"
RUN_ID = "case"
#: Who answers where a case does not say it.
ANSWERER = "tester"


class Condition(NamedTuple):
    expression: Expression
    span: Span


@record
class DeclaredAnswer:
    """What a tool answers.

    Shapes: `answer` is ABSENT where `error` (code, kind, message) is given, and where `example` says which fields of
    the example in the contract are other ones. `cancels` says that somebody cancels the run while this call is made;
    `always` that this is given to every call that it fits, and not once. `at` is the instant at which it was recorded,
    '' where it was written down.
    """

    when: Expression | None
    answer: Any
    error: Mapping[str, Any] | None
    breaks_contract: bool
    span: Span
    cancels: bool = False
    always: bool = False
    example: Mapping[str, Any] | None = None
    at: str = ""

    def value(self, example: Any) -> Any:
        """Return what is answered where the contract gives this example; ABSENT for an error."""
        if self.example is None:
            return self.answer
        return {**example, **self.example} if isinstance(example, Mapping) else dict(self.example)


class Tries(NamedTuple):
    """What a person says at one asking.

    Shapes: each of `wrong` has to be refused; `then` is what is said at last, ABSENT where the question stays open;
    `who` is the name of the person.
    """

    wrong: tuple[Any, ...]
    then: Any
    who: str = ANSWERER


def tries_of(answer: Any) -> Tries:
    """Return what is said at one asking: an answer, or one that stands under `then` beside `who` or `wrong`."""
    if not isinstance(answer, Mapping) or not set(answer) <= {"who", "wrong", "then"}:
        return Tries((), answer)
    if "wrong" not in answer and not {"who", "then"} <= set(answer):
        return Tries((), answer)
    wrong = answer.get("wrong", [])
    tried = tuple(wrong) if isinstance(wrong, list) else (wrong,)
    return Tries(tried, answer.get("then", ABSENT), str(answer.get("who", ANSWERER)))


@record
class ExpectedCall:
    """Shapes: `times` is None for at least once."""

    tool: str
    arguments: Mapping[str, Any]
    times: int | None
    span: Span


@record
class Expectation:
    """What must hold after the run; what is None or empty is not asked.

    Shapes: `outputs` are values by name; `messages` are texts, each of which some message must hold, in this order;
    `error` is the code of what stopped or failed the run, or the own code of the step that failed it;
    `spans` say where each word of the expectation stands.
    """

    status: str | None = None
    partial: bool | None = None
    state: str | None = None
    visits: tuple[str, ...] | None = None
    calls: tuple[ExpectedCall, ...] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    that: tuple[Condition, ...] = ()
    messages: tuple[str, ...] = ()
    error: str | None = None
    spans: Mapping[str, Span] = field(default_factory=dict)


@record
class Case:
    """One case, with what it takes from `shared` and from the case that it is like.

    Shapes: `answers` maps a question to its answer, or to a list of answers for its successive visits, each of which
    `tries_of` reads; `injected` maps a state to the data that a faulty step might leave there; `without` are tools that
    nobody has here; `answered_at` are the instants of recorded answers by question and visit; `places` say where each
    part of the case stands.
    """

    id: str
    inputs: Mapping[str, Any]
    sets: Mapping[str, Any]
    tools: Mapping[str, tuple[DeclaredAnswer, ...]]
    answers: Mapping[str, Any]
    now: str
    language: str
    expect: Expectation
    span: Span
    run_id: str = RUN_ID
    injected: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    answered_at: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[tuple[str, ...], Span] = field(default_factory=dict)

    def place(self, *path: str) -> Span:
        """Return where a part of the case stands, such as ("inputs", "topic"); where the case begins if nowhere."""
        return self.places.get(path, self.span)


@record
class Suite:
    """A tests document of one workflow. `profile` answers tools that a case does not, by computation alone."""

    path: PurePath
    workflow: PurePath
    profile: PurePath | None
    cases: tuple[Case, ...]


def read_suite(path: PurePath, loader: Loader) -> tuple[Suite | None, list[Diagnostic]]:
    """Return the cases of a tests document; None for one that is wrong, and for one that tests rules.

    Errors: what reading finds, test/id-twice, test/no-such-case, and expression/… for a condition that does not parse.
    """
    folder = folder_of(path, "tests")
    loaded = loader.load(name_below(path, folder), "tests")
    found = list(loader.all_diagnostics(loaded.name))
    if has_errors(found) or loaded.node is None:
        return None, in_order(found)
    suite, wrong = suite_of(path, loaded.node)
    found = in_order([*found, *wrong])
    return (None if has_errors(found) else suite), found


def suite_of(path: PurePath, node: Node) -> tuple[Suite | None, list[Diagnostic]]:
    """Return the cases of a tests document whose shape is right; None for one that tests rules."""
    body: Any = to_value(node)
    if "workflow" not in body:
        return None, []
    folder = folder_of(path, "tests")
    reader = _Reader(body.get("shared", {}), node_at(node, ("shared",)))
    cases = tuple(reader.case(entry, node_at(node, ("cases", number))) for number, entry in enumerate(body["cases"]))
    profile = folder / "profiles" / f"{body['profile']}.yaml" if "profile" in body else None
    suite = Suite(path, folder / f"{body['workflow']}.yaml", profile, cases)
    return suite, [*reader.found, *_twice(cases)]


def _twice(cases: tuple[Case, ...]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            yield finding("test/id-twice", case.span, id=case.id)
        seen.add(case.id)


class _World(NamedTuple):
    """What a case runs in. Shapes: `nodes` and `places`, of the key, are by path, such as ("inputs", "topic")."""

    parts: Mapping[str, Any]
    nodes: Mapping[tuple[str, ...], Node]
    places: Mapping[tuple[str, ...], Span]

    def changed_by(self, body: Mapping[str, Any], node: Node) -> _World:
        """Return this world with what a case says itself: each name that it says takes the place of what is here."""
        parts, nodes, places = dict(self.parts), dict(self.nodes), dict(self.places)
        for part in (*_NAMED, *_PLAIN):
            if part not in body:
                continue
            inner = node_at(node, (part,))
            nodes[part,], places[part,] = inner, inner.span
            parts[part] = {**parts.get(part, {}), **body[part]} if part in _NAMED else body[part]
            if part in _NAMED and isinstance(inner, MappingNode):
                for key, value in inner.entries:
                    nodes[part, key_of(key)], places[part, key_of(key)] = value, key.span
        return _World(parts, nodes, places)


_NAMED = ("inputs", "set", "tools", "answers", "inject")
_PLAIN = ("without", "run_id", "now", "language")


class _Reader:
    def __init__(self, shared: Mapping[str, Any], node: Node) -> None:
        self.found: list[Diagnostic] = []
        self._shared = _World({}, {}, {}).changed_by(shared, node)
        self._worlds: dict[str, _World] = {}

    def case(self, body: dict[str, Any], node: Node) -> Case:
        case_id = str(body["id"])
        world = self._likeness(body, node).changed_by(body, node)
        self._worlds[case_id] = world
        parts = world.parts
        return Case(
            id=case_id,
            inputs=parts.get("inputs", {}),
            sets=parts.get("set", {}),
            tools={
                tool: tuple(
                    self._answer(entry, node_at(world.nodes["tools", tool], (number,)))
                    for number, entry in enumerate(entries)
                )
                for tool, entries in parts.get("tools", {}).items()
            },
            answers=parts.get("answers", {}),
            now=str(parts.get("now", STARTED)),
            language=str(parts.get("language", "en")),
            expect=self._expectation(body["expect"], node_at(node, ("expect",))),
            span=node_at(node, ("id",)).span,
            run_id=str(parts.get("run_id", RUN_ID)),
            injected=parts.get("inject", {}),
            without=tuple(parts.get("without", ())),
            places=world.places,
        )

    def _likeness(self, body: Mapping[str, Any], node: Node) -> _World:
        """Return what a case begins with: what the case before it that it is like comes to, else what is shared."""
        if "like" not in body:
            return self._shared
        name = str(body["like"])
        if name not in self._worlds:
            place = node_at(node, ("like",)).span
            self.found.append(finding("test/no-such-case", place, hint=did_you_mean(name, self._worlds), id=name))
        return self._worlds.get(name, self._shared)

    def _answer(self, body: dict[str, Any], node: Node) -> DeclaredAnswer:
        when = self._condition(node_at(node, ("when",))) if "when" in body else None
        return DeclaredAnswer(
            when=when.expression if when is not None else None,
            answer=body.get("answer", ABSENT),
            error=body.get("error"),
            breaks_contract=bool(body.get("breaks_contract", False)),
            span=next(node_at(node, (word,)).span for word in ("answer", "example", "error") if word in body),
            cancels=bool(body.get("cancels", False)),
            always=bool(body.get("always", False)),
            example=body.get("example"),
        )

    def _expectation(self, body: dict[str, Any], node: Node) -> Expectation:
        conditions = [self._condition(node_at(node, ("that", number))) for number in range(len(body.get("that", ())))]
        calls = tuple(
            ExpectedCall(call["tool"], call.get("with", {}), call.get("times"), node_at(node, ("calls", number)).span)
            for number, call in enumerate(body.get("calls", ()))
        )
        return Expectation(
            status=body.get("status"),
            partial=body.get("partial"),
            state=body.get("state"),
            visits=tuple(body["visits"]) if "visits" in body else None,
            calls=calls,
            outputs=body.get("outputs", {}),
            that=tuple(one for one in conditions if one is not None),
            messages=tuple(body.get("messages", ())),
            error=body.get("error"),
            spans={name: node_at(node, (name,)).span for name in body},
        )

    def _condition(self, node: Node) -> Condition | None:
        if not isinstance(node, Scalar):
            return None
        text = node.value if isinstance(node.value, str) else node.text
        expression, findings = parse_expression(text)
        self.found.extend(located(findings, place_of(node)))
        return Condition(expression, node.span) if expression is not None else None
