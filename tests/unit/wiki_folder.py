"""What the tests of the wiki share: a drive and a wiki beside each other, every call checked against its contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.drive import DriveAdapter
from interpreter.adapters.wiki import WikiAdapter
from tests.logs import logged
from tests.unit.checked_calls import CheckedCalls
from tests.unit.drive_folder import plain, write_all

Files = dict[str, str | bytes | None]


class Pair(CheckedCalls):
    """A drive in `drive/` and a wiki in `wiki/`."""

    def __init__(
        self, folder: Path, files: Files | None = None, now: Any = None, *, is_shared: bool = False, **settings: Any
    ) -> None:
        self.folder = folder
        for name in ("drive", "wiki"):
            (folder / name).mkdir(exist_ok=True)
        if files:
            write_all(folder, files)
        common = {name: settings.pop(name) for name in ("account", "reading_limits", "state") if name in settings}
        root, wiki = str(folder / "drive"), str(folder / "wiki")
        clock = [now] if now else []
        super().__init__(DriveAdapter({"root": root, "wiki": wiki, **common}, *clock), is_shared=is_shared)
        self.drive = self.adapter
        self.wiki = WikiAdapter({"root": wiki, "drive": root, **common, **settings}, *clock)

    def close(self) -> None:
        self.drive.close()
        self.wiki.close()

    def adapter_of(self, tool: str) -> Any:
        return self.wiki if tool.startswith("wiki.") else self.drive

    def space(self, name: str) -> str:
        found = [space["space_id"] for space in self("wiki.space_list")["spaces"] if space["name"] == name]
        return str(found[0])

    def node(self, path: str) -> str:
        """Return the token of a node by titles: `空间/甲/乙`."""
        return str(self.seen(path)["node_token"])

    def seen(self, path: str) -> dict[str, Any]:
        space, *titles = path.split("/")
        found: dict[str, Any] = {"node_token": ""}
        for title in titles:
            nodes = self._nodes(self.space(space), found["node_token"])
            found = next(node for node in nodes if node["title"] == title)
        return found

    def titles(self, path: str) -> list[str]:
        space, *_ = path.split("/")
        parent = self.node(path) if "/" in path else ""
        return [node["title"] for node in self._nodes(self.space(space), parent)]

    def _nodes(self, space: str, parent: str) -> list[dict[str, Any]]:
        nodes: list[dict[str, Any]] = self("wiki.node_list", space_id=space, parent_node_token=parent)["nodes"]
        return nodes

    def token(self, path: str) -> str:
        token = self("drive.inspect", url=path)["token"]
        assert token != path, f"nothing at {path}"
        return str(token)

    def found(self, query: str, **arguments: Any) -> list[str]:
        answer = self("drive.search", query=query, page_size=20, **arguments)
        assert not answer["has_more"]
        return [f"{hit['entity_type']} {plain(hit['title_highlighted'])}" for hit in answer["results"]]

    def files(self) -> list[str]:
        """Return everything in both folders but what is their own."""
        own = (".drive", ".wiki")
        found = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        return sorted(str(path) for path in found if not any(part in own for part in path.parts))

    def log(self) -> list[str]:
        return [line["operation"] for line in logged(self.folder / "wiki" / ".wiki" / "log.jsonl")]


def card(**fields: str) -> str:
    return "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items())


def node(folder: str, title: str, text: str | None = "", **fields: str) -> Files:
    """Return the files of one node; its document is `正文.md`, None for a node without a file."""
    if text is None:
        return {f"{folder}/node.yaml": card(title=title, **fields)}
    return {f"{folder}/node.yaml": card(title=title, body="正文.md", **fields), f"{folder}/正文.md": text}


FILES: Files = {
    "drive/资料/方案.md": "数据治理方案",
    "drive/资料/清单.csv": "名称,数量\n数据,3\n",
    "drive/归档": None,
    "wiki/平台/space.yaml": card(name="平台", description="数据平台"),
    **node("wiki/平台/规范", "规范", "数据治理规范"),
    **node("wiki/平台/规范/命名", "命名", "命名规则"),
    **node("wiki/平台/规范/命名/细则", "细则", "细则正文"),
    **node("wiki/平台/日志", "日志", "每日记录"),
    "wiki/财务/space.yaml": card(name="财务"),
    **node("wiki/财务/预算", "预算", "预算说明"),
    "wiki/我的/space.yaml": card(name="我的文档库", space_type="my_library"),
    **node("wiki/我的/草稿", "草稿", "数据治理草稿"),
}


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    """Return a drive and a wiki of this test alone."""
    return Pair(tmp_path, FILES)
