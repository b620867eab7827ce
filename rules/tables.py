"""Decision tables: rows of cells, and what becomes of the rows that match.

A table has three parts that know nothing of one another: the border turns facts into keys (`Table.keys`), the rows
that match are found (compiled in `compiled.py`, which must agree with `plain.py`), and the hit policy makes one answer
of them (`Table.answer`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, Literal, cast, get_args

from rules.cell_words import suggested_value
from rules.cells import Cell, Constant, FactReference, Limit, OutsideReference
from rules.columns import (
    FORMATS,
    NUMBERS,
    ORDERED,
    Column,
    Key,
    Kind,
    allows_null,
    find_key,
    other_kind,
    read_enum,
    read_kind,
    wrong_kind,
)
from rules.facts import Names, keys_of, outside_keys
from rules.findings import Finding
from rules.parts import Part, PartReader
from rules.reading import Path, found, is_sound, miswritten, named_parts, read_list, read_mapping, shown, unknown
from rules.records import NamedTuple, record
from rules.values import ABSENT, CONTEXT, Value, cannot, identity, same
from rules.written_cells import check_unread, read_cell, read_cells

Hit = Literal["unique", "any", "priority", "first", "rule_order", "output_order", "collect"]
Collect = Literal["list", "sum", "min", "max", "count"]
HITS: tuple[str, ...] = get_args(Hit)
COLLECTS: tuple[str, ...] = get_args(Collect)


@record
class Output:
    """One output of a table. `priority` lists its values, best first; empty when it does not rank."""

    name: str
    kind: Kind
    enum: tuple[Key, ...] = ()
    priority: tuple[Value, ...] = ()
    or_null: bool = False
    title: Any = None

    def rank(self, value: Value) -> int:
        """Return the place of a value among the ranked ones; one that is not listed comes last."""
        for place, listed in enumerate(self.priority):
            if same(value, listed):
                return place
        return len(self.priority)


@record
class ValueOf:
    """An output that hands out another fact or a threshold instead of a value of its own."""

    limit: Limit
    name: str


@record
class Row:
    """One row.

    Shapes: `cells` holds a cell for every column, ANY where the row leaves it out; `then` a value or a ValueOf for
    each output; `answer` is `then` itself when nothing in it has to be looked up.
    """

    cells: tuple[Cell, ...]
    then: Mapping[str, Value | ValueOf]
    id: str | None
    because: Any
    answer: dict[str, Value] | None


class Answer(NamedTuple):
    """What a hit policy makes of matching rows: `row` is a number for one answer, a list for many, None for none."""

    value: Value
    row: int | list[int] | None


@record
class Table:
    """One decision table.

    Shapes: rows are numbered from 1; `otherwise` is ABSENT when the table does not say it; `impossible` is kept as
    written, for analysis.
    """

    name: str
    hit: Hit
    collect: Collect
    columns: tuple[Column, ...]
    fact_names: frozenset[str]
    outputs: tuple[Output, ...]
    rows: tuple[Row, ...]
    otherwise: Value
    outside: tuple[OutsideReference, ...]
    impossible: tuple[Any, ...] = ()
    title: Any = None

    @property
    def gives_list(self) -> bool:
        return _gives_list(self.hit, self.collect)

    def keys(self, facts: Mapping[str, Value]) -> tuple[Key, ...]:
        """Return the facts in the form that cells compare; a fact that is not given is absent.

        Errors: CannotEvaluate `unknown-fact`, and those of `Column.take`.
        """
        return keys_of(self, facts)

    def outside_keys(self, documents: Names) -> tuple[Key, ...]:
        """Return the values that cells read from other documents.

        Errors: CannotEvaluate `absent-name`, `different-kinds`.
        """
        return outside_keys(self, documents)

    def answer(self, rows: Sequence[int], facts: Mapping[str, Value], outside: Sequence[Key]) -> Answer:
        """Return what the hit policy makes of the rows that match.

        Errors: CannotEvaluate `rows-overlap` (unique), `rows-disagree` (any), `not-a-number` (sum, min, max),
                `different-kinds` (min, max of dates, times or durations).
        """
        if not rows:
            return Answer(self._without_row(facts, outside), None)
        return _POLICIES[self.hit](self, rows, [self._row_answer(row, facts, outside) for row in rows])

    def row_label(self, row: int) -> str:
        """Return how people find a row: its number, with its id where it has one."""
        id_ = self.rows[row - 1].id
        return str(row) if id_ is None else f"{row} ({id_})"

    def rank(self, answer: Mapping[str, Value]) -> tuple[int, ...]:
        return tuple(output.rank(answer[output.name]) for output in self.outputs if output.priority)

    @property
    def otherwise_is_fixed(self) -> bool:
        """Whether nothing in `otherwise` has to be looked up."""
        answers = self.otherwise if isinstance(self.otherwise, list) else [self.otherwise]
        return not any(isinstance(value, ValueOf) for one in answers if isinstance(one, dict) for value in one.values())

    def _without_row(self, facts: Mapping[str, Value], outside: Sequence[Key]) -> Value:
        answers = self.otherwise if isinstance(self.otherwise, list) else [self.otherwise]
        if not self.otherwise_is_fixed:
            answers = [{name: _looked_up(value, facts, outside) for name, value in one.items()} for one in answers]
        return answers if self.gives_list and self.otherwise is not ABSENT else answers[0]

    def _row_answer(self, row: int, facts: Mapping[str, Value], outside: Sequence[Key]) -> dict[str, Value]:
        entry = self.rows[row - 1]
        if entry.answer is not None:
            return entry.answer
        return {name: _looked_up(value, facts, outside) for name, value in entry.then.items()}


def _gives_list(hit: Hit, collect: Collect) -> bool:
    return hit in ("rule_order", "output_order") or (hit == "collect" and collect == "list")


def _looked_up(value: Value | ValueOf, facts: Mapping[str, Value], outside: Sequence[Key]) -> Value:
    if not isinstance(value, ValueOf):
        return value
    if isinstance(value.limit, FactReference):
        fact = facts.get(value.name, ABSENT)
        if fact is ABSENT:
            raise cannot("absent-name", name=value.name)
        return fact
    return value.limit.value if isinstance(value.limit, Constant) else outside[value.limit.slot]


# --- hit policies -----------------------------------------------------------------------------------------------------

Answers = list[dict[str, Value]]


def _first(table: Table, rows: Sequence[int], answers: Answers) -> Answer:
    return Answer(answers[0], rows[0])


def _unique(table: Table, rows: Sequence[int], answers: Answers) -> Answer:
    if len(rows) > 1:
        raise cannot("rows-overlap", table=table.name, rows=", ".join(map(table.row_label, rows)))
    return Answer(answers[0], rows[0])


def _any(table: Table, rows: Sequence[int], answers: Answers) -> Answer:
    for row, answer in zip(rows, answers, strict=True):
        if not same(answer, answers[0]):
            both = f"{table.row_label(rows[0])}, {table.row_label(row)}"
            raise cannot("rows-disagree", table=table.name, rows=both)
    return Answer(answers[0], rows[0])


def _priority(table: Table, rows: Sequence[int], answers: Answers) -> Answer:
    best = _ranked(table, answers)[0]
    return Answer(answers[best], rows[best])


def _rule_order(table: Table, rows: Sequence[int], answers: Answers) -> Answer:
    return Answer(answers, list(rows))


def _output_order(table: Table, rows: Sequence[int], answers: Answers) -> Answer:
    order = _ranked(table, answers)
    return Answer([answers[place] for place in order], [rows[place] for place in order])


def _collect(table: Table, rows: Sequence[int], answers: Answers) -> Answer:
    if table.collect == "list":
        return Answer(answers, list(rows))
    output = table.outputs[0]
    if table.collect == "count":
        return Answer({output.name: len(rows)}, list(rows))
    keys = [_key(table, row, answer[output.name]) for row, answer in zip(rows, answers, strict=True)]
    if table.collect == "sum":
        return Answer({output.name: reduce(_sum, keys)}, list(rows))
    best = _BEST[table.collect](range(len(keys)), key=keys.__getitem__)
    return Answer({output.name: answers[best][output.name]}, list(rows))


def _ranked(table: Table, answers: Answers) -> list[int]:
    """Return the places of the answers, best first; equal ones stay in the order of rows."""
    return sorted(range(len(answers)), key=lambda place: table.rank(answers[place]))


def _key(table: Table, row: int, value: Value) -> Key:
    """Return what is added up or compared: a number, or what a date, time or duration means."""
    output = table.outputs[0]
    key = find_key(output.kind if output.kind in FORMATS else "number", value)
    if key is not None:
        return key
    if output.kind in FORMATS:
        raise other_kind(output.name, output.kind, value)
    raise cannot("not-a-number", table=table.name, rows=table.row_label(row), value=shown(value))


def _sum(left: Key, right: Key) -> Key:
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    return CONTEXT.add(left, right)


_BEST: dict[str, Callable[..., int]] = {"min": min, "max": max}
"""Both take the first of equal ones."""
_POLICIES: dict[Hit, Callable[[Table, Sequence[int], Answers], Answer]] = {
    "first": _first,
    "unique": _unique,
    "any": _any,
    "priority": _priority,
    "rule_order": _rule_order,
    "output_order": _output_order,
    "collect": _collect,
}


# --- reading ----------------------------------------------------------------------------------------------------------


def load_table(part: Part) -> Table | None:
    """Return a table, or None when something in it cannot be read; every finding is in the list."""
    before = len(part.findings)
    table = _TableReader(part).read()
    return table if is_sound(part.findings[before:]) else None


class _TableReader(PartReader):
    def __init__(self, part: Part) -> None:
        super().__init__(part)
        self.outputs = tuple(
            _read_output(name, body, path, self.findings)
            for name, body, path in named_parts(self.body, "outputs", self.path, self.findings)
        )

    def read(self) -> Table:
        hit = cast(Hit, self._word("hit", "unique", HITS))
        collect = cast(Collect, self._word("collect", "list", COLLECTS))
        self._check_parts(hit, collect)
        rows = self._rows()
        self._check_ids(rows)
        otherwise = self._otherwise(hit, collect)
        if hit == "unique":
            self._check_overlaps(rows)
        self._check_inputs([row for row in rows if row is not None], otherwise)
        return Table(
            name=self.name,
            hit=hit,
            collect=collect,
            columns=self.columns,
            fact_names=frozenset(column.name for column in self.columns),
            outputs=self.outputs,
            rows=tuple(row for row in rows if row is not None),
            otherwise=otherwise,
            outside=tuple(self.scope.outside),
            impossible=tuple(read_list(self.body.get("impossible", []), (*self.path, "impossible"), self.findings)),
            title=self.body.get("title"),
        )

    def _word(self, key: str, default: str, words: Sequence[str]) -> str:
        word = self.body.get(key, default)
        if word in words:
            return str(word)
        self.findings.append(unknown("unknown-policy", (*self.path, key), word, words))
        return default

    def _check_parts(self, hit: Hit, collect: Collect) -> None:
        if not self.outputs:
            self.findings.append(found("no-outputs", self.path, table=self.name))
        if not self.body.get("rows"):
            self.findings.append(found("empty-table", self.path, table=self.name))
        if "collect" in self.body and hit != "collect":
            self.findings.append(found("collect-without-hit", (*self.path, "collect"), hit=hit))
        if hit in ("priority", "output_order") and not any(output.priority for output in self.outputs):
            self.findings.append(found("no-priority", (*self.path, "hit"), hit=hit))
        if hit == "collect" and collect != "list":
            self._check_aggregate(collect)

    def _check_aggregate(self, collect: Collect) -> None:
        path = (*self.path, "outputs")
        if len(self.outputs) > 1:
            self.findings.append(found("one-output", path, collect=collect))
            return
        kinds = {"sum": NUMBERS | {"any"}, "min": ORDERED | {"any"}, "max": ORDERED | {"any"}}.get(collect)
        if self.outputs and kinds is not None and self.outputs[0].kind not in kinds:
            output = self.outputs[0]
            facts = {"collect": collect, "name": output.name, "kind": output.kind}
            self.findings.append(found("collect-needs-numbers", (*path, output.name), **facts))

    # --- rows

    def _rows(self) -> list[Row | None]:
        written = read_list(self.body.get("rows", []), (*self.path, "rows"), self.findings)
        return [self._row(entry, (*self.path, "rows", index)) for index, entry in enumerate(written)]

    def _row(self, written: object, path: Path) -> Row | None:
        entry = read_mapping(written, path, self.findings)
        if not entry:
            return None
        cells = read_cells(entry.get("when", {}), self.name, self.scope, (*path, "when"), self.findings)
        then = self._then(entry.get("then", {}), (*path, "then"))
        fixed = not any(isinstance(value, ValueOf) for value in then.values())
        id_ = entry.get("id")
        answer = cast(dict[str, Value], then) if fixed else None
        return Row(cells, then, None if id_ is None else shown(id_), entry.get("because"), answer)

    def _then(self, written: object, path: Path) -> dict[str, Value | ValueOf]:
        then = read_mapping(written, path, self.findings)
        names = [output.name for output in self.outputs]
        for name in then:
            if name not in names:
                self.findings.append(unknown("unknown-output", (*path, name), name, names, table=self.name))
        values = {}
        for output in self.outputs:
            if output.name not in then:
                self.findings.append(found("missing-output", path, name=output.name))
            else:
                values[output.name] = self._output_value(output, then[output.name], (*path, output.name))
        return values

    def _output_value(self, output: Output, value: Value, path: Path) -> Value | ValueOf:
        if isinstance(value, dict) and value.keys() == {"value_of"}:
            return self._value_of(shown(value["value_of"]), output, path)
        self.findings.extend(_misfits(output, value, path))
        return value

    def _value_of(self, name: str, output: Output, path: Path) -> Value | ValueOf:
        probe = Column(output.name, output.kind)
        cell = read_cell(f"same as {name}", probe, self.scope, path, self.findings)
        if cell is None or cell.limit is None:
            return ABSENT
        if isinstance(cell.limit, OutsideReference):  # handed out as it is, not in the form that cells compare
            return ValueOf(self.scope.outside_reference(name, "any"), name)
        return ValueOf(cell.limit, name)

    def _otherwise(self, hit: Hit, collect: Collect) -> Value:
        if "otherwise" not in self.body:
            return ABSENT
        written, path = self.body["otherwise"], (*self.path, "otherwise")
        if isinstance(written, list):
            if not _gives_list(hit, collect):
                self.findings.append(found("wrong-shape", path, value=shown(written), expected="mapping"))
            return [self._then(entry, (*path, index)) for index, entry in enumerate(written)]
        return self._then(written, path)

    # --- checks over rows

    def _is_sound(self) -> bool:
        return is_sound([finding for finding in self.findings if finding.path[: len(self.path)] == self.path])

    def _check_inputs(self, rows: Sequence[Row], otherwise: Value) -> None:
        """Find inputs that no cell reads and no answer hands out."""
        given = [row.then for row in rows] + (otherwise if isinstance(otherwise, list) else [otherwise])
        values = [value for then in given if isinstance(then, Mapping) for value in then.values()]
        limits = [value.limit for value in values if isinstance(value, ValueOf)]
        read = [limit.column for limit in limits if isinstance(limit, FactReference)]
        if rows and self._is_sound():
            check_unread(self.name, self.columns, [row.cells for row in rows], self.path, self.findings, read)

    def _check_ids(self, rows: Sequence[Row | None]) -> None:
        seen: dict[str, int] = {}
        for index, row in enumerate(rows):
            if row is None or row.id is None:
                continue
            first = seen.setdefault(row.id, index)
            if first != index:
                path = (*self.path, "rows", index, "id")
                self.findings.append(found("duplicate-id", path, id=row.id, row=index + 1, first=first + 1))

    def _check_overlaps(self, rows: Sequence[Row | None]) -> None:
        """Find rows that ask for exactly the same; what overlaps in part is the business of analysis."""
        if not self._is_sound():
            return  # a cell that could not be read counts as ANY and would overlap with everything
        seen: dict[object, int] = {}
        for index, row in enumerate(rows):
            if row is None:
                continue
            first = seen.setdefault(_hashable(row.cells), index)
            if first != index:
                path = (*self.path, "rows", index, "when")
                self.findings.append(found("same-rows", path, row=index + 1, first=first + 1))


def _hashable(cells: Sequence[Cell]) -> object:
    """Return something that is equal for rows that ask for the same; a list as a limit has no hash of its own."""
    return tuple((cell.operator, _limit_of(cell.limit), _hashable(cell.parts)) for cell in cells)


def _limit_of(limit: Limit | None) -> object:
    return (limit.kind, identity(limit.key)) if isinstance(limit, Constant) else limit


def _read_output(name: str, part: Mapping[str, Any], path: Path, findings: list[Finding]) -> Output:
    kind = read_kind(part, path, findings)
    output = Output(
        name=name,
        kind=kind,
        enum=read_enum(part.get("enum"), kind, (*path, "enum"), findings),
        priority=tuple(read_list(part.get("priority", []), (*path, "priority"), findings)),
        or_null=allows_null(part),
        title=part.get("title"),
    )
    for index, value in enumerate(output.priority):
        findings.extend(_misfits(output, value, (*path, "priority", index)))
    return output


def _misfits(output: Output, value: Value, path: Path) -> Iterable[Finding]:
    """Yield what keeps a value from being an output: another kind, or a value that the enum does not list.

    A text in both languages stands wherever a text may.
    """
    if value is None and (output.or_null or output.kind == "any"):
        return
    if output.kind == "string" and isinstance(value, dict) and value.keys() == {"zh", "en"}:
        return
    key = find_key(output.kind, value)
    if key is None:
        yield _misfit(output, value, path)
    elif output.enum and not any(same(key, listed) for listed in output.enum):
        yield unknown("not-in-enum", path, value, map(shown, output.enum), column=output.name)


def _misfit(output: Output, value: Value, path: Path) -> Finding:
    """Return the finding of a value of another kind, with the value that it means where that is certain."""
    miswritten_number = miswritten(value, path, output.name) if output.kind in ORDERED else None
    if miswritten_number is not None:
        return miswritten_number
    meant = suggested_value(value, output.kind) if isinstance(value, str) else None
    if meant is not None and meant != value:
        return found("other-words", path, value=value, cell=meant, itself_zh="", itself_en="")
    return wrong_kind(path, value, output.kind, output.name)
