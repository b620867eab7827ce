"""The folder of notes: what is in it now, by id and by name, and the notes themselves.

Changes are followed by size and time. Looking costs some microseconds for each note, so a large folder is not looked at
for every call: about a twentieth of the time goes into looking, no more. A small folder is looked at every time.
"""

from __future__ import annotations

import errno
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from interpreter.adapters.folders.paths import Entry, Tree, is_text, is_within, shown
from interpreter.adapters.notes.blocks import Block, identified, short_id
from interpreter.adapters.notes.failures import failure, no_vault, note_not_found
from interpreter.adapters.notes.index import Index, Stamp
from interpreter.adapters.notes.keyword import compared
from interpreter.adapters.notes.note import LARGEST, Head, NotText, Problem, read_note
from interpreter.adapters.search.words import fold
from interpreter.ports import ToolFailure
from rules.records import NamedTuple

_ENDINGS = (".md", ".markdown")
_DEEPEST = 100
#: A folder of so many notes is always looked at; a larger one rests so many seconds for each note.
_SMALL, _REST = 1000, 0.0001
#: So many notes are written into the index at a time, so that a process that is killed has not worked for nothing.
_BATCH = 1000
_KEPT = 32


class Note(NamedTuple):
    note_id: str
    number: int
    head: Head
    problem: Problem | None


class Catalogue:
    """The notes as they were at one look."""

    def __init__(self, notes: Mapping[str, Note]) -> None:
        self.by_id = notes

    @cached_property
    def newest_first(self) -> Mapping[str, list[Note]]:
        """All notes by each of their times; of the same time by path."""
        by_path = sorted(self.by_id.values(), key=lambda note: note.head.path)
        return {
            "update_time": sorted(by_path, key=lambda note: note.head.updated, reverse=True),
            "create_time": sorted(by_path, key=lambda note: note.head.created, reverse=True),
        }

    @cached_property
    def tags(self) -> Mapping[str, tuple[str, frozenset[str]]]:
        """Each tag by its folded name: as it is written most often, and the ids of the notes that bear it."""
        spelt: dict[str, dict[str, int]] = {}
        bearers: dict[str, set[str]] = {}
        for note in self.by_id.values():
            for tag in note.head.tags:
                folded = fold(tag)
                spellings = spelt.setdefault(folded, {})
                spellings[tag] = spellings.get(tag, 0) + 1
                bearers.setdefault(folded, set()).add(note.note_id)
        return {
            folded: (min(spellings, key=lambda tag: (-spellings[tag], tag)), frozenset(bearers[folded]))
            for folded, spellings in sorted(spelt.items())
        }

    @cached_property
    def _named(self) -> Mapping[str, str]:
        """Ids by what a link may call a note: its title, its file, its path."""
        named: dict[str, str] = {}
        for note in sorted(self.by_id.values(), key=lambda note: note.head.path):
            stem = note.head.path.rpartition(".")[0]
            for name in (note.head.title, stem.rpartition("/")[2], stem):
                named.setdefault(fold(name), note.note_id)
        return named

    def linked(self, name: str) -> str | None:
        """Return the id of the note that a link means."""
        name = name.partition("#")[0].strip().removeprefix("./")
        stem, dot, ending = name.rpartition(".")
        if f"{dot}{ending.lower()}" in _ENDINGS:
            name = stem
        return self._named.get(fold(name)) or self._named.get(fold(name.rpartition("/")[2]))


class Vault:
    """Errors: ToolFailure with a code of the contract."""

    def __init__(self, root: str, index: str, now: Callable[[], float] = time.monotonic) -> None:
        self.root = os.path.realpath(os.path.expanduser(root)) if root else ""
        self._index_folder = os.path.abspath(os.path.expanduser(index)) if index else ""
        self._now = now
        self._next_look = float("-inf")
        self._catalogue = Catalogue({})
        self._opened: Index | None = None
        self._parsed: OrderedDict[tuple[str, str, Stamp], list[Block]] = OrderedDict()
        self._seen: dict[str, Entry] = {}
        self.skipped: dict[str, Problem] = {}

    @property
    def index(self) -> Index:
        if self._opened is None:
            try:
                self._opened = Index(self._index_folder, self.root)
            except (OSError, ToolFailure) as error:
                folder = shown(self._index_folder)
                raise failure(
                    "INTERNAL_ERROR",
                    f"笔记的索引不能放在 {folder}：{error}；请看 settings.notes_index",
                    f"the index of the notes cannot be kept in {folder}: {error}; look at settings.notes_index",
                ) from None
        return self._opened

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    # --- looking ---

    def look(self) -> Catalogue:
        """Return what is in the folder now, or a moment ago."""
        if self._now() < self._next_look:
            return self._catalogue
        tree = self._tree()
        skipped: dict[str, Problem] = {}
        found = {entry.path: entry for entry in _notes_in(tree, skipped)}
        if self.index.load() or found != self._seen:
            self._follow(tree, found, skipped)
            self._catalogue = _catalogue(self.index)
            # What could not be read is looked at again, since rights may change without a trace.
            self._seen = {path: entry for path, entry in found.items() if path in self.index.rows}
        self.skipped = skipped
        self._next_look = self._now() + _REST * len(found) if len(found) > _SMALL else float("-inf")
        return self._catalogue

    def _tree(self) -> Tree:
        if not self.root:
            raise no_vault(
                "没有设置笔记文件夹；请用 --set settings.vault=文件夹 指定",
                "no folder of notes is set; give one with --set settings.vault=FOLDER",
            )
        if self._index_folder and is_within(os.path.realpath(self._index_folder), self.root):
            raise no_vault(
                "索引文件夹不能在笔记文件夹里面；请换一个 settings.notes_index",
                "the folder of the index must not be inside the folder of notes; choose another settings.notes_index",
            )
        return Tree(self.root)

    def _follow(self, tree: Tree, found: Mapping[str, Entry], skipped: dict[str, Problem]) -> None:
        """Bring the index up to date: rows for new and changed notes, none for what is gone."""
        index = self.index
        if index.is_worn():
            with index.writing():
                index.clear()
        rows = index.rows
        changed = [entry for path, entry in found.items() if path not in rows or rows[path].stamp != Stamp.of(entry)]
        gone = [path for path in rows if path not in found]
        for start in range(0, len(changed), _BATCH):
            with index.writing():
                for entry in changed[start : start + _BATCH]:
                    self._read_into(index, tree, entry, skipped)
        if gone:
            with index.writing():
                for path in gone:
                    index.remove(path)

    def _read_into(self, index: Index, tree: Tree, entry: Entry, skipped: dict[str, Problem]) -> None:
        try:
            head, blocks = _read(tree, entry)
        except (OSError, NotText) as error:
            index.remove(entry.path)
            skipped[shown(entry.path)] = _why(error)
            return
        index.put(entry, head, searched(head, blocks))

    # --- one note ---

    def note(self, note_id: str) -> Note:
        """Errors: ToolFailure `NOTE_NOT_FOUND`, `VAULT_UNAVAILABLE`."""
        note = self.look().by_id.get(note_id)
        if note is None:
            raise note_not_found(note_id)
        return note

    def blocks(self, note: Note) -> list[Block]:
        """Return the blocks of a note as it is now."""
        tree = self._tree()
        entry = tree.entry(note.head.path)
        if entry is None or not entry.is_file:
            self._next_look = float("-inf")
            raise note_not_found(note.note_id)
        key = (note.note_id, entry.path, Stamp.of(entry))
        blocks = self._parsed.get(key)
        if blocks is None:
            try:
                _, read = _read(tree, entry)
            except (OSError, NotText) as error:
                problem = _why(error)
                raise failure(
                    "INTERNAL_ERROR", f"{note.head.path}：{problem.zh}", f"{note.head.path}: {problem.en}"
                ) from None
            blocks = self._parsed[key] = identified(note.note_id, read)
            if len(self._parsed) > _KEPT:
                self._parsed.popitem(last=False)
        return blocks


def searched(head: Head, blocks: list[Block]) -> str:
    """Return what is searched of a note, folded: the title, the tags and the text, each on lines of its own."""
    body = "\n".join(block.text for block in blocks)
    return "\n".join((" ".join(compared(head.title).split()), compared(" ".join(head.tags)), compared(body)))


def _read(tree: Tree, entry: Entry) -> tuple[Head, list[Block]]:
    content, is_whole = tree.read(entry.path, LARGEST)
    return read_note(entry, content, is_whole)


def _notes_in(tree: Tree, skipped: dict[str, Problem]) -> Iterator[Entry]:
    """Yield the files that are notes; what is hidden is nobody's note."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        for entry in _children(tree, folder, skipped):
            if entry.name[0] == ".":
                continue
            if entry.is_folder:
                if entry.path.count("/") < _DEEPEST:
                    waiting.append(entry.path)
            elif entry.is_link:
                skipped[shown(entry.path)] = Problem("link", "是链接，不会跟随", "it is a link and is not followed")
            elif not entry.name.lower().endswith(_ENDINGS) or not entry.is_file:
                continue
            elif is_text(entry.path):
                yield entry
            else:
                skipped[shown(entry.path)] = Problem("not_readable", "文件名不是 UTF-8", "its name is no UTF-8")


def _children(tree: Tree, folder: str, skipped: dict[str, Problem]) -> Sequence[Entry]:
    """Return what lies in a folder; nothing where it cannot be read.

    Errors: the failure for a vault that cannot be read itself.
    """
    try:
        return tree.children(folder)
    except OSError as error:
        if folder:
            skipped[shown(folder)] = _why(error)
            return ()
        reason = error.strerror or str(error)
        zh, en = "请检查 settings.vault", "look at settings.vault"
        raise no_vault(
            f"笔记文件夹 {shown(tree.root)} 不能读取（{reason}）；{zh}",
            f"the folder of notes {shown(tree.root)} cannot be read ({reason}); {en}",
        ) from None


def _why(error: OSError | NotText) -> Problem:
    if isinstance(error, NotText):
        return Problem("not_text", "内容不是文本", "it holds no text")
    if error.errno == errno.ELOOP:
        return Problem("link", "是链接，不会跟随", "it is a link and is not followed")
    reason = error.strerror or str(error)
    return Problem("not_readable", f"不能读取（{reason}）", f"it cannot be read ({reason})")


def _catalogue(index: Index) -> Catalogue:
    """Give every note its id: its own, or one that stands for its place where it has none or another has the same.

    Which of two notes an id was meant for cannot be known: the first by its path has it, and both are told of.
    """
    notes: dict[str, Note] = {}
    claimed: dict[str, list[str]] = {}
    for path in sorted(index.rows):
        claimed.setdefault(index.rows[path].head.own_id, []).append(path)
    without = claimed.pop("", [])
    for own, paths in claimed.items():
        row = index.rows[paths[0]]
        problem = _same_id(own, paths[1]) if len(paths) > 1 else row.head.problem
        notes[own] = Note(own, row.number, row.head, problem)
        without += paths[1:]
    for path in sorted(without):
        row = index.rows[path]
        own = row.head.own_id
        note_id = row.head.derived_id
        while note_id in notes:
            note_id = short_id("again", note_id)
        problem = _same_id(own, claimed[own][0]) if own else row.head.problem
        notes[note_id] = Note(note_id, row.number, row.head, problem)
    return Catalogue(notes)


def _same_id(own: str, other: str) -> Problem:
    return Problem("same_id", f"编号 {own} 在 {other} 里也有", f"its id {own} is also that of {other}")
