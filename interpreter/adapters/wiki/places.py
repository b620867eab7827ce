"""What stands in a wiki: spaces and nodes, and how their ids and addresses are written."""

from __future__ import annotations

from interpreter.adapters.drive.kinds import ADDRESS, PREFIXES, kind_of
from interpreter.adapters.folders.paths import Entry
from interpreter.adapters.wiki.cards import LIBRARY, NodeCard, SpaceCard
from rules.records import NamedTuple

SPACE_PREFIX, NODE_PREFIX, OBJECT_PREFIX = "7", "wik", "obj"


class Space(NamedTuple):
    token: str
    entry: Entry
    card: SpaceCard

    @property
    def is_library(self) -> bool:
        return self.card.kind == LIBRARY


class Node(NamedTuple):
    """Shapes: `parent` is the token of the node above, '' at the root of the space; `origin` the token of the node that
    a shortcut stands for, '' for a node with its own object; `body` is the file of that object, None where it has none.
    """

    token: str
    entry: Entry
    card: NodeCard
    space: Space
    parent: str
    origin: str
    body: Entry | None
    object_token: str
    object_kind: str

    @property
    def title(self) -> str:
        return self.card.title

    @property
    def address(self) -> str:
        return address_of(self.token)


def prefix_in_wiki(entry: Entry) -> str:
    if not entry.is_folder:
        return PREFIXES[kind_of(entry)]
    return NODE_PREFIX if "/" in entry.path else SPACE_PREFIX


def address_of(token: str) -> str:
    return f"{ADDRESS}wiki/{token}"


def object_of(token: str) -> str:
    """Return the token of an object that is no file: it follows from that of its node."""
    return OBJECT_PREFIX + token.removeprefix(NODE_PREFIX)
