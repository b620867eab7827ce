"""`compute`: an answer computed by expressions over the input; a profile document, no Python.

Everything is compiled when the profile is planned: a call evaluates and parses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.adapters.reasons import failure_in_words, reason_of
from interpreter.diagnostics import Words
from interpreter.engine.frame import Evaluate
from rules.values import ABSENT, CannotEvaluate

#: The identity of every tool that is answered by expressions alone.
COMPUTED = "compute"


class ComputeAdapter:
    """Answers with the `answer` of its entry, evaluated over the arguments, `settings`, and what `let` names.

    Shapes: `lets` are evaluated in order, each over those before it.
    """

    is_asynchronous = False

    def __init__(self, lets: tuple[tuple[str, Evaluate], ...], answer: Evaluate, settings: Mapping[str, Any]) -> None:
        self._lets = lets
        self._answer = answer
        self._settings = dict(settings)

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str) -> Any:
        names: dict[str, Any] = {**arguments, "settings": self._settings}
        try:
            for name, value in self._lets:
                names[name] = value(names)
            answer = self._answer(names)
        except CannotEvaluate as error:
            raise failure_in_words("not_computed", reason_of(error)) from None
        if answer is ABSENT:
            raise failure_in_words("not_computed", Words("没有回答", "the answer is absent"))
        return answer

    def resolved_identity(self) -> str:
        return COMPUTED
