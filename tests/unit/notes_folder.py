"""What the tests of the notes share: their checked calls, and folders of notes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from interpreter.adapters.notes import NotesAdapter
from interpreter.plan.shapes import pruned
from interpreter.ports import ToolFailure
from tests.unit.checked_calls import CheckedCalls, document

SAMPLES = Path(__file__).parents[2] / "specs" / "samples" / "notes"


class Caller(CheckedCalls):
    """A vault of notes; no answer has a field that the contract does not name."""

    prefix = "notes."

    def __init__(self, vault: Path | str, **settings: Any) -> None:
        now = settings.pop("now", None)
        given = {"vault": str(vault), **settings}
        super().__init__(NotesAdapter(given) if now is None else NotesAdapter(given, now))

    def __call__(self, tool: str, key: str = "", **arguments: Any) -> dict[str, Any]:
        try:
            answer = super().__call__(tool, key, **arguments)
        except ToolFailure as failure:
            check_retryable(failure)
            raise
        assert pruned(document("notes")[self.prefix + tool]["output"])(answer) == answer
        return answer

    def found(self, keyword: str = "", **arguments: Any) -> list[str]:
        """Return the ids of the notes that a search finds, in its order."""
        answer = self("search_notes", keyword=keyword, **{"limit": 1000, **arguments})
        return [note["note_id"] for note in answer["notes"]]

    def blocks(self, note_id: str) -> list[dict[str, Any]]:
        """Return all blocks of a note, page after page."""
        answer = self("read_note", note_id=note_id)
        blocks = answer["blocks"]
        while answer["has_more"]:
            answer = self("read_note", note_id=note_id, offset=answer["next_offset"])
            blocks = blocks + answer["blocks"]
        return list(blocks)


def check_retryable(failure: ToolFailure) -> None:
    assert isinstance(failure.details["retryable"], bool)


def write_notes(folder: Path, notes: Mapping[str, str | bytes]) -> Path:
    """Write files by their path and return the folder."""
    for path, content in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def write_fixture(folder: Path, fixture: Mapping[str, Any]) -> Path:
    """Write the notes of a fixture of the public evaluation as a folder, and return it: each is known by its key."""
    notes = fixture["notes"]
    by_key = notes if isinstance(notes, dict) else {note["note_id"]: note for note in notes}
    files = {}
    for key, note in by_key.items():
        text = note.get("content") or "\n\n".join(note.get("key_paragraphs", []))
        head = [f"id: {_quoted(key)}", f"title: {_quoted(note['title'])}"]
        head.append(f"tags: [{', '.join(map(_quoted, note.get('tags', [])))}]")
        head += [f"{ours}: {note[theirs]}" for ours, theirs in _TIMES if theirs in note]
        files[f"{key}.md"] = "\n".join(["---", *head, "---", text, ""])
    return write_notes(folder, files)


_TIMES = (("created", "create_time"), ("updated", "update_time"))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
