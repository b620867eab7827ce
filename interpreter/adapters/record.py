"""What a run has recorded: read ahead while the run is walked anew, added to after that.

A walk asks for entries by key. Outside a `map` the order of asking is the order of the journal, so an entry of another
key is an error at once. Inside a `map` bodies overlap: entries not asked for yet wait in a small dictionary.
Rows without meaning for a replay (trace) are skipped. Rows that need no commit of their own ride in the next one.

A long stretch without an effect has very many rows on their way: they are written some at a time. A walk that comes to
such a stretch once more takes the same notes again, so that those which stand at the end of the record are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from interpreter.ports import Journal, JournalError, JsonObject, Row

if TYPE_CHECKING:
    from asyncio import Future, Handle

#: Kinds of rows that no call of the core asks for. Those of `trace` are the most, and say nothing that is needed here.
UNASKED = frozenset({"start", "trace", "edited", "end"})
_WITHOUT = frozenset({"trace"})
#: So many rows at most are on their way.
AT_MOST_RIDING = 1000


class Record:
    """The recorded entries of one run, and the rows on their way to its journal.

    Shapes: entries up to the row `after` are left out; `last_instant` is the latest instant that any entry names;
    `has_ended` whether the end is recorded (known when all is read); `tasks` how many bodies run at once right now.
    """

    def __init__(self, journal: Journal, after: int = 0) -> None:
        self.last_instant = ""
        self.has_ended = False
        self.tasks = 0
        self._journal = journal
        self._after = after
        self._upcoming = self._read()
        self._peeked: Row | None = None
        self._exhausted = False
        self._notes_taken = 0
        self._ahead: dict[str, list[Row]] = {}
        self._riding: list[tuple[str, str, JsonObject]] = []
        self._turn: Future[None] | None = None
        self._turn_end: Handle | None = None
        self._turn_syncs = False
        self._turn_waits = 0

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
        return bool(self._ahead) or (not self._exhausted and self._peek() is not None)

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

    def ride(self, key: str, kind: str, body: JsonObject) -> None:
        """Add a row that goes with the next commit."""
        self._riding.append((key, kind, body))

    def trace(self, body: JsonObject) -> None:
        """Add a row to the trace, which goes with the next commit; nothing while recorded entries are left."""
        if self._ahead or not (self._exhausted or self._peek() is None):
            return
        if self._notes_taken:
            self._notes_taken -= 1
            return
        self._riding.append(("", "trace", body))
        if len(self._riding) >= AT_MOST_RIDING and self._turn is None:
            self.write()

    async def commit(self, key: str, kind: str, body: JsonObject, *, sync: bool = False) -> None:
        """Add a row and return when it is written; bodies at work together share a commit for each turn of the loop."""
        self._riding.append((key, kind, body))
        if self.tasks <= 1:
            self.write(sync)
            return
        turn = self._turn or self._begin_turn()
        self._turn_syncs = self._turn_syncs or sync
        self._turn_waits += 1
        if self._turn_waits == self.tasks:
            self._end_turn()  # every body at work waits for this commit, so that no further row can come
        await turn

    def write(self, sync: bool = False) -> None:
        """Write every row on its way in one commit."""
        if not self._riding:
            return
        rows, self._riding = self._riding, []
        sync, self._turn_syncs = sync or self._turn_syncs, False
        self._journal.append(rows, sync=sync)

    def _begin_turn(self) -> Future[None]:
        import asyncio

        loop = asyncio.get_running_loop()
        self._turn = loop.create_future()
        self._turn_end = loop.call_soon(self._end_turn)
        return self._turn

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, None
        assert turn is not None
        assert self._turn_end is not None
        self._turn_end.cancel()
        self._turn_waits = 0
        try:
            self.write()
        except BaseException as error:
            # Handed to every body that waits for this commit: none of them may go on.
            if not turn.done():
                turn.set_exception(error)
        else:
            if not turn.done():
                turn.set_result(None)
