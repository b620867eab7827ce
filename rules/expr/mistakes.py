"""What people write who know another language, or whose keyboard is set to Chinese, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from rules.patterns import regex

if TYPE_CHECKING:
    from rules.expr.tokens import Token


_BRACES = regex(r"\{|\}\}|%\}|\}")
#: How other languages write a name in a text: `${name}`, `#{name}`, `$name`, `@name`.
_VARIABLE = regex(r"[$#]\{\s*([^\s{}][^{}]*?)\s*\}|[$@]([A-Za-z_]\w*)")


class Mistake(Exception):
    """One finding that ends the reading of a text; `facts` fill its words."""

    def __init__(self, code: str, start: int, end: int, **facts: object) -> None:
        super().__init__(code)
        self.code = code
        self.start = start
        self.end = end
        self.facts = facts


FULL_WIDTH: Final = {
    "，": ",", "。": ".", "：": ":", "；": ";", "（": "(", "）": ")", "【": "[", "】": "]", "｛": "{", "｝": "}",
    "“": "'", "”": "'", "‘": "'", "’": "'", "「": "'", "」": "'", "＂": "'", "＇": "'", "！": "!", "＝": "=",
    "＋": "+", "－": "-", "＊": "*", "＜": "<", "＞": ">", "｜": "|", "～": "~", "、": ",", "？": "if … else …",
    "《": "'", "》": "'", "［": "[", "］": "]", "％": "%", "＆": "and", "≥": ">=", "≤": "<=", "≠": "!=", "×": "*",
    "–": "-", "—": "-", "−": "-", "…": ",", "『": "'", "』": "'", "〈": "'", "〉": "'", "〔": "[", "〕": "]",
}  # fmt: skip

_SINGLE: Final = {"!": "not", "?": "… if … else …", "^": "", "@": "", "#": "", "$": "", "`": "'", "\\": ""}

_PAIRS: Final = {
    ("pipe", "pipe"): ("||", "or"),
    ("eq", "assign"): ("===", "=="),
    ("ne", "assign"): ("!==", "!="),
    ("lt", "gt"): ("<>", "!="),
    ("assign", "gt"): ("=>", ">="),
    ("assign", "lt"): ("=<", "<="),
    ("assign", "assign"): ("= =", "=="),
    ("add", "add"): ("++", "+ 1"),
    ("add", "assign"): ("+=", "+"),
    ("sub", "assign"): ("-=", "-"),
    ("assign", "tilde"): ("=~", "| contains(…)"),
    ("tilde", "assign"): ("~=", "| contains(…)"),
    ("sub", "gt"): ("->", "."),
    ("colon", "colon"): ("::", "."),
}
"""Two tokens that follow each other without a blank, what they were meant as, what to write."""
_FIRST: Final = frozenset(first for first, _ in _PAIRS)
_WRITTEN: Final = tuple(written for written, _ in _PAIRS.values())

SYNONYMS: Final = {
    "omit": "absent", "or_omit": "or_absent", "undefined": "absent", "defined": "present", "none": "null",
    "len": "count", "size": "count", "str": "text", "string": "text", "int": "from_json", "float": "from_json",
    "selectattr": "where", "rejectattr": "where_not", "select": "where", "reject": "where_not", "filter": "where",
    "map": "pluck", "groupby": "index_by", "group_by": "index_by", "sorted": "sort", "dictsort": "entries",
    "items": "entries", "tojson": "to_json", "json": "to_json", "fromjson": "from_json", "truncate": "shorten",
    "strip": "trim", "striptags": "strip_tags", "split": "pieces", "startswith": "starts_with", "keys": "entries",
    "concat": "join", "uniq": "unique", "distinct": "unique", "d": "default", "format": "fill", "limit": "take",
    "slice": "take", "batch": "chunks", "includes": "contains", "add": "sum", "total": "sum", "average": "divided_by",
    "avg": "divided_by", "mean": "divided_by",
    "downcase": "lower", "maximum": "max", "minimum": "min", "combine": "merge", "update": "merge", "get": "find",
    "exists": "present", "missing": "absent", "hash": "sha256", "number_of": "count", "some": "any", "every": "all",
    "iterable": "list", "sequence": "list", "dict": "mapping", "integer": "number",
    "search": "contains", "match": "contains", "regex_search": "contains", "regex_replace": "replace",
    "keyed": "index_by", "but": "without", "abs": "absolute", "fixed": "decimals", "tofixed": "decimals",
    "to_fixed": "decimals", "number_format": "decimals", "format_number": "decimals", "divide": "divided_by",
    "div": "divided_by", "percent": "divided_by", "ratio": "divided_by", "rounded": "round", "ceil": "round",
    "floor": "round", "reversed": "sort", "reverse": "sort", "coalesce": "or_else",
    "date": "absolute_time", "to_date": "absolute_time", "parse_date": "absolute_time", "datetime": "absolute_time",
    "date_diff": "days_between", "datediff": "days_between", "days": "days_between",
    "strptime": "absolute_time", "to_datetime": "absolute_time", "as_datetime": "absolute_time",
    "to_string": "text", "tostring": "text", "ltrim": "trim", "rtrim": "trim", "lstrip": "trim", "rstrip": "trim",
    "trimstart": "trim", "trimend": "trim", "casefold": "lower", "substring": "shorten",
    "substr": "shorten", "ellipsis": "shorten", "md5": "sha256", "sha1": "sha256", "findall": "extract",
    "regex_findall": "extract", "order_by": "sort", "orderby": "sort", "sort_by": "sort", "sortby": "sort",
    "dict2items": "entries", "items2dict": "as_mapping", "difference": "not_in", "except": "not_in",
    "jmespath": "pluck", "json_query": "pluck", "jsonpath": "pluck", "pprint": "to_json", "dump": "to_json",
    "ifnull": "default", "nvl": "default", "ifempty": "or_else", "wordcount": "terms", "word_count": "terms",
    "nl2br": "lines", "splitlines": "lines", "is_empty": "empty", "isempty": "empty", "blank": "empty",
    "isnull": "null", "is_null": "null",
}  # fmt: skip
"""Words of other languages for a function of ours."""

OTHERWISE: Final = (
    (
        "upper uppercase upcase title capitalize swapcase",
        "没有改成大写的函数：文本按要显示的样子写；比较时两边都用 | lower",
        "nothing makes capitals: write a text as it is to be shown, and compare with | lower on both sides",
    ),
    (
        "safe e escape escaped forceescape mandatory list tuple",
        "这里不需要它，删掉即可",
        "it is not needed here: leave it out",
    ),
    (
        "center ljust rjust indent wordwrap filesizeformat",
        "没有排版用的函数：空格和换行直接写在文本里",
        "nothing sets a text out: write blanks and line breaks in the text",
    ),
    (
        "type typeof isinstance callable",
        "问值的类型写 x is text、x is number、x is boolean、x is list 或 x is mapping",
        "ask with x is text, x is number, x is boolean, x is list or x is mapping",
    ),
    ("ternary iif", "写 a if c else b", "write a if c else b"),
    ("attr", "写 x.字段 或 x['字段']", "write x.field or x['field']"),
    ("quote", "引号写在文本里：'\"' ~ x ~ '\"'", "write the quotes in the text: '\"' ~ x ~ '\"'"),
    ("union", "写 (a + b) | unique", "write (a + b) | unique"),
    (
        "intersect symmetric_difference",
        "求差集写 a | not_in(b)，都有的写 a | not_in(a | not_in(b))",
        "a | not_in(b) gives what only a has, a | not_in(a | not_in(b)) what both have",
    ),
    (
        "zip product xmlattr namespace cycler joiner lipsum print",
        "表达式中做不到，写成步骤：each 循环，let 和 set 设值",
        "no expression does that: write steps, each for a loop, let and set for values",
    ),
    (
        "random shuffle",
        "没有随机：再次运行时必须得到同样的结果",
        "nothing is random: a run that goes on must come to the same",
    ),
    (
        "strftime date_format format_date",
        "时间写成 2024-05-01T08:00:00Z；只要日期用 | before('T')",
        "a time is written 2024-05-01T08:00:00Z; | before('T') leaves the day",
    ),
    (
        "urlencode urlize",
        "地址的编码由工具完成：参数照原样给出",
        "tools write addresses: hand the argument over as it is",
    ),
)
"""Words of other languages for what no function here does, and what to do instead, in both languages."""

WITHOUT_ONE: Final = {word: (zh, en) for words, zh, en in OTHERWISE for word in words.split()}
"""One that is only spelled alike is not meant by them."""

FROM_TEXT: Final = frozenset({
    "number", "to_number", "tonumber", "as_number", "parse_number", "numeric", "integer", "to_int", "to_integer",
    "toint", "parse_int", "parseint", "to_float", "parse_float", "parsefloat", "decimal", "to_decimal", "boolean",
    "bool", "to_boolean", "to_bool",
})  # fmt: skip
"""Words of other languages for making a number or a boolean of a text; some of them are tests of ours."""

PROPERTIES: Final = {"length": "count", "size": "count"}

METHODS: Final = {
    "items": "x | entries", "keys": "x | entries | pluck('key')", "values": "x | values",
    "get": "x.name | default(…)", "lower": "x | lower", "strip": "x | trim", "trim": "x | trim",
    "split": "x | split(', ')", "join": "list | join(', ')", "replace": "x | replace('a', 'b')",
    "startswith": "x | starts_with('a')", "startsWith": "x | starts_with('a')", "includes": "x | contains('a')",
    "contains": "x | contains('a')", "append": "list + [item]", "push": "list + [item]", "concat": "a + b",
    "count": "x | count", "index": "x | find(…)", "find": "x | find(field=value)", "filter": "x | where(field=value)",
    "map": "x | pluck('field')", "some": "x | any(field=value)", "every": "x | all(field=value)",
    "format": "x | fill(name=value)", "toString": "x | text", "toLowerCase": "x | lower", "length": "x | count",
    "size": "x | count", "sort": "x | sort('field')", "slice": "x | take(3)", "update": "x | merge({…})",
    "toFixed": "x | decimals(2)",
}  # fmt: skip
"""Methods of other languages, and the filter that does it here."""


OPERATORS: Final = {
    "contains": "| contains(…)", "contain": "| contains(…)", "includes": "| contains(…)", "like": "| contains(…)",
    "startswith": "| starts_with(…)", "starts_with": "| starts_with(…)", "starts": "| starts_with(…)",
    "endswith": "| ends_with(…)", "ends_with": "| ends_with(…)", "ends": "| ends_with(…)",
    "equals": "==", "equal": "==", "eq": "==", "ne": "!=", "gt": ">", "ge": ">=", "gte": ">=", "lt": "<", "le": "<=",
    "lte": "<=", "matches": "| contains(…)", "match": "| contains(…)", "between": "low <= x <= high", "mod": "%",
    "for": "{each: x, in: list, give: …}",
    "isnt": "!=", "above": ">", "over": ">", "below": "<", "under": "<", "and": "and", "or": "or",
    "包含": "| contains(…)", "含有": "| contains(…)", "开头是": "| starts_with(…)", "等于": "==", "是": "==",
    "不等于": "!=", "不是": "!=", "大于": ">", "高于": ">", "超过": ">", "大于等于": ">=", "不小于": ">=", "至少": ">=",
    "小于": "<", "低于": "<", "小于等于": "<=", "不大于": "<=", "至多": "<=", "并且": "and", "而且": "and", "且": "and",
    "和": "and", "或者": "or", "或": "or", "属于": "in", "匹配": "| contains(…)", "介于": "low <= x <= high",
}  # fmt: skip
"""Operators of other languages that are words, and what is written here."""

TESTS: Final = {
    "eq": ("==", "!="), "equalto": ("==", "!="), "equal": ("==", "!="), "equals": ("==", "!="), "sameas": ("==", "!="),
    "ne": ("!=", "=="), "gt": (">", "<="), "greaterthan": (">", "<="), "ge": (">=", "<"), "gte": (">=", "<"),
    "lt": ("<", ">="), "lessthan": ("<", ">="), "le": ("<=", ">"), "lte": ("<=", ">"), "in": ("in", "not in"),
    "divisibleby": ("% … == 0", "% … != 0"), "even": ("% 2 == 0", "% 2 != 0"), "odd": ("% 2 != 0", "% 2 == 0"),
    "true": ("== true", "== false"), "false": ("== false", "== true"),
}  # fmt: skip
"""Tests of Jinja2 that are operators here, asked and denied."""

SEVERAL: Final = {
    "min": "[{}] | min", "max": "[{}] | max", "minimum": "[{}] | min", "maximum": "[{}] | max", "sum": "[{}] | sum",
    "concat": "{}", "concatenate": "{}",
}  # fmt: skip
"""Functions of other languages that take several values side by side, and how these are brought together here."""

PREFIXES: Final = {"NOT": "not", "Not": "not", "非": "not", "不": "not", "并非": "not", "if": "a if c else b"}
"""Such operators that stand before their only value."""

CONSTANTS: Final = {
    "TRUE": "true", "FALSE": "false", "NULL": "null", "Null": "null", "nil": "null", "Nil": "null", "NaN": "null",
    "undefined": "absent", "真": "true", "假": "false", "空": "null",
}  # fmt: skip
"""Values of other languages that are words, as far as Jinja2 does not know them either."""


def unexpected_character(source: str, at: int) -> Mistake:
    """Return the finding for a character that begins no token."""
    if at >= len(source):
        return Mistake("ends-early", at, at)
    character = source[at]
    if source.startswith("&&", at):
        return Mistake("foreign-operator", at, at + 2, written="&&", instead="and")
    if character in "$#@" and (variable := _VARIABLE.match(source, at)) is not None:
        return Mistake("foreign-operator", at, variable.end(), written=variable[0], instead=variable[1] or variable[2])
    if source.startswith("?.", at) or source.startswith("??", at):
        return Mistake("foreign-operator", at, at + 2, written=source[at : at + 2], instead="| default(…)")
    if character in FULL_WIDTH:
        return Mistake("full-width", at, at + 1, written=character, instead=FULL_WIDTH[character])
    if character in "'\"":
        return Mistake("text-not-closed", at, at + 1, mark=character)
    if _SINGLE.get(character):
        return Mistake("foreign-operator", at, at + 1, written=character, instead=_SINGLE[character])
    return Mistake("unexpected", at, at + 1, found=character)


def foreign_pair(text: str, tokens: Sequence[Token]) -> Mistake | None:
    """Return the finding for the first pair of tokens of a text that another language reads as one operator."""
    if not any(written in text for written in _WRITTEN):
        return None
    for left, right in pairwise(tokens):
        if left.type in _FIRST and left.end == right.start and (left.type, right.type) in _PAIRS:
            written, instead = _PAIRS[left.type, right.type]
            return Mistake("foreign-operator", left.start, right.end, written=written, instead=instead)
    return None


def stray_marks(words: Iterable[tuple[int, str]]) -> Iterator[tuple[str, int]]:
    """Yield each closing mark among words that nothing opened, with its place.

    Shapes: `words` are the pieces of a text beside its holes, each with its place; in `{"a": {"b": {{ x }}}}` they have
    a balance.
    """
    open_braces = 0
    for start, piece in words:
        for mark in _BRACES.finditer(piece):
            open_braces += 1 if mark[0] == "{" else -len(mark[0].strip("%"))
            if open_braces < 0 and len(mark[0]) > 1:
                yield mark[0], start + mark.start()
            open_braces = max(open_braces, 0)
