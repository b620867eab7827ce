"""How one tool of a server is asked for: its name there, its arguments, and what its answer means."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from interpreter import model
from interpreter.adapters.mapping import Meaning, meaning_of
from interpreter.engine.frame import Evaluate
from interpreter.kind_words import kind_of_value
from rules.records import record
from rules.values import ABSENT


@record
class McpCall:
    """Shapes: `arguments` by name, None where they are given as they are; `given` says of each argument which JSON
    types it may have (empty: not known), `always` which are there in every call.
    """

    name: str
    arguments: tuple[tuple[str, Evaluate], ...] | None
    meaning: Meaning
    given: Mapping[str, frozenset[str]]
    always: frozenset[str]


def call_of(adapted: model.Adapted, contract: model.Contract) -> McpCall:
    """Return how one tool of a profile is asked for; compiled."""
    from interpreter.plan.values import Compiler

    parts = {name: value for name, value, _ in adapted.request}
    named = parts.get("tool")
    name = named.value if isinstance(named, model.Constant) and isinstance(named.value, str) else None
    fields = contract.input.get("properties")
    properties: Mapping[str, Any] = fields if isinstance(fields, dict) else {}
    required = contract.input.get("required")
    needed = frozenset(required if isinstance(required, list) else ())
    mapping = parts.get("arguments")
    if not isinstance(mapping, model.MappingOf):
        given = {field: _types(schema) for field, schema in properties.items()}
        return McpCall(name or contract.name.partition(".")[2], None, meaning_of(adapted), given, needed)
    compiler = Compiler(frozenset())
    given, always = {}, set()
    for field, value, _ in mapping.entries:
        types, is_sure = _of_value(value, properties, needed)
        given[field] = types
        if is_sure:
            always.add(field)
    return McpCall(
        name=name or contract.name.partition(".")[2],
        arguments=compiler.named(mapping.entries),
        meaning=meaning_of(adapted),
        given=given,
        always=frozenset(always),
    )


def _of_value(value: model.Value, properties: Mapping[str, Any], needed: frozenset[str]) -> tuple[frozenset[str], bool]:
    """Return which types a value may have, and whether it is there in every call, as far as that can be told."""
    if isinstance(value, model.Constant):
        return frozenset({kind_of_value(value.value)}), True
    if isinstance(value, model.ListOf):
        return frozenset({"array"}), True
    if isinstance(value, model.MappingOf):
        return frozenset({"object"}), True
    if isinstance(value, model.Text):
        single = value.template.single
        name = single.text.strip() if single is not None else None
        if name is None:
            return frozenset({"string"}), True
        if name in properties:
            return _types(properties[name]), name in needed
        return frozenset(), "absent" not in name
    return frozenset(), True


def _types(schema: Any) -> frozenset[str]:
    """Return the JSON types that a schema allows outright; empty where it does not say."""
    if not isinstance(schema, Mapping):
        return frozenset()
    if "enum" in schema and isinstance(schema["enum"], list):
        return frozenset(map(kind_of_value, schema["enum"]))
    if "const" in schema:
        return frozenset({kind_of_value(schema["const"])})
    found = schema.get("type")
    if isinstance(found, str):
        return frozenset({found})
    return frozenset(found) if isinstance(found, list) else frozenset()


def arguments_of(call: McpCall, names: dict[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as they are sent; what is absent is left out.

    Errors: CannotEvaluate.
    """
    if call.arguments is None:
        return {name: _plain(value) for name, value in arguments.items()}
    made = {name: value(names) for name, value in call.arguments}
    return {name: _plain(value) for name, value in made.items() if value is not ABSENT}


def _plain(value: Any) -> Any:
    """Return a value with numbers as JSON writes them: the SDK would send an exact number as a text."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    return value


def misfit(call: McpCall, schema: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return why a tool does not take what is given, in both languages; None where nothing speaks against it.

    Shapes: `schema` is the tool's own schema of its arguments.
    """
    required = schema.get("required")
    lacking = sorted(set(required if isinstance(required, list) else ()) - call.always)
    if lacking:
        names = ", ".join(map(str, lacking))
        return f"它总是需要 {names}", f"it always wants {names}"
    fields = schema.get("properties")
    properties: Mapping[str, Any] = fields if isinstance(fields, dict) else {}
    for name, types in call.given.items():
        if name not in properties:
            if schema.get("additionalProperties") is False:
                return f"它没有参数 {name}", f"it has no argument {name}"
            if properties and call.arguments is not None:
                return f"它没有参数 {name}", f"it has no argument {name}"
            continue
        wanted = _types(properties[name])
        if types and wanted and not _overlap(types, wanted):
            names = ", ".join(sorted(wanted))
            return f"参数 {name} 要的是 {names}", f"the argument {name} is to be {names}"
    return None


def _overlap(types: frozenset[str], wanted: frozenset[str]) -> bool:
    numbers = {"integer", "number"}
    return bool(types & wanted) or bool(types & numbers and wanted & numbers)
