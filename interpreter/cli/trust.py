"""A profile that starts or contacts something is trusted once, by a digest of its text and of all that it is given.

The digest covers what was given by `--set`, such as an address, a folder or a word of a command: a key goes to whom a
person has said yes to and to nobody else, and nothing else is started than what was seen.

Beside each digest stand those of its parts, so that whoever is asked again is told which of them is another one now.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from interpreter.adapters.planning import AdapterPlan
from interpreter.adapters.trusted import contacts_of, trusted_parts, trusted_with
from interpreter.cli.context import Context, Refused
from interpreter.diagnostics import Words, finding
from interpreter.session.prepared import Prepared
from rules.values import digest, dumps, loads

#: The part that is its own document; the others are `settings.NAME` of the profile and `TOOL SETTING` of adapters.
_TEXT = "text"
#: The parts that are documents of profiles that it extends begin with this.
_TEXT_OF = "text of "
_AGREES = frozenset({"y", "yes", "是", "好", "信任"})


def check_trust(context: Context, prepared: Prepared, run_id: str = "") -> None:
    """Refuse a profile that may not be used yet; whoever sits at a terminal is asked, `--trust-profile` says yes.

    Errors: Refused.
    """
    planned = prepared.planned
    check_trust_in(context, planned.profile.name, planned.profile_texts, planned.adapters, run_id)


def check_trust_in(
    context: Context, name: str, texts: Mapping[str, str], adapters: tuple[AdapterPlan, ...], run_id: str = ""
) -> None:
    """Do the same for a profile that is not used for a run. Shapes: `texts` of its documents, its own first."""
    contacts = contacts_of(adapters)
    if not contacts:
        return
    trusted = _file(context.home, texts, contacts, adapters)
    if trusted.exists():
        return
    own, *extended = texts
    written = {_TEXT: texts[own], **{f"{_TEXT_OF}{each}": texts[each] for each in extended}}
    parts = {part: digest(value) for part, value in {**written, **trusted_parts(adapters)}.items()}
    since = _since(_differing(trusted.parent, name, parts))
    if context.arguments.trust_profile or (context.is_interactive and _agrees(context, name, since, contacts)):
        trusted.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        trusted.write_text(dumps({"profile": name, "parts": parts}), encoding="utf-8")
        return
    found = finding(
        "command/profile-not-trusted",
        None,
        name=name,
        since_zh=since.zh,
        since_en=since.en,
        contacts_zh="；".join(one.zh for one in contacts),
        contacts_en="; ".join(one.en for one in contacts),
    )
    raise Refused(found, run_id=run_id)


def _file(home: Path, texts: Mapping[str, str], contacts: tuple[Words, ...], adapters: tuple[AdapterPlan, ...]) -> Path:
    return home / "trusted" / digest([dict(texts), [one.en for one in contacts], trusted_with(adapters)])


def _differing(folder: Path, name: str, parts: Mapping[str, str]) -> list[str] | None:
    """Return the parts in which a profile differs from what was trusted under its name; None where nothing was.

    Shapes: of several that were trusted the nearest counts. Parts that a person wrote come alone where any differs:
    the others are made of them.
    """
    known = [
        [part for part in sorted({*parts, *before}) if parts.get(part) != before.get(part)]
        for before in _trusted_before(folder, name)
    ]
    if not known:
        return None
    nearest = min(known, key=len)
    return [part for part in nearest if part == _TEXT or part.startswith((_TEXT_OF, "settings."))] or nearest


def _trusted_before(folder: Path, name: str) -> Iterator[Mapping[str, str]]:
    for file in sorted(folder.glob("*")):
        try:
            told = loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # it counts as trusted all the same; only what it consisted of is not known
        if isinstance(told, dict) and told.get("profile") == name and isinstance(told.get("parts"), dict):
            yield told["parts"]


def _since(differing: list[str] | None) -> Words:
    """Return why it is asked, as part of a sentence: the profile is new, or other than what was trusted."""
    if not differing:
        return Words("是第一次使用", "used for the first time")
    named = [_named(part) for part in differing]
    zh, en = "、".join(one.zh for one in named), ", ".join(one.en for one in named)
    return Words(f"与信任过的不同（{zh}）", f"other than what was trusted (it differs in {en})")


def _named(part: str) -> Words:
    if part == _TEXT:
        return Words("文件内容", "its text")
    if part.startswith(_TEXT_OF):
        name = part.removeprefix(_TEXT_OF)
        return Words(f"{name} 的文件内容", f"the text of {name}")
    return Words(part, part)


def _agrees(context: Context, name: str, since: Words, contacts: tuple[Words, ...]) -> bool:
    terminal = context.terminal
    terminal.words(
        context.say(
            f"profile {name} {since.zh}，它会启动或联系：",
            f"profile {name} is {since.en}; it starts or contacts:",
        ),
        "bold",
    )
    for one in contacts:
        terminal.words(f"  {one[context.language]}")
    sys.stderr.write(context.say("信任它吗？[y/N] ", "trust it? [y/N] "))
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _AGREES
