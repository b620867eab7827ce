"""The road of one text: read strictly, mend what YAML ate, read again."""

from __future__ import annotations

import re
from typing import Any

from interpreter.diagnostics import Diagnostic, Edit, Words, finding, in_order
from interpreter.source import Source, Span
from interpreter.yaml_tree import full_width
from interpreter.yaml_tree.build import Builder, Wide
from interpreter.yaml_tree.complaints import NO_START, OF_ESCAPES, begins_at, candidates, place_of, problem_of
from interpreter.yaml_tree.escapes import escapes
from interpreter.yaml_tree.files import LARGEST_TEXT
from interpreter.yaml_tree.nodes import Node
from interpreter.yaml_tree.reading import Change, Reading, apply_edits, without_overlaps
from interpreter.yaml_tree.tabs import told_once
from interpreter.yaml_tree.unseen import is_printable, unseen_mark
from rules.patterns import regex

LONG_TEXT = 200_000
MOST_ROUNDS = 40
"""How often a text is mended and read again before the rest of it is left unread."""

_NOT_ALLOWED = regex("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_CONFLICT = regex(
    r"^<{7}(?!<)[^\r\n]*[\r\n][\s\S]*?^(?P<middle>(?:\|{7}(?!\|)[\s\S]*?^)?={7}[ \t]*[\r\n])[\s\S]*?^>{7}(?!>)[^\r\n]*",
    re.MULTILINE,
)
_MARKER = regex(r"<{7}[^\r\n]*")
_FENCE = "```"
#: What is wrong with the place of a line; one that begins with an invisible character may look so for that alone.
_OF_PLACES = ("yaml/too-deep", "yaml/indentation", "yaml/item-indentation", "yaml/syntax")
_DIRECTIVE = regex(r"^%(?:YAML|TAG)\b[^\r\n]*", re.MULTILINE)


def _is_allowed(mark: str) -> bool:
    """Say the same as the pattern, which alone costs as much to compile as a small document to read."""
    return (
        mark in "\t\n\r"
        or "\x20" <= mark <= "\x7e"
        or "\xa0" <= mark <= "\u2027"
        or "\u202a" <= mark <= "\ud7ff"
        or "\ue000" <= mark <= "\ufefe"
        or "\uff00" <= mark <= "\ufffd"
        or mark >= "\U00010000"
    )


def read_tree(source: Source) -> tuple[Node | None, list[Diagnostic]]:
    """Return the tree of a text and everything that is wrong with it as YAML.

    Shapes: the tree is None where nothing could be read; with findings it is that of the mended text. Texts that
    YAML 1.1 would turn into something else have no finding here: `surprises` gives them.
    Errors: none; any text gives a result.
    """
    if len(source.text) > LARGEST_TEXT:
        return None, [finding("yaml/too-large", Span(source, 0, 0), limit=LARGEST_TEXT)]
    text, found = _without_impossible_characters(source)
    return _Mending(source, text, found).read()


def _without_impossible_characters(source: Source) -> tuple[str, list[Diagnostic]]:
    """Return the text with what libyaml must not see replaced, character for character, so that places stay."""
    text = source.text
    found = []
    if not is_printable(text) and not all(map(_is_allowed, set(text))):
        marks: dict[str, list[int]] = {}
        for match in _NOT_ALLOWED.finditer(text):
            marks.setdefault(match[0], []).append(match.start())
        for mark, offsets in list(marks.items())[:20]:
            found.append(unseen_mark(source, mark, offsets))
        text = _NOT_ALLOWED.sub(" ", "\n" + text[1:] if text.startswith("\ufeff") else text)
    directives = list(_DIRECTIVE.finditer(text)) if "%" in text else []
    if directives:
        found.append(finding("yaml/directive", Span(source, directives[0].start(), directives[0].end())))
        text = _DIRECTIVE.sub(lambda match: "#" + match[0][1:], text)
    if "<<<<<<<" in text:
        text = _without_conflicts(source, text, found)
    if text.lstrip().startswith(_FENCE):
        text = _without_fences(source, text, found)
    return text, found


def _without_fences(source: Source, text: str, found: list[Diagnostic]) -> str:
    """Return a text without the lines that fence it in in Markdown, character for character."""
    first = text.index(_FENCE)
    found.append(finding("yaml/markdown-fence", Span(source, first, first + len(_FENCE))))
    lines = text.splitlines(keepends=True)
    filled = [number for number, line in enumerate(lines) if line.strip()]
    for number in dict.fromkeys((filled[0], filled[-1])):
        if lines[number].lstrip().startswith(_FENCE):
            lines[number] = _blank(lines[number])
    return "".join(lines)


def _without_conflicts(source: Source, text: str, found: list[Diagnostic]) -> str:
    """Return a text with the first half of each conflict that a merge has left, character for character."""

    def first_half(match: re.Match[str]) -> str:
        place = Span(source, match.start(), match.start() + 7)
        found.append(finding("yaml/conflict-marker", place, last=source.position(match.end()).line))
        middle = match.start("middle") - match.start()
        return _MARKER.sub(_blank, match[0][:middle], count=1) + _blank(match[0][middle:])

    return _CONFLICT.sub(first_half, text)


def _blank(text: str | re.Match[str]) -> str:
    return re.sub(r"[^\r\n]", " ", text if isinstance(text, str) else text[0])


class _Mending:
    """The loop around the strict reading: read, mend what YAML ate, read again."""

    def __init__(self, source: Source, text: str, found: list[Diagnostic]) -> None:
        self.source = source
        self.text = text
        self.found = found
        self.changes: list[Change] = []
        self.fixes: list[tuple[int, Diagnostic, Change | None]] = []
        self.poisoned: set[int] = set()
        self.scanned = False
        self.mended_marks: set[int] = set()

    def read(self) -> tuple[Node | None, list[Diagnostic]]:
        built = self._build()
        for _ in range(MOST_ROUNDS if len(self.text) < LONG_TEXT else 4):
            if not self._mend(built):
                break
            built = self._build()
        before = self.found + [one for one in self._mend_findings() if not self._is_moved_unseen(one)]
        # Where something stands there that cannot be read, the document is not empty.
        after = [one for one in built.found if not before or one.code != "yaml/empty-document"]
        return built.root, told_once(in_order(before + after))

    def _is_moved_unseen(self, one: Diagnostic) -> bool:
        line = self.source.line_text(one.span.begins.line).lstrip(" \t") if one.span is not None else ""
        return one.code in _OF_PLACES and line != "" and not _is_allowed(line[0])

    def _build(self) -> Builder:
        builder = Builder(Reading(self.source, self.text, self.changes), self.poisoned)
        builder.build()
        return builder

    def _mend(self, built: Builder) -> bool:
        """Note what is to be read differently next time; False when nothing is left to try."""
        before = len(self.changes)
        if not self.scanned and (built.suspect or built.error is not None):
            self.scanned = True
            self._scan()
        if len(self.changes) == before:
            for mark in built.wide:
                self._wide(mark)
        if len(self.changes) == before and built.error is not None:
            self._blame(built)
        return without_overlaps(self.changes) != built.reading.changes

    def _scan(self) -> None:
        from interpreter.yaml_tree import mend  # a document that was read as it was meant does without it

        mends, moves = mend.find_mends(self.text)
        self.changes += moves
        for one in mends:
            self._add(one.code, one.start, one.end, one.fix, one.repair, **one.facts)
            if one.poison is not None:
                self.poisoned.add(one.poison)

    def _wide(self, mark: Wide) -> None:
        if mark.start in self.mended_marks:
            return
        self.mended_marks.add(mark.start)
        fix = (mark.start, mark.end, mark.text) if mark.text is not None else None
        marks = full_width.describe(mark.marks)
        hint = None if fix else Words("把这些符号改成半角", "write these characters half-width")
        self._add("yaml/full-width", mark.shown, mark.shown + 1, fix, fix, marks=marks, hint=hint)

    def _add(
        self,
        code: str,
        start: int,
        end: int,
        fix: Change | None,
        repair: Change | None,
        **facts: Any,
    ) -> None:
        edit = Edit(Span(self.source, fix[0], fix[1]), fix[2]) if fix else None
        made = finding(code, Span(self.source, start, end), edit=edit, **facts)
        self.fixes.append((start, made, fix))
        if repair:
            self.changes.append(repair)

    def _blame(self, built: Builder) -> None:
        """Report what libyaml cannot read, and leave out the smallest part that lets it go on."""
        from interpreter.yaml_tree import refusals  # as `mend`: only where something is wrong

        error = built.error
        assert error is not None
        place = built.reading.place
        problem, begin = problem_of(error), begins_at(error)
        if begin is not None and problem in OF_ESCAPES and self._read_escapes(place(begin)):
            return
        places = list(dict.fromkeys(place(one) for one in candidates(error)))
        cause = refusals.cause_of(self.text, problem, places, None if begin is None else place(begin))
        if cause is not None and not any(self._touched(start) for start, _, _ in cause.repairs):
            self._add(cause.code, cause.start, cause.end, cause.fix, None, **cause.facts)
            self.changes += cause.repairs
            if not cause.repairs:
                self._leave_out([cause.start, *places])
            return
        shown, reason = place_of(error, built.reading.text)
        start = min(place(shown), max(len(self.text) - 1, 0))
        self._leave_out(places)
        made = _filled(finding("yaml/syntax", Span(self.source, start, start + 1)), "reason", reason)
        line = self.source.position(start).line
        is_said = any(one.span is not None and one.span.begins.line == line for _, one, _ in self.fixes)
        # What follows something that could not be read may seem to follow the whole document.
        is_left_over = problem == NO_START and bool(self.fixes)
        if not is_said and not is_left_over:
            self.fixes.append((start, made, None))

    def _leave_out(self, places: list[int]) -> None:
        """Read on without the smallest part at one of these places."""
        for offset in places:
            change = self._left_out(offset)
            if change is not None:
                self.changes.append(change)
                self.poisoned.add(change[0])
                return

    def _read_escapes(self, start: int) -> bool:
        """Read the backslashes of one text as they were meant; tell whether any were changed."""
        found = escapes(self.text, start)
        if found is None or self._touched(found.changes[0][0]):
            return False
        self.changes += found.changes
        if found.escape:
            zh, en = found.why
            end = found.place + len(found.escape)
            facts = {"escape": found.escape, "why_zh": zh, "why_en": en, "hint": found.hint}
            self._add("yaml/unknown-escape", found.place, end, None, None, **facts)
            self.poisoned.add(start)
        return True

    def _left_out(self, offset: int) -> Change | None:
        """Return the change that takes away the value of the line at an offset, or the line and those below it."""
        position = self.source.position(min(offset, len(self.text)))
        start = self.source.offset(position.line, 1)
        line = self.text[start : start + len(self.source.line_text(position.line))]
        key = re.match(r"\s*(?:- +)*[^\s:#{}\[\]\"'-][^:#{}\[\]\"']*:[ \t]+(?=\S)", line)
        if key and not self._touched(start + key.end()):
            return (start + key.end(), start + len(line.rstrip()), "''")
        if not line.strip() or self._touched(start):
            return None
        return (start, self._block_end(start, line), "")

    def _block_end(self, start: int, line: str) -> int:
        """Return the end of the last line below `line` that is deeper than it."""
        depth = len(line) - len(line.lstrip())
        end = start + len(line)
        for follower in re.finditer(r"[^\r\n]*(\r\n|\r|\n|\Z)", self.text[end + 1 :]):
            text = follower[0].rstrip("\r\n")
            if text.strip() and len(text) - len(text.lstrip()) <= depth:
                break
            if text.strip():
                end = end + 1 + follower.start() + len(text) if end == start + len(line) else end
        return end

    def _touched(self, offset: int) -> bool:
        return any(start <= offset < end or start == offset for start, end, _ in self.changes)

    def _mend_findings(self) -> list[Diagnostic]:
        """Return the findings of mended lines; the hint of each is its line with everything mended, without secrets."""
        from interpreter.safety.written_secrets import masked_line  # where nothing is found nobody looks for them

        by_line: dict[int, list[Change]] = {}
        for _, _, fix in self.fixes:
            if fix:
                by_line.setdefault(self.source.position(fix[0]).line, []).append(fix)
        result = []
        for _, made, fix in self.fixes:
            if fix is not None:
                first = self.source.position(fix[0]).line
                mended = self._line_with(fix, by_line[first]).split("\n")
                line = "\n".join(masked_line(self.source, first, one) for one in mended)
                made = _filled(made, "line", Words(line, line))
            result.append(made)
        return result

    def _line_with(self, fix: Change, changes: list[Change]) -> str:
        first = self.source.position(fix[0]).line
        last = self.source.position(max(fix[0], fix[1])).line
        start = self.source.offset(first, 1)
        end = self.source.offset(last, 1) + len(self.source.line_text(last))
        inside = [change for change in changes if start <= change[0] and change[1] <= end]
        edits = [Edit(Span(self.source, one[0] - start, one[1] - start), one[2]) for one in without_overlaps(inside)]
        return apply_edits(self.source.text[start:end], edits).strip()


def _filled(made: Diagnostic, fact: str, words: Words) -> Diagnostic:
    """Return a finding with one more fact, which differs by language or is known only when all lines are mended."""
    hole = "{" + fact + "}"
    message, hint = (
        text and Words(text.zh.replace(hole, words.zh), text.en.replace(hole, words.en))
        for text in (made.message, made.hint)
    )
    assert message is not None
    return Diagnostic(made.code, made.severity, message, made.span, hint, made.related, made.edit)
