"""Values in brackets and braces, read as their author meant them."""

from __future__ import annotations

import re

from interpreter.yaml_tree.full_width import WIDE_BLANKS, describe
from interpreter.yaml_tree.mend_text import ALIAS, Text
from interpreter.yaml_tree.quoting import flow_trouble, several_texts
from rules.patterns import regex

QUOTED = r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*')"""
_FLOW_KEY = regex(
    QUOTED
    + r"""\s*:|(?:[^\s,\[\]{}"'#&*!|>%@`:：?-]|[-?](?=\S))(?:[^,\[\]{}\n:：]|:(?=[^\s,\[\]{}]))*?:(?=[\s,\[\]{}]|$)"""
)
ANY_WIDE_KEY = regex(r"([^\s,，\[\]{}：:]+)[ \u3000]*：[ \u3000\xa0]*")
TIGHT_KEY = regex(r"([A-Za-z_][A-Za-z0-9_-]*):(?=[^\s/:])")
ANCHOR = regex(r"&([A-Za-z0-9_-]+)(?=\s|$)[ \t]*")
TAG_ONLY = regex(r"!(?:!\S*|<\S*|\S*$)")
_WIDE_ENTRY = regex(r"[，、]\s*(?=[A-Za-z_]\w*\s*[:：])")
BRACKET = regex(r"[\]}]")
_DEEPEST = 100


class FlowText(Text):
    """A text whose flow collections are read.

    Shapes: `_culprit` is the bracket or quotation mark that was never closed; `_left` bounds the work on a text that
    keeps opening brackets.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._left = 2_000 + len(text)
        self._culprit: int | None = None
        #: Where the latest value in a flow collection begins.
        self._latest = 0
        #: The value behind which a comment swallowed a closing bracket, and that comment.
        self._commented: tuple[int, int] | None = None

    def _blame_nobody(self) -> None:
        self._culprit = self._commented = None

    def _flow(self, at: int, limit: int, depth: int) -> int | None:
        """Return the place after a flow collection, or None where it has no end of its own."""
        self._left -= 20
        if depth > _DEEPEST or self._left < 0:
            return None
        mapping = self.text[at] == "{"
        closing = "}" if mapping else "]"
        after: int | None = at + 1
        while after is not None:
            place = self._gap(after, limit)
            if place is None:
                return None
            mark = self.text[place]
            if mark == closing:
                return place + 1
            if mark in "]}":
                self._culprit = at if self._culprit is None else self._culprit
                return None
            after = place + 1
            if mark in "，、":
                self._replace(place, after, "," if self.text[after : after + 1] == " " else ", ", mark)
            elif mark != ",":
                after = self._entry(place, limit, mapping, depth)
        return None

    def _entry(self, at: int, limit: int, mapping: bool, depth: int) -> int | None:
        self._left -= 1
        after = self._flow_key(at, mapping)
        if after is None:
            return self._flow_value(at, limit, mapping, depth, is_entry=mapping)
        place = self._gap(after, limit)
        if place is None:
            return None
        return place if self.text[place] in ",]}" else self._flow_value(place, limit, mapping, depth)

    def _flow_key(self, at: int, mapping: bool) -> int | None:
        end = self._line_end(at)
        if found := _FLOW_KEY.match(self.text, at, end):
            after = found.end()
            if after < end and self.text[after] in WIDE_BLANKS:
                last = self._skip_blanks(after, end)
                self._replace(after, last, " ", *dict.fromkeys(self.text[after:last].strip(" \t")))
            return after
        if not mapping:
            return None
        if found := ANY_WIDE_KEY.match(self.text, at, end):
            colon = self.text.index("：", at)
            change = (colon, found.end(), ": ")
            self._add("yaml/full-width", colon, colon + 1, change, change, marks=describe("："))
            return found.end()
        if found := TIGHT_KEY.match(self.text, at, end):
            change = (found.end(), found.end(), " ")
            self._add("yaml/no-blank-after-colon", at, found.end(), change, change, key=found[1])
            return found.end()
        return None

    def _flow_value(self, at: int, limit: int, mapping: bool, depth: int, *, is_entry: bool = False) -> int | None:
        """Return the place after a value. Shapes: `is_entry`: it stands in braces where a key should."""
        if anchor := ANCHOR.match(self.text, at):
            at = anchor.end()
        self._latest = at
        mark = self.text[at : at + 1]
        inner = None
        kept = len(self.mends)
        if mark in ("[", "{") and self.text[at : at + 2] not in ("{{", "{%"):
            inner = self._flow(at, limit, depth + 1)
            if inner is None and self._commented is not None:
                return None
        elif mark in ('"', "'"):
            inner = self._closing_quote(at, limit)
        elif mark == "*" and self._known_alias(at):
            inner = at + len(ALIAS.match(self.text, at)[0])  # type: ignore[index]
        if inner is not None and self._is_followed(inner, limit):
            return inner
        if mark in ('"', "'") and self._is_odd(mark, at):
            self._culprit = at if self._culprit is None else self._culprit
        if self._culprit is not None and self.text[self._culprit] in "\"'":
            return None
        del self.mends[kept:]
        return self._flow_text(at, mapping, is_entry)

    def _is_odd(self, mark: str, at: int) -> bool:
        """Tell whether one of the quotation marks of a line, from the one that opens at `at` on, has no other."""
        line = self.text[at : self._line_end(at)]
        found = re.findall(r"\\.|" + mark, line) if mark == '"' else re.findall(r"(?<!\w)'|'(?!\w)", line)
        return found.count(mark) % 2 == 1

    def _is_followed(self, at: int, limit: int) -> bool:
        """Tell whether a value in a flow collection is over: a comma or bracket comes next, or nothing on its line."""
        place = self._gap(at, limit)
        return place is not None and (self.text[place] in ",]}，、" or place > self._line_end(at))

    def _flow_text(self, at: int, mapping: bool, is_entry: bool) -> int | None:
        """Read a value up to the comma or bracket that ends it for its author, and report what YAML makes of it."""
        stop = self._line_end(at)
        end = self._raw(at, stop, flow=True)
        while mapping and self.text[end : end + 1] == "," and self._goes_on(end + 1, stop):
            end = self._raw(end + 1, stop, flow=True)
        typed = self.text[at:end].rstrip()
        if wide := _WIDE_ENTRY.search(typed):
            self._replace(at + wide.start(), at + wide.end(), ", ", typed[wide.start()])
            typed = typed[: wide.start()]
            end = at + wide.end()
        if not typed:
            return None if end == at else end
        trouble = flow_trouble(typed)
        if not mapping and (texts := several_texts(typed)) is not None:
            second = at + texts[0]
            self._add("yaml/missing-comma", second, second + 1, None, (at, at + len(typed), texts[1]))
            return end
        if trouble and typed[0] in "「『" and self._wide_quotes(at, at + len(typed)):
            return max(end, at + 1)
        if self._left < 0 or (trouble and typed[0] in "[{\"'" and not _closes(typed)):
            return None
        if trouble and not is_entry and not TAG_ONLY.match(typed):
            self._eaten(at, at + len(typed), trouble, in_braces=mapping)
        return max(end, at + 1)

    def _goes_on(self, at: int, stop: int) -> bool:
        """Tell whether what follows a comma in braces belongs to the value before it, having no key of its own."""
        at = self._skip_blanks(at, stop)
        if at >= stop or self.text[at] in "}],#":
            return False
        keys = (_FLOW_KEY, TIGHT_KEY, ANY_WIDE_KEY)
        return not any(key.match(self.text, at, stop) for key in keys)

    def _gap(self, at: int, limit: int) -> int | None:
        """Return the next place in a flow collection that is no blank or comment; None where the collection is cut off.

        A line that is not deeper than the collection's key belongs to the document around it.
        """
        while at < len(self.text):
            mark = self.text[at]
            if mark in " \t":
                at += 1
            elif mark == "#" and self.text[at - 1] in " \t\r\n":
                end = self._line_end(at)
                if self._commented is None and self._latest < at and BRACKET.search(self.text, at, end):
                    begins_line = not self.text[self._latest : at].strip() or "\n" in self.text[self._latest : at]
                    self._commented = (at if begins_line else self._latest, at)
                at = end
            elif mark in "\r\n":
                at = self._after(at)
                first = self._skip_blanks(at, self._line_end(at))
                if self.text[first : first + 1] in ("]", "}", "#", "\r", "\n", ""):
                    continue
                if first - at <= limit:
                    return None
            else:
                return at
        return None


def _closes(typed: str) -> bool:
    """Tell whether the quotation mark or bracket that begins a text is closed in it."""
    return {"[": "]", "{": "}"}.get(typed[0], typed[0]) in typed[1:]
