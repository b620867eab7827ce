"""What is known on a way of whether a condition holds: its parts as facts that come out true or false together.

A condition is taken apart by `and`, `or` and `not`. What cannot be taken apart is a fact: a name, a comparison, a
function over data. Of comparisons with written values it is known which exclude each other; of any other fact only that
it stays as it is until data that it reads change. The ways that the facts may stand are kept as a set of bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from interpreter.flow.roads import Guard, Road
from rules.expr import tree
from rules.expr.compile import evaluator_of
from rules.records import NamedTuple
from rules.values import CannotEvaluate

_AS_WRITTEN: Mapping[str, str] = {}
#: So many facts are followed; what a condition asks for beyond them is never known.
_MOST_FACTS = 7
#: After so many steps a condition is taken to be possible.
_MOST_STEPS = 2000


class Standing(NamedTuple):
    """How things stand on a way. Shapes: `ways` are the ways that the facts may stand, a bit each; `unclear` are names
    of which something is known that cannot be compared with the condition."""

    ways: int
    unclear: frozenset[str]


class Truths:
    """Follows the facts of one condition along the roads.

    Shapes: `data` are the names of all data and inputs, `booleans` those that hold true or false, `defaults` the data
    that begin with a written value.
    """

    def __init__(
        self,
        condition: tree.Node,
        roads: Iterable[Road],
        data: frozenset[str],
        booleans: frozenset[str],
        defaults: Mapping[str, object],
    ) -> None:
        listed = list(roads)
        own = list(_facts_of(condition))
        flags = {fact.name for fact in own if isinstance(fact, tree.Name)} & booleans
        names = {name for fact in own for name in names_of(fact)}
        self._roots = frozenset(names)
        followed = own + [
            fact
            for road in listed
            for name, node in road.becomes
            if name in flags and names_of(node) <= data
            for fact in _facts_of(node)
        ]
        self._flags = flags
        roots = {name for fact in followed for name in names_of(fact)}
        guards = (guard.node for road in listed for guard in (*road.guards, *road.behind))
        asked = {key_of(fact): fact for node in guards for fact in _shared(node, roots, data)}
        kept = {key_of(fact): fact for fact in followed if not asks_the_host(fact)}
        # Facts of guards help where they come back; so many different ones do not.
        if len({**kept, **asked}) <= _MOST_FACTS:
            kept |= asked
        self._facts = tuple(kept.items())[:_MOST_FACTS]
        self._keys = frozenset(key for key, _ in self._facts)
        self._evaluators: tuple[Callable[[dict[str, object]], object], ...] = tuple(
            evaluator_of(fact) for _, fact in self._facts
        )
        self._own = frozenset(key_of(fact) for fact in own)
        self._reads = tuple(names_of(fact) for _, fact in self._facts)
        self._followed = frozenset(name for names in self._reads for name in names)
        self._is_whole = all(key_of(fact) in self._keys for fact in own)
        # Words about one path can be compared where the condition asks for nothing else of that name.
        self._plain = {
            path
            for path in (_word(fact, holds=True)[0] for fact in own)
            if path and all(_word(one, holds=True)[0] == path for one in own if _root(path) in names_of(one))
        }
        self._ways = tuple(self._way(number) for number in range(1 << len(self._facts)))
        self._all = sum(1 << number for number, way in enumerate(self._ways) if way is not None)
        self._known: dict[tuple[int, bool], tuple[tree.Node, int]] = {}
        self._told: dict[int, tuple[tree.Node, frozenset[str]]] = {}
        self._values: dict[tuple[str, str], int] = {}
        self._wanted = self._ways_with(condition, holds=True)
        self.first = Standing(self._given(self._all, defaults), frozenset())

    def before(self, standing: Standing, road: Road) -> Standing | None:
        """Return how things stand where a road was opened, None where it cannot be."""
        return self._through(standing, road.guards)

    def after(self, standing: Standing, road: Road) -> Standing | None:
        """Return how things stand behind what a road changes; None where what holds behind it cannot be."""
        roots = {path[0] for path in road.changes} | set(road.asks)
        if road.answer is not None:
            roots.add(road.answer[0])
        touched = roots & (self._followed | self._roots)
        if touched:
            standing = Standing(self._forgotten(standing.ways, touched), standing.unclear - touched)
            standing = standing._replace(ways=self._given(standing.ways, dict(road.sets)))
            for name, node in road.becomes:
                if name in self._flags and not (names_of(node) & roots):
                    same = (self._both(name, node, holds) for holds in (True, False))
                    standing = standing._replace(ways=standing.ways & next(same) | standing.ways & next(same))
        return self._through(standing, road.behind)

    def may_hold(self, standing: Standing) -> bool:
        """Say whether the condition may hold."""
        return bool(standing.ways & self._wanted)

    def is_clear(self, standing: Standing) -> bool:
        """Say whether all that is known on the way could be compared with the condition."""
        return self._is_whole and not standing.unclear

    # --- the ways that facts may stand --------------------------------------------------------------------------------

    def _way(self, number: int) -> _Known | None:
        known: _Known | None = _Known({}, {})
        for place, (_, fact) in enumerate(self._facts):
            known = known.taken(fact, holds=bool(number >> place & 1)) if known is not None else None
        return known

    def _through(self, standing: Standing, guards: Iterable[Guard]) -> Standing | None:
        ways, unclear = standing
        for guard in guards:
            told = self._told.get(id(guard.node))
            if told is None:
                told = self._told[id(guard.node)] = (guard.node, names_of(guard.node))
            if not told[1] & self._followed and not told[1] & self._roots:
                continue
            ways &= self._ways_with(guard.node, holds=guard.holds)
            unclear |= self._unclear(guard.node, holds=guard.holds)
        return Standing(ways, unclear) if ways else None

    def _ways_with(self, node: tree.Node, *, holds: bool) -> int:
        known = self._known.get((id(node), holds))
        if known is None:
            ways = sum(
                1 << number
                for number, way in enumerate(self._ways)
                if way is not None and _is_possible(((node, holds),), way, [_MOST_STEPS])
            )
            known = self._known[(id(node), holds)] = (node, ways)
        return known[1]

    def _both(self, name: str, node: tree.Node, holds: bool) -> int:
        key = (name, f"{id(node)} {holds}")
        ways = self._values.get(key)
        if ways is None:
            flag = tree.Name(name, 0, 0)
            ways = self._values[key] = sum(
                1 << number
                for number, way in enumerate(self._ways)
                if way is not None and _is_possible(((flag, holds), (node, holds)), way, [_MOST_STEPS])
            )
        return ways

    def _unclear(self, node: tree.Node, *, holds: bool) -> frozenset[str]:
        """Return the names of the condition of which a guard says something that cannot be compared with it."""
        match node:
            case tree.Not(value=value):
                return self._unclear(value, holds=not holds)
            case tree.Logic(operator=operator, parts=parts) if (operator == "and") == holds:
                return frozenset().union(*(self._unclear(part, holds=holds) for part in parts))
        facts = list(_facts_of(node))
        open_facts = [fact for fact in facts if not self._is_comparable(fact)]
        return (names_of(node) & self._roots) if open_facts else frozenset()

    def _is_comparable(self, fact: tree.Node) -> bool:
        key, path = key_of(fact), _word(fact, holds=True)[0]
        is_known = key in self._own or path in self._plain or not names_of(fact) & self._roots
        return key in self._keys and is_known

    def _forgotten(self, ways: int, names: set[str]) -> int:
        for place, reads in enumerate(self._reads):
            if reads & names:
                ways |= sum(1 << (number ^ 1 << place) for number in range(len(self._ways)) if ways >> number & 1)
        return ways & self._all

    def _given(self, ways: int, values: Mapping[str, object]) -> int:
        """Return the ways that remain where names hold written values."""
        for name, value in values.items():
            if name not in self._followed:
                continue
            allowed = Allowed(frozenset({_word_of(value)}), frozenset())
            ways &= sum(
                1 << number
                for number, way in enumerate(self._ways)
                if way is not None and way.allowing(name, allowed) is not None
            )
        for place in range(len(self._facts)):
            is_given = bool(self._reads[place]) and self._reads[place] <= set(values)
            holds = _value_of(self._evaluators[place], values) if is_given else None
            if holds is not None:
                ways &= sum(1 << number for number in range(len(self._ways)) if bool(number >> place & 1) == holds)
        return ways


def _value_of(evaluate: Callable[[dict[str, object]], object], values: Mapping[str, object]) -> bool | None:
    try:
        found = evaluate(dict(values))
    except (CannotEvaluate, KeyError, TypeError, ValueError, ArithmeticError):
        return None
    return found if isinstance(found, bool) else None


# --- facts ------------------------------------------------------------------------------------------------------------


def _facts_of(node: tree.Node) -> Iterator[tree.Node]:
    """Yield the facts that a condition is made of, each in the form in which it is compared."""
    match node:
        case tree.Not(value=value):
            yield from _facts_of(value)
        case tree.Logic(parts=parts):
            for part in parts:
                yield from _facts_of(part)
        case tree.Comparison() if len(node.steps) > 1:
            for part in _pairs(node):
                yield from _facts_of(part)
        case tree.Constant():
            return
        case _:
            yield _plain(node)[0]


def _shared(node: tree.Node, roots: set[str], data: frozenset[str]) -> Iterator[tree.Node]:
    """Yield the facts of a guard that may be followed, where it asks for any of these names."""
    if names_of(node) & roots:
        yield from (fact for fact in _facts_of(node) if names_of(fact) <= data and not asks_the_host(fact))


def _pairs(node: tree.Comparison) -> list[tree.Node]:
    firsts = (node.first, *(operand for _, operand in node.steps))
    return [
        tree.Comparison(first, (step,), node.start, node.end) for first, step in zip(firsts, node.steps, strict=False)
    ]


def _plain(node: tree.Node) -> tuple[tree.Node, bool]:
    """Return a fact without the negation in its operator, and whether it stands for itself or for its opposite."""
    if not isinstance(node, tree.Comparison):
        return node, True
    ((operator, second),) = node.steps
    start, end, first = node.start, node.end, node.first
    match operator:
        case "!=":
            return tree.Comparison(first, (("==", second),), start, end), False
        case "not in":
            return tree.Comparison(first, (("in", second),), start, end), False
        case ">":
            return tree.Comparison(second, (("<", first),), start, end), True
        case "<=":
            return tree.Comparison(second, (("<", first),), start, end), False
        case ">=":
            return tree.Comparison(first, (("<", second),), start, end), False
    return node, True


def key_of(node: tree.Node, names: Mapping[str, str] = _AS_WRITTEN) -> str:
    """Return what two nodes have in common that say the same, wherever they stand.

    Shapes: `names` are words that stand for names, where those differ from place to place.
    """

    def inner(part: tree.Node) -> str:
        return key_of(part, names)

    match node:
        case tree.Constant(value=value):
            return repr(value)
        case tree.Name(name=name):
            return names.get(name, name)
        case tree.Field(base=base, name=name, brackets=brackets):
            return f"{inner(base)}{'[' if brackets else '.'}{name!r}"
        case tree.Apply(function=function, subject=subject, positional=positional, keywords=keywords):
            left = "" if subject is None else inner(subject)
            inside = [*map(inner, positional), *sorted(f"{name}={inner(value)}" for name, value in keywords)]
            return f"({left} | {function.kind} {function.name}({', '.join(inside)}))"
        case tree.Comparison(first=first, steps=steps):
            operands = [inner(first), *(inner(operand) for _, operand in steps)]
            operators = [operator for operator, _ in steps]
            return f"({operators} {sorted(operands) if operators == ['=='] else operands})"
        case tree.MappingOf(entries=entries):
            return "{" + ", ".join(f"{name!r}: {inner(value)}" for name, value in entries) + "}"
        case tree.Arithmetic(operator=operator) | tree.Logic(operator=operator):
            return f"({operator} {[inner(part) for part in tree.children(node)]})"
    return f"({type(node).__name__} {[inner(part) for part in tree.children(node)]})"


def names_of(node: tree.Node) -> frozenset[str]:
    return frozenset(inner.name for inner in tree.walk(node) if isinstance(inner, tree.Name))


def asks_the_host(node: tree.Node) -> bool:
    """Say whether a fact may change while no data do."""
    return any(isinstance(inner, tree.Apply) and inner.function.kind == "host" for inner in tree.walk(node))


def _root(path: str) -> str:
    return path.partition(".")[0]


class _Known(NamedTuple):
    """What is taken to be so: facts by their key, and the values that paths may have."""

    facts: Mapping[str, bool]
    values: Mapping[str, Allowed]

    def taken(self, fact: tree.Node, *, holds: bool) -> _Known | None:
        """Return this and one fact more, None where they exclude each other."""
        key = key_of(fact)
        if key in self.facts:
            return self if self.facts[key] == holds else None
        more = _Known({**self.facts, key: holds}, self.values)
        path, allowed = _word(fact, holds=holds)
        return more.allowing(path, allowed) if path else more

    def allowing(self, path: str, allowed: Allowed) -> _Known | None:
        both = self.values[path].both(allowed) if path in self.values else allowed
        return None if both.is_impossible else _Known(self.facts, {**self.values, path: both})


def _is_possible(goals: tuple[tuple[tree.Node, bool], ...], known: _Known, left: list[int]) -> bool:
    """Say whether conditions may all come out as they are wanted, while what is known stands."""
    left[0] -= 1
    if not goals or left[0] < 0:
        return True
    (node, holds), *rest = goals
    others = tuple(rest)
    match node:
        case tree.Not(value=value):
            return _is_possible(((value, not holds), *others), known, left)
        case tree.Logic(operator=operator, parts=parts):
            if (operator == "and") == holds:
                return _is_possible((*((part, holds) for part in parts), *others), known, left)
            return any(_is_possible(((part, holds), *others), known, left) for part in parts)
        case tree.Comparison() if len(node.steps) > 1:
            return _is_possible(((tree.Logic("and", tuple(_pairs(node)), 0, 0), holds), *others), known, left)
        case tree.Constant(value=value) if isinstance(value, bool):
            return value == holds and _is_possible(others, known, left)
    if asks_the_host(node):
        return _is_possible(others, known, left)
    fact, same = _plain(node)
    more = known.taken(fact, holds=holds == same)
    return more is not None and _is_possible(others, more, left)


# --- values that exclude each other -----------------------------------------------------------------------------------


class Allowed(NamedTuple):
    """The values that something may have: some of `among` (None: any), none of `but`."""

    among: frozenset[object] | None
    but: frozenset[object]

    def both(self, other: Allowed) -> Allowed:
        among = self.among if other.among is None else other.among if self.among is None else self.among & other.among
        return Allowed(among, self.but | other.but)

    @property
    def is_impossible(self) -> bool:
        return self.among is not None and not self.among - self.but


_ANY = Allowed(None, frozenset())


def _word(fact: tree.Node, *, holds: bool) -> tuple[str, Allowed]:
    """Return the path of which a fact tells, and what; '' where it tells of no single path."""
    match fact:
        case tree.Comparison(first=first, steps=((operator, second),)) if operator in ("==", "in"):
            return _told_by_comparison(first, operator, second, holds)
        case tree.Apply(function=function, subject=subject) if function.name == "empty" and subject is not None:
            return _told_by_comparison(subject, "==", tree.ListOf((), 0, 0), holds)
        case tree.Name() | tree.Field():
            return tree.path_text(fact), Allowed(frozenset({("boolean", holds)}), frozenset())
    return "", _ANY


def _told_by_comparison(first: tree.Node, operator: str, second: tree.Node, holds: bool) -> tuple[str, Allowed]:
    if operator == "==" and isinstance(first, tree.Constant | tree.ListOf | tree.MappingOf):
        first, second = second, first
    is_empty = isinstance(second, tree.ListOf | tree.MappingOf) and not tuple(tree.children(second))
    name = tree.path_text(first)
    values = frozenset({_EMPTY}) if is_empty and operator == "==" else _constants(second, operator)
    if not name or values is None:
        return "", _ANY
    return name, Allowed(values, frozenset()) if holds else Allowed(None, values)


def _constants(node: tree.Node, operator: str) -> frozenset[object] | None:
    parts = node.items if isinstance(node, tree.ListOf) and operator == "in" else (node,)
    values = [part.value for part in parts if isinstance(part, tree.Constant)]
    if len(values) != len(parts) or any(isinstance(value, list | dict) for value in values):
        return None
    if operator == "in" and not isinstance(node, tree.ListOf):
        return None  # a part of a text
    return frozenset(map(_word_of, values))


def _word_of(value: object) -> tuple[str, object]:
    if isinstance(value, str | list | dict) and not value:
        return _EMPTY
    if isinstance(value, list | dict):
        return ("filled", "")
    return ("boolean" if isinstance(value, bool) else "value", value)


#: What `[]`, `''` and `is empty` have in common.
_EMPTY = ("empty", "")
