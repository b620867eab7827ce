"""Plain files in a folder: nothing is replaced, nothing is left, nothing outside is touched."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.files import TOOLS, FilesAdapter
from interpreter.adapters.files import adapter as module
from interpreter.adapters.folders.paths import is_text
from interpreter.ports import ToolFailure
from tests.unit.checked_calls import check_failure, document, validator

CONTRACTS = {name: body for name, body in document("files").items() if "." in name}


class Caller:
    """Calls tools in one folder and holds arguments, answers and failures against the contracts."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._adapter = FilesAdapter({"root": str(root)})

    def __call__(self, tool: str, key: str = "", **arguments: Any) -> dict[str, Any]:
        name = f"files.{tool}"
        assert not _is_plain(arguments) or validator(name, "input").is_valid(arguments)
        answer = self._adapter.invoke(name, arguments, key)
        validator(name, "output").validate(answer)
        return answer

    def code(self, tool: str, **arguments: Any) -> str:
        with pytest.raises(ToolFailure) as refused:
            self(tool, **arguments)
        check_failure(f"files.{tool}", refused.value)
        return refused.value.code


def _is_plain(arguments: dict[str, Any]) -> bool:
    """Whether a validator can take the arguments: a lone surrogate is no text to it."""
    return all(is_text(value) for value in arguments.values() if isinstance(value, str))


@pytest.fixture
def files(tmp_path: Path) -> Caller:
    root = tmp_path / "root"
    (root / "notes").mkdir(parents=True)
    (root / "notes" / "a.txt").write_text("Hello", "utf-8")
    (root / "b.txt").write_text("你好", "utf-8")
    (tmp_path / "outside.txt").write_text("secret", "utf-8")
    return Caller(root)


def everything(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_every_contract_has_a_tool_and_an_example_that_fits() -> None:
    assert sorted(CONTRACTS) == sorted(TOOLS)
    for name, contract in CONTRACTS.items():
        validator(name, "output").validate(contract["example"])


def test_files_are_listed_here_or_below(files: Caller) -> None:
    assert [one["path"] for one in files("list")["files"]] == ["b.txt", "notes"]
    assert [one["path"] for one in files("list", below=True)["files"]] == ["b.txt", "notes", "notes/a.txt"]
    assert [one["path"] for one in files("list", folder="notes")["files"]] == ["notes/a.txt"]
    assert files.code("list", folder="nowhere") == "not_found"


def test_a_file_is_read_and_said_to_be_cut(files: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert files("read", path="b.txt")["text"] == "你好"
    monkeypatch.setattr(module, "READ_LIMIT", 4)
    cut = files("read", path="b.txt")
    assert (cut["text"], cut["is_whole"]) == ("你", False)
    (files.root / "c.bin").write_bytes(b"\xff\xfe\x00")
    monkeypatch.undo()
    assert files.code("read", path="c.bin") == "unsupported"


def test_a_new_file_is_written_with_its_folder_and_found_again(files: Caller) -> None:
    written = files("write", "key", path="new/deep/x.txt", text="one")
    assert (files.root / "new" / "deep" / "x.txt").read_text("utf-8") == "one"
    assert files("look", path="new/deep/x.txt")["sha256"] == written["sha256"]
    assert files("write", "key", path="new/deep/x.txt", text="one") == {**written, "already": True}
    assert os.listdir(files.root / ".files" / "new") == []


def test_no_file_is_ever_replaced(files: Caller) -> None:
    before = everything(files.root)
    assert files.code("write", path="b.txt", text="other") == "name_in_use"
    assert files.code("write", path="notes", text="other") == "name_in_use"
    assert everything(files.root) == before


OUTSIDE = [
    "../outside.txt", "/etc/hostname", "notes/../../outside.txt", "a//b", ".", "..", ".files/trash/x", "a\0b", "\udcff"
]  # fmt: skip


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("tool", ["read", "look", "write", "discard"])
def test_no_path_leaves_the_folder_or_enters_its_own(files: Caller, tool: str, path: str) -> None:
    more = {"text": "x"} if tool == "write" else {}
    assert files.code(tool, path=path, **more) == "invalid_arguments"


@pytest.mark.parametrize("tool", ["read", "write", "discard"])
def test_no_link_is_followed(files: Caller, tool: str) -> None:
    (files.root / "link").symlink_to(files.root.parent)
    (files.root / "file").symlink_to(files.root.parent / "outside.txt")
    more = {"text": "x"} if tool == "write" else {}
    assert files.code(tool, path="link/outside.txt", **more) in ("not_found", "unsupported")
    assert files.code(tool, path="file", **more) in ("unsupported", "name_in_use")
    assert (files.root.parent / "outside.txt").read_text("utf-8") == "secret"
    assert [one["path"] for one in files("list")["files"]] == ["b.txt", "notes"]
    assert files("list")["left_out"] == 2


def test_an_own_folder_that_is_a_link_is_not_used(files: Caller) -> None:
    (files.root / ".files").symlink_to(files.root.parent)
    assert files.code("write", path="x.txt", text="x") in ("not_found", "unsupported")
    assert sorted(os.listdir(files.root.parent)) == ["outside.txt", "root"]


def test_a_discarded_file_stands_in_the_trash_and_is_discarded_once(files: Caller) -> None:
    gone = files("discard", "key", path="notes/a.txt")
    assert (files.root / gone["trash"]).read_text("utf-8") == "Hello"
    assert files("discard", "key", path="notes/a.txt") == gone
    assert files.code("discard", path="notes/a.txt") == "not_found"
    assert files.code("discard", path="notes") == "unsupported"


def test_a_file_that_has_changed_is_not_discarded(files: Caller) -> None:
    digest = files("look", path="b.txt")["sha256"]
    (files.root / "b.txt").write_text("changed", "utf-8")
    assert files.code("discard", path="b.txt", sha256=digest) == "changed_since_plan"
    assert (files.root / "b.txt").exists()


@pytest.mark.parametrize("at", ["_put", "rename_new", "_keep"])
def test_a_write_that_dies_anywhere_is_whole_or_not_there_and_can_be_made_again(
    files: Caller, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    class Killed(BaseException):
        pass

    real = getattr(module, at)

    def dies(*arguments: Any) -> None:
        if at == "_put":
            real(arguments[0], arguments[1], arguments[2][:2])
        raise Killed

    monkeypatch.setattr(module, at, dies)
    with pytest.raises(Killed):
        files("write", "key", path="x.txt", text="whole text")
    monkeypatch.undo()
    left = files.root / "x.txt"
    assert not left.exists() or left.read_text("utf-8") == "whole text"
    files("write", "key", path="x.txt", text="whole text")
    assert left.read_text("utf-8") == "whole text"
    assert os.listdir(files.root / ".files" / "new") == []


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ToolFailure, match="nowhere is not there"):
        Caller(tmp_path / "nowhere")
    (tmp_path / "later").mkdir()
    gone = Caller(tmp_path / "later")
    (tmp_path / "later").rmdir()
    assert gone.code("list") == "unavailable"
    with pytest.raises(ToolFailure):
        FilesAdapter({}).invoke("files.list", {})
