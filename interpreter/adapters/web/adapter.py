"""The adapter object: from a tool's name to its answer."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any

from interpreter.adapters.children import Children
from interpreter.adapters.web.addresses import Refused, read_address
from interpreter.adapters.web.failures import failure, missing
from interpreter.adapters.web.index import Index
from interpreter.adapters.web.live import LivePages, Resolve, resolve
from interpreter.adapters.web.pages import Pages
from interpreter.adapters.web.saved import SavedPages
from interpreter.adapters.web.settings import Settings, read_settings
from interpreter.adapters.web.source import Source
from interpreter.adapters.web.wording import plain_wording, read_wording
from interpreter.ports import ToolFailure

Answer = dict[str, Any]

TOOLS = ("web.web_search", "web.batch_web_search", "web.web_fetch")
USUAL_RESULTS = 10
#: What the child needs; none of it is ever imported here.
_LIBRARIES = (
    "charset_normalizer",
    "httpcore",
    "lxml",
    "lxml_html_clean",
    "protego",
    "publicsuffixlist",
    "pypdf",
    "trafilatura",
)


class WebAdapter:
    """Pages of the web or of a folder behind the contracts of `specs/tools/web.yaml`.

    Shapes: settings as `settings.py` lists them; with `pages` a folder of saved pages stands for the web. Arguments
    were checked against the contract before.
    Errors: ToolFailure with a code of the contract.
    """

    def __init__(
        self, settings: Mapping[str, Any], now: Callable[[], float] = time.time, look_up: Resolve = resolve
    ) -> None:
        lacking = [name for name in _LIBRARIES if find_spec(name) is None]
        if lacking:
            raise missing(lacking)
        self._settings = read_settings(settings)
        self._wording = plain_wording(read_wording(self._settings.page_reading))
        self._saved = SavedPages(self._settings.pages, self._settings.own) if self._settings.pages else None
        self._source: Source = self._saved or LivePages(
            self._settings.own, self._settings.user_agent, self._settings.connect_seconds, look_up
        )
        self._children = Children(self._settings.limits)
        self._pages = Pages(self._source, self._children, self._wording, self._settings, now)
        self._turn = RLock()
        self._opened_index: Index | None = None

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str = "") -> Answer:
        with self._turn:
            if tool == "web.web_fetch":
                return self._fetch(arguments["url"])
            window = (_day(arguments, "since"), _day(arguments, "until"))
            most = int(arguments.get("max_results") or USUAL_RESULTS)
            if tool == "web.web_search":
                return {"hits": self._search(arguments["query"], *window, most), **self._skipped()}
            return {"answers": self._search_all(arguments["queries"], *window, most), **self._skipped()}

    def resolved_identity(self) -> str:
        return self._source.identity()

    def close(self) -> None:
        self._children.close()
        if self._opened_index is not None:
            self._opened_index.close()
            self._opened_index = None

    # --- pages ---

    def _fetch(self, url: str) -> Answer:
        answer = (self._kept(url) if self._saved is not None else None) or self._pages.read(url)
        return {name: value for name, value in {**answer, "url": url}.items() if name != "description"}

    def _kept(self, url: str) -> Answer | None:
        """Return a saved page as it was read for the index, by the same code."""
        try:
            return self._index.answer(read_address(url).url)
        except (Refused, sqlite3.Error):
            return None  # reading the page itself says what there is to say

    # --- searching ---

    @property
    def _index(self) -> Index:
        if self._opened_index is None:
            if self._saved is None:
                raise failure(
                    "unavailable",
                    "没有设置检索服务；请用 --set settings.pages=文件夹 检索存放的网页",
                    "no search service is set; search saved pages with --set settings.pages=FOLDER",
                    reason="no_search",
                )
            key = hashlib.sha256(json.dumps([self._wording, _reading(self._settings)]).encode()).hexdigest()[:16]
            state = Path(self._settings.state).expanduser() if self._settings.state else _cache()
            self._opened_index = Index(self._saved, self._pages.read, state, key, self._wording["numbers"])
        return self._opened_index

    def _search(self, query: str, since: str | None, until: str | None, most: int) -> list[Answer]:
        try:
            return self._index.search(query, since, until, most)
        except sqlite3.Error as error:
            raise failure(
                "service_failed", f"检索索引出错：{error}", f"the index failed: {error}", reason="index"
            ) from None

    def _skipped(self) -> Answer:
        """Return the saved pages that could not be read, nothing where all could."""
        named, total = self._index.skipped()
        return {"skipped": named, "skipped_total": total} if named else {}

    def _search_all(self, queries: list[str], since: str | None, until: str | None, most: int) -> list[Answer]:
        answers: list[Answer] = []
        problem: ToolFailure | None = None
        for query in queries:
            try:
                answers.append({"query": query, "hits": self._search(query, since, until, most), "error": None})
            except ToolFailure as error:
                problem = error
                said = {"code": error.code, "message": error.details["message"]}
                answers.append({"query": query, "hits": [], "error": said})
        if problem is not None and all(answer["error"] is not None for answer in answers):
            raise problem
        return answers


def _reading(settings: Settings) -> list[Any]:
    """Return the settings that the text of a page depends on."""
    markup = [settings.markup_characters, settings.markup_elements]
    return [settings.body_bytes, *markup, settings.text_characters, settings.decompression_ratio, settings.redirects]


def _cache() -> Path | None:
    from interpreter.adapters.cache_files import cache_folder

    return cache_folder("web")


def _day(arguments: Mapping[str, Any], name: str) -> str | None:
    """Return the day of a date, or of a date with time."""
    value = arguments.get(name)
    if value is None:
        return None
    try:
        return date.fromisoformat(value.strip()[:10]).isoformat()
    except ValueError:
        raise failure(
            "invalid_arguments",
            f"{name} 不是可识别的日期：{value}；请写 2026-01-31",
            f"{name} is no date: {value}; write 2026-01-31",
            argument=name,
        ) from None
