"""Gates and guarantees: what they name exists, and every gate is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interpreter.check.calls import unknown_tool
from interpreter.check.paths import changed_by
from interpreter.check.states import unknown_state
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding, nearest
from interpreter.model import ConfirmStep, NamedGate, Selector
from interpreter.resolve import Resolved
from interpreter.source import Span
from interpreter.steps import all_questions, steps_inside
from rules.expr.functions.host import HOST

_HOSTED = frozenset(row.name for row in HOST)


def check_gates(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield gates that do not exist or are not used. Errors: name/unknown-gate, name/unused-gate."""
    used = list(_used_gates(resolved))
    for gate in used:
        yield from _known_gate(resolved, gate.name, gate.span)
    names = {gate.name for gate in used}
    names |= {name for each in _selectors(resolved) for name in each.gates}
    if resolved.is_whole:
        for declared in resolved.workflow.gates:
            if declared.name not in names:
                span = _gate_span(resolved, declared.name)
                yield finding("name/unused-gate", span, name=declared.name)


def _used_gates(resolved: Resolved) -> Iterator[NamedGate]:
    for state in resolved.workflow.states:
        yield from state.enter
        for road in state.next:
            yield from road.gates


def _gate_span(resolved: Resolved, name: str) -> Span:
    places = resolved.loaded.places
    return places.key(places.value(resolved.workflow.span, "gates"), name)


def _known_gate(resolved: Resolved, name: str, span: Span) -> Iterator[Diagnostic]:
    own = [gate.name for gate in resolved.workflow.gates]
    document, dot, part = name.partition(".")
    if name in own or name in resolved.loaded.doubtful:
        return
    rules = resolved.documents.rules.get(document) if dot else None
    if dot and document in dict(resolved.workflow.uses.rules):
        is_whole = resolved.documents.is_whole("rules", document)
        if rules is None or rules.names.get(part) == "gate" or not is_whole:
            return
        hint = did_you_mean(name, [f"{document}.{gate}" for gate in rules.gates])
    else:
        hint = _gate_hint(resolved, name, own)
    yield finding("name/unknown-gate", span, hint=hint, name=name)


def _gate_hint(resolved: Resolved, name: str, own: list[str]) -> Words:
    """Return what to write for a gate that is not known: a near name, or the document that has to be used first."""
    used = [document for document, _ in resolved.workflow.uses.rules]
    known = [
        f"{each}.{gate}"
        for each in used
        if each in resolved.documents.rules
        for gate in resolved.documents.rules[each].gates
    ]
    document, dot, part = name.partition(".")
    if not dot or nearest(name, known) is not None:
        return did_you_mean(name, [*own, *known])
    return hint_of_unused(document, part, used)


def hint_of_unused(document: str, part: str, used: Sequence[str]) -> Words:
    """Return what to write for a part of a rule document that the workflow does not use: the near one, or its use."""
    if nearest(document, used) is not None:
        return did_you_mean(document, used)
    listed = ", ".join([*used, document])
    return Words(
        f"{part} 若写在规则文档 {document} 里，就在 uses 里写 rules: [{listed}]",
        f"where {part} stands in the rule document {document}, write rules: [{listed}] under uses",
    )


def check_gate_entries(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield entries of gates that name nothing.

    Errors: name/unknown-state, name/unknown-step, name/unknown-question.
    """
    places = resolved.loaded.places
    for gate in resolved.workflow.gates:
        for condition in gate.conditions:
            if condition.confirmed is not None:
                yield from _confirmation(resolved, condition.confirmed, places.value(condition.span, "confirmed"))
        if gate.redo is not None:
            yield from _step(resolved, ".".join(gate.redo), _redo_span(resolved, gate.span))


def check_redone(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield steps that are done again for a gate and change nothing that it asks about.

    Errors: flow/redo-changes-nothing; none where a block or another workflow is used, or the gate asks the run itself
    or reads what is not known.
    """
    steps = {(state.name, step.id): step for state in resolved.workflow.states for step in steps_inside(state.steps)}
    for gate in resolved.workflow.gates:
        step = steps.get(gate.redo) if gate.redo is not None else None
        asked = [condition.that.expression for condition in gate.conditions if condition.that is not None]
        read = {use.name for expression in asked for use in expression.names}
        of_the_run = any(call.name in _HOSTED for expression in asked for call in expression.calls) or "run" in read
        if step is None or not read or of_the_run or any(resolved.everywhere.get(name) is None for name in read):
            continue
        changed = changed_by(step)
        if changed is not None and not changed & read:
            names = ", ".join(sorted(read))
            span = _redo_span(resolved, gate.span)
            yield finding("flow/redo-changes-nothing", span, step=".".join(gate.redo or ()), names=names)


def _redo_span(resolved: Resolved, span: Span) -> Span:
    places = resolved.loaded.places
    index = 0
    while places.value(span, index) is not span:
        entry = places.value(span, index)
        if places.value(entry, "redo") is not entry:
            return places.value(entry, "redo")
        index += 1
    return span


def _confirmation(resolved: Resolved, name: str, span: Span) -> Iterator[Diagnostic]:
    names = [step.name for step in all_questions(resolved.workflow) if isinstance(step, ConfirmStep)]
    if name not in names and name not in resolved.loaded.doubtful:
        yield finding("name/unknown-question", span, hint=did_you_mean(name, names), name=name)


def _step(resolved: Resolved, name: str, span: Span) -> Iterator[Diagnostic]:
    state_name, _, step = name.partition(".")
    state = next((each for each in resolved.workflow.states if each.name == state_name), None)
    if state is None:
        yield from unknown_state(resolved, state_name, span)
        return
    ids = [each.id for each in steps_inside(state.steps) if each.id is not None]
    if step not in ids and step not in resolved.loaded.doubtful:
        yield finding("name/unknown-step", span, hint=did_you_mean(step, ids), state=state_name, name=step)


def check_guarantees(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield selectors that select nothing. Errors: the `name/unknown-…` of what they name, name/guarantee-id-twice."""
    seen: set[str] = set()
    places = resolved.loaded.places
    for guarantee in resolved.workflow.guarantees:
        if guarantee.id and guarantee.id in seen:
            yield finding("name/guarantee-id-twice", places.value(guarantee.span, "id"), name=guarantee.id)
        seen.add(guarantee.id)
        for index, name in enumerate(guarantee.only_in):
            yield from unknown_state(resolved, name, places.value(guarantee.span, "only_in", index))
    for selector in _selectors(resolved):
        yield from _selector(resolved, selector)


def _selectors(resolved: Resolved) -> Iterator[Selector]:
    for guarantee in resolved.workflow.guarantees:
        for selector in (guarantee.subject, guarantee.other, guarantee.since):
            if selector is not None:
                yield selector


def _selector(resolved: Resolved, selector: Selector) -> Iterator[Diagnostic]:
    if selector.span is None:
        return
    for index, name in enumerate(selector.states):
        yield from unknown_state(resolved, name, _at(resolved, selector.span, "state", index))
    for index, name in enumerate(selector.in_states):
        yield from unknown_state(resolved, name, _at(resolved, selector.span, "in", index))
    for index, name in enumerate(selector.confirms):
        yield from _confirmation(resolved, name, _at(resolved, selector.span, "confirm", index))
    for index, name in enumerate(selector.steps):
        yield from _step(resolved, name, _at(resolved, selector.span, "step", index))
    for index, name in enumerate(selector.gates):
        yield from _known_gate(resolved, name, _at(resolved, selector.span, "gate", index))
    for index, name in enumerate(selector.calls):
        if name != "*":
            yield from unknown_tool(resolved, name, _at(resolved, selector.span, "call", index))


def _at(resolved: Resolved, around: Span, key: str, index: int) -> Span:
    """Return the place of a name under a key, which is one name or a list of names."""
    return resolved.loaded.places.value(around, key, index)
