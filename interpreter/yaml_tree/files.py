"""Bytes to text: UTF-8 and nothing else, and a finding that says what a file holds instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from interpreter.diagnostics import Diagnostic, Words, finding, nearest
from interpreter.disk import ENDINGS, LARGEST_FILE, Files, NoContent
from interpreter.source import Source, Span
from rules.patterns import regex

_CONTROL: Final = regex(r"[\x00-\x08\x0b\x0e-\x1f]")
"""Characters that no text holds."""
_CHINESE: Final = regex(r"[\u4e00-\u9fff\u3000-\u303f\uff01-\uffff\u2010-\u2027\u2190-\u2193·×]")
"""Ideographs, and the marks that stand between them."""

LARGEST_TEXT = LARGEST_FILE // 4
"""Units: characters. Far above any document that a person writes; keeps hostile ones from costing seconds."""

_USUAL = "specs"
"""The folder in which workflows are kept as a rule."""


def read_source(
    path: Path | str, display_name: str, files: Files | None = None
) -> tuple[Source | None, list[Diagnostic]]:
    """Return a file's text, or why it cannot be read. UTF-8 with or without a byte order mark, nothing else."""
    content = (files or Files()).content(str(path))
    if not isinstance(content, NoContent):
        return decode_source(content, display_name)
    place = Span(Source(display_name, ""), 0, 0)
    if content.kind == "folder":
        return None, [finding("yaml/file-is-folder", place, name=display_name)]
    if content.kind == "device":
        return None, [finding("yaml/file-is-device", place, name=display_name)]
    if content.kind == "missing":
        return None, [finding("yaml/file-missing", None, hint=near_file(Path(path)), name=display_name)]
    return None, [finding("yaml/file-unreadable", place, name=display_name, reason=content.reason)]


def document_names(folder: Path | str) -> list[str]:
    """Return the names of the YAML files in a folder, without their ending; none of a folder that cannot be read."""
    return list(Files().names(str(folder)))


def near_file(path: Path, folders: Sequence[str] = (_USUAL,)) -> Words | None:
    """Return a hint with the file that is meant: the name without its ending or folder, else the nearest one there.

    None where none is near. Shapes: `folders` are where such documents are kept as a rule.
    """
    try:
        meant = next((one for one in _places(path, folders) if one.is_file()), None)
        meant = meant or _nearest_folder(path) or _nearest_in(path, folders)
    except OSError:  # a folder that cannot be entered
        return None
    return Words(f"是不是想写 {meant}？", f"did you mean {meant}?") if meant is not None else None


def _places(path: Path, folders: Sequence[str]) -> Iterator[Path]:
    """Yield where a document may stand that was named by its name alone."""
    names = [path.name] if path.suffix in ENDINGS else [path.name + ending for ending in ENDINGS]
    usual = [start / folder for start in (path.parent, path.parent.parent) for folder in folders]
    for folder in (path.parent, *usual):
        yield from (folder / name for name in names)


def _nearest_folder(path: Path) -> Path | None:
    """Return the folder beside a place without an ending whose name is nearest."""
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_dir()] if not path.suffix else []
    except OSError:
        return None
    near = nearest(path.name, [name for name in names if not name.startswith(".")])
    return path.parent / near if near is not None else None


def _nearest_in(path: Path, folders: Sequence[str]) -> Path | None:
    """Return the document whose name without its ending is nearest, of those in the usual folders."""
    named: dict[str, Path] = {}
    for folder in (path.parent, *(path.parent / one for one in folders)):
        for name in document_names(folder):
            named.setdefault(name, folder)
    near = nearest(path.stem, named)
    if near is None:
        return None
    ending = next((one for one in ENDINGS if (named[near] / (near + one)).exists()), ENDINGS[0])
    return named[near] / (near + ending)


def decode_source(content: bytes, display_name: str) -> tuple[Source | None, list[Diagnostic]]:
    """Return the text of some bytes, or a finding that names their encoding."""
    place = Span(Source(display_name, ""), 0, 0)
    if len(content) > LARGEST_FILE:
        return None, [finding("yaml/too-large", place, limit=LARGEST_TEXT)]
    encoding = _marked_encoding(content)
    if encoding is not None:
        return None, [finding("yaml/encoding", place, name=display_name, encoding=encoding)]
    try:
        return Source(display_name, content.removeprefix(b"\xef\xbb\xbf").decode("utf-8")), []
    except UnicodeDecodeError as error:
        # A file that was cut ends inside of a character, and is UTF-8 up to there.
        is_cut = error.end == len(content) and "end" in error.reason
        if not is_cut and reads_as_gbk(content):
            return None, [finding("yaml/encoding", place, name=display_name, encoding="GBK")]
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


def reads_as_gbk(content: bytes) -> bool:
    """Say whether bytes that are no UTF-8 read as Chinese in GBK, in characters that are common: others fit many."""
    try:
        text = content.decode("gb18030")
    except UnicodeDecodeError:
        return False
    odd = "".join(mark for mark in text if mark > "\x7f")
    chinese = sum(_CHINESE.match(mark) is not None for mark in odd)
    common = len(odd.encode("gb2312", "ignore")) // 2
    return _CONTROL.search(text) is None and chinese * 10 >= len(odd) * 9 and common * 2 >= len(odd)
