"""Values, expressions, texts and paths as they stand in a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from interpreter.diagnostics import Diagnostic, Words, finding
from interpreter.model import (
    BranchOf,
    ChooseOf,
    Constant,
    EachOf,
    ListOf,
    MappingOf,
    Path,
    Text,
    Value,
    Written,
)
from interpreter.parse.context import Context, Fields, text_of
from interpreter.source import Place, Span
from interpreter.yaml_tree import Mapping, Node, Scalar, Sequence, to_value
from rules.expr import Expression, parse_expression, parse_template
from rules.findings import Finding

LOOKS_LIKE_A_LENGTH = "expression/looks-like-a-property"

# Equal texts are read once: of 500 expressions in a document about 100 differ.
_read_expression = lru_cache(maxsize=4096)(parse_expression)
_read_template = lru_cache(maxsize=4096)(parse_template)


def neutral_expression() -> Expression:
    """Return what stands in for an expression that could not be read: it names nothing and nothing is known of it."""
    expression, _ = _read_expression("[] | first")
    assert expression is not None
    return expression


def place_of(node: Scalar) -> Place:
    return Place(node.span, node.offsets)


def part_of(place: Place, start: int, end: int) -> Place:
    """Return the place of some characters of a scalar."""
    if not place.offsets:
        return place
    return Place(place.part(start, end), place.offsets[start:end])


def located(findings: Iterable[Finding], place: Place) -> list[Diagnostic]:
    """Return findings inside an expression as findings in the document.

    Whether a field is really one of a length is said later, where it is known which fields a value has.
    """
    return [located_finding(found, place) for found in findings if found.code != LOOKS_LIKE_A_LENGTH]


#: Functions that read a clock in other languages, and what holds the time here.
_CLOCKS = {
    **dict.fromkeys(("now", "utcnow", "timestamp", "current_time", "current_timestamp"), "run.started_at"),
    **dict.fromkeys(("today", "current_date", "curdate"), "run.started_at | before('T')"),
}


def located_finding(found: Finding, place: Place) -> Diagnostic:
    span = place.span
    if found.start is not None:
        span = place.part(found.start, found.end if found.end is not None else found.start + 1)
    hint = _of_clocks(found) if found.code == "expression/unknown-function" else None
    return finding(found.code, span, hint=hint, **found.facts)  # type: ignore[arg-type]


def _of_clocks(found: Finding) -> Words | None:
    """Return what stands in the place of a function that would read a clock: a run keeps the time of its start."""
    meant = _CLOCKS.get(str(found.facts.get("name")).lower())
    if meant is None:
        return None
    return Words(
        f"没有读时钟的函数；写 {meant}，即运行开始的时间；规则和提示词里由流程传入",
        f"no function reads a clock; write {meant}, when the run began; rules and prompts take it from the workflow",
    )


def parse_written(context: Context, node: Node | None) -> Written | None:
    """Return the bare expression at a node, None where there is none.

    Errors: `expression/…` in the context; a neutral expression then stands in.
    """
    if not isinstance(node, Scalar):
        context.doubt(node)
        return None
    place = place_of(node)
    text = node.value if isinstance(node.value, str) else node.text
    return Written(neutral_expression() if node.broken else _expression(context, text, place), place)


def required_written(context: Context, fields: Fields, key: str) -> Written:
    """Return the bare expression under a key; a neutral one where it is missing, which `shape` reports."""
    found = parse_written(context, fields.get(key))
    return found if found is not None else Written(neutral_expression(), Place(fields.span))


def _expression(context: Context, text: str, place: Place) -> Expression:
    inside = text.strip()
    if inside.startswith("{{") and inside.endswith("}}"):
        start = text.index("{{") + 2
        context.diagnostics.append(_braces(text, inside, place))
        return _expression(context, text[start : text.rindex("}}")], part_of(place, start, text.rindex("}}")))
    expression, findings = _read_expression(text)
    context.diagnostics.extend(located(findings, place))
    return expression if expression is not None else neutral_expression()


def _braces(text: str, inside: str, place: Place) -> Diagnostic:
    bare = inside.removeprefix("{{").removesuffix("}}").strip()
    return finding("type/braces-around-expression", place.part(0, len(text)), bare=bare)


def parse_value(context: Context, node: Node) -> Value:
    """Return a value; a string in it is a text with holes."""
    if isinstance(node, Scalar):
        return _text_value(context, node)
    if isinstance(node, Sequence):
        return ListOf(tuple(parse_value(context, item) for item in context.items(node)), node.span)
    return _mapping_value(context, node)


def optional_value(context: Context, node: Node | None) -> Value | None:
    return None if node is None else parse_value(context, node)


def parse_bare_value(context: Context, node: Node) -> Value:
    """Return a value at a place where a string that stands directly there is an expression."""
    if isinstance(node, Scalar) and isinstance(node.value, str):
        written = parse_written(context, node)
        assert written is not None
        return written
    return parse_value(context, node)


def value_entries(context: Context, node: Node | None, *, bare: bool = False) -> tuple[tuple[str, Value, Span], ...]:
    """Return the entries of a mapping from names to values."""
    parse = parse_bare_value if bare else parse_value
    return tuple((name, parse(context, value), span) for name, value, span in context.entries(node))


def parse_default(context: Context, node: Node | None) -> Value | None:
    """Return a first value: the whole as one constant where no text in it has holes."""
    return None if node is None else _first_value(context, node)


def _first_value(context: Context, node: Node) -> Value:
    if isinstance(node, Scalar):
        return _text_value(context, node)
    composed: ListOf | MappingOf
    if isinstance(node, Sequence):
        parts = tuple(_first_value(context, item) for item in context.items(node))
        composed = ListOf(parts, node.span)
    else:
        entries = tuple((name, _first_value(context, part), span) for name, part, span in context.entries(node))
        parts = tuple(part for _, part, _ in entries)
        composed = MappingOf(entries, node.span)
    is_constant = all(isinstance(part, Constant) for part in parts)
    return Constant(to_value(node), node.span) if is_constant else composed


def _text_value(context: Context, node: Scalar) -> Value:
    text = node.value
    if node.broken:
        return Constant(None, node.span)  # what stands there has its finding; nothing else is said of it
    if not isinstance(text, str) or "{" not in text:
        return Constant(text, node.span)
    place = place_of(node)
    template, findings = _read_template(text)
    context.diagnostics.extend(located(findings, place))
    if template is None:
        return Constant(None, node.span)
    if template.is_plain:
        return Constant(text, node.span)
    return Text(template, place)


def _mapping_value(context: Context, node: Mapping) -> Value:
    keys = {text_of(key) for key, _ in node.entries}
    if {"each", "in", "give"} <= keys:
        return parse_each_of(context, node)
    if keys == {"choose"} and isinstance(node.get("choose"), Sequence):
        return _choose_value(context, node)
    return MappingOf(value_entries(context, node), node.span)


def parse_each_of(context: Context, node: Mapping, read_give: Callable[[Context, Node], Value] = parse_value) -> EachOf:
    """Return `{each, in, give}` where a value stands. Shapes: `read_give` reads what it gives for each entry."""
    fields = context.fields(node)
    assert fields is not None
    give = fields.get("give")
    assert give is not None
    return EachOf(
        name=fields.new_name("each") or "",
        rows=required_written(context, fields, "in"),
        where=parse_written(context, fields.get("where")),
        index=fields.new_name("index"),
        flat=fields.flag("flat"),
        give=read_give(context, give),
        span=node.span,
        name_span=fields.value_span("each"),
    )


def _choose_value(context: Context, node: Mapping) -> ChooseOf:
    branches = []
    for item in context.items(node.get("choose")):
        fields = context.fields(item)
        if fields is None:
            continue
        given = fields.get("give")
        give = parse_value(context, given) if given is not None else Constant(None, item.span)
        branches.append(BranchOf(parse_written(context, fields.get("when")), give, item.span))
    return ChooseOf(tuple(branches), node.span)


def parse_words(context: Context, node: Node | None) -> tuple[str, ...]:
    """Return a list of words; one word alone is a list of one."""
    return tuple(word for word in map(text_of, context.items(node)) if word is not None)


def parse_names(context: Context, node: Node | None) -> tuple[tuple[str, Span], ...]:
    """Return a list of names with their places."""
    found = []
    for item in context.items(node):
        name = text_of(item)
        if name is not None:
            found.append((name, item.span))
    return tuple(found)


def parse_among(context: Context, node: Node | None) -> tuple[tuple[str, str, Span], ...]:
    """Return the closed list of a chosen tool: the text, the tool that it stands for, the tool's place."""
    found = []
    for text, value, _ in context.entries(node):
        tool = text_of(value)
        if tool is not None:
            found.append((text, tool, value.span))
    return tuple(found)


# --- paths ------------------------------------------------------------------------------------------------------------


def parse_path_key(context: Context, key: Scalar) -> Path | None:
    """Return the path written as a key or text.

    Errors: `type/bad-path` where it is no path.
    """
    text = key.value if isinstance(key.value, str) else key.text
    place = place_of(key)
    reader = _PathReader(context, text, place)
    path = reader.read()
    if path is None:
        context.diagnostics.append(finding("type/bad-path", place.part(reader.at, reader.at + 1), path=text))
        context.doubt(key)
    return path


class _PathReader:
    """Reads `name(.field|[expression])*` from left to right; `at` is where it stopped."""

    def __init__(self, context: Context, text: str, place: Place) -> None:
        self._context = context
        self._text = text
        self._place = place
        self.at = 0

    def read(self) -> Path | None:
        root = self._name()
        if not root.isidentifier():
            self.at = 0
            return None
        segments: list[str | Written] = []
        while self.at < len(self._text):
            segment = self._segment()
            if segment is None:
                return None
            segments.append(segment)
        return Path(root, tuple(segments), self._place)

    def _segment(self) -> str | Written | None:
        mark = self._text[self.at]
        if mark == ".":
            self.at += 1
            return self._name() or None
        if mark == "[":
            return self._bracket()
        return None

    def _name(self) -> str:
        start = self.at
        while self.at < len(self._text) and (self._text[self.at].isalnum() or self._text[self.at] in "_-"):
            self.at += 1
        return self._text[start : self.at]

    def _bracket(self) -> Written | None:
        end = closing_bracket(self._text, self.at)
        inside = self._text[self.at + 1 : end] if end is not None else ""
        if end is None or not inside.strip():
            return None
        place = part_of(self._place, self.at + 1, end)
        self.at = end + 1
        return Written(_expression(self._context, inside, place), place)


def closing_bracket(text: str, start: int) -> int | None:
    """Return where the bracket that opens at `start` is closed; brackets inside quotes do not count."""
    depth = 0
    quote = ""
    for at in range(start, len(text)):
        mark = text[at]
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "'\"":
            quote = mark
        elif mark in "[({":
            depth += 1
        elif mark in "])}":
            depth -= 1
            if depth == 0:
                return at
    return None
