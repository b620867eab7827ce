"""Why an expression of a profile or a contract has no value, in both languages and with its place."""

from __future__ import annotations

from interpreter.diagnostics import Words
from rules.values import CannotEvaluate


def reason_of(error: CannotEvaluate) -> Words:
    """Return what went wrong and where it stands in the document, where that is known."""
    from interpreter.codes import CODES

    declared = CODES.get(f"expression/{error.code}")
    words = declared.message.filled(error.facts) if declared is not None else Words(error.code, error.code)
    where = getattr(error, "where", None)
    if where is None:
        return words
    place = f"{where.file}:{where.line}:{where.column}"
    return Words(f"{place}：{words.zh}", f"{place}: {words.en}")
