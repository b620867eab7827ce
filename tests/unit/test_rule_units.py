"""Where a value is outside its range the unit is asked about only where it may be the reason."""

from __future__ import annotations

from decimal import Decimal

import pytest

from rules.columns import Range
from rules.units import unit_facts


@pytest.mark.parametrize(
    ("value", "low", "high", "asks"),
    [
        (80, 0, 1, True),
        (Decimal("1.5"), 0, 1, True),
        (101, 0, 1, False),
        (-1, 0, 1, False),
        (99_999, 0, 20_000, False),
        (101, 0, 100, False),
        (5, None, 1, False),
        ("2026-08-01", "2026-01-01", "2026-02-01", False),
        (True, 0, 1, False),
    ],
)
def test_the_unit_is_asked_about_where_a_share_may_be_meant(
    value: object, low: object, high: object, asks: bool
) -> None:
    facts = unit_facts(value, Range(low, high, "…"))
    assert all(bool(words) == asks for words in facts.values())
