"""The adapters of a profile behind the names of tools.

An adapter is named in a written table or by an entry point of an installed distribution, never by an import path from
YAML. Settings are values: what a person may set stands in the profile's own `settings:`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.ports import Request, ToolFailure
from interpreter.source import Span
from rules.records import record
from rules.values import ABSENT, CannotEvaluate, canonical_text

if TYPE_CHECKING:
    from interpreter import model

Settings = Mapping[str, Any]


class Adapter(Protocol):
    """What answers tools. `invoke` returns the answer or something to await; it raises `ToolFailure`."""

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str) -> Any | Awaitable[Any]: ...

    def resolved_identity(self) -> str:
        """Return what the adapter works on: a root folder, an address, an account."""


def _drive(settings: Settings) -> Adapter:
    from interpreter.adapters.drive.adapter import DriveAdapter

    return DriveAdapter(dict(settings))


#: The adapters that a profile may `use`; each is imported when a profile names it.
PYTHON_ADAPTERS: Mapping[str, Callable[[Settings], Adapter]] = {"drive": _drive}
ENTRY_POINTS = "interpreter.adapters"


class Toolbox:
    """`ports.Tools` over the adapters of one profile; tools with the same adapter and settings share one."""

    def __init__(self, by_tool: Mapping[str, Adapter]) -> None:
        self._by_tool = by_tool

    def names(self) -> frozenset[str]:
        return frozenset(self._by_tool)

    def has(self, tool: str) -> bool:
        return tool in self._by_tool

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any | Awaitable[Any]:
        adapter = self._by_tool.get(request.tool)
        if adapter is None:
            raise ToolFailure("not_in_profile", f"the profile has no adapter for {request.tool}")
        return adapter.invoke(request.tool, request.arguments, request.identity)

    def identities(self) -> Mapping[str, str]:
        return {tool: adapter.resolved_identity() for tool, adapter in sorted(self._by_tool.items())}


@record
class AdapterPlan:
    """An adapter to be opened: what it is, its settings, and the tools that it answers."""

    adapter: str
    use: str | None
    settings: Settings
    answer: Any
    tools: tuple[str, ...]
    span: Span


def plan_adapters(
    profile: model.Profile, tools: frozenset[str], given: Mapping[str, Any], folder: PurePath
) -> tuple[tuple[AdapterPlan, ...], list[Diagnostic]]:
    """Return which adapters answer the tools, with their settings evaluated; nothing is opened."""
    settings, findings = settings_of(profile, given, folder)
    if findings:
        # Every tool that reads a setting would only say the same again.
        return (), findings
    planned: dict[str, AdapterPlan] = {}
    for tool in sorted(tools):
        adapted = adapted_for(profile, tool)
        if adapted is None:
            continue
        try:
            values = {name: _settled(value, settings) for name, value in adapted.settings.items()}
        except CannotEvaluate as error:
            findings.append(finding("tool/setting-not-evaluated", adapted.span, tool=tool, reason=error.code))
            continue
        is_computed = adapted.adapter == "compute"
        if is_computed:
            values = {**settings, **values}
        about: Any = adapted.body if is_computed else tool.partition(".")[0]
        key = canonical_text([adapted.adapter, adapted.use, values, about])
        before = planned[key].tools if key in planned else ()
        answer = adapted.body.get("answer", {}) if is_computed else None
        planned[key] = AdapterPlan(adapted.adapter, adapted.use, values, answer, (*before, tool), adapted.span)
    return tuple(planned.values()), findings


def open_planned(plans: tuple[AdapterPlan, ...]) -> tuple[Toolbox | None, list[Diagnostic]]:
    """Open each adapter.

    Errors: findings `tool/…` for an unknown adapter, and for what an adapter says of its settings.
    """
    findings: list[Diagnostic] = []
    by_tool: dict[str, Adapter] = {}
    for plan in plans:
        made = _make(plan)
        if isinstance(made, Diagnostic):
            findings.append(made)
        else:
            by_tool.update(dict.fromkeys(plan.tools, made))
    return (None if findings else Toolbox(by_tool)), findings


def adapted_for(profile: model.Profile, tool: str) -> model.Adapted | None:
    """Return how a tool is answered: by its own entry, else by that of its document (`drive.*`)."""
    document = f"{tool.partition('.')[0]}.*"
    exact = next((one for one in profile.tools if one.tool == tool), None)
    return exact or next((one for one in profile.tools if one.tool == document), None)


def settings_of(
    profile: model.Profile, given: Mapping[str, Any], folder: PurePath
) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return the settings of a profile: what a person gave, else the defaults, paths made whole."""
    findings = [
        finding(
            "tool/unknown-setting",
            None,
            hint=did_you_mean(name, [one.name for one in profile.settings]),
            name=name,
            profile=profile.name,
        )
        for name in given
        if name not in {one.name for one in profile.settings}
    ]
    from interpreter.plan.values import constant_of

    values: dict[str, Any] = {}
    for declared in profile.settings:
        if declared.name in given:
            values[declared.name] = given[declared.name]
            continue
        default = constant_of(declared.default)
        if default is ABSENT:
            findings.append(finding("tool/setting-missing", declared.span, name=declared.name, profile=profile.name))
        elif declared.schema.get("format") == "path" and isinstance(default, str):
            values[declared.name] = str(folder / default)
        else:
            values[declared.name] = default
    return values, findings


def _settled(value: model.Value, settings: Mapping[str, Any]) -> Any:
    from interpreter.plan.values import Compiler

    return Compiler(frozenset()).value(value)({"settings": dict(settings)})


def _make(plan: AdapterPlan) -> Adapter | Diagnostic:
    tool = plan.tools[0]
    if plan.adapter == "compute":
        from interpreter.adapters.compute import ComputeAdapter

        return ComputeAdapter(plan.answer, plan.settings)
    if plan.adapter != "python":
        return finding("tool/adapter-not-available", plan.span, adapter=plan.adapter, tool=tool)
    factory = PYTHON_ADAPTERS.get(plan.use or "") or _entry_point(plan.use or "")
    if factory is None:
        hint = did_you_mean(plan.use or "", PYTHON_ADAPTERS)
        return finding("tool/unknown-adapter", plan.span, hint=hint, name=plan.use or "", tool=tool)
    try:
        return factory(plan.settings)
    except ToolFailure as failure:
        return finding("tool/adapter-refused", plan.span, tool=tool, reason=failure.message)


def _entry_point(name: str) -> Callable[[Settings], Adapter] | None:
    """Return an adapter of an installed distribution, by the name of its entry point."""
    from importlib.metadata import entry_points

    found = [point for point in entry_points(group=ENTRY_POINTS) if point.name == name]
    return found[0].load() if found else None
