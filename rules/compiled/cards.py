"""The functions of a scorecard.

A card packs its score and its rows into one number, `score << bits | rows`: each row adds one constant, and every
level is one comparison.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from rules.cells import Cell
from rules.columns import Key
from rules.compiled.cells import (
    CellCompiler,
    Facts,
    ListedCell,
    assign,
    compares_loosely,
    entering,
    lister,
    load,
)
from rules.scorecards import Factor, PointsRow, Scorecard, Scored
from rules.values import ABSENT, Value

_MOST_ANSWERS = 4096
_MOST_NESTED = 40


class CardFunctions:
    """The ways into a scorecard, each compiled when it is first asked for; they find what `plain.score` does.

    Each gives a packed score and the number of an outcome, which `unpacked` reads. A card whose comparisons can fail
    on what they compare is evaluated plainly: there the order of asking matters.
    """

    def __init__(self, card: Scorecard) -> None:
        self._card = card
        self._packing = _Packing(card)
        self._is_plain = _can_fail(card)
        self._answers: dict[tuple[tuple[int, int], tuple[str, ...]], dict[str, Value]] = {}

    @cached_property
    def enter(self) -> Callable[[Facts, Sequence[Key]], tuple[int, int]]:
        if self._is_plain:
            return self._careful
        return _CardCompiler(self._card, self._packing, whole=True).by_facts(self._careful) or self._careful

    @cached_property
    def whole(self) -> Callable[[Sequence[Key], Sequence[Key]], tuple[int, int]]:
        return self._by_keys(whole=True)

    @cached_property
    def guarded(self) -> Callable[[Sequence[Key], Sequence[Key]], tuple[int, int]]:
        return self._by_keys(whole=False)

    @cached_property
    def listed(self) -> Callable[[Sequence[Key], Sequence[Key]], list[ListedCell]]:
        """Lists every cell; `row` is (factor, row), ("level", place) or ("veto", place), places from 0."""
        rows: list[tuple[Any, Sequence[Cell]]] = [
            ((factor.name, at), row.cells)
            for factor in self._card.factors
            for at, row in enumerate(factor.rows, start=1)
        ]
        rows += [(("level", at), level.needs) for at, level in enumerate(self._card.levels)]
        rows += [(("veto", at), veto.cells) for at, veto in enumerate(self._card.vetoes)]
        return lister(self._card, rows)

    def answer(self, facts: Facts, outside: Sequence[Key]) -> tuple[Scored, dict[str, Value]]:
        """Return what is found and the answer in the words of the document, made once for each outcome."""
        found = self.enter(facts, outside)
        scored = self._packing.unpacked(found)
        unmet = () if scored.capped is None else self._card.unmet(scored.capped, self._card.keys(facts), outside)
        answer = self._answers.get((found, unmet))
        if answer is None:
            if len(self._answers) >= _MOST_ANSWERS:
                self._answers.clear()
            answer = self._answers[found, unmet] = self._card.answer(scored, unmet)
        return scored, answer

    def unpacked(self, found: tuple[int, int]) -> Scored:
        return self._packing.unpacked(found)

    def _by_keys(self, *, whole: bool) -> Callable[[Sequence[Key], Sequence[Key]], tuple[int, int]]:
        if self._is_plain:
            return self._plainly
        return _CardCompiler(self._card, self._packing, whole=whole).by_keys(self._plainly)

    def _careful(self, facts: Facts, outside: Sequence[Key]) -> tuple[int, int]:
        return self.guarded(self._card.keys(facts), outside)

    def _plainly(self, keys: Sequence[Key], outside: Sequence[Key]) -> tuple[int, int]:
        from rules.plain import score

        return self._packing.packed(score(self._card, keys, outside))


class _CardCompiler(CellCompiler):
    def __init__(self, card: Scorecard, packing: _Packing, whole: bool) -> None:
        super().__init__(card, whole)
        self.card = card
        self.packing = packing

    def by_keys(
        self, plainly: Callable[[Sequence[Key], Sequence[Key]], tuple[int, int]]
    ) -> Callable[[Sequence[Key], Sequence[Key]], tuple[int, int]]:
        failing = ast.Return(ast.Call(self.constant(plainly, "plainly"), [load("keys"), load("outside")], []))
        lines = self._lines(failing)
        function: Callable[[Sequence[Key], Sequence[Key]], tuple[int, int]]
        function = self.compiled(["keys", "outside"], [*self.opening(), *lines])
        return function

    def by_facts(
        self, careful: Callable[[Facts, Sequence[Key]], tuple[int, int]]
    ) -> Callable[[Facts, Sequence[Key]], tuple[int, int]] | None:
        entrance = self.entrance()
        if entrance is None:
            return None
        carefully = self.constant(careful, "careful")
        failing = ast.Return(ast.Call(carefully, [load("facts"), load("outside")], []))
        body = entering(entrance, [*self.outside(), *self._lines(failing)], carefully)
        function: Callable[[Facts, Sequence[Key]], tuple[int, int]] = self.compiled(["facts", "outside"], body)
        return function

    def _lines(self, failing: ast.stmt) -> list[ast.stmt]:
        lines = [
            line for place, factor in enumerate(self.card.factors) for line in self._factor(place, factor, failing)
        ]
        return [*lines, *self._levels()]

    # --- factors

    def _factor(self, place: int, factor: Factor, failing: ast.stmt) -> Iterable[ast.stmt]:
        rows = self._chain(place, factor.rows, failing)
        missing = [] if self.whole else [test for at in factor.reads for test in self._nothing(factor, at)]
        if not missing:
            yield from rows
            return
        instead = failing if factor.missing is None else self._add(place, 0)
        yield ast.If(missing[0] if len(missing) == 1 else ast.BoolOp(ast.Or(), missing), [instead], rows)

    def _chain(self, place: int, rows: Sequence[PointsRow], failing: ast.stmt) -> list[ast.stmt]:
        """Return `if … elif … else`, or for many rows, which would nest too deep, a loop that is left by the first."""
        if len(rows) > _MOST_NESTED:
            tests: list[ast.stmt] = [
                ast.If(self.row(row.cells), [self._add(place, number), ast.Break()], [])
                for number, row in enumerate(rows, start=1)
            ]
            return [ast.While(ast.Constant(True), [*tests, failing], [])]
        chain = [failing]
        for number, row in reversed(list(enumerate(rows, start=1))):
            if all(cell.operator == "any" for cell in row.cells):
                chain = [self._add(place, number)]
            else:
                chain = [ast.If(self.row(row.cells), [self._add(place, number)], chain)]
        return chain

    def _add(self, place: int, number: int) -> ast.stmt:
        added = self.packing.row(place, number)
        if place == 0:
            return assign("found", ast.Constant(self.packing.lowest() + added))
        return ast.AugAssign(ast.Name("found", ast.Store()), ast.Add(), ast.Constant(added))

    def _nothing(self, factor: Factor, at: int) -> Iterable[ast.expr]:
        if not factor.asks_for(at, None):
            yield ast.Compare(load(f"k{at}"), [ast.Is()], [ast.Constant(None)])
        if not factor.asks_for(at, ABSENT):
            yield ast.Compare(load(f"k{at}"), [ast.Is()], [self.constant(ABSENT, "absent")])

    # --- levels and vetoes

    def _levels(self) -> list[ast.stmt]:
        """Return the tests of levels from the highest edge down; each ends with the vetoes."""
        lines: list[ast.stmt] = []
        lowest = len(self.card.levels) - 1
        for place in range(lowest):
            reached = ast.Compare(load("found"), [ast.GtE()], [ast.Constant(self.packing.edge(place))])
            lines.append(ast.If(reached, self._given_level(place, None), []))
        return [*lines, *self._given_level(lowest, None)]

    def _given_level(self, place: int, capped: int | None) -> list[ast.stmt]:
        level = self.card.levels[place]
        if not level.has_needs:
            return self._vetoes(place, capped)
        lower = self._given_level(level.otherwise, place if capped is None else capped)
        return [ast.If(self.row(level.needs), self._vetoes(place, capped), []), *lower]

    def _vetoes(self, level: int, capped: int | None) -> list[ast.stmt]:
        """Return the tests of vetoes, the strictest first, so that the first that holds decides."""
        order = sorted(range(len(self.card.vetoes)), key=lambda place: (-self.card.vetoes[place].level, place))
        lines: list[ast.stmt] = [
            ast.If(self.row(self.card.vetoes[place].cells), [self._found(level, capped, place)], []) for place in order
        ]
        return [*lines, self._found(level, capped, None)]

    def _found(self, level: int, capped: int | None, veto: int | None) -> ast.stmt:
        outcome = self.packing.outcome(level, capped, veto)
        return ast.Return(ast.Tuple([load("found"), ast.Constant(outcome)], ast.Load()))


class _Packing:
    """How the score and the rows of a card lie in one number, and what the numbers of outcomes mean."""

    def __init__(self, card: Scorecard) -> None:
        self.card = card
        self.shifts: list[int] = []
        self.bits = 0
        for factor in card.factors:
            self.shifts.append(self.bits)
            self.bits += len(factor.rows).bit_length()
        self.outcomes: list[tuple[int, int | None, int | None]] = []

    def row(self, place: int, number: int) -> int:
        """Return what a row of a factor adds."""
        points = self.card.scaled(self.card.factors[place].row(number).points)
        return (points << self.bits) + (number << self.shifts[place])

    def lowest(self) -> int:
        return self.card.scaled(self.card.range.low) << self.bits

    def edge(self, level: int) -> int:
        return self.card.scaled(self.card.levels[level].edge) << self.bits

    def outcome(self, level: int, capped: int | None, veto: int | None) -> int:
        if veto is not None:
            level = max(level, self.card.vetoes[veto].level)
        one = (level, capped, veto)
        if one not in self.outcomes:
            self.outcomes.append(one)
        return self.outcomes.index(one)

    def packed(self, scored: Scored) -> tuple[int, int]:
        rows = sum(number << shift for number, shift in zip(scored.rows, self.shifts, strict=True))
        return (scored.score << self.bits) + rows, self.outcome(scored.level, scored.capped, scored.veto)

    def unpacked(self, found: tuple[int, int]) -> Scored:
        packed, outcome = found
        rows = tuple(
            (packed >> shift) & ((1 << len(factor.rows).bit_length()) - 1)
            for factor, shift in zip(self.card.factors, self.shifts, strict=True)
        )
        return Scored(rows, packed >> self.bits, *self.outcomes[outcome])


def _can_fail(card: Scorecard) -> bool:
    """Tell whether a comparison of the card can fail on what it compares, so that the order of asking matters."""
    cells = [cell for factor in card.factors for row in factor.rows for cell in enumerate(row.cells)]
    cells += [cell for level in card.levels for cell in enumerate(level.needs)]
    cells += [cell for veto in card.vetoes for cell in enumerate(veto.cells)]
    return any(compares_loosely(cell, card.columns, at) for at, cell in cells)
