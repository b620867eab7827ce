"""Profiles: the tools that they answer exist, their texts read settings, computed answers read the input as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interpreter.check.answered import check_answered
from interpreter.check.commands import check_started
from interpreter.check.services import PARTS, check_place, check_service
from interpreter.check.written import check_value, scope_of
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding
from interpreter.documents.profiles import Part
from interpreter.model import Adapted, Contract
from interpreter.source import Span
from interpreter.static.inference import shape_of_value
from interpreter.static.scopes import Binding, Scope
from interpreter.static.values import record, shape_of

_MEANING = frozenset({"request", "errors", "unsure_when", "success", "let", "value"})
#: The keys of an entry that adapters read, beside the adapter and its settings. One request for each entry of a list is
#: refused by `check_service` where it is not made.
_READ: Mapping[str, frozenset[str]] = {
    "python": frozenset({"use"}),
    "compute": frozenset({"let", "answer"}),
    "command": _MEANING,
    "http": _MEANING | {"for_each"},
    "mcp": _MEANING | {"for_each"},
    "model": frozenset(),
    "recorder": frozenset({"of"}),
}
_OF_SOME = frozenset().union(*_READ.values())
_OF_ALL = frozenset({"adapter", "settings"})


def check_profile(
    part: Part, contracts: Mapping[str, Contract] | None, *, of_one_workflow: bool = False
) -> Iterator[Diagnostic]:
    """Yield what one document of a profile names and does not exist.

    Shapes: `contracts` is None where not all of them can be read; `of_one_workflow` says that they are those that a
    workflow uses: what the profile says of tools of other documents is then looked at without their contracts.

    Errors: tool/unknown, tool/answer-missing, tool/prompt-missing, tool/check-writes,
    tool/recorder-of-nothing, tool/key-of-another-adapter, those of `check_started`, name/unknown, type/unknown-field,
    type/perhaps-misspelled.
    """
    if part.profile is None:
        return
    for declared in part.own.settings:
        yield from check_value(declared.default, Scope())
    checked = _CheckedProfile(part, contracts, of_one_workflow=of_one_workflow)
    for adapted in part.own.tools:
        yield from checked.entry(adapted)
    yield from checked.calls_of_tools_check()


class _CheckedProfile:
    """One document of a profile beside the contracts of the tools that it answers; its texts read all settings."""

    def __init__(self, part: Part, contracts: Mapping[str, Contract] | None, *, of_one_workflow: bool) -> None:
        profile = part.own
        self._places = part.loaded.places
        self._profile = profile
        self._contracts = contracts
        self._of_one_workflow = of_one_workflow
        self._read = {_document_of(tool) for tool in contracts or ()}
        declared = part.profile.settings if part.profile is not None and part.is_whole else None
        shape = record({one.name: shape_of(one.schema) for one in declared}) if declared is not None else None
        self._settings = Binding("settings", "local", None, shape)
        self._scope = Scope({"settings": self._settings})
        # Entries share their `errors`: where a document was not read, nobody knows which codes there are.
        is_all = not of_one_workflow or all(_document_of(adapted.tool) in self._read for adapted in profile.tools)
        self._of_codes = contracts if is_all else None

    def entry(self, adapted: Adapted) -> Iterator[Diagnostic]:
        """Look at how one tool, or those of one document, are answered."""
        contract = self._contract(adapted.tool)
        key = self._places.key(self._places.value(self._profile.span, "tools"), adapted.tool)
        if not adapted.tool.endswith(".*") and self._lacks(adapted.tool):
            yield self._unknown(adapted.tool, key)
        yield from self._answering(adapted, contract, key)

    def _answering(self, adapted: Adapted, contract: Contract | None, key: Span) -> Iterator[Diagnostic]:
        """Look at an adapter: it is the same one alone and in a recorder."""
        if contract is not None and adapted.adapter == "model" and contract.prompt is None:
            yield finding("tool/prompt-missing", key, tool=adapted.tool)
        yield from self._without_effect(adapted)
        misplaced = dict(check_place(adapted))
        yield from misplaced.values()
        for name, value in adapted.settings.items():
            if name not in misplaced:
                yield from check_value(value, self._scope)
        yield from self._adapter(adapted, contract)
        if adapted.of is not None:
            yield from self._answering(adapted.of, contract, key)
        elif adapted.adapter == "recorder":
            yield finding("tool/recorder-of-nothing", self._places.value(adapted.span, "adapter"), tool=adapted.tool)

    def _without_effect(self, adapted: Adapted) -> Iterator[Diagnostic]:
        """Look for keys that this adapter would pass over in silence, such as a `success` that nobody asks about."""
        read = _READ.get(adapted.adapter, _OF_SOME)
        written = adapted.body.keys() | ({"use"} if adapted.use is not None else set())
        if adapted.adapter == "compute" and adapted.answer is None:
            written = written - {"value"}  # it must have been meant as the answer, and that is said
        for name in sorted(written & (_OF_SOME - read)):
            span, known = self._places.key(adapted.span, name), ", ".join(sorted(_OF_ALL | read))
            yield finding("tool/key-of-another-adapter", span, adapter=adapted.adapter, name=name, known=known)

    def calls_of_tools_check(self) -> Iterator[Diagnostic]:
        """Look at the calls of `tools check`: they only read, and the profile answers them."""
        for check in self._profile.checks:
            span = self._places.value(check.span, "call")
            contract = self._contract(check.tool)
            if self._lacks(check.tool):
                yield self._unknown(check.tool, span)
            elif contract is not None and contract.effect != "read":
                yield finding("tool/check-writes", span, tool=check.tool)
            yield from check_value(check.arguments, self._scope)

    def _contract(self, tool: str) -> Contract | None:
        return self._contracts.get(tool) if self._contracts is not None else None

    def _lacks(self, tool: str) -> bool:
        """Say whether the documents that were read do not have a tool that they should have."""
        if self._contracts is None or tool in self._contracts:
            return False
        return not self._of_one_workflow or _document_of(tool) in self._read

    def _unknown(self, tool: str, span: Span) -> Diagnostic:
        return finding("tool/unknown", span, hint=did_you_mean(tool, self._contracts or ()), tool=tool)

    def _adapter(self, adapted: Adapted, contract: Contract | None) -> Iterator[Diagnostic]:
        """Look at what an adapter of this kind evaluates, starts or sends."""
        if adapted.adapter == "compute":
            yield from self._answer(adapted, contract)
        elif adapted.adapter == "command":
            yield from check_started(adapted, contract, self._settings, self._of_codes)
        elif adapted.adapter in PARTS:
            yield from check_service(adapted, contract, self._settings, self._of_codes)

    def _answer(self, adapted: Adapted, contract: Contract | None) -> Iterator[Diagnostic]:
        """Look at what `compute` evaluates: arguments, the values of `let` before, and settings."""
        if adapted.answer is None and "value" in adapted.body:
            hint = Words("把 value: 改成 answer:", "write answer: in place of value:")
            span = self._places.key(adapted.span, "value")
            yield finding("tool/answer-missing", span, hint=hint, tool=adapted.tool)
        elif adapted.answer is None:
            yield finding("tool/answer-missing", self._places.value(adapted.span, "adapter"), tool=adapted.tool)
        input_shape = shape_of(contract.input) if contract is not None else None
        is_open = contract is None or contract.input.get("additionalProperties", False) is not False
        own = Binding("settings", "local", None, None if adapted.settings else self._settings.shape)
        scope = scope_of(input_shape).extended(own)
        for name, value, span in adapted.let:
            yield from check_value(value, scope, is_open=is_open)
            yield from check_answered(value, scope, None)
            scope = scope.extended(Binding(name, "local", span, shape_of_value(value, scope)))
        yield from check_value(adapted.answer, scope, is_open=is_open)
        yield from check_answered(adapted.answer, scope, contract)


def _document_of(tool: str) -> str:
    return tool.partition(".")[0]
