"""A process killed at any point loses nothing that was acknowledged and does nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.durable_kit import WRITES, act_in_process

pytestmark = pytest.mark.long

#: What commands do one after another, and how each ends where nobody kills it.
TO_THE_END = (("walk", "Waiting"), ("answer", "accepted"), ("walk", "completed"), ("walk", "completed"))
CANCELLED = (("walk", "Waiting"), ("cancel", "waiting"), ("walk", "cleaned"), ("walk", "cleaned"))
#: How an action that was killed may end when it is done again.
AGAIN = {"accepted": {"accepted", "already_answered"}, "waiting": {"waiting", "interrupted"}}
#: A cancel that was killed after its commit and asked for again is two cancels, and the second ends the run at once.
ENDED_BY_TWO_CANCELS = "Cancelled"


def play(
    home: Path, story: tuple[tuple[str, str], ...], kill: tuple[int, str, int], *, loop: bool, times: int
) -> tuple[int, str]:
    """Play a story, killing one of its processes at one point some times; return the kills and the end."""
    ended = ""
    place, point, at = kill
    killed = 0
    for position, (action, ends) in enumerate(story):
        if position == place:
            for _ in range(times):
                ended, _ = act_in_process(home, action, point, at, loop=loop)
                killed += ended == "killed"
        ended, _ = act_in_process(home, action, loop=loop ^ (position == place))
        if story[place][0] == "cancel" and ended == ENDED_BY_TWO_CANCELS:
            continue
        assert ended in AGAIN.get(ends, {ends}), (kill, ended)
    return killed, ended


def points_of(home: Path, story: tuple[tuple[str, str], ...], *, loop: bool) -> list[tuple[int, str, int]]:
    found = []
    for position, (action, ends) in enumerate(story):
        ended, hits = act_in_process(home, action, loop=loop)
        assert ended == ends
        found += [(position, point, at) for point, count in hits.items() for at in range(1, count + 1)]
    return found


@pytest.mark.parametrize("loop", [False, True], ids=["by hand", "event loop"])
@pytest.mark.parametrize(
    ("story", "written"),
    [(TO_THE_END, WRITES), (CANCELLED, ["one", "cleanup"])],
    ids=["to the end", "cancelled"],
)
def test_each_write_happens_once_wherever_the_process_is_killed(
    tmp_path: Path, story: tuple[tuple[str, str], ...], written: list[str], loop: bool
) -> None:
    kills = 0
    for number, kill in enumerate(points_of(tmp_path / "unkilled", story, loop=loop)):
        home = tmp_path / str(number)
        killed, ended = play(home, story, kill, loop=loop, times=1 + number % 3)
        kills += killed
        log = (home / "log").read_text().split()
        assert sorted(log) == sorted(["one"] if ended == ENDED_BY_TWO_CANCELS else written), kill
    print(f"{kills} kills")
    assert kills >= 60
