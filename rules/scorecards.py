"""Scorecards: factors turn facts into points with a reason each, the sum has a level, vetoes speak last.

Points are exact: `weight × gives` is a product of two decimals, and everything is summed as whole multiples of the
smallest step that any of them has (`Scorecard.scale`). Levels are written by their lower edges alone, so they tile
the range by construction.

    factor   the first row that holds gives its share of the weight. A factor whose facts are not all there does not
             get as far as its rows: `missing` says what it gives, or that the card has no answer (`refuse`). A fact is
             there when it is neither absent nor null, or when a cell of the factor asks for just that nothing.
    level    the highest one whose edge the score reaches. Where its `needs` do not all hold the score falls to its
             `otherwise`, else to the next lower level, which is asked in the same way.
    veto     the lowest level among the vetoes that hold is the most that the score may get; a veto never raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, DecimalException
from typing import Any

from rules.cells import ANY, Cell, OutsideReference, asks_for, cell_matches
from rules.columns import NUMBERS, Column, Key, Range, find_key, read_range
from rules.facts import Names, keys_of, outside_keys
from rules.parts import Part, PartReader
from rules.reading import Path, found, is_sound, miswritten, named_parts, read_list, read_mapping, shown, unknown
from rules.records import NamedTuple, record
from rules.units import unit_facts
from rules.values import CONTEXT, Value
from rules.written_cells import check_unread, read_cells

WHOLE_RANGE = "0..100"
"""The range of a card that does not say its own."""


@record
class PointsRow:
    """One row of a factor, or what it gives where facts are missing.

    Shapes: `gives` is the share of the weight, 0 to 1; `points` is `weight × gives`.
    """

    cells: tuple[Cell, ...]
    gives: Value
    points: Value
    id: str | None
    because: Any


@record
class Factor:
    """One factor.

    Shapes: `reads` are the places of the columns that its rows ask about; `missing` is None where missing facts leave
    the card without an answer, else a row that asks nothing.
    """

    name: str
    title: Any
    weight: Value
    unit: str | None
    rows: tuple[PointsRow, ...]
    missing: PointsRow | None
    reads: tuple[int, ...]

    def row(self, number: int) -> PointsRow:
        """Return a row by its number; 0 is what stands in for missing facts."""
        if number:
            return self.rows[number - 1]
        assert self.missing is not None
        return self.missing

    def asks_for(self, column: int, nothing: Key) -> bool:
        """Tell whether some row asks for null, or for absent, in this column."""
        return any(asks_for(row.cells[column], nothing) for row in self.rows)


@record
class Level:
    """One level. `otherwise` is the place of the level that a score falls to where `needs` do not hold."""

    name: str
    edge: Value
    needs: tuple[Cell, ...]
    otherwise: int
    title: Any
    because: Any

    @property
    def has_needs(self) -> bool:
        return any(cell.operator != "any" for cell in self.needs)


@record
class Veto:
    """One veto. `level` is the place of the highest level that it allows."""

    cells: tuple[Cell, ...]
    level: int
    id: str
    because: Any


class Scored(NamedTuple):
    """What a card finds, in numbers alone.

    Shapes: `rows` has a number for each factor, from 1, 0 where `missing` stood in; `score` is scaled; `level`,
    `capped` and `veto` are places in `levels` and `vetoes`; `capped` is the highest level whose needs did not hold
    although the score reaches it, None where there is none; `veto` None where none holds.
    """

    rows: tuple[int, ...]
    score: int
    level: int
    capped: int | None
    veto: int | None


@record
class Scorecard:
    """One scorecard.

    Shapes: `levels` stand from the highest edge to the lowest; every score is a whole multiple of 1/`scale`.
    """

    name: str
    columns: tuple[Column, ...]
    fact_names: frozenset[str]
    factors: tuple[Factor, ...]
    levels: tuple[Level, ...]
    vetoes: tuple[Veto, ...]
    range: Range
    scale: int
    outside: tuple[OutsideReference, ...]
    title: Any = None

    def keys(self, facts: Mapping[str, Value]) -> tuple[Key, ...]:
        """Return the facts in the form that cells compare. Errors: those of `facts.keys_of`."""
        return keys_of(self, facts)

    def outside_keys(self, documents: Names) -> tuple[Key, ...]:
        return outside_keys(self, documents)

    def scaled(self, number: Value) -> int:
        """Return a number of points as a whole multiple of the smallest step."""
        return int(CONTEXT.multiply(Decimal(number), Decimal(self.scale)))

    def unscaled(self, scaled: int) -> Value:
        whole, rest = divmod(scaled, self.scale)
        return whole if not rest else CONTEXT.divide(Decimal(scaled), Decimal(self.scale))

    def unmet(self, level: int, keys: Sequence[Key], outside: Sequence[Key]) -> tuple[str, ...]:
        """Return the facts that keep a level from being given. Errors: those of `cell_matches`."""
        return tuple(
            column.name
            for cell, column, key in zip(self.levels[level].needs, self.columns, keys, strict=True)
            if not cell_matches(cell, column.name, key, keys, outside)
        )

    def answer(self, scored: Scored, unmet: tuple[str, ...] = ()) -> dict[str, Value]:
        """Return what is found in the words of the document: score, level, parts, reasons, capped_by, veto.

        Shapes: `parts` in the order of factors; `reasons` are those that lost points, the dearest first; `unmet` are
        the facts that the level in `capped` misses.
        """
        parts = [self._part(factor, row) for factor, row in zip(self.factors, scored.rows, strict=True)]
        lost = [part for part in parts if part["points"] != part["of"]]
        reasons = [
            {
                "factor": part["factor"],
                "title": part["title"],
                "lost": CONTEXT.subtract(Decimal(part["of"]), Decimal(part["points"])),
                "because": part["because"],
            }
            for part in lost
        ]
        reasons.sort(key=lambda reason: -reason["lost"])
        return {
            "score": self.unscaled(scored.score),
            "level": self.levels[scored.level].name,
            "parts": parts,
            "reasons": [{**reason, "lost": plain_number(reason["lost"])} for reason in reasons],
            "capped_by": None if scored.capped is None else self._cap(scored.capped, unmet),
            "veto": None if scored.veto is None else self._veto(scored.veto),
        }

    def _part(self, factor: Factor, number: int) -> dict[str, Value]:
        row = factor.row(number)
        return {
            "factor": factor.name,
            "title": factor.title,
            "points": row.points,
            "of": factor.weight,
            "because": row.because,
        }

    def _cap(self, place: int, unmet: tuple[str, ...]) -> dict[str, Value]:
        level = self.levels[place]
        return {"level": level.name, "facts": list(unmet), "because": level.because}

    def _veto(self, place: int) -> dict[str, Value]:
        veto = self.vetoes[place]
        return {"id": veto.id, "level": self.levels[veto.level].name, "because": veto.because}


def plain_number(value: Value) -> Value:
    """Return a number without trailing zeros, as an integer where it is whole."""
    number = Decimal(value)
    return int(number) if number == number.to_integral_value() else number.normalize(CONTEXT)


# --- reading ----------------------------------------------------------------------------------------------------------


def load_scorecard(part: Part) -> Scorecard | None:
    """Return a scorecard, or None when something in it cannot be read; every finding is in the list."""
    before = len(part.findings)
    card = _CardReader(part).read()
    return card if is_sound(part.findings[before:]) else None


class _CardReader(PartReader):
    def read(self) -> Scorecard | None:
        before = len(self.findings)
        range_ = self._range()
        factors = tuple(
            self._factor(name, part, at)
            for name, part, at in named_parts(self.body, "factors", self.path, self.findings)
        )
        if not factors:
            self.findings.append(found("no-factors", self.path, name=self.name))
        levels = self._levels()
        vetoes = self._vetoes([level.name for level in levels])
        if is_sound(self.findings[before:]):
            self._check_weights(factors, range_)
            self._check_edges(levels, range_)
            self._check_inputs(factors, levels, vetoes)
        return Scorecard(
            name=self.name,
            columns=self.columns,
            fact_names=frozenset(column.name for column in self.columns),
            factors=factors,
            levels=levels,
            vetoes=vetoes,
            range=range_,
            scale=_scale(range_, factors, levels),
            outside=tuple(self.scope.outside),
            title=self.body.get("title"),
        )

    def _range(self) -> Range:
        written = self.body.get("range", WHOLE_RANGE)
        range_ = read_range(written, "number", (*self.path, "range"), self.findings)
        if range_ is not None and (range_.low is None or range_.high is None or range_.low == range_.high):
            self.findings.append(found("open-range", (*self.path, "range"), value=shown(written)))
            range_ = None
        return range_ or Range(0, 100, WHOLE_RANGE)

    # --- factors

    def _factor(self, name: str, body: Mapping[str, Any], path: Path) -> Factor:
        weight = self._number(body.get("weight"), "weight", (*path, "weight"))
        if weight is not None and weight <= 0:
            self.findings.append(found("weight-not-positive", (*path, "weight"), name=name, value=shown(weight)))
        title = body.get("title")
        fallback = name if title is None else title
        written = read_list(body.get("rows", []), (*path, "rows"), self.findings)
        if not written:
            self.findings.append(found("empty-factor", path, name=name))
        rows = [self._points_row(entry, weight, fallback, (*path, "rows", at)) for at, entry in enumerate(written)]
        read = tuple(
            place for place in range(len(self.columns)) if any(row.cells[place].operator != "any" for row in rows)
        )
        missing = self._missing(body.get("missing", "refuse"), weight, fallback, (*path, "missing"))
        return Factor(name, title, weight or 0, body.get("unit"), tuple(rows), missing, read)

    def _points_row(self, written: object, weight: Value | None, fallback: Any, path: Path) -> PointsRow:
        entry = read_mapping(written, path, self.findings)
        cells = self._cells(entry.get("when", {}), (*path, "when"))
        if entry and "gives" not in entry:
            self.findings.append(found("row-without-points", path, name=self.name))
        return self._points(entry, cells, weight, fallback, path)

    def _points(
        self, entry: Mapping[str, Any], cells: tuple[Cell, ...], weight: Value | None, fallback: Any, path: Path
    ) -> PointsRow:
        gives = self._number(entry["gives"], "gives", (*path, "gives")) if "gives" in entry else None
        if gives is not None and not 0 <= gives <= 1:
            self.findings.append(found("share-outside", (*path, "gives"), value=shown(gives)))
            gives = None
        id_, because = entry.get("id"), entry.get("because")
        points = self._product(weight or 0, gives or 0, path)
        return PointsRow(
            cells, gives or 0, points, None if id_ is None else shown(id_), fallback if because is None else because
        )

    def _missing(self, written: object, weight: Value | None, fallback: Any, path: Path) -> PointsRow | None:
        """Return what stands in for missing facts: a number, a mapping with a reason, or None for `refuse`."""
        nothing = tuple(ANY for _ in self.columns)
        if written == "refuse":
            return None
        if isinstance(written, Mapping):
            if "gives" not in written:
                self.findings.append(found("row-without-points", path, name=self.name))
            return self._points(written, nothing, weight, fallback, path)
        if find_key("number", written) is None:
            self.findings.append(found("unknown-missing", path, value=shown(written)))
            return None
        return self._points({"gives": written}, nothing, weight, fallback, path[:-1])

    def _product(self, weight: Value, gives: Value, path: Path) -> Value:
        try:
            return plain_number(CONTEXT.multiply(Decimal(weight), Decimal(gives)))
        except DecimalException:
            self.findings.append(found("too-many-digits", path, value=f"{shown(weight)} × {shown(gives)}"))
            return 0

    # --- levels and vetoes

    def _levels(self) -> tuple[Level, ...]:
        path: Path = (*self.path, "levels")
        entries = [
            (at, read_mapping(entry, (*path, at), self.findings))
            for at, entry in enumerate(read_list(self.body.get("levels", []), path, self.findings))
        ]
        names = [shown(entry.get("level")) for _, entry in entries]
        if not entries:
            self.findings.append(found("no-levels", self.path, name=self.name))
        return tuple(self._level(entry, place, names, (*path, at)) for place, (at, entry) in enumerate(entries))

    def _level(self, entry: Mapping[str, Any], place: int, names: list[str], path: Path) -> Level:
        name, title, because = names[place], entry.get("title"), entry.get("because")
        if names.index(name) != place:
            self.findings.append(found("duplicate-level", (*path, "level"), name=name))
        otherwise = place + 1
        if "otherwise" in entry:
            otherwise = self._place(entry["otherwise"], names, (*path, "otherwise"))
            if 0 <= otherwise <= place:
                lower = shown(entry["otherwise"])
                self.findings.append(found("level-not-lower", (*path, "otherwise"), name=lower, level=name))
        if "needs" in entry and place == len(names) - 1:
            self.findings.append(found("lowest-level-needs", (*path, "needs"), level=name))
        fallback = name if title is None else title
        return Level(
            name=name,
            edge=self._number(entry.get("from"), "from", (*path, "from")) or 0,
            needs=self._cells(entry.get("needs", {}), (*path, "needs")),
            otherwise=otherwise,
            title=title,
            because=fallback if because is None else because,
        )

    def _vetoes(self, levels: list[str]) -> tuple[Veto, ...]:
        path: Path = (*self.path, "vetoes")
        vetoes = []
        for at, written in enumerate(read_list(self.body.get("vetoes", []), path, self.findings)):
            entry = read_mapping(written, (*path, at), self.findings)
            id_ = shown(entry["id"]) if "id" in entry else str(at + 1)
            cells = self._cells(entry.get("when", {}), (*path, at, "when"))
            if all(cell.operator == "any" for cell in cells):
                self.findings.append(found("veto-without-condition", (*path, at), id=id_))
            because = entry.get("because")
            level = self._place(entry.get("level"), levels, (*path, at, "level"))
            vetoes.append(Veto(cells, level, id_, id_ if because is None else because))
        return tuple(vetoes)

    def _place(self, name: object, levels: list[str], path: Path) -> int:
        if shown(name) in levels:
            return levels.index(shown(name))
        self.findings.append(unknown("unknown-level", path, name, levels))
        return -1

    # --- small parts

    def _cells(self, written: object, path: Path) -> tuple[Cell, ...]:
        return read_cells(written, self.name, self.scope, path, self.findings)

    def _number(self, written: object, what: str, path: Path) -> Value | None:
        """Return a number that stands there, or that of the threshold which is named there."""
        key = find_key("number", written)
        if key is not None:
            return key
        thresholds = {name: one for name, one in self.scope.thresholds.items() if one.kind in NUMBERS}
        name = written.removeprefix(f"{self.scope.document}.") if isinstance(written, str) else ""
        if name in thresholds:
            return thresholds[name].key
        miswritten_number = miswritten(written, path, what)
        if miswritten_number is not None:
            self.findings.append(miswritten_number)
            return None
        names = ", ".join(sorted(thresholds)) or "-"
        self.findings.append(found("needs-number", path, value=shown(written), key=what, thresholds=names))
        return None

    # --- checks over the whole card

    def _check_weights(self, factors: tuple[Factor, ...], range_: Range) -> None:
        total = sum((Decimal(factor.weight) for factor in factors), Decimal(0))
        wanted = Decimal(range_.high or 0) - Decimal(range_.low or 0)
        if total != wanted:
            facts = {"sum": shown(plain_number(total)), "wanted": shown(plain_number(wanted)), "range": range_.text}
            self.findings.append(found("weights-do-not-sum", (*self.path, "factors"), **facts))

    def _check_edges(self, levels: tuple[Level, ...], range_: Range) -> None:
        path: Path = (*self.path, "levels")
        for place, level in enumerate(levels):
            at = (*path, place, "from")
            if not range_.holds(level.edge):
                facts = {"level": level.name, "value": shown(level.edge), "range": range_.text}
                self.findings.append(found("level-outside-range", at, **facts, **unit_facts(level.edge, range_)))
            elif place and not level.edge < levels[place - 1].edge:
                higher = levels[place - 1]
                facts = {"level": level.name, "value": shown(level.edge)}
                facts |= {"higher": higher.name, "edge": shown(higher.edge)}
                self.findings.append(found("levels-overlap", at, **facts))
        lowest = levels[-1]
        if range_.holds(lowest.edge) and lowest.edge != range_.low:
            facts = {"level": lowest.name, "value": shown(lowest.edge), "low": shown(range_.low)}
            self.findings.append(found("levels-leave-gap", (*path, len(levels) - 1, "from"), **facts))

    def _check_inputs(self, factors: tuple[Factor, ...], levels: tuple[Level, ...], vetoes: tuple[Veto, ...]) -> None:
        rows = [row.cells for factor in factors for row in factor.rows]
        rows += [level.needs for level in levels] + [veto.cells for veto in vetoes]
        check_unread(self.name, self.columns, rows, self.path, self.findings)


def _scale(range_: Range, factors: tuple[Factor, ...], levels: tuple[Level, ...]) -> int:
    numbers = [range_.low, *(level.edge for level in levels)]
    for factor in factors:
        numbers += [row.points for row in (*factor.rows, factor.missing) if row is not None]
    places = max((-int(Decimal(number).as_tuple().exponent) for number in numbers), default=0)
    return int(10 ** max(places, 0))
