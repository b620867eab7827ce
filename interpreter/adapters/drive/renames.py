"""Renames that are recorded so that a killed process loses nothing; drive and wiki write in no other way.

Order of a write, under the lock: look again at what is moved and where to; record the intention (on the disk before
anything happens); rename, which never replaces; add one line to `log.jsonl`; record the answer under the call's key.
Whoever comes next settles an intention that was left behind: the inode says whether the rename was made. The log
therefore has exactly one line for each rename that really happened.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from interpreter.adapters.drive.listing import canonical
from interpreter.adapters.drive.own_folder import STAGING, OwnFolder
from interpreter.adapters.drive.registry import Intention, Registry
from interpreter.adapters.folders.failures import failure, from_system, invalid
from interpreter.adapters.folders.paths import Entry, Tree, rename_new, shown
from interpreter.ports import ToolFailure
from rules.records import NamedTuple

#: The line of an unsettled write is the last one of the log; this much of its end is read to find it.
_TAIL = 64 << 10


class Home(Protocol):
    """Whose intentions and log these are: a drive, or a wiki."""

    tree: Tree
    own: OwnFolder
    now: Callable[[], float]

    @property
    def registry(self) -> Registry: ...


def _nothing(_intention: Intention) -> None:
    return


class Operation(NamedTuple):
    """What a kind of rename means.

    Shapes: `stays` is whether the thing is still in the home afterwards. `done` does what else belongs to the rename
    and `dropped` takes away what was prepared for it; both may be called again after a kill.
    """

    source: Tree
    target: Tree
    stays: bool = True
    done: Callable[[Intention], None] = _nothing
    dropped: Callable[[Intention], None] = _nothing


Operations = Mapping[str, Operation]


def intended(
    identifier: str,
    operation: str,
    arguments: Mapping[str, Any],
    key: str,
    token: str,
    source: Entry,
    goal: str,
    answer: Mapping[str, Any],
) -> Intention:
    """Return the intention of one rename, as it is recorded before anything happens."""
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


def _digest(arguments: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(dict(arguments)).encode()).hexdigest()


def recorded(home: Home, arguments: Mapping[str, Any], key: str) -> dict[str, Any] | None:
    """Return the answer that a call with this key was given before; it is not made twice."""
    found = home.registry.written(key) if key else None
    if found is None:
        return None
    digest, answer = found
    if digest != _digest(arguments):
        raise invalid(
            "同一个调用键带来了不同的参数，已拒绝",
            "the same call key came with other arguments and was refused",
        )
    known: dict[str, Any] = answer
    return known


def changed(name: str, **details: object) -> ToolFailure:
    return failure(
        "changed_since_plan",
        f"{name} 在计划之后改变了（名称、位置或内容），没有移动；请重新解析后再计划",
        f"{name} has changed since the plan (its name, place or content) and was not moved; "
        "resolve it again and plan anew",
        **details,
    )


def write(
    home: Home,
    operation: Operation,
    intention: Intention,
    source: Entry,
    target_folder: Entry,
    prepare: Callable[[], Entry] | None = None,
) -> None:
    """Make the rename of an intention and record that it was made; the log is opened before.

    Shapes: `prepare` makes the target folder once the intention is recorded, and returns it.
    Errors: ToolFailure. Where the rename was not made everything is as it was.
    """
    target_name = intention.target.rpartition("/")[2]
    try:
        with contextlib.ExitStack() as opened:
            from_folder = opened.enter_context(operation.source.open_folder(source.parent))
            log = opened.enter_context(home.own.log())
            _look_again(from_folder, source)
            if prepare is None:
                to_folder = opened.enter_context(expected_folder(operation.target, target_folder))
            home.registry.intend(intention)
            try:
                if prepare is not None:
                    to_folder = opened.enter_context(expected_folder(operation.target, prepare()))
                rename_new(from_folder, source.name, to_folder, target_name)
            except (OSError, ToolFailure):
                _drop(home, operation, intention)
                raise
            _after_rename(home, operation, intention, (from_folder, to_folder), log)
    except OSError as error:
        raise from_system(error) from None


@contextlib.contextmanager
def expected_folder(tree: Tree, expected: Entry) -> Iterator[int]:
    """Open a folder if it still is the one that was looked at.

    Errors: ToolFailure `changed_since_plan`; OSError.
    """
    with tree.open_folder(expected.path) as folder:
        found = os.fstat(folder)
        if (found.st_dev, found.st_ino) != (expected.device, expected.inode):
            raise changed(shown(expected.name), what="target")
        yield folder


def _look_again(folder: int, source: Entry) -> None:
    try:
        found = os.stat(source.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        raise changed(shown(source.name), what="existence") from None
    if (found.st_dev, found.st_ino) != (source.device, source.inode):
        raise changed(shown(source.name), what="inode")


def _after_rename(home: Home, operation: Operation, intention: Intention, folders: tuple[int, int], log: int) -> None:
    try:
        for folder in folders:
            os.fsync(folder)
        _record(home, operation, intention, log, recovered=False)
    except (OSError, sqlite3.Error) as error:
        raise failure(
            "server_error",
            "已经改名，但没能写下记录；请查看目标位置后再继续",
            "the rename was made but could not be recorded; look at the target before going on",
            system=str(error),
        ) from None


def _record(home: Home, operation: Operation, intention: Intention, log: int, recovered: bool) -> None:
    _add_to_log(home, intention, log, recovered)
    _finish(home, operation, intention)


def _add_to_log(home: Home, intention: Intention, log: int, recovered: bool) -> None:
    line: dict[str, Any] = {
        "id": intention.id,
        "at": datetime.fromtimestamp(home.now(), UTC).isoformat(timespec="milliseconds"),
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


def _finish(home: Home, operation: Operation, intention: Intention) -> None:
    """Record where the thing is now; what was moved on by hand meanwhile is found by the next look."""
    operation.done(intention)
    if not operation.stays:
        home.registry.finish(intention, None)
        return
    entry = operation.target.entry(intention.target)
    if entry is None or not _is_same(entry, intention):
        home.registry.forget(intention)
    else:
        home.registry.finish(intention, entry)


def _drop(home: Home, operation: Operation, intention: Intention) -> None:
    home.registry.forget(intention)
    operation.dropped(intention)


# --- settling what a killed process left behind ------------------------------------------------------------


def settle(home: Home, operations: Operations) -> None:
    """Finish or drop every intention that has no record; called under the lock."""
    for intention in home.registry.intentions():
        operation = operations.get(intention.operation)
        if operation is not None:
            with home.own.log() as log:
                _settle_one(home, operation, intention, log)
    remove_staged(home.tree)


def _settle_one(home: Home, operation: Operation, intention: Intention, log: int) -> None:
    at_source = _is_there(operation.source, intention.source, intention)
    if _is_in_log(log, intention):
        _finish(home, operation, intention)
    elif _is_there(operation.target, intention.target, intention):
        if at_source:
            _drop_second_name(operation.source, intention.source)
        _record(home, operation, intention, log, recovered=True)
    else:
        _drop(home, operation, intention)


def _is_there(tree: Tree, path: str, intention: Intention) -> bool:
    entry = tree.entry(path)
    return entry is not None and _is_same(entry, intention)


def _is_same(entry: Entry, intention: Intention) -> bool:
    return (entry.device, entry.inode) == (intention.device, intention.inode)


def _is_in_log(log: int, intention: Intention) -> bool:
    size = os.fstat(log).st_size
    return f'"{intention.id}"'.encode() in os.pread(log, _TAIL, max(0, size - _TAIL))


def _drop_second_name(tree: Tree, path: str) -> None:
    """A rename in two steps was cut after the first: the new name is there, the old one still is too."""
    folder, _, name = path.rpartition("/")
    with tree.open_folder(folder) as descriptor:
        os.unlink(name, dir_fd=descriptor)


def remove_staged(tree: Tree) -> None:
    """Take away what was being made when a process ended."""
    for left in tree.children(f"{tree.own}/{STAGING}"):
        if left.is_folder:
            for inner in tree.children(left.path):
                remove_file(tree, inner.path)
        remove_empty(tree, left.path)


def remove_file(tree: Tree, path: str) -> None:
    folder, _, name = path.rpartition("/")
    with contextlib.suppress(OSError), tree.open_folder(folder) as descriptor:
        os.unlink(name, dir_fd=descriptor)


def remove_empty(tree: Tree, path: str) -> None:
    folder, _, name = path.rpartition("/")
    with contextlib.suppress(OSError), tree.open_folder(folder) as descriptor:
        os.rmdir(name, dir_fd=descriptor)
