"""Where a compiled expression failed: its code carries the characters of the text that it was made from."""

from __future__ import annotations

from types import TracebackType
from typing import Final

from rules.values import CannotEvaluate, kind_facts

#: What the code of expressions has for the name of its file.
FILE_NAME: Final = "<expression>"


def located(error: Exception, text: str) -> CannotEvaluate:
    """Return what went wrong inside a compiled expression, with its place.

    A KeyError or TypeError raised by the lambda itself is a field that is not there; one from deeper is a bug and is
    raised again.
    """
    place = _frame_of_expression(error.__traceback__)
    if place is None:
        raise error
    trace, deepest = place
    start, end = _position(trace)
    if isinstance(error, CannotEvaluate):
        return error.at(start, end)
    if isinstance(error, RecursionError):
        return CannotEvaluate("too-deep-a-value", {}, start, end)
    if not deepest:
        raise error
    if isinstance(error, KeyError):
        name = str(error.args[0])
        is_name = start is not None and end is not None and text[start:end] == name
        return CannotEvaluate("absent-name" if is_name else "absent-field", {"field": name, "name": name}, start, end)
    return _no_fields(str(error), text, start, end)


_BASES: Final = {
    "list indices": "list", "string indices": "text", "'int'": "number", "'bool'": "boolean",
    "'decimal.Decimal'": "number", "'Absent'": "absent",
}  # fmt: skip
"""How Python's message about a subscript begins, and the kind of value that it is about."""


def _no_fields(message: str, text: str, start: int | None, end: int | None) -> CannotEvaluate:
    written = text[start:end] if start is not None else ""
    field = written.rpartition(".")[2].strip() if "." in written else written
    if message.startswith("'NoneType'"):
        return CannotEvaluate("field-of-null", {"field": field}, start, end)
    kind = next((kind for begin, kind in _BASES.items() if message.startswith(begin)), None)
    if kind == "absent":
        return CannotEvaluate("absent-value", {}, start, end)
    return CannotEvaluate("no-fields", {"field": field, **kind_facts(found=kind or "?")}, start, end)


def _frame_of_expression(trace: TracebackType | None) -> tuple[TracebackType, bool] | None:
    """Return the part of a traceback that lies in a compiled expression, and whether nothing lies beneath it."""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE_NAME:
            return trace, trace.tb_next is None
        trace = trace.tb_next
    return None


def _position(trace: TracebackType) -> tuple[int | None, int | None]:
    positions = list(trace.tb_frame.f_code.co_positions())
    _, _, start, end = positions[trace.tb_lasti // 2]
    return start, end
