"""Durations: what a document may write is read the same where it is planned and where it was recorded."""

from __future__ import annotations

import pytest

from interpreter.durations import seconds_of_duration
from interpreter.plan.values import seconds_of

SECONDS = {"500ms": 0.5, "2s": 2.0, "5m": 300.0, "1h": 3600.0, "7d": 604800.0, "0s": 0.0}


@pytest.mark.parametrize("duration", SECONDS)
def test_a_duration_is_read_the_same_when_planned_and_when_recorded(duration: str) -> None:
    assert seconds_of(duration) == seconds_of_duration(duration) == SECONDS[duration]


@pytest.mark.parametrize("text", ["", "s", "5", "5 m", "5w", "m5", "5sm"])
def test_no_other_text_is_a_duration(text: str) -> None:
    with pytest.raises(ValueError, match=r"duration|convert"):
        seconds_of_duration(text)
