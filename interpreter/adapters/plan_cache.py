"""Programs that were planned before, in the cache directory of the user.

What lies here is code: `cache_files` sees to its place. A program is used only when every document that it stands on
still has the bytes that it had.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from interpreter.adapters.cache_files import CacheFiles

_MAGIC = b"iplan003"


class PlanCache:
    """Shapes: `outside` are folders under which no cache may lie: that of the workflow, that of the runs."""

    def __init__(self, folder: Path | None, outside: tuple[PurePath, ...]) -> None:
        self._files = CacheFiles(folder, outside, _MAGIC)

    def read(self, parts: tuple[str | bytes, ...]) -> Any:
        """Return what was kept under these parts of a key, None where there is nothing to be trusted."""
        body = self._files.read(parts)
        if body is None:
            return None
        try:
            documents, kept = marshal.loads(body)
            if any(_digest_of(path) != digest for path, digest in documents):
                return None
            from interpreter.adapters.frozen import thaw

            return thaw(kept)
        except Exception:
            return None

    def write(self, parts: tuple[str | bytes, ...], documents: Mapping[str, bytes], kept: object) -> None:
        """Keep something with the digests of the documents that it stands on; that it cannot be kept is no error."""

        def body() -> bytes:
            from interpreter.adapters.frozen import freeze

            return marshal.dumps((tuple(documents.items()), freeze(kept)))

        self._files.write(parts, body)


def _digest_of(path: str) -> bytes:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).digest()
