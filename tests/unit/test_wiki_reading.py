"""Reading the wiki: spaces, nodes, objects, shortcuts; what drive, reading and evidence answer beside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interpreter.ports import ToolFailure
from tests.unit.checked_calls import close_adapters
from tests.unit.drive_folder import STRANGER, write_all
from tests.unit.wiki_folder import FILES, Files, Pair, card, node, pair

__all__ = ["close_adapters", "pair"]


def again(pair: Pair, **settings: str) -> Pair:
    pair.close()
    return Pair(pair.folder, **settings)


# --- spaces and nodes ---------------------------------------------------------------------------------------


def test_the_personal_library_is_never_listed_and_is_asked_for_by_name(pair: Pair) -> None:
    assert [space["name"] for space in pair("wiki.space_list")["spaces"]] == ["平台", "财务"]
    library = pair("wiki.space_get", space_id="my_library")
    assert (library["name"], library["space_type"]) == ("我的文档库", "my_library")
    assert library["space_id"].isdecimal()
    assert [one["title"] for one in pair("wiki.node_list", space_id="my_library")["nodes"]] == ["草稿"]


def test_an_app_has_no_personal_library(pair: Pair) -> None:
    pair.fails("invalid_arguments", "wiki.node_list", space_id="my_library", identity="bot")
    pair.fails(
        "invalid_arguments", "wiki.node_create", space_id="my_library", title="新", obj_type="docx", identity="bot"
    )


def test_somebody_elses_library_is_neither_found_nor_given(tmp_path: Path) -> None:
    files: Files = {"wiki/她的/space.yaml": card(name="她的", space_type="my_library", owner="somebody-else")}
    pair = Pair(tmp_path, {**files, **node("wiki/她的/密", "密", "数据治理")})
    pair.fails("not_found", "wiki.space_get", space_id="my_library")
    assert pair.found("数据治理") == []


def test_a_node_is_known_by_its_token_its_object_and_its_address(pair: Pair) -> None:
    told = pair("wiki.node_get", node_token=pair.node("平台/规范/命名"))
    assert (told["title"], told["obj_type"], told["node_type"], told["has_child"]) == ("命名", "docx", "origin", True)
    assert told["parent_node_token"] == pair.node("平台/规范")
    assert pair("wiki.node_get", node_token=told["obj_token"], obj_type="docx")["node_token"] == told["node_token"]
    address = f"drive://local/wiki/{told['node_token']}?from=somewhere"
    assert pair("wiki.node_get", node_token=address)["node_token"] == told["node_token"]


@pytest.mark.parametrize("token", ["wikgone", "", "drive://local/wiki/", "规范", "平台/规范"])
def test_what_is_no_token_of_a_node_is_not_found(pair: Pair, token: str) -> None:
    pair.fails("not_found", "wiki.node_get", node_token=token)


def test_a_document_of_the_drive_is_no_node_and_a_node_is_no_document_of_the_drive(pair: Pair) -> None:
    pair.fails("not_found", "wiki.node_get", node_token=pair.token("资料/方案.md"), obj_type="docx")
    pair.fails("not_found", "drive.move", file_token=pair.seen("平台/规范")["obj_token"], type="docx", folder_token="")


def test_a_node_in_another_space_than_was_said_is_refused(pair: Pair) -> None:
    there = pair.space("财务")
    pair.fails("other_space", "wiki.node_get", node_token=pair.node("平台/日志"), space_id=there)
    pair.fails("other_space", "wiki.node_list", space_id=there, parent_node_token=pair.node("平台/规范"))


def test_pages_of_nodes_go_on_after_the_last_one(tmp_path: Path) -> None:
    files: Files = {"wiki/空间/space.yaml": card(name="空间")}
    for number in range(7):
        files |= node(f"wiki/空间/{number}", f"第{number}")
    pair = Pair(tmp_path, files)
    space, token, seen = pair.space("空间"), None, []
    while True:
        more = {"page_token": token} if token else {}
        page = pair("wiki.node_list", space_id=space, page_size=3, **more)
        seen += [one["title"] for one in page["nodes"]]
        token = page.get("page_token")
        if not page["has_more"]:
            break
    assert seen == [f"第{number}" for number in range(7)]
    pair.fails("invalid_page_token", "wiki.node_list", space_id=space, page_token="00ff")
    pair.fails("invalid_page_token", "wiki.space_list", page_token="nonsense")


def test_tokens_follow_from_first_paths_and_stay_with_what_is_moved_by_hand(pair: Pair) -> None:
    token = pair.node("平台/规范/命名")
    os.rename(pair.folder / "wiki/平台/规范/命名", pair.folder / "wiki/财务/改名")
    told = pair("wiki.node_get", node_token=token)
    assert (told["space_id"], told["parent_node_token"]) == (pair.space("财务"), "")


def test_the_same_path_in_drive_and_wiki_has_two_tokens(tmp_path: Path) -> None:
    files: Files = {"wiki/甲/space.yaml": card(name="甲"), **node("wiki/甲/乙", "乙", "文")}
    pair = Pair(tmp_path, {**files, "drive/甲/乙/正文.md": "文"})
    assert pair.token("甲/乙/正文.md") != pair.seen("甲/乙")["obj_token"]


ODD: Files = {
    "wiki/平台/没有卡片/正文.md": "这里没有节点",
    "wiki/平台/没有卡片/里面/node.yaml": card(title="里面"),
    "wiki/散文件.md": "不属于空间",
    "wiki/不是空间/node.yaml": card(title="不是空间"),
    "wiki/平台/坏/node.yaml": "title: [",
    "wiki/平台/出逃/node.yaml": card(title="出逃", body="../../../drive/资料/方案.md"),
    "wiki/平台/空壳/node.yaml": card(title="空壳", body="不在.md"),
    "wiki/平台/表格/node.yaml": card(title="表格", obj_type="bitable"),
}


def test_only_folders_with_cards_are_nodes_and_a_bad_card_is_one_all_the_same(tmp_path: Path) -> None:
    pair = Pair(tmp_path, {**FILES, **ODD})
    assert pair.titles("平台") == ["出逃", "坏", "日志", "表格", "规范"]
    escaped = pair.seen("平台/出逃")
    assert escaped["obj_token"].startswith("obj")
    pair.fails("unsupported", "reading.doc_fetch", doc=escaped["obj_token"], scope="full")
    assert pair.seen("平台/表格")["obj_type"] == "bitable"
    told = pair("wiki.node_get", node_token=pair.seen("平台/表格")["obj_token"], obj_type="bitable")
    assert told["title"] == "表格"


def test_links_are_followed_nowhere(pair: Pair) -> None:
    os.symlink(pair.folder / "drive" / "资料", pair.folder / "wiki/平台/链接")
    os.symlink(pair.folder / "wiki/财务", pair.folder / "wiki/另一个空间")
    (pair.folder / "wiki/平台/日志/正文.md").unlink()
    os.symlink(pair.folder / "drive/资料/方案.md", pair.folder / "wiki/平台/日志/正文.md")
    assert pair.titles("平台") == ["规范"]
    assert [space["name"] for space in pair("wiki.space_list")["spaces"]] == ["平台", "财务"]


# --- one object in several nodes ----------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["path", "token"])
def test_an_object_in_several_nodes_has_one_token_and_each_node_its_own(tmp_path: Path, by: str) -> None:
    before = Pair(tmp_path, FILES)
    origin = before.seen("平台/规范")
    said = "平台/规范" if by == "path" else origin["node_token"]
    write_all(tmp_path, node("wiki/财务/规范副本", "规范副本", None, shortcut_of=said))
    pair = again(before)
    shortcut = pair.seen("财务/规范副本")
    assert (shortcut["node_type"], shortcut["origin_node_token"]) == ("shortcut", origin["node_token"])
    assert shortcut["obj_token"] == origin["obj_token"]
    assert shortcut["node_token"] != origin["node_token"]
    assert pair("wiki.node_get", node_token=origin["obj_token"], obj_type="docx")["node_token"] == origin["node_token"]
    assert pair.found("数据治理", doc_types=["wiki"]) == ["WIKI 规范", "WIKI 草稿", "WIKI 规范副本"]
    text = pair("reading.doc_fetch", doc=f"drive://local/wiki/{shortcut['node_token']}", scope="full")
    assert text["document"]["content"] == "数据治理规范"


def test_a_shortcut_by_path_keeps_to_its_origin_when_that_is_moved_and_ends_with_it(tmp_path: Path) -> None:
    pair = Pair(tmp_path, {**FILES, **node("wiki/财务/副本", "副本", None, shortcut_of="平台/日志")})
    origin = pair.seen("财务/副本")["origin_node_token"]
    pair("wiki.move", node_token=origin, target_parent_token=pair.node("平台/规范"))
    assert pair.seen("财务/副本")["origin_node_token"] == origin
    pair("wiki.node_delete", node_token=origin, obj_type="wiki", include_children=False)
    assert pair.seen("财务/副本")["obj_token"] == ""
    pair.fails("unsupported", "reading.doc_fetch", doc=pair.node("财务/副本"), scope="full")


# --- search over both ----------------------------------------------------------------------------------------


def test_one_search_finds_documents_and_nodes_and_tells_them_apart(pair: Pair) -> None:
    hits = pair("drive.search", query="数据治理")["results"]
    assert {hit["entity_type"] for hit in hits} == {"DOC", "WIKI"}
    meta = next(hit["result_meta"] for hit in hits if hit["title_highlighted"] == "规范")
    seen = pair.seen("平台/规范")
    assert (meta["doc_types"], meta["token"]) == ("WIKI", seen["node_token"])
    assert (meta["obj_token"], meta["obj_type"], meta["space_id"]) == (seen["obj_token"], "docx", pair.space("平台"))


# arguments ; what is found of 数据治理
NARROWED: list[tuple[dict[str, object], list[str]]] = [
    ({"doc_types": ["wiki"]}, ["WIKI 规范", "WIKI 草稿"]),
    ({"doc_types": ["docx"]}, ["WIKI 规范", "WIKI 草稿", "DOC 方案.md"]),
    ({"doc_types": ["sheet"]}, []),
    ({"space_ids": ["平台"]}, ["WIKI 规范"]),
    ({"space_ids": ["my_library"]}, ["WIKI 草稿"]),
    ({"folder_tokens": ["资料"]}, ["DOC 方案.md"]),
    ({"folder_tokens": [""]}, ["WIKI 规范", "WIKI 草稿", "DOC 方案.md"]),
    ({"only_title": True}, []),
    ({"creator_ids": ["nobody"]}, []),
]


@pytest.mark.parametrize(("arguments", "expected"), NARROWED)
def test_a_search_can_be_narrowed_to_types_spaces_and_folders(
    pair: Pair, arguments: dict[str, list[str]], expected: list[str]
) -> None:
    if "space_ids" in arguments and arguments["space_ids"] != ["my_library"]:
        arguments = {"space_ids": [pair.space(name) for name in arguments["space_ids"]]}
    if arguments.get("folder_tokens") == ["资料"]:
        arguments = {"folder_tokens": [pair.token("资料")]}
    assert pair.found("数据治理", **arguments) == expected


def test_folders_and_spaces_cannot_both_be_asked_for(pair: Pair) -> None:
    pair.fails(
        "invalid_arguments", "drive.search", query="x", folder_tokens=[pair.token("资料")], space_ids=["my_library"]
    )


def test_mine_in_the_wiki_is_what_a_card_or_the_evidence_says(tmp_path: Path) -> None:
    files: Files = {"wiki/空间/space.yaml": card(name="空间")}
    files |= node("wiki/空间/甲", "甲", "词语", owner="me") | node("wiki/空间/乙", "乙", "词语", owner="她")
    files |= node("wiki/空间/丙", "丙", "词语") | {"wiki/.wiki/evidence.yaml": "空间/丙: {owner: me}\n"}
    pair = Pair(tmp_path, files, account="me")
    assert pair.found("词语", mine=True) == ["WIKI 丙", "WIKI 甲"]


def test_later_pages_of_a_search_go_over_both(tmp_path: Path) -> None:
    files: Files = {"wiki/空间/space.yaml": card(name="空间")}
    for number in range(5):
        files |= node(f"wiki/空间/{number}", f"节点{number}", "词语")
        files[f"drive/{number}.md"] = "词语"
    pair = Pair(tmp_path, files)
    first = pair("drive.search", query="词语", page_size=4)
    os.rename(tmp_path / "wiki/空间/4", tmp_path / "wiki/空间/5")
    seen, page = list(first["results"]), first
    while page["has_more"]:
        page = pair("drive.search", query="词语", page_size=4, page_token=page["page_token"])
        seen += page["results"]
    assert len({hit["result_meta"]["token"] for hit in seen}) == 10


def test_the_index_follows_titles_bodies_and_moves(pair: Pair) -> None:
    assert pair.found("独特词") == []
    write_all(pair.folder, {"wiki/财务/预算/正文.md": "独特词"})
    assert pair.found("独特词") == ["WIKI 预算"]
    write_all(pair.folder, {"wiki/财务/预算/node.yaml": card(title="独特词标题", body="正文.md")})
    assert pair.found("独特词", only_title=True) == ["WIKI 独特词标题"]
    pair("wiki.move_to_drive", node_token=pair.node("财务/独特词标题"), folder_token="")
    assert pair.found("独特词") == ["DOC 独特词标题.md"]


# --- what tools of the drive answer of nodes -----------------------------------------------------------------


def test_inspect_tells_the_object_of_a_node_and_the_node_with_it(pair: Pair) -> None:
    seen = pair.seen("平台/规范")
    for asked in (f"drive://local/wiki/{seen['node_token']}", seen["node_token"]):
        told = pair("drive.inspect", url=asked)
        assert (told["type"], told["token"], told["title"]) == ("docx", seen["obj_token"], "规范")
        assert told["wiki_node"]["node_token"] == seen["node_token"]
    assert pair("drive.inspect", url="drive://local/wiki/wikgone")["title"] == ""
    assert pair("drive.inspect", url="资料/方案.md")["title"] == "方案.md"
    pair.fails("invalid_arguments", "drive.inspect", url=seen["node_token"], type="sheet")


def test_metas_of_both_come_in_one_answer(tmp_path: Path) -> None:
    files = {**FILES, "wiki/.wiki/evidence.yaml": "平台/日志: {readable: denied}\n平台/规范: {owner: 张三}\n"}
    pair = Pair(tmp_path, files)
    tokens = [pair.token("资料/方案.md"), pair.node("平台/规范"), pair.seen("平台/规范")["obj_token"]]
    asked = [{"doc_token": token} for token in (*tokens, "gone")]
    asked.append({"doc_token": pair.seen("平台/日志")["node_token"], "doc_type": "wiki"})
    answer = pair("drive.metas", request_docs=asked)
    assert [meta["doc_token"] for meta in answer["metas"]] == tokens
    assert [meta["doc_type"] for meta in answer["metas"]] == ["docx", "wiki", "docx"]
    assert answer["metas"][1]["owner_id"] == "张三"
    assert [failed["code"] for failed in answer["failed_list"]] == [970005, 970003]


def test_bodies_of_nodes_are_read_by_object_by_node_and_by_address(pair: Pair) -> None:
    seen = pair.seen("财务/预算")
    for doc in (seen["obj_token"], seen["node_token"], f"drive://local/wiki/{seen['node_token']}"):
        assert pair("reading.doc_fetch", doc=doc, scope="full")["document"]["content"] == "预算说明"
    assert pair("drive.preview", file_token=seen["obj_token"])["text"] == "预算说明"
    assert pair("reading.doc_fetch", doc=pair.token("资料/方案.md"), scope="full")["document"]["content"]
    pair.fails("not_found", "reading.doc_fetch", doc="drive://local/wiki/gone", scope="full")


def test_a_task_that_nobody_began_is_not_found(pair: Pair) -> None:
    pair.fails("not_found", "drive.task_result", scenario="wiki_move", task_id="gone")


# --- evidence -------------------------------------------------------------------------------------------------


def rights(pair: Pair, method: str, token: str) -> str:
    answer = pair("evidence.move_rights", move_method=method, token=token, node_token=token)
    return str(answer["source"])


def target(pair: Pair, kind: str, token: str, space: str) -> str:
    answer = pair("evidence.target_rights", target_type=kind, token=token, space_id=space)
    return str(answer["write"])


def test_nothing_about_rights_in_the_wiki_is_known_by_itself(pair: Pair) -> None:
    token, space = pair.node("平台/规范"), pair.space("平台")
    assert rights(pair, "wiki_move_node", token) == "unknown"
    assert rights(pair, "wiki_move_to_drive", token) == "unknown"
    assert rights(pair, "wiki_move_docs_to_wiki", pair.token("资料/方案.md")) == "unknown"
    for kind, asked in (("wiki_node", token), ("new_wiki_node", token), ("wiki_space", ""), ("new_wiki_node", "")):
        assert target(pair, kind, asked, space) == "unknown"
    assert target(pair, "wiki_node", "gone", "gone") == "unknown"


def test_stated_rights_hold_for_a_space_all_in_it_and_what_says_otherwise(tmp_path: Path) -> None:
    stated = (
        "平台: {write: confirmed, source: confirmed, move_out: denied}\n平台/日志: {source: denied, write: denied}\n"
    )
    files = {
        **FILES,
        "wiki/.wiki/evidence.yaml": stated,
        "drive/.drive/evidence.yaml": "资料/**: {move_in: confirmed}\n",
    }
    pair = Pair(tmp_path, files)
    space = pair.space("平台")
    assert rights(pair, "wiki_move_node", pair.node("平台/规范/命名")) == "confirmed"
    assert rights(pair, "wiki_move_to_drive", pair.node("平台/规范/命名")) == "denied"
    assert rights(pair, "wiki_move_node", pair.node("平台/日志")) == "denied"
    assert rights(pair, "wiki_move_docs_to_wiki", pair.token("资料/方案.md")) == "confirmed"
    assert target(pair, "wiki_space", "", space) == "confirmed"
    assert target(pair, "wiki_node", pair.node("平台/规范"), space) == "confirmed"
    assert target(pair, "wiki_node", pair.node("平台/日志"), space) == "denied"


def test_mode_bits_can_say_no_but_never_yes(pair: Pair) -> None:
    token, space = pair.node("平台/规范"), pair.space("平台")
    other = again(pair, account=STRANGER)
    for path in (other.folder, other.folder / "wiki", other.folder / "wiki/平台", other.folder / "wiki/平台/规范"):
        path.chmod(0o755)
    assert target(other, "wiki_space", "", space) == "denied"
    assert rights(other, "wiki_move_node", token) == "denied"
    (other.folder / "wiki/平台").chmod(0o777)
    assert target(other, "wiki_space", "", space) == "unknown"
    assert rights(other, "wiki_move_node", token) == "unknown"


def test_a_space_without_rights_shows_and_gives_nothing(tmp_path: Path) -> None:
    pair = Pair(tmp_path, {**FILES, **node("wiki/平台/数据治理", "数据治理", "文")})
    space, token = pair.space("平台"), pair.node("平台/规范")
    write_all(tmp_path, {"wiki/.wiki/evidence.yaml": "平台: {readable: denied}\n"})
    assert [one["name"] for one in pair("wiki.space_list")["spaces"]] == ["财务"]
    pair.fails("permission_denied", "wiki.space_get", space_id=space)
    pair.fails("permission_denied", "wiki.node_list", space_id=space)
    pair.fails("permission_denied", "wiki.node_get", node_token=token)
    pair.fails("permission_denied", "wiki.node_create", space_id=space, title="新", obj_type="docx")
    pair.fails("permission_denied", "reading.doc_fetch", doc=token, scope="full")
    assert pair.found("数据治理") == ["WIKI 草稿", "DOC 方案.md"]
    assert pair("evidence.location", source_kind="wiki", token=token) == {"parent_kind": "unknown"}
    assert pair("evidence.item_state", token=token) == {"exists": False}


def test_an_unreadable_body_is_found_by_its_title_alone(tmp_path: Path) -> None:
    files = {**FILES, "wiki/.wiki/evidence.yaml": "平台/规范: {readable: denied}\n"}
    pair = Pair(tmp_path, files)
    assert pair.found("数据治理") == ["WIKI 草稿", "DOC 方案.md"]
    assert pair.found("规范") == ["WIKI 规范"]
    (hit,) = pair("drive.search", query="规范")["results"]
    assert hit["summary_highlighted"] == ""


def test_evidence_that_is_no_yaml_makes_the_wiki_unusable_rather_than_guessed(pair: Pair) -> None:
    write_all(pair.folder, {"wiki/.wiki/evidence.yaml": "平台: {readable\n"})
    pair.fails("unavailable", "wiki.space_list")
    pair.fails("unavailable", "drive.search", query="x")


def test_places_are_told_with_their_kind(pair: Pair) -> None:
    top = pair("evidence.location", source_kind="wiki", token=pair.node("平台/规范"))
    assert (top["parent_kind"], top["parent_token"], top["path"]) == ("wiki_space_root", "", "/平台/规范")
    assert top["space_id"] == pair.space("平台")
    inner = pair("evidence.location", source_kind="wiki", token=pair.node("平台/规范/命名"))
    assert (inner["parent_kind"], inner["parent_token"]) == ("wiki_node", pair.node("平台/规范"))
    assert pair("evidence.item_state", token=pair.node("平台/规范"))["title"] == "规范"
    assert pair("evidence.item_state", token=pair.token("资料/方案.md"))["parent_kind"] == "drive_folder"
    assert pair("evidence.container_is_empty", token=pair.node("平台/规范")) == {"empty": "not_empty"}
    assert pair("evidence.container_is_empty", token=pair.node("财务/预算")) == {"empty": "empty"}
    assert pair("evidence.container_is_empty", token="gone") == {"empty": "unknown"}


# --- settings -------------------------------------------------------------------------------------------------

# settings of the wiki ; a word of the message
REFUSED: list[tuple[dict[str, object], str]] = [
    ({"root": "missing"}, "cannot be used"),
    ({"tasks": "sometimes"}, "at_once"),
    ({"tasks": {"甲": "-1"}}, "at_once"),
    ({"drive": "."}, "hold each other"),
    ({"drive": "inside"}, "hold each other"),
]


@pytest.mark.parametrize(("settings", "word"), REFUSED)
def test_settings_that_mean_nothing_are_refused_at_once(tmp_path: Path, settings: dict[str, str], word: str) -> None:
    from interpreter.adapters.wiki import WikiAdapter

    (tmp_path / "wiki/inside").mkdir(parents=True)
    given = {name: str(tmp_path / "wiki" / value) if name == "drive" else value for name, value in settings.items()}
    if given.get("root") == "missing":
        given["root"] = str(tmp_path / "missing")
    with pytest.raises(ToolFailure, match=word):
        WikiAdapter({"root": str(tmp_path / "wiki"), **given})


def test_without_a_folder_every_call_is_refused(tmp_path: Path) -> None:
    from interpreter.adapters.wiki import WikiAdapter

    adapter = WikiAdapter({"root": "", "drive": str(tmp_path)})
    with pytest.raises(ToolFailure, match=r"settings\.wiki"):
        adapter.invoke("wiki.space_list", {})
    adapter.close()


def test_a_run_is_tied_to_both_folders(pair: Pair) -> None:
    for adapter in (pair.wiki, pair.drive):
        assert str(pair.folder / "wiki") in adapter.resolved_identity()
        assert str(pair.folder / "drive") in adapter.resolved_identity()
