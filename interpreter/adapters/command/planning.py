"""How a profile has a program started for one tool, ready to be called."""

from __future__ import annotations

from typing import Any

from interpreter import model
from interpreter.adapters.command.arguments import ArgumentPlan
from interpreter.adapters.mapping import Meaning, meaning_of
from interpreter.check.commands import Entry, check_command, entries_of, has_data, literal_start
from interpreter.diagnostics import Diagnostic
from interpreter.engine.frame import Evaluate
from interpreter.plan.values import Compiler
from rules.ready import rendered
from rules.records import record


@record
class CommandCall:
    """Shapes: `stdin` is given as text, anything else as JSON; None where the program is given nothing."""

    argv: tuple[ArgumentPlan, ...]
    stdin: Evaluate | None
    stdin_has_data: bool
    meaning: Meaning


def call_of(adapted: model.Adapted) -> tuple[CommandCall | None, list[Diagnostic]]:
    """Return how one tool of a profile is answered by a program, or why it may not be."""
    found = list(check_command(adapted))
    entries = entries_of(adapted)
    if found or entries is None:
        return None, found
    compiler = Compiler(frozenset())
    stdin = next((value for name, value, _ in adapted.request if name == "stdin"), None)
    return CommandCall(
        argv=tuple(_planned(compiler, entry) for entry in entries if isinstance(entry, Entry)),
        stdin=compiler.optional(stdin),
        stdin_has_data=stdin is not None and has_data(stdin),
        meaning=meaning_of(adapted),
    ), []


def _planned(compiler: Compiler, entry: Entry) -> ArgumentPlan:
    what = entry.value if entry.value is not None else entry.json
    return ArgumentPlan(
        flag=entry.flag,
        value=compiler.optional(entry.value),
        json=compiler.optional(entry.json),
        when=compiler.optional(entry.when),
        apart=entry.apart,
        before=literal_start(entry.value) if entry.value is not None else "",
        pieces=_pieces(entry.value),
        is_literal=what is None or not has_data(what),
    )


def _pieces(value: model.Value | None) -> tuple[str | Evaluate, ...]:
    """Return the pieces of a text with literal words in it; none for a value that comes from one hole."""
    if getattr(value, "template", None) is None or value.template.single is not None:  # type: ignore[union-attr]
        return ()
    return tuple(_piece(part) for part in value.template.parts)  # type: ignore[union-attr]


def _piece(part: Any) -> str | Evaluate:
    return part if isinstance(part, str) else lambda names: rendered((part,), names)
