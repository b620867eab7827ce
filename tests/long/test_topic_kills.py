"""The real workflow, killed again and again: the same folder in the end, each move once, nobody asked twice.

Every process that is killed is followed by one that goes on, which is killed as well at the same point, and only the
next one is left alone.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.long.killed_command import (
    ANSWERS,
    RUN,
    Left,
    Place,
    answer,
    finish,
    given_answers,
    go_on,
    is_cancelled,
    kept_documents,
    left_by,
    renames,
    said,
    tree,
)

__all__ = ["kept_documents"]

pytestmark = pytest.mark.long

#: Points around a write and every how many of them a process is killed; each of these is passed a few times only.
AT_WRITES = {
    "call-write": 1,
    "call-destructive": 1,
    "drive-intend": 1,
    "rename": 1,
    "drive-log": 1,
    "drive-finish": 2,
}
ELSEWHERE = {"commit": 6, "head": 4, "call-read": 9, "message": 5, "question": 4}
FAMILIES = {
    "before a write": {f"before-{name}": every for name, every in AT_WRITES.items()},
    "after a write": {f"after-{name}": every for name, every in AT_WRITES.items()},
    "before anything else": {f"before-{name}": every for name, every in ELSEWHERE.items()},
    "after anything else": {f"after-{name}": every for name, every in ELSEWHERE.items()} | {"statement": 40},
}
#: The kills of each test, so that none of them comes to test nothing.
KILLS: Counter[str] = Counter()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return the place of a run that nobody killed, with answers from a file."""
    place = Place(tmp_path_factory.mktemp("alone"))
    KILLS.clear()
    finish(place, unattended=True)
    return place


@pytest.fixture(scope="module")
def undisturbed(alone: Place) -> Left:
    left = left_by(alone)
    assert set(left.renames.values()) == {1}
    assert {operation for operation, _, _ in left.renames} == {"create_folder", "move", "delete"}
    assert len(left.renames) > 12
    assert len(left.messages) >= 8
    return left


def check(place: Place, undisturbed: Left, alone: Place) -> None:
    left = left_by(place)
    assert left.tree == undisturbed.tree
    assert left.renames == undisturbed.renames
    assert left.questions == undisturbed.questions
    assert left.answers == undisturbed.answers
    assert left.messages == undisturbed.messages
    assert left.outputs == undisturbed.outputs
    assert said(place) >= said(alone)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_move_is_made_once_wherever_the_run_is_killed(
    tmp_path: Path, family: str, alone: Place, undisturbed: Left
) -> None:
    passed = finish(Place(tmp_path / "counted"), unattended=True).points
    for point, every in FAMILIES[family].items():
        assert passed[point] > 0, f"nothing passes {point}"
        for at in range(1, passed[point] + 1, every):
            place = Place(tmp_path / f"{point}-{at}")
            words = place.run_words("demo.yaml", "--answers", str(place.answers))
            assert place.command(words, (point, at)).status is None
            assert max(renames(place.drive).values(), default=1) == 1
            if place.has_run():
                place.command(["resume", RUN, "--answers", str(place.answers)], (point, 1))
            finish(place, unattended=True)
            check(place, undisturbed, alone)
            KILLS[family] += place.kills
    assert KILLS[family] > 50


@pytest.mark.parametrize("stride", [3, 7, 19])
def test_a_run_that_is_killed_every_few_commits_gets_to_its_end(
    tmp_path: Path, stride: int, alone: Place, undisturbed: Left
) -> None:
    place = Place(tmp_path)
    point = ("before-commit", "after-commit")[stride % 2]
    words = place.run_words("demo.yaml", "--answers", str(place.answers))
    while place.command(words, (point, stride)).status is None:
        if place.has_run():
            words = ["resume", RUN, "--answers", str(place.answers)]
    check(place, undisturbed, alone)


@pytest.mark.parametrize(
    "point",
    ["before-answer", "after-answer", "statement", "before-head", "after-head", "before-commit", "after-commit"],
)
@pytest.mark.parametrize("at", [1, 3])
def test_an_answer_counts_once_wherever_the_process_that_takes_it_is_killed(
    tmp_path: Path, point: str, at: int, alone: Place, undisturbed: Left
) -> None:
    place = Place(tmp_path)
    ended = go_on(place, unattended=False)
    for question in ANSWERS:
        if ended.status == 0:
            break
        (asked,) = ended.json["waiting"]
        assert f"{asked['question']}#{asked['visit']}" == question
        answer(place, question, (point, at))
        if question not in given_answers(place):
            ended = go_on(place, unattended=False)
            assert [f"{one['question']}#{one['visit']}" for one in ended.json["waiting"]] == [question]
            ended = answer(place, question)
        else:
            again = place.command(["answer", RUN, f"{question}={ANSWERS[question]}"])
            assert again.status == 2, again
            assert "[run/answer-already]" in again.err
            ended = go_on(place, unattended=False)
    assert ended.status == 0, ended
    check(place, undisturbed, alone)


@pytest.mark.parametrize("row", [1, 2, 40, 120, 200])
def test_a_replay_may_be_killed_at_any_row(tmp_path: Path, row: int, alone: Place, undisturbed: Left) -> None:
    place = Place(tmp_path)
    place.command(place.run_words("demo.yaml", "--answers", str(place.answers)), ("after-rename", 9))
    for _ in range(3):
        assert place.command(["resume", RUN, "--answers", str(place.answers)], ("in-replay", row)).status is None
    finish(place, unattended=True)
    check(place, undisturbed, alone)


@pytest.mark.parametrize("point", ["before-rename", "after-rename"])
@pytest.mark.parametrize(
    ("cancelling", "at"),
    [
        ("before-cancel", 1), ("statement", 3), ("before-head", 1), ("after-head", 1), ("after-cancel", 1),
        ("in-replay", 30), ("before-commit", 1), ("after-commit", 1), ("after-commit", 2), ("before-call-read", 1),
        ("after-call-read", 1), ("before-message", 1), ("after-question", 1),
    ],
)  # fmt: skip
def test_a_cancel_in_the_middle_of_moves_tells_the_truth_wherever_it_is_killed(
    tmp_path: Path, point: str, cancelling: str, at: int, alone: Place
) -> None:
    for made in (1, 5):
        place = Place(tmp_path / str(made))
        place.command(place.run_words("demo.yaml", "--answers", str(place.answers)), (point, made))
        place.command(["cancel", RUN], (cancelling, at))
        ended = place.command(["resume" if is_cancelled(place) else "cancel", RUN, "--json"])
        moved = made - (point == "before-rename")
        assert sum(renames(place.drive).values()) == moved
        if moved:
            assert ended.status == 3, ended
            told = ended.json["outputs"]
            assert len(told["execution_results"]) == moved
            assert {entry["status"] for entry in told["execution_results"]} == {"success"}
            assert {entry["code"] for entry in told["verification_results"]} == {"", "cancelled_before"}
        ended = finish(place, unattended=False)
        assert ended.status == 6, ended
        assert tree(place.drive) == tree(alone.drive)
        assert set(renames(place.drive).values()) <= {1}
        KILLS[point] += place.kills
