"""The functions of a decision table."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cached_property

from rules.cells import Cell, Constant
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
from rules.tables import Answer, Table
from rules.values import ABSENT

_MOST_COMPARED = 64
"""So many rows are compared with one another when a table is compiled."""


class TableFunctions:
    """The ways into a table, each compiled when it is first asked for; they answer as `plain.decide_table` does.

    Shapes: `whole` is only for keys among which nothing is null or absent.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    @cached_property
    def enter(self) -> Callable[[Facts, Sequence[Key]], Answer]:
        return _TableCompiler(self._table, whole=True).by_facts(self._careful) or self._careful

    @cached_property
    def whole(self) -> Callable[[Sequence[Key], Facts, Sequence[Key]], Answer]:
        return _TableCompiler(self._table, whole=True).by_keys()

    @cached_property
    def guarded(self) -> Callable[[Sequence[Key], Facts, Sequence[Key]], Answer]:
        return _TableCompiler(self._table, whole=False).by_keys()

    @cached_property
    def listed(self) -> Callable[[Sequence[Key], Sequence[Key]], list[ListedCell]]:
        """Lists every cell with its value and limit; `row` is the number of a row."""
        return lister(self._table, [(at, row.cells) for at, row in enumerate(self._table.rows, start=1)])

    def _careful(self, facts: Facts, outside: Sequence[Key]) -> Answer:
        return self.guarded(self._table.keys(facts), facts, outside)


class _TableCompiler(CellCompiler):
    def __init__(self, table: Table, whole: bool) -> None:
        super().__init__(table, whole)
        self.table = table
        self.is_first = table.hit == "first" or (table.hit == "unique" and _is_disjoint(table))

    def by_keys(self) -> Callable[[Sequence[Key], Facts, Sequence[Key]], Answer]:
        rows = self._rows()
        function: Callable[[Sequence[Key], Facts, Sequence[Key]], Answer]
        function = self.compiled(["keys", "facts", "outside"], [*self.opening(), *rows])
        return function

    def by_facts(
        self, careful: Callable[[Facts, Sequence[Key]], Answer]
    ) -> Callable[[Facts, Sequence[Key]], Answer] | None:
        entrance = self.entrance()
        if entrance is None:
            return None
        rows = self._rows()
        body = entering(entrance, [*self.outside(), *rows], self.constant(careful, "careful"))
        function: Callable[[Facts, Sequence[Key]], Answer] = self.compiled(["facts", "outside"], body)
        return function

    def _rows(self) -> list[ast.stmt]:
        answer = self.constant(self.table.answer, "answer")
        lines: list[ast.stmt] = [] if self.is_first else [assign("found", ast.List([], ast.Load()))]
        for number, row in enumerate(self.table.rows, start=1):
            lines.append(ast.If(self.row(row.cells), [self._action(number)], []))
        if self.is_first and self.table.otherwise_is_fixed:
            lines.append(ast.Return(self.constant(self.table.answer([], {}, ()), "nothing")))
        else:
            rows = ast.List([], ast.Load()) if self.is_first else load("found")
            lines.append(ast.Return(ast.Call(answer, [rows, load("facts"), load("outside")], [])))
        return lines

    def _action(self, number: int) -> ast.stmt:
        if not self.is_first:
            append = ast.Attribute(load("found"), "append", ast.Load())
            return ast.Expr(ast.Call(append, [ast.Constant(number)], []))
        fixed = self.table.rows[number - 1].answer
        if fixed is not None:
            return ast.Return(self.constant(Answer(fixed, number), f"a{number}"))
        rows = ast.List([ast.Constant(number)], ast.Load())
        return ast.Return(ast.Call(load("answer"), [rows, load("facts"), load("outside")], []))


# --- rows that exclude each other -------------------------------------------------------------------------------------


def _is_disjoint(table: Table) -> bool:
    """Tell whether no two rows can match together, so that the first that matches is the only one.

    Only what is plain to see counts: in some column one row asks for texts or truths that the other does not list, or
    for numbers on the other side. Cells that can fail when they are asked are never left out.
    """
    if len(table.rows) > _MOST_COMPARED:
        return False
    if any(compares_loosely(cell, table.columns, at) for row in table.rows for at, cell in enumerate(row.cells)):
        return False
    return all(
        any(_exclude(one, other) for one, other in zip(row.cells, earlier.cells, strict=True))
        for place, row in enumerate(table.rows)
        for earlier in table.rows[:place]
    )


def _exclude(one: Cell, other: Cell) -> bool:
    mine, theirs = _values_of(one), _values_of(other)
    if mine is not None and theirs is not None:
        return not any(type(left) is type(right) and left == right for left in mine for right in theirs)
    return False


def _values_of(cell: Cell) -> list[Key] | None:
    """Return the texts and truths that a cell lists, None where it asks for anything else."""
    if cell.operator == "null":
        return [None]
    if cell.operator == "absent":
        return [ABSENT]
    if cell.operator == "equals" and isinstance(cell.limit, Constant) and isinstance(cell.limit.key, str | bool):
        return [cell.limit.key]
    if cell.operator == "one_of":
        parts = [_values_of(part) for part in cell.parts]
        return None if any(part is None for part in parts) else [value for part in parts for value in part or ()]
    return None
