"""Shapes that nothing can be: bounds that cross, words of another kind, types that contain themselves without end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from interpreter.check.fields import kind_words, missing_field
from interpreter.diagnostics import Diagnostic, Words, finding
from interpreter.shape.messages import kind_of_node
from interpreter.source import Span
from interpreter.static.values import Missing
from interpreter.yaml_tree import Mapping as MappingNode
from interpreter.yaml_tree import Node, Scalar, Sequence
from rules.values import dumps as to_json

_RANGES = (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"))
_NUMBERS = frozenset({"integer", "number"})
#: The kinds that a word says something of; a value of any other kind passes it.
_SAYS_OF = {
    **dict.fromkeys(("minimum", "maximum"), _NUMBERS),
    **dict.fromkeys(("minLength", "maxLength", "format"), frozenset({"string"})),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems", "items"), frozenset({"array"})),
    **dict.fromkeys(("properties", "required", "additionalProperties"), frozenset({"object"})),
}
_DEFINITIONS = "#/$defs/"


def check_satisfiable(node: MappingNode, schema: Mapping[str, object]) -> Iterator[Diagnostic]:
    """Yield what is wrong with one shape for itself, beside the text that it was read from.

    Errors: type/never-fits, type/wrong-kind, type/word-without-effect, type/unknown-field, type/perhaps-misspelled.
    """
    for least, most in _RANGES:
        low, high = schema.get(least), schema.get(most)
        if isinstance(low, int | Decimal) and isinstance(high, int | Decimal) and low > high:
            why = Words(f"{least} {low} 大于 {most} {high}", f"{least} {low} is more than {most} {high}")
            yield _never(_span(node, least), why)
    yield from _words_of_another_kind(node, schema)
    yield from _words_without_effect(node, schema)
    yield from _required_and_unknown(node, schema)


def check_endless(
    node: MappingNode, full: str, schema: Mapping[str, object], definitions: Mapping[str, object]
) -> Iterator[Diagnostic]:
    """Yield that a type, `document.Type`, needs itself inside of itself. Errors: type/never-fits.

    Of several types that need each other the one is named that comes first.
    """
    way = _way_back(full, definitions)
    if way is None or full != min(way):
        return
    names = [name.partition(".")[2] for name in way]
    road = " → ".join([*names, names[0]])
    if "$ref" in schema:
        hint = Words("写出它的 type", "write its type")
        why = Words(f"{road} 只引用彼此，没有内容", f"{road} refers to nothing else")
        yield _never(_span(node, "$ref"), why, hint)
        return
    why = Words(f"{road}，没有尽头", f"{road}, and so on without end")
    hint = Words("让其中一个可以不写：不列入 required", "let one of them be left out: do not name it under required")
    yield _never(node.span, why, hint)


def _never(span: Span, why: Words, hint: Words | None = None) -> Diagnostic:
    return finding("type/never-fits", span, hint=hint, why_zh=why.zh, why_en=why.en)


def _span(node: MappingNode, word: str) -> Span:
    found = node.get(word)
    return found.span if found is not None else node.span


def _words_of_another_kind(node: MappingNode, schema: Mapping[str, object]) -> Iterator[Diagnostic]:
    """Yield entries of `enum` that are not of the `type` beside it."""
    declared, listed = schema.get("type"), node.get("enum")
    if not isinstance(listed, Sequence) or not isinstance(declared, str | list):
        return
    kinds = frozenset([declared] if isinstance(declared, str) else map(str, declared))
    strange = [entry for entry in listed.items if not _is_of(entry, kinds)]
    if not strange:
        return
    zh, en = kind_words(kinds)
    found_zh, found_en = kind_words({kind_of_node(strange[0])})
    hint = None
    if "string" in kinds and all(isinstance(entry, Scalar) for entry in strange):
        texts = ", ".join(to_json(entry.text) for entry in strange if isinstance(entry, Scalar))
        hint = Words(f"写 {texts}，或改 type", f"write {texts}, or change type")
    yield finding(
        "type/wrong-kind",
        strange[0].span,
        hint=hint,
        wanted_zh=zh,
        wanted_en=en,
        found_zh=found_zh,
        found_en=found_en,
    )


def _words_without_effect(node: MappingNode, schema: Mapping[str, object]) -> Iterator[Diagnostic]:
    """Yield words that say nothing of a value of the `type` beside them: nobody would ever look at them."""
    declared = schema.get("type")
    if not isinstance(declared, str | list):
        return
    kinds = frozenset([declared] if isinstance(declared, str) else map(str, declared))
    zh, en = kind_words(kinds)
    for key, value in node.entries:
        is_said = key.text == "required" and not isinstance(value, Sequence)  # no names of fields: `shape` says so
        if not is_said and not _SAYS_OF.get(key.text, kinds) & kinds:
            meant = _meant(key.text, kinds)
            hint = Words(f"写 {meant}，或改 type", f"write {meant}, or change type") if meant else None
            yield finding("type/word-without-effect", key.span, hint=hint, word=key.text, kind_zh=zh, kind_en=en)


def _meant(word: str, kinds: frozenset[str]) -> str | None:
    """Return the bound that says of these kinds what another one says of others."""
    side = next((pair.index(word) for pair in _RANGES if word in pair), None)
    return next((pair[side] for pair in _RANGES if _SAYS_OF[pair[0]] & kinds), None) if side is not None else None


def _is_of(entry: Node, kinds: frozenset[str]) -> bool:
    if isinstance(entry, Scalar) and entry.broken:
        return True
    kind = kind_of_node(entry)
    is_whole = isinstance(entry, Scalar) and isinstance(entry.value, Decimal) and entry.value % 1 == 0
    return kind in kinds or (kind == "integer" and "number" in kinds) or (is_whole and "integer" in kinds)


def _required_and_unknown(node: MappingNode, schema: Mapping[str, object]) -> Iterator[Diagnostic]:
    """Yield names under `required` that no field has: errors where the shape is closed, else what is nearly a name."""
    properties, required = schema.get("properties"), node.get("required")
    other = schema.get("additionalProperties")
    if not isinstance(properties, Mapping) or not isinstance(required, Sequence) or isinstance(other, Mapping):
        return
    missing = Missing(frozenset(properties), other is False)
    for entry in required.items:
        if isinstance(entry, Scalar) and isinstance(entry.value, str) and entry.value not in properties:
            yield from missing_field(entry.value, missing, entry.span)


def _way_back(full: str, definitions: Mapping[str, object]) -> list[str] | None:
    """Return the types over which one needs itself, itself first; None where a value of it comes to an end."""
    waiting, seen = [[full]], {full}
    while waiting:
        way = waiting.pop(0)
        for name in _needed(definitions.get(way[-1])):
            if name == full:
                return way
            if name not in seen:
                seen.add(name)
                waiting.append([*way, name])
    return None


def _needed(schema: object) -> Iterator[str]:
    """Yield the types of which every value of a shape holds one."""
    waiting = [schema]
    while waiting:
        found = waiting.pop()
        if not isinstance(found, Mapping) or "default" in found:
            continue
        reference = found.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix(_DEFINITIONS)
        elif found.get("type") == "object":
            properties = found.get("properties")
            required = found.get("required")
            if isinstance(properties, Mapping) and isinstance(required, list):
                waiting += [properties.get(name) for name in required]
        elif found.get("type") == "array" and found.get("minItems"):
            waiting.append(found.get("items"))
