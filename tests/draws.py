"""How many examples a property draws: half of them every day, all of them in the long suite."""

from __future__ import annotations

import os

#: Set by `make test-long`.
_ARE_WHOLE = os.environ.get("DRAWS") == "whole"


def draws(whole: int) -> int:
    return whole if _ARE_WHOLE else whole // 2
