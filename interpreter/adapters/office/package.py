"""What every office file is looked at for before a library opens it: its parts unpack within the limits, none of them
holds a document type (through which a short text becomes an endless one), and none holds macros.
"""

from __future__ import annotations

from typing import Any

from interpreter.adapters.children.limits import Limits
from interpreter.adapters.children.unpacking import Archive
from interpreter.adapters.children.unreadable import Unreadable

#: How a file begins that is no archive but a container of streams: an old format, or one locked by a password.
_CONTAINER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
_MACROS = "vbaproject.bin"
_MARKUP = (".xml", ".rels")
_DOCUMENT_TYPE = (b"<!DOCTYPE", b"<!ENTITY")


def check_package(parameters: dict[str, Any], body: bytes) -> None:
    """Errors: Unreadable `encrypted`, `old_format`, `has_macros`, `damaged`, `not_an_archive`, `unpacked_too_large`."""
    if body.startswith(_CONTAINER):
        raise Unreadable("encrypted" if _LOCKED in body else "old_format")
    limits = Limits(unpacked_bytes=parameters["unpacked_bytes"], ratio=parameters["ratio"])
    archive = Archive(body, limits)
    for name in archive.names():
        if name.rpartition("/")[2].lower() == _MACROS:
            raise Unreadable("has_macros")
    for name in archive.names():
        part = archive.part(name)
        if part is not None and name.lower().endswith(_MARKUP):
            plain = part.replace(b"\0", b"") if part[:2] in (b"\xff\xfe", b"\xfe\xff") else part
            if any(mark in plain for mark in _DOCUMENT_TYPE):
                raise Unreadable("damaged", part=name)


class Text:
    """Paragraphs as they are collected, up to so many characters."""

    def __init__(self, at_most: int) -> None:
        self._left = at_most
        self._parts: list[str] = []
        self.is_cut = False

    def add(self, paragraph: str) -> None:
        if self.is_cut:
            return
        if len(paragraph) > self._left:
            paragraph, self.is_cut = paragraph[: self._left], True
        self._left -= len(paragraph)
        self._parts.append(paragraph)

    def joined(self, between: str = "\n\n") -> str:
        return between.join(part for part in self._parts if part.strip())

    def answer(self) -> dict[str, Any]:
        return {"text": self.joined(), "is_cut": self.is_cut}
