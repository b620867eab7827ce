"""All findings about a rule document, in one list; what is too large to be looked at whole says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from rules.analysis.cards import find_card_gaps, find_dead_factor_rows, find_idle_factors, find_unreached_levels
from rules.analysis.dead_rows import find_dead_rows
from rules.analysis.factors import find_idle_inputs, find_unreached_answers
from rules.analysis.gaps import find_failures, find_gaps
from rules.analysis.grid import MOST_OF_ONE_CODE, MOST_WORK, TooLarge, Work
from rules.analysis.overlaps import HITS_WITHOUT_OVERLAPS, find_overlaps
from rules.analysis.properties import check_properties
from rules.analysis.subjects import Outcomes, ScorecardSubject, Subject, TableSubject, impossible_of
from rules.analysis.tiers import find_dead_tier_rules
from rules.documents import RuleDocument
from rules.facts import Names
from rules.findings import Finding
from rules.reading import found
from rules.said import Said, listed

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
MOST_WORK_IN_PASSING = 1_500_000


def check_rules(document: RuleDocument, names: Names | None = None, *, in_passing: bool = False) -> list[Finding]:
    """Return what the document forgets or contradicts.

    Shapes: `names` are the values of other documents; what is not there holds for every value; `in_passing` takes less
            work, and says of which rules something was left out.
    """
    told: list[Finding] = []
    work = Work(MOST_WORK_IN_PASSING if in_passing else MOST_WORK)
    looked_at: dict[str, Outcomes] = {}
    for name in (*document.tables, *document.scorecards):
        found_here, left_open = _check_rule(document, name, names, work, looked_at)
        told.extend(found_here)
        if left_open is not None:
            told.append(_in_passing(left_open) if in_passing else left_open)
    for tiers in document.tiers.values():
        told.extend(find_dead_tier_rules(tiers))
    for table in document.tables.values():
        told.extend(each for _, problems in impossible_of(table, document.thresholds) for each in problems)
    told.extend(check_properties(document, names, in_passing=in_passing, work=work, looked_at=looked_at))
    return told


def check_errors(document: RuleDocument, names: Names | None = None) -> list[Finding]:
    """Return what makes the document wrong, and nothing that it merely forgets: much less work than `check_rules`.

    Shapes: as `check_rules` in passing; where a question is too large it is left open, and nothing is said of that.
    """
    told: list[Finding] = []
    work = Work(MOST_WORK_IN_PASSING)
    for table in document.tables.values():
        if table.hit in HITS_WITHOUT_OVERLAPS:
            with suppress(TooLarge):
                told.extend(find_overlaps(TableSubject(table, document.thresholds, names, work=work)))
        told.extend(each for _, problems in impossible_of(table, document.thresholds) for each in problems)
    told.extend(check_properties(document, names, in_passing=True, work=work))
    return told


def _check_rule(
    document: RuleDocument, name: str, names: Names | None, work: Work, looked_at: dict[str, Outcomes]
) -> tuple[list[Finding], Finding | None]:
    """Return what one rule forgets or contradicts, and what says that something was left open, None where nothing.

    Shapes: what the rule answers is noted in `looked_at`.
    """
    try:
        subject: Subject = (
            TableSubject(document.tables[name], document.thresholds, names, work=work)
            if name in document.tables
            else ScorecardSubject(document.scorecards[name], names, work=work)
        )
    except TooLarge:
        section = "tables" if name in document.tables else "scorecards"
        return [], found("not-looked-at", (section, name), rule=name)
    looked_at[name] = subject.known_outcomes
    told = list(check_subject(subject))
    if told and told[-1].code == "rule/too-large":
        return told[:-1], told[-1]
    return told, None


def _in_passing(left_open: Finding) -> Finding:
    return found("looked-at-in-passing", left_open.path, rule=left_open.facts["rule"])


def check_subject(subject: Subject) -> Iterator[Finding]:
    """Yield what one rule forgets or contradicts."""
    if not subject.grid.exact:
        yield found("not-every-combination", subject.path(), rule=subject.name)
    questions: Sequence[Question] = OF_TABLES if isinstance(subject, TableSubject) else OF_SCORECARDS
    left_open: list[Said] = []
    for question in questions:
        try:
            yield from question(subject, MOST_OF_ONE_CODE)
        except TooLarge:
            left_open.append(_QUESTION_WORDS[question])
    if left_open:
        words = listed(left_open)
        yield found("too-large", subject.path(), rule=subject.name, **words.facts("questions"))


_QUESTION_WORDS: dict[Question, Said] = {
    find_gaps: Said("哪里没有回答", "where it has no answer"),
    find_failures: Said("哪里无法比较", "where nothing can be compared"),
    find_overlaps: Said("哪些行冲突", "which rows clash"),
    find_dead_rows: Said("哪些行用不到", "which rows never answer"),
    find_idle_inputs: Said("哪些输入不起作用", "which inputs never matter"),
    find_unreached_answers: Said("哪些结果得不到", "which answers are never given"),
    find_card_gaps: Said("哪里没有给分", "where a factor gives no points"),
    find_dead_factor_rows: Said("哪些行用不到", "which rows never answer"),
    find_unreached_levels: Said("哪些等级得不到", "which levels are never given"),
    find_idle_factors: Said("哪些因素不起作用", "which factors never matter"),
}
