"""Jinja2's parser over tokens that are already there, its operators read without a call for each level of them."""

from __future__ import annotations

from typing import Final

from jinja2 import nodes as jinja
from jinja2.parser import Parser

from rules.expr.tokens import Token, stream_of

_OR, _AND, _NOT, _COMPARISON, _SUM, _CONCATENATION, _PRODUCT, _POWER = range(1, 9)
"""How strongly the operators bind, `not` among them; the operands of all others are what Jinja2 calls unary."""
_LEVELS: Final = {
    **dict.fromkeys(("eq", "ne", "lt", "lteq", "gt", "gteq"), _COMPARISON),
    **dict.fromkeys(("add", "sub"), _SUM),
    "tilde": _CONCATENATION,
    **dict.fromkeys(("mul", "div", "floordiv", "mod"), _PRODUCT),
    "pow": _POWER,
}
_WORD_LEVELS: Final = {"or": _OR, "and": _AND, "in": _COMPARISON}
_BINARY: Final[dict[str, type[jinja.BinExpr]]] = {
    "or": jinja.Or, "and": jinja.And, "add": jinja.Add, "sub": jinja.Sub, "mul": jinja.Mul, "div": jinja.Div,
    "floordiv": jinja.FloorDiv, "mod": jinja.Mod, "pow": jinja.Pow,
}  # fmt: skip


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

    def parse_or(self) -> jinja.Expr:
        return self._joined(_OR)

    def _joined(self, least: int) -> jinja.Expr:
        """Read operands and the operators between them that bind at least so strongly.

        The nodes and their places are Jinja2's, whose own methods go through all levels at each operand.
        """
        stream = self.stream
        begun = stream.current.lineno
        if least <= _NOT and stream.current.test("name:not"):
            next(stream)
            node: jinja.Expr = jinja.Not(self._joined(_NOT), lineno=begun)
        else:
            node = self.parse_unary()
        before = 0
        while (level := self._level()) >= least:
            # A second operator of a level is placed where it stands, the first one where its operand begins.
            place = stream.current.lineno if level == before else begun
            if level == _COMPARISON:
                node = self._compared(node)
            elif level == _CONCATENATION:
                node = self._concatenated(node, place)
            else:
                token = next(stream)
                made = _BINARY[token.value if token.type == "name" else token.type]
                node = made(node, self._joined(level + 1), lineno=place)
            before = level
        return node

    def _level(self) -> int:
        """Return how strongly the operator binds that comes next, 0 where there is none."""
        token = self.stream.current
        if token.type != "name":
            return _LEVELS.get(token.type, 0)
        if token.value == "not" and self.stream.look().test("name:in"):
            return _COMPARISON
        return _WORD_LEVELS.get(token.value, 0)

    def _compared(self, first: jinja.Expr) -> jinja.Expr:
        stream, steps = self.stream, []
        while self._level() == _COMPARISON:
            token = next(stream)
            operator = "notin" if token.value == "not" else token.value if token.type == "name" else token.type
            if operator == "notin":
                next(stream)
            steps.append(jinja.Operand(operator, self._joined(_COMPARISON + 1)))
        return jinja.Compare(first, steps, lineno=stream.current.lineno)

    def _concatenated(self, first: jinja.Expr, place: int) -> jinja.Expr:
        parts = [first]
        while self.stream.skip_if("tilde"):
            parts.append(self._joined(_CONCATENATION + 1))
        return jinja.Concat(parts, lineno=place)

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
