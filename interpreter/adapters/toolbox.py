"""The adapters of a profile behind the names of tools.

An adapter is named in a written table or by an entry point of an installed distribution, never by an import path from
YAML. Settings are values: what a person may set stands in the profile's own `settings:`.

Opening an adapter starts and contacts nothing; the first call does. So whoever runs a profile can be told before what
it will start or contact (`contacts_of`), and asked.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

from interpreter.adapters.holds import hand_down
from interpreter.adapters.settings import PATH, whole_path
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, errors_of, finding
from interpreter.ports import Holds, Request, ToolFailure
from interpreter.source import Span
from rules.records import field, record, replace
from rules.values import ABSENT, CannotEvaluate, canonical_text

if TYPE_CHECKING:
    from interpreter import model
    from interpreter.adapters.model.task import Task

Settings = Mapping[str, Any]
Evaluate = Callable[[dict[str, Any]], Any]


class Adapter(Protocol):
    """What answers tools at once. `invoke` raises `ToolFailure`; it may be named by an entry point."""

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str) -> Any | Awaitable[Any]: ...

    def resolved_identity(self) -> str:
        """Return what the adapter works on: a root folder, an address, an account."""


class LaterAdapter(Protocol):
    """What answers tools later, so that calls overlap: it has `is_asynchronous = True`, and the run gets a loop."""

    @property
    def is_asynchronous(self) -> bool: ...

    async def call(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        """Make one attempt. Errors: ToolFailure, TimeoutError."""

    async def close(self) -> None:
        """Close what is open; called inside the loop, when the walk ends. A further call opens it again."""

    def resolved_identity(self) -> str:
        """Return what the adapter works on: a root folder, an address, an account."""


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
ENTRY_POINTS = "interpreter.adapters"
#: Adapters over a connection that all their tools share; what each tool asks for stands in its own entry.
SERVICES = frozenset({"http", "mcp", "command"})
#: A server that is started gets three times a second to end by itself. Units: seconds.
CLOSE_WITHIN = 5.0


class Toolbox:
    """`ports.Tools` over the adapters of one profile; tools with the same adapter and settings share one."""

    def __init__(self, by_tool: Mapping[str, Any]) -> None:
        self._by_tool = by_tool
        self._later = {tool for tool, adapter in by_tool.items() if getattr(adapter, "is_asynchronous", False)}

    @property
    def needs_loop(self) -> bool:
        """Whether some adapter answers later; else a run is driven without an event loop."""
        return bool(self._later)

    def names(self) -> frozenset[str]:
        return frozenset(self._by_tool)

    def has(self, tool: str) -> bool:
        return tool in self._by_tool

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any | Awaitable[Any]:
        adapter = self._by_tool.get(request.tool)
        if adapter is None:
            raise ToolFailure("not_in_profile", f"the profile has no adapter for {request.tool}")
        if request.tool in self._later:
            return adapter.call(request, cancelled)
        return adapter.invoke(request.tool, request.arguments, request.identity)

    def hold_programs(self, holds: Holds) -> None:
        """Let adapters that start programs hand down what tells how long these are at work."""
        hand_down({id(one): one for one in self._by_tool.values()}.values(), holds)

    def adapter_of(self, tool: str) -> Any:
        """Return what answers a tool, None where nothing does."""
        return self._by_tool.get(tool)

    async def close(self) -> None:
        """Close the connections that calls have opened, side by side; none of them holds up the others or the end."""
        from asyncio import gather

        await gather(*map(_closed, {id(one): one for one in (self._by_tool[tool] for tool in self._later)}.values()))

    def identities(self) -> Mapping[str, str]:
        return {tool: adapter.resolved_identity() for tool, adapter in sorted(self._by_tool.items())}


async def _closed(adapter: LaterAdapter) -> None:
    """Close an adapter; one that fails in this, or does not come to an end, says nothing of the run."""
    from asyncio import timeout

    with suppress(Exception):
        async with timeout(CLOSE_WITHIN):
            await adapter.close()


@record
class AdapterPlan:
    """An adapter to be opened: what it is, its settings, and the tools that it answers.

    Shapes: `lets` and `answer` are what `compute` evaluates, `tasks` what `model` asks for, by tool; `calls` are how
    the adapters of services ask for each tool, and `known` the profile's settings, which they read; `inner` are what a
    recorder records, by tool.
    """

    adapter: str
    use: str | None
    settings: Settings
    tools: tuple[str, ...]
    span: Span
    lets: tuple[tuple[str, Evaluate], ...] = ()
    answer: Evaluate | None = None
    tasks: Mapping[str, Task] = field(default_factory=dict)
    calls: Mapping[str, Any] = field(default_factory=dict)
    known: Settings = field(default_factory=dict)
    inner: Mapping[str, AdapterPlan] = field(default_factory=dict)


def plan_adapters(
    profile: model.Profile, contracts: Mapping[str, model.Contract], given: Mapping[str, Any], folder: PurePath
) -> tuple[tuple[AdapterPlan, ...], list[Diagnostic]]:
    """Return which adapters answer the tools, with their settings evaluated; nothing is opened.

    Errors: findings `tool/…` for settings, and for what an adapter needs of the profile or a contract.
    """
    settings, findings = settings_of(profile, given, folder)
    folder = PurePath(os.path.abspath(folder))
    if findings:
        # Every tool that reads a setting would only say the same again.
        return (), findings
    planned: dict[str, AdapterPlan] = {}
    for tool in sorted(contracts):
        adapted = adapted_for(profile, tool)
        if adapted is None:
            continue
        try:
            values = {name: _settled(value, settings) for name, value in adapted.settings.items()}
        except CannotEvaluate as error:
            findings.append(finding("tool/setting-not-evaluated", adapted.span, tool=tool, reason=error.code))
            continue
        is_computed = adapted.adapter == "compute"
        about: Any = adapted.body if is_computed else tool.partition(".")[0]
        if adapted.adapter in SERVICES:
            about = None  # one connection for all tools of a service
        if adapted.adapter in ("command", "mcp") and "program" in values:
            from interpreter.adapters.command.settings import placed_program

            values["program"] = placed_program(values["program"], folder)
            if "folder" in values:
                values["folder"] = whole_path(values["folder"], PATH, str(folder))
        if adapted.adapter == "recorder" and isinstance(values.get("file"), str):
            about = None  # one file for all of its tools
            values["file"] = whole_path(values["file"], PATH, str(folder))
        if is_computed:
            values = {**settings, **values}
        if adapted.adapter == "mcp":
            values = {"lock": str(folder / f"{profile.name}.lock.json"), **values}
        key = canonical_text([adapted.adapter, adapted.use, values, about])
        before = planned.get(key) or AdapterPlan(adapted.adapter, adapted.use, values, (), adapted.span)
        plan = replace(before, tools=(*before.tools, tool))
        if is_computed:
            plan = _with_answer(plan, adapted)
            lacks = "tool/answer-missing" if plan.answer is None else None
        elif adapted.adapter == "model":
            plan = replace(_with_task(plan, contracts[tool]), known=settings)
            lacks = "tool/prompt-missing" if tool not in plan.tasks else None
        elif adapted.adapter == "command":
            from interpreter.adapters.command.planning import call_of as started_by

            started, refused = started_by(adapted)
            findings += refused
            plan = replace(plan, calls={**plan.calls, tool: started}, known=settings)
            lacks = None
        elif adapted.adapter == "recorder":
            inner, refused = _recorded(profile, adapted, contracts[tool], given, folder)
            findings += refused
            plan = replace(plan, inner={**plan.inner, tool: inner} if inner is not None else plan.inner)
            lacks = "tool/recorder-of-nothing" if adapted.of is None else None
        elif adapted.adapter in SERVICES:
            findings += _unsafe(adapted, contracts[tool])
            plan = replace(plan, calls={**plan.calls, tool: _call_of(adapted, contracts[tool])}, known=settings)
            lacks = None
        else:
            plan = replace(plan, known=settings)
            lacks = None
        if lacks is not None:
            findings.append(finding(lacks, adapted.span, tool=tool))
        planned[key] = plan
    return tuple(planned.values()), findings


def _recorded(
    profile: model.Profile,
    adapted: model.Adapted,
    contract: model.Contract,
    given: Mapping[str, Any],
    folder: PurePath,
) -> tuple[AdapterPlan | None, list[Diagnostic]]:
    """Return how the answers that a recorder records are made."""
    if adapted.of is None:
        return None, []
    alone = replace(profile, tools=(replace(adapted.of, tool=contract.name),))
    plans, found = plan_adapters(alone, {contract.name: contract}, given, folder)
    return (plans[0] if plans else None), found


def _unsafe(adapted: model.Adapted, contract: model.Contract) -> list[Diagnostic]:
    """Return what keeps a request from being made: data where a service is, parts that do not exist."""
    from interpreter.check.services import check_place, check_request

    found = [*(one for _, one in check_place(adapted)), *check_request(adapted, contract)]
    return errors_of(found)


def _call_of(adapted: model.Adapted, contract: model.Contract) -> Any:
    if adapted.adapter == "mcp":
        from interpreter.adapters.mcp.planning import call_of as mcp_call_of

        return mcp_call_of(adapted, contract)
    from interpreter.adapters.http.request import call_of

    return call_of(adapted)


def _with_answer(plan: AdapterPlan, adapted: model.Adapted) -> AdapterPlan:
    from interpreter.plan.values import Compiler

    compiler = Compiler(frozenset())
    return replace(plan, lets=compiler.named(adapted.let), answer=compiler.optional(adapted.answer))


def _with_task(plan: AdapterPlan, contract: model.Contract) -> AdapterPlan:
    from interpreter.adapters.model.planning import task_of

    task = task_of(contract)
    return replace(plan, tasks={**plan.tasks, contract.name: task}) if task is not None else plan


def open_planned(plans: tuple[AdapterPlan, ...]) -> tuple[Toolbox | None, list[Diagnostic]]:
    """Open each adapter.

    Errors: findings `tool/…` for an unknown adapter, and for what an adapter says of its settings.
    """
    findings: list[Diagnostic] = []
    by_tool: dict[str, Adapter | LaterAdapter] = {}
    for plan in plans:
        made = _make(plan)
        if isinstance(made, list):
            findings.extend(one for one in made if not _is_said(one, findings))
        else:
            by_tool.update(dict.fromkeys(plan.tools, made))
    return (None if findings else Toolbox(by_tool)), findings


def _is_said(one: Diagnostic, findings: list[Diagnostic]) -> bool:
    """Say whether another adapter of the profile refused its settings for the same reason."""
    return one.code == "tool/adapter-refused" and any(one.message == other.message for other in findings)


def contacts_of(plans: tuple[AdapterPlan, ...]) -> tuple[Words, ...]:
    """Return what the adapters of a profile start or contact, in the order of their tools; nothing is opened."""
    found: dict[str, Words] = {}
    for plan in plans:
        if plan.adapter == "python" and plan.use == "web":
            from interpreter.adapters.web.settings import contacts_of as which

            found.update({words.en: words for words in which(plan.settings)})
        if plan.adapter in ("python", "compute"):
            continue
        if plan.adapter == "model":
            from interpreter.adapters.model.settings import contacts_of as whom
            from interpreter.adapters.model.settings import read_settings

            settings, _ = read_settings(plan.settings)
            words = whom(settings) if settings is not None else Words("model", "model")
        elif plan.adapter == "recorder":
            if plan.settings.get("mode") == "record":
                found.update({words.en: words for words in contacts_of(tuple(plan.inner.values()))})
            continue
        elif plan.adapter in SERVICES:
            words = _contact_of(plan)
        else:
            words = Words(plan.adapter, plan.adapter)
        found.setdefault(words.en, words)
    return tuple(found.values())


def trusted_with(plans: tuple[AdapterPlan, ...]) -> list[Any]:
    """Return all that decides how something is started or contacted, whoever gave it; a change of it is another trust.

    Shapes: JSON. The settings of each adapter (folder, variables, headers), and for services also those of the profile,
    which arguments, addresses and bodies may be made of.
    """
    rows: list[Any] = []
    for plan in plans:
        if plan.adapter == "recorder":
            rows += trusted_with(tuple(plan.inner.values())) if plan.settings.get("mode") == "record" else []
        elif contacts_of((plan,)):
            known = dict(plan.known) if plan.adapter in SERVICES else {}
            rows.append([plan.adapter, plan.use, dict(plan.settings), known])
    return rows


def trusted_parts(plans: tuple[AdapterPlan, ...]) -> dict[str, Any]:
    """Return what `trusted_with` covers by name: `settings.NAME` of the profile, `TOOL SETTING` of an adapter."""
    parts: dict[str, Any] = {}
    for plan in plans:
        if plan.adapter == "recorder":
            parts |= trusted_parts(tuple(plan.inner.values())) if plan.settings.get("mode") == "record" else {}
        elif contacts_of((plan,)):
            parts |= {f"settings.{name}": value for name, value in plan.known.items()}
            parts |= {f"{plan.tools[0]} {name}": value for name, value in plan.settings.items()}
    return parts


def _contact_of(plan: AdapterPlan) -> Words:
    if plan.adapter == "command":
        from interpreter.adapters.command.settings import contacts_of as of_command
        from interpreter.adapters.command.settings import read_settings as read_command

        program, _ = read_command(plan.settings)
        return of_command(program) if program is not None else Words("command", "command")
    if plan.adapter == "mcp":
        from interpreter.adapters.mcp.settings import contacts_of as of_mcp
        from interpreter.adapters.mcp.settings import read_settings as read_mcp

        server, _ = read_mcp(plan.settings)
        return of_mcp(server) if server is not None else Words("mcp", "mcp")
    from interpreter.adapters.http.settings import contacts_of as of_http
    from interpreter.adapters.http.settings import read_settings as read_http

    service, _ = read_http(plan.settings)
    return of_http(service) if service is not None else Words("http", "http")


def adapted_for(profile: model.Profile, tool: str) -> model.Adapted | None:
    """Return how a tool is answered: by its own entry, else by that of its document (`drive.*`)."""
    document = f"{tool.partition('.')[0]}.*"
    exact = next((one for one in profile.tools if one.tool == tool), None)
    return exact or next((one for one in profile.tools if one.tool == document), None)


def settings_of(
    profile: model.Profile, given: Mapping[str, Any], folder: PurePath
) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return the settings of a profile: what a person gave, else the defaults.

    A path is made whole before anybody sees it: a program may run in another folder than the one it was typed in. A
    given one is relative to the present folder, a default to the document.
    """
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
            values[declared.name] = whole_path(given[declared.name], declared.schema, "")
            continue
        default = constant_of(declared.default)
        if default is ABSENT:
            findings.append(finding("tool/setting-missing", declared.span, name=declared.name, profile=profile.name))
        else:
            values[declared.name] = whole_path(default, declared.schema, str(folder))
    return values, findings


def _settled(value: model.Value, settings: Mapping[str, Any]) -> Any:
    from interpreter.plan.values import Compiler

    return Compiler(frozenset()).value(value)({"settings": dict(settings)})


def _make(plan: AdapterPlan) -> Adapter | LaterAdapter | list[Diagnostic]:
    if plan.adapter == "compute":
        from interpreter.adapters.compute import ComputeAdapter

        assert plan.answer is not None
        return ComputeAdapter(plan.lets, plan.answer, plan.settings)
    if plan.adapter == "model":
        return _make_model(plan)
    if plan.adapter == "http":
        return _make_http(plan)
    if plan.adapter == "command":
        return _make_command(plan)
    if plan.adapter == "recorder":
        return _make_recorder(plan)
    if plan.adapter == "mcp":
        return _make_mcp(plan)
    if plan.adapter == "python":
        made = _make_python(plan)
        return [made] if isinstance(made, Diagnostic) else made
    return [finding("tool/adapter-not-available", plan.span, adapter=plan.adapter, tool=plan.tools[0])]


def _make_model(plan: AdapterPlan) -> LaterAdapter | list[Diagnostic]:
    from interpreter.adapters.model.settings import read_key, read_settings

    settings, problems = read_settings(plan.settings)
    key = None
    if settings is not None:
        key, problems = read_key(settings, os.environ)
    if settings is None or problems:
        about: dict[str, Any] = {"adapter": plan.adapter, "tool": plan.tools[0]}
        return [finding(code, plan.span, **about, **facts) for code, facts in problems]
    from interpreter.adapters.model.adapter import ModelAdapter

    return ModelAdapter(settings, key, plan.tasks)


def _make_command(plan: AdapterPlan) -> LaterAdapter | list[Diagnostic]:
    from interpreter.adapters.command.settings import read_settings
    from interpreter.adapters.secrets import read_secrets

    settings, problems = read_settings(plan.settings)
    secrets: dict[str, str] = {}
    if settings is not None:
        secrets, problems = read_secrets(settings.secrets, os.environ, is_sent=False)
    if settings is None or problems:
        return _problems_of(plan, problems)
    from interpreter.adapters.command.adapter import CommandAdapter

    return CommandAdapter(settings, secrets, plan.calls, plan.known)


def _make_recorder(plan: AdapterPlan) -> LaterAdapter | list[Diagnostic]:
    from interpreter.adapters.recorder.adapter import RecorderAdapter
    from interpreter.adapters.recorder.settings import read_settings

    settings, problems = read_settings(plan.settings)
    if settings is None:
        return _problems_of(plan, problems)
    inner: dict[str, Any] = {}
    for tool, inside in plan.inner.items() if settings.records else ():
        made = _make(inside)
        if isinstance(made, list):
            return made
        inner[tool] = made
    return RecorderAdapter(settings, inner)


def _make_http(plan: AdapterPlan) -> LaterAdapter | list[Diagnostic]:
    from interpreter.adapters.http.settings import read_credentials, read_settings

    settings, problems = read_settings(plan.settings)
    credentials = None
    if settings is not None:
        credentials, problems = read_credentials(settings, os.environ)
    if settings is None or credentials is None:
        return _problems_of(plan, problems)
    from interpreter.adapters.http.adapter import HttpAdapter

    return HttpAdapter(settings, credentials, plan.calls, plan.known)


def _make_mcp(plan: AdapterPlan) -> LaterAdapter | list[Diagnostic]:
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        return [finding("tool/extra-missing", plan.span, adapter="mcp", tool=plan.tools[0], extra="mcp")]
    from interpreter.adapters.mcp.settings import given_to, read_settings

    settings, problems = read_settings(plan.settings)
    given = None
    if settings is not None:
        given, problems = given_to(settings, os.environ)
    if settings is None or given is None:
        return _problems_of(plan, problems)
    from interpreter.adapters.mcp.adapter import McpAdapter

    return McpAdapter(settings, given, plan.calls, plan.known)


def _problems_of(plan: AdapterPlan, problems: list[tuple[str, dict[str, Any]]]) -> list[Diagnostic]:
    about: dict[str, Any] = {"adapter": plan.adapter, "tool": plan.tools[0]}
    return [finding(code, plan.span, **{**about, **facts}) for code, facts in problems]


def _make_python(plan: AdapterPlan) -> Adapter | Diagnostic:
    tool = plan.tools[0]
    factory = PYTHON_ADAPTERS.get(plan.use or "") or _entry_point(plan.use or "")
    if factory is None:
        hint = did_you_mean(plan.use or "", PYTHON_ADAPTERS)
        return finding("tool/unknown-adapter", plan.span, hint=hint, name=plan.use or "", tool=tool)
    try:
        return factory(plan.settings)
    except ToolFailure as failure:
        reason_zh = failure.details.get("message", {}).get("zh", failure.message)
        facts = {"name": plan.use, "reason": failure.message, "reason_zh": reason_zh}
        return finding("tool/adapter-refused", plan.span, hint=_setting_of(failure.message, plan.known), **facts)


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


def _entry_point(name: str) -> Callable[[Settings], Adapter] | None:
    """Return an adapter of an installed distribution, by the name of its entry point."""
    from importlib.metadata import entry_points

    found = [point for point in entry_points(group=ENTRY_POINTS) if point.name == name]
    return found[0].load() if found else None
