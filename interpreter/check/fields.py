"""Fields, kinds of values and closed lists of words, against the declared shapes.

Certain mistakes are errors; a field that an open shape does not name is a warning, and only where it is nearly one
that the shape does name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from interpreter.check.limits import broken_limit
from interpreter.check.placeholders import way_meant
from interpreter.check.unquoted import as_value
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding, nearest
from interpreter.parse.values import LOOKS_LIKE_A_LENGTH
from interpreter.resolve import Resolved, Use
from interpreter.shape.messages import plain_spelling
from interpreter.source import Span
from interpreter.static.inference import kinds_of_shape, readings, shape_of_node
from interpreter.static.scopes import Scope
from interpreter.static.values import Missing, Shape
from interpreter.yaml_tree import half_list
from rules.expr import Expression, tree
from rules.expr.mistakes import PROPERTIES
from rules.values import as_integer, kind_facts
from rules.values import dumps as to_json

_KINDS = {
    "mapping": ("对象", "a mapping"),
    "list": ("列表", "a list"),
    "text": ("文本", "a text"),
    "object": ("对象", "a mapping"),
    "array": ("列表", "a list"),
    "string": ("文本", "a text"),
    "number": ("数", "a number"),
    "integer": ("整数", "a whole number"),
    "boolean": ("true 或 false", "true or false"),
    "null": ("null", "null"),
}

_LENGTHS = frozenset({*PROPERTIES, "count", "len", "total", "number"})


def check_fields(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield fields that are read and do not exist. Errors: type/unknown-field, type/perhaps-misspelled."""
    for use in resolved.uses:
        for expression, scope, _ in use.seen:
            for reading in readings(expression, scope):
                if isinstance(reading.found, Missing):
                    yield from missing_field(reading.name, reading.found, use.part(reading.start, reading.end))
            yield from _fields_in_arguments(use, expression, scope)


def check_lengths(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield fields of what has none, and `.length` of values that are not known to have such a field.

    `['length']` means the field. Errors: expression/no-fields, expression/looks-like-a-property.
    """
    for use in resolved.uses:
        for expression, scope, _ in use.seen:
            for node in expression.nodes_of(tree.Field):
                if expression.text[node.end - 1] != "]":
                    yield from _field_of_anything(use, expression, node, scope)


def _field_of_anything(use: Use, expression: Expression, node: tree.Field, scope: Scope) -> Iterator[Diagnostic]:
    shape = shape_of_node(node.base, scope)
    kinds = (kinds_of_shape(shape) or frozenset()) - {"null"}
    span = use.part(node.end - len(node.name) - 1, node.end)
    if kinds and "mapping" not in kinds:
        base = expression.text[node.base.start : node.base.end]
        hint = _instead_of_field(base, node.name, is_list=kinds == {"list"}, is_text=kinds == {"text"})
        facts: dict[str, Any] = kind_facts(found="/".join(sorted(kinds)))
        yield finding("expression/no-fields", span, hint=hint, field=node.name, **facts)
    elif node.name in PROPERTIES and (shape is None or shape.field(node.name) is None):
        yield finding(LOOKS_LIKE_A_LENGTH, span, field=node.name, instead=PROPERTIES[node.name])


def _instead_of_field(base: str, name: str, *, is_list: bool, is_text: bool) -> Words | None:
    """Return what to write for a field that a list or text does not have."""
    if is_list and name.lower() in _LENGTHS:
        return Words(f"写 {base} | count", f"write {base} | count")
    if is_list:
        return Words(
            f"其中一项的字段写 ({base} | first).{name}，所有项的写 {base} | pluck('{name}')",
            f"write ({base} | first).{name} for one entry, {base} | pluck('{name}') for all of them",
        )
    if is_text and name.lower() in _LENGTHS:
        return Words(f"写 {base} | length", f"write {base} | length")
    return None


def missing_field(name: str, found: Missing, span: Span) -> Iterator[Diagnostic]:
    """Yield the finding for a field that a shape does not name, if it is one."""
    if found.is_closed:
        yield finding("type/unknown-field", span, hint=did_you_mean(name, found.names), name=name)
    elif nearest(name, found.names) is not None:
        yield finding("type/perhaps-misspelled", span, hint=did_you_mean(name, found.names), name=name)


def _fields_in_arguments(use: Use, expression: Expression, scope: Scope) -> Iterator[Diagnostic]:
    """Look at `where(status=…)` and `pluck('title')`: the fields of the items on the left."""
    for inner in expression.nodes_of(tree.Apply):
        if inner.subject is None:
            continue
        shape = shape_of_node(inner.subject, scope)
        item = shape.item() if shape is not None and shape.is_list() else None
        if item is None:
            continue
        for name, start, end in named_fields(inner, expression.text):
            found = item.field(name)
            if isinstance(found, Missing):
                yield from missing_field(name, found, use.part(start, end))


def named_fields(node: tree.Apply, text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the fields of the items on the left that arguments name, with their places in the text."""
    single = {parameter.name for parameter in node.function.single}
    if node.function.fields is not None:
        for name, value in node.keywords:
            if name not in single:
                start = text.rfind(name, node.start, value.start)
                yield (name, start, start + len(name)) if start >= 0 else (name, value.start, value.end)
    parameters = [parameter.name for parameter in node.function.single]
    rest = node.function.rest.name if node.function.rest is not None else ""
    for number, value in enumerate(node.positional):
        name = parameters[number] if number < len(parameters) else rest
        word = value.value if isinstance(value, tree.Constant) and name in ("field", "fields") else None
        if isinstance(word, str) and "." not in word:
            yield word.removeprefix("-") if node.function.name == "sort" else word, value.start, value.end


def check_constants(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield written values that the place cannot take. Errors: those of `unfit`."""
    for plain in resolved.plains:
        if plain.expected is not None:
            is_default, value = plain.field == "default", plain.constant.value
            way = way_meant(value, plain.scope)
            meant = as_value(way) if way is not None else None
            yield from unfit(value, plain.expected, plain.constant.span, may_lack=is_default, meant=meant)


def unfit(
    value: object, expected: Shape, span: Span, path: str = "", *, may_lack: bool = False, meant: Words | None = None
) -> Iterator[Diagnostic]:
    """Yield what a written value has in it that a shape does not take.

    Shapes: `path` is '' for the value itself; with `may_lack` an empty text stands for a value that is not there yet;
    `meant` is how a value of another kind is to be written, where somebody knows.

    Errors: type/not-among, type/wrong-kind, type/wrong-kind-inside, type/out-of-bounds, type/unknown-field,
    type/perhaps-misspelled.
    """
    if value is None:
        return
    words, kinds = expected.words(), expected.kinds()
    if words is not None and not isinstance(value, list | dict):
        if value not in words:
            hint = did_you_mean(str(value), [str(word) for word in words])
            yield finding("type/not-among", span, hint=hint, value=value)
        return
    found = _kind_of(value)
    if kinds is not None and not kinds & found:
        yield _wrong_kind(value, kinds, found, span, path, meant)
        return
    limit = broken_limit(value, expected, may_lack=may_lack)
    if limit is not None:
        shown = to_json(value) if isinstance(value, list | dict) or value == "" else value
        yield finding("type/out-of-bounds", span, value=shown, limit_zh=limit.zh, limit_en=limit.en)
    if isinstance(value, list):
        item = expected.item()
        for entry in value if item is not None else ():
            yield from unfit(entry, item, span, f"{path}[]", may_lack=may_lack)  # type: ignore[arg-type]
    elif isinstance(value, dict):
        for name, entry in value.items():
            part = expected.field(name)
            if isinstance(part, Missing):
                yield from missing_field(name, part, span)
            elif part is not None:
                yield from unfit(entry, part, span, f"{path}.{name}".lstrip("."), may_lack=may_lack)


def _wrong_kind(
    value: object, kinds: frozenset[str], found: frozenset[str], span: Span, path: str, meant: Words | None
) -> Diagnostic:
    zh, en = kind_words(kinds)
    found_zh, found_en = kind_words({min(found)})
    plain = plain_spelling(value, kinds) if isinstance(value, str) else None
    if plain is None and isinstance(value, str) and "array" in kinds:
        plain = half_list(value)
    hint = Words(f"写 {plain}", f"write {plain}") if plain is not None else meant
    if "string" in kinds and isinstance(value, bool | int | Decimal) and not path:
        written = span.source.text[span.start : span.end]
        hint = Words(f'加上引号："{written}"', f'put it in quotes: "{written}"')
    return finding(
        "type/wrong-kind-inside" if path else "type/wrong-kind",
        span,
        hint=hint,
        path=path,
        wanted_zh=zh,
        wanted_en=en,
        found_zh=found_zh,
        found_en=found_en,
    )


def _kind_of(value: object) -> frozenset[str]:
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, str):
        return frozenset({"string"})
    if isinstance(value, list):
        return frozenset({"array"})
    if isinstance(value, dict):
        return frozenset({"object"})
    return frozenset({"number", "integer"}) if as_integer(value) is not None else frozenset({"number"})


def kind_words(kinds: Iterable[str]) -> tuple[str, str]:
    """Return the words for kinds of values, in both languages; a kind that is none stands for itself."""
    words = [_KINDS.get(kind, (kind, kind)) for kind in sorted(kinds)]
    return "或".join(zh for zh, _ in words), " or ".join(en for _, en in words)
