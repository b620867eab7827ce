"""Text to nodes: Jinja2's parser reads, a written list of its nodes is taken over, everything else is a finding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, Literal

from jinja2 import nodes as jinja
from jinja2.exceptions import TemplateSyntaxError
from jinja2.parser import Parser

from rules.expr import tree
from rules.expr.foreign_calls import meant_call
from rules.expr.functions import FUNCTIONS, find_function, meant_function, near_function
from rules.expr.inspect import Inspection, inspect_apply, inspect_constant, inspect_nodes
from rules.expr.mistakes import (
    METHODS,
    OPERATORS,
    PREFIXES,
    PROPERTIES,
    SEVERAL,
    TESTS,
    WITHOUT_ONE,
    Mistake,
    foreign_pair,
    stray_marks,
)
from rules.expr.parser import ExpressionParser
from rules.expr.signatures import Function
from rules.expr.tokens import CLOSING, OPENING, Token, tokens_of
from rules.findings import Finding, expression_finding
from rules.patterns import regex
from rules.values import ABSENT

MAX_CHARACTERS: Final = 4_000
MAX_TEXT_CHARACTERS: Final = 20_000
MAX_BRACKETS: Final = 30
MAX_BLOCKS: Final = 10
MAX_DEPTH: Final = 100

WARNINGS: Final = frozenset(
    {
        "expression/needs-brackets", "expression/never-matches", "expression/looks-like-a-property",
        "expression/stray-mark",
    }
)  # fmt: skip
"""Findings that leave a text usable."""

STATEMENTS: Final = ("if", "elif", "else", "endif", "for", "endfor")
_OTHER_STATEMENTS: Final = {
    "elseif": "elif", "elsif": "elif", "elsef": "elif", "end": "endif", "fi": "endif", "foreach": "for",
    "endforeach": "endfor", "unless": "if not", "endunless": "endif", "done": "endfor",
}  # fmt: skip
_NESTING: Final = (("(", "[", "{"), ("not", "-", "+"), ("else",))
"""What brackets, prefixes and branches are written with."""
_OPENING = regex(r"\{\{|\{%")
_MARK = regex(r"""\{\{|\{%|\}\}|%\}|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_ARITHMETIC: Final[dict[type, Literal["+", "-", "*", "//", "%"]]] = {
    jinja.Add: "+",
    jinja.Sub: "-",
    jinja.Mul: "*",
    jinja.FloorDiv: "//",
    jinja.Mod: "%",
}
_COMPARISONS: Final = {
    "eq": "==", "ne": "!=", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">=", "in": "in", "notin": "not in",
}  # fmt: skip
_ORDERINGS: Final = frozenset({"<", "<=", ">", ">="})
_LONGEST_SHOWN: Final = 60
"""Units: characters. A longer text is not written out again in a message."""


def read_expression(text: str) -> tuple[tree.Node | None, list[Finding]]:
    """Return the node of a bare expression, None where a finding is an error. Never raises."""
    try:
        return _read_expression(text)
    except Mistake as mistake:
        return None, [_finding(mistake)]
    except RecursionError:
        return None, [expression_finding("too-deep", 0, len(text), at_most=MAX_BRACKETS)]


def read_text(text: str) -> tuple[tuple[tree.Part, ...] | None, list[Finding]]:
    """Return the parts of a text with holes, None where a finding is an error. Never raises."""
    try:
        return _read_text(text)
    except Mistake as mistake:
        return None, [_finding(mistake)]
    except RecursionError:
        return None, [expression_finding("too-deep", 0, len(text), at_most=MAX_BRACKETS)]


def has_holes(text: str) -> bool:
    return "{{" in text or "{%" in text or "{#" in text


def _finding(mistake: Mistake) -> Finding:
    return expression_finding(mistake.code, mistake.start, mistake.end, **mistake.facts)


#: A hole of a text; what an author writes between two values of an expression; what binds less than ~.
_HOLE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_BETWEEN = re.compile(r"\s*(?:~|==|!=|[<>]=?|\||\+|\*|//|%)\s|\s+(?:-|and|or|in|not|if|is)\s")
_LOOP = re.compile(
    r"\{%-?\s*for\s+(?P<name>\w+)\s+in\s+(?P<list>[^{}%]+?)\s*-?%\}"
    r"\{\{-?\s*(?P=name)(?:\.(?P<field>\w+))?\s*-?\}\}(?P<between>[^{}'\\\n]*)\{%-?\s*endfor\s*-?%\}"
)
_LOOSE = re.compile(r"[<>=]|\s(?:and|or|in|not|if|is)\s|^not\s")


def _result(reader: _Reader) -> bool:
    return all(finding.code in WARNINGS for finding in reader.findings)


def _read_expression(text: str) -> tuple[tree.Node | None, list[Finding]]:
    if len(text) > MAX_CHARACTERS:
        raise Mistake("too-long", MAX_CHARACTERS, len(text), at_most=MAX_CHARACTERS, length=len(text))
    stripped = text.strip()
    if not stripped:
        raise Mistake("empty", 0, len(text))
    if stripped.startswith(("{{", "{%")):
        start = text.index(stripped[0])
        raise Mistake("braces-in-expression", start, start + 2, braces=stripped[:2], instead=_without_braces(stripped))
    tokens = tokens_of(text, template=False)
    reader = _Reader(text, tokens)
    for token in tokens:
        if token.type in ("variable_end", "block_end", "data"):
            raise Mistake("unexpected", token.start, token.start + 2, found=text[token.start : token.start + 2])
    _refuse_before_parsing(text, tokens)
    parser = ExpressionParser(tokens)
    try:
        node = parser.parse_expression()
        if not parser.stream.eos:
            raise reader.unexpected(parser.stream.current.lineno)
    except TemplateSyntaxError as error:
        raise reader.mistake(error, parser) from None
    built = reader.whole(node)
    return (built if _result(reader) else None), reader.in_order()


def _without_braces(text: str) -> str:
    """Return what a text with holes is as an expression: the hole alone, its pieces joined by ~, or a list joined."""
    if re.search(r"\{%-?\s*for\b", text):
        loop = _LOOP.fullmatch(text)
        return _joined(loop["list"], loop["field"], loop["between"]) if loop else "list | pluck('field') | join(', ')"
    if "{%" in text:
        return "a if … else b"
    words = _HOLE.split(text)[::2]
    holes = [hole.strip() for hole in _HOLE.findall(text)]
    if all(not piece.strip() or _BETWEEN.match(piece) for piece in words[1:]) and any(map(str.strip, words)):
        return _HOLE.sub(lambda hole: hole[1].strip(), text)
    pieces: list[str] = []
    for number, piece in enumerate(words):
        if piece:
            pieces.append("'" + piece.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'")
        if number < len(holes):
            pieces.append(holes[number])
    if len(pieces) == 1:
        return pieces[0]
    return " ~ ".join(f"({piece})" if _LOOSE.search(piece) and piece in holes else piece for piece in pieces)


def _joined(rows: str, field: str | None, between: str) -> str:
    """Return a loop that writes a field of each entry, or the entry, as a filter that joins them."""
    listed = f"({rows})" if _LOOSE.search(rows) else rows
    plucked = f" | pluck('{field}')" if field else ""
    return f"{listed}{plucked} | join('{between}')"


def _read_text(text: str) -> tuple[tuple[tree.Part, ...] | None, list[Finding]]:
    if len(text) > MAX_TEXT_CHARACTERS and has_holes(text):
        raise Mistake("too-long", MAX_TEXT_CHARACTERS, len(text), at_most=MAX_TEXT_CHARACTERS, length=len(text))
    if not has_holes(text):
        return ((tree.Words(text),) if text else ()), []
    _refuse_unclosed(text)
    tokens = tokens_of(text, template=True)
    for token in tokens:
        if token.type.startswith("comment"):
            raise Mistake("comment", token.start, token.end)
        if token.type.startswith("raw"):
            raise Mistake("unknown-statement", token.start, token.end, statement="raw")
    if "{%" in text:
        _refuse_statements(tokens)
    _refuse_before_parsing(text, tokens)
    if len(text) > MAX_CHARACTERS:
        _refuse_long_holes(tokens)
    reader = _Reader(text, tokens)
    parser = ExpressionParser([token for token in tokens if token.type != "comment"])
    try:
        body = parser.subparse()
    except TemplateSyntaxError as error:
        raise reader.mistake(error, parser) from None
    parts = tuple(reader.parts(body))
    _report_stray_marks(reader)
    return (parts if _result(reader) else None), reader.in_order()


def _report_stray_marks(reader: _Reader) -> None:
    words = ((token.start, str(token.value)) for token in reader.tokens if token.type == "data")
    for mark, at in stray_marks(words):
        reader.report("stray-mark", at, at + len(mark), mark=mark)


# --- what is refused before Jinja2 reads ------------------------------------------------------------------------------


def _refuse_unclosed(text: str) -> None:
    """Raise for an opening mark whose closing mark does not come before the next opening one."""
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        closing = "}}" if opening[0] == "{{" else "%}"
        at = opening.end()
        while (mark := _MARK.search(text, at)) is not None and mark[0][0] in "'\"":
            at = mark.end()
        if mark is None or mark[0] in ("{{", "{%"):
            place = opening.start()
            raise Mistake("hole-not-closed", place, place + 2, mark=opening[0], closing=closing)
        at = mark.end()


def _refuse_statements(tokens: Sequence[Token]) -> None:
    for token, following in pairwise(tokens):
        if token.type != "block_begin":
            continue
        word = following.value if following.type == "name" else ""
        if word in STATEMENTS:
            continue
        start, end = (following.start, following.end) if word else (token.start, token.end)
        if word in _OTHER_STATEMENTS:
            raise Mistake("misspelled-statement", start, end, statement=word, instead=_OTHER_STATEMENTS[str(word)])
        raise Mistake("unknown-statement", start, end, statement=word or following.value)


def _refuse_before_parsing(text: str, tokens: Sequence[Token]) -> None:
    foreign = foreign_pair(text, tokens)
    if foreign is not None:
        raise foreign
    # What stands there less often cannot be nested so deep.
    if any(sum(map(text.count, marks)) > MAX_BRACKETS for marks in _NESTING):
        _refuse_deep_brackets(tokens)
    if text.count("{%") > MAX_BLOCKS:
        _refuse_deep_blocks(tokens)


def _refuse_deep_brackets(tokens: Sequence[Token]) -> None:
    depth = prefixes = branches = 0
    for token in tokens:
        word = token.value if token.type == "name" else token.type
        depth += (token.type in OPENING) - (token.type in CLOSING)
        prefixes = prefixes + 1 if word in ("not", "sub", "add") else 0
        branches = 0 if token.type in ("variable_end", "block_end") else branches + (word == "else")
        if max(depth, prefixes, branches) > MAX_BRACKETS:
            raise Mistake("too-deep", token.start, token.end, at_most=MAX_BRACKETS)


def _refuse_deep_blocks(tokens: Sequence[Token]) -> None:
    depth = 0
    for token, following in pairwise(tokens):
        if token.type == "block_begin":
            depth += (following.value in ("if", "for")) - (following.value in ("endif", "endfor"))
        if depth > MAX_BLOCKS:
            raise Mistake("too-deep", token.start, token.end, at_most=MAX_BLOCKS)


def _refuse_long_holes(tokens: Sequence[Token]) -> None:
    start = 0
    for token in tokens:
        if token.type in ("variable_begin", "block_begin"):
            start = token.start
        elif token.type in ("variable_end", "block_end") and token.start - start > MAX_CHARACTERS:
            length = token.start - start
            raise Mistake("too-long", start, token.end, at_most=MAX_CHARACTERS, length=length)


# --- Jinja2's nodes to ours -------------------------------------------------------------------------------------------


class _Reader:
    """One text while its nodes are taken over; what is wrong is noted, and the reading goes on."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.by_start = {token.start: index for index, token in enumerate(tokens) if token.end > token.start}
        self.call_brackets: set[int] = set()
        self.findings: list[Finding] = []
        self.inspection = Inspection(self.findings)

    @cached_property
    def by_end(self) -> dict[int, int]:
        return {token.end: index for index, token in enumerate(self.tokens) if token.end > token.start}

    @cached_property
    def closers(self) -> dict[int, int]:
        return _matching(self.tokens)

    def in_order(self) -> list[Finding]:
        return sorted(self.findings, key=lambda finding: (finding.start or 0, finding.end or 0, finding.code))

    def report(self, code: str, start: int, end: int, **facts: object) -> None:
        self.findings.append(expression_finding(code, start, end, **facts))

    # -- syntax errors

    def unexpected(self, place: int) -> Mistake:
        index = self.by_start.get(place)
        if index is None:
            return Mistake("ends-early", len(self.text), len(self.text))
        token = self.tokens[index]
        found = self.text[token.start : token.end]
        if token.type == "assign":
            return Mistake("foreign-operator", token.start, token.end, written="=", instead="==")
        if token.type in ("variable_end", "block_end"):
            return Mistake("ends-early", token.start, token.end)
        if token.type == "comma":
            return Mistake("list-needs-brackets", token.start, token.end)
        before = self.tokens[index - 1] if index else None
        asked = self._operator_as_test(index)
        if asked is not None:
            return asked
        instead = OPERATORS.get(found.casefold()) if token.type == "name" and before is not None else None
        if instead is not None:
            return Mistake("foreign-operator", token.start, token.end, written=found, instead=instead)
        if before is not None and self._words(before) in PREFIXES:
            written = self._words(before)
            return Mistake("foreign-operator", before.start, before.end, written=written, instead=PREFIXES[written])
        if token.type in ("name", "string", "integer", "float") and before is not None:
            return Mistake("two-values", token.start, token.end, found=found, before=self._words(before))
        return Mistake("unexpected", token.start, token.end, found=found)

    def _operator_as_test(self, index: int) -> Mistake | None:
        """Return the finding for `is eq 3`, `is in [1]` and `is 3` where the value behind it, a token, is refused."""
        words = [self._words(token) for token in self.tokens[max(index - 3, 0) : index]]
        written = next((words[at:] for at, word in enumerate(words) if word == "is"), None)
        if written is None:
            return None
        asked = " ".join(written).removeprefix("is").strip()
        pair = TESTS.get(asked.removeprefix("not").strip() or "eq")
        if pair is None:
            return None
        start = self.tokens[index - len(written)].start
        end = self.tokens[index - 1].end
        instead = pair[asked.startswith("not")]
        return Mistake("foreign-operator", start, end, written=self.text[start:end], instead=instead)

    def mistake(self, error: TemplateSyntaxError, parser: Parser) -> Mistake:
        """Return the finding for what Jinja2's parser refused; its place is where the parser stands."""
        if parser.stream.current.type == "eof" and "block" in (error.message or ""):
            return self._block_not_closed()
        if parser.stream.current.type == "eof":
            return Mistake("ends-early", len(self.text), len(self.text))
        if "unknown tag" in (error.message or ""):
            index = self.by_start[error.lineno]
            token = self.tokens[index]
            return Mistake("statement-out-of-place", token.start, token.end, statement=token.value)
        return self.unexpected(parser.stream.current.lineno)

    def _block_not_closed(self) -> Mistake:
        open_blocks: list[Token] = []
        for token, following in pairwise(self.tokens):
            if token.type == "block_begin":
                if following.value in ("if", "for"):
                    open_blocks.append(following)
                elif following.value in ("endif", "endfor") and open_blocks:
                    open_blocks.pop()
        if not open_blocks:
            return Mistake("ends-early", len(self.text), len(self.text))
        block = open_blocks[-1]
        return Mistake("block-not-closed", block.start, block.end, statement=block.value, closing=f"end{block.value}")

    def _words(self, token: Token) -> str:
        return self.text[token.start : token.end]

    # -- parts of a text

    def parts(self, body: Sequence[jinja.Node]) -> Iterator[tree.Part]:
        for node in body:
            match node:
                case jinja.Output():
                    yield from self._output(node)
                case jinja.If():
                    yield self._if(node)
                case jinja.For():
                    yield from self._for(node)
                case _:
                    start = node.lineno
                    self.report("unknown-statement", start, start + 1, statement=type(node).__name__.lower())

    def _output(self, node: jinja.Output) -> Iterator[tree.Part]:
        for piece in node.nodes:
            if isinstance(piece, jinja.TemplateData):
                token = self.tokens[self.by_start[piece.lineno]]
                yield tree.Words(self._words(token))
            else:
                yield tree.Hole(self.whole(piece))

    def whole(self, node: jinja.Node) -> tree.Node:
        """Return the node of a whole expression, looked at from all sides."""
        known = len(self.findings)
        built = self.build(node, 1)
        nodes = tree.walk(built)
        inspect_nodes(nodes, self.inspection)
        if len(self.findings) == known:
            inspect_constant(nodes, self.text, self.inspection)
        return built

    def _if(self, node: jinja.If) -> tree.If:
        branches = []
        for branch in (node, *node.elif_):
            test = self.whole(branch.test)
            self.inspection.boolean(test)
            branches.append((test, tuple(self.parts(branch.body))))
        return tree.If(tuple(branches), tuple(self.parts(node.else_)))

    def _for(self, node: jinja.For) -> Iterator[tree.Part]:
        if not isinstance(node.target, jinja.Name):
            target = self.tokens[self.by_start[node.lineno] + 1]
            self.report("for-form", target.start, target.end, what="for a, b in")
            return
        token = self.tokens[self.by_start[node.target.lineno]]
        if node.test is not None or node.else_ or node.recursive:
            self.report("for-form", token.start, token.end, what="for … if / else / recursive")
            return
        rows = self.whole(node.iter)
        yield tree.For(node.target.name, token.start, token.end, rows, tuple(self.parts(node.body)))

    # -- expressions

    def build(self, node: jinja.Node, depth: int) -> tree.Node:
        """Return our node for one of Jinja2's; a refused one is reported and replaced by a name that nobody asks."""
        if depth > MAX_DEPTH:
            raise Mistake("too-deep", node.lineno, node.lineno + 1, at_most=MAX_DEPTH)
        method = _BUILDERS.get(type(node))
        if method is None:
            return self._refused(node)
        return method(self, node, depth + 1)

    def _refused(self, node: jinja.Node) -> tree.Node:
        start = node.lineno
        index = self.by_start.get(start)
        end = self.tokens[index].end if index is not None else start + 1
        if isinstance(node, (jinja.Div, jinja.Pow, jinja.Pos)):
            written = {jinja.Div: "/", jinja.Pow: "**", jinja.Pos: "+"}[type(node)]
            operator = self._find_operator(start, written)
            self.report("no-such-operator", operator.start, operator.end, operator=written)
            return tree.Name("?", operator.start, operator.end)
        if isinstance(node, jinja.Tuple):
            start, end = self._enclosing(index)
            self.report("list-needs-brackets", start, end)
        else:
            self.report("not-allowed", start, end, what=self.text[start:end])
        return tree.Name("?", start, end)

    def _enclosing(self, index: int | None) -> tuple[int, int]:
        """Return the range of the innermost round brackets around a token, or its own."""
        inside = index if index is not None else len(self.tokens) - 1
        around = [opening for opening, closing in self.closers.items() if opening < inside < closing]
        if not around:
            return self.tokens[inside].start, self.tokens[inside].end
        return self.tokens[max(around)].start, self.tokens[self.closers[max(around)]].end

    def _find_operator(self, start: int, written: str) -> Token:
        index = self.by_start.get(start, 0)
        return next((token for token in self.tokens[index:] if token.value == written), self.tokens[index])

    def _brackets(self, start: int, end: int) -> tuple[int, int]:
        """Return the range with the round brackets around it that only group."""
        first = self.by_start.get(start)
        if not first or self.tokens[first - 1].type != "lparen":
            return start, end
        last = self.by_end.get(end)
        while first is not None and last is not None and first > 0:
            opening = self.tokens[first - 1]
            if (
                opening.type != "lparen"
                or opening.start in self.call_brackets
                or self.closers.get(first - 1) != last + 1
            ):
                break
            first, last = first - 1, last + 1
        if first is None or last is None:
            return start, end
        return self.tokens[first].start, self.tokens[last].end

    def _around(self, node: tree.Node) -> tuple[int, int]:
        return self._brackets(node.start, node.end)

    def _grouped(self, node: tree.Node) -> bool:
        return self._around(node) != (node.start, node.end)

    def _constant(self, node: jinja.Const, depth: int) -> tree.Node:
        index = self.by_start[node.lineno]
        token = self.tokens[index]
        if token.type == "string" and self.tokens[index + 1 : index + 2] and self.tokens[index + 1].type == "string":
            self.report("two-values", self.tokens[index + 1].start, self.tokens[index + 1].end,
                        found=self._words(self.tokens[index + 1]), before=self._words(token))  # fmt: skip
        if token.type == "name" and token.value not in ("true", "false"):
            instead = {"True": "true", "False": "false"}.get(str(token.value), "null")
            self.report("foreign-word", token.start, token.end, written=token.value, instead=instead)
        return tree.Constant(node.value, token.start, token.end)

    def _name(self, node: jinja.Name, depth: int) -> tree.Node:
        token = self.tokens[self.by_start[node.lineno]]
        if node.name == "null":
            return tree.Constant(None, token.start, token.end)
        if node.name == "absent":
            return tree.Constant(ABSENT, token.start, token.end)
        return tree.Name(node.name, token.start, token.end)

    def _getattr(self, node: jinja.Getattr, depth: int) -> tree.Node:
        base = self.build(node.node, depth)
        token = self.tokens[self.by_start[node.lineno] + 1]
        if node.attr in PROPERTIES:
            self.report(
                "looks-like-a-property",
                token.start,
                token.end,
                field=node.attr,
                instead=PROPERTIES[node.attr],
            )
        return tree.Field(base, node.attr, self._around(base)[0], token.end)

    def _getitem(self, node: jinja.Getitem, depth: int) -> tree.Node:
        base = self.build(node.node, depth)
        start = self._around(base)[0]
        index = self.by_start[node.lineno]
        opening = self.tokens[index]
        if opening.type != "lbracket":
            end = self.tokens[index + 1].end
            self.report("field-is-a-number", opening.start, end, number=self.tokens[index + 1].value)
            return base
        end = self.tokens[self.closers[index]].end
        if isinstance(node.arg, jinja.Slice):
            self.report("slice", opening.start, end)
            return base
        key = self.build(node.arg, depth)
        if isinstance(key, tree.Constant) and type(key.value) is str:
            return tree.Field(base, key.value, start, end, brackets=True)
        return tree.Item(base, key, start, end)

    def _list(self, node: jinja.List, depth: int) -> tree.Node:
        index = self.by_start[node.lineno]
        items = tuple(self.build(item, depth) for item in node.items)
        return tree.ListOf(items, node.lineno, self.tokens[self.closers[index]].end)

    def _mapping(self, node: jinja.Dict, depth: int) -> tree.Node:
        index = self.by_start[node.lineno]
        entries: dict[str, tree.Node] = {}
        for pair in node.items:
            key = self.build(pair.key, depth)
            value = self.build(pair.value, depth)
            if not isinstance(key, tree.Constant) or type(key.value) is not str:
                self.report("key-is-no-text", key.start, key.end, key=self.text[key.start : key.end])
                continue
            if key.value in entries:
                self.report("key-twice", key.start, key.end, key=key.value)
            entries[key.value] = value
        return tree.MappingOf(tuple(entries.items()), node.lineno, self.tokens[self.closers[index]].end)

    def _negative(self, node: jinja.Neg, depth: int) -> tree.Node:
        value = self.build(node.node, depth)
        end = self._around(value)[1]
        if isinstance(value, tree.Constant) and type(value.value) not in (
            str,
            bool,
            type(None),
            type(ABSENT),
        ):
            return tree.Constant(-value.value, node.lineno, end)
        return tree.Negative(value, node.lineno, end)

    def _arithmetic(self, node: jinja.BinExpr, depth: int) -> tree.Node:
        left = self.build(node.left, depth)
        right = self.build(node.right, depth)
        operator = _ARITHMETIC[type(node)]
        self._binds_first(right, operator)
        return tree.Arithmetic(operator, left, right, self._around(left)[0], self._around(right)[1])

    def _join(self, node: jinja.Concat, depth: int) -> tree.Node:
        parts = tuple(self.build(part, depth) for part in node.nodes)
        for part in parts[1:]:
            self._binds_first(part, "~")
        return tree.Join(parts, self._around(parts[0])[0], self._around(parts[-1])[1])

    def _binds_first(self, node: tree.Node, before: str) -> None:
        """Ask for brackets where a filter or test belongs to less than a reader may think."""
        if isinstance(node, tree.Not) and node.start == node.value.start:
            node = node.value
        if isinstance(node, tree.Apply) and node.subject is not None and not self._grouped(node):
            self.report("needs-brackets", node.start, node.end, before=before, function=node.function.name,
                        part=self.text[node.start : node.end])  # fmt: skip

    def _comparison(self, node: jinja.Compare, depth: int) -> tree.Node:
        first = self.build(node.expr, depth)
        steps = tuple((_COMPARISONS[step.op], self.build(step.expr, depth)) for step in node.ops)
        start, end = self._around(first)[0], self._around(steps[-1][1])[1]
        if len(steps) > 1 and any(operator not in _ORDERINGS for operator, _ in steps):
            self.report("chained-comparison", start, end)
        return tree.Comparison(first, steps, start, end)

    def _logic(self, node: jinja.And | jinja.Or, depth: int) -> tree.Node:
        """Take a chain over as one node; `a and b and c` is a list in the reader's head too."""
        kind = type(node)
        pieces: list[jinja.Node] = []
        rest: jinja.Node = node
        while type(rest) is kind:
            pieces.append(rest.right)
            rest = rest.left
        pieces.append(rest)
        parts = tuple(self.build(piece, depth) for piece in reversed(pieces))
        operator: Literal["and", "or"] = "and" if kind is jinja.And else "or"
        return tree.Logic(operator, parts, self._around(parts[0])[0], self._around(parts[-1])[1])

    def _not(self, node: jinja.Not, depth: int) -> tree.Node:
        value = self.build(node.node, depth)
        token = self.tokens[self.by_start[node.lineno]]
        if token.value == "is":
            return tree.Not(value, value.start, value.end)
        if isinstance(value, tree.Apply) and value.function.kind == "filter":
            self._binds_first(value, "not")
        return tree.Not(value, token.start, self._around(value)[1])

    def _choice(self, node: jinja.CondExpr, depth: int) -> tree.Node:
        then = self.build(node.expr1, depth)
        when = self.build(node.test, depth)
        start = self._around(then)[0]
        if node.expr2 is None:
            end = self._around(when)[1]
            self.report("if-without-else", start, end)
            return tree.Choice(when, then, tree.Constant(ABSENT, end, end), start, end)
        otherwise = self.build(node.expr2, depth)
        if isinstance(otherwise, tree.Apply) and otherwise.function.kind == "filter":
            self._binds_first(otherwise, "else")
        return tree.Choice(when, then, otherwise, start, self._around(otherwise)[1])

    # -- filters, tests, functions

    def _filter(self, node: jinja.Filter, depth: int) -> tree.Node:
        index = self.by_start[node.lineno]
        name_token = self.tokens[index]
        end = self._end_of_arguments(index)
        if node.node is None:
            self.report("not-allowed", name_token.start, end, what="filter")
            return tree.Name("?", name_token.start, end)
        subject = self.build(node.node, depth)
        return self._apply("filter", node, subject, name_token, self._around(subject)[0], end, depth)

    def _test(self, node: jinja.Test, depth: int) -> tree.Node:
        asking = self.by_start[node.lineno]
        negated = self.tokens[asking + 1].value == "not"
        index = asking + 1 + negated
        name_token = self.tokens[index]
        end = self._end_of_arguments(index)
        if name_token.value == "none" and end == name_token.end:  # with arguments it is a function of ours
            self.report("foreign-word", name_token.start, end, written="none", instead="null")
            return tree.Name("?", name_token.start, end)
        if node.name in TESTS and find_function("test", node.name) is None:
            start = self.tokens[asking].start
            written, instead = self.text[start : name_token.end], TESTS[node.name][negated]
            self.report("foreign-operator", start, name_token.end, written=written, instead=instead)
            return tree.Name("?", name_token.start, end)
        subject = self.build(node.node, depth)
        return self._apply("test", node, subject, name_token, self._around(subject)[0], end, depth)

    def _call(self, node: jinja.Call, depth: int) -> tree.Node:
        index = self.by_start[node.lineno]
        self.call_brackets.add(self.tokens[index].start)
        end = self.tokens[self.closers[index]].end
        called = node.node
        if isinstance(called, jinja.Getattr):
            token = self.tokens[self.by_start[called.lineno] + 1]
            if called.attr in METHODS:
                instead = METHODS[called.attr]
                subject = self.text[self._around(self.build(called.node, depth))[0] : token.start].rstrip(" .")
                if instead.startswith("x ") and len(subject) <= _LONGEST_SHOWN:
                    instead = subject + instead[1:]
                self.report("known-method", token.start, end, method=called.attr, instead=instead)
            else:
                self.report("method", token.start, end, method=called.attr)
            return tree.Name("?", token.start, end)
        if not isinstance(called, jinja.Name):
            self.report("not-a-function", self.tokens[index].start, end)
            return tree.Name("?", self.tokens[index].start, end)
        name_token = self.tokens[self.by_start[called.lineno]]
        return self._apply("function", node, None, name_token, name_token.start, end, depth)

    def _end_of_arguments(self, index: int) -> int:
        """Return where `name` or `name(…)` ends; its bracket is one of a call."""
        following = index + 1
        if following < len(self.tokens) and self.tokens[following].type == "lparen":
            self.call_brackets.add(self.tokens[following].start)
            return self.tokens[self.closers[following]].end
        return self.tokens[index].end

    def _apply(
        self,
        kind: Literal["filter", "test", "function"],
        node: jinja.Filter | jinja.Test | jinja.Call,
        subject: tree.Node | None,
        name_token: Token,
        start: int,
        end: int,
        depth: int,
    ) -> tree.Node:
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            self.report("not-allowed", name_token.start, end, what="* / **")
            return tree.Name("?", start, end)
        positional = tuple(self.build(argument, depth) for argument in node.args)
        keywords = tuple((str(pair.key), self.build(pair.value, depth)) for pair in node.kwargs)
        name = name_token.value if isinstance(node, jinja.Call) else node.name
        function = find_function(kind, str(name))
        if function is None:
            instead = self._as_filter(str(name), positional, end) if kind == "function" and not keywords else None
            if instead is not None:
                self.report("foreign-operator", start, end, written=self.text[start:end], instead=instead)
            else:
                self._unknown_function(kind, str(name), name_token)
            return tree.Name("?", start, end)
        applied = tree.Apply(function, subject, positional, keywords, start, end)
        meant = meant_call(applied, self.text)
        if meant is not None:
            written = self.text[name_token.start : end]
            self.report("foreign-operator", name_token.start, end, written=written, instead=meant)
            return applied
        inspect_apply(applied, name_token.start, name_token.end, self.inspection)
        return applied

    def _as_filter(self, name: str, arguments: tuple[tree.Node, ...], end: int) -> str | None:
        """Return `len(a)` as `a | count`: how a function is written whose value stands on its left; None for others."""
        if name in SEVERAL and len(arguments) > 1:
            several = (self.text[slice(*self._around(one))] for one in arguments)
            return SEVERAL[name].format((", " if "[" in SEVERAL[name] else " ~ ").join(several))
        meant = name if find_function("filter", name) is not None else near_function("function", name)
        if meant is None or find_function("filter", meant) is None or find_function("function", meant) is not None:
            return None
        if not arguments or end - arguments[0].start > _LONGEST_SHOWN:
            return None
        subject, *others = (self.text[slice(*self._around(one))] for one in arguments)
        if isinstance(arguments[0], tree.Comparison | tree.Logic | tree.Arithmetic | tree.Choice | tree.Join):
            subject = f"({subject.strip('()')})"
        return f"{subject} | {meant}" + (f"({', '.join(others)})" if others else "")

    def _unknown_function(self, kind: Literal["filter", "test", "function"], name: str, token: Token) -> None:
        elsewhere: Function | None = next((row for row in FUNCTIONS if row.name == name), None)
        place = {"start": token.start, "end": token.end}
        applied, dot, field = name.partition(".")
        if dot and kind == "filter" and find_function(kind, applied) is not None:
            end = token.start + len(name)
            self.report("foreign-operator", token.start, end, written=name, instead=f"(… | {applied}).{field}")
            return
        advice = WITHOUT_ONE.get(name.lower())
        if advice is not None:
            self.report("foreign-function", **place, name=name, advice_zh=advice[0], advice=advice[1])
            return
        if elsewhere is not None and meant_function(kind, name) is None:
            self.report("function-form", **place, name=name, signature=elsewhere.signature)
            return
        near = near_function(kind, name)
        if near is None:
            self.report("unknown-function", **place, name=name)
        else:
            self.report("misspelled-function", **place, name=name, near=near)


_BUILDERS: Final[dict[type, Callable[[_Reader, Any, int], tree.Node]]] = {
    jinja.Const: _Reader._constant,
    jinja.Name: _Reader._name,
    jinja.Getattr: _Reader._getattr,
    jinja.Getitem: _Reader._getitem,
    jinja.List: _Reader._list,
    jinja.Dict: _Reader._mapping,
    jinja.Neg: _Reader._negative,
    jinja.Add: _Reader._arithmetic,
    jinja.Sub: _Reader._arithmetic,
    jinja.Mul: _Reader._arithmetic,
    jinja.FloorDiv: _Reader._arithmetic,
    jinja.Mod: _Reader._arithmetic,
    jinja.Concat: _Reader._join,
    jinja.Compare: _Reader._comparison,
    jinja.And: _Reader._logic,
    jinja.Or: _Reader._logic,
    jinja.Not: _Reader._not,
    jinja.CondExpr: _Reader._choice,
    jinja.Filter: _Reader._filter,
    jinja.Test: _Reader._test,
    jinja.Call: _Reader._call,
}
"""The allowed nodes."""


def _matching(tokens: Sequence[Token]) -> dict[int, int]:
    """Return for the index of each opening bracket the index of the one that closes it."""
    result: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.type in OPENING:
            opened.append(index)
        elif token.type in CLOSING and opened:
            result[opened.pop()] = index
    return result
