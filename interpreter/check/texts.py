"""Texts for people: both languages, and all the parts that a message needs."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic, errors_of, finding
from interpreter.model import AskStep, ConfirmStep, Message, SayStep
from interpreter.resolve import Resolved
from interpreter.source import Span


def check_languages(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield texts that are there in one language only. Errors: type/one-language."""
    for key, span in resolved.one_language:
        missing = "en" if key == "zh" else "zh"
        yield finding("type/one-language", span, missing=missing)


def check_messages(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield messages that leave out what was done, what comes next, or whether it writes.

    Errors: type/message-part-missing, type/question-without-text, tool/confirmation-hides-a-write.
    """
    for visit in resolved.visits:
        step = visit.step
        if isinstance(step, SayStep):
            yield from _message(resolved, step.message, step.verb_span)
        elif isinstance(step, ConfirmStep | AskStep) and step.text is None:
            if "text" not in resolved.loaded.doubtful:
                yield finding("type/question-without-text", step.name_span, name=step.name)
        elif isinstance(step, ConfirmStep | AskStep) and step.text is not None:
            yield from _message(resolved, step.text, resolved.loaded.places.key(step.span, "text"))
            if isinstance(step, ConfirmStep) and step.permits is not None and step.text.writes is False:
                yield finding("tool/confirmation-hides-a-write", resolved.loaded.places.value(step.text.span, "writes"))


def _message(resolved: Resolved, message: Message, span: Span) -> Iterator[Diagnostic]:
    """Look at the parts of one message; one that holds a mistake already may have meant the part that seems missing."""
    if any(_lies_in(one, message.span) for one in errors_of(resolved.loaded.diagnostics)):
        return
    parts = {"done": message.done, "next": message.next, "writes": message.writes}
    missing = [name for name, part in parts.items() if part is None and name not in resolved.loaded.doubtful]
    if missing:
        yield finding("type/message-part-missing", span, part=", ".join(missing))


def _lies_in(one: Diagnostic, around: Span) -> bool:
    inner = one.span
    if inner is None or inner.source is not around.source:
        return False
    return around.start <= inner.start and inner.end <= around.end
