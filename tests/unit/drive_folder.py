"""What the tests of the drive share: its checked calls, and a folder to make them on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from interpreter.adapters.drive import DriveAdapter
from tests.logs import logged
from tests.unit.checked_calls import CheckedCalls

#: A user that owns nothing here, whatever user runs the tests.
STRANGER = "54321:54321"


class Caller(CheckedCalls):
    """A drive in a folder."""

    def __init__(self, root: Path, now: Any = None, **settings: Any) -> None:
        self.root = root
        given = {"root": str(root), **settings}
        super().__init__(DriveAdapter(given, now) if now else DriveAdapter(given))

    def token(self, path: str) -> str:
        token = self("drive.inspect", url=path)["token"]
        assert token != path, f"nothing at {path}"
        return str(token)

    def titles(self, query: str, **arguments: Any) -> list[str]:
        answer = self("drive.search", query=query, page_size=20, **arguments)
        assert not answer["has_more"]
        return [plain(hit["title_highlighted"]) for hit in answer["results"]]

    def names(self, path: str = "") -> list[str]:
        folder = self.token(path) if path else ""
        return [file["name"] for file in self("drive.files_list", folder_token=folder)["files"]]

    def log(self) -> list[str]:
        """Return the operations of the renames that were really made."""
        return [line["operation"] for line in logged(self.root / ".drive" / "log.jsonl")]


def plain(marked: str) -> str:
    return marked.replace("<h>", "").replace("</h>", "")


def write_all(root: Path, files: dict[str, str | bytes | None]) -> Path:
    """Write files below a folder; None makes a folder."""
    for path, content in files.items():
        place = root / path
        if content is None:
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root
