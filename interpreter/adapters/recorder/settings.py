"""Where a recording is, and whether it is made or played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.adapters.settings import Problem, Setting, one_of, read_all
from interpreter.diagnostics import Words
from rules.records import record

SETTINGS: Mapping[str, Setting] = {
    "file": Setting(
        lambda value: value if isinstance(value, str) else None,
        Words("记录文件的路径（JSON Lines）", "the path of the recording, a file of JSON lines"),
        required=True,
    ),
    "mode": one_of("record", "replay")._replace(required=True),
}


@record
class RecorderSettings:
    file: str
    mode: str

    @property
    def records(self) -> bool:
        return self.mode == "record"


def read_settings(values: Mapping[str, Any]) -> tuple[RecorderSettings | None, list[Problem]]:
    """Return the settings, or every problem with them as the code of a finding and its facts."""
    made, problems = read_all(values, SETTINGS)
    return (None if problems else RecorderSettings(**made)), problems
