"""Whatever is moved, made and deleted in whatever order: every document is in one place, with the same token."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.ports import ToolFailure
from tests.draws import draws
from tests.unit.wiki_folder import Files, Pair, card, node

#: What an operation is about is chosen by numbers, taken modulo what there is.
OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["node", "in", "out", "create", "delete", "by hand"]), st.integers(0, 50), st.integers(0, 50)
    ),
    max_size=12,
)
REFUSALS = {"into_itself", "name_in_use", "node_not_empty", "unsupported", "invalid_arguments"}


def files() -> Files:
    found: Files = {"drive/夹": None}
    for number in range(3):
        found[f"drive/文{number}.md"] = f"文{number}"
    for space in ("甲", "乙"):
        found[f"wiki/{space}/space.yaml"] = card(name=space)
        found |= node(f"wiki/{space}/一", f"{space}一", f"{space}一")
        found |= node(f"wiki/{space}/一/二", f"{space}二", f"{space}二")
        found |= node(f"wiki/{space}/三", f"{space}三", f"{space}三")
    return found


class World:
    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.spaces = [pair.space("甲"), pair.space("乙")]
        self.deleted: set[str] = set()
        self.made = 0
        self.tokens: dict[str, str] = {}

    def nodes(self) -> list[dict[str, Any]]:
        found = []
        for space in self.spaces:
            left = [""]
            while left:
                asked = {"space_id": space, "parent_node_token": left.pop()}
                inner = self.pair("wiki.node_list", **asked)["nodes"]
                found += inner
                left += [one["node_token"] for one in inner]
        return found

    def documents(self) -> list[dict[str, Any]]:
        folders = ["", self.pair.token("夹")]
        listed = [one for folder in folders for one in self.pair("drive.files_list", folder_token=folder)["files"]]
        return [one for one in listed if one["type"] == "docx"]

    def do(self, what: str, first: int, second: int) -> None:
        pair, nodes, documents = self.pair, self.nodes(), self.documents()
        space = self.spaces[second % 2]
        if what == "create":
            self.made += 1
            title = f"新{self.made}"
            pair("wiki.node_create", space_id=space, title=title, obj_type="docx")
        elif what == "in" and documents:
            token = documents[first % len(documents)]["token"]
            pair("wiki.move", obj_token=token, obj_type="docx", target_space_id=space, apply=False)
        elif what == "out" and nodes:
            folder = ["", pair.token("夹")][second % 2]
            pair("wiki.move_to_drive", node_token=nodes[first % len(nodes)]["node_token"], folder_token=folder)
        elif what == "delete" and nodes:
            chosen = nodes[first % len(nodes)]
            pair("wiki.node_delete", node_token=chosen["node_token"], obj_type="wiki", include_children=False)
            self.deleted.add(chosen["obj_token"])
        elif what == "node" and nodes:
            chosen, parent = nodes[first % len(nodes)], nodes[second % len(nodes)]
            pair("wiki.move", node_token=chosen["node_token"], target_parent_token=parent["node_token"])
        elif what == "by hand" and nodes:
            self.move_by_hand(nodes[first % len(nodes)])

    def move_by_hand(self, chosen: dict[str, Any]) -> None:
        """A person renames the folder of a node, as nobody can forbid."""
        (place,) = (
            path.parent
            for path in (self.pair.folder / "wiki").rglob("node.yaml")
            if ".wiki" not in path.parts and f'title: "{chosen["title"]}"' in path.read_text("utf-8")
        )
        self.made += 1
        place.rename(place.parent / f"改{self.made}")

    def check(self) -> None:
        nodes, documents = self.nodes(), self.documents()
        tokens = Counter([one["obj_token"] for one in nodes] + [one["token"] for one in documents])
        assert max(tokens.values(), default=1) == 1
        assert len({one["node_token"] for one in nodes}) == len(nodes)
        assert not self.deleted & set(tokens)
        content = {}
        for token in tokens:
            text = self.pair("reading.doc_fetch", doc=token, scope="full")["document"]["content"]
            if text:
                content[text] = token
        for text, token in content.items():
            assert self.tokens.setdefault(text, token) == token
        assert {self.tokens[text] for text in self.tokens} == set(content.values()) | (
            self.deleted & set(self.tokens.values())
        )


@settings(max_examples=draws(40), deadline=None)
@given(OPERATIONS)
def test_every_document_is_in_exactly_one_place_whatever_happens(operations: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(Path(folder), files())
        try:
            world = World(pair)
            world.check()
            refused = []
            for what, first, second in operations:
                try:
                    world.do(what, first, second)
                except ToolFailure as failure:
                    refused.append(failure.code)
                world.check()
            assert set(refused) <= REFUSALS
        finally:
            pair.close()
