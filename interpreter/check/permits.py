"""Calls beside what their confirmation permits: one that can never equal an entry is refused whenever it is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from interpreter.check.fields import unfit
from interpreter.check.truths import asks_the_host, key_of, names_of
from interpreter.diagnostics import Diagnostic, Related, Words, finding
from interpreter.model import (
    AskStep,
    CallStep,
    CollectStep,
    ConfirmStep,
    Constant,
    EachOf,
    EachStep,
    ListOf,
    MappingOf,
    Permits,
    SetStep,
    State,
    Text,
    Value,
    span_of,
)
from interpreter.resolve import Resolved, Visit
from interpreter.source import Span
from rules.expr import Expression, tree
from rules.records import NamedTuple
from rules.values import canonical_text


class _Difference(NamedTuple):
    """Where two lists of arguments differ. Shapes: `permitted` and `sent` are as written, None for what is left out."""

    path: str
    permitted: str | None
    sent: str | None


def check_permitted(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield calls that their confirmation never permits: another tool, or arguments that cannot be the same.

    What only a run can tell is not said.
    Errors: tool/never-permitted, tool/not-as-permitted, flow/permitted-otherwise.
    """
    confirmations = {step.name: step for step in resolved.questions() if isinstance(step, ConfirmStep)}
    asked_at = {visit.step.name: visit for visit in resolved.visits if isinstance(visit.step, ConfirmStep)}
    for visit in resolved.visits:
        step = visit.step
        if not isinstance(step, CallStep) or step.needs is None or step.tool.by is not None:
            continue
        asked = confirmations.get(step.needs)
        if asked is not None and asked.permits is not None and len(step.tool.among) == 1:
            yield from _call(resolved, visit, asked_at[asked.name], step, asked.permits)


def _call(resolved: Resolved, visit: Visit, asked_at: Visit, step: CallStep, permits: Permits) -> Iterator[Diagnostic]:
    question = step.needs or ""
    entries = _entries(permits.value)
    tool = step.tool.among[0][1]
    if not entries or tool not in resolved.documents.tools:
        return
    named = [entry.get("tool") for entry in entries]
    if any(not isinstance(one, Constant) or not isinstance(one.value, str) for one in named):
        return
    permitted = [
        entry for entry, one in zip(entries, named, strict=True) if isinstance(one, Constant) and one.value == tool
    ]
    related = [Related(permits.span, Words("许可在这里", "it permits this"))]
    if not permitted:
        if tool not in resolved.loaded.doubtful:
            yield finding("tool/never-permitted", step.tool.span, related=related, tool=tool, question=question)
        return
    differences = [_difference(_Constants(), entry.get("with"), step.arguments) for entry in permitted]
    code = "tool/not-as-permitted"
    if None in differences:
        code = "flow/permitted-otherwise"
        sides = _sides(resolved, visit, asked_at, permits)
        differences = [
            known or (sides and _difference(sides, entry.get("with"), step.arguments))
            for entry, known in zip(permitted, differences, strict=True)
        ]
    first = differences[0]
    if first is None or None in differences or _is_said(resolved, tool, first):
        return
    if any(_is_unfit(resolved, _part(side, first.path)) for side in (permitted[0].get("with"), step.arguments)):
        return
    span = resolved.loaded.places.value(step.span, "with")
    sent, shown = _said(first.sent), _said(first.permitted)
    yield finding(
        code,
        span,
        related=related,
        tool=tool,
        question=question,
        name=first.path,
        sent_zh=sent.zh,
        sent_en=sent.en,
        shown_zh=shown.zh,
        shown_en=shown.en,
    )


def arguments_twice(resolved: Resolved) -> Iterator[tuple[Span, Span]]:
    """Yield the arguments that a call and an entry permitting it both write: the one of the call, that of the entry."""
    confirmations = {step.name: step for step in resolved.questions() if isinstance(step, ConfirmStep)}
    for visit in resolved.visits:
        step = visit.step
        asked = confirmations.get(step.needs or "") if isinstance(step, CallStep) else None
        if not isinstance(step, CallStep) or asked is None or asked.permits is None:
            continue
        tools = {tool for _, tool, _ in step.tool.among}
        sent = dict(_places_of(step.arguments))
        for entry in _entries(asked.permits.value):
            named = entry.get("tool")
            if isinstance(named, Constant) and named.value in tools:
                yield from ((sent[name], place) for name, place in _places_of(entry.get("with")) if name in sent)


def _places_of(arguments: Value | None) -> Iterator[tuple[str, Span]]:
    """Yield the names of arguments, each with the place from its key to the end of its value."""
    for name, value, key in arguments.entries if isinstance(arguments, MappingOf) else ():
        yield name, Span(key.source, key.start, span_of(value).end)


def _is_said(resolved: Resolved, tool: str, difference: _Difference) -> bool:
    """Whether a difference is an argument that the tool does not take, or needs: that is a finding of its own."""
    contract = resolved.documents.tools[tool]
    name = difference.path.partition(".")[0]
    takes, needs = contract.input.get("properties"), contract.input.get("required")
    is_unknown = isinstance(takes, dict) and name not in takes
    return is_unknown or (difference.sent is None and isinstance(needs, list) and name in needs)


def _is_unfit(resolved: Resolved, value: Value | None) -> bool:
    """Whether a written value is one that the tool does not take: that is a finding of its own."""
    expected = next((plain.expected for plain in resolved.plains if plain.constant is value), None)
    return isinstance(value, Constant) and expected is not None and any(unfit(value.value, expected, value.span))


def _part(value: Value | None, path: str) -> Value | None:
    """Return what stands at a path of names inside a value."""
    for name in path.split("."):
        value = (
            next((part for key, part, _ in value.entries if key == name), None)
            if isinstance(value, MappingOf)
            else None
        )
    return value


def _entries(value: Value) -> list[dict[str, Value]]:
    """Return the entries that a value writes out; none at all where it is not known what entries there are."""
    match value:
        case MappingOf(entries=entries):
            return [{name: part for name, part, _ in entries}]
        case EachOf(give=give):
            return _entries(give)
        case ListOf(items=items):
            found = [_entries(item) for item in items]
            return [entry for part in found for entry in part] if all(found) else []
    return []


class _Reading(Protocol):
    """What is known of values as they are written."""

    def alone(self, value: Value) -> str | None:
        """Return how a value stands in a message; None where it may be absent, as its counterpart is."""

    def beside(self, permitted: Value, sent: Value) -> tuple[str, str] | None:
        """Return how two values stand in a message that are not parted further; None where they may be the same."""


def _difference(reading: _Reading, permitted: Value | None, sent: Value | None, path: str = "") -> _Difference | None:
    """Return the first place at which two values can never be the same, None where they may be."""
    if permitted is None or sent is None:
        given = sent if permitted is None else permitted
        shown = reading.alone(given) if given is not None else None
        if shown is None:
            return None
        return _Difference(path, None if permitted is None else shown, None if sent is None else shown)
    if isinstance(permitted, MappingOf) and isinstance(sent, MappingOf):
        left = {name: part for name, part, _ in permitted.entries}
        right = {name: part for name, part, _ in sent.entries}
        return _first(
            _difference(reading, left.get(name), right.get(name), f"{path}.{name}".lstrip("."))
            for name in {**left, **right}
        )
    if isinstance(permitted, ListOf) and isinstance(sent, ListOf) and len(permitted.items) == len(sent.items):
        pairs = enumerate(zip(permitted.items, sent.items, strict=True))
        return _first(_difference(reading, one, other, f"{path}[{number}]") for number, (one, other) in pairs)
    apart = reading.beside(permitted, sent)
    return _Difference(path, *apart) if apart is not None else None


class _Constants:
    """Reads constants alone: whatever data hold, these come out different."""

    def alone(self, value: Value) -> str | None:
        return _written(value)

    def beside(self, permitted: Value, sent: Value) -> tuple[str, str] | None:
        if isinstance(permitted, Text) or isinstance(sent, Text):
            return None
        shown, said = _written(permitted), _written(sent)
        return (shown, said) if shown and said and shown != said else None


class _Sides(NamedTuple):
    """Reads a permit and a call that read the same data.

    Shapes: `permitted` and `sent` are the names that may be read on each side and what they stand for: data and inputs
    for themselves, a loop for the list that it goes through; `filled` are those that are never absent.
    """

    permitted: Mapping[str, str]
    sent: Mapping[str, str]
    filled: frozenset[str]

    def alone(self, value: Value) -> str | None:
        single = value.template.single if isinstance(value, Text) else None
        is_filled = single is not None and isinstance(single.tree, tree.Name) and single.tree.name in self.filled
        return _text_of(value) if is_filled else None

    def beside(self, permitted: Value, sent: Value) -> tuple[str, str] | None:
        shown, said = _parts_of(permitted, self.permitted), _parts_of(sent, self.sent)
        if shown is None or said is None or shown[1] != said[1] or not shown[1]:
            return None
        lengths, others = list(map(len, shown[0])), list(map(len, said[0]))
        is_apart = sum(lengths) != sum(others) or (lengths == others and shown[0] != said[0])
        return (_text_of(permitted), _text_of(sent)) if is_apart else None


def _parts_of(value: Value, names: Mapping[str, str]) -> tuple[list[str], list[str]] | None:
    """Return the constant parts of a text, and what stands between them; None where that cannot be compared."""
    if not isinstance(value, Text):
        return None
    texts, holes = [""], list[str]()
    for part in value.template.parts:
        if isinstance(part, str):
            texts[-1] += part
        elif isinstance(part, Expression) and names_of(part.tree) <= set(names) and not asks_the_host(part.tree):
            holes.append(key_of(part.tree, names))
            texts.append("")
        else:
            return None
    return texts, holes


def _text_of(value: Value) -> str:
    return value.template.text if isinstance(value, Text) else ""


def _sides(resolved: Resolved, visit: Visit, asked_at: Visit, permits: Permits) -> _Sides | None:
    """Return what a permit and a call read alike: data that nothing changes between them."""
    if not isinstance(visit.owner, State) or not isinstance(asked_at.owner, State):
        return None
    changed = {name for name, _ in visit.owner.resets} if visit.owner is not asked_at.owner else set[str]()
    is_behind = False
    for one in resolved.visits:
        is_behind = is_behind or one is asked_at
        if (one.owner is asked_at.owner and is_behind) or (one.owner is visit.owner is not asked_at.owner):
            changed.update(_changed_by(one))
    workflow = resolved.workflow
    declared = [one for one in (*workflow.inputs, *workflow.data) if one.name not in changed]
    alike = {one.name: one.name for one in declared}
    filled = frozenset(
        one.name for one in declared if one.default is not None and one.schema.get("type") in ("string", "integer")
    )
    sent = dict(alike)
    for around in visit.around:
        if isinstance(around, EachStep):
            _loop(sent, around.name, around.rows.expression.tree, changed)
    permitted, value = dict(alike), permits.value
    while isinstance(value, EachOf):
        _loop(permitted, value.name, value.rows.expression.tree, changed)
        value = value.give
    return _Sides(permitted, sent, filled)


def _loop(names: dict[str, str], name: str, rows: tree.Node, changed: set[str]) -> None:
    if name not in changed and names_of(rows) <= set(names):
        names[name] = f"one of {key_of(rows, names)}"


def _changed_by(visit: Visit) -> Iterator[str]:
    """Yield the names that a step changes, and the lists through whose entries it does."""
    step = visit.step
    match step:
        case SetStep():
            roots = [assignment.path.root for assignment in step.assignments]
        case CollectStep():
            roots = [step.target.root]
        case AskStep():
            roots = [field.name for field in step.form]
        case CallStep() if step.pages is not None:
            roots = [assignment.path.root for assignment in step.pages.checkpoint]
        case _:
            return
    loops = {one.name: one.rows.expression.tree for one in visit.around if isinstance(one, EachStep)}
    for root in roots:
        yield root
        if root in loops:
            yield from names_of(loops[root])


def _first(differences: Iterator[_Difference | None]) -> _Difference | None:
    return next((one for one in differences if one is not None), None)


def _written(value: Value) -> str | None:
    """Return how a value stands in a message; None for one that may be anything, or absent."""
    match value:
        case Constant(value=constant):
            return None if constant is None else canonical_text(constant) if constant != "" else "''"
        case Text(template=template):
            return None if template.single is not None else template.text
        case MappingOf():
            return "{…}"
        case ListOf():
            return "[…]"
    return None


def _said(text: str | None) -> Words:
    if text == "''":
        return Words("空文本", "an empty text")
    return Words(f"“{text}”", f"“{text}”") if text is not None else Words("空缺", "nothing")
