"""Tabs of a whole text as one finding: an editor that types one types them all, and one setting there mends them."""

from __future__ import annotations

from typing import Any

from interpreter.diagnostics import Diagnostic, Edit, Words, finding
from interpreter.source import Span

#: What the message of one tab says of the others where there are none.
NO_OTHERS: dict[str, Any] = {"others_zh": "", "others_en": ""}


def told_once(found: list[Diagnostic]) -> list[Diagnostic]:
    """Return findings with those of tabs gathered: one for all that can be mended, one for all that indent.

    How deep an indenting tab was meant to be is for the author to say. Shapes: `found` is in order.
    """
    gathered: dict[Diagnostic, Diagnostic] = {}
    left_out: set[Diagnostic] = set()
    for can_be_mended in (True, False):
        tabs = [one for one in found if _is_tab(one) and (one.edit is not None) == can_be_mended]
        if len(tabs) > 1:
            gathered[tabs[0]] = _gathered(tabs[0], tabs[1:])
            left_out.update(tabs[1:])
    return [gathered.get(one, one) for one in found if one not in left_out]


def _is_tab(one: Diagnostic) -> bool:
    return one.code == "yaml/tab"


def _gathered(first: Diagnostic, others: list[Diagnostic]) -> Diagnostic:
    count = len({one.span.begins.line for one in others if one.span is not None})
    says = Words(f"，另有 {count} 行也有", f", and {count} more {'line has' if count == 1 else 'lines have'} one")
    edit = _edit_of([first, *others])
    return finding("yaml/tab", first.span, edit=edit, hint=first.hint, others_zh=says.zh, others_en=says.en)


def _edit_of(tabs: list[Diagnostic]) -> Edit | None:
    edits = [one.edit for one in tabs if one.edit is not None]
    if not edits:
        return None
    source = edits[0].span.source
    parts, at = [], edits[0].span.start
    for edit in edits:
        parts += [source.text[at : edit.span.start], edit.text]
        at = edit.span.end
    return Edit(Span(source, edits[0].span.start, at), "".join(parts))
