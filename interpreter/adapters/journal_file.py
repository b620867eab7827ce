"""The SQLite file of a journal: one connection, on which what was seen last stays in sight between commits.

Half of what a small commit asks of the system are the locks of a reader, taken and given back by each
statement. A statement that is not read to its end keeps them. It has to be ended now and then, for the log that SQLite
writes beside the file begins anew only where nobody reads; before anything is looked up, or what other processes have
written since would not be seen; and where another process is at work, which is waited for without.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

#: How long to wait for another process's commit.
BUSY_SECONDS = 10.0
#: One commit of so many is made with nothing in sight.
COMMITS_IN_SIGHT = 64
#: Never read to its end while it is wanted; a journal at work has a first row.
_STAYS_OPEN = "select seq from log limit 2"

Insertion = tuple[str, Iterable[Sequence[object]]]


class JournalFile:
    """An open database.

    Shapes: `mode` is `ro` where the files are never changed, not even by closing them, else `rw`.
    Errors: sqlite3.Error, from every method.
    """

    def __init__(self, path: Path, mode: str) -> None:
        quoted = str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        self.connection = sqlite3.connect(
            f"file:{quoted}?mode={mode}", uri=True, isolation_level=None, timeout=BUSY_SECONDS
        )
        self._cursor = self.connection.cursor()
        self._sight = self.connection.cursor()
        self._commits_left = 0
        self._is_synced: bool | None = None
        self._cursor.execute("pragma cell_size_check = on")

    def read(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """Return all rows that there are now."""
        self._look_away()
        return self._cursor.execute(statement, values).fetchall()

    def insert(self, statement: str, row: Sequence[object], *, sync: bool) -> None:
        """Insert a row in a commit of its own; with `sync` it survives a power cut before this returns."""
        if sync is not self._is_synced:
            self._switch(sync)
        self._begin(statement, row)
        if not self._commits_left:
            self._look()

    def insert_together(self, insertions: Iterable[Insertion], *, sync: bool) -> None:
        """Insert rows in one commit. Shapes: each statement with all its rows."""
        if sync is not self._is_synced:
            self._switch(sync)
        cursor = self._cursor
        self._begin("begin immediate", ())
        try:
            for statement, rows in insertions:
                cursor.executemany(statement, rows)
            cursor.execute("commit")
        except BaseException:
            with suppress(sqlite3.Error):
                cursor.execute("rollback")
            raise
        if not self._commits_left:
            self._look()

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._sight.close()
            self.connection.close()

    def _begin(self, statement: str, values: Sequence[object]) -> None:
        """Execute what a commit begins with: while commits are left beside what is in sight, otherwise by itself."""
        if self._commits_left > 1:
            self._commits_left -= 1
            try:
                self._cursor.execute(statement, values)
                return
            except sqlite3.OperationalError as error:
                if not error.sqlite_errorname.startswith("SQLITE_BUSY"):
                    raise
        self._look_away()
        self._cursor.execute(statement, values)

    def _switch(self, sync: bool) -> None:
        self._cursor.execute("pragma synchronous = full" if sync else "pragma synchronous = normal")
        self._is_synced = sync

    def _look(self) -> None:
        with suppress(sqlite3.Error):  # what was committed stands, also where nothing can be seen
            self._sight.execute(_STAYS_OPEN)
            self._commits_left = COMMITS_IN_SIGHT

    def _look_away(self) -> None:
        self._sight.fetchall()
        self._commits_left = 0
