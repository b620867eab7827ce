"""Profiles: the tools that they answer exist, and their texts read settings only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.documents import Loaded
from interpreter.model import Contract, ListOf, MappingOf, Profile, Text, Value


def check_profile(loaded: Loaded, contracts: Mapping[str, Contract] | None) -> Iterator[Diagnostic]:
    """Yield what a profile names and does not exist. `contracts` is None where not all of them can be read.

    Errors: tool/unknown, name/unknown, type/unknown-field.
    """
    profile = loaded.document
    if not isinstance(profile, Profile):
        return
    settings = [declared.name for declared in profile.settings]
    tools = loaded.places.value(profile.span, "tools")
    for adapted in profile.tools:
        if contracts is not None and not adapted.tool.endswith(".*") and adapted.tool not in contracts:
            span = loaded.places.key(tools, adapted.tool)
            yield finding("tool/unknown", span, hint=did_you_mean(adapted.tool, contracts), tool=adapted.tool)
        for value in adapted.settings.values():
            yield from _names(value, settings)


def _names(value: Value, settings: list[str]) -> Iterator[Diagnostic]:
    match value:
        case Text(template=template, place=place):
            for name, start, end in template.names:
                if name != "settings":
                    hint = did_you_mean(name, ["settings"])
                    yield finding("name/unknown", place.part(start, end), hint=hint, name=name)
            for use in template.uses:
                field = use.fields[0] if use.root == "settings" and use.fields else None
                if field is not None and field not in settings:
                    span = place.part(use.start, use.end)
                    yield finding("type/unknown-field", span, hint=did_you_mean(field, settings), name=field)
        case MappingOf(entries=entries):
            for _, part, _ in entries:
                yield from _names(part, settings)
        case ListOf(items=items):
            for item in items:
                yield from _names(item, settings)
