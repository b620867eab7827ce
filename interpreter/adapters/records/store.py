"""The records of one folder: what `record.yaml` says, and the segments that are there."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Mapping
from typing import Any

from interpreter.adapters.folders.failures import failure
from interpreter.adapters.folders.paths import Entry, Tree
from interpreter.adapters.records.failures import unreadable
from interpreter.source import Source
from rules.records import NamedTuple

HEAD = "record.yaml"
_ENDING = ".md"
_FIELDS: Mapping[str, type] = {
    "record": str,
    "title": str,
    "summary": str,
    "protected": bool,
    "segments": int,
    "sha256": str,
}
_REQUIRED = ("record", "title", "segments")
_WORDS: Mapping[type, tuple[str, str]] = {
    str: ("文本", "a text"),
    bool: (" true 或 false", "true or false"),
    int: ("整数", "a number"),
}
#: Units: bytes.
HEAD_BYTES, SEGMENT_BYTES = 64 << 10, 4 << 20


class Head(NamedTuple):
    """What `record.yaml` says."""

    title: str
    segments: int
    sha256: str
    summary: str | None
    protected: bool


class Stamp(NamedTuple):
    """What a record was read from; another stamp means that it is read again. Shapes: one entry for each file."""

    files: tuple[tuple[str, int, int, int], ...]


class Store:
    """A folder of records. Errors: ToolFailure in the words of the contract."""

    def __init__(self, root: str) -> None:
        if not root:
            raise failure(
                "store_unavailable",
                "没有设置记录文件夹；请用 --set settings.records=文件夹 指定",
                "no folder of records is set; give one with --set settings.records=FOLDER",
            )
        self._tree = Tree(root)
        self._look("")

    @property
    def root(self) -> str:
        return self._tree.root

    def stamps(self) -> dict[str, Stamp]:
        """Return the records that are there, by their ids, in order."""
        found = {}
        for entry in sorted(self._look(""), key=lambda entry: entry.name):
            if entry.is_folder and not entry.name.startswith("."):
                try:
                    files = self._tree.children(entry.path)
                except OSError:
                    files = []
                found[entry.name] = _stamp(files)
        return {record: stamp for record, stamp in found.items() if stamp.files}

    def head(self, record: str) -> Head:
        """Return what a record says of itself.

        Errors: ToolFailure `record_not_found`, `record_unreadable`, `record_encoding`.
        """
        path = f"{record}/{HEAD}"
        if not record or "/" in record or self._tree.entry(record) is None:
            raise failure("record_not_found", f"没有这条记录：{record}", f"there is no such record: {record}")
        if self._tree.entry(path) is None:
            raise unreadable(path, "没有这个文件", "there is no such file")
        text = self._text(path, HEAD_BYTES)
        return _head(path, record, _value(path, text))

    def segment(self, record: str, number: int) -> str | None:
        """Return a stored segment, counted from 1, letter for letter; None where it is missing.

        Errors: ToolFailure `record_unreadable`, `record_encoding`.
        """
        path = f"{record}/{number}{_ENDING}"
        return self._text(path, SEGMENT_BYTES) if self._tree.entry(path) is not None else None

    def numbers(self, record: str) -> list[int]:
        """Return the numbers of the segments that are there."""
        try:
            names = [entry.name for entry in self._tree.children(record)]
        except OSError:
            return []
        return sorted(int(name.removesuffix(_ENDING)) for name in names if _is_segment(name))

    def _text(self, path: str, limit: int) -> str:
        try:
            content, complete = self._tree.read(path, limit)
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno == errno.ELOOP:
                raise unreadable(path, "不会跟随链接", "links are not followed") from None
            raise unreadable(path, reason, reason) from None
        if not complete:
            raise unreadable(path, f"超过 {limit} 字节", f"it has more than {limit} bytes")
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise failure(
                "record_encoding",
                f"{path} 不是 UTF-8 文本（第 {error.start + 1} 个字节）；请另存为 UTF-8",
                f"{path} is no UTF-8 text (byte {error.start + 1}); save it as UTF-8",
            ) from None

    def _look(self, folder: str) -> list[Entry]:
        try:
            return self._tree.children(folder)
        except OSError as error:
            raise failure(
                "store_unavailable",
                f"记录文件夹 {self.root} 不能读取：{error.strerror}",
                f"the folder of records {self.root} cannot be read: {error.strerror}",
            ) from None


def seal(title: str, text: str) -> str:
    """Return what `sha256` of a record is."""
    return hashlib.sha256(f"{title}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _stamp(files: list[Entry]) -> Stamp:
    kept = [file for file in files if file.name == HEAD or _is_segment(file.name)]
    return Stamp(tuple(sorted((file.name, file.inode, file.size, file.modified) for file in kept)))


def _is_segment(name: str) -> bool:
    number = name.removesuffix(_ENDING)
    return name.endswith(_ENDING) and number.isdecimal() and number.isascii() and not number.startswith("0")


def _value(path: str, text: str) -> Any:
    from interpreter.diagnostics import errors_of
    from interpreter.yaml_tree import read_tree, to_value

    node, found = read_tree(Source(path, text))
    for one in errors_of(found):
        line = one.span.source.position(one.span.start).line if one.span else 1
        raise unreadable(path, f"第 {line} 行：{one.message.zh}", f"line {line}: {one.message.en}")
    return to_value(node) if node is not None else None


def _head(path: str, record: str, value: Any) -> Head:
    if not isinstance(value, dict):
        raise unreadable(path, "应为“名称: 值”的各行", "it should hold lines of name: value")
    for name in _REQUIRED:
        if name not in value:
            raise unreadable(path, f"缺少 {name}", f"{name} is missing")
    for name, found in value.items():
        if name.startswith("x-"):
            continue
        kind = _FIELDS.get(name)
        if kind is None:
            known = ", ".join(_FIELDS)
            raise unreadable(path, f"没有 {name} 这一项；可用的有 {known}", f"{name} is unknown; there are {known}")
        if type(found) is not kind:
            zh, en = _WORDS[kind]
            raise unreadable(path, f"{name} 应为{zh}", f"{name} wants {en}")
    if value["record"] != record:
        raise unreadable(path, f"record 应为文件夹的名称 {record}", f"record wants the name of its folder, {record}")
    if value["segments"] < 1:
        raise unreadable(path, "segments 至少为 1", "segments is at least 1")
    return Head(
        value["title"],
        value["segments"],
        value.get("sha256", ""),
        value.get("summary"),
        value.get("protected", False),
    )
