"""Files in the cache directory of the user: what was made before, and is believed only where nothing speaks against it.

They lie in a folder that belongs to whoever runs the command and that nobody else can enter, never under the project
(a clone could bring a prepared one) or under `--home`. A file is used only when its checksum holds and when it was made
by these very sources under this Python. Any doubt, and any error, means the long way.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final

from interpreter import __version__

_MOST_FILES = 64
_LARGEST = 64 * 1024 * 1024
LIBRARIES: Final = ("jinja2", "jsonschema_rs", "markupsafe", "publicsuffixlist", "yaml")
"""What the reading, checking and planning of documents depends on beside our own sources."""


def cache_folder(kind: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder of one kind of kept things, None where the user has no place for it."""
    given = environment.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):  # a relative one is to be ignored, says the XDG specification
        return Path(given) / "interpreter" / kind
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return None
    below = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return Path(home) / below / "interpreter" / kind


class CacheFiles:
    """Files of one kind.

    Shapes: `magic` are eight bytes with which each begins; `outside` are folders under which no cache may lie: that of
    the documents, that of the runs.
    """

    def __init__(self, folder: Path | None, outside: tuple[PurePath, ...], magic: bytes) -> None:
        self._folder = folder if folder is not None and not _is_below(folder, outside) else None
        self._magic = magic
        self._made_by: bytes | None = None

    def read(self, parts: tuple[str | bytes, ...]) -> bytes | None:
        """Return what was kept under these parts of a key, None where there is nothing to be trusted."""
        if self._folder is None:
            return None
        try:
            if not _is_private(os.lstat(self._folder), stat.S_ISDIR):
                return None
            data = _read_private(self._folder / self._name_of(parts))
        except Exception:
            return None
        is_whole = data[:8] == self._magic and hashlib.sha256(data[40:]).digest() == data[8:40]
        return data[40:] if is_whole else None

    def write(self, parts: tuple[str | bytes, ...], body: Callable[[], bytes]) -> None:
        """Keep something, which is made only where it can be kept; that it cannot is no error."""
        if self._folder is None:
            return
        with suppress(Exception):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_private(os.lstat(self._folder), stat.S_ISDIR):
                return
            data = body()
            _write_whole(self._folder / self._name_of(parts), self._magic + hashlib.sha256(data).digest() + data)
            _prune(self._folder)

    def _name_of(self, parts: tuple[str | bytes, ...]) -> str:
        if self._made_by is None:  # once: what is kept at the end was made by the sources of the beginning
            self._made_by = _sources()
        made = hashlib.sha256(self._magic)
        for part in (self._made_by, *parts):
            data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
            made.update(len(data).to_bytes(8, "big"))
            made.update(data)
        return made.hexdigest()


def _prune(folder: Path) -> None:
    files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    for file in files[_MOST_FILES:]:
        file.unlink(missing_ok=True)


def _is_below(folder: Path, outside: tuple[PurePath, ...]) -> bool:
    place = os.path.realpath(folder)
    return any(os.path.commonpath((place, os.path.realpath(one))) == os.path.realpath(one) for one in outside)


def _is_private(found: os.stat_result, has_kind: Callable[[int], bool]) -> bool:
    return has_kind(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def _read_private(path: Path) -> bytes:
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(file)
        if not _is_private(found, stat.S_ISREG) or found.st_size > _LARGEST:
            raise OSError(f"not a private file: {path}")
        with os.fdopen(os.dup(file), "rb") as stream:
            return stream.read()
    finally:
        os.close(file)


def _write_whole(path: Path, data: bytes) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
        os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _sources() -> bytes:
    """Return what a kept thing depends on beside the documents: our version and sources, the libraries, this Python.

    Errors: OSError where the sources do not lie in folders.
    """
    made = hashlib.sha256()
    switches = (sys.flags.optimize, "no_debug_ranges" in sys._xoptions)
    made.update(repr((__version__, sys.version, sys.implementation.cache_tag, switches)).encode())
    for folder in _own_folders():
        for place, inner, names in os.walk(folder):
            if "__pycache__" in inner:
                inner.remove("__pycache__")
            inner.sort()
            for name in sorted(names):
                _add(made.update, name, os.path.join(place, name))
    from importlib.util import find_spec

    for library in LIBRARIES:
        spec = find_spec(library)
        _add(made.update, library, str(spec.origin if spec is not None else ""))
    return made.digest()


def _own_folders() -> Iterator[Path]:
    """Yield the folders of our code, and of the schemas: a wheel holds them inside, a clone beside the packages."""
    packages = Path(__file__).parents[2]
    yield packages / "interpreter"
    yield packages / "rules"
    if not (packages / "interpreter" / "schemas").is_dir():
        yield packages / "schemas"


def _add(update: Callable[[bytes], None], name: str, path: str) -> None:
    found = os.stat(path)
    update(f"{name} {found.st_size} {found.st_mtime_ns}\n".encode())
