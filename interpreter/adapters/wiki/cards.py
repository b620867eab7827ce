"""What stands in `space.yaml` and `node.yaml`: read when it has changed, written when a node is made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from interpreter.adapters.drive.evidence_file import read_mapping
from interpreter.adapters.drive.kinds import DOCUMENT
from interpreter.adapters.folders.paths import Entry, Tree, is_text, joined, shown
from interpreter.ports import ToolFailure
from rules.records import NamedTuple

SPACE_CARD, NODE_CARD = "space.yaml", "node.yaml"
LIBRARY = "my_library"
#: What a card may say of an object that is no file here.
_WITHOUT_FILE = ("doc", "docx", "sheet", "bitable", "mindnote", "slides", "file")


class SpaceCard(NamedTuple):
    """Shapes: `kind` is `team`, `person` or `my_library`; `owner` '' is whoever looks."""

    name: str
    description: str
    kind: str
    visibility: str
    sharing: str
    owner: str


class NodeCard(NamedTuple):
    """Shapes: `body` is the name of a file in the node's folder, '' for an object without a file; `kind` its type then;
    `shortcut_of` the token or path of another node, '' for a node with an object of its own.
    """

    title: str
    body: str
    kind: str
    creator: str
    owner: str
    shortcut_of: str


class Cards:
    """The cards of one wiki, each read again when its file has changed."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._read: dict[tuple[int, int, int, int], Mapping[str, Any]] = {}

    def space(self, folder: Entry) -> SpaceCard | None:
        said = self._said(self._tree.entry(joined(folder.path, SPACE_CARD)))
        if said is None:
            return None
        return SpaceCard(
            _text(said, "name") or shown(folder.name),
            _text(said, "description"),
            _text(said, "space_type") or "team",
            _text(said, "visibility") or "private",
            _text(said, "open_sharing") or "closed",
            _text(said, "owner"),
        )

    def node(self, folder: Entry) -> NodeCard | None:
        """Return the card of a node; one that cannot be read still is a node, named after its folder."""
        return self.node_in(folder, self._tree.entry(joined(folder.path, NODE_CARD)))

    def node_in(self, folder: Entry, file: Entry | None) -> NodeCard | None:
        """Return what the file of a card says, where it was just looked at."""
        said = self._said(file)
        if said is None:
            return None
        body = _text(said, "body", strip=False)
        kind = _text(said, "obj_type")
        return NodeCard(
            _text(said, "title") or shown(folder.name),
            body if _is_name(body) else "",
            kind if kind in _WITHOUT_FILE else DOCUMENT,
            _text(said, "creator"),
            _text(said, "owner"),
            _text(said, "shortcut_of"),
        )

    def _said(self, card: Entry | None) -> Mapping[str, Any] | None:
        if card is None or not card.is_file:
            return None
        stamp = (card.device, card.inode, card.size, card.modified)
        known = self._read.get(stamp)
        if known is None:
            try:
                known = read_mapping(self._tree, card.path)
            except (ToolFailure, OSError):
                known = {}
            self._read[stamp] = known
        return known


def _text(said: Mapping[str, Any], name: str, *, strip: bool = True) -> str:
    """Return what a card says as a text; a name of a file is no other one without its blanks, and keeps them."""
    value = said.get(name)
    text = "" if value is None else str(value)
    return text.strip() if strip else text


def _is_name(text: str) -> bool:
    """Say whether it is the name of a file beside the card, and no way to somewhere else."""
    return text not in ("", ".", "..", NODE_CARD) and "/" not in text and "\0" not in text and is_text(text)


def written(fields: Mapping[str, str]) -> bytes:
    """Return a card as YAML; texts are quoted as JSON quotes them, which YAML reads alike."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items() if value]
    return "".join(line + "\n" for line in lines).encode()
