"""Contracts of tools: what they name exists, and their expressions read what is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interpreter.check.evidence import check_answer
from interpreter.check.prompts import check_prompt
from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.documents import Loaded
from interpreter.model import Contract, ListOf, MappingOf, Text, ToolDocument, Value, Written
from interpreter.source import Span
from interpreter.static import Missing, shape_of

_AFTER_ANSWER = ("answer", "sent")
_AFTER_LOOKUP = ("answer", "sent", "found", "items")


def check_contracts(loaded: Loaded, tools: Iterable[str]) -> Iterator[Diagnostic]:
    """Yield what is wrong in a tools document. `tools` are all tools that are known.

    Errors: name/unknown, tool/unknown, tool/unknown-page-field, and those of prompts and evidence.
    """
    if not isinstance(loaded.document, ToolDocument):
        return
    known = list(tools)
    for contract in loaded.document.contracts:
        yield from _names(contract)
        yield from _lookups(loaded, contract, known)
        yield from _paging(loaded, contract)
        yield from check_prompt(contract)
        yield from check_answer(contract)


def _names(contract: Contract) -> Iterator[Diagnostic]:
    for written in (contract.failed, contract.pending):
        yield from _unknown(written, _AFTER_ANSWER)
    if contract.follow is not None:
        yield from _unknown(contract.follow.arguments, _AFTER_ANSWER)
    lookup = contract.verify_with
    if lookup is not None:
        yield from _unknown(lookup.arguments, _AFTER_ANSWER)
        yield from _unknown(lookup.happened, _AFTER_LOOKUP)
        yield from _unknown(lookup.did_not, _AFTER_LOOKUP)
        yield from _unknown(lookup.give, _AFTER_LOOKUP)


def _unknown(value: Value | None, names: tuple[str, ...]) -> Iterator[Diagnostic]:
    match value:
        case Written(expression=expression, place=place):
            uses = expression.names
        case Text(template=template, place=place):
            uses = template.names
        case MappingOf(entries=entries):
            for _, part, _ in entries:
                yield from _unknown(part, names)
            return
        case ListOf(items=items):
            for item in items:
                yield from _unknown(item, names)
            return
        case _:
            return
    for name, start, end in uses:
        if name not in names:
            yield finding("name/unknown", place.part(start, end), hint=did_you_mean(name, names), name=name)


def _lookups(loaded: Loaded, contract: Contract, known: list[str]) -> Iterator[Diagnostic]:
    for lookup in (contract.follow, contract.verify_with):
        if lookup is not None and lookup.tool and lookup.tool not in {*known, *loaded.doubtful}:
            span = loaded.places.value(lookup.span, "call")
            yield finding("tool/unknown", span, hint=did_you_mean(lookup.tool, known), tool=lookup.tool)


def _paging(loaded: Loaded, contract: Contract) -> Iterator[Diagnostic]:
    if contract.paging is None:
        return
    paging = contract.paging
    around = loaded.places.value(loaded.document.span, contract.name, "pages")  # type: ignore[union-attr]
    fields = (
        (paging.token_in, contract.input, "token_in", "input"),
        (paging.token_out, contract.output, "token_out", "output"),
        (paging.more, contract.output, "more", "output"),
        (paging.items, contract.output, "items", "output"),
    )
    for name, schema, key, where in fields:
        yield from _page_field(name, schema, loaded.places.value(around, key), where)


def _page_field(name: str, schema: object, span: Span, where: str) -> Iterator[Diagnostic]:
    shape = shape_of(schema) if isinstance(schema, dict) else None
    found = shape.field(name) if shape is not None and name else None
    if isinstance(found, Missing):
        hint = did_you_mean(name, found.names)
        yield finding("tool/unknown-page-field", span, hint=hint, name=name, where_zh=where, where_en=where)
