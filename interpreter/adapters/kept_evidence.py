"""The evidence of a run as its journal keeps it: every unit, and whether it still stands where it was read.

Nothing here trusts what a run said of itself: the place of a unit is followed into the recorded answer of its call, or
into the inputs, and the text found there is compared letter for letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from interpreter.evidence import UNIT_FIELDS, text_at
from interpreter.ports import JsonObject, Row
from interpreter.safety.masking import mask


def kept_evidence(first: Iterable[Row], second: Iterable[Row]) -> list[JsonObject]:
    """Return the units of a run in the order in which they were first admitted.

    Shapes: the rows of the journal, twice; each unit has its fields, `body` (where the text is kept: `key` and `place`,
    or `parts`), `leaf` (the path of a text inside JSON, None elsewhere) and `stands`. What was made of private or
    sensitive data is masked.
    """
    found: dict[str, JsonObject] = {}
    for row in first:
        recorded = row.body.get("value") if row.kind == "decided" else None
        if isinstance(recorded, dict) and "evidence" in recorded:
            for one in recorded["evidence"]:
                found.setdefault(one["unit"]["evidence_id"], {**one, "hidden": recorded["hidden"]})
    wanted = {key for one in found.values() for key in _keys_of(one["body"])}
    answers = dict(_answers(second, wanted))
    return [_with_verdict(one, answers) for one in found.values()]


def refused_quotations(rows: Iterable[Row]) -> list[str]:
    """Return where outputs and data held a quotation that stands in nothing that was read."""
    found: list[str] = []
    for row in rows:
        if row.kind == "trace" and row.body.get("note") == "quotations-not-found":
            found = list(row.body["places"])
    return found


def refused_in_answers(rows: Iterable[Row]) -> list[JsonObject]:
    """Return the pointers and quotations of answers that `bind` refused: `tool`, `at`, `rule`, `message`, `details`.

    Shapes: each once, in the order in which they came; an answer that was asked for again may have got them right.
    """
    found: list[JsonObject] = []
    for row in rows:
        if row.kind == "trace" and row.body.get("note") == "pointers-refused":
            told = ({"tool": row.body["tool"], **one} for one in row.body["findings"])
            found += [one for one in told if one not in found]
    return found


def _keys_of(body: Mapping[str, Any]) -> Iterator[str]:
    if "parts" in body:
        for part in body["parts"]:
            yield from _keys_of(part)
    else:
        yield body["key"]


def _answers(rows: Iterable[Row], wanted: set[str]) -> Iterator[tuple[str, Any]]:
    """Yield the answers that hold bodies by the key of their call; the inputs under ''."""
    for row in rows:
        if row.kind == "start":
            yield "", row.body.get("inputs", {})
        elif row.kind == "outcome" and row.key in wanted and row.body.get("ok"):
            yield row.key, row.body["value"]


def _with_verdict(one: JsonObject, answers: Mapping[str, Any]) -> JsonObject:
    unit = one["unit"]
    whole = _text_of(one["body"], answers)
    whole = text_at(whole, one["leaf"]) if whole is not None else None
    offset, text = unit["offset"], unit["text"]
    stands = whole is not None and whole[offset : offset + len(text)] == text
    shown = {name: unit.get(name) for name in UNIT_FIELDS}
    if one["hidden"]:
        shown |= {name: mask(shown[name]) for name in ("source", "path", "text")}
    body = {name: part for name, part in one["body"].items() if name != "text"}
    return {**shown, "body": body, "leaf": one["leaf"] if not one["hidden"] else None, "stands": stands}


def _text_of(body: Mapping[str, Any], answers: Mapping[str, Any]) -> str | None:
    """Return a body as it is kept; None where nothing is. Shapes: `text` is the default of an input."""
    if "parts" in body:
        parts = [_text_of(part, answers) for part in body["parts"]]
        return None if any(part is None for part in parts) else str(body["separator"]).join(map(str, parts))
    value = answers.get(body["key"])
    for step in body["place"]:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            value = None
    return value if isinstance(value, str) else body.get("text")
