"""Documents in which nothing was found, in the cache directory of the user: they are looked at again once one changes.

What `lint` finds follows from the program and from what the disk answers to its questions (`disk`), and from nothing
else: while it works, each question is noted with a digest of the answer. As long as the same questions have the same
answers, it would ask the same again and come to the same end. So a document that was changed, deleted, added or
renamed is seen, also one that was looked for and not found. Only that nothing was found is kept: no words, no code.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path, PurePath

from interpreter.adapters.cache_files import CacheFiles
from interpreter.disk import Files, NoContent

_MAGIC = b"ilint001"
_QUESTIONS = ("content", "names", "below")


class NotedFiles(Files):
    """The files of this machine, with a note of everything that was asked."""

    def __init__(self) -> None:
        self.noted: dict[tuple[str, str], str] = {}
        self.is_steady = True
        """Whether no question had one answer first and another one later."""

    def content(self, path: str) -> bytes | NoContent:
        answer = super().content(path)
        self._note("content", path, answer)
        return answer

    def names(self, folder: str) -> tuple[str, ...]:
        answer = super().names(folder)
        self._note("names", folder, answer)
        return answer

    def below(self, folder: str) -> tuple[str, ...] | None:
        answer = super().below(folder)
        self._note("below", folder, answer)
        return answer

    def _note(self, question: str, path: str, answer: object) -> None:
        digest = _digest_of(answer)
        if self.noted.setdefault((question, path), digest) != digest:
            self.is_steady = False


class LintCache:
    """What is known of the documents at some paths, seen from the folder in which the command runs."""

    def __init__(self, folder: Path | None, paths: Sequence[PurePath]) -> None:
        outside = tuple(path if os.path.isdir(path) else path.parent for path in paths)
        self._files = CacheFiles(folder, outside, _MAGIC)
        self._parts = (os.getcwd(), *map(str, paths))

    def is_clean(self) -> bool:
        """Say whether nothing is wrong with the documents as they lie there now; False where that is not known."""
        body = self._files.read(self._parts)
        if body is None:
            return False
        try:
            noted = json.loads(body)
            return all(_answered_now(question, path) == digest for question, path, digest in noted)
        except Exception:
            return False

    def keep(self, files: NotedFiles) -> None:
        """Remember that nothing was found in documents that were read from these files."""
        if files.is_steady:
            noted = [(question, path, digest) for (question, path), digest in files.noted.items()]
            self._files.write(self._parts, lambda: json.dumps(noted).encode())


def _answered_now(question: str, path: str) -> str:
    if question not in _QUESTIONS:
        raise ValueError(question)
    return _digest_of(getattr(Files(), question)(path))


def _digest_of(answer: object) -> str:
    data = answer if isinstance(answer, bytes) else repr(answer).encode("utf-8", "backslashreplace")
    return hashlib.sha256(type(answer).__name__.encode() + b" " + data).hexdigest()
