"""Where the walk of a run begins, as its journal tells."""

from __future__ import annotations

import os
from pathlib import Path

from interpreter.ports import Journal, JsonObject
from rules.records import record

#: The kinds of most rows of a long run; whoever asks how it began or ended does not need them.
ON_THE_WAY = frozenset({"trace", "intention", "outcome", "decided", "message", "turn", "now"})
#: What of a start is another one after an edit.
_TAKEN_UP = ("documents", "digests", "profile", "identities")


@record
class Beginning:
    """Where the walk of a run begins.

    Shapes: `start` is the first row, with the documents and the profile of the latest edit that was taken up;
    `snapshot` is where the walk begins then, and `after` the last row that it no longer looks at.
    """

    start: JsonObject
    snapshot: JsonObject | None = None
    after: int = 0


def beginning_of(journal: Journal) -> Beginning:
    """Return how a run began, and where an edit made it begin anew."""
    start: JsonObject = {}
    snapshot: JsonObject | None = None
    after = 0
    for row in journal.rows(ON_THE_WAY):
        if row.kind == "start":
            start = dict(row.body)
        elif row.kind == "edited":
            start |= {name: row.body[name] for name in _TAKEN_UP if name in row.body}
            snapshot, after = row.body["snapshot"], row.sequence
    return Beginning(start, snapshot, after)


def place_of(start: JsonObject, recorded: str) -> Path:
    """Return where a file is that a run recorded by a path from the folder that it was begun in."""
    path, folder = Path(recorded), start.get("folder", "")
    return path if path.is_absolute() or folder in ("", os.getcwd()) else Path(folder) / path
