"""Compiled tables: the rows of one table as one Python function.

The function is built as a syntax tree, never as text, and sees no builtins: keys and outside values come in as two
tuples, limits that are no plain literal stand in variables of an enclosing function. Column i is `k{i}`, `g{i}` tells
whether it has a value at all (neither absent nor null), outside slot i is `o{i}`:

    def table(c0, c1, …):                       # limits and the few helpers
        def rows(keys, outside):
            k0, k1 = keys
            g0 = k0 is not None and k0 is not absent
            if g0 and k0 >= 80 and k1 == 'High':
                return [1]                      # under `first`; elsewhere: found.append(1)
            return []
        return rows

Kinds were tested at the border, so typed columns compare bare. What an untyped column asks beyond being equal to a
number, text or boolean is rare and goes through the plain evaluator.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from rules.cells import Cell, Constant, FactReference, Limit, Operator, cell_matches, needed
from rules.columns import Column, Key
from rules.tables import RowFinder, Table
from rules.values import ABSENT

_ORDERS: dict[Operator, type[ast.cmpop]] = {
    "at_least": ast.GtE,
    "above": ast.Gt,
    "at_most": ast.LtE,
    "under": ast.Lt,
}
_LITERALS = (bool, int, str)
_LOOSE = frozenset({"any", "array", "object"})
_PLAIN = (bool, int, str, Decimal)


def compile_rows(table: Table) -> RowFinder:
    """Return the function that finds the matching rows of a table, as `tables.matching_rows` does."""
    return _Compiler(table).compile()


class _Compiler:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.constants: dict[str, Any] = {}
        self.guarded: set[int] = set()

    def compile(self) -> RowFinder:
        tests = [self._row(number, row.cells) for number, row in enumerate(self.table.rows, start=1)]
        rows = self._function("rows", ["keys", "outside"], [*self._opening(), *tests, self._closing()])
        table = self._function("table", list(self.constants), [rows, ast.Return(_load("rows"))])
        module = ast.fix_missing_locations(ast.Module(body=[table], type_ignores=[]))
        names: dict[str, Any] = {"__builtins__": {}}
        exec(compile(module, f"<table {self.table.name}>", "exec"), names)
        finder: RowFinder = names["table"](**self.constants)
        return finder

    # --- frame

    def _opening(self) -> Iterable[ast.stmt]:
        yield from self._unpack("keys", "k", len(self.table.columns))
        yield from self._unpack("outside", "o", len(self.table.outside))
        for index in sorted(self.guarded):
            present = [_is_not(_load(f"k{index}"), ast.Constant(None)), self._is_not_absent(index)]
            yield _assign(f"g{index}", ast.BoolOp(ast.And(), present))
        if self.table.hit != "first":
            yield _assign("found", ast.List([], ast.Load()))

    def _closing(self) -> ast.stmt:
        return ast.Return(ast.List([], ast.Load()) if self.table.hit == "first" else _load("found"))

    def _row(self, number: int, cells: tuple[Cell, ...]) -> ast.stmt:
        tests = [self._cell(cell, index) for index, cell in enumerate(cells) if cell.operator != "any"]
        if self.table.hit == "first":
            action: ast.stmt = ast.Return(ast.List([ast.Constant(number)], ast.Load()))
        else:
            append = ast.Attribute(_load("found"), "append", ast.Load())
            action = ast.Expr(ast.Call(append, [ast.Constant(number)], []))
        return ast.If(_all(tests), [action], [])

    def _unpack(self, source: str, letter: str, count: int) -> Iterable[ast.stmt]:
        if count:
            targets: list[ast.expr] = [ast.Name(f"{letter}{index}", ast.Store()) for index in range(count)]
            yield ast.Assign([ast.Tuple(targets, ast.Store())], _load(source))

    @staticmethod
    def _function(name: str, parameters: list[str], body: list[ast.stmt]) -> ast.FunctionDef:
        arguments = ast.arguments(
            posonlyargs=[],
            args=[ast.arg(parameter) for parameter in parameters],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[],
        )
        function = ast.FunctionDef(name=name, args=arguments, body=body, decorator_list=[])
        function.type_params = []  # type: ignore[attr-defined,unused-ignore]
        return function

    # --- cells

    def _cell(self, cell: Cell, index: int) -> ast.expr:
        """Return the test of one cell; the same questions in the same order as `cell_matches`."""
        key = _load(f"k{index}")
        match cell.operator:
            case "any":
                return ast.Constant(True)
            case "null":
                return ast.Compare(key, [ast.Is()], [ast.Constant(None)])
            case "absent":
                return ast.Compare(key, [ast.Is()], [self._constant(ABSENT, "absent")])
            case "one_of":
                return self._one_of(cell, index)
            case "not":
                return _all([self._given(index), ast.UnaryOp(ast.Not(), self._cell(cell.parts[0], index))])
            case "between":
                return _all([self._given(index), *(self._comparison(part, index) for part in cell.parts)])
            case _:
                return self._limited(cell, index)

    def _one_of(self, cell: Cell, index: int) -> ast.expr:
        texts = [text for text in map(_text_of, cell.parts) if text is not None]
        tests: list[ast.expr] = []
        if len(texts) == len(cell.parts) and self._column(index).kind == "string":
            members = self._constant(frozenset(texts))
            return ast.Compare(_load(f"k{index}"), [ast.In()], [members])
        tests.extend(self._cell(part, index) for part in cell.parts)
        return tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)

    def _limited(self, cell: Cell, index: int) -> ast.expr:
        column = self._column(index)
        if cell.operator == "equals" and isinstance(cell.limit, Constant) and type(cell.limit.key) in _PLAIN:
            return self._equals(cell.limit.key, column, index)
        return _all([self._given(index), self._comparison(cell, index)])

    def _equals(self, limit: Key, column: Column, index: int) -> ast.expr:
        """A constant is neither absent nor null, so this needs no guard; `true` is told from 1 where both can be."""
        key = _load(f"k{index}")
        if isinstance(limit, bool):
            return ast.Compare(key, [ast.Is()], [ast.Constant(limit)])
        equal = ast.Compare(key, [ast.Eq()], [self._limit(limit)])
        if column.kind != "any" or isinstance(limit, str):
            return equal
        truths: list[ast.expr] = [_is_not(key, ast.Constant(True)), _is_not(key, ast.Constant(False))]
        return _all([equal, *truths])

    def _comparison(self, cell: Cell, index: int) -> ast.expr:
        """Return the comparison of a key that is known to be there."""
        column, key = self._column(index), _load(f"k{index}")
        assert cell.limit is not None
        if column.kind in _LOOSE or self._is_loose(cell.limit):
            return self._by_evaluator(cell, index)
        limit = self._limit_expression(cell.limit)
        if cell.operator == "contains":
            return ast.Compare(limit, [ast.In()], [key])
        if cell.operator == "starts_with":
            return ast.Call(ast.Attribute(key, "startswith", ast.Load()), [limit], [])
        order = ast.Eq if cell.operator == "equals" else _ORDERS[cell.operator]
        return ast.Compare(key, [order()], [limit])

    def _by_evaluator(self, cell: Cell, index: int) -> ast.expr:
        matches = self._constant(cell_matches, "matches")
        name = ast.Constant(self._column(index).name)
        arguments = [self._constant(cell), name, _load(f"k{index}"), _load("keys"), _load("outside")]
        return ast.Call(matches, arguments, [])

    # --- limits and constants

    def _is_loose(self, limit: Limit) -> bool:
        """Tell whether a limit may be of any kind, so that a bare comparison could take `true` for 1."""
        return isinstance(limit, FactReference) and self._column(limit.column).kind in _LOOSE

    def _limit_expression(self, limit: Limit) -> ast.expr:
        if isinstance(limit, Constant):
            return self._limit(limit.key)
        if isinstance(limit, FactReference):
            needs = self._constant(needed, "needed")
            return ast.Call(needs, [_load(f"k{limit.column}"), ast.Constant(limit.name)], [])
        return _load(f"o{limit.slot}")

    def _limit(self, key: Key) -> ast.expr:
        return ast.Constant(key) if type(key) in _LITERALS else self._constant(key)

    def _constant(self, value: Any, name: str | None = None) -> ast.expr:
        name = name or f"c{len(self.constants)}"
        self.constants[name] = value
        return _load(name)

    def _given(self, index: int) -> ast.expr:
        self.guarded.add(index)
        return _load(f"g{index}")

    def _is_not_absent(self, index: int) -> ast.expr:
        return _is_not(_load(f"k{index}"), self._constant(ABSENT, "absent"))

    def _column(self, index: int) -> Column:
        return self.table.columns[index]


def _text_of(cell: Cell) -> str | None:
    """Return the text that a cell asks for, None when it asks for anything else."""
    limit = cell.limit
    if cell.operator != "equals" or not isinstance(limit, Constant) or not isinstance(limit.key, str):
        return None
    return limit.key


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _is_not(left: ast.expr, right: ast.expr) -> ast.expr:
    return ast.Compare(left, [ast.IsNot()], [right])


def _all(tests: list[ast.expr]) -> ast.expr:
    """Return one test that asks all, left to right; no test at all holds."""
    if not tests:
        return ast.Constant(True)
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
