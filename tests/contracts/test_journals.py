"""One suite over every journal: what `ports.Journal` promises."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.record import AT_MOST_RIDING
from tests.contracts.world_kit import FileStore, MemoryStore

Reopen = Callable[[Any], Any]


@pytest.fixture(params=["memory", "sqlite"])
def reopened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Any]]:
    """Each call opens the same run's journal, as another process would."""
    if request.param == "memory":
        yield MemoryStore().open
    else:
        store = FileStore(tmp_path)
        yield store.open
        store.close()


BODIES = [
    {},
    {"text": "主题 👍 \x00 \u2028", "empty": "", "nothing": None, "yes": True},
    {"number": Decimal("1.50"), "whole": 12345678901234567890123456789012},
    {"nested": [{"a": [1, 2, {"b": []}]}, "x"]},
    {"half": "\ud800 and \udfff"},
    {"large": "大" * 100_000, "n": 1},
    {"b": 1, "a": 2},
]


def contents(journal: Any) -> list[tuple[str, str, Any]]:
    return [(row.key, row.kind, row.body) for row in journal.rows()][1:]


@pytest.mark.parametrize("kind", ["outcome", "question", "end"])
@pytest.mark.parametrize("sync", [True, False])
def test_rows_come_back_in_order_with_every_digit_and_key(reopened: Callable[[], Any], sync: bool, kind: str) -> None:
    journal = reopened()
    rows = [(f"键/{number}", kind, body) for number, body in enumerate(BODIES)]
    journal.append(rows[:3], sync=sync)
    for row in rows[3:]:
        journal.append([row], sync=sync)
    for found in (contents(journal), contents(reopened())):
        assert found == rows
        assert [list(body) for _, _, body in found] == [list(body) for body in BODIES]


@pytest.mark.parametrize("body", BODIES)
def test_a_body_is_written_alike_whatever_kind_of_row_it_stands_in(tmp_path: Path, body: Any) -> None:
    store = FileStore(tmp_path)
    store.open().append([("a", kind, body) for kind in ("outcome", "question", "end")], sync=False)
    store.close()
    with closing(sqlite3.connect(tmp_path / "runs" / "a-run" / "journal.sqlite3")) as database:
        written = database.execute("select body from log where key = 'a'").fetchall()
        kept = database.execute("select count(*) from blob").fetchone()
    assert len(written) == 3
    assert len(set(written)) == 1
    assert kept == (int(written[0][0].startswith("#")),)


def test_the_same_large_body_twice_is_read_back_twice(reopened: Callable[[], Any]) -> None:
    journal = reopened()
    for key in ("a", "b"):
        journal.append([(key, "outcome", BODIES[5])], sync=False)
    assert [body for _, _, body in contents(reopened())] == [BODIES[5]] * 2


def test_rows_appended_while_others_are_read_are_read_too(reopened: Callable[[], Any]) -> None:
    journal = reopened()
    journal.append([("a", "now", {})], sync=False)
    reading = journal.rows()
    next(reading), next(reading)
    journal.append([("b", "now", {})], sync=False)
    assert [row.key for row in reading] == ["b"]


def test_rows_of_some_kinds_can_be_left_out_or_looked_up(reopened: Callable[[], Any]) -> None:
    kinds = ["trace", "outcome", "trace", "question", "outcome", "answer"]
    reopened().append([(f"k{n}", kind, {"n": n}) for n, kind in enumerate(kinds)], sync=False)
    for _ in range(2):
        journal = reopened()
        rows = list(journal.rows())
        assert list(journal.rows(frozenset({"trace", "answer"}))) == [
            row for row in rows if row.kind not in ("trace", "answer")
        ]
        assert list(journal.of_kinds("question", "trace")) == [row for row in rows if row.kind in ("question", "trace")]
        assert list(journal.of_kinds("block")) == []


def test_notes_at_the_end_are_those_without_a_key_behind_the_last_row_that_is_no_trace(
    reopened: Callable[[], Any],
) -> None:
    assert reopened().notes_at_end() == 0
    for rows, expected in (
        ([("", "trace", {})], 1),
        ([("", "trace", {}), ("a", "trace", {}), ("", "trace", {})], 3),
        ([("", "trace", {}), ("a", "message", {})], 0),
        ([("a", "trace", {})], 0),
        ([("", "trace", {})] * AT_MOST_RIDING, AT_MOST_RIDING),
        ([("", "end", {})], 0),
    ):
        reopened().append(rows, sync=False)
        assert reopened().notes_at_end() == expected


@pytest.mark.parametrize("before", [0, 1, 2 * AT_MOST_RIDING])
def test_nothing_is_appended_of_rows_that_are_no_json(reopened: Callable[[], Any], before: int) -> None:
    journal = reopened()
    for bad in ({"a": {1, 2}}, {"a": float("nan")}):
        with pytest.raises((TypeError, ValueError)):
            journal.append([*[("a", "outcome", {})] * before, ("b", "outcome", bad)], sync=True)
    journal.append([("c", "outcome", {})], sync=True)
    assert [key for key, _, _ in contents(reopened())] == ["c"]


@pytest.mark.parametrize("count", [AT_MOST_RIDING - 1, AT_MOST_RIDING, 2 * AT_MOST_RIDING + 1])
def test_as_many_rows_as_there_are_go_together(reopened: Callable[[], Any], count: int) -> None:
    journal = reopened()
    rows = [(f"k{number}", "trace", {"n": number}) for number in range(count)]
    rows.append(("large", "outcome", {"large": "大" * 100_000}))
    journal.append(iter(rows), sync=True)
    journal.append([("next", "outcome", {})], sync=False)
    for found in (contents(journal), contents(reopened())):
        assert found == [*rows, ("next", "outcome", {})]


def test_the_first_answer_wins(reopened: Callable[[], Any]) -> None:
    journal = reopened()
    first = {"ending": "answered", "value": "yes", "who": "ann"}
    assert journal.offer_answer("q#1", first) == first
    assert journal.offer_answer("q#1", {"ending": "answered", "value": "no", "who": "bob"}) == first
    assert journal.offer_answer("q#2", {"ending": "refused"}) == {"ending": "refused"}
    assert reopened().answers() == {"q#1": first, "q#2": {"ending": "refused"}}


def test_a_refused_answer_opens_the_question_again(reopened: Callable[[], Any]) -> None:
    journal = reopened()
    journal.offer_answer("q#1", {"value": "maybe"})
    journal.refuse_answer("q#1", {"code": "person/no-choice"})
    journal.refuse_answer("q#1", {"code": "person/no-choice"})
    assert journal.answers() == {}
    assert journal.offer_answer("q#1", {"value": "yes"}) == {"value": "yes"}
    assert reopened().answers() == {"q#1": {"value": "yes"}}


def test_cancels_are_counted(reopened: Callable[[], Any]) -> None:
    journal = reopened()
    assert journal.cancels() == 0
    journal.request_cancel()
    journal.request_cancel()
    assert journal.cancels() == 2
    assert reopened().cancels() == 2
