"""Inputs, data, outputs and everything else that is declared by a JSON Schema with a few words of the language."""

from __future__ import annotations

from interpreter.model import Declared
from interpreter.parse.context import Context, Fields, key_of
from interpreter.parse.values import optional_value, parse_default, parse_words
from interpreter.source import Span
from interpreter.yaml_tree import Mapping, Node

LANGUAGE_WORDS = frozenset({"title", "description", "default", "key", "value", "private", "sensitive", "run"})


def parse_declared_all(context: Context, node: Node | None) -> tuple[Declared, ...]:
    found = []
    for name, value, span in context.entries(node):
        fields = context.fields(value)
        if fields is None:
            context.doubtful.add(name)
        else:
            found.append(_parse_declared(context, name, span, fields))
    return tuple(found)


def _parse_declared(context: Context, name: str, name_span: Span, fields: Fields) -> Declared:
    return Declared(
        name=name,
        schema=schema_of(context, fields),
        key=parse_words(context, fields.get("key")),
        default=parse_default(context, fields.get("default")),
        value=optional_value(context, fields.get("value")),
        title=optional_value(context, fields.get("title")),
        private=fields.flag("private"),
        sensitive=fields.flag("sensitive"),
        run_of=fields.text("run"),
        span=fields.span,
        name_span=name_span,
        released=fields.has("private") and not fields.flag("private"),
    )


def schema_of(context: Context, fields: Fields, apart: frozenset[str] = LANGUAGE_WORDS) -> dict[str, object]:
    """Return the words of JSON Schema that stand in a mapping beside other words, references made plain."""
    for key in fields.names():
        if key not in apart:
            fields.get(key)
    entries = tuple(entry for entry in fields.node.entries if key_of(entry[0]) not in apart)
    return context.schemas.read(Mapping(entries, fields.span))
