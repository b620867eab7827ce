"""JSON as programs, services, models and hosts send it: read exactly, and refused where it could mean two things."""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

from rules.values import number


def strict_json(text: str) -> Any:
    """Return the value of a JSON text, which may begin with a byte order mark.

    Errors: ValueError, also for a field that stands twice in one object: which of them was meant is a guess.
    """
    try:
        return _decode(text.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field stands twice in one object")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


_decode: Final = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=number, parse_int=number, parse_constant=_no_number
).decode
