"""`admit`: text that was read becomes units of evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interpreter.engine.frame import Condition, Evaluate, Frame
from interpreter.engine.program import Where
from interpreter.engine.steps import Signal, Step
from interpreter.evidence import Evidence, NotRead
from rules.values import ABSENT, cannot


class Admit(Step):
    """Shapes: `path` is what a single text is called where it says no path itself."""

    __slots__ = ("binds", "longer_than", "path", "side", "source", "texts")

    def __init__(
        self,
        name: str,
        when: Condition | None,
        where: Where,
        *,
        binds: str,
        side: str,
        source: Evaluate | None,
        texts: Evaluate,
        path: str,
        longer_than: Evaluate | None,
    ):
        super().__init__(name, when, where)
        self.effectful = True  # what is admitted is recorded under a key of its own, in loops too
        self.binds: str = binds
        self.side = side
        self.source = source
        self.texts = texts
        self.path = path
        self.longer_than = longer_than

    def execute(self, frame: Frame) -> Signal:
        names, evidence = frame.names, frame.evidence
        source = self.source(names) if self.source is not None else {}
        if type(source) is not dict:
            raise cannot("evidence-source", found=source)
        texts = list(_texts_of(self.texts(names), self.path, evidence))
        longer_than = self.longer_than(names) if self.longer_than is not None else None
        try:
            admitted = evidence.admit(self.side, source, texts, longer_than)
        except NotRead as problem:
            raise cannot("evidence-not-read", path=problem.path, text=problem.text) from None
        names[self.binds] = [one.unit for one in admitted]
        units = [{"unit": one.unit, "leaf": one.position.leaf, "body": one.position.body.origin()} for one in admitted]
        frame.core.run.record(f"{frame.key}/{self.name}", {"evidence": units, "hidden": self.hides})
        return None


def _texts_of(value: Any, path: str, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Yield the texts that are offered, with their paths; an answer as a whole offers its bodies.

    Errors: CannotEvaluate where something else is offered.
    """
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            if entry is not None and entry is not ABSENT:
                yield _text_of_entry(entry, f"[{number}]")
    elif isinstance(value, dict) and isinstance(value.get("text"), str) and isinstance(value.get("path"), str):
        yield value["path"], value["text"]
    elif isinstance(value, dict):
        bodies = evidence.bodies_in(value)
        if not bodies:
            raise cannot("evidence-no-body")
        yield from bodies
    else:
        raise cannot("evidence-no-text", found=value)


def _text_of_entry(entry: Any, place: str) -> tuple[str, str]:
    if isinstance(entry, str):
        return place, entry
    if isinstance(entry, dict):
        path, text = entry.get("path", place), entry.get("text")
        if isinstance(path, str) and isinstance(text, str):
            return path, text
    raise cannot("evidence-no-text", found=entry)
