"""The head of a journal: a small file that says how far it must reach.

A database cut off at a commit, or copied without its `-wal` file, looks healthy and young. The head beside it
says otherwise. Two slots are written in turn, each with its own checksum and smaller than a disk sector, so
that a slot torn by a power cut leaves the other one; replacing a file instead would need a second sync for each
write of the run.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from rules.records import NamedTuple

SLOT = 128


class Head(NamedTuple):
    """Shapes: `rows` counts what must be there at least; `chain` is the checksum of the last of them."""

    rows: int
    chain: bytes


class HeadFile:
    """The open head of one log; whoever appends to the log writes it after each synced commit.

    Errors: OSError.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        flags = os.O_CREAT | os.O_EXCL if create else 0
        self._descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | flags, 0o600)

    def read(self) -> bytes:
        """Return the whole file; it differs from an earlier reading whenever the head was written since."""
        return os.pread(self._descriptor, 2 * SLOT + 1, 0)

    def write(self, head: Head) -> None:
        """Write one slot."""
        os.pwrite(self._descriptor, _slot(head), SLOT * (head.rows % 2))

    def fill(self, head: Head) -> None:
        """Write both slots of a new file."""
        os.pwrite(self._descriptor, _slot(head) * 2, 0)

    def close(self) -> None:
        os.close(self._descriptor)


def parse_head(text: bytes) -> Head | None:
    """Return the later one of the two slots that are whole, or None where neither is."""
    heads = [head for at in (0, SLOT) if (head := _head(text[at : at + SLOT])) is not None]
    return max(heads, default=None)


def _slot(head: Head) -> bytes:
    text = f"{head.rows} {head.chain.hex()}"
    return f"{text} {_checksum(text)}".ljust(SLOT - 1).encode() + b"\n"


def _head(slot: bytes) -> Head | None:
    try:
        rows, chain, checksum = slot.decode().split()
        if checksum == _checksum(f"{rows} {chain}"):
            return Head(int(rows), bytes.fromhex(chain))
    except ValueError:
        pass
    return None


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
