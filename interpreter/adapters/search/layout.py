"""The version of an index: it changes whenever its tables or the words in them do, and an index of another version is
made anew.
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

#: Goes up when texts are folded or cut otherwise: an index holds the words as they were then.
_WORDS: Final = 2


def version_of(tables: str) -> int:
    """Return a number for `pragma user_version`; never 0, which a new file has."""
    return (crc32(f"{tables}{_WORDS}".encode()) & 0x7FFFFFFF) or 1
