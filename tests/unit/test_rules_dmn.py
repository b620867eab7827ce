"""Decision tables made by other people give the answers that other people expect."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.values import dumps, loads
from tests.unit.dmn_kit import differences

KIT = Path(__file__).parents[2].parent / "shared" / "cases" / "dmn"
KINDS = loads((Path(__file__).parents[1] / "cases" / "rules" / "kit_kinds.json").read_text(encoding="utf-8"))
FILES = sorted(KIT.glob("*.json"))


@pytest.mark.skipif(not FILES, reason="the conformance cases in ../shared/cases/dmn are not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_conformance_table_gives_every_expected_answer(path: Path) -> None:
    assert differences(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("case", KINDS, ids=[case["id"] for case in KINDS])
def test_every_kind_of_cell_and_policy_answers_as_the_form_says(case: dict[str, object]) -> None:
    assert differences(dumps(case)) == []
