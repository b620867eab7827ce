"""What is declared and never read. Quiet about a document that could not be read whole."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic, finding, nearest
from interpreter.model import AskStep, UseStep
from interpreter.resolve import Resolved
from interpreter.scopes import Binding

_LOCAL_KINDS = frozenset({"local", "answer"})


def check_unused(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield names that are never read. Errors: name/unused-data, -input, -local, -block."""
    if not resolved.is_whole:
        return
    read = _read_bindings(resolved)
    unknown = {name for use in resolved.uses for name, _, _ in use.names if use.scope.get(name) is None}
    for binding in resolved.bindings:
        code = _code(resolved, binding)
        if code is None or binding in read or binding.span is None:
            continue
        # A name that was misspelled where it is declared is said once, where it is read.
        if nearest(binding.name, unknown) is None:
            yield finding(code, binding.span, name=binding.name)
    used = {visit.step.block for visit in resolved.visits if isinstance(visit.step, UseStep)}
    missing = used - {block.name for block in resolved.workflow.blocks}
    for block in resolved.workflow.blocks:
        if block.name not in used and nearest(block.name, missing) is None:
            yield finding("name/unused-block", block.name_span, name=block.name)


def _code(resolved: Resolved, binding: Binding) -> str | None:
    if binding.name.startswith("_"):
        return None
    if binding.kind == "data":
        return "name/unused-data"
    if binding.kind == "input":
        return "name/unused-input"
    return "name/unused-local" if binding.kind in _LOCAL_KINDS else None


def _read_bindings(resolved: Resolved) -> set[Binding]:
    read = {found for use in resolved.uses for name, _, _ in use.names if (found := use.scope.get(name))}
    # What `per` of a budget reads is found by its name alone.
    by_budget = {
        name for budget in resolved.workflow.budgets if budget.per for name, _, _ in budget.per.expression.names
    }
    read |= {binding for binding in resolved.bindings if binding.name in by_budget}
    for gate_name in _names_of_rule_gates(resolved):
        found = resolved.everywhere.get(gate_name)
        read |= {found} if found is not None else set()
    return read | _filled(resolved)


def _names_of_rule_gates(resolved: Resolved) -> Iterator[str]:
    for document in resolved.documents.rules.values():
        for gate in document.gates.values():
            for condition in gate.conditions:
                if condition.that is not None:
                    yield from (name for name, _, _ in condition.that.names)


def _filled(resolved: Resolved) -> set[Binding]:
    """Data that a form fills are shown there with their value, which is a way of reading them."""
    names = {each.name for step in resolved.questions() if isinstance(step, AskStep) for each in step.form}
    return {found for name in names if (found := resolved.everywhere.get(name)) is not None}
