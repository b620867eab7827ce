"""The version of an index: it changes whenever its tables do, and an index of another version is made anew."""

from __future__ import annotations

from zlib import crc32


def version_of(tables: str) -> int:
    """Return a number for `pragma user_version`; never 0, which a new file has."""
    return (crc32(tables.encode()) & 0x7FFFFFFF) or 1
