"""Functions that find phrases of a list in a text, and tell what is left of it, how much of it agrees, what it counts.

All word lists come from the caller; nothing here knows a language. Case and width do not count. A phrase that begins or
ends with a letter or digit of Latin script stands only as a whole word there: `now` is not found in `know`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from rules.expr.functions.quantities import QUANTITIES
from rules.expr.functions.written_numbers import BEGINS, ENDS
from rules.expr.signatures import Function, describe
from rules.folding import folded, folded_with_origins
from rules.look_alikes import mixed_words
from rules.patterns import regex
from rules.records import NamedTuple
from rules.values import ABSENT, CannotEvaluate, Value

_BLANKS = regex(r"\s+")
_HOLE = regex(r"\{(\w+)\}")
_PIECE = regex(r"[A-Za-z0-9](?:[A-Za-z0-9.+#%_@&-]|['’](?=[A-Za-z])|(?<=[0-9])/(?=[0-9]))*|[^\W_A-Za-z0-9]+")
_TRAILING: Final = ".-&@_"
_SENTENCE = regex(r"[^\n。！？!?；;]*?(?:[。！？!?；;]+[”’」』）)\"']*|\.(?=\s|$)|(?=\n)|$)")


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


def coverage(text: str, words: list[str], apart: Value = ABSENT) -> int:
    """Return how many in a hundred of the words stand in a text; words without Latin letters count by their pairs.

    Shapes: with `apart` by their characters that stand in one of these pairs, since what is written without blanks may
    be several words.
    """
    whole = folded(text)
    if apart is True:
        return _covered_apart(whole, [folded(word).strip() for word in words])
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
    entries = tuple(choices) if isinstance(choices, (list, dict)) else ()
    if not entries or not all(isinstance(entry, str) and entry.strip() for entry in entries):
        raise CannotEvaluate("bad-hole", {"name": name})
    return _longest_first(entries)


@lru_cache(maxsize=1024)
def _longest_first(entries: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(entries, key=len, reverse=True))


class _Expression(NamedTuple):
    """Shapes: `expression` is compiled where all `pieces` stand in a text; of the pattern `written` with holes `names`
    has what each group is of, of patterns without (then `written` is '') the pattern of what was found.
    """

    expression: str
    names: dict[str, str]
    written: str
    pieces: tuple[str, ...]


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
        pieces = tuple(piece for part in parts[::2] for piece in folded(part).split())
        result.append(_Expression(BEGINS + written + ENDS, holes, pattern, pieces))
    if plain:
        listed = "|".join(_literal(word) for word in sorted(plain, key=len, reverse=True))
        # A look at the first character spares most places the way through hundreds of alternatives.
        firsts = re.escape("".join(sorted({word[:1] for word in plain})))
        result.append(_Expression(f"(?=[{firsts}]){BEGINS}(?:{listed}){ENDS}", plain, "", ()))
    return tuple(result)


@lru_cache(maxsize=1024)
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


def _literal(text: str) -> str:
    return r"\s+".join(re.escape(part) for part in _BLANKS.split(text))


def _all(expression: _Expression, whole: str) -> Iterator[_Found]:
    if not all(piece in whole for piece in expression.pieces):
        return
    names, written = expression.names, expression.written
    for match in _compiled(expression.expression).finditer(whole):
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


def _covered_apart(whole: str, words: list[str]) -> int:
    covered = [
        is_covered for word in words for run in _PIECE.findall(word) for is_covered in _characters_of(run, whole)
    ]
    return sum(covered) * 100 // len(covered) if covered else 0


def _characters_of(run: str, whole: str) -> list[bool]:
    """Return for each character of a run whether it stands in a text beside one of its neighbours."""
    if run[0].isascii() or len(run) == 1:
        return [_stands_in(run.rstrip(_TRAILING) or run, whole)] * len(run)
    pairs = [run[place : place + 2] in whole for place in range(len(run) - 1)]
    return [before or behind for before, behind in zip([False, *pairs], [*pairs, False], strict=True)]


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
        "text | coverage(words: texts, apart?: boolean) -> whole",
        coverage,
        "这些词有百分之几出现在文本中；中文词按相邻两字计算；apart 为 true 时按其中出现的字计算，"
        "连写的几个词可以分处各处",
        "how many in a hundred of the words stand in it; Chinese words count by their pairs of characters; with apart "
        "by the characters that stand in one of these pairs, so that words written without blanks may stand apart",
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
    *QUANTITIES,
)
