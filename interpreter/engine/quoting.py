"""Quotations in outputs: each is found again where it was read, letter for letter, or it is shown as none.

What looks like a citation of this workflow is taken for one, also where no type says so: a mapping with its fields and
a `form`, whatever else stands beside them. Only `bind` and `cite` make citations; what anybody else put together is no
evidence, however true. What leaves the run are the fields that the workflow declares; `form` is for the run alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from interpreter.pointers import CITATION_FORMS
from interpreter.ports import JsonObject

if TYPE_CHECKING:
    from interpreter.engine.core import Core
    from interpreter.engine.program import OutputPlan

#: What stands in place of a quotation that was not found.
NOT_FOUND: JsonObject = {
    "error": {
        "code": "quotation_not_found",
        "kind": "invalid",
        "message": {"zh": "原文里没有这段引文，不作为依据", "en": "this quotation stands in no text that was read"},
    }
}


def checked_quotations(core: Core, outputs: JsonObject) -> JsonObject:
    """Return outputs in which every quotation that does not stand in what was read is replaced.

    Note is taken of each, and of those in data that are declared to hold citations.
    """
    checker = _Checker(core)
    for output in core.program.outputs:
        value = outputs[output.name]
        if output.citations is not None:
            value = output.citations.walk(value, checker.at_leaf, output.name)
        outputs[output.name] = checker.value(value, output.name)
    for name, places in core.program.evidence.data.items() if core.program.evidence is not None else ():
        places.walk(core.names.get(name), checker.at_leaf, name)
    if checker.refused:
        core.run.note({"note": "quotations-not-found", "places": checker.refused})
    return outputs


def is_refused(core: Core, output: OutputPlan, value: Any) -> bool:
    """Say whether something stands where a citation should that is none; it is shown as such."""
    checker = _Checker(core)
    if output.citations is not None:
        output.citations.walk(value, checker.at_leaf, output.name)
    return bool(checker.refused)


class _Checker:
    def __init__(self, core: Core) -> None:
        plan = core.program.evidence
        self._evidence = core.evidence
        self._fields = plan.fields | {"form"} if plan is not None else None
        self._leaves_the_run = core.caller is None
        self.refused: list[str] = []

    def at_leaf(self, value: Any, leaf: Any, at: str) -> Any:
        return self.citation(value, at)

    def citation(self, value: Any, at: str) -> Any:
        """Return what is taken for a citation as it leaves; null is none."""
        if value is None:
            return value
        if self._is_evidence(value):
            return {name: value[name] for name in value if name != "form"} if self._leaves_the_run else value
        self.refused.append(at)
        return NOT_FOUND

    def _is_evidence(self, value: Any) -> bool:
        """Whether a value is a citation, or holds one beside fields of its own."""
        if self._evidence is None or not isinstance(value, dict):
            return False
        is_known: Callable[[Any], bool] = self._evidence.is_evidence
        own = {name: inner for name, inner in value.items() if self._fields is not None and name in self._fields}
        return is_known(value) or is_known(own)

    def _is_of_this_workflow(self, value: JsonObject) -> bool:
        return self._fields is not None and value.keys() >= self._fields

    def value(self, value: Any, at: str) -> Any:
        """Return a value in which everything that looks like a citation was looked up."""
        if isinstance(value, dict):
            if value.get("form") in CITATION_FORMS and (self._is_of_this_workflow(value) or self._is_evidence(value)):
                return self.citation(value, at)
            entries = {name: self.value(inner, f"{at}.{name}") for name, inner in value.items()}
            return entries if any(entries[name] is not inner for name, inner in value.items()) else value
        if isinstance(value, list):
            items = [self.value(inner, f"{at}[{number}]") for number, inner in enumerate(value)]
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        return value


__all__ = ["NOT_FOUND", "checked_quotations", "is_refused"]
