"""Bad luck around the real workflow: a clear message each time, a kept state, nothing lost, nothing repeated."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.drive import adapter as drive_adapter
from interpreter.adapters.drive import writing
from interpreter.adapters.folders.failures import invalid_page_token
from interpreter.adapters.runs import RunStore
from interpreter.ports import JournalError, ToolFailure
from tests.contracts.durable_kit import Killer
from tests.long.killed_command import (
    DRIVE,
    RUN,
    SPECS,
    Ended,
    Left,
    Place,
    answer,
    finish,
    go_on,
    kept_documents,
    left_by,
    renames,
    tree,
)

__all__ = ["kept_documents"]

Tampering = Callable[[Killer], None]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Left:
    place = Place(tmp_path_factory.mktemp("undisturbed"))
    finish(place, unattended=True)
    return left_by(place)


def unattended(place: Place, *more: str, first: Tampering | None = None, prepared: str | None = None) -> Ended:
    """Start a run whose answers come from a file."""
    if prepared is not None:
        place.answers.write_text(prepared, "utf-8")
    return place.command(place.run_words("demo.yaml", "--answers", str(place.answers), "--json", *more), first=first)


def until(place: Place, question: str) -> Ended:
    """Start a run and answer what is asked until it waits for one question."""
    ended = go_on(place, unattended=False)
    while (asked := _asked(ended)) != question:
        ended = answer(place, asked)
    return ended


def _asked(ended: Ended) -> str:
    (asked,) = ended.json["waiting"]
    return f"{asked['question']}#{asked['visit']}"


def codes(ended: Ended) -> set[str]:
    return {
        part[1:-1] for line in ended.err.splitlines() for part in line.split() if part.startswith("[") and "/" in part
    }


JUST_MOVE = "context: start\nplan_choice: {action: execute}\nexecution: 确认执行\nfailure_choice: {action: check}\n"


def told(ended: Ended) -> dict[str, str]:
    """Return what the run says of each item that was to be moved: `verified`, or the code of what went wrong."""
    results = ended.json["outputs"]["verification_results"]
    return {one["title"]: one["code"] or one["status"] for one in results if one["title"] != "数据治理资料"}


# --- tools that are not what they seem --------------------------------------------------------------------------------


def around_moves(change: Callable[[Callable[..., Any], tuple[Any, ...]], Any], *, nth: int = 2) -> Tampering:
    """Put something around the n-th move of the drive."""

    def tamper(killer: Killer) -> None:
        real = writing.move
        calls: list[int] = []

        def move(*arguments: Any) -> Any:
            calls.append(1)
            return change(real, arguments) if len(calls) == nth else real(*arguments)

        drive_adapter.WRITING["drive.move"] = move

    return tamper


def claim(real: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    sent = arguments[1]
    return {"file_token": sent["file_token"], "folder_token": sent["folder_token"], "type": sent["type"], "ready": True}


def fail_after(real: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    real(*arguments)
    raise RuntimeError("the line went dead")


def fail_before(real: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    raise RuntimeError("the line went dead")


def nonsense_after(real: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    real(*arguments)
    return "done"


def refuse(real: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    raise ToolFailure("permission_denied", "no")


def fail_and_do_it_late(real: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return {"failed": True}


@pytest.mark.parametrize(
    ("change", "says", "moved"),
    [
        (claim, "not_found", 5),
        (fail_after, "verified", 6),
        (nonsense_after, "verified", 6),
        (fail_before, "adapter_failed", 5),
        (refuse, "permission_denied", 5),
        (fail_and_do_it_late, "reported_failure", 5),
    ],
)
def test_one_move_that_goes_wrong_stops_itself_only_and_is_never_made_twice(
    place: Place, change: Callable[..., Any], says: str, moved: int
) -> None:
    ended = unattended(place, first=around_moves(change), prepared=JUST_MOVE)
    assert ended.status == 3, ended
    found = told(ended)
    assert sorted(found.values()) == sorted(["verified"] * 5 + [says])
    assert sum(count for (kind, _, _), count in renames(place.drive).items() if kind == "move") == moved
    assert set(renames(place.drive).values()) == {1}
    if says != "verified":
        assert "与计划不符" in ended.err


@pytest.mark.parametrize(("change", "made"), [(fail_after, 7), (nonsense_after, 7), (fail_before, 0), (refuse, 0)])
def test_a_folder_that_was_made_all_the_same_is_found_and_filled(
    place: Place, change: Callable[..., Any], made: int
) -> None:
    def tamper(killer: Killer) -> None:
        real = writing.create_folder
        drive_adapter.WRITING["drive.create_folder"] = lambda *arguments: change(real, arguments)

    ended = unattended(place, first=tamper, prepared=JUST_MOVE)
    assert sum(renames(place.drive).values()) == made
    assert set(told(ended).values()) == ({"verified"} if made else {"created_target_unknown"})


@pytest.mark.parametrize(
    "kill", [("before-rename", 1), ("after-rename", 1), ("before-rename", 4), ("after-rename", 4), ("after-rename", 14)]
)
def test_a_write_that_a_kill_cut_off_is_looked_up_and_made_once(
    place: Place, kill: tuple[str, int], undisturbed: Left
) -> None:
    assert place.command(place.run_words("demo.yaml", "--answers", str(place.answers)), kill).status is None
    finish(place, unattended=True)
    left = left_by(place)
    assert left.renames == undisturbed.renames
    assert left.outputs == undisturbed.outputs


def pages_of(change: Callable[[dict[str, Any], dict[str, Any], int], dict[str, Any]]) -> Tampering:
    """Make pages of two and change what the n-th call of the search gives."""

    def tamper(killer: Killer) -> None:
        real = drive_adapter.READING["drive.search"]
        calls: list[int] = []

        def search(drive: Any, arguments: Any) -> Any:
            calls.append(1)
            known = arguments if arguments.get("page_token") not in ("one", "two", "three") else dict(arguments)
            if known is not arguments:
                del known["page_token"]
            found = real(drive, {**known, "page_size": 2})
            return change(found, arguments, len(calls))

        drive_adapter.READING["drive.search"] = search

    return tamper


def repeating(found: dict[str, Any], arguments: dict[str, Any], number: int) -> dict[str, Any]:
    return {**found, "has_more": True, "page_token": arguments.get("page_token") or found.get("page_token", "again")}


def cycling(found: dict[str, Any], arguments: dict[str, Any], number: int) -> dict[str, Any]:
    return {**found, "has_more": True, "page_token": ("one", "two", "three")[number % 3]}


def expired_once(found: dict[str, Any], arguments: dict[str, Any], number: int) -> dict[str, Any]:
    if number == 2:
        raise invalid_page_token()
    return found


def always_expired(found: dict[str, Any], arguments: dict[str, Any], number: int) -> dict[str, Any]:
    if arguments.get("page_token"):
        raise invalid_page_token()
    return found


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        (repeating, "repeated_page_token", "翻页标记重复出现"),
        (cycling, "repeated_page_token", "翻页标记重复出现"),
        (always_expired, "invalid_page_token", "翻页标记已失效"),
    ],
)
def test_a_search_whose_pages_lead_nowhere_blocks_by_name_and_goes_on_when_it_is_mended(
    place: Place, change: Callable[..., Any], code: str, says: str, undisturbed: Left
) -> None:
    ended = unattended(place, first=pages_of(change))
    assert ended.status == 4, ended
    assert ended.json["state"] == "SEARCH_RECALL"
    assert f"（{code}）：{says}" in ended.err
    assert ended.json["blocked"]["code"] == "run/call-failed"
    assert not renames(place.drive)
    assert finish(place, unattended=True).status == 0
    assert left_by(place).renames == undisturbed.renames


def test_a_token_that_expired_once_is_read_again_from_page_one(place: Place, undisturbed: Left) -> None:
    assert unattended(place, first=pages_of(expired_once)).status == 0
    assert left_by(place).renames == undisturbed.renames


# --- the world after the plan -----------------------------------------------------------------------------------------


def test_what_changed_after_the_plan_stops_that_item_only(place: Place) -> None:
    until(place, "execution#1")
    (place.drive / "平台/指标口径.txt").unlink()
    (place.drive / "归档/预算.csv").rename(place.drive / "归档/旧预算.csv")
    (place.drive / "平台/数据字典说明.md").rename(place.drive / "个人/数据字典说明.md")
    ended = answer(place, "execution#1")
    assert _asked(ended) == "failure_choice#1"
    ended = place.command(["answer", RUN, 'failure_choice={"action": "check"}', "--json"])
    assert told(ended) == {
        "数据治理规范.md": "verified",
        "数据治理启动会.md": "verified",
        "Data governance.md": "verified",
        "指标口径.txt": "not_found",
        "预算.csv": "changed_since_plan",
        "数据字典说明.md": "changed_since_plan",
    }
    assert "计划生成后已被改动，未移动" in ended.err
    assert (place.drive / "归档/旧预算.csv").exists()


def test_a_name_taken_after_the_plan_is_never_replaced(place: Place) -> None:
    until(place, "execution#1")
    (place.drive / "数据治理资料").mkdir()
    (place.drive / "数据治理资料" / "数据治理规范.md").write_text("别人的", "utf-8")
    ended = answer(place, "execution#1")
    assert not renames(place.drive)
    assert ended.json["outputs"]["moved"] == []
    assert set(told(ended).values()) == {"created_target_unknown"}
    assert (place.drive / "数据治理资料" / "数据治理规范.md").read_text("utf-8") == "别人的"


# --- the journal ------------------------------------------------------------------------------------------------------


def waiting_run(place: Place) -> tuple[Path, Path]:
    """Return the folder of a run that waits at its confirmation, and a copy of it."""
    until(place, "execution#1")
    folder = place.home / "runs" / RUN
    kept = place.folder / "kept"
    shutil.copytree(folder, kept)
    return folder, kept


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, Path, Path]:
    """A run that waits at its confirmation, its folder and a copy of that; whoever spoils it puts it back."""
    place = Place(tmp_path_factory.mktemp("waiting"))
    return place, *waiting_run(place)


def put(folder: Path, kept: Path) -> None:
    shutil.rmtree(folder)
    shutil.copytree(kept, folder)


def refused(place: Place) -> str:
    """Return the code with which a resume is refused; nothing may have happened."""
    ended = place.command(["resume", RUN, "--json"])
    assert ended.status == 2, ended
    assert "Traceback" not in ended.err
    assert "没有执行任何操作" in ended.err, ended.err
    assert not renames(place.drive)
    return str(ended.json["error"]["code"])


@pytest.mark.long
def test_a_journal_cut_anywhere_in_its_end_is_named_and_left_as_it_is(place: Place) -> None:
    folder, kept = waiting_run(place)
    size = (folder / "journal.sqlite3").stat().st_size
    for cut in range(512, 8192 + 1, 512):
        put(folder, kept)
        os.truncate(folder / "journal.sqlite3", size - cut)
        before = (folder / "journal.sqlite3").read_bytes()
        assert refused(place) in ("run/journal-damaged", "run/journal-cut"), cut
        assert (folder / "journal.sqlite3").read_bytes() == before
    put(folder, kept)
    assert finish(place, unattended=False).status == 0


@pytest.mark.long
def test_a_log_of_a_killed_process_cut_anywhere_is_named_or_lost_nothing_that_was_acknowledged(
    place: Place, undisturbed: Left
) -> None:
    place.command(place.run_words("demo.yaml", "--answers", str(place.answers)), ("after-commit", 40))
    folder, kept = place.home / "runs" / RUN, place.folder / "kept"
    shutil.copytree(folder, kept)
    size = (folder / "journal.sqlite3-wal").stat().st_size
    made = renames(place.drive)
    named: set[str] = set()
    for cut in range(512, 8192 + 1, 512):
        put(folder, kept)
        os.truncate(folder / "journal.sqlite3-wal", size - cut)
        try:
            journal = RunStore(place.home).open(RUN)
        except JournalError as error:
            named.add(error.code)
        else:
            assert sum(1 for row in journal.rows() if row.kind == "intention") >= sum(made.values())
            journal.close()
    assert named <= {"run/journal-cut", "run/journal-damaged"}
    put(folder, kept)
    (folder / "journal.sqlite3-wal").unlink()
    with pytest.raises(JournalError, match=r"run/journal-(cut|damaged)"):
        RunStore(place.home).open(RUN)
    put(folder, kept)
    finish(place, unattended=True)
    assert left_by(place).renames == undisturbed.renames


def _empty(folder: Path) -> None:
    (folder / "journal.sqlite3").write_bytes(b"")


def _another_file(folder: Path) -> None:
    (folder / "journal.sqlite3").write_bytes(b"%PDF-1.7 " * 4096)


def _another_database(folder: Path) -> None:
    (folder / "journal.sqlite3").unlink()
    with sqlite3.connect(folder / "journal.sqlite3") as connection:
        connection.execute("create table log(a)")
    connection.close()


def _a_folder(folder: Path) -> None:
    (folder / "journal.sqlite3").unlink()
    (folder / "journal.sqlite3").mkdir()


def _gone(folder: Path) -> None:
    (folder / "journal.sqlite3").unlink()


def _no_head(folder: Path) -> None:
    (folder / "head").unlink()


def _torn_head(folder: Path) -> None:
    (folder / "head").write_bytes(b"0" * 200)


def _no_inbox_head(folder: Path) -> None:
    (folder / "inbox-head").unlink()


@pytest.mark.parametrize(
    "spoil",
    [_empty, _another_file, _another_database, _a_folder, _gone, _no_head, _torn_head, _no_inbox_head],
)
def test_a_journal_that_cannot_be_trusted_is_never_begun_anew(
    waiting: tuple[Place, Path, Path], spoil: Callable[[Path], None]
) -> None:
    place, folder, kept = waiting
    spoil(folder)
    for _ in range(2):
        ended = place.command(["resume", RUN, "--json"])
        assert ended.status == 2, ended
        assert ended.json["error"]["code"].startswith("run/journal-")
        for words in (["show", RUN], ["answer", RUN, "execution=确认执行"], ["cancel", RUN]):
            assert place.command(words).status == 2, words
        assert place.command(["runs"]).status == 0
    assert not renames(place.drive)
    put(folder, kept)
    assert _asked(place.command(["resume", RUN, "--json"])) == "execution#1"


@pytest.mark.long
def test_an_older_head_is_no_damage(place: Place, undisturbed: Left) -> None:
    go_on(place, unattended=False)
    head = (place.home / "runs" / RUN / "head").read_bytes()
    answer(place, "context#1")
    (place.home / "runs" / RUN / "head").write_bytes(head)
    assert finish(place, unattended=False).status == 0
    assert left_by(place).renames == undisturbed.renames


def full_disk(size: int) -> Tampering:
    """Let no file grow beyond a size. Units: bytes."""

    def tamper(killer: Killer) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    return tamper


@pytest.mark.long
def test_a_full_disk_stops_the_run_with_a_message_and_keeps_it(tmp_path: Path, undisturbed: Left) -> None:
    stopped = 0
    for size in range(20_000, 420_000, 25_000):
        place = Place(tmp_path / str(size))
        ended = unattended(place, first=full_disk(size))
        assert "Traceback" not in ended.err, ended.err
        stopped += ended.status == 2
        assert max(renames(place.drive).values(), default=1) == 1
        finish(place, unattended=True)
        left = left_by(place)
        assert left.tree == undisturbed.tree, size
        assert set(left.renames.values()) == {1}, size
    assert stopped > 3


# --- processes, homes, signals ----------------------------------------------------------------------------------------


def test_a_second_process_on_a_run_is_told_who_has_it_and_may_still_answer(place: Place) -> None:
    go_on(place, unattended=False)
    held = RunStore(place.home).open(RUN)
    try:
        second = place.command(["resume", RUN])
        assert second.status == 2
        assert "[run/in-use]" in second.err
        assert str(os.getpid()) in second.err
        assert place.command(["answer", RUN, "context=start"]).status == 0
    finally:
        held.close()
    assert _asked(go_on(place, unattended=False)) == "plan_choice#1"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("at", [1, 7])
def test_a_signal_in_the_middle_of_moves_leaves_the_run_resumable(
    place: Place, number: signal.Signals, at: int, undisturbed: Left
) -> None:
    def tamper(killer: Killer) -> None:
        real = killer.hit

        def hit(point: str) -> None:
            real(point)
            if point == "before-rename" and killer.hits[point] == at:
                os.kill(os.getpid(), number)

        killer.hit = hit  # type: ignore[method-assign]

    ended = unattended(place, first=tamper)
    assert ended.status == 130, ended
    assert sum(renames(place.drive).values()) == at
    assert f"resume {RUN}" in ended.err
    finish(place, unattended=True)
    left = left_by(place)
    assert left.tree == undisturbed.tree
    assert left.renames == undisturbed.renames
    assert left.messages == undisturbed.messages


@pytest.mark.parametrize("home", ["a-file", "a-file/below", "/proc/nothing-can-be-written-here"])
def test_a_home_that_cannot_be_written_is_named(place: Place, home: str) -> None:
    (place.folder / "a-file").write_text("")
    ended = place.command([*place.run_words("local.yaml"), "--home", str(place.folder / home)])
    assert ended.status == 2, ended
    assert "[run/not-begun]" in ended.err
    assert not (place.drive / ".drive" / "log.jsonl").exists()


@pytest.mark.long
def test_prune_removes_only_what_has_ended(place: Place) -> None:
    go_on(place, unattended=False)
    assert place.command(["runs", "--prune", "0d"]).status == 0
    assert place.has_run()
    place.command(["resume", RUN], ("before-head", 1))
    assert place.command(["runs", "--prune", "0d"]).status == 0
    assert finish(place, unattended=False).status == 0
    place.command(["runs", "--prune", "30d"])
    assert place.has_run()
    place.command(["runs", "--prune", "0d"])
    assert not place.has_run()


# --- places -----------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_root_that_has_become_another_folder_is_refused(place: Place) -> None:
    real = place.folder / "real"
    place.drive.rename(real)
    place.drive.symlink_to(real)
    until(place, "execution#1")
    other = Place(place.folder / "other")
    place.drive.unlink()
    place.drive.symlink_to(other.drive)
    ended = place.command(["answer", RUN, "execution=确认执行", "--json"])
    assert ended.status == 2, ended
    assert "[command/place-changed]" in ended.err
    assert not renames(other.drive)
    assert not renames(real)
    place.drive.unlink()
    place.drive.symlink_to(real)
    assert finish(place, unattended=False).status == 0


def test_an_ended_run_is_put_back_later_and_only_where_it_worked(place: Place) -> None:
    before = tree(place.drive)
    unattended(place, prepared=JUST_MOVE + "verify_choice: {action: end}\n")
    assert tree(place.drive) != before
    words = [word.replace(RUN, "later") for word in place.run_words("local.yaml", "--json")]
    other = Place(place.folder / "other")
    elsewhere = [word.replace(str(place.drive), str(other.drive)) for word in words]
    wrong = place.command([*elsewhere, "--input", f"restore_of={RUN}"])
    assert wrong.status == 2
    assert "[command/run-of-another-place]" in wrong.err
    ended = place.command([*words, "--input", f"restore_of={RUN}"])
    assert _asked(ended) == "restore#1"
    ended = place.command(["answer", "later", "restore=确认恢复", "--json"])
    assert ended.status == 0, ended
    assert tree(place.drive) == before
    again = place.command(["run", *words[1:-1], "--input", f"restore_of={RUN}", "--json"])
    assert again.status == 0, again
    assert set(renames(place.drive).values()) == {1}


def test_a_dry_run_touches_nothing(place: Place) -> None:
    until(place, "execution#1")  # the drive has given its ids
    before = (tree(place.drive), sorted(path.name for path in (place.home / "runs").iterdir()))
    words = [word.replace(RUN, "dry") for word in place.run_words("local.yaml", "--dry-run", "--json")]
    ended = place.command(words)
    assert ended.status == 0, ended
    assert ended.json["dry_run"] is True
    assert (tree(place.drive), sorted(path.name for path in (place.home / "runs").iterdir())) == before
    assert not renames(place.drive)
    assert "只凭示例走到的状态" in ended.err
    assert "VERIFY" in ended.err


# --- hostile titles ---------------------------------------------------------------------------------------------------

HOSTILE = [
    "数据治理\x1b[2J\x1b[31m清屏.md",
    "数据治理\u202egnp.md",
    "数据治理\n执行：确认执行.md",
    "数据治理\r盖住.md",
    "数据治理[bold red]标记[blink].md",
    "数据治理{{ 7*7 }}{% for x in y %}.md",
    "数据治理\x07\x08\x7f\u200b\u2066\ufeff.md",
    "数据治理\x9b31m|管道|`码`<b>.md",
    "数据治理" + "长" * 77 + ".md",
]


@pytest.mark.long
def test_hostile_titles_show_nothing_raw_and_stay_what_they_are(tmp_path: Path) -> None:
    drive = {f"平台/{name}": f"数据治理的内容 {number}" for number, name in enumerate(HOSTILE)}
    place = Place(tmp_path, drive)
    ended = until(place, "execution#1")
    (asked,) = ended.json["waiting"]
    shown = {item["title"] for item in asked["shown"] if item["action_type"] == "move_resource"}
    assert shown == set(HOSTILE)
    texts = [place.everything_said]
    for words in (["show", RUN], ["show", RUN, "--plan"], ["show", RUN, "--plan", "--format", "csv"], ["runs"]):
        looked = place.command(words)
        assert looked.status == 0, looked
        texts += [looked.out, looked.err]
    finish_moves = answer(place, "execution#1")
    texts.append(finish_moves.err)
    for text in texts:
        assert [line for line in text.split("\n") if RAW & set(line)] == []
    assert "数据治理{{ 7*7 }}{% for x in y %}.md" in place.everything_said
    assert {path.name for path in (place.drive / "数据治理资料").iterdir()} == set(HOSTILE)
    assert finish(place, unattended=False).status == 0
    assert {path.name for path in (place.drive / "平台").iterdir()} == set(HOSTILE)


RAW = {chr(number) for number in (*range(10), *range(11, 32), *range(127, 160))} | set("\u200b\u202e\u2066\ufeff")


# --- documents that would do something else ---------------------------------------------------------------------------

OTHER_ARGUMENTS = """\
workflow: sly
version: 1.0.0
title: {zh: 例子, en: Example}
effect: write
uses: {tools: [drive, reading, evidence]}
questions: {wait: 7d}
data:
  name: {type: string, default: shown}
states:
  ASK:
    tools: [drive.create_folder]
    steps:
      - confirm: go
        shows: name
        permits: [{id: one, tool: drive.create_folder, with: {name: "{{ name }}", folder_token: ""}}]
        text: {done: {zh: 好, en: Ready}, next: {zh: 写, en: Write}, writes: true}
        choices: [{id: plain, confirms: true}]
CHANGE
      - {call: drive.create_folder, needs: go, with: {name: "{{ SENT }}", folder_token: ""}, as: made}
"""


def _sly(place: Place, change: str, sent: str) -> Ended:
    specs = place.folder / "specs"
    shutil.copytree(SPECS, specs)
    (specs / "sly.yaml").write_text(OTHER_ARGUMENTS.replace("CHANGE\n", f"{change}\n").replace("SENT", sent), "utf-8")
    words = ["run", str(specs / "sly.yaml"), "--set", f"settings.root={place.drive}", "--run-id", RUN, "--json"]
    return place.command(words)


@pytest.mark.parametrize("sent", ["name", "'shown'"])
def test_a_document_that_changes_what_was_shown_is_refused_before_it_runs(place: Place, sent: str) -> None:
    ended = _sly(place, "      - set: {name: hidden}", sent)
    assert ended.status == 2
    assert ended.json["error"]["code"] == "flow/write-not-confirmed"
    assert not renames(place.drive)


def test_a_document_that_would_send_something_else_is_refused_before_the_call(place: Place) -> None:
    assert _sly(place, "", "'hidden'").status == 3
    ended = place.command(["answer", RUN, "go=plain", "--json"])
    assert ended.status == 1, ended
    assert ended.json["error"]["code"] == "run/write-not-permitted"
    assert not renames(place.drive)
    assert sorted(tree(place.drive)) == sorted({*DRIVE, *(str(Path(name).parent) for name in DRIVE)})
    assert json.loads(place.command(["runs", "--json"]).out)
