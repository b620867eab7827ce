"""Classes of a column: the finitely many sets of values that no cell of it tells apart.

A column of numbers, dates, times or durations is cut at every limit into points and open intervals, a column of texts
into those that some cell names and any other text; null and absent are classes where they may occur. Each class has
one representative that people would write: 79.5 between 79 and 80, 70 between 60 and 79.

Columns that cells compare with one another are cut at the limits of all of them, and an interval has as many
representatives as there are such columns, so that every order among them occurs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, Literal

from rules.cells import ORDER_OPERATORS, Cell, Constant, Limit, have_order
from rules.columns import NUMBERS, ORDERED, Column, Key, Kind
from rules.records import NamedTuple, record
from rules.values import ABSENT, Value, identity, same

Form = Literal["value", "between", "other", "null", "absent"]
MOST_TEXT_PARTS = 8
"""So many different `contains` and `starts with` of one column are combined in every way."""

_LETTERS = "aA0! "
"""One of these, from the plainest down, makes a text that stands between two limits."""
_DAY = timedelta(days=1)
_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1))
#: Where a column of dates begins that names none.
_SOME_DAY: dict[Kind, Key] = {"date": date(2025, 1, 1), "date-time": datetime(2025, 1, 1, tzinfo=UTC)}
_FIRST_TIME = time(0, 0, tzinfo=UTC)
_LAST_TIME = time(23, 59, 59, tzinfo=UTC)


@record
class Piece:
    """One class of one column.

    Shapes: `key` and `value` are its representative, as compared and as written; `low` and `high` are the ends of an
    interval, both left out, None where it is open.
    """

    form: Form
    key: Key
    value: Value
    low: Key | None = None
    high: Key | None = None

    @property
    def is_given(self) -> bool:
        return self.form not in ("null", "absent")


class Pieces(NamedTuple):
    """The classes of a column, ordered ones in order. `exact` is False where not every combination was built."""

    pieces: tuple[Piece, ...]
    exact: bool


def pieces_of(column: Column, cells: Sequence[Cell], *, spare: int = 1, others: Sequence[Key] = ()) -> Pieces:
    """Return the classes that the cells of a column make.

    Shapes: `spare` is how many representatives an interval gets; `others` are limits of columns that it is compared
    with.
    """
    parts = [part for cell in cells for part in plain_parts(cell)]
    pieces, exact = _given_pieces(column, parts, spare, others)
    operators = {part.operator for part in parts}
    if column.or_null or "null" in operators:
        pieces.append(Piece("null", None, None))
    if "absent" in operators:
        pieces.append(Piece("absent", ABSENT, ABSENT))
    return Pieces(tuple(pieces), exact)


def constants_of(cells: Iterable[Cell]) -> Iterator[Constant]:
    """Yield every limit that cells write out."""
    for cell in cells:
        for part in plain_parts(cell):
            if isinstance(part.limit, Constant):
                yield part.limit


def limits_of(cell: Cell) -> Iterator[Limit]:
    """Yield every limit of a cell, references included."""
    for part in plain_parts(cell):
        if part.limit is not None:
            yield part.limit


def plain_parts(cell: Cell) -> Iterator[Cell]:
    """Yield the cells inside a cell that have no parts of their own."""
    if cell.parts:
        for part in cell.parts:
            yield from plain_parts(part)
    else:
        yield cell


def _given_pieces(column: Column, parts: Sequence[Cell], spare: int, others: Sequence[Key]) -> tuple[list[Piece], bool]:
    constants = [part.limit for part in parts if isinstance(part.limit, Constant)]
    written = {_hashable(constant.key): constant.value for constant in constants}
    keys = [constant.key for constant in constants] + list(others)
    if column.enum:
        return [Piece("value", key, _value(column.kind, key, written)) for key in column.enum], True
    if column.kind == "boolean":
        return [Piece("value", key, key) for key in (True, False)], True
    if column.kind in ORDERED:
        limits = [key for key in keys if _is_of(column.kind, key)]
        return _ordered(column, column.kind, limits, spare, written), True
    if column.kind == "string":
        return _texts(parts, keys, spare)
    if column.kind == "array":
        return _lists(parts, keys)
    return _anything(column, parts, keys, spare, written), True


def _is_of(kind: Kind, key: Key) -> bool:
    """Tell whether a limit can stand on the axis of an ordered kind."""
    if kind == "date":
        return isinstance(key, date) and not isinstance(key, datetime)
    if kind in ("date-time", "time"):
        return isinstance(key, datetime if kind == "date-time" else time)
    return isinstance(key, int | Decimal) and not isinstance(key, bool)


# --- ordered kinds ----------------------------------------------------------------------------------------------------


def _ordered(column: Column, kind: Kind, keys: Sequence[Key], spare: int, written: dict[Any, Value]) -> list[Piece]:
    low, high = _domain(column, kind)
    cuts: list[Key] = []
    for key in sorted([key for key in (*keys, low, high) if key is not None]):
        inside = (low is None or key >= low) and (high is None or key <= high)
        if inside and (not cuts or key != cuts[-1]):
            cuts.append(key)
    pieces: list[Piece] = []
    before: Key | None = None
    for cut in cuts:
        if before is not None or low is None:
            pieces += _between(kind, before, cut, spare)
        if kind != "integer" or cut == int(cut):
            pieces.append(Piece("value", cut, _value(kind, cut, written)))
        before = cut
    if high is None:
        pieces += _between(kind, before, None, spare)
    return pieces


def _domain(column: Column, kind: Kind) -> tuple[Key | None, Key | None]:
    low = column.range.low if column.range is not None else None
    high = column.range.high if column.range is not None else None
    if kind == "duration" and low is None:
        low = 0
    if kind == "time":
        low, high = (_FIRST_TIME if low is None else low), (_LAST_TIME if high is None else high)
    return low, high


def _between(kind: Kind, low: Key | None, high: Key | None, spare: int) -> list[Piece]:
    try:
        keys = _inside(kind, low, high, spare)
    except (ValueError, OverflowError):  # the calendar ends there
        return []
    return [Piece("between", key, _value(kind, key, {}), low, high) for key in keys]


def _inside(kind: Kind, low: Key | None, high: Key | None, count: int) -> list[Key]:
    """Return up to `count` values inside an open interval, in order; fewer where there are not so many.

    Errors: ValueError, OverflowError where dates end.
    """
    if low is None and kind in _SOME_DAY and high is None:
        low = _SOME_DAY[kind]
    numbers = _as_numbers(kind, low, high)
    whole = kind in ("integer", "date")
    if whole and numbers.low is not None and numbers.high is not None:
        first, last = int(numbers.low // 1) + 1, -int(-numbers.high // 1) - 1
        if last - first + 1 <= count:
            return [numbers.back(Fraction(number)) for number in range(first, last + 1)]
        if first == last:
            return [numbers.back(Fraction(first))]
    if count == 1:
        return [numbers.back(natural_between(numbers.low, numbers.high, whole=whole, step=numbers.step))]
    return [numbers.back(number) for number in _spread(numbers, count, whole)]


def _spread(numbers: _Numbers, count: int, whole: bool) -> list[Fraction]:
    low, high, step = numbers.low, numbers.high, numbers.step
    if low is None and high is None:
        return [number * step for number in range(count)]
    if high is None:
        assert low is not None
        return [(low // 1 if whole else low) + step * number for number in range(1, count + 1)]
    if low is None:
        return [(-(-high // 1) if whole else high) - step * number for number in range(count, 0, -1)]
    if whole:
        first, last = low // 1 + 1, -(-high // 1) - 1
        return [Fraction(first + number * (last - first) // (count - 1)) for number in range(count)]
    return [low + (high - low) * number / (count + 1) for number in range(1, count + 1)]


class _Numbers(NamedTuple):
    """An interval of any ordered kind as numbers, and the way back."""

    kind: Kind
    low: Fraction | None
    high: Fraction | None
    step: Fraction

    def back(self, number: Fraction) -> Key:
        if self.kind == "date":
            return date.fromordinal(int(number))
        if self.kind == "date-time":
            return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=int(number))
        if self.kind == "time":
            return (datetime(2000, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(number))).timetz()
        return plain_number(number, self._digits())

    def _digits(self) -> int:
        """Return how many digits a value needs so that rounding leaves it where it is."""
        digits = 12
        if self.low is not None and self.high is not None:
            while digits < 60 and (self.high - self.low) * 10**digits < 1000:
                digits += 1
        return digits


def _as_numbers(kind: Kind, low: Key | None, high: Key | None) -> _Numbers:
    ends = [None if end is None else _as_number(kind, end) for end in (low, high)]
    step = {"date": 1, "date-time": 86_400_000_000, "time": 60_000_000, "duration": 60_000}.get(kind)
    if step is None:
        step = _unit_of(ends)
    return _Numbers(kind, ends[0], ends[1], Fraction(step))


def _as_number(kind: Kind, key: Key) -> Fraction:
    if kind == "date":
        return Fraction(key.toordinal())
    if kind == "date-time":
        return Fraction((key - datetime.fromtimestamp(0, UTC)) // timedelta(microseconds=1))
    if kind == "time":
        return Fraction(((key.hour * 60 + key.minute) * 60 + key.second) * 1_000_000 + key.microsecond)
    return Fraction(key)


def _unit_of(ends: Sequence[Fraction | None]) -> int:
    """Return a step that people would take beyond a limit: 1 beside 80, 10 beside 500, 1000 beside 50000."""
    size = max([abs(end) for end in ends if end is not None], default=Fraction(0))
    return 1 if size < 100 else int(10 ** (len(str(int(size))) - 2))


def natural_between(low: Fraction | None, high: Fraction | None, *, whole: bool, step: Fraction) -> Fraction:
    """Return the value inside an open interval that people would choose: the roundest one near its middle."""
    if low is None and high is None:
        return Fraction(0)
    if high is None:
        assert low is not None
        return (low // 1 if whole else low) + step
    if low is None:
        return (-(-high // 1) if whole else high) - step
    middle, quarter = (low + high) / 2, (high - low) / 4
    for exponent in range(len(str(int(max(abs(low), abs(high))))), -60, -1):
        size = Fraction(10) ** exponent
        rounded = ((middle / size) + Fraction(1, 2)) // 1 * size
        if low + quarter <= rounded <= high - quarter and low < rounded < high:
            return rounded
    return middle


def plain_number(number: Fraction, digits: int = 12) -> int | Decimal:
    """Return a number with its own digits, rounded to so many of them after the point."""
    if number.denominator == 1:
        return int(number)
    with localcontext() as context:
        context.prec = 100
        rounded = Decimal(round(number * 10**digits)).scaleb(-digits).normalize()
    return Decimal(format(rounded, "f"))


def step_of(kind: Kind, key: Key) -> Key:
    """Return the smallest step that a limit is written in: 1 for 80, 0.01 for 0.60, a day for a date.

    Shapes: for dates and times a timedelta; for durations milliseconds.
    """
    if kind == "date":
        return _DAY
    if kind == "date-time":
        return timedelta(seconds=1) if key.second or key.microsecond else timedelta(minutes=1)
    if kind == "time":
        return timedelta(seconds=1) if key.second else timedelta(minutes=1)
    if kind == "duration":
        return next(size for _, size in _UNITS if not key or key % size == 0)
    exponent = Decimal(key).as_tuple().exponent if kind == "number" else 0
    return plain_number(Fraction(10) ** min(int(exponent), 0))


def moved(kind: Kind, key: Key, step: Key, times: Fraction | int = 1) -> Key | None:
    """Return a key some steps away, None where the kind ends there."""
    if kind in ("date", "date-time"):
        try:
            return key + step * (int(times) if kind == "date" else float(times))
        except OverflowError:
            return None
    if kind == "time":
        at = datetime(2000, 1, 2, key.hour, key.minute, key.second, key.microsecond, UTC) + step * float(times)
        return at.timetz() if at.day == 2 else None
    number = plain_number(Fraction(key) + Fraction(step) * Fraction(times))
    return None if kind == "duration" and number < 0 else number


def beside(column: Column, key: Key) -> list[Key]:
    """Return a limit and what lies next to it on both sides, as far as the column allows it.

    A whole number has its neighbours; elsewhere the neighbours are a tenth of the step that the limit is written in,
    so that they stay on the near side of the next limit.
    """
    kind: Kind = column.kind if column.kind in ORDERED else "number"
    size = Fraction(1) if kind in ("integer", "date") else Fraction(1, 10)
    step = step_of(kind, key)
    around = [moved(kind, key, step, -size), key, moved(kind, key, step, size)]
    return [each for each in around if each is not None and fits(column, each)]


def nearest_in(column: Column, piece: Piece, key: Key) -> Key:
    """Return the value of a class that is nearest to a given one."""
    if piece.form != "between" or key is None or key is ABSENT:
        return piece.key
    kind: Kind = column.kind if column.kind in ORDERED else "number"
    try:
        end, sign = (piece.low, 1) if piece.low is not None and key <= piece.low else (piece.high, -1)
    except TypeError:
        return piece.key
    if end is None:
        return piece.key
    size = Fraction(1) if kind in ("integer", "date") else Fraction(1, 10)
    near = moved(kind, end, step_of(kind, end), sign * size)
    if near is None or not fits(column, near):
        return piece.key
    inside = (piece.low is None or near > piece.low) and (piece.high is None or near < piece.high)
    return near if inside else piece.key


# --- texts, lists, anything -------------------------------------------------------------------------------------------


def _texts(parts: Sequence[Cell], keys: Sequence[Key], spare: int) -> tuple[list[Piece], bool]:
    listed = list(dict.fromkeys(key for key in keys if isinstance(key, str)))
    begins = [part.limit.key for part in parts if part.operator == "starts_with" and isinstance(part.limit, Constant)]
    inside = [part.limit.key for part in parts if part.operator == "contains" and isinstance(part.limit, Constant)]
    equal = [part.limit.key for part in parts if part.operator == "equals" and isinstance(part.limit, Constant)]
    edges = [part.limit.key for part in parts if part.operator in ORDER_OPERATORS and isinstance(part.limit, Constant)]
    made = [text for text in dict.fromkeys([*_beside(edges), *_combined(begins, inside)]) if text not in listed]
    named = [text for text in listed if text in equal or text in begins or text in inside]
    texts = [*dict.fromkeys([*named, *[key for key in listed if key not in named], *made])]
    pieces = [Piece("value", text, text) for text in texts]
    pieces += [Piece("other", text, text) for text in _other_texts(texts, [*begins, *inside], spare)]
    parted = len(set(begins)) + len(set(inside))
    # An order and parts would have to be combined in every way; then an interval stands for itself only.
    return pieces, parted <= MOST_TEXT_PARTS and not (edges and parted)


def _beside(edges: Sequence[str]) -> Iterator[str]:
    """Yield a text below all edges, and one just above each, for cells that ask for texts in order."""
    ordered = sorted(set(edges))
    if ordered:
        yield ""
    for edge, following in pairwise([*ordered, None]):
        above = [f"{edge}{letter}" for letter in _LETTERS]
        yield next((text for text in above if following is None or text < following), above[-1])


def _combined(begins: Sequence[str], inside: Sequence[str]) -> Iterator[str]:
    inside = list(dict.fromkeys(inside))
    most = len(inside) if len(inside) + len(set(begins)) <= MOST_TEXT_PARTS else min(2, len(inside))
    for begin in ("", *dict.fromkeys(begins)):
        for count in range(most + 1):
            for chosen in combinations(inside, count):
                text = " ".join(part for part in (begin, *chosen) if part)
                if begin and not count:
                    yield f"{begin} …"
                elif text:
                    yield text if begin else f"… {text}"


def _other_texts(listed: Sequence[str], parts: Iterable[str], count: int) -> list[str]:
    """Return texts that no cell names."""
    found: list[str] = []
    parts = list(parts)
    for word in ("other", "else", "zzz", "…"):
        for number in ("", *range(2, count + len(listed) + 2)):
            text = f"{word} {number}".strip()
            if len(found) < count and text not in listed and not any(part in text for part in parts if part):
                found.append(text)
    return found


def _lists(parts: Sequence[Cell], keys: Sequence[Key]) -> tuple[list[Piece], bool]:
    inside: list[Key] = []
    for part in parts:
        limit = part.limit
        if part.operator != "contains" or not isinstance(limit, Constant):
            continue
        if not any(same(limit.key, known) for known in inside):
            inside.append(limit.key)
    made: list[Key] = [key for key in keys if isinstance(key, list)]
    most = len(inside) if len(inside) <= MOST_TEXT_PARTS else 2
    for count in range(most + 1):
        made += [list(chosen) for chosen in combinations(inside, count)]
    made.append(["other"])
    return [Piece("value", key, key) for key in _distinct(made)], len(inside) <= MOST_TEXT_PARTS


def _anything(
    column: Column, parts: Sequence[Cell], keys: Sequence[Key], spare: int, written: dict[Any, Value]
) -> list[Piece]:
    """Return the classes of an untyped column: axes for what is compared by order, then what else some cell names."""
    if column.kind == "object":
        found = [Piece("value", key, key) for key in _distinct(keys) if isinstance(key, dict)]
        return [*found, Piece("other", {"other": True}, {"other": True})]
    ordered = [part.limit for part in parts if part.operator in ORDER_OPERATORS]
    limits = [limit.key for limit in ordered if isinstance(limit, Constant)]
    pieces: list[Piece] = []
    for kind in _AXES:
        mine = [key for key in keys if _is_of(kind, key)]
        if any(_is_of(kind, key) for key in limits) or (kind == "number" and len(limits) < len(ordered)):
            pieces += _ordered(Column(column.name, kind), kind, mine, spare, written)
    on_axes = [piece.key for piece in pieces if piece.form == "value"]
    rest = [key for key in _distinct(keys) if not any(_equal(key, each) for each in on_axes)]
    pieces += [Piece("value", key, _value(column.kind, key, {})) for key in rest]
    texts = [key for key in rest if isinstance(key, str)]
    parts_of_texts = [part.limit.key for part in parts if part.operator in _INSIDE and isinstance(part.limit, Constant)]
    if texts or not pieces:
        pieces += [Piece("other", text, text) for text in _other_texts(texts, map(str, parts_of_texts), spare)]
    return pieces


_AXES: tuple[Kind, ...] = ("number", "date", "date-time", "time")
_INSIDE = ("contains", "starts_with")


def _distinct(keys: Iterable[Key]) -> list[Key]:
    found: list[Key] = []
    for key in keys:
        if not any(_equal(key, each) for each in found):
            found.append(key)
    return found


def _equal(first: Key, second: Key) -> bool:
    if _is_moment(first) or _is_moment(second):
        return type(first) is type(second) and bool(first == second)
    return same(first, second)


def _is_moment(key: Key) -> bool:
    return isinstance(key, date | time)


def _hashable(key: Key) -> Any:
    return key if _is_moment(key) else identity(key)


# --- writing ----------------------------------------------------------------------------------------------------------


def value_of_key(kind: Kind, key: Key) -> Value:
    """Return a key as a document would write it."""
    if isinstance(key, datetime):
        return key.isoformat().replace("+00:00", "Z")
    if isinstance(key, date):
        return key.isoformat()
    if isinstance(key, time):
        return key.isoformat().replace("+00:00", "")
    if kind == "duration" and isinstance(key, int | Decimal):
        return _duration(key)
    if isinstance(key, Decimal) and key == key.to_integral_value():
        return int(key)
    return key


def _duration(milliseconds: int | Decimal) -> str:
    for unit, size in _UNITS:
        if milliseconds and milliseconds % size == 0:
            return f"{int(milliseconds // size)}{unit}"
    return "0s" if not milliseconds else f"{plain_number(Fraction(milliseconds))}ms"


def _value(kind: Kind, key: Key, written: dict[Any, Value]) -> Value:
    try:
        known = written.get(_hashable(key))
    except TypeError:
        known = None
    return known if known is not None else value_of_key(kind, key)


def fits(column: Column, key: Key) -> bool:
    """Tell whether a value may stand in a column, as its border sees it."""
    if key is None or key is ABSENT:
        return True
    if column.kind in NUMBERS and (not have_order(key, 0) or (column.kind == "integer" and key % 1)):
        return False
    if column.enum and key not in column.enum:
        return False
    return column.range is None or column.range.holds(key)
