"""Named data shapes, and the words that people read for their values."""

from __future__ import annotations

from interpreter.model import TypeDocument
from interpreter.parse.context import Context, Fields
from interpreter.yaml_tree import Mapping, Node, to_value


def parse_type_document(context: Context, fields: Fields) -> TypeDocument:
    fields.ignore("language", "title", "description")
    definitions = {}
    for name, value, _ in context.entries(fields.get("$defs")):
        if isinstance(value, Mapping):
            definitions[name], _ = context.schemas.definition(value)
        else:
            context.doubtful.add(name)
    return TypeDocument(
        name=fields.text("types") or "",
        definitions=definitions,
        labels=_labels(context, fields.get("labels")),
        span=fields.span,
    )


def _labels(context: Context, node: Node | None) -> dict[str, dict[str, object]]:
    return {
        name: {key: to_value(label) for key, label, _ in context.entries(value)}
        for name, value, _ in context.entries(node)
    }
