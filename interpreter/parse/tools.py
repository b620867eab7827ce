"""Contracts of tools."""

from __future__ import annotations

from typing import Literal, cast, get_args

from interpreter.model import (
    Contract,
    Effect,
    Follow,
    Lookup,
    MappingOf,
    Paging,
    Prompt,
    ToolDocument,
    ToolError,
    Value,
)
from interpreter.parse.context import Context, Fields
from interpreter.parse.values import optional_value, parse_value, parse_written
from interpreter.source import Span
from interpreter.yaml_tree import Node, to_value

_DOCUMENT_KEYS = ("tools", "language", "title", "description", "errors")
_EFFECTS = get_args(Effect)


def parse_tool_document(context: Context, fields: Fields) -> ToolDocument:
    """Return the contracts of a document; errors named at its head belong to each of them."""
    shared = _parse_errors(context, fields.get("errors"))
    fields.ignore(*_DOCUMENT_KEYS)
    contracts = []
    for key in fields.names():
        if key in _DOCUMENT_KEYS or key.startswith("x-"):
            continue
        body = context.fields(fields.get(key))
        if body is None:
            context.doubtful.add(key)
        else:
            contracts.append(_parse_contract(context, key, body, fields.key_span(key), shared))
    return ToolDocument(fields.text("tools") or "", tuple(contracts), fields.span)


def _parse_contract(context: Context, name: str, fields: Fields, span: Span, shared: dict[str, ToolError]) -> Contract:
    effect = fields.text("effect")
    fields.ignore("description")
    return Contract(
        name=name,
        effect=cast(Effect, effect) if effect in _EFFECTS else "destructive",
        idempotent=fields.flag("idempotent"),
        input=context.schemas.read(fields.get("input")),
        output=context.schemas.read(fields.get("output")),
        example=_plain(fields.get("example")),
        failed=parse_written(context, fields.get("failed")),
        pending=parse_written(context, fields.get("pending")),
        follow=_parse_follow(context, fields.get("follow")),
        errors={**shared, **_parse_errors(context, fields.get("errors"))},
        verify_with=_parse_lookup(context, fields.get("verify_with")),
        paging=_parse_paging(context, fields.get("pages")),
        one_at_a_time=fields.text("one_at_a_time"),
        timeout=fields.text("timeout"),
        title=optional_value(context, fields.get("title")),
        span=span,
        prompt=_parse_prompt(context, fields.get("prompt")),
    )


def _plain(node: Node | None) -> object:
    return to_value(node) if node is not None else None


def _parse_errors(context: Context, node: Node | None) -> dict[str, ToolError]:
    errors = {}
    for code, value, _ in context.entries(node):
        fields = context.fields(value)
        if fields is None:
            continue
        happened: Literal["never", "perhaps"] = "never" if fields.text("happened") == "never" else "perhaps"
        title = optional_value(context, fields.get("title"))
        errors[code] = ToolError(code, fields.text("kind") or "permanent", happened, title)
    return errors


def _parse_prompt(context: Context, node: Node | None) -> Prompt | None:
    fields = context.fields(node)
    if fields is None:
        return None
    system, user = (optional_value(context, fields.get(key)) for key in ("system", "user"))
    return Prompt(system, user, fields.span)


def _parse_follow(context: Context, node: Node | None) -> Follow | None:
    fields = context.fields(node)
    if fields is None:
        return None
    return Follow(fields.text("call") or "", _arguments(context, fields), fields.span)


def _parse_lookup(context: Context, node: Node | None) -> Lookup | None:
    fields = context.fields(node)
    if fields is None:
        return None
    return Lookup(
        tool=fields.text("call") or "",
        arguments=_arguments(context, fields),
        happened=parse_written(context, fields.get("happened")),
        did_not=parse_written(context, fields.get("did_not")),
        span=fields.span,
        give=optional_value(context, fields.get("give")),
    )


def _arguments(context: Context, fields: Fields) -> Value:
    node = fields.get("with")
    return parse_value(context, node) if node is not None else MappingOf((), fields.span)


def _parse_paging(context: Context, node: Node | None) -> Paging | None:
    fields = context.fields(node)
    if fields is None:
        return None
    words = (fields.text("token_in"), fields.text("token_out"), fields.text("more"), fields.text("items"))
    return Paging(*(word or "" for word in words))
