"""One wiki: its folder, the ids of spaces, nodes and objects, and the drive beside it; what all its tools share.

A node whose file is not there and that has nothing below it is not there either: so a document that moves in or out is
in exactly one place at any moment, whenever somebody looks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from interpreter.adapters.drive import writing as drive_writing
from interpreter.adapters.drive.core import Drive
from interpreter.adapters.drive.evidence_file import Comments, Evidence
from interpreter.adapters.drive.kinds import kind_of
from interpreter.adapters.drive.lock import Lock
from interpreter.adapters.drive.own_folder import REGISTRY, OwnFolder
from interpreter.adapters.drive.registry import Everything, Registry
from interpreter.adapters.drive.rights import Account, read_account
from interpreter.adapters.drive.tasks import Course, read_course
from interpreter.adapters.folders.database_file import DatabaseFile
from interpreter.adapters.folders.failures import denied, failure, not_found
from interpreter.adapters.folders.paths import Entry, Tree, is_within, joined, shown
from interpreter.adapters.wiki.cards import LIBRARY, NODE_CARD, Cards, NodeCard
from interpreter.adapters.wiki.places import (
    NODE_PREFIX,
    OBJECT_PREFIX,
    Node,
    Space,
    object_of,
    prefix_in_wiki,
)
from interpreter.adapters.wiki.rights import WikiRights

OWN = ".wiki"
#: Units: levels of folders below the root.
_SPACE_DEPTH = 1


class Wiki:
    """Shapes: `settle` finishes or drops what a killed process left behind; it is called under the locks.

    Errors: ToolFailure `unavailable` where the folder, its own files or a setting cannot be used.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        now: Callable[[], float],
        drive: Drive | None,
        settle: Callable[[Wiki], None],
    ) -> None:
        root = str(settings.get("root") or "")
        if not root:
            raise failure(
                "unavailable",
                "没有设置知识库文件夹；请用 --set settings.wiki=文件夹 指定",
                "no folder of the wiki is set; give one with --set settings.wiki=FOLDER",
            )
        self.now = now
        self.drive = drive
        self.tree = Tree(root, OWN)
        if drive is not None and _overlap(self.tree.root, drive.tree.root):
            raise failure(
                "unavailable",
                f"知识库文件夹 {self.tree.root} 和云空间文件夹 {drive.tree.root} 不能互相包含",
                f"the wiki {self.tree.root} and the drive {drive.tree.root} must not hold each other",
            )
        self.account: Account = read_account(str(settings.get("account") or ""))
        self.course: Mapping[str, Course] = read_course(settings.get("tasks"))
        self.lock = Lock(self.tree)
        self.own = OwnFolder(self.tree, self.lock)
        self.evidence = Evidence(self.tree)
        self.comments = Comments(self.tree)
        self.cards = Cards(self.tree)
        self._settle = settle
        self._is_settled = False

    @cached_property
    def registry(self) -> Registry:
        return Registry(DatabaseFile(self.tree, OWN, REGISTRY), self.tree, prefix_in_wiki)

    def look(self) -> None:
        """Read what people changed under `.wiki/` since the last call, and settle once what was left behind."""
        self.own.look()
        self.evidence.file.look()
        self.comments.file.look()
        if not self._is_settled:
            if self.registry.intentions():
                with self.locked():
                    pass
            self._is_settled = True

    def identity(self) -> str:
        beside = f" beside {self.drive.identity()}" if self.drive is not None else ""
        return f"{shown(self.tree.root)} (wiki {self.own.id}) as {self.account.name}{beside}"

    def close(self) -> None:
        if "registry" in self.__dict__:
            self.registry.close()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the locks of both folders, always the drive's first, with everything settled that was left behind."""
        with self.drive.lock if self.drive is not None else contextlib.nullcontext(), self.lock:
            if self.drive is not None:
                drive_writing.settle(self.drive)
            self._settle(self)
            yield

    def rights(self) -> WikiRights:
        return WikiRights(self.account, self.evidence, self.tree, self.registry)

    # --- finding things ---

    def refresh(self) -> Everything:
        """Look at the whole folder and return everything in it by its token."""
        found = self.registry.known(self.tree.walk())
        if found is None:
            with self.locked():
                found = self.registry.refresh(self.tree.walk())
        return found

    def token_of(self, entry: Entry) -> str:
        """Return the token of what stands somewhere; a thing seen for the first time is given one."""
        token = self.registry.token_at(entry.path, entry)
        if token is None:
            self.refresh()
            token = self.registry.token_of(entry.path)
        return token or ""

    def spaces(self) -> list[Space]:
        """Return every space, by the name of its folder; also personal libraries."""
        entries = sorted(self.tree.children(""), key=lambda entry: entry.path)
        found = [self._space_at(entry) for entry in entries if entry.is_folder]
        return [space for space in found if space is not None]

    def space(self, token: str) -> Space:
        """Return a space that the account may look into; `my_library` is the account's own.

        Errors: ToolFailure `not_found`, `permission_denied`.
        """
        if token == LIBRARY:
            mine = (one for one in self.spaces() if one.is_library and one.card.owner in ("", self.account.name))
            space = next(mine, None)
        else:
            entry = self._entry_of(token)
            space = self._space_at(entry) if entry is not None else None
        if space is None:
            raise not_found(token)
        if not self.rights().may_read(space):
            raise denied(
                f"当前账号不能读取空间 {space.card.name}", f"this account may not read the space {space.card.name}"
            )
        return space

    def _space_at(self, entry: Entry) -> Space | None:
        if "/" in entry.path or not entry.is_folder:
            return None
        card = self.cards.space(entry)
        return Space(self.token_of(entry), entry, card) if card is not None else None

    def _entry_of(self, token: str) -> Entry | None:
        """Return where the thing of a token stands now; looks at the whole folder only when it is not where it was."""
        item = self.registry.get(token)
        entry = self.tree.entry(item.path) if item is not None else None
        if entry is not None and self.registry.token_at(entry.path, entry) == token:
            return entry
        found = self.refresh().get(token) if token else None
        return found[1] if found is not None else None

    def find(self, token: str) -> Node | None:
        entry = self._entry_of(token)
        return self.at(entry) if entry is not None else None

    def get(self, token: str) -> Node:
        """Errors: ToolFailure `not_found`."""
        node = self.find(token)
        if node is None:
            raise not_found(token)
        return node

    def at(self, entry: Entry) -> Node | None:
        """Return the node whose folder this is; every folder above it has to be a node, and the topmost a space."""
        above = self._above(entry)
        if above is None:
            return None
        space, parent = above
        return self._node(entry, space, self.token_of(parent) if parent is not None else "")

    def _above(self, entry: Entry) -> tuple[Space, Entry | None] | None:
        parts = entry.path.split("/")
        if len(parts) <= _SPACE_DEPTH or not entry.is_folder:
            return None
        top = self.tree.entry(parts[0])
        space = self._space_at(top) if top is not None else None
        if space is None:
            return None
        parent: Entry | None = None
        for depth in range(2, len(parts)):
            parent = self.tree.entry("/".join(parts[:depth]))
            if parent is None or not self._has_card(parent):
                return None
        return space, parent

    def _has_card(self, folder: Entry) -> bool:
        card = self.tree.entry(joined(folder.path, NODE_CARD))
        return card is not None and card.is_file

    def _node(self, entry: Entry, space: Space, parent: str) -> Node | None:
        card = self.cards.node(entry)
        if card is None:
            return None
        if card.shortcut_of:
            return self.shortcut(entry, card, space, parent)
        body = self.body_of(entry, card)
        if body is None and card.body and not self._has_folders(entry):
            return None
        token = self.token_of(entry)
        if body is None:
            return Node(token, entry, card, space, parent, "", None, object_of(token), card.kind)
        return Node(token, entry, card, space, parent, "", body, self.token_of(body), kind_of(body))

    def body_of(self, entry: Entry, card: NodeCard) -> Entry | None:
        body = self.tree.entry(joined(entry.path, card.body)) if card.body else None
        return body if body is not None and body.is_file else None

    def _has_folders(self, entry: Entry) -> bool:
        return any(inner.is_folder for inner in self.tree.children(entry.path))

    def shortcut(self, entry: Entry, card: NodeCard, space: Space, parent: str) -> Node:
        token = self.token_of(entry)
        origin = self._origin(token, card.shortcut_of)
        known = origin is not None and not origin.card.shortcut_of
        return Node(
            token,
            entry,
            card,
            space,
            parent,
            origin.token if origin is not None else card.shortcut_of,
            origin.body if origin is not None and known else None,
            origin.object_token if origin is not None and known else "",
            origin.object_kind if origin is not None and known else card.kind,
        )

    def _origin(self, token: str, said: str) -> Node | None:
        """Return the node that a shortcut stands for. A path is looked up once; from then on its token counts."""
        kept = self.registry.kept("origin", token)
        if kept is not None and kept[0] == said:
            entry = self._entry_of(kept[1])
        else:
            entry = self.tree.entry(said.strip("/")) if "/" in said else self._entry_of(said)
        if entry is None or self.cards.node(entry) is None or (card := self.cards.node(entry)) is None:
            return None
        if card.shortcut_of:
            return None
        if kept is None or kept[0] != said:
            self.registry.keep("origin", token, [said, self.token_of(entry)])
        return self.at(entry)

    def children(self, folder: Entry, space: Space, parent: str) -> Iterator[Node]:
        """Yield the nodes directly below a node or a space, by the names of their folders."""
        for entry in sorted(self.tree.children(folder.path), key=lambda entry: entry.path):
            node = self._node(entry, space, parent) if entry.is_folder else None
            if node is not None:
                yield node

    def has_child(self, node: Node) -> bool:
        return next(self.children(node.entry, node.space, node.token), None) is not None

    def of_object(self, token: str) -> Node | None:
        """Return the node that an object stands in: its own, not one of the shortcuts to it."""
        if token.startswith(OBJECT_PREFIX):
            node = self.find(NODE_PREFIX + token.removeprefix(OBJECT_PREFIX))
            return node if node is not None and node.body is None and not node.origin else None
        entry = self._entry_of(token)
        folder = self.tree.entry(entry.parent) if entry is not None and entry.is_file else None
        node = self.at(folder) if folder is not None else None
        return node if node is not None and node.object_token == token and not node.origin else None

    def addressed(self, text: str) -> Node | None:
        """Return what an address, a node token or an object token means; never a path."""
        token = text.strip()
        if "://" in token:
            token = token.partition("://")[2].partition("?")[0].partition("#")[0].rstrip("/").rpartition("/")[2]
        if not token or "/" in token:
            return None
        return self.find(token) or self.of_object(token)

    def path_of(self, node: Node) -> str:
        """Return where a node is, in titles, for people."""
        titles = [node.title]
        token = node.parent
        while token:
            above = self.find(token)
            if above is None:
                break
            titles.append(above.title)
            token = above.parent
        return "/" + "/".join([node.space.card.name, *reversed(titles)])

    def everything(self) -> dict[str, tuple[Node, int]]:
        """Return every node by its token, with when it was first seen, from one walk over the folder."""
        return _Walk(self, self.refresh()).nodes()


class _Walk:
    """All nodes of a walk that was just made, without looking again at what it saw."""

    def __init__(self, wiki: Wiki, found: Everything) -> None:
        self._wiki = wiki
        self._by_path = {entry.path: (item, entry) for item, entry in found.values()}
        self._with_folders = {entry.parent for _, entry in found.values() if entry.is_folder}
        self._spaces: dict[str, Space | None] = {}

    def nodes(self) -> dict[str, tuple[Node, int]]:
        result: dict[str, tuple[Node, int]] = {}
        above: dict[str, str] = {}  # the tokens of the folders that are nodes
        for path in sorted(self._by_path):
            item, entry = self._by_path[path]
            parent = entry.parent
            if not entry.is_folder or not parent or ("/" in parent and parent not in above):
                continue
            card = self._wiki.cards.node_in(entry, self._entry(joined(path, NODE_CARD)))
            space = self._space(path.partition("/")[0])
            if card is None or space is None:
                continue
            above[path] = item.token
            node = self._node(item.token, entry, card, space, above.get(parent, ""))
            if node is not None:
                result[item.token] = (node, item.created)
        return result

    def _node(self, token: str, entry: Entry, card: NodeCard, space: Space, parent: str) -> Node | None:
        if card.shortcut_of:
            return self._wiki.shortcut(entry, card, space, parent)
        body = self._by_path.get(joined(entry.path, card.body)) if card.body else None
        if body is None or not body[1].is_file:
            if card.body and entry.path not in self._with_folders:
                return None
            return Node(token, entry, card, space, parent, "", None, object_of(token), card.kind)
        return Node(token, entry, card, space, parent, "", body[1], body[0].token, kind_of(body[1]))

    def _entry(self, path: str) -> Entry | None:
        found = self._by_path.get(path)
        return found[1] if found is not None else None

    def _space(self, path: str) -> Space | None:
        if path not in self._spaces:
            item, entry = self._by_path[path]
            card = self._wiki.cards.space(entry)
            self._spaces[path] = Space(item.token, entry, card) if card is not None else None
        return self._spaces[path]


def _overlap(one: str, other: str) -> bool:
    return is_within(one.strip("/"), other.strip("/")) or is_within(other.strip("/"), one.strip("/"))
