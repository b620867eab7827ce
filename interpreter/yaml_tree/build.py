"""The strict builder: nodes from libyaml's events, with an explicit stack."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from yaml._yaml import CParser
from yaml.error import YAMLError
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from interpreter.diagnostics import Diagnostic, Edit, Related, Words, finding, nearest
from interpreter.source import Span
from interpreter.yaml_tree import full_width
from interpreter.yaml_tree.nodes import Mapping, Node, Scalar, Sequence, Single, Style, character_offsets
from interpreter.yaml_tree.quoting import block_trouble, flow_trouble, key_hint, quoted
from interpreter.yaml_tree.reading import Reading
from interpreter.yaml_tree.scalars import MOST_DIGITS, NUMERIC_START, WORDS, numeral
from interpreter.yaml_tree.tabs import NO_OTHERS
from rules.patterns import regex

#: An event of libyaml. Its marks are always there; the published types say that they may be missing.
_Event: TypeAlias = Any

DEEPEST_NESTING = 100
MOST_ALIASED_NODES = 10_000

_PROPERTIES = regex(r"(?:[&!][^\s,\[\]{}]*[ \t\r\n]+)*")
_LINE_END = regex(r"[\r\n]")
_BLANK = frozenset(" \t")
_new_span = tuple.__new__  # a third of the cost of Span(…), which is most of what a reading makes
_APOSTROPHE = regex(r"(?<=[A-Za-z])'(?=[A-Za-z])")
_ITEM_INSIDE = regex(r"[\r\n] *- ")
_COMMENT = regex(r"[ \t]+#(\d)?")
#: Fields whose plain text is an expression (LANGUAGE 2); a full-width mark in one cannot be meant.
_EXPRESSION_FIELDS = frozenset({"when", "until", "that", "where", "while"})


class Wide:
    """Full-width marks in one scalar: where, and the text that should stand in the document (None: needs a person)."""

    __slots__ = ("end", "marks", "shown", "start", "text")

    def __init__(self, start: int, end: int, shown: int, text: str | None, marks: tuple[str, ...]) -> None:
        self.start = start
        self.end = end
        self.shown = shown
        self.text = text
        self.marks = marks


class _Frame:
    """A collection that is being built. `key` is the key whose value comes next."""

    __slots__ = ("anchor", "count", "end", "entries", "flow", "items", "key", "merged", "names", "skip", "start")

    def __init__(self, start: int, flow: bool, mapping: bool, anchor: str | None, count: int) -> None:
        self.start = start
        self.end = start
        self.flow = flow
        self.anchor = anchor
        self.count = count
        self.items: list[Node] = []
        self.entries: list[tuple[Scalar, Node]] = []
        self.names: dict[str, Scalar] | None = {} if mapping else None
        self.key: Scalar | None = None
        self.merged: list[Node] = []
        self.skip = False


class _Anchored:
    """A node that has an anchor. `node` is None as long as it is being built."""

    __slots__ = ("height", "node", "size", "span", "used")

    def __init__(self, span: Span) -> None:
        self.span = span
        self.node: Node | None = None
        self.size = 1
        self.height = 0
        self.used = False


class _Stop(Exception):
    """Nothing more can be read of this document."""


class Builder:
    """Nodes from events, without recursion.

    Shapes: afterwards `root` and `found` are the result, `error` is libyaml's, `suspect` says that the text may have
    been read otherwise than it was meant, `wide` are scalars with full-width marks.
    """

    def __init__(self, reading: Reading, poisoned: set[int]) -> None:
        self.reading = reading
        self.text = reading.text
        self.poisoned = poisoned
        self.root: Node | None = None
        self.found: list[Diagnostic] = []
        self.wide: list[Wide] = []
        self.error: YAMLError | None = None
        self.suspect = False
        self.count = 0
        self._stack: list[_Frame] = []
        self._anchors: dict[str, _Anchored] = {}
        self._aliased = 0
        self._documents = 0
        self._unchanged = not reading.changes
        self._source = reading.source
        self._occupied: list[tuple[int, int]] | None = [] if "\t" in self.text else None

    def build(self) -> None:
        handlers: dict[type[Event], Callable[..., None]] = {
            MappingStartEvent: self._begin_mapping,
            MappingEndEvent: self._end,
            SequenceStartEvent: self._begin_sequence,
            SequenceEndEvent: self._end,
            AliasEvent: self._alias,
            DocumentStartEvent: self._document,
            DocumentEndEvent: self._ignore,
            StreamStartEvent: self._ignore,
            StreamEndEvent: self._ignore,
        }
        scalar = self._scalar
        try:
            next_event = CParser(self.text).get_event
            while (event := next_event()) is not None:
                kind = event.__class__
                if kind is ScalarEvent:
                    scalar(event)
                else:
                    handlers[kind](event)
        except _Stop:
            pass
        except YAMLError as error:
            self.error = error
        self._finish()

    def _finish(self) -> None:
        while self._stack:
            self._close(self._stack[-1].end)
        if self.root is None and self.error is None and not self.found:
            self._report("yaml/empty-document", 0, 0)
        for name, anchored in self._anchors.items():
            if isinstance(anchored.node, Scalar) and not anchored.used and self.error is None:
                self.found.append(finding("yaml/unused-anchor", anchored.span, anchor=name))
        if self._occupied is not None and self.error is None:
            self._check_tabs(self._occupied)

    # --- events ---------------------------------------------------------------------------------------------------

    def _ignore(self, event: _Event) -> None:
        pass

    def _document(self, event: _Event) -> None:
        self._documents += 1
        if self._documents > 1:
            self._report("yaml/second-document", event.start_mark.index, event.end_mark.index)
            raise _Stop

    def _scalar(self, event: _Event) -> None:
        """Make a node of a scalar; half of the time of a reading is spent here, so the common case comes first."""
        text: str = event.value
        start: int = event.start_mark.index
        end: int = event.end_mark.index
        if event.anchor or event.tag:
            start = self._properties(event, start, end)
        self.count += 1
        value: Single = text
        surprise = None
        style = event.style
        written: Style = "plain"
        if style:
            written = "quoted"
            if style in "|>":
                written = "block"
                end = self._block_end(text, start, end)
        else:
            if text in WORDS or text[0] in NUMERIC_START:
                value, surprise = self._meaning(text, start, end)
            if "'" in text or '"' in text or "(" in text or self.text[end : end + 1] in _BLANK or not self._stack:
                self._check_whole(text, start, end, is_text=value is text)
            if " - " in text and _ITEM_INSIDE.search(self.text, start, end):
                self.suspect = True
        if self._unchanged:
            node = Scalar(value, text, written, _new_span(Span, (self._source, start, end)), surprise)
        else:
            node = self._mended_scalar(value, text, written, start, end, surprise)
        if surprise == "digits" or event.tag:
            node.surprise, node.broken = None, True
        if self._occupied is not None:
            self._occupied.append((start, end))
        if not text.isascii() and not node.broken and (full_width.is_suspect(text) or self._is_bare()):
            self._check_marks(node, start, end)
        if event.anchor:
            anchored = self._anchor(event.anchor, self.reading.span(event.start_mark.index, start))
            anchored.node = node
        self._put(node, start, end)

    def _meaning(self, text: str, start: int, end: int) -> tuple[Single, str | None]:
        meaning = WORDS.get(text) or numeral(text)
        if meaning[1] == "digits":
            self._report("yaml/number-too-long", start, end, limit=MOST_DIGITS)
        return meaning

    def _block_end(self, text: str, start: int, end: int) -> int:
        """Return where a block scalar really ends; libyaml's mark lies behind the blank lines that follow."""
        raw = self.text[start:end].rstrip()
        if not text and raw[1:].strip("+-")[:1].isdigit():
            self.suspect = True
        return start + len(raw)

    def _mended_scalar(
        self,
        value: Single,
        text: str,
        style: Style,
        start: int,
        end: int,
        surprise: str | None,
    ) -> Scalar:
        offsets = tuple(self.reading.place(one) for one in character_offsets(self.text[start:end], start, text, style))
        span = self.reading.span(start, end)
        return Scalar(value, text, style, span, surprise, broken=span.start in self.poisoned, offsets=offsets)

    def _check_whole(self, text: str, start: int, end: int, *, is_text: bool) -> None:
        """Note a plain value that may be less than what its author typed."""
        odd = _is_cut(text)
        if not self._stack:
            self.suspect = self.suspect or odd or not text.isascii()
        elif self._stack[-1].flow:
            self.suspect = self.suspect or odd
        elif _COMMENT.match(self.text, end):
            if odd or text.count("{{") != text.count("}}") or text.count("[") != text.count("]"):
                self.suspect = True
            elif is_text:
                self._check_comment(start, end)

    def _check_comment(self, start: int, end: int) -> None:
        """Warn of `问题 #1`: a number directly after the mark hardly begins a comment."""
        comment = _COMMENT.match(self.text, end)
        if not comment or not comment[1]:
            return
        stop = _LINE_END.search(self.text, end)
        rest = self.text[comment.start(1) : stop.start() if stop else len(self.text)].rstrip()
        whole = quoted(self.text[start : comment.start(1) + len(rest)])
        line = self._line_with(start, comment.start(1) + len(rest), whole)
        self._report("yaml/maybe-comment", comment.start(1) - 1, comment.end(), rest=rest, line=line)

    def _properties(self, event: _Event, start: int, end: int) -> int:
        """Report a tag and return where the value behind tag and anchor begins."""
        if event.tag:
            self.suspect = True
            self._report(
                "yaml/tag", start, min(end, start + len(event.tag)), tag=event.tag.replace("tag:yaml.org,2002:", "!!")
            )
        found = _PROPERTIES.match(self.text, start)
        return min(found.end() if found else start, end)

    def _begin_mapping(self, event: _Event) -> None:
        self._begin(event, mapping=True)

    def _begin_sequence(self, event: _Event) -> None:
        self._begin(event, mapping=False)

    def _begin(self, event: _Event, *, mapping: bool) -> None:
        start: int = event.start_mark.index
        flow: bool = event.flow_style is True
        self.count += 1
        if event.anchor or event.tag:
            found = _PROPERTIES.match(self.text, start)
            self._properties(event, start, len(self.text))
            if event.anchor:
                self._anchor(event.anchor, self.reading.span(start, start + 1 + len(event.anchor)))
            start = found.end() if found else start
        if flow and self.text[start : start + 2] in ("{{", "{%"):
            self.suspect = True
        if len(self._stack) >= DEEPEST_NESTING:
            self._report("yaml/too-deeply-nested", start, start + 1, limit=DEEPEST_NESTING)
            raise _Stop
        self._stack.append(_Frame(start, flow, mapping, event.anchor, self.count))

    def _end(self, event: _Event) -> None:
        frame = self._stack[-1]
        self._close(event.end_mark.index if frame.flow else frame.end)

    def _close(self, end: int) -> None:
        """Finish the innermost collection and hand it to the one around it."""
        frame = self._stack.pop()
        if frame.merged:
            self._merge(frame)
        span = self.reading.span(frame.start, end)
        node: Node
        node = Sequence(tuple(frame.items), span) if frame.names is None else Mapping(tuple(frame.entries), span)
        if frame.anchor:
            anchored = self._anchors.get(frame.anchor)
            if anchored is not None and anchored.node is None:
                anchored.node, anchored.size = node, self.count - frame.count + 1
                anchored.height = _height(node)
        self._put(node, frame.start, end)

    def _alias(self, event: _Event) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if self._occupied is not None:
            self._occupied.append((start, end))
        self._put(self._aliased_node(event.anchor, start, end), start, end)

    def _anchor(self, name: str, span: Span) -> _Anchored:
        """Take note of an anchor; a second one of the same name would take its place from here on."""
        before = self._anchors.get(name)
        if before is not None:
            first = [Related(before.span, Words("第一次在这里", "first given here"))]
            self.found.append(finding("yaml/anchor-twice", span, related=first, anchor=name))
        self._anchors[name] = anchored = _Anchored(span)
        return anchored

    def _aliased_node(self, name: str, start: int, end: int) -> Node:
        anchored = self._anchors.get(name)
        if anchored is None:
            self.suspect = True
            near = nearest(name, self._anchors)
            hint = Words(f"是不是想写 *{near}？", f"did you mean *{near}?") if near else None
            return self._broken("yaml/unknown-alias", start, end, hint=hint, alias=name)
        anchored.used = True
        related = [Related(anchored.span, Words("锚点在这里", "the anchor is here"))]
        if anchored.node is None:
            return self._broken("yaml/alias-inside-itself", start, end, related=related, alias=name)
        if len(self._stack) + anchored.height > DEEPEST_NESTING:
            return self._broken("yaml/too-deeply-nested", start, end, related=related, limit=DEEPEST_NESTING)
        self._aliased += anchored.size
        self.count += anchored.size
        if self._aliased > MOST_ALIASED_NODES:
            self._report("yaml/too-many-aliases", start, end, limit=MOST_ALIASED_NODES)
            raise _Stop
        return anchored.node

    # --- nodes into collections -----------------------------------------------------------------------------------

    def _put(self, node: Node, start: int, end: int) -> None:
        if not self._stack:
            self.root = node
            return
        frame = self._stack[-1]
        if end > frame.end:
            frame.end = end
        if frame.names is None:
            frame.items.append(node)
        elif frame.key is not None:
            self._put_value(frame, frame.key, node, start)
        elif frame.skip:
            frame.skip = False
        else:
            self._put_key(frame, node, start, end)

    def _put_key(self, frame: _Frame, node: Node, start: int, end: int) -> None:
        if not isinstance(node, Scalar):
            self.suspect = True
            raw = self.text[start:end].strip()
            near = quoted(raw) if raw.isprintable() and len(raw) < 60 else "key: …"
            self._report("yaml/key-not-text", start, end, key=raw[:60], near=near)
            frame.skip = True
            return
        if node.value is not node.text and not isinstance(node.value, str) and not node.broken:
            near = quoted(node.text)
            edit = Edit(node.span, near) if node.text else None
            self.found.append(finding("yaml/key-not-text", node.span, edit=edit, key=node.text, near=near))
        frame.key = node

    def _put_value(self, frame: _Frame, key: Scalar, node: Node, start: int) -> None:
        frame.key = None
        is_bare = isinstance(node, Scalar) and not node.text and node.style == "plain" and not node.broken
        if is_bare and self.text[start - 1 : start] != ":":
            self.suspect = True
            hint = key_hint(key.text)
            self.found.append(finding("yaml/key-without-value", key.span, hint=hint, key=key.text))
        names = frame.names
        assert names is not None
        is_merge = key.text == "<<" and key.style == "plain"
        if key.text in names:
            self.suspect = self.suspect or key.text[:1] == "-"
            first = names[key.text]
            related = [Related(first.span, Words("第一次出现在这里", "first given here"))]
            lines = first.span.begins.line, key.span.begins.line
            made = finding(
                "yaml/duplicate-key", key.span, related=related, key=key.text, first=lines[0], second=lines[1]
            )
            self.found.append(made)
            return
        names[key.text] = key
        if is_merge:
            self._check_merged(key, node)
            frame.merged.append(node)
        else:
            frame.entries.append((key, node))

    def _check_merged(self, key: Scalar, node: Node) -> None:
        """Report a merge of something else than mappings."""
        taken = node.items if isinstance(node, Sequence) else (node,)
        if not all(isinstance(one, Mapping) or (isinstance(one, Scalar) and one.broken) for one in taken):
            self.found.append(finding("yaml/merge-key", key.span))

    def _merge(self, frame: _Frame) -> None:
        """Take over the entries of merges; what stands in the mapping itself counts, then the earlier merge."""
        names = dict(frame.names or {})
        for node in frame.merged:
            for one in node.items if isinstance(node, Sequence) else (node,):
                for key, value in one.entries if isinstance(one, Mapping) else ():
                    if key.text not in names:
                        names[key.text] = key
                        frame.entries.append((key, value))

    # --- findings -------------------------------------------------------------------------------------------------

    def _report(self, code: str, start: int, end: int, **facts: Any) -> None:
        self.found.append(finding(code, self.reading.span(start, end), **facts))

    def _broken(
        self,
        code: str,
        start: int,
        end: int,
        *,
        related: Iterable[Related] = (),
        hint: Words | None = None,
        **facts: Any,
    ) -> Scalar:
        span = self.reading.span(start, end)
        self.found.append(finding(code, span, related=related, hint=hint, **facts))
        return Scalar(None, self.text[start:end], "plain", span, broken=True, offsets=())

    def _is_bare(self) -> bool:
        """Tell whether the scalar that comes now is the value of a field that holds an expression."""
        key = self._stack[-1].key if self._stack else None
        return key is not None and key.text in _EXPRESSION_FIELDS

    def _check_marks(self, node: Scalar, start: int, end: int) -> None:
        """Note full-width marks in one scalar, and what should stand there instead."""
        raw = self.text[start:end]
        if node.style == "block":
            self._check_block_marks(raw, start)
            return
        frame = self._stack[-1] if self._stack else None
        is_key = frame is not None and frame.names is not None and frame.key is None
        flow = frame is not None and frame.flow
        mended = None
        if flow and node.style == "plain" and frame is not None and frame.names is None:
            mended = full_width.mend_list(node.text)
        text = mended.text if mended else None
        if mended is None:
            is_plain = node.style == "plain"
            mended = full_width.mend_value(node.text, bare=self._is_bare(), name=is_key, plain=is_plain)
            text = _written(mended, node, raw, flow) if mended else None
        # In an expression the marks may all stand inside quotation marks, or there may be none.
        if node.style == "plain" and (text is None or is_key) and (mended or full_width.is_suspect(node.text)):
            self.suspect = True
        if mended is not None:
            self._note_marks(raw, start, end, text, mended.marks)

    def _check_block_marks(self, raw: str, start: int) -> None:
        for line in re.finditer(r"[^\r\n]+", raw):
            mended = full_width.mend_value(line[0]) if not line[0].isascii() else None
            if mended is not None and not mended.names:
                self._note_marks(line[0], start + line.start(), start + line.end(), mended.text, mended.marks)

    def _note_marks(self, raw: str, start: int, end: int, text: str | None, marks: tuple[str, ...]) -> None:
        shown = next((at for at, mark in enumerate(raw) if mark in marks), 0)
        place = self.reading.place
        self.wide.append(Wide(place(start), place(end - 1) + 1, place(start + shown), text, marks))

    def _check_tabs(self, occupied: list[tuple[int, int]]) -> None:
        """Report tabs that stand between values, one finding a line; inside quoted and block texts they are data."""
        at = 0
        reported = -1
        for start, end in [*occupied, (len(self.text), len(self.text))]:
            for tab in re.finditer("\t+", self.text[at:start]):
                place = at + tab.start()
                line_start = max(self.text.rfind("\n", 0, place), self.text.rfind("\r", 0, place)) + 1
                if line_start == reported or re.search(r"(?:^|[ \t])#", self.text[max(line_start, at) : place]):
                    continue
                reported = line_start
                stop = at + tab.end()
                indents = not self.text[line_start:place].strip()
                blanks = "  " * (stop - place) if indents else " "
                span = self.reading.span(place, stop)
                # How deep a tab was meant to be is for its author to say: two blanks may be another place.
                edit = None if indents else Edit(span, blanks)
                self.found.append(
                    finding("yaml/tab", span, edit=edit, **NO_OTHERS, line=self._line_with(place, stop, blanks))
                )
            at = max(at, end)
        for start, end in occupied:
            if "\t" in self.text[start:end] and self.text[start] not in "\"'|>":
                place = self.text.index("\t", start)
                line = self._line_with(place, place + 1, " ")
                self._report("yaml/tab", place, place + 1, **NO_OTHERS, line=line)

    def _line_with(self, start: int, end: int, new: str) -> str:
        before = self.text[:start].rpartition("\n")[2]
        return (before + new + self.text[end:].partition("\n")[0]).strip().replace("\t", " ")


def _written(mended: full_width.Mended, node: Scalar, raw: str, flow: bool) -> str | None:
    """Return how a mended value is written in the place of its scalar; None where that is not safe to say."""
    if "\n" in raw or "\r" in raw or not mended.text.isprintable():
        return None
    trouble = flow_trouble(mended.text) if flow else block_trouble(mended.text)
    if node.style == "plain" and not mended.names:
        if raw[0] == "＃" or (raw[0] == "｛" and mended.text[0] != "{"):
            return None
        return quoted(mended.text) if trouble else mended.text
    return quoted(mended.text) if '"' in mended.text or "\\" in mended.text else f'"{mended.text}"'


def _is_cut(text: str) -> bool:
    """Tell whether a bracket or quotation mark has no partner; an apostrophe inside a word needs none."""
    if text.count('"') % 2 or text.count("(") != text.count(")"):
        return True
    quotes = text.count("'")
    return quotes % 2 == 1 and (quotes - len(_APOSTROPHE.findall(text))) % 2 == 1


def _height(node: Node) -> int:
    if isinstance(node, Scalar):
        return 0
    inner = node.items if isinstance(node, Sequence) else tuple(value for _, value in node.entries)
    return 1 + max((_height(one) for one in inner), default=0)
