"""What a scorecard forgets: facts that a factor has no row for, rows and levels out of reach, idle factors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rules.analysis.gaps import more_of, place_facts
from rules.analysis.grid import MOST_OF_ONE_CODE, Box, common, without
from rules.analysis.subjects import ScorecardSubject
from rules.analysis.wording import cells_of, example_in, example_words, facts_of, flow, region_of
from rules.findings import Finding
from rules.reading import found
from rules.said import Said, both, listed, of_text


def find_card_gaps(subject: ScorecardSubject, most: int = MOST_OF_ONE_CODE) -> Iterator[Finding]:
    """Yield a finding for each region in which some factor has no row. Errors: TooLarge."""
    for place, factor in enumerate(subject.card.factors):
        rows, present = subject.factor_rows[place], subject.present[place]
        bits = sum(1 << bit for bit in rows)
        narrow = subject.grid.projected(bits | 1 << present)
        boxes = [box for box, _ in narrow.boxes(_is_hole(bits, present))]
        name = of_text(factor.title, factor.name)
        for box in boxes[:most]:
            row = {"when": cells_of(region_of(narrow, box)), "gives": 0}
            yield found(
                "factor-gap",
                subject.path("factors", factor.name, "rows"),
                rule=subject.name,
                factor=factor.name,
                row="- " + flow(row),
                **name.facts("title"),
                **place_facts(narrow, box),
            )
        yield from more_of("factor-gap", subject, len(boxes) - most)


def _is_hole(bits: int, present: int) -> Callable[[int], bool | None]:
    def label(mask: int) -> bool | None:
        return True if mask >> present & 1 and not mask & bits else None

    return label


def find_dead_factor_rows(subject: ScorecardSubject, most: int = MOST_OF_ONE_CODE) -> Iterator[Finding]:
    """Yield rows of factors that no facts reach. Errors: TooLarge."""
    for rows in subject.factor_rows:
        boxes = [subject.grid.box_of(bit) for bit in rows]
        for place, box in enumerate(boxes):
            asked = subject.asked[rows[place]]
            if not all(box):
                yield found(
                    "row-without-facts", asked.path, table=subject.name, row=place + 1, **asked.label.facts("label")
                )
                continue
            taking = [each for each in boxes[:place] if common(each, box)]
            left = [box]
            for each in taking:
                left = without(left, each)
            if taking and not left:
                yield _dead(subject, rows, place, box, boxes)


def _dead(subject: ScorecardSubject, rows: range, place: int, box: Box, boxes: list[Box]) -> Finding:
    asked = subject.asked[rows[place]]
    first = next(number for number, each in enumerate(boxes) if common(each, box))
    shared = common(boxes[first], box)
    assert shared is not None
    example = facts_of(example_in(subject.grid, shared))
    taking = [both(str(number + 1)) for number, each in enumerate(boxes[:place]) if common(each, box)]
    numbers = listed(taking)
    return found(
        "row-never-answers",
        asked.path,
        table=subject.name,
        row=place + 1,
        winner=first + 1,
        example=example,
        **asked.label.facts("label"),
        **example_words(subject.grid, box, example).facts("example"),
        **Said(f"第 {numbers.zh} 行", f"{'rows' if len(taking) > 1 else 'row'} {numbers.en}").facts("rows"),
    )


def find_unreached_levels(subject: ScorecardSubject, most: int = MOST_OF_ONE_CODE) -> Iterator[Finding]:
    """Yield levels that no facts lead to, with the score that comes nearest. Errors: TooLarge."""
    answers = [outcome for outcome in subject.outcomes() if outcome.kind == "answer"]
    scores = [outcome.score for outcome in answers]
    for place, level in enumerate(subject.card.levels):
        if answers and not any(outcome.value == level.name for outcome in answers):
            yield found(
                "level-never-given",
                subject.path("levels", place),
                rule=subject.name,
                level=level.name,
                edge=level.edge,
                most=max(scores),
                least=min(scores),
            )


def find_idle_factors(subject: ScorecardSubject, most: int = MOST_OF_ONE_CODE) -> Iterator[Finding]:
    """Yield factors and vetoes that can never change the level. Errors: TooLarge."""
    matter = [False] * len(subject.card.factors)
    veto_matters = [False] * len(subject.card.vetoes)
    places = {level.name: place for place, level in enumerate(subject.card.levels)}
    for mask, _, outcome in subject.cells():
        if outcome.kind != "answer":
            continue
        numbers = list(outcome.rows)
        level = places[outcome.value]
        for place, factor in enumerate(subject.card.factors):
            if not matter[place]:
                others = range(0 if factor.missing is not None else 1, len(factor.rows) + 1)
                matter[place] = any(
                    subject.level_of([*numbers[:place], other, *numbers[place + 1 :]], mask)[0] != level
                    for other in others
                )
        for place, bit in enumerate(subject.vetoes):
            if not veto_matters[place] and mask >> bit & 1:
                veto_matters[place] = subject.level_of(numbers, mask & ~(1 << bit))[0] != level
        if all(matter) and all(veto_matters):
            return
    for place, factor in enumerate(subject.card.factors):
        if not matter[place]:
            path = subject.path("factors", factor.name)
            name = of_text(factor.title, factor.name)
            yield found("factor-never-matters", path, rule=subject.name, weight=factor.weight, **name.facts("title"))
    for place, veto in enumerate(subject.card.vetoes):
        if not veto_matters[place]:
            yield found("veto-never-matters", subject.path("vetoes", place), rule=subject.name, id=veto.id)
