"""How a call of the notes fails: the contract's codes, with words in both languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from interpreter.adapters.reasons import failure_in_words
from interpreter.diagnostics import Words
from interpreter.ports import ToolFailure

_RETRYABLE = frozenset({"INTERNAL_ERROR"})
Hint = Mapping[str, Any]


def hint(tool: str, zh: str, en: str) -> Hint:
    """Return what may be called next and why."""
    return {"tool": tool, "reason": {"zh": zh, "en": en}}


def failure(code: str, zh: str, en: str, hints: Sequence[Hint] = ()) -> ToolFailure:
    """Return a failure in the contract's words; `details` has `message` in both languages, `retryable`, `hints`."""
    details: dict[str, Any] = {"retryable": code in _RETRYABLE}
    if hints:
        details["hints"] = list(hints)
    return failure_in_words(code, Words(zh, en), details)


def invalid(zh: str, en: str) -> ToolFailure:
    return failure("INVALID_PARAMS", zh, en)


def note_not_found(note_id: str) -> ToolFailure:
    again = hint("search_notes", "重新查找笔记的编号", "look for the id of the note again")
    return failure("NOTE_NOT_FOUND", f"没有这篇笔记：{note_id}", f"there is no such note: {note_id}", [again])


def block_not_found(block_id: str) -> ToolFailure:
    zh, en = "块的编号随内容变化，请重新读取大纲", "the id of a block changes with its text; read the outline again"
    return failure(
        "BLOCK_NOT_FOUND",
        f"没有这个块：{block_id}；{zh}",
        f"there is no such block: {block_id}; {en}",
        [hint("get_note_outline", zh, en)],
    )


def no_vault(zh: str, en: str) -> ToolFailure:
    return failure("VAULT_UNAVAILABLE", zh, en)
