"""Which exact calls a person permitted, and which of them are spent.

A confirmation fixes a list of entries when it is shown. A write names its confirmation and is refused unless its tool and
arguments equal an entry of the latest accepted answer. An entry is spent together with the intention of the write; asking
for it again gives the recorded outcome and makes no call. What is filled in later is only `{made_by: <entry>, field: …}`,
from that entry's own outcome, after the comparison.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from interpreter.ports import JsonObject, Outcome
from rules.values import ABSENT, canonical_json, digest


class Refused(NamedTuple):
    """Why a write is not permitted; `code` is a `run/…` code."""

    code: str
    facts: JsonObject


@dataclass
class Entry:
    id: str
    tool: str
    arguments: JsonObject
    identity: str
    spent: bool = False
    outcome: Outcome | None = None


@dataclass
class Permission:
    """What one accepted answer permits."""

    question: str
    visit: int
    shown_digest: str
    entries: dict[str, Entry] = field(default_factory=dict)
    by_id: dict[str, Entry] = field(default_factory=dict)


def entries_of(permits: list[JsonObject]) -> list[Entry]:
    """Return the entries of a question, equal calls made one."""
    result: dict[str, Entry] = {}
    for permit in permits:
        identity = _identity(permit["tool"], permit["with"])
        if identity not in result:
            result[identity] = Entry(permit["id"], permit["tool"], permit["with"], identity)
    return list(result.values())


class Permissions:
    """All permissions of a run, by question."""

    def __init__(self) -> None:
        self._by_question: dict[str, Permission] = {}

    def ask(self, question: str) -> None:
        """A new visit of a question voids what is unspent."""
        self._by_question.pop(question, None)

    def accept(self, question: str, visit: int, shown_digest: str, permits: list[JsonObject]) -> None:
        permission = Permission(question, visit, shown_digest)
        for entry in entries_of(permits):
            permission.entries[entry.identity] = entry
        for permit in permits:
            permission.by_id[permit["id"]] = permission.entries[_identity(permit["tool"], permit["with"])]
        self._by_question[question] = permission

    def is_valid(self, question: str, shown: Any) -> bool:
        """Say whether a confirming answer still stands: given, and what it showed has not changed."""
        permission = self._by_question.get(question)
        return permission is not None and permission.shown_digest == digest(shown)

    def find(self, question: str, tool: str, arguments: JsonObject, shown: Any) -> Entry | Refused:
        """Return the entry that permits a call, or why none does."""
        permission = self._by_question.get(question)
        if permission is None:
            return Refused("run/write-not-confirmed", {"tool": tool, "question": question})
        entry = permission.entries.get(_identity(tool, arguments))
        if entry is None:
            return Refused("run/write-not-permitted", {"tool": tool, "question": question})
        if not entry.spent and permission.shown_digest != digest(shown):
            return Refused("run/confirmation-void", {"tool": tool, "question": question})
        return entry

    def filled_in(self, question: str, arguments: Any) -> Any:
        """Return arguments with each `{made_by, field}` replaced by what that entry's outcome says; ABSENT if it cannot."""
        permission = self._by_question[question]
        return _filled(permission, arguments)

    def as_json(self) -> JsonObject:
        return {}


def _filled(permission: Permission, value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"made_by", "field"}:
            entry = permission.by_id.get(value["made_by"])
            outcome = entry.outcome if entry is not None else None
            if outcome is None or not outcome.get("ok") or not isinstance(outcome.get("value"), dict):
                return ABSENT
            return outcome["value"].get(value["field"], ABSENT)
        result = {}
        for name, inner in value.items():
            filled = _filled(permission, inner)
            if filled is ABSENT:
                return ABSENT
            result[name] = filled
        return result
    if isinstance(value, list):
        items = [_filled(permission, inner) for inner in value]
        return ABSENT if any(item is ABSENT for item in items) else items
    return value


def _identity(tool: str, arguments: JsonObject) -> str:
    return digest({"tool": tool, "with": arguments})


def same_calls(first: list[JsonObject], second: list[JsonObject]) -> bool:
    return canonical_json(first) == canonical_json(second)
