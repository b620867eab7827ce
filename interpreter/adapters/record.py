"""What a run has recorded: read ahead while the run is walked anew, added to after that.

A walk asks for entries by key. Outside a `map` the order of asking is the order of the journal, so an entry of another
key is an error at once. Inside a `map` bodies overlap: entries not asked for yet wait in a small dictionary.
Rows without meaning for a replay (trace) are skipped. Rows that need no commit of their own ride in the next one.

A long stretch without an effect has very many rows on their way: they are written some at a time. A walk that comes to
such a stretch once more takes the same notes again, so that those which stand at the end of the record are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.ports import Journal, JournalError, JsonObject, Row

#: Kinds of rows that no call of the core asks for. Those of `trace` are the most, and say nothing that is needed here.
UNASKED = frozenset({"start", "trace", "edited", "end"})
_WITHOUT = frozenset({"trace"})
#: So many rows at most are on their way.
AT_MOST_RIDING = 1000


class Record:
    """The recorded entries of one run, and the rows on their way to its journal.

    Shapes: entries up to the row `after` are left out; `last_instant` is the latest instant that any entry names;
    `has_ended` whether the end is recorded (known when all is read); `is_used_up` whether the walk is known to have
    come to all of them.
    """

    def __init__(self, journal: Journal, after: int = 0) -> None:
        self.last_instant = ""
        self.has_ended = False
        self._journal = journal
        self._after = after
        self._upcoming = self._read()
        self._peeked: Row | None = None
        self._exhausted = False
        self.is_used_up = False
        self._notes_taken = 0
        self._is_noting = False
        self._ahead: dict[str, list[Row]] = {}
        self._riding: list[tuple[str, str, JsonObject]] = []
        self._syncs = False

    # --- reading ---

    def take(self, key: str, *, in_order: bool) -> Row | None:
        """Return the next recorded entry of a key, or None where the record ends.

        Errors: JournalError(`run/journal-mismatch`) with `in_order` when the record has another key here.
        """
        if self._exhausted and not self._ahead:
            return None
        waiting = self._ahead.get(key)
        if waiting is not None:
            if len(waiting) == 1:
                del self._ahead[key]
            return waiting.pop(0)
        if in_order:
            return self._take_in_order(key)
        while (row := self._next()) is not None:
            if row.key == key:
                return row
            self._ahead.setdefault(row.key, []).append(row)
        return None

    def find_next(self, key: str) -> Row | None:
        """Return the very next entry if it has this key, without asking for it to be there."""
        if self._ahead or self._peek() is None or self._peeked is None or self._peeked.key != key:
            return None
        return self._next()

    def is_replaying(self) -> bool:
        """Tell whether recorded entries are left that the walk has not come to yet."""
        if not self.is_used_up:
            self.is_used_up = not self._ahead and (self._exhausted or self._peek() is None)
        return not self.is_used_up

    def check_used_up(self, key: str) -> None:
        """Make sure that nothing is recorded that the walk did not ask for.

        Errors: JournalError(`run/journal-mismatch`).
        """
        left = next(iter(self._ahead), None)
        if left is None and (row := self._peek()) is not None:
            left = row.key
        if left is not None:
            raise self.mismatch(key, "left-over", left=left)

    def mismatch(self, key: str, reason: str, **facts: object) -> JournalError:
        """Return the error that the record and the walk disagree."""
        run_id = getattr(self._journal, "run_id", "")
        return JournalError("run/journal-mismatch", run=run_id, key=key, reason=reason, **facts)

    def _take_in_order(self, key: str) -> Row | None:
        if self._ahead:
            self.check_used_up(key)
        row = self._next()
        if row is not None and row.key != key:
            raise self.mismatch(key, "left-over", left=row.key)
        return row

    def _next(self) -> Row | None:
        row = self._peek()
        self._peeked = None
        return row

    def _peek(self) -> Row | None:
        if self._peeked is None and not self._exhausted:
            self._peeked = next(self._upcoming, None)
            if self._peeked is None:
                self._exhausted = True
                self._notes_taken = self._journal.notes_at_end()
        return self._peeked

    def _read(self) -> Iterator[Row]:
        for row in self._journal.rows(_WITHOUT):
            instant = row.body.get("at", "")
            if isinstance(instant, str) and instant > self.last_instant:
                self.last_instant = instant
            self.has_ended = self.has_ended or row.kind == "end"
            if row.sequence > self._after and row.kind not in UNASKED:
                yield row

    # --- writing ---

    def ride(self, key: str, kind: str, body: JsonObject, *, sync: bool = False) -> None:
        """Add a row that goes with the next commit; with `sync` that one has to survive a power cut."""
        self._riding.append((key, kind, body))
        self._syncs = self._syncs or sync

    def trace(self, body: JsonObject) -> None:
        """Add a row to the trace, which goes with the next commit; nothing while recorded entries are left."""
        if not self._is_noting and not self._begins_to_note():
            return
        self._riding.append(("", "trace", body))
        if len(self._riding) >= AT_MOST_RIDING:
            self.write()

    def _begins_to_note(self) -> bool:
        """Tell whether a note is a new one from now on: the first ones after a replay stand in the record already."""
        if self.is_replaying():
            return False
        if self._notes_taken:
            self._notes_taken -= 1
            return False
        self._is_noting = True
        return True

    def write(self, *, sync: bool = False) -> None:
        """Write every row on its way in one commit.

        Errors: JournalError; the rows stay on their way, so that everybody who waits for one of them learns of it.
        """
        if not self._riding:
            return
        self._journal.append(self._riding, sync=sync or self._syncs)
        self._riding = []
        self._syncs = False
