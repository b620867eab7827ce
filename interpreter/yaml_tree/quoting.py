"""Values that YAML does not read as they were typed: what was meant, and whether that is certain; pure text.

A mark of punctuation in a sentence is certain: quotation marks around the whole keep every character. Where the value
may as well hold a key that lacks its comma, or marks that are no part of the text, its author is asked.
"""

from __future__ import annotations

import re

from interpreter.diagnostics import Words
from interpreter.yaml_tree.full_width import HALF, describe, unwrapped
from rules.patterns import regex
from rules.records import NamedTuple

_BAD_START = "[]{}\"'!&*%@`|>,#"
_LONGEST_SHOWN = 60
#: Holes and tags, in one group so that a text is split into what is between them and what they are.
_EXPRESSIONS = regex(r"(\{\{.*?\}\}|\{%.*?%\})")
#: What may stand behind and before a text in an expression.
_BEHIND_TEXT, _BEFORE_TEXT = " \t)]},=!<>+-*/|.[:%~", " \t([{,=<>+-*/|:%~"
_APOSTROPHE = regex(r"(?<=\w)'(?=\w)")
_WIDE_QUOTES = "“‘＂＇「『"
_ASSIGNED = regex(r"([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*:?[=＝][ \t]*(\S.*)")
#: Lines as people know them from elsewhere: `key :value`, a comment, an item of a list.
_LATE_COLON = regex(r"([A-Za-z_][\w.-]*)[ \t]+:(\S.*)")
_FOREIGN_COMMENT = regex(r"(?://|/\*)[ \t]*(.*?)[ \t]*(?:\*/)?")
_BULLET = regex(r"(?:[•·●○◦▪‣*+]|\d{1,3}[.)、])[ \t]*(\S.*)")
_TEXT = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')"""
_QUOTED_TEXT, _SEVERAL_TEXTS = regex(_TEXT), regex(rf"{_TEXT}(?:[ \t]+{_TEXT})+")
#: A key in the middle of a value, with what should have been a comma or a new line in front of it.
_INNER_KEY = regex(r"""(?:^|[ \t]*[;；]\s*|\s+)["']?([a-z_][A-Za-z0-9_]*)["']?:(?=\s)""")
#: Keys of steps, roads and declarations: in front of one of them a line break or comma was rather forgotten.
LIKELY_KEYS = frozenset({
    "accept", "as", "ask", "at_most", "at_once", "bind", "call", "calls", "choices", "collect", "confirm",
    "confirms", "decide", "default", "description", "do", "done", "each", "effect", "en", "enum", "errors", "form",
    "format", "from", "gate", "gates", "give", "id", "in", "item", "items", "key", "label", "let", "message",
    "move_on", "needs", "next", "otherwise", "outcome", "phrase", "properties", "required", "retry", "rows", "say",
    "set", "shows", "steps", "that", "timeout", "title", "to", "tool", "tools", "type", "until", "use", "uses",
    "value", "version", "wait", "when", "where", "with", "writes", "zh",
})  # fmt: skip


class Quoting(NamedTuple):
    """What a value was meant to be.

    Shapes: `text` is what to read in its place; `is_certain` tells whether that may be written without asking;
    `facts` are those of the finding, with a `hint` where it is not certain.
    """

    code: str
    text: str
    is_certain: bool
    facts: dict[str, object]
    is_broken: bool = False


def quoted(text: str) -> str:
    """Return a text between YAML quotation marks; single ones wherever they do not have to be doubled."""
    if "'" in text and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"


def opening(text: str) -> str:
    return text[:2] if text.startswith(("{{", "{%")) else text[:1]


def block_trouble(text: str) -> str | None:
    """Return the characters because of which YAML does not read a plain block value as it stands, or None."""
    if text[:1] in _BAD_START or (text[:1] in "-?:" and text[1:2] in ("", " ", "\t")):
        return opening(text)
    if ": " in text or ":\t" in text or text.endswith(":"):
        return ": "
    return " #" if " #" in text or "\t#" in text else None


def flow_trouble(text: str) -> str | None:
    """Return the same for a value inside `[ ]` or `{ }`."""
    trouble = block_trouble(text)
    if trouble is None:
        found = re.search(r"[,\[\]{}]", text)
        trouble = found[0] if found else None
    return trouble


def several_texts(typed: str) -> tuple[int, str] | None:
    """Return where the second of quoted texts without commas begins, and all of them with commas; None for others."""
    if _SEVERAL_TEXTS.fullmatch(typed) is None:
        return None
    texts = [found[0] for found in _QUOTED_TEXT.finditer(typed)]
    return typed.index(texts[1], len(texts[0])), ", ".join(texts)


def quoting(typed: str, trouble: str, *, in_braces: bool = False) -> Quoting:
    """Return what is meant by a value that YAML does not read as it stands."""
    found = _marks_inside(typed) or _wide_marks(typed, trouble) or _inner_keys(typed, in_braces=in_braces)
    return found or Quoting("yaml/value-needs-quotes", quoted(typed), True, {"found": trouble.strip() or trouble})


def assigned(typed: str) -> tuple[str, str] | None:
    """Return key and value of `key = value`, None for any other text."""
    found = _ASSIGNED.fullmatch(typed)
    return (found[1], found[2]) if found is not None and not found[2].startswith("=") else None


def key_hint(typed: str) -> Words | None:
    """Return how a line is written that has no key, where it is known from elsewhere; None for any other text."""
    if (found := assigned(typed)) is not None:
        written = _shown(f"{found[0]}: {found[1]}")
        return Words(f"用冒号：{written}", f"write a colon: {written}")
    if late := _LATE_COLON.fullmatch(typed):
        written = _shown(f"{late[1]}: {late[2]}")
        return Words(f"冒号紧跟在键后面，再空一格：{written}", f"the colon follows the key, then a blank: {written}")
    if comment := _FOREIGN_COMMENT.fullmatch(typed):
        written = _shown(f"# {comment[1]}")
        return Words(f"注释以 # 开头：{written}", f"a comment begins with #: {written}")
    if bullet := _BULLET.fullmatch(typed):
        written = _shown(f"- {bullet[1]}")
        return Words(f"列表项以“- ”开头：{written}", f"a list item begins with `- `: {written}")
    return None


def _marks_inside(typed: str) -> Quoting | None:
    """Read `'don't'` and `"say "hi" now"`: marks around a whole text that holds the same mark once more."""
    mark = typed[0]
    if mark not in "\"'":
        return None
    facts: dict[str, object] = {"mark": mark}
    inner = typed[1:-1]
    around = _around_expression(typed, mark)
    if around is not None:
        return Quoting("yaml/quote-inside", around, True, facts)
    if typed[-1] == mark and _holds_quotation(inner, mark):
        return Quoting("yaml/quote-inside", quoted(inner), True, facts)
    # An apostrophe is no mark that opens or closes; without them each mark of an expression has another.
    count = len(_APOSTROPHE.sub("", typed).replace("\\" + mark, "").split(mark)) - 1
    if count % 2 == 0 and (typed[-1] != mark or _joins_texts(typed, mark)):
        return None
    facts["hint"] = Words(
        f"如果引号属于文字，写成 {_shown(quoted(typed))}；否则把文字里面的 {mark} 换掉，并让结尾的 {mark} 在最后",
        f"where the marks belong to the text write {_shown(quoted(typed))}; else let the text hold no other {mark}, "
        f"and end with the closing {mark}",
    )
    return Quoting("yaml/quote-inside", quoted(typed), False, facts, is_broken=True)


def _around_expression(typed: str, mark: str) -> str | None:
    """Read `"{{ a | before("@") }}"`, an expression between the marks that its texts have too; None for anything else.

    The marks around it are those of the value; inside, texts get the others, so that both stay what they were meant.
    """
    inner, other = typed[1:-1], "'" if mark == '"' else '"'
    if len(typed) < 2 or typed[-1] != mark or mark not in inner or "\\" in inner:
        return None
    pieces = _EXPRESSIONS.split(inner)
    is_other = any(other in hole for hole in pieces[1::2])
    if is_other or any(mark in text for text in pieces[::2]) or any(hole.count(mark) % 2 for hole in pieces[1::2]):
        return None
    return mark + inner.replace(mark, other) + mark


def _joins_texts(typed: str, mark: str) -> bool:
    """Tell whether what stands between the texts of `"x" == "y"` can do so: `"a | before("@")"` is another thing."""
    return all(part[0] in _BEHIND_TEXT and part[-1] in _BEFORE_TEXT for part in typed.split(mark)[2:-1:2] if part)


def _holds_quotation(inner: str, mark: str) -> bool:
    """Tell whether a text stands between two of its marks, and those inside it are apostrophes or a quotation."""
    if "\\" in inner or not inner.strip():
        return False
    rest = _APOSTROPHE.sub("", inner) if mark == "'" else inner
    if mark not in rest:
        return mark in inner
    first = rest.index(mark)
    opens = rest[first - 1 : first] in (" ", "\t") and rest[first + 1 : first + 2].strip() not in ("", mark)
    return opens and rest.count(mark) % 2 == 0


def _wide_marks(typed: str, trouble: str) -> Quoting | None:
    """Read `“a, b”`: full-width marks around a value that needs quotation marks."""
    found = unwrapped(typed) if typed[0] in _WIDE_QUOTES else None
    if found is None:
        return None
    marks = dict.fromkeys((typed[0], typed[-1]))
    inner = found[1]
    if inner.isascii() and all(mark in HALF for mark in marks) and not set(inner) & set('"\\'):
        return Quoting("yaml/full-width", f'"{inner}"', True, {"marks": describe(marks)})
    bare, whole = (_shown(quoted(one)) for one in (inner, typed))
    hint = Words(
        f"如果 {typed[0]}{typed[-1]} 只是引号，写成 {bare}；如果它们是文字的一部分，写成 {whole}",
        f"where {typed[0]}{typed[-1]} are but quotation marks write {bare}; where they are part of the text {whole}",
    )
    return Quoting("yaml/value-needs-quotes", quoted(typed), False, {"found": trouble.strip() or trouble, "hint": hint})


def _inner_keys(typed: str, *, in_braces: bool) -> Quoting | None:
    """Read `a next: b`: a value that may hold a key in front of which a comma, or a line break, is missing."""
    keys = [found for found in _INNER_KEY.finditer(typed) if in_braces or found[1] in LIKELY_KEYS]
    if not keys or (typed.startswith(("{{", "{%")) and "}" not in typed[: keys[0].start()]):
        return None
    name, whole = keys[0][1], _shown(quoted(typed))
    apart = _INNER_KEY.sub(lambda found: f"{', ' if found.start() else ''}{found[1]}:", typed)
    if keys[0].start() == 0:
        hint = Words(
            f"如果 {name} 是这里面的键，写成 {_shown('{' + apart + '}')}；如果它是文字的一部分，写成 {whole}",
            f"where {name} is a key inside of this write {_shown('{' + apart + '}')}; where it is text {whole}",
        )
    elif in_braces:
        hint = Words(
            f"如果 {name} 是另一个键，前面要有逗号：{_shown(apart)}；如果它是文字的一部分，写成 {whole}",
            f"where {name} is a key of its own put a comma before it: {_shown(apart)}; where it is text write {whole}",
        )
    else:
        hint = Words(
            f"如果 {name} 是另一个键，让它另起一行；如果它是文字的一部分，写成 {whole}",
            f"where {name} is a key of its own begin a line with it; where it is text write {whole}",
        )
    facts: dict[str, object] = {"key": name, "hint": hint}
    if in_braces and keys[0].start() > 0 and all(one[1] in LIKELY_KEYS for one in keys) and _is_plain(apart):
        return Quoting("yaml/key-in-value", apart, False, facts)
    return Quoting("yaml/key-in-value", quoted(typed), False, facts, is_broken=True)


def _is_plain(apart: str) -> bool:
    """Tell whether keys and values that were put apart can be read inside of braces."""
    return all(flow_trouble(part.partition(": ")[2] or part) is None for part in apart.split(", "))


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SHOWN else line[: _LONGEST_SHOWN - 1] + "…"
