"""Where pages come from, the web or a folder: what both give, and how both fail."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol

from interpreter.adapters.web.addresses import Target
from rules.records import NamedTuple


class Answer(NamedTuple):
    """Shapes: header names in small letters; `read_at` is ISO 8601 where the page was read earlier, else None."""

    status: int
    headers: list[tuple[str, str]]
    chunks: Iterable[bytes]
    read_at: str | None

    def header(self, name: str) -> str:
        """Return the first header of a name, '' where there is none."""
        return next((value for found, value in self.headers if found == name), "")


class Unreachable(Exception):
    """A page that did not answer; `code` is one of the contract."""

    def __init__(self, code: str, reason: str, detail: str = "") -> None:
        self.code = code
        self.reason = reason
        self.detail = detail
        super().__init__(code, reason, detail)


class Source(Protocol):
    def get(self, target: Target, deadline: float) -> AbstractContextManager[Answer]:
        """Errors: Refused, Unreachable."""

    def identity(self) -> str:
        """Return what is read from, for the record of a run."""
