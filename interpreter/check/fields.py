"""Fields, kinds of values and closed lists of words, against the declared shapes.

Certain mistakes are errors; a field that an open shape does not name is a warning, and only where it is nearly one
that the shape does name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interpreter.diagnostics import Diagnostic, did_you_mean, finding, nearest
from interpreter.inference import readings, shape_of_node
from interpreter.resolve import Plain, Resolved, Use
from interpreter.scopes import Scope
from interpreter.source import Span
from interpreter.static import Missing, Shape
from rules.expr import Expression, tree

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


def check_fields(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield fields that are read and do not exist. Errors: type/unknown-field, type/perhaps-misspelled."""
    for use in resolved.uses:
        scope = use.inner_scope
        for expression in use.expressions:
            for reading in readings(expression.tree, scope):
                if isinstance(reading.found, Missing):
                    yield from missing_field(reading.name, reading.found, use.part(reading.start, reading.end))
            yield from _fields_in_arguments(use, expression, scope)


def missing_field(name: str, found: Missing, span: Span) -> Iterator[Diagnostic]:
    """Yield the finding for a field that a shape does not name, if it is one."""
    if found.is_closed:
        yield finding("type/unknown-field", span, hint=did_you_mean(name, found.names), name=name)
    elif nearest(name, found.names) is not None:
        yield finding("type/perhaps-misspelled", span, hint=did_you_mean(name, found.names), name=name)


def _fields_in_arguments(use: Use, expression: Expression, scope: Scope) -> Iterator[Diagnostic]:
    """Look at `where(status=…)` and `pluck('title')`: the fields of the items on the left."""
    for inner in tree.walk(expression.tree):
        if not isinstance(inner, tree.Apply) or inner.subject is None:
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
    """Yield written values that the place cannot take. Errors: type/not-among, type/wrong-kind."""
    for plain in resolved.plains:
        if plain.expected is not None:
            yield from _constant(plain, plain.expected)


def _constant(plain: Plain, expected: Shape) -> Iterator[Diagnostic]:
    value = plain.constant.value
    if value is None or isinstance(value, list | dict):
        return
    words = expected.words()
    if words is not None:
        if value not in words:
            hint = did_you_mean(str(value), [str(word) for word in words])
            yield finding("type/not-among", plain.constant.span, hint=hint, value=value)
        return
    kinds = expected.kinds()
    found = _kind_of(value)
    if kinds is not None and not kinds & found:
        zh, en = kind_words(kinds)
        found_zh, found_en = kind_words({min(found)})
        yield finding(
            "type/wrong-kind",
            plain.constant.span,
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
    whole = isinstance(value, int)
    return frozenset({"number", "integer"}) if whole else frozenset({"number"})


def kind_words(kinds: Iterable[str]) -> tuple[str, str]:
    """Return the words for kinds of values, in both languages; a kind that is none stands for itself."""
    words = [_KINDS.get(kind, (kind, kind)) for kind in sorted(kinds)]
    return "或".join(zh for zh, _ in words), " or ".join(en for _, en in words)
