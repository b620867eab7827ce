"""Other libraries beside ours: installed from the package index into a virtual environment that is thrown away.

Skipped with a reason where they cannot be installed. Nothing here fails the bench: peers do other things than we do.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit

SECONDS_TO_INSTALL = 180
_TRANSITIONS = """
from transitions import Machine
class Box:
    n = 0
    def count(self):
        self.n = self.n + 1
box = Box()
machine = Machine(box, states=["one", "two"], initial="one", auto_transitions=False)
machine.add_transition("go", "one", "two", before="count")
machine.add_transition("go", "two", "one", before="count")
step = box.go
"""
_BURR = """
from burr.core import ApplicationBuilder, State, action
@action(reads=["n"], writes=["n"])
def count(state: State) -> State:
    return state.update(n=state["n"] + 1)
application = (
    ApplicationBuilder().with_actions(count=count).with_transitions(("count", "count"))
    .with_state(n=0).with_entrypoint("count").build()
)
step = application.step
"""
_LANGGRAPH = """
from typing import TypedDict
from langgraph.graph import END, START, StateGraph
class Box(TypedDict):
    n: int
graph = StateGraph(Box)
graph.add_node("count", lambda state: {"n": state["n"] + 1})
graph.add_edge(START, "count")
graph.add_edge("count", END)
compiled = graph.compile()
step = lambda: compiled.invoke({"n": 0})
"""
_MEASURE = """
import json, sys, time
for _ in range(20):
    step()
start = time.process_time()
for _ in range(500):
    step()
print(json.dumps((time.process_time() - start) / 500 * 1e6))
"""
PEERS = {
    "transitions": ("transitions>=0.9,<1", _TRANSITIONS),
    "burr": ("apache-burr", _BURR),
    "langgraph": ("langgraph<2", _LANGGRAPH),
}


class Installed:
    """The environments of the peers, one each, for as long as the bench runs."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bench-peers-"))
        self.reasons: dict[str, str] = {}
        self.pythons: dict[str, Path] = {}

    def install(self) -> None:
        for name, (requirement, code) in PEERS.items():
            try:
                self.pythons[name] = self._install(name, requirement, code)
            except (subprocess.SubprocessError, OSError) as error:
                self.reasons[name] = f"could not be installed ({type(error).__name__})"

    def _install(self, name: str, requirement: str, code: str) -> Path:
        place = self.folder / name
        subprocess.run([sys.executable, "-m", "venv", place], check=True, capture_output=True)
        python = place / "bin" / "python"
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "0", requirement]
        subprocess.run(pip, check=True, capture_output=True, timeout=SECONDS_TO_INSTALL)
        subprocess.run([python, "-c", f"{code}\nstep()"], check=True, capture_output=True, timeout=60)
        return python

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def steps(table: kit.Table, ours: Callable[[], float]) -> None:
    """One step with one expression, ours and theirs."""
    _each(table, "a step with one expression", "µs", ours, _step_of)


def starts(table: kit.Table, ours: Callable[[], float]) -> None:
    """From the start of the process to the first step."""
    _each(table, "start to first step", "s", ours, lambda python, code: kit.child([python, "-c", f"{code}\nstep()"]))


def _each(
    table: kit.Table, what: str, unit: str, ours: Callable[[], float], theirs: Callable[[Path, str], float]
) -> None:
    installed = Installed()
    try:
        installed.install()
        for name, reason in installed.reasons.items():
            table.skip(f"{what}, beside {name}", reason)
        for name, python in installed.pythons.items():
            code = PEERS[name][1]
            mine, other = kit.alternately(ours, lambda python=python, code=code: theirs(python, code), rounds=5)  # type: ignore[misc]
            table.add(what, mine, name, other, unit, None)
    finally:
        installed.remove()


def _step_of(python: Path, code: str) -> float:
    done = subprocess.run([python, "-c", code + _MEASURE], capture_output=True, check=True, text=True)
    taken: Any = json.loads(done.stdout.splitlines()[-1])
    return float(taken)
