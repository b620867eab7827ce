"""What the tests of the drive share: calls that are checked against the contracts, and a folder to call them on.

Every argument, answer and error of every test is compared with `specs/tools/`, so that no answer of the adapter can
drift from what a workflow is promised.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from interpreter.adapters.drive import DriveAdapter
from interpreter.ports import ToolFailure
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from tests.logs import logged

TOOLS = Path(__file__).parents[2] / "specs" / "tools"
#: A user that owns nothing here, whatever user runs the tests.
STRANGER = "54321:54321"


@cache
def document(name: str) -> dict[str, Any]:
    node, findings = read_tree(Source(name, (TOOLS / f"{name}.yaml").read_text("utf-8")))
    assert node is not None
    assert findings == []
    value = to_value(node)
    assert isinstance(value, dict)
    return value


@cache
def validator(tool: str, side: str) -> Any:
    return jsonschema_rs.validator_for(document(tool.partition(".")[0])[tool][side])


def error_codes(tool: str) -> set[str]:
    contracts = document(tool.partition(".")[0])
    return {*contracts["errors"], *contracts[tool].get("errors", {})}


def check_failure(tool: str, failure: ToolFailure) -> None:
    assert failure.code in error_codes(tool), failure
    assert set(failure.details["message"]) == {"zh", "en"}


_opened: list[Caller] = []


@pytest.fixture(autouse=True)
def close_adapters() -> Iterator[None]:
    """Close what a test opened, so that no database is left to the collector."""
    yield
    while _opened:
        _opened.pop().adapter.close()


class Caller:
    """An adapter whose calls are checked against the contracts."""

    def __init__(self, root: Path, now: Any = None, **settings: Any) -> None:
        self.root = root
        given = {"root": str(root), **settings}
        self.adapter = DriveAdapter(given, now) if now else DriveAdapter(given)
        _opened.append(self)

    def __call__(self, tool: str, key: str = "", **arguments: Any) -> dict[str, Any]:
        validator(tool, "input").validate(arguments)
        try:
            answer = self.adapter.invoke(tool, arguments, key)
        except ToolFailure as failure:
            check_failure(tool, failure)
            raise
        validator(tool, "output").validate(answer)
        return answer

    def fails(self, code: str, tool: str, key: str = "", **arguments: Any) -> ToolFailure:
        with pytest.raises(ToolFailure) as caught:
            self(tool, key, **arguments)
        assert caught.value.code == code, caught.value
        return caught.value

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
