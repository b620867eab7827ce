"""Where two versions of a rule document answer differently, as a person and as `--json` read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interpreter.diagnostics import Words
from interpreter.report.rules import plain, said
from interpreter.report.words import safe
from rules.analysis.differences import Compared, Recorded, outcome_words
from rules.analysis.tiers import TiersCompared
from rules.analysis.versions import Versions
from rules.analysis.wording import cells_of, example_words, region_words
from rules.said import facts_words, value_words
from rules.values import ABSENT, Value

#: So many regions of one rule are shown.
MOST_REGIONS = 20

_SECTIONS = {
    "lists": Words("列表", "list"),
    "gates": Words("门禁", "gate"),
    "independence": Words("来源独立性", "independence"),
}


def difference_lines(versions: Versions, language: str) -> Iterator[str]:
    """Yield one sentence for the whole, then every difference."""
    yield _sentence(versions)[language]
    for name, old, new in versions.thresholds:
        before, after = value_words(old).en, value_words(new).en
        yield Words(f"阈值 {name}：{before} → {after}", f"threshold {name}: {before} → {after}")[language]
    for name in versions.added:
        yield Words(f"新增规则 {name}", f"rule {name} is new")[language]
    for name in versions.removed:
        yield Words(f"删去规则 {name}", f"rule {name} is gone")[language]
    for name in versions.too_large:
        yield Words(f"{name}：组合太多，没有比较", f"{name}: too large to be compared")[language]
    for section, name in versions.others:
        zh, en = _SECTIONS[section].zh, _SECTIONS[section].en
        yield Words(f"{zh} {name} 的写法变了", f"{en} {name} is written differently")[language]
    for one in versions.compared:
        yield from _regions(one, language)
    for tiers in versions.tiers:
        yield from _sources(tiers, language)
    for name, recorded in versions.recorded or ():
        yield _share(name, recorded)[language]


def _sentence(versions: Versions) -> Words:
    counts = [len(one.differences) for one in versions.compared]
    counts += [len(tiers.differences) for tiers in versions.tiers]
    count, rules, name = sum(counts), sum(map(bool, counts)), versions.name
    zh, en = _whole_share(versions).zh, _whole_share(versions).en
    if not versions.differs:
        return Words(f"{name}：两个版本的回答处处相同{zh}。", f"{name}: both versions answer alike everywhere{en}.")
    if versions.too_large and not count:
        names = ", ".join(versions.too_large)
        return Words(
            f"{name}：{names} 组合太多，没有比较；其余没有找到回答不同的情况{zh}。",
            f"{name}: {names} is too large to be compared; elsewhere no difference was found{en}.",
        )
    if not count:
        return Words(
            f"{name}：两个版本不同，但没有找到回答不同的情况{zh}。",
            f"{name}: the versions differ, and no facts were found that they answer differently{en}.",
        )
    places, of = _counted(count, "region"), _counted(rules, "rule")
    return Words(
        f"{name}：两个版本在 {rules} 个规则的 {count} 片情况里回答不同{zh}。",
        f"{name}: the versions answer differently in {places} of {of}{en}.",
    )


def _whole_share(versions: Versions) -> Words:
    """Return how many of all recorded decisions would change, as the end of a sentence."""
    total = sum(one.total for _, one in versions.recorded or ())
    if not total:
        return Words("", "")
    changed = sum(len(one.changed) for _, one in versions.recorded or ())
    share = round(100 * changed / total)
    return Words(
        f"；已记录的 {total} 个决定中有 {changed} 个会改变（{share}%）",
        f"; {changed} of {_counted(total, 'recorded decision')} would change ({share}%)",
    )


def _share(name: str, recorded: Recorded) -> Words:
    changed = len(recorded.changed)
    share = round(100 * changed / recorded.total) if recorded.total else 0
    return Words(
        f"{name}：已记录的 {recorded.total} 个决定中有 {changed} 个会改变（{share}%）",
        f"{name}: {changed} of {_counted(recorded.total, 'recorded decision')} would change ({share}%)",
    )


def _regions(one: Compared, language: str) -> Iterator[str]:
    for name in one.other_kinds:
        yield Words(
            f"{one.name}：输入 {name} 的类型变了，无法比较",
            f"{one.name}: the input {name} is of another type, so nothing can be compared",
        )[language]
    for difference, box in list(zip(one.differences, one.boxes, strict=True))[:MOST_REGIONS]:
        example = said(example_words(one.grid, box, difference.example), language)
        region = said(region_words(difference.region), language)
        before, after = (said(outcome_words(each), language) for each in (difference.before, difference.after))
        yield Words(
            f"{one.name}，例如 {example}：{before} → {after}（{region}）",
            f"{one.name}, for example {example}: {before} → {after} ({region})",
        )[language]
    more = len(one.differences) - MOST_REGIONS
    if more > 0:
        noun = "region" if more == 1 else "regions"
        yield Words(f"{one.name}：还有 {more} 片", f"{one.name}: {more} more {noun}")[language]


def _sources(one: TiersCompared, language: str) -> Iterator[str]:
    """Yield what two versions of tiers make of made-up sources, and that these are not all there may be."""
    for difference in one.differences[:MOST_REGIONS]:
        columns = [each for each in one.columns if each.name in difference.facts]
        example = said(facts_words(columns, difference.facts), language)
        before, after = (_placed(each)[language] for each in (difference.before, difference.after))
        yield Words(
            f"{one.name}，例如 {example}：{before} → {after}",
            f"{one.name}, for example {example}: {before} → {after}",
        )[language]
    yield Words(
        f"{one.name}：用两个版本自己写到的 {one.tried} 个来源比较过，不是所有来源",
        f"{one.name}: compared on {_counted(one.tried, 'source')} that the two versions name themselves, "
        "not on every source",
    )[language]


def _placed(answer: Value) -> Words:
    if answer is ABSENT:
        return Words("没有层级", "no tier")
    text = f"{safe(str(answer['tier']))} ({safe(str(answer['rule']))})"
    return Words(text, text)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else f'{noun}s'}"


def differences_json(versions: Versions, language: str) -> dict[str, Any]:
    """Return the differences as `--json` prints them."""
    recorded = None
    if versions.recorded is not None:
        recorded = [{"rule": name, "total": one.total, "changed": one.changed} for name, one in versions.recorded]
    return {
        "rules": versions.name,
        "differs": versions.differs,
        "thresholds": [{"name": name, "before": old, "after": new} for name, old, new in versions.thresholds],
        "added": list(versions.added),
        "removed": list(versions.removed),
        "too_large": list(versions.too_large),
        "differences": [entry for one in versions.compared for entry in _regions_json(one, language)],
        "tiers": [_sources_json(one) for one in versions.tiers],
        "changed": [{"section": section, "name": name} for section, name in versions.others],
        "recorded": recorded,
    }


def _regions_json(one: Compared, language: str) -> Iterator[dict[str, Any]]:
    place = 0 if language == "zh" else 1
    for difference in one.differences:
        yield {
            "rule": one.name,
            "example": difference.example,
            "region": cells_of(difference.region),
            "words": region_words(difference.region)[place],
            "before": outcome_words(difference.before)[place],
            "after": outcome_words(difference.after)[place],
        }


def _sources_json(one: TiersCompared) -> dict[str, Any]:
    return {
        "rule": one.name,
        "tried": one.tried,
        "differences": [
            {"example": difference.facts, "before": plain(difference.before), "after": plain(difference.after)}
            for difference in one.differences
        ],
    }
