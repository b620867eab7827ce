"""The search index: one row for each thing, in SQLite's full text search over words cut by `words.py`.

It is derived from the folder and can be thrown away at any time; a damaged one is made anew. It follows
size and time of change. It also keeps the order of each search that has more than one page, so that later
pages continue the same list whatever happens to the folder meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping

from interpreter.adapters.folders.database_file import DatabaseFile
from interpreter.adapters.search.layout import version_of
from interpreter.adapters.search.words import index_tokens, one_line
from rules.records import NamedTuple

_TABLES = """
create table if not exists documents(
    id integer primary key, token text unique, size integer, modified integer,
    title text, comments text, body text);
create virtual table if not exists words using fts5(title, body, comments, tokenize='ascii', columnsize=0);
create table if not exists searches(id text primary key, request text, made real, tokens text) without rowid;
"""
_VERSION = version_of(_TABLES)
#: The size in the stamp of a body that could not be read: no file has it, so the row is made again.
_NOT_READ = -1


class Stamp(NamedTuple):
    """What a row was made from; another stamp means that the row is made again.

    Shapes: `title` is the part of the name that is searched, `comments` all comments as one text.
    """

    size: int
    modified: int
    title: str
    comments: str


class Index:
    """Errors: sqlite3.Error where the disk refuses."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file
        self._stamps: dict[str, Stamp] = {}
        self._seen_version = -1
        try:
            self._database = self._open()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            self._file.remove()
            self._database = self._open()

    def _open(self) -> sqlite3.Connection:
        database = self._file.open()
        database.execute("pragma synchronous = off")  # derived: what a power cut damages is made anew
        if database.execute("pragma user_version").fetchone()[0] not in (0, _VERSION):
            database.close()
            self._file.remove()
            return self._open()
        database.executescript(_TABLES + f"pragma user_version = {_VERSION};")
        database.execute("select count(*) from words")
        return database

    def close(self) -> None:
        self._database.close()

    def update(self, stamps: Mapping[str, Stamp], read_body: Callable[[str], str | None]) -> None:
        """Bring the index up to date: rows for new and changed things, none for what is gone.

        Shapes: a body that is None could not be read this time and is asked for again at the next update.
        """
        self._load()
        changed = [token for token, stamp in stamps.items() if self._stamps.get(token) != stamp]
        if not changed and len(self._stamps) == len(stamps):
            return
        self._database.execute("begin immediate")
        try:
            for token in [token for token in self._stamps if token not in stamps]:
                self._delete(token)
            for token in changed:
                self._delete(token)
                body = read_body(token)
                stamp = stamps[token] if body is not None else stamps[token]._replace(size=_NOT_READ)
                self._insert(token, stamp, one_line(body or ""))
            self._database.execute("commit")
        except BaseException:
            self._database.execute("rollback")
            self._seen_version = -1
            raise

    def matching(self, query: str) -> set[str]:
        """Return the tokens that an index query finds."""
        rows = self._database.execute(
            "select token from documents where id in (select rowid from words where words match ?)", (query,)
        )
        return {token for (token,) in rows}

    def texts(self, tokens: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Return body and comments, each on one line, by token."""
        wanted = list(tokens)
        marks = ",".join("?" * len(wanted))
        rows = self._database.execute(f"select token, body, comments from documents where token in ({marks})", wanted)
        return {token: (body, comments) for token, body, comments in rows}

    def keep_search(self, request: str, tokens: list[str], now: float, lifetime: float) -> str:
        """Keep the order of a search for its later pages and return the name it is found under.

        Units: seconds.
        """
        body = json.dumps(tokens)
        name = hashlib.sha256(f"{request}\n{body}".encode()).hexdigest()[:20]
        self._database.execute("begin immediate")
        self._database.execute("delete from searches where made < ?", (now - lifetime,))
        self._database.execute("insert or replace into searches values (?,?,?,?)", (name, request, now, body))
        self._database.execute("commit")
        return name

    def kept_search(self, name: str, request: str, now: float, lifetime: float) -> list[str] | None:
        """Return the order of an earlier search, or None when it has expired or was another request's."""
        row = self._database.execute("select request, made, tokens from searches where id = ?", (name,)).fetchone()
        if row is None or row[0] != request or row[1] < now - lifetime:
            return None
        tokens: list[str] = json.loads(row[2])
        return tokens

    def _load(self) -> None:
        version = self._database.execute("pragma data_version").fetchone()[0]
        if version == self._seen_version:
            return
        rows = self._database.execute("select token, size, modified, title, comments from documents")
        self._stamps = {row[0]: Stamp(*row[1:]) for row in rows}
        self._seen_version = version

    def _delete(self, token: str) -> None:
        row = self._database.execute("select id from documents where token = ?", (token,)).fetchone()
        if row is not None:
            self._database.execute("delete from words where rowid = ?", row)
            self._database.execute("delete from documents where id = ?", row)
        self._stamps.pop(token, None)

    def _insert(self, token: str, stamp: Stamp, body: str) -> None:
        row = self._database.execute(
            "insert into documents(token, size, modified, title, comments, body) values (?,?,?,?,?,?)",
            (token, *stamp, body),
        ).lastrowid
        self._database.execute(
            "insert into words(rowid, title, body, comments) values (?,?,?,?)",
            (row, index_tokens(stamp.title), index_tokens(body), index_tokens(stamp.comments)),
        )
        self._stamps[token] = stamp
