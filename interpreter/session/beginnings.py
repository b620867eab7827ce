"""Where the walk of a run begins, as its journal tells."""

from __future__ import annotations

import os
from pathlib import Path

from interpreter.ports import Journal, JsonObject
from rules.records import field, record

#: The kinds of most rows of a long run; whoever asks how it began or ended does not need them.
ON_THE_WAY = frozenset({"trace", "intention", "outcome", "decided", "message", "turn", "now"})
#: What of a start is another one after an edit.
_TAKEN_UP = ("documents", "digests", "profile", "identities")


@record
class Beginning:
    """Where the walk of a run begins.

    Shapes: `start` is the first row, with the documents and the profile of the latest edit that was taken up;
    `snapshot` is where the walk begins then, `budgets` how many more calls were granted there, and `after` the last row
    that it no longer looks at.
    """

    start: JsonObject
    snapshot: JsonObject | None = None
    after: int = 0
    budgets: JsonObject = field(default_factory=dict)


def beginning_of(journal: Journal) -> Beginning:
    """Return how a run began, and where an edit made it begin anew."""
    begun = Beginning({})
    for row in journal.rows(ON_THE_WAY):
        if row.kind == "start":
            begun = Beginning(row.body)
        elif row.kind == "edited":
            start = begun.start | {name: row.body[name] for name in _TAKEN_UP if name in row.body}
            begun = Beginning(start, row.body["snapshot"], row.sequence, row.body.get("budgets", {}))
    return begun


def profile_texts(start: JsonObject) -> dict[str, str]:
    """Return the texts of the profile of a run by the names of their files, its own first."""
    profile = start["profile"]
    return {Path(profile["path"]).stem: profile["text"], **profile.get("extended", {})}


def place_of(start: JsonObject, recorded: str) -> Path:
    """Return where a file is that a run recorded by a path from the folder that it was begun in."""
    path, folder = Path(recorded), start.get("folder", "")
    return path if path.is_absolute() or folder in ("", os.getcwd()) else Path(folder) / path
