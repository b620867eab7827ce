"""The run-time watch over guarantees; independent of the proofs that the linter makes.

It is told of events *before* they take effect: a state is about to be entered, a call about to be made. A guarantee
that an event would break is returned, and the run fails before anything is done.
"""

from __future__ import annotations

from collections.abc import Callable

from interpreter.engine.data import Names
from interpreter.engine.program import EventKind, GuaranteePlan, SelectorPlan
from interpreter.ports import JsonObject
from rules.values import CannotEvaluate

#: The guarantees that take note of what happened, and look back at it.
_THAT_REMEMBER = frozenset({"comes_after", "is_followed_by"})


class Event:
    """Something that a guarantee may talk about. `state` is where it happens."""

    __slots__ = ("kind", "name", "state")

    def __init__(self, kind: str, name: str, state: str) -> None:
        self.kind = kind
        self.name = name
        self.state = state


class Monitor:
    """Shapes: `is_valid(question)` says whether a confirming answer still stands."""

    def __init__(self, guarantees: tuple[GuaranteePlan, ...], is_valid: Callable[[str], bool]) -> None:
        self._guarantees = guarantees
        self._is_valid = is_valid
        self._seen: set[str] = set()
        self._open: dict[str, Event] = {}
        self._previous: dict[str, Event] = {}
        self._always = tuple(one for one in guarantees if one.kind == "always")
        #: The kinds of events that any guarantee asks about; of the others nothing has to be told.
        self.kinds = frozenset(selector.kind for one in guarantees for selector in _selectors(one))
        # Guarantees name things exactly, and an event is told for each call: look up who speaks of it.
        self._about: dict[tuple[EventKind, str], list[GuaranteePlan]] = {}
        self._noting: dict[tuple[EventKind, str], list[GuaranteePlan]] = {}
        for one in guarantees:
            for what in _named(one.subject):
                self._about.setdefault(what, []).append(one)
            if one.kind in _THAT_REMEMBER:
                for what in {what for selector in _selectors(one) for what in _named(selector)}:
                    self._noting.setdefault(what, []).append(one)

    def event(self, kind: EventKind, name: str, state: str, names: Names) -> GuaranteePlan | None:
        """Return the first guarantee that an event of one of `kinds` would break, else take note of it."""
        event = Event(kind, name, state)
        what = (kind, name)
        for guarantee in self._about.get(what, ()):
            assert guarantee.subject is not None
            if _matches(guarantee.subject, event) and self._breaks(guarantee, event, names):
                return guarantee
        for guarantee in self._noting.get(what, ()):
            self._take_note(guarantee, event)
        self._previous[kind] = event
        return None

    def data(self, names: Names, changed: set[str]) -> GuaranteePlan | None:
        """Return the first condition over changed data that does not hold now."""
        for guarantee in self._always:
            if not guarantee.condition_names & changed:
                continue
            try:
                if guarantee.condition is not None and not guarantee.condition(names):
                    return guarantee
            except CannotEvaluate:
                return guarantee
        return None

    def end(self) -> GuaranteePlan | None:
        """Return a guarantee whose follower never came, at the end of a completed run."""
        return next((one for one in self._guarantees if one.id in self._open), None)

    def as_json(self) -> JsonObject:
        """Return what was seen so far, for a run that goes on under edited documents."""
        return {
            "seen": sorted(self._seen),
            "open": {name: _parts(event) for name, event in self._open.items()},
            "previous": {kind: _parts(event) for kind, event in self._previous.items()},
        }

    def restore(self, kept: JsonObject) -> None:
        self._seen = set(kept["seen"])
        self._open = {name: Event(*parts) for name, parts in kept["open"].items()}
        self._previous = {kind: Event(*parts) for kind, parts in kept["previous"].items()}

    def _breaks(self, guarantee: GuaranteePlan, event: Event, names: Names) -> bool:
        kind = guarantee.kind
        if kind == "comes_after":
            return not self._came(guarantee)
        if kind == "directly_after":
            assert guarantee.other is not None
            previous = self._previous.get(guarantee.other.kind)
            return previous is not None and _matches(guarantee.other, previous)
        if kind == "only_in":
            return event.state not in guarantee.only_in
        if kind == "while":
            try:
                return guarantee.condition is None or guarantee.condition(names)
            except CannotEvaluate:
                return True
        return False

    def _came(self, guarantee: GuaranteePlan) -> bool:
        if guarantee.id not in self._seen:
            return False
        if guarantee.other is not None and guarantee.other.kind == "confirm":
            return any(self._is_valid(question) for question in guarantee.other.names)
        return True

    def _take_note(self, guarantee: GuaranteePlan, event: Event) -> None:
        if guarantee.kind == "comes_after":
            if guarantee.since is not None and _matches(guarantee.since, event):
                self._seen.discard(guarantee.id)
            if guarantee.other is not None and _matches(guarantee.other, event):
                self._seen.add(guarantee.id)
        elif guarantee.kind == "is_followed_by":
            if guarantee.other is not None and _matches(guarantee.other, event):
                self._open.pop(guarantee.id, None)
            if guarantee.subject is not None and _matches(guarantee.subject, event):
                self._open[guarantee.id] = event


def _selectors(guarantee: GuaranteePlan) -> list[SelectorPlan]:
    return [one for one in (guarantee.subject, guarantee.other, guarantee.since) if one is not None]


def _named(selector: SelectorPlan | None) -> list[tuple[EventKind, str]]:
    return [(selector.kind, name) for name in selector.names] if selector is not None else []


def _parts(event: Event) -> list[str]:
    return [event.kind, event.name, event.state]


def _matches(selector: SelectorPlan, event: Event) -> bool:
    return (
        selector.kind == event.kind
        and event.name in selector.names
        and (not selector.states or event.state in selector.states)
    )
