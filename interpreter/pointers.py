"""Where pointers to evidence and citations stand in a data shape, and what becomes of the shape when they are bound.

A pointer is a part of a schema: `{pointer: side, forms: […], or_null: true, becomes: name}`. It takes any JSON, so that
the judge `bind` says what is wrong at its exact place, and not a validator that something fits none of three forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from rules.records import NamedTuple

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]
Form = Literal["id", "object", "quote"]
FORMS: tuple[Form, ...] = ("id", "object", "quote")
#: Types that every document may refer to without a types document.
CITATION, UNIT = "evidence.Citation", "evidence.Unit"
_CITATION_REFERENCE = f"#/$defs/{CITATION}"

CITATION_FORMS = ("id", "quote")
BUILT_IN: dict[str, dict[str, Any]] = {
    CITATION: {
        "type": "object",
        "required": ["form"],
        "properties": {"form": {"enum": list(CITATION_FORMS)}},
        "additionalProperties": {},
    },
    UNIT: {
        "type": "object",
        "required": ["evidence_id", "side", "source", "path", "offset", "text"],
        "properties": {
            "evidence_id": {"type": "string"},
            "side": {"type": "string"},
            "source": {"type": "object", "additionalProperties": {}},
            "path": {"type": "string"},
            "offset": {"type": "integer"},
            "text": {"type": "string"},
            "read_at": {"type": "string"},
        },
        "additionalProperties": False,
    },
}


class Pointer(NamedTuple):
    """`becomes` is the name of the field after binding, None where it stays."""

    side: str
    forms: tuple[str, ...]
    or_null: bool
    becomes: str | None


class Fields(NamedTuple):
    """The fields of a mapping that hold something to be found, and what further ones hold.

    Shapes: `given` are the names that fields get when they are bound, and that nobody else may use.
    """

    named: Mapping[str, Any]
    rest: Any
    given: frozenset[str] = frozenset()


class Items(NamedTuple):
    inner: Any


class Named(NamedTuple):
    """A type that is looked up; types may hold themselves."""

    name: str


class Citation(NamedTuple):
    """A place where a citation stands."""


class Places(NamedTuple):
    """What a schema says about pointers, or about citations. Shapes: `top` is None where it says nothing."""

    top: Any
    definitions: Mapping[str, Any]

    def walk(self, value: Any, at_leaf: Callable[[Any, Any, str], Any], at: str = "") -> Any:
        """Return a value with every place replaced by what `at_leaf(value, leaf, place)` gives for it.

        Shapes: `at` is the place of the value itself.
        """
        return self._walk(value, self.top, at, at_leaf)

    def _walk(self, value: Any, node: Any, at: str, at_leaf: Callable[[Any, Any, str], Any]) -> Any:
        while isinstance(node, Named):
            node = self.definitions.get(node.name)
        match node:
            case Pointer() | Citation():
                return at_leaf(value, node, at)
            case Fields(named=named, rest=rest, given=given) if isinstance(value, dict):
                result: dict[str, Any] = {}
                for name, inner in value.items():
                    below = named.get(name, Citation() if name in given else rest)
                    becomes = self._pointer(below)
                    name_after = becomes.becomes if becomes is not None and becomes.becomes is not None else name
                    result[name_after] = self._walk(inner, below, f"{at}.{name}" if at else name, at_leaf)
                return result
            case Items(inner=inner) if isinstance(value, list):
                return [self._walk(one, inner, f"{at}[{number}]", at_leaf) for number, one in enumerate(value)]
        return value

    def _pointer(self, node: Any) -> Pointer | None:
        while isinstance(node, Named):
            node = self.definitions.get(node.name)
        return node if isinstance(node, Pointer) else None


def pointers_in(schema: Schema) -> Places | None:
    """Return where pointers stand in a schema with its definitions, None where none does."""
    return _places(schema, _pointer_of)


def citations_in(schema: Schema) -> Places | None:
    """Return where citations stand in a schema with its definitions, None where none does."""
    return _places(schema, _citation_of)


def _places(schema: Schema, leaf: Callable[[Schema], Any]) -> Places | None:
    definitions = schema.get("$defs", {})
    made = {name: _node(part, leaf) for name, part in definitions.items() if isinstance(part, Mapping)}
    top = _node(schema, leaf)
    holding = _holding(made)
    top = _kept(top, holding)
    kept = {name: _kept(node, holding) for name, node in made.items() if name in holding}
    return Places(top, kept) if top is not None else None


def _pointer_of(schema: Schema) -> Pointer | None:
    side = schema.get("pointer")
    if not isinstance(side, str):
        return None
    forms = schema.get("forms")
    becomes = schema.get("becomes")
    return Pointer(
        side,
        tuple(forms) if isinstance(forms, list | tuple) and forms else FORMS,
        schema.get("or_null") is True,
        becomes if isinstance(becomes, str) else None,
    )


def _citation_of(schema: Schema) -> Citation | None:
    return Citation() if schema.get("$ref") == _CITATION_REFERENCE else None


def _node(schema: Any, leaf: Callable[[Schema], Any]) -> Any:
    if not isinstance(schema, Mapping):
        return None
    found = leaf(schema)
    if found is not None:
        return found
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return Named(reference.removeprefix("#/$defs/"))
    if isinstance(schema.get("items"), Mapping):
        inner = _node(schema["items"], leaf)
        return Items(inner) if inner is not None else None
    properties = schema.get("properties")
    named = {
        name: inner
        for name, part in (properties.items() if isinstance(properties, Mapping) else ())
        if (inner := _node(part, leaf)) is not None
    }
    rest = _node(schema.get("additionalProperties"), leaf)
    given = frozenset(inner.becomes for inner in named.values() if isinstance(inner, Pointer) and inner.becomes)
    return Fields(named, rest, given) if named or rest is not None else None


def _holding(made: Mapping[str, Any]) -> set[str]:
    """Return the types that hold a place, also through others."""
    holding: set[str] = set()
    while True:
        more = {name for name, node in made.items() if name not in holding and _kept(node, holding) is not None}
        if not more:
            return holding
        holding |= more


def _kept(node: Any, holding: set[str]) -> Any:
    """Return a node without what leads to no place."""
    match node:
        case Named(name=name):
            return node if name in holding else None
        case Items(inner=inner):
            kept = _kept(inner, holding)
            return Items(kept) if kept is not None else None
        case Fields(named=named, rest=rest, given=given):
            fields = {name: kept for name, part in named.items() if (kept := _kept(part, holding)) is not None}
            further = _kept(rest, holding)
            return Fields(fields, further, given) if fields or further is not None else None
    return node


def sides_of(places: Places) -> tuple[str, ...]:
    """Return the sides that the pointers of a schema name, each once."""
    found: dict[str, None] = {}
    for top in (places.top, *places.definitions.values()):
        for pointer in _leaves_of(top):
            found[pointer.side] = None
    return tuple(found)


def _leaves_of(node: Any) -> Iterator[Pointer]:
    match node:
        case Pointer():
            yield node
        case Items(inner=inner):
            yield from _leaves_of(inner)
        case Fields(named=named, rest=rest):
            for part in (*named.values(), rest):
                yield from _leaves_of(part)


def names_taken(schema: Any) -> Iterator[str]:
    """Yield the names that pointers become and that stand beside them already."""
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        fields: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
        for name, part in fields.items():
            after = _new_name(name, part)
            if after != name and after in fields:
                yield after
        for part in schema.values():
            yield from names_taken(part)
    elif isinstance(schema, list | tuple):
        for part in schema:
            yield from names_taken(part)


# --- what becomes of a schema -----------------------------------------------------------------------------------------


def bound_schema(schema: Schema) -> dict[str, Any]:
    """Return the schema of an answer after `bind`: citations in place of pointers, under their new names."""
    bound: dict[str, Any] = _changed(schema, _as_citation)
    definitions = bound.get("$defs", {})
    return {**bound, "$defs": {**definitions, CITATION: BUILT_IN[CITATION]}}


def model_schema(schema: Schema) -> dict[str, Any]:
    """Return a schema as plain JSON Schema for somebody who answers by it: what may be written in place of a pointer.

    Shapes: words of the language (`evidence`, `private`, `key`, titles in two languages) are left out.
    """
    plain: dict[str, Any] = _changed(schema, _as_written)
    return plain


_ID = {"type": "string", "description": "an evidence_id"}
_WRITTEN: dict[str, dict[str, Any]] = {
    "id": _ID,
    "object": {
        "type": "object",
        "properties": {"evidence_id": _ID},
        "required": ["evidence_id"],
        "additionalProperties": False,
    },
    "quote": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "quote": {"type": "string", "minLength": 1}},
        "required": ["path", "quote"],
        "additionalProperties": False,
    },
}
_OWN_WORDS = frozenset({"evidence", "private", "sensitive", "key", "default"})
_NAMED_SCHEMAS = frozenset({"properties", "$defs", "patternProperties"})
_PLAIN_VALUES = frozenset({"enum", "const", "required", "examples", "default"})


def _as_written(pointer: Pointer) -> dict[str, Any]:
    forms = [_WRITTEN[form] for form in pointer.forms if form in _WRITTEN]
    if pointer.or_null:
        forms.append({"type": "null"})
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _as_citation(pointer: Pointer) -> dict[str, Any]:
    citation = {"$ref": _CITATION_REFERENCE}
    return {"anyOf": [citation, {"type": "null"}]} if pointer.or_null else citation


def _changed(schema: Any, change: Callable[[Pointer], dict[str, Any]]) -> Any:
    if isinstance(schema, list | tuple):
        return [_changed(part, change) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    pointer = _pointer_of(schema)
    if pointer is not None:
        return change(pointer)
    for_people = change is _as_written
    renames = change is _as_citation
    result: dict[str, Any] = {}
    for name, part in schema.items():
        if for_people and (name in _OWN_WORDS or (name in ("title", "description") and not isinstance(part, str))):
            continue
        if name in _NAMED_SCHEMAS and isinstance(part, Mapping):
            result[name] = {
                (_new_name(key, inner) if renames and name == "properties" else key): _changed(inner, change)
                for key, inner in part.items()
            }
        elif name in _PLAIN_VALUES:
            result[name] = part
        else:
            result[name] = _changed(part, change)
    if renames and isinstance(schema.get("required"), list) and isinstance(schema.get("properties"), Mapping):
        properties = schema["properties"]
        result["required"] = [_new_name(key, properties.get(key)) for key in schema["required"]]
    return result


def _new_name(name: str, schema: Any) -> str:
    pointer = _pointer_of(schema) if isinstance(schema, Mapping) else None
    return pointer.becomes if pointer is not None and pointer.becomes is not None else name


# --- where bodies stand -----------------------------------------------------------------------------------------------


class Mark(NamedTuple):
    """A place whose texts are bodies (`is_body`), or are not whatever stands around them."""

    is_body: bool
    inner: Any


def bodies_in(schema: Schema) -> Bodies | None:
    """Return what yields the bodies of an answer, each with the path to it; None where a schema marks none."""
    definitions = {
        name: _mark_node(part) for name, part in schema.get("$defs", {}).items() if isinstance(part, Mapping)
    }
    top = _mark_node(schema)
    if not _has_body(top) and not any(_has_body(node) for node in definitions.values()):
        return None
    return Bodies(top, definitions)


class Bodies(NamedTuple):
    """Yields the bodies of a value, each with the path to it."""

    top: Any
    definitions: Mapping[str, Any]

    def __call__(self, value: Any) -> Iterator[tuple[Path, str]]:
        return self._walk(value, self.top, (), False)

    def _walk(self, value: Any, node: Any, path: Path, is_body: bool) -> Iterator[tuple[Path, str]]:
        if isinstance(node, Mark):
            node, is_body = node.inner, node.is_body
        while isinstance(node, Named):
            node = self.definitions.get(node.name)
            if isinstance(node, Mark):
                node, is_body = node.inner, node.is_body
        if isinstance(value, str):
            if is_body:
                yield path, value
        elif isinstance(value, dict) and (is_body or node is not None):
            for name, inner in value.items():
                below = node.named.get(name, node.rest) if isinstance(node, Fields) else None
                yield from self._walk(inner, below, (*path, name), is_body)
        elif isinstance(value, list) and (is_body or node is not None):
            below = node.inner if isinstance(node, Items) else None
            for number, inner in enumerate(value):
                yield from self._walk(inner, below, (*path, number), is_body)


def _mark_node(schema: Any) -> Any:
    if not isinstance(schema, Mapping):
        return None
    mark = schema.get("evidence")
    node: Any = None
    reference = schema.get("$ref")
    if isinstance(reference, str):
        node = Named(reference.removeprefix("#/$defs/"))
    elif isinstance(schema.get("items"), Mapping):
        inner = _mark_node(schema["items"])
        node = Items(inner) if inner is not None else None
    else:
        properties = schema.get("properties")
        named = {
            name: inner
            for name, part in (properties.items() if isinstance(properties, Mapping) else ())
            if (inner := _mark_node(part)) is not None
        }
        rest = _mark_node(schema.get("additionalProperties"))
        node = Fields(named, rest) if named or rest is not None else None
    return Mark(mark == "body", node) if mark in ("body", "lead") else node


def _has_body(node: Any) -> bool:
    match node:
        case Mark(is_body=is_body, inner=inner):
            return is_body or _has_body(inner)
        case Items(inner=inner):
            return _has_body(inner)
        case Fields(named=named, rest=rest):
            return any(_has_body(part) for part in named.values()) or _has_body(rest)
    return False
