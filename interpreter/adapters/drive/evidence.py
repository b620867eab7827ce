"""The tools of `evidence.yaml`: what this folder can prove; everything else is answered as unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.adapters.drive.core import Drive, Place
from interpreter.adapters.drive.kinds import FOLDER, UNSUPPORTED
from interpreter.adapters.drive.rights import DENIED, UNKNOWN
from interpreter.adapters.folders.paths import shown

#: How a document may leave its place: within the drive, or into a wiki.
_MOVE, _MOVE_IN, _TARGETS = "drive_move", "wiki_move_docs_to_wiki", ("drive_folder", "new_drive_folder")


def whoami(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"open_id": drive.account.name, "name": drive.account.name}


def location(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    place = _known(drive, arguments["token"]) if arguments["source_kind"] == "drive" else None
    return {"parent_kind": UNKNOWN} if place is None else _location(drive, place)


def _location(drive: Drive, place: Place) -> dict[str, Any]:
    if not place.entry.path:
        return {"parent_kind": UNKNOWN, "path": "/"}
    parent = drive.at(place.entry.parent)
    if parent is None:
        return {"parent_kind": UNKNOWN}
    return {
        "parent_kind": "drive_folder" if parent.entry.path else "drive_root",
        "parent_token": parent.token,
        "path": "/" + shown(place.entry.path),
    }


def item_state(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a token means at this moment, read just before a write."""
    place = _known(drive, arguments["token"])
    if place is None:
        return {"exists": False}
    return {"exists": True, "title": place.name, "type": place.kind, **_location(drive, place)}


def move_rights(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Say whether a document may be moved away, and out of the folder that it is in, and how that is known."""
    method = arguments["move_method"]
    place = _known(drive, arguments["token"]) if method in (_MOVE, _MOVE_IN) else None
    if place is None or place.kind == UNSUPPORTED or not place.entry.path:
        return {"source": UNKNOWN, "source_parent": UNKNOWN, "basis": "nothing known"}
    rights = drive.rights()
    if method == _MOVE_IN:
        source = rights.move_in(place.entry, place.token)
        return {"source": source.state, "source_parent": UNKNOWN, "basis": f"source: {source.basis}"}
    source = rights.source(place.entry, place.token)
    parent = rights.source_parent(place.entry, place.token)
    basis = f"source: {source.basis}; parent: {parent.basis}"
    return {"source": source.state, "source_parent": parent.state, "basis": basis}


def target_rights(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    if arguments["target_type"] not in _TARGETS:
        return {"write": UNKNOWN, "basis": "nothing known"}
    place = _known(drive, arguments.get("token", ""))
    if place is None or place.kind != FOLDER:
        return {"write": UNKNOWN, "basis": "no such folder"}
    write = drive.rights().writable(place.entry, place.token)
    return {"write": write.state, "basis": write.basis}


def container_is_empty(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    place = _known(drive, arguments["token"])
    if place is None or place.kind != FOLDER:
        return {"empty": UNKNOWN}
    if drive.rights().readable(place.entry, place.token).state == DENIED:
        return {"empty": UNKNOWN}
    return {"empty": "not_empty" if drive.tree.children(place.entry.path) else "empty"}


def _known(drive: Drive, token: str) -> Place | None:
    """Return the thing unless it is gone or the account may not even see it."""
    place = drive.find(token)
    return place if place is not None and drive.rights().visible(place.entry) else None
