"""Functions over numbers: rounding, which is always said, and writing with a fixed count of decimals.

Halves are rounded away from zero, as people do by hand. What is divided is divided exactly and rounded once.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from rules.expr.operations import within_limit
from rules.expr.signatures import Function, describe
from rules.values import ABSENT, DIGITS, CannotEvaluate, Value

Number = int | Decimal

#: A separator between groups of digits stands between so many.
_GROUP: Final = 3


def rounded(number: Number, decimals: Value) -> Number:
    """Return the nearest number with at most so many decimals, none when that is not said."""
    top, bottom = number.as_integer_ratio()
    return _nearest("round", top, bottom, 0 if decimals is ABSENT else decimals)


def divided_by(number: Number, other: Number, decimals: int) -> Number:
    if other == 0:
        raise CannotEvaluate("division-by-zero", {"operator": "divided_by"})
    top, bottom = number.as_integer_ratio()
    other_top, other_bottom = other.as_integer_ratio()
    return _nearest("divided_by", top * other_bottom, bottom * other_top, decimals)


def absolute(number: Number) -> Number:
    return number.copy_abs() if isinstance(number, Decimal) else abs(number)


def with_decimals(number: Number, decimals: int, separator: Value) -> str:
    """Return the text of a number with exactly so many decimals, its thousands apart where a separator is given."""
    units = _units("decimals", *number.as_integer_ratio(), decimals)
    digits = str(abs(units)).rjust(decimals + 1, "0")
    whole, rest = (digits[:-decimals], f".{digits[-decimals:]}") if decimals else (digits, "")
    if separator is not ABSENT:
        first = len(whole) % _GROUP or _GROUP
        whole = separator.join([whole[:first], *(whole[at : at + _GROUP] for at in range(first, len(whole), _GROUP))])
    return f"{'-' if units < 0 else ''}{whole}{rest}"


def _nearest(function: str, top: int, bottom: int, decimals: int) -> Number:
    units = within_limit(_units(function, top, bottom, decimals), function)
    return units if decimals == 0 else Decimal((units < 0, tuple(map(int, str(abs(units)))), -decimals))


def _units(function: str, top: int, bottom: int, decimals: int) -> int:
    """Return how many of the last decimal a fraction has, rounded once."""
    if not 0 <= decimals <= DIGITS:
        raise CannotEvaluate("bad-decimals", {"function": function, "number": decimals, "at_most": DIGITS})
    if bottom < 0:
        top, bottom = -top, -bottom
    units: int = (2 * abs(top) * 10**decimals + bottom) // (2 * bottom)
    return units if top > 0 else -units


NUMBERS: Final[tuple[Function, ...]] = (
    describe(
        "number | round(decimals?: whole) -> number",
        rounded,
        "四舍五入到这么多位小数；不写则为整数",
        "the nearest number with so many decimals, an integer when left out; halves away from zero",
        "12.345 | round(2) -> 12.35",
    ),
    describe(
        "number | divided_by(other: number, decimals: whole) -> number",
        divided_by,
        "除以 other，四舍五入到这么多位小数",
        "the quotient, rounded to so many decimals, halves away from zero",
        "2 | divided_by(3, 2) -> 0.67",
    ),
    describe(
        "number | decimals(decimals: whole, separator?: text) -> text",
        with_decimals,
        "恰好写出这么多位小数的文本，四舍五入；separator 写在千位之间",
        "the text of a number with exactly so many decimals, rounded; the separator stands between thousands",
        "1234.5 | decimals(2, ',') -> '1,234.50'",
    ),
    describe(
        "number | absolute -> number",
        absolute,
        "绝对值",
        "the number without its sign",
        "-3 | absolute -> 3",
    ),
)
