"""Writing to the wiki: four ways to move, two ways to make, one to delete; what is refused, and what a kill leaves."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.drive import registry, renames
from interpreter.adapters.wiki import writing
from interpreter.ports import ToolFailure
from tests.unit.checked_calls import close_adapters
from tests.unit.drive_folder import STRANGER, write_all
from tests.unit.kills_kit import Killed, fill_disk, kill
from tests.unit.wiki_folder import FILES, Pair, card, node, pair

__all__ = ["close_adapters", "pair"]


def move_in(pair: Pair, path: str, space: str, parent: str = "", **more: Any) -> dict[str, Any]:
    """Return the arguments of a move of a document into the wiki."""
    kind = pair("drive.inspect", url=path)["type"]
    asked = {"obj_token": pair.token(path), "obj_type": kind, "target_space_id": pair.space(space), "apply": False}
    return {**asked, **({"target_parent_token": pair.node(parent)} if parent else {}), **more}


# --- what is moved -------------------------------------------------------------------------------------------


def test_a_node_moves_with_all_below_it_by_one_rename(pair: Pair) -> None:
    token = pair.node("平台/规范")
    answer = pair("wiki.move", node_token=token, target_space_id=pair.space("财务"))
    assert (answer["mode"], answer["parent_node_token"], answer["space_id"]) == ("node", "", pair.space("财务"))
    assert pair.titles("财务") == ["规范", "预算"]
    assert pair.titles("财务/规范/命名") == ["细则"]
    assert pair.node("财务/规范") == token
    assert pair.log() == ["move_node"]


def test_a_node_moves_below_another_one_and_back_to_the_root_of_its_space(pair: Pair) -> None:
    token, parent = pair.node("平台/日志"), pair.node("平台/规范")
    pair("wiki.move", node_token=token, target_parent_token=parent)
    assert pair.titles("平台/规范") == ["命名", "日志"]
    pair("wiki.move", node_token=token, target_space_id=pair.space("平台"))
    assert pair.titles("平台") == ["日志", "规范"]
    pair("wiki.move", node_token=token, target_space_id="my_library")
    assert pair.titles("平台") == ["规范"]


def test_a_document_moves_in_keeps_its_token_and_gets_a_node(pair: Pair) -> None:
    asked = move_in(pair, "资料/方案.md", "平台", "平台/规范")
    answer = pair("wiki.move", **asked)
    assert answer["ready"] is True
    seen = pair.seen("平台/规范/方案")
    assert (seen["node_token"], seen["obj_token"]) == (answer["node_token"], asked["obj_token"])
    assert "drive/资料/方案.md" not in pair.files()
    assert pair("drive.metas", request_docs=[{"doc_token": asked["obj_token"]}])["metas"][0]["title"] == "方案"
    assert pair("evidence.item_state", token=asked["obj_token"])["parent_kind"] == "wiki_node"
    pair.fails("not_found", "drive.move", file_token=asked["obj_token"], type="docx", folder_token="")
    assert pair.log() == ["move_in"]


def test_a_node_moves_out_and_nothing_of_it_is_left_in_the_wiki(pair: Pair) -> None:
    seen = pair.seen("财务/预算")
    answer = pair("wiki.move_to_drive", node_token=seen["node_token"], folder_token=pair.token("归档"))
    assert (answer["ready"], answer["status"], answer["obj_token"]) == (True, 0, seen["obj_token"])
    assert pair("drive.inspect", url=answer["url"])["title"] == "预算.md"
    assert pair.titles("财务") == []
    assert "drive/归档/预算.md" in pair.files()
    assert not any(path.startswith("wiki/财务/预算") for path in pair.files())
    pair.fails("not_found", "wiki.node_get", node_token=seen["node_token"])
    assert pair.log() == ["move_out"]


# the title of a node ; the file of its document ; the name that the document has in the drive
NAMES = [
    ("预算", "正文.md", "预算.md"),
    ("预算", "预算.MD", "预算.MD"),  # shows its title already: letter for letter as it was
    ("预算", "body.CSV", "预算.CSV"),
    ("预算.md", "正文.md", "预算.md"),
    ("预算.md", "正文.txt", "预算.md.txt"),  # the ending says the kind
    ("2026/上半年 v1.2", "正文.html", "2026／上半年 v1.2.html"),
    ("数据", "数据.tar.gz", "数据.gz"),
    ("说明", "正文", "说明"),
    ("说明 v1.2", "正文", "说明 v1.2"),
    ("说明.pdf", "正文", "正文"),  # would be taken for a PDF
    ("NODE.yaml", "正文.md", "正文.md"),  # these can be no names
    ("一\n二", "正文.md", "正文.md"),
    ("\u202e", "正文.md", "正文.md"),
    ("长" * 300, "正文.md", "长" * 66 + ".md"),
    ("长" * 300, "正文." + "尾" * 30, "正文." + "尾" * 30),  # with its ending the title is longer than a name
    (".Drive", "正文", "正文"),  # the drive's own
]


@pytest.mark.parametrize(("title", "file", "name"), NAMES, ids=lambda value: repr(value)[:20])
def test_a_document_leaves_the_wiki_under_its_title(tmp_path: Path, title: str, file: str, name: str) -> None:
    files = {"wiki/财务/甲/node.yaml": card(title=title, body=file), f"wiki/财务/甲/{file}": "数据"}
    pair = Pair(tmp_path, {"drive": None, "wiki/财务/space.yaml": card(name="财务"), **files})
    seen = pair.seen(f"财务/{title.strip()}") if "/" not in title else pair._nodes(pair.space("财务"), "")[0]
    answer = pair("wiki.move_to_drive", node_token=seen["node_token"], folder_token="")
    assert pair.files() == [f"drive/{name}", "wiki/财务/space.yaml"]
    told = pair("drive.inspect", url=answer["url"])
    assert (told["title"], told["type"], told["token"]) == (name, seen["obj_type"], seen["obj_token"])


@pytest.mark.parametrize("name", ["清单.csv", "清 单.v2.MD", " 头尾 .txt", "没有结尾", "a／b.md", "数据.tar.gz", ".md"])
def test_what_came_from_the_drive_has_its_name_again_when_it_is_back(tmp_path: Path, name: str) -> None:
    pair = Pair(tmp_path, {f"drive/甲/{name}": "数据", "wiki/财务/space.yaml": card(name="财务")})
    before = pair.files()
    answer = pair("wiki.move", **move_in(pair, f"甲/{name}", "财务"))
    pair("wiki.move_to_drive", node_token=answer["node_token"], folder_token=pair.token("甲"))
    assert pair.files() == before


def test_a_document_goes_in_and_out_again_and_again_with_the_same_token(pair: Pair) -> None:
    token = pair.token("资料/清单.csv")
    for _ in range(3):
        answer = pair("wiki.move", **move_in(pair, "资料/清单.csv", "平台"))
        pair("wiki.move_to_drive", node_token=answer["node_token"], folder_token=pair.token("资料"))
        assert pair.token("资料/清单.csv") == token
    assert pair("reading.sheet_read", spreadsheet_token=token)["values"][0] == ["名称", "数量"]


@pytest.mark.parametrize(("kind", "ending"), [("docx", ".md"), ("sheet", ".csv"), ("bitable", ""), ("slides", "")])
def test_a_new_node_stands_where_it_was_asked_for(pair: Pair, kind: str, ending: str) -> None:
    parent = pair.node("平台/规范")
    answer = pair(
        "wiki.node_create", space_id=pair.space("平台"), parent_node_token=parent, title="A/B 方案", obj_type=kind
    )
    seen = pair("wiki.node_get", node_token=answer["node_token"])
    assert (seen["title"], seen["parent_node_token"], seen["obj_type"]) == ("A/B 方案", parent, kind)
    assert seen["obj_token"] == answer["obj_token"]
    assert (pair.folder / f"wiki/平台/规范/A／B 方案/A／B 方案{ending}").is_file() == bool(ending)
    assert pair.log() == ["create_node"]


def test_a_shortcut_can_be_made_but_not_of_a_shortcut_and_does_not_leave_the_wiki(pair: Pair) -> None:
    origin = pair.seen("平台/规范")
    made = pair(
        "wiki.node_create",
        space_id=pair.space("财务"),
        title="规范副本",
        obj_type="docx",
        node_type="shortcut",
        origin_node_token=origin["node_token"],
    )
    seen = pair.seen("财务/规范副本")
    assert (seen["node_type"], seen["obj_token"]) == ("shortcut", origin["obj_token"])
    asked = {"space_id": pair.space("财务"), "title": "再来", "obj_type": "docx", "node_type": "shortcut"}
    pair.fails("invalid_arguments", "wiki.node_create", **asked, origin_node_token=made["node_token"])
    pair.fails("unsupported", "wiki.move_to_drive", node_token=made["node_token"], folder_token="")
    pair("wiki.move", node_token=made["node_token"], target_space_id=pair.space("平台"))
    pair("wiki.node_delete", node_token=made["node_token"], obj_type="wiki", include_children=False)
    assert pair.seen("平台/规范")["obj_token"] == origin["obj_token"]


def test_deleting_a_node_keeps_what_is_below_it(pair: Pair) -> None:
    token, below = pair.node("平台/规范"), pair.node("平台/规范/命名")
    answer = pair("wiki.node_delete", node_token=token, obj_type="wiki", include_children=False)
    assert (answer["ready"], answer["status"]) == (True, "success")
    assert pair.titles("平台") == ["命名", "日志"]
    assert pair.titles("平台/命名") == ["细则"]
    assert pair("wiki.node_get", node_token=below)["parent_node_token"] == ""
    pair.fails("not_found", "wiki.node_get", node_token=token)
    assert pair.log() == ["raise_node", "delete_node"]
    assert list((pair.folder / "wiki/.wiki/trash").glob("*/规范/正文.md"))


def test_what_is_at_its_place_already_is_not_renamed(pair: Pair) -> None:
    answer = pair("wiki.move", node_token=pair.node("平台/日志"), target_space_id=pair.space("平台"))
    assert answer["title"] == "日志"
    assert pair.log() == []


def test_the_same_key_is_answered_from_the_record_and_never_with_other_arguments(pair: Pair) -> None:
    asked = move_in(pair, "资料/方案.md", "平台")
    first = pair("wiki.move", "k1", **asked)
    assert pair("wiki.move", "k1", **asked) == first
    assert pair.log() == ["move_in"]
    pair.fails("invalid_arguments", "wiki.move", "k1", **{**asked, "target_space_id": pair.space("财务")})


# --- what is refused -----------------------------------------------------------------------------------------

Case = tuple[str, str, Callable[[Pair], dict[str, Any]]]

# what ; code ; tool ; arguments
REFUSED: dict[str, Case] = {
    "a node into itself": (
        "into_itself",
        "wiki.move",
        lambda pair: {"node_token": pair.node("平台/规范"), "target_parent_token": pair.node("平台/规范")},
    ),
    "a node below its own descendant": (
        "into_itself",
        "wiki.move",
        lambda pair: {"node_token": pair.node("平台/规范"), "target_parent_token": pair.node("平台/规范/命名/细则")},
    ),
    "a node that vanished": (
        "not_found",
        "wiki.move",
        lambda pair: {"node_token": "wikgone", "target_space_id": pair.space("平台")},
    ),
    "a target that vanished": (
        "not_found",
        "wiki.move",
        lambda pair: {"node_token": pair.node("平台/日志"), "target_parent_token": "wikgone"},
    ),
    "a space that is none": (
        "not_found",
        "wiki.move",
        lambda pair: {"node_token": pair.node("平台/日志"), "target_space_id": "7000"},
    ),
    "an object token in place of a node's": (
        "not_found",
        "wiki.move",
        lambda pair: {"node_token": pair.seen("平台/日志")["obj_token"], "target_space_id": pair.space("财务")},
    ),
    "no target": ("invalid_arguments", "wiki.move", lambda pair: {"node_token": pair.node("平台/日志")}),
    "both modes at once": (
        "invalid_arguments",
        "wiki.move",
        lambda pair: {**move_in(pair, "资料/方案.md", "平台"), "node_token": pair.node("平台/日志")},
    ),
    "neither mode": ("invalid_arguments", "wiki.move", lambda pair: {"target_space_id": pair.space("平台")}),
    "a document without a space": (
        "invalid_arguments",
        "wiki.move",
        lambda pair: {"obj_token": pair.token("资料/方案.md"), "obj_type": "docx", "apply": False},
    ),
    "space and parent that do not agree": (
        "other_space",
        "wiki.move",
        lambda pair: move_in(pair, "资料/方案.md", "财务", "平台/规范"),
    ),
    "a source in another space than was said": (
        "other_space",
        "wiki.move",
        lambda pair: {
            "node_token": pair.node("平台/日志"),
            "source_space_id": pair.space("财务"),
            "target_parent_token": pair.node("平台/规范"),
        },
    ),
    "a document of another type than was said": (
        "invalid_arguments",
        "wiki.move",
        lambda pair: {**move_in(pair, "资料/方案.md", "平台"), "obj_type": "sheet"},
    ),
    "a document that vanished": (
        "not_found",
        "wiki.move",
        lambda pair: {**move_in(pair, "资料/方案.md", "平台"), "obj_token": "doxgone"},
    ),
    "a folder into the wiki": (
        "unsupported",
        "wiki.move",
        lambda pair: {**move_in(pair, "资料/方案.md", "平台"), "obj_token": pair.token("归档")},
    ),
    "a node out to a folder that is none": (
        "not_found",
        "wiki.move_to_drive",
        lambda pair: {"node_token": pair.node("平台/日志"), "folder_token": "fldgone"},
    ),
    "a node out into a file": (
        "invalid_arguments",
        "wiki.move_to_drive",
        lambda pair: {"node_token": pair.node("平台/日志"), "folder_token": pair.token("资料/方案.md")},
    ),
    "a node with others below it out to the drive": (
        "node_not_empty",
        "wiki.move_to_drive",
        lambda pair: {"node_token": pair.node("平台/规范"), "folder_token": ""},
    ),
    "a blank title": (
        "invalid_arguments",
        "wiki.node_create",
        lambda pair: {"space_id": pair.space("平台"), "title": " \u200b", "obj_type": "docx"},
    ),
    "a title of a card": (
        "invalid_arguments",
        "wiki.node_create",
        lambda pair: {"space_id": pair.space("平台"), "title": "NODE.yaml", "obj_type": "docx"},
    ),
    "a title that is taken": (
        "name_in_use",
        "wiki.node_create",
        lambda pair: {"space_id": pair.space("平台"), "title": "日志", "obj_type": "docx"},
    ),
    "a plan that is out of date: parent": (
        "changed_since_plan",
        "wiki.move",
        lambda pair: {
            "node_token": pair.node("平台/日志"),
            "target_space_id": pair.space("财务"),
            "expected_parent": pair.node("平台/规范"),
        },
    ),
    "a plan that is out of date: title": (
        "changed_since_plan",
        "wiki.move_to_drive",
        lambda pair: {"node_token": pair.node("平台/日志"), "folder_token": "", "expected_name": "旧标题"},
    ),
    "a plan that is out of date: folder of a document": (
        "changed_since_plan",
        "wiki.move",
        lambda pair: move_in(pair, "资料/方案.md", "平台", expected_parent=""),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_done_is_refused_and_changes_nothing(pair: Pair, what: str) -> None:
    code, tool, arguments_of = REFUSED[what]
    arguments, before = arguments_of(pair), pair.files()
    pair.fails(code, tool, "key", **arguments)
    assert (pair.files(), pair.log()) == (before, [])


@pytest.mark.parametrize("tool", ["wiki.move", "in", "wiki.move_to_drive", "wiki.node_delete"])
def test_a_name_in_use_is_never_replaced(tmp_path: Path, tool: str) -> None:
    files = {**FILES, **node("wiki/财务/日志", "另一份"), **node("wiki/平台/规范/日志", "里面的日志")}
    files |= {"drive/归档/日志.md": "已有", "wiki/平台/方案/空.txt": "不是节点，但名字被占了"}
    pair = Pair(tmp_path, files)
    before = pair.files()
    if tool == "wiki.move":
        pair.fails("name_in_use", tool, node_token=pair.node("平台/日志"), target_space_id=pair.space("财务"))
    elif tool == "in":
        pair.fails("name_in_use", "wiki.move", **move_in(pair, "资料/方案.md", "平台"))
    elif tool == "wiki.move_to_drive":
        pair.fails("name_in_use", tool, node_token=pair.node("平台/日志"), folder_token=pair.token("归档"))
    else:
        token = pair.node("平台/规范")
        pair.fails("name_in_use", tool, node_token=token, obj_type="wiki", include_children=False)
    assert (pair.files(), pair.log()) == (before, [])


def test_a_name_that_is_taken_in_the_last_moment_is_not_replaced_either(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = move_in(pair, "资料/方案.md", "平台")
    late = node("wiki/平台/方案", "后来的", None)
    monkeypatch.setattr(writing, "check_free", lambda *_: write_all(pair.folder, late))
    pair.fails("name_in_use", "wiki.move", **asked)
    assert pair.titles("平台") == ["后来的", "日志", "规范"]
    assert "drive/资料/方案.md" in pair.files()
    assert pair.log() == []


@pytest.mark.parametrize("what", ["in", "node", "create"])
@pytest.mark.parametrize("is_link", [False, True])
def test_a_target_that_is_exchanged_in_the_last_moment_receives_nothing(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, what: str, is_link: bool
) -> None:
    tool, arguments = WRITES[what][0], WRITES[what][1](pair)
    space = pair.folder / "wiki" / ("平台" if what == "create" else "财务")

    def swap(*_: object) -> None:
        space.rename(pair.folder / "elsewhere")
        if is_link:
            space.symlink_to(pair.folder / "elsewhere")
        else:
            space.mkdir()

    monkeypatch.setattr(writing, "check_free", swap)
    with pytest.raises(ToolFailure) as caught:
        pair(tool, "k", **arguments)
    assert caught.value.code in ("changed_since_plan", "not_found", "unsupported")
    assert (pair.folder / "drive/资料/方案.md").exists()
    assert pair.log() == []
    assert not any("方案" in str(path) for path in (pair.folder / "elsewhere").rglob("*"))


# evidence of the wiki ; evidence of the drive ; tool
DENIED = [
    ("平台: {write: denied}\n", "", "in"),
    ("平台/规范: {write: denied}\n", "", "below"),
    ("平台: {source: denied}\n", "", "node"),
    ("平台/日志: {move_out: denied}\n", "", "out"),
    ("", "归档: {write: denied}\n", "out"),
    ("", "资料/方案.md: {move_in: denied}\n", "in"),
    ("平台: {write: denied}\n", "", "create"),
    ("平台: {write: denied}\n", "", "delete"),
    ("财务: {write: denied}\n", "", "node"),
]


@pytest.mark.parametrize(("of_wiki", "of_drive", "what"), DENIED)
def test_what_is_stated_as_denied_is_refused_whoever_runs_it(
    tmp_path: Path, of_wiki: str, of_drive: str, what: str
) -> None:
    pair = Pair(tmp_path, {**FILES, "wiki/.wiki/evidence.yaml": of_wiki, "drive/.drive/evidence.yaml": of_drive})
    before = pair.files()
    space, token = pair.space("平台"), pair.node("平台/日志")
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "in": ("wiki.move", move_in(pair, "资料/方案.md", "平台")),
        "below": ("wiki.move", {"node_token": token, "target_parent_token": pair.node("平台/规范")}),
        "node": ("wiki.move", {"node_token": token, "target_space_id": pair.space("财务")}),
        "out": ("wiki.move_to_drive", {"node_token": token, "folder_token": pair.token("归档")}),
        "create": ("wiki.node_create", {"space_id": space, "title": "新", "obj_type": "docx"}),
        "delete": ("wiki.node_delete", {"node_token": token, "obj_type": "wiki", "include_children": False}),
    }
    tool, arguments = calls[what]
    pair.fails("permission_denied", tool, **arguments)
    assert (pair.files(), pair.log()) == (before, [])


def test_mode_bits_that_forbid_a_write_are_kept_although_the_process_could(pair: Pair) -> None:
    token = pair.node("平台/日志")
    pair.close()
    for path in (pair.folder, pair.folder / "wiki", pair.folder / "wiki/平台", pair.folder / "wiki/财务"):
        path.chmod(0o755)
    other = Pair(pair.folder, account=STRANGER)
    other.fails("permission_denied", "wiki.move", node_token=token, target_space_id=other.space("财务"))
    other.fails("permission_denied", "wiki.node_create", space_id=other.space("财务"), title="新", obj_type="docx")


@pytest.mark.parametrize("number", [errno.EXDEV, errno.ENOSPC, errno.EACCES, errno.EIO])
@pytest.mark.parametrize("what", ["node", "in", "out", "create", "delete"])
def test_a_rename_that_the_system_refuses_leaves_both_folders_as_they_were(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, number: int, what: str
) -> None:
    tool, arguments = WRITES[what][0], WRITES[what][1](pair)
    before = pair.files()

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(renames, "rename_new", refuse)
    with pytest.raises(ToolFailure) as caught:
        pair(tool, "key", **arguments)
    assert caught.value.code in ("unsupported", "quota_exceeded", "permission_denied", "unavailable")
    monkeypatch.undo()
    pair.close()
    after = Pair(pair.folder)
    after("wiki.space_list")
    assert (after.files(), after.log()) == (before, [])


def test_without_a_drive_nothing_moves_between_the_two_and_the_rest_works(pair: Pair) -> None:
    from interpreter.adapters.wiki import WikiAdapter

    token = pair.node("平台/日志")
    alone = WikiAdapter({"root": str(pair.folder / "wiki")})
    try:
        with pytest.raises(ToolFailure, match=r"settings\.root"):
            alone.invoke("wiki.move_to_drive", {"node_token": token, "folder_token": ""})
        answer = alone.invoke("wiki.move", {"node_token": token, "target_parent_token": pair.node("平台/规范")})
        assert answer["title"] == "日志"
    finally:
        alone.close()


# --- tasks -----------------------------------------------------------------------------------------------------


def asked_after(pair: Pair, answer: dict[str, Any], scenario: str) -> dict[str, Any]:
    return pair("drive.task_result", scenario=scenario, task_id=answer["task_id"])


@pytest.mark.parametrize("what", ["in", "out", "delete"])
def test_a_task_takes_as_many_looks_as_was_set_and_then_says_what_it_brought(tmp_path: Path, what: str) -> None:
    pair = Pair(tmp_path, FILES, tasks="2")
    tool, arguments = WRITES[what][0], WRITES[what][1](pair)
    scenario = SCENARIOS[what]
    answer = pair(tool, "key", **arguments)
    assert (answer["ready"], answer["failed"], answer["timed_out"]) == (False, False, True)
    assert scenario in answer["next_command"]
    assert pair(tool, "key", **arguments) == answer
    assert asked_after(pair, answer, scenario)["ready"] is False
    done = asked_after(pair, answer, scenario)
    assert (done["ready"], done["failed"]) == (True, False)
    assert asked_after(pair, answer, scenario) == done
    if what == "in":
        assert pair.seen("财务/方案")["node_token"] == done["node_token"]
    assert pair.log()[-1] == WRITES[what][2]


@pytest.mark.parametrize("course", ["never", "fails"])
@pytest.mark.parametrize("what", ["in", "out", "delete"])
def test_a_task_that_never_ends_or_fails_says_so_inside_a_good_answer_and_moves_nothing(
    tmp_path: Path, course: str, what: str
) -> None:
    pair = Pair(tmp_path, FILES, tasks=course)
    tool, arguments = WRITES[what][0], WRITES[what][1](pair)
    before = pair.files()
    answer = pair(tool, "key", **arguments)
    assert (answer["ready"], answer["failed"]) == (False, False)
    for _ in range(5):
        told = asked_after(pair, answer, SCENARIOS[what])
        assert told["ready"] is False
        assert told["failed"] is (course == "fails")
    assert (pair.files(), pair.log()) == (before, [])


def test_a_request_for_approval_is_no_success_and_moves_nothing(tmp_path: Path) -> None:
    pair = Pair(tmp_path, FILES, tasks="approval")
    before = pair.files()
    answer = pair("wiki.move", **WRITES["in"][1](pair))
    assert (answer["ready"], answer["applied"]) == (False, True)
    assert "task_id" not in answer
    pair.fails("approval_needed", "wiki.node_delete", **WRITES["delete"][1](pair))
    pair.fails("policy", "wiki.move_to_drive", **WRITES["out"][1](pair))
    assert (pair.files(), pair.log()) == (before, [])


def test_how_a_task_goes_can_be_set_for_one_title_or_token(tmp_path: Path) -> None:
    pair = Pair(tmp_path, FILES, tasks={"方案": "never", "*": "1"})
    assert pair("wiki.move", **move_in(pair, "资料/方案.md", "平台"))["ready"] is False
    assert pair.log() == []
    pair("wiki.move", **move_in(pair, "资料/清单.csv", "平台"))
    assert pair.log() == ["move_in"]


# --- kills -----------------------------------------------------------------------------------------------------


SCENARIOS = {"in": "wiki_move", "out": "wiki_move_to_drive", "delete": "wiki_delete_node"}
Write = tuple[str, Callable[[Pair], dict[str, Any]], str]
WRITES: dict[str, Write] = {
    "node": (
        "wiki.move",
        lambda pair: {"node_token": pair.node("平台/规范"), "target_space_id": pair.space("财务")},
        "move_node",
    ),
    "in": ("wiki.move", lambda pair: move_in(pair, "资料/方案.md", "财务"), "move_in"),
    "out": (
        "wiki.move_to_drive",
        lambda pair: {"node_token": pair.node("财务/预算"), "folder_token": pair.token("归档")},
        "move_out",
    ),
    "create": (
        "wiki.node_create",
        lambda pair: {"space_id": pair.space("平台"), "title": "新", "obj_type": "docx", "request_id": "r1"},
        "create_node",
    ),
    "delete": (
        "wiki.node_delete",
        lambda pair: {"node_token": pair.node("平台/日志"), "obj_type": "wiki", "include_children": False},
        "delete_node",
    ),
}
# where the process ends ; how often the rename was made then
CUTS: dict[str, tuple[Any, str, int]] = {
    "after the intention, before the rename": (renames, "rename_new", 0),
    "after the rename, before the log": (renames, "_add_to_log", 1),
    "after the log, before the answer": (registry.Registry, "finish", 1),
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("what", WRITES)
def test_a_process_that_is_killed_leaves_each_rename_made_and_counted_at_most_once(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, cut: str, what: str
) -> None:
    place, name, made = CUTS[cut]
    tool, arguments_of, operation = WRITES[what]
    arguments = arguments_of(pair)
    with monkeypatch.context() as patch:
        patch.setattr(place, name, kill)
        with pytest.raises(Killed):
            pair(tool, "the-key", **arguments)
    check_settled(pair, tool, arguments, operation, made)


#: Steps that only moves between the two folders have.
BETWEEN: dict[str, tuple[str, Any, str, int]] = {
    "a node is made, nothing is published": ("in", writing, "rename_new", 0),
    "a node is published, it is not registered": ("in", writing, "_expected", 0),
    "the document came, the drive still has its token": ("in", registry.Registry, "release", 1),
    "the document left, the drive does not know it": ("out", registry.Registry, "register", 1),
    "the document left, its node is still there": ("out", writing, "_retire", 1),
    "the node was retired, its token still counts": ("out", registry.Registry, "release", 1),
}


@pytest.mark.parametrize("cut", BETWEEN)
def test_a_move_between_the_two_that_is_cut_anywhere_is_settled_to_one_place(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, cut: str
) -> None:
    what, place, name, made = BETWEEN[cut]
    tool, arguments_of, operation = WRITES[what]
    arguments = arguments_of(pair)
    real = getattr(place, name)

    def after_publishing(wiki: Any, path: str, *known: Any) -> Any:
        return real(wiki, path, *known) if path.startswith(".wiki") else kill()

    with monkeypatch.context() as patch:
        patch.setattr(place, name, after_publishing if name == "_expected" else kill)
        with pytest.raises(Killed):
            pair(tool, "the-key", **arguments)
    if what == "in":
        # Even now the document is in exactly one place for whoever looks.
        titles = pair.found("数据治理方案")
        assert titles in (["DOC 方案.md"], ["WIKI 方案"])
    check_settled(pair, tool, arguments, operation, made)


def check_settled(pair: Pair, tool: str, arguments: dict[str, Any], operation: str, made: int) -> None:
    pair.close()
    after = Pair(pair.folder)
    after("wiki.space_list")  # the first answer of any kind settles what was left behind
    assert after.log().count(operation) == made
    answer = after(tool, "the-key", **arguments)
    assert after.log().count(operation) == 1
    assert not list((pair.folder / "wiki/.wiki/staging").iterdir())
    assert after(tool, "the-key", **arguments) == answer
    assert after.log().count(operation) == 1
    cards = [path for path in after.files() if path.endswith("node.yaml")]
    whole = [
        path
        for path in cards
        if any(other != path and Path(other).parent == Path(path).parent for other in after.files())
    ]
    assert cards == whole  # no node is left without its document
    if tool == "wiki.move_to_drive":
        assert after("drive.inspect", url=answer["url"])["token"] == answer["obj_token"]


def test_a_drive_that_is_opened_with_its_wiki_settles_it_too(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = WRITES["in"][1](pair)
    with monkeypatch.context() as patch:
        patch.setattr(renames, "_add_to_log", kill)
        with pytest.raises(Killed):
            pair("wiki.move", "k", **arguments)
    pair.close()
    after = Pair(pair.folder)
    assert after.found("数据治理方案") == ["WIKI 方案"]
    assert after.log() == ["move_in"]


def test_a_disk_that_fills_up_after_the_rename_leaves_the_outcome_open(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = WRITES["out"][1](pair)
    with monkeypatch.context() as patch:
        patch.setattr(renames, "_add_to_log", fill_disk)
        pair.fails("server_error", "wiki.move_to_drive", "k", **arguments)
    assert pair("wiki.move_to_drive", "k", **arguments)["ready"] is True
    assert pair.log() == ["move_out"]


def test_children_that_had_risen_before_a_kill_stay_and_the_rest_follows(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all(pair.folder, node("wiki/平台/规范/另一个", "另一个"))
    arguments = {"node_token": pair.node("平台/规范"), "obj_type": "wiki", "include_children": False}
    real, count = renames._add_to_log, []

    def second(*given: Any, **more: Any) -> None:
        count.append(1)
        return kill() if len(count) == 2 else real(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(renames, "_add_to_log", second)
        with pytest.raises(Killed):
            pair("wiki.node_delete", "k", **arguments)
    pair.close()
    after = Pair(pair.folder)
    after("wiki.node_delete", "k", **arguments)
    assert after.titles("平台") == ["另一个", "命名", "日志"]
    assert after.log() == ["raise_node", "raise_node", "delete_node"]
