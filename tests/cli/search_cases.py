"""How well the deep search does: the questions of the sample world and the public cases, run and counted.

Run: python -m tests.cli.search_cases. It prints a line for each case and the rates of all of them; exit 1 where a rate
lies under its floor. The public cases stand in ../shared and are left out where that is not here.
"""

from __future__ import annotations

import json
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.cli.search_kit import PAGES, ROOT, DeepSearch, Found, failed_checks, response_of, write_note

SHARED = ROOT.parent / "shared" / "cases" / "wps"
CHECKED = ("supported", "partially_supported")
OPEN = ("conflicting", "insufficient_evidence")
#: In a hundred: expected sources that were found, sources that were not to be found and were not, verdicts, kinds and
#: facets that are those expected, and quotations whose text and source stand in the answers of the run.
FLOORS = {"sources": 90, "kept out": 100, "verdicts": 100, "dimensions": 100, "traceable": 100}


@dataclass(frozen=True)
class Case:
    """A question with what is expected of its answer.

    Shapes: `wanted` has one set for each expected source, with the notes and pages any of which will do, since a search
    stops when it has enough; a page is named by its file. `verdicts` has the verdicts that will do, one set a claim.
    """

    name: str
    query: str
    wanted: tuple[frozenset[str], ...] = ()
    unwanted: frozenset[str] = frozenset()
    verdicts: tuple[tuple[str, ...], ...] = ()
    dimensions: frozenset[str] = frozenset()
    inputs: dict[str, Any] = field(default_factory=dict)
    notes: tuple[dict[str, Any], ...] = ()
    checks: dict[str, Any] = field(default_factory=dict)


@dataclass
class Tally:
    """What was counted of one case or of all: how many of how many, by what is counted, and what is amiss."""

    counts: dict[str, tuple[int, int]] = field(default_factory=lambda: dict.fromkeys(FLOORS, (0, 0)))
    amiss: list[str] = field(default_factory=list)

    def add(self, what: str, good: int, of: int) -> None:
        before = self.counts[what]
        self.counts[what] = (before[0] + good, before[1] + of)

    def rate(self, what: str) -> float:
        good, of = self.counts[what]
        return 100 * good / of if of else 100.0


def any_of(*groups: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(group.split()) for group in groups)


def _claim(subject: str, predicate: str, start: str = "", end: str = "") -> dict[str, Any]:
    scope = {"start": start, "end": end} if start else None
    return {"subject": subject, "predicate": predicate, "time_scope": scope}


# What the README of the sample pages says, question by question, and its claims to hand in
PRICES = "galaxy-enterprise-pricing galaxy-enterprise-pricing-en galaxy-pricing-page"
PRICE_NEWS = "harbor-galaxy-pricing coast-galaxy-pricing"
RULES = any_of("regulator-labelling-notice regulator-labelling-answers", "std-labelling-standard", "price-labelling")
AVERAGES = any_of("regulator-price-bulletin-q3", "std-price-monitoring-q3")
BULLETINS = "regulator-price-bulletin-q3 std-price-monitoring-q3"
REPRINTS = " ".join(path.stem for path in sorted(PAGES.glob("reprint-*.yaml")))
INDEXES = " ".join(path.stem for path in sorted(PAGES.glob("north-index-*.yaml")))
TRENDS = " ".join(path.stem for path in sorted(PAGES.glob("harbor-trend-*.yaml")))
SAMPLE = [
    Case(
        "pricing", "星河智能最近是否发布了新的企业版定价？",
        any_of(PRICES, PRICE_NEWS, "galaxy-call-1016", "lighthouse-weekly-1016"), verdicts=(("supported",),),
    ),
    Case(
        "pricing, en", "Did Galaxy AI recently publish new enterprise pricing?", any_of(PRICES, PRICE_NEWS),
        verdicts=(("supported",),),
    ),
    Case(
        "model cost", "把我们的笔记和外部权威关于降低模型成本的说法整理到一起",
        any_of(
            "lighthouse-q2-review", "wheatfield-q3-review", "cost-ideas", "cache-pitfalls", "prompt-compression",
            "routing-experiment", "model-cost-en", "harbor-cost-feature north-report-inference-cost",
        ),
        frozenset({"trip-qingyu", "book-night-voyage"}), (CHECKED,),
        frozenset({"cross_note_relation", "tags", "approach", "best_practice", "test_data"}),
    ),
    Case(
        "prices over half a year", "近半年大模型接口价格的趋势如何？", any_of(INDEXES, TRENDS),
        verdicts=(("supported",), ("conflicting", "insufficient_evidence")), inputs={"source_mode": "web_only"},
    ),
    Case(
        "budget", "只看我的笔记：2026 四季度模型预算是多少？", any_of("budget-2026q4", "budget-meeting-0922"),
        verdicts=(("conflicting",),),
    ),
    Case("since when", "《人工智能服务明码标价规定》从什么时候起施行？", RULES, verdicts=(("conflicting",),)),
    Case(
        "average", "2026年第三季度大模型推理均价同比下降多少？", AVERAGES, verdicts=(("conflicting",),),
        inputs={"source_mode": "web_only"},
    ),
    Case(
        "computing centre", "星河智能将投资12亿元建设算力中心吗？", any_of(REPRINTS),
        verdicts=(("partially_supported",),),
    ),
    Case(
        "99 yuan", "星河智能企业版降到99元了吗？", any_of("galaxy-statement-promo galaxy-pricing-page"),
        verdicts=(OPEN,),
    ),
    Case("Polaris", "北辰云十月底要上调推理价格吗？", verdicts=(OPEN,)),
    Case(
        "Kestrel", "Is Galaxy AI buying Kestrel Models?", verdicts=(("insufficient_evidence",),),
        inputs={"source_mode": "web_only"},
    ),
    Case(
        "stress test", "灯塔项目为什么推迟压力测试？把相关的笔记串一串",
        any_of(
            "lighthouse-milestones", "lighthouse-risks", "weekly-meeting-1012", "budget-meeting-0922",
            "lighthouse-weekly-1016",
        ),
        frozenset({"trip-qingyu", "book-night-voyage"}), (CHECKED,), frozenset({"cross_note_relation", "risks"}),
        {"source_mode": "notes_only"},
    ),
    Case("nothing", "月背采矿机器人的保险费率", verdicts=(("insufficient_evidence",),)),
    Case(
        "hit rate", "灯塔的缓存命中率是多少？",
        any_of("lighthouse-q2-review", "lighthouse-weekly-0911", "lighthouse-weekly-1016", "cache-pitfalls"),
        inputs={"source_mode": "notes_only"},
    ),
    Case(
        "claims of prices", "星河智能的企业版定价", any_of(PRICES, PRICE_NEWS), verdicts=(("supported",),) * 3,
        inputs={"claims": [
            _claim("星河智能", "发布新的企业版定价", "2026-10-01", "2026-10-20"),
            _claim("星河智能", "企业版席位价调整为每席每月168元"),
            _claim("Galaxy AI", "published new enterprise pricing"),
        ]},
    ),
    Case(
        "claims of authorities", "明码标价与均价", (*RULES[:2], *AVERAGES), verdicts=(("conflicting",),) * 2,
        inputs={"claims": [
            _claim("人工智能服务明码标价规定", "自2026年12月1日起施行"),
            _claim("大模型推理均价", "同比下降31%", "2026-07-01", "2026-09-30"),
        ]},
    ),
    Case(
        "claims of a trend", "大模型接口价格", any_of(f"{INDEXES} {TRENDS} {BULLETINS}"), verdicts=(("supported",),),
        inputs={
            "claims": [_claim("大模型接口", "价格下降", "2026-05-01", "2026-10-20")], "source_mode": "web_only",
        },
    ),
    Case(
        "claims of rumours", "传闻", verdicts=(("partially_supported", "insufficient_evidence"), OPEN, OPEN),
        inputs={"claims": [
            _claim("星河智能", "建设智能算力中心"), _claim("企业版", "每席每月99元"), _claim("北辰云", "上调推理价格"),
        ]},
    ),
    Case(
        "claims of the budget", "四季度模型预算", any_of("budget-2026q4", "budget-meeting-0922"),
        verdicts=(("conflicting",),) * 2,
        inputs={
            "claims": [_claim("四季度模型预算", "42 万元"), _claim("四季度模型预算", "36 万元")],
            "source_mode": "notes_only",
        },
    ),
]  # fmt: skip

# What the questions of the public evaluations are about in the notes beside them, by the place of each question. Those
# under `should_not_trigger` are about the choice between workflows, which is not made here.
PERSON = frozenset({"contact_data", "recent_contact", "projects", "preferences", "cross_note_relation"})
TOPIC = frozenset({"approach", "work_record", "test_data", "meetings", "best_practice", "cross_note_relation", "tags"})
# No note there has the tag that two of them name: it is dropped, and any note of a project or a document will do.
DOCUMENTS = any_of("note_001 note_003 note_007")
EVALUATIONS: dict[str, tuple[tuple[frozenset[str], ...], str, frozenset[str]]] = {
    "evals/2": (any_of("note_001", "note_007"), "note_005 note_009", PERSON),
    "evals/4": (any_of("note_005", "note_006"), "note_001 note_009", TOPIC),
    "evals/5": (DOCUMENTS, "note_009", frozenset({"topic"})),
    "trigger_keywords/0": (any_of("note_001"), "note_009", frozenset({"topic"})),
    "trigger_keywords/1": (any_of("note_001", "note_013"), "note_009", frozenset({"cross_note_relation", "tags"})),
    "intent_parsing/0": (DOCUMENTS, "note_009", frozenset({"topic"})),
    "intent_parsing/1": (any_of("note_003", "note_004"), "note_009", frozenset({"cross_note_relation", "tags"})),
    "scenarios/0": (any_of("note_001", "note_007"), "note_005 note_009", PERSON),
    "reading": (any_of("note_009"), "note_005 note_007", frozenset({"topic"})),
    "tasks": (any_of("note_007"), "note_001 note_009", frozenset({"task_aggregation"})),
}
#: Further questions over the same notes.
FURTHER = {"reading": "深度搜索 我的读书笔记和书摘", "tasks": "汇总所有没做完的待办"}


def public_cases() -> Iterator[Case]:
    """Yield the public cases: the golden ones, and the questions of the evaluations over the notes beside them."""
    for golden in sorted((SHARED / "golden").glob("*.json")):
        case = json.loads(golden.read_text("utf-8"))
        before = json.loads((SHARED / "fixtures" / f"{golden.stem}.original.json").read_text("utf-8"))
        required, forbidden = case["expected_state"]["required_changes"], case["expected_state"]["forbidden_changes"]
        notes = [
            {"id": key, "title": one["title"], "paragraphs": one["key_paragraphs"], "tags": one["tags"], "updated": ""}
            for key, one in before["notes"].items()
        ]
        yield Case(
            golden.stem, case["prompt"], any_of(*_golden_values(required, "response.hits")),
            frozenset(_golden_values(forbidden, "response.hits")),
            dimensions=frozenset(_golden_values(required, "response.search_dimensions")),
            inputs={"now": "2026-07-15T09:00:00Z"}, notes=tuple(notes), checks={"case": case, "before": before},
        )  # fmt: skip
    mock = tuple(
        {
            "id": one["note_id"],
            "title": one["title"],
            "paragraphs": one["content"].split("\n\n"),
            "tags": one["tags"],
            "updated": one["update_time"],
        }
        for one in json.loads((SHARED / "mock-notes.json").read_text("utf-8"))["notes"]
    )
    asked = {
        f"evals/{one['id']}": one["prompt"] for one in json.loads((SHARED / "evals.json").read_text("utf-8"))["evals"]
    }
    for name, rows in tomllib.loads((SHARED / "wps-deep-search.evals.toml").read_text("utf-8")).items():
        asked |= {f"{name}/{nth}": query for nth, query in enumerate(rows)}
    for name, query in (asked | FURTHER).items():
        if name.startswith("should_not_trigger"):
            continue
        wanted, unwanted, dimensions = EVALUATIONS[name]
        inputs = {"source_mode": "notes_only"}
        yield Case(name, query, wanted, frozenset(unwanted.split()), dimensions=dimensions, inputs=inputs, notes=mock)


def _golden_values(changes: list[dict[str, Any]], path: str) -> list[str]:
    return [value for one in changes if one["path"] == path for value in one.get("values", [one.get("value")])]


def run(search: DeepSearch, case: Case, folder: Path) -> Found:
    """Search for what a case asks, in notes of its own where it has some."""
    if not case.notes:
        return search(case.query, **case.inputs)
    vault = folder / "".join(one for one in case.name if one.isalnum())
    for one in case.notes:
        write_note(vault, one["id"], one["title"], one["paragraphs"], tags=one["tags"], updated=one["updated"])
    return search(case.query, vault=vault, **case.inputs)


def tally_of(case: Case, found: Found) -> Tally:
    """Count what an answer has of what is expected."""
    tally = Tally()
    shown = {one["note_id"] for one in found.outputs["evidence"]["notes"]}
    shown |= {one["note_id"] for one in found.outputs["results"] if "note_id" in one}
    shown |= {page_names()[one["url"]] for one in found.outputs["evidence"]["web"] if one["url"] in page_names()}
    missing = [group for group in case.wanted if not group & shown]
    tally.add("sources", len(case.wanted) - len(missing), len(case.wanted))
    tally.amiss += [f"not found: {' or '.join(sorted(group))}" for group in missing]
    tally.add("kept out", len(case.unwanted - shown), len(case.unwanted))
    tally.amiss += [f"not wanted: {name}" for name in sorted(case.unwanted & shown)]
    said = [one["verdict"] for one in found.outputs["claims"]]
    right = [word in wanted for word, wanted in zip(said, case.verdicts, strict=False)]
    tally.add("verdicts", sum(right), len(case.verdicts))
    if sum(right) < len(case.verdicts):
        tally.amiss.append(f"verdicts {said}")
    absent = case.dimensions - set(found.outputs["search_dimensions"])
    tally.add("dimensions", len(case.dimensions) - len(absent), len(case.dimensions))
    tally.amiss += [f"no dimension {name}" for name in sorted(absent)]
    loose = untraceable(found)
    tally.add("traceable", len(found.evidence) - len(loose), len(found.evidence))
    tally.amiss += [f"not traceable: {quote}" for quote in loose]
    if case.checks:
        before = case.checks["before"]
        tally.amiss += failed_checks(case.checks["case"], before, {**before, "response": response_of(found)})
    return tally


def untraceable(found: Found) -> list[str]:
    """Return the quotations of an answer that do not stand in what this run read at the place they are shown with."""
    read: dict[str, list[str]] = {}
    for tool, sent, value in found.calls:
        if not value:
            continue
        if tool == "web.web_fetch":
            read.setdefault(value["final_url"], []).append(value["text"])
        elif tool in ("notes.read_blocks", "notes.read_section", "notes.read_note"):
            read.setdefault(sent["note_id"], []).extend(one["text"] for one in value["blocks"])
    places = [(one.get("url", one.get("note_id")), one["quote"]) for one in found.evidence]
    return [quote for place, quote in places if not any(quote in text for text in read.get(str(place), []))]


_NAMES: dict[str, str] = {}


def page_names() -> dict[str, str]:
    """Return the names of the sample pages by their addresses."""
    if not _NAMES:
        _NAMES.update({yaml.safe_load(path.read_text("utf-8"))["url"]: path.stem for path in PAGES.glob("*.yaml")})
    return _NAMES


def all_cases() -> list[Case]:
    return [*SAMPLE, *(public_cases() if SHARED.exists() else ())]


def main() -> int:
    whole = Tally()
    with tempfile.TemporaryDirectory() as place:
        search = DeepSearch(Path(place) / "home")
        for case in all_cases():
            tally = tally_of(case, run(search, case, Path(place)))
            for what, (good, of) in tally.counts.items():
                whole.add(what, good, of)
            print(f"{'ok  ' if not tally.amiss else 'MISS'} {case.name}: {case.query}")
            for line in tally.amiss:
                print(f"       {line}")
    for what, floor in FLOORS.items():
        good, of = whole.counts[what]
        print(f"{what:>10}: {good} of {of}, {whole.rate(what):.1f} % (floor {floor} %)")
    return 0 if all(whole.rate(what) >= floor for what, floor in FLOORS.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
