"""The journal of one run in SQLite: one file, one append-only log, nothing that a crash can leave half done.

- Each row carries the SHA-256 of itself and the row before; `head` says how far the chain must reach. Whatever else is
  found, cut, changed or copied in part, is an error and never a fresh start.
- Bodies above 256 KB lie in a table of their own; the row holds their hash.
- Answers and cancel requests come from other processes into `inbox`, which has its own chain and head. They are few, so
  that it is read whole; the first answer to a question wins, whoever gave it.
- `PRAGMA synchronous` is switched around a commit that has to survive a power cut. Two connections would cost the same
  and bring an order of commits to get wrong.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from interpreter.adapters.head import Head, HeadFile, parse_head
from interpreter.adapters.holds import Holds
from interpreter.adapters.journal_file import JournalFile
from interpreter.ports import JournalError, JsonObject, Row
from rules.patterns import regex
from rules.records import NamedTuple
from rules.values import dumps, loads, pieces

DATABASE, HEAD, INBOX_HEAD, STATUS = "journal.sqlite3", "head", "inbox-head", "status.json"
LOCK, INBOX_LOCK = "lock", "inbox-lock"

#: A body longer than this is kept apart. Units: bytes.
INLINE = 256 * 1024
#: Half of what SQLite takes by itself: a commit writes whole pages, and most commits are a few hundred bytes.
#: Units: bytes.
PAGE = 2048
#: Rows read at a time; a cursor left open would keep the file from being tidied up.
READ_AHEAD = 256
#: The number of this file format.
FORMAT = 1

_TABLES = """
create table log(
  seq integer primary key, chain blob not null, key text not null, kind text not null, body text not null);
create table blob(id integer primary key, hash text not null unique, body blob not null);
create table inbox(
  seq integer primary key, chain blob not null, key text not null, kind text not null, body text not null);
pragma user_version = 1;
"""
_INSERT = "insert into log(seq, chain, key, kind, body) values (?, ?, ?, ?, ?)"
_INSERT_LARGE = "insert or ignore into blob(hash, body) values (?, ?)"
_INSERT_ANSWER = "insert into inbox(seq, chain, key, kind, body) values (?, ?, ?, ?, ?)"
_START = bytes(32)
_LOCK_ATTEMPTS = 8
#: Kinds of rows that may hold nearly all data of a run.
_LARGE_KINDS = frozenset({"question", "end"})
#: What SQLite says when the disk or the rights are at fault and not the content.
_DISK_ERRORS = ("SQLITE_BUSY", "SQLITE_IOERR", "SQLITE_FULL", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM")
_SURROGATE = regex("[\ud800-\udfff]")


_StoredRow = tuple[int, bytes, str, str, str]


class _Inbox(NamedTuple):
    """What other processes have sent. Shapes: `answers` by question, `rows` and `chain` of the last entry."""

    answers: dict[str, JsonObject]
    cancels: int
    rows: int
    chain: bytes


class SqliteJournal:
    """`ports.Journal` over one run's folder.

    Shapes: `run_id` names the run in errors. With `lock` this process alone may append to the log; without it, reading,
    answering and asking to cancel work beside the process that does.
    Errors: JournalError, from every method.
    """

    def __init__(self, folder: Path, run_id: str, *, lock: bool = True, held: int | None = None) -> None:
        self.run_id = run_id
        self._folder = folder
        self.holds = Holds(folder)
        self._rows, self._chain = 0, _START
        self._may_write = False
        self._file: JournalFile | None = None
        self._heads: dict[str, HeadFile] = {}
        self._inbox: _Inbox | None = None
        self._inbox_mark = b""
        self._failed = False
        self._lock = _take_lock(folder, run_id) if lock and held is None else held
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(cls, folder: Path, run_id: str, start: JsonObject) -> SqliteJournal:
        """Make a new run whose first row is its start; it appears whole under its name, or not at all.

        Errors: JournalError(`run/exists`, `run/journal-not-written`).
        """
        fresh = folder.parent / f".new-{run_id}-{os.urandom(4).hex()}"
        with _writing(run_id):
            fresh.mkdir(mode=0o700)
        lock = None
        try:
            lock = _take_lock(fresh, run_id)
            with _writing(run_id):
                _make_files(fresh, start)
                _move(fresh, folder, run_id)
        except BaseException:
            if lock is not None:
                os.close(lock)
            _remove(fresh)
            raise
        return cls(folder, run_id, held=lock)  # closes the lock where it fails

    # --- the log ---

    def append(self, rows: Iterable[tuple[str, str, JsonObject]], *, sync: bool) -> None:
        assert self._lock is not None, "only the process that holds the lock may append"
        large: dict[str, bytes] = {}
        stored = self._stored(rows, large)
        if not stored:
            return
        if self._failed:
            raise JournalError("run/journal-not-written", run=self.run_id, reason="stopped")
        try:
            last = stored[-1]
            if large:
                self._database.insert_together(((_INSERT_LARGE, large.items()), (_INSERT, stored)), sync=sync)
            elif len(stored) > 1:
                self._database.insert_together(((_INSERT, stored),), sync=sync)
            else:
                self._database.insert(_INSERT, last, sync=sync)
            self._rows, self._chain = last[0], last[1]
            if sync:
                self._head_file(HEAD).write(Head(self._rows, self._chain))
        except (sqlite3.Error, OSError) as error:
            self._failed = True  # a row after one that was lost would hang in the air
            raise _refused(self.run_id, error) from error

    def rows(self, without: frozenset[str] = frozenset()) -> Iterator[Row]:
        last, chain = 0, _START
        while True:
            found = self._read(
                "select seq, chain, key, kind, body from log where seq > ? order by seq limit ?",
                last,
                READ_AHEAD,
            )
            for seq, link, key, kind, body in found:
                last += 1
                if not (seq == last and isinstance(key, str) and isinstance(kind, str) and isinstance(body, str)):
                    self._damaged("shape", row=last)
                chain = _link(chain, _row(key, kind, body))
                if link != chain:
                    self._damaged("chain", row=last)
                if kind not in without:
                    yield Row(seq, key, kind, self._decoded(body, last))
                elif body.startswith("#"):
                    self._large(body[1:], last)
            if not found:
                return

    def of_kinds(self, *kinds: str) -> Iterator[Row]:
        marks = ",".join("?" * len(kinds))
        found = self._read(f"select seq, key, kind, body from log where kind in ({marks}) order by seq", *kinds)
        for seq, key, kind, body in found:
            yield Row(seq, key, kind, self._decoded(body, seq))

    def notes_at_end(self) -> int:
        last = "select seq from log where kind <> 'trace' order by seq desc limit 1"
        found = self._read(f"select count(*) from log where seq > ({last}) and key = ''")
        return int(found[0][0])

    def _stored(self, rows: Iterable[tuple[str, str, JsonObject]], large: dict[str, bytes]) -> list[_StoredRow]:
        """Return rows as they are stored; bodies that are kept apart come into `large`, by hash."""
        stored: list[_StoredRow] = []
        seq, link = self._rows, self._chain
        for key, kind, body in rows:
            if kind in _LARGE_KINDS:
                raw = _raw_in_pieces(body)  # of a body that is kept apart no text is made at all
                text = _name_of_large(raw, large) if len(raw) > INLINE else raw.decode()
                row = _row(key, kind, text)
            else:
                text, row = _text_and_row(key, kind, body)
                if len(row) > INLINE and len(raw := text.encode()) > INLINE:
                    text = _name_of_large(raw, large)
                    row = _row(key, kind, text)
            seq += 1
            link = _link(link, row)
            stored.append((seq, link, key, kind, text))
        return stored

    def _decoded(self, text: str, row: int) -> JsonObject:
        if text.startswith("#"):
            text = self._large(text[1:], row)
        try:
            body = loads(text)
        except ValueError:
            self._damaged("shape", row=row)
        if not isinstance(body, dict):
            self._damaged("shape", row=row)
        return body

    def _large(self, name: str, row: int) -> str:
        found = self._read("select body from blob where hash = ?", name)
        raw = found[0][0] if found else b""
        if not isinstance(raw, bytes) or hashlib.sha256(raw).hexdigest() != name:
            self._damaged("blob", row=row)
        return raw.decode()

    # --- the inbox ---

    def answers(self) -> Mapping[str, JsonObject]:
        return self._received().answers

    def offer_answer(self, question: str, body: JsonObject) -> JsonObject:
        def offer(inbox: _Inbox) -> tuple[str, str, JsonObject] | None:
            return None if question in inbox.answers else (question, "answer", body)

        return self._send(offer).answers[question]

    def refuse_answer(self, question: str, reason: JsonObject) -> None:
        self._send(lambda inbox: (question, "refused", reason) if question in inbox.answers else None)

    def cancels(self) -> int:
        return self._received().cancels

    def request_cancel(self) -> None:
        self._send(lambda inbox: ("", "cancel", {}))

    def _received(self) -> _Inbox:
        """Return the inbox, read again only when its head was written since."""
        mark = self._head_bytes(INBOX_HEAD)  # a microsecond; asked before each call of a tool
        if self._inbox is None or mark != self._inbox_mark:
            self._inbox = self._read_inbox(mark)
            self._inbox_mark = mark
        return self._inbox

    def _read_inbox(self, mark: bytes) -> _Inbox:
        head = self._whole_head(mark)
        answers: dict[str, JsonObject] = {}
        cancels, chain, expected = 0, _START, 0
        reached = head.rows == 0
        for seq, link, key, kind, body in self._read("select seq, chain, key, kind, body from inbox order by seq"):
            expected += 1
            if not (isinstance(key, str) and isinstance(kind, str) and isinstance(body, str)):
                self._damaged("inbox")
            chain = _link(chain, _row(key, kind, body))
            if seq != expected or link != chain:
                self._damaged("inbox")
            reached = reached or (seq == head.rows and chain == head.chain)
            if kind == "answer":
                answers[key] = self._decoded(body, expected)
            elif kind == "refused":
                answers.pop(key, None)
            else:
                cancels += 1
        if not reached:
            self._damaged("inbox")
        return _Inbox(answers, cancels, expected, chain)

    def _send(self, choose: Callable[[_Inbox], tuple[str, str, JsonObject] | None]) -> _Inbox:
        """Add the entry that `choose` makes of the inbox as it stands; return the inbox afterwards.

        The lock spans the commit and its head, so that no two processes write the head in the wrong order.
        """
        with _writing(self.run_id), _locked(self._folder / INBOX_LOCK):
            if not self._may_write:
                self._reconnect_to_write()
            inbox = self._read_inbox(self._head_bytes(INBOX_HEAD))
            entry = choose(inbox)
            if entry is not None:
                key, kind, body = entry
                text, row = _text_and_row(key, kind, body)
                chain = _link(inbox.chain, row)
                self._database.insert(_INSERT_ANSWER, (inbox.rows + 1, chain, key, kind, text), sync=True)
                self._head_file(INBOX_HEAD).write(Head(inbox.rows + 1, chain))
        return self._received()

    # --- beside the log ---

    def set_status(self, status: JsonObject) -> None:
        """Replace the small status file; it is a convenience, so a disk that refuses it is no error."""
        temporary = self._folder / f"{STATUS}.new"
        with suppress(OSError):
            temporary.write_text(dumps(status), encoding="utf-8", errors="backslashreplace")
            os.replace(temporary, self._folder / STATUS)

    def close(self) -> None:
        self.holds.close()
        if self._file is not None:
            self._file.close()
            self._file = None
        while self._heads:
            self._heads.popitem()[1].close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def newest(self, kind: str, mentions: str = "") -> Iterator[tuple[str, JsonObject]]:
        """Return the key and body of each row of a kind, the newest first; with `mentions` those that hold a text."""
        may_mention = "(instr(body, ?) or body like '#%')"  # a large body lies elsewhere
        statement = f"select seq, key, body from log where kind = ? and {may_mention} order by seq desc"
        for seq, key, body in self._read(statement, kind, mentions):
            decoded = self._decoded(body, seq)
            if not body.startswith("#") or mentions in dumps(decoded):
                yield key, decoded

    # --- opening ---

    @property
    def _database(self) -> JournalFile:
        assert self._file is not None, "the journal is closed"
        return self._file

    def _open(self) -> None:
        if not (self._folder / DATABASE).exists():
            self._damaged("no-journal")
        # A connection that only reads never changes the files, not even when it closes: with something left in the
        # `-wal`, look first, so that a damaged journal stays as it was found.
        look_first = self._lock is None or (self._folder / f"{DATABASE}-wal").exists()
        self._file = self._connect("ro" if look_first else "rw")
        self._may_write = not look_first
        self._rows, self._chain = self._checked_end()
        self._received()
        if self._lock is not None and look_first:
            self._reconnect_to_write()

    def _reconnect_to_write(self) -> None:
        self._database.close()
        self._file = self._connect("rw")
        self._may_write = True

    def _connect(self, mode: str) -> JournalFile:
        try:
            return JournalFile(self._folder / DATABASE, mode)
        except sqlite3.Error as error:
            self._unreadable(error)

    def _checked_end(self) -> tuple[int, bytes]:
        """Return the number and checksum of the last row, after comparing the log with its head."""
        head = self._whole_head(self._head_bytes(HEAD))  # before the log, which another process may lengthen meanwhile
        version = self._read("pragma user_version")[0][0]
        last = self._read("select seq, chain from log order by seq desc limit 1")
        rows, chain = last[0] if last else (0, _START)
        if version != FORMAT or not (isinstance(rows, int) and isinstance(chain, bytes)):
            self._damaged("shape", row=rows)
        if rows == 0 and head.rows:
            self._damaged("empty")
        if rows < head.rows:
            raise JournalError("run/journal-cut", run=self.run_id, expected=head.rows, found=rows)
        if head.rows and self._read("select chain from log where seq = ?", head.rows) != [(head.chain,)]:
            self._damaged("chain", row=head.rows)
        return rows, chain

    def _head_file(self, name: str) -> HeadFile:
        file = self._heads.get(name)
        if file is None:
            file = self._heads[name] = HeadFile(self._folder / name)
        return file

    def _head_bytes(self, name: str) -> bytes:
        try:
            return (self._heads.get(name) or self._head_file(name)).read()
        except OSError:
            self._damaged("no-head")

    def _whole_head(self, text: bytes) -> Head:
        head = parse_head(text)
        if head is None:
            self._damaged("no-head")
        return head

    # --- reading and writing ---

    def _read(self, statement: str, *values: object) -> list[Any]:
        try:
            return self._database.read(statement, values)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            self._unreadable(error)

    def _unreadable(self, error: Exception) -> NoReturn:
        name = getattr(error, "sqlite_errorname", None) or ""
        if name.startswith(_DISK_ERRORS) and name != "SQLITE_IOERR_SHORT_READ":
            raise _refused(self.run_id, error) from error
        self._damaged("database", detail=error)

    def _damaged(self, reason: str, **facts: object) -> NoReturn:
        raise JournalError("run/journal-damaged", run=self.run_id, reason=reason, **facts)


def is_locked(folder: Path) -> bool:
    """Tell whether a process holds a run right now."""
    try:
        descriptor = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)


def _take_lock(folder: Path, run_id: str) -> int:
    """Return the descriptor that holds the run; the lock goes with the process, however it ends.

    Errors: JournalError(`run/in-use`, `run/journal-not-written`).
    """
    with _writing(run_id):
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    for attempt in range(_LOCK_ATTEMPTS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            # `is_locked` of another process holds it for a moment.
            time.sleep(0.002 * attempt)
    else:
        process = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "?"
        os.close(descriptor)
        raise JournalError("run/in-use", run=run_id, process=process)
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _writing(run_id: str) -> Iterator[None]:
    """Turn what the disk refuses into an error that stops the run."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise _refused(run_id, error) from error


def _refused(run_id: str, error: Exception) -> JournalError:
    name = getattr(error, "sqlite_errorname", None) or ""
    reason = "busy" if name.startswith("SQLITE_BUSY") else "disk"
    return JournalError("run/journal-not-written", run=run_id, reason=reason, detail=error)


def _make_files(folder: Path, start: JsonObject) -> None:
    """Make the database with its first row, and the heads, all of it on the disk when this returns."""
    text, row = _text_and_row("", "start", start)
    chain = _link(_START, row)
    connection = sqlite3.connect(folder / DATABASE, isolation_level=None)
    try:
        connection.execute(f"pragma page_size = {PAGE}")
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = off")  # the whole file is synced below
        connection.executescript(f"begin; {_TABLES} commit;")
        connection.execute(_INSERT, (1, chain, "", "start", text))
    finally:
        connection.close()
    os.chmod(folder / DATABASE, 0o600)
    for name, head in ((HEAD, Head(1, chain)), (INBOX_HEAD, Head(0, _START))):
        file = HeadFile(folder / name, create=True)
        file.fill(head)
        file.close()
    for path in (folder / DATABASE, folder / HEAD, folder / INBOX_HEAD, folder):
        _sync(path)


def _move(fresh: Path, folder: Path, run_id: str) -> None:
    try:
        os.rename(fresh, folder)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise JournalError("run/exists", run=run_id) from None
        raise
    _sync(folder.parent)


def _remove(folder: Path) -> None:
    from shutil import rmtree

    rmtree(folder, ignore_errors=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _link(chain: bytes, row: bytes) -> bytes:
    """Return the checksum of a row and all before it."""
    return hashlib.sha256(chain + row).digest()


def _row(key: str, kind: str, text: str, errors: str = "surrogatepass") -> bytes:
    """Return what a checksum is made of: lengths keep `ab`, `c` apart from `a`, `bc`."""
    return f"{len(key)} {len(kind)} {key}{kind}{text}".encode("utf-8", errors)


def _text_and_row(key: str, kind: str, body: JsonObject) -> tuple[str, bytes]:
    """Return a body as JSON text, and its whole row; half of a surrogate pair is written as an escape."""
    text = dumps(body)
    try:
        return text, _row(key, kind, text, "strict")
    except UnicodeEncodeError:
        text = _escaped(text)
        return text, _row(key, kind, text)


def _raw_in_pieces(body: JsonObject) -> bytes:
    """Return the bytes of a body that may be large as JSON, without a text of all of it."""
    return b"".join([_escaped(piece).encode() for piece in pieces(body)])


def _escaped(text: str) -> str:
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _name_of_large(raw: bytes, large: dict[str, bytes]) -> str:
    """Put a body to those that are kept apart; return what stands in its place."""
    name = hashlib.sha256(raw).hexdigest()
    large[name] = raw
    return f"#{name}"
