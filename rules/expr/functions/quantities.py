"""Functions that read the numbers of a text with their units, and compare what they say.

Units, scales and number words come from the caller; nothing here knows a language. A quantity says what lies between
two ends: the same number twice, the ends of a range, or what the word beside it leaves open (`more than 5`, `5 or so`).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final

from rules.expr.functions.written_numbers import (
    BEGINS,
    ENDS,
    NUMBER,
    InDigits,
    Number,
    Shares,
    Words,
    any_of,
    exact,
    in_digits,
    plain,
    range_mark,
)
from rules.expr.signatures import KINDS, Function, describe, refuse
from rules.folding import folded, folded_with_origins
from rules.records import NamedTuple
from rules.values import ABSENT, CannotEvaluate, Value

#: `EUR 1 20`: what stands behind the blank may be of the same number.
_GOES_ON: Final = re.compile(r" [0-9]{1,2}(?![0-9])")
_DIGIT: Final = re.compile("[0-9]")
_MINUS: Final = "-−"
_MOST_BEFORE: Final = 80


Ends = tuple[Number | None, Number | None]


class _Amount(NamedTuple):
    """A quantity as it stands in a text in digits, from `start` to `end`; the number begins at `at`."""

    least: Number | None
    most: Number | None
    number: Number
    unit: str
    start: int
    end: int
    at: int


class _Quantity(NamedTuple):
    """What a quantity says: a number of a unit, between two ends."""

    number: Number
    unit: str
    least: Number | None
    most: Number | None


class _Patterns(NamedTuple):
    """Shapes: `behind` and `before` find a number with a unit there, `alone` any number, `lower` and `higher` the other
    end of a range, `between` what stands between two ends.
    """

    behind: re.Pattern[str]
    before: re.Pattern[str]
    alone: re.Pattern[str]
    lower: re.Pattern[str]
    higher: re.Pattern[str]
    between: re.Pattern[str]


class _Multiples(NamedTuple):
    """How many times is written: behind a word of `more` so many times more, behind one of `as_much` so many times as
    much, which is once less.

    Shapes: `units` has the units of such numbers, and what those behind no word say: `more`, `as_much` or nothing; what
    is told is a number of `unit`, `of` it for once.
    """

    units: Mapping[str, str]
    more: tuple[str, ...]
    as_much: tuple[str, ...]
    unit: str
    of: Number


class _Unit(NamedTuple):
    """What a way to write a unit says: its name, and how many of that it is, at least and at most."""

    name: str
    times: Number
    most: Number


class _Notation(NamedTuple):
    """How quantities are written.

    Shapes: `units` has for each way to write one what it is, `cased` for those that differ by capitals alone (`Gb` and
    `GB`) each way letter for letter; `before` and `behind` how many times the number the ends are for a word there;
    `openers` what has to stand before a range with a word between its ends, and `changes` what may not: `from 5 to 7`
    is no range.
    """

    units: dict[str, _Unit]
    words: Words
    before: dict[str, Ends]
    behind: dict[str, Ends]
    openers: dict[str, str]
    changes: tuple[str, ...]
    multiples: _Multiples
    cased: dict[str, dict[str, _Unit]]


def quantities(
    text: str, units: list[str], scales: Value = ABSENT, names: Value = ABSENT, written: Value = ABSENT
) -> list[dict[str, Value]]:
    """Return the numbers of a text that have one of the units behind or before them, each once.

    A sign directly before counts, a hyphen between two numbers that rise is a range. A piece of something longer, as of
    a date, is no number, and what may be read in two ways (`1.200`) gives nothing.
    Shapes: `scales` has how often a word behind a number multiplies it; `names` the unit that a written one stands for,
    or `{unit, times}`, where so many of it are one, or `{unit, times, most}`, where they may be more; what differs by
    capitals alone is told apart by them, and what is written otherwise is the last one; `written` has `words` for
    numbers (a number, or a text in their place), `points` (words before decimals), `before` and `behind` (words with
    `{least, most}`, how many times the number its ends are, each null where it is open), `ranges` (words between two
    ends, each with the word that has to stand before, or ''), `changes` (words before, with which it is no range),
    `shares` (`between`: words between the numbers of a share with `part` or `whole`, the one that stands first;
    `parts`: words behind the part with the number that they stand for; `before_slashed` and `behind_slashed`: words
    beside `3/4` with which it is one; `unit` and `of`: the unit of shares and how many of it are the whole; `rounded`:
    the word of `behind` for what does not come out even; `unlike`: words behind, with which it is none) and `multiples`
    (`units`: those of how many times, with `more`, `as_much` or '', what they say alone; `more` and `as_much`: words
    before, with which they say it; `unit` and `of`: what is told instead, how much more, and how many of it are once).
    `{number, unit, phrase, least, most}`: the unit folded, so that it can be compared, '' where a scale alone stands
    behind the number, or for any number where '' is one of the units; the phrase letter for letter; `least` and `most`
    are the ends, null where it is open. Of a range the number is the lower end. The same words twice are one entry.
    """
    notation = _notation(units, scales, names, written)
    whole, origins = folded_with_origins(text)
    digits = in_digits(whole, notation.words)
    found: dict[tuple[Value, ...], str] = {}
    with_bare = any(not one.strip() for one in units)
    for amount in _amounts(digits, notation, with_bare) if units and _DIGIT.search(digits.text) else []:
        start, end = digits.starts[amount.start], digits.ends[amount.end]
        stop = origins[end] if end < len(whole) else len(text)
        unit, times, at_most = _unit(
            text[origins[start] : stop] if amount.unit in notation.cased else "", amount, notation
        )
        number = plain(amount.number * times)
        least = None if amount.least is None else plain(amount.least * times)
        most = None if amount.most is None else plain(amount.most * at_most)
        multiple = _multiple(digits.text, amount, unit, notation.multiples)
        if multiple is not None:
            number = plain(multiple[0])
            least, most = (None if one is None else plain(one) for one in multiple[1:3])
            unit, start = notation.multiples.unit, digits.starts[multiple[3]]
        phrase = text[origins[start] : stop].strip()
        found.setdefault((number, unit, least, most, folded(phrase)), phrase)
    return [
        {"number": number, "unit": unit, "phrase": phrase, "least": least, "most": most}
        for (number, unit, least, most, _), phrase in found.items()
    ]


def _unit(phrase: str, amount: _Amount, notation: _Notation) -> _Unit:
    """Return what the unit of an amount says, as it is written in a phrase."""
    cased = notation.cased.get(amount.unit, {})
    exactly = next((unit for word, unit in cased.items() if word in phrase), None)
    return exactly or notation.units.get(amount.unit) or _Unit(amount.unit, 1, 1)


def _multiple(
    text: str, amount: _Amount, unit: str, multiples: _Multiples
) -> tuple[Number, Number | None, Number | None, int] | None:
    """Return how much more a multiple says, its ends, and where it begins with the word that tells, if one does."""
    if unit not in multiples.units or amount.number < 1:
        return None
    before = text[max(0, amount.start - _MOST_BEFORE) : amount.start].rstrip()
    word = next((word for word in multiples.as_much if before.endswith(word)), "")
    alone = multiples.units[unit]
    if not word and not before.endswith(multiples.more) and not alone:
        return None
    once = 1 if word or (alone == "as_much" and not before.endswith(multiples.more)) else 0
    start = amount.start if not word else text.rindex(word, 0, amount.start)
    number, least, most = (
        None if one is None else (one - once) * multiples.of for one in (amount.number, amount.least, amount.most)
    )
    assert number is not None
    return number, least, most, start


def implying(found: list[dict[str, Value]], other: dict[str, Value]) -> list[dict[str, Value]]:
    """Return the quantities that say what another one says: they lie between its ends, both of theirs.

    So `about 5` says `about 5`, and not that it is 5.
    """
    wanted = _quantity("implying", other)
    return [one for one in found if _is_like(said := _quantity("implying", one), wanted) and _lies_within(said, wanted)]


def contradicting(found: list[dict[str, Value]], other: dict[str, Value]) -> list[dict[str, Value]]:
    """Return the quantities that cannot be true together with another one."""
    wanted = _quantity("contradicting", other)
    return [
        one for one in found if _is_like(said := _quantity("contradicting", one), wanted) and _lies_apart(said, wanted)
    ]


def _quantity(function: str, record: dict[str, Value]) -> _Quantity:
    for field in _Quantity._fields:
        if field not in record:
            raise CannotEvaluate("absent-field", {"field": field, "name": field})
        kinds = ("text",) if field == "unit" else ("number",)
        is_open = record[field] is None and field in ("least", "most")
        if not is_open and not any(type(record[field]) in KINDS[kind] for kind in kinds):
            refuse(function, field, kinds, record[field], of_list=True)
    return _Quantity(*(record[field] for field in _Quantity._fields))


def _is_like(one: _Quantity, other: _Quantity) -> bool:
    return one.unit == other.unit or not one.unit or not other.unit


def _lies_apart(one: _Quantity, other: _Quantity) -> bool:
    return _is_under(one.most, other.least) or _is_under(other.most, one.least)


def _lies_within(one: _Quantity, other: _Quantity) -> bool:
    holds_least = other.least is None or (one.least is not None and other.least <= one.least)
    return holds_least and (other.most is None or (one.most is not None and one.most <= other.most))


def _is_under(most: Number | None, least: Number | None) -> bool:
    return most is not None and least is not None and most < least


# --- how quantities are written ---------------------------------------------------------------------------------------


def _notation(*given: Value) -> _Notation:
    """Return how quantities are written; it is read once for the many texts that are read with it."""
    for before, notation in list(_KEPT):
        if before == given:
            return notation
    notation = _read(*given)
    _KEPT.appendleft((given, notation))
    return notation


_KEPT: Final[deque[tuple[tuple[Value, ...], _Notation]]] = deque(maxlen=8)


def _read(units: list[str], scales: Value, names: Value, written: Value) -> _Notation:
    told = _parts(written)
    unlike = {word: meant for word, meant in _parts(told.get("words")).items() if not isinstance(meant, str)}
    texts = {word: meant for word, meant in _parts(told.get("words")).items() if isinstance(meant, str)}
    named: dict[str, _Unit] = {folded(word): _Unit(folded(word), 1, 1) for word in units if word.strip()}
    cased: dict[str, dict[str, _Unit]] = {}
    for word, meant in _parts(names).items():
        record = {"unit": meant, "times": 1} if isinstance(meant, str) else _parts(meant)
        times = _number("names", record.get("times"))
        unit = _Unit(_text("names", record.get("unit")), times, _number("names", record.get("most", times)))
        named[folded(word)] = unit
        cased.setdefault(folded(word), {})[word] = unit
    behind = _ends("behind", told.get("behind"))
    openers = {folded(word): folded(_text("ranges", opener)) for word, opener in _parts(told.get("ranges")).items()}
    return _Notation(
        {folded(word): named[folded(word)] for word in units if word.strip()},
        Words(
            {folded(word): _number("words", number) for word, number in unlike.items()},
            {folded(word): folded(text) for word, text in texts.items()},
            frozenset(_texts("points", told.get("points"))),
            {folded(word): _number("scales", number) for word, number in _parts(scales).items()},
            frozenset(behind),
            tuple(openers),
            _shares(_parts(told.get("shares"))),
        ),
        _ends("before", told.get("before")),
        behind,
        openers,
        _texts("changes", told.get("changes")),
        _multiples(_parts(told.get("multiples"))),
        {word: ways for word, ways in cased.items() if len(set(ways.values())) > 1},
    )


def _multiples(told: dict[str, Value]) -> _Multiples:
    units = {folded(word): _text("multiples", meant) for word, meant in _parts(told.get("units")).items()}
    return _Multiples(
        units,
        _texts("multiples", told.get("more")),
        _texts("multiples", told.get("as_much")),
        folded(_text("multiples", told.get("unit"))) if units else "",
        _number("multiples", told.get("of")) if units else 1,
    )


def _shares(told: dict[str, Value]) -> Shares:
    between = {folded(word): _text("shares", first) == "part" for word, first in _parts(told.get("between")).items()}
    return Shares(
        between,
        {folded(word): _number("shares", number) for word, number in _parts(told.get("parts")).items()},
        _texts("shares", told.get("before_slashed")),
        _texts("shares", told.get("behind_slashed")),
        folded(_text("shares", told.get("unit"))) if told else "",
        _number("shares", told.get("of")) if told else 1,
        folded(_text("shares", told.get("rounded", ""))),
        _texts("shares", told.get("unlike")),
    )


def _parts(value: Value) -> dict[str, Value]:
    """Return the entries of a mapping by their words; a blank word stands nowhere."""
    if value is ABSENT or value is None:
        return {}
    if not isinstance(value, dict):
        refuse("quantities", "written", ("mapping",), value)
    return {word: meant for word, meant in value.items() if word.strip()}


def _number(place: str, value: Value) -> Number:
    if type(value) not in KINDS["number"]:
        refuse("quantities", place, ("number",), value, of_list=True)
    return value  # type: ignore[no-any-return]


def _text(place: str, value: Value) -> str:
    if not isinstance(value, str):
        refuse("quantities", place, ("text",), value, of_list=True)
    return str(value)


def _texts(place: str, value: Value) -> tuple[str, ...]:
    if value is not None and type(value) not in KINDS["list"]:
        refuse("quantities", place, ("texts",), value)
    return tuple(folded(_text(place, word)) for word in value or [] if word != "")


def _ends(place: str, given: Value) -> dict[str, Ends]:
    return {
        folded(word): (_end(place, _parts(ends).get("least")), _end(place, _parts(ends).get("most")))
        for word, ends in _parts(given).items()
    }


def _end(place: str, value: Value) -> Number | None:
    return None if value is None else _number(place, value)


@lru_cache(maxsize=256)
def _patterns(units: tuple[str, ...], leading: tuple[str, ...], ranges: tuple[str, ...]) -> _Patterns:
    listed, mark = any_of(units), range_mark(ranges)
    number = rf"(?<![a-z0-9_])(?P<number>{NUMBER})"
    return _Patterns(
        re.compile(rf"{number}\s{{0,2}}(?P<unit>{listed}){ENDS}"),
        re.compile(rf"{BEGINS}(?P<unit>{any_of(leading)})\s{{0,2}}(?P<sign>[-−]?)(?P<number>{NUMBER})(?![a-z])"),
        re.compile(rf"{number}(?P<unit>)(?![a-z])"),
        re.compile(rf"(?<![a-z0-9_.,'’:/⁄−-])({NUMBER}){mark}$"),
        re.compile(rf"{mark}({NUMBER})"),
        re.compile(mark),
    )


@lru_cache(maxsize=256)
def _beside(words: tuple[str, ...], *, is_before: bool) -> re.Pattern[str]:
    listed = rf"{BEGINS}(?P<word>{any_of(words)}){ENDS}"
    return re.compile(rf"{listed}\s{{0,2}}$" if is_before else rf"\s{{0,2}}{listed}")


# --- what stands in a text --------------------------------------------------------------------------------------------


def _amounts(digits: InDigits, notation: _Notation, with_bare: bool) -> list[_Amount]:
    # `X2` is a name: how many times stands behind its number
    leading = tuple(one for one in notation.units if one not in notation.multiples.units)
    patterns = _patterns(tuple(notation.units), leading, notation.words.ranges)
    matches: dict[int, re.Match[str]] = {}
    for one in patterns.alone.finditer(digits.text) if with_bare or digits.worded else ():
        worded = digits.worded.get(one.start("number"))
        # 二 in 二手房 is no number
        if (with_bare and (worded is None or not worded.is_touched)) or (worded is not None and worded.words > 1):
            matches[one.start("number")] = one
    for one in (*patterns.before.finditer(digits.text), *patterns.behind.finditer(digits.text)):
        matches[one.start("number")] = one
    found: list[_Amount] = []
    for _, one in sorted(matches.items()):
        amount = _amount(digits.text, one, found[-1] if found else None, patterns, notation)
        if amount is None or (found and found[-1].start < amount.start < found[-1].end):
            continue
        if found and amount.start <= found[-1].start:
            found.pop()  # the lower end of this range
        found.append(amount)
    # 三成一 is not 三成
    whole = [one for one in found if one.at not in digits.worded or digits.ends[one.end] not in digits.begin]
    return [_with_bounds(digits, amount, notation) for amount in whole]


def _amount(
    text: str, one: re.Match[str], before: _Amount | None, patterns: _Patterns, notation: _Notation
) -> _Amount | None:
    """Return the amount that a match is, with the lower end of its range; None where it is a piece of something."""
    number = exact(one["number"])
    if number is None:
        return None
    start, end, at = one.start(), one.end(), one.start("number")
    if one.groupdict().get("sign"):
        number = -number
    amount = _Amount(number, number, number, one["unit"], start, end, at)
    if before is not None and before.end <= start and patterns.between.fullmatch(text, before.end, start):
        is_one = before.least == before.most and _named(before, notation) in (_named(amount, notation), _Unit("", 1, 1))
        begins = _range_begins(text, before.start, text[before.end : start], notation)
        if is_one and before.number < number and begins is not None:
            return before._replace(most=number, unit=amount.unit, start=begins, end=end)
        return amount
    if at > start:  # EUR 5-7
        return _upwards(text, amount, one.end("number"), patterns, notation)
    lower = patterns.lower.search(text, max(0, start - _MOST_BEFORE), start)
    if lower is not None:
        least = exact(lower[1])
        mark = text[lower.end(1) : start]
        if least is not None and _rises(least, one["number"]):
            begins = _range_begins(text, lower.start(), mark, notation)
            return amount if begins is None else amount._replace(least=least, number=least, start=begins)
        return None if mark.strip() and mark == mark.strip() and not mark.isalnum() else amount
    return _signed(text, amount)


def _named(amount: _Amount, notation: _Notation) -> _Unit:
    return notation.units.get(amount.unit) or _Unit(amount.unit, 1, 1)


def _upwards(text: str, amount: _Amount, number_end: int, patterns: _Patterns, notation: _Notation) -> _Amount | None:
    """Return an amount whose unit stands before it with the upper end of its range; None where it goes on otherwise."""
    if number_end - amount.at <= 3 and _GOES_ON.match(text, number_end):
        return None
    higher = patterns.higher.match(text, number_end)
    if higher is None:
        return _signed(text, amount)
    most = exact(higher[1])
    mark = text[number_end : higher.start(1)]
    if most is not None and _rises(amount.number, higher[1]):
        begins = _range_begins(text, amount.start, mark, notation)
        return _signed(text, amount) if begins is None else amount._replace(most=most, start=begins, end=higher.end(1))
    return None if mark in _MINUS else _signed(text, amount)


def _signed(text: str, amount: _Amount) -> _Amount | None:
    start = amount.start
    mark = text[start - 1 : start]
    if mark and mark in ".,'’:/⁄" and text[start - 2 : start - 1].isdigit():
        return None
    if not mark or mark not in _MINUS:
        return amount
    left = text[start - 2 : start - 1] if start > 1 else ""
    if left.isalnum() or left in (*_MINUS, "_"):
        return None
    return amount._replace(least=-amount.number, most=-amount.number, number=-amount.number, start=start - 1)


def _rises(lower: Number, upper: str) -> bool:
    """Say whether two numbers are a range: what goes down, or `09`, is of a date."""
    highest = exact(upper)
    return highest is not None and lower < highest and not (upper[0] == "0" and upper[1:2].isdigit())


def _range_begins(text: str, start: int, mark: str, notation: _Notation) -> int | None:
    """Return where a range begins whose lower end stands at a place, None where a word before says that it is none."""
    before = text[max(0, start - _MOST_BEFORE) : start].rstrip()
    opener = notation.openers.get(mark.strip(), "")
    if not before.endswith(opener) or before.endswith(notation.changes):
        return None
    return text.rfind(opener, 0, start) if opener else start


def _with_bounds(digits: InDigits, amount: _Amount, notation: _Notation) -> _Amount:
    """Return an amount with the ends that the words beside it, or inside it, leave open; of several the widest."""
    start, end = amount.start, amount.end
    worded = digits.worded.get(amount.at)
    bounds = [notation.behind[worded.bound]] if worded is not None and worded.bound else []
    before = _beside(tuple(notation.before), is_before=True)
    behind = _beside(tuple(notation.behind), is_before=False)
    while found := before.search(digits.text, max(0, start - _MOST_BEFORE), start):
        start = found.start()
        bounds.append(notation.before[found["word"]])
    if found := behind.match(digits.text, end):
        end = found.end()
        bounds.append(notation.behind[found["word"]])
    if not bounds or amount.number < 0:
        return amount._replace(start=start, end=end)
    least = _times(amount.least, [ends[0] for ends in bounds], min)
    return amount._replace(
        least=least, most=_times(amount.most, [ends[1] for ends in bounds], max), start=start, end=end
    )


def _times(
    number: Number | None, factors: list[Number | None], widest: Callable[[list[Number]], Number]
) -> Number | None:
    known = [factor for factor in factors if factor is not None]
    return None if number is None or len(known) < len(factors) else plain(number * Decimal(widest(known)))


QUANTITIES: Final[tuple[Function, ...]] = (
    describe(
        "text | quantities(units: texts, scales?: mapping, names?: mapping, written?: mapping) -> records",
        quantities,
        "文本中带有这些单位（在前或在后）的数，写法相同的只留一次；保留紧挨着的负号；认得 1,200.50、1'200、1 200"
        "、1.200,50 和 12,50，也认得范围 3-5；两可的（1.200）和日期里的数不算；unit 一律小写，phrase 是原文，"
        "least 和 most 是两端，null 表示不限；scales 是数后面的倍数词（万、million），旁边没有单位的数 unit 为空"
        "；单位中有空文本时，没有单位的数也算；names 把单位的不同写法归为一个名称，或 {unit, times}"
        "，一个可能更多时加 most，只有大小写不同的写法（Gb、GB）按大小写分开；written 是数的文字写法：words、points"
        "、before、behind、ranges、changes、shares、multiples",
        "the numbers in it that have one of these units behind or before them, the same words once; a minus "
        "directly before counts; 1,200.50, 1'200, 1 200, 1.200,50 and 12,50 are read, and the range 3-5; what may "
        "be read in two ways (1.200), or is a piece of a date, is left out; the unit in small letters, the phrase "
        "letter for letter, least and most the two ends, null where it is open; scales has what a word behind the "
        "number multiplies it by (million), the unit is empty where none stands beside it; where one of the units "
        "is the empty text, numbers without any count too; names has the one name for each way to write a unit, or "
        "{unit, times}, with most where it may be more, and by their capitals where ways differ by them alone (Gb, "
        "GB); written has how numbers are written in words: words, points, before, behind, ranges, changes, "
        "shares, multiples",
        "'共 1,200 USD' | quantities(['USD', '元']) -> "
        "[{'number': 1200, 'unit': 'usd', 'phrase': '1,200 USD', 'least': 1200, 'most': 1200}]",
    ),
    describe(
        "records | implying(other: mapping) -> records",
        implying,
        "其中说了就等于也说了另一个数量的：单位相同（或有一方没有单位），并且落在它的两端之间",
        "those of some quantities that say what another one says: of the same unit, or of none, and between its ends",
        "'5 kg, 9 kg' | quantities(['kg']) | implying({'unit': 'kg', 'number': 6, 'least': 6, 'most': null}) "
        "| pluck('number') -> [9]",
    ),
    describe(
        "records | contradicting(other: mapping) -> records",
        contradicting,
        "其中不能与另一个数量同时为真的：单位相同（或有一方没有单位），两端之间没有共同的数",
        "those of some quantities that cannot be true together with another one: of the same unit, or of none, and no "
        "number lies between the ends of both",
        "'5 kg, 9 kg' | quantities(['kg']) | contradicting({'unit': 'kg', 'number': 6, 'least': 6, 'most': null}) "
        "| pluck('number') -> [5]",
    ),
)
