"""The tools of `files`, one call at a time.

A new file is written beside the others where nobody looks, brought to the disk, and gets its name in one step that
never replaces; a killed process leaves a file whole or not at all. A call that is made again finds what it has made.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from interpreter.adapters.folders.failures import failure, from_system, invalid, unsupported
from interpreter.adapters.folders.paths import Entry, Folder, Tree, is_text, rename_new, shown
from interpreter.ports import ToolFailure

OWN = ".files"
MOST_LISTED = 10_000
#: Units: bytes. More of one file is not read.
READ_LIMIT = 4_000_000
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
Answer = dict[str, Any]


class FilesAdapter:
    """A folder and what may be done in it.

    Shapes: the setting `root` is the folder, which must be there. Arguments were checked against the contract before;
    a path is relative to the root, its parts joined by `/`.
    Errors: ToolFailure with a code of the contract; also where the folder is none when the adapter is made.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._root = str(settings.get("root") or "")
        self._tree = Tree(self._root or os.devnull, OWN)
        if self._root:
            self._look_at_root()

    def invoke(self, tool: str, arguments: Mapping[str, Any], identity: str = "") -> Answer:
        """Answer one call; `identity` is the key under which a write is known."""
        self._look_at_root()
        try:
            return _TOOLS[tool](self._tree, arguments, identity)
        except OSError as error:
            raise from_system(error) from None

    def _look_at_root(self) -> None:
        if not self._root:
            raise failure("unavailable", "没有设置文件夹（root）", "no folder is set (root)")
        if not os.path.isdir(self._tree.root):
            name = shown(self._tree.root)
            raise failure(
                "unavailable", f"文件夹 {name} 不存在或不是文件夹", f"the folder {name} is not there or is no folder"
            )

    def resolved_identity(self) -> str:
        """Return the absolute root folder: two runs with the same text work in the same one."""
        return f"files {self._tree.root}"


# --- reading ----------------------------------------------------------------------------------------------------------


def _list(tree: Tree, arguments: Mapping[str, Any], _identity: str) -> Answer:
    path = _checked(arguments["folder"]) if arguments.get("folder") else ""
    inside = tree.children(path)  # fails where there is no such folder
    if arguments.get("below"):
        inside = [one for one in tree.walk() if not path or one.path.startswith(path + "/")]
    shown = [one for one in inside if (one.is_file or one.is_folder) and is_text(one.path)]
    listed = sorted(shown, key=lambda one: one.path)[:MOST_LISTED]
    return {
        "files": [_about(one) for one in listed],
        "left_out": len(inside) - len(listed),
    }


def _about(entry: Entry) -> Answer:
    changed = datetime.fromtimestamp(entry.modified // 10**9, UTC).isoformat().replace("+00:00", "Z")
    return {
        "path": entry.path,
        "name": entry.name,
        "is_folder": entry.is_folder,
        "size": 0 if entry.is_folder else entry.size,
        "changed": changed,
    }


def _read(tree: Tree, arguments: Mapping[str, Any], _identity: str) -> Answer:
    entry = _file(tree, arguments["path"])
    content, is_whole = tree.read(entry.path, READ_LIMIT)
    try:
        text = content.decode("utf-8-sig") if is_whole else content.decode("utf-8-sig", "ignore")
    except UnicodeDecodeError:
        raise unsupported(f"{entry.path} 不是 UTF-8 文本", f"{entry.path} is no text in UTF-8") from None
    return {"path": entry.path, "text": text, "is_whole": is_whole, "size": entry.size, "sha256": _digest(content)}


def _look(tree: Tree, arguments: Mapping[str, Any], _identity: str) -> Answer:
    """Say what stands at a path, for whoever has to know what became of a write."""
    path = _checked(arguments["path"])
    entry = tree.entry(path)
    if entry is None or not entry.is_file:
        return {"path": path, "exists": entry is not None}
    content, _ = tree.read(path, READ_LIMIT)
    return {"path": path, "exists": True, "size": entry.size, "sha256": _digest(content)}


# --- writing ----------------------------------------------------------------------------------------------------------


def _write(tree: Tree, arguments: Mapping[str, Any], identity: str) -> Answer:
    path, content = _checked(arguments["path"]), arguments["text"].encode("utf-8")
    parent, _, name = path.rpartition("/")
    answer = {"path": path, "size": len(content), "sha256": _digest(content)}
    own = _digest((identity or os.urandom(16).hex()).encode())
    with _made(tree, f"{OWN}/new") as staging, _made(tree, parent) as folder:
        _put(staging, own, content)
        try:
            rename_new(staging, own, folder, name)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(own, dir_fd=staging)
            if error.errno == errno.EEXIST and _look(tree, {"path": path}, "").get("sha256") == answer["sha256"]:
                return {**answer, "already": True}
            if error.errno == errno.EEXIST:
                raise _in_use("已有同名文件", "there is a file of that name", path) from None
            raise
        _keep(folder)
    return {**answer, "already": False}


def _discard(tree: Tree, arguments: Mapping[str, Any], identity: str) -> Answer:
    path = _checked(arguments["path"])
    parent, _, name = path.rpartition("/")
    place = f"{OWN}/trash/{_digest((identity or os.urandom(16).hex()).encode())[:16]}"
    if identity and tree.entry(f"{place}/{name}") is not None:
        return {"path": path, "discarded": True, "trash": f"{place}/{name}"}
    found = _look(tree, {"path": _file(tree, path).path}, "")
    expected = arguments.get("sha256", found["sha256"])
    if expected != found["sha256"]:
        raise failure(
            "changed_since_plan",
            f"{path} 的内容在计划之后改变了，没有移动",
            f"the content of {path} has changed since the plan; it was not moved",
        )
    with _made(tree, place) as trash, tree.open_folder(parent) as folder:
        rename_new(folder, name, trash, name)
        _keep(trash)
        _keep(folder)
    return {"path": path, "discarded": True, "trash": f"{place}/{name}"}


def _in_use(zh: str, en: str, path: str) -> ToolFailure:
    return failure("name_in_use", f"{zh}：{path}", f"{en}: {path}")


def _put(folder: int, name: str, content: bytes) -> None:
    with open(os.open(name, _NEW, 0o666, dir_fd=folder), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _keep(folder: int) -> None:
    """Bring a new name to the disk; where that fails nobody knows whether it stays."""
    try:
        os.fsync(folder)
    except OSError as error:
        why = error.strerror or str(error)
        raise failure("not_kept", f"磁盘没有确认写入：{why}", f"the disk did not confirm the write: {why}") from None


def _made(tree: Tree, path: str) -> Folder:
    """Open a folder below the root, made where it is missing; no link is followed."""
    at = ""
    for part in path.split("/") if path else ():
        with tree.open_folder(at) as folder, contextlib.suppress(FileExistsError):
            os.mkdir(part, 0o700 if path.startswith(OWN) else 0o777, dir_fd=folder)
        at = f"{at}/{part}" if at else part
    return tree.open_folder(path)


# --- paths ------------------------------------------------------------------------------------------------------------


def _checked(path: str) -> str:
    """Return a path that stays below the root and outside of what is the folder's own."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts) or parts[0] == OWN or not is_text(path):
        raise invalid(
            f"“{path}”不是这个文件夹里的路径；写成 子文件夹/名称",
            f"“{path}” is no path in the folder; write folder/name",
        )
    return path


def _file(tree: Tree, path: str) -> Entry:
    entry = tree.entry(_checked(path))
    if entry is None:
        raise failure("not_found", f"找不到：{path}", f"there is no file {path}")
    if not entry.is_file:
        raise unsupported(f"{path} 不是普通文件", f"{path} is no plain file")
    return entry


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


_TOOLS: dict[str, Callable[[Tree, Mapping[str, Any], str], Answer]] = {
    "files.list": _list,
    "files.read": _read,
    "files.look": _look,
    "files.write": _write,
    "files.discard": _discard,
}
TOOLS = tuple(_TOOLS)
