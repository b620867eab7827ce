"""Functions that find phrases of a list in a text, and tell what is left of it, how much of it agrees, what it counts.

All word lists come from the caller; nothing here knows a language. Case and width do not count. A phrase that begins or
ends with a letter or digit of Latin script stands only as a whole word there: `now` is not found in `know`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from rules.expr.functions.search import folded, folded_with_origins
from rules.expr.signatures import KINDS, Function, describe, refuse
from rules.look_alikes import mixed_words
from rules.patterns import regex
from rules.values import ABSENT, CannotEvaluate, Value

_BLANKS = regex(r"\s+")
_HOLE = regex(r"\{(\w+)\}")
_BEGINS: Final = r"(?:(?<![a-z0-9])|(?![a-z0-9]))"
_ENDS: Final = r"(?:(?![a-z0-9])|(?<![a-z0-9]))"
_PIECE = regex(r"[A-Za-z0-9](?:[A-Za-z0-9.+#%_@&-]|['’](?=[A-Za-z]))*|[^\W_A-Za-z0-9]+")
_TRAILING: Final = ".-&@_"
_SENTENCE = regex(r"[^\n。！？!?；;]*?(?:[。！？!?；;]+[”’」』）)\"']*|\.(?=\s|$)|(?=\n)|$)")
#: A number as it is written: thousands apart by `,` `'` or a blank, or by `.` where it can be nothing else.
_NUMBER: Final = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,30})?"
    r"|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{1,2}"
    r"|[0-9]{1,3}(?:\.[0-9]{3}){2,10}"
    r"|[0-9]{1,3}(?:['’][0-9]{3})+(?:[.,][0-9]{1,2})?"
    r"|[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]{1,2})?"
    r"|[0-9]{1,30}(?:\.[0-9]{1,30}|,[0-9]{1,2})?)(?![0-9])(?![.,'’:/][0-9])"
)
_GROUPED = regex(r"[0-9]{1,3}(?:,[0-9]{3})+")
#: `1.200` may be one and a fifth, or twelve hundred.
_UNCLEAR = regex(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_LOWER = regex(rf"(?<![\w.,'’:/−-])({_NUMBER})[-−]$")
_HIGHER = regex(rf"[-−]({_NUMBER})")
#: `EUR 1 20`: what stands behind the blank may be of the same number.
_GOES_ON = regex(r" [0-9]{1,2}(?![0-9])")
_MINUS: Final = "-−"
_MOST_BEFORE: Final = 80


class _Found(NamedTuple):
    start: int
    end: int
    pattern: str
    words: dict[str, str]


def phrases(text: str, patterns: list[str], words: Value) -> list[dict[str, Value]]:
    """Return the phrases that stand in a text, from left to right, the longest at each place, none overlapping.

    Shapes: `{phrase, pattern, words}`: what stands there, the pattern, and what stands in its holes.
    """
    whole = folded(text)
    return [
        {"phrase": whole[one.start : one.end], "pattern": one.pattern, "words": dict(one.words)}
        for one in _find(whole, patterns, {} if words is ABSENT else words)
    ]


def remaining(text: str, without: list[str]) -> list[str]:
    """Return what remains of a text without some phrases, blanks and punctuation, each piece once."""
    whole, origins = folded_with_origins(text)
    rest = list(whole)
    for one in _find(whole, without, {}):
        rest[one.start : one.end] = " " * (one.end - one.start)
    left = "".join(rest)
    found: list[str] = []
    for piece in _PIECE.finditer(left):
        length = len(piece[0].rstrip(_TRAILING))
        if length:
            found.append(text[origins[piece.start()] : origins[piece.start() + length - 1] + 1])
    return list(dict.fromkeys(found))


def coverage(text: str, words: list[str]) -> int:
    """Return how many in a hundred of the words stand in a text; words without Latin letters count by their pairs."""
    whole = folded(text)
    pieces = [piece for word in words for piece in _pieces_of(folded(word).strip())]
    if not pieces:
        return 0
    return sum(_stands_in(piece, whole) for piece in pieces) * 100 // len(pieces)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, letter for letter, each with the mark that ends it."""
    return [found for one in _SENTENCE.finditer(text) if (found := one[0].strip())]


def lines(text: str) -> list[str]:
    """Return the lines of a text that hold more than blanks, letter for letter."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def quantities(text: str, units: list[str], scales: Value = ABSENT, names: Value = ABSENT) -> list[dict[str, Value]]:
    """Return the numbers of a text that have one of the units behind or before them, each once.

    A sign directly before counts, a hyphen between two numbers that rise is a range. A piece of something longer, as of
    a date, is no number, and what may be read in two ways (`1.200`) gives nothing.
    Shapes: `scales` has how often a word behind a number multiplies it, `names` the unit that a written one stands for;
    `{number, unit, phrase}`: the unit folded, so that it can be compared, '' where a scale alone stands behind the
    number; the phrase letter for letter. The same words twice are one entry.
    """
    whole, origins = folded_with_origins(text)
    times = _times(scales)
    named = {} if names is ABSENT else {folded(written): str(name) for written, name in names.items()}
    found: dict[tuple[int | Decimal, str, str], str] = {}
    for amount in _quantities(_written(units), _written(times), whole):
        after = origins[amount.end] if amount.end < len(whole) else len(text)
        number = amount.number * times[amount.scale] if amount.scale else amount.number
        key = (_plain(number), named.get(amount.unit, amount.unit), whole[amount.start : amount.end])
        found.setdefault(key, text[origins[amount.start] : after])
    return [{"number": number, "unit": unit, "phrase": phrase} for (number, unit, _), phrase in found.items()]


# --- phrases ----------------------------------------------------------------------------------------------------------


def _find(whole: str, patterns: Sequence[str], words: Mapping[str, Value]) -> list[_Found]:
    holes = tuple(sorted((name, _choices(name, choices)) for name, choices in words.items()))
    found = [one for expression in _expressions(tuple(patterns), holes) for one in _all(expression, whole)]
    found.sort(key=lambda one: (one.start, -one.end))
    result: list[_Found] = []
    for one in found:
        if not result or one.start >= result[-1].end:
            result.append(one)
    return result


def _choices(name: str, choices: Value) -> tuple[str, ...]:
    """Return what may stand in a hole: the texts of a list, or the keys of a mapping."""
    entries = list(choices) if isinstance(choices, (list, dict)) else []
    if not entries or not all(isinstance(entry, str) and entry.strip() for entry in entries):
        raise CannotEvaluate("bad-hole", {"name": name})
    return tuple(sorted(entries, key=len, reverse=True))


_Expression = tuple[re.Pattern[str], dict[str, str], str]


@lru_cache(maxsize=256)
def _expressions(patterns: tuple[str, ...], words: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[_Expression, ...]:
    """Return one expression for all patterns without holes, and one for each with holes; blank ones find nothing."""
    choices = dict(words)
    plain: dict[str, str] = {}
    result: list[_Expression] = []
    for pattern in filter(str.strip, patterns):
        parts = _HOLE.split(pattern)
        if len(parts) == 1:
            plain.setdefault(" ".join(folded(pattern).split()), pattern)
            continue
        written = ""
        holes: dict[str, str] = {}
        for number, part in enumerate(parts):
            if number % 2 == 0:
                written += _literal(folded(part))
            elif part not in choices or part in holes.values():
                raise CannotEvaluate("bad-hole", {"name": part})
            else:
                holes[f"h{number}"] = part
                # A blank may stand between a hole and the words around it, as in `2026 年 12 月`.
                before, behind = (r"\s?" if near.strip() else "" for near in (parts[number - 1], parts[number + 1]))
                choice = "|".join(_literal(folded(word)) for word in choices[part])
                written += f"{before}(?P<h{number}>{choice}){behind}"
        result.append((re.compile(_BEGINS + written + _ENDS), holes, pattern))
    if plain:
        listed = "|".join(_literal(word) for word in sorted(plain, key=len, reverse=True))
        # A look at the first character spares most places the way through hundreds of alternatives.
        firsts = re.escape("".join(sorted({word[:1] for word in plain})))
        result.append((re.compile(f"(?=[{firsts}]){_BEGINS}(?:{listed}){_ENDS}"), plain, ""))
    return tuple(result)


def _literal(text: str) -> str:
    return r"\s+".join(re.escape(part) for part in _BLANKS.split(text))


def _all(expression: _Expression, whole: str) -> Iterator[_Found]:
    pattern, names, written = expression
    for match in pattern.finditer(whole):
        if not written:
            yield _Found(match.start(), match.end(), names[" ".join(match[0].split())], {})
        else:
            yield _Found(match.start(), match.end(), written, {name: match[hole] for hole, name in names.items()})


# --- agreement --------------------------------------------------------------------------------------------------------


def _pieces_of(word: str) -> list[str]:
    result: list[str] = []
    for piece in _PIECE.findall(word):
        if piece[0].isascii() or len(piece) == 1:
            result.append(piece.rstrip(_TRAILING) or piece)
        else:
            result.extend(piece[place : place + 2] for place in range(len(piece) - 1))
    return result


def _stands_in(piece: str, whole: str) -> bool:
    if not piece[0].isascii():
        return piece in whole
    at = whole.find(piece)
    while at >= 0:
        end = at + len(piece)
        before, behind = whole[at - 1 : at], whole[end : end + 1]
        if not _is_latin(before) and not (_is_latin(behind) and _is_latin(piece[-1])):
            return True
        at = whole.find(piece, at + 1)
    return False


def _is_latin(mark: str) -> bool:
    return mark.isascii() and mark.isalnum()


class _Units(NamedTuple):
    """Shapes: `behind` and `before` find a number with a unit there, `scaled` one with a scale alone, `ends` an amount
    at the end of a text.
    """

    behind: re.Pattern[str]
    before: re.Pattern[str]
    scaled: re.Pattern[str] | None
    ends: re.Pattern[str]


class _Amount(NamedTuple):
    """A number as it is written, before its scale multiplies it, and where its phrase stands in the folded text."""

    number: int | Decimal
    unit: str
    scale: str
    start: int
    end: int


def _written(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(folded(one) for one in words if one.strip()))


def _times(scales: Value) -> dict[str, int | Decimal]:
    result: dict[str, int | Decimal] = {}
    for word, number in ({} if scales is ABSENT else scales).items():
        if type(number) not in KINDS["number"]:
            refuse("quantities", "scales", ("number",), number, of_list=True)
        result[folded(word)] = number
    return result


def _any_of(words: tuple[str, ...]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


@lru_cache(maxsize=256)
def _quantity_patterns(units: tuple[str, ...], scales: tuple[str, ...]) -> _Units:
    listed = _any_of(units)
    scale = rf"(?:\s{{0,2}}(?P<scale>{_any_of(scales)}){_ENDS})" if scales else "(?P<scale>(?!))"
    number = rf"(?<![a-z0-9_])(?P<number>{_NUMBER})"
    behind = rf"{number}{scale}?\s{{0,2}}(?P<unit>{listed}){_ENDS}"
    before = rf"{_BEGINS}(?P<unit>{listed})\s{{0,2}}(?P<sign>[-−]?)(?P<number>{_NUMBER}){scale}?(?![a-z])"
    scaled = re.compile(rf"{number}{scale}(?P<unit>)") if scales else None
    scaled_unit = rf"\s{{0,2}}(?:{_any_of(scales)})(?:\s{{0,2}}(?:{listed}))?|" if scales else ""
    ends = re.compile(rf"[0-9](?:{scaled_unit}\s{{0,2}}(?:{listed}))$")
    return _Units(re.compile(behind), re.compile(before), scaled, ends)


def _quantities(units: tuple[str, ...], scales: tuple[str, ...], whole: str) -> list[_Amount]:
    if not units:
        return []
    patterns = _quantity_patterns(units, scales)
    found: dict[int, _Amount] = {}
    alone = patterns.scaled.finditer(whole) if patterns.scaled else ()
    for one in (*alone, *patterns.before.finditer(whole), *patterns.behind.finditer(whole)):
        number = _exact(one["number"])
        begins = _begins(whole, one, number, patterns.ends) if number is not None else None
        if number is not None and begins is not None:
            is_negative = begins < one.start() or bool(one.groupdict().get("sign"))
            amount = _Amount(-number if is_negative else number, one["unit"], one["scale"] or "", begins, one.end())
            found[one.start("number")] = amount
    return [amount for _, amount in sorted(found.items())]


def _begins(whole: str, one: re.Match[str], number: int | Decimal, ends: re.Pattern[str]) -> int | None:
    """Return where an amount begins, with its sign; None where its number is a piece of something longer."""
    start = one.start()
    higher = _HIGHER.match(whole, one.end("number"))
    if one.start("number") > one.start("unit"):
        is_cut = len(one["number"]) <= 3 and _GOES_ON.match(whole, one.end("number")) is not None
        if is_cut or (higher is not None and not _is_range(number, higher[1])):
            return None
    before = whole[max(0, start - _MOST_BEFORE) : start]
    if not before:
        return start
    if before[-1] not in _MINUS:
        is_piece = before[-1] in ".,'’:/" and before[-2:-1].isdigit()
        return None if is_piece else start
    lower, left = _LOWER.search(before), before[:-1]
    if lower is not None:
        least = _exact(lower[1])
        return start if least is not None and _is_range(least, one["number"]) else None
    if ends.search(left):
        return start  # 3 EUR-5 EUR
    return None if left[-1:].isalnum() or left[-1:] in (*_MINUS, "_") else start - 1


def _is_range(lower: int | Decimal, upper: str) -> bool:
    """Say whether two numbers with a hyphen between them are a range: what goes down, or `09`, is of a date."""
    highest = _exact(upper)
    return highest is not None and lower < highest and not (upper[0] == "0" and upper[1:2].isdigit())


def _exact(number: str) -> int | Decimal | None:
    """Return the value of a number as it is written, None where it may be read in two ways."""
    if _UNCLEAR.fullmatch(number):
        return None
    plain = re.sub(r"['’ ]", "", number)
    if "," in plain and (plain.rfind(".") > plain.rfind(",") or _GROUPED.fullmatch(plain)):
        plain = plain.replace(",", "")
    elif "," in plain or plain.count(".") > 1:
        plain = plain.replace(".", "").replace(",", ".")
    return int(plain) if "." not in plain else _plain(Decimal(plain))


def _plain(number: int | Decimal) -> int | Decimal:
    return int(number) if number == int(number) else number


PHRASES: Final[tuple[Function, ...]] = (
    describe(
        "text | phrases(patterns: texts, words?: mapping) -> records",
        phrases,
        "文本中出现的短语：从左到右，同一处取最长，互不重叠；{名称} 处可以是 words 中该名称的任意一个词；"
        "字母和数字按整词",
        "the phrases that stand in it, from left to right, the longest at each place, none overlapping; {name} is any "
        "word of words[name]; letters and digits as whole words only",
        "'近三天的预算' | phrases(['近{n}天', '近'], {'n': ['两', '三']}) -> "
        "[{'phrase': '近三天', 'pattern': '近{n}天', 'words': {'n': '三'}}]",
    ),
    describe(
        "text | remaining(without: texts) -> texts",
        remaining,
        "去掉这些短语、空白和标点之后剩下的词，重复的只留一次",
        "the words that remain without these phrases, blanks and punctuation, each once",
        "'请问 Q3预算定了吗？' | remaining(['请问', '定了吗']) -> ['Q3', '预算']",
    ),
    describe(
        "text | coverage(words: texts) -> whole",
        coverage,
        "这些词有百分之几出现在文本中；中文词按相邻两字计算",
        "how many in a hundred of the words stand in it; Chinese words count by their pairs of characters",
        "'年度预算已定' | coverage(['预算', 'plan']) -> 50",
    ),
    describe(
        "text | sentences -> texts",
        sentences,
        "文本的各个句子，逐字，含句末标点",
        "its sentences, letter for letter, each with the mark that ends it",
        "'预算已定。采购呢？' | sentences -> ['预算已定。', '采购呢？']",
    ),
    describe(
        "text | lines -> texts",
        lines,
        "文本的各行，逐字，空行略去",
        "its lines, letter for letter, without blank ones",
        "'a\\n\\n b' | lines -> ['a', 'b']",
    ),
    describe(
        "text | mixed_words -> texts",
        mixed_words,
        "文本中不是看上去那样写成的词，各一次：混有形近的他种字母（n 后面是西里尔字母 о），或在拉丁字母的文本中全用他种"
        "形近字母；希腊字母作符号（TNFα、μm）不算",
        "the words in it that are not written with the letters that they seem to be, each once: with letters of two "
        "alphabets (n and a Cyrillic о), or in a Latin text with nothing but letters of another one that look Latin; "
        "Greek letters as signs (TNFα, μm) are none",
        "'It was nоt sold' | mixed_words -> ['nоt']",
    ),
    describe(
        "text | quantities(units: texts, scales?: mapping, names?: mapping) -> records",
        quantities,
        "文本中带有这些单位（在前或在后）的数，写法相同的只留一次；保留紧挨着的负号；认得 1,200.50、1'200、1 200、"
        "1.200,50 和 12,50；两可的（1.200）和日期里的数不算；unit 一律小写，phrase 是原文；"
        "scales 是数后面的倍数词（万、million），旁边没有单位的数 unit 为空；names 把单位的不同写法归为一个名称",
        "the numbers in it that have one of these units behind or before them, the same words once; a minus directly "
        "before counts; 1,200.50, 1'200, 1 200, 1.200,50 and 12,50 are read; what may be read in two ways (1.200), or "
        "is a piece of a date, is left out; the unit in small letters, the phrase letter for letter; scales has what a "
        "word behind the number multiplies it by (million), the unit is empty where none stands beside it; names has "
        "the one name for each way to write a unit",
        "'共 1,200 USD' | quantities(['USD', '元']) -> [{'number': 1200, 'unit': 'usd', 'phrase': '1,200 USD'}]",
    ),
)
