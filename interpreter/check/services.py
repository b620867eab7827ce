"""What is sent to services and how their answers are read: where data may stand, and which names are seen.

The same findings keep a profile from being used and are shown by `lint`: what is unsafe here is never only a warning.
Where a service is stands in `settings`, which see nothing but the settings of the profile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interpreter.check.answered import check_answered
from interpreter.check.commands import has_data
from interpreter.check.meaning import check_meaning
from interpreter.check.written import check_left_out, check_value, scope_of
from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.model import Adapted, Constant, Contract, MappingOf, span_of
from interpreter.safety.headers import HEADER, KEYS_IN_QUERY, NEVER_WRITTEN
from interpreter.static.scopes import Binding
from interpreter.static.values import shape_of

#: What may stand in the `request` of each adapter.
PARTS: Mapping[str, frozenset[str]] = {
    "http": frozenset({"method", "path", "query", "headers", "json", "form"}),
    "mcp": frozenset({"tool", "arguments"}),
}
#: What no adapter knows the shape of a profile refuses.
_ALL_PARTS = frozenset({"argv", "stdin"}).union(*PARTS.values())
#: What `errors`, `success`, `let` and `value` see beside `answer`, `sent` and `settings`.
RESULTS: Mapping[str, tuple[str, ...]] = {"http": ("status", "headers"), "mcp": ("text", "parts", "is_error")}
#: The settings that say where a service is; no argument of a call may reach them.
PLACES: Mapping[str, frozenset[str]] = {
    "http": frozenset({"address"}),
    "mcp": frozenset({"address", "program", "argv", "folder"}),
}


def check_place(adapted: Adapted) -> Iterator[tuple[str, Diagnostic]]:
    """Yield the settings that say where a service is and read data, each with its finding.

    Errors: tool/data-in-address.
    """
    for name in sorted(PLACES.get(adapted.adapter, frozenset()) & adapted.settings.keys()):
        value = adapted.settings[name]
        if has_data(value):
            yield name, finding("tool/data-in-address", span_of(value), tool=adapted.tool, name=name)


def check_request(adapted: Adapted, contract: Contract | None) -> Iterator[Diagnostic]:
    """Yield what is wrong or unsafe about what is sent.

    Errors: tool/data-in-address, tool/request-part-unknown, tool/two-bodies, tool/header-not-settable,
    tool/header-from-data, tool/header-is-a-note, tool/key-in-query, tool/for-each-writes.
    """
    known = PARTS[adapted.adapter]
    parts = {name: value for name, value, _ in adapted.request}
    for name, _, span in adapted.request:
        if name not in known and name in _ALL_PARTS:
            hint = did_you_mean(name, known)
            listed = ", ".join(sorted(known))
            yield finding(
                "tool/request-part-unknown", span, hint=hint, adapter=adapted.adapter, name=name, known=listed
            )
    tool = parts.get("tool")
    if adapted.adapter == "mcp" and tool is not None and not isinstance(tool, Constant):
        yield finding("tool/data-in-address", span_of(tool), tool=adapted.tool, name="request.tool")
    if "json" in parts and "form" in parts:
        yield finding("tool/two-bodies", adapted.span, tool=adapted.tool)
    yield from _notes(adapted)
    headers = parts.get("headers")
    for name, value, span in headers.entries if isinstance(headers, MappingOf) else ():
        if not HEADER.fullmatch(name) or name.lower() in NEVER_WRITTEN:
            yield finding("tool/header-not-settable", span, name=name)
        elif has_data(value):
            yield finding("tool/header-from-data", span, name=name)
    query = parts.get("query")
    for name, value, span in query.entries if isinstance(query, MappingOf) else ():
        if name.lower() in KEYS_IN_QUERY and not has_data(value):
            yield finding("tool/key-in-query", span, name=name)
    if adapted.for_each is not None and (adapted.adapter != "http" or (contract and contract.effect != "read")):
        yield finding("tool/for-each-writes", adapted.for_each.span, tool=adapted.tool)


def _notes(adapted: Adapted) -> Iterator[Diagnostic]:
    """Yield headers that would be left out in silence: a key that begins with `x-` is a note of whoever wrote it."""
    for place, part in (("request", "headers"), ("settings", "headers"), ("settings", "secret_headers")):
        around = adapted.body.get(place)
        headers = around.get(part) if isinstance(around, dict) else None
        for name in headers if isinstance(headers, dict) else ():
            if name.startswith("x-"):
                yield finding("tool/header-is-a-note", adapted.span, name=name, better=name.title())


def check_service(
    adapted: Adapted, contract: Contract | None, settings: Binding, contracts: Mapping[str, Contract] | None
) -> Iterator[Diagnostic]:
    """Yield what is wrong about what is sent, and about the names that answers are read by.

    Errors: those of `check_request`, `check_left_out` and `check_meaning`.
    """
    yield from check_request(adapted, contract)
    input_shape = shape_of(contract.input) if contract is not None else None
    is_open = contract is None or contract.input.get("additionalProperties", False) is not False
    scope = scope_of(input_shape).extended(settings)
    each = adapted.for_each
    if each is not None:
        yield from check_value(each.rows, scope, is_open=is_open)
        gathered = scope.extended(Binding("results", "local", None))
        yield from check_value(each.together, gathered, is_open=is_open)
        yield from check_answered(each.together, gathered, contract)
        scope = scope.extended(Binding(each.name, "loop", each.span))
    for _, value, _ in adapted.request:
        yield from check_value(value, scope, is_open=is_open)
    yield from check_left_out([value for _, value, _ in adapted.request], contract, scope)
    of_each = contract if each is None else None  # what `value` gives is the answer, or what `together` is made of
    yield from check_meaning(adapted, RESULTS[adapted.adapter], settings, contracts, of_each)
