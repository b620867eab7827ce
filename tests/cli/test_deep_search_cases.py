"""How well the deep search does, held by floors: the public cases every time, the sample world when long."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.search_cases import FLOORS, SAMPLE, SHARED, Case, Tally, public_cases, run, tally_of
from tests.cli.search_kit import DeepSearch


def counted(cases: list[Case], folder: Path) -> Tally:
    search, whole = DeepSearch(folder / "home"), Tally()
    for case in cases:
        tally = tally_of(case, run(search, case, folder))
        for what, (good, of) in tally.counts.items():
            whole.add(what, good, of)
        whole.amiss += [f"{case.name}: {line}" for line in tally.amiss]
    return whole


@pytest.mark.skipif(not SHARED.exists(), reason="the public cases stand in ../shared, which is not here")
def test_the_questions_of_the_public_evaluations_are_answered(tmp_path: Path) -> None:
    whole = counted(list(public_cases()), tmp_path)
    assert whole.amiss == []
    assert all(good > 0 for what, (good, _) in whole.counts.items() if what != "verdicts")


@pytest.mark.long
def test_the_questions_of_the_sample_world_reach_their_floors(tmp_path: Path) -> None:
    whole = counted(SAMPLE, tmp_path)
    assert {what: whole.rate(what) for what in FLOORS if whole.rate(what) < FLOORS[what]} == {}, whole.amiss
