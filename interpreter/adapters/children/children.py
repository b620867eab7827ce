"""The engine's side of the child process: started when first needed, ended as a group, its failures in words."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import weakref
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from interpreter.adapters.children.frames import Broken, Late, TooLong, read_answer, written
from interpreter.adapters.children.limits import Limits
from interpreter.adapters.children.tasks import TASKS

if TYPE_CHECKING:
    from subprocess import Popen

#: Units: seconds. What the child may take beyond the time of the body itself: its start, the loading of libraries.
_BESIDES = 30.0


class ChildFailure(Exception):
    """A body that was not read.

    Shapes: `code` is `took_too_long`, `out_of_memory`, `crashed`, `answer_too_large`, `missing` (a library, in
    `facts.module`), `not_started` (the system starts no child: `facts.reason`), or `unreadable`, where the task itself
    gave up: its own word is `facts.code`.
    """

    def __init__(self, code: str, facts: Mapping[str, Any]) -> None:
        self.code = code
        self.facts = facts
        super().__init__(code, facts)


class Children:
    """Shapes: `tasks` are modules by the name of a task."""

    def __init__(self, limits: Limits | None = None, tasks: Mapping[str, str] = TASKS) -> None:
        self._limits = limits or Limits()
        self._tasks = tasks
        self._turn = Lock()
        self._process: Popen[bytes] | None = None
        self._stop: weakref.finalize[..., Any] | None = None

    def read(self, task: str, parameters: Mapping[str, Any], body: bytes) -> Any:
        """Return what a task makes of a body.

        Errors: ChildFailure.
        """
        with self._turn:
            try:
                head, answer = self._ask(written({"task": task, "parameters": dict(parameters)}, body))
            except BaseException:
                self._end()
                raise
        if head["failed"] is not None:
            raise ChildFailure(head["failed"], head["facts"])
        return json.loads(answer)

    def close(self) -> None:
        with self._turn:
            self._end()

    def _ask(self, request: bytes) -> tuple[dict[str, Any], bytes]:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        deadline = time.monotonic() + self._limits.wall_seconds + _BESIDES
        try:
            process.stdin.write(request)
            process.stdin.flush()
            return read_answer(process.stdout.fileno(), deadline, self._limits.answer_bytes)
        except Late:
            raise ChildFailure("took_too_long", {}) from None
        except TooLong:
            raise ChildFailure("answer_too_large", {}) from None
        except (Broken, OSError, ValueError):
            raise ChildFailure("crashed", {"status": process.poll()}) from None

    def _running(self) -> Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        try:
            self._process = process = _start(self._tasks, self._limits)
        except OSError as error:  # says nothing of the body
            raise ChildFailure("not_started", {"reason": error.strerror or str(error)}) from None
        self._stop = weakref.finalize(self, _end_group, process)
        return process

    def _end(self) -> None:
        if self._stop is not None:
            self._stop()
        self._process = self._stop = None


def _start(tasks: Mapping[str, str], limits: Limits) -> Popen[bytes]:
    from subprocess import DEVNULL, PIPE, Popen

    import interpreter

    assert interpreter.__file__ is not None
    above = str(Path(interpreter.__file__).parents[1])
    return Popen(
        [sys.executable, "-m", "interpreter.adapters.children.worker", json.dumps(dict(tasks)), json.dumps(limits)],
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        cwd=os.path.abspath(os.sep),
        env={  # nothing of the environment: no secrets, no proxies; and the same order of every set
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "PYTHONPATH": above,
            "PYTHONSAFEPATH": "1",
            "PYTHONHASHSEED": "0",
            "MALLOC_ARENA_MAX": "1",
        },
        start_new_session=True,
    )


def _end_group(process: Popen[bytes]) -> None:
    """End the child with everything that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not flushed has no reader any more
                pipe.close()
    process.wait()
