"""Full-width marks that a Chinese keyboard leaves where the language wants half-width ones; pure text.

Marks inside ordinary sentences are what the author wants. They are found only inside holes `{{ }}` and `{% %}`, in
bare expressions, and as quotation marks around a name or a hole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rules.patterns import regex
from rules.records import NamedTuple

_OTHERS = {
    "“": '"', "”": '"', "‘": "'", "’": "'", "、": ",", "。": ".", "【": "[", "】": "]",
    "\u3000": " ", "\xa0": " ", "—": "-", "–": "-",
}  # fmt: skip
#: Every full-width character of ASCII (U+FF01 to U+FF5E) and what a keyboard types in place of the rest.
HALF = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | _OTHERS
WIDE_BLANKS = "\u3000\xa0"
_MARK = regex("[" + re.escape("".join(HALF)) + "]")
_BRACKETS = str.maketrans("〔〕〖〗", "[][]")
_HOLE_START = regex("[{｛][{｛%％]")
_HOLE_END = regex("[}｝%％][}｝]")
_PAIRS = {"“": "”“", "”": "”“", "‘": "’‘", "’": "’‘", "＂": "＂", "＇": "＇", '"': '"”“＂', "'": "'’‘＇"}
_OPENING = "“”‘’＂＇"
_NAME = regex(r"[A-Za-z_][\w.-]*", re.ASCII)
#: A name, a number, a version, an address: nothing that a sentence would set between marks of its own, and no
#: pattern with a {name} in it, which may be of such marks.
_WORD = regex(r"[!-z|~]+")
_QUOTED_LIST = regex(r"[“‘＂][^“”‘’＂]*[”’＂](?:\s*[，、]\s*[“‘＂][^“”‘’＂]*[”’＂])+")
_WORTH_A_LOOK = regex("[“”‘’＂＇＃－—–｛｝［：，、\u3000\xa0{]").search
_SUSPECT = regex(
    r"^[“”‘’＂＇＃－｛［]|[｛｝]|[{][{%]|^[A-Za-z_][A-Za-z0-9_.-]*\s*：|^[—–][\s\u3000]|^-[\u3000\xa0]"
    r"|[，、]\s*[A-Za-z_]\w*\s*[:：](?![，、])|^[\u3000\xa0]|^[A-Za-z_][\w.-]*[\u3000\xa0]+$"
    r"|^[A-Za-z0-9_.-]+\s+＃|^[A-Za-z_][\w.-]*[，、][A-Za-z_][\w.，、-]*$"
)


#: Brackets and quotation marks that have no half-width form of their own, with what is meant by them.
_AROUND = {
    "【": "[]", "〔": "[]", "［": "[]", "〖": "[]", "｛": "{}", "「": "", "『": "", "“": "", "‘": "", "《": "",
    "〈": "", "＂": "", "＇": "", "（": "",
}  # fmt: skip
_ENDS = dict(zip("【〔［〖｛「『“‘《〈＂＇（", "】〕］〗｝」』”’》〉＂＇）", strict=True))
_STRUCTURE = regex(r"[\[{]|[A-Za-z_]\w*\s*[:：]")


class Mended(NamedTuple):
    """A text with half-width marks.

    Shapes: `marks` are the marks that were replaced, in order, each once; `names` tells whether quotation marks around
    the whole text were taken away.
    """

    text: str
    marks: tuple[str, ...]
    names: bool = False


def is_suspect(text: str) -> bool:
    """Tell whether anything here needs to look at a scalar; true for few of the texts that hold Chinese."""
    return _WORTH_A_LOOK(text) is not None and _SUSPECT.search(text) is not None


def half(text: str) -> str:
    """Return a text with every full-width mark replaced."""
    return _MARK.sub(lambda mark: HALF[mark[0]], text)


def describe(marks: Iterable[str]) -> str:
    """Return the marks with their half-width forms, for a message: `：` → `:`."""
    return ", ".join(f"{_shown(mark)} → {_shown(HALF.get(mark) or mark.translate(_BRACKETS))}" for mark in marks)


def mend_value(text: str, *, bare: bool = False, name: bool = False, plain: bool = False) -> Mended | None:
    """Return a value with the marks replaced that cannot be meant; None where nothing is wrong.

    Shapes: `bare` says that the whole text is an expression, `name` that it is a key, `plain` that no quotation marks
    stand around it.
    """
    if not _MARK.search(text):
        return None
    marks: list[str] = []
    if plain and text[-1] in WIDE_BLANKS and _NAME.fullmatch(word := text.rstrip(WIDE_BLANKS)):
        return Mended(word, (text[-1],))
    inner, names = _without_quotes(text, marks, name=name, plain=plain)
    inner = _expression(inner, marks) if bare else _holes(inner, marks)
    return Mended(inner, tuple(dict.fromkeys(marks)), names) if marks else None


def mend_list(text: str) -> Mended | None:
    """Return the items of a flow list that full-width commas keep together; None where it may be a sentence."""
    names = re.fullmatch(r"[A-Za-z_][\w.-]*(?:\s*[，、]\s*[A-Za-z_][\w.-]*)+", text, re.ASCII)
    if names:
        return Mended(re.sub(r"\s*[，、]\s*", ", ", text), tuple(dict.fromkeys(re.findall("[，、]", text))))
    if _QUOTED_LIST.fullmatch(text):
        parts = [part.strip()[1:-1] for part in re.split("(?<=[”’＂])\\s*[，、]\\s*(?=[“‘＂])", text)]
        if any('"' in part or "\\" in part for part in parts):
            return None
        marks = tuple(dict.fromkeys(re.findall("[“”‘’＂，、]", text)))
        return Mended(", ".join(f'"{part}"' for part in parts), marks)
    return None


def unwrapped(text: str) -> tuple[str, str] | None:
    """Return what is meant by the full-width marks around a whole text (`[]`, `{}`, or '' for a quotation), and the
    text between them; None for any other text.
    """
    if len(text) < 2 or text[0] not in _AROUND or text[-1] != _ENDS[text[0]]:
        return None
    inner = text[1:-1]
    return None if text[0] in inner or text[-1] in inner else (_AROUND[text[0]], inner.strip())


def half_list(text: str) -> str | None:
    """Return `【a，b】` as `[a, b]`; None for a text that is not between brackets."""
    found = unwrapped(text)
    if found is None or found[0] != "[]":
        return None
    return f"[{re.sub(r'[ ]*[，、,][ ]*', ', ', found[1])}]"


def mend_structure(text: str) -> Mended | None:
    """Return a list or mapping between full-width brackets, `【{to：X，when：y}】`, as it was meant; None for a text.

    What stands between quotation marks inside stays as it is.
    """
    if len(text) < 2 or text[0] not in "｛【〔［〖" or text[-1] != _ENDS[text[0]]:
        return None
    if not _STRUCTURE.search(text[1:-1]) and text[0] != "［":
        return None
    marks: list[str] = []
    plain = _expression(text.translate(_BRACKETS), marks)
    seen = [mark for mark in text if ord(mark) in _BRACKETS]
    return Mended(re.sub(r"([:,])(?=[^\s/])", r"\1 ", plain), tuple(dict.fromkeys([*seen, *marks])))


def _without_quotes(text: str, marks: list[str], *, name: bool, plain: bool) -> tuple[str, bool]:
    if len(text) < 3 or text[0] not in _OPENING or text[-1] not in _PAIRS[text[0]]:
        return text, False
    inner = text[1:-1]
    if any(mark in inner for mark in _PAIRS[text[0]]):
        return text, False
    if not (name or (_WORD if plain else _NAME).fullmatch(inner) or _HOLE_START.search(inner)):
        return text, False
    marks += [text[0], text[-1]]
    return inner, True


def _holes(text: str, marks: list[str]) -> str:
    """Return a text whose holes hold no full-width marks outside quotation marks."""
    parts: list[str] = []
    at = 0
    while start := _HOLE_START.search(text, at):
        end = _HOLE_END.search(text, start.end())
        if end is None:
            break
        parts.append(text[at : start.start()])
        for piece in (start[0], None, end[0]):
            if piece is None:
                parts.append(_expression(text[start.end() : end.start()], marks))
            else:
                marks += [mark for mark in piece if mark in HALF]
                parts.append(half(piece))
        at = end.end()
    return "".join(parts) + text[at:]


def _expression(text: str, marks: list[str]) -> str:
    """Return an expression with half-width marks; what stands between its quotation marks is data and stays."""
    parts: list[str] = []
    at = 0
    while at < len(text):
        mark = text[at]
        closing = _closing(text, at) if mark in _PAIRS else None
        if closing is not None:
            delimiters = [text[at], text[closing]]
            marks += [one for one in delimiters if one in HALF]
            inner = text[at + 1 : closing]
            quote = HALF.get(mark, mark)
            if quote in inner:
                quote = "'" if quote == '"' else '"'
            parts += [quote, inner, quote]
            at = closing + 1
            continue
        if mark in HALF:
            marks.append(mark)
        parts.append(HALF.get(mark, mark))
        at += 1
    return "".join(parts)


def _closing(text: str, at: int) -> int | None:
    """Return where the quotation that opens at `at` closes: its own mark first, else one from the other keyboard."""
    own = text[at] if text[at] in "\"'" else ""
    if own and (found := text.find(own, at + 1)) >= 0:
        return found
    places = [found for mark in _PAIRS[text[at]] if (found := text.find(mark, at + 1)) >= 0]
    return min(places, default=None)


def _shown(mark: str) -> str:
    return {" ": "␣", "\u3000": "U+3000", "\xa0": "U+00A0"}.get(mark, mark)
