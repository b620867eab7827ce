"""Backslashes in double-quoted texts: paths of Windows, and characters in halves as JSON writes them."""

from __future__ import annotations

from interpreter.diagnostics import Diagnostic, Words, finding
from interpreter.yaml_tree.nodes import Node, scalars
from interpreter.yaml_tree.reading import Change
from rules.patterns import regex
from rules.records import NamedTuple

_TEXT = regex(r'"(?:[^"\\]|\\[\s\S])*"')
_LINE = regex(r"[^\r\n]*")
_ESCAPE = regex(
    r"""\\(?:(?P<pair>u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})
    |x(?P<two>[0-9a-fA-F]{2})|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8})
    |(?P<simple>[0abt\tnvfre\x20"/\\N_LP\r\n])|(?P<other>[\s\S]))""".replace("\n    ", "")
)
#: The beginning of a path on a drive whose first step begins with the letter of an escape: `\t` of `C:\temp` is a tab.
_PATH = regex(r'"[A-Za-z]:(\\[abtnvfre0])\w')
_DIGITS = {"x": 2, "u": 4, "U": 8}
_LONGEST_SHOWN = 60


class Escapes(NamedTuple):
    """What is to be read instead of one text.

    Shapes: `place` and `escape` are those of the first backslash that means nothing, with the reason; `escape` is ''
    where there is none.
    """

    changes: list[Change]
    place: int = 0
    escape: str = ""
    why: Words = Words("", "")
    hint: Words = Words("", "")


def escapes(text: str, start: int) -> Escapes | None:
    """Return how the double-quoted text at a place is read; None where nothing in it has to be changed.

    Two halves of a character are that character, as in JSON; any other backslash that means nothing stands for itself.
    """
    if text[start : start + 1] != '"':
        return None
    whole = _TEXT.match(text, start) or _LINE.match(text, start)
    assert whole is not None
    changes: list[Change] = []
    wrong: list[tuple[int, str, Words]] = []
    for found in _ESCAPE.finditer(text, start, whole.end()):
        if found["pair"]:
            high, low = int(found[0][2:6], 16), int(found[0][8:12], 16)
            code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
            changes.append((found.start(), found.end(), f"\\U{code:08X}"))
        elif (why := _wrong(found["two"] or found["four"] or found["eight"], found["other"])) is not None:
            wrong.append((found.start(), found[0], why))
            changes.append((found.start(), found.start() + 1, "\\\\"))
    if not changes:
        return None
    if not wrong:
        return Escapes(changes)
    place, escape, why = wrong[0]
    is_half = "\\u" in escape and len(escape) == 6
    return Escapes(changes, place, escape.split("\n")[0], why, _of_halves() if is_half else _plainly(whole[0]))


def _wrong(digits: str | None, letter: str | None) -> Words | None:
    """Say what is wrong with one escape, by its digits or by the letter of one that has none; None: nothing."""
    if digits is not None:
        code = int(digits, 16)
        if 0xD800 <= code <= 0xDFFF:
            return Words("它只是半个字符", "it is half a character")
        return Words("没有这个字符", "there is no such character") if code > 0x10FFFF else None
    if letter is None:
        return None
    count = _DIGITS.get(letter)
    if count is None:
        return Words("YAML 没有这个转义", "YAML knows no such escape")
    return Words(f"后面要有 {count} 位十六进制数字", f"{count} hexadecimal digits must follow")


def _of_halves() -> Words:
    return Words(
        "写出字符本身，或把两半都写上：\\ud83d\\ude00", "write the character itself, or both halves: \\ud83d\\ude00"
    )


def _plainly(whole: str) -> Words:
    """Return how the text is written so that each backslash stands for itself."""
    inner = whole[1:].removesuffix('"')
    if len(inner) > _LONGEST_SHOWN or "\n" in inner or "'" in inner or not inner.isprintable():
        return Words("把反斜杠写成 \\\\，或改用单引号", "write each backslash twice, or use single quotes")
    doubled = inner.replace("\\", "\\\\")
    return Words(
        f"改用单引号：'{inner}'，或把反斜杠写两遍：\"{doubled}\"",
        f"use single quotes: '{inner}', or write each backslash twice: \"{doubled}\"",
    )


def eaten_paths(node: Node) -> list[Diagnostic]:
    """Return a warning for every path of Windows in double quotes that begins with an escape; it is another text then.

    Errors: yaml/path-with-escape.
    """
    if _PATH.search(node.span.source.text) is None:
        return []
    found = []
    for scalar in scalars(node):
        if ":" in scalar.text and scalar.span.source.text.startswith('"', scalar.span.start):
            whole = scalar.span.source.text[scalar.span.start : scalar.span.end]
            path = _PATH.match(whole)
            if path is not None:
                found.append(finding("yaml/path-with-escape", scalar.span, hint=_plainly(whole), escape=path[1]))
    return found
