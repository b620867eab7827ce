"""Texts for people: the language chosen, and nothing in a value that a terminal could take for a command.

Whatever comes from a tool, a file or a person passes `safe` before it is printed: control and bidirectional characters
are shown as escapes, so that a title can neither move the cursor nor turn a line around.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from interpreter.diagnostics import Words
from rules.values import canonical_text

#: A runner of GitHub Actions takes what is printed for its own commands where a line begins so.
COMMAND_BEGINS = ("::", "##[")
#: Format characters that are harmless and needed to write some scripts and emoji.
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")


def safe(text: str, *, line_breaks: bool = False) -> str:
    """Return a text as a terminal may show it; with `line_breaks` those stay as they are."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(mark if _is_plain(mark, line_breaks) else _escape(mark) for mark in text)


def safe_json(text: str) -> str:
    """Return JSON that says the same, with whatever `safe` would not show written as escapes of JSON."""
    return text if text.isascii() else text.translate(_ESCAPES)


class _Escapes(dict[int, int | str]):
    """How each character stands in JSON that is shown; looked at when it first comes by."""

    def __missing__(self, number: int) -> int | str:
        mark = chr(number)
        self[number] = number if _is_plain(mark, True) else json.dumps(mark)[1:-1]
        return self[number]


_ESCAPES = _Escapes()


def _is_plain(mark: str, line_breaks: bool) -> bool:
    if mark == "\n":
        return line_breaks
    if mark in _JOINERS:
        return True
    return unicodedata.category(mark) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _escape(mark: str) -> str:
    number = ord(mark)
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(mark)
    if short is not None:
        return short
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def is_bilingual(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"zh", "en"}


def in_language(value: Any, language: str) -> Any:
    """Return a value with every `{zh, en}` in it turned into one text."""
    if isinstance(value, dict):
        if is_bilingual(value):
            return in_language(value[language], language)
        return {name: in_language(part, language) for name, part in value.items()}
    if isinstance(value, list):
        return [in_language(part, language) for part in value]
    return value


def shown(value: Any, language: str, *, line_breaks: bool = False) -> str:
    """Return any value as a person reads it."""
    value = in_language(value, language)
    if value is None:
        return ""
    if value is True or value is False:
        return {("zh", True): "是", ("zh", False): "否", ("en", True): "yes", ("en", False): "no"}[language, value]
    if isinstance(value, list) and all(isinstance(part, (str, int)) for part in value):
        return safe(("、" if language == "zh" else ", ").join(str(part) for part in value))
    return safe(canonical_text(value), line_breaks=line_breaks)


def instant(text: str) -> str:
    """Return a recorded instant as a person reads it, to the minute: `2026-07-08 09:00 UTC`."""
    return f"{text[:10]} {text[11:16]} UTC" if text[10:11] == "T" else text


def pick(words: Words | Mapping[str, str], language: str) -> str:
    return words[language]
