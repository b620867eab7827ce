"""What is known of a value before anything runs: its JSON Schema, as far as the documents tell.

`None` stands for "nothing is known", everywhere; whoever asks stays quiet then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Literal, cast

from rules import records

Schema = Mapping[str, object]
_DEEPEST = 20


@records.record
class Shape:
    """A schema together with the definitions that its references point into."""

    schema: Schema
    definitions: Schema

    def field(self, name: str) -> Shape | Missing | None:
        """Return the shape of a field; `Missing` where the schema names its fields and this is none of them."""
        found: list[Shape | None] = []
        missing: list[Missing] = []
        for branch in self.branches():
            answer = _field_of(branch, name)
            if isinstance(answer, Missing):
                missing.append(answer)
            else:
                found.append(answer)
        if found:
            return found[0] if len(found) == 1 else None
        if not missing:
            return None
        names = frozenset().union(*(each.names for each in missing))
        return Missing(names, all(each.is_closed for each in missing))

    def item(self) -> Shape | None:
        """Return the shape of the items of a list."""
        found = [branch for branch in self.branches() if "items" in branch.schema]
        if len(found) != 1:
            return None
        items = found[0].schema["items"]
        return Shape(cast(Schema, items), self.definitions) if isinstance(items, Mapping) else None

    def branches(self, depth: int = 0) -> Sequence[Shape]:
        """Return the schemas that a value may follow, references resolved, `null` left out."""
        schema = self.schema
        if "$ref" not in schema and "anyOf" not in schema and "oneOf" not in schema:
            return () if schema.get("type") == "null" else (self,)
        reference = schema.get("$ref")
        if isinstance(reference, str):
            target = self.definitions.get(reference.removeprefix("#/$defs/"))
            if not isinstance(target, dict):
                return (Shape({}, self.definitions),)
            return _branches_of([target], self.definitions, depth)
        choices = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(choices, list):
            return _branches_of(choices, self.definitions, depth)
        return () if schema.get("type") == "null" else (self,)

    def kinds(self) -> frozenset[str] | None:
        """Return the JSON types that a value may have; None where the schema leaves it open."""
        branches = self.branches()
        if len(branches) == 1:
            return _kinds_of(branches[0].schema)
        kinds: set[str] = set()
        for branch in branches:
            named = _kinds_of(branch.schema)
            if named is None:
                return None
            kinds |= named
        return frozenset(kinds) if kinds else None

    def is_list(self) -> bool:
        kinds = self.kinds()
        return kinds is not None and kinds - {"null"} == {"array"}

    def words(self) -> frozenset[object] | None:
        """Return the values that an `enum` lists; None where any value may stand."""
        words: set[object] = set()
        for branch in self.branches():
            listed = branch.schema.get("enum")
            if "const" in branch.schema:
                listed = [branch.schema["const"]]
            if not isinstance(listed, list):
                return None
            words |= {word for word in listed if not isinstance(word, list | dict)}
        return frozenset(words) if words else None


def _branches_of(choices: Iterable[object], definitions: Schema, depth: int) -> list[Shape]:
    if depth >= _DEEPEST:
        return []
    shapes = (Shape(cast(Schema, choice), definitions) for choice in choices if isinstance(choice, dict))
    return [branch for shape in shapes for branch in shape.branches(depth + 1)]


@records.record
class Missing:
    """A field that a schema does not name. `is_closed`: no value can have it."""

    names: frozenset[str]
    is_closed: bool


def shape_of(schema: Mapping[str, object] | None) -> Shape | None:
    """Return the shape of a schema that carries its own `$defs`; None for one that says nothing."""
    if not schema:
        return None
    definitions = schema.get("$defs")
    return Shape(schema, cast(Schema, definitions) if isinstance(definitions, Mapping) else {})


def closed(shape: Shape | None) -> Shape | None:
    """Return the shape of an answer: fields that its contract does not name are dropped before anybody sees them."""
    if shape is None:
        return None
    definitions = {name: _closed(part) for name, part in shape.definitions.items()}
    return Shape(cast(Schema, _closed(shape.schema)), definitions)


def record(fields: Mapping[str, Shape | None]) -> Shape:
    """Return the shape of a mapping with exactly these fields; None as a field's shape says nothing about it."""
    definitions: dict[str, object] = {}
    properties: dict[str, object] = {}
    for name, shape in fields.items():
        properties[name] = dict(shape.schema) if shape is not None else {}
        definitions.update(shape.definitions if shape is not None else {})
    return Shape({"type": "object", "properties": properties, "additionalProperties": False}, definitions)


def list_of(item: Shape | None) -> Shape:
    if item is None:
        return Shape({"type": "array"}, {})
    return Shape({"type": "array", "items": item.schema}, item.definitions)


def either(shapes: Iterable[Shape | None]) -> Shape | None:
    """Return the shape of a value that has one of these; None as soon as nothing is known of one of them."""
    known: list[Shape] = []
    for shape in shapes:
        if shape is None:
            return None
        if shape not in known:
            known.append(shape)
    if len(known) < 2:
        return known[0] if known else None
    definitions: dict[str, object] = {}
    for shape in known:
        definitions.update(shape.definitions)
    return Shape({"anyOf": [dict(shape.schema) for shape in known]}, definitions)


NUMBER = Shape({"type": "number"}, {})
WHOLE = Shape({"type": "integer"}, {})
NOTHING = Shape({"type": "null"}, {})
LIST = Shape({"type": "array"}, {})
MAPPING = Shape({"type": "object"}, {})
TEXT = Shape({"type": "string"}, {})
BOOLEAN = Shape({"type": "boolean"}, {})


def _field_of(shape: Shape, name: str) -> Shape | Missing | None:
    """Answer for one branch, with the parts that `allOf` adds to it."""
    schema = shape.schema
    if "allOf" in schema or "if" in schema or "patternProperties" in schema:
        return None
    properties = schema.get("properties")
    other = schema.get("additionalProperties")
    if isinstance(properties, dict) and name in properties:
        found = properties[name]
        return Shape(cast(Schema, found), shape.definitions) if isinstance(found, dict) and found else None
    if isinstance(other, dict):
        return Shape(cast(Schema, other), shape.definitions) if other else None
    if not isinstance(properties, dict) or (not properties and other is not False):
        return None
    return Missing(frozenset(properties), other is False)


def _kinds_of(schema: Schema) -> frozenset[str] | None:
    kind = schema.get("type")
    if isinstance(kind, str):
        return _just(kind)
    if isinstance(kind, list):
        return frozenset(str(each) for each in kind)
    listed = schema.get("enum")
    if isinstance(listed, list) and listed:
        return frozenset(_kind_of_value(value) for value in listed)
    return None


@cache
def _just(kind: str) -> frozenset[str]:
    return frozenset({kind})


def _kind_of_value(value: object) -> Literal["string", "boolean", "null", "number", "array", "object"]:
    match value:
        case bool():
            return "boolean"
        case None:
            return "null"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
    return "number"


def _closed(part: object) -> object:
    if isinstance(part, list):
        return [_closed(each) for each in part]
    if not isinstance(part, Mapping):
        return part
    result = {key: _closed(value) for key, value in part.items()}
    properties = result.get("properties")
    if isinstance(properties, Mapping) and properties:
        result.setdefault("additionalProperties", False)
    return result
