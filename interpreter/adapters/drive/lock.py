"""The drive's lock: one process at a time writes, or gives ids to what it found."""

from __future__ import annotations

import fcntl
import os

from interpreter.adapters.folders.paths import Tree

LOCK = "lock"
_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class Lock:
    """Held in a `with` block, also inside another one of the same drive; it goes with the process that holds it."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._descriptor = -1
        self._depth = 0

    def __enter__(self) -> None:
        if self._depth == 0:
            with self._tree.open_folder(self._tree.own) as own:
                self._descriptor = os.open(LOCK, _OPEN, 0o600, dir_fd=own)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            os.close(self._descriptor)
