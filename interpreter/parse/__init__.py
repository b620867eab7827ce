"""Turn located YAML into the model; carry on after an error.

A part that cannot be read is left out and its shape is reported by `interpreter.shape`, so nothing is said twice. What
is reported here: expressions, texts and paths that do not parse. A neutral expression stands in for those, so that
the step around them stays, with the names that it declares.
"""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.diagnostics import Diagnostic
from interpreter.model import DOCUMENT_KINDS, Profile, RuleText, ToolDocument, TypeDocument, Workflow
from interpreter.parse.context import Context, Fields, key_of
from interpreter.parse.data_shapes import SchemaReader
from interpreter.parse.profile import parse_profile_fields
from interpreter.parse.rules import parse_rule_text
from interpreter.parse.tools import parse_tool_document
from interpreter.parse.types import parse_type_document
from interpreter.parse.workflow import parse_workflow_fields
from interpreter.source import Source, Span
from interpreter.yaml_tree import Mapping as MappingNode
from interpreter.yaml_tree import Node
from rules.records import field, record

Document = Workflow | RuleText | ToolDocument | TypeDocument | Profile


@record
class Parsed:
    """What one document says, and what was wrong with it.

    Shapes: `document` is None for a document that says nothing readable, and for `tests:` documents; `doubtful` holds
    the words of parts that were left out: a name among them may have been declared there.
    """

    document: Document | None
    diagnostics: tuple[Diagnostic, ...]
    places: Places
    doubtful: frozenset[str] = frozenset()


@record
class Places:
    """Where keys and values stand, asked for by the span of the mapping (or list) around them."""

    values: Mapping[tuple[int, str | int], Span] = field(default_factory=dict)
    keys: Mapping[tuple[int, str], Span] = field(default_factory=dict)

    def value(self, around: Span, *path: str | int) -> Span:
        """Return the place of a value by its path from the node around it; as far as the path is known."""
        for key in path:
            found = self.values.get((around.start, key))
            if found is None:
                return around
            around = found
        return around

    def key(self, around: Span, key: str) -> Span:
        return self.keys.get((around.start, key), around)


def kind_of(node: Node | None) -> str | None:
    """Return the kind of document: its first key; None where that is no kind."""
    if not isinstance(node, MappingNode) or not node.entries:
        return None
    first = key_of(node.entries[0][0])
    return first if first in DOCUMENT_KINDS else None


def parse_document(node: Node | None, source: Source, schemas: SchemaReader | None = None) -> Parsed:
    """Return what a document of any kind says; `schemas` knows the types that it may refer to."""
    context = Context(source)
    if schemas is not None:
        context.schemas = schemas
    fields = context.fields(node)
    kind = kind_of(node)
    document = _parse(context, kind, fields) if fields is not None and kind is not None else None
    context.close()
    return Parsed(
        document=document,
        diagnostics=tuple(context.diagnostics),
        places=Places(context.spans, context.key_spans),
        doubtful=frozenset(context.doubtful),
    )


def _parse(context: Context, kind: str, fields: Fields) -> Document | None:
    match kind:
        case "workflow":
            return parse_workflow_fields(context, fields)
        case "tools":
            return parse_tool_document(context, fields)
        case "types":
            return parse_type_document(context, fields)
        case "profile":
            return parse_profile_fields(context, fields)
        case "rules":
            return parse_rule_text(fields)
    fields.ignore(*fields.names())
    return None
