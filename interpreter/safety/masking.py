"""What is shown of values that are marked `sensitive` or `private`: the one function that masks, and where it begins.

A mark is a path into a value: `()` is the whole of it, `('owner', 'phone')` a field of a field. Lists are passed
through, so the same mark stands for that field of every entry; None in a mark is a part of a path that was computed,
which may be a place in a list or a field. The journal keeps real values beside their marks; whoever prints masks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

Mark = tuple[str | None, ...]
Marks = frozenset[Mark]

MASK = "•••"
WHOLE: Marks = frozenset({()})
NOTHING: Marks = frozenset()
#: Shorter texts stand in too many places to be found again in the words of a message.
_SHORTEST = 3


def mask(value: Any, marks: Marks = WHOLE) -> Any:
    """Return a value with texts and numbers under its marks masked; booleans, null, '', field names, lengths stay."""
    if not marks:
        return value
    if isinstance(value, list):
        inside = marks | {mark[1:] for mark in marks if mark and mark[0] is None}
        return [mask(entry, inside) for entry in value]
    if isinstance(value, dict):
        if () in marks:
            return {name: mask(entry) for name, entry in value.items()}
        return {name: mask(entry, below((name,), marks)) for name, entry in value.items()}
    is_shown = () not in marks or isinstance(value, bool) or value == ""
    return MASK if not is_shown and isinstance(value, str | int | Decimal) else value


def below(path: Mark, marks: Iterable[Mark]) -> Marks:
    """Return the marks of what stands at a path, seen from there; none where nothing of it is marked."""
    return frozenset(rest for mark in marks for rest in _rests(path, mark))


def _rests(path: Mark, mark: Mark) -> Iterator[Mark]:
    if not path or not mark:
        yield mark if not path else ()
        return
    if path[0] is None or mark[0] is None:
        yield from _rests(path[1:], mark[1:])
        if path[0] is None:
            yield from _rests(path[1:], mark)
        if mark[0] is None:
            yield from _rests(path, mark[1:])
    elif path[0] == mark[0]:
        yield from _rests(path[1:], mark[1:])


def as_json(marks: Marks) -> list[list[str | None]]:
    """Return marks as they stand in a journal."""
    return sorted((list(mark) for mark in marks), key=str)


def masked_by(**marks: Marks) -> dict[str, list[list[str | None]]]:
    """Return, by field, what of a record is masked; fields that show everything are left out."""
    return {name: as_json(own) for name, own in marks.items() if own}


def from_json(marks: Iterable[Iterable[str | None]]) -> Marks:
    return frozenset(tuple(mark) for mark in marks)


def mask_fields(values: Mapping[str, Any], masked: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping with each of its fields masked by the marks (as in a journal) that are named for it."""
    return {name: mask(value, from_json(masked.get(name, ()))) for name, value in values.items()}


def masked_question(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return a question in its recorded form as people and programs may see it."""
    shown = mask_fields(question, question.get("masked") or {})
    if shown.get("form"):
        shown["form"] = [_masked_field(field) if field.get("masked") else field for field in shown["form"]]
    return shown


def _masked_field(field: Mapping[str, Any]) -> dict[str, Any]:
    shown = dict(field)
    if "start" in shown:
        shown["start"] = mask(shown["start"])
    if "choices" in shown:
        shown["choices"] = [{**choice, "value": mask(choice["value"])} for choice in shown["choices"]]
    return shown


class MaskedHole:
    """A hole of a text whose value is masked; stands where an expression stands."""

    __slots__ = ("inner", "marks")

    def __init__(self, inner: Any, marks: Marks) -> None:
        self.inner = inner
        self.marks = marks

    @property
    def tree(self) -> Any:
        return self.inner.tree

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        return mask(self.inner.evaluate(names), self.marks)


# --- words that others made -------------------------------------------------------------------------------------------


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts and numbers of a value that are long enough to be told from other words."""
    if isinstance(value, list):
        for entry in value:
            yield from texts_in(entry)
    elif isinstance(value, dict):
        for entry in value.values():
            yield from texts_in(entry)
    elif isinstance(value, str | int | Decimal) and not isinstance(value, bool) and len(str(value)) >= _SHORTEST:
        yield str(value)


def taking_out(hidden: Iterable[str]) -> Callable[[Any], Any]:
    """Return what masks, in any value, texts that must not be shown, also inside other words."""
    longest_first = sorted(set(hidden), key=len, reverse=True)
    return lambda value: _without(value, longest_first) if longest_first else value


def _without(value: Any, hidden: list[str]) -> Any:
    if isinstance(value, list):
        return [_without(entry, hidden) for entry in value]
    if isinstance(value, dict):
        return {name: _without(entry, hidden) for name, entry in value.items()}
    if isinstance(value, str):
        for text in hidden:
            value = value.replace(text, MASK)
        return value
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return MASK if is_number and str(value) in hidden else value
