"""A file of SQLite below a folder, opened only where no link leads to it.

Whoever may write in the folder could set a link there under the name of the file; what is written to it would then land
somewhere else.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat

from interpreter.adapters.folders.failures import failure
from interpreter.adapters.folders.paths import Tree
from interpreter.ports import ToolFailure

#: What SQLite adds to the name of a file: nothing for the file itself, and endings for those that it keeps beside it.
BESIDE = ("", "-wal", "-shm", "-journal")
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

Inode = tuple[int, int]


class DatabaseFile:
    """A file of SQLite in a folder below a root."""

    def __init__(self, tree: Tree, folder: str, name: str) -> None:
        self._tree = tree
        self._folder = folder
        self._name = name
        self._path = os.path.join(tree.root, folder, name)
        self._shown = f"{folder}/{name}" if folder else name

    def open(self) -> sqlite3.Connection:
        """Errors: sqlite3.Error; ToolFailure `unavailable` where the name is a link or leads elsewhere."""
        with self._tree.open_folder(self._folder) as folder:
            expected = self._checked(folder)
        database = sqlite3.connect(self._path, timeout=20, isolation_level=None, check_same_thread=False)
        try:
            database.execute("pragma user_version")  # SQLite opens the file with the first statement
            if inode_of(os.stat(self._path)) != expected:
                raise no_plain_file(self._shown)
        except BaseException:
            database.close()
            raise
        return database

    def remove(self) -> None:
        with self._tree.open_folder(self._folder) as folder:
            for end in BESIDE:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._name + end, dir_fd=folder)

    def _checked(self, folder: int) -> Inode:
        """Return which file it is, made if there is none.

        A file that is there is not opened to look at it: closing it would drop the locks that SQLite holds.
        """
        for end in BESIDE[1:]:
            with contextlib.suppress(FileNotFoundError):
                self._plain_file(folder, self._name + end)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self._name, _NEW, 0o600, dir_fd=folder))
        return self._plain_file(folder, self._name)

    def _plain_file(self, folder: int, name: str) -> Inode:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(found.st_mode):
            raise no_plain_file(self._shown.removesuffix(self._name) + name)
        return inode_of(found)


def no_plain_file(path: str) -> ToolFailure:
    return failure(
        "unavailable",
        f"{path} 是链接或不是普通文件，不会跟随；请移走它后重试",
        f"{path} is a link or no plain file and is not followed; take it away and try again",
    )


def inode_of(found: os.stat_result) -> Inode:
    return (found.st_dev, found.st_ino)
