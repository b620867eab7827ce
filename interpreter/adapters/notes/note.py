"""One note as it was read: what is known of it without its text, and the text with its blocks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from interpreter.adapters.charsets import MARKS
from interpreter.adapters.folders.paths import Entry, shown
from interpreter.adapters.notes.blocks import Block, read_blocks, short_id
from interpreter.adapters.notes.front_matter import (
    id_of,
    instant_of,
    is_true,
    names_of,
    read_front_matter,
    text_of,
    written,
)
from interpreter.adapters.notes.inline import links_in, tags_in
from interpreter.adapters.search.words import composed, fold
from interpreter.diagnostics import Words
from rules.records import NamedTuple
from rules.words import RUN

#: Units: bytes; characters. What is beyond is not read.
LARGEST = 2 << 20
INTRO = 100


class Problem(NamedTuple):
    """Why a note was not read as it was meant. Shapes: `code` is one of the contract."""

    code: str
    zh: str
    en: str

    def told(self) -> dict[str, Any]:
        return {"code": self.code, "text": {"zh": self.zh, "en": self.en}}


class NotText(Exception):
    """The file holds no text."""


class Head(NamedTuple):
    """What is known of a note without its text.

    Shapes: `own_id` is what it calls itself, '' where it does not; `created` and `updated` are ISO 8601 in UTC, so that
    they sort as texts; `links` are names as they are written.
    """

    own_id: str
    path: str
    title: str
    created: str
    updated: str
    starred: bool
    tags: tuple[str, ...]
    links: tuple[str, ...]
    intro: str
    problem: Problem | None

    @property
    def derived_id(self) -> str:
        """The id of a note that has none of its own: it stands for the place."""
        return short_id("note", composed(self.path))


def decoded(content: bytes, is_whole: bool) -> tuple[str, Problem | None]:
    """Return bytes as text: by their mark, as UTF-8, as GB 18030.

    Errors: NotText.
    """
    if not is_whole:
        cut = content.rfind(b"\n")
        content = content[: cut + 1] if cut > 0 else content
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace"), None
    if b"\0" in content:
        raise NotText
    try:
        return content.decode("utf-8", "strict" if is_whole or content.endswith(b"\n") else "ignore"), None
    except UnicodeDecodeError:
        pass
    try:
        text = content.decode("gb18030")
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
        if text.count("\ufffd") * 20 > len(text):
            raise NotText from None
        lost = Problem("encoding", "有些字不是 UTF-8，已用 � 代替", "some characters are no UTF-8 and stand as �")
        return text, lost
    return text, Problem("encoding", "不是 UTF-8，按 GB 18030 读取", "it is no UTF-8 and was read as GB 18030")


def read_note(entry: Entry, content: bytes, is_whole: bool) -> tuple[Head, list[Block]]:
    """Return what a note says, from its bytes.

    Errors: NotText.
    """
    text, problem = decoded(content, is_whole)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front = read_front_matter(text)
    blocks = read_blocks(text[front.body :])
    values, raws = front.values, _raws(blocks)
    changed = datetime.fromtimestamp(entry.modified // 1_000_000_000, UTC)
    updated = _instant(values, ("updated", "modified", "update_time")) or changed
    created = _instant(values, ("created", "date", "create_time")) or updated
    path = shown(entry.path)
    head = Head(
        own_id=id_of(values.get("id")),
        path=path,
        title=text_of(values.get("title")) or _first_heading(blocks) or path.rpartition("/")[2].rpartition(".")[0],
        created=written(created),
        updated=written(updated),
        starred=is_true(values.get("starred")),
        tags=tuple(_tags(values, "\n".join(raws))),
        links=tuple(dict.fromkeys(link for raw in raws if "[" in raw for link in links_in(raw))),
        intro=_intro(blocks),
        problem=_worst(problem, front.problem, is_whole),
    )
    return head, blocks


def _worst(encoding: Problem | None, front: Words | None, is_whole: bool) -> Problem | None:
    if not is_whole:
        size = LARGEST >> 20
        return Problem("too_large", f"只读取了前 {size} MB", f"only the first {size} MB were read")
    if encoding is not None:
        return encoding
    if front is not None:
        return Problem("front_matter", f"笔记头部有误，{front.zh}", f"the front matter is wrong, {front.en}")
    return None


def _instant(values: Any, names: Iterable[str]) -> datetime | None:
    for name in names:
        found = instant_of(text_of(values.get(name)))
        if found is not None:
            return found
    return None


def _first_heading(blocks: Iterable[Block]) -> str:
    return next((block.text for block in blocks if block.kind == "heading" and block.attrs["level"] == 1), "")


def _raws(blocks: Iterable[Block]) -> list[str]:
    """Return the Markdown of all blocks but code."""
    found: list[str] = []
    for block in blocks:
        if block.kind == "embed":
            found.append(f"![[{block.attrs['name']}]]")
        elif block.kind != "code_block":
            found.append(block.raw)
        for row in block.rows:
            found += row
        if block.children:
            found += _raws(block.children)
    return found


def _tags(values: Any, raw: str) -> Iterable[str]:
    names = [*names_of(values.get("tags", values.get("tag"))), *tags_in(raw)]
    seen = set()
    for name in names:
        name = tag_name(name)
        if name and fold(name) not in seen:
            seen.add(fold(name))
            yield name


def tag_name(name: str) -> str:
    """Return a tag without its sign, its levels trimmed."""
    levels = composed(name).strip().lstrip("#＃").split("/")
    return "/".join(level.strip() for level in levels if level.strip())


def _intro(blocks: Iterable[Block]) -> str:
    for block in blocks:
        if block.kind not in ("heading", "code_block", "horizontal_rule", "embed") and block.text.strip():
            text = " ".join(block.text.split())
            return text if len(text) <= INTRO else text[:INTRO] + "…"
    return ""


def words_in(text: str) -> int:
    """Return how many words a text has; a Chinese, Japanese or Korean character is one."""
    return sum(1 if word else len(paired) for paired, word in RUN.findall(text))
