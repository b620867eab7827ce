"""The reading tools of `drive.yaml` but the search: inspect, metas, permission_auth, files_list, preview,
task_result.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from interpreter.adapters.drive.bodies import decoded, is_probably_text
from interpreter.adapters.drive.core import Drive, PageToken, Place
from interpreter.adapters.drive.kinds import DOCUMENT, FILE, SHEET, SHORTCUT, SLIDES, UNSUPPORTED, extension
from interpreter.adapters.drive.rights import CONFIRMED, DENIED
from interpreter.adapters.drive.tasks import looked_at
from interpreter.adapters.folders.failures import denied, failure, invalid, not_found, unsupported
from interpreter.adapters.folders.paths import Entry, Tree
from interpreter.adapters.office.reader import is_office

_PREVIEW_BYTES = 64 << 10
_LIST_PAGE = 200
#: What the service answers for one item inside a good answer.
_NOT_SUPPORTED, _NO_PERMISSION, _NOT_FOUND = 970002, 970003, 970005
_ABOUT_READING = ("view", "comment", "export", "copy", "print")
_ABOUT_OWNING = ("share", "manage_public")


def inspect(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return type, title and token; a missing or hidden thing has an empty title, as the service answers
    it.
    """
    asked = arguments["url"]
    kind = arguments.get("type")
    place = drive.addressed(asked)
    if place is not None and not drive.rights().visible(place.entry):
        place = None
    if place is None:
        return {"input_url": asked, "type": kind or FILE, "title": "", "token": asked, "url": ""}
    if place.kind == UNSUPPORTED:
        raise unsupported(f"不支持 {place.name} 这种项", f"things like {place.name} are not supported")
    if kind is not None and kind != place.kind:
        raise invalid(f"{place.name} 的类型是 {place.kind}", f"{place.name} is of type {place.kind}")
    return {
        "input_url": asked,
        "type": place.kind,
        "title": place.name if place.entry.path else os.path.basename(drive.tree.root) or "/",
        "token": place.token,
        "url": place.address,
    }


def metas(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    rights = drive.rights()
    for wanted in arguments["request_docs"]:
        token = wanted.get("doc_token", "")
        place = drive.find(token) if token else None
        kind = wanted.get("doc_type")
        if place is None or (kind is not None and kind != place.kind):
            failed.append({"token": token, "code": _NOT_FOUND})
        elif place.kind in (UNSUPPORTED, SHORTCUT):
            failed.append({"token": token, "code": _NOT_SUPPORTED})
        elif rights.readable(place.entry, token).state == DENIED:
            failed.append({"token": token, "code": _NO_PERMISSION})
        else:
            found.append(_meta(place, rights.owner(place.entry, token), bool(arguments.get("with_url"))))
    return {"metas": found, "failed_list": failed}


def _meta(place: Place, owner: str, with_url: bool) -> dict[str, Any]:
    meta = {
        "doc_token": place.token,
        "doc_type": place.kind,
        "title": place.name,
        "owner_id": owner,
        "latest_modify_time": instant(place.entry.modified),
    }
    if place.item is not None:
        meta["create_time"] = instant(place.item.created)
    if with_url:
        meta["url"] = place.address
    return meta


def permission_auth(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    place = drive.get(arguments["token"])
    rights = drive.rights()
    action = arguments["action"]
    if action in _ABOUT_READING:
        allowed = rights.readable(place.entry, place.token).state == CONFIRMED
    elif action in _ABOUT_OWNING:
        allowed = rights.is_mine(place.entry, place.token)
    else:
        allowed = rights.editable(place.entry, place.token).state == CONFIRMED
    return {"auth_result": allowed}


def files_list(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands directly in a folder, by name; a page goes on after the last name of the one
    before.
    """
    folder = drive.get_folder(arguments["folder_token"])
    rights = drive.rights()
    if rights.readable(folder.entry, folder.token).state == DENIED:
        raise denied(f"当前账号不能读取文件夹 {folder.name}", f"this account may not read the folder {folder.name}")
    request = "files_list\n" + folder.token
    after = _page_start(request, arguments.get("page_token"))
    entries = sorted(drive.tree.children(folder.entry.path), key=lambda entry: os.fsencode(entry.name))
    left = [entry for entry in entries if os.fsencode(entry.name) > after]
    size = int(arguments.get("page_size") or _LIST_PAGE)
    made_by = drive.registry.requests()
    files = []
    for entry in left[:size]:
        place = drive.at(entry.path)
        if place is not None:  # else gone since it was listed
            files.append(_listed(place, folder.token, rights.owner(place.entry, place.token), made_by))
    more = len(left) > size
    answer: dict[str, Any] = {"files": files, "has_more": more}
    if more:
        answer["next_page_token"] = PageToken.make(request, os.fsencode(left[size - 1].name).hex())
    return answer


def _page_start(request: str, token: str | None) -> bytes:
    return bytes.fromhex(PageToken.read(request, token)) if token else b""


def _listed(place: Place, parent: str, owner: str, made_by: Mapping[str, str]) -> dict[str, Any]:
    listed = {
        "token": place.token,
        "name": place.name,
        "type": place.kind,
        "url": place.address,
        "owner_id": owner,
        "parent_token": parent,
        "modified_time": instant(place.entry.modified),
    }
    if place.token in made_by:
        listed["request_id"] = made_by[place.token]
    return listed


def preview(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the beginning of a file that holds text; for other files there is no preview and no text."""
    place = drive.get(arguments["file_token"])
    if place.kind not in (FILE, DOCUMENT, SHEET, SLIDES):
        raise unsupported(f"{place.name} 没有可预览的内容", f"{place.name} has nothing to preview")
    if drive.rights().readable(place.entry, place.token).state == DENIED:
        raise denied(f"当前账号不能读取 {place.name}", f"this account may not read {place.name}")
    return previewed(drive, drive.tree, place.entry, place.name)


def previewed(drive: Drive, tree: Tree, entry: Entry, name: str) -> dict[str, Any]:
    """Errors: ToolFailure where an office file or PDF cannot be read, or is too large."""
    ending = extension(entry.name)
    if is_office(ending):
        content, is_whole = tree.read(entry.path, drive.limits.document)
        if not is_whole:
            raise failure("too_large", f"{name} 太大，不能预览", f"{name} is too large for a preview")
        text, _ = drive.readers.text(ending, content, _PREVIEW_BYTES)
    else:
        content, _ = tree.read(entry.path, _PREVIEW_BYTES)
        text = decoded(content) if is_probably_text(content) else ""
    return {"previews": [{"type": "text", "name": name}], "text": text} if text else {"previews": []}


def task_result(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a task is going; one that was done at once has ended before its id was given."""
    task_id = arguments["task_id"]
    slow = looked_at(drive.registry, task_id)
    if slow is not None:
        return slow
    if not drive.registry.task(task_id):
        raise not_found(task_id)
    return {
        "scenario": arguments["scenario"],
        "task_id": task_id,
        "ready": True,
        "failed": False,
        "status": "success",
    }


def instant(nanoseconds: int) -> str:
    """Return a time of the file system as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).isoformat().replace("+00:00", "Z")


def canonical(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
