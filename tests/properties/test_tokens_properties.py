"""Tokens and nodes are those of Jinja2's own lexer and parser, whatever the text; short ways lead where the long do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import jinja2
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2.nodes import Node
from jinja2.parser import Parser

from rules.expr import parse
from rules.expr.mistakes import Mistake
from rules.expr.parser import ExpressionParser
from rules.expr.tokens import Token, tokens_of

_LEXER = jinja2.Environment(keep_trailing_newline=True).lexer
#: What the reader of tokens refuses by itself, though Jinja2 has a token for it.
_OWN = frozenset({"bad-name", "number-form", "number-too-long", "unknown-escape"})

pieces = st.sampled_from(
    [
        "{{", "}}", "{%", "%}", "{{-", "-}}", "{%-", "-%}", "+%}", "{{+", "{#", "#}", "-#}", "{#-", " raw ",
        "{% raw %}", "{% endraw %}", " ", "\n", "\r\n", "\u3000", "a", "é", "e\u0301", "\u0301", "名", "_x", "a.b",
        "x[1]", "if", "not", "1", "1.5", "1_000", "0x1f", "1e5", "٣", "'", '"', "'a\\'b'", '"x"', "(", ")", "[", "]",
        "{", "}", ".", "..", "|", "~", "==", "=", "<", ">=", "!", "//", "**", "-", "%", ":", ",", ";", "$", "@", "#",
        "\\", "`", "？", "\x00", "\x0b",
    ]
)  # fmt: skip
texts = st.lists(pieces, max_size=10).map("".join)


@given(texts | texts.map("{{{{ {} }}}}".format), st.booleans())
@example("{#", True)
@example("{% raw %}", True)
@example("a }} {{ b", False)
def test_tokens_are_those_of_jinja(text: str, template: bool) -> None:
    try:
        ours: list[Token] | Mistake = tokens_of(text, template=template)
    except Mistake as mistake:
        ours = mistake
    try:
        theirs = list(_of_jinja(text, template=template))
    except jinja2.TemplateSyntaxError:
        assert isinstance(ours, Mistake)
        return
    if isinstance(ours, Mistake):
        assert ours.code in _OWN
        return
    skipped = {"comment", "comment_end", "raw_end"}
    begun = next((place for place, (kind, _) in enumerate(theirs) if kind in ("comment_begin", "raw_begin")), None)
    if begun is not None:  # what follows is refused with the whole text
        theirs, ours = theirs[: begun + 1], ours[: begun + 1]
    assert [(_kind(one), text[one.start : one.end].replace("\r", " ")) for one in ours] == [
        each for each in theirs if each[0] not in skipped
    ]


def _kind(token: Token) -> str:
    """Return the kind that the lexer gives; ours are those of the parser, where each operator has its own."""
    from jinja2.lexer import reverse_operators

    return "operator" if token.type in reverse_operators else token.type


def _of_jinja(text: str, *, template: bool) -> Iterator[tuple[str, Any]]:
    state = None if template else "variable"
    for _, kind, piece in _LEXER.tokeniter(text.replace("\r", " "), None, None, state):
        if kind != "whitespace":
            yield kind, piece


# --- nodes ------------------------------------------------------------------------------------------------------------

operands = st.sampled_from(
    ["a", "b.c", "1", "'x'", "-a", "+a", "not", "a | count", "a is absent", "a is not text", "(a or b)", "[a]", "if"]
)
operators = st.sampled_from(
    ["or", "and", "not", "in", "not in", "==", "!=", "<", "<=", "+", "-", "~", "*", "/", "//", "%", "**", ",", "if",
     "else", "is"]
)  # fmt: skip


class OnlyJinja(ExpressionParser):
    """The parser with Jinja2's own way through the levels of operators."""

    parse_or = Parser.parse_or


@given(operands, st.lists(st.tuples(operators, operands), max_size=8))
@example(
    "a", [("*", "b"), ("+", "c"), ("*", "d"), ("+", "e"), ("~", "f"), ("not in", "g"), ("and", "not"), ("or", "i")]
)
def test_nodes_and_their_places_are_those_of_jinja(first: str, rest: list[tuple[str, str]]) -> None:
    tokens = tokens_of(" ".join([first, *(word for pair in rest for word in pair)]), template=False)
    assert _read(ExpressionParser, tokens) == _read(OnlyJinja, tokens)


def _read(parser: type[ExpressionParser], tokens: list[Token]) -> object:
    """Return the node and where the reading ended, or what was refused and where."""
    reading = parser(tokens)
    try:
        return _plain(reading.parse_expression()), reading.stream.current
    except jinja2.TemplateSyntaxError as error:
        return error.message, error.lineno, reading.stream.current


def _plain(node: object) -> object:
    if isinstance(node, list):
        return [_plain(one) for one in node]
    if isinstance(node, Node):
        return type(node).__name__, node.lineno, [_plain(one) for _, one in node.iter_fields()]
    return node


names = st.sampled_from(
    ["a", "b_c", "_x", "x1", "true", "True", "None", "none", "null", "absent", "not", "and", "or", "in", "is", "if",
     "else", "for", "endif", "set", "self", "loop", "length", "size", "items", "__class__", "é", "a名", "1", ""]
)  # fmt: skip


@given(
    st.lists(names, min_size=1, max_size=12).map(".".join), st.sampled_from(["{}", "{{{{ {} }}}}", "{{{{{}}}}}", " {}"])
)
def test_a_path_is_read_as_any_other_expression(path: str, form: str) -> None:
    text = form.format(path)
    short = parse.read_expression(text), parse.read_text(text)
    with mock.patch.object(parse, "_read_path", return_value=None):
        assert (parse.read_expression(text), parse.read_text(text)) == short
