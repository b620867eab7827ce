"""Gates of a rule document, ready to be looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interpreter import model
from interpreter.documents.loading import Documents
from interpreter.engine.data import Names
from interpreter.engine.frame import Condition
from interpreter.engine.program import ConditionPlan, GatePlan
from interpreter.plan.values import Compiler, where_of
from interpreter.source import Place, Span
from rules.documents import RuleDocument
from rules.expr import Expression, parse_template
from rules.gates import Condition as RuleCondition


def gate_of_rules(
    documents: Documents, document: RuleDocument, name: str, named: model.NamedGate, compiler: Compiler
) -> GatePlan:
    """Return a gate `<document>.<name>`.

    Its conditions see the names of the workflow that uses it, and the thresholds and lists of its own document.
    """
    gate = document.gates[name]
    loaded = documents.of("rules", document.name)
    places = loaded.document.places if loaded is not None and isinstance(loaded.document, model.RuleText) else {}
    own = document.values
    conditions = tuple(_condition(one, places.get(one.path, named.span), compiler, own) for one in gate.conditions)
    redo = tuple(gate.redo.split(".", 1)) if gate.redo else None
    return GatePlan(named.name, conditions, redo, gate.waivable)  # type: ignore[arg-type]


def _condition(condition: RuleCondition, span: Span, compiler: Compiler, own: Mapping[str, Any]) -> ConditionPlan:
    that: Condition | None = None
    text = f"confirmed: {condition.confirmed}"
    if condition.that is not None:
        that = _with_own(compiler.condition(_written(condition.that, span)), own)
        text = condition.that.text
    message = compiler.shown(words_of(condition.message, span)) if condition.message is not None else None
    if message is not None:
        message = _with_own(message, own)
    return ConditionPlan(that, condition.confirmed, message, text, where_of(span))


def _with_own(evaluate: Callable[[Names], Any], own: Mapping[str, Any]) -> Callable[[Names], Any]:
    """Return an evaluation that also sees what the document itself names."""
    if not own:
        return evaluate
    return lambda names: evaluate({**own, **names})


def _written(expression: Expression, span: Span) -> model.Written:
    return model.Written(expression, Place(span))


def words_of(message: object, span: Span) -> model.Value:
    """Return the message of a condition as words with holes."""
    if isinstance(message, dict):
        return model.MappingOf(tuple((name, words_of(text, span), span) for name, text in message.items()), span)
    template, findings = parse_template(str(message))
    if template is None or findings:
        return model.Constant(message, span)
    return model.Text(template, Place(span))
