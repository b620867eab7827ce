"""Open the adapters that were planned; what keeps one from being opened is a finding.

An adapter is named in a written table or by an entry point of an installed distribution, never by an import path from
YAML. Opening starts and contacts nothing; the first call does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from interpreter.adapters.planning import AdapterPlan, Settings
from interpreter.adapters.toolbox import Adapter, LaterAdapter, Toolbox
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding
from interpreter.ports import ToolFailure

if TYPE_CHECKING:
    from interpreter.adapters.settings import Problem

Opened = Adapter | LaterAdapter | list[Diagnostic]


def _drive(settings: Settings) -> Adapter:
    from interpreter.adapters.drive.adapter import DriveAdapter

    return DriveAdapter(dict(settings))


def _wiki(settings: Settings) -> Adapter:
    from interpreter.adapters.wiki.adapter import WikiAdapter

    return WikiAdapter(dict(settings))


def _records(settings: Settings) -> Adapter:
    from interpreter.adapters.records.adapter import RecordsAdapter

    return RecordsAdapter(dict(settings))


def _notes(settings: Settings) -> Adapter:
    from interpreter.adapters.notes.adapter import NotesAdapter

    return NotesAdapter(dict(settings))


def _files(settings: Settings) -> Adapter:
    from interpreter.adapters.files.adapter import FilesAdapter

    return FilesAdapter(dict(settings))


def _web(settings: Settings) -> Adapter:
    from interpreter.adapters.web.adapter import WebAdapter

    return WebAdapter(dict(settings))


#: The adapters that a profile may `use`; each is imported when a profile names it.
PYTHON_ADAPTERS: Mapping[str, Callable[[Settings], Adapter]] = {
    "drive": _drive,
    "wiki": _wiki,
    "records": _records,
    "notes": _notes,
    "files": _files,
    "web": _web,
}


def open_planned(plans: tuple[AdapterPlan, ...]) -> tuple[Toolbox | None, list[Diagnostic]]:
    """Open each adapter.

    Errors: findings `tool/…` for an unknown adapter, and for what an adapter says of its settings.
    """
    findings: list[Diagnostic] = []
    by_tool: dict[str, Adapter | LaterAdapter] = {}
    for plan in plans:
        opened = _open(plan)
        if isinstance(opened, list):
            findings.extend(one for one in opened if not _is_said(one, findings))
        else:
            by_tool.update(dict.fromkeys(plan.tools, opened))
    return (None if findings else Toolbox(by_tool)), findings


def _is_said(one: Diagnostic, findings: list[Diagnostic]) -> bool:
    """Say whether another adapter of the profile refused its settings for the same reason."""
    return one.code == "tool/adapter-refused" and any(one.message == other.message for other in findings)


def _open(plan: AdapterPlan) -> Opened:
    how = _OPENED_BY.get(plan.adapter)
    if how is None:
        return [finding("tool/adapter-not-available", plan.span, adapter=plan.adapter, tool=plan.tools[0])]
    return how(plan)


def _open_compute(plan: AdapterPlan) -> Opened:
    from interpreter.adapters.compute import ComputeAdapter

    assert plan.answer is not None
    return ComputeAdapter(plan.lets, plan.answer, plan.settings)


def _open_model(plan: AdapterPlan) -> Opened:
    from interpreter.adapters.model.settings import read_settings

    read = _read(plan, read_settings)
    if isinstance(read, list):
        return read
    from interpreter.adapters.model.adapter import ModelAdapter

    settings, secrets = read
    return ModelAdapter(settings, secrets.get(settings.key_from or ""), plan.tasks)


def _open_command(plan: AdapterPlan) -> Opened:
    from interpreter.adapters.command.settings import read_settings

    read = _read(plan, read_settings, is_sent=False)
    if isinstance(read, list):
        return read
    from interpreter.adapters.command.adapter import CommandAdapter

    return CommandAdapter(*read, plan.calls, plan.known)


def _open_http(plan: AdapterPlan) -> Opened:
    from interpreter.adapters.http.settings import credentials_of, read_settings

    read = _read(plan, read_settings)
    if isinstance(read, list):
        return read
    from interpreter.adapters.http.adapter import HttpAdapter

    return HttpAdapter(read[0], credentials_of(*read), plan.calls, plan.known)


def _open_mcp(plan: AdapterPlan) -> Opened:
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        return [finding("tool/extra-missing", plan.span, adapter="mcp", tool=plan.tools[0], extra="mcp")]
    from interpreter.adapters.mcp.settings import given_to, read_settings

    read = _read(plan, read_settings)
    if isinstance(read, list):
        return read
    from interpreter.adapters.mcp.adapter import McpAdapter

    return McpAdapter(read[0], given_to(*read, os.environ), plan.calls, plan.known)


def _open_recorder(plan: AdapterPlan) -> Opened:
    from interpreter.adapters.recorder.adapter import RecorderAdapter
    from interpreter.adapters.recorder.settings import read_settings

    settings, problems = read_settings(plan.settings)
    if settings is None:
        return _findings(plan, problems)
    inner: dict[str, Any] = {}
    for tool, inside in plan.inner.items() if settings.records else ():
        opened = _open(inside)
        if isinstance(opened, list):
            return opened
        inner[tool] = opened
    return RecorderAdapter(settings, inner)


class _NamesSecrets(Protocol):
    @property
    def secret_variables(self) -> tuple[str, ...]: ...


S = TypeVar("S", bound=_NamesSecrets)


def _read(
    plan: AdapterPlan, read_settings: Callable[[Settings], tuple[S | None, list[Problem]]], *, is_sent: bool = True
) -> tuple[S, dict[str, str]] | list[Diagnostic]:
    """Return the settings of an adapter, and the secrets that they name by their variables; or what is wrong with them.

    Shapes: `is_sent` as for `read_secrets`.
    """
    from interpreter.adapters.secrets import read_secrets

    settings, problems = read_settings(plan.settings)
    if settings is None:
        return _findings(plan, problems)
    secrets, problems = read_secrets(settings.secret_variables, os.environ, is_sent=is_sent)
    return _findings(plan, problems) if problems else (settings, secrets)


def _findings(plan: AdapterPlan, problems: list[Problem]) -> list[Diagnostic]:
    about: dict[str, Any] = {"adapter": plan.adapter, "tool": plan.tools[0]}
    return [finding(code, plan.span, **{**about, **facts}) for code, facts in problems]


def _open_python(plan: AdapterPlan) -> Opened:
    tool = plan.tools[0]
    factory = PYTHON_ADAPTERS.get(plan.use or "") or _installed(plan.use or "")
    if factory is None:
        hint = did_you_mean(plan.use or "", PYTHON_ADAPTERS)
        return [finding("tool/unknown-adapter", plan.span, hint=hint, name=plan.use or "", tool=tool)]
    try:
        return factory(plan.settings)
    except ToolFailure as failure:
        reason_zh = failure.details.get("message", {}).get("zh", failure.message)
        facts = {"name": plan.use, "reason": failure.message, "reason_zh": reason_zh}
        return [finding("tool/adapter-refused", plan.span, hint=_setting_of(failure.message, plan.known), **facts)]


def _setting_of(reason: str, settings: Settings) -> Words | None:
    """Return which setting of the profile names the place that a reason is about; None where none does."""
    places = {
        name: os.path.abspath(os.path.expanduser(value))
        for name, value in settings.items()
        if isinstance(value, str) and value
    }
    named = max(
        (name for name, place in places.items() if place in reason), key=lambda one: len(places[one]), default=""
    )
    if not named:
        return None
    return Words(
        f"它来自 settings.{named}；用 --set settings.{named}=… 换一个",
        f"it comes from settings.{named}; --set settings.{named}=… gives another",
    )


def _installed(name: str) -> Callable[[Settings], Adapter] | None:
    """Return an adapter of an installed distribution, by the name of its entry point."""
    from interpreter.adapters.python_settings import entry_point

    found = entry_point(name)
    return found.load() if found is not None else None


_OPENED_BY: Mapping[str, Callable[[AdapterPlan], Opened]] = {
    "compute": _open_compute,
    "python": _open_python,
    "model": _open_model,
    "http": _open_http,
    "mcp": _open_mcp,
    "command": _open_command,
    "recorder": _open_recorder,
}
