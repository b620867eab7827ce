"""Safe operations below one folder: every path is walked from the root by descriptors; no link is followed.

A path is relative to the root, its parts joined by `/`; the root itself is the empty text. Names that are
no UTF-8 keep their bytes (`surrogateescape`), so that they can be seen and left alone. One folder of the root is the
adapter's own (`.drive` where nothing else is said; a wiki has `.wiki`) and is never walked into.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from rules.records import NamedTuple

OWN_FOLDER = ".drive"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_KIND = 0o170000
#: Deeper than this nothing is looked at: every level holds a descriptor while its children are walked.
DEEPEST = 200


class Entry(NamedTuple):
    """One thing in the tree, as it was when it was looked at.

    Units: `modified` in nanoseconds since 1970.
    """

    path: str
    mode: int
    device: int
    inode: int
    size: int
    modified: int
    user: int
    group: int

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def parent(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def is_folder(self) -> bool:
        return self.mode & _KIND == stat.S_IFDIR

    @property
    def is_file(self) -> bool:
        return self.mode & _KIND == stat.S_IFREG

    @property
    def is_link(self) -> bool:
        return self.mode & _KIND == stat.S_IFLNK


class Folder:
    """An open descriptor of a folder, closed at the end of its `with` block."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __enter__(self) -> int:
        return self.descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)


def is_text(name: str) -> bool:
    """Return whether a name is valid UTF-8 (and so can be shown, stored and sent as it is)."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def shown(name: str) -> str:
    """Return a name as text that can be stored anywhere: bytes that are no UTF-8 as `\\xff`, all else
    unchanged.
    """
    if name.isascii() or is_text(name):
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def is_within(path: str, folder: str) -> bool:
    """Return whether a path is the folder itself or lies below it."""
    return not folder or path == folder or path.startswith(folder + "/")


class Tree:
    """A root and all below it; `own` is the name of the folder in it that is the adapter's.

    Errors: every method raises OSError where the system does; a link on the way is ENOTDIR or ELOOP.
    """

    def __init__(self, root: str, own: str = OWN_FOLDER) -> None:
        self.root = os.path.realpath(root)
        self.own = own

    def open_folder(self, path: str = "") -> Folder:
        descriptor = os.open(self.root, _FOLDER)
        for part in path.split("/") if path else ():
            try:
                inner = os.open(_plain_part(part), _FOLDER, dir_fd=descriptor)
            finally:
                os.close(descriptor)
            descriptor = inner
        return Folder(descriptor)

    def entry(self, path: str) -> Entry | None:
        """Return what stands at a path now, or None when nothing does that the system lets us see."""
        try:
            if not path:
                with self.open_folder() as descriptor:
                    return _entry("", os.fstat(descriptor))
            folder, _, name = path.rpartition("/")
            with self.open_folder(folder) as descriptor:
                return _entry(path, os.stat(_plain_part(name), dir_fd=descriptor, follow_symlinks=False))
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES):
                return None
            raise

    def children(self, folder: str) -> list[Entry]:
        """Return what stands directly in a folder, in no particular order."""
        with self.open_folder(folder) as descriptor:
            return _scan(descriptor, folder, self.own)

    def walk(self) -> list[Entry]:
        """Return everything below the root; folders that the system does not open are listed without their
        content.
        """
        found: list[Entry] = []
        with self.open_folder() as descriptor:
            _walk_into(descriptor, "", found, 0, self.own)
        return found

    def read(self, path: str, limit: int) -> tuple[bytes, bool]:
        """Return the first `limit` bytes of a regular file and whether that is all of it."""
        folder, _, name = path.rpartition("/")
        with self.open_folder(folder) as descriptor:
            opened = os.open(_plain_part(name), _FILE, dir_fd=descriptor)
        with open(opened, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            size = min(limit, status.st_size)  # a buffer of the whole limit costs more than most files
            content = file.read(size + 1)
            if len(content) > size:
                content += file.read(limit - size)
        return content[:limit], len(content) <= limit

    def ends(self, path: str, size: int, length: int) -> bytes:
        """Return the first and the last `length` bytes of a regular file."""
        folder, _, name = path.rpartition("/")
        with self.open_folder(folder) as descriptor:
            opened = os.open(_plain_part(name), _FILE, dir_fd=descriptor)
        with open(opened, "rb") as file:
            first = file.read(length)
            file.seek(max(length, size - length))
            return first + file.read(length)

    def born(self, path: str) -> int | None:
        """Return when the thing at a path was created, in nanoseconds, or None where the file system does
        not say.
        """
        return _birth_time(os.path.join(self.root, path))


def _plain_part(part: str) -> str:
    if part in ("", ".", "..") or "/" in part or "\0" in part:
        raise OSError(errno.ENOENT, "not a name")
    return part


#: Units: nanoseconds. A time farther away than 1677 or 2262 is no time that anybody changed a file at, and no index
#: holds it.
_FARTHEST = 2**63 - 1


def _entry(path: str, found: os.stat_result) -> Entry:
    mode, inode, device, _, user, group, size, *_ = found
    changed = max(-_FARTHEST, min(_FARTHEST, found.st_mtime_ns))
    return Entry(path, mode, device, inode, size, changed, user, group)


def _scan(descriptor: int, folder: str, own: str) -> list[Entry]:
    prefix = folder + "/" if folder else ""
    found = []
    with os.scandir(descriptor) as listing:
        for item in listing:
            name = item.name
            if name == own and not folder:
                continue
            try:
                found.append(_entry(prefix + name, item.stat(follow_symlinks=False)))
            except (FileNotFoundError, PermissionError):
                continue  # gone between the listing and the look, or in a folder that may be listed but not entered
    return found


def _walk_into(descriptor: int, folder: str, found: list[Entry], depth: int, own: str) -> None:
    here = _scan(descriptor, folder, own)
    found.extend(here)
    if depth >= DEEPEST:
        return
    for entry in here:
        if not entry.is_folder:
            continue
        try:
            opened = os.open(entry.name, _FOLDER, dir_fd=descriptor)
        except OSError:
            continue  # not allowed, or changed meanwhile: the folder itself stays listed
        with Folder(opened) as child:
            _walk_into(child, entry.path, found, depth + 1, own)


# --- renaming without replacing ----------------------------------------------------------------------------

_LINUX_NO_REPLACE = 1
_MACOS_EXCLUSIVE = 4
_NOT_OFFERED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)


def rename_new(source_folder: int, source: str, target_folder: int, target: str) -> None:
    """Rename between two open folders; a taken name is an error (EEXIST), never replaced.

    The kernel decides in one step where it can. Else a file gets its second name first (which fails on a
    taken name) and then loses the first; a folder is looked up and renamed, under the drive's lock.
    """
    try:
        if _rename_exclusive(source_folder, os.fsencode(source), target_folder, os.fsencode(target)):
            return
    except OSError as error:
        if error.errno not in _NOT_OFFERED:
            raise
    rename_in_steps(source_folder, source, target_folder, target)


def rename_in_steps(source_folder: int, source: str, target_folder: int, target: str) -> None:
    """Rename where the kernel cannot refuse a taken name in the same step.

    Errors: OSError (EEXIST) for a taken name.
    """
    found = os.stat(source, dir_fd=source_folder, follow_symlinks=False)
    if stat.S_ISREG(found.st_mode):
        os.link(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder, follow_symlinks=False)
        os.unlink(source, dir_fd=source_folder)
        return
    try:
        os.stat(target, dir_fd=target_folder, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder)
        return
    raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))


def _rename_exclusive(source_folder: int, source: bytes, target_folder: int, target: bytes) -> bool:
    """Rename by the kernel's own exclusive call; False where the C library has none."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    function = getattr(library, name, None)
    if function is None:
        return False
    flag = _MACOS_EXCLUSIVE if sys.platform == "darwin" else _LINUX_NO_REPLACE
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    if function(source_folder, source, target_folder, target, flag) == 0:
        return True
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number))


# --- birth times -------------------------------------------------------------------------------------------

_HERE = -100
_NO_FOLLOW = 0x100
_WANT_BIRTH = 0x800
_BIRTH_AT = 80


def _birth_time(path: str) -> int | None:
    """Return the birth time by `lstat` (macOS) or `statx` (Linux); an inode number alone may have been used
    again.
    """
    if sys.platform == "darwin":
        try:
            return int(os.lstat(path).st_birthtime * 1_000_000_000)
        except OSError:
            return None
    import ctypes

    function = getattr(ctypes.CDLL(None, use_errno=True), "statx", None)
    if function is None:
        return None
    answer = ctypes.create_string_buffer(256)
    if function(_HERE, os.fsencode(path), _NO_FOLLOW, _WANT_BIRTH, answer) != 0:
        return None
    if not int.from_bytes(answer.raw[:4], sys.byteorder) & _WANT_BIRTH:
        return None
    seconds = int.from_bytes(answer.raw[_BIRTH_AT : _BIRTH_AT + 8], sys.byteorder, signed=True)
    return seconds * 1_000_000_000 + int.from_bytes(answer.raw[_BIRTH_AT + 8 : _BIRTH_AT + 12], sys.byteorder)
