"""Text to tokens, each with its range of characters, by the patterns of Jinja2's lexer.

Jinja2 knows only lines, and tries all of its patterns one after the other at each character; here the character says
which may match, and the tokens are the same. Jinja2's parser then gets their places *as* line numbers, and every node
carries its own.
"""

from __future__ import annotations

import re
import string
from typing import Final, TypeAlias

from jinja2._identifier import pattern as name_re
from jinja2.lexer import TokenStream, float_re, integer_re, operator_re, operators, string_re, whitespace_re

from rules.expr.mistakes import Mistake, unexpected_character
from rules.patterns import regex
from rules.records import NamedTuple
from rules.values import number

#: A day, with its time or without; a number parted by commas.
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+Z?)?(?![0-9A-Za-z_-])")
_PARTED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9.,])")
_NUMBER = regex(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")
_ESCAPE = regex(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_BEGIN = regex(r"\{(?P<kind>[{%#])(?P<strips>[-+]?)")
_ENDS: Final = {"{": ("variable", regex(r"-\}\}\s*|\}\}")), "%": ("block", regex(r"\+%\}|-%\}\s*|%\}"))}
"""What ends a hole and a statement; blanks behind a mark with `-` belong to it."""
_COMMENT_END = regex(r"\+#\}|-#\}\s*|#\}")
_RAW = regex(r"\{%[-+]?\s*raw\s*(?:-%\}\s*|%\})")
_RAW_END = regex(r"\{%[-+]?\s*endraw\s*(?:\+%\}|-%\}\s*|%\})")

_Pattern: TypeAlias = tuple[str, re.Pattern[str]]
_NAME: Final[_Pattern] = ("name", name_re)
_NUMBERS: Final[tuple[_Pattern, ...]] = (("float", float_re), ("integer", integer_re), _NAME)
_BLANK: Final[_Pattern] = ("whitespace", whitespace_re)
_STRING: Final[_Pattern] = ("string", string_re)
_OPERATOR: Final[_Pattern] = ("operator", operator_re)
_ANYTHING: Final[tuple[_Pattern, ...]] = (_BLANK, *_NUMBERS, _STRING, _OPERATOR)
_BY_FIRST: Final[dict[str, tuple[_Pattern, ...]]] = {
    **dict.fromkeys(string.punctuation, (_OPERATOR,)),
    **dict.fromkeys(string.ascii_letters + "_", (_NAME,)),
    **dict.fromkeys(string.digits, _NUMBERS),
    **dict.fromkeys(" \t\n", (_BLANK,)),
    **dict.fromkeys("'\"", (_STRING,)),
}
"""The patterns that may match where a character stands, in the order of Jinja2; at any other one all may."""

_BEGINS_WORD: Final = frozenset(string.ascii_letters + "_")
_WORD = regex(r"[A-Za-z0-9_]++(?![^\x00-\x7f])")
"""A name in ASCII, as nearly all are; one that goes on in other letters is left to the pattern of Jinja2."""

OPENING: Final = {"lparen": "rparen", "lbracket": "rbracket", "lbrace": "rbrace"}
CLOSING: Final = frozenset(OPENING.values())
_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """What Jinja2's parser takes for one of its own, with the place standing as line number.

    Shapes: `type` in Jinja2's words (name, string, integer, lparen, variable_begin, data, …).
    """

    type: str
    value: object
    start: int
    end: int

    @property
    def lineno(self) -> int:
        return self.start

    def test(self, wanted: str) -> bool:
        """Say whether this is a token of a type, or with `type:value` that one word of it."""
        return self.type == wanted or (":" in wanted and wanted.split(":", 1) == [self.type, self.value])

    def test_any(self, *wanted: str) -> bool:
        return any(map(self.test, wanted))


_new_token: Final = tuple.__new__
"""Half the cost of Token(…)."""


def tokens_of(text: str, *, template: bool) -> list[Token]:
    """Return the tokens of a text with holes, or of a bare expression.

    Errors: Mistake for what no token begins with.
    """
    lexer = _Lexer(text)
    at = 0 if template else lexer.read_inside(0, "{")
    while at < len(text):
        at = lexer.read_words(at)
    return lexer.tokens


class _Lexer:
    def __init__(self, text: str) -> None:
        self._text = text
        # A line break of another kind would end no line for Jinja2's patterns; a blank keeps the place.
        self._source = text.replace("\r", " ")
        self.tokens: list[Token] = []

    def read_words(self, at: int) -> int:
        """Read what stands outside, and the hole or statement behind it; returns where that ends."""
        source = self._source
        found = _BEGIN.search(source, at)
        start = found.start() if found is not None else len(source)
        words = source[at:start].rstrip() if found is not None and found["strips"] == "-" else source[at:start]
        if words:
            self._add("data", at, at + len(words))
        if found is None:
            return start
        if found["kind"] == "#":
            self._add("comment_begin", start, found.end())
            return self._skip(_COMMENT_END, found.end(), Mistake("comment", found.end() - 2, found.end()))
        raw = _RAW.match(source, start) if found["kind"] == "%" else None
        if raw is not None:
            self._add("raw_begin", start, raw.end())
            unclosed = Mistake("unknown-statement", raw.end(), raw.end() + 1, statement="raw")
            return self._skip(_RAW_END, raw.end(), unclosed)
        self._add(f"{_ENDS[found['kind']][0]}_begin", start, found.end())
        return self.read_inside(found.end(), found["kind"])

    def _skip(self, ending: re.Pattern[str], at: int, unclosed: Mistake) -> int:
        if at == len(self._source):
            return at
        found = ending.search(self._source, at)
        if found is None:
            raise unclosed
        return found.end()

    def _add(self, kind: str, start: int, end: int) -> None:
        self.tokens.append(Token(kind, self._text[start:end], start, end))

    def read_inside(self, at: int, kind: str) -> int:
        """Read a hole or a statement with its end, or what there is of it; returns where that ends."""
        source = self._source
        name, ending = _ENDS[kind]
        awaited: list[str] = []
        while at < len(source):
            mark = source[at]
            if mark == " ":
                at += 1
                continue
            word = _WORD.match(source, at) if mark in _BEGINS_WORD else None
            if word is not None:
                self.tokens.append(_new_token(Token, ("name", word[0], at, word.end())))
                at = word.end()
                continue
            end = ending.match(source, at) if mark in "-+%}" and not awaited else None
            if end is not None:
                self._add(f"{name}_end", at, end.end())
                return end.end()
            found_kind, stop = self._find(mark, at)
            if found_kind == "operator":
                if mark in "()[]{}":
                    self._balance(mark, at, awaited)
            elif found_kind in ("integer", "float"):
                _refuse_figures(source, at, inside=bool(awaited))
            if found_kind != "whitespace":
                self.tokens.append(_token(found_kind, self._text[at:stop], at, stop))
            at = stop
        return at

    def _find(self, mark: str, at: int) -> tuple[str, int]:
        """Return the kind of the token that begins at a character, and where it ends."""
        for kind, pattern in _BY_FIRST.get(mark, _ANYTHING):
            found = pattern.match(self._source, at)
            if found is not None:
                return kind, found.end()
        raise unexpected_character(self._source, at)

    def _balance(self, mark: str, at: int, awaited: list[str]) -> None:
        if mark in _CLOSES:
            awaited.append(_CLOSES[mark])
        elif mark in "}])" and (not awaited or awaited.pop() != mark):
            raise unexpected_character(self._source, at)


def stream_of(tokens: list[Token]) -> TokenStream:
    """Return the tokens as Jinja2's parser wants them."""
    return TokenStream(tokens, None, None)  # type: ignore[arg-type]


def _token(kind: str, piece: str, start: int, end: int) -> Token:
    if kind == "operator":
        return _new_token(Token, (operators[piece], piece, start, end))
    if kind == "name":
        if not piece.isidentifier():
            raise Mistake("bad-name", start, end, name=piece)
        return _new_token(Token, (kind, piece, start, end))
    if kind == "string":
        return Token(kind, _unescaped(piece, start), start, end)
    if kind in ("integer", "float"):
        return Token(kind, _number(piece, start, end), start, end)
    return Token(kind, piece, start, end)


def _refuse_figures(source: str, start: int, *, inside: bool) -> None:
    """Refuse a date without quotes, and a number whose thousands a comma parts; inside brackets it may part a list."""
    date = _DATE.match(source, start)
    if date is not None:
        quoted = f"'{date[0]}'"
        instead = f'"{quoted}"' if date[0] == source.strip() else quoted
        raise Mistake("number-form", start, date.end(), number=date[0], instead=instead, instead_zh=instead)
    parted = _PARTED.match(source, start)
    if parted is not None and (not inside or ",0" in parted[0]):
        instead = parted[0].replace(",", "")
        raise Mistake("number-form", start, parted.end(), number=parted[0], instead=instead, instead_zh=instead)


def _number(piece: str, start: int, end: int) -> object:
    if _NUMBER.match(piece) is None:
        facts = {"instead": "12 or 0.5; put an identifier in quotes", "instead_zh": "12 或 0.5 这样；标识请加引号"}
        raise Mistake("number-form", start, end, number=piece, **facts)
    try:
        return number(piece)
    except ValueError:
        raise Mistake("number-too-long", start, end) from None


def _unescaped(piece: str, start: int) -> str:
    if "\\" not in piece:
        return piece[1:-1]

    def character(escape: re.Match[str]) -> str:
        code = escape[1]
        if len(code) == 5:
            return chr(int(code[1:], 16))
        if code not in _ESCAPED:
            raise Mistake("unknown-escape", start + escape.start(), start + escape.end(), escape=escape[0])
        return _ESCAPED[code]

    inside = piece[1:-1]
    start += 1
    return _ESCAPE.sub(character, inside)
