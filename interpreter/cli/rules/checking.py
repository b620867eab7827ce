"""`rules check | test`: what is wrong with a rule document, and whether its cases hold."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

from interpreter.cli.context import Context, Refused
from interpreter.cli.rules.opened import (
    open_rules,
    print_lines,
)
from interpreter.diagnostics import Diagnostic, errors_of, finding, has_errors, in_order
from interpreter.documents.loading import Loader, folder_of, located_in, place_below
from interpreter.documents.reading import Disk
from interpreter.report import diagnostics as findings_report
from interpreter.report import rules as report
from interpreter.report.columns import width_for
from rules.documents import RuleDocument
from rules.findings import Finding


def check(context: Context) -> int:
    """Say what a rule document forgets or contradicts."""
    from rules.analysis.check import check_rules

    opened = open_rules(context.arguments.file, sound=False)
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
        print_lines([_unread_sentence(context, opened.document.name, read)])
    else:
        print_lines([_check_sentence(context, opened.document.name, len(opened.document.decidable), found)])
        print_lines(_how_checked(context, opened.document))
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
    errors = len(errors_of(read))
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


def test(context: Context) -> int:
    """Run the cases of a rule document, and say which one-step changes of its limits no case would notice."""
    from interpreter.report.rule_cases import result_json, result_lines
    from interpreter.testing.rule_cases import read_rule_suite, run_cases

    opened = open_rules(context.arguments.file)
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
    print_lines(result_lines(result, context.language))
    return status
