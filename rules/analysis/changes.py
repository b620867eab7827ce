"""The smallest change that flips an answer: the fewest facts, and among those the nearest values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product

from rules.analysis.classes import Piece, fits, moved, nearest_in, plain_number, step_of, value_of_key
from rules.analysis.grid import MOST_STEPS, Dimension, TooLarge, bits
from rules.analysis.subjects import Outcome, Subject
from rules.cells import have_order
from rules.columns import NUMBERS, ORDERED, Column, Key
from rules.records import record
from rules.said import Said, listed, name_of, value_words
from rules.values import ABSENT, Value, same

_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@record
class Change:
    """One fact that would have to be another one."""

    column: Column
    before: Value
    after: Value


@record
class Flip:
    """Changes, the facts with them, and what is answered then. Without changes the answer is already that."""

    changes: tuple[Change, ...]
    facts: dict[str, Value]
    outcome: Outcome


@record
class _Option:
    """Another class of one dimension. Shapes: `keys` by the place of the column; `cost` is (facts, steps)."""

    mask: int
    keys: Mapping[int, Key]
    cost: tuple[int, int]


def smallest_change(
    subject: Subject,
    facts: Mapping[str, Value],
    wanted: Callable[[Outcome], bool],
    kept: frozenset[str] = frozenset(),
) -> Flip | None:
    """Return the smallest change after which an outcome is wanted, None where nothing leads there.

    Shapes: facts in `kept` stay what they are.
    Errors: those of `Column.take`; TooLarge where one change is not enough and more are too many to go through.
    """
    keys = [column.take(facts.get(column.name, ABSENT)) for column in subject.grid.columns]
    search = _Search(subject, facts, keys, wanted, kept)
    single = search.single()
    return single if single is not None else search.any()


@record
class _Search:
    """What is looked for. Shapes: `keys` are the facts as the columns of the grid take them."""

    subject: Subject
    facts: Mapping[str, Value]
    keys: Sequence[Key]
    wanted: Callable[[Outcome], bool]
    kept: frozenset[str]

    def single(self) -> Flip | None:
        """Return no change, or the nearest change of one fact, after which an outcome is wanted; None for none."""
        grid = self.subject.grid
        stay = [grid.mask_in(dimension, self.keys) for dimension in grid.dimensions]
        now = grid.all_tests
        for mask in stay:
            now &= mask
        if self.wanted(self.subject.outcome(now)):
            return self._flip(now, {})
        best: tuple[tuple[int, int], int, Mapping[int, Key]] | None = None
        for place, dimension in reversed(list(enumerate(grid.dimensions))):
            others = grid.all_tests
            for at, mask in enumerate(stay):
                others &= mask if at != place else others
            for option in self._options(dimension):
                nearer = best is None or option.cost < best[0]
                if option.cost[0] == 1 and nearer and self.wanted(self.subject.outcome(others & option.mask)):
                    best = (option.cost, others & option.mask, option.keys)
        return None if best is None else self._flip(*best[1:])

    def any(self) -> Flip | None:
        """Return the smallest change of any number of facts after which an outcome is wanted; None where none is.

        Errors: TooLarge.
        """
        grid = self.subject.grid
        best: dict[int, tuple[tuple[int, int], dict[int, Key]]] = {grid.all_tests: ((0, 0), {})}
        steps = 0
        for dimension in grid.dimensions:
            options = self._options(dimension)
            steps += len(best) * len(options) * grid.weight
            if steps > MOST_STEPS:
                raise TooLarge
            after: dict[int, tuple[tuple[int, int], dict[int, Key]]] = {}
            for mask, (cost, changed) in best.items():
                for option in options:
                    both = mask & option.mask
                    total = (cost[0] + option.cost[0], cost[1] + option.cost[1])
                    known = after.get(both)
                    if known is None or total < known[0]:
                        after[both] = (total, {**changed, **option.keys})
            best = after
        found = ((cost, mask, changed) for mask, (cost, changed) in best.items())
        fitting = [each for each in found if self.wanted(self.subject.outcome(each[1]))]
        return self._flip(*min(fitting, key=lambda each: each[0])[1:]) if fitting else None

    def _options(self, dimension: Dimension) -> list[_Option]:
        return _options(self.subject, dimension, self.keys, self.kept)

    def _flip(self, mask: int, changed: Mapping[int, Key]) -> Flip:
        return _flip(self.subject, self.facts, changed, self.subject.outcome(mask))


def _flip(subject: Subject, facts: Mapping[str, Value], changed: Mapping[int, Key], outcome: Outcome) -> Flip:
    changes, now = [], dict(facts)
    for place in sorted(changed):
        column = subject.grid.columns[place]
        key = changed[place]
        value = key if key is ABSENT or key is None else value_of_key(column.kind, key)
        changes.append(Change(column, facts.get(column.name, ABSENT), value))
        if value is ABSENT:
            now.pop(column.name, None)
        else:
            now[column.name] = value
    return Flip(tuple(changes), now, outcome)


def _options(subject: Subject, dimension: Dimension, keys: Sequence[Key], kept: frozenset[str]) -> list[_Option]:
    """Return what a dimension may be: as it is, or any other class, each as near as it can be had."""
    grid = subject.grid
    stay = _Option(grid.mask_in(dimension, keys), {}, (0, 0))
    best: dict[int, _Option] = {stay.mask: stay}
    if len(dimension.columns) == 1:
        return _options_of_one(subject, dimension, keys, kept, stay)
    movable = [
        place for place in dimension.columns if place < subject.known_columns and grid.columns[place].name not in kept
    ]
    for count in range(1, len(movable) + 1):
        for chosen in combinations(movable, count):
            for found in product(*(_values(grid.columns, dimension, place, keys) for place in chosen)):
                now = list(keys)
                for place, (key, _) in zip(chosen, found, strict=True):
                    now[place] = key
                mask = grid.mask_in(dimension, now)
                option = _Option(
                    mask,
                    {place: key for place, (key, _) in zip(chosen, found, strict=True)},
                    (count, sum(distance for _, distance in found)),
                )
                if mask not in best or option.cost < best[mask].cost:
                    best[mask] = option
    return list(best.values())


def _options_of_one(
    subject: Subject, dimension: Dimension, keys: Sequence[Key], kept: frozenset[str], stay: _Option
) -> list[_Option]:
    """Return what one column may be; a value that is as near as it can be had lies in its class still."""
    [place] = dimension.columns
    best: dict[int, _Option] = {stay.mask: stay}
    if place >= subject.known_columns or subject.grid.columns[place].name in kept:
        return [stay]
    masks = [0] * len(dimension.members)
    for mask, members in zip(dimension.masks, dimension.joined, strict=True):
        for member in bits(members):
            masks[member] = mask
    for mask, (key, distance) in zip(masks, _values(subject.grid.columns, dimension, place, keys), strict=True):
        option = _Option(mask, {place: key}, (1, distance))
        if mask not in best or option.cost < best[mask].cost:
            best[mask] = option
    return list(best.values())


def _values(columns: Sequence[Column], dimension: Dimension, place: int, keys: Sequence[Key]) -> list[tuple[Key, int]]:
    """Return one value for each class of a column with how far it is from the present one; nothing is near to none."""
    column, now = columns[place], keys[place]
    at = dimension.columns.index(place)
    pieces: list[Piece] = list({id(member[at]): member[at] for member in dimension.members}.values())
    here = None if now is ABSENT or now is None else _place_of(pieces, now)
    found = [
        (nearest_in(column, piece, now), 1 if here is None else abs(number - here))
        for number, piece in enumerate(pieces)
    ]
    if len(dimension.columns) > 1 and column.kind in ORDERED:
        # Beside a compared column that changes too, the nearest may stand on the wrong side; the own value of each
        # piece leads wherever the pieces lead.
        found += [(piece.key, 1 if here is None else abs(number - here)) for number, piece in enumerate(pieces)]
        found += _around(column, [keys[other] for other in dimension.columns if other != place])
    return found


def _around(column: Column, others: Sequence[Key]) -> list[tuple[Key, int]]:
    """Return the values of compared columns, and what lies beside them."""
    found: list[tuple[Key, int]] = []
    for key in others:
        if key is None or key is ABSENT:
            continue
        step = step_of(column.kind, key)
        near = [key, moved(column.kind, key, step, -1), moved(column.kind, key, step, 1)]
        found += [(each, 1) for each in near if each is not None and fits(column, each)]
    return found


def _place_of(pieces: Sequence[Piece], key: Key) -> int:
    """Return the place of the class in which a value lies; the first where it lies in none."""
    for number, piece in enumerate(pieces):
        if piece.form == "between":
            if key is None or key is ABSENT or not have_order(key, piece.key):
                continue
            if (piece.low is None or key > piece.low) and (piece.high is None or key < piece.high):
                return number
        elif piece.key is key or (key is not ABSENT and piece.key is not ABSENT and _equal(piece.key, key)):
            return number
    return 0


def _equal(first: Key, second: Key) -> bool:
    try:
        return same(first, second)
    except TypeError:
        return bool(first == second)


# --- words ------------------------------------------------------------------------------------------------------------


def flip_words(flip: Flip, wanted: Said) -> Said:
    """Return what an answer needs: `High needs one more independent Tier 2 source (2 instead of 1)`."""
    if not flip.changes:
        return Said(f"回答已经是 {wanted.zh}", f"the answer is {wanted.en} already")
    parts = [change_words(change) for change in flip.changes]
    said = listed(parts)
    return Said(f"要得到 {wanted.zh}，需要{said.zh}", f"{wanted.en} needs {said.en}")


def change_words(change: Change) -> Said:
    """Return one change: how much more or less of a number, else the value that would have to stand there."""
    column, name = change.column, name_of(change.column)
    before, after = value_words(change.before, column.unit), value_words(change.after, column.unit)
    difference = _difference(change)
    if change.before is ABSENT:
        return Said(f"{name.zh} 为 {after.zh}", f"{name.en} {after.en}")
    if difference is None:
        return Said(f"{name.zh} 为 {after.zh}（现在是 {before.zh}）", f"{name.en} {after.en} instead of {before.en}")
    more = difference > 0
    size = abs(difference)
    count = _COUNTS[int(size)] if size == int(size) and size <= 10 else value_words(size).en
    now, then = value_words(change.before).en, value_words(change.after).en
    if column.unit:
        zh = f"{name.zh}{'多' if more else '少'} {value_words(size).zh} {column.unit}（{then}，现在是 {now}）"
        en = f"{count} {'more' if more else 'fewer'} {column.unit} of {name.en} ({then} instead of {now})"
        return Said(zh, en)
    zh = f"{name.zh}再{'多' if more else '少'} {value_words(size).zh}（{then}，现在是 {now}）"
    noun = _singular(name.en) if size == 1 else name.en
    return Said(zh, f"{count} {'more' if more else 'fewer'} {noun} ({then} instead of {now})")


def _singular(name: str) -> str:
    """Return the last word without the s of its plural: `one more source`."""
    return name[:-1] if name.endswith("s") and not name.endswith(("ss", "us", "is")) else name


def _difference(change: Change) -> Value | None:
    numbers = [change.before, change.after]
    if change.column.kind not in NUMBERS or any(type(each) not in (int, Decimal) for each in numbers):
        return None
    return plain_number(Fraction(change.after) - Fraction(change.before))
