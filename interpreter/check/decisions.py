"""`decide`: the rule exists, and its facts are inputs of the rule; thresholds that tables read elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from interpreter.check.gates import hint_of_unused
from interpreter.check.names import unreadable_rules
from interpreter.diagnostics import Diagnostic, did_you_mean, finding, nearest
from interpreter.documents.loading import node_at
from interpreter.model import DecideStep, Written
from interpreter.resolve import Resolved, Use
from interpreter.source import Span
from interpreter.static.inference import shape_of_node
from interpreter.static.rule_shapes import facts_of, needed_facts, range_of
from rules.columns import NUMBERS
from rules.expr import tree

if TYPE_CHECKING:
    from rules.cells import OutsideReference
    from rules.documents import RuleDocument

_KIND_ZH = {"threshold": "阈值", "list": "列表", "gate": "门禁"}


def check_decisions(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield rules that cannot be decided by, facts that a rule does not read or nobody gives, answers nobody reads.

    Errors: name/unknown-rule, name/rule-not-a-table, type/unknown-fact, type/fact-not-given, type/other-scale,
            name/unread-output.
    """
    for visit in resolved.visits:
        if isinstance(visit.step, DecideStep):
            yield from _decision(resolved, visit.step)
    if resolved.is_whole:
        yield from _unread(resolved)
    for use in resolved.uses:
        yield from _other_scale(use)


def _decision(resolved: Resolved, step: DecideStep) -> Iterator[Diagnostic]:
    used = [name for name, _ in resolved.workflow.uses.rules]
    name = f"{step.document}.{step.rule}"
    if step.document not in used:
        near = nearest(step.document, unreadable_rules(resolved))
        if step.document not in resolved.loaded.doubtful and near is None:
            hint = hint_of_unused(step.document, step.rule, used)
            yield finding("name/unknown-rule", step.rule_span, hint=hint, name=name)
        return
    document = resolved.documents.rules.get(step.document)
    if document is None or not resolved.documents.is_whole("rules", step.document):
        return
    kind = document.names.get(step.rule)
    if kind is None:
        hint = did_you_mean(step.rule, [*document.decidable, *document.independence])
        yield finding("name/unknown-rule", step.rule_span, hint=hint, name=name)
    elif kind in _KIND_ZH:
        yield finding("name/rule-not-a-table", step.rule_span, name=name, kind=kind, kind_zh=_KIND_ZH[kind])
    else:
        yield from _facts(step, document)


def _facts(step: DecideStep, document: RuleDocument) -> Iterator[Diagnostic]:
    facts = facts_of(document, step.rule)
    if facts is None:
        return
    yield from _not_given(step, document)
    for fact, value, span in step.facts:
        if fact not in facts:
            rule = f"{step.document}.{step.rule}"
            yield finding("type/unknown-fact", span, hint=did_you_mean(fact, facts), rule=rule, name=fact)
            continue
        word = value.expression.constant if isinstance(value, Written) else None
        words = facts[fact]
        if isinstance(word, str) and words and isinstance(value, Written) and word not in words:
            hint = did_you_mean(word, [str(each) for each in words])
            yield finding("type/never-equal", value.place.span, hint=hint, value=word)


def _not_given(step: DecideStep, document: RuleDocument) -> Iterator[Diagnostic]:
    """Yield facts that the rule asks about and this step does not give, unless a row asks for that very lack."""
    given = {fact for fact, _, _ in step.facts}
    for name in needed_facts(document, step.rule):
        if name not in given and nearest(name, given) is None:  # a misspelling is said once
            yield finding("type/fact-not-given", step.rule_span, rule=f"{step.document}.{step.rule}", name=name)


def _other_scale(use: Use) -> Iterator[Diagnostic]:
    """Yield a value declared from 0 to 1 where a rule counts from 0 to 100, and the other way round."""
    if use.expected is None or len(use.expressions) != 1:
        return
    node = use.expressions[0].tree
    shape = shape_of_node(node, use.scope)
    mine, theirs = range_of(shape), range_of(use.expected)
    if mine is not None and theirs is not None and {mine, theirs} == {(0, 1), (0, 100)}:
        found, wanted = f"0..{mine[1]}", f"0..{theirs[1]}"
        yield finding("type/other-scale", use.part(node.start, node.end), found=found, wanted=wanted)


def _read_fields(resolved: Resolved) -> dict[str, set[str] | None]:
    """Return the fields that are read of each name; None where it is read whole."""
    read: dict[str, set[str] | None] = {}
    for use in resolved.uses:
        for expression in use.expressions:
            _note_fields(expression.tree, read)
    return read


def _note_fields(node: tree.Node, read: dict[str, set[str] | None]) -> None:
    if isinstance(node, tree.Field) and isinstance(node.base, tree.Name):
        fields = read.setdefault(node.base.name, set())
        if fields is not None:
            fields.add(node.name)
        return
    if isinstance(node, tree.Name):
        read[node.name] = None
    for child in tree.children(node):
        _note_fields(child, read)


def _unread(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield outputs of a table that nobody reads; quiet where some answer is read whole, or not at all."""
    read = _read_fields(resolved)
    steps: dict[tuple[str, str], list[DecideStep]] = {}
    for visit in resolved.visits:
        if isinstance(visit.step, DecideStep):
            steps.setdefault((visit.step.document, visit.step.rule), []).append(visit.step)
    for (name, rule), asked in steps.items():
        document = resolved.documents.rules.get(name)
        table = document.tables.get(rule) if document is not None else None
        answers = [read.get(step.bind_as, set()) for step in asked if step.bind_as is not None]
        fields = {field for fields in answers if fields is not None for field in fields}
        if table is None or table.gives_list or None in answers or not fields:
            continue
        named = {output.name for output in table.outputs}
        for output in table.outputs:
            # A misspelling is said where it stands.
            if output.name not in fields and nearest(output.name, fields - named) is None:
                yield finding("name/unread-output", asked[0].rule_span, rule=f"{name}.{rule}", name=output.name)


def check_outside_thresholds(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield thresholds of other documents that a rule reads and that are not there, or are of another kind.

    Errors: name/unknown-rule, rule/reference-kind.
    """
    if not resolved.documents.rules:
        return
    from rules.documents import SECTIONS  # not every workflow has rules

    sections = {kind: section for section, kind in SECTIONS.items()}
    for document in resolved.documents.rules.values():
        loaded = resolved.documents.of("rules", document.name)
        if loaded is None or loaded.node is None:
            continue
        for rule, references in document.outside.items():
            where = node_at(loaded.node, (sections[document.names[rule]], rule)).span
            for reference in references:
                yield from _reference(resolved, reference, where, rule)


def _reference(resolved: Resolved, reference: OutsideReference, where: Span, rule: str) -> Iterator[Diagnostic]:
    other, _, name = reference.name.partition(".")
    known = resolved.documents.rules.get(other)
    if known is None or name not in known.values:
        names = [f"{other}.{each}" for each in known.values] if known else list(resolved.documents.rules)
        yield finding("name/unknown-rule", where, hint=did_you_mean(reference.name, names), name=reference.name)
        return
    kind = known.thresholds[name].kind if name in known.thresholds else "any"
    if reference.kind not in (kind, "any") and kind != "any" and not {kind, reference.kind} <= NUMBERS:
        yield finding(
            "rule/reference-kind", where, name=reference.name, kind=kind, column=rule, expected=reference.kind
        )
