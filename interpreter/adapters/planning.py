"""Which adapters answer the tools of a profile, with their settings evaluated; nothing is opened.

Settings are values: what a person may set stands in the profile's own `settings:`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from interpreter.adapters.reasons import reason_of
from interpreter.adapters.settings import PATH, whole_path
from interpreter.diagnostics import Diagnostic, did_you_mean, errors_of, finding
from interpreter.engine.frame import Evaluate
from interpreter.source import Span
from rules.records import field, record, replace
from rules.values import ABSENT, CannotEvaluate, canonical_text

if TYPE_CHECKING:
    from interpreter import model
    from interpreter.adapters.model.task import Task

Settings = Mapping[str, Any]

#: Adapters over a connection that all their tools share; what each tool asks for stands in its own entry.
SERVICES = frozenset({"http", "mcp", "command"})


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
    """Return which adapters answer the tools; tools with the same adapter and settings share one.

    Errors: findings `tool/…` for settings, and for what an adapter needs of the profile or a contract.
    """
    settings, findings = settings_of(profile, given, folder)
    if findings:
        # Every tool that reads a setting would only say the same again.
        return (), findings
    from interpreter.documents.profiles import adapted_for

    planner = _Planner(profile, given, settings, PurePath(os.path.abspath(folder)))
    for tool in sorted(contracts):
        adapted = adapted_for(profile, tool)
        if adapted is not None:
            planner.add(adapted, contracts[tool])
    return tuple(planner.planned.values()), planner.findings


class _Planner:
    """Plans one tool after another."""

    def __init__(self, profile: model.Profile, given: Mapping[str, Any], settings: Settings, folder: PurePath) -> None:
        self._profile = profile
        self._given = given
        self._settings = settings
        self._folder = folder
        self.planned: dict[str, AdapterPlan] = {}
        self.findings: list[Diagnostic] = []

    def add(self, adapted: model.Adapted, contract: model.Contract) -> None:
        try:
            values = {name: _evaluated(value, self._settings) for name, value in adapted.settings.items()}
        except CannotEvaluate as error:
            code, (zh, en) = "tool/setting-not-evaluated", reason_of(error)
            found = finding(code, adapted.span, tool=contract.name, reason_zh=zh, reason_en=en)
            self.findings.append(found)
            return
        values = self._placed(adapted.adapter, values)
        key = canonical_text([adapted.adapter, adapted.use, values, _kept_apart_by(adapted, contract, values)])
        before = self.planned.get(key) or AdapterPlan(
            adapted.adapter, adapted.use, values, (), adapted.span, known=self._settings
        )
        plan = replace(before, tools=(*before.tools, contract.name))
        self.planned[key] = self._able_to_answer(plan, adapted, contract)

    def _placed(self, adapter: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return settings of an adapter with whole paths, and with what the profile itself adds to them."""
        folder = self._folder
        if adapter in ("command", "mcp") and "program" in values:
            from interpreter.adapters.command.settings import placed_program

            values["program"] = placed_program(values["program"], folder)
            if "folder" in values:
                values["folder"] = whole_path(values["folder"], PATH, str(folder))
        if adapter == "recorder" and isinstance(values.get("file"), str):
            values["file"] = whole_path(values["file"], PATH, str(folder))
        if adapter == "mcp":
            return {"lock": str(folder / f"{self._profile.name}.lock.json"), **values}
        return {**self._settings, **values} if adapter == "compute" else values

    def _able_to_answer(self, plan: AdapterPlan, adapted: model.Adapted, contract: model.Contract) -> AdapterPlan:
        """Return a plan with what its adapter needs to know of one more tool."""
        tool = contract.name
        match adapted.adapter:
            case "compute":
                self._need(adapted.answer is not None, "tool/answer-missing", adapted, tool)
                return _with_answer(plan, adapted)
            case "model":
                plan = _with_task(plan, contract)
                self._need(tool in plan.tasks, "tool/prompt-missing", adapted, tool)
                return plan
            case "recorder":
                self._need(adapted.of is not None, "tool/recorder-of-nothing", adapted, tool)
                return self._with_recorded(plan, adapted, contract)
            case "command":
                from interpreter.adapters.command.planning import call_of

                call, refused = call_of(adapted)
                self.findings += refused
                return replace(plan, calls={**plan.calls, tool: call})
            case "http" | "mcp":
                self.findings += _unsafe(adapted, contract)
                return replace(plan, calls={**plan.calls, tool: _call_of(adapted, contract)})
        return plan

    def _need(self, is_there: bool, code: str, adapted: model.Adapted, tool: str) -> None:
        if not is_there:
            self.findings.append(finding(code, adapted.span, tool=tool))

    def _with_recorded(self, plan: AdapterPlan, adapted: model.Adapted, contract: model.Contract) -> AdapterPlan:
        """Return a plan with how the answers that a recorder records are made."""
        if adapted.of is None:
            return plan
        alone = replace(self._profile, tools=(replace(adapted.of, tool=contract.name),))
        inner, found = plan_adapters(alone, {contract.name: contract}, self._given, self._folder)
        self.findings += found
        return replace(plan, inner={**plan.inner, contract.name: inner[0]}) if inner else plan


def _kept_apart_by(adapted: model.Adapted, contract: model.Contract, values: Settings) -> Any:
    """Return what keeps tools apart whose adapter and settings are the same; None where nothing does."""
    if adapted.adapter == "compute":
        return adapted.body
    is_shared = adapted.adapter in SERVICES or (adapted.adapter == "recorder" and isinstance(values.get("file"), str))
    return None if is_shared else contract.name.partition(".")[0]


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


def _evaluated(value: model.Value, settings: Mapping[str, Any]) -> Any:
    from interpreter.plan.values import Compiler

    return Compiler(frozenset()).value(value)({"settings": dict(settings)})


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
