"""The tools that read: information, outline, sections, blocks, whole notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from interpreter.adapters.notes.blocks import Block, all_of, as_xml, short_id
from interpreter.adapters.notes.failures import block_not_found, failure, hint, invalid, note_not_found
from interpreter.adapters.notes.note import words_in
from interpreter.adapters.notes.vault import Catalogue, Note, Vault
from interpreter.adapters.search.words import fold
from interpreter.ports import ToolFailure

Answer = dict[str, Any]
Arguments = Mapping[str, Any]
Show = Callable[[Block], str]
#: Above so many blocks a note comes in pages of so many; a section stops at so many.
_WHOLE, _PAGE, _SECTION = 200, 100, 50
_INFO_PAGE, _MOST_IDS = 20, 100
_SIZES = ((5_000, "small"), (20_000, "medium"), (80_000, "large"))


def tag_id(name: str) -> str:
    return short_id("tag", fold(name))


def listed(note: Note) -> Answer:
    """Return what lists of notes say of one."""
    head = note.head
    answer: Answer = {
        "note_id": note.note_id,
        "title": head.title,
        "create_time": head.created,
        "update_time": head.updated,
        "intro": head.intro,
        "path": head.path,
        "starred": head.starred,
        "tags": [{"id": tag_id(tag), "name": tag} for tag in head.tags],
    }
    if note.problem is not None:
        answer["problem"] = note.problem.told()
    return answer


def get_note_info(vault: Vault, arguments: Arguments) -> Answer:
    catalogue = vault.look()
    if "note_id" in arguments:
        return _info_of(catalogue, [arguments["note_id"]])
    if "note_ids" in arguments:
        asked = list(dict.fromkeys(arguments["note_ids"]))
        if len(asked) > _MOST_IDS:
            raise invalid(f"一次最多 {_MOST_IDS} 个编号", f"at most {_MOST_IDS} ids at once")
        return _info_of(catalogue, asked)
    every = catalogue.newest_first["update_time"]
    if "limit" in arguments:
        page, size = 1, arguments["limit"]
    else:
        page, size = arguments.get("page", 1), arguments.get("page_size", _INFO_PAGE)
    start = (page - 1) * size
    meta = {"total": len(every), "has_more": start + size < len(every), "page": page, "page_size": size}
    if "limit" in arguments:
        meta["requested_limit"] = arguments["limit"]
    return {"notes": [_about(catalogue, note) for note in every[start : start + size]], "meta": meta}


def _info_of(catalogue: Catalogue, asked: Sequence[str]) -> Answer:
    found = [catalogue.by_id[note_id] for note_id in asked if note_id in catalogue.by_id]
    missing = [note_id for note_id in asked if note_id not in catalogue.by_id]
    if missing and not found:
        raise note_not_found(", ".join(missing))
    meta: Answer = {"total": len(found), "has_more": False}
    if missing:
        meta["missing"] = missing
    return {"notes": [_about(catalogue, note) for note in found], "meta": meta}


def _about(catalogue: Catalogue, note: Note) -> Answer:
    links = []
    for name in note.head.links:
        linked = catalogue.linked(name)
        links.append({"name": name, "note_id": linked} if linked is not None else {"name": name})
    return {**listed(note), "link_id": "", "links": links}


# --- blocks -----------------------------------------------------------------------------------------------------------


def get_note_outline(vault: Vault, arguments: Arguments) -> Answer:
    note, blocks, show = _open(vault, arguments)
    deepest = arguments.get("max_depth", 1)
    first, last, paging = _page(arguments, len(blocks))
    length = arguments.get("preview_length", 50) if arguments.get("include_preview", True) else 0
    entries: list[Answer] = []
    for block in blocks[first:last]:
        entries.append(_outlined(block, 1, length))
        if deepest > 1:
            entries.extend(_outlined(child, 2, length) for child in all_of(block.children))
    words = sum(words_in(block.text) for block in blocks)
    return {
        "title": note.head.title,
        "word_count": words,
        "block_count": len(blocks),
        "estimated_xml_chars": sum(len(show(block)) for block in blocks),
        "size_category": next((name for size, name in _SIZES if words < size), "very_large"),
        "blocks": entries,
        **paging,
    }


def _outlined(block: Block, depth: int, length: int) -> Answer:
    text = block.text
    answer: Answer = {
        "id": block.id,
        "type": block.kind,
        "depth": depth,
        "word_count": words_in(text),
        "children_count": len(block.children),
        "attrs": _attrs(block),
    }
    if length:
        shown = " ".join(text.split())
        answer["preview"] = shown if len(shown) <= length else shown[:length] + "…"
    return answer


def read_section(vault: Vault, arguments: Arguments) -> Answer:
    _, blocks, show = _open(vault, arguments)
    heading_id = arguments["heading_block_id"]
    place = next((number for number, block in enumerate(blocks) if block.id == heading_id), None)
    if place is None:
        if any(block.id == heading_id for block in all_of(blocks)):
            raise _no_heading(heading_id)
        raise block_not_found(heading_id)
    heading = blocks[place]
    if heading.kind != "heading":
        raise _no_heading(heading_id)
    level = heading.attrs["level"]
    closes = level if arguments.get("include_subsections", True) else 6
    end = place + 1
    while end < len(blocks) and not (blocks[end].kind == "heading" and blocks[end].attrs["level"] <= closes):
        end += 1
    inner = blocks[place + 1 : end]
    offset, most = arguments.get("block_offset", 0), arguments.get("max_blocks", _SECTION)
    answer: Answer = {
        "heading": heading.text,
        "level": level,
        "blocks": [_read(block, show) for block in inner[offset : offset + most]],
        "truncated": offset + most < len(inner),
    }
    if answer["truncated"]:
        answer["next_block_offset"] = offset + most
    return answer


def _no_heading(block_id: str) -> ToolFailure:
    return failure(
        "INVALID_BLOCK_TYPE",
        f"{block_id} 不是标题，请用 read_blocks 读取",
        f"{block_id} is no heading; read it with read_blocks",
        [hint("read_blocks", "读取这个块", "read the block")],
    )


def read_blocks(vault: Vault, arguments: Arguments) -> Answer:
    if ("block_ids" in arguments) == ("block_id" in arguments):
        raise invalid("请给出 block_ids 或 block_id，二者取一", "give block_ids or block_id, one of the two")
    _, blocks, show = _open(vault, arguments)
    if "block_ids" in arguments:
        by_id = {block.id: block for block in all_of(blocks)}
        for block_id in arguments["block_ids"]:
            if block_id not in by_id:
                raise block_not_found(block_id)
        return {"blocks": [_read(by_id[block_id], show) for block_id in arguments["block_ids"]]}
    anchor = arguments["block_id"]
    level = _level_of(blocks, anchor)
    place = next(number for number, block in enumerate(level) if block.id == anchor)
    before, after = arguments.get("before", 0), arguments.get("after", 0)
    chosen = [
        block
        for number, block in enumerate(level)
        if place - before <= number <= place + after and (number != place or arguments.get("include_anchor", True))
    ]
    return {"blocks": [_read(block, show) for block in chosen]}


def _level_of(blocks: Sequence[Block], block_id: str) -> Sequence[Block]:
    """Return the blocks among which one stands: those of the note, or of a container."""
    if any(block.id == block_id for block in blocks):
        return blocks
    for block in all_of(blocks):
        if any(child.id == block_id for child in block.children):
            return block.children
    raise block_not_found(block_id)


def read_note(vault: Vault, arguments: Arguments) -> Answer:
    note, blocks, show = _open(vault, arguments)
    first, last, paging = _page(arguments, len(blocks))
    longest = arguments.get("max_length")
    read: list[Answer] = []
    length = 0
    for block in blocks[first:last]:
        one = _read(block, show)
        if longest is not None and read and length + len(one["content"]) > longest:
            break
        read.append(one)
        length += len(one["content"])
    truncated = len(read) < last - first
    if truncated:
        paging = _paging(first, last - first, len(blocks), len(read))
    return {
        "title": note.head.title,
        "word_count": sum(words_in(block.text) for block in blocks),
        "content": "".join(one["content"] for one in read),
        "blocks": read,
        "truncated": truncated,
        **paging,
    }


# --- what they share --------------------------------------------------------------------------------------------------


def _open(vault: Vault, arguments: Arguments) -> tuple[Note, list[Block], Show]:
    """Return a note, its blocks, and what shows a block as XML."""
    note = vault.note(arguments["note_id"])
    catalogue = vault.look()
    return note, vault.blocks(note), lambda block: as_xml(block, catalogue.linked)


def _page(arguments: Arguments, total: int) -> tuple[int, int, Answer]:
    """Return where a page begins and ends, and what is said of it."""
    offset = min(arguments.get("offset", 0), total)
    limit = arguments.get("block_limit") or (_PAGE if total > _WHOLE else max(total, 1))
    last = min(offset + limit, total)
    if total <= _WHOLE and not arguments.get("offset") and "block_limit" not in arguments:
        return 0, total, {"has_more": False}
    return offset, last, _paging(arguments.get("offset", 0), limit, total, last - offset)


def _paging(offset: int, limit: int, total: int, returned: int) -> Answer:
    more = offset + returned < total and returned > 0
    pagination: Answer = {
        "offset": offset,
        "limit": limit,
        "total_blocks": total,
        "returned_blocks": returned,
        "has_more": more,
    }
    if not more:
        return {"has_more": False, "pagination": pagination}
    pagination["next_offset"] = offset + returned
    return {"has_more": True, "next_offset": offset + returned, "pagination": pagination}


def _read(block: Block, show: Show) -> Answer:
    return {
        "id": block.id,
        "type": block.kind,
        "text": block.text,
        "content": show(block),
        "attrs": _attrs(block),
    }


def _attrs(block: Block) -> Answer:
    return {name: value for name, value in block.attrs.items() if name not in ("src", "name")}
