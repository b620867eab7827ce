"""Functions that look for words in texts, without regard to case and width; an empty word occurs nowhere.

There are no regular expressions on data. A pattern is a text with holes, `据{name}报道`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.expr.signatures import Function, describe
from rules.folding import UNSEEN, folded, folded_with_origins
from rules.patterns import regex
from rules.values import ABSENT, CannotEvaluate, Value
from rules.words import terms_of

_HASHTAG = regex(r"[#＃]([\w/-]{1,100})")
_PATTERN_HOLE = regex(r"\{(\w+)\}")
_HOLE_CHARACTERS: Final = 60
_ENDS_HOLE = regex(r"[\s。！？；，、：,.;:!?()（）【】「」“”\"']")


def contains(text: str, word: str) -> bool:
    return contains_any(text, [word])


def contains_any(text: str, words: list[str]) -> bool:
    whole = folded(text)
    return any(word in whole for word in map(folded, words) if word != "")


def count_near(text: str, words: list[str], characters: int) -> int:
    """Return how many different words begin within so many characters of each other, at the best place."""
    whole = folded(text)
    wanted = sorted({folded(word) for word in words} - {""})
    places = sorted((at, word) for word in wanted for at in _occurrences(whole, word))
    best = start = 0
    inside: dict[str, int] = {}
    for at, word in places:
        inside[word] = inside.get(word, 0) + 1
        while at - places[start][0] > characters:
            left = places[start][1]
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            start += 1
        best = max(best, len(inside))
    return best


def _occurrences(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def excerpts(text: str, words: list[str], characters: int) -> list[str]:
    """Return parts of a text, letter for letter, each around a place where a word stands; they do not overlap."""
    if characters < 1:
        raise CannotEvaluate("too-small", {"function": "excerpts", "number": characters, "at_least": 1})
    whole, origins = folded_with_origins(text)
    wanted = {folded(word) for word in words} - {""}
    places = sorted(
        (origins[at], origins[at + len(word) - 1] + 1) for word in wanted for at in _occurrences(whole, word)
    )
    result: list[str] = []
    done = 0
    for start, end in places:
        if start < done:
            continue
        room = max(0, characters - (end - start))
        begin = max(done, start - room // 2)
        finish = min(len(text), begin + characters)
        begin = max(done, min(begin, finish - characters))
        result.append(text[begin:finish].strip())
        done = finish
    return result


def where_text(texts: list[str], part: Value, words: Value, beginning: Value) -> list[str]:
    return [text for text in texts if _agrees(text, part, words, beginning)]


def any_text(texts: list[str], part: Value, words: Value, beginning: Value) -> bool:
    return any(_agrees(text, part, words, beginning) for text in texts)


def _agrees(text: str, part: Value, words: Value, beginning: Value) -> bool:
    return (
        (part is ABSENT or contains(text, part))
        and (words is ABSENT or contains_any(text, words))
        and (beginning is ABSENT or text.startswith(beginning))
    )


def hashtags(text: str) -> list[str]:
    return list(dict.fromkeys(match[1] for match in _HASHTAG.finditer(UNSEEN.sub("", text))))


def terms(text: str) -> list[str]:
    return list(dict.fromkeys(terms_of(folded(text))))


def extract(text: str, patterns: list[str]) -> list[dict[str, str]]:
    """Return what stands in the holes of patterns such as `据{name}报道`, in the order of the text, each once."""
    found = [place for pattern in patterns for place in _matches(text, _PATTERN_HOLE.split(pattern), pattern)]
    found.sort(key=lambda place: place[0])
    result: list[dict[str, str]] = []
    for _, holes in found:
        if holes not in result:
            result.append(holes)
    return result


def _matches(text: str, parts: list[str], pattern: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the places of one pattern. A hole ends where the words after it first stand: nothing is tried twice."""
    if len(parts) < 3 or not parts[0] or any(not words for words in parts[2:-1:2]):
        raise CannotEvaluate("bad-pattern", {"pattern": pattern})
    at = text.find(parts[0])
    while at >= 0:
        place = at + len(parts[0])
        holes: dict[str, str] | None = {}
        for name, words in zip(parts[1::2], parts[2::2], strict=True):
            end = _end_of_hole(text, place, words)
            if end is None or not text[place:end].strip():
                holes = None
                break
            assert holes is not None
            holes[name] = text[place:end].strip()
            place = end + len(words)
        if holes is not None:
            yield at, holes
        at = text.find(parts[0], at + 1)


def _end_of_hole(text: str, start: int, words: str) -> int | None:
    limit = start + _HOLE_CHARACTERS
    if words:
        end = text.find(words, start, limit + len(words))
        return end if end >= 0 else None
    match = _ENDS_HOLE.search(text, start, limit)
    return match.start() if match is not None else min(limit, len(text))


_PARTS: Final = "contains?: text, contains_any?: texts, starts_with?: text"

SEARCH: Final[tuple[Function, ...]] = (
    describe(
        "text | contains(word: text) -> boolean",
        contains,
        "是否含有该词，不分大小写和全角半角",
        "whether the word stands in it, without regard to case and width",
        "'ＡＢＣ报告' | contains('abc') -> true",
    ),
    describe(
        "text | contains_any(words: texts) -> boolean",
        contains_any,
        "是否含有其中任意一个词，不分大小写和全角半角",
        "whether one of the words stands in it, without regard to case and width",
        "'年度预算' | contains_any(['预算', 'budget']) -> true",
    ),
    describe(
        "text | count_near(words: texts, characters: whole) -> whole",
        count_near,
        "相距不超过 characters 个字符的不同的词最多有几个",
        "how many different words begin within so many characters of each other, at most",
        "'预算和采购' | count_near(['预算', '采购'], 5) -> 2",
    ),
    describe(
        "text | excerpts(words: texts, characters: whole) -> texts",
        excerpts,
        "含有这些词的片段，逐字摘录，互不重叠，每段不超过 characters 个字符",
        "parts around the words, letter for letter, none longer than so many characters, none overlapping",
        "'aaaa budget bbbb' | excerpts(['budget'], 8) -> ['budget']",
    ),
    describe(
        f"texts | where_text({_PARTS}) -> texts",
        where_text,
        "满足条件的文本",
        "the texts that agree with the conditions",
        "['a.md', 'b.txt'] | where_text(contains='.md') -> ['a.md']",
    ),
    describe(
        f"texts | any_text({_PARTS}) -> boolean",
        any_text,
        "至少有一个文本满足条件",
        "whether at least one text agrees",
        "['new:1'] | any_text(starts_with='new:') -> true",
    ),
    describe(
        "text | terms -> texts",
        terms,
        "文本中不同的词：字母和数字的词，以及相邻两个汉字；不分大小写和全角半角",
        "its different words: runs of letters and digits, and pairs of Chinese characters, without regard to case and "
        "width",
        "'AI 数据治理' | terms -> ['ai', '数据', '据治', '治理']",
    ),
    describe(
        "text | hashtags -> texts",
        hashtags,
        "文本中的 #标签，不含 #",
        "the #tags in a text, without the #",
        "'#预算 2024 #plan' | hashtags -> ['预算', 'plan']",
    ),
    describe(
        "text | extract(patterns: texts) -> records",
        extract,
        "按“据{name}报道”这样的模式取出各处的内容；每处至多 60 个字符",
        "what stands in the holes of patterns such as 据{name}报道; at most 60 characters each",
        "'据新华社报道' | extract(['据{name}报道']) -> [{'name': '新华社'}]",
    ),
)
