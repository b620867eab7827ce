"""A folder of Markdown notes behind the contract of `specs/tools/notes.yaml`.

A note is a `.md` file: front matter (`id`, `title`, `tags`, `created`, `updated`, `starred`, all of them optional),
then Markdown, which is cut into blocks. Nothing is written into the folder. A note that cannot be read as it was meant
never stands in the way of the others: it is read as far as that goes, or skipped, and said so.
"""

from __future__ import annotations

from interpreter.adapters.notes.adapter import TOOLS, NotesAdapter

__all__ = ["TOOLS", "NotesAdapter"]
