"""The tools that look for something: notes, tags, blocks of a note."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

from interpreter.adapters.notes.blocks import Block
from interpreter.adapters.notes.failures import Hint, hint, invalid
from interpreter.adapters.notes.front_matter import instant_of, written
from interpreter.adapters.notes.index import Index
from interpreter.adapters.notes.keyword import MOST_TERMS, Keyword, Term, compared
from interpreter.adapters.notes.note import tag_name
from interpreter.adapters.notes.reading import listed, tag_id
from interpreter.adapters.notes.vault import Catalogue, Note, Vault
from interpreter.adapters.search.words import fold

Answer = dict[str, Any]
Arguments = Mapping[str, Any]
_LIMIT, _HITS, _SKIPPED = 20, 10, 20
_PREVIEW_BEFORE, _PREVIEW = 40, 160
_NEAR, _NEAR_SHORT, _SHORT, _MOST_NEAR = 0.6, 0.5, 4, 5
#: A block that holds no term whole may still be meant when it holds this share of their words and pairs.
_SHARE_OF_PIECES = 0.5
#: A shorter run of characters is one word.
_PAIRS_OF_TWO_WORDS = 3


def search_notes(vault: Vault, arguments: Arguments) -> Answer:
    catalogue = vault.look()
    order = arguments.get("sort", "update_time")
    since, before = _window(arguments)
    keyword = Keyword(arguments.get("keyword", ""))
    numbers = _numbers(vault.index, keyword) if keyword.terms else None
    bearers, unknown = _bearers(catalogue, arguments.get("tags", ()))
    starred = arguments.get("starred")
    found = [
        note
        for note in _ordered(catalogue, order, arguments.get("direction", "desc"))
        if (numbers is None or note.number in numbers)
        and (bearers is None or note.note_id in bearers)
        and (starred is None or note.head.starred is starred)
        and _is_between(_time(note, order), since, before)
    ]
    limit = arguments.get("limit", _LIMIT)
    answer: Answer = {
        "notes": [listed(note) for note in found[:limit]],
        "meta": {"total": len(found), "has_more": len(found) > limit},
    }
    if vault.skipped:
        first = sorted(vault.skipped.items())[:_SKIPPED]
        answer["skipped"] = [{"path": path, "problem": problem.told()} for path, problem in first]
        answer["skipped_total"] = len(vault.skipped)
    if hints := [*unknown, *_advice(keyword, found)]:
        answer["hints"] = hints
    return answer


def _advice(keyword: Keyword, found: Sequence[Note]) -> Iterator[Hint]:
    if len(keyword.terms) > MOST_TERMS:
        zh, en = f"词语太多，只用了前 {MOST_TERMS} 个", f"too many words; the first {MOST_TERMS} were used"
        yield hint("search_notes", zh, en)
    if not found and len(keyword.terms) > 1:
        zh, en = "没有笔记含有全部词语，可以少给几个", "no note holds all of the words; try fewer"
        yield hint("search_notes", zh, en)


def _numbers(index: Index, keyword: Keyword) -> set[int]:
    """Return the numbers of the notes that hold every term."""
    found: set[int] | None = None
    for term in sorted(keyword.terms[:MOST_TERMS], key=lambda term: term.is_literal):
        holding = _holding(index, term)
        found = holding if found is None else found & holding
        if not found:
            return set()
    return found or set()


def _holding(index: Index, term: Term) -> set[int]:
    by_words = index.matching(term.phrase) if term.phrase is not None else None
    if not term.is_literal:
        return by_words or _holding_apart(index, term)
    return index.holding(term.text, by_words) or by_words or set()


def _holding_apart(index: Index, term: Term) -> set[int]:
    """Return the notes that hold the words of a term which was written without blanks, wherever they stand: each of its
    characters beside one of its neighbours.
    """
    pairs = [f'"{pair}"' for pair in term.pairs]
    if len(pairs) < _PAIRS_OF_TWO_WORDS:
        return set()
    inside = [f"({before} OR {behind})" for before, behind in pairwise(pairs[1:-1])]
    return index.matching(" AND ".join([pairs[-1], pairs[0], *inside]))


def _ordered(catalogue: Catalogue, order: str, direction: str) -> Iterable[Note]:
    newest_first = catalogue.newest_first[order]
    return newest_first if direction == "desc" else reversed(newest_first)


def _time(note: Note, order: str) -> str:
    return note.head.created if order == "create_time" else note.head.updated


def _is_between(time: str, since: str | None, before: str | None) -> bool:
    return (since is None or time >= since) and (before is None or time < before)


def _window(arguments: Arguments) -> tuple[str | None, str | None]:
    since, before = _instant(arguments, "since"), _instant(arguments, "before")
    if since is not None and before is not None and since > before:
        raise invalid(
            f"since（{arguments['since']}）在 before（{arguments['before']}）之后，中间没有任何时间；请对调",
            f"since ({arguments['since']}) comes after before ({arguments['before']}): nothing lies between; swap them",
        )
    return since, before


def _instant(arguments: Arguments, name: str) -> str | None:
    text = arguments.get(name)
    if text is None or not text.strip():
        return None
    found: datetime | None = instant_of(text)
    if found is None:
        raise invalid(
            f"{name} 不是可识别的时间：{text}；请写 2026-01-31 或带时区的日期时间",
            f"{name} is no time: {text}; write 2026-01-31, or a date with time and zone",
        )
    return written(found)


# --- tags -------------------------------------------------------------------------------------------------------------


def _bearers(catalogue: Catalogue, asked: Sequence[str]) -> tuple[frozenset[str] | None, list[Hint]]:
    """Return the ids of the notes that bear all tags, None where none is asked for; and advice on unknown ones."""
    found: frozenset[str] | None = None
    hints: list[Hint] = []
    for text in asked:
        name = tag_name(text)
        if not name:
            continue
        bearers = _bearers_of(catalogue, name, text)
        if not bearers:
            near = "、".join(near_tags(catalogue, name)[:_MOST_NEAR])
            zh = f"没有标签 {name}" + (f"；写法相近的有 {near}" if near else "")
            en = f"there is no tag {name}" + (f"; spelt nearly so are {near}" if near else "")
            hints.append(hint("find_tags", zh, en))
        found = bearers if found is None else found & bearers
    return found, hints


def _bearers_of(catalogue: Catalogue, name: str, text: str) -> frozenset[str]:
    """Return the notes that bear a tag or one below it; a name of some levels also stands for the tags that end so."""
    wanted = fold(name)
    below = [bearers for folded, (_, bearers) in catalogue.tags.items() if (folded + "/").startswith(wanted + "/")]
    if not below:
        below = [bearers for folded, (_, bearers) in catalogue.tags.items() if f"/{wanted}/" in f"/{folded}/"]
    if not below:
        below = [bearers for _, (spelt, bearers) in catalogue.tags.items() if tag_id(spelt) == text.strip()]
    return frozenset().union(*below)


def find_tags(vault: Vault, arguments: Arguments) -> Answer:
    catalogue = vault.look()
    name = tag_name(arguments.get("keyword", ""))
    if not name:
        return {"tags": [_tag(catalogue, folded, "all") for folded in catalogue.tags]}
    wanted = fold(name)
    same = [folded for folded in catalogue.tags if folded == wanted]
    holding = [folded for folded in catalogue.tags if wanted in folded and folded != wanted]
    tags = [_tag(catalogue, folded, "same") for folded in same]
    tags += [_tag(catalogue, folded, "holds") for folded in holding]
    if not same:
        near = [fold(tag) for tag in near_tags(catalogue, name)]
        tags += [_tag(catalogue, folded, "near") for folded in near if folded not in holding][:_MOST_NEAR]
    return {"tags": tags}


def near_tags(catalogue: Catalogue, name: str) -> list[str]:
    """Return the tags that are spelt nearly so, in whole or in one of their levels, the nearest first."""
    wanted = fold(name)
    ranked = []
    for folded, (spelt, _) in catalogue.tags.items():
        nearest = max(_likeness(wanted, part) for part in (folded, *folded.split("/")))
        if nearest > 0:
            ranked.append((-nearest, spelt))
    return [spelt for _, spelt in sorted(ranked)]


def _likeness(one: str, other: str) -> float:
    """Return how alike two names are, 0 where they are not near."""
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    least = _NEAR_SHORT if max(len(one), len(other)) <= _SHORT else _NEAR
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= least else 0.0


def _tag(catalogue: Catalogue, folded: str, match: str) -> Answer:
    name, bearers = catalogue.tags[folded]
    return {"id": tag_id(name), "name": name, "count": len(bearers), "match": match}


# --- inside a note ----------------------------------------------------------------------------------------------------


def search_note_content(vault: Vault, arguments: Arguments) -> Answer:
    note = vault.note(arguments["note_id"])
    keyword = Keyword(arguments["query"])
    blocks = vault.blocks(note)
    texts = [compared(block.text) for block in blocks]
    ranked = _ranked(texts, keyword)
    most = arguments.get("max_results", _HITS)
    above = _headings_above(blocks)
    return {"hits": [_hit(blocks[place], above[place], keyword) for place in ranked[:most]]}


def _ranked(texts: Sequence[str], keyword: Keyword) -> list[int]:
    """Return the places of the texts that hold terms, those with most of them first."""
    for patterns in (keyword.patterns, keyword.loose_patterns):
        held = [sum(pattern.search(text) is not None for pattern in patterns) for text in texts]
        if any(held):
            return _most_first(held, 1)
    pieces = keyword.pieces
    if len(pieces) < 2:
        return []
    held = [sum(piece in text for piece in pieces) for text in texts]
    return _most_first(held, len(pieces) * _SHARE_OF_PIECES)


def _most_first(held: Sequence[int], least: float) -> list[int]:
    return sorted(
        (place for place, count in enumerate(held) if count >= least), key=lambda place: (-held[place], place)
    )


def _headings_above(blocks: Sequence[Block]) -> list[list[Block]]:
    """Return for each block the headings that it stands under, the outer one first."""
    above: list[Block] = []
    found = []
    for block in blocks:
        if block.kind == "heading":
            above = [heading for heading in above if heading.attrs["level"] < block.attrs["level"]]
        found.append(list(above))
        if block.kind == "heading":
            above = [*above, block]
    return found


def _hit(block: Block, above: Sequence[Block], keyword: Keyword) -> Answer:
    hit: Answer = {"block_id": block.id, "type": block.kind, "preview": _preview(block.text, keyword)}
    if above:
        hit["heading"] = " > ".join(heading.text for heading in above)
        hit["heading_block_id"] = above[-1].id
    return hit


def _preview(text: str, keyword: Keyword) -> str:
    """Return the passage around the first term."""
    shown = " ".join(text.split())
    if len(shown) <= _PREVIEW:
        return shown
    folded = compared(shown)
    places = [match.start() for pattern in keyword.patterns if (match := pattern.search(folded)) is not None]
    first = min(places, default=0)
    # Folding may change lengths; then the passage is a little off, which a preview may be.
    start = max(0, min(first - _PREVIEW_BEFORE, len(shown) - _PREVIEW))
    end = start + _PREVIEW
    return ("…" if start else "") + shown[start:end] + ("…" if end < len(shown) else "")
