"""What was read of the notes, and which of them hold a word: SQLite's full text search over words cut as everywhere.

It is derived from the folder and can be thrown away at any time; a damaged one is made anew. Without a folder to keep
it in it is a file of SQLite's own that nobody else sees and that vanishes with the process. Rows are never taken out
of the full text search: a changed note gets a new number, and a number that no note has is passed over. When there are
more of those than notes all is made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator

from interpreter.adapters.folders.database_file import DatabaseFile
from interpreter.adapters.folders.paths import Entry, Tree
from interpreter.adapters.notes.note import Head, Problem
from interpreter.adapters.search.layout import version_of
from interpreter.adapters.search.words import folded_tokens
from rules.patterns import regex
from rules.records import NamedTuple

_TABLES = (
    "create table if not exists notes(id integer primary key autoincrement, path text unique,"
    " inode integer, size integer, modified integer, head text, signs text)",
    "create table if not exists texts(id integer primary key, folded text)",
    "create virtual table if not exists words"
    " using fts5(title, tags, body, content='', tokenize='ascii', columnsize=0)",
)
#: A first reading writes many parts; merging them less often spares a third of SQLite's work on it.
_FEWER_MERGES = "insert into words(words, rank) values ('automerge', 16)"
_VERSION = version_of("".join(_TABLES))
_SPARE = 1000
#: Where fewer notes than one in so many are asked for, each is looked up alone.
_FEW = 4
#: What is no part of a word. A term of such signs alone is in no full text search, so each note keeps which it holds.
_SIGN = regex(r"[^\w\s]|_")


class Stamp(NamedTuple):
    """What a row was made from; another stamp means that the note is read again."""

    inode: int
    size: int
    modified: int

    @staticmethod
    def of(entry: Entry) -> Stamp:
        return Stamp(entry.inode, entry.size, entry.modified)


class Row(NamedTuple):
    """Shapes: `signs` are those of the note, each once."""

    number: int
    stamp: Stamp
    head: Head
    signs: str


class Index:
    """Shapes: `rows` are the notes by path. Errors: sqlite3.Error where the disk refuses."""

    def __init__(self, folder: str, root: str) -> None:
        self._file: DatabaseFile | None = None
        if folder:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
            self._file = DatabaseFile(Tree(folder), "", f"notes-{name}.sqlite3")
        self.rows: dict[str, Row] = {}
        self._version = -1
        try:
            self._database = self._open()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) or self._file is None:
                raise
            self._file.remove()
            self._database = self._open()

    def _open(self) -> sqlite3.Connection:
        if self._file is None:
            database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        else:
            database = self._file.open()
        try:
            database.execute("pragma synchronous = off")  # derived: what a power cut damages is made anew
            version = database.execute("pragma user_version").fetchone()[0]
            if version not in (0, _VERSION) and self._file is not None:
                database.close()
                self._file.remove()
                return self._open()
            for statement in (*_TABLES, *([] if version else [_FEWER_MERGES]), f"pragma user_version = {_VERSION}"):
                database.execute(statement)
            database.execute("select count(*) from words where words match 'a'").fetchone()
        except BaseException:
            database.close()
            raise
        return database

    def close(self) -> None:
        self._database.close()

    def load(self) -> bool:
        """Read the rows that another process may have changed; return whether any were read."""
        version = self._database.execute("pragma data_version").fetchone()[0]
        if version == self._version:
            return False
        self._version = version
        rows = self._database.execute("select id, path, inode, size, modified, head, signs from notes")
        self.rows = {path: Row(number, Stamp(*stamp), _head(head), signs) for number, path, *stamp, head, signs in rows}
        return True

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Everything inside is one transaction; what another process wrote meanwhile is known in it."""
        self._database.execute("begin immediate")
        try:
            self.load()
            yield
            self._database.execute("commit")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("rollback")
            self._version = -1
            raise

    def put(self, entry: Entry, head: Head, folded: str) -> None:
        """Add or replace a note. Shapes: `folded` is its whole text as it is compared."""
        self.remove(entry.path)
        stamp = Stamp.of(entry)
        signs = _signs_of(folded)
        number = (
            self._database.execute(
                "insert into notes(path, inode, size, modified, head, signs) values (?,?,?,?,?,?)",
                (entry.path, *stamp, json.dumps(head, ensure_ascii=False), signs),
            ).lastrowid
            or 0
        )
        title, tags, body = folded.split("\n", 2)
        self._database.execute("insert into texts(id, folded) values (?,?)", (number, folded))
        self._database.execute(
            "insert into words(rowid, title, tags, body) values (?,?,?,?)",
            (number, folded_tokens(title), folded_tokens(tags), folded_tokens(body)),
        )
        self.rows[entry.path] = Row(number, stamp, head, signs)

    def remove(self, path: str) -> None:
        row = self.rows.pop(path, None)
        if row is not None:
            self._database.execute("delete from notes where id = ?", (row.number,))
            self._database.execute("delete from texts where id = ?", (row.number,))

    def is_worn(self) -> bool:
        """Return whether most of the full text search stands for notes that are no more."""
        first, last = self._database.execute("select min(id), max(id) from notes").fetchone()
        return bool(self.rows) and last - first > 2 * len(self.rows) + _SPARE

    def clear(self) -> None:
        self._database.execute("delete from notes")  # the numbers go on: one never means two notes
        self._database.execute("delete from texts")
        self._database.execute("insert into words(words) values ('delete-all')")
        self.rows = {}

    def matching(self, query: str) -> set[int]:
        """Return the numbers of the notes that a query of the full text search finds."""
        return {number for (number,) in self._database.execute("select rowid from words where words match ?", (query,))}

    def holding(self, literal: str, among: set[int] | None) -> set[int]:
        """Return the numbers of the notes whose folded text holds a text letter for letter.

        Shapes: `among` are those that hold its words, None where it has none.
        """
        if among is None:
            signs = _signs_of(literal)
            among = {row.number for row in self.rows.values() if all(sign in row.signs for sign in signs)}
            if signs == literal:
                return among
        if len(among) > len(self.rows) // _FEW:
            # Python looks through bytes faster than SQLite through a text, which it counts in characters.
            wanted = literal.encode()
            rows = self._database.execute("select id, cast(folded as blob) from texts")
            return {number for number, folded in rows if number in among and wanted in folded}
        query = "select 1 from texts where id = ? and instr(folded, ?)"
        return {number for number in among if self._database.execute(query, (number, literal)).fetchone() is not None}


def _signs_of(folded: str) -> str:
    return "".join(_SIGN.findall("".join(sorted(set(folded)))))


def _head(kept: str) -> Head:
    own_id, path, title, created, updated, starred, tags, links, intro, problem = json.loads(kept)
    told = Problem(*problem) if problem else None
    return Head(own_id, path, title, created, updated, starred, tuple(tags), tuple(links), intro, told)
