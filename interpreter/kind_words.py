"""What people call the kinds of values, beside the words of JSON Schema that the language has for them.

Whoever knows another language, a spreadsheet or a database writes its word; the kind that is meant is then said
outright instead of in a list of what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping

KINDS = ("array", "boolean", "integer", "null", "number", "object", "string")

_MEANT = {
    "string": "text str varchar char word words txt date datetime time timestamp url path uuid markdown "
    "文本 文字 字符串 字符 字串 日期 时间 网址 date-time email mail uri link 邮箱 电子邮件 链接",
    "boolean": "bool yesno yes/no true/false flag checkbox logical 布尔 布尔值 是否 真假 开关",
    "integer": "int long whole count int32 int64 整数 整型 整数型",
    "number": "float double decimal numeric num real money 小数 浮点 浮点数 数字 数 数值",
    "array": "list lists tuple set vector arr sequence 列表 数组 清单 序列",
    "object": "dict map mapping record struct json hash dictionary table 对象 字典 映射 记录 键值",
    "null": "none nil nothing empty void 空 空值 无",
}
_BY_WORD = {word: kind for kind, words in _MEANT.items() for word in words.split()}
_FORMATS = {
    "date": "date 日期",
    "date-time": "date-time datetime timestamp",
    "time": "time 时间",
    "uri": "uri url link 网址 链接",
    "email": "email mail 邮箱 电子邮件",
}
_FORMAT_BY_WORD = {word: name for name, words in _FORMATS.items() for word in words.split()}


def meant_kind(word: str) -> str | None:
    """Return the kind that a word of another language means, None for a word that says nothing."""
    return _BY_WORD.get(word.strip().lower())


def meant_format(word: str) -> str | None:
    """Return the format of a text that a word means, None for a word that means none."""
    return _FORMAT_BY_WORD.get(word.strip().lower())


def kind_of_value(value: object) -> str:
    """Return the kind of a value, a whole number told apart only where it was written as one."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case str():
            return "string"
        case list() | tuple():
            return "array"
        case Mapping():
            return "object"
    return "number"
