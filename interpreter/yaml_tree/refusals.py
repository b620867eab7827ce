"""What a person did where libyaml refuses to go on, told by the lines around that place; pure text.

It is asked once nothing else is left to mend. Each `_…` looks for one slip and returns its `Cause`, or None. What a
cause proposes is read strictly again, as everything that is mended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from interpreter.diagnostics import Words
from interpreter.yaml_tree import complaints
from interpreter.yaml_tree.quoting import assigned, key_hint
from interpreter.yaml_tree.reading import Change
from interpreter.yaml_tree.tabs import NO_OTHERS
from rules.patterns import regex
from rules.records import NamedTuple

_LONGEST_SHOWN = 60
_LINE_END = regex(r"[\r\n]")
#: Dashes and a key, as far as they stand before a value.
_BEFORE_VALUE = regex(r"(?:- +)*(?:[^\s:#{}\[\]\"'-][^:#{}\[\]\"']*:(?=\s|$)[ \t]*)?")
_STRUCTURE = regex(r"- |-$|[^\s:#{}\[\]\"'-][^:#{}\[\]\"']*:(?=\s|$)")
_DASHES = regex(r"(?:- +)*")
_HEADER = regex(r"(?:^|[:-] +)[|>][-+0-9]{0,2}[ \t]*(?:#.*)?$")
_FLOW_KEY = regex(r"""(["']?)[\w.-]+\1[ \t]*:(?=\s)""")
_COMMENT = regex(r"(?:^|[ \t])(#.*)$")
_TIGHT_DASH = regex(r"-(?=[^\s-])")


class Cause(NamedTuple):
    """One slip.

    Shapes: `start` and `end` is the place to show; `fix` is the change that an author may accept as it is, None where
    it needs a decision; `repairs` are what to read instead, none where the value or line is to be left out.
    """

    code: str
    start: int
    end: int
    fix: Change | None
    repairs: tuple[Change, ...]
    facts: dict[str, object]


class _Line(NamedTuple):
    """Shapes: `first` is where its first character stands that is no blank, `end` where the line ends."""

    text: str
    start: int
    first: int
    end: int

    @property
    def column(self) -> int:
        return self.first - self.start

    @property
    def content(self) -> str:
        return self.text[self.first : self.end]

    @property
    def value(self) -> str:
        """Return what stands behind dashes and key."""
        found = _BEFORE_VALUE.match(self.content)
        return self.content[found.end() if found else 0 :]

    @property
    def key_column(self) -> int:
        """Return the column of its key, or of its last dash where no key follows."""
        dashes = _DASHES.match(self.content)
        width = dashes.end() if dashes is not None else 0
        return self.column + (width if _STRUCTURE.match(self.content[width:]) else max(0, width - 2))


def cause_of(text: str, problem: str, places: list[int], begins: int | None) -> Cause | None:
    """Return the slip because of which libyaml stops.

    Shapes: `problem` is libyaml's, `places` where it may lie, the likeliest first; `begins` is where the value begins
    that was being read.
    """
    if problem == complaints.NO_END:
        return _unclosed_quote(text, begins)
    for look in _LOOKS.get(problem, ()):
        if places and places[0] <= len(text) and (found := look(text, places[0])) is not None:
            return found
    return None


# --- lines ------------------------------------------------------------------------------------------------------------


def _line_at(text: str, offset: int) -> _Line:
    start = text.rfind("\n", 0, offset) + 1
    start = text.rfind("\r", start, offset) + 1 or start
    found = _LINE_END.search(text, start)
    end = found.start() if found is not None else len(text)
    first = start
    while first < end and text[first] in " \t":
        first += 1
    return _Line(text, start, first, end)


def _above(line: _Line) -> Iterator[_Line]:
    """Yield the lines above, the nearest first."""
    while line.start > 0:
        end = line.start - (2 if line.text[line.start - 2 : line.start] == "\r\n" else 1)
        line = _line_at(line.text, end)
        yield line


def _below(line: _Line) -> Iterator[_Line]:
    while line.end < len(line.text):
        line = _line_at(line.text, line.end + (2 if line.text.startswith("\r\n", line.end) else 1))
        yield line


def _begins_line(text: str, place: int) -> _Line | None:
    line = _line_at(text, place)
    return line if line.first == place else None


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


# --- values of several lines ------------------------------------------------------------------------------------------


def _comment_inside(text: str, place: int) -> Cause | None:
    """Find a comment between the lines of one plain value: YAML ends the value before it."""
    line = _begins_line(text, place)
    if line is None or _STRUCTURE.match(line.content):
        return None
    comments: list[tuple[int, int]] = []
    for above in _above(line):
        comment = _COMMENT.search(above.content)
        if comment is not None:
            comments.append((above.first + comment.start(1), above.end))
        if not above.content or (comment is not None and comment.start(1) == 0):
            continue
        is_begin = bool(_STRUCTURE.match(above.content))
        is_deeper = line.column > above.column if is_begin else line.column >= above.column
        if not comments or not is_deeper or above.value[:1] in ("", *"\"'[{|>&*!#"):
            return None
        break
    else:
        return None
    start, end = comments[-1]
    repairs = tuple((begin, stop, " " * (stop - begin)) for begin, stop in comments)
    return Cause("yaml/comment-inside", start, end, None, repairs, {})


def _block_indentation(text: str, place: int) -> Cause | None:
    """Find a line of a block text that stands less deep than its first line, or than its key lets it."""
    line = _begins_line(text, place)
    if line is None:
        return None
    first, blanks = None, []
    for above in _above(line):
        if not above.content:
            blanks += [above] if above.column > line.column else []
        elif _HEADER.search(above.content):
            if first is None and blanks and line.column > above.key_column:
                return _below_blanks(line, above, blanks)
            is_below_first = first is not None and line.column > above.key_column
            is_beside_key = first is None and above.column <= line.column <= above.key_column
            is_text = is_below_first or (is_beside_key and not _STRUCTURE.match(line.content))
            return _less_deep(line, above, first) if is_text else None
        elif above.column > line.column:
            first = above
        else:
            return None
    return None


def _less_deep(line: _Line, header: _Line, first: _Line | None) -> Cause:
    """Shapes: `first` is the first line of the text, None where it is `line`."""
    target = first.column if first is not None else header.key_column + 2
    moved = [line]
    for below in _below(line):
        is_over = below.column <= header.key_column and (first is not None or _STRUCTURE.match(below.content))
        if below.content and (is_over or below.column >= target):
            break
        moved.append(below)
    repairs = tuple((one.start, one.start, " " * (target - line.column)) for one in moved if one.content)
    facts: dict[str, object] = {"column": target + 1, "header": _shown(header.content)}
    return Cause("yaml/block-indentation", line.first, line.end, None, repairs, facts)


def _below_blanks(line: _Line, header: _Line, blanks: list[_Line]) -> Cause:
    """A line of blanks above the first line of the text counts as one of its lines."""
    hint = Words(
        "上面只有空格的那一行比它更深：删掉那些空格",
        "a line of blanks above stands deeper than it: delete these blanks",
    )
    repairs = tuple((one.start, one.end, "") for one in blanks)
    facts: dict[str, object] = {"header": _shown(header.content), "hint": hint}
    return Cause("yaml/block-indentation", line.first, line.end, None, repairs, facts)


def _unclosed_quote(text: str, begins: int | None) -> Cause | None:
    mark = text[begins : begins + 1] if begins is not None else ""
    if begins is None or mark not in ('"', "'"):
        return None
    return Cause("yaml/unclosed-quote", begins, _line_at(text, begins).end, None, (), {"mark": mark})


# --- keys and items ---------------------------------------------------------------------------------------------------


def _key_missing(text: str, place: int) -> Cause | None:
    is_alone = _begins_line(text, place) is not None or text[:place].rstrip(" \t")[-1:] in ("{", ",")
    if not is_alone or text[place : place + 1] != ":" or text[place + 1 : place + 2].strip():
        return None
    return Cause("yaml/key-missing", place, place + 1, None, (), {})


def _tight_dash(text: str, place: int) -> Cause | None:
    """Find `-x` beside items: a blank is missing behind the dash."""
    line = _begins_line(text, place)
    if line is None or not _TIGHT_DASH.match(line.content):
        return None
    beside = (one for one in _above(line) if one.content and one.column <= line.column)
    above = next(beside, None)
    if above is None or above.column != line.column or not above.content.startswith("- "):
        return None
    change = (place + 1, place + 1, " ")
    return Cause("yaml/no-blank-after-dash", place, place + 1, change, (change,), {})


def _item_elsewhere(text: str, place: int) -> Cause | None:
    """Find an item that stands beside keys, or further to the left than the items above it."""
    line = _begins_line(text, place)
    if line is None or not line.content.startswith("- "):
        return None
    item = None
    for above in _above(line):
        if not above.content or above.content[0] == "#":
            continue
        if above.column <= line.column:
            break
        item = above if above.content.startswith("- ") else item
    else:
        return None
    if above.column == line.column:
        return Cause("yaml/item-among-keys", place, line.end, None, (), {})
    if item is None:
        return None
    moved = [line]
    for below in _below(line):
        if below.content and below.column <= line.column:
            break
        moved.append(below)
    distance = " " * (item.column - line.column)
    repairs = tuple((one.start, one.start, distance) for one in moved if one.content)
    facts: dict[str, object] = {"column": item.column + 1, "found": line.column + 1}
    return Cause("yaml/item-indentation", place, line.end, None, repairs, facts)


def _no_item(text: str, place: int) -> Cause | None:
    """Find a line that stands in the column of list items."""
    line = _begins_line(text, place)
    if line is None or line.content.startswith("- "):
        return None
    return Cause("yaml/no-item", place, line.end, None, (), {})


def _no_colon(text: str, place: int) -> Cause | None:
    """Find a line that is no `key: value`, and what it was rather meant to be."""
    line = _begins_line(text, place)
    if line is None or line.content[0] in "\"'{[":
        return None
    typed = _COMMENT.sub("", line.content).rstrip()
    if not typed or _STRUCTURE.match(typed):
        return None
    written = assigned(typed)
    change = (place, place + len(typed), f"{written[0]}: {written[1]}") if written is not None else None
    facts: dict[str, object] = {"key": _shown(typed), "hint": key_hint(typed)}
    repairs = (change,) if change is not None else ()
    return Cause("yaml/key-without-value", place, place + len(typed), None, repairs, facts)


# --- brackets and commas ----------------------------------------------------------------------------------------------


def _missing_comma(text: str, place: int) -> Cause | None:
    """Find a value, or a key of the next line, that no comma puts apart from what stands before it."""
    line = _line_at(text, place)
    if text[place : place + 1] == ":" and (key := _FLOW_KEY.match(line.content)):
        place = line.first if line.first + key.end() == place + 1 else place
    if text[place : place + 1].strip() in ("", *"]},:#"):
        return None
    change = (place, place, ", ")
    return Cause("yaml/missing-comma", place, place + 1, None, (change,), {})


def _missing_comma_in_braces(text: str, place: int) -> Cause | None:
    found = _missing_comma(text, place)
    return found if found is not None and _FLOW_KEY.match(text, found.start) else None


def _extra_comma(text: str, place: int) -> Cause | None:
    if text[place : place + 1] != ",":
        return None
    change = (place, place + 1, "")
    return Cause("yaml/extra-comma", place, place + 1, change, (change,), {})


# --- others -----------------------------------------------------------------------------------------------------------


def _tab(text: str, place: int) -> Cause | None:
    end = place
    while text[end : end + 1] == "\t":
        end += 1
    if end == place:
        return None
    line, change = _line_at(text, place), (place, end, " ")
    written = f"{text[line.first : place]} {text[end : line.end]}"
    return Cause("yaml/tab", place, end, change, (change,), {**NO_OTHERS, "line": written})


def _fence(text: str, place: int) -> Cause | None:
    line = _begins_line(text, place)
    if line is None or not line.content.startswith("```"):
        return None
    repair = (place, line.end, " " * (line.end - place))
    return Cause("yaml/markdown-fence", place, place + 3, None, (repair,), {})


def _document_end(text: str, place: int) -> Cause | None:
    above = next((one for one in _above(_line_at(text, place)) if one.content), None)
    if above is None or _COMMENT.sub("", above.content).rstrip() != "...":
        return None
    repair = (above.start, above.start + 3, "#..")
    return Cause("yaml/document-end", above.start, above.start + 3, None, (repair,), {})


_Look = Callable[[str, int], Cause | None]
_LOOKS: dict[str, tuple[_Look, ...]] = {
    complaints.NO_KEY: (_key_missing, _block_indentation, _comment_inside, _item_elsewhere),
    complaints.NO_DASH: (_tight_dash, _block_indentation, _comment_inside, _no_item),
    complaints.NO_COLON: (_tight_dash, _block_indentation, _no_colon),
    complaints.NO_COMMA_IN_BRACES: (_missing_comma_in_braces,),
    complaints.NO_COMMA_IN_BRACKETS: (_missing_comma,),
    complaints.NO_CONTENT: (_extra_comma, _key_missing),
    complaints.NO_TOKEN: (_tab, _fence),
    complaints.NO_START: (_document_end,),
}
