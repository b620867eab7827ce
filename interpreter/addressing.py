"""Lists that are addressed by a key of their entries: whether a value can be one."""

from __future__ import annotations

from interpreter.codes.reasons import reason_words
from interpreter.diagnostics import Words
from interpreter.safety.masking import MASK
from rules.keyed import KeyedList
from rules.values import CannotEvaluate


def problem_of_key(value: object, key: tuple[str, ...], name: str, *, hides: bool = False) -> Words | None:
    """Say why the entries of a list cannot be told apart by their key, or return None.

    Shapes: `name` is what the list is called; with `hides` no key is repeated.
    """
    if not key or not isinstance(value, list):
        return None
    try:
        KeyedList(value, key).check_unique(name)
    except CannotEvaluate as error:
        facts = {**error.facts, "key": MASK} if hides and "key" in error.facts else error.facts
        return reason_words(error.code, facts)
    return None
