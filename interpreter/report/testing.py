"""What cases came to: how many pass, what differs, and what of the workflow nobody came by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from interpreter.diagnostics import Words
from interpreter.report.words import safe
from interpreter.testing.coverage import Item, share
from rules.values import canonical_text

_KINDS = {
    "state": Words("状态", "states"),
    "transition": Words("转移", "transitions"),
    "gate": Words("门禁（开与关）", "gates, open and closed"),
    "row": Words("规则的行", "rows of rules"),
    "failure": Words("失败的分支", "failures handled"),
    "loop": Words("循环（零、一、多项）", "loops with none, one, many"),
    "rule": Words("有用例的规则", "rules with a case"),
    "change": Words("能发现的界限改动", "one-step changes of limits noticed"),
}
#: So many of what nobody came by are listed.
MOST_MISSING = 20


def passed_line(name: str, passed: int, total: int, language: str) -> str:
    return _passed(safe(name), safe(name), passed, total)[language]


def summary_line(documents: int, passed: int, total: int, language: str) -> str:
    """Return the line for all tests documents together."""
    named = "1 tests document" if documents == 1 else f"{documents} tests documents"
    return _passed(f"{documents} 个测试文档", named, passed, total)[language]


def _passed(zh: str, en: str, passed: int, total: int) -> Words:
    cases = "case passes" if total == 1 else "cases pass"
    return Words(f"{zh}：{total} 个用例通过 {passed} 个", f"{en}: {passed} of {total} {cases}")


def coverage_lines(
    name: str, counts: Mapping[str, tuple[int, int]], missing: list[Item], language: str
) -> Iterator[str]:
    """Yield a line for the whole, one for each kind, and what is missing."""
    yield from count_lines(name, counts, language)
    for item in missing[:MOST_MISSING]:
        yield f"  ○ {item_line(item, language)}"
    if len(missing) > MOST_MISSING:
        more = len(missing) - MOST_MISSING
        yield f"  ○ {Words(f'还有 {more} 处', f'{more} more')[language]}"


def count_lines(name: str, counts: Mapping[str, tuple[int, int]], language: str) -> Iterator[str]:
    """Yield a line for the whole, and one for each kind."""
    percent = _percent(share(counts))
    yield Words(f"{safe(name)}：覆盖 {percent}", f"{safe(name)}: {percent} covered")[language]
    for kind, (met, known) in counts.items():
        yield f"  {_KINDS[kind][language]}: {met}/{known} ({_percent(met / known)})"


def item_line(item: Item, language: str) -> str:
    """Return in words what nobody came by."""
    first, *rest = (safe(part) for part in item.name)
    second = rest[0] if rest else ""
    words = {
        "state": Words(f"状态 {first}", f"state {first}"),
        "transition": Words(f"{first} 的第 {second} 条转移", f"transition {second} of {first}"),
        "gate": Words(f"门禁 {first} {_GATE_ZH.get(second, second)}", f"gate {first} {second}"),
        "row": Words(f"{first} 的行 {second}", f"row {second} of {first}"),
        "failure": Words(f"{_step(first)} 失败", f"{_step(first)} failing"),
        "loop": Words(f"循环 {_step(first)}：{_LOOP_ZH.get(second, second)}", f"loop {_step(first)} with {second}"),
    }[item.kind]
    place = f"{safe(item.where.file)}:{item.where.line}: " if item.where is not None else ""
    return place + words[language]


def _step(name: str) -> str:
    """Return the name of a step without its line, which stands before it."""
    return name.rpartition(":")[0]


_GATE_ZH = {"held": "打开", "closed": "关闭"}
_LOOP_ZH = {"none": "没有项", "one": "一项", "many": "多项"}


def _percent(part: float) -> str:
    """Return a share in percent; never rounded up to a whole that it is not."""
    hundredths = int(part * 1000) / 10
    return f"{hundredths:g}%"


def coverage_json(counts: Mapping[str, tuple[int, int]], missing: list[Item]) -> dict[str, Any]:
    return {
        "share": round(share(counts), 4),
        "kinds": {kind: {"covered": met, "of": known} for kind, (met, known) in counts.items()},
        "missing": [
            {
                "kind": item.kind,
                "name": list(item.name),
                "file": item.where.file if item.where is not None else None,
                "line": item.where.line if item.where is not None else None,
            }
            for item in missing
        ],
    }


def rules_coverage_json(counts: Mapping[str, tuple[int, int]], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a rule document its cases notice; `told` is what `rules test` says of it."""
    return {
        "share": round(share(counts), 4),
        "kinds": {kind: {"covered": met, "of": known} for kind, (met, known) in counts.items()},
        "changes": told["changes"],
        "untested": told["untested"],
    }


def replay_lines(told: Mapping[str, Any], language: str) -> Iterator[str]:
    """Yield where a replayed run begins to differ from what was recorded."""
    run, events = safe(told["run"]), told["events"]
    if not told["differs"]:
        yield Words(f"{run}：{events} 步全部一样", f"{run}: all {events} steps as recorded")[language]
        return
    after = told["after"]
    yield Words(f"{run}：前 {after} 步一样，然后", f"{run}: {after} steps as recorded, then")[language]
    yield f"  {Words('当时', 'then')[language]}: {_event(told['then'], language)}"
    yield f"  {Words('现在', 'now')[language]}: {_event(told['now'], language)}"


_EVENTS = {"state": Words("进入状态", "state"), "call": Words("调用", "call"), "answer": Words("回答", "answer to")}


def _event(event: Mapping[str, Any] | None, language: str) -> str:
    if event is None:
        return Words("结束", "the end")[language]
    words = _EVENTS[event["kind"]][language]
    detail = "" if event["detail"] is None else f" {safe(canonical_text(event['detail']))}"
    return f"{words} {safe(event['name'])}{detail}"


_ENDINGS = {
    "completed": Words("完成", "completed"),
    "failed": Words("失败", "failed"),
    "waiting": Words("等待回答", "waiting"),
    "blocked": Words("停住", "blocked"),
    "cancelled": Words("取消", "cancelled"),
}


def stops_line(count: int, language: str) -> str:
    """Return what stands before the places at which drawn runs stopped."""
    places = "place" if count == 1 else "places"
    return Words(
        f"有 {count} 处表达式在抽到的值上无法求值，运行停在那里；写上 default(…)，"
        "或在契约里写明哪些字段总在（required）、值的范围：",
        f"at {count} {places} an expression could not be evaluated with what was drawn, and the runs stopped there; "
        "write default(…), or let the contract say which fields are always there (required) and the bounds of values:",
    )[language]


def reasons_line(reasons: Mapping[str, int], language: str) -> str:
    """Return why drawn runs failed or stopped, by code, the most frequent first."""
    told = [(safe(code), count) for code, count in sorted(reasons.items(), key=lambda one: (-one[1], one[0]))]
    return Words(
        f"失败或停住的原因：{'，'.join(f'{code} {count} 次' for code, count in told)}",
        f"why runs failed or stopped: {', '.join(f'{code} {count}' for code, count in told)}",
    )[language]


def again_line(seed: int, language: str) -> str:
    """Return how the same runs are drawn again."""
    return Words(f"再抽一次同样的运行：--seed {seed}", f"the same runs again: --seed {seed}")[language]


def fuzzed_line(runs: int, endings: Mapping[str, int], language: str) -> str:
    """Return how many runs were drawn, and how they ended."""
    told = [(count, _ENDINGS.get(name, Words(name, name))) for name, count in endings.items()]
    drawn = "1 run was" if runs == 1 else f"{runs} runs were"
    return Words(
        f"随机运行 {runs} 次，没有破坏任何保证（{'，'.join(f'{count} {ending.zh}' for count, ending in told)}）",
        f"{drawn} drawn, nothing broke ({', '.join(f'{count} {ending.en}' for count, ending in told)})",
    )[language]


def unreached_lines(states: Sequence[str], has_cases: bool, language: str) -> Iterator[str]:
    """Yield which states no drawn run came to, of which nothing is known, and what leads further."""
    if not states:
        return
    names = ", ".join(safe(name) for name in states)
    yield Words(
        f"没有一次走到：{names}——这些状态里会发生什么，还不知道",
        f"none of them came to {names}: what happens there is not known",
    )[language]
    if has_cases:
        further = Words("再多抽几次：--runs", "draw more: --runs")
    else:
        further = Words(
            "在 tests/ 里写一个走到那里的用例，随机运行就会从它出发",
            "keep a case in tests/ that leads there; drawn runs then set out from it",
        )
    yield f"  {further[language]}"
