"""`tools pin`: look at the tools that a profile uses of servers, and take their descriptions for known.

A server may say another thing of a tool tomorrow; then no call of it is made until a person has looked again.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any

from interpreter.adapters.opening import open_planned
from interpreter.adapters.planning import AdapterPlan, plan_adapters
from interpreter.cli.context import Context, Refused
from interpreter.cli.tools import given_settings, load_profile_whole
from interpreter.cli.trust import check_trust_in
from interpreter.diagnostics import Diagnostic, did_you_mean, errors_of, finding, has_errors
from interpreter.ports import ToolFailure
from interpreter.report.words import safe
from rules.values import dumps

_AGREES = frozenset({"y", "yes", "是", "好", "固定"})
_MOST_SHOWN = 2_000


def pin(context: Context) -> int:
    """Show what tools say of themselves and pin it; exit 0 where all are pinned, 1 where not, 2 for wrong documents."""
    arguments = context.arguments
    profile_path = context.required_profile(arguments.profile, None)
    profile, contracts, texts = load_profile_whole(profile_path)
    plans, found = plan_adapters(profile, contracts, given_settings(context, profile), profile_path.parent)
    if has_errors(found):
        raise Refused(*errors_of(found))
    servers = tuple(plan for plan in plans if plan.adapter == "mcp")
    if not servers:
        raise Refused(finding("command/nothing-to-pin", None, profile=profile.name))
    check_trust_in(context, profile.name, texts, plans)
    return max(_pinned(context, plan) for plan in servers)


def _pinned(context: Context, plan: AdapterPlan) -> int:
    from interpreter.adapters.mcp.pins import UnreadablePins, digest_of, read_pins, write_pins

    opened, found = open_planned((plan,))
    if opened is None:
        raise Refused(*errors_of(found))
    adapter: Any = opened.adapter_of(plan.tools[0])
    try:
        tools = asyncio.run(adapter.tools())
        before = read_pins(adapter.lock, adapter.resolved_identity())
    except (ToolFailure, UnreadablePins) as failed:
        raise Refused(_told(failed, adapter.lock)) from None
    context.terminal.words(f"{context.say('服务', 'server')} {safe(adapter.resolved_identity())}", "bold")
    missing = [name for name in adapter.used if name not in tools]
    for name in missing:
        hint = did_you_mean(name, tools)
        context.terminal.words(
            context.say(f"没有工具 {safe(name)}：{safe(hint.zh)}", f"there is no tool {safe(name)}: {safe(hint.en)}"),
            "red",
        )
    digests = {name: digest_of(tools[name]) for name in adapter.used if name in tools}
    changed = [name for name in digests if before.get(name) != digests[name]]
    for name in digests:
        _show(context, tools[name], before.get(name), digests[name])
    if changed and not _agrees(context, len(changed)):
        return 1
    write_pins(adapter.lock, adapter.resolved_identity(), {**before, **digests})
    context.terminal.words(
        context.say(
            f"已固定 {len(digests)} 个工具：{adapter.lock}", f"{len(digests)} tools are pinned: {adapter.lock}"
        ),
        "green",
    )
    return 1 if missing else 0


def _show(context: Context, tool: Mapping[str, Any], before: str | None, now: str) -> None:
    if before == now:
        state = context.say("没有变化", "unchanged")
    elif before is None:
        state = context.say("还没有固定", "not pinned yet")
    else:
        state = context.say("与固定的不同", "other than pinned")
    context.terminal.words(f"{safe(tool['name'])}: {state}", "yellow" if before != now else None)
    if before != now:
        for line in (str(tool.get("description", "")), dumps(tool.get("inputSchema", {}))):
            context.terminal.words(f"    {safe(line[:_MOST_SHOWN])}")


def _agrees(context: Context, count: int) -> bool:
    if context.arguments.accept:
        return True
    if not context.is_interactive:
        context.terminal.words(
            context.say("看过之后加上 --accept 固定它们", "look at them, then add --accept to pin them"), "yellow"
        )
        return False
    sys.stderr.write(context.say(f"固定这 {count} 个工具吗？[y/N] ", f"pin these {count} tools? [y/N] "))
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _AGREES


def _told(failed: Exception, lock: str) -> Diagnostic:
    if not isinstance(failed, ToolFailure) or failed.code == "pins_unreadable":
        return finding("command/pins-unreadable", None, file=lock)
    message = failed.details["message"]
    return finding("command/server-not-usable", None, reason_zh=message["zh"], reason_en=message["en"])
