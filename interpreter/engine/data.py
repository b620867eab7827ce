"""How declared data change: by path, by key, never in place.

A value that somebody may still hold is never changed. The one exception is a list that belongs to declared data and
that no expression handed out whole (`owned`): it is changed in place, because copying 100,000 entries for each new one
would make a long run quadratic. Whoever hands a list out whole takes it from `owned` first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from interpreter.diagnostics import Words
from rules.keyed import KeyedList
from rules.records import NamedTuple
from rules.values import ABSENT, CannotEvaluate, cannot, of_wrong_kind

Names = dict[str, Any]
Accepts = Callable[[Any], bool]
#: Says why a value is not accepted; with True it repeats no value.
Problem = Callable[[Any, bool], Words | None]
Merge = Callable[[Any, Any, str, str], Any]


#: The kinds of values that hold no others, so that there is nothing to fill in or to count; the lack of one apart.
SCALARS: frozenset[type] = frozenset({int, str, bool, Decimal})


class Shape(NamedTuple):
    """What a place of declared data accepts.

    Shapes: `accepts` is None where everything is, and `problem` says why a value is not; `scalars` are the kinds of
    which any value is accepted; `defaults` are the fields that a mapping stored here gets when it leaves them out;
    `item` is the shape of a list's entries; `fields` those of a mapping; `rest` the shape of further fields.
    """

    accepts: Accepts | None = None
    problem: Problem | None = None
    defaults: Mapping[str, Any] = {}
    item: Any = None
    fields: Mapping[str, Any] = {}
    rest: Any = None
    nested_defaults: bool = False
    scalars: frozenset[type] = SCALARS

    def at(self, segment: object) -> Shape:
        """Return the shape one segment deeper; ANYTHING where nothing is known."""
        if self.item is not None:
            return self.item  # type: ignore[no-any-return]
        found = self.fields.get(segment) if isinstance(segment, str) else None
        return found if found is not None else (self.rest or ANYTHING)


ANYTHING = Shape()


class Unfit(CannotEvaluate):
    """A value that its place does not accept."""

    def __init__(self, path: str, value: Any, shape: Shape) -> None:
        super().__init__("unfit", {"path": path})
        self._value = value
        self._shape = shape

    def told(self, *, hides: bool) -> dict[str, str]:
        """Return why it does not fit, as facts. Shapes: with `hides` no value is repeated."""
        words = self._shape.problem(self._value, hides) if self._shape.problem is not None else None
        return {"problem": words.en, "problem_zh": words.zh} if words is not None else {}


class At(int):
    """A place in a list, counted from 0; never taken for a key, whatever the list is addressed by."""

    __slots__ = ()


class Declaration(NamedTuple):
    """One entry of inputs or data.

    Shapes: `computed` gives a default that reads `run`, when the run begins; `default` is then ABSENT.
    """

    name: str
    shape: Shape
    key: tuple[str, ...]
    default: Any
    private: bool
    sensitive: bool
    computed: Callable[[Names], Any] | None = None


_CONTAINERS = frozenset({dict, list, KeyedList})
#: So many values may stand inside one that is kept. A list that is put into itself again and again gets there soon.
MAX_VALUES = 5_000_000


def is_too_large(value: Any) -> bool:
    """Say whether more values stand inside one than may be kept; looks no further than that."""
    left = MAX_VALUES
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        left -= len(inner)
        if left < 0:
            return True
        for entry in inner.values() if isinstance(inner, dict) else inner:
            if type(entry) in _CONTAINERS:
                waiting.append(entry)
    return False


def stored(value: Any, shape: Shape, path: str) -> Any:
    """Return a value as it is kept at a place: defaults filled in, its kind checked.

    Errors: Unfit where the declaration does not accept it, CannotEvaluate(`too-large`) beyond MAX_VALUES.
    """
    if isinstance(value, (list, dict)) and is_too_large(value):
        raise cannot("too-large", path=path, limit=MAX_VALUES)
    if shape.defaults or shape.nested_defaults:
        value = with_defaults(value, shape)
    if shape.accepts is not None and not shape.accepts(value):
        raise Unfit(path, value, shape)
    return value


def with_defaults(value: Any, shape: Shape) -> Any:
    """Return a value in which mappings have the defaults of the fields that they leave out."""
    if isinstance(value, list):
        item = shape.item
        if item is None or not (item.defaults or item.nested_defaults):
            return value
        filled = [with_defaults(entry, item) for entry in value]
        return KeyedList(filled, value.key) if isinstance(value, KeyedList) else filled
    if not isinstance(value, dict):
        return value
    changed: dict[str, Any] = {}
    for name, default in shape.defaults.items():
        if name not in value:
            changed[name] = default
    if shape.nested_defaults:
        for name, inner in shape.fields.items():
            if name in value and (inner.defaults or inner.nested_defaults):
                filled = with_defaults(value[name], inner)
                if filled is not value[name]:
                    changed[name] = filled
    return {**value, **changed} if changed else value


def keyed(value: Any, key: tuple[str, ...], path: str) -> Any:
    """Return a list as one that is addressed by its key.

    Errors: CannotEvaluate(`duplicate-key`) when two entries have the same key.
    """
    if not isinstance(value, list):
        return value
    if not key:
        return list(value) if type(value) is KeyedList else value
    if type(value) is KeyedList and value.key == key:
        return value
    result = KeyedList(value, key)
    result.check_unique(path)
    return result


def read_path(container: Any, segments: Sequence[Any]) -> Any:
    """Return what stands at a path, ABSENT when nothing does."""
    for segment in segments:
        if isinstance(container, dict):
            container = container.get(segment, ABSENT)
        elif isinstance(container, list):
            position = position_of(container, segment)
            container = container[position] if position is not None else ABSENT
        else:
            return ABSENT
    return container


def position_of(container: list[Any], segment: Any) -> int | None:
    """Return where an entry of a list stands: by its declared key, or by its number from 0."""
    if type(container) is KeyedList and type(segment) is not At:
        found = container.position(segment)
        if found is not None:
            return found
    if type(segment) in (int, At) and 0 <= segment < len(container):
        return int(segment)
    return None


def with_change(container: Any, segments: Sequence[Any], value: Any, path: str, *, owned: bool = False) -> Any:
    """Return a container in which the place at a path holds a value; ABSENT removes a field.

    Missing mappings on the way are made; an entry of a list must exist. With `owned` the outermost list is changed in
    place and returned.
    Errors: CannotEvaluate(`no-such-entry`, `not-a-container`).
    """
    segment = segments[0]
    last = len(segments) == 1
    if container is ABSENT or container is None:
        container = {}
    if isinstance(container, dict):
        if not isinstance(segment, str):
            raise cannot("not-a-field", path=path, found=segment)
        changed = dict(container)
        inner = value if last else with_change(container.get(segment, ABSENT), segments[1:], value, path)
        if inner is ABSENT:
            changed.pop(segment, None)
        else:
            changed[segment] = inner
        return changed
    if isinstance(container, list):
        position = position_of(container, segment)
        if position is None:
            raise cannot("no-such-entry", path=path, found=segment)
        entry = value if last else with_change(container[position], segments[1:], value, path)
        if entry is ABSENT:
            raise cannot("absent-entry", path=path, found=segment)
        target = container if owned else _copied(container)
        if type(target) is KeyedList:
            target.replace_at(position, entry, path)
        else:
            target[position] = entry
        return target
    raise cannot("not-a-container", path=path, found=container)


def with_entry(
    container: Any, item: Any, key: tuple[str, ...], merge: Mapping[str, str], path: str, *, owned: bool
) -> tuple[Any, bool, Any]:
    """Return (list, was the entry new, the entry as it now stands).

    An entry whose key is there already is merged: `union` joins lists, `min` and `max` compare, `last` takes the new
    value, every other field keeps what the first entry said.
    Errors: CannotEvaluate(`list-wanted-at`, `key-missing`).
    """
    if container is ABSENT:
        container = KeyedList([], key) if key else []
    if not isinstance(container, list):
        raise of_wrong_kind("list-wanted-at", container, path=path)
    if not key:
        target = container if owned and type(container) is list else list(container)
        target.append(item)
        return target, True, item
    target = container if owned else _copied(container)
    if type(target) is not KeyedList:
        target = KeyedList(target, key)
    position = target.position_of_entry(item, path)
    if position is None:
        target.append(item)
        return target, True, item
    merged = _merged(target[position], item, merge, path)
    if merged is not target[position]:
        target.replace_at(position, merged, path)
    return target, False, merged


def _merged(old: dict[str, Any], new: dict[str, Any], merge: Mapping[str, str], path: str) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for name, how in merge.items():
        if name not in new:
            continue
        before = old.get(name, ABSENT)
        value = new[name] if before is ABSENT else _MERGES[how](before, new[name], path, name)
        if value is not before:
            changed[name] = value
    return {**old, **changed} if changed else old


def _union(before: Any, new: Any, path: str, name: str) -> Any:
    if not isinstance(before, list) or not isinstance(new, list):
        raise of_wrong_kind("list-wanted-at", new, path=f"{path}.{name}")
    added = [entry for entry in new if entry not in before]
    return before + added if added else before


def _extreme(choose: Callable[[Any, Any], Any]) -> Merge:
    def pick(before: Any, new: Any, path: str, name: str) -> Any:
        try:
            return choose(before, new)
        except TypeError:
            raise of_wrong_kind("cannot-be-merged", new, path=f"{path}.{name}") from None

    return pick


_MERGES: dict[str, Merge] = {
    "union": _union,
    "min": _extreme(min),
    "max": _extreme(max),
    "last": lambda before, new, path, name: new,
}


def _copied(container: list[Any]) -> list[Any]:
    return container.copy() if type(container) is KeyedList else list(container)
