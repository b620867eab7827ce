"""Prompts of contracts: they read fields of the input, and text from outside stands between fences."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.check.written import PlacedExpression, check_value, expressions_in, scope_of
from interpreter.diagnostics import Diagnostic, finding
from interpreter.model import Contract
from interpreter.static.inference import shape_of_node
from interpreter.static.scopes import Scope
from interpreter.static.values import shape_of
from rules.expr import tree

#: What a model cannot take for an instruction.
_HARMLESS = frozenset({"number", "integer", "boolean", "null"})


def check_prompt(contract: Contract) -> Iterator[Diagnostic]:
    """Yield what is wrong in the prompt of a contract.

    Errors: name/unknown, type/unknown-field, type/perhaps-misspelled, tool/prompt-not-fenced, tool/fence-of-no-text.
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
            yield from _fenced(seen)


def _fences(seen: PlacedExpression) -> Iterator[Diagnostic]:
    node = seen.expression.tree
    if not _is_fenced(node, seen.scope):
        shown = seen.expression.source
        name = tree.path_text(node).rpartition(".")[2] or next((name for name, _, _ in seen.expression.names), "text")
        fence = f"fence('{name}', {shown if _may_be_text(node, seen.scope) else f'{shown} | to_json'})"
        yield finding("tool/prompt-not-fenced", seen.place.part(node.start, node.end), fence=fence, expression=shown)


def _fenced(seen: PlacedExpression) -> Iterator[Diagnostic]:
    """Yield what is handed to `fence` and is known to be no text."""
    for node in seen.expression.nodes_of(tree.Apply):
        if node.function.name != "fence":
            continue
        within = node.subject if node.subject is not None else next(iter(node.positional[1:]), None)
        if within is not None and not _may_be_text(within, seen.scope):
            shown = seen.expression.text[within.start : within.end]
            yield finding("tool/fence-of-no-text", seen.place.part(within.start, within.end), expression=shown)


def _may_be_text(node: tree.Node, scope: Scope) -> bool:
    shape = shape_of_node(node, scope)
    kinds = shape.kinds() if shape is not None else None
    return kinds is None or "string" in kinds


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
