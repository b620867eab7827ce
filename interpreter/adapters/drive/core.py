"""One drive: the folder, its ids, its index, and the account that looks at it; what all tools of the
adapter share.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from interpreter.adapters.drive.bodies import indexed_text
from interpreter.adapters.drive.evidence_file import Comments, Evidence
from interpreter.adapters.drive.index import Index, Stamp
from interpreter.adapters.drive.kinds import FOLDER, address, kind_of, plain_title
from interpreter.adapters.drive.lock import Lock
from interpreter.adapters.drive.own_folder import REGISTRY, SEARCH, SEARCH_BOTH, OwnFolder
from interpreter.adapters.drive.registry import Everything, Item, Registry
from interpreter.adapters.drive.rights import Account, Rights, read_account
from interpreter.adapters.drive.tasks import Course, read_course
from interpreter.adapters.folders.database_file import DatabaseFile
from interpreter.adapters.folders.failures import failure, invalid_page_token, not_found
from interpreter.adapters.folders.paths import OWN_FOLDER, Entry, Tree, shown
from interpreter.adapters.office.reader import Readers
from interpreter.ports import ToolFailure
from rules.records import NamedTuple

BODY_BYTES = 5 << 20
#: Of a file that is packed, or holds pictures beside its text.
DOCUMENT_BYTES = 50 << 20
PAGE_TOKEN_SECONDS = 7 * 24 * 3600


class Limits(NamedTuple):
    """Units: bytes, seconds. `body` is also how many characters of text are given, `document` how large an office file
    or PDF may be.
    """

    body: int
    document: int
    page_token: float


class Place(NamedTuple):
    """A thing with its id. The root has the empty token and no item."""

    token: str
    entry: Entry
    item: Item | None

    @property
    def kind(self) -> str:
        return kind_of(self.entry) if self.entry.path else FOLDER

    @property
    def name(self) -> str:
        return shown(self.entry.name)

    @property
    def address(self) -> str:
        return address(self.kind, self.token)


class Stamps:
    """What the index rows of a walk are made from; nearly always the same as at the last walk, so it is kept."""

    def __init__(self, comments: Comments) -> None:
        self._comments = comments
        self._comments_read = comments.file.content
        self._made: dict[str, Stamp] = {}
        self._made_from: dict[str, Entry] = {}

    def of(self, everything: Everything) -> dict[str, Stamp]:
        if self._comments_read is not self._comments.file.content:
            self._comments_read = self._comments.file.content
            self._made_from = {}
        made, made_from = self._made, self._made_from
        for token, (_, entry) in everything.items():
            if made_from.get(token) != entry:
                made[token] = self._make(token, entry)
                made_from[token] = entry
        if len(made) > len(everything):
            self._made = {token: made[token] for token in everything}
            self._made_from = {token: made_from[token] for token in everything}
        return self._made

    def _make(self, token: str, entry: Entry) -> Stamp:
        size, modified = (0, 0) if entry.is_folder else (entry.size, entry.modified)
        title = plain_title(shown(entry.name))
        return Stamp(size, modified, title, self._comments.text(token, entry.path))


class Drive:
    """Errors: ToolFailure `unavailable` where the folder, its own files or a setting cannot be used."""

    def __init__(self, settings: Mapping[str, Any], now: Callable[[], float]) -> None:
        root = str(settings.get("root") or "")
        if not root:
            raise failure(
                "unavailable",
                "没有设置根文件夹；请用 --set settings.root=文件夹 指定",
                "no root folder is set; give one with --set settings.root=FOLDER",
            )
        self.now = now
        self.tree = Tree(root)
        self.account: Account = read_account(str(settings.get("account") or ""))
        self.limits = Limits(
            int(settings.get("body_limit") or BODY_BYTES),
            int(settings.get("document_limit") or DOCUMENT_BYTES),
            float(settings.get("page_token_seconds") or PAGE_TOKEN_SECONDS),
        )
        self._state = str(settings.get("state") or "")
        self._beside = str(settings.get("wiki") or "")
        self.course: Mapping[str, Course] = read_course(settings.get("tasks"))
        self.readers = Readers(settings.get("reading_limits") or {})
        self.lock = Lock(self.tree)
        self.own = OwnFolder(self.tree, self.lock)
        self.evidence = Evidence(self.tree)
        self.comments = Comments(self.tree)
        self.stamps = Stamps(self.comments)
        self._everything: Everything | None = None

    @cached_property
    def registry(self) -> Registry:
        return Registry(DatabaseFile(self.tree, OWN_FOLDER, REGISTRY), self.tree)

    @cached_property
    def index(self) -> Index:
        """Return the index; one that holds a wiki too is another one."""
        if not self._state:
            return Index(DatabaseFile(self.tree, OWN_FOLDER, SEARCH_BOTH if self._beside else SEARCH))
        folder = os.path.abspath(os.path.expanduser(self._state))
        os.makedirs(folder, mode=0o700, exist_ok=True)
        # With the id of the drive: another drive at the same place never meets what was read of this one.
        marks = f"{self.tree.root}\0{self.own.id}\0{self._beside}"
        name = hashlib.sha256(os.fsencode(marks)).hexdigest()[:16]
        return Index(DatabaseFile(Tree(folder), "", f"drive-search-{name}.sqlite3"))

    def look(self) -> None:
        """Read what people may have changed under `.drive/` since the last call."""
        self._everything = None
        self.own.look()
        self.evidence.file.look()
        self.comments.file.look()

    def identity(self) -> str:
        """Return the root, the drive that stands there, and the account."""
        return f"{shown(self.tree.root)} (drive {self.own.id}) as {self.account.name}"

    def close(self) -> None:
        for part in ("registry", "index"):
            if part in self.__dict__:
                getattr(self, part).close()
        self.readers.close()

    # --- finding things ---

    def refresh(self) -> Everything:
        """Look at the whole folder and return everything in it by its token."""
        found = self.registry.known(self.tree.walk())
        if found is None:
            with self.lock:
                found = self.registry.refresh(self.tree.walk())
        self._everything = found
        return found

    def find(self, token: str) -> Place | None:
        """Return the thing of a token where it is now, or None; looks at the whole folder only when it is
        not there.
        """
        if token == "":
            root = self.tree.entry("")
            return Place("", root, None) if root is not None else None
        place = self._find_at_known_path(token)
        if place is None:
            everything = self._everything if self._everything is not None else self.refresh()
            found = everything.get(token)
            place = Place(token, found[1], found[0]) if found is not None else None
        return place

    def _find_at_known_path(self, token: str) -> Place | None:
        item = self.registry.get(token)
        entry = self.tree.entry(item.path) if item is not None else None
        if item is None or entry is None:
            return None
        if self.registry.token_at(entry.path, entry) != token:
            return None
        return Place(token, entry, item)

    def get(self, token: str) -> Place:
        """Errors: ToolFailure `not_found`."""
        place = self.find(token)
        if place is None:
            raise not_found(token)
        return place

    def get_folder(self, token: str) -> Place:
        """Return a folder, also one whose name is no text: what was taken out of it has to be put back.

        Errors: ToolFailure `not_found`, `invalid_arguments` for what is no folder.
        """
        place = self.get(token)
        if not place.entry.is_folder:
            raise failure("invalid_arguments", f"{place.name} 不是文件夹", f"{place.name} is no folder", token=token)
        return place

    def at(self, path: str) -> Place | None:
        """Return what stands at a path, with its id; a thing seen for the first time is given one."""
        entry = self.tree.entry(path)
        if entry is None or _is_own(path):
            return None
        if not path:
            return Place("", entry, None)
        token = self.registry.token_at(path, entry)
        if token is not None:
            return Place(token, entry, self.registry.get(token))
        for found, (item, there) in self.refresh().items():
            if there.path == path:
                return Place(found, there, item)
        return None

    def addressed(self, text: str) -> Place | None:
        """Return what an address, a token or a path from the root means."""
        text = text.strip()
        if "://" in text:
            tail = text.partition("://")[2].partition("?")[0].partition("#")[0].rstrip("/")
            return self.find(tail.rpartition("/")[2]) if "/" in tail else None
        place = self.find(text) if text and "/" not in text else None
        return place if place is not None else self.at(text.strip("/"))

    def rights(self) -> Rights:
        """Return the rights as they are now; folders are looked at once."""
        known: dict[str, tuple[Entry, str] | None] = {}

        def look(path: str) -> tuple[Entry, str] | None:
            if path not in known:
                entry = self.tree.entry(path)
                token = (self.registry.token_at(path, entry) or "") if entry is not None else ""
                known[path] = (entry, token) if entry is not None else None
            return known[path]

        return Rights(self.account, self.evidence, look)

    def rights_over(self, everything: Everything) -> Rights:
        """Return the rights over a walk that was just made, without looking again."""
        root = self.tree.entry("")

        def look(path: str) -> tuple[Entry, str] | None:
            if not path:
                return (root, "") if root is not None else None
            token = self.registry.token_of(path)
            found = everything.get(token) if token is not None else None
            return (found[1], found[0].token) if found is not None else None

        return Rights(self.account, self.evidence, look)

    def parent_token(self, entry: Entry) -> str:
        """Return the token of the folder a thing is in; '' for the root."""
        parent = self.at(entry.parent)
        return parent.token if parent is not None else ""

    # --- bodies ---

    def body(self, entry: Entry) -> str | None:
        """Return the text of a document for the index, as `indexed` does."""
        return self.indexed(self.tree, entry)

    def indexed(self, tree: Tree, entry: Entry) -> str | None:
        """Return the text of a file of any tree for the index: '' where it holds none that can be read, None where
        that is not the matter of the file: today the system does not give it, or nothing reads it here.
        """
        try:
            return indexed_text(tree, entry, kind_of(entry), self.limits.document, self.readers)
        except OSError:
            return None
        except ToolFailure as failed:
            return None if failed.code == "unavailable" else ""


class PageToken:
    """Opaque tokens of pages: they carry where to go on, and a mark that binds them to one request."""

    @staticmethod
    def make(request: str, place: str) -> str:
        return f"{_mark(request, place)}{place.encode().hex()}"

    @staticmethod
    def read(request: str, token: str) -> str:
        """Errors: ToolFailure `invalid_page_token` for a token that this request was not given."""
        try:
            place = bytes.fromhex(token[16:]).decode()
        except ValueError:
            raise invalid_page_token() from None
        if PageToken.make(request, place) != token:
            raise invalid_page_token()
        return place


def _mark(request: str, place: str) -> str:
    return hashlib.sha256(f"{request}\n{place}".encode()).hexdigest()[:16]


def _is_own(path: str) -> bool:
    return path == OWN_FOLDER or path.startswith(OWN_FOLDER + "/")
