"""The child: takes requests from its standard input, forks for each, and gives the answer on its standard output.

It loads a task's libraries before it forks, so that only the first body waits for them. What reads the body can use no
more than the limits; how it ended is told in words of `children.py`. When the engine is gone, standard input ends and
everything here ends with it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from interpreter.adapters.children.frames import read_request, written
from interpreter.adapters.children.limits import Limits
from interpreter.adapters.children.unreadable import Unreadable

Task = Callable[[dict[str, Any], bytes], Any]
Answer = tuple[dict[str, Any], bytes]


def main() -> None:
    """Answer requests until standard input ends.

    Shapes: the arguments of the process are what loads each task, and the limits, as JSON.
    """
    tasks: Mapping[str, str] = json.loads(sys.argv[1])
    limits = Limits(*json.loads(sys.argv[2]))
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)  # what a library prints is no answer
    os.dup2(nowhere, 2)
    source = os.fdopen(0, "rb", closefd=False)
    loaded: dict[str, Task] = {}
    while (request := read_request(source)) is not None:
        head, body = request
        answer = _load(tasks, head["task"], head["parameters"], loaded)
        if answer is None:
            answer = _read_apart(loaded[head["task"]], head["parameters"], body, limits)
        _write_all(answers, written(*answer))


def _load(tasks: Mapping[str, str], name: str, parameters: dict[str, Any], loaded: dict[str, Task]) -> Answer | None:
    """Load a task; return an answer only where a library is missing."""
    if name in loaded:
        return None
    try:
        module = importlib.import_module(tasks[name])
    except ImportError as error:
        return {"failed": "missing", "facts": {"module": error.name or str(error)}}, b""
    loaded[name] = module.read
    prepare = getattr(module, "prepare", None)
    if prepare is not None:
        prepare(parameters)
    gc.collect()
    gc.freeze()  # so that collections in the forks do not copy these pages
    return None


def _read_apart(task: Task, parameters: dict[str, Any], body: bytes, limits: Limits) -> Answer:
    """Run a task in a fork and return its answer, or how it failed."""
    inlet, outlet = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(inlet)
        _run_task(task, parameters, body, limits, outlet)
    os.close(outlet)
    collected, ended = _collect(inlet, time.monotonic() + limits.wall_seconds, limits.answer_bytes)
    os.close(inlet)
    if ended != "whole":
        os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    if ended == "orphaned":
        os._exit(0)
    if ended != "whole":
        return {"failed": ended, "facts": {}}, b""
    return _told(collected, status)


def _collect(inlet: int, deadline: float, longest: int) -> tuple[bytes, str]:
    """Return what a fork wrote, and whether it came to its end."""
    parts: list[bytes] = []
    size = 0
    while True:
        ready, _, _ = select.select([inlet, 0], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return b"", "took_too_long"
        if inlet not in ready:
            return b"", "orphaned"  # one request at a time: only the end of the engine makes standard input ready
        part = os.read(inlet, 1 << 20)
        if not part:
            return b"".join(parts), "whole"
        parts.append(part)
        size += len(part)
        if size > longest:
            return b"", "answer_too_large"


def _told(collected: bytes, status: int) -> Answer:
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
        return {"failed": None}, collected
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == _UNREADABLE:
        return json.loads(collected), b""
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return {"failed": "took_too_long", "facts": {}}, b""
    return {"failed": "crashed", "facts": {"status": status}}, b""


_UNREADABLE = 3


def _run_task(task: Task, parameters: dict[str, Any], body: bytes, limits: Limits, outlet: int) -> NoReturn:
    """Do the task in the fork and leave it, whatever happens."""
    try:
        _confine(limits)
        text = json.dumps(task(parameters, body)).encode()
        status = 0
    except MemoryError:
        text, status = _failed("out_of_memory"), _UNREADABLE
    except RecursionError:
        text, status = _failed("crashed", error="RecursionError"), _UNREADABLE
    except Unreadable as error:
        # A library that got no memory may say that the file is damaged.
        is_full = error.code == "damaged" and _is_nearly_full(limits)
        text = _failed("out_of_memory") if is_full else _failed("unreadable", code=error.code, **error.facts)
        status = _UNREADABLE
    except BaseException as error:
        code = "out_of_memory" if _is_nearly_full(limits) else "crashed"
        text, status = _failed(code, error=type(error).__name__, message=str(error)[:500]), _UNREADABLE
    try:
        _write_all(outlet, text)
    finally:
        os._exit(status)


def _failed(code: str, /, **facts: object) -> bytes:
    return json.dumps({"failed": code, "facts": facts}, default=str).encode()


def _is_nearly_full(limits: Limits) -> bool:
    """Whether so much memory was taken that an error may only be how a library says that there is no more."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) > limits.memory_bytes * 3 // 4


def _confine(limits: Limits) -> None:
    """Take away what the reading of a body does not need."""
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        _, hard = resource.getrlimit(kind)
        wanted = limits.memory_bytes if hard == resource.RLIM_INFINITY else min(limits.memory_bytes, hard)
        try:
            resource.setrlimit(kind, (wanted, wanted))
        except (OSError, ValueError):
            continue  # a system that does not know this limit


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


if __name__ == "__main__":
    main()
