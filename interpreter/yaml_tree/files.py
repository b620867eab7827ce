"""Bytes to text: UTF-8 and nothing else, and a finding that says what a file holds instead."""

from __future__ import annotations

from pathlib import Path

from interpreter.diagnostics import Diagnostic, Words, finding, nearest
from interpreter.source import Source, Span

LARGEST_TEXT = 4_000_000
"""Units: characters. Far above any document that a person writes; keeps hostile ones from costing seconds."""


def read_source(path: Path | str, display_name: str) -> tuple[Source | None, list[Diagnostic]]:
    """Return a file's text, or why it cannot be read. UTF-8 with or without a byte order mark, nothing else."""
    place = Span(Source(display_name, ""), 0, 0)
    try:
        path = Path(path)
        if path.is_dir():
            return None, [finding("yaml/file-is-folder", place, name=display_name)]
        if not path.exists():
            return None, [finding("yaml/file-missing", place, hint=_near_file(path), name=display_name)]
        if not path.is_file():
            return None, [finding("yaml/file-unreadable", place, name=display_name, reason="not a regular file")]
        with path.open("rb") as stream:
            content = stream.read(LARGEST_TEXT * 4 + 1)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "unusable file name"
        return None, [finding("yaml/file-unreadable", place, name=display_name, reason=reason)]
    return decode_source(content, display_name)


def _near_file(path: Path) -> Words | None:
    """Return a hint with the file beside it whose name is nearest, None where none is near."""
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return None
    near = nearest(path.name, names)
    return (
        Words(f"是不是想写 {path.parent / near}？", f"did you mean {path.parent / near}?") if near is not None else None
    )


def decode_source(content: bytes, display_name: str) -> tuple[Source | None, list[Diagnostic]]:
    """Return the text of some bytes, or a finding that names their encoding."""
    place = Span(Source(display_name, ""), 0, 0)
    if len(content) > LARGEST_TEXT * 4:
        return None, [finding("yaml/too-large", place, limit=LARGEST_TEXT)]
    encoding = _marked_encoding(content)
    if encoding is not None:
        return None, [finding("yaml/encoding", place, name=display_name, encoding=encoding)]
    try:
        return Source(display_name, content.removeprefix(b"\xef\xbb\xbf").decode("utf-8")), []
    except UnicodeDecodeError as error:
        encoding = _guessed_encoding(content)
        if encoding is not None:
            return None, [finding("yaml/encoding", place, name=display_name, encoding=encoding)]
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"0x{content[error.start]:02X}"
        return None, [finding("yaml/not-utf-8", place, name=display_name, line=line, byte=byte)]


def _marked_encoding(content: bytes) -> str | None:
    """Return the encoding that a byte order mark or zero bytes between ASCII characters give away."""
    if content.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "UTF-32"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    head = content[:2000]
    if len(head) >= 4 and max(head[0::2].count(0), head[1::2].count(0)) * 5 > len(head):
        return "UTF-16"
    return None


def _guessed_encoding(content: bytes) -> str | None:
    """Return GBK where the bytes read as Chinese in it."""
    try:
        text = content.decode("gb18030")
    except UnicodeDecodeError:
        return None
    odd = [mark for mark in text if mark > "\x7f"]
    chinese = sum("\u4e00" <= mark <= "\u9fff" or "\u3000" <= mark <= "\u303f" or mark > "\uff00" for mark in odd)
    return "GBK" if chinese * 10 >= len(odd) * 9 else None
