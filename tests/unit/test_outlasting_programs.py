"""A program that outlived the process which started it: its write is looked up when it has ended, and not believed
away while it is at work.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from interpreter.adapters.holds import FOLDER, Holds
from interpreter.adapters.memory_journal import MemoryJournal
from tests.unit.run_kit import Told, load_case, run_case

CASE = "an_unknown_write_found_not_to_have_happened_may_be_sent_again"
FOUND = {"box.send": [{"give": {"token": "t"}}], "box.list": [{"give": {"items": [], "more": False}}]}
IDENTITY = "0123456789abcdef" * 4


class Outlasting:
    """Says of every call, so many times, that its program is at work."""

    def __init__(self, times: float) -> None:
        self.left = times

    def take(self, identity: str) -> None:
        return None

    def let_go(self, identity: str) -> None:
        """Nothing is held."""

    def is_at_work(self, identity: str) -> bool:
        self.left -= 1
        return self.left >= 0


def walked_on(times: float, *people: str) -> Told:
    """Walk on a run that was cut off in the middle of its write."""
    case = replace(load_case(CASE), answers=FOUND)
    journal = MemoryJournal()
    run_case(case, journal)
    at = next(number for number, row in enumerate(journal.rows(), start=1) if row.kind == "intention")
    cut = journal.prefix(at)
    cut.holds = Outlasting(times)
    return run_case(replace(case, people={**case.people, "unknown_write": [[one] for one in people]}), cut)


def tools_of(told: Told) -> list[str]:
    return [one.tool for one in told.calls]


def test_what_has_ended_meanwhile_is_looked_up_and_made_if_it_was_not() -> None:
    told = walked_on(0)
    assert (tools_of(told), told.pauses, told.asked) == (["box.list", "box.send"], [], [])


def test_the_end_of_a_program_is_waited_for_before_it_is_looked_up() -> None:
    told = walked_on(5)
    assert (tools_of(told), told.asked) == (["box.list", "box.send"], [])
    assert len(told.pauses) == 4  # noticed, then looked at once more after each pause


@pytest.mark.parametrize(("answer", "sent"), [("happened", []), ("did_not", ["box.send"])])
def test_a_program_that_does_not_end_leaves_a_person_to_say_what_came_of_it(answer: str, sent: list[str]) -> None:
    told = walked_on(float("inf"), answer)
    assert tools_of(told) == ["box.list", *sent]
    (question,) = (one for one in told.asked if one.name == "unknown_write")
    assert question.text["code"] == "run/ask-write-at-work"


# --- locked files -----------------------------------------------------------------------------------------------------


@pytest.fixture
def holds(tmp_path: Path) -> Iterator[Holds]:
    holds = Holds(tmp_path)
    yield holds
    holds.close()


def started_with(descriptor: int | None) -> subprocess.Popen[bytes]:
    assert descriptor is not None
    program = "import sys; sys.stdin.read()"
    return subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, pass_fds=[descriptor])


@pytest.mark.parametrize("identity", [IDENTITY, ""], ids=["a call", "a server"])
def test_a_program_is_at_work_until_it_has_ended(tmp_path: Path, holds: Holds, identity: str) -> None:
    with started_with(holds.take(identity)) as program:
        holds.close()  # as when this process ends
        later = Holds(tmp_path)
        assert later.is_at_work(IDENTITY)
        assert later.is_at_work("another call") is (identity == "")
        program.communicate()
        assert not later.is_at_work(IDENTITY)


def test_a_copy_of_a_run_never_takes_a_program_for_ended(tmp_path: Path, holds: Holds) -> None:
    holds.take(IDENTITY)
    for number in (1, 2):  # of a copy too
        shutil.copytree(tmp_path / FOLDER, tmp_path / str(number) / FOLDER)
        copied = Holds(tmp_path / str(number))
        assert [copied.is_at_work(IDENTITY) for _ in range(2)] == [True, True]
        assert not copied.is_at_work("another call")


def test_what_a_process_holds_itself_is_not_left_over(holds: Holds) -> None:
    assert holds.take(IDENTITY) == holds.take(IDENTITY)
    assert holds.take("") != holds.take("")
    assert not holds.is_at_work(IDENTITY)


def test_nothing_stays_of_what_was_answered(tmp_path: Path, holds: Holds) -> None:
    descriptor = holds.take(IDENTITY)
    holds.take("")
    holds.let_go(IDENTITY)
    holds.let_go(IDENTITY)
    assert descriptor is not None
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
    holds.close()
    assert not (tmp_path / FOLDER).exists()


def test_without_a_folder_nothing_is_held_and_nothing_is_at_work(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("", "utf-8")
    holds = Holds(tmp_path)
    assert holds.take(IDENTITY) is None
    assert not holds.is_at_work(IDENTITY)
