"""The writing tools: move, create_folder, delete. Each is one rename, recorded so that a killed process
loses nothing.

Order of a write, under the drive's lock: look again at source, parent, name and target; record the
intention (on the disk before anything happens); rename, which never replaces; add one line to
`.drive/log.jsonl`; record the answer under the call's key. A new folder is made under `.drive/staging/`
first and then renamed too, so that its inode is known before it appears. Whoever comes next settles an
intention that was left behind: the inode says whether the rename was made. The log therefore has exactly
one line for each rename that really happened.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from unicodedata import category

from interpreter.adapters.drive.core import Drive, Place
from interpreter.adapters.drive.failures import denied, failure, from_system, invalid, not_found, unsupported
from interpreter.adapters.drive.kinds import FOLDER, PREFIXES, SHORTCUT, UNSUPPORTED, address
from interpreter.adapters.drive.listing import canonical
from interpreter.adapters.drive.own_folder import STAGING, TRASH
from interpreter.adapters.drive.paths import OWN_FOLDER, Entry, is_text, is_within, joined, rename_new, shown
from interpreter.adapters.drive.registry import Intention
from interpreter.adapters.drive.rights import DENIED, Answer
from interpreter.ports import ToolFailure

_LONGEST_NAME = 255
#: Categories of Unicode: control characters and breaks of lines; with blanks and marks of format what is not seen.
_CONTROLS = ("Cc", "Zl", "Zp")
_UNSEEN = (*_CONTROLS, "Zs", "Cf")
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
#: The line of an unsettled write is the last one of the log; this much of its end is read to find it.
_TAIL = 64 << 10


# --- the tools ---------------------------------------------------------------------------------------------


def move(drive: Drive, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    with drive.lock:
        settle(drive)
        recorded = _recorded(drive, arguments, key)
        if recorded is not None:
            return recorded
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
        _check(drive.rights().writable(target.entry, target.token), target.name or "/")
        goal = joined(target.entry.path, place.entry.name)
        _check_free(drive, goal)
        intention = _intention(drive, identifier, "move", arguments, key, place.token, place.entry, goal, answer)
        _write(drive, intention, place.entry, target.entry)
        return answer


def create_folder(drive: Drive, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    with drive.lock:
        settle(drive)
        recorded = _recorded(drive, arguments, key)
        if recorded is not None:
            return recorded
        parent = drive.get_folder(arguments["folder_token"])
        name = _good_name(arguments["name"])
        goal = joined(parent.entry.path, name)
        _check(drive.rights().writable(parent.entry, parent.token), parent.name or "/")
        _check_free(drive, goal)
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
        intention = _intention(drive, identifier, "create_folder", arguments, key, token, staged, goal, answer)
        _write(drive, intention, staged, parent.entry)
        return answer


def delete(drive: Drive, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    with drive.lock:
        settle(drive)
        recorded = _recorded(drive, arguments, key)
        if recorded is not None:
            return recorded
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
        intention = _intention(drive, identifier, "delete", arguments, key, place.token, place.entry, goal, answer)
        bin_entry = drive.tree.entry(bin_path)
        assert bin_entry is not None
        _write(drive, intention, place.entry, bin_entry)
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
            raise _changed(place.name, what=what, expected=expected, found=value)


def _changed(name: str, **details: object) -> ToolFailure:
    return failure(
        "changed_since_plan",
        f"{name} 在计划之后改变了（名称、位置或内容），没有移动；请重新解析后再计划",
        f"{name} has changed since the plan (its name, place or content) and was not moved; "
        "resolve it again and plan anew",
        **details,
    )


def _check_rights(drive: Drive, place: Place) -> None:
    rights = drive.rights()
    _check(rights.source(place.entry, place.token), place.name)
    _check(rights.source_parent(place.entry, place.token), place.name)


def _check(answer: Answer, name: str) -> None:
    """Leave to the system what is unknown; refuse what is denied, whoever runs the process."""
    if answer.state == DENIED:
        raise denied(
            f"当前账号没有移动或写入 {name} 的权限（{answer.basis}）",
            f"this account may not move or write {name} ({answer.basis})",
        )


def _check_free(drive: Drive, goal: str) -> None:
    if drive.tree.entry(goal) is not None:
        name = shown(goal.rpartition("/")[2])
        raise failure(
            "name_in_use",
            f"目标位置已有名为 {name} 的项，不会覆盖；请改名或另选目标",
            f"the name {name} is taken there and is not replaced; rename one or choose another target",
        )


def _good_name(name: str) -> str:
    is_plain = is_text(name) and name.casefold() not in (".", "..", OWN_FOLDER) and _is_readable(name)
    if not is_plain or len(os.fsencode(name)) > _LONGEST_NAME:
        raise invalid(
            f"不能用这个名称创建文件夹：{_visible(name)}；名称不能只有空白，不能含 / 或控制字符，"
            f"不能是 {OWN_FOLDER}，最长 {_LONGEST_NAME} 字节",
            f"no folder can have the name {_visible(name)}; a name is not blank, has no / and no control characters, "
            f"is not {OWN_FOLDER}, and has at most {_LONGEST_NAME} bytes",
        )
    return name


def _is_readable(name: str) -> bool:
    """Return whether a name shows something, and nothing in it hides or turns what stands beside it."""
    has_controls = any(category(one) in _CONTROLS or one in _TURNING or one == "/" for one in name)
    return not has_controls and any(category(one) not in _UNSEEN for one in name)


def _visible(name: str) -> str:
    return "".join(f"\\u{ord(one):04x}" if category(one) in _UNSEEN and one != " " else one for one in shown(name))


def _stage_folder(drive: Drive, identifier: str) -> Entry:
    with drive.tree.open_folder(f"{OWN_FOLDER}/{STAGING}") as staging:
        os.mkdir(identifier, dir_fd=staging)
    staged = drive.tree.entry(f"{OWN_FOLDER}/{STAGING}/{identifier}")
    if staged is None:
        raise not_found(identifier)
    return staged


# --- recording ---------------------------------------------------------------------------------------------


def _digest(arguments: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(dict(arguments)).encode()).hexdigest()


def _recorded(drive: Drive, arguments: Mapping[str, Any], key: str) -> dict[str, Any] | None:
    """Return the answer that a call with this key was given before; it is not made twice."""
    found = drive.registry.written(key) if key else None
    if found is None:
        return None
    digest, answer = found
    if digest != _digest(arguments):
        raise invalid(
            "同一个调用键带来了不同的参数，已拒绝",
            "the same call key came with other arguments and was refused",
        )
    recorded: dict[str, Any] = answer
    return recorded


def _intention(
    drive: Drive,
    identifier: str,
    operation: str,
    arguments: Mapping[str, Any],
    key: str,
    token: str,
    source: Entry,
    goal: str,
    answer: Mapping[str, Any],
) -> Intention:
    return Intention(
        identifier,
        operation,
        key,
        _digest(arguments),
        token,
        source.path,
        goal,
        source.device,
        source.inode,
        json.dumps(answer, ensure_ascii=False),
    )


def _write(drive: Drive, intention: Intention, source: Entry, target_folder: Entry) -> None:
    """Make the rename of a recorded intention and record that it was made; the log is opened before."""
    tree = drive.tree
    target_name = intention.target.rpartition("/")[2]
    try:
        with (
            tree.open_folder(source.parent) as from_folder,
            tree.open_folder(target_folder.path) as to_folder,
            drive.own.log() as log,
        ):
            _look_again(from_folder, source)
            _look_again_at_folder(to_folder, target_folder)
            drive.registry.intend(intention)
            try:
                rename_new(from_folder, source.name, to_folder, target_name)
            except OSError:
                drive.registry.forget(intention)
                raise
            _after_rename(drive, intention, (from_folder, to_folder), log)
    except OSError as error:
        raise from_system(error) from None


def _after_rename(drive: Drive, intention: Intention, folders: tuple[int, int], log: int) -> None:
    try:
        for folder in folders:
            os.fsync(folder)
        _record(drive, intention, log, recovered=False)
    except (OSError, sqlite3.Error) as error:
        raise failure(
            "server_error",
            "已经改名，但没能写下记录；请查看目标位置后再继续",
            "the rename was made but could not be recorded; look at the target before going on",
            system=str(error),
        ) from None


def _look_again(folder: int, source: Entry) -> None:
    try:
        found = os.stat(source.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        raise _changed(shown(source.name), what="existence") from None
    if (found.st_dev, found.st_ino) != (source.device, source.inode):
        raise _changed(shown(source.name), what="inode")


def _look_again_at_folder(folder: int, expected: Entry) -> None:
    found = os.fstat(folder)
    if (found.st_dev, found.st_ino) != (expected.device, expected.inode):
        raise _changed(shown(expected.name), what="target")


def _record(drive: Drive, intention: Intention, log: int, recovered: bool) -> None:
    _add_to_log(drive, intention, log, recovered)
    entry = None
    if intention.operation != "delete":
        entry = drive.tree.entry(intention.target)
        if entry is not None and (entry.device, entry.inode) != (intention.device, intention.inode):
            entry = None
        if entry is None:  # moved on by hand meanwhile; the next look finds it
            drive.registry.forget(intention)
            return
    drive.registry.finish(intention, entry)


def _add_to_log(drive: Drive, intention: Intention, log: int, recovered: bool) -> None:
    line: dict[str, Any] = {
        "id": intention.id,
        "at": datetime.fromtimestamp(drive.now(), UTC).isoformat(timespec="milliseconds"),
        "operation": intention.operation,
        "token": intention.token,
        "from": shown(intention.source),
        "to": shown(intention.target),
        "key": intention.key,
    }
    if recovered:
        line["recovered"] = True
    body = json.dumps(line, ensure_ascii=False).encode() + b"\n"
    # A power cut may have left half a line: it stays, alone on its line.
    size = os.fstat(log).st_size
    if size and os.pread(log, 1, size - 1) != b"\n":
        body = b"\n" + body
    os.write(log, body)
    os.fsync(log)


# --- settling what a killed process left behind ------------------------------------------------------------


def settle(drive: Drive) -> None:
    """Finish or drop every intention that has no record; called under the lock."""
    for intention in drive.registry.intentions():
        with drive.own.log() as log:
            _settle_one(drive, intention, log)
    for left in drive.tree.children(f"{OWN_FOLDER}/{STAGING}"):
        _remove_empty(drive, left.path)


def _settle_one(drive: Drive, intention: Intention, log: int) -> None:
    at_source = _is_there(drive, intention.source, intention)
    if _is_in_log(log, intention):
        _finish(drive, intention)
    elif _is_there(drive, intention.target, intention):
        if at_source:
            _drop_second_name(drive, intention.source)
        _record(drive, intention, log, recovered=True)
    else:
        drive.registry.forget(intention)
        if intention.operation == "delete":
            _remove_empty(drive, intention.target.rpartition("/")[0])


def _finish(drive: Drive, intention: Intention) -> None:
    entry = None if intention.operation == "delete" else drive.tree.entry(intention.target)
    if entry is None and intention.operation != "delete":
        drive.registry.forget(intention)
    else:
        drive.registry.finish(intention, entry)


def _is_there(drive: Drive, path: str, intention: Intention) -> bool:
    entry = drive.tree.entry(path)
    return entry is not None and (entry.device, entry.inode) == (intention.device, intention.inode)


def _is_in_log(log: int, intention: Intention) -> bool:
    size = os.fstat(log).st_size
    return f'"{intention.id}"'.encode() in os.pread(log, _TAIL, max(0, size - _TAIL))


def _drop_second_name(drive: Drive, path: str) -> None:
    """A rename in two steps was cut after the first: the new name is there, the old one still is too."""
    folder, _, name = path.rpartition("/")
    with drive.tree.open_folder(folder) as descriptor:
        os.unlink(name, dir_fd=descriptor)


def _remove_empty(drive: Drive, path: str) -> None:
    folder, _, name = path.rpartition("/")
    with drive.tree.open_folder(folder) as descriptor, contextlib.suppress(OSError):
        os.rmdir(name, dir_fd=descriptor)
