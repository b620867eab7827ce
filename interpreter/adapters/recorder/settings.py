"""Where a recording is, and whether it is made or played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.diagnostics import did_you_mean
from rules.records import record

MODES = ("record", "replay")
WANTED: Mapping[str, tuple[str, str]] = {
    "file": ("记录文件的路径（JSON Lines）", "the path of the recording, a file of JSON lines"),
    "mode": ("record 或 replay", "record or replay"),
}

Problem = tuple[str, dict[str, Any]]


@record
class RecorderSettings:
    file: str
    mode: str

    @property
    def records(self) -> bool:
        return self.mode == "record"


def read_settings(values: Mapping[str, Any]) -> tuple[RecorderSettings | None, list[Problem]]:
    """Return the settings, or every problem with them as the code of a finding and its facts."""
    problems: list[Problem] = [
        ("tool/unknown-adapter-setting", {"name": name, "hint": did_you_mean(name, WANTED)})
        for name in values
        if name not in WANTED
    ]
    for name, (zh, en) in WANTED.items():
        value = values.get(name)
        if value is None:
            problems.append(("tool/adapter-setting-missing", {"name": name}))
        elif not isinstance(value, str) or not value or (name == "mode" and value not in MODES):
            problems.append(("tool/adapter-setting-unfit", {"name": name, "wanted_zh": zh, "wanted_en": en}))
    return (None if problems else RecorderSettings(values["file"], values["mode"])), problems
