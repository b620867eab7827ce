"""What the reading of one body may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.records import NamedTuple

MEGABYTE = 1 << 20


class Limits(NamedTuple):
    """Units: seconds, bytes. `ratio` is unpacked size over packed size."""

    cpu_seconds: int = 20
    wall_seconds: float = 60.0
    memory_bytes: int = 512 * MEGABYTE
    unpacked_bytes: int = 200 * MEGABYTE
    ratio: int = 100
    answer_bytes: int = 16 * MEGABYTE


def limits_of(settings: Mapping[str, Any]) -> Limits:
    """Return the limits that settings ask for: `cpu_seconds`, `wall_seconds`, `memory_mb`, `unpacked_mb`, `ratio`.

    Errors: ValueError for what is no number of at least 1.
    """
    usual = Limits()
    return Limits(
        cpu_seconds=_number(settings, "cpu_seconds", usual.cpu_seconds),
        wall_seconds=float(_number(settings, "wall_seconds", int(usual.wall_seconds))),
        memory_bytes=_number(settings, "memory_mb", usual.memory_bytes // MEGABYTE) * MEGABYTE,
        unpacked_bytes=_number(settings, "unpacked_mb", usual.unpacked_bytes // MEGABYTE) * MEGABYTE,
        ratio=_number(settings, "ratio", usual.ratio),
    )


def _number(settings: Mapping[str, Any], name: str, usual: int) -> int:
    value = settings.get(name)
    if value is None or value == "":
        return usual
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name}: {value!r}")
    return value
