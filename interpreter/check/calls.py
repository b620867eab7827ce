"""Calls: tools that exist, arguments, allow-lists, effects, confirmations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from interpreter.check.fields import missing_field
from interpreter.codes.model import MODEL_ERRORS
from interpreter.codes.service import SERVICE_ERRORS
from interpreter.diagnostics import Diagnostic, Related, Words, did_you_mean, finding, nearest
from interpreter.model import (
    AnyStep,
    AskStep,
    CallStep,
    ConfirmStep,
    Constant,
    Contract,
    EachOf,
    ListOf,
    MappingOf,
    State,
    UseStep,
    Value,
    Workflow,
)
from interpreter.ports import ERROR_KINDS
from interpreter.resolve import Resolved, Visit
from interpreter.source import Span
from interpreter.static.values import Missing, shape_of
from interpreter.steps import all_steps, steps_with_blocks
from rules.records import replace

_STRENGTH = {"read": 0, "write": 1, "destructive": 2}
#: What others call the kinds of errors.
_KINDS_OF_OTHERS = {
    **dict.fromkeys(("network", "connection", "offline", "dns", "网络"), "unreachable"),
    **dict.fromkeys(("timeout", "time_out", "slow", "超时"), "timed_out"),
    **dict.fromkeys(("temporary", "retryable", "server", "5xx", "429", "503", "临时"), "transient"),
}
_WALK_ERRORS = ("repeated_page_token", "missing_page_token", "empty_page", "invalid_page_token")


def _calls(resolved: Resolved) -> Iterator[tuple[Visit, CallStep]]:
    for visit in resolved.visits:
        if isinstance(visit.step, CallStep):
            yield visit, visit.step


def check_tools(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield tools that do not exist, wherever they are named. Errors: tool/unknown, tool/document-not-used."""
    for _, step in _calls(resolved):
        for _, tool, span in step.tool.among:
            yield from unknown_tool(resolved, tool, span)
    for state in resolved.workflow.states:
        for tool, span in state.tools or ():
            yield from unknown_tool(resolved, tool, span)
    for question in resolved.questions():
        if isinstance(question, ConfirmStep):
            for tool, span in permitted_tools(question):
                yield from unknown_tool(resolved, tool, span)
    for budget in resolved.workflow.budgets:
        for index, tool in enumerate(budget.calls):
            span = resolved.loaded.places.value(budget.span, "calls", index)
            yield from unknown_tool(resolved, tool, span)


def unknown_tool(resolved: Resolved, tool: str, span: Span) -> Iterator[Diagnostic]:
    """Yield the finding for a tool that a workflow cannot call, if there is one."""
    document, _, rest = tool.partition(".")
    used = {name for name, _ in resolved.workflow.uses.tools}
    known = [name for name in resolved.documents.tools if name.partition(".")[0] in used]
    missing = [name for name, _ in resolved.workflow.uses.tools if not is_there(resolved, "tools", name)]
    if document in missing or nearest(document, missing) is not None:
        return  # the document that was meant could not be read, which is said where it is listed
    if document not in used:
        if rest and (tool in resolved.documents.tools or nearest(document, used) is None):
            yield finding("tool/document-not-used", span, hint=_use_of(resolved, document), document=document)
            return
        yield finding("tool/unknown", span, hint=did_you_mean(tool, known), tool=tool)
        return
    loaded = resolved.documents.of("tools", document)
    if tool in known or rest == "*" or loaded is None or tool in loaded.doubtful:
        return
    yield finding("tool/unknown", span, hint=did_you_mean(tool, known), tool=tool)


def _use_of(resolved: Resolved, document: str) -> Words:
    """Return how a tools document is used, or which one was meant where there is none of this name."""
    used = [name for name, _ in resolved.workflow.uses.tools]
    beside = resolved.documents.beside.get("tools", frozenset())
    if beside and document not in beside:
        near = nearest(document, beside)
        if near is None:
            return Words(
                f"没有 tools/{document}.yaml；现有的有：{', '.join(sorted(beside))}",
                f"there is no tools/{document}.yaml; there are: {', '.join(sorted(beside))}",
            )
        return Words(
            f"是不是想写 {near}？{to_use('tools', near, used).zh}",
            f"did you mean {near}? {to_use('tools', near, used).en}",
        )
    return to_use("tools", document, used)


def to_use(group: str, document: str, used: Iterable[str]) -> Words:
    """Return how a document is taken into use."""
    listed = ", ".join([*used, document])
    return Words(f"在 uses 里写 {group}: [{listed}]", f"write {group}: [{listed}] under uses")


def is_there(resolved: Resolved, kind: str, name: str) -> bool:
    """Whether a document that the workflow lists could be read."""
    loaded = resolved.documents.of(kind, name)
    return loaded is not None and loaded.document is not None


def permitted_tools(step: ConfirmStep) -> Iterator[tuple[str, Span]]:
    """Yield the tools that a confirmation names outright; those that a hole names are known at run time only."""
    if step.permits is None:
        return
    yield from ((tool, span) for _, tool, span in step.permits.among)
    for entry in _entries(step.permits.value):
        for name, value, _ in entry.entries:
            if name == "tool" and isinstance(value, Constant) and isinstance(value.value, str):
                yield value.value, value.span


def _entries(value: Value) -> Iterator[MappingOf]:
    if isinstance(value, MappingOf):
        yield value
    elif isinstance(value, EachOf):
        yield from _entries(value.give)
    elif isinstance(value, ListOf):
        for item in value.items:
            yield from _entries(item)


# --- allow-lists ------------------------------------------------------------------------------------------------------


def check_allowed(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield calls outside the allow-list of their state, also through blocks.

    Errors: tool/not-allowed, tool/not-allowed-through-block.
    """
    blocks = {block.name: block for block in resolved.workflow.blocks}
    certain = resolved.documents.tools.keys() - resolved.loaded.doubtful
    for visit in resolved.visits:
        state, step = visit.owner, visit.step
        if not isinstance(state, State) or not state.lists_tools:
            continue
        refused = certain - {tool for tool, _ in state.tools or ()}
        if isinstance(step, CallStep):
            for _, tool, span in step.tool.among:
                if tool in refused:
                    yield finding("tool/not-allowed", span, state=state.name, tool=tool)
        elif isinstance(step, UseStep):
            called = _called_in(steps_with_blocks((step,), blocks)) | _called_by_workflow(resolved, step.block)
            for tool in sorted(called & refused):
                yield finding(
                    "tool/not-allowed-through-block", step.block_span, state=state.name, tool=tool, block=step.block
                )


def _called_by_workflow(resolved: Resolved, name: str) -> set[str]:
    """Return the tools that another workflow calls: it runs under the allow-list of the state that uses it."""
    workflow = resolved.documents.workflows.get(name)
    return _called_in(all_steps(workflow)) if workflow is not None else set()


def _called_in(steps: Iterable[AnyStep]) -> set[str]:
    return {tool for step in steps if isinstance(step, CallStep) for _, tool, _ in step.tool.among}


# --- effects and confirmations ----------------------------------------------------------------------------------------


def check_effects(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield the first call that does more than is declared, with the others. Errors: tool/effect-too-strong."""
    found = list(_too_strong(resolved))
    also = Words("这里也是", "here as well")
    for effect in dict.fromkeys(effect for effect, _ in found):
        first, *others = [one for strength, one in found if strength == effect]
        yield replace(first, related=tuple(Related(one.span, also) for one in others if one.span is not None))


def _too_strong(resolved: Resolved) -> Iterator[tuple[str, Diagnostic]]:
    declared = resolved.workflow.effect
    for _, step in _calls(resolved):
        for _, tool, span in step.tool.among:
            contract = resolved.documents.tools.get(tool)
            if contract is not None and _STRENGTH[contract.effect] > _STRENGTH.get(declared, 2):
                effect = contract.effect
                yield effect, finding("tool/effect-too-strong", span, tool=tool, effect=effect, declared=declared)
    for name, span in resolved.workflow.uses.workflows:
        used = resolved.documents.workflows.get(name)
        if used is not None and _STRENGTH.get(used.effect, 0) > _STRENGTH.get(declared, 2):
            facts: dict[str, Any] = {"tool": name, "effect": used.effect, "declared": declared}
            yield used.effect or "", finding("tool/effect-too-strong", span, **facts)


def check_confirmed(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield writes that no confirmation permits, and confirmations that permit nothing.

    Errors: tool/write-without-confirmation, name/unknown-question, tool/needs-is-no-confirmation,
    tool/confirmation-permits-nothing, tool/confirmation-cannot-be-given, tool/permitted-but-nowhere-allowed,
    tool/writes-asking-nobody, tool/one-asks-nobody, tool/used-workflow-asks-nobody, tool/unknown.
    """
    questions = {step.name: step for step in resolved.questions()}
    for _, step in _calls(resolved):
        span = resolved.loaded.places.value(step.span, "needs")
        if step.needs is not None:
            yield from _needed(resolved, step.needs, span, questions)
        elif not resolved.loaded.may_be_lost(step.span):
            for _, tool, place in step.tool.among:
                contract = resolved.documents.tools.get(tool)
                if contract is not None and contract.effect != "read" and not _asks_nobody(resolved.workflow, tool):
                    yield finding("tool/write-without-confirmation", place, tool=tool)
                    break
    for question in questions.values():
        if isinstance(question, ConfirmStep):
            yield from _permitting(resolved, question)
    yield from _asking_nobody(resolved)


def _asking_nobody(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield that a workflow writes without asking, and workflows that do so inside one that does not say it."""
    for one in resolved.workflow.writes_without_confirmation:
        if not one.tool:
            yield finding("tool/writes-asking-nobody", one.span)
        elif one.tool in resolved.documents.tools:
            yield finding("tool/one-asks-nobody", one.span, tool=one.tool)
        else:
            yield from unknown_tool(resolved, one.tool, one.span)
    for name, span in resolved.workflow.uses.workflows:
        used = resolved.documents.workflows.get(name)
        for one in used.writes_without_confirmation if used is not None else ():
            if not _asks_nobody(resolved.workflow, one.tool):
                yield finding("tool/used-workflow-asks-nobody", span, name=name)
                break


def _asks_nobody(workflow: Workflow, tool: str) -> bool:
    return any(one.tool in ("", tool) for one in workflow.writes_without_confirmation)


def _needed(
    resolved: Resolved, name: str, span: Span, questions: dict[str, ConfirmStep | AskStep]
) -> Iterator[Diagnostic]:
    question = questions.get(name)
    if question is None:
        if name not in resolved.loaded.doubtful:
            permitting = [one.name for one in questions.values() if isinstance(one, ConfirmStep) and one.permits]
            yield finding("name/unknown-question", span, hint=did_you_mean(name, permitting or questions), name=name)
    elif isinstance(question, AskStep):
        yield finding("tool/needs-is-no-confirmation", span, name=name)
    elif question.permits is None:
        yield finding("tool/confirmation-permits-nothing", span, name=name)


def _permitting(resolved: Resolved, question: ConfirmStep) -> Iterator[Diagnostic]:
    if question.permits is None:
        return
    confirms = (choice.confirms or resolved.loaded.may_be_lost(choice.span) for choice in question.choices)
    if question.choices and not any(confirms):
        yield finding("tool/confirmation-cannot-be-given", question.name_span, name=question.name)
    if not all(state.lists_tools for state in resolved.workflow.states):
        return
    allowed = {tool for state in resolved.workflow.states for tool, _ in state.tools or ()}
    for tool, span in permitted_tools(question):
        if tool in resolved.documents.tools and tool not in allowed | resolved.loaded.doubtful:
            yield finding("tool/permitted-but-nowhere-allowed", span, tool=tool)


# --- arguments and limits ---------------------------------------------------------------------------------------------


def check_arguments(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield arguments that a tool does not take, or needs and does not get.

    Errors: type/unknown-argument, type/missing-argument, tool/argument-of-no-tool.
    """
    yield from _added_arguments(resolved)
    for _, step in _calls(resolved):
        if step.tool.by is None and len(step.tool.among) == 1 and isinstance(step.arguments, MappingOf):
            contract = _whole_contract(resolved, step.tool.among[0][1])
            if contract is not None:
                yield from _arguments(resolved, step, step.arguments, contract)
    for question in resolved.questions():
        if isinstance(question, ConfirmStep) and question.permits is not None:
            yield from _permitted_arguments(resolved, question)


def _added_arguments(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield what `every_call` would add to no call at all: it is added where a contract names it, else left out."""
    taken: set[str] = set()
    for contract in [_whole_contract(resolved, tool) for tool in resolved.documents.tools]:
        properties: Any = contract.input.get("properties") if contract is not None else None
        is_open = contract is None or contract.input.get("additionalProperties", False) is not False
        if is_open or not isinstance(properties, dict):
            return  # whatever is added may be taken here
        taken |= properties.keys()
    for name, _, span in resolved.workflow.every_call:
        if name not in taken:
            yield finding("tool/argument-of-no-tool", span, hint=did_you_mean(name, taken), name=name)


def _whole_contract(resolved: Resolved, tool: str) -> Contract | None:
    """Return the contract of a tool, None where its document has errors: an argument may have slipped out of it."""
    is_whole = resolved.documents.is_whole("tools", tool.partition(".")[0])
    return resolved.documents.tools.get(tool) if is_whole else None


def _arguments(resolved: Resolved, step: CallStep, arguments: MappingOf, contract: Contract) -> Iterator[Diagnostic]:
    yield from unknown_arguments(arguments, contract)
    given = {name for name, _, _ in arguments.entries}
    given |= {name for name, _, _ in resolved.workflow.every_call}
    if step.pages is not None and contract.paging is not None:
        given.add(contract.paging.token_in)
    span = resolved.loaded.places.key(step.span, "with") if given else step.tool.span
    required = contract.input.get("required")
    for name in required if isinstance(required, list) else ():
        if name not in given and name not in resolved.loaded.doubtful:
            yield finding("type/missing-argument", span, tool=contract.name, name=name)


def unknown_arguments(arguments: MappingOf, contract: Contract) -> Iterator[Diagnostic]:
    """A tool takes the arguments that its contract names, whether or not the schema says that it is closed."""
    shape = shape_of(contract.input)
    for name, value, span in arguments.entries:
        found = shape.field(name) if shape is not None else None
        if isinstance(found, Missing) and contract.input.get("additionalProperties") is not True:
            hint = did_you_mean(name, found.names)
            yield finding("type/unknown-argument", span, hint=hint, tool=contract.name, name=name)
        elif found is not None and not isinstance(found, Missing) and isinstance(value, MappingOf):
            for inner, _, place in value.entries:
                deeper = found.field(inner)
                if isinstance(deeper, Missing):
                    yield from missing_field(inner, deeper, place)


def _permitted_arguments(resolved: Resolved, question: ConfirmStep) -> Iterator[Diagnostic]:
    assert question.permits is not None
    for entry in _entries(question.permits.value):
        parts = {name: value for name, value, _ in entry.entries}
        tool, arguments = parts.get("tool"), parts.get("with")
        if isinstance(tool, Constant) and isinstance(arguments, MappingOf):
            contract = _whole_contract(resolved, str(tool.value))
            if contract is not None:
                yield from unknown_arguments(arguments, contract)


def check_limits(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield what a call says about errors, pages and pools that cannot be.

    Errors: tool/unknown-error, tool/not-paged, name/unknown-pool, flow/walk-without-bound.
    """
    pools = [name for name, _, _ in resolved.workflow.pools]
    places = resolved.loaded.places
    for _, step in _calls(resolved):
        contracts = [resolved.documents.tools.get(tool) for _, tool, _ in step.tool.among]
        known = [contract for contract in contracts if contract is not None]
        if step.pool is not None and step.pool not in pools and step.pool not in resolved.loaded.doubtful:
            span = places.value(step.span, "pool")
            yield finding("name/unknown-pool", span, hint=did_you_mean(step.pool, pools), name=step.pool)
        if step.pages is not None:
            if step.pages.at_most is None:
                yield finding("flow/walk-without-bound", places.key(step.span, "pages"))
            for contract in known:
                if contract.paging is None:
                    yield finding("tool/not-paged", places.key(step.span, "pages"), tool=contract.name)
        if len(known) == len(contracts):
            yield from _error_codes(resolved, step, known)


def _error_codes(resolved: Resolved, step: CallStep, contracts: list[Contract]) -> Iterator[Diagnostic]:
    """Only what is nearly a code that exists, or a word for one, is surely a mistake: adapters may report others."""
    codes = {code for contract in contracts for code in contract.errors}
    codes |= {*ERROR_KINDS, *_WALK_ERRORS, *SERVICE_ERRORS, *(judge.rule for judge in step.accept)}
    if any(contract.prompt is not None for contract in contracts):
        codes |= MODEL_ERRORS.keys()
    places = resolved.loaded.places
    named: list[tuple[str, tuple[str | int, ...]]] = []
    for key, limit in (("retry", step.retry), ("repair", step.repair)):
        errors = limit.errors if limit is not None else ()
        named += [(code, (key, "errors", index)) for index, code in enumerate(errors)]
    restarts = step.pages.restart_on if step.pages is not None else ()
    named += [(code, ("restart_on", index)) for index, code in enumerate(restarts)]
    for code, road in named:
        if code in codes:
            continue
        meant = _KINDS_OF_OTHERS.get(code.lower()) or nearest(code, codes)
        if meant is not None:
            tool = step.tool.among[0][1] if step.tool.among else ""
            span = places.value(step.span, *road)
            yield finding("tool/unknown-error", span, hint=did_you_mean(meant, codes), tool=tool, error=code)
