"""The own folder of a drive (`.drive/`) or a wiki (`.wiki/`): no link leads to its files, and its id names the whole.

Whoever may write in the root could set a link there under the name of one of these files; what is written to it would
then land somewhere else, and what is read would come from there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator

from interpreter.adapters.drive.lock import LOCK, Lock
from interpreter.adapters.folders.database_file import BESIDE, inode_of, no_plain_file
from interpreter.adapters.folders.failures import failure
from interpreter.adapters.folders.paths import Tree
from interpreter.ports import ToolFailure

TRASH, STAGING = "trash", "staging"
ID, LOG, EVIDENCE, COMMENTS = "id", "log.jsonl", "evidence.yaml", "comments.yaml"
REGISTRY, SEARCH, SEARCH_BOTH = "registry.sqlite3", "search.sqlite3", "search-both.sqlite3"
_FOLDERS = frozenset((TRASH, STAGING))
_DATABASES = (REGISTRY, SEARCH, SEARCH_BOTH)
_FILES = frozenset((ID, LOCK, LOG, EVIDENCE, COMMENTS)) | {name + end for name in _DATABASES for end in BESIDE}
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
_ID_BYTES = 16

_REASONS = {
    errno.ENOENT: ("没有这个文件夹", "there is no such folder"),
    errno.ENOTDIR: ("它不是文件夹", "it is no folder"),
    errno.EACCES: ("没有权限", "permission denied"),
}


class OwnFolder:
    """The own folder of one root as it was when it was opened."""

    def __init__(self, tree: Tree, lock: Lock) -> None:
        """Make the folder where there is none.

        Errors: ToolFailure `unavailable` where it cannot be made, or is not what it has to be.
        """
        self._tree = tree
        try:
            with tree.open_folder() as root:
                _make_folder(root, tree.own, tree.own)
            with tree.open_folder(tree.own) as own:
                self._inode = inode_of(os.fstat(own))
                for name in (TRASH, STAGING):
                    _make_folder(own, name, f"{tree.own}/{name}")
                _check_files(own, self._tree.own)
            self.id = self._read_id()
            if not self.id:
                with lock:
                    self.id = self._read_id() or self._make_id()
        except OSError as error:
            zh, en = _REASONS.get(error.errno or 0, (error.strerror, error.strerror))
            raise failure(
                "unavailable",
                f"根文件夹 {tree.root} 不能使用：{zh}",
                f"the root folder {tree.root} cannot be used: {en}",
            ) from None

    def look(self) -> None:
        """Look that the folder is still the one that was opened and that its files are files.

        Errors: ToolFailure `unavailable`, before anything is read or moved.
        """
        try:
            with self._tree.open_folder(self._tree.own) as own:
                is_same = inode_of(os.fstat(own)) == self._inode
                if is_same:
                    _check_files(own, self._tree.own)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                raise
            is_same = False
        if not is_same:
            raise failure(
                "unavailable",
                f"{self._tree.root} 处现在是另一个文件夹，或其中的 {self._tree.own} 已被替换；请放回原来的文件夹后重试",
                f"another folder stands at {self._tree.root} now, or its {self._tree.own} was replaced; "
                "put the former one back and try again",
            )

    @contextlib.contextmanager
    def log(self) -> Iterator[int]:
        """Open the log to read it and to add to it.

        Errors: ToolFailure `unavailable`.
        """
        try:
            with self._tree.open_folder(self._tree.own) as own:
                log = os.open(LOG, _APPEND, 0o600, dir_fd=own)
        except OSError as error:
            raise failure(
                "unavailable",
                f"不能写入 {self._tree.own}/{LOG}，因此什么都没有移动：{error.strerror}",
                f"{self._tree.own}/{LOG} cannot be written, so nothing was moved: {error.strerror}",
            ) from None
        try:
            yield log
        finally:
            os.close(log)

    def _read_id(self) -> str:
        """Return the id of the drive, '' where it has none yet."""
        try:
            content, _ = self._tree.read(f"{self._tree.own}/{ID}", 4 * _ID_BYTES)
        except FileNotFoundError:
            return ""
        text = content.strip()
        if len(text) != 2 * _ID_BYTES or not set(text) <= set(b"0123456789abcdef"):
            raise failure(
                "unavailable",
                f"{self._tree.own}/{ID} 已损坏；请恢复它，或删除它（此后等待中的运行不能继续）",
                f"{self._tree.own}/{ID} is damaged; restore it, or delete it (runs that wait cannot go on then)",
            )
        return text.decode()

    def _make_id(self) -> str:
        """Make the id of a new drive; called under the lock. It is there as a whole or not at all."""
        made = secrets.token_hex(_ID_BYTES)
        with self._tree.open_folder(self._tree.own) as own:
            new = f"{STAGING}/{made}"
            descriptor = os.open(new, _NEW, 0o600, dir_fd=own)
            try:
                os.write(descriptor, made.encode() + b"\n")
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            os.rename(new, ID, src_dir_fd=own, dst_dir_fd=own)
            os.fsync(own)
        return made


def _check_files(own: int, shown_as: str) -> None:
    with os.scandir(own) as listing:
        for item in listing:
            is_good = item.is_dir(follow_symlinks=False) if item.name in _FOLDERS else True
            if item.name in _FILES:
                is_good = item.is_file(follow_symlinks=False)
            if not is_good:
                path = f"{shown_as}/{item.name}"
                raise _no_folder(path) if item.name in _FOLDERS else no_plain_file(path)


def _no_folder(path: str) -> ToolFailure:
    return failure(
        "unavailable",
        f"{path} 是链接或不是文件夹，不会跟随；请移走它后重试",
        f"{path} is a link or no folder and is not followed; take it away and try again",
    )


def _make_folder(parent: int, name: str, path: str) -> None:
    """Make a folder unless it is there."""
    try:
        os.mkdir(name, 0o700, dir_fd=parent)
    except FileExistsError:
        if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            raise _no_folder(path) from None
