"""A journal in memory: the same protocol for tests, fuzzing and dry runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from interpreter.adapters.holds import NoHolds
from interpreter.ports import JsonObject, Row
from rules.values import dumps, loads


class MemoryJournal:
    """An append-only log of one run that lives as long as the object.

    Bodies are kept as text, so that a replay sees what a file would give back, never the same objects.
    """

    def __init__(self, rows: Iterable[tuple[str, str, str]] = ()) -> None:
        self._rows = list(rows)
        self._answers: dict[str, JsonObject] = {}
        self._cancels = 0
        self.status: JsonObject = {}
        self.holds = NoHolds()

    def append(self, rows: Iterable[tuple[str, str, JsonObject]], *, sync: bool) -> None:
        encoded = [(key, kind, dumps(body)) for key, kind, body in rows]
        self._rows.extend(encoded)

    def rows(self, without: frozenset[str] = frozenset()) -> Iterator[Row]:
        at = 0
        while at < len(self._rows):
            key, kind, text = self._rows[at]
            at += 1
            if kind not in without:
                yield Row(at, key, kind, loads(text))

    def of_kinds(self, *kinds: str) -> Iterator[Row]:
        return (row for row in self.rows() if row.kind in kinds)

    def notes_at_end(self) -> int:
        notes = takewhile(lambda row: row[1] == "trace", reversed(self._rows))
        return sum(not key for key, _, _ in notes)

    def answers(self) -> Mapping[str, JsonObject]:
        return self._answers

    def offer_answer(self, question: str, body: JsonObject) -> JsonObject:
        return self._answers.setdefault(question, body)

    def refuse_answer(self, question: str, reason: JsonObject) -> None:
        self._answers.pop(question, None)

    def cancels(self) -> int:
        return self._cancels

    def request_cancel(self) -> None:
        self._cancels += 1

    def set_status(self, status: JsonObject) -> None:
        self.status = status

    def close(self) -> None:
        """Nothing is held open."""

    def __len__(self) -> int:
        return len(self._rows)

    def prefix(self, length: int) -> MemoryJournal:
        """Return a journal of the first rows, with the answers and requests given so far: a run killed there."""
        copied = MemoryJournal(self._rows[:length])
        copied._answers = dict(self._answers)
        copied._cancels = self._cancels
        return copied
