"""The settings that each adapter behind `python` reads, by the name under `use`; its own reading says what fits."""

from __future__ import annotations

from collections.abc import Mapping

_FOLDERS = "account body_limit document_limit page_token_seconds reading_limits root state tasks"

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


def is_installed(name: str) -> bool:
    """Say whether an installed distribution has an adapter of this name; it is not imported."""
    from importlib.metadata import entry_points

    return any(point.name == name for point in entry_points(group=ENTRY_POINTS))
