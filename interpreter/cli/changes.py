"""Documents of a run that are not what they were when it began: what is said of them, and how the run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from interpreter.cli.commands import command_line
from interpreter.cli.context import Context
from interpreter.diagnostics import Diagnostic, finding
from interpreter.ports import JsonObject
from interpreter.report.words import safe
from interpreter.session import edits
from interpreter.session.edits import Edit
from interpreter.session.prepared import places_apart

#: So many changed lines are shown; who wants all of them compares the files.
CHANGED_LINES = 30
_CHANGED_STYLES = {" ": "dim", "-": "red", "+": "green"}


def findings_of(changed: Sequence[Edit]) -> list[Diagnostic]:
    """Return what is the matter with changed documents: some are gone, some say something else."""
    gone = [one for one in changed if one.is_gone]
    others = [one for one in changed if not one.is_gone]
    found = [finding("command/documents-gone", None, names=_paths(gone))] if gone else []
    return [*found, *([finding("command/documents-changed", None, names=_paths(others))] if others else [])]


def refuse_changed(context: Context, run_id: str, start: JsonObject, changed: list[Edit]) -> int:
    """Refuse to go on under changed documents; show the lines that changed, the places, and how to go on."""
    status = context.refuse(findings_of(changed))
    lines = list(edits.changed_lines(changed))
    for mark, line in lines[:CHANGED_LINES]:
        context.terminal.line(f"    {mark} {safe(line)}".rstrip(), _CHANGED_STYLES[mark])
    if len(lines) > CHANGED_LINES:
        left = len(lines) - CHANGED_LINES
        context.terminal.line(context.say(f"    还有 {left} 行", f"    and {left} lines more"), "dim")
    now, _ = edits.edited(start)
    if now is not None:
        say_places(context, places_apart(start, now))
    _show_ways(context, run_id, can_take_up=not any(one.is_gone for one in changed))
    return status


def say_places(context: Context, apart: list[str]) -> None:
    """Say which tools work on another place now."""
    for one in apart:
        context.terminal.words(context.say(f"工具指向别处：{safe(one)}", f"another place: {safe(one)}"), "yellow")


def _show_ways(context: Context, run_id: str, *, can_take_up: bool) -> None:
    """Show the commands that go on: the one that was given with the recorded text, or a resume with what is there."""
    answer = getattr(context.arguments, "answer", None)
    verb = ["resume", run_id] if answer is None else ["answer", run_id, answer]
    seen = getattr(context.arguments, "seen", None)
    abandon = ["--abandon"] if getattr(context.arguments, "abandon", False) else []
    given = [*verb, *(["--seen", seen] if seen else []), *abandon, "--as-recorded"]
    as_recorded = context.say("按记录的文本继续：", "with the recorded text: ")
    context.terminal.line(f"  {as_recorded}{safe(command_line(context, *given))}", "cyan")
    if can_take_up:
        with_edits = context.say("从当前状态重新开始：", "the present state anew: ")
        context.terminal.line(f"  {with_edits}{safe(command_line(context, 'resume', run_id, '--with-edits'))}", "cyan")


def _paths(changed: Sequence[Edit]) -> str:
    """Return where changed documents are, each as short as it can be typed in the folder that the person is in."""
    here = Path.cwd()
    paths = [one.path for one in changed]
    return ", ".join(str(path.relative_to(here) if path.is_relative_to(here) else path) for path in paths)
