"""The product of classes of some columns, and what a set of tests says in each cell of it.

A *test* is one row of cells. For every class a mask says which tests it passes, one bit each; a cell of the product
passes what the masks of its classes have in common. Classes with equal masks are joined at once, and what still tells
apart is walked with memory of (dimension, mask): 760,000 cells come down to the few thousand masks that differ. A
*box* is a set of classes for each dimension; regions are given as boxes that do not overlap.

Columns that cells compare with one another form one dimension, whose classes are tuples of representatives.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise, product

from rules.analysis.classes import Piece, Pieces, constants_of, limits_of, pieces_of
from rules.cells import ORDER_OPERATORS, Cell, Constant, FactReference, cell_matches
from rules.columns import ORDERED, Column, Key
from rules.records import field, record, replace
from rules.values import CannotEvaluate

MOST_STEPS = 4_000_000
"""So many steps one question may take; what takes more is answered by boxes, or said to be left open."""
MOST_WORK = 30_000_000
"""So many steps all questions about one document, or all cases of one rule, may take together."""
MOST_OF_ONE_CODE = 8
"""So many findings of one code are told of one rule; how many more there are is one finding."""
MOST_TUPLES = 50_000
MOST_BOXES = 2_000
MOST_BOX_STEPS = 2_000_000
"""So many comparisons of one range with another it may take to tell what boxes leave of a box."""
CELLS_OF_ONE_STEP = 16
"""So many answers of tests in classes are written down in the time of one step."""
TESTS_OF_ONE_STEP = 256
"""With more tests the masks are longer, and a step counts for several."""

Label = Hashable
Point = tuple[int, ...]
"""One class for each dimension."""
Box = tuple[int, ...]
"""Some classes for each dimension, one bit each."""


class TooLarge(Exception):
    """A question takes more steps than it may."""


@record(frozen=False)
class Work:
    """How many steps are left for all questions together; None is no bound. Counted, so that it is alike everywhere."""

    left: int | None = None

    def spend(self, steps: int) -> None:
        """Errors: TooLarge once nothing is left."""
        if self.left is not None:
            self.left -= steps
            if self.left < 0:
                raise TooLarge


@record
class Fails:
    """A test of one column: comparing could not be evaluated."""

    cell: Cell


@record
class Within:
    """A test of one column: a value may stand there at all."""

    holds: Callable[[Key], bool]


Ask = Cell | Fails | Within
Test = tuple[Ask | None, ...]
"""One question for each column, None where any value passes."""


@record
class Dimension:
    """One column, or several that are compared with one another.

    Shapes: `members` are the tuples of pieces, one piece for each of `columns`; `masks` and `joined` are the classes
    that tests tell apart: the mask of each, and its members, one bit each.
    """

    columns: tuple[int, ...]
    members: tuple[tuple[Piece, ...], ...]
    masks: tuple[int, ...]
    joined: tuple[int, ...]

    @property
    def whole(self) -> int:
        return (1 << len(self.masks)) - 1

    @property
    def anything(self) -> int:
        """Return the tests that some class passes."""
        found = 0
        for mask in self.masks:
            found |= mask
        return found

    def members_of(self, classes: int) -> int:
        """Return the members of some classes, one bit each."""
        found = 0
        for place in bits(classes):
            found |= self.joined[place]
        return found

    def class_of(self, member: int) -> int:
        return next(place for place, joined in enumerate(self.joined) if joined >> member & 1)


@record
class Grid:
    """Columns, tests, and the classes that the tests make.

    Shapes: `exact` is False where a column has more combinations than were built.
    """

    columns: tuple[Column, ...]
    tests: tuple[Test, ...]
    dimensions: tuple[Dimension, ...]
    exact: bool
    work: Work = field(default_factory=Work, compare=False, repr=False)
    _boxes: list[Box] = field(default_factory=list, compare=False, repr=False)

    @property
    def size(self) -> int:
        """How many cells the product of classes has."""
        count = 1
        for dimension in self.dimensions:
            count *= len(dimension.members)
        return count

    @property
    def whole(self) -> Box:
        return tuple(dimension.whole for dimension in self.dimensions)

    @property
    def all_tests(self) -> int:
        return (1 << len(self.tests)) - 1

    def projected(self, kept: int) -> Grid:
        """Return the same grid with some tests left out: classes that only those told apart are joined."""
        return replace(self, dimensions=tuple(_rejoined(dimension, kept) for dimension in self.dimensions), _boxes=[])

    @property
    def weight(self) -> int:
        """How many steps one step with masks of all tests counts for."""
        return 1 + len(self.tests) // TESTS_OF_ONE_STEP

    def mask_at(self, point: Point) -> int:
        mask = self.all_tests
        for dimension, place in zip(self.dimensions, point, strict=True):
            mask &= dimension.masks[place]
        return mask

    def box_of(self, test: int) -> Box:
        """Return where a test passes."""
        if not self._boxes and self.tests:
            count = len(self.tests)
            self._boxes.extend(zip(*(_turned(each.masks, count) for each in self.dimensions), strict=True))
        return self._boxes[test] if self.dimensions else ()

    def touching(self, box: Box) -> int:
        """Return the tests that pass somewhere in a box."""
        found = self.all_tests
        for dimension, classes in zip(self.dimensions, box, strict=True):
            if classes == dimension.whole:
                found &= dimension.anything
                continue
            mask = 0
            for place in bits(classes):
                mask |= dimension.masks[place]
            found &= mask
        return found

    def uncovered(self, box: Box, taken: Iterable[tuple[int, Box]], used: set[int] | None = None) -> Iterator[Box]:
        """Yield what boxes leave of another one, as boxes that do not overlap; one is found soon where there is one.

        Shapes: `taken` are boxes with a number each; `used` collects the numbers of those that took something.
        Errors: TooLarge.
        """
        open_parts = [(box, list(taken))]
        steps = 0
        while open_parts:
            part, near = open_parts.pop()
            steps += (len(near) + 1) * len(part)
            self.work.spend((len(near) + 1) * len(part))
            if steps > MOST_BOX_STEPS:
                raise TooLarge
            near = [each for each in near if common(each[1], part) is not None]
            if not near:
                yield part
                continue
            widest = max(near, key=lambda each: _share_of(part, each[1]))
            if used is not None:
                used.add(widest[0])
            rest = [each for each in near if each is not widest]
            open_parts.extend((piece, rest) for piece in without([part], widest[1]))

    def mask_in(self, dimension: Dimension, keys: Sequence[Key]) -> int:
        """Return which tests given facts pass as far as one dimension asks."""
        self.work.spend(len(self.tests))
        mask = 0
        for number, test in enumerate(self.tests):
            asked = [(test[place], place) for place in dimension.columns]
            if all(ask is None or passes(ask, self.columns[at].name, keys[at], keys) for ask, at in asked):
                mask |= 1 << number
        return mask

    def mask_of_keys(self, keys: Sequence[Key]) -> int:
        """Return which tests given facts pass."""
        self.work.spend(len(self.tests))
        mask = 0
        for number, test in enumerate(self.tests):
            asked = enumerate(test)
            if all(ask is None or passes(ask, self.columns[place].name, keys[place], keys) for place, ask in asked):
                mask |= 1 << number
        return mask

    def reachable(self, within: Box | None = None) -> dict[int, Point]:
        """Return every mask that some cell of a box has, each with the first cell that has it.

        Shapes: a dimension of which the box has no class is left open: every mask passes, its place is -1.
        Errors: TooLarge.
        """
        return self.combined(
            [(place, mask) for place, mask in enumerate(dimension.masks) if allowed >> place & 1]
            for dimension, allowed in zip(self.dimensions, within or self.whole, strict=True)
        )

    def combined(self, classes_of: Iterable[Sequence[tuple[int, int]]]) -> dict[int, Point]:
        """Return every mask that classes of all dimensions have in common, each with the first cell that has it.

        Shapes: for each dimension its classes as (place, mask), none where it is left open. Errors: TooLarge.
        """
        found: dict[int, Point] = {self.all_tests: ()}
        steps = 0
        for classes in classes_of:
            if not classes:
                found = {mask: (*point, -1) for mask, point in found.items()}
                continue
            more = len(found) * len(classes) * self.weight
            steps += more
            if steps > MOST_STEPS:
                raise TooLarge
            self.work.spend(more)
            after: dict[int, Point] = {}
            for mask, point in found.items():
                for place, other in classes:
                    both = mask & other
                    if both not in after:
                        after[both] = (*point, place)
            found = after
        return found

    def boxes(self, label: Callable[[int], Label | None]) -> list[tuple[Box, Label]]:
        """Return the cells that have a label as boxes that do not overlap, neighbours joined; None is no label.

        Several orders of dimensions are tried where that is cheap, for fewer boxes read better.
        Errors: TooLarge.
        """
        best: list[tuple[Box, Label]] | None = None
        for order in self._orders():
            found = _joined(_Diagram(self, order, label).boxes())
            if best is None or len(found) < len(best):
                best = found
        return best or []

    def matters(self, label: Callable[[int], Label | None]) -> list[bool]:
        """Tell for each dimension whether it ever changes the label. Errors: TooLarge."""
        return _Diagram(self, tuple(range(len(self.dimensions))), label).matters()

    def _orders(self) -> list[tuple[int, ...]]:
        declared = tuple(range(len(self.dimensions)))
        wide_first = tuple(sorted(declared, key=lambda place: -len(self.dimensions[place].members)))
        if self.size > 20_000:
            return [wide_first]
        return list(dict.fromkeys([wide_first, declared, wide_first[::-1], declared[::-1]]))


def bits(mask: int) -> Iterator[int]:
    """Yield the places of the bits that are set, the lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


# --- building ---------------------------------------------------------------------------------------------------------


def build_grid(columns: Sequence[Column], tests: Sequence[Test], work: Work | None = None) -> Grid:
    """Return the classes that tests make of columns. Errors: TooLarge where `work` does not suffice."""
    work = work or Work()
    cells = [[cell for test in tests for cell in _cells(test[place])] for place in range(len(columns))]
    exact = True
    dimensions = []
    for group in _groups(cells):
        found = _pieces_of_group(columns, cells, group)
        exact = exact and all(pieces.exact for pieces in found)
        members = list(product(*(pieces.pieces for pieces in found)))
        if len(members) > MOST_TUPLES:
            members, exact = members[:: len(members) // MOST_TUPLES + 1], False
        work.spend(len(members) * len(tests) // CELLS_OF_ONE_STEP)
        dimensions.append(_dimension(columns, tests, tuple(group), members))
    return Grid(tuple(columns), tuple(tests), tuple(dimensions), exact, work)


def _pieces_of_group(columns: Sequence[Column], cells: Sequence[Sequence[Cell]], group: Sequence[int]) -> list[Pieces]:
    """Return the classes of columns that are compared with one another, those of one column where it stands alone.

    All are cut alike, and at the ends of all their ranges, so that the same values stand for the same interval. Whole
    numbers come first, and other numbers are cut at what stands for them, so that both can be equal.
    """
    if len(group) == 1:
        return [pieces_of(columns[group[0]], cells[group[0]])]
    limits = [constant.key for place in group for constant in constants_of(cells[place])]
    ranges = [columns[place].range for place in group]
    limits += [end for range_ in ranges if range_ is not None for end in (range_.low, range_.high) if end is not None]
    whole: list[Key] = []
    found: dict[int, Pieces] = {}
    for place in sorted(group, key=lambda each: columns[each].kind != "integer"):
        is_whole = columns[place].kind == "integer"
        others = limits if is_whole else [*limits, *whole]
        found[place] = pieces_of(columns[place], cells[place], spare=len(group), others=others)
        if is_whole:
            whole += [piece.key for piece in found[place].pieces if piece.is_given]
    return [found[place] for place in group]


def _dimension(
    columns: Sequence[Column], tests: Sequence[Test], group: tuple[int, ...], members: list[tuple[Piece, ...]]
) -> Dimension:
    axes = {place: _Axis(columns[place], [member[at] for member in members]) for at, place in enumerate(group)}
    rows: list[list[Key]] = []
    everywhere = (1 << len(members)) - 1
    answers: dict[tuple[int, Ask], int] = {}
    passed = []
    for test in tests:
        both = everywhere
        for place in group:
            ask = test[place]
            if ask is None:
                continue
            is_known = isinstance(ask, Cell) and _is_plain(ask)
            known = answers.get((place, ask)) if is_known else None
            if known is None:
                if isinstance(ask, Within) or (isinstance(ask, Cell) and not _refers(ask)):
                    known = axes[place].where(ask)
                else:
                    rows = rows or _rows(len(columns), group, members)
                    name = columns[place].name
                    known = sum(1 << index for index, row in enumerate(rows) if passes(ask, name, row[place], row))
                if is_known:
                    answers[place, ask] = known
            both &= known
        passed.append(both)
    masks = _turned(passed, len(members))
    joined: dict[int, int] = {}
    for index, mask in enumerate(masks):
        joined[mask] = joined.get(mask, 0) | 1 << index
    return Dimension(group, tuple(members), tuple(joined), tuple(joined.values()))


def _rows(count: int, group: Sequence[int], members: Sequence[tuple[Piece, ...]]) -> list[list[Key]]:
    """Return each member of a dimension as facts, the other columns null."""
    rows: list[list[Key]] = []
    for member in members:
        row: list[Key] = [None] * count
        for place, piece in zip(group, member, strict=True):
            row[place] = piece.key
        rows.append(row)
    return rows


class _Axis:
    """One column of a dimension: which of its members pass a test that asks about no other column."""

    def __init__(self, column: Column, members: Sequence[Piece]) -> None:
        self.column = column
        places: dict[int, int] = {}
        self.pieces: list[Piece] = []
        self.members: list[int] = []
        for index, piece in enumerate(members):
            place = places.setdefault(id(piece), len(self.pieces))
            if place == len(self.pieces):
                self.pieces.append(piece)
                self.members.append(0)
            self.members[place] |= 1 << index
        self.is_alone = len(self.pieces) == len(members)
        self.given = sum(1 << place for place, piece in enumerate(self.pieces) if piece.is_given)
        self.ordered = self._ordered()

    def _ordered(self) -> list[Key] | None:
        """Return the values in order where the first pieces are just these, None for what has another order or none."""
        if self.column.kind not in ORDERED:
            return None
        keys = [piece.key for piece in self.pieces if piece.is_given]
        is_first = all(piece.is_given for piece in self.pieces[: len(keys)])
        return keys if is_first and all(low < high for low, high in pairwise(keys)) else None

    def where(self, ask: Cell | Within) -> int:
        """Return the members that pass, one bit each."""
        pieces = self._where(ask) if isinstance(ask, Cell) else self._asked_one_by_one(ask)
        if self.is_alone:
            return pieces
        found = 0
        for place in bits(pieces):
            found |= self.members[place]
        return found

    def _where(self, cell: Cell) -> int:
        """Return the pieces that match; a column in order is not asked piece by piece."""
        if cell.operator == "one_of":
            found = 0
            for part in cell.parts:
                found |= self._where(part)
            return found
        if cell.operator == "not":
            return self.given & ~self._where(cell.parts[0])
        if cell.operator == "between":
            return self._where(cell.parts[0]) & self._where(cell.parts[1])
        keys = self.ordered
        if keys is None or not isinstance(cell.limit, Constant):
            return self._asked_one_by_one(cell)
        low, high = 0, len(keys)
        if cell.operator in ("at_least", "equals"):
            low = bisect_left(keys, cell.limit.key)
        if cell.operator in ("at_most", "equals"):
            high = bisect_right(keys, cell.limit.key)
        if cell.operator == "above":
            low = bisect_right(keys, cell.limit.key)
        if cell.operator == "under":
            high = bisect_left(keys, cell.limit.key)
        if cell.operator not in (*ORDER_OPERATORS, "equals"):
            return self._asked_one_by_one(cell)
        return (1 << high) - (1 << low) if low < high else 0

    def _asked_one_by_one(self, ask: Cell | Within) -> int:
        name = self.column.name
        return sum(1 << place for place, piece in enumerate(self.pieces) if passes(ask, name, piece.key, ()))


def _turned(masks: Sequence[int], width: int) -> list[int]:
    """Return for each bit the masks that have it, one bit each: rows made columns. Shapes: `width` bits a mask."""
    if not masks or not width:
        return [0] * width
    written = [format(mask, f"0{width}b") for mask in reversed(masks)]
    turned = [int("".join(column), 2) for column in zip(*written, strict=True)]
    return turned[::-1]


def _rejoined(dimension: Dimension, kept: int) -> Dimension:
    joined: dict[int, int] = {}
    for mask, members in zip(dimension.masks, dimension.joined, strict=True):
        joined[mask & kept] = joined.get(mask & kept, 0) | members
    return replace(dimension, masks=tuple(joined), joined=tuple(joined.values()))


def _is_plain(cell: Cell) -> bool:
    """Tell whether a cell may stand as a key: its limits can be hashed."""
    return all(not isinstance(constant.key, list | dict) for constant in constants_of([cell]))


def _refers(cell: Cell) -> bool:
    return any(isinstance(limit, FactReference) for limit in limits_of(cell))


def passes(ask: Ask, name: str, key: Key, keys: Sequence[Key]) -> bool:
    """Tell whether a fact passes one test; what could not be evaluated does not."""
    if isinstance(ask, Within):
        return ask.holds(key)
    cell = ask.cell if isinstance(ask, Fails) else ask
    try:
        matched = cell_matches(cell, name, key, keys, ())
    except CannotEvaluate:
        return isinstance(ask, Fails)
    return matched and not isinstance(ask, Fails)


def _cells(ask: Ask | None) -> tuple[Cell, ...]:
    if ask is None or isinstance(ask, Within):
        return ()
    return (ask.cell,) if isinstance(ask, Fails) else (ask,)


def _groups(cells: Sequence[Sequence[Cell]]) -> list[list[int]]:
    """Return the columns in the order of their declaration, those that are compared with one another together."""
    leader = list(range(len(cells)))

    def lead(place: int) -> int:
        while leader[place] != place:
            place = leader[place]
        return place

    for place, asked in enumerate(cells):
        for cell in asked:
            for limit in limits_of(cell):
                if isinstance(limit, FactReference):
                    first, second = sorted((lead(place), lead(limit.column)))
                    leader[second] = first
    groups: dict[int, list[int]] = {}
    for place in range(len(cells)):
        groups.setdefault(lead(place), []).append(place)
    return list(groups.values())


# --- walking ----------------------------------------------------------------------------------------------------------


class _Diagram:
    """The labels of a grid as a diagram in which equal parts are one part.

    A node is a number; `nodes` says for each the (classes, node below) pairs; a leaf stands for a label.
    """

    def __init__(self, grid: Grid, order: tuple[int, ...], label: Callable[[int], Label | None]) -> None:
        self.grid = grid
        self.order = order
        self.label = label
        self.dimensions = [grid.dimensions[place] for place in order]
        self.nodes: list[tuple[tuple[int, int], ...]] = []
        self.labels: dict[int, Label | None] = {}
        self._known: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
        self._leaves: dict[int, int] = {}
        self._of_label: dict[Label | None, int] = {}
        self._memory: list[dict[int, int]] = [{} for _ in order]
        self._steps = 0
        self.top = self._node(0, grid.all_tests)

    def _node(self, depth: int, mask: int) -> int:
        if depth == len(self.order):
            return self._leaf(mask)
        memory = self._memory[depth]
        known = memory.get(mask)
        if known is not None:
            return known
        below: dict[int, int] = {}
        masks = self.dimensions[depth].masks
        more = len(masks) * self.grid.weight
        self._steps += more
        if self._steps > MOST_STEPS:
            raise TooLarge
        self.grid.work.spend(more)
        if depth + 1 == len(self.order):
            leaves = self._leaves
            for place, other in enumerate(masks):
                both = mask & other
                child = leaves.get(both)
                if child is None:
                    child = self._leaf(both)
                below[child] = below.get(child, 0) | 1 << place
        else:
            for place, other in enumerate(masks):
                child = self._node(depth + 1, mask & other)
                below[child] = below.get(child, 0) | 1 << place
        memory[mask] = found = self._interned(depth, tuple((classes, child) for child, classes in below.items()))
        return found

    def _leaf(self, mask: int) -> int:
        known = self._leaves.get(mask)
        if known is None:
            label = self.label(mask)
            known = self._of_label.get(label)
            if known is None:
                known = self._of_label[label] = len(self.nodes)
                self.nodes.append(())
                self.labels[known] = label
            self._leaves[mask] = known
        return known

    def _interned(self, depth: int, below: tuple[tuple[int, int], ...]) -> int:
        known = self._known.get((depth, below))
        if known is None:
            known = self._known[depth, below] = len(self.nodes)
            self.nodes.append(below)
        return known

    def boxes(self) -> list[tuple[Box, Label]]:
        found: list[tuple[Box, Label]] = []
        self._collect(self.top, [0] * len(self.order), 0, found)
        return found

    def _collect(self, node: int, chosen: list[int], depth: int, found: list[tuple[Box, Label]]) -> None:
        if depth == len(self.order):
            label = self.labels[node]
            if label is not None:
                box = [0] * len(chosen)
                for place, classes in zip(self.order, chosen, strict=True):
                    box[place] = classes
                found.append((tuple(box), label))
                if len(found) > MOST_BOXES:
                    raise TooLarge
            return
        for classes, child in self.nodes[node]:
            chosen[depth] = classes
            self._collect(child, chosen, depth + 1, found)

    def matters(self) -> list[bool]:
        found = [False] * len(self.order)
        for depth, below in self._known:
            if len(below) > 1:
                found[self.order[depth]] = True
        return found


# --- boxes ------------------------------------------------------------------------------------------------------------


def _joined(boxes: list[tuple[Box, Label]]) -> list[tuple[Box, Label]]:
    """Join boxes that differ in one dimension only, until none do."""
    joined = True
    while joined:
        joined = False
        for dimension in range(len(boxes[0][0]) if boxes else 0):
            rest: dict[tuple[Box, Label], int] = {}
            for box, label in boxes:
                others = (*box[:dimension], 0, *box[dimension + 1 :])
                rest[others, label] = rest.get((others, label), 0) | box[dimension]
            if len(rest) < len(boxes):
                joined = True
                boxes = [
                    ((*others[:dimension], classes, *others[dimension + 1 :]), label)
                    for (others, label), classes in rest.items()
                ]
    return boxes


def joined_boxes(boxes: Iterable[Box]) -> list[Box]:
    """Return the same cells as fewer boxes."""
    return [box for box, _ in _joined([(box, None) for box in boxes])]


def common(first: Box, second: Box) -> Box | None:
    """Return what two boxes have in common, None where that is nothing."""
    both = tuple(left & right for left, right in zip(first, second, strict=True))
    return both if all(both) else None


def without(boxes: Iterable[Box], taken: Box) -> list[Box]:
    """Return boxes without what lies in another one. Errors: TooLarge."""
    left: list[Box] = []
    for box in boxes:
        if common(box, taken) is None:
            left.append(box)
            continue
        rest = list(box)
        for place, classes in enumerate(taken):
            outside = rest[place] & ~classes
            if outside:
                left.append((*rest[:place], outside, *rest[place + 1 :]))
                rest[place] &= classes
        if len(left) > MOST_BOXES:
            raise TooLarge
    return left


def _share_of(box: Box, taken: Box) -> tuple[int, int]:
    """Return how much of a box another one takes: how many of its cells, and in how many dimensions all of it."""
    whole, cells = 0, 1
    for classes, other in zip(box, taken, strict=True):
        both = classes & other
        whole += both == classes
        cells *= both.bit_count()
    return cells, whole


def first_point(box: Box) -> Point:
    return tuple((classes & -classes).bit_length() - 1 for classes in box)
