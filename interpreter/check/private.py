"""Marked data: `private` never comes into words, `sensitive` never where it would have to be typed."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic, finding
from interpreter.flow.marks import Found, Marked, Word, found_in, marked_in, marks_of, owned_steps, shown_in
from interpreter.model import UseStep
from interpreter.resolve import Resolved

_CODES = {
    "text": "type/private-shown",
    "phrase": "type/private-shown",
    "start": "type/private-shown",
    "decided": "type/private-decided",
}


def check_private(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield private data in what people read, and where it leaves the workflow without its mark.

    Errors: type/private-shown, type/private-decided, type/private-output, type/mark-lost.
    """
    marked = marked_in(resolved.documents, resolved.workflow, "private")
    for shown in shown_in(resolved.workflow):
        for found in found_in(shown.value, marked.at(shown.owner)):
            yield _finding(_CODES[shown.kind], found)
    for output in resolved.workflow.outputs:
        if not output.private and not output.released:
            yield from (_finding("type/private-output", found) for found in found_in(output.value, marked.at(None)))
    yield from _arguments(resolved, marked, "private")


def check_sensitive(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield sensitive data that cannot be masked where it stands.

    Errors: type/sensitive-phrase, type/mark-lost.
    """
    marked = marked_in(resolved.documents, resolved.workflow, "sensitive")
    for shown in shown_in(resolved.workflow):
        if shown.kind == "phrase":
            yield from (_finding("type/sensitive-phrase", one) for one in found_in(shown.value, marked.at(shown.owner)))
    yield from _arguments(resolved, marked, "sensitive")


def _finding(code: str, found: Found) -> Diagnostic:
    return finding(code, found.place.part(found.start, found.end), name=found.name)


def _arguments(resolved: Resolved, marked: Marked, word: Word) -> Iterator[Diagnostic]:
    """A workflow that is used masks and refuses by its own declarations only."""
    for owner, step in owned_steps(resolved.workflow):
        workflow = resolved.documents.workflows.get(step.block) if isinstance(step, UseStep) else None
        if not isinstance(step, UseStep) or workflow is None:
            continue
        inputs = {declared.name: declared for declared in workflow.inputs}
        for name, value, span in step.arguments:
            declared = inputs.get(name)
            if declared is not None and not getattr(declared, word) and marks_of(value, marked.at(owner)):
                yield finding("type/mark-lost", span, name=name, workflow=workflow.name, word=word)
