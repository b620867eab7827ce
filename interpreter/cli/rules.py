"""`rules check | test | explain | why-not | what-if | diff | boundaries | table`: rule documents alone.

Nothing that a document names is started or contacted. Every answer begins with one sentence; `--json` gives the same
as one object.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from interpreter.cli.context import Context, UsageError, pairs
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding, has_errors, in_order
from interpreter.documents import Loaded, Loader, folder_of, located_in, name_below, place_below
from interpreter.reading import Disk
from interpreter.report import diagnostics as findings_report
from interpreter.report import rules as report
from interpreter.report.columns import width_for
from interpreter.report.words import safe
from interpreter.source import Span
from rules.columns import Column, find_number
from rules.documents import Decision, RuleDocument, decide
from rules.facts import Names
from rules.findings import Finding
from rules.records import record
from rules.said import Said, answer_words, facts_words
from rules.values import ABSENT, CannotEvaluate, Value, canonical_text

if TYPE_CHECKING:
    from interpreter.cli.spreadsheet import Read


@record
class Opened:
    """One rule document, as `Loader` read it, and the values of the documents that it reads thresholds of."""

    path: Path
    loaded: Loaded
    document: RuleDocument
    names: Names
    loader: Loader


MOST_ROWS_TOLD = 10
"""Of so many rows that would give an answer it is said why they do not."""


class Refused(Exception):
    """What was asked cannot be answered; carries the findings that say why."""

    def __init__(self, *found: Diagnostic) -> None:
        self.found = list(found)
        super().__init__()


def run(context: Context) -> int:
    """Answer one question about rules; exit 0 nothing to mend, 1 something found, 2 the question cannot be answered."""
    try:
        return _QUESTIONS[context.arguments.question](context)
    except Refused as refused:
        if context.wants_json:
            context.print_json(findings_report.as_json(refused.found, context.language))
        else:
            context.terminal.diagnostics(refused.found)
        return 2


# --- documents --------------------------------------------------------------------------------------------------------


def _load(path: Path) -> tuple[Loader, Loaded]:
    if not path.exists():
        raise Refused(finding("yaml/file-missing", None, name=path))
    folder = folder_of(PurePath(path), "rules")
    loader = Loader(folder, Disk())
    return loader, loader.load(name_below(PurePath(path), folder), "rules")


def _open(path: Path, *, sound: bool = True) -> Opened:
    """Return a rule document. Errors: Refused where it cannot be read, or holds an error and should be `sound`."""
    loader, loaded = _load(path)
    found = list(loader.all_diagnostics(loaded.name))
    errors = [one for one in found if one.severity == "error"]
    if loaded.rules is None or (sound and errors):
        raise Refused(*in_order(errors or found))
    from interpreter.testing.rule_cases import values_read_by

    return Opened(path, loaded, loaded.rules, values_read_by(loaded.rules, loader), loader)


def _rule(context: Context, opened: Opened) -> str:
    """Return the rule that is asked about: the one that is named, or the only one."""
    names = list(opened.document.decidable)
    name = getattr(context.arguments, "rule", None)
    if name is None:
        if len(names) == 1:
            context.arguments.rule = names[0]
            return names[0]
        raise Refused(finding("command/which-rule", None, file=opened.path, names=", ".join(names) or "-"))
    short = name.removeprefix(f"{opened.document.name}.")
    if short not in names:
        hint = did_you_mean(short, names)
        raise Refused(finding("command/no-such-rule", None, hint=hint, file=opened.path, name=name))
    return str(short)


def _analysable(opened: Opened, name: str) -> None:
    document = opened.document
    if name not in document.tables and name not in document.scorecards:
        names = ", ".join([*document.tables, *document.scorecards]) or "-"
        raise Refused(finding("command/not-analysed", None, name=name, names=names))


# --- facts ------------------------------------------------------------------------------------------------------------


def _facts(context: Context, columns: Iterable[Column]) -> dict[str, Value]:
    """Return the given facts, each in the type that the rule declares. Errors: Refused."""
    arguments = context.arguments
    facts: dict[str, Value] = {}
    if arguments.facts is not None:
        facts.update(mapping_of(arguments.facts))
    by_name = {column.name: column for column in columns}
    for name, text in pairs(arguments.fact, "--fact").items():
        facts[name] = typed(text, by_name.get(name))
    found = [problem for name, value in facts.items() for problem in _unfit(name, value, by_name, context)]
    if found:
        raise Refused(*found)
    return facts


def mapping_of(path: Path) -> dict[str, Value]:
    """Return the mapping in a file, read as strictly as documents. Errors: Refused."""
    from interpreter.source import Source
    from interpreter.yaml_tree import Mapping as MappingNode
    from interpreter.yaml_tree import read_tree, to_value

    text = Disk().read(path)
    if isinstance(text, Diagnostic):
        raise Refused(text)
    node, found = read_tree(Source(str(path), text))
    errors = [one for one in found if one.severity == "error"]
    if errors:
        raise Refused(*errors)
    if not isinstance(node, MappingNode):
        raise Refused(finding("command/inputs-not-a-mapping", None, file=path))
    value = to_value(node)
    assert isinstance(value, dict)
    return value


def typed(text: str, column: Column | None) -> Value:
    """Return what a text on the command line means for a column; what does not fit stays text."""
    if column is None or column.kind in ("string", "date", "time", "date-time", "duration"):
        return None if text == "null" and column is not None and column.or_null else text
    if text == "null":
        return None
    if column.kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if column.kind in ("array", "object") or (column.kind == "any" and text[:1] in "[{"):
        from interpreter.source import Source
        from interpreter.yaml_tree import read_tree, to_value

        node, found = read_tree(Source("fact", text))
        return text if node is None or has_errors(found) else to_value(node)
    if column.kind == "any" and text in ("true", "false"):
        return text == "true"
    number = find_number(text)
    return text if number is None else number


def _unfit(name: str, value: Value, columns: Mapping[str, Column], context: Context) -> Iterable[Diagnostic]:
    column = columns.get(name)
    if column is None:
        hint = did_you_mean(name, columns)
        table = getattr(context.arguments, "rule", None) or ""
        yield finding("rule/unknown-fact", None, hint=hint, name=name, table=table)
        return
    try:
        column.take(value)
    except CannotEvaluate as failure:
        near: Words | None = None
        if failure.code == "outside-enum":
            near = did_you_mean(canonical_text(value), map(canonical_text, column.enum))
        yield _found(f"rule/{failure.code}", near, failure.facts)


def _found(code: str, hint: Words | None, facts: Mapping[str, Any], span: Span | None = None) -> Diagnostic:
    return finding(code, span, hint=hint, **facts)


def _decide(opened: Opened, name: str, facts: Mapping[str, Value]) -> Decision | CannotEvaluate:
    try:
        return decide(opened.document, name, facts, opened.names)
    except CannotEvaluate as failure:
        return failure


def _shown_answer(opened: Opened, name: str, answer: Value) -> Value:
    """Return an answer as it is compared and shown: of a scorecard its level and score."""
    if name in opened.document.scorecards and isinstance(answer, dict):
        return {"level": answer["level"], "score": answer["score"]}
    return answer


# --- check ------------------------------------------------------------------------------------------------------------


def check(context: Context) -> int:
    """Say what a rule document forgets or contradicts."""
    from rules.analysis.check import check_rules

    opened = _open(context.arguments.file, sound=False)
    loaded = opened.loaded
    read = list(opened.loader.all_diagnostics(loaded.name))
    analysed: list[Finding] = []
    if not has_errors(read):
        analysed = check_rules(opened.document, opened.names)
    assert loaded.node is not None
    located = [(located_in(loaded.node, one), one) for one in analysed]
    found = in_order([*read, *(diagnostic for diagnostic, _ in located)])
    status = 1 if any(one.severity != "note" for one in found) else 0
    if context.wants_json:
        details = {(*diagnostic.sort_key(), diagnostic.message.en): one for diagnostic, one in located}
        listed = findings_report.as_json(found, context.language)["diagnostics"]
        for shown, diagnostic in zip(listed, found, strict=True):
            one = details.get((*diagnostic.sort_key(), diagnostic.message.en))
            shown.update(_detail(one))
        context.print_json({"rules": opened.document.name, "diagnostics": listed})
        return status
    if has_errors(read):
        _print([_unread_sentence(context, opened.document.name, read)])
    else:
        _print([_check_sentence(context, opened.document.name, len(opened.document.decidable), found)])
        _print(_how_checked(context, opened.document))
    for _, line in findings_report.as_text(found, context.language, width_for(sys.stdout)):
        print(line)
    return status


def _how_checked(context: Context, document: RuleDocument) -> Iterable[str]:
    """Yield what was looked at less closely than tables and scorecards are."""
    if document.tiers:
        names = ", ".join(document.tiers)
        yield context.say(
            f"层级 {names}：每条规则都和它上面的每一条单独比较过；几条规则合起来的作用没有检查。",
            f"Tiers {names}: each rule was compared with each rule above it by itself, not with several together.",
        )
    if document.independence:
        names = ", ".join(document.independence)
        yield context.say(f"来源独立性 {names}：只检查了写法。", f"Independence {names}: only read, not analysed.")
    if document.gates:
        names = ", ".join(document.gates)
        yield context.say(
            f"门禁 {names}：只检查了写法；它们读流程里的名称，随流程一起检查。",
            f"Gates {names}: only read; they read names of a workflow, and lint of that workflow checks them.",
        )


def _detail(one: Finding | None) -> dict[str, Any]:
    if one is None:
        return {}
    return {key: one.facts[key] for key in ("rule", "table", "example", "region", "row") if key in one.facts}


def _unread_sentence(context: Context, name: str, read: list[Diagnostic]) -> str:
    errors = sum(one.severity == "error" for one in read)
    places = report.counted(errors, "{} 处", "error", "errors", context.language)
    return context.say(
        f"{name}：先改正下面 {places}，才能检查有没有遗漏和矛盾。",
        f"{name}: mend the {places} below first; only then can it be checked for holes and clashes.",
    )


def _check_sentence(context: Context, name: str, rules: int, found: list[Diagnostic]) -> str:
    if not rules and not found:
        return context.say(
            f"{name}：没有决策表、评分卡和层级；写法没有问题。",
            f"{name}: no tables, scorecards or tiers in it; it is written as it should be.",
        )
    checked = report.counted(rules, "{} 个规则", "rule", "rules", context.language)
    if not found:
        return context.say(
            f"{name}：检查了 {checked}，没有遗漏，也没有矛盾。",
            f"{name}: {checked} checked, nothing is forgotten or contradicted.",
        )
    kinds = {
        "gap": ("{} 处没有回答", "hole", "holes"),
        "factor-gap": ("{} 处没有给分", "hole in a factor", "holes in factors"),
        "rows-clash": ("{} 处矛盾", "clash", "clashes"),
        "rows-agree": ("{} 处重叠", "overlap", "overlaps"),
        "row-never-answers": ("{} 行永远用不到", "row that never answers", "rows that never answer"),
        "tier-rule-never-answers": (
            "{} 条层级规则永远用不到",
            "rule of tiers that never answers",
            "rules of tiers that never answer",
        ),
        "property-broken": ("{} 条性质不成立", "broken property", "broken properties"),
    }
    codes = [one.code.removeprefix("rule/") for one in found]
    parts = [
        report.counted(codes.count(code), *words, context.language) for code, words in kinds.items() if code in codes
    ]
    notes = sum(one.severity == "note" for one in found)
    others = sum(code not in kinds for code in codes) - notes
    if others:
        parts.append(report.counted(others, "另外 {} 处", "other finding", "other findings", context.language))
    if notes:
        parts.append(report.counted(notes, "{} 条说明", "note", "notes", context.language))
    return context.say(
        f"{name}：检查了 {checked}，{'，'.join(parts)}。", f"{name}: {checked} checked; {', '.join(parts)}."
    )


# --- test -------------------------------------------------------------------------------------------------------------


def test(context: Context) -> int:
    """Run the cases of a rule document, and say which one-step changes of its limits no case would notice."""
    from interpreter.report.rule_cases import result_json, result_lines
    from interpreter.testing.rule_cases import read_rule_suite, run_cases

    opened = _open(context.arguments.file)
    place = context.arguments.tests or opened.loader.folder / place_below("tests", opened.document.name)
    if not Path(place).exists():
        command = f"interpreter rules boundaries {opened.path}"
        raise Refused(finding("command/no-rule-cases", None, place=place, name=opened.document.name, command=command))
    folder = folder_of(PurePath(place), "tests")
    loader = opened.loader if folder == opened.loader.folder else Loader(folder, Disk())
    suite, problems = read_rule_suite(PurePath(place), loader)
    if suite is None or problems:
        raise Refused(*problems)
    if suite.rules != opened.document.name:
        raise Refused(finding("command/cases-of-another", None, file=place, name=opened.document.name))
    result = run_cases(opened.document, opened.names, suite.cases)
    status = 1 if result.failed else 0
    if context.wants_json:
        context.print_json(result_json(result, context.language))
        return status
    _print(result_lines(result, context.language))
    return status


# --- explain, why-not, what-if ----------------------------------------------------------------------------------------


def explain(context: Context) -> int:
    """Say what a rule answers on facts, and why; the cells that decide are marked."""
    from rules.explanations import asked_rows
    from rules.explanations import explain as explanation_of

    opened = _open(context.arguments.file)
    name = _rule(context, opened)
    facts = _facts(context, opened.document.decidable[name].columns)
    decision = _decide(opened, name, facts)
    if isinstance(decision, CannotEvaluate):
        return _could_not(context, opened, name, facts, decision)
    explanation = explanation_of(opened.document, decision)
    columns = opened.document.decidable[name].columns
    if context.wants_json:
        context.print_json({"facts": facts, "not_given": _not_given(columns, facts), **explanation.plain})
        return 0
    lines = [report.said(line, context.language) for line in explanation.lines]
    _print([*_not_given_lines(context, columns, facts), *lines[:1]])
    table = opened.document.tables.get(name)
    if table is not None:
        asked = asked_rows(table, facts, opened.names)
        print()
        for line in report.table_lines(table, context.language, width_for(sys.stdout), asked, decision.rows):
            print(line)
    if lines[1:]:
        print()
        _print(lines[1:])
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
    _print(_not_given_lines(context, columns, facts))
    _print([context.say(f"{name} 无法求值：{text}", f"{name} could not be evaluated: {text}")])
    return 1


def why_not(context: Context) -> int:
    """Say why a rule does not give an answer on facts, and the smallest change after which it would."""
    opened = _open(context.arguments.file)
    wanted = context.arguments.wanted
    name, equals, answer = wanted.partition("=")
    if not equals:
        raise UsageError(f"{wanted!r}: RULE=ANSWER")
    context.arguments.rule = name
    name = _rule(context, opened)
    _analysable(opened, name)
    from rules.analysis.differences import subject_of

    subject = subject_of(opened.document, name, opened.names)
    known = list(dict.fromkeys(text for value in _possible_answers(subject) for text in _answer_texts(value)))
    if answer not in known:
        rule = f"{opened.document.name}.{name}"
        raise Refused(finding("command/no-such-answer", None, hint=did_you_mean(answer, known), name=answer, rule=rule))
    columns = opened.document.decidable[name].columns
    facts = _facts(context, columns)
    flip = _smallest(subject, facts, lambda outcome: answer in _answer_texts(outcome.value))
    decision = _decide(opened, name, facts)
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
    _print(lines)
    return 0


def _shown(opened: Opened, name: str, decision: Decision) -> Value:
    return _shown_answer(opened, name, decision.answer)


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
        decision = _decide(opened, name, facts)
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
    return answer_words(_shown(opened, name, decision))


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
    opened = _open(context.arguments.file)
    name = _rule(context, opened)
    columns = opened.document.decidable[name].columns
    facts = _facts(context, columns)
    before = _decide(opened, name, facts)
    if not context.arguments.change:
        return _flip_any(context, opened, name, facts, before)
    by_name = {column.name: column for column in columns}
    changed = {key: typed(text, by_name.get(key)) for key, text in pairs(context.arguments.change, "--change").items()}
    problems = [problem for key, value in changed.items() for problem in _unfit(key, value, by_name, context)]
    if problems:
        raise Refused(*problems)
    after = _decide(opened, name, {**facts, **changed})
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
    _print(_not_given_lines(context, columns, {**facts, **changed}))
    said = facts_words([by_name[key] for key in changed], changed)
    is_same = first == second
    _print(
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
    _analysable(opened, name)
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
    _print(_not_given_lines(context, opened.document.decidable[name].columns, facts))
    first_zh, first_en = safe(now.zh), safe(now.en)
    if flip is None or flip == _TOO_LARGE:
        missing = _no_change(context, flip)
        _print([context.say(f"{first_zh}；要让它改变：{missing}。", f"{first_en}; to flip it, {missing}.")])
        return 0
    changes, then = listed([change_words(one) for one in flip.changes]), outcome_words(flip.outcome)
    zh = f"{first_zh}；最小的改动是{safe(changes.zh)}，那时回答变为 {safe(then.zh)}。"
    en = f"{first_en}; the smallest change is {safe(changes.en)}, which makes it {safe(then.en)}."
    _print([context.say(zh, en)])
    return 0


# --- diff -------------------------------------------------------------------------------------------------------------


def diff(context: Context) -> int:
    """Say where two versions of a rule document answer differently; exit 1 where they do."""
    from interpreter.cli.rule_diff import compare, recorded_facts

    old, new = _open(context.arguments.old), _open(context.arguments.new)
    recorded = recorded_facts(context, new.document.name, context.arguments.decisions)
    result = compare(old.document, new.document, new.names, recorded)
    if context.wants_json:
        context.print_json(result.plain(context.language))
    else:
        _print(result.lines(context.language))
    return 1 if result.differs else 0


# --- boundaries -------------------------------------------------------------------------------------------------------


def boundaries(context: Context) -> int:
    """Print test cases for every boundary, as a tests document."""
    from interpreter.cli.rule_cases import boundary_document

    opened = _open(context.arguments.file)
    wanted = None if context.arguments.rule is None else _rule(context, opened)
    if wanted is not None:
        _analysable(opened, wanted)
    document = boundary_document(opened.document, opened.names, wanted, context.language)
    if context.wants_json:
        context.print_json(document.plain)
    else:
        print(document.text, end="")
    return 0


# --- table ------------------------------------------------------------------------------------------------------------


def table(context: Context) -> int:
    """Show a decision table, write it as CSV, or read it back."""
    arguments = context.arguments
    opened = _open(arguments.file)
    names = list(opened.document.tables)
    if arguments.rule is None and len(names) == 1:
        arguments.rule = names[0]
    name = _rule(context, opened)
    if name not in opened.document.tables:
        raise Refused(finding("command/not-a-table", None, name=name, names=", ".join(names) or "-"))
    if arguments.csv is not None:
        return _write_csv(context, opened, name)
    if arguments.from_csv is not None:
        return _read_csv(context, opened, name)
    if context.wants_json:
        context.print_json({"table": name, **opened.document.body["tables"][name]})
        return 0
    shown = opened.document.tables[name]
    rows = report.counted(len(shown.rows), "{} 行", "row", "rows", context.language)
    _print([context.say(f"{name}：{rows}，hit: {shown.hit}", f"{name}: {rows}, hit: {shown.hit}")])
    print()
    for line in report.table_lines(shown, context.language, width_for(sys.stdout)):
        print(line)
    return 0


def _write_csv(context: Context, opened: Opened, name: str) -> int:
    from interpreter.cli.spreadsheet import csv_bytes, table_as_csv

    out: Path = context.arguments.csv
    if out.exists():
        raise Refused(finding("command/file-exists", None, file=out))
    body = opened.document.body["tables"][name]
    out.write_bytes(csv_bytes(table_as_csv(body)))
    rows = len(body["rows"])
    if context.wants_json:
        context.print_json({"table": name, "file": str(out), "rows": rows})
        return 0
    counted = report.counted(rows, "{} 行", "row", "rows", context.language)
    _print([context.say(f"已把 {name} 的 {counted}写入 {out}", f"Wrote {counted} of {name} to {out}")])
    return 0


def _read_csv(context: Context, opened: Opened, name: str) -> int:
    """Print the rows that a CSV file holds as YAML; what is wrong with them goes to standard error."""
    from interpreter.cli.spreadsheet import decoded, rows_as_yaml, table_from_csv
    from rules.documents import load_rules

    path: Path = context.arguments.from_csv
    if not path.exists():
        raise Refused(finding("yaml/file-missing", None, name=path))
    text = decoded(path.read_bytes())
    if text is None:
        raise Refused(finding("command/csv-encoding", None, file=path))
    body = dict(opened.document.body["tables"][name])
    read = table_from_csv(text, body, str(path))
    found = list(read.found)
    if not has_errors(found):
        body["rows"] = read.rows
        if read.otherwise is not None:
            body["otherwise"] = read.otherwise
        tables = {**opened.document.body["tables"], name: body}
        _, problems = load_rules(
            {**opened.document.body, "tables": tables}, opened.document.name, opened.document.registrable_domain
        )
        found += [_found_in_csv(one, read, name) for one in problems]
        found = in_order(found)
    if context.wants_json:
        listed = findings_report.as_json(found, context.language)["diagnostics"]
        context.print_json({"table": name, "rows": read.rows, "otherwise": read.otherwise, "diagnostics": listed})
    else:
        context.terminal.diagnostics(found)
        if not has_errors(found):
            print(rows_as_yaml(read), end="")
    return 1 if any(one.severity != "note" for one in found) else 0


def _found_in_csv(one: Finding, read: Read, name: str) -> Diagnostic:
    """Return a finding about the table with its place in the file; the columns are those of the document."""
    path = one.path[2:] if one.path[:2] == ("tables", name) else ()
    return _found(one.code, None, one.facts, read.place_of(path))


# --- printing ---------------------------------------------------------------------------------------------------------


def _print(lines: Iterable[str]) -> None:
    for line in report.sentence_lines(lines, width_for(sys.stdout)):
        print(line)


_QUESTIONS: dict[str, Callable[[Context], int]] = {
    "check": check,
    "test": test,
    "explain": explain,
    "why-not": why_not,
    "what-if": what_if,
    "diff": diff,
    "boundaries": boundaries,
    "table": table,
}
