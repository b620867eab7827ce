"""Prompts of contracts: they read fields of the input, and text from outside stands between fences."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.check.written import PlacedExpression, check_value, expressions_in, scope_of
from interpreter.diagnostics import Diagnostic, finding
from interpreter.inference import shape_of_node
from interpreter.model import Contract
from interpreter.scopes import Scope
from interpreter.static import shape_of
from rules.expr import tree

#: What a model cannot take for an instruction.
_HARMLESS = frozenset({"number", "integer", "boolean", "null"})


def check_prompt(contract: Contract) -> Iterator[Diagnostic]:
    """Yield what is wrong in the prompt of a contract.

    Errors: name/unknown, type/unknown-field, type/perhaps-misspelled, tool/prompt-not-fenced.
    """
    if contract.prompt is None:
        return
    scope = scope_of(shape_of(contract.input))
    is_open = contract.input.get("additionalProperties", False) is not False
    for text in (contract.prompt.system, contract.prompt.user):
        yield from check_value(text, scope, is_open=is_open)
        for seen in expressions_in(text, scope):
            if seen.is_hole:
                yield from _fences(seen)


def _fences(seen: PlacedExpression) -> Iterator[Diagnostic]:
    node = seen.expression.tree
    if not _is_fenced(node, seen.scope):
        shown, name = seen.expression.source, next((name for name, _, _ in seen.expression.names), "text")
        yield finding("tool/prompt-not-fenced", seen.place.part(node.start, node.end), name=name, expression=shown)


def _is_fenced(node: tree.Node, scope: Scope) -> bool:
    """Say whether a hole holds no text from outside, or holds it between fences."""
    match node:
        case tree.Constant():
            return True
        case tree.Apply() if node.function.name == "fence":
            return True
        case tree.Apply(subject=subject) if (
            node.function.name in ("join", "default", "or_else") and subject is not None
        ):
            return all(_is_fenced(part, scope) for part in (subject, *node.positional))
        case tree.Join(parts=parts):
            return all(_is_fenced(part, scope) for part in parts)
        case tree.Choice(then=then, otherwise=otherwise):
            return _is_fenced(then, scope) and _is_fenced(otherwise, scope)
    shape = shape_of_node(node, scope)
    while shape is not None and shape.is_list():
        shape = shape.item()
    if shape is None:
        return False
    kinds = shape.kinds()
    return shape.words() is not None or (kinds is not None and kinds <= _HARMLESS)
