"""Moves, new folders and deletions: what is refused, what is recorded, what a killed process leaves behind."""

from __future__ import annotations

import errno
import os
import socket
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interpreter.adapters.drive import registry, renames, writing
from interpreter.adapters.drive.core import Drive
from interpreter.adapters.folders import paths
from interpreter.ports import ToolFailure
from tests.unit.checked_calls import close_adapters
from tests.unit.drive_folder import STRANGER, Caller, write_all
from tests.unit.kills_kit import Killed, fill_disk, kill

__all__ = ["close_adapters"]

FILES: dict[str, str | bytes | None] = {
    "项目/方案.md": "方案",
    "项目/子/纪要.md": "纪要",
    "归档": None,
    "同名/方案.md": "另一份方案",
    "表.csv": "a,b\n",
}


@pytest.fixture
def drive(tmp_path: Path) -> Caller:
    return Caller(write_all(tmp_path, FILES))


def move(drive: Caller, path: str, target: str, key: str = "", **more: Any) -> dict[str, Any]:
    return drive("drive.move", key, **asked(drive, path, target), **more)


def asked(drive: Caller, path: str, target: str) -> dict[str, str]:
    seen = drive("drive.inspect", url=path)
    folder = drive.token(target) if target else ""
    return {"file_token": seen["token"], "type": seen["type"], "folder_token": folder}


# --- moving -----------------------------------------------------------------------------------------------------------


def test_a_move_is_one_rename_that_keeps_the_token(drive: Caller) -> None:
    token = drive.token("项目/方案.md")
    answer = move(drive, "项目/方案.md", "归档")
    assert answer == {
        "file_token": token,
        "folder_token": drive.token("归档"),
        "type": "docx",
        "ready": True,
    }
    assert drive.token("归档/方案.md") == token
    assert drive.names("归档") == ["方案.md"]
    assert drive.log() == ["move"]


def test_a_folder_takes_everything_along_and_its_task_has_ended(drive: Caller) -> None:
    inner = drive.token("项目/子/纪要.md")
    answer = move(drive, "项目", "归档")
    assert drive.token("归档/项目/子/纪要.md") == inner
    task = drive("drive.task_result", scenario="task_check", task_id=answer["task_id"])
    assert (task["ready"], task["failed"]) == (True, False)
    drive.fails("not_found", "drive.task_result", scenario="task_check", task_id="unknown")


def test_moving_to_the_root_and_back_gives_the_same_tree(drive: Caller) -> None:
    before = tree(drive.root)
    move(drive, "项目/方案.md", "")
    assert drive("evidence.location", source_kind="drive", token=drive.token("方案.md")) == {
        "parent_kind": "drive_root",
        "parent_token": "",
        "path": "/方案.md",
    }
    move(drive, "方案.md", "项目")
    assert tree(drive.root) == before


@pytest.mark.parametrize(
    "name", [b"\xff\xfe", b"-rf", b" . ", b"\n", b"\xe2\x80\xae.md", b"x" * 255, "e\u0301".encode()], ids=ascii
)
def test_what_is_taken_out_of_a_folder_can_be_put_back_whatever_the_folder_is_called(
    tmp_path: Path, name: bytes
) -> None:
    drive = Caller(write_all(tmp_path, {f"{os.fsdecode(name)}/文.md": "文", "归档": None}))
    before = tree(drive.root)
    tokens = {file["name"]: file["token"] for file in drive("drive.files_list", folder_token="")["files"]}
    target = tokens.pop("归档")
    (folder,) = tokens.values()
    (inside,) = drive("drive.files_list", folder_token=folder)["files"]
    assert drive("evidence.location", source_kind="drive", token=inside["token"])["parent_token"] == folder
    drive("drive.move", file_token=inside["token"], type="docx", folder_token=target)
    assert drive("drive.files_list", folder_token=folder)["files"] == []
    drive("drive.move", file_token=inside["token"], type="docx", folder_token=folder)
    assert tree(drive.root) == before


def test_a_move_to_where_it_is_already_renames_nothing(drive: Caller) -> None:
    assert move(drive, "项目/方案.md", "项目")["ready"] is True
    assert drive.log() == []


def test_a_taken_name_is_never_replaced(drive: Caller) -> None:
    drive.fails("name_in_use", "drive.move", **asked(drive, "项目/方案.md", "同名"))
    assert (drive.root / "同名" / "方案.md").read_text() == "另一份方案"
    assert (drive.root / "项目" / "方案.md").read_text() == "方案"
    assert drive.log() == []


@pytest.mark.parametrize("in_steps", [False, True])
def test_a_name_that_is_taken_at_the_last_moment_is_not_replaced(
    drive: Caller, monkeypatch: pytest.MonkeyPatch, in_steps: bool
) -> None:
    arguments = asked(drive, "项目/方案.md", "归档")
    monkeypatch.setattr(writing, "check_free", lambda *_: write_all(drive.root, {"归档/方案.md": "后来的"}))
    if in_steps:
        monkeypatch.setattr(paths, "_rename_exclusive", lambda *_: False)
    drive.fails("name_in_use", "drive.move", **arguments)
    assert (drive.root / "归档" / "方案.md").read_text() == "后来的"
    assert (drive.root / "项目" / "方案.md").read_text() == "方案"


@pytest.mark.parametrize("number", [None, errno.ENOSYS, errno.EINVAL])
def test_without_the_exclusive_rename_of_the_kernel_moves_work_all_the_same(
    drive: Caller, monkeypatch: pytest.MonkeyPatch, number: int | None
) -> None:
    def refuse(*_: object) -> bool:
        if number is None:
            return False
        raise OSError(number, "not offered")

    monkeypatch.setattr(paths, "_rename_exclusive", refuse)
    token = drive.token("项目/方案.md")
    move(drive, "项目/方案.md", "归档")
    move(drive, "项目", "归档")
    assert drive.token("归档/方案.md") == token
    assert drive.log() == ["move", "move"]


def test_a_folder_cannot_go_into_itself_and_the_root_goes_nowhere(drive: Caller) -> None:
    drive.fails("into_itself", "drive.move", **asked(drive, "项目", "项目/子"))
    drive.fails("into_itself", "drive.move", **asked(drive, "项目", "项目"))
    drive.fails("invalid_arguments", "drive.move", file_token="", type="folder", folder_token=drive.token("归档"))
    drive.fails("invalid_arguments", "drive.delete", file_token="", type="folder")


def test_the_drives_own_folder_can_be_neither_seen_nor_named(drive: Caller) -> None:
    drive.titles("x")
    assert ".drive" not in drive.names()
    assert drive("drive.inspect", url=".drive")["title"] == ""
    assert drive("drive.inspect", url=".drive/log.jsonl")["title"] == ""
    drive.fails("invalid_arguments", "drive.create_folder", name=".drive", folder_token="")


def test_a_target_that_is_no_folder_or_is_gone_is_an_error(drive: Caller) -> None:
    arguments = asked(drive, "项目/方案.md", "归档")
    drive.fails("invalid_arguments", "drive.move", **{**arguments, "folder_token": drive.token("表.csv")})
    drive.fails("not_found", "drive.move", **{**arguments, "folder_token": "fldnothing"})
    drive.fails("invalid_arguments", "drive.move", **{**arguments, "type": "sheet"})


# --- since the plan ---------------------------------------------------------------------------------------------------


def test_a_plan_that_still_holds_is_carried_out(drive: Caller) -> None:
    parent = drive.token("项目")
    move(drive, "项目/方案.md", "归档", expected_parent=parent, expected_name="方案.md")
    move(drive, "表.csv", "归档", expected_parent="", expected_name="表.csv")
    assert drive.names("归档") == ["方案.md", "表.csv"]


@pytest.mark.parametrize(("to", "what"), [("项目/改名.md", "name"), ("同名/新.md", "name"), ("方案.md", "parent")])
def test_a_file_that_was_renamed_or_moved_by_hand_since_the_plan_stays(drive: Caller, to: str, what: str) -> None:
    arguments = asked(drive, "项目/方案.md", "归档")
    parent = drive.token("项目")
    (drive.root / "项目" / "方案.md").rename(drive.root / to)
    failure = drive.fails(
        "changed_since_plan", "drive.move", **arguments, expected_parent=parent, expected_name="方案.md"
    )
    assert failure.details["what"] == what
    assert (drive.root / to).exists()
    assert drive.log() == []


def test_a_file_that_vanished_since_the_plan_is_not_found(drive: Caller) -> None:
    arguments = asked(drive, "项目/方案.md", "归档")
    (drive.root / "项目" / "方案.md").unlink()
    drive.fails("not_found", "drive.move", **arguments)
    assert drive("evidence.item_state", token=arguments["file_token"]) == {"exists": False}


def by_hand_rename(root: Path) -> None:
    (root / "项目" / "方案.md").rename(root / "项目" / "改名.md")


def by_hand_replace(root: Path) -> None:
    (root / "项目" / "方案.md").rename(root / "别处.md")
    (root / "项目" / "方案.md").write_text("冒名", "utf-8")


def by_hand_swap_target(root: Path) -> None:
    (root / "归档").rename(root / "归档旧")
    (root / "归档").mkdir()


@pytest.mark.parametrize("change", [by_hand_rename, by_hand_replace, by_hand_swap_target])
def test_a_change_between_the_last_look_and_the_rename_is_seen(
    drive: Caller, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    arguments = asked(drive, "项目/方案.md", "归档")
    monkeypatch.setattr(writing, "check_free", lambda *_: change(drive.root))
    drive.fails("changed_since_plan", "drive.move", **arguments)
    assert drive.log() == []


def test_a_folder_that_becomes_a_link_out_of_the_root_is_not_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = write_all(tmp_path / "outside", {"x": None})
    drive = Caller(write_all(tmp_path / "drive", FILES))
    arguments = asked(drive, "项目/方案.md", "归档")

    def swap(*_: object) -> None:
        (drive.root / "归档").rmdir()
        (drive.root / "归档").symlink_to(outside, target_is_directory=True)

    monkeypatch.setattr(writing, "check_free", swap)
    with pytest.raises(ToolFailure):
        drive("drive.move", **arguments)
    assert sorted(path.name for path in outside.iterdir()) == ["x"]
    assert (drive.root / "项目" / "方案.md").exists()


# --- rights -----------------------------------------------------------------------------------------------------------


def test_what_the_account_may_not_do_is_refused_whoever_runs_the_process(tmp_path: Path) -> None:
    write_all(tmp_path, FILES)
    tmp_path.chmod(0o755)
    drive = Caller(tmp_path, account=STRANGER)
    drive.fails("permission_denied", "drive.move", **asked(drive, "项目/方案.md", "归档"))
    drive.fails("permission_denied", "drive.create_folder", name="新", folder_token="")
    drive.fails("permission_denied", "drive.delete", file_token=drive.token("归档"), type="folder")
    assert drive.log() == []


def test_stated_evidence_closes_a_target_that_the_system_leaves_open(drive: Caller) -> None:
    write_all(drive.root, {".drive/evidence.yaml": "归档: {write: denied}\n"})
    drive.fails("permission_denied", "drive.move", **asked(drive, "项目/方案.md", "归档"))


# --- links and other things -------------------------------------------------------------------------------------------


def test_links_sockets_and_names_that_are_no_text_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = write_all(tmp_path / "outside", {"秘密.md": "机密"})
    root = write_all(tmp_path / "drive", {"归档": None, os.fsdecode(b"\xff\xfe.md"): "x"})
    (root / "链接.md").symlink_to(outside / "秘密.md")
    (root / "出口").symlink_to(outside, target_is_directory=True)
    monkeypatch.chdir(root)  # the path of a socket has to be short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("插座")
    os.mkfifo(root / "管道.md")
    drive = Caller(root)
    target = drive.token("归档")
    kinds = {
        file["name"]: (file["type"], file["token"]) for file in drive("drive.files_list", folder_token="")["files"]
    }
    assert {name: kind for name, (kind, _) in kinds.items()} == {
        "\\xff\\xfe.md": "unsupported",
        "链接.md": "shortcut",
        "出口": "shortcut",
        "插座": "unsupported",
        "管道.md": "unsupported",
        "归档": "folder",
    }
    for name in ("\\xff\\xfe.md", "插座", "管道.md", "链接.md", "出口"):
        for kind in ("docx", "file"):
            with pytest.raises(ToolFailure) as caught:
                drive("drive.move", file_token=kinds[name][1], type=kind, folder_token=target)
            assert caught.value.code in ("unsupported", "invalid_arguments")
    drive.fails("unsupported", "drive.inspect", url=kinds["\\xff\\xfe.md"][1])
    drive.fails("unsupported", "reading.doc_fetch", doc=kinds["链接.md"][1], scope="full")
    drive.fails("invalid_arguments", "drive.files_list", folder_token=kinds["出口"][1])
    assert drive("drive.inspect", url="出口/秘密.md")["title"] == ""
    assert drive.titles("机密") == []
    assert drive.log() == []


def test_no_operation_goes_through_a_link(tmp_path: Path) -> None:
    write_all(tmp_path, {"drive/甲/文.md": "x", "outside/秘密.md": "机密"})
    tree_of = paths.Tree(str(tmp_path / "drive"))
    (tmp_path / "drive" / "出口").symlink_to(tmp_path / "outside", target_is_directory=True)
    (tmp_path / "drive" / "甲" / "链.md").symlink_to(tmp_path / "outside" / "秘密.md")
    assert tree_of.entry("出口/秘密.md") is None
    link = tree_of.entry("甲/链.md")
    assert link is not None
    assert link.is_link
    for act in (
        lambda: tree_of.children("出口"),
        lambda: tree_of.read("出口/秘密.md", 10),
        lambda: tree_of.read("甲/链.md", 10),
        lambda: tree_of.open_folder("出口"),
        lambda: tree_of.children("甲/.."),
        lambda: tree_of.read("../outside/秘密.md", 10),
    ):
        with pytest.raises(OSError, match=r"."):
            act()


# --- folders ----------------------------------------------------------------------------------------------------------


def test_a_new_folder_has_a_token_at_once_and_bears_its_request(drive: Caller) -> None:
    parent = drive.token("归档")
    made = drive("drive.create_folder", name="二〇二六", folder_token=parent, request_id="run-1/p1")
    assert drive.token("归档/二〇二六") == made["folder_token"]
    listed = drive("drive.files_list", folder_token=parent)["files"]
    assert [(file["token"], file["request_id"]) for file in listed] == [(made["folder_token"], "run-1/p1")]
    drive.fails("name_in_use", "drive.create_folder", name="二〇二六", folder_token=parent)


@pytest.mark.parametrize("name", [".", "..", "a/b", "\x00", "名" * 90])
def test_a_name_that_no_folder_can_have_is_refused(drive: Caller, name: str) -> None:
    drive.fails("invalid_arguments", "drive.create_folder", name=name, folder_token="")


def test_only_an_empty_folder_is_deleted_and_it_goes_to_the_bin(drive: Caller) -> None:
    drive.fails("folder_not_empty", "drive.delete", file_token=drive.token("项目"), type="folder")
    token = drive.token("归档")
    assert drive("drive.delete", file_token=token, type="folder") == {"deleted": True}
    assert drive("drive.inspect", url=token, type="folder")["title"] == ""
    assert [path.name for path in (drive.root / ".drive" / "trash").glob("*/*")] == ["归档"]
    drive.fails("not_found", "drive.delete", file_token=token, type="folder")


def test_what_is_taken_out_of_the_bin_by_hand_has_its_token_again(drive: Caller) -> None:
    token = drive.token("表.csv")
    drive("drive.delete", file_token=token, type="sheet")
    (found,) = (drive.root / ".drive" / "trash").glob("*/*")
    found.rename(drive.root / "又是表.csv")
    assert drive.token("又是表.csv") == token


# --- keys, kills, failures --------------------------------------------------------------------------------------------


def test_a_call_with_a_known_key_gives_the_recorded_answer_and_renames_nothing(drive: Caller) -> None:
    arguments = asked(drive, "项目", "归档")
    first = drive("drive.move", "key-1", **arguments)
    drive.adapter.close()
    again = Caller(drive.root)
    assert again("drive.move", "key-1", **arguments) == first
    assert again.log() == ["move"]
    again.fails("invalid_arguments", "drive.move", "key-1", **{**arguments, "folder_token": ""})
    made = again("drive.create_folder", "key-2", name="新", folder_token="")
    assert again("drive.create_folder", "key-2", name="新", folder_token="") == made
    assert again.log() == ["move", "create_folder"]


CUTS = {
    "after the intention, before the rename": (renames, "rename_new", 0),
    "after the rename, before the log": (renames, "_add_to_log", 1),
    "after the log, before the answer": (registry.Registry, "finish", 1),
}
WRITES: dict[str, tuple[str, Callable[[Caller], dict[str, Any]]]] = {
    "move": ("drive.move", lambda drive: asked(drive, "项目/方案.md", "归档")),
    "move of a folder": ("drive.move", lambda drive: asked(drive, "项目", "归档")),
    "create": ("drive.create_folder", lambda _: {"name": "新", "folder_token": "", "request_id": "r1"}),
    "delete": ("drive.delete", lambda drive: {"file_token": drive.token("归档"), "type": "folder"}),
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("write", WRITES)
def test_a_process_that_is_killed_leaves_each_rename_made_and_counted_at_most_once(
    drive: Caller, monkeypatch: pytest.MonkeyPatch, cut: str, write: str
) -> None:
    place, name, made = CUTS[cut]
    tool, arguments_of = WRITES[write]
    arguments = arguments_of(drive)
    with monkeypatch.context() as patch:
        patch.setattr(place, name, kill)
        with pytest.raises(Killed):
            drive(tool, "the-key", **arguments)
    drive.adapter.close()
    after = Caller(drive.root)
    after("evidence.whoami")  # the first answer of any kind settles what was left behind
    assert len(after.log()) == made
    after(tool, "the-key", **arguments)
    assert len(after.log()) == 1
    assert not list((drive.root / ".drive" / "staging").iterdir())
    after(tool, "the-key", **arguments)
    assert len(after.log()) == 1


def test_a_rename_in_two_steps_that_was_cut_in_between_is_finished(
    drive: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = asked(drive, "项目/方案.md", "归档")
    with monkeypatch.context() as patch:
        patch.setattr(paths, "_rename_exclusive", lambda *_: False)
        patch.setattr(paths.os, "unlink", kill)
        with pytest.raises(Killed):
            drive("drive.move", **arguments)
    drive.adapter.close()
    after = Caller(drive.root)
    assert after.names("归档") == ["方案.md"]
    assert "方案.md" not in after.names("项目")
    assert after.log() == ["move"]


def test_half_a_line_in_the_log_does_not_spoil_the_next_one(drive: Caller) -> None:
    write_all(drive.root, {".drive/log.jsonl": '{"id": "x", "opera'})
    move(drive, "项目/方案.md", "归档")
    lines = (drive.root / ".drive" / "log.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 2
    assert '"operation": "move"' in lines[1]


def test_a_disk_that_fills_up_after_the_rename_leaves_the_outcome_open(
    drive: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = asked(drive, "项目/方案.md", "归档")
    with monkeypatch.context() as patch:
        patch.setattr(renames, "_add_to_log", fill_disk)
        drive.fails("server_error", "drive.move", "k", **arguments)
    assert drive.names("归档") == ["方案.md"]
    drive("drive.move", "k", **arguments)
    assert drive.log() == ["move"]


def test_a_disk_that_is_full_before_the_rename_leaves_everything_as_it_was(
    drive: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(drive.root)
    monkeypatch.setattr(renames, "rename_new", fill_disk)
    drive.fails("quota_exceeded", "drive.move", "k", **asked(drive, "项目/方案.md", "归档"))
    assert tree(drive.root) == before
    assert drive.log() == []


# --- any sequence of moves --------------------------------------------------------------------------------------------


def tree(root: Path) -> dict[str, str | None]:
    """Return every path below the root with its content; the drive's own folder is left out."""
    return {
        str(path.relative_to(root)): path.read_text("utf-8") if path.is_file() else None
        for path in sorted(root.rglob("*"))
        if ".drive" not in path.parts
    }


NAMES = st.sampled_from(["甲", "乙", "丙.md", "丁.md"])
TREES = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=3).map("/".join), st.sampled_from(["一", "二", "三"]), min_size=1, max_size=8
)


def write_what_fits(root: Path, wanted: dict[str, str]) -> None:
    for number, (path, content) in enumerate(sorted(wanted.items())):
        place = root / path
        if all(not parent.is_file() for parent in place.parents) and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"{content}{number}", "utf-8")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TREES, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.booleans()), max_size=12))
def test_no_sequence_of_moves_loses_a_file_or_leaves_the_root(
    tmp_path_factory: pytest.TempPathFactory, wanted: dict[str, str], moves: list[tuple[int, int, bool]]
) -> None:
    place = tmp_path_factory.mktemp("moves")
    root = place / "drive"
    root.mkdir()
    write_what_fits(root, wanted)
    drive = Caller(root)
    files = Counter(content for content in tree(root).values() if content is not None)
    tokens = sorted(drive.adapter._drive.refresh())
    made = 0
    codes: set[str] = set()
    for source, target, starts_anew in moves:
        if starts_anew:
            drive.adapter.close()
            drive = Caller(root)
        token = tokens[source % len(tokens)]
        kind = drive("drive.inspect", url=token)["type"]
        before = drive("evidence.item_state", token=token)["parent_token"]
        folder = ["", *tokens][target % (len(tokens) + 1)]
        try:
            drive("drive.move", file_token=token, type=kind, folder_token=folder)
        except ToolFailure as failure:
            codes.add(failure.code)
        else:
            made += before != folder
            assert drive("evidence.item_state", token=token)["parent_token"] == folder
        assert Counter(content for content in tree(root).values() if content is not None) == files
    assert codes <= {"name_in_use", "into_itself", "invalid_arguments"}
    assert len(drive.log()) == made
    assert sorted(drive.adapter._drive.refresh()) == tokens
    assert [path.name for path in place.iterdir()] == ["drive"]
    drive.adapter.close()


def test_two_adapters_on_one_folder_see_each_others_writes(drive: Caller) -> None:
    other = Caller(drive.root)
    token = other.token("项目/方案.md")
    move(drive, "项目/方案.md", "归档")
    assert other("evidence.item_state", token=token)["parent_token"] == drive.token("归档")
    move(other, "归档/方案.md", "项目")
    assert drive("evidence.item_state", token=token)["path"] == "/项目/方案.md"


def test_a_root_that_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(ToolFailure) as caught:
        Caller(tmp_path / "nothing")
    assert caught.value.code == "unavailable"
    with pytest.raises(ToolFailure) as caught:
        Drive({}, lambda: 0.0)
    assert caught.value.code == "unavailable"


def test_an_own_folder_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    write_all(tmp_path, {"drive": None, "elsewhere": None})
    (tmp_path / "drive" / ".drive").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(ToolFailure):
        Caller(tmp_path / "drive")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(("course", "ends"), [("2", "success"), ("never", "processing"), ("fails", "failed")])
def test_the_move_of_a_folder_may_be_a_task_that_takes_its_time(tmp_path: Path, course: str, ends: str) -> None:
    drive = Caller(write_all(tmp_path, {"项目/方案.md": "文", "归档": None}), tasks=course)
    answer = move(drive, "项目", "归档")
    assert (answer["ready"], answer["failed"], answer["timed_out"]) == (False, False, True)
    asked = {"scenario": "task_check", "task_id": answer["task_id"]}
    told = [drive("drive.task_result", **asked)["status"] for _ in range(3)]
    assert told[-1] == ends
    assert drive.names("归档") == (["项目"] if ends == "success" else [])
    assert drive.log() == (["move"] if ends == "success" else [])
    move(drive, "项目/方案.md" if ends != "success" else "归档/项目/方案.md", "")


@pytest.mark.parametrize("tool", ["drive.create_folder", "drive.delete"])
def test_a_place_that_is_exchanged_in_the_last_moment_is_said_in_the_words_of_the_contract(
    drive: Caller, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    arguments: dict[str, Any] = {"name": "新", "folder_token": drive.token("归档")}
    if tool == "drive.delete":
        arguments = {"file_token": drive.token("归档"), "type": "folder"}

    def swap(*_: object, **__: object) -> Any:
        (drive.root / "归档").rename(drive.root / "原来的归档")
        (drive.root / "归档").mkdir()
        return None if tool == "drive.create_folder" else real(*_, **__)

    real = writing.intended
    monkeypatch.setattr(writing, "check_free" if tool == "drive.create_folder" else "intended", swap)
    drive.fails("changed_since_plan", tool, **arguments)
    assert drive.log() == []
