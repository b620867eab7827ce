"""What `evidence.yaml` is answered about nodes and spaces: places are known, rights only where they are stated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.adapters.drive.rights import UNKNOWN
from interpreter.adapters.wiki.core import Wiki
from interpreter.adapters.wiki.places import Node
from interpreter.ports import ToolFailure

NODE_MOVES = {"wiki_move_node": "source", "wiki_move_to_drive": "move_out"}
SPACE_TARGET, NODE_TARGETS = "wiki_space", ("wiki_node", "new_wiki_node")
_NOT_KNOWN = {"source": UNKNOWN, "source_parent": UNKNOWN, "basis": "nothing known"}


def location(wiki: Wiki, arguments: Mapping[str, Any]) -> dict[str, Any]:
    node = _known(wiki, arguments["token"])
    return {"parent_kind": UNKNOWN} if node is None else _location(wiki, node)


def _location(wiki: Wiki, node: Node) -> dict[str, Any]:
    return {
        "parent_kind": "wiki_node" if node.parent else "wiki_space_root",
        "parent_token": node.parent,
        "space_id": node.space.token,
        "path": wiki.path_of(node),
    }


def item_state(wiki: Wiki, token: str) -> dict[str, Any] | None:
    node = _known(wiki, token)
    if node is None:
        return None
    return {"exists": True, "title": node.title, "type": "wiki", **_location(wiki, node)}


def move_rights(wiki: Wiki, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return whether a node may be moved. The owner of its object says nothing of that."""
    node = _known(wiki, arguments.get("node_token") or arguments["token"])
    if node is None:
        return dict(_NOT_KNOWN)
    answer = wiki.rights().move(node, NODE_MOVES[arguments["move_method"]])
    return {"source": answer.state, "source_parent": UNKNOWN, "basis": f"source: {answer.basis}"}


def target_rights(wiki: Wiki, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return whether something may be put below a node or into a space."""
    token = arguments.get("token") or ""
    try:
        place = wiki.get(token) if token and arguments["target_type"] != SPACE_TARGET else None
        target = place if place is not None else wiki.space(arguments.get("space_id") or token)
    except ToolFailure:
        return {"write": UNKNOWN, "basis": "no such node or space"}
    answer = wiki.rights().write(target)
    return {"write": answer.state, "basis": answer.basis}


def container_is_empty(wiki: Wiki, token: str) -> dict[str, Any] | None:
    """Return whether nodes stand below a node; None where it is no node."""
    node = _known(wiki, token)
    if node is None:
        return None
    if not wiki.rights().may_read(node):
        return {"empty": UNKNOWN}
    return {"empty": "not_empty" if wiki.has_child(node) else "empty"}


def _known(wiki: Wiki, token: str) -> Node | None:
    """Return the node of a token unless it is gone or stands in a space that the account may not look into."""
    node = wiki.addressed(token)
    return node if node is not None and wiki.rights().may_read(node.space) else None
