"""Where documents come from: the disk, or texts that a run recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Protocol

from interpreter.diagnostics import Diagnostic, finding
from interpreter.disk import Files
from interpreter.source import Source, Span
from interpreter.yaml_tree import read_source


class Reader(Protocol):
    """Gives the text of a document, or the finding that says why there is none."""

    def read(self, path: PurePath) -> str | Diagnostic: ...

    def names(self, folder: PurePath) -> Iterable[str]:
        """Return the names of the documents in a folder, for proposals; nothing where they cannot be told."""
        ...


class Disk:
    """Reads files. Errors: `yaml/file-…`, `yaml/encoding`, `yaml/not-utf-8`."""

    def __init__(self, files: Files | None = None) -> None:
        self._files = files or Files()

    def read(self, path: PurePath) -> str | Diagnostic:
        source, problems = read_source(str(path), str(path), self._files)
        return source.text if source is not None else problems[0]

    def names(self, folder: PurePath) -> Iterable[str]:
        return self._files.names(str(folder))


class Recorded:
    """Reads from texts by their names, `x.yaml` or `rules/limits.yaml`, as `Documents.sources` holds them."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def read(self, path: PurePath) -> str | Diagnostic:
        text = self._texts.get(path.as_posix())
        return text if text is not None else _missing(path.as_posix())

    def names(self, folder: PurePath) -> Iterable[str]:
        return sorted(PurePath(name).stem for name in self._texts if PurePath(name).parent == folder)


def _missing(name: str) -> Diagnostic:
    return finding("yaml/file-missing", Span(Source(name, ""), 0, 0), name=name)
