"""What compiled expressions call where a value is not of the common kind: every way to fail is decided here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal, DecimalException
from typing import Final, NoReturn

from rules.keyed import KeyedList
from rules.values import (
    ABSENT,
    CONTEXT,
    MAX_TEXT,
    NUMBER_LIMIT,
    CannotEvaluate,
    Value,
    as_integer,
    canonical_text,
    equal,
    kind_facts,
    kind_of,
    same,
)

MAX_ITEMS: Final = 1_000_000
_CONTAINERS: Final = frozenset({str, list, KeyedList, dict})
SCALARS: Final = frozenset({int, str, bool, Decimal})


def too_large(limit: int) -> NoReturn:
    raise CannotEvaluate("too-large", {"at_most": limit})


def bounded_text(text: str) -> str:
    """Return a text that a filter made, unless it is longer than any filter may make one."""
    if len(text) > MAX_TEXT:
        too_large(MAX_TEXT)
    return text


def bounded_list(items: list[Value]) -> list[Value]:
    if len(items) > MAX_ITEMS:
        too_large(MAX_ITEMS)
    return items


def not_boolean(value: Value) -> NoReturn:
    raise CannotEvaluate("not-boolean", kind_facts(found=kind_of(value)))


# --- numbers ----------------------------------------------------------------------------------------------------------


def add(left: Value, right: Value) -> Value:
    """Return the sum of numbers, or two lists one after the other."""
    if isinstance(left, list) and isinstance(right, list):
        if len(left) + len(right) > MAX_ITEMS:
            too_large(MAX_ITEMS)
        return left + right
    if type(left) is str and type(right) is str:
        raise CannotEvaluate("text-plus", {"operator": "+"})
    return _calculate("+", left, right, int.__add__, CONTEXT.add)


def within_limit(result: int, operator: str) -> int:
    """Return an integer that an operator made, unless it has more digits than a number may have."""
    if -NUMBER_LIMIT < result < NUMBER_LIMIT:
        return result
    raise CannotEvaluate("number-too-long", {"operator": operator})


def subtract(left: Value, right: Value) -> Value:
    return _calculate("-", left, right, int.__sub__, CONTEXT.subtract)


def multiply(left: Value, right: Value) -> Value:
    return _calculate("*", left, right, int.__mul__, CONTEXT.multiply)


def divide_whole(left: Value, right: Value) -> Value:
    """Return the quotient of integers, rounded down."""
    whole, by = _integers("//", left, right)
    return whole // by


def remainder(left: Value, right: Value) -> Value:
    """Return what is left over by `//`."""
    whole, by = _integers("%", left, right)
    return whole % by


def negative(value: Value) -> Value:
    if type(value) is int:
        return -value
    _numbers("-", value, value)
    return value.copy_negate()


def _calculate(
    operator: str,
    left: Value,
    right: Value,
    whole: Callable[[int, int], int],
    exact: Callable[[Decimal, Decimal], Decimal],
) -> Value:
    _numbers(operator, left, right)
    if type(left) is int and type(right) is int:
        return within_limit(whole(left, right), operator)
    try:
        return exact(Decimal(left), Decimal(right))
    except DecimalException:
        raise CannotEvaluate("number-too-long", {"operator": operator}) from None


def _integers(operator: str, left: Value, right: Value) -> tuple[int, int]:
    _numbers(operator, left, right)
    whole, by = as_integer(left), as_integer(right)
    if whole is None or by is None:
        raise CannotEvaluate("not-whole", {"operator": operator})
    if by == 0:
        raise CannotEvaluate("division-by-zero", {"operator": operator})
    return whole, by


def _numbers(operator: str, left: Value, right: Value) -> None:
    for side in (left, right):
        kind = kind_of(side)
        if kind != "number":
            raise CannotEvaluate("not-a-number", {"operator": operator, **kind_facts(found=kind)})


# --- comparison -------------------------------------------------------------------------------------------------------


def is_equal(left: Value, right: Value) -> bool:
    return equal(left, right)


def is_unequal(left: Value, right: Value) -> bool:
    return not equal(left, right)


def less(left: Value, right: Value) -> bool:
    return bool(_ordered("<", left) < _ordered("<", right, left))


def at_most(left: Value, right: Value) -> bool:
    return bool(_ordered("<=", left) <= _ordered("<=", right, left))


def more(left: Value, right: Value) -> bool:
    return bool(_ordered(">", left) > _ordered(">", right, left))


def at_least(left: Value, right: Value) -> bool:
    return bool(_ordered(">=", left) >= _ordered(">=", right, left))


def _ordered(operator: str, value: Value, other: Value = ABSENT) -> Value:
    kind = kind_of(value)
    if kind not in ("number", "text"):
        raise CannotEvaluate("not-ordered", {"operator": operator, **kind_facts(found=kind)})
    if other is not ABSENT and kind_of(other) != kind:
        raise CannotEvaluate("different-kinds", kind_facts(left=kind_of(other), right=kind))
    return value


def is_in(value: Value, place: Value) -> bool:
    """Return whether a list has an entry equal to the value, or a text holds another letter for letter.

    Errors: CannotEvaluate(`different-kinds`) when the list has entries, none of them of the value's kind.
    """
    if type(place) is str:
        if type(value) is not str:
            raise CannotEvaluate("different-kinds", kind_facts(left=kind_of(value), right="text"))
        return value in place
    if not isinstance(place, list):
        raise CannotEvaluate("not-in-list", kind_facts(found=kind_of(place)))
    kind = kind_of(value)
    if value in place if kind == "text" else any(same(value, item) for item in place):
        return True
    if place and not any(kind_of(item) == kind for item in place):
        raise CannotEvaluate("different-kinds", kind_facts(left=kind, right=min(map(kind_of, place))))
    return False


def is_not_in(value: Value, place: Value) -> bool:
    return not is_in(value, place)


# --- places -----------------------------------------------------------------------------------------------------------


def item(base: Value, key: Value) -> Value:
    """Return an entry of a list by its place from 0, negative from the end, or of a mapping by its key."""
    if type(base) is dict and type(key) is str:
        try:
            return base[key]
        except KeyError:
            raise CannotEvaluate("absent-field", {"field": key}) from None
    if type(base) is KeyedList and (place := base.position(key)) is not None:
        return base[place]
    if isinstance(base, list) and (place := as_integer(key)) is not None:
        if -len(base) <= place < len(base):
            return base[place]
        raise CannotEvaluate("absent-item", {"index": place, "length": len(base)})
    if base is None:
        raise CannotEvaluate("field-of-null", {"field": _shown(key)})
    if type(base) is KeyedList:
        raise CannotEvaluate("absent-item", {"index": _shown(key), "length": len(base)})
    kind = kind_of(base)
    if kind in ("list", "mapping"):
        raise CannotEvaluate("bad-key", kind_facts(found=kind_of(key), base=kind))
    raise CannotEvaluate("no-fields", {"field": _shown(key), **kind_facts(found=kind)})


def soft_field(base: Value, name: str) -> Value:
    """Return a field, or ABSENT where it or the way to it is not there."""
    if type(base) is dict:
        return base.get(name, ABSENT)
    if base is None or base is ABSENT:
        return ABSENT
    raise CannotEvaluate("no-fields", {"field": name, **kind_facts(found=kind_of(base))})


def soft_item(base: Value, key: Value) -> Value:
    if base is None or base is ABSENT or key is None or key is ABSENT:
        return ABSENT
    try:
        return item(base, key)
    except CannotEvaluate as error:
        if error.code in ("absent-field", "absent-item"):
            return ABSENT
        raise


def _shown(key: Value) -> str:
    return "…" if key is ABSENT or key is None else canonical_text(key)[:60]


# --- texts, literals, the host ----------------------------------------------------------------------------------------


def join_texts(*parts: Value) -> str:
    return bounded_text("".join([part if type(part) is str else canonical_text(part) for part in parts]))


def present_items(*items: Value) -> list[Value]:
    """Return a list literal; an entry that is absent is left out."""
    return [value for value in items if value is not ABSENT]


def present_entries(entries: Mapping[str, Value]) -> dict[str, Value]:
    """Return a mapping literal; a field that is absent is left out."""
    return {key: value for key, value in entries.items() if value is not ABSENT}


def is_nothing(value: Value) -> bool:
    """Return whether a value is absent, null, or a text, list or mapping with nothing in it."""
    return value is ABSENT or value is None or (type(value) in _CONTAINERS and not value)


def ask_host(names: Mapping[str, Value], name: str, arguments: list[Value]) -> Value:
    """Return what the one who evaluates answers to a function that only it can know."""
    host = names.get("")
    if host is None:
        raise CannotEvaluate("not-here", {"function": name})
    return host.call(name, arguments, {})
