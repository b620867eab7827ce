"""JSON that comes from others, or stands in data: read exactly, and refused where it could mean two things."""

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


def strict_value_at(text: str, start: int) -> tuple[Any, int]:
    """Return the value of the JSON that begins at a character, and where it ends. Errors: as of `strict_json`."""
    try:
        return _decoder.raw_decode(text, start)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field stands twice in one object")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


_decoder: Final = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=number, parse_int=number, parse_constant=_no_number
)
_decode: Final = _decoder.decode
