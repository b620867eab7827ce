"""Where two versions of a rule answer differently: regions with an example each, and recorded decisions that change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from rules.analysis.classes import fits
from rules.analysis.grid import Ask, Box, Fails, Grid, Label, Test, Within, Work, build_grid
from rules.analysis.subjects import Outcome, ScorecardSubject, Subject, TableSubject, outcome_of
from rules.analysis.wording import Asked, example_in, facts_of, region_of
from rules.cells import Cell, Constant, FactReference
from rules.columns import Column, Key, Range
from rules.documents import RuleDocument, decide
from rules.facts import Names
from rules.records import NamedTuple, record, replace
from rules.said import Named, Said, answer_words
from rules.values import ABSENT, CannotEvaluate, Value, canonical_json, kind_of, same


@record
class Difference:
    """One region. Shapes: `example` are facts; `before` and `after` what the two versions make of all of the region."""

    example: dict[str, Value]
    region: list[Asked]
    before: Outcome
    after: Outcome


@record
class Compared:
    """One rule in both versions.

    Shapes: `grid` has the columns of both; `other_kinds` are columns whose kind changed, which cannot be compared.
    """

    name: str
    grid: Grid
    differences: tuple[Difference, ...]
    boxes: tuple[Box, ...]
    other_kinds: tuple[str, ...] = ()


class Recorded(NamedTuple):
    """What becomes of recorded facts. Shapes: `changed` are places in the list that was given."""

    total: int
    changed: list[int]


def compare_rules(old: RuleDocument, new: RuleDocument, name: str, names: Names | None = None) -> Compared:
    """Return where a rule that both documents have answers differently. Errors: TooLarge."""
    first, second = subject_of(old, name, names), subject_of(new, name, names)
    columns, problems = _joint_columns(first.grid.columns, second.grid.columns)
    tests = [*_remapped(first, columns), *_remapped(second, columns)]
    shift = first.more + 1
    grid = build_grid(columns, [*tests, *_cuts(columns, [*first.grid.columns, *second.grid.columns])])

    def outcomes(mask: int) -> tuple[Outcome, Outcome]:
        left = first.outcome(mask) if mask >> first.more & 1 else REFUSED
        right = second.outcome(mask >> shift) if mask >> shift + second.more & 1 else REFUSED
        return left, right

    def label(mask: int) -> Label | None:
        left, right = outcomes(mask)
        if "impossible" in (left.kind, right.kind) or left.label == right.label:
            return None
        return (left.label, right.label)

    seen: dict[Label, tuple[Outcome, Outcome]] = {}

    def remembered(mask: int) -> Label | None:
        found = label(mask)
        if found is not None:
            seen.setdefault(found, outcomes(mask))
        return found

    boxes = [] if problems else grid.projected((1 << len(tests)) - 1).boxes(remembered)
    narrow = grid.projected((1 << len(tests)) - 1)
    differences = tuple(
        Difference(facts_of(example_in(narrow, box)), region_of(narrow, box), *seen[found]) for box, found in boxes
    )
    return Compared(name, narrow, differences, tuple(box for box, _ in boxes), tuple(problems))


REFUSED = outcome_of("failure", "refused", ())
"""Facts that do not fit the declared inputs of one version."""


def outcome_words(outcome: Outcome, outputs: Iterable[Named] = ()) -> Said:
    """Return what becomes of facts, in words."""
    if outcome.kind == "answer":
        return answer_words(outcome.value, outputs)
    if outcome.kind == "failure":
        return (
            Said("拒绝这些事实", "refuses these facts")
            if outcome is REFUSED
            else Said("无法求值", "cannot be evaluated")
        )
    return {
        "nothing": Said("没有回答", "no answer"),
        "overlap": Said("两行冲突", "two rows at once"),
        "disagreement": Said("行与行不一致", "rows that disagree"),
        "impossible": Said("不会出现", "cannot occur"),
    }[outcome.kind]


def subject_of(
    document: RuleDocument,
    name: str,
    names: Names | None = None,
    more: Sequence[Test] = (),
    work: Work | None = None,
) -> Subject:
    """Return one rule as what is analysed.

    Errors: KeyError for a name that is neither table nor scorecard; TooLarge where `work` does not suffice.
    """
    if name in document.tables:
        return TableSubject(document.tables[name], document.thresholds, names, more, work)
    return ScorecardSubject(document.scorecards[name], names, more, work)


def compare_decisions(
    old: RuleDocument, new: RuleDocument, name: str, recorded: Iterable[Mapping[str, Value]], names: Names | None = None
) -> Recorded:
    """Return how many decisions on recorded facts change, and which."""
    total, changed = 0, []
    for place, facts in enumerate(recorded):
        total += 1
        if not _same_answer(_answer(old, name, facts, names), _answer(new, name, facts, names)):
            changed.append(place)
    return Recorded(total, changed)


def _answer(document: RuleDocument, name: str, facts: Mapping[str, Value], names: Names | None) -> Value:
    columns = {column.name for column in document.decidable[name].columns}
    try:
        answer = decide(document, name, {key: fact for key, fact in facts.items() if key in columns}, names).answer
    except CannotEvaluate as failure:
        return f"<{failure.code}>"
    if name in document.scorecards and isinstance(answer, dict):
        return answer["level"]
    return answer


def _same_answer(first: Value, second: Value) -> bool:
    if first is ABSENT or second is ABSENT:
        return first is second
    return same(first, second)


# --- one grid of both -------------------------------------------------------------------------------------------------


def _joint_columns(old: Sequence[Column], new: Sequence[Column]) -> tuple[list[Column], list[str]]:
    """Return the columns of both, each as wide as the wider one, and the names of those whose kind changed."""
    later = {column.name: column for column in new}
    found, problems = [], []
    for column in old:
        other = later.pop(column.name, None)
        if other is not None and other.kind != column.kind and not {other.kind, column.kind} <= {"integer", "number"}:
            problems.append(column.name)
        found.append(column if other is None else _wider(column, other))
    return [*found, *later.values()], problems


def _wider(old: Column, new: Column) -> Column:
    enum = old.enum and new.enum and (*old.enum, *(key for key in new.enum if key not in old.enum))
    low = high = None
    if old.range is not None and new.range is not None:
        lows, highs = (old.range.low, new.range.low), (old.range.high, new.range.high)
        low = None if None in lows else min(lows)  # type: ignore[type-var]
        high = None if None in highs else max(highs)  # type: ignore[type-var]
    kind = new.kind if new.kind == old.kind else "number"
    return replace(
        new,
        kind=kind,
        enum=enum or (),
        range=None if low is None and high is None else Range(low, high, f"{low}..{high}"),
        or_null=old.or_null or new.or_null,
    )


def _remapped(subject: Subject, columns: Sequence[Column]) -> list[Test]:
    """Return the own tests of a subject over joint columns, and last whether facts fit its inputs."""
    places = {column.name: place for place, column in enumerate(columns)}
    mine = [places[column.name] for column in subject.grid.columns]
    tests: list[Test] = []
    for test in subject.grid.tests[: subject.more]:
        asks: list[Ask | None] = [None] * len(columns)
        for place, ask in enumerate(test):
            asks[mine[place]] = _moved(ask, mine)
        tests.append(tuple(asks))
    fitting: list[Ask | None] = [None] * len(columns)
    for place, column in enumerate(subject.grid.columns):
        fitting[mine[place]] = Within(_fits(column))
    return [*tests, tuple(fitting)]


def _fits(column: Column) -> Callable[[Key], bool]:
    return lambda key: fits(column, key)


def _moved(ask: Ask | None, places: Sequence[int]) -> Ask | None:
    if isinstance(ask, Fails):
        return Fails(_moved_cell(ask.cell, places))
    return _moved_cell(ask, places) if isinstance(ask, Cell) else ask


def _moved_cell(cell: Cell, places: Sequence[int]) -> Cell:
    if cell.parts:
        return replace(cell, parts=tuple(_moved_cell(part, places) for part in cell.parts))
    if isinstance(cell.limit, FactReference):
        return replace(cell, limit=replace(cell.limit, column=places[cell.limit.column]))
    return cell


def _cuts(columns: Sequence[Column], declared: Sequence[Column]) -> list[Test]:
    """Return tests that cut columns where one version's inputs end; what they say does not matter."""
    tests: list[Test] = []
    for place, column in enumerate(columns):
        for other in declared:
            if other.name != column.name:
                continue
            ends = [] if other.range is None else [other.range.low, other.range.high]
            for key in [*other.enum, *(end for end in ends if end is not None)]:
                if not isinstance(key, list | dict):
                    asks: list[Ask | None] = [None] * len(columns)
                    value = key if isinstance(key, bool | int | str) else canonical_json(str(key))
                    asks[place] = Cell("equals", Constant(key, kind_of(value), key))
                    tests.append(tuple(asks))
    return tests
