"""Whether the properties of a document hold: exactly on the classes where they are not too many, else by search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from rules.analysis.grid import Dimension, Grid, Point, Test, TooLarge, Work
from rules.analysis.subjects import Outcome, Outcomes, ScorecardSubject, Subject, TableSubject, as_test
from rules.analysis.wording import example_in, facts_of
from rules.cells import Cell, FactReference, cell_matches
from rules.columns import ORDERED, Column, Key, find_key
from rules.documents import RuleDocument
from rules.facts import Names
from rules.findings import Finding
from rules.properties import Property
from rules.reading import found
from rules.said import Said, answer_words, facts_words, of_text
from rules.tiers import Tiers
from rules.values import ABSENT, CannotEvaluate, Value

MOST_PAIRS = 400_000


def check_properties(
    document: RuleDocument,
    names: Names | None = None,
    *,
    in_passing: bool = False,
    work: Work | None = None,
    looked_at: Mapping[str, Outcomes] | None = None,
) -> Iterator[Finding]:
    """Yield where a property does not hold, with one example; or that it could not be looked at whole.

    Shapes: `in_passing` searches for nothing, and says of tables and scorecards which properties are left open;
            `looked_at` are the known outcomes of rules, with the same `names`.
    """
    rules = dict.fromkeys(one.of for one in document.properties)
    for rule in rules:
        of_rule = [one for one in document.properties if one.of == rule]
        outcomes = looked_at.get(rule) if looked_at is not None else None
        yield from _of_one_rule(document, rule, of_rule, names, in_passing, work, outcomes)


def _of_one_rule(
    document: RuleDocument,
    rule: str,
    properties: Sequence[Property],
    names: Names | None,
    in_passing: bool,
    work: Work | None,
    outcomes: Outcomes | None,
) -> Iterator[Finding]:
    """Look at the properties of one rule on one grid, which their cells share with the rows."""
    if rule in document.tiers:
        tiers = document.tiers[rule]
        for one in () if in_passing else properties:
            if not _holds_for_every_tier(tiers, one):
                yield from _searched_tiers(document, tiers, one, names)
        return
    decides = document.tables.get(rule) or document.scorecards[rule]
    known = len(decides.columns)
    first: dict[int, int] = {}
    tests: list[Test] = []
    for one in properties:
        first[id(one)] = len(tests)
        if not _mixes(one, known):
            tests += [as_test(cells[:known]) for cells in (one.when, one.then) if cells]
    try:
        if rule in document.tables:
            subject: Subject = TableSubject(document.tables[rule], document.thresholds, names, tests, work)
        else:
            subject = ScorecardSubject(document.scorecards[rule], names, tests, work)
    except TooLarge:
        yield from (_open(one, Said("", "")) for one in properties)
        return
    if outcomes is not None:
        subject.known_outcomes = outcomes
    for one in properties:
        try:
            if _mixes(one, known) or not subject.grid.exact:
                raise TooLarge
            yield from _CHECKS[one.kind](subject, one, subject.more + first[id(one)])
        except TooLarge:
            if in_passing:
                yield _open(one, Said("", ""))
            else:
                yield from _searched(document, subject, one, names)


# --- exactly ----------------------------------------------------------------------------------------------------------


def _never(subject: Subject, one: Property, test: int) -> Iterator[Finding]:
    for mask, point, outcome in subject.cells():
        if mask >> test & 1 and _answers_hold(subject, one, one.when, outcome):
            yield _broken(subject, one, point, outcome)
            return


def _always(subject: Subject, one: Property, test: int) -> Iterator[Finding]:
    for mask, point, outcome in subject.cells():
        if mask >> test & 1 and _answers_hold(subject, one, one.when, outcome):
            held = mask >> test + 1 & 1 and _answers_hold(subject, one, one.then, outcome)
            if not held:
                yield _broken(subject, one, point, outcome)
                return


def _within(subject: Subject, one: Property, test: int) -> Iterator[Finding]:
    assert one.range is not None
    for _, point, outcome in subject.cells():
        if outcome.kind == "answer" and not all(one.range.holds(each) for each in _numbers(outcome)):
            yield _broken(subject, one, point, outcome)
            return


def _every_level(subject: Subject, one: Property, test: int) -> Iterator[Finding]:
    assert isinstance(subject, ScorecardSubject)
    given = {outcome.value for _, _, outcome in subject.cells() if outcome.kind == "answer"}
    missing = [level.name for level in subject.card.levels if level.name not in given]
    if missing:
        names = ", ".join(missing)
        yield _finding(subject.inner.columns, one, {}, Said(f"没有事实能得到 {names}", f"no facts lead to {names}"))


def _monotone(subject: Subject, one: Property, test: int) -> Iterator[Finding]:
    """Compare every two classes of the fact that grows, all other facts equal. Errors: TooLarge."""
    assert one.fact is not None
    grid = subject.grid.projected(subject.own_bits)
    place = next(at for at, each in enumerate(grid.dimensions) if one.fact in each.columns)
    dimension = grid.dimensions[place]
    column = subject.columns[one.fact]
    ranks = _ranks(subject)
    if column.kind not in ORDERED | {"boolean"} or ranks is None:
        yield found("property-without-order", one.path, id=one.id, rule=subject.name, name=column.name)
        return
    if len(dimension.columns) > 1:
        raise TooLarge
    others = [classes for at, classes in enumerate(subject.told_apart(grid)) if at != place]
    sign = 1 if one.goes == "up" else -1
    for low, high in _pairs_of_classes(dimension):
        masks = _pairs(others, dimension.masks[low[1]], dimension.masks[high[1]])
        for (first, second), point in masks.items():
            before, after = ranks(subject.outcome(first)), ranks(subject.outcome(second))
            if before is None or after is None:
                continue
            if any(sign * (right - left) < 0 for left, right in zip(before, after, strict=True)):
                facts = _facts(grid, (*point[:place], low[1], *point[place:]))
                facts[column.name] = dimension.members[low[0]][0].value
                grown = dimension.members[high[0]][0].value
                yield _fallen(subject, one, facts, grown, subject.outcome(first), subject.outcome(second))
                return


def _pairs_of_classes(dimension: Dimension) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield every two classes that stand one above the other somewhere, each as (member, class)."""
    given = [member for member, pieces in enumerate(dimension.members) if pieces[0].is_given]
    given.sort(key=lambda member: dimension.members[member][0].key)
    seen = set()
    for place, low in enumerate(given):
        for high in given[place + 1 :]:
            pair = (dimension.class_of(low), dimension.class_of(high))
            if pair[0] != pair[1] and pair not in seen:
                seen.add(pair)
                yield (low, pair[0]), (high, pair[1])


def _pairs(others: Sequence[Sequence[tuple[int, int]]], first: int, second: int) -> dict[tuple[int, int], Point]:
    """Return the masks of two facts that are equal but for one, each pair with the first cell of the others."""
    found_pairs: dict[tuple[int, int], Point] = {(first, second): ()}
    for classes in others:
        after: dict[tuple[int, int], Point] = {}
        for (left, right), point in found_pairs.items():
            for place, mask in classes:
                pair = (left & mask, right & mask)
                if pair not in after:
                    after[pair] = (*point, place)
        if len(after) > MOST_PAIRS:
            raise TooLarge
        found_pairs = after
    return found_pairs


def _ranks(subject: Subject) -> Callable[[Outcome], tuple[Any, ...] | None] | None:
    """Return what makes one answer more than another: numbers by their size, ranked values by `priority`."""
    if isinstance(subject, ScorecardSubject):
        levels = [level.name for level in subject.card.levels]
        return lambda outcome: (outcome.score, -levels.index(outcome.value)) if outcome.kind == "answer" else None
    assert isinstance(subject, TableSubject)
    outputs = [one for one in subject.table.outputs if one.priority or one.kind in ("number", "integer")]
    if not outputs:
        return None

    def ranks(outcome: Outcome) -> tuple[Any, ...] | None:
        if outcome.kind != "answer" or not isinstance(outcome.value, dict):
            return None
        found_ranks = []
        for output in outputs:
            value = outcome.value.get(output.name)
            number = -output.rank(value) if output.priority else find_key("number", value)
            if number is None:
                return None
            found_ranks.append(number)
        return tuple(found_ranks)

    return ranks


# --- answers ----------------------------------------------------------------------------------------------------------


def _mixes(one: Property, known: int) -> bool:
    """Tell whether a fact is compared with the answer, or the answer with a fact: no class decides that."""
    for cells in (one.when, one.then):
        for place, cell in enumerate(cells):
            for part in (cell, *cell.parts):
                if isinstance(part.limit, FactReference) and (place >= known or part.limit.column >= known):
                    return True
    return False


def _answers_hold(subject: Subject, one: Property, cells: Sequence[Cell], outcome: Outcome) -> bool:
    """Tell whether the cells that ask about the answer hold; of many answers, for one of them."""
    known = subject.known_columns
    asked = [cell.operator != "any" for cell in cells[known:]]
    if not any(asked):
        return True
    if outcome.kind == "nothing" and isinstance(subject, TableSubject):
        return _cells_hold(one, cells, known, {})
    if outcome.kind != "answer":
        return False
    return any(_cells_hold(one, cells, known, answer) for answer in _answers(outcome))


def _answers(outcome: Outcome) -> list[Mapping[str, Value]]:
    if outcome.score is not None:
        return [{"level": outcome.value, "score": outcome.score}]
    listed = outcome.value if isinstance(outcome.value, list) else [outcome.value]
    return [answer for answer in listed if isinstance(answer, Mapping)]


def _cells_hold(one: Property, cells: Sequence[Cell], known: int, answer: Mapping[str, Value]) -> bool:
    for cell, column in zip(cells[known:], one.columns[known:], strict=True):
        value = answer.get(column.name, ABSENT)
        key: Key = value if value is ABSENT or value is None else find_key(column.kind, value)
        try:
            if not cell_matches(cell, column.name, key, (), ()):
                return False
        except CannotEvaluate:
            return False
    return True


def _numbers(outcome: Outcome) -> list[Any]:
    if outcome.score is not None:
        return [outcome.score]
    values = [value for answer in _answers(outcome) for value in answer.values()]
    return [number for number in (find_key("number", value) for value in values) if number is not None]


def _holds_for_every_tier(tiers: Tiers, one: Property) -> bool:
    """Tell whether a property of tiers holds whatever the facts, for what it says about the answer alone decides it."""
    known = len(tiers.columns)
    answers = [{"tier": each.tier, "rule": rule.id} for each in tiers.classes for rule in each.rules]
    meant = [answer for answer in answers if _cells_hold(one, one.when, known, answer)]
    if one.kind == "never":
        return not meant
    if one.kind != "always" or any(cell.operator != "any" for cell in one.then[:known]):
        return False
    return all(_cells_hold(one, one.then, known, answer) for answer in meant)


# --- by search --------------------------------------------------------------------------------------------------------


def _searched(document: RuleDocument, subject: Subject, one: Property, names: Names | None) -> Iterator[Finding]:
    yield from _search(document, one, subject.inner.columns, _own_cells(subject), {}, names)


def _searched_tiers(document: RuleDocument, tiers: Tiers, one: Property, names: Names | None) -> Iterator[Finding]:
    """Search among the words, addresses and owners that the rules of tiers name, and what looks like them."""
    rules = [rule for tier_class in tiers.classes for rule in tier_class.rules]
    cells: list[list[Cell]] = [[rule.cells[place] for rule in rules] for place in range(len(tiers.columns))]
    more: dict[str, list[Value]] = {}
    for rule in rules:
        for place, words in rule.among:
            more.setdefault(tiers.columns[place].name, []).extend(words)
        if rule.owner is not None:
            owners = [name for owner in tiers.owners for name in sorted(owner.names)]
            more.setdefault(tiers.columns[rule.owner].name, []).extend(owners)
    if tiers.address is not None:
        entries = [entry for rule in rules for entry in (*rule.suffix, *rule.domain)]
        entries += [entry for owner in tiers.owners for entry in owner.domains]
        paths = ["/", *(path for rule in rules for path in (*rule.path, *rule.not_path))]
        hosts = [host for entry in entries for host in (entry.host, f"www.{entry.host}", f"{entry.host}.example.com")]
        more[tiers.columns[tiers.address].name] = [f"https://{host}{path}" for host in hosts for path in paths]
    yield from _search(document, one, tiers.columns, cells, more, names)


def _search(
    document: RuleDocument,
    one: Property,
    columns: Sequence[Column],
    cells: Sequence[Sequence[Cell]],
    more: Mapping[str, Sequence[Value]],
    names: Names | None,
) -> Iterator[Finding]:
    """Yield what a search finds. Shapes: `cells` are those of each column; `more` values to be tried besides."""
    from rules.analysis.search import Unsearchable, find_facts

    if one.kind in ("monotone", "every_level_reachable"):
        yield _open(one, Said("", ""))
        return
    try:
        example = find_facts(columns, cells, more, _violation(document, one, names or {}))
    except Unsearchable:
        yield _open(one, Said("", ""))
        return
    if example is None:
        yield _open(one, Said("；随机查找没有找到反例", "; a search found no facts against it"))
    else:
        yield _finding(columns, one, example, answer_words(_decided(document, one, example, names or {})))


def _own_cells(subject: Subject) -> list[list[Cell]]:
    rows = [one.cells for one in subject.asked]
    return [[cells[place] for cells in rows] for place in range(len(subject.inner.columns))]


def _violation(document: RuleDocument, one: Property, names: Names) -> Callable[[Mapping[str, Value]], bool]:
    def violates(facts: Mapping[str, Value]) -> bool:
        answer = _decided(document, one, facts, names)
        if answer is None:
            return False
        listed = answer if isinstance(answer, list) else [answer]
        for each in listed:
            values = {**facts, **(each if isinstance(each, Mapping) else {})}
            keys = [_key(column.kind, values.get(column.name, ABSENT)) for column in one.columns]
            if one.kind == "within":
                assert one.range is not None
                numbers = [find_key("number", value) for value in each.values()] if isinstance(each, Mapping) else []
                if any(number is not None and not one.range.holds(number) for number in numbers):
                    return True
            elif _all_hold(one, one.when, keys) and (one.kind == "never" or not _all_hold(one, one.then, keys)):
                return True
        return False

    return violates


def _decided(document: RuleDocument, one: Property, facts: Mapping[str, Value], names: Names) -> Value:
    from rules.documents import decide

    own = {name: value for name, value in facts.items() if "." not in name}
    try:
        answer = decide(document, one.of, own, names).answer
    except CannotEvaluate:
        return None
    if one.of in document.scorecards and isinstance(answer, dict):
        return {"score": answer["score"], "level": answer["level"]}
    if one.of in document.tiers and isinstance(answer, dict):
        return {"tier": answer["tier"], "rule": answer["rule"]}
    return {} if answer is ABSENT else answer


def _key(kind: Any, value: Value) -> Key:
    return value if value is ABSENT or value is None else find_key(kind, value)


def _all_hold(one: Property, cells: Sequence[Cell], keys: Sequence[Key]) -> bool:
    try:
        return all(
            cell_matches(cell, column.name, key, keys, ())
            for cell, column, key in zip(cells, one.columns, keys, strict=True)
        )
    except CannotEvaluate:
        return False


# --- findings ---------------------------------------------------------------------------------------------------------


def _open(one: Property, how: Said) -> Finding:
    return found("property-open", one.path, id=one.id, rule=one.of, **how.facts("how"))


def _facts(grid: Grid, point: Point) -> dict[str, Value]:
    return facts_of(example_in(grid, tuple(1 << place for place in point)))


def _broken(subject: Subject, one: Property, point: Point, outcome: Outcome) -> Finding:
    return _finding(subject.inner.columns, one, _facts(subject.grid, point), _outcome_words(outcome))


def _outcome_words(outcome: Outcome) -> Said:
    if outcome.kind == "answer" and outcome.score is not None:
        return Said(
            f"{outcome.value}（{_plain(outcome.score)} 分）", f"{outcome.value} ({_plain(outcome.score)} points)"
        )
    if outcome.kind == "answer":
        return answer_words(outcome.value)
    return Said("没有回答", "no answer")


def _plain(score: Value) -> str:
    text = format(Decimal(score), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _fallen(
    subject: Subject,
    one: Property,
    facts: dict[str, Value],
    grown: Value,
    before: Outcome,
    after: Outcome,
) -> Finding:
    assert one.fact is not None
    column = subject.columns[one.fact]
    first, second = _outcome_words(before), _outcome_words(after)
    said = Said(
        f"{first.zh}；{column.name} 变为 {grown} 时成为 {second.zh}",
        f"{first.en}, but {second.en} once {column.name} is {grown}",
    )
    return _finding(subject.inner.columns, one, facts, said)


def _finding(columns: Sequence[Column], one: Property, example: Mapping[str, Value], answer: Said) -> Finding:
    message = of_text(one.message, one.id)
    example_said = facts_words(columns, example) if example else Said("任何事实", "whatever the facts")
    return found(
        "property-broken",
        one.path,
        id=one.id,
        rule=one.of,
        example=dict(example),
        **message.facts("message"),
        **example_said.facts("example"),
        **answer.facts("answer"),
    )


_CHECKS: dict[str, Callable[[Subject, Property, int], Iterator[Finding]]] = {
    "never": _never,
    "always": _always,
    "within": _within,
    "monotone": _monotone,
    "every_level_reachable": _every_level,
}
