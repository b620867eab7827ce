"""Jinja2's parser over tokens that are already there."""

from __future__ import annotations

from jinja2 import nodes as jinja
from jinja2.parser import Parser

from rules.expr.tokens import Token, stream_of


class ExpressionParser(Parser):
    """Jinja2's parser over tokens that are already there."""

    def __init__(self, tokens: list[Token]) -> None:
        self.stream = stream_of(tokens)
        self.name = self.filename = None
        self.closed = False
        self.extensions = {}
        self._last_identifier = 0
        self._tag_stack = []
        self._end_token_stack = []

    def parse_test(self, node: jinja.Expr) -> jinja.Expr:
        """Read `is name` and `is name(…)`.

        Jinja2 also takes what follows without brackets as the argument, and so reads `x is absent if …` as
        `x is absent(if)`; here an argument stands in brackets.
        """
        token = next(self.stream)
        negated = self.stream.skip_if("name:not")
        name = self.stream.expect("name").value
        positional: list[jinja.Expr] = []
        keywords: list[jinja.Keyword] = []
        many: jinja.Expr | None = None
        if self.stream.current.type == "lparen":
            positional, keywords, many, fields = self.parse_call_args()
            many = many or fields
        test = jinja.Test(node, name, positional, keywords, many, None, lineno=token.lineno)
        return jinja.Not(test, lineno=token.lineno) if negated else test
