"""The values that flow through a run: exact numbers, texts, lists, mappings, and the three kinds of nothing.

Numbers are `int` or `Decimal`, never a binary float, with at most 34 digits on either side of the point. Three kinds
of nothing stay apart: null is a value (None), *absent* is the lack of one (ABSENT), and what could not be evaluated is
not a value at all but an exception, so that nothing can be decided by it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from decimal import (
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    Inexact,
    InvalidOperation,
    Overflow,
    Subnormal,
)
from json.encoder import encode_basestring as _quoted
from typing import Any, Final, Literal, NoReturn, TypeAlias

Value: TypeAlias = Any
"""None, bool, int, Decimal, str, list of values, dict of text to value."""

Kind: TypeAlias = Literal["null", "boolean", "number", "text", "list", "mapping"]

DIGITS: Final = 34
NUMBER_LIMIT: Final = 10**DIGITS
MAX_TEXT: Final = 5_000_000
"""So many characters a text may have that a filter or a text with holes makes."""
CONTEXT: Final = Context(
    prec=DIGITS,
    Emin=-DIGITS,
    Emax=DIGITS - 1,
    traps=[Inexact, InvalidOperation, DivisionByZero, Overflow, Subnormal],
)
"""Arithmetic that raises where a digit would be lost. Always named, never the thread's own context."""

_KINDS: Final[Mapping[type, Kind]] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    Decimal: "number",
    str: "text",
    list: "list",
    dict: "mapping",
}
_KINDS_ZH: Final[Mapping[str, str]] = {
    "null": "空值 null",
    "absent": "不存在的值",
    "boolean": "真假值",
    "number": "数字",
    "text": "文本",
    "list": "列表",
    "mapping": "对象",
}


class Absent:
    """The type of ABSENT."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise TypeError("absent is neither true nor false")

    def __repr__(self) -> str:
        return "ABSENT"

    def __copy__(self) -> Absent:
        return self

    def __deepcopy__(self, memo: object) -> Absent:
        return self

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()


class CannotEvaluate(Exception):
    """An expression that has no value for these names.

    Shapes: `code` is a word such as `absent-field`; `facts` fill its texts; `start` and `end` are a half-open range
    of characters inside the text of the expression, None until the evaluation knows the place.
    """

    def __init__(
        self,
        code: str,
        facts: Mapping[str, object] | None = None,
        start: int | None = None,
        end: int | None = None,
    ) -> None:
        super().__init__(code, dict(facts or {}))
        self.code = code
        self.facts: dict[str, object] = dict(facts or {})
        self.start = start
        self.end = end

    def at(self, start: int | None, end: int | None) -> CannotEvaluate:
        """Return the same failure with its place; a place that is already known stays."""
        if self.start is not None:
            return self
        return CannotEvaluate(self.code, self.facts, start, end)


def cannot(code: str, **facts: object) -> CannotEvaluate:
    """Return the failure of something that could not be evaluated, with its facts."""
    return CannotEvaluate(code, facts)


def of_wrong_kind(code: str, found: Value, **facts: object) -> CannotEvaluate:
    """Return the failure of a value whose kind is not what the place wants; it tells the kind, never the value."""
    return CannotEvaluate(code, {**facts, **kind_facts(found="absent" if found is ABSENT else kind_of(found))})


def kind_of(value: Value) -> Kind:
    """Return the kind of a value.

    Errors: CannotEvaluate(`absent-value`) for ABSENT; TypeError for what is no value at all, which is a bug.
    """
    kind = _KINDS.get(type(value))
    if kind is not None:
        return kind
    if isinstance(value, list):
        return "list"
    if value is ABSENT:
        raise CannotEvaluate("absent-value")
    raise TypeError(f"{type(value).__name__} is not a value")


def kind_facts(**kinds: str) -> dict[str, object]:
    """Return kinds as facts, each with its Chinese word under `<fact>_zh`."""
    facts: dict[str, object] = {}
    for fact, kind in kinds.items():
        facts[fact] = kind
        facts[f"{fact}_zh"] = " / ".join(_KINDS_ZH.get(word, word) for word in kind.split("/"))
    return facts


# --- equality ---------------------------------------------------------------------------------------------------------


def equal(left: Value, right: Value) -> bool:
    """Return whether two values of one kind are the same; numbers by their worth, mappings in any order.

    Inside lists and mappings, values of different kinds are simply different.
    Errors: CannotEvaluate(`different-kinds`) when the two themselves are of different kinds.
    """
    left_kind, right_kind = kind_of(left), kind_of(right)
    if left_kind != right_kind:
        raise CannotEvaluate("different-kinds", kind_facts(left=left_kind, right=right_kind))
    return same(left, right)


def same(left: Value, right: Value) -> bool:
    """Return whether two values are the same; values of different kinds are not."""
    kind = type(left)
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(same, left, right))
    if kind is dict:
        return (
            type(right) is dict
            and left.keys() == right.keys()
            and all(same(value, right[key]) for key, value in left.items())
        )
    if kind is type(right):
        return bool(left == right)
    return kind in _NUMBERS and type(right) in _NUMBERS and bool(left == right)


def identity(value: Value) -> object:
    """Return something hashable that is equal for two values exactly when `same` says so."""
    kind = type(value)
    if kind is str:
        return value
    if isinstance(value, list):
        return ("list", *map(identity, value))
    if kind is dict:
        return ("mapping", frozenset((key, identity(item)) for key, item in value.items()))
    return (_KINDS.get(kind, kind), value)


_NUMBERS: Final = frozenset({int, Decimal})

# --- numbers ----------------------------------------------------------------------------------------------------------


def number(digits: str) -> int | Decimal:
    """Return the number that plain digits say, every digit kept.

    Shapes: an optional sign, digits, optionally a point or an exponent.
    Errors: ValueError for a number with more than 34 digits, or none at all.
    """
    try:
        if digits.lstrip("-").isdecimal():
            return whole_number(digits)
        value = CONTEXT.create_decimal(digits)
    except DecimalException:
        raise ValueError(f"a number may have at most {DIGITS} digits: {digits[:60]}") from None
    if not value.is_finite():
        raise ValueError(f"not a number: {digits}")
    return value


def as_integer(value: object) -> int | None:
    """Return the integer that a number is, however it is written (`3.0` is 3); None for any other value."""
    if type(value) is int:
        return value
    if type(value) is Decimal and value.is_finite() and value == value.to_integral_value():
        return int(value)
    return None


def whole_number(digits: str) -> int:
    """Return the integer that plain digits say.

    Errors: ValueError for more than 34 digits.
    """
    if len(digits.lstrip("-").lstrip("0")) > DIGITS:
        raise ValueError(f"a number may have at most {DIGITS} digits: {digits[:60]}")
    return int(digits)


def _plain(value: Decimal) -> str:
    """Return a decimal without exponent and without trailing zeros."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


# --- texts ------------------------------------------------------------------------------------------------------------


def canonical_text(value: Value) -> str:
    """Return the one text of a value: numbers without exponent and trailing zeros, lists and mappings as JSON.

    Errors: CannotEvaluate(`null-in-text`, `absent-value`) for what has no text.
    """
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is Decimal:
        return _plain(value)
    if kind is dict or isinstance(value, list):
        return _written(value, _plain)
    if value is None:
        raise CannotEvaluate("null-in-text")
    kind_of(value)
    raise AssertionError


def canonical_json(value: Value) -> str:
    """Return JSON in which equal values have equal text: keys in order of their code points, numbers canonical."""
    try:
        return _in_order(value)
    except TypeError:
        # Only the pure writer below knows how a Decimal is written; it also says what is no value.
        return _written(value, _plain, in_order=True)


def digest(value: Value) -> str:
    """Return the SHA-256 of the canonical JSON, in hexadecimal."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def _not_plain(value: object) -> NoReturn:
    raise TypeError(type(value).__name__)


def _encoder(*, in_order: bool) -> Callable[[Value], str]:
    """Return the C encoder of `json` by itself; `json.dumps` makes a new one for each call, four times as dear."""
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # an implementation of Python without it
        pure = json.JSONEncoder(
            ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False, sort_keys=in_order
        )
        return pure.encode
    encode = make(None, _not_plain, _quoted, None, ":", ",", in_order, False, False)
    return lambda value: "".join(encode(value, 0))


_in_any_order = _encoder(in_order=False)
_in_order = _encoder(in_order=True)


def dumps(value: Value) -> str:
    """Return JSON with the order of keys kept and every digit of a number kept.

    Errors: TypeError for what is no value; ABSENT counts as none.
    """
    if type(value) is dict or isinstance(value, list):
        try:
            return _in_any_order(value)
        except TypeError:
            # Only the pure writer below can write a Decimal with its own digits.
            return _written(value, _digits)
    return _written(value, _digits)


def pieces(value: Value, levels: int = 4) -> Iterator[str]:
    """Return what `dumps` returns, in pieces: a text of many megabytes takes ten times as much while it is made."""
    if levels and value and type(value) is dict:
        for number, (name, inner) in enumerate(value.items()):
            yield f"{',' if number else '{'}{_quoted(name)}:"
            yield from pieces(inner, levels - 1)
        yield "}"
    elif levels and value and isinstance(value, list):
        for number, inner in enumerate(value):
            yield "," if number else "["
            yield from pieces(inner, levels - 1)
        yield "]"
    else:
        yield dumps([value])[1:-1]  # as it stands inside others


def _digits(value: Decimal) -> str:
    return format(value, "f")


def _written(value: Value, decimal: Callable[[Decimal], str], *, in_order: bool = False) -> str:
    kind = type(value)
    if kind is str:
        return _quoted(value)
    if kind is int:
        return str(value)
    if kind is dict:
        entries = sorted(value.items()) if in_order else value.items()
        inside = [f"{_quoted(key)}:{_written(item, decimal, in_order=in_order)}" for key, item in entries]
        return "{" + ",".join(inside) + "}"
    if isinstance(value, list):
        return "[" + ",".join([_written(item, decimal, in_order=in_order) for item in value]) + "]"
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is Decimal:
        return decimal(value)
    raise TypeError(f"{kind.__name__} is not a value")


def loads(text: str) -> Value:
    """Return the value that JSON says, every digit of a number kept.

    Errors: ValueError for what is not JSON, for NaN and Infinity, for a number with more than 34 digits and for
    nesting that is too deep; the message says which.
    """
    try:
        return _decode(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _bounded(digits: str) -> int:
    return int(digits) if len(digits) <= DIGITS else whole_number(digits)


# One decoder for all: `json.loads` with words of its own makes a new one for each call.
_decode: Final = json.JSONDecoder(parse_float=number, parse_int=_bounded, parse_constant=_refuse_constant).decode
