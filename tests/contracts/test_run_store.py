"""Runs under a home: made once, held by one process, answered once; damage is told, never taken for a young run."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.clock import ManualClock
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.runs import Answerer, RunStore
from interpreter.codes.journal import JOURNAL_CODES, REASONS, told_of_journal_error
from interpreter.engine.program import CALLING_SEQUENCE
from interpreter.ports import Answer, JournalError, Stop
from tests.contracts.durable_kit import EXPECTED, RUN, WRITES, LogTools, Nobody, act_in_process, check, core

ANN = Answerer("ann", "answer-command")


def walk(store: RunStore, clock: ManualClock, home: Path, people: Any = None) -> Any:
    """Walk the run in this process, as `run` and `resume` do."""
    journal = store.open(RUN) if store.exists(RUN) else store.create(RUN, {"inputs": {}})
    run = EmbeddedRun(journal, LogTools(home / "log"), people or Nobody(), clock)
    try:
        result = drive(core(run))
    except Stop as stop:
        run.stop("waiting")
        return stop
    else:
        run.end("completed", {})
        return result
    finally:
        journal.close()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store(tmp_path: Path, clock: ManualClock) -> RunStore:
    return RunStore(tmp_path, clock=clock, release="1.0.0")


# --- one folder, one owner ---


def test_a_run_has_a_folder_that_only_its_owner_may_enter(store: RunStore) -> None:
    store.create(RUN, {}).close()
    folder = store.folder(RUN)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {path.name for path in folder.iterdir()} >= {"journal.sqlite3", "head", "inbox-head", "lock"}
    assert [path.name for path in folder.parent.iterdir()] == [RUN]


@pytest.mark.parametrize("run_id", ["", ".", "..", "../x", "a/b", ".hidden", "-x", "a b", "x" * 101, "号"])
def test_an_id_that_is_no_plain_name_is_refused(store: RunStore, run_id: str) -> None:
    for use in (store.open, store.exists, store.cancel):
        with pytest.raises(JournalError, match="run/bad-id"):
            use(run_id)


def test_new_ids_sort_by_time(store: RunStore, clock: ManualClock) -> None:
    first, twin = store.new_id(), store.new_id()
    clock.turn(1)
    assert first != twin
    assert max(first, twin) < store.new_id()
    assert store.folder(first).name == first


def test_an_id_is_taken_once(store: RunStore) -> None:
    store.create(RUN, {"inputs": {"a": 1}}).close()
    with pytest.raises(JournalError, match="run/exists"):
        store.create(RUN, {"inputs": {"a": 2}})
    journal = store.open(RUN, lock=False)
    assert next(journal.rows()).body["inputs"] == {"a": 1}
    journal.close()


def test_a_run_that_is_not_there_is_unknown_and_is_not_made(store: RunStore) -> None:
    for use in (store.open, store.cancel, store.questions):
        with pytest.raises(JournalError, match="run/unknown"):
            use(RUN)
    assert not store.exists(RUN)


def test_a_second_process_is_told_who_holds_the_run(store: RunStore) -> None:
    journal = store.create(RUN, {})
    for _ in range(2):
        with pytest.raises(JournalError, match="run/in-use") as refused:
            store.open(RUN)
        assert refused.value.facts["process"] == str(os.getpid())
    store.open(RUN, lock=False).close()
    journal.close()
    store.open(RUN).close()


def test_a_run_of_another_calling_sequence_names_its_release(store: RunStore, tmp_path: Path) -> None:
    store.create(RUN, {}).close()
    newer = RunStore(tmp_path, sequence=CALLING_SEQUENCE + 1)
    with pytest.raises(JournalError, match="another-sequence") as refused:
        newer.open(RUN)
    assert refused.value.facts["release"] == "1.0.0"
    newer.open(RUN, lock=False).close()
    store.open(RUN).close()


def test_runs_are_listed_with_how_they_stand(store: RunStore, clock: ManualClock) -> None:
    assert store.summaries() == []
    for run_id, status in (("a", "waiting"), ("b", "running"), ("c", "completed"), ("d", None)):
        journal = store.create(run_id, {})
        if status is not None:
            journal.set_status({"status": status, "at": clock.now()})
        journal.close()
    held = store.create("e", {})
    found = {summary.run_id: summary.status for summary in store.summaries()}
    assert found == {"a": "waiting", "b": "interrupted", "c": "completed", "d": "unknown", "e": "running"}
    held.close()


def test_only_runs_that_ended_long_ago_are_cleared_away(store: RunStore, clock: ManualClock) -> None:
    for run_id, status in (("a", "waiting"), ("b", "running"), ("c", "completed")):
        journal = store.create(run_id, {})
        journal.set_status({"status": status, "at": clock.now()})
        journal.close()
    clock.turn(100)
    journal = store.create("d", {})
    journal.set_status({"status": "completed", "at": clock.now()})
    journal.close()
    assert store.prune(100) == []
    clock.turn(1)
    assert store.prune(100) == ["c"]
    assert [summary.run_id for summary in store.summaries()] == ["a", "b", "d"]


def test_what_a_killed_process_left_behind_is_swept_away_when_it_is_old(store: RunStore, tmp_path: Path) -> None:
    store.create(RUN, {}).close()
    left = [tmp_path / "runs" / name for name in (".new-a-1", ".old-b", ".new-c-2")]
    for number, folder in enumerate(left):
        folder.mkdir()
        os.utime(folder, (number * 2e9, number * 2e9))
    assert store.prune(0) == []
    assert [folder.exists() for folder in left] == [False, True, True]
    assert store.exists(RUN)


def test_an_ended_run_may_be_walked_again_and_ends_once(store: RunStore, clock: ManualClock, tmp_path: Path) -> None:
    typed = Nobody(Answer("answered", {"choice": "plain"}, "ann", clock.now(), "terminal"))
    for _ in range(3):
        assert walk(store, clock, tmp_path, typed) == EXPECTED
    journal = store.open(RUN, lock=False)
    assert [row.kind for row in journal.rows()].count("end") == 1
    journal.close()


# --- answers ---


def give(store: RunStore, value: Any = "plain", question: str = "permit#1", **more: Any) -> Any:
    return store.answer(RUN, question, value, **{"by": ANN, **more})


def test_an_answer_is_taken_once_and_the_second_is_told_whose_stands(
    store: RunStore, clock: ManualClock, tmp_path: Path
) -> None:
    walk(store, clock, tmp_path)
    assert [question.key for question in store.questions(RUN)] == ["permit#1"]
    clock.turn(60)
    assert give(store).status == "accepted"
    for again in (give(store), give(store, "no", by=Answerer("bob", "answer-command"))):
        assert (again.status, again.who, again.at) == ("already_answered", "ann", "2024-01-01T00:01:00.000Z")
        assert again.choice == "plain"
    assert walk(store, clock, tmp_path) == EXPECTED
    assert give(store, by=Answerer("bob", "answer-command")).status == "already_answered"
    assert store.questions(RUN) == ()
    assert sorted(LogTools(tmp_path / "log").lines()) == sorted(WRITES)


def test_an_answer_that_another_one_overtakes_is_not_told_that_its_question_is_open(
    store: RunStore, clock: ManualClock, tmp_path: Path
) -> None:
    def overtaken(_question: Any, body: Any) -> Any:
        assert give(store, "no", by=Answerer("bob", "answer-command")).status == "accepted"
        return check(body, "en")

    walk(store, clock, tmp_path)
    late = give(store, check=overtaken)
    assert (late.status, late.who, late.choice, late.current) == ("already_answered", "bob", "no", ())


def test_an_answer_typed_at_the_terminal_stands_too(store: RunStore, clock: ManualClock, tmp_path: Path) -> None:
    typed = Answer("answered", {"choice": "plain"}, "ann", clock.now(), "terminal")
    assert walk(store, clock, tmp_path, Nobody(typed)) == EXPECTED
    assert (give(store, by=Answerer("bob", "answer-command")).status, give(store).through) == (
        "already_answered",
        "terminal",
    )


def test_an_answer_that_cannot_count_is_refused_with_what_is_open(
    store: RunStore, clock: ManualClock, tmp_path: Path
) -> None:
    def checked(question: Any, body: Any) -> Any:
        assert question["choices"] == []
        return check(body, "en")

    walk(store, clock, tmp_path)
    refused = [
        (give(store, question="permit#2"), "unknown_question"),
        (give(store, question="other#1"), "unknown_question"),
        (give(store, seen="digest-0"), "changed"),
        (give(store, "maybe", check=checked), "invalid"),
    ]
    clock.turn(7 * 86400)
    refused.append((give(store), "late"))
    for result, status in refused:
        assert result.status == status
        assert [question.key for question in result.current] == ["permit#1"]
    assert walk(store, clock, tmp_path)["answer"] == {}
    assert give(store).status == "late"


def test_answers_from_many_processes_at_once_have_one_winner(
    store: RunStore, clock: ManualClock, tmp_path: Path
) -> None:
    walk(store, clock, tmp_path)
    children = []
    for number in range(6):
        child = os.fork()
        if child == 0:
            try:
                os._exit(give(store, by=Answerer(str(number), "answer-command")).status == "accepted")
            except BaseException:
                os._exit(99)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert sorted(codes) == [0, 0, 0, 0, 0, 1]


def test_an_answer_and_a_cancel_reach_a_run_that_is_at_work(
    store: RunStore, clock: ManualClock, tmp_path: Path
) -> None:
    walk(store, clock, tmp_path)
    journal = store.open(RUN)
    assert journal.cancels() == 0
    assert give(store).status == "accepted"
    assert store.cancel(RUN).status == "running"
    assert journal.cancels() == 1
    assert journal.answers()["permit#1"]["who"] == "ann"
    journal.append([("k", "now", {})], sync=True)
    journal.close()


# --- damage ---

FILES = ("journal.sqlite3", "journal.sqlite3-wal", "head", "inbox-head")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose run was answered, went on, and was killed in the middle of its writes."""
    home = tmp_path_factory.mktemp("killed")
    assert act_in_process(home, "walk")[0] == "Waiting"
    assert act_in_process(home, "answer")[0] == "accepted"
    assert act_in_process(home, "walk", "after-effect", 9)[0] == "killed"
    return home


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose run waits, its process having ended properly: no `-wal` is left."""
    home = tmp_path_factory.mktemp("closed")
    assert act_in_process(home, "walk")[0] == "Waiting"
    assert act_in_process(home, "answer")[0] == "accepted"
    return home


def resume_damaged(home: Path, scratch: Path, damage: Callable[[Path], None]) -> str:
    """Copy a home, damage the copy, resume; return the error's code, or `same end` with each write done once."""
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(home, scratch)
    folder = scratch / "runs" / RUN
    damage(folder)
    clock = ManualClock()
    found = LogTools(scratch / "log").lines()
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.name in FILES}
    try:
        result = walk(RunStore(scratch, clock=clock), clock, scratch)
    except JournalError as error:
        if LogTools(scratch / "log").lines() == found:
            after = {path.name: path.read_bytes() for path in folder.iterdir() if path.name in before}
            if error.code == "run/journal-cut" or error.facts.get("reason") in ("empty", "no-head", "no-journal"):
                assert after == before
        lines = LogTools(scratch / "log").lines()
        assert len(lines) == len(set(lines))
        return error.code
    assert result == EXPECTED
    assert sorted(LogTools(scratch / "log").lines()) == sorted(WRITES)
    return "same end"


def cut(name: str, length: int) -> Callable[[Path], None]:
    return lambda folder: os.truncate(folder / name, length)


def flip(name: str, at: int, mask: int) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        content = bytearray((folder / name).read_bytes())
        content[at] ^= mask
        (folder / name).write_bytes(content)

    return damage


def remove(*names: str) -> Callable[[Path], None]:
    return lambda folder: [os.remove(folder / name) for name in names if (folder / name).exists()] and None


def fill(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


WHOLE_FILES = [
    (remove("journal.sqlite3-wal", "journal.sqlite3-shm"), {"run/journal-damaged", "run/journal-cut"}),
    (remove("journal.sqlite3-shm"), {"same end"}),
    (remove("journal.sqlite3"), {"run/journal-damaged"}),
    (remove("journal.sqlite3", "journal.sqlite3-wal", "journal.sqlite3-shm"), {"run/journal-damaged"}),
    (remove("head"), {"run/journal-damaged"}),
    (remove("inbox-head"), {"run/journal-damaged"}),
    (remove("status.json", "lock", "inbox-lock"), {"same end"}),
    (fill("status.json", b"{"), {"same end"}),
    (fill("head", b"x"), {"run/journal-damaged"}),
    (fill("journal.sqlite3", b"not a database, really" * 300), {"run/journal-damaged"}),
    (cut("head", 0), {"run/journal-damaged"}),
    (cut("journal.sqlite3-wal", 0), {"run/journal-damaged", "run/journal-cut"}),
]


@pytest.mark.parametrize(("damage", "expected"), WHOLE_FILES)
def test_a_copy_in_part_is_told_from_a_young_run(
    killed: Path, tmp_path: Path, damage: Callable[[Path], None], expected: set[str]
) -> None:
    assert resume_damaged(killed, tmp_path / "copy", damage) in expected


@pytest.mark.parametrize("name", ["journal.sqlite3", "journal.sqlite3-wal", "head", "inbox-head"])
@pytest.mark.parametrize("stride", [pytest.param(1, marks=pytest.mark.long), 311])
def test_a_file_cut_anywhere_is_an_error_or_harmless(
    killed: Path, closed: Path, tmp_path: Path, name: str, stride: int
) -> None:
    for home in (killed, closed):
        file = home / "runs" / RUN / name
        size = file.stat().st_size if file.exists() else 0
        step = stride if name.endswith("head") else stride * 8
        for length in range(0, size, step):
            resume_damaged(home, tmp_path / "copy", cut(name, length))


@pytest.mark.parametrize("name", ["journal.sqlite3", "journal.sqlite3-wal", "head", "inbox-head"])
@pytest.mark.parametrize("stride", [pytest.param(29, marks=pytest.mark.long), 397])
def test_a_flipped_byte_anywhere_is_an_error_or_harmless(
    killed: Path, closed: Path, tmp_path: Path, name: str, stride: int
) -> None:
    for home in (killed, closed):
        file = home / "runs" / RUN / name
        size = file.stat().st_size if file.exists() else 0
        for number, at in enumerate(range(0, size, stride)):
            resume_damaged(home, tmp_path / "copy", flip(name, at, (1, 0x80, 0xFF)[number % 3]))


# --- disks that refuse ---


@pytest.mark.long
def test_a_full_disk_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    codes = set()
    for limit in (8192, 20_000, *range(33_000, 150_000, 5000)):
        home = tmp_path / str(limit)
        home.mkdir()
        codes |= {run_with_little_space(home, limit) for _ in range(2)}
        ended, _ = act_in_process(home, "walk")
        assert ended == "Waiting"
        assert act_in_process(home, "answer")[0] == "accepted"
        codes.add(run_with_little_space(home, limit))
        assert act_in_process(home, "walk")[0] == "completed"
        assert sorted(LogTools(home / "log").lines()) == sorted(WRITES)
    assert codes == {"run/journal-not-written", "Waiting", "completed"}


def run_with_little_space(home: Path, limit: int) -> str:
    """Walk in a process whose files may not grow beyond a limit; return how it ended."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        clock = ManualClock()
        try:
            result = walk(RunStore(home, clock=clock), clock, home)
            os._exit(2 if result == EXPECTED else 1)
        except JournalError as error:
            os._exit(0 if error.code in ("run/journal-not-written", "run/not-begun") else 98)
        except BaseException:
            os._exit(99)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {0: "run/journal-not-written", 1: "Waiting", 2: "completed"}[code]


def test_after_a_failed_commit_nothing_more_is_written(store: RunStore) -> None:
    journal = store.create(RUN, {})
    journal._database.connection.execute("pragma query_only = on")
    with pytest.raises(JournalError, match="disk"):
        journal.append([("a", "now", {})], sync=True)
    journal._database.connection.execute("pragma query_only = off")
    with pytest.raises(JournalError, match="stopped"):
        journal.append([("a", "now", {})], sync=True)
    journal.close()
    journal = store.open(RUN)
    assert [row.kind for row in journal.rows()] == ["start"]
    journal.close()


# --- words ---


@pytest.mark.parametrize("change", ["update log set body = '{}' where seq = 2", "update blob set body = x'7b7d'"])
def test_damage_in_a_row_that_nobody_asks_for_is_damage_all_the_same(store: RunStore, change: str) -> None:
    journal = store.create(RUN, {})
    journal.append([("", "trace", {"text": "大" * 100_000}), ("a", "outcome", {})], sync=True)
    journal._database.connection.execute(change)
    with pytest.raises(JournalError, match="damaged"):
        list(journal.rows(frozenset({"trace"})))
    journal.close()


def test_a_note_is_found_by_what_it_holds_also_where_it_is_large(store: RunStore) -> None:
    journal = store.create(RUN, {})
    notes = [{"note": "state"}, {"note": "answer-refused"}, {"note": "answer-refused", "text": "大" * 100_000}]
    journal.append([("", "trace", note) for note in notes], sync=True)
    assert [body for _, body in journal.newest("trace", mentions='"answer-refused"')] == [notes[2], notes[1]]
    assert len(list(journal.newest("trace"))) == 3
    journal.close()


def test_every_error_says_in_both_languages_what_to_do() -> None:
    names = [
        "run",
        "expected",
        "found",
        "key",
        "release",
        "recorded",
        "own",
        "process",
        "row",
        "detail",
        "left",
        "asked",
        "original",
    ]
    facts = dict.fromkeys(names, "?")
    for code in JOURNAL_CODES:
        for reason in REASONS:
            told = told_of_journal_error(code, {**facts, "reason": reason})
            assert told.advice is not None
            for text in (*told.message, *told.advice):
                assert text
                assert "{" not in text
