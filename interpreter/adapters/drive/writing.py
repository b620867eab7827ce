"""The writing tools: move, create_folder, delete. Each is one rename, recorded by `renames.py`.

A new folder is made under `.drive/staging/` first and then renamed too, so that its inode is known before it appears;
what is deleted goes to `.drive/trash/`.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any
from unicodedata import category

from interpreter.adapters.drive.core import Drive, Place
from interpreter.adapters.drive.kinds import FOLDER, PREFIXES, SHORTCUT, UNSUPPORTED, address
from interpreter.adapters.drive.own_folder import STAGING, TRASH
from interpreter.adapters.drive.registry import Intention
from interpreter.adapters.drive.renames import Operation, changed, intended, recorded, remove_empty, write
from interpreter.adapters.drive.renames import settle as settle_all
from interpreter.adapters.drive.rights import DENIED, Answer
from interpreter.adapters.drive.tasks import AT_ONCE, Course, begun, course_of
from interpreter.adapters.folders.failures import denied, failure, invalid, not_found, unsupported
from interpreter.adapters.folders.paths import OWN_FOLDER, Entry, Tree, is_text, is_within, joined, shown

_LONGEST_NAME = 255
#: Categories of Unicode: control characters and breaks of lines; with blanks and marks of format what is not seen.
_CONTROLS = ("Cc", "Zl", "Zp")
_UNSEEN = (*_CONTROLS, "Zs", "Cf")
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


#: A tool that writes. Shapes: the last argument is the key of the call, '' where it has none.
Writing = Callable[[Drive, Mapping[str, Any], str], dict[str, Any]]


def operations(drive: Drive) -> dict[str, Operation]:
    tree = drive.tree

    def empty_bin(intention: Intention) -> None:
        remove_empty(tree, intention.target.rpartition("/")[0])

    stays = Operation(tree, tree)
    return {"move": stays, "create_folder": stays, "delete": Operation(tree, tree, stays=False, dropped=empty_bin)}


def settle(drive: Drive) -> None:
    """Finish or drop what a killed process left behind; called under the lock."""
    settle_all(drive, operations(drive))


# --- the tools ---------------------------------------------------------------------------------------------


def _once(work: Writing) -> Writing:
    """Let a write be made under the lock, behind what a kill left, and only where its key has no answer yet."""

    @wraps(work)
    def made(drive: Drive, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
        with drive.lock:
            settle(drive)
            known = recorded(drive, arguments, key)
            return known if known is not None else work(drive, arguments, key)

    return made


@_once
def move(drive: Drive, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Move a document or a folder into another folder; a folder may be a task that takes its time."""
    place = _movable(drive, arguments)
    _compare_with_plan(drive, place, arguments)
    target = drive.get_folder(arguments["folder_token"])
    if is_within(target.entry.path, place.entry.path):
        raise failure(
            "into_itself",
            f"不能把文件夹 {place.name} 移动到它自己里面",
            f"the folder {place.name} cannot be moved into itself",
        )
    identifier = secrets.token_hex(10)
    answer: dict[str, Any] = {
        "file_token": place.token,
        "folder_token": target.token,
        "type": place.kind,
        "ready": True,
    }
    if place.kind == FOLDER:
        answer |= {"status": "success", "task_id": identifier}
    if place.entry.parent == target.entry.path:
        answer.pop("task_id", None)
        return answer  # it is there already: nothing to rename
    _check_rights(drive, place)
    checked(drive.rights().writable(target.entry, target.token), target.name or "/")
    goal = joined(target.entry.path, place.entry.name)
    check_free(drive.tree, goal)
    course = course_of(drive.course, place.token, place.name) if place.kind == FOLDER else Course(AT_ONCE)
    if course.kind != AT_ONCE:
        answer |= begun(drive.registry, identifier, "task_check", course, {})
        answer["timed_out"] = not answer["ready"]
        for unknown in ("scenario", "status_msg"):
            answer.pop(unknown)
    if not course.moves:
        return answer
    intention = intended(identifier, "move", arguments, key, place.token, place.entry, goal, answer)
    write(drive, operations(drive)["move"], intention, place.entry, target.entry)
    return answer


@_once
def create_folder(drive: Drive, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Make a folder; it appears under its name at once, and empty."""
    parent = drive.get_folder(arguments["folder_token"])
    name = good_name(arguments["name"])
    goal = joined(parent.entry.path, name)
    checked(drive.rights().writable(parent.entry, parent.token), parent.name or "/")
    check_free(drive.tree, goal)
    identifier = secrets.token_hex(10)
    token = drive.registry.new_token(goal, PREFIXES[FOLDER])
    answer = {
        "created": True,
        "name": name,
        "folder_token": token,
        "parent_folder_token": parent.token,
        "url": address(FOLDER, token),
    }
    if arguments.get("request_id"):
        answer["request_id"] = arguments["request_id"]
    staged = _stage_folder(drive, identifier)
    intention = intended(identifier, "create_folder", arguments, key, token, staged, goal, answer)
    write(drive, operations(drive)["create_folder"], intention, staged, parent.entry)
    return answer


@_once
def delete(drive: Drive, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Move a document, or a folder with nothing in it, to the bin."""
    place = _source(drive, arguments)
    _check_rights(drive, place)
    if place.kind == FOLDER and drive.tree.children(place.entry.path):
        raise failure(
            "folder_not_empty",
            f"文件夹 {place.name} 不是空的，不会删除；请先移出其中的内容",
            f"the folder {place.name} is not empty and is not deleted; move out what is in it first",
        )
    identifier = secrets.token_hex(10)
    bin_path = f"{OWN_FOLDER}/{TRASH}/{identifier}"
    with drive.tree.open_folder(f"{OWN_FOLDER}/{TRASH}") as trash:
        os.mkdir(identifier, 0o700, dir_fd=trash)
    goal = joined(bin_path, place.entry.name)
    answer = {"deleted": True}
    intention = intended(identifier, "delete", arguments, key, place.token, place.entry, goal, answer)
    bin_entry = drive.tree.entry(bin_path)
    assert bin_entry is not None
    write(drive, operations(drive)["delete"], intention, place.entry, bin_entry)
    return answer


# --- looking again before the write ------------------------------------------------------------------------


def _source(drive: Drive, arguments: Mapping[str, Any]) -> Place:
    token = arguments["file_token"]
    if token == "":
        raise invalid("根文件夹不能移动或删除", "the root folder can be neither moved nor deleted")
    place = drive.get(token)
    if place.kind == UNSUPPORTED:
        raise unsupported(f"不支持 {place.name} 这种项", f"things like {place.name} are not supported")
    if arguments["type"] != place.kind:
        raise invalid(
            f"{place.name} 的类型是 {place.kind}，不是 {arguments['type']}",
            f"{place.name} is of type {place.kind}, not {arguments['type']}",
        )
    return place


def _movable(drive: Drive, arguments: Mapping[str, Any]) -> Place:
    place = _source(drive, arguments)
    if place.kind == SHORTCUT:
        raise unsupported(f"不移动快捷方式 {place.name}", f"shortcuts are not moved: {place.name}")
    return place


def _compare_with_plan(drive: Drive, place: Place, arguments: Mapping[str, Any]) -> None:
    """Errors: ToolFailure `changed_since_plan` when parent or name is not what the plan was made from."""
    now = {"name": place.name, "parent": drive.parent_token(place.entry)}
    for what, value in now.items():
        expected = arguments.get(f"expected_{what}")
        if expected is not None and expected != value:
            raise changed(place.name, what=what, expected=expected, found=value)


def _check_rights(drive: Drive, place: Place) -> None:
    rights = drive.rights()
    checked(rights.source(place.entry, place.token), place.name)
    checked(rights.source_parent(place.entry, place.token), place.name)


def checked(answer: Answer, name: str) -> None:
    """Leave to the system what is unknown; refuse what is denied, whoever runs the process."""
    if answer.state == DENIED:
        raise denied(
            f"当前账号没有移动或写入 {name} 的权限（{answer.basis}）",
            f"this account may not move or write {name} ({answer.basis})",
        )


def check_free(tree: Tree, goal: str) -> None:
    if tree.entry(goal) is not None:
        name = shown(goal.rpartition("/")[2])
        raise failure(
            "name_in_use",
            f"目标位置已有名为 {name} 的项，不会覆盖；请改名或另选目标",
            f"the name {name} is taken there and is not replaced; rename one or choose another target",
        )


def good_name(name: str) -> str:
    if not is_good_name(name):
        raise invalid(
            f"不能用这个名称创建文件夹：{visible(name)}；名称不能只有空白，不能含 / 或控制字符，"
            f"不能是 {OWN_FOLDER}，最长 {_LONGEST_NAME} 字节",
            f"no folder can have the name {visible(name)}; a name is not blank, has no / and no control characters, "
            f"is not {OWN_FOLDER}, and has at most {_LONGEST_NAME} bytes",
        )
    return name


def is_good_name(name: str) -> bool:
    is_plain = is_text(name) and name.casefold() not in (".", "..", OWN_FOLDER) and is_readable(name)
    return is_plain and len(os.fsencode(name)) <= _LONGEST_NAME


def is_readable(name: str) -> bool:
    """Return whether a name shows something, and nothing in it hides or turns what stands beside it."""
    has_controls = any(category(one) in _CONTROLS or one in _TURNING or one == "/" for one in name)
    return not has_controls and any(category(one) not in _UNSEEN for one in name)


def visible(name: str) -> str:
    return "".join(f"\\u{ord(one):04x}" if category(one) in _UNSEEN and one != " " else one for one in shown(name))


def _stage_folder(drive: Drive, identifier: str) -> Entry:
    with drive.tree.open_folder(f"{OWN_FOLDER}/{STAGING}") as staging:
        os.mkdir(identifier, dir_fd=staging)
    staged = drive.tree.entry(f"{OWN_FOLDER}/{STAGING}/{identifier}")
    if staged is None:
        raise not_found(identifier)
    return staged
