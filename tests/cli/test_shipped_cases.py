"""The cases of the shipped workflows and rules: all pass, and come by nearly everything; drawn runs break nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.kit import Command

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "specs"
WORKFLOWS = ("f077_analysis", "topic_move_collector", "wps_deep_search")
#: Rule documents that decide nothing by themselves: thresholds and words alone.
WITHOUT_RULES = {"f077_limits", "limits", "search_limits", "search_words", "time_words"}


@pytest.fixture(scope="module")
def told(looking: Command) -> dict[str, Any]:
    ended = looking("test", str(SPECS / "tests"), "--min-coverage", "95", "--json")
    assert ended.status == 0, ended.out[-2000:]
    return ended.json


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_every_state_transition_and_gate_is_come_by(told: dict[str, Any], workflow: str) -> None:
    covered = told["coverage"][str(SPECS / f"{workflow}.yaml")]
    kinds = covered["kinds"]
    for kind in ("state", "transition", "gate"):
        assert kinds[kind]["covered"] == kinds[kind]["of"], (kind, covered["missing"])


def test_every_rule_document_that_decides_has_cases(told: dict[str, Any]) -> None:
    tested = {Path(name).stem for name in told["coverage"] if Path(name).parent.name == "rules"}
    assert {path.stem for path in (SPECS / "rules").glob("*.yaml")} - tested == WITHOUT_RULES


def test_documents_and_their_cases_have_no_findings(looking: Command) -> None:
    ended = looking("lint", str(SPECS))
    assert ended.status == 0, ended.out


@pytest.mark.long
@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_drawn_runs_break_nothing(looking: Command, workflow: str) -> None:
    ended = looking("fuzz", str(SPECS / f"{workflow}.yaml"), "--seed", "7", "--runs", "25")
    assert ended.status == 0, ended.out


@pytest.mark.long
@pytest.mark.parametrize("workflow", WORKFLOWS)
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_many_drawn_runs_break_nothing(looking: Command, workflow: str, seed: str) -> None:
    ended = looking("fuzz", str(SPECS / f"{workflow}.yaml"), "--seed", seed, "--runs", "200")
    assert ended.status == 0, ended.out
