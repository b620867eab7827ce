"""A text in which it is looked for what its author meant: where things end in it, and what is noted of them."""

from __future__ import annotations

from interpreter.yaml_tree.full_width import WIDE_BLANKS, describe, unwrapped
from interpreter.yaml_tree.quoting import quoted, quoting
from interpreter.yaml_tree.reading import Change
from rules.patterns import regex
from rules.records import NamedTuple

BLANKS = " \t" + WIDE_BLANKS
NEXT_LINE = regex(r"\r\n|\n|\r")
ALIAS = regex(r"\*([A-Za-z0-9_-]+)(?=[\s,\]}]|$)")
_ANCHORED = regex(r"(?:^|[\s\[{,])&[A-Za-z0-9_-]")
_BEFORE_QUOTE = " \t([{,=!<>"
_BEHIND_QUOTE = " \t)]},=!<>+-*/|.[:%~#"
"""What stands around a text in an expression; elsewhere a quotation mark is an apostrophe, or inches."""


class Mend(NamedTuple):
    """One thing that is wrong with the text.

    Shapes: `start` and `end` is the place to show; `fix` is the change that an author may accept as it is, None where
    it needs a decision; `repair` is what to read instead until then; `poison` is where a value begins that stands for
    nothing.
    """

    code: str
    start: int
    end: int
    fix: Change | None
    repair: Change | None
    facts: dict[str, object]
    poison: int | None = None


class Text:
    """A text with what was noted of it. Shapes: `mends` is in the order of finding."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.mends: list[Mend] = []
        self._line_cache = (1, 0)
        self._has_anchors = bool(_ANCHORED.search(text))

    # --- where things end ---------------------------------------------------------------------------------------------

    def _raw(self, at: int, stop: int, *, flow: bool) -> int:
        """Return where the characters of one value end, brackets and quotation marks inside them respected."""
        end = self._raw_once(at, stop, flow=flow, brackets=True)
        if end is None:
            end = self._raw_once(at, stop, flow=flow, brackets=False)
        return stop if end is None else end

    def _raw_once(self, at: int, stop: int, *, flow: bool, brackets: bool) -> int | None:
        """Return the same, or None where a bracket stays open. Without `brackets` they are ordinary characters."""
        open_brackets = []
        place = at
        text = self.text
        while place < stop:
            mark = text[place]
            if mark in "\"'" and (place == at or text[place - 1] in _BEFORE_QUOTE):
                close = text.find(mark, place + 1, stop)
                if close > 0 and (close + 1 == stop or text[close + 1] in _BEHIND_QUOTE):
                    place = close
            elif brackets and mark in "([{":
                open_brackets.append(mark)
            elif open_brackets and mark in ")]}":
                open_brackets.pop()
            elif open_brackets:
                pass
            elif (flow and (mark in ",]}")) or (mark == "#" and place > at and text[place - 1] in " \t"):
                return place
            place += 1
        return None if open_brackets else place

    def _closing_quote(self, at: int, limit: int) -> int | None:
        """Return the place after a quoted text; None where none ends it before a line that is not deeper."""
        mark, place = self.text[at], at + 1
        while place < len(self.text):
            one = self.text[place]
            if one in "\r\n":
                place = self._after(place)
                first = self._skip_blanks(place, self._line_end(place))
                if first - place <= limit and self.text[first : first + 1] not in ("\r", "\n", ""):
                    return None
            elif mark == '"' and one == "\\":
                place += 2 if self.text[place + 1 : place + 2] not in ("\r", "\n") else 1
            elif one == mark:
                if mark == "'" and self.text.startswith("'", place + 1):
                    place += 2
                    continue
                return place + 1
            else:
                place += 1
        return None

    def _known_alias(self, at: int) -> bool:
        """Tell whether an alias stands here; an unknown name in a document with anchors is a slip in that name."""
        return bool(ALIAS.match(self.text, at)) and self._has_anchors

    def _only_comment(self, at: int, end: int) -> bool:
        rest = self.text[at:end]
        return not rest.strip() or (rest[0] in " \t" and rest.strip()[0] == "#")

    def _region_end(self, end: int, limit: int) -> int:
        """Return the end of the last line that is deeper than `limit`."""
        last = end
        while (line := self._next_line(last)) is not None and line[1] - line[0] > limit:
            last = line[2]
        return last

    def _next_line(self, end: int) -> tuple[int, int, int] | None:
        """Return start, first character and end of the next line that is not blank."""
        at = end
        while at < len(self.text):
            at = self._after(at)
            stop = self._line_end(at)
            first = self._skip_blanks(at, stop)
            if first < stop:
                return at, first, stop
            at = stop
        return None

    def _line_end(self, at: int) -> int:
        start, end = self._line_cache
        if not start <= at <= end:
            found = NEXT_LINE.search(self.text, at)
            end = found.start() if found else len(self.text)
            self._line_cache = (at, end)
        return end

    def _after(self, end: int) -> int:
        found = NEXT_LINE.match(self.text, end)
        return found.end() if found else end

    def _skip_blanks(self, at: int, end: int) -> int:
        while at < end and self.text[at] in BLANKS:
            at += 1
        return at

    def _spaces(self, start: int, end: int) -> int:
        at = start
        while at < end and self.text[at] == " ":
            at += 1
        return at - start

    # --- what is noted ------------------------------------------------------------------------------------------------

    def _eaten(self, start: int, end: int, trouble: str, *, in_braces: bool = False) -> None:
        """Report a value that YAML does not read as it was typed."""
        meant = quoting(self.text[start:end], trouble, in_braces=in_braces)
        change = (start, end, meant.text)
        poison = start if meant.is_broken else None
        self.mends.append(
            Mend(meant.code, start, end, change if meant.is_certain else None, change, meant.facts, poison)
        )

    def _replace(self, start: int, end: int, text: str, *marks: str) -> None:
        change = (start, end, text)
        self._add("yaml/full-width", start, end, change, change, marks=describe(marks))

    def _add(self, code: str, start: int, end: int, fix: Change | None, repair: Change | None, **facts: object) -> None:
        self.mends.append(Mend(code, start, end, fix, repair, facts))

    def _wide_quotes(self, at: int, end: int) -> bool:
        """Read `「{{ name }}」` where it needs quotation marks as a text between them."""
        typed = self.text[at:end].rstrip()
        found = unwrapped(typed)
        if found is None or not found[1].startswith(("{{", "{%")):
            return False
        change = (at, at + len(typed), quoted(found[1]))
        marks = ", ".join(f"{mark} → {change[2][0]}" for mark in (typed[0], typed[-1]))
        self._add("yaml/full-width", at, at + 1, change, change, marks=marks)
        return True
