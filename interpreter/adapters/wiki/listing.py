"""The reading tools of `wiki.yaml`: spaces and nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from interpreter.adapters.drive.core import PageToken
from interpreter.adapters.drive.listing import instant
from interpreter.adapters.folders.failures import denied, failure, not_found
from interpreter.adapters.wiki.cards import LIBRARY
from interpreter.adapters.wiki.core import Wiki
from interpreter.adapters.wiki.places import Node, Space

_PAGE = 50

T = TypeVar("T")


def space_list(wiki: Wiki, arguments: Mapping[str, Any]) -> dict[str, Any]:
    rights = wiki.rights()
    seen = [space for space in wiki.spaces() if not space.is_library and rights.may_read(space)]
    page, rest = _page(seen, "space_list", arguments, lambda space: space.entry.name)
    return {"spaces": [_told_space(space) for space in page], **rest}


def space_get(wiki: Wiki, arguments: Mapping[str, Any]) -> dict[str, Any]:
    check_library(arguments, "space_id")
    return _told_space(wiki.space(arguments["space_id"]))


def _told_space(space: Space) -> dict[str, Any]:
    card = space.card
    return {
        "space_id": space.token,
        "name": card.name,
        "description": card.description,
        "space_type": card.kind,
        "visibility": card.visibility,
        "open_sharing": card.sharing,
    }


def node_get(wiki: Wiki, arguments: Mapping[str, Any]) -> dict[str, Any]:
    node = readable(wiki, arguments["node_token"])
    check_space(wiki, node, arguments.get("space_id"))
    item = wiki.registry.get(node.token)
    told = {
        **told_node(wiki, node),
        "creator": node.card.creator,
        "owner": wiki.rights().owner(node),
        "node_create_time": instant(item.created if item is not None else node.entry.modified),
        "updated_at": instant(node.entry.modified),
    }
    if node.body is not None:
        of_object = wiki.registry.get(node.object_token)
        told["obj_edit_time"] = instant(node.body.modified)
        told["obj_create_time"] = instant(of_object.created if of_object is not None else node.body.modified)
    return told


def readable(wiki: Wiki, text: str) -> Node:
    """Errors: ToolFailure `not_found`, `permission_denied`."""
    node = wiki.addressed(text)
    if node is None:
        raise not_found(text)
    if not wiki.rights().may_read(node):
        raise denied(f"当前账号不能读取节点 {node.title}", f"this account may not read the node {node.title}")
    return node


def check_space(wiki: Wiki, node: Node, space_id: str | None) -> None:
    """Errors: ToolFailure `other_space` where a node is not in the space that was named with it."""
    if space_id and wiki.space(space_id).token != node.space.token:
        raise failure(
            "other_space",
            f"节点 {node.title} 在空间 {node.space.card.name} 里",
            f"the node {node.title} is in the space {node.space.card.name}",
            space_id=node.space.token,
        )


def check_library(arguments: Mapping[str, Any], *fields: str) -> None:
    """Errors: ToolFailure `invalid_arguments`: an app has no personal library."""
    if arguments.get("identity") == "bot" and any(arguments.get(field) == LIBRARY for field in fields):
        raise failure(
            "invalid_arguments",
            "应用身份没有个人文档库，不能使用 my_library",
            "an app has no personal library; my_library is for users",
        )


def told_node(wiki: Wiki, node: Node) -> dict[str, Any]:
    """Return what is told of a node wherever one is answered."""
    return {
        "space_id": node.space.token,
        "node_token": node.token,
        "obj_token": node.object_token,
        "obj_type": node.object_kind,
        "node_type": "shortcut" if node.origin else "origin",
        "parent_node_token": node.parent,
        "origin_node_token": node.origin,
        "title": node.title,
        "has_child": wiki.has_child(node),
    }


def node_list(wiki: Wiki, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands directly below a node or a space, by name; a page goes on after the last one before."""
    check_library(arguments, "space_id")
    space = wiki.space(arguments["space_id"])
    parent = arguments.get("parent_node_token") or ""
    if parent:
        above = readable(wiki, parent)
        check_space(wiki, above, space.token)
        nodes = list(wiki.children(above.entry, space, above.token))
    else:
        nodes = list(wiki.children(space.entry, space, ""))
    page, rest = _page(nodes, f"node_list\n{space.token}\n{parent}", arguments, lambda node: node.entry.name)
    made_by = wiki.registry.requests()
    told = []
    for node in page:
        told.append({**told_node(wiki, node), "request_id": made_by.get(node.token, "")})
    return {"nodes": told, **rest}


def _page(
    found: Sequence[T], request: str, arguments: Mapping[str, Any], name_of: Callable[[T], str]
) -> tuple[list[T], dict[str, Any]]:
    token = arguments.get("page_token")
    after = bytes.fromhex(PageToken.read(request, token)).decode("utf-8", "surrogateescape") if token else ""
    left = [one for one in found if name_of(one) > after]
    size = int(arguments.get("page_size") or _PAGE)
    rest: dict[str, Any] = {"has_more": len(left) > size}
    if rest["has_more"]:
        last = name_of(left[size - 1]).encode("utf-8", "surrogateescape").hex()
        rest["page_token"] = PageToken.make(request, last)
    return list(left[:size]), rest


# --- what tools of other documents answer about the wiki ---------------------------------------------------


def inspect(wiki: Wiki, asked: str) -> dict[str, Any] | None:
    """Return what `drive.inspect` answers of a node: type and token are those of the object that stands in it."""
    node = wiki.addressed(asked)
    if node is None or not wiki.rights().may_read(node):
        return None
    return {
        "input_url": asked,
        "type": node.object_kind,
        "title": node.title,
        "token": node.object_token,
        "url": node.address,
        "wiki_node": {
            "space_id": node.space.token,
            "node_token": node.token,
            "obj_token": node.object_token,
            "obj_type": node.object_kind,
        },
    }


def meta(wiki: Wiki, token: str, kind: str | None, with_url: bool) -> dict[str, Any] | None:
    """Return what `drive.metas` answers of a node or its object; None where there is none.

    Errors: ToolFailure `permission_denied`.
    """
    node = wiki.find(token) if kind in (None, "wiki") else None
    if node is None and kind != "wiki":
        node = wiki.of_object(token)
        node = node if node is not None and kind in (None, node.object_kind) else None
    if node is None:
        return None
    if not wiki.rights().may_read(node):
        raise denied(f"当前账号不能读取节点 {node.title}", f"this account may not read the node {node.title}")
    changed = node.body.modified if node.body is not None else node.entry.modified
    item = wiki.registry.get(token)
    told = {
        "doc_token": token,
        "doc_type": "wiki" if token == node.token else node.object_kind,
        "title": node.title,
        "owner_id": wiki.rights().owner(node),
        "latest_modify_time": instant(changed),
        "create_time": instant(item.created if item is not None else changed),
    }
    return {**told, "url": node.address} if with_url else told


def permitted(wiki: Wiki, node: Node, action: str) -> bool:
    """Return whether an action of `drive.permission_auth` is surely allowed."""
    rights = wiki.rights()
    if action in ("view", "comment", "export", "copy", "print"):
        return rights.may_read(node)
    if action in ("share", "manage_public"):
        return rights.owner(node) == wiki.account.name
    return rights.write(node).state == "confirmed"
