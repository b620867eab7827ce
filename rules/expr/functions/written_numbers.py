"""Numbers that are written in words or with scales, put into digits: `两千三百万` and `23 million` are 23000000.

All words come from the caller; nothing here knows a language. Words beside each other make one number by two rules: a
scale multiplies what stands before it and is smaller, and a smaller number behind is added, where it fits. `twenty
five` and `一百二十` fit, `五六` does not, and neither does `三千五`, since some mean 3500 by it. What does not fit
stays as it is written. One alone stays too: in many languages it is an article. Two numbers with a word of shares
between them are one number of its unit: `二十分之三` and `3 in 20` are 15%, and so are three twentieths and `3/20 of`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Context, Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final

from rules.patterns import regex
from rules.records import NamedTuple

BEGINS: Final = r"(?:(?<![a-z0-9])|(?![a-z0-9]))"
ENDS: Final = r"(?:(?![a-z0-9])|(?<![a-z0-9]))"
#: A number as it is written: thousands apart by `,` `'` or a blank, or by `.` where it can be nothing else.
NUMBER: Final = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,30})?"
    r"|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{1,2}"
    r"|[0-9]{1,3}(?:\.[0-9]{3}){2,10}"
    r"|[0-9]{1,3}(?:['’][0-9]{3})+(?:[.,][0-9]{1,2})?"
    r"|[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]{1,2})?"
    r"|[0-9]{1,30}(?:\.[0-9]{1,30}|,[0-9]{1,2})?)(?![0-9])(?![.,'’:/⁄][0-9])"
)
_DIGITS: Final = rf"(?<![a-z0-9_])(?<![0-9][.,'’:/⁄])(?P<digits>{NUMBER})"
_GROUPED = regex(r"[0-9]{1,3}(?:,[0-9]{3})+")
#: `1.200` may be one and a fifth, or twelve hundred: it is this where a number beside it is written so (`12,50`).
_UNCLEAR = regex(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_POINTS_GROUP = regex(r"(?<![0-9.,])[0-9]{1,3}(?:(?:\.[0-9]{3})*,[0-9]{2}|(?:\.[0-9]{3}){2,10})(?![0-9.,])")
_COMMAS_GROUP = regex(r"(?<![0-9.,])[0-9]{1,3},[0-9]{3}(?![0-9])")
_BLANKS: Final = 2
#: A larger whole of a share is a round number.
_SMALL_WHOLE: Final = 100
#: `5-6 in 10` says two of them.
_RANGED = regex(r"[0-9]\s?[-−–—~]\s?$")
#: Units: characters. So far before a share its pattern may begin.
_LONGEST_RANGE: Final = 5
#: `3/4`; behind a whole number it is a piece of one (`2 1/2`).
_SLASHED: Final = (
    r"(?<![0-9a-z/⁄.,:-])(?<![0-9] )(?P<part>[1-9][0-9]?)(?P<mark>[/⁄])(?P<whole>[1-9][0-9]{0,2})"
    r"(?![0-9a-z/⁄]|[.,:][0-9])"
)
#: What is written with it (`¾`) is never a date.
_FRACTION_SLASH: Final = "⁄"
_ROUNDING: Final = Context(prec=4)
_LONGEST: Final = 30
Number = int | Decimal


class Shares(NamedTuple):
    """How many of how many is written, folded.

    Shapes: `between` are the words between the two numbers, and whether the part stands first; `parts` are those behind
    the first that stand for the second (`three quarters`); `3/4` is a share behind a word of `before_slashed` or before
    one of `behind_slashed`, else perhaps a date; the whole is so many `of` a `unit`; `rounded` stands behind a share
    that does not come out even; no share stands before a word of `unlike`, as in `3 in 10 days`.
    """

    between: Mapping[str, bool]
    parts: Mapping[str, Number]
    before_slashed: tuple[str, ...]
    behind_slashed: tuple[str, ...]
    unit: str
    of: Number
    rounded: str
    unlike: tuple[str, ...]


class Words(NamedTuple):
    """The words of numbers, folded.

    Shapes: `numbers` have a value each, `texts` what stands in their place; `points` stand before decimals; `scales`
    multiply; `bounds` may stand inside a number, as in `500多万`; `ranges` are the words between the ends of a range.
    """

    numbers: Mapping[str, Number]
    texts: Mapping[str, str]
    points: frozenset[str]
    scales: Mapping[str, Number]
    bounds: frozenset[str]
    ranges: tuple[str, ...]
    shares: Shares


class Worded(NamedTuple):
    """A number that was written in words: how many, the one of the bounds among them, whether letters touch it."""

    words: int
    bound: str
    is_touched: bool


class InDigits(NamedTuple):
    """A text with its numbers in digits.

    Shapes: `starts` and `ends` have for each character, and for the end, where what begins and what ends there stood
    before; `worded` are the numbers that were written in words, by where they begin; `begin` is where words of numbers
    began before.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    worded: Mapping[int, Worded]
    begin: frozenset[int]


class _Token(NamedTuple):
    start: int
    end: int
    word: str
    number: Number | None


class _Run(NamedTuple):
    """Tokens that make one number. `factor` is what scales alone make of its first word, 0 where more stands in it."""

    start: int
    end: int
    value: Number
    first: Number
    factor: Number
    tokens: int
    bound: str


def exact(number: str, points_group: bool = False) -> Number | None:
    """Return the value of a number as it is written in digits, None where it may be read in two ways."""
    if _UNCLEAR.fullmatch(number):
        return int(number.replace(".", "")) if points_group else None
    bare = re.sub(r"['’ ]", "", number)
    if "," in bare and (bare.rfind(".") > bare.rfind(",") or _GROUPED.fullmatch(bare)):
        bare = bare.replace(",", "")
    elif "," in bare or bare.count(".") > 1:
        bare = bare.replace(".", "").replace(",", ".")
    return int(bare) if "." not in bare else plain(Decimal(bare))


def plain(number: Number) -> Number:
    return int(number) if number == int(number) else number


def any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or "(?!)"


@lru_cache(maxsize=256)
def range_mark(ranges: tuple[str, ...]) -> str:
    """Return the pattern of what stands between the ends of a range: a dash, or one of the words."""
    words = rf"|\s{{0,2}}{BEGINS}(?:{any_of(ranges)}){ENDS}\s{{0,2}}" if ranges else ""
    return rf"(?:\s?[-−–—~]\s?{words})"


def in_digits(whole: str, words: Words) -> InDigits:
    """Return a folded text with its numbers in digits."""
    is_told = _POINTS_GROUP.search(whole) is not None and _COMMAS_GROUP.search(whole) is None
    tokens = _tokens(whole, words, is_told) if is_told or words.numbers or words.texts or words.scales else []
    pieces: dict[int, tuple[int, str, Worded | None]] = {}
    for start, end, text in _slashed(whole, words.shares):
        pieces[start] = (end, text, None)
    mark = re.compile(range_mark(words.ranges))
    last: _Run | None = None
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.word in words.texts:
            pieces[token.start] = (token.end, words.texts[token.word], None)
        run = _run(whole, tokens, at, words)
        if run is None:
            at = _behind(tokens, at)
            continue
        share = _share(whole, last, run, words.shares) if last and words.shares.between else None
        if last and share is not None:
            pieces[last.start] = (run.end, share, None)
            last = None
            at += run.tokens
            continue
        parts = _in_parts(whole, run, words.shares)
        if parts is not None:
            end, text = parts
            pieces[run.start] = (end, text, None)
            last = None
            at = next((nth for nth in range(at, len(tokens)) if tokens[nth].start >= end), len(tokens))
            continue
        is_scaled = run.tokens > 1 and run.factor not in (0, 1)
        if last and last.tokens == 1 and is_scaled and mark.fullmatch(whole, last.end, run.start):  # 3-5 million
            pieces[last.start] = (last.end, _written(last.value * run.factor), None)
        if run.tokens > 1 or (not _is_digits(token) and run.value != 1):
            is_touched = whole[run.start - 1 : run.start].isalnum() or whole[run.end : run.end + 1].isalnum()
            pieces[run.start] = (run.end, _written(run.value), Worded(run.tokens, run.bound, is_touched))
        elif is_told and _UNCLEAR.fullmatch(token.word):
            pieces[run.start] = (run.end, _written(run.value), None)
        last = run
        at += run.tokens
    begin = frozenset(token.start for token in tokens if token.number is not None and not _is_digits(token))
    return _replaced(whole, pieces, begin)


def _share(whole: str, first: _Run, second: _Run, shares: Shares) -> str | None:
    """Return what two numbers are as a share, None where they are none."""
    between, unlike = _share_patterns(tuple(shares.between), shares.unlike)
    found = between.fullmatch(whole, first.end, second.start)
    if found is None or unlike.match(whole, second.end):
        return None
    if _RANGED.search(whole, max(0, first.start - _LONGEST_RANGE), first.start):
        return None
    is_part_first = shares.between[found[1]]
    part, all_of_it = (first.value, second.value) if is_part_first else (second.value, first.value)
    if not all_of_it or (is_part_first and not _is_clear_share(whole, first, part, all_of_it)):
        return None
    return _of_the_whole(part, all_of_it, shares, second.bound)


def _in_parts(whole: str, run: _Run, shares: Shares) -> tuple[int, str] | None:
    """Return where a share such as `three quarters` ends and how it is written, None where the number is none."""
    found = _parts_behind(tuple(shares.parts)).match(whole, run.end) if shares.parts else None
    if found is None or run.value >= shares.parts[found[1]]:
        return None
    return found.end(), _of_the_whole(run.value, shares.parts[found[1]], shares)


def _of_the_whole(part: Number, all_of_it: Number, shares: Shares, bound: str = "") -> str:
    """Return a share as it is written: a number of its unit, with a bound."""
    share = Decimal(part) * shares.of / Decimal(all_of_it)
    rounded = _ROUNDING.plus(share)
    return _written(rounded) + shares.unit + (bound or ("" if rounded == share else shares.rounded))


def _slashed(whole: str, shares: Shares) -> Iterator[tuple[int, int, str]]:
    """Yield where the shares of the form `3/4` begin and end with the words beside them, and how they are written."""
    pattern = _slashed_pattern(shares.before_slashed, shares.behind_slashed)
    for found in pattern.finditer(whole) if shares.before_slashed or shares.behind_slashed else ():
        part, all_of_it = int(found["part"]), int(found["whole"])
        before, behind = found["before"] or "", found["behind"] or ""
        if part < all_of_it and (before or behind or found["mark"] == _FRACTION_SLASH):
            yield found.start(), found.end(), before + _of_the_whole(part, all_of_it, shares) + behind


def _is_clear_share(whole: str, first: _Run, part: Number, all_of_it: Number) -> bool:
    """Say whether `part in all of it` is a share: `3 in 2026` and `$5 in 10` are none."""
    is_money = unicodedata.category(whole[first.start - 1 : first.start] or " ")[0] == "S"
    is_usual = all_of_it <= _SMALL_WHOLE or _step(all_of_it) * 10 > all_of_it
    return part < all_of_it and is_usual and not is_money


@lru_cache(maxsize=256)
def _slashed_pattern(before: tuple[str, ...], behind: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<before>{BEGINS}(?:{any_of(before)})\s?)?{_SLASHED}(?P<behind>\s?(?:{any_of(behind)}){ENDS})?"
    )


@lru_cache(maxsize=256)
def _parts_behind(parts: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"[\s-]{{0,2}}{BEGINS}({any_of(parts)}){ENDS}(?!-)")


@lru_cache(maxsize=256)
def _share_patterns(between: tuple[str, ...], unlike: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    gap = r"[\s-]{0,2}"
    return (
        re.compile(rf"{gap}{BEGINS}({any_of(between)}){ENDS}{gap}"),
        re.compile(rf"{gap}(?:{any_of(unlike)}){ENDS}"),
    )


def _replaced(whole: str, pieces: Mapping[int, tuple[int, str, Worded | None]], begin: frozenset[int]) -> InDigits:
    if not pieces:
        same = range(len(whole) + 1)
        return InDigits(whole, same, same, {}, begin)
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    worded: dict[int, Worded] = {}
    done = 0
    for start, (end, text, written) in sorted(pieces.items()):
        parts.append(whole[done:start])
        starts.extend(range(done, start))
        ends.extend(range(done, start))
        if written is not None:
            worded[len(starts)] = written
        parts.append(text)
        starts.extend([start] * len(text))
        ends.extend([start] + [end] * (len(text) - 1))
        done = end
    parts.append(whole[done:])
    starts.extend(range(done, len(whole) + 1))
    ends.extend(range(done, len(whole) + 1))
    return InDigits("".join(parts), starts, ends, worded, begin)


@lru_cache(maxsize=256)
def _token_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"{_DIGITS}|(?:{BEGINS}|(?<=[0-9]))(?:{any_of(words)}){ENDS}")


def _tokens(whole: str, words: Words, points_group: bool) -> list[_Token]:
    pattern = _token_pattern((*words.numbers, *words.texts, *words.points, *words.scales, *words.bounds))
    found = [
        _Token(
            one.start(),
            one.end(),
            one[0],
            exact(one["digits"], points_group) if one["digits"] else words.numbers.get(one[0]),
        )
        for one in pattern.finditer(whole)
    ]
    return _with_decimals(whole, found, words.points) if any(token.word in words.points for token in found) else found


def _with_decimals(whole: str, tokens: list[_Token], points: frozenset[str]) -> list[_Token]:
    """Return the tokens with those of decimals as one: `二十五点三` is 二十 and 五点三."""
    result: list[_Token] = []
    at = 0
    while at < len(tokens):
        token, point = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else None
        at += 1
        if token.number is not None and not _is_digits(token) and point is not None and point.word in points:
            behind = at + 1
            while (
                behind < len(tokens)
                and _is_decimal(tokens[behind])
                and _beside(whole, *tokens[behind - 1 : behind + 1])
            ):
                behind += 1
            decimals = "".join(str(one.number) for one in tokens[at + 1 : behind])
            if decimals and _beside(whole, token, point):
                number = plain(Decimal(f"{token.number}.{decimals}"))
                token, at = _Token(token.start, tokens[behind - 1].end, token.word, number), behind
        result.append(token)
    return result


def _is_decimal(token: _Token) -> bool:
    return token.number is not None and not _is_digits(token) and token.number in range(10)


def _behind(tokens: list[_Token], at: int) -> int:
    """Return the place behind a token and whatever stands directly beside it."""
    at += 1
    while at < len(tokens) and tokens[at].start == tokens[at - 1].end:
        at += 1
    return at


class _Part(NamedTuple):
    """One of the numbers that are added up. One that is set apart, by a blank or a nought, is no decimal: 三千零五."""

    value: Number
    is_set_apart: bool


class _Growing:
    """A number while its words are read: the sum of parts, each of which fits into the noughts of the one before."""

    def __init__(self, first: Number, words: Words) -> None:
        self._words = words
        self._parts = [_Part(first, is_set_apart=False)]
        self._is_scaled = False
        self.factor: Number = 1
        self.bound = ""
        self.is_behind_nought = False
        self.was_refused_where_it_touches = False

    @property
    def value(self) -> Number:
        return plain(sum((part.value for part in self._parts), start=0))

    @property
    def is_clear(self) -> bool:
        """Whether its words fit in one way: 五六 may be two numbers, 三千五 may be 3005 or 3500."""
        return not self.was_refused_where_it_touches and not any(
            part.value < 10 < _step(above.value) and not part.is_set_apart for above, part in pairwise(self._parts)
        )

    def take(self, token: _Token, before: _Token) -> bool:
        """Take the token behind the one taken before; say whether it belongs to the number."""
        if token.word in self._words.bounds and not self.bound and token.number is None:
            self.bound = token.word
            return True
        if token.word in self._words.scales and not self.is_behind_nought:
            return self._multiply(self._words.scales[token.word])
        if token.number == 0:
            self.is_behind_nought = True
            return True
        return token.number is not None and self._add(token, token.number, before)

    def _multiply(self, scale: Number) -> bool:
        """Multiply the last part, with those before it that are smaller than the scale: 2300 in 两千三百万."""
        if self._is_scaled and self._parts[-1].value >= scale:
            return False
        part = self._parts.pop()
        while self._parts and self._parts[-1].value < scale:
            above = self._parts.pop()
            part = _Part(above.value + part.value, above.is_set_apart)
        self._parts.append(_Part(part.value * scale, part.is_set_apart))
        self._is_scaled = True
        self.factor *= scale
        return True

    def _add(self, token: _Token, number: Number, before: _Token) -> bool:
        """Add a number that fits; digits are added behind a scale alone, and where nothing parts them: `3万500`."""
        is_touching = token.start == before.end
        if _is_digits(token) and not self._is_scaled:
            return False
        if not is_touching and (_is_digits(token) or _is_digits(before)):
            return False
        if number >= _step(self._parts[-1].value):
            self.was_refused_where_it_touches = is_touching
            return False
        self._parts.append(_Part(number, self.is_behind_nought or not is_touching))
        self._is_scaled = self.is_behind_nought = False
        self.factor = 0
        return True


def _run(whole: str, tokens: list[_Token], at: int, words: Words) -> _Run | None:
    """Return the longest number that begins with a token; None where there is none, or its words fit in two ways."""
    first = tokens[at].number
    if first is None or not (first or _is_digits(tokens[at])):
        return None
    number = _Growing(first, words)
    taken = 1
    for before, token in pairwise(tokens[at : at + _LONGEST]):
        if not _beside(whole, before, token) or not number.take(token, before):
            break
        taken += 1
    if number.is_behind_nought:  # nothing came behind it
        taken -= 1
    if not number.is_clear:
        return None
    return _Run(tokens[at].start, tokens[at + taken - 1].end, number.value, first, number.factor, taken, number.bound)


def _beside(whole: str, before: _Token, token: _Token) -> bool:
    gap = whole[before.end : token.start]
    is_hyphen = gap == "-" and not _is_digits(before) and not _is_digits(token)
    return is_hyphen or (len(gap) <= _BLANKS and not gap.strip())


def _is_digits(token: _Token) -> bool:
    return token.word[0].isdecimal()


def _step(number: Number) -> Number:
    """Return the largest power of ten of which a number is a multiple, 0 for nought and what is no whole number."""
    step = 1 if number and number == int(number) else 0
    while step and number % (step * 10) == 0:
        step *= 10
    return step


def _written(number: Number) -> str:
    return format(plain(number), "f")
