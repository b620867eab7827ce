"""The plain evaluator: what tables, scorecards and tiers mean, written down as slowly and plainly as possible.

It shares the records of `rules` and nothing else with the compiled functions: its own cells, its own policies, exact
decimals instead of scaled integers, labels compared one by one. A property test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from rules.addresses import RegistrableDomain, read_address
from rules.cells import Cell, Constant, FactReference, have_order, value_word
from rules.columns import FORMATS, Column, Key, find_key
from rules.reading import shown
from rules.scorecards import Factor, Scorecard, Scored
from rules.tables import Answer, Table, ValueOf
from rules.tiers import Placed, TierRule, Tiers, plain_name
from rules.values import ABSENT, CONTEXT, Value, cannot, same

# --- cells ------------------------------------------------------------------------------------------------------------


def all_hold(cells: Sequence[Cell], columns: Sequence[Column], keys: Sequence[Key], outside: Sequence[Key]) -> bool:
    """Tell whether every cell of a row holds, asked from left to right until one does not."""
    return all(holds(cells[place], column.name, keys[place], keys, outside) for place, column in enumerate(columns))


def holds(cell: Cell, name: str, key: Key, keys: Sequence[Key], outside: Sequence[Key]) -> bool:
    """Tell whether one cell holds for the key of its fact.

    Errors: CannotEvaluate `absent-name`, `null-limit`, `different-kinds`.
    """
    there = key is not None and key is not ABSENT
    if cell.operator == "any":
        return True
    if cell.operator == "null":
        return key is None
    if cell.operator == "absent":
        return key is ABSENT
    if cell.operator == "one_of":
        return any(holds(part, name, key, keys, outside) for part in cell.parts)
    if not there:
        return False
    if cell.operator == "not":
        return not holds(cell.parts[0], name, key, keys, outside)
    if cell.operator == "between":
        low, high = cell.parts
        return holds(low, name, key, keys, outside) and holds(high, name, key, keys, outside)
    limit = _limit(cell, keys, outside)
    if cell.operator == "equals":
        return same(key, limit)
    if cell.operator == "contains":
        if isinstance(key, list):
            return any(same(item, limit) for item in key)
        return isinstance(key, str) and isinstance(limit, str) and limit in key
    if cell.operator == "starts_with":
        return isinstance(key, str) and key.startswith(limit)
    if not have_order(key, limit):
        raise cannot("different-kinds", name=name, expected=value_word(limit), value=shown(key))
    if cell.operator == "at_least":
        return not key < limit
    if cell.operator == "above":
        return bool(key > limit)
    if cell.operator == "at_most":
        return not key > limit
    return bool(key < limit)


def _limit(cell: Cell, keys: Sequence[Key], outside: Sequence[Key]) -> Key:
    limit = cell.limit
    assert limit is not None
    if isinstance(limit, Constant):
        return limit.key
    if not isinstance(limit, FactReference):
        return outside[limit.slot]
    key = keys[limit.column]
    if key is ABSENT:
        raise cannot("absent-name", name=limit.name)
    if key is None:
        raise cannot("null-limit", name=limit.name)
    return key


# --- tables -----------------------------------------------------------------------------------------------------------


def decide_table(table: Table, facts: Mapping[str, Value], keys: Sequence[Key], outside: Sequence[Key]) -> Answer:
    """Return the answer of a table and the numbers of the rows that gave it.

    Errors: CannotEvaluate `rows-overlap`, `rows-disagree`, `not-a-number`, `different-kinds`, and those of `holds`.
    """
    numbers = []
    for number, row in enumerate(table.rows, start=1):
        if all_hold(row.cells, table.columns, keys, outside):
            numbers.append(number)
            if table.hit == "first":
                break
    if not numbers:
        return Answer(_otherwise(table, facts, outside), None)
    answers = {number: _row_answer(table, number, facts, outside) for number in numbers}
    if table.hit == "unique" and len(numbers) > 1:
        raise cannot("rows-overlap", table=table.name, rows=", ".join(table.row_label(number) for number in numbers))
    if table.hit == "any":
        for number in numbers[1:]:
            if not same(answers[number], answers[numbers[0]]):
                both = f"{table.row_label(numbers[0])}, {table.row_label(number)}"
                raise cannot("rows-disagree", table=table.name, rows=both)
    if table.hit in ("unique", "any", "first"):
        return Answer(answers[numbers[0]], numbers[0])
    if table.hit in ("priority", "output_order"):
        numbers = sorted(numbers, key=lambda number: (_rank(table, answers[number]), number))
        if table.hit == "priority":
            return Answer(answers[numbers[0]], numbers[0])
    if table.gives_list:
        return Answer([answers[number] for number in numbers], numbers)
    return Answer({table.outputs[0].name: _collected(table, numbers, answers)}, numbers)


def _otherwise(table: Table, facts: Mapping[str, Value], outside: Sequence[Key]) -> Value:
    if table.otherwise is ABSENT:
        return ABSENT
    answers = table.otherwise if isinstance(table.otherwise, list) else [table.otherwise]
    answers = [_given(then, facts, outside) for then in answers]
    return answers if table.gives_list else answers[0]


def _row_answer(table: Table, number: int, facts: Mapping[str, Value], outside: Sequence[Key]) -> dict[str, Value]:
    return _given(table.rows[number - 1].then, facts, outside)


def _given(then: Mapping[str, Value], facts: Mapping[str, Value], outside: Sequence[Key]) -> dict[str, Value]:
    answer = {}
    for name, value in then.items():
        if isinstance(value, ValueOf):
            if isinstance(value.limit, Constant):
                value = value.limit.value
            elif isinstance(value.limit, FactReference):
                if facts.get(value.name, ABSENT) is ABSENT:
                    raise cannot("absent-name", name=value.name)
                value = facts[value.name]
            else:
                value = outside[value.limit.slot]
        answer[name] = value
    return answer


def _rank(table: Table, answer: Mapping[str, Value]) -> list[int]:
    """Return the place of each ranked output among its priorities; what is not listed comes last."""
    ranks = []
    for output in table.outputs:
        if output.priority:
            places = [place for place, listed in enumerate(output.priority) if same(listed, answer[output.name])]
            ranks.append(places[0] if places else len(output.priority))
    return ranks


def _collected(table: Table, numbers: Sequence[int], answers: Mapping[int, dict[str, Value]]) -> Value:
    if table.collect == "count":
        return len(numbers)
    name = table.outputs[0].name
    if table.outputs[0].kind in FORMATS:
        return _outermost(table, [answers[number][name] for number in numbers])
    values = []
    for number in numbers:
        value = answers[number][name]
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise cannot("not-a-number", table=table.name, rows=table.row_label(number), value=shown(value))
        values.append(value)
    result = values[0]
    for value in values[1:]:
        if table.collect == "sum":
            both_whole = isinstance(result, int) and isinstance(value, int)
            result = result + value if both_whole else CONTEXT.add(result, value)
        elif (table.collect == "min" and value < result) or (table.collect == "max" and value > result):
            result = value
    return result


def _outermost(table: Table, values: Sequence[Value]) -> Value:
    """Return the earliest or latest of dates, times or durations; of equal ones the first."""
    output = table.outputs[0]
    best: tuple[Key, Value] | None = None
    for value in values:
        key = find_key(output.kind, value)
        if key is None:
            raise cannot("different-kinds", name=output.name, expected=output.kind, value=shown(value))
        if best is None or (key < best[0] if table.collect == "min" else key > best[0]):
            best = key, value
    return None if best is None else best[1]


# --- scorecards -------------------------------------------------------------------------------------------------------


def score(card: Scorecard, keys: Sequence[Key], outside: Sequence[Key]) -> Scored:
    """Return what a card finds.

    Errors: CannotEvaluate `missing-facts`, `no-points`, and those of `holds`.
    """
    rows = [_row_of(card, factor, keys, outside) for factor in card.factors]
    total = Decimal(card.range.low or 0)
    for factor, row in zip(card.factors, rows, strict=True):
        given = factor.row(row)
        total = CONTEXT.add(total, CONTEXT.multiply(Decimal(factor.weight), Decimal(given.gives)))
    capped = None
    level = next(place for place, one in enumerate(card.levels) if total >= one.edge)
    while not all_hold(card.levels[level].needs, card.columns, keys, outside):
        capped = level if capped is None else capped
        level = card.levels[level].otherwise
    vetoes = [place for place, veto in enumerate(card.vetoes) if all_hold(veto.cells, card.columns, keys, outside)]
    veto = None
    for place in vetoes:
        if veto is None or card.vetoes[place].level > card.vetoes[veto].level:
            veto = place
    if veto is not None:
        level = max(level, card.vetoes[veto].level)
    return Scored(tuple(rows), card.scaled(total), level, capped, veto)


def _row_of(card: Scorecard, factor: Factor, keys: Sequence[Key], outside: Sequence[Key]) -> int:
    missing = [
        card.columns[place].name
        for place in factor.reads
        if (keys[place] is None or keys[place] is ABSENT) and not factor.asks_for(place, keys[place])
    ]
    if missing:
        if factor.missing is None:
            raise cannot("missing-facts", rule=card.name, factor=factor.name, names=", ".join(missing))
        return 0
    for number, row in enumerate(factor.rows, start=1):
        if all_hold(row.cells, card.columns, keys, outside):
            return number
    raise cannot("no-points", rule=card.name, factor=factor.name)


# --- tiers ------------------------------------------------------------------------------------------------------------


def place(
    tiers: Tiers, keys: Sequence[Key], outside: Sequence[Key], registrable_domain: RegistrableDomain | None
) -> Placed | None:
    """Return where a source belongs, or None. Errors: those of `tiers.place`."""
    number = 0
    for at, tier_class in enumerate(tiers.classes):
        for rule in tier_class.rules:
            number += 1
            matched = _matched(tiers, rule, keys, outside, registrable_domain)
            if matched is not None:
                return Placed(at, rule, number, ", ".join(matched) or "any")
    return None


def _matched(
    tiers: Tiers,
    rule: TierRule,
    keys: Sequence[Key],
    outside: Sequence[Key],
    registrable_domain: RegistrableDomain | None,
) -> list[str] | None:
    by = _by_host(tiers, rule, keys, registrable_domain)
    if by is None:
        return None
    for column, words in rule.among:
        fact = keys[column]
        listed = [word for word in words if isinstance(fact, str) and plain_name(word) == plain_name(fact)]
        if not listed:
            return None
        by.append(listed[0])
    for column in rule.has:
        fact = keys[column]
        if fact is ABSENT or fact is None or fact == [] or (isinstance(fact, str) and not fact.strip()):
            return None
    if not all_hold(rule.cells, tiers.columns, keys, outside):
        return None
    if not by:
        by = [tiers.columns[column].name for column in rule.has]
    for at, cell in enumerate(rule.cells):
        if cell.operator != "any":
            asked = tiers.columns[at]
            by.append(asked.name + ": " + cell.text if asked.kind == "boolean" else cell.text)
    return by


def _by_host(
    tiers: Tiers, rule: TierRule, keys: Sequence[Key], registrable_domain: RegistrableDomain | None
) -> list[str] | None:
    """Return the entries that the address of a source matches; None when it matches not all that is asked."""
    if not rule.asks_host:
        return []
    address = read_address(keys[tiers.address]) if tiers.address is not None else None
    if address is None or address.is_number:
        return None
    by: list[str] = []
    if rule.suffix:
        ends = [
            entry for entry in rule.suffix if address.labels[-len(entry.host.split(".")) :] == entry.host.split(".")
        ]
        if not ends:
            return None
        by.append(ends[0].text)
    if rule.asks_domain:
        if registrable_domain is None:
            raise cannot("no-public-suffixes", name=tiers.name)
        entries = list(rule.domain)
        if rule.owner is not None:
            about = keys[rule.owner]
            names = [name for name in (about if isinstance(about, list) else [about]) if isinstance(name, str)]
            for owner in tiers.owners:
                if any(plain_name(name) in owner.names for name in names):
                    entries += owner.domains
        mine = [entry for entry in entries if entry.host == registrable_domain(address.host)]
        if not mine:
            return None
        by.append(mine[0].text)
    if rule.path:
        beginnings = [beginning for beginning in rule.path if address.path.startswith(beginning)]
        if not beginnings:
            return None
        by.append(beginnings[0])
    if any(address.path.startswith(beginning) for beginning in rule.not_path):
        return None
    return by
