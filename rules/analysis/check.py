"""All findings about a rule document, in one list; what is too large to be looked at whole says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rules.analysis.cards import find_card_gaps, find_dead_factor_rows, find_idle_factors, find_unreached_levels
from rules.analysis.dead_rows import find_dead_rows
from rules.analysis.factors import find_idle_inputs, find_unreached_answers
from rules.analysis.gaps import find_failures, find_gaps
from rules.analysis.grid import MOST_OF_ONE_CODE, TooLarge
from rules.analysis.overlaps import find_overlaps
from rules.analysis.properties import check_properties
from rules.analysis.subjects import ScorecardSubject, Subject, TableSubject, impossible_of
from rules.documents import RuleDocument
from rules.facts import Names
from rules.findings import Finding
from rules.reading import found

Question = Callable[[Any, int], Iterator[Finding]]

OF_TABLES: tuple[Question, ...] = (
    find_gaps,
    find_failures,
    find_overlaps,
    find_dead_rows,
    find_idle_inputs,
    find_unreached_answers,
)
OF_SCORECARDS: tuple[Question, ...] = (
    find_card_gaps,
    find_dead_factor_rows,
    find_unreached_levels,
    find_idle_factors,
)
MOST_CELLS_IN_PASSING = 2_000_000
MOST_ROWS_IN_PASSING = 100


def check_rules(document: RuleDocument, names: Names | None = None, *, in_passing: bool = False) -> list[Finding]:
    """Return what the document forgets or contradicts.

    Shapes: `names` are the values of other documents; what is not there holds for every value; `in_passing` leaves out
            what takes long, and says nothing of it.
    """
    told: list[Finding] = []
    for subject in subjects_of(document, names, in_passing=in_passing):
        told.extend(check_subject(subject))
    for table in document.tables.values():
        told.extend(each for _, problems in impossible_of(table, document.thresholds) for each in problems)
    told.extend(check_properties(document, names, in_passing=in_passing))
    return told


def subjects_of(document: RuleDocument, names: Names | None = None, *, in_passing: bool = False) -> Iterator[Subject]:
    """Yield everything in a document that can be analysed; `in_passing`, what can be quickly."""
    for table in document.tables.values():
        if not in_passing or len(table.rows) <= MOST_ROWS_IN_PASSING:
            subject = TableSubject(table, document.thresholds, names)
            if not in_passing or subject.grid.size <= MOST_CELLS_IN_PASSING:
                yield subject
    for card in document.scorecards.values():
        of_card = ScorecardSubject(card, names)
        if not in_passing or of_card.grid.size <= MOST_CELLS_IN_PASSING:
            yield of_card


def check_subject(subject: Subject) -> Iterator[Finding]:
    """Yield what one rule forgets or contradicts."""
    if not subject.grid.exact:
        yield found("not-every-combination", subject.path(), rule=subject.name)
    questions: Sequence[Question] = OF_TABLES if isinstance(subject, TableSubject) else OF_SCORECARDS
    open_questions = 0
    for question in questions:
        try:
            yield from question(subject, MOST_OF_ONE_CODE)
        except TooLarge:
            open_questions += 1
    if open_questions:
        yield found("too-large", subject.path(), rule=subject.name, cells=subject.grid.size, questions=open_questions)
