"""The deep search walked in memory: what its tools answer, and a question put to it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from interpreter.adapters.compute import ComputeAdapter
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.adapters.planning import plan_adapters
from interpreter.check import check_documents
from interpreter.documents.loading import load_workflow
from interpreter.documents.profiles import load_profile
from interpreter.documents.reading import Disk
from interpreter.engine.program import Program
from interpreter.plan import plan_workflow
from tests.unit.run_kit import Told, case_of, run_case

SPEC = Path(__file__).parents[2] / "specs" / "wps_deep_search.yaml"
LOCAL = SPEC.parent / "profiles" / "local.yaml"
#: A Tuesday.
NOW = "2026-10-20T09:00:00Z"
Answers = dict[str, list[dict[str, Any]]]
#: Services that find nothing, and no language model.
SILENT: Answers = {
    "notes.find_tags": [{"give": {"tags": []}}],
    "notes.search_notes": [{"give": {"notes": [], "meta": {"total": 0, "has_more": False}}}],
    "web.batch_web_search": [{"give": {"answers": []}}],
    "reader.decompose": [{"fail": "unavailable"}],
    "reader.widen": [{"fail": "unavailable"}],
}


@cache
def program() -> Program:
    documents, findings = load_workflow(SPEC, Disk())
    assert documents is not None
    assert [one for one in [*findings, *check_documents(documents)] if one.severity == "error"] == []
    return plan_workflow(documents)


def ask(query: str, answers: Answers | None = None, **inputs: Any) -> Told:
    body = {
        "inputs": {"query": query, "now": NOW, **inputs},
        "answers": {**SILENT, **(answers or {})},
        "language": "zh",
        "people": {"which_meaning": [[{"sense": "苹果（水果）"}]]},
    }
    return run_case(case_of("deep", program(), body), MemoryJournal())


CLAIM = {"id": "a", "text": "星河智能降价", "subject": "星河智能", "predicate": "降价", "time_scope": None}
NOTE = {
    "note_id": "n1",
    "title": "星河智能",
    "create_time": "2026-10-19T00:00:00Z",
    "update_time": "2026-10-19T00:00:00Z",
    "tags": [],
    "starred": False,
}
BLOCK = {"id": "b1", "type": "paragraph", "text": "星河智能降价了。", "content": "<p>星河智能降价了。</p>"}
ONE_NOTE: Answers = {
    "notes.search_notes": [{"give": {"notes": [NOTE], "meta": {"total": 1, "has_more": False}}}],
    "notes.search_note_content": [{"give": {"hits": [{"block_id": "b1", "type": "paragraph", "preview": "…"}]}}],
    "notes.read_blocks": [{"give": {"blocks": [BLOCK]}}],
}
PAGE: dict[str, Any] = {
    "url": "https://site.example/a",
    "final_url": "https://site.example/a",
    "canonical_url": None,
    "redirects": [],
    "status": 200,
    "content_type": "text/html",
    "encoding": "utf-8",
    "encoding_from": "header",
    "title": "星河智能降价",
    "publisher": None,
    "author": None,
    "published": "2026-10-19",
    "published_from": "label",
    "modified": None,
    "fetched_at": "2026-10-20T01:00:00Z",
    "language": "zh",
    "text": "星河智能降价了。",
    "text_sha256": "",
    "truncated": False,
    "access": "open",
    "kind": "article",
    "credits": [],
    "source_url": None,
    "fingerprint": "",
}
HIT = {"url": "https://site.example/a", "title": "星河智能", "snippet": "", "published": None, "rank": 1}


@cache
def reader() -> ComputeAdapter:
    documents, _ = load_workflow(SPEC, Disk())
    profile, _ = load_profile(LOCAL, Disk())
    assert documents is not None
    assert profile is not None
    plans, found = plan_adapters(profile, documents.tools, {}, Path(LOCAL.parent))
    assert found == []
    plan = next(plan for plan in plans if "reader.judge" in plan.tools)
    assert plan.answer is not None
    return ComputeAdapter(plan.lets, plan.answer, plan.settings)


@cache
def asked(query: str) -> dict[str, Any]:
    """Return what the workflow hands to a reader for a question."""
    says_so = {**BLOCK, "text": query, "content": f"<p>{query}</p>"}
    note: Answers = {**ONE_NOTE, "notes.read_blocks": [{"give": {"blocks": [says_so]}}]}
    told = ask(query, {**note, "reader.judge": [{"give": {"findings": []}}]})
    return dict(next(call for call in told.calls if call.tool == "reader.judge").arguments)


def stances(query: str, *texts: str, **given: Any) -> list[str]:
    """Return the stance of each passage, `silent` where the reader says nothing of it."""
    units = [{"evidence_id": f"s-{nth}", "text": text} for nth, text in enumerate(texts)]
    arguments = {**asked(query), "about": "Notice 公告", "units": units, "unit_days": {}, "language": "en", **given}
    findings = reader().invoke("reader.judge", arguments, "")["findings"]
    said = {one["evidence_id"]: one["stance"] for one in findings}
    return [said.get(unit["evidence_id"], "silent") for unit in units]
