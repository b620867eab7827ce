"""Which exact calls a person permitted, and which of them are spent.

A confirmation fixes a list of entries when it is shown. A write names its confirmation and is refused unless its tool
and arguments equal an entry of the latest accepted answer. An entry is spent together with the intention of the write;
asking for it again gives the recorded outcome and makes no call. A call that is permitted once more, while nobody knows
whether it happened before, is looked up before it is made. What is filled in later is only
`{made_by: <entry>, field: …}`, from that entry's own outcome, after the comparison.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from interpreter.ports import Cancelled, JsonObject, Outcome
from rules.records import NamedTuple, field, record
from rules.values import ABSENT, canonical_json, digest


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
class Made:
    """A call that is made only once.

    Shapes: `key` is that of the call that made it, '' before anybody did; `first_key` that under which it was sent
    first; `outcome` what came of it, with all attempts; `in_flight` while it is being made, so that an equal call at
    the same time waits; `stopped` what ended whoever made it last before it came to its end, such as an open question
    or a cancel.
    """

    is_write: bool = False
    key: str = ""
    first_key: str = ""
    in_flight: bool = False
    stopped: BaseException | None = None
    outcome: Outcome | None = None

    def stops(self, key: str) -> BaseException | None:
        """Return what ends an equal call as well: it may have been sent, and its record says how it goes on.

        After a cancel the run may go on without that: only who makes the very same call is cancelled with it.
        """
        return self.stopped if self.key == key or not isinstance(self.stopped, Cancelled) else None

    @property
    def is_unknown(self) -> bool:
        """Say whether nobody knows if it happened."""
        outcome = self.outcome
        return outcome is not None and not outcome["ok"] and outcome["error"].get("happened") == "perhaps"

    def as_json(self, identity: str) -> JsonObject:
        return {"identity": identity, "first_key": self.first_key, "outcome": self.outcome}


def write_from(kept: JsonObject) -> Made:
    """Return a write as it was before the documents were edited."""
    return Made(is_write=True, key=kept["first_key"], first_key=kept["first_key"], outcome=kept["outcome"])


@record(frozen=False)
class Entry:
    """One call that was permitted.

    Shapes: `unknown` is the same call as an earlier answer permitted it, where nobody knows whether it happened then.
    """

    id: str
    tool: str
    arguments: JsonObject
    identity: str
    made: Made = field(default_factory=lambda: Made(is_write=True))
    unknown: Made | None = None

    @property
    def is_spent(self) -> bool:
        return self.made.key != ""

    @property
    def is_done(self) -> bool:
        return self.made.outcome is not None and bool(self.made.outcome["ok"])

    @property
    def left_unknown(self) -> Made | None:
        """The call of which nobody knows whether it happened, None where that is known."""
        if self.made.outcome is None:
            return self.unknown
        return self.made if self.made.is_unknown else None


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
    """All permissions of a workflow, by question. Shapes: `around` are those of the workflow that uses it."""

    def __init__(self, around: Permissions | None = None) -> None:
        self._by_question: dict[str, Permission] = {}
        #: The latest entry of each call, whatever permitted it, of the whole run.
        self._latest: dict[str, Entry] = around._latest if around is not None else {}

    def ask(self, question: str) -> None:
        """A new visit of a question voids what is unspent."""
        self._by_question.pop(question, None)

    def accept(self, question: str, visit: int, shown_digest: str, permits: list[JsonObject]) -> None:
        permission = Permission(question, visit, shown_digest)
        for entry in entries_of(permits):
            earlier = self._latest.get(entry.identity)
            entry.unknown = earlier.left_unknown if earlier is not None else None
            permission.entries[entry.identity] = self._latest[entry.identity] = entry
        for permit in permits:
            permission.by_id[permit["id"]] = permission.entries[identity_of(permit["tool"], permit["with"])]
        self._by_question[question] = permission

    def unknown_as_json(self) -> list[JsonObject]:
        """Return the calls of which nobody knows whether they happened, for a run that goes on under an edit."""
        left = ((identity, entry.left_unknown) for identity, entry in self._latest.items())
        return [made.as_json(identity) for identity, made in left if made is not None]

    def restore(self, unknown: list[JsonObject]) -> None:
        for one in unknown:
            self._latest[one["identity"]] = Entry("", "", {}, one["identity"], unknown=write_from(one))

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


def identity_of(tool: str, arguments: JsonObject) -> str:
    """Return what two calls share that are the same call."""
    return digest({"tool": tool, "with": arguments})
