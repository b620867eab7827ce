"""The writing tools: move (within the wiki, and in from the drive), move_to_drive, node_create, node_delete.

Each is one rename, recorded by the drive's `renames.py` in the wiki's own registry and log; what belongs to it is done
before or after, and again by whoever settles a kill:

- a node is moved with its folder, so all below it goes along;
- a document that moves in gets a node first, a folder with a card that shows nothing as long as the file is not there;
- what is left of a node when its document has moved out goes to `.wiki/trash/`;
- nodes below a node that is deleted rise to its parent before, one by one.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from functools import wraps
from os.path import splitext
from typing import Any

from interpreter.adapters.drive.core import Drive, Place
from interpreter.adapters.drive.kinds import (
    BY_EXTENSION,
    DOCUMENT,
    FOLDER,
    PREFIXES,
    SHEET,
    SHORTCUT,
    UNSUPPORTED,
    address,
    extension,
    plain_title,
)
from interpreter.adapters.drive.own_folder import STAGING, TRASH
from interpreter.adapters.drive.registry import Intention
from interpreter.adapters.drive.renames import (
    Operation,
    changed,
    expected_folder,
    intended,
    recorded,
    remove_empty,
    remove_file,
    write,
)
from interpreter.adapters.drive.renames import settle as settle_all
from interpreter.adapters.drive.tasks import APPROVAL, begun, course_of
from interpreter.adapters.drive.writing import check_free, checked, is_good_name, is_readable
from interpreter.adapters.folders.failures import failure, invalid, unsupported
from interpreter.adapters.folders.paths import Entry, is_text, is_within, joined, rename_new
from interpreter.adapters.wiki.cards import NODE_CARD, SPACE_CARD, written
from interpreter.adapters.wiki.core import OWN, Wiki
from interpreter.adapters.wiki.listing import check_library, check_space, told_node
from interpreter.adapters.wiki.places import NODE_PREFIX, Node, Space, address_of, object_of

#: Units: bytes of UTF-8.
_LONGEST_NAME = 200
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_OF = {DOCUMENT: ".md", SHEET: ".csv"}
_PREPARED = "prepared"
_APPLIED = "an approval was asked for"
Target = tuple[Space, Node | None]
#: A tool that writes. Shapes: the last argument is the key of the call, '' where it has none.
Writing = Callable[[Wiki, Mapping[str, Any], str], dict[str, Any]]


# --- the tools ---------------------------------------------------------------------------------------------


def _once(work: Writing) -> Writing:
    """Let a write be made under the locks, and only where its key has no answer yet."""

    @wraps(work)
    def made(wiki: Wiki, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
        with wiki.locked():
            known = recorded(wiki, arguments, key)
            return known if known is not None else work(wiki, arguments, key)

    return made


def move(wiki: Wiki, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Move a node within the wiki, or a document of the drive into it."""
    check_library(arguments, "target_space_id", "source_space_id")
    is_node = arguments.get("node_token") is not None
    if is_node == (arguments.get("obj_token") is not None):
        raise invalid(
            "node_token 与 obj_token 必须且只能给出一个",
            "give either node_token or obj_token, and not both",
        )
    if is_node:
        return _move_node(wiki, arguments, key)
    missing = [name for name in ("obj_type", "target_space_id", "apply") if arguments.get(name) is None]
    if missing:
        raise invalid(f"缺少参数：{'、'.join(missing)}", f"missing: {', '.join(missing)}")
    return _move_in(wiki, arguments, key)


@_once
def _move_node(wiki: Wiki, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    node = _source(wiki, arguments)
    check_space(wiki, node, arguments.get("source_space_id"))
    space, parent = _target(wiki, arguments)
    folder = parent.entry if parent is not None else space.entry
    if is_within(folder.path, node.entry.path):
        raise failure(
            "into_itself",
            f"不能把节点 {node.title} 移动到它自己下面",
            f"the node {node.title} cannot be moved below itself",
        )
    answer = {
        "mode": "node",
        **told_node(wiki, node),
        "source_space_id": node.space.token,
        "target_space_id": space.token,
        "space_id": space.token,
        "parent_node_token": parent.token if parent is not None else "",
    }
    if node.entry.parent == folder.path:
        return answer  # it is there already: nothing to rename
    _check_source(wiki, node, "source")
    _check_target(wiki, space, parent)
    goal = joined(folder.path, node.entry.name)
    check_free(wiki.tree, goal)
    intention = intended(secrets.token_hex(10), "move_node", arguments, key, node.token, node.entry, goal, answer)
    write(wiki, operations(wiki)["move_node"], intention, node.entry, folder)
    return answer


@_once
def _move_in(wiki: Wiki, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    drive = _drive(wiki)
    place = _document(drive, arguments)
    space, parent = _target(wiki, arguments)
    folder = parent.entry if parent is not None else space.entry
    _compare(place.name, drive.parent_token(place.entry), arguments, place.name)
    checked(drive.rights().move_in(place.entry, place.token), place.name)
    checked(drive.rights().source_parent(place.entry, place.token), place.name)
    _check_target(wiki, space, parent)
    title = plain_title(place.name)
    goal = joined(folder.path, _folder_name(title))
    check_free(wiki.tree, goal)
    identifier = secrets.token_hex(10)
    node_token = wiki.registry.new_token(goal, NODE_PREFIX)
    said = {
        "mode": "docs_to_wiki",
        "obj_type": place.kind,
        "obj_token": place.token,
        "target_space_id": space.token,
        "target_parent_token": parent.token if parent is not None else "",
    }
    course = course_of(wiki.course, place.token, place.name, title)
    if course.kind == APPROVAL:
        return {**said, "ready": False, "failed": False, "applied": True, "status_msg": _APPLIED}
    brought = _told_of_node(said, node_token, title)
    answer = said | _task(wiki, identifier, "wiki_move", course, brought)
    if not course.moves:
        return answer
    card = {"title": title, "body": place.entry.name, "creator": wiki.account.name}
    card["owner"] = drive.rights().owner(place.entry, place.token)
    staged = _staged(wiki, identifier, card, {})

    def publish() -> Entry:
        _rename(wiki, staged, folder, goal)
        entry = _expected(wiki, goal, staged)
        wiki.registry.register(node_token, entry)
        return entry

    wiki.registry.keep(_PREPARED, identifier, [staged.device, staged.inode, node_token])
    intention = intended(
        identifier, "move_in", arguments, key, place.token, place.entry, joined(goal, place.entry.name), answer
    )
    write(wiki, operations(wiki)["move_in"], intention, place.entry, folder, publish)
    return answer


def _told_of_node(said: Mapping[str, Any], token: str, title: str) -> dict[str, Any]:
    """Return what is told of the node that a document gets. Shapes: `said` is what is told of the move."""
    return {
        "wiki_token": token,
        "node_token": token,
        "space_id": said["target_space_id"],
        "obj_token": said["obj_token"],
        "obj_type": said["obj_type"],
        "parent_node_token": said["target_parent_token"],
        "node_type": "origin",
        "origin_node_token": "",
        "title": title,
        "has_child": False,
    }


@_once
def move_to_drive(wiki: Wiki, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Move the document of a node into a folder of the drive; what is left of the node goes to the bin."""
    drive = _drive(wiki)
    node = _source(wiki, arguments)
    if node.origin or node.body is None:
        raise unsupported(
            f"快捷方式和没有文件的节点不能移出知识库：{node.title}",
            f"a shortcut, and a node without a file, cannot leave the wiki: {node.title}",
        )
    folder = drive.get_folder(arguments["folder_token"])
    _check_nothing_below(wiki, node)
    _check_source(wiki, node, "move_out")
    checked(drive.rights().writable(folder.entry, folder.token), folder.name or "/")
    goal = joined(folder.entry.path, _name_in_drive(node.title, node.body.name))
    check_free(drive.tree, goal)
    identifier = secrets.token_hex(10)
    said = {"node_token": node.token, "folder_token": folder.token}
    brought = {
        "obj_token": node.object_token,
        "obj_type": node.object_kind,
        "url": address(node.object_kind, node.object_token),
    }
    course = course_of(wiki.course, node.token, node.object_token, node.title)
    if course.kind == APPROVAL:
        raise failure("policy", "移出知识库需要审批", "moving out of the wiki needs an approval")
    answer = said | _task(wiki, identifier, "wiki_move_to_drive", course, brought)
    if not course.moves:
        return answer
    wiki.registry.keep(_PREPARED, identifier, [node.entry.device, node.entry.inode, node.token])
    intention = intended(identifier, "move_out", arguments, key, node.object_token, node.body, goal, answer)
    write(wiki, operations(wiki)["move_out"], intention, node.body, folder.entry)
    return answer


def node_create(wiki: Wiki, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Make a node with an empty document, or a shortcut to another node."""
    check_library(arguments, "space_id")
    return _node_create(wiki, arguments, key)


@_once
def _node_create(wiki: Wiki, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    space, parent = _target(wiki, arguments, "space_id", "parent_node_token")
    folder = parent.entry if parent is not None else space.entry
    title = arguments["title"]
    goal = joined(folder.path, _folder_name(title))
    _check_target(wiki, space, parent)
    check_free(wiki.tree, goal)
    identifier = secrets.token_hex(10)
    token = wiki.registry.new_token(goal, NODE_PREFIX)
    card, files, kind, origin = _new_node(wiki, arguments, title)
    staged = _staged(wiki, identifier, card, files)
    object_token = origin.object_token if origin is not None else object_of(token)
    if files:
        # Ids follow from first paths: so the file will be known by this one when it is first seen there.
        object_token = wiki.registry.new_token(joined(goal, card["body"]), PREFIXES[kind])
    answer = {
        "resolved_space_id": space.token,
        "resolved_by": "my_library" if arguments["space_id"] == "my_library" else "explicit_space_id",
        "space_id": space.token,
        "node_token": token,
        "obj_token": object_token,
        "obj_type": kind,
        "node_type": "shortcut" if origin is not None else "origin",
        "title": title,
        "parent_node_token": parent.token if parent is not None else "",
        "origin_node_token": origin.token if origin is not None else "",
        "has_child": False,
        "url": address_of(token),
    }
    if arguments.get("request_id"):
        answer["request_id"] = arguments["request_id"]
    intention = intended(identifier, "create_node", arguments, key, token, staged, goal, answer)
    write(wiki, operations(wiki)["create_node"], intention, staged, folder)
    return answer


def _new_node(
    wiki: Wiki, arguments: Mapping[str, Any], title: str
) -> tuple[dict[str, str], dict[str, bytes], str, Node | None]:
    """Return card and files of a node that is to be made, the type of its object, and what it is a shortcut to."""
    card = {"title": title, "creator": wiki.account.name, "owner": wiki.account.name}
    if arguments.get("node_type") == "shortcut":
        origin = wiki.get(arguments.get("origin_node_token") or "")
        if origin.origin:
            raise invalid("不能给快捷方式再建快捷方式", "a shortcut cannot stand for another shortcut")
        return card | {"shortcut_of": origin.token}, {}, origin.object_kind, origin
    kind = arguments["obj_type"]
    ending = _FILE_OF.get(kind)
    if ending is None:
        return card | {"obj_type": kind}, {}, kind, None
    name = _folder_name(title) + ending
    return card | {"body": name}, {name: b""}, kind, None


@_once
def node_delete(wiki: Wiki, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Move a node to the bin; the nodes below it rise to its parent before."""
    node = _source(wiki, arguments)
    check_space(wiki, node, arguments.get("space_id"))
    _check_source(wiki, node, "write")
    identifier = secrets.token_hex(10)
    course = course_of(wiki.course, node.token, node.title)
    if course.kind == APPROVAL:
        raise failure("approval_needed", f"删除节点 {node.title} 需要审批", f"deleting {node.title} needs an approval")
    said = {
        "space_id": node.space.token,
        "node_token": node.token,
        "obj_type": "wiki",
        "include_children": False,
    }
    answer = said | _task(wiki, identifier, "wiki_delete_node", course, {})
    if not course.moves:
        return answer
    _raise_children(wiki, node, arguments)
    now = wiki.tree.entry(node.entry.path)
    if now is None:
        raise changed(node.title, what="existence")
    bin_path = f"{OWN}/{TRASH}/{identifier}"
    with wiki.tree.open_folder(f"{OWN}/{TRASH}") as trash:
        os.mkdir(identifier, 0o700, dir_fd=trash)
    bin_entry = _expected(wiki, bin_path)
    goal = joined(bin_path, node.entry.name)
    intention = intended(identifier, "delete_node", arguments, key, node.token, now, goal, answer)
    write(wiki, operations(wiki)["delete_node"], intention, now, bin_entry)
    return answer


def _raise_children(wiki: Wiki, node: Node, arguments: Mapping[str, Any]) -> None:
    """Move what stands below a node up to its parent; nothing is moved where one of the names is taken there."""
    above = _expected(wiki, node.entry.parent)
    children = [entry for entry in wiki.tree.children(node.entry.path) if entry.is_folder]
    for child in children:
        check_free(wiki.tree, joined(above.path, child.name))
    for child in sorted(children, key=lambda entry: entry.path):
        token = wiki.token_of(child)
        answer = {"node_token": token}
        intention = intended(
            secrets.token_hex(10), "raise_node", arguments, "", token, child, joined(above.path, child.name), answer
        )
        write(wiki, operations(wiki)["raise_node"], intention, child, _expected(wiki, above.path, above))


# --- looking again before the write ------------------------------------------------------------------------


def _drive(wiki: Wiki) -> Drive:
    if wiki.drive is None:
        raise failure(
            "unavailable",
            "没有设置云空间文件夹，不能在知识库与云空间之间移动；请用 --set settings.root=文件夹 指定",
            "no folder of the drive is set, so nothing moves between wiki and drive; "
            "give one with --set settings.root=FOLDER",
        )
    return wiki.drive


def _source(wiki: Wiki, arguments: Mapping[str, Any]) -> Node:
    """Return the node that a write is about: by its own token, never by that of its object."""
    node = wiki.get(arguments["node_token"])
    _compare(node.title, node.parent, arguments, node.title)
    return node


def _document(drive: Drive, arguments: Mapping[str, Any]) -> Place:
    place = drive.get(arguments["obj_token"])
    if place.kind in (FOLDER, SHORTCUT, UNSUPPORTED) or not place.entry.is_file:
        raise unsupported(f"{place.name} 不能移入知识库", f"{place.name} cannot be moved into a wiki")
    if arguments["obj_type"] != place.kind:
        raise invalid(
            f"{place.name} 的类型是 {place.kind}，不是 {arguments['obj_type']}",
            f"{place.name} is of type {place.kind}, not {arguments['obj_type']}",
        )
    return place


def _compare(name: str, parent: str, arguments: Mapping[str, Any], title: str) -> None:
    """Errors: ToolFailure `changed_since_plan` when parent or name is not what the plan was made from."""
    for what, value in (("name", name), ("parent", parent)):
        expected = arguments.get(f"expected_{what}")
        if expected is not None and expected != value:
            raise changed(title, what=what, expected=expected, found=value)


def _target(
    wiki: Wiki,
    arguments: Mapping[str, Any],
    space_field: str = "target_space_id",
    parent_field: str = "target_parent_token",
) -> Target:
    """Return the space and the node that something is to be put into, None for the root of the space."""
    space_id, parent_token = arguments.get(space_field), arguments.get(parent_field)
    if not space_id and not parent_token:
        raise invalid("需要目标空间或目标节点", "a target space or a target node is needed")
    parent = wiki.get(parent_token) if parent_token else None
    if parent is not None:
        check_space(wiki, parent, space_id)
        return wiki.space(parent.space.token), parent
    return wiki.space(str(space_id)), None


def _check_target(wiki: Wiki, space: Space, parent: Node | None) -> None:
    place = parent if parent is not None else space
    checked(wiki.rights().write(place), parent.title if parent is not None else space.card.name)


def _check_source(wiki: Wiki, node: Node, field: str) -> None:
    checked(wiki.rights().move(node, field), node.title)


def _check_nothing_below(wiki: Wiki, node: Node) -> None:
    if any(entry.is_folder for entry in wiki.tree.children(node.entry.path)):
        raise failure(
            "node_not_empty",
            f"节点 {node.title} 下还有其他节点，不能移出知识库；请先移走它们",
            f"there are nodes below {node.title}, so it cannot leave the wiki; move them first",
        )


def _folder_name(title: str) -> str:
    """Return the name of the folder of a node."""
    name = _as_name(title)
    if not name:
        raise invalid(
            "标题不能只有空白，不能含控制字符，也不能是系统用的名称",
            "a title is not blank, has no control characters, and is none of the names used here",
        )
    return name


def _name_in_drive(title: str, file: str) -> str:
    """Return the name of a document that leaves the wiki: the title that it had there, and the ending of its file.

    A file whose name shows the title keeps it letter for letter, so that what came from the drive has its name again
    there. It keeps it too where the title can be no name in the drive, or would make it a document of another kind.
    """
    name, ending = _as_name(title), splitext(file)[1]
    if not name or plain_title(file).strip() == title:
        return file
    name = name if name.casefold().endswith(ending.casefold()) else name + ending
    is_same_kind = BY_EXTENSION.get(extension(name)) == BY_EXTENSION.get(extension(file))
    return name if is_same_kind and is_good_name(name) else file


def _as_name(title: str) -> str:
    """Return a title as far as a name may be long and hold any character, '' where it can be none."""
    name = title.strip().replace("/", "／")
    is_taken = name.casefold() in (".", "..", OWN, NODE_CARD, SPACE_CARD)
    if is_taken or not is_text(name) or not is_readable(name):
        return ""
    while len(os.fsencode(name)) > _LONGEST_NAME:
        name = name[:-1]
    return name


# --- preparing and recording -------------------------------------------------------------------------------


def _task(wiki: Wiki, identifier: str, scenario: str, course: Any, brought: Mapping[str, Any]) -> dict[str, Any]:
    told = begun(wiki.registry, identifier, scenario, course, brought)
    told.pop("scenario")
    if not told["ready"]:
        told["timed_out"] = True
        told["next_command"] = f"drive +task_result --scenario {scenario} --task-id {identifier}"
    return told


def _staged(wiki: Wiki, identifier: str, card: Mapping[str, str], files: Mapping[str, bytes]) -> Entry:
    """Make the folder of a node where nobody sees it."""
    path = f"{OWN}/{STAGING}/{identifier}"
    with wiki.tree.open_folder(f"{OWN}/{STAGING}") as staging:
        os.mkdir(identifier, dir_fd=staging)
    with wiki.tree.open_folder(path) as folder:
        for name, content in {NODE_CARD: written(card), **files}.items():
            descriptor = os.open(name, _NEW, 0o666, dir_fd=folder)
            try:
                os.write(descriptor, content)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        os.fsync(folder)
    return _expected(wiki, path)


def _expected(wiki: Wiki, path: str, known: Entry | None = None) -> Entry:
    entry = wiki.tree.entry(path)
    if entry is None or (known is not None and (entry.device, entry.inode) != (known.device, known.inode)):
        raise changed(path.rpartition("/")[2], what="target")
    return entry


def _rename(wiki: Wiki, source: Entry, folder: Entry, goal: str) -> None:
    with wiki.tree.open_folder(source.parent) as before, expected_folder(wiki.tree, folder) as after:
        rename_new(before, source.name, after, goal.rpartition("/")[2])
        os.fsync(after)


def operations(wiki: Wiki) -> dict[str, Operation]:
    """Return what the wiki's renames mean; those to and from the drive only where there is one."""
    tree = wiki.tree

    def empty_bin(intention: Intention) -> None:
        remove_empty(tree, intention.target.rpartition("/")[0])

    stays = Operation(tree, tree)
    found = dict.fromkeys(("move_node", "create_node", "raise_node"), stays)
    found["delete_node"] = Operation(tree, tree, stays=False, dropped=empty_bin)
    drive = wiki.drive
    if drive is None:
        return found

    def has_come(intention: Intention) -> None:
        drive.registry.release(intention.token)

    def has_not_come(intention: Intention) -> None:
        """Take away the node that was made for a document which stayed in the drive."""
        folder = _prepared(wiki, intention, intention.target.rpartition("/")[0])
        if folder is not None and [entry.name for entry in tree.children(folder.path)] == [NODE_CARD]:
            remove_file(tree, joined(folder.path, NODE_CARD))
            remove_empty(tree, folder.path)

    def has_left(intention: Intention) -> None:
        entry = drive.tree.entry(intention.target)
        if entry is not None and (entry.device, entry.inode) == (intention.device, intention.inode):
            drive.registry.register(intention.token, entry)
        folder = _prepared(wiki, intention, intention.source.rpartition("/")[0])
        if folder is not None:
            _retire(wiki, intention.id, folder)
        kept = wiki.registry.kept(_PREPARED, intention.id)
        if kept is not None:
            wiki.registry.release(kept[2])

    found["move_in"] = Operation(drive.tree, tree, done=has_come, dropped=has_not_come)
    found["move_out"] = Operation(tree, drive.tree, stays=False, done=has_left)
    return found


def _prepared(wiki: Wiki, intention: Intention, path: str) -> Entry | None:
    """Return the folder that a move between drive and wiki is about, if it still is the one that was meant."""
    kept = wiki.registry.kept(_PREPARED, intention.id)
    entry = wiki.tree.entry(path)
    is_it = kept is not None and entry is not None and [entry.device, entry.inode] == kept[:2]
    return entry if is_it else None


def _retire(wiki: Wiki, identifier: str, folder: Entry) -> None:
    """Put what is left of a node into the recycle bin."""
    with wiki.tree.open_folder(f"{OWN}/{TRASH}") as trash, wiki.tree.open_folder(folder.parent) as parent:
        rename_new(parent, folder.name, trash, identifier)


def settle(wiki: Wiki) -> None:
    """Finish or drop what a killed process left behind; called under the locks."""
    settle_all(wiki, operations(wiki))
