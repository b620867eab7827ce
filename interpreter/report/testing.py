"""What cases came to: how many pass, what differs, and what of the workflow nobody came by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from interpreter.report.words import safe
from interpreter.testing.coverage import Item, share
from rules.values import canonical_text

_KINDS = {
    "state": ("状态", "states"),
    "transition": ("转移", "transitions"),
    "gate": ("门（开与关）", "gates, open and closed"),
    "row": ("规则的行", "rows of rules"),
    "failure": ("失败的分支", "failures handled"),
    "loop": ("循环（零、一、多项）", "loops with none, one, many"),
}
#: So many of what nobody came by are listed.
MOST_MISSING = 20


def passed_line(name: str, passed: int, total: int, language: str) -> str:
    if language == "zh":
        return f"{safe(name)}：{total} 个用例通过 {passed} 个"
    return f"{safe(name)}: {passed} of {total} {'case passes' if total == 1 else 'cases pass'}"


def coverage_lines(
    name: str, counts: Mapping[str, tuple[int, int]], missing: list[Item], language: str
) -> Iterator[str]:
    """Yield a line for the whole, one for each kind, and what is missing."""
    percent = _percent(share(counts))
    yield f"{safe(name)}：覆盖 {percent}" if language == "zh" else f"{safe(name)}: {percent} covered"
    for kind, (met, known) in counts.items():
        words = _KINDS[kind][0 if language == "zh" else 1]
        yield f"  {words}: {met}/{known} ({_percent(met / known)})"
    for item in missing[:MOST_MISSING]:
        yield f"  ○ {item_line(item, language)}"
    if len(missing) > MOST_MISSING:
        more = len(missing) - MOST_MISSING
        yield f"  ○ 还有 {more} 处" if language == "zh" else f"  ○ {more} more"


def item_line(item: Item, language: str) -> str:
    """Return in words what nobody came by."""
    first, *rest = (safe(part) for part in item.name)
    second = rest[0] if rest else ""
    zh, en = {
        "state": (f"状态 {first}", f"state {first}"),
        "transition": (f"{first} 的第 {second} 条转移", f"transition {second} of {first}"),
        "gate": (f"门 {first} {_GATE_ZH.get(second, second)}", f"gate {first} {second}"),
        "row": (f"{first} 的行 {second}", f"row {second} of {first}"),
        "failure": (f"{_step(first)} 失败", f"{_step(first)} failing"),
        "loop": (f"循环 {_step(first)}：{_LOOP_ZH.get(second, second)}", f"loop {_step(first)} with {second}"),
    }[item.kind]
    place = f"{safe(item.where.file)}:{item.where.line}: " if item.where is not None else ""
    return place + (zh if language == "zh" else en)


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


def replay_lines(told: Mapping[str, Any], language: str) -> Iterator[str]:
    """Yield where a replayed run begins to differ from what was recorded."""
    run, events = safe(told["run"]), told["events"]
    if not told["differs"]:
        yield f"{run}：{events} 步全部一样" if language == "zh" else f"{run}: all {events} steps as recorded"
        return
    after = told["after"]
    yield f"{run}：前 {after} 步一样，然后" if language == "zh" else f"{run}: {after} steps as recorded, then"
    yield f"  {'当时' if language == 'zh' else 'then'}: {_event(told['then'], language)}"
    yield f"  {'现在' if language == 'zh' else 'now'}: {_event(told['now'], language)}"


_EVENTS = {"state": ("进入状态", "state"), "call": ("调用", "call"), "answer": ("回答", "answer to")}


def _event(event: Mapping[str, Any] | None, language: str) -> str:
    if event is None:
        return "结束" if language == "zh" else "the end"
    words = _EVENTS[event["kind"]][0 if language == "zh" else 1]
    detail = "" if event["detail"] is None else f" {safe(canonical_text(event['detail']))}"
    return f"{words} {safe(event['name'])}{detail}"


_ENDINGS = {
    "completed": ("完成", "completed"),
    "failed": ("失败", "failed"),
    "waiting": ("等待回答", "waiting"),
    "blocked": ("停住", "blocked"),
    "cancelled": ("取消", "cancelled"),
}


def fuzzed_line(runs: int, endings: Mapping[str, int], language: str) -> str:
    """Return how many runs were drawn, and how they ended."""
    zh = language == "zh"
    told = [f"{count} {_ENDINGS.get(name, (name, name))[0 if zh else 1]}" for name, count in endings.items()]
    if zh:
        return f"随机运行 {runs} 次，没有破坏任何保证（{'，'.join(told)}）"
    return f"{runs} runs were drawn, nothing broke ({', '.join(told)})"
