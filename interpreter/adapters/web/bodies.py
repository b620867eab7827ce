"""A body as it comes in, unpacked as it comes and cut at the limit: never more of it is held than is kept.

Content codings are gzip and deflate, one of them at most; anything else is refused, since a chain of codings is how a
small answer becomes a huge one. What unpacks to more than the ratio allows is refused, not cut: no page does that. The
ratio is that of the bytes which were unpacked so far, not of those that came, so that a body that is cut is held to it
too. A body that breaks off, or does not end in time, was read as far as it came.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from rules.records import NamedTuple

#: Units: bytes. Below this much text any ratio is accepted: a page of blanks is small, however well it is packed.
_FREE_OF_RATIO = 1 << 20
_PIECE = 1 << 18
_GZIP = b"\x1f\x8b"
_BY_HEAD = 32 + zlib.MAX_WBITS  # gzip or zlib, whichever the first bytes say
_BARE = -zlib.MAX_WBITS


class Body(NamedTuple):
    content: bytes
    is_cut: bool


class BadCoding(Exception):
    """`reason` is `unknown_coding`, `damaged_coding` or `ratio`."""

    def __init__(self, reason: str, found: str = "") -> None:
        self.reason = reason
        self.found = found
        super().__init__(reason, found)


class BrokenOff(Exception):
    """Raised by whatever gives the chunks when no more will come."""


def read_body(chunks: Iterable[bytes], coding: str, at_most: int, ratio: int) -> Body:
    """Return a body unpacked, cut where it is longer than `at_most` bytes or breaks off.

    Errors: BadCoding; BrokenOff where nothing came at all.
    """
    source = _Unpacking(chunks, coding.strip().lower(), ratio)
    parts: list[bytes] = []
    size = 0
    try:
        for part in source:
            parts.append(part)
            size += len(part)
            if size > at_most:
                return Body(b"".join(parts)[:at_most], True)
    except BrokenOff:
        if not size:
            raise
        return Body(b"".join(parts), True)
    return Body(b"".join(parts), not source.is_whole)


class _Unpacking:
    """The unpacked pieces of a body. `is_whole` says in the end whether the packed stream came to its own end."""

    def __init__(self, chunks: Iterable[bytes], coding: str, ratio: int) -> None:
        self._chunks = chunks
        self._coding = coding
        self._ratio = ratio
        self._packed = self._unpacked = 0
        self.is_whole = True

    def __iter__(self) -> Iterator[bytes]:
        if self._coding in ("", "identity"):
            return iter(self._chunks)
        if self._coding in ("gzip", "x-gzip", "deflate"):
            return self._inflated()
        raise BadCoding("unknown_coding", self._coding[:40])

    def _inflated(self) -> Iterator[bytes]:
        unpacker: zlib._Decompress | None = None
        self.is_whole = False
        for rest in self._chunks:
            while rest:
                if unpacker is None:
                    if self.is_whole and not rest.startswith(_GZIP):
                        return  # what stands behind the last member is no part of the body
                    unpacker, self.is_whole = _unpacker(rest), False
                yield from self._pieces(unpacker, rest)
                rest = b""
                if unpacker.eof:
                    rest, unpacker, self.is_whole = unpacker.unused_data, None, True

    def _pieces(self, unpacker: zlib._Decompress, packed: bytes) -> Iterator[bytes]:
        while True:
            try:
                piece = unpacker.decompress(packed, _PIECE)
            except zlib.error as error:
                if self._unpacked:
                    raise BrokenOff from None  # damage behind a good part
                raise BadCoding("damaged_coding", str(error)) from None
            self._packed += len(packed) - len(unpacker.unconsumed_tail) - len(unpacker.unused_data)
            self._unpacked += len(piece)
            if self._unpacked > max(_FREE_OF_RATIO, self._packed * self._ratio):
                raise BadCoding("ratio", str(self._ratio))
            if piece:
                yield piece
            packed = unpacker.unconsumed_tail
            if unpacker.eof or (not packed and len(piece) < _PIECE):
                return


def _unpacker(first: bytes) -> zlib._Decompress:
    """Return what unpacks gzip, zlib, or the bare stream that some servers call deflate."""
    try:
        zlib.decompressobj(_BY_HEAD).decompress(first, 1)
    except zlib.error:
        return zlib.decompressobj(_BARE)
    return zlib.decompressobj(_BY_HEAD)
