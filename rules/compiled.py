"""Compiled rules: the rows of a table, or the factors, levels and vetoes of a scorecard, as one Python function.

A function is built as a syntax tree, never as text, and sees no builtins; limits that are no plain literal stand in
variables of an enclosing function. Column i is `k{i}`, outside slot i is `o{i}`. There are three ways in:

    enter(facts, outside)       tests the kinds of plain facts inline and goes on with the rows at once; whatever is
                                odd (a fact is missing, null, a date, of another kind) goes the careful way round
    whole(keys, outside)        for keys that are all there: compares bare
    guarded(keys, outside)      for keys among which null or absent may be: `g{i}` tells whether one has a value

    def table(c0, c1, …):
        def enter(facts, outside):
            try:
                if len(facts) == 2 and type(k0 := facts['score']) is int and type(k1 := facts['level']) is str:
                    if k0 >= 80 and k1 == 'High':
                        return a1                       # under `first`; elsewhere: found.append(1)
                    return nothing
            except KeyError: pass
            return careful(facts, outside)
        return enter

Kinds were tested at the border, so typed columns compare bare. What an untyped column asks beyond being equal to a
number, text or boolean is rare and goes through the plain evaluator.

A card packs its score and its rows into one number, `score << bits | rows`: each row adds one constant, and every
level is one comparison.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cached_property
from typing import Any, cast

from rules.cells import ORDER_OPERATORS, Cell, Constant, FactReference, Limit, Operator, cell_matches, needed
from rules.columns import Column, Key
from rules.facts import Decidable
from rules.scorecards import Factor, PointsRow, Scorecard, Scored
from rules.tables import Answer, Table
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
_MOST_ANSWERS = 4096
_MOST_NESTED = 40
_MOST_COMPARED = 64
"""So many rows are compared with one another when a table is compiled."""
_TYPES: dict[str, type] = {"boolean": bool, "integer": int, "number": int, "string": str}
"""Kinds that `enter` tests by itself; a decimal goes the careful way."""


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
        return _lister(self._table, [(at, row.cells) for at, row in enumerate(self._table.rows, start=1)])

    def _careful(self, facts: Facts, outside: Sequence[Key]) -> Answer:
        return self.guarded(self._table.keys(facts), facts, outside)


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
        return _lister(self._card, rows)

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


def _lister(
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

    if any(_compares_loosely(cell, rule.columns, at) for _, at, cell in asked):
        return slowly
    cells = _Cells(rule, whole=False)
    entries: list[ast.expr] = [
        ast.Tuple(
            [
                cells.constant(row),
                ast.Constant(rule.columns[at].name),
                _load(f"k{at}"),
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


def _can_fail(card: Scorecard) -> bool:
    """Tell whether a comparison of the card can fail on what it compares, so that the order of asking matters."""
    cells = [cell for factor in card.factors for row in factor.rows for cell in enumerate(row.cells)]
    cells += [cell for level in card.levels for cell in enumerate(level.needs)]
    cells += [cell for veto in card.vetoes for cell in enumerate(veto.cells)]
    return any(_compares_loosely(cell, card.columns, at) for at, cell in cells)


def _compares_loosely(cell: Cell, columns: Sequence[Column], at: int) -> bool:
    if isinstance(cell.limit, FactReference):
        return True
    if cell.operator in ORDER_OPERATORS and columns[at].kind in _LOOSE:
        return True
    return any(_compares_loosely(part, columns, at) for part in cell.parts)


class _Cells:
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
        outer = self._function("rule", list(self.constants), [inner, ast.Return(_load("rows"))])
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
            present = [_is_not(_load(f"k{index}"), ast.Constant(None)), self._is_not_absent(index)]
            lines.append(_assign(f"g{index}", ast.BoolOp(ast.And(), present)))
        return lines

    def entrance(self) -> ast.expr | None:
        """Return the test that facts are all there and of their kinds, naming the keys; None where it takes more."""
        tests: list[ast.expr] = []
        self.constants["size"] = len
        self.constants["kind"] = type
        self.constants["no_key"] = KeyError
        self.constants["no_kind"] = TypeError
        count = ast.Call(_load("size"), [_load("facts")], [])
        tests.append(ast.Compare(count, [ast.Eq()], [ast.Constant(len(self.rule.columns))]))
        for index, column in enumerate(self.rule.columns):
            type_ = _TYPES.get(column.kind)
            if type_ is None:
                return None
            fact = ast.Subscript(_load("facts"), ast.Constant(column.name), ast.Load())
            named = ast.NamedExpr(ast.Name(f"k{index}", ast.Store()), fact)
            if column.kind == "string" and column.enum:
                # A text of the enum is known by looking it up, which says its kind as well.
                tests.append(ast.Compare(named, [ast.In()], [self.constant(_Texts(column.enum))]))
                continue
            if column.kind == "boolean" and not column.enum:
                truths: list[ast.expr] = [
                    ast.Compare(named, [ast.Is()], [ast.Constant(True)]),
                    ast.Compare(_load(f"k{index}"), [ast.Is()], [ast.Constant(False)]),
                ]
                tests.append(ast.BoolOp(ast.Or(), truths))
                continue
            kind = ast.Call(_load("kind"), [named], [])
            tests.append(ast.Compare(kind, [ast.Is()], [self.constant(type_, f"is_{type_.__name__}")]))
            tests.extend(self._declared(column, index))
        return _all(tests)

    def _declared(self, column: Column, index: int) -> Iterable[ast.expr]:
        key = _load(f"k{index}")
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
            yield ast.Assign([ast.Tuple(targets, ast.Store())], _load(source))

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
        return _all([self.cell(cell, index) for index, cell in enumerate(cells) if cell.operator != "any"])

    def cell(self, cell: Cell, index: int) -> ast.expr:
        """Return the test of one cell; the same questions in the same order as in the plain evaluator."""
        key = _load(f"k{index}")
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
                return _all([*self._given(index), ast.UnaryOp(ast.Not(), self.cell(cell.parts[0], index))])
            case "between":
                return _all([*self._given(index), self._between(cell, index)])
            case _:
                return self._limited(cell, index)

    def _one_of(self, cell: Cell, index: int) -> ast.expr:
        texts = [text for text in map(_text_of, cell.parts) if text is not None]
        if len(texts) == len(cell.parts) and self._column(index).kind == "string":
            return ast.Compare(_load(f"k{index}"), [ast.In()], [self.constant(_Texts(texts))])
        tests = [self.cell(part, index) for part in cell.parts]
        return tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)

    def _between(self, cell: Cell, index: int) -> ast.expr:
        low, high = (self._comparison(part, index) for part in cell.parts)
        if isinstance(low, ast.Compare) and isinstance(high, ast.Compare) and all(map(_is_literal, cell.parts)):
            flipped = ast.Lt() if cell.parts[0].operator == "above" else ast.LtE()
            return ast.Compare(low.comparators[0], [flipped, *high.ops], [low.left, *high.comparators])
        return _all([low, high])

    def _limited(self, cell: Cell, index: int) -> ast.expr:
        column = self._column(index)
        if cell.operator == "equals" and isinstance(cell.limit, Constant) and type(cell.limit.key) in _PLAIN:
            return self._equals(cell.limit.key, column, index)
        return _all([*self._given(index), self._comparison(cell, index)])

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
        matches = self.constant(cell_matches, "matches")
        name = ast.Constant(self._column(index).name)
        keys = ast.Tuple([_load(f"k{at}") for at in range(len(self.rule.columns))], ast.Load())
        slots = ast.Tuple([_load(f"o{at}") for at in range(len(self.rule.outside))], ast.Load())
        return ast.Call(matches, [self.constant(cell), name, _load(f"k{index}"), keys, slots], [])

    # --- limits and constants

    def _is_loose(self, limit: Limit) -> bool:
        """Tell whether a limit may be of any kind, so that a bare comparison could take `true` for 1."""
        return isinstance(limit, FactReference) and self._column(limit.column).kind in _LOOSE

    def _limit_expression(self, limit: Limit) -> ast.expr:
        if isinstance(limit, Constant):
            return self._limit(limit.key)
        if isinstance(limit, FactReference):
            if self.whole:
                return _load(f"k{limit.column}")
            needs = self.constant(needed, "needed")
            return ast.Call(needs, [_load(f"k{limit.column}"), ast.Constant(limit.name)], [])
        return _load(f"o{limit.slot}")

    def _limit(self, key: Key) -> ast.expr:
        return ast.Constant(key) if type(key) in _LITERALS else self.constant(key)

    def constant(self, value: Any, name: str | None = None) -> ast.expr:
        if isinstance(value, _Texts):
            return ast.Constant(cast(Any, frozenset(value.texts)))
        name = name or f"c{len(self.constants)}"
        self.constants[name] = value
        return _load(name)

    def _given(self, index: int) -> list[ast.expr]:
        if self.whole:
            return []
        self.guarded.add(index)
        return [_load(f"g{index}")]

    def _is_not_absent(self, index: int) -> ast.expr:
        return _is_not(_load(f"k{index}"), self.constant(ABSENT, "absent"))

    def _column(self, index: int) -> Column:
        return self.rule.columns[index]


class _Texts:
    """Texts that stand as a constant set in the code itself."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)


class _TableCompiler(_Cells):
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
        body = _entering(entrance, [*self.outside(), *rows], self.constant(careful, "careful"))
        function: Callable[[Facts, Sequence[Key]], Answer] = self.compiled(["facts", "outside"], body)
        return function

    def _rows(self) -> list[ast.stmt]:
        answer = self.constant(self.table.answer, "answer")
        lines: list[ast.stmt] = [] if self.is_first else [_assign("found", ast.List([], ast.Load()))]
        for number, row in enumerate(self.table.rows, start=1):
            lines.append(ast.If(self.row(row.cells), [self._action(number)], []))
        if self.is_first and self.table.otherwise_is_fixed:
            lines.append(ast.Return(self.constant(self.table.answer([], {}, ()), "nothing")))
        else:
            rows = ast.List([], ast.Load()) if self.is_first else _load("found")
            lines.append(ast.Return(ast.Call(answer, [rows, _load("facts"), _load("outside")], [])))
        return lines

    def _action(self, number: int) -> ast.stmt:
        if not self.is_first:
            append = ast.Attribute(_load("found"), "append", ast.Load())
            return ast.Expr(ast.Call(append, [ast.Constant(number)], []))
        fixed = self.table.rows[number - 1].answer
        if fixed is not None:
            return ast.Return(self.constant(Answer(fixed, number), f"a{number}"))
        rows = ast.List([ast.Constant(number)], ast.Load())
        return ast.Return(ast.Call(_load("answer"), [rows, _load("facts"), _load("outside")], []))


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


class _CardCompiler(_Cells):
    def __init__(self, card: Scorecard, packing: _Packing, whole: bool) -> None:
        super().__init__(card, whole)
        self.card = card
        self.packing = packing

    def by_keys(
        self, plainly: Callable[[Sequence[Key], Sequence[Key]], tuple[int, int]]
    ) -> Callable[[Sequence[Key], Sequence[Key]], tuple[int, int]]:
        failing = ast.Return(ast.Call(self.constant(plainly, "plainly"), [_load("keys"), _load("outside")], []))
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
        failing = ast.Return(ast.Call(carefully, [_load("facts"), _load("outside")], []))
        body = _entering(entrance, [*self.outside(), *self._lines(failing)], carefully)
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
            return _assign("found", ast.Constant(self.packing.lowest() + added))
        return ast.AugAssign(ast.Name("found", ast.Store()), ast.Add(), ast.Constant(added))

    def _nothing(self, factor: Factor, at: int) -> Iterable[ast.expr]:
        if not factor.asks_for(at, None):
            yield ast.Compare(_load(f"k{at}"), [ast.Is()], [ast.Constant(None)])
        if not factor.asks_for(at, ABSENT):
            yield ast.Compare(_load(f"k{at}"), [ast.Is()], [self.constant(ABSENT, "absent")])

    # --- levels and vetoes

    def _levels(self) -> list[ast.stmt]:
        """Return the tests of levels from the highest edge down; each ends with the vetoes."""
        lines: list[ast.stmt] = []
        lowest = len(self.card.levels) - 1
        for place in range(lowest):
            reached = ast.Compare(_load("found"), [ast.GtE()], [ast.Constant(self.packing.edge(place))])
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
        return ast.Return(ast.Tuple([_load("found"), ast.Constant(outcome)], ast.Load()))


# --- rows that exclude each other -------------------------------------------------------------------------------------


def _is_disjoint(table: Table) -> bool:
    """Tell whether no two rows can match together, so that the first that matches is the only one.

    Only what is plain to see counts: in some column one row asks for texts or truths that the other does not list, or
    for numbers on the other side. Cells that can fail when they are asked are never left out.
    """
    if len(table.rows) > _MOST_COMPARED:
        return False
    if any(_compares_loosely(cell, table.columns, at) for row in table.rows for at, cell in enumerate(row.cells)):
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


# --- small trees ------------------------------------------------------------------------------------------------------


def _entering(entrance: ast.expr, lines: list[ast.stmt], careful: ast.expr) -> list[ast.stmt]:
    """Return the body of a function that takes plain facts: straight on where they are plain, else the careful way."""
    around = ast.Try(
        [ast.If(entrance, lines, [])],
        [ast.ExceptHandler(ast.Tuple([_load("no_key"), _load("no_kind")], ast.Load()), None, [ast.Pass()])],
        [],
        [],
    )
    return [around, ast.Return(ast.Call(careful, [_load("facts"), _load("outside")], []))]


def _is_literal(cell: Cell) -> bool:
    return isinstance(cell.limit, Constant)


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
