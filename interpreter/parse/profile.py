"""A profile: which adapter answers which tool, with which settings."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.model import Adapted, AdaptedError, AsIn, Constant, ForEach, MappingOf, Profile, ProfileCheck
from interpreter.parse.context import Context, Fields
from interpreter.parse.declared import parse_declared_all
from interpreter.parse.values import (
    optional_value,
    parse_names,
    parse_value,
    parse_words,
    parse_written,
    required_written,
    value_entries,
)
from interpreter.yaml_tree import Mapping, Node, to_value
from rules.patterns import regex

_READ_APART = ("adapter", "use")
#: The name of a document that stands beside another one: it cannot lead out of the folder.
NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*")


def parse_profile_fields(context: Context, fields: Fields) -> Profile:
    fields.ignore("language", "description")
    extends = parse_names(context, fields.get("extends"))
    return Profile(
        name=fields.text("profile") or "",
        title=optional_value(context, fields.get("title")),
        tools=tuple(_parse_adapted_all(context, fields.get("tools"))),
        settings=parse_declared_all(context, fields.get("settings")),
        unattended_confirm=fields.flag("unattended_confirm"),
        confirm_through=parse_words(context, fields.get("confirm_through")),
        span=fields.span,
        tools_span=fields.key_span("tools"),
        checks=tuple(_parse_checks(context, fields.get("checks"))),
        extends=tuple((name, span) for name, span in extends if NAME.fullmatch(name)),
        as_in=tuple(_parse_as_in(context, fields.get("tools"))),
    )


def _parse_adapted_all(context: Context, node: Node | None) -> Iterator[Adapted]:
    for name, value, _ in context.entries(node):
        found = _parse_adapted(context, name, value) if not _is_as_in(value) else None
        if found is not None:
            yield found


def _parse_as_in(context: Context, node: Node | None) -> Iterator[AsIn]:
    for name, value, _ in context.entries(node):
        fields = context.fields(value) if _is_as_in(value) else None
        profile = fields.text("as_in") if fields is not None else None
        if fields is not None and profile is not None:
            yield AsIn(name, profile, fields.value_span("as_in"))


def _is_as_in(node: Node) -> bool:
    return isinstance(node, Mapping) and node.get("as_in") is not None


def _parse_adapted(context: Context, name: str, node: Node | None) -> Adapted | None:
    fields = context.fields(node)
    if fields is None:
        return None
    settings = {key: found for key, found, _ in value_entries(context, fields.get("settings"))}
    body = {key: _plain(fields, key) for key in fields.names() if key not in _READ_APART}
    return Adapted(
        tool=name,
        adapter=fields.text("adapter") or "",
        use=fields.text("use"),
        settings=settings,
        body=body,
        span=fields.span,
        let=value_entries(context, fields.get("let")),
        answer=optional_value(context, fields.get("answer")),
        request=value_entries(context, fields.get("request")),
        success=parse_written(context, fields.get("success")),
        value=optional_value(context, fields.get("value")),
        errors=tuple(_parse_errors(context, fields.get("errors"))),
        unsure_when=parse_written(context, fields.get("unsure_when")),
        for_each=_parse_for_each(context, fields.get("for_each")),
        of=_parse_adapted(context, name, fields.get("of")) if fields.has("of") else None,
    )


def _parse_checks(context: Context, node: Node | None) -> Iterator[ProfileCheck]:
    for item in context.items(node):
        fields = context.fields(item)
        if fields is None:
            continue
        arguments = fields.get("with")
        yield ProfileCheck(
            tool=fields.text("call") or "",
            arguments=parse_value(context, arguments) if arguments is not None else MappingOf((), fields.span),
            title=optional_value(context, fields.get("title")),
            span=fields.span,
        )


def _parse_for_each(context: Context, node: Node | None) -> ForEach | None:
    fields = context.fields(node)
    if fields is None:
        return None
    together = optional_value(context, fields.get("together"))
    return ForEach(
        name=fields.new_name("each") or "",
        rows=required_written(context, fields, "in"),
        together=together if together is not None else Constant(None, fields.span),
        span=fields.span,
    )


def _parse_errors(context: Context, node: Node | None) -> Iterator[AdaptedError]:
    for item in context.items(node):
        fields = context.fields(item)
        if fields is None:
            continue
        code = optional_value(context, fields.get("code"))
        yield AdaptedError(
            when=parse_written(context, fields.get("when")),
            code=code if code is not None else Constant(None, fields.span),
            message=optional_value(context, fields.get("message")),
            retry_after=optional_value(context, fields.get("retry_after")),
            details=optional_value(context, fields.get("details")),
            span=fields.span,
        )


def _plain(fields: Fields, key: str) -> object:
    node = fields.get(key)
    return to_value(node) if node is not None else None
