"""Functions over texts: parts of them, changed spelling, holes filled. Lengths count characters, not bytes."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from typing import Final

from rules.expr.operations import MAX_ITEMS, bounded_text, too_large
from rules.expr.signatures import Function, describe
from rules.patterns import regex
from rules.values import MAX_TEXT, CannotEvaluate, Value, canonical_text, kind_of

_TAG = regex(r"<[A-Za-z/!][^<>]*>")
_HOLE = regex(r"\{(\w+)\}")
_TOKEN = regex(r"[A-Za-z0-9_-]+")
#: What nobody sees at the ends of a line: all blanks, and the mark that some programs begin a file with.
_UNSEEN: Final = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_INSIDE_WORD: Final = frozenset("_'’-\u200d\ufe0f")
_SHOWN_DEPTH: Final = 3


def trim(text: str) -> str:
    return text.strip()


def lower(text: str) -> str:
    return text.lower()


def text_of(value: Value) -> str:
    return canonical_text(value)


def length(text: str) -> int:
    return len(text)


def size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


# --- parts ------------------------------------------------------------------------------------------------------------


def shorten(text: str, characters: int) -> str:
    """Return the beginning of a text that fits, cut between words; a word that is longer alone is cut inside."""
    text = text.strip()
    if len(text) <= characters:
        return text
    return text[: _end_of_piece(text, 0, _positive("shorten", characters))].rstrip()


def pieces(text: str, characters: int) -> list[str]:
    """Return a text cut between words into pieces that fit, without the blanks around them."""
    size = _positive("pieces", characters)
    result = []
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= size else _end_of_piece(text, start, size)
        piece = text[start:end].strip()
        if piece:
            result.append(piece)
        start = end
    return result


def _end_of_piece(text: str, start: int, size: int) -> int:
    """Return the last place between two words at most `size` characters after `start`."""
    end = start + size
    for place in range(end, start, -1):
        if not (_in_word(text[place - 1]) and _in_word(text[place])):
            return place
    return end


def _in_word(character: str) -> bool:
    """Return whether a character does not stand alone; every Chinese or Japanese one does."""
    if "\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff" or character >= "\U00020000":
        return False
    return character.isalnum() or character in _INSIDE_WORD or unicodedata.combining(character) != 0


def _positive(function: str, number: int) -> int:
    if number < 1:
        raise CannotEvaluate("too-small", {"function": function, "number": number, "at_least": 1})
    return number


def paragraphs(text: str) -> list[dict[str, str]]:
    """Return what stands between blank lines, letter for letter, with the heading above it (a line that begins with
    `#` and a blank) and its path: the heading, and the number of the paragraph under it from 0 where there are several.
    A heading with nothing of its own below it is a paragraph too: no words are left out.
    """
    sections: list[tuple[str, list[str]]] = [("", [])]
    lines: list[str] = []
    for line in [*text.splitlines(keepends=True), ""]:
        marked = _heading(line)
        if lines and (marked is not None or not _bare(line)):
            sections[-1][1].append(_bare("".join(lines)))
            lines = []
        if marked is not None:
            sections.append((marked, []))
        elif _bare(line):
            lines.append(line)
    found = [(heading, one) for heading, under in sections for one in under or [heading] if one]
    number_under = Counter(name for name, _ in found)
    under: Counter[str] = Counter()
    result = []
    for name, paragraph in found:
        path = f"{name}[{under[name]}]" if number_under[name] > 1 or not name else name
        under[name] += 1
        result.append({"heading": name, "path": path, "text": paragraph})
    return result


def _heading(line: str) -> str | None:
    """Return the words of a heading of Markdown, None for any other line."""
    words = _bare(line)
    level = len(words) - len(words.lstrip("#"))
    if not 1 <= level <= 6 or not words[level : level + 1].isspace():
        return None
    return words[level:].strip().rstrip("#").rstrip() or None


def _bare(text: str) -> str:
    return text.strip(_UNSEEN)


def starts_with(text: str, beginning: str) -> bool:
    return text.startswith(beginning)


def ends_with(text: str, ending: str) -> bool:
    return text.endswith(ending)


def after(text: str, mark: str) -> str:
    return text.partition(mark)[2] if mark else ""


def before(text: str, mark: str) -> str:
    return text.partition(mark)[0] if mark else text


def split(text: str, mark: str) -> list[str]:
    if not mark:
        raise CannotEvaluate("empty-text", {"function": "split", "argument": "mark"})
    if text.count(mark) >= MAX_ITEMS:
        too_large(MAX_ITEMS)
    return text.split(mark)


# --- changed ----------------------------------------------------------------------------------------------------------


def strip_tags(text: str) -> str:
    return _TAG.sub("", text)


def replace(text: str, old: str, new: str) -> str:
    if not old:
        raise CannotEvaluate("empty-text", {"function": "replace", "argument": "old"})
    if len(text) + text.count(old) * (len(new) - len(old)) > MAX_TEXT:
        too_large(MAX_TEXT)
    return text.replace(old, new)


def fill(text: str, fields: dict[str, Value]) -> str:
    """Return a text with `{name}` replaced by the argument of that name; what is filled in is never looked at again."""
    words = {name: canonical_text(value) for name, value in fields.items()}
    size = len(text) + sum(len(words.get(hole[1], "")) for hole in _HOLE.finditer(text))
    if size > MAX_TEXT:
        too_large(MAX_TEXT)
    return _HOLE.sub(lambda hole: words.get(hole[1], hole[0]), text)


def fence(text: str, name: str) -> str:
    """Return a text between two marks that cannot stand in it."""
    mark = f"{name} {hashlib.sha256(_bytes(text)).hexdigest()[:12]}"
    return bounded_text(f"<{mark}>\n{text}\n</{mark}>")


def short_id(text: str, prefix: str) -> str:
    return f"{prefix}_{hashlib.sha256(_bytes(text)).hexdigest()[:16]}"


def sha256(text: str) -> str:
    return hashlib.sha256(_bytes(text)).hexdigest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def is_token(text: str, characters: int) -> bool:
    return len(text) >= characters and _TOKEN.fullmatch(text) is not None


# --- for people -------------------------------------------------------------------------------------------------------


def summary(value: Value) -> str:
    """Return a short reading of a value: `name: value; name: value`, empty parts left out."""
    return bounded_text(_summary(value, 0))


def _summary(value: Value, depth: int) -> str:
    kind = kind_of(value)
    if kind in ("list", "mapping") and depth == _SHOWN_DEPTH:
        return "…"
    if kind == "mapping":
        shown = ((key, _summary(item, depth + 1)) for key, item in value.items())
        return "; ".join(f"{key}: {words}" for key, words in shown if words)
    if kind == "list":
        return ", ".join(words for words in (_summary(item, depth + 1) for item in value) if words)
    return "" if value is None else canonical_text(value)


def in_language(value: Value, language: str) -> Value:
    """Return what a text in both languages says in one of them; English where it is neither."""
    if type(value) is dict and value.keys() == {"zh", "en"}:
        return value["zh" if language.startswith("zh") else "en"]
    return value


TEXTS: Final[tuple[Function, ...]] = (
    describe("text | trim -> text", trim, "去掉两端空白", "without the blanks around it", "' a ' | trim -> 'a'"),
    describe("text | lower -> text", lower, "小写", "in small letters", "'AbC' | lower -> 'abc'"),
    describe(
        "any | text -> text",
        text_of,
        "值的文本：数字不带指数和多余的零，列表和对象为 JSON",
        "the text of a value: numbers without exponent and needless zeros, lists and mappings as JSON",
        "1.50 | text -> '1.5'",
    ),
    describe("text | length -> whole", length, "字符数", "how many characters", "'资料' | length -> 2"),
    describe("text | bytes -> whole", size, "UTF-8 字节数", "how many bytes in UTF-8", "'资料' | bytes -> 6"),
    describe(
        "text | shorten(characters: whole) -> text",
        shorten,
        "开头至多 characters 个字符，在词的边界截断",
        "its beginning, at most so many characters, cut between words",
        "'budget plan' | shorten(8) -> 'budget'",
    ),
    describe(
        "text | pieces(characters: whole) -> texts",
        pieces,
        "在词的边界切成几段，每段不超过 characters 个字符",
        "cut between words into pieces, none longer than so many characters",
        "'one two six' | pieces(7) -> ['one two', 'six']",
    ),
    describe(
        "text | paragraphs -> records",
        paragraphs,
        "以空行分开的各段，逐字，带所在标题（# 和空格开头的行）和路径；下面没有正文的标题自成一段",
        "what stands between blank lines, letter for letter, with the heading above it (a line that begins with # and "
        "a blank) and its path; a heading with nothing of its own below it is a paragraph too",
        "'# a\\nb\\n\\nc' | paragraphs -> [{'heading': 'a', 'path': 'a[0]', 'text': 'b'}, "
        "{'heading': 'a', 'path': 'a[1]', 'text': 'c'}]",
    ),
    describe(
        "text | starts_with(beginning: text) -> boolean",
        starts_with,
        "以此开头，逐字比较",
        "whether it begins with this, letter for letter",
        "'space:7' | starts_with('space:') -> true",
    ),
    describe(
        "text | ends_with(ending: text) -> boolean",
        ends_with,
        "以此结尾，逐字比较",
        "whether it ends with this, letter for letter",
        "'a.md' | ends_with('.md') -> true",
    ),
    describe(
        "text | after(mark: text) -> text",
        after,
        "第一次出现的 mark 之后的部分；没有出现时为空文本",
        "what follows the first occurrence; '' where there is none",
        "'space:7' | after(':') -> '7'",
    ),
    describe(
        "text | before(mark: text) -> text",
        before,
        "第一次出现的 mark 之前的部分；没有出现时为整个文本",
        "what comes before the first occurrence; all of it where there is none",
        "'space:7' | before(':') -> 'space'",
    ),
    describe(
        "text | split(mark: text) -> texts",
        split,
        "在每一处 mark 分开的各部分，逐字",
        "the parts between all occurrences of a mark, letter for letter",
        "'a, b' | split(', ') -> ['a', 'b']",
    ),
    describe(
        "text | strip_tags -> text",
        strip_tags,
        "去掉 <…> 标记",
        "without <…> marks",
        "'<h>budget</h> 2024' | strip_tags -> 'budget 2024'",
    ),
    describe(
        "text | replace(old: text, new: text) -> text",
        replace,
        "把每一处 old 换成 new，逐字比较",
        "with each occurrence of one text replaced by another, letter for letter",
        "'a-b' | replace('-', '+') -> 'a+b'",
    ),
    describe(
        "text | fill(**fields: text or number) -> text",
        fill,
        "把 {名称} 换成同名参数；填入的内容不会再次解释；没有给出的保持原样",
        "with {name} replaced by the argument of that name; what is filled in is not read again, others stay",
        "'据{name}报道' | fill(name='新华社') -> '据新华社报道'",
    ),
    describe(
        "any | in_language(language: text) -> any",
        in_language,
        "{zh, en} 两种语言中的一种；其他值不变",
        "the words of {zh, en} in one language; any other value as it is",
        "{'zh': '甲', 'en': 'A'} | in_language('en') -> 'A'",
        passes=True,
    ),
    describe(
        "text | fence(name: text) -> text",
        fence,
        "放在两个不可能出现在文本中的标记之间，用于提示词",
        "between two marks that cannot stand in the text, for prompts",
    ),
    describe(
        "text | short_id(prefix: text) -> text",
        short_id,
        "由文本算出的固定短标识",
        "a short name that is always the same for the same text",
    ),
    describe("text | sha256 -> text", sha256, "SHA-256，十六进制", "SHA-256 in hexadecimal"),
    describe(
        "text | is_token(characters: whole) -> boolean",
        is_token,
        "是否为只含字母、数字、- 和 _ 且至少 characters 个字符的一个词",
        "whether it is one word of letters, digits, - and _, at least so long",
        "'fldcnA1b2' | is_token(8) -> true",
    ),
    describe(
        "any | summary -> text",
        summary,
        "给人看的简短说明，略去空的部分",
        "a short reading of a value for people; empty parts are left out",
        "{'owner': 'Li', 'since': '', 'types': ['doc', 'sheet']} | summary -> 'owner: Li; types: doc, sheet'",
    ),
)
