"""What the tools of drive, reading and evidence answer where a wiki stands beside the drive.

Tokens of the two are never the same, so each call is answered by whichever knows what it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interpreter.adapters.drive import evidence as of_drive
from interpreter.adapters.drive import listing as drive_listing
from interpreter.adapters.drive import reading as drive_reading
from interpreter.adapters.drive import search as drive_search
from interpreter.adapters.drive.core import Drive
from interpreter.adapters.drive.rights import UNKNOWN
from interpreter.adapters.drive.tasks import looked_at
from interpreter.adapters.folders.failures import failure, unsupported
from interpreter.adapters.wiki import evidence, listing
from interpreter.adapters.wiki.core import Wiki
from interpreter.adapters.wiki.places import Node
from interpreter.adapters.wiki.shelf import WikiShelf
from interpreter.ports import ToolFailure

Answer = dict[str, Any]
Both = Callable[[Wiki, Drive, Mapping[str, Any]], Answer]
_KIND = "wiki"
_NO_PERMISSION = 970003
_IN_ADDRESS = "/wiki/"


def search(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
    return drive_search.search(drive, arguments, lambda is_whole: WikiShelf(wiki, drive, is_whole))


def inspect(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
    """Return type and token of what stands at an address: of a node, those of its object."""
    asked, kind = arguments["url"], arguments.get("type")
    is_wiki = kind == _KIND or _IN_ADDRESS in asked
    answer = {} if is_wiki else drive_listing.inspect(drive, arguments)
    if answer.get("title"):
        return answer
    found = listing.inspect(wiki, asked)
    if found is None:
        return answer or {"input_url": asked, "type": kind or _KIND, "title": "", "token": asked, "url": ""}
    if kind not in (None, _KIND, found["type"]):
        raise failure(
            "invalid_arguments",
            f"{found['title']} 的类型是 {found['type']}",
            f"{found['title']} is of type {found['type']}",
        )
    return found


def metas(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
    answer = drive_listing.metas(drive, arguments)
    with_url = bool(arguments.get("with_url"))
    kinds = {wanted.get("doc_token", ""): wanted.get("doc_type") for wanted in arguments["request_docs"]}
    failed = []
    for one in answer["failed_list"]:
        try:
            meta = listing.meta(wiki, one["token"], kinds.get(one["token"]), with_url)
        except ToolFailure:
            failed.append({"token": one["token"], "code": _NO_PERMISSION})
            continue
        if meta is None:
            failed.append(one)
        else:
            answer["metas"].append(meta)
    return {**answer, "failed_list": failed}


def permission_auth(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
    node = None if drive.find(arguments["token"]) else wiki.addressed(arguments["token"])
    if node is None:
        return drive_listing.permission_auth(drive, arguments)
    return {"auth_result": listing.permitted(wiki, node, arguments["action"])}


def preview(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
    node = None if drive.find(arguments["file_token"]) else wiki.addressed(arguments["file_token"])
    if node is None:
        return drive_listing.preview(drive, arguments)
    source = _source(wiki, node)
    return drive_listing.previewed(drive, source.tree, source.entry, source.name)


def task_result(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
    answer = looked_at(wiki.registry, arguments["task_id"])
    return answer if answer is not None else drive_listing.task_result(drive, arguments)


def _reading(field: str, of_source: Callable[[Drive, drive_reading.Source, Mapping[str, Any]], Answer]) -> Both:
    def read(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
        asked = arguments[field]
        place = None if _IN_ADDRESS in asked else drive.addressed(asked)
        node = wiki.addressed(asked) if place is None else None
        source = _source(wiki, node) if node is not None else drive_reading.readable(drive, asked)
        return of_source(drive, source, arguments)

    return read


def _source(wiki: Wiki, node: Node) -> drive_reading.Source:
    """Return the file of a node's object.

    Errors: ToolFailure `not_found`, `permission_denied`, `unsupported` where its object is no file.
    """
    listing.readable(wiki, node.token)
    if node.body is None:
        raise unsupported(f"节点 {node.title} 没有可读的文件", f"the node {node.title} has no file to read")
    home = wiki.find(node.origin) if node.origin else None
    if home is not None:
        listing.readable(wiki, home.token)
    return drive_reading.Source(node.object_token, node.title, node.object_kind, wiki.tree, node.body)


def location(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
    if arguments["source_kind"] == _KIND:
        return evidence.location(wiki, arguments)
    return of_drive.location(drive, arguments)


def item_state(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
    answer = of_drive.item_state(drive, arguments)
    return answer if answer["exists"] else evidence.item_state(wiki, arguments["token"]) or answer


def move_rights(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
    method = arguments["move_method"]
    if method in evidence.NODE_MOVES:
        return evidence.move_rights(wiki, arguments)
    return of_drive.move_rights(drive, arguments)


def target_rights(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
    if arguments["target_type"] in (evidence.SPACE_TARGET, *evidence.NODE_TARGETS):
        return evidence.target_rights(wiki, arguments)
    return of_drive.target_rights(drive, arguments)


def container_is_empty(wiki: Wiki, drive: Drive, arguments: Mapping[str, Any]) -> Answer:
    answer = of_drive.container_is_empty(drive, arguments)
    known = answer["empty"] != UNKNOWN
    return answer if known else evidence.container_is_empty(wiki, arguments["token"]) or answer


BESIDE: Mapping[str, Both] = {
    "drive.search": search,
    "drive.inspect": inspect,
    "drive.metas": metas,
    "drive.permission_auth": permission_auth,
    "drive.preview": preview,
    "drive.task_result": task_result,
    "reading.doc_fetch": _reading("doc", drive_reading.fetched),
    "reading.sheet_find": _reading("spreadsheet_token", drive_reading.cells_found),
    "reading.sheet_read": _reading("spreadsheet_token", drive_reading.cells),
    "evidence.location": location,
    "evidence.item_state": item_state,
    "evidence.move_rights": move_rights,
    "evidence.target_rights": target_rights,
    "evidence.container_is_empty": container_is_empty,
}
