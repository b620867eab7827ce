"""The drive's own folder: links under its names are not followed, and are found before anything is moved."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interpreter.ports import ToolFailure
from tests.unit.checked_calls import close_adapters
from tests.unit.drive_folder import Caller, write_all

__all__ = ["close_adapters"]

NAMES = [
    "id",
    "lock",
    "log.jsonl",
    "evidence.yaml",
    "comments.yaml",
    "registry.sqlite3",
    "registry.sqlite3-wal",
    "search.sqlite3",
    "search.sqlite3-journal",
]


def refused(root: Path) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        Caller(root)
    assert caught.value.code == "unavailable"
    return caught.value


@pytest.mark.parametrize("name", NAMES)
def test_a_drive_with_a_link_among_its_files_is_not_opened(tmp_path: Path, name: str) -> None:
    root = write_all(tmp_path / "drive", {".drive": None})
    target = tmp_path / "elsewhere"
    for exists in (False, True):
        (root / ".drive" / name).symlink_to(target)
        assert name in refused(root).message
        (root / ".drive" / name).unlink()
        assert target.exists() == exists
        target.touch()
    assert target.read_bytes() == b""


@pytest.mark.parametrize("name", NAMES)
def test_a_link_set_while_the_drive_is_open_is_found_before_anything_is_moved(tmp_path: Path, name: str) -> None:
    drive = Caller(write_all(tmp_path / "drive", {"甲/文.md": "x", "乙": None}))
    token, folder = drive.token("甲/文.md"), drive.token("乙")
    (drive.root / ".drive" / name).unlink(missing_ok=True)
    (drive.root / ".drive" / name).symlink_to(tmp_path / "elsewhere")
    failure = drive.fails("unavailable", "drive.move", file_token=token, type="docx", folder_token=folder)
    assert name in failure.message
    assert (drive.root / "甲" / "文.md").exists()
    assert not (tmp_path / "elsewhere").exists()


def test_a_log_that_becomes_a_link_after_the_look_stops_the_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = Caller(write_all(tmp_path / "drive", {"甲/文.md": "x", "乙": None}))
    token, folder = drive.token("甲/文.md"), drive.token("乙")
    (drive.root / ".drive" / "log.jsonl").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setattr(drive.adapter._drive.own, "look", lambda: None)
    drive.fails("unavailable", "drive.move", file_token=token, type="docx", folder_token=folder)
    assert (drive.root / "甲" / "文.md").exists()
    assert not (tmp_path / "elsewhere").exists()
    assert drive.adapter._drive.registry.intentions() == []


@pytest.mark.parametrize("name", [".drive", ".drive/trash", ".drive/staging"])
def test_a_folder_of_the_drive_that_is_a_link_or_a_file_is_not_used(tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    place = tmp_path / "drive" / name
    place.parent.mkdir(parents=True)
    place.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert name in refused(tmp_path / "drive").message
    place.unlink()
    place.touch()
    assert name in refused(tmp_path / "drive").message
    assert os.listdir(tmp_path / "elsewhere") == []


@pytest.mark.parametrize("name", ["log.jsonl", "registry.sqlite3"])
def test_a_pipe_among_its_files_is_refused_without_waiting(tmp_path: Path, name: str) -> None:
    write_all(tmp_path, {".drive": None})
    os.mkfifo(tmp_path / ".drive" / name)
    assert name in refused(tmp_path).message


def test_an_index_kept_elsewhere_is_no_link_either(tmp_path: Path) -> None:
    root, state = write_all(tmp_path / "drive", {"文.md": "词语"}), tmp_path / "state"
    drive = Caller(root, state=str(state))
    assert drive.titles("词语") == ["文.md"]
    drive.adapter.close()
    (index,) = state.iterdir()
    index.rename(tmp_path / "elsewhere")
    index.symlink_to(tmp_path / "elsewhere")
    failure = Caller(root, state=str(state)).fails("unavailable", "drive.search", query="词语")
    assert failure.message.startswith(index.name)


@pytest.mark.parametrize(
    "name", [" ", "\u3000\t", "\u200b\u200b", "a\nb", "a\x1b[31m", "a\x7f", "a\u2028b", "a\u202eb", ".DRIVE", ".Drive"]
)
def test_names_that_hide_or_are_the_drives_own_are_refused(tmp_path: Path, name: str) -> None:
    drive = Caller(tmp_path)
    failure = drive.fails("invalid_arguments", "drive.create_folder", name=name, folder_token="")
    assert failure.message.isprintable()
    assert drive.names() == []


@pytest.mark.parametrize("name", ["数据 治理", "a\u200db", "👩\u200d💻", ".drive2", " x"])
def test_other_names_are_made_as_they_are(tmp_path: Path, name: str) -> None:
    drive = Caller(tmp_path)
    drive("drive.create_folder", name=name, folder_token="")
    assert drive.names() == [name]
