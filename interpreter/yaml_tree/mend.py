"""Lines that YAML refuses or cuts, read the way their author meant them; knows no YAML library.

`find_mends` walks a text line by line with a picture of YAML that is only good enough to tell where keys, list dashes,
flow collections, quoted texts and block scalars begin and end. Where YAML would read a value differently from the
characters that stand there (`title: {{ a }} b`, `when: x != [], to: Y` in braces), it returns a `Mend`. It is asked
only when the strict reading failed or looked odd, and what it proposes is read strictly again, so that a document
that YAML reads as it was meant never depends on it.

Indentation is counted as libyaml counts it: a block value ends at the first line that is not deeper than its key.
"""

from __future__ import annotations

import re

from interpreter.diagnostics import Words
from interpreter.yaml_tree.full_width import HALF, WIDE_BLANKS, describe, mend_structure
from interpreter.yaml_tree.mend_flow import ANCHOR, ANY_WIDE_KEY, BRACKET, QUOTED, TAG_ONLY, TIGHT_KEY, FlowText
from interpreter.yaml_tree.mend_text import BLANKS, NEXT_LINE, Mend
from interpreter.yaml_tree.quoting import assigned, block_trouble, key_hint, opening, quoted
from interpreter.yaml_tree.reading import Change
from interpreter.yaml_tree.tabs import NO_OTHERS
from rules.patterns import regex
from rules.records import NamedTuple

_KEY = regex(
    QUOTED
    + r"""[ \t]*:(?=[\s\u3000\xa0]|$)|"""
    + r"""(?:[^\s\[\]{}#&*!|>%@`"',?:-]|[-?:](?=[^\s]))(?:(?![ \t]\#)[^\r\n])*?:(?=[\s\u3000\xa0]|$)"""
)
_ID = r"[A-Za-z_][A-Za-z0-9_.-]*"
_ID_KEY = regex(rf"(?:- +)*{_ID}:(?=\s|$)")
_WIDE_KEY = regex(rf"""(?:["“”'‘’]?)({_ID})(?:["“”'‘’]?)[ \u3000]*：[ \u3000\xa0]*""")
_BLOCK_HEADER = regex(r"[|>](?:[+-]?[1-9]?|[1-9][+-])(?:[ \t]+#[^\r\n]*)?[ \t]*")
_BROKEN_HEADER = regex(r"[|>](?=[ \t]+[^\s=]|[-+0-9A-Za-z])")
_UNOPENED = regex(r"[\]}]+(?=[ \t]*(?:#|$))")
_ODD_KEY = regex(r"(\{\{[^\r\n]*?\}\}[^:#\r\n]*|\{%[^\r\n]*?%\}[^:#\r\n]*|[%@`!>|,][^\s:]*(?: [^\s:]+)*):(?=\s|$)")
_TIGHT_ITEM = regex(rf"-(?={_ID}:(?:\s|$))")
_COLLECTION_KEY = regex(r"[ \t]*:(?=\s|$)")
_LONGEST_LINE = 20_000
"""Units: characters. Longer lines are data of a program; looking for an author's meaning in them only costs time."""


def find_mends(text: str) -> tuple[list[Mend], list[Change]]:
    """Return what is wrong, and further changes without a finding that go with it (lines that move along)."""
    scan = _Scan(text)
    if max(map(len, NEXT_LINE.split(text))) <= _LONGEST_LINE:
        scan.run()
    return scan.mends, scan.moves


class _Plain(NamedTuple):
    """A plain block value that may go on: its first character, and the indentation that later lines must exceed.

    Shapes: `column` is that of a value of one line where a key may stand as well, None for others.
    """

    start: int
    limit: int
    column: int | None = None


class _Scan(FlowText):
    """The walk through lines; what stands in brackets and braces is read by `FlowText`.

    Shapes: `at` is where the next line begins. `columns` are those of the open mappings' keys, `dashes` those of the
    open lists; `nests` says that the last line ended without a value, so that the next may be deeper. `moved` is the
    column from which on lines are read as if they stood `distance` columns further left. `aside` says of lines, by
    where they begin, how many blanks they lack because a dash above lacks its own.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.moves: list[Change] = []
        self.at = 0
        self.block_limit: int | None = None
        self.plain: _Plain | None = None
        self.columns: list[int] = []
        self.dashes: list[int] = []
        self.moved: tuple[int, int] | None = None
        self.moves_whole = False
        self.aside: dict[int, int] = {}
        self.misplaced: set[tuple[int, int]] = set()
        self.nests = True

    def run(self) -> None:
        while self.at < len(self.text):
            self._line()
        self.moves += [_shift(start, -blanks) for start, blanks in self.aside.items()]

    # --- lines --------------------------------------------------------------------------------------------------------

    def _line(self) -> None:
        start, end = self.at, self._line_end(self.at)
        self.at = self._after(end)
        first = self._skip_blanks(start, end)
        if first == end:
            return
        if self.block_limit is not None:
            distance = self.moved[1] if self.moved is not None and self.moves_whole else 0
            if self._spaces(start, end) - distance > self.block_limit:
                if distance:
                    self.moves.append(_shift(start, distance))
                return
            self.block_limit = None
        if self.text.startswith(("---", "..."), start):
            self.plain, self.columns, self.dashes = None, [], []
            return
        if self.text[first] == "#":
            self.plain = None
            return
        column = self._indentation(start, first, end)
        if self.plain is not None and column > self.plain.limit:
            limit = self.plain.limit
            if column == self.plain.column and _ID_KEY.match(self.text, first, end):
                self._without_colon(self.plain.start)
            elif self._continue(first, end):
                return
            elif self.text.startswith("- ", first) and limit in self.dashes:
                column = self._move_item(start, first, column, limit)
            else:
                column = self._move("yaml/too-deep", start, first, column, limit)
        self.plain = None
        self._content(start, first, end, column)

    def _indentation(self, start: int, first: int, end: int) -> int:
        """Return the column of a line's first character; tabs and full-width blanks before it are findings."""
        prefix = self.text[start:first]
        odd = prefix.replace(" ", "")
        column = sum(1 if mark in " \xa0" else 2 for mark in prefix)
        goes_on = self.plain is not None and column > self.plain.limit
        if odd and not (goes_on and not self._looks_like_structure(first, end)):
            if goes_on and self.plain is not None:
                column = self.plain.limit
            change = (start, first, " " * column)
            code = "yaml/tab" if "\t" in odd else "yaml/full-width"
            facts: dict[str, object] = {"marks": describe(dict.fromkeys(odd.replace("\t", "")))}
            # How deep a tab was meant to be is for its author to say: two blanks may be another place.
            edit = None if code == "yaml/tab" else change
            if edit is None:
                facts = {**NO_OTHERS, "line": self.text[first:end].strip()}
            self._add(code, start + prefix.index(odd[0]), first, edit, change, **facts)
        return self._moved_column(start, column)

    def _moved_column(self, start: int, column: int) -> int:
        if self.moved is None:
            return column
        threshold, distance = self.moved
        # What is moved to the right has nothing of its own in the columns up to where it is moved to.
        is_beside = distance < 0 and threshold < column <= threshold - distance
        if self.moves_whole and column > threshold and not is_beside:
            self.moves.append(_shift(start, distance))
            return column - distance
        if self.moves_whole or column < threshold or is_beside:
            self.moved = None
            return column
        if distance < 0 and column > threshold:
            return column  # what stands below a line that is moved to the right is deep enough already
        self.moves.append(_shift(start, distance))
        return column - distance

    def _continue(self, first: int, end: int) -> bool:
        """Read a line that goes on with a plain value; False where it is a line of its own that stands too deep."""
        assert self.plain is not None
        if _ID_KEY.match(self.text, first, end) and self.plain.limit in self.columns:
            return False
        if self.text.startswith("- ", first) and self.plain.limit in self.dashes:
            return False
        if block_trouble(self.text[first : self._typed_end(first, end)]) in (": ", " #"):
            last = self._last_continuation(end, self.plain.limit)
            self._eaten(self.plain.start, last, ": ")
            self.at, self.plain = self._after(last), None
        else:
            self.plain = self.plain._replace(column=None)
        return True

    def _without_colon(self, start: int) -> None:
        """Read a line above a key in its column as a key whose colon is missing, `done = a`."""
        end = self._line_end(start)
        typed = self.text[start:end].rstrip()
        written = assigned(typed)
        change = (start, start + len(typed), f"{written[0]}: {written[1]}" if written else "")
        facts: dict[str, object] = {"key": typed, "hint": key_hint(typed)}
        self._add("yaml/key-without-value", start, start + len(typed), None, change, **facts)
        self.nests = True

    def _move(self, code: str, start: int, first: int, column: int, target: int) -> int:
        """Read a line that stands in a column where none can stand, and those below it, as moved to their place."""
        distance = column - target
        if self.moved is not None or self.text[start:first].strip(" "):
            return column
        self.moves_whole = False
        self._add(
            code, first, self._line_end(first), None, _shift(start, distance), column=target + 1, found=column + 1
        )
        self.moved = (column, distance)
        return target

    def _placed(self, start: int, first: int, column: int) -> int:
        """Return the column of a key's line; one that fits no line above is moved to the nearest that it may mean."""
        if self.nests or column in self.columns or not self.columns or first - start != column:
            return column
        deeper = column > self.columns[-1]
        nearest = min(self.columns, key=lambda one: (abs(one - column), -one))
        return self._move("yaml/too-deep" if deeper else "yaml/indentation", start, first, column, nearest)

    def _placed_item(self, start: int, first: int, column: int) -> int:
        """Return the column of a list item; one beside the column of the items above it is moved there."""
        if self.nests and self.moved is None and first - start == column and (slipped := self._slipped(first, column)):
            self._say_misplaced(start, first, column, column + slipped, goes_along=False)
            return column + slipped
        fits = self.nests or column in self.dashes or not self.dashes
        # Further away it is no slip of a finger; libyaml says what is wrong there.
        near = [one for one in self.dashes if abs(one - column) == 1]
        if fits or not near or first - start != column:
            return column
        return self._move_item(start, first, column, near[-1])

    def _slipped(self, first: int, column: int) -> int:
        """Return how far to the right the first dash of a list was meant to stand: 1, -1, or 0 where it is right.

        Where the line is the only one that slipped, the keys below it and the next dash stand beside where they should.
        """
        end = self._line_end(first)
        inner = self._skip_blanks(first + 1, end)
        key, below = _ID_KEY.match(self.text, inner, end), self._next_line(end)
        value = self.text[key.end() : end].strip() if key is not None else ""
        if not value or value[0] in "|>&#" or below is None or not _ID_KEY.match(self.text, below[1], below[2]):
            return 0
        slipped = below[1] - below[0] - (inner - first + column)
        while below is not None and below[1] - below[0] > column + slipped:
            below = self._next_line(below[2])
        is_beside = below is not None and below[1] - below[0] == column + slipped
        is_item = below is not None and self.text.startswith("- ", below[1])
        return slipped if abs(slipped) == 1 and is_beside and is_item else 0

    def _move_item(self, start: int, first: int, column: int, target: int) -> int:
        """Read a list item as moved to its place, with the lines below it; one wrong column is said once."""
        if self.moved is not None:
            return column
        inner = self._skip_blanks(first + 1, self._line_end(first)) - start
        goes_along = self._next_key(first, inner) == inner
        if (column, target) in self.misplaced:
            self.moves.append(_shift(start, column - target))
        else:
            self.misplaced.add((column, target))
            self._say_misplaced(start, first, column, target, goes_along=goes_along)
        self.moved, self.moves_whole = ((column, column - target), True) if goes_along else (None, False)
        return target

    def _say_misplaced(self, start: int, first: int, column: int, target: int, *, goes_along: bool) -> None:
        """Add the finding of a list item that stands beside its column; tabs before it have their own."""
        if self.text[start:first].strip(" "):
            return
        facts: dict[str, object] = {"column": target + 1, "found": column + 1}
        if not goes_along:
            zh, en = f"从第 {target + 1} 列开始写", f"begin it in column {target + 1}"
            facts["hint"] = Words(f"{zh}，它下面的行不动", f"{en}; the lines below it stay")
        self._add("yaml/item-indentation", first, self._line_end(first), None, _shift(start, column - target), **facts)

    def _next_key(self, first: int, inner: int) -> int:
        """Return the column of the next line that is not deeper than the keys of a list item; -1 for none."""
        below = self._next_line(self._line_end(first))
        while below is not None and (below[1] - below[0] > inner or self.text[below[1]] == "#"):
            below = self._next_line(below[2])
        return below[1] - below[0] if below is not None else -1

    def _content(self, start: int, first: int, end: int, column: int) -> None:
        """Read a line from its first character: dashes, a key, a value."""
        if self.text.startswith("- ", first):
            column = self._placed_item(start, first, column)
        elif _ID_KEY.match(self.text, first, end):
            column = self._placed(start, first, column)
        at, limit, offset = first, column - 1, column - (first - start)
        self.nests = False
        while True:
            after = self._dash(at, end)
            if after is None:
                break
            limit = at - start + offset
            self._close_deeper(limit)
            self.dashes = [*(one for one in self.dashes if one < limit), limit]
            if after < end and self.text[after] not in BLANKS and not self._moves_along(limit, end):
                offset += 1  # the blank that is missing behind the dash
            at = self._skip_blanks(after, end)
        if at == end or self.text[at] == "#":
            self.nests = True
            return
        if self.text[at] == "＃":
            self._add("yaml/full-width", at, at + 1, (at, at + 1, "#"), (at, at + 1, "#"), marks=describe("＃"))
            return
        if self.text[at] == "&" and (anchor := ANCHOR.match(self.text, at, end)):
            at = self._skip_blanks(anchor.end(), end)
            if at == end:
                self.nests = True
                return
        here = at - start + offset
        if self.text[at] in "｛【〔［〖" and self._wide_structure(at, end):
            return
        value = self._key(at, end, here)
        if value is not None:
            self._open(here)
            limit, at = here, value
        elif at == first and (here in self.columns or self._is_marked_key(at, first - start, end)):
            return  # a key without its colon, or one that YAML marks with `?`; the strict reading says so
        self._value(at, end, limit, None if value is not None else here)

    def _dash(self, at: int, end: int) -> int | None:
        """Return where to go on after a list dash, or None where no dash stands."""
        mark = self.text[at : at + 1]
        following = self.text[at + 1 : at + 2] if at + 1 < end else " "
        if at >= end:
            return None
        if mark == "-" and following in BLANKS:
            if following in WIDE_BLANKS:
                self._replace(at, at + 2, "- ", following)
            return at + 1
        if mark == "－" or (mark in "—–" and following in BLANKS):
            wide = following in WIDE_BLANKS
            blank = "" if following == " " else " "
            self._replace(at, at + 1 + wide, "-" + blank, mark, *([following] if wide else []))
            return at + 1
        if self._is_tight_item(at, end):
            change = (at + 1, at + 1, " ")
            self._add("yaml/no-blank-after-dash", at, at + 1, change, change)
            return at + 1
        if mark == "*" and following in " \t":
            change = (at, at + 1, "-")
            self._add("yaml/bullet", at, at + 1, change, change, mark=mark)
            return at + 1
        return None

    def _moves_along(self, column: int, end: int) -> bool:
        """Move the lines below a dash without its blank, where they stand beside the key behind it, as it will move."""
        below = self._next_line(end)
        if below is None or below[1] - below[0] != column + 1:
            return False
        while below is not None and below[1] - below[0] > column:
            self.aside[below[0]] = self.aside.get(below[0], 0) + 1
            below = self._next_line(below[2])
        return True

    def _is_tight_item(self, at: int, end: int) -> bool:
        """Whether `-key: value` is a list item without its blank: items or the same key stand beside it, or keys
        deeper below its value."""
        if not _TIGHT_ITEM.match(self.text, at, end):
            return False
        column = at - (max(self.text.rfind("\n", 0, at), self.text.rfind("\r", 0, at)) + 1)
        if column in self.dashes:
            return True
        colon = self.text.index(":", at)
        names, has_value = {self.text[at:colon]}, self.text[colon + 1 : end].strip() != ""
        while (line := self._next_line(end)) is not None:
            start, first, end = line
            if first - start > column:
                if has_value and _ID_KEY.match(self.text, first, end):
                    return True
            elif first - start < column or self.text[first] != "-":
                return False
            elif self.text.startswith("- ", first):
                return True
            elif _TIGHT_ITEM.match(self.text, first, end):
                colon = self.text.index(":", first)
                if self.text[first:colon] in names:
                    return True
                names.add(self.text[first:colon])
                has_value = self.text[colon + 1 : end].strip() != ""
            else:
                return False
        return False

    def _key(self, at: int, end: int, column: int) -> int | None:
        """Return where the value of a key begins, or None where the line has no key."""
        wide = _WIDE_KEY.match(self.text, at, end) or ANY_WIDE_KEY.match(self.text, at, end)
        if wide and self._is_key(wide[1], wide.end(), end, column):
            written = wide[0]
            name = wide[1]
            marks = dict.fromkeys(mark for mark in written if mark in HALF and mark not in name)
            rest = " " if wide.end() < end else ""
            change = (at, wide.end(), f"{name}:{rest}")
            colon = at + written.index("：")
            self._add("yaml/full-width", colon, colon + 1, change, change, marks=describe(marks))
            return wide.end()
        odd = _ODD_KEY.match(self.text, at, end)
        if odd and self._is_key("", odd.end(), end, column):
            self._eaten(at, odd.end(1), opening(odd[1]))
            return odd.end()
        if found := _KEY.match(self.text, at, end):
            after = found.end()
            if after < end and self.text[after] in WIDE_BLANKS:
                last = self._skip_blanks(after, end)
                self._replace(after, last, " ", *dict.fromkeys(self.text[after:last].strip(" \t")))
            return after
        tight = TIGHT_KEY.match(self.text, at, end)
        if tight and self._is_key("", tight.end(), end, column):
            change = (tight.end(), tight.end(), " ")
            self._add("yaml/no-blank-after-colon", at, tight.end(), change, change, key=tight[1])
            return tight.end()
        return None

    def _is_marked_key(self, at: int, width: int, end: int) -> bool:
        """Step over `: value` where it is the next line of `? key`; tell whether it was."""
        if self.text[at] != "?" or self.text[at + 1 : at + 2] not in (" ", "\t"):
            return False
        line = self._next_line(end)
        if line is None or line[1] - line[0] != width or not self.text.startswith((": ", ":\t"), line[1]):
            return False
        self.at = self._after(line[2])
        return True

    def _is_key(self, name: str, after: int, end: int, column: int) -> bool:
        """Tell whether a line that has no `: ` stands where only a key can stand."""
        if re.fullmatch(r"[a-z_][a-z0-9_]*", name) and not (after < end and column > 0 and not self.columns):
            return True
        if column in self.columns:
            return True
        line = self._next_line(end)
        if line is None:
            return False
        start, first, stop = line
        if first - start == column:
            return bool(_ID_KEY.match(self.text, first, stop) or _WIDE_KEY.match(self.text, first, stop))
        return first - start > column and bool(
            _KEY.match(self.text, first, stop)
            or _WIDE_KEY.match(self.text, first, stop)
            or self.text.startswith(("- ", "－"), first)
        )

    def _close_deeper(self, column: int) -> None:
        while self.columns and self.columns[-1] > column:
            self.columns.pop()

    def _open(self, column: int) -> None:
        self._close_deeper(column)
        while self.dashes and self.dashes[-1] >= column:
            self.dashes.pop()
        if column not in self.columns:
            self.columns.append(column)

    # --- block values -------------------------------------------------------------------------------------------------

    def _value(self, at: int, end: int, limit: int, column: int | None) -> None:
        """Read a block value. Shapes: `column` is where it begins when it belongs to no key."""
        keyed = column is None
        at = self._skip_blanks(at, end)
        if at < end and self.text[at] == "&" and (anchor := ANCHOR.match(self.text, at, end)):
            at = anchor.end()
        if at >= end or (self.text[at] == "#" and self.text[at - 1] in " \t"):
            self.nests = True
            return
        mark = self.text[at]
        if mark in "|>" and self._block_scalar(at, end, limit):
            return
        if mark in "\"'" and self._quoted(at, end, limit):
            return
        if mark in "[{" and self.text[at : at + 2] not in ("{{", "{%") and self._collection(at, end, limit, keyed):
            return
        if mark in "｛【〔［〖" and self._wide_structure(at, end):
            return
        if mark in "「『" and self._wide_quotes(at, self._typed_end(at, end)):
            return
        if mark == "*" and self._known_alias(at):
            return
        if mark == "!" and TAG_ONLY.match(self.text, at, self._typed_end(at, end)):
            return
        self._plain_value(at, end, limit, column)

    def _block_scalar(self, at: int, end: int, limit: int) -> bool:
        if not _BLOCK_HEADER.fullmatch(self.text, at, end):
            return False
        line = self._next_line(end)
        if (self.text[at + 1 : end].strip("+- \t")[:1].isdigit()) and (
            line is None or line[1] - line[0] <= max(limit, 0)
        ):
            return False
        self.block_limit = limit
        return True

    def _quoted(self, at: int, end: int, limit: int) -> bool:
        """Step over a quoted text that ends as YAML wants it; report one that never ends."""
        close = self._closing_quote(at, limit)
        if close is not None and self._only_comment(close, line_end := self._line_end(close)):
            self.at = self._after(line_end)
            return True
        if close is not None and close <= end:
            return False
        mark = self.text[at]
        self.mends.append(Mend("yaml/unclosed-quote", at, end, None, (at, end, "''"), {"mark": mark}, poison=at))
        return True

    def _collection(self, at: int, end: int, limit: int, keyed: bool) -> bool:
        kept = len(self.mends)
        self._blame_nobody()
        stop = self._flow(at, limit, 0)
        if stop is not None and self._only_comment(stop, line_end := self._line_end(stop)):
            self.at = self._after(line_end)
            return True
        if stop is not None and (extra := _UNOPENED.match(self.text, stop, self._line_end(stop))):
            change = (stop, extra.end(), "")
            self._add("yaml/unopened-bracket", stop, extra.end(), change, change, mark=extra[0])
            self.at = self._after(self._line_end(stop))
            return True
        del self.mends[kept:]
        if stop is not None and not keyed and _COLLECTION_KEY.match(self.text, stop, end):
            return True
        if stop is not None and stop <= end:
            return False
        last = self._region_end(end, limit)
        shown = at if self._culprit is None else self._culprit
        code = "yaml/unclosed-quote" if self.text[shown] in "\"'" else "yaml/unclosed-bracket"
        repair = (at, last, "''")
        facts: dict[str, object] = {"mark": self.text[shown]}
        if code == "yaml/unclosed-bracket" and self._commented is not None:
            code, (begin, shown) = "yaml/bracket-in-comment", self._commented
            facts["text"] = quoted(BRACKET.split(self.text[begin : self._line_end(shown)])[0].strip())
        self.mends.append(Mend(code, shown, shown + 1, None, repair, facts, poison=at))
        self.at = self._after(last)
        return True

    def _wide_structure(self, at: int, end: int) -> bool:
        """Read `｛to：X，when：y｝`: a mapping or list in full-width braces or brackets."""
        typed = self.text[at : self._typed_end(at, end)]
        mended = mend_structure(typed)
        if mended is None:
            return False
        change = (at, at + len(typed), mended.text)
        self._add("yaml/full-width", at, at + 1, change, change, marks=describe(mended.marks))
        return True

    def _plain_value(self, at: int, end: int, limit: int, column: int | None) -> None:
        typed_end = self._typed_end(at, end)
        trouble = block_trouble(self.text[at:typed_end])
        if trouble is None:
            if not self.text[typed_end:end].strip():
                self.plain = _Plain(at, limit, column)
            return
        if self.text[typed_end:end].strip():
            last = typed_end
        else:
            last = self._last_continuation(end, limit)
            last = typed_end if last == end else last
        if self._text_in_header(at, end, limit) or (column is None and self._list_beside_key(at, end, limit)):
            return
        self._eaten(at, last, trouble)
        if last != typed_end:
            self.at = self._after(self._line_end(last))

    def _list_beside_key(self, at: int, end: int, limit: int) -> bool:
        """Read `key: - a` above `- b` as a list whose first item lacks a line of its own."""
        below = self._next_line(end)
        if below is None or not all(self.text.startswith("- ", one) for one in (at, below[1])):
            return False
        column, start = below[1] - below[0], at
        if column <= limit:
            return False
        while self.text[start - 1] in " \t":
            start -= 1
        change = (start, at, "\n" + " " * column)
        self._add("yaml/list-beside-key", at, end, change, change, column=column + 1)
        self.dashes.append(column)
        self.nests = True
        return True

    def _text_in_header(self, at: int, end: int, limit: int) -> bool:
        """Read `key: | text` above deeper lines as a block text whose first line stands beside the `|`."""
        if not _BROKEN_HEADER.match(self.text, at) or self._last_continuation(end, limit) == end:
            return False
        mark = self.text[at]
        self.mends.append(Mend("yaml/block-header", at, end, None, (at, end, mark), {"mark": mark}, poison=at))
        self.block_limit = limit
        return True

    def _last_continuation(self, end: int, limit: int) -> int:
        """Return the end of the last line that goes on with a plain value which the line ending at `end` began."""
        last = end
        while (line := self._next_line(last)) is not None:
            start, first, stop = line
            if first - start <= limit or self.text[first] == "#" or self._looks_like_structure(first, stop):
                break
            last = stop
        return last

    def _looks_like_structure(self, first: int, end: int) -> bool:
        return bool(
            _ID_KEY.match(self.text, first, end)
            or self.text.startswith("- ", first)
            or _WIDE_KEY.match(self.text, first, end)
            or self.text[first] in "－＃"
        )

    def _typed_end(self, at: int, end: int) -> int:
        """Return where the characters end that the author meant as one block value: before a comment."""
        stop = self._raw(at, end, flow=False)
        return at + len(self.text[at:stop].rstrip(" \t"))


def _shift(start: int, distance: int) -> Change:
    """Return the change that moves a line to the left, or to the right where the distance is negative."""
    return (start, start + distance, "") if distance > 0 else (start, start, " " * -distance)
