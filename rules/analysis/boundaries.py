"""Test cases at every boundary, both sides, made from a rule: where a limit decides, and what is answered there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rules.analysis.classes import beside, constants_of, value_of_key
from rules.analysis.grid import Dimension
from rules.analysis.mutants import live_mutants
from rules.analysis.subjects import Outcome, ScorecardSubject, Subject
from rules.analysis.wording import example_in, facts_of
from rules.cells import Cell
from rules.columns import ORDERED, Key
from rules.records import record
from rules.said import Said, joined, name_of, value_words
from rules.values import ABSENT, Value, canonical_json


@record
class Case:
    """One case. Shapes: `why` says which limit it stands at; `expect` is what the rule answers now."""

    id: str
    why: Said
    facts: dict[str, Value]
    outcome: Outcome


def boundary_cases(subject: Subject) -> list[Case]:
    """Return cases that stand at each limit and on both sides of it, where it decides.

    Together they notice every live one-step mutant. Errors: TooLarge.
    """
    found: dict[str, Case] = {}
    for case in _of_limits(subject):
        found.setdefault(_identity(case.facts), case)
    if isinstance(subject, ScorecardSubject):
        for case in _of_edges(subject):
            found.setdefault(_identity(case.facts), case)
    mutants = live_mutants(subject)
    noticed = mutants.noticed([case.facts for case in found.values()])
    for mutant, seen in zip(mutants.mutants, noticed, strict=True):
        if not seen and mutant.witness is not None:
            case = Case("", mutant.words, mutant.witness, _outcome(subject, mutant.witness))
            found.setdefault(_identity(case.facts), case)
    cases = [case for case in found.values() if case.outcome.kind != "impossible"]
    return [
        Case(f"{subject.name}-{number}", case.why, case.facts, case.outcome) for number, case in enumerate(cases, 1)
    ]


def _of_limits(subject: Subject) -> Iterator[Case]:
    grid = subject.grid
    for test, asked in enumerate(subject.asked):
        within = grid.box_of(test)
        for place, dimension in enumerate(grid.dimensions):
            if all(asked.cells[column].operator == "any" for column in dimension.columns):
                continue
            others = (*within[:place], 0, *within[place + 1 :])
            if not all(classes for at, classes in enumerate(others) if at != place):
                continue
            contexts = grid.projected(subject.own_bits).reachable(_projected(subject, others))
            for keys in _probes(subject, dimension, asked.cells):
                case = _decided_by(subject, test, place, keys, contexts)
                if case is not None:
                    yield case


def _projected(subject: Subject, box: Sequence[int]) -> tuple[int, ...]:
    """Return a box of the whole grid as one of the grid without further tests."""
    narrow = subject.grid.projected(subject.own_bits)
    found = []
    for before, after, classes in zip(subject.grid.dimensions, narrow.dimensions, box, strict=True):
        members = before.members_of(classes)
        found.append(sum(1 << at for at, joined_ in enumerate(after.joined) if joined_ & members))
    return tuple(found)


def _probes(subject: Subject, dimension: Dimension, cells: Sequence[Cell]) -> Iterator[dict[int, Key]]:
    """Yield the values to stand at: a limit and its neighbours, or one of each class where nothing is ordered."""
    if len(dimension.columns) > 1:
        for joined_ in dimension.joined:
            member = dimension.members[(joined_ & -joined_).bit_length() - 1]
            yield {column: piece.key for column, piece in zip(dimension.columns, member, strict=True)}
        return
    place = dimension.columns[0]
    column = subject.grid.columns[place]
    if column.kind in ORDERED and not column.enum:
        for constant in constants_of([cells[place]]):
            for key in beside(column, constant.key):
                yield {place: key}
        nothing = [member[0] for member in dimension.members if not member[0].is_given]
        for piece in nothing:
            yield {place: piece.key}
        return
    for member in dimension.members:
        yield {place: member[0].key}


def _decided_by(
    subject: Subject, test: int, place: int, keys: Mapping[int, Key], contexts: Mapping[int, tuple[int, ...]]
) -> Case | None:
    """Return a case in which a row decides: with it and without it the answer is another."""
    grid = subject.grid
    dimension = grid.dimensions[place]
    row: list[Key] = [None] * len(grid.columns)
    for column, key in keys.items():
        row[column] = key
    mask = grid.mask_in(dimension, row)
    own = 1 << test
    for context, point in contexts.items():
        both = context & mask
        with_, without_ = subject.outcome(both | own), subject.outcome(both & ~own)
        if with_.label == without_.label or "impossible" in (with_.kind, without_.kind):
            continue
        facts = _facts(subject, point, place, keys)
        outcome = _outcome(subject, facts)
        return Case("", _why(subject, test, keys), facts, outcome)
    return None


def _facts(subject: Subject, point: Sequence[int], place: int, keys: Mapping[int, Key]) -> dict[str, Value]:
    narrow = subject.grid.projected(subject.own_bits)
    box = tuple(narrow.dimensions[at].whole if at == place else 1 << each for at, each in enumerate(point))
    facts = facts_of(example_in(narrow, box))
    for column, key in keys.items():
        name = subject.grid.columns[column].name
        facts.pop(name, None)
        if key is not ABSENT:
            facts[name] = None if key is None else value_of_key(subject.grid.columns[column].kind, key)
    return {column.name: facts[column.name] for column in subject.grid.columns if column.name in facts}


def _outcome(subject: Subject, facts: Mapping[str, Value]) -> Outcome:
    keys = [column.take(facts.get(column.name, ABSENT)) for column in subject.grid.columns]
    return subject.outcome(subject.grid.mask_of_keys(keys))


def _why(subject: Subject, test: int, keys: Mapping[int, Key]) -> Said:
    parts = [subject.asked[test].label]
    for column, key in keys.items():
        one = subject.grid.columns[column]
        value = value_words(key if key is ABSENT or key is None else value_of_key(one.kind, key))
        name = name_of(one)
        parts.append(Said(f"{name.zh} {value.zh}", f"{name.en} {value.en}"))
    return joined(parts, "，", ", ")


def _of_edges(subject: ScorecardSubject) -> Iterator[Case]:
    """Yield for each level the score that just reaches its edge, and the one that just does not."""
    cells = [each for each in subject.cells() if each[2].kind == "answer"]
    for level in subject.card.levels[:-1]:
        sides = [
            min((each for each in cells if each[2].score >= level.edge), key=lambda each: each[2].score, default=None),
            max((each for each in cells if each[2].score < level.edge), key=lambda each: each[2].score, default=None),
        ]
        for side in sides:
            if side is not None:
                _, point, outcome = side
                facts = facts_of(example_in(subject.grid, tuple(1 << each for each in point)))
                score = value_words(outcome.score)
                why = Said(f"等级 {level.name} 的下限，{score.zh} 分", f"edge of {level.name}, {score.en} points")
                yield Case("", why, facts, outcome)


def _identity(facts: Mapping[str, Value]) -> str:
    return canonical_json(dict(facts))
