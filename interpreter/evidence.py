"""The evidence of a run: texts that were really read, the units cut from them, and the citations made of those.

Where a text comes from cannot be carried by the text itself: values are plain JSON, and a mark on one would be lost on
the way through data, a journal or a tool, or be forged by whoever writes a mapping of the same form. So nothing is
carried. A body is what a contract (or an input) marks `evidence: body`, taken from recorded answers; whatever is to
become a unit must be found in a body again, letter for letter: as the whole of it, as a text inside the JSON that it
holds, or as a part. What is not found was not read. The place in the body comes with it, ids need no counter, and a
walk over the same journal finds the same. Two bodies read apart and joined by nothing or by blanks are a body too,
once the workflow joined them: the engine tells what was joined, and only whole bodies count.

Order must not depend on timing. Items worked on at once have an `Evidence` of their own each, which sees what was read
before; when all have ended theirs are taken over in the order of the list.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rules.records import NamedTuple
from rules.values import canonical_json, loads, same

Value = Any
Unit = dict[str, Any]
#: How many digits of its digest an id has; it gets more where two units would have the same.
DIGITS_OF_ID = 10
#: The fields of a unit, as workflows and tools see it.
UNIT_FIELDS = ("evidence_id", "side", "source", "path", "offset", "text", "read_at")


class NotRead(Exception):
    """A text that stands in no body of this run. Shapes: `path` is where the workflow says that it stood."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        super().__init__(path)


# --- bodies -----------------------------------------------------------------------------------------------------------


class Body:
    """One text that was read.

    Shapes: `key` is the key of the call that answered it ('' for an input), `place` the path to it in that answer;
    a body that was joined has `parts` and what stood between them instead.
    """

    __slots__ = ("_leaves", "at", "key", "parts", "place", "separator", "text")

    def __init__(
        self,
        text: str,
        at: str,
        key: str = "",
        place: tuple[str | int, ...] = (),
        parts: tuple[Body, ...] = (),
        separator: str = "",
    ) -> None:
        self.text = text
        self.at = at
        self.key = key
        self.place = place
        self.parts = parts
        self.separator = separator
        self._leaves: dict[str, list[str]] | None = None

    @property
    def leaves(self) -> dict[str, list[str]]:
        """The texts inside the JSON that the body holds, each with its paths; empty for any other text."""
        if self._leaves is None:
            self._leaves = _texts_of_json(self.text)
        return self._leaves

    def origin(self) -> dict[str, Any]:
        """Return where the body is kept, as it stands in a journal."""
        if self.parts:
            return {"parts": [part.origin() for part in self.parts], "separator": self.separator}
        kept = {"key": self.key, "place": list(self.place)}
        # A default of an input stands in no journal.
        return kept if self.key else {**kept, "text": self.text}

    def is_whole(self, text: str) -> bool:
        """Say whether a text is this body, or one of the texts that its JSON holds."""
        return text == self.text or text in self.leaves

    def find(self, text: str, path: str, after: int = 0) -> Position | None:
        """Return where a text stands. Shapes: a part of the body is looked for behind `after` first."""
        if text == self.text:
            return Position(self, None, 0)
        paths = self.leaves.get(text)
        if paths is not None:
            return Position(self, path if path in paths else paths[0], 0)
        offset = self.text.find(text, after)
        if offset < 0 and after:
            offset = self.text.find(text)
        if offset >= 0:
            return Position(self, None, offset)
        for longer, among in self.leaves.items():
            offset = longer.find(text)
            if offset >= 0:
                return Position(self, path if path in among else among[0], offset)
        return None


class Position(NamedTuple):
    """A place in a body: `leaf` is the path of a text in its JSON, None for the body itself. Units: code points."""

    body: Body
    leaf: str | None
    offset: int


def _places_in(body: Body, texts: Sequence[tuple[str, str]], numbers: Iterable[int]) -> tuple[dict[int, Position], int]:
    """Return where those of the numbered texts stand that a body holds, each behind the one before if it can.

    The number says how many do stand behind the one before; texts inside JSON have no order.
    """
    found: dict[int, Position] = {}
    in_order = 0
    after = 0
    for number in numbers:
        path, text = texts[number]
        position = body.find(text, path, after)
        if position is not None:
            found[number] = position
            in_order += position.leaf is not None or position.offset >= after
            after = position.offset + len(text) if position.leaf is None else after
    return found, in_order


def _texts_of_json(text: str) -> dict[str, list[str]]:
    if text.lstrip()[:1] not in ("{", "["):
        return {}
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return {}
    found: dict[str, list[str]] = {}
    for path, leaf in text_leaves(value):
        found.setdefault(leaf, []).append(path)
    return found


def text_leaves(value: Value, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts of a value with paths as the function `leaves` writes them; numbers have no letters."""
    if isinstance(value, str):
        if value:
            yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from text_leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from text_leaves(inner, f"{path}[{number}]")


def text_at(text: str, leaf: str | None) -> str | None:
    """Return the text at a place of a body: the body itself, or a text of its JSON; None where nothing stands there."""
    if leaf is None:
        return text
    return next((found for found, paths in _texts_of_json(text).items() if leaf in paths), None)


# --- units and citations ----------------------------------------------------------------------------------------------


class Admitted(NamedTuple):
    """A unit and where its text stands."""

    unit: Unit
    position: Position

    def stands(self) -> bool:
        """Say whether the text still stands, letter for letter, at its place in the body."""
        whole = text_at(self.position.body.text, self.position.leaf)
        offset, text = self.unit["offset"], self.unit["text"]
        return whole is not None and whole[offset : offset + len(text)] == text


Path = tuple[str | int, ...]
Bodies = Callable[[Value], Iterable[tuple[Path, str]]]


class Read(NamedTuple):
    """An answer that holds bodies; they are taken out when somebody asks. Shapes: `key` is that of the call."""

    key: str
    at: str
    value: Value
    bodies: Bodies


def _below(name: str, found: Iterable[tuple[Path, str]]) -> Iterator[tuple[Path, str]]:
    for path, text in found:
        yield (name, *path), text


class Evidence:
    """What was read, admitted and cited so far, as one scope sees it. `before` is what the scope around it had."""

    __slots__ = ("_before", "_bodies", "_by_text", "_citations", "_reads", "_units")

    def __init__(self, before: Evidence | None = None) -> None:
        self._before = before
        self._reads: list[Read] = []
        self._bodies: list[Body] = []
        self._by_text: dict[str, list[Body]] = {}
        self._units: dict[str, Admitted] = {}
        self._citations: dict[str, Admitted] = {}

    def apart(self) -> Evidence:
        """Return the evidence of an item that is worked on at once with others."""
        return Evidence(self)

    def take_over(self, inner: Evidence) -> None:
        """Take what an item read and admitted."""
        for body in inner._own_bodies():
            self._add_body(body)
        for admitted in inner._units.values():
            self._units.setdefault(admitted.unit["evidence_id"], admitted)
        self._citations.update(inner._citations)

    def _chain(self) -> Iterator[Evidence]:
        scope: Evidence | None = self
        while scope is not None:
            yield scope
            scope = scope._before

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, key: str, at: str, answer: Value, bodies: Bodies) -> None:
        """Take the bodies of a recorded answer. Shapes: `key` is that of the call."""
        self._reads.append(Read(key, at, answer, bodies))

    def take_input(self, name: str, at: str, value: Value, bodies: Bodies) -> None:
        """Take the bodies of an input that is marked as text that was read."""
        self._reads.append(Read("", at, {name: value}, lambda whole: _below(name, bodies(whole[name]))))

    def joined(self, pieces: Sequence[Value], separator: str) -> None:
        """Take note of texts that were joined: a body, where each of them is one and only blanks stand between."""
        if len(pieces) < 2 or separator.strip() or not all(isinstance(piece, str) for piece in pieces):
            return
        parts = [self._newest(piece) for piece in pieces]
        whole = [part for part in parts if part is not None]
        if len(whole) != len(pieces):
            return
        text = separator.join(pieces)
        if self._newest(text) is None:
            at = max(part.at for part in whole)
            self._add_body(Body(text, at, parts=tuple(whole), separator=separator))

    def _newest(self, text: str) -> Body | None:
        for scope in self._chain():
            scope._own_bodies()
            found = scope._by_text.get(text)
            if found:
                return found[-1]
        return None

    def _own_bodies(self) -> list[Body]:
        if self._reads:
            reads, self._reads = self._reads, []
            for key, at, value, bodies in reads:
                for place, text in bodies(value):
                    self._add_body(Body(text, at, key, place))
        return self._bodies

    def _add_body(self, body: Body) -> None:
        self._bodies.append(body)
        self._by_text.setdefault(body.text, []).append(body)

    def _all_bodies(self) -> Iterator[Body]:
        """Yield every body, the one read last first."""
        for scope in self._chain():
            yield from reversed(scope._own_bodies())

    # --- admitting ----------------------------------------------------------------------------------------------------

    def bodies_in(self, value: Value) -> list[tuple[str, str]]:
        """Return the texts of an answer that are bodies as a whole, with their paths."""
        return [(path, text) for path, text in text_leaves(value) if self._newest(text) is not None]

    def admit(
        self, side: str, source: Mapping[str, Value], texts: Sequence[tuple[str, str]], longer_than: int | None
    ) -> list[Admitted]:
        """Return the units of texts, in their order.

        Shapes: texts are (path, text); longer ones than `longer_than` become several units. Units: code points.
        Errors: NotRead for the first text that stands in no body.
        """
        asked = [(path, text) for path, text in texts if text.strip()]
        found: list[Admitted] = []
        for (path, text), position in zip(asked, self._positions(asked), strict=True):
            offset = position.offset
            for piece in pieces_of(text, longer_than):
                if piece.strip():
                    found.append(self._unit(side, source, path, piece, position._replace(offset=offset)))
                offset += len(piece)
        return found

    def _positions(self, texts: Sequence[tuple[str, str]]) -> list[Position]:
        """Return where each text stands. Texts of one list mostly come from one body."""
        found: dict[int, Position] = {}
        waiting: Sequence[int] = range(len(texts))
        while len(found) < len(texts):
            found |= self._in_one_body(texts, waiting)
            waiting = [number for number in waiting if number not in found]
        return [found[number] for number in range(len(texts))]

    def _in_one_body(self, texts: Sequence[tuple[str, str]], waiting: Sequence[int]) -> dict[int, Position]:
        """Return where the texts stand in the body that holds the longest of them and most of the others, in order.

        A short text may stand in many bodies, and a long one in a second body too: what stands beside it tells where
        it was read. Of bodies that are as good, one that is the longest text as a whole comes first, then the newest.
        Errors: NotRead where no body holds the longest.
        """
        path, longest = texts[max(waiting, key=lambda number: len(texts[number][1]))]
        found: dict[int, Position] = {}
        best = (0, 0)
        for body in sorted(self._all_bodies(), key=lambda body: not body.is_whole(longest)):
            if body.find(longest, path) is not None:
                here, in_order = _places_in(body, texts, waiting)
                fit = (len(here), in_order)
                if fit > best:
                    found, best = here, fit
                if best == (len(waiting), len(waiting)):
                    break
        if not found:
            raise NotRead(path, longest)
        return found

    def _unit(self, side: str, source: Mapping[str, Value], path: str, text: str, position: Position) -> Admitted:
        kept = dict(source)
        own_time = kept.get("read_at")
        read_at = own_time if isinstance(own_time, str) else position.body.at
        identity = {"side": side, "source": _without_time(kept), "path": path, "offset": position.offset, "text": text}
        digest = hashlib.sha256(canonical_json(identity).encode()).hexdigest()
        for digits in range(DIGITS_OF_ID, len(digest) + 1):
            evidence_id = f"{side[:1].lower()}-{digest[:digits]}"
            known = self.unit(evidence_id)
            if known is None:
                break
            if _is_same(known.unit, identity):
                return known
        unit = {**identity, "evidence_id": evidence_id, "source": kept, "read_at": read_at}
        admitted = Admitted({name: unit[name] for name in UNIT_FIELDS}, position)
        self._units[evidence_id] = admitted
        return admitted

    # --- looking up ---------------------------------------------------------------------------------------------------

    def unit(self, evidence_id: str) -> Admitted | None:
        return next((scope._units[evidence_id] for scope in self._chain() if evidence_id in scope._units), None)

    def known(self, value: Value) -> Admitted | None:
        """Return the unit that a value is, None where it is none of this run or was changed."""
        if not isinstance(value, dict) or not isinstance(value.get("evidence_id"), str):
            return None
        found = self.unit(value["evidence_id"])
        is_it = found is not None and set(value) == set(UNIT_FIELDS) and _is_same(value, found.unit)
        return found if is_it else None

    def cite(self, citation: Mapping[str, Value], admitted: Admitted) -> None:
        """Take note of a citation that stands for a unit, or for a part of one."""
        self._citations[canonical_json(citation)] = admitted

    def is_evidence(self, citation: Value) -> bool:
        """Say whether a citation was made from a unit, whose text still stands in its body."""
        try:
            text = canonical_json(citation)
        except (TypeError, ValueError, RecursionError):
            return False
        found = next((scope._citations[text] for scope in self._chain() if text in scope._citations), None)
        return found is not None and found.stands()

    # --- going on under edited documents ------------------------------------------------------------------------------

    def as_json(self) -> dict[str, Any]:
        """Return all of it as it is kept, so that a later walk can begin in the middle."""
        bodies = list(self._own_bodies())
        numbers = {id(body): number for number, body in enumerate(bodies)}
        return {
            "bodies": [_kept_body(body, numbers) for body in bodies],
            "units": [_kept_unit(one, numbers) for one in self._units.values()],
            "citations": [
                [text, one.unit["evidence_id"], _kept_unit(one, numbers)] for text, one in self._citations.items()
            ],
        }

    def restore(self, kept: Mapping[str, Any]) -> None:
        bodies: list[Body] = []
        for one in kept.get("bodies", ()):
            parts = tuple(bodies[number] for number in one.get("parts", ()))
            separator = one.get("separator", "")
            text = separator.join(part.text for part in parts) if parts else one["text"]
            bodies.append(Body(text, one["at"], one.get("key", ""), tuple(one.get("place", ())), parts, separator))
            self._add_body(bodies[-1])
        for one in kept.get("units", ()):
            self._units[one["unit"]["evidence_id"]] = _unit_again(one, bodies)
        for text, _, one in kept.get("citations", ()):
            self._citations[text] = _unit_again(one, bodies)


def _without_time(source: Mapping[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in source.items() if name != "read_at"}


def _is_same(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Say whether two units are the same text at the same place; when it was read does not count."""
    if not isinstance(one["source"], dict) or not same(_without_time(one["source"]), _without_time(other["source"])):
        return False
    return all(same(one[name], other[name]) for name in ("side", "path", "offset", "text"))


def _kept_body(body: Body, numbers: Mapping[int, int]) -> dict[str, Any]:
    if body.parts:
        parts = [numbers[id(part)] for part in body.parts]
        return {"at": body.at, "parts": parts, "separator": body.separator}
    return {"at": body.at, "key": body.key, "place": list(body.place), "text": body.text}


def _kept_unit(admitted: Admitted, numbers: Mapping[int, int]) -> dict[str, Any]:
    position = admitted.position
    return {"unit": admitted.unit, "body": numbers[id(position.body)], "leaf": position.leaf}


def _unit_again(kept: Mapping[str, Any], bodies: Sequence[Body]) -> Admitted:
    unit = kept["unit"]
    return Admitted(unit, Position(bodies[kept["body"]], kept["leaf"], unit["offset"]))


# --- cutting texts ----------------------------------------------------------------------------------------------------

_LINE_ENDS = frozenset("\n\r\v\f\x85\u2028\u2029")
_FULL_STOPS = frozenset("。！？；…．")
_STOPS_BEFORE_BLANKS = frozenset(".!?;")
_SENTENCE_ENDS = _FULL_STOPS | _STOPS_BEFORE_BLANKS
_CLOSING = frozenset("”’」』）》】)]\"'")
_JOINERS = frozenset("\u200d\u200c\u2060")


def pieces_of(text: str, longer_than: int | None) -> Iterator[str]:
    """Yield a text in pieces of at most so many characters, which joined give it again.

    A piece ends behind a line or a sentence, where one ends in its last two thirds, else behind a blank, else anywhere
    but inside what people see as one character; where a single one is longer, so is its piece. Units: code points.
    """
    start = 0
    while longer_than is not None and longer_than > 0 and len(text) - start > longer_than:
        end = _end_of_piece(text, start, start + longer_than)
        if end >= len(text):
            break
        yield text[start:end]
        start = end
    yield text[start:]


def _end_of_piece(text: str, start: int, end: int) -> int:
    least = start + (end - start) // 3
    marks = set(text[least:end])
    for is_end, endings in ((_ends_line, _LINE_ENDS), (_ends_sentence, _SENTENCE_ENDS), (_ends_word, None)):
        if not (marks & endings if endings is not None else any(map(str.isspace, marks))):
            continue
        for at in range(end, least, -1):
            if is_end(text, at) and may_cut(text, at, start):
                return at
    at = end
    while at > start and not may_cut(text, at, start):
        at -= 1
    if at > start:
        return at
    at = end + 1
    while at < len(text) and not may_cut(text, at, start):
        at += 1
    return at


def _ends_line(text: str, at: int) -> bool:
    return text[at - 1] in _LINE_ENDS


def _ends_sentence(text: str, at: int) -> bool:
    last = text[at - 1]
    if last.isspace():
        return at > 1 and text[at - 2] in _STOPS_BEFORE_BLANKS
    if last in _CLOSING and at > 1:
        last = text[at - 2]
    return last in _FULL_STOPS and text[at : at + 1] not in _CLOSING


def _ends_word(text: str, at: int) -> bool:
    return text[at - 1].isspace()


def may_cut(text: str, at: int, start: int = 0) -> bool:
    """Say whether a text may be cut before a character: not inside what people see as one.

    Shapes: `start` is an earlier place where it may be cut.
    """
    if at <= 0 or at >= len(text):
        return True
    before, behind = text[at - 1], text[at]
    if before.isascii() and behind.isascii():
        return not (before == "\r" and behind == "\n")
    if unicodedata.category(behind) in ("Mn", "Me", "Mc") or behind in _JOINERS or before in _JOINERS:
        return False
    code = ord(behind)
    if 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F or 0xDC00 <= code <= 0xDFFF:
        return False  # the colour of a face, a flag spelled in tags, the second half of a pair
    if _is_jamo(before) and _is_vowel_or_tail(behind):
        return False
    if _is_flag_letter(before) and _is_flag_letter(behind):
        first = at - 1
        while first > start and _is_flag_letter(text[first - 1]):
            first -= 1
        return (at - first) % 2 == 0
    return True


def _is_jamo(mark: str) -> bool:
    return 0x1100 <= ord(mark) <= 0x11FF or 0xAC00 <= ord(mark) <= 0xD7A3


def _is_vowel_or_tail(mark: str) -> bool:
    return 0x1160 <= ord(mark) <= 0x11FF


def _is_flag_letter(mark: str) -> bool:
    return 0x1F1E6 <= ord(mark) <= 0x1F1FF
