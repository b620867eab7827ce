"""The wiki as a shelf of `drive.search`: a hit is a node, its text that of the object that stands in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from interpreter.adapters.drive.core import Drive
from interpreter.adapters.drive.index import Stamp
from interpreter.adapters.drive.listing import instant
from interpreter.adapters.wiki.cards import LIBRARY
from interpreter.adapters.wiki.core import Wiki
from interpreter.adapters.wiki.places import NODE_PREFIX, Node

_KIND = "wiki"


class WikiShelf:
    """The wiki; `is_whole` says whether everything is looked at now, or each node when it is asked for."""

    entity = "WIKI"

    def __init__(self, wiki: Wiki, drive: Drive, is_whole: bool) -> None:
        self._wiki = wiki
        self._drive = drive
        self._is_whole = is_whole
        self._nodes = wiki.everything() if is_whole else {}
        self._rights = wiki.rights()

    def tokens(self) -> Iterable[str]:
        return self._nodes

    def holds(self, token: str) -> bool:
        if token in self._nodes:
            return True
        node = self._wiki.find(token) if not self._is_whole and token.startswith(NODE_PREFIX) else None
        if node is None:
            return False
        item = self._wiki.registry.get(token)
        self._nodes[token] = (node, item.created if item is not None else node.entry.modified)
        return True

    def stamps(self) -> Mapping[str, Stamp]:
        stamps = {}
        for token, (node, _) in self._nodes.items():
            size, modified = (node.body.size, node.body.modified) if node.body is not None else (0, 0)
            stamps[token] = Stamp(size, modified, node.title, self._wiki.comments.text(token, node.entry.path))
        return stamps

    def body(self, token: str) -> str | None:
        node = self._node(token)
        return self._drive.indexed(self._wiki.tree, node.body) if node.body is not None else ""

    def _node(self, token: str) -> Node:
        return self._nodes[token][0]

    def may_read(self, token: str) -> bool:
        return self._rights.may_read(self._node(token))

    def visible(self, token: str) -> bool:
        """A node is seen by whoever may look into its space; somebody else's library is nobody's business."""
        space = self._node(token).space
        is_mine = not space.is_library or space.card.owner in ("", self._wiki.account.name)
        return is_mine and self._rights.may_read(space)

    def kinds(self, token: str) -> tuple[str, ...]:
        return (_KIND, self._node(token).object_kind)

    def owner(self, token: str) -> str:
        return self._rights.owner(self._node(token))

    def path(self, token: str) -> str:
        return self._node(token).entry.path

    def edited(self, token: str) -> int:
        node = self._node(token)
        return node.body.modified if node.body is not None else node.entry.modified

    def created(self, token: str) -> int:
        return self._nodes[token][1]

    def comments(self, token: str) -> list[Mapping[str, Any]]:
        return self._wiki.comments.of(token, self._node(token).entry.path)

    def is_in_folder(self, token: str, folder: str) -> bool:
        return False

    def is_in_space(self, token: str, space: str) -> bool:
        own = self._node(token).space
        return space == own.token or (space == LIBRARY and own.is_library)

    def name(self, token: str) -> tuple[str, str]:
        return self._node(token).title, ""

    def told(self, token: str) -> dict[str, Any]:
        node, created = self._nodes[token]
        return {
            "doc_types": _KIND.upper(),
            "token": token,
            "url": node.address,
            "obj_token": node.object_token,
            "obj_type": node.object_kind,
            "space_id": node.space.token,
            "create_time_iso": instant(created),
            "update_time_iso": instant(self.edited(token)),
        }
