"""Programs for one test, and a profile that answers a tool by one of them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from interpreter.adapters.opening import open_planned
from interpreter.adapters.planning import AdapterPlan, plan_adapters
from interpreter.adapters.toolbox import Toolbox
from interpreter.diagnostics import Diagnostic
from interpreter.documents.profiles import load_profile
from interpreter.ports import Answered, Request, ToolFailure
from tests.unit.toolbox_kit import Text, contracts

ECHO = "import sys, json; print(json.dumps(sys.argv[1:]))"


def script(folder: Path, text: str, name: str = "program") -> str:
    """Return the path of a shell script."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)
    return str(path)


def python(folder: Path, text: str, name: str = "program") -> str:
    path = folder / name
    path.write_text(f"#!{sys.executable} -S\n{text}\n", "utf-8")
    path.chmod(0o755)
    return str(path)


def plans_of(
    program: str, argv: str = "[]", settings: str = "", rest: str = "", given: Mapping[str, Any] | None = None
) -> tuple[tuple[AdapterPlan, ...], list[Diagnostic]]:
    """Return how a program is to answer the tool `desk.read`."""
    text = f"""\
profile: here
settings: {{x: {{type: string, default: ""}}}}
tools:
  desk.read:
    adapter: command
    settings: {{program: {program}{settings and ", " + settings}}}
    request: {{argv: {argv}}}
{rest}"""
    profile, found = load_profile(Path("profiles/here.yaml"), Text(text))
    assert profile is not None
    assert found == [], [one.message.en for one in found]
    return plan_adapters(profile, {"desk.read": contracts()["desk.read"]}, given or {}, Path("."))


def opened(
    program: str, argv: str = "[]", settings: str = "", rest: str = "", given: Mapping[str, Any] | None = None
) -> tuple[Toolbox | None, list[Diagnostic]]:
    """Return the tool `desk.read` as a program answers it."""
    plans, found = plans_of(program, argv, settings, rest, given)
    return open_planned(plans) if not found else (None, found)


def box(program: str, argv: str = "[]", settings: str = "", rest: str = "") -> Toolbox:
    toolbox, found = opened(program, argv, settings, rest)
    assert toolbox is not None, [one.message.en for one in found]
    return toolbox


async def asked(toolbox: Toolbox, timeout: float | None = 20.0, **arguments: Any) -> Any:
    request = Request("desk.read", arguments, "read", "key-1", timeout=timeout)
    answer = await toolbox.invoke(request, lambda: False)
    assert isinstance(answer, Answered)
    return answer.value


def answer(toolbox: Toolbox, **arguments: Any) -> Any:
    return asyncio.run(asked(toolbox, **arguments))


def failed(toolbox: Toolbox, **arguments: Any) -> ToolFailure:
    try:
        value = asyncio.run(asked(toolbox, **arguments))
    except ToolFailure as failure:
        return failure
    raise AssertionError(f"no failure, but {value!r}")


def wait_until(holds: Callable[[], bool]) -> bool:
    """Return whether something comes to hold soon."""

    async def looked() -> bool:
        for _ in range(2000):
            if holds():
                return True
            await asyncio.sleep(0.005)
        return False

    return asyncio.run(looked())


def is_running(number: int) -> bool:
    """Say whether a process is there and has not ended."""
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")


def children_of(folder: Path) -> list[int]:
    """Return the numbers that programs have written into `pids`."""
    file = folder / "pids"
    return [int(line) for line in file.read_text().split()] if file.exists() else []
