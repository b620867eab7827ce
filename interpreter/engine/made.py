"""Calls that were made, by tool and arguments, and the writes among them that may have happened.

Where nobody knows whether a write happened, that is remembered for the whole run, whatever permitted it and whoever
keeps its failure: the same call is looked up before it is sent again. What is known of an idempotent one is the
identity under which it may be sent once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from interpreter.ports import Cancelled, JsonObject, Outcome
from rules.records import record
from rules.values import digest


@record(frozen=False)
class Made:
    """A call that was made, or is about to be.

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


def identity_of(tool: str, arguments: JsonObject) -> str:
    """Return what two calls share that are the same call."""
    return digest({"tool": tool, "with": arguments})


_NONE: Mapping[str, Any] = {}


class UnknownWrites:
    """The writes of which nobody knows whether they happened, as one body of steps sees them.

    Very few are ever left, and every item of a loop at once has one of these: mappings are replaced, never changed.
    Bodies that are worked on at once see what was left before their loop began and what they left themselves, never
    what others leave meanwhile: that would depend on timing. Shapes: `changed` is what this body found out or left
    itself, None where it knows now what was left.
    """

    __slots__ = ("_before_loop", "_left", "changed")

    def __init__(self, left: Mapping[str, Made] = _NONE, before_loop: UnknownWrites | None = None) -> None:
        self._left = left
        self._before_loop = before_loop
        self.changed: Mapping[str, Made | None] = _NONE

    @property
    def before_loop(self) -> UnknownWrites:
        """How things stood before the outermost loop whose items are worked on at once."""
        return self._before_loop or self

    def find(self, tool: str, arguments: JsonObject) -> Made | None:
        """Return the same write as it was left unknown, None where it was not."""
        return self._left.get(identity_of(tool, arguments)) if self._left else None

    def note(self, tool: str, arguments: JsonObject, made: Made, earlier: Made | None) -> None:
        """Take note of what came of a write. Shapes: `earlier` is what the call went on from.

        A write that was repaired is unknown as what it was and as what was sent.
        """
        for identity in [identity for identity, one in self._left.items() if one is earlier or one is made]:
            self._change(identity, None)
        if made.is_unknown:
            assert made.outcome is not None
            for sent in (arguments, made.outcome["sent"]):
                self._change(identity_of(tool, sent), made)

    def _change(self, identity: str, made: Made | None) -> None:
        self.changed = {**self.changed, identity: made}
        others = {one: left for one, left in self._left.items() if one != identity}
        self._left = others if made is None else {**others, identity: made}

    def apart(self) -> UnknownWrites:
        """Return what one of several bodies sees that are worked on at once."""
        return UnknownWrites(self._left, self._before_loop or self)

    def take_over(self, bodies: Iterable[UnknownWrites]) -> None:
        """Take over what bodies left, in list order; what any of them left unknown is unknown."""
        changes = [change for body in bodies for change in body.changed.items()]
        for identity, made in sorted(changes, key=lambda change: change[1] is not None):
            self._change(identity, made)

    def as_json(self) -> list[JsonObject]:
        """Return them for a run that goes on under an edit."""
        return [made.as_json(identity) for identity, made in self._left.items()]

    def restore(self, kept: Iterable[JsonObject]) -> None:
        self._left = {one["identity"]: write_from(one) for one in kept}
