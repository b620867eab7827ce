"""What holds the words of a question: one row for each stored segment and one for title and summary, in memory.

A question is a sentence, so a row need not hold all of its words: rows are ordered by how many they hold and how rare
those are among the records (BM25). It is made anew for the records that changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal

from interpreter.adapters.records.store import Stamp
from interpreter.adapters.search.words import fold, index_tokens
from rules.records import NamedTuple
from rules.words import terms_of

_TABLES = """
create table parts(id integer primary key, record text, segment integer);
create virtual table words using fts5(text, tokenize='ascii');
"""
#: Title and summary stand under this number.
HEAD_PART = -1


class Part(NamedTuple):
    """A text of a record. Shapes: `segment` counts from 0; HEAD_PART for title and summary."""

    segment: int
    text: str


class Hit(NamedTuple):
    record: str
    segment: int
    score: Decimal


class Index:
    """The words of all records that are kept. Shapes: a stamp changes when the files of its record do."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._database.executescript(_TABLES)
        self._stamps: dict[str, Stamp] = {}

    def update(self, stamps: Mapping[str, Stamp], parts: Callable[[str], Iterable[Part]]) -> None:
        """Bring the index up to date: rows for new and changed records, none for what is gone."""
        for record in [record for record, stamp in self._stamps.items() if stamps.get(record) != stamp]:
            self._delete(record)
        for record, stamp in stamps.items():
            if record not in self._stamps:
                self._insert(record, parts(record))
                self._stamps[record] = stamp

    def search(self, question: str, limit: int) -> list[Hit]:
        """Return the best rows for the words of a question."""
        wanted = " OR ".join(f'"{term}"' for term in dict.fromkeys(terms_of(fold(question))))
        if not wanted:
            return []
        rows = self._database.execute(
            "select record, segment, -round(bm25(words), 3) as score from words join parts on parts.id = words.rowid"
            " where words match ? order by score desc, record, segment limit ?",
            (wanted, limit),
        )
        return [Hit(record, segment, Decimal(str(score))) for record, segment, score in rows]

    def close(self) -> None:
        self._database.close()

    def _insert(self, record: str, parts: Iterable[Part]) -> None:
        for part in parts:
            row = self._database.execute(
                "insert into parts(record, segment) values (?, ?)", (record, part.segment)
            ).lastrowid
            self._database.execute("insert into words(rowid, text) values (?, ?)", (row, index_tokens(part.text)))

    def _delete(self, record: str) -> None:
        for (row,) in self._database.execute("select id from parts where record = ?", (record,)).fetchall():
            self._database.execute("delete from words where rowid = ?", (row,))
        self._database.execute("delete from parts where record = ?", (record,))
        del self._stamps[record]
