"""What cases of rules came to, in words: how many pass, what differs, and which changes nobody would notice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from interpreter.report import rules as report
from interpreter.report.words import safe
from interpreter.testing.rule_cases import Result, Verdict
from rules.said import Said, answer_words
from rules.values import ABSENT

MOST_SURVIVORS = 10


def expected_said(verdict: Verdict) -> Said:
    case = verdict.case
    if case.fails is not None:
        return Said(f"失败 [rule/{case.fails}]", f"a failure [rule/{case.fails}]")
    return answer_words(ABSENT if case.expect is None else case.expect)


def got_said(verdict: Verdict) -> Said:
    """Return what came; of a mapping no more than what the case speaks of."""
    if verdict.failure is not None:
        words, code = report.failure_words(verdict.failure), f"[rule/{verdict.failure.code}]"
        return Said(f"{words.zh} {code}", f"{words.en} {code}")
    expect, answer = verdict.case.expect, verdict.answer
    if isinstance(expect, Mapping) and isinstance(answer, Mapping):
        return answer_words({name: answer.get(name, ABSENT) for name in expect})
    return answer_words(answer)


def result_lines(result: Result, language: str) -> Iterator[str]:
    yield _sentence(result, language)
    for verdict in result.failed:
        expected, got = report.said(expected_said(verdict), language), report.said(got_said(verdict), language)
        label = f"{safe(verdict.case.rule)} {safe(verdict.case.id)}"
        yield (
            f"✗ {label}：应为 {expected}，得到 {got}"
            if language == "zh"
            else f"✗ {label}: expected {expected}, got {got}"
        )
    yield from missing_lines(result, language)


def missing_lines(result: Result, language: str) -> Iterator[str]:
    """Yield the changes that no case would notice, and the rules that no case is about."""
    for weighed in result.weighed:
        for mutant, facts in weighed.survivors[:MOST_SURVIVORS]:
            words, shown = report.said(mutant.words, language), report.said(facts, language)
            rule = safe(weighed.rule)
            if language == "zh":
                yield f"○ {rule} {words}：没有用例会发现；这样的用例会：{shown}"
            else:
                yield f"○ {rule} {words}: no case would notice; one with {shown} would"
        more = len(weighed.survivors) - MOST_SURVIVORS
        if more > 0:
            yield f"○ {weighed.rule}：还有 {more} 处" if language == "zh" else f"○ {weighed.rule}: {more} more"
    for rule in result.open:
        yield (
            f"○ {rule}：太大，没有逐一试改界限"
            if language == "zh"
            else f"○ {rule}: too large, the one-step changes of its limits were not tried"
        )
    for rule in result.untested:
        yield f"○ {rule}：没有用例" if language == "zh" else f"○ {rule}: no case"


def _sentence(result: Result, language: str) -> str:
    total, passed = len(result.verdicts), len(result.verdicts) - len(result.failed)
    changes, noticed = result.changes, result.noticed
    share = round(100 * noticed / changes) if changes else 100
    if language == "zh":
        first = f"{result.name}：{total} 个用例通过 {passed} 个"
        if not changes:
            return f"{first}。"
        return f"{first}；各界限改动一步共 {changes} 种，能发现 {noticed} 种（{share}%）。"
    of = "case passes" if total == 1 else "cases pass"
    if not changes:
        return f"{result.name}: {passed} of {total} {of}."
    steps = report.counted(changes, "", "one-step change", "one-step changes", language)
    return f"{result.name}: {passed} of {total} {of}; of {steps} of its limits they notice {noticed} ({share}%)."


def result_json(result: Result, language: str) -> dict[str, Any]:
    place = 0 if language == "zh" else 1
    return {
        "rules": result.name,
        "cases": [
            {
                "id": verdict.case.id,
                "rule": verdict.case.rule,
                "passed": verdict.passed,
                "expected": expected_said(verdict)[place],
                "got": got_said(verdict)[place],
            }
            for verdict in result.verdicts
        ],
        "changes": [
            {
                "rule": one.rule,
                "cases": one.cases,
                "live": one.changes,
                "noticed": one.changes - len(one.survivors),
                "survivors": [{"change": mutant.words[place], "facts": mutant.witness} for mutant, _ in one.survivors],
            }
            for one in result.weighed
        ],
        "untested": list(result.untested),
        "too_large": list(result.open),
    }
