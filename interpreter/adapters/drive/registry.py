"""Ids that are given once: which token is which thing in a folder, whatever name it has now.

A thing is known again, in this order: the same path with the same inode; the same inode elsewhere (moved by
hand, or by a rename whose record was cut off), if its birth time agrees, since inode numbers are used
again; the same path with another inode (saved by an editor that replaces the file), if the old inode is
nowhere else; the same content somewhere else (copied and deleted, restored from a copy). Anything else is
new and gets a token made from its first path, so that two fresh copies of one folder have the same tokens.

Each write leaves its intention here before the rename and its answer after it; a process that was killed in
between is settled by the next one (`writing.py`).
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import sqlite3
import stat
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from interpreter.adapters.drive.kinds import PREFIXES, kind_of
from interpreter.adapters.folders.database_file import DatabaseFile
from interpreter.adapters.folders.paths import OWN_FOLDER, Entry, Tree
from rules.records import NamedTuple

LIVE, MISSING, DELETED = 0, 1, 2
#: Larger files are marked by their size, first and last megabyte.
_WHOLE = 8 << 20
_END = 1 << 20

_VERSION = 2
_TABLES = (
    """create table items(
        token text primary key, path blob, device integer, inode integer, born integer,
        size integer, modified integer, mode integer, mark text, created integer, state integer) without rowid""",
    """create table intentions(
        id text primary key, operation text, key text, digest text, token text,
        source blob, target blob, device integer, inode integer, answer text) without rowid""",
    """create table writes(
        id text primary key, key text, operation text, token text, digest text, answer text) without rowid""",
    "create index writes_by_key on writes(key)",
    "create table requests(token text primary key, request_id text) without rowid",
)
_NEW_TABLES = ("create table kept(kind text, name text, body text, primary key(kind, name)) without rowid",)


class Item(NamedTuple):
    """One registered thing. Shapes: `mark` is a hash of its content, '' for what has none. Units:
    nanoseconds.
    """

    token: str
    path: str
    device: int
    inode: int
    born: int | None
    size: int
    modified: int
    mode: int
    mark: str
    created: int
    state: int

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)


class Intention(NamedTuple):
    """A write that is about to happen. Shapes: `answer` is what the call will answer, as JSON."""

    id: str
    operation: str
    key: str
    digest: str
    token: str
    source: str
    target: str
    device: int
    inode: int
    answer: str


LookUp = Callable[[Entry], Item | None]
Everything = dict[str, tuple[Item, Entry]]


def prefix_on_drive(entry: Entry) -> str:
    """Return how the token of a thing begins that is seen for the first time."""
    return PREFIXES[kind_of(entry)]


class Registry:
    """The table of ids of one drive or wiki.

    Shapes: `prefix_of` tells how the token of a new thing begins; one of digits makes a token of digits.

    Errors: sqlite3.Error where the disk refuses; ToolFailure `unavailable` for a file that is none.
    """

    def __init__(self, file: DatabaseFile, tree: Tree, prefix_of: Callable[[Entry], str] = prefix_on_drive) -> None:
        self._tree = tree
        self._prefix_of = prefix_of
        # The same path in drive and wiki is not the same thing.
        self._salt = b"" if tree.own == OWN_FOLDER else tree.own.encode() + b"\0"
        self._database = file.open()
        self._make_tables()
        # What a power cut takes is found again by inode; only intentions have to be on the disk at once.
        self._database.execute("pragma synchronous = normal")
        self._seen_version = -1
        self._by_token: dict[str, Item] = {}
        self._by_path: dict[str, str] = {}
        self._load()

    def _make_tables(self) -> None:
        if self._database.execute("pragma user_version").fetchone()[0] == _VERSION:
            return
        with contextlib.suppress(sqlite3.OperationalError):  # somebody else is opening it for the first time
            self._database.execute("pragma journal_mode = wal")
        self._database.execute("begin immediate")
        version = self._database.execute("pragma user_version").fetchone()[0]
        if version != _VERSION:
            for statement in (*(() if version else _TABLES), *_NEW_TABLES, f"pragma user_version = {_VERSION}"):
                self._database.execute(statement)
        self._database.execute("commit")

    def close(self) -> None:
        self._database.close()

    # --- reading ---

    def get(self, token: str) -> Item | None:
        self._load()
        return self._by_token.get(token)

    def token_at(self, path: str, entry: Entry) -> str | None:
        """Return the token of what stands at a path if it is known to be this very thing."""
        self._load()
        token = self._by_path.get(path)
        item = self._by_token.get(token) if token else None
        if item is None or (item.device, item.inode) != (entry.device, entry.inode):
            return None
        return item.token

    def token_of(self, path: str) -> str | None:
        """Return the token of whatever stood at a path when it was last looked at."""
        return self._by_path.get(path)

    def known(self, entries: Iterable[Entry]) -> Everything | None:
        """Return every entry of a walk by its token, or None where something is new, moved, changed or gone."""
        self._load()
        found, unknown, is_changed = self._match(entries)
        return None if unknown or is_changed or len(found) < len(self._by_path) else found

    def refresh(self, entries: Iterable[Entry]) -> Everything:
        """Return every entry of a walk by its token, after giving ids to what is new and finding what was moved.

        The walk has to be made under the drive's lock: in one that began before somebody's rename and ended after
        it, one thing may stand at two places, and its token would go to the wrong one.
        """
        self._database.execute("begin immediate")
        try:
            self._load()
            found, unknown, _ = self._match(self._standing(list(entries)))
            self._settle(found, unknown)
            self._database.execute("commit")
        except BaseException:
            self._database.execute("rollback")
            self._seen_version = -1
            raise
        return found

    # --- writing ---

    def intend(self, intention: Intention) -> None:
        """Record a write before it happens; it is on the disk when this returns."""
        self._database.execute("pragma synchronous = full")
        row = intention._replace(
            source=os.fsencode(intention.source),  # type: ignore[arg-type]
            target=os.fsencode(intention.target),  # type: ignore[arg-type]
        )
        self._database.execute("insert into intentions values (?,?,?,?,?,?,?,?,?,?)", row)
        self._database.execute("pragma synchronous = normal")

    def intentions(self) -> list[Intention]:
        rows = self._database.execute("select * from intentions").fetchall()
        return [Intention(*row)._replace(source=os.fsdecode(row[5]), target=os.fsdecode(row[6])) for row in rows]

    def finish(self, intention: Intention, entry: Entry | None) -> None:
        """Record that a write happened: its answer under its key, and where the thing is now (None:
        deleted).
        """
        self._database.execute("begin immediate")
        try:
            self._load()
            self._database.execute("delete from intentions where id = ?", (intention.id,))
            self._database.execute(
                "insert or replace into writes values (?,?,?,?,?,?)",
                (
                    intention.id,
                    intention.key,
                    intention.operation,
                    intention.token,
                    intention.digest,
                    intention.answer,
                ),
            )
            request_id = json.loads(intention.answer).get("request_id")
            if request_id:
                self._database.execute("insert or replace into requests values (?,?)", (intention.token, request_id))
            self._place(intention, entry)
            self._database.execute("commit")
        except BaseException:
            self._database.execute("rollback")
            self._seen_version = -1
            raise

    def forget(self, intention: Intention) -> None:
        """Drop the intention of a write that did not happen."""
        self._database.execute("delete from intentions where id = ?", (intention.id,))

    def written(self, key: str) -> tuple[str, Any] | None:
        """Return the digest of the arguments and the answer of the write that was made under a key."""
        row = self._database.execute("select digest, answer from writes where key = ?", (key,)).fetchone()
        return (row[0], json.loads(row[1])) if row else None

    def keep(self, kind: str, name: str, value: object) -> None:
        self._database.execute("insert or replace into kept values (?,?,?)", (kind, name, json.dumps(value)))

    def kept(self, kind: str, name: str) -> Any:
        """Return what was kept under a name, or None."""
        row = self._database.execute("select body from kept where kind = ? and name = ?", (kind, name)).fetchone()
        return json.loads(row[0]) if row else None

    def register(self, token: str, entry: Entry) -> None:
        """Record that a thing with this token stands here now, wherever it came from."""
        self._load()
        born = self._tree.born(entry.path)
        item = self._by_token.get(token)
        created = item.created if item is not None else born or entry.modified
        self._store(Item(token, "", 0, 0, born, 0, 0, 0, "", created, LIVE), entry, born=born)

    def release(self, token: str) -> None:
        """Record that a thing has left for good; where it comes back it is known by its token."""
        self._load()
        item = self._by_token.get(token)
        if item is not None and item.state != DELETED:
            self._write(item._replace(state=DELETED))

    def task(self, task_id: str) -> bool:
        return self._database.execute("select 1 from writes where id = ?", (task_id,)).fetchone() is not None

    def requests(self) -> dict[str, str]:
        """Return the request id under which folders were made, by token."""
        return dict(self._database.execute("select token, request_id from requests").fetchall())

    def new_token(self, path: str, prefix: str) -> str:
        """Return a token nobody has, made from a first path."""
        for attempt in range(1_000_000):
            body = hashlib.sha256(self._salt + os.fsencode(path) + b"\n" + str(attempt).encode()).digest()
            if prefix.isdecimal():
                token = prefix + str(int.from_bytes(body[:8], "big")).zfill(20)[-15:]
            else:
                token = prefix + base64.b32hexencode(body)[:20].decode().lower()
            if token not in self._by_token:
                return token
        raise RuntimeError("no free token")  # a million equal first paths

    # --- matching ---

    def _match(self, entries: Iterable[Entry]) -> tuple[Everything, list[Entry], bool]:
        """Return what is where it was, what is not known there, and whether any file's content may have changed."""
        found: Everything = {}
        unknown: list[Entry] = []
        is_changed = False
        by_path, by_token = self._by_path, self._by_token
        for entry in entries:
            token = by_path.get(entry.path)
            item = by_token[token] if token is not None else None
            if item is not None and item.inode == entry.inode and item.device == entry.device:
                found[item.token] = (item, entry)
                if item.modified != entry.modified or item.size != entry.size:
                    is_changed = is_changed or not entry.is_folder
            else:
                unknown.append(entry)
        return found, unknown, is_changed

    def _standing(self, entries: list[Entry]) -> list[Entry]:
        """Drop what people moved by hand during the walk: of two places of one inode, those where it no longer is."""
        seen: set[tuple[int, int]] = set()
        twice: set[tuple[int, int]] = set()
        for entry in entries:
            inode = (entry.device, entry.inode)
            (twice if inode in seen else seen).add(inode)
        if not twice:
            return entries
        return [entry for entry in entries if (entry.device, entry.inode) not in twice or self._stands(entry)]

    def _stands(self, entry: Entry) -> bool:
        now = self._tree.entry(entry.path)
        return now is not None and (now.device, now.inode) == (entry.device, entry.inode)

    def _settle(self, found: Everything, unknown: list[Entry]) -> None:
        for item, entry in list(found.values()):
            if not entry.is_folder and (item.size, item.modified) != (entry.size, entry.modified):
                found[item.token] = (self._store(item, entry, born=item.born), entry)
        present = {(entry.device, entry.inode) for _, entry in found.values()}
        present.update((entry.device, entry.inode) for entry in unknown)
        for recognise in (self._same_inode, self._same_path(present), self._same_content):
            unknown = self._recognise(recognise, found, unknown)
        for entry in sorted(unknown, key=lambda entry: os.fsencode(entry.path)):
            item = self._register(entry)
            found[item.token] = (item, entry)
        for token in set(self._by_path.values()) - found.keys():
            self._write(self._by_token[token]._replace(state=MISSING))

    def _recognise(
        self,
        recognise: Callable[[list[Item]], LookUp],
        found: Everything,
        unknown: list[Entry],
    ) -> list[Entry]:
        left = [item for token, item in self._by_token.items() if token not in found]
        look_up = recognise(left)
        rest = []
        for entry in unknown:
            item = look_up(entry)
            if item is None or item.token in found or item.is_folder != entry.is_folder:
                rest.append(entry)
            else:
                found[item.token] = (self._store(item, entry), entry)
        return rest

    def _same_inode(self, left: list[Item]) -> LookUp:
        by_inode: dict[tuple[int, int], list[Item]] = defaultdict(list)
        for item in left:
            by_inode[item.device, item.inode].append(item)

        def look_up(entry: Entry) -> Item | None:
            items = by_inode.get((entry.device, entry.inode), ())
            return next((item for item in items if self._is_same(item, entry)), None)

        return look_up

    def _is_same(self, item: Item, entry: Entry) -> bool:
        born = self._tree.born(entry.path)
        if born is not None and item.born is not None:
            return born == item.born
        return (item.size, item.modified) == (entry.size, entry.modified)

    @staticmethod
    def _same_path(present: set[tuple[int, int]]) -> Callable[[list[Item]], LookUp]:
        def index(left: list[Item]) -> LookUp:
            by_path = {item.path: item for item in left if (item.device, item.inode) not in present}
            return lambda entry: _live(by_path.get(entry.path))

        return index

    def _same_content(self, left: list[Item]) -> LookUp:
        by_content: dict[tuple[int, str], list[Item]] = defaultdict(list)
        for item in left:
            if item.mark and item.size and item.state != DELETED:
                by_content[item.size, item.mark].append(item)
        sizes = {size for size, _ in by_content}

        def look_up(entry: Entry) -> Item | None:
            if entry.size not in sizes or not entry.is_file:
                return None
            items = by_content.get((entry.size, self._mark(entry)), [])
            return items[0] if len(items) == 1 else None

        return look_up

    # --- storing ---

    def _register(self, entry: Entry) -> Item:
        born = self._tree.born(entry.path)
        token = self.new_token(entry.path, self._prefix_of(entry))
        created = born if born is not None else entry.modified
        return self._store(Item(token, "", 0, 0, born, 0, 0, 0, "", created, LIVE), entry, born=born)

    def _store(self, item: Item, entry: Entry, born: int | None = None) -> Item:
        """Store where and what a thing is now."""
        item = item._replace(
            path=entry.path,
            device=entry.device,
            inode=entry.inode,
            born=born if born is not None else self._tree.born(entry.path),
            size=entry.size,
            modified=entry.modified,
            mode=entry.mode,
            mark=self._mark(entry),
            state=LIVE,
        )
        self._write(item)
        return item

    def _place(self, intention: Intention, entry: Entry | None) -> None:
        item = self._by_token.get(intention.token)
        if entry is None:
            if item is not None:
                self._write_below(item.path, None)
                self._write(item._replace(state=DELETED))
            return
        if item is None:
            born = self._tree.born(entry.path)
            item = Item(intention.token, "", 0, 0, born, 0, 0, 0, "", born or entry.modified, LIVE)
            self._store(item, entry, born=born)
            return
        self._write_below(item.path, entry.path)
        self._write(item._replace(path=entry.path, state=LIVE))

    def _write_below(self, before: str, now: str | None) -> None:
        """Give everything below a folder that was moved its new path, so that no search has to find it
        again.
        """
        prefix = before + "/"
        below = [token for path, token in self._by_path.items() if path.startswith(prefix)]
        for token in below:
            item = self._by_token[token]
            if now is None:
                self._write(item._replace(state=DELETED))
            else:
                self._write(item._replace(path=now + item.path[len(before) :]))

    def _write(self, item: Item) -> None:
        before = self._by_token.get(item.token)
        if before is not None and self._by_path.get(before.path) == item.token:
            del self._by_path[before.path]
        holder = self._by_path.get(item.path) if item.state == LIVE else None
        if holder is not None and holder != item.token:
            self._write(self._by_token[holder]._replace(state=MISSING))  # one path, one thing
        self._by_token[item.token] = item
        if item.state == LIVE:
            self._by_path[item.path] = item.token
        self._database.execute(
            "insert or replace into items values (?,?,?,?,?,?,?,?,?,?,?)",
            item._replace(path=os.fsencode(item.path)),  # type: ignore[arg-type]
        )

    def _load(self) -> None:
        """Read the table again where another process has changed it."""
        version = self._database.execute("pragma data_version").fetchone()[0]
        if version == self._seen_version:
            return
        rows = self._database.execute("select * from items").fetchall()
        self._by_token = {row[0]: Item(row[0], os.fsdecode(row[1]), *row[2:]) for row in rows}
        self._by_path = {item.path: item.token for item in self._by_token.values() if item.state == LIVE}
        self._seen_version = version

    def _mark(self, entry: Entry) -> str:
        if not entry.is_file:
            return ""
        try:
            if entry.size <= _WHOLE:
                content, _ = self._tree.read(entry.path, _WHOLE)
            else:
                content = str(entry.size).encode() + self._tree.ends(entry.path, entry.size, _END)
        except OSError:
            return ""  # not allowed to read it: known by its inode alone
        return hashlib.sha256(content).hexdigest()


def _live(item: Item | None) -> Item | None:
    return item if item is not None and item.state == LIVE else None
