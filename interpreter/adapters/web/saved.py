"""Pages saved in a folder, each with a YAML file that says where it came from.

    url: https://www.example.com/notice
    status: 200
    headers: {content-type: text/html; charset=gb2312}
    fetched_at: "2026-01-16T08:00:00Z"
    body: notice.html                # beside it, in whatever bytes the server sent; left out: no body
    search: {title: …, snippet: …}   # what a search shows for it; left out: what the page itself says
    fails: timed_out                 # instead of an answer: timed_out or page_unreachable

They are answered like the web answers, redirects and failures included, and read by the same code.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from interpreter.adapters.web.addresses import OwnAddresses, Refused, Target, check_name, read_address
from interpreter.adapters.web.failures import failure
from interpreter.adapters.web.source import Answer, Unreachable
from interpreter.ports import ToolFailure
from rules.records import NamedTuple

_KEYS = frozenset({"url", "status", "headers", "fetched_at", "body", "search", "fails"})
_FAILS = frozenset({"timed_out", "page_unreachable"})
_PIECE = 1 << 16


class Saved(NamedTuple):
    """One saved page. Shapes: `body` is None where there is none; `stamp` changes when one of its files does."""

    name: str
    target: Target
    status: int
    headers: list[tuple[str, str]]
    fetched_at: str
    body: Path | None
    search: Mapping[str, Any]
    fails: str
    stamp: str


class SavedPages:
    """The pages of a folder, in place of the web. Shapes: `own` are names and addresses that pass for public ones."""

    def __init__(self, folder: str, own: OwnAddresses | None = None) -> None:
        self._own = own or OwnAddresses()
        self.folder = Path(os.path.abspath(os.path.expanduser(folder)))
        if not self.folder.is_dir():
            raise failure(
                "unavailable",
                f"没有文件夹 {self.folder}；请用 --set settings.pages=文件夹 指定存放网页的文件夹",
                f"there is no folder {self.folder}; name the folder of saved pages with --set settings.pages=FOLDER",
            )

    def identity(self) -> str:
        return f"saved pages in {self.folder}"

    @cached_property
    def pages(self) -> dict[str, Saved]:
        """Return the pages by their address, in the order of their names.

        Errors: ToolFailure `unavailable` that names the file.
        """
        found: dict[str, Saved] = {}
        for path in sorted(self.folder.rglob("*.yaml")):
            page = self._read(path)
            before = found.get(page.target.url)
            if before is not None:
                raise self._wrong(path, f"{before.name} 也是 {page.target.url}", f"{before.name} is the same address")
            found[page.target.url] = page
        return found

    def stamp(self, page: Saved) -> str:
        """Return what changes when a page changes, or the robots.txt of its site."""
        robots = self.pages.get(f"{page.target.origin}/robots.txt")
        return f"{page.stamp} {robots.stamp if robots is not None else ''}"

    @contextmanager
    def get(self, target: Target, deadline: float) -> Iterator[Answer]:
        """Errors: Refused as on the web, as far as an address itself tells; Unreachable."""
        check_name(target, self._own)
        page = self.pages.get(target.url)
        if page is None:
            if target.path == "/robots.txt":
                yield Answer(404, [], (), None)
                return
            raise Unreachable("page_unreachable", "not_saved")
        if page.fails:
            raise Unreachable(page.fails, "saved")
        yield Answer(page.status, page.headers, _chunks(page.body), page.fetched_at)

    def _read(self, path: Path) -> Saved:
        name = path.relative_to(self.folder).as_posix()
        fields = self._fields(path)
        unknown = sorted(set(fields) - _KEYS)
        if unknown:
            raise self._wrong(path, f"不认识 {unknown[0]}", f"there is no key {unknown[0]}")
        body = self._body(path, fields.get("body"))
        return Saved(
            name,
            self._target(path, fields.get("url")),
            self._status(path, fields),
            self._headers(path, fields.get("headers")),
            str(fields.get("fetched_at") or ""),
            body,
            self._mapping(path, "search", fields.get("search")),
            self._fails(path, fields.get("fails")),
            _stamp(path, body),
        )

    def _fields(self, path: Path) -> Mapping[str, Any]:
        from interpreter.diagnostics import has_errors
        from interpreter.yaml_tree import read_source, read_tree, to_value

        source, findings = read_source(path, path.name)
        node = None
        if source is not None:
            node, findings = read_tree(source)
        if node is None or has_errors(findings):
            first = findings[0].message if findings else None
            raise self._wrong(path, first.zh if first else "是空的", first.en if first else "it is empty")
        return self._mapping(path, "", to_value(node))

    def _mapping(self, path: Path, key: str, value: object) -> Mapping[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self._wrong(path, f"{key} 应是一组名称和值", f"{key or 'it'} must hold names with values")
        return value

    def _target(self, path: Path, value: object) -> Target:
        try:
            return read_address(str(value or ""))
        except Refused as error:
            raise self._wrong(path, f"url 不能用：{error.reason}", f"url cannot be used: {error.reason}") from None

    def _status(self, path: Path, fields: Mapping[str, Any]) -> int:
        value = fields.get("status", 200)
        if isinstance(value, bool) or not isinstance(value, int) or not 100 <= value <= 599:
            raise self._wrong(path, "status 应是 100 到 599 的整数", "status must be a whole number from 100 to 599")
        return value

    def _headers(self, path: Path, value: object) -> list[tuple[str, str]]:
        return [(str(name).lower(), str(text)) for name, text in self._mapping(path, "headers", value).items()]

    def _fails(self, path: Path, value: object) -> str:
        if value is not None and value not in _FAILS:
            raise self._wrong(path, "fails 只能是 timed_out 或 page_unreachable", f"fails is one of {sorted(_FAILS)}")
        return str(value or "")

    def _body(self, path: Path, value: object) -> Path | None:
        if value is None:
            return None
        name = str(value)
        place = path.parent / name
        if name in ("", ".", "..") or "/" in name or "\\" in name or not place.is_file() or place.is_symlink():
            raise self._wrong(path, f"旁边没有文件 {name}", f"there is no file {name} beside it")
        return place

    def _wrong(self, path: Path, zh: str, en: str) -> ToolFailure:
        name = path.relative_to(self.folder).as_posix()
        return failure("unavailable", f"存放的网页 {name}：{zh}", f"the saved page {name}: {en}", file=name)


def _stamp(path: Path, body: Path | None) -> str:
    parts = []
    for one in (path, body):
        if one is not None:
            status = one.stat()
            parts.append(f"{status.st_size}:{status.st_mtime_ns}")
    return "/".join(parts)


def _chunks(body: Path | None) -> Iterator[bytes]:
    if body is None:
        return
    with body.open("rb") as stream:
        while chunk := stream.read(_PIECE):
            yield chunk
