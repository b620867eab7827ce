"""Checks of meaning: one module for each subject, every check a generator of findings, all of them listed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from interpreter.check import (
    absence,
    blocks,
    bounds,
    calls,
    decisions,
    evidence,
    expressions,
    fields,
    forms,
    functions,
    gates,
    guarantees,
    kinds,
    names,
    paths,
    permits,
    private,
    states,
    steps,
    texts,
    unused,
    words,
)
from interpreter.check.contracts import check_contracts
from interpreter.diagnostics import Diagnostic, Related, Words, has_errors, in_order
from interpreter.documents.loading import Documents
from interpreter.model import Workflow
from interpreter.resolve import Resolved, resolve
from interpreter.source import Span
from rules.records import replace

_ONE_CAUSE = frozenset(
    {"name/unknown", "name/unknown-data", "name/unknown-state", "name/unknown-block", "name/unknown-gate"}
    | {
        "name/not-data",
        "name/unknown-question",
        "name/unknown-rule",
        "name/unknown-pool",
        "tool/unknown",
        "tool/document-not-used",
    }
)

Check = Callable[[Resolved], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    names.check_names,
    absence.check_absence,
    names.check_texts_like_names,
    names.check_placeholders,
    functions.check_functions,
    names.check_shown,
    names.check_budget_names,
    paths.check_targets,
    paths.check_collected,
    paths.check_written_fields,
    paths.check_changes_at_once,
    paths.check_replaced_lists,
    fields.check_fields,
    fields.check_constants,
    fields.check_lengths,
    kinds.check_operands,
    kinds.check_places,
    kinds.check_composed,
    words.check_words,
    words.check_labels,
    words.check_chosen_tools,
    calls.check_tools,
    calls.check_allowed,
    calls.check_effects,
    calls.check_confirmed,
    calls.check_arguments,
    calls.check_limits,
    permits.check_permitted,
    evidence.check_bound,
    evidence.check_admitted,
    evidence.check_pointers,
    evidence.check_sources,
    decisions.check_decisions,
    decisions.check_outside_thresholds,
    blocks.check_blocks,
    blocks.check_given,
    states.check_state_names,
    states.check_state_targets,
    states.check_reachable,
    states.check_transitions,
    bounds.check_cycles,
    bounds.check_unattended_cycles,
    bounds.check_waits,
    bounds.check_recursion,
    gates.check_gates,
    gates.check_gate_entries,
    gates.check_redone,
    gates.check_guarantees,
    steps.check_step_ids,
    steps.check_choices,
    forms.check_forms,
    steps.check_reached,
    steps.check_places_of_steps,
    texts.check_languages,
    texts.check_messages,
    expressions.check_all_of_nothing,
    expressions.check_times,
    private.check_private,
    private.check_sensitive,
    unused.check_unused,
)


def check_documents(documents: Documents) -> list[Diagnostic]:
    """Return everything that the checks find in a workflow and the contracts that it uses, in order."""
    found = _check_workflow(documents)
    for loaded in documents.loaded.values():
        found.extend(check_contracts(loaded, documents.tools))
        if isinstance(loaded.document, Workflow) and loaded is not documents.main:
            found.extend(_check_workflow(replace(documents, workflow=loaded.document, name=loaded.name)))
    return in_order(found)


def _check_workflow(documents: Documents) -> list[Diagnostic]:
    resolved = resolve(documents)
    found = [diagnostic for check in CHECKS for diagnostic in check(resolved)]
    if not has_errors(found):
        # Nothing can be said of the ways through a workflow whose names and roads are not yet right.
        found.extend(guarantees.check_proofs(resolved))
    return list(_said_once(in_order(found), list(permits.arguments_twice(resolved))))


def _said_once(diagnostics: list[Diagnostic], twice: list[tuple[Span, Span]]) -> Iterator[Diagnostic]:
    """Yield findings so that one mistake is said once, with the other places where it stands.

    Shapes: that is a name which is nowhere, and what is wrong with an argument that stands `twice`: in a call, and in
    what permits it.
    """
    by_cause: dict[tuple[object, ...], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        said = (diagnostic.code, diagnostic.message.en)
        if diagnostic.code in _ONE_CAUSE:
            by_cause.setdefault(said, []).append(diagnostic)
            continue
        permitted = [entry for sent, entry in twice if _is_inside(diagnostic, sent)]
        same = [one for entry in permitted for one in diagnostics if _is_inside(one, entry)]
        cause = next((one for one in same if (one.code, one.message.en) == said), diagnostic)
        by_cause.setdefault((*said, cause.span), []).append(diagnostic)
    for first, *others in by_cause.values():
        also = Words("这里也是", "here as well")
        places = [Related(other.span, also) for other in others if other.span is not None]
        yield replace(first, related=(*first.related, *places)) if places else first


def _is_inside(diagnostic: Diagnostic, place: Span) -> bool:
    span = diagnostic.span
    return span is not None and span.source is place.source and place.start <= span.start < place.end


__all__ = ["CHECKS", "Check", "check_contracts", "check_documents"]
