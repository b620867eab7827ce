"""Tasks that no reader of bodies should do, for the tests of the child process."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from typing import Any

from interpreter.adapters.children import Unreadable

HELD: list[bytes] = []


def read(parameters: dict[str, Any], body: bytes) -> Any:
    return _TASKS[parameters["do"]](parameters, body)


def _echo(parameters: dict[str, Any], body: bytes) -> Any:
    return {"size": len(body), "text": parameters.get("text")}


def _spin(parameters: dict[str, Any], body: bytes) -> Any:
    while True:
        pass


def _wait(parameters: dict[str, Any], body: bytes) -> Any:
    time.sleep(600)


def _hold(parameters: dict[str, Any], body: bytes) -> Any:
    while True:
        HELD.append(bytes(8 << 20))


def _keep(parameters: dict[str, Any], body: bytes) -> Any:
    HELD.append(bytes(200 << 20))
    return len(HELD)


def _crash(parameters: dict[str, Any], body: bytes) -> Any:
    ctypes.string_at(0)


def _die(parameters: dict[str, Any], body: bytes) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def _leave(parameters: dict[str, Any], body: bytes) -> Any:
    sys.exit(0)


def _print(parameters: dict[str, Any], body: bytes) -> Any:
    print("no answer", flush=True)
    os.write(1, b'{"failed": null, "bytes": 0}\n')
    return "answered"


def _much(parameters: dict[str, Any], body: bytes) -> Any:
    return "x" * (2 << 20)


def _deep(parameters: dict[str, Any], body: bytes) -> Any:
    return _deep(parameters, body)


def _refuse(parameters: dict[str, Any], body: bytes) -> Any:
    raise Unreadable("odd", place=7)


def _raise(parameters: dict[str, Any], body: bytes) -> Any:
    raise KeyError("field")


def _where(parameters: dict[str, Any], body: bytes) -> Any:
    return {
        "pid": os.getpid(),
        "group": os.getpgrp(),
        "session": os.getsid(0),
        "folder": os.getcwd(),
        "environment": sorted(os.environ),
    }


def _leave_behind(parameters: dict[str, Any], body: bytes) -> Any:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid


_TASKS = {name[1:]: found for name, found in list(globals().items()) if callable(found) and name.startswith("_")}
