"""Reading cells: the words that people write for what one row asks of one column.

A cell is a value, a list of cells, one of the word forms below in either language, or the same as a quoted symbol.
`{is: X}` means X itself whatever it looks like, `{not: cell}` is the long form of `not …`.

Whether a text is a form or just a text depends on its column: in a column of texts `at least one` is a text, in a
column of numbers it is a form with a limit that cannot be read. In a column of texts only the forms that make sense
for texts are looked for, and a comparison with a number is found, for then the column's type was forgotten.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, cast

from rules.cell_words import (
    in_plain_writing,
    quoted_texts,
    suggested_list,
    suggested_mapping,
    suggested_order,
    suggested_word,
)
from rules.cells import (
    ANY,
    NUMBER_TYPES,
    Cell,
    Constant,
    FactReference,
    Limit,
    Operator,
    OutsideReference,
    references_of,
)
from rules.columns import (
    NUMBERS,
    ORDERED,
    Column,
    Key,
    Kind,
    find_key,
    find_number,
    key_of_text,
    looks_ordered,
    wrong_kind,
)
from rules.findings import Finding
from rules.patterns import regex
from rules.reading import Path, found, miswritten, read_mapping, shown, unknown
from rules.records import field, record
from rules.thresholds import Threshold
from rules.units import unit_facts
from rules.values import Value, dumps, kind_of

_COMPARISONS: dict[Operator, str] = {
    "at_least": r"at least\s+|至少(?:\s+|(?=[-\d]))|>=\s*|≥\s*|＞＝\s*",
    "above": r"above\s+|高于(?:\s+|(?=[-\d]))|>\s*|＞\s*",
    "at_most": r"at most\s+|至多(?:\s+|(?=[-\d]))|<=\s*|≤\s*|＜＝\s*",
    "under": r"under\s+|低于(?:\s+|(?=[-\d]))|<\s*|＜\s*",
}
_COMPARISON_FORMS: tuple[tuple[Operator, re.Pattern[str]], ...] = tuple(
    (operator, regex(rf"(?:{words})(\S+)")) for operator, words in _COMPARISONS.items()
)
_RANGE_FORMS = (
    regex(
        r"(?P<above>(?:above|高于)\s+)?(?P<low>\S+?)\s*(?P<to>(?<=\s)to under(?=\s)|(?<=\s)to(?=\s)|到不足|到)"
        r"\s*(?P<high>\S+)"
    ),
    regex(r"(?P<left>[\[(])\s*(?P<low>\S+?)\s*\.\.\s*(?P<high>\S+?)\s*(?P<right>[\])])"),
    regex(r"(?P<low>[^\s.\[(]\S*?)\s*\.\.\s*(?P<high>[^\s.]\S*?)"),
)
_NOT = regex(r"(?:not\s+|不是\s+|!=\s*|≠\s*)(.+)", re.DOTALL)
_NOT_CONTAINS = regex(r"不包含\s+(.+)", re.DOTALL)
_CONTAINS = regex(r"(?:contains|包含)\s+(.+)", re.DOTALL)
_STARTS_WITH = regex(r"(?:starts with|开头是)\s+(.+)", re.DOTALL)
_SAME_AS = regex(r"(?:same as|等同)\s+(\S+)")
_EQUALS = regex(r"[=＝]\s*(.+)", re.DOTALL)
_NAME = regex(r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)?")
_WORDS: dict[str, Operator] = {
    "any": "any",
    "任意": "any",
    "absent": "absent",
    "缺失": "absent",
    "空值": "null",
}
_LITERALS: dict[str, Value] = {"true": True, "false": False}
_WORDS_OF_ORDER: dict[Operator, str] = {
    "at_least": "at least",
    "above": "above",
    "at_most": "at most",
    "under": "under",
}
_DIGIT = regex("[0-9]")
_UNREAD = frozenset({"rule/wrong-kind", "rule/unknown-reference", "rule/other-words", "rule/full-width"})


@record(frozen=False)
class Scope:
    """What a cell may refer to. `outside` grows while cells are read: one slot for each name and kind."""

    document: str
    columns: Sequence[Column]
    thresholds: Mapping[str, Threshold]
    outside: list[OutsideReference] = field(default_factory=list)

    def names(self) -> list[str]:
        return [*(column.name for column in self.columns), *self.thresholds]

    def outside_reference(self, name: str, kind: Kind) -> OutsideReference:
        for reference in self.outside:
            if (reference.name, reference.kind) == (name, kind):
                return reference
        reference = OutsideReference(name, kind, len(self.outside))
        self.outside.append(reference)
        return reference


class _Unreadable(Exception):
    """Unwinds to `read_cell` with what was found; never leaves this module."""

    def __init__(self, *findings: Finding) -> None:
        self.findings = findings


def read_cell(written: object, column: Column, scope: Scope, path: Path, findings: list[Finding]) -> Cell | None:
    """Return the cell that stands there, or None, with a finding, when it cannot be read.

    Shapes: `written` is plain data as the document gives it: a quoted number is a text.
    """
    try:
        return _Reader(column, scope, path, findings).read(written)
    except _Unreadable as unreadable:
        findings.extend(unreadable.findings)
        return None


def read_cells(written: object, rule: str, scope: Scope, path: Path, findings: list[Finding]) -> tuple[Cell, ...]:
    """Return a cell for every column of the scope; one that cannot be read counts as ANY until it is mended.

    Shapes: `written` is a mapping from columns to cells, or the word `any`; `rule` names the rule in findings.
    """
    when = {} if written in ("any", "任意") else read_mapping(written, path, findings)
    names = [column.name for column in scope.columns]
    for name in when:
        if name not in names:
            findings.append(unknown("unknown-column", (*path, name), name, names, table=rule))
    cells = []
    for column in scope.columns:
        cell: Cell | None = ANY
        if column.name in when:
            cell = read_cell(when[column.name], column, scope, (*path, column.name), findings)
        cells.append(cell or ANY)
    return tuple(cells)


def _written_limits(cell: Cell) -> Iterator[Key]:
    if isinstance(cell.limit, Constant):
        yield cell.limit.key
    for part in cell.parts:
        yield from _written_limits(part)


def _are_shares(limits: Sequence[Key]) -> bool:
    fractions = [limit for limit in limits if isinstance(limit, Decimal) and 0 < limit < 1]
    return bool(fractions) and all(type(limit) in NUMBER_TYPES and 0 <= limit <= 1 for limit in limits)


def check_unread(
    rule: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[Cell]],
    path: Path,
    findings: list[Finding],
    read: Iterable[int] = (),
) -> None:
    """Find declared inputs that no cell asks about and no cell compares with; `read` are places read otherwise.

    Also found are inputs from 0 to 100 whose every limit is a share between 0 and 1. To be asked of a rule without
    other mistakes: a cell that could not be read counts as ANY.
    """
    places = set(read)
    rows = list(rows)
    for place, column in enumerate(columns):
        limits = [limit for cells in rows for limit in _written_limits(cells[place])]
        if column.range is not None and _are_shares(limits) and (column.range.low, column.range.high) == (0, 100):
            facts = {"name": column.name, "value": shown(limits[0]), "range": column.range.text}
            findings.append(found("share-of-hundred", (*path, "inputs", column.name), **facts))
    for cells in rows:
        places.update(place for place, cell in enumerate(cells) if cell.operator != "any")
        places.update(references_of(cells))
    for place, column in enumerate(columns):
        if place not in places:
            findings.append(found("unread-input", (*path, "inputs", column.name), name=column.name, rule=rule))


@record(frozen=False)
class _Reader:
    """Reads one cell; `notes` takes findings that do not keep it from being read."""

    column: Column
    scope: Scope
    path: Path
    notes: list[Finding]

    def read(self, written: object) -> Cell:
        if written is None:
            return Cell("null", text="null")
        if isinstance(written, list):
            return self._one_of(written)
        if isinstance(written, Mapping):
            return self._mapping(written)
        if isinstance(written, str):
            return self._text(written.strip(), written, inside=False)
        return self._equals(written, shown(written))

    def _one_of(self, written: list[Any]) -> Cell:
        if not written:
            raise self._finding("empty-cell")
        parts: list[Cell] = []
        unreadable: list[Finding] = []
        for part in written:
            try:
                parts.append(self.read(part))
            except _Unreadable as problem:
                unreadable.extend(problem.findings)
        if unreadable:
            raise _Unreadable(*unreadable)
        return Cell("one_of", parts=tuple(parts), text=", ".join(part.text for part in parts))

    def _mapping(self, written: Mapping[str, Any]) -> Cell:
        if written.keys() == {"is"}:
            value = written["is"]
            return Cell("null", text="null") if value is None else self._equals(value, shown(value))
        if written.keys() == {"not"}:
            inner = self.read(written["not"])
            return Cell("not", parts=(inner,), text=f"not {inner.text}")
        if written and written.keys() <= _WORDS_OF_ORDER.keys():
            return self._compared(written)
        meant = suggested_mapping(written, shown)
        if meant is not None:
            none = {"itself_zh": "", "itself_en": ""}
            raise self._finding("other-words", **self._instead(shown(dict(written)), meant) | none)
        raise self._finding("wrong-shape", value=shown(dict(written)), expected="cell")

    def _compared(self, written: Mapping[str, Any]) -> Cell:
        """Read `{at_least: b, under: d}`, the long form of a comparison, which orders texts as well."""
        sides = [self._side(cast(Operator, word), limit) for word, limit in written.items()]
        text = " and ".join(side.text for side in sides)
        if len(sides) == 1:
            return sides[0]
        low, high = sorted(sides, key=lambda side: side.operator not in ("at_least", "above"))
        if len(sides) > 2 or low.operator not in ("at_least", "above") or high.operator not in ("at_most", "under"):
            raise self._finding("wrong-shape", value=shown(dict(written)), expected="cell")
        if _is_reversed(low, high):
            ends = [shown(side.limit.value) if isinstance(side.limit, Constant) else "?" for side in (low, high)]
            raise self._finding("reversed-range", value=text, low=ends[0], high=ends[1])
        return Cell("between", parts=(low, high), text=text)

    def _side(self, operator: Operator, limit: Any) -> Cell:
        if self.column.kind in ("boolean", "array", "object"):
            raise self._wrong_kind(limit)
        word = _WORDS_OF_ORDER[operator]
        if isinstance(limit, Mapping) and limit.keys() == {"value_of"}:
            name = shown(limit["value_of"])
            return Cell(operator, self._reference(name, name), text=f"{word} {name}")
        key = find_key(self.column.kind, limit)
        if key is None or isinstance(limit, bool | list | Mapping):
            raise self._wrong_kind(limit)
        return self._within_range(Cell(operator, _constant(limit, key), text=f"{word} {shown(limit)}"))

    def _text(self, text: str, written: str, inside: bool) -> Cell:
        """Read a text. `inside` says that it stands inside a longer form, where `80` is a number without doubt."""
        word = _WORDS.get(text)
        if word is not None or (inside and text == "null"):
            return Cell(word or "null", text=text)
        if self.column.kind == "string" and written in self.column.enum:
            return self._equals(written, written)
        if self.column.kind not in ORDERED:
            self._refuse_other_words(text)
        try:
            return self._form(text) or self._bare(text, written, inside)
        except _Unreadable as problem:
            raise self._other_words(text, problem) from None

    def _refuse_other_words(self, text: str) -> None:
        """Refuse words about a number or a date that are not those of a cell; anything else may be a text."""
        if self.column.enum or self.column.kind not in ("string", "any"):
            return
        quoted = quoted_texts(text)
        if quoted is not None:
            raise self._finding("other-words", **self._instead(text, quoted))
        if not _DIGIT.search(text):
            return
        suggested = suggested_order(text, looks_ordered)
        if suggested is not None and suggested.is_words:
            raise self._finding("other-words", **self._instead(text, suggested.cell))

    def _other_words(self, text: str, problem: _Unreadable) -> _Unreadable:
        """Return what is wrong with a text that cannot be read, with the cell that says it where that is certain."""
        if self.column.kind in ORDERED and all(each.code in _UNREAD for each in problem.findings):
            plain = unicodedata.normalize("NFKC", text)
            suggested = suggested_order(plain, self._is_limit)
            if suggested is not None:
                return self._finding("other-words", **self._instead(text, suggested.cell))
            plainly = in_plain_writing(text, self.column.kind)
            if plainly != text and "rule/full-width" not in {each.code for each in problem.findings}:
                with suppress(_Unreadable):
                    self.read(_literal(plainly))
                    return self._finding("other-words", **self._instead(text, plainly))
        return problem

    def _is_limit(self, text: str) -> bool:
        """Say whether a text is a value of the column, or the name of a fact or a threshold."""
        own = text.removeprefix(f"{self.scope.document}.")
        return self._key_of(text) is not None or own in self.scope.names()

    def _instead(self, text: str, cell: str) -> dict[str, object]:
        """Return what has to be written instead; where texts may stand, how the text itself is written too."""
        facts = {"value": text, "cell": cell, "itself_zh": "", "itself_en": ""}
        if self.column.kind in ("string", "any") and not self.column.enum:
            itself = f"{{is: {dumps(text)}}}"
            facts |= {"itself_zh": f"；要的就是这段文本时写 {itself}", "itself_en": f"; for the text itself {itself}"}
        return dict(facts)

    def _form(self, text: str) -> Cell | None:
        """Return the cell of a text that has one of the word or symbol forms, or None for a plain text."""
        for pattern, build in _FORMS:
            form = pattern.fullmatch(text)
            if form is not None:
                return build(self, form, text)
        for operator, pattern in _COMPARISON_FORMS:
            form = pattern.fullmatch(text)
            if form is not None and self._means_order(form[1]):
                return self._comparison(operator, form[1], text)
        for pattern in _RANGE_FORMS:
            form = pattern.fullmatch(text)
            if form is not None and self._means_order(form["low"], form["high"]):
                return self._between(form, text)
        return None

    def _bare(self, text: str, written: str, inside: bool) -> Cell:
        """Read a text that has no form: a value, or in a column of other kinds the name of a fact or threshold."""
        kind = self.column.kind
        if kind in ("string", "any"):
            self._note_name(written)
            return self._equals(_literal(text) if inside and kind == "any" else written, text)
        if inside or text in self.scope.names():
            return self._limited("equals", text, text)
        if find_key(kind, written) is None and "." in text and find_number(text) is None:
            return self._limited("equals", text, text)
        return self._equals(written, written)

    # --- forms

    def _not(self, form: re.Match[str], text: str) -> Cell:
        inner = form[1].strip()
        try:
            part = self._text(inner, inner, inside=True)
        except _Unreadable as problem:
            raise self._denied(text, inner, problem) from None
        return Cell("not", parts=(part,), text=text)

    def _denied(self, text: str, inner: str, problem: _Unreadable) -> _Unreadable:
        """Return what is wrong behind `not` with the whole cell in its hint."""
        whole = suggested_order(text, self._is_limit) if self.column.kind in ORDERED else None
        if whole is not None:
            return self._finding("other-words", **self._instead(text, whole.cell))
        other = self._other_words(inner, problem).findings[0]
        cell = str(other.facts.get("cell", "any"))
        if other.code != "rule/other-words" or cell == "any" or " / " in cell:
            return problem
        return self._finding("other-words", **self._instead(text, f"{{not: {cell}}}"))

    def _not_contains(self, form: re.Match[str], text: str) -> Cell:
        return Cell("not", parts=(self._part("contains", form[1], text),), text=text)

    def _contains(self, form: re.Match[str], text: str) -> Cell:
        return self._part("contains", form[1], text)

    def _starts_with(self, form: re.Match[str], text: str) -> Cell:
        return self._part("starts_with", form[1], text)

    def _same_as(self, form: re.Match[str], text: str) -> Cell:
        return Cell("equals", self._reference(form[1], text), text=text)

    def _equal_sign(self, form: re.Match[str], text: str) -> Cell:
        self._refuse_full_width(text)
        return self._limited("equals", form[1].strip(), text)

    def _part(self, operator: Operator, limit: str, text: str) -> Cell:
        if self.column.kind not in ("string", "any") and (operator, self.column.kind) != (
            "contains",
            "array",
        ):
            raise self._wrong_kind(text)
        return Cell(operator, _constant(limit.strip(), limit.strip()), text=text)

    def _comparison(self, operator: Operator, limit: str, text: str) -> Cell:
        self._need_order(text)
        self._refuse_full_width(text)
        return self._limited(operator, limit, text)

    def _between(self, form: re.Match[str], text: str) -> Cell:
        self._need_order(text)
        groups = form.groupdict()
        above = bool(groups.get("above")) or groups.get("left") == "("
        under = groups.get("to") in ("to under", "到不足") or groups.get("right") == ")"
        low = self._limited("above" if above else "at_least", form["low"], text)
        high = self._limited("under" if under else "at_most", form["high"], text)
        if _is_reversed(low, high):
            raise self._finding("reversed-range", value=text, low=form["low"], high=form["high"])
        return Cell("between", parts=(low, high), text=text)

    # --- limits

    def _equals(self, value: Any, text: str) -> Cell:
        key = find_key(self.column.kind, value)
        if key is None:
            raise self._wrong_kind(value)
        if self.column.enum and key not in self.column.enum:
            cells = suggested_list(value, self.column.enum) if isinstance(value, str) else None
            if cells is None and isinstance(value, str) and suggested_word(value, self.column.kind) == "any":
                cells = "any"
            if cells is not None:
                raise self._finding("other-words", **self._instead(value, cells))
            allowed = map(shown, self.column.enum)
            raise _Unreadable(unknown("not-in-enum", self.path, value, allowed, column=self.column.name))
        return self._within_range(Cell("equals", _constant(value, key), text=text))

    def _limited(self, operator: Operator, limit: str, text: str) -> Cell:
        """Return a comparison with a limit that is written inside a text: a value, a fact or a threshold."""
        key = self._key_of(limit)
        if key is None:
            return self._within_range(Cell(operator, self._reference(limit, text), text=text))
        if operator == "equals":
            return self._equals(_literal(limit) if self.column.kind != "string" else limit, text)
        return self._within_range(Cell(operator, _constant(_literal(limit), key), text=text))

    def _key_of(self, text: str) -> Key | None:
        kind = self.column.kind
        if kind == "string":
            return text
        if kind == "boolean" or (kind == "any" and text in _LITERALS):
            return _LITERALS.get(text)
        return key_of_text(kind, text)

    def _reference(self, name: str, text: str) -> Limit:
        if not _NAME.fullmatch(name):
            raise self._wrong_kind(text)
        for index, column in enumerate(self.scope.columns):
            if column.name == name:
                self._need_kind(name, column.kind)
                self._note_unit(name, column.unit)
                return FactReference(name, index)
        document, dot, inner = name.partition(".")
        if dot and document != self.scope.document:
            return self.scope.outside_reference(name, self.column.kind)
        threshold = self.scope.thresholds.get(inner if dot else name)
        if threshold is None:
            raise _Unreadable(unknown("unknown-reference", self.path, name, self.scope.names()))
        self._need_kind(name, threshold.kind)
        self._note_unit(name, threshold.unit)
        return _constant(threshold.value, find_key(self.column.kind, threshold.value), threshold.name)

    def _need_kind(self, name: str, kind: Kind) -> None:
        mine = self.column.kind
        if mine != kind and "any" not in (mine, kind) and not {mine, kind} <= NUMBERS:
            raise self._finding("reference-kind", name=name, kind=kind, column=self.column.name, expected=mine)

    def _note_unit(self, name: str, unit: str | None) -> None:
        column = self.column
        if unit is not None and column.unit is not None and unit != column.unit:
            facts = {"name": name, "unit": unit, "column": column.name, "expected": column.unit}
            self.notes.append(found("other-unit", self.path, **facts))

    def _within_range(self, cell: Cell) -> Cell:
        declared = self.column.range
        limit = cell.limit
        if declared is None or not isinstance(limit, Constant) or declared.holds(limit.key):
            return cell
        facts = {"value": shown(limit.value), "range": declared.text, "column": self.column.name}
        raise self._finding("limit-outside-range", **facts, **unit_facts(limit.value, declared))

    # --- small questions

    def _refuse_full_width(self, text: str) -> None:
        miswritten_text = miswritten(text, self.path, self.column.name) if text[0] in "＝＞＜" else None
        if miswritten_text is not None:
            raise _Unreadable(miswritten_text)

    def _means_order(self, *limits: str) -> bool:
        """Tell whether a comparison is meant: always, but where texts may stand only when the limits are no words."""
        if self.column.kind == "string":
            return all(map(looks_ordered, limits))
        if self.column.kind == "any":
            names = self.scope.names()
            return all(looks_ordered(limit) or limit in names or "." in limit for limit in limits)
        return True

    def _need_order(self, text: str) -> None:
        if self.column.kind not in ORDERED and self.column.kind != "any":
            raise self._wrong_kind(text)

    def _note_name(self, text: str) -> None:
        if not self.column.enum and text != self.column.name and text in self.scope.names():
            self.notes.append(found("text-is-a-name", self.path, name=text))

    def _wrong_kind(self, value: object) -> _Unreadable:
        if self.column.kind in ORDERED:
            miswritten_number = miswritten(value, self.path, self.column.name)
            if miswritten_number is not None:
                return _Unreadable(miswritten_number)
        if isinstance(value, str):
            word = suggested_word(value, self.column.kind)
            if word is not None and self.column.kind in (*ORDERED, "boolean"):
                return self._finding("other-words", **self._instead(value, word))
        return _Unreadable(wrong_kind(self.path, value, self.column.kind, self.column.name, is_cell=True))

    def _finding(self, code: str, **facts: object) -> _Unreadable:
        return _Unreadable(found(code, self.path, **facts))


_FORMS: tuple[tuple[re.Pattern[str], Callable[[_Reader, re.Match[str], str], Cell]], ...] = (
    (_NOT, _Reader._not),
    (_NOT_CONTAINS, _Reader._not_contains),
    (_CONTAINS, _Reader._contains),
    (_STARTS_WITH, _Reader._starts_with),
    (_SAME_AS, _Reader._same_as),
    (_EQUALS, _Reader._equal_sign),
)


def _literal(text: str) -> Value:
    if text in _LITERALS:
        return _LITERALS[text]
    number = find_number(text)
    return text if number is None else number


def _constant(value: Any, key: Key, threshold: str | None = None) -> Constant:
    return Constant(key, kind_of(value), value, threshold)


def _is_reversed(low: Cell, high: Cell) -> bool:
    if not isinstance(low.limit, Constant) or not isinstance(high.limit, Constant):
        return False
    left, right = low.limit.key, high.limit.key
    open_end = low.operator == "above" or high.operator == "under"
    return bool(left > right or (left == right and open_end))
