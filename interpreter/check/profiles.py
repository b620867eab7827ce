"""Profiles: the tools that they answer exist, their texts read settings, computed answers read the input as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from interpreter.check.answered import check_answered
from interpreter.check.commands import check_started
from interpreter.check.services import PARTS, check_place, check_service
from interpreter.check.written import check_value, scope_of
from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.documents import Loaded
from interpreter.inference import shape_of_value
from interpreter.model import Adapted, Contract, Profile
from interpreter.scopes import Binding, Scope
from interpreter.static import Shape, record, shape_of

#: The settings of adapters that know theirs; those of `python` are the adapter's own affair.
ADAPTER_SETTINGS: Mapping[str, frozenset[str]] = {
    "model": frozenset(
        {"address", "model", "key_from", "output", "temperature", "max_tokens", "max_tokens_when_cut", "stream"}
        | {"strict", "largest_answer", "environment_proxies", "extra"}
    ),
    "command": frozenset(
        {"program", "environment", "secrets", "variables", "folder", "output", "encoding", "skip_noise"}
        | {"largest_answer", "largest_errors", "version_from", "at_least"}
    ),
    "recorder": frozenset({"file", "mode"}),
    "http": frozenset(
        {"address", "bearer_from", "basic_from", "secret_headers", "headers", "answers", "content_types", "redirects"}
        | {"largest_answer", "seconds", "idempotency_header", "environment_proxies"}
    ),
    "mcp": frozenset(
        {"program", "argv", "address", "environment", "secrets", "folder", "bearer_from", "secret_headers", "headers"}
        | {"answers", "protocol", "lock", "largest_answer", "seconds", "start_seconds", "environment_proxies"}
    ),
}


def check_profile(
    loaded: Loaded, contracts: Mapping[str, Contract] | None, *, of_one_workflow: bool = False
) -> Iterator[Diagnostic]:
    """Yield what a profile names and does not exist.

    Shapes: `contracts` is None where not all of them can be read; `of_one_workflow` says that they are those that a
    workflow uses: what the profile says of tools of other documents is then looked at without their contracts.

    Errors: tool/unknown, tool/unknown-adapter-setting, tool/answer-missing, tool/prompt-missing, tool/check-writes,
    tool/recorder-of-nothing, those of `check_started`, name/unknown, type/unknown-field, type/perhaps-misspelled.
    """
    profile = loaded.document
    if not isinstance(profile, Profile):
        return
    for declared in profile.settings:
        yield from check_value(declared.default, Scope())
    settings = Binding("settings", "local", None, _shape_of_settings(profile))
    tools = loaded.places.value(profile.span, "tools")
    read = {_document_of(tool) for tool in contracts or ()}

    def lacks(tool: str) -> bool:
        """Say whether the documents that were read do not have a tool that they should have."""
        return contracts is not None and tool not in contracts and (not of_one_workflow or _document_of(tool) in read)

    # Entries share their `errors`: where a document was not read, nobody knows which codes there are.
    is_all = not of_one_workflow or all(_document_of(adapted.tool) in read for adapted in profile.tools)
    of_codes = contracts if is_all else None
    for adapted in profile.tools:
        contract = contracts.get(adapted.tool) if contracts is not None else None
        key = loaded.places.key(tools, adapted.tool)
        if not adapted.tool.endswith(".*") and lacks(adapted.tool):
            yield finding("tool/unknown", key, hint=did_you_mean(adapted.tool, contracts or ()), tool=adapted.tool)
        if contract is not None and adapted.adapter == "model" and contract.prompt is None:
            yield finding("tool/prompt-missing", key, tool=adapted.tool)
        misplaced = dict(check_place(adapted))
        yield from misplaced.values()
        for name, value in adapted.settings.items():
            if name not in misplaced:
                yield from check_value(value, Scope({"settings": settings}))
        yield from _adapter(loaded, adapted, contract, of_codes, settings)
        if adapted.adapter == "recorder":
            yield from _recorded(loaded, adapted, contract, of_codes, settings)
    yield from _checks(loaded, profile, contracts, lacks, settings)


def _document_of(tool: str) -> str:
    return tool.partition(".")[0]


def _adapter(
    loaded: Loaded,
    adapted: Adapted,
    contract: Contract | None,
    of_codes: Mapping[str, Contract] | None,
    settings: Binding,
) -> Iterator[Diagnostic]:
    """Look at the names of the settings, and at what an adapter of this kind evaluates, starts or sends."""
    yield from _setting_names(loaded, adapted)
    if adapted.adapter == "compute":
        yield from _answer(adapted, contract, settings, loaded)
    elif adapted.adapter == "command":
        yield from check_started(adapted, contract, settings, of_codes)
    elif adapted.adapter in PARTS:
        yield from check_service(adapted, contract, settings, of_codes)


def _recorded(
    loaded: Loaded,
    adapted: Adapted,
    contract: Contract | None,
    of_codes: Mapping[str, Contract] | None,
    settings: Binding,
) -> Iterator[Diagnostic]:
    inner = adapted.of
    if inner is None:
        yield finding("tool/recorder-of-nothing", loaded.places.value(adapted.span, "adapter"), tool=adapted.tool)
        return
    for value in inner.settings.values():
        yield from check_value(value, Scope({"settings": settings}))
    yield from _adapter(loaded, inner, contract, of_codes, settings)


def _checks(
    loaded: Loaded,
    profile: Profile,
    contracts: Mapping[str, Contract] | None,
    lacks: Callable[[str], bool],
    settings: Binding,
) -> Iterator[Diagnostic]:
    """Look at the calls of `tools check`: they only read, and the profile answers them."""
    for check in profile.checks:
        span = loaded.places.value(check.span, "call")
        contract = contracts.get(check.tool) if contracts is not None else None
        if lacks(check.tool):
            yield finding("tool/unknown", span, hint=did_you_mean(check.tool, contracts or ()), tool=check.tool)
        elif contract is not None and contract.effect != "read":
            yield finding("tool/check-writes", span, tool=check.tool)
        yield from check_value(check.arguments, Scope({"settings": settings}))


def _shape_of_settings(profile: Profile) -> Shape:
    return record({declared.name: shape_of(declared.schema) for declared in profile.settings})


def _setting_names(loaded: Loaded, adapted: Adapted) -> Iterator[Diagnostic]:
    known = ADAPTER_SETTINGS.get(adapted.adapter)
    around = loaded.places.value(adapted.span, "settings")
    for name in adapted.settings if known is not None else ():
        if known is not None and name not in known:
            span = loaded.places.key(around, name)
            hint = did_you_mean(name, known)
            yield finding("tool/unknown-adapter-setting", span, hint=hint, adapter=adapted.adapter, name=name)


def _answer(adapted: Adapted, contract: Contract | None, settings: Binding, loaded: Loaded) -> Iterator[Diagnostic]:
    """Look at what `compute` evaluates: arguments, the values of `let` before, and settings."""
    if adapted.answer is None:
        yield finding("tool/answer-missing", loaded.places.value(adapted.span, "adapter"), tool=adapted.tool)
    input_shape = shape_of(contract.input) if contract is not None else None
    is_open = contract is None or contract.input.get("additionalProperties", False) is not False
    own = Binding("settings", "local", None, None if adapted.settings else settings.shape)
    scope = scope_of(input_shape).extended(own)
    for name, value, span in adapted.let:
        yield from check_value(value, scope, is_open=is_open)
        yield from check_answered(value, scope, None)
        scope = scope.extended(Binding(name, "local", span, shape_of_value(value, scope)))
    yield from check_value(adapted.answer, scope, is_open=is_open)
    yield from check_answered(adapted.answer, scope, contract)
