"""A folder of plain files behind the contract of `specs/tools/files.yaml`: listed, read, written anew, put aside.

A file is never replaced and never changed: writing makes a new one, discarding moves one into the folder's own trash.
Every path is walked from the root by descriptors and follows no link (`folders.paths`).
"""

from __future__ import annotations

from interpreter.adapters.files.adapter import TOOLS, FilesAdapter

__all__ = ["TOOLS", "FilesAdapter"]
