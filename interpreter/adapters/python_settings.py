"""What is said of an adapter behind `python` before it is imported: the settings that it reads, and where it is found.

What fits a setting is said by the adapter's own reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_FOLDERS = "account body_limit document_limit page_token_seconds reading_limits root state tasks"

#: The settings that each adapter of this program reads, by the name under `use`.
PYTHON_SETTINGS: Mapping[str, frozenset[str]] = {
    use: frozenset(names.split())
    for use, names in {
        "drive": f"{_FOLDERS} wiki",
        "wiki": f"{_FOLDERS} drive",
        "records": "root",
        "notes": "index vault",
        "files": "root",
        "web": (
            "body_mb connect_seconds cpu_seconds decompression_ratio markup_characters markup_elements memory_mb "
            "own_addresses page_reading page_seconds pages ratio redirects robots state text_characters unpacked_mb "
            "user_agent wall_seconds"
        ),
    }.items()
}
"""An adapter of another distribution is not among them: its settings are its own affair."""
ENTRY_POINTS = "interpreter.adapters"


def entry_point(name: str) -> EntryPoint | None:
    """Return where an installed distribution has the adapter of this name; it is not imported."""
    from importlib.metadata import entry_points

    return next(iter(entry_points(group=ENTRY_POINTS, name=name)), None)
