"""What stays in sight between commits hides nothing, blocks nobody and keeps no file from being tidied up."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from interpreter.adapters.journal_file import COMMITS_IN_SIGHT
from interpreter.adapters.sqlite_journal import DATABASE, SqliteJournal
from interpreter.ports import JsonObject

RUN = "run"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / RUN


@pytest.fixture
def journal(folder: Path) -> Iterator[SqliteJournal]:
    journal = SqliteJournal.create(folder, RUN, {})
    yield journal
    journal.close()


@pytest.fixture
def other(journal: SqliteJournal, folder: Path) -> Iterator[SqliteJournal]:
    """The same run, as a process sees it that does not own it."""
    other = SqliteJournal(folder, RUN, lock=False)
    yield other
    other.close()


def one(number: int) -> list[tuple[str, str, JsonObject]]:
    return [(f"k{number}", "outcome", {"n": number})]


def two(number: int) -> list[tuple[str, str, JsonObject]]:
    return [("", "trace", {"n": number}), *one(number)]


Rows = Callable[[int], list[tuple[str, str, JsonObject]]]
ONE_OR_TWO = pytest.mark.parametrize("rows", [one, two])


@ONE_OR_TWO
def test_what_others_write_between_commits_is_seen_and_stops_no_commit(
    journal: SqliteJournal, other: SqliteJournal, rows: Rows
) -> None:
    for number in range(3 * COMMITS_IN_SIGHT):
        journal.append(rows(number), sync=number % 2 == 0)
        if number % 5 == 0:
            other.offer_answer(f"q{number}", {"n": number})
        assert f"q{number - number % 5}" in journal.answers()
    outcomes = [row.body["n"] for row in other.of_kinds("outcome")]
    assert outcomes == list(range(3 * COMMITS_IN_SIGHT))


@ONE_OR_TWO
def test_a_commit_waits_for_one_that_another_process_is_about(journal: SqliteJournal, folder: Path, rows: Rows) -> None:
    journal.append(rows(0), sync=False)
    another = sqlite3.connect(folder / DATABASE, isolation_level=None)
    another.execute("begin immediate")
    tried: list[str] = []

    def end_at_second(statement: str) -> None:
        tried.append(statement)
        if len(tried) == 2:
            another.execute("rollback")

    journal._database.connection.set_trace_callback(end_at_second)
    journal.append(rows(1), sync=False)
    another.close()
    assert len(tried) >= 2
    assert [row.body["n"] for row in journal.of_kinds("outcome")] == [0, 1]


@ONE_OR_TWO
def test_the_log_beside_the_file_begins_anew_while_the_run_is_at_work(
    journal: SqliteJournal, folder: Path, rows: Rows
) -> None:
    largest = 0
    for number in range(6000):
        journal.append(rows(number), sync=False)
        largest = max(largest, (folder / f"{DATABASE}-wal").stat().st_size)
    # SQLite writes it back at 1,000 pages; until then so many commits may follow, each of a few pages.
    assert largest < (1000 + 8 * COMMITS_IN_SIGHT) * 4200


def test_who_only_answers_keeps_nothing_in_sight(journal: SqliteJournal, other: SqliteJournal, folder: Path) -> None:
    other.offer_answer("q", {})
    assert "q" in journal.answers()  # reads, so that nothing of its own is in sight either
    another = sqlite3.connect(folder / DATABASE)
    assert another.execute("pragma wal_checkpoint(truncate)").fetchone()[0] == 0
    another.close()


def test_nothing_of_a_closed_journal_stays_open(journal: SqliteJournal, folder: Path) -> None:
    journal.append(one(1), sync=False)
    journal.close()
    assert not (folder / f"{DATABASE}-wal").exists()


def test_a_new_run_that_cannot_be_opened_lets_go_of_its_lock_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(journal: SqliteJournal) -> None:
        raise RuntimeError("opening")

    with monkeypatch.context() as patch:
        patch.setattr(SqliteJournal, "_open", fails)
        with pytest.raises(RuntimeError, match="opening"):
            SqliteJournal.create(folder, RUN, {})
    SqliteJournal(folder, RUN).close()
