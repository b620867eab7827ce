"""Reading archives (DOCX, XLSX, PPTX and the like) without trusting what they say of their sizes."""

from __future__ import annotations

import io
import zipfile

from interpreter.adapters.children.limits import Limits
from interpreter.adapters.children.unreadable import Unreadable

_PIECE = 1 << 16
#: A small file may be packed far better than any ratio: a kilobyte of blanks is no bomb.
_FREE_OF_RATIO = 1 << 20


class Archive:
    """The parts of a ZIP file; what all of them together unpack to is counted as it is read.

    Errors: Unreadable `not_an_archive`, `damaged`, `encrypted`, `unpacked_too_large`.
    """

    def __init__(self, body: bytes, limits: Limits) -> None:
        self._limits = limits
        self._packed = len(body)
        self._unpacked = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            raise Unreadable("not_an_archive") from None

    def names(self) -> list[str]:
        return self._zip.namelist()

    def part(self, name: str) -> bytes | None:
        """Return the content of a part, or None where there is none of that name."""
        try:
            entry = self._zip.getinfo(name)
        except KeyError:
            return None
        if entry.flag_bits & 1:
            raise Unreadable("encrypted")
        pieces = []
        try:
            with self._zip.open(entry) as source:
                while piece := source.read(_PIECE):
                    self._count(len(piece))
                    pieces.append(piece)
        except Unreadable:
            raise
        except MemoryError:
            raise
        except Exception:  # zlib, lzma, bz2 and zipfile each have their own
            raise Unreadable("damaged", part=name) from None
        return b"".join(pieces)

    def _count(self, size: int) -> None:
        self._unpacked += size
        most = min(self._limits.unpacked_bytes, max(_FREE_OF_RATIO, self._packed * self._limits.ratio))
        if self._unpacked > most:
            raise Unreadable("unpacked_too_large", bytes=self._unpacked, at_most=most)
