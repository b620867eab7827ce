"""`rules diff`: where two versions of a document answer differently, and which recorded decisions that changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from interpreter.cli.context import Context
from interpreter.cli.rules.opened import Refused, mapping_of, open_rules, print_lines
from interpreter.ports import JournalError
from interpreter.report import rules as report
from interpreter.report.words import safe
from interpreter.session import journal_finding
from rules.analysis.differences import Compared, Recorded, compare_decisions, compare_rules, outcome_words
from rules.analysis.grid import TooLarge
from rules.analysis.tiers import TiersCompared, compare_tiers
from rules.analysis.wording import example_words, region_words
from rules.documents import RuleDocument
from rules.facts import Names
from rules.records import record
from rules.said import facts_words, value_words
from rules.values import ABSENT, Value, same

MOST_REGIONS = 20

Facts = dict[str, list[dict[str, Value]]]
"""Recorded facts by the name of the rule."""


@record
class Result:
    """Both versions compared.

    Shapes: `added` and `removed` are rules of one version alone; `thresholds` those whose value changed; `open` rules
    that were too large; `tiers` those whose rules changed; `others` lists, gates and counts of sources that changed, as
    (section, name); `recorded` is None where no decisions were given.
    """

    name: str
    compared: tuple[Compared, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    thresholds: tuple[tuple[str, Value, Value], ...]
    open: tuple[str, ...]
    tiers: tuple[TiersCompared, ...]
    others: tuple[tuple[str, str], ...]
    recorded: tuple[tuple[str, Recorded], ...] | None

    @property
    def differs(self) -> bool:
        regions = any(one.differences or one.other_kinds for one in self.compared)
        return bool(regions or self.added or self.removed or self.open or self.tiers or self.others)

    def lines(self, language: str) -> Iterator[str]:
        yield self._sentence(language)
        for name, old, new in self.thresholds:
            before, after = value_words(old).en, value_words(new).en
            yield f"阈值 {name}：{before} → {after}" if language == "zh" else f"threshold {name}: {before} → {after}"
        for name in self.added:
            yield f"新增规则 {name}" if language == "zh" else f"rule {name} is new"
        for name in self.removed:
            yield f"删去规则 {name}" if language == "zh" else f"rule {name} is gone"
        for name in self.open:
            yield f"{name}：组合太多，没有比较" if language == "zh" else f"{name}: too large to be compared"
        for section, name in self.others:
            zh, en = _SECTION_WORDS[section]
            yield (f"{zh} {name} 的写法变了" if language == "zh" else f"{en} {name} is written differently")
        for one in self.compared:
            yield from self._regions(one, language)
        for tiers in self.tiers:
            yield from self._sources(tiers, language)
        for name, recorded in self.recorded or ():
            yield self._share(name, recorded, language)

    def _sentence(self, language: str) -> str:
        counts = [len(one.differences) for one in self.compared] + [len(one.differences) for one in self.tiers]
        count, rules = sum(counts), sum(map(bool, counts))
        share = self._whole_share(language)
        if not self.differs:
            if language == "zh":
                return f"{self.name}：两个版本的回答处处相同{share}。"
            return f"{self.name}: both versions answer alike everywhere{share}."
        if self.open and not count:
            names = ", ".join(self.open)
            if language == "zh":
                return f"{self.name}：{names} 组合太多，没有比较；其余没有找到回答不同的情况{share}。"
            return f"{self.name}: {names} is too large to be compared; elsewhere no difference was found{share}."
        if not count:
            if language == "zh":
                return f"{self.name}：两个版本不同，但没有找到回答不同的情况{share}。"
            return f"{self.name}: the versions differ, and no facts were found that they answer differently{share}."
        places = report.counted(count, "{} 片情况", "region", "regions", language)
        if language == "zh":
            return f"{self.name}：两个版本在 {rules} 个规则的 {places}里回答不同{share}。"
        of = report.counted(rules, "", "rule", "rules", language)
        return f"{self.name}: the versions answer differently in {places} of {of}{share}."

    def _whole_share(self, language: str) -> str:
        """Return how many of all recorded decisions would change, as the end of a sentence."""
        total = sum(one.total for _, one in self.recorded or ())
        if not total:
            return ""
        changed = sum(len(one.changed) for _, one in self.recorded or ())
        share = round(100 * changed / total)
        if language == "zh":
            return f"；已记录的 {total} 个决定中有 {changed} 个会改变（{share}%）"
        return (
            f"; {changed} of {report.counted(total, '', 'recorded decision', 'recorded decisions', language)} would "
            f"change ({share}%)"
        )

    def _sources(self, one: TiersCompared, language: str) -> Iterator[str]:
        """Yield what two versions of tiers make of made-up sources, and that these are not all there may be."""
        for difference in one.differences[:MOST_REGIONS]:
            example = report.said(
                facts_words([each for each in one.columns if each.name in difference.facts], difference.facts), language
            )
            before, after = (_placed(each, language) for each in (difference.before, difference.after))
            if language == "zh":
                yield f"{one.name}，例如 {example}：{before} → {after}"
            else:
                yield f"{one.name}, for example {example}: {before} → {after}"
        if language == "zh":
            yield f"{one.name}：用两个版本自己写到的 {one.tried} 个来源比较过，不是所有来源"
        else:
            sources = report.counted(one.tried, "", "source", "sources", language)
            yield f"{one.name}: compared on {sources} that the two versions name themselves, not on every source"

    def _regions(self, one: Compared, language: str) -> Iterator[str]:
        for name in one.other_kinds:
            if language == "zh":
                yield f"{one.name}：输入 {name} 的类型变了，无法比较"
            else:
                yield f"{one.name}: the input {name} is of another type, so nothing can be compared"
        for difference, box in list(zip(one.differences, one.boxes, strict=True))[:MOST_REGIONS]:
            example = report.said(example_words(one.grid, box, difference.example), language)
            region = report.said(region_words(difference.region), language)
            before, after = outcome_words(difference.before), outcome_words(difference.after)
            first, second = report.said(before, language), report.said(after, language)
            if language == "zh":
                yield f"{one.name}，例如 {example}：{first} → {second}（{region}）"
            else:
                yield f"{one.name}, for example {example}: {first} → {second} ({region})"
        more = len(one.differences) - MOST_REGIONS
        if more > 0:
            yield (
                f"{one.name}：还有 {more} 片"
                if language == "zh"
                else f"{one.name}: {more} more {'region' if more == 1 else 'regions'}"
            )

    def _share(self, name: str, recorded: Recorded, language: str) -> str:
        changed = len(recorded.changed)
        share = round(100 * changed / recorded.total) if recorded.total else 0
        if language == "zh":
            return f"{name}：已记录的 {recorded.total} 个决定中有 {changed} 个会改变（{share}%）"
        decisions = report.counted(recorded.total, "", "recorded decision", "recorded decisions", language)
        return f"{name}: {changed} of {decisions} would change ({share}%)"

    def plain(self, language: str) -> dict[str, Any]:
        place = 0 if language == "zh" else 1
        recorded = None
        if self.recorded is not None:
            recorded = [{"rule": name, "total": one.total, "changed": one.changed} for name, one in self.recorded]
        return {
            "rules": self.name,
            "differs": self.differs,
            "thresholds": [{"name": name, "before": old, "after": new} for name, old, new in self.thresholds],
            "added": list(self.added),
            "removed": list(self.removed),
            "too_large": list(self.open),
            "differences": [
                {
                    "rule": one.name,
                    "example": difference.example,
                    "region": {asked.column.name: asked.cell for asked in difference.region},
                    "words": region_words(difference.region)[place],
                    "before": outcome_words(difference.before)[place],
                    "after": outcome_words(difference.after)[place],
                }
                for one in self.compared
                for difference in one.differences
            ],
            "tiers": [
                {
                    "rule": one.name,
                    "tried": one.tried,
                    "differences": [
                        {
                            "example": difference.facts,
                            "before": report.plain(difference.before),
                            "after": report.plain(difference.after),
                        }
                        for difference in one.differences
                    ],
                }
                for one in self.tiers
            ],
            "changed": [{"section": section, "name": name} for section, name in self.others],
            "recorded": recorded,
        }


def compare(old: RuleDocument, new: RuleDocument, names: Names, recorded: Facts | None) -> Result:
    """Return where two versions of a document differ."""
    first, second = _analysed(old), _analysed(new)
    compared, left_open, shares = [], [], []
    for name in [one for one in first if one in second]:
        if _is_same(old, new, name):
            continue
        try:
            compared.append(compare_rules(old, new, name, names))
        except TooLarge:
            left_open.append(name)
    both = [name for name in old.decidable if name in new.decidable]
    for name in both:
        if recorded is not None and name in recorded:
            shares.append((name, compare_decisions(old, new, name, recorded[name], names)))
    tiers = [compare_tiers(old, new, name, names) for name in old.tiers if name in new.tiers]
    thresholds = [
        (name, one.value, new.thresholds[name].value)
        for name, one in old.thresholds.items()
        if name in new.thresholds and new.thresholds[name].value != one.value
    ]
    return Result(
        name=new.name,
        compared=tuple(compared),
        added=tuple(name for name in _names(new) if name not in _names(old)),
        removed=tuple(name for name in _names(old) if name not in _names(new)),
        thresholds=tuple(thresholds),
        open=tuple(left_open),
        tiers=tuple(one for one in tiers if one is not None),
        others=tuple(_others(old, new)),
        recorded=None if recorded is None else tuple(shares),
    )


def _analysed(document: RuleDocument) -> list[str]:
    return [*document.tables, *document.scorecards]


_SECTION_WORDS = {"lists": ("列表", "list"), "gates": ("门禁", "gate"), "independence": ("来源独立性", "independence")}


def _is_same(old: RuleDocument, new: RuleDocument, name: str) -> bool:
    """Tell whether a rule is written alike in both versions and reads the same thresholds."""
    section = "tables" if name in old.tables else "scorecards"
    before, after = old.body.get(section) or {}, new.body.get(section) or {}
    values = [{key: one.value for key, one in each.thresholds.items()} for each in (old, new)]
    return name in after and same(before[name], after[name]) and same(*values)


def _names(document: RuleDocument) -> list[str]:
    return [*document.decidable, *document.independence, *document.gates]


def _others(old: RuleDocument, new: RuleDocument) -> Iterator[tuple[str, str]]:
    """Yield what both versions have and nothing here can compare, where it is written differently."""
    for section in _SECTION_WORDS:
        before, after = old.body.get(section) or {}, new.body.get(section) or {}
        yield from ((section, name) for name in before if name in after and not same(before[name], after[name]))


def _placed(answer: Value, language: str) -> str:
    if answer is ABSENT:
        return "没有层级" if language == "zh" else "no tier"
    return f"{safe(str(answer['tier']))} ({safe(str(answer['rule']))})"


def recorded_facts(context: Context, document: str, runs: Sequence[str]) -> Facts | None:
    """Return the facts on which runs decided by the rules of a document, None where no run is named.

    Shapes: a run is named by its id, or by a file with a list of `{rule, facts}`.
    """
    if not runs:
        return None
    found: Facts = {}
    for name in runs:
        if Path(name).is_file():
            _from_file(Path(name), found)
        else:
            _from_run(context, document, name, found)
    return found


def _from_run(context: Context, document: str, name: str, found: Facts) -> None:
    try:
        journal = context.store.open(name, lock=False)
    except JournalError as error:
        raise Refused(journal_finding(name, error)) from None
    try:
        for row in journal.rows():
            body = row.body
            if row.kind == "trace" and body.get("note") == "decision":
                of, _, rule = str(body["rule"]).partition(".")
                if of == document:
                    found.setdefault(rule, []).append(body["facts"])
    except JournalError as error:
        raise Refused(journal_finding(name, error)) from None
    finally:
        journal.close()


def _from_file(path: Path, found: Facts) -> None:
    body = mapping_of(path)
    for entry in body.get("decisions", []):
        if isinstance(entry, Mapping) and isinstance(entry.get("facts"), Mapping):
            rule = str(entry.get("rule", "")).rpartition(".")[2]
            found.setdefault(rule, []).append(dict(entry["facts"]))


def diff(context: Context) -> int:
    """Say where two versions of a rule document answer differently; exit 1 where they do."""
    old, new = open_rules(context.arguments.old), open_rules(context.arguments.new)
    recorded = recorded_facts(context, new.document.name, context.arguments.decisions)
    result = compare(old.document, new.document, new.names, recorded)
    if context.wants_json:
        context.print_json(result.plain(context.language))
    else:
        print_lines(result.lines(context.language))
    return 1 if result.differs else 0
