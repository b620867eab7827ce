"""Commands that begin where another one has read, checked and planned everything: forks of the process that ran it."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from tests.cli.forks import ROOT, Forks
from tests.cli.kit import Command, Ended


@cache
def _standing() -> Path:
    place = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return Path(place)


def standing(name: str, folder: Path) -> Path:
    """Return a place that stands for this folder until the next is named: a plan holds the places in its settings."""
    place = _standing() / name
    place.unlink(missing_ok=True)
    place.symlink_to(folder, target_is_directory=True)
    return place


@cache
def warmed(*first: str) -> Warm:
    """Return the process that has run a command with these arguments; there is one for each of them."""
    return Warm(first)


class Warm:
    """A process that has run one command; plans are kept once for all that come after."""

    def __init__(self, first: tuple[str, ...]) -> None:
        folder = tempfile.TemporaryDirectory()
        atexit.register(folder.cleanup)
        command = Command(Path(folder.name))
        self._forks = Forks(command.environment("en"), imports_all=False)
        self.first = self(command, first, forked=False)

    def __call__(
        self, command: Command, arguments: tuple[str, ...] | list[str], language: str = "en", *, forked: bool = True
    ) -> Ended:
        """Run one command as `command` would, but always from the same folder: a plan is kept for where it was made."""
        environment = command.environment(language, {"XDG_CACHE_HOME": str(self._forks.place / "cache")})
        return Ended(*self._forks(arguments, ROOT, environment, forked=forked))
