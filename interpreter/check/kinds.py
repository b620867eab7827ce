"""Kinds of values: what an expression can give, against what its operators, its functions and its place can take.

Only what is certain is said: kinds that have nothing in common. A value of which nothing is known fits everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from interpreter.check.fields import kind_words
from interpreter.diagnostics import Diagnostic, Words, finding
from interpreter.model import CollectStep, ListOf, MappingOf, Written
from interpreter.parse.values import located_finding
from interpreter.resolve import Resolved, Use
from interpreter.source import Span
from interpreter.static.inference import kinds_of_node, kinds_of_shape, shape_of_node
from interpreter.static.scopes import Scope
from interpreter.static.values import Missing, Shape
from rules.expr import Expression, tree
from rules.expr.inspect import INSPECTED, inspect_known, inspect_role
from rules.expr.kinds import kinds_of
from rules.findings import Finding
from rules.records import replace

_CONDITIONS = frozenset({"when", "until", "where", "that", "always", "while"})
_LISTS = frozenset({"in", "rows"})
NO_VALUE = frozenset({"null", "absent"})
_DEEPEST = 6


def check_operands(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield operators, functions and comparisons that cannot work on what they are given.

    Errors: the codes of expressions, such as expression/different-kinds and expression/bad-subject.
    """
    for use in resolved.uses:
        for expression, scope, role in use.seen:
            known = partial(kinds_of_node, scope=scope)
            told = inspect_known(expression.nodes_of(*INSPECTED), known)
            for found in (*told, *inspect_role(expression.tree, role, known)):
                made = located_finding(found, use.value.place)
                hint = _of_lists(found, expression, scope)
                yield made if hint is None else replace(made, hint=hint)


def _of_lists(found: Finding, expression: Expression, scope: Scope) -> Words | None:
    """Return what to write where a whole list stands in the place of its number of entries; None elsewhere."""
    start, end = found.start or 0, found.end or 0
    text = expression.text[start:end]
    if found.code == "expression/bad-subject" and dict(found.facts).get("function") == "length":
        node = next((one for one in expression.nodes if (one.start, one.end) == (start, end)), None)
        return _said(f"{text} | count") if node is not None and _is_list(node, scope) else None
    if found.code == "expression/not-boolean" and dict(found.facts).get("found") == "list":
        return _said(f"{text} is not empty")
    if found.code not in ("expression/different-kinds", "expression/not-ordered"):
        return None
    for node in expression.nodes_of(tree.Comparison):
        if len(node.steps) == 1 and node.start <= start and end <= node.end:
            return _of_comparison(node, expression.text, scope)
    return None


def _of_comparison(node: tree.Comparison, text: str, scope: Scope) -> Words | None:
    """Return how a list is compared with a number: by its number of entries, with 0 also as an empty list."""
    operator, right = node.steps[0]
    left = node.first
    for listed, other in ((left, right), (right, left)):
        if not _is_list(listed, scope) or kinds_of(other, partial(kinds_of_node, scope=scope)) != frozenset({"number"}):
            continue
        name = text[listed.start : listed.end]
        counted = f"({name} | count)"
        sides = [counted if side is listed else text[side.start : side.end] for side in (left, right)]
        by_count = f"{sides[0]} {operator} {sides[1]}"
        is_zero = isinstance(other, tree.Constant) and other.value == 0 and operator in ("==", "!=")
        if is_zero:
            return Words(f"写 {name} {operator} []，或 {by_count}", f"write {name} {operator} [], or {by_count}")
        return _said(by_count)
    return None


def _is_list(node: tree.Node, scope: Scope) -> bool:
    return kinds_of(node, partial(kinds_of_node, scope=scope)) == frozenset({"list"})


def _said(text: str) -> Words:
    return Words(f"写 {text}", f"write {text}")


def check_places(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield conditions that are no conditions, lists that are no lists, and values that their place cannot take.

    Errors: type/not-boolean, type/not-a-list, type/wrong-kind, type/wrong-kind-inside.
    """
    for use in resolved.uses:
        wanted = "boolean" if use.field in _CONDITIONS else "list" if use.field in _LISTS else None
        if isinstance(use.value, Written) and wanted is not None:
            yield from _condition_or_list(use, wanted)
        elif use.expected is not None:
            yield from _value(use, use.expected)


def check_composed(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield lists and mappings that stand where something else is wanted, and mappings without a field they need.

    Errors: type/wrong-kind, type/missing-field.
    """
    keys = dict(_keys_of_items(resolved))
    for value, expected in resolved.composed:
        given = {name for name, _, _ in value.entries} if isinstance(value, MappingOf) else set()
        if given == {"made_by", "field"}:
            continue  # it stands for what is filled in later
        found = "list" if isinstance(value, ListOf) else "mapping"
        wanted = kinds_of_shape(expected)
        if wanted is not None and found not in wanted:
            yield wrong_kind("type/wrong-kind", value.span, wanted - {"null"}, frozenset({found}))
        elif isinstance(value, MappingOf):
            left_out = given | resolved.loaded.doubtful | set(keys.get(value.span, ()))
            for name in missing_fields(expected, left_out):
                yield finding("type/missing-field", value.span, name=name)


def _keys_of_items(resolved: Resolved) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Yield the items of `collect` with the fields that their list is addressed by: those are asked for there."""
    key = {declared.name: declared.key for declared in resolved.workflow.data}
    for visit in resolved.visits:
        if isinstance(visit.step, CollectStep) and isinstance(visit.step.item, MappingOf):
            yield visit.step.item.span, key.get(visit.step.target.root, ())


def missing_fields(expected: Shape, given: set[str]) -> Iterator[str]:
    """Yield the names of the fields that a mapping needs, has no default for, and was not given."""
    branches = list(expected.branches())
    required = branches[0].schema.get("required") if len(branches) == 1 else None
    for name in required if isinstance(required, list) else ():
        shape = branches[0].field(name)
        has_default = isinstance(shape, Shape) and "default" in shape.schema
        if name not in given and not has_default:
            yield name


def wrong_kind(
    code: str, span: Span, wanted: frozenset[str], found: frozenset[str], path: str = "", hint: Words | None = None
) -> Diagnostic:
    """Return the finding of a value that is of another kind than its place wants."""
    wanted_zh, wanted_en = kind_words(wanted)
    found_zh, found_en = kind_words(found)
    return finding(
        code, span, hint=hint, path=path, wanted_zh=wanted_zh, wanted_en=wanted_en, found_zh=found_zh, found_en=found_en
    )


def _condition_or_list(use: Use, wanted: str) -> Iterator[Diagnostic]:
    node = use.expressions[0].tree
    kinds = kinds_of(node, partial(kinds_of_node, scope=use.scope))
    if kinds is not None and wanted not in kinds:
        zh, en = kind_words(kinds - NO_VALUE or kinds)
        code = "type/not-boolean" if wanted == "boolean" else "type/not-a-list"
        written = use.expressions[0].text[node.start : node.end]
        hint = _said(f"{written} is not empty") if wanted == "boolean" and kinds == {"list"} else None
        yield finding(code, use.part(node.start, node.end), hint=hint, found_zh=zh, found_en=en)


def _value(use: Use, expected: Shape) -> Iterator[Diagnostic]:
    wanted = kinds_of_shape(expected)
    if isinstance(use.value, Written) or use.value.template.single is not None:
        node = use.expressions[0].tree
        found = kinds_of(node, partial(kinds_of_node, scope=use.scope))
        span = use.part(node.start, node.end)
    else:
        node, found, span = None, frozenset({"text"}), use.value.place.span
    if wanted is None or found is None or found <= NO_VALUE:
        return
    if not (found - NO_VALUE) & wanted:
        yield wrong_kind("type/wrong-kind", span, wanted - {"null"} or wanted, found - NO_VALUE)
    elif node is not None:
        yield from _inside(use, node, use.scope, expected)


def _inside(use: Use, node: tree.Node, scope: Scope, expected: Shape) -> Iterator[Diagnostic]:
    """Look into lists and mappings: the first part that cannot be what the place wants."""
    mismatch = _mismatch(shape_of_node(node, scope), expected, "", 0)
    if mismatch is not None:
        path, wanted, found = mismatch
        span = use.part(node.start, node.end)
        yield wrong_kind("type/wrong-kind-inside", span, wanted, found, path=path)


def _mismatch(
    found: Shape | None, expected: Shape | None, path: str, depth: int
) -> tuple[str, frozenset[str], frozenset[str]] | None:
    """Return the path, the wanted and the found kinds of the first part that does not fit."""
    wanted_kinds, found_kinds = kinds_of_shape(expected), kinds_of_shape(found)
    if found is None or expected is None or wanted_kinds is None or found_kinds is None or depth > _DEEPEST:
        return None
    if found_kinds <= NO_VALUE:
        return None
    if not (found_kinds - NO_VALUE) & wanted_kinds:
        return path, wanted_kinds - {"null"} or wanted_kinds, found_kinds - NO_VALUE
    if found_kinds - NO_VALUE == {"list"}:
        return _mismatch(found.item(), expected.item(), f"{path}[]", depth + 1)
    if found_kinds - NO_VALUE != {"mapping"}:
        return None
    for name in _named(expected):
        inner, wanted = found.field(name), expected.field(name)
        if isinstance(inner, Missing) or isinstance(wanted, Missing):
            continue
        mismatch = _mismatch(inner, wanted, f"{path}.{name}".lstrip("."), depth + 1)
        if mismatch is not None:
            return mismatch
    return None


def _named(shape: Shape) -> tuple[str, ...]:
    """Return the fields that a shape names; none where several shapes may be meant."""
    branches = list(shape.branches())
    properties = branches[0].schema.get("properties") if len(branches) == 1 else None
    return tuple(properties) if isinstance(properties, dict) else ()
