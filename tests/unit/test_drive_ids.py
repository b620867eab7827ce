"""A token is given once: what keeps it when people rename, move, copy and edit by hand."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from interpreter.adapters.folders.paths import Tree
from interpreter.ports import ToolFailure
from tests.unit.checked_calls import close_adapters
from tests.unit.drive_folder import Caller, write_all

__all__ = ["close_adapters"]

FILES: dict[str, str | bytes | None] = {"甲/文.md": "内容一", "甲/另.md": "内容二", "乙": None}


@pytest.fixture
def drive(tmp_path: Path) -> Caller:
    return Caller(write_all(tmp_path, FILES))


def test_two_fresh_copies_of_one_folder_have_the_same_tokens(tmp_path: Path) -> None:
    first = Caller(write_all(tmp_path / "a", FILES))
    second = Caller(write_all(tmp_path / "b", dict(reversed(FILES.items()))))
    assert first.token("甲/文.md") == second.token("甲/文.md")
    assert first.token("甲/文.md") != first.token("甲/另.md")


def test_a_copy_with_its_own_folder_keeps_the_tokens(drive: Caller, tmp_path_factory: pytest.TempPathFactory) -> None:
    token = drive.token("甲/文.md")
    (drive.root / "甲" / "文.md").rename(drive.root / "乙" / "改.md")
    assert drive.token("乙/改.md") == token
    drive.adapter.close()
    copy = tmp_path_factory.mktemp("copies") / "copy"
    shutil.copytree(drive.root, copy)
    assert Caller(copy).token("乙/改.md") == token


def test_a_file_moved_and_renamed_by_hand_is_found_by_its_inode(drive: Caller) -> None:
    token = drive.token("甲/文.md")
    (drive.root / "甲" / "文.md").rename(drive.root / "乙" / "改.md")
    assert drive("evidence.item_state", token=token)["path"] == "/乙/改.md"


def test_a_file_copied_and_deleted_by_hand_is_found_by_its_content(drive: Caller) -> None:
    token = drive.token("甲/文.md")
    shutil.copy(drive.root / "甲" / "文.md", drive.root / "乙" / "改.md")
    (drive.root / "甲" / "文.md").unlink()
    assert drive("evidence.item_state", token=token)["path"] == "/乙/改.md"


def test_a_copy_beside_its_original_is_a_new_thing(drive: Caller) -> None:
    token = drive.token("甲/文.md")
    shutil.copy(drive.root / "甲" / "文.md", drive.root / "乙" / "文.md")
    assert drive.token("乙/文.md") != token
    assert drive.token("甲/文.md") == token


def test_an_edit_keeps_the_token_also_when_the_editor_replaces_the_file(drive: Caller) -> None:
    token = drive.token("甲/文.md")
    (drive.root / "甲" / "文.md").write_text("改过的内容", "utf-8")
    assert drive.token("甲/文.md") == token
    write_all(drive.root, {"甲/.文.md.swp": "保存时替换"})
    os.replace(drive.root / "甲" / ".文.md.swp", drive.root / "甲" / "文.md")
    assert drive.token("甲/文.md") == token


def test_a_new_file_under_the_name_of_one_that_was_moved_is_a_new_thing(drive: Caller) -> None:
    token = drive.token("甲/文.md")
    (drive.root / "甲" / "文.md").rename(drive.root / "乙" / "文.md")
    write_all(drive.root, {"甲/文.md": "别的"})
    assert drive("evidence.item_state", token=token)["path"] == "/乙/文.md"
    assert drive.token("乙/文.md") == token
    assert drive.token("甲/文.md") != token


def test_files_that_change_places_keep_their_tokens(drive: Caller) -> None:
    first, second = drive.token("甲/文.md"), drive.token("甲/另.md")
    folder = drive.root / "甲"
    (folder / "文.md").rename(folder / "中转")
    (folder / "另.md").rename(folder / "文.md")
    (folder / "中转").rename(folder / "另.md")
    assert (drive.token("甲/另.md"), drive.token("甲/文.md")) == (first, second)


def test_a_folder_moved_by_hand_takes_its_tokens_along(drive: Caller) -> None:
    folder, inner = drive.token("甲"), drive.token("甲/文.md")
    (drive.root / "甲").rename(drive.root / "乙" / "丙")
    assert (drive.token("乙/丙"), drive.token("乙/丙/文.md")) == (folder, inner)


def test_an_inode_that_is_used_again_is_not_taken_for_the_old_thing(drive: Caller) -> None:
    token = drive.token("乙")
    if Tree(str(drive.root)).born("乙") is None:
        return  # this file system keeps no birth times; then size and time of change decide
    for number in range(20):
        (drive.root / "乙").rmdir() if number == 0 else (drive.root / f"新{number - 1}").rmdir()
        (drive.root / f"新{number}").mkdir()
        assert drive.token(f"新{number}") != token


def test_a_walk_that_met_one_file_at_two_places_gives_its_token_to_the_right_one(
    drive: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = drive.token("甲/文.md")
    before = drive.adapter._drive.tree.walk()
    (drive.root / "甲" / "文.md").rename(drive.root / "乙" / "改.md")
    walk = Tree.walk
    monkeypatch.setattr(Tree, "walk", lambda tree: [*before, *(entry for entry in walk(tree) if "改" in entry.path)])
    drive.adapter._drive.refresh()
    monkeypatch.undo()
    assert drive.token("乙/改.md") == token


def test_hard_links_are_two_things(drive: Caller) -> None:
    os.link(drive.root / "甲" / "文.md", drive.root / "乙" / "文.md")
    assert drive.token("甲/文.md") != drive.token("乙/文.md")
    assert len({file["token"] for path in ("甲", "乙") for file in listed(drive, path)}) == 3


def test_files_of_equal_content_and_title_are_kept_apart(tmp_path: Path) -> None:
    drive = Caller(write_all(tmp_path, {"a/文.md": "同", "b/文.md": "同", "c": None}))
    tokens = {path: drive.token(path) for path in ("a/文.md", "b/文.md")}
    assert len(set(tokens.values())) == 2
    (tmp_path / "a" / "文.md").rename(tmp_path / "c" / "文.md")
    assert drive.token("c/文.md") == tokens["a/文.md"]
    assert drive.token("b/文.md") == tokens["b/文.md"]


def listed(drive: Caller, path: str) -> list[dict[str, str]]:
    files: list[dict[str, str]] = drive("drive.files_list", folder_token=drive.token(path))["files"]
    return files


def test_a_listing_has_pages_that_go_on_after_the_last_name(tmp_path: Path) -> None:
    drive = Caller(write_all(tmp_path, {f"{number}.md": "x" for number in range(7)}))
    first = drive("drive.files_list", folder_token="", page_size=3)
    assert first["has_more"]
    (tmp_path / "0.md").unlink()
    (tmp_path / "3.md").unlink()
    rest = Caller(tmp_path)("drive.files_list", folder_token="", page_token=first["next_page_token"])
    assert [file["name"] for file in rest["files"]] == ["4.md", "5.md", "6.md"]
    folder = drive("drive.create_folder", name="别处", folder_token="")["folder_token"]
    drive.fails("invalid_page_token", "drive.files_list", folder_token=folder, page_token=first["next_page_token"])
    drive.fails("invalid_page_token", "drive.files_list", folder_token="", page_token="zz")


def test_metas_tell_what_failed_item_by_item(drive: Caller) -> None:
    (drive.root / "链").symlink_to("甲")
    token, link = drive.token("甲/文.md"), drive.token("链")
    answer = drive(
        "drive.metas",
        request_docs=[
            {"doc_token": token, "doc_type": "docx"},
            {"doc_token": token, "doc_type": "sheet"},
            {"doc_token": link},
            {"doc_token": "doxnothing"},
        ],
        with_url=True,
    )
    assert [meta["title"] for meta in answer["metas"]] == ["文.md"]
    assert [failed["code"] for failed in answer["failed_list"]] == [970005, 970002, 970005]


def test_things_are_found_by_address_token_and_path(drive: Caller) -> None:
    seen = drive("drive.inspect", url="/甲/文.md")
    for text in (seen["url"], seen["token"], "甲/文.md", f"https://drive.example/docx/{seen['token']}?from=x"):
        assert drive("drive.inspect", url=text)["token"] == seen["token"]
    assert drive("drive.inspect", url="/")["token"] == ""
    assert drive("drive.inspect", url="甲/../乙")["title"] == ""
    assert drive("drive.inspect", url="../../etc/passwd")["title"] == ""
    drive.fails("invalid_arguments", "drive.inspect", url=seen["token"], type="sheet")


def test_the_resolved_identity_names_the_real_folder_and_the_account(tmp_path: Path) -> None:
    write_all(tmp_path, {"drive": None})
    (tmp_path / "link").symlink_to(tmp_path / "drive", target_is_directory=True)
    direct, linked = Caller(tmp_path / "drive"), Caller(tmp_path / "link")
    assert direct.adapter.resolved_identity() == linked.adapter.resolved_identity()
    assert direct.adapter.resolved_identity().startswith(f"{tmp_path}/drive ")
    assert Caller(tmp_path / "drive", account="4711").adapter.resolved_identity().endswith(" as user-4711")


def test_the_resolved_identity_names_the_drive_that_stands_at_the_path(tmp_path: Path) -> None:
    root = write_all(tmp_path / "drive", FILES)
    before = Caller(root).adapter.resolved_identity()
    root.rename(tmp_path / "former")
    write_all(root, FILES)
    assert Caller(root).adapter.resolved_identity() != before
    shutil.rmtree(root)
    (tmp_path / "former").rename(root)
    assert Caller(root).adapter.resolved_identity() == before


def test_a_folder_that_is_replaced_while_it_is_open_is_not_worked_on(drive: Caller) -> None:
    token, folder = drive.token("甲/文.md"), drive.token("乙")
    former = drive.root.with_name("former")
    drive.root.rename(former)
    write_all(drive.root, FILES)
    for _ in range(2):
        move = {"file_token": token, "type": "docx", "folder_token": folder}
        assert "former one" in drive.fails("unavailable", "drive.move", **move).message
        Caller(drive.root)
    shutil.rmtree(drive.root)
    former.rename(drive.root)
    assert drive.names("甲") == ["另.md", "文.md"]


@pytest.mark.parametrize("content", ["", "x", "G" * 32, "0" * 33])
def test_a_damaged_id_is_neither_used_nor_replaced(tmp_path: Path, content: str) -> None:
    write_all(tmp_path, {".drive/id": content})
    with pytest.raises(ToolFailure) as caught:
        Caller(tmp_path)
    assert (caught.value.code, (tmp_path / ".drive" / "id").read_text()) == ("unavailable", content)
