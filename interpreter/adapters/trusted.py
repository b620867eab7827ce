"""What the adapters of a profile start or contact, and all that decides it; nothing is opened.

So whoever runs a profile can be told before, and asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from interpreter.adapters.planning import SERVICES, AdapterPlan
from interpreter.diagnostics import Words


def contacts_of(plans: Sequence[AdapterPlan]) -> tuple[Words, ...]:
    """Return what the adapters of a profile start or contact, in the order of their tools."""
    found: dict[str, Words] = {}
    for plan in plans:
        for words in _contacts(plan):
            found.setdefault(words.en, words)
    return tuple(found.values())


def _contacts(plan: AdapterPlan) -> tuple[Words, ...]:
    match plan.adapter, plan.use:
        case "python", "web":
            from interpreter.adapters.web import settings as of_web

            return of_web.contacts_of(plan.settings)
        case (("python" | "compute"), _):
            return ()
        case "recorder", _:
            return contacts_of(_recorded_by(plan))
    return (_contact(plan),)


def _contact(plan: AdapterPlan) -> Words:
    """Return what an adapter starts or contacts; its name where the settings do not fit, which is found in opening."""
    name = Words(plan.adapter, plan.adapter)
    match plan.adapter:
        case "model":
            from interpreter.adapters.model import settings as of_model

            model, _ = of_model.read_settings(plan.settings)
            return of_model.contacts_of(model) if model is not None else name
        case "command":
            from interpreter.adapters.command import settings as of_command

            program, _ = of_command.read_settings(plan.settings)
            return of_command.contacts_of(program) if program is not None else name
        case "mcp":
            from interpreter.adapters.mcp import settings as of_mcp

            server, _ = of_mcp.read_settings(plan.settings)
            return of_mcp.contacts_of(server) if server is not None else name
        case "http":
            from interpreter.adapters.http import settings as of_http

            service, _ = of_http.read_settings(plan.settings)
            return of_http.contacts_of(service) if service is not None else name
    return name


def trusted_with(plans: Sequence[AdapterPlan]) -> list[Any]:
    """Return all that decides how something is started or contacted, whoever gave it; a change of it is another trust.

    Shapes: JSON. The settings of each adapter (folder, variables, headers), and for services also those of the profile,
    which arguments, addresses and bodies may be made of.
    """
    rows: list[Any] = []
    for plan in _reaching(plans):
        known = dict(plan.known) if plan.adapter in SERVICES else {}
        rows.append([plan.adapter, plan.use, dict(plan.settings), known])
    return rows


def trusted_parts(plans: Sequence[AdapterPlan]) -> dict[str, Any]:
    """Return what `trusted_with` covers by name: `settings.NAME` of the profile, `TOOL SETTING` of an adapter."""
    parts: dict[str, Any] = {}
    for plan in _reaching(plans):
        parts |= {f"settings.{name}": value for name, value in plan.known.items()}
        parts |= {f"{plan.tools[0]} {name}": value for name, value in plan.settings.items()}
    return parts


def _reaching(plans: Sequence[AdapterPlan]) -> Iterator[AdapterPlan]:
    """Yield the adapters that start or contact something, those behind a recorder in its place."""
    for plan in plans:
        if plan.adapter == "recorder":
            yield from _reaching(_recorded_by(plan))
        elif contacts_of((plan,)):
            yield plan


def _recorded_by(plan: AdapterPlan) -> tuple[AdapterPlan, ...]:
    """Return the adapters that answer a recorder; in a replay none does."""
    return tuple(plan.inner.values()) if plan.settings.get("mode") == "record" else ()
