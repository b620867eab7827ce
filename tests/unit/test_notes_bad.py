"""Bad notes and bad luck: the others are read, and what was not read is said."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.notes.note import LARGEST
from interpreter.ports import ToolFailure
from tests.unit.checked_calls import close_adapters
from tests.unit.notes_folder import Caller, write_notes

__all__ = ["close_adapters"]

GOOD: dict[str, str | bytes] = {"good.md": "---\nid: good\ntitle: 好的\n---\n词语\n"}


def one(caller: Caller, title: str) -> dict[str, Any]:
    (found,) = [note for note in caller("search_notes", keyword="词语", limit=99)["notes"] if note["title"] == title]
    return found


# the file ; its title ; the problem that is said, '' for none
READ_ANYWAY: list[tuple[str | bytes, str, str]] = [
    ("---\ntitle: 甲\n---\n词语".encode("gb18030"), "甲", "encoding"),
    ("---\ntitle: 甲\n---\n词语".encode("utf-16"), "甲", ""),
    ("\ufeff---\ntitle: 甲\n---\n词语", "甲", ""),
    ("---\r\ntitle: 甲\r\n---\r\n词语\r\n", "甲", ""),
    ("词语 ok ".encode() * 20 + b"\xff\xfe\x80", "n", "encoding"),
    ("---\ntitle: [甲\n---\n词语", "n", "front_matter"),
    ("---\ntitle: 甲\ntags: [#a, b]\n---\n词语", "甲", "front_matter"),
    ("---\n- 甲\n---\n词语", "n", "front_matter"),
    ("---\n只是一行\n---\n词语", "n", "front_matter"),
    ("---\ntitle: 甲\n词语", "n", "front_matter"),
    ("---\n词语\n别的: 甲", "n", ""),
    ("---\n---\n词语", "n", ""),
    ("---\ntitle:\ntags:\nid:\ncreated: 昨天\n---\n词语", "n", ""),
    ("---\ntitle: {a: 1}\ntags: {b: 2}\nid: [1]\n---\n词语", "n", ""),
    ("---\ntitle: 2026-10-20\nid: 12\ncreated: 2026-13-45\n---\n词语", "2026-10-20", ""),
    ("---\n" + "a: " + "[" * 5_000 + "\n---\n词语", "n", "front_matter"),
    ("---\ntitle: &a 甲\nx: *a\n---\n词语", "甲", ""),
    ("词语 " * (LARGEST // 7 + 100), "n", "too_large"),
]


@pytest.mark.parametrize(("content", "title", "problem"), READ_ANYWAY, ids=range(len(READ_ANYWAY)))
def test_what_can_be_read_is_read_and_the_rest_is_said(
    content: str | bytes, title: str, problem: str, tmp_path: Path
) -> None:
    caller = Caller(write_notes(tmp_path, {**GOOD, "n.md": content}))
    found = one(caller, title)
    assert found.get("problem", {"code": ""})["code"] == problem
    assert all(found.get("problem", {"text": {"zh": "x", "en": "x"}})["text"].values())
    assert one(caller, "好的")["note_id"] == "good"
    assert any("词语" in block["text"] for block in caller.blocks(found["note_id"]))


SKIPPED: list[tuple[str, bytes, str]] = [
    ("picture.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not_text"),
    ("noise.md", bytes(range(128, 256)) * 50, "not_text"),
]


@pytest.mark.parametrize(("name", "content", "problem"), SKIPPED)
def test_what_is_no_text_is_skipped_and_said(name: str, content: bytes, problem: str, tmp_path: Path) -> None:
    answer = Caller(write_notes(tmp_path, {**GOOD, name: content}))("search_notes")
    assert [note["note_id"] for note in answer["notes"]] == ["good"]
    assert [(skipped["path"], skipped["problem"]["code"]) for skipped in answer["skipped"]] == [(name, problem)]
    assert answer["skipped_total"] == 1


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = write_notes(tmp_path / "outside", {"secret.md": "---\nid: secret\n---\n词语"})
    vault = write_notes(tmp_path / "vault", GOOD)
    (vault / "link.md").symlink_to(outside / "secret.md")
    (vault / "folder").symlink_to(outside)
    (vault / "loop").symlink_to(vault)
    (vault / "gone.md").symlink_to(outside / "nothing.md")
    answer = Caller(vault)("search_notes", keyword="词语")
    assert [note["note_id"] for note in answer["notes"]] == ["good"]
    assert {skipped["path"]: skipped["problem"]["code"] for skipped in answer["skipped"]} == dict.fromkeys(
        ("folder", "gone.md", "link.md", "loop"), "link"
    )


def test_a_note_that_becomes_a_link_is_not_read(tmp_path: Path) -> None:
    outside = write_notes(tmp_path / "outside", {"secret.md": "秘密"})
    vault = write_notes(tmp_path / "vault", GOOD)
    caller = Caller(vault)
    assert caller.found() == ["good"]
    (vault / "good.md").unlink()
    (vault / "good.md").symlink_to(outside / "secret.md")
    with pytest.raises(ToolFailure) as failed:
        caller("read_note", note_id="good")
    assert failed.value.code == "NOTE_NOT_FOUND"


@pytest.mark.skipif(os.geteuid() == 0, reason="whoever may everything can read every file")
def test_a_file_that_may_not_be_read_is_skipped_until_it_may(tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {**GOOD, "closed.md": "---\nid: closed\n---\n词语", "shut/a.md": "词语"}))
    (tmp_path / "closed.md").chmod(0)
    (tmp_path / "shut").chmod(0)
    try:
        answer = caller("search_notes")
        assert [note["note_id"] for note in answer["notes"]] == ["good"]
        assert [skipped["problem"]["code"] for skipped in answer["skipped"]] == ["not_readable", "not_readable"]
    finally:
        (tmp_path / "closed.md").chmod(0o600)
        (tmp_path / "shut").chmod(0o700)
    assert len(caller.found("词语")) == 3


def test_a_file_that_cannot_be_read_is_skipped_until_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from interpreter.adapters.folders.paths import Tree

    caller = Caller(write_notes(tmp_path, {**GOOD, "closed.md": "---\nid: closed\n---\n词语"}))
    read = Tree.read

    def refusing(tree: Tree, path: str, limit: int) -> tuple[bytes, bool]:
        if path == "closed.md":
            raise PermissionError(13, "Permission denied")
        return read(tree, path, limit)

    monkeypatch.setattr(Tree, "read", refusing)
    answer = caller("search_notes", keyword="词语")
    assert [note["note_id"] for note in answer["notes"]] == ["good"]
    assert [skipped["problem"]["code"] for skipped in answer["skipped"]] == ["not_readable"]
    monkeypatch.undo()
    assert sorted(caller.found("词语")) == ["closed", "good"]


def test_a_name_that_is_no_utf8_is_skipped(tmp_path: Path) -> None:
    write_notes(tmp_path, GOOD)
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("词语")
    except OSError:
        pytest.skip("this file system has no such names")
    answer = Caller(tmp_path)("search_notes")
    assert [skipped["problem"]["code"] for skipped in answer["skipped"]] == ["not_readable"]


def test_two_notes_with_one_id_are_both_there_and_it_is_said(tmp_path: Path) -> None:
    text = "---\nid: same\n---\n词语"
    caller = Caller(write_notes(tmp_path, {"a.md": text, "b.md": text, "c.md": text}))
    notes = {note["path"]: note for note in caller("search_notes", keyword="词语")["notes"]}
    assert notes["a.md"]["note_id"] == "same"
    assert "b.md" in notes["a.md"]["problem"]["text"]["en"]
    assert len({note["note_id"] for note in notes.values()}) == 3
    assert notes["b.md"]["problem"]["code"] == notes["c.md"]["problem"]["code"] == "same_id"
    assert "a.md" in notes["b.md"]["problem"]["text"]["en"]


@pytest.mark.parametrize("changed", [-(2**62), -1, 0, 2**33, 2**62])
def test_a_note_of_any_time_is_read_with_the_others(changed: int, tmp_path: Path) -> None:
    folder = write_notes(tmp_path, {**GOOD, "far.md": "---\ntitle: 远\n---\n词语"})
    try:
        os.utime(folder / "far.md", (changed, changed))
    except (OverflowError, OSError):
        pytest.skip("this file system holds no such time")
    caller = Caller(folder)
    assert one(caller, "远")["note_id"]
    assert one(caller, "好的")["note_id"] == "good"


def test_only_notes_are_notes(tmp_path: Path) -> None:
    notes = {"b.markdown", "d.md/c.md", "e.MD", "f.Markdown"}
    others = {".obsidian/x.md", ".hidden.md", "a.txt", "g.md.bak"}
    caller = Caller(write_notes(tmp_path, dict.fromkeys(notes | others, "词语")))
    assert {note["path"] for note in caller("search_notes")["notes"]} == notes


def test_an_empty_folder_is_an_empty_answer(tmp_path: Path) -> None:
    caller = Caller(tmp_path)
    assert caller("search_notes")["meta"] == {"total": 0, "has_more": False}
    assert caller("find_tags") == {"tags": []}
    assert caller("get_note_info")["notes"] == []


def test_a_folder_that_vanishes_and_comes_back(tmp_path: Path) -> None:
    vault = write_notes(tmp_path / "v", GOOD)
    caller = Caller(vault)
    assert caller.found() == ["good"]
    vault.rename(tmp_path / "w")
    with pytest.raises(ToolFailure) as failed:
        caller.found()
    assert failed.value.code == "VAULT_UNAVAILABLE"
    assert str(vault) in failed.value.message
    (tmp_path / "w").rename(vault)
    assert caller.found() == ["good"]


def test_nothing_is_written_into_the_folder(tmp_path: Path) -> None:
    caller = Caller(write_notes(tmp_path, {**GOOD, "a/b.md": "# 一\n\n文"}))

    def state() -> dict[str, tuple[int, int]]:
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(tmp_path.rglob("*"))}

    before = state()
    for note_id in caller.found():
        caller("get_note_outline", note_id=note_id)
        caller("search_note_content", note_id=note_id, query="文")
        caller.blocks(note_id)
    assert state() == before
