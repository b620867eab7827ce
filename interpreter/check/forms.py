"""Forms: words of a field that say nothing there, and choices and beginnings that its own shape refuses."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.check.fields import unfit
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding
from interpreter.model import AskStep, Constant, Field
from interpreter.resolve import Resolved
from interpreter.static.values import Shape, shape_of
from rules.values import canonical_text, same

_NOT_A_DEFAULT = Words(
    "一开始填着的值写在 start；没有人回答时的值写在问题的 otherwise",
    "write start for what stands there at first, and otherwise of the question for when nobody answers",
)
_A_LIST = Words("写上 choices，或写 type: array", "give choices, or write type: array")


def check_forms(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield what a field of a form says without effect, and what would make it impossible to fill in.

    Errors: type/word-without-effect, type/not-among, and those of `unfit` for choices.
    """
    declared = {one.name: one.schema for one in (*resolved.workflow.inputs, *resolved.workflow.data)}
    for step in (visit.step for visit in resolved.visits):
        for field in step.form if isinstance(step, AskStep) else ():
            yield from _words(resolved, field)
            yield from _choices(resolved, field, shape_of({**declared.get(field.name, {}), **field.schema}))
            yield from _start(field)


def _words(resolved: Resolved, field: Field) -> Iterator[Diagnostic]:
    places, found = resolved.loaded.places, list[tuple[str, Words, Words]]()
    if places.key(field.span, "default") is not field.span:
        found.append(("default", Words("表单的字段", "a field of a form"), _NOT_A_DEFAULT))
    if field.many and not field.choices and field.rows is None:
        found.append(("many", Words("没有 choices 的字段", "a field without choices"), _A_LIST))
    for word, kind, hint in found:
        span = places.key(field.span, word)
        yield finding("type/word-without-effect", span, hint=hint, word=word, kind_zh=kind.zh, kind_en=kind.en)


def _choices(resolved: Resolved, field: Field, shape: Shape | None) -> Iterator[Diagnostic]:
    """Yield choices that the shape of their field refuses: whoever takes one would be asked again for ever."""
    if shape is None:
        return
    for choice in field.choices:
        span = resolved.loaded.places.value(choice.span, "value")
        yield from unfit([choice.value] if field.many else choice.value, shape, span)


def _start(field: Field) -> Iterator[Diagnostic]:
    """Yield a written beginning that is none of the choices, so that it cannot be taken."""
    values = [choice.value for choice in field.choices]
    if values and not field.many and isinstance(field.start, Constant):
        start = field.start.value
        if start not in (None, "") and not any(same(start, value) for value in values):
            hint = did_you_mean(canonical_text(start), [canonical_text(value) for value in values])
            yield finding("type/not-among", field.start.span, hint=hint, value=start)
