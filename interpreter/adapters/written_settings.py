"""Settings that a profile writes out itself, looked at without opening an adapter: what it would refuse is said before.

What comes from `settings` of the profile, and what several settings say together, is looked at when a run begins.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from interpreter.adapters.settings import Setting
from interpreter.diagnostics import Diagnostic, did_you_mean, finding, has_errors, nearest
from interpreter.documents.loading import Loaded
from interpreter.model import Adapted, Constant, ListOf, MappingOf, Profile, Value, span_of
from interpreter.shape.hints import for_key


def check_written_settings(loaded: Loaded) -> Iterator[Diagnostic]:
    """Yield the settings that nobody knows or that do not fit, and those that are needed and nowhere written.

    Errors: tool/unknown-adapter, tool/unknown-adapter-setting, tool/adapter-setting-missing,
    tool/adapter-setting-unfit.
    """
    profile = loaded.document
    for adapted in profile.tools if isinstance(profile, Profile) else ():
        for one in (adapted, adapted.of):
            table = _settings_of(one.adapter) if one is not None else None
            if one is not None and table is not None:
                yield from _checked(loaded, one, table)
            elif one is not None and one.adapter == "python":
                yield from _checked_python(loaded, one)


def _checked_python(loaded: Loaded, adapted: Adapted) -> Iterator[Diagnostic]:
    """Yield an adapter whose name is misspelt, and the settings that one of this program does not have.

    One of another distribution is not imported here, and need not be installed: its settings are its own affair.
    """
    from interpreter.adapters.python_settings import PYTHON_SETTINGS, entry_point

    use = adapted.use or ""
    known = PYTHON_SETTINGS.get(use)
    if known is not None:
        yield from _unknown(loaded, adapted, use, known)
    elif nearest(use, PYTHON_SETTINGS) is not None and entry_point(use) is None:
        place, hint = loaded.places.value(adapted.span, "use"), did_you_mean(use, PYTHON_SETTINGS)
        yield finding("tool/unknown-adapter", place, hint=hint, name=use, tool=adapted.tool)


def _unknown(loaded: Loaded, adapted: Adapted, adapter: str, known: Collection[str]) -> Iterator[Diagnostic]:
    around = loaded.places.value(adapted.span, "settings")
    for name in adapted.settings:
        if name not in known:
            span, hint = loaded.places.key(around, name), for_key(name, known)
            yield finding("tool/unknown-adapter-setting", span, hint=hint, adapter=adapter, name=name)


def _checked(loaded: Loaded, adapted: Adapted, table: Mapping[str, Setting]) -> Iterator[Diagnostic]:
    adapter = adapted.adapter
    unknown = list(_unknown(loaded, adapted, adapter, table))
    yield from unknown
    for name, setting in table.items():
        value = adapted.settings.get(name)
        written = _written(value) if value is not None else None
        if value is not None and written not in (None, "") and setting.read(written) is None:
            zh, en = setting.wanted
            yield finding(
                "tool/adapter-setting-unfit", span_of(value), adapter=adapter, name=name, wanted_zh=zh, wanted_en=en
            )
    if not unknown and not has_errors(loaded.diagnostics):  # else one of them is only misspelt
        named = loaded.places.value(adapted.span, "adapter")
        for name, setting in table.items():
            if setting.required and name not in adapted.settings:
                yield finding("tool/adapter-setting-missing", named, adapter=adapter, tool=adapted.tool, name=name)


def _written(value: Value) -> Any:
    """Return a value that is written out; None where a part of it is only known when a run begins."""
    match value:
        case Constant(value=constant):
            return constant
        case ListOf(items=items):
            entries = [_written(item) for item in items]
            return None if None in entries else entries
        case MappingOf(entries=named):
            fields = {name: _written(field) for name, field, _ in named}
            return None if None in fields.values() else fields
    return None


def _settings_of(adapter: str) -> Mapping[str, Setting] | None:
    """Return the table of an adapter, None for one whose settings are its own affair."""
    match adapter:
        case "model":
            from interpreter.adapters.model.settings import SETTINGS
        case "http":
            from interpreter.adapters.http.settings import SETTINGS
        case "mcp":
            from interpreter.adapters.mcp.settings import SETTINGS
        case "command":
            from interpreter.adapters.command.settings import SETTINGS
        case "recorder":
            from interpreter.adapters.recorder.settings import SETTINGS
        case _:
            return None
    return SETTINGS
