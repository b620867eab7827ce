"""The adapter object: from a tool's name to the function that answers it, one call at a time."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any

from interpreter.adapters.drive.core import Drive
from interpreter.adapters.folders.failures import failure, from_system
from interpreter.adapters.wiki import listing, writing
from interpreter.adapters.wiki.core import OWN, Wiki

Answer = dict[str, Any]
Reading = Callable[[Wiki, Mapping[str, Any]], Answer]

READING: dict[str, Reading] = {
    "wiki.space_list": listing.space_list,
    "wiki.space_get": listing.space_get,
    "wiki.node_get": listing.node_get,
    "wiki.node_list": listing.node_list,
}
#: These also take the key under which the call is known, so that it is never made twice.
WRITING: dict[str, writing.Writing] = {
    "wiki.move": writing.move,
    "wiki.move_to_drive": writing.move_to_drive,
    "wiki.node_create": writing.node_create,
    "wiki.node_delete": writing.node_delete,
}
TOOLS: dict[str, Reading | writing.Writing] = {**READING, **WRITING}


class WikiAdapter:
    """A folder behind the contracts of the wiki.

    Shapes: settings are `root` ('' for no wiki: every call is `unavailable`), `drive` (the folder of the drive beside
    it, '' for none), `account` ('' for whoever runs this), `tasks` (how tasks go, see `tasks.py`). Arguments were
    checked against the contract before.
    Units: `now` gives seconds since 1970.
    Errors: ToolFailure with a code of the contract.
    """

    def __init__(self, settings: Mapping[str, Any], now: Callable[[], float] = time.time) -> None:
        beside = str(settings.get("drive") or "")
        root = str(settings.get("root") or "")
        self._drive = Drive({**settings, "root": beside, "wiki": root}, now) if beside and root else None
        self._wiki = Wiki(settings, now, self._drive, writing.settle) if root else None
        self._turn = RLock()

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str = "") -> Answer:
        """Answer one call; `identity` is the key under which a write is known."""
        if self._wiki is None:
            raise failure(
                "unavailable",
                "没有设置知识库文件夹；请用 --set settings.wiki=文件夹 指定",
                "no folder of the wiki is set; give one with --set settings.wiki=FOLDER",
            )
        with self._turn:
            try:
                if self._drive is not None:
                    self._drive.look()
                self._wiki.look()
                write = WRITING.get(tool)
                return write(self._wiki, arguments, identity) if write else READING[tool](self._wiki, arguments)
            except OSError as error:
                raise from_system(error) from None
            except sqlite3.Error as error:
                raise failure(
                    "unavailable",
                    f"{OWN} 里的登记表不能读写：{error}",
                    f"the tables under {OWN} cannot be read or written: {error}",
                ) from None

    def resolved_identity(self) -> str:
        """Return both root folders, the ids of what stands in them, and the account: two runs with the same text work
        on the same wiki.
        """
        return self._wiki.identity() if self._wiki is not None else "no wiki"

    def close(self) -> None:
        if self._wiki is not None:
            self._wiki.close()
        if self._drive is not None:
            self._drive.close()
