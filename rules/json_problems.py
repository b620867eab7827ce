"""Why a text is not JSON, in both languages and without a word of the text itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

#: What the decoder of Python says, in Chinese.
_TOLD_ZH: Final[Mapping[str, str]] = {
    "Expecting value": "这里应当是一个值",
    "Expecting property name enclosed in double quotes": "字段名要写在双引号里",
    "Expecting ':' delimiter": "字段名后面缺少冒号",
    "Expecting ',' delimiter": "缺少逗号",
    "Illegal trailing comma before end of object": "对象末尾多了一个逗号",
    "Illegal trailing comma before end of array": "列表末尾多了一个逗号",
    "Unterminated string starting at": "文本没有结束的引号，它从这里开始",
    "Invalid control character at": "文本里有没有转义的换行或控制字符",
    "Invalid \\escape": "反斜杠后面不能是这个字符",
    "Invalid \\uXXXX escape": "\\u 后面要有四位十六进制数",
    "Extra data": "值的后面还有别的内容",
}
#: What is refused beyond that; the words of `rules.values.loads` and of whoever reads more strictly.
_REFUSED: Final[tuple[tuple[str, str, str], ...]] = (
    ("digits", "数的位数太多", "a number of too many digits"),
    ("stands twice", "一个对象里有重复的字段", "a field stands twice in one object"),
    ("nested", "嵌套太深", "nested too deeply"),
    ("is not a number", "NaN 和 Infinity 不是 JSON 的数", "NaN and Infinity are no numbers of JSON"),
)


def json_problem(error: ValueError) -> tuple[str, str]:
    """Return what keeps a text from being JSON, in Chinese and in English.

    Shapes: `error` is what reading it as JSON raised. Units: characters from 1.
    """
    if isinstance(error, json.JSONDecodeError):
        if not error.doc.strip():
            return "是空的", "it is empty"
        if error.pos >= len(error.doc.rstrip()) and error.msg != "Extra data":
            return "没有写完就结束了", "it ends in the middle"
        place, said = error.pos + 1, error.msg.strip().removesuffix(":")
        return f"{_TOLD_ZH.get(said, said)}（第 {place} 个字符）", f"{said} (character {place})"
    text = str(error)
    return next(((zh, en) for sign, zh, en in _REFUSED if sign in text), ("读不懂", "it cannot be read"))
