"""The adapter object: records.search and records.segments over one folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import RLock
from typing import Any

from interpreter.adapters.records.failures import invalid_page_token
from interpreter.adapters.records.index import HEAD_PART, Index, Part
from interpreter.adapters.records.store import Store
from interpreter.ports import ToolFailure

Answer = dict[str, Any]
#: So many segments are on a page.
PAGE = 4


class RecordsAdapter:
    """Shapes: settings are `root` (must be given). Errors: ToolFailure with a code of the contract."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._store = Store(str(settings.get("root") or ""))
        self._index = Index()
        self._turn = RLock()

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str = "") -> Answer:
        with self._turn:
            return self._search(arguments) if tool == "records.search" else self._segments(arguments)

    def resolved_identity(self) -> str:
        return self._store.root

    def close(self) -> None:
        self._index.close()

    def _search(self, arguments: Mapping[str, Any]) -> Answer:
        self._index.update(self._store.stamps(), lambda record: self._parts(record))
        hits: list[Answer] = []
        for hit in self._index.search(arguments["query"], arguments["limit"]):
            found: Answer = {"record_id": hit.record, "score": hit.score, "protected": self._is_protected(hit.record)}
            hits.append(found if hit.segment == HEAD_PART else {**found, "segment": hit.segment})
        return {"hits": hits}

    def _segments(self, arguments: Mapping[str, Any]) -> Answer:
        record = arguments["record_id"]
        head = self._store.head(record)
        first = _place(record, arguments.get("page_token"), head.segments)
        there = [number for number in self._store.numbers(record) if first <= number <= head.segments]
        texts = ((number, self._store.segment(record, number)) for number in there[:PAGE])
        after = there[PAGE] if len(there) > PAGE else None
        answer: Answer = {
            "record_id": record,
            "title": head.title,
            "protected": head.protected,
            "sha256": head.sha256,
            "segment_count": head.segments,
            "segments": [{"index": number - 1, "text": text} for number, text in texts if text is not None],
            "has_more": after is not None,
        }
        if head.summary is not None:
            answer["summary"] = head.summary
        if after is not None:
            answer["page_token"] = f"{record}:{after}"
        return answer

    def _is_protected(self, record: str) -> bool:
        try:
            return self._store.head(record).protected
        except ToolFailure:
            return False

    def _parts(self, record: str) -> Iterator[Part]:
        """Yield what can be read of a record; what cannot be read is found out when it is loaded."""
        try:
            head = self._store.head(record)
            yield Part(HEAD_PART, f"{head.title}\n{head.summary or ''}")
        except ToolFailure:
            pass
        for number in self._store.numbers(record):
            try:
                yield Part(number - 1, self._store.segment(record, number) or "")
            except ToolFailure:
                continue


def _place(record: str, token: str | None, segments: int) -> int:
    """Return the number of the segment that a page begins with."""
    if not token:
        return 1
    owner, _, number = token.rpartition(":")
    if owner != record or not (number.isdecimal() and number.isascii()) or not 1 <= int(number) <= segments:
        raise invalid_page_token()
    return int(number)
