"""Which programs that a run has started are still at work, also when the process that started them is gone.

A program may outlive the interpreter: nothing ends it when that is killed. Until it has ended, nobody can tell whether
its write happens. So it inherits a descriptor of a locked file in the run's folder, and so do its own children; the
system frees the lock when the last of them has ended. A program that closes what it inherits is not seen.

Each file holds its own number. In a copy of the folder it is another file, whose lock says nothing of a program that
has the first one: there nobody can tell, and the call counts as at work.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from interpreter import ports

FOLDER = "programs"
_SERVER = "server-"


class Holds:
    """`ports.Holds` over a run's folder; files and folder are made when they are first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._held: dict[str, int] = {}
        self._servers = 0

    def take(self, identity: str) -> int | None:
        name = identity
        if not name:
            self._servers += 1
            name = f"{_SERVER}{os.getpid()}-{self._servers}"
        if name not in self._held:
            with suppress(OSError):  # then nothing can tell
                self._folder.mkdir(mode=0o700, exist_ok=True)
                descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                self._held[name] = descriptor
                fcntl.flock(descriptor, fcntl.LOCK_SH)
                os.pwrite(descriptor, _number(descriptor), 0)
        return self._held.get(name)

    def let_go(self, identity: str) -> None:
        descriptor = self._held.pop(identity, None)
        if descriptor is not None:
            os.close(descriptor)
            self._remove(identity)

    def is_at_work(self, identity: str) -> bool:
        try:
            names = os.listdir(self._folder)
        except OSError:
            return False
        asked = (name for name in names if name == identity or name.startswith(_SERVER))
        return any(self._is_taken(name) for name in asked if name not in self._held)

    def close(self) -> None:
        while self._held:
            name, descriptor = self._held.popitem()
            os.close(descriptor)
            self._is_taken(name)  # removed, but where something still works on
        with suppress(OSError):
            self._folder.rmdir()

    def _is_taken(self, name: str) -> bool:
        """Say whether somebody may still have a file; one that nobody has is removed."""
        try:
            descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.pread(descriptor, 20, 0) not in (b"", _number(descriptor)):
                return True
        except OSError:
            return True
        finally:
            os.close(descriptor)
        self._remove(name)
        return False

    def _remove(self, name: str) -> None:
        with suppress(OSError):
            os.unlink(self._folder / name)


def _number(descriptor: int) -> bytes:
    return b"%d\n" % os.fstat(descriptor).st_ino


def hand_down(adapters: Iterable[Any], holds: ports.Holds) -> None:
    """Give adapters that start programs what tells how long these are at work."""
    for adapter in adapters:
        if hasattr(adapter, "hold_programs"):
            adapter.hold_programs(holds)


class NoHolds:
    """`ports.Holds` of a run that nothing outlives."""

    def take(self, identity: str) -> None:
        return None

    def let_go(self, identity: str) -> None:
        """Nothing is held."""

    def is_at_work(self, identity: str) -> bool:
        return False
