"""The profile `lark` over a stand-in of its program: every command, what answers mean, what errors mean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.servers.programs import Lark, lark_state
from tests.servers.service import SPECS, Service

ROOT = "fldroot"


def drive_of(size: int = 3) -> dict[str, Any]:
    """Return a small state: a folder with documents, one of somebody else, one that is hidden, a wiki."""
    items: dict[str, Any] = {
        "fldA": {"name": "甲", "type": "folder", "parent": "", "owner": "ou_me"},
        "fldB": {"name": "乙", "type": "folder", "parent": "", "owner": "ou_me"},
        "shtA": {
            "name": "台账",
            "type": "sheet",
            "parent": "fldA",
            "owner": "ou_me",
            "rows": [["名称", "预算"], ["数据治理", "12"]],
        },
        "doxO": {"name": "别人的", "type": "docx", "parent": "fldA", "owner": "ou_other", "text": "预算"},
        "doxH": {"name": "看不到", "type": "docx", "parent": "fldA", "owner": "ou_me", "hidden": True},
        "doxW": {
            "name": "手册",
            "type": "docx",
            "parent": "-",
            "owner": "ou_me",
            "node": "wikW",
            "space": "7001",
            "node_parent": "",
            "text": "手册",
        },
        "doxV": {
            "name": "章节",
            "type": "docx",
            "parent": "-",
            "owner": "ou_me",
            "node": "wikV",
            "space": "7001",
            "node_parent": "wikW",
        },
    }
    for number in range(size):
        items[f"dox{number}"] = {
            "name": f"预算 {number}",
            "type": "docx",
            "parent": "fldA",
            "owner": "ou_me",
            "text": f"第一段\n\n预算表 {number}\n\n第三段",
        }
    account = {"openId": "ou_me", "name": "我"}
    return {"account": account, "root": ROOT, "items": items, "spaces": {"7001": "团队"}, "tasks": {}, "variants": {}}


@pytest.fixture
def lark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lark:
    made = Lark(tmp_path, drive_of())
    monkeypatch.setenv("PATH", f"{made.path}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(made.home))
    return made


@pytest.fixture
def service(lark: Lark) -> Service:
    return Service("lark")


def last(lark: Lark) -> list[str]:
    return [word for word in lark.calls[-1] if word != "--as=user"]


#: A call, the command line that it becomes, and a part of its answer.
CALLS: list[tuple[str, dict[str, Any], list[str], dict[str, Any]]] = [
    (
        "drive.search",
        {"query": "预算", "mine": True, "page_size": 2},
        ["drive", "+search", "--query=预算", "--mine", "--page-size=2"],
        {"has_more": True},
    ),
    (
        "drive.search",
        {"query": "--yes", "doc_types": ["docx", "sheet"]},
        ["drive", "+search", "--query=--yes", "--doc-types=docx,sheet", "--page-size=20"],
        {"has_more": False},
    ),
    (
        "drive.inspect",
        {"url": "dox1", "type": "docx"},
        ["drive", "+inspect", "--url=dox1", "--type=docx"],
        {"title": "预算 1"},
    ),
    (
        "drive.inspect",
        {"url": "https://example.feishu.cn/docx/dox1", "type": "sheet"},
        ["drive", "+inspect", "--url=https://example.feishu.cn/docx/dox1"],
        {"type": "docx"},
    ),
    (
        "drive.inspect",
        {"url": "doxH", "type": "docx"},
        ["drive", "+inspect", "--url=doxH", "--type=docx"],
        {"title": ""},
    ),
    (
        "drive.metas",
        {"request_docs": [{"doc_token": "dox1", "doc_type": "docx"}, {"doc_token": "doxH"}, {"doc_token": "no"}]},
        [
            "drive",
            "metas",
            "batch_query",
            '--data={"request_docs":[{"doc_token":"dox1","doc_type":"docx"},{"doc_token":"doxH"},{"doc_token":"no"}]}',
            '--params={"user_id_type":"open_id"}',
        ],
        {"failed_list": [{"token": "doxH", "code": 970003}, {"token": "no", "code": 970005}]},
    ),
    (
        "drive.permission_auth",
        {"token": "dox1", "type": "docx", "action": "view"},
        ["drive", "permission.members", "auth", '--params={"token":"dox1","type":"docx","action":"view"}'],
        {"auth_result": True},
    ),
    (
        "drive.files_list",
        {"folder_token": ""},
        ["drive", "files", "list", '--params={"folder_token":"","page_size":200}'],
        {"has_more": False},
    ),
    (
        "drive.preview",
        {"file_token": "dox1", "list_only": True},
        ["drive", "+preview", "--file-token=dox1", "--list-only"],
        {"previews": []},
    ),
    (
        "drive.move",
        {"file_token": "dox1", "type": "docx", "folder_token": "fldB", "expected_parent": "fldA"},
        ["drive", "+move", "--file-token=dox1", "--type=docx", "--folder-token=fldB"],
        {"folder_token": "fldB"},
    ),
    (
        "drive.move",
        {"file_token": "dox1", "type": "docx", "folder_token": ""},
        ["drive", "+move", "--file-token=dox1", "--type=docx"],
        {"folder_token": ROOT},
    ),
    (
        "drive.create_folder",
        {"name": "-新", "folder_token": "fldB", "request_id": "r"},
        ["drive", "+create-folder", "--name=-新", "--folder-token=fldB"],
        {"created": True},
    ),
    (
        "drive.delete",
        {"file_token": "fldB", "type": "folder"},
        ["drive", "+delete", "--file-token=fldB", "--type=folder", "--yes"],
        {"deleted": True},
    ),
    ("wiki.space_list", {}, ["wiki", "+space-list", "--page-size=50"], {"has_more": False}),
    (
        "wiki.space_get",
        {"space_id": "7001"},
        ["wiki", "spaces", "get", '--params={"space_id":"7001"}'],
        {"name": "团队"},
    ),
    (
        "wiki.node_get",
        {"node_token": "wikV"},
        ["wiki", "+node-get", "--node-token=wikV"],
        {"parent_node_token": "wikW"},
    ),
    (
        "wiki.node_list",
        {"space_id": "7001", "parent_node_token": ""},
        ["wiki", "+node-list", "--space-id=7001", "--page-size=50"],
        {"has_more": False},
    ),
    (
        "wiki.move",
        {"node_token": "wikV", "target_space_id": "7001", "target_parent_token": ""},
        ["wiki", "+move", "--node-token=wikV", "--target-space-id=7001"],
        {"mode": "node", "parent_node_token": ""},
    ),
    (
        "wiki.move",
        {
            "obj_type": "docx",
            "obj_token": "dox1",
            "target_space_id": "7001",
            "target_parent_token": "wikW",
            "apply": False,
        },
        [
            "wiki",
            "+move",
            "--obj-type=docx",
            "--obj-token=dox1",
            "--target-space-id=7001",
            "--target-parent-token=wikW",
        ],
        {"mode": "docs_to_wiki", "ready": True},
    ),
    (
        "wiki.move_to_drive",
        {"node_token": "wikV", "folder_token": "fldB"},
        ["wiki", "+move-to-drive", "--node-token=wikV", "--folder-token=fldB"],
        {"ready": True},
    ),
    (
        "wiki.node_create",
        {"space_id": "7001", "title": "新", "obj_type": "docx", "parent_node_token": "wikW"},
        ["wiki", "+node-create", "--space-id=7001", "--parent-node-token=wikW", "--title=新", "--obj-type=docx"],
        {"title": "新"},
    ),
    (
        "wiki.node_delete",
        {"node_token": "wikW", "obj_type": "wiki", "include_children": False},
        ["wiki", "+node-delete", "--node-token=wikW", "--obj-type=wiki", "--include-children=false", "--yes"],
        {"ready": True},
    ),
    (
        "reading.doc_fetch",
        {"doc": "dox1", "scope": "keyword", "keyword": "预算|表", "context_before": 0, "context_after": 1},
        [
            "docs",
            "+fetch",
            "--api-version=v2",
            "--doc=dox1",
            "--doc-format=markdown",
            "--scope=keyword",
            "--keyword=预算|表",
            "--context-before=0",
            "--context-after=1",
        ],
        {"document": {"document_id": "dox1", "revision_id": 1, "content": "预算表 1\n\n第三段"}},
    ),
    (
        "reading.sheet_find",
        {"spreadsheet_token": "shtA", "sheet_id": "s1", "find": "治理", "ignore_case": True},
        ["sheets", "+cells-search", "--spreadsheet-token=shtA", "--sheet-id=s1", "--find=治理", "--ignore-case"],
        {"matches": [{"address": "A2", "value": "数据治理"}]},
    ),
    (
        "reading.sheet_read",
        {"spreadsheet_token": "shtA", "range": "A1:B9"},
        ["sheets", "+cells-get", "--spreadsheet-token=shtA", "--range=A1:B9"],
        {"values": [["名称", "预算"], ["数据治理", "12"]]},
    ),
    ("evidence.whoami", {}, ["auth", "status", "--json", "--verify"], {"open_id": "ou_me"}),
    (
        "evidence.container_is_empty",
        {"token": "fldB"},
        ["drive", "files", "list", '--params={"folder_token":"fldB","page_size":1}'],
        {"empty": "empty"},
    ),
    (
        "evidence.container_is_empty",
        {"token": "fldA"},
        ["drive", "files", "list", '--params={"folder_token":"fldA","page_size":1}'],
        {"empty": "not_empty"},
    ),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "argv", "part"), CALLS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_call_becomes_one_command_and_its_answer_fits_the_contract(
    tool: str, arguments: dict[str, Any], argv: list[str], part: dict[str, Any], lark: Lark, service: Service
) -> None:
    value = service.value(tool, **arguments)
    assert last(lark) == argv
    assert {name: value.get(name) for name in part} == part


def test_every_tool_of_the_contracts_is_answered_or_left_out_on_purpose(service: Service) -> None:
    called = {tool for tool, *_ in CALLS} | {"drive.task_result"}
    unknown = {"evidence.location", "evidence.move_rights", "evidence.target_rights"}
    answered = {tool for tool in service.contracts if service.toolbox.has(tool)}
    assert answered == called | unknown
    assert set(service.contracts) - answered == {"evidence.item_state"}


def test_what_no_command_proves_is_unknown(service: Service) -> None:
    assert service.value("evidence.location", source_kind="drive", token="dox1") == {"parent_kind": "unknown"}
    assert service.value("evidence.move_rights", move_method="drive_move", token="dox1") == {
        "source": "unknown",
        "source_parent": "unknown",
    }
    assert service.value("evidence.target_rights", target_type="drive_folder", token="fldA") == {"write": "unknown"}


def test_the_program_is_given_nothing_of_the_environment_that_is_not_named(
    lark: Lark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_SOMETHING_ELSE", "x")
    Service("lark").value("evidence.whoami")
    assert set(lark.environments[-1]) <= {
        "HOME",
        "LANG",
        "LC_CTYPE",
        "PATH",
        "LARKSUITE_CLI_NO_UPDATE_NOTIFIER",
        "LARKSUITE_CLI_NO_SKILLS_NOTIFIER",
    }


# --- what was really done ---------------------------------------------------------------------------------------------


MOVE_FOLDER = ("drive.move", {"file_token": "fldB", "type": "folder", "folder_token": "fldA"})
INTO_WIKI = ("wiki.move", {"obj_type": "docx", "obj_token": "dox1", "target_space_id": "7001"})
TO_DRIVE = ("wiki.move_to_drive", {"node_token": "wikV", "folder_token": ""})
DELETE = ("drive.delete", {"file_token": "dox1", "type": "docx"})
DONE: list[tuple[str, tuple[str, dict[str, Any]], dict[str, Any], str]] = [
    ("a folder moves at once", MOVE_FOLDER, {}, "success"),
    ("a folder is still moving", MOVE_FOLDER, {"task_polls": 2}, "pending"),
    ("a folder did not move", MOVE_FOLDER, {"tasks_fail": True}, "failed"),
    ("a document goes into the wiki", INTO_WIKI, {}, "success"),
    ("only an approval was asked for", INTO_WIKI, {"asks_for_approval": True}, "pending"),
    ("a document is on its way into the wiki", INTO_WIKI, {"task_polls": 1}, "pending"),
    ("a node leaves", TO_DRIVE, {}, "success"),
    ("a node is leaving", TO_DRIVE, {"task_polls": 1}, "pending"),
    ("a file is deleted", DELETE, {}, "success"),
    ("a file is being deleted", DELETE, {"task_polls": 1}, "pending"),
]


@pytest.mark.parametrize(("why", "call", "variants", "stands"), DONE, ids=[row[0] for row in DONE])
def test_success_is_what_happened_and_not_ok(
    why: str, call: tuple[str, dict[str, Any]], variants: dict[str, Any], stands: str, lark: Lark, service: Service
) -> None:
    lark.vary(**variants)
    assert service.stands(call[0], **call[1]) == stands


def test_a_task_is_asked_for_until_it_ends(lark: Lark, service: Service) -> None:
    lark.vary(task_polls=1)
    task = service.value(MOVE_FOLDER[0], **MOVE_FOLDER[1])["task_id"]
    asked = {"scenario": "task_check", "task_id": task}
    assert [service.stands("drive.task_result", **asked) for _ in range(3)] == ["pending", "success", "success"]
    lark.vary(tasks_fail=True)
    other = service.value("drive.move", file_token="fldB", type="folder", folder_token="")["task_id"]
    asked["task_id"] = other
    assert [service.stands("drive.task_result", **asked) for _ in range(2)] == ["pending", "failed"]


RAW = "Invalid access token"
SIGNED_OUT: list[tuple[str, dict[str, Any]]] = [
    ("a raw code and a good end", {"stdout": json.dumps({"code": 99991663, "msg": RAW})}),
    ("a raw code and a bad end", {"stdout": json.dumps({"code": 99991663, "msg": RAW}), "exit": 1}),
    ("a raw code as a text", {"stdout": json.dumps({"code": "99991663", "msg": RAW})}),
    (
        "a code as a text",
        {"stderr": json.dumps({"ok": False, "error": {"code": "99991663", "message": RAW}}), "exit": 1},
    ),
    (
        "a code as a number",
        {"stderr": json.dumps({"ok": False, "error": {"code": 99991663, "message": RAW}}), "exit": 3},
    ),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "command"),
    [
        ("drive.files_list", {"folder_token": ""}, "drive files"),
        ("drive.search", {"query": "a"}, "drive +search"),
        ("drive.metas", {"request_docs": [{"doc_token": "dox1"}]}, "drive metas"),
        ("wiki.space_get", {"space_id": "7001"}, "wiki spaces"),
        ("evidence.container_is_empty", {"token": "fldB"}, "drive files"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize(("why", "answer"), SIGNED_OUT, ids=[row[0] for row in SIGNED_OUT])
def test_a_code_says_who_is_signed_out_wherever_it_stands(
    why: str, answer: dict[str, Any], tool: str, arguments: dict[str, Any], command: str, lark: Lark, service: Service
) -> None:
    lark.fault(command, **{"stdout": "", **answer})
    error = service.outcome(tool, **arguments)["error"]
    assert (error["code"], error["kind"], error["message"]) == ("authentication", "person", RAW)


#: A list that is null, and one that is not there: the first is empty, the second no answer.
LISTS: list[tuple[str, dict[str, Any], str, str, str]] = [
    ("drive.search", {"query": "a"}, "drive +search", "results", "results"),
    ("drive.files_list", {"folder_token": ""}, "drive files", "files", "files"),
    ("drive.metas", {"request_docs": [{"doc_token": "dox1"}]}, "drive metas", "metas", "metas"),
    ("wiki.space_list", {}, "wiki +space-list", "spaces", "spaces"),
    ("wiki.node_list", {"space_id": "7001"}, "wiki +node-list", "nodes", "nodes"),
    ("reading.sheet_find", {"spreadsheet_token": "a", "sheet_id": "s", "find": "b"}, "sheets", "matches", "matches"),
    ("reading.sheet_read", {"spreadsheet_token": "a"}, "sheets", "ranges", "values"),
]


@pytest.mark.parametrize(("tool", "arguments", "command", "name", "field"), LISTS, ids=[row[0] for row in LISTS])
def test_a_list_that_is_null_is_empty(
    tool: str, arguments: dict[str, Any], command: str, name: str, field: str, lark: Lark, service: Service
) -> None:
    lark.fault(command, stdout=json.dumps({"ok": True, "data": {name: None, "has_more": False}}))
    assert service.value(tool, **arguments)[field] == []


@pytest.mark.parametrize(("tool", "arguments", "command", "name", "field"), LISTS[:2] + LISTS[3:6])
def test_a_list_that_is_not_there_is_no_answer(
    tool: str, arguments: dict[str, Any], command: str, name: str, field: str, lark: Lark, service: Service
) -> None:
    lark.fault(command, stdout=json.dumps({"ok": True, "data": {"has_more": False}}))
    assert service.code(tool, **arguments) in ("invalid_answer", "answer_unexpected")


def test_a_folder_whose_list_is_null_is_empty(lark: Lark, service: Service) -> None:
    for files, more, empty in (
        (None, {"has_more": False}, "empty"), (None, {"has_more": True}, "unknown"), ([], {}, "unknown"),
        ([{}], {"has_more": False}, "not_empty"),
    ):  # fmt: skip
        lark.fault("drive files", stdout=json.dumps({"ok": True, "data": {"files": files, **more}}))
        assert service.value("evidence.container_is_empty", token="fldB") == {"empty": empty}


GOOD = json.dumps({"ok": True, "data": {"results": [], "has_more": False}})


@pytest.mark.parametrize(
    "printed", [f"A new version is available\n{GOOD}\n", f"{GOOD}\n\nUpdate available 1.0 -> 1.1\n", f"\ufeff{GOOD}"]
)
def test_a_notice_around_an_answer_does_not_lose_it(printed: str, lark: Lark, service: Service) -> None:
    lark.fault("drive +search", stdout=printed)
    assert service.value("drive.search", query="a")["results"] == []


def test_what_is_no_answer_is_shown(lark: Lark, service: Service) -> None:
    lark.fault("drive +search", stdout="Please run lark-cli update first")
    error = service.outcome("drive.search", query="a")["error"]
    assert error["code"] == "output_not_json"
    assert error["details"]["message"]["zh"].endswith("；原话：Please run lark-cli update first")


def test_raw_commands_may_answer_with_a_code(lark: Lark, service: Service) -> None:
    lark.vary(raw_code=True)
    assert service.value("drive.files_list", folder_token="fldB")["files"] == []
    lark.fault("drive files", stdout='{"code": 1061045, "msg": "busy", "data": {}}')
    assert service.code("drive.files_list", folder_token="fldB") == "conflict"
    lark.fault("drive files", stdout='{"code": 77, "msg": "odd", "data": {}}')
    odd = service.outcome("drive.files_list", folder_token="fldB")["error"]
    assert (odd["code"], odd["message"]) == (
        "not_successful",
        "the service says that it was not done; in its own words: odd (77)",
    )
    lark.fault("drive +create-folder", stdout='{"code": 0, "msg": "ok", "data": {}}')
    outcome = service.outcome("drive.create_folder", name="x", folder_token="")
    assert (outcome["error"]["code"], outcome["error"]["happened"]) == ("answer_unexpected", "perhaps")


def test_a_write_that_says_nothing_may_have_happened(lark: Lark, service: Service) -> None:
    for stdout, status in (("", 0), ('{"ok": true', 0), ("", 9), ('{"ok": "yes", "data": {}}', 0)):
        lark.fault("drive +move", stdout=stdout, exit=status)
        error = service.outcome("drive.move", file_token="dox1", type="docx", folder_token="fldB")["error"]
        assert error["happened"] == "perhaps", error


#: A write, and good answers that are about another item, another place or nothing at all.
OF_SOMETHING_ELSE: list[tuple[str, tuple[str, dict[str, Any]], list[dict[str, Any]]]] = [
    (
        "drive +move",
        ("drive.move", {"file_token": "dox1", "type": "docx", "folder_token": "fldB"}),
        [{}, {"success": True}, {"ready": True}, {"fileToken": "dox1", "folder_token": "fldB"},
         {"file_token": "doxO", "folder_token": "fldB"}, {"file_token": "dox1", "folder_token": "fldA"}],
    ),
    (
        "drive +create-folder",
        ("drive.create_folder", {"name": "新", "folder_token": "fldB"}),
        [{}, {"created": True}, {"created": True, "folder_token": ""},
         {"created": True, "folder_token": "fldN", "parent_folder_token": "fldA"}],
    ),
    ("drive +delete", DELETE, [{"deleted": True, "file_token": "doxO"}]),
    (
        "wiki +move",
        ("wiki.move", {"node_token": "wikV", "target_space_id": "7001"}),
        [{"mode": "node"}, {"mode": "node", "node_token": "wikW"}, {"mode": "docs_to_wiki", "ready": True},
         {"mode": "node", "node_token": "wikV", "parent_node_token": "wikW"}],
    ),
    ("wiki +move", INTO_WIKI, [{}, {"mode": "node"}, {"mode": "docs_to_wiki", "ready": True, "obj_token": "doxO"}]),
    ("wiki +move-to-drive", TO_DRIVE, [{}, {"ready": True, "failed": False, "node_token": "wikW"}]),
    (
        "wiki +node-create",
        ("wiki.node_create", {"space_id": "7001", "title": "新", "obj_type": "docx"}),
        [{}, {"space_id": "7001", "node_token": ""}, {"space_id": "7002", "node_token": "wikN"},
         {"space_id": "7001", "node_token": "wikN", "parent_node_token": "wikW"}],
    ),
    (
        "wiki +node-delete",
        ("wiki.node_delete", {"node_token": "wikV", "obj_type": "wiki", "include_children": False}),
        [{}, {"ready": True, "failed": False, "node_token": "wikW"}],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("command", "call", "answers"), OF_SOMETHING_ELSE, ids=lambda part: str(part)[:24])
def test_an_answer_about_something_else_leaves_open_whether_a_write_happened(
    command: str, call: tuple[str, dict[str, Any]], answers: list[dict[str, Any]], lark: Lark, service: Service
) -> None:
    for answer in answers:
        lark.fault(command, stdout=json.dumps({"ok": True, "data": answer}))
        outcome = service.outcome(call[0], **call[1])
        assert not outcome["ok"], answer
        assert outcome["error"]["code"] in ("answer_unexpected", "invalid_answer"), answer
        assert outcome["error"]["happened"] == "perhaps", answer


# --- errors -----------------------------------------------------------------------------------------------------------


ERRORS: list[tuple[dict[str, Any], int, str, str]] = [
    ({"type": "authentication", "subtype": "token_expired", "code": 99991677}, 3, "authentication", "person"),
    ({"type": "auth", "code": 99991663}, 1, "authentication", "person"),
    ({"type": "config", "subtype": "invalid_client"}, 3, "authentication", "person"),
    (
        {"type": "authorization", "subtype": "missing_scope", "missing_scopes": ["drive:x"]},
        3,
        "missing_scope",
        "person",
    ),
    ({"type": "permission", "code": 99991672}, 1, "missing_scope", "person"),
    ({"type": "api", "subtype": "unknown", "code": 1061004}, 1, "permission_denied", "permanent"),
    ({"type": "authorization", "subtype": "permission_denied", "code": 131006}, 3, "permission_denied", "permanent"),
    ({"type": "permission"}, 1, "permission_denied", "permanent"),
    (
        {"type": "api", "subtype": "rate_limit", "code": 99991400, "retryable": True, "retry_after_seconds": 7},
        1,
        "rate_limit",
        "transient",
    ),
    ({"type": "rate_limit"}, 1, "rate_limit", "transient"),
    ({"type": "api", "subtype": "conflict", "code": 1061045, "retryable": True}, 1, "conflict", "transient"),
    ({"type": "api", "subtype": "unknown", "code": 131009}, 1, "conflict", "transient"),
    ({"type": "api", "subtype": "quota_exceeded", "code": 1062507}, 1, "quota_exceeded", "permanent"),
    ({"type": "api", "subtype": "not_found", "code": 1061007}, 1, "not_found", "permanent"),
    ({"type": "api", "subtype": "cross_tenant", "code": 1064510}, 1, "unsupported", "permanent"),
    ({"type": "api", "subtype": "invalid_parameters", "code": 99992402}, 1, "invalid_arguments", "invalid"),
    ({"type": "validation", "subtype": "invalid_argument"}, 2, "invalid_arguments", "invalid"),
    ({"type": "api", "subtype": "server_error", "code": 2200}, 1, "server_error", "transient"),
    ({"type": "network", "subtype": "timeout"}, 4, "timeout", "timed_out"),
    ({"type": "network", "subtype": "dns"}, 4, "network", "unreachable"),
    ({"type": "policy", "subtype": "challenge_required", "code": 21000}, 6, "policy", "refused"),
    ({"type": "confirmation", "subtype": "confirmation_required"}, 10, "policy", "refused"),
    ({"type": "internal", "subtype": "sdk_error"}, 5, "program_failed", "permanent"),
    ({"type": "api", "subtype": "unknown", "code": 4711}, 1, "program_failed", "permanent"),
]


@pytest.mark.parametrize(
    ("error", "status", "code", "kind"), ERRORS, ids=lambda value: json.dumps(value) if isinstance(value, dict) else ""
)
def test_an_error_is_told_by_code_then_type_then_status(
    error: dict[str, Any], status: int, code: str, kind: str, lark: Lark, service: Service
) -> None:
    envelope = json.dumps({"ok": False, "identity": "user", "error": {"message": "不行", **error}}, indent=2)
    lark.fault("drive +move", stderr=f"[notice] update\n{{not json}}\n{envelope}\nhint: more\n", exit=status)
    outcome = service.outcome("drive.move", file_token="dox1", type="docx", folder_token="fldB")
    assert (outcome["error"]["code"], outcome["error"]["kind"]) == (code, kind)
    assert outcome["error"]["retry_after"] == error.get("retry_after_seconds")
    assert outcome["error"]["details"]["exit"] == status
    if code != "program_failed":
        assert outcome["error"]["message"] == "不行"


MOVE_FILE = ("drive.move", {"file_token": "dox1", "type": "docx", "folder_token": "fldB"})
DELETE_FOLDER = ("drive.delete", {"file_token": "fldB", "type": "folder"})
#: Which error of which command leaves open whether the task that it started goes on.
STARTED: list[tuple[tuple[str, dict[str, Any]], str, str, str]] = [
    *(
        (call, command, kind, "perhaps")
        for call, command in (
            (MOVE_FOLDER, "drive +move"),
            (DELETE_FOLDER, "drive +delete"),
            (INTO_WIKI, "wiki +move"),
            (TO_DRIVE, "wiki +move-to-drive"),
        )
        for kind in ("authentication", "auth", "config", "authorization", "rate_limit", "policy", "api")
    ),
    (MOVE_FOLDER, "drive +move", "validation", "never"),
    (DELETE_FOLDER, "drive +delete", "confirmation", "never"),
    (TO_DRIVE, "wiki +move-to-drive", "validation", "never"),
    (MOVE_FILE, "drive +move", "authentication", "never"),
]


@pytest.mark.parametrize(
    ("call", "command", "kind", "happened"),
    STARTED,
    ids=[f"{row[1]} {row[0][1].get('type')} {row[2]}" for row in STARTED],
)
def test_an_error_after_a_task_was_started_says_nothing_of_the_task(
    call: tuple[str, dict[str, Any]], command: str, kind: str, happened: str, lark: Lark, service: Service
) -> None:
    envelope = json.dumps({"ok": False, "error": {"type": kind, "message": "no"}})
    lark.fault(command, stderr=envelope, exit=3)
    assert service.outcome(call[0], **call[1])["error"]["happened"] == happened


def test_an_error_while_a_task_is_asked_for_is_no_end_of_it(lark: Lark, service: Service) -> None:
    lark.vary(task_polls=1)
    task = service.value(MOVE_FOLDER[0], **MOVE_FOLDER[1])["task_id"]
    asked = {"scenario": "task_check", "task_id": task}
    lark.fault("drive +task_result", stderr='{"error": {"type": "authentication", "message": "no"}}', exit=3)
    error = service.outcome("drive.task_result", **asked)["error"]
    assert (error["code"], error["kind"]) == ("authentication", "person")
    assert [service.stands("drive.task_result", **asked) for _ in range(2)] == ["pending", "success"]


def test_a_partial_failure_stands_on_standard_output(lark: Lark, service: Service) -> None:
    lark.fault(
        "drive +move", stdout='{"ok": false, "error": {"type": "api", "subtype": "conflict", "message": "x"}}', exit=1
    )
    assert service.code("drive.move", file_token="dox1", type="docx", folder_token="fldB") == "conflict"


@pytest.mark.parametrize("old", [False, True])
def test_nobody_signed_in_and_no_permission_are_said_by_old_and_new_versions(
    old: bool, lark: Lark, service: Service
) -> None:
    state = drive_of()
    state["items"]["fldB"]["locked"] = True
    lark.state = state
    lark.vary(old_errors=old, noise=True)
    assert service.code("drive.move", file_token="dox1", type="docx", folder_token="fldB") == "permission_denied"
    lark.state = {**state, "account": None, "variants": {"old_errors": old}}
    assert service.code("drive.search", query="") == "authentication"
    assert service.code("evidence.whoami") == "authentication"


# --- pages ------------------------------------------------------------------------------------------------------------


def pages(service: Service, tool: str, items: str, token: str, **arguments: Any) -> list[Any]:
    """Return what all pages hold, asked for one by one."""
    found: list[Any] = []
    more: dict[str, Any] = {}
    for _ in range(100):
        page = service.value(tool, **arguments, **more)
        found += page[items]
        if not page["has_more"]:
            return found
        more = {"page_token": page[token]}
    raise AssertionError("no end")


def test_a_large_folder_is_read_page_by_page_and_never_all_at_once(lark: Lark, service: Service) -> None:
    """Case L02 of the bank: the program's own way to read all pages cuts, and calls it the end."""
    lark.state = drive_of(705)
    lark.vary(page_all_cuts=True)
    files = pages(service, "drive.files_list", "files", "next_page_token", folder_token="fldA")
    assert len({one["token"] for one in files}) == 707
    assert all("--page-all" not in call for call in lark.calls)
    text = (SPECS / "profiles" / "lark.yaml").read_text("utf-8")
    assert "page-all" not in text


def test_search_pages_are_bound_to_their_query(lark: Lark, service: Service) -> None:
    lark.state = drive_of(45)
    hits = pages(service, "drive.search", "results", "page_token", query="预算", mine=True)
    assert len(hits) == 46
    page = service.value("drive.search", query="预算", mine=True)
    assert service.code("drive.search", query="别的", page_token=page["page_token"]) == "invalid_page_token"
    assert service.code("drive.search", query="很" * 31, page_token=page["page_token"]) == "invalid_arguments"
    lark.vary(long_query_is_cut=True)
    assert "cut" in service.value("drive.search", query="预算" * 20)["notice"]


# --- versions ---------------------------------------------------------------------------------------------------------


def test_both_spellings_of_sheets_read_what_stands_there(lark: Lark) -> None:
    asked = {"spreadsheet_token": "shtA", "sheet_id": "s1", "find": "治理"}
    for spelling in ("new", "old"):
        lark.vary(sheets=spelling)
        service = Service("lark", ("reading",), sheets=spelling)
        assert service.value("reading.sheet_read", spreadsheet_token="shtA")["values"] == [
            ["名称", "预算"],
            ["数据治理", "12"],
        ]
        assert [one["value"] for one in service.value("reading.sheet_find", **asked)["matches"]] == ["数据治理"]
        other = Service("lark", ("reading",), sheets="old" if spelling == "new" else "new")
        assert other.code("reading.sheet_read", spreadsheet_token="shtA") == "unsupported"


def test_a_version_that_is_too_old_is_not_used(lark: Lark) -> None:
    lark.state = {**drive_of(), "version": "1.0.9"}
    assert Service("lark").code("evidence.whoami") == "program_too_old"


def test_a_local_file_never_comes_from_data(lark: Lark, service: Service) -> None:
    before = len(lark.calls)
    for tool, arguments in (
        ("drive.search", {"query": "@/etc/passwd"}),
        ("reading.doc_fetch", {"doc": "@x", "scope": "full"}),
        ("drive.metas", {"request_docs": [{"doc_token": "a", "text_file": "/etc/passwd"}]}),
    ):
        assert service.code(tool, **arguments) == "argument_refused"
    assert len(lark.calls) == before


def test_the_sample_drive_can_stand_behind_the_program(lark: Lark) -> None:
    lark.state = lark_state(SPECS / "samples" / "drive")
    found = pages(Service("lark"), "drive.search", "results", "page_token", query="数据治理", mine=True)
    assert len(found) > 10
