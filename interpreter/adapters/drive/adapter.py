"""The adapter object: from a tool's name to the function that answers it, one call at a time.

With a wiki beside the drive (setting `wiki`) the tools that speak of both are answered by `wiki/beside.py`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any

from interpreter.adapters.drive import evidence, listing, reading, search, writing
from interpreter.adapters.drive.core import Drive
from interpreter.adapters.folders.failures import failure, from_system
from interpreter.adapters.folders.paths import OWN_FOLDER

if TYPE_CHECKING:
    from interpreter.adapters.wiki.core import Wiki

Answer = dict[str, Any]
Reading = Callable[[Drive, Mapping[str, Any]], Answer]

READING: dict[str, Reading] = {
    "drive.search": search.search,
    "drive.inspect": listing.inspect,
    "drive.metas": listing.metas,
    "drive.permission_auth": listing.permission_auth,
    "drive.files_list": listing.files_list,
    "drive.preview": listing.preview,
    "drive.task_result": listing.task_result,
    "reading.doc_fetch": reading.doc_fetch,
    "reading.sheet_find": reading.sheet_find,
    "reading.sheet_read": reading.sheet_read,
    "evidence.whoami": evidence.whoami,
    "evidence.location": evidence.location,
    "evidence.item_state": evidence.item_state,
    "evidence.move_rights": evidence.move_rights,
    "evidence.target_rights": evidence.target_rights,
    "evidence.container_is_empty": evidence.container_is_empty,
}
#: These also take the key under which the call is known, so that it is never made twice.
WRITING: dict[str, writing.Writing] = {
    "drive.move": writing.move,
    "drive.create_folder": writing.create_folder,
    "drive.delete": writing.delete,
}
TOOLS: dict[str, Reading | writing.Writing] = {**READING, **WRITING}


class DriveAdapter:
    """A folder behind the contracts of drive, reading and evidence.

    Shapes: settings are `root` (must be given), `account` ('' for whoever runs this), `state` (where the
    search index is kept, '' for the drive's own folder), `wiki` (the folder of a wiki beside it, '' for none),
    `body_limit`, `document_limit`, `reading_limits` (`cpu_seconds`, `wall_seconds`, `memory_mb`, `unpacked_mb`,
    `ratio`), `page_token_seconds`, `tasks` (how the move of a folder goes, see `tasks.py`). Arguments were checked
    against the contract before.
    Units: bytes, seconds; `now` gives seconds since 1970.
    Errors: ToolFailure with a code of the contract.
    """

    def __init__(self, settings: Mapping[str, Any], now: Callable[[], float] = time.time) -> None:
        self._drive = Drive(settings, now)
        self._wiki = _wiki_beside(settings, now, self._drive)
        self._turn = RLock()
        self._is_settled = False

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str = "") -> Answer:
        """Answer one call; `identity` is the key under which a write is known."""
        drive = self._drive
        with self._turn:
            try:
                drive.look()
                self._settle_once()
                write = WRITING.get(tool)
                if write is not None:
                    return write(drive, arguments, identity)
                if self._wiki is not None:
                    return _answer_for_both(self._wiki, drive, tool, arguments)
                return READING[tool](drive, arguments)
            except OSError as error:
                raise from_system(error) from None
            except sqlite3.Error as error:
                raise failure(
                    "unavailable",
                    f"{OWN_FOLDER} 里的登记表不能读写：{error}",
                    f"the tables under {OWN_FOLDER} cannot be read or written: {error}",
                ) from None

    def resolved_identity(self) -> str:
        """Return the absolute root folder, the id of the drive in it, and the account: two runs with the same text
        work on the same drive.
        """
        return self._wiki.identity() if self._wiki is not None else self._drive.identity()

    def close(self) -> None:
        self._drive.close()
        if self._wiki is not None:
            self._wiki.close()

    def _settle_once(self) -> None:
        """Settle what a killed process left behind before the first answer is given."""
        if not self._is_settled:
            if self._drive.registry.intentions():
                with self._drive.lock:
                    writing.settle(self._drive)
            self._is_settled = True


def _wiki_beside(settings: Mapping[str, Any], now: Callable[[], float], drive: Drive) -> Wiki | None:
    if not settings.get("wiki"):
        return None
    from interpreter.adapters.wiki.core import Wiki
    from interpreter.adapters.wiki.writing import settle

    return Wiki({**settings, "root": settings["wiki"]}, now, drive, settle)


def _answer_for_both(wiki: Wiki, drive: Drive, tool: str, arguments: Mapping[str, Any]) -> Answer:
    from interpreter.adapters.wiki.beside import BESIDE

    wiki.look()
    of_both = BESIDE.get(tool)
    return of_both(wiki, drive, arguments) if of_both is not None else READING[tool](drive, arguments)
