"""Messages and questions: what a person reads and answers."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import did_you_mean, finding
from interpreter.model import (
    AnyStep,
    AskStep,
    BranchOf,
    Choice,
    ChooseOf,
    Column,
    ConfirmStep,
    Constant,
    Endings,
    Field,
    ListOf,
    MappingOf,
    Message,
    Permits,
    Table,
    Value,
    Written,
)
from interpreter.parse.context import Common, Context, Fields, text_of
from interpreter.parse.declared import LANGUAGE_WORDS, schema_of
from interpreter.parse.values import (
    neutral_expression,
    optional_value,
    parse_among,
    parse_bare_value,
    parse_each_of,
    parse_value,
    parse_written,
    required_written,
    value_entries,
)
from interpreter.source import Place, Span
from interpreter.yaml_tree import Mapping, Node, Scalar, Sequence, to_value

_FIELD_WORDS = LANGUAGE_WORDS | {"when", "optional", "many", "start", "choices"}


def parse_message(context: Context, node: Node | None) -> Message | None:
    """Return the parts of a message; a text alone is its `done`."""
    if isinstance(node, Scalar):
        return Message(parse_value(context, node), None, None, (), node.span)
    fields = context.fields(node)
    if fields is None:
        return None
    writes = fields.get("writes")
    return Message(
        done=optional_value(context, fields.get("done")),
        next=optional_value(context, fields.get("next")),
        writes=writes.value if isinstance(writes, Scalar) and isinstance(writes.value, bool) else None,
        tables=tuple(_parse_tables(context, fields.get("tables"))),
        span=fields.span,
    )


def _parse_tables(context: Context, node: Node | None) -> Iterator[Table]:
    for item in context.items(node):
        fields = context.fields(item)
        if fields is None:
            continue
        yield Table(
            title=optional_value(context, fields.get("title")),
            rows=required_written(context, fields, "rows"),
            row=fields.new_name("row") or "",
            columns=_parse_columns(context, fields),
            folded=parse_written(context, fields.get("folded")),
            at_most=optional_value(context, fields.get("at_most")),
            each=fields.new_name("each"),
            each_in=parse_written(context, fields.get("in")),
            span=fields.span,
        )


def _parse_columns(context: Context, fields: Fields) -> tuple[Column, ...]:
    named = value_entries(context, fields.get("headings"))
    headings = {name: value for name, value, _ in named}
    columns = {name for name, _, _ in context.entries(fields.get("columns"))}
    for name, _, span in named:
        if columns and name not in columns:
            context.diagnostics.append(
                finding("type/heading-without-column", span, hint=did_you_mean(name, columns), name=name)
            )
    return tuple(
        Column(name, value, span, headings.get(name))
        for name, value, span in value_entries(context, fields.get("columns"))
    )


def parse_confirm(context: Context, fields: Fields, common: Common) -> AnyStep:
    shows = fields.get("shows")
    return ConfirmStep(
        **common,
        name=fields.new_name("confirm") or "",
        name_span=fields.value_span("confirm"),
        shows=parse_bare_value(context, shows) if shows is not None else None,
        permits=_parse_permits(context, fields.get("permits")),
        text=parse_message(context, fields.get("text")),
        choices=tuple(_parse_choices(context, fields.get("choices"))),
        endings=parse_endings(context, fields),
    )


def parse_ask(context: Context, fields: Fields, common: Common) -> AnyStep:
    return AskStep(
        **common,
        name=fields.new_name("ask") or "",
        name_span=fields.value_span("ask"),
        text=parse_message(context, fields.get("text")),
        form=tuple(_parse_form(context, fields.get("form"))),
        otherwise=optional_value(context, fields.get("otherwise")),
        endings=parse_endings(context, fields),
    )


def parse_endings(context: Context, fields: Fields) -> Endings:
    """Return what each ending does; the name of a state stands for `{to: STATE}`."""
    return Endings(
        refused=_ending(context, fields.get("refused")),
        timed_out=_ending(context, fields.get("timed_out")),
        abandoned=_ending(context, fields.get("abandoned")),
        wait=optional_value(context, fields.get("wait")),
    )


def _ending(context: Context, node: Node | None) -> str | None:
    word = text_of(node)
    if word is not None:
        return word if word in ("block", "go_on") else None
    fields = context.fields(node)
    return fields.text("to") if fields is not None else None


def _parse_choices(context: Context, node: Node | None) -> Iterator[Choice]:
    for item in context.items(node):
        fields = context.fields(item)
        if fields is None:
            continue
        yield Choice(
            id=fields.text("id") or "",
            confirms=fields.flag("confirms"),
            when=parse_written(context, fields.get("when")),
            phrase=optional_value(context, fields.get("phrase")),
            label=optional_value(context, fields.get("label")),
            to=fields.text("to"),
            span=fields.span,
        )


# --- permits ----------------------------------------------------------------------------------------------------------


def _parse_permits(context: Context, node: Node | None) -> Permits | None:
    """Return the calls that an answer permits; `{by, among}` of a tool becomes its `by`, the list stands apart."""
    if node is None:
        return None
    among: list[tuple[str, str, Span]] = []
    value = _permits_value(context, node, among)
    return Permits(value, tuple(among), node.span)


def _permits_value(context: Context, node: Node, among: list[tuple[str, str, Span]]) -> Value:
    if isinstance(node, Sequence):
        items = tuple(_permits_value(context, item, among) for item in context.items(node))
        return ListOf(items, node.span)
    if not isinstance(node, Mapping):
        return parse_value(context, node)
    if isinstance(node.get("choose"), Sequence):
        return ChooseOf(tuple(_permits_branches(context, node, among)), node.span)
    if node.get("each") is None or node.get("give") is None:
        return _entry(context, node, among)
    return parse_each_of(context, node, lambda context, give: _permits_value(context, give, among))


def _permits_branches(context: Context, node: Mapping, among: list[tuple[str, str, Span]]) -> Iterator[BranchOf]:
    for item in context.items(node.get("choose")):
        fields = context.fields(item)
        give = fields.get("give") if fields is not None else None
        if fields is not None and give is not None:
            value = _permits_value(context, give, among)
            yield BranchOf(parse_written(context, fields.get("when")), value, fields.span)


def _entry(context: Context, node: Mapping, among: list[tuple[str, str, Span]]) -> Value:
    tool = node.get("tool")
    if not isinstance(tool, Mapping):
        return parse_value(context, node)
    entries: list[tuple[str, Value, Span]] = []
    for name, value, span in context.entries(node):
        if name == "tool":
            entries.append((name, _chosen_tool(context, tool, among), span))
        else:
            entries.append((name, parse_value(context, value), span))
    return MappingOf(tuple(entries), node.span)


def _chosen_tool(context: Context, node: Mapping, among: list[tuple[str, str, Span]]) -> Written:
    fields = context.fields(node)
    if fields is None:
        return Written(neutral_expression(), Place(node.span))
    among.extend(parse_among(context, fields.get("among")))
    return required_written(context, fields, "by")


# --- forms ------------------------------------------------------------------------------------------------------------


def _parse_form(context: Context, node: Node | None) -> Iterator[Field]:
    for name, value, _ in context.entries(node):
        fields = context.fields(value)
        if fields is None:
            continue
        choices = fields.get("choices")
        listed = isinstance(choices, Sequence)
        chosen_from = context.fields(choices) if isinstance(choices, Mapping) else None
        schema = schema_of(context, fields, _FIELD_WORDS)
        yield Field(
            name=name,
            title=optional_value(context, fields.get("title")),
            when=parse_written(context, fields.get("when")),
            optional=fields.flag("optional"),
            many=fields.flag("many"),
            start=optional_value(context, fields.get("start")),
            rows=parse_written(context, chosen_from.get("rows")) if chosen_from else None,
            row=chosen_from.text("row") if chosen_from else None,
            row_value=optional_value(context, chosen_from.get("value")) if chosen_from else None,
            row_label=optional_value(context, chosen_from.get("label")) if chosen_from else None,
            choices=tuple(_parse_form_choices(context, choices)) if listed else (),
            schema=schema,
            span=fields.span,
            sensitive=fields.flag("sensitive"),
        )


def _parse_form_choices(context: Context, node: Node | None) -> Iterator[Choice]:
    """Yield the choices of a field; a bare value is its own label."""
    for item in context.items(node):
        if isinstance(item, Scalar):
            label = Constant(item.value, item.span)
            yield Choice(item.text, False, None, None, label, None, item.span, item.value)
            continue
        fields = context.fields(item)
        if fields is None:
            continue
        value = fields.get("value")
        yield Choice(
            id=value.text if isinstance(value, Scalar) else "",
            confirms=False,
            when=parse_written(context, fields.get("when")),
            phrase=None,
            label=optional_value(context, fields.get("label")),
            to=None,
            span=fields.span,
            value=to_value(value) if value is not None else None,
        )
