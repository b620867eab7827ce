"""A file of values that is JSON: read as JSON and not as YAML, with the place of each value."""

from __future__ import annotations

import re
from typing import Any

from interpreter.diagnostics import Diagnostic, Words, finding
from interpreter.source import Source, Span
from rules.json_texts import strict_value_at

_BLANK = re.compile(r"[ \t\n\r]*")
#: What stands where JSON cannot be read, as far as it is one word or one mark.
_WORD = re.compile(r"[\w.+-]+|\S?")
#: Texts, and whatever stands between them and the marks.
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|[\w.+-]+')
#: What the decoder says, by how it begins, in words for people.
_SAID = {
    "Expecting value": Words("这里应是一个值", "a value is wanted here"),
    "Expecting property name": Words("这里应是双引号里的名称", "a name in double quotes is wanted here"),
    "Expecting ':'": Words("名称后面应是冒号", "a colon is wanted behind the name"),
    "Expecting ','": Words("这里应是逗号或结束的括号", "a comma or the closing bracket is wanted here"),
    "Illegal trailing comma": Words("最后一项后面没有逗号", "no comma follows the last entry"),
    "Unterminated string": Words("这个双引号没有结束", "the double quote that opens here has no end"),
    "Invalid control character": Words(
        "文本里的换行写成 \\n，制表符写成 \\t", "write \\n for a line break in a text, \\t for a tab"
    ),
    "Invalid \\": Words("文本里的反斜杠写成 \\\\", "write \\\\ for a backslash in a text"),
    "a field stands twice": Words("其中有名称写了两次", "a name stands twice in it"),
    "a number may have": Words("数字太长或太大", "the number is too long or too large"),
    "nested": Words("嵌套太深", "it is nested too deeply"),
}
_UNREADABLE = Words("这里读不出一个值", "no value can be read here")
_ASKED = {
    "{": Words("开头应是 {", "{ is wanted at the beginning"),
    '"': Words("这里应是双引号里的名称", "a name in double quotes is wanted here"),
    ":": Words("名称后面应是冒号", "a colon is wanted behind the name"),
    ",": Words("这里应是逗号或 }", "a comma or } is wanted here"),
    "": Words("最后的 } 后面不能再有内容", "nothing may follow the last }"),
}


def read_json_values(source: Source) -> tuple[dict[str, Any], dict[str, Span]] | Diagnostic:
    """Return the fields of the JSON object that a file holds, and the place of each value.

    Shapes: a finding, at the first place that is not JSON or says two things, in place of both.
    """
    reader = _Reader(source)
    try:
        return reader.fields()
    except _NotJson as problem:
        return problem.found


class _NotJson(Exception):
    def __init__(self, found: Diagnostic) -> None:
        self.found = found


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._at = 0

    def fields(self) -> tuple[dict[str, Any], dict[str, Span]]:
        values: dict[str, Any] = {}
        places: dict[str, Span] = {}
        self._mark("{")
        is_more = self._next() != "}"
        while is_more:
            if self._next() != '"':
                raise self._not_json(self._at, _ASKED['"'])
            name, place = self._value()
            if name in values:
                raise self._not_json(place.start, Words(f"名称 {name} 写了两次", f"the name {name} stands twice"))
            self._mark(":")
            values[name], places[name] = self._value()
            is_more = self._next() == ","
            if is_more:
                self._mark(",")
        if self._next() != "}":
            raise self._not_json(self._at, _ASKED[","])
        self._at += 1
        if self._next():
            raise self._not_json(self._at, _ASKED[""])
        return values, places

    def _next(self) -> str:
        """Return the mark that comes next, '' at the end."""
        blank = _BLANK.match(self._text, self._at)
        self._at = blank.end() if blank is not None else self._at
        return self._text[self._at : self._at + 1]

    def _mark(self, wanted: str) -> None:
        if self._next() != wanted:
            raise self._not_json(self._at, _ASKED[wanted])
        self._at += 1

    def _value(self) -> tuple[Any, Span]:
        self._next()
        start = self._at
        try:
            value, self._at = strict_value_at(self._text, start)
        except ValueError as problem:
            text = getattr(problem, "msg", str(problem))
            words = next((said for begins, said in _SAID.items() if text.startswith(begins)), _UNREADABLE)
            raise self._not_json(getattr(problem, "pos", self._unread(start)), words) from None
        return value, Span(self._source, start, self._at)

    def _unread(self, start: int) -> int:
        """Return where the first word or number begins that is no JSON; the place itself where none is."""
        for part in _PARTS.finditer(self._text, start):
            try:
                strict_value_at(part[0], 0)
            except ValueError:
                return part.start()
        return start

    def _not_json(self, at: int, problem: Words) -> _NotJson:
        word = _WORD.match(self._text, at)
        end = word.end() if word is not None else at
        return _NotJson(
            finding("command/not-json", Span(self._source, at, end), problem_zh=problem.zh, problem_en=problem.en)
        )
