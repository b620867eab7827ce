"""The judge `bind`: every pointer of an answer is looked up, and a citation stands in its place.

Look-up is exact and knows the units that were handed in, and no others; the rest of the evidence only serves the
message, which says whether an id is unknown, or belongs elsewhere. Nothing is mended and nothing is dropped: all that
is wrong is gathered, each with its place, and an answer with anything wrong in it is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from interpreter.engine.data import Names
from interpreter.engine.frame import Evaluate, Frame
from interpreter.evidence import Admitted, Evidence
from interpreter.pointers import Citation, Places, Pointer
from interpreter.ports import JsonObject
from rules.records import NamedTuple
from rules.values import cannot, canonical_text, kind_facts, kind_of, same

#: The rule that every finding of `bind` names; `details.problem` says which way it was broken.
RULE = "invalid_evidence_id"
_LONGEST_SHOWN = 200
_LONGEST_IN_WORDS = 60

_WORDS: dict[str, tuple[str, str]] = {
    "unknown_id": ("没有“{found}”这个证据标识", "there is no evidence_id “{found}”"),
    "other_part": (
        "证据标识“{found}”属于同一来源的另一部分，不在这次给出的证据里",
        "evidence_id “{found}” belongs to another part of the same source and was not offered here",
    ),
    "other_source": (
        "证据标识“{found}”属于另一个来源，不在这次给出的证据里",
        "evidence_id “{found}” belongs to another source and was not offered here",
    ),
    "other_side": (
        "证据标识“{found}”属于 {other}，这里要 {side} 的证据",
        "evidence_id “{found}” is on the side {other}; evidence of {side} is wanted here",
    ),
    "not_a_pointer": (
        "这里要{forms_zh}，而这是{found_kind_zh}",
        "{forms_en} is wanted here, this is of kind {found_kind}",
    ),
    "null_not_allowed": ("这里不能是 null，要{forms_zh}", "null may not stand here; {forms_en} is wanted"),
    "made_up": (
        "这个字段由核对填写，不能自己给出",
        "this field is filled in when pointers are bound; it may not be given",
    ),
    "empty_quote": ("引文是空的", "the quote is empty"),
    "unknown_path": ("给出的证据里没有路径“{found}”", "no evidence offered here has the path “{found}”"),
    "quote_not_found": (
        "引文和路径“{found}”的原文不是逐字相同",
        "the quote does not stand letter for letter in the text at path “{found}”",
    ),
}
_FORMS = {
    "id": ("证据标识", "an evidence_id"),
    "object": ("{evidence_id}", "{evidence_id}"),
    "quote": ("{path, quote}", "{path, quote}"),
}

Among = tuple[tuple[str, Evaluate], ...]


class Cited(NamedTuple):
    citation: JsonObject
    admitted: Admitted


class Bound(NamedTuple):
    """An answer after look-up. Shapes: where a pointer was refused null stands, and `findings` say why."""

    value: Any
    findings: list[JsonObject]
    cited: list[Cited]


def bind_answer(among: Among, frame: Frame, names: Names, places: Places, answer: Any) -> Bound:
    """Look up every pointer of an answer.

    Errors: CannotEvaluate where what is handed in as units is none, or the form of a citation has no value.
    """
    binder = _Binder(frame, {side: _units(value(names), side, frame.evidence) for side, value in among})
    value = places.walk(answer, binder.at_pointer)
    return Bound(value, binder.findings, binder.cited)


def _units(value: Any, side: str, evidence: Evidence) -> list[Admitted]:
    if not isinstance(value, list):
        raise cannot("evidence-not-a-unit", side=side)
    units = []
    for entry in value:
        admitted = evidence.known(entry)
        if admitted is None:
            raise cannot("evidence-not-a-unit", side=side)
        units.append(admitted)
    return units


class _Binder:
    def __init__(self, frame: Frame, among: Mapping[str, Sequence[Admitted]]) -> None:
        self.findings: list[JsonObject] = []
        self.cited: list[Cited] = []
        self._frame = frame
        self._among = among
        self._by_id = {side: {one.unit["evidence_id"]: one for one in units} for side, units in among.items()}

    def at_pointer(self, value: Any, pointer: Pointer | Citation, at: str) -> Any:
        if isinstance(pointer, Citation):
            # Under the name of a bound field only a bound citation may stand.
            return self._refused("made_up", Pointer("", (), False, None), at, value)
        if value is None:
            return None if pointer.or_null else self._refused("null_not_allowed", pointer, at, value)
        if isinstance(value, str) and "id" in pointer.forms:
            return self._by_look_up(value, pointer, at)
        if isinstance(value, dict) and "evidence_id" in value and "object" in pointer.forms:
            # Whatever stands beside an id cannot rescue it.
            return self._by_look_up(value["evidence_id"], pointer, f"{at}.evidence_id" if at else "evidence_id")
        if isinstance(value, dict) and "evidence_id" not in value and "quote" in pointer.forms:
            return self._by_quote(value, pointer, at)
        return self._refused("not_a_pointer", pointer, at, value)

    def _by_look_up(self, found: Any, pointer: Pointer, at: str) -> Any:
        if not isinstance(found, str):
            return self._refused("not_a_pointer", pointer, at, found)
        admitted = self._by_id.get(pointer.side, {}).get(found)
        if admitted is not None:
            return self._citation(admitted, "id")
        other = next((side for side, units in self._by_id.items() if found in units), None)
        if other is not None:
            return self._refused("other_side", pointer, at, found, other=other)
        known = self._frame.evidence.unit(found)
        if known is None:
            return self._refused("unknown_id", pointer, at, found)
        sources = [one.unit["source"] for one in self._among.get(pointer.side, ())]
        is_same = any(same(known.unit["source"], source) for source in sources)
        return self._refused("other_part" if is_same else "other_source", pointer, at, found)

    def _by_quote(self, value: JsonObject, pointer: Pointer, at: str) -> Any:
        path, quote = value.get("path"), value.get("quote")
        if not isinstance(path, str) or not isinstance(quote, str):
            return self._refused("not_a_pointer", pointer, at, value)
        below = f"{at}." if at else ""
        if not quote.strip():
            return self._refused("empty_quote", pointer, f"{below}quote", quote)
        units = [one for one in self._among.get(pointer.side, ()) if one.unit["path"] == path]
        if not units:
            return self._refused("unknown_path", pointer, f"{below}path", path)
        for admitted in units:
            offset = admitted.unit["text"].find(quote)
            if offset >= 0:
                part = {**admitted.unit, "offset": admitted.unit["offset"] + offset, "text": quote}
                return self._citation(admitted._replace(unit=part), "quote")
        return self._refused("quote_not_found", pointer, f"{below}quote", path, quote=quote)

    def _citation(self, admitted: Admitted, form: str) -> JsonObject:
        citation = citation_of(self._frame, admitted.unit, form)
        self.cited.append(Cited(citation, admitted))
        return citation

    def _refused(self, problem: str, pointer: Pointer, at: str, found: Any, **more: str) -> None:
        facts: dict[str, object] = {
            "found": _shortened(found, _LONGEST_IN_WORDS),
            **kind_facts(found_kind=kind_of(found)),
            "side": pointer.side,
            "forms_zh": "或".join(_FORMS[form][0] for form in pointer.forms if form in _FORMS),
            "forms_en": " or ".join(_FORMS[form][1] for form in pointer.forms if form in _FORMS),
            **{name: _shortened(value, _LONGEST_IN_WORDS) for name, value in more.items()},
        }
        zh, en = _WORDS[problem]
        details: JsonObject = {"problem": problem, "side": pointer.side, "found": _shortened(found, _LONGEST_SHOWN)}
        details |= {name: _shortened(value, _LONGEST_SHOWN) for name, value in more.items()}
        message = {"zh": zh.format(**facts), "en": en.format(**facts)}
        self.findings.append({"at": at, "rule": RULE, "message": message, "details": details})


def _shortened(value: Any, longest: int) -> str:
    text = canonical_text(value) if value is not None else "null"
    return text if len(text) <= longest else text[: longest - 1] + "…"


def citation_of(frame: Frame, unit: JsonObject, form: str) -> JsonObject:
    """Return the citation of a unit, in the form that the workflow declares.

    Errors: CannotEvaluate where a field of it has no value.
    """
    names: Names = {"unit": unit, "run": frame.names["run"], "": frame.names[""]}
    plan = frame.core.program.evidence
    assert plan is not None
    return {**plan.citation(names), "form": form}


def places_touch(one: str, other: str) -> bool:
    """Say whether one place of an answer is the other, or stands in it: `card` and `card.name[0]` do."""
    first, second = _steps_of(one), _steps_of(other)
    length = min(len(first), len(second))
    return first[:length] == second[:length]


def _steps_of(place: str) -> list[str]:
    return [part for part in place.replace("[", ".").replace("]", "").split(".") if part]


__all__ = ["Among", "Bound", "bind_answer", "citation_of", "places_touch"]
