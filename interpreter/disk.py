"""What reading documents asks of the disk: three questions, and nothing else of it is read.

Whoever notes the answers can ask again later, and knows by them whether what was found in the documents still holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rules.records import NamedTuple

LARGEST_FILE: Final = 16_000_000
"""Units: bytes. Far above any document that a person writes."""
ENDINGS: Final = (".yaml", ".yml")


class NoContent(NamedTuple):
    """Why a place gives no bytes. Shapes: `reason` says more of what is `unreadable`."""

    kind: str
    reason: str = ""


class Files:
    """The files of this machine."""

    def content(self, path: str) -> bytes | NoContent:
        """Return the bytes of a file, at most one more than LARGEST_FILE."""
        try:
            place = Path(path)
            if place.is_dir():
                return NoContent("folder")
            if not place.exists():
                return NoContent("missing")
            if not place.is_file():
                return NoContent("device")
            with place.open("rb") as stream:
                return stream.read(LARGEST_FILE + 1)
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or "unusable file name"
            return NoContent("unreadable", reason)

    def names(self, folder: str) -> tuple[str, ...]:
        """Return the names of the YAML files in a folder, without ending; none of a folder that cannot be read."""
        try:
            return tuple(sorted(entry.stem for entry in Path(folder).iterdir() if entry.suffix in ENDINGS))
        except OSError:
            return ()

    def below(self, folder: str) -> tuple[str, ...] | None:
        """Return the places of all YAML files below a folder, None for what is no folder."""
        place = Path(folder)
        if not place.is_dir():
            return None
        return tuple(sorted(str(file) for ending in ENDINGS for file in place.rglob(f"*{ending}")))
