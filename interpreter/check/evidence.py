"""Evidence: only text that was read is admitted, and every pointer of an answer is bound."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.check.absence import paths_in, softly_read
from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.model import (
    AdmitStep,
    Bind,
    CallStep,
    ChooseOf,
    Contract,
    EachOf,
    ListOf,
    MappingOf,
    Text,
    Value,
    Written,
    span_of,
)
from interpreter.pointers import citations_in, names_taken, pointers_in, sides_of
from interpreter.resolve import Resolved
from interpreter.source import Span
from interpreter.static.inference import loop_bindings, shape_of_value
from interpreter.static.scopes import Scope
from interpreter.static.values import Missing, Shape, record

_OF_SOURCE = "unit.source."


def check_bound(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield pointers that nobody looks up, and look-ups that fit no pointer.

    Errors: evidence/not-bound, evidence/nothing-to-bind, evidence/unknown-side, evidence/side-missing.
    """
    for visit in resolved.visits:
        step = visit.step
        if not isinstance(step, CallStep):
            continue
        sides = _sides(resolved, step)
        if sides is None:
            continue
        tool, _, span = (step.tool.among[0][1], None, step.tool.among[0][2])
        if step.bind is None:
            if sides:
                yield finding("evidence/not-bound", span, tool=tool, sides=", ".join(sides))
        elif not sides:
            yield finding("evidence/nothing-to-bind", step.bind.span, tool=tool)
        else:
            yield from _among(step.bind, sides)


def _sides(resolved: Resolved, step: CallStep) -> tuple[str, ...] | None:
    """Return the sides that the answers of a call point at; None where a contract could not be read whole."""
    found: dict[str, None] = {}
    for _, tool, _ in step.tool.among:
        contract = resolved.documents.tools.get(tool)
        if contract is None or not resolved.documents.is_whole("tools", tool.partition(".")[0]):
            return None
        places = pointers_in(contract.output)
        found.update(dict.fromkeys(sides_of(places) if places is not None else ()))
    return tuple(found) if step.tool.among else None


def _among(bind: Bind, sides: tuple[str, ...]) -> Iterator[Diagnostic]:
    given = [side for side, _, _ in bind.among]
    for side, _, span in bind.among:
        if side not in sides:
            yield finding("evidence/unknown-side", span, hint=did_you_mean(side, sides), side=side)
    for side in sides:
        if side not in given:
            yield finding("evidence/side-missing", bind.span, side=side)


def check_answer(contract: Contract) -> Iterator[Diagnostic]:
    """Yield what no answer of a tool may hold.

    Errors: evidence/name-taken, evidence/citation-from-outside.
    """
    for name in dict.fromkeys(names_taken(contract.output)):
        yield finding("evidence/name-taken", contract.span, tool=contract.name, name=name)
    if citations_in(contract.output) is not None:
        yield finding("evidence/citation-from-outside", contract.span, tool=contract.name)


def check_admitted(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield snippets that are to become evidence. Errors: evidence/not-a-body."""
    for visit in resolved.visits:
        if isinstance(visit.step, AdmitStep):
            for name, span in _leads(visit.step.texts, visit.scope):
                yield finding("evidence/not-a-body", span, name=name)


def _leads(value: Value, scope: Scope) -> Iterator[tuple[str, Span]]:
    """Yield what is offered and known to be a snippet."""
    match value:
        case ListOf(items=items):
            for item in items:
                yield from _leads(item, scope)
        case MappingOf(entries=entries):
            for name, part, _ in entries:
                if name == "text":
                    yield from _leads(part, scope)
        case EachOf(name=name, rows=rows, index=index, give=give):
            yield from _leads(give, scope.extended(*loop_bindings(name, rows, index, value, scope)))
        case ChooseOf(branches=branches):
            for branch in branches:
                yield from _leads(branch.give, scope)
        case Written(expression=expression, place=place):
            if _is_lead(shape_of_value(value, scope)):
                yield expression.source.strip(), place.span
        case Text(template=template, place=place):
            if template.single is not None and _is_lead(shape_of_value(value, scope)):
                yield template.single.source.strip(), place.span


def _is_lead(shape: Shape | None) -> bool:
    """Whether a text, the text of an entry, or that of each entry of a list is marked as a snippet."""
    if shape is None:
        return False
    item = shape.item() if shape.is_list() else shape
    if item is None:
        return False
    text = item.field("text")
    return _is_marked(item) or (isinstance(text, Shape) and _is_marked(text))


def _is_marked(shape: Shape) -> bool:
    branches = list(shape.branches())
    return bool(branches) and all(branch.schema.get("evidence") == "lead" for branch in branches)


def _cited_sides(resolved: Resolved) -> frozenset[str] | None:
    """Return the sides of which citations are made; None where any may be: `cite` takes a unit of any side."""
    if any(True for use in resolved.uses for one in use.expressions for _ in one.calls_of("cite")):
        return None
    steps = (visit.step for visit in resolved.visits)
    binds = (step.bind for step in steps if isinstance(step, CallStep) and step.bind is not None)
    return frozenset(side for bind in binds for side, _, _ in bind.among)


def check_pointers(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield pointers where no answer stands, and what a citation may not say.

    Errors: evidence/pointer-outside-answer, evidence/form-is-given.
    """
    workflow = resolved.workflow
    taken = (declared for block in workflow.blocks for declared in block.takes)
    for declared in (*workflow.inputs, *workflow.data, *workflow.outputs, *taken):
        if pointers_in(declared.schema) is not None:
            yield finding("evidence/pointer-outside-answer", declared.name_span, name=declared.name)
    for name, _, span in workflow.citation:
        if name == "form":
            yield finding("evidence/form-is-given", span)


def check_sources(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield sources that lack what every citation reads of them. Errors: evidence/source-lacks-field."""
    read = {
        path.removeprefix(_OF_SOURCE).partition(".")[0]
        for use in resolved.uses
        if use.scope.get("unit") is not None and any(name == "unit" for name, _, _ in use.names)
        for expression in use.expressions
        for path in set(paths_in(expression.tree)) - set(softly_read(expression))
        if path.startswith(_OF_SOURCE)
    }
    cited = _cited_sides(resolved) if read else frozenset()
    for visit in resolved.visits:
        if not isinstance(visit.step, AdmitStep) or (cited is not None and visit.step.side not in cited):
            continue
        source = visit.step.source
        shape = shape_of_value(source, visit.scope) if source is not None else record({})
        for name in sorted(read):
            if shape is not None and isinstance(shape.field(name), Missing):
                span = span_of(source) if source is not None else visit.step.span
                yield finding("evidence/source-lacks-field", span, name=name)
