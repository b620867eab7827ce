"""The real workflow through the real command, in processes that kill themselves at a named point.

A process is a fork of the test: everything is imported already, so that some hundred kills take minutes and not hours.
What a person could see afterwards is compared with a run that nobody killed: the folder, the drive's own log of the
renames that were really made, the questions, the answers, the messages and the outputs.
"""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, suppress
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path, PurePath
from typing import Any

import pytest

from interpreter.adapters import runs, toolbox
from interpreter.adapters.drive import registry
from interpreter.adapters.drive import renames as drive_renames
from interpreter.adapters.runs import RunStore
from interpreter.cli.main import run_command
from interpreter.report.terminal import Terminal
from interpreter.session import preparing
from tests.contracts.durable_kit import Killer, killable_journal
from tests.logs import logged

SPECS = Path(__file__).parents[2] / "specs"
RUN = "a-run"
#: Small, so that a walk is short: documents on the topic by name or content, one of them in English, and two others.
DRIVE = {
    "平台/数据治理规范.md": "# 数据治理规范\n\n数据治理由平台组负责。数据治理的范围见附录。\n",
    "平台/数据字典说明.md": "# 数据字典\n\n数据治理要求每个字段都写进数据字典。\n",
    "平台/指标口径.txt": "口径由数据治理小组确认。\n",
    "归档/数据治理启动会.md": "# 启动会\n\n讨论了数据治理的目标。\n",
    "归档/预算.csv": "项目,金额\n数据治理,10\n",
    "meetings/Data governance.md": "# Data governance\n\nThe council of data governance.\n",
    "个人/旅行.md": "带伞。\n",
    "个人/菜谱.txt": "番茄炒蛋。\n",
}
INPUTS = {
    "subject": "数据治理",
    "keywords": '["数据治理"]',
    "aliases": '["data governance"]',
    "target_text": "/",
    "new_target_name": "数据治理资料",
}
#: What a person answers, by question and visit. A question that is not here must not be asked.
ANSWERS = {
    "context#1": "start",
    "plan_choice#1": '{"action": "execute"}',
    "execution#1": "确认执行",
    "verify_choice#1": '{"action": "put_back"}',
    "restore#1": "确认恢复",
    "verify_choice#2": '{"action": "end"}',
}
PREPARED = """\
context: start
plan_choice: {action: execute}
execution: 确认执行
verify_choice: [{action: put_back}, {action: end}]
restore: 确认恢复
"""


@dataclass(frozen=True)
class Ended:
    """How a process ended. Shapes: `status` is None where it was killed; `points` counts what it passed."""

    status: int | None
    out: str
    err: str
    points: Mapping[str, int] = field(default_factory=dict)

    @property
    def json(self) -> dict[str, Any]:
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


class Place:
    """A folder with a drive, a home and prepared answers; `everything_said` is what all its processes printed."""

    def __init__(self, folder: Path, drive: Mapping[str, str] = DRIVE) -> None:
        self.folder = folder
        self.drive = folder / "drive"
        self.home = folder / "home"
        self.answers = folder / "answers.yaml"
        self.everything_said = ""
        self.kills = 0
        for name, text in drive.items():
            path = self.drive / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.answers.write_text(PREPARED, encoding="utf-8")

    def run_words(self, profile: str, *more: str) -> list[str]:
        inputs = [word for name, text in INPUTS.items() for word in ("--input", f"{name}={text}")]
        words = ["run", str(SPECS / "topic_move_collector.yaml"), "--profile", str(SPECS / "profiles" / profile)]
        own = ["--set", "settings.state="] if profile == "local.yaml" else []  # the index goes with the folder
        return [*words, "--set", f"settings.root={self.drive}", *own, *inputs, "--run-id", RUN, *more]

    def command(
        self, words: Sequence[str], kill: tuple[str, int] = ("", 0), first: Callable[[Killer], None] | None = None
    ) -> Ended:
        """Do what the command does with these words, in a process of its own that may kill itself at a point.

        Shapes: `first` is done in that process before anything else.
        """
        home = [] if "--home" in words else ["--home", str(self.home)]
        ended = in_process([*words, *home, "--lang", "zh"], kill, self.folder, first)
        self.everything_said += ended.err
        self.kills += ended.status is None
        return ended

    def has_run(self) -> bool:
        return RunStore(self.home).exists(RUN)


# --- one process ------------------------------------------------------------------------------------------------------


def in_process(
    words: Sequence[str], kill: tuple[str, int], folder: Path, first: Callable[[Killer], None] | None = None
) -> Ended:
    """Run the command in a fork of this process."""
    out, err, passed = folder / "out", folder / "err", folder / "points"
    child = os.fork()
    if child == 0:
        status = 70
        try:
            _redirect(out, err)
            killer = Killer(*kill)
            with_points(killer)
            if first is not None:
                first(killer)
            status = run_command(list(words))
            passed.write_text(json.dumps(killer.hits))
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            with suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)
    _, code = os.waitpid(child, 0)
    said, told = (path.read_text("utf-8", errors="replace") for path in (out, err))
    if os.WIFSIGNALED(code):
        assert os.WTERMSIG(code) == signal.SIGKILL, code
        return Ended(None, said, told)
    assert os.WEXITSTATUS(code) != 70, told
    return Ended(os.WEXITSTATUS(code), said, told, json.loads(passed.read_text()))


def _redirect(out: Path, err: Path) -> None:
    """Let the process write into files only: what a test run has buffered belongs to its parent."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


@pytest.fixture(autouse=True, scope="module")
def kept_documents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Read the documents once for all runs of a module that asks for this."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        _keep_documents(monkeypatch, tmp_path_factory.mktemp("kept"))
        yield


def _keep_documents(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Read, check and plan each document once, and walk it: processes made by a fork find all of that done.

    They find it in their memory, so that nothing needs to be read from the cache of the user or written there.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    kept: dict[str, dict[Any, Any]] = {"checked": {}, "load_workflow": {}, "plan_workflow": {}}
    for name, results in kept.items():
        monkeypatch.setattr(preparing, name, _kept(getattr(preparing, name), results))
    before = gc.get_threshold()
    for profile in ("local.yaml", "demo.yaml"):
        place = Place(folder / profile)
        words = place.run_words(profile, "--answers", str(place.answers), "--home", str(place.home), "--quiet")
        with redirect_stderr(StringIO()):
            assert run_command(words) in (0, 3)
            run_command(["answer", RUN, "execution=确认执行", "--home", str(place.home), "--quiet"])
    assert len(kept["checked"]) == 1  # both runs asked for the same workflow, and it was read for the first of them
    gc.set_threshold(*before)


def _kept(real: Callable[..., Any], results: dict[Any, Any]) -> Callable[..., Any]:
    def kept(first: Any, *more: Any, **named: Any) -> Any:
        # A path or a name and who reads it, documents, or a program for the tools and ways to confirm of one profile.
        name = first if isinstance(first, (PurePath, str)) else id(first)
        key = (name, *map(type, more), named.get("confirm_through"))
        if key not in results:
            results[key] = first, real(first, *more, **named)
        return results[key][1]

    return kept


def with_points(killer: Killer) -> None:
    """Put points around everything that this process does to the world: journal, tools, drive, what is shown."""
    runs.SqliteJournal = killable_journal(killer)  # type: ignore[misc]
    _around(toolbox.Toolbox, "invoke", killer, lambda box, request, *_: f"call-{request.effect}")
    _around(drive_renames, "rename_new", killer, lambda *_: "rename")
    _around(drive_renames, "_add_to_log", killer, lambda *_: "drive-log")
    for name in ("intend", "finish"):
        _around(registry.Registry, name, killer, lambda *_, name=name: f"drive-{name}")
    _around(Terminal, "message", killer, lambda *_: "message")
    _around(Terminal, "question", killer, lambda *_, **__: "question")


def _around(owner: Any, name: str, killer: Killer, point: Callable[..., str]) -> None:
    real = getattr(owner, name)

    def wrapped(*arguments: Any, **named: Any) -> Any:
        at = point(*arguments, **named)
        killer.hit(f"before-{at}")
        result = real(*arguments, **named)
        killer.hit(f"after-{at}")
        return result

    setattr(owner, name, wrapped)


# --- going on until the end -------------------------------------------------------------------------------------------


def go_on(place: Place, *, unattended: bool) -> Ended:
    """Resume a run, and start it where no trace of it is there."""
    answers = ["--answers", str(place.answers)] if unattended else []
    if not place.has_run():
        return place.command(place.run_words("demo.yaml" if unattended else "local.yaml", "--json", *answers))
    return place.command(["resume", RUN, "--json", *answers])


def answer(place: Place, question: str, kill: tuple[str, int] = ("", 0)) -> Ended:
    assert question not in given_answers(place), f"{question} was answered already"
    return place.command(["answer", RUN, f"{question}={ANSWERS[question]}", "--json"], kill)


def finish(place: Place, *, unattended: bool) -> Ended:
    """Go on with a run, answering what is asked, until it has ended."""
    ended = go_on(place, unattended=unattended)
    for _ in range(2 * len(ANSWERS)):
        if ended.status != 3:
            break
        (asked,) = ended.json["waiting"]
        ended = answer(place, f"{asked['question']}#{asked['visit']}")
    assert ended.status in (0, 6), ended
    return ended


# --- what is left -----------------------------------------------------------------------------------------------------


def tree(root: Path) -> dict[str, str | None]:
    """Return every file with its content and every folder, without what the drive keeps for itself."""
    found: dict[str, str | None] = {}
    for path in root.rglob("*"):
        name = path.relative_to(root)
        if name.parts[0] != ".drive":
            found[str(name)] = path.read_text("utf-8") if path.is_file() else None
    return found


def renames(root: Path) -> Counter[tuple[str, str, str]]:
    """Return how often each rename was really made."""
    lines = logged(root / ".drive" / "log.jsonl")
    return Counter((line["operation"], _plain(line["from"]), _plain(line["to"])) for line in lines)


def _plain(path: str) -> str:
    """Return a path without the ids that differ from run to run."""
    return re.sub(r"[0-9a-f]{20}", "ID", path)


def given_answers(place: Place) -> list[str]:
    """Return the questions answered so far, one entry for each answer that was ever recorded."""
    return [key for key, kind in _inbox(place) if kind == "answer"]


def is_cancelled(place: Place) -> bool:
    return any(kind == "cancel" for _, kind in _inbox(place))


def _inbox(place: Place) -> list[tuple[str, str]]:
    if not place.has_run():
        return []
    journal = RunStore(place.home).open(RUN, lock=False)
    try:
        return list(journal._read("select key, kind from inbox order by seq"))
    finally:
        journal.close()


@dataclass(frozen=True)
class Left:
    """What a run has left behind, without ids and instants."""

    tree: Mapping[str, str | None]
    renames: Counter[tuple[str, str, str]]
    questions: list[str]
    answers: list[str]
    messages: list[str]
    outputs: Mapping[str, Any]


def left_by(place: Place) -> Left:
    journal = RunStore(place.home).open(RUN, lock=False)
    try:
        rows = list(journal.rows())
    finally:
        journal.close()
    (end,) = [row.body for row in rows if row.kind == "end"]
    return Left(
        tree=tree(place.drive),
        renames=renames(place.drive),
        questions=[row.body["question"] for row in rows if row.kind == "question"],
        answers=given_answers(place),
        messages=[json.dumps(row.body["message"]["done"], ensure_ascii=False) for row in rows if row.kind == "message"],
        outputs={
            name: sorted((entry["title"], entry["status"]) for entry in end["outputs"][name])
            for name in ("moved", "restored", "execution_results", "verification_results")
        },
    )


def said(place: Place) -> set[str]:
    """Return the first line of every message that any process has shown."""
    return {line for line in place.everything_said.splitlines() if line.startswith("● ")}
