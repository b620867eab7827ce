"""Tasks: what a call that is not over at once answers, and how one asks how it is going.

A folder is always done at once. A profile for tests and demos may let drive and wiki answer like services that are not:
`tasks` says how a task goes, for all of them or by title or token: `at_once`, a number of looks until it is over,
`never` (no end, and nothing is moved), `fails` (nothing is moved), `approval` (only a request was made).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.adapters.drive.registry import Registry
from interpreter.adapters.folders.failures import failure
from rules.records import NamedTuple

ANY = "*"
AT_ONCE, LOOKS, NEVER, FAILS, APPROVAL = "at_once", "looks", "never", "fails", "approval"
_WORDS = (AT_ONCE, NEVER, FAILS, APPROVAL)
_MOST_LOOKS = 1000


class Course(NamedTuple):
    """How a task goes. Shapes: `looks` is how often it is asked after before it is over."""

    kind: str
    looks: int = 0

    @property
    def moves(self) -> bool:
        return self.kind in (AT_ONCE, LOOKS)


def read_course(setting: object) -> Mapping[str, Course]:
    """Return how tasks go, by title or token; `*` is for all others.

    Errors: ToolFailure `unavailable` for a setting that means nothing.
    """
    if setting is None or setting == "":
        return {}
    if isinstance(setting, Mapping):
        return {str(name): _course(value) for name, value in setting.items()}
    return {ANY: _course(setting)}


def _course(value: object) -> Course:
    text = str(value)
    if text.isdecimal() and 0 <= int(text) <= _MOST_LOOKS:
        return Course(LOOKS, int(text)) if int(text) else Course(AT_ONCE)
    if text not in _WORDS:
        raise failure(
            "unavailable",
            f"settings.tasks 不能是 {text}；请写 {'、'.join(_WORDS)} 或查询次数",
            f"settings.tasks cannot be {text}; write {', '.join(_WORDS)} or a number of looks",
        )
    return Course(text)


def course_of(courses: Mapping[str, Course], *names: str) -> Course:
    found = (courses[name] for name in (*names, ANY) if name in courses)
    return next(found, Course(AT_ONCE))


#: These tell how they are going by a number, all others by a word.
_NUMBERED = ("wiki_move", "wiki_move_to_drive")
_STATUS = {"ready": 0, "under_way": 1, "failed": -1}


def begun(registry: Registry, task_id: str, scenario: str, course: Course, result: Mapping[str, Any]) -> dict[str, Any]:
    """Keep a task with what it brings in the end, and return what the call answers of it."""
    looks = course.looks if course.kind == LOOKS else 1 if course.kind == FAILS else -1 if course.kind == NEVER else 0
    task = {"scenario": scenario, "left": looks, "fails": course.kind == FAILS, "result": dict(result)}
    registry.keep("task", task_id, task)
    return _told(scenario, task_id, "ready" if looks == 0 else "under_way", result)


def looked_at(registry: Registry, task_id: str) -> dict[str, Any] | None:
    """Return how a task is going, and count that somebody asked; None where there is no such task."""
    task = registry.kept("task", task_id)
    if task is None:
        return None
    left = task["left"]
    if left > 0:
        left -= 1
        registry.keep("task", task_id, {**task, "left": left})
    state = "under_way" if left else "failed" if task["fails"] else "ready"
    return _told(task["scenario"], task_id, state, task["result"])


def _told(scenario: str, task_id: str, state: str, result: Mapping[str, Any]) -> dict[str, Any]:
    words = {"ready": "success", "under_way": "processing", "failed": "failed"}
    return {
        "scenario": scenario,
        "task_id": task_id,
        "ready": state == "ready",
        "failed": state == "failed",
        "status": _STATUS[state] if scenario in _NUMBERED else words[state],
        "status_msg": words[state],
        **(result if state == "ready" else {}),
    }
