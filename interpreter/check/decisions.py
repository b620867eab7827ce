"""`decide`: the rule exists, and its facts are inputs of the rule; thresholds that tables read elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.check.names import unreadable_rules
from interpreter.diagnostics import Diagnostic, did_you_mean, finding, nearest
from interpreter.documents import node_at
from interpreter.model import DecideStep, Written
from interpreter.resolve import Resolved
from rules.documents import RuleDocument

_KIND_ZH = {"threshold": "阈值", "list": "列表", "gate": "门禁"}


def check_decisions(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield rules that cannot be decided by, and facts that a rule does not read.

    Errors: name/unknown-rule, name/rule-not-a-table, type/unknown-fact.
    """
    for visit in resolved.visits:
        if isinstance(visit.step, DecideStep):
            yield from _decision(resolved, visit.step)


def _decision(resolved: Resolved, step: DecideStep) -> Iterator[Diagnostic]:
    used = [name for name, _ in resolved.workflow.uses.rules]
    name = f"{step.document}.{step.rule}"
    if step.document not in used:
        near = nearest(step.document, unreadable_rules(resolved))
        if step.document not in resolved.loaded.doubtful and near is None:
            hint = did_you_mean(step.document, used)
            yield finding("name/unknown-rule", step.rule_span, hint=hint, name=name)
        return
    document = resolved.documents.rules.get(step.document)
    if document is None or not resolved.documents.is_whole("rules", step.document):
        return
    kind = document.names.get(step.rule)
    if kind is None:
        hint = did_you_mean(step.rule, document.tables)
        yield finding("name/unknown-rule", step.rule_span, hint=hint, name=name)
    elif kind in _KIND_ZH:
        yield finding("name/rule-not-a-table", step.rule_span, name=name, kind=kind, kind_zh=_KIND_ZH[kind])
    else:
        yield from _facts(step, document)


def _facts(step: DecideStep, document: RuleDocument) -> Iterator[Diagnostic]:
    table = document.tables.get(step.rule)
    if table is None:
        return
    columns = {column.name: column for column in table.columns}
    for fact, value, span in step.facts:
        if fact not in columns:
            rule = f"{step.document}.{step.rule}"
            yield finding("type/unknown-fact", span, hint=did_you_mean(fact, columns), rule=rule, name=fact)
            continue
        word = value.expression.constant if isinstance(value, Written) else None
        words = columns[fact].enum
        if isinstance(word, str) and words and isinstance(value, Written) and word not in words:
            hint = did_you_mean(word, [str(each) for each in words])
            yield finding("type/never-equal", value.place.span, hint=hint, value=word)


def check_outside_thresholds(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield thresholds of other documents that a table reads and that are not there. Errors: name/unknown-rule."""
    for document in resolved.documents.rules.values():
        loaded = resolved.documents.of("rules", document.name)
        if loaded is None or loaded.node is None:
            continue
        for table, references in document.outside.items():
            for reference in references:
                other, _, name = reference.name.partition(".")
                known = resolved.documents.rules.get(other)
                if known is None or name not in known.values:
                    where = node_at(loaded.node, ("tables", table)).span
                    names = [f"{other}.{each}" for each in known.values] if known else list(resolved.documents.rules)
                    yield finding(
                        "name/unknown-rule", where, hint=did_you_mean(reference.name, names), name=reference.name
                    )
