"""Declared shapes beside the text that they were read from: something can fit them, and what is written there does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interpreter.addressing import problem_of_key
from interpreter.check.fields import unfit
from interpreter.check.kinds import missing_fields
from interpreter.check.satisfiable import check_endless, check_satisfiable
from interpreter.diagnostics import Diagnostic, finding, nearest
from interpreter.documents.loading import Loaded, node_at
from interpreter.model import Contract, Declared, Profile, ToolDocument, TypeDocument, Workflow
from interpreter.static.values import Missing, Shape
from interpreter.yaml_tree import Mapping as MappingNode
from interpreter.yaml_tree import Node, Sequence, to_value

_DECLARED = ("inputs", "data", "outputs")


def check_defaults(loaded: Loaded, definitions: Mapping[str, object]) -> Iterator[Diagnostic]:
    """Yield defaults and examples that break the shape beside them.

    Shapes: `definitions` are all types, by `document.Type`.
    Errors: type/not-addressable, and those of `check.fields.unfit`.
    """
    if loaded.node is None:
        return
    match loaded.document:
        case TypeDocument() as types:
            yield from _of_types(types, loaded.node, definitions)
        case Workflow() as workflow:
            yield from _of_workflow(workflow, loaded.node, definitions)
        case ToolDocument() as tools:
            for contract in tools.contracts:
                yield from _of_contract(contract, loaded.node, definitions)
        case Profile() as profile:
            yield from _of_settings(profile, loaded.node, definitions)


def _of_types(types: TypeDocument, root: Node, definitions: Mapping[str, object]) -> Iterator[Diagnostic]:
    for name, schema in types.definitions.items():
        node = node_at(root, ("$defs", name))
        yield from _inside(node, schema, definitions)
        if isinstance(node, MappingNode):
            yield from check_endless(node, f"{types.name}.{name}", schema, definitions)


def _of_workflow(workflow: Workflow, root: Node, definitions: Mapping[str, object]) -> Iterator[Diagnostic]:
    for section in _DECLARED:
        for declared in getattr(workflow, section):
            node = node_at(root, (section, declared.name))
            yield from _inside(node, declared.schema, definitions, is_declared=True)
            yield from _of_keyed(node, declared)


def _of_settings(profile: Profile, root: Node, definitions: Mapping[str, object]) -> Iterator[Diagnostic]:
    for setting in profile.settings:
        node = node_at(root, ("settings", setting.name))
        yield from _inside(node, setting.schema, definitions, is_declared=True)
        default = node.get("default") if isinstance(node, MappingNode) else None
        if default is not None:
            yield from unfit(to_value(default), Shape(setting.schema, definitions), default.span, may_lack=True)


def _of_keyed(node: Node | None, declared: Declared) -> Iterator[Diagnostic]:
    """Yield a default whose entries its key cannot tell apart; one that is computed is looked at in the run."""
    default = node.get("default") if isinstance(node, MappingNode) else None
    if default is not None:
        problem = problem_of_key(to_value(default), declared.key, declared.name)
        if problem is not None:
            yield finding("type/not-addressable", default.span, problem_zh=problem.zh, problem_en=problem.en)


def _of_contract(contract: Contract, root: Node, definitions: Mapping[str, object]) -> Iterator[Diagnostic]:
    for part in ("input", "output"):
        yield from _inside(node_at(root, (contract.name, part)), getattr(contract, part), definitions)
    written = node_at(root, (contract.name,))
    example = written.get("example") if isinstance(written, MappingNode) else None
    if example is not None:
        shape = Shape(contract.output, definitions)
        yield from unfit(to_value(example), shape, example.span)
        yield from _lacking(example, shape)


def _lacking(node: Node, shape: Shape) -> Iterator[Diagnostic]:
    """Yield the fields that an example lacks; one that is misspelt has its finding."""
    if isinstance(node, Sequence):
        item = shape.item()
        if item is not None:
            for entry in node.items:
                yield from _lacking(entry, item)
    elif isinstance(node, MappingNode) and shape.kinds() == frozenset({"object"}):
        given = {key.text: value for key, value in node.entries}
        lacking = list(missing_fields(shape, set(given)))
        meant = {nearest(name, lacking) for name in given if isinstance(shape.field(name), Missing)}
        for name in lacking:
            if name not in meant:
                yield finding("type/missing-field", node.span, name=name)
        for name, value in given.items():
            field = shape.field(name)
            if isinstance(field, Shape):
                yield from _lacking(value, field)


def _inside(
    node: Node | None, schema: object, definitions: Mapping[str, object], *, is_declared: bool = False
) -> Iterator[Diagnostic]:
    """Walk a shape beside the text that it was read from. What is declared has its own default looked at elsewhere."""
    if not isinstance(node, MappingNode) or not isinstance(schema, dict):
        return
    yield from check_satisfiable(node, schema)
    default = node.get("default")
    if default is not None and not is_declared and "default" in schema:
        yield from unfit(to_value(default), Shape(schema, definitions), default.span, may_lack=True)
    for word in ("properties", "patternProperties"):
        inner, parts = node.get(word), schema.get(word)
        if isinstance(inner, MappingNode) and isinstance(parts, dict):
            for name, part in parts.items():
                yield from _inside(inner.get(name), part, definitions)
    for word in ("items", "additionalProperties"):
        yield from _inside(node.get(word), schema.get(word), definitions)
    for word in ("anyOf", "oneOf", "allOf"):
        several, schemas = node.get(word), schema.get(word)
        if isinstance(several, Sequence) and isinstance(schemas, list):
            for inner, part in zip(several.items, schemas, strict=False):
                yield from _inside(inner, part, definitions)
