"""`compute`: an answer computed by expressions over the input; a profile document, no Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.ports import ToolFailure
from rules.expr import parse_template
from rules.values import ABSENT, CannotEvaluate


class ComputeAdapter:
    """Answers with `answer`, that of its entry, every text in it evaluated over the arguments and `settings`."""

    def __init__(self, answer: Any, settings: Mapping[str, Any]) -> None:
        self._answer = answer
        self._settings = dict(settings)

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str) -> Any:
        try:
            return _computed(self._answer, {**arguments, "settings": self._settings})
        except CannotEvaluate as error:
            raise ToolFailure("not_computed", error.code) from None

    def resolved_identity(self) -> str:
        return "compute"


def _computed(value: Any, names: dict[str, Any]) -> Any:
    if isinstance(value, str):
        template, findings = parse_template(value)
        if template is None or findings:
            raise ToolFailure("not_computed", f"not an expression: {value}")
        return template.render(names)
    if isinstance(value, dict):
        fields = {name: _computed(part, names) for name, part in value.items()}
        return {name: part for name, part in fields.items() if part is not ABSENT}
    if isinstance(value, list):
        return [part for entry in value if (part := _computed(entry, names)) is not ABSENT]
    return value
