"""Search over saved pages: an index in SQLite of words and pairs of characters, and the order of what it finds.

Whole queries are data: they are cut into words and pairs (`search/words.py`), so no mark in them means anything. A page
is found that holds enough of the query, each word weighted by how few pages have it; words in the title count more.
Equal pages stand in the order of their addresses, so the ranks of the same folder never change.

What is indexed is what a search engine would show: the title and text of pages that can be read; for pages that cannot,
only what they say of themselves, as a lead that reading them will not confirm. Pages whose bytes give no text are
named, so that nobody takes them for pages that say nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from interpreter.adapters.search.layout import version_of
from interpreter.adapters.search.words import first_span, index_tokens, one_line, pattern
from interpreter.adapters.web.saved import Saved, SavedPages
from interpreter.ports import ToolFailure
from rules.records import NamedTuple

_TABLES = """
create table if not exists pages(
    id integer primary key, url text unique, stamp text, title text, lead text, body text, published text, answer text,
    problem text);
create virtual table if not exists words using fts5(title, body, tokenize='ascii', columnsize=0, detail=column);
"""
_VERSION = version_of(_TABLES)
_MOST_TOKENS = 64
_BEFORE_HIT = 40
#: Why a saved page is no page at all, other than that its site did not show it.
_PROBLEMS = ("unreadable", "too_large", "too_costly")
_MOST_NAMED = 20

Read = Callable[[str, bool], dict[str, Any]]


class Row(NamedTuple):
    """What a search shows of a page. Shapes: `lead` is what the page says of itself."""

    url: str
    title: str
    lead: str
    body: str
    published: str | None


class Index:
    """Shapes: `read` gives the answer of a page, asking robots.txt or not, or raises ToolFailure; `key` changes with
    the words that pages are read by.
    """

    def __init__(self, pages: SavedPages, read: Read, state: Path | None, key: str, numbers: Mapping[str, Any]) -> None:
        self._pages = pages
        self._read = read
        self._key = key
        self._numbers = numbers
        self._database = _open(state, pages.folder)
        self._is_fresh = False

    def close(self) -> None:
        self._database.close()

    def answer(self, url: str) -> dict[str, Any] | None:
        """Return the kept answer of a page that is unchanged, None where there is none."""
        page = self._pages.pages.get(url)
        if page is None:
            return None
        row = self._database.execute("select stamp, answer from pages where url = ?", (url,)).fetchone()
        if row is None or row[0] != self._stamp(page) or row[1] is None:
            return None
        answer: dict[str, Any] = json.loads(row[1])
        return answer

    def skipped(self) -> tuple[list[dict[str, Any]], int]:
        """Return the first pages that could not be read, each with its code, and how many there are."""
        self._refresh()
        rows = self._database.execute("select url, problem from pages where problem <> '' order by url").fetchall()
        return [{"url": url, "code": code} for url, code in rows[:_MOST_NAMED]], len(rows)

    def search(self, query: str, since: str | None, until: str | None, most: int) -> list[dict[str, Any]]:
        """Return the hits of a query, best first. Units: `since` and `until` are days, both included."""
        self._refresh()
        tokens = _query_tokens(query)
        scores = self._scores(tokens)
        if not scores:
            return []
        rows = {row_id: row for row_id, row in self._rows(scores) if _is_between(row.published, since, until)}
        order = sorted(rows, key=lambda row_id: (-scores[row_id], rows[row_id].url))[:most]
        wanted = pattern(query.split())
        return [self._hit(rows[row_id], wanted, rank) for rank, row_id in enumerate(order, start=1)]

    def _scores(self, tokens: list[str]) -> dict[int, float]:
        """Return how well each page fits, for those that hold enough of the query."""
        count = self._database.execute("select count(*) from pages").fetchone()[0]
        held: dict[int, float] = {}
        titled: dict[int, float] = {}
        total = 0.0
        for token in tokens:
            anywhere = self._holding(f'"{token}"')
            # the one more keeps a word that nearly every page of a small folder holds from weighing nothing
            weight = math.log(1 + (count + 1) / (len(anywhere) + 0.5))
            total += weight
            for row_id in anywhere:
                held[row_id] = held.get(row_id, 0.0) + weight
            for row_id in self._holding(f'title : "{token}"'):
                titled[row_id] = titled.get(row_id, 0.0) + weight
        least = float(self._numbers["search_least_share"]) * total
        extra = float(self._numbers["title_weight"]) - 1
        return {row: share + extra * titled.get(row, 0.0) for row, share in held.items() if share >= least}

    def _holding(self, query: str) -> list[int]:
        return [row_id for (row_id,) in self._database.execute("select rowid from words where words match ?", (query,))]

    def _rows(self, wanted: Iterable[int]) -> list[tuple[int, Row]]:
        ids = sorted(wanted)
        marks = ",".join("?" * len(ids))
        rows = self._database.execute(
            f"select id, url, title, lead, body, published from pages where id in ({marks})", ids
        )
        return [(row[0], Row(*row[1:])) for row in rows]

    def _hit(self, row: Row, wanted: Any, rank: int) -> dict[str, Any]:
        return {
            "url": row.url,
            "title": row.title,
            "snippet": _snippet(row, wanted, int(self._numbers["snippet_characters"])),
            "published": row.published,
            "rank": rank,
        }

    # --- keeping it up to date ---

    def _refresh(self) -> None:
        if self._is_fresh:
            return
        pages = self._pages.pages
        known = dict(self._database.execute("select url, stamp from pages"))
        for url in known.keys() - pages.keys():
            self._delete(url)
        for url, page in pages.items():
            stamp = self._stamp(page)
            if known.get(url) == stamp:
                continue
            self._delete(url)
            self._insert(page, stamp)
        self._database.commit()
        self._is_fresh = True

    def _stamp(self, page: Saved) -> str:
        return f"{self._key} {self._pages.stamp(page)}"

    def _delete(self, url: str) -> None:
        row = self._database.execute("select id from pages where url = ?", (url,)).fetchone()
        if row is not None:
            self._database.execute("delete from words where rowid = ?", row)
            self._database.execute("delete from pages where id = ?", row)

    def _insert(self, page: Saved, stamp: str) -> None:
        answer, said, problem = self._answer(page.target.url)
        shown = page.search
        is_here = answer is not None and not answer["redirects"]
        title = str(shown.get("title") or said.get("title") or "")
        lead = one_line(str(shown.get("snippet") or said.get("description") or ""))
        body = one_line(answer["text"]) if answer is not None and is_here else ""
        is_shown = bool(title or lead) and (is_here or answer is None)
        published = shown.get("published") or said.get("published")
        row = self._database.execute(
            "insert into pages(url, stamp, title, lead, body, published, answer, problem) values (?,?,?,?,?,?,?,?)",
            (page.target.url, stamp, title, lead, body, published, json.dumps(answer) if is_here else None, problem),
        ).lastrowid
        if is_shown:
            self._database.execute(
                "insert into words(rowid, title, body) values (?,?,?)",
                (row, index_tokens(title), index_tokens(f"{lead} \n {body}")),
            )

    def _answer(self, url: str) -> tuple[dict[str, Any] | None, Mapping[str, Any], str]:
        """Return the answer of a page, None where it is not read, what the page says of itself, and what is the matter
        with its bytes, '' for nothing.
        """
        try:
            answer = self._read(url, True)
        except ToolFailure as failure:
            if failure.code != "robots_disallow":
                return None, failure.details, failure.code if failure.code in _PROBLEMS else ""
        else:
            return answer, answer, ""
        try:
            return None, self._read(url, False), ""
        except ToolFailure as failure:
            return None, failure.details, ""


def _open(state: Path | None, folder: Path) -> sqlite3.Connection:
    """Open the index of a folder; it can be made anew at any time, so one that cannot be used is."""
    if state is not None:
        name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
        path = state / f"web-{name}.sqlite3"
        for _ in range(2):
            try:
                state.mkdir(mode=0o700, parents=True, exist_ok=True)
                return _with_tables(sqlite3.connect(path, timeout=10))
            except (sqlite3.DatabaseError, OSError):
                if not path.is_file():
                    break
                path.unlink(missing_ok=True)
    return _with_tables(sqlite3.connect(":memory:"))


def _with_tables(database: sqlite3.Connection) -> sqlite3.Connection:
    try:
        version = database.execute("pragma user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise sqlite3.DatabaseError("another version")
        database.executescript(f"{_TABLES}pragma user_version = {_VERSION};")
        database.execute("pragma synchronous = off")
        database.execute("select count(*) from words").fetchone()
    except BaseException:
        database.close()
        raise
    return database


def _query_tokens(query: str) -> list[str]:
    """Return the words and pairs of a query. The single last character of a longer run is in its last pair already."""
    found: list[str] = []
    for word in query.split():
        tokens = index_tokens(word).split()
        found += [token for place, token in enumerate(tokens) if not _is_rest(tokens, place)]
    return list(dict.fromkeys(found))[:_MOST_TOKENS]


def _is_rest(tokens: list[str], place: int) -> bool:
    token = tokens[place]
    return place > 0 and len(token) == 1 and not token.isascii() and tokens[place - 1].endswith(token)


def _is_between(published: str | None, since: str | None, until: str | None) -> bool:
    if since is None and until is None:
        return True
    if not published:
        return False
    day = published[:10]
    return (since is None or since <= day) and (until is None or day <= until)


def _snippet(row: Row, wanted: Any, most: int) -> str:
    """Return the passage that a search would show: what the page says of itself where it holds a word of the query,
    else the passage around the first hit.
    """
    if row.lead and (wanted is None or first_span(row.lead, wanted) is not None or not row.body):
        return row.lead[:most]
    found = first_span(row.body, wanted) if wanted is not None else None
    start = max(0, found[0] - _BEFORE_HIT) if found is not None else 0
    return row.body[start : start + most]
