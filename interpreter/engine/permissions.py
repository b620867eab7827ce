"""Which exact calls a person permitted, and which of them are spent.

A confirmation fixes a list of entries when it is shown. A write names its confirmation and is refused unless its tool
and arguments equal an entry of the latest accepted answer. An entry is spent together with the intention of the write;
asking for it again gives the recorded outcome and makes no call. What is filled in later is only
`{made_by: <entry>, field: …}`, from that entry's own outcome, after the comparison.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from interpreter.engine.made import Made, identity_of
from interpreter.ports import JsonObject
from rules.records import NamedTuple, field, record
from rules.values import ABSENT, canonical_json


class Refused(NamedTuple):
    """Why a write is not permitted; `code` is a `run/…` code."""

    code: str
    facts: JsonObject


class _OthersGoOn:
    """Suspends once, whatever drives the run.

    Only somebody who waits for a call in flight awaits this, so there is another body that can go on. `Run.turn` is not
    for that: while a run is walked anew it does not suspend.
    """

    def __await__(self) -> Generator[None, None, None]:
        yield


OTHERS_GO_ON = _OthersGoOn()


@record(frozen=False)
class Entry:
    """One call that was permitted."""

    id: str
    tool: str
    arguments: JsonObject
    identity: str
    made: Made = field(default_factory=lambda: Made(is_write=True))

    @property
    def is_spent(self) -> bool:
        return self.made.key != ""

    @property
    def is_done(self) -> bool:
        return self.made.outcome is not None and bool(self.made.outcome["ok"])


@record(frozen=False)
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
        identity = identity_of(permit["tool"], permit["with"])
        if identity not in result:
            result[identity] = Entry(permit["id"], permit["tool"], permit["with"], identity)
    return list(result.values())


class Permissions:
    """All permissions of a workflow, by question."""

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
            permission.by_id[permit["id"]] = permission.entries[identity_of(permit["tool"], permit["with"])]
        self._by_question[question] = permission

    def is_valid(self, question: str, shown_digest: str) -> bool:
        """Say whether a confirming answer still stands: given, and what it showed has not changed."""
        permission = self._by_question.get(question)
        return permission is not None and permission.shown_digest == shown_digest

    def left(self) -> frozenset[str]:
        """Return the questions whose answer permits calls that have not been done."""
        asked = self._by_question.items()
        return frozenset(name for name, one in asked if not all(entry.is_done for entry in one.entries.values()))

    def find(self, question: str, tool: str, arguments: JsonObject, shown_digest: str) -> Entry | Refused:
        """Return the entry that permits a call, or why none does."""
        permission = self._by_question.get(question)
        if permission is None:
            return Refused("run/write-not-confirmed", {"tool": tool, "question": question})
        entry = permission.entries.get(identity_of(tool, arguments))
        if entry is None:
            facts = {"tool": tool, "question": question, "differs": _differs(permission, tool, arguments)}
            return Refused("run/write-not-permitted", facts)
        if not entry.is_spent and permission.shown_digest != shown_digest:
            return Refused("run/confirmation-void", {"tool": tool, "question": question})
        return entry

    def filled_in(self, question: str, arguments: Any) -> Any:
        """Return arguments with each `{made_by, field}` filled in from that entry's outcome; ABSENT if it cannot."""
        permission = self._by_question[question]
        return _filled(permission, arguments)


def _differs(permission: Permission, tool: str, arguments: JsonObject) -> str:
    """Return the names of the arguments in which a call differs from the permitted one that is most like it.

    Shapes: `-` where no call of the tool is permitted at all. Their values may be private.
    """
    found = [
        [name for name in sorted({*one.arguments, *arguments}) if not _is_same(one.arguments, arguments, name)]
        for one in permission.entries.values()
        if one.tool == tool
    ]
    nearest: list[str] = min(found, key=len, default=["-"])
    return ", ".join(nearest)


def _is_same(one: JsonObject, other: JsonObject, name: str) -> bool:
    return name in one and name in other and canonical_json(one[name]) == canonical_json(other[name])


def _filled(permission: Permission, value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"made_by", "field"}:
            entry = permission.by_id.get(value["made_by"])
            outcome = entry.made.outcome if entry is not None else None
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
