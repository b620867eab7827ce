"""What each verb loads: a module that is slow to import, and not needed, must not be among it."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from interpreter.adapters.cache_files import LIBRARIES
from interpreter.cli.entry import main

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).parent.parent / "cases" / "cli"
START = "import sys; from interpreter.cli.entry import main; sys.exit(main())"

#: Never needed by a run in this process, and 10 to 120 ms each. The validator of answers itself loads email and socket.
SLOW = {
    "asyncio",
    "concurrent.futures",
    "http",
    "httpx",
    "importlib.metadata",
    "jinja2.compiler",
    "jinja2.environment",
    "jsonschema",
    "logging",
    "multiprocessing",
    "pydantic",
    "referencing",
    "rich",
    "ssl",
    "unittest",
    "urllib.request",
    "xml",
}
#: Nobody is asked where the key of a model is missing.
THINKING = ("run", str(CASES / "thinking.yaml"), "--profile", str(CASES / "profiles" / "thinking.yaml"), *(
    "--input", "topics=[]", "--set", "settings.address=http://127.0.0.1:9/v1",
))  # fmt: skip
BOXES = ("run", str(CASES / "boxes.yaml"), "--input", "owner=a", "--input", "number=2")


def modules(home: Path, *arguments: str, status: int) -> set[str]:
    """Return the names of all modules that a verb loads."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", START, *arguments],
        env={"INTERPRETER_HOME": str(home), "PATH": os.defpath, "HOME": str(home), "LANG": "en_US.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == status, done.stderr[-2000:]
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines[1:]}


def test_the_version_is_printed_before_anything_is_imported(tmp_path: Path) -> None:
    bare = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import sys"], capture_output=True, encoding="utf-8", check=True
    )
    there_anyway = {line.rpartition("|")[2].strip() for line in bare.stderr.splitlines()}
    loaded = modules(tmp_path, "--version", status=0) - there_anyway
    assert loaded <= {"interpreter", "interpreter.cli", "interpreter.cli.entry", "__future__"}


def test_what_rules_need_is_loaded_only_where_a_workflow_has_rules(tmp_path: Path) -> None:
    needed = {"rules.documents", "rules.tables", "rules.scorecards", "rules.tiers"}
    assert modules(tmp_path, "lint", str(CASES / "pause.yaml"), "--no-cache", status=0) & needed == set()
    assert modules(tmp_path, "lint", str(CASES / "boxes.yaml"), "--no-cache", status=0) >= needed


class _Interrupting:
    """Whoever looks for a module is sent a signal."""

    def __init__(self, number: int) -> None:
        self._number = number

    def find_spec(self, *_unused: object) -> None:
        signal.raise_signal(self._number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whoever_interrupts_while_the_command_is_loaded_sees_no_traceback(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.delitem(sys.modules, "interpreter.cli.main", raising=False)
    monkeypatch.setattr(sys, "meta_path", [_Interrupting(number)])
    monkeypatch.setattr(sys, "argv", ["interpreter", "runs"])
    before = {one: signal.signal(one, signal.SIG_DFL) for one in (signal.SIGTERM, signal.SIGHUP)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main() == 130
    finally:
        gc.enable()
        for one, handler in before.items():
            signal.signal(one, handler)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("lint", str(CASES / "boxes.yaml")), 0),
        (("lint", str(CASES / "profiles" / "thinking.yaml")), 0),
        ((*THINKING, "--dry-run"), 2),
        (("graph", str(CASES / "boxes.yaml")), 0),
        (("explain", "flow/walk-without-bound"), 0),
        (("run", str(CASES / "boxes.yaml")), 2),
        (BOXES, 3),
        ((*BOXES, "--json"), 3),
        ((*BOXES, "--dry-run"), 0),
        (("runs",), 0),
    ],
    ids=lambda value: " ".join(Path(word).name for word in value[:2]) if isinstance(value, tuple) else str(value),
)
def test_nothing_slow_is_loaded_that_is_not_needed(tmp_path: Path, arguments: tuple[str, ...], status: int) -> None:
    loaded = modules(tmp_path, *arguments, status=status)
    slow = {name for name in loaded if any(name == one or name.startswith(f"{one}.") for one in SLOW)}
    assert slow == set()


def test_documents_alone_need_no_engine_and_no_journal(tmp_path: Path) -> None:
    loaded = modules(tmp_path, "lint", str(CASES / "boxes.yaml"), status=0)
    needless = ("interpreter.adapters", "interpreter.engine", "interpreter.plan", "interpreter.session", "sqlite3")
    known_to_be_clean = {f"interpreter.adapters{name}" for name in ("", ".cache_files", ".lint_cache")}
    assert {name for name in loaded if name.startswith(needless)} - known_to_be_clean == set()


def test_documents_that_are_known_to_be_clean_are_not_read(tmp_path: Path) -> None:
    for _ in range(2):
        loaded = modules(tmp_path, "lint", str(CASES / "boxes.yaml"), status=0)
    never = (
        "interpreter.lint",
        "interpreter.yaml_tree",
        "interpreter.check",
        "rules.expr",
        "jinja2",
        "yaml",
        "inspect",
    )
    assert {name for name in loaded if name.startswith(never)} == set()


def test_every_library_that_checks_documents_makes_what_is_kept_old_when_it_changes(tmp_path: Path) -> None:
    loaded = modules(tmp_path, "lint", "--no-cache", str(ROOT / "specs" / "f077_analysis.yaml"), status=0)
    loaded -= modules(tmp_path, "--version", status=0)
    foreign = {name.partition(".")[0] for name in loaded} - {"interpreter", "rules"} - sys.stdlib_module_names
    assert {name for name in foreign if find_spec(name) is not None} <= set(LIBRARIES)
