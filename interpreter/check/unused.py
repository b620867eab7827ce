"""What is declared and never read, or read and never set. Quiet about a document that could not be read whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interpreter.diagnostics import Diagnostic, finding, nearest
from interpreter.model import AskStep, Constant, UseStep, Value
from interpreter.resolve import Resolved
from interpreter.static.scopes import Binding
from rules.values import dumps

_LOCAL_KINDS = frozenset({"local", "answer"})


def check_unused(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield names that are never read, or never set.

    Errors: name/unused-data, -input, -local, -block, name/never-set.
    """
    if not resolved.is_whole:
        return
    read = _read_bindings(resolved)
    yield from _never_set(resolved, read)
    unknown = {name for use in resolved.uses for name, _, _ in use.names if use.scope.get(name) is None}
    for binding in resolved.bindings:
        code = _code(binding)
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


def _never_set(resolved: Resolved, read: set[Binding]) -> Iterator[Diagnostic]:
    """Yield data that are read and that nothing changes: whatever asks for them always gets the same answer.

    A value that says something of its own may be meant to stay, a list of words say; true, false, an empty text and
    null are not.
    """
    changed = {found for target in resolved.targets if (found := target.scope.get(target.path.root)) is not None}
    changed |= _filled(resolved)
    written = {target.path.root for target in resolved.targets if target.scope.get(target.path.root) is None}
    by_name = {declared.name: declared for declared in resolved.workflow.data}
    for binding in resolved.bindings:
        if binding.kind != "data" or binding.span is None or binding in changed or binding not in read:
            continue
        stays = _says_nothing(by_name[binding.name].default)
        if stays is not None and nearest(binding.name, written) is None:
            yield finding("name/never-set", binding.span, name=binding.name, value=stays)


def _says_nothing(default: Value | None) -> str | None:
    """Return a default that waits for another value, as it is written; None for any other."""
    if not isinstance(default, Constant):
        return None
    value: Any = default.value
    return dumps(value) if value in (None, "") or isinstance(value, bool) else None


def _code(binding: Binding) -> str | None:
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
