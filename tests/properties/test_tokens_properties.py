"""The tokens of a text are those of Jinja2's own lexer, whatever the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jinja2
from hypothesis import example, given
from hypothesis import strategies as st

from rules.expr.mistakes import Mistake
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
