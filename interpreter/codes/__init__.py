"""The tables of codes: what can be found, in words, one module for each phase; `table` puts them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from interpreter.codes.table import CODES, PHASES

__all__ = ["CODES", "PHASES"]


def __getattr__(name: str) -> Any:
    """Put the tables together when somebody asks: where nothing is found nobody does, and it is 7 ms of a start."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from interpreter.codes import table

    return getattr(table, name)
