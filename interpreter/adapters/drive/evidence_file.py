"""The two files that people may write under `.drive/` or `.wiki/`: `evidence.yaml` and `comments.yaml`.

Both are keyed by a token or by a path from the root. In the evidence a path that ends in `/**` speaks for
everything below a folder; the longest such path wins over shorter ones, an exact path over those, a token
over all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.adapters.drive.own_folder import COMMENTS, EVIDENCE
from interpreter.adapters.folders.failures import failure
from interpreter.adapters.folders.paths import Tree
from interpreter.ports import ToolFailure

#: `move_in` and `move_out` speak of moves between drive and wiki.
FIELDS = ("owner", "readable", "write", "source", "source_parent", "move_in", "move_out")
STATES = ("confirmed", "denied", "unknown")
_LARGEST = 4 << 20
_BELOW = "/**"


class OwnFile:
    """One YAML file under `.drive/`, read again when it has changed; a missing one is empty."""

    def __init__(self, tree: Tree, name: str) -> None:
        self._tree = tree
        self._path = f"{tree.own}/{name}"
        self._stamp: tuple[int, int, int] | None = None
        self.content: dict[str, Any] = {}

    def look(self) -> None:
        """Read the file again if it has changed; called once before each call of a tool.

        Errors: ToolFailure `unavailable` for a file that is no mapping or no YAML: rights are not guessed.
        """
        entry = self._tree.entry(self._path)
        stamp = (entry.inode, entry.size, entry.modified) if entry is not None else None
        if stamp != self._stamp:
            self.content = self._read() if entry is not None else {}
            self._stamp = stamp

    def _read(self) -> dict[str, Any]:
        return read_mapping(self._tree, self._path)


def read_mapping(tree: Tree, path: str) -> dict[str, Any]:
    """Return what a YAML file of the tree holds.

    Errors: ToolFailure `unavailable` for a file that is no mapping or no YAML; OSError.
    """
    from interpreter.diagnostics import errors_of
    from interpreter.source import Source
    from interpreter.yaml_tree import read_tree, to_value

    content, complete = tree.read(path, _LARGEST)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _unreadable(path, "", "") from None
    if all(line.strip() == "" or line.lstrip().startswith("#") for line in text.splitlines()):
        return {}
    node, diagnostics = read_tree(Source(path, text))
    for diagnostic in errors_of(diagnostics):
        line = diagnostic.span.source.position(diagnostic.span.start).line if diagnostic.span else 1
        raise _unreadable(path, f"第 {line} 行：{diagnostic.message.zh}", f"line {line}: {diagnostic.message.en}")
    value = to_value(node) if node is not None else None
    if not isinstance(value, dict) or not complete:
        raise _unreadable(path, "", "")
    return value


def _unreadable(path: str, zh: str, en: str) -> ToolFailure:
    return failure(
        "unavailable",
        f"{path} 不是可用的 YAML 映射，请修正后重试。{zh}",
        f"{path} is no usable YAML mapping; mend it and try again. {en}".rstrip(),
    )


class Evidence:
    """What somebody states about owners and rights; it wins over what the file system says."""

    def __init__(self, tree: Tree) -> None:
        self.file = OwnFile(tree, EVIDENCE)

    def stated(self, token: str, path: str) -> dict[str, str]:
        """Return the fields stated for a thing; a state that is none of the three words counts as unknown."""
        content = self.file.content
        result: dict[str, str] = {}
        if not content:
            return result
        for key in sorted((key for key in content if _covers(key, path)), key=len):
            result.update(_fields(content[key]))
        for key in (path, "/" + path, token):
            result.update(_fields(content.get(key)))
        return result


def _covers(key: str, path: str) -> bool:
    return key.endswith(_BELOW) and path.startswith(key.strip("/")[: 1 - len(_BELOW)])


def _fields(stated: object) -> dict[str, str]:
    if not isinstance(stated, Mapping):
        return {}
    result = {}
    for field in FIELDS:
        if field in stated:
            value = str(stated[field])
            result[field] = value if field == "owner" or value in STATES else "unknown"
    return result


class Comments:
    """The comments of each thing, as one text."""

    def __init__(self, tree: Tree) -> None:
        self.file = OwnFile(tree, COMMENTS)

    def text(self, token: str, path: str) -> str:
        return "\n".join(str(comment.get("text", "")) for comment in self.of(token, path))

    def of(self, token: str, path: str) -> list[Mapping[str, Any]]:
        content = self.file.content
        if not content:
            return []
        for key in (token, path, "/" + path):
            stated = content.get(key)
            if isinstance(stated, list):
                return [one if isinstance(one, Mapping) else {"text": one} for one in stated]
        return []
