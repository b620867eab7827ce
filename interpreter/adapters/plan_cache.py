"""Programs that were planned before, in the cache directory of the user.

What lies here is code, so it is placed like code: in a folder that belongs to whoever runs the command and that nobody
else can enter, never under the project (a clone could bring a prepared one) or under `--home`. A file is used only when
its checksum holds, when it was made by these very sources under this Python, and when every document that it stands on
still has the bytes that it had. Any doubt, and any error, means the long way.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from interpreter import __version__

_MAGIC = b"iplan001"
_MOST_FILES = 64
_LARGEST = 64 * 1024 * 1024
_LIBRARIES = ("jinja2", "yaml")


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder of plans, None where the user has no place for it."""
    given = environment.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):  # a relative one is to be ignored, says the XDG specification
        return Path(given) / "interpreter" / "plans"
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return None
    below = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return Path(home) / below / "interpreter" / "plans"


class PlanCache:
    """Shapes: `outside` are folders under which no cache may lie: that of the workflow, that of the runs."""

    def __init__(self, folder: Path | None, outside: tuple[PurePath, ...]) -> None:
        self._folder = folder if folder is not None and not _is_below(folder, outside) else None

    def read(self, parts: tuple[str | bytes, ...]) -> Any:
        """Return what was kept under these parts of a key, None where there is nothing to be trusted."""
        if self._folder is None:
            return None
        try:
            if not _is_private(os.lstat(self._folder), stat.S_ISDIR):
                return None
            data = _read_private(self._folder / _name_of(parts))
            if data[:8] != _MAGIC or hashlib.sha256(data[40:]).digest() != data[8:40]:
                return None
            documents, kept = marshal.loads(data[40:])
            if any(_digest_of(path) != digest for path, digest in documents):
                return None
            from interpreter.adapters.frozen import thaw

            return thaw(kept)
        except Exception:
            return None

    def write(self, parts: tuple[str | bytes, ...], documents: Mapping[str, bytes], kept: object) -> None:
        """Keep something with the digests of the documents that it stands on; that it cannot be kept is no error."""
        if self._folder is None:
            return
        with suppress(Exception):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_private(os.lstat(self._folder), stat.S_ISDIR):
                return
            from interpreter.adapters.frozen import freeze

            body = marshal.dumps((tuple(documents.items()), freeze(kept)))
            _write_whole(self._folder / _name_of(parts), _MAGIC + hashlib.sha256(body).digest() + body)
            self._prune(self._folder)

    def _prune(self, folder: Path) -> None:
        files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        for file in files[_MOST_FILES:]:
            file.unlink(missing_ok=True)


def _digest_of(path: str) -> bytes:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).digest()


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


def _name_of(parts: tuple[str | bytes, ...]) -> str:
    made = hashlib.sha256()
    for part in (_sources(), *parts):
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "big"))
        made.update(data)
    return made.hexdigest()


def _sources() -> bytes:
    """Return what a plan depends on beside its documents: our version and sources, the libraries, this Python.

    Errors: OSError where the sources do not lie in folders.
    """
    made = hashlib.sha256()
    switches = (sys.flags.optimize, "no_debug_ranges" in sys._xoptions)
    made.update(repr((_MAGIC, __version__, sys.version, sys.implementation.cache_tag, switches)).encode())
    packages = Path(__file__).parents[2]
    for package in ("interpreter", "rules"):
        for folder, inner, names in os.walk(packages / package):
            inner.sort()
            for name in sorted(names):
                if name.endswith(".py"):
                    found = os.stat(os.path.join(folder, name))
                    made.update(f"{name} {found.st_size} {found.st_mtime_ns}\n".encode())
            if "__pycache__" in inner:
                inner.remove("__pycache__")
    from importlib.util import find_spec

    for library in _LIBRARIES:
        spec = find_spec(library)
        found = os.stat(str(spec.origin if spec is not None else ""))
        made.update(f"{library} {found.st_size} {found.st_mtime_ns}\n".encode())
    return made.digest()
