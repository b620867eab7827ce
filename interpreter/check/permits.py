"""Calls beside what their confirmation permits: one that can never equal an entry is refused whenever it is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from interpreter.diagnostics import Diagnostic, Related, Words, finding
from interpreter.model import CallStep, ConfirmStep, Constant, EachOf, ListOf, MappingOf, Permits, Text, Value
from interpreter.resolve import Resolved
from rules.values import canonical_text


class _Difference(NamedTuple):
    """Where two lists of arguments differ. Shapes: `permitted` and `sent` are as written, None for what is left out."""

    path: str
    permitted: str | None
    sent: str | None


def check_permitted(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield calls that their confirmation never permits: another tool, or arguments that cannot be the same.

    What only a run can tell is not said. Errors: tool/never-permitted, tool/not-as-permitted.
    """
    confirmations = {step.name: step for step in resolved.questions() if isinstance(step, ConfirmStep)}
    for visit in resolved.visits:
        step = visit.step
        if not isinstance(step, CallStep) or step.needs is None or step.tool.by is not None:
            continue
        asked = confirmations.get(step.needs)
        if asked is not None and asked.permits is not None and len(step.tool.among) == 1:
            yield from _call(resolved, step, asked.name, asked.permits)


def _call(resolved: Resolved, step: CallStep, question: str, permits: Permits) -> Iterator[Diagnostic]:
    entries = _entries(permits.value)
    tool = step.tool.among[0][1]
    if not entries or tool not in resolved.documents.tools:
        return
    named = [entry.get("tool") for entry in entries]
    if any(not isinstance(one, Constant) or not isinstance(one.value, str) for one in named):
        return
    permitted = [
        entry for entry, one in zip(entries, named, strict=True) if isinstance(one, Constant) and one.value == tool
    ]
    related = [Related(permits.span, Words("许可在这里", "it permits this"))]
    if not permitted:
        if tool not in resolved.loaded.doubtful:
            yield finding("tool/never-permitted", step.tool.span, related=related, tool=tool, question=question)
        return
    differences = [_difference(entry.get("with"), step.arguments, "") for entry in permitted]
    first = differences[0]
    if first is None or None in differences or _is_said(resolved, tool, first):
        return
    span = resolved.loaded.places.value(step.span, "with")
    sent, shown = _said(first.sent), _said(first.permitted)
    yield finding(
        "tool/not-as-permitted",
        span,
        related=related,
        tool=tool,
        question=question,
        name=first.path,
        sent_zh=sent.zh,
        sent_en=sent.en,
        shown_zh=shown.zh,
        shown_en=shown.en,
    )


def _is_said(resolved: Resolved, tool: str, difference: _Difference) -> bool:
    """Whether a difference is an argument that the tool does not take, or needs: that is a finding of its own."""
    contract = resolved.documents.tools[tool]
    name = difference.path.partition(".")[0]
    takes, needs = contract.input.get("properties"), contract.input.get("required")
    is_unknown = isinstance(takes, dict) and name not in takes
    return is_unknown or (difference.sent is None and isinstance(needs, list) and name in needs)


def _entries(value: Value) -> list[dict[str, Value]]:
    """Return the entries that a value writes out; none at all where it is not known what entries there are."""
    match value:
        case MappingOf(entries=entries):
            return [{name: part for name, part, _ in entries}]
        case EachOf(give=give):
            return _entries(give)
        case ListOf(items=items):
            found = [_entries(item) for item in items]
            return [entry for part in found for entry in part] if all(found) else []
    return []


def _difference(permitted: Value | None, sent: Value | None, path: str) -> _Difference | None:
    """Return the first place at which two values can never be the same, None where they may be."""
    if permitted is None or sent is None:
        given = sent if permitted is None else permitted
        shown = _written(given) if given is not None else None
        if shown is None:
            return None
        return _Difference(path, None if permitted is None else shown, None if sent is None else shown)
    if isinstance(permitted, MappingOf) and isinstance(sent, MappingOf):
        left = {name: part for name, part, _ in permitted.entries}
        right = {name: part for name, part, _ in sent.entries}
        return _first(
            _difference(left.get(name), right.get(name), f"{path}.{name}".lstrip(".")) for name in {**left, **right}
        )
    if isinstance(permitted, ListOf) and isinstance(sent, ListOf) and len(permitted.items) == len(sent.items):
        pairs = enumerate(zip(permitted.items, sent.items, strict=True))
        return _first(_difference(one, other, f"{path}[{number}]") for number, (one, other) in pairs)
    shown, said = _written(permitted), _written(sent)
    is_text = isinstance(permitted, Text) or isinstance(sent, Text)
    return _Difference(path, shown, said) if shown and said and shown != said and not is_text else None


def _first(differences: Iterator[_Difference | None]) -> _Difference | None:
    return next((one for one in differences if one is not None), None)


def _written(value: Value) -> str | None:
    """Return how a value stands in a message; None for one that may be anything, or absent."""
    match value:
        case Constant(value=constant):
            return None if constant is None else canonical_text(constant) if constant != "" else "''"
        case Text(template=template):
            return None if template.single is not None else template.text
        case MappingOf():
            return "{…}"
        case ListOf():
            return "[…]"
    return None


def _said(text: str | None) -> Words:
    if text == "''":
        return Words("空文本", "an empty text")
    return Words(f"“{text}”", f"“{text}”") if text is not None else Words("空缺", "nothing")
