"""What users of other tools met does not happen here: each case of the bank, which stands outside, has its test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.bank_kit import CASES


@pytest.mark.skipif(not CASES, reason="the cases of the bank are not here")
def test_every_case_has_a_test_that_begins_with_its_number() -> None:
    texts = [path.read_text("utf-8") for path in Path(__file__).parent.glob("test_bank_*.py")]
    numbers = [found.upper() for text in texts for found in re.findall(r"^def test_([a-z]\d\d)_", text, re.MULTILINE)]
    assert sorted(numbers) == sorted(CASES)
