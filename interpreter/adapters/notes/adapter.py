"""The adapter object: from a tool's name to the function that answers it, one call at a time."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any

from interpreter.adapters.folders.paths import shown
from interpreter.adapters.notes import reading, searching
from interpreter.adapters.notes.failures import failure, no_vault
from interpreter.adapters.notes.vault import Vault

Answer = dict[str, Any]

TOOLS: Mapping[str, Callable[[Vault, Mapping[str, Any]], Answer]] = {
    "notes.search_notes": searching.search_notes,
    "notes.find_tags": searching.find_tags,
    "notes.search_note_content": searching.search_note_content,
    "notes.get_note_info": reading.get_note_info,
    "notes.get_note_outline": reading.get_note_outline,
    "notes.read_section": reading.read_section,
    "notes.read_blocks": reading.read_blocks,
    "notes.read_note": reading.read_note,
    "notes.read_note_content": reading.read_note,
}


class NotesAdapter:
    """A folder of Markdown notes behind the contract of notes.

    Shapes: settings are `vault` (the folder; where it is '' or gone later every call says so) and `index` (the folder
    in which the index is kept; '' for none, then it lives as long as the process). Arguments were checked before.
    Units: `now` gives seconds.
    Errors: ToolFailure with a code of the contract; also where the folder is none when the adapter is made, since a
    mistyped folder must not look like a service that is down.
    """

    def __init__(self, settings: Mapping[str, Any], now: Callable[[], float] = time.monotonic) -> None:
        folder = str(settings.get("vault") or "")
        if folder and not os.path.isdir(folder):
            raise no_vault(
                f"笔记文件夹 {shown(folder)} 不存在或不是文件夹；请改 settings.vault",
                f"the folder of notes {shown(folder)} is not there or is no folder; change settings.vault",
            )
        self._vault = Vault(folder, str(settings.get("index") or ""), now)
        self._turn = RLock()

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str = "") -> Answer:
        with self._turn:
            try:
                return TOOLS[tool](self._vault, arguments)
            except sqlite3.Error as error:
                self._vault.close()
                raise failure(
                    "INTERNAL_ERROR",
                    f"笔记的索引不能读写：{error}",
                    f"the index of the notes cannot be read or written: {error}",
                ) from None
            except OSError as error:
                reason = error.strerror or str(error)
                raise no_vault(f"笔记不能读取：{reason}", f"the notes cannot be read: {reason}") from None

    def resolved_identity(self) -> str:
        """Return the absolute folder of the notes."""
        return self._vault.root

    def close(self) -> None:
        self._vault.close()
