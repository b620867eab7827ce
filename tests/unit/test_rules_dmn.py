"""Decision tables made by other people give the answers that other people expect."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.dmn_kit import differences

KIT = Path(__file__).parents[2].parent / "shared" / "cases" / "dmn"
FILES = sorted(KIT.glob("*.json"))


@pytest.mark.skipif(not FILES, reason="the conformance cases in ../shared/cases/dmn are not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_conformance_table_gives_every_expected_answer(path: Path) -> None:
    assert differences(path.read_text(encoding="utf-8")) == []
