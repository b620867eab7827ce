"""Whether a number outside its range was meant in the other unit of shares: of one, or of a hundred."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rules.columns import Range


def unit_facts(value: Any, range_: Range) -> dict[str, str]:
    """Return what a hint adds where the unit is the likeliest reason, as facts `unit_zh` and `unit_en`; else ''."""
    is_number = isinstance(value, (int, Decimal)) and not isinstance(value, bool)
    if is_number and (range_.low, range_.high) == (0, 1) and 1 < value <= 100:
        return {
            "unit_zh": "；也检查单位：这里是 0 到 1，不是 0 到 100",
            "unit_en": "; check the unit too: this goes from 0 to 1, not to 100",
        }
    return {"unit_zh": "", "unit_en": ""}
