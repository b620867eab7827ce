"""How long something takes or waits, as it is written: `500ms`, `2s`, `5m`, `1h`, `7d`."""

from __future__ import annotations

from collections.abc import Mapping

#: The units of a duration. Units: seconds.
SECONDS: Mapping[str, float] = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds_of_duration(duration: str) -> float:
    """Return a duration in seconds.

    Errors: ValueError for any other text.
    """
    number, unit = duration.rstrip("dhms"), duration.lstrip("0123456789.")
    if unit not in SECONDS:
        raise ValueError(f"not a duration: {duration!r}")
    return float(number) * SECONDS[unit]
