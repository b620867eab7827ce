"""A profile that starts or contacts something is trusted once, by a digest of its text and of all that it is given.

The digest covers what was given by `--set`, such as an address, a folder or a word of a command: a key goes to whom a
person has said yes to and to nobody else, and nothing else is started than what was seen.
"""

from __future__ import annotations

import sys
from pathlib import Path

from interpreter.adapters.toolbox import AdapterPlan, contacts_of, trusted_with
from interpreter.cli.context import Context
from interpreter.diagnostics import Diagnostic, Words, finding
from interpreter.session import Prepared
from rules.values import digest

_AGREES = frozenset({"y", "yes", "是", "好", "信任"})


def untrusted(context: Context, prepared: Prepared) -> Diagnostic | None:
    """Return why a profile may not be used yet; whoever sits at a terminal is asked, `--trust-profile` says yes."""
    kept = prepared.kept
    return untrusted_contacts(context, kept.profile.name, kept.profile_text, kept.adapters)


def untrusted_contacts(context: Context, name: str, text: str, adapters: tuple[AdapterPlan, ...]) -> Diagnostic | None:
    """The same of a profile that is not used for a run. Shapes: `text` is the whole document."""
    contacts = contacts_of(adapters)
    if not contacts:
        return None
    trusted = _file(context.home, text, contacts, adapters)
    if trusted.exists():
        return None
    if context.arguments.trust_profile or (context.is_interactive and _agrees(context, name, contacts)):
        trusted.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        trusted.touch()
        return None
    return finding(
        "command/profile-not-trusted",
        None,
        name=name,
        contacts_zh="；".join(one.zh for one in contacts),
        contacts_en="; ".join(one.en for one in contacts),
    )


def _file(home: Path, text: str, contacts: tuple[Words, ...], adapters: tuple[AdapterPlan, ...]) -> Path:
    return home / "trusted" / digest([text, [one.en for one in contacts], trusted_with(adapters)])


def _agrees(context: Context, name: str, contacts: tuple[Words, ...]) -> bool:
    terminal = context.terminal
    terminal.words(
        context.say(
            f"第一次使用 profile {name}，它会启动或联系：",
            f"profile {name} is used for the first time; it starts or contacts:",
        ),
        "bold",
    )
    for one in contacts:
        terminal.words(f"  {one[context.language]}")
    sys.stderr.write(context.say("信任它吗？[y/N] ", "trust it? [y/N] "))
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _AGREES
