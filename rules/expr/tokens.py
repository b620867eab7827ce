"""Text to tokens, each with its range of characters, by Jinja2's lexer.

Jinja2 knows only lines. Its lexer hands out the characters of a text piece by piece, so the place of each piece is the
sum of the ones before it; only blanks that `{{-` swallows are skipped. The parser then gets these places *as* line
numbers, and every node carries its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from jinja2.exceptions import TemplateSyntaxError
from jinja2.lexer import Token as ParserToken
from jinja2.lexer import TokenStream, get_lexer, operators

from rules.expr.mistakes import Mistake, unexpected_character
from rules.patterns import regex
from rules.values import number

ENVIRONMENT: Final[Any] = SimpleNamespace(
    block_start_string="{%",
    block_end_string="%}",
    variable_start_string="{{",
    variable_end_string="}}",
    comment_start_string="{#",
    comment_end_string="#}",
    line_statement_prefix=None,
    line_comment_prefix=None,
    trim_blocks=False,
    lstrip_blocks=False,
    newline_sequence="\n",
    keep_trailing_newline=True,
)
"""What the lexer and the parser ask of an environment; a real one brings Jinja2's compiler with it."""
_LEXER: Final = get_lexer(ENVIRONMENT)
#: A day, with its time or without; a number parted by commas.
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+Z?)?(?![0-9A-Za-z_-])")
_PARTED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9.,])")
_NUMBER = regex(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")
_ESCAPE = regex(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_LEFT_OUT: Final = frozenset({"whitespace"})

OPENING: Final = {"lparen": "rparen", "lbracket": "rbracket", "lbrace": "rbrace"}
CLOSING: Final = frozenset(OPENING.values())


class Token(NamedTuple):
    """Shapes: `type` in Jinja2's words (name, string, integer, lparen, variable_begin, data, …)."""

    type: str
    value: object
    start: int
    end: int


def tokens_of(text: str, *, template: bool) -> list[Token]:
    """Return the tokens of a text with holes, or of a bare expression.

    Errors: Mistake for what no token begins with.
    """
    # The lexer turns line breaks into \n, which would shift what follows; a blank keeps the place.
    source = text.replace("\r", " ")
    result: list[Token] = []
    at = depth = 0
    try:
        for _, kind, piece in _LEXER.tokeniter(source, None, None, None if template else "variable"):
            if not source.startswith(piece, at):
                at = _after_blanks(source, at)
            start, at = at, at + len(piece)
            if kind == "operator":
                depth += (piece in "([{") - (piece in ")]}")
            elif kind in ("integer", "float"):
                _refuse_figures(source, start, inside=depth > 0)
            if kind not in _LEFT_OUT:
                result.append(_token(kind, text[start:at], start, at))
    except TemplateSyntaxError as error:
        raise _lexer_mistake(source, at, error.message or "") from None
    return result


def stream_of(tokens: list[Token]) -> TokenStream:
    """Return the tokens as Jinja2's parser wants them, places standing as line numbers."""
    return TokenStream(_parser_tokens(tokens), None, None)


def _parser_tokens(tokens: list[Token]) -> Iterator[ParserToken]:
    for token in tokens:
        yield ParserToken(token.start, token.type, token.value)  # type: ignore[arg-type]


def _after_blanks(source: str, at: int) -> int:
    while at < len(source) and source[at].isspace():
        at += 1
    return at


def _token(kind: str, piece: str, start: int, end: int) -> Token:
    if kind == "operator":
        return Token(operators[piece], piece, start, end)
    if kind == "name":
        if not piece.isidentifier():
            raise Mistake("bad-name", start, end, name=piece)
        return Token(kind, piece, start, end)
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


def _lexer_mistake(source: str, at: int, message: str) -> Mistake:
    if message.startswith("Missing end of comment"):
        return Mistake("comment", at - 2, at)
    if message.startswith("Missing end of raw"):
        return Mistake("unknown-statement", at, at + 1, statement="raw")
    return unexpected_character(source, at)
