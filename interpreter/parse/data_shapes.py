"""Data shapes: JSON Schema as written in documents, its references to types made plain.

A reference is `document#Type`, or `#Type` inside a types document. In the result it is `#/$defs/document.Type`, and
`$defs` holds exactly the types that the schema reaches.
"""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding, nearest
from interpreter.kind_words import KINDS, meant_kind
from interpreter.pointers import BUILT_IN
from interpreter.source import Span
from interpreter.yaml_tree import Mapping, Node, Scalar, Sequence, to_value
from rules.expr import parse_template
from rules.records import field, record

_NAMED_SCHEMAS = frozenset({"properties", "patternProperties", "$defs", "dependentSchemas"})
_ONE_SCHEMA = frozenset(
    {"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"}
    | {"unevaluatedProperties", "unevaluatedItems"}
)
_LIST_OF_SCHEMAS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_MARKS = frozenset({"private", "sensitive"})
_WORDS_FOR_PEOPLE = frozenset({"title", "description"})

Schema = dict[str, object]


@record(frozen=False)
class Shapes:
    """The types that documents may refer to.

    Shapes: `definitions` by `document.Type`, those of the language among them; `reaches` the names that each of them
    refers to; `unreadable` are types documents that could not be read, `doubtful` words that may have been meant as
    types: references to them are quiet.
    """

    definitions: dict[str, Schema] = field(default_factory=lambda: dict(BUILT_IN))
    reaches: dict[str, frozenset[str]] = field(default_factory=dict)
    documents: set[str] = field(default_factory=set)
    unreadable: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)

    def plain(self, schema: Schema, reached: frozenset[str]) -> Schema:
        """Return a schema together with every definition that it reaches."""
        needed: dict[str, object] = {}
        waiting = sorted(reached, reverse=True)
        while waiting:
            name = waiting.pop()
            if name in needed or name not in self.definitions:
                continue
            needed[name] = self.definitions[name]
            waiting.extend(sorted(self.reaches.get(name, frozenset()), reverse=True))
        return {**schema, "$defs": needed} if needed else schema


@record(frozen=False)
class SchemaReader:
    """Reads schemas of one document. `own` is the name of a types document, None elsewhere."""

    shapes: Shapes
    own: str | None = None
    allowed: frozenset[str] | None = None
    """Types documents that may be named; None: all that are there."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    reached: set[str] = field(default_factory=set)

    def read(self, node: Node | None) -> Schema:
        """Return the schema at a node with its definitions; `{}` where there is none.

        Errors: `name/unknown-type`, `name/type-not-used` in `diagnostics`.
        """
        self.reached = set()
        schema = self._schema(node)
        return self.shapes.plain(schema, frozenset(self.reached)) if isinstance(schema, dict) else {}

    def definition(self, node: Node) -> tuple[Schema, frozenset[str]]:
        """Return one named type, without its definitions, and the names that it refers to."""
        self.reached = set()
        schema = self._schema(node)
        return (schema if isinstance(schema, dict) else {}), frozenset(self.reached)

    def _schema(self, node: Node | None) -> object:
        if not isinstance(node, Mapping):
            return to_value(node) if isinstance(node, Scalar) and isinstance(node.value, bool) else {}
        schema: Schema = {}
        for key, value in _entries(node):
            if key in _WORDS_FOR_PEOPLE and not (isinstance(value, Scalar) and isinstance(value.value, str)):
                continue
            if key in _MARKS:
                # They mark what is declared, not a part of it; a declaration hands its shape in without them.
                self.diagnostics.append(finding("type/mark-inside", value.span, word=key))
            elif key == "$ref":
                self._reference(value, schema)
            elif key == "type":
                schema.update(_kinds(value))
            elif key == "default":
                self.diagnostics.extend(_holes(value))
                schema[key] = to_value(value)
            else:
                schema[key] = self._part(key, value)
        return schema

    def _part(self, key: str, node: Node) -> object:
        if key in _NAMED_SCHEMAS and isinstance(node, Mapping):
            return {name: self._schema(part) for name, part in _entries(node)}
        if key in _ONE_SCHEMA and isinstance(node, Mapping | Scalar):
            return self._schema(node)
        if key in _LIST_OF_SCHEMAS and isinstance(node, Sequence):
            return [self._schema(part) for part in node.items]
        return to_value(node)

    def _reference(self, node: Node, schema: Schema) -> None:
        text = node.value if isinstance(node, Scalar) else None
        if not isinstance(text, str):
            return
        document, _, name = text.partition("#")
        name = name.removeprefix("/$defs/")
        document = document or self.own or ""
        full = f"{document}.{name}"
        if full in self.shapes.definitions:
            schema["$ref"] = f"#/$defs/{full}"
            self.reached.add(full)
            is_listed = self.allowed is None or document in self.allowed or full in BUILT_IN
            if not is_listed and nearest(document, self.shapes.unreadable) is None:
                self.diagnostics.append(finding("name/type-not-used", node.span, document=document))
            return
        if name in self.shapes.doubtful or document in self.shapes.unreadable:
            return
        if nearest(document, self.shapes.unreadable) is not None:
            return
        self.diagnostics.append(_unknown(self.shapes, text, document, name, node.span))


def _unknown(shapes: Shapes, text: str, document: str, name: str, span: Span) -> Diagnostic:
    if document in shapes.documents:
        known = [full for full in shapes.definitions if full.startswith(document + ".")]
        hint = did_you_mean(name, [full.partition(".")[2] for full in known])
    elif shapes.documents:
        hint = did_you_mean(document, shapes.documents)
    elif document:
        hint = Words(f"在 uses 里写 types: [{document}]", f"write types: [{document}] under uses")
    else:
        hint = Words(
            "先在 uses.types 里列出类型文件，再写成 文件名#类型名",
            "list the types document under uses.types, then write document#Type",
        )
    return finding("name/unknown-type", span, hint=hint, type=text)


def _holes(node: Node) -> Iterator[Diagnostic]:
    """Yield texts with holes in a default inside a shape: nothing is computed there."""
    if isinstance(node, Scalar):
        template = parse_template(node.value)[0] if isinstance(node.value, str) and "{" in node.value else None
        if template is not None and not template.is_plain:
            yield finding("type/hole-inside-shape", node.span)
        return
    for part in node.items if isinstance(node, Sequence) else (value for _, value in node.entries):
        yield from _holes(part)


def _kinds(node: Node) -> Schema:
    """Return `type` as it was meant; a word that is no kind says nothing, since `shape` has said so already."""
    words = [item.text for item in (node.items if isinstance(node, Sequence) else (node,)) if isinstance(item, Scalar)]
    kinds = [word if word in KINDS else meant_kind(word) or nearest(word, KINDS) for word in words]
    if not kinds or None in kinds:
        return {}
    return {"type": kinds if isinstance(node, Sequence) else kinds[0]}


def references(node: Node | None) -> Iterator[str]:
    """Yield the names of types documents that a document refers to, wherever `$ref` stands in it."""
    waiting = [node] if node is not None else []
    while waiting:
        found = waiting.pop()
        if isinstance(found, Sequence):
            waiting.extend(found.items)
        elif isinstance(found, Mapping):
            for key, value in _entries(found):
                if not isinstance(value, Scalar):
                    waiting.append(value)
                elif key == "$ref" and isinstance(value.value, str):
                    document, _, name = value.value.partition("#")
                    if f"{document}.{name}" not in BUILT_IN:
                        yield document


def _entries(node: Mapping) -> Iterator[tuple[str, Node]]:
    for key, value in node.entries:
        name = key.value if isinstance(key.value, str) else key.text
        if not name.startswith("x-"):
            yield name, value
