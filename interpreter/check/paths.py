"""What `set`, `collect`, `checkpoint` and `resets` change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interpreter.check.fields import kind_words, missing_field
from interpreter.diagnostics import Diagnostic, Related, Words, did_you_mean, finding
from interpreter.model import (
    AnyStep,
    AskStep,
    Block,
    CallStep,
    CollectStep,
    ConfirmStep,
    Constant,
    EachStep,
    MappingOf,
    Path,
    SetStep,
    UseStep,
)
from interpreter.resolve import Resolved, Target, Visit, stands_in_data
from interpreter.source import Span
from interpreter.static.inference import shape_of_path, walk_path
from interpreter.static.scopes import Binding
from interpreter.static.values import Missing
from interpreter.steps import steps_inside, steps_with_blocks
from rules.expr import tree


def check_targets(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield targets that are not data.

    Errors: name/unknown-data, name/not-data, type/unknown-field, type/perhaps-misspelled.
    """
    unknown = {name for use in resolved.uses for name, _, _ in use.names if use.scope.get(name) is None}
    for target in resolved.targets:
        yield from _root(resolved, target, unknown)
        yield from _segments(target)
    for state in resolved.workflow.states:
        for name, span in state.resets:
            yield from _reset(resolved, name, span)


def _root(resolved: Resolved, target: Target, unknown: set[str]) -> Iterator[Diagnostic]:
    path = target.path
    span = path.place.part(0, len(path.root))
    binding = target.scope.get(path.root)
    if binding is None:
        if path.root not in resolved.loaded.doubtful and path.root not in unknown:
            yield finding("name/unknown-data", span, hint=did_you_mean(path.root, _data(resolved)), name=path.root)
    elif binding.kind not in ("input", "data") and not (binding.over_data and path.segments):
        hint = _data_behind(resolved, binding) if path.segments else None
        yield finding("name/not-data", span, hint=hint, name=path.root, verb=target.field)


def _data_behind(resolved: Resolved, binding: Binding) -> Words | None:
    """Return how a loop over what was chosen from data goes over the data themselves; None for any other name."""
    for visit in resolved.visits:
        step = visit.step
        if isinstance(step, EachStep) and step.name_span == binding.span:
            node = step.rows.expression.tree
            while isinstance(node, tree.Apply) and node.subject is not None:
                node = node.subject
            if stands_in_data(node, visit.scope):
                data = step.rows.expression.text[node.start : node.end]
                return Words(
                    f"要改这些项，就写 in: {data}，条件写在 where 里：过滤器给出的是另一个列表",
                    f"write in: {data}, and the condition under where, to change entries: a filter gives another list",
                )
    return None


def _reset(resolved: Resolved, name: str, span: Span) -> Iterator[Diagnostic]:
    binding = resolved.everywhere.get(name)
    if binding is None and name not in resolved.loaded.doubtful:
        yield finding("name/unknown-data", span, hint=did_you_mean(name, _data(resolved)), name=name)
    elif binding is not None and binding.kind not in ("input", "data"):
        yield finding("name/not-data", span, name=name, verb="resets")


def _data(resolved: Resolved) -> list[str]:
    return [name for name, found in resolved.everywhere.names.items() if found.kind in ("input", "data")]


def _segments(target: Target) -> Iterator[Diagnostic]:
    path = target.path
    for number, found in walk_path(path, target.scope):
        if number >= 0 and isinstance(found, Missing):
            segment = path.segments[number]
            yield from missing_field(str(segment), found, _segment_span(path, number))
            return


def _segment_span(path: Path, number: int) -> Span:
    """Return the place of a field in a path; brackets before it are counted by their expressions."""
    at = len(path.root)
    for segment in path.segments[:number]:
        at += len(segment) + 1 if isinstance(segment, str) else len(segment.expression.text) + 2
    segment = path.segments[number]
    return path.place.part(at + 1, at + 1 + (len(segment) if isinstance(segment, str) else 1))


def check_collected(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield what `collect` cannot add. Errors: type/not-a-list, type/missing-key-field, type/unknown-field."""
    for visit in resolved.visits:
        if isinstance(visit.step, CollectStep):
            yield from _collected(resolved, visit, visit.step)


def _collected(resolved: Resolved, visit: Visit, step: CollectStep) -> Iterator[Diagnostic]:
    shape = shape_of_path(step.target, visit.scope)
    kinds = shape.kinds() if shape is not None else None
    if kinds is not None and "array" not in kinds:
        zh, en = kind_words(kinds)
        yield finding("type/not-a-list", step.target.place.span, found_zh=zh, found_en=en)
        return
    item = shape.item() if shape is not None else None
    if item is not None:
        places = resolved.loaded.places
        for name in step.merge:
            found = item.field(name)
            if isinstance(found, Missing):
                merge = places.value(step.span, "merge")
                yield from missing_field(name, found, places.key(merge, name))
    if isinstance(step.item, MappingOf) and not step.target.segments:
        yield from _key_fields(resolved, step, step.item)


def _key_fields(resolved: Resolved, step: CollectStep, item: MappingOf) -> Iterator[Diagnostic]:
    declared = next((each for each in resolved.workflow.data if each.name == step.target.root), None)
    given = {name for name, _, _ in item.entries}
    for name in declared.key if declared is not None else ():
        if name not in given and name not in resolved.loaded.doubtful:
            yield finding("type/missing-key-field", item.span, list=step.target.root, name=name)


def check_written_fields(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield fields of written mappings that the place does not name.

    Errors: type/unknown-field, type/perhaps-misspelled.
    """
    for name, found, span in resolved.written:
        yield from missing_field(name, found, span)


def check_changes_at_once(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield changes in a body that runs at once, but for its own item. Errors: flow/change-at-once."""
    for visit in resolved.visits:
        loop = _loop_at_once(visit)
        if loop is None:
            continue
        for path in _changed_by(visit.step):
            if path.root != loop.name:
                span = path.place.part(0, len(path.root))
                yield finding("flow/change-at-once", span, name=path.root)


def changed_by(step: AnyStep) -> frozenset[str] | None:
    """Return the data and questions that a step, or one inside it, gives a value; None where they may be any."""
    inside = list(steps_inside((step,)))
    if any(isinstance(one, UseStep) for one in inside):
        return None
    changed = {path.root for one in inside for path in _changed_by(one)}
    for one in reversed(inside):
        if isinstance(one, EachStep) and one.name in changed:  # it stands for an entry of its list
            changed.update(use.name for use in one.rows.expression.names)
        elif isinstance(one, AskStep):
            changed.update((one.name, *(field.name for field in one.form)))
        elif isinstance(one, ConfirmStep):
            changed.add(one.name)
    return frozenset(changed)


def _changed_by(step: AnyStep) -> Iterator[Path]:
    if isinstance(step, SetStep):
        yield from (assignment.path for assignment in step.assignments)
    elif isinstance(step, CollectStep):
        yield step.target
    elif isinstance(step, CallStep) and step.pages is not None:
        yield from (assignment.path for assignment in step.pages.checkpoint)


def _loop_at_once(visit: Visit) -> EachStep | None:
    return next((step for step in reversed(visit.around) if isinstance(step, EachStep) and runs_at_once(step)), None)


def runs_at_once(step: EachStep) -> bool:
    """Whether bodies may run beside each other; `at_once: 1` is still that form of the loop."""
    return step.at_once is not None and not (isinstance(step.at_once, Constant) and step.at_once.value is None)


def check_replaced_lists(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield lists that are replaced by the steps of a loop that goes through them in order.

    A loop stands at a place in its list: where the list has become shorter or is in another order it would pass over
    entries, or work on one twice. Errors: flow/list-replaced-in-loop.
    """
    blocks = {block.name: block for block in resolved.workflow.blocks}
    for visit in resolved.visits:
        loop = visit.step
        if not isinstance(loop, EachStep) or runs_at_once(loop):
            continue
        rows = loop.rows.expression.tree
        listed = _fields_of(rows)
        if listed and stands_in_data(rows, visit.scope):
            here = Related(loop.name_span, Words("循环在这里", "the loop is here"))
            for path, span in _replaced_by(loop.steps, blocks):
                if path == listed[: len(path)]:
                    name = ".".join(path)
                    yield finding("flow/list-replaced-in-loop", span, related=[here], name=name, loop=loop.name)


def _fields_of(node: tree.Node) -> tuple[str, ...]:
    """Return root and fields of a path that is written out, () for anything else."""
    fields: list[str] = []
    while isinstance(node, tree.Field) and not node.brackets:
        fields.append(node.name)
        node = node.base
    return (node.name, *reversed(fields)) if isinstance(node, tree.Name) else ()


def _replaced_by(written: tuple[AnyStep, ...], blocks: Mapping[str, Block]) -> Iterator[tuple[tuple[str, ...], Span]]:
    """Yield the places that steps put another value in, with where that is written: for a block where it is used."""
    for step in steps_inside(written):
        yield from _replaced_at(step)
        if isinstance(step, UseStep) and step.block in blocks:
            for inner in steps_with_blocks(blocks[step.block].steps, blocks):
                yield from ((path, step.block_span) for path, _ in _replaced_at(inner))


def _replaced_at(step: AnyStep) -> Iterator[tuple[tuple[str, ...], Span]]:
    """Yield the places that a step itself puts another value in."""
    if isinstance(step, AskStep):
        yield from (((field.name,), field.span) for field in step.form)
    elif not isinstance(step, CollectStep):
        for path in _changed_by(step):
            if all(isinstance(segment, str) for segment in path.segments):
                yield (path.root, *map(str, path.segments)), path.place.part(0, len(path.root))
