"""A profile: which adapter answers which tool, with which settings."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.model import Adapted, Profile
from interpreter.parse.context import Context, Fields
from interpreter.parse.declared import parse_declared_all
from interpreter.parse.values import optional_value, parse_words, value_entries
from interpreter.yaml_tree import Node, to_value

_READ_APART = ("adapter", "use", "settings")


def parse_profile_fields(context: Context, fields: Fields) -> Profile:
    fields.ignore("language", "description")
    return Profile(
        name=fields.text("profile") or "",
        title=optional_value(context, fields.get("title")),
        tools=tuple(_parse_adapted(context, fields.get("tools"))),
        settings=parse_declared_all(context, fields.get("settings")),
        unattended_confirm=fields.flag("unattended_confirm"),
        confirm_through=parse_words(context, fields.get("confirm_through")),
        span=fields.span,
    )


def _parse_adapted(context: Context, node: Node | None) -> Iterator[Adapted]:
    for name, value, _ in context.entries(node):
        fields = context.fields(value)
        if fields is None:
            continue
        settings = {key: found for key, found, _ in value_entries(context, fields.get("settings"))}
        body = {key: _plain(fields, key) for key in fields.names() if key not in _READ_APART}
        yield Adapted(
            tool=name,
            adapter=fields.text("adapter") or "",
            use=fields.text("use"),
            settings=settings,
            body=body,
            span=fields.span,
        )


def _plain(fields: Fields, key: str) -> object:
    node = fields.get(key)
    return to_value(node) if node is not None else None
