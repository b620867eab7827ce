"""Cells as tests of keys, and the functions that tests stand in: what tables and cards have in common."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, cast

from rules.cells import ORDER_OPERATORS, Cell, Constant, FactReference, Limit, Operator, cell_matches, needed
from rules.columns import Column, Key
from rules.facts import Decidable
from rules.values import ABSENT, CannotEvaluate, Value

Facts = Mapping[str, Value]
ListedCell = tuple[Any, str, Key, Cell, bool | None]
"""Row, name of the fact, its value as cells compare it, the cell, and whether it holds; None: it cannot be said."""
_ORDERS: dict[Operator, type[ast.cmpop]] = {
    "at_least": ast.GtE,
    "above": ast.Gt,
    "at_most": ast.LtE,
    "under": ast.Lt,
}
_LITERALS = (bool, int, str)
_LOOSE = frozenset({"any", "array", "object"})
_PLAIN = (bool, int, str, Decimal)
_TYPES: dict[str, type] = {"boolean": bool, "integer": int, "number": int, "string": str}
"""Kinds that `enter` tests by itself; a decimal goes the careful way."""


class CellCompiler:
    """Writes cells as tests of keys; `whole` says that every key has a value."""

    def __init__(self, rule: Decidable, whole: bool) -> None:
        self.rule = rule
        self.whole = whole
        self.constants: dict[str, Any] = {}
        self.guarded: set[int] = set()

    # --- functions

    def compiled(self, arguments: list[str], body: list[ast.stmt]) -> Any:
        """Return a function of these arguments; what stands in `constants` is in its reach."""
        inner = self._function("rows", arguments, body)
        outer = self._function("rule", list(self.constants), [inner, ast.Return(load("rows"))])
        module = ast.fix_missing_locations(ast.Module(body=[outer], type_ignores=[]))
        names: dict[str, Any] = {"__builtins__": {}}
        exec(compile(module, f"<rule {self.rule.name}>", "exec"), names)
        return names["rule"](**self.constants)

    def opening(self) -> list[ast.stmt]:
        """Return the lines that name the keys; to be asked for when the tests are written."""
        return [*self._unpack("keys", "k", len(self.rule.columns)), *self.outside(), *self.guards()]

    def outside(self) -> list[ast.stmt]:
        return list(self._unpack("outside", "o", len(self.rule.outside)))

    def guards(self) -> list[ast.stmt]:
        lines = []
        for index in sorted(self.guarded):
            present = [is_not(load(f"k{index}"), ast.Constant(None)), self._is_not_absent(index)]
            lines.append(assign(f"g{index}", ast.BoolOp(ast.And(), present)))
        return lines

    def entrance(self) -> ast.expr | None:
        """Return the test that facts are all there and of their kinds, naming the keys; None where it takes more."""
        tests: list[ast.expr] = []
        self.constants["size"] = len
        self.constants["kind"] = type
        self.constants["no_key"] = KeyError
        self.constants["no_kind"] = TypeError
        count = ast.Call(load("size"), [load("facts")], [])
        tests.append(ast.Compare(count, [ast.Eq()], [ast.Constant(len(self.rule.columns))]))
        for index, column in enumerate(self.rule.columns):
            type_ = _TYPES.get(column.kind)
            if type_ is None:
                return None
            fact = ast.Subscript(load("facts"), ast.Constant(column.name), ast.Load())
            named = ast.NamedExpr(ast.Name(f"k{index}", ast.Store()), fact)
            if column.kind == "string" and column.enum:
                # A text of the enum is known by looking it up, which says its kind as well.
                tests.append(ast.Compare(named, [ast.In()], [self.constant(_Texts(column.enum))]))
                continue
            if column.kind == "boolean" and not column.enum:
                truths: list[ast.expr] = [
                    ast.Compare(named, [ast.Is()], [ast.Constant(True)]),
                    ast.Compare(load(f"k{index}"), [ast.Is()], [ast.Constant(False)]),
                ]
                tests.append(ast.BoolOp(ast.Or(), truths))
                continue
            kind = ast.Call(load("kind"), [named], [])
            tests.append(ast.Compare(kind, [ast.Is()], [self.constant(type_, f"is_{type_.__name__}")]))
            tests.extend(self._declared(column, index))
        return all_of(tests)

    def _declared(self, column: Column, index: int) -> Iterable[ast.expr]:
        key = load(f"k{index}")
        if column.enum:
            yield ast.Compare(key, [ast.In()], [self.constant(frozenset(column.enum))])
        if column.range is not None:
            low, high = column.range.low, column.range.high
            if low is not None and high is not None:
                yield ast.Compare(self._limit(low), [ast.LtE(), ast.LtE()], [key, self._limit(high)])
            elif low is not None:
                yield ast.Compare(key, [ast.GtE()], [self._limit(low)])
            else:
                yield ast.Compare(key, [ast.LtE()], [self._limit(high)])

    def _unpack(self, source: str, letter: str, count: int) -> Iterable[ast.stmt]:
        if count:
            targets: list[ast.expr] = [ast.Name(f"{letter}{index}", ast.Store()) for index in range(count)]
            yield ast.Assign([ast.Tuple(targets, ast.Store())], load(source))

    def _function(self, name: str, arguments: list[str], body: list[ast.stmt]) -> ast.FunctionDef:
        parameters = ast.arguments(
            posonlyargs=[],
            args=[ast.arg(argument) for argument in arguments],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[],
        )
        function = ast.FunctionDef(name=name, args=parameters, body=body, decorator_list=[])
        function.type_params = []  # type: ignore[attr-defined,unused-ignore]
        return function

    # --- cells

    def row(self, cells: Sequence[Cell]) -> ast.expr:
        """Return the test of a row: all its cells, from left to right."""
        return all_of([self.cell(cell, index) for index, cell in enumerate(cells) if cell.operator != "any"])

    def cell(self, cell: Cell, index: int) -> ast.expr:
        """Return the test of one cell; the same questions in the same order as in the plain evaluator."""
        key = load(f"k{index}")
        match cell.operator:
            case "any":
                return ast.Constant(True)
            case "null":
                return ast.Compare(key, [ast.Is()], [ast.Constant(None)])
            case "absent":
                return ast.Compare(key, [ast.Is()], [self.constant(ABSENT, "absent")])
            case "one_of":
                return self._one_of(cell, index)
            case "not":
                return all_of([*self._given(index), ast.UnaryOp(ast.Not(), self.cell(cell.parts[0], index))])
            case "between":
                return all_of([*self._given(index), self._between(cell, index)])
            case _:
                return self._limited(cell, index)

    def _one_of(self, cell: Cell, index: int) -> ast.expr:
        texts = [text for text in map(_text_of, cell.parts) if text is not None]
        if len(texts) == len(cell.parts) and self._column(index).kind == "string":
            return ast.Compare(load(f"k{index}"), [ast.In()], [self.constant(_Texts(texts))])
        tests = [self.cell(part, index) for part in cell.parts]
        return tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)

    def _between(self, cell: Cell, index: int) -> ast.expr:
        low, high = (self._comparison(part, index) for part in cell.parts)
        if isinstance(low, ast.Compare) and isinstance(high, ast.Compare) and all(map(_is_literal, cell.parts)):
            flipped = ast.Lt() if cell.parts[0].operator == "above" else ast.LtE()
            return ast.Compare(low.comparators[0], [flipped, *high.ops], [low.left, *high.comparators])
        return all_of([low, high])

    def _limited(self, cell: Cell, index: int) -> ast.expr:
        column = self._column(index)
        if cell.operator == "equals" and isinstance(cell.limit, Constant) and type(cell.limit.key) in _PLAIN:
            return self._equals(cell.limit.key, column, index)
        return all_of([*self._given(index), self._comparison(cell, index)])

    def _equals(self, limit: Key, column: Column, index: int) -> ast.expr:
        """A constant is neither absent nor null, so this needs no guard; `true` is told from 1 where both can be."""
        key = load(f"k{index}")
        if isinstance(limit, bool):
            return ast.Compare(key, [ast.Is()], [ast.Constant(limit)])
        equal = ast.Compare(key, [ast.Eq()], [self._limit(limit)])
        if column.kind != "any" or isinstance(limit, str):
            return equal
        truths: list[ast.expr] = [is_not(key, ast.Constant(True)), is_not(key, ast.Constant(False))]
        return all_of([equal, *truths])

    def _comparison(self, cell: Cell, index: int) -> ast.expr:
        """Return the comparison of a key that is known to be there."""
        column, key = self._column(index), load(f"k{index}")
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
        matches = self.constant(cell_matches, "matches")
        name = ast.Constant(self._column(index).name)
        keys = ast.Tuple([load(f"k{at}") for at in range(len(self.rule.columns))], ast.Load())
        slots = ast.Tuple([load(f"o{at}") for at in range(len(self.rule.outside))], ast.Load())
        return ast.Call(matches, [self.constant(cell), name, load(f"k{index}"), keys, slots], [])

    # --- limits and constants

    def _is_loose(self, limit: Limit) -> bool:
        """Tell whether a limit may be of any kind, so that a bare comparison could take `true` for 1."""
        return isinstance(limit, FactReference) and self._column(limit.column).kind in _LOOSE

    def _limit_expression(self, limit: Limit) -> ast.expr:
        if isinstance(limit, Constant):
            return self._limit(limit.key)
        if isinstance(limit, FactReference):
            if self.whole:
                return load(f"k{limit.column}")
            needs = self.constant(needed, "needed")
            return ast.Call(needs, [load(f"k{limit.column}"), ast.Constant(limit.name)], [])
        return load(f"o{limit.slot}")

    def _limit(self, key: Key) -> ast.expr:
        return ast.Constant(key) if type(key) in _LITERALS else self.constant(key)

    def constant(self, value: Any, name: str | None = None) -> ast.expr:
        if isinstance(value, _Texts):
            return ast.Constant(cast(Any, frozenset(value.texts)))
        name = name or f"c{len(self.constants)}"
        self.constants[name] = value
        return load(name)

    def _given(self, index: int) -> list[ast.expr]:
        if self.whole:
            return []
        self.guarded.add(index)
        return [load(f"g{index}")]

    def _is_not_absent(self, index: int) -> ast.expr:
        return is_not(load(f"k{index}"), self.constant(ABSENT, "absent"))

    def _column(self, index: int) -> Column:
        return self.rule.columns[index]


class _Texts:
    """Texts that stand as a constant set in the code itself."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)


def lister(
    rule: Decidable, rows: Sequence[tuple[Any, Sequence[Cell]]]
) -> Callable[[Sequence[Key], Sequence[Key]], list[ListedCell]]:
    """Return the function that asks every cell, also those behind one that does not hold.

    A cell that could not be evaluated is None instead of true or false.
    """
    asked = [(row, at, cell) for row, cells in rows for at, cell in enumerate(cells) if cell.operator != "any"]

    def slowly(keys: Sequence[Key], outside: Sequence[Key]) -> list[ListedCell]:
        found: list[ListedCell] = []
        for row, at, cell in asked:
            name, holds = rule.columns[at].name, None
            with suppress(CannotEvaluate):
                holds = cell_matches(cell, name, keys[at], keys, outside)
            found.append((row, name, keys[at], cell, holds))
        return found

    if any(compares_loosely(cell, rule.columns, at) for _, at, cell in asked):
        return slowly
    cells = CellCompiler(rule, whole=False)
    entries: list[ast.expr] = [
        ast.Tuple(
            [
                cells.constant(row),
                ast.Constant(rule.columns[at].name),
                load(f"k{at}"),
                cells.constant(cell),
                cells.cell(cell, at),
            ],
            ast.Load(),
        )
        for row, at, cell in asked
    ]
    listing = ast.Return(ast.List(entries, ast.Load()))
    function: Callable[[Sequence[Key], Sequence[Key]], list[ListedCell]]
    function = cells.compiled(["keys", "outside"], [*cells.opening(), listing])
    return function


def compares_loosely(cell: Cell, columns: Sequence[Column], at: int) -> bool:
    if isinstance(cell.limit, FactReference):
        return True
    if cell.operator in ORDER_OPERATORS and columns[at].kind in _LOOSE:
        return True
    return any(compares_loosely(part, columns, at) for part in cell.parts)


def _is_literal(cell: Cell) -> bool:
    return isinstance(cell.limit, Constant)


def _text_of(cell: Cell) -> str | None:
    """Return the text that a cell asks for, None when it asks for anything else."""
    limit = cell.limit
    if cell.operator != "equals" or not isinstance(limit, Constant) or not isinstance(limit.key, str):
        return None
    return limit.key


# --- small trees ------------------------------------------------------------------------------------------------------


def entering(entrance: ast.expr, lines: list[ast.stmt], careful: ast.expr) -> list[ast.stmt]:
    """Return the body of a function that takes plain facts: straight on where they are plain, else the careful way."""
    around = ast.Try(
        [ast.If(entrance, lines, [])],
        [ast.ExceptHandler(ast.Tuple([load("no_key"), load("no_kind")], ast.Load()), None, [ast.Pass()])],
        [],
        [],
    )
    return [around, ast.Return(ast.Call(careful, [load("facts"), load("outside")], []))]


def load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def is_not(left: ast.expr, right: ast.expr) -> ast.expr:
    return ast.Compare(left, [ast.IsNot()], [right])


def all_of(tests: list[ast.expr]) -> ast.expr:
    """Return one test that asks all, left to right; no test at all holds."""
    if not tests:
        return ast.Constant(True)
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
