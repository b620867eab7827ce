"""The names and places of one walk.

A frame holds one flat space of names: data, rule documents, answered questions, locals, `run`, and under '' the frame
itself, which answers the functions that only the engine can answer. A loop variable that stands for a place in data is
written through (`set: {r.field: …}` changes the list); an item worked on `at_once` has a frame of its own and changes
only itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from interpreter.engine.data import ANYTHING, SCALARS, Names, Shape, keyed, read_path, stored, with_change, with_entry
from interpreter.engine.made import UnknownWrites
from rules.records import NamedTuple
from rules.values import ABSENT, cannot

if TYPE_CHECKING:
    from interpreter.engine.core import Core

Evaluate = Callable[[Names], Any]
Condition = Callable[[Names], bool]


class StandsAt(NamedTuple):
    """Where a loop variable's value is kept, list entries as `At`.

    Shapes: `root` is '' for an item that is worked on by itself.
    """

    root: str
    segments: tuple[Any, ...]


class Target:
    """The left side of `set`: a root and segments, each a field's name or something to evaluate.

    Shapes: `is_fixed` says that nothing in it has to be evaluated; `shape` is what the place accepts where it is a
    fixed place of declared data. `is_near` says that it is such data or one `field` of them; `scalars` are the kinds of
    which any value fits there.
    """

    __slots__ = ("field", "is_fixed", "is_near", "root", "scalars", "segments", "shape", "text")

    def __init__(self, root: str, segments: tuple[str | Evaluate, ...], text: str, shape: Shape | None = None) -> None:
        fields = [segment for segment in segments if isinstance(segment, str)]
        self.root = root
        self.segments = segments
        self.text = text
        self.is_fixed = len(fields) == len(segments)
        self.shape = shape
        self.is_near = shape is not None and self.is_fixed and len(fields) < 2
        self.field = fields[0] if fields and self.is_near else None
        self.scalars = shape.scalars if shape is not None else frozenset()


class Frame:
    """One scope of execution.

    Shapes: `key` is the prefix of the keys of the effects made in it; `at_once` the key of the outermost loop whose
    items are worked on at once, '' in order; `catching` says that somebody around keeps failures as data; `evidence` is
    what was read and admitted as seen from here, None where the run admits nothing.
    """

    __slots__ = (
        "at_once", "catching", "core", "evidence", "key", "looks", "names", "owned", "places", "state",
        "unknown_writes",
    )  # fmt: skip

    def __init__(self, core: Core, names: Names, key: str, state: str) -> None:
        self.core = core
        self.names = names
        self.key = key
        self.state = state
        self.places: dict[str, StandsAt] = {}
        self.owned: set[str] = set()
        self.catching = False
        self.at_once = ""
        self.looks = 0
        self.evidence: Any = core.evidence
        self.unknown_writes: UnknownWrites = core.unknown_writes
        names[""] = self

    def inner(self, key: str) -> Frame:
        """Return a frame for one item of a loop in order: the same names, other keys."""
        frame = object.__new__(Frame)
        frame.core, frame.names, frame.state = self.core, self.names, self.state
        frame.places, frame.owned = self.places, self.owned
        frame.catching, frame.at_once = self.catching, self.at_once
        frame.evidence, frame.unknown_writes = self.evidence, self.unknown_writes
        frame.looks = 0
        frame.key = key
        return frame

    def apart(self, key: str, at_once: str) -> Frame:
        """Return a frame for one item that is worked on at once with others: it sees data as they stand now."""
        self.owned.clear()
        frame = object.__new__(Frame)
        frame.core, frame.state = self.core, self.state
        frame.catching, frame.at_once = self.catching, self.at_once or at_once
        evidence = self.evidence
        frame.evidence = evidence.apart() if evidence is not None else None
        frame.unknown_writes = self.unknown_writes.apart()
        frame.places, frame.owned = {}, set()
        frame.looks = 0
        frame.key = key
        names = frame.names = self.names.copy()
        names[""] = frame
        return frame

    def let_go(self) -> None:
        """Say that nothing is evaluated here any more. A frame and its names hold each other: both go at once now."""
        del self.names[""]

    # --- what expressions ask of the engine ---------------------------------------------------------------------------

    def call(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Answer one of the functions that only the engine can answer."""
        function = _ANSWERED.get(name)
        if function is None:
            raise cannot("unknown-function", name=name)
        return function(self, *arguments, **keywords)

    def joined(self, pieces: list[Any], separator: str) -> None:
        """Take note of texts that an expression joined."""
        if self.evidence is not None:
            self.evidence.joined(pieces, separator)

    def hand_out(self, roots: frozenset[str]) -> None:
        """Take back the right to change these lists in place: somebody holds them now."""
        self.owned -= roots

    # --- changing data ------------------------------------------------------------------------------------------------

    def resolve(self, target: Target) -> tuple[str, tuple[Any, ...]]:
        """Return the data root and the concrete segments of a target, loop places followed."""
        segments: tuple[Any, ...] = target.segments
        if not target.is_fixed:
            segments = tuple(segment if isinstance(segment, str) else segment(self.names) for segment in segments)
        place = self.places.get(target.root)
        if place is None or place.root == "":
            return target.root, segments
        return place.root, place.segments + segments

    def stands(self, root: str) -> bool:
        """Say whether a name is kept somewhere: declared data, or a loop variable that stands for a place."""
        return root in self.core.program.data or root in self.places

    def assign(self, target: Target, value: Any) -> None:
        root = target.root
        if target.is_near and (not self.places or self._is_apart(root)):
            # The common case by the short road: declared data or one field of it, which no loop variable stands for.
            names, field = self.names, target.field
            fits = type(value) in target.scalars or _fits(value, target.shape)
            if field is None:
                if fits:
                    names[root] = value
                    if self.owned:
                        self.owned.discard(root)
                    if root in self.core.noticed:
                        self.core.data_changed(root)
                    return
            elif type(before := names.get(root)) is dict and value is not ABSENT:
                names[root] = {**before, field: value if fits else stored(value, target.shape or ANYTHING, target.text)}
                if root in self.core.noticed:
                    self.core.data_changed(root)
                return
        segments: tuple[Any, ...] = target.segments
        if not target.is_fixed or root in self.places:
            root, segments = self.resolve(target)
        self.store(root, segments, value, target.text)

    def _is_apart(self, root: str) -> bool:
        """Say whether no loop variable has this name, or stands for a place in it."""
        if root in self.places:
            return False
        for place in self.places.values():  # noqa: SIM110 (a generator costs as much again)
            if place.root == root:
                return False
        return True

    def store(self, root: str, segments: Sequence[Any], value: Any, text: str) -> None:
        """Keep a value at a place of declared data, or in the item that this frame works on."""
        names = self.names
        declaration = self.core.program.data.get(root)
        shape = declaration.shape if declaration is not None else ANYTHING
        for segment in segments:
            shape = shape.at(segment)
        if value is not ABSENT and (shape.accepts is not None or shape.defaults or shape.nested_defaults):
            value = stored(value, shape, text)
        before = names.get(root, ABSENT)
        if len(segments) == 1 and type(before) is dict and type(segments[0]) is str and value is not ABSENT:
            changed: Any = {**before, segments[0]: value}  # what `with_change` does, for the common case
        elif segments:
            owned = root in self.owned
            changed = with_change(before, segments, value, text, owned=owned)
            if type(changed) is list or isinstance(changed, list):
                self.owned.add(root)
        else:
            key = declaration.key if declaration is not None else ()
            changed = keyed(value, key, text)
            self.owned.discard(root)
        if changed is ABSENT or self.places:
            self._put(root, changed)
        else:
            names[root] = changed
            self.core.data_changed(root)

    def _put(self, root: str, value: Any) -> None:
        if value is ABSENT:
            self.names.pop(root, None)
        else:
            self.names[root] = value
            if self.places:
                self._refresh(root)
        self.core.data_changed(root)

    def collect(self, target: Target, item: Any, merge: dict[str, str]) -> tuple[bool, Any]:
        """Add an entry to a list; returns (was it new, the entry as it now stands)."""
        root, segments = self.resolve(target)
        declaration = self.core.program.data.get(root)
        shape = declaration.shape if declaration is not None else ANYTHING
        for segment in segments:
            shape = shape.at(segment)
        item = stored(item, shape.item or ANYTHING, target.text)
        names = self.names
        if segments:
            inner = read_path(names.get(root, ABSENT), segments)
            changed, added, entry = with_entry(inner, item, (), merge, target.text, owned=False)
            self.store(root, segments, changed, target.text)
            return added, entry
        key = declaration.key if declaration is not None else ()
        changed, added, entry = with_entry(
            names.get(root, ABSENT), item, key, merge, target.text, owned=root in self.owned
        )
        self.owned.add(root)
        self._put(root, changed)
        return added, entry

    def take_over(self, inner: Frame) -> None:
        """Take what a block changed in data back into the names of its caller; its own frame is done with.

        A list may have been changed in place, so loop variables are looked up again whether or not it is another one.
        """
        for name in self.core.program.data:
            if name in inner.names:
                self.names[name] = inner.names[name]
            else:
                self.names.pop(name, None)
        for name in self.core.program.questions:
            if name in inner.names:
                self.names[name] = inner.names[name]
        self.names["run"] = inner.names["run"]
        inner.let_go()
        for root in {place.root for place in self.places.values() if place.root}:
            self._refresh(root)

    def _refresh(self, root: str) -> None:
        for name, place in self.places.items():
            if place.root == root:
                value = read_path(self.names.get(root, ABSENT), place.segments)
                if value is not ABSENT:
                    self.names[name] = value

    # --- what was not done --------------------------------------------------------------------------------------------

    @property
    def failures(self) -> list[Any]:
        """Return the failures that were kept as data so far, as this frame sees them."""
        return self.names["run"]["failures"]  # type: ignore[no-any-return]

    def add_failures(self, failures: list[Any]) -> None:
        self.names["run"] = {**self.names["run"], "failures": [*self.failures, *failures]}


def _fits(value: Any, shape: Shape | None) -> bool:
    """Say whether a scalar fits a shape that has to look at it."""
    return type(value) in SCALARS and shape is not None and shape.accepts is not None and shape.accepts(value)


def _left(frame: Frame, budget: str) -> Any:
    return _count(frame, frame.core.budgets.left(budget, frame.names))


def _used(frame: Frame, budget: str) -> Any:
    return _count(frame, frame.core.budgets.used(budget, frame.names))


def _count(frame: Frame, count: int) -> Any:
    """Return a count of a budget; at once with others it depends on timing, so it is recorded."""
    if not frame.at_once:
        return count
    frame.looks += 1
    return frame.core.run.record(f"{frame.key}/look{frame.looks}", count)


def _has_tool(frame: Frame, tool: str) -> bool:
    return tool in frame.core.program.available_tools


def _unreachable(frame: Frame, tools: str) -> bool:
    return any(
        failure.get("kind") == "unreachable"
        and (failure.get("tool") == tools or failure.get("tool", "").startswith(tools + "."))
        for failure in frame.failures
    )


def _label(frame: Frame, value: Any, of: str) -> Any:
    labels = frame.core.program.labels.get(of)
    if labels is None:
        raise cannot("unknown-type", name=of)
    return labels.get(value, value)


def _cite(frame: Frame, unit: Any) -> Any:
    """Return the citation of a whole unit; what is no unit of this run cannot be cited."""
    from interpreter.engine.binding import citation_of  # not needed by every workflow

    admitted = frame.evidence.known(unit) if frame.evidence is not None else None
    if admitted is None:
        raise cannot("evidence-not-a-unit", side="cite")
    citation = citation_of(frame, admitted.unit, "id")
    frame.evidence.cite(citation, admitted)
    return citation


_ANSWERED: dict[str, Callable[..., Any]] = {
    "left": _left,
    "used": _used,
    "has_tool": _has_tool,
    "unreachable": _unreachable,
    "label": _label,
    "cite": _cite,
}
