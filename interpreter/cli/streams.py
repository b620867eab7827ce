"""Standard streams whose reader may leave: how a command ends does not depend on who reads it."""

from __future__ import annotations

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import IO, Any, TextIO


def outlive_readers() -> None:
    """Let what this process prints go nowhere once its reader has left, as with `| head`, or where there is none."""
    sys.stdout = _lasting(sys.stdout, sys.__stdout__)
    sys.stderr = _lasting(sys.stderr, sys.__stderr__)


def _lasting(stream: TextIO | None, own: object) -> TextIO:
    if stream is None:  # closed by whoever started this process
        return TextIOWrapper(BufferedWriter(_Outliving(_nowhere(), "wb", closefd=False)), encoding="utf-8")
    return outliving(stream) if stream is own else stream


def outliving(stream: TextIO) -> TextIO:
    """Return a stream to the same place that outlives its reader."""
    is_unbuffered = bool(getattr(stream, "write_through", False))
    raw = _Outliving(stream.fileno(), "wb", closefd=False)
    return TextIOWrapper(
        raw if is_unbuffered else BufferedWriter(raw),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=bool(stream.line_buffering),
        write_through=is_unbuffered,
    )


def leave_unread(stream: IO[str] | None) -> None:
    """Let what is still to be printed go nowhere, so that leaving does not try to print it once more."""
    if stream is not None:
        _lead_nowhere(stream.fileno())


def _lead_nowhere(number: int) -> None:
    os.dup2(_nowhere(), number)


def _nowhere() -> int:
    return os.open(os.devnull, os.O_WRONLY)


class _Outliving(FileIO):
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            _lead_nowhere(self.fileno())
            return super().write(data)
