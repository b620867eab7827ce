"""Contracts of tools: what they name exists, and their expressions read what is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interpreter.check.calls import unknown_arguments
from interpreter.check.evidence import check_answer
from interpreter.check.kinds import wrong_kind
from interpreter.check.prompts import check_prompt
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding, has_errors
from interpreter.documents.loading import Loaded
from interpreter.model import Contract, ListOf, MappingOf, Text, ToolDocument, Value, Written
from interpreter.source import Span
from interpreter.static.inference import kinds_of_shape
from interpreter.static.values import Missing, Shape, shape_of

_AFTER_ANSWER = ("answer", "sent")
#: What a walk over pages can work with.
_TOKENS = frozenset({"text", "number"})
_MORE = frozenset({"boolean"})
_ITEMS = frozenset({"list"})
_AFTER_LOOKUP = ("answer", "sent", "found", "items")


def check_contracts(loaded: Loaded, tools: Mapping[str, Contract]) -> Iterator[Diagnostic]:
    """Yield what is wrong in a tools document. `tools` are all tools that are known.

    Errors: tool/of-no-document, name/unknown, tool/unknown, tool/look-up-writes, type/unknown-argument,
    tool/unknown-page-field, type/wrong-kind-inside, those of prompts and evidence.
    """
    if not isinstance(loaded.document, ToolDocument):
        return
    for contract in loaded.document.contracts:
        yield from _document(loaded, loaded.document, contract)
        yield from _names(contract)
        yield from _lookups(loaded, contract, tools)
        yield from _paging(loaded, contract)
        yield from check_prompt(contract)
        yield from check_answer(contract)


def _document(loaded: Loaded, document: ToolDocument, contract: Contract) -> Iterator[Diagnostic]:
    """Yield the finding for a tool that no workflow can call: it is looked for elsewhere.

    Errors: tool/of-no-document.
    """
    first, _, rest = contract.name.partition(".")
    if first != document.name:
        span = loaded.places.key(document.span, contract.name)
        own, other = f"{document.name}.{rest or first}", f"tools/{first}.yaml"
        hint = Words(
            f"写 {own}" + (f"，或放进 {other}" if rest else ""),
            f"write {own}" + (f", or put it into {other}" if rest else ""),
        )
        yield finding("tool/of-no-document", span, hint=hint, tool=contract.name, document=document.name)


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


def _lookups(loaded: Loaded, contract: Contract, tools: Mapping[str, Contract]) -> Iterator[Diagnostic]:
    """Look at the calls with which the engine itself finds out what came of one: nobody permits these."""
    for lookup in (contract.follow, contract.verify_with):
        if lookup is None or not lookup.tool or lookup.tool in loaded.doubtful:
            continue
        span, reader = loaded.places.value(lookup.span, "call"), tools.get(lookup.tool)
        if reader is None:
            yield finding("tool/unknown", span, hint=did_you_mean(lookup.tool, tools), tool=lookup.tool)
            continue
        if reader.effect != "read":
            yield finding("tool/look-up-writes", span, tool=lookup.tool)
        if isinstance(lookup.arguments, MappingOf) and not has_errors(loaded.diagnostics):
            yield from unknown_arguments(lookup.arguments, reader)


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
    taken = _kinds_of_field(paging.token_in, contract.input)
    wanted = {"token_in": _TOKENS, "token_out": taken or _TOKENS, "more": _MORE, "items": _ITEMS}
    for name, schema, key, where in fields:
        span = loaded.places.value(around, key)
        yield from _page_field(name, schema, span, where)
        found = _kinds_of_field(name, schema)
        if found and not found & wanted[key]:
            yield wrong_kind("type/wrong-kind-inside", span, wanted[key], found, path=name)


def _page_field(name: str, schema: object, span: Span, where: str) -> Iterator[Diagnostic]:
    found = _field(name, schema)
    if isinstance(found, Missing):
        hint = did_you_mean(name, found.names)
        yield finding("tool/unknown-page-field", span, hint=hint, name=name, where_zh=where, where_en=where)


def _field(name: str, schema: object) -> Shape | Missing | None:
    shape = shape_of(schema) if isinstance(schema, dict) else None
    return shape.field(name) if shape is not None and name else None


def _kinds_of_field(name: str, schema: object) -> frozenset[str]:
    """Return the kinds that a field may have, null left out; none where that is not known."""
    found = _field(name, schema)
    kinds = kinds_of_shape(found) if isinstance(found, Shape) else None
    return (kinds or frozenset()) - {"null"}
