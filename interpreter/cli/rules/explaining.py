"""`rules explain | why-not | what-if`: one decision, why it is not another, and what would change it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from interpreter.cli.context import Context, Refused, UsageError
from interpreter.cli.given import pairs
from interpreter.cli.rules.opened import (
    Opened,
    asked_rule,
    check_analysable,
    decided,
    given_facts,
    open_rules,
    print_lines,
    shown_answer,
    typed_facts,
)
from interpreter.diagnostics import did_you_mean, finding
from interpreter.report import rules as report
from interpreter.report.columns import width_for
from interpreter.report.words import safe
from rules.columns import Column
from rules.documents import Decision
from rules.said import Said, answer_words, facts_words
from rules.tables import Output
from rules.values import ABSENT, CannotEvaluate, Value, canonical_text

MOST_ROWS_TOLD = 10
"""Of so many rows that would give an answer it is said why they do not."""


def explain(context: Context) -> int:
    """Say what a rule answers on facts, and why; the cells that decide are marked."""
    from rules.explanations import asked_rows
    from rules.explanations import explain as explanation_of

    opened = open_rules(context.arguments.file)
    name = asked_rule(context, opened)
    facts = given_facts(context, opened.document.decidable[name].columns)
    decision = decided(opened, name, facts)
    if isinstance(decision, CannotEvaluate):
        return _could_not(context, opened, name, facts, decision)
    explanation = explanation_of(opened.document, decision)
    columns = opened.document.decidable[name].columns
    if context.wants_json:
        context.print_json({"facts": facts, "not_given": _not_given(columns, facts), **explanation.plain})
        return 0
    lines = [report.said(line, context.language) for line in explanation.lines]
    print_lines([*_not_given_lines(context, columns, facts), *lines[:1]])
    table = opened.document.tables.get(name)
    if table is not None:
        asked = asked_rows(table, facts, opened.names)
        print()
        for line in report.table_lines(table, context.language, width_for(sys.stdout), asked, decision.rows):
            print(line)
    if lines[1:]:
        print()
        print_lines(lines[1:])
    return 0


def _not_given(columns: Iterable[Column], facts: Mapping[str, Value]) -> list[str]:
    return [column.name for column in columns if column.name not in facts]


def _not_given_lines(context: Context, columns: Iterable[Column], facts: Mapping[str, Value]) -> list[str]:
    """Return the sentence that says which facts count as absent; none where all were given."""
    names = ", ".join(_not_given(columns, facts))
    if not names:
        return []
    return [context.say(f"没有给出、按缺失处理的事实：{names}。", f"Not given, and taken as absent: {names}.")]


def _could_not(context: Context, opened: Opened, name: str, facts: Mapping[str, Value], failure: CannotEvaluate) -> int:
    words = report.failure_words(failure)
    columns = opened.document.decidable[name].columns
    if context.wants_json:
        rule = f"{opened.document.name}.{name}"
        given = {"facts": facts, "not_given": _not_given(columns, facts)}
        context.print_json({"rule": rule, **given, "answered": False, "failure": failure.code})
        return 1
    text = safe(words[context.language])
    print_lines(_not_given_lines(context, columns, facts))
    print_lines([context.say(f"{name} 无法求值：{text}", f"{name} could not be evaluated: {text}")])
    return 1


def why_not(context: Context) -> int:
    """Say why a rule does not give an answer on facts, and the smallest change after which it would."""
    opened = open_rules(context.arguments.file)
    wanted = context.arguments.wanted
    name, equals, answer = wanted.partition("=")
    if not equals:
        from interpreter.cli.wrong_pairs import of_wanted

        raise UsageError(of_wanted(wanted))
    context.arguments.rule = name
    name = asked_rule(context, opened)
    check_analysable(opened, name)
    from rules.analysis.differences import subject_of

    subject = subject_of(opened.document, name, opened.names)
    known = list(dict.fromkeys(text for value in _possible_answers(subject) for text in _answer_texts(value)))
    if answer not in known:
        rule = f"{opened.document.name}.{name}"
        raise Refused(finding("command/no-such-answer", None, hint=did_you_mean(answer, known), name=answer, rule=rule))
    columns = opened.document.decidable[name].columns
    facts = given_facts(context, columns)
    flip = _smallest(subject, facts, lambda outcome: answer in _answer_texts(outcome.value))
    decision = decided(opened, name, facts)
    now = _now_said(opened, name, decision)
    lines = [*_not_given_lines(context, columns, facts), _flip_sentence(context, flip, now, answer)]
    if not _is_already(flip):
        lines += [report.said(line, context.language) for line in _misses(opened, name, facts, answer)]
    if context.wants_json:
        context.print_json(
            {
                "rule": f"{opened.document.name}.{name}",
                "facts": facts,
                "not_given": _not_given(columns, facts),
                **_plain_decision(opened, name, decision),
                "wanted": answer,
                **_flip_plain(flip),
                "lines": lines,
            }
        )
        return 0
    print_lines(lines)
    return 0


def _shown(opened: Opened, name: str, decision: Decision) -> Value:
    return shown_answer(opened, name, decision.answer)


def _possible_answers(subject: Any) -> list[Value]:
    """Return every answer that facts lead to; where these are too many to go through, every answer that is written."""
    from rules.analysis.grid import TooLarge

    try:
        return [outcome.value for outcome in subject.outcomes() if outcome.kind == "answer"]
    except TooLarge:
        if subject.section == "scorecards":
            return [level.name for level in subject.card.levels]
        rows = [row.answer for row in subject.table.rows if row.answer is not None]
        return [*rows, *([] if subject.table.otherwise is ABSENT else [subject.table.otherwise])]


def _answer_texts(answer: Value) -> list[str]:
    """Return every value in an answer as text."""
    if isinstance(answer, list):
        return [text for each in answer for text in _answer_texts(each)]
    if isinstance(answer, dict):
        return [text for each in answer.values() for text in _answer_texts(each)]
    return [] if answer is ABSENT or answer is None else [canonical_text(answer)]


_TOO_LARGE = "too large"


def _smallest(subject: Any, facts: Mapping[str, Value], wanted: Callable[[Any], bool]) -> Any:
    """Return the smallest change, None where none leads there, _TOO_LARGE where only single changes were tried."""
    from rules.analysis.changes import smallest_change
    from rules.analysis.grid import TooLarge

    try:
        return smallest_change(subject, facts, lambda outcome: outcome.kind == "answer" and wanted(outcome))
    except TooLarge:
        return _TOO_LARGE


def _no_change(context: Context, flip: Any) -> str:
    """Return what is said in place of a change that was not found."""
    if flip == _TOO_LARGE:
        return context.say(
            "改一个事实不够；两个以上的改动组合太多，没有逐一试过",
            "no change of one fact is enough, and changes of several are too many to be tried",
        )
    return context.say("没有改动能做到", "no change leads there")


def _flip_sentence(context: Context, flip: Any, now: Said, answer: str) -> str:
    from rules.analysis.changes import flip_words

    if flip is None or flip == _TOO_LARGE:
        missing = _no_change(context, flip)
        return context.say(
            f"{safe(now.zh)}；要得到 {safe(answer)}：{missing}。", f"{safe(now.en)}; for {safe(answer)}, {missing}."
        )
    words = flip_words(flip, Said(answer, answer))
    if not flip.changes:
        sentence = report.said(words, context.language)
        return f"{sentence[:1].upper()}{sentence[1:]}{context.say('。', '.')}"
    return context.say(f"{safe(now.zh)}；{safe(words.zh)}。", f"{safe(now.en)}; {safe(words.en)}.")


def _is_already(flip: Any) -> bool:
    """Tell whether the answer is the wanted one without any change."""
    return flip is not None and flip != _TOO_LARGE and not flip.changes


def _flip_plain(flip: Any) -> dict[str, Any]:
    if flip is None or flip == _TOO_LARGE:
        return {"changes": None, "then": None, "looked_at_all": flip is None}
    changes = [
        {"name": one.column.name, "before": report.plain(one.before), "after": report.plain(one.after)}
        for one in flip.changes
    ]
    return {"changes": changes, "then": report.plain(flip.outcome.value)}


def _misses(opened: Opened, name: str, facts: Mapping[str, Value], answer: str) -> list[Said]:
    """Return what keeps the rows that would give an answer, or the level, from giving it."""
    from rules.explanations import asked_rows, explain, missed_words
    from rules.said import joined

    table = opened.document.tables.get(name)
    if table is None:
        decision = decided(opened, name, facts)
        return [] if isinstance(decision, CannotEvaluate) else list(explain(opened.document, decision).lines)
    found = []
    for row in asked_rows(table, facts, opened.names):
        if answer in _answer_texts(row.answer):
            if row.failed:
                missed = joined([missed_words(cell) for cell in row.failed], "；", "; ")
                said = Said(f"{row.label.zh}不成立：{missed.zh}", f"{row.label.en} does not hold: {missed.en}")
            else:
                said = Said(f"{row.label.zh}成立，但上面的行先回答", f"{row.label.en} holds, but another row answers")
            found.append(said)
    more = len(found) - MOST_ROWS_TOLD
    return (
        found if more <= 0 else [*found[:MOST_ROWS_TOLD], Said(f"还有 {more} 行也不成立", f"{more} more do not hold")]
    )


def _answer_said(opened: Opened, name: str, decision: Decision | CannotEvaluate) -> Said:
    if isinstance(decision, CannotEvaluate):
        words = report.failure_words(decision)
        return Said(words.zh, words.en)
    return answer_words(_shown(opened, name, decision), _outputs(opened, name))


def _outputs(opened: Opened, name: str) -> Iterable[Output]:
    table = opened.document.tables.get(name)
    return table.outputs if table is not None else ()


def _now_said(opened: Opened, name: str, decision: Decision | CannotEvaluate) -> Said:
    """Return what a rule answers now, as the beginning of a sentence."""
    said = _answer_said(opened, name, decision)
    if isinstance(decision, CannotEvaluate):
        return Said(f"现在无法求值（{said.zh}）", f"It could not be evaluated now ({said.en})")
    if decision.answer is ABSENT:
        return Said("现在没有回答", "There is no answer now")
    return Said(f"回答是 {said.zh}", f"The answer is {said.en}")


def what_if(context: Context) -> int:
    """Say what a rule would answer with some facts changed; without a change, the smallest one that flips it."""
    opened = open_rules(context.arguments.file)
    name = asked_rule(context, opened)
    columns = opened.document.decidable[name].columns
    facts = given_facts(context, columns)
    before = decided(opened, name, facts)
    if not context.arguments.change:
        return _flip_any(context, opened, name, facts, before)
    changed = typed_facts(context, columns, pairs(context.arguments.change, "--change"), {})
    after = decided(opened, name, {**facts, **changed})
    first, second = _answer_said(opened, name, before), _answer_said(opened, name, after)
    if context.wants_json:
        context.print_json(
            {
                "rule": f"{opened.document.name}.{name}",
                "facts": facts,
                "changed": changed,
                "before": _plain_decision(opened, name, before),
                "after": _plain_decision(opened, name, after),
            }
        )
        return 0
    print_lines(_not_given_lines(context, columns, {**facts, **changed}))
    said = facts_words([column for column in columns if column.name in changed], changed)
    is_same = first == second
    print_lines(
        [
            context.say(
                f"若 {safe(said.zh)}，回答{'仍是' if is_same else '变为'} {safe(second.zh)}"
                + ("。" if is_same else f"（现在是 {safe(first.zh)}）。"),
                f"With {safe(said.en)} the answer {'stays' if is_same else 'becomes'} {safe(second.en)}"
                + ("." if is_same else f" (now {safe(first.en)})."),
            )
        ]
    )
    return 0


def _plain_decision(opened: Opened, name: str, decision: Decision | CannotEvaluate) -> dict[str, Any]:
    if isinstance(decision, CannotEvaluate):
        return {"failure": decision.code}
    return {"answer": report.plain(_shown(opened, name, decision))}


def _flip_any(
    context: Context, opened: Opened, name: str, facts: Mapping[str, Value], before: Decision | CannotEvaluate
) -> int:
    check_analysable(opened, name)
    from rules.analysis.changes import change_words
    from rules.analysis.differences import outcome_words, subject_of
    from rules.said import listed

    subject = subject_of(opened.document, name, opened.names)
    keys = [column.take(facts.get(column.name, ABSENT)) for column in subject.grid.columns]
    label = subject.outcome(subject.grid.mask_of_keys(keys)).label
    flip = _smallest(subject, facts, lambda outcome: outcome.label != label)
    now = _now_said(opened, name, before)
    if context.wants_json:
        context.print_json({"rule": f"{opened.document.name}.{name}", "facts": dict(facts), **_flip_plain(flip)})
        return 0
    print_lines(_not_given_lines(context, opened.document.decidable[name].columns, facts))
    first_zh, first_en = safe(now.zh), safe(now.en)
    if flip is None or flip == _TOO_LARGE:
        missing = _no_change(context, flip)
        print_lines([context.say(f"{first_zh}；要让它改变：{missing}。", f"{first_en}; to flip it, {missing}.")])
        return 0
    changes, then = (
        listed([change_words(one) for one in flip.changes]),
        outcome_words(flip.outcome, _outputs(opened, name)),
    )
    zh = f"{first_zh}；最小的改动是{safe(changes.zh)}，那时回答变为 {safe(then.zh)}。"
    en = f"{first_en}; the smallest change is {safe(changes.en)}, which makes it {safe(then.en)}."
    print_lines([context.say(zh, en)])
    return 0
